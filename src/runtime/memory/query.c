/* runtime/memory/query.c — a reader of the store, with definitions that it has compiled. */
#include "runtime/memory/query.h"

#include "runtime/call/sight.h"
#include "runtime/limits.h"
#include "runtime/memory/memory_int.h"
#include "store/store.h"

static struct found read_definition(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                    struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct query *query = context;
    return number ? reader_definition_by_number(query->reader, number, arena, ret_row, err)
                  : reader_definition(query->reader, ns, id, version, arena, ret_row, err);
}

enum status query_open(struct query *query, struct store *store, const struct limits *limits,
                       struct error *err)
{
    *query = (struct query){ .limits = *limits };
    TRY(store_reader_open(store, &query->reader, err));
    catalogue_init(&query->catalogue, (size_t)limits->programs_bytes_max / QUERY_PROGRAMS_PART,
                   read_definition, query);
    facts_init(&query->facts);
    return ST_OK;
}

struct found query_load_instance(struct query *query, const struct call *call, uint64_t id,
                                 struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    TRY_FOUND(reader_instance(query->reader, call->ns, id, arena, ret_row, err));
    return found_of(caller_check(call->caller, sight_object(call, ret_row->definition_id), err));
}

void query_leave(struct query *query) { reader_leave(query->reader); }

void query_close(struct query *query)
{
    facts_done(&query->facts);
    catalogue_done(&query->catalogue);
    store_reader_close(query->reader);
}
