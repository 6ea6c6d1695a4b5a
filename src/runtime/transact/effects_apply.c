/* runtime/transact/effects_apply.c — memory follows a transaction that has committed. See effects.h. */
#include "runtime/transact/transact_int.h"

#include "program/reason.h"
#include "runtime/memory/memory.h"

static void note_task(struct live *live, const struct task_row *row)
{
    live_note_id(live, row->ns, LIVE_TASKS,
                 (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution });
}

static void tell_of_tasks(struct engine *engine, const struct effects *effects)
{
    task_feed_publish(&engine->memory.task_feed, effects, effects->definition);
    if (!engine->memory.live.listening) return;
    for (size_t i = 0; i < effects->task_closed_count; i++)
        note_task(&engine->memory.live, &effects->task_closed[i]);
    for (size_t i = 0; i < effects->task_opened_count; i++)
        note_task(&engine->memory.live, &effects->task_opened[i]);
}

static void apply(struct turn *turn, const struct effects *effects)
{
    struct engine *engine = turn->engine;
    for (size_t i = 0; i < effects->job_closed_count; i++)
        jobs_remove(&engine->memory.jobs, effects->instance, effects->job_closed[i]);
    if (effects->job_closed_count || effects->job_opened_count)
        live_note(&engine->memory.live, effects->definition->ns, LIVE_WORKERS, STR_NONE);
    for (size_t i = 0; i < effects->job_opened_count; i++) {
        const struct job *job = effects->job_opened[i];
        /* A job that the engine does itself was settled in the transaction, unless it has to wait. */
        if (performer_place(job->performer) == PERFORMED_INSIDE && job->available_ms <= turn->now_ms)
            continue;
        bool has_row = effects->is_offered && effects->is_offered[i];
        if (effects->is_offered)
            metric_add(has_row ? &engine->metrics->jobs_offered : &engine->metrics->jobs_held, 1);
        struct open_job *open =
            has_row ? jobs_find(&engine->memory.jobs, effects->instance, job->number) : NULL;
        if (has_row && !(open && open->of_unit)) {
            /* A job of an earlier life. */
            if (open) jobs_remove(&engine->memory.jobs, effects->instance, job->number);
            continue;
        }
        open = jobs_add(&engine->memory.jobs, effects->definition->ns, effects->instance, job,
                        (uint8_t)effects->program->priority, turn->now_ms);
        open->of_unit = false;
        open->has_row = has_row;
    }
    /* A timer that was cleared stays in the heap: the core takes no notice when it comes due. */
    bool slow = effects->program->rules->is_atomic;
    for (size_t i = 0; i < effects->timer_set_count; i++)
        (slow ? timers_add_slow : timers_add)(&engine->memory.timers, &effects->timer_set[i]);
    if (effects->task_opened_count || effects->task_closed_count) tell_of_tasks(engine, effects);
}

/* A job that a command of the same transaction opened has no state before it. */
static void count_job(struct turn *turn, const struct transition *transition, const struct entry *entry)
{
    const struct job *job = transition->before ? instance_find_job(transition->before, entry->job) : NULL;
    if (!job || entry->verdict > JOB_FAILED) return;
    bool failed = entry->verdict == JOB_FAILED;
    struct metrics *metrics = turn->engine->metrics;
    metric_add(&(failed ? metrics->jobs_failed : metrics->jobs_done)[job->performer], 1);
    activity_perform(&turn->engine->memory.activity, transition->ns, job->performer, failed, turn->now_ms);
    if (!failed && job->attempt > 1) said_retried(turn, transition, job);
    if (performer_place(job->performer) != PERFORMED_OUTSIDE) return;
    /* A job that another node handed out, or this one before a restart, has no beginning here. */
    const struct open_job *open = jobs_find(&turn->engine->memory.jobs, transition->after->id, entry->job);
    int64_t took_ms = open && open->state == JOB_LOCKED ? turn->now_ms - open->locked_ms : -1;
    activity_job(&turn->engine->memory.activity, jobs_queue_name(transition->ns, job, &turn->arena), failed,
                 took_ms, turn->now_ms);
}

/* There is a place for a start that waits. If a less urgent queue is being looked at, the round over the
 * queues begins anew. */
static void note_place(struct engine *engine, const struct program *program)
{
    struct backlog *overflow = &engine->transact.backlog[BACKLOG_OVERFLOW];
    overflow->due |= overflow->left;
    for (int i = BACKLOG_PENDING; i <= BACKLOG_PENDING_LAST; i++)
        engine->transact.backlog[i].due |= engine->transact.backlog[i].left;
    if (overflow_place_is_behind(buf_str(&overflow->next), program->priority)) backlog_restart(overflow);
}

/* A run that fails, is retried and completes has ended twice. */
static void count_run(struct turn *turn, const struct transition *transition, bool ended)
{
    static const enum activity_count ends[INSTANCE_STATUS_COUNT] = { [INSTANCE_COMPLETED] =
                                                                         ACTIVITY_COMPLETED,
                                                                     [INSTANCE_FAILED] = ACTIVITY_FAILED,
                                                                     [INSTANCE_CANCELLED] =
                                                                         ACTIVITY_CANCELLED };
    struct activity *activity = &turn->engine->memory.activity;
    struct definition_metrics *place = run_series_of(&turn->engine->memory.run_series, transition->ns,
                                                     transition->program->id, &turn->arena);
    if (!transition->before) metric_add(&place->started, 1);
    if (!transition->before) activity_count(activity, transition->ns, ACTIVITY_STARTED, 1, turn->now_ms);
    if (!ended) return;
    activity_count(activity, transition->ns, ends[transition->after->status], 1, turn->now_ms);
    metric_add(&place->ended[transition->after->status], 1);
    const struct instance *run = transition->after;
    size_t bucket = metric_observe_duration(&place->took, turn->now_ms - run->created_ms);
    metric_note_run(&place->exemplar[bucket], run->id, run->created_ms, turn->now_ms);
}

static void tell_advance(const struct advance_watcher *watcher, const struct instance *run)
{
    if (!watcher->note) return;
    watcher->note(watcher->context, &(struct advance){ .instance = run->id,
                                                       .created_ms = run->created_ms,
                                                       .revision = run->revision,
                                                       .has_ended = instance_status_ended(run->status),
                                                       .is_test = run->is_test });
}

static void count(struct turn *turn, const struct transition *transition)
{
    struct engine *engine = turn->engine;
    struct metrics *metrics = engine->metrics;
    metric_add(&metrics->commands, 1);
    activity_write(&engine->memory.activity, transition->ns, turn->now_ms);
    if (!transition->before) metric_add(&metrics->instances_started, 1);
    if (!transition->before && transition->after->parent) metric_add(&metrics->children_started, 1);
    for (size_t i = 0; i < transition->history->entry_count; i++) {
        const struct entry *entry = &transition->history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE) count_job(turn, transition, entry);
        if (entry->kind == ENTRY_KIND_CODE &&
            str_equal(entry->code, reason_code_word(REASON_ADDRESS_REFUSED)))
            said_guarded(turn, transition);
        if (entry->kind == ENTRY_KIND_ENTER) {
            uint32_t node = program_find(transition->program, entry->node);
            if (node != NODE_NONE && !transition->program->node[node].inner)
                metric_count_type(metrics, transition->program->node[node].type);
        }
    }
    said_run(turn, transition);
    tell_advance(&engine->memory.advance_watcher, transition->after);
    bool ended = !lives(transition->after) && (!transition->before || lives(transition->before));
    if (ended) metric_add(&metrics->instances_ended[transition->after->status], 1);
    if (ended || !transition->before) count_run(turn, transition, ended);
    if (ended && (transition->program->rules->active_max > 0 ||
                  usage_of(&engine->memory.usage, transition->ns)->is_limited))
        note_place(engine, transition->program);
}

static void add_counts(struct turn *turn)
{
    struct engine *engine = turn->engine;
    const struct turn_counts *counts = &turn->counts;
    struct metrics *metrics = engine->metrics;
    if (counts->replays) metric_add(&metrics->idempotent_replays, counts->replays);
    if (counts->kept) metric_add(&metrics->early_kept, counts->kept);
    if (counts->kept_taken) metric_add(&metrics->early_taken, counts->kept_taken);
    if (counts->kept_expired) metric_add(&metrics->early_expired, counts->kept_expired);
    if (counts->job_retries) metric_add(&metrics->job_retries, counts->job_retries);
    if (counts->uploads) metric_add(&metrics->definitions_uploaded, counts->uploads);
    if (counts->timers_fired) metric_add(&metrics->timers_fired, counts->timers_fired);
    if (counts->timers_failed) metric_add(&metrics->timers_failed, counts->timers_failed);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (counts->arrived[i]) metric_add(&metrics->arrivals[i], counts->arrived[i]);
    for (const struct counted_arrival *one = counts->first_arrival; one; one = one->next) {
        activity_count(&engine->memory.activity, one->ns, ACTIVITY_ARRIVALS, 1, turn->now_ms);
        if (one->view) trigger_routes_count(&engine->memory.trigger_routes, one->ns, one->view);
    }
}

void effects_apply(struct turn *turn)
{
    must(turn->failed == ST_OK);
    struct engine *engine = turn->engine;
    /* The queues still know since when workers hold the jobs that end. */
    for (const struct transition *transition = turn->first_transition; transition;
         transition = transition->next)
        count(turn, transition);
    for (const struct effects *effects = turn->first_effects; effects; effects = effects->next)
        apply(turn, effects);
    for (const struct timer_again *again = turn->timers_again; again; again = again->next)
        timers_add_again(&engine->memory.timers, &again->row, again->row.due_ms);
    add_counts(turn);
}
