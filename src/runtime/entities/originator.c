/* runtime/entities/originator.c — on whose account a write is made, and who has sent it.
 *
 *     caller                                    type      id                  by
 *     a person                                  user      the person's name
 *     somebody for a person                     user      the person's name   the one who acts
 *     a key or its token, a network,
 *     a client certificate                      service   its name
 *     the user of an exchanged token            user      the user's name     the client
 *     a bearer with the role worker             service   its name
 *     any other bearer                          user      its name
 *     a write that joins a transaction          those of the transaction      the one who sends it
 *     the engine itself, an engine without access          nothing: the request says "system"
 *
 * The claims are the roles in the tenant, with commas between them. Roles that the original engine knows have
 * its names, because its calculation nodes look for them.
 */
#include "runtime/entities/entities_int.h"

#include "dialect/entity/entity.h"
#include "runtime/call/call.h"

static const char *type_of(const struct principal *principal, int32_t tenant)
{
    switch (principal->kind) {
    case PRINCIPAL_USER: return "user";
    case PRINCIPAL_TOKEN:
        if (str_starts(principal->id, STR("key:"))) return "service";
        if (principal->through.n) return "user";
        return principal_roles(principal, tenant) & 1u << ROLE_WORKER ? "service" : "user";
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

static void add_name(struct json_builder *builder, const char *type, str id)
{
    json_add_text(builder, STR("type"), str_of(type));
    json_add_text(builder, STR("id"), id);
}

static void add_sender(struct json_builder *builder, const char *type, str id)
{
    json_add_name(builder, STR("by"));
    json_open_object(builder);
    add_name(builder, type, id);
    json_close(builder);
}

/* The write of a processor counts as one of those for whom the processor works. */
static const struct json *join_originator(const struct json *joined, const struct caller *caller,
                                          struct arena *arena)
{
    struct json_builder builder;
    str claims = json_text(joined, STR("claims"));
    bool is_known = json_is(joined, JSON_OBJECT);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("type"), is_known ? json_text(joined, STR("type")) : ENTITY_SYSTEM);
    json_add_text(&builder, STR("id"), is_known ? json_text(joined, STR("id")) : ENTITY_ENGINE);
    if (claims.n) json_add_text(&builder, STR("claims"), claims);
    add_sender(&builder, type_of(caller->principal, caller->tenant), caller->principal->name);
    json_close(&builder);
    return json_built(&builder);
}

const struct json *entity_originator(const struct call *call, const struct json *joined,
                                     const struct instance *before, struct arena *arena)
{
    const struct caller *caller = call->caller;
    const char *type = caller ? type_of(caller->principal, caller->tenant) : NULL;
    struct json_builder builder;
    if (!type) return before && entity_originator_of(before) ? json_null() : NULL;
    if (joined) return join_originator(joined, caller, arena);
    str claims = claims_of(caller, arena);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_name(&builder, caller->for_whom.n ? "user" : type, caller_person(caller));
    if (claims.n) json_add_text(&builder, STR("claims"), claims);
    if (caller->for_whom.n) add_sender(&builder, type, caller->principal->name);
    else if (caller->principal->through.n) add_sender(&builder, "service", caller->principal->through);
    json_close(&builder);
    return json_built(&builder);
}

const struct json *entity_keep_originator(const struct instance *instance, struct arena *arena)
{
    const struct json *originator = entity_originator_of(instance);
    return originator ? json_copy(arena, originator) : json_null();
}
