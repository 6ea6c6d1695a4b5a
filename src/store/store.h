/* store/store.h — rows and transactions.
 *
 * A store is a table of functions; `sqlite` and `memory` implement it, and one list of
 * named scenarios (tests/unit/store/scenarios.h) passes on all of them. There is one
 * writer, used by one thread at a time: begin, read and apply any number of times, then
 * commit or roll back. Readers (store_reader) are for other threads: each sees everything
 * that was committed before its query began, and never blocks the writer.
 *
 * Rows are lean. An open job is part of its instance's state blob; a claim is not stored at
 * all; the history of one command is one row that points to the one before it. What must be
 * found without knowing the instance has an index row: timers, people's tasks, pending
 * starts, business keys of live instances.
 *
 * Strings and blobs given to the store are only read during the call. What the store
 * returns lives in the caller's arena.
 *
 * A function that fails with ST_FULL or ST_STORE inside a transaction, be it a read, leaves it
 * to be rolled back. A commit that fails with ST_FULL has not happened. One that fails otherwise
 * may have, and a store that could not write a checkpoint may have lost what it wrote: such a
 * store is broken, and must be closed and opened again (recovery decides), which the runtime
 * does by stopping the process.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/status.h"
#include "core/core.h"

struct store;
struct store_reader;

enum { NAMESPACE_DEFAULT = 1 };

/* ---- rows ---- */

struct definition_row {
    int64_t number; /* The version's own key, assigned by the caller from store_next_definition(). */
    int32_t ns;
    str id; /* The author's key. */
    int32_t version;
    int64_t rank;     /* The latest version of an id is the one of the highest rank, of these the newest. */
    int32_t priority; /* Of its jobs: program->priority. */
    str dialect;
    str title;
    str source;       /* The document as it was sent. */
    uint64_t content; /* hash_bytes of its canonical form without "version". */
    int64_t created_ms;
};

struct instance_row {
    uint64_t id;
    int32_t ns;
    int64_t definition;
    str definition_id;           /* Only read: joined from the definition. */
    int32_t definition_version;  /* Only read. */
    int32_t definition_priority; /* Only read. */
    enum instance_status status;
    bool has_jobs; /* Recovery looks at instances with open jobs, ended ones too. */
    int64_t created_ms;
    int64_t ended_ms;     /* 0: lives, or something of it still goes on. */
    str business_key;     /* Empty: none. */
    int64_t last_history; /* Row id of its newest history row. */
    uint32_t revision;    /* How many commands it has taken; only used in a changeset's `before`. */
    str state;            /* core_encode() */
};

struct timer_row {
    int64_t due_ms;
    uint64_t instance;
    uint32_t number;
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
    str definition_id;           /* Only read. */
    int32_t definition_version;  /* Only read. */
    int64_t instance_created_ms; /* Only read: the instance's public id needs it. */
    str business_key;            /* Only read. */
};

/* A chained instance whose definition does not exist yet. */
struct pending_row {
    uint64_t parent;
    uint32_t number; /* The CHAIN entry's. */
    int32_t ns;
    str target; /* Definition id. */
    str business_key;
    int64_t created_ms;
    str data; /* json_encoded() variables. */
};

/* An instance that takes events: found by its definition's version and its correlation token
 * (empty: none yet). One row per such instance, while it lives. */
struct subscription_row {
    int64_t definition;
    str token;
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

/* An event that nobody took. */
struct unmatched_row {
    int64_t number; /* Only read: ascending. */
    int32_t ns;
    int64_t received_ms;
    str reason;
    str event; /* json_encoded() */
};

/* A failed instance: why and where it failed. One row per instance that is FAILED, so that they can be
 * searched and counted by reason without reading a state. */
struct failure_row {
    uint64_t instance;
    int32_t ns;
    int64_t definition;
    int64_t created_ms; /* The instance's. */
    int64_t failed_ms;
    str business_key;
    str step; /* The author's name of the node that failed; empty: none did. */
    str reason;
    str definition_id;          /* Only read. */
    int32_t definition_version; /* Only read. */
};

/* One command for many instances, done in the background (runtime/bulk.c). */
struct bulk_row {
    int64_t number; /* Given by apply when it is added; ascending. */
    int32_t ns;
    int32_t action, state; /* The runtime's. */
    int64_t created_ms;
    int64_t ended_ms; /* 0: it goes on. */
    int64_t found;    /* How many were selected; of these… */
    int64_t done;     /* … so many are done: the sum of the following. */
    int64_t succeeded, skipped, refused;
};

/* What does not fit into its row: each kind in parts with numbers of their own. */
enum bulk_part {
    BULK_PART_REQUEST,   /* What was asked for; part 0. */
    BULK_PART_SELECTION, /* The instances, in parts of the same length. */
    BULK_PART_RESULTS, /* What became of them: a part is named by the place of its first in the selection. */
};

struct bulk_part_row {
    int64_t bulk; /* When added together with the bulk: 0. */
    enum bulk_part kind;
    int64_t number;
    str blob;
};

/* The answer that was given to a request with an Idempotency-Key. */
struct idempotency_row {
    int32_t ns;
    str key;
    uint64_t request; /* hash of method, path and body. */
    int64_t created_ms;
    int32_t http_status;
    str answer; /* The body. */
};

/* What one command changes, all of it in one transaction with the rest of its batch. */
struct changeset {
    const struct instance_row *instance; /* NULL: none. last_history is filled in by apply. */
    bool insert;                         /* A new instance; else it exists and is replaced. */
    const struct instance_row *before;   /* What its row holds now, the state aside, if the caller knows: then
                                            nobody has to look. */
    bool row_later; /* With `before`: only the history row for now. A later changeset of the
                       transaction brings the row, and with it whatever else has changed;
                       last_history and revision of its `before` are then those of the
                       newest history row. */
    str history;    /* history_encode(); appended, linked to the row before. Empty: none. */
    int64_t at_ms;  /* Of the history row. */
    const struct timer_row *timer_add;
    size_t timer_add_count;
    const struct timer_row *timer_remove;
    size_t timer_remove_count;
    const struct task_row *task_add;
    size_t task_add_count;
    const struct task_row *task_remove; /* instance and execution count. */
    size_t task_remove_count;
    const struct pending_row *pending_add;
    const struct pending_row *pending_remove; /* parent and number count. */
    const struct idempotency_row *idempotency;
    const struct definition_row *definition;
    const struct trigger_row *trigger_add; /* With `definition`: each pair of source and type once. */
    size_t trigger_add_count;
    const struct subscription_row *subscription_add;
    const struct subscription_row *subscription_remove;
    const struct child_row *child_add;
    const struct unmatched_row *unmatched_add;
    int64_t unmatched_remove;                 /* Its number; 0: none. */
    const struct failure_row *failure_put;    /* Added or replaced. */
    const struct failure_row *failure_remove; /* definition and instance count. */
    const struct bulk_row *bulk_add;          /* Its number is ret_bulk. */
    const struct bulk_row *bulk_update;       /* State, end and counts. */
    const struct bulk_part_row *bulk_part_add;
    size_t bulk_part_add_count;
    int64_t ret_bulk;         /* Written by apply: of bulk_add. */
    int64_t ret_last_history; /* Written by apply. */
};

/* ---- opening ---- */

struct store_config {
    const char *path; /* The SQLite file; NULL for memory. */
    bool create;      /* Make it if it is not there. */
    bool read_only;   /* For `pawl store check` and the like: it shows one moment, and an engine may go on
                         writing. */
    bool must_not_migrate; /* Fail instead of migrating an older schema. */
};

/* ST_NOT_FOUND: no file and not create; ST_CONFLICT: another process has it, or it was
 * written by a newer version ("schema 7 is newer than this program, which knows up to 3"). */
enum status store_open_sqlite(const struct store_config *config, struct store **ret_store, struct error *err);
enum status store_open_memory(struct store **ret_store, struct error *err);
void store_close(struct store *store);

/* ---- the writer ---- */

enum status store_begin(struct store *store, struct error *err);
enum status store_apply(struct store *store, struct changeset *changeset, struct error *err);
enum status store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* True from the moment when only opening the store anew can tell what it holds. */
bool store_broken(const struct store *store);

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
 * left; `*ret_more` then says whether there is more to return. After a failure store_space() is as before. */
enum status store_reclaim_space(struct store *store, bool shrink, bool *ret_more, struct error *err);

/* The first numbers that were never used. Read once at the start; the runtime counts on. */
enum status store_next_numbers(struct store *store, uint64_t *ret_instance, int64_t *ret_definition,
                               struct error *err);

/* Inside or outside a transaction, on the writer's connection. ST_NOT_FOUND if absent. */
enum status store_load_instance(struct store *store, uint64_t id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err);
/* Instead of a version's number, which is at least 1. */
enum {
    VERSION_LATEST = 0,  /* The one to use: see definition_row. */
    VERSION_NEWEST = -1, /* The one of the highest number, whatever its rank. */
};
enum status store_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                  struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status store_load_definition(struct store *store, int64_t number, struct arena *arena,
                                  struct definition_row *ret_row, struct error *err);
/* A version of that id with equal content, or ST_NOT_FOUND. */
enum status store_find_content(struct store *store, int32_t ns, str id, uint64_t content, struct arena *arena,
                               struct definition_row *ret_row, struct error *err);
/* The live instance of that definition id (any version) with that business key: its id, or 0. */
enum status store_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                    uint64_t *ret_instance, struct error *err);
enum status store_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                   struct idempotency_row *ret_row, struct error *err);

/* Timers in order of (due, instance, number), strictly after `after`, due at or before
 * `until_ms`, at most `max`. */
enum status store_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                         struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err);

/* The ids of instances with open jobs (has_jobs, whatever their status), ascending, strictly after `after`,
 * at most `max` (SIZE_MAX: all of them, at the cost of one pass). */
enum status store_ids_with_jobs(struct store *store, uint64_t after, size_t max, struct arena *arena,
                                uint64_t **ret_id, size_t *ret_count, struct error *err);
/* The same with their rows. */
enum status store_instances_with_jobs(struct store *store, uint64_t after, struct arena *arena,
                                      struct instance_row *ret_row, size_t max, size_t *ret_count,
                                      struct error *err);

/* Pending starts for a definition id, or (empty) all for definitions that exist: oldest first,
 * at most `max`. */
enum status store_pending(struct store *store, int32_t ns, str target, struct arena *arena,
                          struct pending_row *ret_row, size_t max, size_t *ret_count, struct error *err);

/* Instances subscribed with exactly that token, by id, strictly after `after`, at most `max`. */
enum status store_subscribers(struct store *store, int64_t definition, str token, uint64_t after,
                              uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err);
/* All subscriptions in order of (definition, token, instance), strictly after `after` (NULL: from the
 * first), at most `max`. */
enum status store_subscriptions(struct store *store, const struct subscription_row *after,
                                struct arena *arena, struct subscription_row *ret_row, size_t max,
                                size_t *ret_count, struct error *err);
/* The versions of definitions (numbers, ascending, strictly after `after`) that take events of that
 * source and type and are the latest of their id or have subscribers, at most `max`. */
struct triggered {
    int64_t definition;
    bool latest;
};
enum status store_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                            struct triggered *ret_triggered, size_t max, size_t *ret_count,
                            struct error *err);
/* The child that a parent's job started. ST_NOT_FOUND. */
enum status store_find_child(struct store *store, uint64_t parent, uint32_t number, struct child_row *ret_row,
                             struct error *err);
/* An event that nobody took. ST_NOT_FOUND. */
enum status store_find_unmatched(struct store *store, int64_t number, struct arena *arena,
                                 struct unmatched_row *ret_row, struct error *err);

/* The first bulk that goes on whose number is above `after`. ST_NOT_FOUND. */
enum status store_running_bulk(struct store *store, int64_t after, struct bulk_row *ret_row,
                               struct error *err);
/* ST_NOT_FOUND. */
enum status store_load_bulk(struct store *store, int64_t number, struct bulk_row *ret_row, struct error *err);
enum status store_load_bulk_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                 struct arena *arena, str *ret_blob, struct error *err);
/* Retention of bulks that have ended: removes those that ended before `before_ms` and all but the newest
 * `kept_max`, up to `max` rows. `ret_removed` counts them; if it is `max` there may be more. Inside a
 * transaction. */
enum status store_purge_bulks(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                              size_t *ret_removed, struct error *err);

/* How long instances are kept after their end; 0: for ever. */
struct retention {
    int64_t ended_ms;  /* Those that completed or were cancelled, and events nobody took. */
    int64_t failed_ms; /* Those that failed. */
};

/* What is old enough to be removed. INT64_MIN: nothing is. */
struct purge {
    int64_t before_ms; /* Instances that completed or were cancelled before it, and events nobody took. */
    int64_t failed_before_ms; /* Instances that failed before it: a retry may still be wanted. */
    int64_t keys_before_ms;   /* Answers kept for idempotency. */
};
struct purged {
    size_t total; /* All of these. */
    size_t instances[INSTANCE_STATUS_COUNT], unmatched;
    size_t keys; /* And rows of bulks. */
};

/* Removes instances with all their rows (the rows of their children, not the children), then events nobody
 * took, then idempotency rows: up to `max` of all together. If the total is `max` there may be more. Inside a
 * transaction. */
enum status store_purge(struct store *store, const struct purge *purge, size_t max, struct purged *ret_purged,
                        struct error *err);

/* ---- readers ---- */

enum status store_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err);
void store_reader_close(struct store_reader *reader);

/* From now on one answer of the reader holds about that many bytes of states, histories or events (0, as at
 * first: any number). The row that exceeds it is still whole. Behind it instances come without their states,
 * histories and unmatched events not at all. */
void reader_bound(struct store_reader *reader, size_t bytes_max);

struct instance_filter {
    int32_t ns;
    str definition_id; /* Empty: any. */
    int32_t status;    /* -1: any. */
    str business_key;  /* Empty: any. */
    uint64_t before;   /* Only ids below; 0: from the newest. A cursor. */
    int64_t skip;      /* Pages by number. */
    size_t max;
};

/* Newest first. `ret_total` (may be NULL) counts all that match, the cursor aside. */
enum status reader_instances(struct store_reader *reader, const struct instance_filter *filter,
                             struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err);
enum status reader_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                            struct instance_row *ret_row, struct error *err);

/* The instance's history blobs, oldest first, from revision `after`+1 on, at most `max` (0: all). */
enum status reader_history(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                           struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err);

/* One row per id (its latest version), ordered by id; `keyword` is a case-insensitive (ASCII)
 * part of id or title. Sources are left out. */
enum status reader_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip, size_t max,
                               struct arena *arena, struct definition_row **ret_row, size_t *ret_count,
                               int64_t *ret_total, struct error *err);
enum status reader_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                              struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status reader_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                        struct definition_row *ret_row, struct error *err);

struct task_filter {
    int32_t ns;
    uint64_t instance;       /* 0: any. */
    str definition_id;       /* Empty: any. */
    str label;               /* Empty: any. */
    uint64_t after_instance; /* The cursor: (instance, execution) strictly after. */
    uint32_t after_execution;
    size_t max;
};

/* Open tasks ordered by (instance, execution): oldest instances first. */
enum status reader_tasks(struct store_reader *reader, const struct task_filter *filter, struct arena *arena,
                         struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err);

/* What an instance started, in order, with the children's own rows joined (state left out): the last `max`.
 * `ret_total` counts the rows. Children that were purged are not shown. */
struct child_listed {
    struct child_row child;
    struct instance_row instance;
};
enum status reader_children(struct store_reader *reader, uint64_t parent, size_t max, struct arena *arena,
                            struct child_listed **ret_view, size_t *ret_count, int64_t *ret_total,
                            struct error *err);

/* Newest first; `before` 0: from the newest. */
enum status reader_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                             struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err);

/* For whoever looks at very many instances, a page at a time. */
struct selection_filter {
    int32_t ns;
    str definition_id;        /* Empty: any. */
    int32_t version;          /* 0: any. */
    uint32_t statuses;        /* Bits 1 << status. Of reader_candidates only. */
    bool with_state;          /* The same: else states are left out. */
    int64_t after_definition; /* The cursor, strictly after: (after_definition, after) of failures, */
    uint64_t after;           /* `after` alone of candidates. */
    uint64_t upto;            /* Only ids up to this one. */
    size_t max;
};

/* Failed instances in order of (definition, instance). */
enum status reader_failures(struct store_reader *reader, const struct selection_filter *filter,
                            struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                            struct error *err);
/* Instances with one of the statuses, oldest first. */
enum status reader_candidates(struct store_reader *reader, const struct selection_filter *filter,
                              struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                              struct error *err);

/* Newest first; `before` 0: from the newest. */
enum status reader_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                         struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                         struct error *err);
/* Parts of a kind in order of their numbers, from `from` on. */
enum status reader_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind, int64_t from,
                              size_t max, struct arena *arena, struct bulk_part_row **ret_row,
                              size_t *ret_count, struct error *err);

struct store_statistics {
    int64_t definitions, instances_by_status[INSTANCE_STATUS_COUNT], timers, tasks, pending, file_bytes;
};
enum status reader_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                              struct error *err);

/* ---- maintenance ---- */

/* Copies a live store into a new file, consistent at one moment. */
enum status store_backup(const char *from_path, const char *to_path, struct error *err);

/* Verifies a store that is open: SQLite's own integrity, checksums of all blobs, that every
 * index row has its cause in an instance's state and the other way round, that each
 * instance's history replays to its state (when `deep`). Calls `found` for every problem
 * with a sentence. `compile` makes programs from sources (the store knows no dialects). */
typedef void store_found_fn(void *context, const char *sentence);
typedef struct program *store_compile_fn(str source, struct arena *arena);
enum status store_check(struct store *store, bool deep, store_compile_fn *compile, store_found_fn *found,
                        void *context, int64_t *ret_instances, struct error *err);

#endif
