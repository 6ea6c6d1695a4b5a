/* api/tasks/change.c — one task: shown with what happened to it, taken, handed over, commented on, completed.
 */
#include "api/tasks/tasks_int.h"

#include "core/task.h"

static void render_task(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    tasks_put(out, call->value.tasks.view, true);
    buf_add_char(out, '}');
}

static void put_state(struct buf *out, const struct task_view *view)
{
    PUT(out, ",\"state\":");
    put_text(out, str_of(call_task_state_word(view->state)));
    if (view->unanswered.n) {
        PUT(out, ",\"ifUnanswered\":");
        put_text(out, view->unanswered);
    }
    if (!view->ended_ms) return;
    PUT(out, ",\"endedAt\":");
    put_time(out, view->ended_ms);
    if (view->ended_by.n) {
        PUT(out, ",\"endedBy\":");
        put_text(out, view->ended_by);
    }
    if (view->decision) {
        PUT(out, ",\"decision\":");
        json_print(view->decision, out);
    }
}

static void render_story(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_tasks *answer = &call->value.tasks;
    *ret_http_status = 200;
    tasks_put(out, answer->view, true);
    put_state(out, answer->view);
    PUT(out, ",\"history\":[");
    for (size_t i = 0; i < answer->note_count; i++) {
        const struct task_note *note = &answer->note[i];
        if (put_is_beyond(out, call->answer_max)) break;
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"at\":");
        put_time(out, note->at_ms);
        PUT(out, ",\"what\":");
        put_text(out, str_of(note->what));
        if (note->by.n) {
            PUT(out, ",\"by\":");
            put_text(out, note->by);
        }
        if (note->comment.n) {
            PUT(out, ",\"comment\":");
            put_text(out, note->comment);
        }
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
    if (answer->cut) PUT(out, ",\"truncated\":true");
    buf_add_char(out, '}');
}

enum status tasks_get(struct api_request *request, struct error *err)
{
    struct call_task asked = { 0 };
    TRY(param_task(request, &asked.id, err));
    return request_submit(request, call_get_task(request_origin(request), &asked), render_story, err);
}

/* ---- what a body says ---- */

/* The id, who it is, and a comment. */
static enum status read_common(struct api_request *request, const struct json **ret_body,
                               struct call_task *ret_asked, struct error *err)
{
    TRY(param_task(request, &ret_asked->id, err));
    TRY(request_body(request, false, ret_body, err));
    TRY(field_text(*ret_body, "by", TASKS_NAME_BYTES, &ret_asked->actor, err));
    return field_text(*ret_body, "comment", FAILURE_REASON_BYTES_MAX, &ret_asked->comment, err);
}

static enum status check_names(const struct json *names, const char *member, struct error *err)
{
    bool good = json_is(names, JSON_ARRAY);
    struct json_each each = json_each(names);
    while (good && json_next(&each))
        good = json_is(each.value, JSON_STRING) && json_string(each.value).n &&
               json_string(each.value).n <= TASKS_NAME_BYTES;
    if (good) return ST_OK;
    return fail(err, ST_INVALID, member, "%s must be a list of names, each of at most %d bytes", member,
                TASKS_NAME_BYTES);
}

/* The groups that the person is in. X-Groups may name more. */
static enum status read_groups(const struct json *body, const struct json **ret_groups, struct error *err)
{
    TRY(field_list(body, "groups", ret_groups, err));
    return *ret_groups ? check_names(*ret_groups, "groups", err) : ST_OK;
}

enum status tasks_claim(struct api_request *request, struct error *err)
{
    struct call_task asked = { 0 };
    const struct json *body;
    TRY(read_common(request, &body, &asked, err));
    TRY(read_groups(body, &asked.groups, err));
    return request_submit(request, call_claim_task(request_origin(request), &asked), render_task, err);
}

enum status tasks_unclaim(struct api_request *request, struct error *err)
{
    struct call_task asked = { 0 };
    const struct json *body;
    TRY(read_common(request, &body, &asked, err));
    return request_submit(request, call_unclaim_task(request_origin(request), &asked), render_task, err);
}

enum status tasks_comment(struct api_request *request, struct error *err)
{
    struct call_task asked = { 0 };
    const struct json *body;
    TRY(read_common(request, &body, &asked, err));
    TRY(field_required_text(body, "comment", FAILURE_REASON_BYTES_MAX, &asked.comment, err));
    return request_submit(request, call_comment_task(request_origin(request), &asked), render_task, err);
}

/* Can the member of the details have this value? null takes it away. */
static enum status check_change(str name, const struct json *value, struct error *err)
{
    int64_t priority;
    bool text = json_is(value, JSON_STRING), gone = json_is(value, JSON_NULL);
    if (str_equal(name, STR("assignee"))) {
        if (gone || (text && json_string(value).n && json_string(value).n <= TASKS_NAME_BYTES)) return ST_OK;
        return fail(err, ST_INVALID, "assignee", "assignee must be a name of at most %d bytes, or null",
                    TASKS_NAME_BYTES);
    }
    if (str_equal(name, STR("assignees"))) return gone ? ST_OK : check_names(value, "assignees", err);
    if (str_equal(name, STR("groups"))) return gone ? ST_OK : check_names(value, "groups", err);
    if (str_equal(name, STR("due")) || str_equal(name, STR("followUp"))) {
        const char *member = str_equal(name, STR("due")) ? "due" : "followUp";
        if (gone || task_time(value, 1)) return ST_OK;
        return fail(err, ST_INVALID, member,
                    "%s must be a time, a duration since the task was opened, or null", member);
    }
    if (str_equal(name, STR("priority"))) {
        if (gone || (json_int64(value, &priority) && priority >= 0 && priority <= 100)) return ST_OK;
        return fail(err, ST_INVALID, "priority", "priority must be an integer from 0 to 100, or null");
    }
    return fail(err, ST_INVALID, "",
                "\"%.*s\" is nothing that can be changed; assignee, assignees, groups, due, "
                "followUp and priority can",
                STR_ARG(name));
}

enum status tasks_assign(struct api_request *request, struct error *err)
{
    struct call_task asked = { 0 };
    const struct json *body;
    TRY(read_common(request, &body, &asked, err));
    struct json_builder changes;
    json_builder_init(&changes, request->http->arena);
    json_open_object(&changes);
    struct json_each each = json_each(body ? body : json_empty_object());
    size_t count = 0;
    while (json_next(&each)) {
        if (str_equal(each.name, STR("by")) || str_equal(each.name, STR("comment"))) continue;
        TRY(check_change(each.name, each.value, err));
        json_add_name(&changes, each.name);
        json_add(&changes, each.value);
        count++;
    }
    json_close(&changes);
    if (!count)
        return fail(err, ST_INVALID, "",
                    "say what changes: assignee, assignees, groups, due, followUp, priority");
    asked.changes = json_built(&changes);
    return request_submit(request, call_assign_task(request_origin(request), &asked), render_task, err);
}

/* {by, groups, decision, answer}: what the person says goes to the flow as its dialect has it. */
enum status tasks_complete(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    const struct json *body;
    str decision;
    TRY(param_task(request, &asked.id, err));
    TRY(request_body(request, false, &body, err));
    TRY(field_text(body, "by", TASKS_NAME_BYTES, &asked.actor, err));
    TRY(read_groups(body, &asked.groups, err));
    TRY(field_text(body, "decision", NODE_NAME_BYTES_MAX, &decision, err));
    TRY(field_variables(body, "answer", &asked.data, err));
    if (decision.n)
        asked.data = json_set(request->http->arena, asked.data ? asked.data : json_empty_object(),
                              STR("decision"), json_of_string(request->http->arena, decision));
    return request_submit(request, call_complete_task(request_origin(request), &asked), answer_render_nothing,
                          err);
}
