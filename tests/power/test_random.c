/* Whatever a store may be told and may meet, in any order, and then the power goes.
 *
 * Lots decide what is done: transactions of few pages and of more than the cache holds, rollbacks, all
 * kinds of checkpoints, readers that stay, purging and shrinking, stops and starts, a disk that becomes
 * full, accesses that fail. So the log is begun anew, cut and overgrown all the time. As in test_power.c
 * the contents after a cut must be one of the states that may be there, here for every rule at every
 * sync; and the store must take on new work.
 *
 * In half of the runs there is a neighbour: another process that checkpoints between any two accesses of
 * the store's.
 *
 * A commit that fails breaks the store, and may be whole in the log all the same. A restart beside a
 * neighbour goes by the index of the log that the neighbour keeps, which does not count that commit. A
 * restart after a cut reads the log itself, and finds it. Both contents are right until the next commit
 * writes over it.
 *
 *     POWER_RUNS   how many runs, with and without a neighbour each (2)
 *     POWER_FROM   the first one's seed (2)
 */
#include "shim_vfs.h"
#include "rig.h"

#include "base/log.h"
#include "base/must.h"
#include "store/sqlite/sqlite_int.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    STEPS = 45,
    STATES_MAX = 3 * STEPS,
    WRITES_PER_CUT = 29,
    OPENED_EVERY = 11,
    CHECKPOINT_PAGES = 40,
    STATE_BYTES_MAX = 9000,
    VISIT_EVERY = 5
};

static const char small_sql[] = "PRAGMA cache_size = 10; PRAGMA journal_size_limit = 150000";

static struct run {
    char path[300];
    struct store *store;
    sqlite3 *reader;
    bool has_neighbour;
    sqlite3 *neighbour;
    uint64_t lot, next_id;
    bool failing; /* Some access fails sooner or later. */
    int full_for; /* Steps. */
    struct {
        size_t at;
        uint64_t digest,
            undecided; /* The contents, and those with a commit that failed; DIGEST_NONE: none. */
    } state[STATES_MAX];
    size_t state_count;
    uint64_t undecided;
    size_t commits, refused, broken, visits;
} run;

static unsigned draw(unsigned below)
{
    run.lot = run.lot * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(run.lot >> 33) % below;
}

static struct sqlite_store *sqlite(struct store *store) { return (struct sqlite_store *)store; }

/* What the disk does to others is not done to those who look. */
static uint64_t digest_now(const char *path)
{
    bool paused = shim_pause(true);
    uint64_t digest = rig_digest(path);
    shim_pause(paused);
    return digest;
}

static void note_state(void)
{
    must(run.state_count < STATES_MAX);
    run.state[run.state_count].at = shim_log()->count;
    run.state[run.state_count].undecided = run.undecided;
    run.state[run.state_count++].digest = digest_now(run.path);
}

static struct store *open_store(const char *path)
{
    const struct store_config config = { .path = path, .create = true };
    struct store *store;
    struct error err;
    if (store_open(&config, &store, &err) != ST_OK) fail_msg("%s", err.message);
    must(sqlite_exec(&sqlite(store)->db, small_sql, NULL) == ST_OK);
    sqlite_checkpoint_every(store, CHECKPOINT_PAGES);
    return store;
}

static void be_good(void)
{
    shim_set_capacity(0, "");
    shim_fail(&(struct shim_fault){ 0 });
    run.full_for = 0;
    run.failing = false;
}

static void stop_reading(void)
{
    sqlite3_close(run.reader);
    run.reader = NULL;
}

/* ---- the neighbour ---- */

/* It checkpoints in any of the ways there are. What is in its way is in its way. */
static void visit(void *context)
{
    (void)context;
    if (!run.neighbour || run.failing || draw(VISIT_EVERY)) return;
    static const int modes[] = { SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_FULL,
                                 SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE };
    int code = sqlite3_wal_checkpoint_v2(run.neighbour, NULL, modes[draw(COUNT(modes))], NULL, NULL);
    run.visits += code == SQLITE_OK;
}

static void neighbour_comes(void)
{
    if (!run.has_neighbour || run.neighbour) return;
    sqlite3 *neighbour;
    assert_int_equal(sqlite3_open_v2(run.path, &neighbour, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    /* Who has not read yet does not know that there is a log. */
    assert_int_equal(sqlite3_exec(neighbour, "SELECT 1 FROM meta", NULL, NULL, NULL), SQLITE_OK);
    run.neighbour = neighbour;
}

static void neighbour_goes(void)
{
    sqlite3 *leaving = run.neighbour;
    run.neighbour = NULL;
    sqlite3_close(leaving);
}

/* `at_once`: as if killed, the log is left as it is. */
static void stop_and_start(bool at_once)
{
    stop_reading();
    be_good();
    run.store->broken |= at_once;
    store_close(run.store);
    if (run.neighbour && draw(2)) neighbour_goes();
    run.store = open_store(run.path);
    neighbour_comes();
}

/* ---- what is done ---- */

static enum status add_instances(struct store *store, unsigned count, unsigned bytes_max, struct error *err)
{
    static char bytes[STATE_BYTES_MAX];
    enum status status = ST_OK;
    for (unsigned i = 0; i < count && status == ST_OK; i++) {
        uint64_t id = run.next_id++;
        struct instance_row row = { .id = id, .ns = 1, .definition = 1, .created_ms = 1 };
        row.state = (str){ bytes, 1 + draw(bytes_max) };
        memset(bytes, 'a' + (int)(id % 26), sizeof bytes);
        row.status = draw(3) ? INSTANCE_COMPLETED : INSTANCE_ACTIVE;
        row.ended_ms = row.status == INSTANCE_COMPLETED ? 2 : 0;
        struct changeset change = { .instance = &row, .insert = true, .history = STR("history"), .at_ms = 1 };
        status = store_apply(store, &change, err);
    }
    return status;
}

/* The contents that a restart finds in the log as it is now. */
static uint64_t digest_of_log(void)
{
    char path[300];
    struct power power;
    snprintf(path, sizeof path, "%s/undecided.db", rig_directory());
    bool paused = shim_pause(true);
    power_init(&power, shim_log());
    while (power_step(&power)) continue;
    shim_image(&power, &(struct cut){ .kind = CUT_KEEP_ALL }, path);
    uint64_t digest = rig_digest(path);
    shim_remove(path);
    power_done(&power);
    shim_pause(paused);
    return digest;
}

/* What did not succeed has not happened, or the store is broken. */
static void end_transaction(enum status status, bool commits, struct error *err)
{
    if (status == ST_OK && commits) status = store_commit(run.store, err);
    run.commits += status == ST_OK && commits;
    run.refused += status == ST_FULL;
    if (status != ST_OK && status != ST_FULL && !run.failing) fail_msg("%s", err->message);
    if (status == ST_OK && commits) {
        run.undecided = DIGEST_NONE;
        return;
    }
    store_rollback(run.store);
    if (store_broken(run.store) && commits) {
        shim_set_capacity(0, ""); /* The restart that follows has space, and so has the image. */
        run.undecided = digest_of_log();
    }
    if (!store_broken(run.store)) assert_true(digest_now(run.path) == run.state[run.state_count - 1].digest);
}

static void change(unsigned count, unsigned bytes_max, bool commits)
{
    struct error err;
    if (store_begin(run.store, &err) != ST_OK) return;
    enum status status = add_instances(run.store, count, bytes_max, &err);
    end_transaction(status, commits, &err);
}

static void purge_and_shrink(void)
{
    struct error err;
    struct purged removed;
    if (store_begin(run.store, &err) != ST_OK) return;
    enum status status =
        store_purge(run.store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 5 + draw(40), &removed, &err);
    end_transaction(status, true, &err);
    if (store_broken(run.store)) return;
    note_state();
    for (bool more = true; more && sqlite_shrink(run.store, &more, &err) == ST_OK;) continue;
}

static void read_or_not(void)
{
    if (run.reader) {
        stop_reading();
    } else if (!run.failing) {
        assert_int_equal(sqlite3_open_v2(run.path, &run.reader, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
        sqlite3_exec(run.reader, "BEGIN; SELECT count(*) FROM instance", NULL, NULL, NULL);
    }
}

static void fail_soon(void)
{
    stop_reading(); /* Its own failures are not what this is about. */
    run.failing = true;
    shim_fail(&(struct shim_fault){ .access = (enum shim_access)draw(SHIM_ACCESS_COUNT),
                                    .nth = 1 + draw(draw(2) ? 5 : 60),
                                    .for_good = draw(3) == 0 });
}

static void do_something(void)
{
    unsigned lot = draw(112);
    if (lot < 50) change(1 + draw(3), 6000, true);
    else if (lot < 60) change(20 + draw(20), STATE_BYTES_MAX, true);
    else if (lot < 66) change(20 + draw(20), STATE_BYTES_MAX, false);
    else if (lot < 72) sqlite_checkpoint(sqlite(run.store), SQLITE_CHECKPOINT_TRUNCATE, NULL);
    else if (lot < 75) sqlite_checkpoint(sqlite(run.store), SQLITE_CHECKPOINT_RESTART, NULL);
    else if (lot < 80) sqlite_checkpoint(sqlite(run.store), SQLITE_CHECKPOINT_PASSIVE, NULL);
    else if (lot < 84) read_or_not();
    else if (lot < 89) purge_and_shrink();
    else if (lot < 93) stop_and_start(lot < 91);
    else if (lot < 95) run.store->space = run.store->space ? STORE_SPACE_ENOUGH : STORE_SPACE_SHORT;
    else if (lot < 104) fail_soon();
    else shim_set_capacity(shim_used() + draw(300000), ""), run.full_for = 1 + (int)draw(8);
}

static void record_run(uint64_t seed)
{
    run.lot = seed * 0x9e3779b97f4a7c15U;
    run.next_id = 1;
    run.state_count = 0;
    run.undecided = DIGEST_NONE;
    shim_remove(run.path);
    shim_record(run.path);
    note_state();
    run.store = open_store(run.path);
    neighbour_comes();
    note_state();
    for (int step = 0; step < STEPS; step++) {
        do_something();
        if (store_broken(run.store)) {
            assert_true(run.failing);
            run.broken++;
            stop_and_start(true);
        }
        if (run.full_for && --run.full_for == 0) shim_set_capacity(0, "");
        if (run.failing && !draw(4)) be_good();
        note_state();
    }
    stop_and_start(false);
    store_close(run.store);
    neighbour_goes();
    note_state();
}

/* ---- the power goes ---- */

/* Opened, changed, killed and opened again. */
static void assert_usable(const char *path)
{
    struct error err;
    struct store *store = open_store(path);
    sqlite3_stmt *check;
    must(sqlite3_prepare_v2(sqlite(store)->db.handle, "PRAGMA integrity_check", -1, &check, NULL) ==
         SQLITE_OK);
    assert_int_equal(sqlite3_step(check), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
    assert_int_equal(store_begin(store, &err), ST_OK);
    assert_int_equal(add_instances(store, 12, STATE_BYTES_MAX, &err), ST_OK);
    assert_int_equal(store_commit(store, &err), ST_OK);
    uint64_t digest = digest_now(path);
    store->broken = true;
    store_close(store);
    store_close(open_store(path));
    assert_true(digest_now(path) == digest);
}

struct walk {
    struct power power;
    size_t acknowledged, durable; /* See test_power.c. */
    size_t images;
};

static void cut_power(struct walk *walk, struct cut cut, bool opened)
{
    char path[300];
    snprintf(path, sizeof path, "%s/image.db", rig_directory());
    size_t at = walk->power.at;
    while (walk->acknowledged + 1 < run.state_count && run.state[walk->acknowledged + 1].at <= at)
        walk->acknowledged++;
    size_t first = walk->acknowledged > walk->durable ? walk->acknowledged : walk->durable;
    size_t last = walk->acknowledged + 1 < run.state_count ? walk->acknowledged + 1 : walk->acknowledged;

    shim_image(&walk->power, &cut, path);
    uint64_t digest = rig_digest(path);
    size_t found = first;
    while (found <= last && run.state[found].digest != digest &&
           (digest == DIGEST_NONE || run.state[found].undecided != digest))
        found++;
    if (found > last)
        fail_msg("operation %zu of %zu, %s: the contents are none of states %zu to %zu", at,
                 walk->power.log->count, power_cut_words(cut.kind), first, last);
    if (cut.kind == CUT_DROP_ALL) walk->durable = found;
    if (opened) assert_usable(path);
    walk->images++;
    shim_remove(path);
}

static void walk_run(uint64_t seed)
{
    struct walk walk = { 0 };
    power_init(&walk.power, shim_log());
    for (size_t writes = 0;;) {
        const struct disk_log *log = walk.power.log;
        bool end = walk.power.at == log->count;
        enum disk_op_kind next = end ? DISK_SYNC : log->op[walk.power.at].kind;
        if (next != DISK_WRITE || ++writes % WRITES_PER_CUT == 0) {
            cut_power(&walk, (struct cut){ .kind = CUT_DROP_ALL }, false);
            for (enum cut_kind kind = 0; kind < CUT_KIND_COUNT; kind++)
                if (kind != CUT_DROP_ALL)
                    cut_power(&walk, (struct cut){ kind, seed, walk.images % 2 },
                              walk.images % OPENED_EVERY == 0);
        }
        if (!power_step(&walk.power)) break;
    }
    print_message("    run %llu: %zu operations, %zu states, %zu disks\n", (unsigned long long)seed,
                  walk.power.at, run.state_count, walk.images);
    power_done(&walk.power);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void run_all(bool has_neighbour)
{
    run = (struct run){ .has_neighbour = has_neighbour };
    shim_visit(has_neighbour ? visit : NULL, NULL);
    snprintf(run.path, sizeof run.path, "%s/live.db", rig_directory());
    uint64_t seed = number_from("POWER_FROM", 2), end = seed + number_from("POWER_RUNS", 2);
    for (; seed < end; seed++) {
        record_run(seed);
        walk_run(seed);
    }
    print_message("    %zu commits, %zu without space, %zu times broken, %zu visits\n", run.commits,
                  run.refused, run.broken, run.visits);
    assert_true(run.visits > 0 || !has_neighbour);
}

static void whatever_happens_the_power_may_go(void **state)
{
    (void)state;
    run_all(false);
}

static void whatever_a_neighbour_does_the_power_may_go(void **state)
{
    (void)state;
    run_all(true);
}

static int set_up(void **state)
{
    (void)state;
    shim_install();
    log_set_level(LOG_OFF);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shim_visit(NULL, NULL);
    shim_record("");
    shim_remove("");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_happens_the_power_may_go),
        cmocka_unit_test(whatever_a_neighbour_does_the_power_may_go),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
