#include "runtime/effects.h"

#include "base/utf8.h"
#include "runtime/engine_int.h"

/* ---- the difference ---- */

/* A kind of thing that an instance holds open, in order of number. */
struct open_kind {
    /* The first one from there on that can be reached; SIZE_MAX if there is none. */
    size_t (*next)(const struct instance *instance, size_t from);
    uint32_t (*number)(const struct instance *instance, size_t index);
};

/* Indices into the instance after and before. */
struct opened_closed {
    size_t *opened, *closed;
    size_t opened_count, closed_count;
};

static size_t next_job(const struct instance *instance, size_t i)
{
    while (i < instance->job_count && !reaches(instance, instance->job[i].execution)) i++;
    return i < instance->job_count ? i : SIZE_MAX;
}

static uint32_t job_number(const struct instance *instance, size_t i) { return instance->job[i].number; }

static size_t next_timer(const struct instance *instance, size_t i)
{
    while (i < instance->timer_count && !reaches(instance, instance->timer[i].execution)) i++;
    return i < instance->timer_count ? i : SIZE_MAX;
}

static uint32_t timer_number(const struct instance *instance, size_t i) { return instance->timer[i].number; }

static bool is_task(const struct instance *instance, const struct token *token)
{
    return token->state == TOKEN_PERSON && reaches(instance, token->execution);
}

static size_t next_task(const struct instance *instance, size_t i)
{
    while (i < instance->token_count && !is_task(instance, &instance->token[i])) i++;
    return i < instance->token_count ? i : SIZE_MAX;
}

static uint32_t task_number(const struct instance *instance, size_t i)
{
    return instance->token[i].execution;
}

/* Both instances hold them in order of number, so one walk finds the difference. False: there is none. */
static bool find_difference(const struct open_kind *kind, const struct instance *before,
                            const struct instance *after, size_t max_before, size_t max_after,
                            struct arena *arena, struct opened_closed *ret_difference)
{
    size_t i = before && max_before ? kind->next(before, 0) : SIZE_MAX,
           k = max_after ? kind->next(after, 0) : SIZE_MAX;
    if (i == SIZE_MAX && k == SIZE_MAX) return false;
    struct opened_closed found = { .opened = arena_make_n(arena, size_t, max_after),
                                   .closed = arena_make_n(arena, size_t, before ? max_before : 0) };
    while (i != SIZE_MAX || k != SIZE_MAX) {
        uint32_t was = i != SIZE_MAX ? kind->number(before, i) : UINT32_MAX;
        uint32_t is = k != SIZE_MAX ? kind->number(after, k) : UINT32_MAX;
        if (was < is) found.closed[found.closed_count++] = i;
        if (is < was) found.opened[found.opened_count++] = k;
        if (was <= is) i = kind->next(before, i + 1);
        if (is <= was) k = kind->next(after, k + 1);
    }
    *ret_difference = found;
    return found.opened_count || found.closed_count;
}

static void find_jobs(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    static const struct open_kind jobs = { next_job, job_number };
    const struct instance *a = loaded->written, *b = loaded->now;
    struct opened_closed found;
    if (!find_difference(&jobs, a, b, a ? a->job_count : 0, b->job_count, &turn->arena, &found)) return;
    effects->job_opened = arena_make_n(&turn->arena, const struct job *, found.opened_count);
    effects->job_closed = arena_make_n(&turn->arena, uint32_t, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++) effects->job_opened[i] = &b->job[found.opened[i]];
    for (size_t i = 0; i < found.closed_count; i++) effects->job_closed[i] = a->job[found.closed[i]].number;
    effects->job_opened_count = found.opened_count, effects->job_closed_count = found.closed_count;
}

static struct timer_row timer_of(uint64_t instance, const struct timer *timer)
{
    return (struct timer_row){ timer->due_ms, instance, timer->number };
}

static void find_timers(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    static const struct open_kind timers = { next_timer, timer_number };
    const struct instance *a = loaded->written, *b = loaded->now;
    struct opened_closed found;
    if (!find_difference(&timers, a, b, a ? a->timer_count : 0, b->timer_count, &turn->arena, &found)) return;
    effects->timer_set = arena_make_n(&turn->arena, struct timer_row, found.opened_count);
    effects->timer_cleared = arena_make_n(&turn->arena, struct timer_row, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++)
        effects->timer_set[i] = timer_of(b->id, &b->timer[found.opened[i]]);
    for (size_t i = 0; i < found.closed_count; i++)
        effects->timer_cleared[i] = timer_of(b->id, &a->timer[found.closed[i]]);
    effects->timer_set_count = found.opened_count, effects->timer_cleared_count = found.closed_count;
}

static struct task_row task_of(const struct loaded *loaded, const struct token *token)
{
    const struct program_node *node = &loaded->definition->program->node[token->node];
    return (struct task_row){ .instance = loaded->instance,
                              .execution = token->execution,
                              .ns = loaded->definition->ns,
                              .definition = loaded->now->definition,
                              .created_ms = token->since_ms,
                              .node = token->node_name,
                              .title = utf8_cut(node->title, TITLE_BYTES_MAX),
                              .label = node->as.wait.label };
}

static void find_tasks(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    static const struct open_kind tasks = { next_task, task_number };
    const struct instance *a = loaded->written, *b = loaded->now;
    struct opened_closed found;
    if (!find_difference(&tasks, a, b, a ? a->token_count : 0, b->token_count, &turn->arena, &found)) return;
    effects->task_opened = arena_make_n(&turn->arena, struct task_row, found.opened_count);
    effects->task_closed = arena_make_n(&turn->arena, struct task_row, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++)
        effects->task_opened[i] = task_of(loaded, &b->token[found.opened[i]]);
    for (size_t i = 0; i < found.closed_count; i++)
        effects->task_closed[i] =
            (struct task_row){ .instance = b->id, .execution = a->token[found.closed[i]].execution };
    effects->task_opened_count = found.opened_count, effects->task_closed_count = found.closed_count;
}

static struct subscription_row *subscription_of(struct turn *turn, const struct instance *instance)
{
    struct subscription_row *row = arena_make(&turn->arena, struct subscription_row);
    *row = (struct subscription_row){ instance->definition, instance->correlation, instance->id };
    return row;
}

/* An instance takes events from its start to its end, under its correlation key, and also while it has
 * failed: a retry finds them in its mail. A retry writes the row again, because older engines removed it when
 * an instance failed. */
static void find_subscription(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    if (!loaded->definition->program->trigger_count) return;
    const struct instance *a =
        loaded->written && instance_takes_mail(loaded->written) ? loaded->written : NULL;
    const struct instance *b = instance_takes_mail(loaded->now) ? loaded->now : NULL;
    bool retried = a && b && !lives(a) && lives(b);
    if (a && b && !retried && str_equal(a->correlation, b->correlation)) return;
    effects->unsubscribed = a ? subscription_of(turn, a) : NULL;
    effects->subscribed = b ? subscription_of(turn, b) : NULL;
}

static struct failure_row *failure_of(struct turn *turn, const struct loaded *loaded,
                                      const struct instance *instance)
{
    struct failure_row *row = arena_make(&turn->arena, struct failure_row);
    *row = (struct failure_row){ .instance = instance->id,
                                 .ns = loaded->definition->ns,
                                 .definition = instance->definition,
                                 .created_ms = instance->created_ms,
                                 .failed_ms = instance->ended_ms,
                                 .business_key = instance->business_key,
                                 .reason = instance->failure,
                                 .step = view_failed_step(loaded->definition->program, instance) };
    return row;
}

/* The reason of a failure can be searched for while the instance is FAILED. */
static void find_failure(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    bool was = a && a->status == INSTANCE_FAILED, is = b->status == INSTANCE_FAILED;
    if (was && is && a->ended_ms == b->ended_ms && str_equal(a->failure, b->failure)) return;
    if (is) effects->failed = failure_of(turn, loaded, b);
    else if (was) effects->mended = failure_of(turn, loaded, a);
}

const struct effects *effects_of(struct turn *turn, const struct loaded *loaded)
{
    struct effects *effects = arena_make(&turn->arena, struct effects);
    *effects = (struct effects){ .instance = loaded->instance, .program = loaded->definition->program };
    find_jobs(turn, loaded, effects);
    find_timers(turn, loaded, effects);
    find_tasks(turn, loaded, effects);
    find_subscription(turn, loaded, effects);
    find_failure(turn, loaded, effects);
    if (turn->last_effects) turn->last_effects->next = effects;
    else turn->first_effects = effects;
    turn->last_effects = effects;
    return effects;
}

/* ---- after the commit ---- */

static void apply(struct turn *turn, const struct effects *effects)
{
    struct engine *engine = turn->engine;
    for (size_t i = 0; i < effects->job_closed_count; i++)
        jobs_remove(&engine->jobs, effects->instance, effects->job_closed[i]);
    for (size_t i = 0; i < effects->job_opened_count; i++) {
        const struct job *job = effects->job_opened[i];
        /* A job that the engine does itself was settled in the transaction, unless it has to wait. */
        if (performer_place(job->performer) == PERFORMED_INSIDE && job->available_ms <= turn->now_ms)
            continue;
        jobs_add(&engine->jobs, effects->instance, job, (uint8_t)effects->program->priority, turn->now_ms);
    }
    /* A timer that was cleared stays in the heap: the core takes no notice when it comes due. */
    for (size_t i = 0; i < effects->timer_set_count; i++) timers_add(&engine->timers, &effects->timer_set[i]);
}

static void count(struct metrics *metrics, const struct transition *transition)
{
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

void effects_apply(struct turn *turn)
{
    struct engine *engine = turn->engine;
    for (const struct effects *effects = turn->first_effects; effects; effects = effects->next)
        apply(turn, effects);
    for (const struct transition *transition = turn->first_transition; transition;
         transition = transition->next)
        count(engine->metrics, transition);
}
