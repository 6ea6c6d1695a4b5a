/* runtime/nodes/news_read.c — reads the news of other nodes (news_write.c has the form of it). */
#include "runtime/nodes/nodes_int.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

/* The rest of a text. A node of another version may tell what we do not understand: then `bad`. */
struct news_text {
    str left;
    bool bad;
    int32_t ns; /* The tenant that it is about. */
};

static str take(struct news_text *news, uint64_t n)
{
    news->bad |= n > news->left.n;
    if (news->bad) return STR_NONE;
    str taken = { news->left.p, (size_t)n };
    news->left = (str){ news->left.p + n, news->left.n - (size_t)n };
    return taken;
}

static char take_char(struct news_text *news)
{
    str taken = take(news, 1);
    return news->bad ? '\0' : taken.p[0];
}

static uint64_t take_number(struct news_text *news)
{
    uint64_t number = 0;
    str taken = take(news, 8);
    for (size_t i = 0; i < taken.n; i++) number = number << 8 | (unsigned char)taken.p[i];
    return number;
}

static str take_bytes(struct news_text *news) { return take(news, take_number(news)); }

/* Somebody here waits for the instance. */
static void remember(struct nodes *nodes, uint64_t instance)
{
    array_reserve(nodes->changed, nodes->changed_count, nodes->changed_cap);
    nodes->changed[nodes->changed_count++] = instance;
}

static void read_instance(struct engine *engine, struct news_text *news)
{
    uint64_t id = take_number(news);
    int64_t created_ms = (int64_t)take_number(news);
    enum live_kind kind = take_char(news) == '1' ? LIVE_ENTITIES : LIVE_INSTANCES;
    if (news->bad) return;
    cache_drop(&engine->memory.cache, id);
    if (engine->memory.live.listening)
        live_note_instance(&engine->memory.live, news->ns, kind, created_ms, id);
    if (watchers_have(&engine->memory.watchers, id) || map_get(engine->nodes.runs, id))
        remember(&engine->nodes, id);
}

/* Values are read where they are, which asks for a place of its own. */
static str take_value(struct news_text *news, struct arena *arena)
{
    str bytes = take_bytes(news);
    if (news->bad || !bytes.n) return STR_NONE;
    news->bad |= !json_decode(bytes, arena);
    return arena_str(arena, bytes);
}

static bool take_task(struct news_text *news, struct arena *arena, struct task_row *ret_row)
{
    if (take_char(news) != '1') return false;
    *ret_row = (struct task_row){ .ns = news->ns, .instance = take_number(news) };
    ret_row->execution = (uint32_t)take_number(news);
    ret_row->created_ms = (int64_t)take_number(news);
    ret_row->node = take_bytes(news);
    ret_row->title = take_bytes(news);
    ret_row->details = take_value(news, arena);
    return true;
}

static void read_task(struct engine *engine, struct news_text *news)
{
    struct task_row before, now;
    str definition_id = take_bytes(news);
    struct arena *arena = &engine->turn.arena;
    bool was = take_task(news, arena, &before), is = take_task(news, arena, &now);
    if (news->bad || (!was && !is)) return;
    const struct task_row *row = is ? &now : &before;
    task_feed_publish_change(&engine->memory.task_feed, was ? &before : NULL, is ? &now : NULL,
                             definition_id);
    if (engine->memory.live.listening)
        live_note_id(
            &engine->memory.live, news->ns, LIVE_TASKS,
            (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution });
}

static void read_live(struct engine *engine, struct news_text *news)
{
    int kind = take_char(news) - 'A';
    str id = take_bytes(news);
    news->bad |= kind < 0 || kind >= LIVE_KIND_COUNT;
    if (!news->bad) live_note_remote(&engine->memory.live, (enum live_kind)kind, id);
}

static void read_text(struct engine *engine, str text)
{
    struct news_text news = { text, false, TENANT_DEFAULT };
    while (news.left.n && !news.bad) {
        char letter = take_char(&news);
        if (letter == 'n') news.ns = (int32_t)take_number(&news);
        else if (letter == 'i') read_instance(engine, &news);
        else if (letter == 't') read_task(engine, &news);
        else if (letter == 'l') read_live(engine, &news);
        else news.bad = true;
    }
}

void news_look_again(struct engine *engine, uint64_t instance) { remember(&engine->nodes, instance); }

void news_read_all(struct engine *engine)
{
    size_t cursor = 0;
    for (uint64_t id; (id = watchers_next(&engine->memory.watchers, &cursor)) != 0;)
        remember(&engine->nodes, id);
    cursor = 0;
    for (uint64_t id; map_next_entry(engine->nodes.runs, &cursor, &id);) remember(&engine->nodes, id);
    for (int kind = 0; kind < LIVE_KIND_COUNT; kind++)
        live_note_remote(&engine->memory.live, (enum live_kind)kind, STR_NONE);
    cache_clear(&engine->memory.cache);
}

void news_read(struct engine *engine)
{
    must(!engine->turn.in_transaction && !engine->turn.all_loaded);
    struct error err;
    str *text;
    size_t count;
    bool lost;
    int64_t now_us = clock_monotonic_us(), before_us = engine->nodes.news_us;
    if (store_news_read(engine->store, &engine->turn.arena, &text, &count, &lost, &err) != ST_OK) return;
    if (before_us) metric_observe(&engine->metrics->news_age, now_us - before_us);
    engine->nodes.news_us = now_us;
    for (size_t i = 0; i < count; i++) read_text(engine, text[i]);
    if (lost) news_read_all(engine);
    arena_reset(&engine->turn.arena);
}
