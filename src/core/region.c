/* core/region.c — regions: opened by a scope node, ended one by one, gathered by their host. */

#include "core/core_int.h"

bool scope_node_awaits(const struct program_node *node)
{
    for (size_t i = 0; i < node->as.scope.region_count; i++)
        if (node->as.scope.region[i].awaited) return true;
    return false;
}

uint32_t region_open(struct step *step, const struct token *host, uint32_t index, const struct json *data)
{
    uint32_t number = fresh_number(step);
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_REGION_OPEN,
             .scope = number,
             .execution = host->execution,
             .from = host->scope,
             .node = host->node_name,
             .value = index,
             .json = data,
         },
         host->node);
    return number;
}

void region_end(struct step *step, uint32_t scope, enum region_state state, const struct json *error)
{
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_REGION_END, .scope = scope, .value = state, .json = error },
         NODE_NONE);
}

/* Backwards, because what goes is cut out of the arrays. */
void region_clear(struct step *step, uint32_t scope, str why)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->token_count; i-- > 0;) {
        if (i >= instance->token_count || instance->token[i].scope != scope) continue;
        token_interrupt(step, instance->token[i].execution, why);
    }
    for (size_t i = instance->scope_count; i-- > 0;) {
        if (i >= instance->scope_count || instance->scope[i].parent != scope) continue;
        region_cancel(step, instance->scope[i].number, why);
    }
}

void region_cancel(struct step *step, uint32_t scope, str why)
{
    region_clear(step, scope, why);
    scope_close(step, scope);
}

void regions_close(struct step *step, uint32_t host, str why)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->scope_count; i-- > 0;) {
        if (i >= instance->scope_count || instance->scope[i].host != host) continue;
        if (instance->scope[i].state == REGION_OPEN) region_cancel(step, instance->scope[i].number, why);
        else scope_close(step, instance->scope[i].number);
    }
}

void locals_add_frame(struct step *step, const struct token *host, struct locals *locals)
{
    const struct program_node *node = token_node(step, host);
    if (node->kind != NODE_SCOPE || node->as.scope.region_count != 1) return;
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host->execution) {
            locals_add(locals, STR("frame"), instance->scope[i].data);
            return;
        }
    locals_add(locals, STR("frame"), NULL); /* It could not even be opened. */
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

void region_finish(struct step *step, uint32_t number)
{
    const struct scope scope = *instance_find_scope(step->instance, number);
    if (scope.state == REGION_DETACHED) {
        region_cancel(step, number, STR_NONE);
        return;
    }
    region_clear(step, number, STR("the region ended"));
    region_end(step, number, REGION_DONE, NULL);
    const struct token host = *instance_find_token(step->instance, scope.host);
    const struct program_node *node = token_node(step, &host);
    if (!scope_node_awaits(node)) detach_open(step, host.execution);
    else if (!all_done(step->instance, host.execution)) return;
    struct locals locals = { .count = 0 };
    locals_add_frame(step, &host, &locals);
    if (node->as.scope.region_count != 1)
        locals_add(&locals, STR("outputs"), outputs_of(step, host.execution, node));
    token_go_on_with(step, host.execution, &locals);
}
