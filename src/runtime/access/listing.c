/* runtime/access/listing.c — records as clients see them: one, or a page in the order of their names.
 *
 * A call without a caller is the engine's own and sees everything. A caller sees keys and grants of the
 * tenant in which it acts, users and issuers as an admin of all tenants, tenants in which it has a role, and
 * its own user and sessions.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

struct access_listing {
    struct query *query;
    struct call *call;
    const struct call_access_list *asked;
    size_t max;     /* One more than asked for, which tells whether there are more. */
    bool is_global; /* The caller is an admin of all tenants. */
    int32_t tenant; /* The one that was looked at last. */
    uint64_t told;  /* The directory's count of news about tenants, from before they were read. */
    bool is_late;   /* It has told more since. */
};

static enum status not_found(const struct access_listing *listing, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "", "there is no %s “%.*s”", access_kind_word(listing->asked->kind),
                STR_ARG(listing->asked->name));
}

/* A damaged record is shown by its name alone, so that somebody can repair it. */
static void show(struct access_listing *listing, str name, str value)
{
    struct answer_access_list *answer = &listing->call->value.access_list;
    struct arena *arena = listing->call->arena;
    enum access_kind kind = listing->asked->kind;
    const struct json *record = access_rows_decode(kind, value, arena);
    str shown = kind == ACCESS_SESSION ? str_slice(name, 0, SESSION_ID_BYTES) : name;
    if (!record) {
        struct json_builder builder;
        json_builder_init(&builder, arena);
        json_open_object(&builder);
        bool has_id = kind == ACCESS_KEY || kind == ACCESS_GRANT || kind == ACCESS_SESSION;
        json_add_text(&builder, has_id ? STR("id") : STR("name"), shown);
        json_add_text(&builder, STR("state"), STR("damaged"));
        json_close(&builder);
        answer->view[answer->count] = json_built(&builder);
    } else answer->view[answer->count] = access_record_view(kind, name, record, arena);
    if (answer->ns) answer->ns[answer->count] = listing->tenant;
    answer->name[answer->count++] = shown;
    if (kind == ACCESS_USER && listing->asked->name.n && !listing->call->caller)
        answer->hash = json_text(record, STR("password"));
}

static bool is_full(const struct access_listing *listing)
{
    return listing->call->value.access_list.count == listing->max;
}

static struct found find(struct access_listing *listing, int32_t ns, enum record_kind kind, str key,
                         str *ret_value, struct error *err)
{
    struct record_row row;
    TRY_FOUND(reader_find_record(listing->query->reader, ns, kind, key, listing->call->arena, &row, err));
    *ret_value = row.value;
    return found_of(ST_OK);
}

static enum status scan(struct access_listing *listing, int32_t ns, enum record_kind kind, str prefix,
                        str after, struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    const struct record_filter filter = {
        .ns = ns, .kind = kind, .prefix = prefix, .after = after, .max = ACCESS_ROWS_AT_ONCE
    };
    return reader_records(listing->query->reader, &filter, listing->call->arena, ret_row, ret_count, err);
}

/* ---- users and issuers: all of them ---- */

static enum status list_all(struct access_listing *listing, struct error *err)
{
    str after = listing->asked->after;
    size_t count = ACCESS_ROWS_AT_ONCE;
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, access_rows_kind(listing->asked->kind), STR_NONE, after, &row, &count,
                 err));
        for (size_t i = 0; i < count && !is_full(listing); i++) show(listing, row[i].key, row[i].value);
        if (count) after = row[count - 1].key;
    }
    return ST_OK;
}

static enum status show_one(struct access_listing *listing, struct error *err)
{
    str value;
    bool there;
    TRY(found_asked(
        find(listing, TENANT_ANY, access_rows_kind(listing->asked->kind), listing->asked->name, &value, err),
        &there));
    if (!there) return not_found(listing, err);
    show(listing, listing->asked->name, value);
    return ST_OK;
}

static enum status list_global(struct access_listing *listing, struct error *err)
{
    const struct caller *caller = listing->call->caller;
    str name = listing->asked->name;
    bool is_self = listing->asked->kind == ACCESS_USER && name.n && access_rows_is_user(caller, name);
    if (!is_self) TRY(caller_check_for(caller, MAY_GLOBAL_ADMIN, STR_NONE, err));
    return name.n ? show_one(listing, err) : list_all(listing, err);
}

/* ---- tenants ---- */

static void note_told(struct access_listing *listing)
{
    struct directory *directory = listing->query->directory;
    listing->told = directory ? directory_tenants_told(directory) : 0;
    listing->is_late = false;
}

static void keep_tenant(struct access_listing *listing, const struct tenant *tenant)
{
    struct directory *directory = listing->query->directory;
    listing->is_late = directory && !directory_keep_tenant_read(directory, tenant, listing->told);
}

/* Tenants that the caller does not know do not exist for it. The directory keeps what was read. */
static bool knows_tenant(struct access_listing *listing, str name, str value)
{
    const struct caller *caller = listing->call->caller;
    const struct json *record = access_rows_decode(ACCESS_TENANT, value, listing->call->arena);
    struct tenant tenant;
    bool is_good = record && tenant_read(name, record, listing->call->arena, &tenant, NULL) == ST_OK;
    listing->tenant = is_good ? tenant.number : TENANT_ANY;
    if (is_good) keep_tenant(listing, &tenant);
    return listing->is_global || (is_good && principal_knows(caller->principal, tenant.number));
}

/* `default` is there although nobody may have written its record. */
static str default_value(struct access_listing *listing)
{
    return json_encoded(access_rows_default_tenant(listing->call->arena));
}

static void show_tenant(struct access_listing *listing, str name, str value)
{
    if (!is_full(listing) && knows_tenant(listing, name, value)) show(listing, name, value);
}

static enum status list_tenants(struct access_listing *listing, struct error *err)
{
    str after = listing->asked->after, first = STR("default");
    note_told(listing);
    bool shown_default = str_compare(after, first) >= 0;
    size_t count = ACCESS_ROWS_AT_ONCE;
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, RECORD_TENANT, STR_NONE, after, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            int order = str_compare(row[i].key, first);
            if (!shown_default && order > 0) show_tenant(listing, first, default_value(listing));
            shown_default |= order >= 0;
            show_tenant(listing, row[i].key, row[i].value);
        }
        if (count) after = row[count - 1].key;
    }
    if (!shown_default && count < ACCESS_ROWS_AT_ONCE) show_tenant(listing, first, default_value(listing));
    return ST_OK;
}

/* The gate asks the directory for what was read here. So it is read again if a tenant was changed meanwhile.
 */
static enum status list_tenant(struct access_listing *listing, struct error *err)
{
    str name = listing->asked->name, value;
    bool there, knows;
    do {
        note_told(listing);
        TRY(found_asked(find(listing, TENANT_ANY, RECORD_TENANT, name, &value, err), &there));
        if (!there && str_equal(name, STR("default"))) value = default_value(listing), there = true;
        knows = there && knows_tenant(listing, name, value);
    } while (listing->is_late);
    if (!knows) return not_found(listing, err);
    show(listing, name, value);
    return ST_OK;
}

/* ---- keys and grants: by tenant ---- */

/* The record behind a row of RECORD_KEY_OF or RECORD_GRANT_OF. */
static enum status show_of(struct access_listing *listing, const struct record_row *of, struct error *err)
{
    bool is_key = of->kind == RECORD_KEY_OF, there;
    str key = is_key ? of->key : access_rows_pair(of->value, of->key, listing->call->arena), value;
    TRY(found_asked(find(listing, TENANT_ANY, is_key ? RECORD_KEY : RECORD_GRANT, key, &value, err), &there));
    if (there) show(listing, of->key, value);
    return ST_OK;
}

/* Two lists in order become one. */
static enum status merge(struct access_listing *listing, const struct record_row *a, size_t a_count,
                         const struct record_row *b, size_t b_count, struct error *err)
{
    while ((a_count || b_count) && !is_full(listing)) {
        bool from_a = !b_count || (a_count && str_compare(a->key, b->key) < 0);
        TRY(show_of(listing, from_a ? a : b, err));
        if (from_a) a++, a_count--;
        else b++, b_count--;
    }
    return ST_OK;
}

/* Grants in all tenants are shown to those who may change them. */
static enum status list_of_tenant(struct access_listing *listing, struct error *err)
{
    enum record_kind kind = listing->asked->kind == ACCESS_KEY ? RECORD_KEY_OF : RECORD_GRANT_OF;
    bool with_global = kind == RECORD_GRANT_OF && listing->is_global;
    str after = listing->asked->after;
    struct record_row *row, *global = NULL;
    size_t count, global_count = 0;
    do {
        TRY(scan(listing, listing->call->ns, kind, STR_NONE, after, &row, &count, err));
        if (with_global) TRY(scan(listing, TENANT_ANY, kind, STR_NONE, after, &global, &global_count, err));
        /* Only so far as both lists reach. */
        str end = count == ACCESS_ROWS_AT_ONCE ? row[count - 1].key : STR_NONE;
        if (global_count == ACCESS_ROWS_AT_ONCE &&
            (!end.n || str_compare(global[global_count - 1].key, end) < 0))
            end = global[global_count - 1].key;
        while (end.n && count && str_compare(row[count - 1].key, end) > 0) count--;
        while (end.n && global_count && str_compare(global[global_count - 1].key, end) > 0) global_count--;
        TRY(merge(listing, row, count, global, global_count, err));
        after = end;
    } while (after.n && !is_full(listing));
    return ST_OK;
}

/* Is the record of a tenant that the caller may look at? */
static bool is_visible(struct access_listing *listing, const struct json *record)
{
    struct tenant tenant = { .number = TENANT_DEFAULT };
    str name = json_text(record, STR("tenant"));
    if (!listing->call->caller) return true;
    if (str_equal(name, STR("*"))) return listing->is_global;
    bool is_default = str_equal(name, STR("default"));
    if (!is_default &&
        (!listing->query->directory || !directory_tenant(listing->query->directory, name, &tenant)))
        return false; /* The tenant in which the caller acts is known. */
    return tenant.number == listing->call->ns;
}

static enum status list_grants_to(struct access_listing *listing, struct error *err)
{
    struct arena *arena = listing->call->arena;
    str prefix = access_rows_prefix(listing->asked->of, arena), after = STR_NONE;
    size_t count = ACCESS_ROWS_AT_ONCE;
    if (listing->asked->after.n) after = access_rows_pair(listing->asked->of, listing->asked->after, arena);
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, RECORD_GRANT, prefix, after, &row, &count, err));
        for (size_t i = 0; i < count && !is_full(listing); i++) {
            const struct json *record = access_rows_decode(ACCESS_GRANT, row[i].value, arena);
            if (record && is_visible(listing, record))
                show(listing, access_rows_second(row[i].key), row[i].value);
        }
        if (count) after = row[count - 1].key;
    }
    return ST_OK;
}

static enum status show_one_of_tenant(struct access_listing *listing, struct error *err)
{
    struct record_row row = { .kind = listing->asked->kind == ACCESS_KEY ? RECORD_KEY_OF : RECORD_GRANT_OF,
                              .key = listing->asked->name };
    bool there;
    TRY(found_asked(find(listing, listing->call->ns, row.kind, row.key, &row.value, err), &there));
    if (!there && listing->is_global && row.kind == RECORD_GRANT_OF)
        TRY(found_asked(find(listing, TENANT_ANY, row.kind, row.key, &row.value, err), &there));
    if (there) TRY(show_of(listing, &row, err));
    return listing->call->value.access_list.count ? ST_OK : not_found(listing, err);
}

/* The engine itself asks for keys and grants of all tenants. */
static enum status list_everywhere(struct access_listing *listing, struct error *err)
{
    if (listing->asked->kind == ACCESS_KEY)
        return listing->asked->name.n ? show_one(listing, err) : list_all(listing, err);
    if (listing->asked->name.n) return show_one_of_tenant(listing, err);
    str after = listing->asked->after; /* A whole key, because grants of all are in the order of `to`. */
    size_t count = ACCESS_ROWS_AT_ONCE;
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, RECORD_GRANT, STR_NONE, after, &row, &count, err));
        for (size_t i = 0; i < count && !is_full(listing); i++) {
            show(listing, access_rows_second(row[i].key), row[i].value);
            listing->call->value.access_list.name[listing->call->value.access_list.count - 1] = row[i].key;
        }
        if (count) after = row[count - 1].key;
    }
    return ST_OK;
}

static enum status list_local(struct access_listing *listing, struct error *err)
{
    TRY(caller_check_for(listing->call->caller, MAY_ACCESS_ADMIN, STR_NONE, err));
    if (listing->asked->kind == ACCESS_GRANT && listing->asked->of.n) return list_grants_to(listing, err);
    if (!listing->call->caller) return list_everywhere(listing, err);
    return listing->asked->name.n ? show_one_of_tenant(listing, err) : list_of_tenant(listing, err);
}

/* ---- sessions ---- */

static bool is_own(const struct access_listing *listing, str owner)
{
    return access_rows_is_user(listing->call->caller, owner);
}

static enum status show_session(struct access_listing *listing, struct error *err)
{
    struct record_row *row;
    size_t count;
    str id = listing->asked->name;
    if (id.n != SESSION_ID_BYTES) return not_found(listing, err);
    TRY(scan(listing, TENANT_ANY, RECORD_SESSION, id, STR_NONE, &row, &count, err));
    const struct json *record =
        count ? access_rows_decode(ACCESS_SESSION, row->value, listing->call->arena) : NULL;
    bool may =
        listing->is_global || (record && is_own(listing, access_rows_owner(record, listing->call->arena)));
    if (!count || !may) return not_found(listing, err);
    show(listing, row->key, row->value);
    return ST_OK;
}

static enum status list_sessions(struct access_listing *listing, struct error *err)
{
    struct arena *arena = listing->call->arena;
    str owner = listing->asked->of, prefix = access_rows_prefix(owner, arena), after = STR_NONE;
    size_t count = ACCESS_ROWS_AT_ONCE;
    if (listing->asked->name.n) return show_session(listing, err);
    if (!is_own(listing, owner))
        TRY(caller_check_for(listing->call->caller, MAY_GLOBAL_ADMIN, STR_NONE, err));
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, RECORD_SESSION_OF, prefix, after, &row, &count, err));
        for (size_t i = 0; i < count && !is_full(listing); i++) {
            str hash = access_rows_second(row[i].key), value;
            str id = str_slice(hash, 0, SESSION_ID_BYTES);
            bool there, is_later = str_compare(id, listing->asked->after) > 0;
            TRY(found_asked(find(listing, TENANT_ANY, RECORD_SESSION, hash, &value, err), &there));
            if (there && is_later) show(listing, hash, value);
        }
        if (count) after = row[count - 1].key;
    }
    return ST_OK;
}

/* ---- providers and trusted keys: of one tenant, or for the engine itself of all ---- */

static enum status list_trusts(struct access_listing *listing, struct error *err)
{
    struct arena *arena = listing->call->arena;
    enum record_kind kind = access_rows_kind(listing->asked->kind);
    int32_t tenant = listing->call->ns;
    str name = listing->asked->name, value, prefix, after = STR_NONE;
    size_t count = ACCESS_ROWS_AT_ONCE;
    bool there;
    if (listing->asked->kind == ACCESS_TRUSTED)
        TRY(caller_check_for(listing->call->caller, MAY_ACCESS_ADMIN, STR_NONE, err));
    must(tenant || !listing->call->caller);
    if (name.n) {
        str key = access_rows_of_tenant(tenant, name, arena);
        TRY(found_asked(find(listing, TENANT_ANY, kind, key, &value, err), &there));
        if (!there) return not_found(listing, err);
        show(listing, name, value);
        return ST_OK;
    }
    prefix = tenant ? access_rows_number_key(tenant, arena) : STR_NONE;
    while (count == ACCESS_ROWS_AT_ONCE && !is_full(listing)) {
        struct record_row *row;
        TRY(scan(listing, TENANT_ANY, kind, prefix, after, &row, &count, err));
        for (size_t i = 0; i < count && !is_full(listing); i++)
            show(listing, str_slice(row[i].key, ACCESS_ROWS_NUMBER_BYTES, row[i].key.n), row[i].value);
        if (count) after = row[count - 1].key;
    }
    return ST_OK;
}

/* ---- the call ---- */

enum status listing_call(struct query *query, struct call *call, struct error *err)
{
    struct answer_access_list *answer = &call->value.access_list;
    const struct caller *caller = call->caller;
    size_t max = call->as.access_list.max;
    must(max);
    struct access_listing listing = { .query = query,
                                      .call = call,
                                      .asked = &call->as.access_list,
                                      .max = max + 1,
                                      .is_global = caller_check_for(caller, MAY_GLOBAL_ADMIN, STR_NONE,
                                                                    NULL) == ST_OK };
    *answer = (struct answer_access_list){ .view = arena_make_n(call->arena, const struct json *, max + 1),
                                           .name = arena_make_n(call->arena, str, max + 1) };
    if (listing.asked->with_usage) answer->ns = arena_make_n(call->arena, int32_t, max + 1);
    enum status status = ST_OK;
    switch (listing.asked->kind) {
    case ACCESS_PROVIDER:
    case ACCESS_TRUSTED: status = list_trusts(&listing, err); break;
    case ACCESS_USER:
    case ACCESS_KEY_PAIR:
    case ACCESS_ISSUER: status = list_global(&listing, err); break;
    case ACCESS_TENANT:
        status = listing.asked->name.n ? list_tenant(&listing, err) : list_tenants(&listing, err);
        break;
    case ACCESS_KEY:
    case ACCESS_GRANT: status = list_local(&listing, err); break;
    case ACCESS_SESSION: status = list_sessions(&listing, err); break;
    case ACCESS_KIND_COUNT: must(false);
    }
    answer->more = answer->count > max;
    if (answer->more) answer->count = max;
    return status;
}
