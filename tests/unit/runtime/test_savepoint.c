/* Savepoints: the failure of an ASYNC_NEW_TX processor undoes what it has written by its token, and no more.
 */
#include "join_driver.h"

#define ASIDE(name) PROCESSOR(name, "ASYNC_NEW_TX")
#define CHECKED(name, next, function)                                                                    \
    "{\"name\":\"" name "\",\"next\":\"" next "\",\"manual\":true,\"criterion\":{\"type\":\"function\"," \
    "\"function\":{\"name\":\"" function "\"}}}"
/* GO has the processors; NEST and INSIDE have one of their own, which holds or is a savepoint. */
#define STATES(processors)                                                          \
    WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", processors) "," BY_HAND( \
        "NEST", "B",                                                                \
        SYNC("n")) "," BY_HAND("INSIDE", "B",                                       \
                               ASIDE("i")) "," BY_HAND("PLAIN", "C",                \
                                                       "") "," CHECKED("ASK", "C",  \
                                                                       "f") "]},\"B\":{},\"C\":{}")

/* The warning of the entity's audit, or "". */
static const char *warning(struct driver *d, struct uuid id)
{
    struct call *call = driver_call(d, CALL_LIST_AUDIT);
    call->as.audit =
        (struct call_audit){ .id = id, .severity = AUDIT_WARNING, .to_ms = INT64_MAX, .max = 20 };
    driver_run(d, call);
    assert_int_equal(call->status, ST_OK);
    if (!call->value.audit.count) return "";
    return arena_printf(&d->arena, "%.*s", STR_ARG(call->value.audit.item[0].event.details)).p;
}

static void a_failure_undoes_what_the_processor_wrote(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p") "," ASIDE("q")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), e = created(d, "{\"n\":5}");
    struct job_view first = go(d, a, &call);
    assert_int_equal(join_update(d, first, b, "", "{\"n\":21}"), ST_OK); /* That stays. */
    assert_int_equal(compute(d, first, "{}"), ST_OK);
    struct job_view job = polled(d);
    assert_true(str_equal(job.type, STR("q")));
    assert_string_equal(seen(d, job, b), "{\"n\":21}");
    struct uuid c = join_create(d, job, "{\"n\":3}");
    assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":22}"), ST_OK);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":23}"), ST_OK);
    assert_int_equal(join_update(d, job, e, "", "{\"n\":55}"), ST_OK);
    assert_int_equal(join_update(d, job, a, "", "{\"n\":11}"), ST_OK); /* The one that it works for. */
    assert_string_equal(seen(d, job, c), "{\"n\":3}");
    assert_int_equal(compute_fails(d, job), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":21}");
    assert_string_equal(stored(d, c), "");
    assert_string_equal(stored(d, e), "A {\"n\":5}");
    assert_non_null(
        strstr(warning(d, a), "5 changes that the processor made in the transaction were undone"));
    assert_int_equal(driver_run(d, update_call(d, e, "PLAIN", NULL))->status, ST_OK); /* It is free again. */
    driver_check(d);
}

static void a_success_keeps_what_the_processor_wrote(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(ASIDE("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct uuid c = join_create(d, job, "{\"n\":3}");
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":9,\"unknown\":1}}"), ST_OK); /* Discarded. */
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":22}");
    assert_string_equal(stored(d, c), "A {\"n\":3}");
    driver_check(d);
}

static void what_follows_sees_what_is_left(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(ASIDE("p") "," ASIDE("q") "," SYNC("r")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call), late = job;
    assert_int_equal(join_update(d, job, b, "", "{\"n\":21}"), ST_OK);
    assert_int_equal(compute_fails(d, job), ST_OK);
    job = polled(d);
    assert_string_equal(seen(d, job, b), "{\"n\":2}");
    refused(d, joined(update_call(d, b, "", "{\"n\":20}"), late), "TRANSACTION_NOT_FOUND");
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    job = polled(d);
    assert_string_equal(seen(d, job, b), "{\"n\":22}");
    assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":23}"), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "C {\"n\":23}");
    driver_check(d);
}

/* Another processor fails the whole write, also what a savepoint has left. */
static void a_failure_of_the_write_undoes_savepoints(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(ASIDE("p") "," SYNC("q")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    ended(d, call, ST_INVALID);
    assert_string_equal(stored(d, a), "A {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    driver_check(d);
}

/* Two savepoints are open at the same time: what one has changed the other leaves alone until it is over. */
static void savepoints_beside_each_other_do_not_mix(void **state)
{
    struct driver *d = *state;
    begin(d, STATES(ASIDE("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct call *call = write_call(d, 2);
    call->as.entities.item[0] = update_call(d, a, "GO", NULL)->as.entities.item[0];
    call->as.entities.item[1] = update_call(d, b, "GO", NULL)->as.entities.item[0];
    driver_submit(d, call);
    struct job_view one = polled(d), two = polled(d);
    assert_int_equal(join_update(d, one, c, "", "{\"n\":31}"), ST_OK);
    refused(d, joined(update_call(d, c, "", "{\"n\":32}"), two), "CONFLICT");
    assert_int_equal(compute_fails(d, one), ST_OK);
    assert_false(driver_answered(d, call));
    assert_string_equal(seen(d, two, c), "{\"n\":3}");
    assert_int_equal(join_update(d, two, c, "", "{\"n\":32}"), ST_OK);
    assert_int_equal(compute(d, two, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, c), "A {\"n\":32}");
    driver_check(d);
}

/* ---- nested ---- */

static void a_failure_inside_fails_the_savepoint_alone(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(ASIDE("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, c, "", "{\"n\":33}"), ST_OK);
    struct call *nested = joined(update_call(d, b, "NEST", "{\"n\":22}"), job);
    driver_submit(d, nested);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    ended(d, nested, ST_INVALID);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_string_equal(stored(d, c), "A {\"n\":3}");
    assert_non_null(strstr(warning(d, a), "a write that it made failed"));
    driver_check(d);
}

static void a_savepoint_ends_what_waits_inside_it(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(ASIDE("p") "," SYNC("q")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct call *nested = joined(update_call(d, b, "NEST", "{\"n\":22}"), job);
    driver_submit(d, nested);
    struct job_view inner = polled(d);
    assert_int_equal(compute_fails(d, job), ST_OK);
    ended(d, nested, ST_INVALID);
    refused(d, joined(create_call(d, "{}"), inner), "TRANSACTION_NOT_FOUND");
    struct job_view next = polled(d);
    assert_true(str_equal(next.type, STR("q")));
    nested = joined(update_call(d, b, "NEST", "{\"n\":23}"), next); /* The same number, another job. */
    driver_submit(d, nested);
    struct job_view again = polled(d);
    assert_int_equal(again.number, inner.number);
    refused(d, joined(create_call(d, "{}"), inner), "TRANSACTION_NOT_FOUND");
    assert_int_equal(compute(d, again, "{}"), ST_OK);
    ended(d, nested, ST_OK);
    assert_int_equal(compute(d, next, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "B {\"n\":23}");
    driver_check(d);
}

/* p has a write with the savepoint i inside: i keeps or undoes its own, and p keeps or undoes both. */
static void savepoints_nest(void **state)
{
    struct driver *d = *state;
    static const struct {
        bool inner_fails, outer_fails;
        const char *b, *c, *e;
    } cases[] = {
        { false, false, "B {\"n\":22}", "A {\"n\":33}", "A {\"n\":55}" },
        { true, false, "B {\"n\":22}", "A {\"n\":31}", "A {\"n\":5}" },
        { false, true, "A {\"n\":2}", "A {\"n\":3}", "A {\"n\":5}" },
        { true, true, "A {\"n\":2}", "A {\"n\":3}", "A {\"n\":5}" },
    };
    begin(d, STATES(ASIDE("p")));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call *call;
        struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}"),
                    e = created(d, "{\"n\":5}");
        struct job_view outer = go(d, a, &call);
        assert_int_equal(join_update(d, outer, c, "", "{\"n\":31}"), ST_OK);
        struct call *nested = joined(update_call(d, b, "INSIDE", "{\"n\":22}"), outer);
        driver_submit(d, nested);
        struct job_view inner = polled(d);
        assert_int_equal(join_update(d, inner, c, "", "{\"n\":33}"), ST_OK);
        assert_int_equal(join_update(d, inner, e, "", "{\"n\":55}"), ST_OK);
        refused(d, joined(update_call(d, e, "", "{\"n\":56}"), outer), "CONFLICT");
        assert_int_equal(cases[i].inner_fails ? compute_fails(d, inner) : compute(d, inner, "{}"), ST_OK);
        ended(d, nested, ST_OK);
        assert_int_equal(cases[i].outer_fails ? compute_fails(d, outer) : compute(d, outer, "{}"), ST_OK);
        ended(d, call, ST_OK);
        assert_string_equal(stored(d, b), cases[i].b);
        assert_string_equal(stored(d, c), cases[i].c);
        assert_string_equal(stored(d, e), cases[i].e);
    }
    driver_check(d);
}

/* ---- functions ---- */

static void a_function_sees_its_transaction(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    struct call *nested = joined(update_call(d, c, "ASK", "{\"n\":33}"), job);
    driver_submit(d, nested);
    struct job_view function = polled(d);
    assert_true(str_equal(function.type, STR("f")));
    assert_string_equal(seen(d, function, b), "{\"n\":22}");
    assert_string_equal(seen(d, function, c), "{\"n\":33}");
    assert_int_equal(compute(d, function, "{\"matches\":true}"), ST_OK);
    ended(d, nested, ST_OK);
    assert_string_equal(seen(d, function, b), "TRANSACTION_NOT_FOUND");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, c), "C {\"n\":33}");
    driver_check(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_failure_undoes_what_the_processor_wrote),
        DRIVER_TEST(a_success_keeps_what_the_processor_wrote),
        DRIVER_TEST(what_follows_sees_what_is_left),
        DRIVER_TEST(a_failure_of_the_write_undoes_savepoints),
        DRIVER_TEST(savepoints_beside_each_other_do_not_mix),
        DRIVER_TEST(a_failure_inside_fails_the_savepoint_alone),
        DRIVER_TEST(a_savepoint_ends_what_waits_inside_it),
        DRIVER_TEST(savepoints_nest),
        DRIVER_TEST(a_function_sees_its_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
