/* store/copy/forget.c — takes the secrets out of a store whose key is lost. A copy's end is a store that
 * nobody else has open, which is what this needs. */
#include "store/copy/forget.h"

#include "store/copy/copy_int.h"
#include "store/store.h"

#define SECRETS "1, 22"
_Static_assert(RECORD_SECRET == 1 && RECORD_SECRET_KEY == 22, "a kind is a number in the file");

static const struct copy_column columns[] = { { .name = "kind", .kind = COPY_NUMBER },
                                              { .name = "key", .kind = COPY_BYTES } };
static const struct copy_table secrets = {
    .name = "(SELECT kind, key FROM record WHERE kind IN (" SECRETS ")) AS secret",
    .column = columns,
    .columns = COUNT(columns),
    .keys = COUNT(columns),
};

static enum status tell_names(struct copy_end *end, store_forgot_fn *forgot, void *context, struct error *err)
{
    struct copy_cell cell[COUNT(columns)];
    bool row;
    TRY(end->ops->read(end, &secrets, err));
    for (;;) {
        TRY(end->ops->next(end, cell, &row, err));
        if (!row) return ST_OK;
        if (cell[0].number == RECORD_SECRET) forgot(context, cell[1].bytes);
    }
}

enum status store_forget_secrets(const char *path, store_forgot_fn *forgot, void *context, struct error *err)
{
    const struct copy_ops *ops = store_copy_ops(path);
    struct copy_end *end;
    TRY(ops->open_source(path, &end, err));
    enum status status = tell_names(end, forgot, context, err);
    if (status == ST_OK) status = ops->run(end, "DELETE FROM record WHERE kind IN (" SECRETS ")", err);
    ops->close(end);
    return status;
}
