/* program/check/check_int.h — the state of a check, and the tools that all checks share. */
#ifndef PROGRAM_CHECK_CHECK_INT_H
#define PROGRAM_CHECK_CHECK_INT_H

#include "program/program.h"

struct check {
    const struct program *program;
    struct problems *problems;
    struct arena *arena; /* Scratch: the problems' own. */
    const bool *reached; /* Per node: can it be entered at all? By check_reach(). */
    uint64_t work_left;  /* Budget of the analyses with more than linear cost. */
};

/* Each looks at one concern; see program/README.md for what is an error. check_reach()
 * comes first, the others need `reached`. */
void check_reach(struct check *check);
void check_stops(struct check *check);
void check_joins(struct check *check);
void check_loops(struct check *check);
void check_tables(struct check *check);
void links_check_self(struct check *check); /* links.c */

/* Uses up some of the work allowed. False when none is left. */
bool check_work(struct check *check, uint64_t amount);

/* `step "a" (SERVICE_TASK)`. */
const char *check_label(const struct check *check, uint32_t node);

/* Where a node can be left to: its edges, then everywhere else: targets of timers, handlers,
 * event cases and used up retries, and the starts of its regions. NODE_NONE: nowhere. */
size_t check_exit_count(const struct program_node *node);
uint32_t check_exit(const struct program_node *node, size_t i);
/* Which of the edges of a counting join the way is; 0: it leads to none. */
uint32_t check_exit_arrival(const struct program_node *node, size_t i);

/* True if the timer starts a side branch: a token beside the one that waits. */
bool check_starts_side_branch(const struct program_timer *timer);
/* The same exit, but NODE_NONE where a side branch starts: where the token itself can go. */
uint32_t check_main_exit(const struct program_node *node, size_t i);

/* A search that remembers how it got to each node. */
struct walk {
    uint32_t *parent; /* NODE_NONE: not seen. The first node is its own parent. */
    uint32_t *queue;
    size_t count; /* Nodes seen; they are in the queue in that order. */
};

void walk_init(struct walk *walk, const struct check *check);
void walk_restart(struct walk *walk); /* Forgets what it has seen. */
bool walk_seen(const struct walk *walk, uint32_t node);
bool walk_add(struct walk *walk, uint32_t node, uint32_t parent); /* False if seen before, or NODE_NONE. */

/* "a → b → c": from the first node to this one. A long path loses its middle. */
const char *walk_path(const struct walk *walk, const struct check *check, uint32_t node);

#endif
