/* expr/parser_int.h — what the files of the parser share.
 *
 *     parser_state.c    lexemes, errors, new nodes
 *     parser.c          operators
 *     parser_operand.c  what stands between operators
 *     parser_call.c     calls
 *
 * A function that parses takes its first lexeme from `lexeme` and leaves there the first one it did not use.
 */
#ifndef EXPR_PARSER_INT_H
#define EXPR_PARSER_INT_H

#include "expr/lexer_int.h"
#include "expr/tree_int.h"

/* A name made by `let`, from its semicolon to the end of the expression it stands in. */
struct local {
    str name;
    uint16_t slot;
    const struct expr_tree *definition;
    const struct local *outer;
};

struct parser {
    struct lexer lexer;
    struct lexeme lexeme; /* The next one, not yet used. */
    struct arena *arena;
    uint32_t depth;
    uint32_t loops;            /* Loop bodies we are inside of… */
    uint32_t reductions;       /* … and those of reduce() among them. */
    const struct local *local; /* The innermost. */
};

/* ---- lexemes and nodes (parser_state.c) ---- */

enum status parser_advance(struct parser *parser);
/* The text of the next lexeme. */
str parser_word(const struct parser *parser);
bool parser_at_word(const struct parser *parser, str text);
/* The lexeme behind the next one; LEXEME_END if it is malformed. */
struct lexeme parser_peek(const struct parser *parser);

#define parser_complain(parser, place, ...) \
    lexer_fail((parser)->lexer.err, ST_INVALID, (parser)->lexer.text, (place), __VA_ARGS__)
/* Fails with "expected …, found …" about the next lexeme. `wanted` NULL: the text should end there. */
enum status parser_unexpected(struct parser *parser, const char *wanted);

/* Takes a lexeme of this kind. */
enum status parser_take(struct parser *parser, enum lexeme_kind kind);
/* Takes the lexeme that closes what `open` began. */
enum status parser_take_closing(struct parser *parser, enum lexeme_kind kind, struct lexeme open);

/* One level of nesting more, unless that is too many. The caller lowers `depth` again. */
enum status parser_deeper(struct parser *parser);

struct expr_tree *parser_make(struct parser *parser, enum tree_kind kind, size_t at);
struct expr_tree *parser_make_text(struct parser *parser, enum tree_kind kind, size_t at, str text);
const struct local *parser_find_local(const struct parser *parser, str name);
bool parser_is_reserved(str word);

/* ---- parsing ---- */

/* Parses any expression. */
enum status parser_whole(struct parser *parser, struct expr_tree **ret_node);
/* Parses the expression between an opening lexeme, which is the next one, and the closing one. */
enum status parser_enclosed(struct parser *parser, enum lexeme_kind closing, struct expr_tree **ret_node);
/* Parses a value and the steps into it. */
enum status parser_postfix(struct parser *parser, struct expr_tree **ret_node);
/* Parses the steps into `base`, if there are any. */
enum status parser_steps(struct parser *parser, struct expr_tree *base, struct expr_tree **ret_node);
/* Parses a call whose name has been taken; the next lexeme is its parenthesis. `piped` is its first
 * argument, or NULL. */
enum status parser_call(struct parser *parser, struct lexeme name, struct expr_tree *piped,
                        struct expr_tree **ret_node);

#endif
