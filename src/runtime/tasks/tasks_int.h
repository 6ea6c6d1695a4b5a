/* runtime/tasks/tasks_int.h — what the files of this room share. */
#ifndef RUNTIME_TASKS_TASKS_INT_H
#define RUNTIME_TASKS_TASKS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/tasks/tasks.h"

#endif
