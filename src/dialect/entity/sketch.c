/* dialect/entity/sketch.c — what can be read of a model's workflows that have problems: states and
 * transitions. */
#include "dialect/entity/entity_int.h"
#include "dialect/entity/view.h"
#include "dialect/show/sketching.h"

static str state_id(str workflow, str state, struct arena *arena)
{
    return arena_printf(arena, "/%.*s/%.*s", STR_ARG(workflow), STR_ARG(state));
}

static void join_state(struct sketching *sketching, str workflow, str state, const struct json *object)
{
    struct arena *arena = sketching->sketch->arena;
    const struct json *list = json_get(object, STR("transitions"));
    uint32_t from = sketching_find(sketching, state_id(workflow, state, arena));
    struct json_each each = json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
    while (json_next(&each) && from != NODE_NONE)
        sketching_join(sketching, state_id(workflow, json_text(each.value, STR("next")), arena),
                       (struct sketch_arrow){ .from = from,
                                              .id = json_text(each.value, STR("name")),
                                              .label = json_text(each.value, STR("name")) });
}

static void add_workflow(struct sketching *sketching, const struct json *workflow, str pointer)
{
    struct sketch *sketch = sketching->sketch;
    const struct json *states = json_get(workflow, STR("states"));
    str name = json_text(workflow, STR("name"));
    pointer = problem_pointer(sketch->arena, pointer, STR("states"));
    struct json_each each = json_each(json_is(states, JSON_OBJECT) ? states : json_empty_object());
    while (json_next(&each))
        sketching_add(sketching, (struct sketch_node){
                                     .kind = SKETCH_STATE,
                                     .id = state_id(name, each.name, sketch->arena),
                                     .title = each.name,
                                     .type = STR("STATE"),
                                     .pointer = problem_pointer(sketch->arena, pointer, each.name),
                                 });
    if (sketch->start == NODE_NONE)
        sketch->start = sketching_find(
            sketching, state_id(name, json_text(workflow, STR("initialState")), sketch->arena));
    each = json_each(json_is(states, JSON_OBJECT) ? states : json_empty_object());
    while (json_next(&each)) join_state(sketching, name, each.name, each.value);
}

void entity_sketch(const struct json *document, struct sketch *sketch)
{
    const struct json *list = json_get(document, STR("workflows"));
    struct sketching sketching;
    sketch->title = json_text(document, STR("entityName"));
    sketch->id = sketch->title;
    sketching_init(&sketching, sketch);
    struct json_each each = json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
    for (size_t i = 0; json_next(&each); i++)
        add_workflow(&sketching, each.value, problem_pointer_index(sketch->arena, STR("/workflows"), i));
    if (!list) add_workflow(&sketching, document, STR_NONE);
    sketching_done(&sketching);
}
