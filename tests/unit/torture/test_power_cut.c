#include "torture/power_cut.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SECTOR = 512, FILES_MAX = 4 };

static uint8_t old_bytes[2 * SECTOR], new_bytes[2 * SECTOR], other_bytes[SECTOR];

/* What the disk holds in the end. */
struct image {
    struct {
        char name[16];
        uint8_t bytes[4 * SECTOR];
        size_t n;
    } file[FILES_MAX];
    size_t count;
};

static void put(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    struct image *image = context;
    assert_true(image->count < FILES_MAX && n <= sizeof image->file[0].bytes);
    snprintf(image->file[image->count].name, sizeof image->file[0].name, "%s", name);
    if (n) memcpy(image->file[image->count].bytes, bytes, n);
    image->file[image->count++].n = n;
}

static struct image cut_after(struct disk_op *ops, size_t count, enum cut_kind kind, uint64_t seed)
{
    struct disk_log log = { .op = ops, .count = count, .inode_count = FILES_MAX };
    struct image image = { .count = 0 };
    struct power power;
    power_init(&power, &log);
    while (power_step(&power)) continue;
    power_image(&power, &(struct cut){ .kind = kind, .seed = seed }, put, &image);
    power_done(&power);
    return image;
}

#define CREATE(inode_, name_)                               \
    {                                                       \
        .kind = DISK_CREATE, .inode = inode_, .name = name_ \
    }
#define DELETE(inode_, name_)                               \
    {                                                       \
        .kind = DISK_DELETE, .inode = inode_, .name = name_ \
    }
#define WRITE(inode_, at, what)                                                            \
    {                                                                                      \
        .kind = DISK_WRITE, .inode = inode_, .offset = at, .bytes = what, .n = sizeof what \
    }
#define SYNC(inode_)                       \
    {                                      \
        .kind = DISK_SYNC, .inode = inode_ \
    }
#define SYNC_NAMES                  \
    {                               \
        .kind = DISK_SYNC_DIRECTORY \
    }

static void what_was_synced_stays_and_the_rest_goes_by_the_rule(void **state)
{
    struct disk_op ops[] = {
        CREATE(0, "a"), WRITE(0, 0, old_bytes), SYNC(0),
        SYNC_NAMES,     WRITE(0, 0, new_bytes), WRITE(0, 2 * SECTOR, other_bytes),
    };
    static const struct {
        enum cut_kind kind;
        uint8_t first;
        size_t n;
    } cases[] = {
        { CUT_KEEP_ALL, 'n', 3 * SECTOR },   { CUT_DROP_ALL, 'o', 2 * SECTOR },
        { CUT_ONLY_LAST, 'o', 3 * SECTOR },  { CUT_BUT_LAST, 'n', 2 * SECTOR },
        { CUT_FIRST_HALF, 'n', 2 * SECTOR }, { CUT_REVERSED, 'n', 3 * SECTOR },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct image image = cut_after(ops, COUNT(ops), cases[i].kind, 1);
        assert_int_equal(image.count, 1);
        assert_int_equal(image.file[0].n, cases[i].n);
        assert_int_equal(image.file[0].bytes[0], cases[i].first);
    }
}

static void a_write_is_torn_between_sectors_only(void **state)
{
    struct disk_op ops[] = { CREATE(0, "a"), WRITE(0, 0, old_bytes), SYNC(0), SYNC_NAMES,
                             WRITE(0, 0, new_bytes) };
    bool seen_torn = false;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct image image = cut_after(ops, COUNT(ops), CUT_TORN_ALL, seed);
        assert_int_equal(image.file[0].n, 2 * SECTOR);
        for (size_t sector = 0; sector < 2; sector++)
            for (size_t i = 1; i < SECTOR; i++)
                assert_int_equal(image.file[0].bytes[sector * SECTOR + i],
                                 image.file[0].bytes[sector * SECTOR]);
        seen_torn |= image.file[0].bytes[0] != image.file[0].bytes[SECTOR];
    }
    assert_true(seen_torn);
}

static void names_are_on_the_disk_once_the_directory_is_synced(void **state)
{
    struct disk_op unsynced[] = { CREATE(0, "a"),         SYNC_NAMES, CREATE(1, "b"),
                                  WRITE(1, 0, old_bytes), SYNC(1),    DELETE(0, "a") };
    struct disk_op synced[] = { CREATE(0, "a"), CREATE(1, "b"), WRITE(1, 0, old_bytes),
                                SYNC(1),        DELETE(0, "a"), SYNC_NAMES };
    (void)state;
    struct image image = cut_after(unsynced, COUNT(unsynced), CUT_DROP_ALL, 1);
    assert_int_equal(image.count, 1);
    assert_string_equal(image.file[0].name, "a");
    image = cut_after(synced, COUNT(synced), CUT_DROP_ALL, 1);
    assert_int_equal(image.count, 1);
    assert_string_equal(image.file[0].name, "b");
    assert_int_equal(image.file[0].n, 2 * SECTOR);
}

static void every_rule_has_words(void **state)
{
    (void)state;
    for (int kind = 0; kind < CUT_KIND_COUNT; kind++) assert_non_null(power_cut_words((enum cut_kind)kind));
}

int main(void)
{
    memset(old_bytes, 'o', sizeof old_bytes);
    memset(new_bytes, 'n', sizeof new_bytes);
    memset(other_bytes, 'x', sizeof other_bytes);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_synced_stays_and_the_rest_goes_by_the_rule),
        cmocka_unit_test(a_write_is_torn_between_sectors_only),
        cmocka_unit_test(names_are_on_the_disk_once_the_directory_is_synced),
        cmocka_unit_test(every_rule_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
