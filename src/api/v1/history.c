/* api/v1/history.c — the visits of an instance.
 *
 * Every field has two names: the API promises camelCase, and clients that were written for
 * the engine's first version read PascalCase.
 */
#include "api/api_int.h"

#include "json/json.h"

enum { LONG_PART = 2 }; /* Times an answer's bytes, for all visits: then the rest of them is left out. */

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

/* False: the snapshot was left out because the answer is long enough. */
static bool put_snapshot(struct buf *out, const struct json *value, int64_t bytes_max)
{
    size_t before = out->n;
    if (value && put_may_fit(out, value, bytes_max)) {
        json_print(value, out);
        if (!put_is_beyond(out, bytes_max)) return true;
        out->n = before;
    }
    PUT(out, "null");
    return !value;
}

static bool put_course(struct buf *out, const struct execution *visit, bool old, int64_t bytes_max)
{
    buf_add_str(out, old ? STR(",\"AttemptNumber\":") : STR(",\"attemptNumber\":"));
    put_int(out, visit->attempt);
    buf_add_str(out, old ? STR(",\"Status\":") : STR(",\"status\":"));
    put_text(out, str_of(execution_status_word(visit->status)));
    buf_add_str(out, old ? STR(",\"StartedAt\":") : STR(",\"startedAt\":"));
    put_time(out, visit->started_ms);
    buf_add_str(out, old ? STR(",\"EndedAt\":") : STR(",\"endedAt\":"));
    if (visit->ended_ms) put_time(out, visit->ended_ms);
    else PUT(out, "null");
    buf_add_str(out, old ? STR(",\"InputSnapshot\":") : STR(",\"inputSnapshot\":"));
    bool whole = put_snapshot(out, visit->input, bytes_max);
    buf_add_str(out, old ? STR(",\"OutputSnapshot\":") : STR(",\"outputSnapshot\":"));
    whole = put_snapshot(out, visit->output, bytes_max) && whole;
    buf_add_str(out, old ? STR(",\"FailureReason\":") : STR(",\"failureReason\":"));
    if (visit->failure.n) put_text(out, visit->failure);
    else PUT(out, "null");
    return whole && !visit->omitted;
}

/* States have names that need not be unique, and may be in a branch. */
static void put_state(struct buf *out, const struct execution *visit)
{
    PUT(out, ",\"name\":");
    put_text(out, visit->title);
    if (visit->region.n) {
        PUT(out, ",\"branch\":");
        put_text(out, visit->region);
    }
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

static void put_attempt(struct buf *out, const struct job_attempt *attempt)
{
    PUT(out, "{\"number\":");
    put_int(out, attempt->number);
    PUT(out, ",\"jobType\":");
    put_text(out, attempt->type);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(execution_outcome_word(attempt->outcome)));
    PUT(out, ",\"startedAt\":");
    put_time(out, attempt->opened_ms);
    PUT(out, ",\"availableAt\":");
    put_time(out, attempt->available_ms);
    if (attempt->ended_ms) {
        PUT(out, ",\"endedAt\":");
        put_time(out, attempt->ended_ms);
    }
    if (attempt->actor.n) {
        PUT(out, ",\"worker\":");
        put_text(out, attempt->actor);
    }
    if (attempt->error.n) {
        PUT(out, ",\"error\":");
        put_text(out, attempt->error);
    }
    buf_add_char(out, '}');
}

/* The jobs of the visit, the latest ones. */
static void put_attempts(struct buf *out, const struct execution *visit)
{
    PUT(out, ",\"attempts\":[");
    for (size_t i = 0; i < visit->tried_count; i++) {
        if (i) buf_add_char(out, ',');
        put_attempt(out, &visit->tried[i]);
    }
    PUT(out, "],\"attemptsTotal\":");
    put_int(out, (int64_t)visit->tried_total);
}

static void put_visit(struct buf *out, const struct call *call, const struct execution *visit)
{
    buf_add_char(out, '{');
    put_ids(out, call, visit, false);
    bool whole = put_course(out, visit, false, call->answer_max);
    if (instance_is_serverless(call->instance)) put_state(out, visit);
    if (visit->warning.n) {
        PUT(out, ",\"warning\":");
        put_text(out, visit->warning);
    }
    if (call->with_attempts && visit->tried_total) put_attempts(out, visit);
    buf_add_char(out, ',');
    put_ids(out, call, visit, true);
    whole = put_course(out, visit, true, call->answer_max) && whole;
    if (!whole) PUT(out, ",\"snapshotsOmitted\":true");
    buf_add_char(out, '}');
}

static void render_history(const struct call *call, int *ret_http_status, struct buf *out)
{
    bool serverless = instance_is_serverless(call->instance);
    bool cut = call->cut;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < call->execution_count; i++) {
        /* Visits without data are small, but there can be very many. */
        if (put_is_beyond(out, call->answer_max * LONG_PART)) {
            cut = true;
            break;
        }
        if (i) buf_add_char(out, ',');
        put_visit(out, call, &call->execution[i]);
    }
    buf_add_char(out, ']');
    if (cut) PUT(out, ",\"truncated\":true");
    if (serverless) put_path(out, call);
    buf_add_char(out, '}');
}

enum status api_history_get(struct api_request *request, struct error *err)
{
    if (str_find(http_header(request->http, STR("Accept")), STR("text/event-stream"), 0) != SIZE_MAX)
        return api_events_get(request, err);
    struct call *call = request_call(request, CALL_GET_HISTORY, render_history);
    str attempts = query_text(request, STR("attempts"));
    if (attempts.n && !str_equal(attempts, STR("true")) && !str_equal(attempts, STR("false")))
        return fail(err, ST_INVALID, "attempts", "attempts must be true or false");
    call->with_attempts = str_equal(attempts, STR("true"));
    TRY(param_instance(request, &call->id, err));
    return request_submit(request, call, err);
}
