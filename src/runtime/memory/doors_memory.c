/* runtime/memory/doors_memory.c — the doors that memory knows, and what came in. */
#include "base/buf.h"
#include "runtime/limits.h"
#include "runtime/memory/doors.h"

void doors_init(struct doors *doors)
{
    arena_init(&doors->arena, 0);
    arena_init(&doors->count_arena, 0);
    text_map_init(&doors->found);
    text_map_init(&doors->counts);
}

void doors_done(struct doors *doors)
{
    text_map_done(&doors->found);
    text_map_done(&doors->counts);
    arena_done(&doors->arena);
    arena_done(&doors->count_arena);
}

void doors_clear(struct doors *doors)
{
    text_map_done(&doors->found);
    text_map_init(&doors->found);
    arena_reset(&doors->arena);
    doors->found_count = 0;
}

str doors_seen_key(str definition_id, str trigger, char kind, str key, struct arena *arena)
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

void doors_count(struct doors *doors, const struct arrival_view *view)
{
    char stack[512];
    size_t bytes = view->definition_id.n + 1 + view->trigger.n;
    if (bytes > sizeof stack) return;
    memcpy(stack, view->definition_id.p, view->definition_id.n);
    stack[view->definition_id.n] = '\0';
    memcpy(stack + view->definition_id.n + 1, view->trigger.p, view->trigger.n);
    const str key = { stack, bytes };
    struct door_count *count = text_map_get(&doors->counts, key);
    if (!count) {
        if (doors->count_count >= DOORS_COUNTED_MAX) return;
        count = arena_make(&doors->count_arena, struct door_count);
        count->key = arena_str(&doors->count_arena, key);
        text_map_put(&doors->counts, count->key, count);
        doors->count_count++;
    }
    count->count[view->outcome]++;
}
