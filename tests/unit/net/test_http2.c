/* Requests over HTTP/2, whatever their bytes look like on the way. */
#include "http2_pair.h"

static void requests_are_answered(void **state)
{
    static const size_t steps[] = { 0, 1, 2, 7, 16, 100 };
    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct pair *pair = pair_new(NULL, false);
        pair->step = steps[i];
        int32_t get = pair_ask(pair, "GET", "/x?y=1", NULL),
                post = pair_ask(pair, "POST", "/echo", "some text");
        int32_t head = pair_ask(pair, "HEAD", "/x", NULL), empty = pair_ask(pair, "GET", "/empty", NULL);
        int32_t stream = pair_ask(pair, "GET", "/stream", NULL),
                big = pair_ask(pair, "GET", "/big?n=300000", NULL);
        int32_t refused = pair_ask(pair, "POST", "/refused", "body");
        pair_exchange(pair);
        assert_reply(pair, get, 200, "GET /x?y=1");
        assert_reply(pair, post, 200, "some text");
        assert_reply(pair, head, 200, "");
        assert_true(has(&reply_of(pair, head)->head, "content-length: 7\n"));
        assert_reply(pair, empty, 204, "");
        assert_false(has(&reply_of(pair, empty)->head, "content-length"));
        assert_reply(pair, stream, 200, "one,two,three");
        assert_reply(pair, refused, 401, "no body");
        assert_int_equal(reply_of(pair, big)->body.n, 300000);
        assert_true(has(&reply_of(pair, get)->head, "content-type: text/plain\n"));
        assert_true(has(&reply_of(pair, get)->head, "date: "));
        assert_int_equal(pair->connection->in_flight, 0);
        pair_free(pair);
    }
}

static void answers_leave_in_any_order(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t first = pair_ask(pair, "GET", "/hold?1", NULL), second = pair_ask(pair, "GET", "/hold?2", NULL);
    int32_t now = pair_ask(pair, "GET", "/now", NULL);
    pair_exchange(pair);
    assert_reply(pair, now, 200, "GET /now");
    assert_int_equal(reply_of(pair, first)->status, 0);
    int32_t release = pair_ask(pair, "GET", "/release", NULL);
    pair_exchange(pair);
    assert_reply(pair, first, 200, "1");
    assert_reply(pair, second, 200, "2");
    assert_reply(pair, release, 200, "released");
    pair_free(pair);
}

/* What nghttp2 does not see to, and what it does: one stream suffers. */
static void malformed_heads_cost_their_stream(void **state)
{
    static const struct {
        const char *name[6], *value[6];
        int status; /* 0: the stream is reset. */
    } cases[] = {
        { { ":method", ":scheme", ":path", ":authority" }, { "GET", "http", "/a b", "a" }, 0 },
        { { ":method", ":scheme", ":path", ":authority" }, { "GET", "http", "/a#b", "a" }, 400 },
        { { ":method", ":scheme", ":path", ":authority" }, { "GET", "http", "*", "a" }, 0 },
        { { ":method", ":scheme", ":path", ":authority" }, { "BREW", "http", "/", "a" }, 501 },
        { { ":method", ":authority" }, { "CONNECT", "a:1" }, 501 },
        { { ":method", ":scheme", ":path", ":authority" }, { "GET", "http", "/", "a b" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", "host" }, { "GET", "http", "/", "a", "b" }, 400 },
        { { ":method", ":scheme", ":path", ":authority", "host" }, { "GET", "http", "/", "a", "a" }, 200 },
        { { ":method", ":scheme", ":path", "host" }, { "GET", "http", "/", "a" }, 200 },
        { { ":method", ":scheme", ":path" }, { "GET", "http", "/" }, 0 },
        { { ":method", ":scheme", ":authority" }, { "GET", "http", "a" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", ":path" }, { "GET", "http", "/", "a", "/" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", ":x" }, { "GET", "http", "/", "a", "/" }, 0 },
        { { ":method", ":scheme", ":path", "x", ":authority" }, { "GET", "http", "/", "1", "a" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", "x" }, { "GET", "http", "/", "a", "a\nb" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", "connection" },
          { "GET", "http", "/", "a", "close" },
          0 },
        { { ":method", ":scheme", ":path", ":authority", "te" }, { "GET", "http", "/", "a", "gzip" }, 0 },
        { { ":method", ":scheme", ":path", ":authority", "te" },
          { "GET", "http", "/", "a", "trailers" },
          200 },
        { { ":method", ":scheme", ":path", ":authority", "content-length" },
          { "GET", "http", "/", "a", "5" },
          0 },
        { { ":method", ":scheme", ":path", ":authority", "content-length" },
          { "GET", "http", "/", "a", "x" },
          0 },
        { { ":method", ":scheme", ":path", ":authority", "expect" },
          { "GET", "http", "/", "a", "tea" },
          417 },
    };
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        nghttp2_nv field[6];
        size_t count = 0;
        for (; count < 6 && cases[i].name[count]; count++)
            field[count] = FIELD(cases[i].name[count], cases[i].value[count]);
        int32_t id = pair_submit(pair, field, count, NULL, 0, false);
        pair_exchange(pair);
        if (reply_of(pair, id)->status != cases[i].status)
            fail_msg("case %zu: %d", i, reply_of(pair, id)->status);
        assert_true(reply_of(pair, id)->closed);
    }
    int32_t id = pair_ask(pair, "GET", "/fine", NULL);
    pair_exchange(pair);
    assert_reply(pair, id, 200, "GET /fine");
    assert_false(pair->goaway);
    pair_free(pair);
}

static void heads_have_limits(void **state)
{
    static char value[60001];
    struct limits limits = limits_default();
    (void)state;
    limits.header_count_max = 5;
    limits.header_bytes_max = 1000;
    memset(value, 'v', sizeof value - 1);
    struct pair *pair = pair_new(&limits, false);
    for (size_t count = 5; count <= 6; count++) {
        nghttp2_nv field[10] = { FIELD(":method", "GET"), FIELD(":scheme", "http"), FIELD(":path", "/x"),
                                 FIELD(":authority", "a") };
        for (size_t i = 0; i < count; i++) field[4 + i] = FIELD("x", "y");
        int32_t id = pair_submit(pair, field, 4 + count, NULL, 0, false);
        pair_exchange(pair);
        assert_int_equal(reply_of(pair, id)->status, count == 5 ? 200 : 431);
    }
    /* The pseudo-headers have 7+3+4, 7+4+4, 5+2+4 and 10+1+4 bytes; the last field has 1+4 without its value.
     */
    for (size_t more = 0; more < 2; more++) {
        str text = { value + sizeof value - 1 - (1000 - 14 - 15 - 11 - 15 - 5 + more), 0 };
        const nghttp2_nv field[] = { FIELD(":method", "GET"), FIELD(":scheme", "http"), FIELD(":path", "/x"),
                                     FIELD(":authority", "a"), FIELD("x", text.p) };
        int32_t id = pair_submit(pair, field, COUNT(field), NULL, 0, false);
        pair_exchange(pair);
        assert_int_equal(reply_of(pair, id)->status, more ? 431 : 200);
    }
    /* Several frames. */
    const nghttp2_nv long_field[] = { FIELD(":method", "GET"), FIELD(":scheme", "http"), FIELD(":path", "/x"),
                                      FIELD(":authority", "a"), FIELD("x", value) };
    int32_t id = pair_submit(pair, long_field, COUNT(long_field), NULL, 0, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, id)->status, 431);
    assert_false(pair->goaway);
    pair_free(pair);
}

static void bodies_have_limits(void **state)
{
    static char body[200001];
    struct limits limits = limits_default();
    (void)state;
    memset(body, 'b', sizeof body - 1);
    limits.body_bytes_max = 200000;
    struct pair *pair = pair_new(&limits, false);
    const nghttp2_nv field[] = { FIELD(":method", "POST"), FIELD(":scheme", "http"), FIELD(":path", "/echo"),
                                 FIELD(":authority", "a") };
    const nghttp2_nv announced[] = { field[0], field[1], field[2], field[3],
                                     FIELD("content-length", "200001") };
    int32_t fits = pair_submit(pair, field, COUNT(field), body, 200000, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, fits)->status, 200);
    assert_int_equal(reply_of(pair, fits)->body.n, 200000);
    int32_t long_body = pair_submit(pair, field, COUNT(field), body, 200001, false);
    int32_t said_so = pair_submit(pair, announced, COUNT(announced), body, 200001, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, long_body)->status, 413);
    assert_int_equal(reply_of(pair, said_so)->status, 413);
    assert_true(has(&reply_of(pair, said_so)->head, "x-refused: by us\n"));
    /* A body that is not as long as it was said to be. */
    int32_t id = pair_submit(pair, announced, COUNT(announced), "short", 5, false);
    pair_exchange(pair);
    assert_true(reply_of(pair, id)->closed);
    assert_int_equal(pair->connection->in_flight, 0);
    assert_int_equal(pair->live.server->account->known_bytes, 0);
    pair_free(pair);
}

static void memory_that_is_used_up_refuses_bodies(void **state)
{
    static char body[100000];
    struct limits limits = limits_default();
    (void)state;
    limits.requests_bytes_max = 200000;
    struct pair *pair = pair_new(&limits, false);
    int32_t one = pair_open(pair, "/echo"), two = pair_open(pair, "/echo");
    pair_send(pair, one, (str){ body, sizeof body }, false);
    pair_exchange(pair);
    pair_send(pair, two, (str){ body, sizeof body }, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, two)->status, 503);
    assert_true(has(&reply_of(pair, two)->head, "retry-after: 1\n"));
    pair_send(pair, one, STR("."), true);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, one)->status, 200);
    assert_int_equal(pair->live.server->account->known_bytes, 0);
    pair_free(pair);
}

/* The answer comes before the body's end; the client may go on for a second. */
static void early_answers_stop_the_sender(void **state)
{
    static char body[600000];
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t id = pair_open(pair, "/refused");
    pair_send(pair, id, (str){ body, sizeof body }, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, id)->status, 401);
    assert_int_equal(reply_of(pair, id)->send_left, 0); /* It was dropped. */
    assert_false(reply_of(pair, id)->closed);
    pair_until(pair, reply_of(pair, id)->closed);
    assert_int_equal(reply_of(pair, id)->code, NGHTTP2_NO_ERROR);
    pair_free(pair);
}

static void slow_bodies_get_408(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.body_timeout_ms = 20;
    struct pair *pair = pair_new(&limits, false);
    int32_t id = pair_open(pair, "/echo"), held = pair_ask(pair, "GET", "/hold?1", NULL);
    pair_send(pair, id, STR("a"), false);
    pair_exchange(pair);
    pair_until(pair, reply_of(pair, id)->status);
    assert_int_equal(reply_of(pair, id)->status, 408);
    pair_ask(pair, "GET", "/release", NULL);
    pair_exchange(pair);
    assert_reply(pair, held, 200, "1"); /* Nobody else is late. */
    pair_free(pair);
}

static void a_body_can_arrive_in_pieces(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t id = pair_open(pair, "/pieces");
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, id)->status, 200); /* The answer has begun. */
    pair_send(pair, id, STR("one"), false);
    pair_exchange(pair);
    assert_true(str_equal(buf_str(&reply_of(pair, id)->body), STR("3.")));
    pair_send(pair, id, STR("three"), false);
    pair_exchange(pair);
    pair_send(pair, id, STR("."), true);
    pair_exchange(pair);
    assert_reply(pair, id, 200, "3.5.1.end");
    assert_true(has(&reply_of(pair, id)->trailers, "x-pieces: 3\nx-other: a b\n"));
    assert_int_equal(pair->gone, 0);
    /* No body at all. */
    id = pair_ask(pair, "POST", "/pieces", NULL);
    pair_exchange(pair);
    assert_reply(pair, id, 200, "end");
    /* The client leaves in the middle. */
    id = pair_open(pair, "/pieces");
    pair_send(pair, id, STR("one"), false);
    pair_exchange(pair);
    nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    pair_exchange(pair);
    assert_int_equal(pair->gone, 1);
    assert_int_equal(pair->connection->in_flight, 0);
    pair_free(pair);
}

/* One window, and not a byte more; other streams do not notice. */
static void a_held_body_stops_its_sender(void **state)
{
    static char body[6 << 20];
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    pair->hold_pieces = true;
    int32_t id = pair_open(pair, "/pieces");
    pair_exchange(pair); /* The client knows the windows. */
    pair_send(pair, id, (str){ body, 1 << 20 }, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, id)->send_left, (1 << 20) - (256 << 10));
    /* More than the connection's window, too: the limit of bodies is 4 MiB. */
    for (size_t i = 0; i < 2; i++) {
        const nghttp2_nv field[] = { FIELD(":method", "POST"), FIELD(":scheme", "http"),
                                     FIELD(":path", "/echo"), FIELD(":authority", "a") };
        int32_t other = pair_submit(pair, field, COUNT(field), body, 4 << 20, false);
        pair_exchange(pair);
        assert_int_equal(reply_of(pair, other)->status, 200);
        assert_int_equal(reply_of(pair, other)->body.n, 4 << 20);
    }
    pair->hold_pieces = false;
    http_hold_body(pair->piece_request, false);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, id)->send_left, 0);
    pair_free(pair);
}

static void cancelled_requests_are_told(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t watch = pair_ask(pair, "GET", "/watch", NULL), held = pair_ask(pair, "GET", "/hold?1", NULL);
    int32_t arriving = pair_open(pair, "/echo");
    pair_exchange(pair);
    nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, watch, NGHTTP2_CANCEL);
    nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, held, NGHTTP2_CANCEL);
    nghttp2_submit_rst_stream(pair->client, NGHTTP2_FLAG_NONE, arriving, NGHTTP2_CANCEL);
    pair_exchange(pair);
    assert_int_equal(sem_trywait(&pair->live.gone), 0);
    assert_int_equal(pair->connection->in_flight, 0);
    int32_t release = pair_ask(pair, "GET", "/release", NULL); /* Also what nobody waits for. */
    pair_exchange(pair);
    assert_reply(pair, release, 200, "released");
    pair_free(pair);
}

/* A client that takes nothing: its answers wait within bounds, other streams go on, and in the end it loses
 * them. */
static void answers_that_nobody_reads_are_given_up(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.write_timeout_ms = 50;
    struct pair *pair = pair_new(&limits, true);
    const nghttp2_settings_entry small = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1000 };
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, &small, 1);
    pair_exchange(pair);
    int32_t big = pair_ask(pair, "GET", "/big?n=5000", NULL), flood = pair_ask(pair, "GET", "/flood", NULL);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, big)->body.n, 1000);
    /* The stream was more than 1 MiB behind: it alone is given up. */
    assert_true(reply_of(pair, flood)->closed);
    assert_int_equal(reply_of(pair, flood)->code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_int_equal(sem_trywait(&pair->live.gone), 0);
    assert_in_range(pair->live.flooded, 1 << 20, (1 << 20) + (128 << 10));
    int32_t other = pair_ask(pair, "GET", "/x", NULL);
    pair_exchange(pair);
    assert_reply(pair, other, 200, "GET /x");
    pair_until(pair, reply_of(pair, big)->closed);
    assert_int_equal(reply_of(pair, big)->code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_int_equal(pair->connection->in_flight, 0);
    assert_false(pair->goaway);
    pair_free(pair);
}

/* A client with more than 1 MiB unread gets no window back; small requests go on. */
static void clients_that_are_behind_send_no_more(void **state)
{
    static char body[600000];
    (void)state;
    struct pair *pair = pair_new(NULL, true);
    pair_exchange(pair);
    int32_t big = pair_ask(pair, "GET", "/big?n=2000000", NULL);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, big)->body.n, 65535);
    int32_t id = pair_open(pair, "/pieces");
    pair_send(pair, id, (str){ body, sizeof body }, false);
    int32_t head = pair_ask(pair, "HEAD", "/x", NULL);
    pair_exchange(pair);
    assert_reply(pair, head, 200, "");
    assert_int_equal(reply_of(pair, id)->send_left, sizeof body - (256 << 10));
    for (size_t i = 0; i < 40; i++) { /* It reads. */
        nghttp2_session_consume(pair->client, big, reply_of(pair, big)->body.n - pair->consumed);
        pair->consumed = reply_of(pair, big)->body.n;
        pair_exchange(pair);
    }
    assert_int_equal(reply_of(pair, big)->body.n, 2000000);
    assert_int_equal(reply_of(pair, id)->send_left, 0);
    pair_free(pair);
}

/* The client reads at its own pace. */
static void windows_let_answers_out(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, true);
    const nghttp2_settings_entry small = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0 };
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, &small, 1);
    pair_exchange(pair);
    int32_t id = pair_ask(pair, "GET", "/stream", NULL);
    pair_exchange(pair);
    for (size_t i = 1; i <= 13; i++) {
        assert_int_equal(reply_of(pair, id)->body.n, i - 1);
        nghttp2_submit_window_update(pair->client, NGHTTP2_FLAG_NONE, id, 1);
        pair_exchange(pair);
    }
    assert_reply(pair, id, 200, "one,two,three");
    pair_free(pair);
}

static void streams_have_a_limit(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.streams_max = 3;
    struct pair *pair = pair_new(&limits, false);
    int32_t ids[4];
    for (size_t i = 0; i < 4; i++) ids[i] = pair_ask(pair, "GET", "/hold", NULL);
    pair_exchange(pair);
    assert_int_equal(pair->live.held_count, 3); /* The client keeps the fourth back, or it is refused. */
    live_release(&pair->live);
    pair_exchange(pair);
    struct reply *last = reply_of(pair, ids[3]);
    assert_true(pair->live.held_count == 1 || (last->closed && last->code == NGHTTP2_REFUSED_STREAM));
    live_release(&pair->live);
    pair_exchange(pair);
    assert_int_equal(reply_of(pair, ids[2])->status, 200);
    pair_free(pair);
}

static void draining_says_goodbye_and_finishes(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t held = pair_ask(pair, "GET", "/hold?1", NULL), arriving = pair_open(pair, "/echo");
    int32_t pieces = pair_open(pair, "/pieces");
    pair_send(pair, arriving, STR("ab"), false);
    pair_exchange(pair);
    pair->live.server->draining = true;
    assert_false(http2_protocol.drain(pair->connection)); /* A request is arriving. */
    pair_exchange(pair);
    assert_true(pair->goaway);
    assert_int_equal(pair->goaway_code, NGHTTP2_NO_ERROR);
    assert_int_equal(pair->goaway_last, pieces);
    assert_int_equal(pair->connection->state, CONNECTION_OPEN);
    pair_send(pair, arriving, STR("c"), true);
    pair_exchange(pair);
    assert_reply(pair, arriving, 200, "abc");
    assert_int_equal(pair->connection->state, CONNECTION_ENDING);
    live_release(&pair->live);
    pair_exchange(pair);
    assert_reply(pair, held, 200, "1");
    pair_send(pair, pieces, STR("x"), true); /* Bodies in pieces go on to their end. */
    pair_exchange(pair);
    assert_reply(pair, pieces, 200, "1.end");
    assert_null(pair->connection->first);
    pair->live.server->draining = false;
    pair_free(pair);
}

static void lost_connections_are_told(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    pair_ask(pair, "GET", "/watch", NULL);
    pair_ask(pair, "GET", "/hold", NULL);
    pair_open(pair, "/pieces");
    pair_open(pair, "/echo");
    pair_ask(pair, "GET", "/big?n=100000", NULL);
    pair_exchange(pair);
    pair_hang_up(pair);
    assert_int_equal(sem_trywait(&pair->live.gone), 0);
    assert_int_equal(pair->gone, 1);
    live_release(&pair->live);
    assert_int_equal(pair->live.server->account->known_bytes, 0);
    pair_free(pair);
}

static void errors_of_the_connection_end_it(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        uint32_t code;
    } cases[] = {
        { "\0\0\1\0\0\0\0\0\0x", 10, NGHTTP2_PROTOCOL_ERROR },             /* DATA on stream 0. */
        { "\0\0\5\x8\0\0\0\0\0\0\0\0\0\0", 14, NGHTTP2_FRAME_SIZE_ERROR }, /* WINDOW_UPDATE of 5 bytes. */
        { "\0\0\4\x8\0\0\0\0\0\0\0\0\0", 13, NGHTTP2_PROTOCOL_ERROR },     /* An increment of 0. */
        { "\0\0\1\1\4\0\0\0\3\xff", 10, NGHTTP2_COMPRESSION_ERROR },       /* HPACK that is none. */
        { "\1\0\0\0\0\0\0\0\1", 9, NGHTTP2_FRAME_SIZE_ERROR },             /* A frame of 64 KiB. */
        { "\0\0\0\x9\4\0\0\0\1", 9, NGHTTP2_PROTOCOL_ERROR },              /* CONTINUATION of nothing. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pair *pair = pair_new(NULL, false);
        pair_ask(pair, "GET", "/watch", NULL);
        pair_exchange(pair);
        pair_give(pair, (str){ cases[i].bytes, cases[i].n });
        pair_exchange(pair);
        assert_true(pair->goaway);
        if (pair->goaway_code != cases[i].code) fail_msg("case %zu: %u", i, pair->goaway_code);
        assert_int_equal(pair->connection->state, CONNECTION_ENDING);
        assert_null(pair->connection->first);
        assert_int_equal(sem_trywait(&pair->live.gone), 0);
        pair_free(pair);
    }
    struct pair *pair = pair_new(NULL, false);
    pair_give(pair, STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_true(pair->connection->broken);
    pair_free(pair);
}

/* A client whose machine has lost its power closes nothing. */
static void silent_clients_are_asked(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    struct http2 *http2 = http2_of(pair->connection);
    pair_exchange(pair);
    http2->heard_ms -= 3600000;
    http2_protocol.look(pair->connection);
    pair_exchange(pair);
    assert_int_equal(pair->pings, 0); /* It has nothing to wait for: the idle timeout sees to it. */
    pair_ask(pair, "GET", "/watch", NULL);
    pair_exchange(pair);
    http2->heard_ms -= 31000;
    http2_protocol.look(pair->connection);
    pair_exchange(pair);
    assert_int_equal(pair->pings, 1);
    assert_false(http2->pinged); /* It has answered. */
    http2->heard_ms -= 31000;
    http2_protocol.look(pair->connection);
    pair_hear(pair); /* And says nothing. */
    http2_protocol.look(pair->connection);
    assert_false(pair->connection->broken);
    http2->heard_ms -= 20000;
    http2_protocol.look(pair->connection);
    assert_true(pair->connection->broken);
    pair_free(pair);
}

/* Over a socket: the goodbye of an idle connection, and that of a server that stops. */
static void connections_end_with_goaway(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    (void)state;
    limits.header_timeout_ms = 40; /* No request has come yet. */
    for (int drains = 0; drains < 2; drains++) {
        if (drains) limits.header_timeout_ms = 100000;
        buf_init(&got, NULL);
        live_start(&live, &limits);
        int fd = dial(live.port);
        say(fd, (str){ NGHTTP2_CLIENT_MAGIC "\0\0\0\4\0\0\0\0\0", NGHTTP2_CLIENT_MAGIC_LEN + 9 });
        if (drains) {
            hear_bytes(fd, &got, 9 + 4 * 6 + 13 + 9); /* SETTINGS, WINDOW_UPDATE, an acknowledgement. */
            net_wake(live.drainer);
        }
        assert_true(hear_all(fd, &got));
        assert_true(str_equal(str_slice(buf_str(&got), got.n - 17, got.n),
                              STR("\0\0\x8\7\0\0\0\0\0\0\0\0\0\0\0\0\0")));
        close(fd);
        buf_done(&got);
        live_stop(&live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(answers_leave_in_any_order),
        cmocka_unit_test(malformed_heads_cost_their_stream),
        cmocka_unit_test(heads_have_limits),
        cmocka_unit_test(bodies_have_limits),
        cmocka_unit_test(memory_that_is_used_up_refuses_bodies),
        cmocka_unit_test(early_answers_stop_the_sender),
        cmocka_unit_test(slow_bodies_get_408),
        cmocka_unit_test(a_body_can_arrive_in_pieces),
        cmocka_unit_test(a_held_body_stops_its_sender),
        cmocka_unit_test(cancelled_requests_are_told),
        cmocka_unit_test(answers_that_nobody_reads_are_given_up),
        cmocka_unit_test(clients_that_are_behind_send_no_more),
        cmocka_unit_test(windows_let_answers_out),
        cmocka_unit_test(streams_have_a_limit),
        cmocka_unit_test(draining_says_goodbye_and_finishes),
        cmocka_unit_test(lost_connections_are_told),
        cmocka_unit_test(errors_of_the_connection_end_it),
        cmocka_unit_test(silent_clients_are_asked),
        cmocka_unit_test(connections_end_with_goaway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
