/* base/datetime.c — dates of the calendar, and times printed and parsed. */
#include "base/datetime.h"

#include "base/ascii.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/must.h"

#define YEAR_0000_MS INT64_C(-62167219200000)

/* ---- dates ---- */

/* Days between 1970-01-01 and a date of the Gregorian calendar. Years are counted from
 * March, so that the leap day is the last of its year; 400 years have 146097 days. */
int64_t datetime_days(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

/* The way back, for days counted from 0000-01-01. The 60 days before March belong to the year before 0000:
 * the eras counted here begin 400 years earlier, and nothing is negative. */
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

struct date datetime_date(int64_t days)
{
    int64_t since_0000 = days - YEAR_0000_MS / DAY_MS;
    must(since_0000 >= 0 && since_0000 < UINT32_MAX / 2);
    return date_of((uint32_t)since_0000);
}

int datetime_days_in_month(int64_t year, int month)
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

/* Writes a value below 100 as two digits. */
static inline void put_two(char *p, uint32_t value) { memcpy(p, two_digits + value * 2, 2); }

/* Writes the date and the time to the second, 19 characters, and gives the milliseconds. */
static inline uint32_t print_to_the_second(int64_t ms, char *p)
{
    if (ms < YEAR_0000_MS) ms = YEAR_0000_MS;
    if (ms > CLOCK_MS_MAX) ms = CLOCK_MS_MAX;
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
        !take_digits(&text, 2, datetime_days_in_month(year, month), &day) || day < 1)
        return false;
    if (!take_char(&text, 'T', 't') || !take_digits(&text, 2, 23, &hour) || !take_char(&text, ':', ':') ||
        !take_digits(&text, 2, 59, &minute) || !take_char(&text, ':', ':') ||
        !take_digits(&text, 2, 60, &second) || !take_fraction(&text, &fraction) ||
        !take_offset(&text, &offset) || text.n)
        return false;

    int64_t ms = datetime_days(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS +
                 second * SECOND_MS - offset;
    /* A leap second ends a UTC day, and is the first second of the next for us. */
    if (second == 60 && ms % DAY_MS != 0) return false;
    *ret_ms = ms + fraction;
    return true;
}
