/* runtime/call/bulk_calls.h — one command for many instances: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_BULK_CALLS_H
#define RUNTIME_CALL_BULK_CALLS_H

#include "base/id.h"
#include "json/json.h"
#include "store/store.h"

/* clang-format off */
#define BULK_ACTION_MAP(XX)                                                          \
    XX(RETRY,   "retry",   "start the failed step of each instance again")           \
    XX(CANCEL,  "cancel",  "stop each instance")                                     \
    XX(SIGNAL,  "signal",  "send each instance a signal")                            \
    XX(RESEND,  "resend",  "send events that nobody took again")                     \
    XX(MIGRATE, "migrate", "go on with another version of the definition")           \
    XX(UNDO,    "undo",    "bring instances of a migration back, unless they moved on")
/* clang-format on */

enum bulk_action {
#define XX(NAME, word, meaning) BULK_##NAME,
    BULK_ACTION_MAP(XX)
#undef XX
        BULK_ACTION_COUNT
};

/* clang-format off */
#define BULK_STATE_MAP(XX)      \
    XX(RUNNING,   "running")    \
    XX(DONE,      "done")       \
    XX(CANCELLED, "cancelled")  \
    XX(PAUSED,    "paused")
/* clang-format on */

enum bulk_state {
#define XX(NAME, word) BULK_STATE_##NAME,
    BULK_STATE_MAP(XX)
#undef XX
        BULK_STATE_COUNT
};

/* clang-format off */
#define BULK_OUTCOME_MAP(XX)                                                  \
    XX(SUCCEEDED, "succeeded", "the command was done")                        \
    XX(SKIPPED,   "skipped",   "it no longer fits, or is gone")               \
    XX(REFUSED,   "refused",   "the command was refused, and nothing changed")
/* clang-format on */

enum bulk_outcome {
#define XX(NAME, word, meaning) BULK_##NAME,
    BULK_OUTCOME_MAP(XX)
#undef XX
        BULK_OUTCOME_COUNT
};

/* A preview of a migration sorts instances into these. */
/* clang-format off */
#define BULK_VERDICT_MAP(XX)                                                     \
    XX(MOVES,       "moves",       "it goes on at nodes of the same names")      \
    XX(MAPPED,      "mapped",      "it goes on at nodes that the request maps")  \
    XX(CANNOT_MOVE, "cannot-move", "it stays, for a reason")
/* clang-format on */

enum bulk_verdict {
#define XX(NAME, word, meaning) BULK_##NAME,
    BULK_VERDICT_MAP(XX)
#undef XX
        BULK_VERDICT_COUNT
};

/* ---- what is asked (bulk_request.c) ---- */

/* Texts that are empty, times and numbers that are 0, lists that are NULL ask for nothing. */
struct bulk_filter {
    str definition_id;
    int64_t version;
    uint32_t statuses; /* Bits 1 << status; always some. */
    str business_key, business_key_prefix;
    str reason, reason_contains;
    str step;                    /* Where it failed, or stands. */
    str source, type;            /* RESEND: of the event. */
    int64_t after_ms, before_ms; /* Started, or received: at or after, before. */
    const struct json *ids;      /* Ids of instances: an array of texts… */
    const struct json *numbers;  /* … of unmatched events: of integers. */
};

struct bulk_request {
    enum bulk_action action;
    struct bulk_filter filter;
    str step;
    str reason;                   /* CANCEL, MIGRATE, UNDO */
    int32_t to;                   /* MIGRATE, UNDO: the version; UNDO as it is asked for: 0. */
    const struct json *map;       /* MIGRATE: names of nodes, each with that of its successor. NULL: none. */
    bool retries;                 /* MIGRATE: failed instances are retried in the same step. */
    struct id undone;             /* UNDO: the migration. */
    str by;                       /* The person who began it; empty: unknown. */
    const struct json *variables; /* NULL: none. */
    bool dry_run;
    int64_t expected;        /* Refused if another number of them is found; -1: any number will do. */
    const struct json *body; /* All of it, as it is kept. */
};

/* The public id of a bulk. It is never one of an instance or a job. */
static inline struct id bulk_id(const struct bulk_row *row)
{
    return (struct id){ .ms = row->created_ms, .instance = (uint64_t)row->number, .delivery = 1 };
}

/* ---- the selection and the results, as they are stored ---- */

enum {
    BULK_PART_SUBJECTS = 1024, /* In one part of the selection. */
};

/* Somebody a bulk is for: an instance by its id and time, an unmatched event by its number and time. */
struct bulk_target {
    uint64_t number;
    int64_t created_ms;
    /* Instances that a migration has moved, and those that UNDO is for: */
    uint32_t revision; /* The instance's after the migration; 0: it has not moved. */
    str way_back; /* json_encoded() names of its nodes, each with the one before. Empty: none has changed.
                   * `false`: two of them have become one. */
};

/* The result of a bulk for one of its instances. */
struct bulk_result {
    struct bulk_target target;
    enum bulk_outcome outcome;
    str words; /* Empty: nothing more to say. */
};

#endif
