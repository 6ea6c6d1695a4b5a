/* tests/fuzz/wire.h — a server and several clients in one thread, with sockets of this machine between them.
 *
 * Nothing here knows the inside of the server: it is opened, its loop is turned until nothing happens, and
 * clients at several addresses send bytes. So a target that uses it sees connections as they are, with their
 * shares, their deadlines and their ends.
 */
#ifndef TESTS_FUZZ_WIRE_H
#define TESTS_FUZZ_WIRE_H

#include "fuzz.h"

#include "base/clock.h"
#include "net/net_int.h"

#include <arpa/inet.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    WIRE_COUNT = 6,
    WIRE_TURNS = 3, /* Of the loop: bytes are read, answers are given, answers are written. */
    WIRE_TIMEOUT_MS = 10,
    WIRE_TRIES = 100,
    WIRE_END_US = 10 * 1000 * 1000,
    WIRE_DIALS_MAX = 100
};

struct wire {
    int fd;        /* 0: closed. */
    uint32_t next; /* The next stream's number; 0: HTTP/1.1. */
};

static struct net_loop *wire_loop;
static struct http_server *wire_server;
static struct budget wire_answers = { .max = 64 << 10 };
static struct wire wires[WIRE_COUNT];
static uint64_t wire_runs;

static inline void wire_turn(void)
{
    for (int i = 0; i < WIRE_TURNS; i++) uv_run(net_loop_uv(wire_loop), UV_RUN_NOWAIT);
}

/* Small limits, so that an input reaches them. The caller fills in the rest. */
static inline void wire_open_server(struct http_server_config *config)
{
    struct error err;
    config->host = STR("127.0.0.1");
    config->answers = &wire_answers;
    config->limits.requests_bytes_max = 64 << 10;
    config->limits.strangers_bytes_max = 512 << 10;
    config->limits.body_bytes_max = 20000;
    config->limits.message_bytes_max = 4000;
    config->limits.header_bytes_max = 2000;
    config->limits.streams_max = 20;
    config->limits.pipeline_max = 8;
    config->limits.connections_max = WIRE_COUNT - 1;
    config->limits.header_timeout_ms = config->limits.body_timeout_ms = WIRE_TIMEOUT_MS;
    config->limits.idle_timeout_ms = config->limits.write_timeout_ms = WIRE_TIMEOUT_MS;
    wire_loop = net_loop_new();
    must(http_server_open(wire_loop, config, &wire_server, &err) == ST_OK);
}

/* Leaves without saying goodbye: no port is kept for a while. */
static inline void wire_close(struct wire *wire)
{
    const struct linger at_once = { .l_onoff = 1 };
    if (!wire->fd) return;
    setsockopt(wire->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(wire->fd);
    *wire = (struct wire){ 0 };
    wire_turn();
}

/* Connects from 127.x.0.`source`. Each run has another x: the system keeps the ports of connections that the
 * server has closed for a minute. */
static inline void wire_dial(struct wire *wire, uint8_t source)
{
    uint32_t address = 0x7f000000u | (uint32_t)(wire_runs % 250) << 16 | source;
    struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(http_server_port(wire_server)),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    wire_close(wire);
    /* A port whose former connection the server has closed may be refused: another one is not. */
    for (int tries = 0;; tries++) {
        must(tries < WIRE_DIALS_MAX);
        wire->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        must(wire->fd > 0 && bind(wire->fd, (struct sockaddr *)&from, sizeof from) == 0);
        if (connect(wire->fd, (struct sockaddr *)&to, sizeof to) == 0) break;
        close(wire->fd);
        wire_turn();
    }
    wire_turn();
}

/* A server that has stopped reading gets no more. */
static inline void wire_send(struct wire *wire, str bytes)
{
    while (wire->fd && bytes.n) {
        ssize_t n = send(wire->fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0) break;
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    wire_turn();
}

/* The latest bytes that came, up to the room that there is; 0: none came. */
static inline size_t wire_read(struct wire *wire, char *to, size_t room)
{
    size_t last = 0;
    for (ssize_t n; wire->fd && (n = recv(wire->fd, to, room, MSG_DONTWAIT)) > 0;) last = (size_t)n;
    wire_turn();
    return last;
}

/* ---- frames ---- */

static inline void wire_frame(struct buf *out, uint8_t type, uint8_t flags, uint32_t stream, str payload)
{
    const uint8_t head[9] = {
        (uint8_t)(payload.n >> 16), (uint8_t)(payload.n >> 8), (uint8_t)payload.n, type, flags, 0,
        (uint8_t)(stream >> 16),    (uint8_t)(stream >> 8),    (uint8_t)stream
    };
    buf_add(out, head, sizeof head);
    buf_add_str(out, payload);
}

/* A literal field of HPACK that is shorter than 127 bytes, and enters no table. */
static inline void wire_field(struct buf *block, str name, str value)
{
    must(name.n < 127 && value.n < 127);
    buf_add_char(block, 0);
    buf_add_char(block, (char)name.n);
    buf_add_str(block, name);
    buf_add_char(block, (char)value.n);
    buf_add_str(block, value);
}

/* ---- the end ---- */

static inline void wire_finish(void)
{
    int64_t deadline_us = clock_monotonic_us() + WIRE_END_US;
    wire_runs++;
    for (size_t i = 0; i < WIRE_COUNT; i++) wire_close(&wires[i]);
    while (http_server_connections(wire_server) || wire_answers.used) {
        must(clock_monotonic_us() < deadline_us);
        wire_turn();
    }
}

/* Whatever others did, a client that was never here is served. On a busy machine its time may be up before
 * its request is sent, so it comes again. */
static inline void wire_check_served(str request)
{
    char text[4096];
    size_t n = 0;
    for (int tries = 0; !n; tries++) {
        must(tries < WIRE_TRIES);
        wire_dial(&wires[0], 99);
        wire_send(&wires[0], request);
        int64_t deadline_us = clock_monotonic_us() + WIRE_TIMEOUT_MS * 1000;
        while (!n && clock_monotonic_us() < deadline_us) n = wire_read(&wires[0], text, sizeof text);
        wire_close(&wires[0]);
    }
    must(str_starts((str){ text, n }, STR("HTTP/1.1 200 ")));
}

#endif
