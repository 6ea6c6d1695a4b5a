/* expr/condition/lexer.c — the lexemes of conditions.
 *
 * A path goes from its $ as far as a JSONPath can: to white space, an operator or a closing parenthesis that
 * is in no brackets. The text in brackets belongs to it, with spaces, operators, quoted texts and regular
 * expressions.
 *
 * In a string \\, \' and \" stand for one character and a quote may be doubled; every other
 * backslash is itself, so that patterns can be written as they are.
 */
#include "expr/condition/condition_int.h"

#include "base/ascii.h"

static const struct {
    str text;
    enum condition_kind kind;
} words[] = {
#define XX(NAME, text) { STR_INIT(text), CONDITION_##NAME },
    CONDITION_WORD_MAP(XX)
#undef XX
}, signs[] = {
#define XX(NAME, text) { STR_INIT(text), CONDITION_##NAME },
    CONDITION_SIGN_MAP(XX)
#undef XX
};

#define complain(lexer, place, ...) lexer_fail((lexer)->err, ST_INVALID, (lexer)->text, (place), __VA_ARGS__)

/* ---- paths ---- */

/* The place of the quote or slash that ends what one at `at` begins; the text's end if none does. */
static size_t closing_at(str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.n && text.p[end] != text.p[at]) end += text.p[end] == '\\' ? 2 : 1;
    return end < text.n ? end : text.n;
}

/* Behind the bracket that closes the one at `at`. */
static size_t brackets_end(str text, size_t at)
{
    size_t open = 0;
    for (size_t end = at; end < text.n;) {
        char c = text.p[end];
        if (c == '\'' || c == '"') {
            end = closing_at(text, end) + 1;
            continue;
        }
        end++;
        if (c == '[') open++;
        if (c == ']' && --open == 0) return end;
        if (c == '~' && text.p[end - 2] == '=') {
            while (end < text.n && ascii_is_space(text.p[end])) end++;
            if (end < text.n && text.p[end] == '/') end = closing_at(text, end) + 1;
        }
    }
    return text.n;
}

static size_t path_end(str text, size_t at)
{
    size_t end = at;
    while (end < text.n) {
        char c = text.p[end];
        if (c == '[') {
            end = brackets_end(text, end);
            continue;
        }
        if (ascii_is_space(c) || memchr(")=!<>&|,", c, 8)) break;
        end++;
    }
    return end;
}

/* ---- the others ---- */

static enum status string_end(const struct lexer *lexer, size_t at, size_t *ret_end)
{
    str text = lexer->text;
    char quote = text.p[at];
    for (size_t i = at + 1; i < text.n; i++) {
        if (text.p[i] == '\\') {
            i++;
        } else if (text.p[i] == quote) {
            if (i + 1 < text.n && text.p[i + 1] == quote) {
                i++;
                continue;
            }
            *ret_end = i + 1;
            return ST_OK;
        }
    }
    return complain(lexer, at, "the string is never closed");
}

str condition_string(const struct condition_parser *condition, struct condition_lexeme lexeme)
{
    str text = condition->lexer.text;
    char quote = text.p[lexeme.at];
    size_t end = lexeme.end - 1u;
    struct buf out;
    buf_init(&out, condition->arena);
    buf_reserve(&out, end - lexeme.at);
    for (size_t i = lexeme.at + 1u; i < end; i++) {
        bool escape = text.p[i] == '\\' && memchr("\\'\"", text.p[i + 1], 3);
        if (escape || text.p[i] == quote) i++;
        buf_add_char(&out, text.p[i]);
    }
    return buf_str(&out);
}

/* Finds only the end of the number; reading its value tells whether it is one. */
static size_t number_end(str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.n) {
        char c = text.p[end];
        bool exponent = (c == '+' || c == '-') && (text.p[end - 1] == 'e' || text.p[end - 1] == 'E');
        size_t letters = lexer_name_end(text, end);
        if (ascii_is_digit(c) || c == '.' || exponent) end++;
        else if (letters > end) end = letters;
        else break;
    }
    return end;
}

/* Names of events may have dashes and dots in them, and begin with a digit. */
static size_t event_name_end(str text, size_t at)
{
    size_t end = at;
    while (end < text.n) {
        char c = text.p[end];
        size_t next = lexer_name_end(text, end);
        if (next == end && (ascii_is_digit(c) || (end > at && (c == '-' || c == '.')))) next++;
        if (next == end) break;
        end = next;
    }
    return end;
}

/* Event conditions only test for equality: other words may be names of events. */
static bool is_of_events(enum condition_kind kind)
{
    return kind == CONDITION_AND || kind == CONDITION_OR || kind == CONDITION_NOT || kind == CONDITION_EQUAL;
}

static enum condition_kind kind_of_word(const struct condition_parser *condition, str word)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal_ignoring_case(words[i].text, word))
            return !condition->events || is_of_events(words[i].kind) ? words[i].kind : CONDITION_NAME;
    return CONDITION_NAME;
}

static enum status lex_regex(const struct lexer *lexer, size_t at, size_t *ret_end)
{
    str text = lexer->text;
    size_t end = closing_at(text, at);
    if (end == text.n) return complain(lexer, at, "the regular expression is never closed");
    end++;
    while (end < text.n && ascii_is_lower(text.p[end])) end++;
    *ret_end = end;
    return ST_OK;
}

static enum status lex_sign(const struct lexer *lexer, size_t at, struct condition_lexeme *lexeme,
                            size_t *ret_end)
{
    str rest = str_slice(lexer->text, at, lexer->text.n);
    for (size_t i = 0; i < COUNT(signs); i++)
        if (str_starts(rest, signs[i].text)) {
            lexeme->kind = signs[i].kind;
            *ret_end = at + signs[i].text.n;
            return ST_OK;
        }
    if (rest.p[0] == '=') return complain(lexer, at, "\"=\" is not an operator; did you mean \"==\"?");
    if (rest.p[0] == '|') return complain(lexer, at, "\"|\" is not an operator; did you mean \"||\"?");
    return lexer_fail_character(lexer, at);
}

/* The lexeme at `at`, where the text has not ended. */
static enum status lex(const struct condition_parser *condition, size_t at, struct condition_lexeme *lexeme,
                       size_t *ret_end)
{
    const struct lexer *lexer = &condition->lexer;
    str text = lexer->text;
    char c = text.p[at];
    bool digit_next = at + 1 < text.n && ascii_is_digit(text.p[at + 1]);
    if (c == '\'' || c == '"') {
        lexeme->kind = CONDITION_STRING;
        return string_end(lexer, at, ret_end);
    }
    if (c == '/' && condition->lexeme.kind == CONDITION_MATCHES) {
        lexeme->kind = CONDITION_REGEX;
        return lex_regex(lexer, at, ret_end);
    }
    if (!condition->events && c == '$') {
        lexeme->kind = CONDITION_PATH;
        *ret_end = path_end(text, at);
        return ST_OK;
    }
    if (!condition->events && (ascii_is_digit(c) || (c == '-' && digit_next))) {
        lexeme->kind = CONDITION_NUMBER;
        *ret_end = number_end(text, at);
        return ST_OK;
    }
    if (!condition->events && c == '#' && lexer_name_end(text, at + 1) > at + 1) {
        lexeme->kind = CONDITION_CALL;
        *ret_end = lexer_name_end(text, at + 1);
        return ST_OK;
    }
    size_t end = condition->events ? event_name_end(text, at) : lexer_name_end(text, at);
    if (end == at) return lex_sign(lexer, at, lexeme, ret_end);
    lexeme->kind = kind_of_word(condition, str_slice(text, at, end));
    lexeme->word = true;
    *ret_end = end;
    return ST_OK;
}

enum status condition_advance(struct condition_parser *condition)
{
    str text = condition->lexer.text;
    size_t at = condition->lexer.next;
    while (at < text.n && ascii_is_space(text.p[at])) at++;
    size_t end = at;
    struct condition_lexeme lexeme = { .kind = CONDITION_END };
    if (at < text.n) TRY(lex(condition, at, &lexeme, &end));
    lexeme.at = (uint16_t)at;
    lexeme.end = (uint16_t)end;
    condition->lexer.next = end;
    condition->lexeme = lexeme;
    return ST_OK;
}
