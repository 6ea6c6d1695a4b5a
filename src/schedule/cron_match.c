/* schedule/cron_match.c — the local times that a cron text asks for.
 *
 * A month is decided at once: the days of a month that match are a set of bits. So a search of years looks at
 * few hundred months, and at no day.
 */
#include "base/datetime.h"
#include "schedule/cron.h"
#include "schedule/limits.h"

enum { DAY_S = 86400, WEEK = 7 };

/* ---- sets ---- */

static int lowest(uint64_t set) { return __builtin_ctzll(set); }
static int highest(uint64_t set) { return 63 - __builtin_clzll(set); }
static uint64_t from_bit(uint64_t set, int bit) { return bit > 63 ? 0 : set >> bit << bit; }
static uint64_t to_bit(uint64_t set, int bit) { return bit < 0 ? 0 : set & (UINT64_MAX >> (63 - bit)); }

/* Days 1 to 31 that are `weekday`, if the first of the month is `first`. */
static uint32_t days_of_weekday(int weekday, int first)
{
    uint32_t days = 0;
    for (int day = 1 + (weekday - first + WEEK) % WEEK; day <= 31; day += WEEK) days |= UINT32_C(1) << day;
    return days;
}

static uint32_t weekday_set(const struct cron *cron, int first, int length)
{
    uint32_t set = 0, month = (uint32_t)to_bit(UINT32_MAX, length) & ~UINT32_C(1);
    if (cron->weekdays == 0x7f) return month;
    for (int weekday = 0; weekday < WEEK; weekday++) {
        uint32_t days = days_of_weekday(weekday, first) & month;
        if (cron->weekdays >> weekday & 1) set |= days;
        if (cron->last_weekdays >> weekday & 1) set |= UINT32_C(1) << highest(days);
        for (int nth = 0; nth < (int)COUNT(cron->nth_weekdays); nth++)
            if (cron->nth_weekdays[nth] >> weekday & 1)
                set |= month & (uint32_t)((uint64_t)1 << (lowest(days) + nth * WEEK));
    }
    return set;
}

/* The days of a month that match. */
static uint32_t day_set(const struct cron *cron, int64_t year, int month)
{
    if (!(cron->months >> month & 1)) return 0;
    int length = datetime_days_in_month(year, month);
    int64_t days = datetime_days(year, month, 1);
    int64_t first = (days + 4) % WEEK;
    uint32_t of_month = (uint32_t)to_bit(cron->days, length);
    if (cron->last_day) of_month |= UINT32_C(1) << length;
    uint32_t of_week = weekday_set(cron, (int)(first < 0 ? first + WEEK : first), length);
    return cron->any_day || cron->any_weekday ? of_month & of_week : of_month | of_week;
}

/* ---- times of a day ---- */

/* The first second of a day that matches and is not before `from`, or -1. */
static int first_of_day(const struct cron *cron, int from)
{
    uint64_t hours = from_bit(cron->hours, from / 3600);
    if (!hours) return -1;
    int hour = lowest(hours), minute_from = hour == from / 3600 ? from / 60 % 60 : 0;
    int second_from = hour == from / 3600 ? from % 60 : 0;
    uint64_t minutes = from_bit(cron->minutes, minute_from);
    if (minutes) {
        int minute = lowest(minutes);
        uint64_t seconds = from_bit(cron->seconds, minute == minute_from ? second_from : 0);
        if (seconds) return hour * 3600 + minute * 60 + lowest(seconds);
        minutes = from_bit(cron->minutes, minute + 1);
        if (minutes) return hour * 3600 + lowest(minutes) * 60 + lowest(cron->seconds);
    }
    hours = from_bit(cron->hours, hour + 1);
    return hours ? lowest(hours) * 3600 + lowest(cron->minutes) * 60 + lowest(cron->seconds) : -1;
}

/* The last second of a day that matches and is not after `to`, or -1. */
static int last_of_day(const struct cron *cron, int to)
{
    uint64_t hours = to_bit(cron->hours, to / 3600);
    if (!hours) return -1;
    int hour = highest(hours), minute_to = hour == to / 3600 ? to / 60 % 60 : 59;
    int second_to = hour == to / 3600 ? to % 60 : 59;
    uint64_t minutes = to_bit(cron->minutes, minute_to);
    if (minutes) {
        int minute = highest(minutes);
        uint64_t seconds = to_bit(cron->seconds, minute == minute_to ? second_to : 59);
        if (seconds) return hour * 3600 + minute * 60 + highest(seconds);
        minutes = to_bit(cron->minutes, minute - 1);
        if (minutes) return hour * 3600 + highest(minutes) * 60 + highest(cron->seconds);
    }
    hours = to_bit(cron->hours, hour - 1);
    return hours ? highest(hours) * 3600 + highest(cron->minutes) * 60 + highest(cron->seconds) : -1;
}

/* ---- days ---- */

static int64_t day_of(int64_t time_s) { return time_s / DAY_S - (time_s % DAY_S < 0); }

/* The first matching day in [from, to]. Days count from 1970-01-01. */
static bool first_day(const struct cron *cron, int64_t from, int64_t to, int64_t *ret_day)
{
    struct date date = datetime_date(from);
    int64_t year = date.year;
    int month = (int)date.month, first = (int)date.day;
    for (int i = 0; i <= CRON_YEARS_MAX * 12; i++, first = 1) {
        if (datetime_days(year, month, first) > to) return false;
        uint64_t days = from_bit(day_set(cron, year, month), first);
        if (days) {
            *ret_day = datetime_days(year, month, lowest(days));
            return *ret_day <= to;
        }
        month = month == 12 ? 1 : month + 1;
        if (month == 1) year++;
    }
    return false;
}

static bool last_day(const struct cron *cron, int64_t from, int64_t to, int64_t *ret_day)
{
    struct date date = datetime_date(to);
    int64_t year = date.year;
    int month = (int)date.month, last = (int)date.day;
    for (int i = 0; i <= CRON_YEARS_MAX * 12; i++, last = 31) {
        uint64_t days = to_bit(day_set(cron, year, month), last);
        if (days) {
            *ret_day = datetime_days(year, month, highest(days));
            return *ret_day >= from;
        }
        if (datetime_days(year, month, 1) <= from) return false;
        month = month == 1 ? 12 : month - 1;
        if (month == 12) year--;
    }
    return false;
}

/* ---- both ---- */

bool cron_first(const struct cron *cron, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
    if (from_s > to_s) return false;
    int64_t today = day_of(from_s), end = day_of(to_s), day;
    if (!first_day(cron, today, end, &day)) return false;
    int second = first_of_day(cron, day == today ? (int)(from_s - today * DAY_S) : 0);
    if (second < 0) {
        if (!first_day(cron, day + 1, end, &day)) return false;
        second = first_of_day(cron, 0);
    }
    if (day * DAY_S + second > to_s) return false;
    *ret_s = day * DAY_S + second;
    return true;
}

bool cron_last(const struct cron *cron, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
    if (from_s > to_s) return false;
    int64_t today = day_of(to_s), end = day_of(from_s), day;
    if (!last_day(cron, end, today, &day)) return false;
    int second = last_of_day(cron, day == today ? (int)(to_s - today * DAY_S) : DAY_S - 1);
    if (second < 0) {
        if (!last_day(cron, end, day - 1, &day)) return false;
        second = last_of_day(cron, DAY_S - 1);
    }
    if (day * DAY_S + second < from_s) return false;
    *ret_s = day * DAY_S + second;
    return true;
}
