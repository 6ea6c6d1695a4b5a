/* runtime/call/answer_encode.c — writes an answer as the bytes that are stored under a key. */
#include "base/array.h"
#include "base/must.h"
#include "dialect/dialect.h"
#include "json/put.h"
#include "runtime/call/answer_codec.h"
#include "runtime/call/answer_fields.h"
#include "runtime/call/cloud_event.h"

struct answer_writer {
    struct json_builder head;
    struct arena *arena;
    const struct json **value; /* The values behind the head. */
    size_t count, cap;
};

static void write_int(struct answer_writer *writer, str name, int64_t number)
{
    if (!number) return;
    json_add_name(&writer->head, name);
    json_add_int(&writer->head, number);
}

static void write_flag(struct answer_writer *writer, str name, bool flag)
{
    if (!flag) return;
    json_add_name(&writer->head, name);
    json_add_bool(&writer->head, true);
}

static void write_text(struct answer_writer *writer, str name, str text)
{
    if (!text.n) return;
    json_add_name(&writer->head, name);
    json_add_string(&writer->head, text);
}

/* Puts the value behind the head and its number into the head. */
static void write_value(struct answer_writer *writer, str name, const struct json *value)
{
    if (!value) return;
    array_reserve_in(writer->arena, writer->value, writer->count, writer->cap);
    writer->value[writer->count++] = value;
    write_int(writer, name, (int64_t)writer->count);
}

static void write_fields(struct answer_writer *writer, const void *from, const struct answer_field *field,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)from + field[i].at;
        switch (field[i].kind) {
        case FIELD_U64:
        case FIELD_I64: write_int(writer, field[i].name, *(const int64_t *)at); break;
        case FIELD_I32: write_int(writer, field[i].name, *(const int32_t *)at); break;
        case FIELD_U32: write_int(writer, field[i].name, *(const uint32_t *)at); break;
        case FIELD_U8: write_int(writer, field[i].name, *(const uint8_t *)at); break;
        case FIELD_FLAG: write_flag(writer, field[i].name, *(const bool *)at); break;
        case FIELD_TEXT: write_text(writer, field[i].name, *(const str *)at); break;
        case FIELD_VALUE: write_value(writer, field[i].name, *(const struct json *const *)at); break;
        }
    }
}

#define WRITE_FIELDS(writer, from, fields) write_fields((writer), (from), (fields), COUNT(fields))

static void open_object(struct answer_writer *writer, str name)
{
    json_add_name(&writer->head, name);
    json_open_object(&writer->head);
}

static void open_list(struct answer_writer *writer, str name)
{
    json_add_name(&writer->head, name);
    json_open_array(&writer->head);
}

static void write_texts(struct answer_writer *writer, str name, const str *text, size_t count)
{
    if (!count) return;
    open_list(writer, name);
    for (size_t i = 0; i < count; i++) json_add_string(&writer->head, text[i]);
    json_close(&writer->head);
}

static void write_mail(struct answer_writer *writer, const struct instance_view *view)
{
    if (!view->mail_count) return;
    open_list(writer, STR("mail"));
    for (size_t i = 0; i < view->mail_count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &view->mail[i], mail_fields);
        json_close(&writer->head);
    }
    json_close(&writer->head);
}

static void write_view(struct answer_writer *writer, const struct instance_view *view)
{
    open_object(writer, STR("instance"));
    WRITE_FIELDS(writer, view, instance_fields);
    write_text(writer, STR("dialect"), view->dialect->name);
    write_texts(writer, STR("current"), view->current, view->current_count);
    write_texts(writer, STR("currentTitles"), view->current_title, view->current_count);
    write_mail(writer, view);
    json_close(&writer->head);
}

static void write_standing(struct answer_writer *writer, const struct standing *standing)
{
    open_object(writer, STR("standing"));
    WRITE_FIELDS(writer, standing, standing_fields);
    open_list(writer, STR("tasks"));
    for (size_t i = 0; i < standing->task_count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &standing->task[i], standing_task_fields);
        json_close(&writer->head);
    }
    json_close(&writer->head);
    open_list(writer, STR("undone"));
    for (size_t i = 0; i < standing->undo_count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &standing->undo[i], standing_undo_fields);
        json_close(&writer->head);
    }
    json_close(&writer->head);
    json_close(&writer->head);
}

static void write_arrival(struct answer_writer *writer, const struct arrival_view *arrival)
{
    open_object(writer, STR("arrival"));
    write_int(writer, STR("outcome"), arrival->outcome);
    write_text(writer, STR("definition"), arrival->definition_id);
    write_text(writer, STR("trigger"), arrival->trigger);
    write_text(writer, STR("key"), arrival->key);
    json_close(&writer->head);
}

static void write_instance(struct answer_writer *writer, const struct call *call)
{
    must(call->value.instances.view);
    const struct buf empty = { 0 };
    struct instance_view view = *call->value.instances.view;
    if (!put_may_fit(&empty, view.data, call->answer_max)) {
        view.data = NULL;
        view.data_omitted = true;
    }
    write_view(writer, &view);
    write_standing(writer, &view.standing);
}

/* A start that waits for a place has no instance yet. */
static void write_started(struct answer_writer *writer, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    if (answer->arrival) write_arrival(writer, answer->arrival);
    if (answer->view) write_instance(writer, call);
}

/* For commands whose answer says only how the instance stands. */
static void write_brief_instance(struct answer_writer *writer, const struct call *call)
{
    must(call->value.instances.view);
    struct instance_view view = *call->value.instances.view;
    view.data = view.error = NULL;
    view.data_omitted = true;
    view.mail_count = 0;
    write_view(writer, &view);
    write_standing(writer, &view.standing);
    write_flag(writer, STR("kept"), call->value.instances.kept);
}

static void write_token(struct answer_writer *writer, const struct token_view *token)
{
    json_open_object(&writer->head);
    WRITE_FIELDS(writer, token, token_fields);
    if (token->job) {
        open_object(writer, STR("job"));
        WRITE_FIELDS(writer, token->job, job_fields);
        json_close(&writer->head);
    }
    if (token->timer_count) {
        open_list(writer, STR("timersDue"));
        for (size_t i = 0; i < token->timer_count; i++) json_add_int(&writer->head, token->timer_due_ms[i]);
        json_close(&writer->head);
    }
    json_close(&writer->head);
}

static void write_tokens(struct answer_writer *writer, str name, const struct token_view *token, size_t count)
{
    open_list(writer, name);
    for (size_t i = 0; i < count; i++) write_token(writer, &token[i]);
    json_close(&writer->head);
}

static void write_modified(struct answer_writer *writer, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    write_instance(writer, call);
    write_tokens(writer, STR("before"), answer->token_before, answer->token_before_count);
    write_tokens(writer, STR("tokens"), answer->token, answer->token_count);
}

static void write_definition(struct answer_writer *writer, const struct call *call)
{
    const struct answer_definitions *answer = &call->value.definitions;
    const struct problems *problems = &answer->problems;
    open_object(writer, STR("definition"));
    WRITE_FIELDS(writer, answer->row, definition_fields);
    json_close(&writer->head);
    write_flag(writer, STR("isNew"), answer->is_new);
    write_int(writer, STR("latest"), answer->latest);
    write_int(writer, STR("warnings"), (int64_t)problems->warning_count);
    open_list(writer, STR("problems"));
    for (size_t i = 0; i < problems->count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &problems->problem[i], problem_fields);
        write_text(writer, STR("code"), str_of(problem_code_name(problems->problem[i].code)));
        json_close(&writer->head);
    }
    json_close(&writer->head);
}

static void write_error(struct answer_writer *writer, enum status status, const struct error *error)
{
    if (status == ST_OK) return;
    write_text(writer, STR("status"), str_of(answer_status_names[status]));
    write_text(writer, STR("code"), str_of(error->code ? error->code : ""));
    write_text(writer, STR("where"), str_of(error->where));
    write_text(writer, STR("message"), str_of(error->message));
    write_text(writer, STR("details"), str_of(fail_details_of(error)));
    write_int(writer, STR("line"), error->line);
    write_int(writer, STR("column"), error->column);
}

/* Jobs that a batch polls for are handed out after the commit, so they are not a part of it. */
static void write_items(struct answer_writer *writer, const struct call *call)
{
    open_list(writer, STR("items"));
    for (size_t i = 0; i < call->as.batch.item_count; i++) {
        json_open_object(&writer->head);
        write_error(writer, call->as.batch.item[i].status, &call->as.batch.item[i].error);
        json_close(&writer->head);
    }
    json_close(&writer->head);
}

static void write_event(struct answer_writer *writer, const struct call_event *event)
{
    json_open_object(&writer->head);
    write_text(writer, STR("id"), json_text(event->event, STR("id")));
    write_text(writer, STR("source"), json_text(event->event, STR("source")));
    write_text(writer, STR("type"), json_text(event->event, STR("type")));
    WRITE_FIELDS(writer, event, event_fields);
    open_list(writer, STR("instances"));
    for (size_t i = 0; i < event->instance_count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &event->instance[i], event_instance_fields);
        json_close(&writer->head);
    }
    json_close(&writer->head);
    if (event->outcome == EVENT_REFUSED) write_error(writer, event->error.status, &event->error);
    json_close(&writer->head);
}

static void write_events(struct answer_writer *writer, const struct call *call)
{
    open_list(writer, STR("events"));
    for (size_t i = 0; i < call->as.events.event_count; i++) write_event(writer, &call->as.events.event[i]);
    json_close(&writer->head);
}

static void write_bulk(struct answer_writer *writer, const struct call *call)
{
    open_object(writer, STR("bulk"));
    WRITE_FIELDS(writer, call->value.bulks.view, bulk_fields);
    json_close(&writer->head);
}

/* Which entities, in which transaction, and what calculation nodes warned of. */
static void write_entities(struct answer_writer *writer, const struct call *call)
{
    const struct call_entities *asked = &call->as.entities;
    json_add_name(&writer->head, STR("transaction"));
    json_add_string(&writer->head, asked->transaction);
    write_texts(writer, STR("warnings"), asked->warning, asked->warning_count);
    open_list(writer, STR("entities"));
    for (size_t i = 0; i < asked->count; i++) {
        char id[UUID_CHARS + 1];
        uuid_print(asked->item[i].id, id);
        json_open_object(&writer->head);
        json_add_name(&writer->head, STR("id"));
        json_add_string(&writer->head, str_of(id));
        WRITE_FIELDS(writer, &asked->item[i], entity_fields);
        write_error(writer, asked->item[i].status, &asked->item[i].error);
        json_close(&writer->head);
    }
    json_close(&writer->head);
}

static void write_search(struct answer_writer *writer, const struct call *call)
{
    open_object(writer, STR("search"));
    WRITE_FIELDS(writer, &call->value.search_job, search_fields);
    json_close(&writer->head);
}

static void write_removal(struct answer_writer *writer, const struct call *call)
{
    const struct answer_removal *answer = &call->value.removal;
    open_object(writer, STR("removal"));
    WRITE_FIELDS(writer, answer, removal_fields);
    open_list(writer, STR("errors"));
    for (size_t i = 0; i < answer->error_count; i++) {
        json_open_object(&writer->head);
        WRITE_FIELDS(writer, &answer->error[i], removal_error_fields);
        json_close(&writer->head);
    }
    json_close(&writer->head);
    json_close(&writer->head);
}

static void write_draft(struct answer_writer *writer, const struct call *call)
{
    open_object(writer, STR("draft"));
    WRITE_FIELDS(writer, call->value.drafts.view, draft_fields);
    json_close(&writer->head);
}

static void write_task(struct answer_writer *writer, const struct call *call)
{
    open_object(writer, STR("task"));
    WRITE_FIELDS(writer, call->value.tasks.view, task_fields);
    json_close(&writer->head);
}

static void write_answer(struct answer_writer *writer, const struct call *call)
{
    switch (call->kind) {
    case CALL_DEPLOY:
    case CALL_RETIRE:
    case CALL_DELETE_DEFINITION:
    case CALL_RESTORE: write_definition(writer, call); break; /* It is a DEPLOY by now. */
    case CALL_START:
    case CALL_REPLAY: write_started(writer, call); break; /* It is a START by now. */
    case CALL_CANCEL:
    case CALL_RETRY: write_instance(writer, call); break;
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL: write_brief_instance(writer, call); break;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK: write_task(writer, call); break;
    case CALL_MODIFY: write_modified(writer, call); break;
    case CALL_COMPLETE_JOB: write_error(writer, call->status, &call->error); break;
    case CALL_BATCH: write_items(writer, call); break;
    case CALL_EVENTS: write_events(writer, call); break;
    case CALL_BULK:
    case CALL_PAUSE_BULK:
    case CALL_RESUME_BULK:
    case CALL_CANCEL_BULK: write_bulk(writer, call); break;
    case CALL_SAVE_DRAFT: write_draft(writer, call); break;
    case CALL_WRITE_ENTITIES: write_entities(writer, call); break;
    case CALL_BEGIN_SEARCH:
    case CALL_CANCEL_SEARCH: write_search(writer, call); break;
    case CALL_REMOVE_ENTITIES: write_removal(writer, call); break;
    case CALL_CHANGE_MODEL:
    case CALL_REMOVE_DRAFT:
    case CALL_FAIL_JOB: break; /* It is done; there is no more to say. */
    default: must(!"a call that writes has a form here");
    }
}

static void add_u32(struct buf *out, size_t number)
{
    must(number <= UINT32_MAX);
    uint32_t u32 = (uint32_t)number;
    buf_add(out, &u32, sizeof u32);
}

static void add_value(struct buf *out, const struct json *value)
{
    add_u32(out, json_bytes(value));
    buf_add_str(out, json_encoded(value));
}

str answer_encode(const struct call *call, struct arena *arena)
{
    struct answer_writer writer = { .arena = arena };
    json_builder_init(&writer.head, arena);
    json_open_object(&writer.head);
    write_text(&writer, STR("kind"), str_of(call_description(call->kind)->name));
    write_answer(&writer, call);
    json_close(&writer.head);

    const struct json *head = json_built(&writer.head);
    size_t bytes = 2 * sizeof(uint32_t) + json_bytes(head);
    for (size_t i = 0; i < writer.count; i++) bytes += sizeof(uint32_t) + json_bytes(writer.value[i]);
    struct buf out;
    buf_init(&out, arena);
    buf_reserve(&out, bytes);
    add_u32(&out, ANSWER_FORMAT);
    add_value(&out, head);
    for (size_t i = 0; i < writer.count; i++) add_value(&out, writer.value[i]);
    must(out.n == bytes);
    return buf_str(&out);
}
