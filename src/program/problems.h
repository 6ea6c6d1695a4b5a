/* program/problems.h — the list of all problems of a document.
 *
 * A problem has a JSON Pointer into the document, a stable code that tests and tools may
 * rely on, a sentence, and a hint where there is something to suggest. Line and column are
 * filled in where the document's text is at hand (source/).
 */
#ifndef PROGRAM_PROBLEM_H
#define PROGRAM_PROBLEM_H

#include "json/json.h"

/* Codes are written once. An error refuses the document; a warning does not. */
/* clang-format off */
#define PROBLEM_MAP(XX)                                                                              \
    XX(SYNTAX,               "the text is neither JSON nor YAML")                                    \
    XX(UNKNOWN_DIALECT,      "no dialect recognises the document")                                   \
    XX(UNKNOWN_FIELD,        "a field that does not exist here")                                     \
    XX(WRONG_TYPE,           "a value of the wrong JSON type")                                       \
    XX(REQUIRED,             "something required is missing or empty")                               \
    XX(BAD_ID,               "an id that is too long or has forbidden characters")                   \
    XX(DUPLICATE_ID,         "two nodes with one id")                                                \
    XX(BAD_VALUE,            "a value that is not one of those allowed")                             \
    XX(NOT_ALLOWED_HERE,     "a field that belongs to another kind of step")                         \
    XX(REMOVED_FIELD,        "a field of an older format")                                           \
    XX(UNRESOLVED,           "a reference to a node that does not exist")                            \
    XX(UNREACHABLE,          "a node that can never be entered")                                     \
    XX(NO_END,               "no end can be reached")                                                \
    XX(BAD_EXPRESSION,       "an expression that does not compile")                                  \
    XX(BAD_DURATION,         "a duration that does not parse or is zero")                            \
    XX(BAD_SCHEMA,           "a field schema that is malformed")                                     \
    XX(JOIN_ORPHAN,          "a join that no fork leads to")                                         \
    XX(JOIN_MISMATCH,        "a fork's branch arrives at another fork's join")                       \
    XX(JOIN_UNSATISFIABLE,   "a join that can never be satisfied")                                   \
    XX(JOIN_BYPASSED,        "a branch can leave its fork without passing the join")                 \
    XX(NESTED_FORK,          "forks inside each other that cannot be joined")                                  \
    XX(ZERO_TIME_LOOP,       "a loop in which nothing ever waits")                                   \
    XX(STARTS_ITSELF,        "a definition that starts itself before anything waits")                \
    XX(UNKNOWN_DEFINITION,   "a definition to start that does not exist")                            \
    XX(TABLE_OVERLAP,        "two rules of a unique table can hold at once")                         \
    XX(TABLE_SHADOW,         "a rule of a table that never counts, because of an earlier one")       \
    XX(TABLE_GAP,            "a table without a rule for every input")                               \
    XX(DEAD_END,             "the flow stops here without an end")                                   \
    XX(SIDE_BRANCH_END,      "a side branch whose END completes the whole instance")                 \
    XX(CHAIN_UNSAID,         "several ENDs that all start the next definition, and none says \"chain\"") \
    XX(TOO_LARGE,            "more of something than the limit allows")                              \
    XX(DUPLICATE_NAME,       "two things of one kind with one name")                                 \
    XX(BAD_PATH,             "a JSONPath that does not compile, or selects too many nodes for its use") \
    XX(BAD_CONDITION,        "a condition that does not compile, or can never hold")                 \
    XX(UNKNOWN_LANGUAGE,     "an expression language that the engine does not know")                 \
    XX(UNSUPPORTED_VERSION,  "a version of the format that the engine does not read")                \
    XX(IGNORED,              "something given that has no effect here")                              \
    XX(UNKNOWN_VARIABLE,     "a name in an expression that never gets a value")                      \
    XX(TEMPLATE_TEXT,        "a text that looks like a template and stays as it is")                 \
    XX(UNUSUAL,              "accepted, but probably a mistake or an unusual spelling")              \
    /* Problems of flow graphs have the names of their contract. */                                  \
    XX(NAME_REQUIRED,        "a graph without a name")                                               \
    XX(DUPLICATE_NODE_ID,    "two nodes or triggers with one id")                                    \
    XX(UNKNOWN_NODE_TYPE,    "a type of node that does not exist")                                   \
    XX(UNKNOWN_PORT,         "an edge from a port that the node does not have")                      \
    XX(EDGE_UNKNOWN_NODE,    "an edge from or to a node that does not exist")                        \
    XX(EDGE_INTO_TRIGGER,    "an edge that leads to a trigger")                                      \
    XX(EDGE_FROM_END,        "an edge that leaves an end")                                           \
    XX(DUPLICATE_PORT_EDGE,  "two edges from one port of a node that is no gateway")                 \
    XX(CONDITION_ON_PARALLEL, "a condition where every way is taken")                                \
    XX(CONDITION_ON_DEFAULT, "a condition on the way that is taken if no other one is")              \
    XX(CONDITION_REQUIRED,   "a way of a gateway without a condition")                               \
    XX(CONDITION_NOT_ALLOWED, "a condition on a way that leaves no gateway")                         \
    XX(GATEWAY_DEFAULT_REQUIRED, "a gateway without a default way")                                  \
    XX(GATEWAY_MULTIPLE_DEFAULTS, "a gateway with two default ways")                                 \
    XX(DECISION_NOT_WIRED,   "an answer of a person without a line of its own, and no default line") \
    XX(SCOPE_VIOLATION,      "an edge that crosses the border of a loop, or a loop that does not exist") \
    XX(TEMPLATE_SYNTAX,      "a template that does not compile")                                     \
    XX(TEMPLATE_UNKNOWN_NODE, "a template that reads a node or trigger that does not exist")         \
    XX(RAW_PLACEHOLDER,      "a placeholder whose value is not escaped for its place")               \
    XX(SERVER_FROM_DATA,     "a placeholder whose value says which server is called")                \
    XX(SECRET_NOT_DECLARED,  "a secret that the definition does not list")                           \
    XX(WAIT_UNKNOWN_TRIGGER, "a wait for a trigger that does not exist")                             \
    XX(COMPENSATION_TARGET_NOT_FOUND, "a compensation by a node that does not exist")                \
    XX(ERROR_HANDLER_NOT_FOUND, "an error handler that does not exist")                              \
    XX(INVALID_CRON,         "a cron text that does not parse")                                      \
    XX(INVALID_TIME_ZONE,    "a time zone that does not exist")                                      \
    XX(INVALID_ON_MATCH,     "a rule of routing that does not exist")                                \
    XX(INVALID_PATH,         "a path that no request can have")                                      \
    XX(INVALID_PRIORITY,     "a priority that is no integer from 0 to 10")                           \
    XX(INVALID_MAX_ACTIVE,   "a number of living instances that is no positive integer")             \
    XX(INVALID_DURATION,     "a duration that does not parse")                                       \
    XX(INVALID_INSTANCE_MODE, "a mode of instances that does not exist")                             \
    XX(NO_TRIGGER,           "a graph that nothing starts")                                          \
    XX(UNWIRED_PORT,         "a port that nothing leads on from")                                    \
    XX(GATEWAY_NESTING,      "gateways nested more than three deep")                                 \
    XX(TEMPLATE_NOT_UPSTREAM, "a template that reads a node which has not run yet, or is inside a loop") \
    XX(EPHEMERAL_WAIT,       "a wait that a restart of the engine forgets")                           \
    XX(UNSUPPORTED,          "a part of the format for which the engine has no mechanism")           \
    XX(EMPTY_RANGE,          "a loop over numbers of which there is none")                           \
    XX(COMPENSATION_OFF,     "a compensation that never runs, because no failure compensates")       \
    XX(UNKNOWN_VERSION,      "a version to start that its definition does not have")
/* clang-format on */

enum problem_code {
#define XX(NAME, meaning) PROBLEM_##NAME,
    PROBLEM_MAP(XX)
#undef XX
        PROBLEM_COUNT
};

const char *problem_code_name(enum problem_code code); /* "UNRESOLVED" */

struct problem {
    enum problem_code code;
    bool warning;
    uint32_t line; /* 0: unknown. */
    uint32_t column;
    str pointer; /* JSON Pointer into the document. */
    str node;    /* The author's id of the node that it is about; empty: none. */
    str message;
    str hint;               /* May be empty. */
    str edge;               /* The author's id of the edge that it is about; empty: none, or nobody looked. */
    const struct json *fix; /* One step that mends it: {"label", "patch"}; NULL: none, or nobody looked. */
};

/* A list that grows in its arena. Beyond DEFINITION_PROBLEMS_MAX it only counts. */
struct problems {
    struct arena *arena;
    struct problem *problem;
    size_t count;
    size_t cap;
    size_t error_count; /* All errors, also those beyond the limit. */
    size_t warning_count;
    bool errors_only;              /* Warnings are not wanted: the document was accepted before. */
    bool yaml;                     /* The text was YAML, and its problems are called so. */
    bool (*zone_exists)(str name); /* Is there such a time zone? NULL: nobody knows, and its form must do. */
    str stored_id; /* The document is stored under this id, which it has if it names none; empty: it is new.
                    */
    str dialect;   /* The name of the dialect that read the document; empty: none did. */
    str node; /* The node that is being looked at: problems are about it. Empty: none, or the dialect does not
                 say. */
};

void problems_init(struct problems *problems, struct arena *arena);

/* The format of the document: "json" or "yaml". */
const char *problems_format(const struct problems *problems);

/* All texts are copied. `hint` may be NULL. */
__attribute__((format(printf, 5, 6))) void problem_error(struct problems *problems, enum problem_code code,
                                                         str pointer, const char *hint, const char *format,
                                                         ...);
__attribute__((format(printf, 5, 6))) void problem_warning(struct problems *problems, enum problem_code code,
                                                           str pointer, const char *hint, const char *format,
                                                           ...);

/* Would one more be kept, and not only counted? Costly messages need not be made then. */
bool problems_have_room(const struct problems *problems, bool warning);

/* Parts of messages. The pointer `base` with one more reference behind it, escaped;
 * a text in quotes, escaped as JSON and cut when it is very long, as a C string. */
str problem_pointer(struct arena *arena, str base, str name);
str problem_pointer_index(struct arena *arena, str base, size_t index);
const char *problem_quote(struct arena *arena, str text);

/* [{"severity","code","pointer","line","column","message","hint"}], and "nodeId", "edgeId" and "fix" where
 * they are known. */
const struct json *problems_json(const struct problems *problems, struct arena *arena);

/* "file:3:7: error: message [CODE] (/steps/0)\n  hint: …" per problem, for people. */
void problems_print(const struct problems *problems, str file, struct buf *out);

#endif
