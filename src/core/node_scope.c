/* core/node_scope.c — regions, each with data of its own and a token at its start.
 *
 * If some regions are awaited and others not, the others are detached from the beginning.
 */

#include "core/core_int.h"

void node_scope_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct json *data;
    struct error err;
    if (node->as.scope.each) {
        node_each_enter(step, token, node);
        return;
    }
    if (expression_at(step, node->as.scope.data, token, NULL, &data, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    data_warn_of_filter(step, token->execution);
    size_t count = node->as.scope.region_count;
    if (step->instance->token_count + count > TOKENS_MAX) {
        raise_error(step, token->execution, step->program->error_names.limit,
                    arena_printf(step->arena,
                                 "%zu more tokens are too many: an instance has at most %d (TOKENS_MAX)",
                                 count, TOKENS_MAX),
                    NULL);
        return;
    }
    if (!region_data_fits(step, data, count)) {
        raise_error(step, token->execution, step->program->error_names.limit,
                    arena_printf(step->arena,
                                 "the data of %zu more regions takes more than half of the memory that a "
                                 "command may use (step_bytes_max)",
                                 count),
                    NULL);
        return;
    }
    bool awaits = region_is_awaited(node);
    token_park(step, token->execution, TOKEN_REGION);
    for (uint32_t i = 0; i < count; i++) {
        const struct program_region *region = &node->as.scope.region[i];
        uint32_t scope = region_open(step, token, i, data);
        if (awaits && !region->awaited) region_end(step, scope, REGION_DETACHED, NULL);
        token_enter(step, region->start, scope, token->execution);
    }
}

/* {name: output} of the regions that are done, in the order of the definition. */
static const struct json *outputs_of(struct step *step, uint32_t host, const struct program_node *node)
{
    const struct instance *instance = step->instance;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i]; /* Opened in the order of the definition. */
        if (scope->host != host || scope->state != REGION_DONE) continue;
        json_add_name(&builder, node->as.scope.region[scope->index].name);
        json_add(&builder, scope->data);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void detach_open(struct step *step, uint32_t host)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host && instance->scope[i].state == REGION_OPEN)
            region_end(step, instance->scope[i].number, REGION_DETACHED, NULL);
}

static bool all_done(const struct instance *instance, uint32_t host)
{
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host && instance->scope[i].state == REGION_OPEN) return false;
    return true;
}

void node_scope_region_done(struct step *step, uint32_t number)
{
    const struct scope scope = *scope_find(step->instance, number);
    if (scope.state == REGION_DETACHED) {
        interrupt_region(step, number, STR_NONE);
        return;
    }
    if (scope.state == REGION_UNDO) {
        undo_over(step, number, UNDO_DONE, STR("the region ended"));
        return;
    }
    if (region_each(step, scope.host)) {
        node_each_item_done(step, number);
        return;
    }
    interrupt_inside(step, number, STR("the region ended"));
    region_end(step, number, REGION_DONE, NULL);
    const struct token host = *instance_find_token(step->instance, scope.host);
    const struct program_node *node = token_node(step, &host);
    if (!region_is_awaited(node)) detach_open(step, host.execution);
    else if (!all_done(step->instance, host.execution)) return;
    struct locals locals = { .count = 0 };
    region_add_frame(step, &host, &locals);
    if (node->as.scope.region_count != 1)
        locals_add(&locals, STR("outputs"), outputs_of(step, host.execution, node));
    exit_with(step, host.execution, &locals);
}
