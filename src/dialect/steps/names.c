/* dialect/steps/names.c — a document with its fields named as the format names them.
 *
 * Documents may spell field names in any case; stored and shown documents have one spelling. */
#include "dialect/steps/steps_int.h"

/* The fields that hold objects of a kind, or lists of them. */
static const struct {
    enum object_kind owner;
    size_t field;
    enum object_kind kind;
} inner[] = {
    { OBJECT_DEFINITION, DEFINITION_STEPS, OBJECT_STEP }, { OBJECT_STEP, STEP_BOUNDARY_EVENTS, OBJECT_EVENT },
    { OBJECT_STEP, STEP_DECISION_TABLE, OBJECT_TABLE },   { OBJECT_STEP, STEP_RETRY_BACKOFF, OBJECT_BACKOFF },
    { OBJECT_TABLE, TABLE_RULES, OBJECT_RULE },           { OBJECT_STEP, STEP_CONTINUE_AS, OBJECT_NEXT },
};

static void add_object(struct json_builder *builder, enum object_kind kind, const struct json *object);

static void add_value(struct json_builder *builder, enum object_kind owner, str name,
                      const struct json *value)
{
    for (size_t i = 0; i < COUNT(inner); i++) {
        if (inner[i].owner != owner || !str_equal(name, str_of(steps_field_name(owner, inner[i].field))))
            continue;
        if (json_is(value, JSON_OBJECT)) {
            add_object(builder, inner[i].kind, value);
            return;
        }
        if (!json_is(value, JSON_ARRAY)) break;
        json_open_array(builder);
        struct json_each each = json_each(value);
        while (json_next(&each)) add_object(builder, inner[i].kind, each.value);
        json_close(builder);
        return;
    }
    json_add(builder, value);
}

/* Kinds nest four deep at most, whatever the document does. */
static void add_object(struct json_builder *builder, enum object_kind kind, const struct json *object)
{
    if (!json_is(object, JSON_OBJECT)) {
        json_add(builder, object);
        return;
    }
    json_open_object(builder);
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        str name = steps_spelling(kind, each.name); /* Two spellings of one field have been refused. */
        json_add_name(builder, name);
        add_value(builder, kind, name, each.value);
    }
    json_close(builder);
}

const struct json *steps_normal(const struct json *document, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    add_object(&builder, OBJECT_DEFINITION, document);
    return json_built(&builder);
}
