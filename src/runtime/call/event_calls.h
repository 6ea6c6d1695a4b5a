/* runtime/call/event_calls.h — an event that comes in, and what it did. */
#ifndef RUNTIME_CALL_EVENT_CALLS_H
#define RUNTIME_CALL_EVENT_CALLS_H

#include "base/status.h"
#include "json/json.h"

/* clang-format off */
#define EVENT_OUTCOME_MAP(XX)                                                                   \
    XX(STARTED,   "started",   "it started an instance")                                        \
    XX(DELIVERED, "delivered", "instances have it")                                             \
    XX(UNMATCHED, "unmatched", "nobody takes it: it is kept as an unmatched event")                      \
    XX(DUPLICATE, "duplicate", "it was here before")                                            \
    XX(REFUSED,   "refused",   "it cannot be taken now, and nothing happened")                  \
    XX(WAITING,   "waiting",   "no instance has its correlation key yet: it is kept for one")
/* clang-format on */

enum event_outcome {
#define XX(NAME, word, meaning) EVENT_##NAME,
    EVENT_OUTCOME_MAP(XX)
#undef XX
        EVENT_OUTCOME_COUNT
};

const char *call_event_outcome_word(enum event_outcome outcome);

/* An instance that an event concerned. */
struct event_instance {
    uint64_t id;
    int64_t created_ms;
    bool started;
};

/* One CloudEvent and what it did. The event is an object whose source, type and id are texts
 * that are not empty: whoever submits it has looked. */
struct call_event {
    const struct json *event;

    enum event_outcome outcome;
    enum event_outcome first;        /* DUPLICATE: what it did the first time; else the outcome. */
    struct event_instance *instance; /* The first of them. */
    size_t instance_count;
    size_t instance_total;
    int64_t waits_until_ms; /* First WAITING: then it expires. */
    str reason;             /* UNMATCHED: why nobody took it. */
    struct error error;     /* REFUSED: why. */
};

#endif
