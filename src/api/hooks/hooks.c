/* api/hooks/hooks.c — webhooks: a request becomes an arrival, and its outcome the answer.
 *
 * The body goes to the engine as it came, because signatures are over its bytes. It is decoded here already,
 * so that the engine's thread need not; whether it may be is decided there, after the sender has proved who
 * it is.
 */
#include "api/hooks/hooks_int.h"

#include "api/request_int.h"

#include "base/utf8.h"
#include "dialect/dialect.h"
#include "json/put.h"
#include "runtime/arrivals/arrivals.h"

enum { WAIT_MS = 30000 };

/* ---- the request ---- */

/* Names in lower case; of a name that comes several times the values are one list. */
static const struct json *read_headers(const struct http_request *http, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < http->header_count; i++) {
        const struct http_header *header = &http->header[i];
        struct buf value, name;
        bool repeated = false;
        for (size_t k = 0; k < i; k++)
            repeated |= str_equal_ignoring_case(http->header[k].name, header->name);
        if (repeated || !utf8_is_valid(header->name)) continue;
        buf_init(&name, arena);
        buf_init(&value, arena);
        for (size_t k = 0; k < header->name.n; k++) {
            char c = header->name.p[k];
            buf_add_char(&name, c >= 'A' && c <= 'Z' ? (char)(c | 32) : c);
        }
        for (size_t k = i; k < http->header_count; k++) {
            if (!str_equal_ignoring_case(http->header[k].name, header->name)) continue;
            if (k > i) buf_add_str(&value, STR(", "));
            buf_add_str(&value, http->header[k].value);
        }
        if (!utf8_is_valid(buf_str(&value))) continue;
        json_add_name(&builder, buf_str(&name));
        json_add_string(&builder, buf_str(&value));
    }
    json_close(&builder);
    return json_built(&builder);
}

/* An object of texts; of a name that comes twice the last one counts. */
static enum status read_query(const struct http_request *http, const struct json **ret_query,
                              struct error *err)
{
    struct arrival_field field[HOOK_QUERY_FIELDS_MAX];
    size_t count = 0;
    for (size_t from = 0; from < http->query.n;) {
        size_t end = str_find(http->query, STR("&"), from);
        if (end == SIZE_MAX) end = http->query.n;
        str pair = str_slice(http->query, from, end), name, value;
        size_t equals = str_find(pair, STR("="), 0);
        str rest = equals == SIZE_MAX ? STR("") : str_slice(pair, equals + 1, pair.n);
        from = end + 1;
        if (!pair.n) continue;
        if (count == HOOK_QUERY_FIELDS_MAX)
            return fail(err, ST_INVALID, "", "the query has more than %d fields", HOOK_QUERY_FIELDS_MAX);
        if (!http_decode(str_slice(pair, 0, equals), true, http->arena, &name) ||
            !http_decode(rest, true, http->arena, &value) || !utf8_is_valid(name) || !utf8_is_valid(value))
            return fail(err, ST_INVALID, "", "the query is not valid percent-encoded UTF-8");
        field[count++] = (struct arrival_field){ name, value };
    }
    *ret_query = arrival_fields(field, count, http->arena);
    return ST_OK;
}

/* ---- the answer ---- */

static bool is_refused(const struct arrival_view *view) { return view->http_status >= 400; }

static void put_outcome(struct buf *out, const struct arrival_view *view)
{
    PUT(out, "{\"outcome\":");
    put_text(out, str_of(arrive_outcome_word(view->outcome)));
    if (view->instance) {
        PUT(out, ",\"instanceId\":");
        put_id(out, (struct id){ .ms = view->instance_created_ms, .instance = view->instance });
    }
    if (view->key.n && !is_refused(view)) {
        PUT(out, ",\"key\":");
        put_text(out, view->key);
    }
    if (view->note.n) {
        PUT(out, ",\"note\":");
        put_text(out, view->note);
    }
}

/* The instance has come as far as it can: how it stands, and its data. */
static void put_snapshot(struct buf *out, const struct call *call)
{
    const struct instance_view *instance = call->value.arrivals.instance;
    PUT(out, ",\"status\":");
    put_text(out, dialect_status_word(instance->dialect, &instance->standing));
    if (!put_may_fit(out, instance->data, call->answer_max)) return;
    PUT(out, ",\"context\":");
    json_print(instance->data, out);
}

static void render_arrival(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_arrivals *answer = &call->value.arrivals;
    if (answer->opaque) {
        *ret_http_status = 202;
        return;
    }
    if (!answer->count) {
        *ret_http_status = answer->allow.n ? 405 : 404;
        PUT(out, "{\"outcome\":\"no_route\",\"message\":");
        put_text(out,
                 answer->allow.n ? STR("the webhook takes other methods") : STR("no trigger has this path"));
        buf_add_char(out, '}');
        return;
    }
    *ret_http_status = answer->view->http_status;
    put_outcome(out, answer->view);
    if (answer->instance && answer->finished) {
        if (*ret_http_status == 202) *ret_http_status = 200;
        put_snapshot(out, call);
    }
    if (is_refused(answer->view)) {
        PUT(out, ",\"message\":");
        put_text(out, str_of(arrive_outcome_meaning(answer->view->outcome)));
    }
    buf_add_char(out, '}');
}

static void render_lines(const struct call *call, struct buf *lines)
{
    const struct answer_arrivals *answer = &call->value.arrivals;
    if (answer->opaque) return;
    if (!answer->count && answer->allow.n) buf_printf(lines, "Allow: %.*s\r\n", STR_ARG(answer->allow));
    if (!answer->count) return;
    switch (answer->view->outcome) {
    case OUTCOME_REJECTED_AUTH:
        buf_add_str(lines, STR("WWW-Authenticate: Basic realm=\"webhook\"\r\n"));
        break;
    case OUTCOME_PAUSED: buf_add_str(lines, STR("Retry-After: 30\r\n")); break;
    case OUTCOME_DUPLICATE: buf_add_str(lines, STR("Idempotency-Replayed: true\r\n")); break;
    default: break;
    }
}

enum status hooks_read(const struct api_request *request, struct arena *arena,
                       const struct json **ret_payload, struct error *err)
{
    const struct arrival_terms terms = { .type = ARRIVAL_HTTP };
    struct arrival_event event = { .type = ARRIVAL_HTTP,
                                   .raw = request->http->body,
                                   .headers = read_headers(request->http, arena) };
    TRY(arrival_decode(&terms, &event, arena, err));
    *ret_payload = event.payload;
    return ST_OK;
}

enum status hooks_take(struct api_request *request, struct error *err)
{
    struct http_request *http = request->http;
    struct error unreadable;
    int64_t max = request->api->config.limits.hook_body_bytes_max;
    if (http->body.n > (size_t)max)
        return fail(err, ST_LIMIT, "",
                    "the body has %zu bytes; the most for a webhook is %lld (hook_body_bytes_max)",
                    http->body.n, (long long)max);
    struct call_arrive asked = {
        .event = { .type = ARRIVAL_HTTP,
                   .raw = http->body,
                   .method = str_equal(http->method, STR("HEAD")) ? STR("GET") : http->method,
                   .path = arena_printf(http->arena, "/%.*s", STR_ARG(request->param[0])),
                   .headers = read_headers(http, http->arena) },
        .idempotency_key = http_header(http, STR("Idempotency-Key")),
        .wait_ms = WAIT_MS,
    };
    if (asked.idempotency_key.n > IDEMPOTENCY_KEY_BYTES_MAX)
        return fail(err, ST_INVALID, "Idempotency-Key", "Idempotency-Key must be at most %d bytes",
                    IDEMPOTENCY_KEY_BYTES_MAX);
    TRY(read_query(http, &asked.event.query, err));
    /* A body that cannot be read is reported by the engine. */
    if (request_read(request, hooks_read, http->arena, &asked.event.payload, &unreadable) != ST_OK)
        asked.event.payload = NULL;
    request->render_headers = render_lines;
    return request_submit(request, call_arrive(request_origin(request), &asked), render_arrival, err);
}
