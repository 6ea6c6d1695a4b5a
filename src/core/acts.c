/* core/acts.c — who did what to an instance, told by its history.
 *
 * An act is a command that somebody gave: a start, an answer, a claim, a signal, a repair. Workers are not
 * told of: each attempt at a job names its worker. Neither are commands that came without a name and without
 * words.
 */
#include "core/acts_int.h"

#include "base/array.h"
#include "core/task.h"

/* The words of the commands that are acts; NULL: it is none. */
static const char *const words[COMMAND_COUNT] = {
    [COMMAND_START] = "started",       [COMMAND_COMPLETE_TASK] = "completed", [COMMAND_SIGNAL] = "signalled",
    [COMMAND_CANCEL] = "cancelled",    [COMMAND_RETRY] = "retried",           [COMMAND_MODIFY] = "modified",
    [COMMAND_ASSIGN_TASK] = "changed", [COMMAND_ARRIVE] = "arrived",          [COMMAND_FIRE] = "fired",
    [COMMAND_MIGRATE] = "migrated",
};

static struct act_holder *holder_of(struct acts *acts, uint32_t execution)
{
    for (size_t i = 0; i < acts->holder_count; i++)
        if (acts->holder[i].execution == execution) return &acts->holder[i];
    array_reserve_in(acts->arena, acts->holder, acts->holder_count, acts->holder_cap);
    struct act_holder *holder = &acts->holder[acts->holder_count++];
    *holder = (struct act_holder){ .execution = execution };
    return holder;
}

/* Keeps who has a task, so that the next change of it can be told. */
static const char *tell_task(struct acts *acts, const struct history *history, const struct entry *entry)
{
    struct act_holder *holder = holder_of(acts, entry->execution);
    str now = task_read(entry->task, 0).assignee;
    const char *word = task_change_word(holder->name, now, history->actor, entry->comment);
    if (!str_equal(holder->name, now)) holder->name = arena_str(acts->arena, now);
    return word;
}

const struct entry *acts_task_entry(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_TASK) return &history->entry[i];
    return NULL;
}

/* The words that came with the command. */
static str comment_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_REMARK) return entry->comment;
        if (entry->kind == ENTRY_KIND_MIGRATE) return entry->reason;
        if (entry->kind == ENTRY_KIND_TASK && history->command == COMMAND_ASSIGN_TASK) return entry->comment;
    }
    return STR_NONE;
}

void acts_tell(struct acts *acts, const struct history *history, str node, bool omits)
{
    const struct entry *task = acts_task_entry(history);
    const char *word = words[history->command];
    bool knows_tasks = !omits && acts->holder_count < ACTS_SHOWN_MAX;
    const char *change = task && knows_tasks ? tell_task(acts, history, task) : word;
    str comment = comment_of(history);
    if (!word || (!history->actor.n && !comment.n)) return;
    acts->total++;
    if (omits || acts->count == ACTS_SHOWN_MAX) return;
    array_reserve_in(acts->arena, acts->act, acts->count, acts->cap);
    acts->act[acts->count++] = (struct act){
        .at_ms = history->at_ms,
        .what = history->command == COMMAND_ASSIGN_TASK ? change : word,
        .by = arena_str(acts->arena, history->actor),
        .node = arena_str(acts->arena, node),
        .comment = arena_str(acts->arena, comment),
    };
}
