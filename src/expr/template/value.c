/* expr/template/value.c — JSON values with placeholders.
 *
 * Parts of a value without any placeholder stay one literal, however large they are.
 */
#include "expr/template/template_int.h"

struct value_reader {
    const struct template_roots *roots;
    struct arena *arena;
    struct error *err;
    struct buf pointer; /* To the value that is read. */
    struct buf secrets; /* struct expr_tree *: an entry for each string with secrets. */
    size_t parts;       /* In lists and objects with placeholders. */
};

/* {"at": pointer, "parts": […]} */
static void note_secrets(struct value_reader *reader, const struct template_parts *parts)
{
    static const str member[] = { STR_INIT("at"), STR_INIT("parts") }, secret = STR_INIT("secret");
    struct arena *arena = reader->arena;
    struct expr_tree **part = arena_make_n(arena, struct expr_tree *, parts->count);
    for (size_t i = 0; i < parts->count; i++) {
        struct expr_tree *tree = parts->part[i].tree;
        if (!tree) {
            struct expr_tree *name = tree_literal(json_of_string(arena, parts->part[i].secret), arena);
            part[i] = tree_map(&secret, &name, 1, arena);
        } else {
            part[i] = parts->part[i].placeholder ? tree_text(&tree, 1, arena) : tree;
        }
    }
    str at = arena_str(arena, buf_str(&reader->pointer));
    struct expr_tree *const value[] = { tree_literal(json_of_string(arena, at), arena),
                                        tree_list(part, parts->count, arena) };
    struct expr_tree *entry = tree_map(member, value, 2, arena);
    buf_add(&reader->secrets, &entry, sizeof(struct expr_tree *));
}

static enum status read_string(struct value_reader *reader, const struct json *value,
                               struct expr_tree **ret_tree)
{
    struct template_parts parts;
    if (str_find(json_string(value), STR("{{"), 0) == SIZE_MAX) return ST_OK;
    str pointer = arena_str(reader->arena, buf_str(&reader->pointer));
    TRY(template_split(json_string(value), pointer, reader->roots, reader->arena, &parts, reader->err));
    enum template_kind kind =
        reader->roots->kind ? reader->roots->kind(reader->roots->context, pointer) : TEMPLATE_PLAIN;
    template_escape(&parts, kind, reader->roots, reader->arena);
    if (parts.secrets) note_secrets(reader, &parts);
    *ret_tree = template_joined(&parts, reader->arena);
    return ST_OK;
}

static enum status read_value(struct value_reader *reader, const struct json *value,
                              struct expr_tree **ret_tree);

static enum status read_container(struct value_reader *reader, const struct json *value,
                                  struct expr_tree **ret_tree)
{
    bool object = json_is(value, JSON_OBJECT), changed = false;
    size_t count = json_count(value), length = reader->pointer.n;
    struct expr_tree **child = arena_make_n(reader->arena, struct expr_tree *, count);
    str *name = arena_make_n(reader->arena, str, count);
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        if (object) json_pointer_add(&reader->pointer, each.name);
        else buf_printf(&reader->pointer, "/%zu", i);
        TRY(read_value(reader, each.value, &child[i]));
        reader->pointer.n = length;
        name[i] = each.name;
        changed |= child[i] != NULL;
    }
    if (!changed) return ST_OK;
    reader->parts += count;
    if (reader->parts > TEMPLATE_PARTS_MAX)
        return fail(reader->err, ST_LIMIT, "",
                    "the lists and objects with placeholders have more than %d parts (TEMPLATE_PARTS_MAX)",
                    TEMPLATE_PARTS_MAX);
    each = json_each(value);
    for (size_t i = 0; json_next(&each); i++)
        if (!child[i]) child[i] = tree_literal(each.value, reader->arena);
    *ret_tree = object ? tree_map(name, child, count, reader->arena) : tree_list(child, count, reader->arena);
    return ST_OK;
}

/* Leaves the tree NULL for a value without placeholders. Recursion goes as deep as documents can be. */
static enum status read_value(struct value_reader *reader, const struct json *value,
                              struct expr_tree **ret_tree)
{
    *ret_tree = NULL;
    switch (json_kind(value)) {
    case JSON_STRING: return read_string(reader, value, ret_tree);
    case JSON_ARRAY:
    case JSON_OBJECT: return read_container(reader, value, ret_tree);
    default: return ST_OK;
    }
}

enum status template_tree(const struct json *value, const struct template_roots *roots, struct arena *arena,
                          struct expr_tree **ret_tree, struct error *err)
{
    struct template_roots used = *roots;
    struct value_reader reader = { .roots = &used, .arena = arena, .err = err };
    struct expr_tree *tree;
    if (!json_is(value, JSON_OBJECT)) used.secrets_member = STR("");
    buf_init(&reader.pointer, arena);
    buf_init(&reader.secrets, arena);
    TRY(read_value(&reader, value, &tree));
    if (!tree) tree = tree_literal(value, arena);
    if (reader.secrets.n) {
        struct expr_tree *const *entry = (struct expr_tree *const *)(void *)reader.secrets.p;
        size_t count = reader.secrets.n / sizeof *entry;
        tree = tree_with_member(tree, used.secrets_member, tree_list(entry, count, arena), arena);
    }
    *ret_tree = tree;
    return ST_OK;
}

enum status expr_template(const struct json *value, const struct template_roots *roots, struct arena *arena,
                          const struct expr **ret_expr, struct error *err)
{
    struct expr_tree *tree;
    TRY(template_tree(value, roots, arena, &tree, err));
    *ret_expr = expr_of_tree(tree, arena);
    return ST_OK;
}
