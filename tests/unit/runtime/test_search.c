/* Searches: which way they take, and that they never hold up others. */
#include "driver.h"

#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/engine.h"
#include "runtime/entities/entities.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#define SAMPLE "{\"n\":1,\"t\":\"x\",\"tags\":[\"a\"],\"list\":[{\"s\":\"a\"}]}"

static void change(struct driver *d, enum model_action action, const char *value)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (value) call->as.model.sample = call->as.model.list = driver_json(d, value);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static void begin(struct driver *d, const char *indexes)
{
    change(d, MODEL_IMPORT, SAMPLE);
    change(d, MODEL_SET_INDEXES, indexes);
    change(d, MODEL_LOCK, NULL);
}

static void create(struct driver *d, size_t count)
{
    struct call *call = driver_call(d, CALL_WRITE_ENTITIES);
    call->as.entities.item = arena_make_n(&d->arena, struct entity_item, count);
    memset(call->as.entities.item, 0, count * sizeof call->as.entities.item[0]);
    call->as.entities.count = count;
    call->as.entities.transaction = STR("t");
    for (size_t i = 0; i < count; i++)
        call->as.entities.item[i] = (struct entity_item){
            .model = STR("m"),
            .version = 1,
            .data = driver_json(d, arena_printf(&d->arena,
                                                "{\"n\":%zu,\"t\":\"t%zu\",\"tags\":[\"%zu\",\"%zu\"]}", i,
                                                i % 10, i, i + 1)
                                       .p),
        };
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static struct call *search(struct driver *d, const char *condition)
{
    struct call *call = driver_call(d, CALL_SEARCH);
    call->as.search = (struct call_search){
        .name = STR("m"), .version = 1, .condition = driver_json(d, condition), .limit = 10
    };
    return call;
}

#define TEST(path, op, value) \
    "{\"type\":\"simple\",\"jsonPath\":\"" path "\",\"operatorType\":\"" op "\",\"value\":" value "}"
#define GROUP(op, parts) "{\"type\":\"group\",\"operator\":\"" op "\",\"conditions\":[" parts "]}"
#define STATE(value) \
    "{\"type\":\"lifecycle\",\"field\":\"state\",\"operatorType\":\"EQUALS\",\"value\":\"" value "\"}"

/* ---- plans ---- */

static void a_plan_uses_what_is_indexed(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *condition, *uses; /* "": it scans. */
        size_t candidates;
    } cases[] = {
        { TEST("$.n", "EQUALS", "5"), "$.n ", 1 },
        { TEST("n", "EQUALS", "5"), "$.n ", 1 },
        { TEST("$['n']", "EQUALS", "5"), "$.n ", 1 },
        { TEST("$.n", "EQUALS", "null"), "$.n ", 0 },
        { TEST("$.n", "GREATER_OR_EQUAL", "90"), "$.n ", 10 },
        { TEST("$.n", "NOT_EQUAL", "5"), "", 100 },
        { TEST("$.t", "EQUALS", "\"t1\""), "", 100 },
        { TEST("$.tags", "EQUALS", "\"5\""), "$.tags ", 2 },
        { TEST("$.tags[*]", "EQUALS", "\"5\""), "$.tags ", 2 },
        { TEST("$.tags[*]", "IS_NULL", "null"), "", 100 },
        { TEST("$.tags[0]", "EQUALS", "\"5\""), "", 100 },
        { "{\"type\":\"array\",\"jsonPath\":\"$.tags\",\"values\":[null,\"5\"]}", "$.tags ", 2 },
        { STATE("CREATED"), "state ", 100 },
        { STATE("OTHER"), "state ", 0 },
        { GROUP("AND", STATE("CREATED") "," TEST("$.n", "LESS_THAN", "3")), "$.n ", 3 },
        { GROUP("AND", TEST("$.n", "LESS_THAN", "50") "," TEST("$.tags", "EQUALS", "\"5\"")), "$.tags ", 2 },
        { GROUP("AND", TEST("$.t", "EQUALS", "\"t1\"") "," TEST("$.n", "LESS_THAN", "3")), "$.n ", 3 },
        { GROUP("OR", TEST("$.n", "EQUALS", "1") "," TEST("$.n", "EQUALS", "2")), "$.n ", 2 },
        { GROUP("OR", TEST("$.n", "EQUALS", "1") "," TEST("$.tags", "EQUALS", "\"1\"")), "$.n $.tags ", 2 },
        { GROUP("OR", TEST("$.n", "EQUALS", "1") "," TEST("$.t", "EQUALS", "\"t1\"")), "", 100 },
        { GROUP("OR", ""), "", 0 },
        { GROUP("AND", ""), "", 100 },
        { GROUP("AND",
                GROUP("OR", TEST("$.n", "EQUALS", "1") "," TEST("$.n", "EQUALS", "2")) "," STATE("CREATED")),
          "$.n ", 2 },
    };
    begin(d, "[\"$.n\",\"$.tags\"]");
    create(d, 100);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call *call = search(d, cases[i].condition);
        struct buf uses;
        call->as.search.explains = true;
        driver_run(d, call);
        if (call->status != ST_OK) fail_msg("%s: %s", cases[i].condition, call->error.message);
        buf_init(&uses, &d->arena);
        for (size_t k = 0; k < call->value.search.plan->use_count; k++)
            buf_printf(&uses, "%.*s ", STR_ARG(call->value.search.plan->use[k]));
        if (!str_equal(buf_str(&uses), str_of(cases[i].uses)) ||
            call->value.search.candidates != cases[i].candidates)
            fail_msg("%s: %.*s, %zu", cases[i].condition, STR_ARG(buf_str(&uses)),
                     call->value.search.candidates);
    }
}

static void an_index_that_is_built_is_not_used(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    create(d, 5);
    struct call *declare = driver_call(d, CALL_CHANGE_MODEL);
    declare->as.model = (struct call_model){
        .name = STR("m"), .version = 1, .action = MODEL_SET_INDEXES, .list = driver_json(d, "[\"$.n\"]")
    };
    struct call_list list = { 0 };
    d->engine.transact.backlog[BACKLOG_INDEX].hold_ms = INT64_MAX;
    call_list_add(&list, declare);
    engine_turn(&d->engine, &list);
    struct call *call = search(d, TEST("$.n", "EQUALS", "3"));
    driver_run(d, call);
    assert_true(call->value.search.plan->scans);
    assert_int_equal(call->value.search.count, 1);
    d->engine.transact.backlog[BACKLOG_INDEX].hold_ms = 0;
    driver_turn(d);
    driver_turn(d);
    call = driver_run(d, search(d, TEST("$.n", "EQUALS", "3")));
    assert_false(call->value.search.plan->scans);
    assert_int_equal(call->value.search.count, 1);
    assert_true(driver_answered(d, declare));
}

/* ---- turns ---- */

/* A scan is done in parts, and each entity counts as it is when it is looked at. */
static void a_long_search_gives_others_their_turn(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    for (int i = 0; i < 5; i++) create(d, SEARCH_SLICE_MAX / 2);
    struct call *call = search(d, TEST("$.n", "EQUALS", "7"));
    int parts = 1;
    while (queries_part(&d->query, call) == QUERY_AGAIN) parts++;
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.search.count, 5);
    assert_int_equal(parts, 3);
}

static struct call *any_search(struct driver *d) { return search(d, TEST("$.n", "EQUALS", "7")); }

static void a_search_stops_if_its_client_has_left(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    for (int i = 0; i < 3; i++) create(d, SEARCH_SLICE_MAX / 2);
    struct call *call = search(d, TEST("$.n", "EQUALS", "7"));
    assert_int_equal(queries_part(&d->query, call), QUERY_AGAIN);
    call->abandoned = true;
    assert_int_equal(queries_part(&d->query, call), QUERY_ANSWERED);
    assert_string_equal(call->error.message, "the client has left");
}

static struct call *groups(struct driver *d)
{
    struct call *call = driver_call(d, CALL_GROUP_ENTITIES);
    static const str by[] = { STR_INIT("state") };
    call->as.groups = (struct call_groups){ .model = STR("m"),
                                            .version = 1,
                                            .by = by,
                                            .by_count = 1,
                                            .condition = driver_json(d, TEST("$.n", "EQUALS", "7")) };
    return call;
}

/* Everybody waits for a part of each read that takes long. */
static void only_so_many_long_reads_are_under_way(void **state)
{
    struct driver *d = *state;
    static struct call *(*const make[])(struct driver *) = { any_search, groups };
    static const size_t most[] = { 10, GROUPS_CALLS_MAX };
    begin(d, "[]");
    for (int i = 0; i < 3; i++) create(d, SEARCH_SLICE_MAX / 2);
    d->query.limits.long_reads_max = 10;
    for (size_t k = 0; k < COUNT(make); k++) {
        struct call *call[10 + 1];
        for (size_t i = 0; i < most[k]; i++) {
            call[i] = make[k](d);
            assert_int_equal(queries_part(&d->query, call[i]), QUERY_AGAIN);
        }
        call[most[k]] = make[k](d);
        assert_int_equal(queries_part(&d->query, call[most[k]]), QUERY_ANSWERED);
        assert_int_equal(call[most[k]]->status, ST_BUSY);
        assert_string_equal(call[most[k]]->error.code, "SEARCH_QUEUE_FULL");
        assert_non_null(strstr(call[most[k]]->error.message, k ? "GROUPS_CALLS_MAX" : "long_reads_max"));
        call[0]->abandoned = true; /* Its client has left: there is room for another one. */
        assert_int_equal(queries_part(&d->query, call[0]), QUERY_ANSWERED);
        assert_int_equal(queries_part(&d->query, make[k](d)), QUERY_AGAIN);
        while (queries_part(&d->query, call[1]) == QUERY_AGAIN) {
        }
        assert_int_equal(queries_part(&d->query, make[k](d)), QUERY_AGAIN);
        assert_int_equal(queries_part(&d->query, make[k](d)), QUERY_ANSWERED);
    }
}

static void more_than_the_limit_is_an_error(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.n\"]");
    create(d, 11);
    assert_int_equal(driver_run(d, search(d, TEST("$.n", "LESS_THAN", "10")))->value.search.count, 10);
    struct call *call = driver_run(d, search(d, TEST("$.n", "LESS_THAN", "11")));
    assert_int_equal(call->status, ST_INVALID);
    assert_string_equal(call->error.code, "SEARCH_RESULT_LIMIT");
}

/* ---- costly conditions ---- */

/* Each of these patterns takes more steps than a cheap match has, and costs about 10,000 operations. The last
 * part holds for every entity. */
#define SLOW TEST("$.t", "MATCHES_PATTERN", "\"(a+)+\"")
#define SLOW_4 SLOW "," SLOW "," SLOW "," SLOW
#define COSTLY GROUP("OR", SLOW_4 "," SLOW_4 "," SLOW_4 "," TEST("$.n", "GREATER_OR_EQUAL", "0"))

/* COSTLY_FUEL is what the condition costs for one entity, at least. So PER_SLICE of them are a slice. */
enum { COSTLY_FUEL = 120000, COSTLY_COUNT = 12, PER_SLICE = 3 };

static void create_costly(struct driver *d)
{
    struct call *call = driver_call(d, CALL_WRITE_ENTITIES);
    call->as.entities.item = arena_make_n(&d->arena, struct entity_item, COSTLY_COUNT);
    memset(call->as.entities.item, 0, COSTLY_COUNT * sizeof call->as.entities.item[0]);
    call->as.entities.count = COSTLY_COUNT;
    call->as.entities.transaction = STR("t");
    for (size_t i = 0; i < COSTLY_COUNT; i++)
        call->as.entities.item[i] = (struct entity_item){
            .model = STR("m"), .version = 1, .data = driver_json(d, "{\"n\":1,\"t\":\"aaaaaaaaaaaa!\"}")
        };
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

/* Others have their turn after a few entities, not after 200. */
static void a_costly_condition_ends_a_part(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    create_costly(d);
    for (int pages = 0; pages < 2; pages++) {
        struct call *call = search(d, COSTLY);
        int parts = 1;
        call->as.search.limit = 2 * COSTLY_COUNT;
        call->as.search.pages = pages;
        while (queries_part(&d->query, call) == QUERY_AGAIN) parts++;
        if (call->status != ST_OK) fail_msg("%s", call->error.message);
        assert_int_equal(call->value.search.count, COSTLY_COUNT);
        assert_int_equal(call->value.search.next, 0);
        assert_in_range(parts, COSTLY_COUNT / PER_SLICE, COSTLY_COUNT / PER_SLICE + 1);
    }
}

/* The condition is evaluated twice for each entity: when it is found and when it is deleted. */
static void a_costly_removal_takes_several_turns(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    create_costly(d);
    struct call *call = driver_call(d, CALL_REMOVE_ENTITIES);
    struct call_list list = { 0 };
    int64_t spent = 0;
    call->as.removal = (struct call_removal){
        .model = STR("m"), .version = 1, .transaction = STR("t"), .condition = driver_json(d, COSTLY)
    };
    call_list_add(&list, call);
    engine_turn(&d->engine, &list);
    call_list_append(&d->answered, &d->engine.answered);
    int turns = 1;
    for (;; turns++) {
        assert_true(turns < 100);
        assert_true(d->engine.turn.spent < d->limits.turn_fuel_max);
        spent += d->engine.turn.spent;
        if (driver_answered(d, call)) break;
        driver_turn(d);
    }
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    assert_int_equal(call->value.removal.removed, COSTLY_COUNT);
    assert_true(spent >= 2 * COSTLY_COUNT * COSTLY_FUEL);
    assert_true(turns >= COSTLY_COUNT / PER_SLICE);
}

static enum status count_hit(void *context, const struct search_hit *hit, struct error *err)
{
    (void)hit, (void)err;
    ++*(size_t *)context;
    return ST_OK;
}

/* The budget counts entities, not rows. */
static void too_many_entities_are_an_error(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *condition;
        size_t looked; /* Entities that it has to look at. */
    } cases[] = {
        { TEST("$.t", "EQUALS", "\"t3\""), 100 },
        { TEST("$.tags", "NOT_NULL", "null"), 100 }, /* Two rows each. */
        { TEST("$.n", "LESS_THAN", "40"), 40 },
    };
    begin(d, "[\"$.n\",\"$.tags\"]");
    create(d, 100);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t less = 0; less < 2; less++) {
            struct search found;
            struct error err;
            bool more = true;
            size_t hits = 0;
            enum status status = search_begin(&d->query, 1, STR("m"), 1, driver_json(d, cases[i].condition),
                                              cases[i].looked - less, &d->arena, &found, &err);
            assert_int_equal(status, ST_OK);
            while (more && status == ST_OK)
                status = search_go_on(&d->query, &found, count_hit, &hits, &more, &err);
            assert_int_equal(status, less ? ST_INVALID : ST_OK);
            if (!less) assert_true(hits > 0);
            if (less) assert_string_equal(err.code, "SCAN_BUDGET_EXHAUSTED");
        }
}

/* No index is used, and what was created later does not count. */
static void the_past_is_looked_at_as_a_whole(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.n\"]");
    create(d, 40);
    int64_t then_ms = d->now_ms;
    driver_advance(d, 1000);
    create(d, 10);
    for (size_t less = 0; less < 2; less++) {
        struct search found;
        struct error err;
        bool more = true;
        size_t hits = 0;
        enum status status =
            search_begin(&d->query, 1, STR("m"), 1, driver_json(d, TEST("$.n", "LESS_THAN", "7")), 40 - less,
                         &d->arena, &found, &err);
        search_begin_past(&found, then_ms);
        while (more && status == ST_OK)
            status = search_go_on(&d->query, &found, count_hit, &hits, &more, &err);
        assert_int_equal(status, less ? ST_INVALID : ST_OK);
        assert_int_equal(hits, less ? 0 : 7);
        if (less) assert_string_equal(err.code, "SCAN_BUDGET_EXHAUSTED");
    }
}

#define driver_test(function) cmocka_unit_test_setup_teardown(function, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        driver_test(a_plan_uses_what_is_indexed),
        driver_test(an_index_that_is_built_is_not_used),
        driver_test(a_long_search_gives_others_their_turn),
        driver_test(more_than_the_limit_is_an_error),
        driver_test(too_many_entities_are_an_error),
        driver_test(the_past_is_looked_at_as_a_whole),
        driver_test(a_costly_condition_ends_a_part),
        driver_test(a_costly_removal_takes_several_turns),
        driver_test(a_search_stops_if_its_client_has_left),
        driver_test(only_so_many_long_reads_are_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
