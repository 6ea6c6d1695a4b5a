/* schema/coerce.c — the fields of a form become the object that a schema describes.
 *
 * A form sends texts. The schema tells whether a text stands for a number, for true or false, for an item of
 * a list, or for itself. A text that cannot be what the schema asks for stays a text, so that the check names
 * it. A name with dots leads into objects, unless the schema or the form has a member of the whole name.
 */
#include "schema/schema_int.h"

#include "base/ascii.h"

/* The schemas that a part of the value has to fit: one of each document that is asked. */
struct coerce_parts {
    const struct schema_node *node[SCHEMA_COERCE_MAX];
    size_t count;
};

/* A field on the level that is being made: its name there, and its values. */
struct form_field {
    str name;
    const struct json *values;
    bool is_used;
};

/* ---- a schema's words ---- */

/* The next node that speaks of the same value: the end of a reference. NULL: there is none. */
static const struct schema_node *follow(const struct schema_node *node)
{
    const struct schema_rule *rule = schema_sibling(node, "$ref");
    return rule && rule->node ? rule->node[0] : NULL;
}

/* A keyword of the schema or of those that it refers to; NULL: it is not there. */
static const struct json *find_word(const struct coerce_parts *parts, str keyword)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct schema_node *node = parts->node[i];
        for (int hops = 0; node && hops < SCHEMA_COERCE_HOPS_MAX; hops++, node = follow(node)) {
            const struct json *value = json_get(node->value, keyword);
            if (value) return value;
        }
    }
    return NULL;
}

static void add_part(struct coerce_parts *parts, const struct schema_node *node)
{
    if (node && parts->count < COUNT(parts->node)) parts->node[parts->count++] = node;
}

/* The schemas of a member. */
static struct coerce_parts parts_of_member(const struct coerce_parts *parts, str name)
{
    struct coerce_parts found = { .count = 0 };
    for (size_t i = 0; i < parts->count; i++) {
        const struct schema_node *node = parts->node[i];
        for (int hops = 0; node && hops < SCHEMA_COERCE_HOPS_MAX; hops++, node = follow(node)) {
            const struct schema_rule *properties = schema_sibling(node, "properties");
            const struct schema_named *named = properties ? schema_find_named(properties, name) : NULL;
            if (named) add_part(&found, named->node);
        }
    }
    return found;
}

static struct coerce_parts parts_of_items(const struct coerce_parts *parts)
{
    struct coerce_parts found = { .count = 0 };
    for (size_t i = 0; i < parts->count; i++) {
        const struct schema_node *node = parts->node[i];
        for (int hops = 0; node && hops < SCHEMA_COERCE_HOPS_MAX; hops++, node = follow(node)) {
            const struct schema_rule *items = schema_sibling(node, "items");
            if (items && items->node && !json_is(items->value, JSON_ARRAY)) add_part(&found, items->node[0]);
        }
    }
    return found;
}

static bool names_type(const struct json *type, str name)
{
    if (json_is(type, JSON_STRING)) return str_equal(json_string(type), name);
    for (size_t i = 0; json_is(type, JSON_ARRAY) && i < json_count(type); i++)
        if (names_type(json_item(type, i), name)) return true;
    return false;
}

/* ---- one value ---- */

static bool is_one_of(str text, const char *const *words)
{
    for (; *words; words++)
        if (str_equal_ignoring_case(text, str_of(*words))) return true;
    return false;
}

/* A box that is ticked sends "on". */
static const struct json *read_flag(str text)
{
    static const char *const yes[] = { "true", "on", "yes", "1", NULL };
    static const char *const no[] = { "false", "off", "no", "0", NULL };
    if (is_one_of(text, yes)) return json_of_bool(true);
    return is_one_of(text, no) ? json_of_bool(false) : NULL;
}

/* Does the text stand for this value? */
static bool is_text_of(const struct json *value, str text, struct arena *arena)
{
    struct buf printed;
    if (!value) return false;
    if (json_is(value, JSON_STRING)) return str_equal(json_string(value), text);
    buf_init(&printed, arena);
    json_print(value, &printed);
    return str_equal(buf_str(&printed), text);
}

/* The choice whose text this is; NULL: none. */
static const struct json *find_choice(const struct json *choices, str text, struct arena *arena)
{
    for (size_t i = 0; json_is(choices, JSON_ARRAY) && i < json_count(choices); i++)
        if (is_text_of(json_item(choices, i), text, arena)) return json_item(choices, i);
    return NULL;
}

/* The same for alternatives of which each is one value: {"oneOf": [{"const": 1, "title": "One"}]}. */
static const struct json *find_alternative(const struct json *alternatives, str text, struct arena *arena)
{
    for (size_t i = 0; json_is(alternatives, JSON_ARRAY) && i < json_count(alternatives); i++) {
        const struct json *value = json_get(json_item(alternatives, i), STR("const"));
        if (is_text_of(value, text, arena)) return value;
    }
    return NULL;
}

static const struct json *read_json(str text, bool is_object, struct arena *arena)
{
    const struct json *value;
    struct error err;
    const struct json_limits limits = { .depth_max = SCHEMA_COERCE_DEPTH_MAX };
    if (json_parse(text, &limits, arena, &value, &err) != ST_OK) return NULL;
    return json_is(value, is_object ? JSON_OBJECT : JSON_ARRAY) ? value : NULL;
}

static const struct json *coerce_text(const struct coerce_parts *parts, str text, struct arena *arena)
{
    const struct json *type = find_word(parts, STR("type")), *value = NULL;
    str trimmed = str_trim(text);
    value = find_choice(find_word(parts, STR("enum")), text, arena);
    if (!value) value = find_alternative(find_word(parts, STR("oneOf")), text, arena);
    if (!value) value = find_alternative(find_word(parts, STR("anyOf")), text, arena);
    if (!value && is_text_of(find_word(parts, STR("const")), text, arena))
        value = find_word(parts, STR("const"));
    if (value) return value;
    if (!type || names_type(type, STR("string"))) return json_of_string(arena, text);
    if (names_type(type, STR("number")) || names_type(type, STR("integer")))
        value = json_number_parse(trimmed, arena);
    if (!value && names_type(type, STR("boolean"))) value = read_flag(trimmed);
    if (!value && names_type(type, STR("object"))) value = read_json(trimmed, true, arena);
    if (!value && names_type(type, STR("null")) && str_equal(trimmed, STR("null"))) value = json_null();
    return value ? value : json_of_string(arena, text);
}

/* A name may have anything in it, and a data URL ends its name at a semicolon. */
static void add_encoded(struct buf *url, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (ascii_is_upper(c) || ascii_is_lower(c) || ascii_is_digit(c) || c == '.' || c == '-' || c == '_')
            buf_add_char(url, c);
        else buf_printf(url, "%%%02X", (unsigned char)c);
    }
}

/* A file is its bytes in base64; with its type and name, if the schema wants it as a data URL. */
static const struct json *coerce_file(const struct coerce_parts *parts, const struct json *file,
                                      struct arena *arena)
{
    const struct json *format = find_word(parts, STR("format"));
    str content = json_text(file, STR("content"));
    if (!json_is(format, JSON_STRING) || !str_equal(json_string(format), STR("data-url")))
        return json_of_string(arena, content);
    struct buf url;
    buf_init(&url, arena);
    buf_printf(&url, "data:%.*s;name=", STR_ARG(json_text(file, STR("type"))));
    add_encoded(&url, json_text(file, STR("name")));
    buf_printf(&url, ";base64,%.*s", STR_ARG(content));
    return json_of_string(arena, buf_str(&url));
}

static const struct json *coerce_value(const struct coerce_parts *parts, const struct json *value,
                                       struct arena *arena)
{
    return json_is(value, JSON_STRING) ? coerce_text(parts, json_string(value), arena)
                                       : coerce_file(parts, value, arena);
}

/* Each line that is not empty is an item. */
static void add_lines(struct json_builder *list, const struct coerce_parts *items, str text,
                      struct arena *arena)
{
    for (size_t from = 0; from <= text.n;) {
        size_t end = str_find(text, STR("\n"), from);
        if (end == SIZE_MAX) end = text.n;
        str line = str_trim(str_slice(text, from, end));
        if (line.n) json_add(list, coerce_text(items, line, arena));
        from = end + 1;
    }
}

/* One field says "[1, 2]" in JSON, or has an item on each line, or each value of its name is an item. */
static const struct json *coerce_list(const struct coerce_parts *parts, const struct json *values,
                                      struct arena *arena)
{
    struct coerce_parts items = parts_of_items(parts);
    struct json_builder list;
    const struct json *only = json_item(values, 0);
    bool is_one = json_count(values) == 1 && json_is(only, JSON_STRING);
    const struct json *whole = is_one ? read_json(str_trim(json_string(only)), false, arena) : NULL;
    if (whole) return whole;
    json_builder_init(&list, arena);
    json_open_array(&list);
    if (is_one) add_lines(&list, &items, json_string(only), arena);
    for (size_t i = 0; !is_one && i < json_count(values); i++)
        json_add(&list, coerce_value(&items, json_item(values, i), arena));
    json_close(&list);
    return json_built(&list);
}

static bool is_list(const struct coerce_parts *parts)
{
    const struct json *type = find_word(parts, STR("type"));
    return names_type(type, STR("array")) && !names_type(type, STR("string"));
}

/* ---- members ---- */

/* A text that is left empty says nothing, unless the empty text is a value that has to be there. */
static bool is_left_out(const struct coerce_parts *all, const struct coerce_parts *member, str name,
                        const struct json *value)
{
    if (!all->count || !json_is(value, JSON_STRING) || json_string(value).n) return false;
    const struct json *type = find_word(member, STR("type")), *required = find_word(all, STR("required"));
    bool is_required = false;
    for (size_t i = 0; json_is(required, JSON_ARRAY) && i < json_count(required); i++)
        is_required |= json_is(json_item(required, i), JSON_STRING) &&
                       str_equal(json_string(json_item(required, i)), name);
    return member->count && !(is_required && (!type || names_type(type, STR("string"))));
}

/* If a name comes several times, the last value counts, except in a list. */
static void add_member(struct json_builder *object, const struct coerce_parts *all,
                       const struct form_field *field, struct arena *arena)
{
    struct coerce_parts member = parts_of_member(all, field->name);
    const struct json *last = json_item(field->values, json_count(field->values) - 1);
    bool listed = is_list(&member);
    if (is_left_out(all, &member, field->name, last) && (!listed || json_count(field->values) == 1)) return;
    json_add_name(object, field->name);
    json_add(object,
             listed ? coerce_list(&member, field->values, arena) : coerce_value(&member, last, arena));
}

static bool has_field(const struct form_field *field, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(field[i].name, name)) return true;
    return false;
}

/* "address.street" belongs to the member "address" if that is an object. Empty: the name has no such part. */
static str find_head(const struct coerce_parts *parts, const struct form_field *field, size_t count, str name)
{
    size_t dot = str_find(name, STR("."), 0);
    if (dot == SIZE_MAX || parts_of_member(parts, name).count) return STR_NONE;
    str head = str_slice(name, 0, dot);
    struct coerce_parts member = parts_of_member(parts, head);
    if (!names_type(find_word(&member, STR("type")), STR("object")) || has_field(field, count, head))
        return STR_NONE;
    return head;
}

static void add_level(struct json_builder *object, const struct coerce_parts *parts, struct form_field *field,
                      size_t count, uint32_t depth, struct arena *arena);

/* All fields behind one head, as the object that is its value. */
static void add_group(struct json_builder *object, const struct coerce_parts *parts, str head,
                      struct form_field *field, size_t count, uint32_t depth, struct arena *arena)
{
    struct form_field *inner = arena_make_n(arena, struct form_field, count);
    struct coerce_parts member = parts_of_member(parts, head);
    size_t inner_count = 0;
    for (size_t i = 0; i < count; i++) {
        str name = field[i].name;
        if (field[i].is_used || name.n <= head.n || name.p[head.n] != '.' || !str_starts(name, head))
            continue;
        if (parts_of_member(parts, name).count) continue;
        field[i].is_used = true;
        inner[inner_count++] =
            (struct form_field){ .name = str_slice(name, head.n + 1, name.n), .values = field[i].values };
    }
    json_add_name(object, head);
    json_open_object(object);
    add_level(object, &member, inner, inner_count, depth + 1, arena);
    json_close(object);
}

static void add_level(struct json_builder *object, const struct coerce_parts *parts, struct form_field *field,
                      size_t count, uint32_t depth, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        if (field[i].is_used) continue;
        str head = depth < SCHEMA_COERCE_DEPTH_MAX ? find_head(parts, field, count, field[i].name) : STR_NONE;
        if (head.n) {
            add_group(object, parts, head, &field[i], count - i, depth, arena);
            continue;
        }
        field[i].is_used = true;
        add_member(object, parts, &field[i], arena);
    }
}

const struct json *schema_coerce(const struct schema *const *schema, size_t schema_count,
                                 const struct json *fields, struct arena *arena)
{
    struct coerce_parts parts = { .count = 0 };
    struct json_builder object;
    struct form_field *field = arena_make_n(arena, struct form_field, json_count(fields));
    size_t count = 0;
    for (size_t i = 0; i < schema_count; i++)
        if (schema[i]) add_part(&parts, schema[i]->root);
    struct json_each each = json_each(fields);
    while (json_next(&each))
        if (json_count(each.value))
            field[count++] = (struct form_field){ .name = each.name, .values = each.value };
    json_builder_init(&object, arena);
    json_open_object(&object);
    add_level(&object, &parts, field, count, 0, arena);
    json_close(&object);
    return json_built(&object);
}

const struct json *schema_document(const struct schema *schema) { return schema->root->value; }
