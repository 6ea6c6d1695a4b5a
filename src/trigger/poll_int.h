/* trigger/poll_int.h — one source on its way from the question to its rows. */
#ifndef TRIGGER_POLL_INT_H
#define TRIGGER_POLL_INT_H

#include "json/json.h"
#include "perform/http_function.h"
#include "perform/perform.h"
#include "trigger/poll.h"

/* A trigger and its source, as the latest version has them. */
struct polled {
    struct polled *next;
    int32_t ns;
    str definition_id, trigger;
    const struct json *config; /* The member `poll` of the trigger's normal form. */
    struct arena arena;        /* Memory of these. */
    int64_t interval_ms;
    int64_t due_ms;      /* On a clock that does not jump. */
    uint32_t failures;   /* In a row. */
    uint64_t generation; /* The generation of the list that had it last. */
    bool busy;           /* Asked, or its rows are on their way. */
    bool paused;         /* The engine would take no row: the source is not asked. */
};

/* One question and its answer. */
struct fetch {
    struct fetch *next;
    struct polled *polled;
    struct polling *polling;
    struct arena arena;
    struct function_call call; /* RestApi */
    struct outcall outcall;
    struct engine_job job; /* SqlDatabase; its secrets are those of both. */
    bool by_http;

    /* The answer. */
    const struct json *rows; /* An array; NULL: `why` says why not. */
    str why;
    size_t sent, answered, failed;
};

/* The parts that asking needs. */
struct sources {
    struct outcalls *outcalls; /* NULL until there is something to ask. */
    struct outcalls_config calls;
    const struct perform_methods *sql;
    void *sql_self;
    struct vault *vault;
    void (*done)(struct fetch *fetch); /* From any thread. */
};

/* Asks. `done` comes exactly once, perhaps before this returns. */
void poll_fetch(struct sources *sources, struct fetch *fetch);
/* After `done`: makes rows of the answer, on the thread of the polling. */
void poll_read(struct fetch *fetch);

#endif
