/* telemetry/wire.c — fields of Protocol Buffers. */
#include "telemetry/wire_int.h"

#include <string.h>

enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

enum { VARINT_ROOM = 10 };

static char *write_varint(char *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *p++ = (char)(value | 0x80);
    *p++ = (char)value;
    return p;
}

static char *write_key(char *p, uint32_t field, enum wire wire)
{
    return write_varint(p, (uint64_t)field << 3 | wire);
}

static char *write_bytes(char *p, uint32_t field, str bytes)
{
    p = write_varint(write_key(p, field, WIRE_BYTES), bytes.n);
    if (bytes.n) memcpy(p, bytes.p, bytes.n);
    return p + bytes.n;
}

/* Ends what was written behind the end of `out`, where there was room for it. */
static void written(struct buf *out, const char *end) { out->n = (size_t)(end - out->p); }

static void put_key(struct buf *out, uint32_t field, enum wire wire)
{
    buf_add_varint(out, (uint64_t)field << 3 | wire);
}

void wire_put_bytes(struct buf *out, uint32_t field, str bytes)
{
    written(out, write_bytes(buf_reserve(out, 2 * VARINT_ROOM + bytes.n), field, bytes));
}

void wire_put_varint(struct buf *out, uint32_t field, uint64_t value)
{
    put_key(out, field, WIRE_VARINT);
    buf_add_varint(out, value);
}

/* The engine runs on machines whose byte order is that of the wire (json/json_int.h refuses others). */
void wire_put_eight(struct buf *out, uint64_t value) { buf_add(out, &value, sizeof value); }

void wire_put_fixed64(struct buf *out, uint32_t field, uint64_t value)
{
    put_key(out, field, WIRE_FIXED64);
    wire_put_eight(out, value);
}

void wire_put_double(struct buf *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_fixed64(out, field, bits);
}

void wire_put_time(struct buf *out, uint32_t field, int64_t ms)
{
    wire_put_fixed64(out, field, (uint64_t)ms * 1000000);
}

static size_t varint_bytes(uint64_t value)
{
    size_t n = 1;
    while (value >>= 7) n++;
    return n;
}

/* KeyValue { 1: key, 2: AnyValue { 1: string, 3: int } }, whose lengths are known before they are written. */
void wire_put_attribute(struct buf *out, uint32_t field, const struct telemetry_attribute *attribute)
{
    str key = str_of(attribute->key), text = attribute->text;
    size_t value = text.p ? 1 + varint_bytes(text.n) + text.n : 1 + varint_bytes((uint64_t)attribute->number);
    size_t whole = 1 + varint_bytes(key.n) + key.n + 1 + varint_bytes(value) + value;
    char *p = buf_reserve(out, 2 * VARINT_ROOM + whole);
    p = write_varint(write_key(p, field, WIRE_BYTES), whole);
    p = write_bytes(p, 1, key);
    p = write_varint(write_key(p, 2, WIRE_BYTES), value);
    if (text.p) p = write_bytes(p, 1, text);
    else p = write_varint(write_key(p, 3, WIRE_VARINT), (uint64_t)attribute->number);
    written(out, p);
}

void wire_put_message(struct buf *out, const struct telemetry_resource *resource, str items)
{
    struct buf who, scope, of_resource;
    buf_init(&who, NULL);
    buf_init(&scope, NULL);
    buf_init(&of_resource, NULL);
    for (size_t i = 0; i < resource->attribute_count; i++)
        wire_put_attribute(&who, 1, &resource->attribute[i]);
    wire_put_bytes(&of_resource, 1, buf_str(&who));
    who.n = 0;
    wire_put_bytes(&who, 1, STR("pawl"));
    wire_put_bytes(&who, 2, resource->version);
    wire_put_bytes(&scope, 1, buf_str(&who));
    buf_add_str(&scope, items);
    wire_put_bytes(&of_resource, 2, buf_str(&scope));
    wire_put_bytes(out, 1, buf_str(&of_resource));
    buf_done(&of_resource);
    buf_done(&scope);
    buf_done(&who);
}
