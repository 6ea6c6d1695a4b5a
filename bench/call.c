/* bench/call.c — makes one kind of call many times over HTTP/2 and says how fast the answers came.
 *
 *     call port=P count=N path=/SERVICE/METHOD [message=HEX] [method=POST] [connections=1] [streams=32]
 *
 * With `message` (which may be empty) it is a unary call of gRPC, and must end with OK; without, a request of
 * HTTP that must be answered with 200. Each connection has `streams` of them in flight. Prints one line of
 * JSON.
 */
#define _GNU_SOURCE
#include "wire.h"

#include <nghttp2/nghttp2.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, READ_BYTES = 1 << 16, STUCK_MS = 60000, MESSAGE_BYTES_MAX = 1 << 16 };

/* A call in flight. */
struct flight {
    int64_t sent_us;
    size_t body_at;
    bool good;
    struct flight *next; /* Those that are free. */
};

struct line {
    int fd;
    nghttp2_session *session;
};

static struct {
    const char *method, *path;
    bool grpc;
    uint8_t body[MESSAGE_BYTES_MAX];
    size_t body_bytes;
    long count, sent, answered, errors;
    int64_t *latency_us;
    struct line line[CONNECTIONS_MAX];
    struct flight *free;
} bench;

/* ---- calls ---- */

static ssize_t on_read(nghttp2_session *session, int32_t stream_id, uint8_t *bytes, size_t max,
                       uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct flight *flight = source->ptr;
    (void)session, (void)stream_id, (void)user;
    size_t n = bench.body_bytes - flight->body_at;
    if (n > max) n = max;
    memcpy(bytes, bench.body + flight->body_at, n);
    flight->body_at += n;
    if (flight->body_at == bench.body_bytes) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

#define FIELD(name, value)                                                                            \
    (nghttp2_nv)                                                                                      \
    {                                                                                                 \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), sizeof(name) - 1, strlen(value), \
            NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE                              \
    }

static void send_next(struct line *line)
{
    struct flight *flight = bench.free;
    bench.free = flight->next;
    *flight = (struct flight){ .sent_us = wire_now_us() };
    const nghttp2_nv field[] = { FIELD(":method", bench.method),
                                 FIELD(":scheme", "http"),
                                 FIELD(":path", bench.path),
                                 FIELD(":authority", "127.0.0.1"),
                                 FIELD("content-type", "application/grpc"),
                                 FIELD("te", "trailers"),
                                 FIELD("grpc-timeout", "20S") };
    const nghttp2_data_provider provider = { .source.ptr = flight, .read_callback = on_read };
    if (nghttp2_submit_request(line->session, NULL, field, bench.grpc ? 7 : 4, bench.grpc ? &provider : NULL,
                               flight) < 0)
        wire_die("submit");
    bench.sent++;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags, void *user)
{
    struct flight *flight = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    const char *wanted = bench.grpc ? "grpc-status" : ":status", *good = bench.grpc ? "0" : "200";
    (void)flags, (void)user;
    if (flight && name_bytes == strlen(wanted) && memcmp(name, wanted, name_bytes) == 0)
        flight->good = value_bytes == strlen(good) && memcmp(value, good, value_bytes) == 0;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *user)
{
    struct flight *flight = nghttp2_session_get_stream_user_data(session, stream_id);
    if (!flight) return 0;
    if (!flight->good || code) {
        if (bench.errors++ < 3) fprintf(stderr, "a call failed (%u)\n", code);
    }
    bench.latency_us[bench.answered++] = wire_now_us() - flight->sent_us;
    flight->next = bench.free;
    bench.free = flight;
    if (bench.sent < bench.count) send_next(user);
    return 0;
}

/* ---- connections ---- */

static void open_line(struct line *line, int port)
{
    int one = 1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    line->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (line->fd < 0 || connect(line->fd, (struct sockaddr *)&address, sizeof address) != 0)
        wire_die("connect");
    setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) wire_die("nghttp2");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (nghttp2_session_client_new(&line->session, callbacks, line) != 0) wire_die("nghttp2");
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(line->session, NGHTTP2_FLAG_NONE, NULL, 0);
}

/* All that is ready in one write. */
static void flush(struct line *line)
{
    static uint8_t out[1 << 20];
    size_t n = 0, sent = 0;
    const uint8_t *bytes;
    for (ssize_t more; (more = nghttp2_session_mem_send(line->session, &bytes)) != 0; n += (size_t)more) {
        if (more < 0 || n + (size_t)more > sizeof out) wire_die("send");
        memcpy(out + n, bytes, (size_t)more);
    }
    while (sent < n) {
        ssize_t part = send(line->fd, out + sent, n - sent, MSG_NOSIGNAL);
        if (part <= 0) wire_die("send");
        sent += (size_t)part;
    }
}

static void hear(struct line *line)
{
    static uint8_t in[READ_BYTES];
    ssize_t n = recv(line->fd, in, sizeof in, 0);
    if (n <= 0) wire_die("the engine closed a connection");
    if (nghttp2_session_mem_recv(line->session, in, (size_t)n) != n) wire_die("recv");
    flush(line);
}

static void run(long connections, long streams)
{
    struct pollfd poll_for[CONNECTIONS_MAX];
    double cpu_us = wire_cpu_us();
    int64_t began_us = wire_now_us();
    for (long i = 0; i < connections; i++) {
        for (long k = 0; k < streams && bench.sent < bench.count; k++) send_next(&bench.line[i]);
        flush(&bench.line[i]);
        poll_for[i] = (struct pollfd){ .fd = bench.line[i].fd, .events = POLLIN };
    }
    while (bench.answered < bench.count) {
        if (poll(poll_for, (nfds_t)connections, STUCK_MS) <= 0) wire_die("nothing for 60 s");
        for (long i = 0; i < connections; i++)
            if (poll_for[i].revents) hear(&bench.line[i]);
    }
    double seconds = (double)(wire_now_us() - began_us) / 1e6;
    size_t n = (size_t)bench.count;
    printf("{\"perSecond\":%.1f,\"errors\":%ld,\"p50Us\":%lld,\"p99Us\":%lld,\"clientCpuUs\":%.2f}\n",
           (double)n / seconds, bench.errors, (long long)wire_percentile(bench.latency_us, n, 500),
           (long long)wire_percentile(bench.latency_us, n, 990), (wire_cpu_us() - cpu_us) / (double)n);
}

static void read_message(const char *hex)
{
    size_t n = strlen(hex) / 2;
    if (n + 5 > MESSAGE_BYTES_MAX) wire_die("a message that long");
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) wire_die("message is not in hex");
        bench.body[5 + i] = (uint8_t)byte;
    }
    for (int i = 1; i < 5; i++) bench.body[i] = (uint8_t)(n >> (8 * (4 - i)));
    bench.body_bytes = 5 + n;
    bench.grpc = true;
}

int main(int argc, char **argv)
{
    long connections = wire_number(argc, argv, "connections", 1),
         streams = wire_number(argc, argv, "streams", 32);
    const char *message = wire_text(argc, argv, "message", NULL);
    if (connections < 1 || connections > CONNECTIONS_MAX || streams < 1) wire_die("connections");
    bench.method = wire_text(argc, argv, "method", message ? "POST" : "GET");
    bench.path = wire_text(argc, argv, "path", "/livez");
    bench.count = wire_number(argc, argv, "count", 1);
    if (message) read_message(message);
    bench.latency_us = calloc((size_t)bench.count, sizeof bench.latency_us[0]);
    struct flight *flights = calloc((size_t)(connections * streams), sizeof *flights);
    if (!bench.latency_us || !flights) wire_die("calloc");
    for (long i = 0; i < connections * streams; i++) {
        flights[i].next = bench.free;
        bench.free = &flights[i];
    }
    for (long i = 0; i < connections; i++) open_line(&bench.line[i], (int)wire_number(argc, argv, "port", 0));
    run(connections, streams);
    return bench.errors ? 1 : 0;
}
