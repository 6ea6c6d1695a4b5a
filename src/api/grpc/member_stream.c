/* api/grpc/member_stream.c — startStreaming: the stream by which a calculation node is connected.
 *
 *     node                                     engine
 *     CalculationMemberJoinEvent    ────►
 *                                   ◄────      CalculationMemberGreetEvent
 *                                   ◄────      Entity…CalculationRequest (compute/compute.h gives them)
 *     Entity…CalculationResponse    ────►
 *                                   ◄────      CalculationMemberKeepAliveEvent, every member_keep_alive_ms
 *     any message                   ────►      within member_silence_ms
 *     CalculationMemberKeepAlive…   ────►
 *                                   ◄────      EventAckResponse
 *
 * The stream ends with INVALID_ARGUMENT if the node does not join first, with DEADLINE_EXCEEDED if it is
 * silent for too long, and with UNAVAILABLE when the engine stops. An answer that changes nothing gets an
 * EventAckResponse whose `success` is false and which says why. Events that are malformed or unknown are
 * skipped, counted, and logged once a second at most.
 *
 * A node that does not read holds nobody: its stream takes no more than MEMBER_BEHIND_BYTES_MAX, the rest
 * waits in the hub, and silence ends it.
 */
#include "api/access/access_int.h"
#include "api/grpc/cloud_events_int.h"

#include "api/aside_int.h"
#include "api/limits.h"
#include "api/forwarding/forwarding_int.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "compute/compute.h"
#include "json/put.h"

#include <stdio.h>
#include <stdlib.h>

struct member_stream {
    struct api *api;
    struct grpc_call *call;
    struct compute_member *member; /* NULL: it has not joined yet. */
    char id[UUID_CHARS + 1];
    str legal_entity;            /* For the greeting. */
    struct forwarding_wait wait; /* Until other nodes can see that it has joined, or has left. */
    bool is_greeted;
    int64_t heard_us, told_us;           /* The node's last message, and our last keep-alive. */
    struct member_message *first, *last; /* Messages that wait for the first of them, which is being read. */
    bool is_closing;                     /* The node sends no more; the stream ends behind them. */
    struct access_holder holder;
    struct member_stream *before, *after;
};

/* A message on its way. Large ones are read on another thread, and those behind them wait, so that all are
 * taken in their order. */
struct member_message {
    struct aside_work aside;
    struct member_stream *stream; /* NULL: it has ended. */
    struct member_message *next;
    str bytes;
    struct arena arena; /* Holds a copy of the bytes, if it waits, and the event. */
    struct envelope event;
    enum status status;
    struct error error;
};

/* ---- messages that wait ---- */

static void free_message(struct member_message *message)
{
    arena_done(&message->arena);
    free(message);
}

/* The API goes. */
static void drop_message(void *context)
{
    struct member_message *message = context;
    if (message->stream) list_drop_first(message->stream, next);
    free_message(message);
}

static void drop_messages(struct member_stream *stream)
{
    while (stream->first) {
        struct member_message *message = stream->first;
        list_drop_first(stream, next);
        message->stream = NULL;
        /* One that runs is freed when it is read. */
        if (!message->aside.run) free_message(message);
        else aside_withdraw(&message->aside);
    }
}

/* ---- life ---- */

static void leave(struct member_stream *stream)
{
    struct api *api = stream->api;
    if (stream->before) stream->before->after = stream->after;
    else api->member_streams = stream->after;
    if (stream->after) stream->after->before = stream->before;
    api->member_stream_count--;
    stream->call->user = NULL;
    access_let_go(&stream->holder);
    drop_messages(stream);
    if (stream->wait.is_waiting) forwarding_stop_waiting(api->forwarding, &stream->wait);
    if (stream->member) compute_leave(stream->member);
}

static void finish(struct member_stream *stream, enum grpc_status code, str text)
{
    struct grpc_call *call = stream->call;
    bool had_joined = stream->member != NULL;
    leave(stream);
    if (had_joined) forwarding_tell_members(stream->api->forwarding, NULL);
    grpc_finish(call, code, text);
}

static void end_access(void *context)
{
    finish(context, GRPC_UNAUTHENTICATED, STR("the credential of the stream counts no more"));
}

void member_stream_begin(struct grpc_call *call, void *context)
{
    struct api *api = context;
    if (api->draining) {
        grpc_finish(call, GRPC_UNAVAILABLE, STR("the engine is stopping"));
        return;
    }
    if (!api->config.compute || api->member_stream_count >= COMPUTE_MEMBERS_MAX) {
        grpc_finish(call, GRPC_RESOURCE_EXHAUSTED, STR("too many calculation nodes are connected already"));
        return;
    }
    struct member_stream *stream = arena_make(call->request->arena, struct member_stream);
    *stream = (struct member_stream){ .api = api, .call = call, .after = api->member_streams };
    stream->heard_us = stream->told_us = clock_monotonic_us();
    if (api->member_streams) api->member_streams->before = stream;
    api->member_streams = stream;
    api->member_stream_count++;
    struct api_request *request = access_request_of(call->request);
    if (request) access_hold(&stream->holder, request, end_access, stream);
    call->user = stream;
}

static void finish_orderly(void *user)
{
    const struct member_stream *stream = user;
    grpc_finish(stream->call, GRPC_OK, STR_NONE);
}

/* A caller that hears of the stream's end finds the member at no node any more. */
static void close_stream(struct member_stream *stream)
{
    leave(stream);
    stream->wait = (struct forwarding_wait){ .go = finish_orderly, .user = stream };
    forwarding_tell_members(stream->api->forwarding, &stream->wait);
}

void member_stream_closed(struct grpc_call *call, void *context)
{
    struct member_stream *stream = call->user;
    (void)context;
    if (!stream) return;
    if (stream->first) stream->is_closing = true;
    else close_stream(stream);
}

void member_stream_gone(struct grpc_call *call, void *context)
{
    (void)context;
    if (call->user) finish(call->user, GRPC_CANCELLED, STR_NONE);
}

void member_stream_drained(struct grpc_call *call, void *context)
{
    struct member_stream *stream = call->user;
    (void)context;
    if (stream && stream->is_greeted) compute_ready(stream->member);
}

/* ---- sending ---- */

static bool send_event(struct member_stream *stream, str id, const char *type, str text,
                       const struct envelope_origin *origin)
{
    struct buf out;
    buf_init(&out, NULL);
    envelope_write(id, type, text, origin, &out);
    bool sent = grpc_send(stream->call, buf_str(&out));
    buf_done(&out);
    return sent;
}

/* The hub's: sends a request. */
static enum compute_sent send_request(void *context, const struct compute_request *request)
{
    static const char *const types[] = { [COMPUTE_PROCESSOR] = "EntityProcessorCalculationRequest",
                                         [COMPUTE_CRITERION] = "EntityCriteriaCalculationRequest",
                                         [COMPUTE_FUNCTION] = "EntityFunctionCalculationRequest" };
    struct member_stream *stream = context;
    char id[UUID_CHARS + 1];
    if (grpc_is_gone(stream->call)) return COMPUTE_GONE;
    if (grpc_behind(stream->call) > MEMBER_BEHIND_BYTES_MAX) {
        grpc_when_drained(stream->call);
        return COMPUTE_LATER;
    }
    const struct envelope_origin origin = { "system", "pawl", request->token };
    uuid_print(request->id, id);
    bool sent = send_event(stream, str_of(id), types[request->kind], request->text, &origin);
    return sent ? COMPUTE_SENT : COMPUTE_GONE;
}

/* {"id","success"}: the base of all events; members may follow. */
static str put_base(struct buf *out, bool success, char id[UUID_CHARS + 1])
{
    envelope_new_id(id);
    buf_printf(out, "{\"id\":\"%s\",\"success\":%s", id, success ? "true" : "false");
    return str_of(id);
}

/* `why`: the event has changed nothing; NULL: all is well. */
static void acknowledge(struct member_stream *stream, str source, const char *why)
{
    char text[UUID_CHARS + 1];
    struct buf out;
    buf_init(&out, NULL);
    str id = put_base(&out, !why, text);
    PUT(&out, ",\"sourceEventId\":");
    put_text(&out, source);
    if (why) {
        PUT(&out, ",\"error\":{\"code\":\"CLIENT_ERROR\",\"message\":");
        put_text(&out, str_of(why));
        buf_add_char(&out, '}');
    }
    buf_add_char(&out, '}');
    send_event(stream, id, "EventAckResponse", buf_str(&out), NULL);
    buf_done(&out);
}

static void keep_alive(struct member_stream *stream)
{
    char text[UUID_CHARS + 1];
    struct buf out;
    buf_init(&out, NULL);
    str id = put_base(&out, true, text);
    buf_printf(&out, ",\"memberId\":\"%s\"}", stream->id);
    send_event(stream, id, "CalculationMemberKeepAliveEvent", buf_str(&out), NULL);
    buf_done(&out);
}

/* Other nodes can see that the member has joined. */
static void greet(void *user)
{
    struct member_stream *stream = user;
    struct buf out;
    buf_init(&out, NULL);
    buf_printf(&out,
               "{\"id\":\"%s\",\"success\":true,\"memberId\":\"%s\",\"joinedLegalEntityId\":", stream->id,
               stream->id);
    put_text(&out, stream->legal_entity);
    buf_add_char(&out, '}');
    send_event(stream, str_of(stream->id), "CalculationMemberGreetEvent", buf_str(&out), NULL);
    buf_done(&out);
    stream->is_greeted = true;
    compute_ready(stream->member);
}

/* ---- joining ---- */

static enum status read_tags(const struct json *tags, struct arena *arena, str **ret_tag, size_t *ret_count,
                             struct error *err)
{
    *ret_count = 0;
    *ret_tag = NULL;
    if (!tags || json_is(tags, JSON_NULL)) return ST_OK;
    if (!json_is(tags, JSON_ARRAY)) return fail(err, ST_INVALID, "tags", "tags are a list of texts");
    *ret_count = json_count(tags);
    *ret_tag = arena_make_n(arena, str, *ret_count);
    for (size_t i = 0; i < *ret_count; i++) {
        if (!json_is(json_item(tags, i), JSON_STRING))
            return fail(err, ST_INVALID, "tags", "tags are a list of texts");
        (*ret_tag)[i] = json_string(json_item(tags, i));
    }
    return ST_OK;
}

static enum status join(struct member_stream *stream, const struct envelope *event, struct arena *arena,
                        struct error *err)
{
    const struct caller *caller = stream->call->request->caller;
    struct compute_joining joining = { .send = send_request, .context = stream, .tenant = caller->tenant };
    str *tag;
    if (!str_equal(event->type, STR("CalculationMemberJoinEvent")))
        return fail(err, ST_INVALID, "type", "the first event must be a CalculationMemberJoinEvent");
    if (!envelope_text(event, STR("id")).n) return fail(err, ST_INVALID, "id", "the event needs an id");
    TRY(read_tags(json_get(event->data, STR("tags")), arena, &tag, &joining.tag_count, err));
    joining.tag = tag;
    joining.id = envelope_new_id(stream->id);
    TRY(compute_join(stream->api->config.compute, &joining, &stream->member, err));
    stream->legal_entity =
        arena_str(stream->call->request->arena, envelope_text(event, STR("joinedLegalEntityId")));
    stream->wait = (struct forwarding_wait){ .go = greet, .user = stream };
    forwarding_tell_members(stream->api->forwarding, &stream->wait);
    return ST_OK;
}

/* ---- the node's events ---- */

static void skip(struct member_stream *stream, const char *why)
{
    struct api *api = stream->api;
    int64_t now_us = clock_monotonic_us();
    char count[24];
    api->member_events_skipped++;
    if (api->member_skip_told_us && now_us - api->member_skip_told_us < MEMBER_SKIP_TOLD_US) return;
    api->member_skip_told_us = now_us;
    snprintf(count, sizeof count, "%llu", (unsigned long long)api->member_events_skipped);
    log_write(LOG_WARN, "an event of a calculation node was skipped", "member", stream->id, "reason", why,
              "skipped_so_far", count, NULL);
}

static bool flag_of(const struct envelope *event, str name, bool otherwise)
{
    const struct json *value = json_get(event->data, name);
    return json_is(value, JSON_BOOL) ? json_bool(value) : otherwise;
}

/* {"data"}: the document that the processor answers with, if there is one. */
static const struct json *processor_value(const struct envelope *event, struct arena *arena)
{
    const struct json *data = json_get(json_get(event->data, STR("payload")), STR("data"));
    if (!data || json_is(data, JSON_NULL)) return json_empty_object();
    return json_set(arena, json_empty_object(), STR("data"), data);
}

static const struct json *criterion_value(const struct envelope *event, struct arena *arena)
{
    const struct json *value = json_set(arena, json_empty_object(), STR("matches"),
                                        json_of_bool(flag_of(event, STR("matches"), false)));
    const struct json *reason = json_get(event->data, STR("reason"));
    return json_is(reason, JSON_STRING) ? json_set(arena, value, STR("reason"), reason) : value;
}

/* {"result", "resultKind"}, as far as they are there: the engine judges them (runtime/entities/compute.c). */
static const struct json *function_value(const struct envelope *event, struct arena *arena)
{
    const struct json *value = json_empty_object();
    static const str names[] = { STR_INIT("result"), STR_INIT("resultKind") };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json *member = json_get(event->data, names[i]);
        if (member) value = json_set(arena, value, names[i], member);
    }
    return value;
}

static const struct json *value_of(const struct envelope *event, enum compute_kind kind, struct arena *arena)
{
    switch (kind) {
    case COMPUTE_PROCESSOR: return processor_value(event, arena);
    case COMPUTE_CRITERION: return criterion_value(event, arena);
    case COMPUTE_FUNCTION: return function_value(event, arena);
    }
    return NULL;
}

static void take_answer(struct member_stream *stream, const struct envelope *event, enum compute_kind kind,
                        struct arena *arena)
{
    const struct json *error = json_get(event->data, STR("error"));
    struct compute_answer answer = {
        .kind = kind,
        .entity = envelope_text(event, STR("entityId")),
        /* True by default, as the event's published schema says; a node that names an error has failed. */
        .success = flag_of(event, STR("success"), !json_is(error, JSON_OBJECT)),
        .message = json_text(error, STR("message")),
    };
    if (!uuid_parse(envelope_text(event, STR("requestId")), &answer.request)) {
        skip(stream, "an answer without the requestId of a request");
        acknowledge(stream, event->id, "the answer has no requestId that is a UUID");
        return;
    }
    answer.value = answer.success ? value_of(event, kind, arena) : json_empty_object();
    const struct json *warnings = json_get(event->data, STR("warnings"));
    if (json_is(warnings, JSON_ARRAY) && json_count(warnings))
        answer.value = json_set(arena, answer.value, STR("warnings"), warnings);
    enum compute_ignored why = compute_take(stream->member, &answer);
    if (why != COMPUTE_IGNORED_NOT) acknowledge(stream, event->id, compute_ignored_meaning(why));
}

static void take_event(struct member_stream *stream, const struct envelope *event, struct arena *arena)
{
    if (str_equal(event->type, STR("EntityProcessorCalculationResponse")))
        take_answer(stream, event, COMPUTE_PROCESSOR, arena);
    else if (str_equal(event->type, STR("EntityCriteriaCalculationResponse")))
        take_answer(stream, event, COMPUTE_CRITERION, arena);
    else if (str_equal(event->type, STR("EntityFunctionCalculationResponse")))
        take_answer(stream, event, COMPUTE_FUNCTION, arena);
    else if (str_equal(event->type, STR("CalculationMemberKeepAliveEvent")))
        acknowledge(stream, event->id, NULL);
    else if (!str_equal(event->type, STR("EventAckResponse"))) skip(stream, "an event of an unknown type");
}

/* ---- messages ---- */

/* On any thread. */
static void read_message(void *context)
{
    struct member_message *message = context;
    message->status = envelope_read(message->bytes, &message->arena, &message->event, &message->error);
}

/* The stream may have ended behind it. */
static void take_message(struct member_stream *stream, struct member_message *message)
{
    struct error *err = &message->error;
    enum status status = message->status;
    if (stream->member) {
        if (status == ST_OK) take_event(stream, &message->event, &message->arena);
        else skip(stream, err->message);
        return;
    }
    if (status == ST_OK) status = join(stream, &message->event, &message->arena, err);
    if (status != ST_OK)
        finish(stream, status == ST_OVERLOAD ? GRPC_RESOURCE_EXHAUSTED : GRPC_INVALID_ARGUMENT,
               str_of(err->message));
}

static void message_read(void *context);

/* Takes the messages that wait, up to the next large one. */
static void go_on(struct member_stream *stream)
{
    struct grpc_call *call = stream->call;
    while (call->user && stream->first) {
        struct member_message *message = stream->first;
        if (aside_is_due(stream->api, message->bytes.n, false)) {
            message->aside = (struct aside_work){
                .run = read_message, .done = message_read, .drop = drop_message, .context = message
            };
            aside_begin(stream->api, &message->aside);
            return;
        }
        list_drop_first(stream, next);
        read_message(message);
        take_message(stream, message);
        free_message(message);
    }
    if (!call->user) return;
    grpc_go_on(call);
    if (stream->is_closing) close_stream(stream);
}

static void message_read(void *context)
{
    struct member_message *message = context;
    struct member_stream *stream = message->stream;
    if (stream) {
        struct grpc_call *call = stream->call;
        list_drop_first(stream, next);
        take_message(stream, message);
        if (call->user) go_on(stream);
    }
    free_message(message);
}

/* The node sends no more than a window while messages wait. */
static void keep_message(struct member_stream *stream, str bytes)
{
    struct member_message *message = calloc(1, sizeof *message);
    must(message);
    arena_init(&message->arena, 0);
    message->stream = stream;
    message->bytes = arena_str(&message->arena, bytes);
    list_append(stream, message, next);
    if (stream->first != message) return;
    grpc_hold(stream->call);
    go_on(stream);
}

void member_stream_message(struct grpc_call *call, str bytes, void *context)
{
    struct member_stream *stream = call->user;
    struct member_message message = { .bytes = bytes };
    (void)context;
    if (!stream) return;
    stream->heard_us = clock_monotonic_us();
    if (stream->first || aside_is_due(stream->api, bytes.n, false)) {
        keep_message(stream, bytes);
        return;
    }
    arena_init(&message.arena, 0);
    read_message(&message);
    take_message(stream, &message);
    arena_done(&message.arena);
}

/* ---- time ---- */

void member_streams_look(struct api *api)
{
    const struct limits *limits = &api->config.limits;
    int64_t now_us = clock_monotonic_us();
    for (struct member_stream *stream = api->member_streams, *next; stream; stream = next) {
        next = stream->after;
        if (api->draining) {
            finish(stream, GRPC_UNAVAILABLE, STR("the engine is stopping"));
        } else if (now_us - stream->heard_us >= limits->member_silence_ms * 1000) {
            finish(stream, GRPC_DEADLINE_EXCEEDED, STR("the calculation node has been silent for too long"));
        } else if (stream->is_greeted && now_us - stream->told_us >= limits->member_keep_alive_ms * 1000) {
            stream->told_us = now_us;
            keep_alive(stream);
        }
    }
}
