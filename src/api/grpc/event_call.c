/* api/grpc/event_call.c — one event in, a call to the engine, one or several events out. */
#include "api/access/person_int.h"
#include "api/grpc/event_call_int.h"

#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/entity/entity_int.h"
#include "api/members_int.h"
#include "api/submit_int.h"
#include "base/datetime.h"
#include "base/hash.h"
#include "base/must.h"
#include "json/put.h"
#include "source/xml.h"

#include <stdlib.h>

/* ---- answers ---- */

static void begin_answer(const struct event_call *event, bool success, struct buf *out)
{
    PUT(out, "{\"id\":");
    put_text(out, event->envelope.id);
    PUT(out, ",\"requestId\":");
    put_text(out, event->envelope.id);
    PUT(out, ",\"success\":");
    put_flag(out, success);
}

static void put_warning(struct buf *out, str text, size_t *count)
{
    buf_add_str(out, (*count)++ ? STR(",") : STR(",\"warnings\":["));
    put_text(out, text);
}

/* Puts the warnings about the event, which one answer says, and the warnings of calculation nodes. `call` may
 * be NULL. */
static void put_warnings(struct event_call *event, const struct call *call, struct buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < event->warning_count; i++) put_warning(out, event->warning[i], &count);
    event->warning_count = 0;
    for (size_t i = 0; call && call->kind == CALL_WRITE_ENTITIES && i < call->as.entities.warning_count; i++)
        put_warning(out, call->as.entities.warning[i], &count);
    if (count) buf_add_char(out, ']');
}

/* Every answer had no room for them: there was none. */
static void add_warning_trailer(struct event_call *event)
{
    struct buf text;
    if (!event->warning_count) return;
    buf_init(&text, event->arena);
    for (size_t i = 0; i < event->warning_count; i++)
        buf_printf(&text, "%s%.*s", i ? "; " : "", STR_ARG(event->warning[i]));
    grpc_add_trailer(event->grpc, STR("x-pawl-warning"), str_slice(buf_str(&text), 0, WARNING_BYTES_MAX));
}

static bool send_answer(struct event_call *event, struct buf *text)
{
    struct buf message;
    buf_init(&message, text->arena);
    buf_add_char(text, '}');
    envelope_write(event->envelope.id, event->kind->answer, buf_str(text), false, &message);
    return grpc_send(event->grpc, buf_str(&message));
}

/* The end of the error: what a write has left, although it failed. */
static void put_left(struct buf *out, const struct call *failed)
{
    if (failed && failed->kind == CALL_WRITE_ENTITIES) entity_put_left(out, &failed->as.entities);
    buf_add_char(out, '}');
}

/* The refusal is an answer like any other. `failed` is NULL if nothing was asked. */
static void send_refusal(struct event_call *event, const struct call *failed, const struct error *err)
{
    struct arena scratch;
    struct buf text;
    const char *code = entity_error_code(err);
    arena_init(&scratch, 0);
    buf_init(&text, &scratch);
    begin_answer(event, false, &text);
    PUT(&text, ",\"error\":{\"code\":");
    put_text(&text, entity_error_http(err) < 500 ? STR("CLIENT_ERROR") : STR("SERVER_ERROR"));
    PUT(&text, ",\"message\":");
    put_text(&text, arena_printf(&scratch, "%s: %.*s", code, STR_ARG(error_sentence(err, &scratch))));
    if (entity_error_may_retry(err)) PUT(&text, ",\"retryable\":true");
    put_left(&text, failed);
    put_warnings(event, failed, &text);
    send_answer(event, &text);
    arena_done(&scratch);
}

static void refuse(struct event_call *event, const struct call *failed, const struct error *err)
{
    send_refusal(event, failed, err);
    grpc_finish(event->grpc, GRPC_OK, STR_NONE);
}

static void finish_expired(struct event_call *event)
{
    event->gone = true;
    grpc_finish(event->grpc, GRPC_UNAUTHENTICATED, STR("the credential of the call counts no more"));
}

/* The engine gives a read that runs back, and it is finished then. */
static void end_access(void *context)
{
    struct event_call *event = context;
    event->expired = true;
    if (event->is_submitted) runtime_abandon(event->api->config.client, event->call);
    else finish_expired(event);
}

static void hold(struct event_call *event)
{
    struct api_request *request = access_request_of(event->grpc->request);
    if (request && !event->holder.link) access_hold(&event->holder, request, end_access, event);
}

/* The rest is sent when the client has read. A slow client must not read on without a credential. */
static void pause_answers(struct event_call *event)
{
    hold(event);
    grpc_when_drained(event->grpc);
}

/* Sends the answers that are left, as long as the client reads them. */
static void send_answers(struct event_call *event)
{
    struct arena scratch;
    struct buf text;
    bool more = true;
    arena_init(&scratch, 0);
    while (more && grpc_behind(event->grpc) < STREAM_PAUSE_BYTES_MAX) {
        arena_reset(&scratch);
        buf_init(&text, &scratch);
        begin_answer(event, true, &text);
        more = event->kind->put(event->call, event->next++, &text);
        if (more) put_warnings(event, event->call, &text);
        more = more && send_answer(event, &text);
    }
    arena_done(&scratch);
    if (more) {
        pause_answers(event);
        return;
    }
    add_warning_trailer(event);
    grpc_finish(event->grpc, GRPC_OK, STR_NONE);
}

static void read_aside(struct event_call *event, str message);

static void refuse_chunk(struct event_call *event, const struct call *failed, const struct error *err)
{
    event->next++;
    send_refusal(event, failed, err);
}

/* Chunks that cannot be submitted are over at once. */
static void submit_chunks(struct event_call *event)
{
    struct error err;
    while (event->chunks_left) {
        if (event->is_large) {
            read_aside(event, STR_NONE);
            return;
        }
        if (event->submit_chunk(event, &err) == ST_OK) return;
        refuse_chunk(event, NULL, &err);
    }
    grpc_finish(event->grpc, GRPC_OK, STR_NONE);
}

/* The answer of a chunk, and the next chunk. */
static void end_chunk(struct event_call *event)
{
    struct arena scratch;
    struct buf text;
    const struct error *err = &event->call->error;
    if (err->status != ST_OK) {
        refuse_chunk(event, event->call, err);
    } else {
        event->next++;
        arena_init(&scratch, 0);
        buf_init(&text, &scratch);
        begin_answer(event, true, &text);
        event->kind->put(event->call, 0, &text);
        put_warnings(event, event->call, &text);
        send_answer(event, &text);
        arena_done(&scratch);
    }
    submit_chunks(event);
}

static void answered(struct call *call)
{
    struct event_call *event = call->user;
    event->is_submitted = false;
    access_let_go(&event->holder);
    if (event->gone) {
        grpc_finish(event->grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    if (event->expired) {
        finish_expired(event);
        return;
    }
    call->error.status = call->status;
    if (call->status == ST_OK && call->replayed_text) /* Only requests of HTTP were remembered as texts. */
        fail(&call->error, ST_CONFLICT, "Idempotency-Key", "this key was used for a request of HTTP");
    bool is_chunk = event->submit_chunk && (event->next || call->error.status == ST_OK);
    if (is_chunk) {
        end_chunk(event);
        return;
    }
    if (call->error.status != ST_OK) {
        refuse(event, call, &call->error);
        return;
    }
    submit_shorten(event->api, call);
    if (call->replayed) grpc_add_trailer(event->grpc, STR("idempotency-replayed"), STR("true"));
    send_answers(event);
}

bool event_put_nothing(const struct call *call, size_t i, struct buf *out)
{
    (void)call;
    (void)out;
    return i == 0;
}

/* ---- the call ---- */

struct call_origin event_call_origin(struct event_call *event)
{
    return (struct call_origin){ event->arena, answered, event, event->grpc->request->caller };
}

enum status event_call_submit(struct event_call *event, struct call *call, struct error *err)
{
    int64_t answer_max = event->api->config.limits.answer_bytes_max;
    if (answer_max > MESSAGE_ANSWER_TEXT_MAX) answer_max = MESSAGE_ANSWER_TEXT_MAX;
    str key = grpc_metadata(event->grpc, STR("idempotency-key"));
    event->call = call;
    if (event->reading) return ST_OK;
    /* Each chunk counts on its own. No client can send a key with a control character in it. */
    TRY(submit_key(call, key, event->hash, err));
    if (key.n && event->next)
        call->idempotency_key =
            arena_printf(event->arena, "%.*s\x1f%zu", STR_ARG(call->idempotency_key), event->next);
    event->is_submitted = true;
    if (call_may_stop(call)) hold(event);
    enum status status = submit_call(event->api, call, answer_max, err);
    if (status == ST_OK) return ST_OK;
    event->is_submitted = false;
    access_let_go(&event->holder);
    return status;
}

static bool withdraw(struct event_reading *reading);

/* A write that was submitted takes effect whoever waits for it. */
void event_call_gone(struct grpc_call *grpc, void *api)
{
    struct event_call *event = grpc->user;
    (void)api;
    event->gone = true;
    access_let_go(&event->holder);
    if (event->reading && !withdraw(event->reading)) return;
    if (event->is_submitted && event->call && call_may_stop(event->call))
        runtime_abandon(event->api->config.client, event->call);
    if (!event->is_submitted) grpc_finish(grpc, GRPC_CANCELLED, STR_NONE);
}

/* ---- events whose transaction is at another node ---- */

/* The value of a line "name: value"; empty: there is none. */
static str line_of(str lines, str name)
{
    while (lines.n) {
        size_t end = str_find(lines, STR("\r\n"), 0), colon = str_find(lines, STR(":"), 0);
        str line = str_slice(lines, 0, end);
        if (colon < line.n && str_equal_ignoring_case(str_slice(line, 0, colon), name))
            return str_trim(str_slice(line, colon + 1, line.n));
        lines = end == SIZE_MAX ? STR_NONE : str_slice(lines, end + 2, lines.n);
    }
    return STR_NONE;
}

static void finish_away(struct event_call *event)
{
    int64_t code = GRPC_INTERNAL;
    str text = STR_NONE, replayed = line_of(event->trailers, STR("idempotency-replayed"));
    str warning = line_of(event->trailers, STR("x-pawl-warning"));
    if (!str_to_int64(line_of(event->trailers, STR("grpc-status")), &code) || code < 0 ||
        code >= GRPC_STATUS_COUNT)
        code = GRPC_INTERNAL;
    http_decode(line_of(event->trailers, STR("grpc-message")), false, event->arena, &text);
    if (replayed.n) grpc_add_trailer(event->grpc, STR("idempotency-replayed"), replayed);
    if (warning.n) grpc_add_trailer(event->grpc, STR("x-pawl-warning"), warning);
    grpc_finish(event->grpc, (enum grpc_status)code, text);
}

/* Sends the answers of that node that are left, as long as the client reads them. */
static void send_frames(struct event_call *event)
{
    str message;
    while (grpc_behind(event->grpc) < STREAM_PAUSE_BYTES_MAX && grpc_take_frame(&event->frames, &message))
        if (!grpc_send(event->grpc, message)) event->frames = STR_NONE;
    if (event->frames.n && grpc_behind(event->grpc) >= STREAM_PAUSE_BYTES_MAX) pause_answers(event);
    else finish_away(event);
}

void event_call_drained(struct grpc_call *grpc, void *api)
{
    struct event_call *event = grpc->user;
    (void)api;
    if (event->gone) return;
    access_let_go(&event->holder);
    if (event->trailers.n) send_frames(event);
    else send_answers(event);
}

static const struct event_kind *find_kind(const struct event_kind *kinds, size_t count, str type)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(kinds[i].type, type)) return &kinds[i];
    return NULL;
}

/* The same event may come again under another id. */
static void hash_event(struct event_call *event)
{
    struct buf text;
    struct json_builder builder;
    struct json_each each = json_each(event->envelope.data);
    buf_init(&text, event->arena);
    json_builder_init(&builder, event->arena);
    json_open_object(&builder);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("id"))) continue;
        json_add_name(&builder, each.name);
        json_add(&builder, each.value);
    }
    json_close(&builder);
    buf_add_str(&text, event->kind->type);
    json_print_canonical(json_built(&builder), &text);
    event->hash = hash_bytes(buf_str(&text));
}

static enum status read_event(struct event_call *event, str message, const struct event_kind *kinds,
                              size_t count, struct error *err)
{
    TRY(envelope_read(message, event->arena, &event->envelope, err));
    event->kind = find_kind(kinds, count, event->envelope.type);
    if (!event->kind)
        return fail(err, ST_INVALID, "type", "this method does not take events of the type \"%.*s\"",
                    STR_ARG(str_slice(event->envelope.type, 0, 100)));
    struct caller *caller = event->grpc->request->caller;
    TRY(caller_check_for(caller, event->kind->needs, STR_NONE, err));
    if (caller) {
        caller->needs = event->kind->needs; /* For the objects that the event names. */
        caller->may_all = false;
    }
    if (grpc_metadata(event->grpc, STR("idempotency-key")).n) hash_event(event);
    str actor = grpc_metadata(event->grpc, STR("x-actor"));
    TRY(submit_check_actor(actor, err));
    return person_take(event->grpc->request->caller, actor, err);
}

/* The event is read, and its call submitted or not. `is_event`: the error is its answer, else the call's. */
static void end_reading(struct event_call *event, bool is_event, const struct error *err)
{
    if (err->status == ST_OK) return;
    if (is_event) refuse(event, NULL, err);
    else
        grpc_finish(event->grpc, (enum grpc_status)status_grpc(err->status),
                    error_sentence(err, event->arena));
}

/* Each part of the event is obeyed by its kind or refused. */
static enum status check_takes(const struct event_call *event, struct error *err)
{
    static const struct {
        enum route_takes bit;
        str name;
    } members[] = {
        { TAKES_TIME, STR_INIT("pointInTime") },
        { TAKES_TRANSACTION, STR_INIT("transactionId") },
    };
    const struct event_kind *kind = event->kind;
    if (!(kind->takes & TAKES_TOKEN) && event_call_token(event).n) return takes_fail_token("tx-token", err);
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json *value = json_get(event->envelope.data, members[i].name);
        if (value && !json_is(value, JSON_NULL) && !(kind->takes & members[i].bit))
            return fail(err, ST_INVALID, members[i].name.p, "%.*s does not take %s", STR_ARG(kind->type),
                        members[i].name.p);
    }
    return ST_OK;
}

static bool warn_of_member(void *context, const struct member_unknown *unknown)
{
    struct event_call *event = context;
    event->warning[event->warning_count++] =
        arena_printf(event->arena, "the member %s of the event is unknown and has no effect; %s",
                     unknown->place, unknown->advice);
    return event->warning_count < UNKNOWN_MEMBERS_MAX;
}

/* Members that the kind does not read are warned about. Requests have these members with answers in common:
 * success, error and warnings mean nothing in them. */
static enum status check_members(struct event_call *event, struct error *err)
{
    static const char *const base = "id success error warnings pointInTime transactionId";
    str id;
    str names = arena_printf(event->arena, "%s%s%s", base, event->kind->members ? " " : "",
                             event->kind->members ? event->kind->members : "");
    members_check(event->envelope.data, names.p, event->arena, warn_of_member, event);
    return event_read_text(event->envelope.data, STR("id"), &id, err);
}

/* Reads the event and asks what it says. Returns false if it cannot be read. */
static bool ask(struct event_call *event, str message, struct error *ret_error)
{
    ret_error->status = read_event(event, message, event->kinds, event->kind_count, ret_error);
    if (ret_error->status != ST_OK) return false;
    ret_error->status = check_takes(event, ret_error);
    if (ret_error->status == ST_OK) ret_error->status = check_members(event, ret_error);
    if (ret_error->status == ST_OK) ret_error->status = event->kind->ask(event, ret_error);
    return true;
}

/* A large event, or the next chunk of one, read on another thread into memory of its own: the network looks
 * at the call's arena. */
struct event_reading {
    struct aside_work aside;
    struct event_call *event;
    str message; /* Empty: a chunk. */
    struct arena arena;
    bool is_event;
    struct error error;
};

static void read_message(void *context)
{
    struct event_reading *reading = context;
    struct event_call *event = reading->event;
    if (reading->message.n) reading->is_event = ask(event, reading->message, &reading->error);
    else reading->error.status = event->submit_chunk(event, &reading->error);
}

static void drop_reading(void *context)
{
    struct event_reading *reading = context;
    reading->event->reading = NULL;
    reading->event->arena = reading->event->grpc->request->arena;
    arena_done(&reading->arena);
    free(reading);
}

static bool withdraw(struct event_reading *reading) { return aside_withdraw(&reading->aside); }

static void message_read(void *context)
{
    struct event_reading *reading = context;
    struct event_call *event = reading->event;
    struct error err = reading->error;
    bool is_event = reading->is_event, is_chunk = !reading->message.n;
    arena_adopt(event->grpc->request->arena, &reading->arena);
    drop_reading(reading);
    if (event->gone) {
        grpc_finish(event->grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    if (err.status == ST_OK) {
        event->call->arena = event->arena;
        err.status = event_call_submit(event, event->call, &err);
    }
    if (!is_chunk) {
        end_reading(event, is_event, &err);
    } else if (err.status != ST_OK) {
        refuse_chunk(event, NULL, &err);
        submit_chunks(event);
    }
}

static void read_aside(struct event_call *event, str message)
{
    struct event_reading *reading = calloc(1, sizeof *reading);
    must(reading);
    *reading = (struct event_reading){ .event = event };
    if (message.n) reading->message = arena_str(event->arena, message);
    reading->aside = (struct aside_work){
        .run = read_message, .done = message_read, .drop = drop_reading, .context = reading
    };
    arena_init(&reading->arena, 0);
    event->arena = &reading->arena;
    event->is_large = true;
    event->reading = reading;
    aside_begin(event->api, &reading->aside);
}

static void take_here(struct event_call *event, str message)
{
    struct error err = { 0 };
    if (aside_is_due(event->api, message.n, false)) {
        read_aside(event, message);
        return;
    }
    bool is_event = ask(event, message, &err);
    end_reading(event, is_event, &err);
}

/* The transaction has gone with its node, and our engine says so. */
static void lose_away(struct forwarding_call *call)
{
    struct event_call *event = call->user;
    event->is_submitted = false;
    if (event->gone) grpc_finish(event->grpc, GRPC_CANCELLED, STR_NONE);
    else take_here(event, event->message);
}

static void end_away(struct forwarding_call *call)
{
    struct event_call *event = call->user;
    struct error err;
    event->is_submitted = false;
    forwarding_fail_unsure(&err);
    if (event->gone) grpc_finish(event->grpc, GRPC_CANCELLED, STR_NONE);
    else
        grpc_finish(event->grpc, (enum grpc_status)status_grpc(err.status),
                    error_sentence(&err, event->arena));
}

static void answer_away(struct forwarding_call *call, const struct forwarding_answer *answer)
{
    struct event_call *event = call->user;
    bool is_in_head = !answer->trailers.n; /* A call without messages has its status there. */
    event->is_submitted = false;
    if (event->gone) {
        grpc_finish(event->grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    if (!answer->status) {
        grpc_finish(event->grpc, GRPC_RESOURCE_EXHAUSTED,
                    STR("the node that has the transaction has no room for the call"));
        return;
    }
    event->trailers = arena_str(event->arena, is_in_head ? answer->headers : answer->trailers);
    event->frames = arena_str(event->arena, answer->body);
    send_frames(event);
}

/* True: another node has its transaction, and answers. */
static bool send_away(struct event_call *event, str message)
{
    int64_t node = event->grpc->request->is_local
                       ? 0
                       : forwarding_node_of_token(event->api->forwarding, event_call_token(event));
    struct error err;
    struct buf body;
    if (!node) return false;
    event->away = (struct forwarding_call){
        .answered = answer_away, .lost = lose_away, .unsure = end_away, .user = event, .node = node
    };
    event->message = arena_str(event->arena, message);
    buf_init(&body, event->arena);
    grpc_add_frame(&body, message);
    event->is_submitted = true;
    if (forwarding_send_call(event->api->forwarding, &event->away, event->grpc->request, buf_str(&body), true,
                             &err) == ST_OK)
        return true;
    event->is_submitted = false;
    grpc_finish(event->grpc, (enum grpc_status)status_grpc(err.status), error_sentence(&err, event->arena));
    return true;
}

void event_call_take(struct grpc_call *grpc, str message, struct api *api, const struct event_kind *kinds,
                     size_t count)
{
    struct event_call *event = arena_make(grpc->request->arena, struct event_call);
    *event = (struct event_call){
        .api = api, .arena = grpc->request->arena, .grpc = grpc, .kinds = kinds, .kind_count = count
    };
    grpc->user = event;
    if (!send_away(event, message)) take_here(event, message);
}

/* ---- members ---- */

enum status event_read_model(const struct json *model, str *ret_name, int32_t *ret_version, struct error *err)
{
    const struct json *name = json_get(model, STR("name"));
    int64_t version = 0;
    if (!json_is(name, JSON_STRING) || !entity_name_is_sound(json_string(name)))
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "model.name is a text of 1 to %d bytes without control characters",
                         ENTITY_MODEL_NAME_BYTES_MAX);
    const struct json *number = json_get(model, STR("version"));
    if (!number || !json_int64(number, &version) || version < 1 || version > INT32_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "model.version is an integer from 1 on");
    *ret_name = json_string(name);
    *ret_version = (int32_t)version;
    return ST_OK;
}

enum status event_read_id(const struct json *id, struct uuid *ret_id, struct error *err)
{
    if (json_is(id, JSON_STRING) && uuid_parse(json_string(id), ret_id)) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "the id of an entity is a UUID");
}

enum status event_read_text(const struct json *data, str name, str *ret_text, struct error *err)
{
    const struct json *value = json_get(data, name);
    bool is_there = value && !json_is(value, JSON_NULL);
    *ret_text = STR_NONE;
    if (is_there && !json_is(value, JSON_STRING))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "%.*s is a text, not %s", STR_ARG(name),
                         json_kind_name(json_kind(value)));
    if (is_there) *ret_text = json_string(value);
    return ST_OK;
}

enum status event_read_number(const struct json *data, str name, int64_t least, int64_t most,
                              int64_t otherwise, int64_t *ret_number, struct error *err)
{
    const struct json *value = json_get(data, name);
    *ret_number = otherwise;
    if (!value || json_is(value, JSON_NULL)) return ST_OK;
    if (json_int64(value, ret_number) && *ret_number >= least && *ret_number <= most) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "%.*s is an integer from %lld to %lld", STR_ARG(name),
                     (long long)least, (long long)most);
}

enum status event_read_time(const struct json *data, str name, int64_t *ret_ms, bool *ret_is_there,
                            struct error *err)
{
    const struct json *value = json_get(data, name);
    *ret_is_there = value && !json_is(value, JSON_NULL);
    if (!*ret_is_there) return ST_OK;
    if (json_is(value, JSON_STRING) && datetime_parse(json_string(value), ret_ms)) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "%.*s is a time like 2026-11-15T03:50:11.123Z",
                     STR_ARG(name));
}

enum status event_read_transaction(const struct event_call *event, str *ret_transaction, struct error *err)
{
    const struct json *value = json_get(event->envelope.data, STR("transactionId"));
    bool is_there = value && !json_is(value, JSON_NULL);
    *ret_transaction = STR_NONE;
    if (!is_there) return ST_OK;
    return entity_read_transaction(json_is(value, JSON_STRING) ? json_string(value) : STR_NONE, event->arena,
                                   ret_transaction, err);
}

enum status event_read_document(const struct event_call *event, const struct json *value, const char *name,
                                const struct json **ret_document, struct error *err)
{
    str format;
    TRY(event_read_text(event->envelope.data, STR("dataFormat"), &format, err));
    if (!value) return fail_code(err, ST_INVALID, "BAD_REQUEST", "%s is missing: a document", name);
    *ret_document = value;
    if (!format.n || str_equal(format, STR("JSON"))) return ST_OK;
    if (!str_equal(format, STR("XML")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "documents are JSON or XML, not \"%.*s\"",
                         STR_ARG(str_slice(format, 0, 100)));
    if (!json_is(value, JSON_STRING))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "%s is XML, so it is a text", name);
    return xml_parse(json_string(value), (size_t)event->api->config.limits.body_bytes_max, event->arena,
                     ret_document, err);
}

str event_call_token(const struct event_call *event) { return grpc_metadata(event->grpc, STR("tx-token")); }
