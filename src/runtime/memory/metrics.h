/* runtime/memory/metrics.h — what is counted, and where it is counted.
 *
 * Counters are written by one thread each and read by any. Histograms have fixed bounds in
 * microseconds. The names are those of /metrics.
 */
#ifndef RUNTIME_MEMORY_METRICS_H
#define RUNTIME_MEMORY_METRICS_H

#include "access/limits.h"
#include "access/record/record.h"
#include "core/core.h"
#include "program/program.h"
#include "runtime/call/call.h"
#include "runtime/limits.h"

#include <stdatomic.h>

/* clang-format off */
#define COUNTER_MAP(XX)                                                                                \
    XX(definitions_uploaded, "workflow_definitions_uploaded_total", "Definition versions created.")    \
    XX(instances_started,    "workflow_instances_started_total",    "Instances started.")              \
    XX(job_lock_conflicts,   "job_lock_conflicts_total", "Failures and extensions from a worker that did not hold the job's lock; they changed nothing.") \
    XX(job_retries,          "job_retries_total",        "Jobs offered again after a retryable failure.") \
    XX(job_timeouts,         "engine_job_timeout_total", "Job leases that expired.")                   \
    XX(timers_fired,         "pawl_timers_fired_total",  "Timers that came due and took effect.")      \
    XX(timers_failed,        "pawl_timers_failed_total", "Timers that came due and could not fire; they are tried again.") \
    XX(slots_fired,          "pawl_schedule_slots_fired_total", "Slots of schedules that fired.")      \
    XX(slots_missed,         "pawl_schedule_slots_missed_total", "Times that slots of a schedule were missed and dropped.") \
    XX(commands,             "pawl_commands_total",      "Commands that changed an instance.")         \
    XX(commits,              "pawl_commits_total",       "Transactions committed.")                    \
    XX(stale_callbacks,      "pawl_stale_callbacks_total", "Callbacks that came too late and changed nothing.") \
    XX(late_completions,     "pawl_late_completions_total", "Completions that counted although their worker no longer held the job's lock.") \
    XX(rejected_overload,    "pawl_rejected_overload_total", "Requests refused because the queue was full.") \
    XX(polls_refused,        "pawl_polls_refused_total", "Long polls that could not wait because too many did.") \
    XX(idempotent_replays,   "pawl_idempotent_replays_total", "Requests answered from an earlier one with the same key.") \
    XX(events_started,       "pawl_events_started_total",    "Events that started an instance.")       \
    XX(events_delivered,     "pawl_events_delivered_total",  "Events that instances took.")            \
    XX(events_unmatched,     "pawl_events_unmatched_total",  "Events that nobody took.")               \
    XX(events_waiting,       "pawl_events_waiting_total",    "Events kept for an instance with their key.") \
    XX(early_kept,           "pawl_early_kept_total",        "Events and arrivals kept for a key.")    \
    XX(early_taken,          "pawl_early_taken_total",       "Kept ones that an instance took.")       \
    XX(early_expired,        "pawl_early_expired_total",     "Kept ones that nobody took in time.")    \
    XX(events_duplicate,     "pawl_events_duplicate_total",  "Events that had been received before.")  \
    XX(events_refused,       "pawl_events_refused_total",    "Events that could not be taken.")        \
    XX(children_started,     "pawl_children_started_total",  "Instances started by other instances.")  \
    XX(damaged,              "pawl_damaged_instances_total", "Instances found at the start whose state cannot be read.") \
    XX(trigger_pauses,       "pawl_trigger_pauses_total", "Times that triggers were paused or resumed.") \
    XX(configurations,       "pawl_node_configurations_total", "Times that other nodes changed definitions, triggers, models or secrets, or that another node began to lead.") \
    XX(conflicts,            "pawl_node_conflicts_total", "Transactions that had to be repeated because another node was in the way.") \
    XX(turns_repeated,       "pawl_turns_repeated_total", "Turns that ran again because their transaction could not be committed.") \
    XX(heartbeats,           "pawl_node_heartbeats_total", "Heartbeats by which the other nodes see that this one lives.") \
    XX(heartbeats_failed,    "pawl_node_heartbeats_failed_total", "Heartbeats that the store did not take.") \
    XX(jobs_held,            "pawl_node_jobs_held_total", "Jobs that this node kept in memory when they were opened.") \
    XX(jobs_offered,         "pawl_node_jobs_offered_total", "Jobs that this node offered to all nodes.") \
    XX(claims,               "pawl_node_claims_total", "Looks for jobs that any node may hand out.")      \
    XX(jobs_claimed,         "pawl_node_jobs_claimed_total", "Jobs taken over from those that any node may hand out.") \
    XX(nodes_fenced,         "pawl_nodes_fenced_total", "Nodes that this one has found dead.")            \
    XX(takeovers,            "pawl_node_takeovers_total", "Dead nodes whose work this one has taken over.") \
    XX(jobs_taken_over,      "pawl_node_jobs_taken_over_total", "Jobs of dead nodes that this one has offered again.") \
    XX(nodes_rejoined,       "pawl_node_rejoined_total", "Times that other nodes took this one for dead.") \
    XX(purged,               "pawl_purged_total", "Ended instances, unmatched events and idempotency keys removed after their time.")
/* clang-format on */

/* clang-format off */
#define GAUGE_MAP(XX)                                                                     \
    XX(jobs_ready,    "pawl_jobs_ready",    "Jobs waiting for a worker.")                 \
    XX(jobs_leased,   "pawl_jobs_leased",   "Jobs held by workers.")                      \
    XX(polls_waiting, "pawl_polls_waiting", "Long polls waiting for a job.")              \
    XX(queue_depth,   "pawl_queue_depth",   "Requests waiting for the engine.")           \
    XX(calls_deferred, "pawl_calls_deferred", "Requests that wait for their turn: expensive ones, and those that take several turns.") \
    XX(events_routing, "pawl_events_routing", "Events on their way to very many instances.") \
    XX(schedules,     "pawl_schedules",     "Triggers that fire by a schedule.")           \
    XX(secrets,       "pawl_secrets",       "Secrets kept in the store.")                 \
    XX(cache_bytes,   "pawl_cache_bytes",   "Instance states kept in memory.")            \
    XX(nodes,         "pawl_nodes",         "Nodes that live, as this one sees it.")       \
    XX(node_leads,    "pawl_node_leads",    "1 if this node does what is done once for all nodes.") \
    XX(node_heartbeat_at, "pawl_node_last_heartbeat_timestamp_seconds", "When this node's last heartbeat was taken; 0 on a store that is not shared.") \
    XX(node_cut_off,  "pawl_node_cut_off",  "1 while the database does not take this node's heartbeats.") \
    XX(tenant_alarms, "pawl_tenant_quota_alarms", "Quotas of tenants of which four fifths or more are used.") \
    XX(storage_full,  "pawl_storage_full",  "1 while new work is refused because the disk is full.")
/* clang-format on */

/* clang-format off */
#define HISTOGRAM_MAP(XX)                                                                              \
    XX(poll_latency,   "job_poll_latency_seconds", "Time from a poll's arrival to its answer.")        \
    XX(pickup_latency, "engine_job_pickup_latency_seconds", "Time a job was ready before a worker took it.") \
    XX(transaction,    "engine_db_transaction_duration_seconds", "Time of a transaction with its sync.") \
    XX(heartbeat_took, "pawl_node_heartbeat_duration_seconds", "Time of a heartbeat.")                     \
    XX(news_age,       "pawl_node_news_age_seconds", "Time between two looks at what other nodes have told: what is heard is no older.") \
    XX(turn_wait,      "pawl_turn_wait_seconds", "Time that the first request of a turn waited for it; of shared stores, as the next two.") \
    XX(turn_step,      "pawl_turn_step_seconds", "Time of a turn without that in which it waited for the database.") \
    XX(turn_store,     "pawl_turn_store_seconds", "Time that a turn waited for the database.")            \
    XX(batch_calls,    "pawl_batch_calls", "Requests in one transaction.")
/* clang-format on */

/* Metrics that had another name in the version before. The page shows both names until the next version. */
/* clang-format off */
#define RENAMED_METRIC_MAP(XX)                                                                 \
    XX("pawl_nodes_fenced_total",                    "pawl_nodes_buried_total")                \
    XX("pawl_node_heartbeats_total",                 "pawl_node_beats_total")                  \
    XX("pawl_node_heartbeats_failed_total",          "pawl_node_beats_failed_total")           \
    XX("pawl_node_last_heartbeat_timestamp_seconds", "pawl_node_last_beat_timestamp_seconds")  \
    XX("pawl_node_heartbeat_duration_seconds",       "pawl_node_beat_duration_seconds")        \
    XX("pawl_node_messages_total",                   "pawl_errands_total")                     \
    XX("pawl_node_messages_waiting",                 "pawl_errands_waiting")
/* clang-format on */

enum { HISTOGRAM_BUCKETS = 14 };
extern const int64_t metric_bounds_us[HISTOGRAM_BUCKETS]; /* 50 µs … 60 s; counts for batch_calls. */

struct histogram {
    _Atomic uint64_t bucket[HISTOGRAM_BUCKETS + 1];
    _Atomic uint64_t sum_us;
};

/* How long runs and jobs took: milliseconds to weeks. */
enum { DURATION_BUCKETS = 9 };
extern const int64_t metric_duration_bounds_ms[DURATION_BUCKETS]; /* 100 ms … 30 days. */

struct durations {
    _Atomic uint64_t bucket[DURATION_BUCKETS + 1];
    _Atomic uint64_t sum_ms;
};

/* The last run that a bucket has counted. One thread writes, others read. */
struct run_exemplar {
    _Atomic uint64_t writes; /* Odd while it is being written; 0: there is none. */
    _Atomic uint64_t instance;
    _Atomic int64_t created_ms, ended_ms;
};

/* The runs of one definition, of all its versions (run_series.h). */
struct definition_metrics {
    str key; /* The qualified name of the definition (base/tenant.h). */
    _Atomic uint64_t started;
    _Atomic uint64_t ended[INSTANCE_STATUS_COUNT];
    struct durations took;
    struct run_exemplar exemplar[DURATION_BUCKETS + 1]; /* One for each bucket of `took`. */
};

/* Visits to nodes by the dialect's own word for them. Words come with the definitions; those
 * beyond the last place are counted there together. */
enum { TYPE_WORD_BYTES = 40 };
struct type_count {
    char word[TYPE_WORD_BYTES];
    _Atomic uint64_t count;
};

/* One tenant. Names are written before the count says so, and stay: readers look without a lock. */
struct tenant_metrics {
    char name[ACCESS_NAME_BYTES_MAX + 1];
    _Atomic int32_t ns; /* A tenant that is made anew has another number. */
    _Atomic uint64_t started;
    _Atomic uint64_t used[QUOTA_COUNT], limit[QUOTA_COUNT];
};

struct metrics {
#define XX(name, exported, help) _Atomic uint64_t name;
    COUNTER_MAP(XX)
    GAUGE_MAP(XX)
#undef XX
#define XX(name, exported, help) struct histogram name;
    HISTOGRAM_MAP(XX)
#undef XX
    _Atomic uint64_t jobs_taken[PERFORMER_COUNT];                              /* performer_metric() */
    _Atomic uint64_t jobs_done[PERFORMER_COUNT], jobs_failed[PERFORMER_COUNT]; /* pawl_jobs_ended_total */
    _Atomic uint64_t instances_ended[INSTANCE_STATUS_COUNT]; /* workflow_instances_completed_total{outcome} */
    _Atomic uint64_t instances_purged[INSTANCE_STATUS_COUNT]; /* pawl_purged_instances_total{status} */
    _Atomic uint64_t arrivals[OUTCOME_COUNT];                 /* pawl_arrivals_total{outcome} */
    struct type_count type[METRIC_TYPES_MAX];                 /* workflow_steps_executed_total{step_type} */
    _Atomic size_t type_count;
    struct tenant_metrics tenant[METRIC_TENANTS_MAX]; /* pawl_tenant_…{tenant} */
    struct tenant_metrics other_tenants;              /* All that have no place above. */
    _Atomic size_t tenant_count;
    _Atomic uint64_t tenant_refusals[QUOTA_COUNT]; /* pawl_tenant_refusals_total{limit} */
    /* pawl_definition_…{definition}. A place is filled before the count says so: readers look without a
     * lock. */
    struct definition_metrics *definition[METRIC_DEFINITIONS_MAX];
    _Atomic size_t definition_count;
    struct definition_metrics other_definitions; /* All that have no place above. */
};

static inline void metric_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void metric_set(_Atomic uint64_t *gauge, uint64_t n)
{
    atomic_store_explicit(gauge, n, memory_order_relaxed);
}

static inline uint64_t metric_get(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

/* Only the thread that runs the engine calls this. */
void metric_count_type(struct metrics *metrics, str type);

/* The place of a tenant, made if there is none and there is room; else that of all others. Only the thread
 * that runs the engine calls this. */
struct tenant_metrics *metric_of_tenant(struct metrics *metrics, int32_t ns, str name);
/* The same for any thread; NULL: it has none of its own. */
const struct tenant_metrics *metric_find_tenant(const struct metrics *metrics, int32_t ns);

/* The number of the bucket that counts such a time. */
size_t metric_bucket(int64_t us);
void metric_observe(struct histogram *histogram, int64_t us);
/* Returns the number of the bucket. */
size_t metric_observe_duration(struct durations *durations, int64_t ms);
void metric_note_run(struct run_exemplar *exemplar, uint64_t instance, int64_t created_ms, int64_t ended_ms);
/* False: there is none, or it is being written now. */
bool metric_find_run(const struct run_exemplar *exemplar, uint64_t *ret_instance, int64_t *ret_created_ms,
                     int64_t *ret_ended_ms);

#endif
