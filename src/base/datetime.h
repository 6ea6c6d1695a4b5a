/* base/datetime.h — times as text, and dates of the calendar. All times are UTC milliseconds. */
#ifndef BASE_DATETIME_H
#define BASE_DATETIME_H

#include "base/status.h"

enum { DATETIME_CHARS = 27 }; /* 2026-11-15T03:50:11.123000Z */

/* RFC 3339 with six fraction digits and Z. Years outside 0000..9999 are clamped. */
void datetime_print(int64_t ms, char ret_text[DATETIME_CHARS + 1]);

/* RFC 3339 with seconds and Z: 2026-11-15T03:50:11Z. */
void datetime_print_seconds(int64_t ms, char ret_text[DATETIME_CHARS + 1]);

/* RFC 3339 with any offset and fraction (digits beyond milliseconds are cut). */
bool datetime_parse(str text, int64_t *ret_ms);

/* A date of the Gregorian calendar; months and days count from 1. */
struct date {
    uint32_t year, month, day;
};

/* Days from 1970-01-01 to a date. */
int64_t datetime_days(int64_t year, int month, int day);

/* The date so many days after 1970-01-01, from the year 0000 on. */
struct date datetime_date(int64_t days);

int datetime_days_in_month(int64_t year, int month);

#endif
