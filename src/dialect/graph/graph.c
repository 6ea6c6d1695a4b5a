/* dialect/graph/graph.c — from a flow graph to a program. */
#include "base/must.h"
#include "dialect/graph/graph_int.h"
#include "dialect/graph/view.h"
#include "dialect/refusal.h"

static bool has_list(const struct json *document, const char *name)
{
    return json_is(json_get(document, str_of(name)), JSON_ARRAY);
}

/* The dialect's own name, or the members that no other dialect has together. */
static bool recognises(const struct json *document)
{
    const struct json *dialect = json_get(document, STR("dialect"));
    if (json_is(dialect, JSON_STRING))
        return str_starts(json_string(dialect), STR("graph")) ||
               str_starts(json_string(dialect), STR("wbskt"));
    if (json_get(document, STR("steps")) || json_get(document, STR("states"))) return false;
    bool has_edges = json_get(document, STR("edges")) || json_get(document, STR("connections"));
    return (has_list(document, "nodes") && (has_edges || has_list(document, "triggers"))) ||
           (json_get(document, STR("definitionId")) && has_list(document, "triggers"));
}

static const struct json *normal(const struct json *document, struct arena *arena)
{
    (void)arena;
    return document; /* As its author wrote it, with the places of its nodes on the canvas. */
}

/* Nothing to print: what is tried in order is in arrays. */
static void print_order(const struct json *document, struct buf *out)
{
    (void)document;
    (void)out;
}

static const struct json *output(const struct json *data)
{
    const struct json *result = json_get(data, STR("result"));
    return result ? result : json_empty_object();
}

static void set_identity(struct graph *graph)
{
    struct program *program = graph->program;
    program->dialect = dialect_graph.name;
    program->id = graph->id;
    program->title = graph->name;
    program->description = graph_text(graph, &graph->document, "description");
    program->node_word = STR("node");
    program->named_errors = true;
    program->may_be_endless = true;
    program->data_shape = DATA_OBJECT;
    program->error_names = (struct program_error_names){
        .expression = STR("EXPRESSION_ERROR"),
        .filter = STR("EXPRESSION_ERROR"),
        .timeout = STR("TIMEOUT"),
        .no_way = STR("GATEWAY_NO_MATCH"),
        .guard = STR("GATEWAY_NO_MATCH"),
        .used_up = STR("TASK_FAILED"),
        .task = STR("TASK_FAILED"),
        .child = STR("TASK_FAILED"),
        .limit = STR("LIMIT_EXCEEDED"),
        .deadlock = STR("JOIN_DEADLOCK"),
        .visits = STR("LOOP_LIMIT"),
        .contract = STR("OUTPUT_CONTRACT_VIOLATION"),
        .deadline = STR("EXECUTION_TIMEOUT"),
        .node_member = STR("node"),
    };
}

static struct program *compile(const struct json *document, struct problems *problems)
{
    size_t errors = problems->error_count;
    struct graph graph = { .problems = problems, .scratch = problems->arena, .handler = NODE_NONE };
    graph.program = program_new_for(document, 24);
    graph.arena = program_arena(graph.program);
    if (graph_read(&graph, document)) {
        set_identity(&graph);
        graph_check_edges(&graph);
        graph_lower(&graph);
        graph_check_answers(&graph);
        if (problems->error_count == errors) {
            program_link(graph.program);
            if (!problems->errors_only) graph_check_whole(&graph);
        }
    }
    must(problems->error_count >= errors && graph.lowered_count <= graph.lowered_cap);
    problems->node = STR_NONE;
    if (problems->error_count == errors) return graph.program;
    program_unref(graph.program);
    return NULL;
}

const struct dialect dialect_graph = {
    .name = STR_INIT("graph"),
    .body_name = STR_INIT("nodes"),
    .recognises = recognises,
    .normal = normal,
    .print_order = print_order,
    .compile = compile,
    .fix = graph_fix,
    .sketch = graph_sketch,
    .draws_document = true,
    .refusal = refusal_text,
    .status_word = graph_status_word,
    .data_word = graph_data_word,
    .output = output,
    .put_instance = graph_put_instance,
    .put_visit = graph_put_visit,
    .add_run = graph_add_run,
};
