/* program/program.h — a compiled definition, ready to run.
 *
 * A program is what a document of any dialect becomes. It never changes after
 * program_link(), so threads share it without a lock. Nodes are addressed by index inside
 * one program, and by their author's name in anything stored.
 *
 * A node is entered by a token, does what its kind says, and is left along one of its
 * edges: the first whose condition holds. What the kinds of a later dialect need is added
 * here as a field or, rarely, as a kind; nothing behind the front ends asks which dialect a
 * program came from.
 */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "expr/expr.h"
#include "program/problem.h"

#define NODE_KIND_MAP(XX)                                                                     \
    /* name    word      waits   does                                                      */ \
    XX(TASK,   "task",   true,   "opens a job and parks until its result")                    \
    XX(WAIT,   "wait",   true,   "parks until a signal or a person's answer")                 \
    XX(CHOOSE, "choose", false,  "takes the first edge whose condition holds")                \
    XX(TABLE,  "table",  false,  "computes data by a decision table")                         \
    XX(SET,    "set",    false,  "computes data by assignments")                              \
    XX(FORK,   "fork",   false,  "opens a scope with a token per edge")                       \
    XX(JOIN,   "join",   true,   "parks until every token of its scope has arrived")          \
    XX(END,    "end",    false,  "ends the instance")

enum node_kind {
#define XX(NAME, word, waits, does) NODE_##NAME,
    NODE_KIND_MAP(XX)
#undef XX
    NODE_KIND_COUNT
};

const char *node_kind_word(enum node_kind kind);
bool node_kind_waits(enum node_kind kind); /* Can a token rest there? */

#define NODE_NONE UINT32_MAX

struct program_edge {
    uint32_t target;
    const struct expr *when; /* NULL: always. */
};

/* Runs while a token waits at the node. */
struct program_timer {
    int64_t delay_ms;
    bool interrupting; /* Takes the token away from the node; else a new one goes to the target. */
    uint32_t target;
};

struct program_retry {
    uint32_t count;
    int64_t first_ms; /* Delay before the first retry; 0: at once. */
    double factor;    /* Of each delay to the one before. */
    int64_t max_ms;
};

/* Delay before retry number `retry` (from 1), capped, without overflow. */
int64_t program_retry_delay_ms(const struct program_retry *policy, uint32_t retry);

enum data_merge { MERGE_SHALLOW, MERGE_DEEP };

/* A named value: a constant, or computed. */
struct program_value {
    str name;
    const struct json *literal; /* If expr is NULL. */
    const struct expr *expr;
};

enum field_type { FIELD_STRING, FIELD_NUMBER, FIELD_INTEGER, FIELD_BOOLEAN, FIELD_ANY };
struct program_field {
    str name;
    enum field_type type;
    bool required;
};
struct program_fields {
    const struct program_field *field;
    size_t count;
};

/* Checks an object's members against the fields; unknown members are fine. */
enum status program_fields_check(const struct program_fields *fields, const struct json *object,
                                 struct error *err);

#define HIT_POLICY_MAP(XX)                                                    \
    XX(UNIQUE,     "U",  "exactly one rule may match")                        \
    XX(FIRST,      "F",  "the first rule that matches")                       \
    XX(ANY,        "A",  "all rules that match must agree")                   \
    XX(RULE_ORDER, "R",  "a list with an entry for each match")               \
    XX(COLLECT,    "C",  "a list with an entry for each match")               \
    XX(SUM,        "C+", "the sum of each column")                            \
    XX(NUMBER_OF,  "C#", "how many rules matched")                            \
    XX(MAXIMUM,    "C>", "the largest of each column")                        \
    XX(MINIMUM,    "C<", "the smallest of each column")

enum hit_policy {
#define XX(NAME, code, meaning) HIT_##NAME,
    HIT_POLICY_MAP(XX)
#undef XX
    HIT_POLICY_COUNT
};

const char *hit_policy_code(enum hit_policy policy);

struct program_cell {
    str column;
    const struct expr *test;
};

struct program_rule {
    const struct program_cell *cell; /* Blank cells are left out. */
    size_t cell_count;
    const struct program_value *output;
    size_t output_count;
};

enum wait_for { WAIT_FOR_SIGNAL, WAIT_FOR_PERSON };

struct program_node {
    enum node_kind kind;
    str name;     /* The author's id. */
    str title;    /* The author's label. */
    str type;     /* The dialect's own word: "SERVICE_TASK". */
    str pointer;  /* Where in the document. */
    const struct program_edge *edge;
    size_t edge_count;  /* 0: the flow stops here (END always; a dead end otherwise). */
    uint32_t shadowed;  /* A target that is named and never taken; it counts as reachable. 0: none. */
    str no_edge_reason; /* Why the instance fails if there are edges and none holds. */
    const struct program_timer *timer;
    size_t timer_count;

    union {
        struct {
            str job_type;
            struct program_retry retry;
            enum data_merge merge;
            struct program_fields outputs;
        } task;
        struct {
            enum wait_for what;
            str label; /* A person's task: for routing to a form or a list. */
        } wait;
        struct {
            enum hit_policy policy;
            const struct program_rule *rule;
            size_t rule_count;
        } table;
        struct {
            const struct program_value *value; /* In order: each sees the ones before. */
            size_t count;
        } set;
        struct {
            uint32_t join; /* Where the scope closes. */
        } fork;
        struct {
            bool chain; /* Start program->next_definition when the instance ends here. */
        } end;
    } as;
};

struct program {
    str dialect;         /* "steps" */
    str id;              /* The definition's key. */
    str title;
    str description;
    str next_definition; /* Started when an instance ends; empty: none. */
    struct program_fields inputs;
    int32_t priority;    /* 0..10, 5 by default: which jobs go first. */
    const struct program_node *node;
    size_t node_count;
    uint32_t start;
    str node_word;       /* What the dialect calls a node, for messages: "step". */

    /* Filled by program_link(). */
    uint32_t *by_name_;  /* Node indices sorted by name. */
    struct arena arena_;
    uint32_t references_;
};

/* An empty program with one reference; the front end fills it, allocating from
 * program_arena(), and calls program_link() before anybody else sees it. */
struct program *program_new(void);
struct arena *program_arena(struct program *program);
void program_link(struct program *program);

/* Takes a reference and returns its argument. Any thread. */
struct program *program_ref(struct program *program);
/* Drops a reference; the last one frees the program. NULL is allowed. */
void program_unref(struct program *program);

/* The index of the node with that name, or NODE_NONE. */
uint32_t program_find(const struct program *program, str name);

/* Looks at a linked program as a graph and reports what can be seen without running it:
 * unreachable nodes, no end, forks and joins that do not fit, loops in which nothing waits,
 * overlapping or incomplete tables, dead ends. Which of these are errors is said in
 * program/README.md. */
void program_check(const struct program *program, struct problems *problems);

/* The program as text, for `pawl explain` and golden files. */
void program_print(const struct program *program, struct buf *out);

/* The program as a picture. */
enum picture { PICTURE_SVG, PICTURE_DOT, PICTURE_MERMAID };
void program_draw(const struct program *program, enum picture picture, struct buf *out);

#endif
