/* perform/mcp_answer.c — the answers of an MCP server: a message, the result of the tool, or why not. */
#include "perform/mcp_call_int.h"

#include "base/utf8.h"
#include "perform/limits.h"

/* Codes of the protocol that tell how a server understood us. */
enum {
    CODE_INVALID_REQUEST = -32600,     /* Servers with a handshake: there is no session. */
    CODE_SERVER_ERROR = -32000,        /* The same, in other libraries. */
    CODE_NOT_INITIALIZED = -32002,     /* The same. */
    CODE_UNSUPPORTED_VERSION = -32022, /* With the revisions that it knows. */
};

/* ---- errors ---- */

/* A text of the server, as a part of our own sentence. */
static str shortened(str text) { return utf8_cut(text, MCP_ERROR_TEXT_BYTES_MAX); }

static enum mcp_outcome fail_with(const struct outcall *outcall, const char *name, str message,
                                  const struct json **ret_error)
{
    *ret_error = http_error(outcall->arena, str_of(name), message, json_null());
    return MCP_FAILED;
}

static enum mcp_outcome bad_answer(const struct outcall *outcall, const char *why,
                                   const struct json **ret_error)
{
    return fail_with(outcall, "MCP_BAD_ANSWER",
                     arena_printf(outcall->arena, "the server's answer cannot be used: %s", why), ret_error);
}

/* ---- finding the message ---- */

static bool is_media(const struct outcall *outcall, const char *type)
{
    return str_equal_ignoring_case(http_media_type(outcall->answer_type), str_of(type));
}

static bool is_message(const struct json *value)
{
    return json_is(value, JSON_OBJECT) && str_equal(json_text(value, STR("jsonrpc")), STR("2.0")) &&
           (json_get(value, STR("result")) || json_is(json_get(value, STR("error")), JSON_OBJECT));
}

/* An error may come without the id: the server could not read it. */
static bool is_ours(const struct json *message, str id)
{
    const struct json *given = json_get(message, STR("id"));
    if (json_is(given, JSON_STRING)) return str_equal(json_string(given), id);
    return (!given || json_is(given, JSON_NULL)) && json_get(message, STR("error"));
}

static const struct json *parse(str text, struct arena *arena)
{
    const struct json *value;
    struct error err;
    return utf8_is_valid(text) && json_parse(text, NULL, arena, &value, &err) == ST_OK ? value : NULL;
}

/* Takes a line off the text. Lines end with LF, CR or both. */
static str take_line(str *rest)
{
    size_t end = 0;
    while (end < rest->n && rest->p[end] != '\n' && rest->p[end] != '\r') end++;
    str line = str_slice(*rest, 0, end);
    size_t next = end;
    if (next < rest->n)
        next += rest->p[next] == '\r' && next + 1 < rest->n && rest->p[next + 1] == '\n' ? 2 : 1;
    *rest = str_slice(*rest, next, rest->n);
    return line;
}

/* The message among the events of a stream: other messages tell how the tool gets on. NULL: none is ours. */
static const struct json *find_in_stream(const struct outcall *outcall, str id)
{
    struct buf data;
    buf_init(&data, outcall->arena);
    str rest = outcall->answer;
    while (rest.n) {
        str line = take_line(&rest);
        if (str_starts(line, STR("data:"))) {
            str text = str_slice(line, 5, line.n);
            if (data.n) buf_add_char(&data, '\n');
            buf_add_str(&data, str_starts(text, STR(" ")) ? str_slice(text, 1, text.n) : text);
        }
        if ((line.n && rest.n) || !data.n) continue;
        const struct json *message = parse(buf_str(&data), outcall->arena);
        if (message && is_message(message) && is_ours(message, id)) return message;
        data.n = 0;
    }
    return NULL;
}

/* NULL: the answer has no message to us, and *ret_why says so. */
static const struct json *find_message(const struct outcall *outcall, str id, const char **ret_why)
{
    if (is_media(outcall, "text/event-stream")) {
        const struct json *found = find_in_stream(outcall, id);
        if (!found) *ret_why = "its stream has ended without one";
        return found;
    }
    const struct json *value = parse(outcall->answer, outcall->arena);
    *ret_why = !value               ? "it is no JSON"
               : !is_message(value) ? "it is no message of JSON-RPC 2.0 with a result or an error"
                                    : "it has another id than the request";
    return value && is_message(value) && is_ours(value, id) ? value : NULL;
}

/* ---- the result of the tool ---- */

/* The text of a part of the content; false: the part is none. */
static bool text_of(const struct json *part, str *ret_text)
{
    const struct json *text = json_get(part, STR("text"));
    if (!text) text = json_get(json_get(part, STR("resource")), STR("text"));
    if (!json_is(text, JSON_STRING)) return false;
    *ret_text = json_string(text);
    return true;
}

/* The texts of the content, one after the other. *ret_complete: nothing was left out. */
static str texts_of(const struct json *result, size_t bytes_max, struct arena *arena, bool *ret_complete)
{
    const struct json *content = json_get(result, STR("content"));
    struct buf out;
    buf_init(&out, arena);
    *ret_complete = true;
    for (size_t i = 0; json_is(content, JSON_ARRAY) && i < json_count(content); i++) {
        str text;
        if (!text_of(json_item(content, i), &text)) {
            *ret_complete = false;
            continue;
        }
        if (out.n) buf_add_char(&out, '\n');
        buf_add_str(&out, text);
    }
    *ret_complete &= out.n <= bytes_max;
    return utf8_cut(buf_str(&out), bytes_max);
}

static enum mcp_outcome tool_failed(const struct function_call *call, const struct outcall *outcall,
                                    const struct json *result, const struct json **ret_error)
{
    bool complete;
    str text = texts_of(result, MCP_ERROR_TEXT_BYTES_MAX, outcall->arena, &complete);
    if (!text.n)
        text = arena_printf(outcall->arena, "the tool %.*s failed and did not say why",
                            STR_ARG(json_text(call->request, STR("tool"))));
    return fail_with(outcall, "MCP_TOOL_ERROR", text, ret_error);
}

static enum mcp_outcome read_result(const struct function_call *call, const struct outcall *outcall,
                                    const struct json *result, const struct json **ret_value,
                                    const struct json **ret_error)
{
    struct json_builder out;
    struct arena *arena = outcall->arena;
    bool complete = true;
    str type = json_text(result, STR("resultType"));
    if (!json_is(result, JSON_OBJECT)) return bad_answer(outcall, "its result is no object", ret_error);
    if (type.n && !str_equal(type, STR("complete")))
        return fail_with(outcall, "MCP_UNSUPPORTED",
                         arena_printf(arena,
                                      "the tool answers with \"%.*s\", which nobody can go on with here",
                                      STR_ARG(shortened(type))),
                         ret_error);
    const struct json *says = json_get(result, STR("isError"));
    if (says && !json_is(says, JSON_BOOL))
        return bad_answer(outcall, "its isError is neither true nor false", ret_error);
    if (says && json_bool(says)) return tool_failed(call, outcall, result, ret_error);
    const struct json *value = json_get(result, STR("structuredContent"));
    if (json_is(value, JSON_NULL)) value = NULL;
    if (!value && !json_is(json_get(result, STR("content")), JSON_ARRAY))
        return bad_answer(outcall, "its result has no content", ret_error);
    if (!value) value = json_of_string(arena, texts_of(result, MCP_TEXT_BYTES_MAX, arena, &complete));
    json_builder_init(&out, arena);
    json_open_object(&out);
    json_add_name(&out, STR("result"));
    json_add(&out, value);
    json_add_name(&out, STR("complete"));
    json_add_bool(&out, complete);
    json_close(&out);
    *ret_value = json_built(&out);
    return MCP_DONE;
}

static enum mcp_outcome read_error(const struct outcall *outcall, const struct json *error,
                                   const struct json **ret_error)
{
    int64_t code = 0;
    if (!json_int64(json_get(error, STR("code")), &code))
        return bad_answer(outcall, "its error has no code", ret_error);
    str message = shortened(json_text(error, STR("message")));
    return fail_with(outcall, "MCP_ERROR",
                     arena_printf(outcall->arena, "the server refused the call: %.*s (%lld)",
                                  STR_ARG(message), (long long)code),
                     ret_error);
}

/* ---- revisions ---- */

static bool is_known(str version)
{
    static const char *const known[] = { MCP_LEGACY, "2025-06-18", "2025-03-26" };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_equal(version, str_of(known[i]))) return true;
    return false;
}

/* True if a server that says which revisions it knows knows one of ours. */
static bool knows_a_handshake(const struct json *error)
{
    const struct json *list = json_get(json_get(error, STR("data")), STR("supported"));
    if (!json_is(list, JSON_ARRAY)) return true;
    for (size_t i = 0; i < json_count(list); i++)
        if (json_is(json_item(list, i), JSON_STRING) && is_known(json_string(json_item(list, i))))
            return true;
    return false;
}

/* A server that wants a handshake refuses a call without one, in one of several ways. A server of the current
 * revision answers with other codes. */
static bool wants_handshake(const struct outcall *outcall, const struct json *message)
{
    int64_t code = 0;
    const struct json *error = json_get(message, STR("error"));
    if (json_get(message, STR("result")) || (outcall->status != 400 && outcall->status != 200)) return false;
    if (!error) return outcall->status == 400;
    if (!json_int64(json_get(error, STR("code")), &code)) return false;
    if (code == CODE_UNSUPPORTED_VERSION) return knows_a_handshake(error);
    return code == CODE_INVALID_REQUEST || code == CODE_SERVER_ERROR || code == CODE_NOT_INITIALIZED;
}

static enum mcp_outcome begin_handshake(struct mcp_talk *talk, const struct outcall *outcall,
                                        const struct json *message)
{
    str why = json_text(json_get(message, STR("error")), STR("message"));
    talk->step = MCP_INITIALIZE;
    talk->refusal = why.n ? shortened(why) : arena_printf(outcall->arena, "status %d", outcall->status);
    return MCP_GOES_ON;
}

static str session_of(const struct outcall *outcall)
{
    for (size_t i = 0; i < outcall->answer_header_count; i++)
        if (str_equal_ignoring_case(outcall->answer_header[i].name, STR("mcp-session-id")))
            return outcall->answer_header[i].value;
    return STR_NONE;
}

static enum mcp_outcome read_handshake(struct mcp_talk *talk, const struct outcall *outcall,
                                       const struct json *result, const struct json **ret_error)
{
    str version = json_text(result, STR("protocolVersion"));
    if (!is_known(version))
        return fail_with(outcall, "MCP_UNSUPPORTED",
                         arena_printf(outcall->arena,
                                      "the server speaks revision \"%.*s\" of the protocol; " MCP_MODERN
                                      ", " MCP_LEGACY ", 2025-06-18 and 2025-03-26 are known here",
                                      STR_ARG(shortened(version))),
                         ret_error);
    talk->step = MCP_READY;
    talk->version = version;
    talk->session = session_of(outcall);
    return MCP_GOES_ON;
}

/* ---- the answer ---- */

/* The server has refused the call and its beginning: both reasons are told. */
static const struct json *with_refusal(const struct mcp_talk *talk, const struct outcall *outcall,
                                       const struct json *error)
{
    if (talk->step != MCP_INITIALIZE) return error;
    str message = arena_printf(outcall->arena, "%.*s; before that, the server refused the call: %.*s",
                               STR_ARG(json_text(error, STR("message"))), STR_ARG(talk->refusal));
    return json_set(outcall->arena, error, STR("message"), json_of_string(outcall->arena, message));
}

static enum mcp_outcome read_message(const struct function_call *call, struct mcp_talk *talk,
                                     const struct outcall *outcall, const struct json *message,
                                     const struct json **ret_value, const struct json **ret_error)
{
    const struct json *error = json_get(message, STR("error")), *result = json_get(message, STR("result"));
    if (error) {
        enum mcp_outcome outcome = read_error(outcall, error, ret_error);
        *ret_error = with_refusal(talk, outcall, *ret_error);
        return outcome;
    }
    return talk->step == MCP_INITIALIZE ? read_handshake(talk, outcall, result, ret_error)
                                        : read_result(call, outcall, result, ret_value, ret_error);
}

enum mcp_outcome mcp_talk_read(const struct function_call *call, struct mcp_talk *talk,
                               const struct outcall *outcall, const struct json **ret_value,
                               const struct json **ret_error, bool *ret_retryable)
{
    const char *why = "";
    if (outcall->failure != OUTCALL_NONE) {
        *ret_error = http_failure_error(outcall);
        return MCP_FAILED;
    }
    bool good = outcall->status >= 200 && outcall->status <= 299;
    if (talk->step == MCP_READY && good) {
        talk->step = MCP_SESSION_CALL;
        return MCP_GOES_ON;
    }
    const struct json *message = find_message(outcall, mcp_talk_id(call, talk, outcall->arena), &why);
    if (talk->step == MCP_CALL && wants_handshake(outcall, message))
        return begin_handshake(talk, outcall, message);
    /* The server has forgotten the session meanwhile: the next attempt begins another one. */
    if (talk->session.n && outcall->status == 404) *ret_retryable = true;
    if (message && (good || json_get(message, STR("error"))))
        return read_message(call, talk, outcall, message, ret_value, ret_error);
    if (good) {
        /* The connection may have been lost in the middle of a stream. */
        if (is_media(outcall, "text/event-stream")) *ret_retryable = true;
        return bad_answer(outcall, why, ret_error);
    }
    *ret_error = with_refusal(talk, outcall, http_status_error(call, outcall, http_status_name(outcall)));
    return MCP_FAILED;
}
