/* tests/fuzz/fuzz_cron.c — cron texts: a text, then perhaps a NUL and the bytes of a TZif file. */

#include "fuzz.h"

#include "base/utf8.h"

#include "schedule/slot.h"

enum { SLOTS = 8 };

static const int64_t begins_ms[] = { 0, INT64_C(1767225600000), INT64_C(4107542400000),
                                     INT64_C(253402300799999) };

static void check_slots(const struct schedule *schedule, int64_t after_ms)
{
    for (size_t i = 0; i < SLOTS; i++) {
        int64_t next_ms, newest_ms;
        if (!slot_next(schedule, after_ms, &next_ms)) return;
        must(next_ms > after_ms && next_ms % 1000 == 0 && next_ms <= CLOCK_MS_MAX);
        must(slot_newest(schedule, after_ms, next_ms, &newest_ms) && newest_ms == next_ms);
        must(!slot_newest(schedule, after_ms, next_ms - 1, &newest_ms));
        must(slot_newest(schedule, after_ms, next_ms + 999, &newest_ms) && newest_ms == next_ms);
        after_ms = next_ms;
    }
}

/* What is said of a span and of a local time agrees. */
static void check_zone(const struct zone *zone, int64_t moment_s)
{
    struct zone_span span = zone_span_at(zone, moment_s);
    must(span.from_s <= moment_s && moment_s < span.to_s);
    int64_t local_s = moment_s + span.offset_s, latest_s = zone_latest_local(zone, moment_s);
    must(latest_s >= local_s);
    struct zone_moments moments = zone_moments(zone, local_s);
    must(moments.first_s <= moment_s && moments.last_s >= moments.first_s);
    must(zone_moments(zone, latest_s).first_s <= moment_s &&
         zone_moments(zone, latest_s + 1).first_s > moment_s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size }, text, bytes;
    struct arena arena;
    struct schedule schedule = { .zone = zone_utc() };
    struct error err = { 0 };
    arena_init(&arena, 0);
    fuzz_split(input, &text, &bytes);
    str block = fuzz_block(bytes);
    const struct zone *zone;
    if (zone_decode(block, &arena, &zone, &err) == ST_OK) schedule.zone = zone;
    else must(err.status == ST_INVALID && err.message[0]);
    fuzz_block_free(block);
    for (size_t i = 0; i < COUNT(begins_ms); i++) check_zone(schedule.zone, begins_ms[i] / 1000);

    enum status status = cron_parse(text, &schedule.cron, &err);
    if (status == ST_OK) {
        must(schedule.cron.seconds && schedule.cron.minutes && schedule.cron.hours && schedule.cron.months);
        for (size_t i = 0; i < COUNT(begins_ms); i++) check_slots(&schedule, begins_ms[i]);
    } else {
        must(status == ST_INVALID && err.status == status && err.message[0] && err.where[0]);
        must(utf8_is_valid(str_of(err.message)));
    }
    arena_done(&arena);
    return 0;
}
