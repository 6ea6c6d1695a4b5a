/* dialect/graph/lower_actions.c — calls: web services, databases, e-mail, tools, other flows; and what undoes
 * a node. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- the call ---- */

static const struct {
    enum graph_type_id type;
    enum performer performer;
} performers[] = {
    { GRAPH_HTTP, PERFORM_HTTP }, { GRAPH_DB, PERFORM_SQL },        { GRAPH_EMAIL, PERFORM_EMAIL },
    { GRAPH_MCP, PERFORM_HTTP },  { GRAPH_SUBFLOW, PERFORM_CHILD },
};

static enum performer performer_of(const struct graph_type *type)
{
    for (size_t i = 0; i < COUNT(performers); i++)
        if (performers[i].type == type->id) return performers[i].performer;
    return PERFORMER_DEFAULT;
}

/* The config as the performer gets it: without what is for the engine alone, and with the method that is
 * meant. */
static const struct json *call_of(struct graph *graph, const struct graph_node *node)
{
    static const char *const ours[] = { "testOutput", "output", "wait" };
    const struct json *call = node->config.object;
    for (size_t i = 0; i < COUNT(ours); i++) call = json_without(graph->arena, call, str_of(ours[i]));
    if (node->type->id != GRAPH_HTTP || graph_is_template(graph_member(&node->config, "method"))) return call;
    static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS" };
    size_t method = graph_word(graph, &node->config, "method", "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS",
                               PROBLEM_BAD_VALUE, graph_member(&node->config, "body") ? 1 : 0);
    return json_set(graph->arena, call, STR("method"), json_of_string(graph->arena, str_of(methods[method])));
}

/* The result of the call in a test run: nothing is called. A call that only reads is made, unless its author
 * has written what it brings. */
static void set_rehearsal(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    must(!lowered->rehearsal);
    const struct json *placeholder = graph_type_placeholder(node->type, graph->arena);
    const struct json *given = graph_test_output(graph, node);
    if (node->type->id == GRAPH_SUBFLOW && !given) return; /* The other flow is tested, too. */
    lowered->acts_in_tests = !given && graph_flag(graph, &node->config, "readOnly", false);
    if (lowered->acts_in_tests) return;
    struct program_rehearsal *rehearsal = arena_make(graph->arena, struct program_rehearsal);
    rehearsal->brought = given ? json_merge(placeholder, given, graph->arena) : placeholder;
    rehearsal->given = given ? json_copy(graph->arena, given) : NULL;
    lowered->rehearsal = rehearsal;
}

static void set_retry(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    struct arena *arena = graph->arena;
    struct graph_retry policy = graph_retry_policy(graph, node);
    /* The other flow has tried its own calls again. All of it is only begun anew if the node itself says so. */
    bool is_asked = node->type->id != GRAPH_SUBFLOW || graph_member(&node->at, "retry");
    if (policy.attempts_max < 2 || !is_asked) return;
    must(lowered->kind == NODE_TASK && !lowered->as.task.retry_count);
    struct program_retry *retry = arena_make(arena, struct program_retry);
    *retry = (struct program_retry){
        .only_retryable = true,
        .count = policy.attempts_max - 1,
        .used_up = STR("Max retries exceeded: "),
        .delay = policy.delay,
        .exit = { .target = NODE_NONE },
    };
    if (policy.codes) {
        struct expr_tree *code = tree_member(tree_variable(STR("error"), arena), STR("name"), arena);
        size_t count = json_count(policy.codes);
        struct expr_tree **is = arena_make_n(arena, struct expr_tree *, count);
        for (size_t i = 0; i < count; i++)
            is[i] = tree_equal(code, tree_literal(json_item(policy.codes, i), arena), arena);
        retry->when = expr_of_tree(tree_or(is, count, arena), arena);
    }
    lowered->as.task.retry = retry;
    lowered->as.task.retry_count = 1;
}

/* The time that one attempt has. */
static void set_attempt_timeout(struct graph *graph, const struct graph_node *node,
                                struct program_node *lowered)
{
    must(!lowered->timer_count);
    if (!graph_member(&node->at, "timeout")) return;
    struct program_timer *timer = arena_make(graph->arena, struct program_timer);
    *timer = (struct program_timer){ .delay_ms = graph_duration(graph, &node->at, "timeout", 0),
                                     .does = TIMER_RAISE,
                                     .per_attempt = true,
                                     .target = NODE_NONE };
    lowered->timer = timer;
    lowered->timer_count = timer->delay_ms > 0;
}

static const struct json *config_of(struct graph *graph, const struct graph_node *node)
{
    str type = node->type->id == GRAPH_HTTP      ? STR("request")
               : node->type->id == GRAPH_MCP     ? STR("mcp")
               : node->type->id == GRAPH_SUBFLOW ? STR("flow")
                                                 : STR_NONE;
    if (!type.n) return NULL;
    return json_set(graph->arena, json_empty_object(), STR("type"), json_of_string(graph->arena, type));
}

/* ---- another flow ---- */

int32_t graph_pinned_version(struct graph *graph, const struct graph_node *node)
{
    const struct json *version = graph_member(&node->config, "version");
    int32_t number;
    if (!version || graph_is_template(version)) return 0;
    if (program_version_of(version, &number)) return number;
    problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                  graph_pointer(graph, &node->config, "version"), "write latest, or a number from 1 on",
                  "%s: %s is no version of a flow", node->at.what, graph_shown(graph, version));
    return 0;
}

str graph_named_definition(struct graph *graph, const struct graph_node *node)
{
    const struct json *definition = graph_member(&node->config, "definition");
    if (!json_is(definition, JSON_STRING) || graph_is_template(definition)) return STR_NONE;
    str id = json_string(definition);
    if (id.n <= DEFINITION_ID_BYTES_MAX) return arena_str(graph->arena, id);
    problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE,
                  graph_pointer(graph, &node->config, "definition"), NULL,
                  "%s: the id of a flow has at most %d bytes (DEFINITION_ID_BYTES_MAX); it has %zu",
                  node->at.what, DEFINITION_ID_BYTES_MAX, id.n);
    return STR_NONE;
}

static void make_subflow(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    lowered->as.task.job_type = graph_named_definition(graph, node);
    lowered->as.task.type_in_input = !lowered->as.task.job_type.n;
    lowered->as.task.definition_version = graph_pinned_version(graph, node);
    lowered->as.task.detached = !graph_flag(graph, &node->config, "wait", true);
}

/* ---- the task ---- */

/* The outputs of the node: what the call brought, or what its author keeps of that. */
static void set_result(struct graph *graph, const struct graph_node *node, struct program_node *lowered,
                       unsigned sees)
{
    const struct json *kept = graph_member(&node->config, "output");
    struct expr_tree *value = tree_variable(STR("result"), graph->arena);
    if (kept)
        value = graph_value(graph, node, kept, graph_pointer(graph, &node->config, "output"),
                            sees | GRAPH_SEES_RESULT);
    graph_set_output(graph, node, lowered, value);
}

static void make_task(struct graph *graph, const struct graph_node *node, struct program_node *lowered,
                      unsigned sees)
{
    must(node->type->kind == GRAPH_KIND_ACTION);
    lowered->kind = NODE_TASK;
    lowered->as.task.job_type = node->type->name;
    lowered->as.task.performer = performer_of(node->type);
    lowered->as.task.config = config_of(graph, node);
    /* The input of another flow is stored with its run, so no secret may be in it. */
    bool is_flow = node->type->id == GRAPH_SUBFLOW;
    if (is_flow) make_subflow(graph, node, lowered);
    lowered->as.task.input = graph_expr(graph, node, call_of(graph, node), node->config.pointer,
                                        is_flow ? sees : sees | GRAPH_SEES_SECRETS);
    lowered->as.task.result_is_local = true;
    lowered->as.task.result_member = graph_type_outputs(node->type, graph->arena);
    lowered->as.task.result_member_count = node->type->output_count;
    set_rehearsal(graph, node, lowered);
    set_retry(graph, node, lowered);
    set_attempt_timeout(graph, node, lowered);
    set_result(graph, node, lowered, sees);
}

void graph_lower_action(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    make_task(graph, node, lowered, node->is_undo ? GRAPH_SEES_UNDO : GRAPH_SEES_DATA);
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("out")));
    graph_set_error_port(graph, node, lowered);
}

/* ---- undoing ---- */

void graph_mark_undos(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct json *by = graph_member(&graph->node[i].at, "compensation");
        uint32_t found = json_is(by, JSON_STRING) ? graph_find(graph, json_string(by)) : NODE_NONE;
        if (found != NODE_NONE) graph->node[found].is_undo = graph->node[found].is_handler = true;
    }
}

static void undo_by_node(struct graph *graph, const struct graph_node *node, str id)
{
    uint32_t found = graph_find(graph, id);
    bool fits = found != NODE_NONE && node->index != found &&
                !(graph->node[found].type && graph->node[found].type->kind == GRAPH_KIND_TRIGGER);
    if (fits) {
        must(graph_lowered(graph, node)->undo == NODE_NONE);
        graph_lowered(graph, node)->undo = found;
        return;
    }
    problem_error(graph_about(graph, &node->at), PROBLEM_COMPENSATION_TARGET_NOT_FOUND,
                  graph_pointer(graph, &node->at, "compensation"), NULL, "%s is undone by %s, which %s",
                  graph_label(graph, node), problem_quote(graph->scratch, id),
                  found == NODE_NONE ? "does not exist" : "cannot undo it");
}

static const char *const undo_fields[] = { "type", "config", "retry", "timeout", NULL };

/* {"type": "action_http", "config": {…}}: a call that no edge leads to. */
static void undo_by_call(struct graph *graph, const struct graph_node *node)
{
    struct graph_place at = graph_object(graph, &node->at, "compensation");
    graph_only(graph, &at, undo_fields);
    struct graph_node handler = { .id = graph_unique(graph, node->id, "~comp"),
                                  .label = node->label,
                                  .at = at,
                                  .index = node->index,
                                  .parent = node->parent };
    handler.config = graph_object(graph, &at, "config");
    handler.type = graph_type_find(graph_text(graph, &at, "type"));
    if (!handler.type || handler.type->kind != GRAPH_KIND_ACTION) {
        problem_error(graph_about(graph, &at), PROBLEM_UNKNOWN_NODE_TYPE, graph_pointer(graph, &at, "type"),
                      "action_http, action_db, action_email, action_mcp or action_subflow",
                      "%s can only be undone by a call", graph_label(graph, node));
        return;
    }
    graph_check_config(graph, &handler);
    uint32_t index = graph_add(
        graph, (struct program_node){ .name = handler.id,
                                      .title = arena_printf(graph->arena, "Undo %.*s",
                                                            STR_ARG(graph_lowered(graph, node)->title)),
                                      .type = handler.type->name,
                                      .pointer = at.pointer,
                                      .undo = NODE_NONE });
    make_task(graph, &handler, &graph->lowered[index], GRAPH_SEES_UNDO);
    graph_set_way(graph, &graph->lowered[index], NULL);
    must(index > graph->end && graph_lowered(graph, node)->undo == NODE_NONE);
    graph_lowered(graph, node)->undo = index;
}

void graph_lower_undo(struct graph *graph, const struct graph_node *node)
{
    const struct json *by = graph_member(&node->at, "compensation");
    if (!by) return;
    if (json_is(by, JSON_STRING)) undo_by_node(graph, node, json_string(by));
    else if (json_is(by, JSON_OBJECT)) undo_by_call(graph, node);
    else graph_wrong_type(graph, &node->at, "compensation", "the id of a node, or a call", by);
}
