/* base/limits.h — every limit of the engine by name.
 *
 * LIMIT_MAP rows can be changed by configuration (`--limit NAME=VALUE`); the enum below
 * holds those that are part of a format and cannot. Bounds that only one folder needs are in
 * the limits.h of that folder.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define LIMIT_MAP(XX)                                                                             \
    /* name                  default      what                                                */   \
    XX(body_bytes_max,       4 << 20,     "largest request body")                                 \
    XX(entity_body_bytes_max, 10 << 20,   "largest body of a write of entities, if that is more") \
    XX(hook_body_bytes_max,  128 << 10,   "body for a webhook or a form, from anybody")           \
    XX(requests_bytes_max,   192 << 20,   "requests in memory, all together; more get 503")       \
    XX(strangers_bytes_max,  128 << 20,   "memory of clients that have not shown the secret, all together") \
    XX(answer_bytes_max,     8 << 20,     "one answer; a poll or page beyond it is cut short")    \
    XX(answers_bytes_max,    64 << 20,    "answers that clients have not read yet, all together") \
    XX(header_bytes_max,     16 << 10,    "request line and headers together")                    \
    XX(header_count_max,     64,          "header fields in a request")                           \
    XX(connections_max,      10000,       "open connections")                                     \
    XX(header_timeout_ms,    10000,       "time to send a request's head")                        \
    XX(body_timeout_ms,      30000,       "time to send a request's body")                        \
    XX(idle_timeout_ms,      120000,      "time a connection may stay silent between requests")   \
    XX(write_timeout_ms,     60000,       "time a client may take to read an answer")             \
    XX(pipeline_max,         64,          "requests in flight on one connection")                 \
    XX(streams_max,          256,         "requests in flight on one HTTP/2 connection")          \
    XX(message_bytes_max,    4 << 20,     "largest gRPC message of a client")                     \
    XX(member_keep_alive_ms, 10000,       "time between two keep-alives to a calculation node")   \
    XX(member_silence_ms,    30000,       "time a calculation node may be silent")                \
    XX(queue_calls_max,      5000,        "requests waiting for the engine; more get 429")        \
    XX(long_reads_max,       32,          "searches, or lists, or counts that take long, at once; more get 503") \
    XX(batch_calls_max,      512,         "requests in one transaction")                          \
    XX(variables_bytes_max,  1 << 20,     "an instance's variables as stored, 1.4 × their text")  \
    XX(turn_fuel_max,        2000000,     "operations of cheap commands in one turn of the engine")  \
    XX(turn_bytes_max,       48 << 20,    "memory of cheap commands in one turn of the engine")   \
    XX(share_calls_max,      1000,        "requests waiting for one expensive definition; more get 429") \
    XX(visits_max,           10000,       "node visits caused by one command")                    \
    XX(state_visits_max,     10,          "visits of one state of an entity in all that follows from one write") \
    XX(step_bytes_max,       64 << 20,    "memory one command may use")                           \
    XX(fuel_max,             100000,      "operations of one expression")                         \
    XX(command_fuel_max,     3000000,     "operations of all that one command does")              \
    XX(handled_errors_max,   10000,       "errors one instance may handle: some handle for ever") \
    XX(mailbox_events_max,   1000,        "events and signals one instance keeps that it has not used yet") \
    XX(mailbox_bytes_max,    16 << 20,    "bytes of these as stored")                             \
    XX(lock_waiters_max,     10000,       "steps that wait for one named lock or pool")           \
    XX(event_instances_max,  10000,       "instances one event may reach")                        \
    XX(family_depth_max,     100,         "instances that wait for each other, one inside the other") \
    XX(family_starts_max,    50000,       "instances one instance may start in a day, itself and through others") \
    XX(strict_paths,         0,           "1: a filter that selects nothing is an error")         \
    XX(wait_seconds_max,     60,          "longest long poll")                                    \
    XX(lease_seconds_max,    86400,       "longest job lease")                                    \
    XX(jobs_per_poll_max,    1000,        "jobs in one poll's answer")                            \
    XX(polls_bytes_max,      64 << 20,    "memory of long polls that wait; more get 429")         \
    XX(batch_items_max,      1000,        "items in one jobs/batch request")                      \
    XX(page_size_max,        200,         "items on one page of a list")                          \
    XX(cache_bytes_max,      64 << 20,    "instances kept in memory")                             \
    XX(programs_bytes_max,   256 << 20,   "compiled definitions kept in memory")                  \
    XX(bulk_instances_max,   1000000,     "instances one bulk may be for")                        \
    XX(bulk_turn_max,        64,          "instances of a bulk done in one transaction, at most 256") \
    XX(bulks_running_max,    8,           "bulks of a tenant at the same time; more get 429")      \
    XX(bulks_kept_max,       200,         "bulks that have ended and are kept with their results") \
    XX(arrivals_kept_max,    100000,      "records of arrivals that are kept")                     \
    XX(secrets_max,          1000,        "secrets kept in the store")                            \
    XX(idempotency_hours,    24,          "how long an Idempotency-Key or an event's id is remembered")
/* clang-format on */

struct limits {
#define XX(name, value, what) int64_t name;
    LIMIT_MAP(XX)
#undef XX
};

static inline struct limits limits_default(void)
{
    return (struct limits){
#define XX(name, value, what) .name = (value),
        LIMIT_MAP(XX)
#undef XX
    };
}

enum {
    JSON_DEPTH_MAX = 128,
    ARRIVAL_DEPTH_MAX = JSON_DEPTH_MAX - 8, /* For a payload, which is kept inside of other values. */
    JSON_MEMBERS_MAX = 1 << 20,             /* In one array or object. */
    JSON_NUMBER_BYTES_MAX = 512,            /* Digits of one number. */
    JSON_REPEATS_MAX = 64, /* Large values of one value that are compared, and those that are found equal. */
    DEFINITION_ID_BYTES_MAX = 256,
    DEFINITION_STEPS_MAX = 2000,
    DEFINITION_PROBLEMS_MAX = 100, /* Reported at once; the rest is counted. */
    NODE_NAME_BYTES_MAX = 256,
    TABLE_RULES_MAX = 5000,
    BOUNDARY_EVENTS_MAX = 100, /* On one step. */
    BUSINESS_KEY_BYTES_MAX = 256,
    EVENT_NAME_BYTES_MAX = 1024,    /* The id, the source and the type of an event, each. */
    EVENT_KEY_BYTES_MAX = 1024,     /* A correlation or deduplication value. Databases index such keys. */
    GROUPS_HEADER_BYTES_MAX = 8192, /* For X-Groups: the groups that a person is in. */
    WORKER_ID_BYTES_MAX = 256,
    JOB_TYPE_BYTES_MAX = 256,
    JOB_TYPES_PER_POLL_MAX = 200,
    LEASE_MS_DEFAULT = 30000, /* `--lease` changes it. */
    IDEMPOTENCY_KEY_BYTES_MAX = 255,
    EARLY_MS_DEFAULT = 3600 * 1000,  /* So long an event is kept whose key no instance has yet … */
    EARLY_MS_MAX = 24 * 3600 * 1000, /* … and no longer, whatever `timeToLive` says. */
    SECRET_NAME_BYTES_MAX = 128,
    SECRET_VALUE_BYTES_MAX = 16 << 10,
    BULK_REQUEST_BYTES_MAX = 256 << 10, /* A bulk's request as stored: each turn of the bulk reads it. */
    BULK_IDS_MAX = 1000,                /* Named in one bulk's filter. */
    BULKS_PAGE_MAX = 50,                /* On one page of a list: each may have a large filter. */
    BULK_GROUPS_MAX = 100,              /* Shown of those that share a reason. */
    FAILURE_REASON_BYTES_MAX = 4096,    /* Longer texts from workers are cut. */
    REVISION_BYTES_MAX = 200,           /* Where a version comes from, as its publisher says. */
    DELETION_NEEDERS_MAX = 5,           /* Definitions that a refused deletion names. */
    APPLY_ITEMS_MAX = 500,              /* Documents and definitions to retire in one request … */
    APPLY_TRIGGERS_MAX = 2000,          /* … and triggers. */
    APPLY_CHANGES_MAX = 100,            /* Differences of one document that a dry run tells, … */
    APPLY_CHANGES_BYTES_MAX = 1 << 20,  /* … and bytes of those of all documents. */
    TITLE_BYTES_MAX = 1024,             /* A label in a list; the document has all of it. */
    EXPRESSION_BYTES_MAX = 4096,
    EXPRESSION_DEPTH_MAX = 64,
    EXPRESSION_RANGE_MAX = 10000,          /* Items of `a..b`. */
    EXPRESSION_VALUE_BYTES_MAX = 64 << 20, /* One value made by an expression. */
    REGEX_STEPS_MAX = 100000,              /* In one match. */
    REGEX_KIB_MAX = 1024,                  /* Memory for backtracking, of one evaluation. */
    PATH_BYTES_MAX = 4096,
    PATH_SEGMENTS_MAX = 256,  /* In one query of a path. */
    PATH_SELECTORS_MAX = 256, /* In one segment. */
    PATH_DEPTH_MAX = 32,      /* Filters, parentheses and calls inside each other. */
    PATH_STACK_MAX = 1024,    /* Steps into a document and into filters, at one time. */
    YAML_BYTES_MAX = 64 << 20,
    YAML_NODES_MAX = 1000000,       /* Written in one document. */
    YAML_COPIED_NODES_MAX = 100000, /* Copied by aliases, all together. */
    YAML_COPIED_BYTES_MAX = 4 << 20,
    YAML_TAGS_MAX = 64, /* %TAG directives. */
    RETRY_COUNT_MAX = 1000,
    TOKENS_MAX = 10000,       /* In one instance. */
    RETRY_RULES_MAX = 32,     /* On one action. */
    ROUTINGS_MAX = 64,        /* Events on their way to very many instances, at one time. */
    ATTEMPTS_SHOWN_MAX = 20,  /* The latest of one visit; the rest is counted. */
    TOKENS_SHOWN_MAX = 100,   /* Before and after a modification, the latest. */
    CHILDREN_SHOWN_MAX = 100, /* The latest that one instance started; the rest is counted. */
    MODIFICATIONS_MAX = 100,  /* Tokens moved, added and cancelled by one command; also names it unsets. */
    NODE_MAPPINGS_MAX = 200,  /* Nodes that a migration maps to others. */
};

/* Bounds of base's own types. */
#define CLOCK_MS_MAX INT64_C(253402300799999)     /* The last millisecond of the year 9999. */
#define DURATION_MS_MAX (INT64_MAX / 4)           /* Leaves room to add a duration to any time. */
#define ID_INSTANCE_MAX ((UINT64_C(1) << 44) - 1) /* 44 bits of an id. */
#define ID_NUMBER_MAX ((UINT32_C(1) << 28) - 1)   /* 28 bits of an id. */
/* Words that are compared for likeness; the cost is quadratic. */
#define STR_DISTANCE_BYTES_MAX ((size_t)64)
#define LOG_PAIRS_MAX 12 /* Pairs of a line of the log. */
/* Different lines that the log writes within a second: all of them, and those of one event. */
#define LOG_REPEATS_MAX 64
#define LOG_EVENT_LINES_MAX 16
#define ARENA_CHUNK_BYTES_MAX ((size_t)1 << 20) /* Chunks of an arena double up to here. */

#endif
