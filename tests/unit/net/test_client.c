#include "live.h"

enum { PATIENCE_MS = PATIENCE_S * 1000 };

struct calling {
    struct arena arena;
    struct http_client *client;
    struct http_answer answer;
    struct error err;
    char url[64];
};

static void call_to(struct calling *calling, uint16_t port)
{
    arena_init(&calling->arena, 0);
    snprintf(calling->url, sizeof calling->url, "http://127.0.0.1:%u", port);
    assert_int_equal(http_client_new(str_of(calling->url), &calling->client, &calling->err), ST_OK);
}

static void end_calls(struct calling *calling)
{
    http_client_free(calling->client);
    arena_done(&calling->arena);
}

static enum status call(struct calling *calling, const char *method, const char *path, str body)
{
    return http_client_call(calling->client, method, str_of(path), body, PATIENCE_MS, &calling->arena,
                            &calling->answer, &calling->err);
}

static void answers_of_every_kind_are_read_over_one_connection(void **state)
{
    struct live live;
    struct calling calling;
    (void)state;
    live_start(&live, NULL);
    call_to(&calling, live.port);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(call(&calling, "POST", "/echo", STR("{}")), ST_OK);
        assert_int_equal(calling.answer.status, 200);
        assert_true(str_equal(calling.answer.body, STR("{}")));
        assert_true(str_equal(calling.answer.content_type, STR("text/plain")));
        assert_int_equal(call(&calling, "GET", "/stream", STR_NONE), ST_OK);
        assert_true(str_equal(calling.answer.body, STR("one,two,three")));
        assert_int_equal(call(&calling, "HEAD", "/big?n=100", STR_NONE), ST_OK);
        assert_int_equal(calling.answer.body.n, 0);
        assert_int_equal(call(&calling, "GET", "/empty", STR_NONE), ST_OK);
        assert_int_equal(calling.answer.status, 204);
        assert_int_equal(call(&calling, "GET", "/big?n=3000000", STR_NONE), ST_OK);
        assert_int_equal(calling.answer.body.n, 3000000);
    }
    assert_int_equal(atomic_load(&live.connections), 1);
    end_calls(&calling);
    live_stop(&live);
}

static void an_error_is_an_answer_too(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    struct calling calling;
    (void)state;
    limits.body_bytes_max = 4;
    live_start(&live, &limits);
    call_to(&calling, live.port);
    assert_int_equal(call(&calling, "POST", "/echo", STR("12345")), ST_OK);
    assert_int_equal(calling.answer.status, 413);
    assert_int_equal(call(&calling, "POST", "/echo", STR("1234")), ST_OK); /* Over a new connection. */
    assert_int_equal(calling.answer.status, 200);
    assert_int_equal(call(&calling, "TRACE", "/echo", STR_NONE), ST_OK);
    assert_int_equal(calling.answer.status, 501);
    end_calls(&calling);
    live_stop(&live);
}

/* A server of few words: for each connection one read, one answer, and the end. */
struct terse {
    int fd;
    uint16_t port;
    pthread_t thread;
    const char *const *answers; /* One per connection; NULL ends. "": closes without a word. */
    struct buf heard;           /* All requests. */
};

static void *run_terse(void *context)
{
    struct terse *terse = context;
    for (const char *const *answer = terse->answers; *answer; answer++) {
        int fd = accept(terse->fd, NULL, NULL);
        char text[4096];
        ssize_t n = recv(fd, text, sizeof text, 0);
        if (n > 0) buf_add(&terse->heard, text, (size_t)n);
        send(fd, *answer, strlen(*answer), MSG_NOSIGNAL);
        close(fd);
    }
    return NULL;
}

static void start_terse(struct terse *terse, const char *const *answers)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    *terse = (struct terse){ .fd = socket(AF_INET, SOCK_STREAM, 0), .answers = answers };
    assert_int_equal(bind(terse->fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(terse->fd, 8), 0);
    assert_int_equal(getsockname(terse->fd, (struct sockaddr *)&address, &bytes), 0);
    terse->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&terse->thread, NULL, run_terse, terse), 0);
}

static void end_terse(struct terse *terse)
{
    pthread_join(terse->thread, NULL);
    close(terse->fd);
    buf_done(&terse->heard);
}

static void a_closed_connection_is_opened_again(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nc", NULL };
    struct terse terse;
    struct calling calling;
    (void)state;
    start_terse(&terse, answers);
    call_to(&calling, terse.port);
    http_client_set_secret(calling.client, STR("secret"));
    http_client_set_headers(calling.client, STR("Idempotency-Key: 17\r\n"));
    assert_int_equal(call(&calling, "GET", "/1", STR_NONE), ST_OK);
    assert_true(str_equal(calling.answer.body, STR("a")));
    assert_int_equal(call(&calling, "GET", "/2", STR_NONE), ST_OK);
    assert_true(str_equal(calling.answer.body, STR("b")));
    /* A POST is not sent twice: it gets a connection that nobody can have closed yet. */
    struct calling posting;
    call_to(&posting, terse.port);
    http_client_set_headers(posting.client, STR("Content-Type: application/yaml\r\n"));
    assert_int_equal(call(&posting, "POST", "/3", STR("a: 1")), ST_OK);
    end_calls(&posting);
    pthread_join(terse.thread, NULL);
    assert_true(has(&terse.heard, "\r\nContent-Type: application/yaml\r\n"));
    assert_false(has(&terse.heard, "\r\nContent-Type: application/json\r\n"));
    assert_true(str_starts(buf_str(&terse.heard), STR("GET /1 HTTP/1.1\r\nHost: 127.0.0.1:")));
    assert_true(has(&terse.heard, "\r\nAuthorization: Bearer secret\r\n"));
    assert_true(has(&terse.heard, "\r\nIdempotency-Key: 17\r\n"));
    close(terse.fd);
    buf_done(&terse.heard);
    end_calls(&calling);
}

static void what_is_no_answer_is_an_error(void **state)
{
    static const char *const answers[] = {
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        NULL
    };
    struct terse terse;
    struct calling calling;
    (void)state;
    start_terse(&terse, answers);
    call_to(&calling, terse.port);
    for (size_t i = 0; answers[i]; i++) {
        if (call(&calling, "POST", "/", STR("{}")) != ST_STORE) fail_msg("\"%s\" is an answer?", answers[i]);
        assert_string_equal(calling.err.where, calling.url);
    }
    end_calls(&calling);
    end_terse(&terse);
}

static void odd_answers_are_understood(void **state)
{
    static const char *const answers[] = { "HTTP/1.0 200 OK\r\n\r\nto the end",
                                           "HTTP/1.1 200 \r\n\r\nto the end",
                                           "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: "
                                           "x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nto the end",
                                           NULL };
    struct terse terse;
    struct calling calling;
    (void)state;
    start_terse(&terse, answers);
    call_to(&calling, terse.port);
    for (size_t i = 0; answers[i]; i++) {
        assert_int_equal(call(&calling, "GET", "/", STR_NONE), ST_OK);
        assert_int_equal(calling.answer.status, 200);
        assert_true(str_equal(calling.answer.body, STR("to the end")));
    }
    end_calls(&calling);
    end_terse(&terse);
}

static void waiting_has_an_end(void **state)
{
    struct live live;
    struct calling calling;
    (void)state;
    live_start(&live, NULL);
    call_to(&calling, live.port);
    assert_int_equal(http_client_call(calling.client, "GET", STR("/watch"), STR_NONE, 30, &calling.arena,
                                      &calling.answer, &calling.err),
                     ST_STORE);
    assert_string_equal(calling.err.message, "no answer within 30 ms");
    sem_wait(&live.gone); /* The connection was closed: a late answer cannot be taken for the next. */
    assert_int_equal(call(&calling, "GET", "/x", STR_NONE), ST_OK);
    assert_true(str_equal(calling.answer.body, STR("GET /x")));
    end_calls(&calling);
    live_stop(&live);
}

static void a_refused_connection_is_said_so(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    struct calling calling;
    (void)state;
    int fd = socket(AF_INET, SOCK_STREAM, 0); /* Bound but deaf: nobody else gets the port. */
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    call_to(&calling, ntohs(address.sin_port));
    assert_int_equal(call(&calling, "GET", "/", STR_NONE), ST_STORE);
    assert_string_equal(calling.err.message, "cannot connect: Connection refused");
    end_calls(&calling);
    close(fd);
}

static void urls_are_checked(void **state)
{
    static const struct {
        const char *url;
        enum status want;
    } cases[] = {
        { "http://localhost", ST_OK },
        { "http://127.0.0.1:8080/", ST_OK },
        { "https://[::1]:8443/prefix", ST_OK },
        { "http://[::1]", ST_OK },
        { "localhost:8080", ST_INVALID },
        { "ftp://localhost", ST_INVALID },
        { "http://", ST_INVALID },
        { "http://:80", ST_INVALID },
        { "http://a:0", ST_INVALID },
        { "http://a:65536", ST_INVALID },
        { "http://a:x", ST_INVALID },
        { "http://[::1", ST_INVALID },
        { "http://[::1]8080", ST_INVALID },
        { "http://user@a", ST_INVALID },
        { "http://a b", ST_INVALID },
        { "http://a\r\nX: y", ST_INVALID },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_client *client = NULL;
        struct error err;
        enum status got = http_client_new(str_of(cases[i].url), &client, &err);
        if (got != cases[i].want) fail_msg("%s: %d", cases[i].url, (int)got);
        http_client_free(client);
    }
}

/* The pieces of a stream that came, and how many bytes are wanted. */
struct heard {
    struct buf text;
    size_t most;
};

static bool hear(str piece, void *context)
{
    struct heard *heard = context;
    buf_add_str(&heard->text, piece);
    return heard->text.n < heard->most;
}

static void a_stream_is_handed_on_piece_by_piece(void **state)
{
#define HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    static const struct {
        const char *answer, *heard;
        size_t most;
        enum status want;
        int http;
    } cases[] = {
        { HEAD "3\r\none\r\n4\r\n,two\r\n0\r\n\r\n", "one,two", 100, ST_OK, 200 },
        { HEAD "3\r\none\r\n4\r\n,tw", "one,tw", 100, ST_STORE, 0 }, /* Lost in the middle. */
        { HEAD "3\r\none\r\nzz\r\n", "", 100, ST_STORE, 0 },
        { HEAD "7\r\none,two\r\n", "one,two", 3, ST_OK, 200 }, /* No more was wanted. */
        { "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", "", 100, ST_OK, 404 },
        { "", "", 100, ST_STORE, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *answers[] = { cases[i].answer, NULL };
        struct terse terse;
        struct calling calling;
        struct heard heard = { .most = cases[i].most };
        start_terse(&terse, answers);
        call_to(&calling, terse.port);
        enum status got = http_client_stream(calling.client, STR("/events"), PATIENCE_MS, hear, &heard,
                                             &calling.arena, &calling.answer, &calling.err);
        if (got != cases[i].want || !str_equal(buf_str(&heard.text), str_of(cases[i].heard)))
            fail_msg("case %zu: %d, %.*s", i, (int)got, STR_ARG(buf_str(&heard.text)));
        if (got == ST_OK) assert_int_equal(calling.answer.status, cases[i].http);
        if (cases[i].http == 404) assert_true(str_equal(calling.answer.body, STR("{}")));
        buf_done(&heard.text);
        end_calls(&calling);
        end_terse(&terse);
    }
#undef HEAD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_every_kind_are_read_over_one_connection),
        cmocka_unit_test(an_error_is_an_answer_too),
        cmocka_unit_test(a_closed_connection_is_opened_again),
        cmocka_unit_test(what_is_no_answer_is_an_error),
        cmocka_unit_test(odd_answers_are_understood),
        cmocka_unit_test(waiting_has_an_end),
        cmocka_unit_test(a_refused_connection_is_said_so),
        cmocka_unit_test(urls_are_checked),
        cmocka_unit_test(a_stream_is_handed_on_piece_by_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
