/* tests/sim/checker_schedule.c — the slots of schedules.
 *
 * A schedule is that of the latest version: every n seconds from its publication, or at the seconds of a
 * minute that n divides. A slot fires once, however often the engine dies and whatever its clock does; it
 * does not fire early; a late one fires only if the schedule makes up for missed slots, and then it is the
 * newest. When the faults have stopped, slots fire as they come. If nothing makes up for slots that did not
 * fire, the log of arrivals tells of them, once.
 */
#include "record.h"

#include "base/datetime.h"
#include "server.h"

#include <inttypes.h>

enum {
    LATE_MS = 60000,  /* A slot that comes later was missed. */
    DELAY_MS = 15000, /* So long may the engine wait after a transaction that failed. */
};

static struct model_schedule *schedule_of(struct checker *checker, str definition_id)
{
    for (size_t i = 0; i < checker->schedules.count; i++)
        if (str_equal(checker->schedules.item[i].definition_id, definition_id))
            return &checker->schedules.item[i];
    struct model_schedule *schedule = list_push(&checker->arena, &checker->schedules);
    *schedule = (struct model_schedule){ .definition_id = definition_id };
    return schedule;
}

/* Is there a slot at that moment? */
static bool is_slot(const struct spec *spec, int64_t slot_ms)
{
    if (spec->by_cron) return slot_ms % 1000 == 0 && slot_ms / 1000 % 60 % (spec->tick_ms / 1000) == 0;
    return slot_ms > spec->published_ms && (slot_ms - spec->published_ms) % spec->tick_ms == 0;
}

/* The first slot behind a moment. */
static int64_t slot_behind(const struct spec *spec, int64_t ms)
{
    int64_t from_ms = spec->by_cron ? 0 : spec->published_ms, every_ms = spec->by_cron ? 1000 : spec->tick_ms;
    int64_t next_ms = from_ms + every_ms;
    if (ms > from_ms) next_ms += (ms - from_ms) / every_ms * every_ms;
    while (!is_slot(spec, next_ms)) next_ms += every_ms;
    return next_ms;
}

/* When the definition was published last, by the clock that was furthest ahead: no slot before fires, because
 * it may have fired already. */
static int64_t published_ms(const struct checker *checker, str id)
{
    int64_t last_ms = 0;
    for (size_t i = 0; i < checker->specs.count; i++)
        if (str_equal(checker->specs.item[i]->id, id) && checker->specs.item[i]->published_ms > last_ms)
            last_ms = checker->specs.item[i]->published_ms;
    return last_ms;
}

/* Slots before this one did not fire: the log must tell. Those before the newest version are nobody's. */
static void note_skipped(const struct checker *checker, struct model_schedule *schedule,
                         const struct spec *spec, int64_t slot_ms)
{
    int64_t after_ms = schedule->told_ms > schedule->last_ms ? schedule->told_ms : schedule->last_ms;
    if (spec->fires_missed || after_ms < published_ms(checker, spec->id) ||
        slot_behind(spec, after_ms) >= slot_ms)
        return;
    if (!schedule->skipped_ms) schedule->skipped_after_ms = after_ms;
    schedule->skipped_ms = slot_ms;
}

/* Intervals count from their publication, and slots are shown without their milliseconds. */
static bool read_slot(const struct spec *spec, str text, int64_t *ret_slot_ms)
{
    if (!datetime_parse(text, ret_slot_ms)) return false;
    if (!spec->by_cron) *ret_slot_ms += spec->published_ms % 1000;
    return is_slot(spec, *ret_slot_ms);
}

/* "1 slot, 2026-…", or "12 slots, from 2026-… to 2026-…" */
static bool read_missed(const struct spec *spec, str note, int64_t *ret_count, int64_t *ret_first_ms,
                        int64_t *ret_last_ms)
{
    size_t blank = str_find(note, STR(" "), 0), comma = str_find(note, STR(", "), 0),
           to = str_find(note, STR(" to "), 0);
    if (blank == SIZE_MAX || comma == SIZE_MAX || !str_to_int64(str_slice(note, 0, blank), ret_count))
        return false;
    size_t from = to == SIZE_MAX ? comma + 2 : comma + strlen(", from ");
    str first = str_slice(note, from, to == SIZE_MAX ? note.n : to);
    str last = to == SIZE_MAX ? first : str_slice(note, to + strlen(" to "), note.n);
    return read_slot(spec, first, ret_first_ms) && read_slot(spec, last, ret_last_ms);
}

static int64_t slots_between(const struct spec *spec, int64_t first_ms, int64_t last_ms)
{
    int64_t count = 1;
    for (; first_ms < last_ms; count++) first_ms = slot_behind(spec, first_ms);
    return count;
}

static bool is_within(int64_t slot_ms, int64_t first_ms, int64_t last_ms)
{
    return slot_ms >= first_ms && slot_ms <= last_ms;
}

void checker_slots_missed(struct world *world, const struct spec *spec, str note)
{
    int64_t count, first_ms, last_ms;
    if (!spec || !spec->tick_ms || spec->fires_missed ||
        !read_missed(spec, note, &count, &first_ms, &last_ms)) {
        violated(world, "the log tells of missed slots that there are not: %.*s", STR_ARG(note));
        return;
    }
    struct model_schedule *schedule = schedule_of(world->checker, spec->id);
    trace(world, "commit: %.*s has missed %.*s", STR_ARG(spec->id), STR_ARG(note));
    if (first_ms <= schedule->told_ms) violated(world, "slot %" PRId64 " was missed twice", first_ms);
    else if (is_within(schedule->last_ms, first_ms, last_ms) ||
             is_within(schedule->before_ms, first_ms, last_ms))
        violated(world, "a slot from %" PRId64 " to %" PRId64 " was missed, and fired", first_ms, last_ms);
    else if (last_ms > world_wall_ms(world))
        violated(world, "slot %" PRId64 " was missed before its time", last_ms);
    else if (count != slots_between(spec, first_ms, last_ms))
        violated(world, "%" PRId64 " slots were missed, and not %.*s", slots_between(spec, first_ms, last_ms),
                 STR_ARG(note));
    schedule->told_ms = last_ms;
    if (schedule->skipped_ms && first_ms == slot_behind(spec, schedule->skipped_after_ms) &&
        slot_behind(spec, last_ms) == schedule->skipped_ms)
        schedule->skipped_ms = 0;
}

void checker_slot(struct record *record)
{
    const struct spec *spec = record->instance->spec;
    const struct entry *data = record_find(record->history, ENTRY_KIND_SCOPE_DATA);
    const struct json *slot = data ? json_pointer(data->json, STR("/trigger/scheduled_for")) : NULL;
    int64_t slot_ms, at_ms = record->history->at_ms;
    if (!spec->tick_ms) {
        bad(record, "it has no schedule");
        return;
    }
    if (!json_is(slot, JSON_STRING) || !datetime_parse(json_string(slot), &slot_ms)) {
        bad(record, "nobody knows for which slot it is");
        return;
    }
    /* It is shown without its milliseconds. */
    if (!spec->by_cron) slot_ms += spec->published_ms % 1000;
    struct model_schedule *schedule = schedule_of(record->checker, spec->id);
    trace(record->world, "commit: slot %" PRId64 " of %.*s", slot_ms, STR_ARG(spec->id));
    if (!is_slot(spec, slot_ms)) bad(record, "%" PRId64 " is not a slot of its schedule", slot_ms);
    else if (slot_ms <= schedule->told_ms) bad(record, "slot %" PRId64 " fires, and was missed", slot_ms);
    else if (slot_ms <= schedule->last_ms)
        bad(record, "slot %" PRId64 " fires after %" PRId64, slot_ms, schedule->last_ms);
    else if (slot_ms > at_ms) bad(record, "slot %" PRId64 " fires at %" PRId64, slot_ms, at_ms);
    else if (!spec->fires_missed && slot_ms <= at_ms - LATE_MS)
        bad(record, "slot %" PRId64 " was missed, and nothing makes up for it", slot_ms);
    else if (slot_ms <= at_ms - LATE_MS && slot_behind(spec, slot_ms) <= at_ms)
        bad(record, "slot %" PRId64 " was missed, and is not the newest", slot_ms);
    note_skipped(record->checker, schedule, spec, slot_ms);
    schedule->before_ms = schedule->last_ms;
    schedule->last_ms = slot_ms;
}

void checker_slots_end(struct world *world)
{
    struct checker *checker = world->checker;
    int64_t wall_ms = world_wall_ms(world), calm_ms = world->calm_ms + world->skew_ms;
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        if (!spec->tick_ms || spec != model_latest(checker, spec->id)) continue;
        /* The longest time between two slots. */
        int64_t gap_ms = spec->by_cron ? 60000 : spec->tick_ms;
        int64_t since_ms = published_ms(checker, spec->id);
        if (since_ms < calm_ms) since_ms = calm_ms;
        const struct model_schedule *schedule = schedule_of(checker, spec->id);
        /* A slot that the log tells of is dealt with, also if the clock was set back since. */
        int64_t last_ms = schedule->last_ms > schedule->told_ms ? schedule->last_ms : schedule->told_ms;
        if (schedule->skipped_ms > published_ms(checker, spec->id) &&
            schedule->skipped_ms < wall_ms - DELAY_MS)
            violated(world, "%.*s fired at %" PRId64 " and not before, and nobody tells", STR_ARG(spec->id),
                     schedule->skipped_ms);
        if (wall_ms - since_ms > gap_ms + DELAY_MS && last_ms < wall_ms - gap_ms - DELAY_MS)
            violated(world, "%.*s fired last at %" PRId64 ", and now it is %" PRId64, STR_ARG(spec->id),
                     last_ms, wall_ms);
    }
}

/* Memory follows from the store. */
void checker_schedules_loaded(struct world *world, const struct engine *engine, const struct engine *second)
{
    size_t cursor = 0;
    /* The store failed when they were read. They are read again. */
    if (engine->memory.schedules.stale) return;
    if (engine->memory.schedules.count != second->memory.schedules.count)
        violated(world, "%zu schedules in memory, %zu after a restart", engine->memory.schedules.count,
                 second->memory.schedules.count);
    for (const struct scheduled *scheduled;
         (scheduled = text_map_next(&engine->memory.schedules.of_definition, &cursor)) != NULL;) {
        const struct scheduled *other =
            schedules_find(&second->memory.schedules, scheduled->definition, scheduled->trigger);
        if (!other || other->stored_mark_ms != scheduled->stored_mark_ms)
            violated(world, "the schedule of %.*s is another one after a restart",
                     STR_ARG(scheduled->definition_id));
    }
}
