/* tests/sim/generate.h — random definitions that are valid, and random data for them.
 *
 * Definitions have every step type, nested as the dialect allows. Their expressions keep to the
 * few forms that evaluate.c understands, so that the checker can say which way must be taken.
 */
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "world.h"

enum { JOB_TYPE_COUNT = 4 };

/* A document with that id. `next`: the definition it chains to; empty: none. */
str generate_definition(struct world *world, str id, str next);

/* The document with one step more, called "x<number>", on the way from one step to the next. `next` is the
 * step behind it. Empty: no way leads from step to step. */
str generate_variation(struct world *world, str source, uint32_t number, str *ret_next);

/* One that starts by a schedule, and ends at once. */
str generate_ticking(struct world *world, str id);

/* Variables for a start: mostly all that a definition reads. */
const struct json *generate_input(struct world *world, uint32_t op);
/* Variables for a result, a signal: an object with the member "op", or NULL. */
const struct json *generate_data(struct world *world, uint32_t op);
/* A patch that gives every variable a sound value. */
const struct json *generate_cure(struct world *world, uint32_t op);

str generate_job_type(struct world *world, uint32_t index);

/* ---- flow graphs (generate_graph.c) ---- */

enum { GRAPH_TRIGGERS_MAX = 3 };

str generate_graph(struct world *world, str id);
/* One of a few that were written by hand (generate_graph_written.c). */
str generate_written_graph(struct world *world, str id);
/* What arrives: {op, a, k, items}. */
const struct json *generate_payload(struct world *world, uint32_t op);
const struct json *generate_call_result(struct world *world, uint32_t op);

/* ---- the same for Serverless Workflow (generate_flow.c) ---- */

enum { FLOW_JOB_TYPE_COUNT = 16, FLOWS_MAX = 8 };

struct flow_children {
    uint32_t index;   /* Of the definition among all. */
    const str *child; /* Definitions that it may start. */
    size_t count;
};

str generate_flow(struct world *world, str id, const struct flow_children *children);
/* One of a few that were written by hand (generate_written.c). */
str generate_written_flow(struct world *world, str id, const struct flow_children *children);
/* The first of the two triggers whose events start instances of the definition. */
uint32_t generate_own_trigger(const struct flow_children *children);
const struct json *generate_flow_input(struct world *world, uint32_t op);
/* Any JSON, or NULL. */
const struct json *generate_flow_result(struct world *world, uint32_t op);
const struct json *generate_flow_failure(struct world *world);
/* A CloudEvent with that number in its id, of the type "ty<type>". `token`: NULL: it has none. */
const struct json *generate_event(struct world *world, uint32_t number, uint32_t type,
                                  const struct json *token);
/* One that somebody may wait for. */
uint32_t generate_event_type(struct world *world, uint32_t flow_count);

#endif
