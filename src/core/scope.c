/* core/scope.c — looking at scopes. */

#include "core/change_int.h"

const struct scope *scope_find(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, number);
    return i == SIZE_MAX ? NULL : &instance->scope[i];
}

const struct json *scope_data(const struct instance *instance, uint32_t number)
{
    while (number) {
        const struct scope *scope = scope_find(instance, number);
        if (!scope) break;
        if (scope->data) return scope->data;
        number = scope->parent;
    }
    return instance->data;
}

const struct scope *scope_region(const struct instance *instance, uint32_t number)
{
    while (number) {
        const struct scope *scope = scope_find(instance, number);
        if (!scope || scope->state != REGION_NONE) return scope;
        number = scope->parent;
    }
    return NULL;
}

bool scope_sees_around(const struct program *program, const struct scope *region)
{
    return region->state == REGION_UNDO || program->node[region->fork].as.scope.sees_around;
}

uint32_t scope_join(const struct program *program, const struct scope *scope)
{
    if (!program || scope->fork >= program->node_count || scope->state != REGION_NONE) return NODE_NONE;
    return program->node[scope->fork].as.fork.join;
}

struct scope_census scope_census(const struct program *program, const struct instance *instance,
                                 const struct scope *scope)
{
    bool known = program && scope->fork < program->node_count;
    struct scope_census census = { .branch_count = known ? program->node[scope->fork].edge_count : SIZE_MAX };
    uint32_t join = scope_join(program, scope);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope->number) continue;
        census.token_count++;
        if (token->state == TOKEN_JOIN && token->node == join) census.arrived_count++;
        if (token->state == TOKEN_RESTING) census.resting_count++;
    }
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].parent == scope->number) census.inner_count++;
    return census;
}
