/* core/region.c — regions: opened by a scope node, ended one by one, gathered by their host. */

#include "core/core_int.h"

bool region_is_awaited(const struct program_node *node)
{
    for (size_t i = 0; i < node->as.scope.region_count; i++)
        if (node->as.scope.region[i].awaited) return true;
    return node->as.scope.each != NULL;
}

bool region_data_fits(const struct step *step, const struct json *data, size_t count)
{
    size_t bytes = data ? json_bytes(data) : 0, max = (size_t)step->limits->step_bytes_max / 2, held = 0;
    for (size_t i = 0; i < step->instance->scope_count; i++) {
        const struct scope *scope = &step->instance->scope[i];
        if (scope->state != REGION_NONE && scope->data) held += json_bytes(scope->data);
    }
    return !count || !bytes || (held < max && bytes <= (max - held) / count);
}

uint32_t region_open(struct step *step, const struct token *host, uint32_t index, const struct json *data)
{
    uint32_t number = note_number(step);
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_REGION_OPEN,
                .scope = number,
                .host = host->execution,
                .around = host->scope,
                .node = host->node_name,
                .index = index,
                .data = data,
            },
            host->node);
    return number;
}

void region_end(struct step *step, uint32_t scope, enum region_state state, const struct json *error)
{
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_REGION_END, .scope = scope, .state = state, .error = error });
}

void region_add_frame(struct step *step, const struct token *host, struct locals *locals)
{
    const struct program_node *node = token_node(step, host);
    if (node->kind != NODE_SCOPE || node->as.scope.region_count != 1 || node->as.scope.each) return;
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host->execution) {
            locals_add(locals, STR("frame"), instance->scope[i].data);
            return;
        }
    locals_add(locals, STR("frame"), NULL); /* It could not even be opened. */
}

void region_item_end(struct step *step, uint32_t scope, enum item_verdict verdict, const struct json *value)
{
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_ITEM_END, .scope = scope, .item_verdict = verdict, .result = value });
}

bool region_is_inhabited(const struct instance *instance, uint32_t scope)
{
    for (size_t i = instance->token_count; i-- > 0;) {
        const struct token *token = &instance->token[i];
        if (token->state == TOKEN_RESTING) continue;
        uint32_t around = token->scope;
        while (around > scope) around = scope_find(instance, around)->parent; /* Older scopes are outside. */
        if (around == scope) return true;
    }
    return false;
}

const struct program_each *region_each(const struct step *step, uint32_t host)
{
    const struct token *token = instance_find_token(step->instance, host);
    const struct program_node *node = token ? token_node(step, token) : NULL;
    return node && node->kind == NODE_SCOPE ? node->as.scope.each : NULL;
}
