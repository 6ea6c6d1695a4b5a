/* runtime/transact/units_join.c — work on a job joins the unit that waits for it. See units.h.
 *
 *     job ──► token ──► a call with the token ──► its steps are staged in the unit of the job
 *
 * The unit of a task that holds is there already: the instance is in it. A task that does not hold has
 * committed what came before, and the unit begins with the first call that joins: the job is its *anchor*.
 * When the anchor completes, the unit is written together with that; when the anchor fails or is closed by
 * something else, the unit is dropped.
 *
 * A token is the number of our node and the name of a job, signed together with the transaction of its
 * entity. A transaction that was dropped leaves no trace, so the next one may give its job the same number:
 * the signature tells them apart. So may the instance go on after its changes were undone
 * (units_savepoint.c): the signature has their number, too. The secret lives as long as the engine: after a
 * restart the units are gone, and their tokens with them.
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/units_int.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>

enum {
    NODE_CHARS = 16,
    NAME_CHARS = NODE_CHARS + 24,
    SIGNATURE_BYTES = 16,
    TOKEN_CHARS = NAME_CHARS + 2 * SIGNATURE_BYTES
};

/* ---- tokens ---- */

static void print_token(const struct engine *engine, const struct instance *instance, uint32_t number,
                        struct arena *arena, char ret_text[TOKEN_CHARS + 1])
{
    const struct units *units = &engine->transact.units;
    int64_t node = store_node(engine->store);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int bytes = sizeof digest;
    snprintf(ret_text, NAME_CHARS + 1, "%016llx%016llx%08x", (unsigned long long)node,
             (unsigned long long)instance->id, (unsigned)number);
    str transaction = entity_mark(instance, ENTITY_TRANSACTION);
    str named =
        arena_printf(arena, "%s %.*s %zu", ret_text, STR_ARG(transaction), unit_rewinds(units, instance->id));
    must(HMAC(EVP_sha256(), units->secret, sizeof units->secret, (const unsigned char *)named.p, named.n,
              digest, &bytes));
    for (int i = 0; i < SIGNATURE_BYTES; i++)
        snprintf(ret_text + NAME_CHARS + 2 * i, 3, "%02x", (unsigned)digest[i]);
}

static uint64_t read_hex(str text)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
}

static bool is_token(str token)
{
    if (token.n != TOKEN_CHARS) return false;
    for (size_t i = 0; i < token.n; i++)
        if (!((token.p[i] >= '0' && token.p[i] <= '9') || (token.p[i] >= 'a' && token.p[i] <= 'f')))
            return false;
    return true;
}

int64_t unit_token_node(str token)
{
    return is_token(token) ? (int64_t)read_hex(str_slice(token, 0, NODE_CHARS)) : 0;
}

/* Reads the job's name; is_signed() says whether anybody was given the token. */
static bool read_token(str token, uint64_t *ret_instance, uint32_t *ret_number)
{
    if (!is_token(token)) return false;
    *ret_instance = read_hex(str_slice(token, NODE_CHARS, NODE_CHARS + 16));
    *ret_number = (uint32_t)read_hex(str_slice(token, NODE_CHARS + 16, NAME_CHARS));
    return true;
}

static bool is_signed(struct turn *turn, str token, const struct instance *instance, uint32_t number)
{
    char own[TOKEN_CHARS + 1];
    print_token(turn->engine, instance, number, &turn->arena, own);
    return CRYPTO_memcmp(own, token.p, TOKEN_CHARS) == 0;
}

static bool has_flag(const struct program_node *node, str name)
{
    return json_flag(node->as.task.config, name);
}

/* The dialect says of each task whether its work may join. */
static const struct program_node *joined_node(const struct program *program, const struct instance *instance,
                                              const struct job *job)
{
    const struct token *token = instance_find_token(instance, job->execution);
    const struct program_node *node = token ? &program->node[token->node] : NULL;
    return node && node->kind == NODE_TASK && has_flag(node, STR("mayJoin")) ? node : NULL;
}

str unit_token(const struct turn *turn, const struct program *program, const struct instance *instance,
               const struct job *job, struct arena *arena)
{
    char text[TOKEN_CHARS + 1];
    if (!joined_node(program, instance, job)) return STR_NONE;
    print_token(turn->engine, instance, job->number, arena, text);
    return arena_str(arena, str_of(text));
}

/* ---- joining ---- */

static enum status fail_over(struct error *err)
{
    return fail_code(err, ST_NOT_FOUND, "TRANSACTION_NOT_FOUND",
                     "the transaction of this token is over, or it is no token of this engine");
}

static enum status begin_anchored(struct turn *turn, const struct unit_anchor *anchor, int64_t patience_ms,
                                  struct staged_unit **ret_staged, struct error *err)
{
    must(anchor->instance);
    TRY(unit_check_room(turn, err));
    struct staged_unit *staged = unit_stage(turn, NULL);
    staged->cause = UNIT_OF_JOB;
    staged->instance = anchor->instance;
    staged->number = anchor->number;
    staged->anchor = *anchor;
    staged->patience_ms = patience_ms;
    *ret_staged = staged;
    return ST_OK;
}

/* The unit that waits for the job: of those that hold, of those that have an anchor, or a new one. */
static enum status find_unit(struct turn *turn, const struct program_node *node,
                             const struct unit_anchor *anchor, struct staged_unit **ret_staged,
                             struct error *err)
{
    int64_t timeout_ms = 0;
    *ret_staged = unit_staged_with(turn, anchor->instance);
    if (*ret_staged) return ST_OK;
    struct unit *unit = unit_waiting_with(turn, anchor->instance);
    if (unit) *ret_staged = unit_stage(turn, unit);
    if (unit) return ST_OK;
    if (node->as.task.holds) return fail_over(err); /* Its unit has ended in this turn. */
    *ret_staged = unit_anchored(turn, anchor->instance, anchor->number);
    if (*ret_staged) return ST_OK;
    (void)json_int64(json_get(node->as.task.config, STR("timeoutMs")), &timeout_ms);
    return begin_anchored(turn, anchor, timeout_ms, ret_staged, err);
}

static enum status find_job(struct turn *turn, int32_t ns, str token, struct unit_anchor *ret_anchor,
                            const struct program_node **ret_node, const struct instance **ret_instance,
                            struct error *err)
{
    struct definition *definition;
    if (!read_token(token, &ret_anchor->instance, &ret_anchor->number)) return fail_over(err);
    bool is_there;
    TRY(found_asked(transact_load_in(turn, ns, ret_anchor->instance, ret_instance, &definition, err),
                    &is_there));
    if (!is_there) return fail_over(err);
    const struct job *job =
        lives(*ret_instance) ? instance_find_job(*ret_instance, ret_anchor->number) : NULL;
    bool is_own = job && is_signed(turn, token, *ret_instance, job->number);
    *ret_node = is_own ? joined_node(definition->program, *ret_instance, job) : NULL;
    return *ret_node ? ST_OK : fail_over(err);
}

enum status unit_check_token(struct turn *turn, int32_t ns, str token, struct error *err)
{
    struct unit_anchor anchor;
    const struct program_node *node;
    const struct instance *instance;
    return find_job(turn, ns, token, &anchor, &node, &instance, err);
}

enum status unit_join(struct turn *turn, struct call *call, str token, const struct instance **ret_instance,
                      struct error *err)
{
    struct unit_anchor anchor;
    const struct program_node *node;
    struct staged_unit *staged;
    must(!turn->unit);
    TRY(find_job(turn, call->ns, token, &anchor, &node, ret_instance, err));
    TRY(find_unit(turn, node, &anchor, &staged, err));
    struct staged_join *join = arena_make(&turn->arena, struct staged_join);
    *join = (struct staged_join){ .call = call, .by = anchor.instance, .mark = staged->last };
    unit_enter_savepoint(turn, staged, entity_task_has_savepoint(node->as.task.config), anchor.number, join);
    must(!staged->join && staged->fate <= UNIT_WAITS);
    staged->join = join;
    turn->unit = staged;
    return ST_OK;
}

/* NULL: nothing has joined yet, or it is no token. Callers have checked that it is signed. */
static const struct unit *shared_unit(const struct units *units, str token)
{
    uint64_t by;
    uint32_t number;
    if (!read_token(token, &by, &number)) return NULL;
    const struct unit *unit = map_get(&units->by_instance, by);
    return unit ? unit : map_get(&units->by_anchor, by);
}

bool unit_shares(const struct turn *turn, str token, uint64_t instance)
{
    const struct unit *unit = shared_unit(&turn->engine->transact.units, token);
    return unit && map_get(&turn->engine->transact.units.by_instance, instance) == unit;
}

enum status unit_each_shared(struct turn *turn, str token, size_t max, unit_seen_fn *seen, void *context,
                             struct error *err)
{
    const struct unit *unit = shared_unit(&turn->engine->transact.units, token);
    if (unit && unit->member_count > max)
        return fail(err, ST_LIMIT, "unit", "the transaction has changed %zu entities; the most is %zu (%s)",
                    unit->member_count, max, max == UNIT_STEPS_MAX ? "UNIT_STEPS_MAX" : "SEARCH_JOINED_MAX");
    for (size_t i = 0; unit && i < unit->member_count; i++) {
        const struct instance *instance;
        struct definition *definition;
        TRY(unit_decode(turn, &unit->member[i], &instance, &definition, err));
        TRY(seen(context, instance, definition, err));
    }
    return ST_OK;
}
