/* expr/compile.c — tree → code, and expr_compile(). */
#include "expr/lexer_int.h"
#include "expr/loops_int.h"
#include "expr/tree_int.h"

#include "base/utf8.h"

#include <stdio.h>

struct compiler {
    str text;
    struct arena *arena;
    struct error *err;
    struct buf code;      /* struct instruction */
    struct buf constant;  /* const struct json * */
    struct buf pattern;   /* compiled regular expressions */
    struct buf path;      /* compiled paths */
    struct buf nested;    /* compiled expressions */
    struct buf predicate; /* compiled tests of entities */
    uint32_t stack;       /* Values on the stack at this point of the code. */
    uint32_t stack_max;
    uint32_t locals_max;
    uint32_t loops; /* Loops around this point of the code. */
    uint32_t loops_max;
    uint32_t reduction; /* The innermost loop of reduce() among them, counted from outside. */
};

/* ---- emitting ---- */

static uint32_t here(const struct compiler *c) { return (uint32_t)(c->code.n / sizeof(struct instruction)); }

/* `effect` is how many values the instruction adds to the stack, or takes. */
static uint32_t emit(struct compiler *c, enum opcode op, size_t at, uint32_t arg, int effect)
{
    struct instruction instruction = { .op = (uint8_t)op, .at = (uint16_t)at, .arg = arg };
    uint32_t place = here(c);
    buf_add(&c->code, &instruction, sizeof instruction);
    c->stack += (uint32_t)effect;
    if (c->stack > c->stack_max) c->stack_max = c->stack;
    return place;
}

static struct instruction *emitted(struct compiler *c, uint32_t place)
{
    return (struct instruction *)(void *)c->code.p + place;
}

static void jump_here(struct compiler *c, uint32_t from) { emitted(c, from)->arg = here(c); }

static uint32_t add_constant(struct compiler *c, const struct json *value)
{
    const struct json **known = (const struct json **)(void *)c->constant.p;
    uint32_t count = (uint32_t)(c->constant.n / sizeof value);
    str bytes = json_encoded(value);
    /* Not all of them: templates may have very many. */
    uint32_t from = count > CONSTANTS_COMPARED_MAX ? count - CONSTANTS_COMPARED_MAX : 0;
    for (uint32_t i = from; i < count; i++)
        if (str_equal(json_encoded(known[i]), bytes)) return i;
    buf_add(&c->constant, &value, sizeof value);
    return count;
}

static uint32_t add_pattern(struct compiler *c, const struct regex *pattern)
{
    uint32_t index = (uint32_t)(c->pattern.n / sizeof pattern);
    buf_add(&c->pattern, &pattern, sizeof pattern);
    return index;
}

static uint32_t add_path(struct compiler *c, const struct jsonpath *path)
{
    uint32_t index = (uint32_t)(c->path.n / sizeof path);
    buf_add(&c->path, &path, sizeof path);
    return index;
}

static uint32_t add_predicate(struct compiler *c, const struct predicate_test *test)
{
    uint32_t index = (uint32_t)(c->predicate.n / sizeof test);
    buf_add(&c->predicate, &test, sizeof test);
    return index;
}

/* ---- nodes ---- */

static enum status compile_node(struct compiler *c, const struct expr_tree *node);

static enum status compile_children(struct compiler *c, const struct expr_tree *node, uint32_t *ret_count)
{
    uint32_t count = 0;
    for (const struct expr_tree *child = node->first; child; child = child->next, count++)
        TRY(compile_node(c, child));
    *ret_count = count;
    return ST_OK;
}

/* `a matches 'literal'`: a mistake in the pattern is found now. */
static enum status compile_pattern(struct compiler *c, const struct expr_tree *literal)
{
    char message[REGEX_MESSAGE_BYTES];
    const struct regex *pattern = regex_compile(json_string(literal->value), 0, c->arena, message);
    if (!pattern) return lexer_fail(c->err, ST_INVALID, c->text, literal->at, "%s", message);
    if (arena_over(c->arena))
        return lexer_fail(c->err, ST_LIMIT, c->text, literal->at, "the regular expression is too large");
    emit(c, OP_MATCHES_PATTERN, literal->join_at, add_pattern(c, pattern), 0);
    return ST_OK;
}

static enum status compile_binary(struct compiler *c, const struct expr_tree *node)
{
    TRY(compile_node(c, node->first));
    for (const struct expr_tree *operand = node->first->next; operand; operand = operand->next) {
        if (operand->join == OP_MATCHES && operand->kind == TREE_LITERAL &&
            json_is(operand->value, JSON_STRING)) {
            TRY(compile_pattern(c, operand));
        } else {
            TRY(compile_node(c, operand));
            emit(c, operand->join, operand->join_at, 0, -1);
        }
        if (operand->join_not) emit(c, OP_NOT, operand->join_at, 0, 0);
    }
    return ST_OK;
}

/* a && b && c: `a AND end, b AND end, c BOOLEAN, end:`. The jumps are linked through
 * their own operands until the end is known. */
static enum status compile_short_circuit(struct compiler *c, const struct expr_tree *node, enum opcode op)
{
    uint32_t linked = UINT32_MAX;
    TRY(compile_node(c, node->first));
    const struct expr_tree *operand = node->first->next;
    for (; operand; operand = operand->next) {
        linked = emit(c, op, operand->join_at, linked, -1);
        TRY(compile_node(c, operand));
        if (!operand->next && op != OP_COALESCE) emit(c, OP_BOOLEAN, operand->join_at, 0, 0);
    }
    while (linked != UINT32_MAX) {
        uint32_t before = emitted(c, linked)->arg;
        jump_here(c, linked);
        linked = before;
    }
    return ST_OK;
}

static enum status compile_condition(struct compiler *c, const struct expr_tree *node)
{
    const struct expr_tree *then = node->first->next;
    TRY(compile_node(c, node->first));
    uint32_t unless = emit(c, OP_UNLESS, node->at, 0, -1);
    TRY(compile_node(c, then));
    uint32_t jump = emit(c, OP_JUMP, node->at, 0, -1); /* The other branch pushes it again. */
    jump_here(c, unless);
    TRY(compile_node(c, then->next));
    jump_here(c, jump);
    return ST_OK;
}

static enum status compile_step(struct compiler *c, const struct expr_tree *step)
{
    uint32_t count;
    switch (step->kind) {
    case TREE_MEMBER: emit(c, OP_MEMBER, step->at, add_constant(c, step->value), 0); return ST_OK;
    case TREE_INDEX:
        TRY(compile_children(c, step, &count));
        emit(c, OP_INDEX, step->at, 0, -1);
        return ST_OK;
    default:
        TRY(compile_children(c, step, &count));
        emitted(c, emit(c, OP_SLICE, step->at, 0, -(int)count))->detail = step->detail;
        return ST_OK;
    }
}

/* A null before `?.` ends the whole path. */
static enum status compile_path(struct compiler *c, const struct expr_tree *node)
{
    uint32_t linked = UINT32_MAX;
    TRY(compile_node(c, node->first));
    for (const struct expr_tree *step = node->first->next; step; step = step->next) {
        if (step->optional) linked = emit(c, OP_IF_NULL, step->at, linked, 0);
        TRY(compile_step(c, step));
    }
    while (linked != UINT32_MAX) {
        uint32_t before = emitted(c, linked)->arg;
        jump_here(c, linked);
        linked = before;
    }
    return ST_OK;
}

static enum status compile_call(struct compiler *c, const struct expr_tree *node)
{
    uint32_t count;
    TRY(compile_children(c, node, &count));
    emitted(c, emit(c, OP_CALL, node->at, node->function, 1 - (int)count))->detail = (uint8_t)count;
    return ST_OK;
}

static enum status compile_loop(struct compiler *c, const struct expr_tree *node)
{
    const struct expr_tree *body = node->first->next;
    uint32_t reduction = c->reduction;
    TRY(compile_node(c, node->first));
    if (body->next) TRY(compile_node(c, body->next));
    uint32_t begin = emit(c, body->next ? OP_LOOP_WITH : OP_LOOP, node->at, 0, body->next ? -2 : -1);
    if (node->function == LOOP_reduce) c->reduction = c->loops;
    if (++c->loops > c->loops_max) c->loops_max = c->loops;
    TRY(compile_node(c, body));
    c->loops--;
    c->reduction = reduction;
    uint32_t end = emit(c, OP_NEXT, node->at, begin + 1, 0);
    emitted(c, begin)->detail = emitted(c, end)->detail = node->function;
    jump_here(c, begin);
    return ST_OK;
}

static enum status compile_let(struct compiler *c, const struct expr_tree *node)
{
    uint32_t slot = node->slot;
    const struct expr_tree *child = node->first;
    for (; child->next; child = child->next) {
        TRY(compile_node(c, child));
        emit(c, OP_STORE, child->at, slot++, -1);
    }
    if (slot > c->locals_max) c->locals_max = slot;
    return compile_node(c, child);
}

/* The operand of an operation's instruction. */
static uint32_t operand_of(struct compiler *c, const struct expr_tree *node)
{
    switch ((enum opcode)node->op) {
    case OP_MEMBER_OR_NULL:
    case OP_NEEDED:
    case OP_ESCAPE:
    case OP_ASSIGN:
    case OP_ITEM_OR_NULL: return add_constant(c, node->value);
    case OP_FINDS_PATTERN: return add_pattern(c, node->pattern);
    case OP_PREDICATE: return add_predicate(c, node->predicate);
    case OP_PATH:
    case OP_PLACE:
    case OP_COLLECT: return add_path(c, node->path[0]);
    case OP_EVENTS: {
        uint32_t first = add_path(c, node->path[0]);
        add_path(c, node->path[1]);
        return first;
    }
    default: return 0;
    }
}

static enum status compile_operation(struct compiler *c, const struct expr_tree *node)
{
    uint32_t count;
    TRY(compile_children(c, node, &count));
    uint32_t arg = node->op == OP_TEXT ? count : operand_of(c, node);
    uint32_t place = emit(c, node->op, node->at, arg, 1 - (int)count);
    emitted(c, place)->detail = node->detail;
    return ST_OK;
}

static void compile_variable(struct compiler *c, const struct expr_tree *node)
{
    enum opcode op = node->optional ? OP_VARIABLE_OR_NULL : OP_VARIABLE;
    emit(c, op, node->at, add_constant(c, node->value), 1);
}

static void compile_nested(struct compiler *c, const struct expr_tree *node)
{
    uint32_t index = (uint32_t)(c->nested.n / sizeof node->nested);
    buf_add(&c->nested, &node->nested, sizeof node->nested);
    emitted(c, emit(c, OP_NESTED, node->at, index, 1))->detail = node->detail;
}

static enum status compile_node(struct compiler *c, const struct expr_tree *node)
{
    uint32_t count;
    switch ((enum tree_kind)node->kind) {
    case TREE_LITERAL: emit(c, OP_CONSTANT, node->at, add_constant(c, node->value), 1); return ST_OK;
    case TREE_VARIABLE: compile_variable(c, node); return ST_OK;
    case TREE_DATA: emit(c, OP_DATA, node->at, 0, 1); return ST_OK;
    case TREE_ELEMENT: emit(c, OP_ELEMENT, node->at, 0, 1); return ST_OK;
    case TREE_ELEMENT_INDEX: emit(c, OP_ELEMENT_INDEX, node->at, 0, 1); return ST_OK;
    case TREE_ACCUMULATOR: emit(c, OP_ACCUMULATOR, node->at, c->reduction, 1); return ST_OK;
    case TREE_LOCAL: emit(c, OP_LOCAL, node->at, node->slot, 1); return ST_OK;
    case TREE_LET: return compile_let(c, node);
    case TREE_PIPE: return compile_children(c, node, &count);
    case TREE_PIPED: return ST_OK;
    case TREE_UNARY:
        TRY(compile_node(c, node->first));
        emit(c, node->op, node->at, 0, 0);
        return ST_OK;
    case TREE_BINARY: return compile_binary(c, node);
    case TREE_AND: return compile_short_circuit(c, node, OP_AND);
    case TREE_OR: return compile_short_circuit(c, node, OP_OR);
    case TREE_COALESCE: return compile_short_circuit(c, node, OP_COALESCE);
    case TREE_CONDITION: return compile_condition(c, node);
    case TREE_PATH: return compile_path(c, node);
    case TREE_LIST:
        TRY(compile_children(c, node, &count));
        emit(c, OP_LIST, node->at, count, 1 - (int)count);
        return ST_OK;
    case TREE_MAP:
        TRY(compile_children(c, node, &count));
        emit(c, OP_MAP, node->at, count / 2, 1 - (int)count);
        return ST_OK;
    case TREE_CALL: return compile_call(c, node);
    case TREE_LOOP: return compile_loop(c, node);
    case TREE_OPERATION: return compile_operation(c, node);
    case TREE_NESTED: compile_nested(c, node); return ST_OK;
    case TREE_MEMBER:
    case TREE_INDEX:
    case TREE_SLICE: break; /* Only inside a path. */
    }
    must(!"a node that stands alone");
    return ST_INTERNAL;
}

/* ---- the door ---- */

enum status compile_expr(struct expr_tree *root, str text, bool built, struct arena *arena,
                         const struct expr **ret_expr, struct error *err)
{
    struct compiler c = { .text = text, .arena = arena, .err = err };
    fold_constants(root, text, arena);
    buf_init(&c.code, arena);
    buf_init(&c.constant, arena);
    buf_init(&c.pattern, arena);
    buf_init(&c.path, arena);
    buf_init(&c.nested, arena);
    buf_init(&c.predicate, arena);
    TRY(compile_node(&c, root));
    emit(&c, OP_RETURN, built ? 0 : text.n, 0, -1);

    struct expr *expr = arena_make(arena, struct expr);
    *expr = (struct expr){
        .text = text,
        .built = built,
        .code = (const struct instruction *)(void *)c.code.p,
        .code_count = here(&c),
        .constant = (const struct json *const *)(void *)c.constant.p,
        .pattern = (const struct regex *const *)(void *)c.pattern.p,
        .path = (const struct jsonpath *const *)(void *)c.path.p,
        .nested = (const struct expr *const *)(void *)c.nested.p,
        .predicate = (const struct predicate_test *const *)(void *)c.predicate.p,
        .stack_max = c.stack_max,
        .locals_max = c.locals_max,
        .loops_max = c.loops_max,
        .root = root,
    };
    *ret_expr = expr;
    return ST_OK;
}

enum status compile_parse(str *text, struct arena *arena, struct expr_tree **ret_root, struct error *err)
{
    if (text->n > EXPRESSION_BYTES_MAX)
        return fail_at(err, ST_LIMIT, 1, 1,
                       "the expression has %zu bytes; the most is %d (EXPRESSION_BYTES_MAX)", text->n,
                       EXPRESSION_BYTES_MAX);
    if (!utf8_is_valid(*text)) return fail_at(err, ST_INVALID, 1, 1, "the expression is not UTF-8");
    if (str_trim(*text).n == 0) return fail_at(err, ST_INVALID, 1, 1, "empty expression");
    *text = arena_str(arena, *text);
    return parser_parse(*text, arena, ret_root, err);
}

enum status expr_compile(str text, struct arena *arena, const struct expr **ret_expr, struct error *err)
{
    struct expr_tree *root;
    TRY(compile_parse(&text, arena, &root, err));
    return compile_expr(root, text, false, arena, ret_expr, err);
}

str expr_text(const struct expr *expr) { return expr->text; }
