/* expr/parser.c — lexemes → tree, by precedence climbing.
 *
 * From loosest to tightest:
 *
 *     let x = a; b        if a { b } else { c }     reach as far as they can
 *     ? :                                           right
 *     |                                             left: `a | f(b)` is `f(a, b)`
 *     ??                                            left
 *     ||  or                                        left
 *     &&  and                                       left
 *     not                                           prefix: `not a == b` is `not (a == b)`
 *     == != < <= > >= in contains startsWith        left: `a < b < c` is `(a < b) < c`
 *       endsWith matches, each word also after not
 *     ..                                            left
 *     + -                                           left
 *     * / %                                         left
 *     - +                                           prefix: `-2 ** 2` is `-(2 ** 2)`
 *     **                                            right
 *     !                                             prefix: `!a == b` is `(!a) == b`
 *     .b  [c]  [d:e]  ?.b  ?.[c]                    postfix
 *
 * A pipe's right side is a call and the steps into it, so `a | f() + b` is `(a | f()) + b`:
 * operators behind it may bind tighter than the pipe does.
 *
 * Every way to nest goes through deeper(), so neither this recursion nor any over the
 * tree exceeds a small multiple of EXPRESSION_DEPTH_MAX.
 */
#include "expr/parser_int.h"

enum precedence {
    LOOSEST,
    PIPING,
    COALESCING,
    OR_ING,
    AND_ING,
    COMPARING,
    RANGING,
    ADDING,
    MULTIPLYING,
    RAISING,
};

static enum status parse_binary(struct parser *parser, enum precedence loosest, struct expr_tree **ret_node);

/* ---- operators ---- */

struct infix {
    enum tree_kind kind;
    enum precedence precedence;
    uint8_t op;
};

static const struct infix infixes[] = {
    [LEXEME_PIPE] = { TREE_PIPE, PIPING, 0 },
    [LEXEME_COALESCE] = { TREE_COALESCE, COALESCING, 0 },
    [LEXEME_OR] = { TREE_OR, OR_ING, 0 },
    [LEXEME_AND] = { TREE_AND, AND_ING, 0 },
    [LEXEME_EQUAL] = { TREE_BINARY, COMPARING, OP_EQUAL },
    [LEXEME_NOT_EQUAL] = { TREE_BINARY, COMPARING, OP_NOT_EQUAL },
    [LEXEME_LESS] = { TREE_BINARY, COMPARING, OP_LESS },
    [LEXEME_LESS_EQUAL] = { TREE_BINARY, COMPARING, OP_LESS_EQUAL },
    [LEXEME_GREATER] = { TREE_BINARY, COMPARING, OP_GREATER },
    [LEXEME_GREATER_EQUAL] = { TREE_BINARY, COMPARING, OP_GREATER_EQUAL },
    [LEXEME_RANGE] = { TREE_BINARY, RANGING, OP_RANGE },
    [LEXEME_PLUS] = { TREE_BINARY, ADDING, OP_ADD },
    [LEXEME_MINUS] = { TREE_BINARY, ADDING, OP_SUBTRACT },
    [LEXEME_STAR] = { TREE_BINARY, MULTIPLYING, OP_MULTIPLY },
    [LEXEME_SLASH] = { TREE_BINARY, MULTIPLYING, OP_DIVIDE },
    [LEXEME_PERCENT] = { TREE_BINARY, MULTIPLYING, OP_MODULO },
};

static const struct {
    str word;
    struct infix infix;
} word_infixes[] = {
    { { "or", 2 }, { TREE_OR, OR_ING, 0 } },
    { { "and", 3 }, { TREE_AND, AND_ING, 0 } },
    { { "in", 2 }, { TREE_BINARY, COMPARING, OP_IN } },
    { { "contains", 8 }, { TREE_BINARY, COMPARING, OP_CONTAINS } },
    { { "startsWith", 10 }, { TREE_BINARY, COMPARING, OP_STARTS_WITH } },
    { { "endsWith", 8 }, { TREE_BINARY, COMPARING, OP_ENDS_WITH } },
    { { "matches", 7 }, { TREE_BINARY, COMPARING, OP_MATCHES } },
};

static const struct infix *find_infix(const struct parser *parser, struct lexeme lexeme)
{
    if (lexeme.kind < COUNT(infixes)) return infixes[lexeme.kind].precedence ? &infixes[lexeme.kind] : NULL;
    if (lexeme.kind != LEXEME_NAME) return NULL;
    for (size_t i = 0; i < COUNT(word_infixes); i++)
        if (str_equal(word_infixes[i].word, lexer_text(parser->lexer.text, lexeme)))
            return &word_infixes[i].infix;
    return NULL;
}

/* The infix operator that comes next, or NULL; `*ret_not` if it is two words. */
static const struct infix *next_infix(const struct parser *parser, bool *ret_not)
{
    *ret_not = false;
    if (!parser_at_word(parser, STR("not"))) return find_infix(parser, parser->lexeme);
    struct lexeme lexeme = parser_peek(parser);
    const struct infix *infix = lexeme.kind == LEXEME_NAME ? find_infix(parser, lexeme) : NULL;
    *ret_not = infix && infix->precedence == COMPARING;
    return *ret_not ? infix : NULL;
}

static enum status parse_prefix(struct parser *parser, enum opcode op, struct expr_tree **ret_node);

/* `!` and what is tighter. */
static enum status parse_tight(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->lexeme.kind != LEXEME_NOT) return parser_postfix(parser, ret_node);
    TRY(parser_deeper(parser));
    struct expr_tree *node = parser_make(parser, TREE_UNARY, parser->lexeme.at);
    node->op = OP_NOT;
    TRY(parser_advance(parser));
    TRY(parse_tight(parser, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_power(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->lexeme.kind == LEXEME_MINUS) return parse_prefix(parser, OP_NEGATE, ret_node);
    if (parser->lexeme.kind == LEXEME_PLUS) return parse_prefix(parser, OP_NUMBER, ret_node);
    struct expr_tree *base;
    TRY(parse_tight(parser, &base));
    if (parser->lexeme.kind == LEXEME_POWER) {
        TRY(parser_deeper(parser));
        struct lexeme sign = parser->lexeme;
        struct expr_tree *power = parser_make(parser, TREE_BINARY, sign.at);
        power->first = base;
        TRY(parser_advance(parser));
        TRY(parse_power(parser, &base->next));
        base->next->join = OP_POWER;
        base->next->join_at = sign.at;
        parser->depth--;
        base = power;
    }
    *ret_node = base;
    return ST_OK;
}

/* A sign: its operand is a power, or another sign. */
static enum status parse_prefix(struct parser *parser, enum opcode op, struct expr_tree **ret_node)
{
    TRY(parser_deeper(parser));
    struct expr_tree *node = parser_make(parser, TREE_UNARY, parser->lexeme.at);
    node->op = (uint8_t)op;
    TRY(parser_advance(parser));
    TRY(parse_power(parser, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_not(struct parser *parser, enum precedence loosest, struct expr_tree **ret_node)
{
    TRY(parser_deeper(parser));
    struct expr_tree *node = parser_make(parser, TREE_UNARY, parser->lexeme.at);
    node->op = OP_NOT;
    TRY(parser_advance(parser));
    TRY(parse_binary(parser, loosest > COMPARING ? loosest : COMPARING, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

/* Parses the right side of a pipe: a call that gets the value before it, and perhaps steps into the result.
 */
static enum status parse_stage(struct parser *parser, struct lexeme pipe, struct expr_tree **ret_node)
{
    struct lexeme name = parser->lexeme;
    if (name.kind != LEXEME_NAME || parser_peek(parser).kind != LEXEME_PAREN_OPEN)
        return parser_complain(parser, pipe.at,
                               "\"|\" hands a value to a function, as in list | len(); for a choice "
                               "write \"||\"");
    struct expr_tree *call;
    TRY(parser_advance(parser));
    TRY(parser_call(parser, name, parser_make(parser, TREE_PIPED, pipe.at), &call));
    return parser_steps(parser, call, ret_node);
}

/* A chain of operators, and those tighter than it inside. Only behind a pipe can a chain be
 * followed by a tighter one, again and again: such chains count as nesting. */
static enum status parse_chains(struct parser *parser, enum precedence loosest, struct expr_tree **ret_node)
{
    struct expr_tree *left;
    if (parser_at_word(parser, STR("not"))) TRY(parse_not(parser, loosest, &left));
    else TRY(parse_power(parser, &left));
    struct expr_tree *last = NULL;        /* The end of the chain `left`, if it is one. */
    enum precedence precedence = LOOSEST; /* The precedence of that chain. */
    for (;;) {
        bool negated;
        const struct infix *infix = next_infix(parser, &negated);
        if (!infix || infix->precedence < loosest) break;
        struct lexeme sign = parser->lexeme;
        if (negated) TRY(parser_advance(parser));
        TRY(parser_advance(parser));
        struct expr_tree *right;
        if (infix->kind == TREE_PIPE) TRY(parse_stage(parser, sign, &right));
        else TRY(parse_binary(parser, infix->precedence + 1, &right));
        right->join = infix->op;
        right->join_not = negated;
        right->join_at = sign.at;
        if (infix->precedence == precedence) {
            last->next = right;
        } else {
            if (infix->kind == TREE_PIPE) TRY(parser_deeper(parser));
            struct expr_tree *chain = parser_make(parser, infix->kind, sign.at);
            chain->first = left;
            left->next = right;
            left = chain;
        }
        last = right;
        precedence = infix->precedence;
    }
    *ret_node = left;
    return ST_OK;
}

static enum status parse_binary(struct parser *parser, enum precedence loosest, struct expr_tree **ret_node)
{
    uint32_t depth = parser->depth;
    TRY(parse_chains(parser, loosest, ret_node));
    parser->depth = depth;
    return ST_OK;
}

/* ---- whole expressions ---- */

/* `a ? b : c`, or `a` alone. */
static enum status parse_conditional(struct parser *parser, struct expr_tree **ret_node)
{
    struct expr_tree *node;
    TRY(parse_binary(parser, PIPING, &node));
    *ret_node = node;
    if (parser->lexeme.kind != LEXEME_QUESTION) return ST_OK;
    struct expr_tree *condition = parser_make(parser, TREE_CONDITION, parser->lexeme.at);
    condition->first = node;
    TRY(parser_advance(parser));
    TRY(parser_whole(parser, &node->next));
    TRY(parser_take(parser, LEXEME_COLON));
    *ret_node = condition;
    return parser_whole(parser, &node->next->next);
}

static enum status parse_block(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->lexeme.kind != LEXEME_BRACE_OPEN) return parser_unexpected(parser, "\"{\"");
    return parser_enclosed(parser, LEXEME_BRACE_CLOSE, ret_node);
}

static enum status parse_if(struct parser *parser, struct expr_tree **ret_node)
{
    struct expr_tree *condition = parser_make(parser, TREE_CONDITION, parser->lexeme.at);
    TRY(parser_advance(parser));
    TRY(parser_whole(parser, &condition->first));
    TRY(parse_block(parser, &condition->first->next));
    if (!parser_at_word(parser, STR("else"))) return parser_unexpected(parser, "\"else\"");
    TRY(parser_advance(parser));
    struct expr_tree **otherwise = &condition->first->next->next;
    *ret_node = condition;
    if (parser_at_word(parser, STR("if"))) return parser_whole(parser, otherwise);
    return parse_block(parser, otherwise);
}

/* Words that mean something as values cannot be given another meaning. */
static bool is_value_word(str word)
{
    return str_equal(word, STR("true")) || str_equal(word, STR("false")) || str_equal(word, STR("nil")) ||
           str_equal(word, STR("null")) || str_equal(word, STR("$env"));
}

/* `let name = value;`. The name is known behind the semicolon, so its value may still read
 * a variable of that name. */
static enum status parse_definition(struct parser *parser, struct expr_tree **ret_value)
{
    TRY(parser_advance(parser));
    struct lexeme lexeme = parser->lexeme;
    str name = parser_word(parser);
    if (lexeme.kind != LEXEME_NAME || parser_is_reserved(name) || is_value_word(name))
        return parser_unexpected(parser, "a name");
    if (parser_find_local(parser, name)) {
        name = lexer_shown(name);
        return parser_complain(parser, lexeme.at, "the name \"%.*s\" is defined already", STR_ARG(name));
    }
    TRY(parser_advance(parser));
    TRY(parser_take(parser, LEXEME_ASSIGN));
    TRY(parser_whole(parser, ret_value));
    TRY(parser_take(parser, LEXEME_SEMICOLON));
    struct local *local = arena_make(parser->arena, struct local);
    *local = (struct local){
        .name = name,
        .slot = parser->local ? (uint16_t)(parser->local->slot + 1) : 0,
        .definition = *ret_value,
        .outer = parser->local,
    };
    parser->local = local;
    return ST_OK;
}

static enum status parse_let(struct parser *parser, struct expr_tree **ret_node)
{
    const struct local *outer = parser->local;
    struct expr_tree *let = parser_make(parser, TREE_LET, parser->lexeme.at);
    struct expr_tree **end = &let->first;
    let->slot = outer ? (uint16_t)(outer->slot + 1) : 0;
    while (parser_at_word(parser, STR("let"))) {
        TRY(parse_definition(parser, end));
        end = &(*end)->next;
    }
    TRY(parser_whole(parser, end));
    parser->local = outer;
    *ret_node = let;
    return ST_OK;
}

enum status parser_whole(struct parser *parser, struct expr_tree **ret_node)
{
    TRY(parser_deeper(parser));
    if (parser_at_word(parser, STR("let"))) TRY(parse_let(parser, ret_node));
    else if (parser_at_word(parser, STR("if"))) TRY(parse_if(parser, ret_node));
    else TRY(parse_conditional(parser, ret_node));
    parser->depth--;
    return ST_OK;
}

enum status parser_parse(str text, struct arena *arena, struct expr_tree **ret_root, struct error *err)
{
    struct parser parser = { .lexer = { .text = text, .err = err }, .arena = arena };
    TRY(parser_advance(&parser));
    TRY(parser_whole(&parser, ret_root));
    return parser.lexeme.kind == LEXEME_END ? ST_OK : parser_unexpected(&parser, NULL);
}
