/* tests/sim/gate.c — the work of api/access with a credential, in virtual time: the directory is asked, then
 * the store, and then it is decided. */
#include "access.h"

#include "access/directory/directory.h"
#include "server.h"

static struct visit *visit_of(const struct copy *copy) { return copy->request->visit; }

void gate_forget(struct copy *copy)
{
    principal_unref(copy->caller.principal);
    copy->caller.principal = NULL;
}

static void refuse(struct world *world, struct copy *copy, enum verdict verdict)
{
    static const enum status statuses[] = { [VERDICT_UNKNOWN] = ST_UNAUTHORIZED,
                                            [VERDICT_NOT_THERE] = ST_NOT_FOUND,
                                            [VERDICT_MISSING] = ST_FORBIDDEN,
                                            [VERDICT_SUSPENDED] = ST_FORBIDDEN };
    checker_access_verdict(world, copy, verdict, 0);
    copy->call->status = statuses[verdict];
    server_answer(world, copy->call);
}

static void fail_at_gate(struct world *world, struct copy *copy, const struct call *call)
{
    copy->call->status = call->status;
    copy->call->error = call->error;
    server_answer(world, copy->call);
}

/* As access_authorize() has it. */
static void authorize(struct world *world, struct copy *copy, bool is_suspended)
{
    struct caller *caller = &copy->caller;
    const struct visit *visit = visit_of(copy);
    str object = visit->kind == VISIT_REVOKE ? STR_NONE : access_draft_name(visit->draft);
    caller->needs = access_needs(visit);
    bool is_known = caller->tenant != TENANT_NOWHERE && principal_knows(caller->principal, caller->tenant);
    if (visit->tenant >= 0 && !is_known) refuse(world, copy, VERDICT_NOT_THERE);
    else if (!principal_may(caller->principal, caller->tenant, caller->needs, object))
        refuse(world, copy, VERDICT_MISSING);
    else if (is_suspended && visit->kind != VISIT_GET) refuse(world, copy, VERDICT_SUSPENDED);
    else {
        checker_access_verdict(world, copy, VERDICT_LET_IN, caller->tenant);
        copy->call->caller = caller;
        copy->call->ns = copy->let_in_ns = caller->tenant;
        server_let_in(world, copy);
    }
}

/* ---- the tenant ---- */

static void ask_tenant(struct world *world, struct copy *copy, str name)
{
    struct call *call = call_new(CALL_LIST_ACCESS, &copy->arena, NULL, copy);
    call->as.access_list = (struct call_access_list){ .kind = ACCESS_TENANT, .name = name, .max = 1 };
    server_ask(world, copy, call);
}

static void take_tenant(struct world *world, struct copy *copy, const struct tenant *tenant)
{
    copy->caller.tenant = tenant ? tenant->number : TENANT_NOWHERE;
    authorize(world, copy, tenant && tenant->is_suspended);
}

static void find_tenant(struct world *world, struct copy *copy)
{
    struct directory *directory = copy->server->directory;
    const struct visit *visit = visit_of(copy);
    struct tenant tenant = { .number = TENANT_DEFAULT };
    if (visit->tenant < 0) {
        copy->caller.tenant = copy->caller.principal->home;
        authorize(world, copy, directory_is_suspended(directory, copy->caller.tenant));
        return;
    }
    str name = access_tenant_name((uint32_t)visit->tenant);
    if (visit->tenant == 0 || directory_tenant(directory, name, &tenant)) take_tenant(world, copy, &tenant);
    else ask_tenant(world, copy, name);
}

static void tenant_answered(struct world *world, struct copy *copy, struct call *call)
{
    struct tenant tenant;
    if (call->status != ST_OK && call->status != ST_NOT_FOUND) fail_at_gate(world, copy, call);
    else {
        str name = access_tenant_name((uint32_t)visit_of(copy)->tenant);
        bool there = directory_tenant(copy->server->directory, name, &tenant);
        take_tenant(world, copy, there ? &tenant : NULL);
    }
}

/* ---- the principal ---- */

static struct credential_hash hash_of(struct copy *copy)
{
    return credential_hash(access_secret(visit_of(copy)->secret, &copy->arena));
}

static void take_principal(struct world *world, struct copy *copy, struct principal *principal)
{
    copy->caller.principal = principal;
    if (principal) find_tenant(world, copy);
    else refuse(world, copy, VERDICT_UNKNOWN);
}

static void ask_principal(struct world *world, struct copy *copy, struct credential_hash hash)
{
    const struct visit *visit = visit_of(copy);
    struct call *call = call_new(CALL_RESOLVE, &copy->arena, NULL, copy);
    call->as.resolve = (struct call_resolve){ .kind = visit->by_user ? CREDENTIAL_SESSION : CREDENTIAL_KEY,
                                              .hash = hash,
                                              .id = access_key_id(world, visit->holder) };
    server_ask(world, copy, call);
}

static void note_moment(struct world *world, struct copy *copy)
{
    copy->oldest_version = checker_access_oldest(world, copy->server);
    copy->found_wall_ms = world_wall_ms(world);
}

void gate_arrive(struct world *world, struct copy *copy)
{
    struct credential_hash hash = hash_of(copy);
    struct principal *principal = NULL;
    const char *why;
    note_moment(world, copy);
    copy->caller =
        (struct caller){ .way = WAY_REST, .request_id = arena_printf(&copy->arena, "%u", copy->request->op) };
    enum directory_answer answer =
        directory_find(copy->server->directory, &hash, world_wall_ms(world), &principal, &why);
    if (answer == DIRECTORY_ASK) ask_principal(world, copy, hash);
    else take_principal(world, copy, principal);
}

static void principal_answered(struct world *world, struct copy *copy, struct call *call)
{
    const struct answer_resolve *answer = &call->value.resolve;
    struct credential_hash hash = hash_of(copy);
    if (call->status != ST_OK) {
        fail_at_gate(world, copy, call);
        return;
    }
    note_moment(world, copy);
    directory_keep(copy->server->directory, &hash, answer->generation, answer->principal, answer->why,
                   world_wall_ms(world));
    take_principal(world, copy, answer->principal);
}

void gate_answered(struct world *world, struct copy *copy, struct call *call)
{
    if (call->kind == CALL_RESOLVE) principal_answered(world, copy, call);
    else tenant_answered(world, copy, call);
}
