/* runtime/transact/transact.c — instances loaded, stepped and written in the transaction of a turn.
 *
 *     load the instance ──► core_step() ──► write its history, and its row when the turn ends ──► commit
 *
 * An instance that several commands of a turn concern is loaded once, and its row is written once, before the
 * commit. The history of each command is written at once. The row is written earlier if a query of the same
 * transaction may look for it: when the instance is new, when it begins or ceases to live (its business key),
 * and when its correlation key changes (its subscription). Reads by id go through transact_load(), which
 * knows the loaded instances. Rows of timers and tasks are looked for only between transactions.
 *
 * Not here: what a command means (core/), what it opens and closes (effects.c), how rows look (store/).
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

enum status transact_failed(struct turn *turn, const struct error *err)
{
    must(err->status != ST_OK);
    if (turn->failed == ST_OK) {
        turn->failed = err->status;
        turn->failure = *err;
    }
    return err->status;
}

enum status transact_begin(struct turn *turn, struct error *err)
{
    if (turn->failed != ST_OK) {
        *err = turn->failure;
        return turn->failed;
    }
    if (turn->in_transaction) return ST_OK;
    must(!turn->wrote && !turn->first_transition);
    if (store_begin(turn->engine->store, err) != ST_OK) return transact_failed(turn, err);
    turn->in_transaction = true;
    return ST_OK;
}

enum status transact_rows(struct turn *turn, struct changeset *changeset, struct error *err)
{
    TRY(transact_begin(turn, err));
    turn->wrote = true;
    if (store_apply(turn->engine->store, changeset, err) != ST_OK) return transact_failed(turn, err);
    return ST_OK;
}

/* ---- loaded instances ---- */

static struct loaded *add_loaded(struct turn *turn, uint64_t id, struct definition *definition,
                                 const struct instance *stored)
{
    struct loaded *loaded = arena_make(&turn->arena, struct loaded);
    *loaded = (struct loaded){ .instance = id,
                               .definition = definition,
                               .written = stored,
                               .now = stored,
                               .found = stored ? stored->revision : 0,
                               .next = turn->all_loaded };
    turn->all_loaded = loaded;
    must(!map_put(&turn->loaded_of, id, loaded));
    return loaded;
}

static void note_changed(struct turn *turn, struct loaded *loaded)
{
    must(!turn->first_changed == !turn->last_changed);
    if (loaded->changed) return;
    loaded->changed = true;
    loaded->next_changed = NULL;
    if (turn->last_changed) turn->last_changed->next_changed = loaded;
    else turn->first_changed = loaded;
    turn->last_changed = loaded;
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
    cache_put(&turn->engine->cache, row);
    struct loaded *loaded = add_loaded(turn, row->id, definition, *ret_instance);
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
    if (catalogue_get(&turn->engine->catalogue, row->definition, &definition, &err) == ST_OK)
        take_row(turn, row, definition, &instance, &err);
}

bool transact_is_lost(const struct turn *turn, enum status status)
{
    return turn->failed != ST_OK || status == ST_STORE || status == ST_FULL || status == ST_AGAIN;
}

/* The cache's entry of an instance, unless another node is likely to have changed the instance since. The
 * commit finds out if one has, but only the attempt that follows is right then. Outside of a transaction
 * nobody finds out. */
static const struct cached *find_cached(struct turn *turn, uint64_t id)
{
    bool trusts = !turn->engine->nodes.shared || turn->trusts_cache ||
                  (turn->in_transaction && !nodes_have_others(turn->engine));
    return trusts ? cache_get(&turn->engine->cache, id) : NULL;
}

/* Each read of a transaction that has failed may wait for the same lock, which somebody else holds. */
static bool reads_nothing_more(const struct turn *turn)
{
    return turn->in_transaction && turn->failed != ST_OK;
}

/* A read of the store that gave up at a lock fails the transaction, if there is one. */
static enum status note_read(struct turn *turn, enum status status, const struct error *err)
{
    if (status == ST_AGAIN && turn->in_transaction) transact_failed(turn, err);
    return status;
}

/* The row of the instance. A damaged index of the database may lead to another one. */
static enum status load_row(struct turn *turn, uint64_t id, struct instance_row *ret_row, struct error *err)
{
    TRY(store_load_instance(turn->engine->store, id, &turn->arena, ret_row, err));
    return ret_row->id == id ? ST_OK : damage_fail(ret_row, "another instance was asked for", err);
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
    enum status status = load_row(turn, id, &row, &err);
    if (note_read(turn, status, &err) != ST_OK) return false;
    *ret_number = row.definition;
    /* It has been read, and the command will want it. */
    struct definition *definition = catalogue_peek(&turn->engine->catalogue, row.definition);
    const struct instance *instance;
    return !definition || take_row(turn, &row, definition, &instance, &err) == ST_OK;
}

static enum status take_cached(struct turn *turn, const struct cached *cached,
                               const struct instance **ret_instance, struct definition **ret_definition,
                               struct error *err)
{
    TRY(catalogue_get(&turn->engine->catalogue, cached->definition, ret_definition, err));
    *ret_instance = core_decode_own(cached_state(cached), (*ret_definition)->program, &turn->arena);
    struct loaded *loaded = add_loaded(turn, cached->id, *ret_definition, *ret_instance);
    loaded->last_history = cached->last_history;
    loaded->holder = cached->holder;
    return ST_OK;
}

static enum status read_stored(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                               struct definition **ret_definition, struct error *err)
{
    struct instance_row row;
    TRY(load_row(turn, id, &row, err));
    TRY(catalogue_get(&turn->engine->catalogue, row.definition, ret_definition, err));
    return take_row(turn, &row, *ret_definition, ret_instance, err);
}

enum status transact_load_stored(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                                 struct definition **ret_definition, struct error *err)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, id);
    if (loaded) {
        *ret_definition = loaded->definition;
        *ret_instance = loaded->now;
        return ST_OK;
    }
    const struct cached *cached = find_cached(turn, id);
    if (cached) return take_cached(turn, cached, ret_instance, ret_definition, err);
    if (reads_nothing_more(turn)) {
        *err = turn->failure;
        return turn->failed;
    }
    return note_read(turn, read_stored(turn, id, ret_instance, ret_definition, err), err);
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

static bool has_jobs(const struct instance *instance)
{
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution)) return true;
    return false;
}

/* Lists show instances in the order of their ids. So a node that is not alone takes new ones for every turn,
 * which costs a round trip. Where many are started at once, nobody can tell the order of a few milliseconds.
 */
void transact_renew_numbers(struct turn *turn)
{
    enum { MANY = 2, FRESH_MS = 20, TURNS = 8 };
    struct engine *engine = turn->engine;
    struct store_numbers *numbers = &engine->numbers;
    numbers->wanted = 0;
    if (!nodes_have_others(engine)) return;
    for (const struct call *call = engine->writers.first; call; call = call->next_)
        numbers->wanted += call->kind == CALL_START;
    bool many = numbers->wanted >= MANY;
    numbers->wanted = many ? TURNS * numbers->wanted : 1 + numbers->wanted;
    if (many && turn->now_ms - engine->numbers_ms < FRESH_MS && turn->now_ms >= engine->numbers_ms) return;
    numbers->instance = numbers->instance_end;
    engine->numbers_ms = turn->now_ms;
}

enum status transact_next_instance(struct turn *turn, uint64_t *ret_id, struct error *err)
{
    struct store_numbers *numbers = &turn->engine->numbers;
    if (numbers->instance == numbers->instance_end)
        TRY(store_take_numbers(turn->engine->store, numbers, err));
    if (numbers->instance > ID_INSTANCE_MAX) return fail(err, ST_LIMIT, "instances", "no more instance ids");
    *ret_id = numbers->instance;
    return ST_OK;
}

/* ---- applying ---- */

/* The columns of an instance's row, all but the state's. */
static struct instance_row row_of(const struct instance *instance, const struct definition *definition,
                                  int64_t last_history)
{
    const struct program_rules *rules = definition->program->rules;
    /* An instance with a retention of its own is purged by its mark (marks.c). */
    bool by_age = rules->retention_ms < 0 || rules->is_ephemeral;
    return (struct instance_row){
        .id = instance->id,
        .ns = definition->ns,
        .definition = instance->definition,
        .status = instance->status,
        .has_jobs = has_jobs(instance),
        .is_transient = rules->is_ephemeral,
        .created_ms = instance->created_ms,
        .ended_ms = is_over(instance) && by_age ? instance->ended_ms : 0,
        .business_key = instance->business_key,
        .last_history = last_history,
        .revision = instance->revision,
    };
}

/* The effects that have index rows. */
static void put_effects(const struct effects *effects, struct changeset *changeset)
{
    changeset->timer_add = effects->timer_set, changeset->timer_add_count = effects->timer_set_count;
    changeset->timer_remove = effects->timer_cleared,
    changeset->timer_remove_count = effects->timer_cleared_count;
    changeset->task_add = effects->task_opened, changeset->task_add_count = effects->task_opened_count;
    changeset->task_remove = effects->task_closed, changeset->task_remove_count = effects->task_closed_count;
    changeset->subscription_add = effects->subscribed;
    changeset->subscription_remove = effects->unsubscribed;
    changeset->failure_put = effects->failed;
    changeset->failure_remove = effects->mended;
    changeset->job_add = effects->job_offered, changeset->job_add_count = effects->job_offered_count;
    changeset->job_remove = effects->job_dropped, changeset->job_remove_count = effects->job_dropped_count;
    changeset->record_put = effects->marked, changeset->record_put_count = effects->marked_count;
    changeset->record_remove = effects->unmarked, changeset->record_remove_count = effects->unmarked_count;
}

/* Writes the row, all that hangs on it, and the history of the latest command if that is not written yet. */
static enum status write_loaded(struct turn *turn, struct loaded *loaded, const struct history *latest,
                                str history, struct error *err)
{
    must(loaded->now->revision != loaded->found);
    must(loaded->changed && loaded->now != loaded->written);
    const struct instance *after = loaded->now;
    struct buf state;
    buf_init(&state, &turn->arena);
    core_encode(after, &state);
    struct instance_row row = row_of(after, loaded->definition, loaded->last_history), before;
    row.state = buf_str(&state);
    turn->spent += (int64_t)(state.n / STATE_BYTES_PER_FUEL);
    struct changeset changeset = {
        .instance = &row, .insert = !loaded->written, .history = history, .at_ms = latest ? latest->at_ms : 0
    };
    if (loaded->written) {
        before = row_of(loaded->written, loaded->definition, loaded->last_history);
        before.holder = loaded->holder;
        before.revision = after->revision - (latest != NULL);
        changeset.before = &before;
    }
    const struct child_row child = { after->parent, after->parent_job, after->id, after->parent_waits };
    if (!loaded->written && after->parent) changeset.child_add = &child;
    struct effects *effects = effects_of(turn, loaded);
    if (index_rows_change(turn, loaded, effects, err) != ST_OK) return transact_failed(turn, err);
    offers_decide(turn, loaded, effects, &row);
    put_effects(effects, &changeset);
    TRY(transact_rows(turn, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    loaded->written = after;
    row.last_history = loaded->last_history;
    cache_put(&turn->engine->cache, &row);
    return ST_OK;
}

enum status transact_move(struct turn *turn, uint64_t id, struct definition *definition,
                          const struct instance **ret_now, struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, id);
    must(loaded && loaded->written);
    must(loaded->definition->ns == definition->ns);
    /* The stored state may stand at a node that the other version lacks. */
    if (loaded->written != loaded->now) TRY(write_loaded(turn, loaded, NULL, STR_NONE, err));
    *ret_now = loaded->written = loaded->now = transact_moved(turn, loaded->now, definition);
    loaded->definition = definition;
    return ST_OK;
}

/* The row comes later. */
static enum status write_history(struct turn *turn, struct loaded *loaded, const struct history *latest,
                                 str history, struct error *err)
{
    struct instance_row row = { .id = loaded->instance,
                                .definition = loaded->written->definition,
                                .is_transient = loaded->definition->program->rules->is_ephemeral,
                                .last_history = loaded->last_history,
                                .revision = loaded->now->revision - 1 };
    struct changeset changeset = {
        .instance = &row, .before = &row, .row_later = true, .history = history, .at_ms = latest->at_ms
    };
    TRY(transact_rows(turn, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    return ST_OK;
}

/* Must its row be there for the next command? */
static bool is_looked_for(const struct loaded *loaded)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    return !a || lives(a) != lives(b) || !str_equal(a->correlation, b->correlation);
}

static enum status apply_change(struct turn *turn, struct transition *transition, struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, transition->instance);
    if (!loaded) {
        struct definition *definition;
        TRY(catalogue_get(&turn->engine->catalogue, transition->definition, &definition, err));
        loaded = add_loaded(turn, transition->instance, definition, NULL);
    }
    must(loaded->definition->number == transition->definition);
    must(loaded->now == transition->before);
    struct buf history;
    buf_init(&history, &turn->arena);
    history_encode(transition->history, &history);
    loaded->now = transition->after;
    note_changed(turn, loaded);
    return is_looked_for(loaded) ? write_loaded(turn, loaded, transition->history, buf_str(&history), err)
                                 : write_history(turn, loaded, transition->history, buf_str(&history), err);
}

static void write_all_loaded(struct turn *turn)
{
    struct error err;
    for (struct loaded *loaded = turn->first_changed; loaded && turn->failed == ST_OK;
         loaded = loaded->next_changed)
        if (loaded->written != loaded->now) write_loaded(turn, loaded, NULL, STR_NONE, &err);
}

static void write_tallies(struct turn *turn)
{
    struct changeset change;
    struct error err;
    if (tallies_change(turn, &change, &err) != ST_OK) transact_failed(turn, &err);
    else if (change.record_put_count || change.record_remove_count) transact_rows(turn, &change, &err);
}

static void add_transition(struct turn *turn, struct transition *transition)
{
    must(!transition->next && transition != turn->last_transition);
    if (turn->last_transition) turn->last_transition->next = transition;
    else turn->first_transition = transition;
    turn->last_transition = transition;
    if (!turn->first_unnoticed) turn->first_unnoticed = transition;
}

enum status transact_apply(struct turn *turn, struct transition *transition, struct error *err)
{
    TRY(apply_change(turn, transition, err));
    unit_follow(turn, transition->after);
    add_transition(turn, transition);
    return ST_OK;
}

bool transact_has_job(const struct turn *turn, uint64_t instance, uint32_t number)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, instance);
    return loaded && instance_find_job(loaded->now, number);
}

/* ---- the end ---- */

static bool commit(struct turn *turn)
{
    must(turn->in_transaction && turn->wrote && turn->failed == ST_OK);
    struct engine *engine = turn->engine;
    struct error err;
    int64_t began_us = clock_monotonic_us();
    if (store_commit(engine->store, &err) != ST_OK) {
        transact_failed(turn, &err);
        return false;
    }
    metric_add(&engine->metrics->commits, 1);
    metric_observe(&engine->metrics->transaction, clock_monotonic_us() - began_us);
    return true;
}

/* The instances that the turn has read must be unchanged when it commits. With other nodes also a turn with
 * calls commits that changes nothing: a refusal may rest on a definition or a model that has changed. */
static void expect_loaded(struct turn *turn)
{
    struct error err;
    turn->wrote |= turn->in_transaction && turn->ran.first && nodes_have_others(turn->engine);
    for (const struct loaded *loaded = turn->all_loaded; loaded && turn->in_transaction;
         loaded = loaded->next) {
        if (loaded->changed) continue;
        must(loaded->now == loaded->written);
        turn->wrote = true;
        if (store_expect(turn->engine->store, loaded->instance, loaded->now->revision, &err) != ST_OK) {
            transact_failed(turn, &err);
            return;
        }
    }
}

static void tell_others(struct turn *turn)
{
    struct error err;
    if (nodes_tell(turn, &err) != ST_OK) transact_failed(turn, &err);
}

/* Nothing of the transaction happened. */
static void drop(struct turn *turn)
{
    must(turn->failed != ST_OK);
    struct engine *engine = turn->engine;
    for (const struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed)
        cache_drop(&engine->cache, loaded->instance);
    /* Another node may have changed any of them. */
    for (const struct loaded *loaded = turn->failed == ST_AGAIN ? turn->all_loaded : NULL; loaded;
         loaded = loaded->next)
        cache_drop(&engine->cache, loaded->instance);
    transact_forget(turn);
    /* The catalogue may hold definitions that the transaction would have stored. */
    if (turn->deployed) catalogue_clear(&engine->catalogue);
    if (turn->deployed || turn->moved_doors) doors_clear(&engine->doors);
    indexes_cache_clear(&engine->indexes);
    engine->index_due = true;
    if (turn->changed_models) model_cache_clear(&engine->models);
    engine->overflow_due = engine->held_due = true;
    engine->pending_left = PENDING_ALL;
    engine->children_left = true;
}

bool transact_end(struct turn *turn)
{
    must(!turn->unit);
    must(turn->in_transaction || (!turn->wrote && !turn->first_transition));
    struct engine *engine = turn->engine;
    if (turn->failed == ST_OK) write_all_loaded(turn);
    if (turn->failed == ST_OK) write_tallies(turn);
    if (turn->failed == ST_OK && engine->nodes.shared) expect_loaded(turn);
    if (turn->failed == ST_OK && turn->wrote) tell_others(turn);
    bool committed = turn->failed == ST_OK;
    if (turn->in_transaction) {
        if (committed && turn->wrote) committed = commit(turn);
        if (!committed || !turn->wrote) store_rollback(engine->store);
    }
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = turn->failure;
    if (!committed) drop(turn);
    else if (turn->moved_doors) metric_add(&engine->metrics->trigger_pauses, 1);
    return committed;
}

void transact_clear(struct turn *turn)
{
    turn->in_transaction = turn->wrote = turn->deployed = turn->moved_doors = turn->changed_models = false;
    turn->pauses = false;
    turn->counts = (struct turn_counts){ 0 };
    memset(turn->tally, 0, sizeof turn->tally);
    turn->first_transition = turn->last_transition = turn->first_unnoticed = NULL;
    turn->first_changed = turn->last_changed = NULL;
    turn->first_effects = turn->last_effects = NULL;
    turn->timers_again = NULL;
}

void transact_forget(struct turn *turn)
{
    for (const struct loaded *loaded = turn->all_loaded; loaded; loaded = loaded->next)
        map_take(&turn->loaded_of, loaded->instance);
    turn->all_loaded = NULL;
    must(!turn->loaded_of.count);
    /* Retention may delete ended instances without telling the cache. */
    for (const struct ended *ended = turn->ended; ended; ended = ended->next)
        cache_drop(&turn->engine->cache, ended->instance);
    turn->ended = NULL;
}
