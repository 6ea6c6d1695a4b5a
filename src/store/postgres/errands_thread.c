/* store/postgres/errands_thread.c — the thread that carries errands and notices to the database and back.
 *
 *     outbox ──► batch ──► rows of `errand` + NOTIFY ──► the other node's thread ──► its inbox
 *     notice ──► our row of `notice` + NOTIFY
 *
 * A batch whose answer is lost is sent once more. A node that takes errands knows the highest number that it
 * has of each node, and drops the errands that it has already. Rows are removed when they are in the inbox,
 * together with the next look: if the connection is lost in between, they are read again and dropped by their
 * numbers.
 *
 * Under a new number we are a stranger, and a repetition would be taken for a new errand. So an errand is
 * sent under the number that we had when it was accepted, or not at all.
 *
 * NOTIFY wakes the thread; it also looks by itself, because a connection that was lost has heard nothing.
 */
#include "store/postgres/errands_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CONNECT_PAUSE_US = 1000000,
    LOOK_US = 200000,        /* With other nodes. */
    LOOK_ALONE_US = 1000000, /* Without. */
    PURGE_US = 5000000,
    CLOSE_US = 1000000, /* So long the last errands may take. */
};

struct errand_post *errands_new_post(int64_t node, uint64_t number, str text)
{
    struct errand_post *post = malloc(sizeof *post + text.n);
    must(post);
    *post = (struct errand_post){ .node = node, .number = number, .bytes = text.n };
    if (text.n) memcpy(post->text, text.p, text.n);
    return post;
}

/* ---- connecting ---- */

static enum status listen_as(struct errands *errands, int64_t node, struct error *err)
{
    char sql[96];
    snprintf(sql, sizeof sql, "UNLISTEN *;LISTEN pawl_notice;LISTEN pawl_errand_%" PRId64, node);
    TRY(postgres_exec(&errands->db, sql, err));
    errands->listens = node;
    errands->must_take = errands->must_hear = true;
    return ST_OK;
}

/* Under a new number we are a new node, and a new connection may have missed something. A database that has
 * crashed has lost our notice. */
static enum status be_connected(struct errands *errands, struct error *err)
{
    int64_t node = atomic_load(&errands->node);
    if (!errands->db.conn) {
        errands->listens = 0;
        errands->told_as = 0;
        errands->db.node = node;
        errands->tried_us = clock_monotonic_us();
        TRY(postgres_db_connect(&errands->db, err));
    }
    return errands->listens == node ? ST_OK : listen_as(errands, node, err);
}

static void note_notifications(struct errands *errands)
{
    PGnotify *heard;
    while (errands->db.conn && (heard = libpq.notifies(errands->db.conn)) != NULL) {
        if (strcmp(heard->relname, "pawl_notice") == 0) errands->must_hear = true;
        else errands->must_take = true;
        libpq.freemem(heard);
    }
}

/* ---- sending ---- */

/* A batch of a former number has perhaps arrived, although its answer was lost. */
static void drop_former_batch(struct errands *errands)
{
    struct errand_post *post;
    if (!errands->batch.first || errands->batch.first->as == errands->listens) return;
    pthread_mutex_lock(&errands->lock);
    errands->stats.expired += errands->batch.count;
    pthread_mutex_unlock(&errands->lock);
    while ((post = errands_first_post(&errands->batch)) != NULL) free(post);
}

/* Errands whose time is up are not sent, nor are those of a former number. Errands of a number under which we
 * do not listen yet wait until we do, so all errands of a batch have the same number. */
static void fill_batch(struct errands *errands)
{
    int64_t now_us = clock_monotonic_us();
    struct errand_box *outbox = &errands->outbox, *batch = &errands->batch;
    pthread_mutex_lock(&errands->lock);
    bool is_known = errands->listens == atomic_load(&errands->node);
    while (is_known && outbox->first && batch->count < ERRANDS_SENT_MAX &&
           (!batch->count || batch->bytes + outbox->first->bytes <= ERRANDS_SENT_BYTES_MAX)) {
        struct errand_post *post = errands_first_post(outbox);
        if (post->as == errands->listens && now_us < post->until_us) {
            errands_add_post(batch, post);
            continue;
        }
        errands->stats.expired++;
        free(post);
    }
    pthread_mutex_unlock(&errands->lock);
}

static enum status send_batch(struct errands *errands, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < COUNT(errands->column); i++) postgres_array_clear(&errands->column[i]);
    for (const struct errand_post *at = errands->batch.first; at; at = at->next) {
        postgres_array_number(&errands->column[0], at->node);
        postgres_array_number(&errands->column[1], (int64_t)at->number);
        postgres_array_number(&errands->column[2], at->keep_ms);
        postgres_array_bytes(&errands->column[3], (str){ at->text, at->bytes });
    }
    postgres_add_number(&params, errands->listens);
    postgres_add_array(&params, &errands->column[0], 'I');
    postgres_add_array(&params, &errands->column[1], 'I');
    postgres_add_array(&params, &errands->column[2], 'I');
    postgres_add_array(&params, &errands->column[3], 'B');
    TRY(postgres_ask(&errands->db, SQL_ERRAND_SEND, &params, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* A large one leaves no large block behind. */
static void end_batch(struct errands *errands)
{
    bool was_large = errands->batch.bytes > ERRANDS_SENT_BYTES_MAX / 8;
    pthread_mutex_lock(&errands->lock);
    errands->stats.sent += errands->batch.count;
    pthread_mutex_unlock(&errands->lock);
    for (struct errand_post *post; (post = errands_first_post(&errands->batch)) != NULL;) free(post);
    if (was_large)
        postgres_array_done(&errands->column[3]), errands->column[3] = (struct postgres_array){ 0 };
    errands->wake(errands->context);
}

static enum status send_all(struct errands *errands, struct error *err)
{
    for (;;) {
        drop_former_batch(errands);
        if (!errands->batch.first) fill_batch(errands);
        if (!errands->batch.first) return ST_OK;
        TRY(send_batch(errands, err));
        end_batch(errands);
    }
}

/* ---- taking ---- */

/* True: it is new. */
static bool note_seen(struct errands *errands, int64_t node, uint64_t number)
{
    struct errand_seen *seen = errands->seen, *end = errands->seen + COUNT(errands->seen);
    while (seen < end && seen->node != node) seen++;
    if (seen == end) {
        seen = &errands->seen[errands->seen_next++ % COUNT(errands->seen)];
        *seen = (struct errand_seen){ .node = node };
    }
    if (number <= seen->number) return false;
    seen->number = number;
    return true;
}

/* Returns whether there may be more. */
static bool keep_taken(struct errands *errands, const PGresult *result)
{
    int rows = libpq.ntuples(result), new = 0;
    postgres_array_clear(&errands->taken);
    pthread_mutex_lock(&errands->lock);
    for (int i = 0; i < rows && !postgres_is_null(result, i, 3); i++) {
        int64_t node = postgres_number(result, i, 1);
        uint64_t number = postgres_id(result, i, 2);
        postgres_array_number(&errands->taken, postgres_number(result, i, 0));
        if (!note_seen(errands, node, number)) continue;
        errands_add_post(&errands->inbox, errands_new_post(node, number, postgres_borrowed(result, i, 3)));
        new ++;
    }
    errands->stats.taken += (uint64_t) new;
    pthread_mutex_unlock(&errands->lock);
    if (new) errands->wake(errands->context);
    return rows > 0;
}

static enum status take_all(struct errands *errands, struct error *err)
{
    bool more = true, is_full = false;
    errands->must_take = false;
    while (more && !is_full) {
        struct postgres_params params = { 0 };
        PGresult *result;
        postgres_add_number(&params, errands->listens);
        postgres_add_array(&params, &errands->taken, 'I');
        postgres_add_number(&params, ERRANDS_SENT_MAX);
        postgres_add_number(&params, ERRANDS_SENT_BYTES_MAX);
        TRY(postgres_ask(&errands->db, SQL_ERRAND_TAKE, &params, &result, err));
        more = keep_taken(errands, result);
        libpq.clear(result);
        pthread_mutex_lock(&errands->lock);
        is_full = errands->inbox.bytes >= ERRANDS_BYTES_MAX;
        pthread_mutex_unlock(&errands->lock);
        if (more && is_full) errands->must_take = true;
    }
    return ST_OK;
}

/* ---- notices ---- */

static enum status tell(struct errands *errands, struct error *err)
{
    struct postgres_params params = { 0 };
    struct buf text;
    PGresult *result;
    buf_init(&text, NULL);
    pthread_mutex_lock(&errands->lock);
    uint64_t number = errands->notice_number;
    bool is_due = number && (errands->told != number || errands->told_as != errands->listens);
    if (is_due) buf_add_str(&text, buf_str(&errands->notice));
    pthread_mutex_unlock(&errands->lock);
    if (!is_due) return ST_OK;
    postgres_add_number(&params, errands->listens);
    postgres_add_number(&params, (int64_t)number);
    postgres_add_bytes(&params, buf_str(&text));
    enum status status = postgres_ask(&errands->db, SQL_NOTICE_TELL, &params, &result, err);
    buf_done(&text);
    TRY(status);
    libpq.clear(result);
    errands->told_as = errands->listens;
    pthread_mutex_lock(&errands->lock);
    errands->told = number;
    pthread_mutex_unlock(&errands->lock);
    errands->wake(errands->context);
    return ST_OK;
}

static struct errand_heard *find_heard(struct errands *errands, int64_t node)
{
    for (size_t i = 0; i < errands->heard_count; i++)
        if (errands->heard[i].node == node) return &errands->heard[i];
    return NULL;
}

/* Under the lock. A text that the row does not have is the one that we know. */
static void keep_heard(struct errands *errands, const PGresult *result)
{
    size_t count = (size_t)libpq.ntuples(result), kept = 0;
    struct errand_heard *heard = calloc(count + 1, sizeof *heard);
    must(heard);
    for (size_t i = 0; i < count; i++) {
        struct errand_heard *known = find_heard(errands, postgres_number(result, (int)i, 0));
        if (known) {
            heard[i] = *known;
            buf_init(&known->text, NULL);
            kept++;
        }
        heard[i].node = postgres_number(result, (int)i, 0);
        if (postgres_is_null(result, (int)i, 2)) continue;
        heard[i].version = postgres_number(result, (int)i, 1);
        heard[i].is_new = errands->has_heard = true;
        heard[i].text.n = 0;
        buf_add_str(&heard[i].text, postgres_borrowed(result, (int)i, 2));
    }
    if (kept < errands->heard_count) errands->has_heard = true;
    for (size_t i = 0; i < errands->heard_count; i++) buf_done(&errands->heard[i].text);
    free(errands->heard);
    errands->heard = heard;
    errands->heard_count = count;
}

static enum status hear(struct errands *errands, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_array_clear(&errands->column[0]);
    postgres_array_clear(&errands->column[1]);
    pthread_mutex_lock(&errands->lock);
    uint64_t look = errands->look_asked;
    pthread_mutex_unlock(&errands->lock);
    for (size_t i = 0; i < errands->heard_count; i++) { /* Nobody else changes them. */
        postgres_array_number(&errands->column[0], errands->heard[i].node);
        postgres_array_number(&errands->column[1], errands->heard[i].version);
    }
    postgres_add_array(&params, &errands->column[0], 'I');
    postgres_add_array(&params, &errands->column[1], 'I');
    postgres_add_number(&params, errands->listens);
    errands->must_hear = false;
    TRY(postgres_ask(&errands->db, SQL_NOTICE_HEAR, &params, &result, err));
    pthread_mutex_lock(&errands->lock);
    keep_heard(errands, result);
    bool is_awaited = errands->has_heard || errands->looked < look;
    errands->looked = look;
    pthread_mutex_unlock(&errands->lock);
    libpq.clear(result);
    if (is_awaited) errands->wake(errands->context);
    return ST_OK;
}

static bool is_look_asked(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    bool asked = errands->looked < errands->look_asked;
    pthread_mutex_unlock(&errands->lock);
    return asked;
}

/* ---- the thread ---- */

static int64_t look_pause_us(const struct errands *errands)
{
    return errands->heard_count ? LOOK_US : LOOK_ALONE_US;
}

static enum status purge(struct errands *errands, int64_t now_us, struct error *err)
{
    PGresult *result;
    errands->purged_us = now_us;
    TRY(postgres_ask(&errands->db, SQL_ERRAND_PURGE, NULL, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* One round: what waits goes out first, because somebody waits for it. */
static enum status go_round(struct errands *errands, struct error *err)
{
    TRY(be_connected(errands, err));
    TRY(send_all(errands, err));
    TRY(tell(errands, err));
    note_notifications(errands);
    int64_t now_us = clock_monotonic_us();
    bool is_time = now_us - errands->looked_us >= look_pause_us(errands);
    if (is_time) errands->looked_us = now_us;
    if (is_time || errands->must_hear || is_look_asked(errands)) TRY(hear(errands, err));
    if (is_time || errands->must_take) TRY(take_all(errands, err));
    if (now_us - errands->purged_us >= PURGE_US) TRY(purge(errands, now_us, err));
    return ST_OK;
}

/* Is there something to do at once? */
static bool is_due(struct errands *errands)
{
    note_notifications(errands);
    pthread_mutex_lock(&errands->lock);
    bool due = errands->outbox.first || errands->looked < errands->look_asked ||
               errands->told != errands->notice_number;
    bool is_full = errands->inbox.bytes >= ERRANDS_BYTES_MAX;
    pthread_mutex_unlock(&errands->lock);
    return due || errands->must_hear || (errands->must_take && !is_full);
}

static void wait_for_event(struct errands *errands, int64_t pause_us)
{
    uint64_t count;
    struct pollfd ready[] = {
        { .fd = errands->event, .events = POLLIN },
        { .fd = errands->db.conn ? libpq.socket(errands->db.conn) : -1, .events = POLLIN },
    };
    if (poll(ready, COUNT(ready), (int)((pause_us + 999) / 1000)) <= 0) return;
    if (ready[0].revents && read(errands->event, &count, sizeof count) < 0) return;
    if (ready[1].revents && !libpq.consumeInput(errands->db.conn)) postgres_disconnect(&errands->db);
}

/* The remaining errands are sent, and our notice goes. */
static void say_goodbye(struct errands *errands)
{
    struct postgres_params params = { 0 };
    struct error err;
    PGresult *result;
    int64_t until_us = clock_monotonic_us() + CLOSE_US;
    while (errands->db.conn && (errands->outbox.first || errands->batch.first) &&
           clock_monotonic_us() < until_us)
        if (be_connected(errands, &err) != ST_OK || send_all(errands, &err) != ST_OK) break;
    if (!errands->db.conn || !errands->listens) return;
    postgres_add_number(&params, errands->listens);
    if (postgres_ask(&errands->db, SQL_NOTICE_REMOVE, &params, &result, &err) == ST_OK) libpq.clear(result);
}

void *errands_run(void *context)
{
    struct errands *errands = context;
    while (!atomic_load(&errands->stops)) {
        struct error err;
        int64_t pause_us = LOOK_US, now_us = clock_monotonic_us();
        if (errands->db.conn || now_us - errands->tried_us >= CONNECT_PAUSE_US) {
            bool is_well = go_round(errands, &err) == ST_OK;
            if (is_well && is_due(errands)) pause_us = 0;
        }
        if (pause_us) wait_for_event(errands, pause_us);
    }
    say_goodbye(errands);
    return NULL;
}
