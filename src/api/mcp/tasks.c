/* api/mcp/tasks.c — runs as tasks of the protocol: clients that know them ask for the result later.
 *
 * The id of a task is that of its run, so a task lives as long as the run does, also across restarts. A run
 * that waits for a person is working: the message says whom it waits for.
 */
#include "api/mcp/mcp_int.h"

#include "base/clock.h"

#define EXTENSION "io.modelcontextprotocol/tasks"

bool mcp_takes_tasks(const struct mcp_message *message)
{
    const struct json *capabilities =
        json_get(message->meta, STR("io.modelcontextprotocol/clientCapabilities"));
    return message->is_modern && json_get(json_get(capabilities, STR("extensions")), STR(EXTENSION));
}

/* ---- a run in words ---- */

static bool is(const struct json *run, const char *status)
{
    return str_equal(json_text(run, STR("status")), str_of(status));
}

/* Some families say at their end what the result is; of the others it is the data. */
enum status mcp_take_run(struct mcp_work *work, bool *ret_ready, struct error *err)
{
    *ret_ready = work->run || !is(work->answer, "completed");
    if (work->run) {
        const struct json *result = json_get(work->answer, STR("result"));
        work->result = json_is(result, JSON_NULL) ? NULL : result;
        return ST_OK;
    }
    work->run = work->answer;
    if (*ret_ready) return ST_OK;
    return mcp_ask(work, "GET", mcp_path(work, "/api/runs/{}", json_text(work->run, STR("id"))), NULL, false,
                   err);
}

/* Why it waits, or why it has failed. */
static str told(struct mcp_work *work, const struct json *run)
{
    struct buf out;
    const struct json *whys = json_get(run, STR("why"));
    str reason = json_text(run, STR("reason"));
    if (reason.n) return reason;
    buf_init(&out, work->arena);
    struct json_each each = json_each(json_is(whys, JSON_ARRAY) ? whys : json_empty_array());
    while (json_next(&each)) {
        if (out.n) buf_add_char(&out, ' ');
        buf_add_str(&out, json_text(each.value, STR("text")));
    }
    return out.n ? buf_str(&out) : json_text(run, STR("status"));
}

static const struct json *outcome(struct mcp_work *work, const struct json *run)
{
    struct json_builder result;
    json_builder_init(&result, work->arena);
    json_open_object(&result);
    json_add_text(&result, STR("runId"), json_text(run, STR("id")));
    json_add_text(&result, STR("status"), json_text(run, STR("status")));
    if (is(run, "completed")) {
        json_add_name(&result, STR("result"));
        json_add(&result, work->result ? work->result : json_get(run, STR("variables")));
    } else {
        json_add_text(&result, STR("why"), told(work, run));
        json_add_text(&result, STR("next"), STR("The run goes on. get_run with its runId tells more."));
    }
    json_close(&result);
    return json_built(&result);
}

static str complaint(struct mcp_work *work, const struct json *run)
{
    str id = json_text(run, STR("id")), why = told(work, run);
    return arena_printf(work->arena, "the run %.*s %s: %.*s", STR_ARG(id),
                        is(run, "failed") ? "has failed" : "was cancelled", STR_ARG(why));
}

/* ---- tasks ---- */

static const char *state_of(const struct json *run)
{
    if (is(run, "cancelled")) return "cancelled";
    return is(run, "completed") || is(run, "failed") ? "completed" : "working";
}

static void put_task(struct mcp_work *work, const struct json *run, struct buf *out)
{
    struct clock clock = clock_system();
    str ended = json_text(run, STR("endedAt"));
    PUT(out, "\"taskId\":");
    put_text(out, json_text(run, STR("id")));
    buf_printf(out, ",\"status\":\"%s\",\"statusMessage\":", state_of(run));
    put_text(out, told(work, run));
    PUT(out, ",\"createdAt\":");
    put_text(out, json_text(run, STR("startedAt")));
    PUT(out, ",\"lastUpdatedAt\":");
    if (ended.n) put_text(out, ended);
    else put_time(out, clock_now_ms(&clock));
    buf_printf(out, ",\"ttlMs\":null,\"pollIntervalMs\":%d", MCP_POLL_MS);
}

void mcp_give_run(struct mcp_work *work, bool as_task)
{
    const struct json *run = work->run;
    struct buf out;
    if (is(run, "failed") || is(run, "cancelled")) mcp_fail_tool(work, complaint(work, run), NULL);
    else if (is(run, "completed") || !as_task) mcp_finish(work, outcome(work, run));
    else {
        mcp_begin_result(&work->message, &out);
        PUT(&out, "\"resultType\":\"task\",");
        put_task(work, run, &out);
        mcp_end_result(&work->message, &out);
    }
}

/* ---- methods ---- */

static enum status get_next(struct mcp_work *work, struct error *err)
{
    struct buf out;
    bool is_ready;
    TRY(mcp_take_run(work, &is_ready, err));
    if (!is_ready) return ST_OK;
    const struct json *run = work->run;
    mcp_begin_result(&work->message, &out);
    PUT(&out, "\"resultType\":\"complete\",");
    put_task(work, run, &out);
    if (is(run, "completed") || is(run, "failed")) {
        PUT(&out, ",\"result\":{\"resultType\":\"complete\",");
        if (is(run, "completed")) mcp_put_outcome(work, outcome(work, run), &out);
        else mcp_put_failure(work, complaint(work, run), NULL, &out);
        buf_add_char(&out, '}');
    }
    mcp_end_result(&work->message, &out);
    return ST_OK;
}

static void acknowledge(struct mcp_work *work)
{
    struct buf out;
    mcp_begin_result(&work->message, &out);
    PUT(&out, "\"resultType\":\"complete\"");
    mcp_end_result(&work->message, &out);
}

static enum status acknowledge_next(struct mcp_work *work, struct error *err)
{
    (void)err;
    acknowledge(work);
    return ST_OK;
}

static void refuse(struct mcp_work *work, str sentence, const struct json *details)
{
    (void)details;
    if (work->status == status_http(ST_NOT_FOUND))
        mcp_answer_error(&work->message, MCP_INVALID_PARAMS, 400, STR_NONE, "there is no task \"%.*s\"",
                         STR_ARG(mcp_text(work, "taskId")));
    else mcp_answer_error(&work->message, MCP_REFUSED, 400, STR_NONE, "%.*s", STR_ARG(sentence));
}

/* A run that has ended stays as it is, and that is no mistake of the client. */
static void cancel_refuse(struct mcp_work *work, str sentence, const struct json *details)
{
    if (work->status == status_http(ST_CONFLICT)) acknowledge(work);
    else refuse(work, sentence, details);
}

static enum status get_begin(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", mcp_path(work, "/api/instances/{}", mcp_text(work, "taskId")), NULL, false,
                   err);
}

static enum status cancel_begin(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "POST", mcp_path(work, "/v1/instances/{}/cancel", mcp_text(work, "taskId")),
                   json_empty_object(), true, err);
}

static const struct mcp_tool get_work = {
    .name = "tasks/get", .hints = MCP_READS, .begin = get_begin, .next = get_next
};
/* Nothing is ever asked of a client, so there is nothing that it could bring. */
static const struct mcp_tool update_work = {
    .name = "tasks/update", .hints = MCP_READS, .begin = get_begin, .next = acknowledge_next
};
static const struct mcp_tool cancel_work = { .name = "tasks/cancel",
                                             .begin = cancel_begin,
                                             .next = acknowledge_next };

static enum status run_method(struct mcp_message *message, const struct mcp_tool *tool,
                              mcp_refuse_fn *refusing)
{
    struct mcp_work *work = mcp_new_work(message, tool);
    if (!mcp_takes_tasks(message)) {
        mcp_answer_error(message, MCP_MISSING_CAPABILITY, 400,
                         STR("{\"requiredCapabilities\":{\"extensions\":{\"" EXTENSION "\":{}}}}"),
                         "the client does not say that it knows tasks");
        return ST_OK;
    }
    if (!json_text(message->params, STR("taskId")).n) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "taskId must be a text");
        return ST_OK;
    }
    work->arguments = message->params;
    work->refuse = refusing;
    mcp_begin_work(work);
    return ST_OK;
}

enum status mcp_get_task(struct mcp_message *message, struct error *err)
{
    (void)err;
    return run_method(message, &get_work, refuse);
}

enum status mcp_update_task(struct mcp_message *message, struct error *err)
{
    (void)err;
    return run_method(message, &update_work, refuse);
}

enum status mcp_cancel_task(struct mcp_message *message, struct error *err)
{
    (void)err;
    return run_method(message, &cancel_work, cancel_refuse);
}
