/* runtime/access/access_int.h — what the files of this room share. */
#ifndef RUNTIME_ACCESS_ACCESS_INT_H
#define RUNTIME_ACCESS_ACCESS_INT_H

#include "access/record/audit_block.h"
#include "base/text_map.h"
#include "runtime/access/access.h"
#include "runtime/engine.h"
#include "runtime/turn.h"

enum {
    ACCESS_ROWS_AT_ONCE = 200,  /* Records that a scan reads at once. */
    AUDIT_BLOCKS_AT_ONCE = 100, /* Blocks of the audit, likewise. */
    SESSION_ID_BYTES = 16,      /* Digits of the hash of a session's cookie that name the session. */
};
#define SESSION_IDLE_MS (INT64_C(12) * 3600 * 1000)
#define KEY_MS (INT64_C(365) * 24 * 3600 * 1000)  /* A key's life, unless its maker says. */
#define OLD_SECRET_MS (INT64_C(24) * 3600 * 1000) /* The old secret of a rotated key counts so long. */

/* ---- access_rows.c: keys and values of records ---- */

enum record_kind access_rows_kind(enum access_kind kind);

/* "to" and an id, as the key of a grant; a user and the hash of a cookie, as the key of RECORD_SESSION_OF. */
str access_rows_pair(str first, str second, struct arena *arena);
/* The part of such a key behind the first one. */
str access_rows_second(str pair);
/* The beginning of all such keys. */
str access_rows_prefix(str first, struct arena *arena);
str access_rows_number_key(int32_t number, struct arena *arena);
/* The key of a provider or a trusted key: the number of its tenant, then its id. */
str access_rows_of_tenant(int32_t number, str id, struct arena *arena);
enum { ACCESS_ROWS_NUMBER_BYTES = 4 };

/* NULL: the record is damaged. */
const struct json *access_rows_decode(enum access_kind kind, str value, struct arena *arena);
/* The time that a member says; 0: none. */
int64_t access_rows_time(const struct json *record, str member);
bool access_rows_hash(const struct json *record, str member, struct credential_hash *ret_hash);
/* The one whose session it is: a user of ours, or ISSUER#USER, which is no name of ours. */
str access_rows_owner(const struct json *session, struct arena *arena);
/* Is the caller the user, named as the owners of sessions are? */
bool access_rows_is_user(const struct caller *caller, str owner);
/* The record of the tenant `default` that nobody has written. */
const struct json *access_rows_default_tenant(struct arena *arena);
uint64_t access_rows_generation(str value);
str access_rows_generation_value(uint64_t generation, struct arena *arena);

/* ---- quotas.c ---- */

void quotas_close(struct engine *engine);

/* ---- resolve.c ---- */

/* Has this user a role in the tenant? */
enum status resolve_knows(struct query *query, str user, int32_t tenant, struct arena *arena, bool *ret_knows,
                          struct error *err);

/* ---- touched.c ---- */

struct touched *touched_new(void);
void touched_free(struct touched *touched);
/* The record was used now. From any thread; NULL is allowed. */
void touched_note(struct touched *touched, enum access_kind kind, str key, const struct json *record,
                  int64_t now_ms);

/* ---- audit_note.c ---- */

void audit_note_close(struct engine *engine);
enum status audit_note_row(struct turn *turn, const struct audit_row *given, struct error *err);
/* The keys of a node's RECORD_AUDIT_HEAD: of its head, and of the mark where retention has come to. */
str audit_note_head_key(int64_t node, struct arena *arena);
str audit_note_mark_key(int64_t node, struct arena *arena);
/* All times from 1970 to 9999 begin with this byte (audit_block_key()). */
#define AUDIT_BLOCK_PREFIX ((str){ "", 1 })

/* ---- changes.c: the changes of one call ---- */

/* A record that the call writes or removes. Nothing of it is in the store before the last change was judged.
 */
struct staged;

struct changes {
    struct turn *turn;
    struct call *call;
    struct arena *arena; /* The turn's. */
    str by;              /* For the member `by`. */
    struct text_map staged_of;
    struct staged *first, *last;
    size_t put_count, remove_count;
    bool advances;       /* Principals have to be resolved again. */
    bool may_lose_admin; /* Somebody may have lost a role. */
    struct access_tenant_news *first_tenant, *last_tenant;
    struct map keys_left; /* How many keys a tenant may still get, by its number, once it was counted. */
    struct ended_session *first_ended; /* Sessions that the call ends. */
};

/* A record as it is with the changes so far. */
MUST_DECIDE struct found changes_find(struct changes *changes, int32_t ns, enum record_kind kind, str key,
                                      str *ret_value, struct error *err);
enum status changes_put(struct changes *changes, struct record_row row, struct error *err);
enum status changes_remove(struct changes *changes, int32_t ns, enum record_kind kind, str key,
                           struct error *err);
/* Calls `take` for each record with the prefix, those that the call has added behind the others. `*ret_stop`
 * ends it. `take` may change the record that it gets. */
typedef enum status changes_take_fn(void *context, const struct record_row *row, bool *ret_stop,
                                    struct error *err);
enum status changes_each(struct changes *changes, int32_t ns, enum record_kind kind, str prefix,
                         changes_take_fn *take, void *context, struct error *err);

/* The record of that name. `*ret_record` is NULL if there is none, and if it is damaged; `*ret_there` tells
 * the two apart. */
enum status changes_read(struct changes *changes, enum access_kind kind, str name,
                         const struct json **ret_record, bool *ret_there, struct error *err);
/* The record that the change makes of the old one (NULL: a new one), with `created` and `by`. */
enum status changes_make(struct changes *changes, const struct access_change *change, const struct json *old,
                         const struct json **ret_record, struct error *err);
/* ST_NOT_FOUND, ST_CONFLICT: is there a record to be changed, or a name to be used? */
enum status changes_check_there(const struct access_change *change, const struct json *old, bool there,
                                struct error *err);
/* Answers with the record; NULL: it is gone. */
void changes_answer(struct changes *changes, const struct access_change *change, str name,
                    const struct json *record, bool is_new, bool is_same);
/* Writes all that is staged, in the turn's transaction. */
enum status changes_write(struct changes *changes, struct error *err);
/* ST_INVALID: records of this kind know no such action. */
enum status changes_refuse_action(const struct access_change *change, struct error *err);

/* ST_FORBIDDEN, ST_NOT_FOUND (the caller does not know the tenant): may the caller change access there?
 * TENANT_ANY asks for an admin of all tenants. */
enum status changes_check_admin(const struct changes *changes, int32_t tenant, struct error *err);
/* ST_FORBIDDEN: the caller would give more than it has. */
enum status changes_check_given(const struct changes *changes, int32_t tenant, const struct json *roles,
                                const struct json *scopes, struct error *err);

/* ---- change_*.c: one kind each ---- */

typedef enum status change_fn(struct changes *changes, const struct access_change *change, struct error *err);
change_fn change_user, change_key, change_grant, change_issuer, change_tenant, change_session, change_trust;

/* Removes all grants of a user or key ("user:ada"). */
enum status change_grant_remove_all(struct changes *changes, str to, struct error *err);
/* Ends all sessions of a user but the one with that id. */
enum status change_session_end_all(struct changes *changes, str user, str but, struct error *err);
/* The tenant of that name, "*" included. ST_INVALID at `where`: there is none. */
enum status change_tenant_find(struct changes *changes, str name, const char *where,
                               struct tenant *ret_tenant, struct error *err);
/* The name of the tenant with that number. */
enum status change_tenant_name(struct changes *changes, int32_t number, str *ret_name, struct error *err);

/* ---- ended_sessions.c ---- */

/* Counts and names the sessions that the call ends, for the directories of all nodes. */
enum status ended_sessions_count(struct changes *changes, struct access_news *news, struct error *err);
/* At the start: nobody knows of older ones. */
enum status ended_sessions_open(struct engine *engine, struct error *err);
/* Tells the directory of those that ended at other nodes. `value`: of the record ENDED_SESSIONS; empty: there
 * is none. */
#define ENDED_SESSIONS STR_INIT("ended")
void ended_sessions_look(struct engine *engine, str value);
/* The transaction has committed. */
void ended_sessions_tell(struct engine *engine, const struct access_news *news);

/* ---- last_admin.c ---- */

/* ST_CONFLICT: after the changes nobody could change access any more. */
enum status last_admin_check(struct changes *changes, struct error *err);

#endif
