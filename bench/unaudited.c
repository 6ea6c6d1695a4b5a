/* bench/unaudited.c — takes the place of the function that notes commands in the audit, in an engine that is
 * only there to be compared: it shows how much of a task's answer is the audit (bench/questions/gate.py). */
#include "runtime/access/access.h"

enum status __wrap_audit_calls_note(struct turn *turn, const struct call *call, struct error *err);

enum status __wrap_audit_calls_note(struct turn *turn, const struct call *call, struct error *err)
{
    (void)turn, (void)call, (void)err;
    return ST_OK;
}
