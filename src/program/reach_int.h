/* program/reach_int.h — which nodes lead to a join. */
#ifndef PROGRAM_REACH_INT_H
#define PROGRAM_REACH_INT_H

#include "program/program.h"

/* Fills in reach_, has_counting_joins_ and has_holding_tasks_. */
void reach_link(struct program *program);

#endif
