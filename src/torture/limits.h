/* torture/limits.h — how much a run of `pawl torture` may take. */
#ifndef TORTURE_LIMITS_H
#define TORTURE_LIMITS_H

enum {
    TORTURE_FINDINGS_MAX = 50,          /* Findings whose text is kept; later ones are only counted. */
    TORTURE_LIVE_MAX = 200,             /* Live instances: more would only slow verification down. */
    TORTURE_STORE_INSTANCES_MAX = 3000, /* Instances of one store; then a new one is begun, to save disk. */
    TORTURE_CYCLE_MS_MAX = 20000,       /* A cycle without an acknowledgement is given up. */
    TORTURE_PROBES_MAX = 200,           /* Starts that look for the moment when the disk is full. */
    TORTURE_MEMBERS_MAX = 9,            /* Threads of the load. */
    ENTITY_BOOK_MAX = 500,              /* Entities of one store. */
    ENTITY_ITEMS_MAX = 7,               /* In one list of entities. */
    TORTURE_SYNCS_MAX = 200,            /* Syncs that are measured. */
    FRAIL_INODES_MAX = 256,             /* Files of the frail disk, deleted ones included. */
    FRAIL_NAME_BYTES_MAX = 1024,        /* A path, with its terminator. */
};

#endif
