/* program/draw/draw_int.h — pictures: what is drawn, and where. */
#ifndef PROGRAM_DRAW_DRAW_INT_H
#define PROGRAM_DRAW_DRAW_INT_H

#include "program/draw/sketch.h"

enum { DRAW_HEADER = 62, DRAW_ZONE_HEADER = 44, DRAW_START = 34, DRAW_MARGIN = 28, DRAW_LABEL_SIZE = 11 };

/* At most `characters`, the last one an ellipsis if something was cut; on one line. */
str draw_cut(str text, size_t characters, struct arena *arena);
/* The second line on a node, below its title: "SERVICE_TASK · send-email". */
str draw_caption(const struct sketch_node *node, struct arena *arena);
/* The author's label, or the id if there is none. */
str draw_title(const struct sketch_node *node, struct arena *arena);

/* Adds an arrow, or its reason to one of those from `first` on that leads to the same node in the same way.
 */
void sketch_say(struct sketch *sketch, size_t first, struct sketch_arrow arrow);

void draw_svg(const struct sketch *sketch, struct arena *arena, struct buf *out);
void draw_json(const struct sketch *sketch, struct arena *arena, struct buf *out);

/* ---- the layout: everything has a cell in a layer ---- */

/* A node's box, or a place where an arrow passes through a layer (its label is on one of
 * those). x and y are the middle. */
struct cell {
    uint32_t node; /* NODE_NONE: an arrow passes here. */
    uint32_t layer;
    uint32_t order;  /* Position within the layer, from the left. */
    uint32_t anchor; /* The cell beside which this one stays; NODE_NONE: none. */
    double x, y, width, height;
};

/* The cells an arrow passes from its source to its target, both excluded. An arrow that
 * goes up leaves and enters its nodes at the side. */
struct arrow_route {
    uint32_t *cell;
    size_t count;
    uint32_t label; /* The cell with the label; NODE_NONE: there is none. */
    bool upward;
};

struct layer {
    uint32_t *cell;
    size_t count;
    double top, bottom;
};

struct layout {
    const struct sketch *shown; /* The nodes of one zone, or those in none. */
    struct layout **inside;     /* For each node the layout of its zone; NULL: it has none. */
    struct arena *arena;
    struct cell *cell; /* The first node_count are the nodes' own. */
    size_t cell_count;
    size_t cell_cap;
    struct arrow_route *route; /* One per arrow. */
    struct layer *layer;
    size_t layer_count;
    uint32_t *link; /* Pairs of cells in neighbouring layers: upper, lower. */
    size_t link_count;
    bool is_straight; /* Arrows have ways of their own (draw/clear.c): no route has cells. */
    double left, top; /* Where it begins: 0, unless its nodes have places of their own. */
    double width, height;
};

/* The whole sketch, laid out: in layers, zones inside of each other; or, if it is too large for that, in
 * rows; or where its nodes want to be (`is_placed`). */
struct layout *draw_lay_out(const struct sketch *sketch, struct arena *arena);

/* Which node is in which layer, and which arrows go up; makes the routes and all cells but the nodes' own. */
void draw_layers(struct layout *layout);
/* Orders the cells of each layer so that few arrows cross. */
void draw_order(struct layout *layout);
/* Gives every cell its place. */
void draw_place(struct layout *layout);

/* ---- arrows (draw/route.c) ---- */

enum draw_way {
    DRAW_LINE,
    DRAW_BEND,   /* From one layer to the next: vertical at both ends. */
    DRAW_CORNER, /* Around a corner, which is (turn_x, turn_y). */
};

/* A point of an arrow, and the way from the point before to it. */
struct draw_point {
    enum draw_way way;
    double x, y, turn_x, turn_y;
};

/* The points of an arrow; at least two. */
size_t draw_route(const struct layout *layout, size_t arrow, struct draw_point **ret_point);
/* The same for an arrow of a layout without layers; at most four points, all of them lines. */
size_t draw_clear_way(const struct layout *layout, size_t arrow, struct draw_point *point);
/* Where the clock of a timer's arrow is, on the lower edge of its node. */
double draw_clock_x(const struct layout *layout, size_t arrow);
/* The middle of the arrow's label; false: there is none. */
bool draw_label_place(const struct layout *layout, size_t arrow, double *ret_x, double *ret_y);

double draw_label_width(const struct sketch_arrow *arrow);
double draw_text_width(str text, double size);

#endif
