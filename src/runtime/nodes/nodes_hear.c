/* runtime/nodes/nodes_hear.c — takes what other nodes have told (nodes_news.c has the form of it). */
#include "runtime/nodes/nodes_int.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

/* The rest of a text. A node of another version may tell what we do not understand: then `bad`. */
struct heard_text {
    str left;
    bool bad;
    int32_t ns; /* The tenant that it is about. */
};

static str take(struct heard_text *told, uint64_t n)
{
    told->bad |= n > told->left.n;
    if (told->bad) return STR_NONE;
    str taken = { told->left.p, (size_t)n };
    told->left = (str){ told->left.p + n, told->left.n - (size_t)n };
    return taken;
}

static char take_char(struct heard_text *told)
{
    str taken = take(told, 1);
    return told->bad ? '\0' : taken.p[0];
}

static uint64_t take_number(struct heard_text *told)
{
    uint64_t number = 0;
    str taken = take(told, 8);
    for (size_t i = 0; i < taken.n; i++) number = number << 8 | (unsigned char)taken.p[i];
    return number;
}

static str take_bytes(struct heard_text *told) { return take(told, take_number(told)); }

/* Somebody here waits for the instance. */
static void remember(struct nodes *nodes, uint64_t instance)
{
    array_reserve(nodes->heard, nodes->heard_count, nodes->heard_cap);
    nodes->heard[nodes->heard_count++] = instance;
}

static void hear_instance(struct engine *engine, struct heard_text *told)
{
    uint64_t id = take_number(told);
    int64_t created_ms = (int64_t)take_number(told);
    enum live_kind kind = take_char(told) == '1' ? LIVE_ENTITIES : LIVE_INSTANCES;
    if (told->bad) return;
    cache_drop(&engine->memory.cache, id);
    if (engine->memory.live.listening)
        live_note_instance(&engine->memory.live, told->ns, kind, created_ms, id);
    if (watchers_have(&engine->memory.watchers, id) || map_get(engine->nodes.runs, id))
        remember(&engine->nodes, id);
}

/* Values are read where they are, which asks for a place of its own. */
static str take_value(struct heard_text *told, struct arena *arena)
{
    str bytes = take_bytes(told);
    if (told->bad || !bytes.n) return STR_NONE;
    told->bad |= !json_decode(bytes, arena);
    return arena_str(arena, bytes);
}

static bool take_task(struct heard_text *told, struct arena *arena, struct task_row *ret_row)
{
    if (take_char(told) != '1') return false;
    *ret_row = (struct task_row){ .ns = told->ns, .instance = take_number(told) };
    ret_row->execution = (uint32_t)take_number(told);
    ret_row->created_ms = (int64_t)take_number(told);
    ret_row->node = take_bytes(told);
    ret_row->title = take_bytes(told);
    ret_row->details = take_value(told, arena);
    return true;
}

static void hear_task(struct engine *engine, struct heard_text *told)
{
    struct task_row before, now;
    str definition_id = take_bytes(told);
    struct arena *arena = &engine->turn.arena;
    bool was = take_task(told, arena, &before), is = take_task(told, arena, &now);
    if (told->bad || (!was && !is)) return;
    const struct task_row *row = is ? &now : &before;
    task_feed_tell_change(&engine->memory.task_feed, was ? &before : NULL, is ? &now : NULL, definition_id);
    if (engine->memory.live.listening)
        live_note_id(
            &engine->memory.live, told->ns, LIVE_TASKS,
            (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution });
}

static void hear_live(struct engine *engine, struct heard_text *told)
{
    int kind = take_char(told) - 'A';
    str id = take_bytes(told);
    told->bad |= kind < 0 || kind >= LIVE_KIND_COUNT;
    if (!told->bad) live_hear(&engine->memory.live, (enum live_kind)kind, id);
}

static void hear_text(struct engine *engine, str text)
{
    struct heard_text told = { text, false, TENANT_DEFAULT };
    while (told.left.n && !told.bad) {
        char letter = take_char(&told);
        if (letter == 'n') told.ns = (int32_t)take_number(&told);
        else if (letter == 'i') hear_instance(engine, &told);
        else if (letter == 't') hear_task(engine, &told);
        else if (letter == 'l') hear_live(engine, &told);
        else told.bad = true;
    }
}

void nodes_look_again(struct engine *engine, uint64_t instance) { remember(&engine->nodes, instance); }

void nodes_hear_of_all(struct engine *engine)
{
    size_t cursor = 0;
    for (uint64_t id; (id = watchers_next(&engine->memory.watchers, &cursor)) != 0;)
        remember(&engine->nodes, id);
    cursor = 0;
    for (uint64_t id; map_next_entry(engine->nodes.runs, &cursor, &id);) remember(&engine->nodes, id);
    for (int kind = 0; kind < LIVE_KIND_COUNT; kind++)
        live_hear(&engine->memory.live, (enum live_kind)kind, STR_NONE);
    cache_clear(&engine->memory.cache);
}

void nodes_hear(struct engine *engine)
{
    must(!engine->turn.in_transaction && !engine->turn.all_loaded);
    struct error err;
    str *text;
    size_t count;
    bool lost;
    int64_t now_us = clock_monotonic_us(), before_us = engine->nodes.heard_us;
    if (store_hear(engine->store, &engine->turn.arena, &text, &count, &lost, &err) != ST_OK) return;
    if (before_us) metric_observe(&engine->metrics->news_age, now_us - before_us);
    engine->nodes.heard_us = now_us;
    for (size_t i = 0; i < count; i++) hear_text(engine, text[i]);
    if (lost) nodes_hear_of_all(engine);
    arena_reset(&engine->turn.arena);
}
