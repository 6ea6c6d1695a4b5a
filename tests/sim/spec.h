/* tests/sim/spec.h — a definition as its author means it, read from the document alone. */
#ifndef SIM_SPEC_H
#define SIM_SPEC_H

#include "evaluate.h"
#include "flow.h"
#include "graph.h"
#include "program/program.h"

enum step_type {
    SERVICE_TASK,
    USER_TASK,
    WAIT,
    DECISION,
    DECISION_TABLE,
    TRANSFORMATION,
    PARALLEL_GATEWAY,
    JOIN_GATEWAY,
    END,
    STEP_TYPE_COUNT
};

#define STEP_NONE SIZE_MAX

struct spec_timer {
    int64_t delay_ms;
    bool interrupting;
    size_t target;
};

struct spec_step {
    str id;
    enum step_type type;
    size_t next;                 /* STEP_NONE: none. */
    const struct json *branches; /* Condition → step; NULL: none. */
    size_t *parallel;
    size_t parallel_count;
    size_t join;
    struct spec_timer *timer;
    size_t timer_count;
    str job_type;
    uint32_t retry_count;
    int64_t backoff_ms, backoff_max_ms; /* 0: none. */
    int64_t backoff_factor;
    const struct json *assignments, *rules;
    str policy;
    bool needs_op;                /* outputs_schema asks for it. */
    bool chains;                  /* END */
    const struct json *successor; /* END: its continueAs; NULL: it has none. */
    bool alone;                   /* END: ends its branch, and the instance if nobody else could go on. */
};

struct spec {
    int64_t number; /* The store's. */
    str id;
    int32_t version;
    int64_t rank; /* The version its author gave: the highest is the latest, of several the newest. A version
                     that restores another has the latest's, if that is higher. */
    str source;
    str next_definition;
    bool needs_n;           /* input_schema asks for an integer. */
    struct spec_step *step; /* The first is the entry. */
    size_t step_count;
    const struct flow *flow;   /* A Serverless Workflow document: it has no steps. NULL: it is none. */
    const struct graph *graph; /* A flow graph; NULL: it is none. */
    struct program *program;   /* Of a flow or a graph, for replaying; NULL: it has steps. */
    int64_t tick_ms;           /* Its schedule: every so often from the publication, … */
    bool by_cron;              /* … or at the seconds of a minute that it divides. 0: it has none. */
    bool fires_missed;
    int64_t published_ms;
    size_t commit;            /* The transaction that stored it. */
    int64_t retired_ms;       /* Since then nothing of the definition starts; 0: it is in use. */
    bool is_leaving, is_gone; /* The definition is being deleted, and is deleted … */
    size_t gone_commit;       /* … by this transaction. */
};

struct spec *spec_read(str source, struct arena *arena);

/* STEP_NONE if there is none. */
size_t spec_find(const struct spec *spec, str id);

/* The way out of a step that is done. */
enum way { WAY_TO, WAY_FAILS, WAY_NOWHERE, WAY_UNSURE };
enum way spec_way(const struct spec *spec, const struct spec_step *step, const struct json *data,
                  struct arena *arena, size_t *ret_to);
/* Could that be it, whatever the data? */
bool spec_leads_to(const struct spec *spec, const struct spec_step *step, size_t to);

/* Does input_schema allow these variables? */
bool spec_accepts(const struct spec *spec, const struct json *data);

#endif
