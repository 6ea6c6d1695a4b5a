/* source/scalar.c — the value of a YAML scalar, by the core schema of YAML 1.2.
 *
 *     null ~ (nothing)                 null       each in three spellings: true True TRUE
 *     true false                       boolean
 *     12 -7 +3 0o17 0xFF               integer
 *     1.50 .5 1e3                      number, with the digits it was written with
 *     .inf .nan                        refused: JSON has neither
 *     anything else                    string: also yes, no, on, off, 1_000, 2026-01-01
 */
#include "source/source_int.h"

#include "base/ascii.h"

#include "program/problems.h"

bool scalar_tag_of(const char *tag, enum scalar_tag *ret_tag)
{
    static const struct {
        const char *tag;
        enum scalar_tag value;
    } tags[] = {
#define XX(NAME, word, meaning) { "tag:yaml.org,2002:" word, SCALAR_##NAME },
        SCALAR_TAG_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(tags); i++) {
        if (strcmp(tag, tags[i].tag) != 0) continue;
        *ret_tag = tags[i].value;
        return true;
    }
    return false;
}

static const char *tag_meaning(enum scalar_tag tag)
{
    static const char *const meanings[] = { [SCALAR_NONE] = "value",
#define XX(NAME, word, meaning) [SCALAR_##NAME] = meaning,
                                            SCALAR_TAG_MAP(XX)
#undef XX
    };
    return meanings[tag];
}

/* ---- words ---- */

/* As it is, Like this, or LIKE THIS; the word is given in small letters. */
static bool is_word(str text, const char *word)
{
    str small = str_of(word);
    if (!str_equal_ignoring_case(text, small)) return false;
    size_t first = word[0] == '.'; /* .Inf */
    bool capital = text.p[first] != small.p[first];
    bool rest_small = memcmp(text.p + first + 1, small.p + first + 1, small.n - first - 1) == 0;
    bool rest_capital = true;
    for (size_t i = first + 1; i < text.n; i++) rest_capital &= ascii_is_upper(text.p[i]);
    return rest_small || (capital && rest_capital);
}

static bool is_null(str text) { return !text.n || str_equal(text, STR("~")) || is_word(text, "null"); }

/* .nan alone has other spellings: .nan .NaN .NAN */
static bool is_not_finite(str text)
{
    if (str_equal(text, STR(".nan")) || str_equal(text, STR(".NaN")) || str_equal(text, STR(".NAN")))
        return true;
    if (text.n && (text.p[0] == '+' || text.p[0] == '-')) text = str_slice(text, 1, text.n);
    return text.n == 4 && is_word(text, ".inf");
}

/* ---- numbers ---- */

static size_t count_digits(str text, size_t from)
{
    size_t at = from;
    while (at < text.n && ascii_is_digit(text.p[at])) at++;
    return at - from;
}

/* The parts of [-+]?(digits (. digits?)? | . digits)(e[-+]?digits)? */
struct decimal_parts {
    bool negative;
    bool point;
    str whole, fraction, exponent; /* The exponent has its letter and sign. */
};

static bool split_decimal(str text, struct decimal_parts *ret_parts)
{
    struct decimal_parts parts = { 0 };
    size_t at = 0;
    if (at < text.n && (text.p[at] == '-' || text.p[at] == '+')) parts.negative = text.p[at++] == '-';
    parts.whole = (str){ text.p + at, count_digits(text, at) };
    at += parts.whole.n;
    if (at < text.n && text.p[at] == '.') {
        parts.point = true;
        at++;
        parts.fraction = (str){ text.p + at, count_digits(text, at) };
        at += parts.fraction.n;
    }
    if (!parts.whole.n && !parts.fraction.n) return false;
    if (at < text.n && (text.p[at] == 'e' || text.p[at] == 'E')) {
        size_t from = at++;
        if (at < text.n && (text.p[at] == '-' || text.p[at] == '+')) at++;
        size_t digits = count_digits(text, at);
        if (!digits) return false;
        at += digits;
        parts.exponent = str_slice(text, from, at);
    }
    *ret_parts = parts;
    return at == text.n;
}

/* As JSON writes it: what JSON would not take is put right, all else stays as it is. */
static str print_decimal(const struct decimal_parts *parts, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    str whole = parts->whole;
    while (whole.n > 1 && whole.p[0] == '0') whole = str_slice(whole, 1, whole.n);
    if (parts->negative) buf_add_char(&out, '-');
    buf_add_str(&out, whole.n ? whole : STR("0"));
    if (parts->point) {
        buf_add_char(&out, '.');
        buf_add_str(&out, parts->fraction.n ? parts->fraction : STR("0"));
    }
    buf_add_str(&out, parts->exponent);
    return buf_str(&out);
}

/* 0o17 or 0xFF: digits of a power of two. False if it is none. */
static bool split_based(str text, str *ret_digits, unsigned *ret_shift)
{
    if (text.n < 3 || text.p[0] != '0' || (text.p[1] != 'x' && text.p[1] != 'o')) return false;
    bool hexadecimal = text.p[1] == 'x';
    for (size_t i = 2; i < text.n; i++) {
        char c = text.p[i];
        bool fits = hexadecimal ? ascii_hex(c) >= 0 : c >= '0' && c <= '7';
        if (!fits) return false;
    }
    *ret_digits = str_slice(text, 2, text.n);
    *ret_shift = hexadecimal ? 4 : 3;
    return true;
}

static bool based_number(str digits, unsigned shift, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.n; i++) {
        char c = digits.p[i];
        unsigned digit = (unsigned)ascii_hex(c);
        if (number >> (64 - shift)) return false;
        number = number << shift | digit;
    }
    *ret_number = number;
    return true;
}

/* NULL and ST_OK: it is no number. */
static enum status read_number(str text, bool integer, struct arena *arena, const struct json **ret_value,
                               struct error *err)
{
    struct decimal_parts parts;
    str digits;
    unsigned shift;
    *ret_value = NULL;
    if (split_based(text, &digits, &shift)) {
        uint64_t number;
        if (!based_number(digits, shift, &number))
            return fail(err, ST_LIMIT, NULL, "a hexadecimal or octal number has more than 64 bits");
        text = arena_printf(arena, "%llu", (unsigned long long)number);
    } else if (split_decimal(text, &parts) && !(integer && (parts.point || parts.exponent.n))) {
        text = print_decimal(&parts, arena);
    } else {
        return ST_OK;
    }
    if (text.n <= JSON_NUMBER_BYTES_MAX) *ret_value = json_number_parse(text, arena);
    if (*ret_value) return ST_OK;
    return fail(err, ST_LIMIT, NULL,
                "a number has more characters than %d, or its exponent is too large (JSON_NUMBER_BYTES_MAX)",
                JSON_NUMBER_BYTES_MAX);
}

/* ---- all of them ---- */

/* NULL and ST_OK: it is none of what the tag allows. */
static enum status read_plain(str text, enum scalar_tag tag, struct arena *arena,
                              const struct json **ret_value, struct error *err)
{
    bool any = tag == SCALAR_NONE;
    *ret_value = NULL;
    if ((any || tag == SCALAR_NULL) && is_null(text)) *ret_value = json_null();
    if ((any || tag == SCALAR_BOOL) && is_word(text, "true")) *ret_value = json_of_bool(true);
    if ((any || tag == SCALAR_BOOL) && is_word(text, "false")) *ret_value = json_of_bool(false);
    if (*ret_value || tag == SCALAR_NULL || tag == SCALAR_BOOL) return ST_OK;
    if (is_not_finite(text))
        return fail(err, ST_INVALID, NULL, "%s is no number here; in quotes it is a text",
                    problem_quote(arena, text));
    return read_number(text, tag == SCALAR_INT, arena, ret_value, err);
}

enum status scalar_value(str text, enum scalar_tag tag, struct arena *arena, const struct json **ret_value,
                         struct error *err)
{
    const struct json *value = NULL;
    if (tag != SCALAR_STRING) TRY(read_plain(text, tag, arena, &value, err));
    if (!value && tag != SCALAR_STRING && tag != SCALAR_NONE)
        return fail(err, ST_INVALID, NULL, "%s is no %s", problem_quote(arena, text), tag_meaning(tag));
    *ret_value = value ? value : json_of_string(arena, text);
    return ST_OK;
}
