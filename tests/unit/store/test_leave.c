/* Readers that should leave: nobody waits for what they read. */
#include "fixture.h"

/* The page is read row by row, which takes thousands of SQLite's operations. */
static void a_reader_that_should_leave_breaks_off_what_is_long(void **state)
{
    struct fixture *f = *state;
    enum { INSTANCES = 2000 };
    const struct instance_filter filter = { .ns = NAMESPACE_DEFAULT, .status = -1, .max = INSTANCES };
    struct instance_row *row;
    size_t count;
    put_definition(f, 1, "order", 1);
    begin(f);
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        struct instance_row one = an_instance(id, 1, INSTANCE_ACTIVE);
        apply(f, (struct changeset){ .instance = &one, .insert = true, .history = STR("h") });
    }
    commit(f);
    assert_ok(f, reader_instances(f->reader, &filter, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, INSTANCES);
    reader_leave(f->reader);
    assert_int_equal(reader_instances(f->reader, &filter, &f->arena, &row, &count, NULL, &f->err), ST_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_that_should_leave_breaks_off_what_is_long, setup_sqlite,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
