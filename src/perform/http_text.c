/* perform/http_text.c — texts of headers, values as text, dates. */
#include "perform/http_function_int.h"

#include "base/datetime.h"
#include "base/escape.h"

str http_header_text(struct arena *arena, str text)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c > ' ' && c < 0x7f && c != '"' && c != '%') buf_add_char(&out, (char)c);
        else escape_byte(&out, c);
    }
    return buf_str(&out);
}

str http_text_of(const struct json *value, struct arena *arena)
{
    if (json_is(value, JSON_STRING)) return json_string(value);
    struct buf out;
    buf_init(&out, arena);
    json_print(value, &out);
    return buf_str(&out);
}

static int month_of(str name)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; name.n == 3 && i < 12; i++)
        if (memcmp(months + (size_t)i * 3, name.p, 3) == 0) return i + 1;
    return 0;
}

/* The digits of a number of exactly that many. */
static bool take_number(str text, size_t from, size_t digits, int64_t *ret_value)
{
    return from + digits <= text.n && text.p[from] != '-' && text.p[from] != '+' &&
           str_to_int64(str_slice(text, from, from + digits), ret_value);
}

bool http_date_parse(str text, int64_t *ret_ms)
{
    enum { DATE_CHARS = 29 };
    int64_t day, year, hour, minute, second;
    if (text.n != DATE_CHARS || !str_ends(text, STR(" GMT")) || text.p[3] != ',') return false;
    int month = month_of(str_slice(text, 8, 11));
    if (!month || !take_number(text, 5, 2, &day) || !take_number(text, 12, 4, &year) ||
        !take_number(text, 17, 2, &hour) || !take_number(text, 20, 2, &minute) ||
        !take_number(text, 23, 2, &second))
        return false;
    if (day < 1 || day > datetime_days_in_month(year, month) || hour > 23 || minute > 59 || second > 60)
        return false;
    *ret_ms = ((datetime_days(year, month, (int)day) * 24 + hour) * 60 + minute) * 60000 + second * 1000;
    return true;
}
