/* program/draw/order.c — the second half of a layered layout: order and places.
 *
 * Order: each layer in turn is sorted by the mean position of what its cells are linked to
 * in the layer before (downward), then in the layer after (upward); of all rounds the one
 * with the fewest crossings stays.
 *
 * Places: each layer in turn is moved as close as it gets to the mean place of its cells'
 * neighbours without changing the order or letting cells touch. That is a least-squares
 * problem with chained inequalities, which pooling adjacent violators solves exactly.
 */
#include "program/draw/draw_int.h"
#include "program/limits.h"

enum { ORDER_ROUNDS = 24, PLACE_ROUNDS = 40 };
enum { LAYER_GAP = 34 };

struct neighbours {
    size_t *first; /* A cell's neighbours are [first[cell], first[cell + 1]). */
    uint32_t *cell;
};

/* Neighbours above if `upper`, else below. */
static struct neighbours find_neighbours(struct layout *layout, bool upper)
{
    struct neighbours found = {
        .first = arena_make_n(layout->arena, size_t, layout->cell_count + 2),
        .cell = arena_make_n(layout->arena, uint32_t, layout->link_count),
    };
    for (size_t i = 0; i < layout->link_count; i++) found.first[layout->link[2 * i + upper] + 2]++;
    for (size_t i = 2; i < layout->cell_count + 2; i++) found.first[i] += found.first[i - 1];
    for (size_t i = 0; i < layout->link_count; i++)
        found.cell[found.first[layout->link[2 * i + upper] + 1]++] = layout->link[2 * i + !upper];
    return found;
}

/* ---- order ---- */

static double mean_order(const struct layout *layout, const struct neighbours *neighbours, uint32_t cell)
{
    size_t from = neighbours->first[cell], to = neighbours->first[cell + 1];
    if (from == to) return layout->cell[cell].order;
    double sum = 0;
    for (size_t i = from; i < to; i++) sum += layout->cell[neighbours->cell[i]].order;
    return sum / (double)(to - from);
}

static void sort_layer(struct layout *layout, struct layer *layer, const struct neighbours *neighbours,
                       double *key)
{
    for (size_t i = 0; i < layer->count; i++)
        key[layer->cell[i]] = mean_order(layout, neighbours, layer->cell[i]);
    for (size_t i = 1; i < layer->count; i++) {
        uint32_t moved = layer->cell[i];
        size_t k = i;
        for (; k > 0 && key[layer->cell[k - 1]] > key[moved]; k--) layer->cell[k] = layer->cell[k - 1];
        layer->cell[k] = moved;
    }
    for (size_t i = 0; i < layer->count; i++) layout->cell[layer->cell[i]].order = (uint32_t)i;
}

static size_t count_crossings(const struct layout *layout)
{
    size_t crossings = 0;
    for (size_t i = 0; i < layout->link_count; i++)
        for (size_t k = i + 1; k < layout->link_count; k++) {
            const struct cell *a = &layout->cell[layout->link[2 * i]],
                              *b = &layout->cell[layout->link[2 * k]];
            if (a->layer != b->layer) continue;
            int64_t above = (int64_t)a->order - b->order;
            int64_t below = (int64_t)layout->cell[layout->link[2 * i + 1]].order -
                            layout->cell[layout->link[2 * k + 1]].order;
            if ((above < 0 && below > 0) || (above > 0 && below < 0)) crossings++;
        }
    return crossings;
}

static void restore_order(struct layout *layout, const uint32_t *order)
{
    for (uint32_t i = 0; i < layout->cell_count; i++) {
        layout->cell[i].order = order[i];
        layout->layer[layout->cell[i].layer].cell[order[i]] = i;
    }
}

/* The lane of an upward arrow begins and ends right beside its boxes, or it would have to
 * run across others. */
static void move_beside_anchor(struct layout *layout, uint32_t moved)
{
    struct cell *cell = &layout->cell[moved];
    struct layer *layer = &layout->layer[cell->layer];
    uint32_t from = cell->order, anchor = layout->cell[cell->anchor].order;
    uint32_t to = from > anchor ? anchor + 1 : anchor;
    if (from < to) memmove(&layer->cell[from], &layer->cell[from + 1], (to - from) * sizeof *layer->cell);
    else memmove(&layer->cell[to + 1], &layer->cell[to], (from - to) * sizeof *layer->cell);
    layer->cell[to] = moved;
    for (size_t i = 0; i < layer->count; i++) layout->cell[layer->cell[i]].order = (uint32_t)i;
}

void draw_order(struct layout *layout)
{
    struct neighbours above = find_neighbours(layout, true), below = find_neighbours(layout, false);
    double *key = arena_make_n(layout->arena, double, layout->cell_count);
    uint32_t *best = arena_make_n(layout->arena, uint32_t, layout->cell_count);
    bool counted = layout->link_count <= DRAW_LINKS_COUNTED_MAX;
    size_t fewest = SIZE_MAX;
    for (int round = 0; round < ORDER_ROUNDS && fewest; round++) {
        for (size_t i = 1; i < layout->layer_count; i++) sort_layer(layout, &layout->layer[i], &above, key);
        size_t crossings = counted ? count_crossings(layout) : 0;
        if (crossings < fewest) {
            fewest = crossings;
            for (size_t i = 0; i < layout->cell_count; i++) best[i] = layout->cell[i].order;
        }
        for (size_t i = layout->layer_count - 1; i-- > 0;) sort_layer(layout, &layout->layer[i], &below, key);
    }
    restore_order(layout, best);
    for (uint32_t i = 0; i < layout->cell_count; i++)
        if (layout->cell[i].anchor != NODE_NONE) move_beside_anchor(layout, i);
}

/* ---- places ---- */

static double apart(const struct cell *a, const struct cell *b)
{
    double gap = a->node == NODE_NONE || b->node == NODE_NONE ? 18 : 34;
    return (a->width + b->width) / 2 + gap;
}

struct pull {
    double sum;
    double weight;
};

static void pull_towards(struct pull *pull, const struct layout *layout, const struct neighbours *neighbours,
                         uint32_t cell)
{
    for (size_t i = neighbours->first[cell]; i < neighbours->first[cell + 1]; i++) {
        const struct cell *other = &layout->cell[neighbours->cell[i]];
        /* Long arrows should be straight rather than boxes centred. */
        double weight = other->node == NODE_NONE && layout->cell[cell].node == NODE_NONE ? 6 : 1;
        pull->sum += weight * other->x;
        pull->weight += weight;
    }
}

static void pull_to_anchor(struct pull *pull, const struct layout *layout, const struct cell *cell)
{
    if (cell->anchor == NODE_NONE) return;
    const struct cell *anchor = &layout->cell[cell->anchor];
    double distance = anchor->width / 2 + 22;
    pull->sum += 2 * (cell->order > anchor->order ? anchor->x + distance : anchor->x - distance);
    pull->weight += 2;
}

struct pool {
    double sum; /* Sum of weight times wanted place, less the offset within the layer. */
    double weight;
    size_t count;
};

static double place_of(const struct pool *pool) { return pool->sum / pool->weight; }

/* Moves the layer's cells as near to where they are wanted as their order allows. */
static void settle(struct layout *layout, struct layer *layer, const struct pull *pull, struct pool *pool)
{
    size_t pools = 0;
    double offset = 0;
    for (size_t i = 0; i < layer->count; i++) {
        const struct cell *cell = &layout->cell[layer->cell[i]];
        if (i) offset += apart(&layout->cell[layer->cell[i - 1]], cell);
        double weight = pull[i].weight > 0 ? pull[i].weight : 0.01;
        double wanted = pull[i].weight > 0 ? pull[i].sum / pull[i].weight : cell->x;
        pool[pools++] = (struct pool){ weight * (wanted - offset), weight, 1 };
        while (pools > 1 && place_of(&pool[pools - 2]) > place_of(&pool[pools - 1])) {
            pools--;
            pool[pools - 1].sum += pool[pools].sum;
            pool[pools - 1].weight += pool[pools].weight;
            pool[pools - 1].count += pool[pools].count;
        }
    }
    offset = 0;
    size_t i = 0;
    for (size_t p = 0; p < pools; p++)
        for (size_t k = 0; k < pool[p].count; k++, i++) {
            if (i) offset += apart(&layout->cell[layer->cell[i - 1]], &layout->cell[layer->cell[i]]);
            layout->cell[layer->cell[i]].x = place_of(&pool[p]) + offset;
        }
}

/* How far a cell may move with its neighbours where they are. */
static void free_range(const struct layout *layout, uint32_t index, double *ret_least, double *ret_most)
{
    const struct cell *cell = &layout->cell[index];
    const struct layer *layer = &layout->layer[cell->layer];
    *ret_least = -1e9;
    *ret_most = 1e9;
    if (cell->order > 0) {
        const struct cell *left = &layout->cell[layer->cell[cell->order - 1]];
        *ret_least = left->x + apart(left, cell);
    }
    if (cell->order + 1 < layer->count) {
        const struct cell *right = &layout->cell[layer->cell[cell->order + 1]];
        *ret_most = right->x - apart(cell, right);
    }
}

static double clamp(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* A box right below the only one that leads to it, or nearly so, goes exactly there. */
static void align_boxes(struct layout *layout, const struct neighbours *above, const struct neighbours *below)
{
    for (size_t i = 1; i < layout->layer_count; i++)
        for (size_t k = 0; k < layout->layer[i].count; k++) {
            uint32_t index = layout->layer[i].cell[k];
            if (above->first[index + 1] - above->first[index] != 1) continue;
            uint32_t parent = above->cell[above->first[index]];
            if (below->first[parent + 1] - below->first[parent] != 1) continue;
            double least, most, x = layout->cell[parent].x;
            free_range(layout, index, &least, &most);
            double distance = layout->cell[index].x - x;
            if (distance < DRAW_ALIGN_DISTANCE_MAX && distance > -DRAW_ALIGN_DISTANCE_MAX && x >= least &&
                x <= most)
                layout->cell[index].x = x;
        }
}

/* Long arrows go straight down wherever there is a lane for them: runs of cells that can
 * all have one x get it, the one nearest to what the run leads to. */
static void straighten(struct layout *layout, const struct arrow_route *route, double from, double to)
{
    for (size_t i = 0; i < route->count;) {
        double least = -1e9, most = 1e9;
        size_t end = i;
        for (; end < route->count; end++) {
            double cell_least, cell_most;
            free_range(layout, route->cell[end], &cell_least, &cell_most);
            if (cell_least > most || cell_most < least) break;
            least = cell_least > least ? cell_least : least;
            most = cell_most < most ? cell_most : most;
        }
        double x = i == 0 && from >= least && from <= most ? from : clamp(to, least, most);
        /* A cell whose neighbours already touch it from both sides. */
        if (end == i) end = i + 1, x = layout->cell[route->cell[i]].x;
        for (; i < end; i++) layout->cell[route->cell[i]].x = x;
    }
}

static void straighten_routes(struct layout *layout)
{
    for (size_t i = 0; i < layout->shown->arrow_count; i++) {
        const struct arrow_route *route = &layout->route[i];
        const struct sketch_arrow *arrow = &layout->shown->arrow[i];
        if (route->count < 2) continue;
        double from = layout->cell[arrow->from].x, to = layout->cell[arrow->to].x;
        if (route->upward) from = to = layout->cell[route->cell[0]].x;
        straighten(layout, route, from, to);
    }
}

static void place_across(struct layout *layout)
{
    struct neighbours above = find_neighbours(layout, true), below = find_neighbours(layout, false);
    struct pull *pull = arena_make_n(layout->arena, struct pull, layout->cell_count);
    struct pool *pool = arena_make_n(layout->arena, struct pool, layout->cell_count);
    for (size_t i = 0; i < layout->layer_count; i++) {
        memset(pull, 0, layout->layer[i].count * sizeof *pull);
        settle(layout, &layout->layer[i], pull, pool);
    }
    for (int round = 0; round < PLACE_ROUNDS; round++) {
        bool down = round % 2 == 0, both = round >= PLACE_ROUNDS / 2;
        for (size_t i = 0; i < layout->layer_count; i++) {
            struct layer *layer = &layout->layer[down ? i : layout->layer_count - 1 - i];
            for (size_t k = 0; k < layer->count; k++) {
                pull[k] = (struct pull){ 0 };
                if (down || both) pull_towards(&pull[k], layout, &above, layer->cell[k]);
                if (!down || both) pull_towards(&pull[k], layout, &below, layer->cell[k]);
                pull_to_anchor(&pull[k], layout, &layout->cell[layer->cell[k]]);
            }
            settle(layout, layer, pull, pool);
        }
    }
    align_boxes(layout, &above, &below);
    straighten_routes(layout);
}

static void place_down(struct layout *layout)
{
    double y = DRAW_HEADER;
    for (size_t i = 0; i < layout->layer_count; i++) {
        struct layer *layer = &layout->layer[i];
        double height = 8;
        for (size_t k = 0; k < layer->count; k++)
            if (layout->cell[layer->cell[k]].height > height) height = layout->cell[layer->cell[k]].height;
        layer->top = y;
        layer->bottom = y + height;
        for (size_t k = 0; k < layer->count; k++) layout->cell[layer->cell[k]].y = y + height / 2;
        y += height + LAYER_GAP;
    }
    layout->height = y - LAYER_GAP + DRAW_MARGIN;
}

void draw_place(struct layout *layout)
{
    place_across(layout);
    place_down(layout);
    double left = 1e18, right = -1e18;
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct cell *cell = &layout->cell[i];
        if (cell->x - cell->width / 2 < left) left = cell->x - cell->width / 2;
        if (cell->x + cell->width / 2 > right) right = cell->x + cell->width / 2;
    }
    for (size_t i = 0; i < layout->cell_count; i++) layout->cell[i].x += DRAW_MARGIN - left;
    layout->width = right - left + 2 * DRAW_MARGIN;
}
