/* expr/parser_call.c — calls: of functions, of operators by name, of loops with their bodies. */
#include "expr/parser_int.h"
#include "expr/builtins/builtins_int.h"
#include "expr/loops_int.h"

static enum status check_count(struct parser *parser, struct lexeme name, size_t count, size_t fewest,
                               size_t most)
{
    if (count >= fewest && count <= most) return ST_OK;
    str text = lexer_text(parser->lexer.text, name);
    if (fewest == most)
        return parser_complain(parser, name.at, "%.*s() takes %zu argument%s, not %zu", STR_ARG(text), fewest,
                               fewest == 1 ? "" : "s", count);
    return parser_complain(parser, name.at, "%.*s() takes %zu to %zu arguments, not %zu", STR_ARG(text),
                           fewest, most, count);
}

/* The arguments behind those the call has already, and the parenthesis that closes them.
 * `*count` grows. */
static enum status parse_arguments(struct parser *parser, struct lexeme open, struct expr_tree *call,
                                   size_t *count)
{
    struct expr_tree **end = &call->first;
    while (*end) end = &(*end)->next;
    while (parser->lexeme.kind != LEXEME_PAREN_CLOSE && parser->lexeme.kind != LEXEME_END) {
        TRY(parser_whole(parser, end));
        end = &(*end)->next;
        (*count)++;
        if (parser->lexeme.kind != LEXEME_COMMA) break;
        TRY(parser_advance(parser));
    }
    return parser_take_closing(parser, LEXEME_PAREN_CLOSE, open);
}

/* ---- loops ---- */

/* `{` after a loop's comma: a body in braces, unless a name and a colon make it a map. */
static enum status begins_map(const struct parser *parser, bool *ret_map)
{
    struct parser ahead = *parser;
    TRY(parser_advance(&ahead));
    enum lexeme_kind kind = ahead.lexeme.kind;
    *ret_map = kind == LEXEME_BRACE_CLOSE ||
               ((kind == LEXEME_NAME || kind == LEXEME_STRING) && parser_peek(&ahead).kind == LEXEME_COLON);
    return ST_OK;
}

static enum status parse_body(struct parser *parser, enum loop_kind kind, struct expr_tree **ret_node)
{
    bool map = true;
    uint32_t reduces = kind == LOOP_reduce;
    if (parser->lexeme.kind == LEXEME_BRACE_OPEN) TRY(begins_map(parser, &map));
    parser->loops++;
    parser->reductions += reduces;
    TRY(map ? parser_whole(parser, ret_node) : parser_enclosed(parser, LEXEME_BRACE_CLOSE, ret_node));
    parser->reductions -= reduces;
    parser->loops--;
    return ST_OK;
}

static enum status skip_comma(struct parser *parser, bool *ret_skipped)
{
    *ret_skipped = parser->lexeme.kind == LEXEME_COMMA;
    return *ret_skipped ? parser_advance(parser) : ST_OK;
}

/* The loops that can do without a body: sum(list) is another function, count(list) looks at
 * the elements themselves. */
static void complete_loop(struct parser *parser, struct expr_tree *loop)
{
    if (loop->first->next) return;
    if (loop->function == LOOP_sum) {
        loop->kind = TREE_CALL;
        loop->function = BUILTIN_sum;
    } else {
        loop->first->next = parser_make(parser, TREE_ELEMENT, loop->at);
    }
}

static enum status parse_loop(struct parser *parser, struct lexeme name, enum loop_kind kind,
                              struct expr_tree *piped, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    struct expr_tree *loop = parser_make(parser, TREE_LOOP, name.at);
    loop->function = (uint8_t)kind;
    loop->first = piped;
    size_t count = piped ? 1 : 0;
    TRY(parser_advance(parser));
    bool more = parser->lexeme.kind != LEXEME_PAREN_CLOSE;
    if (more && !piped) {
        TRY(parser_whole(parser, &loop->first));
        count++;
        TRY(skip_comma(parser, &more));
    }
    if (more) {
        TRY(parse_body(parser, kind, &loop->first->next));
        count++;
        TRY(skip_comma(parser, &more));
    }
    if (more) TRY(parse_arguments(parser, open, loop, &count));
    else TRY(parser_take_closing(parser, LEXEME_PAREN_CLOSE, open));
    TRY(check_count(parser, name, count, loops_table[kind].fewest, loops_table[kind].most));
    complete_loop(parser, loop);
    *ret_node = loop;
    return ST_OK;
}

/* ---- functions ---- */

static const struct {
    str name;
    uint8_t op;
} operator_functions[] = {
#define XX(name, OP) { { #name, sizeof(#name) - 1 }, OP_##OP },
    OPERATOR_FUNCTION_MAP(XX)
#undef XX
};

static enum status parse_operator_call(struct parser *parser, struct lexeme name, uint8_t op,
                                       struct expr_tree *piped, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    size_t count = piped ? 1 : 0;
    struct expr_tree *node = parser_make(parser, TREE_BINARY, name.at);
    node->first = piped;
    TRY(parser_advance(parser));
    TRY(parse_arguments(parser, open, node, &count));
    TRY(check_count(parser, name, count, 2, 2));
    node->first->next->join = op;
    node->first->next->join_at = name.at;
    *ret_node = node;
    return ST_OK;
}

static enum status parse_builtin(struct parser *parser, struct lexeme name, enum builtin function,
                                 struct expr_tree *piped, struct expr_tree **ret_node)
{
    struct lexeme open = parser->lexeme;
    size_t count = piped ? 1 : 0;
    struct expr_tree *call = parser_make(parser, TREE_CALL, name.at);
    call->function = (uint8_t)function;
    call->first = piped;
    TRY(parser_advance(parser));
    TRY(parse_arguments(parser, open, call, &count));
    *ret_node = call;
    return check_count(parser, name, count, builtin_table[function].fewest, builtin_table[function].most);
}

enum status parser_call(struct parser *parser, struct lexeme name, struct expr_tree *piped,
                        struct expr_tree **ret_node)
{
    str text = lexer_text(parser->lexer.text, name);
    for (size_t i = 0; i < COUNT(operator_functions); i++)
        if (str_equal(operator_functions[i].name, text))
            return parse_operator_call(parser, name, operator_functions[i].op, piped, ret_node);
    for (size_t i = 0; i < LOOP_COUNT; i++)
        if (str_equal(loops_table[i].name, text)) return parse_loop(parser, name, i, piped, ret_node);
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (str_equal(builtin_table[i].name, text)) return parse_builtin(parser, name, i, piped, ret_node);
    str like = builtin_like(text);
    text = lexer_shown(text);
    if (like.n)
        return parser_complain(parser, name.at, "unknown function \"%.*s\"; did you mean \"%.*s\"?",
                               STR_ARG(text), STR_ARG(like));
    return parser_complain(parser, name.at, "unknown function \"%.*s\"", STR_ARG(text));
}
