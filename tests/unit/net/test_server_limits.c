#include "live.h"

#define HOST "Host: a\r\n"

static void refusals_say_why_and_close(void **state)
{
    static const struct {
        const char *request, *status, *body;
    } cases[] = {
        { "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n",
          "{\"error\":\"bad-request\",\"reason\":\"malformed-head\",\"message\":\"The request's head is "
          "malformed.\"}" },
        { "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
          "HTTP/1.1 400 Bad Request\r\n",
          "{\"error\":\"bad-request\",\"reason\":\"malformed-chunk\",\"message\":\"The chunked body is "
          "malformed.\"}" },
        { "POST / HTTP/1.1\r\n" HOST "Expect: tea\r\n\r\n", "HTTP/1.1 417 Expectation Failed\r\n", NULL },
        { "CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 501 Not Implemented\r\n", NULL },
        { "GET / HTTP/2.0\r\n" HOST "\r\n", "HTTP/1.1 505 HTTP Version Not Supported\r\n", NULL },
    };
    struct live live;
    (void)state;
    live_start(&live, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf got;
        buf_init(&got, NULL);
        int fd = dial(live.port);
        say_text(fd, cases[i].request);
        assert_true(hear_all(fd, &got));
        assert_true(str_starts(buf_str(&got), str_of(cases[i].status)));
        assert_true(has(&got, "Content-Type: application/json\r\n"));
        /* Where the head could not be read, nobody can say for whom the answer is. */
        assert_int_equal(has(&got, "\r\nX-Refused: by us\r\n"), i == 1);
        assert_false(has(&got, "Retry-After"));
        assert_true(has(&got, "Connection: close\r\n\r\n{\"error\":\""));
        if (cases[i].body) assert_true(str_ends(buf_str(&got), str_of(cases[i].body)));
        close(fd);
        buf_done(&got);
    }
    live_stop(&live);
}

/* Bytes behind a mistake are never read as a request; requests before it are answered. */
static void a_mistake_ends_the_pipeline_in_its_turn(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    say_text(fd, "GET /hold?x HTTP/1.1\r\n" HOST
                 "\r\nGET / HTTP/1.1\r\nHost : a\r\n\r\nGET /third HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("x")));
    assert_int_equal(hear_answer(fd, &got, &body), 400);
    got.n = 0;
    assert_true(hear_all(fd, &got));
    assert_int_equal(got.n, 0);
    close(fd);
    close(other);
    buf_done(&got);
    live_stop(&live);
}

static void heads_and_bodies_have_limits(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.body_bytes_max = 10;
    limits.header_bytes_max = 79;
    limits.header_count_max = 3;
    live_start(&live, &limits);
    static const struct {
        const char *request, *want;
    } cases[] = {
        { "POST / HTTP/1.1\r\n" HOST "Content-Length: 10\r\nConnection: close\r\n\r\n0123456789",
          "HTTP/1.1 200" },
        { "POST / HTTP/1.1\r\n" HOST "Content-Length: 11\r\n\r\n",
          "HTTP/1.1 413" }, /* Before the body is sent. */
        { "POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n", "HTTP/1.1 413" },
        { "POST / HTTP/1.1\r\n" HOST "Content-Length: 11\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 413" },
        { "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n",
          "HTTP/1.1 413" },
        /* The gate allows more for this path. */
        { "POST /roomy HTTP/1.1\r\n" HOST
          "Content-Length: 20\r\nConnection: close\r\n\r\n01234567890123456789",
          "HTTP/1.1 200" },
        { "POST /roomy HTTP/1.1\r\n" HOST "Content-Length: 21\r\n\r\n", "HTTP/1.1 413" },
        { "POST /roomy HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n5\r\n",
          "HTTP/1.1 413" },
        { "GET / HTTP/1.1\r\n" HOST "A: 1\r\nConnection: close\r\n\r\n", "HTTP/1.1 200" },
        { "GET / HTTP/1.1\r\n" HOST "A: 1\r\nB: 2\r\nConnection: close\r\n\r\n", "HTTP/1.1 431" },
        { "GET / HTTP/1.1\r\n" HOST "Connection: close\r\nA: 0123456789012345678901234567\r\n\r\n",
          "HTTP/1.1 200" },
        { "GET / HTTP/1.1\r\n" HOST "Connection: close\r\nA: 01234567890123456789012345678\r\n\r\n",
          "HTTP/1.1 431" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_answer_starts(live.port, cases[i].request, cases[i].want);
    live_stop(&live);
}

/* The answer arrives although the client is still sending what nobody will read. */
static void a_refused_upload_can_read_its_answer(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    static char bytes[1 << 20];
    (void)state;
    limits.body_bytes_max = 10;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "POST / HTTP/1.1\r\n" HOST "Content-Length: 1048576\r\n\r\n");
    say(fd, (str){ bytes, sizeof bytes });
    assert_true(hear_all(fd, &got));
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 413 Content Too Large\r\n")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void slow_senders_are_dropped(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.header_timeout_ms = 50;
    limits.body_timeout_ms = 50;
    live_start(&live, &limits);
    assert_answer_starts(live.port, "GET / HTTP/1.1\r\nHos", "HTTP/1.1 408 Request Timeout\r\n");
    assert_answer_starts(live.port, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nabc",
                         "HTTP/1.1 408 Request Timeout\r\n");
    assert_answer_starts(live.port, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\n",
                         "HTTP/1.1 408 Request Timeout\r\n");
    /* Behind a request that is still being answered, the next must not dawdle either. */
    struct buf got;
    str body;
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    say_text(other, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(other, &got, &body), 200);
    say_text(fd, "GET /hold?x HTTP/1.1\r\n" HOST "\r\nGET /");
    sem_wait(&live.received);
    /* This one's end says that the time of the other is up too. */
    assert_answer_starts(live.port, "GET / HTTP/1.1\r\nHos", "HTTP/1.1 408 Request Timeout\r\n");
    say_text(other, "GET /release HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_int_equal(hear_answer(fd, &got, &body), 408);
    close(fd);
    close(other);
    buf_done(&got);
    live_stop(&live);
}

static void idle_connections_are_closed_silently(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    str body;
    (void)state;
    limits.idle_timeout_ms = 50;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int fresh = dial(live.port), used = dial(live.port);
    say_text(used, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(used, &got, &body), 200);
    got.n = 0;
    assert_true(hear_all(used, &got));
    assert_true(hear_all(fresh, &got));
    assert_int_equal(got.n, 0);
    close(fresh);
    close(used);
    buf_done(&got);
    live_stop(&live);
}

static void who_never_reads_an_answer_is_closed(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    (void)state;
    limits.write_timeout_ms = 50;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    str body;
    say_text(fd, "GET /big?n=50000000 HTTP/1.1\r\n" HOST "\r\n");
    /* The observer counts connections whenever another answer is out. */
    do {
        say_text(other, "GET / HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(other, &got, &body), 200);
    } while (atomic_load(&live.connections) != 1);
    close(other);
    got.n = 0;
    hear_all(fd, &got);
    assert_true(got.n < 50000000);
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void one_connection_too_many_is_told_so(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    str body;
    (void)state;
    limits.connections_max = 2;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int first = dial(live.port), second = dial(live.port);
    say_text(first, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(first, &got, &body), 200);
    say_text(second, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(second, &got, &body), 200);

    int third = dial(live.port);
    got.n = 0;
    say_text(third, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_true(hear_all(third, &got));
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 503 Service Unavailable\r\n")));
    assert_true(has(&got, "\r\nRetry-After: 1\r\n"));
    close(third);
    int probe = dial(live.port);
    got.n = 0;
    say_text(probe, "GET /always HTTP/1.1\r\n" HOST "\r\n");
    assert_true(hear_all(probe, &got));
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 OK\r\n")));
    assert_true(has(&got, "\r\nConnection: close\r\n"));
    close(probe);
    assert_int_equal(atomic_load(&live.connections), 2);
    close(first);
    /* The server may not have seen the end of the first yet: ask until it has. */
    int status = 503;
    while (status == 503) {
        int fd = dial(live.port);
        say_text(fd, "GET / HTTP/1.1\r\n" HOST "\r\n");
        status = hear_answer(fd, &got, &body);
        close(fd);
    }
    assert_int_equal(status, 200);
    close(second);
    buf_done(&got);
    live_stop(&live);
}

static void draining_answers_what_is_in_flight(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int idle = dial(live.port), busy = dial(live.port), half = dial(live.port);
    say_text(idle, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(idle, &got, &body), 200);
    say_text(half, "GET /hold?half HTTP/1.1\r\n" HOST "\r\nPOST /echo HTTP/1.1\r\n" HOST
                   "Content-Length: 4\r\n\r\nab");
    say_text(busy, "GET /hold?1 HTTP/1.1\r\n" HOST "\r\nGET /hold?2 HTTP/1.1\r\n" HOST "\r\n");
    for (int i = 0; i < 3; i++) sem_wait(&live.received);

    int drainer = dial(live.port);
    say_text(drainer, "GET /release HTTP/1.1\r\n" HOST "\r\nGET /drain HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(drainer, &got, &body), 200);
    assert_int_equal(hear_answer(drainer, &got, &body), 200);
    assert_true(has(&got, "Connection: close\r\n"));

    got.n = 0;
    assert_true(hear_all(idle, &got)); /* Closed at once. */
    assert_int_equal(got.n, 0);
    assert_int_equal(hear_answer(busy, &got, &body), 200);
    assert_int_equal(hear_answer(busy, &got, &body), 200);
    assert_true(str_equal(body, STR("2")));

    /* A request that had begun may be finished. */
    assert_int_equal(hear_answer(half, &got, &body), 200);
    say_text(half, "cd");
    assert_int_equal(hear_answer(half, &got, &body), 200);
    assert_true(str_equal(body, STR("abcd")));
    assert_true(has(&got, "Connection: close\r\n"));
    const int fds[] = { idle, busy, half, drainer };
    for (size_t i = 0; i < COUNT(fds); i++) close(fds[i]);
    sem_wait(&live.drained);
    buf_done(&got);
    live_stop(&live);
}

static void unanswered_requests_get_connection_close_once_draining(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int busy = dial(live.port), half = dial(live.port);
    say_text(half, "GET /hold?0 HTTP/1.1\r\n" HOST "\r\nPOST /release HTTP/1.1\r\n" HOST
                   "Content-Length: 1\r\n\r\n");
    sem_wait(&live.received);
    say_text(busy, "GET /hold?1 HTTP/1.1\r\n" HOST "\r\nGET /hold?2 HTTP/1.1\r\n" HOST "\r\nGET /hol");
    sem_wait(&live.received);
    sem_wait(&live.received);
    net_wake(live.drainer);
    /* Accepting ends with draining: wait for that, then let the held ones go. */
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(live.port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    for (int refused = 0; !refused;) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        refused = connect(fd, (struct sockaddr *)&address, sizeof address) < 0;
        close(fd);
    }
    say_text(half, "x");
    assert_true(hear_all(busy, &got));
    size_t at = str_find(buf_str(&got), STR("Connection: close"), 0);
    assert_true(at != SIZE_MAX && at > str_find(buf_str(&got), STR("\r\n\r\n1HTTP/1.1 200 OK\r\n"), 0));
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\n2")));
    close(busy);
    close(half);
    sem_wait(&live.drained);
    buf_done(&got);
    live_stop(&live);
}

static void grace_has_an_end(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    live.grace_ms = 30;
    int fd = dial(live.port);
    say_text(fd, "GET /watch HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    net_wake(live.drainer);
    hear_all(fd, &got);
    assert_int_equal(got.n, 0);
    sem_wait(&live.gone);
    sem_wait(&live.drained);
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void a_port_in_use_is_named(void **state)
{
    struct live live;
    struct error err;
    struct http_server *server = NULL;
    char want[64];
    (void)state;
    live_start(&live, NULL);
    struct net_loop *loop = net_loop_new();
    const struct http_server_config config = {
        .host = { "127.0.0.1", 9 }, .port = live.port, .limits = limits_default(), .handler = live_handle
    };
    assert_int_equal(http_server_open(loop, &config, &server, &err), ST_CONFLICT);
    snprintf(want, sizeof want, "127.0.0.1:%u", live.port);
    assert_string_equal(err.where, want);
    assert_string_equal(
        err.message,
        "address already in use; perhaps an engine runs there already, else choose another port");
    assert_null(server);
    net_loop_free(loop);
    live_stop(&live);
}

static void hosts_are_checked(void **state)
{
    static const struct {
        str host;
        const char *where;
    } cases[] = {
        { { "203.0.113.7", 11 }, "203.0.113.7:1" }, /* Not an address of this machine. */
        { { "127.0.0.1\0x", 11 }, "host" },
        { { "300.0.0.1", 9 }, "300.0.0.1:1" },
    };
    (void)state;
    struct net_loop *loop = net_loop_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_server *server;
        struct error err;
        const struct http_server_config config = {
            .host = cases[i].host, .port = 1, .limits = limits_default(), .handler = live_handle
        };
        assert_int_equal(http_server_open(loop, &config, &server, &err), ST_INVALID);
        assert_string_equal(err.where, cases[i].where);
    }
    net_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_why_and_close),
        cmocka_unit_test(a_mistake_ends_the_pipeline_in_its_turn),
        cmocka_unit_test(heads_and_bodies_have_limits),
        cmocka_unit_test(a_refused_upload_can_read_its_answer),
        cmocka_unit_test(slow_senders_are_dropped),
        cmocka_unit_test(idle_connections_are_closed_silently),
        cmocka_unit_test(who_never_reads_an_answer_is_closed),
        cmocka_unit_test(one_connection_too_many_is_told_so),
        cmocka_unit_test(draining_answers_what_is_in_flight),
        cmocka_unit_test(unanswered_requests_get_connection_close_once_draining),
        cmocka_unit_test(grace_has_an_end),
        cmocka_unit_test(a_port_in_use_is_named),
        cmocka_unit_test(hosts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
