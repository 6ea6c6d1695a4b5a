/* dialect/steps/lower_schema.c — input_schema and outputs_schema.
 *
 *     { "properties": { "amount": { "type": "number" } }, "required": ["amount"] }
 *
 * Nothing else of JSON Schema is read: keywords that would not be enforced are refused rather than ignored. A
 * "type" of "object" around it and a "description" of a property are allowed.
 */
#include "dialect/steps/steps_int.h"

#include "base/must.h"

struct field_schema {
    struct steps *steps;
    const char *owner;
    struct program_field *field;
    size_t count;
};

static void complain(struct field_schema *schema, str pointer, str name, const char *complaint)
{
    struct steps *steps = schema->steps;
    problem_error(steps->problems, PROBLEM_BAD_SCHEMA, pointer, NULL, "%s: %s %s", schema->owner,
                  problem_quote(steps->arena, name), complaint);
}

static const struct {
    str name;
    enum field_type type;
} types[] = {
    { { "string", 6 }, FIELD_STRING },
    { { "number", 6 }, FIELD_NUMBER },
    { { "integer", 7 }, FIELD_INTEGER },
    { { "boolean", 7 }, FIELD_BOOLEAN },
};

static bool find_type(const struct json *name, enum field_type *ret_type)
{
    if (!json_is(name, JSON_STRING)) return false;
    for (size_t i = 0; i < COUNT(types); i++) {
        if (!str_equal(types[i].name, json_string(name))) continue;
        *ret_type = types[i].type;
        return true;
    }
    return false;
}

static void lower_property(struct field_schema *schema, str pointer, str name, const struct json *property)
{
    struct program_field *field = &schema->field[schema->count++];
    *field = (struct program_field){
        .name = arena_str(program_arena(schema->steps->program), name),
        .type = FIELD_ANY,
    };
    if (!json_is(property, JSON_OBJECT)) {
        complain(schema, pointer, name, "must be an object with a type");
        return;
    }
    struct json_each each = json_each(property);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("description"))) continue;
        str place = problem_pointer(schema->steps->arena, pointer, each.name);
        if (!str_equal(each.name, STR("type")))
            complain(schema, place, each.name, "is not supported in a property; only type is");
        else if (!find_type(each.value, &field->type))
            complain(schema, place, name, "must have the type string, number, integer or boolean");
    }
}

static void lower_properties(struct field_schema *schema, str pointer, const struct json *properties)
{
    if (!json_is(properties, JSON_OBJECT)) {
        complain(schema, pointer, STR("properties"), "must be an object");
        return;
    }
    struct json_each each = json_each(properties);
    while (json_next(&each))
        lower_property(schema, problem_pointer(schema->steps->arena, pointer, each.name), each.name,
                       each.value);
}

/* A required name without a property must be there too, with any value. */
static void require_field(struct field_schema *schema, str name)
{
    for (size_t i = 0; i < schema->count; i++) {
        if (!str_equal(schema->field[i].name, name)) continue;
        schema->field[i].required = true;
        return;
    }
    schema->field[schema->count++] = (struct program_field){
        .name = arena_str(program_arena(schema->steps->program), name),
        .type = FIELD_ANY,
        .required = true,
    };
}

static void lower_required(struct field_schema *schema, str pointer, const struct json *required)
{
    if (!json_is(required, JSON_ARRAY)) {
        complain(schema, pointer, STR("required"), "must be an array of names");
        return;
    }
    struct json_each each = json_each(required);
    for (size_t i = 0; json_next(&each); i++) {
        if (json_is(each.value, JSON_STRING)) require_field(schema, json_string(each.value));
        else
            complain(schema, problem_pointer_index(schema->steps->arena, pointer, i), STR("required"),
                     "must be an array of names");
    }
}

static void refuse_others(struct field_schema *schema, str pointer, const struct json *document)
{
    struct json_each each = json_each(document);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("properties")) || str_equal(each.name, STR("required"))) continue;
        str place = problem_pointer(schema->steps->arena, pointer, each.name);
        if (!str_equal(each.name, STR("type")))
            complain(schema, place, each.name,
                     "is not supported in a schema; only properties and required are");
        else if (!json_is(each.value, JSON_STRING) || !str_equal(json_string(each.value), STR("object")))
            complain(schema, place, each.name, "must be object");
    }
}

struct program_fields steps_lower_schema(struct steps *steps, const char *owner, const struct fields *fields,
                                         size_t field)
{
    const struct json *document = fields->at[field].value;
    if (!document) return (struct program_fields){ 0 };
    str pointer = fields_pointer(steps, fields, field);
    const struct json *properties = json_get(document, STR("properties"));
    const struct json *required = json_get(document, STR("required"));
    size_t room = json_count(properties) + json_count(required);
    if (room > SCHEMA_FIELDS_MAX) {
        problem_error(steps->problems, PROBLEM_TOO_LARGE, pointer, NULL,
                      "%s: at most %d properties and required names, got %zu", owner, SCHEMA_FIELDS_MAX,
                      room);
        return (struct program_fields){ 0 };
    }
    struct field_schema schema = {
        .steps = steps,
        .owner = owner,
        .field = arena_make_n(program_arena(steps->program), struct program_field, room),
    };
    if (properties)
        lower_properties(&schema, problem_pointer(steps->arena, pointer, STR("properties")), properties);
    if (required) lower_required(&schema, problem_pointer(steps->arena, pointer, STR("required")), required);
    refuse_others(&schema, pointer, document);
    must(schema.count <= room);
    return (struct program_fields){ .field = schema.field, .count = schema.count };
}
