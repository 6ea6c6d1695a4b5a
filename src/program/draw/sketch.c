/* program/draw/sketch.c — sketches that are made node by node, and places that documents give. */
#include "program/draw/draw_int.h"

#include "base/array.h"
#include "base/sort.h"
#include "program/limits.h"

const char *sketch_kind_word(enum sketch_kind kind)
{
    static const char *const words[SKETCH_KIND_COUNT] = {
#define XX(NAME, word, ...) [SKETCH_##NAME] = word,
        SKETCH_KIND_MAP(XX)
#undef XX
    };
    return words[kind];
}

struct sketch sketch_of(str id, str title, str dialect, struct arena *arena)
{
    return (
        struct sketch){ .arena = arena, .id = id, .title = title, .dialect = dialect, .start = NODE_NONE };
}

uint32_t sketch_add(struct sketch *sketch, struct sketch_node node)
{
    node.zone = NODE_NONE;
    array_reserve_in(sketch->arena, sketch->node, sketch->node_count, sketch->node_cap);
    sketch->node[sketch->node_count] = node;
    return (uint32_t)sketch->node_count++;
}

void sketch_put_inside(struct sketch *sketch, uint32_t node, uint32_t zone)
{
    uint32_t at = zone;
    for (size_t depth = 0; at != NODE_NONE; at = sketch->node[at].zone)
        if (at == node || ++depth >= DRAW_ZONES_DEPTH_MAX) return;
    sketch->node[node].zone = zone;
    if (zone != NODE_NONE) sketch->node[zone].is_zone = true;
}

void sketch_join(struct sketch *sketch, struct sketch_arrow arrow)
{
    if (arrow.from == NODE_NONE || arrow.to == NODE_NONE) return;
    arrow.shown_from = arrow.from;
    arrow.shown_to = arrow.to;
    array_reserve_in(sketch->arena, sketch->arrow, sketch->arrow_count, sketch->arrow_cap);
    sketch->arrow[sketch->arrow_count++] = arrow;
}

/* ---- reasons ---- */

/* A way without a reason and one with it: which of both was taken is worth a line of its own, if their author
 * tells them apart. */
static bool differ(const struct sketch_arrow *arrow, const struct sketch_arrow *other)
{
    return arrow->id.n && other->id.n && !str_equal(arrow->id, other->id) &&
           !arrow->label.n != !other->label.n;
}

static bool goes_like(const struct sketch_arrow *arrow, const struct sketch_arrow *other)
{
    return arrow->to == other->to && arrow->timer == other->timer &&
           arrow->interrupting == other->interrupting && arrow->error == other->error &&
           arrow->inward == other->inward && !differ(arrow, other);
}

void sketch_say(struct sketch *sketch, size_t first, struct sketch_arrow arrow)
{
    arrow.label = draw_cut(arrow.label, DRAW_LABEL_CHARACTERS_MAX, sketch->arena);
    arrow.label_lines = arrow.label.n > 0;
    struct sketch_arrow *same = NULL;
    for (size_t i = first; i < sketch->arrow_count && !same; i++)
        if (goes_like(&sketch->arrow[i], &arrow)) same = &sketch->arrow[i];
    if (!same) {
        sketch_join(sketch, arrow);
        return;
    }
    /* Unconditional once is unconditional, except that a fork may go twice: say nothing. */
    if (!same->label.n || !arrow.label.n || same->label_lines > DRAW_LABEL_LINES_MAX) return;
    /* The same reason again is no other. */
    if (str_find(same->label, arrow.label, 0) != SIZE_MAX && arrow.error) return;
    bool last = same->label_lines == DRAW_LABEL_LINES_MAX;
    same->label = arena_printf(sketch->arena, "%.*s\n%.*s", STR_ARG(same->label),
                               STR_ARG(last ? STR("…") : arrow.label));
    same->label_lines++;
}

/* ---- closing ---- */

static int by_from(const void *a, const void *b, const void *context)
{
    const struct sketch_arrow *left = a, *right = b;
    (void)context;
    return left->from < right->from ? -1 : left->from > right->from;
}

/* A body begins where its loop leads, or else where nothing inside leads to. */
static void find_beginnings(struct sketch *sketch)
{
    bool *led_to = arena_make_n(sketch->arena, bool, sketch->node_count);
    bool *has_begun = arena_make_n(sketch->arena, bool, sketch->node_count);
    for (size_t i = 0; i < sketch->arrow_count; i++) {
        struct sketch_arrow *arrow = &sketch->arrow[i];
        uint32_t zone = sketch->node[arrow->to].zone;
        if (zone != NODE_NONE && zone == sketch->node[arrow->from].zone) led_to[arrow->to] = true;
        if (zone == NODE_NONE || zone != arrow->from) continue;
        arrow->inward = true;
        arrow->label = STR("");
        sketch->node[arrow->to].begins = has_begun[zone] = true;
    }
    for (uint32_t i = 0; i < sketch->node_count; i++) {
        struct sketch_node *node = &sketch->node[i];
        if (node->zone == NODE_NONE || has_begun[node->zone] || led_to[i]) continue;
        node->begins = has_begun[node->zone] = true;
        sketch_join(sketch, (struct sketch_arrow){ .from = node->zone, .to = i, .inward = true });
    }
}

void sketch_close(struct sketch *sketch)
{
    find_beginnings(sketch);
    size_t count = sketch->arrow_count;
    struct sketch_arrow *arrow = sketch->arrow;
    struct sketch_arrow *scratch = arena_make_n(sketch->arena, struct sketch_arrow, count);
    sort_stable(arrow, scratch, count, sizeof *arrow, by_from, NULL);
    sketch->arrow = NULL;
    sketch->arrow_count = sketch->arrow_cap = 0;
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i && arrow[i].from != arrow[i - 1].from) first = sketch->arrow_count;
        sketch_say(sketch, first, arrow[i]);
    }
}

/* ---- places ---- */

/* False: there is no such number, or it is too far away to be drawn. */
static bool read_number(const struct json *object, str name, double *ret_number)
{
    const struct json *value = json_get(object, name);
    double number = json_is(value, JSON_NUMBER) ? json_double(value) : 2.0 * DRAW_PLACE_MAX;
    if (!(number >= -DRAW_PLACE_MAX && number <= DRAW_PLACE_MAX)) return false;
    *ret_number = number;
    return true;
}

void sketch_take_places(struct sketch *sketch, const struct json *document)
{
    for (size_t i = 0; i < sketch->node_count; i++) {
        struct sketch_node *node = &sketch->node[i];
        const struct json *object = node->pointer.n ? json_pointer(document, node->pointer) : NULL;
        const struct json *place = json_get(object, STR("position")), *size = json_get(object, STR("size"));
        double x, y, width, height;
        if (!read_number(place, STR("x"), &x) || !read_number(place, STR("y"), &y)) continue;
        node->is_placed = sketch->is_placed = true;
        node->x = x;
        node->y = y;
        if (!read_number(size, STR("width"), &width) || !read_number(size, STR("height"), &height)) continue;
        if (width < DRAW_BOX_LEAST || height < DRAW_BOX_LEAST) continue;
        node->width = width;
        node->height = height;
    }
}
