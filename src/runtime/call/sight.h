/* runtime/call/sight.h — the rows that the caller of a call may see.
 *
 * A grant may be narrowed to objects by a pattern (access/permit/scope.h), and a person without
 * `tasks:all` sees tasks of their own only. Calls about one object check it (caller_check()). Everything
 * that walks over rows (lists, counts, groups, searches, feeds) asks a sight for each row, where the row
 * is read. Most callers see all rows: `all` is true then, and a list needs no filter.
 */
#ifndef RUNTIME_CALL_SIGHT_H
#define RUNTIME_CALL_SIGHT_H

#include "runtime/call/call.h"

struct sight {
    const struct caller *caller; /* NULL: the engine itself, which sees everything. */
    enum permission needs;
    bool all; /* Every object. */
};

/* The sight of the call's caller, for the permission of its route. */
struct sight sight_of(const struct call *call);
/* The same for another permission. */
struct sight sight_for(const struct call *call, enum permission needs);

/* May the caller see an object of this name? */
bool sight_has(const struct sight *sight, str object);

/* The object of the caller's permission, for an instance of the definition: the definition, or for entities
 * the name of their model. */
str sight_object(const struct call *call, str definition_id);
/* Does the caller see all that a filter by this definition finds? An empty id finds every definition. */
bool sight_has_filter(const struct sight *sight, str definition_id);

/* For tasks `all` says that the caller sees the tasks of everybody, of every definition. */
struct sight sight_of_tasks(const struct call *call);
/* The tasks of a definition that the caller sees. */
enum task_sight { TASKS_NONE, TASKS_OWN, TASKS_ALL };
enum task_sight sight_of_definition(const struct sight *sight, str definition_id);
/* May the caller see this task of that definition? Its own are the ones that name the person or a group of
 * theirs, and tasks that name nobody. `details` as in core/task.h; NULL: none. */
bool sight_has_task(const struct sight *sight, str definition_id, const struct json *details);

#endif
