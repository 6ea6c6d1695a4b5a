/* Transactions of processors: what a processor writes by its token is committed or dropped with the write
 * that waits for it. */
#include "join_driver.h"

#define NEW_TX(name) \
    "{\"name\":\"" name "\",\"executionMode\":\"COMMIT_BEFORE_DISPATCH\",\"startNewTxOnDispatch\":true}"
/* GO has the processors, NEST has a held one of its own, PLAIN has none. */
#define STATES(processors)                                                          \
    WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", processors) "," BY_HAND( \
        "NEST", "B", SYNC("n")) "," BY_HAND("PLAIN", "C",                           \
                                            "") "," BY_HAND("LATER", "C",           \
                                                            COMMITS("l")) "]},\"B\":{},\"C\":{}")

/* ---- processors that hold ---- */

static void writes_of_a_processor_are_committed_with_its_write(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_true(job.token.n > 0);
    struct uuid c = join_create(d, job, "{\"n\":3}");
    assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":22}"), ST_OK);
    assert_int_equal(join_update(d, job, c, "", "{\"n\":33}"), ST_OK); /* What it has created itself. */
    assert_string_equal(seen(d, job, b), "{\"n\":22}");
    assert_string_equal(seen(d, job, c), "{\"n\":33}");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_string_equal(stored(d, c), "");
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":11}}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":11}");
    assert_string_equal(stored(d, b), "C {\"n\":22}");
    assert_string_equal(stored(d, c), "A {\"n\":33}");
    driver_check(d);
    driver_restart(d);
    assert_string_equal(stored(d, c), "A {\"n\":33}");
    driver_check(d);
}

/* The numbers of what a search finds, in order; or the code of its error. */
static const char *found(struct driver *d, str token, const char *op, int value, size_t limit,
                         const char *sort)
{
    struct call *call = driver_call(d, CALL_SEARCH);
    struct buf text;
    call->as.search = (struct call_search){ .name = STR("m"), .version = 1, .limit = limit, .token = token };
    call->as.search.sort = str_of(sort);
    call->as.search.condition = driver_json(
        d, arena_printf(&d->arena,
                        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"%s\",\"value\":%d}%c",
                        op, value, '\0')
               .p);
    driver_run(d, call);
    if (call->status != ST_OK) return call->error.code ? call->error.code : "";
    buf_init(&text, &d->arena);
    for (size_t i = 0; i < call->value.search.count; i++)
        buf_printf(&text, "%s%s", i ? " " : "",
                   driver_text(d, json_get(call->value.search.view[i].data, STR("n"))));
    buf_add_char(&text, '\0');
    return buf_str(&text).p;
}

static void a_search_sees_what_its_transaction_has_changed(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    created(d, "{\"n\":4}");
    struct job_view job = go(d, a, &call);
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "1 2 3 4");
    join_create(d, job, "{\"n\":5}");
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    struct call *removal = joined(write_call(d, 1), job);
    removal->as.entities.item[0] = (struct entity_item){ .action = ENTITY_DELETE, .id = c };
    assert_int_equal(driver_run(d, removal)->status, ST_OK);
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "1 22 4 5");
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 4, "$.n:desc"), "22 5 4 1");
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 3, ""), "SEARCH_RESULT_LIMIT");
    assert_string_equal(found(d, job.token, "LESS_THAN", 4, 1, ""),
                        "1"); /* Three fit where nobody has joined. */
    assert_string_equal(found(d, STR_NONE, "GREATER_THAN", 0, 9, ""), "1 2 3 4");
    assert_string_equal(found(d, STR("x"), "GREATER_THAN", 0, 9, ""), "TRANSACTION_NOT_FOUND");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "TRANSACTION_NOT_FOUND");
    assert_string_equal(found(d, STR_NONE, "GREATER_THAN", 0, 9, ""), "1 22 4 5");
    driver_check(d);
}

/* It cannot be continued in another turn, and nobody may wait for long. */
static void a_costly_search_in_a_transaction_is_refused(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}");
    struct job_view job = go(d, a, &call);
    join_create(d, job, "{\"n\":2}");
    join_create(d, job, "{\"n\":3}");
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "1 2 3");
    int64_t fuel = d->engine.limits.turn_fuel_max;
    d->engine.limits.turn_fuel_max = 1;
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "INVALID_CONDITION");
    d->engine.limits.turn_fuel_max = fuel;
    assert_string_equal(found(d, job.token, "GREATER_THAN", 0, 9, ""), "1 2 3");
}

static void writes_of_a_processor_are_dropped_with_its_write(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct uuid c = join_create(d, job, "{\"n\":3}");
    assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":22}"), ST_OK);
    assert_int_equal(compute_fails(d, job), ST_OK);
    ended(d, call, ST_INVALID);
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_string_equal(stored(d, c), "");
    assert_int_equal(driver_run(d, update_call(d, b, "PLAIN", NULL))->status, ST_OK); /* It is free again. */
    driver_check(d);
}

static void a_write_that_fails_leaves_the_others(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    refused(d, joined(update_call(d, b, "NO", "{\"n\":23}"), job), "TRANSITION_NOT_FOUND");
    refused(d, joined(update_call(d, b, "", "{\"n\":\"x\"}"), job), "INCOMPATIBLE_TYPE");
    struct call *two = joined(write_call(d, 2), job); /* Both or none. */
    two->as.entities.item[0] = update_call(d, b, "", "{\"n\":24}")->as.entities.item[0];
    two->as.entities.item[1] = update_call(d, b, "NO", NULL)->as.entities.item[0];
    refused(d, two, "TRANSITION_NOT_FOUND");
    assert_string_equal(seen(d, job, b), "{\"n\":22}");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "A {\"n\":22}");
    driver_check(d);
}

static void the_result_wins_over_a_write_of_the_same_entity(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, a, "", "{\"n\":10}"), ST_OK);
    assert_string_equal(seen(d, job, a), "{\"n\":10}");
    refused(d, joined(update_call(d, a, "PLAIN", NULL), job), "CONFLICT");
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":11}}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":11}");
    job = go(d, b, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":20}"), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "B {\"n\":20}");
    driver_check(d);
}

static void an_entity_is_in_one_transaction(void **state)
{
    struct driver *d = *state;
    struct call *first, *second;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct job_view one = go(d, a, &first), two = go(d, b, &second);
    refused(d, joined(update_call(d, b, "", "{\"n\":9}"), one), "CONFLICT");
    assert_int_equal(join_update(d, one, c, "", "{\"n\":33}"), ST_OK);
    refused(d, joined(update_call(d, c, "", "{\"n\":9}"), two), "CONFLICT");
    refused(d, update_call(d, c, "", "{\"n\":9}"), "CONFLICT");
    assert_string_equal(seen(d, two, c), "{\"n\":3}"); /* Nobody sees what another has not committed. */
    assert_int_equal(compute(d, two, "{}"), ST_OK);
    assert_int_equal(compute(d, one, "{}"), ST_OK);
    ended(d, first, ST_OK);
    ended(d, second, ST_OK);
    assert_string_equal(stored(d, c), "A {\"n\":33}");
    driver_check(d);
}

/* The processor waits for its write, which waits for another processor: only then it can answer. */
static void a_write_with_a_processor_of_its_own_joins(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct call *nested = joined(update_call(d, b, "NEST", "{\"n\":22}"), job);
    driver_submit(d, nested);
    assert_false(driver_answered(d, nested));
    struct job_view inner = polled(d);
    assert_true(str_equal(inner.type, STR("n")));
    struct uuid c = join_create(d, inner, "{\"n\":3}"); /* By the inner processor's own token. */
    assert_int_equal(compute(d, inner, "{\"data\":{\"n\":23}}"), ST_OK);
    ended(d, nested, ST_OK);
    assert_false(driver_answered(d, call));
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "B {\"n\":23}");
    assert_string_equal(stored(d, c), "A {\"n\":3}");
    driver_check(d);
}

static void a_failure_inside_undoes_everything(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct call *nested = joined(update_call(d, b, "NEST", "{\"n\":22}"), job);
    driver_submit(d, nested);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    ended(d, nested, ST_INVALID);
    ended(d, call, ST_INVALID);
    assert_string_equal(stored(d, a), "A {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    refused(d, joined(create_call(d, "{}"), job), "TRANSACTION_NOT_FOUND");
    driver_check(d);
}

/* A commit point inside of another transaction cannot commit: its task begins when that is written. */
static void a_commit_point_waits_for_the_transaction(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "LATER", "{\"n\":22}"), ST_OK);
    nothing_to_compute(d);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    struct job_view later = polled(d);
    assert_true(str_equal(later.type, STR("l")));
    assert_int_equal(compute(d, later, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "C {\"n\":22}");
    driver_check(d);
}

/* ---- tokens ---- */

static void a_token_ends_with_its_transaction(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call), bad = job;
    bad.token = STR("00000000000000010000000100000000000000000000000000000000");
    refused(d, joined(create_call(d, "{}"), bad), "TRANSACTION_NOT_FOUND");
    bad.token = STR("nonsense");
    refused(d, joined(create_call(d, "{}"), bad), "TRANSACTION_NOT_FOUND");
    assert_string_equal(seen(d, bad, b), "TRANSACTION_NOT_FOUND");
    struct call *keyed = joined(create_call(d, "{}"), job);
    keyed->idempotency_key = STR("k");
    refused(d, keyed, "BAD_REQUEST");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    refused(d, joined(update_call(d, b, "", NULL), job), "TRANSACTION_NOT_FOUND");
    assert_string_equal(seen(d, job, b), "TRANSACTION_NOT_FOUND");
    driver_check(d);
}

/* A transaction that was dropped leaves no trace in the entity: the next one gives its job the same number.
 */
static void a_token_of_a_dropped_transaction_joins_no_other(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(SYNC("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view late = go(d, a, &call);
    assert_int_equal(compute_fails(d, late), ST_OK);
    ended(d, call, ST_INVALID);
    struct job_view job = go(d, a, &call);
    assert_int_equal(job.number, late.number);
    refused(d, joined(create_call(d, "{}"), late), "TRANSACTION_NOT_FOUND");
    refused(d, joined(update_call(d, b, "", "{\"n\":9}"), late), "TRANSACTION_NOT_FOUND");
    assert_string_equal(seen(d, late, b), "TRANSACTION_NOT_FOUND");
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    assert_string_equal(seen(d, late, b), "TRANSACTION_NOT_FOUND");
    assert_string_equal(seen(d, job, b), "{\"n\":22}");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "A {\"n\":22}");
    driver_check(d);
}

static void only_some_processors_have_a_token(void **state)
{
    static const struct {
        const char *processor;
        bool has;
    } cases[] = { { SYNC("p"), true },
                  { PROCESSOR("p", "ASYNC_SAME_TX"), true },
                  { PROCESSOR("p", "ASYNC_NEW_TX"), true },
                  { COMMITS("p"), false },
                  { NEW_TX("p"), true } };
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(""));
    for (size_t i = 0; i < COUNT(cases); i++) {
        import(d, arena_printf(&d->arena,
                               "[{\"name\":\"w\",\"initialState\":\"A\",\"states\":{\"A\":{\"transitions\":[{"
                               "\"name\":\"GO\",\"next\":\"B\",\"manual\":true,\"processors\":[%s]}]},"
                               "\"B\":{}}}]",
                               cases[i].processor)
                      .p);
        struct job_view job = go(d, created(d, "{\"n\":1}"), &call);
        assert_int_equal(job.token.n > 0, cases[i].has);
        assert_int_equal(compute(d, job, "{}"), ST_OK);
        ended(d, call, ST_OK);
    }
    driver_check(d);
}

/* ---- processors behind a commit point ---- */

static void a_new_transaction_is_committed_with_the_result(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(NEW_TX("p") "," SYNC("q")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct uuid c = join_create(d, job, "{\"n\":3}");
    assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":22}"), ST_OK);
    assert_int_equal(join_update(d, job, a, "", "{\"n\":10}"), ST_OK);
    refused(d, update_call(d, b, "", "{\"n\":9}"), "CONFLICT");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    assert_string_equal(stored(d, b), "A {\"n\":2}"); /* The next processor belongs to it, too. */
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":10}");
    assert_string_equal(stored(d, b), "C {\"n\":22}");
    assert_string_equal(stored(d, c), "A {\"n\":3}");
    driver_check(d);
}

static void a_new_transaction_is_dropped_with_the_failure(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(NEW_TX("p") "," SYNC("q")));
    for (int fails_second = 0; fails_second < 2; fails_second++) {
        struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
        struct job_view job = go(d, a, &call);
        struct uuid c = join_create(d, job, "{\"n\":3}");
        assert_int_equal(join_update(d, job, b, "PLAIN", "{\"n\":22}"), ST_OK);
        assert_int_equal(join_update(d, job, a, "", "{\"n\":10}"), ST_OK);
        if (fails_second) assert_int_equal(compute(d, job, "{\"data\":{\"n\":11}}"), ST_OK);
        assert_int_equal(compute_fails(d, fails_second ? polled(d) : job), ST_OK);
        ended(d, call, ST_INVALID);
        assert_string_equal(stored(d, a), "A {\"n\":1}");
        assert_string_equal(stored(d, b), "A {\"n\":2}");
        assert_string_equal(stored(d, c), "");
        assert_int_equal(driver_run(d, update_call(d, b, "PLAIN", NULL))->status, ST_OK);
        assert_int_equal(driver_run(d, update_call(d, a, "PLAIN", NULL))->status, ST_OK);
        nothing_to_compute(d);
    }
    driver_check(d);
}

static void another_transition_drops_a_new_transaction(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(NEW_TX("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    assert_int_equal(driver_run(d, update_call(d, a, "PLAIN", NULL))->status, ST_OK);
    ended(d, call, ST_CONFLICT);
    refused(d, joined(update_call(d, b, "", NULL), job), "TRANSACTION_NOT_FOUND");
    assert_int_equal(driver_run(d, update_call(d, b, "", "{\"n\":5}"))->status, ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK); /* Too late, and no error. */
    assert_string_equal(stored(d, a), "C {\"n\":1}");
    driver_check(d);
}

static void a_crash_begins_a_new_transaction_again(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(NEW_TX("p")));
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
    driver_restart(d);
    assert_true(driver_answered(d, call));
    refused(d, joined(update_call(d, b, "", NULL), job), "TRANSACTION_NOT_FOUND"); /* Of another engine. */
    struct job_view again = polled(d);
    assert_int_equal(again.number, job.number);
    assert_int_equal(join_update(d, again, b, "", "{\"n\":23}"), ST_OK);
    assert_int_equal(compute(d, again, "{}"), ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":23}");
    driver_check(d);
}

static void a_transaction_does_not_wait_for_ever(void **state)
{
    static const char *const processors[] = { SYNC("p"), NEW_TX("p") };
    struct driver *d = *state;
    struct call *call;
    begin(d, STATES(""));
    for (size_t i = 0; i < COUNT(processors); i++) {
        import(d, i ? STATES(NEW_TX("p")) : STATES(SYNC("p")));
        struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
        struct job_view job = go(d, a, &call);
        driver_advance(d, 20000);
        assert_int_equal(join_update(d, job, b, "", "{\"n\":22}"), ST_OK);
        driver_advance(d, 60000);
        ended(d, call, ST_INVALID);
        assert_string_equal(stored(d, b), "A {\"n\":2}");
        assert_int_equal(driver_run(d, update_call(d, b, "PLAIN", NULL))->status, ST_OK);
    }
    driver_check(d);
}

static void a_transaction_has_a_limit(void **state)
{
    struct driver *d = *state;
    struct call *call;
    size_t many = 1000;
    begin(d, STATES(SYNC("p")));
    struct job_view job = go(d, created(d, "{\"n\":1}"), &call);
    enum status status = ST_OK;
    for (int round = 0; round < 6 && status == ST_OK; round++) {
        struct call *list = joined(write_call(d, many), job);
        for (size_t i = 0; i < many; i++)
            list->as.entities.item[i] = create_call(d, "{\"n\":1}")->as.entities.item[0];
        status = driver_run(d, list)->status;
        assert_int_equal(status, round < 4 ? ST_OK : ST_LIMIT);
    }
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    driver_check(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(writes_of_a_processor_are_committed_with_its_write),
        DRIVER_TEST(a_search_sees_what_its_transaction_has_changed),
        DRIVER_TEST(a_costly_search_in_a_transaction_is_refused),
        DRIVER_TEST(writes_of_a_processor_are_dropped_with_its_write),
        DRIVER_TEST(a_write_that_fails_leaves_the_others),
        DRIVER_TEST(the_result_wins_over_a_write_of_the_same_entity),
        DRIVER_TEST(an_entity_is_in_one_transaction),
        DRIVER_TEST(a_write_with_a_processor_of_its_own_joins),
        DRIVER_TEST(a_failure_inside_undoes_everything),
        DRIVER_TEST(a_commit_point_waits_for_the_transaction),
        DRIVER_TEST(a_token_ends_with_its_transaction),
        DRIVER_TEST(a_token_of_a_dropped_transaction_joins_no_other),
        DRIVER_TEST(only_some_processors_have_a_token),
        DRIVER_TEST(a_new_transaction_is_committed_with_the_result),
        DRIVER_TEST(a_new_transaction_is_dropped_with_the_failure),
        DRIVER_TEST(another_transition_drops_a_new_transaction),
        DRIVER_TEST(a_crash_begins_a_new_transaction_again),
        DRIVER_TEST(a_transaction_does_not_wait_for_ever),
        DRIVER_TEST(a_transaction_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
