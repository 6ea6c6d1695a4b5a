/* dialect/graph/check_answers.c — every answer that a person can give has a line.
 *
 * An answer without a line of its own takes the line that is marked as the default. Without such a line the
 * document is refused: a declined request must not go on where an approved one does, only because somebody
 * forgot to draw a line. Three cases need no line:
 *
 *   no answers are listed    there is nothing to decide, and the task leads on by "out"
 *   one answer is listed     "out" is its line
 *   the last step of a loop  the item ends with the answer, whichever it is
 *
 * Definitions that were stored before this rule keep their meaning (any other answer takes "out"). They get a
 * warning.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

static const char draw_a_line[] = "draw a line for it, or mark one of the lines with \"default\": true";

/* True if the line is taken after an answer, and not because nobody answered. */
static bool is_of_answer(const struct graph_edge *edge) { return !str_equal(edge->port, STR("timeout")); }

const struct graph_edge *graph_default_answer(const struct graph *graph, const struct graph_node *node)
{
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        if (edge->is_default && is_of_answer(edge)) return edge;
    }
    return NULL;
}

static size_t count_answer_lines(const struct graph *graph, const struct graph_node *node)
{
    size_t count = 0;
    for (size_t i = 0; i < node->out_count; i++) count += is_of_answer(&graph->edge[node->out[i]]);
    return count;
}

static void check_defaults(struct graph *graph, const struct graph_node *node)
{
    size_t defaults = 0;
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        if (!edge->is_default) continue;
        if (!is_of_answer(edge))
            graph_idle(graph, &edge->at, "default", "the line is taken only if nobody answers in time");
        else if (++defaults == 2)
            problem_error(graph_about(graph, &edge->at), PROBLEM_GATEWAY_MULTIPLE_DEFAULTS, edge->at.pointer,
                          NULL, "%s has two default lines", graph_label(graph, node));
    }
}

/* A line of a port that the type has is not the line of an answer with the same name. */
static bool has_own_line(const struct graph *graph, const struct graph_node *node, const struct json *answer)
{
    must(json_is(answer, JSON_STRING));
    return !graph_port_is(node->type, json_string(answer)) &&
           graph_port_edge(graph, node, json_string(answer));
}

static void report_answer(struct graph *graph, const struct graph_node *node, size_t index,
                          const struct json *answer)
{
    str pointer =
        problem_pointer_index(graph->scratch, graph_pointer(graph, &node->config, "decisions"), index);
    struct problems *problems = graph_about(graph, &node->at);
    const char *label = graph_label(graph, node),
               *quoted = problem_quote(graph->scratch, json_string(answer));
    if (problems->stored_id.n || problems->errors_only)
        problem_warning(problems, PROBLEM_DECISION_NOT_WIRED, pointer, draw_a_line,
                        "%s: the answer %s has no line of its own, and goes on where any other answer does",
                        label, quoted);
    else
        problem_error(problems, PROBLEM_DECISION_NOT_WIRED, pointer, draw_a_line,
                      "%s: the answer %s has no line of its own", label, quoted);
}

static void report_unknown(struct graph *graph, const struct graph_node *node)
{
    static const char message[] =
        "%s: its answers are known only while it runs, and no line is marked as the "
        "one for answers without a line of their own";
    static const char hint[] = "mark one of the lines with \"default\": true";
    str pointer = graph_pointer(graph, &node->config, "decisions");
    struct problems *problems = graph_about(graph, &node->at);
    if (problems->stored_id.n || problems->errors_only)
        problem_warning(problems, PROBLEM_DECISION_NOT_WIRED, pointer, hint, message,
                        graph_label(graph, node));
    else
        problem_error(problems, PROBLEM_DECISION_NOT_WIRED, pointer, hint, message, graph_label(graph, node));
}

static bool are_known(const struct json *answers)
{
    struct json_each each = json_each(answers);
    while (json_next(&each))
        if (!json_is(each.value, JSON_STRING) || graph_is_template(each.value)) return false;
    return true;
}

/* A line at "out" beside a line for each answer leads on from nothing. */
static void warn_of_spare_line(struct graph *graph, const struct graph_node *node)
{
    const struct graph_edge *out = graph_port_edge(graph, node, STR("out"));
    if (!out || out->is_default) return;
    problem_warning(graph_about(graph, &out->at), PROBLEM_IGNORED, out->at.pointer, "remove it",
                    "%s is never taken: each answer has another line", out->at.what);
}

static void check_answers(struct graph *graph, const struct graph_node *node)
{
    const struct json *answers = graph_member(&node->config, "decisions");
    check_defaults(graph, node);
    if (!answers || (json_is(answers, JSON_ARRAY) && !json_count(answers))) return;
    if (graph_default_answer(graph, node)) {
        warn_of_spare_line(graph, node);
        return;
    }
    if (node->parent != NODE_NONE && !count_answer_lines(graph, node)) return;
    if (!json_is(answers, JSON_ARRAY) || !are_known(answers)) {
        bool wrong = !json_is(answers, JSON_ARRAY) && !graph_is_template(answers); /* Reported as such. */
        if (!wrong) report_unknown(graph, node);
        return;
    }
    if (json_count(answers) == 1 && graph_port_edge(graph, node, STR("out"))) return;
    struct json_each each = json_each(answers);
    size_t open = 0;
    for (size_t i = 0; json_next(&each); i++) {
        if (has_own_line(graph, node, each.value)) continue;
        report_answer(graph, node, i, each.value);
        open++;
    }
    if (!open) warn_of_spare_line(graph, node);
}

void graph_check_answers(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (node->type && node->type->id == GRAPH_HUMAN_TASK && !node->is_undo) check_answers(graph, node);
    }
}
