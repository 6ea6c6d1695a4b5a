/* store/store_int.h — the functions that a back end provides.
 *
 * store.c keeps the rules that are the same for all back ends (one transaction at a time; a failed one can
 * only be rolled back) and calls the back end through these tables. Each function keeps the contract of the
 * function of the same name in store.h. A back end's struct begins with the base, so a pointer to one is a
 * pointer to the other.
 */
#ifndef STORE_STORE_INT_H
#define STORE_STORE_INT_H

#include "base/array.h"
#include "store/nodes.h"

#include <stdatomic.h>

struct tenant_removal;

struct store_ops {
    void (*close)(struct store *store);
    enum status (*begin)(struct store *store, struct error *err);
    enum status (*apply)(struct store *store, struct changeset *changeset, struct error *err);
    enum status (*commit)(struct store *store, struct error *err);
    void (*rollback)(struct store *store);
    /* Does the upkeep and clears `maintenance_due`. NULL: the back end never sets it. */
    enum status (*maintain)(struct store *store, struct error *err);
    /* Keeps back the space that belongs to this step, or to a later one if there is less; returns the step.
     * NULL: the back end keeps none back, and store.c only counts the steps. */
    enum store_space (*keep_space)(struct store *store, enum store_space space);
    /* Returns space that purged rows left to the system, some at a time. NULL: there is none to return. */
    enum status (*shrink)(struct store *store, bool *ret_more, struct error *err);

    enum status (*take_numbers)(struct store *store, struct store_numbers *numbers, struct error *err);
    enum status (*load_instance)(struct store *store, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err);
    enum status (*find_definition)(struct store *store, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err);
    enum status (*load_definition)(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err);
    enum status (*find_content)(struct store *store, int32_t ns, str id, uint64_t content,
                                struct arena *arena, struct definition_row *ret_row, struct error *err);
    enum status (*count_living)(struct store *store, int32_t ns, str definition_id, int64_t *ret_count,
                                struct error *err);
    enum status (*ended)(struct store *store, int32_t ns, str definition_id, size_t max, struct arena *arena,
                         struct ended_instance **ret_instance, size_t *ret_count, struct error *err);
    enum status (*find_business_key)(struct store *store, int32_t ns, str definition_id, str key,
                                     uint64_t *ret_instance, struct error *err);
    enum status (*find_idempotency)(struct store *store, int32_t ns, str key, struct arena *arena,
                                    struct idempotency_row *ret_row, struct error *err);
    enum status (*timers)(struct store *store, const struct timer_row *after, int64_t until_ms,
                          struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err);
    enum status (*ids_with_jobs)(struct store *store, int32_t ns, uint64_t after, size_t max,
                                 struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                 struct error *err);
    /* Without a target: store_pending_ready() for that priority. */
    enum status (*pending)(struct store *store, int32_t ns, str target, int32_t priority,
                           const struct pending_row *after, struct arena *arena, struct pending_row *ret_row,
                           size_t max, size_t *ret_count, struct error *err);
    enum status (*subscribers)(struct store *store, int64_t definition, str correlation, uint64_t after,
                               uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err);
    enum status (*triggered)(struct store *store, int32_t ns, str source, str type, int64_t after,
                             struct triggered *ret_triggered, size_t max, size_t *ret_count,
                             struct error *err);
    enum status (*find_child)(struct store *store, uint64_t parent, uint32_t number,
                              struct child_row *ret_row, struct error *err);
    /* By its number or, if that is 0, by its tenant and identity. */
    enum status (*find_unmatched)(struct store *store, const struct unmatched_row *like, struct arena *arena,
                                  struct unmatched_row *ret_row, struct error *err);
    enum status (*running_bulk)(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err);
    enum status (*load_bulk)(struct store *store, int64_t number, struct bulk_row *ret_row,
                             struct error *err);
    enum status (*load_bulk_part)(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err);
    enum status (*purge_bulks)(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                               size_t *ret_removed, struct error *err);
    enum status (*find_record)(struct store *store, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err);
    enum status (*records)(struct store *store, const struct record_filter *filter, struct arena *arena,
                           struct record_row **ret_row, size_t *ret_count, struct error *err);
    enum status (*purge_records)(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                 size_t *ret_removed, struct error *err);
    /* The total is the caller's to count. */
    enum status (*purge)(struct store *store, const struct purge *purge, size_t max,
                         struct purged *ret_purged, struct error *err);
    /* Whether it is over is the caller's to say. */
    enum status (*remove_tenant)(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                 struct tenant_removal *removal, struct error *err);
    enum status (*reader_open)(struct store *store, struct store_reader **ret_reader, struct error *err);

    /* The back end's own part of store_check(): that its rows are readable, that its indexes
     * and counts agree with the rows, that every history row belongs to a chain. */
    enum status (*integrity)(struct store *store, store_found_fn *found, void *context, struct error *err);
    /* All rows in the order of their keys, strictly after `after` (NULL: from the first), at most
     * `max`: for store_check(), too. */
    enum status (*subscriptions)(struct store *store, const struct subscription_row *after,
                                 struct arena *arena, struct subscription_row *ret_row, size_t max,
                                 size_t *ret_count, struct error *err);
    enum status (*children)(struct store *store, const struct child_row *after, struct child_row *ret_row,
                            size_t max, size_t *ret_count, struct error *err);
};

/* The column `retired` of a definition: below 0, it is being deleted. */
static inline int64_t store_retired_column(const struct definition_row *row)
{
    must(!row->is_leaving || row->retired_ms > 0);
    return row->is_leaving ? -row->retired_ms : row->retired_ms;
}

static inline void store_read_retired(int64_t column, struct definition_row *row)
{
    row->is_leaving = column < 0;
    row->retired_ms = column < 0 ? -column : column;
}

/* A shared store also has the functions of the same names in nodes.h. */
struct node_messages;
struct node_message_proofs;
struct work_found;
struct work_question;

struct node_ops {
    int64_t (*node)(const struct store *store);
    enum status (*heartbeat)(struct store *store, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                             int64_t *ret_generation, struct error *err);
    enum status (*rejoin)(struct store *store, struct error *err);
    enum status (*fence)(struct store *store, int64_t node, struct error *err);
    enum status (*forget_node)(struct store *store, int64_t node, struct error *err);
    void (*set_generation)(struct store *store, int64_t generation);
    int64_t (*generation)(const struct store *store);
    int64_t (*waited_us)(const struct store *store); /* NULL: it never waits. */
    enum status (*expect)(struct store *store, uint64_t instance, uint32_t revision, struct error *err);
    enum status (*next_history)(struct store *store, uint64_t instance, uint32_t after, struct arena *arena,
                                str **ret_blob, size_t *ret_count, struct error *err);
    enum status (*find_job)(struct store *store, uint64_t instance, uint32_t number, struct arena *arena,
                            struct job_row *ret_row, struct error *err);
    enum status (*jobs_of)(struct store *store, const uint64_t *instance, size_t count, struct arena *arena,
                           struct job_row **ret_row, size_t *ret_count, struct error *err);
    enum status (*offered)(struct store *store, size_t counted_max, size_t max, struct arena *arena,
                           struct offered_queue **ret_queue, size_t *ret_count, struct error *err);
    enum status (*claim_jobs)(struct store *store, const struct job_claim *claim, size_t claim_count,
                              int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                              struct instance_row **ret_instance, size_t *ret_count, struct error *err);
    /* `after` is not NULL. */
    enum status (*claimed_jobs)(struct store *store, const struct job_row *after, size_t max,
                                struct arena *arena, struct job_row **ret_row,
                                struct instance_row **ret_instance, size_t *ret_count, struct error *err);
    enum status (*offer_jobs)(struct store *store, const struct job_row *row, size_t count, int64_t now_ms,
                              struct error *err);
    enum status (*drop_jobs)(struct store *store, const struct job_row *row, size_t count, struct error *err);
    enum status (*extend_job)(struct store *store, const struct job_row *row, bool *ret_done,
                              struct error *err);
    /* Fills in a `work_found` of zeroes. NULL: it is put together of what the writer can ask. */
    enum status (*find_work)(struct store *store, const struct work_question *question, struct arena *arena,
                             struct work_found *found, struct error *err);
    enum status (*note_leases)(struct store *store, const struct job_row *row, size_t count,
                               struct error *err);
    enum status (*end_leases)(struct store *store, int64_t now_ms, size_t *ret_count, struct error *err);
    enum status (*free_claims)(struct store *store, int64_t node, size_t *ret_count, struct error *err);
    enum status (*held_ids)(struct store *store, int64_t node, uint64_t after, size_t max,
                            struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err);
    enum status (*load_instances)(struct store *store, const uint64_t *id, size_t count, struct arena *arena,
                                  struct instance_row **ret_row, size_t *ret_count, struct error *err);
    enum status (*offer_new)(struct store *store, const struct job_row *row, size_t count, struct error *err);
    enum status (*news_write)(struct store *store, str text, struct error *err);
    enum status (*news_read)(struct store *store, struct arena *arena, str **ret_text, size_t *ret_count,
                             bool *ret_lost, struct error *err);
    void (*wake_others)(struct store *store, enum store_wake why);
    enum status (*listen)(struct store *store, store_heard_fn *heard, void *context, struct error *err);
    /* NULL: the nodes can send no node messages (store/node_messages.h). */
    enum status (*node_messages_open)(struct store *store, const struct node_message_proofs *proofs,
                                      store_wake_fn *wake, void *context,
                                      struct node_messages **ret_node_messages, struct error *err);
};

struct store {
    const struct store_ops *ops;
    const struct node_ops *nodes; /* NULL: the store is not shared. */
    bool in_transaction;
    bool must_roll_back;    /* Something failed inside the transaction. */
    bool tried_too_early;   /* That was ST_AGAIN. */
    bool broken;            /* See store_broken(). */
    bool left_open;         /* See store_left_open(). */
    bool settles_commits;   /* A commit that fails has not happened, unless the back end sets `broken`. */
    bool maintenance_due;   /* See store_maintenance_due(). */
    bool keeps_space;       /* Set by the first store_reclaim_space(). */
    enum store_space space; /* See store_space(). */
};

/* The history of an instance, read ahead. */
struct history_ahead {
    uint64_t instance;
    str *blob;
    size_t count;
};

struct reader_ops {
    void (*close)(struct store_reader *reader);
    void (*leave)(struct store_reader *reader); /* Tells readers below; NULL: there are none. */
    enum status (*instances)(struct store_reader *reader, const struct instance_filter *filter,
                             struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err);
    enum status (*instance)(struct store_reader *reader, uint64_t id, struct arena *arena,
                            struct instance_row *ret_row, struct error *err);
    enum status (*history)(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                           struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err);
    enum status (*history_back)(struct store_reader *reader, const struct history_filter *filter,
                                struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err);
    enum status (*definitions)(struct store_reader *reader, int32_t ns, str keyword, int64_t skip, size_t max,
                               struct arena *arena, struct definition_row **ret_row, size_t *ret_count,
                               int64_t *ret_total, struct error *err);
    enum status (*definitions_after)(struct store_reader *reader, int32_t ns, str after, size_t max,
                                     struct arena *arena, struct definition_row **ret_row, size_t *ret_count,
                                     struct error *err);
    enum status (*definition)(struct store_reader *reader, int32_t ns, str id, int32_t version,
                              struct arena *arena, struct definition_row *ret_row, struct error *err);
    enum status (*definition_by_number)(struct store_reader *reader, int64_t number, struct arena *arena,
                                        struct definition_row *ret_row, struct error *err);
    enum status (*tasks)(struct store_reader *reader, const struct task_filter *filter, struct arena *arena,
                         struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err);
    enum status (*worklist)(struct store_reader *reader, const struct worklist_filter *filter,
                            struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                            struct worklist_place *ret_next, struct error *err);
    enum status (*children)(struct store_reader *reader, uint64_t parent, size_t max, struct arena *arena,
                            struct child_listed **ret_view, size_t *ret_count, int64_t *ret_total,
                            struct error *err);
    enum status (*unmatched)(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                             struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err);
    enum status (*failures)(struct store_reader *reader, const struct selection_filter *filter,
                            struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                            struct error *err);
    enum status (*candidates)(struct store_reader *reader, const struct selection_filter *filter,
                              struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                              struct error *err);
    enum status (*bulks)(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                         struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                         struct error *err);
    enum status (*bulk_parts)(struct store_reader *reader, int64_t bulk, enum bulk_part kind, int64_t from,
                              size_t max, struct arena *arena, struct bulk_part_row **ret_row,
                              size_t *ret_count, struct error *err);
    enum status (*find_record)(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err);
    enum status (*records)(struct store_reader *reader, const struct record_filter *filter,
                           struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                           struct error *err);
    enum status (*find)(struct store_reader *reader, const struct find_filter *filter, struct arena *arena,
                        uint64_t **ret_id, size_t *ret_count, struct error *err);
    enum status (*find_keys)(struct store_reader *reader, int32_t ns, str prefix,
                             const struct found_key *after, size_t max, struct arena *arena,
                             struct found_key **ret_found, size_t *ret_count, struct error *err);
    /* Adds to the counts. */
    enum status (*counts)(struct store_reader *reader, const struct find_filter *filter,
                          struct store_counts *counts, struct error *err);
    enum status (*measure)(struct store_reader *reader, struct store_measure *measure, size_t max,
                           struct arena *arena, struct error *err);
    enum status (*statistics)(struct store_reader *reader, struct store_statistics *ret_statistics,
                              struct error *err);

    /* For checks, which read ahead (check_int.h). NULL: rows are asked for one by one. Each gives what it
     * finds at once in about `bytes_max` bytes, in any order, and leaves out what is not as it should be. */
    enum status (*histories)(struct store_reader *reader, const struct instance_row *row, size_t count,
                             size_t bytes_max, struct arena *arena, struct history_ahead **ret_read,
                             size_t *ret_count, struct error *err);
    enum status (*instances_of)(struct store_reader *reader, const uint64_t *id, size_t count,
                                size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                size_t *ret_count, struct error *err);
};

struct store_reader {
    size_t bytes_max;     /* reader_bound() */
    _Atomic bool leaving; /* reader_leave() */
    const struct reader_ops *ops;
};

/* ---- back ends whose own headers cannot be included together (open.c) ---- */

enum status postgres_open(const struct store_config *config, struct store **ret_store, struct error *err);

/* ---- the rules of transactions (store.c) ---- */

/* Fails if the transaction can only be rolled back. */
enum status store_usable(const struct store *store, struct error *err);
/* Returns `status`, with which something inside of the transaction has failed: only a rollback is left. */
enum status store_lose(struct store *store, enum status status);
/* Returns the status of a read. One that has failed may have ended the transaction. */
enum status store_after_read(struct store *store, enum status status);

/* ---- what back ends share (store.c) ---- */

/* All numbers from these on, for a store that has one writer. */
static inline struct store_numbers store_all_numbers(uint64_t instance, int64_t definition)
{
    return (struct store_numbers){ instance, UINT64_MAX, definition, INT64_MAX };
}

/* May an instance still have timers and a subscription? One that has failed does, and one that lives. */
static inline bool store_may_have_left(enum instance_status status)
{
    return status == INSTANCE_FAILED || !instance_status_ended(status);
}

/* The rows of other tables that such an instance has, according to its state. False if the bytes are no
 * state. */
struct state_left {
    struct timer_row *timer;
    size_t timer_count;
    struct subscription_row subscription; /* If it takes events. */
};
bool store_state_left(str state, struct arena *arena, struct state_left *ret_left);

/* The row of a failed instance, from its state. Names are the program's, also for nodes that no author
 * named. Borrows from the state. */
struct failure_row store_state_failure(const struct instance *state, int32_t ns);

/* Does the filter list the key, which is not before its first? If not, it lists none behind that, either. */
static inline bool store_wants_record(const struct record_filter *filter, str key)
{
    if (!str_starts(key, filter->prefix)) return false;
    if (filter->down) return str_compare(key, filter->after) > 0;
    return !filter->upto.n || str_compare(key, filter->upto) < 0;
}

/* With `down`: no key that the filter lists is at or behind this one. */
str store_record_bound(const struct record_filter *filter, struct arena *arena);

enum status store_fail_no_record(enum record_kind kind, struct error *err);
enum status store_fail_no_bulk(int64_t number, struct error *err);
enum status store_fail_no_instance(uint64_t id, struct error *err);
enum status store_fail_no_definition(struct error *err);
enum status store_fail_no_holder(struct error *err);
enum status store_fail_no_child(uint64_t parent, uint32_t number, struct error *err);
enum status store_fail_broken_chain(uint64_t instance, struct error *err);
/* True if a purge may remove an instance with so many rows of history, too: counts them. Otherwise it may
 * remove no more instances at all. */
bool store_purge_takes(const struct purge *purge, size_t history, struct purged *purged);
void store_note_broken_chain(uint64_t instance, struct purged *purged);

#endif
