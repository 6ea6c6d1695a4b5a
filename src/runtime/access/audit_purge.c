/* runtime/access/audit_purge.c — removes rows of the audit that are older than they have to be kept.
 *
 * A tenant's oldest rows go first. A mark remembers the last row of each chain that is gone, so that the rest
 * of the chain can still be checked. The node that leads does it for all; the heads of chains, which other
 * nodes have in memory, stay as they are.
 */
#include "runtime/access/access_int.h"

#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum {
    PURGE_INTERVAL_MS = 60 * 1000,
    TENANTS_AT_ONCE = 20, /* Tenants that one round looks at. */
};

/* All times from 1970 to 9999 begin with this digit (audit_key()). */
static const str any_time = STR_INIT("7");

static enum status mark(struct engine *engine, const struct record_row *last, int64_t node, uint64_t number,
                        struct error *err)
{
    struct arena *arena = &engine->turn.arena;
    struct credential_hash hash = credential_hash(last->value);
    struct audit_head head = { .number = number, .purged = number };
    memcpy(head.hash.bytes, hash.bytes, sizeof head.hash.bytes);
    head.anchor = head.hash;
    struct record_row row = { .ns = last->ns,
                              .kind = RECORD_AUDIT_HEAD,
                              .key = arena_printf(arena, "%lld/purged", (long long)node),
                              .value = audit_head_encode(&head, arena) };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return store_apply(engine->store, &changeset, err);
}

/* Rows come with the oldest first, and so do those of each chain: the last mark of a chain counts. */
static enum status purge_tenant(struct engine *engine, int32_t tenant, int64_t before_ms, size_t max,
                                size_t *ret_count, struct error *err)
{
    const struct record_filter filter = {
        .ns = tenant, .kind = RECORD_AUDIT, .prefix = any_time, .max = max, .down = true
    };
    struct record_row *row;
    size_t count, old = 0;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    for (; old < count; old++) {
        int64_t at_ms, node;
        uint64_t number;
        if (!audit_key_parse(row[old].key, &at_ms, &node, &number)) break;
        if (at_ms >= before_ms) break;
        TRY(mark(engine, &row[old], node, number, err));
    }
    struct changeset changeset = { .record_remove = row, .record_remove_count = old };
    if (old) TRY(store_apply(engine->store, &changeset, err));
    *ret_count += old;
    return ST_OK;
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
