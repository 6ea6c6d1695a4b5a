/* runtime/access/change_grant.c — grants: a role in a tenant, or in all, for a user, a key or a group.
 *
 * A grant is not changed: somebody removes it and makes another one.
 */
#include "runtime/access/access_int.h"

enum { GRANT_ID_BYTES = 12 };

static enum status remove_rows(struct changes *changes, int32_t tenant, str to, str id, struct error *err)
{
    TRY(changes_remove(changes, TENANT_ANY, RECORD_GRANT, access_rows_pair(to, id, changes->arena), err));
    return changes_remove(changes, tenant, RECORD_GRANT_OF, id, err);
}

/* ---- making one ---- */

/* A key gets roles in its own tenant; admins of all tenants may give it more. */
static enum status check_holder(struct changes *changes, str to, const struct tenant *tenant,
                                struct error *err)
{
    const struct json *key;
    bool there;
    if (!str_starts(to, STR("key:"))) return ST_OK;
    TRY(changes_read(changes, ACCESS_KEY, str_slice(to, 4, to.n), &key, &there, err));
    bool is_own = key && str_equal(json_text(key, STR("tenant")), tenant->name);
    bool is_global = caller_check_for(changes->call->caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) == ST_OK;
    if (is_own || (key && is_global)) return ST_OK;
    return fail(err, ST_INVALID, "/to", "there is no such key in this tenant");
}

static enum status check_record(struct changes *changes, const struct json *record,
                                const struct tenant *tenant, struct error *err)
{
    struct json_builder roles;
    json_builder_init(&roles, changes->arena);
    json_open_array(&roles);
    json_add_string(&roles, json_text(record, STR("role")));
    json_close(&roles);
    TRY(check_holder(changes, json_text(record, STR("to")), tenant, err));
    return changes_check_given(changes, tenant->number, json_built(&roles), json_get(record, STR("scope")),
                               err);
}

static enum status find_tenant(struct changes *changes, const struct access_change *change,
                               struct tenant *ret_tenant, struct error *err)
{
    str name = json_text(change->object, STR("tenant"));
    if (!name.n) TRY(change_tenant_name(changes, changes->call->ns, &name, err));
    TRY(change_tenant_find(changes, name, "/tenant", ret_tenant, err));
    return changes_check_admin(changes, ret_tenant->number, err);
}

/* The key of the record has no tenant, and a file may name any id. So a grant of another tenant to the same
 * holder must not be replaced. The one of this tenant was taken away before. */
static enum status check_id_is_free(struct changes *changes, str to, str id, struct error *err)
{
    str value;
    bool there;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_GRANT, access_rows_pair(to, id, changes->arena),
                                 &value, err),
                    &there));
    return there ? fail(err, ST_CONFLICT, "/id", "the id “%.*s” is taken; use another one", STR_ARG(id))
                 : ST_OK;
}

static enum status write_grant(struct changes *changes, const struct access_change *change, struct error *err)
{
    struct arena *arena = changes->arena;
    struct access_change named = *change;
    const struct json *record, *old = NULL;
    struct tenant tenant;
    str of, value;
    bool there;
    TRY(find_tenant(changes, change, &tenant, err));
    if (!named.name.n) named.name = str_slice(key_random(arena), 0, GRANT_ID_BYTES);
    TRY(access_check_name(ACCESS_GRANT, named.name, err));
    TRY(found_asked(changes_find(changes, tenant.number, RECORD_GRANT_OF, named.name, &of, err), &there));
    TRY(changes_check_there(&named, NULL, there, err));
    if (there) {
        bool is_whole;
        TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_GRANT,
                                     access_rows_pair(of, named.name, arena), &value, err),
                        &is_whole));
        old = is_whole ? access_rows_decode(ACCESS_GRANT, value, arena) : NULL;
        TRY(remove_rows(changes, tenant.number, of, named.name, err));
    }
    TRY(changes_make(changes, &named, old, &record, err));
    record = access_record_set(record, "tenant", json_of_string(arena, tenant.name), arena);
    TRY(check_record(changes, record, &tenant, err));
    bool is_same = old && json_equal(old, record);
    changes_answer(changes, change, named.name, record, !there, is_same);
    changes->advances |= !is_same;
    changes->may_lose_admin |= there && !is_same;
    str to = json_text(record, STR("to"));
    TRY(check_id_is_free(changes, to, named.name, err));
    TRY(changes_put(changes,
                    (struct record_row){ .kind = RECORD_GRANT,
                                         .key = access_rows_pair(to, named.name, arena),
                                         .value = json_encoded(record) },
                    err));
    return changes_put(
        changes,
        (struct record_row){
            .ns = tenant.number, .kind = RECORD_GRANT_OF, .key = named.name, .value = arena_str(arena, to) },
        err);
}

/* ---- removing ---- */

/* In the caller's tenant, or in all of them. The engine itself has no tenant: it looks in both, too. */
static enum status remove_grant(struct changes *changes, const struct access_change *change,
                                struct error *err)
{
    struct tenant named;
    str to;
    bool there;
    if (change->tenant.n) {
        TRY(change_tenant_find(changes, change->tenant, "/tenant", &named, err));
        TRY(changes_check_admin(changes, named.number, err));
    }
    int32_t tenant = change->tenant.n ? named.number : changes->call->ns;
    TRY(found_asked(changes_find(changes, tenant, RECORD_GRANT_OF, change->name, &to, err), &there));
    if (!there) {
        tenant = TENANT_ANY;
        TRY(found_asked(changes_find(changes, tenant, RECORD_GRANT_OF, change->name, &to, err), &there));
        bool may = caller_check_for(changes->call->caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) == ST_OK;
        there &= may;
    }
    if (!there) return fail(err, ST_NOT_FOUND, "", "there is no grant “%.*s”", STR_ARG(change->name));
    TRY(changes_check_admin(changes, tenant, err));
    changes->advances = changes->may_lose_admin = true;
    changes_answer(changes, change, change->name, NULL, false, false);
    return remove_rows(changes, tenant, to, change->name, err);
}

struct removal {
    struct changes *changes;
};

static enum status remove_one(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    struct changes *changes = ((struct removal *)context)->changes;
    const struct json *record = access_rows_decode(ACCESS_GRANT, row->value, changes->arena);
    struct tenant tenant = { .number = TENANT_ANY };
    str id = access_rows_second(row->key);
    (void)ret_stop;
    /* The row of the tenant stays behind if nobody can tell the tenant; it names nothing then. */
    if (record && change_tenant_find(changes, json_text(record, STR("tenant")), "", &tenant, err) == ST_OK)
        TRY(changes_remove(changes, tenant.number, RECORD_GRANT_OF, id, err));
    if (changes->turn->failed != ST_OK) return changes->turn->failed;
    return changes_remove(changes, TENANT_ANY, RECORD_GRANT, row->key, err);
}

enum status change_grant_remove_all(struct changes *changes, str to, struct error *err)
{
    struct removal removal = { changes };
    return changes_each(changes, TENANT_ANY, RECORD_GRANT, access_rows_prefix(to, changes->arena), remove_one,
                        &removal, err);
}

enum status change_grant(struct changes *changes, const struct access_change *change, struct error *err)
{
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_PUT: return write_grant(changes, change, err);
    case ACCESS_REMOVE: return remove_grant(changes, change, err);
    default: return changes_refuse_action(change, err);
    }
}
