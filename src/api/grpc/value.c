/* api/grpc/value.c — `google.protobuf.Struct`, `Value` and `Timestamp` as our values, and back. */
#include "api/grpc/value_int.h"

#include "base/limits.h"
#include "base/must.h"
#include "base/text_map.h"

#include <float.h>
#include <math.h>

typedef Google__Protobuf__Value proto_value;
typedef Google__Protobuf__Struct proto_struct;
typedef Google__Protobuf__ListValue proto_list;
typedef Google__Protobuf__Struct__FieldsEntry proto_entry;

/* ---- coming in ---- */

struct struct_reader {
    struct json_builder builder;
    const char *name; /* The field's name, */
    str member;       /* and of the member that is being read; empty: none. */
    unsigned depth;
    struct error *err;
};

static enum status refuse(const struct struct_reader *reader, enum status status, const char *what)
{
    if (!reader->member.n) return fail(reader->err, status, reader->name, "%s: %s", reader->name, what);
    return fail(reader->err, status, reader->name, "%s, at \"%.*s\": %s", reader->name,
                STR_ARG(reader->member), what);
}

static enum status add_value(struct struct_reader *reader, const proto_value *value);

static enum status open_container(struct struct_reader *reader, size_t count)
{
    if (++reader->depth > JSON_DEPTH_MAX)
        return refuse(reader, ST_LIMIT, "more lists and objects inside each other than 128 (JSON_DEPTH_MAX)");
    if (count > JSON_MEMBERS_MAX)
        return refuse(reader, ST_LIMIT, "more than 1048576 items in one list or object (JSON_MEMBERS_MAX)");
    return ST_OK;
}

/* Entries that a later one with the same name replaces are taken out. */
static void drop_repeated(proto_entry **entry, size_t *count)
{
    struct text_map last;
    size_t kept = *count;
    text_map_init(&last);
    for (size_t i = *count; i-- > 0;) {
        str name = str_of(entry[i]->key);
        if (text_map_get(&last, name)) continue;
        text_map_put(&last, name, entry[i]);
        entry[--kept] = entry[i];
    }
    memmove(entry, entry + kept, (*count - kept) * sizeof *entry);
    *count -= kept;
    text_map_done(&last);
}

static bool has_repeated(proto_entry *const *entry, size_t count)
{
    enum { FEW = 12 };
    if (count > FEW) return true; /* Perhaps. */
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(entry[i]->key, entry[j]->key)) return true;
    return false;
}

static enum status add_struct(struct struct_reader *reader, const proto_struct *object)
{
    size_t count = object->n_fields;
    TRY(open_container(reader, count));
    if (has_repeated(object->fields, count)) drop_repeated(object->fields, &count);
    json_open_object(&reader->builder);
    for (size_t i = 0; i < count; i++) {
        reader->member = str_of(object->fields[i]->key);
        json_add_name(&reader->builder, reader->member);
        TRY(add_value(reader, object->fields[i]->value));
    }
    json_close(&reader->builder);
    reader->depth--;
    return ST_OK;
}

static enum status add_list(struct struct_reader *reader, const proto_list *list)
{
    TRY(open_container(reader, list->n_values));
    json_open_array(&reader->builder);
    for (size_t i = 0; i < list->n_values; i++) TRY(add_value(reader, list->values[i]));
    json_close(&reader->builder);
    reader->depth--;
    return ST_OK;
}

static enum status add_number(struct struct_reader *reader, double number)
{
    if (!isfinite(number)) return refuse(reader, ST_INVALID, "NaN and the infinities are no numbers of JSON");
    if (number == trunc(number) && fabs(number) < 0x1p63) json_add_int(&reader->builder, (int64_t)number);
    else json_add_double(&reader->builder, number);
    return ST_OK;
}

static enum status add_value(struct struct_reader *reader, const proto_value *value)
{
    switch (value ? value->kind_case : GOOGLE__PROTOBUF__VALUE__KIND__NOT_SET) {
    case GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE:
        json_add_bool(&reader->builder, value->bool_value);
        return ST_OK;
    case GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE: return add_number(reader, value->number_value);
    case GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE:
        json_add_string(&reader->builder, str_of(value->string_value));
        return ST_OK;
    case GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE: return add_struct(reader, value->struct_value);
    case GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE: return add_list(reader, value->list_value);
    default: json_add_null(&reader->builder); return ST_OK; /* Some clients send null as no kind at all. */
    }
}

static void begin(struct struct_reader *reader, const char *name, struct arena *arena, struct error *err)
{
    *reader = (struct struct_reader){ .name = name, .err = err };
    json_builder_init(&reader->builder, arena);
}

enum status value_read_struct(const proto_struct *object, const char *name, struct arena *arena,
                              const struct json **ret_object, struct error *err)
{
    struct struct_reader reader;
    *ret_object = NULL;
    if (!object) return ST_OK;
    begin(&reader, name, arena, err);
    TRY(add_struct(&reader, object));
    *ret_object = json_built(&reader.builder);
    return ST_OK;
}

enum status value_read(const proto_value *value, const char *name, struct arena *arena,
                       const struct json **ret_value, struct error *err)
{
    struct struct_reader reader;
    begin(&reader, name, arena, err);
    TRY(add_value(&reader, value));
    *ret_value = json_built(&reader.builder);
    return ST_OK;
}

/* ---- going out ---- */

static bool write_number(const struct json *number, struct arena *arena, double *ret_number)
{
    int64_t integer;
    if (json_int64(number, &integer)) {
        double nearest = (double)integer;
        *ret_number = nearest;
        return fabs(nearest) < 0x1p63 && (int64_t)nearest == integer;
    }
    double nearest = json_double(number);
    if (!isfinite(nearest)) {
        *ret_number = nearest < 0 ? -DBL_MAX : DBL_MAX;
        return false;
    }
    *ret_number = nearest;
    return json_number_compare(json_of_double(arena, nearest), number) == 0;
}

static bool write_text(str text, struct arena *arena, char **ret_text)
{
    *ret_text = message_text(arena, text);
    return !text.n || !memchr(text.p, '\0', text.n);
}

static bool write_list(const struct json *array, struct arena *arena, proto_list **ret_list)
{
    proto_list *list = arena_alloc(arena, sizeof *list);
    bool exact = true;
    google__protobuf__list_value__init(list);
    list->values = arena_make_n(arena, proto_value *, json_count(array));
    struct json_each each = json_each(array);
    while (json_next(&each)) exact = value_write(each.value, arena, &list->values[list->n_values++]) && exact;
    *ret_list = list;
    return exact;
}

bool value_write_struct(const struct json *object, struct arena *arena, proto_struct **ret_object)
{
    proto_struct *made = arena_alloc(arena, sizeof *made);
    bool exact = true;
    google__protobuf__struct__init(made);
    made->fields = arena_make_n(arena, proto_entry *, json_count(object));
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        proto_entry *entry = arena_alloc(arena, sizeof *entry);
        google__protobuf__struct__fields_entry__init(entry);
        exact = write_text(each.name, arena, &entry->key) && exact;
        exact = value_write(each.value, arena, &entry->value) && exact;
        made->fields[made->n_fields++] = entry;
    }
    *ret_object = made;
    return exact;
}

/* As deep as the value, which has at most JSON_DEPTH_MAX. */
bool value_write(const struct json *value, struct arena *arena, proto_value **ret_value)
{
    proto_value *made = arena_alloc(arena, sizeof *made);
    google__protobuf__value__init(made);
    *ret_value = made;
    switch (json_kind(value)) {
    case JSON_BOOL:
        made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE;
        made->bool_value = json_bool(value);
        return true;
    case JSON_NUMBER:
        made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE;
        return write_number(value, arena, &made->number_value);
    case JSON_STRING:
        made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE;
        return write_text(json_string(value), arena, &made->string_value);
    case JSON_ARRAY:
        made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE;
        return write_list(value, arena, &made->list_value);
    case JSON_OBJECT:
        made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE;
        return value_write_struct(value, arena, &made->struct_value);
    default: made->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NULL_VALUE; return true;
    }
}

/* ---- times ---- */

Google__Protobuf__Timestamp *value_write_time(int64_t ms, struct arena *arena)
{
    if (!ms) return NULL;
    Google__Protobuf__Timestamp *time = arena_alloc(arena, sizeof *time);
    google__protobuf__timestamp__init(time);
    int64_t rest = ((ms % 1000) + 1000) % 1000;
    time->seconds = (ms - rest) / 1000;
    time->nanos = (int32_t)rest * 1000000;
    return time;
}

bool value_read_time(const Google__Protobuf__Timestamp *time, int64_t *ret_ms)
{
    static const int64_t first = INT64_C(-62135596800), last = INT64_C(253402300799); /* Years 1 and 9999. */
    if (time->seconds < first || time->seconds > last || time->nanos < 0 || time->nanos > 999999999)
        return false;
    *ret_ms = time->seconds * 1000 + time->nanos / 1000000;
    return true;
}
