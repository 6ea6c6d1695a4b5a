/* runtime/call/bulk_calls.h — one command for many instances: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_BULK_CALLS_H
#define RUNTIME_CALL_BULK_CALLS_H

#include "base/id.h"
#include "json/json.h"
#include "store/store.h"

/* clang-format off */
#define BULK_ACTION_MAP(XX)                                              \
    XX(RETRY,  "retry",  "start the failed step of each instance again") \
    XX(CANCEL, "cancel", "stop each instance")                           \
    XX(SIGNAL, "signal", "send each instance a signal")                  \
    XX(RESEND, "resend", "send events that nobody took again")
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
    XX(CANCELLED, "cancelled")
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
    str reason;                   /* CANCEL */
    str by;                       /* The person who began it; empty: unknown. */
    const struct json *variables; /* NULL: none. */
    bool dry_run;
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
};

/* The result of a bulk for one of its instances. */
struct bulk_result {
    struct bulk_target target;
    enum bulk_outcome outcome;
    str words; /* Empty: nothing more to say. */
};

#endif
