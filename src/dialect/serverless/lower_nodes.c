/* dialect/serverless/lower_nodes.c — the nodes and expressions of the program that is being made, and its
 * size. */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

/* ---- expressions ---- */

bool lower_has_room(struct lowering *lowering)
{
    if (lowering->full || lowering->arena->used - lowering->used_before <= LOWERED_BYTES_MAX)
        return !lowering->full;
    lowering->full = true;
    problem_error(
        lowering->problems, PROBLEM_TOO_LARGE, STR(""),
        "long paths in filters, and handlers of the workflow, are repeated for every state that has them",
        "the workflow becomes a program of more than %d MiB", LOWERED_BYTES_MAX >> 20);
    return false;
}

const struct expr *lower_expr(struct lowering *lowering, struct expr_tree *tree)
{
    /* Without room any expression will do, because the program is thrown away. */
    if (!lower_has_room(lowering)) tree = tree_literal(json_null(), lowering->arena);
    return expr_of_tree(tree, lowering->arena);
}

/* ---- nodes ---- */

void *lower_grow(struct arena *arena, const void *list, size_t count, size_t item_bytes)
{
    must(list || !count);
    /* Full at every power of two. */
    if (count & (count - 1)) return (void *)(uintptr_t)list;
    void *grown = arena_zero(arena, count ? 2 * count : 1, item_bytes);
    if (count) memcpy(grown, list, count * item_bytes);
    return grown;
}

uint32_t lower_add_node(struct lowering *lowering, struct program_node node)
{
    must(lowering->node_count < NODE_NONE);
    lowering->node =
        lower_grow(lowering->arena, lowering->node, lowering->node_count, sizeof *lowering->node);
    struct program_node *added = arena_make(lowering->arena, struct program_node);
    *added = node;
    lowering->node[lowering->node_count] = added;
    return (uint32_t)lowering->node_count++;
}

struct program_node *lower_node(const struct lowering *lowering, uint32_t index)
{
    must(index < lowering->node_count);
    return lowering->node[index];
}

uint32_t lower_inner(struct lowering *lowering, enum node_kind kind, const struct state *state, str word,
                     str pointer)
{
    must(state->node_name.p && word.n);
    str name = arena_printf(lowering->arena, "%.*s/%.*s", STR_ARG(state->node_name), STR_ARG(word));
    return lower_add_node(lowering, (struct program_node){
                                        .kind = kind,
                                        .name = lower_unique(lowering, name),
                                        .title = arena_str(lowering->arena, word),
                                        .pointer = pointer,
                                        .inner = true,
                                    });
}
