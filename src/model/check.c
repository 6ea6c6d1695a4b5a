/* model/check.c — does a value fit a schema, perhaps after it has grown?
 *
 * Values are checked against the schema as it is, so two parts of one value that both change it do not see
 * each other's change: [1, {"a": 2}] fits where only [] was seen.
 */
#include "model/model_int.h"

#include "json/put.h"

struct checking {
    enum model_level level;
    struct arena *arena;
    bool changes;
    struct model_problem *problem;
};

/* ---- problems ---- */

static str path_of(const struct checking *checking, const struct model_place *place)
{
    if (!place->up) return STR("$");
    struct buf path;
    buf_init(&path, checking->arena);
    place_print(&path, STR(""), place);
    str text = buf_str(&path);
    return text.p[0] == '.' ? str_slice(text, 1, text.n) : text;
}

static bool refuse_field(const struct checking *checking, const struct model_place *place)
{
    str path = path_of(checking, place);
    *checking->problem = (struct model_problem){
        .code = "BAD_REQUEST",
        .path = path,
        .message = arena_printf(checking->arena, "%.*s is no field of the model", STR_ARG(path)),
    };
    return false;
}

static bool refuse_type(const struct checking *checking, const struct model_place *place, const char *code,
                        model_types expected, enum model_type actual)
{
    str path = path_of(checking, place);
    struct buf names;
    buf_init(&names, checking->arena);
    model_print_types(&names, expected);
    *checking->problem = (struct model_problem){
        .code = code,
        .path = path,
        .expected = expected,
        .actual = actual,
        .message = arena_printf(checking->arena, "%.*s is %s, and the model has %.*s there", STR_ARG(path),
                                model_type_name(actual), STR_ARG(buf_str(&names))),
    };
    return false;
}

/* ---- walking ---- */

/* Lets a change pass that needs the level. */
static bool may_change(struct checking *checking, enum model_level needed)
{
    if (checking->level < needed) return false;
    checking->changes = true;
    return true;
}

/* A leaf, an object or an array at a place that has none of its kind. */
static bool check_other_kind(struct checking *checking, const struct model_node *node, enum model_type type,
                             const struct model_place *place)
{
    if (node->types == MODEL_NULL_ONLY && may_change(checking, MODEL_LEVEL_STRUCTURAL)) return true;
    bool slot = node->types != MODEL_NULL_ONLY && checking->level != MODEL_LEVEL_NONE;
    return refuse_type(checking, place, slot ? "POLYMORPHIC_SLOT" : "INCOMPATIBLE_TYPE", node->types, type);
}

static bool check_leaf(struct checking *checking, const struct model_node *node, enum model_type type,
                       const struct model_place *place)
{
    for (enum model_type other = 0; other < MODEL_TYPE_COUNT; other++)
        if (model_types_have(node->types, other) && model_widens(type, other)) return true;
    if (!(node->types & ~MODEL_CONTAINERS)) return check_other_kind(checking, node, type, place);
    if (may_change(checking, place->element ? MODEL_LEVEL_ARRAY_ELEMENTS : MODEL_LEVEL_TYPE)) return true;
    return refuse_type(checking, place, "INCOMPATIBLE_TYPE", node->types, type);
}

static bool check_value(struct checking *checking, const struct model_node *node, const struct json *value,
                        const struct model_place *place);

static bool check_array(struct checking *checking, const struct model_node *node, const struct json *array,
                        const struct model_place *place)
{
    if (!model_types_have(node->types, MODEL_ARRAY))
        return check_other_kind(checking, node, MODEL_ARRAY, place);
    if (json_count(array) > node->length_max) may_change(checking, MODEL_LEVEL_ARRAY_LENGTH);
    struct json_each each = json_each(array);
    for (size_t i = 0; json_next(&each); i++) {
        struct model_place element = place_element(place, i);
        if (!check_value(checking, node->element, each.value, &element)) return false;
    }
    return true;
}

static bool check_object(struct checking *checking, const struct model_node *node, const struct json *object,
                         const struct model_place *place)
{
    if (!model_types_have(node->types, MODEL_OBJECT))
        return check_other_kind(checking, node, MODEL_OBJECT, place);
    struct json_each each = json_each(object);
    for (size_t i = 0; json_next(&each); i++) {
        struct model_place field_place = place_field(place, each.name);
        const struct model_node *field = grow_find_field(node, each.name, i);
        if (!field && !may_change(checking, MODEL_LEVEL_STRUCTURAL))
            return refuse_field(checking, &field_place);
        if (field && !check_value(checking, field, each.value, &field_place)) return false;
    }
    return true;
}

/* Goes as deep as the schema. */
static bool check_value(struct checking *checking, const struct model_node *node, const struct json *value,
                        const struct model_place *place)
{
    enum model_type type = model_type_of(value);
    if (type == MODEL_ARRAY) return check_array(checking, node, value, place);
    if (type == MODEL_OBJECT) return check_object(checking, node, value, place);
    return check_leaf(checking, node, type, place);
}

bool model_check(const struct model_schema *schema, const struct json *value, enum model_level level,
                 struct arena *arena, bool *ret_changes, struct model_problem *ret_problem)
{
    struct checking checking = { .level = level, .arena = arena, .problem = ret_problem };
    struct model_place root = place_root();
    if (!json_is(value, JSON_OBJECT))
        return refuse_type(&checking, &root, "INCOMPATIBLE_TYPE", schema->root->types, model_type_of(value));
    if (!check_object(&checking, schema->root, value, &root)) return false;
    *ret_changes = checking.changes;
    return true;
}
