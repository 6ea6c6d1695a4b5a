/* expr/parser_state.c — the parser's position in the text, its errors, and new nodes. */
#include "expr/parser_int.h"

/* ---- lexemes ---- */

enum status parser_advance(struct parser *parser) { return lexer_next(&parser->lexer, &parser->lexeme); }

str parser_word(const struct parser *parser) { return lexer_text(parser->lexer.text, parser->lexeme); }

bool parser_at_word(const struct parser *parser, str text)
{
    return parser->lexeme.kind == LEXEME_NAME && str_equal(parser_word(parser), text);
}

struct lexeme parser_peek(const struct parser *parser)
{
    struct lexer ahead = parser->lexer;
    struct lexeme lexeme;
    ahead.err = NULL;
    if (lexer_next(&ahead, &lexeme) != ST_OK) return (struct lexeme){ .kind = LEXEME_END };
    return lexeme;
}

/* Fails with "expected a value, found \"x\"". */
static enum status complain_found(struct parser *parser, const char *wanted)
{
    if (parser->lexeme.kind == LEXEME_ASSIGN)
        return parser_complain(parser, parser->lexeme.at, "\"=\" is not an operator; did you mean \"==\"?");
    str found = lexer_shown(parser_word(parser));
    if (!wanted)
        return parser_complain(parser, parser->lexeme.at, "unexpected \"%.*s\" after a complete expression",
                               STR_ARG(found));
    return parser_complain(parser, parser->lexeme.at, "expected %s, found \"%.*s\"", wanted, STR_ARG(found));
}

enum status parser_unexpected(struct parser *parser, const char *wanted)
{
    if (parser->lexeme.kind == LEXEME_END)
        return parser_complain(parser, parser->lexeme.at, "expected %s, but the expression ends here",
                               wanted);
    return complain_found(parser, wanted);
}

enum status parser_take(struct parser *parser, enum lexeme_kind kind)
{
    if (parser->lexeme.kind == kind) return parser_advance(parser);
    return parser_unexpected(parser, lexer_kind_name(kind));
}

enum status parser_take_closing(struct parser *parser, enum lexeme_kind kind, struct lexeme open)
{
    if (parser->lexeme.kind == kind) return parser_advance(parser);
    if (parser->lexeme.kind != LEXEME_END) return complain_found(parser, lexer_kind_name(kind));
    str opened = lexer_text(parser->lexer.text, open);
    return parser_complain(parser, open.at, "\"%.*s\" is never closed", STR_ARG(opened));
}

enum status parser_deeper(struct parser *parser)
{
    if (parser->depth >= EXPRESSION_DEPTH_MAX)
        return lexer_fail(parser->lexer.err, ST_LIMIT, parser->lexer.text, parser->lexeme.at,
                          "the expression is nested deeper than %d levels (EXPRESSION_DEPTH_MAX)",
                          EXPRESSION_DEPTH_MAX);
    parser->depth++;
    return ST_OK;
}

/* ---- nodes ---- */

struct expr_tree *parser_make(struct parser *parser, enum tree_kind kind, size_t at)
{
    struct expr_tree *node = arena_make(parser->arena, struct expr_tree);
    node->kind = (uint8_t)kind;
    node->at = (uint16_t)at;
    return node;
}

struct expr_tree *parser_make_text(struct parser *parser, enum tree_kind kind, size_t at, str text)
{
    struct expr_tree *node = parser_make(parser, kind, at);
    node->value = json_of_string(parser->arena, text);
    return node;
}

const struct local *parser_find_local(const struct parser *parser, str name)
{
    const struct local *local = parser->local;
    while (local && !str_equal(local->name, name)) local = local->outer;
    return local;
}

static const str reserved[] = {
    { "and", 3 }, { "or", 2 }, { "in", 2 }, { "not", 3 }, { "let", 3 }, { "if", 2 }, { "else", 4 },
};

bool parser_is_reserved(str word)
{
    for (size_t i = 0; i < COUNT(reserved); i++)
        if (str_equal(word, reserved[i])) return true;
    return false;
}
