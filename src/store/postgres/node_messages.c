/* store/postgres/node_messages.c — node messages and notices between nodes, as seen by those who use them:
 * boxes that node_messages_thread.c fills and empties. */
#include "store/postgres/node_messages_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void poke(struct node_messages *node_messages)
{
    uint64_t one = 1;
    /* A counter that is full has been noticed as well. */
    while (write(node_messages->event, &one, sizeof one) < 0 && errno == EINTR) continue;
}

static void empty(struct node_message_box *box)
{
    for (struct node_message_post *post; (post = node_messages_first_post(box)) != NULL;) free(post);
}

/* ---- opening and closing ---- */

/* The first mark makes the key, if there is none. A node that has none goes on without other nodes. */
static void try_proofs(struct node_messages *node_messages)
{
    struct error err;
    node_messages_mark(node_messages, (struct node_message_place){ 0 }, STR_NONE, node_messages->key_mark,
                       &err);
}

enum status postgres_node_messages_open(struct store *base, const struct node_message_proofs *proofs,
                                        store_wake_fn *wake, void *context,
                                        struct node_messages **ret_node_messages, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct node_messages *node_messages = calloc(1, sizeof *node_messages);
    must(node_messages);
    node_messages->store = store;
    node_messages->proofs = *proofs;
    enum status status = node_messages_identify(node_messages, err);
    if (status != ST_OK) {
        free(node_messages);
        return status;
    }
    map_init(&node_messages->seen);
    node_messages->wake = wake;
    node_messages->context = context;
    node_messages->tried_us = node_messages->purged_us = INT64_MIN / 2;
    atomic_init(&node_messages->node, store->node);
    postgres_db_init(&node_messages->db, store->db.conninfo, POSTGRES_NODE_MESSAGES);
    node_messages->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must(node_messages->event >= 0);
    must(pthread_mutex_init(&node_messages->lock, NULL) == 0);
    try_proofs(node_messages);
    store->node_messages = node_messages;
    must(pthread_create(&node_messages->thread, NULL, node_messages_run, node_messages) == 0);
    *ret_node_messages = node_messages;
    return ST_OK;
}

void node_messages_close(struct node_messages *node_messages)
{
    if (!node_messages) return;
    atomic_store(&node_messages->stops, true);
    poke(node_messages);
    pthread_join(node_messages->thread, NULL);
    node_messages->store->node_messages = NULL;
    postgres_db_done(&node_messages->db);
    empty(&node_messages->outbox);
    empty(&node_messages->inbox);
    empty(&node_messages->batch);
    for (size_t i = 0; i < node_messages->heard_count; i++) buf_done(&node_messages->heard[i].text);
    free(node_messages->heard);
    buf_done(&node_messages->notice);
    map_done(&node_messages->seen);
    postgres_array_done(&node_messages->taken);
    for (size_t i = 0; i < COUNT(node_messages->column); i++) postgres_array_done(&node_messages->column[i]);
    pthread_mutex_destroy(&node_messages->lock);
    close(node_messages->event);
    free(node_messages);
}

int64_t node_messages_node(const struct node_messages *node_messages)
{
    return atomic_load(&node_messages->node);
}

void postgres_node_messages_rename(struct node_messages *node_messages, int64_t node)
{
    pthread_mutex_lock(&node_messages->lock);
    atomic_store(&node_messages->node, node);
    for (size_t i = 0; i < node_messages->heard_count; i++) node_messages->heard[i].is_new = true;
    node_messages->has_heard = true;
    pthread_mutex_unlock(&node_messages->lock);
    poke(node_messages);
    node_messages->wake(node_messages->context);
}

/* ---- node messages ---- */

enum status node_messages_send(struct node_messages *node_messages, int64_t node, str text, int64_t keep_ms,
                               struct error *err)
{
    enum status status = ST_OK;
    pthread_mutex_lock(&node_messages->lock);
    if (text.n > NODE_MESSAGE_BYTES_MAX)
        status = fail(err, ST_LIMIT, "message",
                      "%zu bytes for another node; the most is %d (NODE_MESSAGE_BYTES_MAX)", text.n,
                      NODE_MESSAGE_BYTES_MAX);
    else if (node_messages->outbox.count >= NODE_MESSAGES_MAX ||
             (node_messages->outbox.count && node_messages->outbox.bytes + text.n > NODE_MESSAGES_BYTES_MAX))
        status = fail(err, ST_OVERLOAD, "message", "%zu messages for other nodes wait, as many as may",
                      node_messages->outbox.count);
    else if (node_messages->unproven.status != ST_OK)
        status = fail(err, ST_STORE, "message", "this node cannot prove itself to others: %s",
                      node_messages->unproven.message);
    if (status == ST_OK) {
        struct node_message_post *post =
            node_messages_new_post(node, ++node_messages->number, NODE_MESSAGE_MARK_BYTES, text);
        post->as = atomic_load(&node_messages->node);
        post->keep_ms = keep_ms;
        post->until_us = clock_monotonic_us() + keep_ms * 1000;
        node_messages_add_post(&node_messages->outbox, post);
    } else {
        node_messages->stats.refused++;
    }
    pthread_mutex_unlock(&node_messages->lock);
    if (status == ST_OK) poke(node_messages);
    return status;
}

bool node_messages_has_room(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    bool has = node_messages->outbox.count < NODE_MESSAGES_MAX / 2 &&
               node_messages->outbox.bytes < NODE_MESSAGES_BYTES_MAX / 2;
    pthread_mutex_unlock(&node_messages->lock);
    return has;
}

bool node_messages_take(struct node_messages *node_messages, struct arena *arena,
                        struct node_message *ret_node_message)
{
    pthread_mutex_lock(&node_messages->lock);
    bool was_full = node_messages->inbox.bytes >= NODE_MESSAGES_BYTES_MAX;
    struct node_message_post *post = node_messages_first_post(&node_messages->inbox);
    was_full &= node_messages->inbox.bytes < NODE_MESSAGES_BYTES_MAX;
    pthread_mutex_unlock(&node_messages->lock);
    if (was_full) poke(node_messages); /* It may read on. */
    if (!post) return false;
    *ret_node_message = (struct node_message){ .from = post->node,
                                               .text = arena_str(arena, (str){ post->text, post->bytes }) };
    free(post);
    return true;
}

/* ---- notices ---- */

uint64_t node_messages_tell(struct node_messages *node_messages, str text)
{
    pthread_mutex_lock(&node_messages->lock);
    node_messages->notice.n = 0;
    buf_add_str(&node_messages->notice, text);
    uint64_t number = ++node_messages->notice_number;
    pthread_mutex_unlock(&node_messages->lock);
    poke(node_messages);
    return number;
}

uint64_t node_messages_told(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    uint64_t told = node_messages->told;
    pthread_mutex_unlock(&node_messages->lock);
    return told;
}

uint64_t node_messages_look(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    uint64_t look = ++node_messages->look_asked;
    pthread_mutex_unlock(&node_messages->lock);
    poke(node_messages);
    return look;
}

uint64_t node_messages_looked(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    uint64_t looked = node_messages->looked;
    pthread_mutex_unlock(&node_messages->lock);
    return looked;
}

bool node_messages_heard(struct node_messages *node_messages, struct arena *arena,
                         struct node_message_notice **ret_notice, size_t *ret_count)
{
    pthread_mutex_lock(&node_messages->lock);
    bool changed = node_messages->has_heard;
    node_messages->has_heard = false;
    size_t count = changed ? node_messages->heard_count : 0;
    struct node_message_notice *notice =
        changed ? arena_make_n(arena, struct node_message_notice, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct node_message_heard *heard = &node_messages->heard[i];
        notice[i] = (struct node_message_notice){ .node = heard->node,
                                                  .is_new = heard->is_new,
                                                  .is_proven = heard->is_proven };
        if (heard->is_new) notice[i].text = arena_str(arena, buf_str(&heard->text));
        heard->is_new = false;
    }
    pthread_mutex_unlock(&node_messages->lock);
    *ret_notice = notice;
    *ret_count = count;
    return changed;
}

struct node_messages_stats node_messages_stats(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    struct node_messages_stats stats = node_messages->stats;
    stats.waiting = node_messages->outbox.count;
    pthread_mutex_unlock(&node_messages->lock);
    return stats;
}
