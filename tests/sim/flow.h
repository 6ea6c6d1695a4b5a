/* tests/sim/flow.h — a Serverless Workflow document as its author means it, read from the document alone.
 *
 * Only what generate_flow() writes is understood: names of states are unique in the whole document,
 * every action has a job type of its own, and conditions have one of a few forms.
 */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include "world.h"

#define STATE_NONE SIZE_MAX
#define STATE_END (SIZE_MAX - 1) /* Where every way out of a scope leads. */

struct flow_trigger {
    str name, source, type;
    str token; /* An attribute, or $.member; empty: not correlated. */
};

/* When an action is tried again. */
enum policy_on { ON_ERROR_NAMED, ON_ANY_ERROR, ON_AGAIN };
struct flow_policy {
    enum policy_on on;
    str name;
    bool unlimited;
    uint32_t count;
    int64_t interval_ms;
};

struct flow_action {
    str job_type; /* Of jobs that the engine does itself: the function's name. */
    bool performed;
    struct flow_policy *policy;
    size_t policy_count;
    int64_t timeout_ms; /* 0: none. */
};

/* What an EVENT state waits for. */
struct flow_entry {
    str condition;
    int64_t timeout_ms; /* 0: none. */
};

struct flow_state {
    str name, type;
    LIST(size_t) to; /* Wherever it may lead, branches' first states included. */
    struct flow_entry *entry;
    size_t entry_count;
    str child; /* SUBFLOW: the definition. */
    bool awaited;
    uint32_t branches_awaited; /* PARALLEL: a bit each. */
    bool top;                  /* In no branch. */
};

struct flow {
    struct flow_trigger *trigger;
    size_t trigger_count;
    LIST(struct flow_state) states;
    LIST(struct flow_action) actions;
    size_t start;
};

/* NULL if the document has no states. */
struct flow *flow_read(const struct json *document, struct arena *arena);

/* The state a node belongs to: the last part of its name that is a state's. STATE_NONE: none. */
size_t flow_state_of(const struct flow *flow, str node);
/* May a token go from one state to the other? */
bool flow_leads_to(const struct flow *flow, size_t from, size_t to);
const struct flow_action *flow_action_of(const struct flow *flow, str job_type);

/* ---- events ---- */

const struct flow_trigger *flow_trigger_of(const struct flow *flow, const struct json *event);
/* The token of an event, as canonical JSON; empty: none. */
str flow_token(const struct flow_trigger *trigger, const struct json *event, struct arena *arena);
/* Does the event start an instance? */
bool flow_starts_by(const struct flow *flow, const struct flow_trigger *trigger);

/* Does the condition hold if these triggers' events have been received (a bit each), and which
 * triggers does it mention? */
struct flow_held {
    bool holds;
    uint32_t mentioned, positive;
};
struct flow_held flow_condition(const struct flow *flow, str condition, uint32_t received);

#endif
