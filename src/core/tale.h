/* core/tale.h — the ways that the tokens of an instance took, from its tale (core.h). */
#ifndef CORE_TALE_H
#define CORE_TALE_H

#include "core/core.h"

/* Between two nodes that an author knows, and how often it was taken. */
struct tale_way {
    str from, to;
    uint32_t count;
};

/* Each way once, in the order in which it was first taken. Tells also of the tokens that arrive at a join and
 * have no visit of their own there. Everything is copied to the arena. */
size_t core_tale_ways(const struct tale *tale, struct arena *arena, struct tale_way **ret_way);

#endif
