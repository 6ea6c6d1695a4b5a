/* dialect/show/saying.h — why a token does not move, as a code with values.
 *
 * The sentences of sentences.h are made of it, and so is what answers have beside a sentence: a page in
 * another language says it in its own words. Codes never change; their English may.
 */
#ifndef DIALECT_SHOW_SAYING_H
#define DIALECT_SHOW_SAYING_H

#include "base/buf.h"
#include "dialect/limits.h"

/* XX(name, word, English if it names nothing, English before its names, are the names quoted). */
/* clang-format off */
#define SAYING_MAP(XX)                                                                                     \
    XX(WAITS,        "waits",        "waits", "waits for ", true)                                          \
    XX(BEGINS,       "begins",       "is about to begin", "", false)                                       \
    XX(BEGINS_LATER, "begins-later", "has not begun: the engine begins it later", "", false)               \
    XX(WORKS,        "works",        "is at work", "", false)                                              \
    XX(AGAIN,        "again",        "is tried again by itself", "", false)                                \
    XX(WORKER_HAS,   "worker-has",   "is with a worker", "is with the worker ", true)                      \
    XX(WORKER,       "worker",       "waits for a worker", "waits for a worker that does ", true)          \
    XX(WEB_SERVICE,  "web-service",  "waits for the answer of a web service", "", false)                   \
    XX(SENDS_EVENT,  "sends-event",  "sends an event", "", false)                                          \
    XX(CHILD,        "child",        "waits for a run", "waits for a run of ", true)                       \
    XX(DATABASE,     "database",     "waits for a database", "", false)                                    \
    XX(SENDS_EMAIL,  "sends-email",  "sends an e-mail", "", false)                                         \
    XX(CALCULATION,  "calculation",  "waits for a calculation node", "", false)                            \
    XX(PERSON,       "person",       "waits for a person", "waits for ", false)                            \
    XX(GROUP,        "group",        "waits for a person", "waits for somebody in ", false)                \
    XX(SIGNAL,       "signal",       "waits for a signal", "", false)                                      \
    XX(BRANCHES,     "branches",     "waits for the other branches", "", false)                            \
    XX(RESTS,        "rests",        "is done, and nothing follows it", "", false)                         \
    XX(FAILED,       "failed",       "failed", "", false)                                                  \
    XX(NO_WAY_ON,    "no-way-on",    "is done, but the way on could not be chosen", "", false)             \
    XX(EVENT,        "event",        "waits for an event", "waits for the event ", true)                   \
    XX(TIME,         "time",         "waits until its time comes", "", false)                              \
    XX(ARRIVAL,      "arrival",      "waits for something to arrive", "waits for something to arrive at ", true) \
    XX(UNDOING,      "undoing",      "failed, and what was done before is being undone", "", false)        \
    XX(ITEMS,        "items",        "has done", "", false)                                                \
    XX(ITEMS_LEFT,   "items-left",   "has done", "", false)                                                \
    XX(INSIDE,       "inside",       "waits for the steps inside it", "", false)                           \
    XX(TRANSITION,   "transition",   "rests until somebody moves it on", "rests until somebody moves it on: ", false) \
    XX(MILESTONE,    "milestone",    "waits until the run reaches its milestone", "waits until the run reaches ", true) \
    XX(LOCK,         "lock",         "waits for a lock", "waits for the lock ", true)                      \
    XX(CANCELLED,    "cancelled",    "Cancelled", "", false)                                               \
    XX(RUN_FAILED,   "run-failed",   "Failed", "", false)                                                  \
    XX(UNREADABLE,   "unreadable",   "What is stored of this run cannot be read", "", false)
/* clang-format on */

enum saying_code {
#define XX(NAME, word, alone, before, quoted) SAYING_##NAME,
    SAYING_MAP(XX)
#undef XX
        SAYING_CODE_COUNT
};

struct saying {
    enum saying_code code;
    str title;                  /* The step's; empty: it is about the whole run. */
    bool is_stopped;            /* The token stands still because the run failed. */
    uint32_t failed;            /* So many attempts of its job have failed. */
    str name[SAYING_NAMES_MAX]; /* The people or things that it waits for. */
    size_t name_count;
    size_t others; /* There are more names than these. */
    str key;       /* The event's; empty: none. */
    size_t done, total;
    bool is_late;
    str reason, reason_code; /* The failure's; empty: none is known. */
};

const char *saying_word(enum saying_code code);

/* The sentence, in English. */
str saying_text(const struct saying *saying, struct arena *arena);
/* The code and the values, as a JSON object. */
str saying_json(const struct saying *saying, struct arena *arena);

#endif
