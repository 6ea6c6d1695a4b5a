/* model/find.c — the place of a schema that a path leads to. */
#include "model/model_int.h"

#include "base/ascii.h"
#include "json/text.h"

/* The rest of a path, and the last name in it that was written with escapes. */
struct path_reading {
    const char *p, *end;
    char name[MODEL_NAME_BYTES_MAX];
};

enum find_step { STEP_BAD, STEP_NAME, STEP_ELEMENT };

static bool are_digits(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!ascii_is_digit(text.p[i])) return false;
    return text.n > 0;
}

/* Behind the point: up to the next point or bracket. */
static enum find_step read_plain(struct path_reading *reading, str *ret_name)
{
    const char *from = reading->p;
    while (reading->p < reading->end && *reading->p != '.' && *reading->p != '[') {
        if (memchr("*]'\"\\", *reading->p, 5)) return STEP_BAD;
        reading->p++;
    }
    *ret_name = (str){ from, (size_t)(reading->p - from) };
    return ret_name->n ? STEP_NAME : STEP_BAD;
}

/* One character of a name in quotes: a byte as it is, an escape of JSON, or any other character behind a
 * backslash. */
static bool read_character(struct path_reading *reading, char ret_bytes[4], size_t *ret_count)
{
    *ret_count = 1;
    if (*reading->p == '\\') {
        if (reading->end - reading->p < 2) return false;
        if (memchr("bfnrtu", reading->p[1], 6))
            return !text_escape(&reading->p, reading->end, ret_bytes, ret_count);
        reading->p++;
    }
    ret_bytes[0] = *reading->p++;
    return true;
}

/* Behind the bracket, at the quote. No field has a longer name than there is room for. */
static enum find_step read_quoted(struct path_reading *reading, str *ret_name)
{
    char quote = *reading->p++, bytes[4];
    size_t n = 0, count;
    while (reading->p < reading->end && *reading->p != quote) {
        if (!read_character(reading, bytes, &count) || count > sizeof reading->name - n) return STEP_BAD;
        memcpy(reading->name + n, bytes, count);
        n += count;
    }
    if (reading->end - reading->p < 2 || reading->p[1] != ']') return STEP_BAD;
    reading->p += 2;
    *ret_name = (str){ reading->name, n };
    return STEP_NAME;
}

static enum find_step read_step(struct path_reading *reading, str *ret_name)
{
    char c = *reading->p++;
    if (c == '.') return read_plain(reading, ret_name);
    if (c != '[' || reading->p == reading->end) return STEP_BAD;
    if (*reading->p == '\'' || *reading->p == '"') return read_quoted(reading, ret_name);
    const char *from = reading->p;
    while (reading->p < reading->end && *reading->p != ']') reading->p++;
    if (reading->p == reading->end) return STEP_BAD;
    str index = { from, (size_t)(reading->p++ - from) };
    str digits = str_starts(index, STR("-")) ? str_slice(index, 1, index.n) : index;
    return str_equal(index, STR("*")) || are_digits(digits) ? STEP_ELEMENT : STEP_BAD;
}

static const struct model_node *follow(const struct model_node *node, enum find_step kind, str name)
{
    if (kind == STEP_ELEMENT) return node->element;
    const struct model_node *field = grow_find_field(node, name, 0);
    return !field && are_digits(name) ? node->element : field;
}

enum model_found model_find(const struct model_schema *schema, str path, model_types *ret_types)
{
    if (!path.n || path.p[0] != '$') return MODEL_BAD_PATH;
    struct path_reading reading = { .p = path.p + 1, .end = path.p + path.n };
    const struct model_node *node = schema->root;
    while (reading.p < reading.end) {
        str name = STR_NONE;
        enum find_step kind = read_step(&reading, &name);
        if (kind == STEP_BAD) return MODEL_BAD_PATH;
        if (node) node = follow(node, kind, name); /* The rest behind a missing place must still be a path. */
    }
    if (!node) return MODEL_NOT_FOUND;
    *ret_types = node->types;
    return MODEL_FOUND;
}
