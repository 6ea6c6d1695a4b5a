/* runtime/entities/originator.c — who has made a write, as calculation nodes hear it.
 *
 *     caller                                    authtype   authid
 *     a person, or somebody for a person        user       the person's name
 *     a key, a network, a client certificate    service    its name
 *     a bearer with the role worker             service    its name
 *     any other bearer                          user       its name
 *     the engine itself, an engine without access          nothing: the request says "system"
 *
 * The claims are the roles in the tenant, with commas between them. Roles that the original engine knows have
 * its names, because its calculation nodes look for them.
 */
#include "runtime/entities/entities_int.h"

#include "dialect/entity/entity.h"
#include "runtime/call/call.h"

static const char *type_of(const struct caller *caller)
{
    if (caller->for_whom.n) return "user";
    switch (caller->principal->kind) {
    case PRINCIPAL_USER: return "user";
    case PRINCIPAL_TOKEN:
        return principal_roles(caller->principal, caller->tenant) & 1u << ROLE_WORKER ? "service" : "user";
    case PRINCIPAL_KEY:
    case PRINCIPAL_NETWORK:
    case PRINCIPAL_CERTIFICATE: return "service";
    default: return NULL;
    }
}

static void add_claim(struct buf *out, const char *word)
{
    if (out->n) buf_add_char(out, ',');
    buf_add_str(out, str_of(word));
}

/* The roles of somebody who is acted for are not known here. */
static str claims_of(const struct caller *caller, struct arena *arena)
{
    const role_set machine = 1u << ROLE_WORKER | 1u << ROLE_SENDER | 1u << ROLE_BUILDER;
    role_set roles = caller->for_whom.n ? 0 : principal_roles(caller->principal, caller->tenant);
    struct buf out;
    buf_init(&out, arena);
    if (roles & 1u << ROLE_ADMIN) add_claim(&out, "ROLE_ADMIN");
    bool is_machine = (roles & machine) == machine;
    if (is_machine) add_claim(&out, "ROLE_M2M");
    roles &= ~(1u << ROLE_ADMIN | (is_machine ? machine : 0));
    for (int role = 0; role < ROLE_COUNT; role++)
        if (roles & 1u << role) add_claim(&out, role_word((enum role)role));
    return buf_str(&out);
}

const struct json *entity_originator(const struct call *call, const struct instance *before,
                                     struct arena *arena)
{
    const struct caller *caller = call->caller;
    const char *type = caller ? type_of(caller) : NULL;
    if (!type) return before && entity_has_originator(before) ? json_null() : NULL;
    struct json_builder builder;
    str claims = claims_of(caller, arena);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("type"), str_of(type));
    json_add_text(&builder, STR("id"), caller_person(caller));
    if (claims.n) json_add_text(&builder, STR("claims"), claims);
    json_close(&builder);
    return json_built(&builder);
}
