/* store/limits.h — the bounds of the store's own structures. Limits that users meet are in base/limits.h. */
#ifndef STORE_LIMITS_H
#define STORE_LIMITS_H

enum {
    /* Texts in one row of the memory store: a definition has the most. */
    ROW_TEXTS_MAX = 6,
    /* Counts that a transaction of the SQLite store gathers before it writes them. A batch rarely touches
     * more pairs of definition and phase. */
    TALLIES_MAX = 64,
    /* Bytes of the SQLite log that are written at once. SQLite's file layer for Unix writes less than 128 KiB
     * at once, and takes a write of none for a full disk. */
    GATHERED_BYTES_MAX = 124 << 10,
    HISTORY_WALKED_MAX = 10000, /* Rows of a history that one query walks back: some 20 ms. */
    NEXT_HISTORY_MAX = 32,      /* Histories of an instance that a node reads at once to follow the others. */
    NEWS_KEPT_MAX = 1000,       /* News of nodes that a memory store keeps for those that did not hear yet. */
    MIGRATION_WAIT_MS = 60000,  /* How long a node waits for others when the tables are to be made anew. */
    NODES_MAX = 64,             /* Nodes that a heartbeat tells of. */
    HEARD_BYTES_MAX = 1 << 20,  /* The news of others that a node takes at a time. */
    NODE_MESSAGE_BYTES_MAX = 64 << 20,  /* One node message from node to node. */
    NODE_MESSAGES_BYTES_MAX = 64 << 20, /* All that wait in a node's memory to be sent, or to be taken; */
    NODE_MESSAGES_MAX = 20000,          /* the last one may be larger than what is left. */
    NODE_MESSAGES_SENT_BYTES_MAX =
        8 << 20,                  /* The bytes that one statement sends or takes, if it is more than one
                                       * node message, */
    NODE_MESSAGES_SENT_MAX = 256, /* and how many. */
    CLAIMED_BYTES_MAX = 8 << 20,  /* States that come with jobs a node has claimed; one at least comes. */
    LOADED_BYTES_MAX = 8 << 20,   /* States of instances that are loaded together; one at least comes. */
    WORK_FILTERS_MAX = 16,        /* Kinds of records that one question about work names. */
    JOBS_FREED_MAX = 1000,        /* Jobs that one statement of PostgreSQL offers again. */
    WORKLIST_LISTS_MAX = 64,  /* Lists that one task is in; further people and groups do not find it there. */
    POSTGRES_PARAMS_MAX = 16, /* Parameters of one statement of PostgreSQL. */
    COPIED_TABLES_MAX = 32,   /* Tables that the report of a copy has room for. */
    COPY_PIECE_ROWS = 10000,  /* Rows of a copy that SQLite commits together, */
    COPY_PIECE_BYTES = 16 << 20, /* and their bytes. */
    COPY_SET_ROWS = 1000,        /* Rows that a copy sends to PostgreSQL, or looks up there, at once, */
    COPY_SET_BYTES = 1 << 20,    /* and their bytes; the last row may bring more. */
    RESERVED_IDS = 1 << 16,      /* Ids for transient instances that are reserved at once. */
    TRANSIENTS_ENDED_BYTES_MAX =
        64 << 20,                  /* With more bytes of all transient ones, none that ended is kept. */
    TRANSIENTS_ENDED_MAX = 5000,   /* Transient instances that are kept in memory after their end. */
    WORKLIST_LOOKED_AT_MAX = 2000, /* Tasks of a list that are looked at for one page. */
    TAIL_BLOCKS_MAX = 128,         /* Blocks of the audit that SQLite keeps without an index, */
    TAIL_ROWS_MAX = 16384,         /* and rows of the history among which they are. */
    BLOCK_KEY_BYTES_MAX = 32,      /* The key of such a block. */
};

#endif
