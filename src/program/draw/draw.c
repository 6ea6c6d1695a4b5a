/* program/draw/draw.c — a program as a picture, in formats that leave the layout to other tools. */
#include "program/draw/draw_int.h"

static str node_label(const struct sketch_node *node, struct arena *arena)
{
    str title = draw_title(node, arena), caption = draw_caption(node, arena);
    return caption.n ? arena_printf(arena, "%.*s\n%.*s", STR_ARG(title), STR_ARG(caption)) : title;
}

/* ---- dot ---- */

static void dot_text(struct buf *out, str text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\') buf_add_char(out, '\\');
        if (text.p[i] == '\n') buf_add_str(out, STR("\\n"));
        else buf_add_char(out, text.p[i]);
    }
    buf_add_char(out, '"');
}

static void draw_dot_node(const struct sketch *shown, uint32_t index, struct arena *arena, struct buf *out)
{
    static const char *const shapes[SKETCH_KIND_COUNT] = {
        [SKETCH_START] = "diamond",    [SKETCH_TASK] = "box\", style=\"rounded",
        [SKETCH_PERSON] = "oval",      [SKETCH_CHILD] = "box\", style=\"rounded",
        [SKETCH_WAIT] = "oval",        [SKETCH_EVENT] = "oval",
        [SKETCH_SIGNAL] = "oval",      [SKETCH_STATE] = "oval",
        [SKETCH_CHOOSE] = "diamond",   [SKETCH_TABLE] = "tab",
        [SKETCH_SET] = "box",          [SKETCH_FORK] = "trapezium",
        [SKETCH_SCOPE] = "box3d",      [SKETCH_JOIN] = "invtrapezium",
        [SKETCH_END] = "doublecircle", [SKETCH_ERROR] = "doublecircle",
    };
    const struct sketch_node *node = &shown->node[index];
    buf_printf(out, "  n%u [shape=\"%s\", label=", index, shapes[node->kind]);
    dot_text(out, node_label(node, arena));
    buf_add_str(out, index == shown->start ? STR(", penwidth=2];\n") : STR("];\n"));
}

/* The nodes of a zone, or (NODE_NONE) those in none. Zones nest as deep as the loops of a document. */
static void draw_dot_nodes(const struct sketch *shown, uint32_t zone, struct arena *arena, struct buf *out)
{
    for (uint32_t i = 0; i < shown->node_count; i++) {
        if (shown->node[i].zone != zone) continue;
        if (!shown->node[i].is_zone) {
            draw_dot_node(shown, i, arena, out);
            continue;
        }
        buf_printf(out,
                   "  subgraph cluster_n%u {\n  style=\"rounded,filled\"; fillcolor=\"#eefaf9\"; label=", i);
        dot_text(out, draw_title(&shown->node[i], arena));
        buf_add_str(out, STR(";\n"));
        draw_dot_node(shown, i, arena, out);
        draw_dot_nodes(shown, i, arena, out);
        buf_add_str(out, STR("  }\n"));
    }
}

static void draw_dot(const struct sketch *shown, struct arena *arena, struct buf *out)
{
    buf_add_str(out, STR("digraph "));
    dot_text(out, shown->id);
    buf_add_str(
        out, STR(" {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"));
    draw_dot_nodes(shown, NODE_NONE, arena, out);
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct sketch_arrow *arrow = &shown->arrow[i];
        buf_printf(out, "  n%u -> n%u", arrow->from, arrow->to);
        if (arrow->label.n) {
            buf_add_str(out, STR(" [label="));
            dot_text(out, arrow->label);
            buf_add_str(out, arrow->timer || arrow->error ? STR(", style=\"dashed\"]") : STR("]"));
        }
        buf_add_str(out, STR(";\n"));
    }
    buf_add_str(out, STR("}\n"));
}

/* ---- mermaid ---- */

/* Inside quotes Mermaid reads #name; entities, so everything of its own goes in as one. */
static void mermaid_text(struct buf *out, str text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n') buf_add_str(out, STR("<br/>"));
        else if (strchr("\"#<>&;`\\{}|", c)) buf_printf(out, "#%d;", c);
        else buf_add_char(out, c);
    }
    buf_add_char(out, '"');
}

static void draw_mermaid_node(const struct sketch *shown, uint32_t index, struct arena *arena,
                              struct buf *out)
{
    static const struct {
        const char *open, *close;
    } shapes[SKETCH_KIND_COUNT] = {
        [SKETCH_START] = { "{{", "}}" },   [SKETCH_TASK] = { "(", ")" },    [SKETCH_CHILD] = { "(", ")" },
        [SKETCH_PERSON] = { "([", "])" },  [SKETCH_WAIT] = { "([", "])" },  [SKETCH_EVENT] = { "([", "])" },
        [SKETCH_SIGNAL] = { "([", "])" },  [SKETCH_STATE] = { "([", "])" }, [SKETCH_CHOOSE] = { "{{", "}}" },
        [SKETCH_TABLE] = { "[[", "]]" },   [SKETCH_SET] = { "[", "]" },     [SKETCH_FORK] = { "[/", "\\]" },
        [SKETCH_JOIN] = { "[\\", "/]" },   [SKETCH_SCOPE] = { "[[", "]]" }, [SKETCH_END] = { "(((", ")))" },
        [SKETCH_ERROR] = { "(((", ")))" },
    };
    const struct sketch_node *node = &shown->node[index];
    buf_printf(out, "  n%u%s", index, shapes[node->kind].open);
    mermaid_text(out, node_label(node, arena));
    buf_printf(out, "%s\n", shapes[node->kind].close);
}

/* As draw_dot_nodes(). */
static void draw_mermaid_nodes(const struct sketch *shown, uint32_t zone, struct arena *arena,
                               struct buf *out)
{
    for (uint32_t i = 0; i < shown->node_count; i++) {
        if (shown->node[i].zone != zone) continue;
        if (shown->node[i].is_zone) {
            buf_printf(out, "  subgraph z%u [", i);
            mermaid_text(out, draw_title(&shown->node[i], arena));
            buf_add_str(out, STR("]\n"));
        }
        draw_mermaid_node(shown, i, arena, out);
        if (!shown->node[i].is_zone) continue;
        draw_mermaid_nodes(shown, i, arena, out);
        buf_add_str(out, STR("  end\n"));
    }
}

static void draw_mermaid(const struct sketch *shown, struct arena *arena, struct buf *out)
{
    buf_add_str(out, STR("flowchart TD\n"));
    draw_mermaid_nodes(shown, NODE_NONE, arena, out);
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct sketch_arrow *arrow = &shown->arrow[i];
        buf_printf(out, "  n%u %s", arrow->from, arrow->timer || arrow->error ? "-.->" : "-->");
        if (arrow->label.n) {
            buf_add_char(out, '|');
            mermaid_text(out, arrow->label);
            buf_add_char(out, '|');
        }
        buf_printf(out, " n%u\n", arrow->to);
    }
}

void draw_picture(const struct sketch *sketch, enum picture picture, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    switch (picture) {
    case PICTURE_SVG: draw_svg(sketch, &scratch, out); break;
    case PICTURE_DOT: draw_dot(sketch, &scratch, out); break;
    case PICTURE_MERMAID: draw_mermaid(sketch, &scratch, out); break;
    case PICTURE_JSON: draw_json(sketch, &scratch, out); break;
    }
    arena_done(&scratch);
}

void program_draw(const struct program *program, enum picture picture, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    const struct sketch sketch = program_sketch(program, &scratch);
    draw_picture(&sketch, picture, out);
    arena_done(&scratch);
}
