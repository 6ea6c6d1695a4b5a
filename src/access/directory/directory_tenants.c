/* access/directory/directory_tenants.c — tenants by name and by number. */
#include "access/directory/directory_int.h"

#include <stdlib.h>

/* Names stay where they are for good, because callers hold them. So entries of tenants that are gone stay. */
static struct directory_tenant *entry_of(struct directory *directory, str name)
{
    struct directory_tenant *entry = text_map_get(&directory->tenant_by_name, name);
    if (entry) return entry;
    entry = arena_make(&directory->arena, struct directory_tenant);
    entry->tenant.name = arena_str(&directory->arena, name);
    entry->is_gone = true;
    must(!text_map_put(&directory->tenant_by_name, entry->tenant.name, entry));
    return entry;
}

static void leave(struct directory *directory, struct directory_tenant *entry)
{
    if (entry->is_gone) return;
    map_take(&directory->tenant_by_number, (uint64_t)entry->tenant.number);
    if (entry->tenant.is_suspended) atomic_fetch_sub(&directory->suspended_count, 1);
    entry->is_gone = true;
}

static void keep(struct directory *directory, const struct tenant *tenant)
{
    must(tenant->number > TENANT_ANY && tenant->name.n);
    struct directory_tenant *entry = entry_of(directory, tenant->name), *other;
    str name = entry->tenant.name;
    leave(directory, entry);
    other = map_get(&directory->tenant_by_number, (uint64_t)tenant->number);
    if (other) leave(directory, other);
    entry->tenant = *tenant;
    entry->tenant.name = name;
    entry->is_gone = tenant->is_removing;
    if (entry->is_gone) return;
    map_put(&directory->tenant_by_number, (uint64_t)tenant->number, entry);
    if (tenant->is_suspended) atomic_fetch_add(&directory->suspended_count, 1);
}

void directory_keep_tenant(struct directory *directory, const struct tenant *tenant)
{
    directory_lock(directory);
    directory->tenants_told++;
    keep(directory, tenant);
    directory_unlock(directory);
}

uint64_t directory_tenants_told(struct directory *directory)
{
    directory_lock(directory);
    uint64_t told = directory->tenants_told;
    directory_unlock(directory);
    return told;
}

bool directory_keep_tenant_read(struct directory *directory, const struct tenant *tenant, uint64_t told)
{
    directory_lock(directory);
    bool is_current = told == directory->tenants_told;
    if (is_current) keep(directory, tenant);
    directory_unlock(directory);
    return is_current;
}

void directory_tenants_changed(struct directory *directory)
{
    directory_lock(directory);
    directory->tenants_told++;
    directory_unlock(directory);
}

void directory_tenants_await(struct directory *directory, str name)
{
    entry_of(directory, name)->is_awaited = true;
}

void directory_forget_tenant(struct directory *directory, str name)
{
    directory_lock(directory);
    directory->tenants_told++;
    struct directory_tenant *entry = text_map_get(&directory->tenant_by_name, name);
    if (entry) leave(directory, entry);
    directory_unlock(directory);
}

const struct tenant *directory_tenants_find(const struct directory *directory, str name)
{
    const struct directory_tenant *entry = text_map_get(&directory->tenant_by_name, name);
    return entry && !entry->is_gone ? &entry->tenant : NULL;
}

bool directory_tenant(struct directory *directory, str name, struct tenant *ret_tenant)
{
    directory_lock(directory);
    const struct tenant *tenant = directory_tenants_find(directory, name);
    if (tenant) *ret_tenant = *tenant;
    directory_unlock(directory);
    return tenant != NULL;
}

bool directory_tenant_by_number(struct directory *directory, int32_t number, struct tenant *ret_tenant)
{
    directory_lock(directory);
    const struct directory_tenant *entry = map_get(&directory->tenant_by_number, (uint64_t)number);
    if (entry) *ret_tenant = entry->tenant;
    directory_unlock(directory);
    return entry != NULL;
}

bool directory_is_suspended(struct directory *directory, int32_t number)
{
    struct tenant tenant;
    return atomic_load(&directory->suspended_count) &&
           directory_tenant_by_number(directory, number, &tenant) && tenant.is_suspended;
}

size_t directory_known_tenants(struct directory *directory, struct arena *arena, str **ret_name)
{
    size_t count = 0, cursor = 0;
    directory_lock(directory);
    *ret_name = arena_make_n(arena, str, directory->tenant_by_name.count);
    for (const struct directory_tenant *entry;
         (entry = text_map_next(&directory->tenant_by_name, &cursor)) != NULL;)
        if (!entry->is_gone || entry->is_awaited) (*ret_name)[count++] = entry->tenant.name;
    directory_unlock(directory);
    return count;
}

void directory_tenants_free(struct directory *directory)
{
    text_map_done(&directory->tenant_by_name);
    map_done(&directory->tenant_by_number);
}
