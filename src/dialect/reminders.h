/* dialect/reminders.h — timers that remind people of a task, or hand it to others.
 *
 *     "reminders": ["P1D", "P3D"], or one with {"after": "P1D", "every": "PT1H", "email": false}
 *     "escalation": {"after": "P5D", "assignee": null, "groups": ["heads"], "priority": 90}
 *
 * A reminder counts up `reminded` among the details of the task. An escalation changes details: assignee,
 * assignees, groups, priority, due; null takes one away. There may be a list of escalations. Both write an
 * e-mail to those who have the task then, or may take it, unless `email` is false (core/notice.c). Neither
 * ends the task nor moves the token.
 */
#ifndef DIALECT_REMINDERS_H
#define DIALECT_REMINDERS_H

#include "program/program.h"

/* Adds the timers behind those that the node has. Either value may be NULL. Errors: ST_INVALID or ST_LIMIT,
 * with the JSON Pointer as `where`: "/reminders/0", "/escalation/after". */
enum status reminders_add(const struct json *reminders, const struct json *escalation, struct arena *arena,
                          struct program_node *node, struct error *err);

#endif
