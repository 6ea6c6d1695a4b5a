/* tests/sim/graph_read.c — the nodes, edges and triggers of a flow graph, and questions about them. */
#include "graph.h"

enum { NODES_IN_GRAPH_MAX = 256 };

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static int64_t number_of(const struct json *object, const char *name, int64_t otherwise)
{
    const struct json *value = json_get(object, str_of(name));
    int64_t number;
    return value && json_int64(value, &number) ? number : otherwise;
}

static bool is_true(const struct json *object, const char *name, bool otherwise)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_BOOL) ? json_bool(value) : otherwise;
}

static bool is_word(const struct json *object, const char *name, const char *word)
{
    return str_equal(text_of(object, name), str_of(word));
}

/* "<number>s" or "<number>ms", which is all that is generated. */
static int64_t duration_ms(str text)
{
    int64_t number = 0;
    bool thousandths = str_ends(text, STR("ms"));
    if (!text.n) return 0;
    must(str_to_int64(str_slice(text, 0, text.n - (thousandths ? 2 : 1)), &number));
    return thousandths ? number : number * 1000;
}

size_t graph_node_of(const struct graph *graph, str id)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (str_equal(graph->nodes.item[i].id, id)) return i;
    return GRAPH_NONE;
}

const struct graph_trigger *graph_trigger(const struct graph *graph, str id)
{
    for (size_t i = 0; i < graph->triggers.count; i++)
        if (str_equal(graph->triggers.item[i].id, id)) return &graph->triggers.item[i];
    return NULL;
}

size_t graph_port(const struct graph *graph, size_t node, str port)
{
    const struct graph_node *from = &graph->nodes.item[node];
    for (size_t i = 0; i < from->out.count; i++)
        if (str_equal(graph->edges.item[from->out.item[i]].port, port)) return from->out.item[i];
    return GRAPH_NONE;
}

/* ---- reading ---- */

static enum graph_kind kind_of(str type)
{
    static const char *const types[GRAPH_KIND_COUNT] = {
        [GRAPH_FINISH] = "end",      [GRAPH_CALL] = "action_http",  [GRAPH_SET] = "set_variables",
        [GRAPH_CHOICE] = "decision", [GRAPH_ALL_WAYS] = "parallel", [GRAPH_FITTING_WAYS] = "match",
        [GRAPH_PAUSE] = "delay",     [GRAPH_LOOP] = "for_each",     [GRAPH_LISTEN] = "wait_event",
    };
    for (int i = GRAPH_FINISH; i < GRAPH_KIND_COUNT; i++)
        if (str_equal(type, str_of(types[i]))) return (enum graph_kind)i;
    must(!"a node of a type that is not generated");
    return GRAPH_START;
}

/* Without a policy there are three attempts, two and four seconds apart. */
static void read_retry(struct graph_node *node, const struct json *retry)
{
    node->attempts_max = (uint32_t)number_of(retry, "maxAttempts", retry ? 1 : 3);
    node->first_delay_ms = retry ? duration_ms(text_of(retry, "initialDelay")) : 2000;
    node->doubles = !is_word(retry, "backoffStrategy", "Fixed");
}

static struct graph_node read_node(const struct json *from)
{
    const struct json *config = json_get(from, STR("config")), *join = json_get(config, STR("join"));
    struct graph_node node = {
        .id = text_of(from, "id"),
        .kind = kind_of(text_of(from, "type")),
        .parent = GRAPH_NONE,
        .undo = GRAPH_NONE,
        .wanted = (uint32_t)number_of(join, "count", 1),
        .cancels = is_true(join, "cancelRemaining", true),
        .window = is_word(config, "mode", "parallel") ? (uint32_t)number_of(config, "maxConcurrency", 10) : 1,
        .goes_on = is_word(config, "onItemError", "continue"),
        .items = json_get(config, STR("items")),
        .trigger = text_of(config, "trigger"),
        .lock = text_of(from, "lock"),
        .lock_size = (uint32_t)number_of(from, "lockSize", 1),
        .fails = is_word(config, "status", "failed"),
        .terminates = is_true(config, "terminate", false),
    };
    node.wait_ms = duration_ms(text_of(config, node.kind == GRAPH_PAUSE ? "duration" : "timeout"));
    node.join = node.kind == GRAPH_FITTING_WAYS                                   ? INCLUSIVE
                : is_word(join, "mode", "any") || is_word(join, "mode", "quorum") ? SO_MANY_EDGES
                                                                                  : ALL_EDGES;
    if (node.kind == GRAPH_CALL) read_retry(&node, json_get(from, STR("retry")));
    return node;
}

static size_t add_edge(struct graph *graph, struct graph_edge edge, struct arena *arena)
{
    size_t index = graph->edges.count;
    *list_push(arena, &graph->edges) = edge;
    *list_push(arena, &graph->nodes.item[edge.from].out) = index;
    *list_push(arena, &graph->nodes.item[edge.to].in) = index;
    return index;
}

static void read_edges(struct graph *graph, const struct json *list, struct arena *arena)
{
    for (struct json_each each = json_each(list); json_next(&each);) {
        str port = text_of(each.value, "fromPort");
        struct graph_edge edge = { .from = graph_node_of(graph, text_of(each.value, "from")),
                                   .to = graph_node_of(graph, text_of(each.value, "to")),
                                   .port = port.n ? port : STR("out"),
                                   .otherwise = is_true(each.value, "default", false),
                                   .condition = json_get(each.value, STR("condition")) };
        must(edge.from != GRAPH_NONE && edge.to != GRAPH_NONE);
        add_edge(graph, edge, arena);
    }
}

static void read_triggers(struct graph *graph, const struct json *list, struct arena *arena)
{
    static const char *const words[ON_MATCH_COUNT] = { "MapOrCreate", "MapOrDiscard", "AlwaysCreate",
                                                       "MapOrReplace" };
    for (struct json_each each = json_each(list); json_next(&each);) {
        struct graph_trigger trigger = { .id = text_of(each.value, "id"),
                                         .path = text_of(each.value, "path"),
                                         .node = graph->nodes.count,
                                         .keyed = text_of(each.value, "correlationExpression").n > 0 };
        while (!is_word(each.value, "onMatch", words[trigger.on_match])) trigger.on_match++;
        *list_push(arena, &graph->triggers) = trigger;
        *list_push(arena, &graph->nodes) = (struct graph_node){
            .id = trigger.id, .kind = GRAPH_START, .parent = GRAPH_NONE, .undo = GRAPH_NONE
        };
    }
}

/* Any trigger may start the flow: their edges are one way in. */
static void number_ways(struct graph *graph, struct graph_node *node)
{
    uint32_t of_triggers = 0;
    for (size_t i = 0; i < node->in.count; i++) {
        struct graph_edge *edge = &graph->edges.item[node->in.item[i]];
        bool triggers = graph->nodes.item[edge->from].kind == GRAPH_START;
        edge->way = triggers && of_triggers ? of_triggers : ++node->ways;
        if (triggers) of_triggers = edge->way;
    }
}

/* A gateway with several ways in is a join, and its edges are numbered. If several lead out, they leave a
 * split behind it. */
static void make_join(struct graph *graph, size_t index, struct arena *arena)
{
    struct graph_node *node = &graph->nodes.item[index];
    bool gateway = node->kind == GRAPH_ALL_WAYS || node->kind == GRAPH_FITTING_WAYS;
    if (gateway) number_ways(graph, node);
    if (!gateway || node->ways < 2) {
        for (size_t i = 0; i < node->in.count; i++) graph->edges.item[node->in.item[i]].way = 0;
        node->join = NO_JOIN;
        return;
    }
    if (node->out.count < 2 && node->kind == GRAPH_ALL_WAYS) return;
    struct graph_node split = { .id = arena_printf(arena, "%.*s/split", STR_ARG(node->id)),
                                .kind = node->kind,
                                .parent = node->parent,
                                .undo = GRAPH_NONE,
                                .out = { node->out.item, node->out.count, node->out.cap } };
    size_t at = graph->nodes.count;
    for (size_t i = 0; i < split.out.count; i++) graph->edges.item[split.out.item[i]].from = at;
    memset(&node->out, 0, sizeof node->out);
    *list_push(arena, &graph->nodes) = split;
    add_edge(graph, (struct graph_edge){ .from = index, .to = at, .port = STR("out") }, arena);
}

static void read_undo(struct graph *graph, const struct json *from, struct arena *arena)
{
    const struct json *by = json_get(from, STR("compensation"));
    size_t index = graph_node_of(graph, text_of(from, "id"));
    if (!by) return;
    if (json_is(by, JSON_STRING)) {
        graph->nodes.item[index].undo = graph_node_of(graph, json_string(by));
        return;
    }
    struct graph_node undo = { .id = arena_printf(arena, "%.*s~comp", STR_ARG(text_of(from, "id"))),
                               .kind = GRAPH_CALL,
                               .parent = GRAPH_NONE,
                               .undo = GRAPH_NONE };
    read_retry(&undo, json_get(by, STR("retry")));
    graph->nodes.item[index].undo = graph->nodes.count;
    *list_push(arena, &graph->nodes) = undo;
}

struct graph *graph_of_document(const struct json *document, struct arena *arena)
{
    const struct json *nodes = json_get(document, STR("nodes"));
    const struct json *settings = json_get(document, STR("settings"));
    if (!nodes) return NULL;
    struct graph *graph = arena_make(arena, struct graph);
    for (struct json_each each = json_each(nodes); json_next(&each);)
        *list_push(arena, &graph->nodes) = read_node(each.value);
    for (struct json_each each = json_each(nodes); json_next(&each);) {
        str parent = text_of(each.value, "parent");
        if (parent.n)
            graph->nodes.item[graph_node_of(graph, text_of(each.value, "id"))].parent =
                graph_node_of(graph, parent);
    }
    read_triggers(graph, json_get(document, STR("triggers")), arena);
    graph->end = graph->nodes.count;
    *list_push(arena, &graph->nodes) = (struct graph_node){
        .id = STR("(end)"), .kind = GRAPH_FINISH, .parent = GRAPH_NONE, .undo = GRAPH_NONE
    };
    read_edges(graph, json_get(document, STR("edges")), arena);
    size_t count = graph->nodes.count;
    for (size_t i = 0; i < count; i++) make_join(graph, i, arena);
    for (struct json_each each = json_each(nodes); json_next(&each);) read_undo(graph, each.value, arena);
    must(graph->nodes.count <= NODES_IN_GRAPH_MAX);
    graph->priority = (int32_t)number_of(settings, "priority", 5);
    graph->active_max = (uint32_t)number_of(settings, "maxActiveInstances", 0);
    graph->queues = is_word(settings, "overflowPolicy", "Queue");
    graph->compensates = is_word(settings, "onFailure", "compensate");
    graph->at_once = is_word(settings, "compensationOrder", "parallel");
    return graph;
}

/* ---- asking ---- */

/* {"left": "{{ trigger.payload.a }}", "op": "gt" or "lt", "right": number} */
bool graph_holds(const struct graph_edge *edge, const struct json *payload)
{
    int64_t a = number_of(payload, "a", 0), right = number_of(edge->condition, "right", 0);
    if (!edge->condition) return true;
    return is_word(edge->condition, "op", "gt") ? a > right : a < right;
}

bool graph_reaches(const struct graph *graph, size_t node, size_t join, uint32_t way)
{
    bool seen[NODES_IN_GRAPH_MAX] = { false };
    size_t queue[NODES_IN_GRAPH_MAX], count = 0;
    if (node == join) return false;
    queue[count++] = node;
    seen[node] = true;
    for (size_t at = 0; at < count; at++) {
        const struct graph_node *from = &graph->nodes.item[queue[at]];
        for (size_t i = 0; i < from->out.count; i++) {
            const struct graph_edge *edge = &graph->edges.item[from->out.item[i]];
            if (from->kind == GRAPH_LOOP && str_equal(edge->port, STR("body"))) continue; /* Another scope. */
            if (edge->to == join && (!way || edge->way == way)) return true;
            if (edge->to == join || seen[edge->to]) continue;
            seen[edge->to] = true;
            queue[count++] = edge->to;
        }
    }
    return false;
}

str graph_key(const struct graph_trigger *trigger, const struct json *payload, struct arena *arena)
{
    (void)arena;
    return trigger->keyed ? text_of(payload, "k") : STR_NONE;
}
