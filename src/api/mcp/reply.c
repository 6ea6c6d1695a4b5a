/* api/mcp/reply.c — answers of JSON-RPC: results, and errors in the protocol's own form. */
#include "api/mcp/mcp_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

static enum mcp_code code_of(const struct error *err)
{
    if (err->code && str_equal(str_of(err->code), STR("parse-error"))) return MCP_PARSE_ERROR;
    bool is_ours = err->status == ST_INVALID || err->status == ST_LIMIT || err->status == ST_UNSUPPORTED;
    return is_ours ? MCP_INVALID_REQUEST : MCP_REFUSED;
}

/* The message has not been read when the gate refuses it, so nobody knows its id. */
static void put_error(const struct api_request *request, const struct error *err, struct buf *out)
{
    PUT(out, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":");
    put_int(out, code_of(err));
    PUT(out, ",\"message\":");
    put_text(out, error_sentence(err, request->http->arena));
    PUT(out, ",\"data\":{\"error\":");
    put_text(out, str_of(error_word(err)));
    buf_add_str(out, str_of(fail_details_of(err)));
    PUT(out, "}}");
}

const struct error_format mcp_errors = { STR_INIT("application/json"), .put_error = put_error, .end = "}",
                                         .challenge = mcp_challenge };

static void put_head(const struct mcp_message *message, struct buf *out)
{
    PUT(out, "{\"jsonrpc\":\"2.0\"");
    if (!message->id) return;
    PUT(out, ",\"id\":");
    json_print(message->id, out);
}

static bool is_of_transport(enum mcp_code code)
{
    return code == MCP_PARSE_ERROR || code == MCP_INVALID_REQUEST || code == MCP_HEADER_MISMATCH ||
           code == MCP_MISSING_CAPABILITY || code == MCP_UNSUPPORTED_VERSION;
}

void mcp_answer_error(const struct mcp_message *message, enum mcp_code code, int http_status, str data,
                      const char *format, ...)
{
    struct buf out;
    char text[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    buf_init(&out, message->request->http->arena);
    put_head(message, &out);
    PUT(&out, ",\"error\":{\"code\":");
    put_int(&out, code);
    PUT(&out, ",\"message\":");
    put_text(&out, utf8_cut(str_of(text), sizeof text));
    if (data.n) {
        PUT(&out, ",\"data\":");
        buf_add_str(&out, data);
    }
    PUT(&out, "}}");
    int status = message->is_modern || is_of_transport(code) ? http_status : 200;
    answer_typed(message->request, status, STR("application/json"), STR_NONE, buf_str(&out));
}

void mcp_begin_result(const struct mcp_message *message, struct buf *out)
{
    buf_init(out, message->request->http->arena);
    put_head(message, out);
    PUT(out, ",\"result\":{");
}

void mcp_end_result(const struct mcp_message *message, struct buf *out)
{
    if (message->is_modern) {
        if (out->p[out->n - 1] != '{') buf_add_char(out, ',');
        PUT(out, "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"pawl\",\"version\":");
        put_text(out, str_of(message->request->api->config.version));
        PUT(out, "}}");
    }
    PUT(out, "}}");
    answer_typed(message->request, 200, STR("application/json"), STR_NONE, buf_str(out));
}
