/* Instances that are tests: nothing leaves the engine, and nothing is awaited. */
#include "documents.h"

#include "core/driver.h"

static enum status start_test(struct driver *driver, const char *data, str arrival)
{
    struct command command = { .kind = COMMAND_START, .data = driver_json(driver, data) };
    command.as.start =
        (struct command_start){ .instance = 7, .definition = 3, .arrival = arrival, .is_test = true };
    return driver_do(driver, command);
}

static void begin_test(struct driver *driver, const char *steps, const char *data)
{
    driver_begin(driver, steps);
    assert_int_equal(start_test(driver, data, STR_NONE), ST_OK);
}

static const struct execution *visit_to(struct driver *driver, const char *node)
{
    struct execution *row;
    size_t count;
    struct error err;
    assert_int_equal(core_executions(driver->program, driver->history, driver->history_count, &driver->arena,
                                     &row, &count, &err),
                     ST_OK);
    for (size_t i = 0; i < count; i++)
        if (str_equal(row[i].node_name, str_of(node))) return &row[i];
    fail_msg("no visit to %s", node);
    return NULL;
}

static void a_task_brings_what_it_declares(void **state)
{
    struct driver d;
    (void)state;
    begin_test(&d,
               TASK_WITH("a", "'nextStep':'end','retryCount':2,'outputs_schema':{'properties':{'s':{'type':"
                              "'string'},'n':{'type':'number'},'i':{'type':'integer'},'b':{'type':'boolean'}}"
                              ",'required':['s','x']}") END("end"),
               "{'n':5,'y':1}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'n':0,'y':1,'s':'[TEST] Simulated output','i':0,'b':false,'x':{}}");
    const struct execution *visit = visit_to(&d, "a");
    assert_true(visit->simulated);
    assert_int_equal(visit->status, EXECUTION_COMPLETED);
    assert_int_equal(visit->tried_total, 0);
    assert_json(&d, visit->output, "{'s':'[TEST] Simulated output','n':0,'i':0,'b':false,'x':{}}");
    driver_end(&d);
}

static void nobody_is_awaited(void **state)
{
    struct driver d;
    (void)state;
    begin_test(&d,
               FORK("f", "'p','w'", "j")
                   STEP("p", "USER_TASK", NEXT("j") "," TIMERS(TIMER("PT1H", "true", "end"))) WAIT("w", "j")
                       JOIN("j", "end") END("end"),
               "{'x':1}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'x':1}");
    assert_true(visit_to(&d, "p")->simulated && visit_to(&d, "w")->simulated);
    assert_false(visit_to(&d, "j")->simulated);
    driver_end(&d);
}

static void an_early_signal_is_used(void **state)
{
    struct driver d;
    (void)state;
    begin_test(&d, CHOOSE("d", "'ok':'w'") WAIT("w", "end") END("end"), "{'ok':false}");
    assert_at(&d, "FAILED d");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_SIGNAL,
                                                     .as.node.node = STR("w"),
                                                     .as.node.early = true,
                                                     .data = driver_json(&d, "{'s':1}") }),
                     ST_OK);
    send(&d, COMMAND_RETRY, "d", "{'ok':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'ok':true,'s':1}");
    assert_false(visit_to(&d, "w")->simulated);
    driver_end(&d);
}

static void an_event_comes_for_each_trigger_of_the_first_case(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_document(&d, str_of(document("core/rehearsal", "events")));
    assert_int_equal(start_test(&d, "{'x':1}", STR_NONE), ST_OK);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'x':1,'events':{}}");
    assert_true(visit_to(&d, "E")->simulated && visit_to(&d, "Done")->status == EXECUTION_COMPLETED);
    driver_end(&d);
}

static void a_child_is_started_and_awaited(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_document(&d, str_of(document("core/rehearsal", "child")));
    assert_int_equal(start_test(&d, "{}", STR_NONE), ST_OK);
    assert_at(&d, "ACTIVE S");
    assert_int_equal(job_of(&d, "other")->performer, PERFORM_CHILD);
    complete(&d, "other", "{'y':2}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'y':2}");
    assert_false(visit_to(&d, "S")->simulated);
    driver_end(&d);
}

static void a_request_is_told_and_not_sent(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_document(&d, str_of(document("core/rehearsal", "request")));
    assert_int_equal(start_test(&d, "{'n':3}", STR_NONE), ST_OK);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'n':3,'got':{}}");
    assert_json(&d, visit_to(&d, "A")->sent, "{'n':3}");
    driver_end(&d);
}

/* A test has no open job but those of its children and of tasks that only read, and waits for nothing else.
 */
static void assert_alone(struct driver *d, str name)
{
    for (size_t i = 0; i < d->instance->token_count && !instance_status_ended(d->instance->status); i++) {
        const struct token *token = &d->instance->token[i];
        const struct program_node *node = &d->program->node[token->node];
        bool acts =
            node->kind == NODE_TASK && (node->acts_in_tests || performer_starts(node->as.task.performer));
        if (acts || node->kind == NODE_JOIN || node->kind == NODE_SCOPE || token->state == TOKEN_RESTING)
            continue;
        fail_msg("%.*s: a token waits at \"%.*s\"", STR_ARG(name), STR_ARG(token->node_name));
    }
}

static void no_document_does_anything_outside(void **state)
{
    static const char *const files[] = { "core/regions", "core/graph", "core/rehearsal" };
    size_t simulated = 0;
    (void)state;
    for (size_t f = 0; f < COUNT(files); f++) {
        struct json_each each = json_each(document_file_read(files[f], &document_files()->arena));
        while (json_next(&each)) {
            struct driver d;
            if (!json_is(each.value, JSON_OBJECT) || !json_get(each.value, STR("name"))) continue;
            driver_begin_document(&d, str_of(document_text(each.value)));
            bool graph = str_equal(d.program->dialect, STR("graph"));
            if (start_test(&d, graph ? "{'payload':{}}" : "{'x':1}", graph ? STR("t") : STR_NONE) == ST_OK) {
                assert_alone(&d, each.name);
                for (size_t i = 0; i < d.outcome.history.entry_count; i++)
                    simulated += d.outcome.history.entry[i].kind == ENTRY_KIND_SIMULATE;
            }
            driver_end(&d);
        }
    }
    assert_true(simulated > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_brings_what_it_declares),
        cmocka_unit_test(nobody_is_awaited),
        cmocka_unit_test(an_early_signal_is_used),
        cmocka_unit_test(an_event_comes_for_each_trigger_of_the_first_case),
        cmocka_unit_test(a_child_is_started_and_awaited),
        cmocka_unit_test(a_request_is_told_and_not_sent),
        cmocka_unit_test(no_document_does_anything_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
