/* dialect/graph/node_types.c — the rows of the table of node types: parameters, ports, outputs. */
#include "dialect/graph/node_types.h"

#include "dialect/limits.h"
#include "program/limits.h"

/* ---- ways out ----
 *
 * Lists end with an empty entry, which is not counted: a list may be empty. */

#define NEXT                                           \
    {                                                  \
        { STR_INIT("out"), "Next" }, { .label = NULL } \
    }
static const struct graph_port manual_ports[] = NEXT, cron_ports[] = NEXT, webhook_ports[] = NEXT,
                               mqtt_ports[] = NEXT, poll_ports[] = NEXT, set_ports[] = NEXT,
                               decision_ports[] = NEXT, parallel_ports[] = NEXT, match_ports[] = NEXT,
                               delay_ports[] = NEXT, end_ports[] = { { .label = NULL } },
                               next_ports[] = { { .label = NULL } };
#define ACTION_PORTS                                                                         \
    {                                                                                        \
        { STR_INIT("out"), "Next" }, { STR_INIT("error"), "If it fails" }, { .label = NULL } \
    }
static const struct graph_port http_ports[] = ACTION_PORTS, db_ports[] = ACTION_PORTS,
                               email_ports[] = ACTION_PORTS, mcp_ports[] = ACTION_PORTS,
                               subflow_ports[] = ACTION_PORTS;
static const struct graph_port person_ports[] = {
    { STR_INIT("out"), "Any other answer" },
    { STR_INIT("timeout"), "If nobody answers in time" },
    { .label = NULL },
};
static const struct graph_port event_ports[] = {
    { STR_INIT("out"), "When it comes" },
    { STR_INIT("timeout"), "If it does not come in time" },
    { .label = NULL },
};
static const struct graph_port loop_ports[] = {
    { STR_INIT("body"), "For each item" },
    { STR_INIT("done"), "When all are done" },
    { STR_INIT("error"), "If an item fails" },
    { .label = NULL },
};

static const struct graph_port rules_ports[] = {
    { STR_INIT("default"), "If no rule holds" },
    { STR_INIT("onError"), "If a value is missing" },
    { .label = NULL },
};
static const struct graph_port cases_ports[] = {
    { STR_INIT("default"), "Any other value" },
    { STR_INIT("onError"), "If there is no value" },
    { .label = NULL },
};
static const struct graph_port fan_in_ports[] = {
    { STR_INIT("onComplete"), "When enough have come" },
    { STR_INIT("onTimeout"), "If they do not come in time" },
    { .label = NULL },
};
static const struct graph_port range_ports[] = {
    { STR_INIT("onIteration"), "For each number" },
    { STR_INIT("onComplete"), "When all are done" },
    { STR_INIT("onError"), "If one fails" },
    { .label = NULL },
};
static const struct graph_port context_ports[] = {
    { STR_INIT("onComplete"), "Next" },
    { STR_INIT("onError"), "If it fails" },
    { .label = NULL },
};

/* ---- wiring ---- */

#define NAMES(list, ...) static const str list[] = { __VA_ARGS__ }
NAMES(in_eval, STR_INIT("eval"), STR_INIT("in"));
NAMES(in_arrive, STR_INIT("arrive"), STR_INIT("in"));
NAMES(in_start, STR_INIT("start"), STR_INIT("in"));
NAMES(in_set, STR_INIT("set"), STR_INIT("in"));
NAMES(fan_in_refused, STR_INIT("reset"), STR_INIT("onPartial"));
NAMES(range_refused, STR_INIT("pause"), STR_INIT("continue"), STR_INIT("stop"), STR_INIT("onStop"),
      STR_INIT("onIterationTimeout"));
#undef NAMES

static const struct graph_wiring wirings[GRAPH_TYPE_COUNT] = {
    [GRAPH_HUMAN_TASK] = { .ports_of = "decisions" },
    [GRAPH_FOR_EACH] = { .body = STR_INIT("body"), .done = STR_INIT("done") },
    [GRAPH_LOGIC_GATE] = { .ports_of = "rules",
                           .error = STR_INIT("onError"),
                           .fans_out = true,
                           .input = in_eval,
                           .input_count = COUNT(in_eval) },
    [GRAPH_SWITCH_GATE] = { .ports_of = "cases",
                            .error = STR_INIT("onError"),
                            .fans_out = true,
                            .input = in_eval,
                            .input_count = COUNT(in_eval) },
    [GRAPH_FAN_IN_GATE] = { .next = STR_INIT("onComplete"),
                            .fans_out = true,
                            .input = in_arrive,
                            .input_count = COUNT(in_arrive),
                            .refused = fan_in_refused,
                            .refused_count = COUNT(fan_in_refused) },
    [GRAPH_FOR_LOOP] = { .body = STR_INIT("onIteration"),
                         .done = STR_INIT("onComplete"),
                         .error = STR_INIT("onError"),
                         .next = STR_INIT("onComplete"),
                         .fans_out = true,
                         .input = in_start,
                         .input_count = COUNT(in_start),
                         .refused = range_refused,
                         .refused_count = COUNT(range_refused) },
    [GRAPH_SET_CONTEXT] = { .error = STR_INIT("onError"),
                            .next = STR_INIT("onComplete"),
                            .fans_out = true,
                            .input = in_set,
                            .input_count = COUNT(in_set) },
};

/* ---- params ---- */

/* clang-format off */
#define ON_MATCH "MapOrCreate|MapOrDiscard|AlwaysCreate|MapOrReplace"
#define ROUTING(on_match)                                                                                          \
    { "correlationExpression", GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Belongs together by",            NULL, NULL, .help = "A value that the run and what arrives have in common." }, \
    { "onMatch",               GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "If it is already running",       on_match, ON_MATCH, .help = "A run that belongs together with what arrives." }, \
    { "filter",                GRAPH_PARAM_CONDITION, GRAPH_OPTIONAL, "Only if",                       NULL, NULL, .help = "Arrivals that do not fit are left out.", .other = "filterExpression" }, \
    { "entry",                 GRAPH_PARAM_NODE,     GRAPH_OPTIONAL, "First step",                     NULL, NULL }

/* Only requests, messages and rows are kept. */
#define LIFE                                                                                                       \
    { "timeToLive",            GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Keep it before its run for",     NULL, NULL, .help = "With MapOrDiscard: so long it waits for a run to which it belongs; 0: not at all.", .only_if = "onMatch=MapOrDiscard" }

static const struct graph_param manual_params[] = {
    { "buttonLabel",           GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Text of the button",             NULL, NULL, .help = "On the button that starts it." },
    { "inputSchema",           GRAPH_PARAM_SCHEMA,   GRAPH_OPTIONAL, "Form",                           NULL, NULL, .help = "The form that is asked before it starts; it counts before the form of the flow." },
    { "requiredRoles",         GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Who may start it",               NULL, NULL, .help = "Roles of access; empty: everybody who may start runs." },
    { "openForm",              GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Open to everybody",              "false", NULL, .help = "People fill in the form without signing in, if they know its address." },
    ROUTING("\"MapOrCreate\""),
    { .label = NULL },
};
static const struct graph_param cron_params[] = {
    { "scheduleMode",          GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Kind of schedule",               "\"Interval\"", "Interval|Cron", .help = "At fixed times if “Schedule” is filled in.", .decided_by = "cronExpression", .decided = "\"Cron\"" },
    { "cronExpression",        GRAPH_PARAM_CRON,     GRAPH_OPTIONAL, "Schedule",                       NULL, NULL, .help = "Minute, hour, day, month, day of the week.", .other = "cron", .only_if = "scheduleMode=Cron" },
    { "timeZone",              GRAPH_PARAM_ZONE,     GRAPH_OPTIONAL, "Time zone",                      "\"UTC\"", NULL, .help = "The clock that counts.", .other = "timezone" },
    { "intervalValue",         GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Every",                          "15", NULL, .only_if = "scheduleMode=Interval", .least = 1, .most = ARRIVAL_INTERVAL_UNITS_MAX },
    { "intervalUnit",          GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Unit",                           "\"Minutes\"", "Seconds|Minutes|Hours|Days", .only_if = "scheduleMode=Interval" },
    { "misfirePolicy",         GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "If the engine was down",         "\"Discard\"", "Discard|FireImmediately", .help = "A time that passed while the engine was down." },
    ROUTING("\"AlwaysCreate\""),
    { .label = NULL },
};
static const struct graph_param webhook_params[] = {
    { "path",                  GRAPH_PARAM_PLAIN,    GRAPH_NEEDED,   "Path",                           NULL, NULL, .help = "Requests come there: /orders is /hooks/orders." },
    { "method",                GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Method",                         "\"POST\"", "POST|GET|PUT|DELETE" },
    { "authType",              GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Who may call it",                "\"None\"", "None|ApiKey|BasicAuth|HMAC" },
    { "secretRef",             GRAPH_PARAM_SECRET,   GRAPH_OPTIONAL, "Secret",                         NULL, NULL, .help = "The name of the secret that callers prove to know.", .only_if = "authType=ApiKey|BasicAuth|HMAC" },
    { "responseMode",          GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Answer",                         "\"AckOnArrival\"", "AckOnArrival|RespondOnComplete", .help = "Callers hear at once that it arrived, or wait for the result." },
    { "successCode",           GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Status of the answer",           NULL, NULL, .least = 200, .most = 299, .help = "200 to 299; 202 if it is missing." },
    { "opaqueResponses",       GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Tell callers nothing",           "false", NULL, .help = "Every answer is the same, so that strangers learn nothing." },
    { "deduplicationKey",      GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Same request by",                NULL, NULL, .help = "A request that came before, by this value, is answered and starts nothing." },
    ROUTING("\"MapOrCreate\""),
    LIFE,
    { .label = NULL },
};
static const struct graph_param mqtt_params[] = {
    { "brokerRef",             GRAPH_PARAM_SECRET,   GRAPH_NEEDED,   "Broker",                         NULL, NULL, .help = "The name of the secret with the address and the login." },
    { "topic",                 GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Topic",                          "\"#\"", NULL, .help = "+ stands for one level, # for all that follow." },
    { "qos",                   GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Quality of service",             "1", NULL, .least = 0, .most = 2, .help = "0: at most once, 1: at least once." },
    { "payloadFormat",         GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Messages are",                   "\"JSON\"", "JSON|RawBinary|Protobuf" },
    { "schemaRef",             GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Description of the messages",    NULL, NULL, .help = "A secret with a FileDescriptorSet, and the message: readings#acme.Reading.", .only_if = "payloadFormat=Protobuf" },
    { "deduplicationKey",      GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Same message by",                NULL, NULL, .help = "A message that came before, by this value, starts nothing." },
    ROUTING("\"MapOrCreate\""),
    LIFE,
    { .label = NULL },
};
static const struct graph_param poll_params[] = {
    { "sourceType",            GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Look at",                        "\"SqlDatabase\"", "SqlDatabase|RestApi", .help = "A web service if url is given.", .decided_by = "url", .decided = "\"RestApi\"" },
    { "connectionRef",         GRAPH_PARAM_SECRET,   GRAPH_OPTIONAL, "Connection",                     NULL, NULL, .help = "The name of the secret with the address and the login." },
    { "url",                   GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Address",                        NULL, NULL, .help = "Answers with a list of rows.", .only_if = "sourceType=RestApi" },
    { "query",                 GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Query",                          NULL, NULL, .help = "A statement that reads rows, or where the rows are in the answer." },
    { "pollingInterval",       GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Every",                          "5", NULL, .least = 1, .most = ARRIVAL_INTERVAL_UNITS_MAX },
    { "pollingUnit",           GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Unit",                           "\"Minutes\"", "Seconds|Minutes|Hours|Days" },
    { "deduplicationKey",      GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Same row by",                    NULL, NULL, .help = "A row that was seen before, by this value, starts nothing." },
    ROUTING("\"MapOrCreate\""),
    LIFE,
    { .label = NULL },
};
static const struct graph_param end_params[] = {
    { "result",                GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result",                         NULL, NULL, .help = "The flow gives it back." },
    { "terminate",             GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Stop everything else",           "false", NULL, .help = "Other branches stop, too." },
    { "status",                GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Ends as",                        "\"completed\"", "completed|failed" },
    { "errorCode",             GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Code of the error",              NULL, NULL, .only_if = "status=failed" },
    { "message",               GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "What went wrong",                NULL, NULL, .only_if = "status=failed" },
    { .label = NULL },
};
static const struct graph_param next_params[] = {
    { "definition",            GRAPH_PARAM_FLOW,     GRAPH_OPTIONAL, "Flow",                           NULL, NULL, .help = "This flow, if it is missing." },
    { "version",               GRAPH_PARAM_VERSION,  GRAPH_OPTIONAL, "Version",                        "\"latest\"", NULL, .help = "latest, or the number of a version." },
    { "input",                 GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Input",                          NULL, NULL, .help = "The new run begins with it; with the variables of this one, if it is missing." },
    { "result",                GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result",                         NULL, NULL, .help = "This run gives it back." },
    { .label = NULL },
};
/* The names of `output` become the outputs of the action, and nothing else of its result is stored. */
#define OUTPUT \
    { "output",                GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Keep of the result",             NULL, NULL, .help = "Names and values, such as {{ result.body.id }}. The rest is not stored." }
static const struct graph_param http_params[] = {
    { "method",                GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Method",                         "\"GET\"", "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS", .decided_by = "body", .decided = "\"POST\"" },
    { "url",                   GRAPH_PARAM_TEXT,     GRAPH_NEEDED,   "Address",                        NULL, NULL },
    { "headers",               GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Headers",                        NULL, NULL },
    { "query",                 GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Parameters",                     NULL, NULL, .help = "Behind the ? of the address." },
    { "body",                  GRAPH_PARAM_JSON,     GRAPH_OPTIONAL, "What is sent",                   NULL, NULL },
    OUTPUT,
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Answer in a test",               NULL, NULL, .help = "Stands for the answer in test runs." },
    { .label = NULL },
};
static const struct graph_param db_params[] = {
    { "connectionRef",         GRAPH_PARAM_SECRET,   GRAPH_NEEDED,   "Database",                       NULL, NULL, .help = "The name of the secret with the address and the login." },
    { "sql",                   GRAPH_PARAM_PLAIN,    GRAPH_NEEDED,   "Query",                          NULL, NULL, .help = "Write $1, $2 for values." },
    { "params",                GRAPH_PARAM_JSON,     GRAPH_OPTIONAL, "Values of the query",            NULL, NULL },
    { "readOnly",              GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Only reads",                     "false", NULL, .help = "Then test runs ask the database, too." },
    OUTPUT,
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Answer in a test",               NULL, NULL, .help = "Stands for the rows in test runs." },
    { .label = NULL },
};
static const struct graph_param email_params[] = {
    { "to",                    GRAPH_PARAM_TEXTS,    GRAPH_NEEDED,   "To",                             NULL, NULL, .help = "Addresses." },
    { "cc",                    GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Copy to",                        NULL, NULL },
    { "bcc",                   GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Hidden copy to",                 NULL, NULL },
    { "from",                  GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "From",                           NULL, NULL, .help = "The address of the mail server if it is missing." },
    { "replyTo",               GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "Answers go to",                  NULL, NULL },
    { "subject",               GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "Subject",                        NULL, NULL },
    { "body",                  GRAPH_PARAM_LONG_TEXT, GRAPH_OPTIONAL, "Text",                          NULL, NULL },
    { "html",                  GRAPH_PARAM_LONG_TEXT, GRAPH_OPTIONAL, "Text as HTML",                  NULL, NULL },
    { "headers",               GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Headers",                        NULL, NULL },
    { "connectionRef",         GRAPH_PARAM_SECRET,   GRAPH_OPTIONAL, "Mail server",                    NULL, NULL, .help = "The name of a secret; the mail server of the engine if it is missing." },
    OUTPUT,
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Answer in a test",               NULL, NULL, .help = "Stands for the answer in test runs." },
    { .label = NULL },
};
static const struct graph_param mcp_params[] = {
    { "url",                   GRAPH_PARAM_TEXT,     GRAPH_NEEDED,   "Address of the MCP server",      NULL, NULL },
    { "tool",                  GRAPH_PARAM_TEXT,     GRAPH_NEEDED,   "Tool",                           NULL, NULL, .help = "Its name, as the server lists it." },
    { "arguments",             GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Arguments",                      NULL, NULL, .help = "The tool gets them." },
    { "headers",               GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Headers",                        NULL, NULL, .help = "Such as Authorization, with a secret." },
    OUTPUT,
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Answer in a test",               NULL, NULL, .help = "Stands for the answer in test runs." },
    { .label = NULL },
};
static const struct graph_param subflow_params[] = {
    { "definition",            GRAPH_PARAM_FLOW,     GRAPH_NEEDED,   "Flow",                           NULL, NULL, .help = "A definition of any family." },
    { "version",               GRAPH_PARAM_VERSION,  GRAPH_OPTIONAL, "Version",                        "\"latest\"", NULL, .help = "latest, or the number of a version." },
    { "input",                 GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Input",                          "{}", NULL, .help = "The other flow begins with it." },
    { "businessKey",           GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "Business key",                   NULL, NULL, .help = "The key of the run that it starts." },
    { "wait",                  GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Waits for its end",              "true", NULL, .help = "If not, it goes on as soon as the other flow has begun." },
    OUTPUT,
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result in a test",               NULL, NULL, .help = "Stands for the result in test runs. Without it the other flow is tested, too." },
    { .label = NULL },
};
static const struct graph_param set_params[] = {
    { "values",                GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Values",                         NULL, NULL, .help = "Later steps read them by name." },
    { .label = NULL },
};
static const struct graph_param person_params[] = {
    { "title",                 GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "Title",                          NULL, NULL, .help = "The name of the step if it is missing." },
    { "description",           GRAPH_PARAM_LONG_TEXT, GRAPH_OPTIONAL, "What to do",                    NULL, NULL },
    { "assignees",             GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "People",                         NULL, NULL, .help = "They may answer." },
    { "groups",                GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Groups",                         NULL, NULL, .help = "Their members may answer." },
    { "decisions",             GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Possible answers",               NULL, NULL, .help = "Each is a way out." },
    { "formSchema",            GRAPH_PARAM_SCHEMA,   GRAPH_OPTIONAL, "Form",                           NULL, NULL, .help = "Filled in with the answer." },
    { "due",                   GRAPH_PARAM_TIME,     GRAPH_OPTIONAL, "Due",                            NULL, NULL, .help = "A time, or a duration since the task opened." },
    { "followUp",              GRAPH_PARAM_TIME,     GRAPH_OPTIONAL, "Follow up",                      NULL, NULL, .help = "Somebody should look at it again then." },
    { "priority",              GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Priority",                       NULL, NULL, .least = 0, .most = 100, .help = "0 to 100." },
    { "timeout",               GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Time to answer",                 NULL, NULL, .help = "Then the way for no answer is taken." },
    { "reminders",             GRAPH_PARAM_REMINDERS,    GRAPH_OPTIONAL, "Remind them",                   NULL, NULL, .help = "Writes an e-mail to the people who are asked." },
    { "escalation",            GRAPH_PARAM_ESCALATION,     GRAPH_OPTIONAL, "Hand to others after",           NULL, NULL, .help = "Nobody has answered: others are asked, and get an e-mail." },
    { "testDecision",          GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Answer in a test",               NULL, NULL, .help = "Stands for the answer in test runs." },
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result in a test",               NULL, NULL, .help = "Stands for the answer in test runs." },
    { .label = NULL },
};
#define STRICT \
    { { "strict",              GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Missing data is an error",       "true", NULL }, { .label = NULL } }
static const struct graph_param decision_params[] = STRICT, match_params[] = STRICT;
static const struct graph_param parallel_params[] = {
    { "join",                  GRAPH_PARAM_JOIN,     GRAPH_OPTIONAL, "Goes on when",                   "{\"mode\":\"all\"}", "all|any|quorum", .help = "Says when the way goes on where ways meet." },
    { .label = NULL },
};
static const struct graph_param delay_params[] = {
    { "duration",              GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "For",                            NULL, NULL },
    { "until",                 GRAPH_PARAM_TIME,     GRAPH_OPTIONAL, "Until",                          NULL, NULL },
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result in a test",               NULL, NULL, .help = "Stands for the result in test runs." },
    { .label = NULL },
};
static const struct graph_param loop_params[] = {
    { "items",                 GRAPH_PARAM_LIST,     GRAPH_NEEDED,   "List",                           NULL, NULL },
    { "addFrom",               GRAPH_PARAM_TRIGGER,  GRAPH_OPTIONAL, "More items come from",           NULL, NULL, .help = "Each payload that arrives at that start becomes one more item, before the step begins and while it runs." },
    { "mode",                  GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Items",                          "\"sequential\"", "sequential|parallel" },
    { "maxConcurrency",        GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "At the same time",               "10", NULL, .only_if = "mode=parallel", .least = 1, .most = GRAPH_WINDOW_MAX },
    { "onItemError",           GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "If an item fails",               "\"fail\"", "fail|continue" },
    { "itemVar",               GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Name of the item",               "\"item\"", NULL },
    { "indexVar",              GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "Name of its number",             "\"index\"", NULL },
    { "result",                GRAPH_PARAM_JSON,     GRAPH_OPTIONAL, "Result of an item",              NULL, NULL, .help = "Kept of each item." },
    { "until",                 GRAPH_PARAM_CONDITION, GRAPH_OPTIONAL, "Stop when",                     NULL, NULL, .help = "Asked after each item. Items that are left are withdrawn, or finish." },
    { "quorum",                GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Goes on when so many are done",  NULL, NULL, .least = 1, .most = GRAPH_ITEMS_MAX, .help = "All of them if it is missing. Items that failed do not count." },
    { "cancelRemaining",       GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Withdraw the others",            "true", NULL, .help = "When it goes on before all are done. Else the others finish, and nobody waits for them." },
    { "maxItems",              GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Longest list",                   "10000", NULL, .least = 1, .most = GRAPH_ITEMS_MAX, .help = "A longer list is an error." },
    { .label = NULL },
};
static const struct graph_param event_params[] = {
    { "trigger",               GRAPH_PARAM_TRIGGER,  GRAPH_NEEDED,   "Event",                          NULL, NULL, .help = "The start whose arrivals are waited for." },
    { "timeout",               GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Wait at most",                   NULL, NULL, .help = "Then the way for no event is taken." },
    { "early",                 GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Takes early ones",               "true", NULL, .help = "An event that came before the step was reached counts, too." },
    { "testOutput",            GRAPH_PARAM_MAP,      GRAPH_OPTIONAL, "Result in a test",               NULL, NULL, .help = "Stands for the event in test runs." },
    { .label = NULL },
};

static const struct graph_param rules_params[] = {
    { "logicMode",             GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Takes",                          "\"Exclusive\"", "Exclusive|Parallel" },
    { "rules",                 GRAPH_PARAM_RULES,    GRAPH_OPTIONAL,   "Rules",                          NULL, NULL },
    { "strictMode",            GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Missing data is an error",       "true", NULL },
    { .label = NULL },
};
static const struct graph_param cases_params[] = {
    { "expression",            GRAPH_PARAM_EXPRESSION, GRAPH_NEEDED, "Value",                          NULL, NULL },
    { "matchMode",             GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Compares",                       "\"Exact\"", "Exact|Regex|NumericRange" },
    { "cases",                 GRAPH_PARAM_CASES,    GRAPH_OPTIONAL,   "Cases",                          NULL, NULL },
    { .label = NULL },
};
static const struct graph_param fan_in_params[] = {
    { "mode",                  GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Goes on when",                   "\"All\"", "All|Any|Quorum" },
    { "expectedCount",         GRAPH_PARAM_JSON,     GRAPH_OPTIONAL, "How many",                       "\"auto\"", NULL, .help = "A number, or auto: as many as there are." },
    { "waitTimeoutMs",         GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Waits at most (ms)",             "0", NULL, .help = "0: any time." },
    { "collectResults",        GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Collects what the branches gave", "true", NULL },
    { .label = NULL },
};
static const struct graph_param range_params[] = {
    { "from",                  GRAPH_PARAM_INTEGER,  GRAPH_NEEDED,   "From",                           NULL, NULL },
    { "to",                    GRAPH_PARAM_INTEGER,  GRAPH_NEEDED,   "To, without it",                 NULL, NULL, .help = "The last number is one less." },
    { "step",                  GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Step",                           "1", NULL },
    { "iterationMode",         GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Iterations",                     "\"Sequential\"", "Sequential|Concurrent" },
    { "iterationDelayMs",      GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Pause between them (ms)",        "0", NULL },
    { "maxConcurrency",        GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "At the same time",               NULL, NULL, .only_if = "iterationMode=Concurrent" },
    { "onIterationError",      GRAPH_PARAM_PLAIN,    GRAPH_OPTIONAL, "If one fails",                   "\"Halt\"", NULL, .help = "Halt, Continue or Retry(n)." },
    { "ack",                   GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Waits for a sign to go on",      "false", "false" },
    { "ackTimeoutMs",          GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Waits for it at most (ms)",      "0", NULL, .only_if = "ack=true" },
    { "ackMode",               GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Who must give it",               "\"Any\"", "Any|All", .only_if = "ack=true" },
    { .label = NULL },
};
static const struct graph_param context_params[] = {
    { "assignments",           GRAPH_PARAM_ASSIGNMENTS, GRAPH_NEEDED, "Changes",                       NULL, NULL },
    { .label = NULL },
};

/* ---- outputs ---- */

#define OUT(name, kind, label) { STR_INIT(name), GRAPH_OUTPUT_##kind, label }
static const struct graph_output manual_outputs[] = {
    OUT("payload", ANY, "Input"), OUT("triggered_at", TIME, "Started at"),
    { .label = NULL },
};
static const struct graph_output cron_outputs[] = {
    OUT("payload", ANY, "Input"), OUT("triggered_at", TIME, "Started at"),
    OUT("scheduled_for", TIME, "Scheduled for"), OUT("time_zone", STRING, "Time zone"),
    { .label = NULL },
};
static const struct graph_output webhook_outputs[] = {
    OUT("payload", ANY, "Body"), OUT("triggered_at", TIME, "Received at"), OUT("method", STRING, "Method"),
    OUT("path", STRING, "Path"), OUT("headers", OBJECT, "Headers"), OUT("query", OBJECT, "Parameters"),
    { .label = NULL },
};
static const struct graph_output mqtt_outputs[] = {
    OUT("payload", ANY, "Message"), OUT("triggered_at", TIME, "Received at"), OUT("topic", STRING, "Topic"),
    OUT("qos", NUMBER, "Quality of service"), OUT("retained", BOOLEAN, "Retained"),
    { .label = NULL },
};
static const struct graph_output poll_outputs[] = {
    OUT("payload", ANY, "Row"), OUT("triggered_at", TIME, "Found at"),
    { .label = NULL },
};
static const struct graph_output http_outputs[] = {
    OUT("status_code", NUMBER, "Status"), OUT("headers", OBJECT, "Headers"), OUT("body", ANY, "Answer"),
    { .label = NULL },
};
static const struct graph_output db_outputs[] = {
    OUT("rows", ARRAY, "Rows"), OUT("row_count", NUMBER, "Number of rows"),
    { .label = NULL },
};
static const struct graph_output email_outputs[] = {
    OUT("message_id", STRING, "Message id"), OUT("accepted", ARRAY, "Accepted addresses"),
    { .label = NULL },
};
static const struct graph_output mcp_outputs[] = {
    OUT("result", ANY, "Result"), OUT("complete", BOOLEAN, "Nothing was left out"),
    { .label = NULL },
};
static const struct graph_output subflow_outputs[] = {
    OUT("instance_id", STRING, "Run"), OUT("result", ANY, "Result"),
    { .label = NULL },
};
static const struct graph_output set_outputs[] = {
    OUT("assigned", OBJECT, "Values"),
    { .label = NULL },
};
static const struct graph_output person_outputs[] = {
    OUT("task_id", STRING, "Task"), OUT("decision", STRING, "Answer"), OUT("payload", OBJECT, "Form"),
    OUT("completed_by", STRING, "Answered by"), OUT("completed_at", TIME, "Answered at"),
    { .label = NULL },
};
static const struct graph_output decision_outputs[] = {
    OUT("taken", STRING, "Way taken"),
    { .label = NULL },
};
static const struct graph_output match_outputs[] = {
    OUT("taken", ARRAY, "Ways taken"),
    { .label = NULL },
};
static const struct graph_output delay_outputs[] = {
    OUT("scheduled_for", TIME, "Planned for"), OUT("resumed_at", TIME, "Went on at"),
    { .label = NULL },
};
static const struct graph_output loop_outputs[] = {
    OUT("count", NUMBER, "Items"), OUT("succeeded", NUMBER, "Succeeded"), OUT("failed", NUMBER, "Failed"),
    OUT("results", ARRAY, "Results"), OUT("errors", ARRAY, "Errors"),
    { .label = NULL },
};
static const struct graph_output event_outputs[] = {
    OUT("payload", ANY, "Event"), OUT("received_at", TIME, "Received at"),
    { .label = NULL },
};
static const struct graph_output fan_in_outputs[] = {
    OUT("summary", OBJECT, "How many have come"), OUT("results", ARRAY, "What the branches gave"),
    { .label = NULL },
};
static const struct graph_output range_outputs[] = {
    OUT("status", STRING, "Status"), OUT("totalIterations", NUMBER, "Iterations"),
    OUT("iterationsCompleted", NUMBER, "Completed"), OUT("iterationsFailed", NUMBER, "Failed"),
    OUT("results", ARRAY, "Results"), OUT("errors", ARRAY, "Errors"),
    { .label = NULL },
};
#define NOTHING { { .label = NULL } }
static const struct graph_output end_outputs[] = NOTHING, next_outputs[] = NOTHING, parallel_outputs[] = NOTHING, rules_outputs[] = NOTHING,
                                 cases_outputs[] = NOTHING, context_outputs[] = NOTHING;
/* clang-format on */

/* ---- the table ---- */

#define LISTED(name, list) .name = (list), .name##_count = COUNT(list) - 1

static const struct graph_type types[GRAPH_TYPE_COUNT] = {
#define XX(NAME, type_, label_, category_, effect_, kind_, lists) \
    [GRAPH_##NAME] = {                                            \
        .id = GRAPH_##NAME,                                       \
        .name = STR_INIT(type_),                                  \
        .label = (label_),                                        \
        .category = (category_),                                  \
        .effect = GRAPH_EFFECT_##effect_,                         \
        .kind = GRAPH_KIND_##kind_,                               \
        LISTED(port, lists##_ports),                              \
        LISTED(param, lists##_params),                            \
        LISTED(output, lists##_outputs),                          \
        .wiring = &wirings[GRAPH_##NAME],                         \
    },
    GRAPH_TYPE_MAP(XX)
#undef XX
};

const struct graph_type *graph_type(enum graph_type_id id)
{
    must((unsigned)id < GRAPH_TYPE_COUNT);
    return &types[id];
}

/* ---- names ---- */

/* Types of triggers, and of the older format. */
static const struct {
    str name;
    enum graph_type_id id;
} aliases[] = {
    { STR_INIT("manual"), GRAPH_MANUAL },
    { STR_INIT("cron"), GRAPH_CRON },
    { STR_INIT("schedule"), GRAPH_CRON },
    { STR_INIT("trigger_schedule"), GRAPH_CRON },
    { STR_INIT("http"), GRAPH_WEBHOOK },
    { STR_INIT("webhook"), GRAPH_WEBHOOK },
    { STR_INIT("trigger_http"), GRAPH_WEBHOOK },
    { STR_INIT("mqtt"), GRAPH_MQTT },
    { STR_INIT("poll"), GRAPH_POLL },
    { STR_INIT("polling"), GRAPH_POLL },
    { STR_INIT("ManualTrigger"), GRAPH_MANUAL },
    { STR_INIT("ScheduledTrigger"), GRAPH_CRON },
    { STR_INIT("HttpWebhookTrigger"), GRAPH_WEBHOOK },
    { STR_INIT("MqttTelemetryTrigger"), GRAPH_MQTT },
    { STR_INIT("PollingTrigger"), GRAPH_POLL },
    { STR_INIT("LogicGate"), GRAPH_LOGIC_GATE },
    { STR_INIT("SwitchGate"), GRAPH_SWITCH_GATE },
    { STR_INIT("FanInGate"), GRAPH_FAN_IN_GATE },
    { STR_INIT("StaticForLoop"), GRAPH_FOR_LOOP },
    { STR_INIT("StaticForLoopNode"), GRAPH_FOR_LOOP },
    { STR_INIT("SetContext"), GRAPH_SET_CONTEXT },
    { STR_INIT("SetContextNode"), GRAPH_SET_CONTEXT },
};

const struct graph_type *graph_type_find(str name)
{
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++)
        if (str_equal(types[i].name, name)) return &types[i];
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (str_equal_ignoring_case(aliases[i].name, name)) return &types[aliases[i].id];
    return NULL;
}

size_t graph_type_aliases(const struct graph_type *type, str *names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (aliases[i].id == type->id && !str_equal(aliases[i].name, type->name) && count < most)
            names[count++] = aliases[i].name;
    return count;
}

const char *graph_type_instead(str name)
{
    static const struct {
        str name;
        const char *hint;
    } known[] = {
        { STR_INIT("SingleClientTrigger"), "use trigger_mqtt with a filter" },
        { STR_INIT("GroupClientTrigger"), "use trigger_mqtt with a filter" },
        { STR_INIT("PolicyClientTrigger"), "use trigger_mqtt with a filter" },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_equal_ignoring_case(known[i].name, name)) return known[i].hint;
    return NULL;
}

const struct graph_param *graph_param_find(const struct graph_type *type, str name)
{
    for (size_t i = 0; i < type->param_count; i++) {
        const struct graph_param *param = &type->param[i];
        if (str_equal(str_of(param->name), name) || (param->other && str_equal(str_of(param->other), name)))
            return param;
    }
    return NULL;
}

bool graph_port_is(const struct graph_type *type, str name)
{
    for (size_t i = 0; i < type->port_count; i++)
        if (str_equal(type->port[i].name, name)) return true;
    return false;
}

/* ---- kinds of values ---- */

static const struct {
    const char *word;
    bool takes_template;
    const char *what;
} param_kinds[GRAPH_PARAM_KIND_COUNT] = {
#define XX(NAME, word, template, what) [GRAPH_PARAM_##NAME] = { word, template, what },
    GRAPH_PARAM_MAP(XX)
#undef XX
};

const char *graph_param_word(enum graph_param_kind kind) { return param_kinds[kind].word; }
const char *graph_param_what(enum graph_param_kind kind) { return param_kinds[kind].what; }
bool graph_param_takes_template(enum graph_param_kind kind) { return param_kinds[kind].takes_template; }

const char *graph_output_word(enum graph_output_kind kind)
{
    static const char *const words[GRAPH_OUTPUT_KIND_COUNT] = {
#define XX(NAME, word, placeholder) [GRAPH_OUTPUT_##NAME] = word,
        GRAPH_OUTPUT_MAP(XX)
#undef XX
    };
    return words[kind];
}

const struct json *graph_placeholder(enum graph_output_kind kind, struct arena *arena)
{
    static const str placeholders[GRAPH_OUTPUT_KIND_COUNT] = {
#define XX(NAME, word, placeholder) [GRAPH_OUTPUT_##NAME] = STR_INIT(placeholder),
        GRAPH_OUTPUT_MAP(XX)
#undef XX
    };
    const struct json *value;
    must(json_parse(placeholders[kind], NULL, arena, &value, NULL) == ST_OK);
    return value;
}

const struct json *graph_type_placeholder(const struct graph_type *type, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < type->output_count; i++) {
        json_add_name(&builder, type->output[i].name);
        json_add(&builder, graph_placeholder(type->output[i].kind, arena));
    }
    json_close(&builder);
    return json_built(&builder);
}

const str *graph_type_outputs(const struct graph_type *type, struct arena *arena)
{
    str *name = arena_make_n(arena, str, type->output_count);
    for (size_t i = 0; i < type->output_count; i++) name[i] = type->output[i].name;
    return name;
}
