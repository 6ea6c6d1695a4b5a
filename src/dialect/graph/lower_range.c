/* dialect/graph/lower_range.c — StaticForLoop: a region for each number of a range.
 *
 *     SCOPE per number ──► (a pause between two) ──► (a SCOPE that is entered again when it fails) ──► body
 *
 * Inside, the outputs of the loop's own node are the iteration: {index, value, isFirst, isLast}.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- the numbers ---- */

struct range {
    int64_t from, to, step;
};

/* Without reports: each bound is reported where the loop is lowered. */
static bool read_bound(const struct graph_node *node, const char *name, int64_t *ret_value)
{
    int64_t value;
    const struct json *given = graph_member(&node->config, name);
    if (!given || !json_int64(given, &value)) return false;
    if (value > GRAPH_RANGE_VALUE_MAX || value < -GRAPH_RANGE_VALUE_MAX) return false;
    *ret_value = value;
    return true;
}

static uint64_t count_of(const struct range *range)
{
    must(range->from <= GRAPH_RANGE_VALUE_MAX && range->to <= GRAPH_RANGE_VALUE_MAX);
    if (range->step > 0 && range->from < range->to)
        return ((uint64_t)(range->to - range->from) + (uint64_t)range->step - 1) / (uint64_t)range->step;
    if (range->step < 0 && range->from > range->to)
        return ((uint64_t)(range->from - range->to) + (uint64_t)-range->step - 1) / (uint64_t)-range->step;
    return 0;
}

uint32_t graph_range_count(const struct graph_node *node)
{
    struct range range = { .step = 1 };
    read_bound(node, "step", &range.step);
    if (!read_bound(node, "from", &range.from) || !read_bound(node, "to", &range.to)) return 0;
    uint64_t count = count_of(&range);
    return count <= GRAPH_ITEMS_MAX ? (uint32_t)count : 0;
}

/* [{index, value, isFirst, isLast}] */
static const struct json *iterations_of(struct graph *graph, const struct range *range, uint64_t count)
{
    struct json_builder builder;
    json_builder_init(&builder, graph->arena);
    json_open_array(&builder);
    for (uint64_t i = 0; i < count; i++) {
        json_open_object(&builder);
        json_add_name(&builder, STR("index"));
        json_add_int(&builder, (int64_t)i);
        json_add_name(&builder, STR("value"));
        json_add_int(&builder, range->from + (int64_t)i * range->step);
        json_add_name(&builder, STR("isFirst"));
        json_add_bool(&builder, i == 0);
        json_add_name(&builder, STR("isLast"));
        json_add_bool(&builder, i + 1 == count);
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *read_range(struct graph *graph, const struct graph_node *node)
{
    const struct graph_place *config = &node->config;
    const struct range range = {
        .from = graph_integer(graph, config, "from", -GRAPH_RANGE_VALUE_MAX, GRAPH_RANGE_VALUE_MAX, 0),
        .to = graph_integer(graph, config, "to", -GRAPH_RANGE_VALUE_MAX, GRAPH_RANGE_VALUE_MAX, 0),
        .step = graph_integer(graph, config, "step", -GRAPH_RANGE_VALUE_MAX, GRAPH_RANGE_VALUE_MAX, 1),
    };
    const char *missing = !graph_member(config, "from") ? "from" : !graph_member(config, "to") ? "to" : NULL;
    uint64_t count = count_of(&range);
    int64_t known;
    if (missing)
        problem_error(graph_about(graph, &node->at), PROBLEM_REQUIRED, graph_pointer(graph, config, missing),
                      NULL, "%s needs from and to", node->at.what);
    else if (!read_bound(node, "from", &known) || !read_bound(node, "to", &known)) return json_empty_array();
    else if (!count)
        problem_error(graph_about(graph, &node->at), PROBLEM_EMPTY_RANGE, config->pointer,
                      range.step == 0 ? "give it a step other than 0"
                                      : "the last number is not counted; to count down, use a negative step",
                      "%s counts from %lld to %lld by %lld, which is no number at all", node->at.what,
                      (long long)range.from, (long long)range.to, (long long)range.step);
    else if (count > GRAPH_ITEMS_MAX)
        problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE, config->pointer, NULL,
                      "%s has %llu iterations; the most is %d", node->at.what, (unsigned long long)count,
                      GRAPH_ITEMS_MAX);
    else return iterations_of(graph, &range, count);
    return json_empty_array();
}

/* ---- what happens when an iteration fails ---- */

struct on_error {
    bool goes_on;
    int64_t retries;
};

/* Halt, Continue or Retry(n). */
static struct on_error read_on_error(struct graph *graph, const struct graph_node *node)
{
    struct on_error on_error = { .goes_on = false };
    str text = str_trim(graph_text(graph, &node->config, "onIterationError"));
    if (!text.n || str_equal_ignoring_case(text, STR("Halt"))) return on_error;
    if (str_equal_ignoring_case(text, STR("Continue"))) {
        on_error.goes_on = true;
        return on_error;
    }
    const str retry = STR("Retry(");
    const struct json *number = NULL;
    if (text.n > retry.n && str_equal_ignoring_case(str_slice(text, 0, retry.n), retry) &&
        text.p[text.n - 1] == ')')
        number = json_number_parse(str_slice(text, retry.n, text.n - 1), graph->scratch);
    if (number && json_int64(number, &on_error.retries) && on_error.retries >= 1 &&
        on_error.retries < GRAPH_ATTEMPTS_MAX)
        return on_error;
    on_error.retries = 0;
    problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                  graph_pointer(graph, &node->config, "onIterationError"), NULL,
                  "%s: onIterationError is Halt, Continue or Retry(n) with n from 1 to %d, not %s",
                  node->at.what, GRAPH_ATTEMPTS_MAX - 1,
                  graph_shown(graph, graph_member(&node->config, "onIterationError")));
    return on_error;
}

/* The body, in a scope that is entered again when it fails. Its result is a member of the iteration. */
static uint32_t add_retries(struct graph *graph, const struct graph_node *node, uint32_t start,
                            int64_t retries)
{
    uint32_t again = graph_add_inner(graph, node, "/try", NODE_SCOPE);
    struct program_node *scope = &graph->lowered[again];
    struct arena *arena = graph->arena;
    struct program_region *region = arena_make(arena, struct program_region);
    *region = (struct program_region){ .name = STR("item"), .start = start, .awaited = true };
    scope->as.scope.region = region;
    scope->as.scope.region_count = 1;
    scope->as.scope.sees_around = true;
    scope->as.scope.data = expr_of_tree(tree_literal(json_empty_object(), arena), arena);
    graph_add_output(
        graph, scope,
        (struct program_value){ .name = STR("given"), .expr = graph_own_expr(graph, "last(values(frame))") });
    graph_set_way(graph, scope, NULL);
    struct expr_tree *retried = tree_coalesce(tree_variable_or_null(STR("retried"), arena),
                                              tree_literal(json_of_int(arena, 0), arena), arena);
    struct program_value *count = arena_make(arena, struct program_value);
    *count = (struct program_value){
        .name = STR("retried"),
        .expr = expr_of_tree(tree_plus(retried, tree_literal(json_of_int(arena, 1), arena), arena), arena),
    };
    struct program_handler *handler = arena_make(arena, struct program_handler);
    *handler = (struct program_handler){
        .when =
            expr_of_tree(tree_less(retried, tree_literal(json_of_int(arena, retries), arena), arena), arena),
        .output = count,
        .output_count = 1,
        .way = { .target = again },
    };
    scope->handler = handler;
    scope->handler_count = 1;
    return again;
}

/* ---- the way of one iteration ---- */

/* A wait before each iteration but the first. */
static uint32_t add_pause(struct graph *graph, const struct graph_node *node, struct program_edge next,
                          int64_t delay_ms)
{
    uint32_t pause = graph_add_inner(graph, node, "/pause", NODE_WAIT);
    struct program_node *wait = &graph->lowered[pause];
    struct program_timer *timer = arena_make(graph->arena, struct program_timer);
    const char *text = arena_printf(graph->scratch, "index > 0 ? %lld : 0", (long long)delay_ms).p;
    *timer = (struct program_timer){ .does = TIMER_GO_ON,
                                     .target = NODE_NONE,
                                     .when = graph_own_expr(graph, text) };
    wait->as.wait.what = WAIT_FOR_TIME;
    wait->timer = timer;
    wait->timer_count = 1;
    graph_set_edges(graph, wait, &next, 1);
    return pause;
}

/* Where an iteration begins. A join must be told by which edge its tokens come. */
static uint32_t start_of(struct graph *graph, const struct graph_node *node, int64_t retries, bool sequential)
{
    int64_t delay_ms =
        graph_integer(graph, &node->config, "iterationDelayMs", 0, DURATION_SECONDS_MAX * 1000, 0);
    struct program_edge next = graph_port_way(graph, node, node->type->wiring->body);
    if (next.arrival) {
        uint32_t begin = graph_add_inner(graph, node, "/begin", NODE_CHOOSE);
        graph_set_edges(graph, &graph->lowered[begin], &next, 1);
        next = (struct program_edge){ .target = begin };
    }
    if (retries) next = (struct program_edge){ .target = add_retries(graph, node, next.target, retries) };
    if (delay_ms && sequential) return add_pause(graph, node, next, delay_ms);
    if (delay_ms)
        problem_warning(graph_about(graph, &node->at), PROBLEM_IGNORED,
                        graph_pointer(graph, &node->config, "iterationDelayMs"), NULL,
                        "%s: only iterations one after the other have a pause between them", node->at.what);
    return next.target;
}

/* ---- the loop ---- */

static void refuse_ack(struct graph *graph, const struct graph_node *node)
{
    graph_integer(graph, &node->config, "ackTimeoutMs", 0, DURATION_SECONDS_MAX * 1000, 0);
    graph_word(graph, &node->config, "ackMode", "Any|All", PROBLEM_BAD_VALUE, 0);
    if (!graph_flag(graph, &node->config, "ack", false)) {
        graph_idle(graph, &node->config, "ackTimeoutMs", "ack is not true");
        graph_idle(graph, &node->config, "ackMode", "ack is not true");
        return;
    }
    problem_error(graph_about(graph, &node->at), PROBLEM_UNSUPPORTED,
                  graph_pointer(graph, &node->config, "ack"),
                  "put a Wait for event into the loop: the next iteration begins when this one is over",
                  "%s: the engine cannot wait for a sign at the port \"continue\"", node->at.what);
}

void graph_lower_range(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    const struct graph_place *config = &node->config;
    struct arena *arena = graph->arena;
    refuse_ack(graph, node);
    bool concurrent =
        graph_word(graph, config, "iterationMode", "Sequential|Concurrent", PROBLEM_BAD_VALUE, 0) == 1;
    int64_t window = graph_integer(graph, config, "maxConcurrency", 1, GRAPH_WINDOW_MAX, GRAPH_WINDOW_MAX);
    if (!concurrent) graph_idle(graph, config, "maxConcurrency", "iterationMode is Sequential");
    const struct on_error on_error = read_on_error(graph, node);
    struct program_each *each = arena_make(arena, struct program_each);
    *each = (struct program_each){
        .items = expr_of_tree(tree_literal(read_range(graph, node), arena), arena),
        .item_name = graph_name_of_output(graph, node->id),
        .index_name = STR("index"),
        .window = concurrent ? (uint32_t)window : 1,
        .items_max = GRAPH_ITEMS_MAX,
        .goes_on = on_error.goes_on,
        .result = on_error.retries ? expr_of_tree(tree_variable_or_null(STR("given"), arena), arena) : NULL,
        .not_a_list = STR("FOR_EACH_NOT_ARRAY"),
        .too_many = STR("FOR_EACH_TOO_MANY_ITEMS"),
    };
    struct program_region *region = arena_make(arena, struct program_region);
    *region = (struct program_region){ .name = STR("item"),
                                       .start = start_of(graph, node, on_error.retries, !concurrent),
                                       .awaited = true };
    lowered->kind = NODE_SCOPE;
    lowered->as.scope.region = region;
    lowered->as.scope.region_count = 1;
    lowered->as.scope.sees_around = true;
    lowered->as.scope.each = each;
    const struct program_edge way = graph_port_way(graph, node, node->type->wiring->done);
    graph_set_edges(graph, lowered, &way, 1);
    graph_set_error_port(graph, node, lowered);
    const struct expr *told = graph_own_expr(
        graph, "{\"status\": \"Completed\", \"totalIterations\": each.count, "
               "\"iterationsCompleted\": each.succeeded, \"iterationsFailed\": each.failed, "
               "\"results\": each.results, \"errors\": map(each.errors, {\"index\": #.index, \"nodeId\": "
               "#.node, \"errorCode\": #.name, \"message\": #.message})}");
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = graph_name_of_output(graph, node->id), .expr = told });
}
