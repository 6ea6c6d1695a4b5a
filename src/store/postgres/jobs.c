/* store/postgres/jobs.c — jobs that have rows: offered to any node, or claimed by one.
 *
 * Rows of a changeset go with the writer's transaction. Everything else is one statement of the side
 * connection. A statement that meets rows which somebody changes waits for them shortly (connect.c), except
 * that a claim leaves them alone.
 */
#include "store/postgres/nodes_int.h"

#include "base/hash.h"

enum {
    OFFER_COLUMNS = 6,
    PRIORITY_HIGHEST = 10, /* JOB_CLAIM looks at each of them. */
};

/* ---- rows ---- */

static int64_t priority_of(const struct job_row *row)
{
    return row->priority < 0 ? 0 : row->priority > PRIORITY_HIGHEST ? PRIORITY_HIGHEST : row->priority;
}

static uint64_t key_of(const struct job_row *row)
{
    uint64_t part[2] = { row->instance, row->number };
    return hash_bytes((str){ (const char *)part, sizeof part });
}

static void put_number(struct postgres_array *column, int64_t number)
{
    if (number) postgres_array_number(column, number);
    else postgres_array_null(column);
}

/* The columns of a job that is offered. */
static void put_offer(struct postgres_array column[OFFER_COLUMNS], const struct job_row *row)
{
    postgres_array_number(&column[0], (int64_t)row->instance);
    postgres_array_number(&column[1], row->number);
    postgres_array_bytes(&column[2], row->queue);
    postgres_array_number(&column[3], priority_of(row));
    postgres_array_number(&column[4], row->available_ms);
    postgres_array_number(&column[5], row->delivery);
}

/* JOB_COLUMNS, from that column on. */
static struct job_row row_of(const PGresult *result, int row, int column, struct arena *arena)
{
    return (struct job_row){
        .instance = postgres_id(result, row, column),
        .number = (uint32_t)postgres_number(result, row, column + 1),
        .queue = postgres_bytes(result, row, column + 2, arena),
        .priority = (int32_t)postgres_number(result, row, column + 3),
        .available_ms = postgres_number(result, row, column + 4),
        .delivery = (uint8_t)postgres_number(result, row, column + 5),
        .claimed = postgres_number(result, row, column + 6),
        .lease_ms = postgres_number(result, row, column + 7),
        .worker = postgres_bytes(result, row, column + 8, arena),
        .locked_ms = postgres_number(result, row, column + 9),
        .until_ms = postgres_number(result, row, column + 10),
    };
}

/* ---- a changeset's ---- */

enum status postgres_add_job(struct postgres_store *store, const struct job_row *row, struct error *err)
{
    struct postgres_set *set;
    TRY(postgres_row(store, SQL_JOB_PUT, SQL_JOB_DELETE, key_of(row), &set, err));
    put_offer(set->column, row);
    put_number(&set->column[6], row->claimed);
    put_number(&set->column[7], row->lease_ms);
    return ST_OK;
}

enum status postgres_remove_job(struct postgres_store *store, const struct job_row *row, struct error *err)
{
    struct postgres_set *set;
    TRY(postgres_row(store, SQL_JOB_DELETE, SQL_JOB_DELETE, key_of(row), &set, err));
    postgres_array_number(&set->column[0], (int64_t)row->instance);
    postgres_array_number(&set->column[1], row->number);
    return ST_OK;
}

/* ---- finding and claiming ---- */

enum status postgres_offered(struct store *base, size_t counted_max, size_t max, struct arena *arena,
                             struct offered_queue **ret_queue, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_count(&params, counted_max);
    postgres_add_count(&params, max);
    TRY(postgres_ask(&postgres_self(base)->side, SQL_JOBS_OFFERED, &params, &result, err));
    *ret_count = (size_t)libpq.ntuples(result);
    *ret_queue = arena_make_n(arena, struct offered_queue, *ret_count);
    for (size_t i = 0; i < *ret_count; i++)
        (*ret_queue)[i] = (struct offered_queue){ .queue = postgres_bytes(result, (int)i, 0, arena),
                                                  .count = (size_t)postgres_number(result, (int)i, 1),
                                                  .oldest_ms = postgres_number(result, (int)i, 2) };
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_find_job(struct store *base, uint64_t instance, uint32_t number, struct arena *arena,
                              struct job_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, instance);
    postgres_add_number(&params, number);
    TRY(postgres_query(postgres_self(base), SQL_JOB, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_row = row_of(result, 0, 0, arena);
    libpq.clear(result);
    return found ? ST_OK : fail(err, ST_NOT_FOUND, "job", "the job has no row");
}

enum status postgres_jobs_of(struct store *base, const uint64_t *instance, size_t count, struct arena *arena,
                             struct job_row **ret_row, size_t *ret_count, struct error *err)
{
    struct postgres_array ids = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < count; i++) postgres_array_number(&ids, (int64_t)instance[i]);
    postgres_add_array(&params, &ids, 'I');
    enum status status = postgres_query(postgres_self(base), SQL_JOBS_OF, &params, &result, err);
    postgres_array_done(&ids);
    TRY(status);
    *ret_count = (size_t)libpq.ntuples(result);
    *ret_row = arena_make_n(arena, struct job_row, *ret_count);
    for (size_t i = 0; i < *ret_count; i++) (*ret_row)[i] = row_of(result, (int)i, 0, arena);
    libpq.clear(result);
    return ST_OK;
}

/* Gives back what a claim took whose answer was lost. The first statement waits for its end, so that the
 * second one sees it. */
static enum status undo_lost_claim(struct postgres_store *store, struct error *err)
{
    struct postgres_params epoch = { 0 }, claim = { 0 };
    PGresult *result;
    if (!store->lost_claim) return ST_OK;
    postgres_add_number(&epoch, store->node);
    postgres_add_number(&epoch, store->epoch + 1);
    postgres_add_number(&claim, store->node);
    postgres_add_number(&claim, store->lost_claim);
    TRY(postgres_ask_again(&store->side, SQL_NODE_EPOCH, &epoch, &result, err));
    libpq.clear(result);
    TRY(postgres_ask_again(&store->side, SQL_JOB_UNCLAIM, &claim, &result, err));
    libpq.clear(result);
    store->epoch++;
    store->lost_claim = 0;
    return ST_OK;
}

static enum status ask_claims(struct postgres_store *store, const struct job_claim *claim, size_t claim_count,
                              int64_t now_ms, PGresult **ret_result, struct error *err)
{
    struct postgres_array queue = { 0 }, max = { 0 };
    struct postgres_params params = { 0 };
    for (size_t i = 0; i < claim_count; i++) {
        postgres_array_bytes(&queue, claim[i].queue);
        postgres_array_number(&max, (int64_t)claim[i].max);
    }
    postgres_add_number(&params, store->node);
    postgres_add_array(&params, &queue, 'B');
    postgres_add_array(&params, &max, 'I');
    postgres_add_number(&params, now_ms);
    postgres_add_number(&params, store->epoch);
    postgres_add_number(&params, ++store->claim);
    postgres_add_number(&params, CLAIMED_BYTES_MAX);
    enum status status = postgres_ask(&store->side, SQL_JOB_CLAIM, &params, ret_result, err);
    if (status != ST_OK && !store->side.conn) store->lost_claim = store->claim;
    postgres_array_done(&queue);
    postgres_array_done(&max);
    return status;
}

/* A row whose instance is gone is dropped here, because nobody else would find out. */
static enum status take_claims(struct store *base, const PGresult *result, struct arena *arena,
                               struct job_row **ret_row, struct instance_row **ret_instance,
                               size_t *ret_count, struct error *err)
{
    enum { JOB_COLUMN = 13 }; /* Behind INSTANCE_FIELDS. */
    int found = libpq.ntuples(result);
    struct job_row *row = arena_make_n(arena, struct job_row, (size_t)found);
    struct job_row *left = arena_make_n(arena, struct job_row, (size_t)found);
    struct instance_row *instance = arena_make_n(arena, struct instance_row, (size_t)found);
    size_t count = 0, left_count = 0;
    for (int i = 0; i < found; i++) {
        if (postgres_is_null(result, i, JOB_COLUMN)) break; /* There is no job. */
        struct job_row job = row_of(result, i, JOB_COLUMN, arena);
        if (postgres_is_null(result, i, 0)) {
            left[left_count++] = job;
            continue;
        }
        TRY(postgres_instance_row(result, i, true, arena, &instance[count], err));
        row[count++] = job;
    }
    if (left_count) TRY(postgres_drop_jobs(base, left, left_count, err));
    *ret_row = row;
    *ret_instance = instance;
    *ret_count = count;
    return ST_OK;
}

enum status postgres_claim_jobs(struct store *base, const struct job_claim *claim, size_t claim_count,
                                int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                                struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    PGresult *result;
    TRY(undo_lost_claim(store, err));
    bool connected = store->side.conn != NULL;
    enum status status = ask_claims(store, claim, claim_count, now_ms, &result, err);
    if (connected && store->lost_claim) { /* As postgres_ask_again() does. */
        TRY(undo_lost_claim(store, err));
        status = ask_claims(store, claim, claim_count, now_ms, &result, err);
    }
    TRY(status);
    if (libpq.ntuples(result)) { /* One row at least, even if nothing is offered. */
        status = take_claims(base, result, arena, ret_row, ret_instance, ret_count, err);
    } else {
        /* Or a crash of the server has undone our last epoch, which is not durable: the next claim sets a new
         * one. */
        store->lost_claim = store->claim;
        status = fail(err, ST_AGAIN, "node", "the other nodes have taken this one for dead");
    }
    libpq.clear(result);
    return status;
}

/* Jobs of a lost claim are given back first: the caller would hand them out, and the next claim would give
 * them to the other nodes as well. */
enum status postgres_claimed_jobs(struct store *base, const struct job_row *after, size_t max,
                                  struct arena *arena, struct job_row **ret_row,
                                  struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct postgres_params params = { 0 };
    PGresult *result;
    TRY(undo_lost_claim(store, err));
    postgres_add_number(&params, store->node);
    postgres_add_id(&params, after->instance);
    postgres_add_number(&params, after->number);
    postgres_add_count(&params, max);
    postgres_add_number(&params, CLAIMED_BYTES_MAX);
    TRY(postgres_ask(&store->side, SQL_JOBS_CLAIMED, &params, &result, err));
    enum status status = take_claims(base, result, arena, ret_row, ret_instance, ret_count, err);
    libpq.clear(result);
    return status;
}

/* ---- offering and dropping ---- */

/* `params` has what the statement takes behind the columns. */
static enum status send_offers(struct postgres_store *store, enum postgres_sql sql, const struct job_row *row,
                               size_t count, const int64_t *more, size_t more_count, struct error *err)
{
    struct postgres_array column[OFFER_COLUMNS] = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < count; i++) put_offer(column, &row[i]);
    for (size_t i = 0; i < OFFER_COLUMNS; i++) postgres_add_array(&params, &column[i], i == 2 ? 'B' : 'I');
    for (size_t i = 0; i < more_count; i++) postgres_add_number(&params, more[i]);
    enum status status = postgres_ask_again(&store->side, sql, &params, &result, err);
    if (status == ST_OK) libpq.clear(result);
    for (size_t i = 0; i < OFFER_COLUMNS; i++) postgres_array_done(&column[i]);
    return status;
}

enum status postgres_offer_jobs(struct store *base, const struct job_row *row, size_t count, int64_t now_ms,
                                struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    const int64_t more[] = { store->node, now_ms };
    return send_offers(store, SQL_JOB_OFFER, row, count, more, COUNT(more), err);
}

enum status postgres_offer_new(struct store *base, const struct job_row *row, size_t count, struct error *err)
{
    return send_offers(postgres_self(base), SQL_JOB_OFFER_NEW, row, count, NULL, 0, err);
}

enum status postgres_drop_jobs(struct store *base, const struct job_row *row, size_t count, struct error *err)
{
    enum { DROP_COLUMNS = 4 };
    struct postgres_array column[DROP_COLUMNS] = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < count; i++) {
        postgres_array_number(&column[0], (int64_t)row[i].instance);
        postgres_array_number(&column[1], row[i].number);
        postgres_array_number(&column[2], row[i].claimed);
        postgres_array_number(&column[3], row[i].delivery);
    }
    for (size_t i = 0; i < DROP_COLUMNS; i++) postgres_add_array(&params, &column[i], 'I');
    enum status status = postgres_ask_again(&postgres_self(base)->side, SQL_JOB_DROP, &params, &result, err);
    if (status == ST_OK) libpq.clear(result);
    for (size_t i = 0; i < DROP_COLUMNS; i++) postgres_array_done(&column[i]);
    return status;
}

/* ---- leases ---- */

enum status postgres_extend_job(struct store *base, const struct job_row *row, bool *ret_done,
                                struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, row->instance);
    postgres_add_number(&params, row->number);
    postgres_add_bytes(&params, row->queue);
    postgres_add_number(&params, priority_of(row));
    postgres_add_number(&params, row->available_ms);
    postgres_add_number(&params, row->delivery);
    postgres_add_number(&params, row->claimed);
    postgres_add_number(&params, row->lease_ms);
    postgres_add_bytes(&params, row->worker);
    postgres_add_number(&params, row->locked_ms);
    TRY(postgres_ask_again(&postgres_self(base)->side, SQL_JOB_EXTEND, &params, &result, err));
    *ret_done = libpq.ntuples(result) > 0;
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_note_leases(struct store *base, const struct job_row *row, size_t count,
                                 struct error *err)
{
    enum { WORKER = OFFER_COLUMNS, LOCKED, UNTIL, TOLD_COLUMNS };
    struct postgres_store *store = postgres_self(base);
    struct postgres_array column[TOLD_COLUMNS] = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    for (size_t i = 0; i < count; i++) {
        put_offer(column, &row[i]);
        postgres_array_bytes(&column[WORKER], row[i].worker);
        postgres_array_number(&column[LOCKED], row[i].locked_ms);
        postgres_array_number(&column[UNTIL], row[i].until_ms);
    }
    for (size_t i = 0; i < TOLD_COLUMNS; i++)
        postgres_add_array(&params, &column[i], i == 2 || i == WORKER ? 'B' : 'I');
    postgres_add_number(&params, store->node);
    enum status status = postgres_ask_again(&store->side, SQL_JOB_TELL_LEASES, &params, &result, err);
    if (status == ST_OK) libpq.clear(result);
    for (size_t i = 0; i < TOLD_COLUMNS; i++) postgres_array_done(&column[i]);
    return status;
}

/* Offers up to JOBS_FREED_MAX jobs again, of which `which` tells the statement more. */
static enum status offer_again(struct store *base, enum postgres_sql sql, int64_t which, size_t *ret_count,
                               struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, which);
    postgres_add_number(&params, JOBS_FREED_MAX);
    TRY(postgres_ask_again(&postgres_self(base)->side, sql, &params, &result, err));
    *ret_count = (size_t)postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_end_leases(struct store *base, int64_t now_ms, size_t *ret_count, struct error *err)
{
    return offer_again(base, SQL_JOB_END_LEASES, now_ms, ret_count, err);
}

/* All of them, because the node is forgotten afterwards. */
enum status postgres_free_claims(struct store *base, int64_t node, size_t *ret_count, struct error *err)
{
    size_t count;
    *ret_count = 0;
    do {
        TRY(offer_again(base, SQL_JOB_FREE, node, &count, err));
        *ret_count += count;
    } while (count == JOBS_FREED_MAX);
    return ST_OK;
}
