/* dialect/graph/life_params.c — rows of the table of node types that belong to no type: how runs live, when a
 * call is tried again, and fields of a node beside its config. */
#include "dialect/graph/node_types.h"

#include "dialect/limits.h"

/* clang-format off */
static const struct graph_param settings[] = {
    { "instanceMode",       GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Runs are kept",                 "\"Persistent\"", "Persistent|Ephemeral", .help = "In memory, a run is gone when the engine stops." },
    { "isRecoverable",      GRAPH_PARAM_BOOLEAN,  GRAPH_OPTIONAL, "Goes on after a restart",       "true", NULL, .help = "Else runs that live when the engine starts again fail." },
    { "executionTimeout",   GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "A run takes at most",           NULL, NULL, .help = "Then it is cancelled." },
    { "maxActiveInstances", GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Runs at the same time",         NULL, NULL, .help = "All versions together.", .least = 1, .most = INT32_MAX },
    { "overflowPolicy",     GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "What comes beyond that",        "\"Reject\"", "Reject|Queue" },
    { "priority",           GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Priority",                      "5", NULL, .help = "0 to 10; calls of a higher one are made first.", .least = 0, .most = 10 },
    { "retentionPeriod",    GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Ended runs are kept for",       "\"30d\"", NULL },
    { "inputSchema",        GRAPH_PARAM_SCHEMA,   GRAPH_OPTIONAL, "What it needs to start",        NULL, NULL, .help = "Arrivals and starts that do not fit are refused." },
    { "globalErrorHandler", GRAPH_PARAM_NODE,     GRAPH_OPTIONAL, "If a step fails, go to",        NULL, NULL, .help = "A way of the step itself counts first." },
    { "defaultRetryPolicy", GRAPH_PARAM_RETRY,    GRAPH_OPTIONAL, "If a call fails, try again",    NULL, NULL, .help = "Calls that say nothing themselves follow it; without it they have three attempts, after two and four seconds." },
    { "onFailure",          GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "If the run fails",              "\"fail\"", "fail|compensate" },
    { "compensationOrder",  GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Undo",                          "\"reverse\"", "reverse|parallel" },
    { "maxNodeVisits",      GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Visits of a step on a circle",  "1000", NULL, .help = "A run that comes more often fails.", .least = 1, .most = GRAPH_VISITS_MAX },
    { "secretRefs",         GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Secrets that calls may use",    NULL, NULL },
    { "startableBy",        GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Roles and groups that may start it", NULL, NULL, .help = "By hand; everybody else is refused." },
};

static const struct graph_param retry[] = {
    { "maxAttempts",        GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "Attempts, with the first",      "1", NULL, .least = 1, .most = GRAPH_ATTEMPTS_MAX },
    { "backoffStrategy",    GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "Pauses between them",           "\"Exponential\"", "None|Fixed|Linear|Exponential" },
    { "initialDelay",       GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "First pause",                   "\"1s\"", NULL, .only_if = "backoffStrategy=Fixed|Linear|Exponential" },
    { "factor",             GRAPH_PARAM_NUMBER,   GRAPH_OPTIONAL, "Each pause so many times longer", "2", NULL, .only_if = "backoffStrategy=Exponential", .least = 1, .most = RETRY_FACTOR_MAX },
    { "maxDelay",           GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Longest pause",                 "\"5m\"", NULL, .only_if = "backoffStrategy=Fixed|Linear|Exponential" },
    { "jitter",             GRAPH_PARAM_NUMBER,   GRAPH_OPTIONAL, "Part of a pause that is random", "0", NULL, .help = "0 to 1.", .least = 0, .most = 1 },
    { "retryOn",            GRAPH_PARAM_TEXTS,    GRAPH_OPTIONAL, "Only after these errors",       NULL, NULL, .help = "Codes of errors; empty: after all of them." },
};

static const struct graph_param node_fields[] = {
    { "retry",              GRAPH_PARAM_RETRY,    GRAPH_OPTIONAL, "If it fails, try again",        NULL, NULL, .help = "As the flow says, if it is missing." },
    { "timeout",            GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "An attempt takes at most",      NULL, NULL },
    { "compensation",       GRAPH_PARAM_UNDO,     GRAPH_OPTIONAL, "Undo it by",                    NULL, NULL, .help = "Done when the run fails and undoes what it did." },
    { "onFailure",          GRAPH_PARAM_CHOICE,   GRAPH_OPTIONAL, "If it fails in the end",        NULL, "fail|compensate", .help = "As the flow says, if it is missing." },
    { "openFrom",           GRAPH_PARAM_NODE,     GRAPH_OPTIONAL, "Possible when the run has reached", NULL, NULL, .help = "It waits until then." },
    { "openUntil",          GRAPH_PARAM_NODE,     GRAPH_OPTIONAL, "Possible until the run reaches", NULL, NULL, .help = "Then it is withdrawn, and goes on by timeout if it has that line; else it fails with MILESTONE_PASSED." },
    { "lock",               GRAPH_PARAM_TEXT,     GRAPH_OPTIONAL, "Holds the lock",                NULL, NULL, .help = "A name. Steps with this lock, in all runs, are done one at a time; the others wait in their order." },
    { "lockSize",           GRAPH_PARAM_INTEGER,  GRAPH_OPTIONAL, "So many may hold it",           "1", NULL, .least = 1, .most = GRAPH_LOCK_SIZE_MAX },
    { "lockTimeout",        GRAPH_PARAM_DURATION, GRAPH_OPTIONAL, "Waits for the lock at most",    NULL, NULL, .help = "Then it fails with LOCK_TIMEOUT. Any time, if it is missing." },
};
/* clang-format on */

struct graph_params graph_setting_params(void) { return (struct graph_params){ settings, COUNT(settings) }; }

struct graph_params graph_params_of_retry(void) { return (struct graph_params){ retry, COUNT(retry) }; }

struct graph_params graph_node_params(void)
{
    return (struct graph_params){ node_fields, COUNT(node_fields) };
}

bool graph_node_field_works(const struct graph_type *type, str name)
{
    bool action = type->kind == GRAPH_KIND_ACTION;
    if (str_equal(name, STR("retry"))) return action;
    if (str_equal(name, STR("timeout")))
        return action || type->id == GRAPH_HUMAN_TASK || type->id == GRAPH_WAIT_EVENT;
    if (str_starts(name, STR("open")) || str_starts(name, STR("lock")))
        return action || type->id == GRAPH_HUMAN_TASK || type->id == GRAPH_WAIT_EVENT ||
               type->id == GRAPH_DELAY || type->id == GRAPH_FOR_EACH;
    if (type->kind == GRAPH_KIND_TRIGGER) return false;
    /* Neither a split nor an end does anything that could be undone. */
    if (str_equal(name, STR("compensation")))
        return type->id != GRAPH_PARALLEL && type->kind != GRAPH_KIND_END;
    return true;
}
