/* json/key.c — makes keys whose byte order is the order of the values. */
#include "json/key.h"

#include "base/must.h"

enum { NUMBER_NEGATIVE, NUMBER_ZERO, NUMBER_POSITIVE };

enum {
    NUL_ESCAPED = 0xff, /* Behind a NUL: it is one of the text's own. */
    TEXT_ENDS = 0x00,   /* Behind a NUL. */
    TEXT_IS_CUT = 0x02,
    NUMBER_ENDS = 0x00, /* In the place of two digits, which are 1 to 100. */
    NUMBER_IS_CUT = 0x01,
};

/* ---- texts ---- */

void json_key_add_beginning(str text, size_t bytes_max, struct buf *out)
{
    buf_add_char(out, JSON_KEY_TEXT);
    if (text.n > bytes_max) text.n = bytes_max;
    for (size_t i = 0; i < text.n; i++) {
        buf_add_char(out, text.p[i]);
        if (!text.p[i]) buf_add_char(out, (char)NUL_ESCAPED);
    }
}

static bool add_text(str text, size_t bytes_max, struct buf *out)
{
    bool whole = text.n <= bytes_max;
    json_key_add_beginning(text, bytes_max, out);
    buf_add_char(out, '\0');
    buf_add_char(out, whole ? TEXT_ENDS : TEXT_IS_CUT);
    return whole;
}

/* ---- numbers ---- */

/* A number is 0.d1d2d3… × 10^e with d1 > 0: the larger e, the larger the number, and then digit by digit. */
static bool add_magnitude(const struct json_digits *digits, size_t bytes_max, struct buf *out)
{
    int64_t point = (int64_t)digits->count + digits->exponent;
    uint32_t biased = (uint32_t)(point + INT64_C(0x80000000));
    must(point > INT32_MIN && point < INT32_MAX);
    for (int shift = 24; shift >= 0; shift -= 8) buf_add_char(out, (char)(biased >> shift));
    size_t pairs = (digits->count + 1) / 2, kept = pairs < bytes_max ? pairs : bytes_max;
    for (size_t i = 0; i < kept; i++) {
        int high = digits->digit[2 * i] - '0';
        int low = 2 * i + 1 < digits->count ? digits->digit[2 * i + 1] - '0' : 0;
        buf_add_char(out, (char)(10 * high + low + 1));
    }
    buf_add_char(out, kept == pairs ? NUMBER_ENDS : NUMBER_IS_CUT);
    return kept == pairs;
}

static bool add_number(const struct json *number, size_t bytes_max, struct buf *out)
{
    struct json_digits digits;
    json_digits(number, &digits);
    buf_add_char(out, JSON_KEY_NUMBER);
    if (!digits.count) {
        buf_add_char(out, NUMBER_ZERO);
        return true;
    }
    buf_add_char(out, digits.negative ? NUMBER_NEGATIVE : NUMBER_POSITIVE);
    size_t from = out->n;
    bool whole = add_magnitude(&digits, bytes_max, out);
    /* The larger the magnitude of a negative number, the smaller it is. */
    for (size_t i = from; digits.negative && i < out->n; i++) out->p[i] = (char)~out->p[i];
    return whole;
}

/* ---- values ---- */

bool json_key_add(const struct json *value, size_t bytes_max, struct buf *out)
{
    switch (json_kind(value)) {
    case JSON_NULL: buf_add_char(out, JSON_KEY_NULL); return true;
    case JSON_BOOL:
        buf_add_char(out, JSON_KEY_BOOL);
        buf_add_char(out, json_bool(value));
        return true;
    case JSON_NUMBER: return add_number(value, bytes_max, out);
    case JSON_STRING: return add_text(json_string(value), bytes_max, out);
    case JSON_OBJECT: buf_add_char(out, JSON_KEY_OBJECT); return true;
    case JSON_ARRAY: break;
    }
    must(!"an array has no key");
    return true;
}

void json_key_pass(struct buf *key)
{
    while ((unsigned char)key->p[key->n - 1] == 0xff) key->n--;
    key->p[key->n - 1] = (char)((unsigned char)key->p[key->n - 1] + 1);
}
