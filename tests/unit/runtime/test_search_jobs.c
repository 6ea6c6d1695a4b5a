/* Searches beside others: in slices, across restarts, cancelled, gone after an hour. */
#include "driver.h"

#include "runtime/entities/search_jobs.h"
#include "store/store_int.h"

static void change(struct driver *d, enum model_action action, const char *value)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (value) call->as.model.sample = call->as.model.list = driver_json(d, value);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static void create_of(struct driver *d, size_t count, const char *rest)
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
            .data = driver_json(d, arena_printf(&d->arena, "{\"n\":%zu%s}", i, rest).p),
        };
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static void create(struct driver *d, size_t count) { create_of(d, count, ""); }

enum { ENTITIES = 2 * SEARCH_RECORD_HITS + 100 };

static void begin_model(struct driver *d, const char *indexes)
{
    change(d, MODEL_IMPORT, "{\"n\":1}");
    change(d, MODEL_SET_INDEXES, indexes);
    change(d, MODEL_LOCK, NULL);
    for (size_t left = ENTITIES; left; left -= left < 500 ? left : 500) create(d, left < 500 ? left : 500);
}

#define ABOVE(value) \
    "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"GREATER_OR_EQUAL\",\"value\":" value "}"

static struct call *begin_call(struct driver *d, const char *id, const char *condition)
{
    struct call *call = driver_call(d, CALL_BEGIN_SEARCH);
    call->as.search_job = (struct call_search_job){
        .id = str_of(id), .name = STR("m"), .version = 1, .condition = driver_json(d, condition)
    };
    return call;
}

static void begin(struct driver *d, const char *id, const char *condition)
{
    struct call *call = begin_call(d, id, condition);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static struct answer_search_job get(struct driver *d, const char *id)
{
    struct call *call = driver_call(d, CALL_GET_SEARCH);
    call->as.search_job.id = str_of(id);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->value.search_job;
}

static const char *code_of(struct driver *d, enum call_kind kind, const char *id)
{
    struct call *call = driver_call(d, kind);
    call->as.search_job.id = str_of(id);
    driver_run(d, call);
    return call->status == ST_OK ? "" : call->error.code;
}

/* The numbers on a page. */
static size_t page(struct driver *d, const char *id, size_t skip, size_t max, int64_t *ret_first)
{
    struct call *call = driver_call(d, CALL_GET_SEARCH);
    call->as.search_job =
        (struct call_search_job){ .id = str_of(id), .pages = true, .skip = skip, .max = max };
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    if (call->value.search_job.count)
        assert_true(json_int64(json_get(call->value.search_job.view->data, STR("n")), ret_first));
    return call->value.search_job.count;
}

static void run(struct driver *d)
{
    for (int turns = 0; d->engine.transact.backlog[BACKLOG_SEARCH].due; turns++) {
        assert_true(turns < 1000);
        driver_turn(d);
    }
}

static void hits_are_kept_in_order(void **state)
{
    struct driver *d = *state;
    begin_model(d, "[]");
    begin(d, "a", ABOVE("0"));
    assert_int_equal(get(d, "a").state, SEARCH_RUNNING);
    run(d);
    struct answer_search_job job = get(d, "a");
    assert_int_equal(job.state, SEARCH_SUCCESSFUL);
    assert_int_equal(job.total, ENTITIES);
    int64_t first = -1;
    assert_int_equal(page(d, "a", SEARCH_RECORD_HITS - 2, 4, &first), 4);
    assert_int_equal(first, SEARCH_RECORD_HITS - 2);
    assert_int_equal(page(d, "a", 0, ENTITIES + 5, &first), ENTITIES);
    assert_int_equal(page(d, "a", ENTITIES - 1, 10, &first), 1);
    assert_int_equal(page(d, "a", ENTITIES, 10, &first), 0);
    driver_check(d);
}

/* What was found before the restart is found again, not twice. */
static void a_restart_begins_it_anew(void **state)
{
    struct driver *d = *state;
    begin_model(d, "[\"$.n\"]");
    begin(d, "a", ABOVE("0"));
    begin(d, "b", ABOVE("100"));
    while (get(d, "a").total < SEARCH_RECORD_HITS) driver_turn(d);
    assert_int_equal(get(d, "a").state, SEARCH_RUNNING);
    driver_restart(d);
    run(d);
    assert_int_equal(get(d, "a").total, ENTITIES);
    assert_int_equal(get(d, "a").state, SEARCH_SUCCESSFUL);
    assert_int_equal(get(d, "b").state, SEARCH_SUCCESSFUL);
    driver_restart(d);
    int64_t first;
    assert_int_equal(page(d, "a", 0, ENTITIES, &first), ENTITIES);
    assert_int_equal(page(d, "b", 0, 1, &first), 1);
    assert_int_equal(first, 100);
}

static void a_search_is_cancelled(void **state)
{
    struct driver *d = *state;
    begin_model(d, "[]");
    begin(d, "a", ABOVE("0"));
    begin(d, "b", ABOVE("0"));
    while (get(d, "a").total < SEARCH_RECORD_HITS) driver_turn(d);
    assert_string_equal(code_of(d, CALL_CANCEL_SEARCH, "a"), "");
    assert_string_equal(code_of(d, CALL_CANCEL_SEARCH, "a"), "SEARCH_JOB_ALREADY_TERMINAL");
    assert_string_equal(code_of(d, CALL_CANCEL_SEARCH, "x"), "SEARCH_JOB_NOT_FOUND");
    run(d);
    assert_int_equal(get(d, "a").state, SEARCH_CANCELLED);
    assert_int_equal(get(d, "b").state, SEARCH_SUCCESSFUL);
    struct call *call = driver_call(d, CALL_GET_SEARCH);
    call->as.search_job = (struct call_search_job){ .id = STR("a"), .pages = true, .max = 1 };
    assert_int_equal(driver_run(d, call)->status, ST_INVALID);
}

static void a_search_whose_model_is_gone_fails(void **state)
{
    struct driver *d = *state;
    change(d, MODEL_IMPORT, "{\"n\":1}");
    struct call *call = begin_call(d, "a", ABOVE("0"));
    struct call_list list = { 0 };
    assert_true(queries_call(&d->query, call)); /* It was right when it was asked for. */
    change(d, MODEL_REMOVE, NULL);
    call_list_add(&list, call);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    assert_true(driver_answered(d, call));
    run(d);
    struct answer_search_job job = get(d, "a");
    assert_int_equal(job.state, SEARCH_FAILED);
    assert_true(job.reason.n > 0);
}

static void only_so_many_wait(void **state)
{
    struct driver *d = *state;
    change(d, MODEL_IMPORT, "{\"n\":1}");
    struct call_list list = { 0 };
    struct call *call[SEARCH_JOBS_MAX + 1];
    for (int i = 0; i <= SEARCH_JOBS_MAX; i++) {
        call[i] = begin_call(d, arena_printf(&d->arena, "%d", i).p, ABOVE("0"));
        assert_true(queries_call(&d->query, call[i]));
        call_list_add(&list, call[i]);
    }
    engine_turn(&d->engine, &list);
    for (int turns = 0; turns < 1000 && !driver_answered(d, call[SEARCH_JOBS_MAX]); turns++) driver_turn(d);
    assert_int_equal(call[SEARCH_JOBS_MAX - 1]->status, ST_OK);
    assert_int_equal(call[SEARCH_JOBS_MAX]->status, ST_BUSY);
    assert_string_equal(call[SEARCH_JOBS_MAX]->error.code, "SEARCH_QUEUE_FULL");
    run(d);
    assert_int_equal(get(d, "99").state, SEARCH_SUCCESSFUL);
    for (int i = 0; i < SEARCH_JOBS_MAX; i++) assert_true(driver_answered(d, call[i]));
}

/* A condition that costs about 120,000 operations for each entity: a turn looks at a few entities, and is
 * charged for them. */
static void a_costly_condition_takes_several_turns(void **state)
{
    enum { FUEL = 120000, COUNT_ALL = 12, PER_SLICE = 3 };
    struct driver *d = *state;
    struct buf condition;
    change(d, MODEL_IMPORT, "{\"n\":1,\"t\":\"x\"}");
    change(d, MODEL_LOCK, NULL);
    create_of(d, COUNT_ALL, ",\"t\":\"aaaaaaaaaaaa!\"");
    buf_init(&condition, &d->arena);
    buf_printf(&condition, "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[");
    for (int i = 0; i < FUEL / 10000; i++) /* More steps than a cheap match has: 10,000 operations. */
        buf_printf(&condition, "{\"type\":\"simple\",\"jsonPath\":\"$.t\",\"operatorType\":"
                               "\"MATCHES_PATTERN\",\"value\":\"(a+)+\"},");
    buf_printf(&condition, ABOVE("0") "]}%c", 0);
    begin(d, "a", buf_str(&condition).p);
    int64_t spent = d->engine.turn.spent;
    int turns = 0;
    for (; d->engine.transact.backlog[BACKLOG_SEARCH].due; turns++) {
        assert_true(turns < 100);
        driver_turn(d);
        assert_true(d->engine.turn.spent < d->limits.turn_fuel_max);
        spent += d->engine.turn.spent;
    }
    assert_true(turns >= COUNT_ALL / PER_SLICE);
    assert_true(spent >= COUNT_ALL * FUEL);
    assert_int_equal(get(d, "a").state, SEARCH_SUCCESSFUL);
    assert_int_equal(get(d, "a").total, COUNT_ALL);
}

static size_t record_count(struct driver *d, enum record_kind kind)
{
    struct record_row *row;
    struct error err;
    size_t count;
    const struct record_filter filter = { .ns = 1, .kind = kind, .max = 1000 };
    assert_int_equal(reader_records(d->query.reader, &filter, &d->arena, &row, &count, &err), ST_OK);
    return count;
}

static void it_is_gone_after_an_hour(void **state)
{
    struct driver *d = *state;
    begin_model(d, "[]");
    begin(d, "a", ABOVE("0"));
    run(d);
    assert_int_equal(record_count(d, RECORD_HITS), 3);
    d->query.clock = d->engine.clock;
    driver_advance(d, SEARCH_KEPT_MS - 1);
    assert_string_equal(code_of(d, CALL_GET_SEARCH, "a"), "");
    driver_advance(d, 2);
    assert_string_equal(code_of(d, CALL_GET_SEARCH, "a"), "SEARCH_JOB_NOT_FOUND");
    for (int turns = 0; turns < 100 && record_count(d, RECORD_HITS); turns++) driver_advance(d, 3600000);
    assert_int_equal(record_count(d, RECORD_HITS), 0);
    assert_int_equal(record_count(d, RECORD_SEARCH), 0);
}

#define driver_test(function) cmocka_unit_test_setup_teardown(function, driver_setup, driver_teardown)

/* ---- a store that fails ---- */

static struct {
    const struct reader_ops *real;
    struct reader_ops ops;
    int left;            /* Reads of the one that cannot be read that fail. */
    int reads;           /* Of all. */
    uint64_t unreadable; /* The instance that is read as the 300th. */
    enum status status;
} faults;

static enum status faulty_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                   struct instance_row *ret_row, struct error *err)
{
    if (++faults.reads == 300) faults.unreadable = id;
    if (id != faults.unreadable || !faults.left)
        return faults.real->instance(reader, id, arena, ret_row, err);
    faults.left--;
    return (fail)(err, faults.status, "store", "it cannot be read");
}

static struct store_reader *faults_begin(struct driver *d, int count, enum status status)
{
    struct query *query;
    struct error err;
    assert_int_equal(search_jobs_query(&d->engine, &query, &err), ST_OK);
    memset(&faults, 0, sizeof faults);
    faults.real = query->reader->ops;
    faults.ops = *faults.real;
    faults.ops.instance = faulty_instance;
    faults.left = count;
    faults.status = status;
    query->reader->ops = &faults.ops;
    return query->reader;
}

static void run_for(struct driver *d, int64_t ms)
{
    for (int64_t end_ms = d->now_ms + ms;
         d->now_ms < end_ms && d->engine.transact.backlog[BACKLOG_SEARCH].due;)
        driver_advance(d, 100);
}

/* The store has failed, or somebody holds a lock for a moment. */
static void an_entity_that_could_not_be_read_is_looked_at_again(void **state)
{
    static const enum status statuses[] = { ST_STORE, ST_AGAIN, ST_FULL };
    struct driver *d = *state;
    begin_model(d, "[]");
    for (size_t i = 0; i < COUNT(statuses); i++) {
        const char *id = arena_printf(&d->arena, "%zu", i).p;
        struct store_reader *reader = faults_begin(d, 3, statuses[i]);
        begin(d, id, ABOVE("0"));
        run_for(d, 60000);
        assert_int_equal(faults.left, 0);
        assert_int_equal(get(d, id).state, SEARCH_SUCCESSFUL);
        assert_int_equal(get(d, id).total, ENTITIES);
        reader->ops = faults.real;
    }
}

static void a_search_that_cannot_read_an_entity_fails_and_the_next_one_runs(void **state)
{
    struct driver *d = *state;
    begin_model(d, "[\"$.n\"]");
    struct store_reader *reader = faults_begin(d, 1000, ST_STORE);
    begin(d, "a", ABOVE("0"));
    begin(d, "b", ABOVE("490"));
    run_for(d, 60000);
    assert_true(faults.left > 900);
    assert_int_equal(get(d, "a").state, SEARCH_FAILED);
    assert_int_equal(get(d, "b").state, SEARCH_SUCCESSFUL);
    reader->ops = faults.real;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        driver_test(hits_are_kept_in_order),
        driver_test(a_restart_begins_it_anew),
        driver_test(a_search_is_cancelled),
        driver_test(a_search_whose_model_is_gone_fails),
        driver_test(only_so_many_wait),
        driver_test(it_is_gone_after_an_hour),
        driver_test(a_costly_condition_takes_several_turns),
        driver_test(an_entity_that_could_not_be_read_is_looked_at_again),
        driver_test(a_search_that_cannot_read_an_entity_fails_and_the_next_one_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
