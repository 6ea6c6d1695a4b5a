/* Arrivals that come before their wait. The driver compares replay and state after every command. */
#include "documents.h"

#include "core/driver.h"
#include "core/limits.h"

static void begin(struct driver *d, const char *name)
{
    driver_begin_document(d, str_of(document("core/early", name)));
    assert_int_equal(
        driver_do(d, (struct command){ .kind = COMMAND_START,
                                       .as.start = { .instance = 7, .definition = 3, .arrival = STR("t") },
                                       .data = driver_json(d, "{'payload':{}}") }),
        ST_OK);
}

static void arrive(struct driver *d, int n)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'payload':{'n':%d},'triggered_at':'2026-01-01T00:00:00Z'}", n);
    buf_add_char(&text, '\0');
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_ARRIVE,
                                                    .as.arrive.arrival = STR("done"),
                                                    .data = driver_json(d, text.p) }),
                     ST_OK);
}

static void answer(struct driver *d)
{
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_COMPLETE_TASK,
                                                    .as.node.node = STR("h"),
                                                    .actor = STR("ada"),
                                                    .data = driver_json(d, "{'decision':'ok'}") }),
                     ST_OK);
}

static void assert_payload(struct driver *d, const char *member, int n)
{
    const struct json *payload = json_get(json_get(d->instance->data, str_of(member)), STR("payload"));
    assert_int_equal(json_integer(payload, STR("n")), n);
}

static void a_wait_takes_the_oldest_and_the_next_one_waits(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "calls");
    arrive(&d, 1);
    assert_entries(&d, "scope_data arrive arrival_in");
    arrive(&d, 2);
    assert_payload(&d, "triggers.done", 2);
    answer(&d);
    assert_payload(&d, "nodes.w", 1);
    assert_payload(&d, "triggers.done", 1); /* As if it had arrived now. */
    assert_at(&d, "WAITING n");             /* This one wants a later one. */
    assert_int_equal(d.instance->mail_count, 1);
    arrive(&d, 3);
    assert_payload(&d, "nodes.n", 3);
    assert_at(&d, "COMPLETED");
    assert_int_equal(d.instance->mail_count, 0);
    driver_end(&d);
}

static void nothing_is_kept_if_no_wait_takes_it(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "never");
    arrive(&d, 1);
    assert_entries(&d, "scope_data arrive");
    answer(&d);
    assert_at(&d, "WAITING n");
    driver_end(&d);
}

static void so_many_are_kept_and_no_more(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "calls");
    for (int i = 1; i <= EARLY_ARRIVALS_MAX; i++) arrive(&d, i);
    assert_entries(&d, "scope_data arrive arrival_in");
    assert_int_equal(d.instance->mail_count, EARLY_ARRIVALS_MAX);
    arrive(&d, EARLY_ARRIVALS_MAX + 1);
    assert_entries(&d, "scope_data arrive warn");
    assert_int_equal(d.instance->mail_count, EARLY_ARRIVALS_MAX);
    answer(&d);
    assert_payload(&d, "nodes.w", 1);
    driver_end(&d);
}

static void a_cancelled_instance_keeps_nothing(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "calls");
    arrive(&d, 1);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL, .as.cancel.reason = STR("x") }),
                     ST_OK);
    assert_int_equal(d.instance->mail_count, 0);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_takes_the_oldest_and_the_next_one_waits),
        cmocka_unit_test(nothing_is_kept_if_no_wait_takes_it),
        cmocka_unit_test(so_many_are_kept_and_no_more),
        cmocka_unit_test(a_cancelled_instance_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
