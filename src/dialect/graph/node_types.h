/* dialect/graph/node_types.h — the one table of node types.
 *
 * Everything that must agree about a type of node reads this table: the reader and the checks of documents,
 * lowering (the members that a task's result must have), test runs and mocks (placeholders), and GET
 * /api/node-types, from which the builder makes its palette and its forms.
 */
#ifndef DIALECT_GRAPH_NODE_TYPES_H
#define DIALECT_GRAPH_NODE_TYPES_H

#include "json/json.h"

/* clang-format off */
#define GRAPH_TYPE_MAP(XX)                                                                                     \
    /* NAME           type               label                        category   effect   kind     lists    */ \
    XX(MANUAL,        "trigger_manual",  "Start",                     "start",   NONE,    TRIGGER, manual)     \
    XX(CRON,          "trigger_cron",    "Start on a schedule",       "start",   NONE,    TRIGGER, cron)       \
    XX(WEBHOOK,       "trigger_webhook", "Start on a web request",    "start",   NONE,    TRIGGER, webhook)    \
    XX(MQTT,          "trigger_mqtt",    "Start on an MQTT message",  "start",   NONE,    TRIGGER, mqtt)       \
    XX(POLL,          "trigger_poll",    "Start on new data",         "start",   NONE,    TRIGGER, poll)       \
    XX(END,           "end",             "End",                       "end",     NONE,    END,     end)        \
    XX(CONTINUE,      "continue_as",     "Go on as a new run",        "end",     NONE,    END,     next)       \
    XX(HTTP,          "action_http",     "Call a web service",        "actions", CHANGES, ACTION,  http)       \
    XX(DB,            "action_db",       "Database",                  "actions", CHANGES, ACTION,  db)         \
    XX(EMAIL,         "action_email",    "Email",                     "actions", CHANGES, ACTION,  email)      \
    XX(MCP,           "action_mcp",      "Use a tool",                "actions", CHANGES, ACTION,  mcp)        \
    XX(SUBFLOW,       "action_subflow",  "Run another flow",          "actions", CHANGES, ACTION,  subflow)    \
    XX(SET_VARIABLES, "set_variables",   "Set values",                "data",    NONE,    STEP,    set)        \
    XX(HUMAN_TASK,    "human_task",      "Ask a person",              "people",  WAITS,   STEP,    person)     \
    XX(DECISION,      "decision",        "Decision",                  "control", NONE,    GATEWAY, decision)   \
    XX(PARALLEL,      "parallel",        "Split & Wait",              "control", NONE,    GATEWAY, parallel)   \
    XX(MATCH,         "match",           "Match",                     "control", NONE,    GATEWAY, match)      \
    XX(DELAY,         "delay",           "Wait",                      "control", WAITS,   STEP,    delay)      \
    XX(FOR_EACH,      "for_each",        "For each",                  "control", NONE,    LOOP,    loop)       \
    XX(WAIT_EVENT,    "wait_event",      "Wait for event",            "control", WAITS,   STEP,    event)     \
    XX(LOGIC_GATE,    "LogicGate",       "Rules",                     "control", NONE,    GATE,    rules)      \
    XX(SWITCH_GATE,   "SwitchGate",      "Switch",                    "control", NONE,    GATE,    cases)      \
    XX(FAN_IN_GATE,   "FanInGate",       "Wait for branches",         "control", NONE,    GATE,    fan_in)     \
    XX(FOR_LOOP,      "StaticForLoop",   "Count",                     "control", NONE,    LOOP,    range)      \
    XX(SET_CONTEXT,   "SetContext",      "Change values",             "data",    NONE,    STEP,    context)
/* clang-format on */

enum graph_type_id {
#define XX(NAME, ...) GRAPH_##NAME,
    GRAPH_TYPE_MAP(XX)
#undef XX
        GRAPH_TYPE_COUNT
};

/* The effect of a node of the type outside of the engine. */
enum graph_effect {
    GRAPH_EFFECT_NONE,
    GRAPH_EFFECT_WAITS,   /* It waits for a person, an event or a time, which a test run does not. */
    GRAPH_EFFECT_CHANGES, /* It changes the world, unless its config says readOnly: a test run does not call
                             it. */
};

enum graph_kind {
    GRAPH_KIND_TRIGGER,
    GRAPH_KIND_END,
    GRAPH_KIND_ACTION, /* A call: it has retries, an error port and a contract about its result. */
    GRAPH_KIND_STEP,
    GRAPH_KIND_GATEWAY,
    GRAPH_KIND_LOOP,
    GRAPH_KIND_GATE, /* A gateway whose config has the conditions, and names the ports. */
};

/* The kind of a value in a node's config. A text of a kind that has `template` may hold {{ placeholders }},
 * and the whole value may be one. */
/* clang-format off */
#define GRAPH_PARAM_MAP(XX)                                               \
    /* NAME        word          template  a value is                  */ \
    XX(TEXT,       "text",       true,     "a text")                      \
    XX(LONG_TEXT,  "long_text",  true,     "a text of several lines")     \
    XX(NUMBER,     "number",     false,    "a number")                    \
    XX(INTEGER,    "integer",    false,    "a whole number")              \
    XX(BOOLEAN,    "boolean",    false,    "true or false")               \
    XX(CHOICE,     "choice",     false,    "one of the words")            \
    XX(DURATION,   "duration",   true,     "a duration, such as 10m")     \
    XX(TIME,       "time",       true,     "a date and time")             \
    XX(LIST,       "list",       true,     "a list")                      \
    XX(TEXTS,      "texts",      true,     "a list of texts")             \
    XX(MAP,        "map",        true,     "names and values")            \
    XX(JSON,       "json",       true,     "any value")                   \
    XX(CONDITION,  "condition",  true,     "a condition")                 \
    XX(SCHEMA,     "schema",     false,    "a JSON Schema")               \
    XX(PLAIN,      "plain",      false,    "a text without placeholders") \
    XX(CRON,       "cron",       false,    "a schedule in cron's form")   \
    XX(ZONE,       "zone",       false,    "a time zone")                 \
    XX(SECRET,     "secret",     false,    "the name of a secret")        \
    XX(TRIGGER,    "trigger",    false,    "the id of a trigger")         \
    XX(NODE,       "node",       false,    "the id of a node")            \
    XX(JOIN,       "join",       false,    "when a join opens")           \
    XX(EXPRESSION, "expression", true,     "an expression")               \
    XX(RULES,      "rules",      false,    "a list of {condition, label}") \
    XX(CASES,      "cases",      false,    "a list of {value, label}")    \
    XX(ASSIGNMENTS, "assignments", false,  "a list of {key, value, operation}") \
    XX(RETRY,      "retry",      false,    "when a call is tried again")  \
    XX(UNDO,       "undo",       false,    "the id of a node, or a call") \
    XX(REMINDERS,  "reminders",  false,    "a list of times, or of {after, every, email}") \
    XX(ESCALATION, "escalation", false,    "when others get it, and who") \
    XX(NOTE,       "note",       false,    "a text for people who read the document") \
    XX(ISO_DURATION, "iso_duration", false, "a duration, such as P2D")    \
    XX(FIELDS,     "plain_schema", false,  "names and types of fields")   \
    XX(TIMERS,     "timers",     false,    "a list of timers")            \
    XX(BACKOFF,    "backoff",    false,    "{initial, factor, max}")      \
    XX(VALUES,     "values",     false,    "names and expressions")       \
    XX(TABLE,      "table",      false,    "the rules of a decision table") \
    XX(JOIN_STEP,  "join_step",  false,    "the id of a JOIN_GATEWAY")   \
    XX(FLOW,       "flow",       true,     "the id of a definition")      \
    XX(VERSION,    "version",    true,     "a version: latest, or its number") \
    XX(NEXT,       "next",       false,    "{definition, version, input}")
/* clang-format on */

enum graph_param_kind {
#define XX(NAME, word, template, what) GRAPH_PARAM_##NAME,
    GRAPH_PARAM_MAP(XX)
#undef XX
        GRAPH_PARAM_KIND_COUNT
};

enum graph_need { GRAPH_OPTIONAL, GRAPH_NEEDED };

struct graph_param {
    const char *name;
    enum graph_param_kind kind;
    enum graph_need need;
    const char *label;
    const char *fallback;             /* The default, as JSON; NULL: none. */
    const char *words;                /* CHOICE: the words, with "|" between them, in any case. */
    const char *help;                 /* Its meaning, where the label does not say all. */
    const char *other;                /* Another spelling of the name. */
    const char *decided_by, *decided; /* If that field is given, this is the default. */
    const char *only_if; /* It means something if another field has one of these values: "mode=Cron". */
    long least, most;    /* The bounds of a number; both 0: none. */
};

struct graph_params {
    const struct graph_param *param;
    size_t count;
};

/* The type of an output, and what stands for it in a test run. */
/* clang-format off */
#define GRAPH_OUTPUT_MAP(XX)                                    \
    XX(STRING,  "string",  "\"[TEST] Simulated output\"")       \
    XX(NUMBER,  "number",  "0")                                 \
    XX(BOOLEAN, "boolean", "false")                             \
    XX(ARRAY,   "array",   "[]")                                \
    XX(OBJECT,  "object",  "{}")                                \
    XX(ANY,     "any",     "{}")                                \
    XX(TIME,    "time",    "\"[TEST] Simulated output\"")
/* clang-format on */

enum graph_output_kind {
#define XX(NAME, word, placeholder) GRAPH_OUTPUT_##NAME,
    GRAPH_OUTPUT_MAP(XX)
#undef XX
        GRAPH_OUTPUT_KIND_COUNT
};

struct graph_output {
    str name;
    enum graph_output_kind kind;
    const char *label;
};

struct graph_port {
    str name;
    const char *label;
};

/* How edges meet a type, if not by `in` and the ports of the table. */
struct graph_wiring {
    const char *ports_of; /* The list in the config of which each entry is a port, too; NULL: none. */
    str body, done;       /* LOOP: the port where an iteration begins, and that after the last one. */
    str error;            /* The port for what fails; empty: "error". */
    str next;             /* The port of an edge that names none; empty: "out". */
    bool fans_out;        /* A port may have several edges: all of them are taken. */
    const str *input;     /* Names of the ports where edges may end, the usual one first; NULL: any name. */
    size_t input_count;
    const str *refused; /* Ports of the format, in or out, for which the engine has no mechanism. */
    size_t refused_count;
};

struct graph_type {
    enum graph_type_id id;
    str name;
    const char *label;
    const char *category;
    enum graph_effect effect;
    enum graph_kind kind;
    const struct graph_port *port; /* Ways out. */
    size_t port_count;
    const struct graph_wiring *wiring;
    const struct graph_param *param;
    size_t param_count;
    const struct graph_output *output;
    size_t output_count;
};

const struct graph_type *graph_type(enum graph_type_id id);

/* The type of that name, in the exact spelling or an alias of an older format ("HttpWebhookTrigger", in any
 * case); NULL if there is none. */
const struct graph_type *graph_type_find(str name);

/* Puts other names of the type, at most `most`, and returns how many. */
size_t graph_type_aliases(const struct graph_type *type, str *names, size_t most);

/* A type to write instead of one that cannot be read here, as a hint; NULL if nothing is known about it. */
const char *graph_type_instead(str name);

/* How runs live (members of `settings`, or of the document), when a call is tried again, and fields of a node
 * beside its config. */
struct graph_params graph_setting_params(void);
struct graph_params graph_params_of_retry(void);
struct graph_params graph_node_params(void);

/* Has the field beside the config (graph_node_params()) an effect on nodes of the type? */
bool graph_node_field_works(const struct graph_type *type, str name);

const struct graph_param *graph_param_find(const struct graph_type *type, str name);
bool graph_port_is(const struct graph_type *type, str name);
const char *graph_param_word(enum graph_param_kind kind);
const char *graph_param_what(enum graph_param_kind kind);
bool graph_param_takes_template(enum graph_param_kind kind);
const char *graph_output_word(enum graph_output_kind kind);

/* The value that a test run has in the place of a value of this kind. */
const struct json *graph_placeholder(enum graph_output_kind kind, struct arena *arena);

/* An object with exactly the outputs of the type, each a placeholder for a value of its kind. */
const struct json *graph_type_placeholder(const struct graph_type *type, struct arena *arena);

/* The names of the outputs. */
const str *graph_type_outputs(const struct graph_type *type, struct arena *arena);

/* The whole table as members of an object: "nodeTypes":[{type, label, category, …}],"settings":[…],
 * "retry":[…],"nodeFields":[…]. */
void graph_put_node_types(struct buf *out);

/* "params":[{name, label, kind, …}] */
void graph_put_params(struct buf *out, const char *name, struct graph_params params);

#endif
