/* schedule/cron.h — cron texts: which local times somebody wants.
 *
 *     [second] minute hour day-of-month month day-of-week
 *
 * Five fields, or six with the second first. A field is a list of values, ranges (1-5), steps (0-30/10, 5/15:
 * from 5 on, every fifteenth) and `*`. Months and weekdays have names (JAN, mon) too; 0 and 7 are Sunday. `?`
 * is `*` in the two fields of days. `L` is the last day of the month, `5L` its last Friday, `5#2` its second
 * Friday. The macros
 * @hourly, @daily or @midnight, @weekly, @monthly, @yearly or @annually stand for their usual texts.
 *
 * A day is chosen by both fields of days, except that a day need only satisfy one of them when neither of
 * them begins with `*` or `?`: the old rule of crontab(5).
 *
 * The same struct is made when a definition is published and when its schedule ticks: there is one parser.
 */
#ifndef SCHEDULE_CRON_H
#define SCHEDULE_CRON_H

#include "base/status.h"

/* Bit n of a set is the value n. A value: copy it. */
struct cron {
    uint64_t seconds;
    uint64_t minutes;
    uint32_t hours;
    uint32_t days; /* Days of the month, from 1. */
    uint16_t months;
    uint8_t weekdays;        /* Sunday is 0. */
    uint8_t last_weekdays;   /* The last one of the month: 5L. */
    uint8_t nth_weekdays[5]; /* The (n + 1)th one of the month: 5#2. */
    bool last_day;           /* L */
    bool any_day;            /* The field of days begins with `*` or `?`. */
    bool any_weekday;
    bool hourly; /* The field of hours begins with `*`: it asks for a rhythm, not for times of the day. */
};

/* ST_INVALID with a sentence that names the field for a text that is no cron text, or can never be satisfied.
 */
enum status cron_parse(str text, struct cron *ret_cron, struct error *err);

/* The first local time of the text in from_s <= time <= to_s, or the last one: seconds since 1970 of the date
 * and time that a clock shows. False if there is none; at most CRON_YEARS_MAX years are searched. */
bool cron_first(const struct cron *cron, int64_t from_s, int64_t to_s, int64_t *ret_s);
bool cron_last(const struct cron *cron, int64_t from_s, int64_t to_s, int64_t *ret_s);

#endif
