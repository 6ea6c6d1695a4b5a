/* A server on a thread of its own, and sockets to talk to it with. The handler does what
 * the path says:
 *
 *     /echo       the body (or, without one, method and target) back
 *     /big?n=N    N bytes of 'x'
 *     /empty      204
 *     /hold       nothing, until /release, which answers itself first, then what is held,
 *                 the newest first
 *     /watch      nothing; on_gone is counted and then answered, as a handler may
 *     /stream     three pieces of a stream
 *     /flood      a stream that is written until nobody takes more
 *     /tick       a stream that goes on by itself until the client is gone
 *     /drain      starts draining, then answers
 *     /roomy      may have a body of 20 bytes; the gate sees to that
 *     /refused    401, without its body; the gate sees to that
 *     /stranger   like any other, but its sender is not known; nor is that of /refused and /always.
 *                 /stranger/hold is /hold for strangers, and so on
 *     /always     like any other, but taken however much memory is in use
 *     /trailers   the body back, with a trailer behind it
 *     /gather     HTTP_TAKE_PIECES: each piece with its length before it, and "end" at the body's end
 */
#ifndef TESTS_NET_LIVE_H
#define TESTS_NET_LIVE_H

#include "net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

enum { HELD_MAX = 128, PATIENCE_S = 60 };

struct live {
    struct net_loop *loop;
    struct http_server *server;
    struct net_waker *stopper, *drainer;
    pthread_t thread;
    uint16_t port;
    int64_t grace_ms;
    struct http_request *held[HELD_MAX];
    size_t held_count;
    struct http_request *ticking;
    sem_t gone;     /* Posted by every on_gone. */
    sem_t received; /* Posted by /hold and /watch. */
    sem_t drained;
    atomic_int last_status;    /* The last that the observer has seen. */
    atomic_size_t connections; /* As the observer last saw them. */
    struct budget answers;
    atomic_size_t flooded; /* Bytes that a flood could write. */
};

struct live_watch {
    struct live *live;
    struct http_request *request;
    bool streaming;
};

static inline void live_watch_gone(void *user)
{
    struct live_watch *watch = user;
    struct live *live = watch->live;
    if (live->ticking == watch->request) live->ticking = NULL;
    if (watch->streaming) http_stream_end(watch->request);
    else http_respond(watch->request, 200, STR_NONE, STR("too late"));
    sem_post(&live->gone);
}

static inline void live_watch(struct live *live, struct http_request *request, bool streaming)
{
    struct live_watch *watch = arena_make(request->arena, struct live_watch);
    *watch = (struct live_watch){ live, request, streaming };
    request->user = watch;
    request->on_gone = live_watch_gone;
}

static inline void live_drained(void *context) { sem_post(&((struct live *)context)->drained); }
static inline void live_drain(void *context)
{
    struct live *live = context;
    http_server_drain(live->server, live->grace_ms, live_drained, live);
}

static inline void live_release(struct live *live)
{
    while (live->held_count) {
        struct http_request *request = live->held[--live->held_count];
        http_respond(request, 200, STR("X-Was: held\r\n"), request->query);
    }
}

static inline void live_flood(struct live *live, struct http_request *request)
{
    static char bytes[64 << 10];
    live_watch(live, request, true);
    http_stream_begin(request, 200, STR_NONE);
    size_t total = 0;
    while (http_stream_write(request, (str){ bytes, sizeof bytes })) total += sizeof bytes;
    atomic_store(&live->flooded, total);
}

static inline void live_tick(void *context)
{
    struct live *live = context;
    if (live->ticking) http_stream_write(live->ticking, STR("tick\n"));
}

static inline void live_stream(struct http_request *request)
{
    http_stream_begin(request, 200, STR("Content-Type: text/event-stream\r\n"));
    http_stream_write(request, STR("one,"));
    http_stream_write(request, STR(""));
    http_stream_write(request, STR("two,"));
    http_stream_write(request, STR("three"));
    http_stream_end(request);
}

static inline bool live_gather(str piece, void *user)
{
    struct http_request *request = user;
    if (piece.n)
        http_stream_write(request, arena_printf(request->arena, "%zu:%.*s,", piece.n, STR_ARG(piece)));
    else http_stream_write(request, STR("end"));
    if (!piece.n) http_stream_end_with_trailers(request, STR("X-Pieces: all\r\n"));
    return true;
}

static inline void live_big(struct http_request *request)
{
    str text;
    int64_t n = 0;
    if (http_query(request, STR("n"), &text)) str_to_int64(text, &n);
    char *bytes = arena_alloc(request->arena, (size_t)n);
    memset(bytes, 'x', (size_t)n);
    http_respond(request, 200, STR_NONE, (str){ bytes, (size_t)n });
}

static inline void live_handle(struct http_request *request, void *context)
{
    struct live *live = context;
    str path = request->path;
    if (str_starts(path, STR("/stranger/"))) path = str_slice(path, 9, path.n);
    if (str_equal(path, STR("/hold"))) {
        live->held[live->held_count++] = request;
        sem_post(&live->received);
    } else if (str_equal(path, STR("/release"))) {
        http_respond(request, 200, STR_NONE, STR("released"));
        live_release(live);
    } else if (str_equal(path, STR("/watch"))) {
        live_watch(live, request, false);
        sem_post(&live->received);
    } else if (str_equal(path, STR("/stream"))) {
        live_stream(request);
    } else if (str_equal(path, STR("/flood"))) {
        live_flood(live, request);
    } else if (str_equal(path, STR("/tick"))) {
        live_watch(live, request, true);
        http_stream_begin(request, 200, STR_NONE);
        live->ticking = request;
    } else if (str_equal(path, STR("/drain"))) {
        live_drain(live);
        http_respond(request, 200, STR_NONE, STR("draining"));
    } else if (str_equal(path, STR("/big"))) {
        live_big(request);
    } else if (str_equal(path, STR("/refused"))) {
        http_respond(request, 401, STR_NONE, request->body.n ? STR("body") : STR("no body"));
    } else if (str_equal(path, STR("/trailers"))) {
        http_respond_with_trailers(request, 200, STR("X-Head: 1\r\n"), request->body,
                                   STR("X-Trailer: 2\r\n"));
    } else if (str_equal(path, STR("/gather"))) {
        request->user = request;
        request->on_piece = live_gather;
        http_stream_begin(request, 200, STR_NONE);
    } else if (str_equal(path, STR("/empty"))) {
        http_respond(request, 204, STR_NONE, STR_NONE);
    } else if (request->body.n) {
        http_respond(request, 200, STR("Content-Type: text/plain\r\n"), request->body);
    } else {
        str text =
            arena_printf(request->arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->target));
        http_respond(request, 200, STR("Content-Type: text/plain\r\n"), text);
    }
}

static inline void live_observe(const struct http_request *request, int64_t took_us, void *context)
{
    struct live *live = context;
    atomic_store(&live->last_status, took_us < 0 ? -1 : request->status);
    atomic_store(&live->connections, http_server_connections(live->server));
}

static inline str live_refusal_headers(struct http_request *request, void *context)
{
    (void)request;
    (void)context;
    return STR("X-Refused: by us\r\n");
}

static inline enum http_verdict live_gate(struct http_request *request, void *context)
{
    (void)context;
    if (request->body.n) fail_msg("the gate sees heads only");
    request->known = !str_starts(request->path, STR("/stranger")) &&
                     !str_equal(request->path, STR("/refused")) && !str_equal(request->path, STR("/always"));
    if (str_equal(request->path, STR("/roomy"))) request->body_bytes_max = 20;
    if (str_equal(request->path, STR("/refused"))) return HTTP_TAKE_HEAD;
    if (str_equal(request->path, STR("/gather"))) return HTTP_TAKE_PIECES;
    return str_equal(request->path, STR("/always")) ? HTTP_TAKE_ALWAYS : HTTP_TAKE;
}

static inline void live_stop_loop(void *context) { net_loop_stop(((struct live *)context)->loop); }

static inline void *live_run(void *context)
{
    net_loop_run(((struct live *)context)->loop);
    return NULL;
}

/* With the protocols of a test; NULL: all that a server speaks. */
static inline void live_start_speaking(struct live *live, const struct limits *limits,
                                       const char *certificate, const char *key,
                                       const struct protocol *const *protocols)
{
    memset(live, 0, sizeof *live);
    live->grace_ms = PATIENCE_S * 1000;
    sem_init(&live->gone, 0, 0);
    sem_init(&live->received, 0, 0);
    sem_init(&live->drained, 0, 0);
    live->loop = net_loop_new();
    live->stopper = net_waker_new(live->loop, live_stop_loop, live);
    live->drainer = net_waker_new(live->loop, live_drain, live);
    net_every(live->loop, 5, live_tick, live);
    const struct http_server_config config = {
        .host = { "127.0.0.1", 9 },
        .limits = limits ? *limits : limits_default(),
        .answers = &live->answers,
        .gate = live_gate,
        .handler = live_handle,
        .observer = live_observe,
        .context = live,
        .refusal_headers = live_refusal_headers,
        .tls_certificate = certificate,
        .tls_key = key,
        .protocols = protocols,
    };
    live->answers.max = config.limits.answers_bytes_max;
    struct error err;
    if (http_server_open(live->loop, &config, &live->server, &err) != ST_OK)
        fail_msg("%s: %s", err.where, err.message);
    live->port = http_server_port(live->server);
    assert_int_equal(pthread_create(&live->thread, NULL, live_run, live), 0);
}

static inline void live_start_tls(struct live *live, const struct limits *limits, const char *certificate,
                                  const char *key)
{
    live_start_speaking(live, limits, certificate, key, NULL);
}

static inline void live_start(struct live *live, const struct limits *limits)
{
    live_start_tls(live, limits, NULL, NULL);
}

static inline void live_stop(struct live *live)
{
    net_wake(live->stopper);
    assert_int_equal(pthread_join(live->thread, NULL), 0);
    http_server_free(live->server);
    net_loop_free(live->loop);
}

/* ---- the client's side ---- */

static inline int dial(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons(port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* A process that was stopped and goes on (SIGSTOP, SIGCONT) gets EINTR from a socket with a time limit,
 * although it handles no signal. */
static inline ssize_t hear_some(int fd, char *room, size_t n)
{
    ssize_t got;
    do got = recv(fd, room, n, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

static inline void say(int fd, str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        assert_true(n > 0);
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
}

static inline void say_text(int fd, const char *text) { say(fd, str_of(text)); }

/* Reads up to and including `mark`; what comes behind stays in the socket. Fails at EOF. */
static inline void hear_until(int fd, struct buf *out, const char *mark)
{
    while (!str_ends(buf_str(out), str_of(mark))) {
        char c;
        ssize_t n = hear_some(fd, &c, 1);
        if (n != 1) fail_msg("no \"%s\" but the end after \"%.*s\"", mark, STR_ARG(buf_str(out)));
        buf_add_char(out, c);
    }
}

static inline void hear_bytes(int fd, struct buf *out, size_t n)
{
    char *room = buf_reserve(out, n);
    for (size_t have = 0; have < n;) {
        ssize_t got = hear_some(fd, room + have, n - have);
        assert_true(got > 0);
        have += (size_t)got;
    }
    out->n += n;
}

/* One answer with Content-Length: its body (in `out`, at the end) and, as result, its status. */
static inline int hear_answer(int fd, struct buf *out, str *ret_body)
{
    out->n = 0;
    hear_until(fd, out, "\r\n\r\n");
    size_t head = out->n;
    int status = atoi(out->p + 9);
    size_t at = str_find(buf_str(out), STR("Content-Length: "), 0);
    size_t length = at == SIZE_MAX ? 0 : strtoul(out->p + at + 16, NULL, 10);
    if (length) hear_bytes(fd, out, length);
    *ret_body = str_slice(buf_str(out), head, out->n);
    return status;
}

/* All until the server closes; false if it did so by a reset. */
static inline bool hear_all(int fd, struct buf *out)
{
    for (;;) {
        char *room = buf_reserve(out, 4096);
        ssize_t n = hear_some(fd, room, 4096);
        if (n == 0) return true;
        if (n < 0 && errno == ECONNRESET) return false;
        assert_true(n > 0);
        out->n += (size_t)n;
    }
}

static inline bool has(const struct buf *text, const char *part)
{
    return str_find(buf_str(text), str_of(part), 0) != SIZE_MAX;
}

/* Sends, reads to the end and compares the beginning. */
static inline void assert_answer_starts(uint16_t port, const char *request, const char *want)
{
    int fd = dial(port);
    struct buf got;
    buf_init(&got, NULL);
    say_text(fd, request);
    hear_all(fd, &got);
    if (!str_starts(buf_str(&got), str_of(want)))
        fail_msg("\"%s\" got \"%.*s\" instead of \"%s\"", request, STR_ARG(buf_str(&got)), want);
    buf_done(&got);
    close(fd);
}

#endif
