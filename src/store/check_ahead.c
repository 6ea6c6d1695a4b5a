/* store/check_ahead.c — reads pages of instances and histories before a check needs them. */
#include "store/check_int.h"

enum { AHEAD_BYTES = 4 << 20 };

void check_ahead_init(struct check_ahead *ahead)
{
    map_init(&ahead->histories);
    map_init(&ahead->instances);
    arena_init(&ahead->history_arena, 0);
    arena_init(&ahead->instance_arena, 0);
}

void check_ahead_done(struct check_ahead *ahead)
{
    map_done(&ahead->histories);
    map_done(&ahead->instances);
    arena_done(&ahead->history_arena);
    arena_done(&ahead->instance_arena);
}

static void forget(struct map *map, struct arena *arena)
{
    map_done(map);
    map_init(map);
    arena_reset(arena);
}

enum status check_ahead_histories(struct check_ahead *ahead, struct store_reader *reader,
                                  const struct instance_row *row, size_t count, struct error *err)
{
    struct arena *arena = &ahead->history_arena;
    struct history_ahead *read;
    size_t read_count;
    forget(&ahead->histories, arena);
    if (!reader->ops->histories || !count) return ST_OK;
    TRY(reader->ops->histories(reader, row, count, AHEAD_BYTES, arena, &read, &read_count, err));
    for (size_t i = 0; i < read_count; i++) map_put(&ahead->histories, read[i].instance, &read[i]);
    return ST_OK;
}

enum status check_ahead_instances(struct check_ahead *ahead, struct store_reader *reader, const uint64_t *id,
                                  size_t count, struct error *err)
{
    struct arena *arena = &ahead->instance_arena;
    struct instance_row *read;
    size_t read_count;
    forget(&ahead->instances, arena);
    if (!reader->ops->instances_of || !count) return ST_OK;
    TRY(reader->ops->instances_of(reader, id, count, AHEAD_BYTES, arena, &read, &read_count, err));
    for (size_t i = 0; i < read_count; i++) map_put(&ahead->instances, read[i].id, &read[i]);
    return ST_OK;
}

enum status check_history_of(const struct check_ahead *ahead, struct store_reader *reader, uint64_t instance,
                             struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    const struct history_ahead *read = map_get(&ahead->histories, instance);
    if (!read) return reader_history(reader, instance, 0, 0, arena, ret_blob, ret_count, err);
    *ret_blob = read->blob;
    *ret_count = read->count;
    return ST_OK;
}

struct found check_instance_of(const struct check_ahead *ahead, struct store_reader *reader, uint64_t id,
                               struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    const struct instance_row *read = map_get(&ahead->instances, id);
    if (!read) return reader_instance(reader, TENANT_ANY, id, arena, ret_row, err);
    *ret_row = *read;
    return found_of(ST_OK);
}
