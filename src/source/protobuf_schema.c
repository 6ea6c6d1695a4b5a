/* source/protobuf_schema.c — the types that a FileDescriptorSet describes.
 *
 * A descriptor is a message like any other. These fields of it matter:
 *
 *     FileDescriptorSet     1 file
 *     FileDescriptorProto   2 package, 4 message_type, 5 enum_type, 12 syntax
 *     DescriptorProto       1 name, 2 field, 3 nested_type, 4 enum_type, 7 options (7 map_entry)
 *     FieldDescriptorProto  1 name, 3 number, 4 label, 5 type, 6 type_name, 9 oneof_index, 10 json_name,
 *                           17 proto3_optional
 *     EnumDescriptorProto   1 name, 2 value (1 name, 2 number)
 *
 * First all types of the set are listed by their names. Then the fields of the wanted message are read, and
 * of all messages that those lead to.
 */
#include "source/protobuf_int.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/text_map.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { LABEL_REPEATED = 3 };

/* An enum's values are read when the first field wants them: very many fields may have the same one. */
struct schema_enum {
    str bytes; /* The bytes of the descriptor. */
    struct protobuf_enum_value *value;
    size_t count;
};

struct schema_reading {
    struct arena *arena;
    struct text_map messages; /* Full name → struct protobuf_type */
    struct text_map enums;    /* Full name → struct schema_enum */
    size_t count;
    struct protobuf_type **wanted; /* Types whose fields are still to be read. */
    size_t wanted_count, wanted_cap;
    struct error *err;
};

static enum status fail_damaged(struct schema_reading *reading)
{
    return fail(reading->err, ST_INVALID, "schema", "it is no FileDescriptorSet");
}

static str find_bytes(str message, uint32_t number)
{
    struct protobuf_item item;
    while (protobuf_next(&message, &item))
        if (item.number == number && item.wire == PROTOBUF_BYTES) return item.bytes;
    return STR_NONE;
}

static uint64_t find_number(str message, uint32_t number, uint64_t otherwise)
{
    struct protobuf_item item;
    while (protobuf_next(&message, &item))
        if (item.number == number && item.wire == PROTOBUF_VARINT) return item.value;
    return otherwise;
}

static bool has_field(str message, uint32_t number)
{
    struct protobuf_item item;
    while (protobuf_next(&message, &item))
        if (item.number == number) return true;
    return false;
}

/* ---- names ---- */

static enum status list_enum(struct schema_reading *reading, str scope, str bytes)
{
    struct schema_enum *kept = arena_make(reading->arena, struct schema_enum);
    *kept = (struct schema_enum){ .bytes = bytes };
    if (++reading->count > PROTOBUF_TYPES_MAX)
        return fail(reading->err, ST_LIMIT, "schema", "it has more than %d types (PROTOBUF_TYPES_MAX)",
                    PROTOBUF_TYPES_MAX);
    str name = arena_printf(reading->arena, "%.*s.%.*s", STR_ARG(scope), STR_ARG(find_bytes(bytes, 1)));
    text_map_put(&reading->enums, name, kept);
    return ST_OK;
}

static enum status list_message(struct schema_reading *reading, str scope, str bytes, bool is_proto3,
                                int depth)
{
    struct protobuf_type *type = arena_make(reading->arena, struct protobuf_type);
    struct protobuf_item item;
    str rest = bytes;
    if (depth > PROTOBUF_DEPTH_MAX || ++reading->count > PROTOBUF_TYPES_MAX)
        return fail(reading->err, ST_LIMIT, "schema",
                    "it has more than %d types, or too deep ones (PROTOBUF_TYPES_MAX)", PROTOBUF_TYPES_MAX);
    *type = (struct protobuf_type){
        .name = arena_printf(reading->arena, "%.*s.%.*s", STR_ARG(scope), STR_ARG(find_bytes(bytes, 1))),
        .bytes = bytes,
        .is_proto3 = is_proto3,
        .is_map_entry = find_number(find_bytes(bytes, 7), 7, 0) != 0,
    };
    text_map_put(&reading->messages, type->name, type);
    while (protobuf_next(&rest, &item)) {
        if (item.wire != PROTOBUF_BYTES) continue;
        if (item.number == 3) TRY(list_message(reading, type->name, item.bytes, is_proto3, depth + 1));
        if (item.number == 4) TRY(list_enum(reading, type->name, item.bytes));
    }
    return rest.n ? fail_damaged(reading) : ST_OK;
}

static enum status list_file(struct schema_reading *reading, str file)
{
    str package = find_bytes(file, 2), rest = file;
    str scope = package.n ? arena_printf(reading->arena, ".%.*s", STR_ARG(package)) : STR_NONE;
    bool is_proto3 = str_equal(find_bytes(file, 12), STR("proto3"));
    struct protobuf_item item;
    while (protobuf_next(&rest, &item)) {
        if (item.wire != PROTOBUF_BYTES) continue;
        if (item.number == 4) TRY(list_message(reading, scope, item.bytes, is_proto3, 0));
        if (item.number == 5) TRY(list_enum(reading, scope, item.bytes));
    }
    return rest.n ? fail_damaged(reading) : ST_OK;
}

static enum status list_set(struct schema_reading *reading, str set)
{
    struct protobuf_item item;
    while (protobuf_next(&set, &item))
        if (item.number == 1 && item.wire == PROTOBUF_BYTES) TRY(list_file(reading, item.bytes));
    return set.n || !reading->count ? fail_damaged(reading) : ST_OK;
}

/* ---- fields ---- */

static enum status read_values(struct schema_reading *reading, struct schema_enum *of)
{
    size_t cap = 0;
    struct protobuf_item item;
    for (str rest = of->bytes; protobuf_next(&rest, &item);) {
        if (item.number != 2 || item.wire != PROTOBUF_BYTES) continue;
        str name = find_bytes(item.bytes, 1);
        if (!utf8_is_valid(name)) return fail_damaged(reading);
        array_reserve_in(reading->arena, of->value, of->count, cap);
        of->value[of->count++] = (struct protobuf_enum_value){ (int32_t)find_number(item.bytes, 2, 0),
                                                               arena_str(reading->arena, name) };
    }
    return of->count ? ST_OK : fail_damaged(reading);
}

static enum status read_enum(struct schema_reading *reading, struct protobuf_field *field)
{
    struct schema_enum *of = text_map_get(&reading->enums, field->type_name);
    if (!of)
        return fail(reading->err, ST_INVALID, "schema",
                    "the type \"%.*s\" of the field \"%.*s\" is not in it", STR_ARG(field->type_name),
                    STR_ARG(field->name));
    if (!of->value) TRY(read_values(reading, of));
    field->value = of->value;
    field->value_count = of->count;
    return ST_OK;
}

static enum status want_message(struct schema_reading *reading, struct protobuf_field *field)
{
    struct protobuf_type *type = text_map_get(&reading->messages, field->type_name);
    if (!type)
        return fail(reading->err, ST_INVALID, "schema",
                    "the type \"%.*s\" of the field \"%.*s\" is not in it", STR_ARG(field->type_name),
                    STR_ARG(field->name));
    field->message = type;
    if (type->is_read) return ST_OK;
    type->is_read = true;
    array_reserve_in(reading->arena, reading->wanted, reading->wanted_count, reading->wanted_cap);
    reading->wanted[reading->wanted_count++] = type;
    return ST_OK;
}

static enum status read_field(struct schema_reading *reading, const struct protobuf_type *type, str bytes,
                              struct protobuf_field *field)
{
    str name = find_bytes(bytes, 10);
    uint64_t kind = find_number(bytes, 5, 0);
    if (!name.n) name = find_bytes(bytes, 1);
    *field = (struct protobuf_field){
        .number = (uint32_t)find_number(bytes, 3, 0),
        .name = arena_str(reading->arena, name),
        .kind = (enum protobuf_kind)kind,
        .is_repeated = find_number(bytes, 4, 0) == LABEL_REPEATED,
        .has_presence = !type->is_proto3 || has_field(bytes, 9) || find_number(bytes, 17, 0),
        .type_name = find_bytes(bytes, 6),
    };
    if (!field->number || !utf8_is_valid(field->name) || !utf8_is_valid(field->type_name) || kind < 1 ||
        kind > PROTOBUF_KIND_LAST)
        return fail_damaged(reading);
    if (kind == PROTOBUF_KIND_GROUP || kind == PROTOBUF_KIND_MESSAGE) field->has_presence = true;
    if (kind == PROTOBUF_KIND_ENUM) return read_enum(reading, field);
    return kind == PROTOBUF_KIND_MESSAGE ? want_message(reading, field) : ST_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = ((const struct protobuf_field *)a)->number, y = ((const struct protobuf_field *)b)->number;
    return (x > y) - (x < y);
}

/* Members of an object have different names. */
static enum status check_names(struct schema_reading *reading, struct protobuf_type *type)
{
    struct text_map names;
    bool are_different = true;
    text_map_init(&names);
    for (size_t i = 0; i < type->field_count; i++)
        are_different &= !text_map_put(&names, type->field[i].name, &type->field[i]);
    text_map_done(&names);
    return are_different ? ST_OK : fail_damaged(reading);
}

static enum status read_fields(struct schema_reading *reading, struct protobuf_type *type)
{
    struct protobuf_item item;
    size_t cap = 0;
    for (str rest = type->bytes; protobuf_next(&rest, &item);) {
        if (item.number != 2 || item.wire != PROTOBUF_BYTES) continue;
        array_reserve_in(reading->arena, type->field, type->field_count, cap);
        TRY(read_field(reading, type, item.bytes, &type->field[type->field_count]));
        type->field_count++;
    }
    if (type->field_count) qsort(type->field, type->field_count, sizeof *type->field, by_number);
    for (size_t i = 1; i < type->field_count; i++)
        if (type->field[i].number == type->field[i - 1].number) return fail_damaged(reading);
    TRY(check_names(reading, type));
    bool is_map = type->field_count == 2 && type->field[0].number == 1 && type->field[1].number == 2;
    if (type->is_map_entry && !is_map) return fail_damaged(reading);
    type->bytes = STR_NONE;
    return ST_OK;
}

static enum status read_message(struct schema_reading *reading, str message,
                                const struct protobuf_type **ret_type)
{
    str full = arena_printf(reading->arena, ".%.*s", STR_ARG(message));
    struct protobuf_type *type = text_map_get(&reading->messages, full);
    if (!type)
        return fail(reading->err, ST_NOT_FOUND, "schema", "it has no message \"%.*s\"", STR_ARG(message));
    struct protobuf_field root = { .type_name = full };
    TRY(want_message(reading, &root));
    while (reading->wanted_count) TRY(read_fields(reading, reading->wanted[--reading->wanted_count]));
    *ret_type = type;
    return ST_OK;
}

enum status protobuf_read_schema(str set, str message, struct arena *arena,
                                 const struct protobuf_type **ret_type, struct error *err)
{
    struct schema_reading reading = { .arena = arena, .err = err };
    text_map_init(&reading.messages);
    text_map_init(&reading.enums);
    enum status status = list_set(&reading, set);
    if (status == ST_OK) status = read_message(&reading, message, ret_type);
    text_map_done(&reading.messages);
    text_map_done(&reading.enums);
    return status;
}

enum protobuf_wire protobuf_schema_wire(enum protobuf_kind kind)
{
    switch (kind) {
    case PROTOBUF_KIND_DOUBLE:
    case PROTOBUF_KIND_FIXED64:
    case PROTOBUF_KIND_SFIXED64: return PROTOBUF_64;
    case PROTOBUF_KIND_FLOAT:
    case PROTOBUF_KIND_FIXED32:
    case PROTOBUF_KIND_SFIXED32: return PROTOBUF_32;
    case PROTOBUF_KIND_STRING:
    case PROTOBUF_KIND_BYTES:
    case PROTOBUF_KIND_MESSAGE: return PROTOBUF_BYTES;
    case PROTOBUF_KIND_GROUP: return PROTOBUF_GROUP;
    default: return PROTOBUF_VARINT;
    }
}
