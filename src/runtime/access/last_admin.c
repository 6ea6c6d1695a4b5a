/* runtime/access/last_admin.c — somebody must be able to change access.
 *
 * While a credential is asked for and there is no root secret, one user or key at least is an admin of all
 * tenants. A change that takes this from the last of them is refused, and so is a first user who is no admin:
 * from then on a credential is asked for, and the caller without one would be out. Without this rule only
 * somebody with the store's files could get in again.
 */
#include "runtime/access/access_int.h"

struct admin_search {
    struct changes *changes;
    bool has_issuers;
    bool found;
    str group; /* While users are searched. */
};

static enum status note_any(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    (void)row, (void)err;
    *(bool *)context = *ret_stop = true;
    return ST_OK;
}

static bool is_active(const struct json *record)
{
    return record && str_equal(json_text(record, STR("state")), STR("active"));
}

static enum status note_member(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    struct admin_search *search = context;
    const struct json *user = access_rows_decode(ACCESS_USER, row->value, search->changes->arena);
    const struct json *groups = json_get(user, STR("groups"));
    (void)err;
    for (size_t i = 0; is_active(user) && i < json_count(groups); i++)
        search->found |= str_equal(json_string(json_item(groups, i)), search->group);
    *ret_stop = search->found;
    return ST_OK;
}

/* Is there somebody behind the name? Tokens of an issuer may bring any group and any user. */
static enum status find_holder(struct admin_search *search, str to, struct error *err)
{
    struct changes *changes = search->changes;
    const struct json *record;
    bool there, is_key = str_starts(to, STR("key:")), is_user = str_starts(to, STR("user:"));
    if (is_key || is_user) {
        str name = str_slice(to, is_key ? 4 : 5, to.n);
        TRY(changes_read(changes, is_key ? ACCESS_KEY : ACCESS_USER, name, &record, &there, err));
        int64_t expires_ms = is_key ? access_rows_time(record, STR("expiresAt")) : 0;
        search->found |= is_active(record) && (!expires_ms || expires_ms > changes->turn->now_ms);
        search->found |= is_user && !there && search->has_issuers;
        return ST_OK;
    }
    search->group = str_slice(to, 6, to.n);
    search->found |= search->has_issuers;
    if (search->found) return ST_OK;
    return changes_each(changes, TENANT_ANY, RECORD_USER, STR_NONE, note_member, search, err);
}

static enum status note_grant(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    struct admin_search *search = context;
    struct changes *changes = search->changes;
    str value;
    bool there;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_GRANT,
                                 access_rows_pair(row->value, row->key, changes->arena), &value, err),
                    &there));
    const struct json *grant = there ? access_rows_decode(ACCESS_GRANT, value, changes->arena) : NULL;
    if (grant && str_equal(json_text(grant, STR("role")), STR("admin")) && !json_get(grant, STR("scope")))
        TRY(find_holder(search, row->value, err));
    *ret_stop = search->found;
    return ST_OK;
}

static enum status find_admin(struct changes *changes, bool *ret_found, bool *ret_closed, struct error *err)
{
    struct admin_search search = { .changes = changes };
    bool has_users = false;
    TRY(changes_each(changes, TENANT_ANY, RECORD_USER, STR_NONE, note_any, &has_users, err));
    TRY(changes_each(changes, TENANT_ANY, RECORD_ISSUER, STR_NONE, note_any, &search.has_issuers, err));
    TRY(changes_each(changes, TENANT_ANY, RECORD_GRANT_OF, STR_NONE, note_grant, &search, err));
    *ret_found = search.found;
    *ret_closed = has_users || search.has_issuers;
    return ST_OK;
}

enum status last_admin_check(struct changes *changes, struct error *err)
{
    const struct directory *directory = changes->turn->engine->access.directory;
    bool found, is_closed;
    if (directory && directory_has_root(directory)) return ST_OK;
    TRY(find_admin(changes, &found, &is_closed, err));
    if (found || !is_closed) return ST_OK;
    /* If the role had no holder before, the change takes it from no one but a caller without a credential. */
    bool was_closed;
    struct changes before = { .turn = changes->turn, .call = changes->call, .arena = changes->arena };
    text_map_init(&before.staged_of);
    enum status status = find_admin(&before, &found, &was_closed, err);
    text_map_done(&before.staged_of);
    if (status != ST_OK) return status;
    const struct caller *caller = changes->call->caller;
    if (!was_closed && caller && caller->principal->kind == PRINCIPAL_NOBODY)
        return fail_code(err, ST_CONFLICT, "LAST_ADMIN",
                         "the first user must be an admin (--role admin): from then on the engine asks for a "
                         "credential, and nobody could change access any more");
    if (!found) return ST_OK;
    return fail_code(
        err, ST_CONFLICT, "LAST_ADMIN",
        "nobody would be an admin of all tenants any more; give somebody else the role first, or "
        "start the engine with --auth-token-file");
}
