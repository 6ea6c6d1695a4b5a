/* core/node_end.c — ends a region, or the instance, whatever else is open in it.
 *
 * Other tokens of the instance stay where they are, abandoned. Their jobs and timers are closed, so that no
 * worker works for a finished instance. An END of a branch ends its own token only, unless no other token is
 * left that could go on, in its region or in the instance. An END with an error raises that. An END with a
 * next instance ends all of this one, and says with what the other begins.
 */

#include "core/core_int.h"

/* True if a token waits, has failed or has not run yet. Resting tokens are done. */
static bool others_remain(const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state != TOKEN_RESTING) return true;
    return false;
}

/* `next`: the entry that says which instance goes on in the place of this one; NULL: none. */
static void complete(struct step *step, uint32_t scope, bool chain, struct entry *next)
{
    interrupt_waits(step, false);
    note_status(step, INSTANCE_COMPLETED, STR_NONE);
    join_fork_settle(step, scope);
    if (next) {
        next->number = note_number(step);
        note(step, next);
        return;
    }
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
    else complete(step, scope, chain, NULL);
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

/* ---- the next instance ---- */

/* {name: value, …} */
static enum status values_of(struct step *step, const struct token *token, const struct program_next *next,
                             const struct json **ret_input, struct error *err)
{
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < next->value_count; i++) {
        const struct json *value = next->value[i].literal;
        if (next->value[i].expr) TRY(expression_at(step, next->value[i].expr, token, NULL, &value, err));
        json_add_name(&builder, next->value[i].name);
        json_add(&builder, value);
    }
    json_close(&builder);
    *ret_input = json_built(&builder);
    return ST_OK;
}

static enum status refuse_next(struct error *err, const char *name, const char *must_be)
{
    return fail(err, ST_INVALID, "", "\"%s\" of the next instance must be %s", name, must_be);
}

static enum status read_request(struct step *step, const struct token *token, const struct program_next *next,
                                struct entry *entry, struct error *err)
{
    const struct json *asked;
    int32_t version;
    TRY(expression_at(step, next->request, token, NULL, &asked, err));
    const struct json *definition = json_get(asked, STR("definition"));
    if (!next->definition.n && json_is(definition, JSON_STRING)) entry->definition = json_string(definition);
    if (!program_version_of(json_get(asked, STR("version")), &version))
        return refuse_next(err, "version", "latest, or a whole number from 1 on");
    entry->version = (uint32_t)version;
    entry->data = json_get(asked, STR("input"));
    return ST_OK;
}

/* Computes what the next instance begins with. */
static enum status next_of(struct step *step, const struct token *token, const struct program_next *next,
                           struct entry *entry, struct error *err)
{
    *entry = (struct entry){ .kind = ENTRY_KIND_CONTINUE,
                             .definition = next->definition,
                             .version = (uint32_t)next->version,
                             .data = step->instance->data };
    if (next->request) TRY(read_request(step, token, next, entry, err));
    else if (next->value) TRY(values_of(step, token, next, &entry->data, err));
    if (!entry->definition.n || entry->definition.n > DEFINITION_ID_BYTES_MAX)
        return refuse_next(err, "definition", "a text of 1 to 256 bytes (DEFINITION_ID_BYTES_MAX)");
    if (!json_is(entry->data, JSON_OBJECT)) return refuse_next(err, "input", "an object");
    if (json_bytes(entry->data) > (size_t)step->limits->variables_bytes_max)
        return fail(err, ST_LIMIT, "", "the input of the next instance is too large (variables_bytes_max)");
    if (json_depth(entry->data) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, "", "the input of the next instance is nested too deep (JSON_DEPTH_MAX)");
    return ST_OK;
}

static void end_with_next(struct step *step, const struct token *token, const struct program_node *node)
{
    struct entry entry;
    struct error err;
    enum status status = ST_OK;
    if (scope_region(step->instance, token->scope))
        status = fail(&err, ST_INVALID, "", "a part of an instance cannot go on as another one");
    if (status == ST_OK) status = next_of(step, token, node->as.end.next, &entry, &err);
    if (status != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    token_leave(step, token->execution);
    complete(step, token->scope, false, &entry);
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
    if (node->as.end.next) {
        end_with_next(step, token, node);
        return;
    }
    const struct scope *region = node->as.end.region ? scope_region(step->instance, token->scope) : NULL;
    token_leave(step, token->execution);
    if (region) node_scope_region_done(step, region->number);
    else if (node->as.end.branch) branch_over(step, token->scope, node->as.end.chain);
    else complete(step, token->scope, node->as.end.chain, NULL);
}
