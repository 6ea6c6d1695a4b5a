/* expr/condition/parser.c — or, and, not.
 *
 *     or:    and (("or" | "||") and)*
 *     and:   not (("and" | "&&") not)*
 *     not:   ("not" | "!")* test
 *     test:  of a condition in operand.c, of an event condition in event.c;
 *            either may be `( or )`
 *
 * Only parentheses nest, so they are what is counted.
 */
#include "expr/condition/condition_int.h"

#include "base/utf8.h"
#include "expr/operations_int.h"

enum status condition_unexpected(struct condition_parser *condition, const char *wanted)
{
    size_t at = condition->lexeme.at;
    if (condition->lexeme.kind == CONDITION_END)
        return condition_complain(condition, at, "expected %s, but the condition ends here", wanted);
    str found = lexer_shown(condition_word(condition));
    return condition_complain(condition, at, "expected %s, found \"%.*s\"", wanted, STR_ARG(found));
}

struct expr_tree *condition_truth(struct condition_parser *condition, struct condition_value value)
{
    if (value.boolean) return value.tree;
    if (value.tree->kind == TREE_LITERAL)
        return tree_literal(json_of_bool(op_truth(0, value.tree->value)), condition->arena);
    return tree_operation(OP_TRUTH, value.nodes ? TEST_LEFT_NODES : 0, &value.tree, 1, condition->arena);
}

static enum status parse_not(struct condition_parser *condition, struct condition_value *ret_value)
{
    bool negated = false, any = false;
    while (condition->lexeme.kind == CONDITION_NOT) {
        any = true;
        negated = !negated;
        TRY(condition_advance(condition));
    }
    condition->negated ^= negated;
    TRY(condition->parse_test(condition, ret_value));
    condition->negated ^= negated;
    if (!any) return ST_OK;
    struct expr_tree *truth = condition_truth(condition, *ret_value);
    if (negated) truth = tree_not(truth, condition->arena);
    *ret_value = (struct condition_value){ .tree = truth, .boolean = true };
    return ST_OK;
}

typedef struct expr_tree *join_fn(struct expr_tree *const *part, size_t count, struct arena *arena);

/* Parts with the same operator between them. A part alone stays the value it is. */
static enum status parse_chain(struct condition_parser *condition, condition_fn *parse_part,
                               enum condition_kind sign, join_fn *join, struct condition_value *ret_value)
{
    TRY(parse_part(condition, ret_value));
    if (condition->lexeme.kind != sign) return ST_OK;
    struct buf parts;
    buf_init(&parts, condition->arena);
    struct expr_tree *truth = condition_truth(condition, *ret_value);
    buf_add(&parts, &truth, sizeof truth);
    while (condition->lexeme.kind == sign) {
        TRY(condition_advance(condition));
        TRY(parse_part(condition, ret_value));
        truth = condition_truth(condition, *ret_value);
        buf_add(&parts, &truth, sizeof truth);
    }
    struct expr_tree *const *part = (struct expr_tree *const *)(void *)parts.p;
    truth = join(part, parts.n / sizeof truth, condition->arena);
    *ret_value = (struct condition_value){ .tree = truth, .boolean = true };
    return ST_OK;
}

static enum status parse_and(struct condition_parser *condition, struct condition_value *ret_value)
{
    return parse_chain(condition, parse_not, CONDITION_AND, tree_and, ret_value);
}

static enum status parse_or(struct condition_parser *condition, struct condition_value *ret_value)
{
    return parse_chain(condition, parse_and, CONDITION_OR, tree_or, ret_value);
}

enum status condition_enclosed(struct condition_parser *condition, struct condition_value *ret_value)
{
    size_t open = condition->lexeme.at;
    if (condition->depth >= EXPRESSION_DEPTH_MAX)
        return lexer_fail(condition->lexer.err, ST_LIMIT, condition->lexer.text, open,
                          "the condition is nested deeper than %d levels (EXPRESSION_DEPTH_MAX)",
                          EXPRESSION_DEPTH_MAX);
    condition->depth++;
    TRY(condition_advance(condition));
    TRY(parse_or(condition, ret_value));
    condition->depth--;
    if (condition->lexeme.kind == CONDITION_END)
        return condition_complain(condition, open, "\"(\" is never closed");
    if (condition->lexeme.kind != CONDITION_CLOSE) return condition_unexpected(condition, "\")\"");
    return condition_advance(condition);
}

enum status condition_parse(struct condition_parser *condition, str text, struct arena *arena,
                            struct expr_tree **ret_tree, struct error *err)
{
    if (text.n > EXPRESSION_BYTES_MAX)
        return fail_at(err, ST_LIMIT, 1, 1,
                       "the condition has %zu bytes; the most is %d (EXPRESSION_BYTES_MAX)", text.n,
                       EXPRESSION_BYTES_MAX);
    if (!utf8_is_valid(text)) return fail_at(err, ST_INVALID, 1, 1, "the condition is not UTF-8");
    if (str_trim(text).n == 0) return fail_at(err, ST_INVALID, 1, 1, "empty condition");

    condition->arena = arena;
    condition->lexer = (struct lexer){ .text = arena_str(arena, text), .err = err };
    condition->depth = 1; /* The whole is the first level. */
    struct condition_value value;
    TRY(condition_advance(condition));
    TRY(parse_or(condition, &value));
    if (condition->lexeme.kind != CONDITION_END) {
        str found = lexer_shown(condition_word(condition));
        return condition_complain(condition, condition->lexeme.at,
                                  "unexpected \"%.*s\" after a complete condition", STR_ARG(found));
    }
    *ret_tree = condition_truth(condition, value);
    return ST_OK;
}
