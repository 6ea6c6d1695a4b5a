/* expr/lexer_int.h — lexemes, and errors with a place in the text.
 *
 * A lexeme is the smallest piece of an expression's text: a symbol, a number, a string or a name.
 */
#ifndef EXPR_LEXER_INT_H
#define EXPR_LEXER_INT_H

#include "base/buf.h"
#include "base/status.h"
#include "base/utf8.h"
#include "expr/limits.h"

#include <stdarg.h>

/* Symbols; longer ones before their beginnings: the lexer takes the first that fits. */
/* clang-format off */
#define SYMBOL_MAP(XX)          \
    XX(EQUAL,         "==")     \
    XX(NOT_EQUAL,     "!=")     \
    XX(LESS_EQUAL,    "<=")     \
    XX(GREATER_EQUAL, ">=")     \
    XX(AND,           "&&")     \
    XX(OR,            "||")     \
    XX(PIPE,          "|")      \
    XX(COALESCE,      "??")     \
    XX(OPTIONAL,      "?.")     \
    XX(RANGE,         "..")     \
    XX(POWER,         "**")     \
    XX(DOLLAR_BRACE,  "${")     \
    XX(ASSIGN,        "=")      \
    XX(LESS,          "<")      \
    XX(GREATER,       ">")      \
    XX(NOT,           "!")      \
    XX(QUESTION,      "?")      \
    XX(COLON,         ":")      \
    XX(COMMA,         ",")      \
    XX(SEMICOLON,     ";")      \
    XX(DOT,           ".")      \
    XX(PLUS,          "+")      \
    XX(MINUS,         "-")      \
    XX(STAR,          "*")      \
    XX(SLASH,         "/")      \
    XX(PERCENT,       "%")      \
    XX(HASH,          "#")      \
    XX(PAREN_OPEN,    "(")      \
    XX(PAREN_CLOSE,   ")")      \
    XX(BRACKET_OPEN,  "[")      \
    XX(BRACKET_CLOSE, "]")      \
    XX(BRACE_OPEN,    "{")      \
    XX(BRACE_CLOSE,   "}")
/* clang-format on */

enum lexeme_kind {
#define XX(NAME, text) LEXEME_##NAME,
    SYMBOL_MAP(XX)
#undef XX
        LEXEME_NUMBER,
    LEXEME_STRING,
    LEXEME_NAME,
    LEXEME_END,
};

struct lexeme {
    enum lexeme_kind kind;
    uint16_t at; /* Byte offsets in the text, which has at most EXPRESSION_BYTES_MAX. */
    uint16_t end;
};

struct lexer {
    str text;
    size_t next;
    struct error *err;
};

/* Reads the next lexeme. Fails on a character that begins none, on a malformed number, and on a string or a
 * comment that is never closed. */
enum status lexer_next(struct lexer *lexer, struct lexeme *ret_lexeme);

/* The value of a string lexeme, its escapes resolved. */
enum status lexer_string(const struct lexer *lexer, struct lexeme lexeme, struct arena *arena,
                         str *ret_value);

static inline str lexer_text(str text, struct lexeme lexeme)
{
    return (str){ text.p + lexeme.at, (size_t)(lexeme.end - lexeme.at) };
}

/* The symbol in quotes, or "a value", for messages. */
const char *lexer_kind_name(enum lexeme_kind kind);

/* The end of the name that begins here, or `at` if none does. */
size_t lexer_name_end(str text, size_t at);
/* Fails with a message about a character that begins no lexeme. */
enum status lexer_fail_character(const struct lexer *lexer, size_t at);
/* 16, 8 or 2 if a number with 0x, 0o or 0b begins here, else 0. */
unsigned lexer_base(str text, size_t at);

/* fail_at() for a byte of the text. */
__attribute__((format(printf, 5, 6))) enum status lexer_fail(struct error *err, enum status status, str text,
                                                             size_t at, const char *format, ...);
__attribute__((format(printf, 5, 0))) enum status lexer_fail_v(struct error *err, enum status status,
                                                               str text, size_t at, const char *format,
                                                               va_list args);

/* The beginning of a text, as much as a message should show. */
static inline str lexer_shown(str text) { return utf8_cut(text, SHOWN_BYTES_MAX); }

#endif
