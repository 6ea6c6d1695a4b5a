/* core/task.h — what the details of a person's task mean.
 *
 * The details (struct token.task) are an object that is computed when the task opens, and that ASSIGN_TASK
 * changes. The engine understands these members and shows all others:
 *
 *     title, description   texts
 *     assignee             who has the task: it was claimed by, or given to this person
 *     assignees, groups    who may take it: texts, or one text
 *     due, followUp        a time (RFC 3339), or a duration since the task was opened: a text, or
 *                          milliseconds
 *     priority             an integer from 0 to 100; 50 if there is none
 *     reminded             how often people were reminded of it
 *     notSent              why the last e-mail about it was not sent
 *
 * A member of another form counts as absent: the details come out of expressions, and a task that nobody can
 * see would help nobody.
 */
#ifndef CORE_TASK_H
#define CORE_TASK_H

#include "base/status.h"
#include "json/json.h"

enum { TASK_PRIORITY_DEFAULT = 50 };

struct task_details {
    str title, description; /* Empty: none. */
    str assignee;
    const struct json *assignees, *groups; /* For task_names(); NULL: none. */
    int64_t due_ms, follow_up_ms;          /* 0: none. */
    int32_t priority;
};

/* Reads the details of a task that was opened at that time. NULL: it has none. */
struct task_details task_read(const struct json *details, int64_t opened_ms);

/* A time or a duration since then; 0 if it is neither. */
int64_t task_time(const struct json *value, int64_t opened_ms);

/* Walks through the names of a list: start with *cursor = 0. False at its end. */
bool task_next_name(const struct json *names, size_t *cursor, str *ret_name);
bool task_has_name(const struct json *names, str name);

/* The people whom a task asks: the one who has it or, if nobody does, those who may take it. Each is a list
 * of texts, one text, or NULL. */
struct task_asked {
    const struct json *people, *groups;
};
struct task_asked task_asked(const struct json *details);

/* A person, and the groups that the caller says the person is in. */
struct task_person {
    str name;
    const struct json *groups; /* A list of texts, or one text; NULL: none. */
    bool in_any_group;         /* Every group has this person as a member: a scenario's. */
};

/* May this person complete the task? The one who has it may. If nobody has it, those among `assignees` and
 * the members of `groups` may, or, if it has neither, everybody. ST_FORBIDDEN. */
enum status task_check_answer(const struct json *details, const struct task_person *person,
                              struct error *err);

/* Names a change of the details: "claimed", "unclaimed", "assigned", "commented" or "changed". `before`
 * and `now` are who has the task. */
const char *task_change_word(str before, str now, str actor, str comment);

/* May this person give the task back? The one who has it may. ST_FORBIDDEN. */
enum status task_check_unclaim(const struct json *details, str actor, struct error *err);

/* May this person take it? ST_FORBIDDEN, or ST_CONFLICT if another one has it. */
enum status task_check_claim(const struct json *details, const struct task_person *person, struct error *err);

#endif
