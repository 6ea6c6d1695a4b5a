/* access/directory/directory.c — a directory from its beginning to its end. Its other files are its parts. */
#include "access/directory/directory_int.h"

#include <stdlib.h>

struct directory *directory_new(const struct directory_config *config)
{
    struct directory *directory = calloc(1, sizeof *directory);
    must(directory);
    must(pthread_mutex_init(&directory->lock, NULL) == 0);
    arena_init(&directory->arena, 0);
    map_init(&directory->entry);
    directory->found.bytes_max = DIRECTORY_PRINCIPALS_MAX;
    directory->refused.bytes_max = DIRECTORY_REFUSED_MAX;
    text_map_init(&directory->tenant_by_name);
    map_init(&directory->tenant_by_number);
    text_map_init(&directory->names.map);
    text_map_init(&directory->addresses.map);
    directory->names.bytes_max = directory->addresses.bytes_max = DIRECTORY_TRIED_MAX;

    directory_keep_tenant(directory, &(struct tenant){ .name = STR("default"), .number = TENANT_DEFAULT });
    directory->asks_always = config->asks_always;
    directory->is_followed = config->is_followed;
    directory_peers_add(directory, config);
    directory_set_root(directory, config->root_secret);
    return directory;
}

void directory_free(struct directory *directory)
{
    if (!directory) return;
    directory_cache_free(directory);
    directory_peers_free(directory);
    directory_tenants_free(directory);
    directory_tries_free(directory);
    principal_unref(directory->root);
    arena_done(&directory->arena);
    must(pthread_mutex_destroy(&directory->lock) == 0);
    free(directory);
}
