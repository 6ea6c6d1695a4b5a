/* dialect/triggers.h — triggers of definitions that arrivals only start.
 *
 * Flow graphs take arrivals at any time. A definition of another family begins with one: the arrival's value
 * is the member `trigger` of its data.
 */
#ifndef DIALECT_TRIGGERS_H
#define DIALECT_TRIGGERS_H

#include "program/program.h"

struct triggers {
    struct program_arrival *arrival;
    size_t count;
};

/* Reads a list of triggers. Each is an object with an `id`, a `type` and the fields of its type
 * (program/arrival.h). Reports every problem below `pointer`. All that is kept lives in the arena. */
void triggers_read(const struct json *list, str pointer, struct arena *arena, struct triggers *ret_triggers,
                   struct problems *problems);

/* Reads one schedule, an object {interval, cron, timezone, misfirePolicy}, as the trigger `schedule`. An
 * interval is a duration of ISO 8601, with or without R/ before it. */
void triggers_read_schedule(const struct json *schedule, str pointer, struct arena *arena,
                            struct triggers *ret_triggers, struct problems *problems);

/* Gives them to the program whose instances begin at the node `start`. */
void triggers_lower(const struct triggers *triggers, uint32_t start, struct program *program);

#endif
