/* dialect/steps/fixes.c — problems of steps that one change mends. */
#include "dialect/fix/fixing.h"
#include "dialect/steps/steps_int.h"
#include "dialect/steps/view.h"

static const struct json *steps_of(const struct json *document)
{
    const struct json *steps = json_get(document, STR("steps"));
    return json_is(steps, JSON_ARRAY) ? steps : json_empty_array();
}

static bool is_end(const struct json *step) { return str_equal(json_text(step, STR("type")), STR("END")); }

static bool leads_on(const struct json *step)
{
    return json_text(step, STR("nextStep")).n || json_count(json_get(step, STR("conditionalNextSteps"))) ||
           json_count(json_get(step, STR("parallelNextSteps")));
}

static str title_of(const struct json *step)
{
    str name = json_text(step, STR("name"));
    return name.n ? name : json_text(step, STR("id"));
}

/* The id of an END; one is added if there is none. */
static str end_of(struct fixing *fixing)
{
    const struct json *steps = steps_of(fixing->document);
    struct json_each each = json_each(steps);
    while (json_next(&each))
        if (is_end(each.value) && json_text(each.value, STR("id")).n) return json_text(each.value, STR("id"));
    str id = arena_str(fixing->arena, fixing_fresh_id(steps, "end", fixing->arena));
    const char *const pairs[] = { "id", id.p, "name", "End", "type", "END", NULL };
    fixing_add(fixing, STR("/steps/-"), fixing_object(fixing->arena, pairs));
    return id;
}

/* A reference to a step that does not exist. */
static void redirect(struct fixing *fixing)
{
    str meant = fixing_meant(fixing);
    const struct json *value = json_pointer(fixing->document, fixing->problem->pointer);
    if (!json_is(value, JSON_STRING)) return;
    if (meant.n) {
        fixing_label(fixing, "Send it to \"%.*s\"", STR_ARG(meant));
        fixing_replace(fixing, fixing->problem->pointer, json_of_string(fixing->arena, meant));
        return;
    }
    if (!str_equal(fixing_last(fixing->problem->pointer, fixing->arena), STR("nextStep"))) return;
    fixing_label(fixing, "Send it to the end");
    str end = end_of(fixing);
    fixing_replace(fixing, fixing->problem->pointer, json_of_string(fixing->arena, end));
}

static void lead_to_end(struct fixing *fixing)
{
    const struct json *step = json_pointer(fixing->document, fixing->problem->pointer);
    if (!json_is(step, JSON_OBJECT) || leads_on(step)) return;
    fixing_label(fixing, "Lead on to the end");
    str end = end_of(fixing);
    fixing_set_text(fixing, fixing->problem->pointer, "nextStep", end);
}

/* The last step that leads nowhere leads to an END. */
static void add_end(struct fixing *fixing)
{
    const struct json *steps = steps_of(fixing->document);
    for (size_t i = json_count(steps); i-- > 0;) {
        const struct json *step = json_item(steps, i);
        if (!json_is(step, JSON_OBJECT) || is_end(step) || leads_on(step)) continue;
        fixing_label(fixing, "End after %.*s", STR_ARG(title_of(step)));
        str end = end_of(fixing);
        fixing_set_text(fixing, problem_pointer_index(fixing->arena, STR("/steps"), i), "nextStep", end);
        return;
    }
}

/* The step before it that leads nowhere leads to it. */
static void connect(struct fixing *fixing)
{
    const struct json *steps = steps_of(fixing->document),
                      *step = json_pointer(fixing->document, fixing->problem->pointer);
    int64_t index;
    if (!json_text(step, STR("id")).n ||
        !str_to_int64(fixing_last(fixing->problem->pointer, fixing->arena), &index))
        return;
    for (size_t i = (size_t)index; i-- > 0;) {
        const struct json *before = json_item(steps, i);
        if (!json_is(before, JSON_OBJECT) || is_end(before) || leads_on(before)) continue;
        fixing_label(fixing, "Lead from %.*s to it", STR_ARG(title_of(before)));
        fixing_set_text(fixing, problem_pointer_index(fixing->arena, STR("/steps"), i), "nextStep",
                        json_text(step, STR("id")));
        return;
    }
    fixing_label(fixing, "Remove %.*s", STR_ARG(title_of(step)));
    fixing_remove(fixing, fixing->problem->pointer);
}

static void rename_step(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer;
    const struct json *id = json_pointer(fixing->document, pointer);
    if (!json_is(id, JSON_STRING)) return;
    str fresh = fixing_fresh_id(steps_of(fixing->document), arena_str(fixing->arena, json_string(id)).p,
                                fixing->arena);
    fixing_label(fixing, "Call it \"%.*s\"", STR_ARG(fresh));
    fixing_replace(fixing, pointer, json_of_string(fixing->arena, fresh));
}

/* Fills in a missing part, if it is plain what to write. */
static void fill_in(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer, field = fixing_last(pointer, fixing->arena), value = STR_NONE;
    str owner = fixing_parent(pointer);
    const struct json *object = json_pointer(fixing->document, owner);
    bool whole = !owner.n;
    if (str_equal(field, STR("nextStep")) && object) {
        fixing_label(fixing, "Lead on to the end");
        fixing_set_text(fixing, owner, "nextStep", end_of(fixing));
        return;
    }
    if (str_equal(field, STR("name"))) value = whole ? STR("New workflow") : json_text(object, STR("id"));
    else if (str_equal(field, STR("jobType"))) value = json_text(object, STR("id"));
    else if (str_equal(field, STR("duration"))) value = STR("P1D");
    else if (str_equal(field, STR("initial"))) value = STR("PT1S");
    else if (str_equal(field, STR("id")))
        value =
            whole ? STR("new-workflow") : fixing_fresh_id(steps_of(fixing->document), "step", fixing->arena);
    if (!value.n || !object) return;
    fixing_label(fixing, "Fill in %.*s: %.*s", STR_ARG(field), STR_ARG(value));
    fixing_add(fixing, pointer, json_of_string(fixing->arena, value));
}

void steps_fix(struct fixing *fixing)
{
    switch (fixing->problem->code) {
    case PROBLEM_UNRESOLVED: redirect(fixing); break;
    case PROBLEM_DEAD_END: lead_to_end(fixing); break;
    case PROBLEM_NO_END: add_end(fixing); break;
    case PROBLEM_UNREACHABLE: connect(fixing); break;
    case PROBLEM_DUPLICATE_ID: rename_step(fixing); break;
    case PROBLEM_REQUIRED: fill_in(fixing); break;
    default: break;
    }
}
