/* runtime/entity_reads.c — an entity as it is committed, read on the query thread. */
#include "runtime/query.h"

static enum status fail_not_found(struct uuid id, struct error *err)
{
    char text[UUID_CHARS + 1];
    uuid_print(id, text);
    return fail_code(err, ST_NOT_FOUND, "ENTITY_NOT_FOUND", "there is no entity %s", text);
}

static bool is_entity(const struct call *call, const struct instance_row *row,
                      const struct instance *instance, const struct definition *definition,
                      int64_t created_ms)
{
    return row->ns == call->ns && row->created_ms == created_ms && !instance_status_ended(instance->status) &&
           str_equal(definition->program->dialect, dialect_entity.name);
}

enum status entity_get_call(struct query *query, struct call *call, struct error *err)
{
    struct uuid id = call->as.entity.id;
    struct answer_entities *answer = &call->value.entities;
    struct instance_row row;
    struct definition *definition;
    const struct instance *instance;
    uint64_t number;
    int64_t created_ms;
    if (!uuid_instance(id, &created_ms, &number)) return fail_not_found(id, err);
    enum status status = reader_instance(query->reader, number, call->arena, &row, err);
    if (status == ST_NOT_FOUND) return fail_not_found(id, err);
    TRY(status);
    TRY(catalogue_get(&query->catalogue, row.definition, &definition, err));
    TRY(core_decode(row.state, definition->program, call->arena, &instance, err));
    if (!is_entity(call, &row, instance, definition, created_ms)) return fail_not_found(id, err);
    struct entity_view *view = arena_make(call->arena, struct entity_view);
    *view = (struct entity_view){ .id = id, .data = instance->data };
    const struct token *token = entity_token(instance);
    view->carried = token ? token->carried : NULL;
    entity_model_of(arena_str(call->arena, definition->id), &view->model, &view->version);
    view->transition_count =
        entity_transitions(definition->program, instance, call->arena, &view->transition);
    for (size_t i = 0; i < view->transition_count; i++)
        view->transition[i] = arena_str(call->arena, view->transition[i]);
    *answer = (struct answer_entities){ .view = view, .count = 1 };
    return ST_OK;
}
