/* base/duration.h — durations as text, in milliseconds. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/duration.h"
#include "base/status.h"

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* ISO 8601 duration: P[nY][nM][nW][nD][T[nH][nM][nS]], each part at most once and in this
 * order, decimals allowed in any part, at least one part. A year is 365 days, a month 30.
 * Fails with ST_INVALID and a message that says what is wrong; `ret_calendar` (may be
 * NULL) tells whether years or months were used. */
enum status duration_parse(str text, int64_t *ret_ms, bool *ret_calendar, struct error *err);

/* The same, and the short forms that people write: a sum of whole or decimal parts, each unit at most once
 * and the larger one first ("1w", "30d", "1h30m", "10m", "30s", "500ms"), or a bare number of milliseconds
 * ("0"). */
enum status duration_parse_any(str text, int64_t *ret_ms, struct error *err);

/* "PT1H30M", for messages. */
void duration_print(int64_t ms, char *ret_text, size_t bytes);

/* "2 days", "1 hour 30 minutes", for people: the two largest units that it has, down to seconds; less than a
 * second is in "ms". */
enum { DURATION_WORDS_BYTES = 64 };
void duration_print_words(int64_t ms, char *ret_text, size_t bytes);

#endif
