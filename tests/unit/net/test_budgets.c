/* The server keeps a bounded number of bytes for clients that do not read, and refuses requests by their
 * head. */
#include "live.h"

#define HOST "Host: a\r\n"

static void say_zeros(int fd, size_t n)
{
    static const char zeros[4096];
    for (; n > sizeof zeros; n -= sizeof zeros) say(fd, (str){ zeros, sizeof zeros });
    say(fd, (str){ zeros, n });
}

static void a_large_body_that_is_not_wanted_is_not_read(void **state)
{
    struct live live;
    struct buf got;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    static const char *const heads[] = {
        "POST /refused HTTP/1.1\r\n" HOST "Content-Length: 4000000\r\n\r\n",
        "POST /refused HTTP/1.1\r\n" HOST "Content-Length: 99999999999\r\n\r\n",
        "POST /refused HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
        "POST /refused HTTP/1.1\r\n" HOST "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n",
    };
    for (size_t i = 0; i < COUNT(heads); i++) {
        int fd = dial(live.port);
        got.n = 0;
        say_text(fd, heads[i]);
        assert_true(hear_all(fd, &got)); /* The answer, and no wait for a body. */
        assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 401 Unauthorized\r\n")));
        assert_true(has(&got, "Connection: close\r\n\r\nno body"));
        close(fd);
    }
    buf_done(&got);
    live_stop(&live);
}

static void a_small_body_that_is_not_wanted_is_dropped(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    /* Whole, and in two pieces: the connection goes on behind it. */
    say_text(fd, "POST /refused HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello");
    assert_int_equal(hear_answer(fd, &got, &body), 401);
    assert_true(str_equal(body, STR("no body")));
    say_text(fd, "POST /refused HTTP/1.1\r\n" HOST "Content-Length: 60000\r\n\r\n");
    say_zeros(fd, 60000);
    say_text(fd, "GET /next HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(fd, &got, &body), 401);
    assert_true(str_equal(body, STR("no body")));
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_true(str_equal(body, STR("GET /next")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

/* Large bodies may take three quarters; small ones and what is answered at once get through. */
static void requests_have_a_bound_together(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    str body;
    (void)state;
    limits.requests_bytes_max = 1 << 20;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int first = dial(live.port);
    say_text(first, "POST /a HTTP/1.1\r\n" HOST "Content-Length: 600000\r\n\r\n");
    say_zeros(first, 599999);

    /* Until the server has read all of that, another one may still fit. */
    int small = dial(live.port);
    for (bool refused = false; !refused;) {
        int second = dial(live.port);
        say_text(second, "POST /b HTTP/1.1\r\n" HOST "Content-Length: 400000\r\n\r\n");
        say_text(small, "POST /c HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi");
        assert_int_equal(hear_answer(small, &got, &body), 200);
        refused = recv(second, &(char){ 0 }, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
        if (refused) {
            assert_int_equal(hear_answer(second, &got, &body), 503);
            assert_true(has(&got, "Retry-After: 1\r\n"));
            assert_true(has(&got, "\"reason\":\"requests_bytes_max\""));
            assert_true(has(&got, "X-Refused: by us\r\n"));
        }
        close(second);
    }
    say_text(small, "GET /always HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(small, &got, &body), 200);
    say_zeros(first, 1);
    assert_int_equal(hear_answer(first, &got, &body), 200);
    assert_int_equal(body.n, 600000);
    close(first);

    int third = dial(live.port);
    say_text(third, "POST /b HTTP/1.1\r\n" HOST "Content-Length: 400000\r\n\r\n");
    say_zeros(third, 400000);
    assert_int_equal(hear_answer(third, &got, &body), 200);
    close(third);
    close(small);
    buf_done(&got);
    live_stop(&live);
}

/* A chunked body announces nothing: it is refused when it has become too much. */
static void chunks_count_as_they_come(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    (void)state;
    limits.requests_bytes_max = 1 << 20;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n200000\r\n");
    for (size_t i = 0; i < 400; i++) say_zeros(fd, 4096); /* Bytes behind the refusal are read and dropped. */
    hear_all(fd, &got);
    assert_true(has(&got, "requests_bytes_max"));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

/* Answers count from the moment they are given until they are written, and streams while they are behind. */
static void answers_are_counted_until_they_are_read(void **state)
{
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, NULL);
    buf_init(&got, NULL);
    int fd = dial(live.port), other = dial(live.port);
    say_text(fd, "GET /big?n=30000000 HTTP/1.1\r\n" HOST "\r\n");
    while (atomic_load(&live.answers.used) < 30000000) {
        say_text(other, "GET / HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(other, &got, &body), 200);
    }
    assert_int_equal(hear_answer(fd, &got, &body), 200);
    assert_int_equal(body.n, 30000000);
    close(fd);
    while (atomic_load(&live.answers.used) > 30000) {
        say_text(other, "GET / HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(other, &got, &body), 200);
    }
    close(other);
    buf_done(&got);
    live_stop(&live);
    assert_int_equal(atomic_load(&live.answers.used), 0);
}

/* A client that has much to read may not ask for more; a reset is noticed although nothing is read. */
static void who_leaves_behind_a_full_pipeline_is_noticed(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.pipeline_max = 2;
    limits.header_timeout_ms = 80; /* Looks every tenth of that. */
    live_start(&live, &limits);
    int fd = dial(live.port);
    say_text(fd, "GET /watch HTTP/1.1\r\n" HOST "\r\nGET /watch HTTP/1.1\r\n" HOST
                 "\r\nGET /watch HTTP/1.1\r\n" HOST "\r\n");
    sem_wait(&live.received);
    sem_wait(&live.received);
    const struct linger reset = { .l_onoff = 1 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    sem_wait(&live.gone);
    sem_wait(&live.gone);
    live_stop(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_body_that_is_not_wanted_is_not_read),
        cmocka_unit_test(a_small_body_that_is_not_wanted_is_dropped),
        cmocka_unit_test(requests_have_a_bound_together),
        cmocka_unit_test(chunks_count_as_they_come),
        cmocka_unit_test(answers_are_counted_until_they_are_read),
        cmocka_unit_test(who_leaves_behind_a_full_pipeline_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
