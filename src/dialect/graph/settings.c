/* dialect/graph/settings.c — how instances of the workflow live: limits, deadlines, errors, secrets.
 *
 * Each is a member of `settings`, or of the document itself.
 */
#include "dialect/graph/graph_int.h"

#include "base/duration.h"
#include "base/must.h"

enum { PRIORITY_DEFAULT = 5, PRIORITY_HIGHEST = 10, VISITS_DEFAULT = 1000 };
#define RETENTION_MS (30 * DAY_MS) /* If the document says nothing: the default of its format. */

/* The object that has the setting. */
static const struct graph_place *place_of(const struct graph *graph, const char *name)
{
    return graph_member(&graph->settings, name) ? &graph->settings : &graph->document;
}

/* ---- numbers with codes of their own ---- */

/* A whole number in the range; `otherwise` if there is none, or another one, which is reported with the code.
 */
static int64_t read_count(struct graph *graph, const char *name, int64_t least, int64_t most,
                          enum problem_code code, const char *what, int64_t otherwise)
{
    const struct graph_place *at = place_of(graph, name);
    const struct json *value = graph_member(at, name);
    int64_t number;
    if (!value) return otherwise;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &number) && number >= least && number <= most)
        return number;
    problem_error(graph_about(graph, at), code, graph_pointer(graph, at, name), NULL,
                  "%s is %s; it must be %s", name, graph_shown(graph, value), what);
    return otherwise;
}

/* ---- nodes and secrets ---- */

static uint32_t read_handler(struct graph *graph)
{
    const struct graph_place *at = place_of(graph, "globalErrorHandler");
    str id = graph_text(graph, at, "globalErrorHandler");
    if (!id.n) return NODE_NONE;
    uint32_t found = graph_find(graph, id);
    str pointer = graph_pointer(graph, at, "globalErrorHandler");
    if (found == NODE_NONE) {
        problem_error(graph_about(graph, at), PROBLEM_ERROR_HANDLER_NOT_FOUND, pointer, NULL,
                      "errors go to %s, which does not exist", problem_quote(graph->scratch, id));
        return NODE_NONE;
    }
    struct graph_node *node = &graph->node[found];
    if (node->parent != NODE_NONE || (node->type && node->type->kind == GRAPH_KIND_TRIGGER)) {
        problem_error(graph_about(graph, &node->at), PROBLEM_SCOPE_VIOLATION, pointer, NULL,
                      "errors go to %s, which %s", graph_label(graph, node),
                      node->parent != NODE_NONE ? "is inside a For each" : "is a start");
        return NODE_NONE;
    }
    node->is_handler = true;
    return found;
}

static void read_secrets(struct graph *graph)
{
    const struct graph_place *at = place_of(graph, "secretRefs");
    const struct json *list = graph_list(graph, at, "secretRefs");
    size_t count = json_count(list);
    if (count > GRAPH_SECRETS_MAX) {
        problem_error(graph_about(graph, at), PROBLEM_TOO_LARGE, graph_pointer(graph, at, "secretRefs"), NULL,
                      "%zu secrets; the most is %d", count, GRAPH_SECRETS_MAX);
        return;
    }
    str *secret = arena_make_n(graph->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_item(list, i);
        if (json_is(item, JSON_STRING))
            secret[graph->secret_count++] = arena_str(graph->arena, json_string(item));
        else graph_wrong_type(graph, at, "secretRefs", "a list of names", item);
    }
    must(graph->secret_count <= count);
    graph->secret = secret;
}

/* ---- the whole ---- */

static void warn_of_twice(struct graph *graph)
{
    struct graph_params settings = graph_setting_params();
    for (size_t i = 0; i < settings.count; i++)
        if (graph_member(&graph->settings, settings.param[i].name))
            graph_idle(graph, &graph->document, settings.param[i].name, "settings have it, too");
}

void graph_read_settings(struct graph *graph)
{
    graph_only_params(graph, &graph->settings, graph_setting_params());
    warn_of_twice(graph);
    read_secrets(graph);
    graph->handler = read_handler(graph);
    graph_read_retry(graph, place_of(graph, "defaultRetryPolicy"));
    graph->undoes = graph_word(graph, place_of(graph, "onFailure"), "onFailure", "fail|compensate",
                               PROBLEM_BAD_VALUE, 0) == 1;
    graph->visits_max = (uint32_t)graph_integer(graph, place_of(graph, "maxNodeVisits"), "maxNodeVisits", 1,
                                                GRAPH_VISITS_MAX, VISITS_DEFAULT);
    graph->is_ephemeral = graph_word(graph, place_of(graph, "instanceMode"), "instanceMode",
                                     "Persistent|Ephemeral", PROBLEM_INVALID_INSTANCE_MODE, 0) == 1;
}

static const struct program_handler *lower_handler(struct graph *graph)
{
    must(graph->handler < graph->node_count);
    static const str error_name[] = { STR_INIT("__error") };
    static const str carried_names[] = { STR_INIT("resume"), STR_INIT("handling") };
    struct arena *arena = graph->arena;
    struct expr_tree *error = graph_error_value(graph);
    struct expr_tree *carried[] = {
        tree_member(tree_variable_or_null(STR("carried"), arena), STR("resume"), arena),
        tree_literal(json_of_bool(true), arena),
    };
    struct program_value *output = arena_make(arena, struct program_value);
    *output = (struct program_value){ .name = STR("vars"),
                                      .expr = expr_of_tree(tree_map(error_name, &error, 1, arena), arena),
                                      .to_instance = true,
                                      .by_member = true };
    struct program_handler *handler = arena_make(arena, struct program_handler);
    struct expr_tree *handling =
        tree_member(tree_variable_or_null(STR("carried"), arena), STR("handling"), arena);
    *handler = (struct program_handler){
        .when = expr_of_tree(
            tree_not(tree_equal(handling, tree_literal(json_of_bool(true), arena), arena), arena), arena),
        .output = output,
        .output_count = 1,
        .carry = expr_of_tree(tree_map(carried_names, carried, COUNT(carried), arena), arena),
        .way = { .target = graph->handler },
        .common = true,
    };
    return handler;
}

/* {vars, instance}: what a new instance begins with. */
static const struct expr *lower_start(struct graph *graph)
{
    static const str names[] = { STR_INIT("vars"), STR_INIT("instance") };
    const struct graph_place variables = graph_object(graph, &graph->document, "variables");
    struct expr_tree *values[] = { tree_literal(json_copy(graph->arena, variables.object), graph->arena),
                                   tree_variable(STR("instance"), graph->arena) };
    return expr_of_tree(tree_map(names, values, COUNT(names), graph->arena), graph->arena);
}

void graph_settings_lower(struct graph *graph)
{
    struct program_rules *rules = arena_make(graph->arena, struct program_rules);
    *rules = (struct program_rules){
        .start_data = lower_start(graph),
        .undoes = graph->undoes,
        .undoes_all_at_once = graph_word(graph, place_of(graph, "compensationOrder"), "compensationOrder",
                                         "reverse|parallel", PROBLEM_BAD_VALUE, 0) == 1,
        .deadline_ms = graph_duration(graph, place_of(graph, "executionTimeout"), "executionTimeout", 0),
        .active_max = read_count(graph, "maxActiveInstances", 1, INT32_MAX, PROBLEM_INVALID_MAX_ACTIVE,
                                 "a whole number from 1 on, or left out", 0),
        .overflow_waits = graph_word(graph, place_of(graph, "overflowPolicy"), "overflowPolicy",
                                     "Reject|Queue", PROBLEM_BAD_VALUE, 0) == 1,
        .retention_ms =
            graph_duration(graph, place_of(graph, "retentionPeriod"), "retentionPeriod", RETENTION_MS),
        .is_ephemeral = graph->is_ephemeral,
        .ends_at_restart = !graph_flag(graph, place_of(graph, "isRecoverable"), "isRecoverable", true),
        .input_schema = graph_schema(graph, place_of(graph, "inputSchema"), "inputSchema"),
        .secret = graph->secret,
        .secret_count = graph->secret_count,
    };
    if (graph->handler != NODE_NONE) {
        rules->handler = lower_handler(graph);
        rules->handler_count = 1;
    }
    rules->arrival = graph_triggers_lower(graph, &rules->arrival_count);
    graph_triggers_lower_others(graph, rules);
    rules->begin = graph->begin;
    rules->begin_count = graph->begin_count;
    graph->program->rules = rules;
    graph->program->priority =
        (int32_t)read_count(graph, "priority", 0, PRIORITY_HIGHEST, PROBLEM_INVALID_PRIORITY,
                            "a whole number from 0 to 10", PRIORITY_DEFAULT);
}
