/* store/copy/copy.c — moves a whole store from one back end to the other.
 *
 *     open both alone ─► target is unfinished ─► tables ─► numbers ─► compare every row ─► target is finished
 *
 * A copy that ends early, by a kill too, leaves the source as it is and the target unfinished. No engine
 * opens an unfinished store.
 */
#include "store/copy/copy_int.h"

#include <inttypes.h>
#include <stdio.h>

enum { PROGRESS_ROWS = 1000, SQL_BYTES = 96 };

struct copy_ends {
    const struct store_copying *copying;
    struct copy_end *source, *target;
};

static enum status check_empty(const struct copy_ends *ends, struct error *err)
{
    for (size_t i = 0; i < copy_table_count; i++) {
        char sql[SQL_BYTES];
        int64_t rows = 0;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT 1) AS first",
                 copy_tables[i].name);
        if (!copy_tables[i].filled) TRY(ends->target->ops->ask(ends->target, sql, &rows, err));
        if (rows)
            return fail(err, ST_CONFLICT, "store",
                        "the target is not empty: it has rows in the table %s. A copy needs a new store",
                        copy_tables[i].name);
    }
    return ST_OK;
}

static enum status remove_rows(struct copy_end *end, const struct copy_table *table, struct error *err)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql, "DELETE FROM %s", table->name);
    return end->ops->run(end, sql, err);
}

static enum status copy_rows(const struct copy_ends *ends, const struct copy_table *table, int64_t *ret_rows,
                             struct error *err)
{
    struct copy_end *source = ends->source, *target = ends->target;
    const struct store_copying *copying = ends->copying;
    struct copy_cell cell[POSTGRES_PARAMS_MAX];
    bool row;
    if (table->filled) TRY(remove_rows(target, table, err));
    TRY(source->ops->read(source, table, err));
    for (*ret_rows = 0;; (*ret_rows)++) {
        TRY(source->ops->next(source, cell, &row, err));
        if (!row) return target->ops->flush(target, err);
        TRY(target->ops->write(target, table, cell, err));
        if (copying->progress && *ret_rows % PROGRESS_ROWS == 0)
            copying->progress(copying->context, table->name, false, *ret_rows);
    }
}

static enum status copy_numbers(const struct copy_ends *ends, struct error *err)
{
    int64_t number[COPY_NUMBERS];
    TRY(ends->source->ops->numbers(ends->source, number, err));
    return ends->target->ops->set_numbers(ends->target, number, err);
}

/* The target may be ahead: PostgreSQL gives ids in blocks. */
static enum status verify_numbers(const struct copy_ends *ends, struct error *err)
{
    static const char *const names[COPY_NUMBERS] = { "instances", "unmatched events", "bulks" };
    int64_t source[COPY_NUMBERS], target[COPY_NUMBERS];
    TRY(ends->source->ops->numbers(ends->source, source, err));
    TRY(ends->target->ops->numbers(ends->target, target, err));
    for (size_t i = 0; i < COPY_NUMBERS; i++)
        if (target[i] < source[i])
            return fail(err, ST_INTERNAL, "store",
                        "the source has given numbers of %s up to %" PRId64 ", the target up to %" PRId64,
                        names[i], source[i], target[i]);
    return ST_OK;
}

static enum status copy_all(const struct copy_ends *ends, struct store_copied *copied, struct error *err)
{
    struct copy_end *target = ends->target;
    TRY(check_empty(ends, err));
    TRY(target->ops->mark(target, true, err));
    for (size_t i = 0; i < copy_table_count; i++) {
        copied->table[i].name = copy_tables[i].name;
        TRY(copy_rows(ends, &copy_tables[i], &copied->table[i].rows, err));
    }
    copied->count = copy_table_count;
    TRY(copy_numbers(ends, err));
    if (target->ops->settle) TRY(target->ops->settle(target, err));
    for (size_t i = 0; i < copy_table_count; i++)
        TRY(copy_verify(&copy_tables[i], ends->source, target, ends->copying, &copied->table[i].compared,
                        err));
    TRY(verify_numbers(ends, err));
    return target->ops->mark(target, false, err);
}

enum status store_copy(const struct store_copying *copying, struct store_copied *ret_copied,
                       struct error *err)
{
    const struct copy_ops *from = store_copy_ops(copying->from), *to = store_copy_ops(copying->to);
    if (from == to)
        return fail(err, ST_INVALID, "store", "both stores are in %s",
                    from->side == COPY_SQLITE ? "SQLite: `pawl store backup` copies such a store"
                                              : "PostgreSQL: pg_dump and psql copy such a store");
    struct copy_ends ends = { .copying = copying };
    struct store_copied copied = { .count = 0 };
    TRY(from->open_source(copying->from, &ends.source, err));
    enum status status = to->open_target(copying->to, copying->overwrite, &ends.target, err);
    if (status == ST_OK) {
        status = copy_all(&ends, &copied, err);
        to->close(ends.target);
    }
    from->close(ends.source);
    if (status == ST_OK) *ret_copied = copied;
    return status;
}
