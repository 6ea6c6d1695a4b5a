/* core/on_fire.c — somebody fires a transition.
 *
 * A token that waits for a transition leaves by the edge of that name, if the edge's condition holds. Without
 * a name it only looks again whether it can go on: new data may let it. A token that takes part in an earlier
 * transition (program_node.home) gives that up and begins from where it came.
 */

#include "core/core_int.h"

/* The oldest token that a transition concerns, or NULL. */
static const struct token *find_token(const struct step *step)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->state == TOKEN_TRANSITION) return token;
        if (token->state == TOKEN_JOB && token_node(step, token)->home) return token;
    }
    return NULL;
}

static const struct program_edge *find_edge(const struct program_node *home, str name)
{
    for (size_t i = 0; i < home->edge_count; i++)
        if (!home->edge[i].by_timer && str_equal(home->edge[i].name, name)) return &home->edge[i];
    return NULL;
}

static enum status choose(struct step *step, const struct token *token, const struct program_node *home,
                          uint32_t *ret_target, struct error *rejection)
{
    str name = step->command->as.fire.transition;
    if (!name.n) {
        *ret_target = home->as.wait.again;
        return ST_OK;
    }
    const struct program_edge *edge = find_edge(home, name);
    str shown = utf8_cut(name, NODE_NAME_BYTES_MAX);
    bool holds = true;
    struct error err;
    if (!edge)
        return fail(rejection, ST_NOT_FOUND, "", "there is no transition \"%.*s\" from %.*s \"%.*s\"",
                    STR_ARG(shown), STR_ARG(step->program->node_word), STR_ARG(home->title));
    if (edge->when && expression_condition(step, edge->when, token, NULL, &holds, &err) != ST_OK)
        return fail(rejection, ST_INVALID, "", "the condition of transition \"%.*s\" cannot be evaluated: %s",
                    STR_ARG(shown), err.message);
    if (!holds)
        return fail(rejection, ST_INVALID, "", "the condition of transition \"%.*s\" does not hold",
                    STR_ARG(shown));
    *ret_target = edge->target;
    return ST_OK;
}

enum status on_fire(struct step *step, struct error *rejection)
{
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *found = find_token(step);
    if (!found) return fail(rejection, ST_CONFLICT, "", "the instance does not wait for a transition");
    uint32_t execution = found->execution, target;
    const struct program_node *at = token_node(step, found);
    const struct program_node *home = at->home ? &step->program->node[at->home] : at;
    if (step->command->as.fire.in_place) {
        if (step->command->data)
            TRY(data_put(step, 0, execution, step->command->data, MERGE_REPLACE, rejection));
        token_stamp(step, execution);
        return ST_OK;
    }
    if (step->command->data) TRY(data_put(step, 0, execution, step->command->data, MERGE_REPLACE, rejection));
    fire_begin(step, execution, step->command->as.fire.transition);
    token_stamp(step, execution);
    const struct token token = *instance_find_token(step->instance, execution);
    TRY(choose(step, &token, home, &target, rejection));
    fire_leave(step, &token, target);
    return ST_OK;
}
