/* schema/format_time.c — dates, times and durations of RFC 3339. */
#include "schema/format_int.h"

#include "base/ascii.h"

/* Takes exactly so many digits off the text. */
static bool take_number(str *text, size_t digits, int *ret_value)
{
    if (text->n < digits) return false;
    *ret_value = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!ascii_is_digit(text->p[i])) return false;
        *ret_value = *ret_value * 10 + (text->p[i] - '0');
    }
    *text = str_slice(*text, digits, text->n);
    return true;
}

static bool take_char(str *text, char c)
{
    if (!text->n || text->p[0] != c) return false;
    *text = str_slice(*text, 1, text->n);
    return true;
}

static bool take_date(str *text)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year, month, day;
    if (!take_number(text, 4, &year) || !take_char(text, '-') || !take_number(text, 2, &month) ||
        !take_char(text, '-') || !take_number(text, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap);
}

/* The minutes that the place is ahead of UTC. */
static bool take_offset(str *text, int *ret_minutes)
{
    int hours, minutes;
    *ret_minutes = 0;
    if (take_char(text, 'Z') || take_char(text, 'z')) return true;
    bool behind = text->n && text->p[0] == '-';
    if (!behind && !(text->n && text->p[0] == '+')) return false;
    *text = str_slice(*text, 1, text->n);
    if (!take_number(text, 2, &hours) || !take_char(text, ':') || !take_number(text, 2, &minutes))
        return false;
    *ret_minutes = (hours * 60 + minutes) * (behind ? -1 : 1);
    return hours < 24 && minutes < 60;
}

static bool take_time(str *text)
{
    int hour, minute, second, ignored, offset;
    if (!take_number(text, 2, &hour) || !take_char(text, ':') || !take_number(text, 2, &minute) ||
        !take_char(text, ':') || !take_number(text, 2, &second))
        return false;
    if (take_char(text, '.')) {
        if (!take_number(text, 1, &ignored)) return false;
        while (take_number(text, 1, &ignored)) continue;
    }
    if (!take_offset(text, &offset) || hour > 23 || minute > 59 || second > 60) return false;
    /* A leap second is the last one of a day in UTC. */
    const int day = 24 * 60;
    return second < 60 || (hour * 60 + minute - offset + day) % day == day - 1;
}

bool schema_format_date(struct schema_run *run, str text)
{
    (void)run;
    return take_date(&text) && !text.n;
}

bool schema_format_time(struct schema_run *run, str text)
{
    (void)run;
    return take_time(&text) && !text.n;
}

bool schema_format_date_time(struct schema_run *run, str text)
{
    (void)run;
    return take_date(&text) && (take_char(&text, 'T') || take_char(&text, 't')) && take_time(&text) &&
           !text.n;
}

/* Elements in the order of `units`, without gaps between the first and the last. Returns how many, or -1. */
static int take_elements(str *text, const char *units)
{
    int count = 0;
    while (text->n && text->p[0] != 'T') {
        size_t digits = 0;
        while (digits < text->n && ascii_is_digit(text->p[digits])) digits++;
        if (!digits || digits == text->n) return -1;
        const char *unit = text->p[digits] ? strchr(units, text->p[digits]) : NULL;
        if (!unit || (count && unit != units)) return -1;
        units = unit + 1;
        *text = str_slice(*text, digits + 1, text->n);
        count++;
    }
    return count;
}

bool schema_format_duration(struct schema_run *run, str text)
{
    (void)run;
    if (!take_char(&text, 'P')) return false;
    str weeks = text;
    if (take_elements(&weeks, "W") == 1 && !weeks.n) return true;
    int days = take_elements(&text, "YMD"), times = 0;
    if (days < 0) return false;
    if (take_char(&text, 'T')) {
        times = take_elements(&text, "HMS");
        if (times <= 0) return false;
    }
    return !text.n && days + times > 0;
}
