/* dialect/serverless/fixes.c — problems of workflows that one change mends. */
#include "dialect/fix/fixing.h"
#include "dialect/serverless/view.h"

/* A state that leads nowhere ends there. */
static void end_here(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer, state = fixing_parent(pointer);
    const struct json *object = json_pointer(fixing->document, state);
    bool is_state = str_starts(state, STR("/states/")) && str_find(state, STR("/"), 8) == SIZE_MAX;
    if (!is_state || !str_equal(fixing_last(pointer, fixing->arena), STR("transition")) || !object) return;
    fixing_label(fixing, "End here");
    fixing_add(fixing, problem_pointer(fixing->arena, state, STR("end")), json_of_bool(true));
}

void serverless_fix(struct fixing *fixing)
{
    if (fixing->problem->code == PROBLEM_REQUIRED) end_here(fixing);
}
