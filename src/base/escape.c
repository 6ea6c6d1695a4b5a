/* base/escape.c — escapes text for URLs and HTML, and checks hosts and schemes. */
#include "base/escape.h"

#include "base/ascii.h"

#include <string.h>

/* True of letters, digits and `others`. */
static bool is_plain(char c, const char *others)
{
    return ascii_is_alphanumeric(c) || (c && strchr(others, c));
}

static bool has_only(str text, const char *others)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_plain(text.p[i], others)) return false;
    return true;
}

void escape_byte(struct buf *out, unsigned char c) { buf_printf(out, "%%%02X", c); }

void escape_url(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (is_plain(text.p[i], "-._~")) buf_add_char(out, text.p[i]);
        else escape_byte(out, (unsigned char)text.p[i]);
    }
}

void escape_html(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) switch (text.p[i]) {
        case '&': buf_add_str(out, STR("&amp;")); break;
        case '<': buf_add_str(out, STR("&lt;")); break;
        case '>': buf_add_str(out, STR("&gt;")); break;
        case '"': buf_add_str(out, STR("&quot;")); break;
        case '\'': buf_add_str(out, STR("&#39;")); break;
        default: buf_add_char(out, text.p[i]);
        }
}

bool escape_is_dots(str segment) { return str_equal(segment, STR(".")) || str_equal(segment, STR("..")); }

bool escape_is_host(str text) { return has_only(text, "-._~:[]"); }

bool escape_is_scheme(str text) { return has_only(text, "+-."); }
