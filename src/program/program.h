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
#include "jsonpath/jsonpath.h"
#include "program/performer.h"
#include "program/problems.h"

/* clang-format off */
#define NODE_KIND_MAP(XX)                                                                     \
    /* name    word      waits   does                                                      */ \
    XX(TASK,   "task",   true,   "opens a job and parks until its result")                    \
    XX(WAIT,   "wait",   true,   "parks until a signal, a person's answer, events or a time") \
    XX(CHOOSE, "choose", false,  "takes the first edge whose condition holds")                \
    XX(TABLE,  "table",  false,  "computes data by a decision table")                         \
    XX(SET,    "set",    false,  "computes data by assignments")                              \
    XX(FORK,   "fork",   false,  "opens a scope with a token per edge")                       \
    XX(JOIN,   "join",   true,   "parks until every token of its scope has arrived")          \
    XX(END,    "end",    false,  "ends the instance, or the region it is in")                 \
    XX(SCOPE,  "scope",  true,   "opens regions with data of their own and parks until they are done")
/* clang-format on */

enum node_kind {
#define XX(NAME, word, waits, does) NODE_##NAME,
    NODE_KIND_MAP(XX)
#undef XX
        NODE_KIND_COUNT
};

const char *program_kind_word(enum node_kind kind);
bool program_kind_waits(enum node_kind kind); /* Can a token rest there? */

#define NODE_NONE UINT32_MAX

struct program_edge {
    uint32_t target;
    const struct expr *when;  /* NULL: always. */
    const struct expr *guard; /* NULL: none. If it does not hold the instance halts instead of going
                                 this way, and nothing can handle that. Sees the data as it goes on. */
    str label;                /* What pictures say of it; empty: its conditions as they are. */
};

/* What happens to the token when a timer fires. */
enum timer_does {
    TIMER_GO_TO,  /* It, or (not interrupting) a new one, goes to the target. */
    TIMER_GO_ON,  /* The wait is over, and complete. */
    TIMER_RAISE,  /* A timeout is raised at the node. */
    TIMER_EXPIRE, /* The event case of the same index is not awaited any longer; if no other is, a
                     timeout is raised. */
};

/* Runs while a token waits at the node. */
struct program_timer {
    int64_t delay_ms;
    int64_t at_ms; /* Not 0: due at this time, instead. */
    enum timer_does does;
    bool interrupting;   /* GO_TO: takes the token away from the node; else a new one goes to the target. */
    bool per_attempt;    /* Begins anew with every attempt of a task, when that may begin. */
    uint32_t target;     /* GO_TO; else NODE_NONE. */
    uint32_t event_case; /* EXPIRE: which. */
};

/* How long a task waits before it is tried again. */
struct program_delay {
    int64_t first_ms; /* Before the first retry; 0: every retry begins at once. */
    double factor;    /* Each delay is so many times as long as the one before. */
    int64_t max_ms;   /* No delay is longer. */
};

/* Delay before retry number `retry` (from 1), without overflow. */
int64_t program_delay_ms(const struct program_delay *delay, uint32_t retry);

/* What the data of an instance may be. Input is an object in any case. */
enum data_shape {
    DATA_OBJECT, /* An object: its members are the variables. */
    DATA_ANY,    /* Any JSON value. */
};

enum data_merge {
    MERGE_SHALLOW,
    MERGE_DEEP,
    MERGE_REPLACE, /* The new value takes the place of all. */
    MERGE_APPEND,  /* Each member goes behind the items of the list of that name. */
};

/* A named value: a constant, or computed. */
struct program_value {
    str name;                   /* In a node's `output`, empty: all the data is replaced. */
    const struct json *literal; /* If expr is NULL. */
    const struct expr *expr;
    bool append;   /* In a node's `output`: goes behind the items of the list of that name. */
    uint32_t sees; /* In a `set` node: of the assignments before it, the first so many must be visible. */
};

/* Where a token goes when an error is raised at its node or in a region it has opened. Its
 * expressions see the data of the token's scope, `error` and, if the node is a scope of one
 * region, that region's data as `frame`. */
struct program_handler {
    const struct expr *when; /* NULL: always. */
    const struct expr *data; /* What all the data becomes; NULL: it stays. */
    struct program_edge way; /* `when` is not looked at. */
    bool common;             /* Stands at every node of the top level: pictures show it once. */
};

/* When a task is tried again. The rules of a task are asked in order after every attempt, and the first that
 * holds decides. Expressions see the data and `result`, or `error` after a failure; the other of the two is
 * null. */
struct program_retry {
    const struct expr *when; /* NULL: always. */
    bool only_retryable;     /* Holds only after a failure that its reporter calls retryable. */
    bool unlimited;
    uint32_t count; /* Retries by this rule, of one visit. */
    struct program_delay delay;
    bool counts_down; /* The job says how many retries are left, and history has no JOB_RULE. Only the rule of
                         a task with one rule. */
    /* When the retries are used up the token goes this way. Target NODE_NONE: the error of the attempt is
     * raised instead or, after a result, the program's error `used_up`. */
    struct program_edge exit;
    uint32_t exit_levels;           /* How many regions the way leaves. */
    const struct expr *exit_error;  /* All the data becomes this there after a failure … */
    const struct expr *exit_result; /* … and this after a result. */
};

/* What a wait for events waits for: one of several conditions over what has been received. */
struct program_event_case {
    const struct expr *when;   /* Over one boolean per mentioned trigger. */
    const uint32_t *mentioned; /* Indices of the program's triggers. */
    size_t mentioned_count;
    const uint32_t *positive; /* Of these, at least one must have been received. */
    size_t positive_count;
    const struct program_value *output; /* Instead of the node's; sees `events`. */
    size_t output_count;
    uint32_t target;
};

/* Events that instances of the program take. */
struct program_trigger {
    str name, source, type;
    bool correlated;
    str attribute;                /* The token is this attribute of the event… */
    const struct jsonpath *token; /* … or at this path in it, or in its data. */
};

/* A part of a scope: runs from its start to an end, on data of its own. */
struct program_region {
    str name;
    uint32_t start;
    bool awaited;
};

/* The dialect's names of the errors that the core raises, in a program with named errors. */
struct program_error_names {
    str expression; /* An expression failed. */
    str filter;     /* A path could not be followed or written to. */
    str timeout;
    str no_way;  /* No edge holds. */
    str guard;   /* A guard does not hold. */
    str used_up; /* A result that no retry could mend. */
    str task;    /* A task failed without a name of its own. */
    str child;   /* A child could not be started. */
    str limit;   /* Too large, too many. */
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

/* clang-format off */
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
/* clang-format on */

enum hit_policy {
#define XX(NAME, code, meaning) HIT_##NAME,
    HIT_POLICY_MAP(XX)
#undef XX
        HIT_POLICY_COUNT
};

const char *program_policy_code(enum hit_policy policy);

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

enum wait_for { WAIT_FOR_SIGNAL, WAIT_FOR_PERSON, WAIT_FOR_EVENT, WAIT_FOR_TIME };

struct program_node {
    enum node_kind kind;
    uint32_t shadowed; /* A target that is named and never taken; it counts as reachable. 0: none. */
    str name;          /* The author's id. */
    str title;         /* The author's label. */
    str type;          /* The dialect's own word: "SERVICE_TASK". */
    str pointer;       /* Where in the document. */
    const struct program_edge *edge;
    size_t edge_count;  /* 0: the flow stops here (END always; a dead end otherwise). */
    str no_edge_reason; /* Why the instance fails if there are edges and none holds. */
    const struct program_timer *timer;
    size_t timer_count;
    /* What becomes of the data of the token's scope when the node is done: each value is
     * computed from the data before. Sees what the node brought: `result` of a task, `frame` of
     * a scope of one region, `outputs` (an object by region) of a scope of several. Where it is
     * given, a task's result is merged by no other way. Edges are chosen before it (with the same
     * view), guards looked at after it. */
    const struct program_value *output;
    size_t output_count;
    const struct program_handler *handler;
    size_t handler_count;
    bool inner; /* Made by the front end for its own ends: views leave it out. */

    union {
        struct {
            str job_type;
            enum data_merge merge;
            struct program_fields outputs;
            enum performer performer;
            const struct json *config; /* For the performer, as the dialect made it; NULL: none. */
            const struct expr *input;  /* The payload of the job; NULL: the data. */
            bool detached;             /* The work is begun and not awaited. */
            bool result_is_local; /* The result is any value, which output, edges and retries see as `result`
                                     and nothing else keeps. Else it is an object, merged into the data. */
            const struct program_retry *retry;
            size_t retry_count;
        } task;
        struct {
            enum wait_for what;
            str label; /* A person's task: for routing to a form or a list. */
            const struct program_event_case *event_case; /* WAIT_FOR_EVENT */
            size_t event_case_count;
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
            bool chain;  /* Start program->next_definition when the instance ends here. */
            bool region; /* Ends the region the token is in; outside of any, the instance. */
            bool branch; /* Ends the token alone; the last one that could go on completes the instance. */
        } end;
        struct {
            const struct program_region *region;
            size_t region_count;
            const struct expr *data; /* What every region begins with. */
            /* Over when all awaited regions are done or, if none is awaited, with the first that is. */
        } scope;
    } as;
};

struct program {
    str dialect; /* "steps" */
    str id;      /* The definition's key. */
    str title;
    str description;
    str next_definition; /* Started when an instance ends; empty: none. */
    struct program_fields inputs;
    int32_t priority; /* 0..10, 5 by default: which jobs go first. */
    int64_t rank;     /* Which version of one definition is the latest: the highest rank, then the newest. */
    const struct program_node *node;
    size_t node_count;
    uint32_t start;
    str node_word; /* What the dialect calls a node, for messages: "step". */
    const struct program_trigger *trigger;
    size_t trigger_count;
    const uint32_t *starting; /* Triggers whose events start an instance. */
    size_t starting_count;
    bool named_errors; /* An error has a name and is a value: handlers see it, and the instance keeps the one
                          that failed it. Else an error fails the instance at once, with its message alone. */
    struct program_error_names error_names;
    bool may_be_endless; /* That no end can be reached is the author's business. */
    enum data_shape data_shape;
    bool visits_show_data; /* The output of a visit, in views, is the data after it. Else it is what a worker
                              sent, or the data after a wait. */

    /* Filled by program_link(). */
    uint32_t *by_name_; /* Node indices sorted by name. */
    struct arena arena_;
    uint32_t references_;
};

/* An empty program with one reference; the front end fills it, allocating from
 * program_arena(), and calls program_link() before anybody else sees it. `bytes` is about what
 * it will need: programs are many and live long, so the arena has room for that and little more. */
struct program *program_new(size_t bytes);
struct arena *program_arena(struct program *program);
void program_link(struct program *program);
/* Fills in `sees` of a `set` node's assignments. What is made in the arena is not needed afterwards. */
void program_link_values(struct program_value *value, size_t count, struct arena *arena);

/* Takes a reference and returns its argument. Any thread. */
struct program *program_ref(struct program *program);
/* Drops a reference; the last one frees the program. NULL is allowed. */
void program_unref(struct program *program);

/* The memory it takes. */
size_t program_bytes(const struct program *program);

/* The index of the node with that name, or NODE_NONE. */
uint32_t program_find(const struct program *program, str name);

/* Per node: may a token stand there that the fork has sent out, or (NODE_NONE) one of the top level? A fork's
 * join is a place of its branches. */
const bool *program_inside(const struct program *program, uint32_t fork, struct arena *arena);
/* Per node: can a token that the fork has sent out come from there to its join? */
const bool *program_arrives(const struct program *program, uint32_t fork, struct arena *arena);

/* Looks at a linked program as a graph and reports what can be seen without running it:
 * unreachable nodes, no end, forks and joins that do not fit, loops in which nothing waits,
 * overlapping or incomplete tables, dead ends. Which of these are errors is said in
 * program/README.md. */
void program_check(const struct program *program, struct problems *problems);

/* A definition that instances of a program start. */
struct program_link {
    str definition;
    uint32_t node;   /* A task done by a child, or an END after which the next definition starts. */
    bool at_once;    /* It can be started before anything waits … */
    const char *way; /* … on this way: "a → b". */
};

/* One link per definition, sorted by its id. */
size_t program_links(const struct program *program, struct arena *arena, struct program_link **ret_link);

/* Warns that no definition has the id of the link. `where` says among which: "here". */
void program_unknown_link(const struct program *program, const struct program_link *link, const char *where,
                          struct problems *problems);

/* Looks at definitions that belong together: links to ids that none of them has, and circles in which
 * they start each other without waiting. Problems of program[i] (NULL: skipped) go to problems[i]. */
void program_check_family(const struct program *const *program, struct problems *const *problems,
                          size_t count, struct arena *arena);

/* The program as text, for `pawl explain` and golden files. */
void program_print(const struct program *program, struct buf *out);

/* The program as a picture. */
enum picture { PICTURE_SVG, PICTURE_DOT, PICTURE_MERMAID };
void program_draw(const struct program *program, enum picture picture, struct buf *out);

#endif
