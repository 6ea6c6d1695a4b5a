/* store/postgres/errands.c — errands and notices between nodes, as seen by those who use them: boxes that
 * errands_thread.c fills and empties. */
#include "store/postgres/errands_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void poke(struct errands *errands)
{
    uint64_t one = 1;
    /* A counter that is full has been noticed as well. */
    while (write(errands->event, &one, sizeof one) < 0 && errno == EINTR) continue;
}

static void empty(struct errand_box *box)
{
    for (struct errand_post *post; (post = errands_first_post(box)) != NULL;) free(post);
}

/* ---- opening and closing ---- */

enum status postgres_errands_open(struct store *base, store_wake_fn *wake, void *context,
                                  struct errands **ret_errands, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct errands *errands = calloc(1, sizeof *errands);
    must(errands);
    (void)err;
    errands->store = store;
    errands->wake = wake;
    errands->context = context;
    errands->tried_us = errands->purged_us = INT64_MIN / 2;
    atomic_init(&errands->node, store->node);
    postgres_db_init(&errands->db, store->db.conninfo, POSTGRES_ERRANDS);
    errands->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must(errands->event >= 0);
    must(pthread_mutex_init(&errands->lock, NULL) == 0);
    store->errands = errands;
    must(pthread_create(&errands->thread, NULL, errands_run, errands) == 0);
    *ret_errands = errands;
    return ST_OK;
}

void errands_close(struct errands *errands)
{
    if (!errands) return;
    atomic_store(&errands->stops, true);
    poke(errands);
    pthread_join(errands->thread, NULL);
    errands->store->errands = NULL;
    postgres_db_done(&errands->db);
    empty(&errands->outbox);
    empty(&errands->inbox);
    empty(&errands->batch);
    for (size_t i = 0; i < errands->heard_count; i++) buf_done(&errands->heard[i].text);
    free(errands->heard);
    buf_done(&errands->notice);
    postgres_array_done(&errands->taken);
    for (size_t i = 0; i < COUNT(errands->column); i++) postgres_array_done(&errands->column[i]);
    pthread_mutex_destroy(&errands->lock);
    close(errands->event);
    free(errands);
}

int64_t errands_node(const struct errands *errands) { return atomic_load(&errands->node); }

void postgres_errands_rename(struct errands *errands, int64_t node)
{
    pthread_mutex_lock(&errands->lock);
    atomic_store(&errands->node, node);
    for (size_t i = 0; i < errands->heard_count; i++) errands->heard[i].is_new = true;
    errands->has_heard = true;
    pthread_mutex_unlock(&errands->lock);
    poke(errands);
    errands->wake(errands->context);
}

/* ---- errands ---- */

enum status errands_send(struct errands *errands, int64_t node, str text, int64_t keep_ms, struct error *err)
{
    enum status status = ST_OK;
    pthread_mutex_lock(&errands->lock);
    if (text.n > ERRAND_BYTES_MAX)
        status =
            fail(err, ST_LIMIT, "errand", "%zu bytes for another node; the most is %d (ERRAND_BYTES_MAX)",
                 text.n, ERRAND_BYTES_MAX);
    else if (errands->outbox.count >= ERRANDS_MAX ||
             (errands->outbox.count && errands->outbox.bytes + text.n > ERRANDS_BYTES_MAX))
        status = fail(err, ST_OVERLOAD, "errand", "%zu errands for other nodes wait, as many as may",
                      errands->outbox.count);
    if (status == ST_OK) {
        struct errand_post *post = errands_new_post(node, ++errands->number, text);
        post->as = atomic_load(&errands->node);
        post->keep_ms = keep_ms;
        post->until_us = clock_monotonic_us() + keep_ms * 1000;
        errands_add_post(&errands->outbox, post);
    } else {
        errands->stats.refused++;
    }
    pthread_mutex_unlock(&errands->lock);
    if (status == ST_OK) poke(errands);
    return status;
}

bool errands_has_room(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    bool has = errands->outbox.count < ERRANDS_MAX / 2 && errands->outbox.bytes < ERRANDS_BYTES_MAX / 2;
    pthread_mutex_unlock(&errands->lock);
    return has;
}

bool errands_take(struct errands *errands, struct arena *arena, struct errand *ret_errand)
{
    pthread_mutex_lock(&errands->lock);
    bool was_full = errands->inbox.bytes >= ERRANDS_BYTES_MAX;
    struct errand_post *post = errands_first_post(&errands->inbox);
    was_full &= errands->inbox.bytes < ERRANDS_BYTES_MAX;
    pthread_mutex_unlock(&errands->lock);
    if (was_full) poke(errands); /* It may read on. */
    if (!post) return false;
    *ret_errand =
        (struct errand){ .from = post->node, .text = arena_str(arena, (str){ post->text, post->bytes }) };
    free(post);
    return true;
}

/* ---- notices ---- */

uint64_t errands_tell(struct errands *errands, str text)
{
    pthread_mutex_lock(&errands->lock);
    errands->notice.n = 0;
    buf_add_str(&errands->notice, text);
    uint64_t number = ++errands->notice_number;
    pthread_mutex_unlock(&errands->lock);
    poke(errands);
    return number;
}

uint64_t errands_told(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    uint64_t told = errands->told;
    pthread_mutex_unlock(&errands->lock);
    return told;
}

uint64_t errands_look(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    uint64_t look = ++errands->look_asked;
    pthread_mutex_unlock(&errands->lock);
    poke(errands);
    return look;
}

uint64_t errands_looked(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    uint64_t looked = errands->looked;
    pthread_mutex_unlock(&errands->lock);
    return looked;
}

bool errands_heard(struct errands *errands, struct arena *arena, struct errand_notice **ret_notice,
                   size_t *ret_count)
{
    pthread_mutex_lock(&errands->lock);
    bool changed = errands->has_heard;
    errands->has_heard = false;
    size_t count = changed ? errands->heard_count : 0;
    struct errand_notice *notice = changed ? arena_make_n(arena, struct errand_notice, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct errand_heard *heard = &errands->heard[i];
        notice[i] = (struct errand_notice){ .node = heard->node, .is_new = heard->is_new };
        if (heard->is_new) notice[i].text = arena_str(arena, buf_str(&heard->text));
        heard->is_new = false;
    }
    pthread_mutex_unlock(&errands->lock);
    *ret_notice = notice;
    *ret_count = count;
    return changed;
}

struct errands_stats errands_stats(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    struct errands_stats stats = errands->stats;
    stats.waiting = errands->outbox.count;
    pthread_mutex_unlock(&errands->lock);
    return stats;
}
