/* tests/sim/network.h — requests on their way, and answers on theirs.
 *
 * A request is what a client wants. It may reach the engine in several copies (the network
 * duplicates, the client repeats), each a call of its own with its own memory, and each copy
 * has a fate:
 *
 *   answered   the engine has said yes or no; whether the client hears it is another matter
 *   unknown    the engine went away with it, or says that its store failed
 *   lost       it never arrived
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "runtime/call/call.h"
#include "world.h"

struct request;
struct copy;

/* The client hears an answer. Called at most once per request. */
typedef void reply_fn(struct world *world, struct request *request, const struct call *answer);

struct job_report { /* One item of a batch, or the job of a COMPLETE_JOB or FAIL_JOB. */
    struct id id;
    bool fails;
    bool retryable;
    const struct json *data;
    const struct json *failure; /* NULL: only words. */
    uint32_t op;                /* Names the report in the history. */
    uint32_t effects;           /* How often it is found there. */
    bool counts;                /* It must take effect, as the job was open when the turn began… */
    uint32_t life;              /* … for the time of its life. */
};

struct request {
    enum call_kind kind;
    uint32_t op; /* Its number, unique in the run: names it in the history. */
    str key;     /* Idempotency-Key; empty: none. */
    struct id id;
    str definition_id;
    int32_t version;
    str node, text, worker, business_key;
    const struct json *data;
    bool retryable;
    bool may_queue;                /* START: it may wait for a place. */
    bool by_hand;                  /* ARRIVE: a person fires the trigger. */
    bool early, alone, failed_too; /* SIGNAL, RETRY, CANCEL */
    bool with_ended;               /* DELETE_DEFINITION */
    const struct json *unset;      /* MODIFY */
    const struct modification *modification;
    size_t modification_count;
    bool performs;           /* Polls and reports as the engine's own performer. */
    bool intrudes;           /* Reports on what only the engine's own performer may. */
    bool strays;             /* A stranger of another tenant sends it. */
    const struct deed *deed; /* CHANGE_ACCESS (access.h); NULL: another kind. */
    struct visit *visit;     /* It comes with a credential; NULL: without one. */
    const struct json **event;
    size_t event_count;
    const struct json *bulk; /* BULK: the body. */
    int64_t wait_ms, lease_ms;
    const str *type;
    size_t type_count, max;
    uint32_t after;
    int32_t status; /* LIST_INSTANCES; -1: any. */
    struct job_report *report;
    size_t report_count;
    const struct entity_item *item; /* WRITE_ENTITIES, GET_ENTITY */
    size_t item_count;
    enum model_action action; /* CHANGE_MODEL */
    str token;                /* WRITE_ENTITIES: joins the transaction that waits for the job `id`. */
    struct server *node_for;  /* The node that it goes to; NULL: any. */
    const void *unit;         /* The unit that it has joined; NULL: none, or that one is over. */
    const struct server *unit_server;
    uint32_t unit_generation; /* The engine that had it. */
    bool commits_early;       /* WRITE_ENTITIES: a part may be committed although the rest fails. */
    bool wrong;               /* Its key is that of another request. */

    reply_fn *on_reply; /* NULL: the client does not care. */
    void *actor;
    uint64_t incarnation; /* Of the actor, when it asked. */
    uint32_t tries_left;
    bool once;    /* It comes once or not at all. */
    bool settled; /* The client heard an answer, or gave up. */

    /* What the checker counts. */
    int64_t first_arrived_ms; /* 0: no copy of it has arrived. */
    uint32_t ok_count;        /* Copies answered with success for the first time. */
    uint32_t unknown_count;
    uint32_t inside_count;
    uint32_t effects; /* History records that name it. */
    str answer;       /* The first one under its key, printed. */
};

struct copy {
    struct request *request;
    struct call *call;
    struct arena arena;
    size_t place;          /* In world->inside. */
    struct server *server; /* The node that has it. */
    int64_t arrived_ms;
    bool in_turn;         /* The engine has taken it. */
    size_t commit_before; /* The transactions there were when the turn began. */
    bool in_query;        /* It goes on as a query. */
    uint32_t waited;      /* The execution that waited for it when the turn began; 0: none. */
    bool leaves;          /* … and could be left with what it brings. */
    struct caller caller; /* The gate has found out who sends it … */
    bool at_gate;         /* … or has still to do so. */
    int64_t found_wall_ms;
    size_t oldest_version; /* Of the model of access, that may count for the principal. */
    int32_t let_in_ns;     /* The tenant in which it was let in; 0: it was not. */
    struct copy *spare;
};

void network_begin(struct world *world);
void network_end(struct world *world);

/* A request with a fresh number, in the world's arena. */
struct request *network_request(struct world *world, enum call_kind kind);
/* One more number that leads to it: for an item of a batch. */
uint32_t network_number(struct world *world, struct request *request);
void network_send(struct world *world, struct request *request);

/* The server's side: a copy was answered, or is lost together with the engine. Both end the copy. */
void network_answered(struct world *world, struct copy *copy);
void network_lost(struct world *world, struct copy *copy);

/* Nobody waits for the answers to this actor's requests any more. */
void network_abandon(struct world *world, const void *actor);

struct request *network_find(struct world *world, uint32_t op);
size_t network_count(const struct world *world);
/* Nothing is on its way or being worked on, waiting polls aside. */
bool network_idle(const struct world *world);
/* Says what it is, if there is something. */
void network_not_idle(struct world *world);

#endif
