/* runtime/memory/memory.h — the door to what one node knows without asking the store. */
#ifndef RUNTIME_MEMORY_MEMORY_H
#define RUNTIME_MEMORY_MEMORY_H

#include "runtime/call/call.h"
#include "runtime/memory/cache.h"
#include "runtime/memory/callbacks.h"
#include "runtime/memory/catalogue.h"
#include "runtime/memory/deadlines.h"
#include "runtime/memory/trigger_routes.h"
#include "runtime/memory/facts.h"
#include "runtime/memory/fair.h"
#include "runtime/memory/jobs.h"
#include "runtime/memory/live.h"
#include "runtime/memory/metrics.h"
#include "runtime/memory/model_cache.h"
#include "runtime/memory/task_feed.h"
#include "runtime/memory/activity.h"
#include "runtime/memory/query.h"
#include "runtime/memory/run_series.h"
#include "runtime/memory/schedules.h"
#include "runtime/memory/shares.h"
#include "runtime/memory/timers.h"
#include "runtime/memory/usage.h"
#include "runtime/memory/watchers.h"

struct directory;

/* All of it follows from the store, except the feed of tasks, the activity and the series of runs. */
/* A run that has got on, by a command that has committed. */
struct advance {
    uint64_t instance;
    int64_t created_ms;
    uint32_t revision; /* The command. */
    bool has_ended, is_test;
};

/* Hears of each, in the turn, so it only takes a note. Without a function: nobody wants to know. */
struct advance_watcher {
    void (*note)(void *context, const struct advance *advance);
    void *context;
};

struct memory {
    struct catalogue catalogue;
    struct cache cache;
    struct model_cache models;
    struct deadlines deadlines;
    struct jobs jobs;
    struct timers timers;
    struct watchers watchers;
    struct schedules schedules;
    struct live live; /* Changes, for calls that listen. */
    struct task_feed task_feed;
    struct callbacks callbacks;
    struct activity activity;
    struct run_series run_series;
    struct trigger_routes trigger_routes;
    struct usage usage;
    struct advance_watcher advance_watcher; /* Hears of what has committed. */
    struct directory *directory; /* Names of tenants, for the log. Borrowed; NULL: there is none. */
};

#endif
