/* api/grpc/symbols.c — what descriptors define.
 *
 * A descriptor is a message like any other. Only a few of its fields matter here, so it is walked as it is:
 *
 *     FileDescriptorSet     1 file
 *     FileDescriptorProto   1 name, 2 package, 3 dependency, 4 message_type, 5 enum_type, 6 service
 *     DescriptorProto       1 name, 3 nested_type, 4 enum_type
 *     ServiceDescriptorProto  1 name, 2 method (1 name)
 */
#include "api/grpc/symbols_int.h"

#include "api/limits.h"
#include "base/read.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* One field of a message; `bytes` if it has any. */
struct wire_field {
    uint32_t number;
    str bytes;
};

/* False: the end, or damage. */
static bool next_field(str *rest, struct wire_field *ret_field)
{
    uint64_t key, value;
    if (!rest->n || !read_wire_varint(rest, &key) || key > UINT32_MAX) return false;
    ret_field->number = (uint32_t)(key >> 3);
    ret_field->bytes = STR("");
    size_t skip = 0;
    switch (key & 7) {
    case WIRE_VARINT: return read_wire_varint(rest, &value);
    case WIRE_64: skip = 8; break;
    case WIRE_32: skip = 4; break;
    case WIRE_BYTES:
        if (!read_wire_varint(rest, &value) || value > rest->n) return false;
        ret_field->bytes = (str){ rest->p, (size_t)value };
        skip = (size_t)value;
        break;
    default: return false;
    }
    if (skip > rest->n) return false;
    *rest = str_slice(*rest, skip, rest->n);
    return true;
}

static str find_field(str message, uint32_t number)
{
    struct wire_field field;
    while (next_field(&message, &field))
        if (field.number == number) return field.bytes;
    return STR("");
}

struct symbols symbols_read(str set, struct arena *arena)
{
    struct wire_field field;
    size_t count = 0;
    for (str rest = set; next_field(&rest, &field);) count += field.number == 1;
    struct symbols_file *file = arena_make_n(arena, struct symbols_file, count);
    size_t at = 0;
    for (str rest = set; next_field(&rest, &field);) {
        if (field.number != 1) continue;
        file[at++] =
            (struct symbols_file){ field.bytes, find_field(field.bytes, 1), find_field(field.bytes, 2) };
    }
    return (struct symbols){ file, at };
}

size_t symbols_find_file(const struct symbols *symbols, str name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (str_equal(symbols->file[i].name, name)) return i;
    return SIZE_MAX;
}

/* Takes "a.b" off the front of "a.b.c": true, and the rest is "c". All of it leaves nothing. */
static bool take_name(str *rest, str name)
{
    if (!name.n || !str_starts(*rest, name)) return false;
    if (rest->n > name.n && rest->p[name.n] != '.') return false;
    *rest = str_slice(*rest, name.n + 1, rest->n);
    return true;
}

/* Whether one of the message's parts of that number has the name, and nothing is left of it. */
static bool has_part(str message, uint32_t number, str rest)
{
    struct wire_field field;
    while (next_field(&message, &field)) {
        str left = rest;
        if (field.number == number && take_name(&left, find_field(field.bytes, 1)) && !left.n) return true;
    }
    return false;
}

static bool service_has(str service, str rest)
{
    return take_name(&rest, find_field(service, 1)) && (!rest.n || has_part(service, 2, rest));
}

/* Whether a message of the file or of a message, at field `number`, is called so or has such a part. */
static bool messages_have(str holder, uint32_t number, str rest)
{
    for (int depth = 0; depth < DESCRIPTOR_DEPTH_MAX; depth++) {
        struct wire_field field;
        str inner = STR("");
        bool found = false;
        for (str at = holder; !found && next_field(&at, &field);) {
            str left = rest;
            if (field.number != number || !take_name(&left, find_field(field.bytes, 1))) continue;
            if (!left.n) return true;
            found = true;
            inner = field.bytes;
            rest = left;
        }
        if (!found) return false;
        if (has_part(inner, 4, rest)) return true;
        holder = inner;
        number = 3;
    }
    return false;
}

static bool file_has(const struct symbols_file *file, str name)
{
    struct wire_field field;
    if (file->package.n && !take_name(&name, file->package)) return false;
    if (!name.n) return false;
    for (str rest = file->bytes; next_field(&rest, &field);)
        if (field.number == 6 && service_has(field.bytes, name)) return true;
    return messages_have(file->bytes, 4, name) || has_part(file->bytes, 5, name);
}

size_t symbols_find(const struct symbols *symbols, str full_name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (file_has(&symbols->file[i], full_name)) return i;
    return SIZE_MAX;
}

void symbols_mark_imports(const struct symbols *symbols, size_t at, bool *wanted)
{
    wanted[at] = true;
    for (size_t i = at + 1; i-- > 0;) {
        struct wire_field field;
        for (str rest = symbols->file[i].bytes; wanted[i] && next_field(&rest, &field);) {
            size_t import = field.number == 3 ? symbols_find_file(symbols, field.bytes) : SIZE_MAX;
            if (import < i) wanted[import] = true;
        }
    }
}
