/* perform/mail/sender.c — the thread that delivers messages, with a multi handle of libcurl.
 *
 *     submit ─► inbox ─► waits for its server ─► in the multi handle ─► done
 *
 * A delivery waits here and not in libcurl, whose timeouts run while a transfer waits for a connection.
 * Connections are kept and shared by libcurl. The mutex guards the inbox, the numbers to cancel, the
 * sockets and the counts; all else belongs to the thread.
 */
#include "perform/mail/mail_int.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/list.h"
#include "base/must.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "perform/outcall.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POLL_MS = 60 * 1000 }; /* How often the thread looks around when nothing happens. */

struct delivery_list {
    struct mail_delivery *first, *last;
};

struct mail_sender {
    struct mail_config config;
    CURLM *multi;
    pthread_t thread;

    pthread_mutex_t mutex;
    struct delivery_list inbox;
    struct buf cancelled; /* uint64_t each. */
    size_t unfinished;
    uint64_t last_number;
    bool stopping;
    int *socket; /* All that are open, of deliveries and of connections that are kept. */
    size_t socket_count, socket_cap;

    struct delivery_list waiting, running; /* The thread's. The waiting ones are ordered by priority. */
};

/* ---- callbacks of libcurl ---- */

/* False: the sender stops, so no more are opened. */
static bool add_socket(struct mail_sender *sender, int fd)
{
    pthread_mutex_lock(&sender->mutex);
    bool stopping = sender->stopping;
    if (!stopping) {
        array_reserve(sender->socket, sender->socket_count, sender->socket_cap);
        sender->socket[sender->socket_count++] = fd;
    }
    pthread_mutex_unlock(&sender->mutex);
    return !stopping;
}

static int close_socket(void *context, curl_socket_t fd)
{
    struct mail_sender *sender = context;
    pthread_mutex_lock(&sender->mutex);
    size_t at = 0;
    while (at < sender->socket_count && sender->socket[at] != fd) at++;
    if (at < sender->socket_count) sender->socket[at] = sender->socket[--sender->socket_count];
    pthread_mutex_unlock(&sender->mutex);
    return close(fd);
}

/* libcurl says goodbye to a server before it closes a connection, and waits for minutes for the answer. A
 * connection that is shut down has none. */
static void shut_sockets(struct mail_sender *sender)
{
    for (size_t i = 0; i < sender->socket_count; i++) shutdown(sender->socket[i], SHUT_RDWR);
}

/* Makes every socket of a delivery. libcurl calls it for each address that it tries. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct mail_delivery *delivery = context;
    (void)purpose;
    const char *network =
        reach_refusal(delivery->reach, reach_host_of(delivery->server.place), &address->addr);
    if (network) {
        delivery->refused_class = network;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0 || add_socket(delivery->sender, fd)) return fd;
    close(fd);
    return CURL_SOCKET_BAD;
}

/* A line of the server's. The lines of EHLO name the server's extensions. */
static size_t take_reply(char *bytes, size_t size, size_t count, void *context)
{
    struct mail_delivery *delivery = context;
    str line = str_trim((str){ bytes, size * count });
    if (line.n > 4 && str_equal_ignoring_case(str_slice(line, 4, line.n), STR("SMTPUTF8")))
        delivery->offers_utf8 = true;
    /* A line after a refusal, such as a farewell, does not explain it. */
    if (!line.n || (line.p[0] != '4' && line.p[0] != '5')) return size * count;
    line = utf8_cut(line, sizeof delivery->reply - 1);
    memcpy(delivery->reply, line.p, line.n);
    delivery->reply[line.n] = '\0';
    return size * count;
}

/* The message, when the server has accepted its sender and recipients. */
static size_t give_text(char *room, size_t size, size_t count, void *context)
{
    struct mail_delivery *delivery = context;
    if (delivery->message.utf8 && !delivery->offers_utf8) {
        delivery->utf8_missing = true;
        return CURL_READFUNC_ABORT;
    }
    str left = str_slice(delivery->message.text, delivery->sent_bytes, delivery->message.text.n);
    size_t n = left.n < size * count ? left.n : size * count;
    if (n) memcpy(room, left.p, n);
    delivery->sent_bytes += n;
    return n;
}

/* ---- a delivery as libcurl sees it ---- */

#define SET(easy, option, value) must(libcurl.easy_setopt(easy, option, value) == CURLE_OK)

/* Rules that no document can change. */
static void set_rules(CURL *easy)
{
    SET(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    SET(easy, CURLOPT_PROXY, ""); /* Also none from the environment. */
    SET(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    SET(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(easy, CURLOPT_NOSIGNAL, 1L);
    SET(easy, CURLOPT_QUICK_EXIT, 1L);
    SET(easy, CURLOPT_UPLOAD, 1L);
}

static void set_server(CURL *easy, const struct mail_server *server, struct arena *arena)
{
    static const long tls[] = { [MAIL_TLS_NONE] = CURLUSESSL_NONE,
                                [MAIL_TLS_TRY] = CURLUSESSL_TRY,
                                [MAIL_TLS_STARTTLS] = CURLUSESSL_ALL,
                                [MAIL_TLS_IMPLICIT] = CURLUSESSL_ALL };
    SET(easy, CURLOPT_URL, arena_str(arena, server->url).p);
    SET(easy, CURLOPT_USE_SSL, tls[server->tls]);
    if (server->user.n) SET(easy, CURLOPT_USERNAME, arena_str(arena, server->user).p);
    if (server->user.n) SET(easy, CURLOPT_PASSWORD, arena_str(arena, server->password).p);
    if (server->ca.n) {
        struct curl_blob blob = { (void *)(uintptr_t)server->ca.p, server->ca.n, CURL_BLOB_COPY };
        SET(easy, CURLOPT_CAINFO_BLOB, &blob);
    } else {
        libcurl_trust(easy); /* Beside a certificate of its own it would let in others, too. */
    }
}

static void set_message(struct mail_delivery *delivery)
{
    struct arena *arena = delivery->job->arena;
    const struct mail_message *message = &delivery->message;
    SET(delivery->easy, CURLOPT_MAIL_FROM, arena_printf(arena, "<%.*s>", STR_ARG(message->sender)).p);
    for (size_t i = 0; i < message->recipients.count; i++) {
        str address = arena_printf(arena, "<%.*s>", STR_ARG(message->recipients.item[i].address));
        delivery->recipients = libcurl.slist_append(delivery->recipients, address.p);
        must(delivery->recipients);
    }
    SET(delivery->easy, CURLOPT_MAIL_RCPT, delivery->recipients);
    /* One person's wrong address does not keep a reminder from the others. */
    SET(delivery->easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, delivery->job->notice ? 1L : 0L);
    /* A server says what it offers when a connection begins. */
    SET(delivery->easy, CURLOPT_FRESH_CONNECT, message->utf8 ? 1L : 0L);
    SET(delivery->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)message->text.n);
}

static void open_delivery(struct mail_delivery *delivery, const struct mail_config *config)
{
    CURL *easy = delivery->easy = libcurl.easy_init();
    must(easy);
    delivery->reach = &config->reach;
    set_rules(easy);
    set_server(easy, &delivery->server, delivery->job->arena);
    set_message(delivery);
    SET(easy, CURLOPT_TIMEOUT_MS, (long)delivery->timeout_ms);
    SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)config->connect_timeout_ms);
    SET(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(easy, CURLOPT_OPENSOCKETDATA, delivery);
    SET(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    SET(easy, CURLOPT_CLOSESOCKETDATA, delivery->sender);
    SET(easy, CURLOPT_READFUNCTION, give_text);
    SET(easy, CURLOPT_READDATA, delivery);
    SET(easy, CURLOPT_HEADERFUNCTION, take_reply);
    SET(easy, CURLOPT_HEADERDATA, delivery);
    SET(easy, CURLOPT_PRIVATE, delivery);
}

/* ---- its end ---- */

static void complete(struct mail_delivery *delivery)
{
    struct engine_job *job = delivery->job;
    struct json_builder value;
    job->end = ENGINE_JOB_COMPLETED;
    if (job->notice) {
        job->value = mail_notice_result(job, str_of(delivery->reply));
        return;
    }
    json_builder_init(&value, job->arena);
    json_open_object(&value);
    json_add_name(&value, STR("message_id"));
    json_add_string(&value, delivery->message.id);
    json_add_name(&value, STR("accepted"));
    json_open_array(&value);
    for (size_t i = 0; i < delivery->message.recipients.count; i++)
        json_add_string(&value, delivery->message.recipients.item[i].address);
    json_close(&value);
    json_close(&value);
    job->value = json_built(&value);
}

static void fail_utf8(struct mail_delivery *delivery)
{
    mail_fail(delivery->job, MAIL_ERROR_SMTP_UTF8,
              "an address is not ASCII, and %.*s does not offer SMTPUTF8; a domain can be written as xn--…",
              STR_ARG(delivery->server.place));
}

/* The server said no: 4xx may be better another time, 5xx is final. */
static void fail_refused(struct mail_delivery *delivery, long code)
{
    struct arena *arena = delivery->job->arena;
    if (delivery->message.utf8 && !delivery->offers_utf8 && code >= 500) {
        fail_utf8(delivery);
        return;
    }
    mail_fail_named(
        delivery->job, code < 500, arena_printf(arena, "SMTP_%ld", code),
        arena_printf(arena, "%.*s answered: %s", STR_ARG(delivery->server.place), delivery->reply));
}

static void fail_connection(struct mail_delivery *delivery)
{
    long code = 0;
    str place = delivery->server.place;
    libcurl.easy_getinfo(delivery->easy, CURLINFO_OS_ERRNO, &code);
    if (delivery->refused_class)
        mail_fail_code(delivery->job, MAIL_ERROR_SMTP_ADDRESS, REASON_ADDRESS_REFUSED,
                       "%.*s is in a network that calls may not reach (%s) without --allow-private-calls",
                       STR_ARG(place), delivery->refused_class);
    else if (code == ECONNREFUSED)
        mail_fail_code(delivery->job, MAIL_ERROR_SMTP_CONNECTION, REASON_CONNECTION_REFUSED,
                       "%.*s refused the connection", STR_ARG(place));
    else
        mail_fail_code(delivery->job, MAIL_ERROR_SMTP_CONNECTION, REASON_CONNECTION_FAILED,
                       "no connection to %.*s", STR_ARG(place));
}

static void fail_transport(struct mail_delivery *delivery, CURLcode code)
{
    struct engine_job *job = delivery->job;
    str place = delivery->server.place;
    switch ((int)code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        mail_fail_code(job, MAIL_ERROR_SMTP_CONNECTION, REASON_NAME_NOT_FOUND,
                       "no address was found for %.*s", STR_ARG(place));
        break;
    case CURLE_COULDNT_CONNECT: fail_connection(delivery); break;
    case CURLE_OPERATION_TIMEDOUT:
        mail_fail_code(job, MAIL_ERROR_SMTP_TIMEOUT, REASON_ANSWER_LATE,
                       "%.*s did not answer in time (%lld ms)", STR_ARG(place),
                       (long long)delivery->timeout_ms);
        break;
    case CURLE_USE_SSL_FAILED:
        mail_fail(job, MAIL_ERROR_SMTP_TLS, "%.*s does not offer TLS, which is required", STR_ARG(place));
        break;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
        mail_fail_code(job, MAIL_ERROR_SMTP_TLS, REASON_UNTRUSTED, "no trusted TLS connection to %.*s: %s",
                       STR_ARG(place), libcurl.easy_strerror(code));
        break;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
        mail_fail(job, MAIL_ERROR_SMTP_CONNECTION, "the connection to %.*s broke", STR_ARG(place));
        break;
    case CURLE_LOGIN_DENIED:
        mail_fail(job, MAIL_ERROR_EMAIL_SERVER, "%.*s offers no login that is known here", STR_ARG(place));
        break;
    default: mail_fail(job, MAIL_ERROR_SMTP_FAILED, "%.*s: %s", STR_ARG(place), libcurl.easy_strerror(code));
    }
}

static void read_end(struct mail_delivery *delivery, CURLcode code)
{
    long answered = 0;
    libcurl.easy_getinfo(delivery->easy, CURLINFO_RESPONSE_CODE, &answered);
    if (code == CURLE_OK) complete(delivery);
    else if (delivery->utf8_missing) fail_utf8(delivery);
    else if (answered >= 400 && answered <= 599 && code != CURLE_OPERATION_TIMEDOUT)
        fail_refused(delivery, answered);
    else fail_transport(delivery, code);
}

/* ---- a delivery's way ---- */

/* Gives the job back, with the outcome that was written to it. */
static void finish(struct mail_sender *sender, struct mail_delivery *delivery)
{
    if (delivery->easy) {
        list_remove(&sender->running, delivery, next);
        must(libcurl.multi_remove_handle(sender->multi, delivery->easy) == CURLM_OK);
        libcurl.easy_cleanup(delivery->easy);
        libcurl.slist_free_all(delivery->recipients);
    } else {
        list_remove(&sender->waiting, delivery, next);
    }
    pthread_mutex_lock(&sender->mutex);
    sender->unfinished--;
    pthread_mutex_unlock(&sender->mutex);
    delivery->job->done(delivery->job);
}

static void break_off(struct mail_sender *sender, struct mail_delivery *delivery)
{
    delivery->job->end = ENGINE_JOB_BROKEN_OFF;
    finish(sender, delivery);
}

static size_t count_running(const struct mail_sender *sender, str place)
{
    size_t count = 0;
    for (const struct mail_delivery *at = sender->running.first; at; at = at->next)
        count += str_equal(at->server.place, place);
    return count;
}

/* Begins what may begin, in order; a server that is busy does not hold up the others. */
static void begin_waiting(struct mail_sender *sender)
{
    for (struct mail_delivery *delivery = sender->waiting.first, *next; delivery; delivery = next) {
        next = delivery->next;
        if (count_running(sender, delivery->server.place) >= sender->config.jobs_per_server_max) continue;
        list_remove(&sender->waiting, delivery, next);
        open_delivery(delivery, &sender->config);
        list_append(&sender->running, delivery, next);
        must(libcurl.multi_add_handle(sender->multi, delivery->easy) == CURLM_OK);
    }
}

static struct mail_delivery *find_number(const struct delivery_list *list, uint64_t number)
{
    struct mail_delivery *at = list->first;
    while (at && at->number != number) at = at->next;
    return at;
}

static void cancel(struct mail_sender *sender, uint64_t number)
{
    struct mail_delivery *delivery = find_number(&sender->running, number);
    if (!delivery) delivery = find_number(&sender->waiting, number);
    if (delivery) break_off(sender, delivery);
}

static void finish_ended(struct mail_sender *sender)
{
    int left;
    CURLMsg *message;
    while ((message = libcurl.multi_info_read(sender->multi, &left))) {
        struct mail_delivery *delivery = NULL;
        libcurl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &delivery);
        read_end(delivery, message->data.result);
        finish(sender, delivery);
    }
}

/* ---- the thread ---- */

static int32_t priority_of(const struct mail_delivery *delivery) { return delivery->job->priority; }

/* False: it is time to stop. */
static bool take_inbox(struct mail_sender *sender)
{
    pthread_mutex_lock(&sender->mutex);
    struct mail_delivery *first = sender->inbox.first;
    sender->inbox = (struct delivery_list){ 0 };
    struct buf cancelled = sender->cancelled;
    buf_init(&sender->cancelled, NULL);
    bool stopping = sender->stopping;
    pthread_mutex_unlock(&sender->mutex);

    for (struct mail_delivery *next; first; first = next) {
        next = first->next;
        list_insert_by(&sender->waiting, first, next, priority_of);
    }
    for (size_t at = 0; at < cancelled.n; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, cancelled.p + at, sizeof number);
        cancel(sender, number);
    }
    buf_done(&cancelled);
    return !stopping;
}

static void *work(void *context)
{
    struct mail_sender *sender = context;
    thread_name("mail");
    while (take_inbox(sender)) {
        int running;
        begin_waiting(sender);
        must(libcurl.multi_perform(sender->multi, &running) == CURLM_OK);
        finish_ended(sender);
        begin_waiting(sender);
        must(libcurl.multi_poll(sender->multi, NULL, 0, POLL_MS, NULL) == CURLM_OK);
    }
    while (sender->running.first) break_off(sender, sender->running.first);
    while (sender->waiting.first) break_off(sender, sender->waiting.first);
    return NULL;
}

/* The thread takes no signals: libcurl, told not to touch them, leaves SIGPIPE to us. */
static int create_thread(struct mail_sender *sender)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&sender->thread, NULL, work, sender);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void free_sender(struct mail_sender *sender)
{
    libcurl.multi_cleanup(sender->multi);
    free(sender->socket);
    buf_done(&sender->cancelled);
    pthread_mutex_destroy(&sender->mutex);
    free(sender);
}

/* ---- for the performer ---- */

enum status mail_sender_start(const struct mail_config *config, struct mail_sender **ret_sender,
                              struct error *err)
{
    TRY(libcurl_load(err));
    struct mail_sender *sender = calloc(1, sizeof *sender);
    must(sender);
    sender->config = *config;
    sender->multi = libcurl.multi_init();
    must(sender->multi);
    pthread_mutex_init(&sender->mutex, NULL);
    int code = create_thread(sender);
    if (code) {
        free_sender(sender);
        return fail(err, ST_INTERNAL, "perform", "cannot start a thread for e-mail: %s", strerror(code));
    }
    *ret_sender = sender;
    return ST_OK;
}

uint64_t mail_sender_submit(struct mail_sender *sender, struct mail_delivery *delivery)
{
    pthread_mutex_lock(&sender->mutex);
    delivery->sender = sender;
    uint64_t number = delivery->number = ++sender->last_number;
    /* Before the thread can be done with the job. */
    delivery->job->performing = (void *)(uintptr_t)number;
    list_append(&sender->inbox, delivery, next);
    sender->unfinished++;
    pthread_mutex_unlock(&sender->mutex);
    libcurl.multi_wakeup(sender->multi);
    return number;
}

void mail_sender_cancel(struct mail_sender *sender, uint64_t number)
{
    pthread_mutex_lock(&sender->mutex);
    buf_add(&sender->cancelled, &number, sizeof number);
    pthread_mutex_unlock(&sender->mutex);
    libcurl.multi_wakeup(sender->multi);
}

size_t mail_sender_room(struct mail_sender *sender)
{
    pthread_mutex_lock(&sender->mutex);
    size_t max = sender->config.jobs_max, unfinished = sender->unfinished;
    pthread_mutex_unlock(&sender->mutex);
    return unfinished < max ? max - unfinished : 0;
}

void mail_sender_stop(struct mail_sender *sender)
{
    pthread_mutex_lock(&sender->mutex);
    sender->stopping = true;
    shut_sockets(sender);
    pthread_mutex_unlock(&sender->mutex);
    libcurl.multi_wakeup(sender->multi);
    pthread_join(sender->thread, NULL);
    free_sender(sender);
}
