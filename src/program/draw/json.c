/* program/draw/json.c — the layout as JSON, for applications that draw it themselves.
 *
 * Every place is on one canvas, zones and what is inside them too. x and y of a node are its top left corner.
 * An arrow is a line through its points; corners are for whoever draws it to make round.
 */
#include "program/draw/draw_int.h"

#include "base/text_map.h"
#include "json/put.h"
#include "program/limits.h"

struct canvas {
    const struct sketch *sketch; /* The whole one. */
    struct buf *out;
    struct arena *arena;
    struct text_map ids; /* Ids that arrows have. */
    bool has_one;        /* A comma comes next. */
};

static void put_coordinate(struct buf *out, double value)
{
    double tenths = value * 10;
    int64_t rounded = (int64_t)(tenths < 0 ? tenths - 0.5 : tenths + 0.5);
    if (rounded % 10 == 0) put_int(out, rounded / 10);
    else buf_printf(out, "%.1f", (double)rounded / 10);
}

static void put_member(struct buf *out, const char *name, double value)
{
    buf_printf(out, ",\"%s\":", name);
    put_coordinate(out, value);
}

static void put_point(struct buf *out, double x, double y)
{
    buf_add_char(out, '[');
    put_coordinate(out, x);
    buf_add_char(out, ',');
    put_coordinate(out, y);
    buf_add_char(out, ']');
}

static void put_next(struct canvas *canvas)
{
    if (canvas->has_one) buf_add_char(canvas->out, ',');
    canvas->has_one = true;
}

static void put_id_or_null(struct canvas *canvas, uint32_t node)
{
    if (node == NODE_NONE) PUT(canvas->out, "null");
    else put_text(canvas->out, canvas->sketch->node[node].id);
}

/* ---- nodes ---- */

static void put_node(struct canvas *canvas, const struct layout *layout, uint32_t index, double dx, double dy)
{
    const struct sketch_node *node = &layout->shown->node[index];
    const struct cell *cell = &layout->cell[index];
    struct buf *out = canvas->out;
    put_next(canvas);
    PUT(out, "\n{\"id\":");
    put_text(out, node->id);
    PUT(out, ",\"title\":");
    put_text(out, draw_cut(node->title.n ? node->title : node->id, DRAW_WHOLE_TITLE_MAX, canvas->arena));
    PUT(out, ",\"caption\":");
    put_text(out, draw_caption(node, canvas->arena));
    buf_printf(out, ",\"kind\":\"%s\",\"type\":", sketch_kind_word(node->kind));
    put_text(out, node->type);
    put_member(out, "x", cell->x - cell->width / 2 + dx);
    put_member(out, "y", cell->y - cell->height / 2 + dy);
    put_member(out, "width", cell->width);
    put_member(out, "height", cell->height);
    PUT(out, ",\"zone\":");
    put_id_or_null(canvas, node->zone);
    PUT(out, ",\"isZone\":");
    put_flag(out, node->is_zone);
    buf_add_char(out, '}');
}

/* ---- arrows ---- */

/* The author's id if no other arrow has it; else one made of both ends. */
static str arrow_id(struct canvas *canvas, const struct sketch_arrow *arrow)
{
    str from = canvas->sketch->node[arrow->shown_from].id, to = canvas->sketch->node[arrow->shown_to].id;
    str id = arrow->id;
    if (!id.n || text_map_get(&canvas->ids, id))
        id = arena_printf(canvas->arena, "%.*s→%.*s", STR_ARG(from), STR_ARG(to));
    for (size_t i = 2; text_map_get(&canvas->ids, id); i++)
        id = arena_printf(canvas->arena, "%.*s→%.*s #%zu", STR_ARG(from), STR_ARG(to), i);
    text_map_put(&canvas->ids, id, canvas);
    return id;
}

static void put_arrow_head(struct canvas *canvas, const struct sketch_arrow *arrow, const char *kind)
{
    struct buf *out = canvas->out;
    put_next(canvas);
    PUT(out, "\n{\"id\":");
    put_text(out, arrow_id(canvas, arrow));
    PUT(out, ",\"from\":");
    put_text(out, canvas->sketch->node[arrow->shown_from].id);
    PUT(out, ",\"to\":");
    put_text(out, canvas->sketch->node[arrow->shown_to].id);
    PUT(out, ",\"label\":");
    put_text(out, arrow->label);
    buf_printf(out, ",\"kind\":\"%s\",\"points\":[", kind);
}

static void put_arrow(struct canvas *canvas, const struct layout *layout, size_t index, double dx, double dy)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    struct buf *out = canvas->out;
    struct draw_point *point;
    double x, y;
    size_t count = draw_route(layout, index, &point);
    put_arrow_head(canvas, arrow,
                   arrow->timer                  ? "timer"
                   : arrow->error                ? "error"
                   : arrow->inward               ? "inward"
                   : layout->route[index].upward ? "back"
                                                 : "normal");
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        if (point[i].way == DRAW_CORNER) {
            put_point(out, point[i].turn_x + dx, point[i].turn_y + dy);
            buf_add_char(out, ',');
        }
        put_point(out, point[i].x + dx, point[i].y + dy);
    }
    PUT(out, "],\"labelAt\":");
    if (draw_label_place(layout, index, &x, &y)) put_point(out, x + dx, y + dy);
    else PUT(out, "null");
    buf_add_char(out, '}');
}

/* From the upper edge of the loop's box to the node where its body begins: the first below it in its column.
 */
static void put_inward(struct canvas *canvas, const struct layout *layout, uint32_t index, double dx,
                       double dy)
{
    const struct sketch *all = canvas->sketch;
    const struct sketch_node *node = &layout->shown->node[index];
    const struct cell *cell = &layout->cell[index];
    double top = cell->y - cell->height / 2;
    for (size_t i = 0; i < all->arrow_count; i++) {
        const struct sketch_arrow *arrow = &all->arrow[i];
        if (!arrow->inward || arrow->from != node->zone || !str_equal(all->node[arrow->to].id, node->id))
            continue;
        put_arrow_head(canvas, arrow, "inward");
        put_point(canvas->out, cell->x + dx, top - 26 + dy);
        buf_add_char(canvas->out, ',');
        put_point(canvas->out, cell->x + dx, top - 2 + dy);
        PUT(canvas->out, "],\"labelAt\":null}");
        return;
    }
}

/* ---- the whole ---- */

enum canvas_part { CANVAS_NODES, CANVAS_ARROWS };

/* Zones nest at most DRAW_ZONES_DEPTH_MAX deep. */
static void put_level(struct canvas *canvas, const struct layout *layout, enum canvas_part part, double dx,
                      double dy)
{
    const struct sketch *shown = layout->shown;
    for (size_t i = 0; part == CANVAS_ARROWS && i < shown->arrow_count; i++)
        put_arrow(canvas, layout, i, dx, dy);
    for (uint32_t i = 0; i < shown->node_count; i++) {
        const struct layout *zone = layout->inside[i];
        const struct cell *cell = &layout->cell[i];
        if (part == CANVAS_NODES) put_node(canvas, layout, i, dx, dy);
        else if (shown->node[i].begins && shown->node[i].zone != NODE_NONE && !layout->is_straight)
            put_inward(canvas, layout, i, dx, dy);
        if (zone)
            put_level(canvas, zone, part, dx + cell->x - zone->width / 2,
                      dy + cell->y - cell->height / 2 + DRAW_ZONE_HEADER - DRAW_HEADER + DRAW_START);
    }
}

void draw_json(const struct sketch *sketch, struct arena *arena, struct buf *out)
{
    struct layout *layout = draw_lay_out(sketch, arena);
    struct canvas canvas = { .sketch = sketch, .out = out, .arena = arena };
    /* Pictures in layers leave room for a heading, which this one has not. */
    double dy = sketch->is_placed ? 0 : DRAW_MARGIN + DRAW_START - DRAW_HEADER;
    text_map_init(&canvas.ids);
    PUT(out, "{\"definitionId\":");
    put_text(out, sketch->id);
    if (sketch->version) {
        PUT(out, ",\"version\":");
        put_int(out, sketch->version);
    }
    PUT(out, ",\"dialect\":");
    put_text(out, sketch->dialect);
    put_member(out, "left", layout->left);
    put_member(out, "top", layout->top);
    put_member(out, "width", layout->width);
    put_member(out, "height", layout->height + dy);
    PUT(out, ",\"start\":");
    put_id_or_null(&canvas, sketch->start);
    PUT(out, ",\"isPlaced\":");
    put_flag(out, sketch->is_placed);
    PUT(out, ",\"nodes\":[");
    put_level(&canvas, layout, CANVAS_NODES, 0, dy);
    canvas.has_one = false;
    PUT(out, "],\"edges\":[");
    put_level(&canvas, layout, CANVAS_ARROWS, 0, dy);
    PUT(out, "]}\n");
    text_map_done(&canvas.ids);
}
