/* program/draw/route.c — the ways of arrows through a layout. */
#include "program/draw/draw_int.h"

struct trace {
    struct draw_point *point;
    size_t count;
};

static void go(struct trace *trace, enum draw_way way, double x, double y)
{
    trace->point[trace->count++] = (struct draw_point){ .way = way, .x = x, .y = y };
}

static void turn(struct trace *trace, double turn_x, double turn_y, double x, double y)
{
    trace->point[trace->count++] = (struct draw_point){ DRAW_CORNER, x, y, turn_x, turn_y };
}

/* Where an arrow goes first. */
static double heading_x(const struct layout *layout, size_t index)
{
    const struct arrow_route *route = &layout->route[index];
    return layout->cell[route->count ? route->cell[0] : layout->shown->arrow[index].to].x;
}

/* Small clocks on the node's lower edge, in the order in which their arrows go on, so that these do not
 * cross. */
double draw_clock_x(const struct layout *layout, size_t index)
{
    const struct sketch *shown = layout->shown;
    uint32_t from = shown->arrow[index].from;
    size_t first = index, to_the_right = 0;
    while (first > 0 && shown->arrow[first - 1].from == from) first--;
    for (size_t i = first; i < shown->arrow_count && shown->arrow[i].from == from; i++) {
        if (i == index || !shown->arrow[i].timer || layout->route[i].upward) continue;
        double other = heading_x(layout, i), own = heading_x(layout, index);
        if (other > own || (other == own && i < index)) to_the_right++;
    }
    const struct cell *cell = &layout->cell[from];
    double x = cell->x + cell->width / 2 - 20 - 20 * (double)to_the_right,
           least = cell->x - cell->width / 2 + 12;
    return x < least ? least : x;
}

static void go_down(struct trace *trace, const struct layout *layout, size_t index)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    const struct arrow_route *route = &layout->route[index];
    const struct cell *from = &layout->cell[arrow->from], *to = &layout->cell[arrow->to];
    double x = arrow->timer ? draw_clock_x(layout, index) : from->x;
    double y = from->y + from->height / 2 + (arrow->timer ? 7 : 0);
    go(trace, DRAW_LINE, x, y);
    /* Lower boxes of the same layer are not run across: down to its end first. */
    const struct layer *layer = &layout->layer[from->layer];
    if (layer->bottom > y) go(trace, DRAW_LINE, x, layer->bottom);
    for (size_t i = 0; i < route->count; i++) {
        const struct cell *cell = &layout->cell[route->cell[i]];
        layer = &layout->layer[cell->layer];
        go(trace, DRAW_BEND, cell->x, layer->top);
        go(trace, DRAW_LINE, cell->x, layer->bottom);
    }
    go(trace, DRAW_BEND, to->x, to->y - to->height / 2 - 2);
}

static void go_up(struct trace *trace, const struct layout *layout, size_t index)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    const struct arrow_route *route = &layout->route[index];
    const struct cell *from = &layout->cell[arrow->from], *to = &layout->cell[arrow->to];
    if (!route->count) {
        go(trace, DRAW_LINE, from->x, from->y - from->height / 2);
        go(trace, DRAW_LINE, to->x, to->y + to->height / 2 + 2);
        return;
    }
    const struct cell *first = &layout->cell[route->cell[0]];
    const struct cell *last = &layout->cell[route->cell[route->count - 1]];
    double side = first->x > from->x ? from->width / 2 : -from->width / 2;
    double end = last->x > to->x ? to->width / 2 + 2 : -to->width / 2 - 2;
    /* A node that leads to itself leaves below the middle and comes back above it. */
    double down = from == to ? 10 : 0;
    go(trace, DRAW_LINE, from->x + side, from->y + down);
    turn(trace, first->x, from->y + down, first->x, from->y + (from == to ? 0 : -14));
    for (size_t i = 1; i + 1 < route->count; i++) {
        const struct cell *cell = &layout->cell[route->cell[i]];
        const struct layer *layer = &layout->layer[cell->layer];
        go(trace, DRAW_BEND, cell->x, layer->bottom);
        go(trace, DRAW_LINE, cell->x, layer->top);
    }
    if (from != to) go(trace, DRAW_BEND, last->x, to->y + 14);
    turn(trace, last->x, to->y - down, to->x + end, to->y - down);
}

size_t draw_route(const struct layout *layout, size_t index, struct draw_point **ret_point)
{
    enum { ENDS = 6 };
    struct trace trace = {
        .point = arena_make_n(layout->arena, struct draw_point, 2 * layout->route[index].count + ENDS),
    };
    if (layout->is_straight) trace.count = draw_clear_way(layout, index, trace.point);
    else if (layout->route[index].upward) go_up(&trace, layout, index);
    else go_down(&trace, layout, index);
    *ret_point = trace.point;
    return trace.count;
}

bool draw_label_place(const struct layout *layout, size_t index, double *ret_x, double *ret_y)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    if (!arrow->label.n) return false;
    if (layout->is_straight) {
        struct draw_point *point;
        size_t count = draw_route(layout, index, &point);
        const struct draw_point *a = &point[count / 2 - 1], *b = &point[count / 2];
        *ret_x = (a->x + b->x) / 2;
        *ret_y = (a->y + b->y) / 2;
        return true;
    }
    uint32_t cell = layout->route[index].label;
    if (cell == NODE_NONE) return false;
    *ret_x = layout->cell[cell].x;
    *ret_y = layout->cell[cell].y;
    return true;
}
