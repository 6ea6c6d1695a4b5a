/* schedule/cron.c — parses cron texts. */
#include "schedule/cron.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "schedule/limits.h"

enum { SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELD_COUNT };

/* `top` is the largest value that may be written, `last` that which `*` reaches: 7 is Sunday once more. */
struct field {
    const char *name;
    int first, last, top;
    const char *names; /* Three letters each, from `first` on. */
};

static const struct field fields[FIELD_COUNT] = {
    [SECOND] = { "second", 0, 59, 59, "" },
    [MINUTE] = { "minute", 0, 59, 59, "" },
    [HOUR] = { "hour", 0, 23, 23, "" },
    [DAY] = { "day of month", 1, 31, 31, "" },
    [MONTH] = { "month", 1, 12, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC" },
    [WEEKDAY] = { "day of week", 0, 6, 7, "SUNMONTUEWEDTHUFRISAT" },
};

/* One field's text on its way into the cron. */
struct cron_reading {
    const struct field *field;
    struct cron *cron;
    struct error *err;
};

/* ---- values ---- */

static int named(const struct field *field, str text)
{
    size_t count = strlen(field->names) / 3;
    for (size_t i = 0; i < count; i++)
        if (str_equal_ignoring_case(text, (str){ field->names + 3 * i, 3 })) return field->first + (int)i;
    return -1;
}

/* A number of at most three digits. */
static bool number(str text, int *ret_value)
{
    int value = 0;
    if (!text.n || text.n > 3) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i])) return false;
        value = value * 10 + (text.p[i] - '0');
    }
    *ret_value = value;
    return true;
}

static enum status parse_value(const struct cron_reading *r, str text, int *ret_value)
{
    const struct field *field = r->field;
    int value = named(field, text);
    if (value < 0 && !number(text, &value))
        return fail(r->err, ST_INVALID, field->name,
                    "the %s \"%.*s\" is neither a number from %d to %d nor %s", field->name, STR_ARG(text),
                    field->first, field->top, field->names[0] ? "a name like JAN or MON" : "*");
    if (value < field->first || value > field->top)
        return fail(r->err, ST_INVALID, field->name, "the %s %d is not between %d and %d", field->name, value,
                    field->first, field->top);
    *ret_value = value;
    return ST_OK;
}

/* ---- one entry of a list ---- */

/* a-b, also SAT-SUN: the week may end with Sunday. */
static enum status parse_range(const struct cron_reading *r, str text, size_t dash, int *ret_low,
                               int *ret_high)
{
    const struct field *field = r->field;
    str end = str_slice(text, dash + 1, text.n);
    TRY(parse_value(r, str_slice(text, 0, dash), ret_low));
    TRY(parse_value(r, end, ret_high));
    if (field->top > field->last && *ret_high == 0 && ascii_is_letter(end.p[0])) *ret_high = field->top;
    if (*ret_low > *ret_high)
        return fail(r->err, ST_INVALID, field->name,
                    "the range \"%.*s\" in the field of the %s runs backwards; write %d-%d,%d-%d",
                    STR_ARG(text), field->name, *ret_low, field->last, field->first, *ret_high);
    return ST_OK;
}

static enum status parse_step(const struct cron_reading *r, str text, int *ret_step)
{
    const struct field *field = r->field;
    int values = field->last - field->first + 1;
    if (!number(text, ret_step))
        return fail(r->err, ST_INVALID, field->name,
                    "the step \"%.*s\" in the field of the %s is not a number", STR_ARG(text), field->name);
    if (*ret_step < 1 || *ret_step > values)
        return fail(r->err, ST_INVALID, field->name,
                    "the step %d in the field of the %s is not between 1 and %d", *ret_step, field->name,
                    values);
    return ST_OK;
}

/* `*`, a value or a range, each perhaps with a step. */
static enum status parse_entry(const struct cron_reading *r, str text, uint64_t *set)
{
    const struct field *field = r->field;
    size_t slash = str_find(text, STR("/"), 0);
    str values = str_slice(text, 0, slash);
    size_t dash = str_find(values, STR("-"), 0);
    int low = field->first, high = field->last, step = 1;
    if (dash != SIZE_MAX) {
        TRY(parse_range(r, values, dash, &low, &high));
    } else if (!str_equal(values, STR("*"))) {
        TRY(parse_value(r, values, &low));
        high = slash == SIZE_MAX || low > field->last ? low : field->last;
    }
    if (slash != SIZE_MAX) TRY(parse_step(r, str_slice(text, slash + 1, text.n), &step));
    for (int value = low; value <= high; value += step) *set |= UINT64_C(1) << value;
    return ST_OK;
}

/* 5#2 and 5L; `ret_taken` tells whether the entry is one of them. */
static enum status parse_weekday(const struct cron_reading *r, str text, bool *ret_taken)
{
    size_t hash = str_find(text, STR("#"), 0);
    bool last = hash == SIZE_MAX && text.n >= 2 && ascii_upper(text.p[text.n - 1]) == 'L';
    int weekday, nth = 0;
    *ret_taken = last || hash != SIZE_MAX;
    if (!*ret_taken) return ST_OK;
    TRY(parse_value(r, str_slice(text, 0, last ? text.n - 1 : hash), &weekday));
    if (!last && (!number(str_slice(text, hash + 1, text.n), &nth) || nth < 1 || nth > 5))
        return fail(r->err, ST_INVALID, r->field->name,
                    "\"%.*s\" in the field of the %s needs a number from 1 to 5 behind the #", STR_ARG(text),
                    r->field->name);
    uint8_t bit = (uint8_t)(1 << weekday % 7);
    if (last) r->cron->last_weekdays |= bit;
    else r->cron->nth_weekdays[nth - 1] |= bit;
    return ST_OK;
}

/* The forms that only the fields of days have. */
static enum status parse_day(const struct cron_reading *r, str text, bool *ret_taken)
{
    *ret_taken = false;
    if (r->field == &fields[WEEKDAY]) return parse_weekday(r, text, ret_taken);
    if (r->field != &fields[DAY]) return ST_OK;
    if (!str_equal_ignoring_case(text, STR("L"))) return ST_OK;
    *ret_taken = true;
    r->cron->last_day = true;
    return ST_OK;
}

/* ---- fields ---- */

static enum status parse_list(const struct cron_reading *r, str text, uint64_t *ret_set)
{
    uint64_t set = 0;
    for (size_t from = 0; from <= text.n;) {
        size_t comma = str_find(text, STR(","), from);
        str entry = str_slice(text, from, comma);
        from = comma == SIZE_MAX ? text.n + 1 : comma + 1;
        if (!entry.n)
            return fail(r->err, ST_INVALID, r->field->name, "the list of the %s has an empty entry",
                        r->field->name);
        bool taken;
        TRY(parse_day(r, entry, &taken));
        if (!taken) TRY(parse_entry(r, entry, &set));
    }
    *ret_set = set;
    return ST_OK;
}

static enum status parse_field(const struct cron_reading *r, str text, uint64_t *ret_set)
{
    bool of_days = r->field == &fields[DAY] || r->field == &fields[WEEKDAY];
    if (of_days && str_equal(text, STR("?"))) text = STR("*");
    return parse_list(r, text, ret_set);
}

static bool begins_with_any(str text) { return text.p[0] == '*' || text.p[0] == '?'; }

static enum status parse_fields(const str text[FIELD_COUNT], struct cron *cron, struct error *err)
{
    uint64_t set[FIELD_COUNT];
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct cron_reading reading = { &fields[i], cron, err };
        TRY(parse_field(&reading, text[i], &set[i]));
    }
    cron->seconds = set[SECOND];
    cron->minutes = set[MINUTE];
    cron->hours = (uint32_t)set[HOUR];
    cron->days = (uint32_t)set[DAY];
    cron->months = (uint16_t)set[MONTH];
    cron->weekdays = (uint8_t)((set[WEEKDAY] & 0x7f) | (set[WEEKDAY] >> 7 & 1));
    cron->any_day = begins_with_any(text[DAY]);
    cron->any_weekday = begins_with_any(text[WEEKDAY]);
    cron->hourly = begins_with_any(text[HOUR]);
    return ST_OK;
}

/* ---- the text ---- */

static enum status split(str text, str ret_fields[FIELD_COUNT], struct error *err)
{
    str found[FIELD_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < text.n;) {
        size_t from = i;
        while (i < text.n && !ascii_is_space(text.p[i])) i++;
        if (i > from && count++ < FIELD_COUNT) found[count - 1] = str_slice(text, from, i);
        while (i < text.n && ascii_is_space(text.p[i])) i++;
    }
    if (count != FIELD_COUNT && count != FIELD_COUNT - 1)
        return fail(err, ST_INVALID, "cron",
                    "a cron text has 5 fields, or 6 with the second first; this has %zu", count);
    size_t shift = FIELD_COUNT - count;
    if (shift) ret_fields[SECOND] = STR("0");
    for (size_t i = 0; i < count; i++) ret_fields[shift + i] = found[i];
    return ST_OK;
}

static enum status expand(str text, str *ret_text, struct error *err)
{
    static const struct {
        str name, text;
    } macros[] = {
        { STR_INIT("@hourly"), STR_INIT("0 * * * *") },   { STR_INIT("@daily"), STR_INIT("0 0 * * *") },
        { STR_INIT("@midnight"), STR_INIT("0 0 * * *") }, { STR_INIT("@weekly"), STR_INIT("0 0 * * 0") },
        { STR_INIT("@monthly"), STR_INIT("0 0 1 * *") },  { STR_INIT("@yearly"), STR_INIT("0 0 1 1 *") },
        { STR_INIT("@annually"), STR_INIT("0 0 1 1 *") },
    };
    *ret_text = text;
    if (text.p[0] != '@') return ST_OK;
    for (size_t i = 0; i < COUNT(macros); i++) {
        if (!str_equal_ignoring_case(text, macros[i].name)) continue;
        *ret_text = macros[i].text;
        return ST_OK;
    }
    return fail(err, ST_INVALID, "cron",
                "\"%.*s\" is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually",
                STR_ARG(text));
}

static enum status check_characters(str text, struct error *err)
{
    if (!text.n) return fail(err, ST_INVALID, "cron", "the cron text is empty");
    if (text.n > CRON_BYTES_MAX)
        return fail(err, ST_INVALID, "cron", "the cron text has more than %d characters", CRON_BYTES_MAX);
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] < '!' || text.p[i] > '~') && !ascii_is_space(text.p[i]))
            return fail(err, ST_INVALID, "cron", "character %zu of the cron text is not one of ASCII", i + 1);
    return ST_OK;
}

/* In 28 years that no century interrupts, every date falls on every weekday. */
static enum status check_fires(const struct cron *cron, struct error *err)
{
    int64_t from_s = datetime_days(2001, 1, 1) * 86400, to_s = datetime_days(2029, 1, 1) * 86400 - 1, found_s;
    if (cron_first(cron, from_s, to_s, &found_s)) return ST_OK;
    return fail(err, ST_INVALID, fields[DAY].name,
                "it never fires: the day of month, the month and the day of week never meet");
}

enum status cron_parse(str text, struct cron *ret_cron, struct error *err)
{
    str trimmed = str_trim(text), part[FIELD_COUNT];
    struct cron cron = { 0 };
    TRY(check_characters(trimmed, err));
    TRY(expand(trimmed, &trimmed, err));
    TRY(split(trimmed, part, err));
    TRY(parse_fields(part, &cron, err));
    TRY(check_fires(&cron, err));
    *ret_cron = cron;
    return ST_OK;
}
