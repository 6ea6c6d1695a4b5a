/* program/draw/layers.c — the first half of a layered layout (Sugiyama's): layers.
 *
 * Arrows that close a circle, found by a depth-first search, are drawn upward and left out
 * of the count. Every node is then one layer below the lowest of those that lead to it, or
 * two if there is a label to be put between. Where an arrow passes through a layer it gets
 * a cell of its own, so that it has room and is ordered like everything else.
 */
#include "program/draw/draw_int.h"

#include "base/array.h"
#include "base/must.h"
#include "program/limits.h"

/* ---- cells ---- */

static uint32_t add_cell(struct layout *layout, struct cell cell)
{
    array_reserve_in(layout->arena, layout->cell, layout->cell_count, layout->cell_cap);
    layout->cell[layout->cell_count] = cell;
    return (uint32_t)layout->cell_count++;
}

/* ---- which arrows go up ---- */

struct layer_search {
    struct layout *layout;
    size_t *first; /* A node's arrows are [first[node], first[node + 1]). */
    size_t *next;
    uint8_t *state; /* 0: not seen, 1: on the trail, 2: done. */
    uint32_t *trail;
    uint32_t *finished; /* In the order they were done: the reverse is topological. */
    size_t finished_count;
};

static void search_from(struct layer_search *search, uint32_t root)
{
    const struct sketch_arrow *arrow = search->layout->shown->arrow;
    size_t depth = 0;
    search->state[root] = 1;
    search->trail[depth++] = root;
    while (depth) {
        uint32_t at = search->trail[depth - 1];
        if (search->next[at] == search->first[at + 1]) {
            search->state[at] = 2;
            search->finished[search->finished_count++] = at;
            depth--;
            continue;
        }
        size_t i = search->next[at]++;
        uint32_t to = arrow[i].to;
        if (search->state[to] == 1) search->layout->route[i].upward = true;
        if (search->state[to] != 0) continue;
        search->state[to] = 1;
        search->trail[depth++] = to;
    }
}

static void assign_layers(struct layout *layout)
{
    size_t count = layout->shown->node_count;
    struct layer_search search = {
        .layout = layout,
        .first = arena_make_n(layout->arena, size_t, count + 1),
        .next = arena_make_n(layout->arena, size_t, count),
        .state = arena_make_n(layout->arena, uint8_t, count),
        .trail = arena_make_n(layout->arena, uint32_t, count),
        .finished = arena_make_n(layout->arena, uint32_t, count),
    };
    for (size_t i = 0; i < layout->shown->arrow_count; i++) search.first[layout->shown->arrow[i].from + 1]++;
    for (size_t i = 0; i < count; i++) search.first[i + 1] += search.first[i];
    memcpy(search.next, search.first, count * sizeof *search.next);
    search_from(&search, layout->shown->start);
    for (uint32_t i = 0; i < count; i++)
        if (!search.state[i]) search_from(&search, i);

    layout->layer_count = 1;
    for (size_t i = count; i-- > 0;) {
        uint32_t from = search.finished[i];
        for (size_t k = search.first[from]; k < search.first[from + 1]; k++) {
            const struct sketch_arrow *arrow = &layout->shown->arrow[k];
            if (layout->route[k].upward) continue;
            uint32_t least = layout->cell[from].layer + (arrow->label.n ? 2 : 1);
            if (layout->cell[arrow->to].layer < least) layout->cell[arrow->to].layer = least;
            if (least >= layout->layer_count) layout->layer_count = least + 1;
        }
    }
}

/* ---- routes ---- */

static void add_link(struct layout *layout, uint32_t upper, uint32_t lower)
{
    layout->link[2 * layout->link_count] = upper;
    layout->link[2 * layout->link_count + 1] = lower;
    layout->link_count++;
}

static uint32_t add_passage(struct layout *layout, size_t arrow_index, uint32_t layer)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[arrow_index];
    struct arrow_route *route = &layout->route[arrow_index];
    struct cell cell = { .node = NODE_NONE, .anchor = NODE_NONE, .layer = layer, .width = 8, .height = 8 };
    uint32_t from = layout->cell[arrow->from].layer, to = layout->cell[arrow->to].layer;
    uint32_t label_layer = route->upward ? to + (from - to) / 2 : from + 1;
    bool labelled = arrow->label.n && layer == label_layer;
    if (labelled) {
        cell.width = draw_label_width(arrow);
        cell.height = 15.0 * (double)arrow->label_lines + 4;
    }
    if (route->upward && layer == from) cell.anchor = arrow->from;
    if (route->upward && layer == to) cell.anchor = arrow->to;
    uint32_t added = add_cell(layout, cell);
    route->cell[route->count++] = added;
    if (labelled) route->label = added;
    return added;
}

/* Downward arrows use the layers between; upward ones also those of both ends, so that there is a lane beside
 * the boxes. */
static void add_route(struct layout *layout, size_t index)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    struct arrow_route *route = &layout->route[index];
    uint32_t from = layout->cell[arrow->from].layer, to = layout->cell[arrow->to].layer;
    route->label = NODE_NONE;
    if (route->upward) {
        must(to <= from);
        if (layout->cell_count + (from - to) + 1 > DRAW_CELLS_MAX) return;
        route->cell = arena_make_n(layout->arena, uint32_t, from - to + 1);
        uint32_t below = NODE_NONE;
        for (uint32_t layer = from + 1; layer-- > to;) {
            uint32_t cell = add_passage(layout, index, layer);
            if (below != NODE_NONE) add_link(layout, cell, below);
            below = cell;
        }
        return;
    }
    must(to > from);
    uint32_t above = arrow->from;
    if (layout->cell_count + (to - from) <= DRAW_CELLS_MAX) {
        route->cell = arena_make_n(layout->arena, uint32_t, to - from);
        for (uint32_t layer = from + 1; layer < to; layer++) {
            uint32_t cell = add_passage(layout, index, layer);
            add_link(layout, above, cell);
            above = cell;
        }
    }
    if (layout->cell[above].layer + 1 == to) add_link(layout, above, arrow->to);
}

static void fill_layers(struct layout *layout)
{
    layout->layer = arena_make_n(layout->arena, struct layer, layout->layer_count);
    for (size_t i = 0; i < layout->cell_count; i++) layout->layer[layout->cell[i].layer].count++;
    for (size_t i = 0; i < layout->layer_count; i++) {
        layout->layer[i].cell = arena_make_n(layout->arena, uint32_t, layout->layer[i].count);
        layout->layer[i].count = 0;
    }
    for (uint32_t i = 0; i < layout->cell_count; i++) {
        struct layer *layer = &layout->layer[layout->cell[i].layer];
        layout->cell[i].order = (uint32_t)layer->count;
        layer->cell[layer->count++] = i;
    }
}

void draw_layers(struct layout *layout)
{
    layout->route = arena_make_n(layout->arena, struct arrow_route, layout->shown->arrow_count);
    assign_layers(layout);
    layout->link =
        arena_make_n(layout->arena, uint32_t, 2 * (DRAW_CELLS_MAX + layout->shown->arrow_count + 1));
    for (size_t i = 0; i < layout->shown->arrow_count; i++) add_route(layout, i);
    fill_layers(layout);
}
