/* base/buf.c — appends formatted text, varints and texts with their lengths to a buffer. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_done(struct buf *buf)
{
    if (!buf->arena) free(buf->p);
    buf_init(buf, buf->arena);
}

char *buf_grow(struct buf *buf, size_t more)
{
    size_t want = buf->cap ? buf->cap * 2 : 64;
    must(more <= SIZE_MAX / 2 - buf->n);
    if (want < buf->n + more) want = buf->n + more;
    if (!buf->arena) {
        char *p = realloc(buf->p, want);
        must(p);
        buf->p = p;
    } else if (!buf->p || !arena_extend(buf->arena, buf->p, buf->cap, want)) {
        char *p = arena_alloc(buf->arena, want);
        if (buf->n) memcpy(p, buf->p, buf->n);
        buf->p = p;
    }
    buf->cap = want;
    return buf->p + buf->n;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = buf->cap - buf->n;
    int n = vsnprintf(buf->p ? buf->p + buf->n : NULL, buf->p ? room : 0, format, args);
    va_end(args);
    must(n >= 0);
    if (!buf->p || (size_t)n >= room) {
        buf_reserve(buf, (size_t)n + 1);
        vsnprintf(buf->p + buf->n, (size_t)n + 1, format, again);
    }
    va_end(again);
    buf->n += (size_t)n;
}

void buf_add_long_varint(struct buf *buf, uint64_t value)
{
    char *p = buf_reserve(buf, 10);
    size_t n = 0;
    while (value >= 0x80) {
        p[n++] = (char)(value | 0x80);
        value >>= 7;
    }
    p[n++] = (char)value;
    buf->n += n;
}

void buf_add_text(struct buf *buf, str text)
{
    buf_add_varint(buf, text.n);
    buf_add_str(buf, text);
}
