/* core/budget.c — a command that uses up its budget stops the instance. */

#include "core/core_int.h"

/* The reason why the run must stop, or an empty text. */
static str budget_used_up(const struct step *step)
{
    if (step->visits >= step->limits->visits_max)
        return arena_printf(step->arena,
                            "stopped after %lld node visits without waiting: the definition loops",
                            (long long)step->visits);
    if (step_is_spent(step))
        return arena_printf(
            step->arena,
            "stopped after %lld node visits: the command used up its budget of %lld operations "
            "(command_fuel_max)",
            (long long)step->visits, (long long)step->limits->command_fuel_max);
    if (arena_over(step->arena))
        return arena_printf(step->arena,
                            "stopped after %lld node visits: the command needs more memory than allowed",
                            (long long)step->visits);
    return STR_NONE;
}

/* No handler may go on with a budget that is used up. */
void budget_stop(struct step *step, uint32_t execution, str reason)
{
    str name = step->program->error_names.limit;
    if (step->program->named_errors)
        token_halt(step, execution, error_object(step, execution, name, reason, NULL));
    else token_fail(step, execution, reason);
}

bool budget_stopped(struct step *step, uint32_t execution)
{
    str reason = budget_used_up(step);
    if (reason.n) budget_stop(step, execution, reason);
    return reason.n > 0;
}

bool budget_is_half_spent(const struct step *step)
{
    const struct limits *limits = step->limits;
    size_t bytes_left = step->arena->budget > step->arena->used ? step->arena->budget - step->arena->used : 0;
    return step->visits > limits->visits_max / 2 || step->fuel < limits->command_fuel_max / 2 ||
           (step->arena->budget && bytes_left < (size_t)limits->step_bytes_max / 2);
}
