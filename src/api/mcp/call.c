/* api/mcp/call.c — a call of a tool: the tool, its arguments and its idempotency key. */
#include "api/mcp/mcp_int.h"

#include "schema/schema.h"

/* ---- the arguments ---- */

static enum status check_arguments(struct mcp_work *work, struct error *err)
{
    const struct json *document;
    const struct schema *schema;
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = work->api->config.limits.fuel_max;
    TRY(json_parse(str_of(work->tool->input), NULL, work->arena, &document, err));
    TRY(schema_compile(document, work->arena, &schema, err));
    TRY(schema_check(schema, work->arguments, &fuel, work->arena, &problem, &count, err));
    if (!count) return ST_OK;
    str told = schema_print_problems(problem, count, STR("arguments"), work->arena);
    return fail(err, ST_INVALID, "arguments", "%.*s", STR_ARG(told));
}

/* A client that sends a request again with the same key gets the first answer. The id of a message serves as
 * a key if it is long enough to be like no other; most clients just count, and each of them from the
 * beginning. */
static enum status take_key(struct mcp_work *work, struct error *err)
{
    const struct mcp_message *message = &work->message;
    const struct json *named = json_get(message->meta, STR("pawl/idempotencyKey"));
    str header = takes_header(message->request, TAKES_KEY);
    str id = json_is(message->id, JSON_STRING) ? json_string(message->id) : STR_NONE;
    if (named && !json_is(named, JSON_STRING))
        return fail(err, ST_INVALID, "_meta", "_meta[\"pawl/idempotencyKey\"] must be a text");
    if (named) work->key = json_string(named);
    else if (header.n) work->key = header;
    else if (id.n >= MCP_KEY_BYTES_MIN && id.n <= IDEMPOTENCY_KEY_BYTES_MAX) work->key = id;
    return ST_OK;
}

enum status mcp_call_tool(struct mcp_message *message, struct error *err)
{
    const struct json *arguments = json_get(message->params, STR("arguments"));
    str name = json_text(message->params, STR("name"));
    struct mcp_work *work = mcp_new_work(message, mcp_find_tool(name));
    if (arguments) work->arguments = arguments;
    if (!work->tool && !(name.n && mcp_may_start(message->request))) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "there is no tool \"%.*s\"",
                         STR_ARG(name));
        return ST_OK;
    }
    if (!json_is(work->arguments, JSON_OBJECT)) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "arguments must be an object");
        return ST_OK;
    }
    enum status status = take_key(work, err);
    if (status == ST_OK && !work->tool) return mcp_published_call(message, work->arguments, work->key, err);
    if (status == ST_OK) status = check_arguments(work, err);
    if (status == ST_OK) mcp_begin_work(work);
    else mcp_fail_with(work, err);
    return ST_OK;
}
