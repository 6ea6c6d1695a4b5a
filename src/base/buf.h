/* base/buf.h — bytes that grow at the end.
 *
 * With an arena the bytes live in it (and old copies stay there until it is freed);
 * without one they are on the heap and buf_done() frees them.
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

static inline void buf_init(struct buf *buf, struct arena *arena)
{
    *buf = (struct buf){ .arena = arena };
}

/* Frees heap bytes; does nothing for an arena's. */
void buf_done(struct buf *buf);

/* Makes room for `more` bytes behind the end and returns where they go. */
char *buf_reserve(struct buf *buf, size_t more);

void buf_add(struct buf *buf, const void *bytes, size_t n);
void buf_add_str(struct buf *buf, str text);
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *buf, const char *format, ...);

static inline void buf_add_char(struct buf *buf, char c)
{
    if (buf->n == buf->cap) buf_reserve(buf, 1);
    buf->p[buf->n++] = c;
}

/* Little-endian base-128: 1 byte up to 127, at most 10. */
void buf_add_varint(struct buf *buf, uint64_t value);

static inline str buf_str(const struct buf *buf) { return (str){ buf->p, buf->n }; }

/* Reading what buf_add_* wrote. `bad` turns true at the first byte that is missing or
 * malformed, and every later read gives 0: check it once at the end. */
struct reader {
    const char *p;
    const char *end;
    bool bad;
};

uint64_t read_varint(struct reader *reader);
uint32_t read_varint32(struct reader *reader); /* bad when it does not fit. */
str read_bytes(struct reader *reader, size_t n);
str read_text(struct reader *reader); /* varint length, then bytes. */
void buf_add_text(struct buf *buf, str text);

#endif
