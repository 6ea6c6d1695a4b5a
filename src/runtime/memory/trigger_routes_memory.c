/* runtime/memory/trigger_routes_memory.c — the trigger routes that memory knows, and what came in. */
#include "base/buf.h"
#include "runtime/limits.h"
#include "runtime/memory/trigger_routes.h"

void trigger_routes_init(struct trigger_routes *trigger_routes)
{
    arena_init(&trigger_routes->arena, 0);
    arena_init(&trigger_routes->count_arena, 0);
    text_map_init(&trigger_routes->found);
    text_map_init(&trigger_routes->counts);
}

void trigger_routes_done(struct trigger_routes *trigger_routes)
{
    text_map_done(&trigger_routes->found);
    text_map_done(&trigger_routes->counts);
    arena_done(&trigger_routes->arena);
    arena_done(&trigger_routes->count_arena);
}

void trigger_routes_clear(struct trigger_routes *trigger_routes)
{
    text_map_done(&trigger_routes->found);
    text_map_init(&trigger_routes->found);
    arena_reset(&trigger_routes->arena);
    trigger_routes->found_count = 0;
}

str trigger_routes_seen_key(str definition_id, str trigger, char kind, str key, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    buf_add_str(&text, definition_id);
    buf_add_char(&text, '\0');
    buf_add_str(&text, trigger);
    buf_add_char(&text, '\0');
    buf_add_char(&text, kind);
    buf_add_str(&text, key);
    return buf_str(&text);
}

str trigger_routes_count_key(int32_t ns, str definition_id, str trigger, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, tenant_key(ns, definition_id, arena));
    buf_add_char(&key, '\0');
    buf_add_str(&key, trigger);
    return buf_str(&key);
}

static struct trigger_route_count *add_count(struct trigger_routes *trigger_routes, str key)
{
    if (trigger_routes->count_count >= TRIGGER_ROUTES_COUNTED_MAX) return NULL;
    struct trigger_route_count *count = arena_make(&trigger_routes->count_arena, struct trigger_route_count);
    count->key = arena_str(&trigger_routes->count_arena, key);
    text_map_put(&trigger_routes->counts, count->key, count);
    trigger_routes->count_count++;
    return count;
}

void trigger_routes_count(struct trigger_routes *trigger_routes, int32_t ns, const struct arrival_view *view)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    str key = trigger_routes_count_key(ns, view->definition_id, view->trigger, &scratch);
    struct trigger_route_count *count = text_map_get(&trigger_routes->counts, key);
    if (!count) count = add_count(trigger_routes, key);
    if (count) count->count[view->outcome]++;
    arena_done(&scratch);
}
