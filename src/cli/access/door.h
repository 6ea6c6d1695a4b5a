/* cli/access/door.h — where access is looked at and changed: at an engine, or in a store that no engine uses.
 *
 * With --store this process opens the store and runs the calls itself, on behalf of the principal `store`:
 * the permissions of the operating system decide, and the audit has a row as for any other. The answers have
 * the form that the API gives them, so the verbs do not care.
 *
 * Functions that return int print every failure themselves, and return the exit code.
 */
#ifndef CLI_ACCESS_DOOR_H
#define CLI_ACCESS_DOOR_H

#include "access/record/file.h"
#include "cli/client/client.h"
#include "runtime/call/access_calls.h"

struct opened_store;

struct door {
    const struct options *options;
    struct arena *arena;
    struct client client;       /* Has the last answer. Without --store it asks the engine. */
    struct opened_store *store; /* With --store; else NULL. */
};

int door_open(struct door *door, const struct options *options);
void door_close(struct door *door);

/* The last answer; NULL if there was nothing in it. */
const struct json *door_answer(const struct door *door);

/* ---- records ---- */

int door_get(struct door *door, enum access_kind kind, str name);
/* {"items": […]}: a page of --limit records. `of` names the principal whose grants they are; empty: all. */
int door_list(struct door *door, enum access_kind kind, str of);
/* An object may have a `password` (user). A new key is in the answer, as `key`. */
int door_create(struct door *door, enum access_kind kind, const struct json *object);
int door_change(struct door *door, enum access_kind kind, str name, const struct json *object);
int door_remove(struct door *door, enum access_kind kind, str name, bool with_everything);
/* The answer has the new `key`. */
int door_rotate(struct door *door, str id);
/* `old` is needed by people who change their own. */
int door_password(struct door *door, str user, str old, str password);

/* ---- all of it ---- */

/* A record as clients see it, in no answer but here. */
struct door_record {
    enum access_kind kind;
    str name; /* Or id. */
    const struct json *view;
};

/* Every record but sessions. */
int door_all(struct door *door, struct door_record **ret_record, size_t *ret_count);
/* Applies a file and removes these records, all or nothing. {"items": [{kind, name, outcome, record}]} in the
 * order of the file, then of the removals; an outcome is added, changed, same or removed. */
int door_apply(struct door *door, const struct json *file, const struct door_record *removed, size_t count,
               bool dry_run);
/* The access file of all records. */
int door_export(struct door *door, bool with_hashes, const struct json **ret_file);

/* ---- the audit ---- */

/* {"items": […], "nextCursor"}: the newest first. */
int door_audit(struct door *door, const struct call_audit_rows *asked);
/* {"checked": N, "broken": TEXT, if a chain is}. */
int door_verify(struct door *door);

#endif
