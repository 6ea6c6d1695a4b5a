/* runtime/worklist.c — lists of people's tasks, and one of them with what happened to it. */
#include "runtime/query.h"

#include "base/array.h"

#include "core/task.h"
#include "runtime/limits.h"

static void take_views(struct call *call, const struct task_row *row, size_t count)
{
    struct answer_tasks *answer = &call->value.tasks;
    answer->view = arena_make_n(call->arena, struct task_view, count);
    answer->count = count;
    for (size_t i = 0; i < count; i++)
        answer->view[i] =
            (struct task_view){ row[i], row[i].details.n ? json_decode(row[i].details, call->arena) : NULL };
}

/* All tasks, the oldest instances first. A filter that the list has no order for is asked for each row, as
 * often as a page may be looked for. */
static enum status list_by_age(struct query *query, struct call *call, struct error *err)
{
    const struct worklist_filter *asked = &call->as.worklist.filter;
    struct task_filter filter = { .ns = call->ns,
                                  .instance = call->as.worklist.instance,
                                  .definition_id = asked->definition_id,
                                  .label = asked->label,
                                  .after_instance = asked->after.instance,
                                  .after_execution = asked->after.execution,
                                  .max = asked->is_free ? WORKLIST_SCANNED_MAX : asked->max };
    struct task_row *row;
    size_t count, kept = 0;
    TRY(reader_tasks(query->reader, &filter, call->arena, &row, &count, NULL, err));
    bool full = count == filter.max;
    size_t seen = 0;
    for (; seen < count && kept < asked->max; seen++) {
        const struct json *details = row[seen].details.n ? json_decode(row[seen].details, call->arena) : NULL;
        if (asked->is_free && task_read(details, 0).assignee.n) continue;
        row[kept++] = row[seen];
    }
    if ((full || seen < count) && seen)
        call->value.tasks.next =
            (struct worklist_place){ 0, row[seen - 1].instance, row[seen - 1].execution };
    take_views(call, row, kept);
    return ST_OK;
}

enum status worklist_list(struct query *query, struct call *call, struct error *err)
{
    if (call->as.worklist.by_age) return list_by_age(query, call, err);
    struct task_row *row;
    size_t count;
    TRY(reader_worklist(query->reader, &call->as.worklist.filter, call->arena, &row, &count,
                        &call->value.tasks.next, err));
    take_views(call, row, count);
    return ST_OK;
}

/* ---- one task ---- */

static const char *what_happened(const struct history *history, str before, str now, str comment)
{
    if (history->command == COMMAND_FIRE_TIMER) return comment.n ? "escalated" : "reminded";
    if (!str_equal(before, now))
        return !now.n ? "unclaimed" : str_equal(now, history->actor) ? "claimed" : "assigned";
    return comment.n ? "commented" : "changed";
}

struct task_story {
    struct arena *arena;
    uint32_t execution;
    str assignee; /* So far. */
    bool begun;
    struct task_note *note;
    size_t count, cap;
};

static void tell_note(struct task_story *story, const struct history *history, const struct entry *entry)
{
    if (entry->kind == ENTRY_KIND_ENTER && entry->execution == story->execution) {
        array_reserve_in(story->arena, story->note, story->count, story->cap);
        story->note[story->count++] = (struct task_note){ .at_ms = history->at_ms, .what = "opened" };
    }
    if (entry->kind != ENTRY_KIND_TASK || entry->execution != story->execution) return;
    str now = task_read(entry->task, 0).assignee;
    bool opens = !story->begun && story->count && story->note[0].at_ms == history->at_ms &&
                 history->command != COMMAND_ASSIGN_TASK;
    if (!opens) {
        array_reserve_in(story->arena, story->note, story->count, story->cap);
        story->note[story->count++] = (struct task_note){
            .at_ms = history->at_ms,
            .by = arena_str(story->arena, history->actor),
            .what = what_happened(history, story->assignee, now, entry->comment),
            .comment =
                history->command == COMMAND_FIRE_TIMER ? STR_NONE : arena_str(story->arena, entry->comment),
        };
    }
    story->begun = true;
    story->assignee = arena_str(story->arena, now);
}

/* The history is told piece by piece, as far as an answer may go. */
static enum status tell_story(struct query *query, struct call *call, struct task_story *story,
                              struct error *err)
{
    uint32_t told = 0;
    size_t bytes = 0, count = 1;
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = ST_OK;
    while (status == ST_OK && count && !call->value.tasks.cut) {
        str *blob;
        arena_reset(&scratch);
        reader_bound(query->reader, (size_t)query->limits.answer_bytes_max);
        status =
            reader_history(query->reader, call->as.task.id.instance, told, 0, &scratch, &blob, &count, err);
        for (size_t i = 0; status == ST_OK && i < count; i++) {
            struct history history;
            status = history_decode(blob[i], &scratch, &history, err);
            for (size_t k = 0; status == ST_OK && k < history.entry_count; k++)
                tell_note(story, &history, &history.entry[k]);
            if (status == ST_OK) told = history.revision;
            bytes += blob[i].n;
        }
        call->value.tasks.cut = bytes > HISTORY_BYTES_MAX || story->count > TASK_NOTES_MAX;
    }
    arena_done(&scratch);
    return status;
}

enum status worklist_get_task(struct query *query, struct call *call, struct error *err)
{
    struct id id = call->as.task.id;
    struct task_row row;
    enum status status = reader_task(query->reader, id.instance, id.number, call->arena, &row, err);
    if (status == ST_NOT_FOUND || (status == ST_OK && row.created_ms != id.ms))
        return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "there is no open task of this id");
    TRY(status);
    take_views(call, &row, 1);
    struct task_story story = { .arena = call->arena, .execution = id.number };
    TRY(tell_story(query, call, &story, err));
    call->value.tasks.note = story.note;
    call->value.tasks.note_count = story.count < TASK_NOTES_MAX ? story.count : TASK_NOTES_MAX;
    return ST_OK;
}
