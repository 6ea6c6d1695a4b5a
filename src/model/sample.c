/* model/sample.c — samples from which a schema can be made again: the way back of model_infer().
 *
 * A node has as many samples as it needs values: one for each leaf type, as many objects as the field with
 * the most samples needs, and one array with all samples of its elements. The n-th object has the n-th
 * sample of each of its fields, so all of them together are no longer than the schema with its paths. How
 * long arrays were is not kept: it is a note, and no bound.
 */
#include "model/model_int.h"

struct samples {
    const struct json **value;
    size_t count;
};

/* Texts of numbers that are of exactly this type. */
static const char *const leaf_texts[MODEL_TYPE_COUNT] = {
    [MODEL_INTEGER] = "1",
    [MODEL_LONG] = "4294967296",
    [MODEL_BIG_INTEGER] = "100000000000000000001",
    [MODEL_UNBOUND_INTEGER] = "10000000000000000000000000000000000000001",
    [MODEL_DOUBLE] = "1.5",
    [MODEL_BIG_DECIMAL] = "1234567890.123456789",
    [MODEL_UNBOUND_DECIMAL] = "0.1234567890123456789012",
};

static const struct json *leaf_sample(enum model_type type, struct arena *arena)
{
    if (type == MODEL_STRING) return json_of_string(arena, STR("text"));
    if (type == MODEL_BOOLEAN) return json_of_bool(true);
    return leaf_texts[type] ? json_number_parse(str_of(leaf_texts[type]), arena) : json_null();
}

static struct samples samples_of(const struct model_node *node, struct arena *arena);

static const struct json *object_sample(const struct model_node *node, const struct samples *of_field,
                                        size_t at, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < node->field_count; i++) {
        if (at >= of_field[i].count) continue;
        json_add_name(&builder, node->field[i].name);
        json_add(&builder, of_field[i].value[at]);
    }
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *list_of_samples(const struct samples *samples, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < samples->count; i++) json_add(&builder, samples->value[i]);
    json_close(&builder);
    return json_built(&builder);
}

/* Elements that nobody has seen have no sample: the array is empty. */
static const struct json *array_sample(const struct model_node *node, struct arena *arena)
{
    struct samples elements = samples_of(node->element, arena);
    if (!node->length_max) elements.count = 0;
    return list_of_samples(&elements, arena);
}

static struct samples samples_of(const struct model_node *node, struct arena *arena)
{
    bool has_objects = model_types_have(node->types, MODEL_OBJECT);
    struct samples *of_field = arena_make_n(arena, struct samples, node->field_count + 1);
    size_t objects = has_objects;
    for (size_t i = 0; i < node->field_count; i++) {
        of_field[i] = samples_of(node->field[i].node, arena);
        if (of_field[i].count > objects) objects = of_field[i].count;
    }
    struct samples samples = { arena_make_n(arena, const struct json *, objects + MODEL_TYPE_COUNT), 0 };
    for (size_t i = 0; i < objects; i++)
        samples.value[samples.count++] = object_sample(node, of_field, i, arena);
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++)
        if (model_types_have(node->types, type) && !(MODEL_CONTAINERS & model_type_bit(type)))
            samples.value[samples.count++] = leaf_sample(type, arena);
    if (model_types_have(node->types, MODEL_ARRAY))
        samples.value[samples.count++] = array_sample(node, arena);
    return samples;
}

const struct json *model_sample(const struct model_schema *schema, struct arena *arena)
{
    struct samples samples = samples_of(schema->root, arena);
    return samples.count == 1 ? samples.value[0] : list_of_samples(&samples, arena);
}
