/* api/tasks/tasks_int.h — people's tasks of all dialects: /api/tasks.
 *
 *     list.c     who has what to do: pages by person, group, due time, definition
 *     change.c   claim, unclaim, assign, comment, complete; one task with its story
 *     stream.c   news of tasks, as Server-Sent Events
 */
#ifndef API_TASKS_TASKS_INT_H
#define API_TASKS_TASKS_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "json/put.h"

route_fn tasks_list, tasks_get, tasks_stream;
route_fn tasks_claim, tasks_unclaim, tasks_assign, tasks_comment, tasks_complete;

/* Writes a task; `whole`: with all details and what happened to it. */
void tasks_put(struct buf *out, const struct task_view *view, bool whole);

/* May the caller look at tasks of others, of some definition at least? Else only its own name and groups may
 * be asked for: ST_FORBIDDEN. */
bool tasks_may_see_all(const struct api_request *request);
enum status tasks_check_person(const struct api_request *request, str person, struct error *err);
enum status tasks_check_group(const struct api_request *request, str group, struct error *err);

/* The name of a person or a group: at most so many bytes. */
enum { TASKS_NAME_BYTES = WORKER_ID_BYTES_MAX };

#endif
