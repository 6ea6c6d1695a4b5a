/* dialect/steps/sketch.c — what can be read of a document of steps that has problems. */
#include "dialect/steps/steps_int.h"
#include "dialect/steps/view.h"
#include "dialect/show/sketching.h"

static enum sketch_kind kind_of(str type)
{
    static const struct {
        const char *type;
        enum sketch_kind kind;
    } kinds[] = {
        { "SERVICE_TASK", SKETCH_TASK },     { "USER_TASK", SKETCH_PERSON },   { "DECISION", SKETCH_CHOOSE },
        { "DECISION_TABLE", SKETCH_TABLE },  { "TRANSFORMATION", SKETCH_SET }, { "WAIT", SKETCH_SIGNAL },
        { "PARALLEL_GATEWAY", SKETCH_FORK }, { "JOIN_GATEWAY", SKETCH_JOIN },  { "END", SKETCH_END },
    };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_equal(type, str_of(kinds[i].type))) return kinds[i].kind;
    return SKETCH_TASK;
}

static void join_timers(struct sketching *sketching, uint32_t from, const struct json *step)
{
    struct arena *arena = sketching->sketch->arena;
    const struct json *list = json_get(step, STR("boundaryEvents"));
    struct json_each each = json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
    while (json_next(&each)) {
        bool interrupting = json_flag(each.value, STR("interrupting"));
        str after = sketching_after(json_text(each.value, STR("duration")), arena);
        if (!interrupting) after = arena_printf(arena, "%.*s, and waits on", STR_ARG(after));
        sketching_join(sketching, json_text(each.value, STR("targetStepId")),
                       (struct sketch_arrow){
                           .from = from,
                           .timer = true,
                           .interrupting = interrupting,
                           .label = after,
                       });
    }
}

static void join_step(struct sketching *sketching, uint32_t from, const struct json *step)
{
    const struct json *ways = json_get(step, STR("conditionalNextSteps"));
    const struct json *branches = json_get(step, STR("parallelNextSteps"));
    struct json_each each = json_each(json_is(ways, JSON_OBJECT) ? ways : json_empty_object());
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING))
            sketching_join(sketching, json_string(each.value),
                           (struct sketch_arrow){ .from = from, .label = each.name });
    each = json_each(json_is(branches, JSON_ARRAY) ? branches : json_empty_array());
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING))
            sketching_join(sketching, json_string(each.value), (struct sketch_arrow){ .from = from });
    sketching_join(sketching, json_text(step, STR("nextStep")), (struct sketch_arrow){ .from = from });
    join_timers(sketching, from, step);
}

void steps_sketch(const struct json *document, struct sketch *sketch)
{
    const struct json *normal = steps_normal(document, sketch->arena);
    const struct json *steps = json_get(normal, STR("steps"));
    struct sketching sketching;
    if (!json_is(steps, JSON_ARRAY)) return;
    sketch->id = json_text(normal, STR("id"));
    sketch->title = json_text(normal, STR("name"));
    sketching_init(&sketching, sketch);
    struct json_each each = json_each(steps);
    for (size_t i = 0; json_next(&each); i++)
        sketching_add(&sketching, (struct sketch_node){
                                      .kind = kind_of(json_text(each.value, STR("type"))),
                                      .id = json_text(each.value, STR("id")),
                                      .title = json_text(each.value, STR("name")),
                                      .type = json_text(each.value, STR("type")),
                                      .detail = json_text(each.value, STR("jobType")),
                                      .pointer = problem_pointer_index(sketch->arena, STR("/steps"), i),
                                  });
    if (sketch->node_count) sketch->start = 0;
    each = json_each(steps);
    while (json_next(&each)) {
        uint32_t from = sketching_find(&sketching, json_text(each.value, STR("id")));
        if (from != NODE_NONE) join_step(&sketching, from, each.value);
    }
    sketching_done(&sketching);
}
