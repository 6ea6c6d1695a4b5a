/* tests/sim/checker_secrets.c — secrets: what was committed is listed, and every node can open it.
 *
 * The value of a secret is the number of the request that set it. When a row is committed, a vault that knows
 * nothing but the key files must open it at once: whoever starts then has no more. A row that nobody sets at
 * that time was sealed again, and must have the value that it had. The vault of a node must find what is
 * stored; the vaults of several nodes may hear late of it.
 */
#include "checker.h"

#include "base/read.h"
#include "server.h"
#include "vault/vault.h"

enum { SECRETS_HEARD_MS = 4000 };

static struct model_secret *find_secret(const struct checker *checker, str name)
{
    for (size_t i = 0; i < checker->secrets.count; i++)
        if (str_equal(checker->secrets.item[i].name, name)) return &checker->secrets.item[i];
    return NULL;
}

/* ---- what is stored ---- */

/* The number of the request that set it; 0: the value cannot be had. */
static uint32_t open_value(struct world *world, const struct journal_secret *row)
{
    struct reader reader = { row->value.p, row->value.p + row->value.n, false };
    struct vault *vault = vault_new(world->key_path);
    struct arena arena;
    struct error err = { 0 };
    str value;
    int64_t op = 0;
    arena_init(&arena, 0);
    read_varint(&reader);
    read_varint(&reader);
    str sealed = read_text(&reader);
    if (vault_read_key(vault, &err) != ST_OK ||
        vault_keep(vault, world->tenant, row->name, sealed, &err) != ST_OK)
        violated(world, "the secret %.*s was stored and cannot be opened: %s", STR_ARG(row->name),
                 err.message);
    else if (!vault_find(vault, world->tenant, row->name, &arena, &value) || !str_to_int64(value, &op))
        violated(world, "the secret %.*s was stored with a strange value", STR_ARG(row->name));
    vault_free(vault);
    arena_done(&arena);
    return (uint32_t)op;
}

static void follow(struct world *world, const struct journal_secret *row)
{
    struct checker *checker = world->checker;
    struct model_secret *secret = find_secret(checker, row->name);
    uint32_t op = row->removed ? 0 : open_value(world, row);
    if (!secret) {
        secret = list_push(&checker->arena, &checker->secrets);
        *secret = (struct model_secret){ .name = arena_str(&checker->arena, row->name) };
    }
    const struct request *request = network_find(world, op);
    bool is_set = request && request->kind == CALL_SET_SECRET && request->inside_count &&
                  str_equal(request->node, row->name);
    if (op && op != secret->op && !is_set)
        violated(world, "the secret %.*s has the value of op %u, and nobody sets it", STR_ARG(row->name), op);
    trace(world, "commit: secret %.*s has value %u", STR_ARG(row->name), op);
    *list_push(&checker->arena, &checker->secret_changes) = (struct model_secret_change){
        .name = secret->name, .op = op, .was = secret->op, .commit = checker->commit_count
    };
    secret->op = op;
    checker->secrets_ms = world->now_ms;
}

void checker_secrets_committed(struct world *world)
{
    const struct journal *journal = world->checker->journal;
    for (size_t i = 0; i < journal->secrets.count && !world->failed; i++)
        follow(world, &journal->secrets.item[i]);
}

/* ---- answers ---- */

/* Has the secret got that value since the turn of the copy began? */
static bool has_become(const struct checker *checker, const struct copy *copy, uint32_t op)
{
    for (size_t i = checker->secret_changes.count; i-- > 0;) {
        const struct model_secret_change *change = &checker->secret_changes.item[i];
        if (change->commit <= copy->commit_before) return false;
        if (change->op == op && str_equal(change->name, copy->request->node)) return true;
    }
    return false;
}

/* Was it missing at some time since then? */
static bool was_missing(const struct checker *checker, const struct copy *copy)
{
    const struct model_secret *secret = find_secret(checker, copy->request->node);
    if (!secret || !secret->op) return true;
    for (size_t i = checker->secret_changes.count; i-- > 0;) {
        const struct model_secret_change *change = &checker->secret_changes.item[i];
        if (change->commit <= copy->commit_before) return false;
        if (!change->was && str_equal(change->name, secret->name)) return true;
    }
    return false;
}

static void check_list(struct world *world, const struct call *call, uint32_t op)
{
    const struct checker *checker = world->checker;
    const struct answer_secrets *answer = &call->value.secrets;
    size_t there = 0;
    for (size_t i = 0; i < checker->secrets.count; i++) there += checker->secrets.item[i].op > 0;
    if (answer->count != there)
        violated(world, "op %u lists %zu secrets, there are %zu", op, answer->count, there);
    for (size_t i = 0; i < answer->count; i++) {
        const struct model_secret *secret = find_secret(checker, answer->view[i].name);
        if (!secret || !secret->op)
            violated(world, "op %u lists the secret %.*s, which is not there", op,
                     STR_ARG(answer->view[i].name));
    }
}

void checker_secrets_answered(struct world *world, const struct copy *copy)
{
    const struct checker *checker = world->checker;
    const struct call *call = copy->call;
    const struct request *request = copy->request;
    bool ok = call->status == ST_OK, refused = !ok && !status_retry(call->status);
    switch (request->kind) {
    case CALL_SET_SECRET:
        if (refused) violated(world, "op %u: a secret was refused: %s", request->op, call->error.message);
        if (ok && !has_become(checker, copy, request->op))
            violated(world, "op %u: a secret was acknowledged and not stored", request->op);
        break;
    case CALL_REMOVE_SECRET:
        if (refused && (call->status != ST_NOT_FOUND || !was_missing(checker, copy)))
            violated(world, "op %u: a secret is not removed: %s", request->op, call->error.message);
        if (ok && !has_become(checker, copy, 0))
            violated(world, "op %u: a secret was removed and is still there", request->op);
        break;
    case CALL_REKEY_SECRETS: /* Of several nodes another one may have left its next key there. */
        if (refused && (call->status != ST_CONFLICT || !world_is_shared(world)))
            violated(world, "op %u: there is no other key: %s", request->op, call->error.message);
        break;
    case CALL_LIST_SECRETS:
        if (ok && world->server->paused_ms < copy->arrived_ms) check_list(world, call, request->op);
        break;
    default: break;
    }
}

/* ---- what nodes know ---- */

void checker_secrets_known(struct world *world, struct server *server)
{
    const struct checker *checker = world->checker;
    int64_t long_ago_ms = world->now_ms - SECRETS_HEARD_MS;
    struct arena arena;
    if (!server->vault || server->engine.broken) return;
    if (world_is_shared(world) && !(world->calm && world->calm_ms < long_ago_ms &&
                                    checker->secrets_ms < long_ago_ms && world->fenced_ms < long_ago_ms))
        return;
    arena_init(&arena, 0);
    for (size_t i = 0; i < checker->secrets.count; i++) {
        const struct model_secret *secret = &checker->secrets.item[i];
        str value;
        int64_t op = 0;
        if (vault_find(server->vault, world->tenant, secret->name, &arena, &value))
            must(str_to_int64(value, &op));
        if (op != secret->op)
            violated(world, "node %u has the value %lld of the secret %.*s, and the store has %u",
                     server->place, (long long)op, STR_ARG(secret->name), secret->op);
    }
    arena_done(&arena);
}
