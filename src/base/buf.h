/* base/buf.h — bytes that grow at the end.
 *
 * With an arena the bytes live in it, and old copies may stay there until it is freed;
 * without one they are on the heap and buf_done() frees them. base/read.h reads back what
 * buf_add_varint() and buf_add_text() wrote.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/arena.h"

struct buf {
    struct arena *arena; /* NULL: heap. */
    char *p;
    size_t n;
    size_t cap;
};

static inline void buf_init(struct buf *buf, struct arena *arena) { *buf = (struct buf){ .arena = arena }; }

/* Frees heap bytes; does nothing for an arena's. */
void buf_done(struct buf *buf);

/* For buf_reserve() only: moves the bytes to where there is more room. */
char *buf_grow(struct buf *buf, size_t more);

/* Makes room for `more` bytes behind the end and returns where they go; never NULL. */
static inline char *buf_reserve(struct buf *buf, size_t more)
{
    if (__builtin_expect(buf->cap - buf->n < more || (!more && !buf->p), 0)) return buf_grow(buf, more);
    return buf->p + buf->n;
}

static inline void buf_add(struct buf *buf, const void *bytes, size_t n)
{
    if (!n) return;
    memcpy(buf_reserve(buf, n), bytes, n);
    buf->n += n;
}

static inline void buf_add_str(struct buf *buf, str text) { buf_add(buf, text.p, text.n); }
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *buf, const char *format, ...);

static inline void buf_add_char(struct buf *buf, char c)
{
    *buf_reserve(buf, 1) = c;
    buf->n++;
}

void buf_add_long_varint(struct buf *buf, uint64_t value);

/* Little-endian base-128: 1 byte up to 127, at most 10. */
static inline void buf_add_varint(struct buf *buf, uint64_t value)
{
    if (value < 0x80) buf_add_char(buf, (char)value);
    else buf_add_long_varint(buf, value);
}

static inline str buf_str(const struct buf *buf) { return (str){ buf->p, buf->n }; }

/* A varint length, then the bytes. */
void buf_add_text(struct buf *buf, str text);

#endif
