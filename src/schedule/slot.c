/* schedule/slot.c — finds the slots of a schedule before and after a moment. */
#include "schedule/slot.h"

#include "base/clock.h"
#include "schedule/limits.h"

/* ---- fixed hours ----
 *
 * The slot of a local time L is the first moment at which a clock shows L or later. It is behind a moment
 * exactly if no clock has shown L or later until then. So the search is one over local times. */

static bool next_fixed(const struct schedule *schedule, int64_t after_s, int64_t end_s, int64_t *ret_s)
{
    int64_t local_s, shown_s = zone_latest_local(schedule->zone, after_s);
    int64_t last_s = zone_latest_local(schedule->zone, end_s);
    if (!cron_first(&schedule->cron, shown_s + 1, last_s, &local_s)) return false;
    *ret_s = zone_moments(schedule->zone, local_s).first_s;
    return true;
}

static bool newest_fixed(const struct schedule *schedule, int64_t after_s, int64_t until_s, int64_t *ret_s)
{
    int64_t local_s, shown_s = zone_latest_local(schedule->zone, until_s);
    int64_t first_s = zone_latest_local(schedule->zone, after_s) + 1;
    if (!cron_last(&schedule->cron, first_s, shown_s, &local_s)) return false;
    *ret_s = zone_moments(schedule->zone, local_s).first_s;
    return true;
}

/* ---- every so many hours: whatever clocks show, span by span ---- */

static bool next_hourly(const struct schedule *schedule, int64_t after_s, int64_t end_s, int64_t *ret_s)
{
    /* A text may ask for nothing but times that its zone leaves out, and then there is no slot. */
    int64_t far_s = after_s + CRON_YEARS_MAX * INT64_C(366) * 86400;
    if (end_s > far_s) end_s = far_s;
    for (int64_t from_s = after_s + 1; from_s <= end_s;) {
        struct zone_span span = zone_span_at(schedule->zone, from_s);
        int64_t to_s = span.to_s - 1 < end_s ? span.to_s - 1 : end_s, local_s;
        if (cron_first(&schedule->cron, from_s + span.offset_s, to_s + span.offset_s, &local_s)) {
            *ret_s = local_s - span.offset_s;
            return true;
        }
        from_s = to_s + 1;
    }
    return false;
}

static bool newest_hourly(const struct schedule *schedule, int64_t after_s, int64_t until_s, int64_t *ret_s)
{
    while (until_s > after_s) {
        struct zone_span span = zone_span_at(schedule->zone, until_s);
        int64_t from_s = span.from_s > after_s ? span.from_s : after_s + 1, local_s;
        if (cron_last(&schedule->cron, from_s + span.offset_s, until_s + span.offset_s, &local_s)) {
            *ret_s = local_s - span.offset_s;
            return true;
        }
        until_s = from_s - 1;
    }
    return false;
}

/* ---- both, and intervals ---- */

static int64_t seconds_of(int64_t ms) { return ms / 1000; }

bool slot_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_ms)
{
    after_ms = clock_within(after_ms);
    if (schedule->interval_ms) {
        int64_t interval_ms = schedule->interval_ms, gone_ms = after_ms - schedule->anchor_ms;
        int64_t slot_ms = gone_ms < 0 ? schedule->anchor_ms : after_ms - gone_ms % interval_ms;
        if (interval_ms > CLOCK_MS_MAX - slot_ms) return false;
        *ret_ms = slot_ms + interval_ms;
        return true;
    }
    int64_t slot_s, after_s = seconds_of(after_ms), end_s = seconds_of(CLOCK_MS_MAX);
    if (!(schedule->cron.hourly ? next_hourly : next_fixed)(schedule, after_s, end_s, &slot_s)) return false;
    *ret_ms = slot_s * 1000;
    return true;
}

bool slot_newest(const struct schedule *schedule, int64_t after_ms, int64_t until_ms, int64_t *ret_ms)
{
    after_ms = clock_within(after_ms), until_ms = clock_within(until_ms);
    if (until_ms <= after_ms) return false;
    if (schedule->interval_ms) {
        int64_t gone_ms = until_ms - schedule->anchor_ms;
        if (gone_ms < schedule->interval_ms) return false;
        int64_t slot_ms = until_ms - gone_ms % schedule->interval_ms;
        if (slot_ms <= after_ms) return false;
        *ret_ms = slot_ms;
        return true;
    }
    int64_t slot_s, after_s = seconds_of(after_ms), until_s = seconds_of(until_ms);
    if (!(schedule->cron.hourly ? newest_hourly : newest_fixed)(schedule, after_s, until_s, &slot_s))
        return false;
    *ret_ms = slot_s * 1000;
    return true;
}

uint64_t slot_count(const struct schedule *schedule, int64_t after_ms, int64_t until_ms, uint64_t max)
{
    uint64_t count = 0;
    for (int64_t slot_ms; count < max && slot_next(schedule, after_ms, &slot_ms) && slot_ms <= until_ms;
         count++)
        after_ms = slot_ms;
    return count;
}
