/* runtime/nodes/nodes.h — the other nodes on the same store: who lives, who is dead, what they have changed.
 *
 * In a shared store (store/nodes.h) several engines work on the same instances. Transactions keep them apart:
 * whatever a turn rests on is compared when it commits. So memory may be stale, but a stale memory only costs
 * another attempt. The functions here keep it fresh:
 *
 *   heartbeats       every 200 ms, on which the others see that we live, and we that they do
 *   generation  of the configuration: a node that finds a newer one forgets what it knows of definitions,
 *               triggers, models, indexes, secrets and schedules
 *   news        the instances that other nodes have changed, for those who watch them here
 *   fence       a node without a heartbeat for 1.5 seconds is fenced, and the first of the living takes
 *               over its jobs; after the database was away all have 3 seconds to come back
 *
 * The node with the lowest number among the living *leads*: it does what is done once for all nodes
 * (schedules, bulks, indexes, searches, retention). For a moment two may lead: transactions keep them apart.
 * A store that is not shared has one node, which leads.
 */
#ifndef RUNTIME_NODES_NODES_H
#define RUNTIME_NODES_NODES_H

#include "base/log.h"
#include "runtime/call/call.h"
#include "runtime/nodes/lease_news.h"
#include "runtime/nodes/shared_jobs.h"

#include "store/nodes.h"

struct engine;
struct turn;

/* Another node, and when its heartbeats were first seen as they are. */
struct seen_node {
    int64_t id;
    int64_t heartbeats;
    int64_t changed_ms;
    int looks; /* How often they were. */
    bool dead;
};

struct nodes {
    bool shared;
    bool leads;         /* This node does what is done once for all. */
    size_t rank, count; /* Our place among the living, and how many they are. */
    int64_t next_heartbeat_ms;
    int64_t last_heartbeat_ms; /* The last one that was counted; 0: none was. */
    int64_t looked_ms;         /* The last look at the others that counts. */
    int looks_left;            /* After we stood still: so many before one of them may be taken for dead. */
    int64_t return_ms;         /* After the database was away, none of them is before that time. */
    struct seen_node seen[NODES_MAX];
    size_t seen_count;
    int64_t gone, gone_ms; /* The node that was last seen to leave or to be fenced, and when; 0: none was. */
    int64_t successor_of;  /* The dead node whose jobs are being taken over; 0: none. */
    uint64_t successor_after; /* Up to this instance it is done. */
    bool successor_ends;      /* Its instances that must not outlive it are being ended, or have. */
    int64_t news_us;          /* When we last looked at the news of others; 0: not yet. */
    uint64_t *changed;        /* Instances that others have changed and somebody here waits for. */
    size_t changed_count, changed_cap;
    const struct map *runs; /* By instance: the runs that calls here wait for (transact/units.h). */
    struct offers offers;
    struct leases leases;
};

/* ---- nodes.c ---- */

/* Does this node do what is done once for all? */
bool nodes_lead(const struct engine *engine);
/* Are there others? */
bool nodes_have_others(const struct engine *engine);
/* Wakes the others, if there are some: they look for offers, and for changes of access if those are the
 * reason, and heartbeat if they believed to be alone. */
void nodes_wake_others(const struct engine *engine, enum store_wake why);
/* When there is something to do because of other nodes: INT64_MAX on a store that is not shared. */
int64_t nodes_next_ms(const struct engine *engine);
void nodes_close(struct engine *engine);

/* ---- heartbeat.c ---- */

enum { HEARTBEAT_MS = 200 };

/* Joins, if the store is shared. */
enum status nodes_open(struct engine *engine, struct error *err);
/* Heartbeats, and takes note of who lives. If others have taken us for dead, it calls `rejoin` and heartbeats
 * again. False: the database did not take the heartbeat. */
bool nodes_heartbeat(struct engine *engine, void (*rejoin)(struct engine *), int64_t *ret_generation);
/* Declares nodes dead whose heartbeats have stopped. */
void nodes_fence_silent(struct engine *engine);
void nodes_log(enum log_level level, const char *what, int64_t node);

/* ---- news_write.c, news_read.c ---- */

/* Before the commit: writes for the others what the transaction changes. */
enum status news_write(struct turn *turn, struct error *err);
/* Reads what others have written. Between turns. answers_wake.c answers calls that waited for it. */
void news_read(struct engine *engine);
/* Some news is lost: all calls that wait have to look. */
void news_read_all(struct engine *engine);
/* The next turn wakes those who wait for the instance. */
void news_look_again(struct engine *engine, uint64_t instance);

#endif
