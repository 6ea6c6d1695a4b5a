/* dialect/graph/sketch.c — a flow graph as its author drew it, finished or not.
 *
 * Its picture comes from the document, also if it compiles: the program has an end for every port that is not
 * wired, which nobody drew.
 */
#include "base/must.h"
#include "dialect/graph/graph_int.h"
#include "dialect/graph/view.h"
#include "dialect/show/sketching.h"

#include "base/duration.h"

static enum sketch_kind kind_of(const struct graph_node *node)
{
    if (!node->type) return SKETCH_TASK;
    switch (node->type->id) {
    case GRAPH_HUMAN_TASK: return SKETCH_PERSON;
    case GRAPH_DELAY: return SKETCH_WAIT;
    case GRAPH_WAIT_EVENT: return SKETCH_EVENT;
    case GRAPH_DECISION:
    case GRAPH_LOGIC_GATE:
    case GRAPH_SWITCH_GATE: return SKETCH_CHOOSE;
    case GRAPH_SET_VARIABLES:
    case GRAPH_SET_CONTEXT: return SKETCH_SET;
    case GRAPH_FAN_IN_GATE: return SKETCH_JOIN;
    case GRAPH_PARALLEL:
    case GRAPH_MATCH: return node->in_count > 1 && node->out_count < 2 ? SKETCH_JOIN : SKETCH_FORK;
    default: break;
    }
    switch (node->type->kind) {
    case GRAPH_KIND_TRIGGER: return SKETCH_START;
    case GRAPH_KIND_END: return SKETCH_END;
    case GRAPH_KIND_LOOP: return SKETCH_SCOPE;
    default: return SKETCH_TASK;
    }
}

static str caption_of(const struct graph_node *node, struct arena *arena)
{
    char words[DURATION_WORDS_BYTES];
    struct error err;
    int64_t ms;
    str duration = json_text(node->config.object, STR("duration"));
    if (!node->type) return json_text(node->at.object, STR("type"));
    if (node->type->id != GRAPH_DELAY || duration_parse_any(duration, &ms, &err) != ST_OK)
        return str_of(node->type->label);
    duration_print_words(ms, words, sizeof words);
    return arena_printf(arena, "waits %s", words);
}

static str port_label(const struct graph_type *type, str port)
{
    for (size_t i = 0; i < type->port_count; i++)
        if (str_equal(type->port[i].name, port)) return str_of(type->port[i].label);
    return port;
}

static struct sketch_arrow arrow_of(const struct graph *graph, const struct graph_edge *edge,
                                    struct arena *arena)
{
    must(edge->from < graph->node_count && edge->to < graph->node_count);
    const struct graph_node *from = &graph->node[edge->from];
    const struct graph_type *type = from->type;
    struct sketch_arrow arrow = { .from = edge->from, .to = edge->to, .id = edge->id, .label = edge->label };
    str error = type && type->wiring->error.n ? type->wiring->error : STR("error");
    arrow.error = str_equal(edge->port, error) || str_equal(edge->port, STR("onError"));
    arrow.timer = str_equal(edge->port, STR("timeout")) || str_equal(edge->port, STR("onTimeout"));
    arrow.interrupting = arrow.timer;
    if (arrow.label.n || !type) return arrow;
    bool answer = type->id == GRAPH_HUMAN_TASK && !graph_port_is(type, edge->port);
    if (edge->is_default && !answer) arrow.label = STR("otherwise");
    else if (edge->condition) arrow.label = sketching_condition(edge->condition, arena);
    else if (arrow.timer && json_text(from->config.object, STR("timeout")).n)
        arrow.label = sketching_after(json_text(from->config.object, STR("timeout")), arena);
    else if (!str_equal(edge->port, STR("out")) && !str_equal(edge->port, type->wiring->next) &&
             !(type->kind == GRAPH_KIND_LOOP && str_equal(edge->port, type->wiring->done)))
        arrow.label = port_label(type, edge->port);
    return arrow;
}

/* The call that undoes a node, which the node itself describes; or the arrow to the node that does. */
static void add_undo(const struct graph *graph, uint32_t index, struct sketch *sketch)
{
    const struct graph_node *node = &graph->node[index];
    const struct json *undo = graph_member(&node->at, "compensation");
    struct sketch_arrow arrow = { .from = index, .to = NODE_NONE, .error = true, .label = STR("undo") };
    str target = json_is(undo, JSON_STRING) ? json_string(undo) : json_text(undo, STR("node"));
    if (target.n) arrow.to = graph_find(graph, target);
    else if (json_is(undo, JSON_OBJECT) && json_text(undo, STR("type")).n)
        arrow.to = sketch_add(
            sketch,
            (struct sketch_node){
                .kind = SKETCH_TASK,
                .id = arena_printf(sketch->arena, "%.*s~comp", STR_ARG(node->id)),
                .title =
                    arena_printf(sketch->arena, "Undo %.*s", STR_ARG(node->label.n ? node->label : node->id)),
                .type = arena_str(sketch->arena, json_text(undo, STR("type"))),
                .pointer = arena_printf(sketch->arena, "%.*s/compensation", STR_ARG(node->at.pointer)),
                .caption = STR("Undoes what was done"),
            });
    if (arrow.to != NODE_NONE && arrow.to != index) sketch_join(sketch, arrow);
}

/* A node without an id, or with one that an earlier node has, is told by its place. */
static str id_of(const struct graph *graph, uint32_t index, struct arena *arena)
{
    const struct graph_node *node = &graph->node[index];
    if (!node->id.n) return arena_str(arena, node->at.pointer);
    for (uint32_t i = 0; i < index; i++)
        if (str_equal(graph->node[i].id, node->id))
            return arena_printf(arena, "%.*s (%.*s)", STR_ARG(node->id), STR_ARG(node->at.pointer));
    return arena_str(arena, node->id);
}

void graph_sketch(const struct json *document, struct sketch *sketch)
{
    struct problems problems;
    problems_init(&problems, sketch->arena);
    struct graph graph = { .problems = &problems, .scratch = sketch->arena, .handler = NODE_NONE };
    graph.program = program_new(0);
    graph.arena = sketch->arena;
    graph_read(&graph, document);
    sketch->id = graph.id;
    sketch->title = graph.name;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        const struct graph_node *node = &graph.node[i];
        sketch_add(sketch,
                   (struct sketch_node){
                       .kind = kind_of(node),
                       .id = id_of(&graph, i, sketch->arena),
                       .title = node->label,
                       .type = node->type ? node->type->name : json_text(node->at.object, STR("type")),
                       .caption = caption_of(node, sketch->arena),
                       .pointer = node->at.pointer,
                   });
        if (sketch->start == NODE_NONE && sketch->node[i].kind == SKETCH_START) sketch->start = i;
    }
    for (uint32_t i = 0; i < graph.node_count; i++)
        if (graph.node[i].parent != NODE_NONE) sketch_put_inside(sketch, i, graph.node[i].parent);
    for (size_t i = 0; i < graph.edge_count; i++)
        sketch_join(sketch, arrow_of(&graph, &graph.edge[i], sketch->arena));
    for (uint32_t i = 0; i < graph.node_count; i++) add_undo(&graph, i, sketch);
    program_unref(graph.program);
}
