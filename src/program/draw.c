/* program/draw.c — a program as a picture: what goes into it, and the formats that leave
 * the layout to somebody else. */
#include "program/draw_int.h"

#include "base/datetime.h"

enum { LABEL_CHARACTERS_MAX = 44, LABEL_LINES_MAX = 4, TITLE_CHARACTERS_MAX = 34, CAPTION_CHARACTERS_MAX = 44 };

/* ---- texts ---- */

str draw_cut(str text, size_t characters, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    size_t count = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char byte = (unsigned char)text.p[i];
        bool starts = (byte & 0xc0) != 0x80;
        if (starts && ++count > characters) {
            do
                out.n--;
            while (out.n && ((unsigned char)out.p[out.n] & 0xc0) == 0x80);
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

str draw_caption(const struct program_node *node, struct arena *arena)
{
    str detail = STR("");
    if (node->kind == NODE_TASK)
        detail = node->as.task.job_type;
    else if (node->kind == NODE_WAIT)
        detail = node->as.wait.label;
    else if (node->kind == NODE_TABLE)
        detail = arena_printf(arena, "%zu rules, %s", node->as.table.rule_count,
                              hit_policy_code(node->as.table.policy));
    str text = detail.n ? arena_printf(arena, "%.*s · %.*s", STR_ARG(node->type), STR_ARG(detail)) : node->type;
    return draw_cut(text, CAPTION_CHARACTERS_MAX, arena);
}

/* ---- arrows ---- */

static struct arrow *find_arrow(const struct arrows *arrows, size_t from, const struct arrow *like)
{
    for (size_t i = from; i < arrows->count; i++) {
        struct arrow *arrow = &arrows->arrow[i];
        if (arrow->to == like->to && arrow->timer == like->timer && arrow->interrupting == like->interrupting)
            return arrow;
    }
    return NULL;
}

/* `first` is the first arrow of the same node. */
static void add_arrow(struct arrows *arrows, size_t first, struct arrow arrow, struct arena *arena)
{
    arrow.label_lines = arrow.label.n > 0;
    struct arrow *same = find_arrow(arrows, first, &arrow);
    if (!same) {
        arrows->arrow[arrows->count++] = arrow;
        return;
    }
    /* Unconditional once is unconditional, except that a fork may go twice: say nothing. */
    if (!same->label.n || !arrow.label.n || same->label_lines > LABEL_LINES_MAX) return;
    bool last = same->label_lines == LABEL_LINES_MAX;
    same->label = arena_printf(arena, "%.*s\n%.*s", STR_ARG(same->label), STR_ARG(last ? STR("…") : arrow.label));
    same->label_lines++;
}

static str timer_label(const struct program_timer *timer, struct arena *arena)
{
    char text[64];
    duration_print(timer->delay_ms, text, sizeof text);
    return arena_printf(arena, "after %s%s", text, timer->interrupting ? ", interrupting" : "");
}

struct arrows draw_arrows(const struct program *program, struct arena *arena)
{
    size_t most = 0;
    for (size_t i = 0; i < program->node_count; i++) most += program->node[i].edge_count + program->node[i].timer_count;
    struct arrows arrows = { .arrow = arena_make_n(arena, struct arrow, most) };
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        size_t first = arrows.count;
        for (size_t k = 0; k < node->edge_count; k++) {
            str when = node->edge[k].when ? expr_text(node->edge[k].when) : STR("");
            struct arrow arrow = {
                .from = i, .to = node->edge[k].target, .label = draw_cut(when, LABEL_CHARACTERS_MAX, arena),
            };
            add_arrow(&arrows, first, arrow, arena);
        }
        for (size_t k = 0; k < node->timer_count; k++) {
            const struct program_timer *timer = &node->timer[k];
            struct arrow arrow = {
                .from = i, .to = timer->target, .timer = true, .interrupting = timer->interrupting,
                .label = timer_label(timer, arena),
            };
            add_arrow(&arrows, first, arrow, arena);
        }
    }
    return arrows;
}

/* ---- dot ---- */

static void dot_text(struct buf *out, str text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\') buf_add_char(out, '\\');
        if (text.p[i] == '\n')
            buf_add_str(out, STR("\\n"));
        else
            buf_add_char(out, text.p[i]);
    }
    buf_add_char(out, '"');
}

static void draw_dot(const struct program *program, struct arena *arena, struct buf *out)
{
    static const char *const shapes[NODE_KIND_COUNT] = {
        [NODE_TASK] = "box\", style=\"rounded", [NODE_WAIT] = "oval", [NODE_CHOOSE] = "diamond",
        [NODE_TABLE] = "tab",                   [NODE_SET] = "box",   [NODE_FORK] = "trapezium",
        [NODE_JOIN] = "invtrapezium",           [NODE_END] = "doublecircle",
    };
    buf_add_str(out, STR("digraph "));
    dot_text(out, program->id);
    buf_add_str(out, STR(" {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"));
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        str label = arena_printf(arena, "%.*s\n%.*s", STR_ARG(draw_title(node, arena)),
                                 STR_ARG(draw_caption(node, arena)));
        buf_printf(out, "  n%zu [shape=\"%s\", label=", i, shapes[node->kind]);
        dot_text(out, label);
        buf_add_str(out, i == program->start ? STR(", penwidth=2];\n") : STR("];\n"));
    }
    struct arrows arrows = draw_arrows(program, arena);
    for (size_t i = 0; i < arrows.count; i++) {
        const struct arrow *arrow = &arrows.arrow[i];
        buf_printf(out, "  n%u -> n%u", arrow->from, arrow->to);
        if (arrow->label.n) {
            buf_add_str(out, STR(" [label="));
            dot_text(out, arrow->label);
            buf_add_str(out, arrow->timer ? STR(", style=\"dashed\"]") : STR("]"));
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
        if (c == '\n')
            buf_add_str(out, STR("<br/>"));
        else if (strchr("\"#<>&;`\\{}|", c))
            buf_printf(out, "#%d;", c);
        else
            buf_add_char(out, c);
    }
    buf_add_char(out, '"');
}

static void draw_mermaid(const struct program *program, struct arena *arena, struct buf *out)
{
    static const struct { const char *open, *close; } shapes[NODE_KIND_COUNT] = {
        [NODE_TASK] = { "(", ")" },     [NODE_WAIT] = { "([", "])" },   [NODE_CHOOSE] = { "{{", "}}" },
        [NODE_TABLE] = { "[[", "]]" },  [NODE_SET] = { "[", "]" },      [NODE_FORK] = { "[/", "\\]" },
        [NODE_JOIN] = { "[\\", "/]" },  [NODE_END] = { "(((", ")))" },
    };
    buf_add_str(out, STR("flowchart TD\n"));
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        str label = arena_printf(arena, "%.*s\n%.*s", STR_ARG(draw_title(node, arena)),
                                 STR_ARG(draw_caption(node, arena)));
        buf_printf(out, "  n%zu%s", i, shapes[node->kind].open);
        mermaid_text(out, label);
        buf_printf(out, "%s\n", shapes[node->kind].close);
    }
    struct arrows arrows = draw_arrows(program, arena);
    for (size_t i = 0; i < arrows.count; i++) {
        const struct arrow *arrow = &arrows.arrow[i];
        buf_printf(out, "  n%u %s", arrow->from, arrow->timer ? "-.->" : "-->");
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
    switch (picture) {
    case PICTURE_SVG: draw_svg(program, &scratch, out); break;
    case PICTURE_DOT: draw_dot(program, &scratch, out); break;
    case PICTURE_MERMAID: draw_mermaid(program, &scratch, out); break;
    }
    arena_done(&scratch);
}
