/* perform/outcalls.c — the thread that makes calls, and the queues of calls per host.
 *
 *     submit ─► inbox ─► waits for its host ─► in the multi handle ─► done
 *
 * Calls wait for their host here and not in libcurl, whose timeouts run while a transfer
 * waits for a connection: a slow host would then let calls time out that were never sent.
 *
 * The mutex guards only the inbox, the list of numbers to cancel and the counts; all else belongs to the
 * thread. libcurl.multi_wakeup() wakes the thread. libcurl remembers it until the next poll, so nothing is
 * lost between a look into the inbox and going to sleep.
 */
#include "perform/outcall_int.h"

#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/text_map.h"
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { POLL_MS = 60 * 1000 }; /* How often the thread looks around when nothing happens. */

/* The calls to one scheme, host and port. Exists while there is one. */
struct host {
    str place;
    size_t running_count;
    struct transfer *first, *last; /* The queue of waiting calls, by priority. */
    char text[];
};

struct outcalls {
    struct outcalls_config config;
    CURLM *multi;
    pthread_t thread;

    pthread_mutex_t mutex;
    struct transfer *inbox_first, *inbox_last;
    struct buf cancelled; /* uint64_t each. */
    size_t unfinished;
    uint64_t last_number;
    bool stopping;

    struct map transfers;  /* By number. */
    struct text_map hosts; /* By place. */
};

const char *outcall_failure_word(enum outcall_failure failure)
{
    static const char *const words[OUTCALL_FAILURE_COUNT] = {
#define XX(NAME, word, why) [OUTCALL_##NAME] = word,
        OUTCALL_FAILURE_MAP(XX)
#undef XX
    };
    return words[failure];
}

/* ---- hosts ---- */

static struct host *find_host(struct outcalls *outcalls, str place)
{
    struct host *host = text_map_get(&outcalls->hosts, place);
    if (host) return host;
    host = calloc(1, sizeof *host + place.n);
    must(host);
    memcpy(host->text, place.p, place.n);
    host->place = (str){ host->text, place.n };
    text_map_put(&outcalls->hosts, host->place, host);
    return host;
}

static void release_host(struct outcalls *outcalls, struct host *host)
{
    if (host->running_count || host->first) return;
    text_map_take(&outcalls->hosts, host->place);
    free(host);
}

static int32_t priority_of(const struct transfer *transfer) { return transfer->call->priority; }

static void host_wait(struct host *host, struct transfer *transfer)
{
    list_insert_by(host, transfer, next, priority_of);
}

static struct transfer *host_take_first(struct host *host)
{
    struct transfer *transfer = host->first;
    list_drop_first(host, next);
    transfer->next = NULL;
    return transfer;
}

static void host_remove(struct host *host, struct transfer *transfer) { list_remove(host, transfer, next); }

/* ---- a call's way ---- */

static void run(struct outcalls *outcalls, struct transfer *transfer)
{
    transfer_open(transfer, &outcalls->config);
    must(libcurl.multi_add_handle(outcalls->multi, transfer->easy) == CURLM_OK);
    transfer->running = true;
    transfer->host->running_count++;
}

/* Lets waiting calls of a host run as far as its limit allows. */
static void advance_host(struct outcalls *outcalls, struct host *host)
{
    while (host->first && host->running_count < outcalls->config.calls_per_host_max)
        run(outcalls, host_take_first(host));
    release_host(outcalls, host);
}

/* Gives the call back, with the outcome that was written to it. */
static void finish(struct outcalls *outcalls, struct transfer *transfer)
{
    struct outcall *call = transfer->call;
    struct host *host = transfer->host;
    if (transfer->running) {
        must(libcurl.multi_remove_handle(outcalls->multi, transfer->easy) == CURLM_OK);
        host->running_count--;
    } else if (host) {
        host_remove(host, transfer);
    }
    transfer_close(transfer);
    map_take(&outcalls->transfers, transfer->number);
    if (host) advance_host(outcalls, host);

    pthread_mutex_lock(&outcalls->mutex);
    outcalls->unfinished--;
    pthread_mutex_unlock(&outcalls->mutex);
    call->done(call);
}

static void begin(struct outcalls *outcalls, struct transfer *transfer)
{
    transfer->next = NULL;
    map_put(&outcalls->transfers, transfer->number, transfer);
    if (!transfer_check(transfer)) {
        finish(outcalls, transfer);
        return;
    }
    transfer->host = find_host(outcalls, transfer->place);
    host_wait(transfer->host, transfer);
    advance_host(outcalls, transfer->host);
}

static void cancel(struct outcalls *outcalls, uint64_t number)
{
    struct transfer *transfer = map_get(&outcalls->transfers, number);
    if (!transfer) return;
    transfer_fail(transfer, OUTCALL_CANCELLED, "the call was cancelled");
    finish(outcalls, transfer);
}

static void finish_ended(struct outcalls *outcalls)
{
    int left;
    CURLMsg *message;
    while ((message = libcurl.multi_info_read(outcalls->multi, &left))) {
        struct transfer *transfer = NULL;
        libcurl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        transfer_read(transfer, message->data.result);
        finish(outcalls, transfer);
    }
}

/* ---- the thread ---- */

/* Begins the calls in the inbox and cancels the listed ones. False: it is time to stop. */
static bool take_inbox(struct outcalls *outcalls)
{
    pthread_mutex_lock(&outcalls->mutex);
    struct transfer *first = outcalls->inbox_first;
    outcalls->inbox_first = outcalls->inbox_last = NULL;
    struct buf cancelled = outcalls->cancelled;
    buf_init(&outcalls->cancelled, NULL);
    bool stopping = outcalls->stopping;
    pthread_mutex_unlock(&outcalls->mutex);

    while (first) {
        struct transfer *transfer = first;
        first = transfer->next;
        begin(outcalls, transfer);
    }
    for (size_t at = 0; at < cancelled.n; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, cancelled.p + at, sizeof number);
        cancel(outcalls, number);
    }
    buf_done(&cancelled);
    return !stopping;
}

static void finish_all(struct outcalls *outcalls)
{
    /* No waiting call may begin now. */
    outcalls->config.calls_per_host_max = 0;
    struct transfer *transfer;
    while ((transfer = map_next(&outcalls->transfers, &(size_t){ 0 }))) {
        transfer_fail(transfer, OUTCALL_STOPPED, "the engine is stopping");
        finish(outcalls, transfer);
    }
}

static void *work(void *context)
{
    struct outcalls *outcalls = context;
    thread_name("calls");
    while (take_inbox(outcalls)) {
        int running;
        must(libcurl.multi_perform(outcalls->multi, &running) == CURLM_OK);
        finish_ended(outcalls);
        must(libcurl.multi_poll(outcalls->multi, NULL, 0, POLL_MS, NULL) == CURLM_OK);
    }
    finish_all(outcalls);
    return NULL;
}

/* The thread takes no signals: they are for the other threads, and libcurl, told not to touch them, leaves
 * SIGPIPE of a closed TLS connection to us. */
static int create_thread(struct outcalls *outcalls)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&outcalls->thread, NULL, work, outcalls);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* ---- for other threads ---- */

static void outcalls_free(struct outcalls *outcalls)
{
    libcurl.multi_cleanup(outcalls->multi);
    map_done(&outcalls->transfers);
    text_map_done(&outcalls->hosts);
    buf_done(&outcalls->cancelled);
    pthread_mutex_destroy(&outcalls->mutex);
    free(outcalls);
}

enum status outcalls_start(const struct outcalls_config *config, struct outcalls **ret_outcalls,
                           struct error *err)
{
    must(config->calls_max && config->calls_per_host_max && config->answer_bytes_max);
    must(config->timeout_ms > 0 && config->connect_timeout_ms > 0);
    TRY(libcurl_load(err));

    struct outcalls *outcalls = calloc(1, sizeof *outcalls);
    must(outcalls);
    outcalls->config = *config;
    outcalls->multi = libcurl.multi_init();
    must(outcalls->multi);
    must(libcurl.multi_setopt(outcalls->multi, CURLMOPT_MAXCONNECTS, (long)config->connections_kept_max) ==
         CURLM_OK);
    pthread_mutex_init(&outcalls->mutex, NULL);
    buf_init(&outcalls->cancelled, NULL);
    map_init(&outcalls->transfers);
    text_map_init(&outcalls->hosts);

    int code = create_thread(outcalls);
    if (code) {
        outcalls_free(outcalls);
        return fail(err, ST_INTERNAL, "perform", "cannot start a thread for outgoing calls: %s",
                    strerror(code));
    }
    *ret_outcalls = outcalls;
    return ST_OK;
}

enum status outcalls_submit(struct outcalls *outcalls, struct outcall *call, uint64_t *ret_number,
                            struct error *err)
{
    must(call->arena && call->done);
    struct transfer *transfer = arena_make(call->arena, struct transfer);
    transfer->call = call;

    pthread_mutex_lock(&outcalls->mutex);
    bool stopping = outcalls->stopping, full = outcalls->unfinished >= outcalls->config.calls_max;
    if (!stopping && !full) {
        transfer->number = ++outcalls->last_number;
        if (ret_number) *ret_number = transfer->number;
        if (outcalls->inbox_last) outcalls->inbox_last->next = transfer;
        else outcalls->inbox_first = transfer;
        outcalls->inbox_last = transfer;
        outcalls->unfinished++;
    }
    pthread_mutex_unlock(&outcalls->mutex);

    if (stopping) return fail(err, ST_DRAINING, "perform", "no more calls: the engine is stopping");
    if (full)
        return fail(err, ST_OVERLOAD, "perform", "%zu calls are under way; the most is %zu",
                    outcalls->config.calls_max, outcalls->config.calls_max);
    libcurl.multi_wakeup(outcalls->multi);
    return ST_OK;
}

size_t outcalls_room(struct outcalls *outcalls)
{
    pthread_mutex_lock(&outcalls->mutex);
    size_t room = outcalls->stopping ? 0 : outcalls->config.calls_max - outcalls->unfinished;
    pthread_mutex_unlock(&outcalls->mutex);
    return room;
}

void outcalls_cancel(struct outcalls *outcalls, uint64_t number)
{
    pthread_mutex_lock(&outcalls->mutex);
    buf_add(&outcalls->cancelled, &number, sizeof number);
    pthread_mutex_unlock(&outcalls->mutex);
    libcurl.multi_wakeup(outcalls->multi);
}

void outcalls_stop(struct outcalls *outcalls)
{
    if (!outcalls) return;
    pthread_mutex_lock(&outcalls->mutex);
    outcalls->stopping = true;
    pthread_mutex_unlock(&outcalls->mutex);
    libcurl.multi_wakeup(outcalls->multi);
    pthread_join(outcalls->thread, NULL);
    outcalls_free(outcalls);
}
