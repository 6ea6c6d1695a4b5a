/* runtime/call/operate_calls.h — calls of those who operate the engine: runs of all families in one form.
 *
 * A run is an instance as people see it: with titles instead of ids, with one of six words for how it stands,
 * and with sentences (dialect/show/sentences.h). This header has the questions and the answers.
 */
#ifndef RUNTIME_CALL_OPERATE_CALLS_H
#define RUNTIME_CALL_OPERATE_CALLS_H

#include "base/id.h"
#include "core/trail.h"
#include "dialect/show/sentences.h"
#include "runtime/limits.h"
#include "store/store.h"

/* ---- the last hour (memory/activity.h) ---- */

/* clang-format off */
#define ACTIVITY_COUNT_MAP(XX)        \
    XX(STARTED,   "started")       \
    XX(COMPLETED, "completed")     \
    XX(FAILED,    "failed")        \
    XX(CANCELLED, "cancelled")     \
    XX(JOBS_DONE, "jobsDone")      \
    XX(ARRIVALS,  "arrivals")
/* clang-format on */

enum activity_count {
#define XX(NAME, word) ACTIVITY_##NAME,
    ACTIVITY_COUNT_MAP(XX)
#undef XX
        ACTIVITY_COUNT_COUNT
};

enum { ACTIVITY_MINUTES = 60, ACTIVITY_MINUTE_MS = 60 * 1000, ACTIVITY_BARS = 12 };

struct activity_minute {
    uint64_t count[ACTIVITY_COUNT_COUNT];
    int64_t commit_us, wait_us; /* 95 of 100 took no longer; 0: there were none. */
};

/* Jobs of one type that ended in the last hour. */
struct activity_jobs {
    uint64_t done, failed;
};

/* ---- lists ---- */

/* Where a list goes on: behind the instance of this id. Lists by a prefix of keys are in the order of keys:
 * behind the instance of this key, phase and id. */
struct operate_place {
    uint64_t id; /* 0: from the start. */
    uint32_t phase;
    str key;
};

/* LIST_RUNS. Texts that are empty and numbers that are 0 ask for nothing. All that is given must hold. */
struct call_runs {
    uint32_t statuses; /* Bits 1 << enum show_status … */
    uint32_t shown;    /* … and those of the word that the run's family shows. */
    str definition_id;
    int32_t version;
    str dialect; /* Entities are left out unless this, or the definition, asks for them. */
    str business_key;
    str reason;                      /* As it is, or folded (bulk_fold_reason()). */
    str reason_contains;             /* A part of it, in letters of either case. */
    str failed_at, waiting_at, step; /* Nodes (show_is_called()); `step`: it failed or stands there. */
    uint32_t waiting_for;            /* Bits 1 << enum show_wait. */
    int64_t after_ms, before_ms;
    str key_prefix;
    uint64_t id; /* Only this one. */
    struct operate_place after;
    size_t max;
    bool with_views; /* Whole instances (answer_runs.view). */
    bool is_grouped; /* Runs that are held are counted by what holds them, instead of being listed. */
};

struct operate_node {
    str id, title;
    enum show_status state;
};

/* Stands for the worker's name in `why_held`: no name has it. The query thread does not know leases, and the
 * engine's thread puts the name in, without reading the instance again. */
#define WORKER_HERE "\1"
#define WORKER_HERE_JSON "\"\\u0001\""

struct operate_run {
    struct id id;
    str definition_id, definition_name;
    int32_t definition_version;
    str dialect;
    enum show_status status;
    str status_word; /* The family's own. */
    str business_key;
    int64_t ended_ms; /* 0: it lives. */
    struct operate_node node[RUN_NODES_MAX];
    size_t node_count;
    str why;      /* A sentence; empty: none. */
    str says;     /* The same as a code with values, in JSON. */
    uint32_t job; /* The job for workers that it tells of … */
    str why_held; /* … and the sentence if WORKER_HERE holds it; empty: there is none. */
    str says_held;
    str reason;     /* Why it failed or was cancelled; empty: it was not. */
    str code;       /* The code of its failure; empty: none. */
    int64_t visits; /* -1: too many to count them for a list, or its history is not kept. */
    bool is_test;
};

/* Runs that the same holds. */
struct operate_group {
    enum show_status status;
    enum show_wait wait; /* The wait of a run that did not fail. */
    str definition_id, definition_name;
    str node, title; /* Empty: not known. */
    str reason;      /* Why they failed, folded. */
    str reason_code; /* Empty: none. */
    str sentence;
    int64_t count;
    int64_t oldest_ms, newest_ms; /* When they began. */
};

struct answer_runs {
    struct operate_run *run;
    struct instance_view *view; /* With with_views: as many. */
    size_t count;
    bool has_workers;            /* A run has a job for workers: the engine says who holds it. */
    struct operate_group *group; /* Grouped: as they were found. */
    size_t group_count, group_cap;
    int64_t ungrouped;         /* Runs that are in none, because there are too many. */
    int64_t total;             /* On all pages; -1: not known. */
    struct operate_place next; /* Id 0: there are no more. */
    /* The query's own. */
    size_t looked, bytes;
    uint64_t lowest; /* Older ones began before the time that is asked for. */
    bool begun;
};

/* ---- one run ---- */

struct telemetry_resource;

/* GET_RUN, LIST_VISITS (after, max), GET_VISIT (number), GET_TRACE (revision, resource). */
struct call_run {
    struct id id;
    uint32_t after; /* Only visits behind this one; 0: all. */
    bool newest;    /* The last visit comes first. */
    size_t max;
    uint32_t number;
    uint32_t revision;                         /* Only spans of later commands. */
    const struct telemetry_resource *resource; /* Names the engine in the message. Borrowed. */
};

/* A message of OTLP, in JSON, and what surrounds it. */
struct answer_trace {
    str message;
    uint32_t next_revision; /* There are more behind it; 0: there are none. */
    bool cut;               /* The history is longer than the engine reads for an answer. */
};

/* Why one token does not move. */
struct operate_why {
    str text, node;
    str says;           /* The text as a code with values, in JSON. */
    uint32_t execution; /* The token's visit. */
    str worker;         /* The worker that holds the lease of its job; empty: nobody. */
    enum show_status state;
    int64_t since_ms, until_ms; /* 0: it does not go on by itself. */
};

/* The visits of a node. */
struct operate_visited {
    str id, title;
    int64_t visits;
    uint32_t last;          /* The number of its last visit. */
    enum show_status state; /* COMPLETED: no token stands there. */
    int64_t since_ms;       /* A token stands there since then; 0: none does. */
    int64_t took_ms;        /* Its last visit that is over; -1: none is. */
    str badge;              /* Empty: none. */
};

/* An action that may be done to a run. */
struct operate_action {
    const char *word; /* "retry", "cancel", "modify", "signal", "complete" */
    str node;         /* SIGNAL */
    struct id task;   /* COMPLETE */
};

struct operate_visit {
    const struct execution *visit;
    const char *kind; /* The kind of its node; empty: not known. */
};

/* A member of the data that changed. */
struct operate_change {
    char op; /* '+', '~', '-' */
    str path;
    const struct json *before, *after; /* NULL: it was not there, it is gone. */
};

/* GET_RUN, LIST_VISITS, GET_VISIT. The instance itself is in answer_instances. */
struct answer_run {
    struct operate_run run;
    int32_t newest_version; /* The newest version of its definition. */
    int64_t took_ms;
    struct operate_why *why;
    size_t why_count;
    bool has_workers; /* A token waits for a worker, or for a lock: the engine says who has it. */
    struct operate_visited *node;
    size_t node_count;
    struct trail_way *way;
    size_t way_count;
    struct trail_acts acts; /* GET_RUN */
    struct operate_action *action;
    size_t action_count;
    struct operate_visit *visit; /* LIST_VISITS: a page; GET_VISIT: one. */
    size_t visit_count;
    bool more; /* LIST_VISITS: there are more behind the last one. */
    bool cut;  /* The history is longer than the engine reads for an answer. */
    const struct json *in, *out;
    struct operate_change *change;
    size_t change_count;
    struct answer_trace trace; /* GET_TRACE, and nothing else. */
};

/* ---- the engine as a whole ---- */

/* Living instances either have jobs, or wait. As many as there are open tasks wait for a person. */
struct operate_living {
    int64_t running, waiting, person;
};
static inline struct operate_living operate_living(const struct store_counts *counts)
{
    int64_t running = 0, resting = 0;
    for (int i = INSTANCE_ACTIVE; i <= INSTANCE_WAITING; i++) {
        running += counts->phase[store_phase((enum instance_status)i, true)];
        resting += counts->phase[store_phase((enum instance_status)i, false)];
    }
    int64_t person = counts->tasks < resting ? counts->tasks : resting;
    return (struct operate_living){ running, resting - person, person };
}

/* How many stand so. */
int64_t operate_count(const struct store_counts *counts, enum show_status status);

/* OVERVIEW. The query thread fills in the first part, the engine the rest. */
struct answer_overview {
    struct store_counts counts; /* The counts of all families but entities. */
    int64_t warned;             /* Definitions whose latest version has warnings; -1: not known yet. */
    int64_t late_tasks;         /* At most LATE_TASKS_COUNTED_MAX. */
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t minutes_known; /* At the end; 0: the tenant is not counted. */
    int64_t now_ms, began_ms;
    size_t jobs_ready, jobs_leased;
    int64_t oldest_ready_ms; /* The oldest job that is ready waits since then; 0: there is none. */
    int64_t next_timer_ms;   /* INT64_MAX: none comes soon. */
    size_t workers;          /* Seen in the last minutes. */
    size_t unpolled_types;   /* With jobs that wait, for which nobody polls … */
    size_t unpolled_jobs;    /* … the jobs … */
    str unpolled;            /* … and one of the types. */
    bool disk_full;
    bool paused;                 /* New instances do not begin. */
    size_t nodes;                /* That live; 0: the store is not shared. */
    int64_t node, gone, gone_ms; /* Our number; the node that was last seen to go, and when (0: none was). */
};

/* SERIES */
struct answer_series {
    int64_t from_ms; /* The time of the first minute. */
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t known; /* So many of them, at the end, are known. */
};

struct operate_worker {
    str name;
    int64_t seen_ms;
    int64_t leased; /* -1: too many jobs are open to count. */
};

struct operate_type {
    str type;
    size_t open, leased, pollers;
    int64_t oldest_ms;             /* The oldest that is ready waits since then; 0: there is none. */
    struct activity_jobs ended;    /* In the last hour. */
    struct operate_worker *worker; /* Seen lately, or with leases. */
    size_t worker_count;
};

/* WORKERS */
struct answer_workers {
    struct operate_type *type; /* By name. */
    size_t count;
    bool cut;                                        /* There are more types than are shown. */
    struct activity_jobs performer[PERFORMER_COUNT]; /* Since the engine began. */
};

/* Jobs of one type, as /metrics tells of them. */
struct durations;
struct job_series {
    int32_t ns;
    str type;       /* METRIC_OTHER: all others of the tenant. */
    size_t ready;   /* Jobs that wait in the memory of this node … */
    size_t offered; /* … and in the database, for any node. */
    size_t leased;
    int64_t oldest_ms; /* Since when the oldest waits; 0: none does. */
    int64_t polled_ms; /* When a worker last asked this node for it; 0: not in the last hour. */
    uint64_t done, failed;
    const struct durations *took; /* From hand-out to result; NULL: no worker has asked for it. */
};

/* JOB_SERIES: the types of the caller's tenant; of all tenants for the default tenant. */
struct answer_job_series {
    struct job_series *series; /* By tenant and type. */
    size_t count;
};

#endif
