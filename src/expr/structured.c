/* expr/structured.c — conditions as JSON: {"left": …, "op": …, "right": …}, all, any, not, and texts. */
#include "expr/template/template_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

struct structured_reader {
    struct template_roots roots;
    bool strict;
    struct arena *arena;
    struct error *err;
    struct buf pointer; /* To the condition that is read. */
};

static enum status read_condition(struct structured_reader *reader, const struct json *condition,
                                  struct expr_tree **ret_tree);

/* `member` empty: the condition itself. */
__attribute__((format(printf, 3, 4), cold)) static enum status complain(struct structured_reader *reader,
                                                                        const char *member,
                                                                        const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (member[0]) json_pointer_add(&reader->pointer, str_of(member));
    buf_add_char(&reader->pointer, '\0');
    return fail(reader->err, ST_INVALID, reader->pointer.p, "%s", message);
}

/* ---- comparisons ---- */

/* STRUCTURED_COUNT: there is none. */
static enum structured_op op_of(str word)
{
    size_t i = 0;
    while (i < STRUCTURED_COUNT && !str_equal(str_of(tree_structured_words[i]), word)) i++;
    return (enum structured_op)i;
}

bool expr_structured_is_single(str word)
{
    enum structured_op op = op_of(word);
    return op != STRUCTURED_COUNT && structured_is_single(op);
}

static enum status find_op(struct structured_reader *reader, const struct json *word,
                           enum structured_op *ret_op)
{
    if (!json_is(word, JSON_STRING)) return complain(reader, "op", "a condition needs an op, a text");
    *ret_op = op_of(json_string(word));
    if (*ret_op != STRUCTURED_COUNT) return ST_OK;
    struct buf known;
    buf_init(&known, reader->arena);
    for (size_t i = 0; i < STRUCTURED_COUNT; i++)
        buf_printf(&known, "%s%s", i ? " " : "", tree_structured_words[i]);
    str shown = utf8_cut(json_string(word), SHOWN_BYTES_MAX);
    return complain(reader, "op", "there is no op \"%.*s\"; there are %.*s", STR_ARG(shown), (int)known.n,
                    known.p);
}

static enum status read_side(struct structured_reader *reader, const struct json *value, const char *member,
                             struct expr_tree **ret_tree)
{
    struct error inner = { 0 };
    enum status status = template_tree(value, &reader->roots, reader->arena, ret_tree, &inner);
    if (status == ST_OK) return ST_OK;
    json_pointer_add(&reader->pointer, str_of(member));
    buf_printf(&reader->pointer, "%s%c", inner.where, '\0');
    return fail(reader->err, status, reader->pointer.p, "%s", inner.message);
}

/* A template that gives null is a failure; a null that the author wrote is meant. */
static void need_value(struct structured_reader *reader, const struct json *value, struct expr_tree **tree)
{
    if (!json_is(value, JSON_STRING) || (*tree)->kind == TREE_LITERAL) return;
    *tree = tree_needed(*tree, json_string(value), reader->arena);
}

static enum status read_comparison(struct structured_reader *reader, const struct json *condition,
                                   struct expr_tree **ret_tree)
{
    enum structured_op op = STRUCTURED_EQ;
    const struct json *left = json_get(condition, STR("left")), *right = json_get(condition, STR("right"));
    struct expr_tree *side[2] = { NULL, NULL };
    TRY(find_op(reader, json_get(condition, STR("op")), &op));
    bool single = structured_is_single(op);
    if (!left) return complain(reader, "left", "a condition needs left, a value to look at");
    if (!right && !single)
        return complain(reader, "right", "%s needs right, a value to compare with",
                        tree_structured_words[op]);
    TRY(read_side(reader, left, "left", &side[0]));
    if (!single) TRY(read_side(reader, right, "right", &side[1]));
    if (reader->roots.needs_values && (!single || op >= STRUCTURED_IS_TRUE)) {
        need_value(reader, left, &side[0]);
        if (!single) need_value(reader, right, &side[1]);
    }
    uint8_t detail = (uint8_t)((unsigned)op | (reader->strict ? 0U : STRUCTURED_LENIENT));
    *ret_tree = tree_operation(OP_STRUCTURED, detail, side, single ? 1 : 2, reader->arena);
    return ST_OK;
}

/* ---- texts ---- */

static enum status read_text(struct structured_reader *reader, str text, struct expr_tree **ret_tree)
{
    struct expr_tree *root;
    const struct expr *expr;
    struct error inner = { 0 };
    str pointer = arena_str(reader->arena, buf_str(&reader->pointer));
    enum status status = rooting_parse(&text, pointer, &reader->roots, reader->arena, &root, &inner);
    if (status == ST_OK) status = compile_expr(root, text, false, reader->arena, &expr, &inner);
    if (status != ST_OK && inner.line && pointer.n)
        return fail(reader->err, status, pointer.p, "%s (line %u, column %u)", inner.message, inner.line,
                    inner.column);
    if (status != ST_OK && reader->err) *reader->err = inner;
    TRY(status);
    *ret_tree = tree_nested(expr, reader->strict ? NESTED_BOOLEAN : NESTED_OR_FALSE, reader->arena);
    return ST_OK;
}

/* ---- all, any, not ---- */

static enum status read_list(struct structured_reader *reader, const struct json *list, bool all,
                             struct expr_tree **ret_tree)
{
    const char *word = all ? "all" : "any";
    if (!json_is(list, JSON_ARRAY)) return complain(reader, word, "%s needs a list of conditions", word);
    size_t count = json_count(list), length = reader->pointer.n;
    struct expr_tree **part = arena_make_n(reader->arena, struct expr_tree *, count);
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        buf_printf(&reader->pointer, "/%s/%zu", word, i);
        TRY(read_condition(reader, each.value, &part[i]));
        reader->pointer.n = length;
    }
    *ret_tree = all ? tree_and(part, count, reader->arena) : tree_or(part, count, reader->arena);
    return ST_OK;
}

static enum status read_not(struct structured_reader *reader, const struct json *condition,
                            struct expr_tree **ret_tree)
{
    size_t length = reader->pointer.n;
    struct expr_tree *part;
    buf_add_str(&reader->pointer, STR("/not"));
    TRY(read_condition(reader, condition, &part));
    reader->pointer.n = length;
    *ret_tree = tree_not(part, reader->arena);
    return ST_OK;
}

/* Every condition gives a boolean. Recursion goes as deep as documents can be. */
static enum status read_condition(struct structured_reader *reader, const struct json *condition,
                                  struct expr_tree **ret_tree)
{
    const struct json *all = json_get(condition, STR("all")), *any = json_get(condition, STR("any"));
    const struct json *negated = json_get(condition, STR("not"));
    bool compares = json_get(condition, STR("left")) || json_get(condition, STR("op"));
    switch (json_kind(condition)) {
    case JSON_BOOL: *ret_tree = tree_literal(condition, reader->arena); return ST_OK;
    case JSON_STRING: return read_text(reader, json_string(condition), ret_tree);
    case JSON_OBJECT: break;
    default: return complain(reader, "", "a condition is an object or a text");
    }
    if ((all != NULL) + (any != NULL) + (negated != NULL) + compares != 1)
        return complain(reader, "", "a condition has left and op, or one of all, any and not");
    if (all) return read_list(reader, all, true, ret_tree);
    if (any) return read_list(reader, any, false, ret_tree);
    return negated ? read_not(reader, negated, ret_tree) : read_comparison(reader, condition, ret_tree);
}

enum status structured_tree(const struct json *condition, bool strict, const struct template_roots *roots,
                            struct arena *arena, struct expr_tree **ret_tree, struct error *err)
{
    struct structured_reader reader = { .roots = *roots, .strict = strict, .arena = arena, .err = err };
    reader.roots.secrets_member = STR("");
    buf_init(&reader.pointer, arena);
    return read_condition(&reader, condition, ret_tree);
}

enum status expr_structured(const struct json *condition, bool strict, const struct template_roots *roots,
                            struct arena *arena, const struct expr **ret_expr, struct error *err)
{
    /* A text by itself keeps the places of its errors. */
    if (strict && json_is(condition, JSON_STRING))
        return expr_rooting_compile(json_string(condition), roots, arena, ret_expr, err);
    struct expr_tree *tree;
    TRY(structured_tree(condition, strict, roots, arena, &tree, err));
    *ret_expr = expr_of_tree(tree, arena);
    return ST_OK;
}
