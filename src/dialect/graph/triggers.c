/* dialect/graph/triggers.c — triggers become arrivals of the program. */
#include "dialect/graph/graph_int.h"

#include "schedule/cron.h"

/* ---- schedules ---- */

static void check_cron(struct graph *graph, const struct graph_node *node, const struct json *config)
{
    const struct json *cron = json_get(json_get(config, STR("cron")), STR("cron"));
    struct cron parsed;
    struct error err = { 0 };
    if (!json_is(cron, JSON_STRING) || cron_parse(json_string(cron), &parsed, &err) == ST_OK) return;
    problem_error(graph_about(graph, &node->at), PROBLEM_INVALID_CRON,
                  graph_pointer(graph, &node->config, "cronExpression"),
                  "minute hour day month weekday: 0 8 * * 1-5 is eight o'clock on working days",
                  "%s: %s is no schedule: %s", node->at.what,
                  problem_quote(graph->scratch, json_string(cron)), err.message);
}

static void check_zone(struct graph *graph, const struct graph_node *node, const struct json *config)
{
    const struct json *zone = json_get(json_get(config, STR("cron")), STR("zone"));
    if (!json_is(zone, JSON_STRING) || !graph->problems->zone_exists ||
        graph->problems->zone_exists(json_string(zone)))
        return;
    problem_error(graph_about(graph, &node->at), PROBLEM_INVALID_TIME_ZONE,
                  graph_pointer(graph, &node->config, "timeZone"),
                  "write a name such as Europe/Berlin, or UTC", "%s: there is no time zone %s", node->at.what,
                  problem_quote(graph->scratch, json_string(zone)));
}

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

static struct program_arrival lower_arrival(struct graph *graph, const struct graph_node *node)
{
    static const enum arrival_type types[GRAPH_TYPE_COUNT] = {
        [GRAPH_MANUAL] = ARRIVAL_MANUAL, [GRAPH_CRON] = ARRIVAL_CRON, [GRAPH_WEBHOOK] = ARRIVAL_HTTP,
        [GRAPH_MQTT] = ARRIVAL_MQTT,     [GRAPH_POLL] = ARRIVAL_POLL,
    };
    struct program_arrival arrival = { .name = node->id, .start = node->index };
    arrival_read(node->config.object, types[node->type->id], node->config.pointer, graph->arena,
                 &arrival.terms, &arrival.config, graph_about(graph, &node->at));
    if (node->type->id == GRAPH_CRON) {
        check_cron(graph, node, arrival.config);
        check_zone(graph, node, arrival.config);
    }
    /* It starts nothing and leads nowhere: it is only waited for. */
    if (!node->out_count && arrival.terms.policy == ARRIVAL_MAP_OR_DISCARD) arrival.start = NODE_NONE;
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

const struct program_arrival *graph_lower_arrivals(struct graph *graph, size_t *ret_count)
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
    *ret_count = count;
    return arrival;
}
