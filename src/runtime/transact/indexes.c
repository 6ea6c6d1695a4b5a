/* runtime/transact/indexes.c — the record of what is indexed of a model, and the records in memory. */
#include "runtime/transact/indexes.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact_int.h"

#include <stdlib.h>

enum { NUMBER_BYTES = 3 };

str indexes_prefix(str definition_id, uint32_t number, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, definition_id);
    buf_add_char(&key, '\0');
    for (int i = NUMBER_BYTES - 1; i >= 0; i--) buf_add_char(&key, (char)(number >> 8 * i));
    return buf_str(&key);
}

/* ---- reading ---- */

static bool read_path(const struct json *text, struct arena *arena, str *ret_path,
                      struct predicate_path *ret_steps)
{
    if (!json_is(text, JSON_STRING)) return false;
    *ret_path = json_string(text);
    return predicate_path_parse(*ret_path, arena, ret_steps, NULL) == ST_OK;
}

static bool read_field(const struct json *value, struct arena *arena, struct indexed_field *ret_field)
{
    int64_t state = json_integer(value, STR("state"));
    *ret_field = (struct indexed_field){ .number = (uint32_t)json_integer(value, STR("number")),
                                         .state = (enum index_state)state };
    return state >= INDEX_READY && state <= INDEX_DROPPING &&
           read_path(json_get(value, STR("path")), arena, &ret_field->path, &ret_field->steps);
}

static bool read_key(const struct json *value, struct arena *arena, struct unique_key *ret_key)
{
    const struct json *id = json_get(value, STR("id")), *fields = json_get(value, STR("fields"));
    if (!json_is(id, JSON_STRING) || !json_is(fields, JSON_ARRAY)) return false;
    size_t count = json_count(fields);
    *ret_key = (struct unique_key){ .number = (uint32_t)json_integer(value, STR("number")),
                                    .id = json_string(id),
                                    .path = arena_make_n(arena, str, count),
                                    .steps = arena_make_n(arena, struct predicate_path, count),
                                    .count = count };
    for (size_t i = 0; i < count; i++)
        if (!read_path(json_item(fields, i), arena, &ret_key->path[i], &ret_key->steps[i])) return false;
    return true;
}

static bool decode(str bytes, struct arena *arena, struct indexes *indexes)
{
    const struct json *value = json_decode(bytes, arena);
    const struct json *fields = json_get(value, STR("fields")), *keys = json_get(value, STR("keys"));
    if (!json_is(fields, JSON_ARRAY) || !json_is(keys, JSON_ARRAY)) return false;
    if (json_count(fields) > 2 * (size_t)INDEX_FIELDS_MAX || json_count(keys) > UNIQUE_KEYS_MAX) return false;
    indexes->next_number = (uint32_t)json_integer(value, STR("next"));
    indexes->field = arena_make_n(arena, struct indexed_field, json_count(fields));
    indexes->key = arena_make_n(arena, struct unique_key, json_count(keys));
    struct json_each each = json_each(fields);
    while (json_next(&each))
        if (!read_field(each.value, arena, &indexes->field[indexes->field_count++])) return false;
    each = json_each(keys);
    while (json_next(&each))
        if (!read_key(each.value, arena, &indexes->key[indexes->key_count++])) return false;
    return true;
}

/* No record: nothing is indexed. */
static enum status take(struct found found, const struct record_row *row, str definition_id,
                        struct arena *arena, struct indexes *ret_indexes, struct error *err)
{
    *ret_indexes = (struct indexes){ .definition_id = arena_str(arena, definition_id), .next_number = 1 };
    bool is_there;
    TRY(found_asked(found, &is_there));
    if (!is_there) return ST_OK;
    if (decode(row->value, arena, ret_indexes)) return ST_OK;
    return fail(err, ST_INTERNAL, "indexes", "the stored indexes of \"%.*s\" are damaged",
                STR_ARG(definition_id));
}

enum status indexes_read(struct store_reader *reader, int32_t ns, str definition_id, struct arena *arena,
                         struct indexes *ret_indexes, struct error *err)
{
    struct record_row row;
    struct found found = reader_find_record(reader, NAMESPACE_DEFAULT, RECORD_INDEXED,
                                            tenant_key(ns, definition_id, arena), arena, &row, err);
    return take(found, &row, definition_id, arena, ret_indexes, err);
}

/* ---- the cache ---- */

struct cached_indexes {
    struct arena arena;
    struct indexes of;
};

void indexes_cache_init(struct index_cache *cache) { text_map_init(&cache->by_id); }

void indexes_cache_clear(struct index_cache *cache)
{
    size_t cursor = 0;
    for (struct cached_indexes *it; (it = text_map_next(&cache->by_id, &cursor)) != NULL;) {
        arena_done(&it->arena);
        free(it);
    }
    text_map_done(&cache->by_id);
    text_map_init(&cache->by_id);
}

void indexes_cache_done(struct index_cache *cache)
{
    indexes_cache_clear(cache);
    text_map_done(&cache->by_id);
}

static enum status load(struct turn *turn, int32_t ns, str definition_id, struct arena *arena,
                        struct indexes *ret_indexes, struct error *err)
{
    struct record_row row;
    struct found found =
        store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_INDEXED,
                          tenant_key(ns, definition_id, &turn->arena), &turn->arena, &row, err);
    return take(found, &row, definition_id, arena, ret_indexes, err);
}

enum status indexes_find(struct turn *turn, int32_t ns, str definition_id, const struct indexes **ret_indexes,
                         struct error *err)
{
    struct index_cache *cache = &turn->engine->transact.indexes;
    str key = tenant_key(ns, definition_id, &turn->arena);
    struct cached_indexes *cached = text_map_get(&cache->by_id, key);
    if (cached) {
        *ret_indexes = &cached->of;
        return ST_OK;
    }
    /* A full cache keeps what it has: nobody may lose what a caller of this function still holds. */
    if (cache->by_id.count >= INDEX_CACHE_MAX) {
        struct indexes *read = arena_make(&turn->arena, struct indexes);
        TRY(load(turn, ns, definition_id, &turn->arena, read, err));
        *ret_indexes = read;
        return ST_OK;
    }
    cached = calloc(1, sizeof *cached);
    must(cached);
    arena_init(&cached->arena, 0);
    enum status status = load(turn, ns, definition_id, &cached->arena, &cached->of, err);
    if (status != ST_OK) {
        arena_done(&cached->arena);
        free(cached);
        return status;
    }
    text_map_put(&cache->by_id, arena_str(&cached->arena, key), cached);
    *ret_indexes = &cached->of;
    return ST_OK;
}
