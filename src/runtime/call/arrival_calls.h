/* runtime/call/arrival_calls.h — calls about arrivals and triggers: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_ARRIVAL_CALLS_H
#define RUNTIME_CALL_ARRIVAL_CALLS_H

#include "program/program.h"

struct instance_view;

/* clang-format off */
#define ARRIVAL_OUTCOME_MAP(XX)                                                                              \
    /* A number in the store: rows are added at the end.                                                  */ \
    /* name            word               http  meaning                                                   */ \
    XX(CREATED,         "created",         202, "it created an instance")                                    \
    XX(UPDATED,         "updated",         202, "a living instance has it")                                  \
    XX(REPLACED,        "replaced",        202, "it created an instance in the place of another one")        \
    XX(QUEUED,          "queued",          202, "it waits for a place")                                      \
    XX(DISCARDED,       "discarded",       202, "no living instance has its key")                            \
    XX(FILTERED,        "filtered",        202, "it did not pass the trigger's filter")                      \
    XX(DUPLICATE,       "duplicate",       202, "it was here before")                                        \
    XX(DECODE_ERROR,    "decode_error",    400, "its bytes are not what they should be")                     \
    XX(REJECTED_SCHEMA, "rejected_schema", 400, "its payload does not fit the input schema")                 \
    XX(REJECTED_AUTH,   "rejected_auth",   401, "its sender could not prove who it is")                      \
    XX(REJECTED_LIMIT,  "rejected_limit",  429, "there are as many living instances as there may be")        \
    XX(REFUSED,         "refused",         409, "the instance could not take it")                            \
    XX(PAUSED,          "paused",          503, "its trigger is paused")                                     \
    XX(EXPIRED,         "expired",         202, "it waited too long for a place, or for its instance")                           \
    XX(NO_ROUTE,        "no_route",        404, "no trigger takes it")                                       \
    XX(MISFIRE_DISCARDED, "misfire_discarded", 202, "slots of its schedule were missed")
/* clang-format on */

enum arrival_outcome {
#define XX(NAME, word, http, meaning) OUTCOME_##NAME,
    ARRIVAL_OUTCOME_MAP(XX)
#undef XX
        OUTCOME_COUNT
};

/* The outcome of one arrival at one trigger. */
struct arrival_view {
    uint64_t number; /* The number of its record, ascending; 0: it has none. */
    int64_t at_ms;
    str definition_id;
    int32_t version;
    str trigger;
    enum arrival_outcome outcome;
    str key;           /* Empty: none. */
    uint64_t instance; /* The instance that it created or updated; 0: none. */
    int64_t instance_created_ms;
    str note;            /* An explanation: a code, or a sentence. Empty: nothing. */
    int32_t http_status; /* The status of the answer to an HTTP request. */
};

/* A trigger as lists show it. */
struct trigger_view {
    int32_t ns;
    str definition_id;
    int32_t version;
    str trigger;
    str label, definition_title; /* The names that people use for both; empty: the program cannot be had. */
    enum arrival_type type;
    str address; /* "POST /orders", a topic filter; empty: none. */
    bool paused;
    str reason;      /* The reason of the pause. */
    int64_t next_ms; /* The next slot of a schedule; 0: none. */
    const struct json *config;
    uint64_t count[OUTCOME_COUNT]; /* Since the engine started. */
};

/* ---- requests and answers of calls (call.h) ---- */

/* Something arrives. HTTP is found by method and path, MQTT by topic and broker; the others name definition
 * and trigger. An event without a payload is decoded as its trigger says. */
struct call_arrive {
    struct arrival_event event; /* `at_ms` is the turn's. */
    str broker;                 /* MQTT: the brokerRef of the connection it came from; empty: any. */
    str definition_id;
    str trigger;         /* MANUAL: empty: the first manual trigger, or the first one. */
    str idempotency_key; /* The trigger's key; empty: none. */
    uint64_t data_hash;  /* POLL: a row that was seen is new again if this differs; 0: it is not compared. */
    bool is_test;        /* MANUAL */
    int64_t wait_ms;     /* HTTP: how long the answer may wait if the trigger says so; 0: not at all. */
};

/* PAUSE_TRIGGER: stops or resumes one. */
struct call_trigger {
    str definition_id;
    str trigger;
    bool paused;
    str reason;
};

/* PAUSE_ENGINE: while it is paused new instances are created and do not begin, whoever starts them. */
struct call_pause {
    bool paused;
};

/* LIST_TRIGGERS, in order of definition and trigger. The runtime moves the cursor to where its page ends. */
struct call_triggers {
    str definition_id; /* Empty: any. */
    str after;         /* The cursor; empty: from the first. */
    str keyword; /* Part of a name, an id or an address; empty: any. As with `of_type`, at most `max` are
                    looked at, so a page without any may have more behind it. */
    size_t max;
    bool of_type; /* Only triggers of this type, at a small part of the cost of others; a page without any may
                     have more behind it. */
    enum arrival_type type;
    bool tools; /* Definitions that agents start by tools, instead: `trigger` is the name of the tool, `label`
                   its description. The keyword is a whole name, and the cursor is one. */
};

/* LIST_ARRIVALS, newest first. */
struct call_arrivals {
    str definition_id; /* Empty: any. */
    str trigger;       /* Empty: any. */
    int32_t outcome;   /* -1: any. */
    uint64_t before;   /* Only older numbers; 0: from the newest. */
    size_t max;
};

/* ARRIVE, LIST_ARRIVALS. */
struct answer_arrivals {
    struct arrival_view *view; /* ARRIVE: one for each trigger; LIST_ARRIVALS: those on the page. */
    size_t count;              /* ARRIVE: 0: no trigger takes it. */
    str allow;                 /* ARRIVE, HTTP: the path has triggers for these methods only: "GET, POST". */
    bool opaque;               /* ARRIVE, HTTP: the answer must not tell what became of it. */
    bool finished;             /* ARRIVE: the instance can go no further, and the trigger answers then. */
    struct instance_view *instance; /* ARRIVE: of a trigger that answers when it is done; else NULL. */
    bool more;                      /* LIST_ARRIVALS: there may be older ones … */
    uint64_t next;                  /* … before this number. */
};

/* LIST_TRIGGERS, PAUSE_TRIGGER. */
struct answer_triggers {
    struct trigger_view *view;
    size_t count;
    bool more;
};

#endif
