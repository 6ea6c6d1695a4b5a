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

/* Rows of another tenant are not there. The parts of a measure come to the same, whatever their size. */
static void a_tenant_is_counted_and_measured(void **state)
{
    enum { OTHER = 7, INSTANCES = 30 };
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_definition(f, 2, "order", 2);
    put_definition(f, 3, "bill", 1);
    begin(f);
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        struct instance_row row = an_instance(id, 1 + (int64_t)(id % 3), INSTANCE_ACTIVE);
        row.has_jobs = true;
        apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("0123456789") });
    }
    commit(f);
    struct store_reader *reader;
    assert_ok(f, store_reader_open(f->store, &reader, &f->err));
    int64_t bytes[2];
    for (int32_t i = 0; i < 2; i++) {
        int32_t ns = i ? OTHER : NAMESPACE_DEFAULT;
        const struct find_filter filter = { .ns = ns, .with_definitions = true };
        struct store_counts counts;
        uint64_t *id;
        size_t count;
        assert_ok(f, reader_counts(reader, &filter, &counts, &f->err));
        assert_int_equal(counts.definitions, i ? 0 : 2);
        assert_ok(f, store_ids_with_jobs(f->store, ns, 0, SIZE_MAX, &f->arena, &id, &count, &f->err));
        assert_int_equal(count, i ? 0 : INSTANCES);
    }
    for (size_t i = 0; i < COUNT(bytes); i++) {
        struct store_measure measure = { .ns = NAMESPACE_DEFAULT };
        for (size_t parts = 0; !measure.is_over; parts++) {
            assert_ok(f, reader_measure(reader, &measure, i ? 4 : 1000, &f->arena, &f->err));
            assert_true(parts < 100);
        }
        bytes[i] = measure.bytes;
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_true(bytes[0] >= INSTANCES * 10);
    struct store_measure other = { .ns = OTHER };
    assert_ok(f, reader_measure(reader, &other, 1000, &f->arena, &f->err));
    assert_true(other.is_over && !other.bytes);
    store_reader_close(reader);
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
