/* Scenarios of events and children: who takes an event, who started whom, and what nobody took. */
#include "fixture.h"

/* ---- who takes an event ---- */

static void put_trigger(struct fixture *f, int64_t definition, str source, str type)
{
    struct trigger_row row = { .ns = 1, .source = source, .type = type, .definition = definition };
    put(f, (struct changeset){ .trigger_add = &row, .trigger_add_count = 1 });
}

static void subscribe(struct fixture *f, int64_t definition, str correlation, uint64_t instance)
{
    struct subscription_row row = { definition, correlation, instance };
    put(f, (struct changeset){ .subscription_add = &row });
}

static void unsubscribe(struct fixture *f, int64_t definition, str correlation, uint64_t instance)
{
    struct subscription_row row = { definition, correlation, instance };
    put(f, (struct changeset){ .subscription_remove = &row });
}

/* As "1L 3 4L": numbers, and which are the latest of their id. */
static str triggered(struct fixture *f, int32_t ns, str source, str type, int64_t after, size_t max)
{
    struct triggered row[8];
    size_t count;
    assert_true(max <= COUNT(row));
    assert_ok(f, store_triggered(f->store, ns, source, type, after, row, max, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d%s", STR_ARG(text), i ? " " : "", (int)row[i].definition,
                            row[i].latest ? "L" : "");
    return text;
}

static void versions_that_take_an_event_are_found_by_source_and_type(void **state)
{
    struct fixture *f = *state;
    struct definition_row one = { .number = 1, .ns = 1, .id = STR("a"), .version = 1 };
    struct trigger_row both[2] = { { 1, STR("shop"), STR("paid"), 1 }, { 1, STR("shop"), STR("sent"), 1 } };
    put(f, (struct changeset){ .definition = &one, .trigger_add = both, .trigger_add_count = 2 });
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "a", 2);
    put_definition(f, 4, "c", 1);
    put_definition(f, 5, "b", 2); /* Takes nothing any more. */
    for (int64_t number = 2; number <= 4; number++) put_trigger(f, number, STR("shop"), STR("paid"));
    put_trigger(f, 4, STR("shop\0x"), STR("paid"));
    put_trigger(f, 4, STR("sho"), STR("ppaid")); /* The border between the two counts. */

    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("3L 4L"));
    subscribe(f, 2, STR("t"), 20);
    subscribe(f, 1, STR(""), 10);
    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("1 2 3L 4L"));
    static const struct {
        int32_t ns;
        str source, type;
        int64_t after;
        size_t max;
        const char *want;
    } cases[] = {
        { 1, STR_INIT("shop"), STR_INIT("paid"), 0, 2, "1 2" },
        { 1, STR_INIT("shop"), STR_INIT("paid"), 2, 8, "3L 4L" },
        { 1, STR_INIT("shop"), STR_INIT("paid"), 4, 8, "" },
        { 1, STR_INIT("shop"), STR_INIT("paid"), 0, 0, "" },
        { 1, STR_INIT("shop"), STR_INIT("sent"), 0, 8, "1" },
        { 1, STR_INIT("shop"), STR_INIT("pai"), 0, 8, "" },
        { 1, STR_INIT("shop"), STR_INIT(""), 0, 8, "" },
        { 1, STR_INIT("shop\0x"), STR_INIT("paid"), 0, 8, "4L" },
        { 1, STR_INIT("sho"), STR_INIT("ppaid"), 0, 8, "4L" },
        { 2, STR_INIT("shop"), STR_INIT("paid"), 0, 8, "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str_equal(
            triggered(f, cases[i].ns, cases[i].source, cases[i].type, cases[i].after, cases[i].max),
            str_of(cases[i].want));
    unsubscribe(f, 1, STR(""), 10);
    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("2 3L 4L"));
    assert_str_equal(triggered(f, 1, STR("shop"), STR("sent"), 0, 8), STR(""));
}

static void a_newer_version_of_a_lower_rank_is_not_the_latest_that_takes_events(void **state)
{
    struct fixture *f = *state;
    put_ranked(f, 1, "a", 1, 20);
    put_ranked(f, 2, "a", 2, 10);
    put_ranked(f, 3, "b", 1, 30);
    for (int64_t number = 1; number <= 3; number++) put_trigger(f, number, STR("shop"), STR("paid"));
    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("1L 3L"));
    subscribe(f, 2, STR("t"), 20);
    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("1L 2 3L"));
    put_ranked(f, 4, "a", 3, 20); /* Takes nothing; as high as the first, and newer. */
    assert_str_equal(triggered(f, 1, STR("shop"), STR("paid"), 0, 8), STR("2 3L"));
}

/* ---- subscriptions ---- */

static str subscribers(struct fixture *f, int64_t definition, str correlation, uint64_t after, size_t max)
{
    uint64_t id[8];
    size_t count;
    assert_true(max <= COUNT(id));
    assert_ok(f, store_subscribers(f->store, definition, correlation, after, id, max, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d", STR_ARG(text), i ? " " : "", (int)id[i]);
    return text;
}

static void subscribers_come_by_correlation_strictly_after_the_cursor(void **state)
{
    struct fixture *f = *state;
    static const uint64_t ids[] = { 30, 4, 12, 256 };
    for (size_t i = 0; i < COUNT(ids); i++) subscribe(f, 1, STR("\"T\""), ids[i]);
    subscribe(f, 2, STR("\"T\""), 5);
    assert_str_equal(subscribers(f, 1, STR("\"T\""), 0, 8), STR("4 12 30 256"));
    assert_str_equal(subscribers(f, 1, STR("\"T\""), 0, 2), STR("4 12"));
    assert_str_equal(subscribers(f, 1, STR("\"T\""), 12, 2), STR("30 256"));
    assert_str_equal(subscribers(f, 1, STR("\"T\""), 256, 2), STR(""));
    assert_str_equal(subscribers(f, 1, STR("\"T\""), 0, 0), STR(""));
    assert_str_equal(subscribers(f, 2, STR("\"T\""), 0, 8), STR("5"));
    assert_str_equal(subscribers(f, 3, STR("\"T\""), 0, 8), STR(""));
    assert_str_equal(subscribers(f, 1, STR("\"t\""), 0, 8), STR(""));
}

static void a_correlation_key_is_bytes_and_is_changed_in_one_step(void **state)
{
    struct fixture *f = *state;
    static const str tokens[] = { STR_INIT(""),         STR_INIT("a"),
                                  STR_INIT("a\0"),      STR_INIT("a\0b"),
                                  STR_INIT("\0"),       STR_INIT("ab"),
                                  STR_INIT("\xff\xfe"), STR_INIT("gr\xc3\xbc\xc3\x9f") };
    for (size_t i = 0; i < COUNT(tokens); i++) subscribe(f, 1, tokens[i], i + 1);
    for (size_t i = 0; i < COUNT(tokens); i++)
        assert_str_equal(subscribers(f, 1, tokens[i], 0, 8), arena_printf(&f->arena, "%zu", i + 1));

    struct subscription_row before = { 1, STR(""), 1 }, after = { 1, STR("a\0"), 1 };
    put(f, (struct changeset){ .subscription_remove = &before, .subscription_add = &after });
    assert_str_equal(subscribers(f, 1, STR(""), 0, 8), STR(""));
    assert_str_equal(subscribers(f, 1, STR("a\0"), 0, 8), STR("1 3"));
    assert_str_equal(subscribers(f, 1, STR("a"), 0, 8), STR("2"));
    /* The same again; and removing what is gone is no error. */
    put(f, (struct changeset){ .subscription_remove = &after, .subscription_add = &after });
    put(f, (struct changeset){ .subscription_remove = &before });
    assert_str_equal(subscribers(f, 1, STR("a\0"), 0, 8), STR("1 3"));
    unsubscribe(f, 1, STR("a\0"), 3);
    assert_str_equal(subscribers(f, 1, STR("a\0"), 0, 8), STR("1"));
}

/* ---- children ---- */

static void put_family(struct fixture *f, struct child_row child)
{
    struct instance_row row = an_instance(child.instance, 1, INSTANCE_COMPLETED);
    row.business_key = STR("key");
    put(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h"), .child_add = &child });
}

static void put_child(struct fixture *f, uint64_t parent, uint32_t number, uint64_t instance, bool awaited)
{
    put_family(f, (struct child_row){
                      .parent = parent, .number = number, .instance = instance, .awaited = awaited });
}

/* As "7:2 9:3! 10:4>": jobs and instances, ! where the child is awaited, > where it was chained; the last
 * `max`. */
static str last_children(struct fixture *f, uint64_t parent, size_t max, int64_t total)
{
    struct child_listed *view;
    size_t count;
    int64_t rows;
    assert_ok(f, reader_children(f->reader, parent, max, &f->arena, &view, &count, &rows, &f->err));
    if (total >= 0) assert_int_equal(rows, total);
    str text = STR("");
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(view[i].child.parent, parent);
        assert_int_equal(view[i].child.instance, view[i].instance.id);
        assert_int_equal(view[i].instance.created_ms, 5000 + view[i].instance.id);
        assert_int_equal(view[i].instance.status, INSTANCE_COMPLETED);
        assert_str_equal(view[i].instance.definition_id, STR("order"));
        assert_str_equal(view[i].instance.business_key, STR("key"));
        assert_int_equal(view[i].instance.state.n, 0); /* Left out. */
        text = arena_printf(&f->arena, "%.*s%s%d:%d%s", STR_ARG(text), i ? " " : "",
                            (int)view[i].child.number, (int)view[i].child.instance,
                            view[i].child.awaited   ? "!"
                            : view[i].child.chained ? ">"
                                                    : "");
    }
    return text;
}

static str children(struct fixture *f, uint64_t parent) { return last_children(f, parent, 100, -1); }

static void children_are_found_by_their_parents_job_and_listed_in_order(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row parent = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &parent);
    put_child(f, 1, 9, 2, true);
    put_child(f, 1, 7, 3, false);
    put_child(f, 1, 300, 4, true);
    put_child(f, 2, 7, 5, true);

    struct child_row row;
    assert_ok(f, found_needed(store_find_child(f->store, 1, 9, &row, &f->err)));
    assert_int_equal(row.parent, 1);
    assert_int_equal(row.number, 9);
    assert_int_equal(row.instance, 2);
    assert_true(row.awaited);
    assert_ok(f, found_needed(store_find_child(f->store, 1, 7, &row, &f->err)));
    assert_int_equal(row.instance, 3);
    assert_false(row.awaited);
    assert_int_equal(found_needed(store_find_child(f->store, 1, 8, &row, &f->err)), ST_NOT_FOUND);
    assert_non_null(strstr(f->err.message, "job 8 of instance 1"));
    assert_int_equal(found_needed(store_find_child(f->store, 9, 1, &row, &f->err)), ST_NOT_FOUND);

    assert_str_equal(children(f, 1), STR("7:3 9:2! 300:4!"));
    assert_str_equal(children(f, 2), STR("7:5!"));
    assert_str_equal(children(f, 3), STR(""));
    assert_str_equal(children(f, 99), STR(""));

    put_family(f, (struct child_row){ .parent = 1, .number = 301, .instance = 6, .chained = true });
    assert_ok(f, found_needed(store_find_child(f->store, 1, 301, &row, &f->err)));
    assert_true(row.chained && !row.awaited);
    assert_str_equal(last_children(f, 1, 4, 4), STR("7:3 9:2! 300:4! 301:6>"));
    assert_str_equal(last_children(f, 1, 2, 4), STR("300:4! 301:6>"));
    assert_str_equal(last_children(f, 99, 2, 0), STR(""));
}

static size_t purge_before(struct fixture *f, int64_t before_ms, size_t max)
{
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ before_ms, before_ms, 0 }, max, &removed, &f->err));
    commit(f);
    return removed.total;
}

static void a_purge_leaves_children_and_takes_their_parents_rows(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row first = an_instance(1, 1, INSTANCE_COMPLETED);
    struct instance_row second = an_instance(2, 1, INSTANCE_ACTIVE);
    first.ended_ms = 100;
    put_instance(f, &first);
    put_instance(f, &second);
    put_child(f, 1, 1, 3, true); /* Ended at 9003, … */
    put_child(f, 1, 2, 4, false);
    put_child(f, 2, 1, 5, true); /* … and this at 9005. */
    put_child(f, 2, 2, 6, true);

    struct child_row row;
    assert_int_equal(purge_before(f, 101, 10), 1);
    assert_str_equal(children(f, 1), STR(""));
    assert_int_equal(found_needed(store_find_child(f->store, 1, 1, &row, &f->err)), ST_NOT_FOUND);
    assert_true(reader_sees(f, 3) && reader_sees(f, 4));
    assert_str_equal(children(f, 2), STR("1:5! 2:6!"));

    assert_int_equal(purge_before(f, 9006, 10), 3);
    assert_str_equal(children(f, 2), STR("2:6!")); /* Of 5 there is nothing to show. */
    assert_ok(f, found_needed(store_find_child(f->store, 2, 1, &row, &f->err)));
    assert_int_equal(row.instance, 5);
}

static void a_purge_leaves_what_has_ended_and_still_goes_on(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(1, 1, INSTANCE_COMPLETED);
    row.ended_ms = 0;
    row.has_jobs = true;
    put_instance(f, &row);
    assert_int_equal(purge_before(f, INT64_MAX, 10), 0);
    struct instance_row got[2];
    size_t count;
    assert_ok(f, store_instances_with_jobs(f->store, 0, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(got[0].status, INSTANCE_COMPLETED);
    assert_int_equal(got[0].ended_ms, 0);
    struct instance_filter filter = { .ns = 1, .status = INSTANCE_COMPLETED, .max = 10 };
    struct instance_row *listed;
    int64_t total;
    assert_ok(f, reader_instances(f->reader, &filter, &f->arena, &listed, &count, &total, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(total, 1);

    row.ended_ms = 50; /* Now it is over. */
    row.has_jobs = false;
    update_instance(f, &row, "h2");
    assert_ok(f, store_instances_with_jobs(f->store, 0, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 0);
    assert_int_equal(purge_before(f, 51, 10), 1);
}

/* ---- unmatched events ---- */

static void put_unmatched(struct fixture *f, int32_t ns, int64_t received_ms, str event)
{
    struct unmatched_row row = {
        .number = 77, .ns = ns, .received_ms = received_ms, .reason = STR("late"), .event = event
    };
    put(f, (struct changeset){ .unmatched_add = &row });
}

static void unmatched_events_come_newest_first_in_pages(void **state)
{
    struct fixture *f = *state;
    static const str events[] = { STR_INIT("one"), STR_INIT("t\0o"), STR_INIT(""), STR_INIT("four") };
    for (size_t i = 0; i < COUNT(events); i++) {
        put_unmatched(f, 1, 100 - (int64_t)i, events[i]); /* The clock may go back; the order stays. */
        put_unmatched(f, 2, 5, STR("other"));
    }
    int64_t before = 0, total;
    size_t count, seen = COUNT(events);
    struct unmatched_row *row;
    do {
        assert_ok(f, reader_unmatched(f->reader, 1, before, 3, &f->arena, &row, &count, &total, &f->err));
        assert_int_equal(total, COUNT(events));
        for (size_t i = 0; i < count; i++) {
            assert_true(!before || row[i].number < before);
            before = row[i].number;
            seen--;
            assert_int_equal(row[i].ns, 1);
            assert_int_equal(row[i].received_ms, 100 - (int64_t)seen);
            assert_str_equal(row[i].reason, STR("late"));
            assert_str_equal(row[i].event, events[seen]);
        }
    } while (count);
    assert_int_equal(seen, 0);
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 0, &f->arena, &row, &count, &total, &f->err));
    assert_int_equal(count, 0);
    assert_ok(f, reader_unmatched(f->reader, 2, 0, 9, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, COUNT(events));
    assert_ok(f, reader_unmatched(f->reader, 3, 0, 9, &f->arena, &row, &count, &total, &f->err));
    assert_int_equal(count, 0);
    assert_int_equal(total, 0);
}

static void unmatched_events_are_purged_and_their_numbers_do_not_come_back(void **state)
{
    struct fixture *f = *state;
    struct unmatched_row *row;
    size_t count;
    int64_t total;
    for (int64_t at = 10; at <= 13; at++) put_unmatched(f, 1, at, STR("e"));
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 1, &f->arena, &row, &count, NULL, &f->err));
    int64_t newest = row[0].number;
    assert_int_equal(purge_before(f, 10, 9), 0);
    assert_int_equal(purge_before(f, 13, 2), 2);
    assert_int_equal(purge_before(f, 13, 2), 1);
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 9, &f->arena, &row, &count, &total, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(total, 1);
    assert_int_equal(row[0].received_ms, 13);

    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ 14, 14, 0 }, 9, &removed, &f->err));
    assert_int_equal(removed.total, 1);
    store_rollback(f->store);
    assert_int_equal(purge_before(f, 14, 9), 1);
    put_unmatched(f, 1, 1, STR("e"));
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 9, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, 1);
    assert_true(row[0].number > newest);
}

static void an_unmatched_event_is_found_by_its_identity(void **state)
{
    struct fixture *f = *state;
    struct unmatched_row *row, found;
    size_t count;
    static const struct {
        int32_t ns;
        str identity;
    } events[] = { { 1, STR_INIT("i") }, { 2, STR_INIT("i") }, { 1, STR_INIT("i\0j") },
                   { 1, STR_INIT("i") }, { 1, STR_INIT("") },  { 1, STR_INIT("ij") } };
    for (size_t i = 0; i < COUNT(events); i++)
        put(f,
            (struct changeset){ .unmatched_add = &(struct unmatched_row){ .ns = events[i].ns,
                                                                          .received_ms = (int64_t)i,
                                                                          .event = STR("e"),
                                                                          .identity = events[i].identity } });
    for (int64_t newest = 3; newest >= 0; newest -= 3) {
        assert_ok(f,
                  found_needed(store_find_unmatched_of(f->store, 1, STR("i"), &f->arena, &found, &f->err)));
        assert_int_equal(found.received_ms, newest);
        assert_str_equal(found.identity, STR("i"));
        put(f, (struct changeset){ .unmatched_remove = found.number });
    }
    static const str gone[] = { STR_INIT("i"), STR_INIT("ijk"), STR_INIT("j") };
    for (size_t i = 0; i < COUNT(gone); i++)
        assert_int_equal(
            found_needed(store_find_unmatched_of(f->store, 1, gone[i], &f->arena, &found, &f->err)),
            ST_NOT_FOUND);
    assert_ok(f, found_needed(store_find_unmatched_of(f->store, 2, STR("i"), &f->arena, &found, &f->err)));
    assert_int_equal(found.received_ms, 1);
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 9, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, 3);
    assert_str_equal(row[0].identity, STR("ij"));
    assert_str_equal(row[1].identity, STR(""));
    assert_str_equal(row[2].identity, STR("i\0j"));

    assert_int_equal(purge_before(f, 5, 9), 3);
    assert_int_equal(
        found_needed(store_find_unmatched_of(f->store, 1, STR("i\0j"), &f->arena, &found, &f->err)),
        ST_NOT_FOUND);
    assert_ok(f, found_needed(store_find_unmatched_of(f->store, 1, STR("ij"), &f->arena, &found, &f->err)));
}

static void an_unmatched_event_is_found_and_removed_by_its_number(void **state)
{
    struct fixture *f = *state;
    struct unmatched_row *row, found;
    size_t count;
    for (int64_t at = 10; at <= 12; at++) put_unmatched(f, 2, at, STR("t\0o"));
    assert_ok(f, reader_unmatched(f->reader, 2, 0, 9, &f->arena, &row, &count, NULL, &f->err));
    int64_t middle = row[1].number;
    assert_ok(f,
              found_needed(store_find_unmatched(f->store, TENANT_ANY, middle, &f->arena, &found, &f->err)));
    assert_int_equal(found.number, middle);
    assert_int_equal(found.ns, 2);
    assert_int_equal(found.received_ms, 11);
    assert_str_equal(found.reason, STR("late"));
    assert_str_equal(found.event, STR("t\0o"));
    assert_int_equal(
        found_needed(store_find_unmatched(f->store, TENANT_ANY, 4711, &f->arena, &found, &f->err)),
        ST_NOT_FOUND);

    begin(f);
    apply(f, (struct changeset){ .unmatched_remove = middle });
    assert_int_equal(
        found_needed(store_find_unmatched(f->store, TENANT_ANY, middle, &f->arena, &found, &f->err)),
        ST_NOT_FOUND);
    store_rollback(f->store);
    assert_ok(f,
              found_needed(store_find_unmatched(f->store, TENANT_ANY, middle, &f->arena, &found, &f->err)));
    put(f, (struct changeset){ .unmatched_remove = middle });
    put(f, (struct changeset){ .unmatched_remove = middle }); /* Nothing is left of it. */
    assert_ok(f, reader_unmatched(f->reader, 2, 0, 9, &f->arena, &row, &count, NULL, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(row[0].received_ms, 12);
    assert_int_equal(row[1].received_ms, 10);
    assert_int_equal(purge_before(f, 20, 9), 2);
}
