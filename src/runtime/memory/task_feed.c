/* runtime/memory/task_feed.c — keeps the newest changes of tasks, and answers the calls that they concern. */
#include "runtime/memory/task_feed.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/must.h"
#include "core/task.h"
#include "json/put.h"
#include "runtime/call/sight.h"
#include "runtime/limits.h"
#include "runtime/memory/catalogue.h"
#include "runtime/memory/memory_int.h"
#include "runtime/turn.h"

#include <stddef.h>
#include <stdlib.h>

enum { ITEM_BYTES = 1024 }; /* Enough for most. */

/* Somebody whom a piece of news concerns. */
struct listener {
    str name;
    bool group;
};

struct task_feed_item {
    uint64_t number;
    int32_t ns;
    uint64_t bits; /* One for each listener's name, by its hash: most who watch are told apart by them. */
    struct arena arena;
    struct listener *listener;
    size_t listener_count;
    str definition_id;
    str text; /* A JSON object. */
    struct task_feed_item *next;
};

struct task_feed_watcher {
    struct call *call;
    uint64_t looked; /* The number up to which there was nothing for the call. */
    struct deadline deadline;
    struct task_feed_watcher *before, *after;
};

void task_feed_init(struct task_feed *task_feed, struct deadlines *deadlines, int64_t now_ms)
{
    *task_feed = (struct task_feed){ .deadlines = deadlines, .epoch = (uint64_t)now_ms };
}

static void drop_first(struct task_feed *task_feed)
{
    struct task_feed_item *item = task_feed->first;
    task_feed->first = item->next;
    if (!task_feed->first) task_feed->newest = NULL;
    must(task_feed->bytes >= arena_bytes(&item->arena) + sizeof *item);
    task_feed->bytes -= arena_bytes(&item->arena) + sizeof *item;
    arena_done(&item->arena);
    free(item);
}

void task_feed_done(struct task_feed *task_feed)
{
    must(!task_feed->watcher);
    while (task_feed->first) drop_first(task_feed);
}

/* ---- telling ---- */

static uint64_t bit_of(str name) { return UINT64_C(1) << hash_bytes(name) % 64; }

static bool has_listener(const struct task_feed_item *item, str name, bool group)
{
    for (size_t i = 0; i < item->listener_count; i++)
        if (item->listener[i].group == group && str_equal(item->listener[i].name, name)) return true;
    return false;
}

static void add_listener(struct task_feed_item *item, str name, bool group)
{
    if (item->listener_count == TASK_FEED_LISTENERS_MAX || has_listener(item, name, group)) return;
    item->listener[item->listener_count++] = (struct listener){ arena_str(&item->arena, name), group };
    item->bits |= bit_of(name);
}

static void add_listeners(struct task_feed_item *item, const struct task_row *row)
{
    struct task_details task = task_read(row->details.n ? json_borrow(row->details) : NULL, row->created_ms);
    str name;
    if (task.assignee.n) add_listener(item, task.assignee, false);
    for (size_t cursor = 0; task_next_name(task.assignees, &cursor, &name);) add_listener(item, name, false);
    for (size_t cursor = 0; task_next_name(task.groups, &cursor, &name);) add_listener(item, name, true);
}

static void put_names(struct buf *out, str member, const struct json *names)
{
    size_t cursor = 0, count = 0;
    str name;
    if (!names) return;
    buf_add_str(out, member);
    for (; count < TASK_FEED_LISTENERS_MAX && task_next_name(names, &cursor, &name); count++) {
        if (count) buf_add_char(out, ',');
        put_text(out, name);
    }
    buf_add_char(out, ']');
}

static void put_task_feed(struct buf *out, const struct task_row *row, str definition_id, const char *what)
{
    const struct json *details = row->details.n ? json_borrow(row->details) : NULL;
    struct task_details task = task_read(details, row->created_ms);
    PUT(out, "{\"id\":");
    put_id(out, (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution });
    PUT(out, ",\"what\":");
    put_text(out, str_of(what));
    PUT(out, ",\"definitionId\":");
    put_text(out, definition_id);
    PUT(out, ",\"nodeId\":");
    put_text(out, row->node);
    PUT(out, ",\"title\":");
    put_text(out, row->title);
    if (task.assignee.n) {
        PUT(out, ",\"assignee\":");
        put_text(out, task.assignee);
    }
    put_names(out, STR(",\"assignees\":["), task.assignees);
    put_names(out, STR(",\"groups\":["), task.groups);
    if (task.due_ms) {
        PUT(out, ",\"due\":");
        put_time(out, task.due_ms);
    }
    PUT(out, ",\"priority\":");
    put_int(out, task.priority);
    buf_add_char(out, '}');
}

/* `before`: the task as it was, for those who do not have it any more; NULL: it was not open. */
void task_feed_publish_change(void *context, const struct task_row *before, const struct task_row *now,
                              str definition_id)
{
    must(before || now);
    struct task_feed *task_feed = context;
    if (!task_feed->watched) return;
    struct task_feed_item *item = calloc(1, sizeof *item);
    must(item);
    arena_init(&item->arena, 0);
    arena_reserve(&item->arena, ITEM_BYTES);
    item->listener = arena_make_n(&item->arena, struct listener, TASK_FEED_LISTENERS_MAX);
    if (before) add_listeners(item, before);
    if (now) add_listeners(item, now);
    struct buf text;
    buf_init(&text, &item->arena);
    put_task_feed(&text, now ? now : before, definition_id, !before ? "opened" : now ? "changed" : "closed");
    item->text = buf_str(&text);
    item->definition_id = arena_str(&item->arena, definition_id);
    item->ns = now ? now->ns : before->ns;
    must(item->ns > TENANT_ANY);
    item->number = ++task_feed->last;
    if (task_feed->newest) task_feed->newest->next = item;
    else task_feed->first = item;
    task_feed->newest = item;
    task_feed->bytes += arena_bytes(&item->arena) + sizeof *item;
    while (task_feed->bytes > TASK_FEED_BYTES_MAX && task_feed->first != item) drop_first(task_feed);
}

void task_feed_each(const struct effects *effects, const struct definition *definition,
                    task_feed_change_fn *see, void *context)
{
    size_t i = 0, k = 0;
    /* Both lists begin with tasks that are only in one of them; those in both are at the ends, in one order.
     */
    size_t changed = 0;
    while (changed < effects->task_opened_count && changed < effects->task_closed_count &&
           effects->task_opened[effects->task_opened_count - 1 - changed].execution ==
               effects->task_closed[effects->task_closed_count - 1 - changed].execution)
        changed++;
    for (; i < effects->task_closed_count - changed; i++)
        see(context, &effects->task_closed[i], NULL, definition->id);
    for (; k < effects->task_opened_count - changed; k++)
        see(context, NULL, &effects->task_opened[k], definition->id);
    for (; k < effects->task_opened_count; i++, k++)
        see(context, &effects->task_closed[i], &effects->task_opened[k], definition->id);
}

void task_feed_publish(struct task_feed *task_feed, const struct effects *effects,
                       const struct definition *definition)
{
    if (task_feed->watched) task_feed_each(effects, definition, task_feed_publish_change, task_feed);
}

/* ---- watching ---- */

static uint64_t bits_of(const struct call_watch_tasks *asked)
{
    uint64_t bits = asked->person.n ? bit_of(asked->person) : 0;
    for (size_t i = 0; i < asked->group_count; i++) bits |= bit_of(asked->group[i]);
    return bits;
}

static bool concerns(const struct task_feed_item *item, const struct call_watch_tasks *asked, uint64_t bits)
{
    if (!asked->person.n && !asked->group_count) return true; /* It names nobody and sees everything. */
    if (!(item->bits & bits)) return false;
    if (asked->person.n && has_listener(item, asked->person, false)) return true;
    for (size_t i = 0; i < asked->group_count; i++)
        if (has_listener(item, asked->group[i], true)) return true;
    return false;
}

/* A task that named the caller before the change is theirs to hear of, too. One without listeners names
 * nobody. */
static bool is_own(const struct task_feed_item *item, const struct caller *caller)
{
    if (!item->listener_count || has_listener(item, caller_person(caller), false)) return true;
    for (size_t i = 0; i < item->listener_count; i++)
        if (item->listener[i].group && caller_is_in(caller, item->listener[i].name)) return true;
    return false;
}

static bool is_seen(const struct task_feed_item *item, const struct sight *sight)
{
    if (sight->all) return true;
    enum task_sight tasks = sight_of_definition(sight, item->definition_id);
    return tasks == TASKS_ALL || (tasks == TASKS_OWN && is_own(item, sight->caller));
}

static void take_item(struct call *call, const struct task_feed_item *item)
{
    struct answer_task_feed *answer = &call->value.task_feed;
    array_reserve_in(call->arena, answer->item, answer->count, answer->cap);
    answer->item[answer->count++] =
        (struct task_feed_view){ item->number, arena_str(call->arena, item->text) };
}

/* Gathers the news behind a number. Returns the number up to which it looked. */
static uint64_t gather(const struct task_feed *task_feed, struct call *call, uint64_t after)
{
    const struct call_watch_tasks *asked = &call->as.watch_tasks;
    const struct sight sight = sight_of_tasks(call);
    uint64_t bits = bits_of(asked), looked = after;
    size_t bytes = 0;
    for (const struct task_feed_item *item = task_feed->first; item && bytes < TASK_FEED_ROUND_BYTES_MAX;
         item = item->next) {
        if (item->number <= after) continue;
        looked = item->number;
        if (item->ns != call->ns || !concerns(item, asked, bits) || !is_seen(item, &sight)) continue;
        take_item(call, item);
        bytes += item->text.n;
    }
    must(looked >= after && looked <= task_feed->last);
    return looked;
}

static void begin_answer(const struct task_feed *task_feed, struct call *call)
{
    call->status = ST_OK;
    call->value.task_feed = (struct answer_task_feed){ .epoch = task_feed->epoch, .last = task_feed->last };
}

bool task_feed_answer(struct task_feed *task_feed, struct call *call)
{
    const struct call_watch_tasks *asked = &call->as.watch_tasks;
    task_feed->watched = true;
    begin_answer(task_feed, call);
    if (!asked->epoch) return true; /* It begins now: the answer says with which number. */
    uint64_t oldest = task_feed->first ? task_feed->first->number : task_feed->last + 1;
    if (asked->epoch != task_feed->epoch || asked->after > task_feed->last || asked->after + 1 < oldest) {
        call->value.task_feed.is_reset = true;
        return true;
    }
    call->value.task_feed.last = gather(task_feed, call, asked->after);
    return call->value.task_feed.count > 0;
}

void task_feed_wait(struct task_feed *task_feed, struct call *call, int64_t until_ms)
{
    must(!call->next_ && task_feed->watched);
    struct task_feed_watcher *watcher = calloc(1, sizeof *watcher);
    must(watcher);
    watcher->call = call;
    watcher->looked = task_feed->last;
    watcher->after = task_feed->watcher;
    if (watcher->after) watcher->after->before = watcher;
    task_feed->watcher = watcher;
    deadline_set_of_call(task_feed->deadlines, &watcher->deadline, DEADLINE_TASK_FEED, until_ms,
                         call->serial_);
}

static struct call *take(struct task_feed *task_feed, struct task_feed_watcher *watcher)
{
    if (watcher->after) watcher->after->before = watcher->before;
    if (watcher->before) watcher->before->after = watcher->after;
    else task_feed->watcher = watcher->after;
    struct call *call = watcher->call;
    deadline_clear_of_call(task_feed->deadlines, &watcher->deadline, call->serial_);
    free(watcher);
    return call;
}

struct call *task_feed_take_told(struct task_feed *task_feed)
{
    for (struct task_feed_watcher *watcher = task_feed->watcher; watcher; watcher = watcher->after) {
        if (watcher->looked == task_feed->last) continue;
        begin_answer(task_feed, watcher->call);
        watcher->looked = watcher->call->value.task_feed.last =
            gather(task_feed, watcher->call, watcher->looked);
        if (watcher->call->value.task_feed.count) return take(task_feed, watcher);
    }
    return NULL;
}

struct call *task_feed_take_late(struct task_feed *task_feed, struct deadline *deadline)
{
    struct task_feed_watcher *watcher =
        (void *)((char *)deadline - offsetof(struct task_feed_watcher, deadline));
    begin_answer(task_feed, watcher->call);
    watcher->call->value.task_feed.last = watcher->looked;
    return take(task_feed, watcher);
}

struct call *task_feed_take_any(struct task_feed *task_feed)
{
    return task_feed->watcher ? task_feed_take_late(task_feed, &task_feed->watcher->deadline) : NULL;
}
