/* store/copy/verify.c — compares a table of two stores, row by row.
 *
 * Both are read in the order of the key, side by side. The history in SQLite is not in that order: it is read
 * as it was written, and PostgreSQL looks the rows up. If each row is found and both have as many, they are
 * the same, because PostgreSQL's key is unique.
 */
#include "store/copy/copy_int.h"

#include <inttypes.h>
#include <stdio.h>

enum { PROGRESS_ROWS = 1000, SQL_BYTES = 96 };

struct verifying {
    const struct copy_table *table;
    const struct store_copying *copying;
    struct copy_end *source, *target;
    struct arena arena; /* Memory of a block of rows, or of a sentence. */
    int64_t rows;
};

static void note_progress(const struct verifying *verify)
{
    if (verify->copying->progress && verify->rows % PROGRESS_ROWS == 0)
        verify->copying->progress(verify->copying->context, verify->table->name, true, verify->rows);
}

static enum status fail_missing(struct verifying *verify, const struct copy_cell *cell, const char *where,
                                struct error *err)
{
    return fail(err, ST_INTERNAL, verify->table->name, "table %s: the row %s is only in the %s",
                verify->table->name, copy_key_text(verify->table, cell, &verify->arena), where);
}

static enum status compare_cells(struct verifying *verify, const struct copy_cell *a,
                                 const struct copy_cell *b, struct error *err)
{
    size_t column = copy_difference(verify->table, a, b);
    if (column == verify->table->columns) return ST_OK;
    return fail(err, ST_INTERNAL, verify->table->name,
                "table %s: the row %s differs from its source in the column %s", verify->table->name,
                copy_key_text(verify->table, a, &verify->arena), verify->table->column[column].name);
}

static enum status verify_side_by_side(struct verifying *verify, struct error *err)
{
    struct copy_end *source = verify->source, *target = verify->target;
    struct copy_cell a[POSTGRES_PARAMS_MAX], b[POSTGRES_PARAMS_MAX];
    bool has_a, has_b;
    TRY(source->ops->read(source, verify->table, err));
    TRY(target->ops->read(target, verify->table, err));
    for (;; verify->rows++) {
        TRY(source->ops->next(source, a, &has_a, err));
        TRY(target->ops->next(target, b, &has_b, err));
        if (!has_a && !has_b) return ST_OK;
        int order = !has_a ? 1 : !has_b ? -1 : copy_compare_keys(verify->table, a, b);
        if (order < 0) return fail_missing(verify, a, "source", err);
        if (order > 0) return fail_missing(verify, b, "target", err);
        TRY(compare_cells(verify, a, b, err));
        note_progress(verify);
    }
}

/* ---- history ---- */

/* Rows that were read, to be looked up together. */
struct block {
    struct copy_cell *cell;
    size_t rows, bytes;
};

static void keep_row(struct verifying *verify, struct block *block, const struct copy_cell *cell)
{
    struct copy_cell *kept = block->cell + block->rows * verify->table->columns;
    for (size_t i = 0; i < verify->table->columns; i++) {
        kept[i] = cell[i];
        kept[i].bytes = arena_str(&verify->arena, cell[i].bytes);
        block->bytes += cell[i].bytes.n;
    }
    block->rows++;
    verify->rows++;
    note_progress(verify);
}

static enum status compare_block(struct verifying *verify, struct copy_end *other, const struct block *block,
                                 struct error *err)
{
    size_t columns = verify->table->columns;
    struct copy_cell *found = arena_make_n(&verify->arena, struct copy_cell, block->rows * columns);
    TRY(other->ops->find(other, verify->table, block->cell, block->rows, &verify->arena, found, err));
    for (size_t i = 0; i < block->rows; i++) {
        const struct copy_cell *cell = block->cell + i * columns;
        if (found[i * columns].null)
            return fail_missing(verify, cell, other == verify->target ? "source" : "target", err);
        TRY(compare_cells(verify, cell, found + i * columns, err));
    }
    return ST_OK;
}

static enum status verify_count(struct verifying *verify, struct copy_end *other, struct error *err)
{
    char sql[SQL_BYTES];
    int64_t rows;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", verify->table->name);
    TRY(other->ops->ask(other, sql, &rows, err));
    if (rows == verify->rows) return ST_OK;
    bool at_target = other == verify->target;
    return fail(err, ST_INTERNAL, verify->table->name,
                "table %s: the source has %" PRId64 " rows, the target %" PRId64, verify->table->name,
                at_target ? verify->rows : rows, at_target ? rows : verify->rows);
}

static enum status verify_by_lookup(struct verifying *verify, struct error *err)
{
    bool from_sqlite = verify->source->ops->side == COPY_SQLITE;
    struct copy_end *walked = from_sqlite ? verify->source : verify->target;
    struct copy_end *other = from_sqlite ? verify->target : verify->source;
    struct copy_cell cell[POSTGRES_PARAMS_MAX];
    bool row = true;
    TRY(walked->ops->read(walked, verify->table, err));
    while (row) {
        arena_reset(&verify->arena);
        struct block block = { .cell = arena_make_n(&verify->arena, struct copy_cell,
                                                    COPY_SET_ROWS * verify->table->columns) };
        while (block.rows < COPY_SET_ROWS && block.bytes < COPY_SET_BYTES) {
            TRY(walked->ops->next(walked, cell, &row, err));
            if (!row) break;
            keep_row(verify, &block, cell);
        }
        TRY(compare_block(verify, other, &block, err));
    }
    return verify_count(verify, other, err);
}

enum status copy_verify(const struct copy_table *table, struct copy_end *source, struct copy_end *target,
                        const struct store_copying *copying, int64_t *ret_rows, struct error *err)
{
    struct verifying verify = { .table = table, .copying = copying, .source = source, .target = target };
    arena_init(&verify.arena, 0);
    enum status status =
        table->is_history ? verify_by_lookup(&verify, err) : verify_side_by_side(&verify, err);
    arena_done(&verify.arena);
    if (status == ST_OK) *ret_rows = verify.rows;
    return status;
}
