/* dialect/steps/lower_person.c — whom a USER_TASK is for, until when, and what its answer looks like.
 *
 * The fields become the details of the task (core/task.h). Texts may hold placeholders of variables, as the
 * templates of expr/template/template.h. A step that has none of the fields lowers to a wait without details,
 * as it always did.
 */
#include "dialect/steps/steps_int.h"

#include "base/must.h"
#include "core/task.h"
#include "dialect/reminders.h"
#include "expr/template/template.h"
#include "schema/schema.h"

/* The fields of a step that are details, and the names of these. */
static const struct detail {
    enum step_field field;
    str name;
    bool is_names;
} details[] = {
    { STEP_ASSIGNEE, STR_INIT("assignee"), false },
    { STEP_CANDIDATE_USERS, STR_INIT("assignees"), true },
    { STEP_CANDIDATE_GROUPS, STR_INIT("groups"), true },
    { STEP_DUE_DATE, STR_INIT("due"), false },
    { STEP_FOLLOW_UP_DATE, STR_INIT("followUp"), false },
    { STEP_PRIORITY, STR_INIT("priority"), false },
};

/* A placeholder is a variable, or a part of one. */
static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    (void)context;
    (void)err;
    *ret_root = (struct template_root){ .name = path->name[0], .used = 1 };
    return ST_OK;
}

static bool is_template(const struct json *text)
{
    return str_find(json_string(text), STR("{{"), 0) != SIZE_MAX;
}

static void check_detail(struct steps *steps, size_t index, const struct detail *detail,
                         const struct json *value)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    const char *label = step_typed_label(steps, index), *name = steps_field_name(OBJECT_STEP, detail->field);
    str pointer = fields_pointer(steps, fields, detail->field);
    int64_t priority;
    struct json_each each = json_each(detail->is_names ? value : json_empty_array());
    while (json_next(&each))
        if (!json_is(each.value, JSON_STRING) || !json_string(each.value).n) {
            problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer, NULL, "%s: %s must be a list of names",
                          label, name);
            return;
        }
    bool time = detail->field == STEP_DUE_DATE || detail->field == STEP_FOLLOW_UP_DATE;
    if (time && !is_template(value) && !task_time(value, 1))
        problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer,
                      "two days after the task was opened are P2D, a certain time is 2026-11-16T09:00:00Z",
                      "%s: %s must be a time or a duration", label, name);
    if (detail->field == STEP_PRIORITY && json_int64(value, &priority) && (priority < 0 || priority > 100))
        problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer, NULL, "%s: %s must be between 0 and 100",
                      label, name);
}

static struct expr_tree *lower_detail(struct steps *steps, size_t index, const struct detail *detail,
                                      const struct json *value)
{
    static const struct template_roots roots = { .find = find_root };
    const struct fields *fields = &steps->definition.step[index].fields;
    struct expr_tree *tree;
    struct error err = { 0 };
    if (template_tree(value, &roots, program_arena(steps->program), &tree, &err) == ST_OK) return tree;
    str pointer = fields_pointer(steps, fields, detail->field);
    problem_error(steps->problems, err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_EXPRESSION,
                  arena_printf(steps->arena, "%.*s%s", STR_ARG(pointer), err.where), NULL, "%s: %s: %s",
                  step_typed_label(steps, index), steps_field_name(OBJECT_STEP, detail->field), err.message);
    return NULL;
}

/* The compiled form; NULL if there is none. */
static const struct schema *lower_form(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    const struct json *document = fields->at[STEP_FORM_SCHEMA].value;
    const struct schema *schema;
    struct error err = { 0 };
    if (!document || schema_compile(document, program_arena(steps->program), &schema, &err) == ST_OK)
        return document ? schema : NULL;
    str pointer = fields_pointer(steps, fields, STEP_FORM_SCHEMA);
    problem_error(steps->problems, err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_SCHEMA,
                  arena_printf(steps->arena, "%.*s%s", STR_ARG(pointer), err.where), NULL,
                  "%s: formSchema is no JSON Schema: %s", step_typed_label(steps, index), err.message);
    return NULL;
}

void steps_lower_person(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    struct program_node *node = &steps->node[index];
    struct arena *arena = program_arena(steps->program);
    str name[COUNT(details) + 1];
    struct expr_tree *value[COUNT(details) + 1];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(details); i++) {
        const struct json *given = fields->at[details[i].field].value;
        if (!given) continue;
        check_detail(steps, index, &details[i], given);
        struct expr_tree *tree = lower_detail(steps, index, &details[i], given);
        if (!tree) continue;
        name[count] = details[i].name;
        value[count++] = tree;
    }
    node->as.wait.form = lower_form(steps, index);
    if (fields->at[STEP_FORM_SCHEMA].value) {
        name[count] = STR("formSchema");
        value[count++] = tree_literal(json_copy(arena, fields->at[STEP_FORM_SCHEMA].value), arena);
    }
    must(count <= COUNT(name));
    if (count) node->as.wait.task = expr_of_tree(tree_map(name, value, count, arena), arena);
}

void steps_lower_reminders(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    struct error err = { 0 };
    if (reminders_add(fields->at[STEP_REMINDERS].value, fields->at[STEP_ESCALATION].value,
                      program_arena(steps->program), &steps->node[index], &err) == ST_OK)
        return;
    problem_error(steps->problems, err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_VALUE,
                  arena_printf(steps->arena, "%.*s%s", STR_ARG(fields->pointer), err.where), NULL,
                  "%s: %s %s", step_typed_label(steps, index), err.where + 1, err.message);
}
