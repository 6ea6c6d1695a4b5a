#include "base/ascii.h"
#include "base/datetime.h"

#include "base/int128.h"

#include <stdio.h>

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

#define YEAR_0000_MS INT64_C(-62167219200000)
#define YEAR_9999_MS INT64_C(253402300799999) /* Its last millisecond. */

/* Leaves room to add a duration to any time. */
#define DURATION_MS_MAX (INT64_MAX / 4)

/* ---- dates ---- */

/* Days between 1970-01-01 and a date of the Gregorian calendar. Years are counted from
 * March, so that the leap day is the last of its year; 400 years have 146097 days. */
static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

struct date {
    uint32_t year, month, day;
};

/* The way back, for days counted from 0000-01-01. Those 60 days before March belong to the
 * year before 0000: the eras counted here begin 400 years earlier, and nothing is negative. */
static inline struct date date_of(uint32_t days)
{
    days += 146097 - 60;
    uint32_t era = days / 146097, day_of_era = days % 146097;
    uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint32_t month_from_march = (5 * day_of_year + 2) / 153;
    uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return (struct date){
        .year = year_of_era + era * 400 - 400 + (month <= 2),
        .month = month,
        .day = day_of_year - (153 * month_from_march + 2) / 5 + 1,
    };
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

static const char two_digits[] = "0001020304050607080910111213141516171819"
                                 "2021222324252627282930313233343536373839"
                                 "4041424344454647484950515253545556575859"
                                 "6061626364656667686970717273747576777879"
                                 "8081828384858687888990919293949596979899";

/* Of a value below 100. */
static inline void put_two(char *p, uint32_t value) { memcpy(p, two_digits + value * 2, 2); }

/* Writes the date and the time to the second, 19 characters, and gives the milliseconds. */
static inline uint32_t print_to_the_second(int64_t ms, char *p)
{
    if (ms < YEAR_0000_MS) ms = YEAR_0000_MS;
    if (ms > YEAR_9999_MS) ms = YEAR_9999_MS;
    uint64_t since_0000 = (uint64_t)(ms - YEAR_0000_MS);
    uint32_t of_day = (uint32_t)(since_0000 % DAY_MS), second = of_day / 1000, minute = second / 60;
    struct date date = date_of((uint32_t)(since_0000 / DAY_MS));
    memcpy(p, "0000-00-00T00:00:00", 19);
    put_two(p, date.year / 100);
    put_two(p + 2, date.year % 100);
    put_two(p + 5, date.month);
    put_two(p + 8, date.day);
    put_two(p + 11, minute / 60);
    put_two(p + 14, minute % 60);
    put_two(p + 17, second % 60);
    return of_day % 1000;
}

void datetime_print(int64_t ms, char ret_text[DATETIME_CHARS + 1])
{
    uint32_t fraction = print_to_the_second(ms, ret_text);
    memcpy(ret_text + 19, ".000000Z", 9);
    ret_text[20] = (char)('0' + fraction / 100);
    put_two(ret_text + 21, fraction % 100);
}

void datetime_print_seconds(int64_t ms, char ret_text[DATETIME_CHARS + 1])
{
    print_to_the_second(ms, ret_text);
    memcpy(ret_text + 19, "Z", 2);
}

/* ---- reading ---- */

/* Takes `width` digits with a value of at most `max`. */
static bool take_digits(str *text, size_t width, int max, int *ret_value)
{
    if (text->n < width) return false;
    int value = 0;
    for (size_t i = 0; i < width; i++) {
        if (!ascii_is_digit(text->p[i])) return false;
        value = value * 10 + (text->p[i] - '0');
    }
    *text = str_slice(*text, width, text->n);
    *ret_value = value;
    return value <= max;
}

static bool take_char(str *text, char upper, char lower)
{
    if (!text->n || (text->p[0] != upper && text->p[0] != lower)) return false;
    *text = str_slice(*text, 1, text->n);
    return true;
}

static bool take_fraction(str *text, int *ret_ms)
{
    *ret_ms = 0;
    if (!take_char(text, '.', '.')) return true;
    int scale = 100;
    size_t i = 0;
    for (; i < text->n && ascii_is_digit(text->p[i]); i++, scale /= 10) *ret_ms += (text->p[i] - '0') * scale;
    *text = str_slice(*text, i, text->n);
    return i > 0;
}

static bool take_offset(str *text, int64_t *ret_ms)
{
    *ret_ms = 0;
    if (take_char(text, 'Z', 'z')) return true;
    bool west = text->n && text->p[0] == '-';
    int hour, minute;
    if (!take_char(text, '+', '-') || !take_digits(text, 2, 23, &hour) || !take_char(text, ':', ':') ||
        !take_digits(text, 2, 59, &minute))
        return false;
    int64_t ms = hour * HOUR_MS + minute * MINUTE_MS;
    *ret_ms = west ? -ms : ms;
    return true;
}

bool datetime_parse(str text, int64_t *ret_ms)
{
    int year, month, day, hour, minute, second, fraction;
    int64_t offset;
    if (!take_digits(&text, 4, 9999, &year) || !take_char(&text, '-', '-') ||
        !take_digits(&text, 2, 12, &month) || month < 1 || !take_char(&text, '-', '-') ||
        !take_digits(&text, 2, days_in_month(year, month), &day) || day < 1)
        return false;
    if (!take_char(&text, 'T', 't') || !take_digits(&text, 2, 23, &hour) || !take_char(&text, ':', ':') ||
        !take_digits(&text, 2, 59, &minute) || !take_char(&text, ':', ':') ||
        !take_digits(&text, 2, 60, &second) || !take_fraction(&text, &fraction) ||
        !take_offset(&text, &offset) || text.n)
        return false;

    int64_t ms = days_of(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS +
                 second * SECOND_MS - offset;
    /* A leap second ends a UTC day, and is the first second of the next for us. */
    if (second == 60 && ms % DAY_MS != 0) return false;
    *ret_ms = ms + fraction;
    return true;
}

/* ---- durations ---- */

static const struct duration_part {
    char letter;
    bool time; /* Behind the T. */
    bool calendar;
    int64_t ms;
} parts[] = {
    { 'Y', false, true, 365 * DAY_MS }, { 'M', false, true, 30 * DAY_MS }, { 'W', false, false, 7 * DAY_MS },
    { 'D', false, false, DAY_MS },      { 'H', true, false, HOUR_MS },     { 'M', true, false, MINUTE_MS },
    { 'S', true, false, SECOND_MS },
};

/* A decimal number: `whole` and `fraction` / `scale`. */
struct decimal {
    int64_t whole;
    int64_t fraction;
    int64_t scale;
};

static enum status take_decimal(str *text, struct decimal *ret_number, struct error *err)
{
    struct decimal number = { .scale = 1 };
    size_t i = 0;
    for (; i < text->n && ascii_is_digit(text->p[i]); i++)
        if (__builtin_mul_overflow(number.whole, 10, &number.whole) ||
            __builtin_add_overflow(number.whole, text->p[i] - '0', &number.whole))
            return fail(err, ST_INVALID, NULL, "the duration is too long");
    if (i == 0) return fail(err, ST_INVALID, NULL, "expected a number in the duration");
    if (i < text->n && text->p[i] == '.') {
        size_t point = i++;
        for (; i < text->n && ascii_is_digit(text->p[i]); i++)
            if (number.scale < 1000000000) { /* The rest is below a millisecond of a year. */
                number.fraction = number.fraction * 10 + (text->p[i] - '0');
                number.scale *= 10;
            }
        if (i == point + 1) return fail(err, ST_INVALID, NULL, "expected digits behind the '.'");
    }
    *text = str_slice(*text, i, text->n);
    *ret_number = number;
    return ST_OK;
}

/* Finds the part for a letter, not before `from`. Says why there is none. */
static enum status find_part(str text, bool time, size_t from, size_t *ret_part, struct error *err)
{
    if (!text.n) return fail(err, ST_INVALID, NULL, "a number without a unit ends the duration");
    char letter = text.p[0];
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (parts[i].letter != letter || parts[i].time != time) continue;
        if (i < from) return fail(err, ST_INVALID, NULL, "'%c' is repeated or in the wrong place", letter);
        *ret_part = i;
        return ST_OK;
    }
    if (!time && (letter == 'H' || letter == 'S'))
        return fail(err, ST_INVALID, NULL, "'%c' needs a 'T' before it", letter);
    return fail(err, ST_INVALID, NULL, "the units of a duration are Y, M, W, D and, behind a T, H, M, S");
}

static enum status add_part(int64_t *total, struct decimal number, int64_t unit_ms, struct error *err)
{
    /* The fraction is at most 10^9 and a year below 2^35 ms: no overflow. */
    int128 ms = (int128)number.whole * unit_ms + (int128)number.fraction * unit_ms / number.scale;
    if (ms > DURATION_MS_MAX - *total) return fail(err, ST_INVALID, NULL, "the duration is too long");
    *total += (int64_t)ms;
    return ST_OK;
}

enum status duration_parse(str text, int64_t *ret_ms, bool *ret_calendar, struct error *err)
{
    if (!take_char(&text, 'P', 'P'))
        return fail(err, ST_INVALID, NULL, "a duration starts with P, as in PT30S or P1DT12H");

    int64_t total = 0;
    size_t next = 0;
    bool time = false, calendar = false;
    while (text.n) {
        if (!time && take_char(&text, 'T', 'T')) {
            time = true;
            if (!text.n) return fail(err, ST_INVALID, NULL, "nothing follows the 'T'");
        }
        struct decimal number = { .scale = 1 };
        size_t part = 0;
        TRY(take_decimal(&text, &number, err));
        TRY(find_part(text, time, next, &part, err));
        TRY(add_part(&total, number, parts[part].ms, err));
        calendar |= parts[part].calendar;
        next = part + 1;
        text = str_slice(text, 1, text.n);
    }
    if (next == 0) return fail(err, ST_INVALID, NULL, "a duration needs at least one part");

    *ret_ms = total;
    if (ret_calendar) *ret_calendar = calendar;
    return ST_OK;
}

void duration_print(int64_t ms, char *ret_text, size_t bytes)
{
    uint64_t left = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;
    uint64_t days = left / DAY_MS, hours = left / HOUR_MS % 24, minutes = left / MINUTE_MS % 60;
    unsigned seconds = (unsigned)(left / SECOND_MS % 60), fraction = (unsigned)(left % SECOND_MS);
    char text[64];
    int n = snprintf(text, sizeof text, "%sP", ms < 0 ? "-" : "");
    size_t at = (size_t)n;
    if (days) at += (size_t)snprintf(text + at, sizeof text - at, "%lluD", (unsigned long long)days);
    if (left % DAY_MS || !left) text[at++] = 'T';
    if (hours) at += (size_t)snprintf(text + at, sizeof text - at, "%uH", (unsigned)hours);
    if (minutes) at += (size_t)snprintf(text + at, sizeof text - at, "%uM", (unsigned)minutes);
    if (fraction) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%u.%03u", seconds, fraction);
        while (text[at - 1] == '0') at--;
        text[at++] = 'S';
    } else if (seconds || !left) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%uS", seconds);
    }
    text[at] = '\0';
    snprintf(ret_text, bytes, "%s", text);
}
