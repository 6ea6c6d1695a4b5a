/* Scenarios of readers: what they see, in which order, and how much of it. */
#include "fixture.h"

#include <pthread.h>

static void a_reader_sees_what_is_committed_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    begin(f);
    apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
    assert_false(reader_sees(f, 1));
    commit(f);
    assert_true(reader_sees(f, 1));

    row.state = STR("next");
    begin(f);
    apply(f, (struct changeset){ .instance = &row, .history = STR("h") });
    struct instance_row seen;
    assert_ok(f, found_needed(reader_instance(f->reader, TENANT_ANY, 1, &f->arena, &seen, &f->err)));
    assert_str_equal(seen.state, STR("state"));
    assert_str_equal(seen.definition_id, STR("order"));
    commit(f);
    assert_ok(f, found_needed(reader_instance(f->reader, TENANT_ANY, 1, &f->arena, &seen, &f->err)));
    assert_str_equal(seen.state, STR("next"));
    assert_int_equal(found_needed(reader_instance(f->reader, TENANT_ANY, 2, &f->arena, &seen, &f->err)),
                     ST_NOT_FOUND);
}

static void answers_of_a_reader_can_be_bounded(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE),
                        three = an_instance(3, 1, INSTANCE_ACTIVE);
    one.state = two.state = three.state = STR("0123456789");
    put_instance(f, &one);
    put_instance(f, &two);
    put_instance(f, &three);
    put(f, (struct changeset){ .instance = &one, .history = STR("0123456789") });
    put(f, (struct changeset){ .instance = &one, .history = STR("abcdefghij") });

    /* Instances all come, some without their states; of a history what fits, and one row more. */
    static const struct {
        size_t bytes;
        size_t states, blobs;
    } cases[] = { { 0, 3, 3 }, { 1, 1, 1 }, { 10, 1, 2 }, { 12, 2, 2 }, { 13, 2, 3 }, { 99, 3, 3 } };
    const struct instance_filter filters[] = { { .ns = 1, .status = -1, .max = 9 },
                                               { .ns = 1, .status = INSTANCE_ACTIVE, .max = 9 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        reader_bound(f->reader, cases[i].bytes);
        for (size_t k = 0; k < COUNT(filters); k++) {
            struct instance_row *row;
            size_t count, states = 0;
            assert_ok(f, reader_instances(f->reader, &filters[k], &f->arena, &row, &count, NULL, &f->err));
            assert_int_equal(count, 3);
            for (size_t j = 0; j < count; j++) {
                states += row[j].state.n > 0;
                assert_int_equal(row[j].id, 3 - j);
                assert_str_equal(row[j].definition_id, STR("order"));
            }
            assert_int_equal(states, cases[i].states);
        }
        str *blob;
        size_t count;
        assert_ok(f, reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err));
        assert_int_equal(count, cases[i].blobs);
        assert_ok(f, reader_history(f->reader, 1, 2, 0, &f->arena, &blob, &count, &f->err));
        assert_int_equal(count, 1);
        assert_str_equal(blob[0], STR("abcdefghij"));
    }
    reader_bound(f->reader, 0);
}

static void history_comes_oldest_first_from_any_revision(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    put_instance(f, &two); /* Rows of two instances alternate. */
    int64_t last = 0;
    for (int i = 2; i <= 5; i++) {
        str blob = arena_printf(&f->arena, "h%d", i);
        int64_t id = put(f, (struct changeset){ .instance = &one, .history = blob });
        assert_true(id > last);
        last = id;
        update_instance(f, &two, "other");
    }
    assert_int_equal(load_instance(f, 1).last_history, last);
    static const struct {
        uint32_t after;
        size_t max;
        const char *want;
    } cases[] = {
        { 0, 0, "h1h2h3h4h5" }, { 0, 5, "h1h2h3h4h5" }, { 0, 9, "h1h2h3h4h5" }, { 0, 2, "h1h2" },
        { 2, 0, "h3h4h5" },     { 2, 1, "h3" },         { 4, 0, "h5" },         { 5, 0, "" },
        { 6, 0, "" },           { UINT32_MAX, 0, "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        str *blob;
        size_t count;
        char got[32] = "";
        assert_ok(
            f, reader_history(f->reader, 1, cases[i].after, cases[i].max, &f->arena, &blob, &count, &f->err));
        for (size_t j = 0; j < count; j++) strncat(got, blob[j].p, blob[j].n);
        assert_string_equal(got, cases[i].want);
    }
    str *blob;
    size_t count;
    assert_int_equal(reader_history(f->reader, 3, 0, 0, &f->arena, &blob, &count, &f->err), ST_NOT_FOUND);

    /* A change without history leaves the chain as it is. */
    begin(f);
    assert_int_equal(apply(f, (struct changeset){ .instance = &one }), last);
    commit(f);
    assert_ok(f, reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 5);
}

/* What a page of history holds, and the revision behind it: "h3h2>1". */
static str history_page(struct fixture *f, const struct history_filter *filter,
                        struct history_place *ret_next)
{
    struct history_row *row;
    size_t count;
    struct buf text;
    buf_init(&text, &f->arena);
    assert_ok(f, reader_history_back(f->reader, filter, &f->arena, &row, &count, ret_next, &f->err));
    for (size_t i = 0; i < count; i++) buf_add_str(&text, row[i].blob);
    for (size_t i = 0; i < count; i++) { /* Each says where it is. */
        const struct history_filter one = { filter->instance, row[i].place, INT64_MAX, 1 };
        struct history_row *again;
        struct history_place behind;
        size_t one_count;
        assert_ok(f, reader_history_back(f->reader, &one, &f->arena, &again, &one_count, &behind, &f->err));
        assert_str_equal(again->blob, row[i].blob);
    }
    buf_printf(&text, ">%u", ret_next->revision);
    return buf_str(&text);
}

static void history_comes_newest_first_from_any_place_and_time(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    put_instance(f, &two);
    static const int64_t at_ms[] = { 9020, 9030, 9010, 9040 }; /* The clock was set back once. */
    for (int i = 2; i <= 5; i++)
        put(f, (struct changeset){
                   .instance = &one, .history = arena_printf(&f->arena, "h%d", i), .at_ms = at_ms[i - 2] });
    static const struct {
        uint32_t from;
        int64_t upto_ms;
        size_t max;
        const char *want;
    } cases[] = {
        { 0, INT64_MAX, 9, "h5h4h3h2h1>0" },
        { 0, INT64_MAX, 2, "h5h4>3" },
        { 3, INT64_MAX, 1, "h3>2" },
        { 1, INT64_MAX, 9, "h1>0" },
        { 0, 9039, 1, "h4>3" },
        { 0, 9010, 9, "h4h3h2h1>0" },
        { 3, 9025, 9, "h2h1>0" },
        { 0, 1, 9, ">0" },
        { 9, INT64_MAX, 1, "h5>4" },
        { 0, INT64_MAX, 0, ">5" },
    };
    struct history_place next;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct history_filter filter = { 1, { cases[i].from, 0 }, cases[i].upto_ms, cases[i].max };
        assert_str_equal(history_page(f, &filter, &next), str_of(cases[i].want));
    }

    /* A place that the store gave goes on from there; one that somebody made up does no harm. */
    struct history_filter filter = { 1, { 0, 0 }, INT64_MAX, 2 };
    history_page(f, &filter, &next);
    filter.from = next;
    assert_str_equal(history_page(f, &filter, &next), STR("h3h2>1"));
    for (int64_t row = -1; row < 9; row++) {
        filter.from = (struct history_place){ 3, row };
        assert_str_equal(history_page(f, &filter, &next), STR("h3h2>1"));
    }
    struct history_row *row;
    size_t count;
    filter.instance = 3;
    assert_int_equal(reader_history_back(f->reader, &filter, &f->arena, &row, &count, &next, &f->err),
                     ST_NOT_FOUND);
    filter = (struct history_filter){ 1, { 0, 0 }, INT64_MAX, 9 };
    reader_bound(f->reader, 3);
    assert_str_equal(history_page(f, &filter, &next), STR("h5h4>3"));
    reader_bound(f->reader, 0);
}

static void a_long_history_is_walked_back_in_parts(void **state)
{
    enum { LONG = 10002 };
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    begin(f);
    for (int i = 2; i <= LONG; i++)
        apply(f, (struct changeset){ .instance = &one, .history = STR("h"), .at_ms = 9000 + i });
    commit(f);
    struct history_filter filter = { 1, { 0, 0 }, one.created_ms, 5 };
    struct history_place next;
    str page = history_page(f, &filter, &next);
    size_t parts = 1;
    for (; next.revision; parts++) {
        assert_true(parts < 3 && str_starts(page, STR(">")));
        filter.from = next;
        page = history_page(f, &filter, &next);
    }
    assert_str_equal(page, STR("h1>0"));
}

/* The row that says it lives on comes once, after the history of three commands. */
static void history_can_come_before_the_row_it_belongs_to(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    for (int round = 0; round < 2; round++) { /* The first is rolled back. */
        struct instance_row newest = load_instance(f, 1);
        int64_t first = newest.last_history;
        newest.revision = 1;
        begin(f);
        for (int i = 2; i <= 4; i++) {
            str blob = arena_printf(&f->arena, "h%d", i);
            newest.last_history =
                apply(f, (struct changeset){
                             .instance = &one, .before = &newest, .row_later = true, .history = blob });
            newest.revision++;
        }
        assert_true(newest.last_history > first);
        assert_str_equal(load_instance(f, 1).state, STR("state"));
        assert_int_equal(load_instance(f, 1).last_history, first);
        struct instance_row after = an_instance(1, 1, INSTANCE_WAITING);
        after.state = STR("after");
        assert_int_equal(apply(f, (struct changeset){ .instance = &after, .before = &newest }),
                         newest.last_history);
        if (round) commit(f);
        else store_rollback(f->store);
        struct instance_row row = load_instance(f, 1);
        assert_str_equal(row.state, round ? STR("after") : STR("state"));
        assert_int_equal(row.status, round ? INSTANCE_WAITING : INSTANCE_ACTIVE);
        assert_int_equal(row.last_history, round ? newest.last_history : first);
    }
    str *blob;
    size_t count;
    assert_ok(f, reader_history(f->reader, 1, 2, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(blob[0], STR("h3"));
    assert_str_equal(blob[1], STR("h4"));
    struct store_statistics statistics;
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.instances_by_status[INSTANCE_WAITING], 1);
    assert_int_equal(statistics.instances_by_status[INSTANCE_ACTIVE], 0);
}

/* ---- beside the writer ---- */

enum { PAIRS = 150 };

struct watcher {
    struct store_reader *reader;
    int64_t odd_totals; /* How often a total was odd: half a commit. */
    int64_t last_total;
    bool failed;
};

/* Lists until everything is there. Asserts nothing: it is not the test's thread. */
static void *watch(void *context)
{
    struct watcher *watcher = context;
    struct arena arena;
    arena_init(&arena, 0);
    const struct instance_filter filter = { .ns = 1, .status = INSTANCE_ACTIVE, .max = 10 };
    while (!watcher->failed && watcher->last_total < 2 * PAIRS) {
        struct instance_row *row;
        size_t count;
        int64_t total = 0;
        arena_reset(&arena);
        enum status status = reader_instances(watcher->reader, &filter, &arena, &row, &count, &total, NULL);
        watcher->failed =
            status != ST_OK || total < watcher->last_total || count != (size_t)(total < 10 ? total : 10);
        watcher->odd_totals += total % 2;
        watcher->last_total = total;
    }
    arena_done(&arena);
    return NULL;
}

static void a_reader_in_another_thread_never_sees_half_a_commit(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct watcher watcher = { .reader = f->reader };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    for (uint64_t i = 0; i < PAIRS; i++) {
        struct instance_row one = an_instance(2 * i + 1, 1, INSTANCE_ACTIVE);
        struct instance_row two = an_instance(2 * i + 2, 1, INSTANCE_ACTIVE);
        begin(f);
        apply(f, (struct changeset){ .instance = &one, .insert = true, .history = STR("h") });
        apply(f, (struct changeset){ .instance = &two, .insert = true, .history = STR("h") });
        commit(f);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(watcher.failed);
    assert_int_equal(watcher.odd_totals, 0);
}

/* ---- lists of instances ---- */

enum { LISTED = 100 };

/* Ids 1..100: definition 1 + id % 3 ("a" 1, "b" 1, "b" 2), status id % 5, every fourth with a key. */
static struct instance_row listed(uint64_t id)
{
    struct instance_row row =
        an_instance(id, 1 + (int64_t)(id % 3), (enum instance_status)(id % INSTANCE_STATUS_COUNT));
    row.has_jobs = row.status == INSTANCE_ACTIVE || (row.status == INSTANCE_WAITING && id % 2);
    if (id % 4 == 0) row.business_key = id % 8 ? STR("odd") : STR("even");
    return row;
}

static void put_listed(struct fixture *f)
{
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "b", 2);
    begin(f);
    for (uint64_t id = 1; id <= LISTED; id++) {
        /* They start elsewhere and move to their place, as in life. */
        struct instance_row row = listed(id), start = row;
        start.status = INSTANCE_ACTIVE;
        start.has_jobs = true;
        start.ended_ms = 0;
        apply(f, (struct changeset){ .instance = &start, .insert = true, .history = STR("h") });
        apply(f, (struct changeset){ .instance = &row, .history = STR("h") });
    }
    commit(f);
}

static bool filter_wants(const struct instance_filter *filter, const struct instance_row *row)
{
    str definition = row->definition == 1 ? STR("a") : STR("b");
    return filter->ns == 1 && (filter->status < 0 || filter->status == (int32_t)row->status) &&
           (!filter->definition_id.n || str_equal(filter->definition_id, definition)) &&
           (!filter->business_key.n || str_equal(filter->business_key, row->business_key));
}

/* Compares a page with what a plain scan over all ids gives. */
static void check_list(struct fixture *f, const struct instance_filter *filter)
{
    uint64_t want[LISTED];
    size_t want_count = 0;
    int64_t want_total = 0, skip = filter->skip;
    for (uint64_t id = LISTED; id > 0; id--) {
        struct instance_row row = listed(id);
        if (!filter_wants(filter, &row)) continue;
        want_total++;
        if ((filter->before && id >= filter->before) || skip-- > 0 || want_count == filter->max) continue;
        want[want_count++] = id;
    }
    struct instance_row *row;
    size_t count;
    int64_t total;
    assert_ok(f, reader_instances(f->reader, filter, &f->arena, &row, &count, &total, &f->err));
    assert_int_equal(total, want_total);
    assert_int_equal(count, want_count);
    for (size_t i = 0; i < count; i++) {
        struct instance_row wanted = listed(want[i]);
        assert_int_equal(row[i].id, want[i]);
        assert_int_equal(row[i].status, wanted.status);
        assert_int_equal(row[i].has_jobs, wanted.has_jobs);
        assert_int_equal(row[i].ended_ms, wanted.ended_ms);
        assert_str_equal(row[i].business_key, wanted.business_key);
        assert_str_equal(row[i].definition_id, wanted.definition == 1 ? STR("a") : STR("b"));
        assert_int_equal(row[i].definition_version, wanted.definition == 3 ? 2 : 1);
    }
    assert_ok(f, reader_instances(f->reader, filter, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, want_count);
}

static void lists_obey_every_filter_cursor_and_page(void **state)
{
    struct fixture *f = *state;
    put_listed(f);
    static const str definitions[] = { STR_INIT(""), STR_INIT("a"), STR_INIT("b"), STR_INIT("none") };
    static const str keys[] = { STR_INIT(""), STR_INIT("even"), STR_INIT("odd"), STR_INIT("none") };
    static const struct {
        uint64_t before;
        int64_t skip;
        size_t max;
    } pages[] = {
        { 0, 0, LISTED }, { 0, 0, 7 },  { 0, 3, 7 }, { 60, 0, 7 },  { 60, 2, 7 },
        { 1, 0, 7 },      { 0, 99, 7 }, { 0, 0, 0 }, { 0, 500, 7 }, { 1000, 0, 200 },
    };
    for (size_t d = 0; d < COUNT(definitions); d++)
        for (size_t k = 0; k < COUNT(keys); k++)
            for (int32_t status = -1; status < INSTANCE_STATUS_COUNT; status++)
                for (size_t p = 0; p < COUNT(pages); p++) {
                    struct instance_filter filter = {
                        .ns = 1,
                        .definition_id = definitions[d],
                        .status = status,
                        .business_key = keys[k],
                        .before = pages[p].before,
                        .skip = pages[p].skip,
                        .max = pages[p].max,
                    };
                    check_list(f, &filter);
                    arena_reset(&f->arena);
                }
    check_list(f, &(struct instance_filter){ .ns = 2, .status = -1, .max = 10 });
}

static void a_cursor_walks_a_list_once_while_new_ones_arrive(void **state)
{
    struct fixture *f = *state;
    put_listed(f);
    struct instance_filter filter = { .ns = 1, .definition_id = STR("b"), .status = -1, .max = 9 };
    uint64_t next = LISTED + 1, last = UINT64_MAX;
    size_t seen = 0;
    for (;;) {
        struct instance_row *row;
        size_t count;
        assert_ok(f, reader_instances(f->reader, &filter, &f->arena, &row, &count, NULL, &f->err));
        if (count == 0) break;
        for (size_t i = 0; i < count; i++) {
            assert_true(row[i].id < last);
            last = row[i].id;
        }
        seen += count;
        filter.before = last;
        struct instance_row added = an_instance(next++, 2, INSTANCE_ACTIVE);
        put_instance(f, &added);
    }
    assert_int_equal(seen, 67); /* Of 1..100 all but the multiples of three. */
}

static void statistics_count_what_is_there(void **state)
{
    struct fixture *f = *state;
    put_listed(f);
    struct timer_row timer[3] = { { 1, 1, 1 }, { 2, 1, 2 }, { 3, 1, 3 } };
    struct pending_row pending = { .parent = 1, .number = 1, .ns = 1, .target = STR("x") };
    put(f, (struct changeset){ .timer_add = timer, .timer_add_count = 3, .pending_add = &pending });
    struct store_statistics statistics;
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.definitions, 2);
    assert_int_equal(statistics.timers, 3);
    assert_int_equal(statistics.tasks, 0);
    assert_int_equal(statistics.pending, 1);
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++) assert_int_equal(statistics.instances_by_status[i], 20);
    assert_true(f->path[0] ? statistics.file_bytes > 0 : statistics.file_bytes == 0);
}

/* ---- definitions ---- */

static void definitions_are_listed_by_id_with_their_latest_version(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_definition(f, 2, "Refund", 1);
    put_definition(f, 3, "order", 2);
    put_definition(f, 4, "order-express", 1);
    put_definition(f, 5, "zebra", 7);
    static const struct {
        const char *keyword;
        int64_t skip;
        size_t max;
        const char *want;
        int64_t total;
    } cases[] = {
        { "", 0, 10, "Refund order order-express zebra ", 4 }, /* Byte order. */
        { "", 1, 2, "order order-express ", 4 },
        { "", 4, 2, "", 4 },
        { "", 0, 0, "", 4 },
        { "ORDER", 0, 10, "order order-express ", 2 },
        { "order", 1, 10, "order-express ", 2 },
        { "title of ref", 0, 10, "Refund ", 1 }, /* The title counts. */
        { "-e", 0, 10, "order-express ", 1 },
        { "%", 0, 10, "", 0 }, /* No wildcard. */
        { "a much longer keyword than any title here", 0, 10, "", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct definition_row *row;
        size_t count;
        int64_t total;
        char got[128] = "";
        assert_ok(f, reader_definitions(f->reader, 1, str_of(cases[i].keyword), cases[i].skip, cases[i].max,
                                        &f->arena, &row, &count, &total, &f->err));
        for (size_t j = 0; j < count; j++) {
            strncat(strncat(got, row[j].id.p, row[j].id.n), " ", 2);
            assert_int_equal(row[j].source.n, 0);
            if (str_equal(row[j].id, STR("order"))) assert_int_equal(row[j].number, 3);
        }
        assert_string_equal(got, cases[i].want);
        assert_int_equal(total, cases[i].total);
    }
    static const struct {
        const char *after;
        size_t max;
        const char *want;
    } pages[] = {
        { "", 10, "Refund order order-express zebra " },
        { "", 2, "Refund order " },
        { "order", 2, "order-express zebra " },
        { "ordf", 1, "zebra " },
        { "zebra", 5, "" },
        { "", 0, "" },
    };
    for (size_t i = 0; i < COUNT(pages); i++) {
        struct definition_row *listed;
        size_t count;
        char got[128] = "";
        assert_ok(f, reader_definitions_after(f->reader, 1, str_of(pages[i].after), pages[i].max, &f->arena,
                                              &listed, &count, &f->err));
        for (size_t j = 0; j < count; j++) {
            strncat(strncat(got, listed[j].id.p, listed[j].id.n), " ", 2);
            assert_int_equal(listed[j].source.n, 0);
            if (str_equal(listed[j].id, STR("order"))) assert_int_equal(listed[j].number, 3);
        }
        assert_string_equal(got, pages[i].want);
    }
    struct definition_row row;
    assert_ok(f, found_needed(reader_definition(f->reader, 1, STR("order"), 0, &f->arena, &row, &f->err)));
    assert_int_equal(row.version, 2);
    assert_true(row.source.n > 0);
    assert_ok(f, found_needed(reader_definition(f->reader, 1, STR("order"), 1, &f->arena, &row, &f->err)));
    assert_int_equal(row.number, 1);
    assert_ok(f, found_needed(reader_definition_by_number(f->reader, 5, &f->arena, &row, &f->err)));
    assert_int_equal(row.version, 7);
    assert_int_equal(found_needed(reader_definition(f->reader, 1, STR("order"), 9, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
    assert_int_equal(found_needed(reader_definition_by_number(f->reader, 9, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
}

/* Versions in the order they are put, and which is the latest then. */
static void the_latest_version_is_the_newest_of_the_highest_rank(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t rank;
        int32_t latest, previous;
    } cases[] = {
        { -5, 1, 0 }, { INT64_MIN, 1, 2 }, { 0, 3, 1 },         { 0, 4, 3 },         { 7, 5, 4 },
        { 6, 5, 6 },  { 7, 7, 5 },         { INT64_MAX, 8, 7 }, { INT64_MAX, 9, 8 }, { 0, 9, 8 },
    };
    put_ranked(f, 100, "orde", 20, INT64_MAX); /* Neighbours do not count. */
    put_ranked(f, 101, "orders", 20, INT64_MAX);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t version = (int32_t)i + 1;
        put_ranked(f, version, "order", version, cases[i].rank);
        struct definition_row found, *list;
        size_t count;
        assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), VERSION_LATEST, &f->arena,
                                                        &found, &f->err)));
        assert_int_equal(found.version, cases[i].latest);
        assert_true(found.rank == cases[cases[i].latest - 1].rank);
        assert_true(found.source.n > 0);
        assert_ok(f, found_needed(reader_definition(f->reader, 1, STR("order"), VERSION_LATEST, &f->arena,
                                                    &found, &f->err)));
        assert_int_equal(found.version, cases[i].latest);
        assert_ok(f,
                  reader_definitions(f->reader, 1, STR(""), 0, 9, &f->arena, &list, &count, NULL, &f->err));
        assert_int_equal(count, 3);
        assert_int_equal(list[1].number, cases[i].latest);
        assert_int_equal(list[1].version, cases[i].latest);

        assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), VERSION_NEWEST, &f->arena,
                                                        &found, &f->err)));
        assert_int_equal(found.version, version);
        enum status status = found_needed(
            store_find_definition(f->store, 1, STR("order"), VERSION_PREVIOUS, &f->arena, &found, &f->err));
        assert_int_equal(status, cases[i].previous ? ST_OK : ST_NOT_FOUND);
        if (status == ST_OK) assert_int_equal(found.version, cases[i].previous);
        assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), version, &f->arena, &found,
                                                        &f->err)));
        assert_true(found.rank == cases[i].rank);
    }
    struct definition_row found;
    for (int32_t version = VERSION_PREVIOUS; version <= VERSION_LATEST; version++) {
        assert_int_equal(
            found_needed(store_find_definition(f->store, 1, STR("ord"), version, &f->arena, &found, &f->err)),
            ST_NOT_FOUND);
        assert_int_equal(found_needed(store_find_definition(f->store, 2, STR("order"), version, &f->arena,
                                                            &found, &f->err)),
                         ST_NOT_FOUND);
    }
    struct definition_row retired = { .number = 9, .retired_ms = 77, .is_leaving = true };
    begin(f);
    apply(f, (struct changeset){ .definition_retire = &retired });
    commit(f);
    assert_ok(f, found_needed(reader_definition(f->reader, 1, STR("order"), VERSION_LATEST, &f->arena, &found,
                                                &f->err)));
    assert_true(found.version == 9 && found.retired_ms == 77 && found.is_leaving && found.source.n > 0);
    assert_ok(f,
              found_needed(store_find_definition(f->store, 1, STR("order"), 8, &f->arena, &found, &f->err)));
    assert_true(found.retired_ms == 0 && !found.is_leaving);
    struct store_statistics statistics;
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.definitions, 3);

    struct definition_row higher = {
        .number = 50, .ns = 1, .id = STR("orders"), .version = 21, .rank = INT64_MAX
    };
    begin(f);
    apply(f, (struct changeset){ .definition = &higher });
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("orders"), VERSION_LATEST, &f->arena,
                                                    &found, &f->err)));
    assert_int_equal(found.version, 21);
    store_rollback(f->store);
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("orders"), VERSION_LATEST, &f->arena,
                                                    &found, &f->err)));
    assert_int_equal(found.version, 20);
}

/* ---- tasks ---- */

static void put_tasks(struct fixture *f)
{
    static const str labels[] = { STR_INIT("sales"), STR_INIT("support"), STR_INIT("") };
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "b", 2);
    for (uint64_t id = 1; id <= 12; id++) {
        struct instance_row row = an_instance(id, 1 + (int64_t)(id % 3), INSTANCE_WAITING);
        struct task_row task[2];
        row.business_key = STR("key");
        for (uint32_t i = 0; i < 2; i++)
            task[i] = (struct task_row){ .instance = id,
                                         .execution = 9 + i,
                                         .ns = 1,
                                         .definition = row.definition,
                                         .created_ms = 70,
                                         .node = STR("approve"),
                                         .title = STR("Approve it"),
                                         .label = labels[(id + i) % 3] };
        put(f, (struct changeset){ .instance = &row,
                                   .insert = true,
                                   .history = STR("h"),
                                   .task_add = task,
                                   .task_add_count = 2 });
    }
}

static void check_tasks(struct fixture *f, const struct task_filter *filter, size_t want, int64_t want_total)
{
    struct task_row *row;
    size_t count;
    int64_t total;
    assert_ok(f, reader_tasks(f->reader, filter, &f->arena, &row, &count, &total, &f->err));
    assert_int_equal(total, want_total);
    assert_int_equal(count, want);
    uint64_t instance = filter->after_instance;
    uint32_t execution = filter->after_execution;
    for (size_t i = 0; i < count; i++) {
        assert_true(row[i].instance > instance ||
                    (row[i].instance == instance && row[i].execution > execution));
        instance = row[i].instance;
        execution = row[i].execution;
        if (filter->label.n) assert_str_equal(row[i].label, filter->label);
        if (filter->definition_id.n) assert_str_equal(row[i].definition_id, filter->definition_id);
        if (filter->instance) assert_int_equal(row[i].instance, filter->instance);
    }
}

static void tasks_obey_every_filter_and_cursor(void **state)
{
    struct fixture *f = *state;
    put_tasks(f);
    static const struct {
        struct task_filter filter;
        size_t want;
        int64_t total;
    } cases[] = {
        { { .ns = 1, .max = 50 }, 24, 24 },
        { { .ns = 1, .max = 5 }, 5, 24 },
        { { .ns = 1, .max = 50, .after_instance = 6, .after_execution = 9 }, 13, 24 },
        { { .ns = 1, .max = 50, .after_instance = 12, .after_execution = 10 }, 0, 24 },
        { { .ns = 2, .max = 50 }, 0, 0 },
        { { .ns = 1, .max = 50, .instance = 4 }, 2, 2 },
        { { .ns = 1, .max = 50, .instance = 4, .after_instance = 4, .after_execution = 9 }, 1, 2 },
        { { .ns = 1, .max = 50, .instance = 4, .label = STR_INIT("support") }, 1, 1 },
        { { .ns = 1, .max = 50, .instance = 4, .definition_id = STR_INIT("a") }, 0, 0 },
        { { .ns = 1, .max = 50, .instance = 99 }, 0, 0 },
        { { .ns = 1, .max = 50, .definition_id = STR_INIT("a") }, 8, 8 },
        { { .ns = 1, .max = 50, .definition_id = STR_INIT("b") }, 16, 16 },
        { { .ns = 1, .max = 7, .definition_id = STR_INIT("b") }, 7, 16 },
        { { .ns = 1, .max = 50, .definition_id = STR_INIT("b"), .after_instance = 8, .after_execution = 9 },
          5,
          16 },
        { { .ns = 1, .max = 50, .definition_id = STR_INIT("c") }, 0, 0 },
        { { .ns = 1, .max = 50, .label = STR_INIT("sales") }, 8, 8 },
        { { .ns = 1, .max = 3, .label = STR_INIT("sales") }, 3, 8 },
        { { .ns = 1, .max = 50, .label = STR_INIT("sales"), .after_instance = 6, .after_execution = 9 },
          4,
          8 },
        { { .ns = 1, .max = 50, .label = STR_INIT("sales"), .definition_id = STR_INIT("b") }, 4, 4 },
        { { .ns = 1, .max = 50, .label = STR_INIT("none") }, 0, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) check_tasks(f, &cases[i].filter, cases[i].want, cases[i].total);

    struct task_filter first = { .ns = 1, .max = 1 };
    struct task_row *row;
    size_t count;
    assert_ok(f, reader_tasks(f->reader, &first, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(row->definition, 2);
    assert_int_equal(row->definition_version, 1);
    assert_int_equal(row->created_ms, 70);
    assert_int_equal(row->instance_created_ms, 5001);
    assert_str_equal(row->node, STR("approve"));
    assert_str_equal(row->title, STR("Approve it"));
    assert_str_equal(row->business_key, STR("key"));

    put(f, (struct changeset){ .task_remove = row, .task_remove_count = 1 });
    put(f, (struct changeset){ .task_remove = row, .task_remove_count = 1 }); /* Gone is gone. */
    check_tasks(f, &(struct task_filter){ .ns = 1, .max = 50 }, 23, 23);
    check_tasks(f, &(struct task_filter){ .ns = 1, .max = 50, .definition_id = STR("b") }, 15, 15);
}
