/* dialect/steps/lower.c — a step becomes a node. */
#include "base/must.h"
#include "dialect/steps/steps_int.h"
#include "dialect/triggers.h"

static str keep(struct steps *steps, str text)
{
    return text.n ? arena_str(program_arena(steps->program), text) : STR("");
}

void steps_lower_definition(struct steps *steps)
{
    const struct fields *fields = &steps->definition.fields;
    struct program *program = steps->program;
    program->dialect = STR("steps");
    program->id = keep(steps, fields_text(fields, DEFINITION_ID));
    program->title = keep(steps, fields_text(fields, DEFINITION_NAME));
    program->description = keep(steps, fields_text(fields, DEFINITION_DESCRIPTION));
    if (fields_flag(fields, DEFINITION_AUTO_START))
        program->next_definition = keep(steps, fields_text(fields, DEFINITION_NEXT_WORKFLOW_ID));
    program->inputs = steps_lower_schema(steps, "input_schema", fields, DEFINITION_INPUT_SCHEMA);
    program->inputs.word = STR("input_schema");
    struct triggers triggers;
    triggers_read(fields->at[DEFINITION_TRIGGERS].value, fields_pointer(steps, fields, DEFINITION_TRIGGERS),
                  program_arena(program), &triggers, steps->problems);
    triggers_lower(&triggers, program->start, program);
}

/* ---- edges ---- */

struct edges {
    struct program_edge *edge;
    size_t count;
};

static uint32_t resolve(const struct steps *steps, str target)
{
    return target.n ? program_find(steps->program, target) : NODE_NONE;
}

static void add_edge(const struct steps *steps, struct edges *edges, str target, const struct expr *when)
{
    uint32_t node = resolve(steps, target);
    must(node == NODE_NONE || node < steps->program->node_count);
    if (node != NODE_NONE)
        edges->edge[edges->count++] = (struct program_edge){ .target = node, .when = when };
}

static void add_conditional(struct steps *steps, size_t index, struct edges *edges)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    const char *what =
        arena_printf(steps->arena, "%s: conditionalNextSteps", step_typed_label(steps, index)).p;
    str pointer = fields_pointer(steps, fields, STEP_CONDITIONAL);
    struct json_each each = json_each(fields->at[STEP_CONDITIONAL].value);
    while (json_next(&each)) {
        str place = problem_pointer(steps->arena, pointer, each.name);
        const struct expr *when = steps_lower_expression(steps, each.name, what, place);
        if (json_is(each.value, JSON_STRING)) add_edge(steps, edges, json_string(each.value), when);
    }
}

static void add_parallel(struct steps *steps, size_t index, struct edges *edges)
{
    const struct json *list = steps->definition.step[index].fields.at[STEP_PARALLEL].value;
    if (!list) return;
    struct json_each each = json_each(list);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING)) add_edge(steps, edges, json_string(each.value), NULL);
}

static void lower_edges(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    const struct fields *fields = &step->fields;
    struct program_node *node = &steps->node[index];
    size_t room =
        json_count(fields->at[STEP_CONDITIONAL].value) + json_count(fields->at[STEP_PARALLEL].value) + 2;
    struct edges edges = { .edge = arena_make_n(steps->arena, struct program_edge, room) };
    switch (step->type) {
    case TYPE_DECISION:
    case TYPE_SERVICE_TASK:
    case TYPE_USER_TASK:
    case TYPE_WAIT:
        if (fields_given(fields, STEP_CONDITIONAL)) {
            add_conditional(steps, index, &edges);
            uint32_t shadowed = resolve(steps, fields_text(fields, STEP_NEXT_STEP));
            if (shadowed != NODE_NONE) node->shadowed = shadowed;
            node->no_edge_reason = STR("no conditionalNextSteps branch matched (DecisionNoBranchMatched)");
        } else if (step->type != TYPE_DECISION) {
            add_edge(steps, &edges, fields_text(fields, STEP_NEXT_STEP), NULL);
        }
        break;
    case TYPE_DECISION_TABLE:
    case TYPE_TRANSFORMATION:
    case TYPE_JOIN_GATEWAY: add_edge(steps, &edges, fields_text(fields, STEP_NEXT_STEP), NULL); break;
    case TYPE_PARALLEL_GATEWAY: add_parallel(steps, index, &edges); break;
    case TYPE_END: break;
    case TYPE_UNKNOWN:
        if (fields_given(fields, STEP_CONDITIONAL)) add_conditional(steps, index, &edges);
        break;
    }
    must(edges.count <= room);
    if (!edges.count) return;
    struct program_edge *kept = arena_make_n(program_arena(steps->program), struct program_edge, edges.count);
    memcpy(kept, edges.edge, edges.count * sizeof *kept);
    node->edge = kept;
    node->edge_count = edges.count;
}

/* ---- kinds ---- */

static void lower_task(struct steps *steps, size_t index)
{
    must(steps->node[index].kind == NODE_TASK);
    const struct fields *fields = &steps->definition.step[index].fields;
    struct program_node *node = &steps->node[index];
    node->as.task.job_type = keep(steps, fields_text(fields, STEP_JOB_TYPE));
    node->as.task.merge = MERGE_DEEP;
    steps_lower_retry(steps, index);
    if (!fields->at[STEP_OUTPUTS_SCHEMA].value) return;
    const char *owner = arena_printf(steps->arena, "%s: outputs_schema", step_typed_label(steps, index)).p;
    node->as.task.outputs = steps_lower_schema(steps, owner, fields, STEP_OUTPUTS_SCHEMA);
    node->as.task.outputs.word = STR("outputs_schema");
}

static void lower_set(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    struct program_node *node = &steps->node[index];
    const struct json *map = fields->at[STEP_TRANSFORMATIONS].value;
    if (!map) return;
    str pointer = fields_pointer(steps, fields, STEP_TRANSFORMATIONS);
    struct program_value *value =
        arena_make_n(program_arena(steps->program), struct program_value, json_count(map));
    struct json_each each = json_each(map);
    size_t count = 0;
    while (json_next(&each)) {
        const char *what =
            arena_printf(steps->arena, "%s: transformations %s", step_typed_label(steps, index),
                         problem_quote(steps->arena, each.name))
                .p;
        value[count++] = steps_lower_value(steps, each.name, each.value, what,
                                           problem_pointer(steps->arena, pointer, each.name));
    }
    must(count == json_count(map));
    program_link_values(value, count, steps->arena);
    node->as.set.word = STR("transformation");
    node->as.set.value = value;
    node->as.set.count = count;
}

static void lower_wait(struct steps *steps, size_t index, enum wait_for what)
{
    must(steps->node[index].kind == NODE_WAIT);
    struct program_node *node = &steps->node[index];
    node->as.wait.what = what;
    if (what != WAIT_FOR_PERSON) return;
    node->as.wait.label = keep(steps, fields_text(&steps->definition.step[index].fields, STEP_JOB_TYPE));
    steps_lower_person(steps, index);
}

void steps_lower_step(struct steps *steps, size_t index)
{
    must(index < steps->definition.step_count && steps->definition.step[index].type <= TYPE_UNKNOWN);
    static const enum node_kind kinds[] = {
#define XX(NAME, kind) [TYPE_##NAME] = kind,
        STEP_TYPE_MAP(XX)
#undef XX
            [TYPE_UNKNOWN] = NODE_SET,
    };
    const struct steps_step *step = &steps->definition.step[index];
    const struct fields *fields = &step->fields;
    struct program_node *node = &steps->node[index];
    node->kind = kinds[step->type];
    node->title = keep(steps, fields_text(fields, STEP_NAME));
    node->type = step->type == TYPE_UNKNOWN ? keep(steps, fields_text(fields, STEP_TYPE))
                                            : str_of(step_type_name(step->type));
    lower_edges(steps, index);
    switch (step->type) {
    case TYPE_SERVICE_TASK: lower_task(steps, index); break;
    case TYPE_USER_TASK: lower_wait(steps, index, WAIT_FOR_PERSON); break;
    case TYPE_WAIT: lower_wait(steps, index, WAIT_FOR_SIGNAL); break;
    case TYPE_DECISION_TABLE: steps_lower_table(steps, index); break;
    case TYPE_TRANSFORMATION: lower_set(steps, index); break;
    case TYPE_PARALLEL_GATEWAY:
        node->as.fork.join = resolve(steps, fields_text(fields, STEP_JOIN_STEP));
        break;
    case TYPE_END:
        node->as.end.chain = !fields->at[STEP_CHAIN].value || fields_flag(fields, STEP_CHAIN);
        node->as.end.branch = str_equal(fields_text(fields, STEP_ENDS), STR("branch"));
        if (step->next) steps_lower_next(steps, index);
        break;
    case TYPE_DECISION:
    case TYPE_JOIN_GATEWAY:
    case TYPE_UNKNOWN: break;
    }
    if (node->kind == NODE_TASK || node->kind == NODE_WAIT || step->type == TYPE_UNKNOWN)
        steps_lower_timers(steps, index);
    if (step->type == TYPE_USER_TASK) steps_lower_reminders(steps, index);
}
