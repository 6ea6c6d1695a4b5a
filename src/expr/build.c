/* expr/build.c — makes trees of parts, and code of trees.
 *
 * A node has room for one `next`, so whoever takes a child takes a copy of the child's node;
 * what is below it is shared and does not change. expr_of_tree() copies the whole tree, because
 * folding changes nodes, and because only then is it known which names of `let` live at the
 * same time and need slots of their own.
 */
#include "expr/tree_int.h"
#include "expr/builtins/builtins_int.h"

/* ---- nodes ---- */

static struct expr_tree *make(enum tree_kind kind, struct arena *arena)
{
    struct expr_tree *node = arena_make(arena, struct expr_tree);
    node->kind = (uint8_t)kind;
    return node;
}

static struct expr_tree *make_text(enum tree_kind kind, str text, struct arena *arena)
{
    struct expr_tree *node = make(kind, arena);
    node->value = json_of_string(arena, text);
    return node;
}

static struct expr_tree *own(const struct expr_tree *child, struct arena *arena)
{
    struct expr_tree *copy = arena_make(arena, struct expr_tree);
    *copy = *child;
    copy->next = NULL;
    copy->join = 0;
    return copy;
}

static struct expr_tree *make_with(enum tree_kind kind, struct expr_tree *const *child, size_t count,
                                   struct arena *arena)
{
    struct expr_tree *node = make(kind, arena);
    struct expr_tree **end = &node->first;
    for (size_t i = 0; i < count; i++) {
        *end = own(child[i], arena);
        end = &(*end)->next;
    }
    return node;
}

#define TREES(...) ((struct expr_tree *const[]){ __VA_ARGS__ })

struct expr_tree *tree_operation(enum opcode op, uint8_t detail, struct expr_tree *const *child, size_t count,
                                 struct arena *arena)
{
    struct expr_tree *node = make_with(TREE_OPERATION, child, count, arena);
    node->op = (uint8_t)op;
    node->detail = detail;
    return node;
}

static struct expr_tree *make_binary(enum opcode op, struct expr_tree *a, struct expr_tree *b,
                                     struct arena *arena)
{
    struct expr_tree *node = make_with(TREE_BINARY, TREES(a, b), 2, arena);
    node->first->next->join = (uint8_t)op;
    return node;
}

/* ---- values ---- */

struct expr_tree *tree_literal(const struct json *value, struct arena *arena)
{
    struct expr_tree *node = make(TREE_LITERAL, arena);
    node->value = json_copy(arena, value);
    return node;
}

struct expr_tree *tree_data(struct arena *arena) { return make(TREE_DATA, arena); }

struct expr_tree *tree_variable(str name, struct arena *arena)
{
    return make_text(TREE_VARIABLE, name, arena);
}

struct expr_tree *tree_member(struct expr_tree *of, str name, struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_MEMBER_OR_NULL, 0, &of, 1, arena);
    node->value = json_of_string(arena, name);
    return node;
}

struct expr_tree *tree_members(struct expr_tree *of, const str *name, size_t count, struct arena *arena)
{
    if (count == 0) return of;
    struct expr_tree *chain = make_with(TREE_PIPE, &of, 1, arena);
    struct expr_tree **end = &chain->first->next;
    struct expr_tree *piped = make(TREE_PIPED, arena);
    for (size_t i = 0; i < count; i++) {
        *end = tree_member(piped, name[i], arena);
        end = &(*end)->next;
    }
    return chain;
}

struct expr_tree *tree_variable_or_null(str name, struct arena *arena)
{
    struct expr_tree *node = tree_variable(name, arena);
    node->optional = true;
    return node;
}

static struct expr_tree *make_step(struct expr_tree *of, const struct tree_step *step, struct arena *arena)
{
    if (step->kind == STEP_NAME) return tree_member(of, step->name, arena);
    enum opcode op = step->kind == STEP_INDEX ? OP_ITEM_OR_NULL : OP_LENGTH_OR_NULL;
    struct expr_tree *node = tree_operation(op, 0, &of, 1, arena);
    if (step->kind == STEP_INDEX) node->value = json_of_int(arena, step->index);
    return node;
}

struct expr_tree *tree_steps(struct expr_tree *of, const struct tree_step *step, size_t count,
                             struct arena *arena)
{
    if (count == 0) return own(of, arena);
    struct expr_tree *chain = make_with(TREE_PIPE, &of, 1, arena);
    struct expr_tree **end = &chain->first->next;
    struct expr_tree *piped = make(TREE_PIPED, arena);
    for (size_t i = 0; i < count; i++) {
        *end = make_step(piped, &step[i], arena);
        end = &(*end)->next;
    }
    return chain;
}

struct expr_tree *tree_coalesce(struct expr_tree *a, struct expr_tree *b, struct arena *arena)
{
    return make_with(TREE_COALESCE, TREES(a, b), 2, arena);
}

struct expr_tree *tree_text(struct expr_tree *const *part, size_t count, struct arena *arena)
{
    return tree_operation(OP_TEXT, 0, part, count, arena);
}

struct expr_tree *tree_as_json(struct expr_tree *value, struct arena *arena)
{
    return tree_operation(OP_AS_JSON, 0, &value, 1, arena);
}

struct expr_tree *tree_escape(enum escape escape, struct expr_tree *value, str text, struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_ESCAPE, (uint8_t)escape, &value, 1, arena);
    node->value = json_of_string(arena, text);
    return node;
}

struct expr_tree *tree_nested(const struct expr *expr, enum nested_as as, struct arena *arena)
{
    struct expr_tree *node = make(TREE_NESTED, arena);
    node->nested = expr;
    node->detail = (uint8_t)as;
    node->text = expr->text;
    return node;
}

struct expr_tree *tree_predicate(struct expr_tree *of, const struct predicate_test *test, struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_PREDICATE, 0, &of, 1, arena);
    node->predicate = test;
    return node;
}

struct expr_tree *tree_list(struct expr_tree *const *item, size_t count, struct arena *arena)
{
    return make_with(TREE_LIST, item, count, arena);
}

struct expr_tree *tree_map(const str *name, struct expr_tree *const *value, size_t count, struct arena *arena)
{
    struct expr_tree *node = make(TREE_MAP, arena);
    struct expr_tree **end = &node->first;
    for (size_t i = 0; i < count; i++) {
        *end = make_text(TREE_LITERAL, name[i], arena);
        (*end)->next = own(value[i], arena);
        end = &(*end)->next->next;
    }
    return node;
}

struct expr_tree *tree_with_member(const struct expr_tree *map, str name, struct expr_tree *value,
                                   struct arena *arena)
{
    must(map->kind == TREE_MAP);
    struct expr_tree *node = own(map, arena);
    struct expr_tree **end = &node->first;
    for (const struct expr_tree *child = map->first; child; child = child->next) {
        *end = own(child, arena);
        end = &(*end)->next;
    }
    *end = make_text(TREE_LITERAL, name, arena);
    (*end)->next = own(value, arena);
    return node;
}

struct expr_tree *tree_item(struct expr_tree *list, struct expr_tree *index, struct arena *arena)
{
    struct expr_tree *step = make_with(TREE_INDEX, &index, 1, arena);
    return make_with(TREE_PATH, TREES(list, step), 2, arena);
}

struct expr_tree *tree_length(struct expr_tree *list, struct arena *arena)
{
    struct expr_tree *node = make_with(TREE_CALL, &list, 1, arena);
    node->function = BUILTIN_len;
    return node;
}

struct expr_tree *tree_plus(struct expr_tree *a, struct expr_tree *b, struct arena *arena)
{
    return make_binary(OP_ADD, a, b, arena);
}

struct expr_tree *tree_let(struct expr_tree *value, struct expr_tree *body, struct arena *arena)
{
    struct expr_tree *node = make_with(TREE_LET, TREES(value, body), 2, arena);
    node->definition = value;
    return node;
}

struct expr_tree *tree_local(const struct expr_tree *value, struct arena *arena)
{
    struct expr_tree *node = make(TREE_LOCAL, arena);
    node->definition = value;
    return node;
}

/* ---- tests ---- */

static struct expr_tree *make_logic(enum tree_kind kind, bool of_none, struct expr_tree *const *part,
                                    size_t count, struct arena *arena)
{
    if (count == 0) return tree_literal(json_of_bool(of_none), arena);
    return count == 1 ? part[0] : make_with(kind, part, count, arena);
}

struct expr_tree *tree_and(struct expr_tree *const *part, size_t count, struct arena *arena)
{
    return make_logic(TREE_AND, true, part, count, arena);
}

struct expr_tree *tree_or(struct expr_tree *const *part, size_t count, struct arena *arena)
{
    return make_logic(TREE_OR, false, part, count, arena);
}

struct expr_tree *tree_not(struct expr_tree *part, struct arena *arena)
{
    struct expr_tree *node = make_with(TREE_UNARY, &part, 1, arena);
    node->op = OP_NOT;
    return node;
}

struct expr_tree *tree_less(struct expr_tree *a, struct expr_tree *b, struct arena *arena)
{
    return make_binary(OP_LESS, a, b, arena);
}

struct expr_tree *tree_equal(struct expr_tree *a, struct expr_tree *b, struct arena *arena)
{
    return tree_operation(OP_HOLDS, CHOICE_EQUALS, TREES(a, b), 2, arena);
}

struct expr_tree *tree_if(struct expr_tree *condition, struct expr_tree *then, struct expr_tree *otherwise,
                          struct arena *arena)
{
    return make_with(TREE_CONDITION, TREES(condition, then, otherwise), 3, arena);
}

struct expr_tree *tree_needed(struct expr_tree *value, str text, struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_NEEDED, 0, &value, 1, arena);
    node->value = json_of_string(arena, text);
    return node;
}

struct expr_tree *tree_between(struct expr_tree *value, const struct json *least, const struct json *most,
                               struct arena *arena)
{
    struct expr_tree *part[2];
    size_t count = 0;
    if (least)
        part[count++] =
            tree_operation(OP_STRUCTURED, STRUCTURED_GTE, TREES(value, tree_literal(least, arena)), 2, arena);
    if (most)
        part[count++] =
            tree_operation(OP_STRUCTURED, STRUCTURED_LTE, TREES(value, tree_literal(most, arena)), 2, arena);
    return tree_and(part, count, arena);
}

struct expr_tree *tree_matches(struct expr_tree *text, str pattern, struct arena *arena)
{
    return make_binary(OP_MATCHES, text, tree_literal(json_of_string(arena, pattern), arena), arena);
}

struct expr_tree *tree_assign(enum assign_op op, struct expr_tree *base, const str *name, size_t count,
                              struct expr_tree *value, struct arena *arena)
{
    struct json_builder builder;
    must(count <= ASSIGN_STEPS_MAX);
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) json_add_string(&builder, name[i]);
    json_close(&builder);
    struct expr_tree *node = tree_operation(OP_ASSIGN, (uint8_t)op, TREES(base, value), 2, arena);
    node->value = json_built(&builder);
    return node;
}

struct expr_tree *tree_is_object(struct expr_tree *value, struct arena *arena)
{
    return tree_operation(OP_IS_OBJECT, 0, &value, 1, arena);
}

/* A string stands for itself when the node is a string, and else for the JSON in it, if there
 * is any. So both readings go along, and comparing never has to parse. */
struct expr_tree *tree_choice(enum choice_test test, struct expr_tree *nodes, const struct json *value,
                              struct arena *arena)
{
    const struct json *meant = value;
    if (json_is(value, JSON_STRING) && json_parse(json_string(value), NULL, arena, &meant, NULL) != ST_OK)
        meant = value;
    struct expr_tree *text = tree_literal(value, arena);
    return tree_operation(OP_CHOICE, (uint8_t)test, TREES(nodes, text, tree_literal(meant, arena)), 3, arena);
}

/* ---- paths and merging ---- */

static bool is_root(const struct jsonpath *path, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    jsonpath_print(path, &text);
    return str_equal(buf_str(&text), STR("$"));
}

struct expr_tree *tree_path(enum path_use use, const struct jsonpath *path, struct expr_tree *value,
                            struct arena *arena)
{
    if ((use == PATH_FILTER || use == PATH_PICK) && is_root(path, arena)) return value;
    struct expr_tree *node = tree_operation(OP_PATH, (uint8_t)use, &value, 1, arena);
    node->path[0] = path;
    return node;
}

struct expr_tree *tree_place(struct expr_tree *base, const struct jsonpath *path, struct expr_tree *value,
                             struct arena *arena)
{
    if (is_root(path, arena)) return value;
    struct expr_tree *node = tree_operation(OP_PLACE, 0, TREES(base, value), 2, arena);
    node->path[0] = path;
    return node;
}

struct expr_tree *tree_combine(struct expr_tree *a, struct expr_tree *b, struct arena *arena)
{
    return tree_operation(OP_COMBINE, 0, TREES(a, b), 2, arena);
}

struct expr_tree *tree_fold(struct expr_tree *base, struct expr_tree *list, struct arena *arena)
{
    return tree_operation(OP_FOLD, 0, TREES(base, list), 2, arena);
}

struct expr_tree *tree_wrapped(struct expr_tree *outputs, struct arena *arena)
{
    return tree_operation(OP_WRAPPED, 0, &outputs, 1, arena);
}

struct expr_tree *tree_collect(struct expr_tree *base, const struct jsonpath *path, struct expr_tree *list,
                               struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_COLLECT, 0, TREES(base, list), 2, arena);
    node->path[0] = path;
    return node;
}

struct expr_tree *tree_events(struct expr_tree *base, struct expr_tree *events, const struct jsonpath *take,
                              const struct jsonpath *put, struct arena *arena)
{
    struct expr_tree *node = tree_operation(OP_EVENTS, 0, TREES(base, events), 2, arena);
    node->path[0] = take;
    node->path[1] = put;
    return node;
}

/* ---- code ---- */

/* A let around the place that is copied. */
struct binding {
    const struct expr_tree *key;
    const struct expr_tree *definition;
    uint16_t slot;
    const struct binding *outer;
};

static struct expr_tree *copy_tree(const struct expr_tree *tree, const struct binding *scope, uint32_t depth,
                                   struct arena *arena);

static void copy_let(struct expr_tree *copy, const struct binding *scope, uint32_t depth, struct arena *arena)
{
    const struct expr_tree *value = copy->first;
    struct binding binding = { .key = copy->definition,
                               .slot = scope ? (uint16_t)(scope->slot + 1) : 0,
                               .outer = scope };
    copy->slot = binding.slot;
    copy->first = copy_tree(value, scope, depth, arena);
    binding.definition = copy->first;
    copy->first->next = copy_tree(value->next, &binding, depth, arena);
}

static void copy_local(struct expr_tree *copy, const struct binding *scope)
{
    while (scope && scope->key != copy->definition) scope = scope->outer;
    must(scope);
    copy->slot = scope->slot;
    copy->definition = scope->definition;
}

static struct expr_tree *copy_tree(const struct expr_tree *tree, const struct binding *scope, uint32_t depth,
                                   struct arena *arena)
{
    must(depth < TREE_DEPTH_MAX);
    struct expr_tree *copy = arena_make(arena, struct expr_tree);
    *copy = *tree;
    copy->next = NULL;
    if (copy->kind == TREE_LOCAL) {
        copy_local(copy, scope);
    } else if (copy->kind == TREE_LET) {
        copy_let(copy, scope, depth + 1, arena);
    } else {
        struct expr_tree **end = &copy->first;
        for (const struct expr_tree *child = tree->first; child; child = child->next) {
            *end = copy_tree(child, scope, depth + 1, arena);
            end = &(*end)->next;
        }
    }
    return copy;
}

const struct expr *expr_of_tree(struct expr_tree *tree, struct arena *arena)
{
    const struct expr *expr = NULL;
    struct expr_tree *root = copy_tree(tree, NULL, 0, arena);
    str text = tree->text;
    if (!text.n) {
        struct buf out;
        buf_init(&out, arena);
        tree_print(root, &out);
        text = buf_str(&out);
    }
    /* Only patterns and paths can be wrong, and they are compiled already. */
    enum status status = compile_expr(root, text, true, arena, &expr, NULL);
    must(status == ST_OK);
    return expr;
}
