/* model/grow.c — schemas grow by values and by other schemas.
 *
 * Growing only adds: types, fields, lengths. The result does not depend on the order in which things are
 * added, but for the order of fields. All limits of a schema are checked where a node is added, before it is.
 */
#include "model/model_int.h"

#include "base/array.h"
#include "base/must.h"

#include <stdarg.h>
#include <stdio.h>

struct model_growth grow_begin(struct arena *arena, struct error *err)
{
    struct model_growth growth = { .arena = arena,
                                   .schema = arena_make(arena, struct model_schema),
                                   .err = err };
    growth.schema->root = arena_make(arena, struct model_node);
    growth.schema->root->types = model_type_bit(MODEL_OBJECT);
    growth.schema->node_count = 1;
    growth.schema->bytes = sizeof(struct model_node);
    return growth;
}

/* ---- nodes ---- */

__attribute__((format(printf, 3, 4))) static enum status refuse(struct model_growth *growth,
                                                                const struct model_place *place,
                                                                const char *format, ...)
{
    struct buf where;
    buf_init(&where, growth->arena);
    place_print(&where, STR("$"), place);
    buf_add_char(&where, '\0');
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(growth->err, ST_LIMIT, where.p, "%s", what);
}

static enum status new_node(struct model_growth *growth, const struct model_place *place,
                            struct model_node **ret_node)
{
    struct model_schema *schema = growth->schema;
    if (place->depth > MODEL_DEPTH_MAX)
        return refuse(growth, place->up, "a model is at most %d levels deep (MODEL_DEPTH_MAX)",
                      MODEL_DEPTH_MAX);
    if (place->name.n > MODEL_NAME_BYTES_MAX)
        return refuse(growth, place->up,
                      "the name of a field has %zu bytes; the most is %d (MODEL_NAME_BYTES_MAX)",
                      place->name.n, MODEL_NAME_BYTES_MAX);
    size_t path_bytes = place_bytes(place);
    if (path_bytes > MODEL_PATH_BYTES_MAX)
        return refuse(growth, place->up,
                      "the path of a field has %zu bytes; the most is %d (MODEL_PATH_BYTES_MAX)", path_bytes,
                      MODEL_PATH_BYTES_MAX);
    if (schema->node_count == MODEL_NODES_MAX)
        return refuse(growth, place, "a model has at most %d fields and array elements (MODEL_NODES_MAX)",
                      MODEL_NODES_MAX);
    size_t bytes = sizeof(struct model_node) + sizeof(struct model_field) + sizeof(uint32_t) + place->name.n;
    if (schema->bytes + bytes > MODEL_BYTES_MAX)
        return refuse(growth, place, "a model has at most %d bytes (MODEL_BYTES_MAX)", MODEL_BYTES_MAX);
    schema->bytes += bytes;
    schema->node_count++;
    struct model_node *node = arena_make(growth->arena, struct model_node);
    node->types = MODEL_NULL_ONLY; /* Until something else is seen. */
    *ret_node = node;
    return ST_OK;
}

static void add_types(struct model_node *node, model_types types)
{
    node->types = model_types_widest(node->types | types);
}

/* ---- fields ---- */

/* The place in by_name of the name, or of the first one behind it. */
static size_t search(const struct model_node *object, str name, bool *ret_found)
{
    size_t from = 0, to = object->field_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_compare(object->field[object->by_name[middle]].name, name);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0) from = middle + 1;
        else to = middle;
    }
    *ret_found = false;
    return from;
}

struct model_node *grow_find_field(const struct model_node *object, str name, size_t hint)
{
    if (hint < object->field_count && str_equal(object->field[hint].name, name))
        return object->field[hint].node;
    bool found;
    size_t at = search(object, name, &found);
    return found ? object->field[object->by_name[at]].node : NULL;
}

enum status grow_field(struct model_growth *growth, struct model_node *object,
                       const struct model_place *place, size_t hint, struct model_node **ret_node)
{
    *ret_node = grow_find_field(object, place->name, hint);
    if (*ret_node) return ST_OK;
    TRY(new_node(growth, place, ret_node));
    bool found;
    size_t at = search(object, place->name, &found);
    array_reserve_in(growth->arena, object->field, object->field_count, object->field_cap);
    array_reserve_in(growth->arena, object->by_name, object->field_count, object->by_name_cap);
    memmove(object->by_name + at + 1, object->by_name + at,
            (object->field_count - at) * sizeof *object->by_name);
    object->by_name[at] = (uint32_t)object->field_count;
    object->field[object->field_count++] =
        (struct model_field){ arena_str(growth->arena, place->name), *ret_node };
    return ST_OK;
}

enum status grow_element(struct model_growth *growth, struct model_node *array,
                         const struct model_place *place, struct model_node **ret_node)
{
    if (!array->element) TRY(new_node(growth, place, &array->element));
    *ret_node = array->element;
    return ST_OK;
}

/* ---- by values ---- */

static enum status grow_by_array(struct model_growth *growth, struct model_node *node,
                                 const struct json *array, const struct model_place *place)
{
    struct model_place element_place = place_element(place, PLACE_EACH);
    struct model_node *element;
    TRY(grow_element(growth, node, &element_place, &element));
    size_t count = json_count(array);
    if (count > node->length_max) node->length_max = (uint32_t)count;
    struct json_each each = json_each(array);
    while (json_next(&each)) TRY(grow_by_value(growth, element, each.value, &element_place));
    return ST_OK;
}

static enum status grow_by_object(struct model_growth *growth, struct model_node *node,
                                  const struct json *object, const struct model_place *place)
{
    struct json_each each = json_each(object);
    for (size_t i = 0; json_next(&each); i++) {
        struct model_place field_place = place_field(place, each.name);
        struct model_node *field;
        TRY(grow_field(growth, node, &field_place, i, &field));
        TRY(grow_by_value(growth, field, each.value, &field_place));
    }
    return ST_OK;
}

enum status grow_by_value(struct model_growth *growth, struct model_node *node, const struct json *value,
                          const struct model_place *place)
{
    enum model_type type = model_type_of(value);
    if (type == MODEL_ARRAY) TRY(grow_by_array(growth, node, value, place));
    if (type == MODEL_OBJECT) TRY(grow_by_object(growth, node, value, place));
    add_types(node, model_type_bit(type));
    return ST_OK;
}

/* ---- by schemas ---- */

enum status grow_by_node(struct model_growth *growth, struct model_node *node, const struct model_node *other,
                         const struct model_place *place)
{
    if (other->element) {
        struct model_place element_place = place_element(place, PLACE_EACH);
        struct model_node *element;
        TRY(grow_element(growth, node, &element_place, &element));
        TRY(grow_by_node(growth, element, other->element, &element_place));
    }
    for (size_t i = 0; i < other->field_count; i++) {
        struct model_place field_place = place_field(place, other->field[i].name);
        struct model_node *field;
        TRY(grow_field(growth, node, &field_place, i, &field));
        TRY(grow_by_node(growth, field, other->field[i].node, &field_place));
    }
    if (other->length_max > node->length_max) node->length_max = other->length_max;
    add_types(node, other->types);
    return ST_OK;
}

/* ---- the door ---- */

enum status model_infer(const struct json *sample, struct arena *arena,
                        const struct model_schema **ret_schema, struct error *err)
{
    struct model_growth growth = grow_begin(arena, err);
    struct model_place root = place_root();
    if (!json_is(sample, JSON_ARRAY)) {
        if (!json_is(sample, JSON_OBJECT))
            return fail(err, ST_INVALID, "$", "a sample is an object, or an array of objects");
        TRY(grow_by_value(&growth, growth.schema->root, sample, &root));
        *ret_schema = growth.schema;
        return ST_OK;
    }
    if (!json_count(sample)) return fail(err, ST_INVALID, "$", "an array of samples has at least one");
    struct json_each each = json_each(sample);
    for (size_t i = 0; json_next(&each); i++) {
        char where[32];
        snprintf(where, sizeof where, "$[%zu]", i);
        if (!json_is(each.value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "a sample is an object");
        TRY(grow_by_value(&growth, growth.schema->root, each.value, &root));
    }
    *ret_schema = growth.schema;
    return ST_OK;
}

enum status model_merge(const struct model_schema *a, const struct model_schema *b, struct arena *arena,
                        const struct model_schema **ret_schema, struct error *err)
{
    struct model_growth growth = grow_begin(arena, err);
    struct model_place root = place_root();
    TRY(grow_by_node(&growth, growth.schema->root, a->root, &root));
    TRY(grow_by_node(&growth, growth.schema->root, b->root, &root));
    *ret_schema = growth.schema;
    return ST_OK;
}

enum status model_extend(const struct model_schema *schema, const struct json *value, struct arena *arena,
                         const struct model_schema **ret_schema, struct error *err)
{
    must(json_is(value, JSON_OBJECT));
    struct model_growth growth = grow_begin(arena, err);
    struct model_place root = place_root();
    TRY(grow_by_node(&growth, growth.schema->root, schema->root, &root));
    TRY(grow_by_value(&growth, growth.schema->root, value, &root));
    *ret_schema = growth.schema;
    return ST_OK;
}

size_t model_bytes(const struct model_schema *schema) { return schema->bytes; }
