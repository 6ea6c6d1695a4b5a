/* perform/mcp_call.c — the requests of a call of a tool (mcp_call.h). */
#include "perform/mcp_call_int.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "perform/limits.h"

/* ---- what the author gave ---- */

/* The headers that the protocol itself sets. */
static bool is_protocols(str name)
{
    static const char *const names[] = { "Accept",     "Content-Type", "MCP-Protocol-Version",
                                         "Mcp-Method", "Mcp-Name",     "Mcp-Session-Id" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_equal_ignoring_case(name, str_of(names[i]))) return true;
    return false;
}

static const struct json *given_headers(const struct function_call *call)
{
    const struct json *headers = json_get(call->request, STR("headers"));
    return json_is(headers, JSON_OBJECT) ? headers : json_empty_object();
}

static bool refuse(struct arena *arena, const struct json **ret_error, str message)
{
    *ret_error = http_bad_request(arena, message);
    return false;
}

static bool check_headers(const struct function_call *call, struct arena *arena,
                          const struct json **ret_error)
{
    const struct json *headers = json_get(call->request, STR("headers"));
    if (headers && !json_is(headers, JSON_NULL) && !json_is(headers, JSON_OBJECT))
        return refuse(arena, ret_error,
                      arena_printf(arena, "headers must be names and values, and is %s",
                                   json_kind_name(json_kind(headers))));
    struct json_each each = json_each(given_headers(call));
    while (json_next(&each))
        if (is_protocols(each.name))
            return refuse(arena, ret_error,
                          arena_printf(arena, "the header %.*s cannot be set: the protocol sets it",
                                       STR_ARG(each.name)));
    return true;
}

static bool check(const struct function_call *call, struct arena *arena, const struct json **ret_error)
{
    str tool = json_text(call->request, STR("tool"));
    const struct json *arguments = json_get(call->request, STR("arguments"));
    if (!tool.n) return refuse(arena, ret_error, STR("the name of the tool is empty, or no text"));
    if (tool.n > MCP_TOOL_NAME_BYTES_MAX)
        return refuse(arena, ret_error,
                      arena_printf(arena,
                                   "the name of the tool has %zu bytes; the most is %d "
                                   "(MCP_TOOL_NAME_BYTES_MAX)",
                                   tool.n, MCP_TOOL_NAME_BYTES_MAX));
    if (arguments && !json_is(arguments, JSON_NULL) && !json_is(arguments, JSON_OBJECT))
        return refuse(arena, ret_error,
                      arena_printf(arena, "arguments must be names and values, and is %s",
                                   json_kind_name(json_kind(arguments))));
    return check_headers(call, arena, ret_error);
}

/* Without the key, which each message has for itself. */
static const struct json *copied_headers(const struct function_call *call, struct arena *arena)
{
    const struct json *headers = json_empty_object();
    struct json_each each = json_each(given_headers(call));
    while (json_next(&each))
        if (!str_equal_ignoring_case(each.name, STR("idempotency-key")))
            headers = json_set(arena, headers, each.name, each.value);
    return headers;
}

/* The key that the server gets in all attempts: that of the author, or our own. */
static str key_of(const struct function_call *call, struct arena *arena)
{
    struct json_each each = json_each(given_headers(call));
    while (json_next(&each))
        if (str_equal_ignoring_case(each.name, STR("idempotency-key")) && !json_is(each.value, JSON_NULL))
            return http_text_of(each.value, arena);
    return http_header_text(arena, call->idempotency_key);
}

/* ---- messages ---- */

str mcp_talk_id(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena)
{
    const char *what = talk->step == MCP_INITIALIZE ? "/initialize" : "";
    return arena_printf(arena, "%.*s%s", STR_ARG(call->idempotency_key), what);
}

static str method_of(const struct mcp_talk *talk)
{
    switch (talk->step) {
    case MCP_INITIALIZE: return STR("initialize");
    case MCP_READY: return STR("notifications/initialized");
    default: return STR("tools/call");
    }
}

static void add_client(struct json_builder *out)
{
    json_open_object(out);
    json_add_text(out, STR("name"), STR("pawl"));
    json_add_text(out, STR("version"), STR(PAWL_VERSION));
    json_close(out);
}

static void add_nothing(struct json_builder *out, str name)
{
    json_add_name(out, name);
    json_open_object(out);
    json_close(out);
}

static void add_meta(struct json_builder *out, const struct mcp_talk *talk, str key)
{
    json_add_name(out, STR("_meta"));
    json_open_object(out);
    if (talk->step == MCP_CALL) {
        json_add_text(out, STR("io.modelcontextprotocol/protocolVersion"), STR(MCP_MODERN));
        json_add_name(out, STR("io.modelcontextprotocol/clientInfo"));
        add_client(out);
        add_nothing(out, STR("io.modelcontextprotocol/clientCapabilities"));
    }
    json_add_text(out, STR("pawl/idempotencyKey"), key);
    json_close(out);
}

static void add_call(struct json_builder *out, const struct function_call *call, const struct mcp_talk *talk,
                     str key)
{
    const struct json *arguments = json_get(call->request, STR("arguments"));
    json_add_text(out, STR("name"), json_text(call->request, STR("tool")));
    json_add_name(out, STR("arguments"));
    json_add(out, json_is(arguments, JSON_OBJECT) ? arguments : json_empty_object());
    add_meta(out, talk, key);
}

static const struct json *message_of(const struct function_call *call, const struct mcp_talk *talk, str key,
                                     struct arena *arena)
{
    struct json_builder out;
    json_builder_init(&out, arena);
    json_open_object(&out);
    json_add_text(&out, STR("jsonrpc"), STR("2.0"));
    if (talk->step != MCP_READY) json_add_text(&out, STR("id"), mcp_talk_id(call, talk, arena));
    json_add_text(&out, STR("method"), method_of(talk));
    json_add_name(&out, STR("params"));
    json_open_object(&out);
    if (talk->step == MCP_INITIALIZE) {
        json_add_text(&out, STR("protocolVersion"), STR(MCP_LEGACY));
        add_nothing(&out, STR("capabilities"));
        json_add_name(&out, STR("clientInfo"));
        add_client(&out);
    } else if (talk->step != MCP_READY) {
        add_call(&out, call, talk, key);
    }
    json_close(&out);
    json_close(&out);
    return json_built(&out);
}

/* ---- headers ---- */

/* Printable ASCII goes as it is, and anything else as =?base64?…?= . */
static str named(str name, struct arena *arena)
{
    bool plain = !str_starts(name, STR("=?")) && name.p[0] != ' ' && name.p[name.n - 1] != ' ';
    for (size_t i = 0; i < name.n; i++) plain &= name.p[i] >= ' ' && name.p[i] < 0x7f;
    return plain ? name : arena_printf(arena, "=?base64?%.*s?=", STR_ARG(base64_encode(name, arena)));
}

static const struct json *with(struct arena *arena, const struct json *headers, const char *name, str value)
{
    return json_set(arena, headers, str_of(name), json_of_string(arena, value));
}

/* The key of a message that is no call is another one: a server that keeps answers by their keys must not
 * mix them up. */
static const struct json *headers_of(const struct function_call *call, const struct mcp_talk *talk, str key,
                                     struct arena *arena)
{
    const struct json *headers = copied_headers(call, arena);
    headers = with(arena, headers, "Accept", STR("application/json, text/event-stream"));
    if (talk->step == MCP_CALL) {
        headers = with(arena, headers, "MCP-Protocol-Version", STR(MCP_MODERN));
        headers = with(arena, headers, "Mcp-Method", method_of(talk));
        headers = with(arena, headers, "Mcp-Name", named(json_text(call->request, STR("tool")), arena));
    }
    if (talk->version.n) headers = with(arena, headers, "MCP-Protocol-Version", talk->version);
    if (talk->session.n) headers = with(arena, headers, "Mcp-Session-Id", talk->session);
    const char *what = talk->step == MCP_INITIALIZE ? "/initialize"
                       : talk->step == MCP_READY    ? "/initialized"
                                                    : "";
    return with(arena, headers, "Idempotency-Key", arena_printf(arena, "%.*s%s", STR_ARG(key), what));
}

/* ---- requests ---- */

bool mcp_talk_render(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena,
                     struct outcall *ret_outcall, const struct json **ret_error)
{
    if (!check(call, arena, ret_error)) return false;
    str key = key_of(call, arena);
    const struct json *request = json_empty_object();
    request = with(arena, request, "method", STR("POST"));
    request = json_set(arena, request, STR("url"), json_get(call->request, STR("url")));
    request = json_set(arena, request, STR("headers"), headers_of(call, talk, key, arena));
    request = json_set(arena, request, STR("body"), message_of(call, talk, key, arena));
    struct function_call sent = *call;
    sent.request = request;
    return http_request_render(&sent, arena, ret_outcall, ret_error);
}

bool mcp_talk_end(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena,
                  struct outcall *ret_outcall)
{
    if (!talk->session.n) return false;
    const struct json *headers = copied_headers(call, arena), *error;
    headers = with(arena, headers, "MCP-Protocol-Version", talk->version);
    headers = with(arena, headers, "Mcp-Session-Id", talk->session);
    const struct json *request = json_empty_object();
    request = with(arena, request, "method", STR("DELETE"));
    request = json_set(arena, request, STR("url"), json_get(call->request, STR("url")));
    request = json_set(arena, request, STR("headers"), headers);
    const struct function_call sent = { .request = json_copy(arena, request), .attempt = call->attempt };
    if (!http_request_render(&sent, arena, ret_outcall, &error)) return false;
    ret_outcall->timeout_ms = MCP_GOODBYE_MS;
    return true;
}
