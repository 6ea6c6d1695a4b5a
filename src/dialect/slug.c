/* dialect/slug.c — makes an id of a name: a dash takes the place of characters that ids should not have. */
#include "dialect/slug.h"

#include "base/ascii.h"
#include "base/buf.h"

static bool is_kept(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

str slug_of(str name, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    bool gap = false;
    for (size_t i = 0; i < name.n; i++) {
        if (is_kept(name.p[i])) {
            if (gap && out.n) buf_add_char(&out, '-');
            buf_add_char(&out, name.p[i]);
        }
        gap = !is_kept(name.p[i]);
    }
    return buf_str(&out);
}
