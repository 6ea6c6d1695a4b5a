/* api/grpc/translate.c — definitions of the steps dialect as messages, and back. */
#include "api/grpc/translate_int.h"

#include "base/must.h"
#include "json/put.h"

enum { NAME_BYTES = 64 };

/* ---- names ---- */

/* The member's name: nextStep for next_step. The two schemas keep the name that documents have. */
static str member_name(const ProtobufCFieldDescriptor *field, char ret_name[NAME_BYTES])
{
    str name = str_of(field->name);
    if (str_ends(name, STR("_schema"))) return name;
    size_t n = 0;
    must(name.n < NAME_BYTES);
    for (size_t i = 0; i < name.n; i++) {
        bool raised = name.p[i] == '_';
        char c = name.p[raised ? ++i : i];
        ret_name[n++] = raised ? (char)(c - 'a' + 'A') : c;
    }
    return (str){ ret_name, n };
}

/* The prefix that the names of all values share: "STEP_TYPE_" of STEP_TYPE_UNSPECIFIED, the first of them. */
static str prefix_of(const ProtobufCEnumDescriptor *type)
{
    str first = str_of(type->values[0].name);
    must(str_ends(first, STR("UNSPECIFIED")));
    return str_slice(first, 0, first.n - strlen("UNSPECIFIED"));
}

int translate_enum(const ProtobufCEnumDescriptor *type, str word)
{
    str prefix = prefix_of(type);
    char name[NAME_BYTES];
    if (!word.n || prefix.n + word.n >= sizeof name) return 0;
    memcpy(name, prefix.p, prefix.n);
    memcpy(name + prefix.n, word.p, word.n);
    name[prefix.n + word.n] = '\0';
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(type, name);
    return value ? value->value : 0;
}

static bool is_entry(const ProtobufCMessageDescriptor *type)
{
    return type->n_fields == 2 && str_ends(str_of(type->short_name), STR("Entry"));
}

/* ---- message to text ---- */

struct printer {
    struct buf *out;
    struct arena *scratch;
    struct error *err;
};

static enum status put_message(struct printer *printer, const ProtobufCMessage *message);

static void put_enum(struct buf *out, const ProtobufCEnumDescriptor *type, int number)
{
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(type, number);
    str name = value ? str_of(value->name) : STR_NONE;
    if (value) put_text(out, str_slice(name, prefix_of(type).n, name.n));
    else buf_printf(out, "\"%d\"", number); /* Refused by those who read the document, in their words. */
}

static enum status put_value(struct printer *printer, const Google__Protobuf__Value *value, const char *name)
{
    const struct json *read;
    TRY(value_read(value, name, printer->scratch, &read, printer->err));
    json_print(read, printer->out);
    return ST_OK;
}

/* One value of a field, which is at `at`. */
static enum status put_one(struct printer *printer, const ProtobufCFieldDescriptor *field, const void *at)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING: put_text(printer->out, str_of(*(char *const *)at)); return ST_OK;
    case PROTOBUF_C_TYPE_BOOL: put_flag(printer->out, *(const protobuf_c_boolean *)at); return ST_OK;
    case PROTOBUF_C_TYPE_INT32: put_int(printer->out, *(const int32_t *)at); return ST_OK;
    case PROTOBUF_C_TYPE_ENUM: put_enum(printer->out, field->descriptor, *(const int *)at); return ST_OK;
    default: break;
    }
    must(field->type == PROTOBUF_C_TYPE_MESSAGE);
    const ProtobufCMessage *message = *(ProtobufCMessage *const *)at;
    if (field->descriptor == &google__protobuf__value__descriptor)
        return put_value(printer, (const Google__Protobuf__Value *)message, field->name);
    if (field->descriptor == &google__protobuf__struct__descriptor) {
        const struct json *read;
        TRY(value_read_struct((const Google__Protobuf__Struct *)message, field->name, printer->scratch, &read,
                              printer->err));
        json_print(read, printer->out);
        return ST_OK;
    }
    return put_message(printer, message);
}

/* An entry of a map: its first field is the name, its second the value. */
static enum status put_entry(struct printer *printer, const ProtobufCMessage *entry)
{
    const ProtobufCFieldDescriptor *name = &entry->descriptor->fields[0], *value = name + 1;
    const char *key = *(char *const *)((const char *)entry + name->offset);
    const void *at = (const char *)entry + value->offset;
    put_text(printer->out, str_of(key));
    buf_add_char(printer->out, ':');
    if (value->descriptor == &google__protobuf__value__descriptor)
        return put_value(printer, *(Google__Protobuf__Value *const *)at, key);
    return put_one(printer, value, at);
}

static enum status put_items(struct printer *printer, const ProtobufCMessage *message,
                             const ProtobufCFieldDescriptor *field, size_t count)
{
    bool map = field->type == PROTOBUF_C_TYPE_MESSAGE && is_entry(field->descriptor);
    void *const *item = *(void *const *const *)((const char *)message + field->offset);
    buf_add_char(printer->out, map ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(printer->out, ',');
        TRY(map ? put_entry(printer, item[i]) : put_one(printer, field, &item[i]));
    }
    buf_add_char(printer->out, map ? '}' : ']');
    return ST_OK;
}

static bool is_given(const ProtobufCFieldDescriptor *field, const void *at)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING: return **(char *const *)at != '\0';
    case PROTOBUF_C_TYPE_BOOL: return *(const protobuf_c_boolean *)at;
    case PROTOBUF_C_TYPE_MESSAGE: return *(void *const *)at != NULL;
    default: return *(const int32_t *)at != 0;
    }
}

static enum status put_message(struct printer *printer, const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    char begin = '{', name[NAME_BYTES];
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const char *at = (const char *)message + field->offset;
        bool list = field->label == PROTOBUF_C_LABEL_REPEATED;
        size_t count = list ? *(const size_t *)((const char *)message + field->quantifier_offset) : 0;
        if (list ? !count : !is_given(field, at)) continue;
        buf_add_char(printer->out, begin);
        begin = ',';
        put_text(printer->out, member_name(field, name));
        buf_add_char(printer->out, ':');
        TRY(list ? put_items(printer, message, field, count) : put_one(printer, field, at));
    }
    if (begin == '{') buf_add_char(printer->out, '{');
    buf_add_char(printer->out, '}');
    return ST_OK;
}

enum status translate_print(const ProtobufCMessage *message, struct arena *scratch, struct buf *out,
                            struct error *err)
{
    struct printer printer = { out, scratch, err };
    return put_message(&printer, message);
}

/* ---- value to message ---- */

static ProtobufCMessage *new_message(const ProtobufCMessageDescriptor *type, struct arena *arena)
{
    ProtobufCMessage *message = arena_alloc(arena, type->sizeof_message);
    protobuf_c_message_init(type, message);
    return message;
}

/* Writes one value of a field to `at`; false: it is of another type. */
static bool read_one(const struct json *value, struct arena *arena, const ProtobufCFieldDescriptor *field,
                     void *at)
{
    int64_t number;
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        if (!json_is(value, JSON_STRING)) return false;
        *(char **)at = message_text(arena, json_string(value));
        return true;
    case PROTOBUF_C_TYPE_BOOL:
        if (json_is(value, JSON_BOOL)) *(protobuf_c_boolean *)at = json_bool(value);
        return json_is(value, JSON_BOOL);
    case PROTOBUF_C_TYPE_INT32:
        if (!json_is(value, JSON_NUMBER) || !json_int64(value, &number) || number < INT32_MIN ||
            number > INT32_MAX)
            return false;
        *(int32_t *)at = (int32_t)number;
        return true;
    case PROTOBUF_C_TYPE_ENUM:
        if (json_is(value, JSON_STRING)) *(int *)at = translate_enum(field->descriptor, json_string(value));
        return json_is(value, JSON_STRING);
    default: break;
    }
    must(field->type == PROTOBUF_C_TYPE_MESSAGE);
    if (field->descriptor == &google__protobuf__value__descriptor) {
        value_write(value, arena, at);
        return true;
    }
    if (!json_is(value, JSON_OBJECT)) return false;
    if (field->descriptor == &google__protobuf__struct__descriptor) {
        value_write_struct(value, arena, at);
        return true;
    }
    ProtobufCMessage *message = new_message(field->descriptor, arena);
    translate_read(value, arena, message);
    *(ProtobufCMessage **)at = message;
    return true;
}

static bool read_entry(str name, const struct json *value, struct arena *arena,
                       const ProtobufCMessageDescriptor *type, void *at)
{
    ProtobufCMessage *entry = new_message(type, arena);
    *(char **)((char *)entry + type->fields[0].offset) = message_text(arena, name);
    *(ProtobufCMessage **)at = entry;
    return read_one(value, arena, &type->fields[1], (char *)entry + type->fields[1].offset);
}

static void read_items(const struct json *items, struct arena *arena, const ProtobufCFieldDescriptor *field,
                       ProtobufCMessage *message)
{
    bool map = field->type == PROTOBUF_C_TYPE_MESSAGE && is_entry(field->descriptor);
    if (!json_is(items, map ? JSON_OBJECT : JSON_ARRAY)) return;
    must(field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING); /* Pointers. */
    void **item = arena_make_n(arena, void *, json_count(items));
    size_t count = 0;
    struct json_each each = json_each(items);
    while (json_next(&each))
        count += map ? read_entry(each.name, each.value, arena, field->descriptor, &item[count])
                     : read_one(each.value, arena, field, &item[count]);
    *(void ***)((char *)message + field->offset) = item;
    *(size_t *)((char *)message + field->quantifier_offset) = count;
}

void translate_read(const struct json *object, struct arena *arena, ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    char name[NAME_BYTES];
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const struct json *value = json_get(object, member_name(field, name));
        if (!value) continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) read_items(value, arena, field, message);
        else read_one(value, arena, field, (char *)message + field->offset);
    }
}
