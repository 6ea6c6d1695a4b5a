/* base/read.h — reading back what buf_add_varint() and buf_add_text() wrote.
 *
 * `bad` turns true at the first byte that is missing or malformed, and every later read gives 0 or nothing:
 * check it once at the end.
 */
#ifndef BASE_READ_H
#define BASE_READ_H

#include "base/str.h"

struct reader {
    const char *p;
    const char *end;
    bool bad;
};

uint64_t read_long_varint(struct reader *reader);

static inline uint64_t read_varint(struct reader *reader)
{
    if (reader->p < reader->end && !reader->bad && (unsigned char)*reader->p < 0x80)
        return (unsigned char)*reader->p++;
    return read_long_varint(reader);
}

uint32_t read_varint32(struct reader *reader); /* bad when it does not fit. */
str read_bytes(struct reader *reader, size_t n);
str read_text(struct reader *reader); /* varint length, then bytes. */

/* Takes a varint as Protobuf has it from the beginning of the bytes: at most ten bytes, and bits beyond 64
 * are dropped. False: it has no end, and nothing was taken. */
bool read_wire_varint(str *bytes, uint64_t *ret_value);

#endif
