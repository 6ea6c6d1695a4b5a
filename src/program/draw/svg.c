/* program/draw/svg.c — the layout as SVG. */
#include "program/draw/draw_int.h"
#include "program/limits.h"

/* A box's look: how its corners are, and its colours. */
struct look {
    double radius;
    const char *fill;
    const char *line;
};

static const struct look looks[SKETCH_KIND_COUNT] = {
#define XX(NAME, word, radius, fill, line) [SKETCH_##NAME] = { radius, fill, line },
    SKETCH_KIND_MAP(XX)
#undef XX
};

/* XML text or attribute. Control characters have no form in XML 1.0 and are dropped. */
static void xml(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        /* U+FFFE and U+FFFF are no characters to XML. */
        str rest = str_slice(text, i, text.n);
        if (c == 0xef && (str_starts(rest, STR("\xef\xbf\xbe")) || str_starts(rest, STR("\xef\xbf\xbf")))) {
            i += 2;
            continue;
        }
        switch (c) {
        case '<': buf_add_str(out, STR("&lt;")); break;
        case '>': buf_add_str(out, STR("&gt;")); break;
        case '&': buf_add_str(out, STR("&amp;")); break;
        case '"': buf_add_str(out, STR("&quot;")); break;
        default:
            if (c >= ' ' || c == '\n' || c == '\t') buf_add_char(out, (char)c);
        }
    }
}

static void add_text(struct buf *out, const char *class, double x, double y, str text)
{
    buf_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    xml(out, text);
    buf_add_str(out, STR("</text>\n"));
}

/* ---- boxes ---- */

static void draw_hexagon(struct buf *out, const struct cell *cell, const struct look *look)
{
    double left = cell->x - cell->width / 2, right = cell->x + cell->width / 2, point = 14;
    double top = cell->y - cell->height / 2, bottom = cell->y + cell->height / 2;
    buf_printf(out,
               "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\" "
               "stroke=\"%s\"/>\n",
               left, cell->y, left + point, top, right - point, top, right, cell->y, right - point, bottom,
               left + point, bottom, look->fill, look->line);
}

static void draw_rectangle(struct buf *out, const struct cell *cell, double inset, const struct look *look,
                           const char *fill)
{
    double radius = look->radius > inset ? look->radius - inset : 0;
    buf_printf(out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"%s\" "
               "stroke=\"%s\"/>\n",
               cell->x - cell->width / 2 + inset, cell->y - cell->height / 2 + inset, cell->width - 2 * inset,
               cell->height - 2 * inset, radius, fill, look->line);
}

/* A mark that tells the kinds apart besides the colour. */
static void draw_mark(struct buf *out, const struct cell *cell, enum sketch_kind kind,
                      const struct look *look)
{
    double left = cell->x - cell->width / 2, top = cell->y - cell->height / 2,
           bottom = cell->y + cell->height / 2;
    if (kind == SKETCH_FORK || kind == SKETCH_JOIN)
        buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"5\" fill=\"%s\"/>\n", left,
                   kind == SKETCH_FORK ? bottom - 5 : top, cell->width, look->line);
    if (kind == SKETCH_TABLE)
        buf_printf(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"%s\"/>\n", left + 7, top, cell->height,
                   look->line);
    if (kind == SKETCH_END || kind == SKETCH_ERROR || kind == SKETCH_SCOPE)
        draw_rectangle(out, cell, 3, look, "none");
}

static void draw_level(struct buf *out, const struct layout *layout);

/* The body of a loop, below its name. */
static void draw_inside(struct buf *out, const struct layout *zone, const struct cell *cell)
{
    double left = cell->x - zone->width / 2,
           top = cell->y - cell->height / 2 + DRAW_ZONE_HEADER - DRAW_HEADER + DRAW_START;
    buf_printf(out, "<g transform=\"translate(%.1f %.1f)\">\n", left, top);
    draw_level(out, zone);
    buf_add_str(out, STR("</g>\n"));
}

static void draw_box(struct buf *out, const struct layout *layout, const struct cell *cell)
{
    const struct sketch_node *node = &layout->shown->node[cell->node];
    const struct look *look = &looks[node->kind];
    buf_add_str(out, STR("<g class=\"node\" data-node=\""));
    xml(out, node->id);
    buf_add_str(out, STR("\"><title>"));
    xml(out, node->id);
    if (node->title.n) buf_add_str(out, STR(": "));
    xml(out, node->title);
    buf_add_str(out, STR("</title>\n"));
    const struct layout *zone = layout->inside[cell->node];
    if (node->kind == SKETCH_CHOOSE) draw_hexagon(out, cell, look);
    else draw_rectangle(out, cell, 0, look, look->fill);
    if (zone) {
        double top = cell->y - cell->height / 2;
        add_text(out, "title", cell->x, top + 18, draw_title(node, layout->arena));
        add_text(out, "caption", cell->x, top + 34, draw_caption(node, layout->arena));
        buf_add_str(out, STR("</g>\n"));
        draw_inside(out, zone, cell);
        return;
    }
    draw_mark(out, cell, node->kind, look);
    double shift = node->kind == SKETCH_FORK ? -2 : node->kind == SKETCH_JOIN ? 2 : 0;
    add_text(out, "title", cell->x, cell->y - 3 + shift, draw_title(node, layout->arena));
    add_text(out, "caption", cell->x, cell->y + 13 + shift, draw_caption(node, layout->arena));
    buf_add_str(out, STR("</g>\n"));
}

/* ---- arrows ---- */

static void add_way(struct buf *out, const struct draw_point *from, const struct draw_point *to)
{
    double middle = (from->y + to->y) / 2;
    if (to->way == DRAW_CORNER) buf_printf(out, "Q%.1f %.1f %.1f %.1f", to->turn_x, to->turn_y, to->x, to->y);
    else if (to->way == DRAW_LINE || (to->x - from->x < 2 && from->x - to->x < 2))
        buf_printf(out, "L%.1f %.1f", to->x, to->y);
    else buf_printf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from->x, middle, to->x, middle, to->x, to->y);
}

static void draw_clock(struct buf *out, double x, double y)
{
    buf_printf(
        out,
        "<circle class=\"clock\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/><path class=\"hands\" d=\"M%.1f %.1fv-4.5"
        "M%.1f %.1fh3.5\"/>\n",
        x, y, x, y, x, y);
}

static void draw_arrow(struct buf *out, const struct layout *layout, size_t index)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    const char *class = arrow->timer ? "arrow timer" : arrow->error ? "arrow error" : "arrow";
    const char *tip = arrow->timer ? "timer-tip" : arrow->error ? "error-tip" : "tip";
    buf_printf(out, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"", class, tip);
    struct draw_point *point;
    size_t count = draw_route(layout, index, &point);
    buf_printf(out, "M%.1f %.1f", point[0].x, point[0].y);
    for (size_t i = 1; i < count; i++) add_way(out, &point[i - 1], &point[i]);
    buf_add_str(out, STR("\"/>\n"));
}

static void draw_label(struct buf *out, const struct layout *layout, size_t index)
{
    const struct sketch_arrow *arrow = &layout->shown->arrow[index];
    double x, y;
    if (!draw_label_place(layout, index, &x, &y)) return;
    double width = draw_label_width(arrow), height = 15.0 * (double)arrow->label_lines + 4;
    buf_printf(out, "<rect class=\"back\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n",
               x - width / 2, y - height / 2, width, height);
    y += 11.5 - 15.0 * (double)arrow->label_lines / 2;
    str text = arrow->label;
    while (text.n) {
        size_t end = str_find(text, STR("\n"), 0);
        add_text(out,
                 arrow->timer   ? "label timed"
                 : arrow->error ? "label failed"
                                : "label",
                 x, y, str_slice(text, 0, end));
        text = end == SIZE_MAX ? STR("") : str_slice(text, end + 1, text.n);
        y += 15;
    }
}

/* ---- the whole ---- */

static const char style[] =
    "<style>\n"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica "
    "Neue',sans-serif;text-anchor:middle}\n"
    ".heading{font-size:16px;font-weight:600;text-anchor:start;fill:#101828}\n"
    ".key{font-size:11px;text-anchor:start;fill:#667085}\n"
    ".title{font-size:13px;font-weight:600;fill:#101828}\n"
    ".caption{font-size:10px;fill:#475467}\n"
    ".label{font-size:11px;fill:#344054;font-family:ui-monospace,'DejaVu Sans Mono',Menlo,monospace}\n"
    ".timed{fill:#a15c07;font-family:system-ui,sans-serif}\n"
    ".failed{fill:#b42318;font-family:system-ui,sans-serif}\n"
    ".back{fill:#fff;fill-opacity:.94}\n"
    ".node rect,.node polygon{stroke-width:1.4}\n"
    ".arrow{fill:none;stroke:#667085;stroke-width:1.4}\n"
    ".timer{stroke:#b97b07;stroke-dasharray:5 4}\n"
    ".error{stroke:#d92d20;stroke-dasharray:3 4}\n"
    ".clock{fill:#fff;stroke:#b97b07;stroke-width:1.4}\n"
    ".hands{fill:none;stroke:#b97b07;stroke-width:1.2}\n"
    "</style>\n"
    "<defs>\n"
    "<marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#667085\"/></marker>\n"
    "<marker id=\"timer-tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#b97b07\"/></marker>\n"
    "<marker id=\"error-tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#d92d20\"/></marker>\n"
    "</defs>\n";

static void draw_header(struct buf *out, struct layout *layout)
{
    const struct sketch *sketch = layout->shown;
    str title = draw_cut(sketch->title, 80, layout->arena);
    str id = draw_cut(sketch->id, 100, layout->arena);
    double width = draw_text_width(title, 17) + 56;
    if (layout->width < width) {
        for (size_t i = 0; i < layout->cell_count; i++) layout->cell[i].x += (width - layout->width) / 2;
        layout->width = width;
    }
    buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "role=\"img\">\n<title>",
        layout->width, layout->height + 36, layout->width, layout->height + 36);
    xml(out, sketch->title);
    buf_add_str(out, STR("</title>\n"));
    buf_add_str(out, (str){ style, sizeof style - 1 });
    buf_printf(out, "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#fff\"/>\n");
    add_text(out, "heading", 28, 32, title);
    add_text(out, "key", 28, 49, id);
}

static void draw_start(struct buf *out, const struct cell *start)
{
    double top = start->y - start->height / 2;
    buf_printf(out,
               "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#344054\"/><path class=\"arrow\" "
               "marker-end=\"url(#tip)\" d=\"M%.1f %.1fV%.1f\"/>\n",
               start->x, top - 26, start->x, top - 20, top - 2);
}

/* All nodes of one zone, or those in none, and the arrows between them. Zones nest at most
 * DRAW_ZONES_DEPTH_MAX deep. */
static void draw_level(struct buf *out, const struct layout *layout)
{
    const struct sketch *shown = layout->shown;
    for (size_t i = 0; i < shown->node_count; i++)
        if (shown->node[i].begins) draw_start(out, &layout->cell[i]);
    for (size_t i = 0; i < shown->arrow_count; i++) draw_arrow(out, layout, i);
    for (size_t i = 0; i < shown->arrow_count; i++) draw_label(out, layout, i);
    for (size_t i = 0; i < shown->node_count; i++) draw_box(out, layout, &layout->cell[i]);
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct cell *from = &layout->cell[shown->arrow[i].from];
        if (shown->arrow[i].timer && !layout->route[i].upward)
            draw_clock(out, draw_clock_x(layout, i), from->y + from->height / 2);
    }
}

void draw_svg(const struct sketch *sketch, struct arena *arena, struct buf *out)
{
    struct layout *layout = draw_lay_out(sketch, arena);
    draw_header(out, layout);
    /* Below the heading. */
    buf_add_str(out, STR("<g transform=\"translate(0 36)\">\n"));
    draw_level(out, layout);
    buf_add_str(out, STR("</g>\n</svg>\n"));
}
