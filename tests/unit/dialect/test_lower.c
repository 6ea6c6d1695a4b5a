#include "dialect/compile.h"
#include "program/draw/sketch.h"

#define ALL_TYPES document("dialect/lower", "all types")

static const struct program_node *node(const struct compiled *compiled, const char *name)
{
    uint32_t index = program_find(compiled->program, str_of(name));
    assert_int_not_equal(index, NODE_NONE);
    return &compiled->program->node[index];
}

static void assert_edge(const struct compiled *compiled, const struct program_node *from, size_t edge,
                        const char *to, const char *when)
{
    assert_true(edge < from->edge_count);
    assert_string_equal(compiled->program->node[from->edge[edge].target].name.p, to);
    if (!when) {
        assert_null(from->edge[edge].when);
        return;
    }
    str text = expr_text(from->edge[edge].when);
    assert_true(str_equal(text, str_of(when)));
}

static void assert_value(const struct program_value *value, const char *name, const char *expr,
                         const char *literal)
{
    assert_string_equal(value->name.p, name);
    assert_int_equal(value->expr != NULL, expr != NULL);
    if (expr) {
        assert_true(str_equal(expr_text(value->expr), str_of(expr)));
        return;
    }
    struct buf out;
    buf_init(&out, NULL);
    json_print(value->literal, &out);
    assert_true(str_equal(buf_str(&out), str_of(literal)));
    buf_done(&out);
}

static void the_definition_becomes_the_program(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    assert_string_equal(compiled_codes(&compiled),
                        "W TEMPLATE_TEXT, W TEMPLATE_TEXT, W TEMPLATE_TEXT, W SIDE_BRANCH_END");
    const struct program *program = compiled.program;
    assert_string_equal(program->dialect.p, "steps");
    assert_string_equal(program->id.p, "NS::all-types_1");
    assert_string_equal(program->title.p, "All");
    assert_string_equal(program->description.p, "Nine of them");
    assert_string_equal(program->next_definition.p, "NS::next");
    assert_string_equal(program->node_word.p, "step");
    assert_int_equal(program->node_count, 12);
    assert_int_equal(program->start, 0);
    assert_int_equal(program->priority, 5);
    assert_int_equal(program->inputs.count, 3);
    assert_int_equal(program->inputs.field[0].type, FIELD_NUMBER);
    assert_false(program->inputs.field[0].required);
    assert_int_equal(program->inputs.field[1].type, FIELD_STRING);
    assert_true(program->inputs.field[1].required);
    assert_string_equal(program->inputs.field[2].name.p, "other");
    assert_int_equal(program->inputs.field[2].type, FIELD_ANY);
    assert_true(program->inputs.field[2].required);
    compiled_done(&compiled);
}

static void a_service_task_becomes_a_task(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *task = node(&compiled, "service");
    assert_int_equal(task->kind, NODE_TASK);
    assert_string_equal(task->type.p, "SERVICE_TASK");
    assert_string_equal(task->title.p, "Service");
    assert_string_equal(task->pointer.p, "/steps/0");
    assert_string_equal(task->as.task.job_type.p, "work");
    assert_int_equal(task->as.task.merge, MERGE_DEEP);
    assert_int_equal(task->as.task.retry->count, 3);
    assert_int_equal(task->as.task.retry->delay.first_ms, 2000);
    assert_true(task->as.task.retry->delay.factor == 2);
    assert_int_equal(task->as.task.retry->delay.max_ms, 300000);
    assert_int_equal(task->as.task.outputs.count, 2);
    assert_int_equal(task->as.task.outputs.field[0].type, FIELD_BOOLEAN);
    assert_int_equal(task->as.task.outputs.field[1].type, FIELD_INTEGER);
    assert_int_equal(task->edge_count, 1);
    assert_edge(&compiled, task, 0, "user", NULL);
    assert_int_equal(task->timer_count, 2);
    assert_int_equal(task->timer[0].delay_ms, 5400000);
    assert_true(task->timer[0].interrupting);
    assert_int_equal(task->timer[0].target, program_find(compiled.program, STR("wait")));
    assert_int_equal(task->timer[1].delay_ms, 7 * 86400000);
    assert_false(task->timer[1].interrupting);

    const struct program_node *plain = node(&compiled, "left");
    assert_int_equal(plain->as.task.retry_count, 0);
    compiled_done(&compiled);
}

static void waits_are_for_people_or_signals(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *user = node(&compiled, "user"), *wait = node(&compiled, "wait");
    assert_int_equal(user->kind, NODE_WAIT);
    assert_int_equal(user->as.wait.what, WAIT_FOR_PERSON);
    assert_string_equal(user->as.wait.label.p, "form");
    assert_int_equal(user->edge_count, 2);
    assert_edge(&compiled, user, 0, "wait", "#ok == true");
    assert_edge(&compiled, user, 1, "rejected", "${!ok}");
    assert_string_equal(user->no_edge_reason.p,
                        "no conditionalNextSteps branch matched (DecisionNoBranchMatched)");
    assert_int_equal(wait->kind, NODE_WAIT);
    assert_int_equal(wait->as.wait.what, WAIT_FOR_SIGNAL);
    assert_int_equal(wait->as.wait.label.n, 0);
    assert_edge(&compiled, wait, 0, "fork", NULL);
    compiled_done(&compiled);
}

static void gateways_become_fork_and_join(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *fork = node(&compiled, "fork"), *join = node(&compiled, "join");
    assert_int_equal(fork->kind, NODE_FORK);
    assert_int_equal(fork->edge_count, 2);
    assert_edge(&compiled, fork, 0, "left", NULL);
    assert_edge(&compiled, fork, 1, "right", NULL);
    assert_ptr_equal(&compiled.program->node[fork->as.fork.join], join);
    assert_int_equal(join->kind, NODE_JOIN);
    assert_edge(&compiled, join, 0, "set", NULL);
    compiled_done(&compiled);
}

static void transformations_keep_their_order_and_know_expressions_from_literals(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *set = node(&compiled, "set");
    assert_int_equal(set->kind, NODE_SET);
    assert_int_equal(set->as.set.count, 7);
    assert_value(&set->as.set.value[0], "sum", "n + 1", NULL);
    assert_value(&set->as.set.value[1], "greeting", NULL, "\"Hi ${name}!\"");
    assert_value(&set->as.set.value[2], "list", NULL, "[1,{\"a\":\"${n}\"}]");
    assert_value(&set->as.set.value[3], "both", "${n} + ${m}",
                 NULL); /* Not one pair of braces, but both ends. */
    assert_value(&set->as.set.value[4], "open", NULL, "\"${n\"");
    assert_value(&set->as.set.value[5], "empty", NULL, "\"${}x\"");
    assert_value(&set->as.set.value[6], "null", NULL, "null");
    compiled_done(&compiled);
}

static void tables_keep_their_rules_and_drop_blank_cells(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *table = node(&compiled, "table");
    assert_int_equal(table->kind, NODE_TABLE);
    assert_int_equal(table->as.table.policy, HIT_SUM);
    assert_int_equal(table->as.table.rule_count, 3);
    const struct program_rule *rule = table->as.table.rule;
    assert_int_equal(rule[0].cell_count, 1);
    assert_string_equal(rule[0].cell[0].column.p, "n");
    assert_true(str_equal(expr_text(rule[0].cell[0].test), STR("n > 1")));
    assert_int_equal(rule[0].output_count, 2);
    assert_value(&rule[0].output[0], "fee", "n * 2", NULL);
    assert_value(&rule[0].output[1], "tier", NULL, "\"GOLD\"");
    assert_int_equal(rule[1].cell_count, 0);
    assert_int_equal(rule[1].output_count, 1);
    assert_int_equal(rule[2].output_count, 0);
    compiled_done(&compiled);
}

static void every_hit_policy_is_known_and_u_is_the_default(void **state)
{
    static const struct {
        const char *member;
        enum hit_policy policy;
    } cases[] = { { "", HIT_UNIQUE },
#define XX(NAME, code, meaning) { "'hitPolicy':'" code "',", HIT_##NAME },
                  HIT_POLICY_MAP(XX)
#undef XX
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        struct arena texts;
        arena_init(&texts, 0);
        str document = arena_printf(&texts,
                                    STEPS("{'id':'t','name':'N','type':'DECISION_TABLE',%s'nextStep':'e',"
                                          "'decisionTable':{'rules':[{}]}}"),
                                    cases[i].member);
        compile(&compiled, document.p);
        assert_int_equal(node(&compiled, "t")->as.table.policy, cases[i].policy);
        compiled_done(&compiled);
        arena_done(&texts);
    }
}

static void decisions_keep_the_order_of_the_document(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    const struct program_node *decide = node(&compiled, "decide");
    assert_int_equal(decide->kind, NODE_CHOOSE);
    assert_int_equal(decide->edge_count, 3);
    assert_edge(&compiled, decide, 0, "rejected", "fee > 10");
    assert_edge(&compiled, decide, 1, "approved", "fee > 5");
    assert_edge(&compiled, decide, 2, "rejected", "true");
    assert_string_equal(decide->no_edge_reason.p,
                        "no conditionalNextSteps branch matched (DecisionNoBranchMatched)");
    compiled_done(&compiled);
}

static void an_end_chains_unless_it_says_otherwise(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    assert_int_equal(node(&compiled, "approved")->kind, NODE_END);
    assert_true(node(&compiled, "approved")->as.end.chain);
    assert_false(node(&compiled, "rejected")->as.end.chain);
    compiled_done(&compiled);

    /* nextWorkflowId alone starts nothing. */
    compile(&compiled,
            "{'id':'d','name':'D','nextWorkflowId':'x','steps':[{'id':'e','name':'E','type':'END'}]}");
    assert_int_equal(compiled.program->next_definition.n, 0);
    compiled_done(&compiled);
}

static void conditions_win_over_the_next_step(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            STEPS(SERVICE("a", ",'nextStep':'e','conditionalNextSteps':{'x':'b',"
                               "'!x':'e'}") "," SERVICE("b", ",'nextStep':'e','conditionalNextSteps':{}")));
    assert_string_equal(compiled_codes(&compiled), "W IGNORED");
    assert_int_equal(node(&compiled, "a")->edge_count, 2);
    assert_int_equal(node(&compiled, "b")->edge_count, 1);
    compiled_done(&compiled);
}

static void retry_backoff_has_rules(void **state)
{
#define BACKOFF(members) STEPS(SERVICE("a", ",'nextStep':'e','retryCount':2,'retryBackoff':{" members "}"))
    static const struct {
        const char *document;
        const char *codes;
        int64_t first_ms, max_ms;
        double factor;
    } cases[] = {
        { BACKOFF("'initial':'PT0.5S','factor':1.5,'max':'PT10S'"), "", 500, 10000, 1.5 },
        { BACKOFF("'initial':'PT1S','factor':1"), "", 1000, 300000, 1 },
        { BACKOFF("'initial':'PT1H'"), "", 3600000, 3600000, 2 }, /* Longer than the default maximum. */
        { BACKOFF(""), "E REQUIRED", 0, 0, 0 },
        { BACKOFF("'initial':'PT0S'"), "E BAD_DURATION", 0, 0, 0 },
        { BACKOFF("'initial':'1s'"), "E BAD_DURATION", 0, 0, 0 },
        { BACKOFF("'initial':'PT1S','factor':0.5"), "E BAD_VALUE", 0, 0, 0 },
        { BACKOFF("'initial':'PT1S','factor':1001"), "E BAD_VALUE", 0, 0, 0 },
        { BACKOFF("'initial':'PT1S','max':'PT0.5S'"), "E BAD_VALUE", 0, 0, 0 },
        { BACKOFF("'initial':'PT1S','max':'P1Y'"), "E BAD_DURATION", 0, 0, 0 },
    };
#undef BACKOFF
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        if (compiled.program) {
            const struct program_delay *delay = &compiled.program->node[0].as.task.retry->delay;
            assert_int_equal(delay->first_ms, cases[i].first_ms);
            assert_int_equal(delay->max_ms, cases[i].max_ms);
            assert_true(delay->factor == cases[i].factor);
        }
        compiled_done(&compiled);
    }
}

static void schemas_have_rules(void **state)
{
#define SCHEMA(members) \
    "{'id':'d','name':'D','input_schema':{" members "},'steps':[{'id':'e','name':'E','type':'END'}]}"
    static const struct {
        const char *document;
        const char *message;
        const char *pointer;
    } cases[] = {
        { SCHEMA(""), NULL, NULL },
        { SCHEMA("'type':'object','properties':{'a':{'type':'integer','description':'An age'},'b':{}}"), NULL,
          NULL },
        { SCHEMA("'properties':[]"), "input_schema: \"properties\" must be an object",
          "/input_schema/properties" },
        { SCHEMA("'properties':{'a':'string'}"), "input_schema: \"a\" must be an object with a type",
          "/input_schema/properties/a" },
        { SCHEMA("'properties':{'a':{'type':'date'}}"),
          "input_schema: \"a\" must have the type string, number, "
          "integer or boolean",
          "/input_schema/properties/a/type" },
        { SCHEMA("'properties':{'a':{'minimum':1}}"),
          "input_schema: \"minimum\" is not supported in a property; only "
          "type is",
          "/input_schema/properties/a/minimum" },
        { SCHEMA("'required':{}"), "input_schema: \"required\" must be an array of names",
          "/input_schema/required" },
        { SCHEMA("'required':['a',1]"), "input_schema: \"required\" must be an array of names",
          "/input_schema/required/1" },
        { SCHEMA("'additionalProperties':false"),
          "input_schema: \"additionalProperties\" is not supported in a "
          "schema; only properties and required are",
          "/input_schema/additionalProperties" },
        { SCHEMA("'type':'array'"), "input_schema: \"type\" must be object", "/input_schema/type" },
        { STEPS(SERVICE("a", ",'nextStep':'e','outputs_schema':{'required':1}")),
          "step \"a\" (SERVICE_TASK): "
          "outputs_schema: \"required\" must be an array of names",
          "/steps/0/outputs_schema/required" },
    };
#undef SCHEMA
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].message ? "E BAD_SCHEMA" : "");
        if (cases[i].message) {
            assert_string_equal(compiled.problems.problem[0].message.p, cases[i].message);
            assert_string_equal(compiled.problems.problem[0].pointer.p, cases[i].pointer);
        }
        compiled_done(&compiled);
    }
}

/* The document's memory is gone when the program is used. */
static void a_program_stands_on_its_own(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, ALL_TYPES);
    struct program *program = program_ref(compiled.program);
    compiled_done(&compiled);
    struct buf out;
    buf_init(&out, NULL);
    program_print(program, &out);
    program_draw(program, PICTURE_SVG, &out);
    assert_true(out.n > 1000);
    buf_done(&out);
    program_unref(program);
}

static void details_of_a_task_stand_on_their_own(void **state)
{
    (void)state;
    struct compiled compiled;
    struct arena arena;
    struct error err;
    const struct json *task;
    int64_t fuel = 1000;
    compile(&compiled, "{'id':'d','name':'n','steps':[{'id':'p','name':'P','type':'USER_TASK','nextStep':'e',"
                       "'candidateUsers':['{{ manager }}','eve']},{'id':'e','name':'E','type':'END'}]}");
    struct program *program = program_ref(compiled.program);
    compiled_done(&compiled);
    arena_init(&arena, 0);
    const struct expr_env env = { .data = json_empty_object() };
    const struct program_node *node = &program->node[program_find(program, STR("p"))];
    assert_int_equal(expr_eval(node->as.wait.task, &env, &fuel, &arena, &task, &err), ST_OK);
    assert_int_equal(json_count(json_get(task, STR("assignees"))), 2);
    arena_done(&arena);
    program_unref(program);
}

/* A hundred thousand of these are no reason for concern. */
static void a_small_program_takes_little_memory(void **state)
{
    const struct {
        const char *document;
        size_t bytes_max;
    } cases[] = {
        { document("dialect/lower", "small"), 2048 },
        { "{'id':'d','name':'n','steps':[{'id':'end','name':'End','type':'END'}]}", 1100 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_in_range(program_bytes(compiled.program), compiled.program->arena_.used, cases[i].bytes_max);
        compiled_done(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definition_becomes_the_program),
        cmocka_unit_test(a_service_task_becomes_a_task),
        cmocka_unit_test(waits_are_for_people_or_signals),
        cmocka_unit_test(gateways_become_fork_and_join),
        cmocka_unit_test(transformations_keep_their_order_and_know_expressions_from_literals),
        cmocka_unit_test(tables_keep_their_rules_and_drop_blank_cells),
        cmocka_unit_test(every_hit_policy_is_known_and_u_is_the_default),
        cmocka_unit_test(decisions_keep_the_order_of_the_document),
        cmocka_unit_test(an_end_chains_unless_it_says_otherwise),
        cmocka_unit_test(conditions_win_over_the_next_step),
        cmocka_unit_test(retry_backoff_has_rules),
        cmocka_unit_test(schemas_have_rules),
        cmocka_unit_test(a_program_stands_on_its_own),
        cmocka_unit_test(details_of_a_task_stand_on_their_own),
        cmocka_unit_test(a_small_program_takes_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
