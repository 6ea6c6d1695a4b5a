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
#include "program/arrival.h"
#include "program/performer.h"
#include "program/problems.h"

struct schema;

/* clang-format off */
#define NODE_KIND_MAP(XX)                                                                     \
    /* name    word      waits   does                                                      */ \
    XX(TASK,   "task",   true,   "opens a job and parks until its result")                    \
    XX(WAIT,   "wait",   true,   "parks until a signal, a person's answer, events or a time") \
    XX(CHOOSE, "choose", false,  "takes the first edge whose condition holds")                \
    XX(TABLE,  "table",  false,  "computes data by a decision table")                         \
    XX(SET,    "set",    false,  "computes data by assignments")                              \
    XX(FORK,   "fork",   false,  "sends out a token per edge, or per edge that holds")        \
    XX(JOIN,   "join",   true,   "parks tokens until enough of them have arrived")            \
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
    str name;                 /* The author's id of the edge, which `taken` gives; empty: none. */
    bool by_timer;            /* At a wait for a transition: only a timer takes it, nobody can name it. */
    bool otherwise;           /* A fork that chooses: the edge is taken only if no other one holds. */
    uint32_t arrival;         /* The edge leads to a join that counts edges: which of that join's incoming
                                 edges it is, from 1 on. Else 0. */
};

/* The reaction to a timer that fires. */
enum timer_does {
    TIMER_GO_TO,   /* The token, or (not interrupting) a new one, goes to the target. */
    TIMER_GO_ON,   /* The visit is complete: the token takes its way out. */
    TIMER_RAISE,   /* A timeout is raised at the token. */
    TIMER_TASK,    /* The details of the person's task change, and the token waits on. */
    TIMER_EXPIRE,  /* The token waits for the event case no longer. If it waits for no other, a timeout is
                     raised. */
    TIMER_FIRE,    /* The token leaves by an edge of its node, as by a transition that somebody fires. If the
                     edge's condition does not hold, or it is too late, the token waits on. */
    TIMER_GIVE_UP, /* It runs while the token waits for its lock; then the lock's error `late` is raised. */
};

/* A timer that runs while a token waits at the node. */
struct program_timer {
    int64_t delay_ms;
    int64_t at_ms; /* Not 0: the timer is due at this time, instead. */
    /* Not NULL: computed when the timer opens, instead of both. A number is a delay in milliseconds, a text a
     * duration or a time (RFC 3339); one that is over fires at once. FIRE: null opens no timer. Anything else
     * raises an error. */
    const struct expr *when;
    enum timer_does does;
    bool interrupting;          /* GO_TO: the token itself goes to the target. Else a new token does. */
    bool per_attempt;           /* It begins anew with every attempt of a task, when the attempt may begin. */
    uint32_t target;            /* GO_TO; else NODE_NONE. */
    uint32_t arrival;           /* As that of an edge. */
    uint32_t event_case;        /* EXPIRE: index of the event case. */
    uint32_t edge;              /* FIRE: index of the edge. */
    int64_t late_ms;            /* FIRE: it fires no later than so long after its time; -1: however late. */
    const struct expr *expires; /* FIRE: it fires no later than at this time, a text; NULL, or it gives null:
                                   however late. */
    const struct json *change; /* TASK: members of the details; null removes one. NULL: `reminded`, which is 0
                                  at first, is counted up. */
    int64_t every_ms;          /* TASK: it fires again after each such time; 0: it fires once. */
    bool is_quiet;             /* TASK: no e-mail tells the people whom the task is for. */
};

/* How long a task waits before it is tried again. */
struct program_delay {
    int64_t first_ms; /* Before the first retry; 0: every retry begins at once. */
    double factor;    /* Each delay is so many times as long as the one before. */
    bool is_linear;   /* Instead, each delay is longer by the first one. */
    int64_t max_ms;   /* No delay is longer. */
    double jitter;    /* It is up to this part of itself (0 to 1) longer or shorter. */
};

/* Delay before retry number `retry` (from 1), without overflow and without jitter. */
int64_t program_delay_ms(const struct program_delay *delay, uint32_t retry);
/* The same with jitter, which depends on nothing but the seed. */
int64_t program_delay_of(const struct program_delay *delay, uint32_t retry, uint64_t seed);

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
    MERGE_MEMBERS, /* Each member is an object, merged (shallow) into the member of that name. */
};

/* A named value: a constant, or computed. */
struct program_value {
    str name;                   /* In a node's `output`, empty: all the data is replaced. */
    const struct json *literal; /* If expr is NULL. */
    const struct expr *expr;
    bool append;      /* In a node's `output`: it is added to the end of the list of that name. */
    bool to_instance; /* In a node's `output`: it is put into the instance's data, not into the region's. */
    bool by_member; /* In a node's `output`: the value is an object, whose members are merged into the member
                       of that name (deep: no), instead of replacing it. */
    uint32_t sees;  /* In a `set` node: it needs the results of so many of the first assignments. */
};

/* Where a token goes when an error is raised at its node or in a region it has opened. Its
 * expressions see the data of the token's scope, `error` and, if the node is a scope of one
 * region, that region's data as `frame`. */
struct program_handler {
    const struct expr *when; /* NULL: always. */
    const struct expr *data; /* All the data becomes this; NULL: it stays. */
    const struct program_value
        *output; /* Assignments to the data of the token's scope, as a node's output. */
    size_t output_count;
    const struct expr *carry; /* The token goes on with this as what it carries; NULL: as it was. */
    struct program_edge way;  /* Its `when` is not used. */
    bool common;              /* Every node of the top level has it: pictures show it once. */
};

/* When a task is tried again. The rules of a task are asked in order after every attempt, and the first that
 * holds decides. Expressions see the data and `result`, or `error` after a failure; the other of the two is
 * null. */
struct program_retry {
    const struct expr *when; /* NULL: always. */
    bool only_retryable;     /* Holds only after a failure that its reporter calls retryable. */
    bool unlimited;
    uint32_t count; /* Retries by this rule, of one visit. */
    str used_up;    /* Put before the message of the last failure after at least one retry; empty: nothing. */
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
    bool envelope;              /* Its events give {data, context}, not their data alone. */
    int64_t life_ms;            /* So long an event is kept whose key no instance has yet; 0: not at all. */
};

/* How a program takes what arrives from outside: a request, a message, a tick of a schedule, a person's
 * start. An arrival starts an instance with a token at `start`, or goes to a living one: to the oldest token
 * that waits for it (WAIT_FOR_ARRIVAL), else with a new token at `start`, else it is kept for a wait that
 * takes early ones. The engine decides which
 * (runtime/arrivals/arrive.h) by the terms; the core only puts the arrival's value into the data. */
struct program_arrival {
    str name;
    uint32_t start;                     /* NODE_NONE: an arrival only changes the data. */
    const struct program_value *output; /* Assignments to the instance's data; they see `arrival`. */
    size_t output_count;
    struct arrival_terms terms; /* The rule by which the engine decides. */
    const struct json *config;  /* The same as JSON, with all that the author gave (program/arrival.h). */
};

/* A node whose visits are possible only between two points of the run. The run reaches a node whenever a
 * token enters it. */
struct program_milestone {
    uint32_t from;  /* Visits begin when the run has reached this node; NODE_NONE: at once. */
    uint32_t until; /* When it has reached this one since, the visit is withdrawn; NODE_NONE: never. */
    struct program_edge
        way;    /* The way of a token that is withdrawn. Target NODE_NONE: the error is raised. */
    str passed; /* Its name. */
};

/* A named lock that a visit holds from its beginning to its end, across all instances of a tenant. */
struct program_lock {
    const struct expr *name; /* Gives a text. */
    uint32_t size;           /* The visit begins when fewer than so many others hold the lock. */
    /* Names of the errors: it was not free in time; a visit around this one has it; too many wait for it. */
    str late, cycle, full;
};

/* The things for which visits to a node wait before they begin. */
struct program_begin {
    const struct program_milestone *milestone; /* NULL: none. */
    const struct program_lock *lock;           /* NULL: none. */
};

/* A scope node whose one region is opened for every item of a list. The region's data begins with the item
 * and its index, under these names. The node's visit brings `each`: {count, succeeded, failed, results,
 * errors: [{index, node, name, message}]}; `results` has a place for each item, null for one that failed. */
struct program_each {
    const struct expr *items; /* Computed once, when the node is entered. */
    str item_name, index_name;
    uint32_t window;    /* So many regions are open at once, begun in the order of the items. */
    uint32_t items_max; /* A longer list raises the error too_many. */
    bool goes_on;       /* An item that fails is recorded, and the others go on. Else its error ends the
                           other regions and is raised at the host. */
    const struct expr *result; /* On the region's data, when it is done; NULL: the member that was put into
                                  that data last. */
    const struct expr *until;  /* Asked after each item that has ended, on its region's data with `result` and
                                  `loop` {index, item, result, count, succeeded, failed, results}: true ends
                                  the others. NULL: never. */
    bool until_reads_results;  /* `until` may read loop.results; else they are left out. */
    bool keeps_rest;  /* When `until` holds, the other items are not ended and the rest is still begun: the
                        host stays with them, and another token goes on. Errors of theirs end them alone. */
    bool takes_more;  /* Payloads of the arrival are added to the items while the node's token stands:
                                  also those that came before (early.c). */
    uint32_t arrival; /* takes_more: index of the program's arrival. */
    str not_a_list, too_many; /* Names of the errors. */
};

/* When a join that counts edges opens. */
enum join_mode {
    JOIN_OF_FORK,   /* When every branch of its fork has arrived. */
    JOIN_ALL,       /* When a token stands on each incoming edge. */
    JOIN_COUNT,     /* When tokens stand on `count` different incoming edges. */
    JOIN_INCLUSIVE, /* When no other token of the scope can reach an incoming edge without a token. */
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
    str no_way;   /* No edge holds. */
    str guard;    /* A guard does not hold. */
    str used_up;  /* A retry rule asks for another result, and its retries are used up. */
    str task;     /* A task failed without a name of its own. */
    str child;    /* A child could not be started. */
    str limit;    /* Too large, too many. */
    str deadlock; /* Only tokens at joins that can never open are left. */
    str visits;   /* A node was visited more often than it may. */
    str contract; /* A result has other members than its task promises. */
    str deadline; /* The instance took longer than its program allows. */
    /* The member of an error that names the author's node; empty: errors have the node's title alone. */
    str node_member;
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

/* Checks an object's members against the fields; unknown members are fine. The error names every violation,
 * as many as a message holds, and its place is that of the first. */
enum status program_fields_check(const struct program_fields *fields, const struct json *object,
                                 struct error *err);

/* An object with a placeholder of its type for each field: a result that nobody worked for. */
const struct json *program_fields_placeholder(const struct program_fields *fields, struct arena *arena);

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

enum wait_for {
    WAIT_FOR_SIGNAL,
    WAIT_FOR_PERSON,
    WAIT_FOR_EVENT,
    WAIT_FOR_TIME,
    WAIT_FOR_ARRIVAL,
    WAIT_FOR_TRANSITION, /* Somebody names the edge by which the token leaves (command FIRE). */
};

/* Whether an error that nothing handles undoes completed visits. */
enum undoing { UNDOING_AS_PROGRAM, UNDOING_ALWAYS, UNDOING_NEVER };

/* In an instance that is a test a node does nothing outside and does not wait (core/rehearsal.c): this is
 * what it brings instead. */
struct program_rehearsal {
    const struct json *brought; /* A task's result, an answer, an arrival; NULL: placeholders. */
    /* The members of `brought` that the author has written. A trial, which makes up better values than
     * placeholders, brings them as well. NULL: none. */
    const struct json *given;
    const struct json *told; /* Members that replace those of `answered` and `waited`; NULL: none. */
};

/* The instance that takes the place of one which ends, with its business key. */
struct program_next {
    str definition;  /* Empty: the request says which. */
    int32_t version; /* 0: the latest, or the request says which. */
    /* One of these three is its input: the member `input` of a request {definition, version, input}; values
     * by name; without either of them, the data of the instance. */
    const struct expr *request;
    const struct program_value *value;
    size_t value_count;
};

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
     * `outputs` (an object with a member for each region) of a scope of several, `each` of one with a region
     * per item, `answer` and `answered` of a wait for a person, `answer` of a wait for an arrival, `waited`
     * {due, at} of a wait for a time, `taken` of a choice (the name of the edge) and of a fork that chooses
     * (a list of names). The edge is chosen before the output is put (and sees the same), its guard is asked
     * after it. */
    const struct program_value *output;
    size_t output_count;
    const struct program_handler *handler;
    size_t handler_count;
    bool inner;               /* The front end made it for its own purposes: views leave it out. */
    uint32_t visits_max;      /* More visits in one scope raise the error `visits`; 0: any number. */
    const struct expr *carry; /* The value that leaving tokens carry from now on, seen by later expressions as
                                 `carried`; it sees what `output` sees. NULL: what the token carried. */
    const struct program_rehearsal *rehearsal; /* NULL: placeholders for what the node declares. */
    bool acts_in_tests; /* A task that changes nothing outside: it is done in a test, too. */
    bool is_milestone;  /* Visits to another node wait until the run has reached this one, or end then. */
    uint16_t begin;     /* n: visits wait for program_rules.begin[n - 1]. 0: for nothing. */
    /* Not 0: a token that waits here takes part in a transition. If another one is fired meanwhile, the token
     * gives up and leaves by the edges of this node, a wait for a transition. */
    uint32_t home;
    uint32_t undo; /* The node that undoes a completed visit to this one; NODE_NONE or 0: nothing does. */
    enum undoing undoes; /* An error raised at this node that nothing handles. */

    union {
        struct {
            str job_type;
            enum data_merge merge;
            struct program_fields outputs;
            enum performer performer;
            const struct json *config; /* For the performer, as the dialect made it; NULL: none. */
            const struct expr *input;  /* The payload of the job; NULL: the data. */
            bool detached;             /* The work is begun and not awaited. */
            bool type_in_input;        /* The job type is the member `definition` of the input. */
            bool holds; /* The work is done before anything of the command is written: what the command has
                           changed so far is held in memory until the result is there (struct outcome). */
            bool result_is_local; /* The result is any value, which output, edges and retries see as `result`
                                     and nothing else keeps. Else it is an object, merged into the data. */
            int32_t
                definition_version;   /* The version that the job type means, if that is a definition; 0: the
                                           latest, or the input says which. */
            const str *result_member; /* The result is an object with exactly these members, or the error
                                           `contract` is raised. */
            size_t result_member_count; /* 0: the result may be anything. */
            const struct program_retry *retry;
            size_t retry_count;
        } task;
        struct {
            enum wait_for what;
            str label; /* A person's task: applications choose a form or a list by it. */
            const struct program_event_case *event_case; /* WAIT_FOR_EVENT */
            size_t event_case_count;
            uint32_t again;   /* WAIT_FOR_TRANSITION: where the token goes if no edge is named. */
            uint32_t arrival; /* WAIT_FOR_ARRIVAL: index of the program's arrival; its value is `answer`. */
            bool takes_early; /* WAIT_FOR_ARRIVAL: one that came before the wait began counts, too. */
            /* WAIT_FOR_PERSON: details of the task, an object, computed when a token parks: title,
             * description, assignees, groups, due, followUp, priority and any others. NULL: none. */
            const struct expr *task;
            const str *decision; /* The answer's `decision` must be one of these. */
            size_t decision_count;
            const struct schema *form; /* The answer must be valid; NULL: any is. */
            bool answer_is_local;      /* The answer is what output, edges and carry see as `answer` (and
                                          `answered`:      {by, at, task}), and is not merged into the data. */
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
            uint32_t join; /* Where the scope closes. NODE_NONE: the fork opens no scope; its tokens stay in
                              the one they are in, and joins that count edges gather them. */
            bool chooses;  /* Only edges that hold are taken, in order; else every edge is. */
        } fork;
        struct {
            enum join_mode mode;
            uint32_t count; /* JOIN_COUNT */
            bool cancels;   /* JOIN_COUNT: tokens that could still arrive are interrupted when it opens. Else
                               they are absorbed when they arrive. */
            bool blocks;    /* JOIN_COUNT that cancels nothing: until all that it has to absorb have come, or
                                  cannot come any more, tokens of other edges wait for its next round. */
            uint32_t arrivals; /* How many incoming edges it counts; 0: JOIN_OF_FORK. */
        } join;
        struct {
            bool chain;  /* Start program->next_definition when the instance ends here. */
            bool region; /* Ends the region the token is in; outside of any, the instance. */
            bool branch; /* Ends the token alone; the last one that could go on completes the instance, or the
                            region it is in. */
            str error;   /* Not empty: the instance (or the region) fails with an error of this name, which no
                            handler of the program takes and which undoes nothing … */
            const struct expr *message;      /* … and this message. */
            const struct program_next *next; /* Not NULL: the whole instance ends, and this one goes on. */
        } end;
        struct {
            const struct program_region *region;
            size_t region_count;
            const struct expr *data; /* Every region begins with it. */
            bool sees_around;        /* Names that the region's data lacks are those of the data around it. */
            const struct program_each *each; /* The one region is opened for every item; NULL: once. */
            /* The visit is complete when all awaited regions are done or, if none is awaited, the first. */
        } scope;
    } as;
};

/* How instances begin, how long they may take, how many there may be, and what happens when they fail. */
struct program_rules {
    const struct program_arrival *arrival;
    size_t arrival_count;
    /* Assignments for arrivals of a later version, which this one does not know; they see `arrival`. A name
     * that ends with a dot is followed by the arrival's name. */
    const struct program_value *other_output;
    size_t other_output_count;
    const struct expr *start_data; /* The data of a new instance, before the arrival's output or the input of
                                      the start is put; sees `instance`: {id, definitionId, businessKey,
                                      createdAt, isTest}. NULL: the input is the data. */
    const struct program_handler *handler; /* Asked last, at the outermost token. It is the token of the
                                              author's node that goes its way. */
    size_t handler_count;
    bool undoes;             /* An error that nothing handles undoes completed visits before it fails the
                                instance: those of nodes with `undo`, the latest first … */
    bool undoes_all_at_once; /* … or all at once. */
    bool is_atomic; /* A command that would fail the instance is rejected with the error, and changes nothing.
                     */
    bool moves;     /* An instance may go on with a later version of its definition, which has its nodes. */
    bool lists_state; /* Instances are found by their definition and by the member `state` of what their token
                         carries. */
    uint32_t visits_max;               /* For all nodes that have a visits_max together; 0: any number. */
    bool counts_states;                /* Nodes with a visits_max are states of an entity: the engine's limit
                                          state_visits_max counts for each of them instead. */
    int64_t deadline_ms;               /* An instance is cancelled so long after its creation; 0: never. */
    int64_t active_max;                /* Living instances of the definition, all versions; 0: any number. */
    bool overflow_waits;               /* Arrivals beyond it wait for a place. Else they are refused. */
    int64_t retention_ms;              /* Ended instances are kept so long; -1: as the engine is told. */
    bool is_ephemeral;                 /* Instances are kept in memory only. */
    bool ends_at_restart;              /* Living instances fail when the engine starts again. */
    const struct schema *input_schema; /* The schema of an arrival's payload, and of the input of a start;
                                        * NULL: any. */
    const struct program_begin *begin; /* Nodes name them by their place. */
    size_t begin_count;
    const str *secret; /* Names of the secrets that its calls may use. */
    size_t secret_count;
};
extern const struct program_rules program_rules_default;

struct program {
    str dialect; /* "steps" */
    str id;      /* The definition's key. */
    str title;
    str description;
    str next_definition; /* Started when an instance ends; empty: none. */
    struct program_fields inputs;
    const struct json *startable_by; /* Roles and groups that may start it by hand; NULL: none is named. */
    int32_t priority;                /* 0..10, 5 by default: jobs of a higher one are handed out first. */
    uint32_t start;
    int64_t rank; /* The latest version of a definition has the highest rank; of equal ones the newest. */
    const struct program_node *node;
    size_t node_count;
    str node_word; /* The dialect's word for a node, in messages: "step". */
    const struct program_trigger *trigger;
    size_t trigger_count;
    const uint32_t *starting; /* Triggers whose events start an instance. */
    size_t starting_count;
    const struct program_rules *rules; /* Never NULL: &program_rules_default, if the author gave none. */
    bool named_errors; /* An error has a name and is a value: handlers see it, and the instance keeps the one
                          that failed it. Else an error fails the instance at once, with its message alone. */
    struct program_error_names error_names;
    bool may_be_endless; /* A program without a reachable END is no problem. */
    enum data_shape data_shape;
    bool visits_show_data; /* The output of a visit, in views, is the data after it. Else it is what a worker
                              sent, or the data after a wait. */
    /* Filled by program_link(). */
    bool has_counting_joins_;
    bool has_holding_tasks_;
    bool has_undo_;     /* Visits can be undone, and an error may ask for it. */
    uint32_t *by_name_; /* Node indices sorted by name. */
    const uint64_t *const
        *reach_; /* reach.c: for each join that asks, who can come to it; NULL: none asks. */
    struct arena arena_;
    uint32_t references_;
};

/* Makes an empty program with one reference. The front end fills it, allocating from program_arena(), and
 * calls program_link() before other code sees it. `bytes` is about what it will need: programs are many and
 * live long, so the arena has room for that and little more. */
struct program *program_new(size_t bytes);
/* The same for a program that needs about so many times the bytes of its document. */
struct program *program_new_for(const struct json *document, size_t times);
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

/* True if the node is a fork that opens a scope, which a join closes. */
static inline bool program_opens_scope(const struct program_node *node)
{
    return node->kind == NODE_FORK && node->as.fork.join != NODE_NONE;
}

/* True if the node is a join that closes the scope of a fork. */
static inline bool program_closes_scope(const struct program_node *node)
{
    return node->kind == NODE_JOIN && node->as.join.mode == JOIN_OF_FORK;
}

/* True if arrivals of that index add items to the node's while it runs. */
static inline bool program_takes_items(const struct program_node *node, uint32_t arrival)
{
    return node->kind == NODE_SCOPE && node->as.scope.each && node->as.scope.each->takes_more &&
           node->as.scope.each->arrival == arrival;
}

/* The milestone of a node; NULL: none. */
static inline const struct program_milestone *program_milestone(const struct program *program,
                                                                const struct program_node *node)
{
    return node->begin ? program->rules->begin[node->begin - 1].milestone : NULL;
}

/* The lock of a node; NULL: none. */
static inline const struct program_lock *program_lock(const struct program *program,
                                                      const struct program_node *node)
{
    return node->begin ? program->rules->begin[node->begin - 1].lock : NULL;
}

/* True if a completed visit to the node can be undone. */
static inline bool program_is_undoable(const struct program_node *node)
{
    return node->undo != 0 && node->undo != NODE_NONE;
}

/* The index of the node with that name, or NODE_NONE. */
uint32_t program_find(const struct program *program, str name);

/* The index of the arrival with that name, or ARRIVAL_NONE. */
#define ARRIVAL_NONE UINT32_MAX
uint32_t program_find_arrival(const struct program *program, str name);

/* The name that people use: the words on its button, its node's title, else its name. */
str program_label_of_arrival(const struct program *program, const struct program_arrival *arrival);

/* True if a token that stands at the node can come to the join by its incoming edge `arrival` (0: by any)
 * without passing the join. Only for joins of mode COUNT and INCLUSIVE, and those with
 * a timer. */
bool program_reaches(const struct program *program, uint32_t node, uint32_t join, uint32_t arrival);

/* For each node: true if a token that the fork has sent out, or (NODE_NONE) a token of the top level, may
 * stand there. A fork's join is a place of its branches. */
const bool *program_inside(const struct program *program, uint32_t fork, struct arena *arena);
/* The same for a token that began at the node `start`: in a region. */
const bool *program_inside_from(const struct program *program, uint32_t start, struct arena *arena);
/* For each node: true if a token that the fork has sent out can come from there to the fork's join. */
const bool *program_arrives(const struct program *program, uint32_t fork, struct arena *arena);

/* Checks a linked program as a graph, without running it: unreachable nodes, no end, forks and joins that do
 * not fit, loops in which nothing waits, overlapping or incomplete tables, dead ends. program/README.md says
 * which of these are errors. */
void program_check(const struct program *program, struct problems *problems);

/* The version that a document or its data names: a number from 1 on; "latest", null and NULL are 0. False:
 * the value is none of these. */
bool program_version_of(const struct json *value, int32_t *ret_version);

/* A definition that instances of a program start. */
struct program_link {
    str definition;
    int32_t version; /* The one that it pins; 0: the latest. */
    uint32_t node;   /* A task done by a child, or an END after which the next definition starts. */
    bool at_once;    /* It can be started before anything waits … */
    const char *way; /* … on this way: "a → b". */
};

/* One link per definition and version, sorted by its id. A definition that only data names is none. */
size_t program_links(const struct program *program, struct arena *arena, struct program_link **ret_link);

/* Warns that no definition has the id of the link. `where` says where it was looked for: "here". */
void program_unknown_link(const struct program *program, const struct program_link *link, const char *where,
                          struct problems *problems);

/* Refuses a link to a version that its definition does not have. */
void program_unknown_version(const struct program *program, const struct program_link *link,
                             struct problems *problems);

/* Warns of circles in which the first definition comes back to itself over others, without waiting. */
void program_check_circle(const struct program *const *program, size_t count, struct problems *problems,
                          struct arena *arena);

/* Warns of a program that starts itself before anything waits. */
void program_check_self(const struct program *program, struct problems *problems);

/* Checks definitions that belong together: links to ids that none of them has, and circles in which they
 * start each other without waiting. Problems of program[i] (NULL: skipped) go to problems[i]. */
void program_check_family(const struct program *const *program, struct problems *const *problems,
                          size_t count, struct arena *arena);

/* The program as text, for `pawl explain` and golden files. */
void program_print(const struct program *program, struct buf *out);

#endif
