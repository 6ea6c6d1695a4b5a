/* api/grpc/message.c — checks and unpacks the bytes of messages, within bounds, and packs messages. */
#include "api/grpc/message_int.h"

#include "base/hash.h"
#include "base/must.h"
#include "base/read.h"
#include "base/utf8.h"

/* ---- memory ---- */

static void *take_memory(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }

static void leave_memory(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

ProtobufCAllocator message_allocator(struct arena *arena)
{
    return (ProtobufCAllocator){ take_memory, leave_memory, arena };
}

/* ---- walking ---- */

enum { WIRE_VARINT = 0, WIRE_EIGHT = 1, WIRE_TEXT = 2, WIRE_FOUR = 5 };

/* The memory that protobuf-c allocates for a field while it unpacks, beside the bytes of the field. */
enum { FIELD_COST = 64 };

/* A message that the walk is in. */
struct message_frame {
    const ProtobufCMessageDescriptor *type;
    const char *end;
    uint32_t tag;  /* The tag of the field that holds it. */
    bool is_entry; /* It is an entry of a map. */
    uint64_t seen; /* Messages that may be there once, by their place in the type. */
    /* The hash of what has been read: entries of maps in any order, all else in order. */
    uint64_t ordered, unordered;
};

struct message_walk {
    const char *at;
    size_t memory;
    size_t depth;
    struct error *err;
    struct message_frame frame[MESSAGE_DEPTH_MAX];
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) ^ b;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static enum status malformed(const struct message_walk *walk)
{
    return fail(walk->err, ST_INVALID, "", "the bytes are not a message of type %s",
                walk->frame[0].type->name);
}

static bool take_varint(struct message_walk *walk, const char *end, uint64_t *ret_value)
{
    str rest = { walk->at, (size_t)(end - walk->at) };
    bool is_there = read_wire_varint(&rest, ret_value);
    walk->at = rest.p;
    return is_there;
}

static void add_hash(struct message_frame *frame, uint32_t tag, uint64_t value)
{
    frame->ordered = mixed(frame->ordered, mixed(tag, value));
}

static bool is_map_entry(const ProtobufCFieldDescriptor *field, const ProtobufCMessageDescriptor *type)
{
    return field->label == PROTOBUF_C_LABEL_REPEATED && type->n_fields == 2 &&
           str_ends(str_of(type->short_name), STR("Entry"));
}

static enum status enter(struct message_walk *walk, const ProtobufCFieldDescriptor *field, uint32_t tag,
                         size_t length)
{
    struct message_frame *outer = &walk->frame[walk->depth - 1];
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        size_t place = (size_t)(field - outer->type->fields);
        must(place < 64);
        if (outer->seen >> place & 1)
            return fail(walk->err, ST_INVALID, field->name, "%s is there more than once", field->name);
        outer->seen |= UINT64_C(1) << place;
    }
    if (walk->depth == MESSAGE_DEPTH_MAX)
        return fail(walk->err, ST_LIMIT, "", "more than %d messages inside each other (MESSAGE_DEPTH_MAX)",
                    MESSAGE_DEPTH_MAX);
    const ProtobufCMessageDescriptor *type = field->descriptor;
    walk->memory += type->sizeof_message + sizeof(void *);
    walk->frame[walk->depth++] = (struct message_frame){
        .type = type, .end = walk->at + length, .tag = tag, .is_entry = is_map_entry(field, type)
    };
    return ST_OK;
}

static void leave(struct message_walk *walk)
{
    const struct message_frame *frame = &walk->frame[--walk->depth];
    struct message_frame *outer = &walk->frame[walk->depth - 1];
    uint64_t hash = mixed(frame->ordered, frame->unordered);
    if (frame->is_entry) outer->unordered += mixed(frame->tag, hash);
    else add_hash(outer, frame->tag, hash);
}

static enum status take_text(struct message_walk *walk, const ProtobufCFieldDescriptor *field, uint32_t tag,
                             size_t length)
{
    struct message_frame *frame = &walk->frame[walk->depth - 1];
    str text = { walk->at, length };
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) return enter(walk, field, tag, length);
    if (field && field->type == PROTOBUF_C_TYPE_STRING) {
        if (!utf8_is_valid(text))
            return fail(walk->err, ST_INVALID, field->name, "%s is not in UTF-8", field->name);
        if (memchr(text.p, '\0', text.n))
            return fail(walk->err, ST_INVALID, field->name, "%s has a NUL character in it", field->name);
    }
    walk->memory += length;
    walk->at += length;
    add_hash(frame, tag, hash_bytes(text));
    return ST_OK;
}

static enum status take_field(struct message_walk *walk)
{
    struct message_frame *frame = &walk->frame[walk->depth - 1];
    uint64_t tag, value = 0;
    if (!take_varint(walk, frame->end, &tag) || tag > UINT32_MAX || tag < 8) return malformed(walk);
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(frame->type, (unsigned)(tag >> 3));
    size_t left = (size_t)(frame->end - walk->at), fixed = (tag & 7) == WIRE_EIGHT ? 8 : 4;
    walk->memory += FIELD_COST;
    switch (tag & 7) {
    case WIRE_VARINT:
        if (!take_varint(walk, frame->end, &value)) return malformed(walk);
        break;
    case WIRE_EIGHT:
    case WIRE_FOUR:
        if (left < fixed) return malformed(walk);
        memcpy(&value, walk->at, fixed);
        walk->at += fixed;
        break;
    case WIRE_TEXT:
        if (!take_varint(walk, frame->end, &value) || value > (uint64_t)(frame->end - walk->at))
            return malformed(walk);
        return take_text(walk, field, (uint32_t)tag, (size_t)value);
    default: return malformed(walk);
    }
    add_hash(frame, (uint32_t)tag, value);
    return ST_OK;
}

enum status message_check(const ProtobufCMessageDescriptor *type, str bytes, uint64_t *ret_hash,
                          struct error *err)
{
    struct message_walk walk;
    walk.at = bytes.n ? bytes.p : "";
    walk.memory = bytes.n;
    walk.depth = 1;
    walk.err = err;
    walk.frame[0] = (struct message_frame){ .type = type, .end = walk.at + bytes.n };
    for (;;) {
        if (walk.at < walk.frame[walk.depth - 1].end) TRY(take_field(&walk));
        else if (walk.depth > 1) leave(&walk);
        else break;
        if (walk.memory > MESSAGE_MEMORY_MAX)
            return fail(err, ST_LIMIT, "",
                        "the message has too many parts: it would take more than %d MiB (MESSAGE_MEMORY_MAX)",
                        MESSAGE_MEMORY_MAX >> 20);
    }
    if (ret_hash) *ret_hash = mixed(walk.frame[0].ordered, walk.frame[0].unordered);
    return ST_OK;
}

/* ---- unpacking and packing ---- */

enum status message_unpack(const ProtobufCMessageDescriptor *type, str bytes, struct arena *arena,
                           ProtobufCMessage **ret_message, struct error *err)
{
    TRY(message_check(type, bytes, NULL, err));
    ProtobufCAllocator allocator = message_allocator(arena);
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, &allocator, bytes.n, (const uint8_t *)bytes.p);
    if (!message) return fail(err, ST_INVALID, "", "the bytes are not a message of type %s", type->name);
    *ret_message = message;
    return ST_OK;
}

void message_pack(const ProtobufCMessage *message, struct buf *out)
{
    size_t bytes = protobuf_c_message_get_packed_size(message);
    if (!bytes) return;
    size_t packed = protobuf_c_message_pack(message, (uint8_t *)buf_reserve(out, bytes));
    must(packed == bytes);
    out->n += bytes;
}

void message_pack_part(uint32_t number, const ProtobufCMessage *part, struct buf *out)
{
    buf_add_varint(out, (uint64_t)number << 3 | WIRE_TEXT);
    buf_add_varint(out, protobuf_c_message_get_packed_size(part));
    message_pack(part, out);
}

void message_pack_number(uint32_t number, uint64_t value, struct buf *out)
{
    if (!value) return;
    buf_add_varint(out, (uint64_t)number << 3 | WIRE_VARINT);
    buf_add_varint(out, value);
}

/* ---- texts ---- */

char *message_text(struct arena *arena, str text)
{
    static const char instead[] = "\xef\xbf\xbd";
    size_t nuls = 0;
    for (size_t i = 0; i < text.n; i++) nuls += text.p[i] == '\0';
    char *copy = arena_alloc(arena, text.n + 2 * nuls + 1), *to = copy;
    for (size_t i = 0; i < text.n && nuls; i++) {
        if (text.p[i]) *to++ = text.p[i];
        else to = (char *)memcpy(to, instead, 3) + 3;
    }
    if (!nuls && text.n) to = (char *)memcpy(to, text.p, text.n) + text.n;
    *to = '\0';
    return copy;
}
