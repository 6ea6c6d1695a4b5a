/* core/on_complete_task.c — a person finished a task.
 *
 * An answer with which no way out can be chosen is refused, and the task stays open. So is one of somebody
 * whose task it is not, one whose decision is not offered, and one that does not fit the form.
 */

#include "core/core_int.h"
#include "core/task.h"

#include "schema/schema.h"

static enum status check_person(const struct step *step, const struct token *token, struct error *rejection)
{
    const struct command_node *said = &step->command->as.node;
    const struct task_person person = { .name = step->command->actor,
                                        .groups = said->groups,
                                        .in_any_group = said->in_any_group };
    return task_check_answer(token->task, &person, rejection);
}

/* Answers that the document computes are known only to the task. */
static bool is_offered(const struct json *offered, const struct json *decision)
{
    struct json_each each = json_each(offered);
    while (json_next(&each))
        if (decision && json_equal(each.value, decision)) return true;
    return false;
}

static enum status check_decision(const struct program_node *node, const struct token *token,
                                  const struct json *answer, struct error *rejection)
{
    const struct json *decision = json_get(answer, STR("decision"));
    const struct json *offered = json_get(token->task, STR("decisions"));
    if (node->as.wait.decision_count) {
        for (size_t i = 0; json_is(decision, JSON_STRING) && i < node->as.wait.decision_count; i++)
            if (str_equal(node->as.wait.decision[i], json_string(decision))) return ST_OK;
    } else if (!json_is(offered, JSON_ARRAY) || !json_count(offered) || is_offered(offered, decision)) {
        return ST_OK;
    }
    return fail_code(rejection, ST_UNPROCESSABLE, "VALIDATION_FAILED",
                     "the decision is not one that \"%.*s\" offers", STR_ARG(node->name));
}

/* All that is wrong with the answer, for people; empty: nothing. */
static enum status find_problems(struct step *step, const struct schema *form, const struct json *answer,
                                 str *ret_problems, struct error *rejection)
{
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = step->fuel, given = fuel;
    *ret_problems = STR_NONE;
    TRY(schema_check(form, answer, &fuel, step->arena, &problem, &count, rejection));
    step_spend(step, given - fuel);
    if (count) *ret_problems = schema_print_problems(problem, count, STR("the answer"), step->arena);
    return ST_OK;
}

/* The decision stands beside the form, in the same object: a form that does not
 * speak of it cannot refuse it. */
static bool is_decision_apart(const struct program_node *node, const struct token *token,
                              const struct json *answer)
{
    const struct json *form = json_get(token->task, STR("formSchema"));
    return node->as.wait.answer_is_local && json_get(answer, STR("decision")) &&
           !json_get(json_get(form, STR("properties")), STR("decision"));
}

static enum status check_form(struct step *step, const struct program_node *node, const struct token *token,
                              const struct json *answer, struct error *rejection)
{
    if (!node->as.wait.form) return ST_OK;
    str problems;
    TRY(find_problems(step, node->as.wait.form, answer, &problems, rejection));
    if (problems.n && is_decision_apart(node, token, answer))
        TRY(find_problems(step, node->as.wait.form, json_without(step->arena, answer, STR("decision")),
                          &problems, rejection));
    if (!problems.n) return ST_OK;
    return fail_code(rejection, ST_UNPROCESSABLE, "VALIDATION_FAILED", "%.*s", STR_ARG(problems));
}

enum status on_complete_task(struct step *step, struct error *rejection)
{
    str name = step->command->as.node.node;
    uint32_t index = program_find(step->program, name);
    if (index == NODE_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "user task %.*s \"%.*s\" not found",
                    STR_ARG(step->program->node_word), STR_ARG(name));
    const struct program_node *node = &step->program->node[index];
    if (node->kind != NODE_WAIT || node->as.wait.what != WAIT_FOR_PERSON)
        return fail(rejection, ST_INVALID, "", "%.*s \"%.*s\" is not a user task but of type %.*s",
                    STR_ARG(step->program->node_word), STR_ARG(name), STR_ARG(node->type));
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *open = step->command->as.node.number
                                   ? instance_find_token(step->instance, step->command->as.node.number)
                                   : token_at(step, index, TOKEN_PERSON);
    if (!open || open->node != index || open->state != TOKEN_PERSON)
        return fail(rejection, ST_NOT_FOUND, "", "user task \"%.*s\" is not open", STR_ARG(name));

    const struct token token = *open;
    const struct json *answer = step->command->data ? step->command->data : json_empty_object();
    struct locals locals = { .count = 0 };
    if (token.task) TRY(check_person(step, &token, rejection));
    TRY(check_decision(node, &token, answer, rejection));
    TRY(check_form(step, node, &token, answer, rejection));
    if (node->as.wait.answer_is_local) wait_add_answer(step, &token, &locals, answer);
    else TRY(data_take(step, token.execution, step->command->data, MERGE_SHALLOW, rejection));
    return exit_or_refuse(step, token.execution, locals.count ? &locals : NULL, rejection);
}
