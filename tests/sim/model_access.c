/* tests/sim/model_access.c — who may do what, written from the design and without a record. */
#include "access.h"

#include <inttypes.h>

static const char changes_nothing[] = "it changes nothing";

str access_tenant_name(uint32_t tenant)
{
    static const str names[ACCESS_TENANTS] = { STR_INIT("default"), STR_INIT("ta"), STR_INIT("tb") };
    return names[tenant];
}

str access_key_id(struct world *world, uint32_t key) { return arena_printf(&world->arena, "K%u", key); }

str access_draft_name(uint32_t draft)
{
    static const str names[ACCESS_DRAFTS] = { STR_INIT("x0"), STR_INIT("x1") };
    return names[draft];
}

str access_secret(uint32_t op, struct arena *arena) { return arena_printf(arena, "secret of op %u", op); }

enum permission access_needs(const struct visit *visit)
{
    switch (visit->kind) {
    case VISIT_GET: return MAY_DEFINITIONS_READ;
    case VISIT_REVOKE: return MAY_ACCESS_ADMIN;
    default: return MAY_DEFINITIONS_WRITE;
    }
}

void access_state_begin(struct access_state *state)
{
    *state = (struct access_state){ .last_number = TENANT_DEFAULT };
    state->tenant[0].there = true;
    state->tenant[0].number = TENANT_DEFAULT;
}

/* ---- deeds ---- */

static bool is_empty(const struct access_state *state, uint32_t tenant)
{
    for (size_t i = 0; i < ACCESS_KEYS; i++)
        if (state->key[i].there && state->key[i].tenant == tenant) return false;
    for (size_t i = 0; i < ACCESS_GRANTS; i++)
        if (state->grant[tenant][i].there) return false;
    for (size_t i = 0; i < ACCESS_DRAFTS; i++)
        if (state->draft[tenant][i]) return false;
    return true;
}

static const char *do_with_tenant(struct access_state *state, const struct deed *deed)
{
    bool makes = deed->kind == DEED_MAKE_TENANT, suspends = deed->kind == DEED_SUSPEND_TENANT;
    if (state->tenant[deed->at].there == makes) return makes ? "it is there" : "it is not there";
    if (makes) {
        /* A number is never given twice. */
        state->tenant[deed->at].there = true;
        state->tenant[deed->at].suspended = false;
        state->tenant[deed->at].number = ++state->last_number;
        return NULL;
    }
    if (deed->kind == DEED_REMOVE_TENANT) {
        if (deed->at == 0 || !is_empty(state, deed->at)) return "it cannot be removed";
        state->tenant[deed->at].there = state->tenant[deed->at].suspended = false;
        return NULL;
    }
    if (deed->at == 0 && suspends) return "it cannot be suspended";
    if (state->tenant[deed->at].suspended == suspends) return changes_nothing;
    state->tenant[deed->at].suspended = suspends;
    return NULL;
}

static void remove_grants(struct access_state *state, bool of_user, uint32_t holder)
{
    for (size_t t = 0; t < ACCESS_TENANTS; t++)
        for (size_t i = 0; i < ACCESS_GRANTS; i++) {
            struct model_granted *grant = &state->grant[t][i];
            if (grant->to_user == of_user && grant->holder == holder) grant->there = false;
        }
}

/* Scopes only narrow: a role has all that is left of it. */
static bool fits_role(enum role role, uint32_t narrow)
{
    return narrow < 2 || role == ROLE_BUILDER || role == ROLE_ADMIN;
}

static const char *make_key(struct access_state *state, const struct deed *deed, uint32_t op)
{
    if (state->key[deed->at].there) return "it is there";
    if (!state->tenant[deed->tenant].there) return "its tenant is not there";
    if (!fits_role(deed->role, deed->narrow)) return "its scopes are too wide";
    state->key[deed->at].there = true;
    state->key[deed->at].revoked = false;
    state->key[deed->at].tenant = deed->tenant;
    state->key[deed->at].role = deed->role;
    state->key[deed->at].narrow = deed->narrow;
    state->key[deed->at].secret = op;
    state->key[deed->at].old_secret = 0;
    state->key[deed->at].expires_ms = deed->expires_ms;
    return NULL;
}

static const char *do_with_key(struct access_state *state, const struct deed *deed, uint32_t op)
{
    if (deed->kind == DEED_MAKE_KEY) return make_key(state, deed, op);
    uint32_t home = state->key[deed->at].tenant;
    bool is_named = deed->tenant == ACCESS_TENANTS || home == 0 || deed->tenant == home;
    if (!state->key[deed->at].there || !is_named) return "it is not there";
    switch (deed->kind) {
    case DEED_REMOVE_KEY:
        state->key[deed->at].there = false;
        remove_grants(state, false, deed->at);
        return NULL;
    case DEED_REVOKE_KEY:
        if (state->key[deed->at].revoked) return changes_nothing;
        state->key[deed->at].revoked = true;
        return NULL;
    case DEED_GIVE_KEY:
        if (state->key[deed->at].role == deed->role) return changes_nothing;
        if (!fits_role(deed->role, state->key[deed->at].narrow)) return "its scopes are too wide";
        state->key[deed->at].role = deed->role;
        return NULL;
    case DEED_NARROW_KEY:
        if (state->key[deed->at].narrow == deed->narrow) return changes_nothing;
        if (!fits_role(state->key[deed->at].role, deed->narrow)) return "its scopes are too wide";
        state->key[deed->at].narrow = deed->narrow;
        return NULL;
    default: break;
    }
    if (state->key[deed->at].revoked) return "it is revoked";
    if (state->key[deed->at].secret == op) return changes_nothing;
    state->key[deed->at].old_secret = deed->kind == DEED_ROTATE_KEY ? state->key[deed->at].secret : 0;
    state->key[deed->at].secret = op;
    return NULL;
}

static void end_sessions(struct access_state *state, uint32_t user)
{
    for (size_t i = 0; i < ACCESS_SESSIONS; i++)
        if (state->session[i].user == user) state->session[i].secret = 0;
}

static const char *log_in(struct access_state *state, const struct deed *deed, uint32_t op)
{
    if (!state->user[deed->at].there || state->user[deed->at].disabled) return "there is no such user";
    must(state->session_count < ACCESS_SESSIONS);
    state->session[state->session_count].secret = op;
    state->session[state->session_count++].user = deed->at;
    return NULL;
}

static const char *do_with_user(struct access_state *state, const struct deed *deed)
{
    bool makes = deed->kind == DEED_MAKE_USER, disables = deed->kind == DEED_DISABLE_USER;
    if (state->user[deed->at].there == makes) return makes ? "it is there" : "it is not there";
    if (makes) {
        state->user[deed->at].there = true;
        state->user[deed->at].disabled = false;
        state->user[deed->at].role = deed->role;
        return NULL;
    }
    if (deed->kind == DEED_REMOVE_USER) {
        state->user[deed->at].there = false;
        remove_grants(state, true, deed->at);
        end_sessions(state, deed->at);
        return NULL;
    }
    if (state->user[deed->at].disabled == disables) return changes_nothing;
    state->user[deed->at].disabled = disables;
    if (disables) end_sessions(state, deed->at);
    return NULL;
}

/* The same holder has a grant of this id in another tenant. */
static bool is_id_taken(const struct access_state *state, const struct deed *deed)
{
    for (size_t i = 0; i < ACCESS_TENANTS; i++) {
        const struct model_granted *grant = &state->grant[i][deed->at];
        if (grant->there && grant->to_user == deed->to_user && grant->holder == deed->holder) return true;
    }
    return false;
}

static const char *do_with_grant(struct access_state *state, const struct deed *deed)
{
    struct model_granted *grant = &state->grant[deed->tenant][deed->at];
    bool makes = deed->kind == DEED_MAKE_GRANT;
    if (!state->tenant[deed->tenant].there) return "its tenant is not there";
    if (grant->there == makes) return makes ? "it is there" : "it is not there";
    if (makes && is_id_taken(state, deed)) return "its id is taken";
    if (makes && !deed->to_user && !state->key[deed->holder].there) return "the key is not there";
    *grant = (struct model_granted){ makes, deed->to_user, deed->holder, deed->role };
    return NULL;
}

const char *access_state_do(struct access_state *state, const struct deed *deed, uint32_t op)
{
    switch (deed->kind) {
    case DEED_MAKE_TENANT:
    case DEED_SUSPEND_TENANT:
    case DEED_RESUME_TENANT:
    case DEED_REMOVE_TENANT: return do_with_tenant(state, deed);
    case DEED_MAKE_USER:
    case DEED_DISABLE_USER:
    case DEED_ENABLE_USER:
    case DEED_REMOVE_USER: return do_with_user(state, deed);
    case DEED_LOG_IN: return log_in(state, deed, op);
    case DEED_MAKE_GRANT:
    case DEED_REMOVE_GRANT: return do_with_grant(state, deed);
    default: return do_with_key(state, deed, op);
    }
}

/* ---- verdicts ---- */

static bool role_has(enum role role, enum permission permission)
{
    if (role == ROLE_ADMIN || permission == MAY_DEFINITIONS_READ) return true;
    return permission == MAY_DEFINITIONS_WRITE && role == ROLE_BUILDER;
}

/* What is left of a role: 1 may read, 2 may write x0, 3 may read, and write x1. */
static bool is_left(uint32_t narrow, enum permission permission, uint32_t draft)
{
    bool reads = permission == MAY_DEFINITIONS_READ, writes = permission == MAY_DEFINITIONS_WRITE;
    switch (narrow) {
    case 0: return true;
    case 1: return reads;
    case 2: return writes && draft == 0;
    default: return reads || (writes && draft == 1);
    }
}

static bool is_valid(const struct access_state *who, const struct visit *visit, int64_t wall_ms)
{
    if (visit->by_user) {
        bool active = who->user[visit->holder].there && !who->user[visit->holder].disabled;
        for (size_t i = 0; i < ACCESS_SESSIONS && active; i++)
            if (who->session[i].secret == visit->secret) return true;
        return false;
    }
    bool fits = who->key[visit->holder].secret == visit->secret ||
                who->key[visit->holder].old_secret == visit->secret;
    int64_t expires_ms = who->key[visit->holder].expires_ms;
    return who->key[visit->holder].there && fits && !who->key[visit->holder].revoked &&
           (!expires_ms || wall_ms < expires_ms);
}

/* Has it a role in the tenant at all, and may it do this there? */
static void look_at_roles(const struct access_state *who, const struct visit *visit, uint32_t tenant,
                          bool *ret_knows, bool *ret_may)
{
    enum permission needs = access_needs(visit);
    uint32_t home = visit->by_user ? 0 : who->key[visit->holder].tenant;
    enum role role = visit->by_user ? who->user[visit->holder].role : who->key[visit->holder].role;
    uint32_t narrow = visit->by_user ? 0 : who->key[visit->holder].narrow;
    *ret_knows = home == tenant;
    *ret_may = home == tenant && role_has(role, needs) && is_left(narrow, needs, visit->draft);
    for (size_t i = 0; i < ACCESS_GRANTS; i++) {
        const struct model_granted *grant = &who->grant[tenant][i];
        if (!grant->there || grant->to_user != visit->by_user || grant->holder != visit->holder) continue;
        *ret_knows = true;
        *ret_may |= role_has(grant->role, needs);
    }
}

enum verdict access_state_judge(const struct access_state *who, const struct access_state *where,
                                const struct visit *visit, int64_t wall_ms, int32_t *ret_ns)
{
    bool knows, may, named = visit->tenant >= 0;
    if (!is_valid(who, visit, wall_ms)) return VERDICT_UNKNOWN;
    uint32_t home = visit->by_user ? 0 : who->key[visit->holder].tenant;
    uint32_t tenant = named ? (uint32_t)visit->tenant : home;
    bool is_same = who->tenant[tenant].number == where->tenant[tenant].number;
    look_at_roles(who, visit, tenant, &knows, &may);
    if (named && (!where->tenant[tenant].there || !is_same || !knows)) return VERDICT_NOT_THERE;
    if (!may) return VERDICT_MISSING;
    *ret_ns = who->tenant[tenant].number;
    bool is_suspended = where->tenant[tenant].there && is_same && where->tenant[tenant].suspended;
    return is_suspended && visit->kind != VISIT_GET ? VERDICT_SUSPENDED : VERDICT_LET_IN;
}
