/* api/mcp/message.c — one message of JSON-RPC, and its answer.
 *
 *     a body that is no JSON                    400  -32700
 *     no message, a batch, an answer            400  -32600
 *     a notification                            202, and nothing else
 *     modern: _meta is not whole                400  -32602
 *             headers do not say what it says   400  -32020
 *     a revision that we do not know            400  -32022, with those that we know
 *
 * A message is modern if it brings its revision in `_meta`, or its header names the revision that has no
 * handshake. Clients of earlier revisions send `initialize`, which begins nothing here.
 */
#include "api/mcp/mcp_int.h"

#include "base/base64.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MODERN "2026-07-28"
#define SUPPORTED "[\"" MODERN "\",\"2025-11-25\",\"2025-06-18\"]"

/* ---- the body ---- */

enum status mcp_read(const struct api_request *request, struct arena *arena, const struct json **ret_value,
                     struct error *err)
{
    enum status status = request_read_json(request, arena, ret_value, err);
    if (status == ST_INVALID) err->code = "parse-error";
    return status;
}

/* ---- headers ---- */

static bool names(str list, str type)
{
    while (list.n) {
        size_t comma = str_find(list, STR(","), 0);
        str item = str_slice(list, 0, comma);
        list = comma == SIZE_MAX ? STR_NONE : str_slice(list, comma + 1, list.n);
        if (str_equal_ignoring_case(str_trim(str_slice(item, 0, str_find(item, STR(";"), 0))), type))
            return true;
    }
    return false;
}

/* Each answer is one object in JSON, so that is what a client has to take. */
static enum status check_media(const struct api_request *request, struct error *err)
{
    str accept = http_header(request->http, STR("Accept"));
    if (!str_equal_ignoring_case(request_media_type(request), STR("application/json")))
        return fail(err, ST_UNSUPPORTED, "Content-Type", "a message is application/json, not \"%.*s\"",
                    STR_ARG(request_media_type(request)));
    if (!accept.n || names(accept, STR("application/json")) || names(accept, STR("application/*")) ||
        names(accept, STR("*/*")))
        return ST_OK;
    return fail_code(err, ST_INVALID, "not-acceptable",
                     "Accept must have application/json, because answers are; send \"application/json, "
                     "text/event-stream\"");
}

/* A text that is not plain in a header comes as =?base64?…?= . */
static bool says(const struct mcp_message *message, str header, str value)
{
    str mark = STR("=?base64?"), end = STR("?="), text;
    if (!str_starts(header, mark) || !str_ends(header, end) || header.n < mark.n + end.n)
        return str_equal(header, value);
    str inner = str_slice(header, mark.n, header.n - end.n);
    return base64_decode(inner, message->request->http->arena, &text) && str_equal(text, value);
}

static bool refuse_header(const struct mcp_message *message, const char *name, str header, str value)
{
    if (header.n)
        mcp_answer_error(message, MCP_HEADER_MISMATCH, 400, STR_NONE,
                         "the header %s says \"%.*s\", and the body \"%.*s\"", name, STR_ARG(header),
                         STR_ARG(value));
    else
        mcp_answer_error(message, MCP_HEADER_MISMATCH, 400, STR_NONE,
                         "the header %s is missing; the body says \"%.*s\"", name, STR_ARG(value));
    return false;
}

/* The header Mcp-Name repeats the name of a tool, the URI of a resource or the id of a task. */
static const char *named_by(str method)
{
    if (str_equal(method, STR("tools/call")) || str_equal(method, STR("prompts/get"))) return "name";
    if (str_equal(method, STR("resources/read"))) return "uri";
    return str_starts(method, STR("tasks/")) ? "taskId" : NULL;
}

static bool check_names(const struct mcp_message *message)
{
    const struct http_request *http = message->request->http;
    str method = http_header(http, STR("Mcp-Method")), name = http_header(http, STR("Mcp-Name"));
    const char *member = named_by(message->method);
    if (!str_equal(method, message->method))
        return refuse_header(message, "Mcp-Method", method, message->method);
    if (!member) return true;
    str value = json_text(message->params, str_of(member));
    return (name.n || !value.n) && says(message, name, value)
               ? true
               : refuse_header(message, "Mcp-Name", name, value);
}

/* ---- revisions ---- */

static bool refuse_version(const struct mcp_message *message, str version)
{
    struct buf data;
    buf_init(&data, message->request->http->arena);
    PUT(&data, "{\"supported\":" SUPPORTED ",\"requested\":");
    put_text(&data, version);
    buf_add_char(&data, '}');
    mcp_answer_error(message, MCP_UNSUPPORTED_VERSION, 400, buf_str(&data),
                     "revision \"%.*s\" of the protocol is not known here", STR_ARG(version));
    return false;
}

static bool is_legacy(str version)
{
    return str_equal(version, STR("2025-11-25")) || str_equal(version, STR("2025-06-18"));
}

static bool check_modern(const struct mcp_message *message)
{
    str header = http_header(message->request->http, STR("MCP-Protocol-Version"));
    const struct json *version = json_get(message->meta, STR(META_VERSION));
    if (!json_is(version, JSON_STRING) || !json_string(version).n) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE,
                         "params._meta needs \"" META_VERSION "\", a text");
        return false;
    }
    if (!json_is(json_get(message->meta, STR(META_CAPABILITIES)), JSON_OBJECT)) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE,
                         "params._meta needs \"" META_CAPABILITIES "\", an object");
        return false;
    }
    if (!str_equal(header, json_string(version)))
        return refuse_header(message, "MCP-Protocol-Version", header, json_string(version));
    if (!str_equal(header, STR(MODERN))) return refuse_version(message, header);
    return check_names(message);
}

static bool check_version(struct mcp_message *message)
{
    str header = http_header(message->request->http, STR("MCP-Protocol-Version"));
    message->is_modern = json_get(message->meta, STR(META_VERSION)) || str_equal(header, STR(MODERN)) ||
                         str_equal(message->method, STR("server/discover"));
    if (message->is_modern) return check_modern(message);
    return !header.n || is_legacy(header) ? true : refuse_version(message, header);
}

/* ---- the message ---- */

static bool refuse(struct mcp_message *message, const char *why)
{
    mcp_answer_error(message, MCP_INVALID_REQUEST, 400, STR_NONE, "%s", why);
    return false;
}

static bool is_id(const struct json *id)
{
    int64_t number;
    return json_is(id, JSON_STRING) || (json_is(id, JSON_NUMBER) && json_int64(id, &number));
}

static bool read_params(struct mcp_message *message)
{
    const struct json *params = json_get(message->raw, STR("params"));
    message->params = params ? params : json_empty_object();
    if (!json_is(message->params, JSON_OBJECT)) return refuse(message, "params must be an object");
    const struct json *meta = json_get(message->params, STR("_meta"));
    message->meta = meta ? meta : json_empty_object();
    return json_is(message->meta, JSON_OBJECT) ? true : refuse(message, "params._meta must be an object");
}

/* False: it was answered. */
static bool read_message(struct mcp_message *message)
{
    const struct json *raw = message->raw, *id = json_get(raw, STR("id")),
                      *method = json_get(raw, STR("method"));
    if (json_is(raw, JSON_ARRAY)) return refuse(message, "send one message for each request: no batches");
    if (!json_is(raw, JSON_OBJECT)) return refuse(message, "a message is an object");
    if (id && !is_id(id)) return refuse(message, "id must be a text or an integer");
    message->id = id;
    if (!str_equal(json_text(raw, STR("jsonrpc")), STR("2.0")))
        return refuse(message, "jsonrpc must be \"2.0\"");
    if (!method)
        return refuse(message, "a message to this server needs a method: it asks its clients nothing");
    if (!json_is(method, JSON_STRING)) return refuse(message, "method must be a text");
    message->method = json_string(method);
    return read_params(message);
}

enum status mcp_take(struct api_request *request, struct error *err)
{
    struct mcp_message message = { .request = request };
    TRY(check_media(request, err));
    TRY(request_read(request, mcp_read, request->http->arena, &message.raw, err));
    if (!read_message(&message)) return ST_OK;
    bool is_notification = !message.id && str_starts(message.method, STR("notifications/"));
    if (!message.id && !is_notification) {
        refuse(&message, "a request needs an id");
        return ST_OK;
    }
    /* A client says that it is ready, or that it does not wait any more. Nobody here has to know. */
    if (is_notification) {
        answer_typed(request, 202, STR_NONE, STR_NONE, STR_NONE);
        return ST_OK;
    }
    return check_version(&message) ? mcp_run(&message, err) : ST_OK;
}
