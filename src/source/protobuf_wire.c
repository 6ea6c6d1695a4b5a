/* source/protobuf_wire.c — the fields of a message as they are sent. */
#include "source/protobuf_int.h"

#include "base/read.h"

bool protobuf_take_fixed(str *rest, size_t bytes, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (rest->n < bytes) return false;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)(uint8_t)rest->p[i] << (8 * i);
    *rest = str_slice(*rest, bytes, rest->n);
    *ret_value = value;
    return true;
}

static bool take_key(str *rest, struct protobuf_item *item)
{
    uint64_t key;
    if (!read_wire_varint(rest, &key) || key > UINT32_MAX || key < 8) return false;
    item->number = (uint32_t)(key >> 3);
    item->wire = (enum protobuf_wire)(key & 7);
    return true;
}

/* Takes the bytes behind the key, groups aside. */
static bool take_content(str *rest, struct protobuf_item *item)
{
    uint64_t bytes;
    switch (item->wire) {
    case PROTOBUF_VARINT: return read_wire_varint(rest, &item->value);
    case PROTOBUF_64: return protobuf_take_fixed(rest, 8, &item->value);
    case PROTOBUF_32: return protobuf_take_fixed(rest, 4, &item->value);
    case PROTOBUF_BYTES:
        if (!read_wire_varint(rest, &bytes) || bytes > rest->n) return false;
        item->bytes = str_slice(*rest, 0, (size_t)bytes);
        *rest = str_slice(*rest, (size_t)bytes, rest->n);
        return true;
    default: return false;
    }
}

/* Everything up to the group's own end. */
static bool take_group(str *rest, struct protobuf_item *item)
{
    const char *from = rest->p;
    uint32_t open[PROTOBUF_DEPTH_MAX];
    size_t depth = 1;
    open[0] = item->number;
    while (depth) {
        struct protobuf_item inner = { 0 };
        if (!take_key(rest, &inner)) return false;
        if (inner.wire == PROTOBUF_GROUP_END) {
            if (inner.number != open[--depth]) return false;
        } else if (inner.wire == PROTOBUF_GROUP) {
            if (depth == PROTOBUF_DEPTH_MAX) return false;
            open[depth++] = inner.number;
        } else if (!take_content(rest, &inner)) {
            return false;
        }
    }
    item->bytes = (str){ from, (size_t)(rest->p - from) };
    return true;
}

bool protobuf_next(str *rest, struct protobuf_item *ret_item)
{
    str after = *rest;
    *ret_item = (struct protobuf_item){ 0 };
    if (!rest->n || !take_key(&after, ret_item)) return false;
    bool is_sound =
        ret_item->wire == PROTOBUF_GROUP ? take_group(&after, ret_item) : take_content(&after, ret_item);
    if (is_sound) *rest = after;
    return is_sound;
}
