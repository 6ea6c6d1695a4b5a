/* expr/fold.c — computes the parts of a tree that are known before running.
 *
 * Only what succeeds is folded: an operation that fails stays in the code and fails when (and if) it is
 * reached, with its own message and place. Code that a constant condition makes unreachable is dropped. Names
 * of `let` that stand for something small are replaced by it; large texts and lists stay where they are, and
 * the fuel is for the whole text, so that folding never makes much out of little.
 */
#include "expr/operations_int.h"
#include "expr/tree_int.h"

enum { FOLD_FUEL = 1 << 14 };

static bool is_literal(const struct expr_tree *node) { return node->kind == TREE_LITERAL; }
static bool is_boolean(const struct expr_tree *node)
{
    return is_literal(node) && json_is(node->value, JSON_BOOL);
}

static void become_literal(struct expr_tree *node, const struct json *value)
{
    node->kind = TREE_LITERAL;
    node->value = value;
    node->first = NULL;
}

/* Keeps the node's place among its siblings. */
static void become(struct expr_tree *node, const struct expr_tree *other)
{
    struct expr_tree was = *node;
    *node = *other;
    node->next = was.next;
    node->join = was.join;
    node->join_at = was.join_at;
    node->join_not = was.join_not;
}

static void fold_unary(struct expr_tree *node, struct vm *vm)
{
    const struct json *value;
    if (is_literal(node->first) && op_unary(vm, node->op, node->first->value, &value) == ST_OK)
        become_literal(node, value);
}

static void fold_binary(struct expr_tree *node, struct vm *vm)
{
    struct expr_tree *left = node->first;
    while (left->next && is_literal(left) && is_literal(left->next)) {
        const struct expr_tree *right = left->next;
        const struct json *value;
        /* Patterns are checked by the compiler; ranges are short to write and long to keep. */
        if (right->join == OP_MATCHES || right->join == OP_RANGE) return;
        if (op_binary(vm, right->join, left->value, right->value, &value) != ST_OK) return;
        if (right->join_not && op_unary(vm, OP_NOT, value, &value) != ST_OK) return;
        left->value = value;
        left->next = right->next;
    }
    if (!left->next) become_literal(node, left->value);
}

/* `decisive` is the boolean that ends the chain. The last operand stays beside another,
 * because it must still be found to be a boolean. */
static void fold_logic(struct expr_tree *node, bool decisive)
{
    while (is_boolean(node->first)) {
        struct expr_tree *operand = node->first;
        if (json_bool(operand->value) == decisive || !operand->next) {
            become_literal(node, operand->value);
            return;
        }
        if (!operand->next->next && !is_boolean(operand->next)) return;
        node->first = operand->next;
    }
}

static void fold_coalesce(struct expr_tree *node)
{
    while (is_literal(node->first)) {
        if (!json_is(node->first->value, JSON_NULL) || !node->first->next) {
            become_literal(node, node->first->value);
            return;
        }
        node->first = node->first->next;
    }
    if (!node->first->next) become(node, node->first);
}

static bool is_small(const struct expr_tree *node)
{
    return is_literal(node) && !json_is(node->value, JSON_ARRAY) && !json_is(node->value, JSON_OBJECT) &&
           json_bytes(node->value) <= FOLDED_BYTES_MAX;
}

/* Once every name has been replaced by its value, the expression stands for itself. */
static void fold_let(struct expr_tree *node)
{
    const struct expr_tree *child = node->first;
    for (; child->next; child = child->next)
        if (!is_small(child)) return;
    become(node, child);
}

static void fold_container(struct expr_tree *node, struct vm *vm)
{
    for (const struct expr_tree *child = node->first; child; child = child->next)
        if (!is_literal(child) || vm_spend_copy(vm, json_bytes(child->value)) != ST_OK) return;
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    if (node->kind == TREE_LIST) json_open_array(&builder);
    else json_open_object(&builder);
    for (const struct expr_tree *child = node->first; child; child = child->next) {
        if (node->kind == TREE_MAP) {
            json_add_name(&builder, json_string(child->value));
            child = child->next;
        }
        json_add(&builder, child->value);
    }
    json_close(&builder);
    const struct json *value = json_built(&builder);
    if (json_depth(value) <= JSON_DEPTH_MAX) become_literal(node, value);
}

static void fold(struct expr_tree *node, struct vm *vm)
{
    for (struct expr_tree *child = node->first; child; child = child->next) fold(child, vm);
    switch ((enum tree_kind)node->kind) {
    case TREE_UNARY: fold_unary(node, vm); break;
    case TREE_BINARY: fold_binary(node, vm); break;
    case TREE_AND: fold_logic(node, false); break;
    case TREE_OR: fold_logic(node, true); break;
    case TREE_COALESCE: fold_coalesce(node); break;
    case TREE_CONDITION:
        if (is_boolean(node->first))
            become(node, json_bool(node->first->value) ? node->first->next : node->first->next->next);
        break;
    case TREE_LIST:
    case TREE_MAP: fold_container(node, vm); break;
    case TREE_LOCAL:
        if (is_small(node->definition)) become_literal(node, node->definition->value);
        break;
    case TREE_LET: fold_let(node); break;
    default: break;
    }
}

void fold_constants(struct expr_tree *root, str text, struct arena *arena)
{
    struct vm vm = { .text = text,
                     .arena = arena,
                     .fuel = FOLD_FUEL,
                     .fuel_given = FOLD_FUEL,
                     .matcher = { .arena = arena } };
    fold(root, &vm);
}
