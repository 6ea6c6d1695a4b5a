/* dialect/graph/check_whole.c — warnings about a graph that is complete: what never runs, what leads nowhere,
 * what is read before it is there. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- walks ---- */

/* For each node: true if it can come after `start`. A loop leads to what is inside, and what is inside a loop
 * is followed by what follows the loop. `start` itself counts only if something leads back to it. */
static void walk(const struct graph *graph, uint32_t start, bool *reached, uint32_t *queue)
{
    size_t count = 0, done = 0;
    memset(reached, 0, graph->node_count * sizeof *reached);
    for (uint32_t at = start;; at = queue[done++]) {
        const struct graph_node *node = &graph->node[at];
        for (size_t i = 0; i < node->out_count; i++) {
            uint32_t to = graph->edge[node->out[i]].to;
            if (reached[to]) continue;
            reached[to] = true;
            queue[count++] = to;
        }
        must(count <= graph->node_count);
        if (done == count) return;
    }
}

/* ---- triggers and ways in ---- */

static void check_triggers(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->node[i].type->kind == GRAPH_KIND_TRIGGER) return;
    problem_warning(graph_about(graph, &graph->document), PROBLEM_NO_TRIGGER, STR("/triggers"),
                    "add a start: by hand, on a schedule, on a web request or on a message",
                    "nothing starts this workflow; people can only run it by hand");
}

static void add_to_queue(bool *reached, uint32_t *queue, size_t *count, uint32_t node)
{
    if (node == NODE_NONE || reached[node]) return;
    reached[node] = true;
    queue[(*count)++] = node;
}

static void check_reach(struct graph *graph, bool *reached, uint32_t *queue)
{
    const struct program_rules *rules = graph->program->rules;
    size_t count = 0;
    memset(reached, 0, graph->node_count * sizeof *reached);
    for (size_t i = 0; i < rules->arrival_count; i++)
        add_to_queue(reached, queue, &count, rules->arrival[i].start);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->node[i].is_handler || graph->node[i].type->kind == GRAPH_KIND_TRIGGER)
            add_to_queue(reached, queue, &count, i);
    for (size_t done = 0; done < count; done++) {
        const struct graph_node *node = &graph->node[queue[done]];
        for (size_t i = 0; i < node->out_count; i++)
            add_to_queue(reached, queue, &count, graph->edge[node->out[i]].to);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (!reached[i])
            problem_warning(graph_about(graph, &node->at), PROBLEM_UNREACHABLE, node->at.pointer,
                            "draw an edge to it, or remove it", "%s never runs: no way leads to it",
                            graph_label(graph, node));
    }
}

/* ---- ways out ---- */

static void warn_of_port(struct graph *graph, const struct graph_node *node, str port, const char *label)
{
    if (graph_port_edge(graph, node, port)) return;
    problem_warning(graph_about(graph, &node->at), PROBLEM_UNWIRED_PORT, node->at.pointer, NULL,
                    "nothing follows %s at \"%s\": the branch ends there", graph_label(graph, node), label);
}

/* Does a node wait for the trigger, or take items from it? */
static bool is_awaited(const struct graph *graph, str trigger)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        enum graph_type_id type = graph->node[i].type->id;
        if (type != GRAPH_WAIT_EVENT && type != GRAPH_FOR_EACH) continue;
        const char *field = type == GRAPH_WAIT_EVENT ? "trigger" : "addFrom";
        const struct json *awaited = graph_member(&graph->node[i].config, field);
        if (json_is(awaited, JSON_STRING) && str_equal(json_string(awaited), trigger)) return true;
    }
    return false;
}

/* Is there a list of answers? check_answers.c looks at their lines. */
static bool has_answers(const struct graph_node *node)
{
    const struct json *answers =
        node->type->id == GRAPH_HUMAN_TASK ? graph_member(&node->config, "decisions") : NULL;
    return answers && !(json_is(answers, JSON_ARRAY) && !json_count(answers));
}

/* Ports for what goes wrong may be left open. */
static void check_ports(struct graph *graph, const struct graph_node *node)
{
    if (node->is_undo || node->type->kind == GRAPH_KIND_END) return;
    if (node->type->kind == GRAPH_KIND_LOOP) {
        warn_of_port(graph, node, node->type->wiring->body, node->type->port[0].label);
        warn_of_port(graph, node, node->type->wiring->done, node->type->port[1].label);
        return;
    }
    bool awaited = node->type->kind == GRAPH_KIND_TRIGGER && !node->out_count && is_awaited(graph, node->id);
    bool last = node->parent != NODE_NONE || node->is_handler; /* That is where an item, or handling, ends. */
    if (node->feeds) return; /* An iteration ends there, and a gate outside takes note of it. */
    if (!node->out_count && !awaited && !last && !has_answers(node))
        warn_of_port(graph, node, STR("out"), "Next");
    if (node->type->id == GRAPH_HUMAN_TASK && graph_member(&node->config, "timeout"))
        warn_of_port(graph, node, STR("timeout"), "If nobody answers in time");
}

/* ---- templates ---- */

static bool is_inside(const struct graph *graph, uint32_t node, uint32_t loop)
{
    for (; node != NODE_NONE; node = graph->node[node].parent)
        if (node == loop) return true;
    return false;
}

/* Does the reader run after the target, or after the loop that the target is in? */
static bool comes_after(const struct graph *graph, const struct graph_read *read, bool *reached,
                        uint32_t *queue)
{
    walk(graph, read->target, reached, queue);
    for (uint32_t at = read->reader; at != NODE_NONE; at = graph->node[at].parent)
        if (reached[at]) return true;
    return false;
}

static void check_read(struct graph *graph, const struct graph_read *read, bool *reached, uint32_t *queue)
{
    must(read->reader < graph->node_count && read->target < graph->node_count);
    const struct graph_node *reader = &graph->node[read->reader], *target = &graph->node[read->target];
    if (target->type->kind == GRAPH_KIND_TRIGGER || reader->is_undo || read->reader == graph->handler) return;
    bool own_result = read->reader == target->parent;
    if (target->parent != NODE_NONE && !own_result && !is_inside(graph, read->reader, target->parent))
        problem_warning(graph_about(graph, &reader->at), PROBLEM_TEMPLATE_NOT_UPSTREAM, read->pointer,
                        "use the results of the loop",
                        "%s reads %s, which is inside a loop: it is empty there", graph_label(graph, reader),
                        graph_label(graph, target));
    else if (!own_result && !reader->is_handler && !comes_after(graph, read, reached, queue))
        problem_warning(graph_about(graph, &reader->at), PROBLEM_TEMPLATE_NOT_UPSTREAM, read->pointer, NULL,
                        "%s reads %s, which has not run before it", graph_label(graph, reader),
                        graph_label(graph, target));
}

/* ---- gateways ---- */

static bool is_split(const struct graph_node *node)
{
    return node->type->kind == GRAPH_KIND_GATEWAY && node->out_count > 1;
}

static bool is_join(const struct graph_node *node) { return node->arrivals > 1; }

/* The depth of each node in splits that no join has closed, on the way that was found first. */
static void check_nesting(struct graph *graph, bool *reached, uint32_t *queue)
{
    uint32_t *depth = arena_make_n(graph->scratch, uint32_t, graph->node_count);
    memset(reached, 0, graph->node_count * sizeof *reached);
    size_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (!graph->node[i].in_count) add_to_queue(reached, queue, &count, i);
    for (size_t done = 0; done < count; done++) {
        const struct graph_node *node = &graph->node[queue[done]];
        uint32_t here = depth[node->index];
        if (is_join(node) && here) here--;
        if (is_split(node) && ++here == GRAPH_NESTED_GATEWAYS_MAX + 1)
            problem_warning(graph_about(graph, &node->at), PROBLEM_GATEWAY_NESTING, node->at.pointer,
                            "move a part into a workflow of its own, or merge conditions",
                            "%s is inside more than %d other splits: that is hard to follow",
                            graph_label(graph, node), GRAPH_NESTED_GATEWAYS_MAX);
        for (size_t i = 0; i < node->out_count; i++) {
            uint32_t to = graph->edge[node->out[i]].to;
            if (!reached[to]) depth[to] = here;
            add_to_queue(reached, queue, &count, to);
        }
    }
}

/* Finds the nodes from which a branch comes to the edge: backward, and not beyond a split that takes every
 * way. */
static size_t find_branch(const struct graph *graph, const struct graph_edge *edge, bool *in_branch,
                          uint32_t *queue)
{
    size_t count = 0;
    memset(in_branch, 0, graph->node_count * sizeof *in_branch);
    add_to_queue(in_branch, queue, &count, edge->from);
    for (size_t done = 0; done < count; done++) {
        const struct graph_node *node = &graph->node[queue[done]];
        if (node->type->id == GRAPH_PARALLEL && node->out_count > 1) continue;
        for (size_t i = 0; i < node->in_count; i++)
            add_to_queue(in_branch, queue, &count, graph->edge[node->in[i]].from);
    }
    return count;
}

/* Is it an end after which nobody waits any more? */
static bool ends_all(const struct graph *graph, uint32_t node)
{
    const struct program_node *lowered = &graph->lowered[node];
    return lowered->kind == NODE_END && !lowered->as.end.branch;
}

/* A port with several edges takes all of them: does one of them lead to the join? */
static bool is_sent_too(const struct graph *graph, const struct graph_node *node,
                        const struct graph_edge *other, const struct graph_edge *to_join,
                        const bool *in_branch)
{
    for (size_t i = 0; node->type->wiring->fans_out && i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        if (str_equal(edge->port, other->port) && (edge == to_join || in_branch[edge->to])) return true;
    }
    return false;
}

/* A node of the branch that may send its token elsewhere; NULL: there is none. */
static const struct graph_node *find_bypass(const struct graph *graph, const struct graph_edge *to_join,
                                            bool *in_branch, uint32_t *queue)
{
    size_t count = find_branch(graph, to_join, in_branch, queue);
    for (size_t i = 0; i < count; i++) {
        const struct graph_node *node = &graph->node[queue[i]];
        if (node->type->id == GRAPH_PARALLEL || node->type->kind == GRAPH_KIND_TRIGGER) continue;
        for (size_t k = 0; node->out_count > 1 && k < node->out_count; k++) {
            const struct graph_edge *edge = &graph->edge[node->out[k]];
            bool inward =
                node->type->kind == GRAPH_KIND_LOOP && str_equal(edge->port, node->type->wiring->body);
            if (edge != to_join && !in_branch[edge->to] && !inward && !ends_all(graph, edge->to) &&
                !is_sent_too(graph, node, edge, to_join, in_branch))
                return node;
        }
    }
    return NULL;
}

/* A join that waits for every way in, and a branch that may not take its way: it would wait for ever. */
static void check_bypass(struct graph *graph, const struct graph_node *join, bool *in_branch, uint32_t *queue)
{
    const struct program_node *lowered = &graph->lowered[join->index];
    if (lowered->kind != NODE_JOIN || lowered->as.join.mode != JOIN_ALL) return;
    for (size_t i = 0; i < join->in_count; i++) {
        const struct graph_node *node = find_bypass(graph, &graph->edge[join->in[i]], in_branch, queue);
        if (!node) continue;
        problem_warning(graph_about(graph, &join->at), PROBLEM_JOIN_BYPASSED, join->at.pointer,
                        "use a Match where the ways meet: it waits only for those that were taken",
                        "%s waits for every way in, and %s may lead past it", graph_label(graph, join),
                        graph_label(graph, node));
        return;
    }
}

/* ---- the whole ---- */

static void check_ephemeral(struct graph *graph)
{
    for (size_t i = 0; graph->is_ephemeral && i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (node->type->effect == GRAPH_EFFECT_WAITS)
            problem_warning(graph_about(graph, &node->at), PROBLEM_EPHEMERAL_WAIT, node->at.pointer,
                            "make the instances Persistent",
                            "%s waits, and an Ephemeral instance is lost if the engine restarts meanwhile",
                            graph_label(graph, node));
    }
    bool recoverable =
        graph_member(&graph->document, "isRecoverable") || graph_member(&graph->settings, "isRecoverable");
    if (graph->is_ephemeral && recoverable)
        problem_warning(graph_about(graph, &graph->document), PROBLEM_IGNORED, STR("/isRecoverable"), NULL,
                        "isRecoverable has no effect: Ephemeral instances are never recovered");
}

void graph_check_whole(struct graph *graph)
{
    bool *reached = arena_make_n(graph->scratch, bool, graph->node_count);
    uint32_t *queue = arena_make_n(graph->scratch, uint32_t, graph->node_count);
    check_triggers(graph);
    check_reach(graph, reached, queue);
    for (size_t i = 0; i < graph->node_count; i++) check_ports(graph, &graph->node[i]);
    size_t walks = 0;
    for (size_t i = 0; i < graph->read_count && walks < GRAPH_WALKS_MAX; i++, walks++)
        check_read(graph, &graph->read[i], reached, queue);
    for (size_t i = 0; i < graph->node_count && walks < GRAPH_WALKS_MAX; i++, walks++)
        check_bypass(graph, &graph->node[i], reached, queue);
    check_nesting(graph, reached, queue);
    check_ephemeral(graph);
    program_check_self(graph->program, graph_about(graph, &graph->document));
}
