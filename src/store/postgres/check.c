/* store/postgres/check.c — verifies that the tables agree with each other.
 *
 * Each table is read a page at a time, in the order of an index, because a query that runs long keeps the
 * server from cleaning up behind everybody's changes. Instances, tasks and timers are counted on the way, and
 * compared with the counts in `tally` at the end.
 */
#include "store/postgres/load_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { CHECK_PAGE_ROWS = 1000, CHECK_SENTENCE_BYTES = 256 };

/* How many instances of a definition are in a phase, how many open tasks it has, or how many timers there
 * are. */
struct count {
    int64_t definition;
    int64_t slot; /* As in `tally`. */
    int64_t found, counted;
};

struct postgres_checking {
    struct postgres_store *store;
    store_found_fn *found;
    void *context;
    struct arena arena;
    struct map counts; /* struct count by definition and slot. */
};

typedef void row_fn(struct postgres_checking *check, const PGresult *result, int row);

__attribute__((format(printf, 2, 3))) static void report(struct postgres_checking *check, const char *format,
                                                         ...)
{
    char sentence[CHECK_SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    check->found(check->context, sentence);
}

/* ---- counts ---- */

static struct count *count_of(struct postgres_checking *check, int64_t definition, int64_t slot)
{
    uint64_t key =
        (uint64_t)definition * (STORE_PHASES - POSTGRES_SLOT_LEAST) + (uint64_t)(slot - POSTGRES_SLOT_LEAST);
    struct count *count = map_get(&check->counts, key);
    if (count) return count;
    count = arena_make(&check->arena, struct count);
    *count = (struct count){ .definition = definition, .slot = slot };
    map_put(&check->counts, key, count);
    return count;
}

static void compare_counts(struct postgres_checking *check)
{
    size_t cursor = 0;
    for (const struct count *count; (count = map_next(&check->counts, &cursor)) != NULL;) {
        if (count->found == count->counted) continue;
        if (count->slot == POSTGRES_SLOT_TIMERS)
            report(check, "there are %" PRId64 " timers, but %" PRId64 " are counted", count->found,
                   count->counted);
        else if (count->slot == POSTGRES_SLOT_TASKS)
            report(check, "definition %" PRId64 " has %" PRId64 " open tasks, but %" PRId64 " are counted",
                   count->definition, count->found, count->counted);
        else
            report(check,
                   "definition %" PRId64 " has %" PRId64 " instances in phase %" PRId64 ", but %" PRId64
                   " are counted",
                   count->definition, count->found, count->slot, count->counted);
    }
}

/* ---- rows ---- */

/* Columns as in SQL_CHECK_INSTANCES. */
static void check_instance(struct postgres_checking *check, const PGresult *result, int row)
{
    int64_t id = postgres_number(result, row, 0), definition = postgres_number(result, row, 2);
    int64_t phase = postgres_number(result, row, 3), revision = postgres_number(result, row, 4);
    int64_t rows = postgres_number(result, row, 5);
    if (phase < 0 || phase >= STORE_PHASES)
        report(check, "instance %" PRId64 " has no phase %" PRId64, id, phase);
    else count_of(check, definition, phase)->found++;
    if (rows != revision)
        report(check, "instance %" PRId64 " has %" PRId64 " history rows, but revision %" PRId64, id, rows,
               revision);
    else if (postgres_number(result, row, 6) != 1 || postgres_number(result, row, 7) != revision)
        report(check, "the history of instance %" PRId64 " has a gap", id);
    if (!postgres_number(result, row, 8))
        report(check, "instance %" PRId64 " is of definition %" PRId64 ", which is not there", id,
               definition);
}

static void check_task(struct postgres_checking *check, const PGresult *result, int row)
{
    count_of(check, postgres_number(result, row, 2), POSTGRES_SLOT_TASKS)->found++;
}

static void check_timers(struct postgres_checking *check, const PGresult *result, int row)
{
    count_of(check, 0, POSTGRES_SLOT_TIMERS)->found += postgres_number(result, row, 2);
}

static void check_tally(struct postgres_checking *check, const PGresult *result, int row)
{
    int64_t definition = postgres_number(result, row, 0), slot = postgres_number(result, row, 1);
    if (slot < POSTGRES_SLOT_LEAST || slot >= STORE_PHASES)
        report(check, "definition %" PRId64 " has a count for phase %" PRId64 ", which does not exist",
               definition, slot);
    else count_of(check, definition, slot)->counted += postgres_number(result, row, 2);
}

static void check_history(struct postgres_checking *check, const PGresult *result, int row)
{
    if (!postgres_number(result, row, 2))
        report(check, "history rows belong to instance %" PRId64 ", which is not there",
               postgres_number(result, row, 0));
}

static void check_worklist(struct postgres_checking *check, const PGresult *result, int row)
{
    if (!postgres_number(result, row, 2))
        report(check, "a list has a task of instance %" PRId64 ", which is not open",
               postgres_number(result, row, 0));
}

static void check_failure(struct postgres_checking *check, const PGresult *result, int row)
{
    if (!postgres_number(result, row, 2))
        report(check, "a reason to have failed belongs to instance %" PRId64 ", which is not there",
               postgres_number(result, row, 1));
}

static void check_bulk_part(struct postgres_checking *check, const PGresult *result, int row)
{
    if (!postgres_number(result, row, 2))
        report(check, "parts of bulk %" PRId64 " are left without it", postgres_number(result, row, 0));
}

static void check_trigger(struct postgres_checking *check, const PGresult *result, int row)
{
    if (!postgres_number(result, row, 2))
        report(check, "definition %" PRId64 " takes events, but is not there",
               postgres_number(result, row, 0));
}

/* ---- pages ---- */

/* The first two columns of a row are its place. Rows with the same place are as good as one. */
static enum status check_rows(struct postgres_checking *check, enum postgres_sql sql, row_fn *look,
                              struct error *err)
{
    int64_t place[2] = { INT64_MIN, INT64_MIN };
    for (;;) {
        struct postgres_params params = { 0 };
        PGresult *result;
        postgres_add_number(&params, place[0]);
        postgres_add_number(&params, place[1]);
        postgres_add_number(&params, CHECK_PAGE_ROWS);
        TRY(postgres_query(check->store, sql, &params, &result, err));
        int count = libpq.ntuples(result);
        for (int i = 0; i < count; i++) look(check, result, i);
        if (count) {
            place[0] = postgres_number(result, count - 1, 0);
            place[1] = postgres_number(result, count - 1, 1);
        }
        libpq.clear(result);
        if (!count) return ST_OK;
    }
}

static enum status check_tables(struct postgres_checking *check, struct error *err)
{
    static const struct {
        enum postgres_sql sql;
        row_fn *look;
    } tables[] = {
        { SQL_CHECK_INSTANCES, check_instance }, { SQL_CHECK_TASKS, check_task },
        { SQL_CHECK_TIMERS, check_timers },      { SQL_CHECK_TALLY, check_tally },
        { SQL_CHECK_HISTORY, check_history },    { SQL_CHECK_WORKLIST, check_worklist },
        { SQL_CHECK_FAILURES, check_failure },   { SQL_CHECK_BULK_PARTS, check_bulk_part },
        { SQL_CHECK_TRIGGERS, check_trigger },
    };
    for (size_t i = 0; i < COUNT(tables); i++) TRY(check_rows(check, tables[i].sql, tables[i].look, err));
    compare_counts(check);
    return ST_OK;
}

enum status postgres_integrity(struct store *store, store_found_fn *found, void *context, struct error *err)
{
    struct postgres_checking check = { .store = postgres_self(store), .found = found, .context = context };
    arena_init(&check.arena, 0);
    map_init(&check.counts);
    enum status status = check_tables(&check, err);
    map_done(&check.counts);
    arena_done(&check.arena);
    return status;
}
