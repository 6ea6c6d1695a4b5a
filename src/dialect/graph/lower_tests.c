/* dialect/graph/lower_tests.c — what nodes that wait bring in a test run, and in a trial.
 *
 *     human_task   the first decision or testDecision, and a placeholder for each field of its form
 *     wait_event   an empty payload, now
 *     delay        the time it would have waited for, now
 *
 * `testOutput` replaces members of these outputs. It is written in the words of the node's outputs, and the
 * core (core/rehearsal.c) has its own for the values that they are made of.
 */
#include "dialect/graph/graph_int.h"

#include "dialect/template.h"

/* ---- what the author has written ---- */

static bool has_output(const struct graph_type *type, str name)
{
    for (size_t i = 0; i < type->output_count; i++)
        if (str_equal(type->output[i].name, name)) return true;
    return false;
}

const struct json *graph_test_output(struct graph *graph, const struct graph_node *node)
{
    const struct json *given = graph_member(&node->config, "testOutput");
    str pointer = graph_pointer(graph, &node->config, "testOutput");
    struct problems *problems = graph_about(graph, &node->at);
    if (!given) return NULL;
    if (!json_is(given, JSON_OBJECT)) {
        problem_warning(problems, PROBLEM_BAD_VALUE, pointer, "write the outputs and their values",
                        "%s: testOutput is no object, and is ignored", node->at.what);
        return NULL;
    }
    struct json_each each = json_each(given);
    while (json_next(&each))
        if (!has_output(node->type, each.name))
            problem_warning(problems, PROBLEM_UNKNOWN_FIELD,
                            problem_pointer(graph->scratch, pointer, each.name), NULL,
                            "%s: testOutput has %s, which is no output of this type", node->at.what,
                            problem_quote(graph->scratch, each.name));
    template_warn(problems, given, pointer, arena_printf(graph->scratch, "%s: ", node->at.what).p,
                  "a test brings it as it is written");
    return given;
}

/* {to: given.from, …} of the members that the author has written; NULL: none. */
static const struct json *renamed(struct graph *graph, const struct json *given,
                                  const char *const (*names)[2], size_t count)
{
    const struct json *made = NULL;
    for (size_t i = 0; given && i < count; i++) {
        const struct json *value = json_get(given, str_of(names[i][0]));
        if (value)
            made = json_set(graph->arena, made ? made : json_empty_object(), str_of(names[i][1]),
                            json_copy(graph->arena, value));
    }
    return made;
}

/* ---- people ---- */

/* A value of the type that a field declares; NULL: it declares none. */
static const struct json *field_placeholder(const struct json *field, struct arena *arena)
{
    static const struct {
        str type;
        enum graph_output_kind kind;
    } kinds[] = {
        { STR_INIT("string"), GRAPH_OUTPUT_STRING },  { STR_INIT("number"), GRAPH_OUTPUT_NUMBER },
        { STR_INIT("integer"), GRAPH_OUTPUT_NUMBER }, { STR_INIT("boolean"), GRAPH_OUTPUT_BOOLEAN },
        { STR_INIT("array"), GRAPH_OUTPUT_ARRAY },    { STR_INIT("object"), GRAPH_OUTPUT_OBJECT },
    };
    const struct json *type = json_get(field, STR("type")), *of = json_get(field, STR("enum"));
    const struct json *fixed = json_get(field, STR("const"));
    if (!fixed) fixed = json_get(field, STR("default"));
    if (!fixed && json_is(of, JSON_ARRAY) && json_count(of)) fixed = json_item(of, 0);
    if (fixed) return json_copy(arena, fixed);
    if (json_is(type, JSON_ARRAY) && json_count(type)) type = json_item(type, 0);
    for (size_t i = 0; json_is(type, JSON_STRING) && i < COUNT(kinds); i++)
        if (str_equal(json_string(type), kinds[i].type)) return graph_placeholder(kinds[i].kind, arena);
    return NULL;
}

static const struct json *form_placeholder(const struct json *form, struct arena *arena)
{
    const struct json *made = json_empty_object();
    struct json_each each = json_each(json_is(form, JSON_OBJECT) ? json_get(form, STR("properties")) : NULL);
    while (json_next(&each)) {
        const struct json *value =
            json_is(each.value, JSON_OBJECT) ? field_placeholder(each.value, arena) : NULL;
        if (value) made = json_set(arena, made, each.name, value);
    }
    return made;
}

static str test_decision(struct graph *graph, const struct graph_node *node, const struct json *given,
                         const struct program_node *lowered)
{
    const struct json *decision = given ? json_get(given, STR("decision")) : NULL;
    if (json_is(decision, JSON_STRING)) return json_string(decision);
    str told = graph_text(graph, &node->config, "testDecision");
    if (told.n) return told;
    return lowered->as.wait.decision_count ? lowered->as.wait.decision[0] : STR_NONE;
}

/* The part of a person's answer that the author has written; NULL: none. */
static const struct json *given_answer(struct graph *graph, const struct graph_node *node,
                                       const struct json *payload, const struct json *decision)
{
    const struct json *answer =
        json_is(payload, JSON_OBJECT) ? json_copy(graph->arena, payload) : json_empty_object();
    str told = json_is(decision, JSON_STRING) ? json_string(decision)
                                              : graph_text(graph, &node->config, "testDecision");
    if (told.n) answer = json_set(graph->arena, answer, STR("decision"), json_of_string(graph->arena, told));
    return json_count(answer) ? answer : NULL;
}

void graph_set_test_answer(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    static const char *const told[][2] = { { "task_id", "task" },
                                           { "completed_by", "by" },
                                           { "completed_at", "at" } };
    const struct json *given = graph_test_output(graph, node);
    const struct json *payload = given ? json_get(given, STR("payload")) : NULL;
    const struct json *answer = form_placeholder(graph_member(&node->config, "formSchema"), graph->arena);
    if (json_is(payload, JSON_OBJECT))
        answer = json_merge(answer, json_copy(graph->arena, payload), graph->arena);
    else if (payload)
        problem_warning(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                        graph_pointer(graph, &node->config, "testOutput"), NULL,
                        "%s: payload of testOutput is no object, and is ignored", node->at.what);
    str decision = test_decision(graph, node, given, lowered);
    if (decision.n)
        answer = json_set(graph->arena, answer, STR("decision"), json_of_string(graph->arena, decision));
    struct program_rehearsal *rehearsal = arena_make(graph->arena, struct program_rehearsal);
    rehearsal->brought = answer;
    rehearsal->given = given_answer(graph, node, payload, given ? json_get(given, STR("decision")) : NULL);
    rehearsal->told = renamed(graph, given, told, COUNT(told));
    lowered->rehearsal = rehearsal;
}

/* ---- events and times ---- */

void graph_set_test_event(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    static const char *const brought[][2] = { { "payload", "payload" }, { "received_at", "triggered_at" } };
    const struct json *made = renamed(graph, graph_test_output(graph, node), brought, COUNT(brought));
    if (!made) return;
    struct program_rehearsal *rehearsal = arena_make(graph->arena, struct program_rehearsal);
    rehearsal->brought = rehearsal->given = made;
    lowered->rehearsal = rehearsal;
}

void graph_set_test_delay(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    static const char *const told[][2] = { { "scheduled_for", "due" }, { "resumed_at", "at" } };
    const struct json *made = renamed(graph, graph_test_output(graph, node), told, COUNT(told));
    if (!made) return;
    struct program_rehearsal *rehearsal = arena_make(graph->arena, struct program_rehearsal);
    rehearsal->told = made;
    lowered->rehearsal = rehearsal;
}
