/* runtime/entities/index_save.c — writes the record of what is indexed of a model. */
#include "runtime/entities/entities_int.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/transact/transact.h"

static void add_number(struct json_builder *builder, str name, int64_t number)
{
    json_add_name(builder, name);
    json_add_int(builder, number);
}

static void add_field(struct json_builder *builder, const struct indexed_field *field)
{
    json_open_object(builder);
    add_number(builder, STR("number"), field->number);
    json_add_text(builder, STR("path"), field->path);
    add_number(builder, STR("state"), field->state);
    json_close(builder);
}

static void add_key(struct json_builder *builder, const struct unique_key *key)
{
    json_open_object(builder);
    add_number(builder, STR("number"), key->number);
    json_add_text(builder, STR("id"), key->id);
    json_add_name(builder, STR("fields"));
    json_open_array(builder);
    for (size_t i = 0; i < key->count; i++) json_add_string(builder, key->path[i]);
    json_close(builder);
    json_close(builder);
}

static bool builds(const struct indexes *indexes)
{
    for (size_t i = 0; i < indexes->field_count; i++)
        if (indexes->field[i].state == INDEX_BUILDING) return true;
    return false;
}

enum status index_save(struct turn *turn, int32_t ns, const struct indexes *indexes, struct error *err)
{
    must(indexes->field_count <= 2 * (size_t)INDEX_FIELDS_MAX && indexes->key_count <= UNIQUE_KEYS_MAX);
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    add_number(&builder, STR("next"), indexes->next_number);
    json_add_name(&builder, STR("fields"));
    json_open_array(&builder);
    for (size_t i = 0; i < indexes->field_count; i++) add_field(&builder, &indexes->field[i]);
    json_close(&builder);
    json_add_name(&builder, STR("keys"));
    json_open_array(&builder);
    for (size_t i = 0; i < indexes->key_count; i++) add_key(&builder, &indexes->key[i]);
    json_close(&builder);
    json_close(&builder);
    str definition_id = arena_str(&turn->arena, indexes->definition_id);
    struct record_row row = { .ns = NAMESPACE_DEFAULT,
                              .kind = RECORD_INDEXED,
                              .key = tenant_key(ns, definition_id, &turn->arena),
                              .value = json_encoded(json_built(&builder)) };
    struct record_row progress = { .ns = ns, .kind = RECORD_BUILT, .key = definition_id };
    bool is_built = !builds(indexes);
    indexes_cache_clear(&turn->engine->transact.indexes); /* It may hold fields of `indexes`. */
    struct changeset changeset = {
        .record_put = &row, .record_put_count = 1, .record_remove = &progress, .record_remove_count = is_built
    };
    return transact_rows(turn, &changeset, err);
}
