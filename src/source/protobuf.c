/* source/protobuf.c — the bytes of a message become a document.
 *
 * The fields of a message come in any order and may come several times. So they are gathered, sorted by
 * their numbers, and written in the order of the schema: of a single field the last one counts, and the
 * pieces of a message are merged, which is what their bytes one after the other say.
 */
#include "source/protobuf_int.h"

#include "base/array.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/must.h"
#include "base/read.h"
#include "base/text_map.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct message_parsing {
    struct arena *arena;
    struct json_builder *builder;
    size_t values;
    struct error *err;
};

/* One occurrence of a field that the schema knows. */
struct found_field {
    const struct protobuf_field *field;
    size_t place; /* Its place among all. */
    struct protobuf_item item;
};

static enum status put_message(struct message_parsing *parsing, const struct protobuf_type *type, str bytes,
                               int depth);

static enum status fail_message(struct message_parsing *parsing, const struct protobuf_type *type,
                                const char *problem)
{
    return fail(parsing->err, ST_INVALID, "payload", "it is no message \"%.*s\": %s",
                STR_ARG(str_slice(type->name, 1, type->name.n)), problem);
}

static enum status count_value(struct message_parsing *parsing)
{
    if (++parsing->values <= PROTOBUF_VALUES_MAX) return ST_OK;
    return fail(parsing->err, ST_LIMIT, "payload", "it has more than %d values (PROTOBUF_VALUES_MAX)",
                PROTOBUF_VALUES_MAX);
}

/* ---- single values ---- */

static void put_unsigned(struct message_parsing *parsing, uint64_t value)
{
    const struct json *number;
    if (value <= INT64_MAX) {
        json_add_int(parsing->builder, (int64_t)value);
        return;
    }
    must(json_parse(arena_printf(parsing->arena, "%" PRIu64, value), NULL, parsing->arena, &number, NULL) ==
         ST_OK);
    json_add(parsing->builder, number);
}

static void put_double(struct message_parsing *parsing, double value)
{
    if (isnan(value)) json_add_string(parsing->builder, STR("NaN"));
    else if (isinf(value)) json_add_string(parsing->builder, value < 0 ? STR("-Infinity") : STR("Infinity"));
    else json_add_double(parsing->builder, value);
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The shortest decimal that is this float: 0.1 stays 0.1. */
static double float_of(uint32_t bits)
{
    float value;
    char text[32];
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) return (double)value;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    return strtod(text, NULL);
}

static void put_enum(struct message_parsing *parsing, const struct protobuf_field *field, int32_t number)
{
    for (size_t i = 0; i < field->value_count; i++)
        if (field->value[i].number == number) {
            json_add_string(parsing->builder, field->value[i].name);
            return;
        }
    json_add_int(parsing->builder, number);
}

static int64_t unfold(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

static void put_number(struct message_parsing *parsing, const struct protobuf_field *field, uint64_t value)
{
    struct json_builder *builder = parsing->builder;
    switch (field->kind) {
    case PROTOBUF_KIND_DOUBLE: put_double(parsing, double_of(value)); break;
    case PROTOBUF_KIND_FLOAT: put_double(parsing, float_of((uint32_t)value)); break;
    case PROTOBUF_KIND_INT64:
    case PROTOBUF_KIND_SFIXED64: json_add_int(builder, (int64_t)value); break;
    case PROTOBUF_KIND_UINT64:
    case PROTOBUF_KIND_FIXED64: put_unsigned(parsing, value); break;
    case PROTOBUF_KIND_INT32:
    case PROTOBUF_KIND_SFIXED32: json_add_int(builder, (int32_t)value); break;
    case PROTOBUF_KIND_UINT32:
    case PROTOBUF_KIND_FIXED32: json_add_int(builder, (uint32_t)value); break;
    case PROTOBUF_KIND_SINT32: json_add_int(builder, (int32_t)unfold((uint32_t)value)); break;
    case PROTOBUF_KIND_SINT64: json_add_int(builder, unfold(value)); break;
    case PROTOBUF_KIND_BOOL: json_add_bool(builder, value != 0); break;
    case PROTOBUF_KIND_ENUM: put_enum(parsing, field, (int32_t)value); break;
    default: json_add_null(builder); break;
    }
}

static enum status put_value(struct message_parsing *parsing, const struct protobuf_type *type,
                             const struct protobuf_field *field, const struct protobuf_item *item, int depth)
{
    TRY(count_value(parsing));
    switch (field->kind) {
    case PROTOBUF_KIND_MESSAGE: return put_message(parsing, field->message, item->bytes, depth + 1);
    case PROTOBUF_KIND_BYTES:
        json_add_string(parsing->builder, base64_encode(item->bytes, parsing->arena));
        return ST_OK;
    case PROTOBUF_KIND_STRING:
        if (!utf8_is_valid(item->bytes)) return fail_message(parsing, type, "a string is not UTF-8");
        json_add_string(parsing->builder, item->bytes);
        return ST_OK;
    default: put_number(parsing, field, item->value); return ST_OK;
    }
}

/* Puts the value of a field without presence that was not sent. */
static void put_default(struct message_parsing *parsing, const struct protobuf_field *field)
{
    if (field->kind == PROTOBUF_KIND_ENUM) json_add_string(parsing->builder, field->value[0].name);
    else if (protobuf_schema_wire(field->kind) == PROTOBUF_BYTES) json_add_string(parsing->builder, STR_NONE);
    else put_number(parsing, field, 0);
}

/* ---- repeated ones ---- */

/* Numbers may be packed: one after the other in the bytes of one field. */
static enum status put_packed(struct message_parsing *parsing, const struct protobuf_type *type,
                              const struct protobuf_field *field, str bytes)
{
    enum protobuf_wire wire = protobuf_schema_wire(field->kind);
    while (bytes.n) {
        uint64_t value;
        bool is_sound = wire == PROTOBUF_VARINT
                            ? read_wire_varint(&bytes, &value)
                            : protobuf_take_fixed(&bytes, wire == PROTOBUF_64 ? 8 : 4, &value);
        if (!is_sound) return fail_message(parsing, type, "packed numbers are damaged");
        TRY(count_value(parsing));
        put_number(parsing, field, value);
    }
    return ST_OK;
}

static bool is_packed(const struct found_field *found)
{
    return found->item.wire == PROTOBUF_BYTES && protobuf_schema_wire(found->field->kind) != PROTOBUF_BYTES;
}

static enum status put_array(struct message_parsing *parsing, const struct protobuf_type *type,
                             const struct found_field *found, size_t count, int depth)
{
    json_open_array(parsing->builder);
    for (size_t i = 0; i < count; i++)
        TRY(is_packed(&found[i]) ? put_packed(parsing, type, found[i].field, found[i].item.bytes)
                                 : put_value(parsing, type, found[i].field, &found[i].item, depth));
    json_close(parsing->builder);
    return ST_OK;
}

/* ---- maps ---- */

/* The last item of a field in an entry of a map; its number is 0 if there is none. */
static struct protobuf_item part_of(str entry, const struct protobuf_field *field)
{
    struct protobuf_item item, last = { 0 };
    while (protobuf_next(&entry, &item))
        if (item.number == field->number && item.wire == protobuf_schema_wire(field->kind)) last = item;
    return last;
}

static enum status read_key(struct message_parsing *parsing, const struct protobuf_type *entry, str bytes,
                            str *ret_key)
{
    const struct protobuf_field *field = &entry->field[0];
    struct protobuf_item item = part_of(bytes, field);
    struct json_builder builder, *outer = parsing->builder;
    if (field->kind == PROTOBUF_KIND_STRING) {
        if (!utf8_is_valid(item.bytes)) return fail_message(parsing, entry, "a key is not UTF-8");
        *ret_key = item.bytes;
        return ST_OK;
    }
    json_builder_init(&builder, parsing->arena);
    parsing->builder = &builder;
    put_number(parsing, field, item.value);
    parsing->builder = outer;
    struct buf text;
    buf_init(&text, parsing->arena);
    json_print(json_built(&builder), &text);
    *ret_key = buf_str(&text);
    return ST_OK;
}

static enum status put_entry(struct message_parsing *parsing, const struct protobuf_type *entry, str bytes,
                             int depth)
{
    const struct protobuf_field *field = &entry->field[1];
    struct protobuf_item item = part_of(bytes, field);
    if (item.number || field->kind == PROTOBUF_KIND_MESSAGE)
        return put_value(parsing, entry, field, &item, depth);
    put_default(parsing, field);
    return count_value(parsing);
}

/* If several entries have the same key, the last one counts. */
static enum status put_map(struct message_parsing *parsing, const struct found_field *found, size_t count,
                           int depth)
{
    const struct protobuf_type *entry = found->field->message;
    str *key = arena_make_n(parsing->arena, str, count);
    struct text_map last; /* Key → its last occurrence. */
    enum status status = ST_OK;
    text_map_init(&last);
    for (size_t i = 0; i < count && status == ST_OK; i++) {
        status = read_key(parsing, entry, found[i].item.bytes, &key[i]);
        if (status == ST_OK) text_map_put(&last, key[i], &key[i]);
    }
    json_open_object(parsing->builder);
    for (size_t i = 0; i < count && status == ST_OK; i++) {
        if (text_map_get(&last, key[i]) != &key[i]) continue;
        json_add_name(parsing->builder, key[i]);
        status = put_entry(parsing, entry, found[i].item.bytes, depth);
    }
    if (status == ST_OK) json_close(parsing->builder);
    text_map_done(&last);
    return status;
}

/* ---- messages ---- */

static const struct protobuf_field *find_field(const struct protobuf_type *type, uint32_t number)
{
    size_t low = 0, high = type->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (type->field[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < type->field_count && type->field[low].number == number ? &type->field[low] : NULL;
}

static bool fits(const struct protobuf_field *field, const struct protobuf_item *item)
{
    enum protobuf_wire wire = protobuf_schema_wire(field->kind);
    if (wire == PROTOBUF_GROUP) return false;
    return item->wire == wire || (field->is_repeated && item->wire == PROTOBUF_BYTES);
}

static int by_field(const void *a, const void *b)
{
    const struct found_field *x = a, *y = b;
    if (x->field->number != y->field->number) return x->field->number < y->field->number ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static enum status gather(struct message_parsing *parsing, const struct protobuf_type *type, str bytes,
                          struct found_field **ret_found, size_t *ret_count)
{
    struct found_field *found = NULL;
    size_t count = 0, cap = 0;
    struct protobuf_item item;
    while (protobuf_next(&bytes, &item)) {
        const struct protobuf_field *field = find_field(type, item.number);
        if (!field || !fits(field, &item)) continue;
        TRY(count_value(parsing));
        array_reserve_in(parsing->arena, found, count, cap);
        found[count] = (struct found_field){ field, count, item };
        count++;
    }
    if (bytes.n) return fail_message(parsing, type, "its bytes are damaged");
    if (count) qsort(found, count, sizeof *found, by_field);
    *ret_found = found;
    *ret_count = count;
    return ST_OK;
}

/* The pieces of a message that was sent in several. */
static str join(struct message_parsing *parsing, const struct found_field *found, size_t count)
{
    struct buf bytes;
    if (count == 1) return found->item.bytes;
    buf_init(&bytes, parsing->arena);
    for (size_t i = 0; i < count; i++) buf_add_str(&bytes, found[i].item.bytes);
    return buf_str(&bytes);
}

/* A field with all its occurrences. */
static enum status put_field(struct message_parsing *parsing, const struct protobuf_type *type,
                             const struct protobuf_field *field, const struct found_field *found,
                             size_t count, int depth)
{
    bool is_map = field->is_repeated && field->message && field->message->is_map_entry;
    if (!count && !field->is_repeated && field->has_presence) return ST_OK;
    json_add_name(parsing->builder, field->name);
    TRY(count_value(parsing));
    if (is_map && count) return put_map(parsing, found, count, depth);
    if (is_map) {
        json_add(parsing->builder, json_empty_object());
        return ST_OK;
    }
    if (field->is_repeated) return put_array(parsing, type, found, count, depth);
    if (!count) {
        put_default(parsing, field);
        return ST_OK;
    }
    struct protobuf_item item = found[count - 1].item;
    if (field->kind == PROTOBUF_KIND_MESSAGE) item.bytes = join(parsing, found, count);
    return put_value(parsing, type, field, &item, depth);
}

static enum status put_message(struct message_parsing *parsing, const struct protobuf_type *type, str bytes,
                               int depth)
{
    struct found_field *found = NULL;
    size_t count = 0, at = 0;
    if (depth > PROTOBUF_DEPTH_MAX)
        return fail(parsing->err, ST_LIMIT, "payload",
                    "it is nested deeper than %d levels (PROTOBUF_DEPTH_MAX)", PROTOBUF_DEPTH_MAX);
    TRY(gather(parsing, type, bytes, &found, &count));
    json_open_object(parsing->builder);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct found_field *own = count ? found + at : NULL;
        size_t first = at;
        while (at < count && found[at].field == &type->field[i]) at++;
        TRY(put_field(parsing, type, &type->field[i], own, at - first, depth));
    }
    json_close(parsing->builder);
    return ST_OK;
}

enum status protobuf_parse(const struct protobuf_type *type, str bytes, struct arena *arena,
                           const struct json **ret_value, struct error *err)
{
    struct json_builder builder;
    struct message_parsing parsing = { .arena = arena, .builder = &builder, .err = err };
    json_builder_init(&builder, arena);
    TRY(put_message(&parsing, type, bytes, 0));
    *ret_value = json_built(&builder);
    return ST_OK;
}
