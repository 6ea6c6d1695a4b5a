/* runtime/access/change_user.c — users: made, changed, removed with all that is theirs. */
#include "runtime/access/access_int.h"

static enum status put_user(struct changes *changes, str name, const struct json *record, struct error *err)
{
    return changes_put(
        changes, (struct record_row){ .kind = RECORD_USER, .key = name, .value = json_encoded(record) }, err);
}

static enum status write_user(struct changes *changes, const struct access_change *change,
                              const struct json *old, bool is_new, struct error *err)
{
    const struct json *record;
    TRY(changes_make(changes, change, old, &record, err));
    if (change->secret.n)
        record = access_record_set(record, "password", json_of_string(changes->arena, change->secret),
                                   changes->arena);
    bool is_same = old && json_equal(old, record);
    changes_answer(changes, change, change->name, record, is_new, is_same);
    if (is_same) return ST_OK;
    changes->advances = changes->may_lose_admin = true;
    /* Sessions do not come back when somebody is let in again. */
    if (!str_equal(json_text(record, STR("state")), STR("active")))
        TRY(change_session_end_all(changes, change->name, STR_NONE, err));
    return put_user(changes, change->name, record, err);
}

static enum status remove_user(struct changes *changes, const struct access_change *change, struct error *err)
{
    str to = arena_printf(changes->arena, "user:%.*s", STR_ARG(change->name));
    changes->advances = changes->may_lose_admin = true;
    TRY(changes_remove(changes, TENANT_ANY, RECORD_USER, change->name, err));
    TRY(change_grant_remove_all(changes, to, err));
    TRY(change_session_end_all(changes, change->name, STR_NONE, err));
    changes_answer(changes, change, change->name, NULL, false, false);
    return ST_OK;
}

static enum status set_password(struct changes *changes, const struct access_change *change,
                                const struct json *old, struct error *err)
{
    if (!change->secret.n) return fail(err, ST_INVALID, "/password", "a new password is needed");
    const struct json *record =
        access_record_set(old, "password", json_of_string(changes->arena, change->secret), changes->arena);
    changes->advances = true;
    TRY(change_session_end_all(changes, change->name, change->keep_session, err));
    changes_answer(changes, change, change->name, record, false, false);
    return put_user(changes, change->name, record, err);
}

static enum status refuse_any(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    (void)context, (void)row, (void)ret_stop;
    return fail(err, ST_CONFLICT, "", "somebody else has made the first user meanwhile");
}

/* People change their own password and end their own sessions. */
static enum status check_caller(const struct changes *changes, const struct access_change *change,
                                struct error *err)
{
    bool is_own = access_rows_is_user(changes->call->caller, change->name);
    bool may_self = change->action == ACCESS_PASSWORD || change->action == ACCESS_END;
    return may_self && is_own ? ST_OK : changes_check_admin(changes, TENANT_ANY, err);
}

enum status change_user(struct changes *changes, const struct access_change *change, struct error *err)
{
    const struct json *old;
    bool there;
    TRY(check_caller(changes, change, err));
    if (change->action == ACCESS_END) { /* Also for people of an issuer, who have no record. */
        changes_answer(changes, change, change->name, NULL, false, false);
        return change_session_end_all(changes, change->name, change->keep_session, err);
    }
    TRY(access_check_name(ACCESS_USER, change->name, err));
    TRY(changes_read(changes, ACCESS_USER, change->name, &old, &there, err));
    TRY(changes_check_there(change, old, there, err));
    if (change->is_first)
        TRY(changes_each(changes, TENANT_ANY, RECORD_USER, STR_NONE, refuse_any, NULL, err));
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_CHANGE:
    case ACCESS_PUT: return write_user(changes, change, old, !there, err);
    case ACCESS_REMOVE: return remove_user(changes, change, err);
    case ACCESS_PASSWORD: return set_password(changes, change, old, err);
    default: return changes_refuse_action(change, err);
    }
}
