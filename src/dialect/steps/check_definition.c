/* dialect/steps/check_definition.c — the fields around the steps, and the steps' ids. */
#include "dialect/steps/steps_int.h"

#include "base/ascii.h"
#include "base/limits.h"

const char *step_label(struct steps *steps, size_t index)
{
    str id = fields_text(&steps->definition.step[index].fields, STEP_ID);
    if (!id.n) return arena_printf(steps->arena, "step[%zu]", index).p;
    return arena_printf(steps->arena, "step %s", problem_quote(steps->arena, id)).p;
}

const char *step_typed_label(struct steps *steps, size_t index)
{
    enum step_type type = steps->definition.step[index].type;
    return arena_printf(steps->arena, "%s (%s)", step_label(steps, index),
                        type == TYPE_UNKNOWN ? "unknown type" : step_type_name(type))
        .p;
}

static bool is_id_character(char c) { return ascii_is_alphanumeric(c) || c == '_' || c == ':' || c == '-'; }

static bool has_id_form(str id)
{
    for (size_t i = 0; i < id.n; i++)
        if (!is_id_character(id.p[i])) return false;
    return id.n > 0;
}

static void check_id(struct steps *steps)
{
    const struct fields *fields = &steps->definition.fields;
    if (fields->at[DEFINITION_ID].refused) return;
    str id = fields_text(fields, DEFINITION_ID);
    str pointer = fields_pointer(steps, fields, DEFINITION_ID);
    if (!id.n) problem_error(steps->problems, PROBLEM_REQUIRED, pointer, NULL, "id is required");
    else if (id.n > DEFINITION_ID_BYTES_MAX)
        problem_error(steps->problems, PROBLEM_BAD_ID, pointer, NULL, "id must be ≤ %d characters, got %zu",
                      DEFINITION_ID_BYTES_MAX, id.n);
    else if (!has_id_form(id))
        problem_error(steps->problems, PROBLEM_BAD_ID, pointer, "use letters, digits, _, : and - only",
                      "id %s must match ^[A-Za-z0-9_:\\-]+$", problem_quote(steps->arena, id));
}

static bool check_step_count(struct steps *steps)
{
    const struct fields *fields = &steps->definition.fields;
    if (fields->at[DEFINITION_STEPS].refused) return false;
    str pointer = fields_pointer(steps, fields, DEFINITION_STEPS);
    size_t written = json_count(fields->at[DEFINITION_STEPS].value);
    if (!written) problem_error(steps->problems, PROBLEM_REQUIRED, pointer, NULL, "steps must not be empty");
    else if (written > DEFINITION_STEPS_MAX)
        problem_error(steps->problems, PROBLEM_TOO_LARGE, pointer,
                      "let a definition start the next one when it ends (nextWorkflowId)",
                      "steps must have at most %d entries, got %zu", DEFINITION_STEPS_MAX, written);
    return written > 0 && written <= DEFINITION_STEPS_MAX;
}

bool steps_check_definition(struct steps *steps)
{
    const struct fields *fields = &steps->definition.fields;
    check_id(steps);
    if (!fields_given(fields, DEFINITION_NAME) && !fields->at[DEFINITION_NAME].refused)
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, fields, DEFINITION_NAME), NULL,
                      "name is required");
    if (!check_step_count(steps)) return false;
    if (fields_flag(fields, DEFINITION_AUTO_START) && !fields_given(fields, DEFINITION_NEXT_WORKFLOW_ID) &&
        !fields->at[DEFINITION_NEXT_WORKFLOW_ID].refused)
        problem_error(steps->problems, PROBLEM_REQUIRED,
                      fields_pointer(steps, fields, DEFINITION_NEXT_WORKFLOW_ID), NULL,
                      "nextWorkflowId is required when autoStartNextWorkflow is true");
    return true;
}

void steps_check_chain(struct steps *steps)
{
    const struct fields *fields = &steps->definition.fields;
    size_t end_count = 0;
    if (!fields_flag(fields, DEFINITION_AUTO_START) || !fields_given(fields, DEFINITION_NEXT_WORKFLOW_ID))
        return;
    for (size_t i = 0; i < steps->definition.step_count; i++) {
        const struct steps_step *step = &steps->definition.step[i];
        if (step->type != TYPE_END || step->next) continue;
        if (step->fields.at[STEP_CHAIN].value) return;
        /* An END of a side branch rarely ends the instance. */
        end_count += !str_equal(fields_text(&step->fields, STEP_ENDS), STR("branch"));
    }
    if (end_count > 1)
        problem_warning(steps->problems, PROBLEM_CHAIN_UNSAID,
                        fields_pointer(steps, fields, DEFINITION_AUTO_START),
                        "say \"chain\": false at the ENDs that must not, and true at the others",
                        "each of the %zu ENDs starts %s, also one that means failure", end_count,
                        problem_quote(steps->arena, fields_text(fields, DEFINITION_NEXT_WORKFLOW_ID)));
}

void steps_check_ids(struct steps *steps)
{
    for (size_t i = 0; i < steps->definition.step_count; i++) {
        const struct fields *fields = &steps->definition.step[i].fields;
        if (fields->at[STEP_ID].refused) continue;
        str id = fields_text(fields, STEP_ID);
        str pointer = fields_pointer(steps, fields, STEP_ID);
        bool alone = id.n && program_find(steps->program, id) == i;
        if (!alone) steps->broken = true;
        if (!id.n)
            problem_error(steps->problems, PROBLEM_REQUIRED, pointer, NULL, "step[%zu] id is required", i);
        else if (!alone)
            problem_error(steps->problems, PROBLEM_DUPLICATE_ID, pointer, NULL, "duplicate step id: %s",
                          problem_quote(steps->arena, id));
        else if (id.n > NODE_NAME_BYTES_MAX)
            problem_error(steps->problems, PROBLEM_BAD_ID, pointer, NULL,
                          "step[%zu] id must be ≤ %d characters, got %zu", i, NODE_NAME_BYTES_MAX, id.n);
    }
}
