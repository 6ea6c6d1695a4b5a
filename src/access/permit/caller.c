/* access/permit/caller.c — on whose behalf a call runs. */
#include "access/permit/caller.h"

#include "base/must.h"

str caller_person(const struct caller *caller)
{
    if (!caller) return STR_NONE;
    if (caller->for_whom.n) return caller->for_whom;
    return caller->principal->kind == PRINCIPAL_NOBODY ? STR_NONE : caller->principal->name;
}

bool caller_is_in(const struct caller *caller, str group)
{
    if (!caller) return false;
    if (!caller->for_whom.n) return principal_is_in(caller->principal, group);
    for (size_t i = 0; i < caller->for_group_count; i++)
        if (str_equal(caller->for_group[i], group)) return true;
    return false;
}

enum status caller_check(const struct caller *caller, str object, struct error *err)
{
    return caller && !caller->may_all ? caller_check_for(caller, caller->needs, object, err) : ST_OK;
}

enum status caller_check_for(const struct caller *caller, enum permission permission, str object,
                             struct error *err)
{
    if (!caller) return ST_OK;
    must(caller->principal);
    if (principal_may(caller->principal, caller->tenant, permission, object)) return ST_OK;
    return principal_refuse(caller->principal, permission, object, err);
}
