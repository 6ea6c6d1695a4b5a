/* program/arrival_form.c — forms of HTML: the two ways in which browsers send them become fields. */
#include "program/arrival_int.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "program/limits.h"

#define URL_ENCODED "application/x-www-form-urlencoded"
#define MULTIPART "multipart/form-data"

static str content_type(const struct arrival_event *event)
{
    return json_text(event->headers, STR("content-type"));
}

static bool is_of_type(const struct arrival_event *event, str name)
{
    str type = content_type(event);
    return str_equal_ignoring_case(str_trim(str_slice(type, 0, str_find(type, STR(";"), 0))), name);
}

bool arrival_is_form(const struct arrival_event *event)
{
    return event->type == ARRIVAL_HTTP && event->raw.n &&
           (is_of_type(event, STR(URL_ENCODED)) || is_of_type(event, STR(MULTIPART)));
}

/* Where the parameter that begins here ends: a semicolon in quotes is a part of it. */
static size_t end_of_parameter(str header, size_t at)
{
    bool quoted = false;
    for (; at < header.n; at++) {
        if (header.p[at] == '"') quoted = !quoted;
        if (header.p[at] == ';' && !quoted) break;
    }
    return at;
}

str arrival_parameter(str header, str name)
{
    for (size_t at = end_of_parameter(header, 0), end; at < header.n; at = end) {
        end = end_of_parameter(header, at + 1);
        str part = str_trim(str_slice(header, at + 1, end));
        size_t equals = str_find(part, STR("="), 0);
        if (!str_equal_ignoring_case(str_trim(str_slice(part, 0, equals)), name)) continue;
        str value = equals == SIZE_MAX ? STR_NONE : str_trim(str_slice(part, equals + 1, part.n));
        if (value.n > 1 && value.p[0] == '"' && value.p[value.n - 1] == '"')
            value = str_slice(value, 1, value.n - 1);
        return value;
    }
    return STR_NONE;
}

/* ---- fields ---- */

static const struct arrival_field *find_name(const struct arrival_field *field, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(field[i].name, name)) return &field[i];
    return NULL;
}

/* Written once: a json_set() for each field would copy all those before it. */
const struct json *arrival_fields(const struct arrival_field *field, size_t count, struct arena *arena)
{
    struct json_builder object;
    json_builder_init(&object, arena);
    json_open_object(&object);
    for (size_t i = 0; i < count; i++) {
        const struct arrival_field *last = &field[i], *later;
        if (find_name(field, i, field[i].name)) continue;
        while ((later = find_name(last + 1, (size_t)(field + count - last) - 1, last->name)) != NULL)
            last = later;
        json_add_name(&object, last->name);
        json_add_string(&object, last->value);
    }
    json_close(&object);
    return json_built(&object);
}

/* A field as it came: a text or a file. */
struct sent_field {
    str name;
    const struct json *value;
};

struct sent_form {
    struct sent_field field[ARRIVAL_FORM_FIELDS_MAX];
    size_t count;
    struct arena *arena;
};

static enum status add_field(struct sent_form *form, str name, const struct json *value, struct error *err)
{
    if (form->count == ARRIVAL_FORM_FIELDS_MAX)
        return fail(err, ST_INVALID, "body", "the form has more than %d fields (ARRIVAL_FORM_FIELDS_MAX)",
                    ARRIVAL_FORM_FIELDS_MAX);
    form->field[form->count++] = (struct sent_field){ name, value };
    return ST_OK;
}

static enum status add_text(struct sent_form *form, str name, str text, struct error *err)
{
    if (!utf8_is_valid(name) || !utf8_is_valid(text))
        return fail(err, ST_INVALID, "body", "a field of the form is not UTF-8");
    return add_field(form, name, json_of_string(form->arena, text), err);
}

/* A list for each name, in the order of the first of each. */
static const struct json *list_fields(const struct sent_form *form)
{
    struct json_builder object;
    json_builder_init(&object, form->arena);
    json_open_object(&object);
    for (size_t i = 0; i < form->count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) seen = str_equal(form->field[k].name, form->field[i].name);
        if (seen) continue;
        json_add_name(&object, form->field[i].name);
        json_open_array(&object);
        for (size_t k = i; k < form->count; k++)
            if (str_equal(form->field[k].name, form->field[i].name)) json_add(&object, form->field[k].value);
        json_close(&object);
    }
    json_close(&object);
    return json_built(&object);
}

/* ---- a=1&b=two+words ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static str decode_part(str part, bool plus_is_space, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    for (size_t i = 0; i < part.n; i++) {
        int high = part.p[i] == '%' && i + 2 < part.n ? digit_of(part.p[i + 1]) : -1;
        int low = high >= 0 ? digit_of(part.p[i + 2]) : -1;
        if (low >= 0) {
            buf_add_char(&text, (char)(high * 16 + low));
            i += 2;
        } else {
            buf_add_char(&text, part.p[i] == '+' && plus_is_space ? ' ' : part.p[i]);
        }
    }
    return buf_str(&text);
}

static enum status read_pairs(struct sent_form *form, str raw, struct error *err)
{
    for (size_t from = 0; from < raw.n;) {
        size_t end = str_find(raw, STR("&"), from);
        if (end == SIZE_MAX) end = raw.n;
        str pair = str_slice(raw, from, end);
        size_t equals = str_find(pair, STR("="), 0);
        str name = decode_part(str_slice(pair, 0, equals), true, form->arena);
        str value = equals == SIZE_MAX ? STR("")
                                       : decode_part(str_slice(pair, equals + 1, pair.n), true, form->arena);
        from = end + 1;
        if (pair.n) TRY(add_text(form, name, value, err));
    }
    return ST_OK;
}

/* ---- parts with a boundary, which may be files ---- */

/* The value of a header among the lines of a part; empty: it is not there. */
static str header_of_part(str lines, str name)
{
    while (lines.n) {
        size_t end = str_find(lines, STR("\r\n"), 0);
        str line = str_slice(lines, 0, end);
        size_t colon = str_find(line, STR(":"), 0);
        if (colon != SIZE_MAX && str_equal_ignoring_case(str_trim(str_slice(line, 0, colon)), name))
            return str_trim(str_slice(line, colon + 1, line.n));
        lines = end == SIZE_MAX ? STR_NONE : str_slice(lines, end + 2, lines.n);
    }
    return STR_NONE;
}

/* The type that the browser guessed. It goes into texts, so it has to look like one. */
static str type_of_file(str lines)
{
    str type = header_of_part(lines, STR("content-type"));
    for (size_t i = 0; i < type.n; i++)
        if (!ascii_is_lower(type.p[i]) && !ascii_is_upper(type.p[i]) && !ascii_is_digit(type.p[i]) &&
            str_find(STR("/+.-_"), (str){ &type.p[i], 1 }, 0) == SIZE_MAX)
            return STR("application/octet-stream");
    return type.n ? type : STR("application/octet-stream");
}

static enum status add_file(struct sent_form *form, str name, str file_name, str type, str bytes,
                            struct error *err)
{
    struct json_builder file;
    if (!file_name.n && !bytes.n) return ST_OK; /* The person chose none. */
    if (!utf8_is_valid(name) || !utf8_is_valid(file_name))
        return fail(err, ST_INVALID, "body", "a field of the form is not UTF-8");
    json_builder_init(&file, form->arena);
    json_open_object(&file);
    json_add_text(&file, STR("name"), file_name);
    json_add_text(&file, STR("type"), type);
    json_add_text(&file, STR("content"), base64_encode(bytes, form->arena));
    json_close(&file);
    return add_field(form, name, json_built(&file), err);
}

static enum status read_part(struct sent_form *form, str part, struct error *err)
{
    size_t blank = str_find(part, STR("\r\n\r\n"), 0);
    if (blank == SIZE_MAX) return fail(err, ST_INVALID, "body", "a part of the form has no head");
    str lines = str_slice(part, 0, blank), bytes = str_slice(part, blank + 4, part.n);
    str disposition = header_of_part(lines, STR("content-disposition"));
    str name = decode_part(arrival_parameter(disposition, STR("name")), false, form->arena);
    if (!name.n) return fail(err, ST_INVALID, "body", "a part of the form has no name");
    /* A part is a file if it has a file name, even an empty one. */
    if (str_find(disposition, STR("filename="), 0) == SIZE_MAX) return add_text(form, name, bytes, err);
    str file_name = decode_part(arrival_parameter(disposition, STR("filename")), false, form->arena);
    return add_file(form, name, file_name, type_of_file(lines), bytes, err);
}

static enum status read_parts(struct sent_form *form, str raw, str boundary, struct error *err)
{
    if (!boundary.n || boundary.n > ARRIVAL_BOUNDARY_BYTES_MAX)
        return fail(err, ST_INVALID, "content-type", "a form in parts needs a boundary of 1 to %d bytes",
                    ARRIVAL_BOUNDARY_BYTES_MAX);
    str mark = arena_printf(form->arena, "\r\n--%.*s", STR_ARG(boundary));
    str first = str_slice(mark, 2, mark.n);
    if (!str_starts(raw, first))
        return fail(err, ST_INVALID, "body", "the form does not begin with its boundary");
    for (size_t at = first.n;;) {
        str rest = str_slice(raw, at, raw.n);
        if (str_starts(rest, STR("--"))) return ST_OK;
        if (!str_starts(rest, STR("\r\n"))) break;
        size_t end = str_find(raw, mark, at);
        if (end == SIZE_MAX) break;
        TRY(read_part(form, str_slice(raw, at + 2, end), err));
        at = end + mark.n;
    }
    return fail(err, ST_INVALID, "body", "the form ends before its last boundary");
}

enum status arrival_read_form(const struct arrival_event *event, struct arena *arena,
                              const struct json **ret_fields, struct error *err)
{
    struct sent_form form = { .count = 0, .arena = arena };
    if (is_of_type(event, STR(URL_ENCODED))) TRY(read_pairs(&form, event->raw, err));
    else TRY(read_parts(&form, event->raw, arrival_parameter(content_type(event), STR("boundary")), err));
    *ret_fields = list_fields(&form);
    return ST_OK;
}
