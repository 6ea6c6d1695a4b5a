/* Scenarios of living instances, which are counted, and of those that are purged by name. */
#include "fixture.h"

static int64_t living(struct fixture *f, const char *definition)
{
    int64_t count;
    assert_ok(f, store_count_living(f->store, NAMESPACE_DEFAULT, str_of(definition), &count, &f->err));
    return count;
}

static void living_instances_are_counted_over_all_versions(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_definition(f, 2, "order", 2);
    put_definition(f, 3, "other", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 2, INSTANCE_WAITING),
                        three = an_instance(3, 2, INSTANCE_COMPLETED),
                        four = an_instance(4, 2, INSTANCE_FAILED), five = an_instance(5, 3, INSTANCE_ACTIVE),
                        six = an_instance(6, 2, INSTANCE_ACTIVE);
    put_instance(f, &one);
    put_instance(f, &two);
    put_instance(f, &three);
    put_instance(f, &four);
    put_instance(f, &five);
    assert_int_equal(living(f, "order"), 2);
    assert_int_equal(living(f, "other"), 1);
    assert_int_equal(living(f, "nobody"), 0);

    /* The writer counts what it has applied itself. */
    begin(f);
    apply(f, (struct changeset){ .instance = &six, .insert = true, .history = STR("h") });
    assert_int_equal(living(f, "order"), 3);
    one.status = INSTANCE_CANCELLED, one.ended_ms = 9000;
    apply(f, (struct changeset){ .instance = &one, .history = STR("h") });
    assert_int_equal(living(f, "order"), 2);
    store_rollback(f->store);
    assert_int_equal(living(f, "order"), 2);
}

static void a_purge_takes_instances_that_are_named(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_COMPLETED), two = an_instance(2, 1, INSTANCE_FAILED),
                        three = an_instance(3, 1, INSTANCE_COMPLETED);
    /* Their age counts by itself: their rows do not say when they ended. */
    one.ended_ms = two.ended_ms = 0;
    put_instance(f, &one);
    put_instance(f, &two);
    put_instance(f, &three);
    const uint64_t named[] = { 1, 77, 2 };
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store,
                             &(struct purge){ .before_ms = INT64_MIN,
                                              .failed_before_ms = INT64_MIN,
                                              .keys_before_ms = INT64_MIN,
                                              .instance = named,
                                              .instance_count = COUNT(named) },
                             10, &removed, &f->err));
    assert_ok(f, store_commit(f->store, &f->err));
    assert_int_equal(removed.total, 2);
    assert_int_equal(removed.instances[INSTANCE_FAILED], 1);
    assert_false(reader_sees(f, 1));
    assert_false(reader_sees(f, 2));
    assert_true(reader_sees(f, 3));
}
