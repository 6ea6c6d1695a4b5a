/* dialect/steps/steps_int.h — a document of steps on its way to a program.
 *
 * Reading comes first: it matches every member of every object with a field and checks its JSON type. The
 * result is a table of values per object, in which a member that is absent, null or of the wrong type is
 * NULL. Checking and lowering then go through the steps in document order and never see JSON of an
 * unexpected shape.
 */
#ifndef DIALECT_STEPS_STEPS_INT_H
#define DIALECT_STEPS_STEPS_INT_H

#include "dialect/limits.h"
#include "dialect/nearest.h"
#include "dialect/template.h"
#include "dialect/steps/steps.h"

/* ---- fields ---- */

enum shape { SHAPE_STRING, SHAPE_BOOLEAN, SHAPE_INTEGER, SHAPE_NUMBER, SHAPE_OBJECT, SHAPE_ARRAY };

/* clang-format off */
#define DEFINITION_FIELD_MAP(XX)                          \
    XX(ID,               "id",                    STRING)  \
    XX(VERSION,          "version",               INTEGER) \
    XX(NAME,             "name",                  STRING)  \
    XX(DESCRIPTION,      "description",           STRING)  \
    XX(AUTO_START,       "autoStartNextWorkflow", BOOLEAN) \
    XX(NEXT_WORKFLOW_ID, "nextWorkflowId",        STRING)  \
    XX(STEPS,            "steps",                 ARRAY)   \
    XX(TRIGGERS,         "triggers",              ARRAY)   \
    XX(STARTABLE_BY,     "startableBy",           ARRAY)   \
    XX(MCP,              "mcp",                   OBJECT)  \
    XX(METADATA,         "metadata",              OBJECT)  \
    XX(INPUT_SCHEMA,     "input_schema",          OBJECT)  \
    XX(SCHEMA,           "$schema",               STRING) /* For editors. */
/* clang-format on */

/* clang-format off */
#define STEP_FIELD_MAP(XX)                                \
    XX(ID,               "id",                   STRING)  \
    XX(NAME,             "name",                 STRING)  \
    XX(TYPE,             "type",                 STRING)  \
    XX(DESCRIPTION,      "description",          STRING)  \
    XX(NEXT_STEP,        "nextStep",             STRING)  \
    XX(CONDITIONAL,      "conditionalNextSteps", OBJECT)  \
    XX(PARALLEL,         "parallelNextSteps",    ARRAY)   \
    XX(JOIN_STEP,        "joinStep",             STRING)  \
    XX(TRANSFORMATIONS,  "transformations",      OBJECT)  \
    XX(JOB_TYPE,         "jobType",              STRING)  \
    XX(DELEGATE_CLASS,   "delegateClass",        STRING)  \
    XX(RETRY_COUNT,      "retryCount",           INTEGER) \
    XX(RETRY_BACKOFF,    "retryBackoff",         OBJECT)  \
    XX(BOUNDARY_EVENTS,  "boundaryEvents",       ARRAY)   \
    XX(DECISION_TABLE,   "decisionTable",        OBJECT)  \
    XX(HIT_POLICY,       "hitPolicy",            STRING)  \
    XX(OUTPUTS_SCHEMA,   "outputs_schema",       OBJECT)  \
    XX(CHAIN,            "chain",                BOOLEAN) \
    XX(CONTINUE_AS,      "continueAs",           OBJECT)  \
    XX(ENDS,             "ends",                 STRING)  \
    XX(ASSIGNEE,         "assignee",             STRING)  \
    XX(CANDIDATE_USERS,  "candidateUsers",       ARRAY)   \
    XX(CANDIDATE_GROUPS, "candidateGroups",      ARRAY)   \
    XX(DUE_DATE,         "dueDate",              STRING)  \
    XX(FOLLOW_UP_DATE,   "followUpDate",         STRING)  \
    XX(PRIORITY,         "priority",             INTEGER) \
    XX(FORM_SCHEMA,      "formSchema",           OBJECT)  \
    XX(REMINDERS,        "reminders",            ARRAY)   \
    XX(ESCALATION,       "escalation",           OBJECT)
/* clang-format on */

/* clang-format off */
#define EVENT_FIELD_MAP(XX)                      \
    XX(TYPE,          "type",          STRING)   \
    XX(DURATION,      "duration",      STRING)   \
    XX(INTERRUPTING,  "interrupting",  BOOLEAN)  \
    XX(TARGET,        "targetStepId",  STRING)
/* clang-format on */

/* clang-format off */
#define TABLE_FIELD_MAP(XX) \
    XX(RULES, "rules", ARRAY)
/* clang-format on */

/* clang-format off */
#define RULE_FIELD_MAP(XX)        \
    XX(WHEN,    "when",    OBJECT) \
    XX(OUTPUTS, "outputs", OBJECT)
/* clang-format on */

/* clang-format off */
#define BACKOFF_FIELD_MAP(XX)       \
    XX(INITIAL, "initial", STRING)  \
    XX(FACTOR,  "factor",  NUMBER)  \
    XX(MAX,     "max",     STRING)
/* clang-format on */

/* clang-format off */
#define NEXT_FIELD_MAP(XX)              \
    XX(DEFINITION, "definition", STRING)  \
    XX(VERSION,    "version",    INTEGER) \
    XX(INPUT,      "input",      OBJECT)
/* clang-format on */

#define XX(NAME, text, shape) DEFINITION_##NAME,
enum definition_field { DEFINITION_FIELD_MAP(XX) DEFINITION_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) STEP_##NAME,
enum step_field { STEP_FIELD_MAP(XX) STEP_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) EVENT_##NAME,
enum event_field { EVENT_FIELD_MAP(XX) EVENT_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) TABLE_##NAME,
enum table_field { TABLE_FIELD_MAP(XX) TABLE_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) RULE_##NAME,
enum rule_field { RULE_FIELD_MAP(XX) RULE_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) BACKOFF_##NAME,
enum backoff_field { BACKOFF_FIELD_MAP(XX) BACKOFF_FIELD_COUNT };
#undef XX
#define XX(NAME, text, shape) NEXT_##NAME,
enum next_field { NEXT_FIELD_MAP(XX) NEXT_FIELD_COUNT };
#undef XX

enum object_kind {
    OBJECT_DEFINITION,
    OBJECT_STEP,
    OBJECT_EVENT,
    OBJECT_TABLE,
    OBJECT_RULE,
    OBJECT_BACKOFF,
    OBJECT_NEXT,
    OBJECT_KIND_COUNT
};

/* The members of an object, by field. */
struct fields {
    enum object_kind kind;
    str pointer; /* Leads to the object. */
    struct field_value {
        const struct json *value; /* NULL: absent, null, or of the wrong type. */
        str name;                 /* As the document spells it. */
        bool refused;             /* Present and of the wrong type, which has been reported. */
    } * at;                       /* As many as the kind has. */
};

/* Return "" or false if the field has no value. */
str fields_text(const struct fields *fields, size_t field);
bool fields_flag(const struct fields *fields, size_t field);

/* Does the field hold something other than "", 0, false, [] and {}? Other programs write those for an absent
 * field. */
bool fields_given(const struct fields *fields, size_t field);

/* ---- the document, read ---- */

/* clang-format off */
#define STEP_TYPE_MAP(XX)               \
    XX(SERVICE_TASK,     NODE_TASK)     \
    XX(USER_TASK,        NODE_WAIT)     \
    XX(DECISION,         NODE_CHOOSE)   \
    XX(DECISION_TABLE,   NODE_TABLE)    \
    XX(TRANSFORMATION,   NODE_SET)      \
    XX(WAIT,             NODE_WAIT)     \
    XX(PARALLEL_GATEWAY, NODE_FORK)     \
    XX(JOIN_GATEWAY,     NODE_JOIN)     \
    XX(END,              NODE_END)
/* clang-format on */

enum step_type {
#define XX(NAME, kind) TYPE_##NAME,
    STEP_TYPE_MAP(XX)
#undef XX
        TYPE_UNKNOWN,
};

const char *step_type_name(enum step_type type);

struct steps_step {
    enum step_type type;
    struct fields fields;
    struct fields *event; /* boundaryEvents. */
    size_t event_count;
    struct fields *rule; /* decisionTable.rules. */
    size_t rule_count;
    bool rules_refused;   /* The rules have the wrong type, which has been reported. */
    size_t rules_written; /* In the document; rule_count stops at the limit. */
    str rules_pointer;
    struct fields *backoff; /* NULL: none. */
    struct fields *next;    /* continueAs; NULL: none. */
};

struct steps_definition {
    struct fields fields;
    struct steps_step *step;
    size_t step_count;
};

struct steps {
    struct problems *problems;
    struct arena *arena; /* Scratch: the problems' own. */
    struct steps_definition definition;
    struct program *program;
    struct program_node *node; /* program->node, while it is being made. */
    bool broken; /* A reference to a step is wrong or missing, and has been reported. Steps that cannot be
                    reached may be a consequence of it. */
};

/* read_definition.c: reads the whole document. Reports unknown fields, removed fields and
 * wrong types. */
void steps_read(struct steps *steps, const struct json *document);

/* fields.c: matches the members of an object with the fields of its kind. */
void steps_read_fields(struct steps *steps, enum object_kind kind, const struct json *object, str pointer,
                       struct fields *ret_fields);
/* Makes fields that are all absent. */
void steps_no_fields(struct steps *steps, enum object_kind kind, str pointer, struct fields *ret_fields);
/* Marks all fields as reported: no more problems are told about them. */
void steps_refuse_fields(struct fields *fields);
/* Reports that a value has the wrong type: `json: field "retryCount" must be …`. */
void steps_wrong_type(struct steps *steps, str pointer, str name, enum shape expected,
                      const struct json *value);
/* Returns the format's spelling of a field's name, which may be written in any case; other names as they are.
 */
str steps_spelling(enum object_kind kind, str name);
/* names.c: returns the document with all its fields in that spelling. */
const struct json *steps_normal(const struct json *document, struct arena *arena);
/* The field's name as the format spells it. */
const char *steps_field_name(enum object_kind kind, size_t field);

/* check_definition.c: the top-level fields; false if there are no steps to look at. Then,
 * once the nodes have their names, the step ids. */
bool steps_check_definition(struct steps *steps);
void steps_check_ids(struct steps *steps);
/* Warns of a definition that starts the next one, if none of its several ENDs says whether it does. */
void steps_check_chain(struct steps *steps);

/* check_step.c: one step's fields and references. */
void steps_check_step(struct steps *steps, size_t index);

/* check_names.c: names in expressions that nothing gives a value. After all steps are lowered. */
void steps_check_names(struct steps *steps);

/* lower_*.c: one step becomes its node. Reports expressions, durations and schemas that do not compile.
 * References that lead nowhere are left out. */
void steps_lower_step(struct steps *steps, size_t index);
void steps_lower_definition(struct steps *steps);
void steps_lower_table(struct steps *steps, size_t index);
void steps_lower_timers(struct steps *steps, size_t index);
void steps_lower_person(struct steps *steps, size_t index);
/* Adds the timers of reminders, behind those of boundaryEvents. */
void steps_lower_reminders(struct steps *steps, size_t index);
/* `continueAs` of an END. */
void steps_lower_next(struct steps *steps, size_t index);
void steps_lower_retry(struct steps *steps, size_t index);
struct program_fields steps_lower_schema(struct steps *steps, const char *owner, const struct fields *fields,
                                         size_t field);

/* A value of transformations or outputs: a literal, or an expression if it is a string
 * that starts with "${" and ends with "}". `what` begins the message. */
struct program_value steps_lower_value(struct steps *steps, str name, const struct json *value,
                                       const char *what, str pointer);
/* NULL, and a problem, if the text does not compile. */
const struct expr *steps_lower_expression(struct steps *steps, str text, const char *what, str pointer);

/* ---- texts of problems ---- */

/* `step "a"`, or `step[2]` if it has no id. */
const char *step_label(struct steps *steps, size_t index);
/* `step "a" (SERVICE_TASK)`. */
const char *step_typed_label(struct steps *steps, size_t index);
/* The pointer of the field, whether or not it is there. */
str fields_pointer(struct steps *steps, const struct fields *fields, size_t field);

#endif
