/* tests/sim/faulty_reader.c — readers of queries whose reads are put off now and then.
 *
 * A query then fails, and its client asks again. It must take no row for one that is not there, and no page
 * for an empty one.
 */
#include "faulty_store.h"

#include "../unit/store/reader_reads.h"

#include <stdlib.h>

/* The functions of one reader, in front of its own. */
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

#define XX(name, what, parameters, arguments)      \
    static enum status faulty_##name parameters    \
    {                                              \
        TRY(query_gate(reader, what, err));        \
        return self(reader)->real->name arguments; \
    }
READER_READS(XX)
#undef XX

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
#define XX(name, what, parameters, arguments) faulty->ops.name = faulty_##name;
    READER_READS(XX)
#undef XX
    reader->ops = &faulty->ops;
}
