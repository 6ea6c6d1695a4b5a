/* api/events/cloud_events.c — takes CloudEvents (1.0 and 0.3) and lists those that nobody took.
 *
 *     application/cloudevents+json        structured: the body is the event
 *     application/cloudevents-batch+json  batch: the body is a list of events
 *     any other type, with ce- headers    binary: see cloud_binary.c
 *
 * A malformed event is refused before anything happens, and with it the whole batch. An event that the engine
 * cannot take for another reason is refused alone: in a batch its item says so; a single event is answered
 * with the error.
 *
 * With `?wait=` the sender of a single event is answered when the instances that it started or reached have
 * ended, with what became of them.
 */
#include "api/answer_int.h"
#include "api/events/events_int.h"
#include "api/request_int.h"

#include "dialect/dialect.h"
#include "json/json.h"
#include "json/put.h"
#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"

#define BATCH_TYPE "application/cloudevents-batch+json"

enum { INDEX_NONE = -1 };

/* ---- taking events ---- */

/* The instance as it was when the wait was over; NULL: nobody waited for it, or it is gone. */
static const struct instance_view *view_of(const struct call *call, size_t index)
{
    const struct answer_instances *waited = &call->value.instances;
    bool shown = call->as.events.wait_ms > 0 && waited->view && index < waited->count;
    return shown && waited->view[index].dialect ? &waited->view[index] : NULL;
}

static void put_instance(struct buf *out, const struct call *call, size_t index)
{
    const struct instance_view *view = view_of(call, index);
    if (!view) return;
    PUT(out, ",\"instance\":");
    view->dialect->put_instance(out, view, INSTANCE_WHOLE,
                                call->answer_max / (int64_t)call->value.instances.count);
}

/* Has everybody whom the event concerned ended, and is shown? */
static bool all_ended(const struct call *call)
{
    const struct call_event *event = call->as.events.event;
    for (size_t i = 0; i < event->instance_total; i++) {
        const struct instance_view *view = view_of(call, i);
        if (!view || !instance_status_ended(view->status)) return false;
    }
    return event->instance_total > 0;
}

static void put_instances(struct buf *out, const struct call *call, const struct call_event *event)
{
    PUT(out, ",\"instances\":[");
    for (size_t i = 0; i < event->instance_count; i++) {
        const struct event_instance *instance = &event->instance[i];
        buf_add_str(out, i ? STR(",{\"id\":") : STR("{\"id\":"));
        put_id(out, (struct id){ .ms = instance->created_ms, .instance = instance->id });
        PUT(out, ",\"started\":");
        buf_add_str(out, instance->started ? STR("true") : STR("false"));
        put_instance(out, call, i);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"instanceCount\":");
    put_int(out, (int64_t)event->instance_total);
}

static void put_taken(struct buf *out, const struct call *call, const struct call_event *event)
{
    PUT(out, "{\"id\":");
    json_print(json_get(event->event, STR("id")), out);
    PUT(out, ",\"source\":");
    json_print(json_get(event->event, STR("source")), out);
    PUT(out, ",\"type\":");
    json_print(json_get(event->event, STR("type")), out);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(call_event_outcome_word(event->outcome)));
    if (event->outcome == EVENT_DUPLICATE) {
        PUT(out, ",\"firstOutcome\":");
        put_text(out, str_of(call_event_outcome_word(event->first)));
    }
    put_instances(out, call, event);
    if (event->outcome == EVENT_UNMATCHED && event->reason.n) {
        PUT(out, ",\"reason\":");
        put_text(out, event->reason);
    }
    if (event->outcome == EVENT_REFUSED) {
        PUT(out, ",\"message\":");
        put_text(out, str_of(event->error.message));
    }
    buf_add_char(out, '}');
}

/* A single event that meets a limit is not too large: a mailbox is full, and may have room later. */
static void refuse_alone(struct error err, int *ret_http_status, struct buf *out)
{
    if (err.status == ST_LIMIT) err.status = ST_OVERLOAD;
    *ret_http_status = status_http(err.status);
    error_problem.put(err.status, status_word(err.status), error_sentence(&err, out->arena), out);
    buf_add_char(out, '}');
}

static void render_taken(const struct call *call, int *ret_http_status, struct buf *out)
{
    if (call->as.events.event_count == 1 && call->as.events.event->outcome == EVENT_REFUSED) {
        refuse_alone(call->as.events.event->error, ret_http_status, out);
        return;
    }
    *ret_http_status = all_ended(call) ? 200 : 202;
    PUT(out, "{\"events\":[");
    for (size_t i = 0; i < call->as.events.event_count; i++) {
        if (i) buf_add_char(out, ',');
        put_taken(out, call, &call->as.events.event[i]);
    }
    PUT(out, "]}");
}

static enum status parse(struct api_request *request, const struct json **ret_value, struct error *err)
{
    if (!request_is_utf8(request))
        return fail(err, ST_UNSUPPORTED, "", "events in JSON are read in UTF-8 only");
    return request_read(request, events_read, request->http->arena, ret_value, err);
}

static enum status read_one(struct api_request *request, struct call_events *ret_asked, struct error *err)
{
    const struct json *event;
    TRY(parse(request, &event, err));
    ret_asked->event = arena_make(request->http->arena, struct call_event);
    ret_asked->event_count = 1;
    return cloud_event_check(event, request->http->arena, &ret_asked->event->event, err);
}

static enum status read_batch(struct api_request *request, struct call_events *ret_asked, int64_t *ret_index,
                              struct error *err)
{
    int64_t max = request->api->config.limits.batch_items_max;
    const struct json *list;
    TRY(parse(request, &list, err));
    if (!json_is(list, JSON_ARRAY))
        return fail(err, ST_INVALID, "", "a batch is an array of events, not %s",
                    json_kind_name(json_kind(list)));
    size_t count = json_count(list);
    if (count > (size_t)max)
        return fail(err, ST_LIMIT, "", "%zu events in one batch; the most is %lld (batch_items_max)", count,
                    (long long)max);
    ret_asked->event = arena_make_n(request->http->arena, struct call_event, count);
    ret_asked->event_count = count;
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        *ret_index = (int64_t)i;
        TRY(cloud_event_check(each.value, request->http->arena, &ret_asked->event[i].event, err));
    }
    return ST_OK;
}

static enum status read_binary(struct api_request *request, struct call_events *ret_asked, struct error *err)
{
    ret_asked->event = arena_make(request->http->arena, struct call_event);
    ret_asked->event_count = 1;
    const struct json *event;
    TRY(cloud_binary_read(request, &event, err));
    request->identity = json_encoded(event);
    return cloud_event_check(event, request->http->arena, &ret_asked->event->event, err);
}

static enum status read_events(struct api_request *request, struct call_events *ret_asked, int64_t *ret_index,
                               struct error *err)
{
    str type = request_media_type(request);
    if (str_equal_ignoring_case(type, STR("application/cloudevents+json")))
        return read_one(request, ret_asked, err);
    if (str_equal_ignoring_case(type, STR(BATCH_TYPE))) return read_batch(request, ret_asked, ret_index, err);
    if (events_is_structured(request))
        return fail(err, ST_UNSUPPORTED, "",
                    "\"%.*s\" is a format of events that is not read; "
                    "application/cloudevents+json and application/cloudevents-batch+json are",
                    STR_ARG(type));
    if (cloud_binary_is(request->http)) return read_binary(request, ret_asked, err);
    return fail(err, ST_UNSUPPORTED, "",
                "this is no CloudEvent: send an event as application/cloudevents+json, several as "
                "application/cloudevents-batch+json, or its attributes as headers: ce-specversion, ce-id, "
                "ce-source, ce-type");
}

/* Says what is wrong, with which attribute, and in a batch of which event. */
static void answer_malformed(struct api_request *request, const struct error *err, int64_t index)
{
    struct error named = *err;
    struct buf out;
    buf_init(&out, request->http->arena);
    if (index != INDEX_NONE)
        fail(&named, err->status, err->where, "event %lld of the batch: %s", (long long)index, err->message);
    error_problem.put(named.status, status_word(named.status), error_sentence(&named, out.arena), &out);
    if (err->where[0]) {
        PUT(&out, ",\"attribute\":");
        put_text(&out, str_of(err->where));
    }
    if (index != INDEX_NONE) {
        PUT(&out, ",\"index\":");
        put_int(&out, index);
    }
    buf_add_char(&out, '}');
    answer(request, status_http(err->status), STR_NONE, buf_str(&out));
}

static enum status read_wait(struct api_request *request, struct call_events *asked, struct error *err)
{
    TRY(query_seconds(request, STR("wait"), request->api->config.limits.wait_seconds_max, &asked->wait_ms,
                      err));
    if (asked->wait_ms > 0 && str_equal_ignoring_case(request_media_type(request), STR(BATCH_TYPE)))
        return fail(err, ST_INVALID, "wait", "wait is for a single event, not for a batch");
    return ST_OK;
}

enum status events_take(struct api_request *request, struct error *err)
{
    struct call_events asked = { 0 };
    int64_t index = INDEX_NONE;
    enum status status = read_events(request, &asked, &index, err);
    if (status == ST_INVALID) {
        answer_malformed(request, err, index);
        return ST_OK;
    }
    TRY(status);
    TRY(read_wait(request, &asked, err));
    return request_submit(request, call_events(request_origin(request), &asked), render_taken, err);
}

/* ---- unmatched events ---- */

static void put_unmatched(struct buf *out, const struct unmatched_view *unmatched)
{
    PUT(out, "{\"number\":");
    put_int(out, unmatched->number);
    PUT(out, ",\"receivedAt\":");
    put_time(out, unmatched->received_ms);
    PUT(out, ",\"reason\":");
    put_text(out, unmatched->reason);
    PUT(out, ",\"event\":");
    if (unmatched->event) json_print(unmatched->event, out);
    else PUT(out, "null");
    buf_add_char(out, '}');
}

static void put_waiting(struct buf *out, const struct answer_unmatched *answer)
{
    PUT(out, ",\"waiting\":[");
    for (size_t i = 0; i < answer->waiting_count; i++) {
        const struct waiting_view *waiting = &answer->waiting[i];
        buf_add_str(out, i ? STR(",{\"definitionId\":") : STR("{\"definitionId\":"));
        put_text(out, waiting->definition_id);
        PUT(out, ",\"receivedAt\":");
        put_time(out, waiting->received_ms);
        PUT(out, ",\"expiresAt\":");
        put_time(out, waiting->until_ms);
        PUT(out, ",\"id\":");
        put_text(out, waiting->id);
        PUT(out, ",\"source\":");
        put_text(out, waiting->source);
        PUT(out, ",\"type\":");
        put_text(out, waiting->type);
        buf_add_char(out, '}');
    }
    buf_add_str(out, answer->waiting_more ? STR("],\"waitingMore\":true") : STR("]"));
}

/* A page ends early where it is long enough. */
static void render_unmatched(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_unmatched *answer = &call->value.unmatched;
    size_t shown = 0;
    bool more = answer->cut || answer->count == call->as.unmatched.max;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (; shown < answer->count; shown++) {
        size_t before = out->n;
        if (shown) buf_add_char(out, ',');
        put_unmatched(out, &answer->view[shown]);
        if (!shown || !put_is_beyond(out, call->answer_max)) continue;
        out->n = before;
        more = true;
        break;
    }
    buf_add_char(out, ']');
    if (call->as.unmatched.with_total) {
        PUT(out, ",\"total\":");
        put_int(out, answer->total);
        put_waiting(out, answer);
    }
    PUT(out, ",\"pageSize\":");
    put_int(out, (int64_t)call->as.unmatched.max);
    if (more && shown) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, (struct id){ .instance = (uint64_t)answer->view[shown - 1].number });
    }
    buf_add_char(out, '}');
}

enum status events_unmatched(struct api_request *request, struct error *err)
{
    struct call_unmatched asked = { 0 };
    bool cursor;
    struct id before = { 0 };
    int64_t skip;
    TRY(query_cursor(request, &cursor, &before, err));
    TRY(query_page(request, &skip, &asked.max, err));
    asked.with_total = !cursor;
    /* Before the first number there is nothing; 0 would be the newest page again. */
    asked.before = cursor && before.instance == 0 ? 1 : (int64_t)before.instance;
    return request_submit(request, call_list_unmatched(request_origin(request), &asked), render_unmatched,
                          err);
}

enum status events_resend(struct api_request *request, struct error *err)
{
    struct call_events asked = { 0 };
    if (!str_to_int64(request->param[0], &asked.resend) || asked.resend <= 0)
        return fail(err, ST_NOT_FOUND, "", "unmatched event %.*s not found", STR_ARG(request->param[0]));
    TRY(read_wait(request, &asked, err));
    return request_submit(request, call_events(request_origin(request), &asked), render_taken, err);
}
