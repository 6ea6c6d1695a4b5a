/* expr/rooting.c — the names of an expression's text, mapped to the roots of its data.
 *
 * `nodes.a.body.x` reads the member "nodes.a" of the data, if the roots say so: the tree of the text is
 * changed before it is compiled. Names of let and of loops are no names of data, and `$env` stays all of the
 * data.
 */
#include "expr/lexer_int.h"
#include "expr/template/template_int.h"

struct rooting {
    str text;
    str pointer;
    const struct template_roots *roots;
    struct arena *arena;
    struct error *err;
};

/* The name that a step asks for, if it is known now. */
static bool is_named(const struct expr_tree *step, str *ret_name)
{
    const struct expr_tree *index = step->first;
    const struct json *name = step->kind == TREE_MEMBER ? step->value : NULL;
    if (step->kind == TREE_INDEX && index->kind == TREE_LITERAL) name = index->value;
    if (!json_is(name, JSON_STRING)) return false;
    *ret_name = json_string(name);
    return true;
}

/* `path` is the path that begins with the variable, or the variable itself. */
static enum status map_variable(struct rooting *rooting, struct expr_tree *path, struct expr_tree *variable)
{
    str name[TEMPLATE_STEPS_MAX] = { json_string(variable->value) };
    size_t count = 1;
    const struct expr_tree *step = path == variable ? NULL : variable->next;
    while (step && count < TEMPLATE_STEPS_MAX && is_named(step, &name[count])) {
        count++;
        step = step->next;
    }
    const struct template_path asked = {
        .name = name,
        .count = count,
        .text = rooting->text,
        .pointer = rooting->pointer,
    };
    struct template_root root = { .used = 1 };
    TRY(rooting->roots->find(rooting->roots->context, &asked, &root, rooting->err));
    must(root.used >= 1 && root.used <= count);
    if (root.secret)
        return lexer_fail(rooting->err, ST_INVALID, rooting->text, variable->at,
                          "a secret cannot be read here");
    if (!root.name.n) {
        path->kind = TREE_LITERAL;
        path->value = json_null();
        path->first = NULL;
        return ST_OK;
    }
    variable->value = json_of_string(rooting->arena, root.name);
    /* A root of several names is a member that may not be there yet: null, as any other. */
    variable->optional = root.used > 1 || root.member.n;
    for (size_t i = 1; i < root.used; i++) variable->next = variable->next->next;
    if (root.member.n) {
        struct expr_tree *member = arena_make(rooting->arena, struct expr_tree);
        *member = (struct expr_tree){ .kind = TREE_MEMBER,
                                      .at = variable->at,
                                      .optional = true,
                                      .value = json_of_string(rooting->arena, root.member) };
        if (path == variable) {
            struct expr_tree *copy = arena_make(rooting->arena, struct expr_tree);
            *copy = *variable;
            copy->next = member;
            path->kind = TREE_PATH;
            path->first = copy;
        } else {
            member->next = variable->next;
            variable->next = member;
        }
    }
    return ST_OK;
}

/* True if a step of the path is `?.`: then the author expects that it leads to nothing. */
static bool may_be_absent(const struct expr_tree *path)
{
    for (const struct expr_tree *step = path->kind == TREE_PATH ? path->first->next : NULL; step;
         step = step->next)
        if (step->optional) return true;
    return false;
}

/* The path as its author wrote it, as far as its names are known. */
static str path_text(struct rooting *rooting, const struct expr_tree *path)
{
    const struct expr_tree *variable = path->kind == TREE_PATH ? path->first : path;
    struct buf text;
    buf_init(&text, rooting->arena);
    buf_add_str(&text, json_string(variable->value));
    str name;
    for (const struct expr_tree *step = variable == path ? NULL : variable->next;
         step && is_named(step, &name); step = step->next) {
        buf_add_char(&text, '.');
        buf_add_str(&text, name);
    }
    return buf_str(&text);
}

/* Puts the path into an operation that fails if it is null. */
static void need_value(struct rooting *rooting, struct expr_tree *path, str text)
{
    struct expr_tree *copy = arena_make(rooting->arena, struct expr_tree);
    *copy = *path;
    copy->next = NULL;
    copy->join = 0;
    path->kind = TREE_OPERATION;
    path->op = OP_NEEDED;
    path->detail = 0;
    path->optional = false;
    path->first = copy;
    path->value = json_of_string(rooting->arena, text);
}

/* Depth is bounded by EXPRESSION_DEPTH_MAX. */
static enum status map_names(struct rooting *rooting, struct expr_tree *node, bool needed)
{
    bool plain = node->kind == TREE_VARIABLE;
    bool path = plain || (node->kind == TREE_PATH && node->first->kind == TREE_VARIABLE);
    bool needs = needed && path && !may_be_absent(node);
    struct expr_tree *child = node->first;
    str text = needs ? path_text(rooting, node) : STR_NONE;
    if (path) {
        TRY(map_variable(rooting, node, plain ? node : child));
        child = !plain && node->first ? node->first->next : NULL;
    }
    for (; child; child = child->next) {
        bool fallback = node->kind == TREE_COALESCE && child->next;
        TRY(map_names(rooting, child, needed && !fallback));
    }
    if (needs) need_value(rooting, node, text);
    return ST_OK;
}

enum status rooting_parse(str *text, str pointer, const struct template_roots *roots, struct arena *arena,
                          struct expr_tree **ret_root, struct error *err)
{
    TRY(compile_parse(text, arena, ret_root, err));
    struct rooting rooting = {
        .text = *text,
        .pointer = pointer,
        .roots = roots,
        .arena = arena,
        .err = err,
    };
    return map_names(&rooting, *ret_root, roots->needs_values);
}

enum status expr_rooting_compile(str text, const struct template_roots *roots, struct arena *arena,
                                 const struct expr **ret_expr, struct error *err)
{
    struct expr_tree *root;
    TRY(rooting_parse(&text, STR(""), roots, arena, &root, err));
    return compile_expr(root, text, false, arena, ret_expr, err);
}
