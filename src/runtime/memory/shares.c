/* runtime/memory/shares.c — one queue of calls per definition; tenants take turns, and so do queues of one
 * priority. */
#include "runtime/memory/shares.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct share {
    struct share_place place;
    struct call_list calls; /* Never empty. */
    struct share_tenant *tenant;
    struct share *next;
};

/* The shares of one tenant that have calls. */
struct share_tenant {
    int32_t ns;
    size_t call_count;
    int64_t deficit;
    struct share_level {
        struct share *first, *last; /* In the order in which they are served. */
    } level[PRIORITY_COUNT];        /* By priority. */
    struct share_tenant *next;
};

void shares_init(struct shares *shares)
{
    *shares = (struct shares){ 0 };
    map_init(&shares->by_key);
    map_init(&shares->of_tenant);
}

static void drop_first(struct shares *shares)
{
    struct share_tenant *tenant = shares->first;
    must(!tenant->call_count);
    list_drop_first(shares, next);
    map_take(&shares->of_tenant, (uint64_t)(uint32_t)tenant->ns);
    free(tenant);
}

void shares_done(struct shares *shares)
{
    must(!shares->by_key.count);
    must(!shares->call_count);
    while (shares->first) drop_first(shares);
    map_done(&shares->by_key);
    map_done(&shares->of_tenant);
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

static struct share_tenant *tenant_of(struct shares *shares, int32_t ns)
{
    struct share_tenant *tenant = map_get(&shares->of_tenant, (uint64_t)(uint32_t)ns);
    if (tenant) return tenant;
    tenant = calloc(1, sizeof *tenant);
    must(tenant);
    tenant->ns = ns;
    map_put(&shares->of_tenant, (uint64_t)(uint32_t)ns, tenant);
    list_append(shares, tenant, next);
    return tenant;
}

static struct share_level *level_of(const struct share *share)
{
    int32_t priority = share->place.priority;
    return &share->tenant->level[priority < 0                ? 0
                                 : priority < PRIORITY_COUNT ? priority
                                                             : PRIORITY_COUNT - 1];
}

void shares_add(struct shares *shares, struct share_place place, struct call *call)
{
    struct share *share = map_get(&shares->by_key, place.key);
    if (!share) {
        share = calloc(1, sizeof *share);
        must(share);
        share->place = place;
        share->tenant = tenant_of(shares, call->ns);
        map_put(&shares->by_key, place.key, share);
        list_append(level_of(share), share, next);
    }
    call_list_add(&share->calls, call);
    share->tenant->call_count++;
    shares->call_count++;
}

static void rotate(struct shares *shares)
{
    struct share_tenant *tenant = shares->first;
    if (!tenant->next) return;
    list_drop_first(shares, next);
    list_append(shares, tenant, next);
}

/* As in fair.c. */
static struct share_tenant *choose_tenant(struct shares *shares)
{
    for (;;) {
        struct share_tenant *tenant = shares->first;
        if (!tenant->call_count) {
            drop_first(shares);
        } else if (tenant->deficit <= 0) {
            tenant->deficit = tenant->next ? tenant->deficit + SHARE_QUANTUM : SHARE_QUANTUM;
            rotate(shares);
        } else {
            return tenant;
        }
    }
}

struct call *shares_take(struct shares *shares)
{
    if (!shares->call_count) return NULL;
    struct share_tenant *tenant = choose_tenant(shares);
    size_t highest = PRIORITY_COUNT - 1;
    while (!tenant->level[highest].first) highest--;
    struct share_level *level = &tenant->level[highest];
    struct share *share = level->first;
    list_drop_first(level, next);
    struct call *call = call_list_take(&share->calls);
    must(call && shares->call_count > share->calls.count);
    shares->call_count--;
    tenant->call_count--;
    if (share->calls.first) {
        list_append(level, share, next);
        return call;
    }
    map_take(&shares->by_key, share->place.key);
    free(share);
    return call;
}

void shares_charge(struct shares *shares, int64_t cost)
{
    must(shares->first);
    shares->first->deficit -= cost;
}
