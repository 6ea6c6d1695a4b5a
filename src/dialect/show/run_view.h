/* dialect/show/run_view.h — an instance as scenarios, invariants and `pawl run` see it.
 *
 * The scenario fills in what it knows and opens the object; the dialect of the instance adds the members
 * (`add_run` of its table) in the words of its own API. Members that several dialects share (path, key,
 * reason, output, …) stand beside them.
 */
#ifndef DIALECT_SHOW_RUN_VIEW_H
#define DIALECT_SHOW_RUN_VIEW_H

#include "core/core.h"
#include "dialect/dialect.h"

struct run_view {
    const struct dialect *dialect;
    const struct program *program;
    const struct instance *instance;
    const struct execution *visit; /* The visits to nodes that an author knows, in order. */
    size_t visit_count;
    const str *state; /* The states of an entity, in the order in which it came to them. */
    size_t state_count;
    str name;       /* The instance's name in the scenario … */
    str plain_name; /* … and "i3", if it is the third. */
    str definition_id;
    int32_t version;
    str replaced_by;             /* The name of the instance that took its place; empty: none. */
    int64_t elapsed_ms;          /* Since its start, until it ended or until now. */
    const struct json *inputs;   /* The data that workers were given, by node. */
    const struct json *children; /* The instances that it started. */
    struct json_builder out;     /* The object whose members are being added. */
    struct arena *arena;
};

/* ---- one member ---- */

void run_view_text(struct run_view *view, const char *name, str text);
void run_view_text_if(struct run_view *view, const char *name, str text); /* Nothing if it is empty. */
void run_view_int(struct run_view *view, const char *name, int64_t value);
void run_view_value(struct run_view *view, const char *name, const struct json *value);
/* Exact to the millisecond, and an integer where it is one. */
void run_view_seconds(struct run_view *view, const char *name, int64_t ms);
void run_view_time(struct run_view *view, const char *name, int64_t ms);

/* ---- members about the visits ---- */

/* The name by which the author calls the node of the visit. */
static inline str run_view_name(const struct run_view *view, const struct execution *visit)
{
    return dialect_node_name(view->dialect, visit->node_name, visit->title);
}

/* The names of the nodes that were visited: all of them, or those on the instance's path. The path of an
 * entity has its states, also those that it left at once. */
void run_view_visits(struct run_view *view, const char *name);
void run_view_path(struct run_view *view, const char *name);
/* The names of the nodes where tokens stand. */
void run_view_current(struct run_view *view, const char *name);
/* How often each node was visited. */
void run_view_executions(struct run_view *view, const char *name);
/* One object per visit, as the history of /v1 calls its members. */
void run_view_rows(struct run_view *view, const char *name);
/* The members that the rows of all dialects have behind their names: status, attempt, times, failure, data.
 */
void run_view_row_course(struct run_view *view, const struct execution *visit, bool with_number);

/* ---- members about people's tasks ---- */

/* The node if it asks a person, else NULL. */
const struct program_node *run_view_task_node(const struct run_view *view, const struct execution *visit);
/* openTasks [name], taskTitles {name: title}, taskStates {name: "open", "completed", "expired", "cancelled"}.
 * The first task of the instance is named `prefix`.1, and so on. */
void run_view_tasks(struct run_view *view, str prefix);

/* ---- the rest ---- */

/* Members that all dialects have: status, variables, executions, inputs, outputs, elapsed, key, definition,
 * children, … */
void run_view_common(struct run_view *view);

#endif
