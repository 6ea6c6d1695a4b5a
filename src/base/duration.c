/* base/duration.c — durations parsed and printed, in ISO 8601 and in words. */
#include "base/duration.h"

#include "base/ascii.h"
#include "base/int128.h"
#include "base/limits.h"

#include <stdio.h>

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
struct duration_number {
    int64_t whole;
    int64_t fraction;
    int64_t scale;
};

static enum status take_decimal(str *text, struct duration_number *ret_number, struct error *err)
{
    struct duration_number number = { .scale = 1 };
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

static enum status add_part(int64_t *total, struct duration_number number, int64_t unit_ms, struct error *err)
{
    /* The fraction is at most 10^9 and a year below 2^35 ms: no overflow. */
    int128 ms = (int128)number.whole * unit_ms + (int128)number.fraction * unit_ms / number.scale;
    if (ms > DURATION_MS_MAX - *total) return fail(err, ST_INVALID, NULL, "the duration is too long");
    *total += (int64_t)ms;
    return ST_OK;
}

static bool take_letter(str *text, char letter)
{
    if (!text->n || text->p[0] != letter) return false;
    *text = str_slice(*text, 1, text->n);
    return true;
}

enum status duration_parse(str text, int64_t *ret_ms, bool *ret_calendar, struct error *err)
{
    if (!take_letter(&text, 'P'))
        return fail(err, ST_INVALID, NULL, "a duration starts with P, as in PT30S or P1DT12H");

    int64_t total = 0;
    size_t next = 0;
    bool time = false, calendar = false;
    while (text.n) {
        if (!time && take_letter(&text, 'T')) {
            time = true;
            if (!text.n) return fail(err, ST_INVALID, NULL, "nothing follows the 'T'");
        }
        struct duration_number number = { .scale = 1 };
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

/* ---- short forms ---- */

static const struct {
    str unit;
    int64_t ms;
} short_parts[] = {
    { STR_INIT("w"), 7 * DAY_MS }, { STR_INIT("d"), DAY_MS },    { STR_INIT("h"), HOUR_MS },
    { STR_INIT("m"), MINUTE_MS },  { STR_INIT("s"), SECOND_MS }, { STR_INIT("ms"), 1 },
};

/* Takes the letters at the beginning of a text. */
static str take_unit(str *text)
{
    size_t n = 0;
    while (n < text->n && ascii_is_letter(text->p[n])) n++;
    str unit = str_slice(*text, 0, n);
    *text = str_slice(*text, n, text->n);
    return unit;
}

static enum status find_short_part(str unit, size_t from, size_t *ret_part, struct error *err)
{
    for (size_t i = 0; i < COUNT(short_parts); i++) {
        if (!str_equal(short_parts[i].unit, unit)) continue;
        if (i < from)
            return fail(err, ST_INVALID, NULL, "\"%.*s\" is repeated or in the wrong place", STR_ARG(unit));
        *ret_part = i;
        return ST_OK;
    }
    return fail(err, ST_INVALID, NULL, "the units of a duration are w, d, h, m, s and ms, as in 1h30m");
}

enum status duration_parse_any(str text, int64_t *ret_ms, struct error *err)
{
    if (text.n && text.p[0] == 'P') return duration_parse(text, ret_ms, NULL, err);
    if (!text.n || !ascii_is_digit(text.p[0]))
        return fail(err, ST_INVALID, NULL, "a duration is written 30s, 10m, 1h30m or 2d");
    int64_t total = 0;
    size_t next = 0;
    while (text.n) {
        struct duration_number number = { .scale = 1 };
        size_t part = COUNT(short_parts) - 1;
        TRY(take_decimal(&text, &number, err));
        if (text.n || next) TRY(find_short_part(take_unit(&text), next, &part, err));
        TRY(add_part(&total, number, short_parts[part].ms, err));
        next = part + 1;
    }
    *ret_ms = total;
    return ST_OK;
}

/* ---- printing ---- */

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

void duration_print_words(int64_t ms, char *ret_text, size_t bytes)
{
    static const struct {
        const char *word;
        uint64_t ms;
    } units[] = { { "week", 7 * DAY_MS },
                  { "day", DAY_MS },
                  { "hour", HOUR_MS },
                  { "minute", MINUTE_MS },
                  { "second", SECOND_MS } };
    uint64_t left = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;
    char text[2 * DURATION_WORDS_BYTES];
    size_t at = 0, shown = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(units) && shown < 2; i++) {
        uint64_t count = left / units[i].ms;
        bool odd_weeks = i == 0 && left % units[i].ms; /* "10 days" is plainer than "1 week 3 days". */
        if (shown && !count) break;
        if (!count || odd_weeks) continue;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu %s%s", shown ? " " : "",
                               (unsigned long long)count, units[i].word, count == 1 ? "" : "s");
        left %= units[i].ms;
        shown++;
    }
    if (!shown) snprintf(text, sizeof text, left ? "%llu ms" : "%llu seconds", (unsigned long long)left);
    snprintf(ret_text, bytes, "%s", text);
}
