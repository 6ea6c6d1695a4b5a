/* tests/sim/checker_access.c — each verdict of a gate is right, each change is in the audit, nothing crosses.
 *
 *  (1) A gate that has made all changes itself judges by the newest version of the model: a revoked key is
 *      refused from the commit of its revocation on, also by an engine that starts later.
 *  (2) A node that shares the store judges by no version that others have replaced HEARD_MS ago.
 *  (3) A change that was accepted has its row in the audit, in the same transaction; one that was refused has
 *      none.
 *  (4) Records are as the model has them, whoever writes them.
 *  (5) A draft is in the tenant in which its writer was let in, and only callers of that tenant read it.
 */
#include "access.h"

#include "checker.h"
#include "access/record/audit_block.h"
#include "server.h"

#include <inttypes.h>

enum {
    HEARD_CALM_MS = 500,    /* A heartbeat, and the turn in which it is. */
    HEARD_MS = 3000,        /* With a store that fails. */
    HEARD_PAUSED_MS = 12000 /* With a node that stood still. */
};

static struct access_model *model_of(const struct world *world) { return world->access_model; }

static const struct access_state *newest(const struct world *world)
{
    const struct access_model *model = model_of(world);
    return &model->versions.item[model->versions.count - 1].state;
}

void checker_access_begin(struct world *world)
{
    if (!world->access) return;
    world->access_model = arena_make(&world->arena, struct access_model);
    struct access_version *first = list_push(&world->arena, &world->access_model->versions);
    *first = (struct access_version){ .at_ms = 0 };
    access_state_begin(&first->state);
}

static struct access_version *add_version(struct world *world)
{
    struct access_model *model = model_of(world);
    struct access_state state = *newest(world);
    struct access_version *version = list_push(&world->arena, &model->versions);
    *version = (struct access_version){ .state = state,
                                        .at_ms = world->now_ms,
                                        .engine = world->server->generation };
    return version;
}

/* ---- what a node may still believe ---- */

static int64_t heard_ms(const struct world *world, const struct server *server)
{
    bool stood_still = server->paused_ms >= 0 && server->paused_ms > world->now_ms - HEARD_PAUSED_MS;
    bool is_calm = world->calm && world->calm_ms < world->now_ms - HEARD_PAUSED_MS / 4;
    return stood_still ? HEARD_PAUSED_MS : is_calm ? HEARD_CALM_MS : HEARD_MS;
}

/* `tenant`: the tenant that was looked at; -1: principals. */
static size_t oldest_for(const struct world *world, const struct server *server, int32_t tenant)
{
    const struct access_model *model = model_of(world);
    size_t i = model->versions.count - 1;
    int64_t since_ms = world->now_ms - heard_ms(world, server);
    if (since_ms < server->opened_ms) since_ms = server->opened_ms;
    for (; i && world_is_shared(world); i--) {
        const struct access_version *version = &model->versions.item[i];
        bool is_told = tenant < 0 ? version->is_told : version->tenants & 1u << tenant;
        if (version->at_ms < since_ms || (is_told && version->engine == server->generation)) break;
    }
    return i;
}

size_t checker_access_oldest(const struct world *world, const struct server *server)
{
    return oldest_for(world, server, -1);
}

/* ---- verdicts ---- */

static const char *const verdict_words[] = { "let in", "refused as unknown", "told that nothing is there",
                                             "refused without the permission",
                                             "refused in a suspended tenant" };

static bool is_right(const struct world *world, const struct copy *copy, enum verdict verdict, int32_t ns)
{
    const struct access_model *model = model_of(world);
    const struct visit *visit = copy->request->visit;
    for (size_t who = copy->oldest_version; who < model->versions.count; who++) {
        const struct access_state *state = &model->versions.item[who].state;
        uint32_t home = visit->by_user ? 0 : state->key[visit->holder].tenant;
        int32_t tenant = visit->tenant >= 0 ? visit->tenant : (int32_t)home;
        for (size_t i = oldest_for(world, copy->server, tenant); i < model->versions.count; i++) {
            int32_t right_ns = 0;
            enum verdict right = access_state_judge(state, &model->versions.item[i].state, visit,
                                                    copy->found_wall_ms, &right_ns);
            if (right == verdict && (verdict != VERDICT_LET_IN || right_ns == ns)) return true;
        }
    }
    return false;
}

void checker_access_verdict(struct world *world, struct copy *copy, enum verdict verdict, int32_t ns)
{
    const struct visit *visit = copy->request->visit;
    int32_t right_ns = 0;
    trace(world, "gate: op %u is %s", copy->request->op, verdict_words[verdict]);
    /* Whether the last commit has happened is not known there, and it will not live to tell. */
    if (copy->server->engine.broken || is_right(world, copy, verdict, ns)) return;
    enum verdict right =
        access_state_judge(newest(world), newest(world), visit, copy->found_wall_ms, &right_ns);
    violated(
        world,
        "op %u, with the secret of op %u of %s %u for tenant %d, is %s (tenant %d) at node %u and should "
        "be %s (tenant %d)",
        copy->request->op, visit->secret, visit->by_user ? "user" : "key", visit->holder, visit->tenant,
        verdict_words[verdict], ns, copy->server->place, verdict_words[right], right_ns);
}

/* ---- commits ---- */

static const char *const deed_words[] = {
#define XX(NAME, word, ...) [DEED_##NAME] = word,
    DEED_MAP(XX)
#undef XX
};

/* Does the directory of the node that has committed it resolve everybody again? */
static bool is_told(enum deed_kind kind) { return kind != DEED_MAKE_KEY && kind != DEED_LOG_IN; }

static void check_revoker(struct world *world, const struct request *request)
{
    const struct access_state *state = newest(world);
    const struct deed *deed = request->deed;
    bool is_own = false;
    for (size_t i = 0; i < world->inside.count; i++) {
        const struct copy *copy = world->inside.item[i];
        is_own |=
            copy->request == request && copy->let_in_ns == state->tenant[state->key[deed->at].tenant].number;
    }
    if (request->visit && !is_own)
        violated(world, "op %u has changed key %u of another tenant", request->op, deed->at);
}

static void follow_row(struct world *world, const struct audit_row *row)
{
    int64_t op = 0;
    str action = row->action;
    if (!str_to_int64(row->request_id, &op)) return;
    struct request *request = network_find(world, (uint32_t)op);
    const struct deed *deed = request ? request->deed : NULL;
    if (!deed || !str_equal(action, str_of(deed_words[deed->kind]))) {
        violated(world, "the audit says that op %u did %.*s", (unsigned)op, STR_ARG(action));
        return;
    }
    check_revoker(world, request);
    struct access_version *version = add_version(world);
    version->is_told = is_told(deed->kind);
    if (deed->kind <= DEED_REMOVE_TENANT) version->tenants = 1u << deed->at;
    const char *why = access_state_do(&version->state, deed, request->op);
    if (why) violated(world, "op %u did %.*s, but %s", request->op, STR_ARG(action), why);
    request->effects++;
    trace(world, "commit: op %u did %.*s", request->op, STR_ARG(action));
}

static void follow_audit(struct world *world, str value)
{
    struct audit_block block;
    must(audit_block_decode(value, &world->checker->arena, &block, NULL) == ST_OK);
    for (size_t i = 0; i < block.count && !world->failed; i++) follow_row(world, &block.row[i]);
}

static bool has_hash(const struct json *record, str member, uint32_t secret, struct arena *arena)
{
    const struct json *text = json_get(record, member);
    if (!secret) return !text;
    struct credential_hash hash = credential_hash(access_secret(secret, arena));
    return text && str_equal(json_string(text), credential_hash_text(&hash, arena));
}

/* Also those who only note that a key was used write the whole record. */
static void check_key(struct world *world, const struct journal_access *row)
{
    struct arena *arena = &world->checker->arena;
    const struct access_state *state = newest(world);
    uint32_t key = (uint32_t)(row->key.p[1] - '0');
    must(row->key.n == 2 && key < ACCESS_KEYS);
    if (row->removed == state->key[key].there)
        violated(world, "the record of key %u was %s", key, row->removed ? "removed" : "made");
    if (row->removed || world->failed) return;
    const struct json *record = json_decode(row->value, arena);
    bool is_revoked = str_equal(json_text(record, STR("state")), STR("revoked"));
    if (is_revoked != state->key[key].revoked ||
        !has_hash(record, STR("hash"), state->key[key].secret, arena) ||
        !has_hash(record, STR("oldHash"), state->key[key].old_secret, arena))
        violated(world, "the record of key %u says something that nobody has done", key);
}

static uint32_t tenant_of_number(const struct access_state *state, int32_t ns)
{
    uint32_t tenant = 0;
    while (tenant < ACCESS_TENANTS && (!state->tenant[tenant].there || state->tenant[tenant].number != ns))
        tenant++;
    return tenant;
}

static bool was_let_in(const struct world *world, const struct request *request, int32_t ns)
{
    for (size_t i = 0; i < world->inside.count; i++)
        if (world->inside.item[i]->request == request && world->inside.item[i]->let_in_ns == ns) return true;
    return false;
}

static void follow_draft(struct world *world, const struct journal_access *row)
{
    struct access_model *model = model_of(world);
    uint32_t draft = (uint32_t)(row->key.p[1] - '0'), tenant = tenant_of_number(newest(world), row->ns);
    must(row->key.n == 2 && draft < ACCESS_DRAFTS);
    if (tenant == ACCESS_TENANTS) {
        violated(world, "a draft of tenant %d, which is not there", row->ns);
        return;
    }
    add_version(world)->state.draft[tenant][draft] = !row->removed;
    if (row->removed) return;
    const struct json *document = json_get(json_decode(row->value, &world->checker->arena), STR("document"));
    uint32_t op = (uint32_t)json_integer(document, STR("op"));
    if (!was_let_in(world, network_find(world, op), row->ns))
        violated(world, "op %u wrote a draft into tenant %d and was not let in there", op, row->ns);
    *list_push(&world->arena, &model->drafts) = (struct access_draft_row){ row->ns, draft, op };
}

void checker_access_committed(struct world *world, const struct journal *journal)
{
    for (size_t i = 0; i < journal->access.count && world->access && !world->failed; i++)
        if (journal->access.item[i].kind == RECORD_AUDIT_BLOCK)
            follow_audit(world, journal->access.item[i].value);
    for (size_t i = 0; i < journal->access.count && world->access && !world->failed; i++) {
        const struct journal_access *row = &journal->access.item[i];
        bool is_last = true; /* Of the rows of this key in the transaction. */
        for (size_t k = i + 1; k < journal->access.count; k++)
            is_last &= journal->access.item[k].kind != row->kind || journal->access.item[k].ns != row->ns ||
                       !str_equal(journal->access.item[k].key, row->key);
        if (row->kind == RECORD_KEY && is_last) check_key(world, row);
        if (row->kind == RECORD_DRAFT) follow_draft(world, row);
    }
}

/* ---- answers ---- */

/* Could it be done, at every moment since it came? */
static bool could_always(const struct world *world, const struct copy *copy, bool *ret_same)
{
    const struct access_model *model = model_of(world);
    bool could = true;
    *ret_same = false;
    for (size_t i = model->versions.count; i-- > 0;) {
        struct access_state state = model->versions.item[i].state;
        const char *why = access_state_do(&state, copy->request->deed, copy->request->op);
        could &= !why;
        *ret_same |= why && str_equal(str_of(why), STR("it changes nothing"));
        if (model->versions.item[i].at_ms < copy->arrived_ms) break;
    }
    return could;
}

static void check_deed(struct world *world, const struct copy *copy)
{
    const struct request *request = copy->request;
    const struct call *call = copy->call;
    bool could_be_same, could = could_always(world, copy, &could_be_same);
    bool is_same = call->status == ST_OK && call->value.access.is_same[0];
    if (is_same && !could_be_same)
        violated(world, "op %u is said to change nothing, and it would", request->op);
    if (call->status == ST_OK && !is_same && !request->effects)
        violated(world, "op %u was accepted and is not in the audit", request->op);
    if (call->status == ST_OK || status_retry(call->status)) return;
    /* A visitor changes keys of its own tenant only. */
    if (could && !request->visit && !request->unknown_count)
        violated(world, "op %u was refused: %s", request->op, call->error.message);
}

static void check_draft(struct world *world, const struct copy *copy)
{
    const struct access_model *model = model_of(world);
    const struct json *document = copy->call->value.drafts.view->document;
    uint32_t op = (uint32_t)json_integer(document, STR("op"));
    for (size_t i = 0; i < model->drafts.count; i++) {
        const struct access_draft_row *row = &model->drafts.item[i];
        if (row->op == op && row->ns == copy->let_in_ns && row->draft == copy->request->visit->draft) return;
    }
    violated(world, "op %u of tenant %d got the draft of op %u, which is not of this tenant",
             copy->request->op, copy->let_in_ns, op);
}

bool checker_access_answered(struct world *world, const struct copy *copy)
{
    const struct request *request = copy->request;
    if (!request->deed && !request->visit) return false;
    trace(world, "answer: op %u %s%s%s", request->op, status_word(copy->call->status),
          copy->call->status == ST_OK ? "" : ": ",
          copy->call->status == ST_OK ? "" : copy->call->error.message);
    if (copy->call->status == ST_INTERNAL)
        violated(world, "op %u: %s", request->op, copy->call->error.message);
    bool was_asked = !request->visit || copy->let_in_ns;
    if (request->deed && was_asked) check_deed(world, copy);
    else if (was_asked && copy->call->status == ST_OK && request->kind == CALL_GET_DRAFT)
        check_draft(world, copy);
    return true;
}

/* ---- the end ---- */

static void check_chains(struct world *world)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct call *call = call_new(CALL_VERIFY_AUDIT, &arena, NULL, NULL);
    while (queries_call(&world->server->query, call)) continue;
    if (call->status != ST_OK) violated(world, "the audit cannot be verified: %s", call->error.message);
    else if (call->value.audit_rows.broken.n)
        violated(world, "the audit is broken: %.*s", STR_ARG(call->value.audit_rows.broken));
    arena_done(&arena);
}

void checker_access_end(struct world *world)
{
    if (!world->access || world->failed) return;
    check_chains(world);
}
