/* schedule/zone_rule.c — daylight saving time for ever.
 *
 * Each year has two changes. The changes of the year before and the year after are looked at too, because a
 * rule may put a change across the turn of the year.
 */
#include "base/ascii.h"
#include "base/datetime.h"
#include "schedule/zone_int.h"

enum { DAY_S = 86400, RULE_YEARS = 2 };

/* ---- reading ---- */

static bool take(str *text, char c)
{
    if (!text->n || text->p[0] != c) return false;
    *text = str_slice(*text, 1, text->n);
    return true;
}

static bool take_number(str *text, int max, int *ret_number)
{
    size_t n = 0;
    int number = 0;
    for (; n < text->n && n < 4 && ascii_is_digit(text->p[n]); n++) number = number * 10 + (text->p[n] - '0');
    *text = str_slice(*text, n, text->n);
    *ret_number = number;
    return n > 0 && number <= max;
}

/* Three or more letters, or anything in angle brackets. */
static bool take_name(str *text)
{
    size_t n = 0;
    if (take(text, '<')) {
        while (n < text->n && text->p[n] != '>') n++;
        bool closed = n > 0 && n < text->n;
        *text = str_slice(*text, n + 1, text->n);
        return closed;
    }
    while (n < text->n && ascii_is_letter(text->p[n])) n++;
    *text = str_slice(*text, n, text->n);
    return n >= 3;
}

/* [+-]hours[:minutes[:seconds]] */
static bool take_time(str *text, int hours_max, int32_t *ret_s)
{
    int hours, minutes = 0, seconds = 0;
    bool negative = take(text, '-');
    if (!negative) take(text, '+');
    if (!take_number(text, hours_max, &hours)) return false;
    if (take(text, ':')) {
        if (!take_number(text, 59, &minutes)) return false;
        if (take(text, ':') && !take_number(text, 59, &seconds)) return false;
    }
    int32_t total_s = hours * 3600 + minutes * 60 + seconds;
    *ret_s = negative ? -total_s : total_s;
    return true;
}

static bool take_day(str *text, struct zone_day *ret_day)
{
    struct zone_day day = { .kind = ZONE_DAY_OF_YEAR, .time_s = 2 * 3600 };
    if (take(text, 'M')) {
        day.kind = ZONE_DAY_MONTH;
        if (!take_number(text, 12, &day.month) || !take(text, '.') || !take_number(text, 5, &day.week) ||
            !take(text, '.') || !take_number(text, 6, &day.day) || day.month < 1 || day.week < 1)
            return false;
    } else if (take(text, 'J')) {
        day.kind = ZONE_DAY_WITHOUT_LEAP;
        if (!take_number(text, 365, &day.day) || day.day < 1) return false;
    } else if (!take_number(text, 365, &day.day)) {
        return false;
    }
    if (take(text, '/') && !take_time(text, ZONE_RULE_HOURS_MAX, &day.time_s)) return false;
    *ret_day = day;
    return true;
}

/* The offset is written as UTC - local time. */
bool zone_rule_parse(str text, struct zone_rule *ret_rule)
{
    struct zone_rule rule = { 0 };
    int32_t west_s;
    if (!take_name(&text) || !take_time(&text, 24, &west_s)) return false;
    rule.standard_s = -west_s;
    if (text.n) {
        rule.has_daylight = true;
        rule.daylight_s = rule.standard_s + 3600;
        if (!take_name(&text)) return false;
        if (text.n && text.p[0] != ',') {
            if (!take_time(&text, 24, &west_s)) return false;
            rule.daylight_s = -west_s;
        }
        if (!take(&text, ',') || !take_day(&text, &rule.begins) || !take(&text, ',') ||
            !take_day(&text, &rule.ends) || text.n)
            return false;
    }
    *ret_rule = rule;
    return true;
}

/* ---- applying ---- */

/* Weekdays count from Sunday; 1970-01-01 was a Thursday. */
static int weekday_of(int64_t days)
{
    int64_t weekday = (days + 4) % 7;
    return (int)(weekday < 0 ? weekday + 7 : weekday);
}

/* The local time that the rule names in a year. */
static int64_t local_of(const struct zone_day *day, int64_t year)
{
    int64_t days = datetime_days(year, 1, 1);
    if (day->kind == ZONE_DAY_OF_YEAR) {
        days += day->day;
    } else if (day->kind == ZONE_DAY_WITHOUT_LEAP) {
        days += day->day - 1 + (day->day >= 60 && datetime_days_in_month(year, 2) == 29);
    } else {
        days = datetime_days(year, day->month, 1);
        int of_month = (day->day - weekday_of(days) + 7) % 7 + 7 * (day->week - 1);
        if (of_month >= datetime_days_in_month(year, day->month)) of_month -= 7;
        days += of_month;
    }
    return days * DAY_S + day->time_s;
}

struct zone_span zone_rule_span(const struct zone_rule *rule, int64_t moment_s)
{
    struct zone_span span = { INT64_MIN, INT64_MAX, rule->standard_s };
    if (!rule->has_daylight) return span;
    int64_t local_s = moment_s + rule->standard_s;
    int64_t days = local_s / DAY_S - (local_s % DAY_S < 0);
    int64_t year = datetime_date(days).year;
    for (int64_t y = year - RULE_YEARS; y <= year + RULE_YEARS; y++) {
        const struct zone_span changes[] = {
            { local_of(&rule->begins, y) - rule->standard_s, 0, rule->daylight_s },
            { local_of(&rule->ends, y) - rule->daylight_s, 0, rule->standard_s },
        };
        for (size_t i = 0; i < COUNT(changes); i++) {
            int64_t at_s = changes[i].from_s;
            if (at_s > moment_s) {
                if (at_s < span.to_s) span.to_s = at_s;
            } else if (at_s >= span.from_s) {
                span.from_s = at_s;
                span.offset_s = changes[i].offset_s;
            }
        }
    }
    return span;
}
