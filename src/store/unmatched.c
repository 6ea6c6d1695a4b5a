/* store/unmatched.c — events that no instance took. */
#include "store/store_int.h"

#include "base/must.h"

struct found store_find_unmatched(struct store *store, int32_t ns, int64_t number, struct arena *arena,
                                  struct unmatched_row *ret_row, struct error *err)
{
    struct unmatched_row row;
    const struct unmatched_row like = { .number = number };
    if (!number) return found_of(fail(err, ST_NOT_FOUND, "event", "no such unmatched event"));
    enum status status = found_needed(store_find_unmatched_like(store, &like, arena, &row, err));
    if (status == ST_OK && !tenant_fits(ns, row.ns)) status = fail(err, ST_NOT_FOUND, "event", "not found");
    if (status == ST_OK) *ret_row = row;
    return found_of(status);
}

struct found store_find_unmatched_of(struct store *store, int32_t ns, str identity, struct arena *arena,
                                     struct unmatched_row *ret_row, struct error *err)
{
    must(identity.n && ns > TENANT_ANY);
    const struct unmatched_row like = { .ns = ns, .identity = identity };
    return store_find_unmatched_like(store, &like, arena, ret_row, err);
}

struct found store_find_unmatched_like(struct store *store, const struct unmatched_row *like,
                                       struct arena *arena, struct unmatched_row *ret_row, struct error *err)
{
    return found_of(store_after_read(store, store->ops->find_unmatched(store, like, arena, ret_row, err)));
}

enum status reader_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                             struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err)
{
    enum status status =
        reader->ops->unmatched(reader, ns, before, max, arena, ret_row, ret_count, ret_total, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}
