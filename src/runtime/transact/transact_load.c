/* runtime/transact/transact_load.c — instances that a turn has loaded, from the cache or the store.
 *
 * With several nodes the cache may be out of date. Then it counts only where the commit would find that out,
 * or where an old state does no harm.
 */
#include "runtime/transact/transact_int.h"

#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

bool transact_trusts(const struct turn *turn, const struct call *call)
{
    const struct id *id = &call->as.job.id;
    return turn->in_transaction && jobs_find(&turn->engine->memory.jobs, id->instance, id->number) &&
           cache_get(&turn->engine->memory.cache, id->instance);
}

struct loaded *transact_add_loaded(struct turn *turn, uint64_t id, struct definition *definition,
                                   const struct instance *stored)
{
    struct loaded *loaded = arena_make(&turn->arena, struct loaded);
    *loaded = (struct loaded){ .instance = id,
                               .definition = definition,
                               .written_as = definition,
                               .written = stored,
                               .now = stored,
                               .found = stored ? stored->revision : 0,
                               .next = turn->all_loaded };
    turn->all_loaded = loaded;
    must(!map_put(&turn->loaded_of, id, loaded));
    return loaded;
}

/* Retention may delete ended instances without telling the cache, so the cache keeps them for this turn only.
 */
static void note_ended(struct turn *turn, uint64_t id)
{
    struct ended *ended = arena_make(&turn->arena, struct ended);
    *ended = (struct ended){ id, turn->ended };
    turn->ended = ended;
}

static enum status take_row(struct turn *turn, const struct instance_row *row, struct definition *definition,
                            const struct instance **ret_instance, struct error *err)
{
    struct error why;
    if (core_decode(row->state, definition->program, &turn->arena, ret_instance, &why) != ST_OK)
        return damage_fail(row, why.message, err);
    if ((*ret_instance)->id != row->id)
        return damage_fail(row, "its row holds the state of another instance", err);
    turn->spent += (int64_t)(row->state.n / STATE_BYTES_PER_FUEL);
    cache_put(&turn->engine->memory.cache, row);
    struct loaded *loaded = transact_add_loaded(turn, row->id, definition, *ret_instance);
    loaded->last_history = row->last_history;
    loaded->holder = row->holder;
    if (is_over(*ret_instance)) note_ended(turn, row->id);
    return ST_OK;
}

void transact_take(struct turn *turn, const struct instance_row *row)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    if (map_get(&turn->loaded_of, row->id)) return;
    if (found_hint(catalogue_get(&turn->engine->memory.catalogue, row->definition, &definition, &err)))
        take_row(turn, row, definition, &instance, &err);
}

/* The cache's entry of an instance, unless another node is likely to have changed the instance since. The
 * commit finds out if one has, but only the attempt that follows is right then. Outside of a transaction
 * nobody finds out. */
static const struct cached *find_cached(struct turn *turn, uint64_t id)
{
    bool trusts = !turn->engine->nodes.shared || turn->trusts_cache ||
                  (turn->in_transaction && !nodes_have_others(turn->engine));
    return trusts ? cache_get(&turn->engine->memory.cache, id) : NULL;
}

/* Each read of a transaction that has failed may wait for the same lock, which somebody else holds. */
static bool reads_nothing_more(const struct turn *turn)
{
    return turn->in_transaction && turn->failed != ST_OK;
}

/* A read of the store that gave up at a lock fails the transaction, if there is one. */
static struct found note_read(struct turn *turn, struct found found, const struct error *err)
{
    if (found_needed(found) == ST_AGAIN && turn->in_transaction) transact_failed(turn, err);
    return found;
}

/* The row of the instance. A damaged index of the database may lead to another one. */
MUST_DECIDE static struct found load_row(struct turn *turn, uint64_t id, struct instance_row *ret_row,
                                         struct error *err)
{
    TRY_FOUND(store_load_instance(turn->engine->store, TENANT_ANY, id, &turn->arena, ret_row, err));
    return found_of(ret_row->id == id ? ST_OK : damage_fail(ret_row, "another instance was asked for", err));
}

bool transact_find_definition(struct turn *turn, uint64_t id, int64_t *ret_number)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, id);
    const struct cached *cached = loaded ? NULL : find_cached(turn, id);
    struct instance_row row;
    struct error err;
    if (loaded || cached) {
        *ret_number = loaded ? loaded->definition->number : cached->definition;
        return true;
    }
    if (reads_nothing_more(turn)) return false;
    struct found found = load_row(turn, id, &row, &err);
    if (!found_hint(note_read(turn, found, &err))) return false;
    *ret_number = row.definition;
    /* It has been read, and the command will want it. */
    struct definition *definition = catalogue_peek(&turn->engine->memory.catalogue, row.definition);
    const struct instance *instance;
    return !definition || take_row(turn, &row, definition, &instance, &err) == ST_OK;
}

static struct found take_cached(struct turn *turn, const struct cached *cached,
                                const struct instance **ret_instance, struct definition **ret_definition,
                                struct error *err)
{
    TRY_FOUND(catalogue_get(&turn->engine->memory.catalogue, cached->definition, ret_definition, err));
    *ret_instance = core_decode_own(cached_state(cached), (*ret_definition)->program, &turn->arena);
    struct loaded *loaded = transact_add_loaded(turn, cached->id, *ret_definition, *ret_instance);
    loaded->last_history = cached->last_history;
    loaded->holder = cached->holder;
    return found_of(ST_OK);
}

static struct found read_stored(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                                struct definition **ret_definition, struct error *err)
{
    struct instance_row row;
    TRY_FOUND(load_row(turn, id, &row, err));
    TRY_FOUND(catalogue_get(&turn->engine->memory.catalogue, row.definition, ret_definition, err));
    return found_of(take_row(turn, &row, *ret_definition, ret_instance, err));
}

struct found transact_load_stored(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                                  struct definition **ret_definition, struct error *err)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, id);
    if (loaded) {
        *ret_definition = loaded->definition;
        *ret_instance = loaded->now;
        return found_of(ST_OK);
    }
    const struct cached *cached = find_cached(turn, id);
    if (cached) return take_cached(turn, cached, ret_instance, ret_definition, err);
    if (reads_nothing_more(turn)) {
        *err = turn->failure;
        return found_of(turn->failed);
    }
    return note_read(turn, read_stored(turn, id, ret_instance, ret_definition, err), err);
}

struct found transact_load(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                           struct definition **ret_definition, struct error *err)
{
    enum status status;
    if (unit_find(turn, id, ret_instance, ret_definition, &status, err)) return found_of(status);
    return transact_load_stored(turn, id, ret_instance, ret_definition, err);
}

struct found transact_load_in(struct turn *turn, int32_t ns, uint64_t id,
                              const struct instance **ret_instance, struct definition **ret_definition,
                              struct error *err)
{
    TRY_FOUND(transact_load(turn, id, ret_instance, ret_definition, err));
    if (tenant_fits(ns, (*ret_definition)->ns)) return found_of(ST_OK);
    return found_of(fail(err, ST_NOT_FOUND, "instance", "instance not found"));
}

struct found transact_load_for(struct turn *turn, const struct call *call, uint64_t id,
                               const struct instance **ret_instance, struct definition **ret_definition,
                               struct error *err)
{
    TRY_FOUND(transact_load_in(turn, call->ns, id, ret_instance, ret_definition, err));
    return found_of(caller_check(call->caller, sight_object(call, (*ret_definition)->id), err));
}

/* The same instance at the nodes of another program. The command that moves it there counts visits from 0
 * again and closes its timers: what the old program counted and timed need not be there any more. */
const struct instance *transact_moved(struct turn *turn, const struct instance *instance,
                                      const struct definition *definition)
{
    struct instance uncounted = *instance;
    struct buf state;
    buf_init(&state, &turn->arena);
    uncounted.visited_count = 0;
    core_encode(&uncounted, &state);
    return core_decode_own(buf_str(&state), definition->program, &turn->arena);
}

bool transact_has_job(const struct turn *turn, uint64_t instance, uint32_t number)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, instance);
    return loaded && instance_find_job(loaded->now, number);
}

void transact_unload(struct turn *turn, uint64_t id)
{
    struct loaded *loaded = map_take(&turn->loaded_of, id);
    cache_drop(&turn->engine->memory.cache, id);
    if (!loaded) return;
    must(!loaded->changed);
    struct loaded **link = &turn->all_loaded;
    while (*link != loaded) link = &(*link)->next;
    *link = loaded->next;
}

void transact_forget(struct turn *turn)
{
    for (const struct loaded *loaded = turn->all_loaded; loaded; loaded = loaded->next)
        map_take(&turn->loaded_of, loaded->instance);
    turn->all_loaded = NULL;
    must(!turn->loaded_of.count);
    /* Retention may delete ended instances without telling the cache. */
    for (const struct ended *ended = turn->ended; ended; ended = ended->next)
        cache_drop(&turn->engine->memory.cache, ended->instance);
    turn->ended = NULL;
}
