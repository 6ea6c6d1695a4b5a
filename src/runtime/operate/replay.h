/* runtime/operate/replay.h — how an instance began, so that another one can begin alike. */
#ifndef RUNTIME_OPERATE_REPLAY_H
#define RUNTIME_OPERATE_REPLAY_H

#include "runtime/call/call.h"

/* Fills in the trigger and the data of a start, and whether it is a test, from the first history row of an
 * instance. */
enum status replay_beginning(const struct program *program, str history, struct arena *arena,
                             struct call_start *start, struct error *err);

#endif
