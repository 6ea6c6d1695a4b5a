/* schedule/slot.h — when a schedule is due.
 *
 * A slot is a moment at which a schedule fires. Two rules hold where clocks are changed:
 *
 *  - Fixed hours (`30 2 * * *`): a time that is left out fires at the end of the gap, several of them once; a
 *    time that happens twice fires the first time.
 *  - Every hour or every n hours (the field of hours begins with an asterisk): it fires whenever a clock
 *    shows a time that matches, so an hour that happens twice counts twice, and one that is left out does not
 *    count.
 *
 * An interval counts from its anchor, whatever clocks show. Times are UTC milliseconds.
 */
#ifndef SCHEDULE_SLOT_H
#define SCHEDULE_SLOT_H

#include "schedule/cron.h"
#include "schedule/zone.h"

struct schedule {
    int64_t interval_ms; /* 0: the cron text counts. */
    int64_t anchor_ms;   /* The first slot is one interval later. */
    struct cron cron;
    const struct zone *zone; /* Borrowed. */
};

/* The first slot behind a moment. False if there is none before the clock ends (CLOCK_MS_MAX). */
bool slot_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_ms);

/* The newest slot in after_ms < slot <= until_ms; false if there is none. */
bool slot_newest(const struct schedule *schedule, int64_t after_ms, int64_t until_ms, int64_t *ret_ms);

/* How many slots there are in after_ms < slot <= until_ms; no more than `max` are counted. */
uint64_t slot_count(const struct schedule *schedule, int64_t after_ms, int64_t until_ms, uint64_t max);

#endif
