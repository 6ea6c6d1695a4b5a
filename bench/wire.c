#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, HEAD_BYTES_MAX = 2048, EVENTS_MAX = 256, ERRORS_SHOWN = 3 };

void wire_die(const char *what)
{
    perror(what);
    exit(1);
}

int64_t wire_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- connections ---- */

void wire_init(struct wire *wire, int port, wire_answer_fn *on_answer)
{
    *wire = (struct wire){ .epoll = epoll_create1(EPOLL_CLOEXEC), .port = port, .on_answer = on_answer };
    if (wire->epoll < 0) wire_die("epoll_create1");
}

void wire_open(struct wire *wire, struct wire_connection *connection)
{
    int one = 1;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)wire->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    *connection = (struct wire_connection){ .fd = socket(AF_INET, SOCK_STREAM, 0),
                                            .in_cap = BUFFER_BYTES,
                                            .out_cap = BUFFER_BYTES };
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0)
        wire_die("connect");
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (fcntl(connection->fd, F_SETFL, O_NONBLOCK) != 0) wire_die("fcntl");
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    if (epoll_ctl(wire->epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0) wire_die("epoll_ctl");
    connection->in = malloc(connection->in_cap);
    connection->out = malloc(connection->out_cap);
    if (!connection->in || !connection->out) wire_die("malloc");
}

static void make_room(char **bytes, size_t *cap, size_t need)
{
    if (need <= *cap) return;
    while (*cap < need) *cap *= 2;
    *bytes = realloc(*bytes, *cap);
    if (!*bytes) wire_die("realloc");
}

void wire_send(struct wire *wire, struct wire_connection *connection, const char *method, const char *path,
               const char *type, const char *body, size_t n)
{
    make_room(&connection->out, &connection->out_cap, connection->out_count + HEAD_BYTES_MAX + n);
    char *head = connection->out + connection->out_count;
    const char *line = wire->header ? wire->header : "", *end = wire->header ? "\r\n" : "";
    int m =
        type ? snprintf(
                   head, HEAD_BYTES_MAX,
                   "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%sContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                   method, path, line, end, type, n)
             : snprintf(head, HEAD_BYTES_MAX, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n", method, path,
                        line, end);
    if (m >= HEAD_BYTES_MAX) wire_die("a path that long");
    if (type) memcpy(head + m, body, n);
    connection->out_count += (size_t)m + (type ? n : 0);
    connection->in_flight++;
    wire->requests++;
}

static void flush(struct wire_connection *connection)
{
    size_t sent = 0;
    while (sent < connection->out_count) {
        ssize_t k = send(connection->fd, connection->out + sent, connection->out_count - sent, MSG_NOSIGNAL);
        if (k < 0 && errno != EAGAIN) wire_die("send");
        if (k > 0) sent += (size_t)k;
        if (k < 0) poll(&(struct pollfd){ .fd = connection->fd, .events = POLLOUT }, 1, 1000);
    }
    connection->out_count = 0;
}

/* ---- answers ---- */

static void take_answer(struct wire *wire, struct wire_connection *connection, int status, const char *body,
                        size_t n)
{
    connection->in_flight--;
    if (status < 200 || status > 299) {
        if (wire->errors++ < ERRORS_SHOWN)
            fprintf(stderr, "%d %.*s\n", status, (int)(n < 300 ? n : 300), body);
    }
    wire->on_answer(connection, status, body, n);
}

static void read_answers(struct wire *wire, struct wire_connection *connection)
{
    if (connection->in_cap - connection->in_count < BUFFER_BYTES / 2)
        make_room(&connection->in, &connection->in_cap, connection->in_cap * 2);
    ssize_t k = recv(connection->fd, connection->in + connection->in_count,
                     connection->in_cap - connection->in_count, 0);
    if (k == 0) errno = ECONNRESET;
    if (k == 0 || (k < 0 && errno != EAGAIN)) wire_die("recv");
    if (k < 0) return;
    connection->in_count += (size_t)k;
    size_t at = 0;
    for (;;) {
        char *head = connection->in + at;
        char *blank = memmem(head, connection->in_count - at, "\r\n\r\n", 4);
        if (!blank) break;
        char *length = memmem(head, (size_t)(blank - head), "Content-Length: ", 16);
        size_t body = length ? strtoul(length + 16, NULL, 10) : 0;
        size_t total = (size_t)(blank + 4 - head) + body;
        if (connection->in_count - at < total) break;
        at += total;
        take_answer(wire, connection, atoi(head + 9), blank + 4, body);
    }
    memmove(connection->in, connection->in + at, connection->in_count - at);
    connection->in_count -= at;
}

bool wire_turn(struct wire *wire, struct wire_connection *connections, size_t count, int64_t wait_us)
{
    struct epoll_event events[EVENTS_MAX];
    for (size_t i = 0; i < count; i++)
        if (connections[i].out_count) flush(&connections[i]);
    struct timespec wait = { .tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000 };
    int n = epoll_pwait2(wire->epoll, events, EVENTS_MAX, &wait, NULL);
    if (n < 0 && errno != EINTR) wire_die("epoll_pwait2");
    for (int i = 0; i < n; i++) read_answers(wire, events[i].data.ptr);
    return n > 0;
}

/* ---- results and arguments ---- */

double wire_cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t wire_percentile(int64_t *sample, size_t count, size_t permille)
{
    if (!count) return 0;
    qsort(sample, count, sizeof sample[0], by_value);
    return sample[count * permille / 1000 < count ? count * permille / 1000 : count - 1];
}

const char *wire_text(int argc, char **argv, const char *name, const char *otherwise)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=') return argv[i] + n + 1;
    return otherwise;
}

long wire_number(int argc, char **argv, const char *name, long otherwise)
{
    const char *text = wire_text(argc, argv, name, NULL);
    return text ? atol(text) : otherwise;
}
