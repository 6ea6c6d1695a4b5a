/* store/postgres/removal.c — removes all rows of a tenant, some at a time (store/removal.h). */
#include "store/removal.h"

#include "base/must.h"

#include "store/postgres/load_int.h"

/* Parts of bulks are found by their bulks, so they come first. */
static const enum postgres_sql early[] = { SQL_REMOVAL_BULK_PARTS, SQL_REMOVAL_BULKS, SQL_REMOVAL_TRIGGERS,
                                           SQL_REMOVAL_PENDING };
static const enum postgres_sql late[] = { SQL_REMOVAL_DEFINITIONS, SQL_REMOVAL_UNMATCHED,
                                          SQL_REMOVAL_IDEMPOTENCY, SQL_REMOVAL_RECORDS };

/* Every statement here takes the namespace and how many rows. */
static enum status ask(struct postgres_store *store, enum postgres_sql sql, int32_t ns, size_t max,
                       PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_count(&params, max);
    return postgres_query(store, sql, &params, ret_result, err);
}

static enum status remove_rows(struct postgres_store *store, const enum postgres_sql *sql, size_t count,
                               int32_t ns, size_t max, struct tenant_removal *removal, struct error *err)
{
    PGresult *result;
    for (size_t i = 0; i < count && removal->removed < max; i++) {
        TRY(ask(store, sql[i], ns, max - removal->removed, &result, err));
        removal->removed += (size_t)postgres_number(result, 0, 0);
        libpq.clear(result);
    }
    return ST_OK;
}

/* Lists instances of the first definitions. */
static enum status list_instances(struct postgres_store *store, int32_t ns, size_t max, struct arena *arena,
                                  struct tenant_removal *removal, struct error *err)
{
    PGresult *result;
    TRY(ask(store, SQL_REMOVAL_INSTANCES, ns, max, &result, err));
    size_t count = (size_t)libpq.ntuples(result);
    removal->instance = arena_make_n(arena, struct removal_instance, count);
    removal->instance_count = count;
    for (size_t i = 0; i < count; i++)
        removal->instance[i] = (struct removal_instance){
            .id = postgres_id(result, (int)i, 0),
            .status = (enum instance_status)(postgres_number(result, (int)i, 1) / 2),
        };
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_remove_tenant(struct store *base, int32_t ns, size_t max, struct arena *arena,
                                   struct tenant_removal *removal, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(remove_rows(store, early, COUNT(early), ns, max, removal, err));
    must(removal->removed <= max && !removal->instance_count);
    if (removal->removed == max) return ST_OK;
    TRY(list_instances(store, ns, max - removal->removed, arena, removal, err));
    if (removal->instance_count) return ST_OK;
    return remove_rows(store, late, COUNT(late), ns, max, removal, err);
}
