/* runtime/tasks/worklist.c — lists of people's tasks, and one of them with what happened to it. */
#include "runtime/tasks/tasks_int.h"

#include "base/array.h"
#include "base/map.h"
#include "base/utf8.h"
#include "core/task.h"
#include "dialect/show/sentences.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

static void take_views(struct call *call, const struct task_row *row, size_t count)
{
    struct answer_tasks *answer = &call->value.tasks;
    answer->view = arena_make_n(call->arena, struct task_view, count);
    answer->count = count;
    for (size_t i = 0; i < count; i++)
        answer->view[i] =
            (struct task_view){ row[i], row[i].details.n ? json_decode(row[i].details, call->arena) : NULL };
}

static bool fits(const struct call_worklist *asked, const struct task_row *row, struct arena *arena)
{
    if (asked->keyword.n && !str_has_part(row->title, asked->keyword) &&
        !str_has_part(row->business_key, asked->keyword))
        return false;
    if (!asked->filter.is_free) return true;
    const struct json *details = row->details.n ? json_decode(row->details, arena) : NULL;
    return !task_read(details, 0).assignee.n;
}

/* All tasks, the oldest instances first. A filter that the list has no order for is asked for each row, as
 * often as a page may be looked for. */
static enum status list_by_age(struct query *query, struct call *call, struct error *err)
{
    const struct worklist_filter *asked = &call->as.worklist.filter;
    bool searches = asked->is_free || call->as.worklist.keyword.n;
    struct task_filter filter = { .ns = call->ns,
                                  .instance = call->as.worklist.instance,
                                  .definition_id = asked->definition_id,
                                  .label = asked->label,
                                  .after_instance = asked->after.instance,
                                  .after_execution = asked->after.execution,
                                  .max = searches ? WORKLIST_SCANNED_MAX : asked->max };
    struct task_row *row;
    size_t count, kept = 0;
    TRY(reader_tasks(query->reader, &filter, call->arena, &row, &count, NULL, err));
    bool full = count == filter.max;
    size_t seen = 0;
    for (; seen < count && kept < asked->max; seen++) {
        if (!fits(&call->as.worklist, &row[seen], call->arena)) continue;
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
    return task_change_word(before, now, history->actor, comment);
}

struct task_story {
    struct arena *arena;
    uint32_t execution;
    str assignee; /* So far. */
    bool begun;
    struct task_note *note;
    size_t count, cap;
    /* For a task that is not open any more. */
    bool is_person; /* The visit waited for a person. */
    int64_t opened_ms;
    str node;
    const struct json *details;  /* The last ones; NULL: none. */
    const struct json *data;     /* The last output of the visit; NULL: nothing. */
    struct map timers;           /* The timers of the visit, by number. */
    uint32_t fired_at;           /* The revision at which one of them fired last. */
    bool has_ended, was_cut_off; /* It was interrupted, not left. */
    struct history end;          /* Without its entries. */
};

static void add_note(struct task_story *story, const struct history *history, const char *what, str comment)
{
    array_reserve_in(story->arena, story->note, story->count, story->cap);
    story->note[story->count++] = (struct task_note){ .at_ms = history->at_ms,
                                                      .by = arena_str(story->arena, history->actor),
                                                      .what = what,
                                                      .comment = arena_str(story->arena, comment) };
}

/* The details of the task have changed. */
static void tell_details(struct task_story *story, const struct history *history, const struct entry *entry)
{
    str now = task_read(entry->task, 0).assignee;
    bool opens = !story->begun && story->count && story->note[0].at_ms == history->at_ms &&
                 history->command != COMMAND_ASSIGN_TASK;
    if (!opens)
        add_note(story, history, what_happened(history, story->assignee, now, entry->comment),
                 history->command == COMMAND_FIRE_TIMER ? STR_NONE : entry->comment);
    story->begun = true;
    story->assignee = arena_str(story->arena, now);
    story->details = entry->task ? json_copy(story->arena, entry->task) : NULL;
}

static void tell_end(struct task_story *story, const struct history *history, bool cut_off)
{
    if (!story->is_person || story->has_ended) return;
    story->has_ended = true;
    story->was_cut_off = cut_off;
    story->end = (struct history){ .command = history->command,
                                   .at_ms = history->at_ms,
                                   .actor = arena_str(story->arena, history->actor),
                                   .revision = history->revision };
}

static void tell_note(struct task_story *story, const struct history *history, const struct entry *entry)
{
    if (entry->kind == ENTRY_KIND_TIMER_CLOSE) {
        if (entry->fired && map_get(&story->timers, entry->timer)) story->fired_at = history->revision;
        return;
    }
    if (entry->kind == ENTRY_KIND_STATUS &&
        (entry->status == INSTANCE_COMPLETED || entry->status == INSTANCE_CANCELLED)) {
        tell_end(story, history, true); /* With the instance. */
        return;
    }
    if (!(entry_slots(entry->kind) & ENTRY_EXECUTION) || entry->execution != story->execution) return;
    switch (entry->kind) {
    case ENTRY_KIND_ENTER:
        array_reserve_in(story->arena, story->note, story->count, story->cap);
        story->note[story->count++] = (struct task_note){ .at_ms = history->at_ms, .what = "opened" };
        story->opened_ms = history->at_ms;
        story->node = arena_str(story->arena, entry->node);
        break;
    case ENTRY_KIND_PARK: story->is_person = story->is_person || entry->state == TOKEN_PERSON; break;
    case ENTRY_KIND_TIMER_OPEN: map_put(&story->timers, entry->timer, story); break;
    case ENTRY_KIND_TASK: tell_details(story, history, entry); break;
    case ENTRY_KIND_DATA:
    case ENTRY_KIND_SCOPE_DATA:
        if (!story->has_ended || story->end.revision == history->revision)
            story->data = entry->data ? json_copy(story->arena, entry->data) : NULL;
        break;
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_REST:
    case ENTRY_KIND_STALL: tell_end(story, history, false); break;
    case ENTRY_KIND_INTERRUPT:
    case ENTRY_KIND_FAIL: tell_end(story, history, true); break;
    default: break;
    }
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

/* ---- a task that is not open any more ---- */

/* The decision is a member of what the visit wrote: the answer itself, or the outputs of the node. */
static const struct json *decision_in(const struct json *data)
{
    const struct json *decision = json_get(data, STR("decision"));
    struct json_each each = json_each(data);
    while (!decision && json_next(&each))
        if (json_is(each.value, JSON_OBJECT)) decision = json_get(each.value, STR("decision"));
    return decision;
}

static enum task_state state_of(const struct task_story *story)
{
    if (!story->has_ended) return TASK_SUSPENDED;
    if (story->fired_at == story->end.revision) return TASK_EXPIRED;
    return !story->was_cut_off && story->end.command == COMMAND_COMPLETE_TASK ? TASK_COMPLETED
                                                                              : TASK_CANCELLED;
}

static enum status show_ended(struct query *query, struct call *call, const struct instance_row *row,
                              struct task_story *story, struct error *err)
{
    struct task_view *view = arena_make(call->arena, struct task_view);
    struct definition *definition;
    uint32_t node = NODE_NONE;
    view->row = (struct task_row){ .instance = row->id,
                                   .execution = story->execution,
                                   .created_ms = story->opened_ms,
                                   .node = story->node,
                                   .title = task_read(story->details, 0).title,
                                   .definition_id = row->definition_id,
                                   .definition_version = row->definition_version,
                                   .instance_created_ms = row->created_ms,
                                   .business_key = row->business_key };
    bool is_intact;
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &is_intact));
    if (is_intact) node = program_find(definition->program, story->node);
    if (node != NODE_NONE) {
        const struct program_node *at = &definition->program->node[node];
        if (!view->row.title.n) view->row.title = arena_str(call->arena, at->title);
        if (at->kind == NODE_WAIT) view->row.label = arena_str(call->arena, at->as.wait.label);
    }
    view->row.title = utf8_cut(view->row.title, TITLE_BYTES_MAX);
    view->details = story->details;
    view->state = state_of(story);
    if (story->has_ended) {
        view->ended_ms = story->end.at_ms;
        view->ended_by = view->state == TASK_EXPIRED ? STR_NONE : story->end.actor;
        view->decision = view->state == TASK_COMPLETED ? decision_in(story->data) : NULL;
        story->end.actor = view->ended_by;
        add_note(story, &story->end, call_task_state_word(view->state), STR_NONE);
    }
    call->value.tasks.view = view;
    call->value.tasks.count = 1;
    return ST_OK;
}

/* The history of its instance knows it, as long as the instance is kept. If that is longer than an answer may
 * go, the end may not be among what was told. */
static enum status get_ended(struct query *query, struct call *call, struct task_story *story,
                             struct error *err)
{
    struct id id = call->as.task.id;
    struct instance_row row;
    bool is_there;
    TRY(found_asked(query_load_instance(query, call, id.instance, call->arena, &row, err), &is_there));
    if (is_there) TRY(tell_story(query, call, story, err));
    if (!is_there || !story->is_person || story->opened_ms != id.ms)
        return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "there is no task of this id");
    return show_ended(query, call, &row, story, err);
}

/* Tells what happens if nobody answers the task, from its definition. If the definition is damaged, the
 * answer leaves this out. */
static enum status foretell(struct query *query, struct call *call, struct error *err)
{
    struct task_view *view = call->value.tasks.view;
    struct definition *definition;
    bool is_intact;
    TRY(found_intact(catalogue_find(&query->catalogue, call->ns, view->row.definition_id,
                                    view->row.definition_version, &definition, err),
                     &is_intact));
    if (!is_intact) return ST_OK;
    uint32_t node = program_find(definition->program, view->row.node);
    if (node != NODE_NONE)
        view->unanswered =
            show_unanswered(definition->program, &definition->program->node[node], call->arena);
    return ST_OK;
}

static enum status get_task(struct query *query, struct call *call, struct task_story *story,
                            struct error *err)
{
    struct id id = call->as.task.id;
    struct task_row row;
    bool is_there;
    TRY(found_asked(reader_task(query->reader, call->ns, id.instance, id.number, call->arena, &row, err),
                    &is_there));
    if (is_there) TRY(caller_check(call->caller, row.definition_id, err));
    if (!is_there) return get_ended(query, call, story, err);
    if (row.created_ms != id.ms)
        return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "there is no task of this id");
    take_views(call, &row, 1);
    TRY(foretell(query, call, err));
    return tell_story(query, call, story, err);
}

enum status worklist_get_task(struct query *query, struct call *call, struct error *err)
{
    struct task_story story = { .arena = call->arena, .execution = call->as.task.id.number };
    map_init(&story.timers);
    enum status status = get_task(query, call, &story, err);
    map_done(&story.timers);
    TRY(status);
    call->value.tasks.note = story.note;
    call->value.tasks.note_count = story.count < TASK_NOTES_MAX ? story.count : TASK_NOTES_MAX;
    return ST_OK;
}
