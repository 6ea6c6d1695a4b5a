/* store/postgres/news.c — what nodes tell each other about their transactions.
 *
 * A transaction that tells something has a row, under the number of the transaction, which names the row
 * before it. So who has heard of one knows whether it has missed another. Rows of a node go after a while,
 * except for the newest, by which a node that was away long sees that it has missed some. A crash of the
 * server empties the table; it also ends our connection, and then something may be lost.
 */
#include "store/postgres/nodes_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <endian.h>
#include <stdlib.h>

enum { NEWS_KEPT_US = 10000000 }; /* So long at least, and not twice as long. */

/* ---- telling ---- */

/* A row has the texts of the transaction, each behind its length. */
enum status postgres_news_write(struct store *base, str text, struct error *err)
{
    (void)err;
    struct buf *told = &postgres_self(base)->news.told;
    must(text.n <= INT32_MAX);
    uint32_t length = htobe32((uint32_t)text.n);
    buf_add_str(told, (str){ (const char *)&length, sizeof length });
    buf_add_str(told, text);
    return ST_OK;
}

enum status postgres_send_news(struct postgres_store *store, struct error *err)
{
    struct postgres_params params = { 0 };
    if (!store->news.told.n) return ST_OK;
    postgres_add_number(&params, store->node);
    postgres_add_number(&params, store->turn + 1);
    postgres_add_number(&params, store->news.told_turn);
    postgres_add_bytes(&params, buf_str(&store->news.told));
    return postgres_send(&store->db, SQL_NEWS_TELL, &params, err);
}

enum status postgres_news_purge(struct postgres_store *store, struct error *err)
{
    struct postgres_news *news = &store->news;
    struct postgres_params params = { 0 };
    PGresult *result;
    int64_t now_us = clock_monotonic_us();
    if (now_us - news->purged_us < NEWS_KEPT_US) return ST_OK;
    postgres_add_number(&params, store->node);
    postgres_add_number(&params, news->older_turn);
    TRY(postgres_ask_again(&store->side, SQL_NEWS_PURGE, &params, &result, err));
    libpq.clear(result);
    news->older_turn = news->told_turn;
    news->purged_us = now_us;
    return ST_OK;
}

/* ---- reading ---- */

void postgres_news_done(struct postgres_news *news)
{
    buf_done(&news->told);
    free(news->heard);
}

/* The other nodes that are there, and their last transactions. */
enum status postgres_begin_news(struct postgres_store *store, int64_t node, struct error *err)
{
    struct postgres_news *news = &store->news;
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, node);
    TRY(postgres_ask_again(&store->side, SQL_NODE_TURNS, &params, &result, err));
    free(news->heard);
    news->heard_count = (size_t)libpq.ntuples(result);
    news->heard = calloc(news->heard_count + 1, sizeof *news->heard);
    must(news->heard);
    for (size_t i = 0; i < news->heard_count; i++)
        news->heard[i] =
            (struct postgres_heard){ postgres_number(result, (int)i, 0), postgres_number(result, (int)i, 1) };
    libpq.clear(result);
    news->told_turn = news->older_turn = 0;
    news->purged_us = clock_monotonic_us();
    news->connections = store->side.connections;
    return ST_OK;
}

static enum status ask_news(struct postgres_store *store, PGresult **ret_result, struct error *err)
{
    const struct postgres_news *news = &store->news;
    struct postgres_array node = { 0 }, turn = { 0 };
    struct postgres_params params = { 0 };
    for (size_t i = 0; i < news->heard_count; i++) {
        postgres_array_number(&node, news->heard[i].node);
        postgres_array_number(&turn, news->heard[i].turn);
    }
    postgres_add_array(&params, &node, 'I');
    postgres_add_array(&params, &turn, 'I');
    postgres_add_number(&params, store->node);
    postgres_add_number(&params, HEARD_BYTES_MAX);
    enum status status = postgres_ask_again(&store->side, SQL_NEWS_HEAR, &params, ret_result, err);
    postgres_array_done(&node);
    postgres_array_done(&turn);
    return status;
}

/* The last turn that we know of a node; a new one has told nothing that we know. */
static int64_t turn_of(const struct postgres_news *news, int64_t node, size_t *known)
{
    for (size_t i = 0; i < news->heard_count; i++) {
        if (news->heard[i].node != node) continue;
        ++*known;
        return news->heard[i].turn;
    }
    return 0;
}

/* Collects an answer. */
struct news_reading {
    struct arena *arena;
    str *text;
    size_t count, cap;
    struct postgres_heard *heard;
    size_t heard_count;
    size_t known; /* How many of the nodes that we knew are still there. */
    bool lost;
};

static void add_texts(struct news_reading *reading, str row)
{
    uint32_t length;
    while (row.n >= sizeof length) {
        memcpy(&length, row.p, sizeof length);
        length = be32toh(length);
        row = str_slice(row, sizeof length, row.n);
        if (length > row.n) return;
        array_reserve_in(reading->arena, reading->text, reading->count, reading->cap);
        reading->text[reading->count++] = arena_str(reading->arena, str_slice(row, 0, length));
        row = str_slice(row, length, row.n);
    }
}

static void read_row(struct news_reading *reading, const struct postgres_news *news, const PGresult *result,
                     int row)
{
    int64_t node = postgres_number(result, row, 0);
    struct postgres_heard *last = reading->heard_count ? &reading->heard[reading->heard_count - 1] : NULL;
    if (!last || last->node != node) {
        last = &reading->heard[reading->heard_count++];
        *last = (struct postgres_heard){ node, turn_of(news, node, &reading->known) };
    }
    /* A text that is left out comes the next time, with all behind it. */
    if (postgres_is_null(result, row, 1) || postgres_is_null(result, row, 3)) return;
    if (postgres_number(result, row, 2) > last->turn) reading->lost = true;
    last->turn = postgres_number(result, row, 1);
    add_texts(reading, postgres_borrowed(result, row, 3));
}

/* A node that was forgotten has taken its news with it. */
static void keep(struct postgres_store *store, const struct news_reading *reading, bool *ret_lost)
{
    struct postgres_news *news = &store->news;
    *ret_lost =
        reading->lost || reading->known < news->heard_count || news->connections != store->side.connections;
    free(news->heard);
    news->heard = reading->heard;
    news->heard_count = reading->heard_count;
    news->connections = store->side.connections;
}

enum status postgres_news_read(struct store *base, struct arena *arena, str **ret_text, size_t *ret_count,
                               bool *ret_lost, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct news_reading reading = { .arena = arena };
    PGresult *result;
    TRY(ask_news(store, &result, err));
    int rows = libpq.ntuples(result);
    reading.heard = calloc((size_t)rows + 1, sizeof *reading.heard);
    must(reading.heard);
    for (int i = 0; i < rows; i++) read_row(&reading, &store->news, result, i);
    libpq.clear(result);
    keep(store, &reading, ret_lost);
    *ret_text = reading.text;
    *ret_count = reading.count;
    return ST_OK;
}
