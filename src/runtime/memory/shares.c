/* runtime/memory/shares.c — one queue of calls per definition; queues of one priority take turns. */
#include "runtime/memory/shares.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct share {
    struct share_place place;
    struct call_list calls; /* Never empty. */
    struct share *next;
};

void shares_init(struct shares *shares)
{
    *shares = (struct shares){ 0 };
    map_init(&shares->by_key);
}

void shares_done(struct shares *shares)
{
    must(!shares->by_key.count);
    must(!shares->call_count);
    map_done(&shares->by_key);
}

bool shares_hold(const struct shares *shares, uint64_t key)
{
    return shares->call_count && map_get(&shares->by_key, key);
}

size_t shares_count(const struct shares *shares, uint64_t key)
{
    const struct share *share = shares->call_count ? map_get(&shares->by_key, key) : NULL;
    return share ? share->calls.count : 0;
}

static struct share_level *level_of(struct shares *shares, const struct share *share)
{
    int32_t priority = share->place.priority;
    return &shares->level[priority < 0 ? 0 : priority < PRIORITY_COUNT ? priority : PRIORITY_COUNT - 1];
}

void shares_add(struct shares *shares, struct share_place place, struct call *call)
{
    struct share *share = map_get(&shares->by_key, place.key);
    if (!share) {
        share = calloc(1, sizeof *share);
        must(share);
        share->place = place;
        map_put(&shares->by_key, place.key, share);
        list_append(level_of(shares, share), share, next);
    }
    call_list_add(&share->calls, call);
    shares->call_count++;
}

struct call *shares_take(struct shares *shares)
{
    if (!shares->call_count) return NULL;
    size_t highest = PRIORITY_COUNT - 1;
    while (!shares->level[highest].first) highest--;
    struct share_level *level = &shares->level[highest];
    struct share *share = level->first;
    list_drop_first(level, next);
    struct call *call = call_list_take(&share->calls);
    must(call && shares->call_count > share->calls.count);
    shares->call_count--;
    if (share->calls.first) {
        list_append(level, share, next);
        return call;
    }
    map_take(&shares->by_key, share->place.key);
    free(share);
    return call;
}
