/* runtime/operate/operate_groups.c — runs grouped by what holds them: the same search as that of a list,
 * which counts instead of listing. One request looks at RUNS_GROUPED_MAX runs at most and tells
 * RUN_GROUPS_MAX groups; what it did not look at, and what is in none of the groups, the answer says.
 */
#include "runtime/operate/operate_int.h"

#include "base/array.h"
#include "base/utf8.h"
#include "runtime/bulk/bulk.h"
#include "runtime/limits.h"

#include <stdlib.h>

/* The node that holds the run: the first that stands as the run does. NULL: none is known. */
static const struct operate_node *holder_of(const struct operate_run *run)
{
    for (size_t i = 0; i < run->node_count; i++)
        if (run->node[i].state == run->status) return &run->node[i];
    return run->node_count ? &run->node[0] : NULL;
}

/* Returns what the first token that waits is waiting for; SHOW_WAIT_COUNT: no token waits. */
static enum show_wait wait_of(const struct instance *instance)
{
    enum show_wait found = SHOW_WAIT_COUNT;
    for (size_t i = 0; instance && i < instance->token_count && found == SHOW_WAIT_COUNT; i++)
        found = show_token_wait(instance, &instance->token[i]);
    return found;
}

static bool is_same(const struct operate_group *group, const struct operate_group *other)
{
    return group->status == other->status && group->wait == other->wait &&
           str_equal(group->definition_id, other->definition_id) && str_equal(group->node, other->node) &&
           str_equal(group->reason, other->reason);
}

/* The words for a group whose runs do not share one sentence. */
static str show_words(const struct operate_group *group, struct arena *arena)
{
    static const char *const waits[] = {
        [SHOW_WAIT_PERSON] = "waits for a person", [SHOW_WAIT_JOB] = "is at work",
        [SHOW_WAIT_TIMER] = "waits for a time",    [SHOW_WAIT_EVENT] = "waits for an event",
        [SHOW_WAIT_SIGNAL] = "waits for a signal", [SHOW_WAIT_CHILD] = "waits for another run",
        [SHOW_WAIT_COUNT] = "does not go on",
    };
    return arena_printf(arena, "\xe2\x80\x9c%.*s\xe2\x80\x9d %s.", STR_ARG(group->title), waits[group->wait]);
}

/* Workers may hold the jobs of some of a group's runs and not of others, so its sentence names none. */
static str said_of(const struct operate_run *run, const struct operate_group *group, struct arena *arena)
{
    if (run->status == SHOW_FAILED) return show_headline(run->code, run->reason, arena);
    if (!run->why_held.n) return arena_str(arena, run->why);
    return arena_printf(arena, "\xe2\x80\x9c%.*s\xe2\x80\x9d is with a worker, or waits for one.",
                        STR_ARG(group->title));
}

static struct operate_group *new_group(struct answer_runs *answer, const struct operate_group *like,
                                       const struct operate_run *run, struct arena *arena)
{
    if (answer->group_count == RUN_GROUPS_MAX) return NULL;
    array_reserve_in(arena, answer->group, answer->group_count, answer->group_cap);
    struct operate_group *group = &answer->group[answer->group_count++];
    *group = *like;
    group->definition_id = arena_str(arena, like->definition_id);
    group->definition_name = arena_str(arena, run->definition_name);
    group->node = arena_str(arena, like->node);
    group->title = arena_str(arena, like->title);
    group->reason = arena_str(arena, like->reason);
    group->sentence = said_of(run, like, arena);
    if (run->status == SHOW_FAILED) group->reason_code = show_code(run->code, run->reason, arena);
    group->newest_ms = run->id.ms; /* They come newest first. */
    return group;
}

void operate_groups_add(struct answer_runs *answer, const struct operate_run *run,
                        const struct instance *instance, struct arena *scratch, struct arena *arena)
{
    const struct operate_node *node = holder_of(run);
    struct operate_group like = {
        .status = run->status,
        .wait = run->status == SHOW_FAILED ? SHOW_WAIT_COUNT : wait_of(instance),
        .definition_id = run->definition_id,
        .node = node ? node->id : STR_NONE,
        .title = node ? node->title : STR_NONE,
        .reason = run->status == SHOW_FAILED ? bulk_fold_reason(run->reason, scratch) : STR_NONE,
    };
    struct operate_group *group = NULL;
    for (size_t i = 0; i < answer->group_count && !group; i++)
        if (is_same(&answer->group[i], &like)) group = &answer->group[i];
    if (!group) group = new_group(answer, &like, run, arena);
    if (!group) {
        answer->ungrouped++;
        return;
    }
    group->count++;
    group->oldest_ms = run->id.ms;
    if (run->status != SHOW_FAILED && !str_equal(group->sentence, said_of(run, &like, scratch)))
        group->sentence = show_words(group, arena);
}

static int compare_groups(const void *a, const void *b)
{
    static const int order[SHOW_STATUS_COUNT] = { [SHOW_PERSON] = 1, [SHOW_WAITING] = 2, [SHOW_RUNNING] = 3 };
    const struct operate_group *one = a, *other = b;
    if (one->status != other->status) return order[one->status] - order[other->status];
    if (one->count != other->count) return one->count > other->count ? -1 : 1;
    return one->newest_ms == other->newest_ms ? 0 : one->newest_ms > other->newest_ms ? -1 : 1;
}

void operate_groups_sort(struct answer_runs *answer)
{
    if (answer->group_count) qsort(answer->group, answer->group_count, sizeof *answer->group, compare_groups);
}
