/* Triggers of steps, and schedules of workflows. */
#include "dialect/compile.h"

#define WITH(triggers) \
    "{'id':'d','name':'D','triggers':" triggers ",'steps':[{'id':'a','name':'A','type':'END'}]}"
#define STARTS(start)                                      \
    "{'id':'w','name':'W','version':'1','startsAt':" start \
    ",'states':[{'name':'A','type':'DELAY','timeDelay':'PT1S','end':true}]}"

static void steps_are_started_by_triggers(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            WITH("[{'id':'c','type':'cron','cronExpression':'0 8 * * 1-5','timeZone':'Europe/Berlin',"
                 "'misfirePolicy':'FireImmediately'},{'id':'h','type':'http','path':'/x'},"
                 "{'id':'i','type':'ScheduledTrigger','intervalUnit':'Hours'}]"));
    assert_string_equal(compiled_codes(&compiled), "");
    const struct program_rules *rules = compiled.program->rules;
    assert_int_equal(rules->arrival_count, 3);
    for (size_t i = 0; i < rules->arrival_count; i++) {
        assert_int_equal(rules->arrival[i].start, compiled.program->start);
        assert_int_equal(rules->arrival[i].terms.policy, ARRIVAL_ALWAYS_CREATE);
        assert_int_equal(rules->arrival[i].output_count, 1);
        assert_string_equal(rules->arrival[i].output[0].name.p, "trigger");
    }
    assert_string_equal(rules->arrival[0].name.p, "c");
    assert_string_equal(rules->arrival[0].terms.zone.p, "Europe/Berlin");
    assert_true(rules->arrival[0].terms.fires_missed);
    assert_int_equal(rules->arrival[1].terms.type, ARRIVAL_HTTP);
    assert_int_equal(rules->arrival[2].terms.interval_ms, 15 * 3600 * 1000);
    compiled_done(&compiled);
    compile(&compiled, WITH("null"));
    assert_string_equal(compiled_codes(&compiled), "");
    assert_int_equal(compiled.program->rules->arrival_count, 0);
    compiled_done(&compiled);
}

static void mistakes_of_triggers_are_named(void **state)
{
    static const struct {
        const char *document, *codes, *pointer;
    } cases[] = {
        { WITH("{}"), "E WRONG_TYPE", "/triggers" },
        { WITH("[5]"), "E WRONG_TYPE", "/triggers/0" },
        { WITH("[{'type':'cron'}]"), "E REQUIRED", "/triggers/0/id" },
        { WITH("[{'id':'','type':'cron'}]"), "E REQUIRED", "/triggers/0/id" },
        { WITH("[{'id':'a'}]"), "E BAD_VALUE", "/triggers/0/type" },
        { WITH("[{'id':'a','type':'carrier pigeon'}]"), "E BAD_VALUE", "/triggers/0/type" },
        { WITH("[{'id':'a','type':'cron'},{'id':'a','type':'cron'}]"), "E DUPLICATE_ID", "/triggers/1/id" },
        { WITH("[{'id':'a','type':'cron','cronExpression':'61 * * * *'}]"), "E INVALID_CRON",
          "/triggers/0/cronExpression" },
        { WITH("[{'id':'a','type':'cron','timeZone':'Mars/Base'}]"), "E INVALID_TIME_ZONE",
          "/triggers/0/timeZone" },
        { WITH("[{'id':'a','type':'http','path':'/x','onMatch':'MapOrCreate'}]"), "E INVALID_ON_MATCH",
          "/triggers/0/onMatch" },
        { STARTS("{'schedule':{'cron':'0 8 * * *'}}"), "E REQUIRED", "/startsAt/stateName" },
        { STARTS("{'stateName':'A','schedule':{}}"), "E REQUIRED", "/startsAt/schedule" },
        { STARTS("{'stateName':'A','schedule':{'cron':'* * * * *','interval':'PT1S'}}"), "E REQUIRED",
          "/startsAt/schedule" },
        { STARTS("{'stateName':'A','schedule':{'cron':'* * *'}}"), "E INVALID_CRON",
          "/startsAt/schedule/cron" },
        { STARTS("{'stateName':'A','schedule':{'cron':'* * * * *','timezone':'Mars'}}"),
          "E INVALID_TIME_ZONE", "/startsAt/schedule/timezone" },
        { STARTS("{'stateName':'A','schedule':{'interval':'15 minutes'}}"), "E BAD_DURATION",
          "/startsAt/schedule/interval" },
        { STARTS("{'stateName':'A','schedule':{'interval':'PT0S'}}"), "E BAD_DURATION",
          "/startsAt/schedule/interval" },
        { STARTS("{'stateName':'B','schedule':{'cron':'0 8 * * *'}}"), "E UNRESOLVED", "/startsAt" },
        { STARTS("['A']"), "E WRONG_TYPE", "/startsAt" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        if (strcmp(compiled_codes(&compiled), cases[i].codes) != 0)
            fail_msg("%s: %s", cases[i].document, compiled_codes(&compiled));
        assert_string_equal(compiled.problems.problem[0].pointer.p, cases[i].pointer);
        assert_true(compiled.problems.problem[0].line > 0);
        compiled_done(&compiled);
    }
}

static void workflows_are_started_by_a_schedule(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, STARTS("{'stateName':'A','schedule':{'cron':'0 8 * * *','timezone':'Asia/Tokyo'}}"));
    assert_string_equal(compiled_codes(&compiled), "");
    const struct program_rules *rules = compiled.program->rules;
    assert_int_equal(rules->arrival_count, 1);
    assert_string_equal(rules->arrival[0].name.p, "schedule");
    assert_int_equal(rules->arrival[0].start, compiled.program->start);
    assert_string_equal(rules->arrival[0].terms.cron.p, "0 8 * * *");
    assert_string_equal(rules->arrival[0].terms.zone.p, "Asia/Tokyo");
    compiled_done(&compiled);
    compile(&compiled, STARTS("{'stateName':'A','schedule':{'interval':'R/PT90M'}}"));
    assert_string_equal(compiled_codes(&compiled), "");
    assert_int_equal(compiled.program->rules->arrival[0].terms.interval_ms, 90 * 60 * 1000);
    compiled_done(&compiled);
    compile(&compiled, STARTS("{'stateName':'A'}"));
    assert_string_equal(compiled_codes(&compiled), "");
    assert_int_equal(compiled.program->rules->arrival_count, 0);
    compiled_done(&compiled);
}

static void there_are_at_most_a_hundred(void **state)
{
    struct arena arena;
    struct buf list;
    (void)state;
    arena_init(&arena, 0);
    buf_init(&list, &arena);
    for (int i = 0; i < 101; i++) buf_printf(&list, "%s{'id':'t%d','type':'cron'}", i ? "," : "", i);
    for (int extra = 0; extra < 2; extra++) {
        struct compiled compiled;
        size_t from = extra ? 0 : str_find(buf_str(&list), STR("{'id':'t1'"), 0);
        str text = str_slice(buf_str(&list), from, list.n);
        compile(&compiled,
                arena_printf(&arena,
                             "{'id':'d','name':'D','triggers':[%.*s],'steps':[{'id':'a','name':'A','type':"
                             "'END'}]}",
                             STR_ARG(text))
                    .p);
        assert_string_equal(compiled_codes(&compiled), extra ? "E TOO_LARGE" : "");
        compiled_done(&compiled);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_started_by_triggers),
        cmocka_unit_test(mistakes_of_triggers_are_named),
        cmocka_unit_test(workflows_are_started_by_a_schedule),
        cmocka_unit_test(there_are_at_most_a_hundred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
