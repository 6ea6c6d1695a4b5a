/* store/worklist.c — finds the lists that a task is in, and the lists that a question needs. */
#include "store/worklist.h"

#include "core/task.h"
#include "store/limits.h"

static struct task_details details_of(const struct task_row *row, struct arena *arena)
{
    return task_read(row->details.n ? json_decode(row->details, arena) : NULL, row->created_ms);
}

struct worklist_place worklist_place_of(const struct task_row *row, struct arena *arena)
{
    struct task_details task = details_of(row, arena);
    return (struct worklist_place){ task.due_ms ? task.due_ms : WORKLIST_NEVER, row->instance,
                                    row->execution };
}

int worklist_compare(const struct worklist_place *a, const struct worklist_place *b)
{
    if (a->due_ms != b->due_ms) return a->due_ms < b->due_ms ? -1 : 1;
    if (a->instance != b->instance) return a->instance < b->instance ? -1 : 1;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

size_t worklist_entries(const struct task_row *row, struct arena *arena, struct worklist_entry **ret_entry)
{
    struct worklist_entry *entry = arena_make_n(arena, struct worklist_entry, WORKLIST_LISTS_MAX);
    struct task_details task = details_of(row, arena);
    size_t count = 0, cursor = 0;
    str name;
    if (task.due_ms) entry[count++] = (struct worklist_entry){ WORKLIST_DUE, STR_NONE };
    if (task.assignee.n) entry[count++] = (struct worklist_entry){ WORKLIST_ASSIGNED, task.assignee };
    while (!task.assignee.n && count < WORKLIST_LISTS_MAX && task_next_name(task.assignees, &cursor, &name))
        entry[count++] = (struct worklist_entry){ WORKLIST_CANDIDATE, name };
    cursor = 0;
    while (count < WORKLIST_LISTS_MAX && task_next_name(task.groups, &cursor, &name))
        entry[count++] =
            (struct worklist_entry){ task.assignee.n ? WORKLIST_GROUP_TAKEN : WORKLIST_GROUP_FREE, name };
    *ret_entry = entry;
    return count;
}

size_t worklist_choose(const struct worklist_filter *filter, struct worklist_entry ret_entry[2])
{
    if (filter->assignee.n) {
        ret_entry[0] = (struct worklist_entry){ WORKLIST_ASSIGNED, filter->assignee };
        return 1;
    }
    if (filter->candidate.n) {
        ret_entry[0] = (struct worklist_entry){ WORKLIST_CANDIDATE, filter->candidate };
        return 1;
    }
    if (filter->person.n) {
        ret_entry[0] = (struct worklist_entry){ WORKLIST_ASSIGNED, filter->person };
        ret_entry[1] = (struct worklist_entry){ WORKLIST_CANDIDATE, filter->person };
        return 2;
    }
    if (filter->group.n) {
        ret_entry[0] = (struct worklist_entry){ WORKLIST_GROUP_FREE, filter->group };
        ret_entry[1] = (struct worklist_entry){ WORKLIST_GROUP_TAKEN, filter->group };
        return filter->is_free ? 1 : 2;
    }
    ret_entry[0] = (struct worklist_entry){ WORKLIST_DUE, STR_NONE };
    return 1;
}

static bool names_fit(const struct worklist_filter *filter, const struct task_details *task)
{
    bool taken = task->assignee.n > 0;
    if (filter->is_free && taken) return false;
    if (filter->assignee.n && !str_equal(task->assignee, filter->assignee)) return false;
    if (filter->candidate.n && (taken || !task_has_name(task->assignees, filter->candidate))) return false;
    if (filter->person.n && (taken ? !str_equal(task->assignee, filter->person)
                                   : !task_has_name(task->assignees, filter->person)))
        return false;
    return !filter->group.n || task_has_name(task->groups, filter->group);
}

bool worklist_fits(const struct worklist_filter *filter, const struct task_row *row, struct arena *arena)
{
    struct task_details task = details_of(row, arena);
    if (filter->ns != row->ns || !names_fit(filter, &task)) return false;
    if (filter->due_before_ms && (!task.due_ms || task.due_ms >= filter->due_before_ms)) return false;
    bool somebody = filter->assignee.n || filter->candidate.n || filter->person.n || filter->group.n;
    if (!somebody && !task.due_ms) return false; /* The list of all that are due. */
    return (!filter->label.n || str_equal(filter->label, row->label)) &&
           (!filter->definition_id.n || str_equal(filter->definition_id, row->definition_id));
}
