/* runtime/transact.c — the commands of one turn, one transaction.
 *
 *     load instance -> core_step() -> changeset -> apply … commit -> queues, timers, waiters
 *
 * What a command opens and closes is not told by the core in so many words: it is the
 * difference between the instance before and after. Jobs, timers and people's tasks that
 * nobody may reach count as closed here: those of a failed instance, which a retry opens
 * again. What stands in a detached region can be reached although its instance has ended;
 * as long as there is any of it the instance *lingers*: retention leaves it alone.
 *
 * An instance that several commands of a turn concern is loaded once, and its row is written
 * once, before the commit: until then it is a *loaded instance*. The history of each command is a row at
 * once, and so is what a query of the same transaction may look for: that the instance is
 * there, that it lives (its business key), and its subscription. Reads by id go through
 * transact_load(), which knows the loaded instances; rows of timers and tasks are looked for only between
 * transactions.
 *
 * Not here: what a command means (core/), how rows look (store/).
 */
#include "runtime/engine_int.h"

#include "base/must.h"
#include "json/json.h"

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
    engine->wrote = true;
    if (store_apply(engine->store, changeset, err) != ST_OK) return transact_failed(engine, err);
    return ST_OK;
}

/* ---- loaded instances ---- */

static struct loaded *add_loaded(struct engine *engine, uint64_t id, struct definition *definition,
                                 const struct instance *stored, int64_t last_history)
{
    struct loaded *loaded = arena_make(&engine->arena, struct loaded);
    *loaded = (struct loaded){ .instance = id,
                               .definition = definition,
                               .written = stored,
                               .now = stored,
                               .last_history = last_history,
                               .next = engine->all_loaded };
    engine->all_loaded = loaded;
    map_put(&engine->loaded_of, id, loaded);
    return loaded;
}

void transact_forget(struct engine *engine)
{
    for (const struct loaded *loaded = engine->all_loaded; loaded; loaded = loaded->next)
        map_take(&engine->loaded_of, loaded->instance);
    engine->all_loaded = NULL;
}

static void note_changed(struct engine *engine, struct loaded *loaded)
{
    if (loaded->changed) return;
    loaded->changed = true;
    loaded->next_changed = NULL;
    if (engine->last_changed) engine->last_changed->next_changed = loaded;
    else engine->first_changed = loaded;
    engine->last_changed = loaded;
}

/* What has ended may be purged behind the cache's back: it stays there for this turn only. */
static void note_ended(struct engine *engine, uint64_t id)
{
    struct ended *ended = arena_make(&engine->arena, struct ended);
    *ended = (struct ended){ id, engine->ended };
    engine->ended = ended;
}

enum status fail_damaged(const struct instance_row *row, const char *why, struct error *err)
{
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = row->created_ms, .instance = row->id }, id);
    return fail(err, ST_INTERNAL, "instance", "instance %s is damaged and left alone: %s", id, why);
}

static enum status take_row(struct engine *engine, const struct instance_row *row,
                            struct definition *definition, const struct instance **ret_instance,
                            struct error *err)
{
    struct error why;
    if (core_decode(row->state, definition->program, &engine->arena, ret_instance, &why) != ST_OK)
        return fail_damaged(row, why.message, err);
    engine->spent += (int64_t)(row->state.n / STATE_BYTES_PER_FUEL);
    cache_put(&engine->cache, row->id, row->ns, row->definition, row->last_history, row->state);
    add_loaded(engine, row->id, definition, *ret_instance, row->last_history);
    if (row->ended_ms) note_ended(engine, row->id);
    return ST_OK;
}

bool transact_find_definition(struct engine *engine, uint64_t id, int64_t *ret_number)
{
    const struct loaded *loaded = map_get(&engine->loaded_of, id);
    const struct cached *cached = loaded ? NULL : cache_get(&engine->cache, id);
    struct instance_row row;
    struct error err;
    if (loaded || cached) {
        *ret_number = loaded ? loaded->definition->number : cached->definition;
        return true;
    }
    if (store_load_instance(engine->store, id, &engine->arena, &row, &err) != ST_OK) return false;
    *ret_number = row.definition;
    /* It has been read, and the command will want it. */
    struct definition *definition = catalogue_peek(&engine->catalogue, row.definition);
    const struct instance *instance;
    return !definition || take_row(engine, &row, definition, &instance, &err) == ST_OK;
}

enum status transact_load(struct engine *engine, uint64_t id, const struct instance **ret_instance,
                          struct definition **ret_definition, struct error *err)
{
    const struct loaded *loaded = map_get(&engine->loaded_of, id);
    if (loaded) {
        *ret_definition = loaded->definition;
        *ret_instance = loaded->now;
        return ST_OK;
    }
    const struct cached *cached = cache_get(&engine->cache, id);
    if (cached) {
        TRY(catalogue_get(&engine->catalogue, cached->definition, ret_definition, err));
        *ret_instance = core_decode_own(cached_state(cached), (*ret_definition)->program, &engine->arena);
        add_loaded(engine, id, *ret_definition, *ret_instance, cached->last_history);
        return ST_OK;
    }
    struct instance_row row;
    TRY(store_load_instance(engine->store, id, &engine->arena, &row, err));
    TRY(catalogue_get(&engine->catalogue, row.definition, ret_definition, err));
    return take_row(engine, &row, *ret_definition, ret_instance, err);
}

/* ---- what a command opened and closed ---- */

static bool lives(const struct instance *instance)
{
    return instance && !instance_status_ended(instance->status);
}

/* Nothing more can happen to it but a retry. */
static bool is_over(const struct instance *instance)
{
    return instance_status_ended(instance->status) && !instance_lingers(instance);
}

/* The first timer from there on that can be reached; SIZE_MAX if there is none. */
static size_t next_timer(const struct instance *instance, size_t i)
{
    while (instance && i < instance->timer_count && !reaches(instance, instance->timer[i].execution)) i++;
    return instance && i < instance->timer_count ? i : SIZE_MAX;
}

static struct timer_row timer_of(const struct change *change, const struct timer *timer)
{
    return (struct timer_row){ timer->due_ms, change->instance, timer->number };
}

/* Timers are in order of their numbers, before and after: one walk finds the difference. */
static void diff_timers(struct engine *engine, const struct change *change, struct changeset *changeset)
{
    const struct instance *a = change->before, *b = change->after;
    size_t i = next_timer(a, 0), k = next_timer(b, 0);
    if (i == SIZE_MAX && k == SIZE_MAX) return;
    struct timer_row *add = arena_make_n(&engine->arena, struct timer_row, b->timer_count);
    struct timer_row *remove = arena_make_n(&engine->arena, struct timer_row, a ? a->timer_count : 0);
    size_t added = 0, removed = 0;
    while (i != SIZE_MAX || k != SIZE_MAX) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->timer[i].number < b->timer[k].number)) {
            remove[removed++] = timer_of(change, &a->timer[i]);
            i = next_timer(a, i + 1);
        } else if (i == SIZE_MAX || b->timer[k].number < a->timer[i].number) {
            add[added++] = timer_of(change, &b->timer[k]);
            k = next_timer(b, k + 1);
        } else {
            i = next_timer(a, i + 1), k = next_timer(b, k + 1);
        }
    }
    changeset->timer_add = add, changeset->timer_add_count = added;
    changeset->timer_remove = remove, changeset->timer_remove_count = removed;
}

static bool is_task(const struct instance *instance, const struct token *token)
{
    return token->state == TOKEN_PERSON && reaches(instance, token->execution);
}

/* The first person's task from there on; SIZE_MAX if there is none. */
static size_t next_task(const struct instance *instance, size_t i)
{
    while (instance && i < instance->token_count && !is_task(instance, &instance->token[i])) i++;
    return instance && i < instance->token_count ? i : SIZE_MAX;
}

static struct task_row task_of(const struct change *change, const struct token *token, int32_t ns)
{
    const struct program_node *node = &change->program->node[token->node];
    return (struct task_row){ .instance = change->instance,
                              .execution = token->execution,
                              .ns = ns,
                              .definition = change->after->definition,
                              .created_ms = token->since_ms,
                              .node = token->node_name,
                              .title = str_cut(node->title, TITLE_BYTES_MAX),
                              .label = node->as.wait.label };
}

static void diff_tasks(struct engine *engine, const struct change *change, int32_t ns,
                       struct changeset *changeset)
{
    const struct instance *a = change->before, *b = change->after;
    size_t i = next_task(a, 0), k = next_task(b, 0);
    if (i == SIZE_MAX && k == SIZE_MAX) return;
    struct task_row *add = arena_make_n(&engine->arena, struct task_row, b->token_count);
    struct task_row *remove = arena_make_n(&engine->arena, struct task_row, a ? a->token_count : 0);
    size_t added = 0, removed = 0;
    while (i != SIZE_MAX || k != SIZE_MAX) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->token[i].execution < b->token[k].execution)) {
            remove[removed++] =
                (struct task_row){ .instance = change->instance, .execution = a->token[i].execution };
            i = next_task(a, i + 1);
        } else if (i == SIZE_MAX || b->token[k].execution < a->token[i].execution) {
            add[added++] = task_of(change, &b->token[k], ns);
            k = next_task(b, k + 1);
        } else {
            i = next_task(a, i + 1), k = next_task(b, k + 1);
        }
    }
    changeset->task_add = add, changeset->task_add_count = added;
    changeset->task_remove = remove, changeset->task_remove_count = removed;
}

static struct subscription_row *subscription_of(struct engine *engine, const struct instance *instance)
{
    struct subscription_row *row = arena_make(&engine->arena, struct subscription_row);
    *row = (struct subscription_row){ instance->definition, instance->correlation, instance->id };
    return row;
}

/* An instance takes events from its start to its end, under its token, and while it has failed: a retry finds
 * them in its mail. A retry writes the row again, because engines of before removed it when an instance
 * failed. */
static void diff_subscription(struct engine *engine, const struct change *change, struct changeset *changeset)
{
    if (!change->program->trigger_count) return;
    const struct instance *a = change->before && instance_takes_mail(change->before) ? change->before : NULL;
    const struct instance *b = instance_takes_mail(change->after) ? change->after : NULL;
    bool retried = a && b && !lives(a) && lives(b);
    if (a && b && !retried && str_equal(a->correlation, b->correlation)) return;
    changeset->subscription_remove = a ? subscription_of(engine, a) : NULL;
    changeset->subscription_add = b ? subscription_of(engine, b) : NULL;
}

str transact_failed_step(const struct program *program, const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED)
            return core_authored_node(program, instance, &instance->token[i])->name;
    return STR_NONE;
}

static struct failure_row *failure_of(struct engine *engine, const struct instance *instance,
                                      const struct program *program, int32_t ns)
{
    struct failure_row *row = arena_make(&engine->arena, struct failure_row);
    *row = (struct failure_row){ .instance = instance->id,
                                 .ns = ns,
                                 .definition = instance->definition,
                                 .created_ms = instance->created_ms,
                                 .failed_ms = instance->ended_ms,
                                 .business_key = instance->business_key,
                                 .reason = instance->failure,
                                 .step = transact_failed_step(program, instance) };
    return row;
}

/* Why an instance failed can be searched for while it is FAILED. */
static void diff_failure(struct engine *engine, const struct change *change, int32_t ns,
                         struct changeset *changeset)
{
    const struct instance *a = change->before, *b = change->after;
    bool was = a && a->status == INSTANCE_FAILED, is = b->status == INSTANCE_FAILED;
    if (was && is && a->ended_ms == b->ended_ms && str_equal(a->failure, b->failure)) return;
    if (is) changeset->failure_put = failure_of(engine, b, change->program, ns);
    else if (was) changeset->failure_remove = failure_of(engine, a, change->program, ns);
}

static bool has_jobs(const struct instance *instance)
{
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution)) return true;
    return false;
}

/* ---- applying ---- */

/* The columns of an instance's row, all but the state's. */
static struct instance_row row_of(const struct instance *instance, const struct definition *definition,
                                  int64_t last_history)
{
    return (struct instance_row){
        .id = instance->id,
        .ns = definition->ns,
        .definition = definition->number,
        .status = instance->status,
        .has_jobs = has_jobs(instance),
        .created_ms = instance->created_ms,
        .ended_ms = is_over(instance) ? instance->ended_ms : 0,
        .business_key = instance->business_key,
        .last_history = last_history,
        .revision = instance->revision,
    };
}

/* Writes the row, all that hangs on it, and the history of the latest command if that is not written yet. */
static enum status write_loaded(struct engine *engine, struct loaded *loaded, const struct history *latest,
                                str history, struct error *err)
{
    const struct instance *after = loaded->now;
    const struct change change = { .instance = loaded->instance,
                                   .before = loaded->written,
                                   .after = after,
                                   .program = loaded->definition->program };
    struct buf state;
    buf_init(&state, &engine->arena);
    core_encode(after, &state);
    struct instance_row row = row_of(after, loaded->definition, loaded->last_history), before;
    row.state = buf_str(&state);
    engine->spent += (int64_t)(state.n / STATE_BYTES_PER_FUEL);
    struct changeset changeset = {
        .instance = &row, .insert = !change.before, .history = history, .at_ms = latest ? latest->at_ms : 0
    };
    if (change.before) {
        before = row_of(change.before, loaded->definition, loaded->last_history);
        before.revision = after->revision - (latest != NULL);
        changeset.before = &before;
    }
    const struct child_row child = { after->parent, after->parent_job, after->id, after->parent_waits };
    if (!change.before && after->parent) changeset.child_add = &child;
    diff_timers(engine, &change, &changeset);
    diff_tasks(engine, &change, loaded->definition->ns, &changeset);
    diff_subscription(engine, &change, &changeset);
    diff_failure(engine, &change, loaded->definition->ns, &changeset);
    TRY(transact_rows(engine, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    loaded->written = after;
    cache_put(&engine->cache, loaded->instance, row.ns, row.definition, loaded->last_history, row.state);
    return ST_OK;
}

/* The row comes later. */
static enum status write_history(struct engine *engine, struct loaded *loaded, const struct history *latest,
                                 str history, struct error *err)
{
    struct instance_row row = { .id = loaded->instance,
                                .definition = loaded->definition->number,
                                .last_history = loaded->last_history,
                                .revision = loaded->now->revision - 1 };
    struct changeset changeset = {
        .instance = &row, .before = &row, .row_later = true, .history = history, .at_ms = latest->at_ms
    };
    TRY(transact_rows(engine, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    return ST_OK;
}

/* Must its row be there for the next command? */
static bool is_looked_for(const struct loaded *loaded)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    return !a || lives(a) != lives(b) || !str_equal(a->correlation, b->correlation);
}

static enum status apply_change(struct engine *engine, struct change *change, struct definition *definition,
                                struct error *err)
{
    struct loaded *loaded = map_get(&engine->loaded_of, change->instance);
    if (!loaded) loaded = add_loaded(engine, change->instance, definition, NULL, 0);
    must(loaded->now == change->before);
    struct buf history;
    buf_init(&history, &engine->arena);
    history_encode(change->history, &history);
    loaded->now = change->after;
    note_changed(engine, loaded);
    return is_looked_for(loaded) ? write_loaded(engine, loaded, change->history, buf_str(&history), err)
                                 : write_history(engine, loaded, change->history, buf_str(&history), err);
}

static void write_all_loaded(struct engine *engine)
{
    struct error err;
    for (struct loaded *loaded = engine->first_changed; loaded && engine->failed == ST_OK;
         loaded = loaded->next_changed)
        if (loaded->written != loaded->now) write_loaded(engine, loaded, NULL, STR_NONE, &err);
}

static void add_change(struct engine *engine, struct change *change)
{
    if (engine->last_change) engine->last_change->next = change;
    else engine->first_change = change;
    engine->last_change = change;
}

enum status transact_step(struct engine *engine, struct definition *definition, const struct instance *before,
                          const struct command *command, struct change **ret_change, struct error *err)
{
    engine->arena.budget = engine->arena.used + (size_t)engine->limits.step_bytes_max;
    struct outcome outcome = { .fuel = 0 };
    enum status status =
        core_step(definition->program, before, command, &engine->limits, &engine->arena, &outcome, err);
    engine->arena.budget = 0;
    turn_note_cost(engine, definition, outcome.fuel);
    if (status != ST_OK) return status;
    *ret_change = NULL;
    if (outcome.unchanged) return ST_OK;

    struct change *change = arena_make(&engine->arena, struct change);
    struct history *history = arena_make(&engine->arena, struct history);
    *history = outcome.history;
    *change = (struct change){ .instance = outcome.instance->id,
                               .before = before,
                               .after = outcome.instance,
                               .history = history,
                               .program = definition->program };
    TRY(apply_change(engine, change, definition, err));
    add_change(engine, change);
    children_note(engine, change);
    *ret_change = change;
    return ST_OK;
}

enum status transact_command(struct engine *engine, struct definition *definition,
                             const struct instance *before, const struct command *command,
                             struct change **ret_change, struct error *err)
{
    TRY(transact_step(engine, definition, before, command, ret_change, err));
    if (!*ret_change) return ST_OK;
    TRY(start_chained(engine, *ret_change, definition->ns, err));
    return children_follow(engine, err);
}

/* ---- the end of the turn ---- */

/* The first job from there on that can be reached; SIZE_MAX if there is none. */
static size_t next_job(const struct instance *instance, size_t i)
{
    while (instance && i < instance->job_count && !reaches(instance, instance->job[i].execution)) i++;
    return instance && i < instance->job_count ? i : SIZE_MAX;
}

static void queue_job(struct engine *engine, const struct change *change, const struct job *job)
{
    /* What a child does is settled already, unless it has to wait. */
    if (job->performer == PERFORM_CHILD && job->available_ms <= engine->now_ms) return;
    jobs_add(&engine->jobs, change->instance, job, (uint8_t)change->program->priority, engine->now_ms);
}

/* Of a live instance every job can be reached, before and after, so its history tells what was
 * opened and closed: the cost does not grow with what stays open. */
static void follow_job_entries(struct engine *engine, const struct change *change)
{
    for (size_t i = 0; i < change->history->entry_count; i++) {
        const struct entry *entry = &change->history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE) jobs_remove(&engine->jobs, change->instance, entry->number);
        if (entry->kind != ENTRY_KIND_JOB_OPEN) continue;
        const struct job *job = instance_find_job(change->after, entry->number);
        if (job) queue_job(engine, change, job);
    }
}

/* Queues follow the difference in open jobs, which are in order of their numbers too. */
static void follow_jobs(struct engine *engine, const struct change *change)
{
    const struct instance *a = change->before, *b = change->after;
    if (lives(a) && lives(b)) {
        follow_job_entries(engine, change);
        return;
    }
    for (size_t i = next_job(a, 0), k = next_job(b, 0); i != SIZE_MAX || k != SIZE_MAX;) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->job[i].number < b->job[k].number)) {
            jobs_remove(&engine->jobs, change->instance, a->job[i].number);
            i = next_job(a, i + 1);
        } else if (i == SIZE_MAX || b->job[k].number < a->job[i].number) {
            queue_job(engine, change, &b->job[k]);
            k = next_job(b, k + 1);
        } else {
            i = next_job(a, i + 1), k = next_job(b, k + 1);
        }
    }
}

/* A retry brings back timers that the heap may have let go. */
static void follow_timers(struct engine *engine, const struct change *change)
{
    const struct instance *a = change->before, *b = change->after;
    uint32_t known = a && (lives(a) || !lives(b)) ? a->next_number : 0;
    for (size_t i = b->timer_count; i-- > 0 && b->timer[i].number >= known;) {
        struct timer_row row = timer_of(change, &b->timer[i]);
        if (reaches(b, b->timer[i].execution)) timers_add(&engine->timers, &row);
    }
}

static void count_change(struct engine *engine, const struct change *change)
{
    struct metrics *metrics = engine->metrics;
    metric_add(&metrics->commands, 1);
    if (!change->before) metric_add(&metrics->instances_started, 1);
    if (!change->before && change->after->parent) metric_add(&metrics->children_started, 1);
    for (size_t i = 0; i < change->history->entry_count; i++) {
        const struct entry *entry = &change->history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER) {
            uint32_t node = program_find(change->program, entry->node);
            if (node != NODE_NONE && !change->program->node[node].inner)
                metric_count_type(metrics, change->program->node[node].type);
        }
    }
    bool ended = !lives(change->after) && (!change->before || lives(change->before));
    if (ended) metric_add(&metrics->instances_ended[change->after->status], 1);
}

/* Answers the calls that waited for this. A START that waited shows how it ended; a WATCH
 * goes on to the query thread for the history. */
static void wake_watchers(struct engine *engine, const struct loaded *loaded)
{
    const struct instance *after = loaded->now;
    for (struct call *call; (call = watchers_take(&engine->watchers, loaded->instance, after->revision,
                                                  !lives(after))) != NULL;) {
        if (call->kind == CALL_WATCH) {
            call_list_add(&engine->for_query, call);
            continue;
        }
        view_instance(loaded->definition->program, after, call->instance->definition_id,
                      call->instance->definition_version, call->arena, call->instance);
        call_list_add(&engine->answered, call);
    }
}

static void follow_changes(struct engine *engine)
{
    for (const struct change *change = engine->first_change; change; change = change->next) {
        follow_jobs(engine, change);
        follow_timers(engine, change);
        count_change(engine, change);
    }
    for (struct loaded *loaded = engine->first_changed; loaded; loaded = loaded->next_changed) {
        wake_watchers(engine, loaded);
        /* What has ended is rarely asked for again; a retry loads it from the store. */
        if (is_over(loaded->now)) cache_drop(&engine->cache, loaded->instance);
        loaded->changed = false;
    }
}

static void drop_changes(struct engine *engine)
{
    for (const struct loaded *loaded = engine->first_changed; loaded; loaded = loaded->next_changed)
        cache_drop(&engine->cache, loaded->instance);
    transact_forget(engine);
    /* It may know definitions that never came to be. */
    if (engine->deployed) catalogue_clear(&engine->catalogue);
    engine->pending_left = engine->children_left = true;
}

bool transact_end(struct engine *engine)
{
    if (engine->failed == ST_OK) write_all_loaded(engine);
    bool committed = engine->failed == ST_OK;
    if (engine->in_transaction) {
        int64_t began_us = clock_monotonic_us();
        struct error err;
        if (committed && engine->wrote && store_commit(engine->store, &err) != ST_OK) {
            committed = false;
            transact_failed(engine, &err);
        }
        if (!committed || !engine->wrote) store_rollback(engine->store);
        engine->broken = store_broken(engine->store);
        if (committed && engine->wrote) {
            metric_add(&engine->metrics->commits, 1);
            histogram_add(&engine->metrics->transaction, clock_monotonic_us() - began_us);
        }
    }
    if (committed) follow_changes(engine);
    else drop_changes(engine);
    children_end(engine, committed);
    routings_end(engine, committed);
    bulk_end(engine, committed);
    engine->in_transaction = engine->wrote = engine->deployed = false;
    engine->first_change = engine->last_change = NULL;
    engine->first_changed = engine->last_changed = NULL;
    return committed;
}
