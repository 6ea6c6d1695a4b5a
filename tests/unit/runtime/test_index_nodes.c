/* Indexes that are built while other nodes are busy with the same store. */
#include "entity_driver.h"
#include "pair_driver.h"

#include "runtime/transact/indexes.h"
#include "store/memory/memory_int.h"
#include "store/store_int.h"

/* ---- nodes that commit all the time ---- */

/* The store treats transactions of the first node as PostgreSQL does while others commit
 * (store/postgres/commit.c): one that changes the configuration fails, unless the one before has failed for
 * the same reason. */
static struct {
    const struct store_ops *real;
    struct store_ops ops;
    bool locks_first;
    size_t failures; /* So many commits fail, whatever they change. */
} busy;

static enum status commit_beside_others(struct store *store, struct error *err)
{
    bool late = ((struct memory_store *)store)->configures && !busy.locks_first;
    busy.locks_first = late;
    if (!late && !busy.failures) return busy.real->commit(store, err);
    busy.failures -= busy.failures > 0;
    return (fail)(err, ST_AGAIN, "store", "another node has committed");
}

static void others_begin(struct driver *d)
{
    busy.real = d->store->ops;
    busy.ops = *busy.real;
    busy.ops.commit = commit_beside_others;
    busy.locks_first = false;
    busy.failures = 0;
    d->store->ops = &busy.ops;
}

static void others_end(struct driver *d) { d->store->ops = busy.real; }

/* ---- a model with an index ---- */

static struct indexes indexes(struct driver *d)
{
    struct indexes read;
    struct error err;
    assert_int_equal(indexes_read(d->query.reader, 1, STR("m.1"), &d->arena, &read, &err), ST_OK);
    return read;
}

static size_t row_count(struct driver *d, enum record_kind kind)
{
    struct record_row *row;
    struct error err;
    size_t count;
    const struct record_filter filter = { .ns = 1, .kind = kind, .max = 100000 };
    assert_int_equal(reader_records(d->query.reader, &filter, &d->arena, &row, &count, &err), ST_OK);
    return count;
}

static void set_indexes(struct driver *d, const char *fields)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = MODEL_SET_INDEXES };
    call->as.model.list = driver_json(d, fields);
    assert_int_equal(driver_run(d, call)->status, ST_OK);
}

enum { ENTITIES = 3 * INDEX_SLICE_MAX };

static struct driver *begin_with_entities(struct pair *pair)
{
    struct driver *d = &pair->node[0];
    advance(pair, 400);
    begin(d, WORKFLOW("\"A\":{}"));
    for (int i = 0; i < ENTITIES; i++) created(d, arena_printf(&d->arena, "{\"n\":%d}", i).p);
    advance(pair, 400);
    assert_true(nodes_lead(&d->engine));
    return d;
}

/* Turns with a call each, as a busy node has them, until nothing is left to build or to drop. */
static size_t turns_until_done(struct driver *d)
{
    size_t turns = 0;
    for (; d->engine.transact.backlog[BACKLOG_INDEX].due && turns < 100; turns++) created(d, "{}");
    assert_false(d->engine.transact.backlog[BACKLOG_INDEX].due);
    return turns;
}

/* ---- tests ---- */

static void an_index_is_built_and_dropped_beside_busy_nodes(void **state)
{
    struct driver *d = begin_with_entities(*state);
    set_indexes(d, "[\"$.n\"]");
    others_begin(d);
    turns_until_done(d);
    assert_int_equal(indexes(d).field[0].state, INDEX_READY);
    assert_int_equal(row_count(d, RECORD_INDEX), row_count(d, RECORD_MEMBER));
    assert_int_equal(row_count(d, RECORD_BUILT), 0);
    others_end(d);
    set_indexes(d, "[]");
    others_begin(d);
    turns_until_done(d);
    assert_int_equal(indexes(d).field_count, 0);
    assert_int_equal(row_count(d, RECORD_INDEX), 0);
    others_end(d);
    driver_check(d);
}

/* Each change of the configuration makes all nodes read it again. */
static void only_the_end_of_a_build_changes_the_configuration(void **state)
{
    struct pair *pair = *state;
    struct driver *d = begin_with_entities(pair);
    set_indexes(d, "[\"$.n\"]");
    int64_t before = store_generation(d->store);
    assert_true(turns_until_done(d) > 3);
    assert_int_equal(store_generation(d->store), before + 1);
    assert_int_equal(indexes(d).field[0].state, INDEX_READY);
    driver_check(d);
}

static void a_slice_that_another_node_is_in_the_way_of_is_halved(void **state)
{
    struct driver *d = begin_with_entities(*state);
    set_indexes(d, "[\"$.n\"]");
    others_begin(d);
    busy.failures = 1;
    size_t built = row_count(d, RECORD_INDEX);
    created(d, "{}");
    assert_int_equal(row_count(d, RECORD_INDEX), built + 1); /* Its own. */
    assert_int_equal(d->engine.transact.backlog[BACKLOG_INDEX].slice, INDEX_SLICE_MAX / 2);
    created(d, "{}");
    assert_in_range(row_count(d, RECORD_INDEX), built + 3, built + 2 + INDEX_SLICE_MAX / 2);
    assert_int_equal(d->engine.transact.backlog[BACKLOG_INDEX].slice, 0);
    turns_until_done(d);
    others_end(d);
    assert_int_equal(row_count(d, RECORD_INDEX), row_count(d, RECORD_MEMBER));
    driver_check(d);
}

/* Another node goes on where the first one was. */
static void progress_outlives_the_node_that_made_it(void **state)
{
    struct pair *pair = *state;
    struct driver *d = begin_with_entities(pair);
    set_indexes(d, "[\"$.n\"]");
    created(d, "{}");
    struct indexes of = indexes(d);
    struct error err;
    assert_int_equal(index_progress_read(d->query.reader, 1, &of, &d->arena, &err), ST_OK);
    assert_int_equal(of.field[0].state, INDEX_BUILDING);
    assert_true(of.field[0].done > 0);
    driver_check(d);
    driver_restart(d);
    turns_until_done(d);
    assert_int_equal(row_count(d, RECORD_INDEX), row_count(d, RECORD_MEMBER));
    assert_int_equal(row_count(d, RECORD_BUILT), 0);
    driver_check(d);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_index_is_built_and_dropped_beside_busy_nodes),
        TEST(only_the_end_of_a_build_changes_the_configuration),
        TEST(a_slice_that_another_node_is_in_the_way_of_is_halved),
        TEST(progress_outlives_the_node_that_made_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
