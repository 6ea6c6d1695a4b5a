/* core/task.c — reads, checks and changes the details of a person's task. */
#include "core/task.h"

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdio.h>

int64_t task_time(const struct json *value, int64_t opened_ms)
{
    int64_t ms;
    if (json_is(value, JSON_STRING)) {
        str text = json_string(value);
        if (datetime_parse(text, &ms)) return ms > 0 ? ms : 1;
        if (!text.n || duration_parse_any(text, &ms, NULL) != ST_OK) return 0;
    } else if (!json_is(value, JSON_NUMBER) || !json_int64(value, &ms)) {
        return 0;
    }
    return ms < 0 || ms > CLOCK_MS_MAX - opened_ms ? 0 : opened_ms + ms;
}

struct task_details task_read(const struct json *details, int64_t opened_ms)
{
    struct task_details task = { .priority = TASK_PRIORITY_DEFAULT };
    if (!json_is(details, JSON_OBJECT)) return task;
    int64_t priority;
    task.title = json_text(details, STR("title"));
    task.description = json_text(details, STR("description"));
    task.assignee = json_text(details, STR("assignee"));
    task.assignees = json_get(details, STR("assignees"));
    task.groups = json_get(details, STR("groups"));
    task.due_ms = task_time(json_get(details, STR("due")), opened_ms);
    task.follow_up_ms = task_time(json_get(details, STR("followUp")), opened_ms);
    if (json_int64(json_get(details, STR("priority")), &priority) && priority >= 0 && priority <= 100)
        task.priority = (int32_t)priority;
    return task;
}

bool task_next_name(const struct json *names, size_t *cursor, str *ret_name)
{
    if (json_is(names, JSON_STRING)) {
        *ret_name = json_string(names);
        return (*cursor)++ == 0 && ret_name->n;
    }
    while (json_is(names, JSON_ARRAY) && *cursor < json_count(names)) {
        const struct json *name = json_item(names, (*cursor)++);
        if (!json_is(name, JSON_STRING) || !json_string(name).n) continue;
        *ret_name = json_string(name);
        return true;
    }
    return false;
}

bool task_has_name(const struct json *names, str name)
{
    size_t cursor = 0;
    for (str other; task_next_name(names, &cursor, &other);)
        if (str_equal(other, name)) return true;
    return false;
}

static bool has_names(const struct json *names)
{
    size_t cursor = 0;
    str name;
    return task_next_name(names, &cursor, &name);
}

static bool share_name(const struct json *a, const struct json *b)
{
    size_t cursor = 0;
    for (str name; task_next_name(a, &cursor, &name);)
        if (task_has_name(b, name)) return true;
    return false;
}

static enum status refuse_group(const struct task_details *task, str actor, struct error *err)
{
    size_t cursor = 0, others = 0;
    str first, name;
    task_next_name(task->groups, &cursor, &first);
    while (task_next_name(task->groups, &cursor, &name)) others++;
    char more[48] = "";
    if (others) snprintf(more, sizeof more, " or of %zu other group%s", others, others == 1 ? "" : "s");
    return fail_code(err, ST_FORBIDDEN, "NOT_ASSIGNED",
                     "the task is for members of \"%.*s\"%s: nobody said that %s%.*s%s is in there",
                     STR_ARG(utf8_cut(first, 100)), more, actor.n ? "\"" : "",
                     STR_ARG(actor.n ? actor : STR("who asks")), actor.n ? "\"" : "");
}

/* Is the task, which nobody has, for this person? */
static enum status check_candidate(const struct task_details *task, const struct task_person *person,
                                   struct error *err)
{
    bool people = has_names(task->assignees), teams = has_names(task->groups);
    if ((!people && !teams) || task_has_name(task->assignees, person->name)) return ST_OK;
    if (teams && (person->in_any_group || share_name(task->groups, person->groups))) return ST_OK;
    if (teams) return refuse_group(task, person->name, err);
    if (!person->name.n)
        return fail_code(err, ST_FORBIDDEN, "NOT_ASSIGNED",
                         "the task is for certain people: say who you are");
    return fail_code(err, ST_FORBIDDEN, "NOT_ASSIGNED", "the task is not for %.*s", STR_ARG(person->name));
}

enum status task_check_unclaim(const struct json *details, str actor, struct error *err)
{
    str assignee = task_read(details, 0).assignee;
    if (!assignee.n || str_equal(assignee, actor)) return ST_OK;
    return fail_code(err, ST_FORBIDDEN, "NOT_ASSIGNED", "the task is with %.*s", STR_ARG(assignee));
}

enum status task_check_answer(const struct json *details, const struct task_person *person, struct error *err)
{
    struct task_details task = task_read(details, 0);
    return task.assignee.n ? task_check_unclaim(details, person->name, err)
                           : check_candidate(&task, person, err);
}

enum status task_check_claim(const struct json *details, const struct task_person *person, struct error *err)
{
    struct task_details task = task_read(details, 0);
    if (!person->name.n) return fail(err, ST_INVALID, "by", "say who takes the task");
    if (!task.assignee.n) return check_candidate(&task, person, err);
    if (str_equal(task.assignee, person->name)) return ST_OK;
    return fail_code(err, ST_CONFLICT, "TASK_CLAIMED", "the task is with %.*s", STR_ARG(task.assignee));
}

struct task_asked task_asked(const struct json *details)
{
    struct task_details task = task_read(details, 0);
    if (task.assignee.n) return (struct task_asked){ .people = json_get(details, STR("assignee")) };
    return (struct task_asked){ .people = task.assignees, .groups = task.groups };
}

/* ---- changing ---- */

const char *task_change_word(str before, str now, str actor, str comment)
{
    if (!str_equal(before, now)) return !now.n ? "unclaimed" : str_equal(now, actor) ? "claimed" : "assigned";
    return comment.n ? "commented" : "changed";
}

const struct json *task_with(struct step *step, const struct json *details, const struct json *more)
{
    struct json_each each = json_each(more);
    while (json_next(&each))
        details = json_is(each.value, JSON_NULL) ? json_without(step->arena, details, each.name)
                                                 : json_set(step->arena, details, each.name, each.value);
    return details;
}

void task_change(struct step *step, const struct token *token, const struct json *more, str comment)
{
    const struct json *details = task_with(step, token->task ? token->task : json_empty_object(), more);
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_TASK, .execution = token->execution, .comment = comment, .task = details });
}
