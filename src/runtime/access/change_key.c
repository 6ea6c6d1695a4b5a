/* runtime/access/change_key.c — keys of programs: made, changed, rotated, revoked, removed.
 *
 * A key belongs to one tenant for its whole life, and admins of that tenant change it. For others it is not
 * there. The store has the hash of its secret only.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

/* ---- the tenant ---- */

/* The tenant of the record, of the client's object, or of the caller. */
static enum status find_tenant(struct changes *changes, const struct access_change *change,
                               const struct json *old, struct tenant *ret_tenant, struct error *err)
{
    str name = json_text(old ? old : change->object, STR("tenant"));
    if (!name.n) TRY(change_tenant_name(changes, changes->call->ns, &name, err));
    return change_tenant_find(changes, name, "/tenant", ret_tenant, err);
}

/* A key of another tenant than the one in which the caller acts does not exist for the caller. To put one
 * there, the caller has to be an admin there. */
static enum status check_caller(struct changes *changes, const struct access_change *change,
                                const struct json *old, const struct tenant *tenant, struct error *err)
{
    const struct caller *caller = changes->call->caller;
    bool elsewhere =
        caller && tenant->number != changes->call->ns &&
        (!str_equal(change->tenant, tenant->name) || !principal_knows(caller->principal, tenant->number));
    if (old && elsewhere && change->action != ACCESS_PUT)
        return fail(err, ST_NOT_FOUND, "", "there is no key “%.*s”", STR_ARG(change->name));
    return changes_check_admin(changes, tenant->number, err);
}

/* Keys that there may still be. */
static enum status count_one(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    (void)row, (void)err;
    *ret_stop = --*(int64_t *)context == 0;
    return ST_OK;
}

/* Exact at every node, because it looks at the rows; it looks at no more of them than there may be. A call
 * with many keys looks once. */
static enum status find_left(struct changes *changes, const struct tenant *tenant, int64_t **ret_left,
                             struct error *err)
{
    *ret_left = map_get(&changes->keys_left, (uint64_t)tenant->number);
    if (*ret_left) return ST_OK;
    int64_t *left = arena_make(changes->arena, int64_t);
    *left = tenant->quota[QUOTA_KEYS];
    TRY(changes_each(changes, tenant->number, RECORD_KEY_OF, STR_NONE, count_one, left, err));
    map_put(&changes->keys_left, (uint64_t)tenant->number, left);
    *ret_left = left;
    return ST_OK;
}

static enum status check_quota(struct changes *changes, const struct tenant *tenant, struct error *err)
{
    int64_t most = tenant->quota[QUOTA_KEYS], *left;
    if (!most) return ST_OK;
    TRY(find_left(changes, tenant, &left, err));
    if ((*left)-- > 0) return ST_OK;
    return usage_refuse(arena_printf(changes->arena, "%.*s", STR_ARG(tenant->name)).p, QUOTA_KEYS, most, err);
}

/* ---- the record ---- */

static enum status put_key(struct changes *changes, str id, const struct json *record, struct error *err)
{
    return changes_put(
        changes, (struct record_row){ .kind = RECORD_KEY, .key = id, .value = json_encoded(record) }, err);
}

static bool has_hash(const struct access_change *change)
{
    static const struct credential_hash none;
    return !credential_hash_equal(&change->hash, &none);
}

static const struct json *set_hash(struct changes *changes, const struct json *record,
                                   const struct credential_hash *hash)
{
    str text = credential_hash_text(hash, changes->arena);
    return access_record_set(record, "hash", json_of_string(changes->arena, text), changes->arena);
}

/* Is it the hash of the secret that the key has now? */
static bool is_hash_of(struct changes *changes, const struct json *record, const struct credential_hash *hash)
{
    return str_equal(json_text(record, STR("hash")), credential_hash_text(hash, changes->arena));
}

/* All secrets before this one end at once. No time says so, because a clock may be behind. */
static const struct json *set_secret(struct changes *changes, const struct json *record,
                                     const struct credential_hash *hash)
{
    struct arena *arena = changes->arena;
    if (is_hash_of(changes, record, hash)) return record;
    record = set_hash(changes, record, hash);
    record = json_without(arena, record, STR("oldHash"));
    return json_without(arena, record, STR("oldUntil"));
}

static const struct json *set_time(struct changes *changes, const struct json *record, const char *member,
                                   int64_t ms)
{
    return access_record_set(record, member, json_of_int(changes->arena, ms), changes->arena);
}

/* A key without an expiry lives for a year; null means for ever. */
static const struct json *complete(struct changes *changes, const struct access_change *change,
                                   const struct tenant *tenant, const struct json *record, bool is_new)
{
    record =
        access_record_set(record, "tenant", json_of_string(changes->arena, tenant->name), changes->arena);
    int64_t expires_ms = access_rows_time(record, STR("expiresAt"));
    if (is_new && !json_get(change->object, STR("expiresAt"))) expires_ms = changes->turn->now_ms + KEY_MS;
    if (expires_ms) record = set_time(changes, record, "expiresAt", expires_ms); /* In our form. */
    return has_hash(change) ? set_secret(changes, record, &change->hash) : record;
}

static enum status check_record(struct changes *changes, const struct access_change *change,
                                const struct tenant *tenant, const struct json *old,
                                const struct json *record, struct error *err)
{
    bool was_active = !old || str_equal(json_text(old, STR("state")), STR("active"));
    bool is_active = str_equal(json_text(record, STR("state")), STR("active"));
    if (!was_active && is_active && change->action != ACCESS_PUT)
        return fail(err, ST_CONFLICT, "/state", "a revoked key stays revoked; make another one");
    if (!json_get(record, STR("hash")))
        return fail(err, ST_INVALID, "/hash", "a key needs the hash of its secret");
    return changes_check_given(changes, tenant->number, json_get(record, STR("roles")),
                               json_get(record, STR("scopes")), err);
}

static enum status write_key(struct changes *changes, const struct access_change *change,
                             const struct tenant *tenant, const struct json *old, bool is_new,
                             struct error *err)
{
    const struct json *record;
    TRY(changes_make(changes, change, old, &record, err));
    record = complete(changes, change, tenant, record, is_new);
    TRY(check_record(changes, change, tenant, old, record, err));
    bool is_same = old && json_equal(old, record);
    changes_answer(changes, change, change->name, record, is_new, is_same);
    if (is_same) return ST_OK;
    if (is_new) TRY(check_quota(changes, tenant, err));
    /* A secret that was made a moment ago cannot have been tried before. */
    changes->advances |= change->action != ACCESS_CREATE;
    changes->may_lose_admin |= !is_new;
    TRY(changes_put(changes,
                    (struct record_row){ .ns = tenant->number, .kind = RECORD_KEY_OF, .key = change->name },
                    err));
    return put_key(changes, change->name, record, err);
}

static enum status remove_key(struct changes *changes, const struct access_change *change,
                              const struct tenant *tenant, struct error *err)
{
    changes->advances = changes->may_lose_admin = true;
    map_take(&changes->keys_left, (uint64_t)tenant->number); /* There is room for one more: count again. */
    TRY(changes_remove(changes, TENANT_ANY, RECORD_KEY, change->name, err));
    TRY(changes_remove(changes, tenant->number, RECORD_KEY_OF, change->name, err));
    TRY(change_grant_remove_all(changes, arena_printf(changes->arena, "key:%.*s", STR_ARG(change->name)),
                                err));
    changes_answer(changes, change, change->name, NULL, false, false);
    return ST_OK;
}

static const struct json *keep_old(struct changes *changes, const struct json *record,
                                   const struct json *old_hash)
{
    record = access_record_set(record, "oldHash", old_hash, changes->arena);
    return set_time(changes, record, "oldUntil", changes->turn->now_ms + OLD_SECRET_MS);
}

/* The same secret once more is no change: the one before it keeps its time. */
static enum status rotate_key(struct changes *changes, const struct access_change *change,
                              const struct json *old, struct error *err)
{
    if (!str_equal(json_text(old, STR("state")), STR("active")))
        return fail(err, ST_CONFLICT, "/state", "a revoked key stays revoked; make another one");
    must(has_hash(change));
    bool ends = change->action == ACCESS_RESET, is_same = is_hash_of(changes, old, &change->hash);
    const struct json *record = set_secret(changes, old, &change->hash);
    if (!ends && !is_same) record = keep_old(changes, record, json_get(old, STR("hash")));
    changes_answer(changes, change, change->name, record, false, is_same);
    if (is_same) return ST_OK;
    changes->advances = true;
    return put_key(changes, change->name, record, err);
}

/* A damaged record says nothing of its tenant, but the row of one does. */
static enum status find_tenant_of_damaged(struct changes *changes, const struct access_change *change,
                                          struct tenant *ret_tenant, struct error *err)
{
    str value, name;
    bool there;
    TRY(found_asked(changes_find(changes, changes->call->ns, RECORD_KEY_OF, change->name, &value, err),
                    &there));
    if (!there && changes->call->caller)
        return fail(err, ST_NOT_FOUND, "", "there is no key “%.*s”", STR_ARG(change->name));
    TRY(change_tenant_name(changes, changes->call->ns, &name, err));
    return change_tenant_find(changes, name, "/tenant", ret_tenant, err);
}

static enum status change_one(struct changes *changes, const struct access_change *change, struct error *err)
{
    const struct json *old;
    struct tenant tenant;
    bool there;
    TRY(access_check_name(ACCESS_KEY, change->name, err));
    TRY(changes_read(changes, ACCESS_KEY, change->name, &old, &there, err));
    if (there && !old) TRY(find_tenant_of_damaged(changes, change, &tenant, err));
    else TRY(find_tenant(changes, change, old, &tenant, err));
    TRY(check_caller(changes, change, old, &tenant, err));
    TRY(changes_check_there(change, old, there, err));
    if (change->is_client && !json_is(json_get(old, STR("client")), JSON_OBJECT))
        return fail(err, ST_NOT_FOUND, "", "there is no client “%.*s”", STR_ARG(change->name));
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_CHANGE:
    case ACCESS_PUT: return write_key(changes, change, &tenant, old, !there, err);
    case ACCESS_REMOVE: return remove_key(changes, change, &tenant, err);
    case ACCESS_RESET:
    case ACCESS_ROTATE: return rotate_key(changes, change, old, err);
    default: return changes_refuse_action(change, err);
    }
}

/* Clients of cyoda know a word of their own for a client that is not there. */
enum status change_key(struct changes *changes, const struct access_change *change, struct error *err)
{
    enum status status = change_one(changes, change, err);
    if (status == ST_NOT_FOUND && change->is_client) err->code = "M2M_CLIENT_NOT_FOUND";
    return status;
}
