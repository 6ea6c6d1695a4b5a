/* expr/parser.c — tokens to nodes, by precedence climbing.
 *
 * From loosest to tightest:
 *
 *     ? :                                           right
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
 * Every way to nest goes through deeper(), so neither this recursion nor any over the
 * tree exceeds a small multiple of EXPRESSION_DEPTH_MAX.
 */
#include "expr/expr_int.h"

enum precedence { LOOSEST, COALESCING, OR_ING, AND_ING, COMPARING, RANGING, ADDING, MULTIPLYING, RAISING };

struct parser {
    struct lexer lexer;
    struct token token; /* The next one, not yet used. */
    struct arena *arena;
    uint32_t depth;
    uint32_t loops; /* Loop bodies we are inside of. */
};

static enum status parse_whole(struct parser *parser, struct node **ret_node);
static enum status parse_binary(struct parser *parser, enum precedence loosest, struct node **ret_node);

/* ---- tokens ---- */

static enum status advance(struct parser *parser) { return lexer_next(&parser->lexer, &parser->token); }

static str word(const struct parser *parser) { return lexer_token_text(parser->lexer.text, parser->token); }

static bool at_word(const struct parser *parser, str text)
{
    return parser->token.kind == TOKEN_NAME && str_equal(word(parser), text);
}

/* The token behind the next one; TOKEN_END if it is malformed. */
static struct token peek(const struct parser *parser)
{
    struct lexer ahead = parser->lexer;
    struct token token;
    ahead.err = NULL;
    if (lexer_next(&ahead, &token) != ST_OK) return (struct token){ .kind = TOKEN_END };
    return token;
}

#define complain_at(parser, place, ...) \
    lexer_fail((parser)->lexer.err, ST_INVALID, (parser)->lexer.text, (place), __VA_ARGS__)

static enum status unexpected(struct parser *parser, const char *wanted)
{
    if (parser->token.kind == TOKEN_END)
        return complain_at(parser, parser->token.at, "expected %s, but the expression ends here", wanted);
    str found = chars_cut(word(parser));
    return complain_at(parser, parser->token.at, "expected %s, found \"%.*s\"", wanted, STR_ARG(found));
}

/* Takes the token that closes what `open` began. */
static enum status take_closing(struct parser *parser, enum token_kind kind, struct token open)
{
    if (parser->token.kind == kind) return advance(parser);
    if (parser->token.kind == TOKEN_END) {
        str opened = lexer_token_text(parser->lexer.text, open);
        return complain_at(parser, open.at, "\"%.*s\" is never closed", STR_ARG(opened));
    }
    str found = chars_cut(word(parser));
    return complain_at(parser, parser->token.at, "expected \"%s\", found \"%.*s\"", lexer_token_name(kind),
                       STR_ARG(found));
}

static enum status deeper(struct parser *parser)
{
    if (parser->depth >= EXPRESSION_DEPTH_MAX)
        return lexer_fail(parser->lexer.err, ST_LIMIT, parser->lexer.text, parser->token.at,
                            "the expression is nested deeper than %d levels", EXPRESSION_DEPTH_MAX);
    parser->depth++;
    return ST_OK;
}

/* ---- nodes ---- */

static struct node *make(struct parser *parser, enum node_kind kind, size_t at)
{
    struct node *node = arena_make(parser->arena, struct node);
    node->kind = (uint8_t)kind;
    node->at = (uint16_t)at;
    return node;
}

static struct node *make_text(struct parser *parser, enum node_kind kind, size_t at, str text)
{
    struct node *node = make(parser, kind, at);
    node->value = json_of_string(parser->arena, text);
    return node;
}

static struct node *make_literal(struct parser *parser, size_t at, const struct json *value)
{
    struct node *node = make(parser, NODE_LITERAL, at);
    node->value = value;
    return node;
}

static void append(struct node *parent, struct node *child)
{
    struct node **end = &parent->first;
    while (*end) end = &(*end)->next;
    *end = child;
}

/* ---- operands ---- */

static enum status parse_number(struct parser *parser, struct node **ret_node)
{
    str text = word(parser);
    const struct json *value = json_number_parse(text, parser->arena);
    if (!value) {
        text = chars_cut(text);
        return complain_at(parser, parser->token.at, "malformed number \"%.*s\"", STR_ARG(text));
    }
    *ret_node = make_literal(parser, parser->token.at, value);
    return advance(parser);
}

static enum status parse_string(struct parser *parser, struct node **ret_node)
{
    str text;
    TRY(lexer_string(&parser->lexer, parser->token, parser->arena, &text));
    *ret_node = make_text(parser, NODE_LITERAL, parser->token.at, text);
    return advance(parser);
}

/* What stands between an opening token, which is the next one, and its closing one. */
static enum status parse_enclosed(struct parser *parser, enum token_kind closing, struct node **ret_node)
{
    struct token open = parser->token;
    TRY(advance(parser));
    TRY(parse_whole(parser, ret_node));
    return take_closing(parser, closing, open);
}

static enum status parse_list(struct parser *parser, struct node **ret_node)
{
    struct token open = parser->token;
    struct node *list = make(parser, NODE_LIST, open.at);
    struct node **end = &list->first;
    TRY(advance(parser));
    while (parser->token.kind != TOKEN_BRACKET_CLOSE && parser->token.kind != TOKEN_END) {
        TRY(parse_whole(parser, end));
        end = &(*end)->next;
        if (parser->token.kind != TOKEN_COMMA) break;
        TRY(advance(parser));
    }
    *ret_node = list;
    return take_closing(parser, TOKEN_BRACKET_CLOSE, open);
}

static enum status parse_map_name(struct parser *parser, struct node *map, struct node **ret_name)
{
    struct token token = parser->token;
    if (token.kind == TOKEN_STRING) {
        TRY(parse_string(parser, ret_name));
    } else if (token.kind == TOKEN_NAME) {
        *ret_name = make_text(parser, NODE_LITERAL, token.at, word(parser));
        TRY(advance(parser));
    } else {
        return unexpected(parser, "a name");
    }
    str name = json_string((*ret_name)->value);
    for (const struct node *other = map->first; other; other = other->next->next)
        if (str_equal(json_string(other->value), name)) {
            name = chars_cut(name);
            return complain_at(parser, token.at, "the name \"%.*s\" appears twice", STR_ARG(name));
        }
    return ST_OK;
}

static enum status parse_map(struct parser *parser, struct node **ret_node)
{
    struct token open = parser->token;
    struct node *map = make(parser, NODE_MAP, open.at);
    TRY(advance(parser));
    while (parser->token.kind != TOKEN_BRACE_CLOSE && parser->token.kind != TOKEN_END) {
        struct node *name;
        TRY(parse_map_name(parser, map, &name));
        if (parser->token.kind != TOKEN_COLON) return unexpected(parser, "\":\"");
        TRY(advance(parser));
        TRY(parse_whole(parser, &name->next));
        append(map, name);
        if (parser->token.kind != TOKEN_COMMA) break;
        TRY(advance(parser));
    }
    *ret_node = map;
    return take_closing(parser, TOKEN_BRACE_CLOSE, open);
}

/* ---- calls ---- */

static enum status check_count(struct parser *parser, struct token name, size_t count, size_t fewest,
                               size_t most)
{
    if (count >= fewest && count <= most) return ST_OK;
    str text = lexer_token_text(parser->lexer.text, name);
    if (fewest == most)
        return complain_at(parser, name.at, "%.*s() takes %zu argument%s, not %zu", STR_ARG(text), fewest,
                           fewest == 1 ? "" : "s", count);
    return complain_at(parser, name.at, "%.*s() takes %zu to %zu arguments, not %zu", STR_ARG(text), fewest,
                       most, count);
}

static enum status parse_arguments(struct parser *parser, struct token open, struct node *call,
                                   size_t *ret_count)
{
    size_t count = 0;
    struct node **end = &call->first;
    while (*end) end = &(*end)->next;
    while (parser->token.kind != TOKEN_PAREN_CLOSE && parser->token.kind != TOKEN_END) {
        TRY(parse_whole(parser, end));
        end = &(*end)->next;
        count++;
        if (parser->token.kind != TOKEN_COMMA) break;
        TRY(advance(parser));
    }
    *ret_count = count;
    return take_closing(parser, TOKEN_PAREN_CLOSE, open);
}

/* `{` after a loop's comma: a body in braces, unless a name and a colon make it a map. */
static enum status begins_map(const struct parser *parser, bool *ret_map)
{
    struct parser ahead = *parser;
    TRY(advance(&ahead));
    enum token_kind kind = ahead.token.kind;
    *ret_map = kind == TOKEN_BRACE_CLOSE ||
               ((kind == TOKEN_NAME || kind == TOKEN_STRING) && peek(&ahead).kind == TOKEN_COLON);
    return ST_OK;
}

static enum status parse_body(struct parser *parser, struct node **ret_node)
{
    bool map = true;
    if (parser->token.kind == TOKEN_BRACE_OPEN) TRY(begins_map(parser, &map));
    parser->loops++;
    TRY(map ? parse_whole(parser, ret_node) : parse_enclosed(parser, TOKEN_BRACE_CLOSE, ret_node));
    parser->loops--;
    return ST_OK;
}

static enum status parse_loop(struct parser *parser, struct token name, size_t kind, struct node **ret_node)
{
    struct token open = parser->token;
    struct node *loop = make(parser, NODE_LOOP, name.at);
    loop->function = (uint8_t)kind;
    size_t count = 0;
    TRY(advance(parser));
    if (parser->token.kind != TOKEN_PAREN_CLOSE) {
        TRY(parse_whole(parser, &loop->first));
        count = 1;
    }
    if (parser->token.kind == TOKEN_COMMA) {
        TRY(advance(parser));
        TRY(parse_body(parser, &loop->first->next));
        count = 2;
    }
    if (parser->token.kind == TOKEN_COMMA) {
        size_t more;
        TRY(advance(parser));
        TRY(parse_arguments(parser, open, loop, &more));
        count += more;
    } else {
        TRY(take_closing(parser, TOKEN_PAREN_CLOSE, open));
    }
    *ret_node = loop;
    return check_count(parser, name, count, 2, kind == LOOP_sortBy ? 3 : 2);
}

static const struct { str name; uint8_t op; } operator_functions[] = {
#define XX(name, OP) { { #name, sizeof(#name) - 1 }, OP_##OP },
    OPERATOR_FUNCTION_MAP(XX)
#undef XX
};

static enum status parse_operator_call(struct parser *parser, struct token name, uint8_t op,
                                       struct node **ret_node)
{
    struct token open = parser->token;
    size_t count;
    struct node *node = make(parser, NODE_BINARY, name.at);
    TRY(advance(parser));
    TRY(parse_arguments(parser, open, node, &count));
    TRY(check_count(parser, name, count, 2, 2));
    node->first->next->join = op;
    node->first->next->join_at = name.at;
    *ret_node = node;
    return ST_OK;
}

/* The name has been taken; the next token is its parenthesis. */
static enum status parse_call(struct parser *parser, struct token name, struct node **ret_node)
{
    str text = lexer_token_text(parser->lexer.text, name);
    for (size_t i = 0; i < COUNT(operator_functions); i++)
        if (str_equal(operator_functions[i].name, text))
            return parse_operator_call(parser, name, operator_functions[i].op, ret_node);
    for (size_t i = 0; i < LOOP_COUNT; i++)
        if (str_equal(loops_names[i], text)) return parse_loop(parser, name, i, ret_node);
    for (size_t i = 0; i < BUILTIN_COUNT; i++) {
        if (!str_equal(builtin_table[i].name, text)) continue;
        struct token open = parser->token;
        struct node *call = make(parser, NODE_CALL, name.at);
        size_t count;
        call->function = (uint8_t)i;
        TRY(advance(parser));
        TRY(parse_arguments(parser, open, call, &count));
        *ret_node = call;
        return check_count(parser, name, count, builtin_table[i].fewest, builtin_table[i].most);
    }
    str like = builtin_like(text);
    text = chars_cut(text);
    if (like.n)
        return complain_at(parser, name.at, "unknown function \"%.*s\"; did you mean \"%.*s\"?",
                           STR_ARG(text), STR_ARG(like));
    return complain_at(parser, name.at, "unknown function \"%.*s\"", STR_ARG(text));
}

static const str reserved[] = {
    { "and", 3 }, { "or", 2 }, { "in", 2 }, { "not", 3 },
};

static enum status parse_name(struct parser *parser, struct node **ret_node)
{
    struct token name = parser->token;
    str text = word(parser);
    for (size_t i = 0; i < COUNT(reserved); i++)
        if (str_equal(text, reserved[i])) return unexpected(parser, "a value");
    TRY(advance(parser));
    if (str_equal(text, STR("true"))) *ret_node = make_literal(parser, name.at, json_of_bool(true));
    else if (str_equal(text, STR("false"))) *ret_node = make_literal(parser, name.at, json_of_bool(false));
    else if (str_equal(text, STR("nil")) || str_equal(text, STR("null")))
        *ret_node = make_literal(parser, name.at, json_null());
    else if (str_equal(text, STR("$env"))) *ret_node = make(parser, NODE_DATA, name.at);
    else if (parser->token.kind == TOKEN_PAREN_OPEN) return parse_call(parser, name, ret_node);
    else *ret_node = make_text(parser, NODE_VARIABLE, name.at, text);
    return ST_OK;
}

/* `#name` is a variable, `#` alone a loop's element and `#index` its index. */
static enum status parse_hash(struct parser *parser, struct node **ret_node)
{
    struct token hash = parser->token;
    TRY(advance(parser));
    if (parser->token.kind == TOKEN_NAME && parser->token.at == hash.end) {
        if (parser->loops && at_word(parser, STR("index")))
            *ret_node = make(parser, NODE_ELEMENT_INDEX, hash.at);
        else *ret_node = make_text(parser, NODE_VARIABLE, hash.at, word(parser));
        return advance(parser);
    }
    if (!parser->loops)
        return complain_at(parser, hash.at,
                           "\"#\" is a list's element: it needs a name behind it, or a function "
                           "around it such as filter(list, # > 1)");
    *ret_node = make(parser, NODE_ELEMENT, hash.at);
    return ST_OK;
}

static enum status parse_operand(struct parser *parser, struct node **ret_node)
{
    switch (parser->token.kind) {
    case TOKEN_NUMBER: return parse_number(parser, ret_node);
    case TOKEN_STRING: return parse_string(parser, ret_node);
    case TOKEN_NAME: return parse_name(parser, ret_node);
    case TOKEN_HASH: return parse_hash(parser, ret_node);
    case TOKEN_PAREN_OPEN: return parse_enclosed(parser, TOKEN_PAREN_CLOSE, ret_node);
    case TOKEN_DOLLAR_BRACE: return parse_enclosed(parser, TOKEN_BRACE_CLOSE, ret_node);
    case TOKEN_BRACKET_OPEN: return parse_list(parser, ret_node);
    case TOKEN_BRACE_OPEN: return parse_map(parser, ret_node);
    case TOKEN_DOT:
        /* `.name` is short for `#.name`; the dot is taken as a postfix. */
        if (!parser->loops) break;
        *ret_node = make(parser, NODE_ELEMENT, parser->token.at);
        return ST_OK;
    default: break;
    }
    return unexpected(parser, "a value");
}

/* ---- postfix ---- */

static enum status parse_brackets(struct parser *parser, struct node **ret_step)
{
    struct token open = parser->token;
    struct node *from = NULL;
    struct node *to = NULL;
    TRY(advance(parser));
    if (parser->token.kind != TOKEN_COLON) TRY(parse_whole(parser, &from));
    if (parser->token.kind != TOKEN_COLON) {
        *ret_step = make(parser, NODE_INDEX, open.at);
        (*ret_step)->first = from;
        return take_closing(parser, TOKEN_BRACKET_CLOSE, open);
    }
    TRY(advance(parser));
    if (parser->token.kind != TOKEN_BRACKET_CLOSE && parser->token.kind != TOKEN_END)
        TRY(parse_whole(parser, &to));
    struct node *slice = make(parser, NODE_SLICE, open.at);
    slice->bounds = (uint8_t)((from ? SLICE_FROM : 0) | (to ? SLICE_TO : 0));
    if (from) append(slice, from);
    if (to) append(slice, to);
    *ret_step = slice;
    return take_closing(parser, TOKEN_BRACKET_CLOSE, open);
}

static enum status parse_member(struct parser *parser, struct node **ret_step)
{
    if (parser->token.kind != TOKEN_NAME) return unexpected(parser, "a name");
    *ret_step = make_text(parser, NODE_MEMBER, parser->token.at, word(parser));
    return advance(parser);
}

static enum status parse_postfix(struct parser *parser, struct node **ret_node)
{
    struct node *base;
    TRY(parse_operand(parser, &base));
    struct node *path = NULL;
    struct node *last = base;
    for (;;) {
        enum token_kind kind = parser->token.kind;
        struct node *step;
        if (kind == TOKEN_BRACKET_OPEN) {
            TRY(parse_brackets(parser, &step));
        } else if (kind == TOKEN_DOT || kind == TOKEN_OPTIONAL) {
            TRY(advance(parser));
            if (kind == TOKEN_OPTIONAL && parser->token.kind == TOKEN_BRACKET_OPEN)
                TRY(parse_brackets(parser, &step));
            else
                TRY(parse_member(parser, &step));
            step->optional = kind == TOKEN_OPTIONAL;
        } else {
            break;
        }
        if (!path) {
            path = make(parser, NODE_PATH, base->at);
            path->first = base;
        }
        last->next = step;
        last = step;
    }
    *ret_node = path ? path : base;
    return ST_OK;
}

/* ---- operators ---- */

struct infix {
    enum node_kind kind;
    enum precedence precedence;
    uint8_t op;
};

static const struct infix infixes[] = {
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

static const struct { str word; struct infix infix; } word_infixes[] = {
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
    if (!at_word(parser, STR("not"))) return find_infix(parser, parser->token);
    struct token token = peek(parser);
    const struct infix *infix = token.kind == TOKEN_NAME ? find_infix(parser, token) : NULL;
    *ret_not = infix && infix->precedence == COMPARING;
    return *ret_not ? infix : NULL;
}

static enum status parse_prefix(struct parser *parser, enum opcode op, struct node **ret_node);

/* `!` and what is tighter. */
static enum status parse_tight(struct parser *parser, struct node **ret_node)
{
    if (parser->token.kind != TOKEN_NOT) return parse_postfix(parser, ret_node);
    TRY(deeper(parser));
    struct node *node = make(parser, NODE_UNARY, parser->token.at);
    node->op = OP_NOT;
    TRY(advance(parser));
    TRY(parse_tight(parser, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_power(struct parser *parser, struct node **ret_node)
{
    if (parser->token.kind == TOKEN_MINUS) return parse_prefix(parser, OP_NEGATE, ret_node);
    if (parser->token.kind == TOKEN_PLUS) return parse_prefix(parser, OP_NUMBER, ret_node);
    struct node *base;
    TRY(parse_tight(parser, &base));
    if (parser->token.kind == TOKEN_POWER) {
        TRY(deeper(parser));
        struct token sign = parser->token;
        struct node *power = make(parser, NODE_BINARY, sign.at);
        power->first = base;
        TRY(advance(parser));
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
static enum status parse_prefix(struct parser *parser, enum opcode op, struct node **ret_node)
{
    TRY(deeper(parser));
    struct node *node = make(parser, NODE_UNARY, parser->token.at);
    node->op = (uint8_t)op;
    TRY(advance(parser));
    TRY(parse_power(parser, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_not(struct parser *parser, enum precedence loosest, struct node **ret_node)
{
    TRY(deeper(parser));
    struct node *node = make(parser, NODE_UNARY, parser->token.at);
    node->op = OP_NOT;
    TRY(advance(parser));
    TRY(parse_binary(parser, loosest > COMPARING ? loosest : COMPARING, &node->first));
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_binary(struct parser *parser, enum precedence loosest, struct node **ret_node)
{
    struct node *left;
    if (at_word(parser, STR("not"))) TRY(parse_not(parser, loosest, &left));
    else TRY(parse_power(parser, &left));
    struct node *last = NULL;             /* The end of the chain `left`, if it is one. */
    enum precedence precedence = LOOSEST; /* Of that chain. */
    for (;;) {
        bool negated;
        const struct infix *infix = next_infix(parser, &negated);
        if (!infix || infix->precedence < loosest) break;
        struct token sign = parser->token;
        if (negated) TRY(advance(parser));
        TRY(advance(parser));
        struct node *right;
        TRY(parse_binary(parser, infix->precedence + 1, &right));
        right->join = infix->op;
        right->join_not = negated;
        right->join_at = sign.at;
        if (infix->precedence == precedence) {
            last->next = right;
        } else {
            struct node *chain = make(parser, infix->kind, sign.at);
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

/* A conditional, and so any expression. */
static enum status parse_whole(struct parser *parser, struct node **ret_node)
{
    TRY(deeper(parser));
    struct node *node;
    TRY(parse_binary(parser, COALESCING, &node));
    if (parser->token.kind == TOKEN_QUESTION) {
        struct node *condition = make(parser, NODE_CONDITION, parser->token.at);
        condition->first = node;
        TRY(advance(parser));
        TRY(parse_whole(parser, &node->next));
        if (parser->token.kind != TOKEN_COLON) return unexpected(parser, "\":\"");
        TRY(advance(parser));
        TRY(parse_whole(parser, &node->next->next));
        node = condition;
    }
    parser->depth--;
    *ret_node = node;
    return ST_OK;
}

enum status parser_parse(str text, struct arena *arena, struct node **ret_root, struct error *err)
{
    struct parser parser = { .lexer = { .text = text, .err = err }, .arena = arena };
    TRY(advance(&parser));
    TRY(parse_whole(&parser, ret_root));
    if (parser.token.kind == TOKEN_END) return ST_OK;
    str found = chars_cut(word(&parser));
    return complain_at(&parser, parser.token.at, "unexpected \"%.*s\" after a complete expression",
                       STR_ARG(found));
}
