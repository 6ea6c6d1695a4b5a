/* tests/sim/checker_runs.c — see runs.h. */
#include "runs.h"

static bool is_open(const struct instance *entity)
{
    return entity->status != INSTANCE_CANCELLED && entity->job_count;
}

void runs_follow(struct run_checker *checker, uint64_t entity, const struct history *history, bool is_first,
                 const struct instance *after, struct arena *arena)
{
    bool writes = history->command == COMMAND_START || history->command == COMMAND_FIRE ||
                  history->command == COMMAND_CANCEL;
    bool fails = history->command == COMMAND_FAIL_JOB && is_first;
    for (size_t i = 0; i < checker->runs.count; i++) {
        struct seen_run *run = &checker->runs.item[i];
        if (run->entity != entity || !run->is_open) continue;
        run->is_open = is_open(after) && !writes && !fails;
        run->is_good = !run->is_open && !writes && !fails;
    }
    if (writes)
        *list_push(arena, &checker->runs) = (struct seen_run){
            .entity = entity, .op = history->actor, .is_open = is_open(after), .is_good = !is_open(after)
        };
}

bool runs_may_be_acknowledged(const struct run_checker *checker, uint64_t entity, str op)
{
    bool any = false;
    for (size_t i = 0; i < checker->runs.count; i++) {
        const struct seen_run *run = &checker->runs.item[i];
        if (run->entity != entity || !str_equal(run->op, op)) continue;
        if (run->is_good) return true;
        any = true;
    }
    return !any;
}
