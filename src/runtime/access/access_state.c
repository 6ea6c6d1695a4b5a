/* runtime/access/access_state.c — the directory follows what the store has.
 *
 * One record counts the changes of access. A transaction that changes something counts it up. The directory
 * hears of it when the transaction has committed, or with the next heartbeat if another node has made it.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

static enum status read_number(struct engine *engine, str key, uint64_t *ret_number, struct error *err)
{
    struct record_row row;
    struct arena arena;
    bool there = false;
    arena_init(&arena, 0);
    enum status status = found_asked(
        store_find_record(engine->store, TENANT_ANY, RECORD_ACCESS, key, &arena, &row, err), &there);
    *ret_number = status == ST_OK && there ? access_rows_generation(row.value) : 0;
    arena_done(&arena);
    return status;
}

static enum status has_any(struct engine *engine, enum record_kind kind, bool *ret_any, struct error *err)
{
    const struct record_filter filter = { .ns = TENANT_ANY, .kind = kind, .max = 1 };
    struct record_row *row;
    struct arena arena;
    size_t count = 0;
    arena_init(&arena, 0);
    enum status status = store_records(engine->store, &filter, &arena, &row, &count, err);
    arena_done(&arena);
    *ret_any = count > 0;
    return status;
}

static enum status read_members(struct engine *engine, struct directory *directory, struct error *err)
{
    bool has_users, has_issuers;
    TRY(has_any(engine, RECORD_USER, &has_users, err));
    TRY(has_any(engine, RECORD_ISSUER, &has_issuers, err));
    directory_set_members(directory, has_users, has_issuers);
    return ST_OK;
}

/* ---- tenants that others have changed ---- */

/* The record of a tenant that the directory knows. */
static enum status read_tenant(struct engine *engine, str name, struct arena *arena, struct error *err)
{
    struct directory *directory = engine->access.directory;
    struct record_row row;
    struct tenant tenant;
    bool there;
    TRY(found_asked(store_find_record(engine->store, TENANT_ANY, RECORD_TENANT, name, arena, &row, err),
                    &there));
    const struct json *record = there ? access_rows_decode(ACCESS_TENANT, row.value, arena)
                                : str_equal(name, STR("default")) ? access_rows_default_tenant(arena)
                                                                  : NULL;
    if (record && tenant_read(name, record, arena, &tenant, NULL) == ST_OK)
        directory_keep_tenant(directory, &tenant);
    else directory_forget_tenant(directory, name);
    return ST_OK;
}

/* All that the directory knows, or has to know. At the start this is `default`, for its quotas, and the
 * tenants of trusted networks and certificates, whose callers bring no credential to be resolved. */
static enum status read_known_tenants(struct engine *engine, struct error *err)
{
    struct access *access = &engine->access;
    struct arena arena;
    str *name;
    arena_init(&arena, 0);
    size_t count = directory_known_tenants(access->directory, &arena, &name);
    enum status status = ST_OK;
    for (size_t i = 0; i < count && status == ST_OK; i++) status = read_tenant(engine, name[i], &arena, err);
    arena_done(&arena);
    return status;
}

static enum status read_tenants(struct engine *engine, struct error *err)
{
    struct access *access = &engine->access;
    uint64_t generation;
    TRY(read_number(engine, STR("tenants"), &generation, err));
    if (generation == access->tenants_generation) return ST_OK;
    usage_forget(&engine->memory.usage, TENANT_ANY);
    directory_tenants_changed(access->directory);
    TRY(read_known_tenants(engine, err));
    access->tenants_generation = generation;
    return ST_OK;
}

/* ---- the interface ---- */

enum status access_state_open(struct engine *engine, struct directory *directory, struct error *err)
{
    struct access *access = &engine->access;
    must(directory && !access->directory);
    TRY(read_number(engine, STR("generation"), &access->seen_generation, err));
    TRY(read_number(engine, STR("tenants"), &access->tenants_generation, err));
    TRY(ended_sessions_open(engine, err));
    TRY(read_members(engine, directory, err));
    directory_advance(directory, access->seen_generation);
    access->directory = engine->memory.directory = directory;
    TRY(read_known_tenants(engine, err));
    if (!engine->access.touched) engine->access.touched = touched_new();
    return ST_OK;
}

void access_state_close(struct engine *engine)
{
    touched_free(engine->access.touched);
    quotas_close(engine);
    audit_note_close(engine);
}

/* The value of the record with the key; empty: there is none. */
static str value_of(const struct record_row *row, size_t count, str key)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(row[i].key, key)) return row[i].value;
    return STR_NONE;
}

/* A heartbeat asks for all records together. */
static enum status look_at_numbers(struct engine *engine, uint64_t *ret_generation, struct error *err)
{
    static const str ended = ENDED_SESSIONS;
    const struct record_filter filter = { .ns = TENANT_ANY,
                                          .kind = RECORD_ACCESS,
                                          .max = ACCESS_ROWS_AT_ONCE };
    struct record_row *row;
    struct arena arena;
    size_t count;
    arena_init(&arena, 0);
    enum status status = store_records(engine->store, &filter, &arena, &row, &count, err);
    if (status == ST_OK) {
        ended_sessions_look(engine, value_of(row, count, ended));
        *ret_generation = access_rows_generation(value_of(row, count, STR("generation")));
    }
    arena_done(&arena);
    return status;
}

enum status access_state_look(struct engine *engine, struct error *err)
{
    struct directory *directory = engine->access.directory;
    uint64_t generation;
    if (!directory) return ST_OK;
    TRY(look_at_numbers(engine, &generation, err));
    if (generation == engine->access.seen_generation) return ST_OK;
    TRY(read_tenants(engine, err));
    TRY(read_members(engine, directory, err));
    directory_advance(directory, generation);
    engine->access.seen_generation = generation;
    return ST_OK;
}

/* Generations of all nodes have one row of numbers. If there is one between ours and the last one that we
 * have seen, another node has changed something, and the next look reads it. */
static void note_seen(struct access *access, const struct access_news *news)
{
    if (news->first_generation != access->seen_generation + 1) return;
    access->seen_generation = news->generation;
    if (news->first_tenant) access->tenants_generation = news->generation;
}

void access_state_end(struct turn *turn, bool committed)
{
    struct directory *directory = turn->engine->access.directory;
    const struct access_news *news = turn->access_news;
    turn->access_news = NULL;
    must(!turn->in_transaction || !news || committed || turn->failed != ST_OK);
    for (const struct access_tenant_news *one = committed && news ? news->first_tenant : NULL; one;
         one = one->next)
        usage_forget(&turn->engine->memory.usage, one->tenant.number);
    if (!committed || !news || !directory) return;
    for (const struct access_tenant_news *one = news->first_tenant; one; one = one->next) {
        if (one->is_gone) directory_forget_tenant(directory, one->tenant.name);
        else directory_keep_tenant(directory, &one->tenant);
    }
    directory_set_members(directory, news->has_users, news->has_issuers);
    ended_sessions_tell(turn->engine, news);
    if (!news->generation) return;
    directory_advance(directory, news->generation);
    note_seen(&turn->engine->access, news);
    nodes_wake_others(turn->engine, STORE_WAKE_ACCESS);
}
