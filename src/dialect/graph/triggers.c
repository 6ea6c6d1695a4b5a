/* dialect/graph/triggers.c — triggers become arrivals of the program. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- arrivals ---- */

/* The event is the newest one, that of its trigger, and the output of the trigger's node. */
static void set_outputs(struct graph *graph, struct program_arrival *arrival)
{
    enum { OUTPUTS = 3 };
    const struct expr *event = expr_of_tree(tree_variable(STR("arrival"), graph->arena), graph->arena);
    struct program_value *output = arena_make_n(graph->arena, struct program_value, OUTPUTS);
    output[0] = (struct program_value){ .name = STR("trigger"), .expr = event };
    output[1] =
        (struct program_value){ .name = arena_printf(graph->arena, "triggers.%.*s", STR_ARG(arrival->name)),
                                .expr = event };
    output[2] = (struct program_value){ .name = graph_name_of_output(graph, arrival->name), .expr = event };
    arrival->output = output;
    arrival->output_count = OUTPUTS;
}

/* An arrival of a later version changes the data alone. */
void graph_triggers_lower_others(struct graph *graph, struct program_rules *rules)
{
    static const str names[] = { STR_INIT("trigger"), STR_INIT("triggers.") };
    const struct expr *event = expr_of_tree(tree_variable(STR("arrival"), graph->arena), graph->arena);
    struct program_value *output = arena_make_n(graph->arena, struct program_value, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        output[i] = (struct program_value){ .name = names[i], .expr = event };
    rules->other_output = output;
    rules->other_output_count = COUNT(names);
}

/* Says whose problems those are that were found since. */
static void name_problems(struct graph *graph, const struct graph_node *node, size_t since)
{
    for (size_t i = since; i < graph->problems->count; i++) {
        struct problem *problem = &graph->problems->problem[i];
        problem->message = arena_printf(graph->scratch, "%s: %.*s", node->at.what, STR_ARG(problem->message));
    }
}

static struct program_arrival lower_arrival(struct graph *graph, const struct graph_node *node)
{
    static const enum arrival_type types[GRAPH_TYPE_COUNT] = {
        [GRAPH_MANUAL] = ARRIVAL_MANUAL, [GRAPH_CRON] = ARRIVAL_CRON, [GRAPH_WEBHOOK] = ARRIVAL_HTTP,
        [GRAPH_MQTT] = ARRIVAL_MQTT,     [GRAPH_POLL] = ARRIVAL_POLL,
    };
    struct program_arrival arrival = { .name = node->id, .start = node->index };
    size_t before = graph->problems->count;
    arrival_read(node->config.object, types[node->type->id], node->config.pointer, graph->arena,
                 &arrival.terms, &arrival.config, graph_about(graph, &node->at));
    name_problems(graph, node, before);
    /* It starts nothing and leads nowhere: it is only waited for. */
    if (!node->out_count && arrival.terms.policy == ARRIVAL_MAP_OR_DISCARD) arrival.start = NODE_NONE;
    /* An arrival that is only waited for may come before its instance. */
    bool is_awaited = arrival.start == NODE_NONE && arrival.terms.type != ARRIVAL_CRON &&
                      arrival.terms.type != ARRIVAL_MANUAL;
    if (arrival.terms.life_ms < 0 && is_awaited) arrival.terms.life_ms = EARLY_MS_DEFAULT;
    set_outputs(graph, &arrival);
    return arrival;
}

/* ---- a graph without triggers ---- */

static bool may_begin(const struct graph_node *node)
{
    return !node->in_count && node->parent == NODE_NONE && !node->is_handler;
}

/* People can start it all the same: at the first node that nothing leads to. */
static struct program_arrival implicit_arrival(struct graph *graph)
{
    uint32_t start = 0;
    while (start < graph->node_count && !may_begin(&graph->node[start])) start++;
    struct program_arrival arrival = { .name = STR("manual"),
                                       .start = start < graph->node_count ? start : 0 };
    arrival_read(json_empty_object(), ARRIVAL_MANUAL, STR(""), graph->arena, &arrival.terms, &arrival.config,
                 graph_about(graph, &graph->document));
    set_outputs(graph, &arrival);
    return arrival;
}

const struct program_arrival *graph_triggers_lower(struct graph *graph, size_t *ret_count)
{
    struct program_arrival *arrival =
        arena_make_n(graph->arena, struct program_arrival, graph->node_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (node->type && node->type->kind == GRAPH_KIND_TRIGGER)
            arrival[count++] = lower_arrival(graph, node);
    }
    if (!count) arrival[count++] = implicit_arrival(graph);
    graph->program->start = 0;
    for (size_t i = count; i > 0; i--) { /* The first one that starts something, if possible by hand. */
        bool manual = arrival[i - 1].terms.type == ARRIVAL_MANUAL;
        if (arrival[i - 1].start == NODE_NONE) continue;
        if (manual || graph->program->start == 0) graph->program->start = arrival[i - 1].start;
    }
    must(graph->program->start < graph->lowered_count);
    *ret_count = count;
    return arrival;
}
