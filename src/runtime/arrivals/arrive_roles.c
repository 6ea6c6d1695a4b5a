/* runtime/arrivals/arrive_roles.c — decides whether a person may start a definition by hand.
 *
 * A definition may name roles and groups (`startableBy`), and so may a trigger for people (`requiredRoles`):
 * everybody else is refused, whatever else they may do. If both do, both count. A caller who is only a person
 * starts nothing but what names somebody in `startableBy` or has a trigger for people. Senders and admins
 * start everything that names nobody. Schedules, webhooks, parents and chains start by the author's word.
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

static bool keeps_out(const struct caller *caller, const struct json *names)
{
    bool names_anybody = names && !(json_is(names, JSON_ARRAY) && !json_count(names));
    return names_anybody && !fits(caller, names);
}

enum status arrive_check_person(const struct call *call, const struct program *program,
                                const struct program_arrival *arrival, struct error *err)
{
    const struct caller *caller = call->caller;
    if (!caller || caller->principal->is_everybody) return ST_OK;
    must(caller->tenant == call->ns);
    bool is_for_people =
        json_count(program->startable_by) || (arrival && arrival->terms.type == ARRIVAL_MANUAL);
    if (is_only_a_person(caller) && !is_for_people)
        return fail_code(
            err, ST_FORBIDDEN, "forbidden",
            "a person starts only what has a trigger for people, or names them in startableBy; a "
            "sender starts the rest");
    if (keeps_out(caller, program->startable_by))
        return fail_code(err, ST_FORBIDDEN, "forbidden",
                         "only the roles and groups of startableBy may start this");
    if (!keeps_out(caller, roles_of(arrival))) return ST_OK;
    return fail_code(
        err, ST_FORBIDDEN, "forbidden",
        "only the roles and groups of requiredRoles may start this; the trigger \"%.*s\" names them",
        STR_ARG(arrival->name));
}

enum status arrive_check_form(const struct call *call, const struct definition *definition,
                              const struct program_arrival *arrival, struct error *err)
{
    const struct caller *caller = call->caller;
    if (!caller) return ST_OK;
    bool is_nobody = caller->principal->kind == PRINCIPAL_NOBODY && !caller->principal->is_everybody;
    bool is_open = arrival && arrival->terms.open_form;
    if (!is_open && is_nobody)
        return fail(err, ST_UNAUTHORIZED, "", "this form is for people who are signed in");
    if (!is_open) TRY(caller_check_for(caller, MAY_INSTANCES_START, definition->id, err));
    enum status status = arrive_check_person(call, definition->program, arrival, err);
    if (status != ST_OK && is_nobody)
        return fail(err, ST_UNAUTHORIZED, "", "this form is for people who are signed in");
    return status;
}
