/* core/tale.h — what the tale of an instance (core.h) tells besides its visits: the ways that its tokens
 * took, and who did what to it. */
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

/* The oldest ACTS_SHOWN_MAX acts, in order. They live as long as the tale's arena. */
struct tale_acts {
    const struct act *act;
    size_t count;
    size_t total; /* Of all of them. */
};
struct tale_acts core_tale_acts(const struct tale *tale);

#endif
