/* tests/sim/runs.h — what became of writes that waited for a processor behind their commit.
 *
 * Such a wait is a run: it begins with the commit of a write that leaves a task open, and it ends when the
 * entity rests, when the task fails, or when another write takes its place. A write may happen twice if its
 * client did not hear the first answer. It is acknowledged only if one of its runs ended well.
 */
#ifndef SIM_RUNS_H
#define SIM_RUNS_H

#include "core/core.h"
#include "world.h"

struct seen_run {
    uint64_t entity;
    str op;
    bool is_open, is_good;
};

struct run_checker {
    LIST(struct seen_run) runs;
};

/* A command of an entity is committed. A task that was open before the transaction can fail in the first one
 * only; other failures are of tasks that the transaction waited for, and were handled. */
void runs_follow(struct run_checker *checker, uint64_t entity, const struct history *history, bool is_first,
                 const struct instance *after, struct arena *arena);
/* False: the op had runs of the entity, and none of them has ended well. */
bool runs_may_be_acknowledged(const struct run_checker *checker, uint64_t entity, str op);

#endif
