/* bench/wire.h — HTTP/1.1 connections to the engine, many at once, for the programs that make load.
 *
 * One thread, one epoll set. Requests are gathered per connection and written when the turn ends, so
 * those that are ready together leave in one write. Answers come to one function, in the order in
 * which their requests were sent on that connection. Whatever goes wrong ends the program: a load
 * that lost a request would measure something else.
 */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_connection {
    int fd;
    void *user;     /* The caller's. */
    long in_flight; /* Requests without an answer yet. */
    char *in, *out;
    size_t in_count, in_cap, out_count, out_cap;
};

/* The body is borrowed until the function returns. */
typedef void wire_answer_fn(struct wire_connection *connection, int status, const char *body, size_t n);

struct wire {
    int epoll;
    int port;
    const char *header; /* A line that each request has; NULL: none. */
    wire_answer_fn *on_answer;
    long requests, errors; /* Errors: answers other than 2xx; the first few are printed. */
};

void wire_init(struct wire *wire, int port, wire_answer_fn *on_answer);
void wire_open(struct wire *wire, struct wire_connection *connection);

/* `type` may be NULL: then there is no body. */
void wire_send(struct wire *wire, struct wire_connection *connection, const char *method, const char *path,
               const char *type, const char *body, size_t n);

/* Writes what was gathered, waits at most that long, and hands out the answers that came. False if
 * none did. */
bool wire_turn(struct wire *wire, struct wire_connection *connections, size_t count, int64_t wait_us);

int64_t wire_now_us(void);

/* ---- results ---- */

/* Of the program so far. */
double wire_cpu_us(void);

/* The value below which `permille` of the samples lie. Sorts them. */
int64_t wire_percentile(int64_t *sample, size_t count, size_t permille);

/* ---- arguments of the form name=value ---- */

const char *wire_text(int argc, char **argv, const char *name, const char *otherwise);
long wire_number(int argc, char **argv, const char *name, long otherwise);

__attribute__((noreturn)) void wire_die(const char *what);

#endif
