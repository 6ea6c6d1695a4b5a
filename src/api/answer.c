/* api/answer.c — a request's answer: its headers, and errors in the format of its surface. */
#include "api/answer_int.h"

#include "api/access/access_int.h"
#include "api/route_int.h"

#include "dialect/dialect.h"
#include "json/json.h"
#include "json/put.h"
#include "runtime/arrivals/arrivals.h"

/* A browser shows data as what its type says, and never as a page. */
#define NO_SNIFFING "X-Content-Type-Options: nosniff\r\n"
#define CORS_ORIGIN "Access-Control-Allow-Origin: %.*s\r\nVary: Origin\r\n"

str answer_lines(struct api_request *request)
{
    str origin = request->allowed_origin;
    struct buf lines;
    if (!origin.n && !request->warning.n) return STR_NONE;
    buf_init(&lines, request->http->arena);
    if (origin.n)
        buf_printf(&lines,
                   CORS_ORIGIN "Access-Control-Expose-Headers: ETag, Retry-After, Idempotency-Replayed, "
                               "WWW-Authenticate, X-Pawl-Warning\r\n",
                   STR_ARG(origin));
    if (request->warning.n) buf_printf(&lines, "X-Pawl-Warning: %.*s\r\n", STR_ARG(request->warning));
    return buf_str(&lines);
}

void answer_preflight(struct api_request *request, str methods)
{
    str lines = arena_printf(
        request->http->arena,
        CORS_ORIGIN
        "Access-Control-Allow-Methods: %.*s\r\n"
        "Access-Control-Allow-Headers: Accept, Authorization, Content-Type, Idempotency-Key, If-Match, "
        "If-None-Match, X-Actor, X-Groups, X-Pawl-Tenant, "
        "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, ce-specversion, ce-id, ce-source, "
        "ce-type, ce-subject, ce-time, ce-dataschema\r\n"
        "Access-Control-Max-Age: 300\r\n",
        STR_ARG(request->allowed_origin), STR_ARG(methods));
    http_respond(request->http, 200, lines, STR_NONE);
}

static str header_lines(struct api_request *request, str type, str headers)
{
    str own = answer_lines(request);
    if (!own.n && !headers.n && str_equal(type, STR("application/json")))
        return STR("Content-Type: application/json\r\n" NO_SNIFFING);
    struct buf lines;
    buf_init(&lines, request->http->arena);
    if (type.n) buf_printf(&lines, "Content-Type: %.*s\r\n" NO_SNIFFING, STR_ARG(type));
    buf_add_str(&lines, own);
    buf_add_str(&lines, headers);
    return buf_str(&lines);
}

void answer_typed(struct api_request *request, int http_status, str type, str headers, str body)
{
    http_respond(request->http, http_status, header_lines(request, type, headers), body);
}

void answer_lasting(struct api_request *request, int http_status, str type, str headers, str body)
{
    http_respond_lasting(request->http, http_status, header_lines(request, type, headers), body);
}

static const struct error_format *format_of(const struct api_request *request)
{
    return request->surface ? request->surface->errors : &error_plain;
}

void answer(struct api_request *request, int http_status, str headers, str body)
{
    str type = !body.n              ? STR_NONE
               : http_status >= 400 ? format_of(request)->media_type
                                    : STR("application/json");
    answer_typed(request, http_status, type, headers, body);
}

/* The time to wait depends on the error: a queue empties quickly, a disk does not. */
str answer_advice(enum status status)
{
    switch (status) {
    case ST_UNAUTHORIZED: return STR("WWW-Authenticate: Bearer\r\n");
    case ST_OVERLOAD:
    case ST_AGAIN:
    case ST_BUSY: return STR("Retry-After: 1\r\n");
    case ST_STORE: return STR("Retry-After: 5\r\n");
    case ST_DRAINING: return STR("Retry-After: 5\r\n");
    case ST_FULL: return STR("Retry-After: 30\r\n");
    default: return STR_NONE;
    }
}

static str advice_of(const struct error *err, str challenge, struct arena *arena)
{
    if (challenge.n && err->status == ST_UNAUTHORIZED) return challenge;
    if (!err->wait_s) return answer_advice(err->status);
    return arena_printf(arena, "Retry-After: %u\r\n", err->wait_s);
}

static void put_error(struct api_request *request, const struct error *err, struct buf *out)
{
    const struct error_format *format = format_of(request);
    if (format->put_error) {
        format->put_error(request, err, out);
        return;
    }
    format->put(err->status, error_word(err), error_sentence(err, request->http->arena), out);
    if (err->status == ST_FORBIDDEN || err->status == ST_OVERLOAD)
        buf_add_str(out, str_of(fail_details_of(err)));
    if (!err->code) return;
    PUT(out, ",\"code\":");
    put_text(out, str_of(err->code));
    if (!err->where[0]) return;
    PUT(out, ",\"where\":");
    put_text(out, str_of(err->where));
}

str answer_error_body(struct api_request *request, const struct error *err, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    const char *end = format_of(request)->end;
    put_error(request, err, &out);
    buf_add_str(&out, end ? str_of(end) : STR("}"));
    return buf_str(&out);
}

void answer_error(struct api_request *request, const struct error *err)
{
    const struct error_format *format = format_of(request);
    str body = answer_error_body(request, err, request->http->arena);
    str challenge = format->challenge ? format->challenge(request) : STR_NONE;
    if (err->status == ST_FORBIDDEN) access_note_refusal(request, err->message);
    answer(request, format->http_status ? format->http_status(err) : status_http(err->status),
           advice_of(err, challenge, request->http->arena), body);
}

void answer_problems(struct api_request *request, const struct call *call, str refusal, str problems)
{
    struct buf out;
    struct error why;
    buf_init(&out, call->arena);
    fail_code(&why, call->status, "VALIDATION_FAILED", "%.*s", STR_ARG(refusal));
    if (format_of(request)->put_error) format_of(request)->put_error(request, &why, &out);
    else format_of(request)->put(call->status, status_word(call->status), refusal, &out);
    PUT(&out, ",\"problems\":");
    buf_add_str(&out, problems);
    buf_add_char(&out, '}');
    answer(request, status_http(call->status), STR_NONE, buf_str(&out));
}

static void put_waiting(struct buf *out, const struct arrival_view *arrival)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, arrival->definition_id);
    PUT(out, ",\"trigger\":");
    put_text(out, arrival->trigger);
    if (arrival->key.n) {
        PUT(out, ",\"key\":");
        put_text(out, arrival->key);
    }
    buf_add_char(out, '}');
}

int answer_put_start(const struct call *call, struct buf *out)
{
    const struct answer_instances *answer = &call->value.instances;
    if (!answer->arrival) return 201;
    if (!answer->view) put_waiting(out, answer->arrival);
    out->n--; /* The brace. */
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(arrive_outcome_word(answer->arrival->outcome)));
    buf_add_char(out, '}');
    if (!answer->view) return 202;
    bool is_new = answer->arrival->outcome == OUTCOME_CREATED || answer->arrival->outcome == OUTCOME_REPLACED;
    return is_new ? 201 : 200;
}

void answer_render_nothing(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)call;
    (void)out;
    *ret_http_status = 204;
}
