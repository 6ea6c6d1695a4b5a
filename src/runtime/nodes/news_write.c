/* runtime/nodes/news_write.c — what nodes tell each other of the instances and tasks that they have changed.
 *
 * It only says where to look: for calls that wait for an instance here, for pages that are open here, and for
 * people who watch their worklist here. Each entry of the text is a letter and what belongs to it:
 *
 *     n   a tenant: what follows belongs to it, and not to the default one; without it, 1
 *     i   an instance: its id, its time, whether it is an entity
 *     l   something else that has changed: its kind (live.h), its qualified id; an empty one: some of them
 *     t   a person's task: the id of its definition, the row before (or none), the row now (or none)
 *
 * Numbers have eight bytes, texts their length before them.
 */
#include "runtime/nodes/nodes_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

/* ---- telling ---- */

static void put_number(struct buf *out, uint64_t number)
{
    for (int i = 0; i < 8; i++) buf_add_char(out, (char)(number >> (56 - 8 * i)));
}

static void put_bytes(struct buf *out, str bytes)
{
    put_number(out, bytes.n);
    buf_add_str(out, bytes);
}

static void put_task(struct buf *out, const struct task_row *row)
{
    buf_add_char(out, row ? '1' : '0');
    if (!row) return;
    put_number(out, row->instance);
    put_number(out, row->execution);
    put_number(out, (uint64_t)row->created_ms);
    put_bytes(out, row->node);
    put_bytes(out, row->title);
    put_bytes(out, row->details);
}

/* The text of the transaction that ends, and the tenant that it is about now. */
struct news {
    struct buf text;
    int32_t ns;
};

static void put_tenant(struct news *news, int32_t ns)
{
    if (news->ns == ns) return;
    buf_add_char(&news->text, 'n');
    put_number(&news->text, (uint64_t)ns);
    news->ns = ns;
}

static void tell_task(void *context, const struct task_row *before, const struct task_row *now,
                      str definition_id)
{
    struct news *news = context;
    struct buf *out = &news->text;
    put_tenant(news, now ? now->ns : before->ns);
    buf_add_char(out, 't');
    put_bytes(out, definition_id);
    put_task(out, before);
    put_task(out, now);
}

enum status news_write(struct turn *turn, struct error *err)
{
    must(turn->failed == ST_OK);
    struct news news = { .ns = TENANT_DEFAULT };
    struct buf *text = &news.text;
    struct live *live = &turn->engine->memory.live;
    if (!turn->first_changed && !live->told_count) return ST_OK;
    buf_init(text, &turn->arena);
    for (const struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed) {
        put_tenant(&news, loaded->definition->ns);
        buf_add_char(text, 'i');
        put_number(text, loaded->instance);
        put_number(text, (uint64_t)loaded->now->created_ms);
        buf_add_char(text, loaded->definition->program->rules->lists_state ? '1' : '0');
    }
    for (const struct effects *effects = turn->first_effects; effects; effects = effects->next)
        task_feed_each(effects, effects->definition, tell_task, &news);
    for (size_t i = 0; i < live->told_count; i++) {
        buf_add_char(text, 'l');
        buf_add_char(text, (char)('A' + live->told[i].kind));
        put_bytes(text, live->told[i].id);
    }
    live_forget_told(live);
    return store_news_write(turn->engine->store, buf_str(text), err);
}
