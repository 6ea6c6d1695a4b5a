/* core/region.c — regions: opened by a scope node, ended one by one, gathered by their host. */

#include "core/core_int.h"

bool region_is_awaited(const struct program_node *node)
{
    for (size_t i = 0; i < node->as.scope.region_count; i++)
        if (node->as.scope.region[i].awaited) return true;
    return false;
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
    if (node->kind != NODE_SCOPE || node->as.scope.region_count != 1) return;
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host->execution) {
            locals_add(locals, STR("frame"), instance->scope[i].data);
            return;
        }
    locals_add(locals, STR("frame"), NULL); /* It could not even be opened. */
}
