/* dialect/entity/entity_int.h — a set of workflows, from its document to a program.
 *
 *     read.c     the document becomes these structs; every problem is told
 *     fields.c   warnings about members that nobody knows
 *     check.c    what can be wrong with a workflow as a whole: names, targets, endless circles
 *     lower*.c   each state becomes nodes
 *
 * The nodes of a program, named by JSON Pointers so that no two names can be alike:
 *
 *     ""            chooses the workflow of a new entity
 *     /W/S/+        the entity arrives in state S of workflow W: its token carries that from here on
 *     /W/S/?        the automated transitions of the state, in order (inner: /W/S/?1, … behind functions)
 *     /W/S          the entity rests in the state and waits for a transition
 *     /W/S/T/=      T is made, where another transition of the state leads to the same place
 *     /W/S/T/0      the first processor of transition T, and so on
 *     /W/S/T/?      the function that decides whether T is made, in a cascade
 *     /W/S/T/!      the same, if T is fired by name
 *     /W/S/T/.      T of the initial state, named by the creator of the entity
 *     /W/S/T/-      T was fired or asked for by name, and its criterion said no
 *     /W/S/T/@      the function that says when T is due; the entity comes to rest behind it
 *     /W/S/-        the creator named a transition that the initial state does not have
 *
 * The built-in workflow has an empty name here, which no other can have.
 */
#ifndef DIALECT_ENTITY_ENTITY_INT_H
#define DIALECT_ENTITY_ENTITY_INT_H

#include "dialect/entity/entity.h"
#include "dialect/limits.h"
#include "expr/build.h"
#include "expr/predicate/predicate.h"

/* How a processor is called. */
#define ENTITY_MODE_NEW_TX_WORD "ASYNC_NEW_TX"
/* clang-format off */
#define ENTITY_MODE_MAP(XX)                                                              \
    XX(SYNC,          "SYNC",                   "its failure undoes the whole write")    \
    XX(SAME_TX,       "ASYNC_SAME_TX",          "the same as SYNC")                      \
    XX(NEW_TX,        ENTITY_MODE_NEW_TX_WORD,  "its result is discarded, its failure undoes its writes") \
    XX(COMMIT_BEFORE, "COMMIT_BEFORE_DISPATCH", "what comes before it is committed first")
/* clang-format on */

enum entity_mode {
#define XX(NAME, word, meaning) ENTITY_MODE_##NAME,
    ENTITY_MODE_MAP(XX)
#undef XX
};

/* A processor or a function that a calculation node performs. */
struct entity_call {
    str name;
    str pointer;
    enum entity_mode mode;
    str mode_word; /* As it was written: an unknown one is SYNC. */
    str tags, context;
    bool attaches;   /* The entity goes with the request. */
    bool has_new_tx; /* startNewTxOnDispatch */
    bool is_retried; /* retryPolicy FIXED: ENTITY_RETRIES times, so long after each failure. */
    int64_t timeout_ms;
};

struct entity_criterion {
    const struct expr *when;     /* NULL: always, or a function decides. */
    struct entity_call function; /* Its name is empty if there is none. */
};

struct entity_transition {
    str name, next, pointer;
    bool manual, disabled;
    bool is_scheduled;
    int64_t delay_ms; /* Scheduled: so long after the entity came to rest. */
    int64_t late_ms;  /* -1: however late. */
    struct entity_call
        schedule; /* Scheduled: the function that says when; its name is empty if there is none. */
    struct entity_criterion criterion;
    const struct entity_call *processor;
    size_t processor_count;
    uint32_t target; /* Index of the state, or NODE_NONE. */
    uint32_t begin;  /* The node where its processors begin. */
};

struct entity_state {
    str name, pointer, base; /* base: the name of its wait node. */
    struct entity_transition *transition;
    size_t transition_count;
    bool is_initial;
    uint32_t arrive, choose, rest, wait; /* Nodes. choose: the same as rest if nothing is automated. rest: the
                                            same as wait if no function is asked before. */
};

struct entity_workflow {
    str name, initial, pointer, base;
    bool active;
    bool
        allows_cycles; /* Automated transitions may lead in a circle: the visits of its states are bounded. */
    struct entity_criterion criterion;
    struct entity_state *state;
    size_t state_count;
};

struct entity {
    struct program *program;
    struct arena *arena;   /* The program's. */
    struct arena *scratch; /* The problems'. */
    struct problems *problems;
    str name;
    int32_t version;
    struct entity_workflow *workflow; /* The built-in one is the last. */
    size_t workflow_count;
    struct program_node *node;
    size_t node_count, node_cap;
    bool counts_visits, has_schedules; /* has_schedules: of functions. */
};

/* ---- read.c ---- */

/* False: the document is no set of workflows at all. */
bool entity_read(struct entity *entity, const struct json *document);

/* ---- fields.c ---- */

/* Warns of members that no part of a workflow has. */
void entity_fields_check(struct entity *entity, const struct json *document);

/* ---- check.c ---- */

void entity_check(struct entity *entity);

/* ---- stamp.c ---- */

const struct json *entity_timer_stamp(const struct program *program, const struct instance *instance,
                                      uint32_t timer, int64_t now_ms, struct arena *arena);

/* ---- lower.c, lower_calls.c ---- */

void entity_lower(struct entity *entity);

/* A new node. The pointer it returns is void after the next call. */
struct program_node *entity_add_node(struct entity *entity, enum node_kind kind, str name, str title,
                                     str type, str pointer, uint32_t *ret_index);
/* Makes the node a task that a calculation node performs. `kind`: ENTITY_ASKS_… */
struct entity_site {
    const struct entity_workflow *workflow;
    const struct entity_state *state;           /* NULL: the workflow is being chosen. */
    const struct entity_transition *transition; /* NULL: likewise. */
};
void entity_make_task(struct entity *entity, uint32_t node, const struct entity_call *call, const char *kind,
                      const struct entity_site *site);
/* Errors at the node lead to the target. */
void entity_set_handler(struct entity *entity, uint32_t node, uint32_t target);
/* Gives the node one edge, to the target. */
void entity_set_edge(struct entity *entity, uint32_t node, uint32_t target);

#endif
