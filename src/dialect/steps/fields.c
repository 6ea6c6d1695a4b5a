/* dialect/steps/fields.c — strict reading of one object.
 *
 * A member belongs to the field of exactly its name or, failing that, of the same name in another case,
 * because existing documents rely on that. Any other member is unknown and refused. null counts as absent.
 */
#include "dialect/steps/steps_int.h"

#include "base/must.h"

struct field_spec {
    str name;
    enum shape shape;
};

#define XX(NAME, text, shape) { { text, sizeof(text) - 1 }, SHAPE_##shape },
static const struct field_spec definition_fields[] = { DEFINITION_FIELD_MAP(XX) };
static const struct field_spec step_fields[] = { STEP_FIELD_MAP(XX) };
static const struct field_spec event_fields[] = { EVENT_FIELD_MAP(XX) };
static const struct field_spec table_fields[] = { TABLE_FIELD_MAP(XX) };
static const struct field_spec rule_fields[] = { RULE_FIELD_MAP(XX) };
static const struct field_spec backoff_fields[] = { BACKOFF_FIELD_MAP(XX) };
static const struct field_spec next_fields[] = { NEXT_FIELD_MAP(XX) };
#undef XX

/* Fields of the format before the current one, and what to write instead. */
struct removed_field {
    str name;
    const char *instead;
};

static const struct {
    const struct field_spec *field;
    size_t count;
    struct removed_field removed;
} objects[OBJECT_KIND_COUNT] = {
    [OBJECT_DEFINITION] = { definition_fields, COUNT(definition_fields), { { NULL, 0 }, NULL } },
    [OBJECT_STEP] = { step_fields, COUNT(step_fields), { { NULL, 0 }, NULL } },
    [OBJECT_EVENT] = { event_fields, COUNT(event_fields), { { NULL, 0 }, NULL } },
    [OBJECT_TABLE] = { table_fields,
                       COUNT(table_fields),
                       { { "defaultNextStep", 15 }, "write a last rule with an empty \"when\" instead" } },
    [OBJECT_RULE] = { rule_fields,
                      COUNT(rule_fields),
                      { { "then", 4 },
                        "give the rule outputs and route in a DECISION step behind the table" } },
    [OBJECT_BACKOFF] = { backoff_fields, COUNT(backoff_fields), { { NULL, 0 }, NULL } },
    [OBJECT_NEXT] = { next_fields, COUNT(next_fields), { { NULL, 0 }, NULL } },
};

const char *steps_field_name(enum object_kind kind, size_t field)
{
    must(field < objects[kind].count);
    return objects[kind].field[field].name.p;
}

/* ---- what was read ---- */

str fields_text(const struct fields *fields, size_t field)
{
    must(!fields->at[field].value || json_is(fields->at[field].value, JSON_STRING));
    const struct json *value = fields->at[field].value;
    return value ? json_string(value) : STR("");
}

bool fields_flag(const struct fields *fields, size_t field)
{
    must(!fields->at[field].value || json_is(fields->at[field].value, JSON_BOOL));
    const struct json *value = fields->at[field].value;
    return value && json_bool(value);
}

bool fields_given(const struct fields *fields, size_t field)
{
    const struct json *value = fields->at[field].value;
    if (!value) return false;
    switch (json_kind(value)) {
    case JSON_NULL: return false;
    case JSON_BOOL: return json_bool(value);
    case JSON_NUMBER: return json_double(value) != 0;
    case JSON_STRING: return json_string(value).n > 0;
    case JSON_ARRAY:
    case JSON_OBJECT: return json_count(value) > 0;
    }
    return false;
}

str fields_pointer(struct steps *steps, const struct fields *fields, size_t field)
{
    str name = fields->at[field].name.n ? fields->at[field].name : objects[fields->kind].field[field].name;
    return problem_pointer(steps->arena, fields->pointer, name);
}

/* ---- types ---- */

static bool has_shape(const struct json *value, enum shape shape)
{
    int64_t integer;
    switch (shape) {
    case SHAPE_STRING: return json_is(value, JSON_STRING);
    case SHAPE_BOOLEAN: return json_is(value, JSON_BOOL);
    case SHAPE_INTEGER: return json_is(value, JSON_NUMBER) && json_int64(value, &integer);
    case SHAPE_NUMBER: return json_is(value, JSON_NUMBER);
    case SHAPE_OBJECT: return json_is(value, JSON_OBJECT);
    case SHAPE_ARRAY: return json_is(value, JSON_ARRAY);
    }
    return false;
}

void steps_wrong_type(struct steps *steps, str pointer, str name, enum shape expected,
                      const struct json *value)
{
    static const char *const words[] = {
        [SHAPE_STRING] = "a string", [SHAPE_BOOLEAN] = "a boolean", [SHAPE_INTEGER] = "an integer",
        [SHAPE_NUMBER] = "a number", [SHAPE_OBJECT] = "an object",  [SHAPE_ARRAY] = "an array",
    };
    bool fraction = expected == SHAPE_INTEGER && json_is(value, JSON_NUMBER);
    problem_error(steps->problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                  "%s: field %s must be %s, not %s (at %.*s)", problems_format(steps->problems),
                  problem_quote(steps->arena, name), words[expected],
                  fraction ? "a number that is fractional or very large" : json_kind_phrase(json_kind(value)),
                  STR_ARG(pointer));
}

/* ---- members ---- */

static size_t find_exact(enum object_kind kind, str name)
{
    for (size_t i = 0; i < objects[kind].count; i++)
        if (str_equal(objects[kind].field[i].name, name)) return i;
    return SIZE_MAX;
}

static size_t find_in_any_case(enum object_kind kind, str name)
{
    for (size_t i = 0; i < objects[kind].count; i++)
        if (str_equal_ignoring_case(objects[kind].field[i].name, name)) return i;
    return SIZE_MAX;
}

str steps_spelling(enum object_kind kind, str name)
{
    size_t field = find_exact(kind, name);
    if (field == SIZE_MAX) field = find_in_any_case(kind, name);
    return field == SIZE_MAX ? name : objects[kind].field[field].name;
}

static void take(struct steps *steps, struct fields *fields, size_t field, str name, const struct json *value)
{
    must(field < objects[fields->kind].count);
    enum shape shape = objects[fields->kind].field[field].shape;
    fields->at[field].name = name;
    if (json_is(value, JSON_NULL)) return;
    if (has_shape(value, shape)) {
        fields->at[field].value = value;
        return;
    }
    fields->at[field].refused = true;
    steps_wrong_type(steps, fields_pointer(steps, fields, field), name, shape, value);
}

static void refuse_unknown(struct steps *steps, const struct fields *fields, str name)
{
    str pointer = problem_pointer(steps->arena, fields->pointer, name);
    const struct removed_field *removed = &objects[fields->kind].removed;
    if (removed->instead && str_equal_ignoring_case(removed->name, name)) {
        problem_error(steps->problems, PROBLEM_REMOVED_FIELD, pointer, removed->instead,
                      "%s is no longer supported: %s (at %.*s)", removed->name.p, removed->instead,
                      STR_ARG(pointer));
        return;
    }
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (size_t i = 0; i < objects[fields->kind].count; i++)
        nearest_offer(&nearest, objects[fields->kind].field[i].name);
    problem_error(steps->problems, PROBLEM_UNKNOWN_FIELD, pointer, nearest_hint(&nearest, steps->arena),
                  "%s: unknown field %s", problems_format(steps->problems),
                  problem_quote(steps->arena, name));
}

void steps_no_fields(struct steps *steps, enum object_kind kind, str pointer, struct fields *ret_fields)
{
    struct field_value *field = arena_make_n(steps->arena, struct field_value, objects[kind].count);
    *ret_fields = (struct fields){ .kind = kind, .pointer = pointer, .at = field };
}

void steps_refuse_fields(struct fields *fields)
{
    for (size_t i = 0; i < objects[fields->kind].count; i++) fields->at[i].refused = true;
}

void steps_read_fields(struct steps *steps, enum object_kind kind, const struct json *object, str pointer,
                       struct fields *ret_fields)
{
    must(json_is(object, JSON_OBJECT));
    steps_no_fields(steps, kind, pointer, ret_fields);

    size_t left = 0;
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        size_t field = find_exact(kind, each.name);
        if (field != SIZE_MAX) take(steps, ret_fields, field, each.name, each.value);
        else left++;
    }
    each = json_each(object);
    while (left && json_next(&each)) {
        if (find_exact(kind, each.name) != SIZE_MAX) continue;
        size_t field = find_in_any_case(kind, each.name);
        if (field != SIZE_MAX && !ret_fields->at[field].name.n)
            take(steps, ret_fields, field, each.name, each.value);
        else refuse_unknown(steps, ret_fields, each.name);
    }
}
