/* dialect/limits.h — the limits of reading and lowering documents. Limits that users can meet in other
 * folders too are in base/limits.h. */
#ifndef DIALECT_LIMITS_H
#define DIALECT_LIMITS_H

#include "base/limits.h"

enum {
    /* Hints: further apart two words are two words, and longer ones are compared by their beginning. */
    NEAREST_EDITS_MAX = 2,
    NEAREST_BYTES_MAX = 64,

    TRIGGERS_MAX = 100, /* In one definition that arrivals only start. */

    TOOL_NAME_BYTES_MAX = 64,          /* The name of the tool by which agents start a definition, */
    TOOL_DESCRIPTION_BYTES_MAX = 2000, /* and its description. */
    STARTABLE_NAMES_MAX = 100,         /* Roles and groups that may start a definition. */
    SECRET_USES_MAX = 1000, /* Secrets that a document names; with more it is as if it named all. */

    FIXING_LABEL_BYTES = 160,  /* In the name of a repair; longer ones are cut. */
    SKETCH_ARROWS_MAX = 20000, /* In a document that does not compile; more are not drawn. */
    SKETCH_CONDITIONS_MAX = 3, /* For one arrow, in words. */

    /* Reading a workflow. */
    NESTING_MAX = 16,          /* PARALLEL states inside each other's branches: reading recurses. */
    ACTIONS_MAX = 4000,        /* In one document: each becomes several nodes. */
    EVENT_ACTIONS_MAX = 2000,  /* Likewise: each takes memory for every trigger. */
    TESTS_MAX = 500,           /* Leaves and combinations of one choice: they become one expression. */
    TEST_DEPTH_MAX = 16,       /* Combinations inside each other: reading recurses. */
    PARAMETERS_DEPTH_MAX = 32, /* An action's parameters inside each other: reading recurses. */
    RETRIES_MAX = INT32_MAX,   /* As a number; R/PT1M repeats without end. */
    DATETIME_BYTES_MAX = 64,   /* No date and time is longer. */

    /* Lowering a workflow. */
    LOWERED_BYTES_MAX = 64 << 20, /* A program, without the document it is made of. */
    PARAMETERS_MAX = 2000,        /* An action may have more only if they are constant. */

    /* Steps. */
    SCHEMA_FIELDS_MAX = 1000,      /* In one schema: every start or result is checked against all of them. */
    EXPRESSION_VARIABLES_MAX = 64, /* Names looked at in one expression, for warnings only. */
    RETRY_FACTOR_MAX = 1000,       /* A larger factor reaches the longest delay at once. */

    REMINDERS_MAX = 20,                /* For one person's task, and as many escalations. */
    REMINDER_EVERY_MS_MIN = 60 * 1000, /* Between two reminders of a reminder that is repeated. */

    /* Flow graphs. */
    GRAPH_EDGES_MAX = 10000,
    GRAPH_ATTEMPTS_MAX = 1000,     /* For one call. */
    GRAPH_ITEMS_MAX = 100000,      /* For one loop: each becomes a region. */
    GRAPH_WINDOW_MAX = 1000,       /* Items of one loop at the same time. */
    GRAPH_VISITS_MAX = 1000000,    /* For a node on a circle, as a setting. */
    GRAPH_LOCK_SIZE_MAX = 10000,   /* So many steps may hold one lock. */
    GRAPH_NODE_FIELDS_MAX = 16,    /* Fields of a node beside its config, in the table of node types. */
    GRAPH_ALIASES_MAX = 16,        /* Other names of a type of node, in the same table. */
    GRAPH_SECRETS_MAX = 100,       /* Listed in one definition. */
    GRAPH_DECISIONS_MAX = 100,     /* For one task. */
    GRAPH_RULES_MAX = 100,         /* In one gate: rules, or cases. */
    GRAPH_ASSIGNMENTS_MAX = 100,   /* In one node: they become one expression. */
    GRAPH_KEY_NAMES_MAX = 16,      /* In the key of one: as many as an expression can assign to. */
    GRAPH_NESTED_GATEWAYS_MAX = 3, /* More are reported. */
    GRAPH_WALKS_MAX = 4000,        /* Through the whole graph, for warnings only. */

    /* Sentences for people. */
    SHOWN_NAMES_MAX = 2,  /* People who may do a task; the others are counted. */
    SAYING_NAMES_MAX = 3, /* In one sentence, also of events and transitions. No fewer than the people. */

    /* Workflows of entities. */
    ENTITY_WORKFLOWS_MAX = 100,
    ENTITY_NAME_BYTES_MAX = 256,         /* For a model, a workflow, a state, a transition, a processor. */
    ENTITY_TIMEOUT_MS_MAX = 3600 * 1000, /* That a processor may take. */
    ENTITY_RETRIES = 3,                  /* For a processor with a retry policy, so long after each
                                          * failure: */
    ENTITY_RETRY_DELAY_MS = 500,
    ENTITY_STEPS_MAX = 100, /* Visits of all states together, in what follows from one write. */
};

/* As long as a duration can be, with room for calculating. */
#define DURATION_SECONDS_MAX (INT64_MAX / 4 / 1000)

/* For the numbers of a loop: as far as every reader of JSON counts. */
#define GRAPH_RANGE_VALUE_MAX 9007199254740991

#endif
