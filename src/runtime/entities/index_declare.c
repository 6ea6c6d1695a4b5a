/* runtime/entities/index_declare.c — fields are indexed, unique keys declared. */
#include "runtime/entities/entities_int.h"

#include "base/must.h"
#include "base/utf8.h"
#include "dialect/entity/entity.h"
#include "runtime/call/call.h"
#include "runtime/entities/models.h"
#include "runtime/transact/transact.h"

enum { SHOWN_BYTES = 60 };

/* ---- paths ---- */

/* The path in its one form. */
static enum status read_path(const struct json *text, struct arena *arena, str *ret_path,
                             struct predicate_path *ret_steps, const char *code, enum status status,
                             struct error *err)
{
    struct error why = { 0 };
    struct buf printed;
    if (!json_is(text, JSON_STRING)) return fail_code(err, status, code, "a field is a path, a text");
    str shown = utf8_cut(json_string(text), SHOWN_BYTES);
    if (json_string(text).n > INDEX_PATH_BYTES_MAX)
        return fail_code(err, status, code, "the path \"%.*s…\" has more than %d bytes", STR_ARG(shown),
                         INDEX_PATH_BYTES_MAX);
    if (predicate_path_parse(json_string(text), arena, ret_steps, &why) != ST_OK)
        return fail_code(err, status, code, "\"%.*s\" is no path: %s", STR_ARG(shown), why.message);
    buf_init(&printed, arena);
    predicate_path_print(ret_steps, &printed);
    *ret_path = buf_str(&printed);
    return ST_OK;
}

static enum status find_types(const struct model *model, str path, model_types *ret_types, const char *code,
                              enum status status, struct error *err)
{
    if (model_find(model->schema, path, ret_types) == MODEL_FOUND) return ST_OK;
    return fail_code(err, status, code, "the model \"%.*s\" has no field %.*s", STR_ARG(model->name),
                     STR_ARG(path));
}

static bool is_scalar(model_types types)
{
    return !model_types_have(types, MODEL_OBJECT) && !model_types_have(types, MODEL_ARRAY);
}

/* ---- fields ---- */

static struct indexed_field *find_field(const struct indexes *indexes, str path)
{
    for (size_t i = 0; i < indexes->field_count; i++)
        if (indexes->field[i].state != INDEX_DROPPING && str_equal(indexes->field[i].path, path))
            return &indexes->field[i];
    return NULL;
}

static enum status take_number(struct indexes *indexes, uint32_t *ret_number, struct error *err)
{
    if (indexes->next_number > INDEX_NUMBER_MAX)
        return fail(err, ST_LIMIT, "indexes",
                    "the indexes of the model have changed too often (INDEX_NUMBER_MAX)");
    *ret_number = indexes->next_number++;
    return ST_OK;
}

static enum status add_field(struct turn *turn, const struct model *model, const struct json *text,
                             const struct indexes *old, bool has_entities, struct indexes *indexes,
                             struct error *err)
{
    static const char code[] = "INVALID_FIELD_PATH";
    struct indexed_field field = { .state = has_entities ? INDEX_BUILDING : INDEX_READY };
    model_types types;
    TRY(read_path(text, &turn->arena, &field.path, &field.steps, code, ST_INVALID, err));
    TRY(find_types(model, field.path, &types, code, ST_INVALID, err));
    if (types == model_type_bit(MODEL_OBJECT))
        return fail_code(err, ST_INVALID, code, "%.*s is an object, which has no order", STR_ARG(field.path));
    if (find_field(indexes, field.path)) return ST_OK;
    const struct indexed_field *known = find_field(old, field.path);
    if (known) field = *known;
    else TRY(take_number(indexes, &field.number, err));
    must(indexes->field_count < INDEX_FIELDS_MAX);
    indexes->field[indexes->field_count++] = field;
    return ST_OK;
}

/* The rows of fields that are no longer declared have to go. */
static enum status drop_others(const struct indexes *old, bool has_entities, struct indexes *indexes,
                               struct error *err)
{
    size_t dropping = 0;
    for (size_t i = 0; i < old->field_count; i++) {
        struct indexed_field field = old->field[i];
        bool has_rows = has_entities || field.state == INDEX_DROPPING;
        if (find_field(indexes, field.path) && field.state != INDEX_DROPPING) continue;
        if (!has_rows) continue;
        if (++dropping > INDEX_FIELDS_MAX)
            return fail_code(err, ST_CONFLICT, "CONFLICT",
                             "%d fields that were indexed before are still being removed; try again later",
                             INDEX_FIELDS_MAX);
        field.state = INDEX_DROPPING;
        must(indexes->field_count < 2 * (size_t)INDEX_FIELDS_MAX);
        indexes->field[indexes->field_count++] = field;
    }
    return ST_OK;
}

enum status index_declare_fields(struct turn *turn, int32_t ns, const struct model *model,
                                 const struct json *fields, bool has_entities, struct error *err)
{
    const struct indexes *old;
    TRY(indexes_find(turn, ns, entity_definition_id(model->name, model->version, &turn->arena), &old, err));
    if (json_count(fields) > INDEX_FIELDS_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "a model has at most %d indexed fields, not %zu",
                         INDEX_FIELDS_MAX, json_count(fields));
    struct indexes indexes = *old;
    indexes.field = arena_make_n(&turn->arena, struct indexed_field, 2 * (size_t)INDEX_FIELDS_MAX);
    indexes.field_count = 0;
    struct json_each each = json_each(fields);
    while (json_next(&each)) TRY(add_field(turn, model, each.value, old, has_entities, &indexes, err));
    TRY(drop_others(old, has_entities, &indexes, err));
    turn->engine->transact.backlog[BACKLOG_INDEX].due = true;
    return index_save(turn, ns, &indexes, err);
}

/* ---- unique keys ---- */

static enum status read_key_field(struct turn *turn, const struct model *model, const struct json *text,
                                  struct unique_key *key, struct error *err)
{
    static const char code[] = "INVALID_UNIQUE_KEY_DEFINITION";
    str *path = &key->path[key->count];
    struct predicate_path *steps = &key->steps[key->count];
    model_types types;
    TRY(read_path(text, &turn->arena, path, steps, code, ST_UNPROCESSABLE, err));
    TRY(find_types(model, *path, &types, code, ST_UNPROCESSABLE, err));
    bool names = steps->count > 0;
    for (size_t i = 0; i < steps->count; i++) names &= steps->step[i].kind == PREDICATE_NAME;
    if (!names || !is_scalar(types))
        return fail_code(err, ST_UNPROCESSABLE, code,
                         "%.*s is no single text, number or boolean, as fields of a unique key are",
                         STR_ARG(*path));
    for (size_t i = 0; i < key->count; i++)
        if (str_equal(key->path[i], *path))
            return fail_code(err, ST_UNPROCESSABLE, code, "the unique key \"%.*s\" has %.*s twice",
                             STR_ARG(key->id), STR_ARG(*path));
    key->count++;
    return ST_OK;
}

static enum status read_key(struct turn *turn, const struct model *model, const struct json *value,
                            struct indexes *indexes, struct error *err)
{
    static const char code[] = "INVALID_UNIQUE_KEY_DEFINITION";
    const struct json *id = json_get(value, STR("id")), *fields = json_get(value, STR("fields"));
    if (!id) id = json_get(value, STR("name"));
    if (!json_is(id, JSON_STRING) || !json_string(id).n || json_string(id).n > INDEX_PATH_BYTES_MAX)
        return fail_code(err, ST_UNPROCESSABLE, code, "a unique key needs an id, a text of up to %d bytes",
                         INDEX_PATH_BYTES_MAX);
    if (!json_is(fields, JSON_ARRAY) || !json_count(fields) || json_count(fields) > UNIQUE_FIELDS_MAX)
        return fail_code(err, ST_UNPROCESSABLE, code, "a unique key needs fields, a list of 1 to %d paths",
                         UNIQUE_FIELDS_MAX);
    struct unique_key key = { .id = json_string(id),
                              .path = arena_make_n(&turn->arena, str, json_count(fields)),
                              .steps =
                                  arena_make_n(&turn->arena, struct predicate_path, json_count(fields)) };
    for (size_t i = 0; i < indexes->key_count; i++)
        if (str_equal(indexes->key[i].id, key.id))
            return fail_code(err, ST_UNPROCESSABLE, code, "there are two unique keys \"%.*s\"",
                             STR_ARG(key.id));
    struct json_each each = json_each(fields);
    while (json_next(&each)) TRY(read_key_field(turn, model, each.value, &key, err));
    TRY(take_number(indexes, &key.number, err));
    must(indexes->key_count < UNIQUE_KEYS_MAX && key.count > 0);
    indexes->key[indexes->key_count++] = key;
    return ST_OK;
}

enum status index_declare_keys(struct turn *turn, int32_t ns, const struct model *model,
                               const struct json *keys, struct error *err)
{
    const struct indexes *old;
    TRY(indexes_find(turn, ns, entity_definition_id(model->name, model->version, &turn->arena), &old, err));
    if (json_count(keys) > UNIQUE_KEYS_MAX)
        return fail_code(err, ST_UNPROCESSABLE, "INVALID_UNIQUE_KEY_DEFINITION",
                         "a model has at most %d unique keys, not %zu", UNIQUE_KEYS_MAX, json_count(keys));
    struct indexes indexes = *old;
    indexes.key = arena_make_n(&turn->arena, struct unique_key, json_count(keys));
    indexes.key_count = 0;
    struct json_each each = json_each(keys);
    while (json_next(&each)) TRY(read_key(turn, model, each.value, &indexes, err));
    return index_save(turn, ns, &indexes, err);
}

/* ---- the end of a model ---- */

enum status index_declare_nothing(struct turn *turn, int32_t ns, str definition_id, struct error *err)
{
    const struct indexes *old;
    TRY(indexes_find(turn, ns, definition_id, &old, err));
    struct indexes left = *old;
    left.field = arena_make_n(&turn->arena, struct indexed_field, old->field_count);
    left.field_count = left.key_count = 0;
    for (size_t i = 0; i < old->field_count; i++)
        if (old->field[i].state == INDEX_DROPPING) left.field[left.field_count++] = old->field[i];
    /* Numbers of fields that still have rows must not come back with a model of the same name. */
    if (left.field_count) return index_save(turn, ns, &left, err);
    struct record_row row[] = { { .ns = NAMESPACE_DEFAULT,
                                  .kind = RECORD_INDEXED,
                                  .key = tenant_key(ns, definition_id, &turn->arena) },
                                { .ns = ns, .kind = RECORD_BUILT, .key = definition_id } };
    indexes_cache_clear(&turn->engine->transact.indexes);
    return transact_rows(turn, &(struct changeset){ .record_remove = row, .record_remove_count = COUNT(row) },
                         err);
}
