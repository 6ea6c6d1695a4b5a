/* A tiny HTTP server on 127.0.0.1, a thread per connection. It does what the path says:
 *
 *     /echo      the request as it came, head and body
 *     /say       the request's body as the whole answer, byte for byte, then goes on
 *     /bytes/N   a body of N times x, with Content-Length; /chunks/N the same in chunks
 *     /json/N    status N, and as JSON the request's Idempotency-Key and body: {"key", "sent"}
 *     /hold      nothing, until the other side leaves; /hold-once the same, but only once, then as /json/200
 *     /wait      nothing, until the test says so; then as /json/200
 *     /close     closes without an answer
 *     /cut       closes in the middle of the body
 *
 * and a client's side: calls whose end can be waited for.
 */
#ifndef TESTS_PERFORM_SERVER_H
#define TESTS_PERFORM_SERVER_H

#include "perform/outcall.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CONNECTIONS_MAX = 64, PATIENCE_S = 60 };

struct server {
    int listener;
    uint16_t port;
    pthread_t thread;
    pthread_t worker[CONNECTIONS_MAX];
    int fd[CONNECTIONS_MAX];
    atomic_int connections; /* Ever accepted. */
    sem_t held;             /* Posted when a /hold or /wait has arrived, … */
    sem_t left;             /* … and when the client of a /hold has left. */
    sem_t *bell;            /* If set: rung with both. */
    sem_t go;               /* Lets one /wait go on. */
    atomic_bool held_once;
    pthread_mutex_t key_lock;
    char held_key[128]; /* Idempotency-Key of the last one held; read after `held`. */
};

struct server_worker {
    struct server *server;
    int fd;
};

static inline void server_send(int fd, str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0) return;
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
}

/* One request; false at the end of the connection. */
static inline bool server_receive(int fd, struct buf *in, size_t *ret_head)
{
    in->n = 0;
    size_t head = SIZE_MAX, want = SIZE_MAX;
    while (in->n < want) {
        char *room = buf_reserve(in, 4096);
        ssize_t n = recv(fd, room, 4096, 0);
        if (n <= 0) return false;
        in->n += (size_t)n;
        if (head == SIZE_MAX && (head = str_find(buf_str(in), STR("\r\n\r\n"), 0)) != SIZE_MAX) {
            head += 4;
            size_t at = str_find(buf_str(in), STR("Content-Length: "), 0);
            want = head + (at == SIZE_MAX ? 0 : strtoul(in->p + at + 16, NULL, 10));
        }
    }
    *ret_head = head;
    return true;
}

static inline void server_answer(int fd, str body)
{
    char head[128];
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", body.n);
    server_send(fd, str_of(head));
    server_send(fd, body);
}

static inline void server_bytes(int fd, size_t n, bool chunks)
{
    char *x = malloc(n + 1);
    memset(x, 'x', n);
    if (chunks) {
        char size[64];
        snprintf(size, sizeof size, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n", n);
        server_send(fd, str_of(size));
        server_send(fd, (str){ x, n });
        server_send(fd, STR("\r\n0\r\n\r\n"));
    } else {
        server_answer(fd, (str){ x, n });
    }
    free(x);
}

static inline str server_key(const struct buf *in)
{
    size_t at = str_find(buf_str(in), STR("Idempotency-Key: "), 0);
    if (at == SIZE_MAX) return STR_NONE;
    str rest = str_slice(buf_str(in), at + sizeof "Idempotency-Key: " - 1, in->n);
    return str_slice(rest, 0, str_find(rest, STR("\r\n"), 0));
}

static inline void server_json(int fd, unsigned long status, const struct buf *in, size_t head)
{
    struct buf body, out;
    buf_init(&body, NULL);
    buf_init(&out, NULL);
    str sent = str_slice(buf_str(in), head, in->n);
    buf_printf(&body, "{\"key\":\"%.*s\",\"sent\":", STR_ARG(server_key(in)));
    buf_add_str(&body, sent.n ? sent : STR("null"));
    buf_add_char(&body, '}');
    buf_printf(&out, "HTTP/1.1 %lu Said\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               status, body.n);
    buf_add_str(&out, buf_str(&body));
    server_send(fd, buf_str(&out));
    buf_done(&body);
    buf_done(&out);
}

static inline void server_ring(struct server *server, sem_t *semaphore)
{
    sem_post(semaphore);
    if (server->bell) sem_post(server->bell);
}

static inline void server_hold(struct server *server, int fd, const struct buf *in)
{
    char c;
    pthread_mutex_lock(&server->key_lock); /* Several may be held at once. */
    snprintf(server->held_key, sizeof server->held_key, "%.*s", STR_ARG(server_key(in)));
    pthread_mutex_unlock(&server->key_lock);
    server_ring(server, &server->held);
    while (recv(fd, &c, 1, 0) > 0) {
    }
    server_ring(server, &server->left);
}

/* False: the connection is over. */
static inline bool server_handle(struct server *server, int fd, struct buf *in, size_t head)
{
    size_t path_at = str_find(buf_str(in), STR(" "), 0) + 1;
    str path = str_slice(buf_str(in), path_at, in->n);
    if (str_starts(path, STR("/say"))) {
        server_send(fd, str_slice(buf_str(in), head, in->n));
    } else if (str_starts(path, STR("/bytes/"))) {
        server_bytes(fd, strtoul(path.p + 7, NULL, 10), false);
    } else if (str_starts(path, STR("/chunks/"))) {
        server_bytes(fd, strtoul(path.p + 8, NULL, 10), true);
    } else if (str_starts(path, STR("/json/"))) {
        server_json(fd, strtoul(path.p + 6, NULL, 10), in, head);
    } else if (str_starts(path, STR("/wait"))) {
        server_ring(server, &server->held);
        sem_wait(&server->go);
        server_json(fd, 200, in, head);
    } else if (str_starts(path, STR("/hold-once")) && atomic_exchange(&server->held_once, true)) {
        server_json(fd, 200, in, head);
    } else if (str_starts(path, STR("/hold"))) {
        server_hold(server, fd, in);
        return false;
    } else if (str_starts(path, STR("/close"))) {
        return false;
    } else if (str_starts(path, STR("/cut"))) {
        server_send(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all of it"));
        return false;
    } else {
        server_answer(fd, buf_str(in));
    }
    return true;
}

static inline void *server_serve(void *context)
{
    struct server_worker *worker = context;
    struct buf in;
    buf_init(&in, NULL);
    size_t head;
    while (server_receive(worker->fd, &in, &head) && server_handle(worker->server, worker->fd, &in, head)) {
    }
    shutdown(worker->fd, SHUT_RDWR);
    buf_done(&in);
    free(worker);
    return NULL;
}

static inline void *server_accept(void *context)
{
    struct server *server = context;
    for (;;) {
        int fd = accept(server->listener, NULL, NULL);
        if (fd < 0) return NULL;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
        int i = atomic_load(&server->connections);
        if (i == CONNECTIONS_MAX) abort();
        struct server_worker *worker = malloc(sizeof *worker);
        *worker = (struct server_worker){ server, fd };
        server->fd[i] = fd;
        pthread_create(&server->worker[i], NULL, server_serve, worker);
        atomic_fetch_add(&server->connections, 1);
    }
}

/* A listening socket on any free port. */
static inline int server_listen(uint16_t *ret_port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof address;
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &n), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static inline void server_start(struct server *server)
{
    memset(server, 0, sizeof *server);
    pthread_mutex_init(&server->key_lock, NULL);
    sem_init(&server->held, 0, 0);
    sem_init(&server->left, 0, 0);
    sem_init(&server->go, 0, 0);
    server->listener = server_listen(&server->port);
    assert_int_equal(pthread_create(&server->thread, NULL, server_accept, server), 0);
}

static inline void server_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    for (int i = 0; i < CONNECTIONS_MAX; i++) sem_post(&server->go);
    for (int i = 0; i < atomic_load(&server->connections); i++) {
        shutdown(server->fd[i], SHUT_RDWR);
        pthread_join(server->worker[i], NULL);
        close(server->fd[i]);
    }
}

/* ---- the caller's side ---- */

static inline void wait_for(sem_t *semaphore)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    if (sem_timedwait(semaphore, &until) != 0) fail_msg("nothing came within %d seconds", PATIENCE_S);
}

/* A call with its own arena. */
struct test_call {
    struct outcall out;
    struct arena arena;
    sem_t done;
    atomic_int done_count;
    uint64_t number;
    uint16_t port;
};

static inline void test_call_done(struct outcall *out)
{
    struct test_call *call = out->user;
    atomic_fetch_add(&call->done_count, 1);
    sem_post(&call->done);
}

static inline void test_call_init(struct test_call *call, uint16_t port, const char *method, const char *path)
{
    memset(call, 0, sizeof *call);
    arena_init(&call->arena, 0);
    sem_init(&call->done, 0, 0);
    call->port = port;
    call->out = (struct outcall){
        .method = str_of(method),
        .url = arena_printf(&call->arena, "http://127.0.0.1:%u%s", port, path),
        .arena = &call->arena,
        .done = test_call_done,
        .user = call,
    };
}

static inline void test_call_submit(struct outcalls *outcalls, struct test_call *call)
{
    struct error err;
    if (outcalls_submit(outcalls, &call->out, &call->number, &err) != ST_OK) fail_msg("%s", err.message);
}

static inline void test_call_wait(struct test_call *call) { wait_for(&call->done); }

static inline void test_call_end(struct test_call *call)
{
    assert_int_equal(atomic_load(&call->done_count), 1);
    sem_destroy(&call->done);
    arena_done(&call->arena);
}

static inline void test_call_run(struct outcalls *outcalls, struct test_call *call)
{
    test_call_submit(outcalls, call);
    test_call_wait(call);
}

static inline struct outcalls *start_outcalls(const struct outcalls_config *config)
{
    struct outcalls *outcalls;
    struct error err;
    if (outcalls_start(config, &outcalls, &err) != ST_OK) fail_msg("%s", err.message);
    return outcalls;
}

/* One that may call the server above. */
static inline struct outcalls_config local_config(void)
{
    struct outcalls_config config = outcalls_config_default();
    config.reach.all = true;
    return config;
}

static inline bool has(str text, const char *part) { return str_find(text, str_of(part), 0) != SIZE_MAX; }

#endif
