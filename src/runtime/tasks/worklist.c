/* runtime/tasks/worklist.c — lists of people's tasks, and one of them with what happened to it. */
#include "runtime/tasks/tasks_int.h"

#include "base/array.h"
#include "base/map.h"
#include "base/utf8.h"
#include "core/task.h"
#include "dialect/show/sentences.h"
#include "runtime/call/sight.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

/* ---- pages ---- */

/* A row that lives as long as the answer. */
static struct task_row keep_row(const struct task_row *row, struct arena *arena)
{
    struct task_row kept = *row;
    kept.node = arena_str(arena, row->node);
    kept.title = arena_str(arena, row->title);
    kept.label = arena_str(arena, row->label);
    kept.details = arena_str(arena, row->details);
    kept.definition_id = arena_str(arena, row->definition_id);
    kept.business_key = arena_str(arena, row->business_key);
    return kept;
}

static const struct json *details_of(const struct task_row *row, struct arena *arena)
{
    return row->details.n ? json_decode(row->details, arena) : NULL;
}

static bool sees(const struct sight *sight, const struct task_row *row, struct arena *arena)
{
    return sight->all || sight_has_task(sight, row->definition_id, details_of(row, arena));
}

static void add_view(struct call *call, const struct task_row *row)
{
    struct answer_tasks *answer = &call->value.tasks;
    struct task_row kept = keep_row(row, call->arena);
    answer->view[answer->count++] = (struct task_view){ kept, details_of(&kept, call->arena) };
}

static bool fits(const struct call_worklist *asked, const struct task_row *row, struct arena *arena)
{
    if (asked->keyword.n && !str_has_part(row->title, asked->keyword) &&
        !str_has_part(row->business_key, asked->keyword))
        return false;
    return !asked->filter.is_free || !task_read(details_of(row, arena), 0).assignee.n;
}

/* A part of all tasks, the oldest instances first. A filter that the list has no order for is asked for each
 * row, as often as a page may be looked for. */
static enum status list_by_age(struct query *query, struct call *call, struct arena *scratch,
                               struct error *err)
{
    const struct sight sight = sight_of_tasks(call);
    const struct worklist_filter *asked = &call->as.worklist.filter;
    struct answer_tasks *answer = &call->value.tasks;
    bool searches = !sight.all || asked->is_free || call->as.worklist.keyword.n;
    struct task_filter filter = { .ns = call->ns,
                                  .instance = call->as.worklist.instance,
                                  .definition_id = asked->definition_id,
                                  .label = asked->label,
                                  .after_instance = asked->after.instance,
                                  .after_execution = asked->after.execution,
                                  .max = searches ? WORKLIST_SCANNED_MAX : asked->max };
    struct task_row *row;
    size_t count, seen = 0;
    TRY(reader_tasks(query->reader, &filter, scratch, &row, &count, NULL, err));
    for (; seen < count && answer->count < asked->max; seen++)
        if (fits(&call->as.worklist, &row[seen], scratch) && sees(&sight, &row[seen], scratch))
            add_view(call, &row[seen]);
    answer->next = (struct worklist_place){ 0 };
    if ((count == filter.max || seen < count) && seen)
        answer->next = (struct worklist_place){ 0, row[seen - 1].instance, row[seen - 1].execution };
    return ST_OK;
}

/* A part of somebody's list, or of the list of all that are due. */
static enum status list_by_due(struct query *query, struct call *call, struct arena *scratch,
                               struct error *err)
{
    const struct sight sight = sight_of_tasks(call);
    struct task_row *row;
    size_t count;
    TRY(reader_worklist(query->reader, &call->as.worklist.filter, scratch, &row, &count,
                        &call->value.tasks.next, err));
    for (size_t i = 0; i < count; i++)
        if (sees(&sight, &row[i], scratch)) add_view(call, &row[i]);
    return ST_OK;
}

/* A page on which the caller sees nothing would look like the last one, so it takes another part of the list.
 */
enum status worklist_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct call_worklist *asked = &call->as.worklist;
    struct answer_tasks *answer = &call->value.tasks;
    struct arena scratch;
    if (!answer->view) answer->view = arena_make_n(call->arena, struct task_view, asked->filter.max);
    arena_init(&scratch, 0);
    enum status status =
        asked->by_age ? list_by_age(query, call, &scratch, err) : list_by_due(query, call, &scratch, err);
    arena_done(&scratch);
    TRY(status);
    *ret_more = !sight_of_tasks(call).all && !answer->count && answer->next.instance;
    if (*ret_more) asked->filter.after = answer->next;
    return ST_OK;
}

/* ---- pages of /v1 ---- */

static enum status list_all(struct query *query, struct call *call, struct error *err)
{
    const struct task_filter *filter = &call->as.tasks.filter;
    struct answer_tasks *answer = &call->value.tasks;
    TRY(reader_tasks(query->reader, filter, call->arena, &answer->row, &answer->count,
                     call->as.tasks.with_total ? &answer->total : NULL, err));
    if (!answer->count || answer->count < filter->max) return ST_OK;
    const struct task_row *last = &answer->row[answer->count - 1];
    answer->next = (struct worklist_place){ 0, last->instance, last->execution };
    return ST_OK;
}

/* Adds the rows of a part that the caller sees, and counts all of them for the total. */
static void take_part(struct call *call, const struct task_row *row, size_t count, struct arena *scratch)
{
    const struct sight sight = sight_of_tasks(call);
    struct answer_tasks *answer = &call->value.tasks;
    for (size_t i = 0; i < count; i++) {
        if (!sees(&sight, &row[i], scratch)) continue;
        answer->total++;
        if (answer->count == call->as.tasks.filter.max) answer->is_full = true;
        else answer->row[answer->count++] = keep_row(&row[i], call->arena);
        if (answer->is_full && !call->as.tasks.with_total) return;
    }
}

/* With a total the whole list is looked at, up to a bound. */
static bool wants_more(const struct call *call, bool is_end)
{
    const struct answer_tasks *answer = &call->value.tasks;
    if (is_end) return false;
    return !answer->count ||
           (call->as.tasks.with_total && answer->parts < TASKS_COUNTED_MAX / WORKLIST_SCANNED_MAX);
}

static enum status list_seen(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct task_filter *filter = &call->as.tasks.filter, part = *filter;
    struct answer_tasks *answer = &call->value.tasks;
    struct arena scratch;
    struct task_row *row;
    size_t count;
    part.max = WORKLIST_SCANNED_MAX;
    if (!answer->row) answer->row = arena_make_n(call->arena, struct task_row, filter->max);
    arena_init(&scratch, 0);
    enum status status = reader_tasks(query->reader, &part, &scratch, &row, &count, NULL, err);
    if (status == ST_OK) take_part(call, row, count, &scratch);
    bool is_end = status == ST_OK && count < part.max;
    if (status == ST_OK && count) {
        filter->after_instance = row[count - 1].instance;
        filter->after_execution = row[count - 1].execution;
    }
    arena_done(&scratch);
    TRY(status);
    answer->parts++;
    *ret_more = wants_more(call, is_end);
    answer->has_no_total = !is_end;
    const struct task_row *last = answer->is_full ? &answer->row[answer->count - 1] : NULL;
    answer->next = last     ? (struct worklist_place){ 0, last->instance, last->execution }
                   : is_end ? (struct worklist_place){ 0 }
                            : (struct worklist_place){ 0, filter->after_instance, filter->after_execution };
    return ST_OK;
}

enum status worklist_list_rows(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    call->as.tasks.filter.ns = call->ns;
    return sight_of_tasks(call).all ? list_all(query, call, err) : list_seen(query, call, ret_more, err);
}

/* ---- one task ---- */

static const char *what_happened(const struct history *history, str before, str now, str comment)
{
    if (history->command == COMMAND_FIRE_TIMER) return comment.n ? "escalated" : "reminded";
    if (history->command == COMMAND_COMPLETE_JOB) return "emailed";
    if (history->command == COMMAND_FAIL_JOB) return "not emailed";
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
    const struct sight sight = sight_of_tasks(call);
    if (!is_there || !story->is_person || story->opened_ms != id.ms ||
        !sight_has_task(&sight, row.definition_id, story->details))
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
    const struct sight sight = sight_of_tasks(call);
    if (row.created_ms != id.ms || !sees(&sight, &row, call->arena))
        return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "there is no task of this id");
    call->value.tasks.view = arena_make(call->arena, struct task_view);
    add_view(call, &row);
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
