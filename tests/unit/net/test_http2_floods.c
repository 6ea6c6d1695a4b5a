/* Clients of HTTP/2 that keep the server busy with nothing, and clients that only look so. */
#include "http2_pair.h"

static void add_frame(struct buf *out, uint8_t type, uint8_t flags, uint32_t stream_id, str payload)
{
    const uint8_t head[9] = { (uint8_t)(payload.n >> 16),
                              (uint8_t)(payload.n >> 8),
                              (uint8_t)payload.n,
                              type,
                              flags,
                              (uint8_t)(stream_id >> 24),
                              (uint8_t)(stream_id >> 16),
                              (uint8_t)(stream_id >> 8),
                              (uint8_t)stream_id };
    buf_add(out, head, sizeof head);
    buf_add_str(out, payload);
}

/* ":method: GET", ":scheme: http", ":path: /", ":authority: a", without the dynamic table. */
#define HEAD_GET               \
    STR("\x82\x86\x84\x01\x01" \
        "a")

static void floods_end_the_connection(void **state)
{
    static const struct {
        uint8_t type, flags;
        uint32_t stream_id;
        str payload;
        bool opens; /* Each on a stream of its own, which a request opens. */
    } cases[] = {
        { NGHTTP2_PING, 0, 0, STR_INIT("\0\0\0\0\0\0\0\0"), false },
        { NGHTTP2_SETTINGS, 0, 0, STR_INIT(""), false },
        { NGHTTP2_PRIORITY, 0, 1, STR_INIT("\0\0\0\0\1"), false },
        { NGHTTP2_WINDOW_UPDATE, 0, 1, STR_INIT("\0\0\0\1"), false },
        { NGHTTP2_DATA, 0, 1, STR_INIT(""), false },
        { NGHTTP2_RST_STREAM, 0, 0, STR_INIT("\0\0\0\x8"), true },
        /* Makes the server reset the stream. */
        { NGHTTP2_WINDOW_UPDATE, 0, 0, STR_INIT("\x7f\xff\xff\xff"), true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pair *pair = pair_new(NULL, false);
        int32_t open = pair_open(pair, "/watch");
        pair_exchange(pair);
        assert_int_equal(open, 1);
        struct buf frames;
        buf_init(&frames, NULL);
        uint32_t id = 1;
        for (size_t sent = 0; pair->connection->state == CONNECTION_OPEN; sent++) {
            if (sent > 2 * FLOOD_FRAMES_MAX) fail_msg("case %zu: nobody minds", i);
            frames.n = 0;
            if (cases[i].opens) add_frame(&frames, NGHTTP2_HEADERS, 5, id += 2, HEAD_GET);
            add_frame(&frames, cases[i].type, cases[i].flags, cases[i].opens ? id : cases[i].stream_id,
                      cases[i].payload);
            pair_give(pair, buf_str(&frames));
            if (sent % 10 == 0) pair_hear(pair);
            if (sent < FLOOD_FRAMES_MAX - 20 && pair->connection->state != CONNECTION_OPEN)
                fail_msg("case %zu: after %zu", i, sent);
        }
        pair_exchange(pair);
        assert_true(http2_of(pair->connection)->calmed);
        /* The client's session does not understand what is about frames that it did not send itself. */
        if (cases[i].type != NGHTTP2_SETTINGS && !cases[i].opens &&
            pair->goaway_code != NGHTTP2_ENHANCE_YOUR_CALM)
            fail_msg("case %zu: %u", i, pair->goaway_code);
        assert_int_equal(pair->connection->state, CONNECTION_ENDING);
        assert_null(pair->connection->first);
        buf_done(&frames);
        pair_free(pair);
    }
}

/* A head of many frames, and one that unpacks to much more than it is. */
static void long_heads_end_the_connection(void **state)
{
    (void)state;
    struct buf frames, block;
    buf_init(&frames, NULL);
    buf_init(&block, NULL);
    struct pair *pair = pair_new(NULL, false);
    pair_exchange(pair);
    add_frame(&frames, NGHTTP2_HEADERS, 1, 1, HEAD_GET);
    for (size_t i = 0; i < CONTINUATIONS_MAX + 2; i++)
        add_frame(&frames, NGHTTP2_CONTINUATION, 0, 1, STR("\x10\x1x\x1y"));
    pair_give(pair, buf_str(&frames));
    pair_exchange(pair);
    assert_int_equal(pair->goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    pair_free(pair);

    /* As many as there may be, byte by byte. */
    pair = pair_new(NULL, false);
    pair_exchange(pair);
    frames.n = 0;
    pair->step = 1;
    add_frame(&frames, NGHTTP2_HEADERS, 1, 1, HEAD_GET);
    for (size_t i = 0; i < CONTINUATIONS_MAX; i++)
        add_frame(&frames, NGHTTP2_CONTINUATION, i + 1 == CONTINUATIONS_MAX ? 4 : 0, 1, STR("\x10\x1x\x1y"));
    pair_give(pair, buf_str(&frames));
    assert_int_equal(pair->connection->state, CONNECTION_OPEN);
    assert_int_equal(pair->connection->in_flight, 1);
    assert_false(http2_of(pair->connection)->calmed);
    pair_free(pair);

    /* One field of 3000 bytes goes into the table, and is named a thousand times. */
    pair = pair_new(NULL, false);
    pair_exchange(pair);
    frames.n = 0;
    buf_add_str(&block, HEAD_GET);
    buf_add_str(&block, STR("\x40\x01x\x7f\xb9\x16")); /* A literal with a value of 127 + 2873 bytes. */
    for (size_t i = 0; i < 3000; i++) buf_add_char(&block, 'v');
    for (size_t i = 0; i < 1000; i++) buf_add_char(&block, '\xbe');
    add_frame(&frames, NGHTTP2_HEADERS, 5, 1, buf_str(&block));
    pair_give(pair, buf_str(&frames));
    pair_exchange(pair);
    assert_true(pair->goaway);
    assert_int_equal(pair->goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_null(pair->connection->first);
    pair_free(pair);
    buf_done(&frames);
    buf_done(&block);
}

/* Beyond the streams that it may have, each request is refused by a frame. The client reads none of them. */
static void refusals_that_nobody_reads_end_the_connection(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    struct buf frames;
    buf_init(&frames, NULL);
    pair_speak(pair);
    uint32_t id = 1;
    for (size_t sent = 0; !pair->connection->broken; sent++, id += 2) {
        if (sent > 4 * OUTBOUND_FRAMES_MAX) fail_msg("nobody minds");
        frames.n = 0;
        add_frame(&frames, NGHTTP2_HEADERS, 5, id, HEAD_GET);
        pair_give(pair, buf_str(&frames));
    }
    assert_true(id > OUTBOUND_FRAMES_MAX);
    buf_done(&frames);
    pair_free(pair);
}

/* PINGs that measure the line come with every frame of data. */
static void pings_beside_data_are_fine(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    int32_t id = pair_open(pair, "/pieces");
    pair_exchange(pair);
    for (size_t i = 0; i < 3 * FLOOD_FRAMES_MAX; i++) {
        pair_send(pair, id, STR("piece"), false);
        nghttp2_submit_ping(pair->client, NGHTTP2_FLAG_NONE, NULL);
        pair_exchange(pair);
    }
    assert_false(pair->goaway);
    pair_send(pair, id, STR(""), true);
    pair_exchange(pair);
    assert_true(reply_of(pair, id)->closed);
    pair_free(pair);
}

/* So are requests, however many. */
static void requests_are_no_flood(void **state)
{
    (void)state;
    struct pair *pair = pair_new(NULL, false);
    for (size_t i = 0; i < 3 * FLOOD_FRAMES_MAX; i++) {
        int32_t id = pair_ask(pair, "POST", "/echo", "x");
        pair_exchange(pair);
        assert_int_equal(reply_of(pair, id)->status, 200);
    }
    assert_false(pair->goaway);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floods_end_the_connection),
        cmocka_unit_test(long_heads_end_the_connection),
        cmocka_unit_test(refusals_that_nobody_reads_end_the_connection),
        cmocka_unit_test(pings_beside_data_are_fine),
        cmocka_unit_test(requests_are_no_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
