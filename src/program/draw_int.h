/* program/draw_int.h — pictures: what is drawn, and where. */
#ifndef PROGRAM_DRAW_INT_H
#define PROGRAM_DRAW_INT_H

#include "program/program.h"

/* Ways from one node to another as arrows. Those that lead from one node to another for
 * different reasons are one arrow with all the reasons on it. */
struct arrow {
    uint32_t from;
    uint32_t to;
    bool timer; /* Dashed, from a clock. */
    bool interrupting;
    bool error;  /* Dashed: taken when something failed. */
    bool inward; /* From a loop to where its body begins. */
    str label;   /* One line per reason; empty: always. */
    size_t label_lines;
};

/* The contents of a picture: the nodes without the inner ones, and the arrows between them; a way over inner
 * nodes is one arrow. Numbers of nodes are places in this list. */
struct shown {
    const struct program *program;
    const struct program_node **node;
    size_t node_count;
    uint32_t start;
    struct arrow *arrow; /* By `from`. */
    size_t arrow_count;
    /* A loop is a zone: its body is drawn inside a box. The loop that each node is in; NODE_NONE: none. */
    uint32_t *zone;
    bool *begins; /* The body of its loop begins there. */
    bool *has_zone;
};

enum { DRAW_HEADER = 62, DRAW_ZONE_HEADER = 44, DRAW_START = 34 };

struct shown draw_shown(const struct program *program, struct arena *arena);

/* At most `characters`, the last one an ellipsis if something was cut; on one line. */
str draw_cut(str text, size_t characters, struct arena *arena);
/* The second line on a node, below its title: "SERVICE_TASK · send-email". */
str draw_caption(const struct program_node *node, struct arena *arena);
/* The author's label, or the id if there is none. */
str draw_title(const struct program_node *node, struct arena *arena);

void draw_svg(const struct shown *shown, struct arena *arena, struct buf *out);

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
    const struct shown *shown;
    struct layout **inside; /* For each node the layout of its zone; NULL: it has none. */
    struct arena *arena;
    struct cell *cell; /* The first node_count are the nodes' own. */
    size_t cell_count;
    size_t cell_cap;
    struct arrow_route *route; /* One per arrow. */
    struct layer *layer;
    size_t layer_count;
    uint32_t *link; /* Pairs of cells in neighbouring layers: upper, lower. */
    size_t link_count;
    double width, height;
};

/* Which node is in which layer, and which arrows go up; makes all cells and routes. */
void draw_layers(struct layout *layout);
/* Orders the cells of each layer so that few arrows cross. */
void draw_order(struct layout *layout);
/* Gives every cell its place. */
void draw_place(struct layout *layout);

double draw_text_width(str text, double size);

#endif
