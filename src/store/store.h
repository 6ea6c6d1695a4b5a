/* store/store.h — rows and transactions.
 *
 * A store keeps definitions, instances with their histories, and the index rows by which they are found. It
 * has one writer, which one thread at a time uses: begin, read and apply any number of times, then commit or
 * roll back. Other threads use readers (store_reader), one for each thread.
 *
 * A back end guarantees the following (store_int.h has the table of functions that it provides;
 * tests/unit/store/scenarios.h holds the named scenarios that every back end passes):
 *
 *  (1) A transaction happens whole or not at all. When store_commit() has returned ST_OK, it survives a crash
 *      of the process and a power cut (the memory store aside).
 *  (2) The writer reads what it has applied itself. A query of a reader sees everything that was committed
 *      before the query began, nothing that is not committed, and never blocks the writer.
 *  (3) A failure with ST_FULL, ST_STORE or ST_AGAIN in a transaction, also of a read, leaves the rollback.
 *  (4) A commit that fails has not happened, unless the store is broken then (store_broken()): it may have
 *      happened, and only closing and opening the store again tells what it holds. The runtime does so by
 *      stopping the process.
 *  (5) The history of an instance is a chain: each row points to the one before it and counts one revision
 *      more, and the instance's row points to the newest.
 *  (6) Numbers of unmatched events and bulks ascend and never come back, because clients use them as cursors.
 *
 * Rows are lean. An open job is part of its instance's state blob, and a worker's claim is not stored at all.
 * Only what must be found without knowing the instance has a row of its own: timers, people's tasks, pending
 * starts, subscriptions, failures, business keys of live instances.
 *
 * Memory: the store only reads strings and blobs during the call that passes them. Rows that it returns live
 * in the caller's arena.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/found.h"
#include "base/tenant.h"
#include "core/core.h"
#include "store/record_kind.h"
#include "store/unmatched.h"

struct job_row;
struct store;
struct store_reader;

enum { NAMESPACE_DEFAULT = TENANT_DEFAULT };

/* ---- rows ---- */

struct definition_row {
    int64_t number; /* The version's own key. The caller counts it, from store_next_numbers() on. */
    int32_t ns;
    str id; /* The author's name for it. */
    int32_t version;
    int64_t rank; /* The latest version of an id has the highest rank, and among equals the highest number. */
    int32_t priority; /* The priority of its jobs: program->priority. */
    str dialect;
    str title;
    str source;       /* The document as it was sent. */
    uint64_t content; /* hash_bytes of its canonical form without "version". */
    int64_t created_ms;
    str author;         /* The person who published it; empty: unknown. */
    str revision;       /* Where it comes from, as its publisher says: a commit of Git; empty: unknown. */
    int32_t restores;   /* The older version whose content it has again; 0: none. */
    int64_t retired_ms; /* The latest's: since then nothing of the definition starts; 0: it is in use. */
    bool is_leaving;    /* The latest's, and it is retired: the definition is being deleted. */
};

struct instance_row {
    uint64_t id;
    int32_t ns;
    int64_t definition;
    str definition_id;           /* Only read: joined from the definition. */
    int32_t definition_version;  /* Only read. */
    int32_t definition_priority; /* Only read. */
    enum instance_status status;
    bool has_jobs;     /* Recovery looks at instances with open jobs, ended ones too. */
    bool is_transient; /* Only written: see store_layer(). */
    int64_t created_ms;
    int64_t ended_ms;     /* 0: lives, or something of it still goes on. */
    str business_key;     /* Empty: none. */
    int64_t last_history; /* Row id of its newest history row. */
    int64_t holder;       /* The node that holds jobs of it (nodes.h); 0: none. */
    uint32_t revision;    /* How many commands it has taken; only used in a changeset's `before`. */
    str state;            /* core_encode() */
};

struct timer_row {
    int64_t due_ms;
    uint64_t instance;
    uint32_t number;
    int32_t priority; /* From the definition, as the tenant: stores that have definitions look them up. */
    int32_t ns;
};

/* A person's open task, for lists. */
struct task_row {
    uint64_t instance;
    uint32_t execution;
    int32_t ns;
    int64_t definition;
    int64_t created_ms;
    str node;
    str title;
    str label;
    str details;                 /* json_encoded() details of the task (core/task.h); empty: none. */
    str definition_id;           /* Only read. */
    int32_t definition_version;  /* Only read. */
    int64_t instance_created_ms; /* Only read: the instance's public id needs it. */
    str business_key;            /* Only read. */
};

/* A start by an instance that ended, which waits for its definition or for room. It outlives its parent. */
struct pending_row {
    uint64_t parent;
    uint32_t number; /* The CHAIN entry's. */
    int32_t ns;
    str target; /* Definition id. */
    str business_key;
    int64_t created_ms;
    str data; /* json_encoded() variables; in an array, if the start is one of a test. */
};

/* An instance that takes events, found by its definition's version and its correlation key (empty: it has
 * none yet). One row for each such instance, while it lives. */
struct subscription_row {
    int64_t definition;
    str correlation;
    uint64_t instance;
};

/* A version of a definition that takes events of that source and type. */
struct trigger_row {
    int32_t ns;
    str source, type;
    int64_t definition;
};

/* An instance that another one started: by a job of its own, or at its end. */
struct child_row {
    uint64_t parent;
    uint32_t number; /* The parent's job, or that of the entry CHAIN in its history. */
    uint64_t instance;
    bool awaited;
    bool chained; /* At its end. */
};

/* Why and where an instance failed. One row for each instance that is FAILED, so that failures can be
 * searched and counted by reason without reading a state. */
struct failure_row {
    uint64_t instance;
    int32_t ns;
    int64_t definition;
    int64_t created_ms; /* The instance's. */
    int64_t failed_ms;
    str business_key;
    str step; /* The author's name for the node that failed; empty: no node did. */
    str reason;
    str definition_id;          /* Only read. */
    int32_t definition_version; /* Only read. */
};

/* One command for many instances, done in the background (runtime/bulk/bulk.c). */
struct bulk_row {
    int64_t number; /* Given by apply when it is added; ascending. */
    int32_t ns;
    int32_t action, state; /* The runtime gives them their meaning. */
    int64_t created_ms;
    int64_t ended_ms; /* 0: it goes on. */
    int64_t found;    /* How many instances were selected. */
    int64_t done;     /* How many of these are done: the sum of the following. */
    int64_t succeeded, skipped, refused;
};

/* The long data of a bulk, which its row does not hold. Each kind has parts with numbers of their own. */
enum bulk_part {
    BULK_PART_REQUEST,   /* The request; part 0. */
    BULK_PART_SELECTION, /* The instances, in parts of the same length. */
    BULK_PART_RESULTS, /* The results. A part's number is the place of its first instance in the selection. */
};

struct bulk_part_row {
    int64_t bulk; /* 0 if it is added together with its bulk. */
    enum bulk_part kind;
    int64_t number;
    str blob;
};

/* The answer that was given to a request with an Idempotency-Key. The runtime knows its form. */
struct idempotency_row {
    int32_t ns;
    str key;
    uint64_t request; /* Hash of method, path and body. */
    int64_t created_ms;
    int32_t http_status; /* 0: `answer` is a value. Older rows: the status of an HTTP response… */
    str answer;          /* … and this is its body. */
};

struct record_row {
    int32_t ns;
    enum record_kind kind;
    str key;
    str value;
    int64_t at_ms; /* For store_purge_records(); 0: it is never purged by age. */
};

/* ---- changesets ---- */

/* The rows that one command changes. A transaction holds the changesets of a batch. */
struct changeset {
    const struct instance_row *instance; /* NULL: none. last_history is filled in by apply. */
    bool insert;                         /* A new instance; else it exists and is replaced. */
    const struct instance_row *before;   /* The row as it is now, without the state. NULL: the caller does not
                                            know it, and the store looks. */
    bool row_later; /* With `before`: writes only the history row for now. A later changeset of the
                       transaction brings the instance's row and all its other changes;
                       `last_history` and `revision` of that changeset's `before` are those
                       of the newest history row. */
    str history;    /* history_encode(); appended, linked to the row before. Empty: none. */
    int64_t at_ms;  /* Time of the history row. */
    const struct timer_row *timer_add;
    size_t timer_add_count;
    const struct timer_row *timer_remove;
    size_t timer_remove_count;
    const struct task_row *task_add;
    size_t task_add_count;
    const struct task_row *task_remove; /* Found by instance and execution. */
    size_t task_remove_count;
    const struct pending_row *pending_add;
    const struct pending_row *pending_remove; /* Found by parent and number. */
    const struct idempotency_row *idempotency;
    const struct definition_row *definition;
    const struct definition_row
        *definition_retire; /* Found by number: retired_ms and is_leaving are written. */
    const struct definition_row *definition_remove; /* Found by namespace and id: all its versions go, with
                                                       their counts, the events that they take and the starts
                                                       that wait for the id. It has no instances. */
    const struct trigger_row *trigger_add; /* With `definition`: each pair of source and type once. */
    size_t trigger_add_count;
    const struct subscription_row *subscription_add;
    const struct subscription_row *subscription_remove;
    const struct job_row *job_add; /* In a shared store: jobs that any node may claim (nodes.h). */
    size_t job_add_count;
    const struct job_row *job_remove; /* Found by instance and number; none is fine. */
    size_t job_remove_count;
    const struct child_row *child_add;
    const struct unmatched_row *unmatched_add;
    int64_t unmatched_remove;                 /* Its number; 0: none. */
    const struct failure_row *failure_put;    /* Added or replaced. */
    const struct failure_row *failure_remove; /* Found by definition and instance. */
    const struct bulk_row *bulk_add;          /* Apply gives it a number: ret_bulk. */
    const struct bulk_row *bulk_update;       /* Writes state, end and counts. */
    const struct bulk_part_row *bulk_part_add;
    size_t bulk_part_add_count;
    const struct record_row *record_remove; /* Found by namespace, kind and key; none is fine. */
    size_t record_remove_count;
    const struct record_row *record_put; /* Added or replaced, after the removals. */
    size_t record_put_count;
    bool record_transient;    /* The records are in memory only, with a store_layer(). */
    uint64_t instance_high;   /* No instance gets an id up to this one any more; 0: as before. */
    int64_t ret_bulk;         /* Written by apply: the number of bulk_add. */
    int64_t ret_last_history; /* Written by apply. */
};

/* ---- opening ---- */

struct store_config {
    const char *path;      /* Where the store is. */
    bool create;           /* Create it if it is not there. */
    bool read_only;        /* For tools: the store shows one moment, and an engine may go on writing to it. */
    bool must_not_migrate; /* Fail instead of migrating an older schema. */
    bool alone;            /* For commands: nobody else has a store that could be shared open meanwhile. */
    int64_t migration_wait_ms; /* For others that migrate, or have what is migrated; 0: MIGRATION_WAIT_MS. */
};

/* True if the path is the URI of a database; else it is that of a file. */
bool store_path_is_database(const char *path);

/* Opens a durable store. Only one process at a time has one open to write, unless it is shared.
 * ST_NOT_FOUND: there is none and `create` is not set. ST_INVALID: it is not a Pawl store. ST_CONFLICT:
 * another process writes to it, or its schema is newer than this program ("schema 7 is newer than this
 * program, which knows up to 3"), or older where migration is not allowed. ST_FULL, ST_STORE. */
enum status store_open(const struct store_config *config, struct store **ret_store, struct error *err);
/* Opens a store that lives in memory and is lost with the process. */
enum status store_open_memory(struct store **ret_store, struct error *err);

/* A layer above a store that keeps transient instances (instance_row) and all that hangs on them in memory,
 * without histories. Queries and lists show them among the others. They are gone when the layer is closed,
 * which leaves the store under it open. Nobody else may write to that store meanwhile. A shared store keeps
 * them itself, because any node may be asked for them: it is its own layer. */
struct store *store_layer(struct store *under);
void store_layer_close(struct store *layer);
/* For tools that follow what happens: the layer keeps histories, too. Before its first transaction. */
void store_layer_keep_histories(struct store *store);

/* How much a layer keeps in memory. */
struct transients {
    size_t living; /* Instances that have not ended. */
    size_t bytes;  /* The bytes of the states of all. */
};
struct transients store_transients(const struct store *store);

/* Rolls back an open transaction. Close the readers first. NULL is allowed. */
void store_close(struct store *store);

/* Numbers for new rows that nobody has used or will get: from the first on, and before the end. */
struct store_numbers {
    uint64_t instance, instance_end;
    int64_t definition, definition_end;
    size_t wanted; /* How many instances may be enough; 0: nobody knows. */
};
/* Takes more of the kinds that are used up, as both are at first (zeroes). A store with one writer gives all
 * that there are. New numbers are higher than all that were given before. */
enum status store_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err);

/* ---- transactions ---- */

/* ST_CONFLICT: the store is open to read only. ST_STORE: it is broken, or cannot be read. */
enum status store_begin(struct store *store, struct error *err);
/* Adds a changeset to the transaction. ST_CONFLICT: a row that it adds is there already. ST_NOT_FOUND: the
 * instance that it replaces is not there. A store may find out as late as in the commit. After any failure
 * only a rollback is possible. */
enum status store_apply(struct store *store, struct changeset *changeset, struct error *err);
/* On failure the transaction is still open and must be rolled back; see invariant (4). ST_AGAIN: another node
 * has changed what the transaction rests on. Nothing of it has happened, and it is worth another try. */
enum status store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* True as soon as only opening the store again can tell what it holds. */
bool store_broken(const struct store *store);
bool store_left_open(const struct store *store); /* The process before was killed, or its machine stopped. */

/* ---- queries of the writer, inside or outside a transaction ---- */

/* Reads of one row answer FOUND, NOT_THERE or NOT_NOW (base/found.h). The row of a number is only there for
 * its own tenant, and for TENANT_ANY: numbers are easy to guess. Lists answer a status that no caller may
 * ignore: a page that could not be read has no count. Only ST_OK with a count of 0 is an empty page. */
MUST_DECIDE struct found store_load_instance(struct store *store, int32_t ns, uint64_t id,
                                             struct arena *arena, struct instance_row *ret_row,
                                             struct error *err);
/* In the place of a version's number, which is at least 1. */
enum {
    VERSION_LATEST = 0,    /* The version of the highest rank: see definition_row. */
    VERSION_NEWEST = -1,   /* The version of the highest number, whatever its rank. */
    VERSION_PREVIOUS = -2, /* The version that would be the latest without the latest. */
};
MUST_DECIDE struct found store_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                               struct arena *arena, struct definition_row *ret_row,
                                               struct error *err);
MUST_DECIDE struct found store_load_definition(struct store *store, int64_t number, struct arena *arena,
                                               struct definition_row *ret_row, struct error *err);
/* A version of that id with equal content. */
MUST_DECIDE struct found store_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                            struct arena *arena, struct definition_row *ret_row,
                                            struct error *err);
/* The id of the live instance of that definition (any version) with that business key. */
MUST_DECIDE struct found store_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                                 uint64_t *ret_instance, struct error *err);
/* How many instances of that definition live, in all versions. */
MUST_DECIDE enum status store_count_living(struct store *store, int32_t ns, str definition_id,
                                           int64_t *ret_count, struct error *err);
/* Instances of that definition that have ended, in all versions, at most `max`: their ids and statuses. Some
 * may have jobs open. */
struct ended_instance {
    uint64_t id;
    enum instance_status status;
    bool has_jobs;
};
MUST_DECIDE enum status store_ended(struct store *store, int32_t ns, str definition_id, size_t max,
                                    struct arena *arena, struct ended_instance **ret_instance,
                                    size_t *ret_count, struct error *err);
MUST_DECIDE struct found store_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                                struct idempotency_row *ret_row, struct error *err);

/* Timers in order of (due, instance, number), strictly after `after`, due at or before
 * `until_ms`, at most `max`. */
MUST_DECIDE enum status store_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                                     struct timer_row *ret_row, size_t max, size_t *ret_count,
                                     struct error *err);

/* The ids of instances of a tenant with open jobs (has_jobs, with any status), ascending, strictly after
 * `after`, at most `max` (SIZE_MAX: all of them, at the cost of one pass). */
MUST_DECIDE enum status store_ids_with_jobs(struct store *store, int32_t ns, uint64_t after, size_t max,
                                            struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                            struct error *err);
/* The same with their rows. */
MUST_DECIDE enum status store_instances_with_jobs(struct store *store, uint64_t after, struct arena *arena,
                                                  struct instance_row *ret_row, size_t max, size_t *ret_count,
                                                  struct error *err);

/* Pending starts for a definition id, oldest first (by created_ms, parent, number), strictly after `after`
 * (NULL: from the beginning; no other fields of it are read), at most `max`. */
MUST_DECIDE enum status store_pending(struct store *store, int32_t ns, str target,
                                      const struct pending_row *after, struct arena *arena,
                                      struct pending_row *ret_row, size_t max, size_t *ret_count,
                                      struct error *err);
/* The same for all definitions of all tenants whose latest version has that priority. */
MUST_DECIDE enum status store_pending_ready(struct store *store, int32_t priority,
                                            const struct pending_row *after, struct arena *arena,
                                            struct pending_row *ret_row, size_t max, size_t *ret_count,
                                            struct error *err);

/* Instances that are subscribed with exactly that correlation key, by id, strictly after `after`, at most
 * `max`. */
MUST_DECIDE enum status store_subscribers(struct store *store, int64_t definition, str correlation,
                                          uint64_t after, uint64_t *ret_instance, size_t max,
                                          size_t *ret_count, struct error *err);
/* All subscriptions in order of (definition, correlation, instance), strictly after `after` (NULL: from the
 * first), at most `max`. */
MUST_DECIDE enum status store_subscriptions(struct store *store, const struct subscription_row *after,
                                            struct arena *arena, struct subscription_row *ret_row, size_t max,
                                            size_t *ret_count, struct error *err);
/* The versions of definitions (numbers, ascending, strictly after `after`) that take events of that
 * source and type and are the latest of their id or have subscribers, at most `max`. */
struct triggered {
    int64_t definition;
    bool latest;
};
MUST_DECIDE enum status store_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                                        struct triggered *ret_triggered, size_t max, size_t *ret_count,
                                        struct error *err);
/* The child that a parent's job started. */
MUST_DECIDE struct found store_find_child(struct store *store, uint64_t parent, uint32_t number,
                                          struct child_row *ret_row, struct error *err);

/* The first bulk behind `after` that has not ended, in its state and of its tenant (TENANT_ANY: of any). */
MUST_DECIDE struct found store_running_bulk(struct store *store, const struct bulk_row *after,
                                            struct bulk_row *ret_row, struct error *err);
MUST_DECIDE struct found store_load_bulk(struct store *store, int32_t ns, int64_t number,
                                         struct bulk_row *ret_row, struct error *err);
MUST_DECIDE struct found store_load_bulk_part(struct store *store, int64_t bulk, enum bulk_part kind,
                                              int64_t number, struct arena *arena, str *ret_blob,
                                              struct error *err);
MUST_DECIDE struct found store_find_record(struct store *store, int32_t ns, enum record_kind kind, str key,
                                           struct arena *arena, struct record_row *ret_row,
                                           struct error *err);
/* Records whose keys begin with `prefix`, in byte order, strictly after `after` (empty: from the first) and
 * before `upto` (empty: to the last), at most `max`. To skip a record costs less than to list it, but
 * something. With `down` they come the other way round, from the last; the prefix is not empty then. */
struct record_filter {
    int32_t ns;
    enum record_kind kind;
    str prefix;
    str after;
    str upto;
    size_t max;
    size_t skip; /* The first ones are left out. */
    bool down;
};
MUST_DECIDE enum status store_records(struct store *store, const struct record_filter *filter,
                                      struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                      struct error *err);

/* The first tenant whose number is above `after`, as the records of tenants have them; 0: there is none. The
 * default tenant has no record and is the first. */
enum status store_next_tenant(struct store *store, int32_t after, int32_t *ret_ns, struct error *err);

/* ---- removing old rows, inside a transaction ---- */

/* Removes up to `max` records of the kind that are older than `before_ms`, in all namespaces, oldest first.
 * If `*ret_removed` is `max` there may be more. */
enum status store_purge_records(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                size_t *ret_removed, struct error *err);

/* Retention of bulks that have ended: removes those that ended before `before_ms` and all but the newest
 * `kept_max`, up to `max` rows. If `*ret_removed` is `max` there may be more. */
enum status store_purge_bulks(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                              size_t *ret_removed, struct error *err);

/* The age at which rows are removed. INT64_MIN: none are. */
struct purge {
    int64_t before_ms;        /* Instances that completed or were cancelled before it; unmatched events. */
    int64_t failed_before_ms; /* Instances that failed before it: a retry may still be wanted. */
    int64_t keys_before_ms;   /* Answers kept for idempotency. */
    const uint64_t *instance; /* Instances that are removed whatever their age and status, first of all. Some
                                 may not be there. */
    size_t instance_count;
    size_t history_max; /* Rows of history that are removed together; 0: any number. An instance that has
                           more is removed alone. */
};
struct purged {
    size_t total; /* The sum of the following, up to the keys. */
    size_t instances[INSTANCE_STATUS_COUNT], unmatched;
    size_t keys; /* Also counts rows of bulks. */

    size_t history; /* Rows of history that went with the instances. */
    size_t named;   /* So many of the instances that the caller named, from the first on, are gone. */
    bool more;      /* A limit ended the purge: there may be more. */

    size_t broken_count; /* The instances whose history had a gap: what was behind it is still there. */
    uint64_t broken;     /* One of them. */
};

/* Removes instances with all their rows (also the rows that name their children, but not the children), then
 * unmatched events, then idempotency rows, together up to `max`. */
enum status store_purge(struct store *store, const struct purge *purge, size_t max, struct purged *ret_purged,
                        struct error *err);

/* ---- maintenance: between transactions ---- */

/* True if the store has upkeep to do that takes some milliseconds and for which no caller should wait. The
 * owner of the writer then calls store_maintain() when the answers of its last transaction are out. A store
 * whose upkeep is never called for does it inside a commit when it is overdue. */
bool store_maintenance_due(const struct store *store);
/* Does the upkeep that is due, if any. A failure breaks the store, unless it is ST_FULL. */
enum status store_maintain(struct store *store, struct error *err);

/* The work for which the store has space. A store may keep some space back, so that it can release it in
 * steps when there is no other left; each step restricts the work further. */
enum store_space {
    STORE_SPACE_ENOUGH, /* For any work. */
    STORE_SPACE_SHORT,  /* For work on instances that exist. The caller should refuse new work. */
    STORE_SPACE_OUT,    /* For work that frees space: cancelling and purging. */
};
enum store_space store_space(const struct store *store);

/* Releases one step of the space that is kept back, for a caller that wants to repeat a transaction that
 * failed with ST_FULL and was rolled back. False if nothing is left to release: to repeat it is useless. */
bool store_release_space(struct store *store);

/* Keeps space back again, as far as there is some: for a caller that opens the store to write, and at
 * intervals, after purges. With `shrink`, first returns to the system some of the space that purged rows have
 * left; `*ret_more` then says whether there is more to return. Space is kept back also if that fails, except
 * with ST_FULL: then store_space() is as before, and the caller may release some for the next attempt. */
enum status store_reclaim_space(struct store *store, bool shrink, bool *ret_more, struct error *err);

/* ---- readers ---- */

/* A reader belongs to one thread. It must be closed before the store is. */
enum status store_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err);
void store_reader_close(struct store_reader *reader);

/* From now on the reader breaks off what takes long, with ST_STORE. From any thread, while the reader is
 * open. */
void reader_leave(struct store_reader *reader);

/* Bounds each later answer of the reader to about that many bytes of states, histories or events (0, as at
 * first: no bound). The row that exceeds the bound is still whole. Behind it, instances come without their
 * states; histories and unmatched events end there. */
void reader_bound(struct store_reader *reader, size_t bytes_max);

struct instance_filter {
    int32_t ns;
    str definition_id; /* Empty: any. */
    int32_t status;    /* -1: any. */
    str business_key;  /* Empty: any. */
    uint64_t before;   /* Only ids below; 0: from the newest. A cursor. */
    int64_t skip;      /* For pages by number. */
    size_t max;
};

/* Newest first. `ret_total` (may be NULL) counts all that match, the cursor aside. */
MUST_DECIDE enum status reader_instances(struct store_reader *reader, const struct instance_filter *filter,
                                         struct arena *arena, struct instance_row **ret_row,
                                         size_t *ret_count, int64_t *ret_total, struct error *err);
MUST_DECIDE struct found reader_instance(struct store_reader *reader, int32_t ns, uint64_t id,
                                         struct arena *arena, struct instance_row *ret_row,
                                         struct error *err);

/* The instance's history blobs, oldest first, from revision `after`+1 on, at most `max` (0: all). */
MUST_DECIDE enum status reader_history(struct store_reader *reader, uint64_t instance, uint32_t after,
                                       size_t max, struct arena *arena, str **ret_blob, size_t *ret_count,
                                       struct error *err);

/* A place in the history of an instance. */
struct history_place {
    uint32_t revision; /* 0: there is none. */
    int64_t row;       /* Where the store has it; 0: unknown. A wrong one does no harm: the store looks. */
};

/* The same newest first: those of `upto_ms` or before, from the place `from` on back (revision 0: from the
 * newest), at most `max`. Behind the first one all follow, whatever their time: a clock may be set back. A
 * long chain is walked a part at a time: the list may be short, or empty, and have a `ret_next` all the same.
 */
struct history_filter {
    uint64_t instance;
    struct history_place from;
    int64_t upto_ms;
    size_t max;
};
struct history_row {
    struct history_place place;
    str blob;
};
MUST_DECIDE enum status reader_history_back(struct store_reader *reader, const struct history_filter *filter,
                                            struct arena *arena, struct history_row **ret_row,
                                            size_t *ret_count, struct history_place *ret_next,
                                            struct error *err);

/* One row per id (its latest version), ordered by id; `keyword` is a case-insensitive (ASCII)
 * part of id or title. Sources are left out. */
MUST_DECIDE enum status reader_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                           size_t max, struct arena *arena, struct definition_row **ret_row,
                                           size_t *ret_count, int64_t *ret_total, struct error *err);
/* The same without a keyword, behind the id `after`, at most `max` of them: the cost does not depend on how
 * many there are. */
MUST_DECIDE enum status reader_definitions_after(struct store_reader *reader, int32_t ns, str after,
                                                 size_t max, struct arena *arena,
                                                 struct definition_row **ret_row, size_t *ret_count,
                                                 struct error *err);
/* Is the keyword a part of the id or the title, in any case? The empty one is. */
bool store_definition_matches(const struct definition_row *row, str keyword);
MUST_DECIDE struct found reader_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                           struct arena *arena, struct definition_row *ret_row,
                                           struct error *err);
MUST_DECIDE struct found reader_definition_by_number(struct store_reader *reader, int64_t number,
                                                     struct arena *arena, struct definition_row *ret_row,
                                                     struct error *err);

struct task_filter {
    int32_t ns;
    uint64_t instance;       /* 0: any. */
    str definition_id;       /* Empty: any. */
    str label;               /* Empty: any. */
    uint64_t after_instance; /* The cursor: (instance, execution) strictly after. */
    uint32_t after_execution;
    size_t max;
};

/* A place in a worklist, which lists what is due soonest first. */
struct worklist_place {
    int64_t due_ms; /* WORKLIST_NEVER: the task is not due at any time. */
    uint64_t instance;
    uint32_t execution;
};
#define WORKLIST_NEVER INT64_MAX

/* Open tasks of some people, or those that are due. At least one of the texts or due_before_ms is given. All
 * that is given must hold. */
struct worklist_filter {
    int32_t ns;
    str person;            /* Has the task, or may take it while nobody has it. */
    str assignee;          /* Has the task. */
    str candidate;         /* May take it, by name, and nobody has it. */
    str group;             /* May take it. */
    bool is_free;          /* Nobody has it. */
    int64_t due_before_ms; /* 0: whenever. */
    str definition_id;
    str label;
    struct worklist_place after; /* The cursor: strictly behind; all 0: from the start. */
    size_t max;
};

/* A page in the order of worklist_place. It may be short and have a next one all the same, because only so
 * many tasks are looked at for one page. `ret_next.instance` 0: it is the last page. */
MUST_DECIDE enum status reader_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                        struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                        struct worklist_place *ret_next, struct error *err);

/* One open task of the tenant, by instance and execution. */
MUST_DECIDE struct found reader_task(struct store_reader *reader, int32_t ns, uint64_t instance,
                                     uint32_t execution, struct arena *arena, struct task_row *ret_row,
                                     struct error *err);

/* Open tasks ordered by (instance, execution): oldest instances first. */
MUST_DECIDE enum status reader_tasks(struct store_reader *reader, const struct task_filter *filter,
                                     struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                     int64_t *ret_total, struct error *err);

/* The last `max` instances that an instance started, in order, with the children's own rows (without states).
 * `*ret_total` counts them all. Children that were purged are not listed. */
struct child_listed {
    struct child_row child;
    struct instance_row instance;
};
MUST_DECIDE enum status reader_children(struct store_reader *reader, uint64_t parent, size_t max,
                                        struct arena *arena, struct child_listed **ret_view,
                                        size_t *ret_count, int64_t *ret_total, struct error *err);

/* Selects instances for callers that go through very many of them, a page at a time. */
struct selection_filter {
    int32_t ns;
    str definition_id;        /* Empty: any. */
    int32_t version;          /* 0: any. */
    uint32_t statuses;        /* Bits 1 << status. Only reader_candidates() looks at them. */
    bool with_state;          /* False: states are left out. Only for reader_candidates(). */
    bool newest;              /* The failures of a definition come newest first. */
    int64_t after_definition; /* The cursor: failures come strictly after (after_definition, after), */
    uint64_t after;           /* candidates strictly after `after`. */
    uint64_t upto;            /* Only ids up to this one. */
    size_t max;
};

/* Calls `visit` with every instance of a namespace, newest first, until it fails. Rows are read in pages and
 * live as long as the call. */
typedef enum status reader_visit_fn(void *context, const struct instance_row *row, struct error *err);
MUST_DECIDE enum status reader_each_instance(struct store_reader *reader, int32_t ns, reader_visit_fn *visit,
                                             void *context, struct error *err);

/* Failed instances in order of (definition, instance), or of (definition, newest instance). */
MUST_DECIDE enum status reader_failures(struct store_reader *reader, const struct selection_filter *filter,
                                        struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                        struct error *err);
/* Instances with one of the statuses, oldest first. */
MUST_DECIDE enum status reader_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                          struct arena *arena, struct instance_row **ret_row,
                                          size_t *ret_count, struct error *err);

/* Newest first; `before` 0: from the newest. */
MUST_DECIDE enum status reader_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                     struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                                     struct error *err);
/* Parts of a kind in order of their numbers, from `from` on. */
MUST_DECIDE enum status reader_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                          int64_t from, size_t max, struct arena *arena,
                                          struct bulk_part_row **ret_row, size_t *ret_count,
                                          struct error *err);

MUST_DECIDE struct found reader_find_record(struct store_reader *reader, int32_t ns, enum record_kind kind,
                                            str key, struct arena *arena, struct record_row *ret_row,
                                            struct error *err);
MUST_DECIDE enum status reader_records(struct store_reader *reader, const struct record_filter *filter,
                                       struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                       struct error *err);

/* The same as store_next_tenant(). */
enum status reader_next_tenant(struct store_reader *reader, int32_t after, int32_t *ret_ns,
                               struct error *err);

/* Finds instances for lists of people who look at all of them, whatever their number. */
enum { STORE_PHASES = 2 * INSTANCE_STATUS_COUNT };
static inline uint32_t store_phase(enum instance_status status, bool has_jobs)
{
    return 2 * (uint32_t)status + has_jobs;
}

struct find_filter {
    int32_t ns;
    str definition_id;          /* Empty: any. */
    int32_t version;            /* 0: any. */
    str dialect, other_dialect; /* Only definitions of this one; of any but this one. Empty: any. */
    uint32_t phases;            /* Bits 1 << store_phase(). Only reader_find() looks at this and the next. */
    bool with_tasks;            /* Instead of phases: those with open tasks. */
    bool with_definitions;      /* reader_counts() alone: count the tenant's definitions, too. */
    uint64_t before;            /* Only ids below; 0: from the newest. */
    size_t max;
};

/* Their ids, newest first. The cost grows with `max` and with the number of versions of definitions, not with
 * the number of instances. */
MUST_DECIDE enum status reader_find(struct store_reader *reader, const struct find_filter *filter,
                                    struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                    struct error *err);

/* Instances whose business keys begin with a prefix, in order of (key, phase, id), strictly after a place. */
struct found_key {
    str key;
    uint32_t phase;
    uint64_t id; /* The place to go on from; 0: from the start. */
};
MUST_DECIDE enum status reader_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                         const struct found_key *after, size_t max, struct arena *arena,
                                         struct found_key **ret_found, size_t *ret_count, struct error *err);

/* How many there are, from counts that the store keeps. */
struct store_counts {
    int64_t phase[STORE_PHASES];
    int64_t tasks;                       /* Open ones. */
    int64_t definitions;                 /* All of the tenant, whatever else the filter says. */
    int64_t disk_bytes, disk_free_bytes; /* Bytes of the file system that it is on; 0: not known. */
    const char *kind;                    /* "sqlite", "postgresql" or "memory". */
};
MUST_DECIDE enum status reader_counts(struct store_reader *reader, const struct find_filter *filter,
                                      struct store_counts *ret_counts, struct error *err);

/* The bytes of a tenant: texts of definitions, states and histories of instances. They are measured in parts:
 * the cost of one grows with `max`, and that of all with the rows of this tenant alone. */
struct store_measure {
    int32_t ns; /* The caller sets this; all else begins with 0. */
    int64_t bytes;
    bool is_over;
    bool began_;
    int64_t *definition_; /* Versions that are left to look at. */
    size_t definition_count_;
    int64_t phase_, instance_; /* The place in the last of them. */
};
/* Looks at about `max` more instances. The arena lives as long as the measure. */
MUST_DECIDE enum status reader_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                                       struct arena *arena, struct error *err);

struct store_statistics {
    int64_t definitions, instances_by_status[INSTANCE_STATUS_COUNT], timers, tasks, pending, file_bytes;
    int64_t
        offered; /* Jobs of a shared store that wait for a worker of any node; at most 10,000 are counted. */
};
MUST_DECIDE enum status reader_statistics(struct store_reader *reader,
                                          struct store_statistics *ret_statistics, struct error *err);

/* ---- tools ---- */

/* Copies a store, which an engine may be using, to a new path. The copy shows one moment. */
enum status store_backup(const char *from_path, const char *to_path, struct error *err);

/* Verifies an open store: the back end's own integrity, the checksums of all blobs, that every index row has
 * its cause in an instance's state and the other way round, and with `deep` that each instance's history
 * replays to its state. Calls `found` with a sentence for every problem. `compile` makes programs from
 * sources, because the store knows no dialects. `*ret_instances` counts the instances it looked at. */
typedef void store_found_fn(void *context, const char *sentence);
typedef struct program *store_compile_fn(str source, struct arena *arena);
enum status store_check(struct store *store, bool deep, store_compile_fn *compile, store_found_fn *found,
                        void *context, int64_t *ret_instances, struct error *err);

#endif
