/* source/protobuf_int.h — shared by the protobuf*.c files. */
#ifndef SOURCE_PROTOBUF_INT_H
#define SOURCE_PROTOBUF_INT_H

#include "source/limits.h"
#include "source/protobuf.h"

/* ---- the wire (protobuf_wire.c) ---- */

enum protobuf_wire {
    PROTOBUF_VARINT = 0,
    PROTOBUF_64 = 1,
    PROTOBUF_BYTES = 2,
    PROTOBUF_GROUP = 3,
    PROTOBUF_GROUP_END = 4,
    PROTOBUF_32 = 5,
};

/* One field as it is sent. */
struct protobuf_item {
    uint32_t number;
    enum protobuf_wire wire;
    uint64_t value; /* VARINT, 64, 32 */
    str bytes;      /* BYTES; a group with its end. */
};

/* The number in the first 4 or 8 bytes. */
bool protobuf_take_fixed(str *rest, size_t bytes, uint64_t *ret_value);
/* False: the end if nothing is left, else damage. */
bool protobuf_next(str *rest, struct protobuf_item *ret_item);

/* ---- types (protobuf_schema.c) ---- */

/* The numbers are those of FieldDescriptorProto.Type. */
enum protobuf_kind {
    PROTOBUF_KIND_DOUBLE = 1,
    PROTOBUF_KIND_FLOAT,
    PROTOBUF_KIND_INT64,
    PROTOBUF_KIND_UINT64,
    PROTOBUF_KIND_INT32,
    PROTOBUF_KIND_FIXED64,
    PROTOBUF_KIND_FIXED32,
    PROTOBUF_KIND_BOOL,
    PROTOBUF_KIND_STRING,
    PROTOBUF_KIND_GROUP,
    PROTOBUF_KIND_MESSAGE,
    PROTOBUF_KIND_BYTES,
    PROTOBUF_KIND_UINT32,
    PROTOBUF_KIND_ENUM,
    PROTOBUF_KIND_SFIXED32,
    PROTOBUF_KIND_SFIXED64,
    PROTOBUF_KIND_SINT32,
    PROTOBUF_KIND_SINT64,
    PROTOBUF_KIND_LAST = PROTOBUF_KIND_SINT64,
};

struct protobuf_enum_value {
    int32_t number;
    str name;
};

struct protobuf_field {
    uint32_t number;
    str name; /* In JSON. */
    enum protobuf_kind kind;
    bool is_repeated;
    bool has_presence;
    str type_name;                           /* MESSAGE, ENUM: its full name, with a dot before it. */
    const struct protobuf_type *message;     /* MESSAGE */
    const struct protobuf_enum_value *value; /* ENUM, in the author's order. */
    size_t value_count;
};

struct protobuf_type {
    str name; /* With a dot before it. */
    str bytes;
    bool is_proto3;
    bool is_map_entry;
    bool is_read;                 /* Its fields are there. */
    struct protobuf_field *field; /* By number. */
    size_t field_count;
};

enum protobuf_wire protobuf_schema_wire(enum protobuf_kind kind);

#endif
