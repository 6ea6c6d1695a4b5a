/* runtime/bulk.h — one command for many instances, or many events sent again.
 *
 *     a request ──► query thread: whom does it concern? (bulk_find.c)
 *                      ├── a preview: how many, grouped by reason, with examples
 *                      └─► engine: rows of the request and of the selection, an answer (bulk.c)
 *                             └─► every turn a slice of the selection, in the turn's transaction
 *
 * The instances are chosen once, when the bulk is asked for: instances that begin later are not touched. When
 * its turn comes an instance is looked at again: one that no longer fits is skipped. The result for each of
 * them is written in the transaction that did it, so it happens once, whatever crashes.
 */
#ifndef RUNTIME_BULK_H
#define RUNTIME_BULK_H

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

const char *bulk_action_word(enum bulk_action action);
const char *bulk_state_word(enum bulk_state state);
const char *bulk_outcome_word(enum bulk_outcome outcome);

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

/* Reads a request's body. Everything is borrowed from it. ST_INVALID and ST_LIMIT name the field. */
enum status bulk_request_read(const struct json *body, struct arena *arena, struct bulk_request *ret_request,
                              struct error *err);

/* An instance, or an event that nobody took, as far as a filter looks at it. */
struct bulk_subject {
    enum instance_status status;
    int64_t created_ms; /* Or received. */
    str definition_id;
    int64_t version;
    str business_key;
    str reason;
    const str *step;
    size_t step_count;
    str source, type;
};

/* NULL if it fits, else what does not: "it is ACTIVE", "it failed for another reason". */
const char *bulk_mismatch(const struct bulk_filter *filter, const struct bulk_subject *subject);

/* The source and type of an event, and the rest of an unmatched event. */
struct bulk_subject bulk_subject_of_unmatched(const struct unmatched_row *unmatched,
                                              const struct json *event);

/* ---- the selection and the results, as they are stored ---- */

enum {
    BULK_PART_SUBJECTS = 1024, /* In one part of the selection. */
};

/* Somebody a bulk is for: an instance by its id and time, an unmatched event by its number and time. */
struct bulk_target {
    uint64_t number;
    int64_t created_ms;
};

/* The public id of a bulk. It is never one of an instance or a job. */
static inline struct id bulk_id(const struct bulk_row *row)
{
    return (struct id){ .ms = row->created_ms, .instance = (uint64_t)row->number, .delivery = 1 };
}

/* A reason with what differs from case to case folded: numbers and ids become #, quoted texts "…". */
str bulk_fold_reason(str reason, struct arena *arena);

#endif
