/* runtime/limits.h — the limits of this folder that no configuration changes. */
#ifndef RUNTIME_LIMITS_H
#define RUNTIME_LIMITS_H

#include "base/limits.h"

enum {
    /* Work of one turn. The rest goes on in the next turn. */
    TIMER_SCAN_PAGES_MAX = 8, /* Pages of late timers that one turn looks at, if none of them is new. */
    SILENT_LOOKS_MAX = 12, /* Looks at a node that sends no heartbeat, even if we stood still between them. */
    RETURN_LOOKS_MAX = 20, /* The same if the database goes away again and again. */
    TIMERS_PER_TURN_MAX = 512,
    TURNS_AGAIN_MAX = 8,       /* Tries of a call that other nodes get in the way of. */
    TURN_AGAIN_MS_MAX = 10000, /* … and for how long a turn tries. */
    TURN_SLOW_MS = 500,        /* The log tells of a turn that took longer. */
    SAID_BYTES_MAX = 300,      /* A longer name or reason is cut in the log. */
    CHILDREN_SETTLED_PER_TURN_MAX = 256,
    CHILDREN_PUT_OFF_PER_TURN_MAX = 128,
    CHILDREN_RIPE_PER_TURN_MAX = 64,
    CHAIN_IN_TURN_MAX = 8,      /* Instances that one chain starts in a transaction; it may go on for ever. */
    TEST_STARTS_MAX = 100,      /* Instances that one test starts in a day, itself and through others. */
    PENDING_PER_TURN_MAX = 200, /* Also how many that cannot start are looked at before a pause. */
    ROUTING_ROWS_READ_MAX = 64, /* Rows of events on their way, of all nodes, in one read. */
    SLOTS_PER_TURN_MAX = 2000,  /* Schedules that fire; the turn's budget usually ends it before. */
    MISSED_COUNTED_MAX = 10000, /* Dropped slots that the log of arrivals counts. */
    PURGED_PER_TURN_MAX = 200,
    PURGED_HISTORY_MAX = 5000, /* Rows of history that go with them; an instance with more goes alone. */
    PURGED_WHEN_FULL_MAX = 10, /* A purge goes through the log, for which a full disk has little room. */
    PURGED_HISTORY_WHEN_FULL_MAX = 250,
    BULKS_RUNNING_ALL_MAX = 64, /* Bulks of all tenants that go on at the same time. */
    BULK_SLICE_MAX = 256,       /* Also the results in one stored part; bulk_turn_max is not larger. */
    BULK_BLAMES = 8,            /* Bulks of which is known who makes them fail. */
    BULK_FAILURES_MAX = 3,      /* An instance that makes a transaction fail this often is skipped. */

    /* Memory and reads of one query. */
    WATCHED_BYTES_MAX = 1 << 20,  /* History in one round of watching. */
    HISTORY_BYTES_MAX = 64 << 20, /* History of one instance; reading it takes a fraction of a second. */
    APPLY_CALLS_MAX = 4,          /* Requests with several documents that are compiled at the same time. */
    DELETION_LOOKED_AT_ONCE = 16, /* Definitions that are searched for the id of one that is deleted. */
    DELETION_RUNS_COUNTED_MAX = 1000, /* Ended runs that the refusal of a deletion counts. */
    APPLY_VERSIONS_MAX = 50,          /* Versions whose living runs a dry run counts one by one. */
    LINKED_DEFINITIONS_MAX = 16,      /* Definitions that an uploaded one starts and that are looked up. */
    JOB_INSTANCES_SCANNED_MAX = 1000,
    JOB_BYTES_SCANNED_MAX = 32 << 20, /* Stored instances read for one page of jobs. */
    FACTS_MAX = 20000,                /* Versions whose facts are remembered; with more, all are forgotten. */
    FACTS_TAGS_MAX = 20,
    FACTS_TAG_BYTES_MAX = 100,
    FACTS_USES_MAX = 20,               /* Secrets that a version names, in facts about it. */
    CONNECTION_USES_MAX = 20,          /* Places of one secret in the list of connections, */
    CONNECTIONS_NAMED_MAX = 1000,      /* names that documents bring into it, */
    CONNECTIONS_LOOKED_AT_MAX = 20000, /* and definitions that it looks at. */
    SUMMARIES_AT_ONCE = 16,            /* Definitions of a list, before other queries have their turn. */
    SUMMARIES_LOOKED_AT_MAX = 2000,    /* For one page; a page may be short and have a next one. */
    TABLE_COLUMNS_LISTED_MAX = 8,      /* For each side of a decision table in a list. */
    SUMMARY_FAILURES_MAX = 5,          /* Instances among which the latest failure is looked for. */
    SUMMARY_VERSIONS_MAX = 50,
    COMPARE_FIELDS_MAX = 50,      /* For one node of two versions. */
    COMPARE_LINES_MAX = 5000,     /* For each version. */
    COMPARE_LINE_BYTES_MAX = 500, /* Longer lines are cut. */
    COMPARE_CELLS_MAX =
        4000000,        /* Lines of one times lines of the other, without what both begin and end with. */
    TALLY_BUCKETS = 64, /* For the hash table of a turn's tallies. */
    TALLIES_READ_MAX = 1000, /* For a list, before other queries have their turn. */
    REMOVED_PER_TURN_MAX = 256,
    REMOVAL_JOINED_MAX = 1000, /* Entities that one removal in the transaction of a processor looks at. */
    REMOVAL_IDS_MAX = 10000,   /* Entities that were deleted and are named in the answer. */
    REMOVAL_ERRORS_MAX = 1000, /* Entities that could not be deleted and are named in the answer. */
    MARK_ID_BYTES = 8,         /* For the instance, at the end of a mark's key. */
    AUDIT_CHANGES_BYTES_MAX = 4 << 20, /* A page of audit events ends when its changes have so many bytes. */
    AUDIT_SCANNED_MAX = 20000,         /* Histories that are looked at for one page of events. */
    RECIPIENTS_MAX = 100,              /* People whom one e-mail about a task goes to. */
    RECIPIENT_USERS_MAX = 10000,       /* Users among whom members of groups are looked for. */
    HISTORIES_READ_MAX = 64,           /* For an entity, likewise. */
    ENTITIES_READ_MAX = 256,           /* For a list, before other queries have their turn. */
    ENTITIES_READ_BYTES_MAX = 1 << 20,
    ENTITIES_SKIPPED_MAX = 20000,    /* Likewise, of those before the page: some 2 ms. */
    RUNS_LOOKED_MAX = 2000,          /* Instances that are looked at for one page of runs … */
    RUNS_LOOKED_BYTES = 16 << 20,    /* … and bytes of their states … */
    RUNS_PART_MAX = 100,             /* … of them before other queries have their turn. */
    RUNS_GROUPED_MAX = 10000,        /* Instances that are looked at for one answer with groups … */
    RUNS_GROUPED_BYTES = 64 << 20,   /* … and bytes of their states … */
    RUN_GROUPS_MAX = 200,            /* … and groups that it tells. */
    RUN_VISITS_COUNTED_MAX = 64,     /* Commands of a run whose visits a list counts … */
    RUN_VISITS_BYTES_MAX = 64 << 10, /* … and bytes of its history. */
    RUN_REASON_BYTES_MAX = 4 << 10,  /* For a reason that a list shows. */
    RUN_NODES_MAX = 5,               /* Nodes where a run stands that a list shows. */
    TOKENS_TOLD_MAX = 200,           /* Tokens of a run that are explained. */
    RUN_CHANGES_MAX = 500,           /* Changes that are told of one visit. */
    WARNED_LOOKED_MAX = 1000,        /* Definitions that are looked at for the overview … */
    WARNED_COMPILED_MAX = 4,         /* … and compiled for one answer, if it is not known what is wrong. */
    LATE_TASKS_COUNTED_MAX = 1000,   /* Tasks that are late, for the overview. */
    BULK_GROUPS_KEPT_MAX = 1000,
    REASONS_OF_DEFINITION_MAX = 20000, /* Failures of a version, the newest, that reasons are told of … */
    REASONS_LOOKED_MAX = 100000,       /* … and of all of them. */
    BULK_PARTS_MAX = 4096,
    BULK_QUOTED_BYTES_MAX = 256,

    /* Events on a long way. */
    EVENT_LISTED_MAX = 100, /* Instances that an answer names. */
    EVENT_AWAITED_MAX = 10, /* Instances of an event whose end an answer waits for. */

    /* Arrivals. */
    TRIGGER_ROUTES_FOUND_MAX = 10000,    /* Addresses whose triggers are in memory. */
    TRIGGER_ROUTES_COUNTED_MAX = 100000, /* Triggers whose arrivals are counted one by one. */
    ARRIVALS_SCANNED_MAX = 20000,        /* Records that are looked at for one page of a list. */
    ADMITTED_PER_TURN_MAX =
        1000,                /* Arrivals that leave their queues; the turn's budget usually ends it before. */
    HELD_PER_TURN_MAX = 256, /* Instances that begin in one turn, after a pause. */
    TRANSIENTS_PER_TURN_MAX = 256, /* Instances that end in one turn, because the engine was restarted. */
    EXPIRED_PER_TURN_MAX = 200,
    ARRIVALS_QUEUED_MAX = 10000,     /* Arrivals of one definition that wait for a place. */
    OVERFLOW_QUEUES_READ_MAX = 1000, /* Records of queues of arrivals, read at a time. */
    OVERFLOW_MS_MAX = 24 * 3600000,  /* An arrival waits no longer for a place. */
    KEPT_PER_KEY_MAX = 100,          /* Events, and arrivals, that wait for an instance with one key … */
    KEPT_PER_DEFINITION_MAX = 10000, /* … and for instances of one definition … */
    KEPT_BYTES_PER_DEFINITION_MAX = 64 << 20, /* … and their bytes. */
    KEPT_DEFINITIONS_MAX = 100,               /* Definitions for which one event is kept. */
    KEPT_LISTED_MAX = 100,                    /* Events that wait, in the list of unmatched events. */
    KEPT_PER_TURN_MAX = 500,                  /* Kept ones that are delivered or expire. */
    LOCK_NAMES_PER_TURN_MAX = 256,            /* Locks that are looked at. */
    LOCK_GRANTS_PER_TURN_MAX = 64,            /* Grants of one name. */
    LOCK_SEATS_MAX = 100,                     /* Holders, and waiters, of one lock that a list shows … */
    LOCK_HOLDERS_SAID_MAX = 3,                /* … and holders that the reason of a wait names. */
    CIRCLE_LOCKS_MAX = 64,                    /* Locks that one search for a circle of waits looks at, … */
    CIRCLE_RUNS_MAX = 64,                     /* … runs that it reads, … */
    CIRCLE_HOLDERS_MAX = 16,                  /* … and holders of one lock: one with more counts as free. */
    CIRCLE_RUNS_SAID_MAX = 8,                 /* Runs read for the reason of a wait, beside all other work. */
    CIRCLE_RUNS_PAGE_MAX = 512,               /* Runs read for one page of the list of locks. */
    WORKLIST_SCANNED_MAX = 1000, /* Tasks that are looked at for one page of a list that has no index. */
    AUDIT_SECRETS_MAX = 20,      /* Names of secrets in one row of the audit. */
    SEEN_INSTANCES_PART = 200,   /* Instances that are read at a time for a caller who may see some only. */
    SEEN_INSTANCES_COUNTED_MAX = 20000, /* Instances that are looked at for their total. */
    SEEN_DEFINITIONS_PART = 200,        /* The same for definitions. */
    SEEN_DEFINITIONS_MAX = 20000,
    TASKS_COUNTED_MAX = 20000, /* Tasks that are looked at for the total of somebody who sees some only. */
    TASK_NOTES_MAX = 1000,     /* Told of one task; the first ones. */

    /* News of people's tasks. */
    TASK_FEED_BYTES_MAX = 16 << 20,        /* Kept in memory. */
    TASK_FEED_ROUND_BYTES_MAX = 256 << 10, /* In one answer. */
    TASK_FEED_LISTENERS_MAX = 64,          /* People and groups whom one piece of news concerns. */
    TASK_FEED_GROUPS_MAX = 64,             /* Groups that one client watches. */

    /* Changes, for pages that show them. */
    LIVE_IDS_MAX = 50,    /* For one kind, in one round. */
    LIVE_TOLD_MAX = 64,   /* Changes of one turn that other nodes hear of by their ids. */
    LIVE_BITS = 1 << 16,  /* A power of two. */
    LIVE_GATHER_MS = 200, /* From one round to the next. */

    PAYLOAD_SCHEMAS_MAX = 32,     /* Schemas of Protobuf payloads that are kept compiled. */
    PAYLOAD_SCHEMA_AGE_MS = 1000, /* After which the vault is asked again. */

    /* Instances that are kept in memory only. */
    TRANSIENTS_LIVING_MAX = 50000,    /* Have not ended. */
    TRANSIENTS_BYTES_MAX = 256 << 20, /* States of all. */

    /* Changes that wait for work outside. */
    UNITS_MAX = 10000,
    UNITS_BYTES_MAX = 256 << 20,
    UNIT_STEPS_MAX = 5000, /* In one unit: entities that were written before, and writes of a turn. */
    NODES_GRACE_MS =
        30 * 1000, /* After the engine's start: timers wait for calculation nodes that join again. */
    NODES_RETRY_MS = 500,

    MODELS_CACHED_BYTES_MAX = 32 << 20, /* Decoded models that writes have used lately. */

    /* Indexes of models. */
    INDEX_FIELDS_MAX = 16,            /* For one model; as many may be on their way out. */
    INDEX_NUMBER_MAX = (1 << 24) - 1, /* Three bytes of a key. */
    INDEX_PATH_BYTES_MAX = 256,       /* Also of the id of a unique key. */
    INDEX_VALUE_BYTES_MAX = 128,      /* For a value in a key: longer ones are cut. */
    INDEX_VALUES_MAX = 100,           /* Different values of one entity in one field. */
    INDEX_LOOKED_MAX = 1000,          /* All its values there. */
    INDEX_CACHE_MAX = 1000,           /* Models whose indexes are in memory. */
    INDEX_SLICE_MAX = 256,            /* Entities, or rows, that building an index takes in a turn. */
    INDEX_MODELS_PER_TURN_MAX = 8,    /* Models that are looked at for indexes to build. */
    UNIQUE_KEYS_MAX = 8,              /* For one model. */
    UNIQUE_FIELDS_MAX = 8,            /* For one key. */
    UNIQUE_BYTES_MAX = 1024,          /* For the values of one key. */

    /* Searches of entities. */
    SEARCH_LOOKED_MAX = 100000,       /* Entities that a direct search looks at. */
    SEARCH_PAST_LOOKED_MAX = 20000,   /* The same at a time that is past. */
    SEARCH_PAGE_MAX = 10000,          /* Keys that are read at once. */
    SEARCH_SLICE_MAX = 200,           /* Entities that are looked at before others have their turn… */
    SEARCH_SLICE_BYTES_MAX = 4 << 20, /* … and their bytes… */
    SEARCH_SLICE_FUEL_MAX = 250000,   /* … and operations of the condition: what a slice of a turn has. */
    SEARCH_RANGES_MAX = 1000,         /* Ranges of keys in one plan. */
    SEARCH_ESTIMATE_MAX = 256,        /* Rows that are counted to compare two ways… */
    SEARCH_ESTIMATES_MAX = 16,        /* … and ways that are compared. */
    SEARCH_FUEL_MAX = 1000000,        /* Operations of the condition on one entity. */
    SEARCH_LEAF_LOOKED_MAX = 20000,   /* Entities that are looked at for one page of what is found. */
    SEARCH_LEAF_MAX = 200,            /* Entities on such a page… */
    SEARCH_LEAF_DEFAULT = 50,         /* … if it is not said how many. */
    SEARCH_LEAF_BYTES_MAX = 4 << 20,  /* With more bytes than that it ends. */
    SEARCH_SORT_KEYS_MAX = 16,
    SEARCH_JOINED_MAX = 1000, /* Entities that a transaction has changed, for a search that joins it. */
    SEARCH_HITS_MAX = 10000,  /* For a direct search. */
    SEARCH_HITS_DEFAULT = 1000,
    GROUPS_MAX = 10000,              /* In one answer about groups of entities; also its largest limit. */
    GROUPS_BY_MAX = 16,              /* Fields by which they are made… */
    GROUPS_AGGREGATIONS_MAX = 16,    /* … and sums and the like of each. */
    GROUPS_CALLS_MAX = 8,            /* Grouped counts that are under way: each looks at all entities. */
    GROUPS_BUCKETS = 4096,           /* For the hash table of groups. */
    SEARCH_JOBS_MAX = 100,           /* Searches beside others that wait or run. */
    SEARCH_JOB_LOOKED_MAX = 1000000, /* Entities that one of them looks at through an index, … */
    SEARCH_JOB_HITS_MAX = 1000000,   /* … and that it finds. */
    SEARCH_JOB_TRIES_MAX = 10,       /* One each second, while the store fails at the same place. */
    SEARCH_CONDITION_DEPTH_MAX = JSON_DEPTH_MAX - 4, /* The condition is kept inside of another value. */
    SEARCH_CONDITION_BYTES_MAX = 128 << 10,          /* For its condition, as it is stored. */
    SEARCH_RECORD_HITS = 500,                        /* In one record. */
    TOUCHED_MAX = 256,                               /* Keys and sessions whose use waits to be written. */
    AUDIT_LOOKS_MAX = 50000,                         /* Rows of the audit that one page looks at. */
    AUDIT_HEAD_BLOCKS = 64,     /* Where a chain of the audit ends is written with so many blocks, … */
    AUDIT_HEADS_MS = 60000,     /* … and between turns after this time. */
    REMOVAL_FOLLOWED_MS = 3000, /* A removal waits so long for the audit files of other nodes. */
    SESSION_KEPT_MS = 7 * 24 * 3600000, /* A session of a browser, from its beginning on. */
    SEARCH_KEPT_MS = 3600000,           /* After it was asked for. */

    TIMER_WINDOW_ROWS_MAX = 10000, /* Timers in memory. */
    TIMER_WINDOW_TENANT_MIN = 64,  /* Timers of one tenant that are loaded, however many tenants there are. */
    SCHEDULES_PER_PAGE_MAX = 1000, /* Read at once. */
    ACTIVITY_TENANTS_MAX = 4096,   /* Tenants whose last hour is counted: 4 KiB each. */
    ACTIVITY_TYPES_MAX = 4096, /* Job types of them all whose last hour is remembered: as many, at least, … */
    ACTIVITY_WORKERS_MAX = 20,   /* … and workers of each. */
    ACTIVITY_FORGOTTEN_MAX = 64, /* For these types, in one minute. */
    JOB_TYPES_LISTED_MAX = 1000, /* Job types in one answer, and polls of one of them. */
    POLLS_COUNTED_MAX = 1000,
    LEASES_COUNTED_MAX = 10000,    /* Open jobs that are looked at for the leases of workers: some 0.5 ms. */
    METRIC_TYPES_MAX = 64,         /* Node types that /metrics counts one by one. */
    METRIC_TENANTS_MAX = 64,       /* The same for tenants, … */
    METRIC_DEFINITIONS_MAX = 1000, /* … for definitions, … */
    METRIC_DEFINITIONS_OF_TENANT_MAX = 200, /* … of which a tenant has so many, … */
    METRIC_JOB_TYPES_OF_TENANT_MAX = 200,   /* … and for the job types of a tenant … */
    METRIC_JOB_TYPES_MAX = 2000,            /* … and of all tenants; */
    METRIC_LANES_MAX = 20000,               /* queues beyond these are not looked at: some 1 ms. */
    LIVE_TENANTS_MAX = 1000,     /* Tenants whose changes are told apart in one round of live notes. */
    MEASURE_INSTANCES = 200,     /* Instances whose bytes are counted between two turns, … */
    MEASURE_INTERVAL_MS = 60000, /* … so long after the last count, … */
    MEASURE_REST = 50,           /* … or so many times as long as that took. */

    /* The network's thread. */
    LONE_SCORE_MAX = 16,
    DELIVER_US_MAX = 5000,          /* One round of handing out answers; then the sockets have a turn. */
    CLAIM_QUEUES_MAX = 256,         /* Queues of one claim of jobs, */
    CLAIM_JOBS_MAX = 64,            /* and jobs of one queue. */
    LEASES_TOLD_MAX = 4096,         /* Leases that a node tells the others of with one heartbeat. */
    EXPECTED_MAX = 256,             /* Workers that are expected back after a turn. */
    EXPECTED_WORKER_BYTES = 48,     /* A longer name is not expected. */
    RELEASE_MAX = 256,              /* Jobs that a node gives back at a time because nobody takes them. */
    MISSING_TOLD_MAX = 50,          /* Things that a document needs and does not have. */
    WORKER_SEEN_MS = 5 * 60 * 1000, /* A worker counts as there if it polled in this time. */
    OFFERED_COUNTED_MAX = 1000,     /* Jobs of a type that a page counts. */
    PREFETCH_MAX = 256,             /* Instances that a turn reads together. */
    /* Warnings of calculation nodes that a write is told. */
    ENTITY_WARNINGS_MAX = 16,
    ENTITY_WARNING_BYTES_MAX = 1024,
    CRITERION_REASON_BYTES_MAX = 800, /* The words before it fit into an error, too. */
};

#endif
