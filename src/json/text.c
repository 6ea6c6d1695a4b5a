/* json/text.c — what reading JSON text needs, also when the values are not wanted. */
#include "json/json_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

/* ---- numbers and escapes ---- */

const char *text_number(const char *p, const char *end, const char **ret_end)
{
    struct literal literal;
    const char *complaint = json_literal_scan(p, end, &literal);
    *ret_end = literal.end;
    return complaint;
}

/* The unit of the \uXXXX at p, or -1. */
static int unit_at(const char *p, const char *end)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = ascii_hex(p[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static const char *unicode_escape_read(const char **p, const char *end, char ret_bytes[4], size_t *ret_count)
{
    int unit = unit_at(*p, end);
    if (unit < 0) return "\\u needs four hexadecimal digits";
    uint32_t character = (uint32_t)unit;
    size_t length = 6;
    if (unit >= 0xd800 && unit <= 0xdfff) {
        int low = unit < 0xdc00 ? unit_at(*p + 6, end) : -1;
        if (low < 0xdc00 || low > 0xdfff) return "lone surrogate";
        character = 0x10000 + ((character - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
        length = 12;
    }
    *p += length;
    *ret_count = utf8_encode(character, ret_bytes);
    return NULL;
}

const char *text_escape(const char **p, const char *end, char ret_bytes[4], size_t *ret_count)
{
    if (end - *p < 2) return "the string has no end";
    switch ((*p)[1]) {
    case '"':
    case '\\':
    case '/': ret_bytes[0] = (*p)[1]; break;
    case 'b': ret_bytes[0] = '\b'; break;
    case 'f': ret_bytes[0] = '\f'; break;
    case 'n': ret_bytes[0] = '\n'; break;
    case 'r': ret_bytes[0] = '\r'; break;
    case 't': ret_bytes[0] = '\t'; break;
    case 'u': return unicode_escape_read(p, end, ret_bytes, ret_count);
    default: return "no such escape";
    }
    *p += 2;
    *ret_count = 1;
    return NULL;
}

/* ---- going through a text that has parsed ---- */

static const char *skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\' && p + 1 < end) p++;
    return p < end ? p + 1 : end;
}

/* Counts brackets instead of recursing: the text is known to be well-formed. */
const char *text_skip_value(const char *p, const char *end)
{
    size_t open = 0;
    do {
        p = text_skip_space(p, end);
        if (p >= end) return end;
        if (*p == '"') p = skip_string(p, end);
        else if (*p == '{' || *p == '[') open++, p++;
        else if (*p == '}' || *p == ']') open -= open > 0, p++;
        else if (*p == ',' || *p == ':') p++;
        else
            while (p < end && !memchr(",:]} \t\r\n", *p, 8)) p++;
    } while (open);
    return p;
}

/* Behind the character c, which comes next but for white space. */
static const char *skip_mark(const char *p, const char *end)
{
    p = text_skip_space(p, end);
    return p < end ? text_skip_space(p + 1, end) : end;
}

const char *text_member_name(const char *object, const char *end, size_t index)
{
    const char *p = skip_mark(object, end);
    while (index--) {
        p = skip_mark(skip_string(p, end), end);     /* name : */
        p = skip_mark(text_skip_value(p, end), end); /* value , */
    }
    return p;
}

/* True if the string at p, which is still escaped, is the token, which is too. */
static bool string_is_token(const char *p, const char *end, str token)
{
    for (p++; p < end && *p != '"';) {
        char bytes[4] = { *p };
        size_t count = 1;
        if (*p != '\\') p++;
        else if (text_escape(&p, end, bytes, &count)) return false;
        for (size_t i = 0; i < count; i++)
            if (pointer_token_byte(&token) != (unsigned char)bytes[i]) return false;
    }
    return token.n == 0;
}

/* The child's value, or NULL. */
static const char *find_child(const char *p, const char *end, str token)
{
    size_t wanted = SIZE_MAX;
    bool object = *p == '{';
    if (!object && (*p != '[' || !pointer_token_index(token, &wanted))) return NULL;
    p = skip_mark(p, end);
    for (size_t index = 0; p < end && *p != '}' && *p != ']'; index++) {
        bool found = object ? string_is_token(p, end, token) : index == wanted;
        if (object) p = skip_mark(skip_string(p, end), end);
        if (found) return p;
        p = text_skip_space(text_skip_value(p, end), end);
        if (p < end && *p == ',') p = text_skip_space(p + 1, end);
    }
    return NULL;
}

bool json_locate(str text, str pointer, uint32_t *ret_line, uint32_t *ret_column)
{
    if (pointer.n && pointer.p[0] != '/') return false;
    const char *end = text.p + text.n;
    const char *p = text_skip_space(text.p, end);
    while (pointer.n && p && p < end) p = find_child(p, end, pointer_take_token(&pointer));
    if (!p || p >= end) return false;
    struct utf8_place place = utf8_place(text, (size_t)(p - text.p));
    *ret_line = place.line;
    *ret_column = place.column;
    return true;
}
