/* expr/lexer.c — cuts the text of an expression into lexemes, and reads strings with their escapes. */
#include "expr/lexer_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>

static const struct {
    str text;
    const char *name;
} symbols[] = {
#define XX(NAME, text) [LEXEME_##NAME] = { { text, sizeof(text) - 1 }, "\"" text "\"" },
    SYMBOL_MAP(XX)
#undef XX
};

const char *lexer_kind_name(enum lexeme_kind kind)
{
    return kind < COUNT(symbols) ? symbols[kind].name : "a value";
}

enum status lexer_fail(struct error *err, enum status status, str text, size_t at, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    status = lexer_fail_v(err, status, text, at, format, args);
    va_end(args);
    return status;
}

enum status lexer_fail_v(struct error *err, enum status status, str text, size_t at, const char *format,
                         va_list args)
{
    if (!err) return status;
    char message[ERROR_MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, args);
    struct utf8_place place = utf8_place(text, at);
    return fail_at(err, status, place.line, place.column, "%s", message);
}

__attribute__((format(printf, 3, 4))) static enum status complain(const struct lexer *lexer, size_t at,
                                                                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = lexer_fail_v(lexer->err, ST_INVALID, lexer->text, at, format, args);
    va_end(args);
    return status;
}

/* The text is known to be UTF-8. */
static uint32_t decode(str text, size_t at, size_t *ret_bytes)
{
    const unsigned char *p = (const unsigned char *)text.p + at;
    if (p[0] < 0x80) {
        *ret_bytes = 1;
        return p[0];
    }
    size_t bytes = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    uint32_t c = p[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) c = c << 6 | (p[i] & 0x3Fu);
    *ret_bytes = bytes;
    return c;
}

/* Blocks beyond ASCII that hold no letters: spaces, punctuation, symbols, private use. */
static const struct {
    uint32_t from, to;
} no_letters[] = {
    { 0x80, 0xA9 },     { 0xAB, 0xB4 },     { 0xB6, 0xB9 },     { 0xBB, 0xBF },       { 0xD7, 0xD7 },
    { 0xF7, 0xF7 },     { 0x2000, 0x206F }, { 0x20A0, 0x20CF }, { 0x2190, 0x2BFF },   { 0x3000, 0x3004 },
    { 0x3008, 0x3020 }, { 0xE000, 0xF8FF }, { 0xFE00, 0xFE6F }, { 0xFEFF, 0xFF0F },   { 0xFF1A, 0xFF20 },
    { 0xFF3B, 0xFF40 }, { 0xFF5B, 0xFF65 }, { 0xFFE0, 0xFFFF }, { 0x1F000, 0x1FAFF }, { 0xE0000, 0x10FFFF },
};

static bool is_letter(uint32_t c)
{
    if (c < 0x80) return ascii_is_letter((char)c) || c == '_';
    for (size_t i = 0; i < COUNT(no_letters); i++)
        if (c >= no_letters[i].from && c <= no_letters[i].to) return false;
    return true;
}

size_t lexer_name_end(str text, size_t at)
{
    size_t end = at;
    while (end < text.n) {
        size_t bytes;
        uint32_t c = decode(text, end, &bytes);
        bool fits = is_letter(c) || c == '$' || (end > at && c < 0x80 && ascii_is_digit((char)c));
        if (!fits || (c == '$' && end + 1 < text.n && text.p[end + 1] == '{')) break;
        end += bytes;
    }
    return end;
}

/* ---- numbers ---- */

unsigned lexer_base(str text, size_t at)
{
    if (at + 1 >= text.n || text.p[at] != '0') return 0;
    switch (text.p[at + 1]) {
    case 'x':
    case 'X': return 16;
    case 'o':
    case 'O': return 8;
    case 'b':
    case 'B': return 2;
    default: return 0;
    }
}

/* The end of the digits that begin here; single underscores may stand between them. */
static size_t digits_end(str text, size_t at, unsigned base)
{
    size_t end = at;
    while (end < text.n) {
        bool between = text.p[end] == '_' && end > at && end + 1 < text.n;
        if ((unsigned)ascii_hex(text.p[between ? end + 1 : end]) >= base) break;
        end++;
    }
    return end;
}

static bool is_dot_and_digit(str text, size_t at)
{
    return at + 1 < text.n && text.p[at] == '.' && ascii_is_digit(text.p[at + 1]);
}

static size_t decimal_end(str text, size_t at, bool *ret_bad)
{
    size_t end = digits_end(text, at, 10);
    *ret_bad = text.p[at] == '0' && end - at > 1;
    /* A dot belongs to the number only before a digit: 1..3 is a range. */
    if (is_dot_and_digit(text, end)) end = digits_end(text, end + 1, 10);
    if (end < text.n && (text.p[end] == 'e' || text.p[end] == 'E')) {
        end++;
        if (end < text.n && (text.p[end] == '+' || text.p[end] == '-')) end++;
        size_t exponent = end;
        end = digits_end(text, exponent, 10);
        *ret_bad |= end == exponent;
    }
    return end;
}

static enum status number_end(const struct lexer *lexer, size_t at, size_t *ret_end)
{
    str text = lexer->text;
    bool bad;
    unsigned base = lexer_base(text, at);
    size_t end = base ? digits_end(text, at + 2, base) : decimal_end(text, at, &bad);
    if (base) bad = end == at + 2;
    size_t junk = end;
    while (junk < text.n && ascii_is_digit(text.p[junk])) junk++;
    junk = lexer_name_end(text, junk);
    if (bad || junk > end) {
        str word = lexer_shown(str_slice(text, at, junk));
        return complain(lexer, at, "malformed number \"%.*s\"", STR_ARG(word));
    }
    *ret_end = end;
    return ST_OK;
}

static enum status string_end(const struct lexer *lexer, size_t at, size_t *ret_end)
{
    str text = lexer->text;
    char quote = text.p[at];
    for (size_t i = at + 1; i < text.n; i++) {
        if (text.p[i] == quote) {
            *ret_end = i + 1;
            return ST_OK;
        }
        if (text.p[i] == '\\' && quote != '`') i++;
    }
    return complain(lexer, at, "the string is never closed");
}

enum status lexer_fail_character(const struct lexer *lexer, size_t at)
{
    size_t bytes;
    uint32_t c = decode(lexer->text, at, &bytes);
    if (c < 0x20 || c == 0x7F) return complain(lexer, at, "unexpected control character");
    str shown = str_slice(lexer->text, at, at + bytes);
    if (c == '&') return complain(lexer, at, "\"%c\" is not an operator; did you mean \"&&\"?", (int)c);
    if (c >= 0x2018 && c <= 0x201F)
        return complain(lexer, at, "%.*s is not a quote here; write ' or \"", STR_ARG(shown));
    return complain(lexer, at, "unexpected character \"%.*s\"", STR_ARG(shown));
}

/* Skips white space and comments. */
static enum status skip_blank(const struct lexer *lexer, size_t *at)
{
    str text = lexer->text;
    for (;;) {
        while (*at < text.n && ascii_is_space(text.p[*at])) (*at)++;
        str rest = str_slice(text, *at, text.n);
        if (str_starts(rest, STR("//"))) {
            size_t end = str_find(text, STR("\n"), *at);
            *at = end == SIZE_MAX ? text.n : end;
        } else if (str_starts(rest, STR("/*"))) {
            size_t end = str_find(text, STR("*/"), *at + 2);
            if (end == SIZE_MAX) return complain(lexer, *at, "the comment is never closed");
            *at = end + 2;
        } else {
            return ST_OK;
        }
    }
}

enum status lexer_next(struct lexer *lexer, struct lexeme *ret_lexeme)
{
    str text = lexer->text;
    size_t at = lexer->next;
    TRY(skip_blank(lexer, &at));
    size_t end = at;
    enum lexeme_kind kind = LEXEME_END;
    if (at < text.n) {
        char c = text.p[at];
        if (ascii_is_digit(c) || is_dot_and_digit(text, at)) {
            kind = LEXEME_NUMBER;
            TRY(number_end(lexer, at, &end));
        } else if (c == '\'' || c == '"' || c == '`') {
            kind = LEXEME_STRING;
            TRY(string_end(lexer, at, &end));
        } else if ((end = lexer_name_end(text, at)) > at) {
            kind = LEXEME_NAME;
        } else {
            size_t i = 0;
            str rest = str_slice(text, at, text.n);
            while (i < COUNT(symbols) && !str_starts(rest, symbols[i].text)) i++;
            if (i == COUNT(symbols)) return lexer_fail_character(lexer, at);
            kind = (enum lexeme_kind)i;
            end = at + symbols[i].text.n;
        }
    }
    lexer->next = end;
    *ret_lexeme = (struct lexeme){ .kind = kind, .at = (uint16_t)at, .end = (uint16_t)end };
    return ST_OK;
}

/* ---- strings ---- */

/* Four hex digits at `at`, or UINT32_MAX. */
static uint32_t hex4(str text, size_t at, size_t end)
{
    uint32_t value = 0;
    if (at + 4 > end) return UINT32_MAX;
    for (size_t i = at; i < at + 4; i++) {
        unsigned digit = (unsigned)ascii_hex(text.p[i]);
        if (digit >= 16) return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

/* A \uXXXX escape (or a pair of them) whose backslash is at *at; moves behind it. */
static enum status unicode_escape(const struct lexer *lexer, size_t *at, size_t end, struct buf *out)
{
    str text = lexer->text;
    uint32_t c = hex4(text, *at + 2, end);
    if (c == UINT32_MAX) return complain(lexer, *at, "\\u needs four hexadecimal digits");
    size_t used = 6;
    if (c >= 0xD800 && c <= 0xDBFF && *at + 8 < end && text.p[*at + 6] == '\\' && text.p[*at + 7] == 'u') {
        uint32_t low = hex4(text, *at + 8, end);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            used = 12;
        }
    }
    if (c >= 0xD800 && c <= 0xDFFF)
        return complain(lexer, *at, "half of a surrogate pair is not a character");
    char bytes[4];
    buf_add(out, bytes, utf8_encode(c, bytes));
    *at += used;
    return ST_OK;
}

static const struct {
    char letter, meaning;
} escapes[] = {
    { 'n', '\n' }, { 't', '\t' },  { 'r', '\r' },  { 'b', '\b' }, { 'f', '\f' },
    { '/', '/' },  { '\\', '\\' }, { '\'', '\'' }, { '"', '"' },
};

enum status lexer_string(const struct lexer *lexer, struct lexeme lexeme, struct arena *arena, str *ret_value)
{
    str text = lexer->text;
    size_t at = lexeme.at + 1u;
    size_t end = lexeme.end - 1u;
    if (text.p[lexeme.at] == '`' || !memchr(text.p + at, '\\', end - at)) {
        *ret_value = str_slice(text, at, end);
        return ST_OK;
    }
    struct buf out;
    buf_init(&out, arena);
    buf_reserve(&out, end - at);
    while (at < end) {
        if (text.p[at] != '\\') {
            buf_add_char(&out, text.p[at++]);
            continue;
        }
        if (text.p[at + 1] == 'u') {
            TRY(unicode_escape(lexer, &at, end, &out));
            continue;
        }
        size_t i = 0;
        while (i < COUNT(escapes) && escapes[i].letter != text.p[at + 1]) i++;
        if (i == COUNT(escapes)) return complain(lexer, at, "unknown escape; write \\\\ for a backslash");
        buf_add_char(&out, escapes[i].meaning);
        at += 2;
    }
    *ret_value = buf_str(&out);
    return ST_OK;
}
