/* dialect/serverless/read_time.c — durations, times and repeating intervals.
 *
 * A duration is ISO 8601, with days of 24 hours, months of 30 days and years of 365. The draft's
 * tables also call them integers: whole seconds are understood, with a warning.
 */
#include "base/datetime.h"
#include "base/duration.h"
#include "dialect/serverless/read_int.h"

static void bad_duration(struct reading *reading, const struct read_place *at, const char *name, str text,
                         const char *reason)
{
    int64_t seconds;
    const char *hint = str_to_int64(text, &seconds) && seconds >= 0
                           ? arena_printf(reading->scratch, "write PT%lldS for seconds", (long long)seconds).p
                           : NULL;
    problem_error(reading->problems, PROBLEM_BAD_DURATION, read_pointer(reading, at, name), hint,
                  "%s%s: %s is not a duration: %s", read_prefix(reading, at), name,
                  problem_quote(reading->scratch, text), reason);
}

static bool is_whole_seconds(struct reading *reading, const struct read_place *at, const char *name,
                             const struct json *value, int64_t *ret_ms)
{
    int64_t seconds;
    if (!json_int64(value, &seconds) || seconds < 0 || seconds > DURATION_SECONDS_MAX) {
        problem_error(reading->problems, PROBLEM_BAD_DURATION, read_pointer(reading, at, name),
                      "write an ISO 8601 duration, such as PT15M",
                      "%s%s: a number here is whole seconds from 0 on", read_prefix(reading, at), name);
        return false;
    }
    problem_warning(reading->problems, PROBLEM_UNUSUAL, read_pointer(reading, at, name),
                    arena_printf(reading->scratch, "write \"PT%lldS\"", (long long)seconds).p,
                    "%s%s: a number is taken for seconds; the format's own form is an ISO 8601 duration",
                    read_prefix(reading, at), name);
    *ret_ms = seconds * 1000;
    return true;
}

/* Reads the member as milliseconds, or as a text that the caller reads further. False: it is neither, and was
 * reported. */
static bool take(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                 int64_t *ret_ms, str *ret_text)
{
    const struct json *value = read_member(at, name);
    *ret_text = STR_NONE;
    if (json_is(value, JSON_NUMBER)) return is_whole_seconds(reading, at, name, value, ret_ms);
    *ret_text = read_string(reading, at, name, need);
    return ret_text->p != NULL;
}

int64_t read_duration(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                      int64_t otherwise)
{
    int64_t ms;
    str text;
    if (!take(reading, at, name, need, &ms, &text)) return otherwise;
    if (!text.p) return ms;
    struct error err = { 0 };
    if (duration_parse(text, &ms, NULL, &err) == ST_OK) return ms;
    bad_duration(reading, at, name, text, err.message);
    return otherwise;
}

/* ---- until when ---- */

/* RFC 3339, or without an offset (then UTC), without seconds, or without a time (then midnight). */
static bool parse_time(struct reading *reading, str text, int64_t *ret_ms)
{
    static const char *const left_out[] = { "", "Z", ":00Z", "T00:00:00Z" };
    for (size_t i = 0; i < COUNT(left_out); i++)
        if (datetime_parse(arena_printf(reading->scratch, "%.*s%s", STR_ARG(text), left_out[i]), ret_ms))
            return true;
    return false;
}

void read_delay(struct reading *reading, const struct read_place *at, const char *name, int64_t *ret_delay_ms,
                int64_t *ret_at_ms)
{
    int64_t ms;
    str text;
    *ret_delay_ms = *ret_at_ms = 0;
    if (!take(reading, at, name, REQUIRED, &ms, &text)) return;
    struct error err = { 0 };
    if (!text.p || duration_parse(text, &ms, NULL, &err) == ST_OK) *ret_delay_ms = ms;
    else if (text.n <= DATETIME_BYTES_MAX && parse_time(reading, text, &ms))
        *ret_at_ms = ms ? ms : 1; /* 0 means none. The first millisecond of 1970 is past anyway. */
    else
        bad_duration(reading, at, name, text,
                     text.n && text.p[0] == 'P'
                         ? err.message
                         : "write PT15M for 15 minutes, or a time such as 2026-01-31T12:00:00Z");
}

/* ---- again and again ---- */

static bool parse_count(str text, uint32_t *ret_count)
{
    int64_t count;
    if (!text.n || text.p[0] == '-' || !str_to_int64(text, &count) || count > RETRIES_MAX) return false;
    *ret_count = (uint32_t)count;
    return true;
}

/* `R5/PT15M`, `R/PT15M` or `PT15M`. Gives the number of repeats, if there is one. */
static void read_interval(struct reading *reading, const struct read_place *at, struct retry *retry,
                          bool *ret_counted)
{
    int64_t ms;
    str text;
    *ret_counted = false;
    if (!take(reading, at, "interval", OPTIONAL, &ms, &text)) return;
    if (!text.p) {
        retry->interval_ms = ms;
        return;
    }
    str duration = text;
    if (text.n && text.p[0] == 'R') {
        size_t slash = str_find(text, STR("/"), 0);
        str repeats = str_slice(text, 1, slash);
        if (slash == SIZE_MAX || (repeats.n && !parse_count(repeats, &retry->count))) {
            bad_duration(reading, at, "interval", text,
                         "a repeating interval is R, how often, / and a duration: R5/PT15M");
            return;
        }
        *ret_counted = repeats.n > 0;
        retry->unlimited = !repeats.n;
        duration = str_slice(text, slash + 1, text.n);
    }
    struct error err = { 0 };
    if (duration_parse(duration, &retry->interval_ms, NULL, &err) != ST_OK)
        bad_duration(reading, at, "interval", text, err.message);
}

void read_repeats(struct reading *reading, const struct read_place *at, struct retry *retry)
{
    bool counted;
    read_interval(reading, at, retry, &counted);

    const struct json *value = read_member(at, "max");
    if (!value) return;
    uint32_t max = 0;
    int64_t number;
    bool good = json_is(value, JSON_STRING) ? parse_count(json_string(value), &max)
                : json_is(value, JSON_NUMBER)
                    ? json_int64(value, &number) && number >= 0 && number <= RETRIES_MAX
                    : false;
    if (!good) {
        problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "max"),
                      "for no limit leave it out and write the interval as R/PT1M",
                      "%smax must be a whole number from 0 to %d", read_prefix(reading, at), RETRIES_MAX);
        return;
    }
    if (json_is(value, JSON_NUMBER)) max = (uint32_t)number;
    if (!counted || max < retry->count) retry->count = max;
    retry->unlimited = false;
}
