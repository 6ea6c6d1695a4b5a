/* dialect/graph/lower_loop.c — For each: a region for every item, with data of its own that sees the data
 * around. */
#include "dialect/graph/graph_int.h"

#include "expr/build.h"

static str read_name(struct graph *graph, const struct graph_node *node, const char *field, str otherwise)
{
    static const char *const reserved[] = { "nodes",    "vars",    "trigger", "triggers",
                                            "instance", "secrets", "result",  "carried",
                                            "__resume", "self",    "error",   "loop" };
    str name = graph_text(graph, &node->config, field);
    if (!name.n) return otherwise;
    for (size_t i = 0; i < COUNT(reserved); i++)
        if (str_equal(name, str_of(reserved[i]))) {
            problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                          graph_pointer(graph, &node->config, field), NULL,
                          "%s: %s is the name of something else", node->at.what,
                          problem_quote(graph->scratch, name));
            return otherwise;
        }
    return name;
}

/* The result of an item. Without a template it is what the last node inside gave. */
static const struct expr *lower_result(struct graph *graph, const struct graph_node *node)
{
    const struct json *result = graph_member(&node->config, "result");
    if (!result) return NULL;
    /* It sees what is inside. */
    struct graph_node inside = *node;
    inside.parent = node->index;
    return graph_expr(graph, &inside, result, graph_pointer(graph, &node->config, "result"), GRAPH_SEES_DATA);
}

/* May the condition read all results? True also if it takes `loop` as a whole. */
static bool reads_results(const struct json *until, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    json_print(until, &out);
    str text = buf_str(&out), word = STR("loop");
    for (size_t at = 0; (at = str_find(text, word, at)) != SIZE_MAX; at += word.n) {
        str behind = str_slice(text, at + word.n, text.n);
        if (!str_starts(behind, STR(".")) || str_starts(behind, STR(".results"))) return true;
    }
    return false;
}

/* Checks the number of items behind which the flow goes on; 0: none is given. */
static int64_t read_quorum(struct graph *graph, const struct graph_node *node, int64_t items_max)
{
    const struct json *items = graph_member(&node->config, "items");
    if (!graph_member(&node->config, "quorum")) return 0;
    int64_t quorum = graph_integer(graph, &node->config, "quorum", 1, GRAPH_ITEMS_MAX, 1);
    bool is_fixed = json_is(items, JSON_ARRAY) && !graph_member(&node->config, "addFrom");
    int64_t count = is_fixed ? (int64_t)json_count(items) : items_max;
    if (quorum > count)
        problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                      graph_pointer(graph, &node->config, "quorum"), NULL,
                      "%s goes on behind %lld of its items, and has at most %lld", graph_label(graph, node),
                      (long long)quorum, (long long)count);
    return quorum;
}

/* `until`, or so many items that have succeeded. */
static const struct expr *with_quorum(struct graph *graph, const struct expr *until, int64_t quorum)
{
    struct arena *arena = graph->arena;
    struct expr_tree *succeeded = tree_member(tree_variable(STR("loop"), arena), STR("succeeded"), arena);
    struct expr_tree *wanted = tree_literal(json_of_int(arena, quorum), arena);
    struct expr_tree *reached = tree_not(tree_less(succeeded, wanted, arena), arena);
    if (!until) return expr_of_tree(reached, arena);
    struct expr_tree *either[] = { reached, tree_nested(until, NESTED_BOOLEAN, arena) };
    return expr_of_tree(tree_or(either, COUNT(either), arena), arena);
}

static void lower_until(struct graph *graph, const struct graph_node *node, struct program_each *each)
{
    const struct graph_place *config = &node->config;
    const struct json *until = graph_member(config, "until");
    int64_t quorum = read_quorum(graph, node, each->items_max);
    each->keeps_rest = !graph_flag(graph, config, "cancelRemaining", true);
    if (!until && !quorum) graph_idle(graph, config, "cancelRemaining", "it waits for all items");
    if (until) {
        each->until =
            graph_condition(graph, node, until, graph_pointer(graph, config, "until"), true, GRAPH_SEES_LOOP);
        each->until_reads_results = reads_results(until, graph->scratch);
    }
    if (quorum) each->until = with_quorum(graph, each->until, quorum);
}

static const struct program_each *lower_each(struct graph *graph, const struct graph_node *node)
{
    const struct graph_place *config = &node->config;
    const struct json *items = graph_member(config, "items");
    bool parallel = graph_word(graph, config, "mode", "sequential|parallel", PROBLEM_BAD_VALUE, 0) == 1;
    int64_t window = graph_integer(graph, config, "maxConcurrency", 1, GRAPH_WINDOW_MAX, 10);
    if (!parallel) graph_idle(graph, config, "maxConcurrency", "mode is sequential");
    struct program_each *each = arena_make(graph->arena, struct program_each);
    *each = (struct program_each){
        .items = graph_expr(graph, node, items ? items : json_null(), graph_pointer(graph, config, "items"),
                            GRAPH_SEES_DATA),
        .item_name = read_name(graph, node, "itemVar", STR("item")),
        .index_name = read_name(graph, node, "indexVar", STR("index")),
        .window = parallel ? (uint32_t)window : 1,
        .items_max = (uint32_t)graph_integer(graph, config, "maxItems", 1, GRAPH_ITEMS_MAX, 10000),
        .goes_on = graph_word(graph, config, "onItemError", "fail|continue", PROBLEM_BAD_VALUE, 0) == 1,
        .result = lower_result(graph, node),
        .not_a_list = STR("FOR_EACH_NOT_ARRAY"),
        .too_many = STR("FOR_EACH_TOO_MANY_ITEMS"),
    };
    if (graph_member(config, "addFrom")) {
        each->arrival = graph_awaited_arrival(graph, node, "addFrom");
        each->takes_more = each->arrival != ARRIVAL_NONE;
    }
    lower_until(graph, node, each);
    return each;
}

/* Where items begin. A join must be told by which edge their tokens come. */
static uint32_t start_of(struct graph *graph, const struct graph_node *node)
{
    const struct graph_edge *body = graph_port_edge(graph, node, STR("body"));
    if (!body || !body->arrival) return body ? body->to : graph->end;
    const struct program_node *lowered = graph_lowered(graph, node);
    uint32_t start = graph_add(graph, (struct program_node){ .kind = NODE_CHOOSE,
                                                             .name = graph_unique(graph, node->id, "/begin"),
                                                             .title = lowered->title,
                                                             .type = lowered->type,
                                                             .pointer = lowered->pointer,
                                                             .undo = NODE_NONE,
                                                             .inner = true });
    graph_set_way(graph, &graph->lowered[start], body);
    return start;
}

void graph_lower_loop(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    struct program_region *region = arena_make(graph->arena, struct program_region);
    *region = (struct program_region){ .name = STR("item"), .start = start_of(graph, node), .awaited = true };
    lowered->kind = NODE_SCOPE;
    lowered->as.scope.region = region;
    lowered->as.scope.region_count = 1;
    lowered->as.scope.sees_around = true;
    lowered->as.scope.each = lower_each(graph, node);
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("done")));
    graph_set_error_port(graph, node, lowered);
    const struct expr *told = graph_own_expr(
        graph,
        "{\"count\": each.count, \"succeeded\": each.succeeded, \"failed\": each.failed, "
        "\"results\": each.results, \"errors\": map(each.errors, {\"index\": #.index, \"nodeId\": #.node, "
        "\"errorCode\": #.name, \"message\": #.message})}");
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = graph_name_of_output(graph, node->id), .expr = told });
}
