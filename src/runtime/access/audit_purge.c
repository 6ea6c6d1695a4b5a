/* runtime/access/audit_purge.c — removes blocks of the audit, and rows of older stores, that are older than
 * they have to be kept.
 *
 * A tenant's oldest ones go first. A mark remembers the last row of each chain that is gone, so that the
 * rest of the chain can still be checked, and can go on when all of it is gone. The node that leads does it
 * for all; the heads of chains, which other nodes have in memory, stay as they are.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

enum {
    PURGE_INTERVAL_MS = 60 * 1000,
    TENANTS_AT_ONCE = 20, /* Tenants that one round looks at. */
};

/* The last row of a record that goes. */
struct audit_gone {
    int64_t at_ms, node;
    uint64_t number;
};

static enum status mark(struct engine *engine, const struct record_row *last, const struct audit_gone *gone,
                        struct error *err)
{
    struct arena *arena = &engine->turn.arena;
    struct audit_head head = { .at_ms = gone->at_ms, .number = gone->number, .purged = gone->number };
    head.hash = head.anchor = audit_hash_of(last->value);
    struct record_row row = { .ns = last->ns,
                              .kind = RECORD_AUDIT_HEAD,
                              .key = audit_note_mark_key(gone->node, arena),
                              .value = audit_head_encode(&head, arena) };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return store_apply(engine->store, &changeset, err);
}

/* False: nobody knows how old the record is. A damaged block counts as one row, so that the check of the
 * audit misses the others. */
static bool read_gone(const struct record_row *row, struct arena *arena, struct audit_gone *ret_gone)
{
    struct audit_block block;
    if (row->kind == RECORD_AUDIT)
        return audit_key_parse(row->key, &ret_gone->at_ms, &ret_gone->node, &ret_gone->number);
    if (!audit_block_key_parse(row->key, &ret_gone->at_ms, &ret_gone->node, &ret_gone->number)) return false;
    if (audit_block_decode(row->value, arena, &block, NULL) == ST_OK) ret_gone->number += block.count - 1;
    return ret_gone->number <= INT64_MAX;
}

/* All times from 1970 to 9999 begin with this digit (audit_key()). The keys of rows list the newest first,
 * those of blocks the oldest. */
static struct record_filter oldest_first(int32_t tenant, enum record_kind kind, size_t max)
{
    bool is_row = kind == RECORD_AUDIT;
    return (struct record_filter){ .ns = tenant,
                                   .kind = kind,
                                   .prefix = is_row ? STR("7") : AUDIT_BLOCK_PREFIX,
                                   .max = max,
                                   .down = is_row };
}

/* Records come with the oldest first, and so do those of each chain: the last mark of a chain counts. */
static enum status purge_kind(struct engine *engine, int32_t tenant, enum record_kind kind, int64_t before_ms,
                              size_t max, size_t *ret_count, struct error *err)
{
    const struct record_filter filter = oldest_first(tenant, kind, max);
    struct record_row *row;
    size_t count, old = 0;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    must(count <= max && tenant > TENANT_ANY);
    for (; old < count; old++) {
        struct audit_gone gone;
        if (!read_gone(&row[old], &engine->turn.arena, &gone) || gone.at_ms >= before_ms) break;
        TRY(mark(engine, &row[old], &gone, err));
    }
    struct changeset changeset = { .record_remove = row, .record_remove_count = old };
    if (old) TRY(store_apply(engine->store, &changeset, err));
    *ret_count += old;
    return ST_OK;
}

/* The blocks of a chain are behind its rows of an older store. */
static enum status purge_tenant(struct engine *engine, int32_t tenant, int64_t before_ms, size_t max,
                                size_t *ret_count, struct error *err)
{
    size_t rows = 0;
    TRY(purge_kind(engine, tenant, RECORD_AUDIT, before_ms, max, &rows, err));
    *ret_count += rows;
    if (rows == max) return ST_OK;
    return purge_kind(engine, tenant, RECORD_AUDIT_BLOCK, before_ms, max - rows, ret_count, err);
}

static int32_t number_of(str key)
{
    uint32_t number = 0;
    for (size_t i = 0; i < key.n; i++) number = number << 8 | (unsigned char)key.p[i];
    return (int32_t)number;
}

enum status audit_purge(struct engine *engine, int64_t kept_ms, size_t max, size_t *ret_count,
                        struct error *err)
{
    struct access *access = &engine->access;
    int64_t now_ms = engine->turn.now_ms;
    *ret_count = 0;
    if (!kept_ms || !engine_is_due(engine, access->next_purge_ms, PURGE_INTERVAL_MS)) return ST_OK;
    struct record_filter filter = { .ns = TENANT_ANY, .kind = RECORD_TENANT_NUMBER, .max = TENANTS_AT_ONCE };
    struct record_row *row;
    size_t count;
    if (access->purged_tenant)
        filter.after = access_rows_number_key(access->purged_tenant, &engine->turn.arena);
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    if (!access->purged_tenant)
        TRY(purge_tenant(engine, TENANT_DEFAULT, now_ms - kept_ms, max, ret_count, err));
    int32_t last = TENANT_DEFAULT;
    for (size_t i = 0; i < count && *ret_count < max; i++) {
        last = number_of(row[i].key);
        if (last != TENANT_DEFAULT)
            TRY(purge_tenant(engine, last, now_ms - kept_ms, max - *ret_count, ret_count, err));
    }
    if (*ret_count >= max) return ST_OK; /* There may be more of the same tenants: they come at once. */
    access->purged_tenant = count == TENANTS_AT_ONCE ? last : 0;
    access->next_purge_ms = now_ms + PURGE_INTERVAL_MS;
    return ST_OK;
}
