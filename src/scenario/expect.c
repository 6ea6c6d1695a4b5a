/* scenario/expect.c — the expectations at the end of a case. */
#include "scenario/scenario_int.h"

static void check_rejected(struct stage *stage, const struct json *rejected)
{
    bool wanted = json_is(rejected, JSON_BOOL) && json_bool(rejected);
    if (wanted && !stage->refused)
        stage_differs(stage, STR("rejected"), STR("a definition or a start that is refused"),
                      STR("all were accepted"));
    if (!wanted && stage->refused)
        stage_differs(stage, STR("rejected"), STR("nothing refused"), stage->refusal);
}

static str error_text(struct stage *stage, str code, str node)
{
    return node.n ? arena_printf(stage->arena, "%.*s at \"%.*s\"", STR_ARG(code), STR_ARG(node)) : code;
}

static bool same_error(const struct json *expected, const struct refused_definition *refused)
{
    const struct json *code = json_get(expected, STR("code")), *node = json_get(expected, STR("nodeId"));
    if (!json_is(code, JSON_STRING) || !str_equal(json_string(code), refused->code)) return false;
    return json_is(node, JSON_STRING) ? str_equal(json_string(node), refused->node)
                                      : !refused->node.n || !node;
}

/* Compares exact sets: each expected one is there, and each one there is expected. */
static void check_publish_errors(struct stage *stage, const struct json *expected)
{
    for (size_t i = 0; i < json_count(expected); i++) {
        const struct json *want = json_item(expected, i);
        const struct refused_definition *refused = stage->first_refused;
        while (refused && !same_error(want, refused)) refused = refused->next;
        if (!refused)
            stage_differs(stage, STR("publishErrors"), stage_text(stage, want), STR("no such problem"));
    }
    for (const struct refused_definition *refused = stage->first_refused; refused; refused = refused->next) {
        size_t i = 0;
        while (i < json_count(expected) && !same_error(json_item(expected, i), refused)) i++;
        if (i == json_count(expected))
            stage_differs(stage, STR("publishErrors"), STR("nothing else"),
                          error_text(stage, refused->code, refused->node));
    }
}

static void check_instances(struct stage *stage, const struct json *instances)
{
    struct json_each each = json_each(instances);
    while (json_next(&each)) {
        str where = arena_printf(stage->arena, "instances.%.*s", STR_ARG(each.name));
        const struct actor *actor = actors_find(stage, each.name);
        if (actor) match_view(stage, each.value, view_actor(stage, actor), where);
        else
            stage_differs(stage, where, STR("an instance"),
                          stage->refusal.n ? stage->refusal : STR("there is none of that name"));
    }
}

static const struct json *calls_json(struct stage *stage)
{
    struct json_builder out;
    json_builder_init(&out, stage->arena);
    json_open_array(&out);
    for (const struct made_call *call = stage->first_call; call; call = call->next) {
        json_open_object(&out);
        json_add_name(&out, STR("job"));
        json_add_string(&out, call->names.type);
        json_add_name(&out, STR("function"));
        json_add_string(&out, call->names.function.n ? call->names.function : call->names.type);
        json_add_name(&out, STR("node"));
        json_add_string(&out, call->names.title);
        json_add_name(&out, STR("instance"));
        json_add_string(&out, call->instance);
        json_add_name(&out, STR("args"));
        json_add(&out, call->input);
        json_close(&out);
    }
    json_close(&out);
    return json_built(&out);
}

static size_t count_calls(const struct stage *stage, str name)
{
    size_t count = 0;
    for (const struct made_call *call = stage->first_call; call; call = call->next)
        count += !name.n || (call->names.function.n
                                 ? str_equal(call->names.function, name)
                                 : str_equal(call->names.type, name) || str_equal(call->names.node, name));
    return count;
}

static void check_outcomes(struct stage *stage, const struct json *expected)
{
    struct json_builder out;
    json_builder_init(&out, stage->arena);
    json_open_array(&out);
    for (const struct arrival *arrival = stage->first_arrival; arrival; arrival = arrival->next)
        json_add_string(&out, arrival->outcome);
    json_close(&out);
    match(stage, expected, json_built(&out), false, STR("outcomes"));
}

static void check_number(struct stage *stage, const struct json *expected, size_t got, str where)
{
    int64_t wanted;
    if (!json_int64(expected, &wanted) || wanted < 0 || (size_t)wanted != got)
        stage_differs(stage, where, stage_text(stage, expected), arena_printf(stage->arena, "%zu", got));
}

static void check_call_count(struct stage *stage, const struct json *expected)
{
    if (json_is(expected, JSON_NUMBER)) {
        check_number(stage, expected, count_calls(stage, STR_NONE), STR("callCount"));
        return;
    }
    struct json_each each = json_each(expected);
    while (json_next(&each))
        check_number(stage, each.value, count_calls(stage, each.name),
                     arena_printf(stage->arena, "callCount.%.*s", STR_ARG(each.name)));
}

/* The actors that have begun, in that order, are found one by one. */
static void check_start_order(struct stage *stage, const struct json *expected)
{
    struct json_builder out;
    json_builder_init(&out, stage->arena);
    json_open_array(&out);
    for (int64_t last = 0;;) {
        const struct actor *next = NULL;
        for (size_t i = 0; i < stage->actor_count; i++) {
            const struct actor *actor = stage->actor[i];
            if (!actor->child && actor->began > last && (!next || actor->began < next->began)) next = actor;
        }
        if (!next) break;
        json_add_string(&out, next->name);
        last = next->began;
    }
    json_close(&out);
    match(stage, expected, json_built(&out), false, STR("startOrder"));
}

static void check_outcome_counts(struct stage *stage, const struct json *expected)
{
    struct json_each each = json_each(expected);
    while (json_next(&each)) {
        size_t count = 0;
        for (const struct arrival *arrival = stage->first_arrival; arrival; arrival = arrival->next)
            count += str_equal(arrival->outcome, each.name);
        check_number(stage, each.value, count,
                     arena_printf(stage->arena, "outcomeCounts.%.*s", STR_ARG(each.name)));
    }
}

/* A function without a mock never answers: most likely its mock is misspelt. */
static void check_answered(struct stage *stage)
{
    const struct work *work = work_unanswered(stage);
    if (work)
        stage_stop(stage, "%.*s called the function \"%.*s\", for which there is no mock",
                   STR_ARG(work->actor->name), STR_ARG(work->names.function));
}

/* An expectation of the wrong type would be met by anything. */
static bool has_type(struct stage *stage, str name, const struct json *value)
{
    static const struct {
        const char *name;
        enum json_kind kind, other;
    } types[] = {
        { "rejected", JSON_BOOL, JSON_BOOL },      { "publishErrors", JSON_ARRAY, JSON_ARRAY },
        { "instances", JSON_OBJECT, JSON_OBJECT }, { "instanceCount", JSON_NUMBER, JSON_NUMBER },
        { "calls", JSON_ARRAY, JSON_ARRAY },       { "callCount", JSON_NUMBER, JSON_OBJECT },
        { "outcomes", JSON_ARRAY, JSON_ARRAY },    { "outcomeCounts", JSON_OBJECT, JSON_OBJECT },
        { "startOrder", JSON_ARRAY, JSON_ARRAY },
    };
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_equal(name, str_of(types[i].name)) && !json_is(value, types[i].kind) &&
            !json_is(value, types[i].other))
            return stage_stop(stage, "expect.%.*s cannot be %s", STR_ARG(name),
                              json_kind_name(json_kind(value)));
    return true;
}

void expect_check(struct stage *stage, const struct json *expect)
{
    const struct json *errors = json_get(expect, STR("publishErrors"));
    if (!errors) check_rejected(stage, json_get(expect, STR("rejected")));
    struct json_each each = json_each(expect);
    while (json_next(&each)) {
        if (!has_type(stage, each.name, each.value)) return;
        if (str_equal(each.name, STR("rejected")) || str_equal(each.name, STR("note"))) continue;
        else if (str_equal(each.name, STR("publishErrors"))) check_publish_errors(stage, each.value);
        else if (str_equal(each.name, STR("instances"))) check_instances(stage, each.value);
        else if (str_equal(each.name, STR("instanceCount")))
            check_number(stage, each.value, stage->top_count, each.name);
        else if (str_equal(each.name, STR("calls")))
            match(stage, each.value, calls_json(stage), false, each.name);
        else if (str_equal(each.name, STR("callCount"))) check_call_count(stage, each.value);
        else if (str_equal(each.name, STR("outcomes"))) check_outcomes(stage, each.value);
        else if (str_equal(each.name, STR("startOrder"))) check_start_order(stage, each.value);
        else if (str_equal(each.name, STR("outcomeCounts"))) check_outcome_counts(stage, each.value);
        else
            stage_stop(stage, "expect.%.*s: not supported by the dialects this program knows",
                       STR_ARG(each.name));
    }
    check_answered(stage);
}
