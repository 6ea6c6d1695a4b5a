/* dialect/steps/read_definition.c — the whole document, object by object. */
#include "dialect/steps/steps_int.h"

#include "base/limits.h"
#include "base/must.h"

static const char *const type_names[] = {
#define XX(NAME, kind) [TYPE_##NAME] = #NAME,
    STEP_TYPE_MAP(XX)
#undef XX
};

const char *step_type_name(enum step_type type) { return type_names[type]; }

static enum step_type type_of(str name)
{
    for (size_t i = 0; i < COUNT(type_names); i++)
        if (str_equal(name, str_of(type_names[i]))) return (enum step_type)i;
    return TYPE_UNKNOWN;
}

/* The members of a map or the items of a list that must be strings. */
static void expect_strings(struct steps *steps, const struct fields *fields, size_t field, bool null_allowed)
{
    const struct json *list = fields->at[field].value;
    if (!list) return;
    str pointer = fields_pointer(steps, fields, field);
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        if (json_is(each.value, JSON_STRING) || (null_allowed && json_is(each.value, JSON_NULL))) continue;
        str place = json_is(list, JSON_ARRAY) ? problem_pointer_index(steps->arena, pointer, i)
                                              : problem_pointer(steps->arena, pointer, each.name);
        steps_wrong_type(steps, place, fields->at[field].name, SHAPE_STRING, each.value);
    }
}

/* The items of a list that must be objects of a kind, at most `max` of them. */
static struct fields *read_objects(struct steps *steps, const struct fields *fields, size_t field,
                                   enum object_kind kind, size_t max, size_t *ret_count, bool *ret_refused)
{
    const struct json *list = fields->at[field].value;
    str pointer = fields_pointer(steps, fields, field);
    size_t count = json_count(list);
    if (count > max) count = max;
    must(count <= SIZE_MAX / sizeof(struct fields));
    struct fields *objects = arena_alloc(steps->arena, count * sizeof *objects);
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_item(list, i);
        str place = problem_pointer_index(steps->arena, pointer, i);
        if (json_is(item, JSON_OBJECT)) {
            steps_read_fields(steps, kind, item, place, &objects[i]);
        } else {
            *ret_refused = true;
            steps_no_fields(steps, kind, place, &objects[i]);
            steps_refuse_fields(&objects[i]);
            steps_wrong_type(steps, place, fields->at[field].name, SHAPE_OBJECT, item);
        }
    }
    *ret_count = count;
    return objects;
}

static void read_table(struct steps *steps, struct steps_step *step)
{
    const struct json *table = step->fields.at[STEP_DECISION_TABLE].value;
    if (!table) return;
    struct fields fields;
    steps_read_fields(steps, OBJECT_TABLE, table, fields_pointer(steps, &step->fields, STEP_DECISION_TABLE),
                      &fields);
    step->rules_refused = fields.at[TABLE_RULES].refused;
    step->rules_pointer = fields_pointer(steps, &fields, TABLE_RULES);
    if (!fields.at[TABLE_RULES].value) return;
    step->rules_written = json_count(fields.at[TABLE_RULES].value);
    step->rule = read_objects(steps, &fields, TABLE_RULES, OBJECT_RULE, TABLE_RULES_MAX, &step->rule_count,
                              &step->rules_refused);
    for (size_t i = 0; i < step->rule_count; i++) expect_strings(steps, &step->rule[i], RULE_WHEN, true);
}

static void read_step(struct steps *steps, struct steps_step *step)
{
    step->type = type_of(fields_text(&step->fields, STEP_TYPE));
    expect_strings(steps, &step->fields, STEP_CONDITIONAL, false);
    expect_strings(steps, &step->fields, STEP_PARALLEL, false);
    read_table(steps, step);
    if (step->fields.at[STEP_BOUNDARY_EVENTS].value) {
        bool refused = false;
        step->event = read_objects(steps, &step->fields, STEP_BOUNDARY_EVENTS, OBJECT_EVENT,
                                   BOUNDARY_EVENTS_MAX, &step->event_count, &refused);
    }
    const struct json *backoff = step->fields.at[STEP_RETRY_BACKOFF].value;
    if (backoff) {
        step->backoff = arena_make(steps->arena, struct fields);
        steps_read_fields(steps, OBJECT_BACKOFF, backoff,
                          fields_pointer(steps, &step->fields, STEP_RETRY_BACKOFF), step->backoff);
    }
    const struct json *next = step->fields.at[STEP_CONTINUE_AS].value;
    if (next) {
        step->next = arena_make(steps->arena, struct fields);
        steps_read_fields(steps, OBJECT_NEXT, next, fields_pointer(steps, &step->fields, STEP_CONTINUE_AS),
                          step->next);
    }
}

void steps_read(struct steps *steps, const struct json *document)
{
    struct steps_definition *definition = &steps->definition;
    steps_read_fields(steps, OBJECT_DEFINITION, document, STR(""), &definition->fields);
    if (!definition->fields.at[DEFINITION_STEPS].value) return;

    bool refused = false;
    struct fields *fields = read_objects(steps, &definition->fields, DEFINITION_STEPS, OBJECT_STEP,
                                         DEFINITION_STEPS_MAX, &definition->step_count, &refused);
    definition->step = arena_make_n(steps->arena, struct steps_step, definition->step_count);
    for (size_t i = 0; i < definition->step_count; i++) {
        definition->step[i].fields = fields[i];
        read_step(steps, &definition->step[i]);
    }
}
