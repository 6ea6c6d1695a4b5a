/* program/draw.c — a program as a picture, in formats that leave the layout to other tools. */
#include "program/draw_int.h"

static str node_label(const struct program_node *node, struct arena *arena)
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

static void draw_dot(const struct shown *shown, struct arena *arena, struct buf *out)
{
    static const char *const shapes[NODE_KIND_COUNT] = {
        [NODE_TASK] = "box\", style=\"rounded",
        [NODE_WAIT] = "oval",
        [NODE_CHOOSE] = "diamond",
        [NODE_TABLE] = "tab",
        [NODE_SET] = "box",
        [NODE_FORK] = "trapezium",
        [NODE_JOIN] = "invtrapezium",
        [NODE_END] = "doublecircle",
        [NODE_SCOPE] = "box3d",
    };
    buf_add_str(out, STR("digraph "));
    dot_text(out, shown->program->id);
    buf_add_str(
        out, STR(" {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"));
    for (size_t i = 0; i < shown->node_count; i++) {
        const struct program_node *node = shown->node[i];
        str label = node_label(node, arena);
        buf_printf(out, "  n%zu [shape=\"%s\", label=", i, shapes[node->kind]);
        dot_text(out, label);
        buf_add_str(out, i == shown->start ? STR(", penwidth=2];\n") : STR("];\n"));
    }
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct arrow *arrow = &shown->arrow[i];
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

static void draw_mermaid(const struct shown *shown, struct arena *arena, struct buf *out)
{
    static const struct {
        const char *open, *close;
    } shapes[NODE_KIND_COUNT] = {
        [NODE_TASK] = { "(", ")" },    [NODE_WAIT] = { "([", "])" },  [NODE_CHOOSE] = { "{{", "}}" },
        [NODE_TABLE] = { "[[", "]]" }, [NODE_SET] = { "[", "]" },     [NODE_FORK] = { "[/", "\\]" },
        [NODE_JOIN] = { "[\\", "/]" }, [NODE_END] = { "(((", ")))" }, [NODE_SCOPE] = { "[[", "]]" },
    };
    buf_add_str(out, STR("flowchart TD\n"));
    for (size_t i = 0; i < shown->node_count; i++) {
        const struct program_node *node = shown->node[i];
        str label = node_label(node, arena);
        buf_printf(out, "  n%zu%s", i, shapes[node->kind].open);
        mermaid_text(out, label);
        buf_printf(out, "%s\n", shapes[node->kind].close);
    }
    for (size_t i = 0; i < shown->arrow_count; i++) {
        const struct arrow *arrow = &shown->arrow[i];
        buf_printf(out, "  n%u %s", arrow->from, arrow->timer || arrow->error ? "-.->" : "-->");
        if (arrow->label.n) {
            buf_add_char(out, '|');
            mermaid_text(out, arrow->label);
            buf_add_char(out, '|');
        }
        buf_printf(out, " n%u\n", arrow->to);
    }
}

void program_draw(const struct program *program, enum picture picture, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    const struct shown shown = draw_shown(program, &scratch);
    switch (picture) {
    case PICTURE_SVG: draw_svg(&shown, &scratch, out); break;
    case PICTURE_DOT: draw_dot(&shown, &scratch, out); break;
    case PICTURE_MERMAID: draw_mermaid(&shown, &scratch, out); break;
    }
    arena_done(&scratch);
}
