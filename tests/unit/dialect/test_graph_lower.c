/* Flow graphs against the text their programs print.
 *
 *     UPDATE_GOLDEN=1 make check-dialect     writes the texts anew
 */
#include "dialect/golden.h"

#include "dialect/graph/node_types.h"
#include "dialect/steps/step_types.h"
#include "program/draw/sketch.h"

static void graphs_print_as_they_did(void **state)
{
    (void)state;
    golden_compare("examples/graph/leave-request.json", GOLDEN "graph/leave-request.txt");
    golden_compare("examples/graph/invoice-approval.json", GOLDEN "graph/invoice-approval.txt");
    golden_compare("examples/graph/order.json", GOLDEN "graph/order.txt");
    golden_compare("examples/graph/sensor-alarm.json", GOLDEN "graph/sensor-alarm.txt");
    golden_compare(GOLDEN "graph/all-types.json", GOLDEN "graph/all-types.txt");
    golden_compare(GOLDEN "graph/older-types.json", GOLDEN "graph/older-types.txt");
}

/* ---- the program, where its text does not tell ---- */

static const struct program_node *node_of(const struct program *program, const char *name)
{
    uint32_t index = program_find(program, str_of(name));
    assert_int_not_equal(index, NODE_NONE);
    return &program->node[index];
}

static void compile_all_types(struct compiled *compiled)
{
    struct arena arena;
    arena_init(&arena, 0);
    compile_text(compiled, golden_read(GOLDEN "graph/all-types.json", &arena));
    arena_done(&arena);
    assert_non_null(compiled->program);
}

static void results_have_the_outputs_of_the_table(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_all_types(&compiled);
    static const struct {
        const char *node;
        enum graph_type_id type;
        enum performer performer;
    } cases[] = { { "call", GRAPH_HTTP, PERFORM_HTTP },
                  { "save", GRAPH_DB, PERFORM_SQL },
                  { "mail", GRAPH_EMAIL, PERFORM_EMAIL },
                  { "tool", GRAPH_MCP, PERFORM_HTTP } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct program_node *node = node_of(compiled.program, cases[i].node);
        const struct graph_type *type = graph_type(cases[i].type);
        assert_int_equal(node->kind, NODE_TASK);
        assert_int_equal(node->as.task.performer, cases[i].performer);
        assert_int_equal(node->as.task.result_member_count, type->output_count);
        for (size_t k = 0; k < type->output_count; k++)
            assert_true(str_equal(node->as.task.result_member[k], type->output[k].name));
        /* What a test run brings keeps the contract, too. */
        assert_int_equal(json_count(node->rehearsal->brought), type->output_count);
    }
    assert_null(node_of(compiled.program, "look")->rehearsal); /* It only reads. */
    compiled_done(&compiled);
}

static void retries_are_those_of_the_policy(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_all_types(&compiled);
    /* The workflow's, and the node's own fields over it. */
    const struct program_retry *retry = node_of(compiled.program, "call")->as.task.retry;
    assert_int_equal(retry->count, 3);
    assert_true(retry->only_retryable);
    assert_int_equal(retry->delay.first_ms, 30000);
    assert_true(retry->delay.is_linear);
    assert_int_equal(program_delay_ms(&retry->delay, 1), 30000);
    assert_int_equal(program_delay_ms(&retry->delay, 2), 60000);
    assert_int_equal(program_delay_ms(&retry->delay, 9), 70000); /* Capped. */
    retry = node_of(compiled.program, "save")->as.task.retry;
    assert_int_equal(retry->count, 1);
    assert_int_equal(program_delay_ms(&retry->delay, 5), 30000);
    assert_int_equal(node_of(compiled.program, "mail")->as.task.retry_count, 0);
    compiled_done(&compiled);
}

static void only_circles_limit_visits(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_all_types(&compiled);
    assert_int_equal(node_of(compiled.program, "call")->visits_max, 0);
    assert_int_equal(node_of(compiled.program, "pause")->visits_max, 7);
    assert_int_equal(node_of(compiled.program, "ready")->visits_max, 7);
    compiled_done(&compiled);
}

/* contract/node-types.json is the table for tools: docs, the schema and the tests of web/ read it. */
static void is_published(const struct json *table, struct arena *arena)
{
    static const char published[] = "contract/node-types.json";
    struct buf out;
    buf_init(&out, arena);
    json_print_pretty(table, &out);
    buf_add_char(&out, '\n');
    if (getenv("UPDATE_GOLDEN")) golden_write(published, buf_str(&out));
    golden_assert_same(published, golden_read(published, arena), buf_str(&out));
}

static void the_table_is_json_for_the_builder(void **state)
{
    (void)state;
    struct arena arena;
    struct buf out;
    const struct json *table;
    arena_init(&arena, 0);
    buf_init(&out, &arena);
    buf_add_char(&out, '{');
    graph_put_node_types(&out);
    buf_add_char(&out, ',');
    steps_put_types(&out);
    buf_add_char(&out, '}');
    assert_int_equal(json_parse(buf_str(&out), NULL, &arena, &table, NULL), ST_OK);
    is_published(table, &arena);
    const struct json *types = json_get(table, STR("nodeTypes"));
    assert_int_equal(json_count(types), GRAPH_TYPE_COUNT);
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++) {
        const struct graph_type *type = graph_type((enum graph_type_id)i);
        const struct json *row = json_item(types, i);
        assert_true(str_equal(json_string(json_get(row, STR("type"))), type->name));
        assert_int_equal(json_count(json_get(row, STR("params"))), type->param_count);
        assert_int_equal(json_count(json_get(row, STR("outputs"))), type->output_count);
        assert_int_equal(json_count(json_get(row, STR("ports"))), type->port_count);
        assert_ptr_equal(graph_type_find(type->name), type);
        bool trigger = type->kind == GRAPH_KIND_TRIGGER;
        assert_int_equal(json_count(json_get(row, STR("inputs"))), !trigger);
        const char *ports_of = type->wiring->ports_of;
        assert_int_equal(json_get(row, STR("portsBy")) != NULL, ports_of != NULL);
        assert_true(!ports_of || graph_param_find(type, str_of(ports_of)));
        bool loop = type->kind == GRAPH_KIND_LOOP;
        assert_int_equal(loop, graph_port_is(type, type->wiring->body));
        assert_int_equal(loop, graph_port_is(type, type->wiring->done));
    }
    assert_ptr_equal(graph_type_find(STR("httpwebhooktrigger")), graph_type(GRAPH_WEBHOOK));
    assert_null(graph_type_find(STR("Action_http"))); /* Aliases are in any case, names are not. */
    assert_ptr_equal(graph_type_find(STR("faningate")), graph_type(GRAPH_FAN_IN_GATE));
    assert_non_null(graph_type_instead(STR("GroupClientTrigger")));
    assert_null(graph_type_instead(STR("nonsense")));
    arena_done(&arena);
}

static str drawn(const struct program *program, enum picture picture, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    program_draw(program, picture, &out);
    return buf_str(&out);
}

static bool shows(str picture, const char *text) { return str_find(picture, str_of(text), 0) != SIZE_MAX; }

/* A loop is a box around its body, with its name; loops nest. */
static void loops_are_drawn_as_zones(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            "{'dialect':'graph/1','name':'g','nodes':[{'id':'t','type':'trigger_manual'},{'id':'o','type':"
            "'for_each','label':'Orders','config':{'items':[]}},{'id':'l','type':'for_each','label':'Lines',"
            "'parent':'o','config':{'items':[]}},{'id':'a','type':'action_http','label':'Pack','parent':'l',"
            "'config':{'url':'http://h'}},{'id':'z','type':'end'}],'edges':[{'from':'t','to':'o'},{'from':"
            "'o','fromPort':'body','to':'l'},{'from':'l','fromPort':'body','to':'a'},{'from':'o','fromPort':"
            "'done','to':'z'}]}");
    assert_non_null(compiled.program);
    str dot = drawn(compiled.program, PICTURE_DOT, &compiled.arena);
    assert_true(shows(dot, "subgraph cluster_n1 {"));
    assert_true(shows(dot, "label=\"Orders\";"));
    assert_true(str_find(dot, STR("cluster_n2"), 0) > str_find(dot, STR("cluster_n1"), 0));
    assert_false(shows(dot, "label=\"item\""));
    str mermaid = drawn(compiled.program, PICTURE_MERMAID, &compiled.arena);
    assert_true(shows(mermaid, "subgraph z1 [\"Orders\"]"));
    assert_true(shows(mermaid, "subgraph z2 [\"Lines\"]"));
    str svg = drawn(compiled.program, PICTURE_SVG, &compiled.arena);
    size_t orders = str_find(svg, STR("data-node=\"o\""), 0),
           lines = str_find(svg, STR("data-node=\"l\""), 0), pack = str_find(svg, STR("data-node=\"a\""), 0),
           end = str_find(svg, STR("data-node=\"z\""), 0);
    assert_true(orders < lines && lines < pack &&
                pack < end); /* Each inside of the one before, then the end. */
    assert_false(shows(svg, ">item<"));
    compiled_done(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_print_as_they_did),
        cmocka_unit_test(results_have_the_outputs_of_the_table),
        cmocka_unit_test(retries_are_those_of_the_policy),
        cmocka_unit_test(only_circles_limit_visits),
        cmocka_unit_test(the_table_is_json_for_the_builder),
        cmocka_unit_test(loops_are_drawn_as_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
