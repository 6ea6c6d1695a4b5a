/* program/draw_svg.c — the layout as SVG. */
#include "program/draw_int.h"
#include "program/limits.h"

/* A box's look: how its corners are, and its colours. */
struct look {
    double radius;
    const char *fill;
    const char *line;
};

static const struct look looks[NODE_KIND_COUNT] = {
    [NODE_TASK] = { 9, "#e9f1ff", "#3a6fd0" },   [NODE_WAIT] = { 9, "#fff4dd", "#c98608" },
    [NODE_CHOOSE] = { 0, "#f3edff", "#7a52c7" }, [NODE_TABLE] = { 2, "#e6f6f3", "#14857a" },
    [NODE_SET] = { 2, "#f3f4f6", "#667085" },    [NODE_FORK] = { 2, "#eef2f6", "#344054" },
    [NODE_JOIN] = { 2, "#eef2f6", "#344054" },   [NODE_END] = { 23, "#e6f6ea", "#2b8a50" },
    [NODE_SCOPE] = { 9, "#eefaf9", "#0e7490" },
};

static const struct look signal_look = { 23, "#fdeef5", "#bf4184" };

static const struct look *look_of(const struct program_node *node)
{
    if (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_SIGNAL) return &signal_look;
    return &looks[node->kind];
}

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
static void draw_mark(struct buf *out, const struct cell *cell, enum node_kind kind, const struct look *look)
{
    double left = cell->x - cell->width / 2, top = cell->y - cell->height / 2,
           bottom = cell->y + cell->height / 2;
    if (kind == NODE_FORK || kind == NODE_JOIN)
        buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"5\" fill=\"%s\"/>\n", left,
                   kind == NODE_FORK ? bottom - 5 : top, cell->width, look->line);
    if (kind == NODE_TABLE)
        buf_printf(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"%s\"/>\n", left + 7, top, cell->height,
                   look->line);
    if (kind == NODE_END || kind == NODE_SCOPE) draw_rectangle(out, cell, 3, look, "none");
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
    const struct program_node *node = layout->shown->node[cell->node];
    const struct look *look = look_of(node);
    buf_add_str(out, STR("<g class=\"node\" data-node=\""));
    xml(out, node->name);
    buf_add_str(out, STR("\"><title>"));
    xml(out, node->name);
    if (node->title.n) buf_add_str(out, STR(": "));
    xml(out, node->title);
    buf_add_str(out, STR("</title>\n"));
    const struct layout *zone = layout->inside[cell->node];
    if (node->kind == NODE_CHOOSE) draw_hexagon(out, cell, look);
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
    double shift = node->kind == NODE_FORK ? -2 : node->kind == NODE_JOIN ? 2 : 0;
    add_text(out, "title", cell->x, cell->y - 3 + shift, draw_title(node, layout->arena));
    add_text(out, "caption", cell->x, cell->y + 13 + shift, draw_caption(node, layout->arena));
    buf_add_str(out, STR("</g>\n"));
}

/* ---- arrows ---- */

/* From one layer to the next: vertical at both ends. */
static void add_bend(struct buf *out, double x0, double y0, double x1, double y1)
{
    if (x1 - x0 < 2 && x0 - x1 < 2) {
        buf_printf(out, "L%.1f %.1f", x1, y1);
        return;
    }
    double middle = (y0 + y1) / 2;
    buf_printf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", x0, middle, x1, middle, x1, y1);
}

/* Where an arrow goes first. */
static double heading_x(const struct layout *layout, size_t index)
{
    const struct arrow_route *route = &layout->route[index];
    return layout->cell[route->count ? route->cell[0] : layout->shown->arrow[index].to].x;
}

/* Where a node's timers leave it: small clocks on its lower edge, in the order in which
 * their arrows go on, so that these do not cross. */
static double clock_x(const struct layout *layout, size_t index)
{
    const struct shown *shown = layout->shown;
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

static void draw_clock(struct buf *out, double x, double y)
{
    buf_printf(
        out,
        "<circle class=\"clock\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/><path class=\"hands\" d=\"M%.1f %.1fv-4.5"
        "M%.1f %.1fh3.5\"/>\n",
        x, y, x, y, x, y);
}

static void add_downward(struct buf *out, const struct layout *layout, size_t index)
{
    const struct arrow *arrow = &layout->shown->arrow[index];
    const struct arrow_route *route = &layout->route[index];
    const struct cell *from = &layout->cell[arrow->from], *to = &layout->cell[arrow->to];
    double x = arrow->timer ? clock_x(layout, index) : from->x;
    double y = from->y + from->height / 2 + (arrow->timer ? 7 : 0);
    buf_printf(out, "M%.1f %.1f", x, y);
    /* Lower boxes of the same layer are not run across: down to its end first. */
    const struct layer *layer = &layout->layer[from->layer];
    if (layer->bottom > y) {
        buf_printf(out, "L%.1f %.1f", x, layer->bottom);
        y = layer->bottom;
    }
    for (size_t i = 0; i < route->count; i++) {
        const struct cell *cell = &layout->cell[route->cell[i]];
        layer = &layout->layer[cell->layer];
        add_bend(out, x, y, cell->x, layer->top);
        buf_printf(out, "L%.1f %.1f", cell->x, layer->bottom);
        x = cell->x;
        y = layer->bottom;
    }
    add_bend(out, x, y, to->x, to->y - to->height / 2 - 2);
}

static void add_upward(struct buf *out, const struct layout *layout, size_t index)
{
    const struct arrow *arrow = &layout->shown->arrow[index];
    const struct arrow_route *route = &layout->route[index];
    const struct cell *from = &layout->cell[arrow->from], *to = &layout->cell[arrow->to];
    if (!route->count) {
        buf_printf(out, "M%.1f %.1fL%.1f %.1f", from->x, from->y - from->height / 2, to->x,
                   to->y + to->height / 2 + 2);
        return;
    }
    const struct cell *first = &layout->cell[route->cell[0]];
    const struct cell *last = &layout->cell[route->cell[route->count - 1]];
    double side = first->x > from->x ? from->width / 2 : -from->width / 2;
    double end = last->x > to->x ? to->width / 2 + 2 : -to->width / 2 - 2;
    /* A node that leads to itself leaves below the middle and comes back above it. */
    double down = from == to ? 10 : 0;
    buf_printf(out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", from->x + side, from->y + down, first->x,
               from->y + down, first->x, from->y + (from == to ? 0 : -14));
    double x = first->x, y = from->y + (from == to ? 0 : -14);
    for (size_t i = 1; i + 1 < route->count; i++) {
        const struct cell *cell = &layout->cell[route->cell[i]];
        const struct layer *layer = &layout->layer[cell->layer];
        add_bend(out, x, y, cell->x, layer->bottom);
        buf_printf(out, "L%.1f %.1f", cell->x, layer->top);
        x = cell->x;
        y = layer->top;
    }
    if (from != to) add_bend(out, x, y, last->x, to->y + 14);
    buf_printf(out, "Q%.1f %.1f %.1f %.1f", last->x, to->y - down, to->x + end, to->y - down);
}

static void draw_arrow(struct buf *out, const struct layout *layout, size_t index)
{
    const struct arrow *arrow = &layout->shown->arrow[index];
    const char *class = arrow->timer ? "arrow timer" : arrow->error ? "arrow error" : "arrow";
    const char *tip = arrow->timer ? "timer-tip" : arrow->error ? "error-tip" : "tip";
    buf_printf(out, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"", class, tip);
    if (layout->route[index].upward) add_upward(out, layout, index);
    else add_downward(out, layout, index);
    buf_add_str(out, STR("\"/>\n"));
}

static void draw_label(struct buf *out, const struct layout *layout, size_t index)
{
    const struct arrow *arrow = &layout->shown->arrow[index];
    const struct arrow_route *route = &layout->route[index];
    if (route->label == NODE_NONE) return;
    const struct cell *cell = &layout->cell[route->label];
    buf_printf(out, "<rect class=\"back\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n",
               cell->x - cell->width / 2, cell->y - cell->height / 2, cell->width, cell->height);
    double y = cell->y - 15.0 * (double)arrow->label_lines / 2 + 11.5;
    str text = arrow->label;
    while (text.n) {
        size_t end = str_find(text, STR("\n"), 0);
        add_text(out,
                 arrow->timer   ? "label timed"
                 : arrow->error ? "label failed"
                                : "label",
                 cell->x, y, str_slice(text, 0, end));
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
    ".timer{stroke:#c98608;stroke-dasharray:5 4}\n"
    ".error{stroke:#d92d20;stroke-dasharray:3 4}\n"
    ".clock{fill:#fff;stroke:#c98608;stroke-width:1.4}\n"
    ".hands{fill:none;stroke:#c98608;stroke-width:1.2}\n"
    "</style>\n"
    "<defs>\n"
    "<marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#667085\"/></marker>\n"
    "<marker id=\"timer-tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#c98608\"/></marker>\n"
    "<marker id=\"error-tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
    "markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#d92d20\"/></marker>\n"
    "</defs>\n";

static void draw_header(struct buf *out, struct layout *layout)
{
    const struct program *program = layout->shown->program;
    str title = draw_cut(program->title, 80, layout->arena);
    str id = draw_cut(program->id, 100, layout->arena);
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
    xml(out, program->title);
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
    const struct shown *shown = layout->shown;
    for (size_t i = 0; i < shown->node_count; i++)
        if (shown->begins[i]) draw_start(out, &layout->cell[i]);
    for (size_t i = 0; i < shown->arrow_count; i++) draw_arrow(out, layout, i);
    for (size_t i = 0; i < shown->arrow_count; i++) draw_label(out, layout, i);
    for (size_t i = 0; i < shown->node_count; i++) draw_box(out, layout, &layout->cell[i]);
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct cell *from = &layout->cell[shown->arrow[i].from];
        if (shown->arrow[i].timer && !layout->route[i].upward)
            draw_clock(out, clock_x(layout, i), from->y + from->height / 2);
    }
}

/* ---- zones ---- */

/* The node of the zone that the node is, or is inside of; NODE_NONE: it is elsewhere. */
static uint32_t lift(const struct shown *all, uint32_t node, uint32_t zone)
{
    while (node != NODE_NONE && all->zone[node] != zone) node = all->zone[node];
    return node;
}

/* The arrows between nodes of the zone, by `from`. What leads out of an inner zone leads from its loop. */
static void add_arrows(const struct shown *all, uint32_t zone, const uint32_t *place, struct shown *level,
                       struct arena *arena)
{
    size_t *next = arena_make_n(arena, size_t, level->node_count + 1);
    struct arrow *lifted = arena_make_n(arena, struct arrow, all->arrow_count);
    for (size_t i = 0; i < all->arrow_count; i++) {
        uint32_t from = lift(all, all->arrow[i].from, zone), to = lift(all, all->arrow[i].to, zone);
        bool stays = from == to && all->arrow[i].from != all->arrow[i].to;
        if (all->arrow[i].inward || from == NODE_NONE || to == NODE_NONE || stays) continue;
        struct arrow *arrow = &lifted[level->arrow_count++];
        *arrow = all->arrow[i];
        arrow->from = place[from];
        arrow->to = place[to];
        next[arrow->from + 1]++;
    }
    for (size_t i = 0; i < level->node_count; i++) next[i + 1] += next[i];
    level->arrow = arena_make_n(arena, struct arrow, level->arrow_count);
    for (size_t i = 0; i < level->arrow_count; i++) level->arrow[next[lifted[i].from]++] = lifted[i];
}

/* The nodes of one zone, and the arrows between them. */
static struct shown *shown_in(const struct shown *all, uint32_t zone, uint32_t *place, struct arena *arena)
{
    struct shown *level = arena_make(arena, struct shown);
    *level = (struct shown){ .program = all->program };
    level->node = arena_make_n(arena, const struct program_node *, all->node_count);
    level->begins = arena_make_n(arena, bool, all->node_count);
    for (uint32_t i = 0; i < all->node_count; i++) {
        if (all->zone[i] != zone) continue;
        place[i] = (uint32_t)level->node_count;
        level->begins[level->node_count] = zone == NODE_NONE ? i == all->start : all->begins[i];
        if (level->begins[level->node_count]) level->start = place[i];
        level->node[level->node_count++] = all->node[i];
    }
    add_arrows(all, zone, place, level, arena);
    return level;
}

static struct layout *lay_out(const struct shown *all, uint32_t zone, size_t depth, struct arena *arena)
{
    struct layout *layout = arena_make(arena, struct layout);
    uint32_t *place = arena_make_n(arena, uint32_t, all->node_count);
    const struct shown *level = shown_in(all, zone, place, arena);
    *layout = (struct layout){ .shown = level, .arena = arena };
    layout->inside = arena_make_n(arena, struct layout *, level->node_count);
    for (uint32_t i = 0; i < all->node_count && depth < DRAW_ZONES_DEPTH_MAX; i++)
        if (all->zone[i] == zone && all->has_zone[i])
            layout->inside[place[i]] = lay_out(all, i, depth + 1, arena);
    draw_layers(layout);
    draw_order(layout);
    draw_place(layout);
    return layout;
}

void draw_svg(const struct shown *shown, struct arena *arena, struct buf *out)
{
    struct layout *layout = lay_out(shown, NODE_NONE, 0, arena);
    draw_header(out, layout);
    /* Below the heading. */
    buf_add_str(out, STR("<g transform=\"translate(0 36)\">\n"));
    draw_level(out, layout);
    buf_add_str(out, STR("</g>\n</svg>\n"));
}
