/* core/trail.h — what the trail of an instance (core.h) tells besides its visits: the ways that its tokens
 * took, who did what to it, and which worker it waits for. */
#ifndef CORE_TRAIL_H
#define CORE_TRAIL_H

#include "core/core.h"

/* Both come before the first history. The trail tells the data of these visits only, so that late ones of a
 * long story have theirs, too: the budget of its arena counts from the first of them on. The two arenas are
 * the caller's and hold what came before; no other use is made of them meanwhile. */
void core_trail_window(struct trail *trail, uint32_t first, uint32_t last, struct arena past[2]);
/* The trail tells no data at all. */
void core_trail_without_data(struct trail *trail);

/* Between two nodes that an author knows, and how often it was taken. */
struct trail_way {
    str from, to;
    uint32_t count;
};

/* Each way once, in the order in which it was first taken. Tells also of the tokens that arrive at a join and
 * have no visit of their own there. Everything is copied to the arena. */
size_t core_trail_ways(const struct trail *trail, struct arena *arena, struct trail_way **ret_way);

/* Something that somebody did to an instance. */
struct act {
    int64_t at_ms;
    const char *what; /* "started", "claimed", "completed", "cancelled": acts.c */
    str by;           /* Empty: nobody said. */
    str node;         /* Where; empty: to the instance as a whole. */
    str comment;      /* Empty: none. */
};

/* The oldest ACTS_SHOWN_MAX acts, in order. They live as long as the trail's arena. */
struct trail_acts {
    const struct act *act;
    size_t count;
    size_t total; /* The number of all of them. */
};
struct trail_acts core_trail_acts(const struct trail *trail);

/* As core_explain(), if a worker holds the lease of the token's job; empty: nobody does, or nobody knows. */
str core_explain_held(const struct program *program, const struct instance *instance,
                      const struct token *token, str worker, int64_t now_ms, struct arena *arena);

#endif
