/* runtime/memory/activity_tenants.c — places of tenants that are counted, and lists of their job types. */
#include "runtime/memory/activity.h"

#include "base/must.h"
#include "base/tenant.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

/* ---- types of a tenant ---- */

void activity_free_type(struct activity_type *type)
{
    for (size_t i = 0; i < type->worker_count; i++) free((void *)(uintptr_t)type->worker[i].name.p);
    free(type);
}

static void take_out(struct activity_type *type)
{
    struct activity_tenant *tenant = type->tenant;
    *(type->newer ? &type->newer->older : &tenant->newest) = type->older;
    *(type->older ? &type->older->newer : &tenant->oldest) = type->newer;
    tenant->type_count--;
}

void activity_put_type(struct activity_tenant *tenant, struct activity_type *type)
{
    if (type->tenant) take_out(type);
    type->tenant = tenant;
    type->newer = NULL;
    type->older = tenant->newest;
    *(tenant->newest ? &tenant->newest->newer : &tenant->oldest) = type;
    tenant->newest = type;
    tenant->type_count++;
}

void activity_forget_type(struct activity *activity, struct activity_type *type)
{
    take_out(type);
    text_map_take(&activity->types, type->type);
    activity_free_type(type);
}

/* ---- tenants ---- */

static struct activity_tenant *make_tenant(struct activity *activity, int32_t ns)
{
    struct activity_tenant *tenant = calloc(1, sizeof *tenant);
    must(tenant);
    tenant->ns = ns;
    tenant->minute = activity->minute;
    tenant->began = activity->whole < activity->minute ? activity->whole : activity->minute;
    map_put(&activity->tenants, (uint64_t)ns, tenant);
    return tenant;
}

static struct activity_tenant *find_unused_longest(const struct activity *activity)
{
    struct activity_tenant *found = NULL;
    size_t cursor = 0;
    for (struct activity_tenant *tenant; (tenant = map_next(&activity->tenants, &cursor)) != NULL;)
        if (tenant->ns != TENANT_DEFAULT && (!found || tenant->seen_ms < found->seen_ms)) found = tenant;
    return found;
}

/* Somebody has no place, or loses it: from the next minute on, who has none did nothing. */
static bool make_place(struct activity *activity, int64_t now_ms)
{
    if (activity->tenants.count < ACTIVITY_TENANTS_MAX) return true;
    activity->whole = activity->minute + 1;
    if (now_ms < activity->full_until_ms) return false;
    struct activity_tenant *tenant = find_unused_longest(activity);
    activity->full_until_ms = tenant->seen_ms + ACTIVITY_KEPT_MS;
    if (now_ms < activity->full_until_ms) return false;
    while (tenant->oldest) activity_forget_type(activity, tenant->oldest);
    must(!tenant->type_count);
    if (activity->last == tenant) activity->last = NULL;
    map_take(&activity->tenants, (uint64_t)tenant->ns);
    free(tenant);
    return true;
}

struct activity_tenant *activity_tenant_of(struct activity *activity, int32_t ns, int64_t now_ms)
{
    struct activity_tenant *tenant = activity->last;
    if (!tenant || tenant->ns != ns) tenant = map_get(&activity->tenants, (uint64_t)ns);
    if (!tenant && !make_place(activity, now_ms)) return NULL;
    if (!tenant) tenant = make_tenant(activity, ns);
    tenant->seen_ms = now_ms;
    return activity->last = tenant;
}
