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
#include "base/utf8.h"
#include "json/json.h"

enum status transact_failed(struct turn *turn, const struct error *err)
{
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
                                 const struct instance *stored, int64_t last_history)
{
    struct loaded *loaded = arena_make(&turn->arena, struct loaded);
    *loaded = (struct loaded){ .instance = id,
                               .definition = definition,
                               .written = stored,
                               .now = stored,
                               .last_history = last_history,
                               .next = turn->all_loaded };
    turn->all_loaded = loaded;
    map_put(&turn->loaded_of, id, loaded);
    return loaded;
}

void transact_forget(struct turn *turn)
{
    for (const struct loaded *loaded = turn->all_loaded; loaded; loaded = loaded->next)
        map_take(&turn->loaded_of, loaded->instance);
    turn->all_loaded = NULL;
}

static void note_changed(struct turn *turn, struct loaded *loaded)
{
    if (loaded->changed) return;
    loaded->changed = true;
    loaded->next_changed = NULL;
    if (turn->last_changed) turn->last_changed->next_changed = loaded;
    else turn->first_changed = loaded;
    turn->last_changed = loaded;
}

/* What has ended may be purged behind the cache's back: it stays there for this turn only. */
static void note_ended(struct turn *turn, uint64_t id)
{
    struct ended *ended = arena_make(&turn->arena, struct ended);
    *ended = (struct ended){ id, turn->ended };
    turn->ended = ended;
}

enum status fail_damaged(const struct instance_row *row, const char *why, struct error *err)
{
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = row->created_ms, .instance = row->id }, id);
    return fail(err, ST_INTERNAL, "instance", "instance %s is damaged and left alone: %s", id, why);
}

static enum status take_row(struct turn *turn, const struct instance_row *row, struct definition *definition,
                            const struct instance **ret_instance, struct error *err)
{
    struct error why;
    if (core_decode(row->state, definition->program, &turn->arena, ret_instance, &why) != ST_OK)
        return fail_damaged(row, why.message, err);
    turn->spent += (int64_t)(row->state.n / STATE_BYTES_PER_FUEL);
    cache_put(&turn->engine->cache, row->id, row->ns, row->definition, row->last_history, row->state);
    add_loaded(turn, row->id, definition, *ret_instance, row->last_history);
    if (row->ended_ms) note_ended(turn, row->id);
    return ST_OK;
}

bool transact_find_definition(struct turn *turn, uint64_t id, int64_t *ret_number)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, id);
    const struct cached *cached = loaded ? NULL : cache_get(&turn->engine->cache, id);
    struct instance_row row;
    struct error err;
    if (loaded || cached) {
        *ret_number = loaded ? loaded->definition->number : cached->definition;
        return true;
    }
    if (store_load_instance(turn->engine->store, id, &turn->arena, &row, &err) != ST_OK) return false;
    *ret_number = row.definition;
    /* It has been read, and the command will want it. */
    struct definition *definition = catalogue_peek(&turn->engine->catalogue, row.definition);
    const struct instance *instance;
    return !definition || take_row(turn, &row, definition, &instance, &err) == ST_OK;
}

enum status transact_load(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                          struct definition **ret_definition, struct error *err)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, id);
    if (loaded) {
        *ret_definition = loaded->definition;
        *ret_instance = loaded->now;
        return ST_OK;
    }
    const struct cached *cached = cache_get(&turn->engine->cache, id);
    if (cached) {
        TRY(catalogue_get(&turn->engine->catalogue, cached->definition, ret_definition, err));
        *ret_instance = core_decode_own(cached_state(cached), (*ret_definition)->program, &turn->arena);
        add_loaded(turn, id, *ret_definition, *ret_instance, cached->last_history);
        return ST_OK;
    }
    struct instance_row row;
    TRY(store_load_instance(turn->engine->store, id, &turn->arena, &row, err));
    TRY(catalogue_get(&turn->engine->catalogue, row.definition, ret_definition, err));
    return take_row(turn, &row, *ret_definition, ret_instance, err);
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

static struct timer_row timer_of(const struct transition *transition, const struct timer *timer)
{
    return (struct timer_row){ timer->due_ms, transition->instance, timer->number };
}

/* Timers are in order of their numbers, before and after: one walk finds the difference. */
static void diff_timers(struct turn *turn, const struct transition *transition, struct changeset *changeset)
{
    const struct instance *a = transition->before, *b = transition->after;
    size_t i = next_timer(a, 0), k = next_timer(b, 0);
    if (i == SIZE_MAX && k == SIZE_MAX) return;
    struct timer_row *add = arena_make_n(&turn->arena, struct timer_row, b->timer_count);
    struct timer_row *remove = arena_make_n(&turn->arena, struct timer_row, a ? a->timer_count : 0);
    size_t added = 0, removed = 0;
    while (i != SIZE_MAX || k != SIZE_MAX) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->timer[i].number < b->timer[k].number)) {
            remove[removed++] = timer_of(transition, &a->timer[i]);
            i = next_timer(a, i + 1);
        } else if (i == SIZE_MAX || b->timer[k].number < a->timer[i].number) {
            add[added++] = timer_of(transition, &b->timer[k]);
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

static struct task_row task_of(const struct transition *transition, const struct token *token, int32_t ns)
{
    const struct program_node *node = &transition->program->node[token->node];
    return (struct task_row){ .instance = transition->instance,
                              .execution = token->execution,
                              .ns = ns,
                              .definition = transition->after->definition,
                              .created_ms = token->since_ms,
                              .node = token->node_name,
                              .title = utf8_cut(node->title, TITLE_BYTES_MAX),
                              .label = node->as.wait.label };
}

static void diff_tasks(struct turn *turn, const struct transition *transition, int32_t ns,
                       struct changeset *changeset)
{
    const struct instance *a = transition->before, *b = transition->after;
    size_t i = next_task(a, 0), k = next_task(b, 0);
    if (i == SIZE_MAX && k == SIZE_MAX) return;
    struct task_row *add = arena_make_n(&turn->arena, struct task_row, b->token_count);
    struct task_row *remove = arena_make_n(&turn->arena, struct task_row, a ? a->token_count : 0);
    size_t added = 0, removed = 0;
    while (i != SIZE_MAX || k != SIZE_MAX) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->token[i].execution < b->token[k].execution)) {
            remove[removed++] =
                (struct task_row){ .instance = transition->instance, .execution = a->token[i].execution };
            i = next_task(a, i + 1);
        } else if (i == SIZE_MAX || b->token[k].execution < a->token[i].execution) {
            add[added++] = task_of(transition, &b->token[k], ns);
            k = next_task(b, k + 1);
        } else {
            i = next_task(a, i + 1), k = next_task(b, k + 1);
        }
    }
    changeset->task_add = add, changeset->task_add_count = added;
    changeset->task_remove = remove, changeset->task_remove_count = removed;
}

static struct subscription_row *subscription_of(struct turn *turn, const struct instance *instance)
{
    struct subscription_row *row = arena_make(&turn->arena, struct subscription_row);
    *row = (struct subscription_row){ instance->definition, instance->correlation, instance->id };
    return row;
}

/* An instance takes events from its start to its end, under its token, and while it has failed: a retry finds
 * them in its mail. A retry writes the row again, because engines of before removed it when an instance
 * failed. */
static void diff_subscription(struct turn *turn, const struct transition *transition,
                              struct changeset *changeset)
{
    if (!transition->program->trigger_count) return;
    const struct instance *a =
        transition->before && instance_takes_mail(transition->before) ? transition->before : NULL;
    const struct instance *b = instance_takes_mail(transition->after) ? transition->after : NULL;
    bool retried = a && b && !lives(a) && lives(b);
    if (a && b && !retried && str_equal(a->correlation, b->correlation)) return;
    changeset->subscription_remove = a ? subscription_of(turn, a) : NULL;
    changeset->subscription_add = b ? subscription_of(turn, b) : NULL;
}

str transact_failed_step(const struct program *program, const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED)
            return core_authored_node(program, instance, &instance->token[i])->name;
    return STR_NONE;
}

static struct failure_row *failure_of(struct turn *turn, const struct instance *instance,
                                      const struct program *program, int32_t ns)
{
    struct failure_row *row = arena_make(&turn->arena, struct failure_row);
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
static void diff_failure(struct turn *turn, const struct transition *transition, int32_t ns,
                         struct changeset *changeset)
{
    const struct instance *a = transition->before, *b = transition->after;
    bool was = a && a->status == INSTANCE_FAILED, is = b->status == INSTANCE_FAILED;
    if (was && is && a->ended_ms == b->ended_ms && str_equal(a->failure, b->failure)) return;
    if (is) changeset->failure_put = failure_of(turn, b, transition->program, ns);
    else if (was) changeset->failure_remove = failure_of(turn, a, transition->program, ns);
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
static enum status write_loaded(struct turn *turn, struct loaded *loaded, const struct history *latest,
                                str history, struct error *err)
{
    const struct instance *after = loaded->now;
    const struct transition transition = { .instance = loaded->instance,
                                           .before = loaded->written,
                                           .after = after,
                                           .program = loaded->definition->program };
    struct buf state;
    buf_init(&state, &turn->arena);
    core_encode(after, &state);
    struct instance_row row = row_of(after, loaded->definition, loaded->last_history), before;
    row.state = buf_str(&state);
    turn->spent += (int64_t)(state.n / STATE_BYTES_PER_FUEL);
    struct changeset changeset = { .instance = &row,
                                   .insert = !transition.before,
                                   .history = history,
                                   .at_ms = latest ? latest->at_ms : 0 };
    if (transition.before) {
        before = row_of(transition.before, loaded->definition, loaded->last_history);
        before.revision = after->revision - (latest != NULL);
        changeset.before = &before;
    }
    const struct child_row child = { after->parent, after->parent_job, after->id, after->parent_waits };
    if (!transition.before && after->parent) changeset.child_add = &child;
    diff_timers(turn, &transition, &changeset);
    diff_tasks(turn, &transition, loaded->definition->ns, &changeset);
    diff_subscription(turn, &transition, &changeset);
    diff_failure(turn, &transition, loaded->definition->ns, &changeset);
    TRY(transact_rows(turn, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    loaded->written = after;
    cache_put(&turn->engine->cache, loaded->instance, row.ns, row.definition, loaded->last_history,
              row.state);
    return ST_OK;
}

/* The row comes later. */
static enum status write_history(struct turn *turn, struct loaded *loaded, const struct history *latest,
                                 str history, struct error *err)
{
    struct instance_row row = { .id = loaded->instance,
                                .definition = loaded->definition->number,
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

static enum status apply_change(struct turn *turn, struct transition *transition,
                                struct definition *definition, struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, transition->instance);
    if (!loaded) loaded = add_loaded(turn, transition->instance, definition, NULL, 0);
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

static void add_change(struct turn *turn, struct transition *transition)
{
    if (turn->last_transition) turn->last_transition->next = transition;
    else turn->first_transition = transition;
    turn->last_transition = transition;
}

enum status transact_step(struct turn *turn, struct definition *definition, const struct instance *before,
                          const struct command *command, struct transition **ret_transition,
                          struct error *err)
{
    turn->arena.budget = turn->arena.used + (size_t)turn->engine->limits.step_bytes_max;
    struct outcome outcome = { .fuel = 0 };
    enum status status =
        core_step(definition->program, before, command, &turn->engine->limits, &turn->arena, &outcome, err);
    turn->arena.budget = 0;
    turn_note_cost(turn, definition, outcome.fuel);
    if (status != ST_OK) return status;
    *ret_transition = NULL;
    if (outcome.unchanged) return ST_OK;

    struct transition *transition = arena_make(&turn->arena, struct transition);
    struct history *history = arena_make(&turn->arena, struct history);
    *history = outcome.history;
    *transition = (struct transition){ .instance = outcome.instance->id,
                                       .before = before,
                                       .after = outcome.instance,
                                       .history = history,
                                       .program = definition->program };
    TRY(apply_change(turn, transition, definition, err));
    add_change(turn, transition);
    children_note(turn, transition);
    *ret_transition = transition;
    return ST_OK;
}

enum status transact_command(struct turn *turn, struct definition *definition, const struct instance *before,
                             const struct command *command, struct transition **ret_transition,
                             struct error *err)
{
    TRY(transact_step(turn, definition, before, command, ret_transition, err));
    if (!*ret_transition) return ST_OK;
    TRY(start_chained(turn, *ret_transition, definition->ns, err));
    return children_follow(turn, err);
}

/* ---- the end of the turn ---- */

/* The first job from there on that can be reached; SIZE_MAX if there is none. */
static size_t next_job(const struct instance *instance, size_t i)
{
    while (instance && i < instance->job_count && !reaches(instance, instance->job[i].execution)) i++;
    return instance && i < instance->job_count ? i : SIZE_MAX;
}

static void queue_job(struct turn *turn, const struct transition *transition, const struct job *job)
{
    /* A job that the engine does itself was settled in the transaction, unless it has to wait. */
    if (performer_place(job->performer) == PERFORMED_INSIDE && job->available_ms <= turn->now_ms) return;
    jobs_add(&turn->engine->jobs, transition->instance, job, (uint8_t)transition->program->priority,
             turn->now_ms);
}

/* Of a live instance every job can be reached, before and after, so its history tells what was
 * opened and closed: the cost does not grow with what stays open. */
static void follow_job_entries(struct turn *turn, const struct transition *transition)
{
    for (size_t i = 0; i < transition->history->entry_count; i++) {
        const struct entry *entry = &transition->history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE)
            jobs_remove(&turn->engine->jobs, transition->instance, entry->job);
        if (entry->kind != ENTRY_KIND_JOB_OPEN) continue;
        const struct job *job = instance_find_job(transition->after, entry->job);
        if (job) queue_job(turn, transition, job);
    }
}

/* Queues follow the difference in open jobs, which are in order of their numbers too. */
static void follow_jobs(struct turn *turn, const struct transition *transition)
{
    const struct instance *a = transition->before, *b = transition->after;
    if (lives(a) && lives(b)) {
        follow_job_entries(turn, transition);
        return;
    }
    for (size_t i = next_job(a, 0), k = next_job(b, 0); i != SIZE_MAX || k != SIZE_MAX;) {
        if (k == SIZE_MAX || (i != SIZE_MAX && a->job[i].number < b->job[k].number)) {
            jobs_remove(&turn->engine->jobs, transition->instance, a->job[i].number);
            i = next_job(a, i + 1);
        } else if (i == SIZE_MAX || b->job[k].number < a->job[i].number) {
            queue_job(turn, transition, &b->job[k]);
            k = next_job(b, k + 1);
        } else {
            i = next_job(a, i + 1), k = next_job(b, k + 1);
        }
    }
}

/* A retry brings back timers that the heap may have let go. */
static void follow_timers(struct engine *engine, const struct transition *transition)
{
    const struct instance *a = transition->before, *b = transition->after;
    uint32_t known = a && (lives(a) || !lives(b)) ? a->next_number : 0;
    for (size_t i = b->timer_count; i-- > 0 && b->timer[i].number >= known;) {
        struct timer_row row = timer_of(transition, &b->timer[i]);
        if (reaches(b, b->timer[i].execution)) timers_add(&engine->timers, &row);
    }
}

static void count_change(struct engine *engine, const struct transition *transition)
{
    struct metrics *metrics = engine->metrics;
    metric_add(&metrics->commands, 1);
    if (!transition->before) metric_add(&metrics->instances_started, 1);
    if (!transition->before && transition->after->parent) metric_add(&metrics->children_started, 1);
    for (size_t i = 0; i < transition->history->entry_count; i++) {
        const struct entry *entry = &transition->history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER) {
            uint32_t node = program_find(transition->program, entry->node);
            if (node != NODE_NONE && !transition->program->node[node].inner)
                metric_count_type(metrics, transition->program->node[node].type);
        }
    }
    bool ended = !lives(transition->after) && (!transition->before || lives(transition->before));
    if (ended) metric_add(&metrics->instances_ended[transition->after->status], 1);
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

static void follow_changes(struct turn *turn)
{
    for (const struct transition *transition = turn->first_transition; transition;
         transition = transition->next) {
        follow_jobs(turn, transition);
        follow_timers(turn->engine, transition);
        count_change(turn->engine, transition);
    }
    for (struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed) {
        wake_watchers(turn->engine, loaded);
        /* What has ended is rarely asked for again; a retry loads it from the store. */
        if (is_over(loaded->now)) cache_drop(&turn->engine->cache, loaded->instance);
        loaded->changed = false;
    }
}

static void drop_changes(struct turn *turn)
{
    for (const struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed)
        cache_drop(&turn->engine->cache, loaded->instance);
    transact_forget(turn);
    /* It may know definitions that never came to be. */
    if (turn->deployed) catalogue_clear(&turn->engine->catalogue);
    turn->engine->pending_left = turn->engine->children_left = true;
}

bool transact_end(struct turn *turn)
{
    if (turn->failed == ST_OK) write_all_loaded(turn);
    bool committed = turn->failed == ST_OK;
    if (turn->in_transaction) {
        int64_t began_us = clock_monotonic_us();
        struct error err;
        if (committed && turn->wrote && store_commit(turn->engine->store, &err) != ST_OK) {
            committed = false;
            transact_failed(turn, &err);
        }
        if (!committed || !turn->wrote) store_rollback(turn->engine->store);
        turn->engine->broken = store_broken(turn->engine->store);
        if (turn->engine->broken) turn->engine->failure = turn->failure;
        if (committed && turn->wrote) {
            metric_add(&turn->engine->metrics->commits, 1);
            histogram_add(&turn->engine->metrics->transaction, clock_monotonic_us() - began_us);
        }
    }
    if (committed) follow_changes(turn);
    else drop_changes(turn);
    children_end(turn, committed);
    routings_end(turn, committed);
    bulk_end(turn, committed);
    turn->in_transaction = turn->wrote = turn->deployed = false;
    turn->first_transition = turn->last_transition = NULL;
    turn->first_changed = turn->last_changed = NULL;
    return committed;
}
