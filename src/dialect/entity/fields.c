/* dialect/entity/fields.c — members of workflows that nobody knows.
 *
 * The engine keeps and exports a member that it does not know, as the original does, and warns that it has no
 * effect. The lists are all that a part may have; tests/contract/test_fields.py shows what each field does.
 */
#include "dialect/entity/entity_int.h"

#include "dialect/nearest.h"

static const char *const document_fields[] = { "dialect",    "entityName",  "modelVersion", "sample",
                                               "importMode", "changeLevel", "workflows",    NULL };
static const char *const workflow_fields[] = {
    "version", "name",        "desc",        "initialState",         "active", "criterion",
    "states",  "allowCycles", "annotations", "criterionAnnotations", NULL
};
/* A workflow that is the whole document. */
static const char *const single_fields[] = { "dialect", "entityName", "modelVersion",
                                             "sample",  "importMode", "changeLevel",
                                             NULL };
static const char *const state_fields[] = { "transitions", "annotations", NULL };
static const char *const transition_fields[] = { "name",     "next",        "manual",
                                                 "disabled", "criterion",   "processors",
                                                 "schedule", "annotations", "criterionAnnotations",
                                                 NULL };
static const char *const schedule_fields[] = { "delayMs", "timeoutMs", "function", NULL };
static const char *const schedule_function_fields[] = { "name",         "resultKind",  "calculationNodesTags",
                                                        "attachEntity", "context",     "responseTimeoutMs",
                                                        "retryPolicy",  "asyncResult", "crossoverToAsyncMs",
                                                        "annotations",  NULL };
static const char *const processor_fields[] = {
    "type", "name", "executionMode", "startNewTxOnDispatch", "config", "annotations", NULL
};
static const char *const config_fields[] = {
    "attachEntity", "calculationNodesTags", "responseTimeoutMs",    "retryPolicy", "context",
    "asyncResult",  "crossoverToAsyncMs",   "startNewTxOnDispatch", NULL
};
static const char *const function_config_fields[] = {
    "attachEntity", "calculationNodesTags", "responseTimeoutMs",  "retryPolicy",
    "context",      "asyncResult",          "crossoverToAsyncMs", NULL
};
static const char *const function_fields[] = { "type", "function", NULL };
static const char *const asked_fields[] = { "name", "config", NULL };
static const char *const simple_fields[] = { "type",  "jsonPath", "operatorType", "operator", "operation",
                                             "value", NULL };
static const char *const lifecycle_fields[] = { "type",  "field", "operatorType", "operator", "operation",
                                                "value", NULL };
static const char *const group_fields[] = { "type", "operator", "conditions", NULL };
static const char *const array_fields[] = { "type", "jsonPath", "values", NULL };

/* ---- one object ---- */

static bool is_among(const char *const *names, str name)
{
    for (size_t i = 0; names && names[i]; i++)
        if (str_equal(str_of(names[i]), name)) return true;
    return false;
}

/* Warns of members that are in neither list; `more` may be NULL. */
static void only(struct entity *entity, const struct json *object, str pointer, const char *const *names,
                 const char *const *more)
{
    if (!json_is(object, JSON_OBJECT)) return;
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        if (is_among(names, each.name) || is_among(more, each.name)) continue;
        struct nearest nearest;
        nearest_init(&nearest, each.name);
        for (size_t i = 0; names[i]; i++) nearest_offer(&nearest, str_of(names[i]));
        problem_warning(entity->problems, PROBLEM_UNKNOWN_FIELD,
                        problem_pointer(entity->scratch, pointer, each.name),
                        nearest_hint(&nearest, entity->scratch), "%s is no field here, and has no effect",
                        problem_quote(entity->scratch, each.name));
    }
}

static str below(struct entity *entity, str pointer, const char *name)
{
    return problem_pointer(entity->scratch, pointer, str_of(name));
}

/* ---- criteria ---- */

static const struct {
    const char *type;
    const char *const *fields;
} conditions[] = {
    { "simple", simple_fields }, { "lifecycle", lifecycle_fields }, { "group", group_fields },
    { "array", array_fields },   { "function", function_fields },
};

const char *const *entity_condition_fields(str type)
{
    for (size_t i = 0; i < COUNT(conditions); i++)
        if (str_equal(type, str_of(conditions[i].type))) return conditions[i].fields;
    return NULL;
}

/* Recursion goes as deep as documents can be. */
static void check_condition(struct entity *entity, const struct json *condition, str pointer)
{
    const struct json *type = json_get(condition, STR("type")), *function, *list;
    if (!json_is(type, JSON_STRING)) return;
    const char *const *fields = entity_condition_fields(json_string(type));
    if (fields) only(entity, condition, pointer, fields, NULL);
    function = json_get(condition, STR("function"));
    if (json_is(function, JSON_OBJECT)) {
        str place = below(entity, pointer, "function");
        only(entity, function, place, asked_fields, NULL);
        only(entity, json_get(function, STR("config")), below(entity, place, "config"),
             function_config_fields, NULL);
    }
    list = json_get(condition, STR("conditions"));
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++)
        check_condition(entity, json_item(list, i),
                        problem_pointer_index(entity->scratch, below(entity, pointer, "conditions"), i));
}

static void check_criterion(struct entity *entity, const struct json *owner, str pointer)
{
    check_condition(entity, json_get(owner, STR("criterion")), below(entity, pointer, "criterion"));
}

/* ---- workflows ---- */

static void check_processors(struct entity *entity, const struct json *list, str pointer)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++) {
        const struct json *processor = json_item(list, i);
        str place = problem_pointer_index(entity->scratch, pointer, i);
        only(entity, processor, place, processor_fields, NULL);
        only(entity, json_get(processor, STR("config")), below(entity, place, "config"), config_fields, NULL);
    }
}

static void check_transition(struct entity *entity, const struct json *transition, str pointer)
{
    const struct json *schedule = json_get(transition, STR("schedule"));
    str place = below(entity, pointer, "schedule");
    only(entity, transition, pointer, transition_fields, NULL);
    check_criterion(entity, transition, pointer);
    check_processors(entity, json_get(transition, STR("processors")), below(entity, pointer, "processors"));
    only(entity, schedule, place, schedule_fields, NULL);
    only(entity, json_get(schedule, STR("function")), below(entity, place, "function"),
         schedule_function_fields, NULL);
}

static void check_states(struct entity *entity, const struct json *states, str pointer)
{
    if (!json_is(states, JSON_OBJECT)) return;
    struct json_each each = json_each(states);
    while (json_next(&each)) {
        str place = problem_pointer(entity->scratch, pointer, each.name);
        const struct json *list = json_get(each.value, STR("transitions"));
        only(entity, each.value, place, state_fields, NULL);
        for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++)
            check_transition(entity, json_item(list, i),
                             problem_pointer_index(entity->scratch, below(entity, place, "transitions"), i));
    }
}

static void check_workflow(struct entity *entity, const struct json *workflow, str pointer,
                           const char *const *more)
{
    only(entity, workflow, pointer, workflow_fields, more);
    check_criterion(entity, workflow, pointer);
    check_states(entity, json_get(workflow, STR("states")), below(entity, pointer, "states"));
}

void entity_fields_check(struct entity *entity, const struct json *document)
{
    const struct json *list = json_get(document, STR("workflows"));
    if (entity_is_single(document)) {
        check_workflow(entity, document, STR_NONE, single_fields);
        return;
    }
    only(entity, document, STR_NONE, document_fields, NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++)
        check_workflow(entity, json_item(list, i),
                       problem_pointer_index(entity->scratch, STR("/workflows"), i), NULL);
}
