/* store/copy/copy.h — moves a whole store between SQLite and PostgreSQL.
 *
 * Nobody else may have either store open. The target must be empty, and says that it is unfinished until
 * every row was compared with its source: an engine does not open it before. Memory is bounded, whatever the
 * stores hold.
 */
#ifndef STORE_COPY_COPY_H
#define STORE_COPY_COPY_H

#include "base/status.h"
#include "store/limits.h"

struct store_copied {
    struct copied_table {
        const char *name;
        int64_t rows;     /* Copied rows, */
        int64_t compared; /* and found to be the same in both stores afterwards. */
    } table[COPIED_TABLES_MAX];
    size_t count;
};

/* Is called now and then: so many rows of the table were copied, or compared. */
typedef void store_copy_progress_fn(void *context, const char *table, bool comparing, int64_t rows);

struct store_copying {
    const char *from, *to; /* As in struct store_config. */
    bool overwrite;        /* The target may hold what an unfinished copy has left there; it is removed. */
    store_copy_progress_fn *progress; /* NULL: nobody asks. */
    void *context;
};

/* ST_CONFLICT: a store is in use, the target is not empty, or it is unfinished and `overwrite` is not set.
 * ST_INTERNAL: the stores differ; the error names the first difference. After any failure the target is as
 * it was, or unfinished. */
enum status store_copy(const struct store_copying *copying, struct store_copied *ret_copied,
                       struct error *err);

#endif
