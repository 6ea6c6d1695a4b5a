/* dialect/steps/check_step.c — one step: the fields that it needs, those that it must not have, its
 * references. */
#include "dialect/steps/steps_int.h"

#include "base/limits.h"

/* ---- which field means something where ---- */

enum { ALL_TYPES = (1 << TYPE_UNKNOWN) - 1 };

#define ON(TYPE) (1 << TYPE_##TYPE)

/* Warns of a field that the step's type neither uses nor refuses: it does nothing, and its author should
 * know. A step of unknown type gets no such warnings. */
static const struct field_use {
    enum step_field field;
    unsigned used;
    unsigned refused;
    bool even_if_empty; /* {} and false are a use, too. */
} field_uses[] = {
    { STEP_NEXT_STEP,
      ON(SERVICE_TASK) | ON(USER_TASK) | ON(DECISION_TABLE) | ON(TRANSFORMATION) | ON(WAIT) |
          ON(JOIN_GATEWAY),
      0, false },
    { STEP_CONDITIONAL, ON(DECISION) | ON(SERVICE_TASK) | ON(USER_TASK) | ON(WAIT), ON(DECISION_TABLE),
      false },
    { STEP_TRANSFORMATIONS, ON(TRANSFORMATION), ON(DECISION_TABLE), false },
    { STEP_PARALLEL, ON(PARALLEL_GATEWAY), ON(DECISION_TABLE), false },
    { STEP_JOIN_STEP, ON(PARALLEL_GATEWAY), ON(DECISION_TABLE), false },
    { STEP_JOB_TYPE, ON(SERVICE_TASK) | ON(USER_TASK), ON(DECISION_TABLE), false },
    { STEP_DELEGATE_CLASS, ALL_TYPES & ~ON(DECISION_TABLE), ON(DECISION_TABLE), false },
    { STEP_RETRY_COUNT, ON(SERVICE_TASK), ON(DECISION_TABLE), false },
    { STEP_BOUNDARY_EVENTS, ON(SERVICE_TASK) | ON(USER_TASK) | ON(WAIT),
      ALL_TYPES & ~(ON(SERVICE_TASK) | ON(USER_TASK) | ON(WAIT)), false },
    { STEP_DECISION_TABLE, ON(DECISION_TABLE), ALL_TYPES & ~ON(DECISION_TABLE), true },
    { STEP_HIT_POLICY, ON(DECISION_TABLE), ALL_TYPES & ~ON(DECISION_TABLE), false },
    { STEP_RETRY_BACKOFF, ON(SERVICE_TASK), ALL_TYPES & ~ON(SERVICE_TASK), true },
    { STEP_OUTPUTS_SCHEMA, ON(SERVICE_TASK), ALL_TYPES & ~ON(SERVICE_TASK), true },
    { STEP_CHAIN, ON(END), ALL_TYPES & ~ON(END), true },
    { STEP_CONTINUE_AS, ON(END), ALL_TYPES & ~ON(END), true },
    { STEP_ENDS, ON(END), ALL_TYPES & ~ON(END), true },
    { STEP_ASSIGNEE, ON(USER_TASK), 0, false },
    { STEP_CANDIDATE_USERS, ON(USER_TASK), 0, false },
    { STEP_CANDIDATE_GROUPS, ON(USER_TASK), 0, false },
    { STEP_DUE_DATE, ON(USER_TASK), 0, false },
    { STEP_FOLLOW_UP_DATE, ON(USER_TASK), 0, false },
    { STEP_PRIORITY, ON(USER_TASK), 0, true },
    { STEP_FORM_SCHEMA, ON(USER_TASK), 0, true },
    { STEP_REMINDERS, ON(USER_TASK), 0, false },
    { STEP_ESCALATION, ON(USER_TASK), 0, true },
};

static const char *types_hint(struct steps *steps, unsigned types)
{
    struct buf out;
    buf_init(&out, steps->arena);
    for (unsigned i = 0; i < TYPE_UNKNOWN; i++)
        if (types & (1u << i))
            buf_printf(&out, "%s %s", out.n ? "," : "it belongs to", step_type_name((enum step_type)i));
    buf_add_char(&out, '\0');
    return out.p;
}

static void check_uses(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    for (size_t i = 0; i < COUNT(field_uses); i++) {
        const struct field_use *use = &field_uses[i];
        bool present = use->even_if_empty ? step->fields.at[use->field].value != NULL
                                          : fields_given(&step->fields, use->field);
        if (!present || (use->used & (1u << step->type))) continue;
        const char *name = steps_field_name(OBJECT_STEP, use->field);
        str pointer = fields_pointer(steps, &step->fields, use->field);
        if (use->refused & (1u << step->type))
            problem_error(steps->problems, PROBLEM_NOT_ALLOWED_HERE, pointer, types_hint(steps, use->used),
                          "%s: %s is not valid on this step type", step_typed_label(steps, index), name);
        else
            problem_warning(steps->problems, PROBLEM_NOT_ALLOWED_HERE, pointer, types_hint(steps, use->used),
                            "%s: %s has no effect on this step type", step_typed_label(steps, index), name);
    }
}

static bool uses(const struct steps_step *step, enum step_field field)
{
    if (step->type == TYPE_UNKNOWN) return true;
    for (size_t i = 0; i < COUNT(field_uses); i++)
        if (field_uses[i].field == field) return field_uses[i].used & (1u << step->type);
    return true;
}

/* Conditions decide alone where they are. */
static void check_idle_way(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    if (!uses(&steps->definition.step[index], STEP_CONDITIONAL) || !fields_given(fields, STEP_CONDITIONAL) ||
        !uses(&steps->definition.step[index], STEP_NEXT_STEP) || !fields_given(fields, STEP_NEXT_STEP))
        return;
    problem_warning(steps->problems, PROBLEM_IGNORED, fields_pointer(steps, fields, STEP_NEXT_STEP),
                    "add the condition \"true\" as the last one",
                    "%s: nextStep has no effect beside conditionalNextSteps", step_typed_label(steps, index));
}

/* ---- what a type needs ---- */

static void need(struct steps *steps, size_t index, enum step_field field, const char *complaint)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    if (fields_given(fields, field) || fields->at[field].refused) return;
    if (field == STEP_NEXT_STEP || field == STEP_CONDITIONAL || field == STEP_JOIN_STEP) steps->broken = true;
    problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, fields, field), NULL, "%s: %s %s",
                  step_typed_label(steps, index), steps_field_name(OBJECT_STEP, field), complaint);
}

static void check_branches(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    if (!fields->at[STEP_PARALLEL].refused && json_count(fields->at[STEP_PARALLEL].value) < 2) {
        steps->broken = true;
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, fields, STEP_PARALLEL), NULL,
                      "%s: parallelNextSteps must have at least 2 entries", step_typed_label(steps, index));
    }
    need(steps, index, STEP_JOIN_STEP, "is required");
}

static void check_hit_policy(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    str policy = fields_text(fields, STEP_HIT_POLICY);
    if (!policy.n) return;
    for (int i = 0; i < HIT_POLICY_COUNT; i++)
        if (str_equal(policy, str_of(program_policy_code((enum hit_policy)i)))) return;

    str pointer = fields_pointer(steps, fields, STEP_HIT_POLICY);
    if (policy.n == 2 && memchr("UFAR", policy.p[0], 4) && memchr("+#><", policy.p[1], 4)) {
        problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer, NULL,
                      "%s: aggregator \"%c\" is only valid on hitPolicy \"C\" (got \"%.*s\")",
                      step_typed_label(steps, index), policy.p[1], STR_ARG(policy));
        return;
    }
    problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer, NULL,
                  "%s: hitPolicy %s is not recognised; expected one of U, F, A, R, C, C+, C#, C>, C<",
                  step_typed_label(steps, index), problem_quote(steps->arena, policy));
}

static void check_table(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    str pointer = fields_pointer(steps, &step->fields, STEP_DECISION_TABLE);
    if (!step->fields.at[STEP_DECISION_TABLE].value) {
        if (!step->fields.at[STEP_DECISION_TABLE].refused)
            problem_error(steps->problems, PROBLEM_REQUIRED, pointer, NULL,
                          "%s: decisionTable payload is required", step_typed_label(steps, index));
    } else if (!step->rules_written && !step->rules_refused) {
        problem_error(steps->problems, PROBLEM_REQUIRED, step->rules_pointer, NULL,
                      "%s: rules must not be empty", step_typed_label(steps, index));
    } else if (step->rules_written > TABLE_RULES_MAX) {
        problem_error(steps->problems, PROBLEM_TOO_LARGE, step->rules_pointer, NULL,
                      "%s: rules must have at most %d entries, got %zu", step_typed_label(steps, index),
                      TABLE_RULES_MAX, step->rules_written);
    }
    check_hit_policy(steps, index);
    need(steps, index, STEP_NEXT_STEP, "is required");
}

static void check_job(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    if (steps->definition.step[index].type == TYPE_SERVICE_TASK)
        need(steps, index, STEP_JOB_TYPE, "is required");
    str job_type = fields_text(fields, STEP_JOB_TYPE);
    if (job_type.n > JOB_TYPE_BYTES_MAX)
        problem_error(steps->problems, PROBLEM_TOO_LARGE, fields_pointer(steps, fields, STEP_JOB_TYPE), NULL,
                      "%s: jobType must be ≤ %d characters, got %zu", step_typed_label(steps, index),
                      JOB_TYPE_BYTES_MAX, job_type.n);
    str template = template_in(job_type);
    if (template.n)
        template_warn_text(
            steps->problems, template, fields_pointer(steps, fields, STEP_JOB_TYPE),
            arena_printf(steps->arena, "%s: jobType", step_typed_label(steps, index)).p,
            "a jobType is the same for every instance: decide by a DECISION, or in the worker");
    int64_t count = 0;
    if (fields->at[STEP_RETRY_COUNT].value) json_int64(fields->at[STEP_RETRY_COUNT].value, &count);
    if (count < 0 || count > RETRY_COUNT_MAX)
        problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, fields, STEP_RETRY_COUNT),
                      NULL, "%s: retryCount must be between 0 and %d, got %lld",
                      step_typed_label(steps, index), RETRY_COUNT_MAX, (long long)count);
}

static void check_end(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    if (!fields->at[STEP_ENDS].value) return;
    str ends = fields_text(fields, STEP_ENDS);
    if (str_equal(ends, STR("instance")) || str_equal(ends, STR("branch"))) return;
    problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, fields, STEP_ENDS), NULL,
                  "%s: ends must be \"instance\" or \"branch\", not %s", step_typed_label(steps, index),
                  problem_quote(steps->arena, ends));
}

static void check_needs(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    switch (steps->definition.step[index].type) {
    case TYPE_SERVICE_TASK:
    case TYPE_USER_TASK: check_job(steps, index); break;
    case TYPE_DECISION: need(steps, index, STEP_CONDITIONAL, "must not be empty"); break;
    case TYPE_DECISION_TABLE: check_table(steps, index); break;
    case TYPE_TRANSFORMATION:
        need(steps, index, STEP_NEXT_STEP, "is required");
        need(steps, index, STEP_TRANSFORMATIONS, "must not be empty");
        break;
    case TYPE_WAIT:
        if (!fields_given(fields, STEP_CONDITIONAL)) need(steps, index, STEP_NEXT_STEP, "is required");
        break;
    case TYPE_PARALLEL_GATEWAY: check_branches(steps, index); break;
    case TYPE_JOIN_GATEWAY: need(steps, index, STEP_NEXT_STEP, "is required"); break;
    case TYPE_END: check_end(steps, index); break;
    case TYPE_UNKNOWN: break;
    }
}

/* ---- where it leads ---- */

static const char *nearest_step(struct steps *steps, str target)
{
    struct nearest nearest;
    nearest_init(&nearest, target);
    for (size_t i = 0; i < steps->definition.step_count; i++) nearest_offer(&nearest, steps->node[i].name);
    return nearest_hint(&nearest, steps->arena);
}

static void check_reference(struct steps *steps, size_t index, const char *what, str pointer, str target)
{
    if (program_find(steps->program, target) != NODE_NONE && target.n) return;
    steps->broken = true;
    const char *hint = problems_have_room(steps->problems, false) ? nearest_step(steps, target) : NULL;
    problem_error(steps->problems, PROBLEM_UNRESOLVED, pointer, hint, "%s %s references unknown step %s",
                  step_label(steps, index), what, problem_quote(steps->arena, target));
}

static void check_reference_field(struct steps *steps, size_t index, enum step_field field)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    str target = fields_text(fields, field);
    if (target.n)
        check_reference(steps, index, steps_field_name(OBJECT_STEP, field),
                        fields_pointer(steps, fields, field), target);
}

static void check_reference_list(struct steps *steps, size_t index, enum step_field field, const char *what)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    const struct json *list = fields->at[field].value;
    if (!list) return;
    str pointer = fields_pointer(steps, fields, field);
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        if (!json_is(each.value, JSON_STRING)) continue;
        str place = json_is(list, JSON_ARRAY) ? problem_pointer_index(steps->arena, pointer, i)
                                              : problem_pointer(steps->arena, pointer, each.name);
        check_reference(steps, index, what, place, json_string(each.value));
    }
}

static void check_join_target(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    str target = fields_text(fields, STEP_JOIN_STEP);
    uint32_t join = target.n ? program_find(steps->program, target) : NODE_NONE;
    if (join == NODE_NONE) return;
    enum step_type type = steps->definition.step[join].type;
    if (type == TYPE_JOIN_GATEWAY || type == TYPE_UNKNOWN) return;
    steps->broken = true;
    problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, fields, STEP_JOIN_STEP), NULL,
                  "%s: joinStep %s is of type %s, not JOIN_GATEWAY", step_typed_label(steps, index),
                  problem_quote(steps->arena, target), step_type_name(type));
}

static void check_event(struct steps *steps, size_t index, size_t number)
{
    const struct fields *event = &steps->definition.step[index].event[number];
    const char *label = step_label(steps, index);
    str type = fields_text(event, EVENT_TYPE);
    if (!str_equal(type, STR("TIMER")) && !event->at[EVENT_TYPE].refused)
        problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, event, EVENT_TYPE), NULL,
                      "%s boundaryEvents[%zu]: unsupported type %s (only TIMER is in scope)", label, number,
                      problem_quote(steps->arena, type));
    if (!fields_given(event, EVENT_DURATION) && !event->at[EVENT_DURATION].refused)
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, event, EVENT_DURATION), NULL,
                      "%s boundaryEvents[%zu]: duration is required for TIMER events", label, number);
    str target = fields_text(event, EVENT_TARGET);
    if (target.n)
        check_reference(steps, index,
                        arena_printf(steps->arena, "boundaryEvents[%zu].targetStepId", number).p,
                        fields_pointer(steps, event, EVENT_TARGET), target);
    else if (!event->at[EVENT_TARGET].refused) {
        steps->broken = true;
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, event, EVENT_TARGET), NULL,
                      "%s boundaryEvents[%zu]: targetStepId is required", label, number);
    }
}

static void check_event_count(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    size_t written = json_count(fields->at[STEP_BOUNDARY_EVENTS].value);
    if (written > BOUNDARY_EVENTS_MAX)
        problem_error(steps->problems, PROBLEM_TOO_LARGE, fields_pointer(steps, fields, STEP_BOUNDARY_EVENTS),
                      NULL, "%s: boundaryEvents must have at most %d entries, got %zu",
                      step_typed_label(steps, index), BOUNDARY_EVENTS_MAX, written);
}

static void check_references(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    check_event_count(steps, index);
    if (uses(step, STEP_NEXT_STEP)) check_reference_field(steps, index, STEP_NEXT_STEP);
    if (uses(step, STEP_CONDITIONAL))
        check_reference_list(steps, index, STEP_CONDITIONAL, "conditionalNextSteps target");
    if (uses(step, STEP_PARALLEL)) check_reference_list(steps, index, STEP_PARALLEL, "parallelNextSteps");
    if (uses(step, STEP_JOIN_STEP)) {
        check_reference_field(steps, index, STEP_JOIN_STEP);
        check_join_target(steps, index);
    }
    if (uses(step, STEP_BOUNDARY_EVENTS))
        for (size_t i = 0; i < step->event_count; i++) check_event(steps, index, i);
}

void steps_check_step(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    if (!fields_given(&step->fields, STEP_NAME) && !step->fields.at[STEP_NAME].refused)
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, &step->fields, STEP_NAME),
                      NULL, "%s: name is required", step_label(steps, index));
    if (step->type == TYPE_UNKNOWN && !step->fields.at[STEP_TYPE].refused) {
        steps->broken = true;
        struct nearest nearest;
        nearest_init(&nearest, fields_text(&step->fields, STEP_TYPE));
        for (unsigned i = 0; i < TYPE_UNKNOWN; i++)
            nearest_offer(&nearest, str_of(step_type_name((enum step_type)i)));
        problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, &step->fields, STEP_TYPE),
                      nearest_hint(&nearest, steps->arena), "%s: unsupported type %s",
                      step_label(steps, index),
                      problem_quote(steps->arena, fields_text(&step->fields, STEP_TYPE)));
    }
    check_needs(steps, index);
    if (step->type != TYPE_UNKNOWN) check_uses(steps, index);
    if (step->type != TYPE_UNKNOWN) check_idle_way(steps, index);
    check_references(steps, index);
}
