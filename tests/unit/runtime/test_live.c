/* What has changed, for pages that show it: what is noted, when it is told, and that it stays small. */
#include "driver.h"

#include "runtime/memory/live.h"

#define FLOW                                                                     \
    "{\"id\":\"flow\",\"name\":\"A "                                             \
    "flow\",\"steps\":[{\"id\":\"ask\",\"name\":\"Ask\",\"type\":\"USER_TASK\"," \
    "\"nextStep\":\"end\"},{\"id\":\"end\",\"name\":\"End\",\"type\":\"END\"}]}"

static struct call *watch(struct driver *driver, int64_t wait_ms)
{
    struct call *call = driver_call(driver, CALL_WATCH_LIVE);
    call->as.watch_live.wait_ms = wait_ms;
    return call;
}

static void listen(struct driver *driver)
{
    const struct call *call = driver_run(driver, watch(driver, 0));
    assert_int_equal(call->status, ST_OK);
    assert_null(call->value.live.round);
}

static const struct live_set *set_of(const struct call *call, enum live_kind kind)
{
    assert_int_equal(call->status, ST_OK);
    assert_non_null(call->value.live.round);
    return &call->value.live.round->set[kind];
}

static bool is_noted(const struct call *call, int32_t ns, enum live_kind kind)
{
    bool many;
    return live_is_noted(call->value.live.round, ns, kind, &many);
}

static bool are_many(const struct call *call, enum live_kind kind)
{
    bool many;
    live_is_noted(call->value.live.round, TENANT_DEFAULT, kind, &many);
    return many;
}

static bool names(const struct live_set *set, struct id id)
{
    char text[ID_CHARS + 1];
    id_print(id, text);
    for (size_t i = 0; i < set->count; i++)
        if (str_equal(set->id[i], str_of(text))) return true;
    return false;
}

static void nothing_is_noted_while_nobody_listens(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, FLOW);
    driver_started(driver, "flow", NULL);
    assert_null(driver->engine.memory.live.round);
    listen(driver);
    driver_started(driver, "flow", NULL);
    assert_true(driver->engine.memory.live.noted);
    struct call *stop = watch(driver, 0);
    stop->as.watch_live.stops = true;
    driver_run(driver, stop);
    driver_started(driver, "flow", NULL);
    assert_null(driver->engine.memory.live.round);
}

static void a_change_is_told_at_once_and_those_behind_it_together(void **state)
{
    struct driver *driver = *state;
    listen(driver);
    struct call *call = watch(driver, 15000);
    driver_submit(driver, call);
    assert_false(driver_answered(driver, call));
    driver_deploy(driver, FLOW);
    driver_turn(driver);
    assert_true(driver_answered(driver, call));
    assert_int_equal(set_of(call, LIVE_DEFINITIONS)->count, 1);
    assert_true(str_equal(set_of(call, LIVE_DEFINITIONS)->id[0], STR("flow")));

    call = watch(driver, 15000);
    driver_submit(driver, call);
    struct id one = driver_started(driver, "flow", NULL);
    driver_advance(driver, LIVE_GATHER_MS / 2);
    struct id two = driver_started(driver, "flow", NULL);
    driver_turn(driver);
    assert_false(driver_answered(driver, call)); /* The round before is too fresh. */
    driver_advance(driver, LIVE_GATHER_MS / 2);
    driver_turn(driver);
    assert_true(driver_answered(driver, call));
    const struct live_set *set = set_of(call, LIVE_INSTANCES);
    assert_int_equal(set->count, 2);
    assert_true(names(set, one) && names(set, two) && !are_many(call, LIVE_INSTANCES));
    assert_true(live_has_changed(call->value.live.round, TENANT_DEFAULT, one.instance));
    assert_int_equal(set_of(call, LIVE_TASKS)->count, 2);
    assert_false(is_noted(call, TENANT_DEFAULT, LIVE_DRAFTS));
}

static void who_waits_in_vain_is_told_so(void **state)
{
    struct driver *driver = *state;
    listen(driver);
    struct call *call = watch(driver, 15000);
    driver_submit(driver, call);
    driver_advance(driver, 14999);
    assert_false(driver_answered(driver, call));
    driver_advance(driver, 1);
    assert_true(driver_answered(driver, call));
    assert_null(call->value.live.round);
}

static void many_changes_take_no_more_memory(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, FLOW);
    listen(driver);
    struct id last = { 0 };
    for (int i = 0; i < LIVE_IDS_MAX; i++) last = driver_started(driver, "flow", NULL);
    struct call *call = driver_run(driver, watch(driver, 0));
    assert_int_equal(set_of(call, LIVE_INSTANCES)->count, LIVE_IDS_MAX);
    assert_false(are_many(call, LIVE_INSTANCES));
    for (int i = 0; i <= LIVE_IDS_MAX; i++) last = driver_started(driver, "flow", NULL);
    call = driver_run(driver, watch(driver, 0));
    assert_true(are_many(call, LIVE_INSTANCES));
    assert_true(live_has_changed(call->value.live.round, TENANT_DEFAULT, last.instance));
    assert_false(live_has_changed(call->value.live.round, TENANT_DEFAULT, last.instance + 1));
    /* The next round begins with nothing. */
    assert_null(driver_run(driver, watch(driver, 0))->value.live.round);
}

/* Also of what no id tells: workers, and more changes than there is room for. */
static void a_tenant_hears_of_its_own_changes_only(void **state)
{
    enum { BUSY = 2, QUIET = 3 };
    struct driver *driver = *state;
    listen(driver);
    driver->ns = BUSY;
    driver_deploy(driver, document("runtime/engine", "worker"));
    for (int i = 0; i <= LIVE_IDS_MAX; i++) driver_started(driver, "worker", "{}");
    driver_polled(driver, "w", "t");
    const struct call *call = driver_run(driver, watch(driver, 0));
    assert_true(is_noted(call, BUSY, LIVE_WORKERS) && is_noted(call, BUSY, LIVE_INSTANCES));
    for (int kind = 0; kind < LIVE_KIND_COUNT; kind++)
        assert_false(is_noted(call, QUIET, (enum live_kind)kind));
}

static void what_changes_again_is_named_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, FLOW);
    listen(driver);
    struct id id = driver_started(driver, "flow", NULL);
    struct call *call = driver_call(driver, CALL_CANCEL);
    call->as.instance.id = id;
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    call = driver_run(driver, watch(driver, 0));
    assert_int_equal(set_of(call, LIVE_INSTANCES)->count, 1);
    assert_int_equal(set_of(call, LIVE_TASKS)->count, 1);
}

static void one_waits_at_a_time(void **state)
{
    struct driver *driver = *state;
    struct call *first = watch(driver, 15000), *second = watch(driver, 15000);
    driver_submit(driver, first);
    assert_int_equal(driver_run(driver, second)->status, ST_CONFLICT);
    /* A drain answers it. */
    engine_drain(&driver->engine);
    driver_turn(driver);
    assert_true(driver_answered(driver, first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_noted_while_nobody_listens, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_change_is_told_at_once_and_those_behind_it_together, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(who_waits_in_vain_is_told_so, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(many_changes_take_no_more_memory, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_tenant_hears_of_its_own_changes_only, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(what_changes_again_is_named_once, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(one_waits_at_a_time, driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
