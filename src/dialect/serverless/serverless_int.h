/* dialect/serverless/serverless_int.h — a Serverless Workflow document as its author wrote it.
 *
 *     document ──read_*.c──► struct workflow ──check.c──► ──lower_*.c──► program
 *
 * Reading takes every spelling the contract allows and reports every problem with its place;
 * paths, conditions and durations are compiled or at least parsed while reading, so lowering
 * cannot fail. Everything lives in the program's arena.
 */
#ifndef DIALECT_SERVERLESS_SERVERLESS_INT_H
#define DIALECT_SERVERLESS_SERVERLESS_INT_H

#include "base/must.h"
#include "dialect/limits.h"
#include "dialect/triggers.h"
#include "expr/build.h"
#include "program/program.h"

/* The name of the error of a time-out; an instance that failed with it is shown as "Timeout". */
#define ERROR_NAME_TIMEOUT "TimeoutException"

/* Paths are NULL where the document has none. */
struct filter {
    str pointer;
    const struct jsonpath *input, *result, *output;
    str input_text, result_text, output_text;
};

/* An author's condition, checked but not compiled, because the meaning of its names depends on the place
 * where it is lowered. text.p == NULL: none. */
struct condition_text {
    str text;
    str pointer;
};

struct state_transition {
    str pointer;
    str target;          /* As written. */
    struct state *state; /* Resolved; NULL if the transition is absent or `end` wins. */
    struct condition_text condition;
};

struct trigger {
    str pointer, name, source, type;
    bool correlated;
    str attribute;
    const struct jsonpath *key; /* Leads to the correlation key; NULL: `attribute` is the key. */
    bool envelope;              /* Filters read {data, context}, where context has the event's attributes. */
    int64_t life_ms;            /* `timeToLive` */
};

struct function {
    str pointer, name, resource, type;
    enum performer performer;
    str handler; /* WORKER: the job type: the name behind `local:`, the plain word, or the function's name. */
    const struct json *call; /* {headers, query} of its metadata, without secrets; NULL: none. */
    bool used;
};

struct retry {
    str pointer;
    struct condition_text condition;
    bool unlimited;
    uint32_t count;
    int64_t interval_ms;
    struct state_transition exit; /* state NULL: none. */
};

struct action {
    str pointer, name;
    const struct function *function;
    const struct json *parameters; /* NULL: none. */
    int64_t timeout_ms;            /* -1: none. */
    struct filter filter;
    struct retry *retry;
    size_t retry_count;
};

struct actions {
    bool parallel;
    struct action *action;
    size_t count;
};

struct handler {
    str pointer;
    struct condition_text condition;
    struct filter filter;
    struct state_transition transition;
};

struct state_loop {
    bool given;
    str pointer;
    const struct jsonpath *input, *output; /* output NULL: values are dropped. */
    struct condition_text completion;
    int64_t delay_ms; /* 0: none. */
};

enum state_type {
    STATE_EVENT,
    STATE_OPERATION,
    STATE_SWITCH,
    STATE_DELAY,
    STATE_PARALLEL,
    STATE_SUBFLOW,
    STATE_RELAY,
    STATE_TYPE_COUNT
};
const char *serverless_state_word(enum state_type type); /* "OPERATION" */

struct event_actions {
    str pointer;
    struct condition_text condition;
    struct expr_tree *when;
    struct event_operands operands; /* Over the workflow's triggers. */
    int64_t timeout_ms;             /* -1: none. */
    struct actions actions;
    struct filter filter;
    struct state_transition transition;
};

/* One test of a choice: a leaf, or a combination of others. */
enum test_kind { TEST_COMPARE, TEST_EXISTS, TEST_AND, TEST_OR, TEST_NOT };
struct test {
    enum test_kind kind;
    const struct jsonpath *path; /* COMPARE, EXISTS */
    enum choice_test compare;
    const struct json *value; /* COMPARE */
    bool wanted;              /* EXISTS: the node must exist; else it must not. */
    struct test *part;        /* AND, OR, NOT */
    size_t part_count;
};

struct choice {
    str pointer;
    struct test test;
    struct state_transition transition;
};

struct state {
    str pointer, id, name;
    str node_name; /* Unique in the program: see lower_names.c. */
    uint32_t node; /* Its node in the program, once it is lowered. */
    enum state_type type;
    bool ends;
    struct filter filter;
    struct state_transition transition;
    struct state_loop loop;
    struct handler *handler;
    size_t handler_count;
    struct state_scope *scope; /* Where it stands. */
    union {
        struct {
            struct event_actions *entry;
            size_t count;
        } event;
        struct {
            struct actions actions;
        } operation;
        struct {
            struct choice *choice;
            size_t count;
            struct state_transition otherwise;
            bool has_default;
        } choose;
        struct {
            int64_t delay_ms;
            int64_t at_ms;
        } delay; /* at_ms != 0: until then. */
        struct {
            struct state_branch *branch;
            size_t count;
        } parallel;
        struct {
            str workflow;
            bool awaited;
        } subflow;
        struct {
            const struct json *inject;
        } relay; /* NULL: none. */
    } as;
};

/* The top level, or a branch. */
struct state_scope {
    str pointer;
    str starts_at; /* As written. */
    struct state *state;
    size_t count;
    struct state *start;
    struct state_branch *branch; /* NULL: the top level. */
};

struct state_branch {
    str pointer, name;
    bool awaited;
    struct state_scope scope;
    struct state *of;
};

struct workflow {
    str id, name, description, version;
    int64_t rank; /* Orders versions: a higher version has a higher rank. */
    struct trigger *trigger;
    size_t trigger_count;
    struct function *function;
    size_t function_count;
    struct handler *handler; /* The workflow's own onError. */
    size_t handler_count;
    struct state_scope scope;
    struct triggers schedule; /* The schedule that starts instances; none, or one. */
};

/* ---- read_*.c, check.c ----
 * Reads and checks the whole document and reports problems as it finds them. Returns NULL if the document
 * has errors. */
struct workflow *serverless_read(const struct json *document, struct arena *arena, struct problems *problems);

/* ---- lower_*.c ---- */
void serverless_lower(const struct workflow *workflow, struct program *program, struct problems *problems);

/* ---- version.c ----
 * Which version of the specification a document is of: contracts/serverless.md, section 2. */
enum spec_version {
    SPEC_NONE, /* Nothing shows it. */
    SPEC_SEED,
    SPEC_KEBAB_2019,
    SPEC_0_1,
    SPEC_0_5,
    SPEC_0_6,
    SPEC_0_7,
    SPEC_0_8,
    SPEC_0_9,
    SPEC_1_0,
    SPEC_OTHER, /* Declared, and none of these. */
    SPEC_COUNT,
    SPEC_CONFLICT = SPEC_COUNT,
};

/* Do the outermost members show that the document is of some version of the specification? */
bool version_recognises(const struct json *document);
/* Reports every version but SPEC_SEED: with a warning if it is SPEC_NONE, else as an error. */
enum spec_version version_check(const struct json *document, struct problems *problems);

/* Returns a hint with the draft's name for a field, a state type or a task of a later version; or NULL. */
enum construct_kind { CONSTRUCT_FIELD, CONSTRUCT_TYPE, CONSTRUCT_TASK };
const char *version_instead(enum construct_kind kind, str name, struct arena *arena);

#endif
