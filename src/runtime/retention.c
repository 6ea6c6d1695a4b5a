/* runtime/retention.c — removes, counts and logs instances and rows whose time is over. */
#include "runtime/engine_int.h"

#include "base/log.h"

#include <stdio.h>

static int64_t time_before(const struct turn *turn, int64_t age_ms)
{
    return age_ms > 0 ? turn->now_ms - age_ms : INT64_MIN;
}

enum status retention_purge(struct engine *engine, size_t max, struct purged *ret_purged, struct error *err)
{
    const struct purge old = { .before_ms = time_before(&engine->turn, engine->retention.ended_ms),
                               .failed_before_ms = time_before(&engine->turn, engine->retention.failed_ms),
                               .keys_before_ms =
                                   engine->turn.now_ms - engine->limits.idempotency_hours * 3600000 };
    struct purged purged;
    size_t bulk_rows = 0;
    TRY(store_begin(engine->store, err));
    enum status status = store_purge(engine->store, &old, max, &purged, err);
    if (status == ST_OK)
        status = store_purge_bulks(engine->store, old.before_ms, engine->limits.bulks_kept_max,
                                   max - purged.total, &bulk_rows, err);
    if (status == ST_OK) purged.keys += bulk_rows, purged.total += bulk_rows;
    if (status == ST_OK) status = store_commit(engine->store, err);
    if (status != ST_OK) store_rollback(engine->store);
    else *ret_purged = purged;
    return status;
}

/* One line for a round, however many turns it took. */
static void log_purged(struct engine *engine)
{
    const struct purged *purged = &engine->purged;
    char completed[24], failed[24], cancelled[24], unmatched[24];
    snprintf(completed, sizeof completed, "%zu", purged->instances[INSTANCE_COMPLETED]);
    snprintf(failed, sizeof failed, "%zu", purged->instances[INSTANCE_FAILED]);
    snprintf(cancelled, sizeof cancelled, "%zu", purged->instances[INSTANCE_CANCELLED]);
    snprintf(unmatched, sizeof unmatched, "%zu", purged->unmatched);
    if (purged->total > purged->keys)
        log_write(LOG_INFO, "retention removed instances and unmatched events", "completed", completed,
                  "failed", failed, "cancelled", cancelled, "unmatched_events", unmatched, NULL);
    engine->purged = (struct purged){ .total = 0 };
}

void retention_count(struct engine *engine, const struct purged *purged, bool over)
{
    struct purged *sum = &engine->purged;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) {
        sum->instances[i] += purged->instances[i];
        metric_add(&engine->metrics->instances_purged[i], purged->instances[i]);
    }
    sum->unmatched += purged->unmatched;
    sum->keys += purged->keys;
    sum->total += purged->total;
    metric_add(&engine->metrics->purged, purged->total);
    if (over) log_purged(engine);
}
