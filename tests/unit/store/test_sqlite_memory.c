/* The memory of SQLite: blocks that were freed come back, a bounded number of them, and none is lost. */
#include "fixture.h"

#include "store/sqlite/sqlite_int.h"

#include <pthread.h>

enum { MOST = 8, LARGEST = 2048 }; /* As memory.c has them. */

static void a_block_that_was_freed_comes_back_for_its_size(void **state)
{
    (void)state;
    sqlite_configure();
    char *first = sqlite3_malloc(100);
    assert_true(first && sqlite3_msize(first) >= 100);
    sqlite3_free(first);
    char *other = sqlite3_malloc(300);
    assert_true(other != first);
    assert_true(sqlite3_malloc(101) == first);
    sqlite3_free(other);
    sqlite3_free(first);
}

static void a_thread_keeps_so_many_blocks_of_a_size_and_no_more(void **state)
{
    (void)state;
    void *block[MOST + 1];
    sqlite_configure();
    for (size_t i = 0; i <= MOST; i++) block[i] = sqlite3_malloc(640);
    for (size_t i = 0; i < MOST; i++) sqlite3_free(block[i]);
    assert_int_equal(sqlite_memory_kept(640), MOST);
    sqlite3_free(block[MOST]);
    assert_int_equal(sqlite_memory_kept(640), MOST);
    for (size_t i = 0; i < MOST; i++) block[i] = sqlite3_malloc(640);
    assert_int_equal(sqlite_memory_kept(640), 0);
    for (size_t i = 0; i < MOST; i++) sqlite3_free(block[i]);
}

static void a_large_block_is_not_kept(void **state)
{
    (void)state;
    sqlite_configure();
    void *largest = sqlite3_malloc(LARGEST), *larger = sqlite3_malloc(LARGEST + 1);
    sqlite3_free(larger);
    assert_int_equal(sqlite_memory_kept(LARGEST + 1), 0);
    size_t before = sqlite_memory_kept(LARGEST);
    sqlite3_free(largest);
    assert_int_equal(sqlite_memory_kept(LARGEST), before + 1);
}

static void a_block_keeps_its_bytes_when_its_size_changes(void **state)
{
    (void)state;
    sqlite_configure();
    char *block = sqlite3_malloc(10);
    memcpy(block, "ten bytes.", 10);
    block = sqlite3_realloc(block, 5000);
    assert_true(memcmp(block, "ten bytes.", 10) == 0 && sqlite3_msize(block) >= 5000);
    memset(block + 10, 'x', 4990);
    block = sqlite3_realloc(block, 64);
    assert_true(memcmp(block, "ten bytes.xxx", 13) == 0);
    sqlite3_free(block);
}

static void *free_there(void *block)
{
    sqlite3_free(block);
    assert_int_equal(sqlite_memory_kept(200), 1);
    return NULL;
}

/* The sanitizers see a block that the end of a thread loses. */
static void a_block_may_be_freed_by_a_thread_that_ends(void **state)
{
    (void)state;
    pthread_t thread;
    sqlite_configure();
    assert_int_equal(pthread_create(&thread, NULL, free_there, sqlite3_malloc(200)), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_was_freed_comes_back_for_its_size),
        cmocka_unit_test(a_thread_keeps_so_many_blocks_of_a_size_and_no_more),
        cmocka_unit_test(a_large_block_is_not_kept),
        cmocka_unit_test(a_block_keeps_its_bytes_when_its_size_changes),
        cmocka_unit_test(a_block_may_be_freed_by_a_thread_that_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
