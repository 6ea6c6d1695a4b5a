#include "source/zones.h"

#include "source/source.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void zones_are_found_by_name_and_kept(void **state)
{
    (void)state;
    const struct zone *berlin = source_zone_find(STR("Europe/Berlin"));
    assert_non_null(berlin);
    assert_int_equal(zone_offset_s(berlin, 1782900000), 7200); /* July 2026. */
    assert_ptr_equal(source_zone_find(STR("Europe/Berlin")), berlin);
    assert_non_null(source_zone_find(STR("America/Argentina/Buenos_Aires")));
    assert_non_null(source_zone_find(STR("Etc/GMT+5")));
    assert_ptr_equal(source_zone_find(STR("UTC")), zone_utc());
}

static void names_that_are_no_zone_find_nothing(void **state)
{
    static const char *const names[] = {
        "",
        "Mars/Base",
        "Europe",
        "europe/berlin/",
        "/etc/localtime",
        "../zoneinfo/Europe/Berlin",
        "./UTC",
        "Europe//Rome",
        "zone.tab",
        "tzdata.zi",
        "Europe/Berlin ",
        "Europe\\Berlin",
        ".",
        "..",
        "/",
        "right/Europe/Rome", /* Counts leap seconds. */
        "Europe/B%s",
        "\xc3\xa4",
    };
    char endless[200];
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        if (source_zone_find(str_of(names[i]))) fail_msg("found: %s", names[i]);
    assert_null(source_zone_find(STR_NONE));
    assert_null(source_zone_find(STR("Europe/Berlin\0")));
    memset(endless, 'a', sizeof endless);
    assert_null(source_zone_find((str){ endless, sizeof endless }));
    assert_true(zone_name_is_sound(STR("Mars/Base")) && zone_name_is_sound(STR("Etc/GMT-14")));
    assert_false(zone_name_is_sound(STR("a//b")) || zone_name_is_sound(STR("a/")) ||
                 zone_name_is_sound(STR("/a")));
}

/* A folder of our own, with a file that is no zone, a folder and a pipe. */
static void another_folder_may_hold_the_zones(void **state)
{
    char folder[] = "/tmp/pawl-zones-XXXXXX", path[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("TZDIR", folder, 1);
    snprintf(path, sizeof path, "%s/Broken", folder);
    FILE *file = fopen(path, "wb");
    assert_true(file && fputs("TZif2 is not all", file) >= 0 && fclose(file) == 0);
    assert_null(source_zone_find(STR("Broken")));
    unlink(path);
    snprintf(path, sizeof path, "%s/Pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(source_zone_find(STR("Pipe")));
    unlink(path);
    assert_null(source_zone_find(STR("Asia/Tokyo")));
    assert_non_null(source_zone_find(STR("UTC")));
    rmdir(folder);
    unsetenv("TZDIR");
    assert_non_null(source_zone_find(STR("Asia/Tokyo")));
}

static void *find_many(void *context)
{
    static const char *const names[] = { "Asia/Kolkata", "Africa/Cairo", "Pacific/Auckland", "America/Lima" };
    const struct zone **found = context;
    for (size_t i = 0; i < 2000; i++) {
        const struct zone *zone = source_zone_find(str_of(names[i % COUNT(names)]));
        if (found[i % COUNT(names)] && found[i % COUNT(names)] != zone) abort();
        found[i % COUNT(names)] = zone;
    }
    return NULL;
}

static void threads_may_ask_at_once(void **state)
{
    pthread_t thread[4];
    const struct zone *found[4][4] = { { NULL } };
    (void)state;
    for (size_t i = 0; i < COUNT(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, find_many, found[i]), 0);
    for (size_t i = 0; i < COUNT(thread); i++) pthread_join(thread[i], NULL);
    for (size_t i = 0; i < COUNT(thread); i++)
        for (size_t z = 0; z < 4; z++) assert_true(found[i][z] && found[i][z] == found[0][z]);
}

/* Whoever compiles a text of this machine knows its zones. */
static void compiling_knows_which_zones_exist(void **state)
{
    struct arena arena;
    struct problems problems;
    (void)state;
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    assert_null(problems.zone_exists);
    assert_null(source_compile(STR("{}"), SOURCE_ANY, 0, &problems, NULL));
    assert_true(problems.zone_exists(STR("Europe/Berlin")));
    assert_false(problems.zone_exists(STR("Mars/Base")));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_found_by_name_and_kept),
        cmocka_unit_test(names_that_are_no_zone_find_nothing),
        cmocka_unit_test(another_folder_may_hold_the_zones),
        cmocka_unit_test(threads_may_ask_at_once),
        cmocka_unit_test(compiling_knows_which_zones_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
