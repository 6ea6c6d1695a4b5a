/* model/encode.c — the stored form of a schema:
 *
 *     {"version": 1, "root": NODE}
 *     NODE = {"types": ["STRING", …], "fields": {"name": NODE, …}, "element": NODE, "length": 3}
 *
 * "fields" is there with OBJECT, "element" and "length" with ARRAY. Decoding trusts nothing: a node that
 * breaks a rule of model_int.h is refused.
 */
#include "model/model_int.h"

enum { ENCODE_VERSION = 1 };

static void encode_node(struct json_builder *builder, const struct model_node *node)
{
    json_open_object(builder);
    json_add_name(builder, STR("types"));
    json_open_array(builder);
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++)
        if (model_types_have(node->types, type)) json_add_string(builder, str_of(model_type_name(type)));
    json_close(builder);
    if (model_types_have(node->types, MODEL_OBJECT)) {
        json_add_name(builder, STR("fields"));
        json_open_object(builder);
        for (size_t i = 0; i < node->field_count; i++) {
            json_add_name(builder, node->field[i].name);
            encode_node(builder, node->field[i].node);
        }
        json_close(builder);
    }
    if (model_types_have(node->types, MODEL_ARRAY)) {
        json_add_name(builder, STR("element"));
        encode_node(builder, node->element);
        json_add_name(builder, STR("length"));
        json_add_int(builder, node->length_max);
    }
    json_close(builder);
}

const struct json *model_encode(const struct model_schema *schema, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("version"));
    json_add_int(&builder, ENCODE_VERSION);
    json_add_name(&builder, STR("root"));
    encode_node(&builder, schema->root);
    json_close(&builder);
    return json_built(&builder);
}

/* ---- decoding ---- */

static enum status damaged(struct model_growth *growth, const char *what)
{
    return fail(growth->err, ST_INVALID, "model", "a stored model is damaged: %s", what);
}

static enum status decode_types(struct model_growth *growth, const struct json *list, model_types *ret_types)
{
    model_types types = 0;
    if (!json_is(list, JSON_ARRAY) || !json_count(list)) return damaged(growth, "a node has no types");
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        enum model_type type;
        if (!json_is(each.value, JSON_STRING) || !model_type_find(json_string(each.value), &type))
            return damaged(growth, "a type is unknown");
        if (model_types_have(types, type)) return damaged(growth, "a type is there twice");
        types |= model_type_bit(type);
    }
    if (model_types_widest(types) != types) return damaged(growth, "a type widens to another one beside it");
    *ret_types = types;
    return ST_OK;
}

static enum status decode_node(struct model_growth *growth, const struct json *stored,
                               struct model_node *node, const struct model_place *place);

static enum status decode_fields(struct model_growth *growth, const struct json *fields,
                                 struct model_node *node, const struct model_place *place)
{
    if (!json_is(fields, JSON_OBJECT)) return damaged(growth, "an object has no fields");
    struct json_each each = json_each(fields);
    for (size_t i = 0; json_next(&each); i++) {
        struct model_place field_place = place_field(place, each.name);
        struct model_node *field;
        TRY(grow_field(growth, node, &field_place, i, &field));
        TRY(decode_node(growth, each.value, field, &field_place));
    }
    return ST_OK;
}

static enum status decode_element(struct model_growth *growth, const struct json *stored,
                                  struct model_node *node, const struct model_place *place)
{
    int64_t length;
    if (!json_int64(json_get(stored, STR("length")), &length) || length < 0 || length > UINT32_MAX)
        return damaged(growth, "an array has no length");
    node->length_max = (uint32_t)length;
    struct model_place element_place = place_element(place, PLACE_EACH);
    struct model_node *element;
    TRY(grow_element(growth, node, &element_place, &element));
    return decode_node(growth, json_get(stored, STR("element")), element, &element_place);
}

static enum status decode_node(struct model_growth *growth, const struct json *stored,
                               struct model_node *node, const struct model_place *place)
{
    if (!json_is(stored, JSON_OBJECT)) return damaged(growth, "a node is no object");
    TRY(decode_types(growth, json_get(stored, STR("types")), &node->types));
    bool object = model_types_have(node->types, MODEL_OBJECT),
         array = model_types_have(node->types, MODEL_ARRAY);
    if (json_count(stored) != (size_t)1 + object + 2 * array)
        return damaged(growth, "a node has other members");
    if (object) TRY(decode_fields(growth, json_get(stored, STR("fields")), node, place));
    if (array) TRY(decode_element(growth, stored, node, place));
    return ST_OK;
}

enum status model_decode(const struct json *stored, struct arena *arena,
                         const struct model_schema **ret_schema, struct error *err)
{
    struct model_growth growth = grow_begin(arena, err);
    int64_t version;
    if (!json_int64(json_get(stored, STR("version")), &version)) return damaged(&growth, "it has no version");
    if (version != ENCODE_VERSION)
        return fail(err, ST_INVALID, "model", "a stored model has version %lld; this engine reads %d",
                    (long long)version, ENCODE_VERSION);
    struct model_place root = place_root();
    TRY(decode_node(&growth, json_get(stored, STR("root")), growth.schema->root, &root));
    if (growth.schema->root->types != model_type_bit(MODEL_OBJECT))
        return damaged(&growth, "its root is no object");
    *ret_schema = growth.schema;
    return ST_OK;
}
