/* Calls of gRPC: frames, statuses, deadlines, cancellations, flow control. */
#include "http2_pair.h"

#include "base/clock.h"
#include "net/grpc.h"

/* ---- methods ---- */

static struct {
    struct grpc_call *call; /* The latest that nobody has finished. */
    int begun, messages, closed, gone, drained;
    size_t bytes; /* Of messages. */
    char last;
    bool finish_when_gone;
} seen;

static void note_begin(struct grpc_call *call, void *context)
{
    assert_non_null(context);
    seen.begun++;
    seen.call = call;
}

static void note_closed(struct grpc_call *call, void *context)
{
    (void)context;
    assert_ptr_equal(seen.call, call);
    seen.closed++;
}

static void note_gone(struct grpc_call *call, void *context)
{
    (void)context;
    assert_true(grpc_is_gone(call));
    assert_false(grpc_send(call, STR("too late")));
    seen.gone++;
    if (!seen.finish_when_gone) return;
    grpc_finish(call, GRPC_OK, STR_NONE);
    seen.call = NULL;
}

static void echo(struct grpc_call *call, str message, void *context)
{
    (void)context;
    seen.messages++;
    seen.bytes += message.n;
    assert_true(grpc_send(call, message));
    grpc_finish(call, GRPC_OK, STR_NONE);
    seen.last = message.n ? message.p[message.n - 1] : 0; /* It may still be read. */
}

static void fail_it(struct grpc_call *call, str message, void *context)
{
    (void)context;
    (void)message;
    grpc_add_trailer(call, STR("x-why"), STR("a test"));
    grpc_send(call, STR("not sent"));
    grpc_finish(call, GRPC_NOT_FOUND, STR("nothing \"here\" — 100 %\n"));
}

static void say_nothing(struct grpc_call *call, str message, void *context)
{
    (void)context;
    (void)message;
    grpc_finish(call, GRPC_OK, STR_NONE);
}

static void keep(struct grpc_call *call, str message, void *context)
{
    (void)context;
    seen.messages++;
    seen.bytes += message.n;
    seen.call = call;
}

static void count_down(struct grpc_call *call, str message, void *context)
{
    (void)context;
    assert_true(message.n > 0);
    for (char c = message.p[0]; c > '0'; c--) grpc_send(call, (str){ &c, 1 });
    grpc_finish(call, message.p[0] == '0' ? GRPC_OUT_OF_RANGE : GRPC_OK, STR_NONE);
}

static void chat(struct grpc_call *call, str message, void *context)
{
    (void)context;
    seen.messages++;
    seen.bytes += message.n;
    grpc_send(call, message);
}

static void chat_closed(struct grpc_call *call, void *context)
{
    note_closed(call, context);
    grpc_finish(call, GRPC_OK, STR("bye"));
    seen.call = NULL;
}

static void chat_drained(struct grpc_call *call, void *context)
{
    (void)context;
    assert_int_equal(grpc_behind(call), 0);
    seen.drained++;
}

static void refuse(struct grpc_call *call, void *context)
{
    (void)context;
    assert_true(str_equal(grpc_metadata(call, STR("x-data-bin")), STR("AAEC")));
    grpc_finish(call, GRPC_PERMISSION_DENIED, STR("no"));
}

static const struct grpc_method methods[] = {
    { STR_INIT("t.T"), STR_INIT("Echo"), GRPC_UNARY, .message = echo },
    { STR_INIT("t.T"), STR_INIT("Fail"), GRPC_UNARY, .message = fail_it },
    { STR_INIT("t.T"), STR_INIT("Silent"), GRPC_UNARY, .message = say_nothing },
    { STR_INIT("t.T"), STR_INIT("Later"), GRPC_UNARY, .message = keep, .gone = note_gone },
    { STR_INIT("t.T"), STR_INIT("Count"), GRPC_SERVER_STREAM, .message = count_down },
    { STR_INIT("t.T"), STR_INIT("Watch"), GRPC_SERVER_STREAM, .message = keep, .gone = note_gone },
    { STR_INIT("t.T"), STR_INIT("Chat"), GRPC_BIDI, note_begin, chat, chat_closed, note_gone, chat_drained },
    { STR_INIT("t.T"), STR_INIT("Refuse"), GRPC_BIDI, refuse, chat, note_closed, note_gone, NULL },
};

static struct pair *start(const struct limits *limits, bool own_windows)
{
    memset(&seen, 0, sizeof seen);
    struct pair *pair = pair_new(limits, own_windows);
    pair->methods = methods;
    pair->method_count = COUNT(methods);
    return pair;
}

/* ---- the client ---- */

static void add_message(struct buf *out, uint8_t flag, str message)
{
    const uint8_t head[5] = { flag, (uint8_t)(message.n >> 24), (uint8_t)(message.n >> 16),
                              (uint8_t)(message.n >> 8), (uint8_t)message.n };
    buf_add(out, head, sizeof head);
    buf_add_str(out, message);
}

/* With one field more, or none. */
static int32_t call_with(struct pair *pair, const char *method, const char *name, const char *value, str body,
                         bool open)
{
    char path[64];
    snprintf(path, sizeof path, "/t.T/%s", method);
    nghttp2_nv field[8] = { FIELD(":method", "POST"),
                            FIELD(":scheme", "http"),
                            FIELD(":path", path),
                            FIELD(":authority", "a"),
                            FIELD("content-type", "application/grpc"),
                            FIELD("te", "trailers") };
    size_t count = 6;
    if (name) {
        size_t at = 6;
        for (size_t i = 4; i < 6; i++)
            if (strcmp((char *)field[i].name, name) == 0) at = i;
        field[at] = value ? FIELD(name, value) : FIELD("x", "y");
        if (at == 6) count++;
    }
    return pair_submit(pair, field, count, body.p, body.n, open);
}

static int32_t call(struct pair *pair, const char *method, const char *message)
{
    static struct buf kept[64];
    static size_t next;
    struct buf *body = &kept[next++ % 64];
    body->n = 0;
    if (message) add_message(body, 0, str_of(message));
    return call_with(pair, method, NULL, NULL, message ? buf_str(body) : STR(""), false);
}

static int32_t open_call(struct pair *pair, const char *method)
{
    return call_with(pair, method, NULL, NULL, STR_NONE, true);
}

static int status_of(struct pair *pair, int32_t id)
{
    struct reply *reply = reply_of(pair, id);
    const struct buf *lines[] = { &reply->trailers, &reply->head };
    for (size_t i = 0; i < 2; i++) {
        size_t at = str_find(buf_str(lines[i]), STR("grpc-status: "), 0);
        if (at != SIZE_MAX) return atoi(lines[i]->p + at + 13);
    }
    return -1;
}

static void assert_call(struct pair *pair, int32_t id, int status, const char *text)
{
    struct reply *reply = reply_of(pair, id);
    if (status_of(pair, id) != status)
        fail_msg("stream %d: %d instead of %d: %.*s%.*s", id, status_of(pair, id), status,
                 STR_ARG(buf_str(&reply->head)), STR_ARG(buf_str(&reply->trailers)));
    assert_int_equal(reply->status, 200);
    assert_true(has(&reply->head, "content-type: application/grpc\n"));
    if (text && !has(&reply->head, text) && !has(&reply->trailers, text))
        fail_msg("not \"%s\" but %.*s%.*s", text, STR_ARG(buf_str(&reply->head)),
                 STR_ARG(buf_str(&reply->trailers)));
    assert_true(reply->closed);
    assert_int_equal(reply->code, NGHTTP2_NO_ERROR);
}

static void assert_messages(struct pair *pair, int32_t id, const char *const *messages)
{
    struct buf want;
    buf_init(&want, NULL);
    for (; *messages; messages++) add_message(&want, 0, str_of(*messages));
    assert_true(str_equal(buf_str(&want), buf_str(&reply_of(pair, id)->body)));
    buf_done(&want);
}

#define MESSAGES(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

/* ---- tests ---- */

static void calls_are_answered(void **state)
{
    static const size_t steps[] = { 0, 1, 3, 10 };
    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct pair *pair = start(NULL, false);
        pair->step = steps[i];
        int32_t one = call(pair, "Echo", "hello"), empty = call(pair, "Echo", ""),
                count = call(pair, "Count", "3");
        int32_t failed = call(pair, "Fail", "x"), none = call(pair, "Count", "0"),
                silent = call(pair, "Silent", "x");
        int32_t unknown = call(pair, "Nope", "x"), ordinary = pair_ask(pair, "GET", "/x", NULL);
        pair_exchange(pair);
        assert_call(pair, one, GRPC_OK, NULL);
        assert_messages(pair, one, MESSAGES("hello"));
        assert_false(has(&reply_of(pair, one)->head, "grpc-status"));
        assert_call(pair, empty, GRPC_OK, NULL);
        assert_messages(pair, empty, MESSAGES(""));
        assert_call(pair, count, GRPC_OK, NULL);
        assert_messages(pair, count, MESSAGES("3", "2", "1"));
        assert_call(pair, failed, GRPC_NOT_FOUND,
                    "grpc-message: nothing \"here\" %E2%80%94 100 %25\nx-why: a test\n");
        assert_int_equal(reply_of(pair, failed)->body.n, 0);
        assert_int_equal(reply_of(pair, failed)->trailers.n, 0); /* The status is in the head. */
        assert_call(pair, none, GRPC_OUT_OF_RANGE, NULL);
        assert_call(pair, silent, GRPC_INTERNAL, NULL);
        assert_call(pair, unknown, GRPC_UNIMPLEMENTED, NULL);
        assert_reply(pair, ordinary, 200, "GET /x");
        pair_free(pair);
    }
}

static void messages_come_in_any_pieces(void **state)
{
    static char large[100000];
    (void)state;
    memset(large, 'L', sizeof large);
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, STR("one"));
    add_message(&body, 0, STR(""));
    add_message(&body, 0, (str){ large, sizeof large });
    add_message(&body, 0, STR("four"));
    static const size_t cuts[] = { 1, 2, 5, 6, 1000, 1 << 20 };
    for (size_t i = 0; i < COUNT(cuts); i++) {
        struct pair *pair = start(NULL, false);
        int32_t id = open_call(pair, "Chat");
        pair_exchange(pair);
        assert_int_equal(reply_of(pair, id)->status, 200); /* At once. */
        for (size_t at = 0; at < body.n;) {
            size_t n = at < 40 || body.n - at < 40 || cuts[i] > 1000 ? cuts[i] : 1000;
            pair_send(pair, id, str_slice(buf_str(&body), at, at + n), false);
            pair_exchange(pair);
            at += n;
        }
        assert_int_equal(seen.messages, 4);
        assert_int_equal(seen.bytes, 3 + 0 + sizeof large + 4);
        assert_int_equal(seen.closed, 0);
        pair_send(pair, id, STR(""), true);
        pair_exchange(pair);
        assert_int_equal(seen.begun + seen.closed, 2);
        assert_call(pair, id, GRPC_OK, "grpc-message: bye\n");
        assert_true(str_equal(buf_str(&body), buf_str(&reply_of(pair, id)->body)));
        assert_int_equal(pair->live.server->account->known_bytes, 0);
        pair_free(pair);
    }
    buf_done(&body);
}

static void heads_are_judged(void **state)
{
    static const struct {
        const char *method, *name, *value;
        int http, grpc;
    } cases[] = {
        { "Echo", "content-type", "application/grpc+proto", 200, GRPC_OK },
        { "Echo", "content-type", "application/grpc; charset=utf-8", 200, GRPC_OK },
        { "Echo", "content-type", "application/grpc+json", 415, -1 },
        { "Echo", "content-type", "application/grpc-web", 415, -1 },
        { "Echo", "te", NULL, 200, GRPC_INTERNAL },
        { "Echo", "grpc-encoding", "gzip", 200, GRPC_OK }, /* The message itself is not compressed. */
        { "Echo", "grpc-timeout", "10S", 200, GRPC_OK },
        { "Echo", "grpc-timeout", "99999999H", 200, GRPC_OK },
        { "Echo", "grpc-timeout", "0n", 200, GRPC_DEADLINE_EXCEEDED },
        { "Echo", "grpc-timeout", "10", 200, GRPC_INTERNAL },
        { "Echo", "grpc-timeout", "100000000H", 200, GRPC_INTERNAL },
        { "Echo", "grpc-timeout", "-1S", 200, GRPC_INTERNAL },
        { "Refuse", "x-data-bin", "AAEC", 200, GRPC_PERMISSION_DENIED },
    };
    (void)state;
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, STR("x"));
    struct pair *pair = start(NULL, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t id = call_with(pair, cases[i].method, cases[i].name, cases[i].value, buf_str(&body), false);
        pair_exchange(pair);
        if (reply_of(pair, id)->status != cases[i].http || status_of(pair, id) != cases[i].grpc)
            fail_msg("case %zu: %d, %d", i, reply_of(pair, id)->status, status_of(pair, id));
    }
    assert_int_equal(seen.gone, 0);
    assert_int_equal(pair->connection->in_flight, 0);
    pair_free(pair);
    buf_done(&body);
}

static void bodies_are_judged(void **state)
{
    static const struct {
        const char *method, *encoding;
        str body;
        int grpc;
        const char *text;
    } cases[] = {
        { "Echo", NULL, STR_INIT(""), GRPC_UNIMPLEMENTED, "none" },
        { "Count", NULL, STR_INIT(""), GRPC_UNIMPLEMENTED, "none" },
        { "Echo", NULL, STR_INIT("\0\0\0\0\1a\0\0\0\0\1b"), GRPC_UNIMPLEMENTED, "another" },
        { "Echo", NULL, STR_INIT("\0\0\0\0\2a"), GRPC_INTERNAL, "ends within" },
        { "Echo", NULL, STR_INIT("\0\0"), GRPC_INTERNAL, "ends within" },
        { "Chat", NULL, STR_INIT("\0\0\0\0\2a"), GRPC_INTERNAL, "ends within" },
        { "Echo", NULL, STR_INIT("\1\0\0\0\1a"), GRPC_INTERNAL, "nobody says how" },
        { "Echo", "identity", STR_INIT("\1\0\0\0\1a"), GRPC_INTERNAL, "nobody says how" },
        { "Echo", "gzip", STR_INIT("\1\0\0\0\1a"), GRPC_UNIMPLEMENTED, "grpc-accept-encoding: identity\n" },
        { "Chat", "gzip", STR_INIT("\1\0\0\0\1a"), GRPC_UNIMPLEMENTED, "grpc-accept-encoding: identity\n" },
        { "Echo", "gzip", STR_INIT("\2\0\0\0\1a"), GRPC_INTERNAL, NULL },
        { "Echo", NULL,
          STR_INIT("\0\0\0\0\x0b"
                   "12345678901"),
          GRPC_RESOURCE_EXHAUSTED, "11 bytes; the most is 10" },
        { "Chat", NULL, STR_INIT("\0\xff\xff\xff\xff"), GRPC_RESOURCE_EXHAUSTED, "message_bytes_max" },
        { "Echo", NULL,
          STR_INIT("\0\0\0\0\x0a"
                   "1234567890"),
          GRPC_OK, NULL },
    };
    struct limits limits = limits_default();
    (void)state;
    limits.message_bytes_max = 10;
    struct pair *pair = start(&limits, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int gone = seen.gone;
        seen.finish_when_gone = i % 2;
        int32_t id = call_with(pair, cases[i].method, cases[i].encoding ? "grpc-encoding" : NULL,
                               cases[i].encoding, cases[i].body, false);
        pair_exchange(pair);
        assert_call(pair, id, cases[i].grpc, cases[i].text);
        /* A method that knows of the call is told. */
        assert_int_equal(seen.gone - gone, strcmp(cases[i].method, "Chat") == 0);
        if (seen.call) grpc_finish(seen.call, GRPC_OK, STR_NONE);
        seen.call = NULL;
    }
    assert_null(pair->live.server->alive);
    assert_int_equal(pair->live.server->account->known_bytes, 0);
    pair_free(pair);
}

/* The server's own clock ends the call; the method is told, and finishes when it likes. */
static void deadlines_end_calls(void **state)
{
    static const char *const names[] = { "Later", "Watch", "Chat" };
    (void)state;
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, STR("x"));
    for (size_t i = 0; i < COUNT(names); i++)
        for (int early = 0; early < 2; early++) {
            struct pair *pair = start(NULL, false);
            seen.finish_when_gone = early;
            int32_t id = call_with(pair, names[i], "grpc-timeout", "20m", buf_str(&body), false);
            int32_t calm = call_with(pair, "Later", "grpc-timeout", "1H", buf_str(&body), false);
            if (i == 2) reply_of(pair, id)->send_open = true; /* A stream that goes on. */
            pair_exchange(pair);
            assert_false(reply_of(pair, id)->closed);
            int64_t before = clock_monotonic_us();
            pair_until(pair, reply_of(pair, id)->closed);
            assert_true(clock_monotonic_us() - before < INT64_C(10000000));
            assert_call(pair, id, GRPC_DEADLINE_EXCEEDED, NULL);
            assert_int_equal(seen.gone, 1);
            assert_false(reply_of(pair, calm)->closed);
            pair_hang_up(pair);
            pair_free(pair);
        }
    buf_done(&body);
}

/* A method may have given its call's arena to another thread, which goes on with it when the deadline has
 * passed: the status must not take memory from there. Watch has begun its answer, so its status is in
 * trailers. */
static void a_late_status_leaves_the_arena_alone(void **state)
{
    static const char *const names[] = { "Later", "Watch" };
    (void)state;
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, STR("x"));
    for (size_t i = 0; i < COUNT(names); i++) {
        struct pair *pair = start(NULL, false);
        int32_t id = call_with(pair, names[i], "grpc-timeout", "20m", buf_str(&body), false);
        pair_exchange(pair);
        if (i == 1) assert_true(grpc_send(seen.call, STR("begun")));
        pair_exchange(pair);
        const struct arena before = *seen.call->request->arena;
        pair_until(pair, reply_of(pair, id)->closed);
        assert_call(pair, id, GRPC_DEADLINE_EXCEEDED, "grpc-message: the deadline has passed\n");
        assert_memory_equal(seen.call->request->arena, &before, sizeof before);
        grpc_finish(seen.call, GRPC_OK, STR_NONE);
        assert_null(pair->live.server->alive);
        pair_free(pair);
    }
    buf_done(&body);
}

/* A call whose message does not come holds memory, so it ends like any slow body. One that is a stream does
 * not. */
static void slow_messages_end_calls(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.body_timeout_ms = 20;
    struct pair *pair = start(&limits, false);
    int32_t later = call(pair, "Later", "x"), open = open_call(pair, "Echo"),
            chat_id = open_call(pair, "Chat");
    pair_send(pair, open, STR("\0\0\0\0\4ab"), false);
    pair_exchange(pair);
    pair_until(pair, reply_of(pair, open)->closed);
    assert_call(pair, open, GRPC_DEADLINE_EXCEEDED, "took too long");
    assert_int_equal(seen.gone, 0);
    assert_int_equal(pair->live.server->deadline_count, 0); /* The others wait for nothing. */
    assert_false(reply_of(pair, later)->closed || reply_of(pair, chat_id)->closed);
    pair_free(pair);
}

static void cancelled_calls_are_told(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        struct pair *pair = start(NULL, false);
        seen.finish_when_gone = !later;
        int32_t id = call(pair, "Later", "x");
        pair_exchange(pair);
        assert_int_equal(seen.messages, 1);
        nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
        pair_exchange(pair);
        assert_int_equal(seen.gone, 1);
        assert_int_equal(pair->connection->in_flight, 0);
        if (later) {
            assert_int_equal(seen.call->code, GRPC_CANCELLED);
            grpc_finish(seen.call, GRPC_OK, STR("nobody hears it"));
        }
        assert_null(pair->live.server->alive);

        /* A call of which the method has not heard. */
        id = open_call(pair, "Later");
        pair_exchange(pair);
        nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
        pair_exchange(pair);
        assert_int_equal(seen.gone, 1);
        assert_null(pair->live.server->alive);

        id = open_call(pair, "Chat");
        pair_exchange(pair);
        pair_hang_up(pair);
        assert_int_equal(seen.gone, 2);
        if (later) grpc_finish(seen.call, GRPC_OK, STR_NONE);
        assert_null(pair->live.server->alive);
        pair_free(pair);
    }
}

/* The method finishes while the client still sends: RST_STREAM without an error behind the status. */
static void an_early_status_stops_the_client(void **state)
{
    (void)state;
    struct pair *pair = start(NULL, false);
    int32_t id = open_call(pair, "Chat");
    pair_exchange(pair);
    grpc_send(seen.call, STR("wait"));
    grpc_finish(seen.call, GRPC_ABORTED, STR("enough"));
    pair_exchange(pair);
    assert_call(pair, id, GRPC_ABORTED, "enough");
    assert_messages(pair, id, MESSAGES("wait"));
    assert_null(pair->live.server->alive);
    pair_free(pair);
}

/* A client that does not read: its call ends alone, and the others do not notice. */
static void slow_readers_lose_their_call(void **state)
{
    static char large[300000];
    (void)state;
    struct pair *pair = start(NULL, true);
    const nghttp2_settings_entry small = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 100 };
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, &small, 1);
    int32_t id = open_call(pair, "Chat");
    pair_exchange(pair);
    size_t sent = 0;
    seen.finish_when_gone = true;
    while (grpc_send(seen.call, (str){ large, sizeof large })) {
        sent++;
        pair_exchange(pair);
        assert_true(grpc_behind(seen.call) > (sent - 1) * sizeof large);
    }
    assert_int_equal(sent, 4);      /* The fifth finds more than 1 MiB. */
    assert_int_equal(seen.gone, 0); /* Not under the caller's feet. */
    int32_t other = call(pair, "Echo", "me");
    pair_exchange(pair);
    assert_int_equal(seen.gone, 1);
    assert_int_equal(reply_of(pair, id)->code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_call(pair, other, GRPC_OK, NULL);
    assert_null(pair->live.server->alive);
    pair_free(pair);
}

static void streams_go_on_when_they_are_read(void **state)
{
    (void)state;
    struct pair *pair = start(NULL, true);
    const nghttp2_settings_entry small = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 3 };
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, &small, 1);
    int32_t id = open_call(pair, "Chat");
    pair_exchange(pair);
    grpc_send(seen.call, STR("0123456789"));
    grpc_when_drained(seen.call);
    pair_exchange(pair);
    assert_int_equal(grpc_behind(seen.call), 12);
    nghttp2_submit_window_update(pair->client, NGHTTP2_FLAG_NONE, id, 11);
    pair_exchange(pair);
    assert_int_equal(seen.drained, 0);
    nghttp2_submit_window_update(pair->client, NGHTTP2_FLAG_NONE, id, 1);
    pair_exchange(pair);
    assert_int_equal(seen.drained, 1);
    seen.finish_when_gone = true;
    pair_free(pair);
}

/* The client is stopped after one window; another call goes on. */
static void held_calls_stop_their_client(void **state)
{
    static char large[1 << 20];
    (void)state;
    struct buf body;
    buf_init(&body, NULL);
    for (int i = 0; i < 16; i++) add_message(&body, 0, (str){ large, 64 << 10 });
    struct pair *pair = start(NULL, false);
    int32_t id = open_call(pair, "Chat");
    pair_exchange(pair);
    grpc_hold(seen.call);
    pair_send(pair, id, buf_str(&body), false);
    pair_exchange(pair);
    assert_int_equal(seen.messages, 3); /* 256 KiB, and some bytes of heads: the fourth is not whole. */
    int32_t other = call(pair, "Echo", "me");
    pair_exchange(pair);
    assert_call(pair, other, GRPC_OK, NULL);
    grpc_go_on(seen.call);
    pair_exchange(pair);
    assert_int_equal(seen.messages, 16 + 1);
    seen.finish_when_gone = true;
    pair_free(pair);
    buf_done(&body);
}

/* Messages that have not arrived whole count as requests in memory. */
static void memory_for_messages_is_bounded(void **state)
{
    static char large[400000];
    struct limits limits = limits_default();
    (void)state;
    limits.requests_bytes_max = 1 << 20;
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, (str){ large, sizeof large });
    struct pair *pair = start(&limits, false);
    int32_t ids[8];
    int exhausted = 0;
    for (size_t i = 0; i < COUNT(ids); i++) {
        ids[i] = open_call(pair, "Echo");
        pair_send(pair, ids[i], str_slice(buf_str(&body), 0, body.n - 1), false);
        pair_exchange(pair);
        exhausted += status_of(pair, ids[i]) == GRPC_RESOURCE_EXHAUSTED;
    }
    assert_in_range(exhausted, 5, 7);
    int32_t small = call(pair, "Echo", "me");
    pair_exchange(pair);
    assert_call(pair, small, GRPC_OK, NULL);
    pair_send(pair, ids[0], STR("x"), true);
    pair_exchange(pair);
    assert_call(pair, ids[0], GRPC_OK, NULL);
    pair_hang_up(pair);
    assert_int_equal(pair->live.server->account->known_bytes, 0);
    pair_free(pair);
    buf_done(&body);
}

static void draining_lets_calls_finish(void **state)
{
    (void)state;
    struct pair *pair = start(NULL, false);
    int32_t id = open_call(pair, "Chat");
    pair_exchange(pair);
    pair->live.server->draining = true;
    assert_true(http2_protocol.drain(pair->connection));
    connection_end_after_answers(pair->connection);
    pair_exchange(pair);
    assert_true(pair->goaway);
    struct buf body;
    buf_init(&body, NULL);
    add_message(&body, 0, STR("still here"));
    pair_send(pair, id, buf_str(&body), true);
    pair_exchange(pair);
    assert_call(pair, id, GRPC_OK, NULL);
    assert_messages(pair, id, MESSAGES("still here"));
    assert_null(pair->connection->first);
    pair->live.server->draining = false;
    pair_free(pair);
    buf_done(&body);
}

static void timeouts_are_parsed(void **state)
{
    static const struct {
        const char *text;
        int64_t want_us; /* -1: malformed. */
    } cases[] = {
        { "1H", INT64_C(3600000000) },
        { "2M", 120000000 },
        { "3S", 3000000 },
        { "4m", 4000 },
        { "5u", 5 },
        { "1n", 1 },
        { "1000n", 1 },
        { "1001n", 2 },
        { "0S", 0 },
        { "00000001S", 1000000 },
        { "99999999H", INT64_C(359999996400000000) },
        { "000000001S", -1 },
        { "", -1 },
        { "S", -1 },
        { "1", -1 },
        { "1s", -1 },
        { "1 S", -1 },
        { "+1S", -1 },
        { "1.5S", -1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t us = -1;
        bool good = grpc_parse_timeout(str_of(cases[i].text), &us);
        assert_int_equal(good, cases[i].want_us >= 0);
        assert_int_equal(us, cases[i].want_us);
    }
}

static void texts_are_encoded(void **state)
{
    char text[GRPC_TEXT_BYTES_MAX + 10];
    struct buf out;
    (void)state;
    buf_init(&out, NULL);
    grpc_encode_text(STR(" a%\tb\x7f\xc3\xa4~ \r\n"), &out);
    assert_true(str_equal(buf_str(&out), STR("a%25%09b%7F%C3%A4~")));
    /* Cut, but not within a character. */
    memset(text, 'x', sizeof text);
    memcpy(text + GRPC_TEXT_BYTES_MAX - 1, "\xc3\xa4", 2);
    out.n = 0;
    grpc_encode_text((str){ text, sizeof text }, &out);
    assert_int_equal(out.n, GRPC_TEXT_BYTES_MAX - 1);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_answered),
        cmocka_unit_test(messages_come_in_any_pieces),
        cmocka_unit_test(heads_are_judged),
        cmocka_unit_test(bodies_are_judged),
        cmocka_unit_test(deadlines_end_calls),
        cmocka_unit_test(a_late_status_leaves_the_arena_alone),
        cmocka_unit_test(slow_messages_end_calls),
        cmocka_unit_test(cancelled_calls_are_told),
        cmocka_unit_test(an_early_status_stops_the_client),
        cmocka_unit_test(slow_readers_lose_their_call),
        cmocka_unit_test(streams_go_on_when_they_are_read),
        cmocka_unit_test(held_calls_stop_their_client),
        cmocka_unit_test(memory_for_messages_is_bounded),
        cmocka_unit_test(draining_lets_calls_finish),
        cmocka_unit_test(timeouts_are_parsed),
        cmocka_unit_test(texts_are_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
