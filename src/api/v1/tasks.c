/* api/v1/tasks.c — the tasks of people under `/v1`: lists and completions. */
#include "api/v1/v1_int.h"

#include "json/json.h"

static struct id task_id(const struct task_row *task)
{
    return (struct id){ .ms = task->created_ms, .instance = task->instance, .number = task->execution };
}

static void put_task(struct buf *out, const struct task_row *task)
{
    PUT(out, "{\"id\":");
    put_id(out, task_id(task));
    PUT(out, ",\"instanceId\":");
    put_id(out, (struct id){ .ms = task->instance_created_ms, .instance = task->instance });
    PUT(out, ",\"stepId\":");
    put_text(out, task->node);
    PUT(out, ",\"name\":");
    put_text(out, task->title);
    if (task->label.n) {
        PUT(out, ",\"jobType\":");
        put_text(out, task->label);
    }
    PUT(out, ",\"definitionId\":");
    put_text(out, task->definition_id);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, task->definition_version);
    if (task->business_key.n) {
        PUT(out, ",\"businessKey\":");
        put_text(out, task->business_key);
    }
    PUT(out, ",\"createdAt\":");
    put_time(out, task->created_ms);
    buf_add_char(out, '}');
}

/* The last task of the page, or a place behind it up to which the caller sees no more. */
static struct id next_id(const struct answer_tasks *answer)
{
    const struct task_row *last = answer->count ? &answer->row[answer->count - 1] : NULL;
    const struct worklist_place *next = &answer->next;
    if (last && last->instance == next->instance && last->execution == next->execution) return task_id(last);
    return (struct id){ .instance = next->instance, .number = next->execution };
}

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_tasks *answer = &call->value.tasks;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_task(out, &answer->row[i]);
    }
    buf_add_char(out, ']');
    if (call->as.tasks.with_total && !answer->has_no_total) {
        PUT(out, ",\"total\":");
        put_int(out, answer->total);
    }
    PUT(out, ",\"pageSize\":");
    put_int(out, (int64_t)call->as.tasks.filter.max);
    if (answer->next.instance) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, next_id(answer));
    }
    buf_add_char(out, '}');
}

enum status v1_tasks_list(struct api_request *request, struct error *err)
{
    struct call_tasks asked = { 0 };
    struct task_filter *filter = &asked.filter;
    bool cursor;
    struct id after = { 0 };
    int64_t skip;
    TRY(query_cursor(request, &cursor, &after, err));
    TRY(query_page(request, &skip, &filter->max, err));
    filter->instance = query_instance(request);
    filter->definition_id = query_text(request, STR("definitionId"));
    filter->label = query_text(request, STR("jobType"));
    filter->after_instance = after.instance;
    filter->after_execution = after.number;
    asked.with_total = !cursor;
    return request_submit(request, call_list_tasks(request_origin(request), &asked), render_page, err);
}

/* {workerId, variables} as the engine reads it, or {completedBy, result} as some of its
 * clients send it. */
static enum status read_answer(struct api_request *request, struct call_instance *ret_asked,
                               struct error *err)
{
    const struct json *body;
    TRY(request_body(request, false, &body, err));
    TRY(field_text(body, "workerId", WORKER_ID_BYTES_MAX, &ret_asked->actor, err));
    if (!ret_asked->actor.n)
        TRY(field_text(body, "completedBy", WORKER_ID_BYTES_MAX, &ret_asked->actor, err));
    TRY(field_variables(body, "variables", &ret_asked->data, err));
    if (!ret_asked->data) TRY(field_variables(body, "result", &ret_asked->data, err));
    v1_warn_of_both(request, body, "workerId", "completedBy");
    v1_warn_of_both(request, body, "variables", "result");
    return ST_OK;
}

enum status v1_tasks_complete_step(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    TRY(param_instance(request, &asked.id, err));
    TRY(read_answer(request, &asked, err));
    asked.node = request->param[1];
    return request_submit(request, call_complete_task(request_origin(request), &asked), answer_render_nothing,
                          err);
}

/* Completes a task by its own id, which names one visit to a step. */
enum status v1_tasks_complete(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    TRY(param_task(request, &asked.id, err));
    TRY(read_answer(request, &asked, err));
    return request_submit(request, call_complete_task(request_origin(request), &asked), answer_render_nothing,
                          err);
}
