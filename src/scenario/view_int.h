/* scenario/view_int.h — what the views of the dialects share. */
#ifndef SCENARIO_VIEW_INT_H
#define SCENARIO_VIEW_INT_H

#include "scenario/scenario_int.h"

/* An object of members that is being built. */
struct viewing {
    struct stage *stage;
    const struct actor *actor;
    const struct instance *state;
    const struct execution *visit; /* Those to nodes that an author knows. */
    size_t visit_count;
    struct json_builder out;
};

void view_begin(struct viewing *viewing, struct stage *stage, const struct actor *actor);
const struct json *view_end(struct viewing *viewing);

void view_add_text(struct viewing *viewing, const char *name, str text);
void view_add_text_if(struct viewing *viewing, const char *name, str text); /* Nothing if it is empty. */
void view_add_int(struct viewing *viewing, const char *name, int64_t value);
void view_add_value(struct viewing *viewing, const char *name, const struct json *value);
/* Exact to the millisecond, and an integer where it is one. */
void view_add_seconds(struct viewing *viewing, const char *name, int64_t ms);
void view_add_time(struct viewing *viewing, const char *name, int64_t ms);

/* What the author calls the node of the visit. */
str view_name(const struct viewing *viewing, const struct execution *visit);
int64_t view_elapsed_ms(const struct viewing *viewing);
void view_add_children(struct viewing *viewing);
/* Members that all dialects have: variables, executions, inputs, outputs, elapsed, key, definition, children,
 * … */
void view_add_common(struct viewing *viewing);

/* view_serverless.c */
const struct json *view_serverless(struct stage *stage, const struct actor *actor);
str view_serverless_word(const struct actor *actor, enum instance_status status, const struct json *error);
/* The states that were visited at the top level, in order. */
void view_add_states(struct viewing *viewing, const char *name);

#endif
