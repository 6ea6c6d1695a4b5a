/* core/migration.h — the words of the command MIGRATE (core.h): which version an instance goes on with, and
 * at which of its nodes. */
#ifndef CORE_MIGRATION_H
#define CORE_MIGRATION_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

/* A node of the version before, and the node of the new version at which its tokens go on. */
struct node_mapping {
    str from, to;
};

/* The step's program is the new version, and the instance is as the version before left it. Nodes that no
 * mapping names go on at the node of the same name. */
struct command_migrate {
    const struct program *from; /* The version before. */
    int64_t definition;         /* The store's number of the new version. */
    const struct node_mapping *mapping;
    size_t mapping_count;
    uint32_t if_revision; /* Only if the instance has this revision; 0: any. */
    str reason;           /* Kept in the history; empty: none. */
    bool retries;         /* A failed instance is retried in the same step. */
};

#endif
