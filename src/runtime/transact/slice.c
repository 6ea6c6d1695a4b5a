/* runtime/transact/slice.c — how much a turn does: budgets of operations and bytes.
 *
 * A turn is bounded, so that nobody waits long for the next one. Its unit is the operation (core/core.h), not
 * the clock: a turn does the same in a test, in the simulation and on a slow machine. Each part of a turn has
 * a slice of operations and memory. The part ends when it has used up one of the two, and the rest of its
 * work goes on in the next turn.
 */
#include "runtime/transact/transact_int.h"

struct slice slice_begin(struct turn *turn, int parts)
{
    struct slice before = turn->slice;
    int64_t fuel = turn->engine->limits.turn_fuel_max / parts,
            bytes = turn->engine->limits.turn_bytes_max / parts;
    turn->slice = (struct slice){ turn->spent + fuel, turn->arena.used + (size_t)bytes };
    return before;
}

bool slice_is_over(const struct turn *turn)
{
    return turn->spent >= turn->slice.fuel_end || turn->arena.used >= turn->slice.bytes_end;
}
