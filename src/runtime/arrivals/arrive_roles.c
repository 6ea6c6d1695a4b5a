/* runtime/arrivals/arrive_roles.c — decides whether a person may start a definition by hand.
 *
 * A trigger for people may name roles and groups (`requiredRoles`): everybody else is refused, whatever else
 * they may do. A caller who is only a person starts nothing but what has such a trigger. Senders and admins
 * start everything that names no roles.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"

static const struct json *roles_of(const struct program_arrival *arrival)
{
    const struct json *manual = arrival ? json_get(arrival->config, STR("manual")) : NULL;
    return manual ? json_get(manual, STR("requiredRoles")) : NULL;
}

static bool names_a_group(const struct caller *caller, const struct json *roles)
{
    for (size_t i = 0; json_is(roles, JSON_ARRAY) && i < json_count(roles); i++) {
        const struct json *name = json_item(roles, i);
        if (json_is(name, JSON_STRING) && caller_is_in(caller, json_string(name))) return true;
    }
    return json_is(roles, JSON_STRING) && caller_is_in(caller, json_string(roles));
}

/* For somebody who is acted for, only the groups of their own record count. */
static bool fits(const struct caller *caller, const struct json *roles)
{
    if (names_a_group(caller, roles)) return true;
    return !caller->for_whom.n && json_is(roles, JSON_ARRAY) &&
           principal_fits(caller->principal, caller->tenant, roles);
}

static bool is_only_a_person(const struct caller *caller)
{
    const role_set starters = 1u << ROLE_SENDER | 1u << ROLE_ADMIN;
    return !caller->principal->is_everybody &&
           !(principal_roles(caller->principal, caller->tenant) & starters);
}

enum status arrive_check_person(const struct call *call, const struct program_arrival *arrival,
                                struct error *err)
{
    const struct caller *caller = call->caller;
    const struct json *roles = roles_of(arrival);
    if (!caller || caller->principal->is_everybody) return ST_OK;
    must(caller->tenant == call->ns);
    if (is_only_a_person(caller) && (!arrival || arrival->terms.type != ARRIVAL_MANUAL))
        return fail_code(err, ST_FORBIDDEN, "forbidden",
                         "a person starts only what has a trigger for people; a sender starts the rest");
    bool names_anybody = roles && !(json_is(roles, JSON_ARRAY) && !json_count(roles));
    if (!names_anybody || fits(caller, roles)) return ST_OK;
    return fail_code(
        err, ST_FORBIDDEN, "forbidden",
        "only the roles and groups of requiredRoles may start this; the trigger \"%.*s\" names them",
        STR_ARG(arrival->name));
}
