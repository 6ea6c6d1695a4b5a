/* tests/sim/actors_access.c — root, who changes access all the time, and visitors with credentials, good or
 * not. */
#include "access.h"

#include "actors.h"
#include "base/datetime.h"

#include <stdio.h>

enum { VISITS_AFTER_MS = 4000, SECRETS_KNOWN_MAX = 64 };

/* A credential that somebody has got, and may go on using when it has ended. */
struct known_secret {
    bool of_user;
    uint32_t holder, op;
};

struct access_actors {
    LIST(struct known_secret) secrets;
    uint32_t logins_left;
    bool has_stopped;
};

static const enum role roles_in_use[] = { ROLE_VIEWER, ROLE_BUILDER, ROLE_BUILDER, ROLE_ADMIN, ROLE_WORKER };

/* ---- calls ---- */

static const char *narrowed(uint32_t narrow)
{
    static const char *const scopes[ACCESS_NARROW] = {
        "null",
        "[\"definitions:read\"]",
        "[\"definitions:write:x0\"]",
        "[\"definitions:read\",\"definitions:write:x1\"]",
    };
    return scopes[narrow];
}

static str key_text(const struct deed *deed, struct arena *arena)
{
    char expires[DATETIME_CHARS + 1], member[DATETIME_CHARS + 32] = "";
    if (deed->expires_ms) {
        datetime_print(deed->expires_ms, expires);
        snprintf(member, sizeof member, ",\"expiresAt\":\"%s\"", expires);
    }
    return arena_printf(arena, "{\"name\":\"k\",\"tenant\":\"%.*s\",\"roles\":[\"%s\"],\"scopes\":%s%s}",
                        STR_ARG(access_tenant_name(deed->tenant)), role_word(deed->role),
                        narrowed(deed->narrow), member);
}

static str object_text(const struct deed *deed, struct arena *arena)
{
    switch (deed->kind) {
    case DEED_SUSPEND_TENANT: return STR("{\"state\":\"suspended\"}");
    case DEED_ENABLE_USER:
    case DEED_RESUME_TENANT: return STR("{\"state\":\"active\"}");
    case DEED_DISABLE_USER: return STR("{\"state\":\"disabled\"}");
    case DEED_REVOKE_KEY: return STR("{\"state\":\"revoked\"}");
    case DEED_MAKE_KEY: return key_text(deed, arena);
    case DEED_MAKE_USER:
    case DEED_GIVE_KEY: return arena_printf(arena, "{\"roles\":[\"%s\"]}", role_word(deed->role));
    case DEED_NARROW_KEY: return arena_printf(arena, "{\"scopes\":%s}", narrowed(deed->narrow));
    case DEED_LOG_IN: return arena_printf(arena, "{\"user\":\"u%u\"}", deed->at);
    case DEED_MAKE_GRANT:
        return arena_printf(arena, "{\"to\":\"%s%u\",\"role\":\"%s\",\"tenant\":\"%.*s\"}",
                            deed->to_user ? "user:u" : "key:K", deed->holder, role_word(deed->role),
                            STR_ARG(access_tenant_name(deed->tenant)));
    default: return STR("{}");
    }
}

static str name_of(const struct deed *deed, struct arena *arena)
{
    switch (deed->kind) {
    case DEED_MAKE_TENANT:
    case DEED_SUSPEND_TENANT:
    case DEED_RESUME_TENANT:
    case DEED_REMOVE_TENANT: return access_tenant_name(deed->at);
    case DEED_MAKE_USER:
    case DEED_DISABLE_USER:
    case DEED_ENABLE_USER:
    case DEED_REMOVE_USER: return arena_printf(arena, "u%u", deed->at);
    case DEED_LOG_IN: return STR_NONE;
    case DEED_MAKE_GRANT:
    case DEED_REMOVE_GRANT: return arena_printf(arena, "g%u", deed->at);
    default: return arena_printf(arena, "K%u", deed->at);
    }
}

static const struct json *parse(str text, struct arena *arena)
{
    const struct json *value;
    must(json_parse(text, NULL, arena, &value, NULL) == ST_OK);
    return value;
}

static void fill_deed(struct call *call, const struct request *request)
{
    static const struct {
        enum access_kind kind;
        enum access_action action;
    } how[DEED_COUNT] = {
#define XX(NAME, word, kind, action) [DEED_##NAME] = { ACCESS_##kind, ACCESS_##action },
        DEED_MAP(XX)
#undef XX
    };
    const struct deed *deed = request->deed;
    struct access_change *change = arena_make(call->arena, struct access_change);
    bool has_secret = deed->kind == DEED_MAKE_KEY || deed->kind == DEED_ROTATE_KEY ||
                      deed->kind == DEED_RESET_KEY || deed->kind == DEED_LOG_IN;
    *change = (struct access_change){ .kind = how[deed->kind].kind,
                                      .action = how[deed->kind].action,
                                      .name = name_of(deed, call->arena),
                                      .object = parse(object_text(deed, call->arena), call->arena),
                                      .request_id = arena_printf(call->arena, "%u", request->op) };
    if (has_secret) change->hash = credential_hash(access_secret(request->op, call->arena));
    if (deed->tenant < ACCESS_TENANTS) change->tenant = access_tenant_name(deed->tenant);
    call->as.access = (struct call_access){ .change = change, .count = 1 };
}

/* Root is in all tenants. */
static const struct caller *root_of(const struct world *world, struct call *call,
                                    const struct request *request)
{
    struct caller *caller = arena_make(call->arena, struct caller);
    *caller = (struct caller){ .principal = world->root,
                               .tenant = TENANT_DEFAULT,
                               .way = WAY_CLI,
                               .request_id = arena_printf(call->arena, "%u", request->op) };
    return caller;
}

void access_fill(const struct world *world, struct call *call, const struct request *request)
{
    const struct visit *visit = request->visit;
    call->ns = TENANT_DEFAULT;
    if (request->deed) fill_deed(call, request);
    if (request->deed && !visit && request->deed->kind != DEED_LOG_IN)
        call->caller = root_of(world, call, request);
    if (!visit || request->deed) return;
    call->as.draft.id = access_draft_name(visit->draft);
    if (visit->kind == VISIT_SAVE)
        call->as.draft.document = parse(arena_printf(call->arena, "{\"op\":%u}", request->op), call->arena);
}

/* ---- root ---- */

static void know_secret(struct world *world, struct request *request, const struct call *answer)
{
    struct access_actors *actors = world->access_actors;
    const struct deed *deed = request->deed;
    if (!answer || answer->status != ST_OK || actors->secrets.count == SECRETS_KNOWN_MAX) return;
    *list_push(&world->arena, &actors->secrets) =
        (struct known_secret){ .of_user = deed->kind == DEED_LOG_IN, .holder = deed->at, .op = request->op };
}

static enum deed_kind draw_kind(struct world *world)
{
    static const enum deed_kind often[] = { DEED_MAKE_TENANT, DEED_SUSPEND_TENANT, DEED_RESUME_TENANT,
                                            DEED_MAKE_KEY,    DEED_MAKE_KEY,       DEED_MAKE_KEY,
                                            DEED_REVOKE_KEY,  DEED_ROTATE_KEY,     DEED_RESET_KEY,
                                            DEED_MAKE_USER,   DEED_LOG_IN,         DEED_MAKE_GRANT,
                                            DEED_MAKE_GRANT };
    if (world_below(world, 3) == 0) return (enum deed_kind)world_below(world, DEED_COUNT);
    return often[world_below(world, COUNT(often))];
}

static uint32_t draw_subject(struct world *world, enum deed_kind kind)
{
    if (kind <= DEED_REMOVE_TENANT) return 1 + world_below(world, ACCESS_TENANTS - 1);
    if (kind <= DEED_REMOVE_KEY) return world_below(world, ACCESS_KEYS);
    return world_below(world, kind <= DEED_LOG_IN ? ACCESS_USERS : ACCESS_GRANTS);
}

/* Root nearly always knows where a key is. */
static uint32_t draw_tenant(struct world *world, enum deed_kind kind, uint32_t subject)
{
    bool is_key = kind >= DEED_MAKE_KEY && kind <= DEED_REMOVE_KEY;
    return is_key && world_below(world, 8) ? subject % ACCESS_TENANTS : world_below(world, ACCESS_TENANTS);
}

static enum role draw_role(struct world *world)
{
    return roles_in_use[world_below(world, COUNT(roles_in_use))];
}

static struct deed *draw_deed(struct world *world)
{
    struct deed *deed = arena_make(&world->arena, struct deed);
    enum deed_kind kind = draw_kind(world);
    uint32_t subject = draw_subject(world, kind);
    *deed = (struct deed){ .kind = kind,
                           .at = subject,
                           .tenant = draw_tenant(world, kind, subject),
                           .role = draw_role(world),
                           .narrow = world_below(world, 2) ? 0 : world_below(world, ACCESS_NARROW),
                           .to_user = world_below(world, 2) };
    deed->holder = world_below(world, deed->to_user ? ACCESS_USERS : ACCESS_KEYS);
    if (kind == DEED_MAKE_KEY && world_below(world, 6) == 0)
        deed->expires_ms = world_wall_ms(world) + world_between(world, 1000, 20000);
    return deed;
}

static void send_deed(struct world *world, const struct deed *deed, struct visit *visit)
{
    struct request *request = network_request(world, CALL_CHANGE_ACCESS);
    request->deed = deed;
    request->visit = visit;
    if (!visit) request->on_reply = know_secret;
    bool has_secret = deed->kind == DEED_MAKE_KEY || deed->kind == DEED_ROTATE_KEY ||
                      deed->kind == DEED_RESET_KEY || deed->kind == DEED_LOG_IN;
    if (!has_secret) request->on_reply = NULL;
    /* The API makes another secret for each request, so nobody can have tried it before. */
    request->once = deed->kind == DEED_MAKE_KEY || deed->kind == DEED_LOG_IN;
    if (request->once) request->tries_left = 0;
    trace(world, "root: op %u deed %d, %u in tenant %u", request->op, (int)deed->kind, deed->at,
          deed->tenant);
    network_send(world, request);
}

static void root_tick(struct world *world, void *subject)
{
    struct access_actors *actors = world->access_actors;
    struct deed *deed = draw_deed(world);
    (void)subject;
    if (world->calm) return;
    bool may = deed->kind != DEED_LOG_IN || actors->logins_left;
    if (may && deed->kind == DEED_LOG_IN) actors->logins_left--;
    if (may) send_deed(world, deed, NULL);
    world_after(world, world_between(world, 20, 1200), root_tick, NULL);
}

/* ---- visitors ---- */

static const struct known_secret *draw_secret(struct world *world)
{
    const struct access_actors *actors = world->access_actors;
    return &actors->secrets.item[world_below(world, (uint32_t)actors->secrets.count)];
}

static void send_visit(struct world *world)
{
    static const enum visit_kind kinds[] = { VISIT_SAVE, VISIT_SAVE, VISIT_GET,
                                             VISIT_GET,  VISIT_DROP, VISIT_REVOKE };
    static const enum call_kind calls[] = {
        [VISIT_SAVE] = CALL_SAVE_DRAFT, [VISIT_GET] = CALL_GET_DRAFT, [VISIT_DROP] = CALL_REMOVE_DRAFT
    };
    const struct known_secret *secret = draw_secret(world);
    struct visit *visit = arena_make(&world->arena, struct visit);
    *visit = (struct visit){ .kind = kinds[world_below(world, COUNT(kinds))],
                             .by_user = secret->of_user,
                             .holder = secret->holder,
                             .secret = secret->op,
                             .tenant = (int32_t)world_below(world, ACCESS_TENANTS + 1) - 1,
                             .draft = world_below(world, ACCESS_DRAFTS) };
    /* When nobody changes anything any more, everybody must agree. */
    if (visit->kind == VISIT_REVOKE && world->calm) visit->kind = VISIT_GET;
    if (visit->kind == VISIT_REVOKE) {
        struct deed *deed = arena_make(&world->arena, struct deed);
        *deed = (struct deed){ .kind = DEED_REVOKE_KEY,
                               .at = world_below(world, ACCESS_KEYS),
                               .tenant = ACCESS_TENANTS };
        send_deed(world, deed, visit);
        return;
    }
    struct request *request = network_request(world, calls[visit->kind]);
    request->visit = visit;
    trace(world, "visitor: op %u with the secret of op %u, tenant %d, does %d", request->op, visit->secret,
          visit->tenant, (int)visit->kind);
    network_send(world, request);
}

static void visitor_tick(struct world *world, void *subject)
{
    struct access_actors *actors = world->access_actors;
    if (world->calm && world->now_ms > world->calm_ms + VISITS_AFTER_MS) {
        actors->has_stopped = true;
        return;
    }
    if (actors->secrets.count) send_visit(world);
    world_after(world, world_between(world, 5, 400), visitor_tick, subject);
}

void access_actors_begin(struct world *world)
{
    if (!world->access) return;
    world->access_actors = arena_make(&world->arena, struct access_actors);
    world->access_actors->logins_left = ACCESS_SESSIONS;
    world_after(world, 1, root_tick, NULL);
    world_after(world, 100, visitor_tick, NULL);
}

bool access_actors_done(const struct world *world)
{
    return !world->access || world->access_actors->has_stopped;
}
