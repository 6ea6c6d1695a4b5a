/* program/draw/text.c — the texts of a picture, and how wide they are. */
#include "program/draw/draw_int.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "program/limits.h"

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

str draw_title(const struct sketch_node *node, struct arena *arena)
{
    return draw_cut(node->title.n ? node->title : node->id, DRAW_TITLE_CHARACTERS_MAX, arena);
}

str draw_caption(const struct sketch_node *node, struct arena *arena)
{
    str detail = node->detail;
    if (str_equal(detail, node->type) || str_equal(detail, node->title)) detail = STR(""); /* Said already. */
    str text = node->caption;
    if (!text.n)
        text =
            detail.n ? arena_printf(arena, "%.*s · %.*s", STR_ARG(node->type), STR_ARG(detail)) : node->type;
    return draw_cut(text, DRAW_CAPTION_CHARACTERS_MAX, arena);
}

double draw_text_width(str text, double size)
{
    /* A wide sans-serif is assumed, so that any other one fits, too. */
    double ems = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (!utf8_begins((char)c)) continue;
        if (c >= 0xe3) ems += 1.05;
        else if (ascii_is_upper(c)) ems += c == 'I' || c == 'J' ? 0.36 : 0.7;
        else if (strchr("ijl.,:;'|!()[] ft-", (int)c)) ems += 0.37;
        else if (strchr("mw%@<>=+", (int)c)) ems += 0.88;
        else ems += 0.62;
    }
    return ems * size;
}

double draw_label_width(const struct sketch_arrow *arrow)
{
    double widest = 0;
    str text = arrow->label;
    while (text.n) {
        size_t end = str_find(text, STR("\n"), 0);
        double width = draw_text_width(str_slice(text, 0, end), DRAW_LABEL_SIZE);
        if (width > widest) widest = width;
        text = end == SIZE_MAX ? STR("") : str_slice(text, end + 1, text.n);
    }
    return widest + 14;
}
