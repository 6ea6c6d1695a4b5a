/* bench/load.c — drives three-step workflows over HTTP and says how fast they went.
 *
 *     load HOST PORT CONCURRENCY WORKFLOWS MODE
 *
 * MODE `single`: every connection starts a workflow, then polls and completes jobs one at a
 * time, seven requests a workflow. MODE `batch`: every connection starts workflows and works
 * through jobs/batch, completing and polling up to BATCH_JOBS at once. In both, CONCURRENCY
 * workflows are in flight. Prints one line of JSON.
 *
 * The definition `bench` (service tasks of types b1, b2, b3) must be deployed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { IN_BYTES = 1 << 18, OUT_BYTES = 1 << 16, BATCH_JOBS = 16, BATCH_CONNECTIONS = 16, ID_BYTES = 26, IDS_MAX = 64 };

enum phase { STARTING, POLLING, COMPLETING, WORKING };

struct connection {
    int fd;
    enum phase phase;
    size_t in_count;
    char *in;
    char *out;
    int pending_starts;            /* Answers to starts still to come (batch mode). */
    char id[IDS_MAX][ID_BYTES + 1]; /* Jobs to complete. */
    size_t id_count;
};

static struct {
    bool batch;
    long workflows, started, completed_jobs, requests, errors;
    int64_t *start_us;   /* By workflow number, which is in its variables. */
    int64_t *latency_us;
    long finished;
    int epoll;
    const char *host;
    int port;
} load;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void open_connection(struct connection *c)
{
    int one = 1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)load.port) };
    inet_pton(AF_INET, load.host, &address.sin_addr);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0) die("fcntl");
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
    if (epoll_ctl(load.epoll, EPOLL_CTL_ADD, c->fd, &event) != 0) die("epoll_ctl");
    c->in = malloc(IN_BYTES);
    c->out = malloc(OUT_BYTES);
    if (!c->in || !c->out) die("malloc");
}

static void send_request(struct connection *c, const char *path, const char *body, size_t n)
{
    char head[256];
    int m = snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", path, n);
    memmove(c->out + m, body, n);
    memcpy(c->out, head, (size_t)m);
    size_t total = (size_t)m + n, sent = 0;
    while (sent < total) {
        ssize_t k = send(c->fd, c->out + sent, total - sent, MSG_NOSIGNAL);
        if (k < 0 && errno != EAGAIN) die("send");
        if (k > 0) sent += (size_t)k;
    }
    load.requests++;
}

static void send_start(struct connection *c)
{
    char body[512];
    long n = load.started++;
    load.start_us[n] = now_us();
    int m = snprintf(body, sizeof body,
                     "{\"definitionId\":\"bench\",\"variables\":{\"n\":%ld,\"customer\":{\"name\":\"Ada Lovelace\",\"email\":\"ada@example.com\"},"
                     "\"items\":[{\"sku\":\"A-1\",\"quantity\":2,\"price\":9.99},{\"sku\":\"B-2\",\"quantity\":1,\"price\":24.5}],\"total\":44.48}}", n);
    send_request(c, "/v1/instances", body, (size_t)m);
}

static void send_poll(struct connection *c)
{
    static const char body[] = "{\"workerId\":\"bench\",\"jobTypes\":[\"b1\",\"b2\",\"b3\"],\"maxJobs\":1,\"waitSeconds\":1}";
    c->phase = POLLING;
    send_request(c, "/v1/jobs/poll", body, sizeof body - 1);
}

static void send_complete(struct connection *c)
{
    static const char body[] = "{\"workerId\":\"bench\",\"variables\":{\"result\":{\"ok\":true,\"code\":17}}}";
    char path[80];
    snprintf(path, sizeof path, "/v1/jobs/%s/complete", c->id[0]);
    c->phase = COMPLETING;
    send_request(c, path, body, sizeof body - 1);
}

static void send_work(struct connection *c)
{
    static char body[IDS_MAX * 128 + 256];
    int n = snprintf(body, sizeof body, "{\"workerId\":\"bench\",\"complete\":[");
    for (size_t i = 0; i < c->id_count; i++)
        n += snprintf(body + n, sizeof body - (size_t)n, "%s{\"id\":\"%s\",\"variables\":{\"result\":{\"ok\":true,\"code\":17}}}", i ? "," : "", c->id[i]);
    n += snprintf(body + n, sizeof body - (size_t)n,
                  "],\"poll\":{\"jobTypes\":[\"b1\",\"b2\",\"b3\"],\"maxJobs\":%d,\"waitSeconds\":1}}", BATCH_JOBS);
    load.completed_jobs += (long)c->id_count;
    c->phase = WORKING;
    send_request(c, "/v1/jobs/batch", body, (size_t)n);
}

/* A workflow's third job was handed out; its completion is on its way or done. */
static void note_finished(const char *job, const char *end)
{
    const char *n = memmem(job, (size_t)(end - job), "\"n\":", 4);
    if (!n) return;
    long number = strtol(n + 4, NULL, 10);
    if (number >= 0 && number < load.workflows) load.latency_us[number] = now_us() - load.start_us[number];
    load.finished++;
}

/* Takes the jobs out of a poll's answer. */
static void read_jobs(struct connection *c, const char *body, size_t n)
{
    const char *end = body + n, *p = memmem(body, n, "\"jobs\":[", 8);
    c->id_count = 0;
    while (p && c->id_count < IDS_MAX) {
        p = memmem(p, (size_t)(end - p), "{\"id\":\"", 7);
        if (!p || end - p < 7 + ID_BYTES) break;
        memcpy(c->id[c->id_count], p + 7, ID_BYTES);
        c->id[c->id_count++][ID_BYTES] = '\0';
        const char *next = memmem(p + 7, (size_t)(end - p - 7), "{\"id\":\"", 7);
        const char *job_end = next ? next : end;
        if (memmem(p, (size_t)(job_end - p), "\"jobType\":\"b3\"", 14)) note_finished(p, job_end);
        p = next;
    }
}

/* How many workflows this connection should start now (batch mode). */
static void top_up(struct connection *c, long in_flight_max)
{
    long in_flight = load.started - load.finished;
    while (in_flight++ < in_flight_max && load.started < load.workflows && c->pending_starts < BATCH_JOBS) {
        send_start(c);
        c->pending_starts++;
    }
}

static long concurrency;

static void on_answer(struct connection *c, int status, const char *body, size_t n)
{
    if (status < 200 || status > 299) {
        load.errors++;
        if (load.errors < 5) fprintf(stderr, "%d %.*s\n", status, (int)n, body);
    }
    if (load.batch) {
        if (c->pending_starts && c->phase == STARTING) {
            if (--c->pending_starts == 0) send_work(c);
            return;
        }
        read_jobs(c, body, n);
        if (load.started < load.workflows && load.started - load.finished < concurrency) {
            c->phase = STARTING;
            top_up(c, concurrency);
            if (c->pending_starts) return;
        }
        if (load.finished < load.workflows || c->id_count) send_work(c);
        return;
    }
    switch (c->phase) {
    case STARTING: send_poll(c); break;
    case POLLING:
        read_jobs(c, body, n);
        if (c->id_count) send_complete(c);
        else if (load.finished < load.workflows) send_poll(c);
        break;
    default:
        load.completed_jobs++;
        if (load.started < load.workflows && load.started - load.finished < concurrency) {
            c->phase = STARTING;
            send_start(c);
        } else if (load.finished < load.workflows) {
            send_poll(c);
        }
    }
}

static void on_readable(struct connection *c)
{
    ssize_t k = recv(c->fd, c->in + c->in_count, IN_BYTES - c->in_count, 0);
    if (k == 0 || (k < 0 && errno != EAGAIN)) die("recv");
    if (k < 0) return;
    c->in_count += (size_t)k;
    size_t at = 0;
    for (;;) {
        char *head = c->in + at;
        char *blank = memmem(head, c->in_count - at, "\r\n\r\n", 4);
        if (!blank) break;
        char *length = memmem(head, (size_t)(blank - head), "Content-Length: ", 16);
        size_t body = length ? strtoul(length + 16, NULL, 10) : 0;
        size_t total = (size_t)(blank + 4 - head) + body;
        if (c->in_count - at < total) break;
        int status = atoi(head + 9);
        at += total;
        on_answer(c, status, blank + 4, body);
    }
    memmove(c->in, c->in + at, c->in_count - at);
    c->in_count -= at;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void report(int64_t took_us)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(load.latency_us, (size_t)load.workflows, sizeof load.latency_us[0], by_value);
    double cpu_us = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("{\"workflows\":%ld,\"seconds\":%.3f,\"perSecond\":%.0f,\"requests\":%ld,\"errors\":%ld,\"p50Ms\":%.2f,\"p99Ms\":%.2f,\"clientCpuUs\":%.1f}\n",
           load.workflows, (double)took_us / 1e6, (double)load.workflows * 1e6 / (double)took_us, load.requests, load.errors,
           (double)load.latency_us[load.workflows / 2] / 1000, (double)load.latency_us[load.workflows * 99 / 100] / 1000, cpu_us / (double)load.workflows);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: load HOST PORT CONCURRENCY WORKFLOWS single|batch\n");
        return 2;
    }
    load.host = argv[1];
    load.port = atoi(argv[2]);
    concurrency = atol(argv[3]);
    load.workflows = atol(argv[4]);
    load.batch = strcmp(argv[5], "batch") == 0;
    load.start_us = calloc((size_t)load.workflows + 1, sizeof load.start_us[0]);
    load.latency_us = calloc((size_t)load.workflows + 1, sizeof load.latency_us[0]);
    load.epoll = epoll_create1(0);
    long count = load.batch && concurrency > BATCH_CONNECTIONS ? BATCH_CONNECTIONS : concurrency;
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    if (!load.start_us || !load.latency_us || !connections || load.epoll < 0) die("start");
    for (long i = 0; i < count; i++) open_connection(&connections[i]);
    int64_t began_us = now_us();
    for (long i = 0; i < count; i++) {
        connections[i].phase = STARTING;
        if (load.batch) top_up(&connections[i], concurrency);
        else send_start(&connections[i]);
        if (load.batch && !connections[i].pending_starts) send_work(&connections[i]);
    }
    while (load.completed_jobs < load.workflows * 3) {
        struct epoll_event events[256];
        int n = epoll_wait(load.epoll, events, 256, 10000);
        if (n == 0) {
            fprintf(stderr, "nothing for 10 s: started %ld, finished %ld, jobs %ld\n", load.started, load.finished, load.completed_jobs);
            return 1;
        }
        for (int i = 0; i < n; i++) on_readable(events[i].data.ptr);
    }
    report(now_us() - began_us);
    return load.errors ? 1 : 0;
}
