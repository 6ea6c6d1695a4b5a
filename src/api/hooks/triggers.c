/* api/hooks/triggers.c — triggers and arrivals as operators see them. */
#include "api/hooks/hooks_int.h"
#include "api/submit_int.h"

#include "api/request_int.h"

#include "json/put.h"
#include "runtime/arrivals/arrivals.h"

/* ---- triggers ---- */

static void put_counts(struct buf *out, const uint64_t count[OUTCOME_COUNT])
{
    bool first = true;
    buf_add_char(out, '{');
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (!count[i]) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, str_of(arrive_outcome_word((enum arrival_outcome)i)));
        buf_add_char(out, ':');
        put_int(out, (int64_t)count[i]);
    }
    buf_add_char(out, '}');
}

static void put_broker(struct buf *out, const struct api_broker *broker)
{
    PUT(out, ",\"broker\":{\"ref\":");
    int32_t tenant;
    put_text(out, tenant_name(broker->reference, &tenant));
    PUT(out, ",\"connected\":");
    buf_add_str(out, broker->connected ? STR("true") : STR("false"));
    if (broker->since_ms) {
        PUT(out, ",\"since\":");
        put_time(out, broker->since_ms);
    }
    if (broker->why.n) {
        PUT(out, ",\"error\":");
        put_text(out, broker->why);
    }
    PUT(out, ",\"messages\":");
    put_int(out, (int64_t)broker->messages);
    PUT(out, ",\"duplicates\":");
    put_int(out, (int64_t)broker->duplicates);
    PUT(out, ",\"tooLarge\":");
    put_int(out, (int64_t)broker->too_large);
    PUT(out, ",\"reconnects\":");
    put_int(out, broker->connects ? (int64_t)broker->connects - 1 : 0);
    buf_add_char(out, '}');
}

/* The brokers as they are while the answer is written. */
struct brokers {
    int32_t tenant; /* It has these triggers: brokers of other tenants may have the same names. */
    struct api_broker *broker;
    size_t count;
};

static struct brokers look_at_brokers(const struct call *call)
{
    const struct api_request *request = call->user;
    const struct api_config *config = &request->api->config;
    struct brokers brokers = { .tenant = call->ns };
    if (config->brokers)
        brokers.count = config->brokers(config->brokers_context, call->arena, &brokers.broker);
    return brokers;
}

/* One that the engine has not heard of yet is not shown. */
static void put_broker_of(struct buf *out, const struct trigger_view *view, const struct brokers *brokers)
{
    int32_t tenant;
    const struct json *reference = json_get(json_get(view->config, STR("mqtt")), STR("brokerRef"));
    if (view->type != ARRIVAL_MQTT || !json_is(reference, JSON_STRING)) return;
    for (size_t i = 0; i < brokers->count; i++)
        if (str_equal(tenant_name(brokers->broker[i].reference, &tenant), json_string(reference)) &&
            tenant == brokers->tenant)
            put_broker(out, &brokers->broker[i]);
}

static void put_trigger(struct buf *out, const struct trigger_view *view, const struct brokers *brokers)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, view->definition_id);
    PUT(out, ",\"version\":");
    put_int(out, view->version);
    PUT(out, ",\"trigger\":");
    put_text(out, view->trigger);
    if (view->label.n) {
        PUT(out, ",\"label\":");
        put_text(out, view->label);
    }
    if (view->definition_title.n) {
        PUT(out, ",\"definitionName\":");
        put_text(out, view->definition_title);
    }
    PUT(out, ",\"type\":");
    put_text(out, str_of(arrival_type_word(view->type)));
    if (view->address.n) {
        PUT(out, ",\"address\":");
        put_text(out, view->address);
    }
    PUT(out, ",\"state\":");
    put_text(out, view->paused ? STR("paused") : STR("active"));
    if (view->reason.n) {
        PUT(out, ",\"reason\":");
        put_text(out, view->reason);
    }
    if (view->next_ms) {
        PUT(out, ",\"nextAt\":");
        put_time(out, view->next_ms);
    }
    if (view->config) {
        PUT(out, ",\"config\":");
        json_print(view->config, out);
    }
    put_broker_of(out, view, brokers);
    PUT(out, ",\"counts\":");
    put_counts(out, view->count);
    buf_add_char(out, '}');
}

/* A cursor is the key of a record: any bytes, as hexadecimal digits. */
static void put_cursor(struct buf *out, str key)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < key.n; i++) buf_printf(out, "%02x", (unsigned char)key.p[i]);
    buf_add_char(out, '"');
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum status read_cursor(struct api_request *request, str *ret_key, struct error *err)
{
    str text = query_text(request, STR("cursor"));
    struct buf key;
    buf_init(&key, request->http->arena);
    for (size_t i = 0; i + 1 < text.n; i += 2) {
        int high = digit_of(text.p[i]), low = digit_of(text.p[i + 1]);
        if (high < 0 || low < 0) return fail(err, ST_INVALID, "cursor", "the cursor is none of ours");
        buf_add_char(&key, (char)(high * 16 + low));
    }
    *ret_key = buf_str(&key);
    return ST_OK;
}

static void render_triggers(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_triggers *answer = &call->value.triggers;
    const struct brokers brokers = look_at_brokers(call);
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_trigger(out, &answer->view[i], &brokers);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.triggers.max);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":");
        put_cursor(out, call->as.triggers.after);
    }
    buf_add_char(out, '}');
}

enum status hooks_list_triggers(struct api_request *request, struct error *err)
{
    struct call_triggers asked = { .definition_id = query_text(request, STR("definitionId")),
                                   .keyword = query_text(request, STR("keyword")) };
    int64_t skip;
    if (asked.keyword.n > TITLE_BYTES_MAX)
        return fail(err, ST_INVALID, "keyword", "keyword must be at most %d bytes", TITLE_BYTES_MAX);
    TRY(query_page(request, &skip, &asked.max, err));
    TRY(read_cursor(request, &asked.after, err));
    request->looks_around = true;
    return request_submit(request, call_list_triggers(request_origin(request), &asked), render_triggers, err);
}

/* ---- pausing ---- */

static void render_trigger(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct brokers brokers = look_at_brokers(call);
    *ret_http_status = 200;
    put_trigger(out, call->value.triggers.view, &brokers);
}

static enum status set_paused(struct api_request *request, bool paused, struct error *err)
{
    struct call_trigger asked = { .definition_id = request->param[0],
                                  .trigger = request->param[1],
                                  .paused = paused };
    const struct json *body;
    if (paused) {
        TRY(request_body(request, false, &body, err));
        TRY(field_text(body, "reason", TITLE_BYTES_MAX, &asked.reason, err));
    }
    request->looks_around = true;
    return request_submit(request, call_pause_trigger(request_origin(request), &asked), render_trigger, err);
}

enum status hooks_pause(struct api_request *request, struct error *err)
{
    return set_paused(request, true, err);
}

enum status hooks_resume(struct api_request *request, struct error *err)
{
    return set_paused(request, false, err);
}

static enum status set_engine_paused(struct api_request *request, bool paused, struct error *err)
{
    const struct call_pause asked = { .paused = paused };
    return request_submit(request, call_pause_engine(request_origin(request), &asked), answer_render_nothing,
                          err);
}

enum status hooks_pause_engine(struct api_request *request, struct error *err)
{
    return set_engine_paused(request, true, err);
}

enum status hooks_resume_engine(struct api_request *request, struct error *err)
{
    return set_engine_paused(request, false, err);
}

/* ---- arrivals ---- */

static void put_arrival(struct buf *out, const struct arrival_view *view)
{
    PUT(out, "{\"number\":");
    put_int(out, (int64_t)view->number);
    PUT(out, ",\"at\":");
    put_time(out, view->at_ms);
    PUT(out, ",\"definitionId\":");
    put_text(out, view->definition_id);
    PUT(out, ",\"version\":");
    put_int(out, view->version);
    PUT(out, ",\"trigger\":");
    put_text(out, view->trigger);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(arrive_outcome_word(view->outcome)));
    if (view->key.n) {
        PUT(out, ",\"key\":");
        put_text(out, view->key);
    }
    if (view->instance) {
        PUT(out, ",\"instanceId\":");
        put_id(out, (struct id){ .ms = view->instance_created_ms, .instance = view->instance });
    }
    if (view->note.n) {
        PUT(out, ",\"note\":");
        put_text(out, view->note);
    }
    if (view->http_status >= 400) { /* Only answers have one: records do not. */
        PUT(out, ",\"reason\":");
        put_text(out, str_of(arrive_outcome_meaning(view->outcome)));
    }
    buf_add_char(out, '}');
}

static void render_arrivals(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_arrivals *answer = &call->value.arrivals;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_arrival(out, &answer->view[i]);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.arrivals.max);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":\"");
        put_int(out, (int64_t)answer->next);
        buf_add_char(out, '"');
    }
    buf_add_char(out, '}');
}

enum status hooks_list_arrivals(struct api_request *request, struct error *err)
{
    struct call_arrivals asked = { .definition_id = query_text(request, STR("definitionId")),
                                   .trigger = query_text(request, STR("trigger")),
                                   .outcome = -1 };
    str outcome = query_text(request, STR("outcome")), cursor = query_text(request, STR("cursor"));
    enum arrival_outcome known;
    int64_t skip, before = 0;
    TRY(query_page(request, &skip, &asked.max, err));
    if (outcome.n && !arrive_outcome_of(outcome, &known))
        return fail(err, ST_INVALID, "outcome", "there is no outcome \"%.*s\"", STR_ARG(outcome));
    if (outcome.n) asked.outcome = (int32_t)known;
    if (cursor.n && (!str_to_int64(cursor, &before) || before < 1))
        return fail(err, ST_INVALID, "cursor", "the cursor is none of ours");
    asked.before = (uint64_t)before;
    return request_submit(request, call_list_arrivals(request_origin(request), &asked), render_arrivals, err);
}

static void render_fired(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_arrivals *answer = &call->value.arrivals;
    *ret_http_status = answer->count ? answer->view->http_status : 404;
    if (answer->count) put_arrival(out, answer->view);
}

static void render_fired_lines(const struct call *call, struct buf *lines)
{
    const struct answer_arrivals *answer = &call->value.arrivals;
    if (answer->count && answer->view->outcome == OUTCOME_DUPLICATE)
        buf_add_str(lines, STR("Idempotency-Replayed: true\r\n"));
}

/* A person stands in for what usually comes: the body is the payload. */
enum status hooks_fire(struct api_request *request, struct error *err)
{
    struct call_arrive asked = { .event = { .type = ARRIVAL_MANUAL,
                                            .actor = takes_header(request, TAKES_ACTOR) },
                                 .definition_id = request->param[0],
                                 .trigger = request->param[1],
                                 .idempotency_key = takes_header(request, TAKES_KEY) };
    if (asked.idempotency_key.n > IDEMPOTENCY_KEY_BYTES_MAX)
        return fail(err, ST_INVALID, "Idempotency-Key", "Idempotency-Key must be at most %d bytes",
                    IDEMPOTENCY_KEY_BYTES_MAX);
    asked.idempotency_key = submit_own_key(&request->caller, asked.idempotency_key, request->http->arena);
    TRY(query_flag(request, STR("isTest"), &asked.is_test, err));
    if (request->http->body.n)
        TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.event.payload, err));
    request->render_headers = render_fired_lines;
    return request_submit(request, call_arrive(request_origin(request), &asked), render_fired, err);
}
