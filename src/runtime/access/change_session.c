/* runtime/access/change_session.c — sessions of browsers: begun and ended.
 *
 * A session's record has the hash of its cookie as its key. The first digits of the hash are the id by which
 * its owner ends it: they say nothing about the cookie.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"

static enum status remove_rows(struct changes *changes, str owner, str hash, struct error *err)
{
    struct ended_session *ended = arena_make(changes->arena, struct ended_session);
    *ended = (struct ended_session){ .next = changes->first_ended };
    if (credential_hash_parse(hash, &ended->hash)) changes->first_ended = ended;
    else changes->advances = true; /* A damaged name: everybody is looked up again. */
    TRY(changes_remove(changes, TENANT_ANY, RECORD_SESSION, hash, err));
    return changes_remove(changes, TENANT_ANY, RECORD_SESSION_OF,
                          access_rows_pair(owner, hash, changes->arena), err);
}

/* ---- beginning ---- */

static const struct json *complete(struct changes *changes, const struct access_change *change,
                                   const struct json *record, str hash)
{
    struct arena *arena = changes->arena;
    int64_t now_ms = changes->turn->now_ms;
    str id = str_slice(hash, 0, SESSION_ID_BYTES);
    record = access_record_set(record, "id", json_of_string(arena, id), arena);
    record = access_record_set(record, "lastUsed", json_of_int(arena, now_ms), arena);
    record = access_record_set(record, "expires", json_of_int(arena, now_ms + SESSION_KEPT_MS), arena);
    record = access_record_set(record, "address", json_of_string(arena, change->address), arena);
    return access_record_set(record, "agent", json_of_string(arena, change->agent), arena);
}

/* The user's record says when they last signed in. Others need not resolve anything again. */
static enum status note_login(struct changes *changes, const struct json *session, struct error *err)
{
    str user = json_text(session, STR("user"));
    const struct json *record;
    bool there;
    if (json_text(session, STR("issuer")).n) return ST_OK;
    TRY(changes_read(changes, ACCESS_USER, user, &record, &there, err));
    if (!record || !str_equal(json_text(record, STR("state")), STR("active")))
        return fail(err, ST_CONFLICT, "/user", "there is no such user, or the user is disabled");
    record = access_record_set(record, "lastUsed", json_of_int(changes->arena, changes->turn->now_ms),
                               changes->arena);
    return changes_put(
        changes, (struct record_row){ .kind = RECORD_USER, .key = user, .value = json_encoded(record) }, err);
}

/* Only the engine itself begins sessions, when it has checked a password or a token. */
static enum status begin(struct changes *changes, const struct access_change *change, struct error *err)
{
    const struct json *record;
    str hash = credential_hash_text(&change->hash, changes->arena);
    must(hash.n > SESSION_ID_BYTES);
    if (changes->call->caller)
        return fail(err, ST_FORBIDDEN, "", "sessions begin with a login, and in no other way");
    TRY(changes_make(changes, change, NULL, &record, err));
    record = complete(changes, change, record, hash);
    TRY(note_login(changes, record, err));
    changes_answer(changes, change, hash, record, true, false);
    str owner = access_rows_owner(record, changes->arena), id = json_text(record, STR("id"));
    int64_t at_ms = changes->turn->now_ms;
    TRY(changes_put(changes,
                    (struct record_row){
                        .kind = RECORD_SESSION, .key = hash, .value = json_encoded(record), .at_ms = at_ms },
                    err));
    return changes_put(changes,
                       (struct record_row){ .kind = RECORD_SESSION_OF,
                                            .key = access_rows_pair(owner, hash, changes->arena),
                                            .value = id,
                                            .at_ms = at_ms },
                       err);
}

/* ---- ending ---- */

struct named_session {
    struct changes *changes;
    str hash, owner;
    bool is_found;
};

static enum status note_session(void *context, const struct record_row *row, bool *ret_stop,
                                struct error *err)
{
    struct named_session *named = context;
    const struct json *record = access_rows_decode(ACCESS_SESSION, row->value, named->changes->arena);
    (void)err;
    *ret_stop = named->is_found = true;
    named->hash = row->key;
    named->owner = record ? access_rows_owner(record, named->changes->arena) : STR_NONE;
    return ST_OK;
}

static enum status end_one(struct changes *changes, const struct access_change *change, struct error *err)
{
    struct named_session named = { .changes = changes };
    const struct caller *caller = changes->call->caller;
    if (change->name.n == SESSION_ID_BYTES)
        TRY(changes_each(changes, TENANT_ANY, RECORD_SESSION, change->name, note_session, &named, err));
    bool may = access_rows_is_user(caller, named.owner) ||
               caller_check_for(caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) == ST_OK;
    if (!named.is_found || !may)
        return fail(err, ST_NOT_FOUND, "", "there is no session “%.*s”", STR_ARG(change->name));
    changes_answer(changes, change, change->name, NULL, false, false);
    return remove_rows(changes, named.owner, named.hash, err);
}

struct ending {
    struct changes *changes;
    str owner, but;
};

static enum status end_each(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    struct ending *ending = context;
    (void)ret_stop;
    if (ending->but.n && str_equal(row->value, ending->but)) return ST_OK;
    return remove_rows(ending->changes, ending->owner, access_rows_second(row->key), err);
}

enum status change_session_end_all(struct changes *changes, str user, str but, struct error *err)
{
    struct ending ending = { changes, user, but };
    return changes_each(changes, TENANT_ANY, RECORD_SESSION_OF, access_rows_prefix(user, changes->arena),
                        end_each, &ending, err);
}

enum status change_session(struct changes *changes, const struct access_change *change, struct error *err)
{
    switch (change->action) {
    case ACCESS_CREATE: return begin(changes, change, err);
    case ACCESS_REMOVE:
    case ACCESS_END: return end_one(changes, change, err);
    default: return changes_refuse_action(change, err);
    }
}
