#include "live.h"

#define HOST "Host: a\r\n"

static void a_connection_is_kept_and_headers_are_in_order(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    for (int i = 0; i < 3; i++) {
        say_text(fd, "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello");
        assert_int_equal(hear_answer(fd, &got, &body), 200);
        assert_true(str_equal(body, STR("hello")));
        assert_true(
            str_starts(buf_str(&got),
                       STR("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nDate: ")));
        assert_true(str_ends(buf_str(&got), STR(" GMT\r\n\r\nhello"))); /* No Connection field. */
    }
    assert_int_equal(atomic_load(&live.last_status), 200);
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void targets_of_every_form_reach_the_handler(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        { "GET /a/b?c=d HTTP/1.1\r\n", "GET /a/b?c=d" },
        { "GET http://other.org/x?y HTTP/1.1\r\n", "GET http://other.org/x?y" },
        { "OPTIONS * HTTP/1.1\r\n", "OPTIONS *" },
        { "DELETE / HTTP/1.1\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\nConnection: Upgrade, "
          "HTTP2-Settings\r\n",
          "DELETE /" },
    };
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    for (size_t i = 0; i < COUNT(cases); i++) {
        say_text(fd, cases[i].line);
        say_text(fd, HOST "\r\n");
        assert_int_equal(hear_answer(fd, &got, &body), 200);
        assert_true(str_equal(body, str_of(cases[i].want)));
    }
    say_text(fd, "GET http://other.org/big?n=3 HTTP/1.1\r\n" HOST "\r\n"); /* Path and query come apart. */
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("xxx")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void pipelined_answers_keep_the_order_of_their_requests(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "GET /hold?1 HTTP/1.1\r\n" HOST "\r\n"
                 "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n2"
                 "GET /hold?3 HTTP/1.1\r\n" HOST "\r\n"
                 "GET /release HTTP/1.1\r\n" HOST "\r\n");
    static const char *const want[] = { "1", "2", "3", "released" };
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(hear_answer(fd, &got, &body), 200);
        assert_true(str_equal(body, str_of(want[i])));
    }
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

/* The answers are given from another connection's request, so they leave in another turn. */
static void answers_may_come_long_after_their_requests(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int waiting = dial(live.port), other = dial(live.port);
    say_text(waiting, "GET /hold?a HTTP/1.1\r\n" HOST "\r\nGET /hold?b HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    sem_wait(&live.received);
    say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(waiting, &got, &body), 200);
    assert_true(str_equal(body, STR("a")));
    assert_true(has(&got, "X-Was: held\r\n"));
    assert_int_equal(hear_answer(waiting, &got, &body), 200);
    assert_true(str_equal(body, STR("b")));
    assert_int_equal(hear_answer(other, &got, &body), 200);
    close(waiting);
    close(other);
    buf_done(&got);
    live_stop(&live);
}

/* Three times more than may be in flight, sent at once: the rest waits and is served. */
static void more_requests_than_may_be_in_flight_wait(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got, text;
    str body;
    (void)state;
    limits.pipeline_max = 4;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    buf_init(&text, NULL);
    int fd = dial(live.port), other = dial(live.port);
    for (int i = 0; i < 12; i++) buf_printf(&text, "GET /hold?%d HTTP/1.1\r\n" HOST "\r\n", i);
    say(fd, buf_str(&text));
    for (int i = 0; i < 12; i += 4) {
        for (int k = 0; k < 4; k++) sem_wait(&live.received);
        say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(other, &got, &body), 200);
        for (int k = i; k < i + 4; k++) {
            char want[16];
            snprintf(want, sizeof want, "%d", k);
            assert_int_equal(hear_answer(fd, &got, &body), 200);
            assert_true(str_equal(body, str_of(want)));
        }
    }
    int waiting;
    sem_getvalue(&live.received, &waiting);
    assert_int_equal(waiting, 0);
    close(fd);
    close(other);
    buf_done(&got);
    buf_done(&text);
    live_stop(&live);
}

/* Answers at once, many more than fit into one writev or one pipeline. */
static void long_pipelines_are_answered_completely(void **state)
{
    enum { REQUESTS = 1000 };
    struct live live;
    struct buf got, text;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    buf_init(&text, NULL);
    for (int i = 0; i < REQUESTS; i++) buf_printf(&text, "GET /%d HTTP/1.1\r\n" HOST "\r\n", i);
    int fd = dial(live.port);
    say(fd, buf_str(&text));
    for (int i = 0; i < REQUESTS; i++) {
        char want[32];
        snprintf(want, sizeof want, "GET /%d", i);
        assert_int_equal(hear_answer(fd, &got, &body), 200);
        assert_true(str_equal(body, str_of(want)));
    }
    close(fd);
    buf_done(&got);
    buf_done(&text);
    live_stop(&live);
}

static void requests_may_come_byte_by_byte(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    static const char text[] = "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc"
                               "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                               "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n";
    for (size_t i = 0; i < sizeof text - 1; i++) say(fd, (str){ text + i, 1 });
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("abc")));
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("abcde")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void *say_all(void *context)
{
    const struct {
        int fd;
        str bytes;
    } *job = context;
    say(job->fd, job->bytes);
    return NULL;
}

/* Larger than any buffer of the way: both sides have to wait for each other. */
static void large_bodies_arrive_and_return(void **state)
{
    struct live live;
    struct buf got, text;
    str body;
    (void)state;
    live_start(&live, NULL);
    size_t size = (size_t)limits_default().body_bytes_max;
    buf_init(&got, NULL);
    buf_init(&text, NULL);
    for (int chunked = 0; chunked <= 1; chunked++) {
        text.n = 0;
        buf_printf(&text, "POST /echo HTTP/1.1\r\n" HOST);
        if (chunked) buf_printf(&text, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", size);
        else buf_printf(&text, "Content-Length: %zu\r\n\r\n", size);
        size_t head = text.n;
        for (size_t i = 0; i < size; i++) buf_add_char(&text, (char)(i * 7 + i / 251));
        if (chunked) buf_add_str(&text, STR("\r\n0\r\n\r\n"));

        struct {
            int fd;
            str bytes;
        } job = { dial(live.port), buf_str(&text) };
        pthread_t sender;
        assert_int_equal(pthread_create(&sender, NULL, say_all, &job), 0);
        assert_int_equal(hear_answer(job.fd, &got, &body), 200);
        pthread_join(sender, NULL);
        assert_true(str_equal(body, (str){ text.p + head, size }));
        close(job.fd);
    }
    buf_done(&got);
    buf_done(&text);
    live_stop(&live);
}

static void continue_is_said_in_its_turn(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "POST /echo HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(str_equal(buf_str(&got), STR("HTTP/1.1 100 Continue\r\n\r\n")));
    say_text(fd, "ok");
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("ok")));

    /* Whose body is already here needs no encouragement. */
    say_text(fd, "POST /echo HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
    assert_int_equal(hear_answer(fd, &got, &body), 200);

    /* An earlier answer comes first. */
    say_text(fd, "GET /hold?x HTTP/1.1\r\n" HOST "\r\n"
                 "POST /echo HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    sem_wait(&live.received);
    int other = dial(live.port);
    say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("x")));
    got.n = 0;
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(str_equal(buf_str(&got), STR("HTTP/1.1 100 Continue\r\n\r\n")));
    say_text(fd, "ok");
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    close(fd);
    close(other);
    buf_done(&got);
    live_stop(&live);
}

static void head_and_empty_answers_have_no_body(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "HEAD /big?n=5000 HTTP/1.1\r\n" HOST "\r\n"
                 "GET /empty HTTP/1.1\r\n" HOST "\r\n"
                 "HEAD /stream HTTP/1.1\r\n" HOST "\r\n"
                 "GET /last HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n")));
    got.n = 0;
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 204 No Content\r\nDate: ")));
    got.n = 0;
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(has(&got, "Transfer-Encoding: chunked\r\n"));
    got.n = 0;
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(has(&got, "\r\nConnection: close\r\n\r\n"));
    got.n = 0;
    assert_true(hear_all(fd, &got));
    assert_true(str_equal(buf_str(&got), STR("GET /last")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void http_1_0_is_kept_only_when_asked(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    assert_answer_starts(live.port, "GET /x HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    int fd = dial(live.port);
    for (int i = 0; i < 2; i++) {
        say_text(fd, "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assert_int_equal(hear_answer(fd, &got, &body), 200);
        assert_true(has(&got, "Connection: keep-alive\r\n"));
    }
    /* Its streams end with the connection, and are not chunked. */
    say_text(fd, "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    got.n = 0;
    assert_true(hear_all(fd, &got));
    assert_true(has(&got, "Connection: close\r\n"));
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\none,two,three")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void streams_are_chunked_and_keep_the_connection(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "GET /stream HTTP/1.1\r\n" HOST "\r\nGET /next HTTP/1.1\r\n" HOST "\r\n");
    hear_until(fd, &got, "\r\n0\r\n\r\n");
    assert_true(has(&got, "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"));
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\n4\r\none,\r\n4\r\ntwo,\r\n5\r\nthree\r\n0\r\n\r\n")));
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("GET /next")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void who_does_not_read_a_stream_is_dropped(void **state)
{
    struct live live;
    (void)state;
    live_start(&live, NULL);
    int fd = dial(live.port);
    say_text(fd, "GET /flood HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.gone);
    assert_true(atomic_load(&live.flooded) <= 1 << 20);
    close(fd);
    live_stop(&live);
}

static void a_handler_hears_that_its_client_has_left(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    for (int i = 0; i < 3; i++) { /* Each leaves the next one a used request. */
        int fd = dial(live.port);
        say_text(fd, "GET /watch HTTP/1.1\r\n" HOST "\r\nGET /watch HTTP/1.1\r\n" HOST "\r\n");
        sem_wait(&live.received);
        sem_wait(&live.received);
        close(fd);
        sem_wait(&live.gone);
        sem_wait(&live.gone);
    }
    int fd = dial(live.port);
    say_text(fd, "GET /tick HTTP/1.1\r\n" HOST "\r\n");
    hear_until(fd, &got, "tick\n\r\n");
    close(fd);
    sem_wait(&live.gone);
    buf_done(&got);
    live_stop(&live);
}

/* Nobody asked to be told, so the answer is simply given later, to nobody. */
static void an_answer_to_a_client_that_left_is_harmless(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    say_text(fd, "GET /hold HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    const struct linger reset = { .l_onoff = 1 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    for (int i = 0; i < 2; i++) {
        say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(other, &got, &body), 200);
    }
    close(other);
    buf_done(&got);
    live_stop(&live);
}

/* printf ... | nc: the client has nothing more to say but still listens. */
static void a_client_may_shut_its_side_and_still_listen(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    say_text(fd, "GET /hold?x HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    shutdown(fd, SHUT_WR);
    say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
    assert_true(hear_all(fd, &got));
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\nx")));
    close(fd);
    close(other);
    buf_done(&got);
    live_stop(&live);
}

static void what_is_unanswered_when_the_loop_stops_is_freed(void **state)
{
    struct live live;
    (void)state;
    live_start(&live, NULL);
    int fd = dial(live.port);
    say_text(fd, "GET /hold HTTP/1.1\r\n" HOST "\r\nGET /watch HTTP/1.1\r\n" HOST
                 "\r\nPOST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nhalf");
    sem_wait(&live.received);
    sem_wait(&live.received);
    live_stop(&live);
    close(fd);
}

/* HTTP/1.1 has what HTTP/2 has, in its own form: bodies in one piece, trailers behind the last chunk. */
static void trailers_and_pieces(void **state)
{
    (void)state;
    struct live live;
    live_start(&live, NULL);
    int fd = dial(live.port);
    struct buf got;
    buf_init(&got, NULL);
    say_text(fd, "POST /trailers HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(has(&got, "X-Head: 1\r\nTransfer-Encoding: chunked\r\n"));
    got.n = 0;
    hear_until(fd, &got, "\r\n\r\n");
    assert_true(str_equal(buf_str(&got), STR("4\r\nbody\r\n0\r\nX-Trailer: 2\r\n\r\n")));
    got.n = 0;
    say_text(fd, "POST /gather HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    hear_until(fd, &got, "\r\n\r\n");
    got.n = 0;
    hear_until(fd, &got, "X-Pieces: all\r\n\r\n");
    assert_true(str_equal(buf_str(&got), STR("8\r\n5:abcde,\r\n3\r\nend\r\n0\r\nX-Pieces: all\r\n\r\n")));
    got.n = 0;
    say_text(fd, "GET /gather HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    hear_all(fd, &got);
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\n3\r\nend\r\n0\r\nX-Pieces: all\r\n\r\n")));
    close(fd);
    assert_answer_starts(live.port, "POST /trailers HTTP/1.0\r\nContent-Length: 2\r\n\r\nxy",
                         "HTTP/1.1 200 OK\r\nX-Head: 1\r\nDate");
    buf_done(&got);
    live_stop(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_is_kept_and_headers_are_in_order),
        cmocka_unit_test(targets_of_every_form_reach_the_handler),
        cmocka_unit_test(pipelined_answers_keep_the_order_of_their_requests),
        cmocka_unit_test(answers_may_come_long_after_their_requests),
        cmocka_unit_test(more_requests_than_may_be_in_flight_wait),
        cmocka_unit_test(long_pipelines_are_answered_completely),
        cmocka_unit_test(requests_may_come_byte_by_byte),
        cmocka_unit_test(large_bodies_arrive_and_return),
        cmocka_unit_test(continue_is_said_in_its_turn),
        cmocka_unit_test(head_and_empty_answers_have_no_body),
        cmocka_unit_test(http_1_0_is_kept_only_when_asked),
        cmocka_unit_test(streams_are_chunked_and_keep_the_connection),
        cmocka_unit_test(who_does_not_read_a_stream_is_dropped),
        cmocka_unit_test(a_handler_hears_that_its_client_has_left),
        cmocka_unit_test(an_answer_to_a_client_that_left_is_harmless),
        cmocka_unit_test(a_client_may_shut_its_side_and_still_listen),
        cmocka_unit_test(what_is_unanswered_when_the_loop_stops_is_freed),
        cmocka_unit_test(trailers_and_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
