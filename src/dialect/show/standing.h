/* dialect/show/standing.h — how an instance stands: what its tokens wait for, seen as a whole.
 *
 * The engine's status of an instance is coarse. Families that tell a wait for a person from a wait for a time
 * make their own words of this.
 */
#ifndef DIALECT_SHOW_STANDING_H
#define DIALECT_SHOW_STANDING_H

#include "core/core.h"

/* A task that a person may do now. Its public id is {since_ms, the instance's, execution, 0}. */
struct standing_task {
    uint32_t execution;
    int64_t since_ms;
    str node;
};

/* Something that was undone, or is to be: the name of the node that does it. */
struct standing_undo {
    str node;
    enum undo_state state;
};

struct standing {
    enum instance_status status;
    const struct json *error; /* The instance's; NULL: none. */
    bool is_held;             /* Created and not begun. */
    bool undoes;              /* Completed work is being undone. */
    bool runs;                /* A token can go on, or somebody is at work for it. */
    bool waits_for_person;
    bool waits_for_time;  /* Or for an event. */
    bool waits_for_retry; /* A call failed and is made again later. */
    int64_t resume_ms;    /* When it goes on by itself at the latest; 0: it does not. */
    const struct standing_task *task;
    size_t task_count;
    const struct standing_undo *undo; /* In the order in which they are undone. */
    size_t undo_count;
};

/* `now_ms` 0: not known; then a call that waits for its next attempt still waits. Texts are copied to the
 * arena. */
struct standing standing_of(const struct program *program, const struct instance *instance, int64_t now_ms,
                            struct arena *arena);

/* The same for an instance of which only this is known. */
static inline struct standing standing_plain(enum instance_status status, const struct json *error)
{
    return (struct standing){ .status = status, .error = error, .runs = status == INSTANCE_ACTIVE };
}

#endif
