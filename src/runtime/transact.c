/* runtime/transact.c — the commands of one turn, one transaction.
 *
 *     load instance -> core_step() -> changeset -> apply … commit -> queues, timers, waiters
 *
 * What a command opens and closes is not told by the core in so many words: it is the
 * difference between the instance before and after. Jobs, timers and people's tasks of a
 * failed instance count as closed here (nobody may reach them) and as opened again by a
 * retry.
 *
 * Not here: what a command means (core/), how rows look (store/).
 */
#include "runtime/engine_int.h"

#include "base/must.h"
#include "json/json.h"

/* How many instances one chain may start within a transaction. A chain that goes on for
 * ever must not keep the engine from its other work. */
enum { CHAIN_IN_BATCH_MAX = 8, PENDING_PER_TURN_MAX = 1000 };

enum status transact_failed(struct engine *engine, const struct error *err)
{
    if (engine->failed == ST_OK) {
        engine->failed = err->status;
        engine->failure = *err;
    }
    return err->status;
}

enum status transact_begin(struct engine *engine, struct error *err)
{
    if (engine->failed != ST_OK) {
        *err = engine->failure;
        return engine->failed;
    }
    if (engine->in_transaction) return ST_OK;
    if (store_begin(engine->store, err) != ST_OK) return transact_failed(engine, err);
    engine->in_transaction = true;
    return ST_OK;
}

enum status transact_rows(struct engine *engine, struct changeset *changeset, struct error *err)
{
    TRY(transact_begin(engine, err));
    if (store_apply(engine->store, changeset, err) != ST_OK) return transact_failed(engine, err);
    return ST_OK;
}

/* What has ended may be purged behind the cache's back: it stays there for this turn only. */
static void note_ended(struct engine *engine, uint64_t id)
{
    struct ended *ended = arena_make(&engine->arena, struct ended);
    *ended = (struct ended){ id, engine->ended };
    engine->ended = ended;
}

enum status transact_load(struct engine *engine, uint64_t id, const struct instance **ret_instance,
                          struct definition **ret_definition, struct error *err)
{
    const struct cached *cached = cache_get(&engine->cache, id);
    if (!cached) {
        struct instance_row row;
        TRY(store_load_instance(engine->store, id, &engine->arena, &row, err));
        cache_put(&engine->cache, id, row.ns, row.definition, row.last_history, row.state);
        cached = cache_get(&engine->cache, id);
        if (instance_status_ended(row.status)) note_ended(engine, id);
    }
    TRY(catalogue_get(&engine->catalogue, cached->definition, ret_definition, err));
    return core_decode(cached_state(cached), (*ret_definition)->program, &engine->arena, ret_instance, err);
}

/* ---- what a command opened and closed ---- */

static bool reachable(const struct instance *instance)
{
    return instance && !instance_status_ended(instance->status);
}

/* Timers are in order of their numbers, before and after: one walk finds the difference. */
static void diff_timers(struct engine *engine, const struct change *change, struct changeset *changeset)
{
    const struct instance *a = change->before, *b = change->after;
    size_t a_count = reachable(a) ? a->timer_count : 0, b_count = reachable(b) ? b->timer_count : 0;
    if (!a_count && !b_count) return;
    struct timer_row *add = arena_make_n(&engine->arena, struct timer_row, b_count);
    struct timer_row *remove = arena_make_n(&engine->arena, struct timer_row, a_count);
    size_t added = 0, removed = 0;
    for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
        if (k == b_count || (i < a_count && a->timer[i].number < b->timer[k].number)) {
            remove[removed++] = (struct timer_row){ a->timer[i].due_ms, change->instance, a->timer[i].number };
            i++;
        } else if (i == a_count || b->timer[k].number < a->timer[i].number) {
            add[added++] = (struct timer_row){ b->timer[k].due_ms, change->instance, b->timer[k].number };
            k++;
        } else {
            i++, k++;
        }
    }
    changeset->timer_add = add, changeset->timer_add_count = added;
    changeset->timer_remove = remove, changeset->timer_remove_count = removed;
}

static size_t next_person(const struct instance *instance, size_t i)
{
    while (i < instance->token_count && instance->token[i].state != TOKEN_PERSON) i++;
    return i;
}

static bool awaits_person(const struct instance *instance)
{
    return reachable(instance) && next_person(instance, 0) < instance->token_count;
}

static struct task_row task_of(const struct change *change, const struct token *token, int32_t ns)
{
    const struct program_node *node = &change->program->node[token->node];
    return (struct task_row){ .instance = change->instance, .execution = token->execution, .ns = ns,
                              .definition = change->after->definition, .created_ms = token->since_ms,
                              .node = token->node_name, .title = node->title, .label = node->as.wait.label };
}

static void diff_tasks(struct engine *engine, const struct change *change, int32_t ns, struct changeset *changeset)
{
    const struct instance *a = change->before, *b = change->after;
    if (!awaits_person(a) && !awaits_person(b)) return;
    size_t a_count = reachable(a) ? a->token_count : 0, b_count = reachable(b) ? b->token_count : 0;
    struct task_row *add = arena_make_n(&engine->arena, struct task_row, b_count);
    struct task_row *remove = arena_make_n(&engine->arena, struct task_row, a_count);
    size_t added = 0, removed = 0;
    size_t i = a_count ? next_person(a, 0) : 0, k = b_count ? next_person(b, 0) : 0;
    while (i < a_count || k < b_count) {
        if (k >= b_count || (i < a_count && a->token[i].execution < b->token[k].execution)) {
            remove[removed++] = (struct task_row){ .instance = change->instance, .execution = a->token[i].execution };
            i = next_person(a, i + 1);
        } else if (i >= a_count || b->token[k].execution < a->token[i].execution) {
            add[added++] = task_of(change, &b->token[k], ns);
            k = next_person(b, k + 1);
        } else {
            i = next_person(a, i + 1), k = next_person(b, k + 1);
        }
    }
    changeset->task_add = add, changeset->task_add_count = added;
    changeset->task_remove = remove, changeset->task_remove_count = removed;
}

/* ---- applying ---- */

static enum status apply_change(struct engine *engine, struct change *change, struct definition *definition,
                                struct error *err)
{
    const struct instance *after = change->after;
    struct buf state, history;
    buf_init(&state, &engine->arena);
    buf_init(&history, &engine->arena);
    core_encode(after, &state);
    history_encode(change->history, &history);

    const struct cached *cached = change->before ? cache_get(&engine->cache, change->instance) : NULL;
    must(!change->before || cached);
    struct instance_row row = {
        .id = change->instance,
        .ns = definition->ns,
        .definition = definition->number,
        .status = after->status,
        .has_jobs = reachable(after) && after->job_count > 0,
        .created_ms = after->created_ms,
        .ended_ms = after->ended_ms,
        .business_key = after->business_key,
        .last_history = cached ? cached->last_history : 0,
        .state = buf_str(&state),
    };
    struct changeset changeset = { .instance = &row, .insert = !change->before,
                                   .history = buf_str(&history), .at_ms = change->history->at_ms };
    diff_timers(engine, change, &changeset);
    diff_tasks(engine, change, definition->ns, &changeset);
    TRY(transact_rows(engine, &changeset, err));
    cache_put(&engine->cache, change->instance, definition->ns, definition->number, changeset.ret_last_history,
              row.state);
    return ST_OK;
}

static void add_change(struct engine *engine, struct change *change)
{
    if (engine->last_change) engine->last_change->next = change;
    else engine->first_change = change;
    engine->last_change = change;
}

static enum status step_one(struct engine *engine, struct definition *definition,
                            const struct instance *before, const struct command *command,
                            struct change **ret_change, struct error *err)
{
    engine->arena.budget = engine->arena.used + (size_t)engine->limits.step_bytes_max;
    struct outcome outcome;
    enum status status = core_step(definition->program, before, command, &engine->limits, &engine->arena,
                                   &outcome, err);
    engine->arena.budget = 0;
    if (status != ST_OK) return status;
    *ret_change = NULL;
    if (outcome.unchanged) return ST_OK;

    struct change *change = arena_make(&engine->arena, struct change);
    struct history *history = arena_make(&engine->arena, struct history);
    *history = outcome.history;
    *change = (struct change){ .instance = outcome.instance->id, .before = before, .after = outcome.instance,
                               .history = history, .program = definition->program };
    TRY(apply_change(engine, change, definition, err));
    add_change(engine, change);
    *ret_change = change;
    return ST_OK;
}

/* ---- starting, and what a start may start in turn ---- */

enum status fail_key_taken(struct error *err)
{
    return fail(err, ST_CONFLICT, "businessKey",
                "business key already in use by an in-flight instance of this definition");
}

static enum status start_one(struct engine *engine, const struct start *start, struct change **ret_change,
                             struct definition **ret_definition, struct error *err)
{
    struct definition *definition;
    enum status found = catalogue_find(&engine->catalogue, start->ns, start->definition_id, start->version,
                                       &definition, err);
    if (found == ST_NOT_FOUND && start->version > 0)
        return fail(err, ST_NOT_FOUND, "definitionVersion", "definition \"%.*s\" version %d not found",
                    STR_ARG(start->definition_id), start->version);
    if (found == ST_NOT_FOUND)
        return fail(err, ST_NOT_FOUND, "definitionId", "definition \"%.*s\" not found",
                    STR_ARG(start->definition_id));
    TRY(found);
    if (start->business_key.n) {
        uint64_t holder = 0;
        TRY(store_find_business_key(engine->store, start->ns, start->definition_id, start->business_key, &holder, err));
        if (holder) return fail_key_taken(err);
    }
    if (engine->next_instance > ID_INSTANCE_MAX)
        return fail(err, ST_LIMIT, "instances", "no more instance ids");
    struct command command = {
        .kind = COMMAND_START, .now_ms = engine->now_ms, .instance = engine->next_instance,
        .definition = definition->number, .business_key = start->business_key, .data = start->data,
        .actor = start->actor,
    };
    TRY(step_one(engine, definition, NULL, &command, ret_change, err));
    engine->next_instance++;
    *ret_definition = definition;
    return ST_OK;
}

static const struct entry *find_chain(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_CHAIN) return &history->entry[i];
    return NULL;
}

static enum status put_pending(struct engine *engine, const struct change *parent, const struct entry *chain,
                               int32_t ns, struct error *err)
{
    struct pending_row row = { .parent = parent->instance, .number = chain->number, .ns = ns, .target = chain->text,
                               .business_key = parent->after->business_key, .created_ms = engine->now_ms,
                               .data = json_encoded(parent->after->data) };
    struct changeset changeset = { .pending_add = &row };
    engine->pending_left = true;
    return transact_rows(engine, &changeset, err);
}

/* Starts what the change chains to, and what that chains to, and so on. What cannot be
 * started now is left as a pending row: nothing is lost. */
static enum status follow_chain(struct engine *engine, struct change *change, int32_t ns, struct error *err)
{
    for (int depth = 0; change; depth++) {
        const struct entry *chain = find_chain(change->history);
        if (!chain) return ST_OK;
        struct start start = { .ns = ns, .definition_id = chain->text, .business_key = change->after->business_key,
                               .data = change->after->data, .actor = STR("chain") };
        struct change *child = NULL;
        struct definition *definition;
        enum status status = room_check(engine, CALL_START, err);
        if (status == ST_OK && depth == CHAIN_IN_BATCH_MAX) status = ST_OVERLOAD;
        if (status == ST_OK) status = start_one(engine, &start, &child, &definition, err);
        if (engine->failed != ST_OK) return engine->failed;
        if (status != ST_OK) {
            if (status == ST_OVERLOAD) engine->pending_due = true;
            return put_pending(engine, change, chain, ns, err);
        }
        change = child;
    }
    return ST_OK;
}

enum status transact_command(struct engine *engine, struct definition *definition,
                             const struct instance *before, const struct command *command,
                             struct change **ret_change, struct error *err)
{
    TRY(step_one(engine, definition, before, command, ret_change, err));
    return *ret_change ? follow_chain(engine, *ret_change, definition->ns, err) : ST_OK;
}

enum status transact_start(struct engine *engine, const struct start *start, struct change **ret_change,
                           struct definition **ret_definition, struct error *err)
{
    TRY(start_one(engine, start, ret_change, ret_definition, err));
    return follow_chain(engine, *ret_change, start->ns, err);
}

/* True if it was started, or the transaction is lost anyway. */
static bool start_pending(struct engine *engine, const struct pending_row *row)
{
    struct error err;
    struct start start = { .ns = row->ns, .definition_id = row->target, .business_key = row->business_key,
                           .data = json_decode(row->data, &engine->arena), .actor = STR("chain") };
    struct change *change;
    struct definition *definition;
    if (!start.data || start_one(engine, &start, &change, &definition, &err) != ST_OK) return engine->failed != ST_OK;
    struct changeset changeset = { .pending_remove = row };
    if (transact_rows(engine, &changeset, &err) == ST_OK) follow_chain(engine, change, row->ns, &err);
    return true;
}

void transact_pending(struct engine *engine)
{
    struct error err;
    struct pending_row *row = arena_make_n(&engine->arena, struct pending_row, PENDING_PER_TURN_MAX);
    size_t count = 0, left = 0;
    engine->pending_due = false;
    if (store_pending(engine->store, NAMESPACE_DEFAULT, STR_NONE, &engine->arena, row, PENDING_PER_TURN_MAX, &count,
                      &err) != ST_OK) {
        engine->pending_left = true;
        return;
    }
    engine->pending_left = false; /* Until one is left, or one that starts leaves another. */
    for (size_t i = 0; i < count && engine->failed == ST_OK; i++)
        if (!start_pending(engine, &row[i])) left++;
    engine->pending_left |= left > 0;
    engine->pending_due |= engine->failed == ST_OK && count == PENDING_PER_TURN_MAX && left == 0;
}

/* ---- the end of the turn ---- */

/* Queues follow the difference in open jobs, which are in order of their numbers too. */
static void follow_jobs(struct engine *engine, const struct change *change)
{
    const struct instance *a = change->before, *b = change->after;
    size_t a_count = reachable(a) ? a->job_count : 0, b_count = reachable(b) ? b->job_count : 0;
    uint8_t priority = (uint8_t)change->program->priority;
    for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
        if (k == b_count || (i < a_count && a->job[i].number < b->job[k].number)) {
            jobs_remove(&engine->jobs, change->instance, a->job[i++].number);
        } else if (i == a_count || b->job[k].number < a->job[i].number) {
            jobs_add(&engine->jobs, change->instance, &b->job[k++], priority, engine->now_ms);
        } else {
            i++, k++;
        }
    }
}

static void follow_timers(struct engine *engine, const struct change *change)
{
    const struct instance *a = change->before, *b = change->after;
    if (!reachable(b)) return;
    uint32_t known = reachable(a) ? a->next_number : 0;
    for (size_t i = 0; i < b->timer_count; i++)
        if (b->timer[i].number >= known)
            timers_add(&engine->timers,
                       &(struct timer_row){ b->timer[i].due_ms, change->instance, b->timer[i].number });
}

static void count_change(struct engine *engine, const struct change *change)
{
    struct metrics *metrics = engine->metrics;
    metric_add(&metrics->commands, 1);
    if (!change->before) metric_add(&metrics->instances_started, 1);
    for (size_t i = 0; i < change->history->entry_count; i++) {
        const struct entry *entry = &change->history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER) {
            uint32_t node = program_find(change->program, entry->node);
            if (node != NODE_NONE) metric_count_type(metrics, change->program->node[node].type);
        }
    }
    if (!reachable(change->after)) metric_add(&metrics->instances_ended[change->after->status], 1);
}

/* Answers the calls that waited for this. A START that waited shows how it ended; a WATCH
 * goes on to the query thread for the history. */
static void wake_watchers(struct engine *engine, const struct change *change)
{
    const struct instance *after = change->after;
    for (struct call *call; (call = watchers_take(&engine->watchers, change->instance, after->revision,
                                                  !reachable(after))) != NULL;) {
        if (call->kind == CALL_WATCH) {
            call_list_add(&engine->for_query, call);
            continue;
        }
        view_instance(after, call->instance->definition_id, call->instance->definition_version, call->arena,
                      call->instance);
        call_list_add(&engine->answered, call);
    }
}

static void follow_changes(struct engine *engine)
{
    for (struct change *change = engine->first_change; change; change = change->next) {
        follow_jobs(engine, change);
        follow_timers(engine, change);
        count_change(engine, change);
        wake_watchers(engine, change);
        /* What has ended is rarely asked for again; a retry loads it from the store. */
        if (!reachable(change->after)) cache_drop(&engine->cache, change->instance);
    }
}

static void drop_changes(struct engine *engine)
{
    for (struct change *change = engine->first_change; change; change = change->next)
        cache_drop(&engine->cache, change->instance);
    /* It may know definitions that never came to be. */
    if (engine->deployed) catalogue_clear(&engine->catalogue);
    engine->pending_left = true;
}

bool transact_end(struct engine *engine)
{
    bool committed = engine->failed == ST_OK;
    if (engine->in_transaction) {
        int64_t began_us = clock_monotonic_us();
        struct error err;
        if (committed && store_commit(engine->store, &err) != ST_OK) {
            committed = false;
            transact_failed(engine, &err);
        }
        if (!committed) store_rollback(engine->store);
        engine->broken = store_broken(engine->store);
        if (committed) {
            metric_add(&engine->metrics->commits, 1);
            histogram_add(&engine->metrics->transaction, clock_monotonic_us() - began_us);
        }
    }
    if (committed) follow_changes(engine);
    else drop_changes(engine);
    engine->in_transaction = engine->deployed = false;
    engine->first_change = engine->last_change = NULL;
    return committed;
}
