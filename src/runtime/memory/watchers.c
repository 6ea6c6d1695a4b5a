/* runtime/memory/watchers.c — lists of waiting calls by instance, each call with its deadline. */
#include "runtime/memory/watchers.h"

#include "base/must.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

void watchers_init(struct watchers *watchers, struct deadlines *deadlines)
{
    *watchers = (struct watchers){ .deadlines = deadlines };
    map_init(&watchers->by_instance);
}

void watchers_done(struct watchers *watchers)
{
    must(watchers->by_instance.count == 0);
    map_done(&watchers->by_instance);
}

void watchers_add(struct watchers *watchers, uint64_t instance, struct call *call, int64_t until_ms)
{
    must(!call->next_ && instance);
    struct watcher *watcher = calloc(1, sizeof *watcher);
    must(watcher);
    watcher->call = call;
    watcher->instance = instance;
    watcher->after = map_put(&watchers->by_instance, instance, watcher);
    if (watcher->after) watcher->after->before = watcher;
    deadline_set_of_call(watchers->deadlines, &watcher->deadline, DEADLINE_WATCH, until_ms, call->serial_);
}

static struct call *take(struct watchers *watchers, struct watcher *watcher)
{
    if (watcher->after) watcher->after->before = watcher->before;
    if (watcher->before) watcher->before->after = watcher->after;
    else if (watcher->after) map_put(&watchers->by_instance, watcher->instance, watcher->after);
    else map_take(&watchers->by_instance, watcher->instance);
    struct call *call = watcher->call;
    deadline_clear_of_call(watchers->deadlines, &watcher->deadline, call->serial_);
    free(watcher);
    return call;
}

struct call *watchers_take(struct watchers *watchers, uint64_t instance, uint32_t revision, bool rests,
                           bool ended, int64_t *ret_until_ms)
{
    struct watcher *watcher = map_get(&watchers->by_instance, instance);
    for (; watcher; watcher = watcher->after)
        if (ended || (watcher->call->kind == CALL_WATCH && revision > watcher->call->as.watch.after) ||
            (watcher->call->kind == CALL_ARRIVE && rests)) {
            *ret_until_ms = watcher->deadline.at_ms;
            return take(watchers, watcher);
        }
    return NULL;
}

bool watchers_have(const struct watchers *watchers, uint64_t instance)
{
    return map_get(&watchers->by_instance, instance) != NULL;
}

uint64_t watchers_next(const struct watchers *watchers, size_t *cursor)
{
    const struct watcher *watcher = map_next(&watchers->by_instance, cursor);
    return watcher ? watcher->instance : 0;
}

struct call *watchers_take_late(struct watchers *watchers, struct deadline *deadline)
{
    must(deadline->kind == DEADLINE_WATCH);
    return take(watchers, (struct watcher *)(void *)((char *)deadline - offsetof(struct watcher, deadline)));
}

struct call *watchers_take_any(struct watchers *watchers)
{
    size_t cursor = 0;
    struct watcher *watcher = map_next(&watchers->by_instance, &cursor);
    return watcher ? take(watchers, watcher) : NULL;
}
