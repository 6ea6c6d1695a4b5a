/* runtime/tasks/resume.h — going on with an instance that asks a person.
 *
 * A resume names an instance and perhaps a task; without one it means the instance's only open task. It is a
 * COMPLETE_TASK call, and its refusals have codes:
 *
 *     INSTANCE_NOT_FOUND, TASK_NOT_FOUND   there is none of that id
 *     TASK_ALREADY_COMPLETED               the task was done, or it expired, or it was cancelled
 *     NOT_WAITING                          no task is open
 *     AMBIGUOUS_TASK                       several are open, and the body names none
 *
 * and those of the core: the decision is not offered, the answer does not fit the form, the actor may not.
 */
#ifndef RUNTIME_TASKS_RESUME_H
#define RUNTIME_TASKS_RESUME_H

#include "runtime/call/call.h"

/* Fills in a COMPLETE_TASK call of a body {"taskId"?, "decision"?, …}: the answer is the body without the
 * task's id. ST_INVALID if the body is no object, or the id no text. */
enum status resume_read(const struct json *body, struct id instance, struct call *call, struct error *err);

#endif
