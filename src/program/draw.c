/* program/draw.c — a program as a picture: the texts in it, and the formats that leave the
 * layout to somebody else. */
#include "program/draw_int.h"

#include "base/datetime.h"
#include "base/duration.h"
#include "base/utf8.h"

enum { TITLE_CHARACTERS_MAX = 34, CAPTION_CHARACTERS_MAX = 44 };

/* ---- texts ---- */

str draw_cut(str text, size_t characters, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    size_t count = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char byte = (unsigned char)text.p[i];
        bool starts = utf8_begins(text.p[i]);
        if (starts && ++count > characters) {
            do out.n--;
            while (out.n && !utf8_begins(out.p[out.n]));
            buf_add_str(&out, STR("…"));
            break;
        }
        buf_add_char(&out, byte < ' ' ? ' ' : text.p[i]);
    }
    return buf_str(&out);
}

str draw_title(const struct program_node *node, struct arena *arena)
{
    return draw_cut(node->title.n ? node->title : node->name, TITLE_CHARACTERS_MAX, arena);
}

static str time_detail(const struct program_node *node, struct arena *arena)
{
    char text[64];
    if (!node->timer_count) return STR("");
    if (node->timer[0].at_ms) datetime_print_seconds(node->timer[0].at_ms, text);
    else duration_print(node->timer[0].delay_ms, text, sizeof text);
    return arena_printf(arena, "%s", text);
}

str draw_caption(const struct program_node *node, struct arena *arena)
{
    str detail = STR("");
    if (node->kind == NODE_TASK) detail = node->as.task.job_type;
    else if (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TIME)
        detail = time_detail(node, arena);
    else if (node->kind == NODE_WAIT) detail = node->as.wait.label;
    else if (node->kind == NODE_TABLE)
        detail = arena_printf(arena, "%zu rules, %s", node->as.table.rule_count,
                              hit_policy_code(node->as.table.policy));
    str text =
        detail.n ? arena_printf(arena, "%.*s · %.*s", STR_ARG(node->type), STR_ARG(detail)) : node->type;
    return draw_cut(text, CAPTION_CHARACTERS_MAX, arena);
}

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
