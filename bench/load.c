/* bench/load.c — starts workflows over HTTP, works on their jobs, and says how fast they went.
 *
 *     load port=P[,P…] definition=ID types='["a","b"]' jobs=3 workflows=N in_flight=C mode=MODE
 *          [variables=MEMBERS] [result=OBJECT] [rate=R] [apart=1] [stay=1] [workers=W]
 *          [header=LINE]
 *
 * MODE
 *   single    C connections, each client and worker: start, then poll without waiting and complete, one
 *             call at a time
 *   longpoll  W worker connections (C, if it does not say) whose polls wait, one job at a time; starts come
 *             from others
 *   batch     workers that complete and poll up to BATCH_JOBS jobs in one call; starts come from others
 *
 * With several ports there are several nodes: each hand polls one of them, and sends starts and completions
 * to each in turn; a batch, which is a poll too, stays where its poll is. apart=1: all hands poll the last
 * node, and send everything else to the others. stay=1: each hand sends everything to the node that it polls,
 * as behind a balancer that spreads connections.
 *
 * C workflows are in flight: one that ended makes room for the next. With a rate, R workflows are started
 * a second whatever happens, and each one's time counts from when it was due (so a stall is not hidden by
 * the starts it holds up). A workflow has ended when its last completion, the `jobs`-th, was answered. Every
 * workflow has its number as variable `n`, by which its jobs are told apart. Prints one line of JSON.
 */
#define _GNU_SOURCE
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_JOBS = 16,
    BATCH_WORKERS_MAX = 16,
    STARTERS_MAX = 16,
    PORTS_MAX = 8,
    ID_BYTES = 26,
    BODY_BYTES = 8192,
    STUCK_US = 10000000
};

enum role { STARTER, WORKER, BOTH };
enum phase { STARTING, POLLING, COMPLETING };

struct hand {
    struct wire_connection *connection; /* One for each port. */
    size_t home, next;                  /* Where it polls, and where its next call goes. */
    enum role role;
    enum phase phase;
    char id[BATCH_JOBS][ID_BYTES + 1]; /* Jobs that it holds … */
    long number[BATCH_JOBS];           /* … and the workflows they belong to. */
    size_t held;
};

static struct {
    struct wire wire;
    struct wire_connection *connection;
    int port[PORTS_MAX];
    size_t apart; /* 1: nothing but polls goes to the last node. */
    bool stay;
    size_t port_count, connection_count, hand_count, starter_count;
    struct hand *hand;
    const char *definition, *types, *variables, *result;
    bool batch;
    long workflows, in_flight, workers, jobs_each, started, finished;
    double rate;
    int64_t began_us, *start_us, *latency_us;
    uint16_t *done; /* Jobs completed, by workflow. */
} load;

/* ---- requests ---- */

static void post(struct wire_connection *c, const char *path, const char *body, int n)
{
    if (n >= BODY_BYTES) wire_die("a body that long");
    wire_send(&load.wire, c, "POST", path, "application/json", body, (size_t)n);
}

static struct wire_connection *home(struct hand *hand) { return &hand->connection[hand->home]; }

static struct wire_connection *next(struct hand *hand)
{
    if (load.stay) return home(hand);
    return &hand->connection[hand->next++ % (load.port_count - load.apart)];
}

static void send_start(struct hand *hand, int64_t due_us)
{
    char body[BODY_BYTES];
    long number = load.started++;
    load.start_us[number] = due_us;
    hand->phase = STARTING;
    post(next(hand), "/v1/instances", body,
         snprintf(body, sizeof body, "{\"definitionId\":\"%s\",\"variables\":{\"n\":%ld%s%s}}",
                  load.definition, number, load.variables[0] ? "," : "", load.variables));
}

static void send_poll(struct hand *hand, int wait_seconds)
{
    char body[BODY_BYTES];
    hand->phase = POLLING;
    post(home(hand), "/v1/jobs/poll", body,
         snprintf(body, sizeof body,
                  "{\"workerId\":\"bench\",\"jobTypes\":%s,\"maxJobs\":1,\"waitSeconds\":%d}", load.types,
                  wait_seconds));
}

static void send_complete(struct hand *hand)
{
    char path[80], body[BODY_BYTES];
    snprintf(path, sizeof path, "/v1/jobs/%s/complete", hand->id[0]);
    hand->phase = COMPLETING;
    post(next(hand), path, body,
         snprintf(body, sizeof body, "{\"workerId\":\"bench\",\"variables\":%s}", load.result));
}

/* Results are answered together with the next jobs: who hands some in does not wait for more. */
static void send_batch(struct hand *hand)
{
    char body[BODY_BYTES];
    int n = snprintf(body, sizeof body, "{\"workerId\":\"bench\",\"complete\":[");
    for (size_t i = 0; i < hand->held; i++)
        n += snprintf(body + n, sizeof body - (size_t)n, "%s{\"id\":\"%s\",\"variables\":%s}", i ? "," : "",
                      hand->id[i], load.result);
    n += snprintf(body + n, sizeof body - (size_t)n,
                  "],\"poll\":{\"jobTypes\":%s,\"maxJobs\":%d,\"waitSeconds\":%d}}", load.types, BATCH_JOBS,
                  hand->held ? 0 : 1);
    hand->phase = COMPLETING;
    post(home(hand), "/v1/jobs/batch", body, n);
}

/* ---- answers ---- */

/* The jobs it held are completed. */
static void note_completed(struct hand *hand)
{
    for (size_t i = 0; i < hand->held; i++) {
        long number = hand->number[i];
        if (++load.done[number] != load.jobs_each) continue;
        load.latency_us[number] = wire_now_us() - load.start_us[number];
        load.finished++;
    }
    hand->held = 0;
}

/* Takes the jobs out of a poll's answer. */
static void read_jobs(struct hand *hand, const char *body, size_t n)
{
    const char *end = body + n, *p = memmem(body, n, "\"jobs\":[", 8);
    if (p) p = memmem(p, (size_t)(end - p), "{\"id\":\"", 7);
    while (p && end - p > 7 + ID_BYTES && hand->held < BATCH_JOBS) {
        const char *next = memmem(p + 7, (size_t)(end - p - 7), "{\"id\":\"", 7);
        const char *number = memmem(p, (size_t)((next ? next : end) - p), "\"n\":", 4);
        if (!number) wire_die("a job without its workflow's number");
        memcpy(hand->id[hand->held], p + 7, ID_BYTES);
        hand->id[hand->held][ID_BYTES] = '\0';
        hand->number[hand->held++] = strtol(number + 4, NULL, 10);
        p = next;
    }
}

static bool may_start(void)
{
    return load.started < load.workflows && load.started - load.finished < load.in_flight;
}

/* One call at a time. At the very end others may hold the last jobs: then polls wait. */
static void go_on_alone(struct hand *hand, const char *body, size_t n)
{
    if (hand->phase == POLLING) read_jobs(hand, body, n);
    else if (hand->phase == COMPLETING) note_completed(hand);
    if (hand->held) send_complete(hand);
    else if (hand->role == BOTH && hand->phase == COMPLETING && may_start()) send_start(hand, wire_now_us());
    else if (load.finished < load.workflows)
        send_poll(hand, hand->role == WORKER ? 30 : load.started == load.workflows);
}

static void on_answer(struct wire_connection *c, int status, const char *body, size_t n)
{
    struct hand *hand = c->user;
    (void)status;
    if (hand->role == STARTER) return;
    if (!load.batch) {
        go_on_alone(hand, body, n);
        return;
    }
    note_completed(hand);
    read_jobs(hand, body, n);
    if (load.finished < load.workflows) send_batch(hand);
}

/* ---- the run ---- */

static void open_hands(const char *mode)
{
    bool alone = strcmp(mode, "single") == 0;
    load.batch = strcmp(mode, "batch") == 0;
    size_t workers = load.workers ? (size_t)load.workers : (size_t)load.in_flight;
    if (load.batch)
        workers = workers / 8 < 1 ? 1 : workers / 8 > BATCH_WORKERS_MAX ? BATCH_WORKERS_MAX : workers / 8;
    load.starter_count = alone ? 0 : load.in_flight < STARTERS_MAX ? (size_t)load.in_flight : STARTERS_MAX;
    load.hand_count = workers + load.starter_count;
    load.connection_count = load.hand_count * load.port_count;
    load.connection = calloc(load.connection_count, sizeof load.connection[0]);
    load.hand = calloc(load.hand_count, sizeof load.hand[0]);
    if (!load.connection || !load.hand) wire_die("calloc");
    for (size_t i = 0; i < load.hand_count; i++)
        load.hand[i] = (struct hand){ .connection = &load.connection[i * load.port_count],
                                      .home = load.apart ? load.port_count - 1 : i % load.port_count,
                                      .next = i / load.port_count,
                                      .role = alone                    ? BOTH
                                              : i < load.starter_count ? STARTER
                                                                       : WORKER };
    for (size_t i = 0; i < load.connection_count; i++) {
        load.wire.port = load.port[i % load.port_count];
        wire_open(&load.wire, &load.connection[i]);
        load.connection[i].user = &load.hand[i / load.port_count];
    }
}

static void begin(void)
{
    load.began_us = wire_now_us();
    for (size_t i = 0; i < load.hand_count; i++) {
        struct hand *hand = &load.hand[i];
        if (hand->role == BOTH && may_start()) send_start(hand, wire_now_us());
        else if (hand->role == WORKER && load.batch) send_batch(hand);
        else if (hand->role == WORKER) send_poll(hand, 30);
    }
}

/* Starts what is due, round the starters, and returns how long until the next. */
static int64_t start_due(void)
{
    if (!load.starter_count) return STUCK_US;
    while (load.started < load.workflows) {
        int64_t now_us = wire_now_us();
        int64_t due_us =
            load.rate > 0 ? load.began_us + (int64_t)((double)load.started * 1e6 / load.rate) : now_us;
        if (due_us > now_us) return due_us - now_us;
        if (load.rate <= 0 && !may_start()) break;
        send_start(&load.hand[(size_t)load.started % load.starter_count], due_us);
    }
    return STUCK_US;
}

static void run(void)
{
    begin();
    while (load.finished < load.workflows) {
        int64_t wait_us = start_due();
        bool any = wire_turn(&load.wire, load.connection, load.connection_count, wait_us);
        if (any || wait_us < STUCK_US) continue;
        fprintf(stderr, "nothing for 10 s: started %ld, finished %ld of %ld\n", load.started, load.finished,
                load.workflows);
        exit(1);
    }
}

static void read_ports(const char *text)
{
    char *end;
    do {
        if (load.port_count == PORTS_MAX) wire_die("so many ports");
        load.port[load.port_count++] = (int)strtol(text, &end, 10);
        text = end + 1;
    } while (*end == ',');
}

int main(int argc, char **argv)
{
    load.definition = wire_text(argc, argv, "definition", "");
    load.types = wire_text(argc, argv, "types", "[]");
    load.variables = wire_text(argc, argv, "variables", "");
    load.result = wire_text(argc, argv, "result", "{}");
    load.jobs_each = wire_number(argc, argv, "jobs", 1);
    load.workflows = wire_number(argc, argv, "workflows", 1);
    load.in_flight = wire_number(argc, argv, "in_flight", 1);
    load.workers = wire_number(argc, argv, "workers", 0);
    load.rate = (double)wire_number(argc, argv, "rate", 0);
    load.start_us = calloc((size_t)load.workflows, sizeof load.start_us[0]);
    load.latency_us = calloc((size_t)load.workflows, sizeof load.latency_us[0]);
    load.done = calloc((size_t)load.workflows, sizeof load.done[0]);
    if (!load.start_us || !load.latency_us || !load.done) wire_die("calloc");
    read_ports(wire_text(argc, argv, "port", "0"));
    load.apart = load.port_count > 1 && wire_number(argc, argv, "apart", 0);
    load.stay = wire_number(argc, argv, "stay", 0);
    wire_init(&load.wire, load.port[0], on_answer);
    load.wire.header = wire_text(argc, argv, "header", NULL);
    open_hands(wire_text(argc, argv, "mode", "single"));
    run();
    double seconds = (double)(wire_now_us() - load.began_us) / 1e6;
    size_t n = (size_t)load.workflows;
    printf("{\"perSecond\":%.1f,\"requests\":%.2f,\"errors\":%ld,\"p50Us\":%lld,\"p99Us\":%lld,"
           "\"clientCpuUs\":%.1f}\n",
           (double)n / seconds, (double)load.wire.requests / (double)n, load.wire.errors,
           (long long)wire_percentile(load.latency_us, n, 500),
           (long long)wire_percentile(load.latency_us, n, 990), wire_cpu_us() / (double)n);
    return load.wire.errors ? 1 : 0;
}
