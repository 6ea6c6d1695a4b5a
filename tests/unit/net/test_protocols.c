/* A second protocol beside HTTP/1.1, small but with what HTTP/2 needs: answers in any order, a window that
 * the client opens and closes, and a goodbye.
 *
 *     client    LINES/1\n          the preface
 *               /path\n            a request; requests are numbered from 1
 *               =0\n  +1\n         so many answers may be sent; so many more
 *               -2\n              the answer to request 2 is not wanted any more
 *     server    1 200 body\n       an answer
 *               bye 503\n          no further requests are read
 */
#include "net/protocol_int.h"
#include "tls_files.h"

#define PREFACE "LINES/1\n"

struct lines {
    struct buf out;
    size_t sent;
    uint32_t count;
    int64_t window;
    bool greeted;
};

static enum protocol_match lines_recognise(str first_bytes)
{
    str preface = STR(PREFACE);
    size_t n = first_bytes.n < preface.n ? first_bytes.n : preface.n;
    if (memcmp(first_bytes.p, preface.p, n) != 0) return MATCH_NO;
    return n < preface.n ? MATCH_NEEDS_MORE : MATCH_YES;
}

static void lines_opened(struct connection *connection)
{
    struct lines *lines = calloc(1, sizeof *lines);
    lines->window = 1000;
    connection->session = lines;
}

static void lines_closed(struct connection *connection)
{
    struct lines *lines = connection->session;
    buf_done(&lines->out);
    free(lines);
}

static void lines_goodbye(struct connection *connection, int status)
{
    struct lines *lines = connection->session;
    buf_printf(&lines->out, "bye %d\n", status);
    connection_mark_dirty(connection);
}

static void lines_refuse(struct connection *connection, enum refusal refusal)
{
    lines_goodbye(connection, respond_refusal(connection->server, refusal, NULL, NULL).status);
    connection_end_after_answers(connection);
}

static void lines_request(struct connection *connection, str path)
{
    struct lines *lines = connection->session;
    struct exchange *exchange = exchange_new(connection->server, connection);
    struct http_request *request = &exchange->request;
    request->method = STR("GET");
    request->path = request->target = arena_str(&exchange->arena, path);
    request->query = request->body = STR_NONE;
    exchange->stream_id = ++lines->count;
    intake_ask_gate(exchange, connection);
    enum refusal refusal = intake_check(exchange, connection, 0, 0);
    if (refusal == REFUSE_NOTHING) {
        intake_dispatch(connection, exchange);
        return;
    }
    exchange_release(exchange);
    lines_refuse(connection, refusal);
}

static void lines_cancel(struct connection *connection, int64_t number)
{
    struct exchange *exchange = connection->first;
    while (exchange && exchange->stream_id != number) exchange = exchange->next;
    if (exchange) exchange_detach(exchange);
}

static size_t lines_take(struct connection *connection, str bytes)
{
    struct lines *lines = connection->session;
    size_t at = 0, end;
    while ((end = str_find(bytes, STR("\n"), at)) != SIZE_MAX) {
        str line = str_slice(bytes, at, end);
        int64_t number = 0;
        at = end + 1;
        if (!lines->greeted) {
            lines->greeted = true;
        } else if (line.p[0] == '=' || line.p[0] == '+') {
            str_to_int64(str_slice(line, 1, line.n), &number);
            lines->window = number + (line.p[0] == '+' ? lines->window : 0);
        } else if (line.p[0] == '-') {
            str_to_int64(str_slice(line, 1, line.n), &number);
            lines_cancel(connection, number);
        } else if (connection->state == CONNECTION_OPEN) {
            lines_request(connection, line);
        }
    }
    connection->starved = at < bytes.n;
    return at;
}

static bool lines_wants(const struct connection *connection)
{
    return connection->in_flight < connection->server->config.limits.pipeline_max;
}

static enum connection_phase lines_phase(const struct connection *connection)
{
    return connection->pending.n ? PHASE_HEAD : PHASE_IDLE;
}

static void lines_nothing(struct connection *connection) { (void)connection; }

static void lines_timed_out(struct connection *connection, enum connection_phase phase)
{
    assert_int_equal(phase, PHASE_HEAD);
    lines_refuse(connection, REFUSE_SLOW_HEAD);
}

static bool lines_drain(struct connection *connection)
{
    lines_goodbye(connection, 0);
    return true;
}

static void lines_add(struct exchange *exchange, str bytes) { buf_add_str(&exchange->stream, bytes); }

static void lines_begin(struct exchange *exchange, int status, str headers)
{
    (void)headers;
    buf_printf(&exchange->stream, "%u %d ", exchange->stream_id, status);
}

static void lines_end(struct exchange *exchange) { lines_add(exchange, STR("\n")); }

static void lines_respond(struct exchange *exchange, int status, str headers, str body)
{
    lines_begin(exchange, status, headers);
    lines_add(exchange, body);
    lines_end(exchange);
}

/* Nothing of `out` is being written when this is called, so it may move. */
static void lines_collect(struct connection *connection, struct pieces *pieces)
{
    struct lines *lines = connection->session;
    for (struct exchange *exchange = connection->first, *next; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->state != ANSWER_COMPLETE || lines->window <= 0) continue;
        lines->window--;
        buf_add_str(&lines->out, buf_str(&exchange->stream));
        respond_finished(exchange);
    }
    pieces_add(pieces, str_slice(buf_str(&lines->out), lines->sent, lines->out.n));
}

static void lines_written(struct connection *connection, size_t bytes)
{
    struct lines *lines = connection->session;
    lines->sent += bytes;
    assert_true(lines->sent <= lines->out.n);
}

static const struct protocol lines_protocol = {
    .name = STR_INIT("lines/1"),
    .recognise = lines_recognise,
    .opened = lines_opened,
    .closed = lines_closed,
    .wants = lines_wants,
    .take = lines_take,
    .reads_to_end = true,
    .phase = lines_phase,
    .timed_out = lines_timed_out,
    .abandon = lines_nothing,
    .drain = lines_drain,
    .refuse = lines_refuse,
    .respond = lines_respond,
    .stream_begin = lines_begin,
    .stream_add = lines_add,
    .stream_end = lines_end,
    .collect = lines_collect,
    .written = lines_written,
};

static const struct protocol *const both[] = { &lines_protocol, &http1_protocol, NULL };

/* Sends and reads until the answer ends with `want`. */
static void ask(int fd, const char *text, const char *want)
{
    struct buf got;
    buf_init(&got, NULL);
    say_text(fd, text);
    hear_until(fd, &got, want);
    assert_true(str_equal(buf_str(&got), str_of(want)));
    buf_done(&got);
}

static void the_first_bytes_choose(void **state)
{
    (void)state;
    struct live live;
    live_start_speaking(&live, NULL, NULL, NULL, both);
    int fd = dial(live.port);
    ask(fd, PREFACE "/x\n", "1 200 GET /x\n");
    ask(fd, "/stream\n/y", "2 200 one,two,three\n");
    ask(fd, "z\n", "3 200 GET /yz\n");
    close(fd);

    fd = dial(live.port);
    for (const char *p = PREFACE; p[1]; p++) say(fd, (str){ p, 1 }), usleep(1000);
    ask(fd, "\n/slow\n", "1 200 GET /slow\n");
    close(fd);

    assert_answer_starts(live.port, "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                         "HTTP/1.1 200 OK");
    struct buf got;
    buf_init(&got, NULL);
    fd = dial(live.port);
    say_text(fd, "LIN"); /* It may still become the preface. */
    usleep(10000);
    say_text(fd, "K / HTTP/1.1\r\nHost: a\r\n\r\n");
    hear_all(fd, &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 501 ")));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void an_unfinished_preface_is_answered_by_the_last_protocol(void **state)
{
    (void)state;
    struct live live;
    struct limits limits = limits_default();
    limits.header_timeout_ms = 40;
    live_start_speaking(&live, &limits, NULL, NULL, both);
    assert_answer_starts(live.port, "LINES", "HTTP/1.1 408 ");
    assert_answer_starts(live.port, PREFACE "/unfinished", "bye 408\n");
    live_stop(&live);
}

static void answers_leave_in_any_order(void **state)
{
    (void)state;
    struct live live;
    live_start_speaking(&live, NULL, NULL, NULL, both);
    int fd = dial(live.port);
    ask(fd, PREFACE "/hold\n/hold\n/now\n", "3 200 GET /now\n");
    ask(fd, "/release\n", "1 200 \n2 200 \n4 200 released\n"); /* In one flush: by request. */
    close(fd);
    live_stop(&live);
}

static void requests_outlive_their_client(void **state)
{
    (void)state;
    struct live live;
    live_start_speaking(&live, NULL, NULL, NULL, both);
    int fd = dial(live.port);
    say_text(fd, PREFACE "/watch\n/hold\n");
    sem_wait(&live.received);
    sem_wait(&live.received);
    close(fd);
    sem_wait(&live.gone);
    fd = dial(live.port);
    ask(fd, PREFACE "/release\n", "1 200 released\n"); /* The held one is answered, too: nobody is there. */
    close(fd);
    live_stop(&live);
}

/* The connection goes on without the request, wherever it stands in the queue. */
static void a_client_cancels_single_requests(void **state)
{
    (void)state;
    struct live live;
    live_start_speaking(&live, NULL, NULL, NULL, both);
    int fd = dial(live.port);
    say_text(fd, PREFACE "/hold\n/watch\n/hold\n-2\n");
    sem_wait(&live.gone);
    ask(fd, "=0\n/x\n-4\n=9\n/y\n", "5 200 GET /y\n"); /* The fourth had its answer already. */
    ask(fd, "-3\n/release\n", "1 200 \n6 200 released\n");
    close(fd);
    live_stop(&live);
}

static void a_window_holds_answers_back_even_at_the_end(void **state)
{
    (void)state;
    struct live live;
    live_start_speaking(&live, NULL, NULL, NULL, both);
    int fd = dial(live.port), idle = dial(live.port);
    struct buf got;
    buf_init(&got, NULL);
    ask(idle, PREFACE "/x\n", "1 200 GET /x\n");
    ask(fd, PREFACE "=0\n/a\n/b\n+1\n", "1 200 GET /a\n");
    net_wake(live.drainer);
    ask(fd, "", "bye 0\n");
    ask(fd, "/ignored\n+9\n", "2 200 GET /b\n");
    assert_true(hear_all(fd, &got));
    assert_int_equal(got.n, 0);
    assert_true(hear_all(idle, &got)); /* The last words are written before it closes. */
    assert_true(str_equal(buf_str(&got), STR("bye 0\n")));
    close(fd);
    close(idle);
    sem_wait(&live.drained);
    buf_done(&got);
    live_stop(&live);
}

static void alpn_chooses(void **state)
{
    static const struct {
        const char *offers, *says, *want;
    } cases[] = {
        { "\x08http/1.1\x07lines/1", PREFACE "/x\n", "1 200 GET /x\n" }, /* The server's order counts. */
        { "\x08http/1.1", "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n" },
        { "\x08http/1.1", PREFACE,
          "HTTP/1.1 400 Bad Request\r\n" }, /* The client said which one it speaks. */
        { NULL, PREFACE "/x\n", "1 200 GET /x\n" },
        { NULL, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n" },
        { "\x02h9", NULL, NULL },
    };
    const struct files *files = *state;
    struct live live;
    struct buf got;
    buf_init(&got, NULL);
    live_start_speaking(&live, NULL, files->certificate, files->key, both);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SSL_CTX *context = SSL_CTX_new(TLS_client_method());
        const char *offers = cases[i].offers;
        if (offers) SSL_CTX_set_alpn_protos(context, (const unsigned char *)offers, (unsigned)strlen(offers));
        SSL *ssl = dial_tls(live.port, context);
        assert_int_equal(shake_hands(ssl) == 1, cases[i].want != NULL);
        if (cases[i].want) {
            int n = (int)strlen(cases[i].says);
            assert_int_equal(SSL_write(ssl, cases[i].says, n), n);
            got.n = 0;
            hear_tls(ssl, &got, cases[i].want);
            assert_true(str_equal(buf_str(&got), str_of(cases[i].want)));
        }
        hang_up(ssl);
        SSL_CTX_free(context);
    }
    buf_done(&got);
    live_stop(&live);
}

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* One connection too many is told so in the protocol that it has agreed on. */
static void refusals_speak_the_protocol(void **state)
{
    const struct files *files = *state;
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    buf_init(&got, NULL);
    limits.connections_max = 1;
    live_start_speaking(&live, &limits, files->certificate, files->key, both);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *first = dial_tls(live.port, context);
    assert_int_equal(shake_hands(first), 1);
    assert_int_equal(SSL_write(first, GET, (int)strlen(GET)), (int)strlen(GET));
    hear_tls(first, &got, "HTTP/1.1 200 ");
    static const char *const offers[] = { "\x07lines/1", "\x08http/1.1", NULL };
    static const char *const says[] = { PREFACE "/x\n", GET, GET };
    static const char *const wants[] = { "bye 503\n", "HTTP/1.1 503 ", "HTTP/1.1 503 " };
    for (size_t i = 0; i < COUNT(offers); i++) {
        SSL *ssl = dial_tls(live.port, context);
        if (offers[i])
            SSL_set_alpn_protos(ssl, (const unsigned char *)offers[i], (unsigned)strlen(offers[i]));
        assert_int_equal(shake_hands(ssl), 1);
        int n = (int)strlen(says[i]);
        assert_int_equal(SSL_write(ssl, says[i], n), n);
        got.n = 0;
        hear_tls(ssl, &got, wants[i]);
        assert_true(str_equal(buf_str(&got), str_of(wants[i])));
        hang_up(ssl);
    }
    hang_up(first);
    SSL_CTX_free(context);
    live_stop(&live);

    live_start_speaking(&live, &limits, NULL, NULL, both);
    int fd = dial(live.port);
    ask(fd, PREFACE "/x\n", "1 200 GET /x\n");
    assert_answer_starts(live.port, GET, "HTTP/1.1 503 ");
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bytes_choose),
        cmocka_unit_test(an_unfinished_preface_is_answered_by_the_last_protocol),
        cmocka_unit_test(answers_leave_in_any_order),
        cmocka_unit_test(requests_outlive_their_client),
        cmocka_unit_test(a_client_cancels_single_requests),
        cmocka_unit_test(a_window_holds_answers_back_even_at_the_end),
        cmocka_unit_test(alpn_chooses),
        cmocka_unit_test(refusals_speak_the_protocol),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
