/* api/forms/kinds.c — which control asks for a value, by its schema. web/src/ui/form/schema.ts decides in the
 * same way. */
#include "api/forms/forms_int.h"

#include "base/ascii.h"

/* The schema that a reference into the same document leads to; NULL: none. */
static const struct json *follow(const struct json *root, const struct json *schema)
{
    const struct json *reference = json_get(schema, STR("$ref"));
    if (!json_is(reference, JSON_STRING) || !str_starts(json_string(reference), STR("#"))) return NULL;
    return json_pointer(root, str_slice(json_string(reference), 1, json_string(reference).n));
}

const struct json *forms_word(const struct json *root, const struct json *schema, const char *keyword)
{
    for (int hops = 0; schema && hops < FORM_HOPS_MAX; hops++, schema = follow(root, schema)) {
        const struct json *value = json_get(schema, str_of(keyword));
        if (value) return value;
    }
    return NULL;
}

str forms_text(const struct json *root, const struct json *schema, const char *keyword)
{
    const struct json *value = forms_word(root, schema, keyword);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* The type that is asked for; of several the first that is not null. */
static str type_of(const struct json *root, const struct json *schema)
{
    const struct json *type = forms_word(root, schema, "type");
    if (json_is(type, JSON_STRING)) return json_string(type);
    for (size_t i = 0; json_is(type, JSON_ARRAY) && i < json_count(type); i++) {
        const struct json *one = json_item(type, i);
        if (json_is(one, JSON_STRING) && !str_equal(json_string(one), STR("null"))) return json_string(one);
    }
    return STR_NONE;
}

static bool are_values(const struct json *alternatives)
{
    for (size_t i = 0; i < json_count(alternatives); i++)
        if (!json_get(json_item(alternatives, i), STR("const"))) return false;
    return json_is(alternatives, JSON_ARRAY) && json_count(alternatives);
}

const struct json *forms_options(const struct json *root, const struct json *schema)
{
    const struct json *values = forms_word(root, schema, "enum");
    if (json_is(values, JSON_ARRAY)) return values;
    values = forms_word(root, schema, "oneOf");
    if (!values) values = forms_word(root, schema, "anyOf");
    return are_values(values) ? values : NULL;
}

static bool is_file(const struct json *root, const struct json *schema)
{
    str format = forms_text(root, schema, "format");
    return str_equal_ignoring_case(forms_text(root, schema, "contentEncoding"), STR("base64")) ||
           str_equal(format, STR("data-url")) || str_equal(format, STR("binary"));
}

static enum form_kind kind_of_text(const struct json *root, const struct json *schema)
{
    str format = forms_text(root, schema, "format");
    int64_t most = 0;
    if (is_file(root, schema)) return FORM_FILE;
    if (str_equal(format, STR("textarea")) || str_equal(format, STR("multiline"))) return FORM_LONG_TEXT;
    const struct json *length = forms_word(root, schema, "maxLength");
    bool is_long = length && json_int64(length, &most) && most > FORM_LINE_CHARS_MAX;
    return is_long ? FORM_LONG_TEXT : FORM_TEXT;
}

static enum form_kind kind_of_list(const struct json *root, const struct json *schema)
{
    const struct json *items = forms_word(root, schema, "items");
    str type = type_of(root, items);
    if (items && forms_options(root, items)) return FORM_CHOICES;
    if (items && is_file(root, items)) return FORM_FILE;
    bool is_simple =
        str_equal(type, STR("string")) || str_equal(type, STR("number")) || str_equal(type, STR("integer"));
    return is_simple ? FORM_LINES : FORM_JSON;
}

/* A name with a dot would be taken for a way into an object. */
static enum form_kind kind_of_group(const struct json *root, const struct json *schema, size_t depth)
{
    const struct json *properties = forms_word(root, schema, "properties");
    if (!json_is(properties, JSON_OBJECT) || !json_count(properties) || depth >= FORM_DEPTH_MAX)
        return FORM_JSON;
    struct json_each each = json_each(properties);
    while (json_next(&each))
        if (str_find(each.name, STR("."), 0) != SIZE_MAX) return FORM_JSON;
    return FORM_GROUP;
}

enum form_kind forms_kind(const struct json *root, const struct json *schema, size_t depth)
{
    str type = type_of(root, schema);
    if (forms_word(root, schema, "const")) return FORM_FIXED;
    if (forms_options(root, schema)) return FORM_CHOICE;
    if (str_equal(type, STR("boolean"))) return FORM_FLAG;
    if (str_equal(type, STR("number")) || str_equal(type, STR("integer"))) return FORM_NUMBER;
    if (str_equal(type, STR("array"))) return kind_of_list(root, schema);
    if (str_equal(type, STR("object"))) return kind_of_group(root, schema, depth);
    return kind_of_text(root, schema);
}

str forms_label(const struct json *root, const struct json *schema, str name, struct arena *arena)
{
    str title = forms_text(root, schema, "title");
    struct buf label;
    if (title.n) return title;
    buf_init(&label, arena);
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool begins =
            i && ascii_is_upper(c) && (ascii_is_lower(name.p[i - 1]) || ascii_is_digit(name.p[i - 1]));
        if (begins) buf_add_char(&label, ' ');
        if (c == '_' || c == '-') buf_add_char(&label, ' ');
        else if (!label.n && ascii_is_lower(c)) buf_add_char(&label, (char)(c - 'a' + 'A'));
        else buf_add_char(&label, begins ? (char)(c - 'A' + 'a') : c);
    }
    return buf_str(&label);
}
