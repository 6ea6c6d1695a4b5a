/* expr/parser_operand.c — the operands of operators: literals, names, steps into a value. */
#include "expr/parser_int.h"

#include "base/ascii.h"

static struct expr_tree *make_literal(struct parser *parser, size_t at, const struct json *value)
{
    struct expr_tree *node = parser_make(parser, TREE_LITERAL, at);
    node->value = value;
    return node;
}

static void append(struct expr_tree *parent, struct expr_tree *child)
{
    struct expr_tree **end = &parent->first;
    while (*end) end = &(*end)->next;
    *end = child;
}

/* ---- literals ---- */

/* 0x1F, 0o17, 0b101: the lexer has seen to it that all digits fit the base. */
static const struct json *read_based(str text, unsigned base, struct arena *arena)
{
    int64_t value = 0;
    for (size_t i = 2; i < text.n; i++) {
        if (text.p[i] == '_') continue;
        if (__builtin_mul_overflow(value, (int64_t)base, &value) ||
            __builtin_add_overflow(value, ascii_hex(text.p[i]), &value))
            return NULL;
    }
    return json_of_int(arena, value);
}

static const struct json *read_decimal(str text, struct arena *arena)
{
    struct buf plain;
    buf_init(&plain, arena);
    if (text.p[0] == '.') buf_add_char(&plain, '0');
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_') buf_add_char(&plain, text.p[i]);
    return json_number_parse(buf_str(&plain), arena);
}

static enum status parse_number(struct parser *parser, struct expr_tree **ret_node)
{
    str text = parser_word(parser);
    unsigned base = lexer_base(text, 0);
    const struct json *value =
        base ? read_based(text, base, parser->arena) : read_decimal(text, parser->arena);
    if (!value) {
        text = lexer_shown(text);
        return parser_complain(parser, parser->lexeme.at, "%s number \"%.*s\"",
                               base ? "too large a" : "malformed", STR_ARG(text));
    }
    *ret_node = make_literal(parser, parser->lexeme.at, value);
    return parser_advance(parser);
}

static enum status parse_string(struct parser *parser, struct expr_tree **ret_node)
{
    str text;
    TRY(lexer_string(&parser->lexer, parser->lexeme, parser->arena, &text));
    *ret_node = parser_make_text(parser, TREE_LITERAL, parser->lexeme.at, text);
    return parser_advance(parser);
}

enum status parser_enclosed(struct parser *parser, enum lexeme_kind closing, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    TRY(parser_advance(parser));
    TRY(parser_whole(parser, ret_node));
    return parser_take_closing(parser, closing, open);
}

static enum status parse_list(struct parser *parser, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    struct expr_tree *list = parser_make(parser, TREE_LIST, open.at);
    struct expr_tree **end = &list->first;
    TRY(parser_advance(parser));
    while (parser->lexeme.kind != LEXEME_BRACKET_CLOSE && parser->lexeme.kind != LEXEME_END) {
        TRY(parser_whole(parser, end));
        end = &(*end)->next;
        if (parser->lexeme.kind != LEXEME_COMMA) break;
        TRY(parser_advance(parser));
    }
    *ret_node = list;
    return parser_take_closing(parser, LEXEME_BRACKET_CLOSE, open);
}

static enum status parse_map_name(struct parser *parser, struct expr_tree *map, struct expr_tree **ret_name)
{
    struct lexeme lexeme = parser->lexeme;
    if (lexeme.kind == LEXEME_STRING) {
        TRY(parse_string(parser, ret_name));
    } else if (lexeme.kind == LEXEME_NAME) {
        *ret_name = parser_make_text(parser, TREE_LITERAL, lexeme.at, parser_word(parser));
        TRY(parser_advance(parser));
    } else {
        return parser_unexpected(parser, "a name");
    }
    str name = json_string((*ret_name)->value);
    for (const struct expr_tree *other = map->first; other; other = other->next->next)
        if (str_equal(json_string(other->value), name)) {
            name = lexer_shown(name);
            return parser_complain(parser, lexeme.at, "the name \"%.*s\" appears twice", STR_ARG(name));
        }
    return ST_OK;
}

static enum status parse_map(struct parser *parser, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    struct expr_tree *map = parser_make(parser, TREE_MAP, open.at);
    TRY(parser_advance(parser));
    while (parser->lexeme.kind != LEXEME_BRACE_CLOSE && parser->lexeme.kind != LEXEME_END) {
        struct expr_tree *name = NULL;
        TRY(parse_map_name(parser, map, &name));
        if (parser->lexeme.kind != LEXEME_COLON) return parser_unexpected(parser, "\":\"");
        TRY(parser_advance(parser));
        TRY(parser_whole(parser, &name->next));
        append(map, name);
        if (parser->lexeme.kind != LEXEME_COMMA) break;
        TRY(parser_advance(parser));
    }
    *ret_node = map;
    return parser_take_closing(parser, LEXEME_BRACE_CLOSE, open);
}

/* ---- names ---- */

/* A name of `let`, else a variable of the data. */
static struct expr_tree *make_reading(struct parser *parser, size_t at, str name)
{
    const struct local *local = parser_find_local(parser, name);
    if (!local) return parser_make_text(parser, TREE_VARIABLE, at, name);
    struct expr_tree *node = parser_make(parser, TREE_LOCAL, at);
    node->slot = local->slot;
    node->definition = local->definition;
    return node;
}

static enum status parse_name(struct parser *parser, struct expr_tree **ret_node)
{
    struct lexeme name = parser->lexeme;
    str text = parser_word(parser);
    if (parser_is_reserved(text)) return parser_unexpected(parser, "a value");
    TRY(parser_advance(parser));
    if (str_equal(text, STR("true"))) *ret_node = make_literal(parser, name.at, json_of_bool(true));
    else if (str_equal(text, STR("false"))) *ret_node = make_literal(parser, name.at, json_of_bool(false));
    else if (str_equal(text, STR("nil")) || str_equal(text, STR("null")))
        *ret_node = make_literal(parser, name.at, json_null());
    else if (str_equal(text, STR("$env"))) *ret_node = parser_make(parser, TREE_DATA, name.at);
    else if (parser->lexeme.kind == LEXEME_PAREN_OPEN) return parser_call(parser, name, NULL, ret_node);
    else *ret_node = make_reading(parser, name.at, text);
    return ST_OK;
}

/* `#name` is a variable, `#` alone a loop's element, `#index` its index and `#acc` what
 * reduce() has got so far. */
static enum status parse_hash(struct parser *parser, struct expr_tree **ret_node)
{
    struct lexeme hash = parser->lexeme;
    TRY(parser_advance(parser));
    if (parser->lexeme.kind == LEXEME_NAME && parser->lexeme.at == hash.end) {
        if (parser->loops && parser_at_word(parser, STR("index")))
            *ret_node = parser_make(parser, TREE_ELEMENT_INDEX, hash.at);
        else if (parser->reductions && parser_at_word(parser, STR("acc")))
            *ret_node = parser_make(parser, TREE_ACCUMULATOR, hash.at);
        else *ret_node = make_reading(parser, hash.at, parser_word(parser));
        return parser_advance(parser);
    }
    if (!parser->loops)
        return parser_complain(parser, hash.at,
                               "\"#\" is a list's element: it needs a name behind it, or a function "
                               "around it such as filter(list, # > 1)");
    *ret_node = parser_make(parser, TREE_ELEMENT, hash.at);
    return ST_OK;
}

static enum status parse_operand(struct parser *parser, struct expr_tree **ret_node)
{
    switch (parser->lexeme.kind) {
    case LEXEME_NUMBER: return parse_number(parser, ret_node);
    case LEXEME_STRING: return parse_string(parser, ret_node);
    case LEXEME_NAME: return parse_name(parser, ret_node);
    case LEXEME_HASH: return parse_hash(parser, ret_node);
    case LEXEME_PAREN_OPEN: return parser_enclosed(parser, LEXEME_PAREN_CLOSE, ret_node);
    case LEXEME_DOLLAR_BRACE: return parser_enclosed(parser, LEXEME_BRACE_CLOSE, ret_node);
    case LEXEME_BRACKET_OPEN: return parse_list(parser, ret_node);
    case LEXEME_BRACE_OPEN: return parse_map(parser, ret_node);
    case LEXEME_DOT:
        /* `.name` is short for `#.name`; the dot is taken as a postfix. */
        if (!parser->loops) break;
        *ret_node = parser_make(parser, TREE_ELEMENT, parser->lexeme.at);
        return ST_OK;
    default: break;
    }
    return parser_unexpected(parser, "a value");
}

/* ---- postfix ---- */

static enum status parse_brackets(struct parser *parser, struct expr_tree **ret_step)
{
    struct lexeme open = parser->lexeme;
    struct expr_tree *from = NULL;
    struct expr_tree *to = NULL;
    TRY(parser_advance(parser));
    if (parser->lexeme.kind != LEXEME_COLON) TRY(parser_whole(parser, &from));
    if (parser->lexeme.kind != LEXEME_COLON) {
        *ret_step = parser_make(parser, TREE_INDEX, open.at);
        (*ret_step)->first = from;
        return parser_take_closing(parser, LEXEME_BRACKET_CLOSE, open);
    }
    TRY(parser_advance(parser));
    if (parser->lexeme.kind != LEXEME_BRACKET_CLOSE && parser->lexeme.kind != LEXEME_END)
        TRY(parser_whole(parser, &to));
    struct expr_tree *slice = parser_make(parser, TREE_SLICE, open.at);
    slice->detail = (uint8_t)((from ? SLICE_FROM : 0) | (to ? SLICE_TO : 0));
    if (from) append(slice, from);
    if (to) append(slice, to);
    *ret_step = slice;
    return parser_take_closing(parser, LEXEME_BRACKET_CLOSE, open);
}

static enum status parse_member(struct parser *parser, struct expr_tree **ret_step)
{
    if (parser->lexeme.kind != LEXEME_NAME) return parser_unexpected(parser, "a name");
    *ret_step = parser_make_text(parser, TREE_MEMBER, parser->lexeme.at, parser_word(parser));
    return parser_advance(parser);
}

enum status parser_steps(struct parser *parser, struct expr_tree *base, struct expr_tree **ret_node)
{
    struct expr_tree *path = NULL;
    struct expr_tree *last = base;
    for (;;) {
        enum lexeme_kind kind = parser->lexeme.kind;
        struct expr_tree *step;
        if (kind == LEXEME_BRACKET_OPEN) {
            TRY(parse_brackets(parser, &step));
        } else if (kind == LEXEME_DOT || kind == LEXEME_OPTIONAL) {
            TRY(parser_advance(parser));
            if (kind == LEXEME_OPTIONAL && parser->lexeme.kind == LEXEME_BRACKET_OPEN)
                TRY(parse_brackets(parser, &step));
            else TRY(parse_member(parser, &step));
            step->optional = kind == LEXEME_OPTIONAL;
        } else {
            break;
        }
        if (!path) {
            path = parser_make(parser, TREE_PATH, base->at);
            path->first = base;
        }
        last->next = step;
        last = step;
    }
    *ret_node = path ? path : base;
    return ST_OK;
}

enum status parser_postfix(struct parser *parser, struct expr_tree **ret_node)
{
    struct expr_tree *base;
    TRY(parse_operand(parser, &base));
    return parser_steps(parser, base, ret_node);
}
