/* tests/sim/graph.h — a flow graph as its author means it, read from the document alone.
 *
 * Only what generate_graph() writes is understood. Besides the nodes of the document there are those that
 * histories name: the end where unwired ports lead, the split behind a join, and what undoes a node.
 */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include "world.h"

#define GRAPH_NONE SIZE_MAX

enum graph_kind {
    GRAPH_START,
    GRAPH_FINISH,
    GRAPH_CALL,
    GRAPH_SET,
    GRAPH_CHOICE,
    GRAPH_ALL_WAYS,
    GRAPH_FITTING_WAYS,
    GRAPH_PAUSE,
    GRAPH_LOOP,
    GRAPH_LISTEN,
    GRAPH_KIND_COUNT
};

enum join_kind { NO_JOIN, ALL_EDGES, SO_MANY_EDGES, INCLUSIVE };

struct graph_edge {
    size_t from, to;
    str port;
    bool otherwise;               /* The default way of a gateway. */
    const struct json *condition; /* About a member of the current trigger's payload; NULL: none. */
    uint32_t way;                 /* Its number among those that lead to a join; 0: to none. */
};

struct graph_node {
    str id;
    enum graph_kind kind;
    size_t parent;            /* The loop around it. */
    LIST(size_t) in, out;     /* Edges, in the document's order. */
    uint32_t ways;            /* Of a gateway: how many lead in. */
    enum join_kind join;      /* Of a gateway with several edges in. */
    uint32_t wanted;          /* SO_MANY_EDGES */
    bool cancels;             /* SO_MANY_EDGES: those who could still come. */
    uint32_t window;          /* LOOP */
    bool goes_on;             /* LOOP: although an item failed. */
    const struct json *items; /* LOOP: a list, or a text that means the payload's. */
    int64_t wait_ms;          /* PAUSE; LISTEN: how long. */
    str trigger;              /* LISTEN */
    str lock;                 /* It is held while a token is there; empty: none. */
    uint32_t lock_size;
    uint32_t attempts_max;  /* CALL */
    int64_t first_delay_ms; /* CALL: before the second attempt. */
    bool doubles;           /* … and twice as long before each other. */
    size_t undo;            /* The node that undoes it. */
    bool fails, terminates; /* FINISH */
};

/* What happens if an instance with the key lives. */
enum on_match { MAP_OR_CREATE, MAP_OR_DISCARD, ALWAYS_CREATE, MAP_OR_REPLACE, ON_MATCH_COUNT };

struct graph_trigger {
    str id, path;
    size_t node; /* Where tokens enter. */
    enum on_match on_match;
    bool keyed; /* By the member "k" of the body. */
};

struct graph {
    LIST(struct graph_node) nodes;
    LIST(struct graph_edge) edges;
    LIST(struct graph_trigger) triggers;
    int32_t priority;
    uint32_t active_max; /* 0: no cap. */
    bool queues;         /* What is over the cap waits. */
    bool compensates, at_once;
    size_t end; /* The node where unwired ports lead. */
};

/* NULL if the document has no nodes. */
struct graph *graph_of_document(const struct json *document, struct arena *arena);

/* GRAPH_NONE if there is none. */
size_t graph_node_of(const struct graph *graph, str id);
/* NULL if there is none. */
const struct graph_trigger *graph_trigger(const struct graph *graph, str id);
/* The edge of a port; GRAPH_NONE: it is not wired. */
size_t graph_port(const struct graph *graph, size_t node, str port);
/* Does the condition of the edge hold for this payload? */
bool graph_holds(const struct graph_edge *edge, const struct json *payload);
/* Can a token at the node come to the join by its way of that number (0: by any), without passing the join?
 * One that stands at the join comes by none. */
bool graph_reaches(const struct graph *graph, size_t node, size_t join, uint32_t way);

/* The key of an arrival, or an empty text. */
str graph_key(const struct graph_trigger *trigger, const struct json *payload, struct arena *arena);

#endif
