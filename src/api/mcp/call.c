/* api/mcp/call.c — one call of a tool, from its arguments to its first request.
 *
 *     arguments ──► schema ──► a row of the audit ──► the tool
 *
 * A tool that changes something runs only if its row of the audit is written. One that reads goes on without
 * it: a full disk is no reason to be blind.
 */
#include "api/mcp/mcp_int.h"

#include "schema/schema.h"

/* ---- the audit ---- */

static void begin(struct mcp_work *work)
{
    struct error err;
    error_init(&err);
    if (work->tool->begin(work, &err) != ST_OK) mcp_fail_with(work, &err);
}

static void noted(struct call *call)
{
    struct mcp_work *work = call->user;
    if (call->status != ST_OK && !(work->tool->hints & MCP_READS)) {
        call->error.status = call->status;
        mcp_fail_with(work, &call->error);
        return;
    }
    begin(work);
}

static enum status note(struct mcp_work *work, struct error *err)
{
    const struct caller *caller = &work->message.request->caller;
    struct audit_row *row = arena_make(work->arena, struct audit_row);
    *row = (struct audit_row){ .tenant = caller->tenant,
                               .principal = caller->principal->id,
                               .for_whom = caller->for_whom,
                               .way = WAY_MCP,
                               .action = STR("mcp.call"),
                               .object = str_of(work->tool->name),
                               .outcome = STR("done"),
                               .request_id = caller->request_id,
                               .address = caller->address,
                               .count = 1 };
    const struct call_note_access asked = { .row = row, .count = 1 };
    struct call *call = call_note_access((struct call_origin){ work->arena, noted, work }, &asked);
    enum status status = runtime_submit(work->api->config.client, call);
    if (status == ST_OK) return ST_OK;
    return fail(err, status, "", "%s", status_meaning(status));
}

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

struct mcp_work *mcp_new_work(const struct mcp_message *message, const struct mcp_tool *tool)
{
    struct arena *arena = message->request->http->arena;
    struct mcp_work *work = arena_make(arena, struct mcp_work);
    *work = (struct mcp_work){ .message = *message,
                               .api = message->request->api,
                               .arena = arena,
                               .tool = tool,
                               .arguments = json_empty_object() };
    return work;
}

void mcp_begin_work(struct mcp_work *work)
{
    struct error err;
    error_init(&err);
    http_drop_body(work->message.request->http);
    if (note(work, &err) != ST_OK) mcp_fail_with(work, &err);
}

enum status mcp_call_tool(struct mcp_message *message, struct error *err)
{
    const struct json *arguments = json_get(message->params, STR("arguments"));
    str name = json_text(message->params, STR("name"));
    struct mcp_work *work = mcp_new_work(message, mcp_find_tool(name));
    if (arguments) work->arguments = arguments;
    if (!work->tool) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "there is no tool \"%.*s\"",
                         STR_ARG(name));
        return ST_OK;
    }
    if (!json_is(work->arguments, JSON_OBJECT)) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE, "arguments must be an object");
        return ST_OK;
    }
    enum status status = check_arguments(work, err);
    if (status == ST_OK) status = take_key(work, err);
    if (status == ST_OK) mcp_begin_work(work);
    else mcp_fail_with(work, err);
    return ST_OK;
}
