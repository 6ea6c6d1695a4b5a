/* store/postgres/node_messages_thread.c — the thread that carries node messages and notices to the database
 * and back.
 *
 *     outbox ──► batch ──► rows of `errand` + NOTIFY ──► the other node's thread ──► its inbox
 *     notice ──► our row of `notice` + NOTIFY
 *
 * A batch whose answer is lost is sent once more. A node that takes node messages knows the highest number
 * that it has of each node, and drops the node messages that it has already. Rows are removed when they are
 * in the inbox, together with the next look: if the connection is lost in between, they are read again and
 * dropped by their numbers.
 *
 * Under a new number we are a stranger, and a repetition would be taken for a new node message. So a node
 * message is sent under the number that we had when it was accepted, or not at all.
 *
 * NOTIFY wakes the thread; it also looks by itself, because a connection that was lost has heard nothing.
 */
#include "store/postgres/node_messages_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "base/thread.h"

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
    CLOSE_US = 1000000, /* So long the last node messages may take. */
};

struct node_message_post *node_messages_new_post(int64_t node, uint64_t number, size_t mark_bytes, str text)
{
    struct node_message_post *post = malloc(sizeof *post + mark_bytes + text.n);
    must(post);
    *post = (struct node_message_post){ .node = node, .number = number, .bytes = mark_bytes + text.n };
    if (text.n) memcpy(post->text + mark_bytes, text.p, text.n);
    return post;
}

/* ---- connecting ---- */

static enum status listen_as(struct node_messages *node_messages, int64_t node, struct error *err)
{
    char sql[96];
    snprintf(sql, sizeof sql, "UNLISTEN *;LISTEN pawl_notice;LISTEN pawl_errand_%" PRId64, node);
    TRY(postgres_exec(&node_messages->db, sql, err));
    node_messages->listens = node;
    node_messages->must_take = node_messages->must_hear = true;
    return ST_OK;
}

/* Under a new number we are a new node, and a new connection may have missed something. A database that has
 * crashed has lost our notice. */
static enum status be_connected(struct node_messages *node_messages, struct error *err)
{
    int64_t node = atomic_load(&node_messages->node);
    if (!node_messages->db.conn) {
        node_messages->listens = 0;
        node_messages->told_as = 0;
        node_messages->db.node = node;
        node_messages->tried_us = clock_monotonic_us();
        TRY(postgres_db_connect(&node_messages->db, err));
    }
    return node_messages->listens == node ? ST_OK : listen_as(node_messages, node, err);
}

static void note_notifications(struct node_messages *node_messages)
{
    PGnotify *heard;
    while (node_messages->db.conn && (heard = libpq.notifies(node_messages->db.conn)) != NULL) {
        if (strcmp(heard->relname, "pawl_notice") == 0) node_messages->must_hear = true;
        else node_messages->must_take = true;
        libpq.freemem(heard);
    }
}

/* ---- sending ---- */

/* A batch of a former number has perhaps arrived, although its answer was lost. */
static void drop_former_batch(struct node_messages *node_messages)
{
    struct node_message_post *post;
    if (!node_messages->batch.first || node_messages->batch.first->as == node_messages->listens) return;
    pthread_mutex_lock(&node_messages->lock);
    node_messages->stats.expired += node_messages->batch.count;
    pthread_mutex_unlock(&node_messages->lock);
    while ((post = node_messages_first_post(&node_messages->batch)) != NULL) free(post);
}

/* Node messages whose time is up are not sent, nor are those of a former number. Node messages of a number
 * under which we do not listen yet wait until we do, so all node messages of a batch have the same number. */
static void fill_batch(struct node_messages *node_messages)
{
    int64_t now_us = clock_monotonic_us();
    struct node_message_box *outbox = &node_messages->outbox, *batch = &node_messages->batch;
    pthread_mutex_lock(&node_messages->lock);
    bool is_known = node_messages->listens == atomic_load(&node_messages->node);
    while (is_known && outbox->first && batch->count < NODE_MESSAGES_SENT_MAX &&
           (!batch->count || batch->bytes + outbox->first->bytes <= NODE_MESSAGES_SENT_BYTES_MAX)) {
        struct node_message_post *post = node_messages_first_post(outbox);
        if (post->as == node_messages->listens && now_us < post->until_us) {
            node_messages_add_post(batch, post);
            continue;
        }
        node_messages->stats.expired++;
        free(post);
    }
    pthread_mutex_unlock(&node_messages->lock);
}

static enum status mark_post(struct node_messages *node_messages, struct node_message_post *post,
                             struct error *err)
{
    const struct node_message_place place = { post->as, post->node, post->number };
    str text = { post->text + NODE_MESSAGE_MARK_BYTES, post->bytes - NODE_MESSAGE_MARK_BYTES };
    return node_messages_mark(node_messages, place, text, post->text, err);
}

static enum status send_batch(struct node_messages *node_messages, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < COUNT(node_messages->column); i++) postgres_array_clear(&node_messages->column[i]);
    for (struct node_message_post *at = node_messages->batch.first; at; at = at->next) {
        TRY(mark_post(node_messages, at, err));
        postgres_array_number(&node_messages->column[0], at->node);
        postgres_array_number(&node_messages->column[1], (int64_t)at->number);
        postgres_array_number(&node_messages->column[2], at->keep_ms);
        postgres_array_bytes(&node_messages->column[3], (str){ at->text, at->bytes });
    }
    postgres_add_number(&params, node_messages->listens);
    postgres_add_array(&params, &node_messages->column[0], 'I');
    postgres_add_array(&params, &node_messages->column[1], 'I');
    postgres_add_array(&params, &node_messages->column[2], 'I');
    postgres_add_array(&params, &node_messages->column[3], 'B');
    TRY(postgres_ask(&node_messages->db, SQL_NODE_MESSAGE_SEND, &params, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* A large one leaves no large block behind. */
static void end_batch(struct node_messages *node_messages)
{
    bool was_large = node_messages->batch.bytes > NODE_MESSAGES_SENT_BYTES_MAX / 8;
    pthread_mutex_lock(&node_messages->lock);
    node_messages->stats.sent += node_messages->batch.count;
    pthread_mutex_unlock(&node_messages->lock);
    for (struct node_message_post *post; (post = node_messages_first_post(&node_messages->batch)) != NULL;)
        free(post);
    if (was_large)
        postgres_array_done(&node_messages->column[3]),
            node_messages->column[3] = (struct postgres_array){ 0 };
    node_messages->wake(node_messages->context);
}

static enum status send_all(struct node_messages *node_messages, struct error *err)
{
    for (;;) {
        drop_former_batch(node_messages);
        if (!node_messages->batch.first) fill_batch(node_messages);
        if (!node_messages->batch.first) return ST_OK;
        TRY(send_batch(node_messages, err));
        end_batch(node_messages);
    }
}

/* ---- taking ---- */

/* True: it is new. A number is forgotten with our process only, so that nobody can bring back the row of a
 * node that is long gone; each start of another node costs one entry. */
static bool note_seen(struct node_messages *node_messages, int64_t node, uint64_t number)
{
    if (number <= (uintptr_t)map_get(&node_messages->seen, (uint64_t)node)) return false;
    map_put(&node_messages->seen, (uint64_t)node, (void *)(uintptr_t)number);
    return true;
}

/* NULL: it is no message, or we have it. */
static struct node_message_post *read_taken(struct node_messages *node_messages, const PGresult *result,
                                            int row)
{
    const struct node_message_place place = { postgres_number(result, row, 1), node_messages->listens,
                                              postgres_id(result, row, 2) };
    str text;
    enum node_message_doubt doubt =
        node_messages_unmark(node_messages, place, postgres_borrowed(result, row, 3), &text);
    if (doubt == NODE_MESSAGE_BELIEVED)
        return note_seen(node_messages, place.sender, place.number)
                   ? node_messages_new_post(place.sender, place.number, 0, text)
                   : NULL;
    pthread_mutex_lock(&node_messages->lock);
    node_messages_note_doubt(node_messages, place.sender, doubt);
    pthread_mutex_unlock(&node_messages->lock);
    return NULL;
}

/* Returns whether there may be more. */
static bool keep_taken(struct node_messages *node_messages, const PGresult *result)
{
    int rows = libpq.ntuples(result), new = 0;
    postgres_array_clear(&node_messages->taken);
    for (int i = 0; i < rows && !postgres_is_null(result, i, 3); i++) {
        postgres_array_number(&node_messages->taken, postgres_number(result, i, 0));
        struct node_message_post *post = read_taken(node_messages, result, i);
        if (!post) continue;
        pthread_mutex_lock(&node_messages->lock);
        node_messages_add_post(&node_messages->inbox, post);
        node_messages->stats.taken++;
        pthread_mutex_unlock(&node_messages->lock);
        new ++;
    }
    if (new) node_messages->wake(node_messages->context);
    return rows > 0;
}

static enum status take_all(struct node_messages *node_messages, struct error *err)
{
    bool more = true, is_full = false;
    node_messages->must_take = false;
    while (more && !is_full) {
        struct postgres_params params = { 0 };
        PGresult *result;
        postgres_add_number(&params, node_messages->listens);
        postgres_add_array(&params, &node_messages->taken, 'I');
        postgres_add_number(&params, NODE_MESSAGES_SENT_MAX);
        postgres_add_number(&params, NODE_MESSAGES_SENT_BYTES_MAX);
        TRY(postgres_ask(&node_messages->db, SQL_NODE_MESSAGE_TAKE, &params, &result, err));
        more = keep_taken(node_messages, result);
        libpq.clear(result);
        pthread_mutex_lock(&node_messages->lock);
        is_full = node_messages->inbox.bytes >= NODE_MESSAGES_BYTES_MAX;
        pthread_mutex_unlock(&node_messages->lock);
        if (more && is_full) node_messages->must_take = true;
    }
    return ST_OK;
}

/* ---- notices ---- */

static enum status tell(struct node_messages *node_messages, struct error *err)
{
    struct postgres_params params = { 0 };
    char mark[NODE_MESSAGE_MARK_BYTES] = { 0 };
    struct buf text;
    PGresult *result;
    buf_init(&text, NULL);
    buf_add(&text, mark, sizeof mark);
    pthread_mutex_lock(&node_messages->lock);
    uint64_t number = node_messages->notice_number;
    bool is_due =
        number && (node_messages->told != number || node_messages->told_as != node_messages->listens);
    if (is_due) buf_add_str(&text, buf_str(&node_messages->notice));
    pthread_mutex_unlock(&node_messages->lock);
    if (!is_due) {
        buf_done(&text);
        return ST_OK;
    }
    const struct node_message_place place = { node_messages->listens, 0, number };
    enum status status =
        node_messages_mark(node_messages, place, str_slice(buf_str(&text), sizeof mark, text.n), mark, err);
    memcpy(text.p, mark, sizeof mark);
    postgres_add_number(&params, node_messages->listens);
    postgres_add_number(&params, (int64_t)number);
    postgres_add_bytes(&params, buf_str(&text));
    if (status == ST_OK) status = postgres_ask(&node_messages->db, SQL_NOTICE_TELL, &params, &result, err);
    buf_done(&text);
    TRY(status);
    libpq.clear(result);
    node_messages->told_as = node_messages->listens;
    pthread_mutex_lock(&node_messages->lock);
    node_messages->told = number;
    pthread_mutex_unlock(&node_messages->lock);
    node_messages->wake(node_messages->context);
    return ST_OK;
}

/* Our notice stays for long, and a node that joins after a rekey does not know the key of its proof: it is
 * told again, as another one. */
static enum status note_new_key(struct node_messages *node_messages, struct error *err)
{
    char mark[NODE_MESSAGE_MARK_BYTES];
    TRY(node_messages_mark(node_messages, (struct node_message_place){ 0 }, STR_NONE, mark, err));
    if (memcmp(mark, node_messages->key_mark, sizeof mark) == 0) return ST_OK;
    memcpy(node_messages->key_mark, mark, sizeof mark);
    pthread_mutex_lock(&node_messages->lock);
    if (node_messages->notice_number) node_messages->notice_number++;
    pthread_mutex_unlock(&node_messages->lock);
    return ST_OK;
}

static struct node_message_heard *find_heard(struct node_messages *node_messages, int64_t node)
{
    for (size_t i = 0; i < node_messages->heard_count; i++)
        if (node_messages->heard[i].node == node) return &node_messages->heard[i];
    return NULL;
}

/* Under the lock. A notice that is not believed leaves its node known, and without a text. */
static void judge_heard(struct node_messages *node_messages, struct node_message_heard *heard, str row)
{
    const struct node_message_place place = { heard->node, 0, (uint64_t)heard->version };
    str text;
    enum node_message_doubt doubt = node_messages_unmark(node_messages, place, row, &text);
    if (doubt == NODE_MESSAGE_BELIEVED && heard->version < heard->proven) doubt = NODE_MESSAGE_OLD;
    heard->is_proven = doubt == NODE_MESSAGE_BELIEVED;
    heard->text.n = 0;
    if (!heard->is_proven) {
        node_messages_note_doubt(node_messages, heard->node, doubt);
        return;
    }
    heard->proven = heard->version;
    buf_add_str(&heard->text, text);
}

/* Under the lock. A text that the row does not have is the one that we know. */
static void keep_heard(struct node_messages *node_messages, const PGresult *result)
{
    size_t count = (size_t)libpq.ntuples(result), kept = 0;
    struct node_message_heard *heard = calloc(count + 1, sizeof *heard);
    must(heard);
    for (size_t i = 0; i < count; i++) {
        struct node_message_heard *known = find_heard(node_messages, postgres_number(result, (int)i, 0));
        if (known) {
            heard[i] = *known;
            buf_init(&known->text, NULL);
            kept++;
        }
        heard[i].node = postgres_number(result, (int)i, 0);
        if (postgres_is_null(result, (int)i, 2)) continue;
        heard[i].version = postgres_number(result, (int)i, 1);
        heard[i].is_new = node_messages->has_heard = true;
        judge_heard(node_messages, &heard[i], postgres_borrowed(result, (int)i, 2));
    }
    if (kept < node_messages->heard_count) node_messages->has_heard = true;
    for (size_t i = 0; i < node_messages->heard_count; i++) buf_done(&node_messages->heard[i].text);
    free(node_messages->heard);
    node_messages->heard = heard;
    node_messages->heard_count = count;
}

static enum status hear(struct node_messages *node_messages, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_array_clear(&node_messages->column[0]);
    postgres_array_clear(&node_messages->column[1]);
    pthread_mutex_lock(&node_messages->lock);
    uint64_t look = node_messages->look_asked;
    pthread_mutex_unlock(&node_messages->lock);
    for (size_t i = 0; i < node_messages->heard_count; i++) { /* Only this thread changes them. */
        postgres_array_number(&node_messages->column[0], node_messages->heard[i].node);
        postgres_array_number(&node_messages->column[1], node_messages->heard[i].version);
    }
    postgres_add_array(&params, &node_messages->column[0], 'I');
    postgres_add_array(&params, &node_messages->column[1], 'I');
    postgres_add_number(&params, node_messages->listens);
    node_messages->must_hear = false;
    TRY(postgres_ask(&node_messages->db, SQL_NOTICE_HEAR, &params, &result, err));
    pthread_mutex_lock(&node_messages->lock);
    keep_heard(node_messages, result);
    bool is_awaited = node_messages->has_heard || node_messages->looked < look;
    node_messages->looked = look;
    pthread_mutex_unlock(&node_messages->lock);
    libpq.clear(result);
    if (is_awaited) node_messages->wake(node_messages->context);
    return ST_OK;
}

static bool is_look_asked(struct node_messages *node_messages)
{
    pthread_mutex_lock(&node_messages->lock);
    bool asked = node_messages->looked < node_messages->look_asked;
    pthread_mutex_unlock(&node_messages->lock);
    return asked;
}

/* ---- the thread ---- */

static int64_t look_pause_us(const struct node_messages *node_messages)
{
    return node_messages->heard_count ? LOOK_US : LOOK_ALONE_US;
}

static enum status purge(struct node_messages *node_messages, int64_t now_us, struct error *err)
{
    PGresult *result;
    node_messages->purged_us = now_us;
    TRY(postgres_ask(&node_messages->db, SQL_NODE_MESSAGE_PURGE, NULL, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* One round: what waits goes out first, because somebody waits for it. */
static enum status go_round(struct node_messages *node_messages, struct error *err)
{
    int64_t now_us = clock_monotonic_us();
    bool is_time = now_us - node_messages->looked_us >= look_pause_us(node_messages);
    TRY(be_connected(node_messages, err));
    TRY(send_all(node_messages, err));
    if (is_time) TRY(note_new_key(node_messages, err));
    TRY(tell(node_messages, err));
    note_notifications(node_messages);
    if (is_time) node_messages->looked_us = now_us;
    if (is_time || node_messages->must_hear || is_look_asked(node_messages)) TRY(hear(node_messages, err));
    if (is_time || node_messages->must_take) TRY(take_all(node_messages, err));
    if (now_us - node_messages->purged_us >= PURGE_US) TRY(purge(node_messages, now_us, err));
    return ST_OK;
}

/* Is there something to do at once? */
static bool is_due(struct node_messages *node_messages)
{
    note_notifications(node_messages);
    pthread_mutex_lock(&node_messages->lock);
    bool due = node_messages->outbox.first || node_messages->looked < node_messages->look_asked ||
               node_messages->told != node_messages->notice_number;
    bool is_full = node_messages->inbox.bytes >= NODE_MESSAGES_BYTES_MAX;
    pthread_mutex_unlock(&node_messages->lock);
    return due || node_messages->must_hear || (node_messages->must_take && !is_full);
}

static void wait_for_event(struct node_messages *node_messages, int64_t pause_us)
{
    uint64_t count;
    struct pollfd ready[] = {
        { .fd = node_messages->event, .events = POLLIN },
        { .fd = node_messages->db.conn ? libpq.socket(node_messages->db.conn) : -1, .events = POLLIN },
    };
    if (poll(ready, COUNT(ready), (int)((pause_us + 999) / 1000)) <= 0) return;
    if (ready[0].revents && read(node_messages->event, &count, sizeof count) < 0) return;
    if (ready[1].revents && !libpq.consumeInput(node_messages->db.conn))
        postgres_disconnect(&node_messages->db);
}

/* The remaining node messages are sent, and our notice goes. */
static void say_goodbye(struct node_messages *node_messages)
{
    struct postgres_params params = { 0 };
    struct error err;
    PGresult *result;
    int64_t until_us = clock_monotonic_us() + CLOSE_US;
    while (node_messages->db.conn && (node_messages->outbox.first || node_messages->batch.first) &&
           clock_monotonic_us() < until_us)
        if (be_connected(node_messages, &err) != ST_OK || send_all(node_messages, &err) != ST_OK) break;
    if (!node_messages->db.conn || !node_messages->listens) return;
    postgres_add_number(&params, node_messages->listens);
    if (postgres_ask(&node_messages->db, SQL_NOTICE_REMOVE, &params, &result, &err) == ST_OK)
        libpq.clear(result);
}

void *node_messages_run(void *context)
{
    struct node_messages *node_messages = context;
    thread_name("node messages");
    while (!atomic_load(&node_messages->stops)) {
        struct error err;
        int64_t pause_us = LOOK_US, now_us = clock_monotonic_us();
        if (node_messages->db.conn || now_us - node_messages->tried_us >= CONNECT_PAUSE_US) {
            bool is_well = go_round(node_messages, &err) == ST_OK;
            if (is_well && is_due(node_messages)) pause_us = 0;
        }
        if (pause_us) wait_for_event(node_messages, pause_us);
    }
    say_goodbye(node_messages);
    return NULL;
}
