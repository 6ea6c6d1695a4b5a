/* The ledger's rules and the directory's manners. */
#include "torture/torture_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the ledger ---- */

static void an_acknowledgement_binds_unless_it_was_in_doubt(void **state)
{
    static const struct {
        enum effect_kind kind;
        bool cut_before, binding;
    } cases[] = {
        { EFFECT_COMPLETE, false, true },
        { EFFECT_COMPLETE, true, false }, /* Another worker may have been first meanwhile. */
        { EFFECT_START, true, true },     /* The key makes it one. */
    };
    struct ledger ledger;
    (void)state;
    ledger_init(&ledger);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t effect = ledger_begin(&ledger, cases[i].kind, 'a', STR("i"));
        if (cases[i].cut_before) ledger_cut(&ledger, effect, "/p", STR("body"), false);
        ledger_acknowledge(&ledger, effect, true, STR_NONE);
        assert_true(ledger.effect[effect].acked);
        assert_int_equal(ledger.effect[effect].binding, cases[i].binding);
        assert_string_equal(ledger.effect[effect].instance, "i");
    }
    ledger_done(&ledger);
}

static void what_was_cut_off_is_repeated_once(void **state)
{
    struct ledger ledger;
    struct lot lot = { 1 };
    struct repeat repeat;
    (void)state;
    ledger_init(&ledger);
    uint32_t kept = ledger_begin(&ledger, EFFECT_START, 'l', STR_NONE),
             dropped = ledger_begin(&ledger, EFFECT_START, 'l', STR_NONE);
    ledger_cut(&ledger, kept, "/p", STR("body"), true);
    ledger_cut(&ledger, dropped, "/p", STR("body"), false);
    assert_true(ledger_take_repeat(&ledger, &lot, &repeat));
    assert_int_equal(repeat.effect, kept);
    assert_string_equal(repeat.body, "body");
    free(repeat.path);
    free(repeat.body);
    assert_false(ledger_take_repeat(&ledger, &lot, &repeat));
    ledger_done(&ledger);
}

static void the_same_seed_draws_the_same_lots(void **state)
{
    struct lot one = { 7 }, same = { 7 }, other = { 8 };
    unsigned different = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        uint64_t drawn = lot_draw(&one, 1000);
        assert_true(drawn < 1000);
        assert_int_equal(lot_draw(&same, 1000), drawn);
        different += lot_draw(&other, 1000) != drawn;
    }
    assert_true(different > 90);
}

/* ---- the directory ---- */

static char base[60];

static int make_base(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(base, sizeof base, "%.30s/pawl-torture-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state)
{
    (void)state;
    return rmdir(base);
}

static void touch(const char *directory, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
}

static void drop(const char *directory, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(unlink(path), 0);
}

static void a_directory_that_was_made_goes_and_one_that_was_there_stays(void **state)
{
    char path[100];
    struct torture_directory directory;
    (void)state;
    snprintf(path, sizeof path, "%s/new", base);
    assert_int_equal(directory_open(path, &directory, NULL), ST_OK);
    directory_close(&directory);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(directory_open(path, &directory, NULL), ST_OK);
    directory_close(&directory);
    assert_int_equal(rmdir(path), 0); /* There, and empty. */
}

static void somebody_s_directory_is_refused_and_left_alone(void **state)
{
    static const char *const names[] = { "notes.txt", "data", ".hidden" };
    struct torture_directory directory;
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        touch(base, names[i]);
        assert_int_equal(directory_open(base, &directory, &err), ST_CONFLICT);
        assert_non_null(strstr(err.message, names[i]));
        drop(base, names[i]);
    }
    assert_int_equal(rmdir(base), 0);
    assert_int_equal(mkdir(base, 0755), 0);
}

static void what_a_killed_run_left_is_cleared_away(void **state)
{
    char data[100];
    struct torture_directory directory;
    (void)state;
    snprintf(data, sizeof data, "%s/data", base);
    assert_int_equal(mkdir(data, 0755), 0);
    touch(base, ".pawl-torture");
    touch(base, "log");
    touch(data, "pawl.db-wal");
    assert_int_equal(directory_open(base, &directory, NULL), ST_OK);
    assert_int_not_equal(access(data, F_OK), 0);
    directory_close(&directory);
    assert_int_equal(rmdir(base), 0);
    assert_int_equal(mkdir(base, 0755), 0);
}

static void two_runs_do_not_share_a_directory(void **state)
{
    struct torture_directory first, second;
    (void)state;
    assert_int_equal(directory_open(base, &first, NULL), ST_OK);
    assert_int_equal(directory_open(base, &second, NULL), ST_CONFLICT);
    directory_close(&first);
}

static void the_disk_is_measured(void **state)
{
    struct disk_measure measure;
    (void)state;
    assert_int_equal(torture_measure_disk(base, &measure, NULL), ST_OK);
    assert_true(measure.syncs > 0 && measure.p50_us <= measure.p99_us);
    assert_int_not_equal(torture_measure_disk("/nowhere/at/all", &measure, NULL), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_acknowledgement_binds_unless_it_was_in_doubt),
        cmocka_unit_test(what_was_cut_off_is_repeated_once),
        cmocka_unit_test(the_same_seed_draws_the_same_lots),
        cmocka_unit_test(a_directory_that_was_made_goes_and_one_that_was_there_stays),
        cmocka_unit_test(somebody_s_directory_is_refused_and_left_alone),
        cmocka_unit_test(what_a_killed_run_left_is_cleared_away),
        cmocka_unit_test(two_runs_do_not_share_a_directory),
        cmocka_unit_test(the_disk_is_measured),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
