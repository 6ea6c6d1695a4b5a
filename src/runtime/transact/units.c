/* runtime/transact/units.c — a command in several parts begins a unit, or forgets it. See units.h. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

enum status unit_begin(struct turn *turn, struct call *call, struct error *err)
{
    must(!turn->unit);
    TRY(unit_check_room(turn, err));
    turn->unit = unit_stage(turn, NULL);
    turn->unit->call = call;
    return ST_OK;
}

void unit_forget(struct turn *turn)
{
    must(turn->unit && turn->unit->fate <= UNIT_WAITS);
    if (turn->unit->join) {
        unit_unjoin(turn);
        return;
    }
    turn->unit->fate = UNIT_DROPPED;
    turn->unit->call = NULL; /* The caller of unit_begin() answers the call. */
    turn->unit = NULL;
}
