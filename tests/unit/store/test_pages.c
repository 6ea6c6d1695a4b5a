/* The page cache of SQLite behind ours: when it has to be searched, and that nothing is lost. */
#include "fixture.h"

#include "store/sqlite/sqlite_int.h"

enum { ROUNDS = 120, ROWS = 25 };

/* Numbers that follow each other become ids that do not. */
static const char *scattered_id(struct fixture *f, int number)
{
    return arena_printf(&f->arena, "%08x-a-definition-of-many", (unsigned)number * 2654435761u).p;
}

/* So that index pages split in the middle, and the siblings are put into order. */
static void put_scattered(struct fixture *f)
{
    for (int round = 0, number = 1; round < ROUNDS; round++) {
        begin(f);
        for (int i = 0; i < ROWS; i++, number++) {
            struct definition_row row = { .number = number,
                                          .ns = 1,
                                          .id = str_of(scattered_id(f, number)),
                                          .version = 1,
                                          .source = STR("{}") };
            struct instance_row instance = an_instance((uint64_t)number, number, INSTANCE_COMPLETED);
            apply(f, (struct changeset){
                         .definition = &row,
                         .instance = &instance,
                         .insert = true,
                         .history = STR("a history of some length, so that there are pages to free") });
        }
        commit(f);
    }
}

static void check_scattered(struct fixture *f)
{
    for (int number = 1; number <= ROUNDS * ROWS; number++) {
        struct definition_row row;
        assert_ok(f, found_needed(store_find_definition(f->store, 1, str_of(scattered_id(f, number)),
                                                        VERSION_LATEST, &f->arena, &row, &f->err)));
        assert_int_equal(row.number, number);
    }
}

static void purge_all(struct fixture *f)
{
    struct purged removed;
    begin(f);
    assert_ok(f,
              store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, SIZE_MAX, &removed, &f->err));
    assert_int_equal(removed.total, ROUNDS * ROWS);
    commit(f);
    for (bool more = true; more;) assert_ok(f, store_reclaim_space(f->store, true, &more, &f->err));
}

static void only_a_file_that_gets_smaller_has_pages_to_forget(void **state)
{
    struct fixture *f = *state;
    size_t before = sqlite_pages_searched();
    put_scattered(f);
    assert_int_equal(sqlite_pages_searched(), before);
    purge_all(f);
    assert_true(sqlite_pages_searched() > before);
    check_scattered(f);
    close_store(f);
    open_sqlite(f);
    check_scattered(f);
}

static void pages_of_a_rolled_back_transaction_are_forgotten(void **state)
{
    struct fixture *f = *state;
    static char large[200000];
    for (int i = 0; i < 3; i++) {
        struct definition_row row = { .number = 1,
                                      .ns = 1,
                                      .id = STR("x"),
                                      .version = 1,
                                      .source = { memset(large, 'a' + i, sizeof large), sizeof large } };
        size_t before = sqlite_pages_searched();
        begin(f);
        apply(f, (struct changeset){ .definition = &row });
        if (i == 2) {
            commit(f);
        } else {
            store_rollback(f->store);
            assert_true(sqlite_pages_searched() > before);
        }
    }
    struct definition_row row;
    assert_ok(f, found_needed(store_load_definition(f->store, 1, &f->arena, &row, &f->err)));
    assert_int_equal(row.source.n, sizeof large);
    for (size_t i = 0; i < row.source.n; i++) assert_int_equal(row.source.p[i], 'c');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_a_file_that_gets_smaller_has_pages_to_forget, setup_sqlite,
                                        teardown),
        cmocka_unit_test_setup_teardown(pages_of_a_rolled_back_transaction_are_forgotten, setup_sqlite,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
