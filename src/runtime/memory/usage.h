/* runtime/memory/usage.h — how much of its quotas each tenant uses.
 *
 * The numbers of a tenant are read from the store when the tenant is first met, and followed from then on: a
 * check costs no more than a comparison. The running transaction adds to numbers of its own, which count in
 * its checks at once, and for good when it has committed. After a crash the numbers are read again, so that
 * nothing of them can be lost.
 *
 * Several nodes: each reads the numbers again after its heartbeat, and follows its own changes between. So a
 * quota is exceeded by at most what the nodes begin between two heartbeats. Starts a second, jobs in flight
 * and streams are not in the store: each node allows its equal share of them, but at least one.
 *
 * A tenant without quotas costs the look at a flag. Only the thread that runs the engine uses this.
 */
#ifndef RUNTIME_MEMORY_USAGE_H
#define RUNTIME_MEMORY_USAGE_H

#include "access/limits.h"
#include "access/record/record.h"
#include "base/map.h"
#include "runtime/memory/metrics.h"

/* A tenant that was met. */
struct tenant_usage {
    int32_t ns;
    char name[ACCESS_NAME_BYTES_MAX + 1];
    bool is_known;              /* Its record was read. */
    bool is_limited;            /* It has a quota. */
    bool is_removed;            /* It is gone, or is being removed: nothing begins there. */
    bool is_counted;            /* Its numbers were read: only if it is limited, or somebody asked. */
    bool is_measured;           /* `used` has its stored bytes. */
    uint64_t epoch;             /* When they were read: usage->epoch. */
    int64_t limit[QUOTA_COUNT]; /* 0: none. */
    int64_t used[QUOTA_COUNT];  /* By all nodes, or by this one: see above. */
    int64_t added[QUOTA_COUNT]; /* By the running transaction. */
    bool is_moved;
    struct tenant_usage *next_moved;
    int64_t credit;                /* Thousandths of starts that it may begin now. */
    int64_t credit_ms;             /* When it had that credit. */
    int64_t second, starts_before; /* `used` has the starts of this second; there were so many in the last. */
    struct tenant_metrics *metrics;
    int64_t measure_ms, measure_every_ms; /* When its bytes are measured next, and how often. */
    unsigned alarms;                      /* Bits 1 << enum quota: at least four fifths are used. */
};

/* Reads the record and the numbers of the tenant into it. */
typedef enum status usage_read_fn(void *context, struct tenant_usage *tenant, struct error *err);

struct usage {
    struct map of_tenant; /* struct tenant_usage */
    struct tenant_usage *last;
    struct tenant_usage *first_moved;
    usage_read_fn *read;
    void *context;
    struct metrics *metrics;
    uint64_t epoch;     /* Counts heartbeats of a shared store: older numbers are read again. */
    int64_t node_count; /* Nodes that share the store. */
    int64_t now_ms;     /* The time of the turn. */
};

void usage_init(struct usage *usage, usage_read_fn *read, void *context, struct metrics *metrics);
void usage_done(struct usage *usage);

/* The tenant, whose record was read. If the store cannot be read now, it counts as one without quotas. */
struct tenant_usage *usage_look_up(struct usage *usage, int32_t ns);
static inline struct tenant_usage *usage_of(struct usage *usage, int32_t ns)
{
    struct tenant_usage *last = usage->last; /* Nearly always that of the call before. */
    return last && last->ns == ns && last->is_known ? last : usage_look_up(usage, ns);
}
/* The same with its numbers, whether it has quotas or not. */
enum status usage_count(struct usage *usage, int32_t ns, struct tenant_usage **ret_tenant, struct error *err);
/* Outside of a transaction: the tenant has a call, so what is out of date is read again. */
void usage_refresh(struct usage *usage, int32_t ns);
static inline void usage_meet(struct usage *usage, int32_t ns)
{
    const struct tenant_usage *last = usage->last;
    if (!last || last->ns != ns || !last->is_known || last->epoch != usage->epoch) usage_refresh(usage, ns);
}
/* The record of the tenant has changed; TENANT_ANY: those of all may have. */
void usage_forget(struct usage *usage, int32_t ns);
/* A heartbeat: the numbers that other nodes change are out of date. */
void usage_beat(struct usage *usage, int64_t node_count);

/* The key of the record (RECORD_REMOVAL) of a tenant that is being removed, or is gone. All keys of one state
 * have its prefix. Numbers of tenants are never given again, so the record of one that is gone stays. */
enum removal_state { REMOVAL_RUNS = 'r', REMOVAL_DONE = 'd' };
str usage_removal_key(enum removal_state state, int32_t ns, struct arena *arena);

/* ST_NOT_FOUND, in the words for a tenant that nobody knows: it is gone, or is being removed. */
enum status usage_check_there(struct usage *usage, int32_t ns, struct error *err);

/* This node's part of a quota that no store counts. */
int64_t usage_share(const struct usage *usage, int64_t limit);

/* ST_OVERLOAD, `tenant-limit`: so many more are too many. */
enum status usage_check(const struct usage *usage, const struct tenant_usage *tenant, enum quota quota,
                        int64_t more, struct error *err);
/* The same for one more start a second. */
enum status usage_check_start(struct usage *usage, struct tenant_usage *tenant, struct error *err);
/* The transaction adds so many. */
void usage_add(struct usage *usage, int32_t ns, enum quota quota, int64_t delta);
/* The transaction is over. */
void usage_end(struct usage *usage, bool committed);
/* A number that the store or another part of memory has. */
void usage_set(struct usage *usage, struct tenant_usage *tenant, enum quota quota, int64_t used);
/* How much is used now, for those who ask. */
int64_t usage_now(const struct usage *usage, const struct tenant_usage *tenant, enum quota quota);

/* The refusal, in words: `tenant-limit` with the member `limit`. */
enum status usage_refuse(const char *tenant, enum quota quota, int64_t limit, struct error *err);

#endif
