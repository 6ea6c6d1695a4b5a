/* dialect/steps/step_types.c — the rows of the table of types of steps. */
#include "dialect/steps/step_types.h"

#include "dialect/graph/node_types.h"
#include "dialect/limits.h"
#include "dialect/steps/steps_int.h"
#include "json/put.h"

/* clang-format off */
#define DESCRIPTION \
    { "description",     GRAPH_PARAM_NOTE,         GRAPH_OPTIONAL, "What it is for",                       NULL, NULL }
#define TIMERS \
    { "boundaryEvents",  GRAPH_PARAM_TIMERS,       GRAPH_OPTIONAL, "If it takes long",                     NULL, NULL, .help = "Goes another way, or does something beside it." }

static const struct graph_param service_params[] = {
    { "jobType",         GRAPH_PARAM_PLAIN,        GRAPH_NEEDED,   "Kind of job that a worker takes",      NULL, NULL },
    { "retryCount",      GRAPH_PARAM_INTEGER,      GRAPH_OPTIONAL, "If it fails, try again so many times", "0", NULL, .least = 0, .most = RETRY_COUNT_MAX },
    { "retryBackoff",    GRAPH_PARAM_BACKOFF,      GRAPH_OPTIONAL, "Wait before the first new try",        NULL, NULL, .help = "Each later pause is factor times longer." },
    TIMERS,
    { "outputs_schema",  GRAPH_PARAM_FIELDS,       GRAPH_OPTIONAL, "What the worker gives back",           NULL, NULL },
    DESCRIPTION,
    { "delegateClass",   GRAPH_PARAM_PLAIN,        GRAPH_OPTIONAL, "Delegate class (kept, not used)",      NULL, NULL },
};
static const struct graph_param person_params[] = {
    { "assignee",        GRAPH_PARAM_TEXT,         GRAPH_OPTIONAL, "Who has it",                           NULL, NULL },
    { "candidateGroups", GRAPH_PARAM_TEXTS,        GRAPH_OPTIONAL, "Groups who may take it",               NULL, NULL },
    { "candidateUsers",  GRAPH_PARAM_TEXTS,        GRAPH_OPTIONAL, "People who may take it",               NULL, NULL },
    { "formSchema",      GRAPH_PARAM_SCHEMA,       GRAPH_OPTIONAL, "What they fill in",                    NULL, NULL },
    { "dueDate",         GRAPH_PARAM_ISO_DURATION, GRAPH_OPTIONAL, "Due after",                            NULL, NULL, .help = "A duration since the task opened, or a time." },
    TIMERS,
    { "reminders",       GRAPH_PARAM_REMINDERS,    GRAPH_OPTIONAL, "Remind them",                          NULL, NULL, .help = "Writes an e-mail to the people who are asked." },
    { "escalation",      GRAPH_PARAM_ESCALATION,   GRAPH_OPTIONAL, "Hand to others after",                 NULL, NULL, .help = "Nobody has answered: others are asked, and get an e-mail." },
    { "priority",        GRAPH_PARAM_INTEGER,      GRAPH_OPTIONAL, "Priority",                             NULL, NULL, .help = "0 to 100.", .least = 0, .most = 100 },
    { "followUpDate",    GRAPH_PARAM_ISO_DURATION, GRAPH_OPTIONAL, "Look at it again after",               NULL, NULL },
    { "jobType",         GRAPH_PARAM_PLAIN,        GRAPH_OPTIONAL, "Kind of task",                         NULL, NULL },
    DESCRIPTION,
};
static const struct graph_param wait_params[] = { TIMERS, DESCRIPTION };
static const struct graph_param table_params[] = {
    { "hitPolicy",       GRAPH_PARAM_CHOICE,       GRAPH_OPTIONAL, "When several rules fit",               "\"U\"", "U|F|A|R|C|C+|C#|C>|C<" },
    { "decisionTable",   GRAPH_PARAM_TABLE,        GRAPH_NEEDED,   "Rules",                                NULL, NULL },
    DESCRIPTION,
};
static const struct graph_param set_params[] = {
    { "transformations", GRAPH_PARAM_VALUES,       GRAPH_NEEDED,   "Values",                               NULL, NULL },
    DESCRIPTION,
};
static const struct graph_param split_params[] = {
    { "joinStep",        GRAPH_PARAM_JOIN_STEP,    GRAPH_OPTIONAL, "All ways meet at",                     NULL, NULL },
    DESCRIPTION,
};
static const struct graph_param plain_params[] = { DESCRIPTION };
static const struct graph_param end_params[] = {
    { "ends",            GRAPH_PARAM_CHOICE,       GRAPH_OPTIONAL, "What ends here",                       "\"instance\"", "instance|branch" },
    { "chain",           GRAPH_PARAM_BOOLEAN,      GRAPH_OPTIONAL, "Start the next flow, if there is one", "true", NULL, .decided_by = "continueAs", .decided = "false" },
    { "continueAs",      GRAPH_PARAM_NEXT,         GRAPH_OPTIONAL, "Go on as a new run",                   NULL, NULL, .help = "It has the business key and the values that are given; all of them, if none is." },
    DESCRIPTION,
};

static const struct {
    enum step_type type;
    const char *label, *kind;
    struct graph_params params;
} rows[] = {
#define LISTED(list) { list, COUNT(list) }
    { TYPE_SERVICE_TASK,     "Service task",      "action",  LISTED(service_params) },
    { TYPE_USER_TASK,        "Ask a person",      "action",  LISTED(person_params) },
    { TYPE_WAIT,             "Wait for a signal", "action",  LISTED(wait_params) },
    { TYPE_DECISION,         "Decision",          "gateway", LISTED(plain_params) },
    { TYPE_DECISION_TABLE,   "Decision table",    "action",  LISTED(table_params) },
    { TYPE_TRANSFORMATION,   "Set values",        "action",  LISTED(set_params) },
    { TYPE_PARALLEL_GATEWAY, "Split",             "gateway", LISTED(split_params) },
    { TYPE_JOIN_GATEWAY,     "Wait for all",      "action",  LISTED(plain_params) },
    { TYPE_END,              "End",               "end",     LISTED(end_params) },
#undef LISTED
};
/* clang-format on */
_Static_assert(COUNT(rows) == TYPE_UNKNOWN, "each type of step has a row");

void steps_put_types(struct buf *out)
{
    PUT(out, "\"stepTypes\":[");
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_printf(out,
                   "%s{\"type\":\"%s\",\"label\":\"%s\",\"category\":\"steps\",\"kind\":\"%s\",\"ports\":[",
                   i ? "," : "", step_type_name(rows[i].type), rows[i].label, rows[i].kind);
        if (rows[i].type != TYPE_END) PUT(out, "{\"name\":\"out\",\"label\":\"Then\"}");
        PUT(out, "],");
        graph_put_params(out, "params", rows[i].params);
        PUT(out, ",\"outputs\":[]}");
    }
    buf_add_char(out, ']');
}
