/* expr/parser.c — tokens to nodes, by precedence climbing.
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
 * what follows may bind tighter than the pipe does.
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

/* ---- tokens ---- */

enum status parser_advance(struct parser *parser) { return lexer_next(&parser->lexer, &parser->token); }

str parser_word(const struct parser *parser) { return lexer_token_text(parser->lexer.text, parser->token); }

bool parser_at_word(const struct parser *parser, str text)
{
    return parser->token.kind == TOKEN_NAME && str_equal(parser_word(parser), text);
}

struct token parser_peek(const struct parser *parser)
{
    struct lexer ahead = parser->lexer;
    struct token token;
    ahead.err = NULL;
    if (lexer_next(&ahead, &token) != ST_OK) return (struct token){ .kind = TOKEN_END };
    return token;
}

/* What stands where something else should: "expected a value, found \"x\"". */
static enum status complain_found(struct parser *parser, const char *wanted)
{
    if (parser->token.kind == TOKEN_ASSIGN)
        return parser_complain(parser, parser->token.at, "\"=\" is not an operator; did you mean \"==\"?");
    str found = chars_cut(parser_word(parser));
    if (!wanted)
        return parser_complain(parser, parser->token.at, "unexpected \"%.*s\" after a complete expression",
                               STR_ARG(found));
    return parser_complain(parser, parser->token.at, "expected %s, found \"%.*s\"", wanted, STR_ARG(found));
}

enum status parser_unexpected(struct parser *parser, const char *wanted)
{
    if (parser->token.kind == TOKEN_END)
        return parser_complain(parser, parser->token.at, "expected %s, but the expression ends here", wanted);
    return complain_found(parser, wanted);
}

enum status parser_take(struct parser *parser, enum token_kind kind)
{
    if (parser->token.kind == kind) return parser_advance(parser);
    return parser_unexpected(parser, lexer_token_name(kind));
}

enum status parser_take_closing(struct parser *parser, enum token_kind kind, struct token open)
{
    if (parser->token.kind == kind) return parser_advance(parser);
    if (parser->token.kind != TOKEN_END) return complain_found(parser, lexer_token_name(kind));
    str opened = lexer_token_text(parser->lexer.text, open);
    return parser_complain(parser, open.at, "\"%.*s\" is never closed", STR_ARG(opened));
}

enum status parser_deeper(struct parser *parser)
{
    if (parser->depth >= EXPRESSION_DEPTH_MAX)
        return lexer_fail(parser->lexer.err, ST_LIMIT, parser->lexer.text, parser->token.at,
                          "the expression is nested deeper than %d levels", EXPRESSION_DEPTH_MAX);
    parser->depth++;
    return ST_OK;
}

/* ---- nodes ---- */

struct expr_tree *parser_make(struct parser *parser, enum node_kind kind, size_t at)
{
    struct expr_tree *node = arena_make(parser->arena, struct expr_tree);
    node->kind = (uint8_t)kind;
    node->at = (uint16_t)at;
    return node;
}

struct expr_tree *parser_make_text(struct parser *parser, enum node_kind kind, size_t at, str text)
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

/* ---- operators ---- */

struct infix {
    enum node_kind kind;
    enum precedence precedence;
    uint8_t op;
};

static const struct infix infixes[] = {
    [TOKEN_PIPE] = { NODE_PIPE, PIPING, 0 },
    [TOKEN_COALESCE] = { NODE_COALESCE, COALESCING, 0 },
    [TOKEN_OR] = { NODE_OR, OR_ING, 0 },
    [TOKEN_AND] = { NODE_AND, AND_ING, 0 },
    [TOKEN_EQUAL] = { NODE_BINARY, COMPARING, OP_EQUAL },
    [TOKEN_NOT_EQUAL] = { NODE_BINARY, COMPARING, OP_NOT_EQUAL },
    [TOKEN_LESS] = { NODE_BINARY, COMPARING, OP_LESS },
    [TOKEN_LESS_EQUAL] = { NODE_BINARY, COMPARING, OP_LESS_EQUAL },
    [TOKEN_GREATER] = { NODE_BINARY, COMPARING, OP_GREATER },
    [TOKEN_GREATER_EQUAL] = { NODE_BINARY, COMPARING, OP_GREATER_EQUAL },
    [TOKEN_RANGE] = { NODE_BINARY, RANGING, OP_RANGE },
    [TOKEN_PLUS] = { NODE_BINARY, ADDING, OP_ADD },
    [TOKEN_MINUS] = { NODE_BINARY, ADDING, OP_SUBTRACT },
    [TOKEN_STAR] = { NODE_BINARY, MULTIPLYING, OP_MULTIPLY },
    [TOKEN_SLASH] = { NODE_BINARY, MULTIPLYING, OP_DIVIDE },
    [TOKEN_PERCENT] = { NODE_BINARY, MULTIPLYING, OP_MODULO },
};

static const struct {
    str word;
    struct infix infix;
} word_infixes[] = {
    { { "or", 2 }, { NODE_OR, OR_ING, 0 } },
    { { "and", 3 }, { NODE_AND, AND_ING, 0 } },
    { { "in", 2 }, { NODE_BINARY, COMPARING, OP_IN } },
    { { "contains", 8 }, { NODE_BINARY, COMPARING, OP_CONTAINS } },
    { { "startsWith", 10 }, { NODE_BINARY, COMPARING, OP_STARTS_WITH } },
    { { "endsWith", 8 }, { NODE_BINARY, COMPARING, OP_ENDS_WITH } },
    { { "matches", 7 }, { NODE_BINARY, COMPARING, OP_MATCHES } },
};

static const struct infix *find_infix(const struct parser *parser, struct token token)
{
    if (token.kind < COUNT(infixes)) return infixes[token.kind].precedence ? &infixes[token.kind] : NULL;
    if (token.kind != TOKEN_NAME) return NULL;
    for (size_t i = 0; i < COUNT(word_infixes); i++)
        if (str_equal(word_infixes[i].word, lexer_token_text(parser->lexer.text, token)))
            return &word_infixes[i].infix;
    return NULL;
}

/* The infix operator that comes next, or NULL; `*ret_not` if it is two words. */
static const struct infix *next_infix(const struct parser *parser, bool *ret_not)
{
    *ret_not = false;
    if (!parser_at_word(parser, STR("not"))) return find_infix(parser, parser->token);
    struct token token = parser_peek(parser);
    const struct infix *infix = token.kind == TOKEN_NAME ? find_infix(parser, token) : NULL;
    *ret_not = infix && infix->precedence == COMPARING;
    return *ret_not ? infix : NULL;
}

static enum status parse_prefix(struct parser *parser, enum opcode op, struct expr_tree **ret_node);

/* `!` and what is tighter. */
static enum status parse_tight(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->token.kind != TOKEN_NOT) return parser_postfix(parser, ret_node);
    TRY(parser_deeper(parser));
    struct expr_tree *node = parser_make(parser, NODE_UNARY, parser->token.at);
    node->op = OP_NOT;
    TRY(parser_advance(parser));
    TRY(parse_tight(parser, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_power(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->token.kind == TOKEN_MINUS) return parse_prefix(parser, OP_NEGATE, ret_node);
    if (parser->token.kind == TOKEN_PLUS) return parse_prefix(parser, OP_NUMBER, ret_node);
    struct expr_tree *base;
    TRY(parse_tight(parser, &base));
    if (parser->token.kind == TOKEN_POWER) {
        TRY(parser_deeper(parser));
        struct token sign = parser->token;
        struct expr_tree *power = parser_make(parser, NODE_BINARY, sign.at);
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
    struct expr_tree *node = parser_make(parser, NODE_UNARY, parser->token.at);
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
    struct expr_tree *node = parser_make(parser, NODE_UNARY, parser->token.at);
    node->op = OP_NOT;
    TRY(parser_advance(parser));
    TRY(parse_binary(parser, loosest > COMPARING ? loosest : COMPARING, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

/* What follows a pipe: a call that gets the value before it, and perhaps steps into what it gives. */
static enum status parse_stage(struct parser *parser, struct token pipe, struct expr_tree **ret_node)
{
    struct token name = parser->token;
    if (name.kind != TOKEN_NAME || parser_peek(parser).kind != TOKEN_PAREN_OPEN)
        return parser_complain(parser, pipe.at,
                               "\"|\" hands a value to a function, as in list | len(); for a choice "
                               "write \"||\"");
    struct expr_tree *call;
    TRY(parser_advance(parser));
    TRY(parser_call(parser, name, parser_make(parser, NODE_PIPED, pipe.at), &call));
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
    enum precedence precedence = LOOSEST; /* Of that chain. */
    for (;;) {
        bool negated;
        const struct infix *infix = next_infix(parser, &negated);
        if (!infix || infix->precedence < loosest) break;
        struct token sign = parser->token;
        if (negated) TRY(parser_advance(parser));
        TRY(parser_advance(parser));
        struct expr_tree *right;
        if (infix->kind == NODE_PIPE) TRY(parse_stage(parser, sign, &right));
        else TRY(parse_binary(parser, infix->precedence + 1, &right));
        right->join = infix->op;
        right->join_not = negated;
        right->join_at = sign.at;
        if (infix->precedence == precedence) {
            last->next = right;
        } else {
            if (infix->kind == NODE_PIPE) TRY(parser_deeper(parser));
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
    if (parser->token.kind != TOKEN_QUESTION) return ST_OK;
    struct expr_tree *condition = parser_make(parser, NODE_CONDITION, parser->token.at);
    condition->first = node;
    TRY(parser_advance(parser));
    TRY(parser_whole(parser, &node->next));
    TRY(parser_take(parser, TOKEN_COLON));
    *ret_node = condition;
    return parser_whole(parser, &node->next->next);
}

static enum status parse_block(struct parser *parser, struct expr_tree **ret_node)
{
    if (parser->token.kind != TOKEN_BRACE_OPEN) return parser_unexpected(parser, "\"{\"");
    return parser_enclosed(parser, TOKEN_BRACE_CLOSE, ret_node);
}

static enum status parse_if(struct parser *parser, struct expr_tree **ret_node)
{
    struct expr_tree *condition = parser_make(parser, NODE_CONDITION, parser->token.at);
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
    struct token token = parser->token;
    str name = parser_word(parser);
    if (token.kind != TOKEN_NAME || parser_is_reserved(name) || is_value_word(name))
        return parser_unexpected(parser, "a name");
    if (parser_find_local(parser, name)) {
        name = chars_cut(name);
        return parser_complain(parser, token.at, "the name \"%.*s\" is defined already", STR_ARG(name));
    }
    TRY(parser_advance(parser));
    TRY(parser_take(parser, TOKEN_ASSIGN));
    TRY(parser_whole(parser, ret_value));
    TRY(parser_take(parser, TOKEN_SEMICOLON));
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
    struct expr_tree *let = parser_make(parser, NODE_LET, parser->token.at);
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
    return parser.token.kind == TOKEN_END ? ST_OK : complain_found(&parser, NULL);
}
