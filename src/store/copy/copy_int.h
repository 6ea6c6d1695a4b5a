/* store/copy/copy_int.h — what a copy knows about tables, and what it asks of a back end.
 *
 * The tables of both back ends are described once (copy/tables.c). A row travels as cells, in the order of
 * the described columns. A table or column that is not described is listed there with the reason; a unit test
 * compares both lists with the schemas.
 *
 *     source: read, next … next          in the order of the key
 *     target: write … write, flush       committed in pieces
 */
#ifndef STORE_COPY_COPY_INT_H
#define STORE_COPY_COPY_INT_H

#include "base/arena.h"
#include "store/copy/copy.h"

enum copy_side { COPY_SQLITE, COPY_POSTGRES };

/* ---- the description (copy/tables.c) ---- */

enum copy_kind { COPY_NUMBER, COPY_BYTES };

struct copy_column {
    const char *name;
    enum copy_kind kind;
    const char *in_sqlite; /* Its name there; NULL: the same. */
    bool is_state;         /* PostgreSQL has its checksum in front (postgres_array_state()). */
};

struct copy_table {
    const char *name;
    const struct copy_column *column;
    size_t columns;
    size_t keys; /* So many columns are its key, which begins the list. */
    /* The query that PostgreSQL reads from instead of the table. */
    const char *postgres_from;
    const char *sqlite_from; /* Likewise. */
    /* The schema puts rows into it, which a copy replaces. */
    bool filled;
    /* SQLite has no index by the key: it gives the rows in the order in which they were written, and has
     * columns that lead from one to the other. */
    bool is_history;
};

/* A column that only one back end has. */
struct copy_own_column {
    enum copy_side side;
    const char *table, *column;
    const char *value; /* SQL: what new rows have there; in PostgreSQL it may name their other columns. NULL:
                          the back end's code gives it. */
    const char *why;
};

/* A table, or a sequence of PostgreSQL, that is not copied as rows. */
struct copy_left_out {
    enum copy_side side;
    const char *name;
    bool sequence;
    const char *why;
};

extern const struct copy_table copy_tables[];
extern const size_t copy_table_count;
extern const struct copy_own_column copy_own_columns[];
extern const size_t copy_own_column_count;
extern const struct copy_left_out copy_left_out[];
extern const size_t copy_left_out_count;

static inline const char *copy_column_name(const struct copy_column *column, enum copy_side side)
{
    return side == COPY_SQLITE && column->in_sqlite ? column->in_sqlite : column->name;
}

/* "SELECT … FROM … ORDER BY …" in the arena: all rows of the table. Values are as an engine has them. */
const char *copy_select(const struct copy_table *table, enum copy_side side, struct arena *arena);
/* "INSERT INTO …(…) ": all columns that have a value, first the described ones, then those of the side. The
 * values of the latter follow in `*ret_own` as ", value, value". */
const char *copy_insert(const struct copy_table *table, enum copy_side side, struct arena *arena,
                        const char **ret_own);

/* ---- rows ---- */

struct copy_cell {
    bool null;
    int64_t number;
    str bytes;
};

/* Numbers that must not be given a second time, also if no row has them any more. */
enum copy_number { COPY_INSTANCES, COPY_UNMATCHED, COPY_BULKS, COPY_NUMBERS };

/* The order of keys, as memcmp() tells it. */
int copy_compare_keys(const struct copy_table *table, const struct copy_cell *a, const struct copy_cell *b);
/* The first column that differs; the number of columns if none does. */
size_t copy_difference(const struct copy_table *table, const struct copy_cell *a, const struct copy_cell *b);
/* The key in words: "(17, \"abc\")". */
const char *copy_key_text(const struct copy_table *table, const struct copy_cell *cell, struct arena *arena);

/* ---- a back end's part ---- */

/* One of the two stores. It reads one table at a time, or writes to one. */
struct copy_end {
    const struct copy_ops *ops;
};

struct copy_ops {
    enum copy_side side;
    /* Opens a store that nobody else has open, and changes nothing. */
    enum status (*open_source)(const char *path, struct copy_end **ret_end, struct error *err);
    /* Makes the store if there is none. `overwrite`: removes one that is unfinished. */
    enum status (*open_target)(const char *path, bool overwrite, struct copy_end **ret_end,
                               struct error *err);
    void (*close)(struct copy_end *end);

    /* SQL that both understand. The first: its only value. */
    enum status (*ask)(struct copy_end *end, const char *sql, int64_t *ret_value, struct error *err);
    enum status (*run)(struct copy_end *end, const char *sql, struct error *err);
    /* Makes the target unfinished, or finished. It is durable then. */
    enum status (*mark)(struct copy_end *end, bool unfinished, struct error *err);

    /* Begins to read a table. The bytes of a row live until the next call. */
    enum status (*read)(struct copy_end *end, const struct copy_table *table, struct error *err);
    enum status (*next)(struct copy_end *end, struct copy_cell *cell, bool *ret_row, struct error *err);
    /* Finds rows by the keys in their cells, and fills `found` with their cells: as many, in the same order,
     * in the arena. The cells of a missing row have NULL as their key. Only asked of a side that has an
     * index. */
    enum status (*find)(struct copy_end *end, const struct copy_table *table, const struct copy_cell *keys,
                        size_t rows, struct arena *arena, struct copy_cell *found, struct error *err);

    enum status (*write)(struct copy_end *end, const struct copy_table *table, const struct copy_cell *cell,
                         struct error *err);
    /* Commits what was written. */
    enum status (*flush)(struct copy_end *end, struct error *err);

    enum status (*numbers)(struct copy_end *end, int64_t number[COPY_NUMBERS], struct error *err);
    enum status (*set_numbers)(struct copy_end *end, const int64_t number[COPY_NUMBERS], struct error *err);
    /* All rows are there: prepares the store for queries. NULL: nothing to do. */
    enum status (*settle)(struct copy_end *end, struct error *err);
};

extern const struct copy_ops sqlite_copy_ops, postgres_copy_ops;

/* open.c: that of a path. */
const struct copy_ops *store_copy_ops(const char *path);

/* ---- unfinished stores ---- */

/* The version of an unfinished store's schema is so much higher. So programs that do not know of copies
 * refuse it, too. */
enum { COPY_UNFINISHED = 1 << 30 };

/* ST_CONFLICT. `where`: which store it is. */
enum status copy_fail_unfinished(const char *where, struct error *err);

/* copy/verify.c: compares a table of both stores, row by row. ST_INTERNAL at the first difference. */
enum status copy_verify(const struct copy_table *table, struct copy_end *source, struct copy_end *target,
                        const struct store_copying *copying, int64_t *ret_rows, struct error *err);

#endif
