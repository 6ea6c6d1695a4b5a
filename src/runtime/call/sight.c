/* runtime/call/sight.c — the rows that the caller of a call may see. */
#include "runtime/call/sight.h"

#include "core/task.h"
#include "dialect/entity/entity.h"

struct sight sight_for(const struct call *call, enum permission needs)
{
    const struct caller *caller = call->caller;
    bool all = !caller || principal_may_all(caller->principal, caller->tenant, needs);
    return (struct sight){ .caller = caller, .needs = needs, .all = all };
}

struct sight sight_of(const struct call *call)
{
    return sight_for(call, call->caller ? call->caller->needs : MAY_NONE);
}

bool sight_has(const struct sight *sight, str object)
{
    return sight->all ||
           (object.n && principal_may(sight->caller->principal, sight->caller->tenant, sight->needs, object));
}

bool sight_has_filter(const struct sight *sight, str definition_id)
{
    return sight->all || sight_has(sight, definition_id);
}

str sight_object(const struct call *call, str definition_id)
{
    str name;
    int32_t version;
    enum permission needs = call->caller ? call->caller->needs : MAY_NONE;
    if (needs != MAY_ENTITIES_READ && needs != MAY_ENTITIES_WRITE) return definition_id;
    entity_model_of(definition_id, &name, &version);
    return name;
}

/* ---- tasks ---- */

/* A caller who may read the instance sees its tasks there, too. A key that acts for others shows each of them
 * theirs. */
static bool sees_others(const struct caller *caller, str definition_id)
{
    return caller->principal->acts_for ||
           principal_may(caller->principal, caller->tenant, MAY_TASKS_ALL, definition_id) ||
           principal_may(caller->principal, caller->tenant, MAY_INSTANCES_READ, definition_id);
}

struct sight sight_of_tasks(const struct call *call)
{
    struct sight sight = sight_of(call);
    const struct caller *caller = call->caller;
    if (!sight.all || !caller) return sight;
    sight.all = caller->principal->acts_for ||
                principal_may_all(caller->principal, caller->tenant, MAY_TASKS_ALL) ||
                principal_may_all(caller->principal, caller->tenant, MAY_INSTANCES_READ);
    return sight;
}

static bool names_a_group(const struct caller *caller, const struct json *groups)
{
    size_t cursor = 0;
    for (str name; task_next_name(groups, &cursor, &name);)
        if (caller_is_in(caller, name)) return true;
    return false;
}

static bool is_own(const struct caller *caller, const struct json *details)
{
    const struct task_details task = task_read(details, 0);
    size_t person = 0, group = 0;
    str name, own = caller_person(caller);
    bool names_nobody = !task.assignee.n && !task_next_name(task.assignees, &person, &name) &&
                        !task_next_name(task.groups, &group, &name);
    if (names_nobody) return true;
    if (own.n && (str_equal(task.assignee, own) || task_has_name(task.assignees, own))) return true;
    return names_a_group(caller, task.groups);
}

enum task_sight sight_of_definition(const struct sight *sight, str definition_id)
{
    const struct caller *caller = sight->caller;
    if (sight->all) return TASKS_ALL;
    if (!principal_may(caller->principal, caller->tenant, sight->needs, definition_id)) return TASKS_NONE;
    return sees_others(caller, definition_id) ? TASKS_ALL : TASKS_OWN;
}

bool sight_has_task(const struct sight *sight, str definition_id, const struct json *details)
{
    enum task_sight tasks = sight_of_definition(sight, definition_id);
    return tasks == TASKS_ALL || (tasks == TASKS_OWN && is_own(sight->caller, details));
}
