/* store/postgres/history.c — the history of an instance, from any revision on or back.
 *
 * Rows are found by (instance, revision). They come in pieces, because libpq keeps a whole result in memory
 * beside the copy that the caller gets. Revisions count by one from row to row; otherwise the history is
 * broken.
 */
#include "store/limits.h"
#include "store/postgres/nodes_int.h"
#include "store/postgres/read_int.h"

/* How much is fetched at once. */
enum { PIECE_ROWS = 1000, PIECE_BYTES = 1 << 20 };

/* The revisions that are wanted, in order, and what has been taken of them. */
struct history_walk {
    uint64_t instance;
    uint32_t next; /* The revision that comes next… */
    size_t left;   /* … and how many are wanted from there on. */
    bool back;
    size_t bytes_max, bytes; /* reader_bound(), and what was taken. */
    struct arena *arena;
    struct history_row *row;
    size_t count, cap;
};

static enum status newest_of(struct postgres_db *db, uint64_t instance, uint32_t *ret_revision,
                             struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_id(&params, instance);
    TRY(postgres_ask(db, SQL_INSTANCE_HEAD, &params, &result, err));
    bool there = libpq.ntuples(result) > 0;
    if (there) *ret_revision = (uint32_t)postgres_number(result, 0, 0);
    libpq.clear(result);
    return there ? ST_OK : store_fail_no_instance(instance, err);
}

static bool is_full(const struct history_walk *walk)
{
    return walk->bytes_max && walk->bytes >= walk->bytes_max;
}

static enum status ask_piece(struct postgres_db *db, const struct history_walk *walk, PGresult **ret_result,
                             struct error *err)
{
    struct postgres_params params = { 0 };
    size_t rows = walk->left < PIECE_ROWS ? walk->left : PIECE_ROWS, bytes = PIECE_BYTES;
    if (walk->bytes_max && walk->bytes_max - walk->bytes < bytes) bytes = walk->bytes_max - walk->bytes;
    postgres_add_id(&params, walk->instance);
    postgres_add_number(&params, walk->back ? (int64_t)walk->next : (int64_t)walk->next - 1);
    postgres_add_limit(&params, rows);
    postgres_add_bound(&params, bytes);
    return postgres_ask(db, walk->back ? SQL_HISTORY_DOWN : SQL_HISTORY_UP, &params, ret_result, err);
}

static bool take_row(struct history_walk *walk, const PGresult *result, int row)
{
    if (postgres_number(result, row, 0) != walk->next) return false;
    array_reserve_in(walk->arena, walk->row, walk->count, walk->cap);
    struct history_row *taken = &walk->row[walk->count++];
    *taken = (struct history_row){ { walk->next, 0 }, postgres_bytes(result, row, 1, walk->arena) };
    walk->bytes += taken->blob.n;
    walk->next += walk->back ? UINT32_MAX : 1; /* One down, or up. */
    walk->left--;
    return true;
}

static enum status take_pieces(struct postgres_db *db, struct history_walk *walk, struct error *err)
{
    while (walk->left && !is_full(walk)) {
        PGresult *result;
        TRY(ask_piece(db, walk, &result, err));
        int count = libpq.ntuples(result), taken = 0;
        while (taken < count && take_row(walk, result, taken)) taken++;
        libpq.clear(result);
        if (!count || taken < count) return store_fail_broken_chain(walk->instance, err);
    }
    return ST_OK;
}

/* ---- oldest first ---- */

static enum status walk_on(struct postgres_db *db, struct history_walk *walk, uint32_t after, size_t max,
                           struct error *err)
{
    uint32_t newest;
    TRY(newest_of(db, walk->instance, &newest, err));
    if (newest <= after) return ST_OK;
    walk->next = after + 1;
    walk->left = newest - after;
    if (max && walk->left > max) walk->left = max;
    return take_pieces(db, walk, err);
}

enum status postgres_history_read(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                                  struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct history_walk walk = { .instance = instance, .bytes_max = reader->bytes_max, .arena = arena };
    TRY(postgres_begin_read(db, err));
    TRY(postgres_end_read(db, walk_on(db, &walk, after, max, err), err));
    str *blob = arena_make_n(arena, str, walk.count);
    for (size_t i = 0; i < walk.count; i++) blob[i] = walk.row[i].blob;
    *ret_blob = blob;
    *ret_count = walk.count;
    return ST_OK;
}

enum status postgres_next_history(struct store *base, uint64_t instance, uint32_t after, struct arena *arena,
                                  str **ret_blob, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, instance);
    postgres_add_number(&params, after);
    postgres_add_limit(&params, NEXT_HISTORY_MAX);
    postgres_add_bound(&params, PIECE_BYTES);
    TRY(postgres_query(postgres_self(base), SQL_HISTORY_UP, &params, &result, err));
    *ret_count = (size_t)libpq.ntuples(result);
    *ret_blob = arena_make_n(arena, str, *ret_count);
    for (size_t i = 0; i < *ret_count; i++) (*ret_blob)[i] = postgres_bytes(result, (int)i, 1, arena);
    libpq.clear(result);
    return ST_OK;
}

/* ---- newest first ---- */

/* Goes back to the first row that is old enough, at most HISTORY_WALKED_MAX rows; `*ret_there` says whether
 * it is at one. */
static enum status seek_time(struct postgres_db *db, struct history_walk *walk, int64_t upto_ms,
                             bool *ret_there, struct error *err)
{
    int64_t found;
    struct postgres_params params = { 0 };
    postgres_add_id(&params, walk->instance);
    postgres_add_number(&params, walk->next);
    postgres_add_number(&params, upto_ms);
    postgres_add_number(&params, HISTORY_WALKED_MAX);
    TRY(postgres_ask_number(db, SQL_HISTORY_OF_TIME, &params, &found, err));
    *ret_there = found > 0;
    if (found > 0) walk->next = (uint32_t)found;
    else walk->next = walk->next > HISTORY_WALKED_MAX ? walk->next - HISTORY_WALKED_MAX : 0;
    return ST_OK;
}

static enum status walk_back(struct postgres_db *db, struct history_walk *walk,
                             const struct history_filter *filter, struct error *err)
{
    bool there = true;
    TRY(newest_of(db, filter->instance, &walk->next, err));
    if (filter->from.revision && filter->from.revision < walk->next) walk->next = filter->from.revision;
    if (!walk->next || !filter->max) return ST_OK;
    if (filter->upto_ms < INT64_MAX) TRY(seek_time(db, walk, filter->upto_ms, &there, err));
    if (!there) return ST_OK;
    walk->left = walk->next < HISTORY_WALKED_MAX ? walk->next : HISTORY_WALKED_MAX;
    if (walk->left > filter->max) walk->left = filter->max;
    return take_pieces(db, walk, err);
}

enum status postgres_history_read_back(struct store_reader *reader, const struct history_filter *filter,
                                       struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                       struct history_place *ret_next, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct history_walk walk = {
        .instance = filter->instance, .back = true, .bytes_max = reader->bytes_max, .arena = arena
    };
    TRY(postgres_begin_read(db, err));
    TRY(postgres_end_read(db, walk_back(db, &walk, filter, err), err));
    *ret_row = walk.row;
    *ret_count = walk.count;
    *ret_next = (struct history_place){ walk.next, 0 };
    return ST_OK;
}
