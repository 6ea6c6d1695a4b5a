/* tests/unit/store/scenarios_purge.h — old rows are removed. */
#ifndef SCENARIOS_PURGE_H
#define SCENARIOS_PURGE_H

#include "fixture.h"

static size_t purge(struct fixture *f, int64_t before_ms, size_t max)
{
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ before_ms, before_ms, 0 }, max, &removed, &f->err));
    commit(f);
    return removed.total;
}

static void a_purge_takes_what_ended_long_ago_and_all_that_hangs_on_it(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    static const enum instance_status statuses[] = { INSTANCE_COMPLETED, INSTANCE_ACTIVE, INSTANCE_FAILED,
                                                     INSTANCE_CANCELLED, INSTANCE_COMPLETED };
    for (size_t i = 0; i < COUNT(statuses); i++) {
        struct instance_row row = an_instance(i + 1, 1, statuses[i]);
        row.business_key = STR("K");
        put_instance(f, &row);
        update_instance(f, &row, "h2");
        struct timer_row timer = { 50, i + 1, 1 };
        struct task_row task = { .instance = i + 1, .execution = 2, .ns = 1, .definition = 1 };
        if (statuses[i] != INSTANCE_ACTIVE && statuses[i] != INSTANCE_FAILED) continue;
        put(f, (struct changeset){
                   .timer_add = &timer, .timer_add_count = 1, .task_add = &task, .task_add_count = 1 });
    }
    struct pending_row pending = { .parent = 1, .number = 1, .ns = 1, .target = STR("x") };
    put(f, (struct changeset){ .pending_add = &pending });

    assert_int_equal(purge(f, 9001, 10), 0); /* 1 ended at 9001: not before it. */
    assert_int_equal(purge(f, 9002, 10), 1);
    assert_int_equal(purge(f, INT64_MAX, 2), 2);
    assert_int_equal(purge(f, INT64_MAX, 2), 1);
    assert_int_equal(purge(f, INT64_MAX, 2), 0);

    for (uint64_t id = 1; id <= COUNT(statuses); id++) assert_int_equal(reader_sees(f, id), id == 2);
    struct timer_row timer[4];
    size_t count;
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, timer, COUNT(timer), &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(timer[0].instance, 2);
    struct store_statistics statistics;
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.tasks, 1);
    assert_int_equal(statistics.pending, 1);
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        assert_int_equal(statistics.instances_by_status[i], i == INSTANCE_ACTIVE);

    /* 5 was the highest: its number is gone for ever. */
    assert_true(take_numbers(f).instance > 5);
    str *blob;
    assert_ok(f, reader_history(f->reader, 2, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2);
}

/* Its state names the subscription; one that cannot be read costs a search. */
static void failed_instances_have_an_age_of_their_own_and_leave_no_subscription(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    static const enum instance_status statuses[] = { INSTANCE_FAILED, INSTANCE_COMPLETED, INSTANCE_FAILED };
    for (uint64_t id = 1; id <= COUNT(statuses); id++) {
        const struct instance made = { .id = id,
                                       .definition = 1,
                                       .status = statuses[id - 1],
                                       .created_ms = 1,
                                       .ended_ms = 2,
                                       .data = json_empty_object(),
                                       .correlation = STR("7"),
                                       .next_number = 1 };
        struct buf bytes;
        buf_init(&bytes, &f->arena);
        core_encode(&made, &bytes);
        struct instance_row row = an_instance(id, 1, statuses[id - 1]);
        row.state = id == 3 ? STR("damaged") : buf_str(&bytes);
        put_instance(f, &row);
        struct subscription_row subscription = { 1, STR("7"), id };
        if (statuses[id - 1] == INSTANCE_FAILED)
            put(f, (struct changeset){ .subscription_add = &subscription });
    }
    struct purged purged;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MIN, 0 }, 10, &purged, &f->err));
    commit(f);
    assert_int_equal(purged.instances[INSTANCE_COMPLETED], 1);
    assert_int_equal(purged.total, 1);
    assert_true(reader_sees(f, 1) && reader_sees(f, 3));

    uint64_t subscriber[4];
    size_t count;
    for (int i = 0; i < 2; i++) {
        begin(f);
        assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MIN, INT64_MAX, 0 }, 1, &purged, &f->err));
        commit(f);
        assert_int_equal(purged.instances[INSTANCE_FAILED], 1);
        assert_ok(
            f, store_subscribers(f->store, 1, STR("7"), 0, subscriber, COUNT(subscriber), &count, &f->err));
        assert_int_equal(count, 1 - i);
    }
}

static void a_purge_removes_no_more_than_it_may_of_all_kinds_together(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= 3; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED);
        struct idempotency_row answer = { .ns = 1,
                                          .key = arena_printf(&f->arena, "k%d", (int)id),
                                          .created_ms = 1 };
        struct unmatched_row unmatched = { .ns = 1, .received_ms = (int64_t)id, .event = STR("e") };
        put(f, (struct changeset){ .instance = &row,
                                   .insert = true,
                                   .history = STR("h"),
                                   .unmatched_add = &unmatched,
                                   .idempotency = &answer });
    }
    static const size_t want[] = { 2, 2, 2, 2, 1, 0 };
    for (size_t i = 0; i < COUNT(want); i++) {
        struct purged removed;
        begin(f);
        assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 2 }, 2, &removed, &f->err));
        commit(f);
        assert_int_equal(removed.total, want[i]);
        assert_int_equal(reader_sees(f, 3), i == 0); /* Instances first, the oldest before the others. */
    }
}

/* Instances from 1 on, with so many rows of history each. */
static void put_histories(struct fixture *f, const enum instance_status *status, const size_t *rows,
                          size_t count)
{
    put_definition(f, 1, "order", 1);
    for (size_t i = 0; i < count; i++) {
        struct instance_row row = an_instance(i + 1, 1, status[i]);
        put_instance(f, &row);
        for (size_t k = 1; k < rows[i]; k++) update_instance(f, &row, "h");
    }
}

static size_t count_history(struct fixture *f, size_t instances)
{
    size_t sum = 0;
    for (uint64_t id = 1; id <= instances; id++) {
        str *blob;
        size_t count;
        if (!reader_sees(f, id)) continue;
        assert_ok(f, reader_history(f->reader, id, 0, 0, &f->arena, &blob, &count, &f->err));
        sum += count;
    }
    return sum;
}

/* An instance that has more goes alone. Failed ones come last. */
static void a_purge_removes_no_more_history_than_it_may(void **state)
{
    struct fixture *f = *state;
    static const enum instance_status status[] = { INSTANCE_COMPLETED, INSTANCE_CANCELLED, INSTANCE_COMPLETED,
                                                   INSTANCE_COMPLETED, INSTANCE_FAILED,    INSTANCE_FAILED };
    static const size_t rows[] = { 2, 3, 9, 1, 3, 2 };
    static const struct {
        size_t instances, history;
    } want[] = { { 2, 5 }, { 1, 9 }, { 2, 4 }, { 1, 2 }, { 0, 0 } };
    const struct purge purge = {
        .before_ms = INT64_MAX, .failed_before_ms = INT64_MAX, .keys_before_ms = INT64_MIN, .history_max = 5
    };
    put_histories(f, status, rows, COUNT(rows));
    size_t left = count_history(f, COUNT(rows));
    for (size_t i = 0; i < COUNT(want); i++) {
        struct purged removed;
        begin(f);
        assert_ok(f, store_purge(f->store, &purge, 10, &removed, &f->err));
        commit(f);
        assert_int_equal(removed.total, want[i].instances);
        assert_int_equal(removed.history, want[i].history);
        assert_int_equal(removed.more, i < 3);
        left -= want[i].history;
        assert_int_equal(count_history(f, COUNT(rows)), left);
    }
    assert_int_equal(left, 0);
}

/* In the order in which they are named; 77 is not there. */
static void a_purge_says_which_named_instances_are_gone(void **state)
{
    struct fixture *f = *state;
    static const enum instance_status status[] = { INSTANCE_COMPLETED, INSTANCE_COMPLETED, INSTANCE_FAILED,
                                                   INSTANCE_COMPLETED };
    static const size_t rows[] = { 2, 2, 2, 2 };
    static const uint64_t named[] = { 3, 77, 1, 78, 2 };
    static const size_t gone[] = { 4, 5 }, left[] = { 2, 4 };
    put_histories(f, status, rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(gone); i++) {
        const struct purge purge = { .before_ms = INT64_MIN,
                                     .failed_before_ms = INT64_MIN,
                                     .keys_before_ms = INT64_MIN,
                                     .instance = named,
                                     .instance_count = COUNT(named),
                                     .history_max = 5 };
        struct purged removed;
        begin(f);
        assert_ok(f, store_purge(f->store, &purge, 10, &removed, &f->err));
        commit(f);
        assert_int_equal(removed.named, gone[i]);
        assert_int_equal(removed.more, i == 0);
        assert_true(!reader_sees(f, 3) && !reader_sees(f, 1));
        assert_int_equal(reader_sees(f, left[i]), true);
    }
    assert_false(reader_sees(f, 2));
}

static void a_purge_that_is_rolled_back_removes_nothing(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(8, 1, INSTANCE_COMPLETED);
    put_instance(f, &row);
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 10, &removed, &f->err));
    assert_int_equal(removed.total, 1);
    store_rollback(f->store);
    assert_true(reader_sees(f, 8));
    assert_int_equal(purge(f, INT64_MAX, 10), 1);
    bool more;
    do {
        assert_ok(f, store_reclaim_space(f->store, true, &more, &f->err));
    } while (more);
}

/* A step whose row points to another row than the one before it: to none, or to a row of somebody else.
 * PostgreSQL has no such pointers. */
static void put_broken(struct fixture *f, uint64_t id, int64_t prev)
{
    struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED), before;
    put_instance(f, &row);
    before = load_instance(f, id);
    before.revision = 1;
    before.last_history = prev;
    put(f, (struct changeset){ .instance = &row, .before = &before, .history = STR("h2"), .at_ms = 6000 });
}

static void a_purge_takes_an_instance_whose_history_has_a_gap(void **state)
{
    struct fixture *f = *state;
    struct instance_row living = an_instance(3, 1, INSTANCE_ACTIVE),
                        whole = an_instance(2, 1, INSTANCE_COMPLETED);
    str *blob;
    size_t count;
    put_definition(f, 1, "order", 1);
    put_instance(f, &living);
    put_instance(f, &whole);
    put_broken(f, 1, 999);
    put_broken(f, 4, load_instance(f, 3).last_history);
    size_t gaps = 0;
    for (uint64_t id = 1; id <= 4; id++)
        gaps += reader_history(f->reader, id, 0, 0, &f->arena, &blob, &count, &f->err) != ST_OK;
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 10, &removed, &f->err));
    commit(f);
    assert_int_equal(removed.total, 3);
    assert_int_equal(removed.broken_count, gaps);
    assert_int_equal(removed.broken, gaps ? 4 : 0);
    for (uint64_t id = 1; id <= 4; id++) assert_int_equal(reader_sees(f, id), id == 3);
    assert_ok(f, reader_history(f->reader, 3, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 1);
}

#endif
