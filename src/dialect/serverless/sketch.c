/* dialect/serverless/sketch.c — what can be read of a workflow that has problems: the states of the top
 * level.
 */
#include "dialect/serverless/serverless_int.h"
#include "dialect/serverless/view.h"
#include "dialect/show/sketching.h"

int serverless_sketch_kind(const struct sketch_node *node)
{
    static const struct {
        const char *type;
        enum sketch_kind kind;
    } kinds[] = {
        { "EVENT", SKETCH_EVENT }, { "OPERATION", SKETCH_TASK }, { "SWITCH", SKETCH_CHOOSE },
        { "DELAY", SKETCH_WAIT },  { "PARALLEL", SKETCH_FORK },  { "SUBFLOW", SKETCH_CHILD },
        { "RELAY", SKETCH_SET },
    };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_equal_ignoring_case(node->type, str_of(kinds[i].type))) return kinds[i].kind;
    return node->kind;
}

/* A name of a state, or an object with nextState. */
static str target_of(const struct json *transition)
{
    return json_is(transition, JSON_STRING) ? json_string(transition)
                                            : json_text(transition, STR("nextState"));
}

static struct json_each each_of(const struct json *object, const char *name)
{
    const struct json *list = json_get(object, str_of(name));
    return json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
}

static void join_state(struct sketching *sketching, uint32_t from, const struct json *state)
{
    struct arena *arena = sketching->sketch->arena;
    struct json_each each = each_of(state, "eventActions");
    while (json_next(&each))
        sketching_join(
            sketching, target_of(json_get(each.value, STR("transition"))),
            (struct sketch_arrow){ .from = from, .label = json_text(each.value, STR("condition")) });
    each = each_of(state, "choices");
    while (json_next(&each)) {
        str path = json_text(each.value, STR("path")), op = json_text(each.value, STR("operator"));
        str label = path.n ? arena_printf(arena, "%.*s %.*s %.*s", STR_ARG(path), STR_ARG(op),
                                          STR_ARG(json_text(each.value, STR("value"))))
                           : STR("if …");
        sketching_join(sketching, target_of(json_get(each.value, STR("transition"))),
                       (struct sketch_arrow){ .from = from, .label = label });
    }
    sketching_join(sketching, target_of(json_get(state, STR("default"))),
                   (struct sketch_arrow){ .from = from, .label = STR("otherwise") });
    sketching_join(sketching, target_of(json_get(state, STR("transition"))),
                   (struct sketch_arrow){ .from = from });
    each = each_of(state, "onError");
    while (json_next(&each))
        sketching_join(sketching, target_of(json_get(each.value, STR("transition"))),
                       (struct sketch_arrow){ .from = from, .error = true, .label = STR("error") });
}

void serverless_sketch(const struct json *document, struct sketch *sketch)
{
    struct sketching sketching;
    const struct json *start = json_get(document, STR("startsAt"));
    sketch->id = json_text(document, STR("id"));
    sketch->title = json_text(document, STR("name"));
    sketching_init(&sketching, sketch);
    struct json_each each = each_of(document, "states");
    for (size_t i = 0; json_next(&each); i++)
        sketching_add(&sketching, (struct sketch_node){
                                      .kind = SKETCH_TASK,
                                      .id = json_text(each.value, STR("name")),
                                      .title = json_text(each.value, STR("name")),
                                      .type = json_text(each.value, STR("type")),
                                      .pointer = problem_pointer_index(sketch->arena, STR("/states"), i),
                                  });
    sketch->start = sketching_find(
        &sketching, json_is(start, JSON_STRING) ? json_string(start) : json_text(start, STR("stateName")));
    each = each_of(document, "states");
    while (json_next(&each)) {
        uint32_t from = sketching_find(&sketching, json_text(each.value, STR("name")));
        if (from != NODE_NONE) join_state(&sketching, from, each.value);
    }
    sketching_done(&sketching);
}
