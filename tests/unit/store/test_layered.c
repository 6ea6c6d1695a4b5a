/* A layered store shows what one store with all rows would show. */
#include "fixture.h"

#include "base/buf.h"
#include "store/store_int.h"

enum { DEFINITIONS = 3, IDS = 40, ROUNDS = 60, CHANGES_PER_ROUND = 8 };

/* Two stores that get the same changes: in the layered one, instances with even ids are transient. */
struct pair {
    struct fixture plain, layered;
    struct store *under;
    uint64_t random;
    bool is_there[IDS + 1];
    struct instance_row row[IDS + 1];
    struct timer_row timer[IDS + 1];
    struct task_row task[IDS + 1];
    int children;
};

static uint64_t below(struct pair *pair, uint64_t n)
{
    pair->random = pair->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (pair->random >> 33) % n;
}

static void open_pair(struct pair *pair, uint64_t seed)
{
    *pair = (struct pair){ .random = seed };
    arena_init(&pair->plain.arena, 0);
    arena_init(&pair->layered.arena, 0);
    assert_int_equal(store_open_memory(&pair->plain.store, NULL), ST_OK);
    assert_int_equal(store_open_memory(&pair->under, NULL), ST_OK);
    pair->layered.store = store_layer(pair->under);
    assert_int_equal(store_reader_open(pair->plain.store, &pair->plain.reader, NULL), ST_OK);
    assert_int_equal(store_reader_open(pair->layered.store, &pair->layered.reader, NULL), ST_OK);
    for (int i = 1; i <= DEFINITIONS; i++) {
        char id[8];
        snprintf(id, sizeof id, "d%d", i % 2);
        put_definition(&pair->plain, i, id, i);
        put_definition(&pair->layered, i, id, i);
    }
}

static void close_pair(struct pair *pair)
{
    close_store(&pair->plain);
    close_store(&pair->layered);
    store_close(pair->under);
    arena_done(&pair->plain.arena);
    arena_done(&pair->layered.arena);
}

static void apply_both(struct pair *pair, const struct changeset *changeset)
{
    struct changeset a = *changeset, b = *changeset;
    assert_ok(&pair->plain, store_apply(pair->plain.store, &a, &pair->plain.err));
    assert_ok(&pair->layered, store_apply(pair->layered.store, &b, &pair->layered.err));
}

static struct instance_row random_row(struct pair *pair, uint64_t id)
{
    static const char *const keys[] = { "", "k1", "k2" };
    struct instance_row row =
        an_instance(id, 1 + (int64_t)(id % DEFINITIONS), (enum instance_status)below(pair, 4));
    row.business_key = str_of(keys[id % COUNT(keys)]);
    row.has_jobs = below(pair, 2);
    if (row.has_jobs) row.ended_ms = 0;
    row.is_transient = id % 2 == 0;
    return row;
}

/* Writes an instance anew or once more, with a timer, a task, a record and a failure that come and go. */
static void change(struct pair *pair)
{
    uint64_t id = 1 + below(pair, IDS), parent = 1 + below(pair, IDS);
    struct instance_row row = random_row(pair, id);
    struct changeset changeset = { .instance = &row, .insert = !pair->is_there[id] };
    struct timer_row timer = { (int64_t)below(pair, 100), id, 1 };
    struct task_row task = { .instance = id,
                             .execution = 1 + (uint32_t)below(pair, 3),
                             .ns = NAMESPACE_DEFAULT,
                             .definition = row.definition,
                             .node = STR("n"),
                             .label = below(pair, 2) ? STR("red") : STR("blue") };
    char key[16];
    snprintf(key, sizeof key, "k%02d", (int)id);
    struct record_row record = { NAMESPACE_DEFAULT, RECORD_HELD, str_of(key), STR("v"), 0 };
    struct failure_row failure = {
        .instance = id, .ns = NAMESPACE_DEFAULT, .definition = row.definition, .reason = STR("why")
    };
    struct child_row child = { parent, (uint32_t)++pair->children, id, false, false };
    if (pair->timer[id].instance) changeset.timer_remove = &pair->timer[id], changeset.timer_remove_count = 1;
    if (pair->task[id].instance) changeset.task_remove = &pair->task[id], changeset.task_remove_count = 1;
    bool has_timer = below(pair, 2), has_task = below(pair, 2);
    if (has_timer) changeset.timer_add = &timer, changeset.timer_add_count = 1;
    if (has_task) changeset.task_add = &task, changeset.task_add_count = 1;
    if (below(pair, 2)) changeset.record_put = &record, changeset.record_put_count = 1;
    else changeset.record_remove = &record, changeset.record_remove_count = 1;
    if (row.status == INSTANCE_FAILED) changeset.failure_put = &failure;
    else changeset.failure_remove = &failure;
    if (pair->is_there[parent] && below(pair, 2)) changeset.child_add = &child;
    apply_both(pair, &changeset);
    pair->is_there[id] = true;
    pair->row[id] = row;
    pair->timer[id] = has_timer ? timer : (struct timer_row){ 0 };
    pair->task[id] = has_task ? task : (struct task_row){ 0 };
}

/* ---- what a store shows, as a text ---- */

static void show_instances(struct fixture *fixture, struct instance_filter filter, struct buf *out)
{
    struct instance_row *row;
    size_t count;
    int64_t total;
    assert_ok(fixture, reader_instances(fixture->reader, &filter, &fixture->arena, &row, &count, &total,
                                        &fixture->err));
    buf_printf(out, "instances %lld:", (long long)total);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %d %.*s/%d %d", (int)row[i].id, STR_ARG(row[i].definition_id),
                   row[i].definition_version, (int)row[i].status);
    buf_add_char(out, '\n');
}

static void show_selections(struct fixture *fixture, struct selection_filter filter, struct buf *out)
{
    struct instance_row *row;
    struct failure_row *failure;
    size_t count;
    assert_ok(fixture,
              reader_candidates(fixture->reader, &filter, &fixture->arena, &row, &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " %d", (int)row[i].id);
    assert_ok(fixture,
              reader_failures(fixture->reader, &filter, &fixture->arena, &failure, &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " f%d", (int)failure[i].instance);
    filter.newest = true;
    assert_ok(fixture,
              reader_failures(fixture->reader, &filter, &fixture->arena, &failure, &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " n%d", (int)failure[i].instance);
    buf_add_char(out, '\n');
}

static void show_tasks(struct fixture *fixture, const struct task_filter *filter,
                       const struct worklist_filter *worklist, struct buf *out)
{
    struct task_row *row;
    size_t count;
    int64_t total;
    struct worklist_filter page = *worklist;
    assert_ok(fixture,
              reader_tasks(fixture->reader, filter, &fixture->arena, &row, &count, &total, &fixture->err));
    buf_printf(out, "tasks %lld:", (long long)total);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %d.%d %.*s", (int)row[i].instance, (int)row[i].execution,
                   STR_ARG(row[i].definition_id));
    do {
        assert_ok(fixture, reader_worklist(fixture->reader, &page, &fixture->arena, &row, &count, &page.after,
                                           &fixture->err));
        buf_add_str(out, STR(" page"));
        for (size_t i = 0; i < count; i++)
            buf_printf(out, " %d.%d", (int)row[i].instance, (int)row[i].execution);
    } while (page.after.instance);
    buf_add_char(out, '\n');
}

static void show_rest(struct fixture *fixture, uint64_t parent, size_t max, struct buf *out)
{
    struct child_listed *child;
    struct record_row *record;
    struct timer_row timer[IDS];
    struct store_statistics statistics;
    uint64_t *id, found;
    size_t count;
    int64_t total;
    assert_ok(fixture, reader_children(fixture->reader, parent, max, &fixture->arena, &child, &count, &total,
                                       &fixture->err));
    buf_printf(out, "children of %d: %lld:", (int)parent, (long long)total);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, " %u %d %d", child[i].child.number, (int)child[i].instance.id,
                   (int)child[i].instance.status);
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_HELD,
                                          .prefix = STR("k"),
                                          .max = max,
                                          .skip = parent % 4,
                                          .down = parent % 2 };
    assert_ok(fixture,
              reader_records(fixture->reader, &filter, &fixture->arena, &record, &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " %.*s", STR_ARG(record[i].key));
    assert_ok(fixture,
              store_records(fixture->store, &filter, &fixture->arena, &record, &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " %.*s", STR_ARG(record[i].key));
    assert_ok(fixture, store_timers(fixture->store, &(struct timer_row){ 20, parent, 0 }, 80, timer, max,
                                    &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " t%d", (int)timer[i].instance);
    assert_ok(fixture, store_ids_with_jobs(fixture->store, TENANT_ANY, parent, max, &fixture->arena, &id,
                                           &count, &fixture->err));
    for (size_t i = 0; i < count; i++) buf_printf(out, " j%d", (int)id[i]);
    assert_ok(fixture,
              store_count_living(fixture->store, NAMESPACE_DEFAULT, STR("d1"), &total, &fixture->err));
    bool is_held;
    assert_ok(fixture, found_asked(store_find_business_key(fixture->store, NAMESPACE_DEFAULT, STR("d0"),
                                                           STR("k1"), &found, &fixture->err),
                                   &is_held));
    assert_ok(fixture, reader_statistics(fixture->reader, &statistics, &fixture->err));
    buf_printf(out, " living %lld key %d timers %lld tasks %lld", (long long)total, is_held,
               (long long)statistics.timers, (long long)statistics.tasks);
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++)
        buf_printf(out, " %lld", (long long)statistics.instances_by_status[i]);
    buf_add_char(out, '\n');
}

static str show(struct fixture *fixture, struct pair *pair)
{
    struct buf out;
    buf_init(&out, &fixture->arena);
    for (int i = 0; i < 8; i++) {
        struct instance_filter instances = { .ns = NAMESPACE_DEFAULT,
                                             .definition_id = below(pair, 2) ? STR("d1") : STR_NONE,
                                             .status = (int32_t)below(pair, 5) - 1,
                                             .before = below(pair, 2) ? below(pair, IDS) : 0,
                                             .skip = (int64_t)below(pair, 3) * (int64_t)below(pair, 15),
                                             .max = 1 + below(pair, 12) };
        struct selection_filter selection = { .ns = NAMESPACE_DEFAULT,
                                              .statuses = (uint32_t)below(pair, 16),
                                              .after_definition = (int64_t)below(pair, 3),
                                              .after = below(pair, IDS),
                                              .upto = IDS,
                                              .max = 1 + below(pair, 12) };
        struct task_filter tasks = { .ns = NAMESPACE_DEFAULT,
                                     .label = below(pair, 2) ? STR("red") : STR_NONE,
                                     .after_instance = below(pair, IDS),
                                     .max = 1 + below(pair, 8) };
        struct worklist_filter worklist = { .ns = NAMESPACE_DEFAULT,
                                            .is_free = true,
                                            .max = 1 + below(pair, 8) };
        show_instances(fixture, instances, &out);
        show_selections(fixture, selection, &out);
        show_tasks(fixture, &tasks, &worklist, &out);
        show_rest(fixture, 1 + below(pair, IDS), 1 + below(pair, IDS - 1), &out);
    }
    return buf_str(&out);
}

static void expect_the_same(struct pair *pair)
{
    uint64_t random = pair->random;
    str plain = show(&pair->plain, pair);
    pair->random = random;
    str layered = show(&pair->layered, pair);
    if (!str_equal(plain, layered))
        fail_msg("one store:\n%.*s\ntwo in layers:\n%.*s", STR_ARG(plain), STR_ARG(layered));
}

static void lists_of_both_are_those_of_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct pair pair;
        open_pair(&pair, seed);
        for (int round = 0; round < ROUNDS; round++) {
            begin(&pair.plain);
            begin(&pair.layered);
            struct pair before = pair;
            for (int i = 0; i < CHANGES_PER_ROUND; i++) change(&pair);
            if (below(&pair, 4)) {
                commit(&pair.plain);
                commit(&pair.layered);
            } else {
                store_rollback(pair.plain.store);
                store_rollback(pair.layered.store);
                memcpy(pair.is_there, before.is_there, sizeof pair.is_there);
                memcpy(pair.row, before.row, sizeof pair.row);
                memcpy(pair.timer, before.timer, sizeof pair.timer);
                memcpy(pair.task, before.task, sizeof pair.task);
            }
            expect_the_same(&pair);
        }
        close_pair(&pair);
    }
}

/* ---- what is transient ---- */

static void put_transient(struct fixture *fixture, uint64_t id, enum instance_status status)
{
    struct instance_row row = an_instance(id, 1, status);
    row.is_transient = true;
    put_instance(fixture, &row);
}

static int setup_layer(void **state)
{
    struct pair *pair = calloc(1, sizeof *pair);
    open_pair(pair, 1);
    *state = pair;
    return 0;
}

static int teardown_layer(void **state)
{
    close_pair(*state);
    free(*state);
    return 0;
}

/* As if the process had died. */
static void reopen_layer(struct pair *pair)
{
    close_store(&pair->layered);
    pair->layered.store = store_layer(pair->under);
    assert_int_equal(store_reader_open(pair->layered.store, &pair->layered.reader, NULL), ST_OK);
}

static void a_transient_instance_is_gone_with_the_layer_and_its_id_is_not_given_again(void **state)
{
    struct pair *pair = *state;
    struct instance_row row;
    struct store_numbers next = { 0 };
    put_transient(&pair->layered, 7, INSTANCE_ACTIVE);
    assert_int_equal(load_instance(&pair->layered, 7).id, 7);
    assert_int_equal(
        found_needed(store_load_instance(pair->under, TENANT_ANY, 7, &pair->layered.arena, &row, NULL)),
        ST_NOT_FOUND);
    reopen_layer(pair);
    assert_false(reader_sees(&pair->layered, 7));
    assert_int_equal(store_take_numbers(pair->layered.store, &next, NULL), ST_OK);
    assert_true(next.instance > 7);
}

static void a_reservation_that_was_rolled_back_is_made_again(void **state)
{
    struct pair *pair = *state;
    struct instance_row row = an_instance(9, 1, INSTANCE_ACTIVE);
    struct store_numbers next = { 0 };
    row.is_transient = true;
    begin(&pair->layered);
    apply(&pair->layered, (struct changeset){ .instance = &row, .insert = true });
    store_rollback(pair->layered.store);
    put_transient(&pair->layered, 9, INSTANCE_ACTIVE);
    assert_int_equal(store_take_numbers(pair->under, &next, NULL), ST_OK);
    assert_true(next.instance > 9);
}

static void a_transient_instance_has_no_history_unless_asked_for(void **state)
{
    struct pair *pair = *state;
    str *blob;
    size_t count;
    put_transient(&pair->layered, 3, INSTANCE_ACTIVE);
    assert_ok(&pair->layered, reader_history(pair->layered.reader, 3, 0, 0, &pair->layered.arena, &blob,
                                             &count, &pair->layered.err));
    assert_int_equal(count, 0);
    reopen_layer(pair);
    store_layer_keep_histories(pair->layered.store);
    put_transient(&pair->layered, 3 + 100000, INSTANCE_ACTIVE);
    assert_ok(&pair->layered, reader_history(pair->layered.reader, 3 + 100000, 0, 0, &pair->layered.arena,
                                             &blob, &count, &pair->layered.err));
    assert_int_equal(count, 1);
}

static void only_so_many_that_have_ended_are_kept(void **state)
{
    struct pair *pair = *state;
    enum { MORE = 10, KEPT = 5000 };
    for (uint64_t id = 1; id <= KEPT + MORE; id++) put_transient(&pair->layered, id, INSTANCE_COMPLETED);
    put_transient(&pair->layered, KEPT + MORE + 1, INSTANCE_ACTIVE);
    assert_false(reader_sees(&pair->layered, MORE));
    assert_true(reader_sees(&pair->layered, MORE + 1));
    struct transients transients = store_transients(pair->layered.store);
    assert_int_equal(transients.living, 1);
    assert_int_equal(transients.bytes, (KEPT + 1) * STR("state").n);
    assert_int_equal(store_transients(pair->under).living, 0);
}

/* Large ones that have ended leave room for those that live. */
static void only_so_many_bytes_of_ended_ones_are_kept(void **state)
{
    struct pair *pair = *state;
    enum { LARGE = 8 << 20, COUNT_OF_LARGE = 20 };
    char *large = calloc(1, LARGE);
    for (uint64_t id = 1; id <= COUNT_OF_LARGE; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED);
        row.is_transient = true;
        row.state = (str){ large, LARGE };
        put_instance(&pair->layered, &row);
    }
    assert_true(store_transients(pair->layered.store).bytes <= 64 << 20);
    assert_true(reader_sees(&pair->layered, COUNT_OF_LARGE));
    assert_false(reader_sees(&pair->layered, 1));
    free(large);
}

static void links_go_with_transient_instances(void **state)
{
    struct pair *pair = *state;
    struct fixture *fixture = &pair->layered;
    struct instance_row kept = an_instance(1, 1, INSTANCE_ACTIVE);
    struct child_row to_transient = { 1, 1, 2, true, false }, of_transient = { 2, 1, 3, true, false }, found;
    put_instance(fixture, &kept);
    struct instance_row child = an_instance(2, 1, INSTANCE_COMPLETED),
                        grandchild = an_instance(3, 1, INSTANCE_ACTIVE);
    child.is_transient = true;
    put(fixture, (struct changeset){ .instance = &child, .insert = true, .child_add = &to_transient });
    put(fixture, (struct changeset){ .instance = &grandchild, .insert = true, .child_add = &of_transient });
    assert_ok(fixture, found_needed(store_find_child(fixture->store, 1, 1, &found, &fixture->err)));
    assert_ok(fixture, found_needed(store_find_child(fixture->store, 2, 1, &found, &fixture->err)));
    assert_int_equal(found_needed(store_find_child(pair->under, 1, 1, &found, NULL)), ST_NOT_FOUND);
    assert_int_equal(found_needed(store_find_child(pair->under, 2, 1, &found, NULL)), ST_NOT_FOUND);
    const struct purge purge = { INT64_MIN, INT64_MIN, INT64_MIN, (uint64_t[]){ 2 }, 1 };
    struct purged purged;
    begin(fixture);
    assert_ok(fixture, store_purge(fixture->store, &purge, 10, &purged, &fixture->err));
    commit(fixture);
    assert_int_equal(purged.total, 1);
    assert_int_equal(purged.instances[INSTANCE_COMPLETED], 1);
    assert_int_equal(found_needed(store_find_child(fixture->store, 1, 1, &found, NULL)), ST_NOT_FOUND);
    assert_int_equal(found_needed(store_find_child(fixture->store, 2, 1, &found, NULL)), ST_NOT_FOUND);
    assert_true(reader_sees(fixture, 3));
}

static void a_failed_commit_leaves_nothing_in_memory(void **state)
{
    struct pair *pair = *state;
    struct instance_row row = an_instance(5, 1, INSTANCE_ACTIVE);
    row.is_transient = true;
    begin(&pair->layered);
    apply(&pair->layered, (struct changeset){ .instance = &row, .insert = true });
    pair->under->must_roll_back = true;
    assert_int_equal(store_commit(pair->layered.store, &pair->layered.err), ST_STORE);
    store_rollback(pair->layered.store);
    assert_false(reader_sees(&pair->layered, 5));
    pair->layered.store->broken = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_both_are_those_of_one),
#define XX(name) cmocka_unit_test_setup_teardown(name, setup_layer, teardown_layer)
        XX(a_transient_instance_is_gone_with_the_layer_and_its_id_is_not_given_again),
        XX(a_reservation_that_was_rolled_back_is_made_again),
        XX(a_transient_instance_has_no_history_unless_asked_for),
        XX(only_so_many_that_have_ended_are_kept),
        XX(only_so_many_bytes_of_ended_ones_are_kept),
        XX(links_go_with_transient_instances),
        XX(a_failed_commit_leaves_nothing_in_memory),
#undef XX
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
