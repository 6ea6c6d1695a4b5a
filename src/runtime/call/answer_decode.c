/* runtime/call/answer_decode.c — stored bytes become the answer of a call again (answer_fields.h).
 *
 * Reading goes on when something is wrong and notes that the bytes are damaged: the end looks once.
 */
#include "base/array.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/call/answer_codec.h"
#include "runtime/call/answer_fields.h"

#include <stdio.h>

/* The place of a name in a list, or `count`. */
static size_t find_name(str name, const char *const *list, size_t count)
{
    size_t i = 0;
    while (i < count && !str_equal(name, str_of(list[i]))) i++;
    return i;
}

struct answer_reader {
    struct arena *arena;
    const struct json **value; /* The head, then the values behind it. */
    size_t count, cap;
    bool damaged;
};

static int64_t to_int(struct answer_reader *reader, const struct json *value, int64_t least, int64_t most)
{
    int64_t number = 0;
    if (!json_is(value, JSON_NUMBER) || !json_int64(value, &number) || number < least || number > most) {
        reader->damaged = true;
        return 0;
    }
    return number;
}

static int64_t read_int(struct answer_reader *reader, const struct json *from, str name, int64_t least,
                        int64_t most)
{
    const struct json *value = json_get(from, name);
    return value ? to_int(reader, value, least, most) : 0;
}

static bool read_flag(struct answer_reader *reader, const struct json *from, str name)
{
    const struct json *value = json_get(from, name);
    reader->damaged |= value && !json_is(value, JSON_BOOL);
    return json_is(value, JSON_BOOL) && json_bool(value);
}

static str to_text(struct answer_reader *reader, const struct json *value)
{
    reader->damaged |= !json_is(value, JSON_STRING);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static str read_text(struct answer_reader *reader, const struct json *from, str name)
{
    const struct json *value = json_get(from, name);
    return value ? to_text(reader, value) : STR_NONE;
}

static const struct json *read_value(struct answer_reader *reader, const struct json *from, str name)
{
    int64_t number = read_int(reader, from, name, 1, (int64_t)reader->count - 1);
    return number ? reader->value[number] : NULL;
}

/* The member, which is there and of that kind; else one that is empty. */
static const struct json *read_member(struct answer_reader *reader, const struct json *from, str name,
                                      enum json_kind kind)
{
    const struct json *value = json_get(from, name);
    if (json_is(value, kind)) return value;
    reader->damaged = true;
    return kind == JSON_OBJECT ? json_empty_object() : json_empty_array();
}

static const struct json *read_list(struct answer_reader *reader, const struct json *from, str name)
{
    return json_get(from, name) ? read_member(reader, from, name, JSON_ARRAY) : json_empty_array();
}

static void read_fields(struct answer_reader *reader, const struct json *from,
                        const struct answer_field *field, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        str name = field[i].name;
        void *at = (char *)to + field[i].at;
        int64_t most = field[i].count ? field[i].count - 1 : UINT32_MAX;
        switch (field[i].kind) {
        case FIELD_U64: *(uint64_t *)at = (uint64_t)read_int(reader, from, name, 0, INT64_MAX); break;
        case FIELD_I64: *(int64_t *)at = read_int(reader, from, name, INT64_MIN, INT64_MAX); break;
        case FIELD_I32: *(int32_t *)at = (int32_t)read_int(reader, from, name, INT32_MIN, INT32_MAX); break;
        case FIELD_U32: *(uint32_t *)at = (uint32_t)read_int(reader, from, name, 0, most); break;
        case FIELD_U8: *(uint8_t *)at = (uint8_t)read_int(reader, from, name, 0, UINT8_MAX); break;
        case FIELD_FLAG: *(bool *)at = read_flag(reader, from, name); break;
        case FIELD_TEXT: *(str *)at = read_text(reader, from, name); break;
        case FIELD_VALUE: *(const struct json **)at = read_value(reader, from, name); break;
        }
    }
}

#define READ_FIELDS(reader, from, fields, to) read_fields((reader), (from), (fields), COUNT(fields), (to))

static str *read_texts(struct answer_reader *reader, const struct json *from, str name, size_t *ret_count)
{
    const struct json *list = read_list(reader, from, name);
    str *text = arena_make_n(reader->arena, str, json_count(list));
    struct json_each each = json_each(list);
    for (*ret_count = 0; json_next(&each);) text[(*ret_count)++] = to_text(reader, each.value);
    return text;
}

static void read_mail(struct answer_reader *reader, const struct json *from, struct instance_view *view)
{
    const struct json *list = read_list(reader, from, STR("mail"));
    struct mail_view *mail = arena_make_n(reader->arena, struct mail_view, json_count(list));
    struct json_each each = json_each(list);
    view->mail = mail;
    while (json_next(&each)) READ_FIELDS(reader, each.value, mail_fields, &mail[view->mail_count++]);
}

/* Answers of older engines do not tell how the instance stood. */
static void read_standing(struct answer_reader *reader, const struct json *head, struct instance_view *view)
{
    view->standing = standing_plain(view->status, view->error);
    if (!json_get(head, STR("standing"))) return;
    const struct json *from = read_member(reader, head, STR("standing"), JSON_OBJECT);
    view->standing.runs = false;
    READ_FIELDS(reader, from, standing_fields, &view->standing);
    const struct json *tasks = read_list(reader, from, STR("tasks"));
    const struct json *undone = read_list(reader, from, STR("undone"));
    struct standing_task *task = arena_make_n(reader->arena, struct standing_task, json_count(tasks));
    struct standing_undo *undo = arena_make_n(reader->arena, struct standing_undo, json_count(undone));
    struct json_each each = json_each(tasks);
    while (json_next(&each))
        READ_FIELDS(reader, each.value, standing_task_fields, &task[view->standing.task_count++]);
    each = json_each(undone);
    while (json_next(&each))
        READ_FIELDS(reader, each.value, standing_undo_fields, &undo[view->standing.undo_count++]);
    view->standing.task = task;
    view->standing.undo = undo;
}

static void read_instance(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    const struct json *from = read_member(reader, head, STR("instance"), JSON_OBJECT);
    struct instance_view *view = arena_make(reader->arena, struct instance_view);
    size_t title_count;
    READ_FIELDS(reader, from, instance_fields, view);
    view->dialect = dialect_named(read_text(reader, from, STR("dialect")));
    view->current = read_texts(reader, from, STR("current"), &view->current_count);
    view->current_title = read_texts(reader, from, STR("currentTitles"), &title_count);
    reader->damaged |= title_count != view->current_count;
    read_mail(reader, from, view);
    read_standing(reader, head, view);
    answer->view = view;
    answer->count = 1;
    answer->kept = read_flag(reader, head, STR("kept"));
}

static void read_arrival(struct answer_reader *reader, const struct json *from, struct call *call)
{
    struct arrival_view *arrival = arena_make(reader->arena, struct arrival_view);
    arrival->outcome = (enum arrival_outcome)read_int(reader, from, STR("outcome"), 0, OUTCOME_COUNT - 1);
    arrival->definition_id = read_text(reader, from, STR("definition"));
    arrival->trigger = read_text(reader, from, STR("trigger"));
    arrival->key = read_text(reader, from, STR("key"));
    call->value.instances.arrival = arrival;
}

static void read_started(struct answer_reader *reader, const struct json *head, struct call *call)
{
    const struct json *arrival = json_get(head, STR("arrival"));
    call->value.instances = (struct answer_instances){ .count = 0 };
    if (arrival) read_arrival(reader, arrival, call);
    if (!arrival || json_get(head, STR("instance"))) read_instance(reader, head, call);
}

static void read_token(struct answer_reader *reader, const struct json *from, struct token_view *token)
{
    READ_FIELDS(reader, from, token_fields, token);
    if (json_get(from, STR("job"))) {
        struct job_view *job = arena_make(reader->arena, struct job_view);
        READ_FIELDS(reader, read_member(reader, from, STR("job"), JSON_OBJECT), job_fields, job);
        token->job = job;
    }
    const struct json *list = read_list(reader, from, STR("timersDue"));
    int64_t *due_ms = arena_make_n(reader->arena, int64_t, json_count(list));
    struct json_each each = json_each(list);
    while (json_next(&each)) due_ms[token->timer_count++] = to_int(reader, each.value, INT64_MIN, INT64_MAX);
    token->timer_due_ms = due_ms;
}

static struct token_view *read_tokens(struct answer_reader *reader, const struct json *head, str name,
                                      size_t *ret_count)
{
    const struct json *list = read_member(reader, head, name, JSON_ARRAY);
    struct token_view *token = arena_make_n(reader->arena, struct token_view, json_count(list));
    struct json_each each = json_each(list);
    for (*ret_count = 0; json_next(&each);) read_token(reader, each.value, &token[(*ret_count)++]);
    return token;
}

static void read_modified(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    read_instance(reader, head, call);
    answer->token_before = read_tokens(reader, head, STR("before"), &answer->token_before_count);
    answer->token = read_tokens(reader, head, STR("tokens"), &answer->token_count);
}

static enum problem_code read_code(struct answer_reader *reader, const struct json *from)
{
    str name = read_text(reader, from, STR("code"));
    for (enum problem_code code = 0; code < PROBLEM_COUNT; code++)
        if (str_equal(name, str_of(problem_code_name(code)))) return code;
    reader->damaged = true;
    return 0;
}

static void read_definition(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_definitions *answer = &call->value.definitions;
    struct problems *problems = &answer->problems;
    answer->row = arena_make(reader->arena, struct definition_row);
    answer->count = 1;
    READ_FIELDS(reader, read_member(reader, head, STR("definition"), JSON_OBJECT), definition_fields,
                answer->row);
    answer->is_new = read_flag(reader, head, STR("isNew"));
    answer->latest = (int32_t)read_int(reader, head, STR("latest"), 0, INT32_MAX);
    problems_init(problems, reader->arena);
    problems->warning_count = (size_t)read_int(reader, head, STR("warnings"), 0, INT64_MAX);
    const struct json *list = read_member(reader, head, STR("problems"), JSON_ARRAY);
    problems->problem = arena_make_n(reader->arena, struct problem, json_count(list));
    problems->cap = json_count(list);
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        struct problem *problem = &problems->problem[problems->count++];
        READ_FIELDS(reader, each.value, problem_fields, problem);
        problem->code = read_code(reader, each.value);
    }
}

static enum status read_error(struct answer_reader *reader, const struct json *from, struct error *ret_error)
{
    str name = read_text(reader, from, STR("status"));
    if (!name.n) return ST_OK;
    size_t status = find_name(name, answer_status_names, COUNT(answer_status_names));
    reader->damaged |= status == COUNT(answer_status_names);
    if (reader->damaged) return ST_INTERNAL;
    str code = arena_str(reader->arena, read_text(reader, from, STR("code")));
    str where = arena_str(reader->arena, read_text(reader, from, STR("where")));
    str message = read_text(reader, from, STR("message")), details = read_text(reader, from, STR("details"));
    fail(ret_error, (enum status)status, where.p, "%.*s", STR_ARG(message));
    if (code.n) ret_error->code = code.p;
    ret_error->line = (uint32_t)read_int(reader, from, STR("line"), 0, UINT32_MAX);
    ret_error->column = (uint32_t)read_int(reader, from, STR("column"), 0, UINT32_MAX);
    if (details.n) fail_details(ret_error, details);
    return (enum status)status;
}

static void read_items(struct answer_reader *reader, const struct json *head, struct call *call)
{
    const struct json *list = read_member(reader, head, STR("items"), JSON_ARRAY);
    reader->damaged |= json_count(list) != call->as.batch.item_count;
    if (reader->damaged) return;
    struct json_each each = json_each(list);
    for (struct call *item = call->as.batch.item; json_next(&each); item++)
        item->status = read_error(reader, each.value, &item->error);
}

/* The attributes by which an answer names its event. */
static const struct json *read_attributes(struct answer_reader *reader, const struct json *from)
{
    static const str names[] = { STR_INIT("id"), STR_INIT("source"), STR_INIT("type") };
    struct json_builder builder;
    json_builder_init(&builder, reader->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < COUNT(names); i++) {
        json_add_name(&builder, names[i]);
        json_add_string(&builder, read_text(reader, from, names[i]));
    }
    json_close(&builder);
    return json_built(&builder);
}

/* The event of the request stays: the call may have to run after all, if the transaction in which the first
 * answer was found is rolled back. */
static void read_event(struct answer_reader *reader, const struct json *from, struct call_event *event)
{
    *event = (struct call_event){ .event = event->event };
    if (!event->event) event->event = read_attributes(reader, from);
    READ_FIELDS(reader, from, event_fields, event);
    const struct json *list = read_member(reader, from, STR("instances"), JSON_ARRAY);
    event->instance = arena_make_n(reader->arena, struct event_instance, json_count(list));
    struct json_each each = json_each(list);
    while (json_next(&each))
        READ_FIELDS(reader, each.value, event_instance_fields, &event->instance[event->instance_count++]);
    read_error(reader, from, &event->error);
}

static void read_events(struct answer_reader *reader, const struct json *head, struct call *call)
{
    const struct json *list = read_member(reader, head, STR("events"), JSON_ARRAY);
    if (call->as.events.resend) { /* The request has only the event's number. */
        call->as.events.event = arena_make_n(reader->arena, struct call_event, json_count(list));
        call->as.events.event_count = json_count(list);
    }
    reader->damaged |= json_count(list) != call->as.events.event_count;
    if (reader->damaged) return;
    struct json_each each = json_each(list);
    for (struct call_event *event = call->as.events.event; json_next(&each); event++)
        read_event(reader, each.value, event);
}

static void read_bulk(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_bulks *answer = &call->value.bulks;
    answer->view = arena_make(reader->arena, struct bulk_view);
    answer->count = 1;
    READ_FIELDS(reader, read_member(reader, head, STR("bulk"), JSON_OBJECT), bulk_fields, answer->view);
}

/* There is room for more: if the turn is rolled back, the call has to run after all. */
static void read_warnings(struct answer_reader *reader, const struct json *head, struct call_entities *asked)
{
    size_t count;
    const str *text = read_texts(reader, head, STR("warnings"), &count);
    if (count > ENTITY_WARNINGS_MAX) count = ENTITY_WARNINGS_MAX;
    asked->warning = arena_make_n(reader->arena, str, ENTITY_WARNINGS_MAX);
    for (asked->warning_count = 0; asked->warning_count < count; asked->warning_count++)
        asked->warning[asked->warning_count] = text[asked->warning_count];
}

static void read_entities(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct call_entities *asked = &call->as.entities;
    const struct json *transaction = read_member(reader, head, STR("transaction"), JSON_STRING);
    const struct json *list = read_member(reader, head, STR("entities"), JSON_ARRAY);
    reader->damaged |= json_count(list) != asked->count;
    if (reader->damaged) return;
    asked->transaction = arena_str(reader->arena, json_string(transaction));
    read_warnings(reader, head, asked);
    struct json_each each = json_each(list);
    for (struct entity_item *item = asked->item; json_next(&each); item++) {
        const struct json *id = read_member(reader, each.value, STR("id"), JSON_STRING);
        READ_FIELDS(reader, each.value, entity_fields, item);
        item->status = read_error(reader, each.value, &item->error);
        if (!reader->damaged) reader->damaged = !uuid_parse(json_string(id), &item->id);
        if (reader->damaged) return;
    }
}

static void read_search(struct answer_reader *reader, const struct json *head, struct call *call)
{
    READ_FIELDS(reader, read_member(reader, head, STR("search"), JSON_OBJECT), search_fields,
                &call->value.search_job);
}

static void read_removal(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_removal *answer = &call->value.removal;
    const struct json *value = read_member(reader, head, STR("removal"), JSON_OBJECT);
    const struct json *list = read_member(reader, value, STR("errors"), JSON_ARRAY);
    READ_FIELDS(reader, value, removal_fields, answer);
    if (reader->damaged) return;
    answer->error = arena_make_n(reader->arena, struct removal_error, json_count(list));
    struct json_each each = json_each(list);
    while (json_next(&each))
        READ_FIELDS(reader, each.value, removal_error_fields, &answer->error[answer->error_count++]);
}

static void read_draft(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_drafts *answer = &call->value.drafts;
    answer->view = arena_make(reader->arena, struct draft_view);
    answer->count = 1;
    READ_FIELDS(reader, read_member(reader, head, STR("draft"), JSON_OBJECT), draft_fields, answer->view);
}

static void read_task(struct answer_reader *reader, const struct json *head, struct call *call)
{
    struct answer_tasks *answer = &call->value.tasks;
    answer->view = arena_make(reader->arena, struct task_view);
    answer->count = 1;
    READ_FIELDS(reader, read_member(reader, head, STR("task"), JSON_OBJECT), task_fields, answer->view);
}

static void read_answer(struct answer_reader *reader, const struct json *head, struct call *call)
{
    switch (call->kind) {
    case CALL_DEPLOY:
    case CALL_RETIRE:
    case CALL_DELETE_DEFINITION:
    case CALL_RESTORE: read_definition(reader, head, call); break;
    case CALL_START:
    case CALL_REPLAY: read_started(reader, head, call); break;
    case CALL_CANCEL:
    case CALL_RETRY:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL: read_instance(reader, head, call); break;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK: read_task(reader, head, call); break;
    case CALL_MODIFY: read_modified(reader, head, call); break;
    case CALL_COMPLETE_JOB: call->status = read_error(reader, head, &call->error); break;
    case CALL_BATCH: read_items(reader, head, call); break;
    case CALL_EVENTS: read_events(reader, head, call); break;
    case CALL_BULK:
    case CALL_PAUSE_BULK:
    case CALL_RESUME_BULK:
    case CALL_CANCEL_BULK: read_bulk(reader, head, call); break;
    case CALL_SAVE_DRAFT: read_draft(reader, head, call); break;
    case CALL_WRITE_ENTITIES: read_entities(reader, head, call); break;
    case CALL_BEGIN_SEARCH:
    case CALL_CANCEL_SEARCH: read_search(reader, head, call); break;
    case CALL_REMOVE_ENTITIES: read_removal(reader, head, call); break;
    default: break;
    }
}

/* Takes a u32 from the front of the bytes. */
static bool take_u32(str *bytes, uint32_t *ret_number)
{
    if (bytes->n < sizeof *ret_number) return false;
    memcpy(ret_number, bytes->p, sizeof *ret_number);
    *bytes = str_slice(*bytes, sizeof *ret_number, bytes->n);
    return true;
}

static bool take_values(struct answer_reader *reader, str bytes)
{
    uint32_t format, length;
    if (!take_u32(&bytes, &format) || format != ANSWER_FORMAT) return false;
    while (bytes.n) {
        if (!take_u32(&bytes, &length) || length > bytes.n) return false;
        const struct json *value = json_decode(str_slice(bytes, 0, length), reader->arena);
        if (!value) return false;
        array_reserve_in(reader->arena, reader->value, reader->count, reader->cap);
        reader->value[reader->count++] = value;
        bytes = str_slice(bytes, length, bytes.n);
    }
    return reader->count > 0;
}

enum status answer_decode(str bytes, struct call *call, struct error *err)
{
    struct answer_reader reader = { .arena = call->arena };
    if (take_values(&reader, bytes)) {
        const struct json *head = reader.value[0];
        if (str_equal(read_text(&reader, head, STR("kind")), str_of(call_description(call->kind)->name)))
            read_answer(&reader, head, call);
        else reader.damaged = true;
    } else {
        reader.damaged = true;
    }
    return reader.damaged ? fail(err, ST_INTERNAL, "answer", "the stored answer cannot be read") : ST_OK;
}
