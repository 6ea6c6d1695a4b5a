/* expr/operands.c — the values that a condition has read, for messages about it. */
#include "expr/tree_int.h"

struct operand_gathering {
    const struct json *data;
    struct arena *arena;
    const struct json *found;
    int64_t fuel;
};

static void gather_path(struct operand_gathering *gathering, const struct jsonpath *path)
{
    const struct json *value = NULL;
    struct buf text;
    if (jsonpath_value(path, gathering->data, &gathering->fuel, gathering->arena, &value, NULL) != ST_OK)
        return;
    buf_init(&text, gathering->arena);
    jsonpath_print(path, &text);
    gathering->found =
        json_set(gathering->arena, gathering->found, buf_str(&text), value ? value : json_null());
}

/* Depth is bounded by EXPRESSION_DEPTH_MAX. */
static void gather(struct operand_gathering *gathering, const struct expr_tree *tree)
{
    if (tree->kind == TREE_OPERATION && tree->path[0] && tree->first && tree->first->kind == TREE_DATA)
        gather_path(gathering, tree->path[0]);
    for (const struct expr_tree *child = tree->first; child; child = child->next) gather(gathering, child);
}

const struct json *expr_operands(const struct expr *expr, const struct json *data, int64_t fuel,
                                 struct arena *arena)
{
    struct operand_gathering gathering = {
        .data = data, .arena = arena, .found = json_empty_object(), .fuel = fuel
    };
    if (expr->root) gather(&gathering, expr->root);
    return gathering.found;
}
