/* dialect/serverless/lower_int.h — types and functions that the lowering files share.
 *
 * A state becomes one visible node. If one node does not suffice, because there are several actions, a loop
 * or events, that node is a scope. Its work is then a region of inner nodes that work on a *frame*: an
 * object of registers, which is that region's data.
 *
 *     S       the state's filtered input, with event data merged in
 *     M, D    between actions in sequence: everything merged so far, and the next action's input
 *     R       the value of the state, or of one round of its loop
 *     items, index, E, out    a loop's collection, where it is, its element, the values so far
 *     result  what went to resultPath in this round, if the loop's condition may want it
 *     fired   which entry of an EVENT or choice of a SWITCH decides, from 1
 *
 * Register names are stored with running instances: they cannot be changed.
 */
#ifndef DIALECT_SERVERLESS_LOWER_INT_H
#define DIALECT_SERVERLESS_LOWER_INT_H

#include "dialect/serverless/serverless_int.h"

struct name_set {
    str *slot; /* A power of two of them; p == NULL: free. */
    size_t cap;
    size_t count;
};

struct lowering {
    const struct workflow *workflow;
    struct program *program;
    struct problems *problems;
    struct arena *arena; /* The program's. */
    struct program_node **node;
    size_t node_count;
    struct name_set names;
    size_t cut_count;                 /* Names that were too long so far. */
    uint32_t end;                     /* The one END: of the instance, and of every region. */
    const struct jsonpath *exception; /* $.exception */
    size_t used_before;               /* Bytes of the arena that reading took. */
    bool full;                        /* Too large, and that has been reported. */
    /* The workflow's handlers, lowered once for states whose S is the data itself and once for states whose S
     * is in a frame; NULL: not needed yet. */
    const struct program_handler *shared[2];
};

/* ---- lower_nodes.c ---- */

/* Adds a node and returns its index. */
uint32_t lower_add_node(struct lowering *lowering, struct program_node node);
/* Adds an inner node called "<state>/<word>". */
uint32_t lower_inner(struct lowering *lowering, enum node_kind kind, const struct state *state, str word,
                     str pointer);
struct program_node *lower_node(const struct lowering *lowering, uint32_t index);

/* The expression, or a dummy if the program has become too large. */
const struct expr *lower_expr(struct lowering *lowering, struct expr_tree *tree);
bool lower_has_room(struct lowering *lowering);

/* Room for one more item behind `count` others: the list, or a larger copy of it. */
void *lower_grow(struct arena *arena, const void *list, size_t count, size_t item_bytes);

/* ---- lower_names.c ---- */

/* Gives every state its node_name. */
void lower_names(struct lowering *lowering);
/* The name, or one like it that nothing else has. */
str lower_unique(struct lowering *lowering, str name);
/* The name, or one like it that is not among the regions. */
str lower_region_name(const struct program_region *region, size_t count, str name, struct arena *arena);

/* ---- lower_filter.c: values ---- */

/* A register of the frame: seen from inside the frame, and seen from the scope's own node. */
struct expr_tree *lower_register(const struct lowering *lowering, str name);
struct expr_tree *lower_of_frame(const struct lowering *lowering, str name);
struct expr_tree *lower_int(const struct lowering *lowering, int64_t value);
/* filter(path, value); no path, or `$`: the value. */
struct expr_tree *lower_filtered(const struct lowering *lowering, const struct jsonpath *path, str text,
                                 struct expr_tree *value);
/* S of a state whose node stands in its own scope. */
struct expr_tree *lower_subject(const struct lowering *lowering, const struct state *state);
/* The state's value S' behind its outputPath. */
struct expr_tree *lower_let_go(const struct lowering *lowering, const struct state *state,
                               struct expr_tree *value);
/* place(subject, resultPath, result), or the alternative if there is no resultPath. */
struct expr_tree *lower_placed(const struct lowering *lowering, const struct state *state,
                               struct expr_tree *subject, struct expr_tree *result,
                               struct expr_tree *otherwise);
/* Is S the data itself, without any filter? */
bool lower_takes_everything(const struct state *state);

void lower_output(struct lowering *lowering, uint32_t node, str name, struct expr_tree *tree);
void lower_output_literal(struct lowering *lowering, uint32_t node, str name, const struct json *value);
void lower_append(struct lowering *lowering, uint32_t node, str name, struct expr_tree *tree);
/* The output of a state whose result is S itself, for its own node. */
void lower_pass(struct lowering *lowering, const struct state *state);

/* ---- lower_ways.c: conditions, edges, handlers ---- */

struct expr_tree *lower_condition(struct lowering *lowering, const struct condition_text *condition,
                                  const struct condition_names *names);
/* Where the transition leads; without one, to the end. */
struct program_edge lower_way(struct lowering *lowering, const struct state_transition *transition);
void lower_edge(struct lowering *lowering, uint32_t node, struct expr_tree *when, struct program_edge way);
void lower_edge_to(struct lowering *lowering, uint32_t node, struct expr_tree *when, uint32_t target);
/* The state's handlers and, at the top level, the workflow's. */
void lower_handlers(struct lowering *lowering, const struct state *state, bool framed);
/* Returns the base with these members in place of its own of the same names. A base that is no object gives
 * an object of these members alone. */
struct expr_tree *lower_with_members(const struct lowering *lowering, struct expr_tree *base, const str *name,
                                     struct expr_tree *const *value, size_t count);
/* {"exception": error, "error": error} */
struct expr_tree *lower_error_members(const struct lowering *lowering);
void lower_timer(struct lowering *lowering, uint32_t node, struct program_timer timer);

/* ---- lower_body.c: the work of a state, wherever it stands ---- */

struct state_body {
    struct lowering *lowering;
    const struct state *state;
    struct expr_tree *subject; /* The value that the work is about: S or, in a loop, the element. */
    str subject_name;          /* Its register, if it has one. */
    struct expr_tree *whole;   /* S. */
    bool loop;
    struct expr_tree *out; /* The values of the loop so far; NULL: not kept. */
    bool framed;           /* Inside a frame: the result goes to R. Else it becomes the data. */
    uint32_t levels;       /* Regions between here and where the state stands. */
};

/* Returns the value of the state or the round: `result` goes to resultPath, and without a resultPath
 * `merged` takes the place of the subject. */
struct expr_tree *lower_value(const struct state_body *body, struct expr_tree *result,
                              struct expr_tree *merged);
/* Makes that the node's output. */
void lower_finish(const struct state_body *body, uint32_t node, struct expr_tree *result,
                  struct expr_tree *merged);
/* The data with which the state is left early, if `value` is its value. */
struct expr_tree *lower_left_with(const struct state_body *body, struct expr_tree *value);

/* The state's data with the loop's values so far and this one behind them. */
struct expr_tree *lower_collected(const struct state_body *body, struct expr_tree *value);
/* Must a round of the loop leave its result beside its value? */
bool lower_keeps_result(const struct state *state);

/* ---- lower_actions.c ---- */

/* Can one node do all actions? It can if there is only one, or if they are parallel. */
bool lower_actions_fit_one_node(const struct actions *actions);
/* Makes the node do them. `word` is put before the names of inner nodes. */
void lower_actions_into(const struct state_body *body, const struct actions *actions, str word,
                        uint32_t node);
/* Makes inner nodes of at least one action that lead on to `next`; returns the first. */
uint32_t lower_actions(const struct state_body *body, const struct actions *actions, str word, uint32_t next);

/* ---- lower_loop.c ---- */

struct loop_nodes {
    struct state_body body; /* The work of one round. */
    uint32_t next;          /* Takes the next element, or ends. */
    uint32_t collect;       /* Where a round leads to. */
};

/* Makes the state's node the scope of a loop; `fires` if rounds set `fired`. */
struct loop_nodes lower_loop_open(struct lowering *lowering, const struct state *state, bool fires);
/* A round begins at `first`. It leaves its value in R, unless `result` (over the frame) is what
 * would go to resultPath. */
void lower_loop_close(const struct loop_nodes *loop, uint32_t first, struct expr_tree *result);

/* Makes the state's node a scope of one region, whose frame begins with S. */
void lower_frame(struct lowering *lowering, const struct state *state, uint32_t start);
/* The work inside such a region, without a loop. */
struct state_body lower_frame_body(struct lowering *lowering, const struct state *state);

/* ---- one per state type; the state's node exists and has its names and place ---- */

void lower_relay(struct lowering *lowering, const struct state *state);
void lower_delay(struct lowering *lowering, const struct state *state);
void lower_subflow(struct lowering *lowering, const struct state *state);
void lower_operation(struct lowering *lowering, const struct state *state);
void lower_switch(struct lowering *lowering, const struct state *state);
void lower_parallel(struct lowering *lowering, const struct state *state);
void lower_event(struct lowering *lowering, const struct state *state);

#endif
