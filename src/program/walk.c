/* program/walk.c — a search through the graph that remembers its way. */
#include "program/check/check_int.h"

enum { PATH_NODES_SHOWN = 12 };

void walk_init(struct walk *walk, const struct check *check)
{
    size_t count = check->program->node_count;
    walk->parent = arena_alloc(check->arena, count * sizeof *walk->parent);
    walk->queue = arena_alloc(check->arena, count * sizeof *walk->queue);
    memset(walk->parent, 0xff, count * sizeof *walk->parent);
    walk->count = 0;
}

void walk_restart(struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) walk->parent[walk->queue[i]] = NODE_NONE;
    walk->count = 0;
}

bool walk_seen(const struct walk *walk, uint32_t node) { return walk->parent[node] != NODE_NONE; }

bool walk_add(struct walk *walk, uint32_t node, uint32_t parent)
{
    if (node == NODE_NONE || walk_seen(walk, node)) return false;
    walk->parent[node] = parent;
    walk->queue[walk->count++] = node;
    return true;
}

const char *walk_path(const struct walk *walk, const struct check *check, uint32_t node)
{
    size_t length = 1;
    for (uint32_t at = node; walk->parent[at] != at; at = walk->parent[at]) length++;
    uint32_t *path = arena_make_n(check->arena, uint32_t, length);
    for (size_t i = length; i-- > 0; node = walk->parent[node]) path[i] = node;

    struct buf out;
    buf_init(&out, check->arena);
    for (size_t i = 0; i < length; i++) {
        if (i) buf_add_str(&out, STR(" → "));
        if (length > PATH_NODES_SHOWN && i == PATH_NODES_SHOWN / 2) {
            buf_add_str(&out, STR("… → "));
            i = length - PATH_NODES_SHOWN / 2;
        }
        buf_add_str(&out, check->program->node[path[i]].name);
    }
    buf_add_char(&out, '\0');
    return out.p;
}
