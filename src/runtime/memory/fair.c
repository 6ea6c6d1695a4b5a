/* runtime/memory/fair.c — calls of several tenants, which take turns by deficit. */
#include "runtime/memory/fair.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct fair_tenant {
    uint64_t key;
    struct call_list calls;
    int64_t deficit;
    bool was_served; /* It has had calls of this turn. */
    struct fair_tenant *next;
};

void fair_init(struct fair_calls *fair, int64_t quantum)
{
    *fair = (struct fair_calls){ .quantum = quantum };
    map_init(&fair->of_tenant);
}

static void drop_first(struct fair_calls *fair)
{
    struct fair_tenant *tenant = fair->first;
    must(!tenant->calls.first);
    list_drop_first(fair, next);
    map_take(&fair->of_tenant, tenant->key);
    if (fair->added == tenant) fair->added = NULL;
    free(tenant);
}

void fair_done(struct fair_calls *fair)
{
    must(!fair->count);
    while (fair->first) drop_first(fair);
    map_done(&fair->of_tenant);
}

/* The engine's own performers are one more tenant: they work for all. */
static uint64_t key_of(const struct call *call)
{
    return call->performs ? 0 : (uint64_t)(uint32_t)call->ns + 1;
}

void fair_add(struct fair_calls *fair, struct call *call)
{
    uint64_t key = key_of(call);
    struct fair_tenant *tenant = fair->added;
    if (!tenant || tenant->key != key) tenant = map_get(&fair->of_tenant, key);
    if (!tenant) {
        tenant = calloc(1, sizeof *tenant);
        must(tenant);
        tenant->key = key;
        map_put(&fair->of_tenant, key, tenant);
        list_append(fair, tenant, next);
    }
    fair->added = tenant;
    call_list_add(&tenant->calls, call);
    fair->count++;
}

void fair_append(struct fair_calls *fair, struct call_list *list)
{
    for (struct call *call; (call = call_list_take(list)) != NULL;) fair_add(fair, call);
}

static void rotate(struct fair_calls *fair)
{
    struct fair_tenant *tenant = fair->first;
    tenant->was_served = false;
    if (!tenant->next) return;
    list_drop_first(fair, next);
    list_append(fair, tenant, next);
}

struct call *fair_take(struct fair_calls *fair)
{
    for (struct fair_tenant *tenant; (tenant = fair->first) != NULL;) {
        if (!tenant->calls.first) {
            if (!tenant->next) return NULL; /* It stays: its next call is likely to come soon. */
            drop_first(fair);
        } else if (tenant->deficit <= 0) {
            /* One that is alone owes nobody anything. */
            tenant->deficit = tenant->next ? tenant->deficit + fair->quantum : fair->quantum;
            rotate(fair);
        } else {
            fair->count--;
            tenant->was_served = true;
            return call_list_take(&tenant->calls);
        }
    }
    return NULL;
}

void fair_charge(struct fair_calls *fair, int64_t cost)
{
    must(fair->first); /* Nothing was added behind it that could have taken its place. */
    fair->first->deficit -= cost;
}

void fair_empty(struct fair_calls *fair, struct call_list *list)
{
    if (fair->first && fair->first->was_served && fair->first->deficit <= 0) rotate(fair);
    while (fair->first) {
        if (fair->first->calls.first) {
            call_list_add(list, call_list_take(&fair->first->calls));
            fair->count--;
            rotate(fair);
        } else {
            drop_first(fair);
        }
    }
}
