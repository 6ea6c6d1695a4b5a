/* runtime/definitions/compare.c — two versions of a definition, side by side: nodes, arrows and lines of
 * text. */
#include "base/utf8.h"
#include "dialect/show/sketch.h"
#include "json/put.h"
#include "runtime/definitions/design.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

/* An arrow with the names of its ends. */
struct compare_arrow {
    str from, to, label;
    bool timer, error;
};

struct compare_side {
    const struct json *document;
    struct sketch sketch;
    const struct sketch_node **node; /* By id. */
    struct compare_arrow *arrow;     /* In the order of by_arrow(). */
};

struct comparing {
    struct compare_side from, to;
    struct arena *arena;
    struct buf *out;
    bool has_one; /* A comma comes next. */
};

/* ---- sides ---- */

static int by_id(const void *a, const void *b)
{
    const struct sketch_node *const *one = a, *const *other = b;
    return str_compare((*one)->id, (*other)->id);
}

static int by_arrow(const void *a, const void *b)
{
    const struct compare_arrow *one = a, *other = b;
    int order = str_compare(one->from, other->from);
    if (!order) order = str_compare(one->to, other->to);
    if (!order) order = str_compare(one->label, other->label);
    if (!order) order = one->timer - other->timer;
    return order ? order : one->error - other->error;
}

static struct compare_arrow arrow_of(const struct sketch *sketch, size_t index)
{
    const struct sketch_arrow *arrow = &sketch->arrow[index];
    return (struct compare_arrow){ .from = sketch->node[arrow->from].id,
                                   .to = sketch->node[arrow->to].id,
                                   .label = arrow->label,
                                   .timer = arrow->timer,
                                   .error = arrow->error };
}

/* Large versions are compared by search: each with each takes seconds. */
static void sort_side(struct compare_side *side, struct arena *arena)
{
    const struct sketch *sketch = &side->sketch;
    side->node = arena_make_n(arena, const struct sketch_node *, sketch->node_count);
    side->arrow = arena_make_n(arena, struct compare_arrow, sketch->arrow_count);
    for (size_t i = 0; i < sketch->node_count; i++) side->node[i] = &sketch->node[i];
    for (size_t i = 0; i < sketch->arrow_count; i++) side->arrow[i] = arrow_of(sketch, i);
    qsort(side->node, sketch->node_count, sizeof *side->node, by_id);
    qsort(side->arrow, sketch->arrow_count, sizeof *side->arrow, by_arrow);
}

static enum status read_side(struct query *query, struct call *call, int32_t version,
                             struct compare_side *ret_side, struct error *err)
{
    struct definition_row row;
    struct definition *definition;
    TRY(found_needed(design_row(query, call, call->as.compare.id, version, &row, err)));
    TRY(found_needed(catalogue_get(&query->catalogue, row.number, &definition, err)));
    TRY(json_parse(row.source, NULL, call->arena, &ret_side->document, err));
    if (!dialect_sketch(definition->program, ret_side->document, false, call->arena, &ret_side->sketch))
        return fail(err, ST_STORE, "definition", "the stored document cannot be read");
    sort_side(ret_side, call->arena);
    return ST_OK;
}

/* ---- nodes ---- */

static const struct sketch_node *find_node(const struct compare_side *side, str id)
{
    const struct sketch_node wanted = { .id = id }, *key = &wanted;
    const struct sketch_node **found =
        bsearch(&key, side->node, side->sketch.node_count, sizeof *side->node, by_id);
    return found ? *found : NULL;
}

static void begin_node(struct comparing *comparing, const struct sketch_node *node, const char *change)
{
    struct buf *out = comparing->out;
    if (comparing->has_one) buf_add_char(out, ',');
    comparing->has_one = true;
    PUT(out, "{\"id\":");
    put_text(out, node->id);
    PUT(out, ",\"title\":");
    put_text(out, node->title.n ? node->title : node->id);
    buf_printf(out, ",\"change\":\"%s\",\"fields\":[", change);
}

/* Places on the canvas are no change. */
static bool is_place(str pointer)
{
    return str_starts(pointer, STR("/position")) || str_starts(pointer, STR("/size"));
}

static void compare_node(struct comparing *comparing, const struct sketch_node *from,
                         const struct sketch_node *to)
{
    const struct json *before = json_pointer(comparing->from.document, from->pointer);
    const struct json *after = json_pointer(comparing->to.document, to->pointer);
    if (!before || !after || !from->pointer.n || !to->pointer.n) return;
    struct json_each each = json_each(json_diff(before, after, comparing->arena));
    size_t count = 0;
    while (json_next(&each)) {
        str pointer = json_string(json_item(each.value, 0));
        if (is_place(pointer) || count >= COMPARE_FIELDS_MAX) continue;
        if (!count++) begin_node(comparing, to, "changed");
        else buf_add_char(comparing->out, ',');
        put_text(comparing->out, pointer);
    }
    if (count) PUT(comparing->out, "]}");
}

static void compare_nodes(struct comparing *comparing)
{
    const struct sketch *from = &comparing->from.sketch, *to = &comparing->to.sketch;
    PUT(comparing->out, ",\"nodes\":[");
    for (size_t i = 0; i < from->node_count; i++) {
        const struct sketch_node *other = find_node(&comparing->to, from->node[i].id);
        if (other) {
            compare_node(comparing, &from->node[i], other);
            continue;
        }
        begin_node(comparing, &from->node[i], "removed");
        PUT(comparing->out, "]}");
    }
    for (size_t i = 0; i < to->node_count; i++) {
        if (find_node(&comparing->from, to->node[i].id)) continue;
        begin_node(comparing, &to->node[i], "added");
        PUT(comparing->out, "]}");
    }
    buf_add_char(comparing->out, ']');
}

/* ---- arrows ---- */

static void put_missing(struct comparing *comparing, const struct compare_side *of,
                        const struct compare_side *in, const char *change)
{
    struct buf *out = comparing->out;
    for (size_t i = 0; i < of->sketch.arrow_count; i++) {
        const struct compare_arrow arrow = arrow_of(&of->sketch, i);
        if (bsearch(&arrow, in->arrow, in->sketch.arrow_count, sizeof arrow, by_arrow)) continue;
        if (comparing->has_one) buf_add_char(out, ',');
        comparing->has_one = true;
        PUT(out, "{\"from\":");
        put_text(out, arrow.from);
        PUT(out, ",\"to\":");
        put_text(out, arrow.to);
        PUT(out, ",\"label\":");
        put_text(out, arrow.label);
        buf_printf(out, ",\"change\":\"%s\"}", change);
    }
}

/* ---- lines ---- */

struct text_lines {
    str *line;
    size_t count;
};

static struct text_lines lines_of(const struct json *document, struct arena *arena)
{
    struct buf text;
    struct text_lines lines = { 0 };
    buf_init(&text, arena);
    json_print_pretty(document, &text);
    str rest = buf_str(&text);
    lines.line = arena_make_n(arena, str, COMPARE_LINES_MAX);
    while (rest.n && lines.count < COMPARE_LINES_MAX) {
        size_t end = str_find(rest, STR("\n"), 0);
        if (end == SIZE_MAX) end = rest.n;
        lines.line[lines.count++] = str_slice(rest, 0, end);
        rest = str_slice(rest, end + 1, rest.n);
    }
    return lines;
}

static void put_line(struct comparing *comparing, char op, str text)
{
    if (comparing->has_one) buf_add_char(comparing->out, ',');
    comparing->has_one = true;
    buf_printf(comparing->out, "{\"op\":\"%c\",\"text\":", op);
    put_text(comparing->out, utf8_cut(text, COMPARE_LINE_BYTES_MAX));
    buf_add_char(comparing->out, '}');
}

/* The longest common subsequence, by the usual table of lengths. */
static void put_middle(struct comparing *comparing, const str *a, size_t n, const str *b, size_t m)
{
    uint16_t *length = arena_make_n(comparing->arena, uint16_t, (n + 1) * (m + 1));
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            uint16_t down = length[(i + 1) * (m + 1) + k], right = length[i * (m + 1) + k + 1];
            length[i * (m + 1) + k] = str_equal(a[i], b[k])
                                          ? (uint16_t)(length[(i + 1) * (m + 1) + k + 1] + 1)
                                      : down > right ? down
                                                     : right;
        }
    size_t i = 0, k = 0;
    while (i < n || k < m) {
        if (i < n && k < m && str_equal(a[i], b[k])) {
            put_line(comparing, '=', a[i++]);
            k++;
        } else if (i < n && (k == m || length[(i + 1) * (m + 1) + k] >= length[i * (m + 1) + k + 1])) {
            put_line(comparing, '-', a[i++]);
        } else {
            put_line(comparing, '+', b[k++]);
        }
    }
}

/* Texts that are too long for the table are told as all gone and all new. */
static void compare_lines(struct comparing *comparing)
{
    struct text_lines a = lines_of(comparing->from.document, comparing->arena);
    struct text_lines b = lines_of(comparing->to.document, comparing->arena);
    size_t head = 0, tail = 0;
    while (head < a.count && head < b.count && str_equal(a.line[head], b.line[head])) head++;
    while (tail < a.count - head && tail < b.count - head &&
           str_equal(a.line[a.count - 1 - tail], b.line[b.count - 1 - tail]))
        tail++;
    size_t n = a.count - head - tail, m = b.count - head - tail;
    bool cut = a.count == COMPARE_LINES_MAX || b.count == COMPARE_LINES_MAX || n * m > COMPARE_CELLS_MAX;
    comparing->has_one = false;
    PUT(comparing->out, ",\"lines\":[");
    for (size_t i = 0; i < head; i++) put_line(comparing, '=', a.line[i]);
    if (n * m <= COMPARE_CELLS_MAX) {
        put_middle(comparing, a.line + head, n, b.line + head, m);
    } else {
        for (size_t i = 0; i < n; i++) put_line(comparing, '-', a.line[head + i]);
        for (size_t i = 0; i < m; i++) put_line(comparing, '+', b.line[head + i]);
    }
    for (size_t i = 0; i < tail; i++) put_line(comparing, '=', a.line[a.count - tail + i]);
    buf_add_char(comparing->out, ']');
    if (cut) PUT(comparing->out, ",\"cut\":true");
}

enum status compare_call(struct query *query, struct call *call, struct error *err)
{
    const struct call_compare *asked = &call->as.compare;
    struct buf out;
    struct comparing comparing = { .arena = call->arena, .out = &out };
    TRY(read_side(query, call, asked->from, &comparing.from, err));
    TRY(read_side(query, call, asked->to, &comparing.to, err));
    buf_init(&out, call->arena);
    PUT(&out, "{\"from\":");
    put_int(&out, asked->from);
    PUT(&out, ",\"to\":");
    put_int(&out, asked->to);
    compare_nodes(&comparing);
    comparing.has_one = false;
    PUT(&out, ",\"edges\":[");
    put_missing(&comparing, &comparing.from, &comparing.to, "removed");
    put_missing(&comparing, &comparing.to, &comparing.from, "added");
    buf_add_char(&out, ']');
    compare_lines(&comparing);
    buf_add_char(&out, '}');
    call->value.design.text = buf_str(&out);
    return ST_OK;
}
