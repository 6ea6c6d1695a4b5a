/* runtime/transact/damage.c — the error for an instance whose stored rows cannot be read. */
#include "runtime/transact/transact_int.h"

enum status damage_fail(const struct instance_row *row, const char *why, struct error *err)
{
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = row->created_ms, .instance = row->id }, id);
    return fail(err, ST_INTERNAL, "instance", "instance %s is damaged and left alone: %s", id, why);
}
