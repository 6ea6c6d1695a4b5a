#include "base/read.h"

uint64_t read_long_varint(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && reader->p < reader->end && !reader->bad; shift += 7) {
        unsigned char byte = (unsigned char)*reader->p++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    reader->bad = true;
    return 0;
}

uint32_t read_varint32(struct reader *reader)
{
    uint64_t value = read_varint(reader);
    if (value <= UINT32_MAX) return (uint32_t)value;
    reader->bad = true;
    return 0;
}

str read_bytes(struct reader *reader, size_t n)
{
    if (reader->bad || (size_t)(reader->end - reader->p) < n) {
        reader->bad = true;
        return STR_NONE;
    }
    str bytes = { reader->p, n };
    reader->p += n;
    return bytes;
}

str read_text(struct reader *reader)
{
    uint64_t n = read_varint(reader);
    return read_bytes(reader, n);
}
