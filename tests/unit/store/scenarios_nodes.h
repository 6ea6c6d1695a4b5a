/* Scenarios of several nodes on one store (store/nodes.h). They run on every back end that can be shared: the
 * fixture's store is a node, and `join` opens another one. */
#ifndef TESTS_STORE_SCENARIOS_NODES_H
#define TESTS_STORE_SCENARIOS_NODES_H

#include "node_fixture.h"
#include "scenarios_pending.h"

#include <poll.h>
#include <stdatomic.h>

/* ---- nodes ---- */

static void nodes_heartbeat_and_are_listed_by_number(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    struct store *second = join_node(f), *third = join_node(f);
    int64_t id[] = { store_node(f->store), store_node(second), store_node(third) };
    assert_true(id[0] > 0 && id[0] < id[1] && id[1] < id[2]);
    heartbeat_of(f, second, row, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(row[i].id, id[i]);
        assert_false(row[i].dead);
    }
    int64_t first_heartbeats = row[0].heartbeats, second_heartbeats = row[1].heartbeats;

    /* Only the one that heartbeats changes. */
    heartbeat_of(f, second, row, &count);
    assert_int_equal(row[0].heartbeats, first_heartbeats);
    assert_true(row[1].heartbeats != second_heartbeats);
    heartbeat_of(f, f->store, row, &count);
    heartbeat_of(f, second, row, &count);
    assert_true(row[0].heartbeats != first_heartbeats);
    store_close(third);
    store_close(second);
}

static void a_node_that_leaves_is_dead_until_it_is_forgotten(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    struct store *second = join_node(f);
    int64_t id = store_node(second);
    store_close(second);
    heartbeat_of(f, f->store, row, &count);
    assert_non_null(find_node(row, count, id));
    assert_true(find_node(row, count, id)->dead);
    assert_ok(f, store_forget_node(f->store, id, &f->err));
    heartbeat_of(f, f->store, row, &count);
    assert_null(find_node(row, count, id));
    assert_int_equal(count, 1);

    /* The number does not come back. */
    second = join_node(f);
    assert_true(store_node(second) > id);
    store_close(second);
}

/* If there are more rows than a heartbeat tells of. */
static void nodes_that_live_are_listed_before_the_dead(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    for (int i = 0; i < NODES_MAX; i++) store_close(join_node(f));
    struct store *second = join_node(f);
    heartbeat_of(f, second, row, &count);
    assert_int_equal(count, NODES_MAX);
    assert_non_null(find_node(row, count, store_node(f->store)));
    assert_non_null(find_node(row, count, store_node(second)));
    for (size_t i = 1; i < count; i++) assert_true(row[i - 1].id < row[i].id);
    store_close(second);
}

static void a_fenced_node_commits_nothing_and_rejoins(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    int64_t id = store_node(second), generation;
    struct node_row row[NODES_MAX];
    size_t count;
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);

    /* In the middle of a transaction, which has read and written already. */
    assert_ok(f, store_begin(second, &f->err));
    struct changeset change = { .instance = &one, .insert = true, .history = STR("h") };
    assert_ok(f, store_apply(second, &change, &f->err));
    assert_ok(f, store_fence_node(f->store, id, &f->err));
    assert_int_equal(store_commit(second, &f->err), ST_AGAIN);
    store_rollback(second);
    assert_false(store_broken(second));
    assert_int_equal(put_by(f, second, change), ST_AGAIN);
    assert_false(reader_sees(f, 1));
    assert_int_equal(store_heartbeat(second, row, &count, &generation, &f->err), ST_NOT_FOUND);

    /* It is fenced once, whoever does it again. */
    assert_ok(f, store_fence_node(f->store, id, &f->err));
    assert_ok(f, store_rejoin(second, &f->err));
    assert_true(store_node(second) > id);
    assert_ok(f, store_heartbeat(second, row, &count, &generation, &f->err));
    assert_true(find_node(row, count, id)->dead);
    assert_false(find_node(row, count, store_node(second))->dead);
    store_set_generation(second, generation);
    assert_int_equal(
        put_by(f, second, (struct changeset){ .instance = &two, .insert = true, .history = STR("h") }),
        ST_OK);
    assert_true(reader_sees(f, 2));
    assert_ok(f, store_forget_node(f->store, id, &f->err));
    assert_ok(f, store_heartbeat(second, row, &count, &generation, &f->err));
    store_close(second);
}

static void a_fenced_node_claims_nothing(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    assert_ok(f, store_fence_node(f->store, store_node(second), &f->err));
    struct claims claims = { 0 };
    struct job_claim wanted = { STR("pay"), 10 };
    assert_int_equal(store_claim_jobs(second, &wanted, 1, 1000, &f->arena, &claims.row, &claims.instance,
                                      &claims.count, &f->err),
                     ST_AGAIN);
    assert_int_equal(claim(f, f->store, "pay", 10, 1000).count, 1);
    store_close(second);
}

static void numbers_of_nodes_are_never_the_same(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    struct store_numbers a = take_numbers(f), b = { 0 };
    assert_ok(f, store_take_numbers(second, &b, &f->err));
    assert_true(a.instance_end <= b.instance || b.instance_end <= a.instance);
    assert_true(a.definition_end <= b.definition || b.definition_end <= a.definition);

    /* What is not used up stays. */
    struct store_numbers more = b;
    more.instance = more.instance_end;
    assert_ok(f, store_take_numbers(second, &more, &f->err));
    assert_true(more.instance >= a.instance_end && more.instance >= b.instance_end);
    assert_true(more.instance < more.instance_end);
    assert_int_equal(more.definition, b.definition);
    assert_int_equal(more.definition_end, b.definition_end);
    store_close(second);
}

/* ---- what a transaction rests on ---- */

/* A transaction with one expectation, and with a new instance unless its id is 0. */
static enum status expect_by(struct fixture *f, struct store *store, uint64_t expected, uint32_t revision,
                             uint64_t added)
{
    struct instance_row row = an_instance(added, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &row, .insert = true, .history = STR("h") };
    enum status status;
    assert_ok(f, store_begin(store, &f->err));
    status = store_expect(store, expected, revision, &f->err);
    if (status == ST_OK && added) status = store_apply(store, &change, &f->err);
    if (status == ST_OK) status = store_commit(store, &f->err);
    if (status != ST_OK) store_rollback(store);
    return status;
}

static void an_expectation_is_kept_or_breaks_the_commit(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    assert_int_equal(expect_by(f, second, 1, 1, 2), ST_OK);
    assert_true(reader_sees(f, 2));
    update_instance(f, &one, "h2");
    assert_int_equal(expect_by(f, second, 1, 1, 3), ST_AGAIN);
    assert_false(store_broken(second));
    assert_false(reader_sees(f, 3));
    assert_int_equal(expect_by(f, second, 1, 2, 3), ST_OK);
    assert_true(reader_sees(f, 3));

    /* The instance changes when the transaction has asked for something already. */
    struct record_row record = { .ns = 1, .kind = RECORD_DRAFT, .key = STR("k"), .value = STR("v") }, found;
    struct changeset change = { .record_put = &record, .record_put_count = 1 };
    assert_ok(f, store_begin(second, &f->err));
    assert_int_equal(
        found_needed(store_find_record(second, 1, RECORD_DRAFT, STR("none"), &f->arena, &found, &f->err)),
        ST_NOT_FOUND);
    update_instance(f, &one, "h3");
    assert_ok(f, store_expect(second, 1, 2, &f->err));
    enum status status = store_apply(second, &change, &f->err);
    assert_int_equal(status == ST_OK ? store_commit(second, &f->err) : status, ST_AGAIN);
    store_rollback(second);
    assert_int_equal(expect_by(f, second, 1, 3, 0), ST_OK);
    assert_int_equal(expect_by(f, second, 1, 2, 0), ST_AGAIN);

    /* A transaction that writes nothing, an instance that is not there. */
    assert_int_equal(expect_by(f, second, 1, 3, 0), ST_OK);
    assert_int_equal(expect_by(f, second, 1, 1, 0), ST_AGAIN);
    assert_int_equal(expect_by(f, second, 77, 1, 0), ST_AGAIN);
    store_close(second);
}

static void the_second_writer_of_a_revision_tries_again(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE), before = row;
    before.last_history =
        put(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h1"), .at_ms = 1 });
    before.revision = 1;
    struct changeset mine = { .instance = &row, .before = &before, .history = STR("mine"), .at_ms = 2 };
    struct changeset other = { .instance = &row, .before = &before, .history = STR("other"), .at_ms = 2 };

    /* Both at the same time. */
    begin(f);
    assert_ok(f, store_begin(second, &f->err));
    assert_ok(f, store_apply(f->store, &mine, &f->err));
    assert_ok(f, store_apply(second, &other, &f->err));
    commit(f);
    assert_int_equal(store_commit(second, &f->err), ST_AGAIN);
    store_rollback(second);

    /* One after the other: what the second one knows is old. */
    assert_int_equal(put_by(f, second, other), ST_AGAIN);
    str *blob;
    size_t count;
    assert_ok(f, reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(blob[1], STR("mine"));
    before.revision = 2;
    before.last_history = mine.ret_last_history;
    assert_int_equal(put_by(f, second, other), ST_OK);
    store_close(second);
}

static void a_history_that_comes_before_its_row_is_compared(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE), before = row;
    before.last_history = put(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
    int64_t first_history = before.last_history;
    /* Two commands, one row: each has the revision of the one before. */
    for (uint32_t revision = 1; revision <= 2; revision++) {
        before.revision = revision;
        if (revision == 1) assert_ok(f, store_begin(second, &f->err));
        struct changeset later = {
            .instance = &before, .before = &before, .row_later = true, .history = STR("h"), .at_ms = 2
        };
        assert_ok(f, store_apply(second, &later, &f->err));
        before.last_history = later.ret_last_history;
    }
    before.revision = 3;
    struct changeset last = { .instance = &row, .before = &before };
    assert_ok(f, store_apply(second, &last, &f->err));
    assert_ok(f, store_commit(second, &f->err));

    /* The other node knows nothing of them. */
    before.revision = 1;
    before.last_history = first_history;
    begin(f);
    struct changeset later = {
        .instance = &before, .before = &before, .row_later = true, .history = STR("x"), .at_ms = 2
    };
    enum status status = store_apply(f->store, &later, &f->err);
    before.revision = 2;
    before.last_history = later.ret_last_history;
    last = (struct changeset){ .instance = &row, .before = &before };
    if (status == ST_OK) status = store_apply(f->store, &last, &f->err);
    if (status == ST_OK) status = store_commit(f->store, &f->err);
    assert_int_equal(status, ST_AGAIN);
    store_rollback(f->store);
    store_close(second);
}

static void an_instance_that_was_purged_is_no_surprise(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row row = an_instance(1, 1, INSTANCE_COMPLETED), before = row;
    before.last_history = put(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
    before.revision = 1;
    struct purge purge = { .before_ms = INT64_MAX,
                           .failed_before_ms = INT64_MAX,
                           .keys_before_ms = INT64_MIN };
    struct purged purged;
    begin(f);
    assert_ok(f, store_purge(f->store, &purge, 10, &purged, &f->err));
    commit(f);
    assert_int_equal(
        put_by(f, second, (struct changeset){ .instance = &row, .before = &before, .history = STR("h") }),
        ST_AGAIN);
    assert_false(reader_sees(f, 1));
    store_close(second);
}

static enum status put_record_by(struct fixture *f, struct store *store, enum record_kind kind)
{
    struct record_row row = { .ns = NAMESPACE_DEFAULT, .kind = kind, .key = STR("k"), .value = STR("v") };
    return put_by(f, store, (struct changeset){ .record_put = &row, .record_put_count = 1 });
}

static void a_change_of_the_configuration_begins_a_generation(void **state)
{
    static const enum record_kind kinds[] = { RECORD_SECRET, RECORD_ROUTE,   RECORD_PAUSED,
                                              RECORD_MODEL,  RECORD_INDEXED, RECORD_SECRET_KEY };
    struct fixture *f = *state;
    struct store *second = join_node(f);
    int64_t generation = generation_of(f, second);
    store_set_generation(second, generation);
    for (size_t i = 0; i <= COUNT(kinds); i++) {
        if (i == COUNT(kinds)) put_definition(f, 1, "order", 1);
        else assert_int_equal(put_record_by(f, f->store, kinds[i]), ST_OK);
        /* The node that has changed it knows it, another one does not. */
        assert_int_equal(put_record_by(f, f->store, RECORD_SEEN), ST_OK);
        assert_int_equal(put_record_by(f, second, RECORD_SEEN), ST_AGAIN);
        assert_int_equal(put_record_by(f, second, kinds[0]), ST_AGAIN);
        int64_t newest = generation_of(f, second);
        assert_true(newest > generation);
        generation = newest;
        store_set_generation(second, generation);
        assert_int_equal(put_record_by(f, second, RECORD_SEEN), ST_OK);
    }

    /* A removal counts, too; what ticks do, how far an index is built, and what is rolled back, does not. */
    assert_int_equal(put_record_by(f, f->store, RECORD_SCHEDULE), ST_OK);
    assert_int_equal(put_record_by(f, f->store, RECORD_BUILT), ST_OK);
    begin(f);
    struct record_row row = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET, .key = STR("k") };
    apply(f, (struct changeset){ .record_remove = &row, .record_remove_count = 1 });
    store_rollback(f->store);
    assert_int_equal(generation_of(f, second), generation);
    assert_int_equal(put_record_by(f, f->store, RECORD_SEEN), ST_OK);
    put(f, (struct changeset){ .record_remove = &row, .record_remove_count = 1 });
    assert_true(generation_of(f, second) > generation);

    /* A node that joins knows the newest. */
    struct store *third = join_node(f);
    assert_int_equal(put_record_by(f, third, RECORD_SEEN), ST_OK);
    store_close(third);
    store_close(second);
}

/* ---- news ---- */

static void news_come_in_order_and_not_ones_own(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    assert_int_equal(hear_by(f, second).count, 0);
    tell_by(f, f->store, STR("one"));
    tell_by(f, f->store, STR("two\0\xff"));
    begin(f);
    assert_ok(f, store_news_write(f->store, STR("undone"), &f->err));
    store_rollback(f->store);
    assert_int_equal(hear_by(f, f->store).count, 0);
    struct heard heard = hear_by(f, second);
    assert_int_equal(heard.count, 2);
    assert_false(heard.lost);
    assert_str_equal(heard.text[0], STR("one"));
    assert_str_equal(heard.text[1], STR("two\0\xff"));
    assert_int_equal(hear_by(f, second).count, 0);

    /* A node that joins hears only of what comes. */
    struct store *third = join_node(f);
    tell_by(f, second, STR("three"));
    heard = hear_by(f, third);
    assert_int_equal(heard.count, 1);
    assert_str_equal(heard.text[0], STR("three"));
    assert_int_equal(hear_by(f, f->store).count, 1);
    assert_int_equal(hear_by(f, second).count, 0);

    /* A commit that fails tells nothing. */
    assert_int_equal(put_record_by(f, f->store, RECORD_SECRET), ST_OK);
    assert_ok(f, store_begin(third, &f->err));
    assert_ok(f, store_news_write(third, STR("never"), &f->err));
    assert_int_equal(store_commit(third, &f->err), ST_AGAIN);
    store_rollback(third);
    assert_int_equal(hear_by(f, second).count, 0);
    store_close(third);
    store_close(second);
}

static void long_news_come_in_parts(void **state)
{
    enum { COUNT_TOLD = 4, BYTES = HEARD_BYTES_MAX / 3 * 2 };
    struct fixture *f = *state;
    struct store *second = join_node(f);
    char *text = arena_alloc(&f->arena, BYTES);
    for (int i = 0; i < COUNT_TOLD; i++) {
        memset(text, 'a' + i, BYTES);
        tell_by(f, f->store, (str){ text, BYTES });
    }
    size_t count = 0, calls = 0;
    while (count < COUNT_TOLD) {
        struct heard heard = hear_by(f, second);
        assert_true(heard.count > 0 && heard.count < COUNT_TOLD);
        assert_false(heard.lost);
        for (size_t i = 0; i < heard.count; i++, count++) {
            assert_int_equal(heard.text[i].n, BYTES);
            assert_int_equal(heard.text[i].p[BYTES - 1], 'a' + (int)count);
        }
        calls++;
    }
    assert_true(calls > 1);
    assert_int_equal(hear_by(f, second).count, 0);
    store_close(second);
}

/* ---- waking ---- */

struct woken {
    atomic_bool of_jobs, of_access;
};

static void note_wake(void *context, enum store_wake why)
{
    struct woken *woken = context;
    atomic_store(why == STORE_WAKE_ACCESS ? &woken->of_access : &woken->of_jobs, true);
}

/* One may be lost. The first may come because the listener has connected. */
static void wake_until_heard(struct fixture *f, enum store_wake why, atomic_bool *heard)
{
    enum { TRIES_MAX = 1000, PAUSE_MS = 10 };
    atomic_store(heard, false);
    for (int i = 0; i < TRIES_MAX && !atomic_load(heard); i++) {
        store_wake_others(f->store, why);
        if (!atomic_load(heard)) poll(NULL, 0, PAUSE_MS);
    }
    assert_true(atomic_load(heard));
}

static void a_node_wakes_the_others(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    struct woken woken = { false, false };
    assert_ok(f, store_listen(second, note_wake, &woken, &f->err));
    wake_until_heard(f, STORE_WAKE_JOBS, &woken.of_jobs);
    wake_until_heard(f, STORE_WAKE_ACCESS, &woken.of_access);
    wake_until_heard(f, STORE_WAKE_JOBS, &woken.of_jobs);
    store_close(second);
}

static void another_node_reads_what_follows_a_revision(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE), before = row;
    str *blob;
    size_t count;
    before.last_history =
        put(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h1") });
    for (uint32_t revision = 1; revision <= NEXT_HISTORY_MAX + 1; revision++) {
        before.revision = revision;
        before.last_history =
            put(f, (struct changeset){ .instance = &row, .before = &before, .history = STR("h") });
    }
    assert_ok(f, store_next_history(second, 1, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, NEXT_HISTORY_MAX);
    assert_str_equal(blob[0], STR("h1"));
    assert_ok(f, store_next_history(second, 1, NEXT_HISTORY_MAX, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(blob[1], STR("h"));
    assert_ok(f, store_next_history(second, 1, NEXT_HISTORY_MAX + 2, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 0);
    assert_ok(f, store_next_history(second, 2, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 0);
    store_close(second);
}

/* ---- work that waits ---- */

enum { ALL_HELD, EARLY_X, EARLY_D, OF_ANOTHER_PLACE };

/* The first key of the third filter is that of the second one's stop. */
static const struct record_filter work_filters[] = {
    [ALL_HELD] = { .ns = 1, .kind = RECORD_HELD },
    [EARLY_X] = { .ns = 1, .kind = RECORD_EARLY, .prefix = STR_INIT("x"), .upto = STR_INIT("x5") },
    [EARLY_D] = { .ns = 1, .kind = RECORD_EARLY, .prefix = STR_INIT("d\xff") },
    [OF_ANOTHER_PLACE] = { .ns = 2, .kind = RECORD_HELD },
};

static struct work_found find_work(struct fixture *f)
{
    const struct work_question question = { .target = STR("later"),
                                            .bulk_state = 2,
                                            .lease_end_ms = 50,
                                            .filter = work_filters,
                                            .filter_count = COUNT(work_filters) };
    struct work_found found;
    assert_ok(f, store_find_work(f->store, &question, &f->arena, &found, &f->err));
    return found;
}

static void put_key(struct fixture *f, int32_t ns, enum record_kind kind, const char *key)
{
    const struct record_row row = { .ns = ns, .kind = kind, .key = str_of(key), .value = STR("v") };
    put(f, (struct changeset){ .record_put = &row, .record_put_count = 1 });
}

static void records_of_work_are_found_by_their_filters(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(find_work(f).records, 0);
    put_key(f, 1, RECORD_EARLY, "x5"); /* Behind the end. */
    put_key(f, 1, RECORD_EARLY, "d");  /* Before the prefix. */
    put_key(f, 1, RECORD_EARLY, "e");  /* Behind it. */
    put_key(f, 3, RECORD_HELD, "a");
    assert_int_equal(find_work(f).records, 0);
    put_key(f, 2, RECORD_HELD, "a");
    assert_int_equal(find_work(f).records, 1 << OF_ANOTHER_PLACE);
    put_key(f, 1, RECORD_EARLY, "x4\xff");
    put_key(f, 1, RECORD_EARLY, "d\xff");
    assert_int_equal(find_work(f).records, 1 << OF_ANOTHER_PLACE | 1 << EARLY_X | 1 << EARLY_D);
    put_key(f, 1, RECORD_HELD, "\xff\xff");
    assert_int_equal(find_work(f).records, (1 << COUNT(work_filters)) - 1);
}

static void starts_and_bulks_are_found_as_work(void **state)
{
    struct fixture *f = *state;
    const struct pending_row row[] = { { .parent = 1, .number = 1, .ns = 1, .target = STR("later") },
                                       { .parent = 2, .number = 1, .ns = 1, .target = STR("x") },
                                       { .parent = 3, .number = 1, .ns = 2, .target = STR("y") } };
    const struct bulk_row ends = { .ns = 1, .state = 2, .created_ms = 1, .ended_ms = 2 },
                          pauses = { .ns = 1, .state = 1, .created_ms = 1 },
                          goes_on = { .ns = 1, .state = 2, .created_ms = 1 };
    put(f, (struct changeset){ .pending_add = &row[1] });
    put(f, (struct changeset){ .bulk_add = &ends });
    put(f, (struct changeset){ .bulk_add = &pauses });
    struct work_found found = find_work(f);
    assert_false(found.starts || found.has_target || found.has_bulk);
    put_prior_definition(f, 1, "x", 1, 3);
    assert_int_equal(find_work(f).starts, 1 << 3);
    put_prior_definition(f, 2, "x", 2, 10); /* The latest version counts. */
    put_prior_definition(f, 3, "z", 1, 0);  /* Nothing waits for it. */
    assert_int_equal(find_work(f).starts, 1 << 10);
    put(f, (struct changeset){ .pending_add = &row[2] });
    assert_int_equal(find_work(f).starts, 1 << 10); /* That of the other tenant is not there. */
    put(f, (struct changeset){ .pending_add = &row[0] });
    put(f, (struct changeset){ .bulk_add = &goes_on });
    found = find_work(f);
    assert_int_equal(found.starts, 1 << 10);
    assert_true(found.has_target && found.has_bulk);
}

/* A back end that does not look says that there are some. */
static void jobs_are_found_as_work(void **state)
{
    struct fixture *f = *state;
    bool looks = f->store->nodes->find_work != NULL;
    assert_int_equal(find_work(f).has_offers, !looks);
    assert_int_equal(find_work(f).has_ended_leases, !looks);
    struct instance_row instance = { .id = 1, .ns = 1, .definition = 1, .created_ms = 1, .state = STR("s") };
    const struct job_row job = { .instance = 1, .number = 1, .queue = STR("q"), .available_ms = 90 };
    put_prior_definition(f, 1, "x", 1, 3);
    put(f, (struct changeset){ .instance = &instance,
                               .insert = true,
                               .history = STR("h"),
                               .job_add = &job,
                               .job_add_count = 1 });
    assert_true(find_work(f).has_offers);
    assert_int_equal(find_work(f).has_ended_leases, !looks);
    const struct job_claim claim = { STR("q"), 1 };
    struct job_row *row;
    struct instance_row *of;
    size_t count;
    assert_ok(f, store_claim_jobs(f->store, &claim, 1, 100, &f->arena, &row, &of, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(find_work(f).has_offers, !looks);
    struct job_row told = row[0];
    bool done;
    told.worker = STR("w");
    told.lease_ms = 50;
    assert_ok(f, store_extend_job(f->store, &told, &done, &f->err));
    assert_true(done);
    assert_true(find_work(f).has_ended_leases);
}

/* clang-format off */
#define NODE_SCENARIO_MAP(XX)                             \
    XX(nodes_heartbeat_and_are_listed_by_number)               \
    XX(a_node_that_leaves_is_dead_until_it_is_forgotten)  \
    XX(nodes_that_live_are_listed_before_the_dead)        \
    XX(a_fenced_node_commits_nothing_and_rejoins)         \
    XX(a_fenced_node_claims_nothing)                      \
    XX(numbers_of_nodes_are_never_the_same)               \
    XX(an_expectation_is_kept_or_breaks_the_commit)       \
    XX(the_second_writer_of_a_revision_tries_again)       \
    XX(a_history_that_comes_before_its_row_is_compared)   \
    XX(an_instance_that_was_purged_is_no_surprise)        \
    XX(a_change_of_the_configuration_begins_a_generation) \
    XX(another_node_reads_what_follows_a_revision)        \
    XX(news_come_in_order_and_not_ones_own)               \
    XX(long_news_come_in_parts)                           \
    XX(a_node_wakes_the_others)                           \
    XX(records_of_work_are_found_by_their_filters)        \
    XX(starts_and_bulks_are_found_as_work)                \
    XX(jobs_are_found_as_work)
/* clang-format on */

#endif
