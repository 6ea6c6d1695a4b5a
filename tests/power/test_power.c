/* The power goes: at every sync of a long scenario, and at some of the writes between.
 *
 * The scenario runs once, on the shim's disk. After every turn the whole contents are hashed:
 * the states the store went through. Then the record is walked. At each cut the disk is made up
 * anew by some rule, a fresh engine recovers from it, and its contents must be one of the states
 *
 *     from the last that was acknowledged, or once seen with all unsynced writes dropped
 *     to   the one after the turn that was under way.
 *
 * So all that was acknowledged is there, nothing is half there, and what was durable once stays.
 * The deep check must find nothing, and every instance must still be able to reach its end.
 *
 *     POWER_SEEDS   how many lots are drawn at each cut (2)
 */
#include "shim_vfs.h"
#include "rig.h"

#include "base/log.h"
#include "base/map.h"
#include "base/must.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    CHECKPOINT_PAGES = 60,
    WRITES_PER_CUT = 17,
    STATES_MAX = 2000,
    WHY_BYTES = 1500,
    RETENTION_MS = 100000,
    CACHE_PAGES = 10,
    FINISH_EVERY = 4
};

/* What the store held after a turn. */
struct state {
    size_t at; /* Operations recorded by then. */
    uint64_t digest;
    int64_t now_ms;
};

/* What was found out about an image: equal ones need not be looked at twice. */
struct verdict {
    uint64_t digest;
    bool finished;
};

static struct {
    struct state state[STATES_MAX];
    size_t state_count;
    struct map verdicts; /* struct verdict by the image's hash */
    size_t purged;
} recorded;

/* ---- the scenario ---- */

static void note_state(struct rig *rig, void *context)
{
    (void)context;
    must(recorded.state_count < STATES_MAX);
    struct state *state = &recorded.state[recorded.state_count++];
    *state =
        (struct state){ .at = shim_log()->count, .digest = rig_digest(rig->path), .now_ms = rig->now_ms };
}

/* A reader that stays: checkpoints get only so far. */
static sqlite3 *begin_reading(const char *path)
{
    sqlite3 *handle;
    assert_int_equal(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM instance", NULL, NULL, NULL),
                     SQLITE_OK);
    return handle;
}

static int record_scenario(void **unused)
{
    (void)unused;
    struct rig rig;
    struct error err;
    sqlite3 *reader = NULL;
    shim_install();
    log_set_level(LOG_OFF);
    map_init(&recorded.verdicts);
    rig_init(&rig, "live.db");
    shim_record(rig.path);
    rig.retention_ms = RETENTION_MS;
    rig.checkpoint_pages = CHECKPOINT_PAGES;
    rig.cache_pages = CACHE_PAGES;
    note_state(&rig, NULL);
    rig.turned = note_state;
    if (rig_open(&rig, &err) != ST_OK) fail_msg("%s", err.message);
    note_state(&rig, NULL);
    workload_deploy(&rig);
    for (unsigned round = 0; round < WORKLOAD_ROUNDS; round++) {
        if (round == 6) reader = begin_reading(rig.path);
        if (round == 10) sqlite3_close(reader);
        if (round == 15) {
            rig_close(&rig);
            note_state(&rig, NULL);
            assert_int_equal(rig_open(&rig, &err), ST_OK);
        }
        workload_round(&rig, round);
    }
    if (!workload_finish(&rig)) fail_msg("the scenario itself does not end");
    rig.now_ms += 2 * RETENTION_MS;
    for (int turns = 0; turns < 3; turns++) rig_turn(&rig, true);
    recorded.purged = metric_get(&rig.metrics.purged);
    rig_done(&rig);
    note_state(&rig, NULL);
    return 0;
}

static int forget_scenario(void **unused)
{
    (void)unused;
    size_t cursor = 0;
    for (struct verdict *verdict; (verdict = map_next(&recorded.verdicts, &cursor)) != NULL;) free(verdict);
    map_done(&recorded.verdicts);
    shim_record("");
    shim_remove("");
    return 0;
}

/* ---- recovery ---- */

/* Opens the image as after a power cut and looks at all of it. */
static bool recovers(struct rig *rig, bool to_the_end, char *ret_why)
{
    struct error err;
    if (rig_open(rig, &err) != ST_OK) {
        snprintf(ret_why, WHY_BYTES, "it does not open: %s", err.message);
        return false;
    }
    bool good = rig_check(rig, ret_why, WHY_BYTES);
    if (good && to_the_end) {
        good = workload_finish(rig);
        if (!good) snprintf(ret_why, WHY_BYTES, "the run cannot be continued to its end");
        if (good) good = rig_check(rig, ret_why, WHY_BYTES);
    }
    rig_close(rig);
    return good;
}

static struct verdict *judge(uint64_t image, int64_t now_ms, bool to_the_end, char *ret_why)
{
    struct verdict *verdict = map_get(&recorded.verdicts, image);
    if (verdict && (verdict->finished || !to_the_end)) return verdict;
    struct rig rig;
    rig_init(&rig, "image.db");
    rig.now_ms = now_ms;
    uint64_t digest = rig_digest(rig.path);
    bool good = recovers(&rig, to_the_end, ret_why);
    rig_done(&rig);
    if (!good) return NULL;
    if (!verdict) {
        verdict = calloc(1, sizeof *verdict);
        must(verdict);
        map_put(&recorded.verdicts, image, verdict);
    }
    *verdict = (struct verdict){ .digest = digest, .finished = to_the_end };
    return verdict;
}

struct walk {
    struct power power;
    size_t acknowledged; /* The last state before the cut. */
    size_t durable;      /* The state known to be on the disk whatever happens. */
    size_t cuts, images;
};

static void cut_power(struct walk *walk, struct cut cut)
{
    char prefix[300], why[WHY_BYTES];
    snprintf(prefix, sizeof prefix, "%s/image.db", rig_directory());
    while (walk->acknowledged + 1 < recorded.state_count &&
           recorded.state[walk->acknowledged + 1].at <= walk->power.at)
        walk->acknowledged++;
    size_t first = walk->acknowledged > walk->durable ? walk->acknowledged : walk->durable;
    size_t last = walk->acknowledged + 1 < recorded.state_count ? walk->acknowledged + 1 : walk->acknowledged;

    uint64_t image = shim_image(&walk->power, &cut, prefix);
    bool to_the_end = ++walk->images % FINISH_EVERY == 0;
    struct verdict *verdict = judge(image, recorded.state[last].now_ms, to_the_end, why);
    if (!verdict)
        fail_msg("operation %zu of %zu, %s (seed %llu): %s", walk->power.at, walk->power.log->count,
                 power_cut_words(cut.kind), (unsigned long long)cut.seed, why);
    size_t found = first;
    while (found <= last && recorded.state[found].digest != verdict->digest) found++;
    if (found > last)
        fail_msg("operation %zu of %zu, %s (seed %llu): the contents are none of states %zu to %zu",
                 walk->power.at, walk->power.log->count, power_cut_words(cut.kind),
                 (unsigned long long)cut.seed, first, last);
    if (cut.kind == CUT_DROP_ALL) walk->durable = found;
    shim_remove(prefix);
}

/* A cut before every sync and after every so many writes. What is there with all unsynced
 * writes dropped is found out first: no other disk may hold less, then or later. */
static void walk_scenario(enum cut_kind kind, uint64_t seeds)
{
    struct walk walk = { 0 };
    power_init(&walk.power, shim_log());
    for (size_t writes = 0;;) {
        const struct disk_log *log = walk.power.log;
        bool end = walk.power.at == log->count;
        enum disk_op_kind next = end ? DISK_SYNC : log->op[walk.power.at].kind;
        if (next == DISK_SYNC || next == DISK_SYNC_DIRECTORY ||
            (next == DISK_WRITE && ++writes % WRITES_PER_CUT == 0)) {
            walk.cuts++;
            cut_power(&walk, (struct cut){ .kind = CUT_DROP_ALL });
            for (uint64_t seed = 1; seed <= seeds && kind != CUT_DROP_ALL; seed++)
                cut_power(&walk, (struct cut){ .kind = kind, .seed = seed });
        }
        if (!power_step(&walk.power)) break;
    }
    power_done(&walk.power);
    print_message("    %zu cuts, %zu disks\n", walk.cuts, walk.images);
}

/* ---- tests ---- */

static uint64_t seed_count(void)
{
    const char *seeds = getenv("POWER_SEEDS");
    return seeds ? strtoull(seeds, NULL, 10) : 2;
}

static void the_scenario_has_everything_worth_cutting(void **state)
{
    (void)state;
    size_t syncs = 0, truncates = 0, deletes = 0, file_writes = 0;
    const struct disk_log *log = shim_log();
    for (size_t i = 0; i < log->count; i++) {
        syncs += log->op[i].kind == DISK_SYNC;
        truncates += log->op[i].kind == DISK_TRUNCATE;
        deletes += log->op[i].kind == DISK_DELETE;
        file_writes += log->op[i].kind == DISK_WRITE && log->op[i].inode == 0;
    }
    print_message("    %zu operations, %zu syncs, %zu states\n", log->count, syncs, recorded.state_count);
    assert_true(syncs > 150);
    assert_true(truncates > 0); /* The log was cut, the file shrank. */
    assert_true(deletes > 0);
    assert_true(file_writes > 100); /* By checkpoints. */
    assert_true(recorded.purged > 10);
}

#define CUT_TEST(name, kind, seeds) \
    static void name(void **state)  \
    {                               \
        (void)state;                \
        walk_scenario(kind, seeds); \
    }

CUT_TEST(nothing_acknowledged_needs_what_was_not_synced, CUT_DROP_ALL, 1)
CUT_TEST(all_that_was_written_may_be_there, CUT_KEEP_ALL, 1)
CUT_TEST(the_last_write_may_be_the_only_one, CUT_ONLY_LAST, 1)
CUT_TEST(the_last_write_may_be_missing, CUT_BUT_LAST, 1)
CUT_TEST(the_first_half_may_be_there, CUT_FIRST_HALF, 1)
CUT_TEST(writes_may_reach_the_disk_backwards, CUT_REVERSED, 1)
CUT_TEST(the_last_write_may_be_torn, CUT_TORN_LAST, seed_count())
CUT_TEST(every_write_may_be_torn, CUT_TORN_ALL, seed_count())
CUT_TEST(any_writes_may_be_there_in_any_order, CUT_BY_LOT, seed_count())

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenario_has_everything_worth_cutting),
        cmocka_unit_test(nothing_acknowledged_needs_what_was_not_synced),
        cmocka_unit_test(all_that_was_written_may_be_there),
        cmocka_unit_test(the_last_write_may_be_the_only_one),
        cmocka_unit_test(the_last_write_may_be_missing),
        cmocka_unit_test(the_first_half_may_be_there),
        cmocka_unit_test(writes_may_reach_the_disk_backwards),
        cmocka_unit_test(the_last_write_may_be_torn),
        cmocka_unit_test(every_write_may_be_torn),
        cmocka_unit_test(any_writes_may_be_there_in_any_order),
    };
    return cmocka_run_group_tests(tests, record_scenario, forget_scenario);
}
