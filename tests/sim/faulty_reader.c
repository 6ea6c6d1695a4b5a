/* tests/sim/faulty_reader.c — readers of queries whose reads of one row are put off now and then.
 *
 * A query then fails, and its client asks again. It must not take the row for one that is not there.
 */
#include "faulty_store.h"

#include "store/store_int.h"

#include <stdlib.h>

/* The functions of one reader: most of them are those of the reader itself. */
struct faulty_reader {
    struct reader_ops ops;
    const struct reader_ops *real;
    struct world *world;
};

static const struct faulty_reader *self(const struct store_reader *reader)
{
    return (const struct faulty_reader *)reader->ops;
}

/* SQLite tells that it cannot read, PostgreSQL also that somebody else holds a lock. */
static enum status query_gate(const struct store_reader *reader, const char *what, struct error *err)
{
    struct world *world = self(reader)->world;
    if (!world_fault(world, world->profile.fail_query)) return ST_OK;
    trace(world, "store: a query cannot read %s now", what);
    bool is_locked = world_is_shared(world) && world_below(world, 2);
    return fail(err, is_locked ? ST_AGAIN : ST_STORE, "store", "it cannot be read now (simulated)");
}

static enum status faulty_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                   struct instance_row *ret_row, struct error *err)
{
    TRY(query_gate(reader, "an instance", err));
    return self(reader)->real->instance(reader, id, arena, ret_row, err);
}

static enum status faulty_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                     struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    TRY(query_gate(reader, "a definition", err));
    return self(reader)->real->definition(reader, ns, id, version, arena, ret_row, err);
}

static enum status faulty_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                    struct definition_row *ret_row, struct error *err)
{
    TRY(query_gate(reader, "a version", err));
    return self(reader)->real->definition_by_number(reader, number, arena, ret_row, err);
}

static enum status faulty_find_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                                      struct arena *arena, struct record_row *ret_row, struct error *err)
{
    TRY(query_gate(reader, "a record", err));
    return self(reader)->real->find_record(reader, ns, kind, key, arena, ret_row, err);
}

static void faulty_close(struct store_reader *reader)
{
    const struct reader_ops *faulty = reader->ops;
    reader->ops = self(reader)->real;
    reader->ops->close(reader);
    free((void *)(uintptr_t)faulty);
}

void faulty_reader_begin(struct world *world, struct store_reader *reader)
{
    struct faulty_reader *faulty = calloc(1, sizeof *faulty);
    must(faulty);
    *faulty = (struct faulty_reader){ .ops = *reader->ops, .real = reader->ops, .world = world };
    faulty->ops.close = faulty_close;
    faulty->ops.instance = faulty_instance;
    faulty->ops.definition = faulty_definition;
    faulty->ops.definition_by_number = faulty_by_number;
    faulty->ops.find_record = faulty_find_record;
    reader->ops = &faulty->ops;
}
