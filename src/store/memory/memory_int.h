/* store/memory/memory_int.h — the inside of the memory back end.
 *
 * Every table and every index is a tree (memory/tree.h). The committed state and the state of the open
 * transaction are two sets of trees that share their unchanged parts. A mutex around every call serves
 * readers in other threads; it is not held between calls.
 */
#ifndef STORE_MEMORY_MEMORY_INT_H
#define STORE_MEMORY_MEMORY_INT_H

#include "base/buf.h"
#include "store/limits.h"
#include "store/memory/tree.h"
#include "store/store_int.h"

#include <pthread.h>

/* clang-format off */
#define MEMORY_TABLE_MAP(XX)                                                              \
    XX(INSTANCE)        /* id → struct memory_instance                                 */ \
    XX(INSTANCE_KEY)    /* namespace, business key, id → nothing                       */ \
    XX(INSTANCE_ENDED)  /* time of the end, id → nothing; except failed ones     */ \
    XX(INSTANCE_FAILED) /* the same, failed ones                                          */ \
    XX(INSTANCE_JOBS)   /* id → nothing: with open jobs                                */ \
    XX(INSTANCE_LIVING) /* definition, id → nothing: has not ended                     */ \
    XX(HISTORY)         /* row id → struct memory_history                              */ \
    XX(TIMER)           /* due, instance, number → struct timer_row                    */ \
    XX(TASK)            /* instance, execution → struct task_row                       */ \
    XX(PENDING)         /* parent, number → struct pending_row                         */ \
    XX(TRIGGER)         /* namespace, source, type, definition → nothing               */ \
    XX(SUBSCRIPTION)    /* definition, correlation, instance → struct subscription_row */ \
    XX(CHILD)           /* parent, number → struct child_row                           */ \
    XX(CHILD_LINK)      /* instance → the key of its row in CHILD, if that goes with it */ \
    XX(UNMATCHED)       /* number → struct unmatched_row                               */ \
    XX(UNMATCHED_AGE)   /* time, number → nothing                                      */ \
    XX(UNMATCHED_EVENT) /* namespace, identity, number → nothing                       */ \
    XX(FAILURE)         /* definition, instance → struct failure_row                   */ \
    XX(BULK)            /* number → struct bulk_row                                    */ \
    XX(BULK_PART)       /* bulk, kind, number → struct bulk_part_row                   */ \
    XX(RECORD)          /* namespace, kind, key → struct record_row                    */ \
    XX(RECORD_AGE)      /* kind, time, namespace, key → the key of the row             */ \
    XX(IDEMPOTENCY)     /* namespace, key → struct idempotency_row                     */ \
    XX(IDEMPOTENCY_AGE) /* time, namespace, key → nothing                              */ \
    XX(DEFINITION)      /* number → struct definition_row                              */ \
    XX(DEFINITION_NAME) /* namespace, id, version → number                             */ \
    XX(DEFINITION_RANK) /* namespace, id, rank, version → number                       */ \
    XX(JOB)             /* instance, number → struct job_row                           */ \
    XX(JOB_OFFERED)     /* queue, priority from the highest, time, instance, number → nothing */
/* clang-format on */

enum memory_table {
#define XX(NAME) TABLE_##NAME,
    MEMORY_TABLE_MAP(XX)
#undef XX
        TABLE_COUNT
};

struct memory_state {
    struct memory_tree table[TABLE_COUNT];
    uint64_t instance_high; /* No id up to this one is given again. */
    size_t state_bytes;     /* The bytes of all instances. */
    int64_t next_history;
    int64_t next_unmatched;
    int64_t next_bulk;
};

struct memory_instance {
    struct instance_row row;
    uint32_t revision;
};

struct memory_history {
    uint64_t instance;
    int64_t prev;
    uint32_t revision;
    int64_t at_ms;
    str blob;
};

struct memory_news {
    int64_t node;
    char *text;
    size_t bytes;
};

/* The members that all handles of a store have in common. Most stores have one handle. */
struct memory_common {
    pthread_mutex_t mutex;
    struct memory_store *handle; /* All of them. */
    struct memory_state committed;
    uint64_t changes; /* Counts changes of `committed`. A transaction commits if there was none meanwhile. */
    uint64_t instance_taken; /* Numbers up to these are some node's. */
    int64_t definition_taken;
    int64_t generation;
    struct node_row *node; /* By number. */
    size_t node_count, node_cap;
    int64_t last_node;
    struct memory_news *news; /* The last NEWS_KEPT_MAX, in a ring; NULL: there were none. */
    uint64_t told;            /* How many there have been. */
};

struct memory_store {
    struct store base;
    struct memory_common *common;
    struct memory_store *next_handle;
    struct memory_state working; /* Inside a transaction. */
    struct arena scratch;        /* Keys, until the next call. */
    size_t readers;
    bool forgets_links; /* A child's row in CHILD goes with the child, too. */
    /* The transaction: */
    uint64_t began_at; /* `changes` when it began. */
    bool stale;        /* The caller knows something that is not true any more. */
    bool configures;   /* It begins a generation. */
    str *told;         /* In `telling`. */
    size_t told_count, told_cap;
    struct arena telling;
    /* A node: */
    int64_t node; /* 0: the handle is none. */
    int64_t generation;
    uint64_t heard; /* So many news are known or older than the node. */
    store_heard_fn *hears;
    void *hears_context;
};

/* ---- for layers (memory.c, memory/read.c) ---- */

/* The rows that lead to children go with the children: nobody purges their parents here. */
void memory_forget_links(struct store *base);
/* How many instances are kept that have ended. */
size_t memory_ended_count(struct store *base);
struct transients memory_transients(struct store *base);
/* The links to the children of an instance, in order, whether the children are there or not. */
void memory_links(struct store_reader *reader, uint64_t parent, struct arena *arena,
                  struct child_row **ret_row, size_t *ret_count);

/* ---- keys (memory/rows.c) ---- */

/* Numbers are big-endian and texts escaped, so that byte order is the order of the parts. */
struct memory_key {
    struct buf bytes;
};
struct memory_key memory_key(struct arena *arena);
void memory_key_add_number(struct memory_key *key, int64_t number);
void memory_key_add_id(struct memory_key *key, uint64_t id);
void memory_key_add_text(struct memory_key *key, str text);
static inline str memory_key_str(const struct memory_key *key) { return buf_str(&key->bytes); }
/* The number in the last eight bytes. */
uint64_t memory_key_last_id(str key);

str memory_key_of_id(struct arena *arena, uint64_t id);
str memory_key_of_pair(struct arena *arena, uint64_t id, uint32_t number);
str memory_key_of_timer(struct arena *arena, const struct timer_row *row);
str memory_key_of_trigger(struct arena *arena, int32_t ns, str source, str type, int64_t definition);
str memory_key_of_subscription(struct arena *arena, int64_t definition, str correlation, uint64_t instance);
str memory_key_of_definition(struct arena *arena, int32_t ns, str id, int32_t version);
str memory_key_of_rank(struct arena *arena, int32_t ns, str id, int64_t rank, int32_t version);
str memory_key_of_identity(struct arena *arena, int32_t ns, str identity, uint64_t number);

/* ---- rows (memory/rows.c) ---- */

/* The places of the texts in a row's struct. The texts go into the cell behind the struct. */
struct memory_row_kind {
    size_t bytes;
    size_t text[ROW_TEXTS_MAX];
    size_t text_count;
};

extern const struct memory_row_kind memory_row_instance, memory_row_history, memory_row_timer,
    memory_row_task, memory_row_pending, memory_row_subscription, memory_row_child, memory_row_unmatched,
    memory_row_failure, memory_row_bulk, memory_row_bulk_part, memory_row_idempotency, memory_row_definition,
    memory_row_number, memory_row_record, memory_row_job;

/* A cell with a copy of the row and its texts. */
struct memory_cell *memory_row_pack(const struct memory_row_kind *kind, const void *row);
/* Borrows the row that a cell holds. */
static inline const void *memory_row_of(const struct memory_cell *cell) { return cell->data; }
/* Copies the row and its texts for the caller to keep. */
void memory_row_unpack(const struct memory_row_kind *kind, const struct memory_cell *cell,
                       struct arena *arena, void *ret_row);

/* ---- access, and lookups that writer and readers share (memory/find.c) ---- */

/* Around every call: takes the mutex and empties the scratch arena. */
void memory_lock(struct memory_store *store);
void memory_unlock(struct memory_store *store);
/* The state that the writer sees: with the changes of its open transaction. */
const struct memory_state *memory_current(const struct memory_store *store);

enum status memory_instance(const struct memory_state *state, uint64_t id, struct arena *scratch,
                            struct arena *arena, struct instance_row *ret_row, struct error *err);
enum status memory_definition(const struct memory_state *state, int32_t ns, str id, int32_t version,
                              struct arena *scratch, struct arena *arena, struct definition_row *ret_row,
                              struct error *err);
enum status memory_definition_number(const struct memory_state *state, int64_t number, struct arena *scratch,
                                     struct arena *arena, struct definition_row *ret_row, struct error *err);
/* The instance of a cell, for the caller to keep. */
void memory_fill_instance(const struct memory_state *state, const struct memory_cell *cell,
                          struct arena *scratch, struct arena *arena, struct instance_row *ret_row);
/* The same; copies the state only if it is wanted. */
void memory_fill_listed(const struct memory_state *state, const struct memory_cell *cell, bool with_state,
                        struct arena *scratch, struct arena *arena, struct instance_row *ret_row);
/* The latest version in TABLE_DEFINITION_RANK. */
bool memory_find_latest(const struct memory_state *state, int32_t ns, str id, struct arena *scratch,
                        struct memory_found *ret_found);
/* Borrowed; NULL if there is none. */
const struct definition_row *memory_find_definition(const struct memory_state *state, int64_t number,
                                                    struct arena *scratch);
const struct memory_instance *memory_find_instance(const struct memory_state *state, uint64_t id,
                                                   struct arena *scratch);
/* NULL also if the row is of another instance. */
const struct memory_history *memory_find_history(const struct memory_state *state, uint64_t instance,
                                                 int64_t id, struct arena *scratch);

/* NULL if there is none. */
struct node_row *memory_find_node(const struct memory_common *common, int64_t id);
/* Is the handle a node that nobody has fenced? */
bool memory_node_lives(const struct memory_store *store);

/* memory.c */
struct store *memory_open(void);
/* Another handle on the same rows: a node. */
struct store *memory_open_node(struct store *first);
/* Closes the handle, and its node does not leave. */
void memory_vanish(struct store *store);

/* memory/jobs.c: rows of jobs, and what nodes do with them. */
void memory_remove_job(struct memory_state *state, uint64_t instance, uint32_t number, struct arena *scratch);
void memory_apply_jobs(struct memory_store *store, const struct changeset *changeset);
enum status memory_offered(struct store *base, size_t counted_max, size_t max, struct arena *arena,
                           struct offered_queue **ret_queue, size_t *ret_count, struct error *err);
enum status memory_next_history(struct store *store, uint64_t instance, uint32_t after, struct arena *arena,
                                str **ret_blob, size_t *ret_count, struct error *err);
enum status memory_jobs_find(struct store *store, uint64_t instance, uint32_t number, struct arena *arena,
                             struct job_row *ret_row, struct error *err);
enum status memory_claim_jobs(struct store *store, const struct job_claim *claim, size_t claim_count,
                              int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                              struct instance_row **ret_instance, size_t *ret_count, struct error *err);
enum status memory_claimed_jobs(struct store *store, const struct job_row *after, size_t max,
                                struct arena *arena, struct job_row **ret_row,
                                struct instance_row **ret_instance, size_t *ret_count, struct error *err);
enum status memory_offer_jobs(struct store *store, const struct job_row *row, size_t count, int64_t now_ms,
                              struct error *err);
enum status memory_drop_jobs(struct store *store, const struct job_row *row, size_t count, struct error *err);
enum status memory_jobs_of(struct store *store, const uint64_t *instance, size_t count, struct arena *arena,
                           struct job_row **ret_row, size_t *ret_count, struct error *err);
enum status memory_note_leases(struct store *store, const struct job_row *row, size_t count,
                               struct error *err);
enum status memory_extend_job(struct store *store, const struct job_row *row, bool *ret_done,
                              struct error *err);
enum status memory_end_leases(struct store *store, int64_t now_ms, size_t *ret_count, struct error *err);
enum status memory_free_claims(struct store *store, int64_t node, size_t *ret_count, struct error *err);
enum status memory_offer_new(struct store *store, const struct job_row *row, size_t count, struct error *err);

/* memory/nodes.c: the caller holds the mutex. */
/* Gives the handle a number of its own: it is a node from now on. */
void memory_join(struct memory_store *store);
void memory_leave(struct memory_store *store);
/* May the transaction commit? */
enum status memory_fence(const struct memory_store *store, struct error *err);
/* Applies the consequences of its commit. */
void memory_publish(struct memory_store *store);
/* Some numbers for a node, behind those of the rows and those that others have. */
void memory_take_block(struct memory_store *store, uint64_t instance, int64_t definition,
                       struct store_numbers *numbers);
void memory_drop_news(struct memory_common *common);

/* memory/write.c */
enum status memory_apply(struct store *store, struct changeset *changeset, struct error *err);
/* With the rows that lead to it. */
void memory_remove_unmatched(struct memory_store *store, int64_t number);
void memory_remove_idempotency(struct memory_store *store, const struct idempotency_row *row);
enum status memory_purge(struct store *store, const struct purge *purge, size_t max,
                         struct purged *ret_purged, struct error *err);

/* memory/removal.c */
/* The rows that lead to the version. */
void memory_unlink_definition(struct memory_store *store, const struct definition_row *row);
/* changeset.definition_remove: the versions, the events that they take, the starts that wait. */
void memory_remove_definition(struct memory_store *store, int32_t ns, str id);
enum status memory_remove_tenant(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                 struct tenant_removal *removal, struct error *err);

/* memory/bulk.c */
str memory_key_of_failure(struct arena *arena, int64_t definition, uint64_t instance);
/* Applies the part of a changeset that concerns failures and bulks. */
enum status memory_apply_bulk(struct memory_store *store, struct changeset *changeset, struct error *err);
enum status memory_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err);
enum status memory_load_bulk(struct store *store, int64_t number, struct bulk_row *ret_row,
                             struct error *err);
enum status memory_load_bulk_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err);
enum status memory_purge_bulks(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                               size_t *ret_removed, struct error *err);
/* The callers of these, the readers, hold the mutex. */
void memory_failures(struct memory_store *store, const struct selection_filter *filter, struct arena *arena,
                     struct failure_row **ret_row, size_t *ret_count);
void memory_candidates(struct memory_store *store, const struct selection_filter *filter, struct arena *arena,
                       struct instance_row **ret_row, size_t *ret_count);
void memory_bulks(struct memory_store *store, int32_t ns, int64_t before, size_t max, struct arena *arena,
                  struct bulk_row **ret_row, size_t *ret_count);
void memory_bulk_parts(struct memory_store *store, int64_t bulk, enum bulk_part kind, int64_t from,
                       size_t max, struct arena *arena, struct bulk_part_row **ret_row, size_t *ret_count);

/* memory/records.c */
void memory_apply_records(struct memory_store *store, const struct changeset *changeset);
/* The callers of these two hold the mutex. */
enum status memory_records_find(const struct memory_state *state, int32_t ns, enum record_kind kind, str key,
                                struct arena *scratch, struct arena *arena, struct record_row *ret_row,
                                struct error *err);
void memory_records(const struct memory_state *state, const struct record_filter *filter,
                    struct arena *scratch, struct arena *arena, struct record_row **ret_row,
                    size_t *ret_count);
/* By the key of its row. */
void memory_remove_record(struct memory_store *store, str key);
enum status memory_purge_records(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                 size_t *ret_removed, struct error *err);

/* memory/pick.c: the callers hold the mutex. */
void memory_find(const struct memory_state *state, const struct find_filter *filter, struct arena *scratch,
                 struct arena *arena, uint64_t **ret_id, size_t *ret_count);
void memory_pick_keys(const struct memory_state *state, int32_t ns, str prefix, const struct found_key *after,
                      size_t max, struct arena *scratch, struct arena *arena, struct found_key **ret_found,
                      size_t *ret_count);
void memory_counts(const struct memory_state *state, const struct find_filter *filter, struct arena *scratch,
                   struct store_counts *counts);

/* memory/read.c */
enum status memory_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err);

#endif
