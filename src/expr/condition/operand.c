/* expr/condition/operand.c — comparisons in conditions, and what they compare.
 *
 *     test:     operand ((== eq is | != ne | < lt | <= le | > gt | >= ge | matches | =~) operand)?
 *     operand:  $-path | #jsonPath(name, 'path') | string | number | true | false | null
 *               | name(.member)* | ( or )
 */
#include "expr/condition/condition_int.h"

#include "base/utf8.h"
#include "expr/vm_int.h"

/* ---- paths ---- */

/* `$`, or how it is read where it has been evaluated before. */
static struct expr_tree *root_of(struct condition_parser *condition)
{
    struct expr_tree *root = condition->names->root;
    if (root->kind == TREE_VARIABLE || root->kind == TREE_DATA || root->kind == TREE_LITERAL) return root;
    condition->root_is_used = true;
    return tree_local(root, condition->arena);
}

/* The error's place is one in the path; it becomes one in the condition, where the path is at `at`. */
static enum status move_error(const struct condition_parser *condition, size_t at, const struct error *why)
{
    struct utf8_place place = utf8_place(condition->lexer.text, at);
    if (why->line > 1) place = (struct utf8_place){ place.line + why->line - 1, why->column };
    else if (why->line == 1) place.column += why->column - 1;
    return fail_at(condition->lexer.err, why->status, place.line, place.column, "%s", why->message);
}

static enum status path_value(struct condition_parser *condition, str text, size_t at, struct expr_tree *of,
                              struct condition_value *ret_value)
{
    struct error why;
    const struct jsonpath *path;
    if (jsonpath_compile(text, JSONPATH_LENIENT, condition->arena, &path, &why) != ST_OK)
        return move_error(condition, at, &why);
    *ret_value = (struct condition_value){ .tree = tree_path(PATH_PICK, path, of, condition->arena),
                                           .nodes = !jsonpath_is_definite(path) };
    return ST_OK;
}

static enum status parse_path(struct condition_parser *condition, struct condition_value *ret_value)
{
    TRY(path_value(condition, condition_word(condition), condition->lexeme.at, root_of(condition),
                   ret_value));
    return condition_advance(condition);
}

/* ---- names ---- */

/* The tree that a name stands for, or NULL. */
static struct expr_tree *find_name(struct condition_parser *condition, str name)
{
    const struct condition_names *names = condition->names;
    for (size_t i = 0; i < names->count; i++)
        if (str_equal(names->name[i].name, name)) return names->name[i].tree;
    return str_equal(name, STR("stateOutputData")) ? root_of(condition) : NULL;
}

static enum status parse_name(struct condition_parser *condition, struct condition_value *ret_value)
{
    str name = condition_word(condition);
    struct expr_tree *tree = find_name(condition, name);
    if (!tree) tree = tree_member(root_of(condition), name, condition->arena);
    TRY(condition_advance(condition));
    struct buf steps;
    buf_init(&steps, condition->arena);
    while (condition->lexeme.kind == CONDITION_DOT) {
        TRY(condition_advance(condition));
        if (!condition->lexeme.word) return condition_unexpected(condition, "the name of a member");
        str step = condition_word(condition);
        buf_add(&steps, &step, sizeof step);
        TRY(condition_advance(condition));
    }
    const str *step = (const str *)(void *)steps.p;
    *ret_value = (struct condition_value){
        .tree = tree_members(tree, step, steps.n / sizeof *step, condition->arena),
    };
    return ST_OK;
}

static enum status take(struct condition_parser *condition, enum condition_kind kind, const char *name)
{
    if (condition->lexeme.kind != kind) return condition_unexpected(condition, name);
    return condition_advance(condition);
}

/* `#jsonPath(stateOutputData, '$..title')`. */
static enum status parse_call(struct condition_parser *condition, struct condition_value *ret_value)
{
    if (!str_equal_ignoring_case(condition_word(condition), STR("#jsonPath"))) {
        str found = lexer_shown(condition_word(condition));
        return condition_complain(condition, condition->lexeme.at,
                                  "unknown function \"%.*s\"; there is only #jsonPath(name, 'path')",
                                  STR_ARG(found));
    }
    TRY(condition_advance(condition));
    TRY(take(condition, CONDITION_OPEN, "\"(\""));
    str name = condition_word(condition);
    if (!condition->lexeme.word) return condition_unexpected(condition, "a name");
    struct expr_tree *of = find_name(condition, name);
    if (!of) {
        name = lexer_shown(name);
        return condition_complain(condition, condition->lexeme.at, "unknown name \"%.*s\"", STR_ARG(name));
    }
    TRY(condition_advance(condition));
    TRY(take(condition, CONDITION_COMMA, "\",\""));
    if (condition->lexeme.kind != CONDITION_STRING)
        return condition_unexpected(condition, "a path in quotes");
    str path = condition_string(condition, condition->lexeme);
    TRY(path_value(condition, path, condition->lexeme.at + 1u, of, ret_value));
    TRY(condition_advance(condition));
    return take(condition, CONDITION_CLOSE, "\")\"");
}

/* ---- operands ---- */

static enum status literal_value(struct condition_parser *condition, const struct json *value,
                                 struct condition_value *ret_value)
{
    *ret_value = (struct condition_value){ .tree = tree_literal(value, condition->arena),
                                           .boolean = json_is(value, JSON_BOOL) };
    return condition_advance(condition);
}

static enum status parse_number(struct condition_parser *condition, struct condition_value *ret_value)
{
    str text = condition_word(condition);
    const struct json *number = json_number_parse(text, condition->arena);
    if (number) return literal_value(condition, number, ret_value);
    text = lexer_shown(text);
    return condition_complain(condition, condition->lexeme.at, "malformed number \"%.*s\"", STR_ARG(text));
}

static enum status parse_operand(struct condition_parser *condition, struct condition_value *ret_value)
{
    switch (condition->lexeme.kind) {
    case CONDITION_PATH: return parse_path(condition, ret_value);
    case CONDITION_CALL: return parse_call(condition, ret_value);
    case CONDITION_STRING: {
        str text = condition_string(condition, condition->lexeme);
        return literal_value(condition, json_of_string(condition->arena, text), ret_value);
    }
    case CONDITION_NUMBER: return parse_number(condition, ret_value);
    case CONDITION_TRUE: return literal_value(condition, json_of_bool(true), ret_value);
    case CONDITION_FALSE: return literal_value(condition, json_of_bool(false), ret_value);
    case CONDITION_NULL: return literal_value(condition, json_null(), ret_value);
    case CONDITION_NAME: return parse_name(condition, ret_value);
    case CONDITION_OPEN: return condition_enclosed(condition, ret_value);
    default: return condition_unexpected(condition, "a value");
    }
}

/* ---- patterns ---- */

static enum status compile_pattern(struct condition_parser *condition, size_t at, str pattern,
                                   uint32_t options, struct condition_value left,
                                   struct condition_value *ret_value)
{
    char message[REGEX_MESSAGE_BYTES];
    const struct regex *regex = regex_compile(pattern, options, condition->arena, message);
    if (!regex) return condition_complain(condition, at, "%s", message);
    if (arena_over(condition->arena))
        return lexer_fail(condition->lexer.err, ST_LIMIT, condition->lexer.text, at,
                          "the regular expression is too large");
    struct expr_tree *tree =
        tree_operation(OP_FINDS_PATTERN, left.nodes ? TEST_LEFT_NODES : 0, &left.tree, 1, condition->arena);
    tree->pattern = regex;
    *ret_value = (struct condition_value){ .tree = tree, .boolean = true };
    return ST_OK;
}

/* `/pattern/flags`. */
static enum status parse_regex(struct condition_parser *condition, struct condition_value left,
                               struct condition_value *ret_value)
{
    str text = condition_word(condition);
    size_t at = condition->lexeme.at, slash = text.n - 1;
    uint32_t options = 0;
    for (; text.p[slash] != '/'; slash--) {
        uint32_t option;
        if (!regex_flag(text.p[slash], &option))
            return condition_complain(condition, at + slash, "unknown flag \"%c\" of a regular expression",
                                      text.p[slash]);
        options |= option;
    }
    TRY(compile_pattern(condition, at, str_slice(text, 1, slash), options, left, ret_value));
    return condition_advance(condition);
}

static enum status parse_matches(struct condition_parser *condition, struct condition_value left,
                                 struct condition_value *ret_value)
{
    if (condition->lexeme.kind == CONDITION_REGEX) return parse_regex(condition, left, ret_value);
    size_t at = condition->lexeme.at;
    struct condition_value right;
    TRY(parse_operand(condition, &right));
    if (right.tree->kind == TREE_LITERAL) {
        const struct json *pattern = right.tree->value;
        if (!json_is(pattern, JSON_STRING))
            return condition_complain(condition, at, "a pattern is a text in quotes, not %s",
                                      vm_kind_phrase(pattern));
        return compile_pattern(condition, at, json_string(pattern), 0, left, ret_value);
    }
    uint8_t test = (uint8_t)((left.nodes ? TEST_LEFT_NODES : 0) | (right.nodes ? TEST_RIGHT_NODES : 0));
    struct expr_tree *const sides[] = { left.tree, right.tree };
    *ret_value = (struct condition_value){ .tree = tree_operation(OP_FINDS, test, sides, 2, condition->arena),
                                           .boolean = true };
    return ST_OK;
}

/* ---- comparisons ---- */

static bool is_comparison(enum condition_kind kind)
{
    return kind >= CONDITION_EQUAL && kind <= CONDITION_MATCHES;
}

static enum status parse_comparison(struct condition_parser *condition, enum condition_kind sign,
                                    struct condition_value left, struct condition_value *ret_value)
{
    static const uint8_t tests[] = {
        [CONDITION_EQUAL] = CHOICE_EQUALS,    [CONDITION_NOT_EQUAL] = CHOICE_EQUALS,
        [CONDITION_LESS] = CHOICE_LESS,       [CONDITION_LESS_EQUAL] = CHOICE_LESS_EQUALS,
        [CONDITION_GREATER] = CHOICE_GREATER, [CONDITION_GREATER_EQUAL] = CHOICE_GREATER_EQUALS,
    };
    struct condition_value right;
    TRY(parse_operand(condition, &right));
    uint8_t test =
        (uint8_t)(tests[sign] | (left.nodes ? TEST_LEFT_NODES : 0) | (right.nodes ? TEST_RIGHT_NODES : 0));
    struct expr_tree *const sides[] = { left.tree, right.tree };
    struct expr_tree *tree = tree_operation(OP_HOLDS, test, sides, 2, condition->arena);
    if (sign == CONDITION_NOT_EQUAL) tree = tree_not(tree, condition->arena);
    *ret_value = (struct condition_value){ .tree = tree, .boolean = true };
    return ST_OK;
}

static enum status parse_test(struct condition_parser *condition, struct condition_value *ret_value)
{
    struct condition_value left;
    TRY(parse_operand(condition, &left));
    enum condition_kind sign = condition->lexeme.kind;
    *ret_value = left;
    if (!is_comparison(sign)) return ST_OK;
    TRY(condition_advance(condition));
    if (sign == CONDITION_MATCHES) TRY(parse_matches(condition, left, ret_value));
    else TRY(parse_comparison(condition, sign, left, ret_value));
    if (!is_comparison(condition->lexeme.kind)) return ST_OK;
    return condition_complain(condition, condition->lexeme.at,
                              "comparisons do not follow each other; put one of them in parentheses");
}

/* ---- the door ---- */

enum status expr_parse_condition(str text, const struct condition_names *names, struct arena *arena,
                                 struct expr_tree **ret_tree, struct error *err)
{
    struct condition_parser condition = { .parse_test = parse_test, .names = names };
    struct expr_tree *tree;
    TRY(condition_parse(&condition, text, arena, &tree, err));
    if (condition.root_is_used) tree = tree_let(names->root, tree, arena);
    tree->text = condition.lexer.text;
    *ret_tree = tree;
    return ST_OK;
}
