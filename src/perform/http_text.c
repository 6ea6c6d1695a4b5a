/* perform/http_text.c — percent-encoding for URLs and headers. */
#include "perform/http_function_int.h"

#include "base/ascii.h"

void http_add_percent(struct buf *out, unsigned char c) { buf_printf(out, "%%%02X", c); }

static bool is_unreserved(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void http_add_encoded(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (is_unreserved(text.p[i])) buf_add_char(out, text.p[i]);
        else http_add_percent(out, (unsigned char)text.p[i]);
    }
}

str http_header_text(struct arena *arena, str text)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c > ' ' && c < 0x7f && c != '"' && c != '%') buf_add_char(&out, (char)c);
        else http_add_percent(&out, c);
    }
    return buf_str(&out);
}
