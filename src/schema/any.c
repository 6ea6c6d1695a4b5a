/* schema/any.c — keywords for values of any kind: type, enum, const. */
#include "schema/keywords_int.h"

#include "base/utf8.h"

#include <stdio.h>

enum {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INTEGER = 4,
    TYPE_NUMBER = 8,
    TYPE_STRING = 16,
    TYPE_ARRAY = 32,
    TYPE_OBJECT = 64,
};

static const struct {
    str name;
    const char *words;
    uint32_t bit;
} types[] = {
    { STR_INIT("null"), "null", TYPE_NULL },
    { STR_INIT("boolean"), "true or false", TYPE_BOOLEAN },
    { STR_INIT("integer"), "an integer", TYPE_INTEGER },
    { STR_INIT("number"), "a number", TYPE_NUMBER },
    { STR_INIT("string"), "a string", TYPE_STRING },
    { STR_INIT("array"), "an array", TYPE_ARRAY },
    { STR_INIT("object"), "an object", TYPE_OBJECT },
};

enum { VALUE_BYTES_PER_FUEL = 64, VALUE_CHARS_SHOWN = 60 };

/* ---- type ---- */

static uint32_t type_of_name(const struct json *name)
{
    for (size_t i = 0; json_is(name, JSON_STRING) && i < COUNT(types); i++)
        if (str_equal(types[i].name, json_string(name))) return types[i].bit;
    return 0;
}

enum status schema_read_type(struct schema_reader *reader, const struct schema_node *node,
                             struct schema_rule *rule, struct error *err)
{
    (void)reader;
    bool good = true;
    if (json_is(rule->value, JSON_ARRAY)) {
        struct json_each each = json_each(rule->value);
        while (json_next(&each)) {
            uint32_t bit = type_of_name(each.value);
            good = good && bit;
            rule->types |= bit;
        }
    } else {
        rule->types = type_of_name(rule->value);
    }
    if (good && rule->types) return ST_OK;
    return schema_refuse(
        node, rule->keyword->name, ST_INVALID, err,
        "must be null, boolean, integer, number, string, array or object, or an array of these");
}

static uint32_t types_of_value(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_NULL: return TYPE_NULL;
    case JSON_BOOL: return TYPE_BOOLEAN;
    case JSON_NUMBER: return json_is_integer(value) ? TYPE_INTEGER | TYPE_NUMBER : TYPE_NUMBER;
    case JSON_STRING: return TYPE_STRING;
    case JSON_ARRAY: return TYPE_ARRAY;
    case JSON_OBJECT: return TYPE_OBJECT;
    }
    return 0;
}

bool schema_check_type(struct schema_run *run, const struct schema_rule *rule,
                       const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    uint32_t has = types_of_value(place->value);
    if (has & rule->types) return true;
    if (!schema_goes_on(run)) return false;
    char wanted[128] = "";
    size_t n = 0;
    const char *found = "";
    uint32_t left = rule->types;
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].bit & has) found = types[i].words;
        if (!(types[i].bit & left)) continue;
        left &= ~types[i].bit;
        const char *between = !n ? "" : left ? ", " : " or ";
        n += (size_t)snprintf(wanted + n, sizeof wanted - n, "%s%s", between, types[i].words);
    }
    if (json_is(place->value, JSON_BOOL)) found = json_bool(place->value) ? "true" : "false";
    return schema_report(run, rule, place, "must be %s, and is %s", wanted, found);
}

/* ---- enum and const ---- */

static bool equals(struct schema_run *run, const struct json *a, const struct json *b)
{
    return schema_spend(run, json_bytes(a) / VALUE_BYTES_PER_FUEL + 1) && json_equal(a, b);
}

/* The value as text, cut where it is long. */
static str shown(struct schema_run *run, const struct json *value)
{
    if (json_bytes(value) > 4096) return STR("…");
    struct buf out;
    buf_init(&out, run->arena);
    json_print(value, &out);
    str text = buf_str(&out), cut = utf8_cut(text, VALUE_CHARS_SHOWN);
    return cut.n == text.n ? text : arena_printf(run->arena, "%.*s…", STR_ARG(cut));
}

enum status schema_read_enum(struct schema_reader *reader, const struct schema_node *node,
                             struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (json_is(rule->value, JSON_ARRAY)) return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be an array");
}

bool schema_check_enum(struct schema_run *run, const struct schema_rule *rule,
                       const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    struct json_each each = json_each(rule->value);
    while (json_next(&each)) {
        if (equals(run, each.value, place->value)) return true;
        if (run->status != ST_OK) return false;
    }
    if (!schema_goes_on(run)) return false;
    struct buf list;
    buf_init(&list, run->arena);
    each = json_each(rule->value);
    for (size_t i = 0; json_next(&each) && list.n < SCHEMA_MESSAGE_BYTES_MAX; i++) {
        if (i) buf_add_str(&list, i + 1 == json_count(rule->value) ? STR(" or ") : STR(", "));
        buf_add_str(&list, shown(run, each.value));
    }
    return schema_report(run, rule, place, "must be %s%.*s",
                         json_count(rule->value) ? "" : "one of no values", STR_ARG(buf_str(&list)));
}

bool schema_check_const(struct schema_run *run, const struct schema_rule *rule,
                        const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (equals(run, rule->value, place->value)) return true;
    if (!schema_goes_on(run)) return false;
    return schema_report(run, rule, place, "must be %.*s", STR_ARG(shown(run, rule->value)));
}
