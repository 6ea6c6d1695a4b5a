/* runtime/call/live_calls.h — the call that waits for changes: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_LIVE_CALLS_H
#define RUNTIME_CALL_LIVE_CALLS_H

#include "base/str.h"
#include "runtime/limits.h"

/* The words are those of the topics that clients name. */
/* clang-format off */
#define LIVE_MAP(XX)                                             \
    XX(INSTANCES,   "instances")   /* Their public ids. */       \
    XX(ENTITIES,    "entities")    /* Their UUIDs. */            \
    XX(DEFINITIONS, "definitions") /* Ids. */                    \
    XX(DRAFTS,      "drafts")      /* Ids of definitions. */     \
    XX(TASKS,       "tasks")       /* Public ids of visits. */   \
    XX(TRIGGERS,    "triggers")    /* Ids of definitions. */     \
    XX(ARRIVALS,    "arrivals")    /* Numbers. */                \
    XX(BULK,        "bulk")        /* Public ids. */             \
    XX(MODELS,      "models")      /* "name/version" */          \
    XX(WORKERS,     "workers")     /* No ids: jobs were handed out, completed or failed. */
/* clang-format on */

enum live_kind {
#define XX(NAME, word) LIVE_##NAME,
    LIVE_MAP(XX)
#undef XX
        LIVE_KIND_COUNT
};

/* The noted ids of one kind: qualified names (base/tenant.h). */
struct live_set {
    size_t count;
    str id[LIVE_IDS_MAX];
};

/* The kinds of which a tenant has changes, as bits 1 << kind. */
struct live_tenant {
    int32_t ns; /* TENANT_ANY: nobody knows whose. */
    uint32_t kinds;
    uint32_t many; /* Not all ids of these kinds are there. */
};

/* All that was noted since the round before. */
struct live_round {
    struct live_set set[LIVE_KIND_COUNT];
    struct live_tenant *tenant; /* A tenant hears of its own changes only, also where no id tells whose. */
    size_t tenant_count;
    uint64_t bits[LIVE_BITS / 64]; /* Instances and entities, by a hash of their number. */
};

/* WATCH_LIVE. */
struct call_watch_live {
    int64_t wait_ms; /* How long the answer may wait for a change; 0: not at all. */
    bool stops;      /* The last listener has left: nothing is noted from now on. */
};

struct answer_live {
    const struct live_round *round; /* NULL: nothing has changed. */
};

#endif
