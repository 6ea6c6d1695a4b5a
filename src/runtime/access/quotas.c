/* runtime/access/quotas.c — quotas of tenants and the numbers that count against them, read from the store.
 *
 * memory/usage.h follows the numbers from then on. The store has no number for the bytes of a tenant: they
 * are measured between turns, a few instances at a time, once in a while. Between two measures the bytes
 * that the tenant writes are added.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

#include <stdlib.h>

/* The measure that runs. */
struct quota_measure {
    struct store_measure of;
    struct arena arena;
    int64_t began_us, used_before;
};

static enum status open_reader(struct engine *engine, struct error *err)
{
    return engine->access.reader ? ST_OK : store_reader_open(engine->store, &engine->access.reader, err);
}

void quotas_close(struct engine *engine)
{
    struct access *access = &engine->access;
    if (access->measure) arena_done(&access->measure->arena);
    free(access->measure);
    access->measure = NULL;
    if (access->reader) store_reader_close(access->reader);
    access->reader = NULL;
}

/* ---- the record ---- */

static enum status read_name(struct engine *engine, int32_t ns, struct arena *arena, str *ret_name,
                             struct error *err)
{
    struct record_row row;
    bool there;
    *ret_name = STR("default");
    if (ns == TENANT_DEFAULT) return ST_OK;
    TRY(found_asked(store_find_record(engine->store, TENANT_ANY, RECORD_TENANT_NUMBER,
                                      access_rows_number_key(ns, arena), arena, &row, err),
                    &there));
    *ret_name = there ? row.value : STR_NONE;
    return ST_OK;
}

/* A tenant without a number is gone, or on its way: a record tells. */
static enum status read_removal(struct engine *engine, struct tenant_usage *usage, struct arena *arena,
                                struct error *err)
{
    static const enum removal_state states[] = { REMOVAL_RUNS, REMOVAL_DONE };
    struct record_row row;
    usage->is_removed = false;
    for (size_t i = 0; i < COUNT(states) && !usage->is_removed; i++)
        TRY(found_asked(store_find_record(engine->store, TENANT_ANY, RECORD_REMOVAL,
                                          usage_removal_key(states[i], usage->ns, arena), arena, &row, err),
                        &usage->is_removed));
    return ST_OK;
}

/* A tenant without a record, or with a damaged one, has no quotas: nobody could change them. */
static enum status read_limits(struct engine *engine, struct tenant_usage *usage, struct arena *arena,
                               struct error *err)
{
    struct record_row row;
    struct tenant tenant = { 0 };
    str name;
    bool there = false;
    TRY(read_name(engine, usage->ns, arena, &name, err));
    usage->is_removed = false;
    if (name.n)
        TRY(found_asked(store_find_record(engine->store, TENANT_ANY, RECORD_TENANT, name, arena, &row, err),
                        &there));
    else TRY(read_removal(engine, usage, arena, err));
    const struct json *record = there ? access_rows_decode(ACCESS_TENANT, row.value, arena) : NULL;
    if (record && tenant_read(name, record, arena, &tenant, NULL) != ST_OK) tenant = (struct tenant){ 0 };
    if (name.n && name.n < sizeof usage->name) memcpy(usage->name, name.p, name.n);
    usage->is_limited = false;
    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        usage->limit[i] = tenant.quota[i];
        usage->is_limited |= tenant.quota[i] > 0;
    }
    return ST_OK;
}

/* ---- numbers ---- */

static enum status count_keys(struct engine *engine, int32_t ns, int64_t *ret_count, struct error *err)
{
    struct record_filter filter = { .ns = ns, .kind = RECORD_KEY_OF, .max = ACCESS_ROWS_AT_ONCE };
    struct record_row *row;
    struct arena arena;
    enum status status = ST_OK;
    size_t count = filter.max;
    *ret_count = 0;
    arena_init(&arena, 0);
    while (status == ST_OK && count == filter.max) {
        status = reader_records(engine->access.reader, &filter, &arena, &row, &count, err);
        if (status != ST_OK || !count) break;
        *ret_count += (int64_t)count;
        filter.after = row[count - 1].key;
    }
    arena_done(&arena);
    return status;
}

static enum status read_numbers(struct engine *engine, struct tenant_usage *usage, struct error *err)
{
    const struct find_filter filter = { .ns = usage->ns, .with_definitions = true };
    struct store_counts counts;
    int64_t living = 0;
    TRY(open_reader(engine, err));
    TRY(reader_counts(engine->access.reader, &filter, &counts, err));
    TRY(count_keys(engine, usage->ns, &usage->used[QUOTA_KEYS], err));
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (!instance_status_ended((enum instance_status)i))
            living += counts.phase[store_phase((enum instance_status)i, false)] +
                      counts.phase[store_phase((enum instance_status)i, true)];
    usage->used[QUOTA_ACTIVE_INSTANCES] = living;
    usage->used[QUOTA_DEFINITIONS] = counts.definitions;
    usage->used[QUOTA_SCHEDULES] = (int64_t)schedules_count(&engine->memory.schedules, usage->ns);
    usage->used[QUOTA_JOBS_IN_FLIGHT] = (int64_t)lanes_in_flight(&engine->memory.jobs, usage->ns);
    return ST_OK;
}

enum status quotas_read(void *context, struct tenant_usage *usage, struct error *err)
{
    struct engine *engine = context;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = read_limits(engine, usage, &arena, err);
    arena_done(&arena);
    if (status == ST_OK && (usage->is_limited || usage->is_counted))
        status = read_numbers(engine, usage, err);
    TRY(status);
    usage->is_counted |= usage->is_limited;
    int64_t jobs = usage_share(&engine->memory.usage, usage->limit[QUOTA_JOBS_IN_FLIGHT]);
    lanes_limit(&engine->memory.jobs, usage->ns, (size_t)jobs);
    return ST_OK;
}

/* ---- bytes ---- */

static struct tenant_usage *find_unmeasured(struct engine *engine)
{
    struct tenant_usage *tenant;
    size_t cursor = 0;
    while ((tenant = map_next(&engine->memory.usage.of_tenant, &cursor)) != NULL)
        if (tenant->is_known && tenant->limit[QUOTA_STORED_BYTES] &&
            engine_is_due(engine, tenant->measure_ms, tenant->measure_every_ms))
            return tenant;
    return NULL;
}

static void begin_measure(struct engine *engine, const struct tenant_usage *tenant)
{
    struct quota_measure *measure = engine->access.measure = calloc(1, sizeof *measure);
    must(measure);
    arena_init(&measure->arena, 0);
    measure->of.ns = tenant->ns;
    measure->used_before = tenant->used[QUOTA_STORED_BYTES];
    measure->began_us = clock_monotonic_us();
}

/* The tenant may have written during the measure, which may have seen it or not: it counts. */
static void end_measure(struct engine *engine, bool succeeded)
{
    struct quota_measure *measure = engine->access.measure;
    struct tenant_usage *tenant = usage_of(&engine->memory.usage, measure->of.ns);
    int64_t took_ms = (clock_monotonic_us() - measure->began_us) / 1000;
    int64_t grown = tenant->used[QUOTA_STORED_BYTES] - measure->used_before;
    if (succeeded) {
        tenant->is_measured = true;
        usage_set(&engine->memory.usage, tenant, QUOTA_STORED_BYTES, measure->of.bytes + grown);
    }
    tenant->measure_every_ms =
        took_ms * MEASURE_REST > MEASURE_INTERVAL_MS ? took_ms * MEASURE_REST : MEASURE_INTERVAL_MS;
    tenant->measure_ms = engine->turn.now_ms + tenant->measure_every_ms;
    arena_done(&measure->arena);
    free(measure);
    engine->access.measure = NULL;
}

enum status quotas_measure(struct engine *engine, bool *ret_more, struct error *err)
{
    struct access *access = &engine->access;
    struct tenant_usage *tenant = access->measure ? NULL : find_unmeasured(engine);
    *ret_more = false;
    if (tenant) begin_measure(engine, tenant);
    if (!access->measure) return ST_OK;
    struct quota_measure *measure = access->measure;
    enum status status = open_reader(engine, err);
    if (status == ST_OK)
        status = reader_measure(access->reader, &measure->of, MEASURE_INSTANCES, &measure->arena, err);
    *ret_more = status == ST_OK;
    if (status != ST_OK || measure->of.is_over) end_measure(engine, status == ST_OK);
    return status;
}

/* ---- showing ---- */

/* The bytes of a tenant are known only if somebody has limited them. */
static bool is_shown(const struct tenant_usage *tenant, enum quota quota)
{
    return quota != QUOTA_STREAMS && (quota != QUOTA_STORED_BYTES || tenant->is_measured);
}

static enum status add_usage(struct turn *turn, struct call *call, size_t i, struct error *err)
{
    struct answer_access_list *answer = &call->value.access_list;
    struct usage *usage = &turn->engine->memory.usage;
    struct tenant_usage *tenant;
    struct json_builder builder;
    TRY(usage_count(usage, answer->ns[i], &tenant, err));
    json_builder_init(&builder, call->arena);
    json_open_object(&builder);
    for (size_t k = 0; k < QUOTA_COUNT; k++) {
        if (!is_shown(tenant, (enum quota)k)) continue;
        json_add_name(&builder, str_of(quota_word((enum quota)k)));
        json_add_int(&builder, usage_now(usage, tenant, (enum quota)k));
    }
    json_close(&builder);
    answer->view[i] = json_set(call->arena, answer->view[i], STR("usage"), json_built(&builder));
    return ST_OK;
}

void quotas_show(struct turn *turn, struct call *call)
{
    struct answer_access_list *answer = &call->value.access_list;
    for (size_t i = 0; answer->ns && i < answer->count && call->status == ST_OK; i++)
        if (answer->ns[i] > TENANT_ANY) call->status = add_usage(turn, call, i, &call->error);
}
