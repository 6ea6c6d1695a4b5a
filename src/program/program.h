/* program/program.h — a compiled definition, ready to run.
 *
 * A front end (dialect/) makes a program from a document. It never changes after program_link(), so threads
 * share it without a lock. Code addresses nodes by index inside one program; stores and users address them by
 * their author's name.
 *
 * A token enters a node, does what the node's kind says, and leaves along the first edge whose condition
 * holds. MANUAL.md describes each kind. A later dialect adds what it needs as a field or, rarely, as a kind,
 * named after the behaviour: nothing behind the front ends asks which dialect a program came from.
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
bool program_kind_waits(enum node_kind kind); /* True if a token can park at such a node. */

#define NODE_NONE UINT32_MAX

struct program_edge {
    uint32_t target;
    const struct expr *when;  /* NULL: always. */
    const struct expr *guard; /* NULL: none. If it does not hold, the instance halts instead of going this
                                 way, and no handler can handle that. It sees the data after the output. */
    str label;                /* The text that pictures show; empty: its conditions. */
};

/* The reaction to a timer that fires. */
enum timer_does {
    TIMER_GO_TO,  /* The token, or (not interrupting) a new one, goes to the target. */
    TIMER_GO_ON,  /* The visit is complete: the token takes its way out. */
    TIMER_RAISE,  /* A timeout is raised at the token. */
    TIMER_EXPIRE, /* The token waits for the event case no longer. If it waits for no other, a timeout is
                     raised. */
};

/* A timer that runs while a token waits at the node. */
struct program_timer {
    int64_t delay_ms;
    int64_t at_ms; /* Not 0: the timer is due at this time, instead. */
    enum timer_does does;
    bool interrupting;   /* GO_TO: the token itself goes to the target. Else a new token does. */
    bool per_attempt;    /* It begins anew with every attempt of a task, when the attempt may begin. */
    uint32_t target;     /* GO_TO; else NODE_NONE. */
    uint32_t event_case; /* EXPIRE: index of the event case. */
};

/* How long a task waits before it is tried again. */
struct program_delay {
    int64_t first_ms; /* Before the first retry; 0: every retry begins at once. */
    double factor;    /* Each delay is so many times as long as the one before. */
    int64_t max_ms;   /* No delay is longer. */
};

/* Delay before retry number `retry` (from 1), without overflow. */
int64_t program_delay_ms(const struct program_delay *delay, uint32_t retry);

/* The shape that the data of an instance may have. Input is an object in any case. */
enum data_shape {
    DATA_OBJECT, /* An object: its members are the variables. */
    DATA_ANY,    /* Any JSON value. */
};

enum data_merge {
    MERGE_SHALLOW,
    MERGE_DEEP,
    MERGE_REPLACE, /* The new value replaces all the data. */
    MERGE_APPEND,  /* Each member is added to the end of the list of that name. */
};

/* A named value: a constant, or computed. */
struct program_value {
    str name;                   /* In a node's `output`, empty: all the data is replaced. */
    const struct json *literal; /* If expr is NULL. */
    const struct expr *expr;
    bool append;   /* In a node's `output`: it is added to the end of the list of that name. */
    uint32_t sees; /* In a `set` node: it needs the results of so many of the first assignments. */
};

/* Where a token goes when an error is raised at its node or in a region it has opened. Its
 * expressions see the data of the token's scope, `error` and, if the node is a scope of one
 * region, that region's data as `frame`. */
struct program_handler {
    const struct expr *when; /* NULL: always. */
    const struct expr *data; /* All the data becomes this; NULL: it stays. */
    struct program_edge way; /* Its `when` is not used. */
    bool common;             /* Every node of the top level has it: pictures show it once. */
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

/* One of several conditions that a wait for events waits for. */
struct program_event_case {
    const struct expr *when;   /* Sees a boolean for each mentioned trigger: an event has been received. */
    const uint32_t *mentioned; /* Indices of the program's triggers. */
    size_t mentioned_count;
    const uint32_t *positive; /* Indices of triggers, of which at least one must have been received. */
    size_t positive_count;
    const struct program_value *output; /* In place of the node's output; sees `events`. */
    size_t output_count;
    uint32_t target;
};

/* A kind of event that instances of the program take. */
struct program_trigger {
    str name, source, type;
    bool correlated;
    str attribute;              /* The correlation key is this attribute of the event … */
    const struct jsonpath *key; /* … or, if given, at this path in the event or in its data. */
};

/* A part of a scope node: it runs from its start to an END, on data of its own. */
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
    str used_up; /* A retry rule asks for another result, and its retries are used up. */
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
    str word; /* The dialect's name of the list, in messages: "input_schema". */
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
    uint32_t shadowed; /* A target that the author named and that is never taken. It counts as reachable.
                          0: none. */
    str name;          /* The author's id. */
    str title;         /* The author's label. */
    str type;          /* The dialect's word for the kind: "SERVICE_TASK". */
    str pointer;       /* JSON Pointer of the node in the document. */
    const struct program_edge *edge;
    size_t edge_count;  /* 0: the flow stops here. An END has none; any other node is a dead end. */
    str no_edge_reason; /* Why the instance fails if there are edges and none holds. */
    const struct program_timer *timer;
    size_t timer_count;
    /* Assignments to the data of the token's scope when the visit is complete. Every value is computed from
     * the data before, and sees what the node brought: `result` of a task, `frame` of a scope of one region,
     * `outputs` (an object with a member for each region) of a scope of several. The edge is chosen before
     * the output is put (and sees the same), its guard is asked after it. */
    const struct program_value *output;
    size_t output_count;
    const struct program_handler *handler;
    size_t handler_count;
    bool inner; /* The front end made it for its own purposes: views leave it out. */

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
            str label; /* A person's task: applications choose a form or a list by it. */
            const struct program_event_case *event_case; /* WAIT_FOR_EVENT */
            size_t event_case_count;
        } wait;
        struct {
            enum hit_policy policy;
            const struct program_rule *rule;
            size_t rule_count;
        } table;
        struct {
            str word; /* The dialect's word for an assignment, in messages: "transformation". */
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
            const struct expr *data; /* Every region begins with it. */
            /* The visit is complete when all awaited regions are done or, if none is awaited, the first. */
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
    int32_t priority; /* 0..10, 5 by default: jobs of a higher one are handed out first. */
    int64_t rank;     /* The latest version of a definition has the highest rank; of equal ones the newest. */
    const struct program_node *node;
    size_t node_count;
    uint32_t start;
    str node_word; /* The dialect's word for a node, in messages: "step". */
    const struct program_trigger *trigger;
    size_t trigger_count;
    const uint32_t *starting; /* Triggers whose events start an instance. */
    size_t starting_count;
    bool named_errors; /* An error has a name and is a value: handlers see it, and the instance keeps the one
                          that failed it. Else an error fails the instance at once, with its message alone. */
    struct program_error_names error_names;
    bool may_be_endless; /* A program without a reachable END is no problem. */
    enum data_shape data_shape;
    bool visits_show_data; /* The output of a visit, in views, is the data after it. Else it is what a worker
                              sent, or the data after a wait. */

    /* Filled by program_link(). */
    uint32_t *by_name_; /* Node indices sorted by name. */
    struct arena arena_;
    uint32_t references_;
};

/* Makes an empty program with one reference. The front end fills it, allocating from program_arena(), and
 * calls program_link() before other code sees it. `bytes` is about what it will need: programs are many and
 * live long, so the arena has room for that and little more. */
struct program *program_new(size_t bytes);
struct arena *program_arena(struct program *program);
void program_link(struct program *program);
/* Fills in `sees` of a `set` node's assignments. The arena is for scratch memory. */
void program_link_values(struct program_value *value, size_t count, struct arena *arena);

/* Takes a reference and returns its argument. Any thread. */
struct program *program_ref(struct program *program);
/* Drops a reference; the last one frees the program. NULL is allowed. */
void program_unref(struct program *program);

/* The bytes of memory that the program takes. */
size_t program_bytes(const struct program *program);

/* The index of the node with that name, or NODE_NONE. */
uint32_t program_find(const struct program *program, str name);

/* For each node: true if a token that the fork has sent out, or (NODE_NONE) a token of the top level, may
 * stand there. A fork's join is a place of its branches. */
const bool *program_inside(const struct program *program, uint32_t fork, struct arena *arena);
/* For each node: true if a token that the fork has sent out can come from there to the fork's join. */
const bool *program_arrives(const struct program *program, uint32_t fork, struct arena *arena);

/* Checks a linked program as a graph, without running it: unreachable nodes, no end, forks and joins that do
 * not fit, loops in which nothing waits, overlapping or incomplete tables, dead ends. program/README.md says
 * which of these are errors. */
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

/* Warns that no definition has the id of the link. `where` says where it was looked for: "here". */
void program_unknown_link(const struct program *program, const struct program_link *link, const char *where,
                          struct problems *problems);

/* Checks definitions that belong together: links to ids that none of them has, and circles in which they
 * start each other without waiting. Problems of program[i] (NULL: skipped) go to problems[i]. */
void program_check_family(const struct program *const *program, struct problems *const *problems,
                          size_t count, struct arena *arena);

/* The program as text, for `pawl explain` and golden files. */
void program_print(const struct program *program, struct buf *out);

/* The program as a picture. */
enum picture { PICTURE_SVG, PICTURE_DOT, PICTURE_MERMAID };
void program_draw(const struct program *program, enum picture picture, struct buf *out);

#endif
