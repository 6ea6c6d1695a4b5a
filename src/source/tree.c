/* source/tree.c — a YAML tree as a document, the place of a pointer, repeated names. */
#include "source/source_int.h"

#include "base/must.h"

#include <stdlib.h>

static const struct source_tree *follow(const struct source_tree *tree)
{
    while (tree->kind == SOURCE_ALIAS) tree = tree->first;
    return tree;
}

/* ---- repeated names ---- */

struct named {
    str name;
    const struct source_tree *tree;
    size_t index;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *one = a, *two = b;
    int order = str_compare(one->name, two->name);
    return order ? order : (one->index > two->index) - (one->index < two->index);
}

bool source_tree_find_repeat(const struct source_tree *object, struct arena *arena,
                             const struct source_tree **ret_first, const struct source_tree **ret_second)
{
    size_t count = 0;
    for (const struct source_tree *name = object->first; name; name = name->next->next) count++;
    if (count < 2) return false;
    struct named *named = arena_make_n(arena, struct named, count);
    size_t i = 0;
    for (const struct source_tree *name = object->first; name; name = name->next->next, i++)
        named[i] = (struct named){ .name = json_string(name->value), .tree = name, .index = i };
    qsort(named, count, sizeof *named, compare_named);

    const struct named *found = NULL; /* The second one of its pair. */
    for (i = 1; i < count; i++)
        if (str_equal(named[i - 1].name, named[i].name) && (!found || named[i].index < found->index))
            found = &named[i];
    if (!found) return false;
    *ret_first = found[-1].tree;
    *ret_second = found->tree;
    return true;
}

/* ---- the document ---- */

/* As deep as the reader allowed: JSON_DEPTH_MAX, aliases included. */
static void add(const struct source_tree *tree, struct json_builder *builder)
{
    tree = follow(tree);
    switch (tree->kind) {
    case SOURCE_SCALAR: json_add(builder, tree->value); return;
    case SOURCE_ARRAY:
        json_open_array(builder);
        for (const struct source_tree *child = tree->first; child; child = child->next) add(child, builder);
        break;
    case SOURCE_OBJECT:
        json_open_object(builder);
        for (const struct source_tree *name = tree->first; name; name = name->next->next) {
            json_add_name(builder, json_string(name->value));
            add(name->next, builder);
        }
        break;
    case SOURCE_ALIAS: must(!"an alias was followed");
    }
    json_close(builder);
}

const struct json *source_tree_json(const struct source_tree *tree, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    add(tree, &builder);
    return json_built(&builder);
}

/* ---- places ---- */

/* Is it the token, which is still escaped? */
static bool is_token(str name, str token)
{
    size_t at = 0;
    for (size_t i = 0; i < token.n; i++, at++) {
        char c = token.p[i];
        if (c == '~' && i + 1 < token.n) c = token.p[++i] == '0' ? '~' : '/';
        if (at >= name.n || name.p[at] != c) return false;
    }
    return at == name.n;
}

static const struct source_tree *find_child(const struct source_tree *tree, str token)
{
    if (tree->kind == SOURCE_OBJECT)
        for (const struct source_tree *name = tree->first; name; name = name->next->next)
            if (is_token(json_string(name->value), token)) return name->next;
    if (tree->kind != SOURCE_ARRAY || !token.n || (token.n > 1 && token.p[0] == '0')) return NULL;
    int64_t index;
    if (!str_to_int64(token, &index) || index < 0) return NULL;
    const struct source_tree *child = tree->first;
    while (child && index--) child = child->next;
    return child;
}

bool source_tree_locate(const struct source_tree *tree, str pointer, uint32_t *ret_line, uint32_t *ret_column)
{
    if (pointer.n && pointer.p[0] != '/') return false;
    while (pointer.n) {
        size_t end = str_find(pointer, STR("/"), 1);
        if (end == SIZE_MAX) end = pointer.n;
        const struct source_tree *child = find_child(follow(tree), str_slice(pointer, 1, end));
        if (!child) break;
        tree = child;
        pointer = str_slice(pointer, end, pointer.n);
    }
    *ret_line = tree->line;
    *ret_column = tree->column;
    return true;
}
