/* runtime/retention.c — removes, counts and logs instances and rows whose time is over. */
#include "runtime/runtime_int.h"

#include "base/log.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#include <stdio.h>

static int64_t time_before(const struct turn *turn, int64_t age_ms)
{
    return age_ms > 0 ? turn->now_ms - age_ms : INT64_MIN;
}

/* Instances with a retention of their own whose time is over. */
static enum status find_expired(struct engine *engine, size_t max, struct record_row **ret_row,
                                size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_EXPIRY,
                                          .max = max < EXPIRED_PER_TURN_MAX ? max : EXPIRED_PER_TURN_MAX };
    str end = index_record_expiry_before(engine->turn.now_ms + 1, &engine->turn.arena);
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, ret_row, &count, err));
    *ret_count = 0;
    while (*ret_count < count && str_compare((*ret_row)[*ret_count].key, end) < 0) ++*ret_count;
    return ST_OK;
}

/* Removes them, what is old, and records beyond those that are kept. */
static enum status remove_old(struct engine *engine, struct purge *old, size_t max, struct purged *purged,
                              struct error *err)
{
    struct record_row *expired;
    size_t expired_count, bulk_rows = 0, records = 0, seen = 0, searches = 0, hits = 0, audit = 0,
                          sessions = 0;
    TRY(find_expired(engine, max, &expired, &expired_count, err));
    uint64_t *named = arena_make_n(&engine->turn.arena, uint64_t, expired_count);
    for (size_t i = 0; i < expired_count; i++) named[i] = index_record_instance_of(expired[i].key);
    old->instance = named, old->instance_count = expired_count;
    TRY(store_purge(engine->store, old, max, purged, err));
    struct changeset changeset = { .record_remove = expired, .record_remove_count = purged->named };
    if (purged->named) TRY(store_apply(engine->store, &changeset, err));
    TRY(store_purge_bulks(engine->store, old->before_ms, engine->limits.bulks_kept_max, max - purged->total,
                          &bulk_rows, err));
    TRY(store_purge_records(engine->store, RECORD_SEEN, old->keys_before_ms, max, &seen, err));
    TRY(arrive_log_purge(engine, max, &records, err));
    TRY(store_purge_records(engine->store, RECORD_SEARCH, engine->turn.now_ms - SEARCH_KEPT_MS, max,
                            &searches, err));
    TRY(store_purge_records(engine->store, RECORD_HITS, engine->turn.now_ms - SEARCH_KEPT_MS, max, &hits,
                            err));
    TRY(audit_purge(engine, engine->maintenance.retention.audit_ms, max, &audit, err));
    TRY(store_purge_records(engine->store, RECORD_SESSION, engine->turn.now_ms - SESSION_KEPT_MS, max,
                            &sessions, err));
    TRY(store_purge_records(engine->store, RECORD_SESSION_OF, engine->turn.now_ms - SESSION_KEPT_MS, max,
                            &sessions, err));
    purged->keys += bulk_rows, purged->total += bulk_rows;
    purged->more |= purged->total == max || seen == max || records == max || searches == max || hits == max ||
                    audit == max || sessions == max;
    return ST_OK;
}

/* Once for each of them: they are gone now. */
static void log_broken(const struct purged *purged)
{
    char id[ID_CHARS + 1], count[24];
    if (!purged->broken_count) return;
    id_print((struct id){ .instance = purged->broken }, id);
    snprintf(count, sizeof count, "%zu", purged->broken_count);
    log_write(LOG_ERROR, "retention removed instances whose history was broken", "#count", count, "instance",
              id, NULL);
}

enum status retention_purge(struct engine *engine, struct purged *ret_purged, struct error *err)
{
    bool full = !room_for(engine, CALL_START);
    size_t max = full ? PURGED_WHEN_FULL_MAX : PURGED_PER_TURN_MAX;
    const struct retention *retention = &engine->maintenance.retention;
    struct purge old = { .before_ms = time_before(&engine->turn, retention->ended_ms),
                         .failed_before_ms = time_before(&engine->turn, retention->failed_ms),
                         .keys_before_ms = engine->turn.now_ms - engine->limits.idempotency_hours * 3600000,
                         .history_max = full ? PURGED_HISTORY_WHEN_FULL_MAX : PURGED_HISTORY_MAX };
    struct purged purged;
    TRY(store_begin(engine->store, err));
    enum status status = remove_old(engine, &old, max, &purged, err);
    if (status == ST_OK) status = store_commit(engine->store, err);
    if (status != ST_OK) store_rollback(engine->store);
    else *ret_purged = purged;
    if (status == ST_OK) log_broken(&purged);
    arena_reset(&engine->turn.arena);
    return status;
}

/* One line for a round, however many turns it took. */
static void log_purged(struct engine *engine)
{
    const struct purged *purged = &engine->maintenance.purged;
    char completed[24], failed[24], cancelled[24], unmatched[24];
    snprintf(completed, sizeof completed, "%zu", purged->instances[INSTANCE_COMPLETED]);
    snprintf(failed, sizeof failed, "%zu", purged->instances[INSTANCE_FAILED]);
    snprintf(cancelled, sizeof cancelled, "%zu", purged->instances[INSTANCE_CANCELLED]);
    snprintf(unmatched, sizeof unmatched, "%zu", purged->unmatched);
    if (purged->total > purged->keys)
        log_write(LOG_INFO, "retention removed instances and unmatched events", "#completed", completed,
                  "#failed", failed, "#cancelled", cancelled, "#unmatched_events", unmatched, NULL);
    engine->maintenance.purged = (struct purged){ .total = 0 };
}

void retention_count(struct engine *engine, const struct purged *purged, bool over)
{
    struct purged *sum = &engine->maintenance.purged;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) {
        sum->instances[i] += purged->instances[i];
        metric_add(&engine->metrics->instances_purged[i], purged->instances[i]);
    }
    if (purged->total) live_note(&engine->memory.live, TENANT_ANY, LIVE_INSTANCES, STR_NONE);
    sum->unmatched += purged->unmatched;
    sum->keys += purged->keys;
    sum->total += purged->total;
    metric_add(&engine->metrics->purged, purged->total);
    if (over) log_purged(engine);
}
