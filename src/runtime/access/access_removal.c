/* runtime/access/access_removal.c — the records about access of a tenant that goes with everything it has.
 *
 * change_tenant.c begins the removal: from that commit on the tenant has no number, so nobody finds it. Here
 * its rows among those of all tenants go, some in each turn (runtime/removal.c). Each function may be called
 * again after a crash: rows that are gone are not found any more.
 *
 * Users stay, because they belong to no tenant.
 */
#include "runtime/access/access_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* Rows that one call removes together. */
struct gone_rows {
    struct turn *turn;
    struct record_row *row;
    size_t count, cap;
};

static void add(struct gone_rows *gone, int32_t ns, enum record_kind kind, str key)
{
    array_reserve_in(&gone->turn->arena, gone->row, gone->count, gone->cap);
    gone->row[gone->count++] = (struct record_row){ .ns = ns, .kind = kind, .key = key };
}

static enum status write(const struct gone_rows *gone, struct error *err)
{
    struct changeset changeset = { .record_remove = gone->row, .record_remove_count = gone->count };
    return gone->count ? transact_rows(gone->turn, &changeset, err) : ST_OK;
}

static enum status list(struct turn *turn, struct record_filter filter, struct record_row **ret_row,
                        size_t *ret_count, struct error *err)
{
    return store_records(turn->engine->store, &filter, &turn->arena, ret_row, ret_count, err);
}

/* ---- the record ---- */

size_t access_removal_filters(const struct engine *engine, struct arena *arena,
                              struct record_filter *ret_filter)
{
    static const char runs[] = { REMOVAL_RUNS };
    (void)engine, (void)arena;
    *ret_filter =
        (struct record_filter){ .ns = TENANT_ANY, .kind = RECORD_REMOVAL, .prefix = { runs, 1 }, .max = 1 };
    return 1;
}

enum status access_removal_first(struct turn *turn, struct access_removal *ret_removal, bool *ret_there,
                                 struct error *err)
{
    struct record_filter filter;
    struct record_row *row;
    size_t count;
    int64_t number;
    access_removal_filters(turn->engine, &turn->arena, &filter);
    TRY(list(turn, filter, &row, &count, err));
    *ret_there = count > 0;
    if (!count) return ST_OK;
    const struct json *record = json_decode(row->value, &turn->arena);
    if (!str_to_int64(str_slice(row->key, 1, row->key.n), &number) || number <= TENANT_DEFAULT ||
        number >= TENANT_NOWHERE)
        return fail(err, ST_INTERNAL, "removal", "the record of a removal is damaged");
    *ret_removal = (struct access_removal){ .ns = (int32_t)number,
                                            .name = json_text(record, STR("name")),
                                            .began_ms = json_integer(record, STR("at")) };
    return ST_OK;
}

/* The name may be another tenant's by now: that one has another number. */
static enum status is_still_named(struct turn *turn, const struct access_removal *removal, bool *ret_is,
                                  struct error *err)
{
    struct record_row row;
    struct tenant tenant;
    TRY(found_asked(store_find_record(turn->engine->store, TENANT_ANY, RECORD_TENANT, removal->name,
                                      &turn->arena, &row, err),
                    ret_is));
    if (!*ret_is) return ST_OK;
    const struct json *record = access_rows_decode(ACCESS_TENANT, row.value, &turn->arena);
    *ret_is = record && tenant_read(removal->name, record, &turn->arena, &tenant, NULL) == ST_OK &&
              tenant.number == removal->ns;
    return ST_OK;
}

enum status access_removal_end(struct turn *turn, const struct access_removal *removal, struct error *err)
{
    struct arena *arena = &turn->arena;
    struct gone_rows gone = { .turn = turn };
    bool is_named;
    TRY(is_still_named(turn, removal, &is_named, err));
    add(&gone, TENANT_ANY, RECORD_REMOVAL, usage_removal_key(REMOVAL_RUNS, removal->ns, arena));
    if (is_named) add(&gone, TENANT_ANY, RECORD_TENANT, removal->name);
    const struct record_row done = { .kind = RECORD_REMOVAL,
                                     .key = usage_removal_key(REMOVAL_DONE, removal->ns, arena) };
    struct changeset changeset = { .record_remove = gone.row,
                                   .record_remove_count = gone.count,
                                   .record_put = &done,
                                   .record_put_count = 1 };
    return transact_rows(turn, &changeset, err);
}

/* ---- sessions ---- */

/* The tenant of a session is a name. Later sessions are of another tenant of that name. */
enum status access_removal_sessions(struct turn *turn, const struct access_removal *removal, str after,
                                    size_t max, str *ret_last, struct error *err)
{
    struct gone_rows gone = { .turn = turn };
    struct record_row *row;
    size_t count;
    TRY(list(turn, (struct record_filter){ .kind = RECORD_SESSION, .after = after, .max = max }, &row, &count,
             err));
    for (size_t i = 0; i < count; i++) {
        const struct json *session = access_rows_decode(ACCESS_SESSION, row[i].value, &turn->arena);
        if (!session || !str_equal(json_text(session, STR("tenant")), removal->name) ||
            access_rows_time(session, STR("created")) > removal->began_ms)
            continue;
        str owner = access_rows_owner(session, &turn->arena);
        add(&gone, TENANT_ANY, RECORD_SESSION, row[i].key);
        add(&gone, TENANT_ANY, RECORD_SESSION_OF, access_rows_pair(owner, row[i].key, &turn->arena));
    }
    *ret_last = count == max ? row[count - 1].key : STR_NONE;
    return write(&gone, err);
}

/* ---- keys and grants ---- */

/* The tenant that a grant is in, as far as it is known. */
static enum status tenant_of_grant(struct turn *turn, const struct json *grant, int32_t *ret_ns,
                                   bool *ret_there, struct error *err)
{
    struct record_row row;
    struct tenant tenant;
    str name = json_text(grant, STR("tenant"));
    *ret_ns = str_equal(name, STR("default")) ? TENANT_DEFAULT : TENANT_ANY;
    *ret_there = *ret_ns || str_equal(name, STR("*"));
    if (*ret_there) return ST_OK;
    TRY(found_asked(
        store_find_record(turn->engine->store, TENANT_ANY, RECORD_TENANT, name, &turn->arena, &row, err),
        ret_there));
    const struct json *record =
        *ret_there ? access_rows_decode(ACCESS_TENANT, row.value, &turn->arena) : NULL;
    *ret_there = record && tenant_read(name, record, &turn->arena, &tenant, NULL) == ST_OK;
    if (*ret_there) *ret_ns = tenant.number;
    return ST_OK;
}

/* Grants to a key, in whatever tenant. */
static enum status add_grants_to(struct gone_rows *gone, str key_id, size_t max, size_t *ret_count,
                                 struct error *err)
{
    struct turn *turn = gone->turn;
    struct record_row *row;
    str to = arena_printf(&turn->arena, "key:%.*s", STR_ARG(key_id));
    TRY(list(turn,
             (struct record_filter){
                 .kind = RECORD_GRANT, .prefix = access_rows_prefix(to, &turn->arena), .max = max },
             &row, ret_count, err));
    for (size_t i = 0; i < *ret_count; i++) {
        const struct json *grant = access_rows_decode(ACCESS_GRANT, row[i].value, &turn->arena);
        int32_t ns;
        bool there = false;
        if (grant) TRY(tenant_of_grant(turn, grant, &ns, &there, err));
        if (there) add(gone, ns, RECORD_GRANT_OF, access_rows_second(row[i].key));
        add(gone, TENANT_ANY, RECORD_GRANT, row[i].key);
    }
    return ST_OK;
}

/* A key goes with the last of its grants. */
static enum status add_keys(struct gone_rows *gone, int32_t ns, size_t max, struct error *err)
{
    struct record_row *row;
    size_t count, grants;
    TRY(list(gone->turn, (struct record_filter){ .ns = ns, .kind = RECORD_KEY_OF, .max = max }, &row, &count,
             err));
    for (size_t i = 0; i < count && gone->count < max; i++) {
        TRY(add_grants_to(gone, row[i].key, max, &grants, err));
        if (grants == max) return ST_OK;
        add(gone, TENANT_ANY, RECORD_KEY, row[i].key);
        add(gone, ns, RECORD_KEY_OF, row[i].key);
    }
    return ST_OK;
}

static enum status add_grants(struct gone_rows *gone, int32_t ns, size_t max, struct error *err)
{
    struct record_row *row;
    size_t count;
    TRY(list(gone->turn, (struct record_filter){ .ns = ns, .kind = RECORD_GRANT_OF, .max = max }, &row,
             &count, err));
    for (size_t i = 0; i < count && gone->count < max; i++) {
        add(gone, TENANT_ANY, RECORD_GRANT, access_rows_pair(row[i].value, row[i].key, &gone->turn->arena));
        add(gone, ns, RECORD_GRANT_OF, row[i].key);
    }
    return ST_OK;
}

/* Their keys begin with the number of the tenant. */
static enum status add_trust(struct gone_rows *gone, int32_t ns, size_t max, struct error *err)
{
    static const enum record_kind kinds[] = { RECORD_PROVIDER, RECORD_TRUSTED };
    struct record_row *row;
    size_t count;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        TRY(list(gone->turn,
                 (struct record_filter){
                     .kind = kinds[k], .prefix = access_rows_number_key(ns, &gone->turn->arena), .max = max },
                 &row, &count, err));
        for (size_t i = 0; i < count && gone->count < max; i++) add(gone, TENANT_ANY, kinds[k], row[i].key);
    }
    return ST_OK;
}

enum status access_removal_rows(struct turn *turn, const struct access_removal *removal, size_t max,
                                size_t *ret_count, struct error *err)
{
    struct gone_rows gone = { .turn = turn };
    must(removal->ns > TENANT_DEFAULT && max > 0);
    TRY(add_keys(&gone, removal->ns, max, err));
    if (gone.count < max) TRY(add_grants(&gone, removal->ns, max, err));
    if (gone.count < max) TRY(add_trust(&gone, removal->ns, max, err));
    *ret_count = gone.count;
    return write(&gone, err);
}
