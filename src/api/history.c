/* api/history.c — the visits of an instance.
 *
 * Every field has two names: the API promises camelCase, and clients that were written for
 * the engine's first version read PascalCase.
 */
#include "api/api_int.h"

#include "json/json.h"

static void put_ids(struct buf *out, const struct call *call, const struct execution *visit, bool old)
{
    struct id id = { .ms = visit->started_ms, .instance = call->instance->id, .number = visit->number };
    buf_add_str(out, old ? STR("\"ID\":") : STR("\"id\":"));
    put_id(out, id);
    buf_add_str(out, old ? STR(",\"InstanceID\":") : STR(",\"instanceId\":"));
    put_id(out, instance_view_id(call->instance));
    buf_add_str(out, old ? STR(",\"StepID\":") : STR(",\"stepId\":"));
    put_text(out, visit->node_name);
    buf_add_str(out, old ? STR(",\"StepType\":") : STR(",\"stepType\":"));
    put_text(out, visit->type);
}

static void put_snapshot(struct buf *out, const struct json *value)
{
    if (value) json_print(value, out);
    else PUT(out, "null");
}

/* How a visit stands; `failure` is why it failed, or empty. */
static void put_course(struct buf *out, const struct execution *visit, enum execution_status status, str failure,
                       bool old)
{
    buf_add_str(out, old ? STR(",\"AttemptNumber\":") : STR(",\"attemptNumber\":"));
    put_int(out, visit->attempt);
    buf_add_str(out, old ? STR(",\"Status\":") : STR(",\"status\":"));
    put_text(out, str_of(execution_status_word(status)));
    buf_add_str(out, old ? STR(",\"StartedAt\":") : STR(",\"startedAt\":"));
    put_time(out, visit->started_ms);
    buf_add_str(out, old ? STR(",\"EndedAt\":") : STR(",\"endedAt\":"));
    if (visit->ended_ms) put_time(out, visit->ended_ms);
    else PUT(out, "null");
    buf_add_str(out, old ? STR(",\"InputSnapshot\":") : STR(",\"inputSnapshot\":"));
    put_snapshot(out, visit->input);
    buf_add_str(out, old ? STR(",\"OutputSnapshot\":") : STR(",\"outputSnapshot\":"));
    put_snapshot(out, visit->output);
    buf_add_str(out, old ? STR(",\"FailureReason\":") : STR(",\"failureReason\":"));
    if (failure.n) put_text(out, failure);
    else PUT(out, "null");
}

static size_t find_visit(const struct call *call, uint32_t number)
{
    size_t from = 0, to = call->execution_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (call->execution[middle].number < number) from = middle + 1;
        else to = middle;
    }
    return from < call->execution_count && call->execution[from].number == number ? from : SIZE_MAX;
}

/* What made an instance fail stands where it was, for a retry, and so does every state around it:
 * their visits still run. Those of a failed instance that are to be shown as failed: the state
 * that its error names, and whatever the visit to it came from. */
static bool *find_failed(const struct call *call, struct arena *arena)
{
    bool *failed = arena_make_n(arena, bool, call->execution_count);
    const struct json *state = call->instance->error ? json_get(call->instance->error, STR("state")) : NULL;
    if (call->instance->status != INSTANCE_FAILED || !json_is(state, JSON_STRING)) return failed;
    size_t at = call->execution_count;
    while (at-- && !str_equal(call->execution[at].title, json_string(state))) continue;
    for (; at < call->execution_count; at = find_visit(call, call->execution[at].from))
        failed[at] = call->execution[at].status == EXECUTION_RUNNING;
    return failed;
}

/* States have names that need not be unique, and may be in a branch. */
static void put_state(struct buf *out, const struct execution *visit)
{
    PUT(out, ",\"name\":");
    put_text(out, visit->title);
    if (!visit->region.n) return;
    PUT(out, ",\"branch\":");
    put_text(out, visit->region);
}

/* The way through the top level, by the names of its states. */
static void put_path(struct buf *out, const struct call *call)
{
    bool first = true;
    PUT(out, ",\"path\":[");
    for (size_t i = 0; i < call->execution_count; i++) {
        const struct execution *visit = &call->execution[i];
        if (visit->scope) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, visit->title);
    }
    buf_add_char(out, ']');
}

static void put_visit(struct buf *out, const struct call *call, const struct execution *visit, bool failed)
{
    enum execution_status status = failed ? EXECUTION_FAILED : visit->status;
    str failure = failed ? call->instance->failure : visit->failure;
    buf_add_char(out, '{');
    put_ids(out, call, visit, false);
    put_course(out, visit, status, failure, false);
    if (instance_is_serverless(call->instance)) put_state(out, visit);
    buf_add_char(out, ',');
    put_ids(out, call, visit, true);
    put_course(out, visit, status, failure, true);
    buf_add_char(out, '}');
}

static void render_history(const struct call *call, int *ret_http_status, struct buf *out)
{
    bool serverless = instance_is_serverless(call->instance);
    const bool *failed = serverless ? find_failed(call, out->arena) : NULL;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < call->execution_count; i++) {
        if (i) buf_add_char(out, ',');
        put_visit(out, call, &call->execution[i], failed && failed[i]);
    }
    buf_add_char(out, ']');
    if (serverless) put_path(out, call);
    buf_add_char(out, '}');
}

enum status api_history_get(struct api_request *request, struct error *err)
{
    if (str_find(http_header(request->http, STR("Accept")), STR("text/event-stream"), 0) != SIZE_MAX)
        return api_events_get(request, err);
    struct call *call = request_call(request, CALL_GET_HISTORY, render_history);
    TRY(param_instance(request, &call->id, err));
    return request_submit(request, call, err);
}
