/* bench/shoot.c — sends one kind of request many times and says how fast the answers came.
 *
 *     shoot port=P count=N [method=POST] path=TEMPLATE [type=application/json] [body=TEMPLATE]
 *           [connections=1] [depth=1] [batch=0] [first=0] [below=1] [ids=FILE] [keep=FILE] [mark=TEXT]
 *           [header=LINE]
 *
 * In a template {n} is the number of the request (from `first` on), {r} a number below `below` that looks
 * random but is the same in every run, and {id} a line of the file `ids`, taken in an order of that kind,
 * each once before any comes again. With `batch` the body is a list of so many bodies. Each connection has
 * `depth` requests in flight. `keep` writes the first "id" of every answer to a file, or what stands behind
 * `mark`, up to the next quotation mark. Prints one line of JSON.
 */
#define _GNU_SOURCE
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_BYTES = 36, TEXT_BYTES = 1 << 18, DEPTH_MAX = 64, STUCK_US = 60000000 };

/* When the requests in flight were sent: answers come in order. */
struct barrel {
    int64_t sent_us[DEPTH_MAX];
    size_t head, count;
};

static struct {
    struct wire wire;
    const char *method, *path, *type, *body, *mark;
    long count, sent, answered, first, below, batch;
    char (*id)[ID_BYTES + 1];
    long id_count, id_step;
    int64_t *latency_us;
    FILE *keep;
    uint64_t random;
} shoot;

static uint64_t next_random(void)
{
    shoot.random = shoot.random * 6364136223846793005u + 1442695040888963407u;
    return shoot.random >> 33;
}

/* ---- templates ---- */

static size_t fill(const char *template, long number, char *out, size_t cap)
{
    size_t n = 0;
    for (const char *p = template; *p;) {
        int k = 1;
        if (n + 64 > cap) wire_die("a text that long");
        if (strncmp(p, "{n}", 3) == 0) k = snprintf(out + n, 32, "%ld", number), p += 3;
        else if (strncmp(p, "{r}", 3) == 0)
            k = snprintf(out + n, 32, "%ld", (long)(next_random() % (uint64_t)shoot.below)), p += 3;
        else if (strncmp(p, "{id}", 4) == 0)
            k = snprintf(out + n, ID_BYTES + 1, "%s", shoot.id[number * shoot.id_step % shoot.id_count]),
            p += 4;
        else out[n] = *p++;
        n += (size_t)k;
    }
    return n;
}

static void send_next(struct wire_connection *c)
{
    static char path[TEXT_BYTES], body[TEXT_BYTES];
    struct barrel *barrel = c->user;
    long number = shoot.first + shoot.sent * (shoot.batch ? shoot.batch : 1);
    path[fill(shoot.path, number, path, sizeof path - 1)] = '\0';
    size_t n = 0;
    if (shoot.batch) body[n++] = '[';
    for (long i = 0; i < (shoot.batch ? shoot.batch : 1); i++) {
        if (i) body[n++] = ',';
        n += fill(shoot.body, number + i, body + n, sizeof body - n - 2);
    }
    if (shoot.batch) body[n++] = ']';
    barrel->sent_us[(barrel->head + barrel->count++) % DEPTH_MAX] = wire_now_us();
    shoot.sent++;
    wire_send(&shoot.wire, c, shoot.method, path, strcmp(shoot.method, "GET") == 0 ? NULL : shoot.type, body,
              n);
}

static void keep_id(const char *body, size_t n)
{
    size_t marked = strlen(shoot.mark);
    const char *id = shoot.keep ? memmem(body, n, shoot.mark, marked) : NULL;
    if (!id) return;
    id += marked;
    const char *end = memchr(id, '"', n - (size_t)(id - body));
    if (!end || end - id > ID_BYTES) wire_die("an id that long");
    fprintf(shoot.keep, "%.*s\n", (int)(end - id), id);
}

static void on_answer(struct wire_connection *c, int status, const char *body, size_t n)
{
    struct barrel *barrel = c->user;
    (void)status;
    shoot.latency_us[shoot.answered++] = wire_now_us() - barrel->sent_us[barrel->head];
    barrel->head = (barrel->head + 1) % DEPTH_MAX;
    barrel->count--;
    keep_id(body, n);
    if (shoot.sent < shoot.count) send_next(c);
}

/* ---- the run ---- */

static long common_divisor(long a, long b) { return b ? common_divisor(b, a % b) : a; }

static void read_ids(const char *file)
{
    FILE *in = fopen(file, "re");
    if (!in) wire_die(file);
    long cap = 1024;
    shoot.id = malloc((size_t)cap * sizeof shoot.id[0]);
    while (shoot.id && fscanf(in, "%36s", shoot.id[shoot.id_count]) == 1) {
        if (++shoot.id_count < cap) continue;
        cap *= 2;
        shoot.id = realloc(shoot.id, (size_t)cap * sizeof shoot.id[0]);
    }
    if (!shoot.id || !shoot.id_count) wire_die(file);
    fclose(in);
    /* A stride that shares no divisor with the count visits every line; the golden section spreads them. */
    shoot.id_step = (long)((double)shoot.id_count * 0.618) | 1;
    while (common_divisor(shoot.id_step, shoot.id_count) != 1) shoot.id_step += 2;
}

static void run(long connection_count, long depth)
{
    struct wire_connection *connection = calloc((size_t)connection_count, sizeof *connection);
    struct barrel *barrel = calloc((size_t)connection_count, sizeof *barrel);
    if (!connection || !barrel) wire_die("calloc");
    for (long i = 0; i < connection_count; i++) {
        wire_open(&shoot.wire, &connection[i]);
        connection[i].user = &barrel[i];
    }
    double cpu_us = wire_cpu_us();
    int64_t began_us = wire_now_us();
    for (long k = 0; k < depth; k++)
        for (long i = 0; i < connection_count && shoot.sent < shoot.count; i++) send_next(&connection[i]);
    while (shoot.answered < shoot.count) {
        if (wire_turn(&shoot.wire, connection, (size_t)connection_count, STUCK_US)) continue;
        fprintf(stderr, "nothing for 60 s: %ld of %ld answered\n", shoot.answered, shoot.count);
        exit(1);
    }
    double seconds = (double)(wire_now_us() - began_us) / 1e6;
    double items = (double)shoot.count * (double)(shoot.batch ? shoot.batch : 1);
    size_t n = (size_t)shoot.count;
    printf("{\"perSecond\":%.1f,\"errors\":%ld,\"p50Us\":%lld,\"p99Us\":%lld,\"maxUs\":%lld,\"clientCpuUs\":%"
           ".2f}\n",
           items / seconds, shoot.wire.errors, (long long)wire_percentile(shoot.latency_us, n, 500),
           (long long)wire_percentile(shoot.latency_us, n, 990),
           (long long)wire_percentile(shoot.latency_us, n, 1000), (wire_cpu_us() - cpu_us) / items);
}

int main(int argc, char **argv)
{
    long depth = wire_number(argc, argv, "depth", 1);
    shoot.method = wire_text(argc, argv, "method", "POST");
    shoot.path = wire_text(argc, argv, "path", "/livez");
    shoot.type = wire_text(argc, argv, "type", "application/json");
    shoot.body = wire_text(argc, argv, "body", "");
    shoot.mark = wire_text(argc, argv, "mark", "\"id\":\"");
    shoot.count = wire_number(argc, argv, "count", 1);
    shoot.first = wire_number(argc, argv, "first", 0);
    shoot.below = wire_number(argc, argv, "below", 1);
    shoot.batch = wire_number(argc, argv, "batch", 0);
    shoot.random = 42;
    if (depth < 1 || depth > DEPTH_MAX) wire_die("depth");
    const char *ids = wire_text(argc, argv, "ids", NULL), *keep = wire_text(argc, argv, "keep", NULL);
    if (ids) read_ids(ids);
    if (keep && !(shoot.keep = fopen(keep, "ae"))) wire_die(keep);
    shoot.latency_us = calloc((size_t)shoot.count, sizeof shoot.latency_us[0]);
    if (!shoot.latency_us) wire_die("calloc");
    wire_init(&shoot.wire, (int)wire_number(argc, argv, "port", 0), on_answer);
    shoot.wire.header = wire_text(argc, argv, "header", NULL);
    run(wire_number(argc, argv, "connections", 1), depth);
    if (shoot.keep) fclose(shoot.keep);
    return shoot.wire.errors ? 1 : 0;
}
