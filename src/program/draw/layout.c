/* program/draw/layout.c — where everything of a picture is.
 *
 * A sketch is laid out in layers (draw/layers.c, draw/order.c); a loop's body has a layout of its own inside
 * the loop's box. Layers cost more than linear time, so that a sketch beyond DRAW_NODES_MAX or
 * DRAW_ARROWS_MAX is put in plain rows instead. A sketch whose nodes have places of their own keeps them.
 */
#include "program/draw/draw_int.h"

#include "program/limits.h"

enum { BOX_WIDTH_MIN = 130, BOX_HEIGHT = 46, ROW_GAP = 34, ZONE_MARGIN = 20 };
/* A place in a document is the corner of a box as the canvas draws it, and there all are equally wide
 * (web/src/flow/layout.ts): with boxes as wide as their texts, steps set below each other would be a
 * staircase. */
enum { CANVAS_BOX_WIDTH = 216, CANVAS_BOX_HEIGHT = 48 };

/* ---- boxes ---- */

static uint32_t add_cell(struct layout *layout, struct cell cell)
{
    layout->cell[layout->cell_count] = cell;
    return (uint32_t)layout->cell_count++;
}

/* The boxes of the nodes, as large as their texts. */
static void add_boxes(struct layout *layout)
{
    size_t count = layout->shown->node_count;
    layout->cell_cap = count + 1;
    layout->cell = arena_make_n(layout->arena, struct cell, layout->cell_cap);
    for (uint32_t i = 0; i < count; i++) {
        const struct sketch_node *node = &layout->shown->node[i];
        double title = draw_text_width(draw_title(node, layout->arena), 13) * 1.06;
        double caption = draw_text_width(draw_caption(node, layout->arena), 10);
        double width = (title > caption ? title : caption) + (node->kind == SKETCH_CHOOSE ? 52 : 32);
        const struct layout *zone = layout->inside[i];
        double height = zone ? zone->height - DRAW_HEADER + DRAW_START + DRAW_ZONE_HEADER : BOX_HEIGHT;
        if (zone && width < zone->width) width = zone->width;
        if (width < BOX_WIDTH_MIN) width = BOX_WIDTH_MIN;
        add_cell(layout, (struct cell){ .node = i, .anchor = NODE_NONE, .width = width, .height = height });
    }
}

/* ---- zones ---- */

/* The node of the zone that the node is, or is inside of; NODE_NONE: it is elsewhere. */
static uint32_t lift(const struct sketch *all, uint32_t node, uint32_t zone)
{
    while (node != NODE_NONE && all->node[node].zone != zone) node = all->node[node].zone;
    return node;
}

/* Laying out a sketch, zone by zone. Memory for one zone is as large as the zone: there may be many. */
struct zoning {
    const struct sketch *all;
    struct arena *arena;
    uint32_t *place; /* The place of each node, among those of its zone. */
};

/* The arrow as the zone shows it; false: it is elsewhere. An arrow out of an inner zone leads from its
 * loop. */
static bool lift_arrow(const struct zoning *zoning, uint32_t zone, size_t index,
                       struct sketch_arrow *ret_arrow)
{
    const struct sketch_arrow *arrow = &zoning->all->arrow[index];
    uint32_t from = lift(zoning->all, arrow->from, zone), to = lift(zoning->all, arrow->to, zone);
    bool stays = from == to && arrow->from != arrow->to;
    if (arrow->inward || from == NODE_NONE || to == NODE_NONE || stays) return false;
    *ret_arrow = *arrow;
    ret_arrow->from = zoning->place[from];
    ret_arrow->to = zoning->place[to];
    return true;
}

/* The arrows between nodes of the zone, by `from`. */
static void add_arrows(const struct zoning *zoning, uint32_t zone, struct sketch *level)
{
    size_t *next = arena_make_n(zoning->arena, size_t, level->node_count + 1);
    struct sketch_arrow arrow;
    for (size_t i = 0; i < zoning->all->arrow_count; i++)
        if (lift_arrow(zoning, zone, i, &arrow)) {
            level->arrow_count++;
            next[arrow.from + 1]++;
        }
    for (size_t i = 0; i < level->node_count; i++) next[i + 1] += next[i];
    level->arrow = arena_make_n(zoning->arena, struct sketch_arrow, level->arrow_count);
    for (size_t i = 0; i < zoning->all->arrow_count; i++)
        if (lift_arrow(zoning, zone, i, &arrow)) level->arrow[next[arrow.from]++] = arrow;
}

/* The nodes of one zone, and the arrows between them. */
static struct sketch *part_of(const struct zoning *zoning, uint32_t zone)
{
    const struct sketch *all = zoning->all;
    struct sketch *level = arena_make(zoning->arena, struct sketch);
    size_t count = 0;
    *level = (struct sketch){ .id = all->id, .title = all->title };
    for (uint32_t i = 0; i < all->node_count; i++) count += all->node[i].zone == zone;
    level->node = arena_make_n(zoning->arena, struct sketch_node, count);
    for (uint32_t i = 0; i < all->node_count; i++) {
        if (all->node[i].zone != zone) continue;
        zoning->place[i] = (uint32_t)level->node_count;
        struct sketch_node *node = &level->node[level->node_count++];
        *node = all->node[i];
        if (zone == NODE_NONE) node->begins = i == all->start;
        if (node->begins) level->start = zoning->place[i];
    }
    add_arrows(zoning, zone, level);
    return level;
}

static struct layout *lay_out_zone(const struct zoning *zoning, uint32_t zone, size_t depth)
{
    const struct sketch *all = zoning->all;
    struct layout *layout = arena_make(zoning->arena, struct layout);
    const struct sketch *level = part_of(zoning, zone);
    *layout = (struct layout){ .shown = level, .arena = zoning->arena };
    layout->inside = arena_make_n(zoning->arena, struct layout *, level->node_count);
    for (uint32_t i = 0; i < all->node_count && depth < DRAW_ZONES_DEPTH_MAX; i++)
        if (all->node[i].zone == zone && all->node[i].is_zone)
            layout->inside[zoning->place[i]] = lay_out_zone(zoning, i, depth + 1);
    add_boxes(layout);
    draw_layers(layout);
    draw_order(layout);
    draw_place(layout);
    return layout;
}

/* ---- without layers ---- */

/* All nodes beside each other, zones too, and straight arrows. */
static struct layout *lay_out_flat(const struct sketch *sketch, struct arena *arena)
{
    struct layout *layout = arena_make(arena, struct layout);
    *layout = (struct layout){ .shown = sketch, .arena = arena, .is_straight = true };
    layout->inside = arena_make_n(arena, struct layout *, sketch->node_count);
    layout->route = arena_make_n(arena, struct arrow_route, sketch->arrow_count);
    add_boxes(layout);
    for (size_t i = 0; i < sketch->arrow_count; i++) layout->route[i].label = NODE_NONE;
    return layout;
}

static struct layout *lay_out_rows(const struct sketch *sketch, struct arena *arena)
{
    struct sketch *flat = arena_make(arena, struct sketch);
    *flat = *sketch;
    flat->node = arena_make_n(arena, struct sketch_node, sketch->node_count);
    memcpy(flat->node, sketch->node, sketch->node_count * sizeof *flat->node);
    for (size_t i = 0; i < flat->node_count; i++) {
        flat->node[i].zone = NODE_NONE;
        flat->node[i].is_zone = false;
        flat->node[i].begins = i == sketch->start;
    }
    struct layout *layout = lay_out_flat(flat, arena);
    size_t columns = 1;
    double widest = 0;
    while (columns * columns < flat->node_count) columns++;
    for (size_t i = 0; i < layout->cell_count; i++)
        if (layout->cell[i].width > widest) widest = layout->cell[i].width;
    for (size_t i = 0; i < layout->cell_count; i++) {
        layout->cell[i].x = DRAW_MARGIN + widest / 2 + (double)(i % columns) * (widest + ROW_GAP);
        layout->cell[i].y = DRAW_HEADER + BOX_HEIGHT / 2.0 + (double)(i / columns) * (BOX_HEIGHT + ROW_GAP);
    }
    layout->width = 2 * DRAW_MARGIN + (double)columns * (widest + ROW_GAP) - ROW_GAP;
    layout->height = DRAW_HEADER + DRAW_MARGIN - ROW_GAP +
                     (double)((flat->node_count + columns - 1) / columns) * (BOX_HEIGHT + ROW_GAP);
    return layout;
}

struct draw_frame {
    double left, top, right, bottom;
};

static void widen(struct draw_frame *frame, const struct cell *cell, double margin, double above)
{
    double left = cell->x - cell->width / 2 - margin, right = cell->x + cell->width / 2 + margin;
    double top = cell->y - cell->height / 2 - above, bottom = cell->y + cell->height / 2 + margin;
    if (left < frame->left) frame->left = left;
    if (top < frame->top) frame->top = top;
    if (right > frame->right) frame->right = right;
    if (bottom > frame->bottom) frame->bottom = bottom;
}

/* A zone is at least as large as what is inside. Zones that hold others come last: each round does one more
 * level. */
static void hold_bodies(struct layout *layout)
{
    const struct sketch *sketch = layout->shown;
    bool grows = true;
    for (size_t round = 0; grows && round < DRAW_ZONES_DEPTH_MAX; round++) {
        grows = false;
        for (size_t i = 0; i < sketch->node_count; i++) {
            if (sketch->node[i].zone == NODE_NONE) continue;
            struct cell *zone = &layout->cell[sketch->node[i].zone];
            struct draw_frame frame = { zone->x - zone->width / 2, zone->y - zone->height / 2,
                                        zone->x + zone->width / 2, zone->y + zone->height / 2 };
            struct draw_frame before = frame;
            widen(&frame, &layout->cell[i], ZONE_MARGIN, DRAW_ZONE_HEADER);
            if (memcmp(&before, &frame, sizeof frame) == 0) continue;
            grows = true;
            zone->x = (frame.left + frame.right) / 2;
            zone->y = (frame.top + frame.bottom) / 2;
            zone->width = frame.right - frame.left;
            zone->height = frame.bottom - frame.top;
        }
    }
}

/* Nodes without a place come below the others, beside each other. */
static void place_others(struct layout *layout)
{
    struct draw_frame frame = { 1e18, 1e18, -1e18, -1e18 };
    for (size_t i = 0; i < layout->cell_count; i++)
        if (layout->shown->node[i].is_placed) widen(&frame, &layout->cell[i], 0, 0);
    double x = frame.left, y = frame.bottom + 2 * ROW_GAP;
    for (size_t i = 0; i < layout->cell_count; i++) {
        struct cell *cell = &layout->cell[i];
        if (layout->shown->node[i].is_placed) continue;
        cell->x = x + cell->width / 2;
        cell->y = y + cell->height / 2;
        x += cell->width + ROW_GAP;
    }
}

static struct layout *lay_out_places(const struct sketch *sketch, struct arena *arena)
{
    struct layout *layout = lay_out_flat(sketch, arena);
    for (size_t i = 0; i < sketch->node_count; i++) {
        const struct sketch_node *node = &sketch->node[i];
        struct cell *cell = &layout->cell[i];
        if (!node->is_placed) continue;
        if (node->width > 0 && node->height > 0) {
            cell->width = node->width;
            cell->height = node->height;
        } else if (!node->is_zone) {
            cell->width = CANVAS_BOX_WIDTH;
            cell->height = CANVAS_BOX_HEIGHT;
        }
        cell->x = node->x + cell->width / 2;
        cell->y = node->y + cell->height / 2;
    }
    place_others(layout);
    hold_bodies(layout);
    struct draw_frame frame = { 1e18, 1e18, -1e18, -1e18 };
    for (size_t i = 0; i < layout->cell_count; i++) widen(&frame, &layout->cell[i], DRAW_MARGIN, DRAW_MARGIN);
    layout->left = frame.left;
    layout->top = frame.top;
    layout->width = frame.right - frame.left;
    layout->height = frame.bottom - frame.top;
    return layout;
}

struct layout *draw_lay_out(const struct sketch *sketch, struct arena *arena)
{
    if (sketch->is_placed) return lay_out_places(sketch, arena);
    if (sketch->node_count > DRAW_NODES_MAX || sketch->arrow_count > DRAW_ARROWS_MAX)
        return lay_out_rows(sketch, arena);
    struct zoning zoning = { sketch, arena, arena_make_n(arena, uint32_t, sketch->node_count) };
    return lay_out_zone(&zoning, NODE_NONE, 0);
}
