/* runtime/access/changes.c — the changes of one call, staged until all of them were judged.
 *
 * All changes of a call happen together or not at all. So each one only stages the records that it writes,
 * and those behind it see them.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

struct staged {
    struct record_row row;
    bool is_removed;
    bool was_there; /* In the store. */
    struct staged *next;
};

/* ---- records as they are with the changes so far ---- */

static str place_of(struct changes *changes, int32_t ns, enum record_kind kind, str key)
{
    struct buf place;
    buf_init(&place, changes->arena);
    buf_add_varint(&place, (uint64_t)kind);
    buf_add_varint(&place, (uint64_t)ns);
    buf_add_str(&place, key);
    return buf_str(&place);
}

static struct found find_stored(struct changes *changes, int32_t ns, enum record_kind kind, str key,
                                struct record_row *ret_row, struct error *err)
{
    struct found found =
        store_find_record(changes->turn->engine->store, ns, kind, key, changes->arena, ret_row, err);
    if (found_is(found) == NOT_NOW) transact_failed(changes->turn, err);
    return found;
}

struct found changes_find(struct changes *changes, int32_t ns, enum record_kind kind, str key, str *ret_value,
                          struct error *err)
{
    const struct staged *staged = text_map_get(&changes->staged_of, place_of(changes, ns, kind, key));
    struct record_row row;
    if (staged) {
        if (staged->is_removed) return found_of(ST_NOT_FOUND);
        *ret_value = staged->row.value;
        return found_of(ST_OK);
    }
    TRY_FOUND(find_stored(changes, ns, kind, key, &row, err));
    *ret_value = row.value;
    return found_of(ST_OK);
}

static enum status stage(struct changes *changes, struct record_row row, bool is_removed, struct error *err)
{
    str place = place_of(changes, row.ns, row.kind, row.key);
    struct staged *staged = text_map_get(&changes->staged_of, place);
    if (!staged) {
        struct record_row stored;
        bool there;
        TRY(found_asked(find_stored(changes, row.ns, row.kind, row.key, &stored, err), &there));
        staged = arena_make(changes->arena, struct staged);
        staged->was_there = there;
        if (changes->last) changes->last->next = staged;
        else changes->first = staged;
        changes->last = staged;
        text_map_put(&changes->staged_of, place, staged);
    } else if (staged->is_removed) changes->remove_count--;
    else changes->put_count--;
    must(changes->put_count + changes->remove_count < SIZE_MAX && row.ns >= TENANT_ANY);
    staged->row = row;
    staged->is_removed = is_removed;
    if (is_removed) changes->remove_count++;
    else changes->put_count++;
    return ST_OK;
}

/* Keys count against the quota of their tenant. */
static void count_key(struct changes *changes, const struct staged *staged)
{
    int delta = !staged->is_removed - staged->was_there;
    if (staged->row.kind == RECORD_KEY_OF && staged->row.ns > TENANT_ANY && delta)
        usage_add(&changes->turn->engine->memory.usage, staged->row.ns, QUOTA_KEYS, delta);
}

enum status changes_put(struct changes *changes, struct record_row row, struct error *err)
{
    return stage(changes, row, false, err);
}

enum status changes_remove(struct changes *changes, int32_t ns, enum record_kind kind, str key,
                           struct error *err)
{
    return stage(changes, (struct record_row){ .ns = ns, .kind = kind, .key = key }, true, err);
}

/* ---- all with a prefix ---- */

static enum status take_stored(struct changes *changes, const struct record_row *stored,
                               changes_take_fn *take, void *context, bool *stop, struct error *err)
{
    str place = place_of(changes, stored->ns, stored->kind, stored->key);
    const struct staged *staged = text_map_get(&changes->staged_of, place);
    if (staged && staged->is_removed) return ST_OK;
    struct record_row row = staged ? staged->row : *stored;
    return take(context, &row, stop, err);
}

static enum status each_stored(struct changes *changes, struct record_filter filter, changes_take_fn *take,
                               void *context, bool *stop, struct error *err)
{
    struct record_row *row;
    size_t count = ACCESS_ROWS_AT_ONCE;
    filter.max = ACCESS_ROWS_AT_ONCE;
    while (count == ACCESS_ROWS_AT_ONCE && !*stop) {
        if (store_records(changes->turn->engine->store, &filter, changes->arena, &row, &count, err) != ST_OK)
            return transact_failed(changes->turn, err);
        for (size_t i = 0; i < count && !*stop; i++)
            TRY(take_stored(changes, &row[i], take, context, stop, err));
        if (count) filter.after = row[count - 1].key;
    }
    return ST_OK;
}

enum status changes_each(struct changes *changes, int32_t ns, enum record_kind kind, str prefix,
                         changes_take_fn *take, void *context, struct error *err)
{
    const struct record_filter filter = { .ns = ns, .kind = kind, .prefix = prefix };
    bool stop = false;
    TRY(each_stored(changes, filter, take, context, &stop, err));
    for (struct staged *staged = changes->first; staged && !stop; staged = staged->next) {
        struct record_row row = staged->row;
        if (staged->was_there || staged->is_removed || row.ns != ns || row.kind != kind ||
            !str_starts(row.key, prefix))
            continue;
        TRY(take(context, &row, &stop, err));
    }
    return ST_OK;
}

/* ---- for all kinds ---- */

enum status changes_read(struct changes *changes, enum access_kind kind, str name,
                         const struct json **ret_record, bool *ret_there, struct error *err)
{
    str value;
    TRY(found_asked(changes_find(changes, TENANT_ANY, access_rows_kind(kind), name, &value, err), ret_there));
    *ret_record = *ret_there ? access_rows_decode(kind, value, changes->arena) : NULL;
    return ST_OK;
}

enum status changes_check_there(const struct access_change *change, const struct json *old, bool there,
                                struct error *err)
{
    const char *word = access_kind_word(change->kind);
    if (change->action == ACCESS_CREATE && there)
        return fail(err, ST_CONFLICT, "/name", "there is a %s “%.*s” already", word, STR_ARG(change->name));
    if (change->action == ACCESS_CREATE || change->action == ACCESS_PUT) return ST_OK;
    if (!there) return fail(err, ST_NOT_FOUND, "", "there is no %s “%.*s”", word, STR_ARG(change->name));
    if (old || change->action == ACCESS_REMOVE || change->action == ACCESS_END) return ST_OK;
    return fail(err, ST_CONFLICT, "", "the record of the %s “%.*s” is damaged; remove it, or put it anew",
                word, STR_ARG(change->name));
}

enum status changes_make(struct changes *changes, const struct access_change *change, const struct json *old,
                         const struct json **ret_record, struct error *err)
{
    struct arena *arena = changes->arena;
    const struct json *object = change->object ? change->object : json_empty_object();
    TRY(access_record_make(change->kind, change->name, object, old, arena, ret_record, err));
    if (old) return ST_OK;
    *ret_record = access_record_set(*ret_record, "created", json_of_int(arena, changes->turn->now_ms), arena);
    *ret_record = access_record_set(*ret_record, "by", json_of_string(arena, changes->by), arena);
    return ST_OK;
}

void changes_answer(struct changes *changes, const struct access_change *change, str name,
                    const struct json *record, bool is_new, bool is_same)
{
    struct call *call = changes->call;
    struct answer_access *answer = &call->value.access;
    size_t i = (size_t)(change - call->as.access.change);
    must(i < call->as.access.count);
    answer->view[i] = record ? access_record_view(change->kind, name, record, call->arena) : NULL;
    answer->name[i] = arena_str(call->arena, name);
    answer->is_new[i] = is_new;
    answer->is_same[i] = is_same;
}

enum status changes_refuse_action(const struct access_change *change, struct error *err)
{
    return fail(err, ST_INVALID, "", "“%s” is no action for a %s", access_action_word(change->action),
                access_kind_word(change->kind));
}

/* ---- who may ---- */

enum status changes_check_admin(const struct changes *changes, int32_t tenant, struct error *err)
{
    const struct caller *caller = changes->call->caller;
    if (!caller) return ST_OK;
    if (tenant == TENANT_ANY) return caller_check_for(caller, MAY_GLOBAL_ADMIN, STR_NONE, err);
    if (principal_may(caller->principal, tenant, MAY_ACCESS_ADMIN, STR_NONE)) return ST_OK;
    if (principal_knows(caller->principal, tenant))
        return principal_refuse(caller->principal, MAY_ACCESS_ADMIN, STR_NONE, err);
    return fail(err, ST_NOT_FOUND, "/tenant", "there is no tenant of this name");
}

static permission_set permissions_of(const struct json *roles, bool everywhere)
{
    permission_set set = 0;
    enum role role;
    for (size_t i = 0; i < json_count(roles); i++)
        if (role_find(json_string(json_item(roles, i)), &role)) {
            set |= role_permissions(role);
            if (role == ROLE_ADMIN && everywhere) set |= 1u << MAY_GLOBAL_ADMIN;
        }
    return set;
}

/* Scopes narrow the permissions to those that they name. */
static permission_set narrow(permission_set set, const struct json *scopes)
{
    permission_set named = 0;
    size_t count = json_is(scopes, JSON_STRING) ? 1 : json_count(scopes);
    for (size_t i = 0; i < count; i++) {
        const struct json *text = json_is(scopes, JSON_STRING) ? scopes : json_item(scopes, i);
        struct access_scope scope;
        if (scope_parse(json_string(text), &scope, NULL) == ST_OK) named |= 1u << scope.permission;
    }
    return count ? set & named : set;
}

enum status changes_check_given(const struct changes *changes, int32_t tenant, const struct json *roles,
                                const struct json *scopes, struct error *err)
{
    const struct caller *caller = changes->call->caller;
    permission_set given = narrow(permissions_of(roles, tenant == TENANT_ANY), scopes);
    if (!caller) return ST_OK;
    for (size_t i = 0; i < PERMISSION_COUNT; i++) {
        if (!(given & 1u << i) || principal_may_all(caller->principal, tenant, (enum permission)i)) continue;
        return fail(err, ST_FORBIDDEN, "/roles", "nobody gives more than they have: you lack %s yourself",
                    permission_word((enum permission)i));
    }
    return ST_OK;
}

/* ---- the end ---- */

enum status changes_write(struct changes *changes, struct error *err)
{
    struct record_row *put = arena_make_n(changes->arena, struct record_row, changes->put_count);
    struct record_row *removed = arena_make_n(changes->arena, struct record_row, changes->remove_count);
    struct changeset changeset = { .record_put = put, .record_remove = removed };
    for (const struct staged *staged = changes->first; staged; staged = staged->next) {
        count_key(changes, staged);
        if (staged->is_removed) removed[changeset.record_remove_count++] = staged->row;
        else put[changeset.record_put_count++] = staged->row;
    }
    must(changeset.record_put_count == changes->put_count &&
         changeset.record_remove_count == changes->remove_count);
    return transact_rows(changes->turn, &changeset, err);
}
