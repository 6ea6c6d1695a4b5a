/* Calls made for real, to a server on this machine. */
#include "server.h"

#include "perform/limits.h"

static struct server server;
static struct outcalls *outcalls; /* Of most tests: the defaults, private addresses allowed. */

static int setup(void **state)
{
    (void)state;
    const struct outcalls_config config = local_config();
    server_start(&server);
    outcalls = start_outcalls(&config);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    outcalls_stop(outcalls);
    server_stop(&server);
    return 0;
}

static void assert_failure(const struct test_call *call, enum outcall_failure failure, const char *message)
{
    const struct outcall *out = &call->out;
    if (out->failure != failure)
        fail_msg("%.*s: %s, not %s (status %d, %.*s)", STR_ARG(out->url), outcall_failure_word(out->failure),
                 outcall_failure_word(failure), out->status, STR_ARG(out->message));
    if (!has(out->message, message)) fail_msg("\"%.*s\" has no \"%s\"", STR_ARG(out->message), message);
    assert_int_equal(out->status, 0);
    assert_int_equal(out->answer.n, 0);
}

/* ---- what is sent ---- */

static void a_request_has_its_method_body_and_headers(void **state)
{
    (void)state;
    static const struct outcall_header headers[] = { { STR_INIT("X-Own"), STR_INIT("yes") },
                                                     { STR_INIT("X-Empty"), STR_INIT("") } };
    struct test_call call;
    test_call_init(&call, server.port, "POST", "/echo?q=1#part");
    call.out.body = STR("{\"a\":1}");
    call.out.content_type = STR("application/json");
    call.out.idempotency_key = STR("i-1/s/1/0");
    call.out.traceparent = STR("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    call.out.header = headers;
    call.out.header_count = COUNT(headers);
    test_call_run(outcalls, &call);

    assert_int_equal(call.out.failure, OUTCALL_NONE);
    assert_int_equal(call.out.status, 200);
    static const char *const parts[] = {
        "POST /echo?q=1 HTTP/1.1\r\n",
        "\r\nContent-Type: application/json\r\n",
        "\r\nContent-Length: 7\r\n",
        "\r\nIdempotency-Key: i-1/s/1/0\r\n",
        "\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-",
        "\r\nX-Own: yes\r\n",
        "\r\nX-Empty:",
        "\r\nUser-Agent: pawl/" PAWL_VERSION "\r\n",
        "\r\n\r\n{\"a\":1}",
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!has(call.out.answer, parts[i])) fail_msg("no %s in %.*s", parts[i], STR_ARG(call.out.answer));
    assert_false(has(call.out.answer, "Expect:"));
    assert_false(has(call.out.answer, "Cookie:"));
    test_call_end(&call);
}

static void methods_say_whether_there_is_a_body(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        bool body;
        const char *want;
    } cases[] = {
        { "GET", false, NULL },
        { "DELETE", false, NULL },
        { "OPTIONS", false, NULL },
        { "POST", false, "Content-Length: 0\r\n" },
        { "PUT", false, "Content-Length: 0\r\n" },
        { "PATCH", true, "Content-Length: 2\r\n" },
        { "DELETE", true, "Content-Length: 2\r\n" },
        { "PURGE", true, "Content-Length: 2\r\n" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct test_call call;
        test_call_init(&call, server.port, cases[i].method, "/echo");
        if (cases[i].body) call.out.body = STR("ab");
        test_call_run(outcalls, &call);
        assert_int_equal(call.out.status, 200);
        assert_true(str_starts(call.out.answer, str_of(cases[i].method)));
        assert_false(has(call.out.answer, "Content-Type"));
        assert_int_equal(has(call.out.answer, "Content-Length"), cases[i].want != NULL);
        if (cases[i].want) assert_true(has(call.out.answer, cases[i].want));
        test_call_end(&call);
    }
}

static void what_cannot_be_sent_is_not(void **state)
{
    (void)state;
    static const struct outcall_header split[] = { { STR_INIT("X-A"), STR_INIT("1\r\nX-B: 2") } };
    static const struct outcall_header bad_name[] = { { STR_INIT("X A"), STR_INIT("1") } };
    struct test_call calls[4];
    for (size_t i = 0; i < COUNT(calls); i++) test_call_init(&calls[i], server.port, "POST", "/echo");
    calls[0].out.header = split;
    calls[0].out.header_count = 1;
    calls[1].out.header = bad_name;
    calls[1].out.header_count = 1;
    calls[2].out.idempotency_key = STR("a\nb");
    calls[3].out.method = STR("GET / HTTP/1.1\r\n");
    int before = atomic_load(&server.connections);
    for (size_t i = 0; i < COUNT(calls); i++) {
        test_call_run(outcalls, &calls[i]);
        assert_failure(&calls[i], OUTCALL_INVALID_HEADER, "");
        test_call_end(&calls[i]);
    }
    assert_int_equal(atomic_load(&server.connections), before);
}

/* ---- what comes back ---- */

static void say(struct test_call *call, const char *answer)
{
    test_call_init(call, server.port, "POST", "/say");
    call->out.body = str_of(answer);
    test_call_run(outcalls, call);
}

static void statuses_are_answers(void **state)
{
    (void)state;
    static const int statuses[] = { 200, 201, 202, 204, 301, 304, 400, 404, 409, 500, 503 };
    for (size_t i = 0; i < COUNT(statuses); i++) {
        char answer[256];
        bool body = statuses[i] != 204 && statuses[i] != 304;
        snprintf(answer, sizeof answer, "HTTP/1.1 %d Some\r\nContent-Type: text/plain; charset=utf-8\r\n%s",
                 statuses[i], body ? "Content-Length: 2\r\n\r\nhi" : "\r\n");
        struct test_call call;
        say(&call, answer);
        assert_int_equal(call.out.failure, OUTCALL_NONE);
        assert_int_equal(call.out.status, statuses[i]);
        assert_true(str_equal(call.out.answer, body ? STR("hi") : STR("")));
        assert_true(str_equal(call.out.answer_type, STR("text/plain; charset=utf-8")));
        test_call_end(&call);
    }
}

static void redirects_are_not_followed(void **state)
{
    (void)state;
    struct test_call call;
    char answer[256];
    snprintf(answer, sizeof answer,
             "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%u/hold\r\nContent-Length: 0\r\n\r\n",
             server.port);
    say(&call, answer);
    assert_int_equal(call.out.status, 302);
    assert_int_equal(sem_trywait(&server.held), -1);
    test_call_end(&call);
}

static void headers_of_events_are_kept(void **state)
{
    (void)state;
    struct test_call call;
    say(&call,
        "HTTP/1.1 200 OK\r\nCE-SpecVersion: 1.0\r\nX-Other: no\r\nce-id: 7\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(call.out.answer_header_count, 2);
    assert_true(str_equal_ignoring_case(call.out.answer_header[0].name, STR("ce-specversion")));
    assert_true(str_equal(call.out.answer_header[0].value, STR("1.0")));
    assert_true(str_equal(call.out.answer_header[1].value, STR("7")));
    test_call_end(&call);
}

static void a_head_request_has_no_body_to_wait_for(void **state)
{
    (void)state;
    struct test_call call;
    test_call_init(&call, server.port, "HEAD", "/bytes/0");
    test_call_run(outcalls, &call);
    assert_int_equal(call.out.status, 200);
    assert_int_equal(call.out.answer.n, 0);
    test_call_end(&call);
}

static void answers_are_taken_up_to_the_limit(void **state)
{
    (void)state;
    struct outcalls_config config = local_config();
    config.answer_bytes_max = 100000;
    struct outcalls *small = start_outcalls(&config);
    static const struct {
        const char *path;
        size_t n;
    } cases[] = {
        { "/bytes/100000", 100000 },
        { "/chunks/100000", 100000 },
        { "/bytes/100001", 0 },
        { "/chunks/100001", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct test_call call;
        test_call_init(&call, server.port, "GET", cases[i].path);
        test_call_run(small, &call);
        if (cases[i].n) assert_int_equal(call.out.answer.n, cases[i].n);
        else assert_failure(&call, OUTCALL_TOO_LARGE, "answer larger than 100000 bytes");
        test_call_end(&call);
    }
    outcalls_stop(small);
}

static void what_is_no_whole_answer_is_a_failure(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum outcall_failure want;
    } cases[] = {
        { "/close", OUTCALL_CONNECTION_FAILED },
        { "/cut", OUTCALL_MALFORMED },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct test_call call;
        test_call_init(&call, server.port, "POST", cases[i].path);
        test_call_run(outcalls, &call);
        assert_failure(&call, cases[i].want, "127.0.0.1");
        test_call_end(&call);
    }
    struct test_call call;
    say(&call, "SSH-2.0-OpenSSH_9.2\r\n\r\n\r\n");
    assert_failure(&call, OUTCALL_MALFORMED, "not HTTP");
    test_call_end(&call);
}

/* ---- what fails before ---- */

/* A busy machine may need all of a short time for the connection: then the call gets more. */
static void silence_times_out(void **state)
{
    (void)state;
    struct test_call call;
    for (int64_t timeout_ms = 20;; timeout_ms *= 10) {
        test_call_init(&call, server.port, "POST", "/hold");
        call.out.timeout_ms = timeout_ms;
        test_call_run(outcalls, &call);
        if (timeout_ms > 2000 || !has(call.out.message, "no connection")) break;
        test_call_end(&call);
    }
    char words[32];
    snprintf(words, sizeof words, "in time (%lld ms)", (long long)call.out.timeout_ms);
    assert_failure(&call, OUTCALL_TIMEOUT, words);
    wait_for(&server.held);
    wait_for(&server.left);
    test_call_end(&call);
}

static void a_handshake_that_is_not_answered_times_out(void **state)
{
    (void)state;
    uint16_t port;
    int fd = server_listen(&port); /* Nobody accepts. */
    struct test_call call;
    test_call_init(&call, port, "POST", "/");
    call.out.url = arena_printf(&call.arena, "https://127.0.0.1:%u/", port);
    call.out.timeout_ms = 20;
    test_call_run(outcalls, &call);
    assert_failure(&call, OUTCALL_TIMEOUT, "no connection to https://127.0.0.1:");
    test_call_end(&call);
    close(fd);
}

static void a_closed_port_refuses(void **state)
{
    (void)state;
    uint16_t port;
    int fd = server_listen(&port);
    close(fd);
    struct test_call call;
    test_call_init(&call, port, "POST", "/");
    test_call_run(outcalls, &call);
    assert_failure(&call, OUTCALL_CONNECTION_REFUSED, "refused the connection");
    test_call_end(&call);
}

static void a_name_that_does_not_exist_is_not_found(void **state)
{
    (void)state;
    struct test_call call;
    test_call_init(&call, server.port, "POST", "/");
    /* A label of 64 characters: no resolver needs to ask anybody. */
    call.out.url = STR("http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.invalid/");
    test_call_run(outcalls, &call);
    assert_failure(&call, OUTCALL_NAME_NOT_FOUND, "no address was found for http://aaa");
    test_call_end(&call);
}

static void urls_are_looked_at_first(void **state)
{
    (void)state;
    static const struct {
        const char *url, *message;
    } cases[] = {
        { "", "begin with http://" },
        { "127.0.0.1/x", "begin with http://" },
        { "/orders", "begin with http://" },
        { "ftp://127.0.0.1/", "begin with http://" },
        { "file:///etc/passwd", "begin with http://" },
        { "gopher://127.0.0.1/", "begin with http://" },
        { "other://127.0.0.1/", "begin with http://" },
        { "http://", "begin with http://" },
        { "http:/127.0.0.1/", "begin with http://" },
        { "http://?q", "" },
        { "http:///path", "begin with http://" },
        { "http://me@127.0.0.1/", "user or a password" },
        { "http://me:secret@127.0.0.1/", "user or a password" },
        { "http://@127.0.0.1/", "user or a password" },
        { "http://127.0.0.1:99999/", "port" },
        { "http://127.0.0.1:a/", "port" },
        { "http://127.0.0.1/a b", "percent-encoded" },
        { "http://127.0.0.1/a\r\nX: y", "percent-encoded" },
        { "http://127.0.0.1/\xc3\xa9", "percent-encoded" },
        { "http://ex%c3%a9mple.test/", "xn--" },
        { "http://127.0.0.1%2Fx/", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct test_call call;
        test_call_init(&call, 1, "GET", "");
        call.out.url = str_of(cases[i].url);
        test_call_run(outcalls, &call);
        assert_failure(&call, OUTCALL_INVALID_URL, cases[i].message);
        assert_false(has(call.out.message, "secret"));
        test_call_end(&call);
    }
}

static void a_url_may_be_so_long(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct test_call call;
        test_call_init(&call, server.port, "GET", "/echo?q=");
        struct buf url;
        buf_init(&url, &call.arena);
        buf_add_str(&url, call.out.url);
        while (url.n < (size_t)(OUTCALL_URL_BYTES_MAX + more)) buf_add_char(&url, 'x');
        call.out.url = buf_str(&url);
        test_call_run(outcalls, &call);
        if (more) assert_failure(&call, OUTCALL_INVALID_URL, "longer than");
        else assert_int_equal(call.out.status, 200);
        test_call_end(&call);
    }
}

static void private_addresses_need_leave(void **state)
{
    (void)state;
    const struct outcalls_config config = outcalls_config_default();
    struct outcalls *strict = start_outcalls(&config);
    static const char *const hosts[] = {
        "127.0.0.1",       "127.1",     "2130706433",         "0x7f.0.0.1",        "0177.0.0.1",
        "localhost",       "[::1]",     "[::ffff:127.0.0.1]", "0.0.0.0",           "10.0.0.1",
        "169.254.169.254", "[fe80::1]", "[fd00::1]",          "[64:ff9b::7f00:1]",
    };
    int before = atomic_load(&server.connections);
    for (size_t i = 0; i < COUNT(hosts); i++) {
        struct test_call call;
        test_call_init(&call, server.port, "GET", "/");
        call.out.url = arena_printf(&call.arena, "http://%s:%u/", hosts[i], server.port);
        test_call_run(strict, &call);
        assert_failure(&call, OUTCALL_ADDRESS_REFUSED, "--allow-private-calls");
        test_call_end(&call);
    }
    assert_int_equal(atomic_load(&server.connections), before);
    outcalls_stop(strict);
}

static void proxies_of_the_environment_are_not_used(void **state)
{
    (void)state;
    char proxy[64];
    uint16_t port;
    int fd = server_listen(&port);
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", port);
    setenv("http_proxy", proxy, 1);
    setenv("ALL_PROXY", proxy, 1);
    struct test_call call;
    test_call_init(&call, server.port, "GET", "/echo");
    test_call_run(outcalls, &call);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    close(fd);
    assert_int_equal(call.out.status, 200);
    assert_true(str_starts(call.out.answer, STR("GET /echo HTTP/1.1\r\n")));
    test_call_end(&call);
}

/* ---- many calls ---- */

static void connections_are_used_again(void **state)
{
    (void)state;
    const struct outcalls_config config = local_config();
    struct outcalls *own = start_outcalls(&config);
    int before = atomic_load(&server.connections);
    for (int i = 0; i < 20; i++) {
        struct test_call call;
        test_call_init(&call, server.port, "POST", "/echo");
        test_call_run(own, &call);
        assert_int_equal(call.out.status, 200);
        test_call_end(&call);
    }
    assert_int_equal(atomic_load(&server.connections), before + 1);
    outcalls_stop(own);
}

static void one_host_gets_so_many_calls_at_a_time(void **state)
{
    (void)state;
    struct outcalls_config config = local_config();
    config.calls_per_host_max = 1;
    struct outcalls *narrow = start_outcalls(&config);
    struct test_call first, waiting[3];
    test_call_init(&first, server.port, "POST", "/hold");
    test_call_submit(narrow, &first);
    wait_for(&server.held);
    for (size_t i = 0; i < COUNT(waiting); i++) {
        test_call_init(&waiting[i], server.port, "POST", "/echo");
        test_call_submit(narrow, &waiting[i]);
    }
    /* Cancelling the second of three leaves the other two in their order. */
    outcalls_cancel(narrow, waiting[1].number);
    test_call_wait(&waiting[1]);
    assert_failure(&waiting[1], OUTCALL_CANCELLED, "cancelled");
    assert_int_equal(atomic_load(&waiting[0].done_count), 0);

    outcalls_cancel(narrow, first.number);
    test_call_wait(&first);
    wait_for(&server.left);
    test_call_wait(&waiting[0]);
    test_call_wait(&waiting[2]);
    assert_int_equal(waiting[0].out.status, 200);
    assert_int_equal(waiting[2].out.status, 200);
    test_call_end(&first);
    for (size_t i = 0; i < COUNT(waiting); i++) test_call_end(&waiting[i]);
    outcalls_stop(narrow);
}

static void beyond_the_most_calls_are_turned_away(void **state)
{
    (void)state;
    struct outcalls_config config = local_config();
    config.calls_max = 2;
    struct outcalls *small = start_outcalls(&config);
    struct test_call calls[3];
    struct error err;
    for (size_t i = 0; i < COUNT(calls); i++) test_call_init(&calls[i], server.port, "POST", "/hold");
    assert_int_equal(outcalls_room(small), 2);
    test_call_submit(small, &calls[0]);
    test_call_submit(small, &calls[1]);
    assert_int_equal(outcalls_room(small), 0);
    assert_int_equal(outcalls_submit(small, &calls[2].out, NULL, &err), ST_OVERLOAD);
    wait_for(&server.held);
    wait_for(&server.held);

    outcalls_cancel(small, calls[0].number);
    test_call_wait(&calls[0]);
    assert_int_equal(outcalls_room(small), 1);
    test_call_submit(small, &calls[2]);
    wait_for(&server.held);
    outcalls_stop(small);
    for (size_t i = 0; i < COUNT(calls); i++) {
        wait_for(&server.left);
        test_call_end(&calls[i]);
    }
}

static void cancelling_what_is_done_or_unknown_is_nothing(void **state)
{
    (void)state;
    struct test_call call;
    test_call_init(&call, server.port, "POST", "/echo");
    test_call_run(outcalls, &call);
    outcalls_cancel(outcalls, call.number);
    outcalls_cancel(outcalls, UINT64_MAX);
    test_call_end(&call);
    test_call_init(&call, server.port, "POST", "/echo");
    test_call_run(outcalls, &call);
    assert_int_equal(call.out.status, 200);
    test_call_end(&call);
}

static void stopping_ends_every_call(void **state)
{
    (void)state;
    struct outcalls_config config = local_config();
    config.calls_per_host_max = 2;
    struct outcalls *own = start_outcalls(&config);
    struct test_call calls[8]; /* Two in flight, the others waiting or in the inbox. */
    for (size_t i = 0; i < COUNT(calls); i++) {
        test_call_init(&calls[i], server.port, "POST", "/hold");
        test_call_submit(own, &calls[i]);
    }
    wait_for(&server.held);
    wait_for(&server.held);
    outcalls_stop(own);
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_failure(&calls[i], OUTCALL_STOPPED, "stopping");
        test_call_end(&calls[i]);
    }
    wait_for(&server.left);
    wait_for(&server.left);
    outcalls_stop(NULL);
}

/* Each call's end begins the next, from the outcalls's own thread. */
struct chain {
    struct outcalls *outcalls;
    struct test_call call;
    int left;
    uint16_t port;
    sem_t done;
};

static void chain_next(struct outcall *out)
{
    struct chain *chain = out->user;
    if (out->status != 200 || --chain->left == 0) {
        sem_post(&chain->done);
        return;
    }
    arena_done(&chain->call.arena);
    test_call_init(&chain->call, chain->port, "POST", "/echo");
    chain->call.out.done = chain_next;
    chain->call.out.user = chain;
    if (outcalls_submit(chain->outcalls, &chain->call.out, NULL, NULL) != ST_OK) sem_post(&chain->done);
}

static void a_call_may_be_freed_and_another_begun_when_it_is_done(void **state)
{
    (void)state;
    struct chain chain = { .outcalls = outcalls, .left = 30, .port = server.port };
    sem_init(&chain.done, 0, 0);
    test_call_init(&chain.call, server.port, "POST", "/echo");
    chain.call.out.done = chain_next;
    chain.call.out.user = &chain;
    test_call_submit(outcalls, &chain.call);
    wait_for(&chain.done);
    assert_int_equal(chain.left, 0);
    arena_done(&chain.call.arena);
}

static void many_calls_go_side_by_side(void **state)
{
    (void)state;
    enum { CALLS = 200 };
    static struct test_call calls[CALLS];
    struct outcalls_config config = local_config();
    config.calls_per_host_max = 8;
    struct outcalls *own = start_outcalls(&config);
    int before = atomic_load(&server.connections);
    for (size_t i = 0; i < CALLS; i++) {
        test_call_init(&calls[i], server.port, "POST", "/echo");
        test_call_submit(own, &calls[i]);
    }
    for (size_t i = 0; i < CALLS; i++) {
        test_call_wait(&calls[i]);
        assert_int_equal(calls[i].out.status, 200);
        test_call_end(&calls[i]);
    }
    assert_in_range(atomic_load(&server.connections), before + 1, before + 8);
    outcalls_stop(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_has_its_method_body_and_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(methods_say_whether_there_is_a_body, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_sent_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(statuses_are_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(redirects_are_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(headers_of_events_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(a_head_request_has_no_body_to_wait_for, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_are_taken_up_to_the_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_whole_answer_is_a_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(silence_times_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_handshake_that_is_not_answered_times_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_closed_port_refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(a_name_that_does_not_exist_is_not_found, setup, teardown),
        cmocka_unit_test_setup_teardown(urls_are_looked_at_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_url_may_be_so_long, setup, teardown),
        cmocka_unit_test_setup_teardown(private_addresses_need_leave, setup, teardown),
        cmocka_unit_test_setup_teardown(proxies_of_the_environment_are_not_used, setup, teardown),
        cmocka_unit_test_setup_teardown(connections_are_used_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_host_gets_so_many_calls_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(beyond_the_most_calls_are_turned_away, setup, teardown),
        cmocka_unit_test_setup_teardown(cancelling_what_is_done_or_unknown_is_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(stopping_ends_every_call, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_may_be_freed_and_another_begun_when_it_is_done, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(many_calls_go_side_by_side, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
