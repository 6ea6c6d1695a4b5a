/* tests/sim/actors.h — who uses the engine: workers, and clients of every kind.
 *
 * An actor knows what it was answered and nothing else: not the model, not the store. It acts
 * in events, one request at a time or several, and does not mind being answered late, twice or
 * never.
 */
#ifndef SIM_ACTORS_H
#define SIM_ACTORS_H

#include "network.h"

enum { DEFINITIONS_IN_USE_MAX = 8, SCHEDULES_MAX = 2, TRIGGER_ROUTES_MAX = 5 };

struct worker {
    str id;
    uint64_t incarnation; /* What an earlier one meant to do is not done. */
    bool asleep;
    bool performs; /* It does what the engine does itself. */
};

struct client {
    uint32_t index;
};

struct deployed {
    str id, next;
    str source;           /* The latest that was sent. */
    str older;            /* The one before; empty: none. */
    str inserted, behind; /* A step that one of its versions has more, and the one behind it. */
    int32_t latest;       /* The highest version that was heard of. */
    bool accepted;
    int64_t rests_ms; /* The clients do not publish it again before this time. */
    bool flow;        /* A Serverless Workflow document. */
    bool graph;       /* A flow graph. */
    bool ticks;       /* It starts by a schedule. */
};

struct actors {
    LIST(struct worker) workers;
    LIST(struct client) clients;
    LIST(struct id) known; /* Instances somebody has heard of. */
    struct deployed definition[DEFINITIONS_IN_USE_MAX];
    uint32_t definition_count;
    struct deployed scheduled[SCHEDULES_MAX]; /* Nobody starts them but their schedules. */
    uint32_t scheduled_count;
    struct deployed trigger_route[TRIGGER_ROUTES_MAX]; /* Their triggers want the same paths. */
    uint32_t trigger_route_count;
    uint32_t starts_left;
    struct id bulk;                   /* The one that was begun last; none: its instance is 0. */
    str spent_key;                    /* Of a request that was answered. */
    LIST(const struct json *) events; /* That were sent, at least once. */
};

void actors_begin(struct world *world);
/* The faults have stopped: everybody sees to it that all is finished. */
void actors_calm(struct world *world);

/* actors_worker.c */
void worker_begin(struct world *world, struct worker *worker);

/* actors_client.c */
void client_tick(struct world *world, void *client);
void client_know(struct world *world, struct id instance);
void client_deploy(struct world *world, struct deployed *definition, bool anew);

/* actors_event.c: sending events, also again */
void event_send_any(struct world *world);
/* What a token at an EVENT state of that name waits for. */
void event_send_awaited(struct world *world, str node, str correlation);

/* actors_arrive.c: requests to triggers */
void arrive_any(struct world *world);

/* actors_trigger_routes.c: definitions that want the same paths, and requests to them */
void trigger_routes_begin(struct world *world);
void trigger_routes_any(struct world *world);
void trigger_routes_calm(struct world *world);

/* actors_secrets.c: setting, removing and listing secrets, and other keys */
void secrets_any(struct world *world);

/* actors_retire.c: retiring and deleting definitions */
void retire_any(struct world *world);

/* actors_bulk.c: one command for many */
void bulk_any(struct world *world);

/* actors_attend.c: looking at instances, and doing what they wait for */
void attend_to(struct world *world, struct id instance);
void attend_sweep(struct world *world, size_t max);
void attend_read(struct world *world);
/* Looks at an instance, and modifies it by hand. */
void attend_modify(struct world *world, struct id instance);
/* A request that names an instance and a step. */
struct request *attend_request(struct world *world, enum call_kind kind, struct id instance, str step);

#endif
