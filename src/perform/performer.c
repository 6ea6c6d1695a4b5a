/* perform/performer.c — the thread, what waits for it, and whose turn it is.
 *
 *     submit ─► inbox ─► waits for its host ─► in the multi handle ─► done
 *
 * Calls wait for their host here and not in libcurl, whose timeouts run while a transfer
 * waits for a connection: a slow host would then let calls time out that were never sent.
 *
 * Under the mutex are only the inbox, the list of numbers to cancel and the counts; all else
 * belongs to the thread. Waking is libcurl.multi_wakeup(), which is remembered until the next
 * poll, so nothing gets lost between looking into the inbox and going to sleep.
 */
#include "perform/perform_int.h"

#include "base/map.h"
#include "base/must.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { POLL_MS = 60 * 1000 }; /* Only how often it looks around when nothing happens. */

/* What is under way to one scheme, host and port. Exists while there is something. */
struct host {
    str place;
    size_t running_count;
    struct transfer *first, *last; /* Waiting. */
    char text[];
};

struct http_performer {
    struct performer_config config;
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

/* ---- hosts ---- */

static struct host *find_host(struct http_performer *performer, str place)
{
    struct host *host = text_map_get(&performer->hosts, place);
    if (host) return host;
    host = calloc(1, sizeof *host + place.n);
    must(host);
    memcpy(host->text, place.p, place.n);
    host->place = (str){ host->text, place.n };
    text_map_put(&performer->hosts, host->place, host);
    return host;
}

static void release_host(struct http_performer *performer, struct host *host)
{
    if (host->running_count || host->first) return;
    text_map_take(&performer->hosts, host->place);
    free(host);
}

static void host_wait(struct host *host, struct transfer *transfer)
{
    if (host->last) host->last->next = transfer;
    else host->first = transfer;
    host->last = transfer;
}

static struct transfer *host_take_first(struct host *host)
{
    struct transfer *transfer = host->first;
    host->first = transfer->next;
    if (!host->first) host->last = NULL;
    transfer->next = NULL;
    return transfer;
}

static void host_remove(struct host *host, struct transfer *transfer)
{
    struct transfer *before = NULL;
    for (struct transfer *at = host->first; at != transfer; at = at->next) before = at;
    if (before) before->next = transfer->next;
    else host->first = transfer->next;
    if (host->last == transfer) host->last = before;
    transfer->next = NULL;
}

/* ---- a call's way ---- */

static void run(struct http_performer *performer, struct transfer *transfer)
{
    transfer_open(transfer, &performer->config);
    must(libcurl.multi_add_handle(performer->multi, transfer->easy) == CURLM_OK);
    transfer->running = true;
    transfer->host->running_count++;
}

/* Lets waiting calls of a host run as far as its limit allows. */
static void advance_host(struct http_performer *performer, struct host *host)
{
    while (host->first && host->running_count < performer->config.calls_per_host_max)
        run(performer, host_take_first(host));
    release_host(performer, host);
}

/* Gives the call back, with the outcome that has been written to it. */
static void finish(struct http_performer *performer, struct transfer *transfer)
{
    struct outcall *call = transfer->call;
    struct host *host = transfer->host;
    if (transfer->running) {
        must(libcurl.multi_remove_handle(performer->multi, transfer->easy) == CURLM_OK);
        host->running_count--;
    } else if (host) {
        host_remove(host, transfer);
    }
    transfer_close(transfer);
    map_take(&performer->transfers, transfer->number);
    if (host) advance_host(performer, host);

    pthread_mutex_lock(&performer->mutex);
    performer->unfinished--;
    pthread_mutex_unlock(&performer->mutex);
    call->done(call);
}

static void begin(struct http_performer *performer, struct transfer *transfer)
{
    transfer->next = NULL;
    map_put(&performer->transfers, transfer->number, transfer);
    if (!transfer_check(transfer)) {
        finish(performer, transfer);
        return;
    }
    transfer->host = find_host(performer, transfer->place);
    host_wait(transfer->host, transfer);
    advance_host(performer, transfer->host);
}

static void cancel(struct http_performer *performer, uint64_t number)
{
    struct transfer *transfer = map_get(&performer->transfers, number);
    if (!transfer) return;
    transfer_fail(transfer, OUTCALL_CANCELLED, "the call was cancelled");
    finish(performer, transfer);
}

static void finish_ended(struct http_performer *performer)
{
    int left;
    CURLMsg *message;
    while ((message = libcurl.multi_info_read(performer->multi, &left))) {
        struct transfer *transfer = NULL;
        libcurl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        transfer_read(transfer, message->data.result);
        finish(performer, transfer);
    }
}

/* ---- the thread ---- */

/* Takes what has come in. False: it is time to stop. */
static bool take_inbox(struct http_performer *performer)
{
    pthread_mutex_lock(&performer->mutex);
    struct transfer *first = performer->inbox_first;
    performer->inbox_first = performer->inbox_last = NULL;
    struct buf cancelled = performer->cancelled;
    buf_init(&performer->cancelled, NULL);
    bool stopping = performer->stopping;
    pthread_mutex_unlock(&performer->mutex);

    while (first) {
        struct transfer *transfer = first;
        first = transfer->next;
        begin(performer, transfer);
    }
    for (size_t at = 0; at < cancelled.n; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, cancelled.p + at, sizeof number);
        cancel(performer, number);
    }
    buf_done(&cancelled);
    return !stopping;
}

static void finish_all(struct http_performer *performer)
{
    /* So that nothing which waits gets its turn. */
    performer->config.calls_per_host_max = 0;
    struct transfer *transfer;
    while ((transfer = map_next(&performer->transfers, &(size_t){ 0 }))) {
        transfer_fail(transfer, OUTCALL_STOPPED, "the engine is stopping");
        finish(performer, transfer);
    }
}

static void *work(void *context)
{
    struct http_performer *performer = context;
    while (take_inbox(performer)) {
        int running;
        must(libcurl.multi_perform(performer->multi, &running) == CURLM_OK);
        finish_ended(performer);
        must(libcurl.multi_poll(performer->multi, NULL, 0, POLL_MS, NULL) == CURLM_OK);
    }
    finish_all(performer);
    return NULL;
}

/* Signals are for the other threads; and libcurl, told not to touch them, leaves SIGPIPE of a
 * closed TLS connection to us. */
static int create_thread(struct http_performer *performer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&performer->thread, NULL, work, performer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* ---- for other threads ---- */

static void performer_free(struct http_performer *performer)
{
    libcurl.multi_cleanup(performer->multi);
    map_done(&performer->transfers);
    text_map_done(&performer->hosts);
    buf_done(&performer->cancelled);
    pthread_mutex_destroy(&performer->mutex);
    free(performer);
}

enum status performer_start(const struct performer_config *config, struct http_performer **ret_performer,
                            struct error *err)
{
    must(config->calls_max && config->calls_per_host_max && config->answer_bytes_max);
    must(config->timeout_ms > 0 && config->connect_timeout_ms > 0);
    TRY(libcurl_load(err));

    struct http_performer *performer = calloc(1, sizeof *performer);
    must(performer);
    performer->config = *config;
    performer->multi = libcurl.multi_init();
    must(performer->multi);
    must(libcurl.multi_setopt(performer->multi, CURLMOPT_MAXCONNECTS, (long)config->connections_kept_max) ==
         CURLM_OK);
    pthread_mutex_init(&performer->mutex, NULL);
    buf_init(&performer->cancelled, NULL);
    map_init(&performer->transfers);
    text_map_init(&performer->hosts);

    int code = create_thread(performer);
    if (code) {
        performer_free(performer);
        return fail(err, ST_INTERNAL, "perform", "cannot start a thread for outgoing calls: %s",
                    strerror(code));
    }
    *ret_performer = performer;
    return ST_OK;
}

enum status performer_submit(struct http_performer *performer, struct outcall *call, uint64_t *ret_number,
                             struct error *err)
{
    must(call->arena && call->done);
    struct transfer *transfer = arena_make(call->arena, struct transfer);
    transfer->call = call;

    pthread_mutex_lock(&performer->mutex);
    bool stopping = performer->stopping, full = performer->unfinished >= performer->config.calls_max;
    if (!stopping && !full) {
        transfer->number = ++performer->last_number;
        if (ret_number) *ret_number = transfer->number;
        if (performer->inbox_last) performer->inbox_last->next = transfer;
        else performer->inbox_first = transfer;
        performer->inbox_last = transfer;
        performer->unfinished++;
    }
    pthread_mutex_unlock(&performer->mutex);

    if (stopping) return fail(err, ST_DRAINING, "perform", "no more calls: the engine is stopping");
    if (full)
        return fail(err, ST_OVERLOAD, "perform", "%zu calls are under way; the most is %zu",
                    performer->config.calls_max, performer->config.calls_max);
    libcurl.multi_wakeup(performer->multi);
    return ST_OK;
}

size_t performer_room(struct http_performer *performer)
{
    pthread_mutex_lock(&performer->mutex);
    size_t room = performer->stopping ? 0 : performer->config.calls_max - performer->unfinished;
    pthread_mutex_unlock(&performer->mutex);
    return room;
}

void performer_cancel(struct http_performer *performer, uint64_t number)
{
    pthread_mutex_lock(&performer->mutex);
    buf_add(&performer->cancelled, &number, sizeof number);
    pthread_mutex_unlock(&performer->mutex);
    libcurl.multi_wakeup(performer->multi);
}

void performer_stop(struct http_performer *performer)
{
    if (!performer) return;
    pthread_mutex_lock(&performer->mutex);
    performer->stopping = true;
    pthread_mutex_unlock(&performer->mutex);
    libcurl.multi_wakeup(performer->multi);
    pthread_join(performer->thread, NULL);
    performer_free(performer);
}
