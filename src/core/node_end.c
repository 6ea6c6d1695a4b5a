/* core/node_end.c — ends a region, or the instance, whatever else is open in it.
 *
 * Other tokens of the instance stay where they are, abandoned. Their jobs and timers are closed, so that no
 * worker works for a finished instance. An END of a branch ends its own token only, unless no other token is
 * left that could go on, in its region or in the instance. An END with an error raises that.
 */

#include "core/core_int.h"

/* True if a token waits, has failed or has not run yet. Resting tokens are done. */
static bool others_remain(const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state != TOKEN_RESTING) return true;
    return false;
}

static void complete(struct step *step, uint32_t scope, bool chain)
{
    interrupt_waits(step, false);
    note_status(step, INSTANCE_COMPLETED, STR_NONE);
    join_fork_settle(step, scope);
    if (!chain || step->program->next_definition.n == 0) return;
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_CHAIN,
                   .number = note_number(step),
                   .definition = step->program->next_definition,
               });
}

static void branch_over(struct step *step, uint32_t scope, bool chain)
{
    const struct scope *region = scope_region(step->instance, scope);
    if (region && region_is_inhabited(step->instance, region->number)) join_fork_settle(step, scope);
    else if (region) node_scope_region_done(step, region->number);
    else if (others_remain(step->instance)) join_fork_settle(step, scope);
    else complete(step, scope, chain);
}

void node_end_over(struct step *step, uint32_t scope) { branch_over(step, scope, false); }

/* The message of an END with an error, as a text. */
static enum status message_of(struct step *step, const struct token *token, const struct program_node *node,
                              str *ret_message, struct error *err)
{
    const struct json *value;
    *ret_message = STR_NONE;
    if (!node->as.end.message) return ST_OK;
    TRY(expression_at(step, node->as.end.message, token, NULL, &value, err));
    if (json_is(value, JSON_NULL)) return ST_OK;
    if (json_is(value, JSON_STRING)) {
        *ret_message = json_string(value);
        return ST_OK;
    }
    struct buf text;
    buf_init(&text, step->arena);
    json_print(value, &text);
    *ret_message = buf_str(&text);
    return ST_OK;
}

void node_end_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    struct error err;
    if (node->output_count &&
        data_put_output(step, token, node->output, node->output_count, NULL, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    if (node->as.end.error.n) {
        str message;
        if (message_of(step, token, node, &message, &err) != ST_OK)
            raise_failed(step, token->execution, &err);
        else
            raise_modelled(step, token->execution,
                           error_object(step, token->execution, node->as.end.error, message, NULL));
        return;
    }
    const struct scope *region = node->as.end.region ? scope_region(step->instance, token->scope) : NULL;
    token_leave(step, token->execution);
    if (region) node_scope_region_done(step, region->number);
    else if (node->as.end.branch) branch_over(step, token->scope, node->as.end.chain);
    else complete(step, token->scope, node->as.end.chain);
}
