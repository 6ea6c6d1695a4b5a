/* model/view.c — SIMPLE_VIEW: one member for each object of a model.
 *
 * The members of the view are in the order of a walk from the top; each object's own member comes before
 * those of the objects inside. An array of arrays has [*] once for each level.
 */
#include "model/model_int.h"

#include "json/put.h"

struct viewing {
    struct buf *out;
    bool first_object, first_entry;
};

static void put_path(struct buf *out, str root, const struct model_place *place)
{
    struct buf text;
    buf_init(&text, NULL);
    place_print(&text, root, place);
    put_text(out, buf_str(&text));
    buf_done(&text);
}

/* "name": in the member of an object; `from` is where that object is. */
static void put_entry(struct viewing *viewing, const char *mark, const struct model_place *from,
                      const struct model_place *place)
{
    struct buf text;
    buf_init(&text, NULL);
    size_t steps = place->depth - from->depth;
    const struct model_place *chain[MODEL_DEPTH_MAX + 1];
    for (size_t i = steps; i > 0; i--, place = place->up) chain[i - 1] = place;
    buf_add_str(&text, str_of(mark));
    for (size_t i = 0; i < steps; i++) {
        if (chain[i]->element) PUT(&text, "[*]");
        else place_print_name(&text, chain[i]->name);
    }
    if (!viewing->first_entry) PUT(viewing->out, ",");
    viewing->first_entry = false;
    put_text(viewing->out, buf_str(&text));
    PUT(viewing->out, ":");
    buf_done(&text);
}

static void put_leaf(struct viewing *viewing, model_types types, uint32_t length)
{
    PUT(viewing->out, "\"");
    if (length) PUT(viewing->out, "(");
    model_print_types(viewing->out, types);
    if (length) buf_printf(viewing->out, " x %u)", length);
    PUT(viewing->out, "\"");
}

/* Puts an object's words about one of its fields: its leaf types, those of elements, and whether there are
 * objects in it. `length` is that of the array whose elements the node stands for. */
static bool put_field(struct viewing *viewing, const struct model_node *node, const struct model_place *from,
                      const struct model_place *place, uint32_t length)
{
    model_types leaves = node->types & (model_types)~MODEL_CONTAINERS;
    if (leaves) {
        put_entry(viewing, "", from, place);
        put_leaf(viewing, leaves, length);
    }
    bool objects = model_types_have(node->types, MODEL_OBJECT);
    if (!node->element) return objects;
    struct model_place element = place_element(place, PLACE_EACH);
    return put_field(viewing, node->element, from, &element, node->length_max) || objects;
}

static void view_node(struct viewing *viewing, const struct model_node *node,
                      const struct model_place *place);

static void view_object(struct viewing *viewing, const struct model_node *object,
                        const struct model_place *place)
{
    if (!viewing->first_object) PUT(viewing->out, ",");
    viewing->first_object = false;
    put_path(viewing->out, STR("$"), place);
    PUT(viewing->out, ":{");
    viewing->first_entry = true;
    if (place->element) {
        PUT(viewing->out, "\"#\":\"ARRAY_ELEMENT\"");
        viewing->first_entry = false;
    }
    for (size_t i = 0; i < object->field_count; i++) {
        struct model_place field = place_field(place, object->field[i].name);
        if (!put_field(viewing, object->field[i].node, place, &field, 0)) continue;
        put_entry(viewing, "#", place, &field);
        PUT(viewing->out, "\"OBJECT\"");
    }
    PUT(viewing->out, "}");
    for (size_t i = 0; i < object->field_count; i++) {
        struct model_place field = place_field(place, object->field[i].name);
        view_node(viewing, object->field[i].node, &field);
    }
}

static void view_node(struct viewing *viewing, const struct model_node *node, const struct model_place *place)
{
    if (model_types_have(node->types, MODEL_OBJECT)) view_object(viewing, node, place);
    if (!node->element) return;
    struct model_place element = place_element(place, PLACE_EACH);
    view_node(viewing, node->element, &element);
}

void model_put_simple_view(const struct model_schema *schema, struct buf *out)
{
    struct viewing viewing = { .out = out, .first_object = true };
    struct model_place root = place_root();
    PUT(out, "{");
    view_node(&viewing, schema->root, &root);
    PUT(out, "}");
}
