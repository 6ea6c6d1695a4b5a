/* Rounds over rows that wait: unreadable rows, conflicts, failed transactions. */
#include "driver.h"

enum { ROWS = 12 };

/* A store of rows, as a user of the backlog sees it. */
struct rows {
    bool there[ROWS], unreadable[ROWS], waits[ROWS];
    bool did[ROWS]; /* In the transaction that runs. */
    bool gone;      /* Nothing can be read. */
    int tries[ROWS];
    enum status conflict; /* Of the commit. */
};

static struct rows rows;
static struct backlog backlog;

static enum status read_rows(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                             size_t *ret_count, struct error *err)
{
    struct arena *arena = &run->turn->arena;
    struct backlog_row *row = arena_make_n(arena, struct backlog_row, ROWS);
    size_t count = 0, i = after.n ? (size_t)(after.p[0] - 'a') + 1 : 0;
    if (rows.gone) return (fail)(err, ST_STORE, "store", "the store is away");
    for (; i < ROWS && count < max; i++) {
        if (!rows.there[i]) continue;
        str key = arena_printf(arena, "%c", (char)('a' + i));
        row[count++] = (struct backlog_row){ .key = key, .place = key, .name = key };
    }
    run->has_all = count < max;
    *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

static enum status do_row(struct backlog_run *run, const struct backlog_row *row,
                          enum backlog_outcome *ret_outcome, struct error *err)
{
    size_t i = (size_t)(row->key.p[0] - 'a');
    (void)run;
    rows.tries[i]++;
    if (rows.unreadable[i]) return (fail)(err, ST_STORE, "store", "a page is damaged");
    *ret_outcome = rows.waits[i] ? BACKLOG_LEFT : BACKLOG_DONE;
    rows.did[i] = !rows.waits[i];
    return ST_OK;
}

static const struct backlog_user user = {
    .max = 8, .unread = "a row is passed", .read = read_rows, .row = do_row
};

/* One turn, if the backlog wants one. */
static void turn_with(struct driver *driver, const struct backlog_user *with)
{
    struct turn *turn = &driver->engine.turn;
    struct error err;
    turn->now_ms = driver->now_ms;
    if (!backlog.due || turn->now_ms < backlog.hold_ms) return;
    turn->failed = ST_OK;
    slice_begin(turn, 1);
    backlog_run(turn, &backlog, with, NULL);
    if (turn->failed == ST_OK && rows.conflict != ST_OK) {
        (fail)(&err, rows.conflict, "store", "the commit fails");
        transact_failed(turn, &err);
    }
    bool committed = turn->failed == ST_OK;
    if (turn->in_transaction) store_rollback(driver->engine.store);
    transact_clear(turn);
    backlog_end(turn, &backlog, false, committed);
    for (size_t i = 0; i < ROWS; i++) {
        if (committed && rows.did[i]) rows.there[i] = false;
        rows.did[i] = false;
    }
    turn->failed = ST_OK;
    arena_reset(&turn->arena);
}

static void turns(struct driver *driver, int count)
{
    for (int i = 0; i < count; i++) {
        turn_with(driver, &user);
        driver->now_ms += 1000;
    }
}

static size_t left_there(void)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) count += rows.there[i];
    return count;
}

static int set_up(void **state)
{
    rows = (struct rows){ .gone = false };
    memset(rows.there, true, sizeof rows.there);
    backlog_init(&backlog);
    backlog.due = true;
    return driver_setup(state);
}

static int tear_down(void **state)
{
    backlog_done(&backlog);
    return driver_teardown(state);
}

static void all_rows_are_done_in_as_many_turns_as_it_takes(void **state)
{
    turns(*state, 1);
    assert_int_equal(left_there(), ROWS - 8);
    assert_true(backlog.due);
    turns(*state, 1);
    assert_int_equal(left_there(), 0);
    assert_false(backlog.due || backlog.left);
}

static void a_row_that_cannot_be_read_does_not_block_others(void **state)
{
    rows.unreadable[3] = true;
    turns(*state, 10);
    assert_int_equal(left_there(), 1);
    assert_int_equal(rows.tries[3], 2); /* With others, and alone. */
    assert_int_equal(rows.tries[0], 2); /* Rolled back once. */
    assert_false(backlog.due);
    assert_true(backlog.left);
    /* Maintenance makes the row due, and now it can be read. */
    rows.unreadable[3] = false;
    backlog.due = true;
    turns(*state, 2);
    assert_int_equal(left_there(), 0);
    assert_false(backlog.left);
}

static void a_row_that_can_be_read_alone_is_done(void **state)
{
    rows.unreadable[3] = true;
    turns(*state, 2);
    rows.unreadable[3] = false;
    turns(*state, 1);
    assert_int_equal(left_there(), ROWS - 4); /* Nothing else was in its transaction. */
    assert_int_equal(backlog.blamed.n, 0);
    turns(*state, 2);
    assert_int_equal(left_there(), 0);
}

static void several_rows_that_cannot_be_read_do_not_block_others(void **state)
{
    for (size_t i = 0; i < ROWS; i += 2) rows.unreadable[i] = true;
    turns(*state, 40);
    assert_int_equal(left_there(), ROWS / 2);
    assert_false(backlog.due);
}

static void a_row_that_is_passed_for_good_waits_for_something_else(void **state)
{
    struct driver *driver = *state;
    struct backlog_user final = user;
    final.passes_for_good = true;
    rows.unreadable[0] = true;
    for (int i = 0; i < 10; i++) {
        turn_with(driver, &final);
        driver->now_ms += 1000;
    }
    assert_int_equal(left_there(), 1);
    assert_false(backlog.due || backlog.left);
}

static void a_conflict_halves_the_rows_of_a_turn_and_commits_double_them(void **state)
{
    rows.conflict = ST_AGAIN;
    turns(*state, 2);
    assert_int_equal(backlog.slice, 2);
    assert_int_equal(left_there(), ROWS);
    assert_int_equal(backlog.hold_ms, 0);
    rows.conflict = ST_OK;
    turns(*state, 1);
    assert_int_equal(left_there(), ROWS - 2);
    assert_int_equal(backlog.slice, 4);
    turns(*state, 1);
    assert_int_equal(left_there(), ROWS - 6);
    assert_int_equal(backlog.slice, 0);
}

static void rows_that_wait_do_not_block_others(void **state)
{
    memset(rows.waits, true, 10);
    turns(*state, 2);
    assert_int_equal(left_there(), 10);
    assert_false(backlog.due);
    assert_true(backlog.left);
}

static void a_round_pauses_behind_very_many_rows_that_wait(void **state)
{
    struct driver *driver = *state;
    struct backlog_user pausing = user;
    pausing.blocked_max = 8;
    memset(rows.waits, true, 10);
    turn_with(driver, &pausing);
    assert_false(backlog.due);
    assert_true(backlog.left);
    backlog.due = true;
    turn_with(driver, &pausing);
    assert_int_equal(left_there(), 10);
}

static void a_failed_transaction_skips_nothing_and_holds(void **state)
{
    struct driver *driver = *state;
    rows.waits[0] = true;
    rows.conflict = ST_FULL;
    turn_with(driver, &user);
    assert_true(backlog.due);
    assert_int_equal(backlog.after.n, 0);
    assert_int_equal(backlog.hold_ms, driver->now_ms + 1000);
    int tries = rows.tries[0];
    turn_with(driver, &user);
    assert_int_equal(rows.tries[0], tries);
    rows.conflict = ST_OK;
    turns(driver, 4);
    assert_int_equal(left_there(), 1);
}

static void a_failed_transaction_keeps_the_place_of_the_round(void **state)
{
    rows.waits[0] = true;
    turns(*state, 1);
    assert_int_equal(backlog.after.p[0], 'h');
    rows.conflict = ST_AGAIN;
    turns(*state, 2);
    assert_int_equal(backlog.after.p[0], 'h');
    rows.conflict = ST_OK;
    turns(*state, 2);
    assert_int_equal(left_there(), 1);
}

static void a_store_that_is_away_is_no_reason_to_pass_rows(void **state)
{
    rows.gone = true;
    turns(*state, 5);
    assert_true(backlog.due);
    assert_int_equal(backlog.blamed.n, 0);
    rows.gone = false;
    turns(*state, 3);
    assert_int_equal(left_there(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        XX(all_rows_are_done_in_as_many_turns_as_it_takes),
        XX(a_row_that_cannot_be_read_does_not_block_others),
        XX(a_row_that_can_be_read_alone_is_done),
        XX(several_rows_that_cannot_be_read_do_not_block_others),
        XX(a_row_that_is_passed_for_good_waits_for_something_else),
        XX(a_conflict_halves_the_rows_of_a_turn_and_commits_double_them),
        XX(rows_that_wait_do_not_block_others),
        XX(a_round_pauses_behind_very_many_rows_that_wait),
        XX(a_failed_transaction_skips_nothing_and_holds),
        XX(a_failed_transaction_keeps_the_place_of_the_round),
        XX(a_store_that_is_away_is_no_reason_to_pass_rows),
#undef XX
    };
    return cmocka_run_group_tests_name("backlog", tests, NULL, NULL);
}
