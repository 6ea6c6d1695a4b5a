/* runtime/tasks/tasks.h — the door to people's tasks: lists, claims, comments, answers. */
#ifndef RUNTIME_TASKS_TASKS_H
#define RUNTIME_TASKS_TASKS_H

#include "runtime/call/call.h"
#include "runtime/tasks/resume.h"

struct error;
struct id;
struct query;
struct turn;

/* ---- task_calls.c: people's tasks ---- */

/* CLAIM_TASK, UNCLAIM_TASK, ASSIGN_TASK, COMMENT_TASK. */
enum status task_call_run(struct turn *turn, struct call *call, struct error *err);

/* ---- resume.c ---- */

/* The visit of the task that a resume means. */
enum status resume_find(struct turn *turn, const struct call *call, struct id *ret_visit, struct error *err);

/* ---- worklist.c ---- */

/* WORKLIST, LIST_TASKS, in parts. */
enum status worklist_list(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status worklist_list_rows(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* GET_TASK. */
enum status worklist_get_task(struct query *query, struct call *call, struct error *err);

#endif
