/* base/read.c — reads varints and texts, and never beyond the end. */
#include "base/read.h"

/* Returns where the varint ends; NULL: it has no end or, if it must be exact, more than 64 bits. */
static const char *varint_end(const char *p, const char *end, bool exact, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
        unsigned char byte = (unsigned char)*p++;
        if (exact && shift == 63 && byte > 1) return NULL;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *ret_value = value;
        return p;
    }
    return NULL;
}

uint64_t read_long_varint(struct reader *reader)
{
    uint64_t value = 0;
    const char *end = reader->bad ? NULL : varint_end(reader->p, reader->end, true, &value);
    if (end) reader->p = end;
    else reader->bad = true;
    return value;
}

bool read_wire_varint(str *bytes, uint64_t *ret_value)
{
    const char *end = bytes->n ? varint_end(bytes->p, bytes->p + bytes->n, false, ret_value) : NULL;
    if (end) *bytes = str_slice(*bytes, (size_t)(end - bytes->p), bytes->n);
    return end != NULL;
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
