/* runtime/transact/effects.c — finds the difference of two states: what was opened, and what was closed. */
#include "runtime/transact/effects.h"

#include "base/must.h"
#include "base/utf8.h"
#include "core/task.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact_int.h"

#include <stddef.h>

_Static_assert(sizeof(enum token_state) == sizeof(uint32_t), "a token's state is read like a number");

/* ---- the difference ---- */

/* Things of one kind that an instance holds, in order of number: its jobs, its timers or its tokens. */
struct held {
    const struct instance *instance;
    const char *item; /* The first of them. */
    size_t count, item_bytes;
    size_t number_at, execution_at; /* Where their numbers are in an item. */
    size_t state_at; /* The place of a token's state, which counts only as a person's task; 0: all items
                      * count. */
    bool lives;      /* All that a live instance holds can be reached. */
};

/* The indices of those that only the instance after holds open, and of those that only the one before does.
 */
struct opened_closed {
    size_t *opened, *closed;
    size_t opened_count, closed_count;
};

static struct held jobs_of(const struct instance *instance)
{
    if (!instance) return (struct held){ 0 };
    return (struct held){ .instance = instance,
                          .item = (const char *)instance->job,
                          .count = instance->job_count,
                          .item_bytes = sizeof(struct job),
                          .number_at = offsetof(struct job, number),
                          .execution_at = offsetof(struct job, execution),
                          .lives = lives(instance) };
}

static struct held timers_of(const struct instance *instance)
{
    if (!instance) return (struct held){ 0 };
    return (struct held){ .instance = instance,
                          .item = (const char *)instance->timer,
                          .count = instance->timer_count,
                          .item_bytes = sizeof(struct timer),
                          .number_at = offsetof(struct timer, number),
                          .execution_at = offsetof(struct timer, execution),
                          .lives = lives(instance) };
}

static struct held tasks_of(const struct instance *instance)
{
    if (!instance) return (struct held){ 0 };
    return (struct held){ .instance = instance,
                          .item = (const char *)instance->token,
                          .count = instance->token_count,
                          .item_bytes = sizeof(struct token),
                          .number_at = offsetof(struct token, execution),
                          .execution_at = offsetof(struct token, execution),
                          .state_at = offsetof(struct token, state),
                          .lives = lives(instance) };
}

static inline uint32_t number_at(const struct held *held, size_t i, size_t offset)
{
    return *(const uint32_t *)(const void *)(held->item + i * held->item_bytes + offset);
}

static inline bool is_open(const struct held *held, size_t i)
{
    if (held->state_at && number_at(held, i, held->state_at) != TOKEN_PERSON) return false;
    return held->lives || instance_reaches(held->instance, number_at(held, i, held->execution_at));
}

/* The first one from there on that can be reached; the count if there is none. */
static inline size_t next_open(const struct held *held, size_t i)
{
    while (i < held->count && !is_open(held, i)) i++;
    return i;
}

static bool has_open(const struct held *held) { return next_open(held, 0) < held->count; }

/* Both sides are in order of number, so one walk finds the difference. False: there is none. */
static bool find_difference(const struct held *before, const struct held *after, struct arena *arena,
                            struct opened_closed *ret_found)
{
    size_t i = next_open(before, 0), k = next_open(after, 0);
    if (i == before->count && k == after->count) return false;
    struct opened_closed found = { .opened = arena_make_n(arena, size_t, after->count),
                                   .closed = arena_make_n(arena, size_t, before->count) };
    while (i < before->count || k < after->count) {
        uint32_t was = i < before->count ? number_at(before, i, before->number_at) : UINT32_MAX;
        uint32_t is = k < after->count ? number_at(after, k, after->number_at) : UINT32_MAX;
        if (was < is) found.closed[found.closed_count++] = i;
        if (is < was) found.opened[found.opened_count++] = k;
        if (was <= is) i = next_open(before, i + 1);
        if (is <= was) k = next_open(after, k + 1);
    }
    *ret_found = found;
    return found.opened_count || found.closed_count;
}

static void find_jobs(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    const struct held before = jobs_of(a), after = jobs_of(b);
    struct opened_closed found;
    if (!find_difference(&before, &after, &turn->arena, &found)) return;
    effects->job_opened = arena_make_n(&turn->arena, const struct job *, found.opened_count);
    effects->job_closed = arena_make_n(&turn->arena, uint32_t, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++) effects->job_opened[i] = &b->job[found.opened[i]];
    for (size_t i = 0; i < found.closed_count; i++) effects->job_closed[i] = a->job[found.closed[i]].number;
    effects->job_opened_count = found.opened_count, effects->job_closed_count = found.closed_count;
}

/* The instance has gone on with another version since its rows were written: those that name the version are
 * written anew. */
static bool has_migrated(const struct loaded *loaded)
{
    return loaded->written && loaded->written_as != loaded->definition;
}

static struct timer_row timer_of(const struct loaded *loaded, const struct timer *timer)
{
    return (struct timer_row){ timer->due_ms, loaded->now->id, timer->number,
                               loaded->definition->program->priority, loaded->definition->ns };
}

static void find_timers(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    const struct held before = timers_of(a), after = timers_of(b);
    struct opened_closed found;
    if (!find_difference(&before, &after, &turn->arena, &found)) return;
    effects->timer_set = arena_make_n(&turn->arena, struct timer_row, found.opened_count);
    effects->timer_cleared = arena_make_n(&turn->arena, struct timer_row, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++)
        effects->timer_set[i] = timer_of(loaded, &b->timer[found.opened[i]]);
    for (size_t i = 0; i < found.closed_count; i++)
        effects->timer_cleared[i] = timer_of(loaded, &a->timer[found.closed[i]]);
    effects->timer_set_count = found.opened_count, effects->timer_cleared_count = found.closed_count;
}

struct task_row effects_task(const struct definition *definition, const struct instance *instance,
                             const struct token *token)
{
    const struct program_node *node = &definition->program->node[token->node];
    str title = task_read(token->task, token->since_ms).title;
    return (struct task_row){ .instance = instance->id,
                              .execution = token->execution,
                              .ns = definition->ns,
                              .definition = instance->definition,
                              .created_ms = token->since_ms,
                              .node = token->node_name,
                              .title = utf8_cut(title.n ? title : node->title, TITLE_BYTES_MAX),
                              .label = node->as.wait.label,
                              .details = token->task ? json_encoded(token->task) : STR_NONE };
}

static bool same_details(const struct token *a, const struct token *b)
{
    if (a->task == b->task) return true;
    return a->task && b->task && str_equal(json_encoded(a->task), json_encoded(b->task));
}

/* Tasks that are open before and after with other details are closed and opened: their rows are written anew.
 * So are those of an instance that `has_migrated`. */
static void find_changed_tasks(const struct held *before, const struct held *after, bool has_migrated,
                               struct opened_closed *found)
{
    const struct token *a = before->instance ? before->instance->token : NULL, *b = after->instance->token;
    size_t i = next_open(before, 0), k = next_open(after, 0);
    while (i < before->count && k < after->count) {
        if (a[i].execution == b[k].execution && (has_migrated || !same_details(&a[i], &b[k]))) {
            found->closed[found->closed_count++] = i;
            found->opened[found->opened_count++] = k;
        }
        bool first = a[i].execution <= b[k].execution, second = b[k].execution <= a[i].execution;
        if (first) i = next_open(before, i + 1);
        if (second) k = next_open(after, k + 1);
    }
}

static void find_tasks(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    const struct held before = tasks_of(a), after = tasks_of(b);
    struct opened_closed found;
    if (!has_open(&before) && !has_open(&after)) return;
    find_difference(&before, &after, &turn->arena, &found);
    find_changed_tasks(&before, &after, has_migrated(loaded), &found);
    must(found.opened_count <= after.count && found.closed_count <= before.count);
    effects->task_opened = arena_make_n(&turn->arena, struct task_row, found.opened_count);
    effects->task_closed = arena_make_n(&turn->arena, struct task_row, found.closed_count);
    for (size_t i = 0; i < found.opened_count; i++)
        effects->task_opened[i] = effects_task(loaded->definition, b, &b->token[found.opened[i]]);
    for (size_t i = 0; i < found.closed_count; i++)
        effects->task_closed[i] = effects_task(loaded->written_as, a, &a->token[found.closed[i]]);
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
 * an instance failed. A test takes none: events are for others. Older engines wrote rows for tests, too. */
static void find_subscription(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    bool had = loaded->written && loaded->written_as->program->trigger_count;
    bool has = loaded->definition->program->trigger_count;
    const struct instance *a = had && instance_takes_mail(loaded->written) ? loaded->written : NULL;
    const struct instance *b =
        has && instance_takes_mail(loaded->now) && !loaded->now->is_test ? loaded->now : NULL;
    bool again = a && b && ((!lives(a) && lives(b)) || has_migrated(loaded));
    if (a && b && !again && str_equal(a->correlation, b->correlation)) return;
    effects->unsubscribed = a ? subscription_of(turn, a) : NULL;
    effects->subscribed = b ? subscription_of(turn, b) : NULL;
}

static struct failure_row *failure_of(struct turn *turn, const struct definition *definition,
                                      const struct instance *instance)
{
    struct failure_row *row = arena_make(&turn->arena, struct failure_row);
    *row = (struct failure_row){ .instance = instance->id,
                                 .ns = definition->ns,
                                 .definition = instance->definition,
                                 .created_ms = instance->created_ms,
                                 .failed_ms = instance->ended_ms,
                                 .business_key = instance->business_key,
                                 .reason = instance->failure,
                                 .step = view_failed_step(definition->program, instance) };
    return row;
}

/* The reason of a failure can be searched for while the instance is FAILED. */
static void find_failure(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *a = loaded->written, *b = loaded->now;
    bool was = a && a->status == INSTANCE_FAILED, is = b->status == INSTANCE_FAILED;
    bool moved = has_migrated(loaded);
    if (was && is && !moved && a->ended_ms == b->ended_ms && str_equal(a->failure, b->failure)) return;
    if (is) effects->failed = failure_of(turn, loaded->definition, b);
    if (was && (!is || moved)) effects->mended = failure_of(turn, loaded->written_as, a);
}

struct effects *effects_of(struct turn *turn, const struct loaded *loaded)
{
    must(loaded->changed && loaded->now != loaded->written);
    struct effects *effects = arena_make(&turn->arena, struct effects);
    *effects = (struct effects){ .instance = loaded->instance,
                                 .program = loaded->definition->program,
                                 .definition = loaded->definition };
    find_jobs(turn, loaded, effects);
    find_timers(turn, loaded, effects);
    find_tasks(turn, loaded, effects);
    find_subscription(turn, loaded, effects);
    find_failure(turn, loaded, effects);
    index_record_changes(turn, loaded, effects);
    locks_change(turn, loaded, effects);
    if (turn->last_effects) turn->last_effects->next = effects;
    else turn->first_effects = effects;
    turn->last_effects = effects;
    return effects;
}

void effects_fire_again(struct turn *turn, const struct timer_row *timer, int64_t at_ms)
{
    struct timer_again *again = arena_make(&turn->arena, struct timer_again);
    *again = (struct timer_again){ .row = *timer, .next = turn->timers_again };
    again->row.due_ms = at_ms;
    turn->timers_again = again;
}

/* ---- after the commit ---- */
