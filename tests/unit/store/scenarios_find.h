/* Scenarios of lists for operators: ids newest first by phase, tasks and keys, and the counts of them. */
#include "fixture.h"

/* As "12 10": newest first. */
static str found(struct fixture *f, struct find_filter filter)
{
    uint64_t *id;
    size_t count;
    filter.ns = NAMESPACE_DEFAULT;
    if (!filter.max) filter.max = 100;
    assert_ok(f, reader_find(f->reader, &filter, &f->arena, &id, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d", STR_ARG(text), i ? " " : "", (int)id[i]);
    return text;
}

static void put_find_rows(struct fixture *f)
{
    static const struct {
        uint64_t id;
        int64_t definition;
        enum instance_status status;
        bool has_jobs;
    } rows[] = { { 10, 1, INSTANCE_ACTIVE, true },   { 11, 2, INSTANCE_WAITING, false },
                 { 12, 3, INSTANCE_WAITING, true },  { 13, 1, INSTANCE_FAILED, true },
                 { 14, 2, INSTANCE_FAILED, false },  { 15, 1, INSTANCE_COMPLETED, false },
                 { 16, 3, INSTANCE_WAITING, false }, { 17, 1, INSTANCE_WAITING, false } };
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "a", 2);
    put_definition(f, 3, "b", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct instance_row row = an_instance(rows[i].id, rows[i].definition, rows[i].status);
        row.has_jobs = rows[i].has_jobs;
        put_instance(f, &row);
    }
}

static void runs_are_found_newest_first_by_phase_and_definition(void **state)
{
    struct fixture *f = *state;
    enum { ALL = (1 << STORE_PHASES) - 1 };
    const uint32_t failed = 3u << store_phase(INSTANCE_FAILED, false);
    const uint32_t working =
        1u << store_phase(INSTANCE_ACTIVE, true) | 1u << store_phase(INSTANCE_WAITING, true);
    put_find_rows(f);
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL }), STR("17 16 15 14 13 12 11 10"));
    assert_str_equal(found(f, (struct find_filter){ .phases = failed }), STR("14 13"));
    assert_str_equal(found(f, (struct find_filter){ .phases = working }), STR("12 10"));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .before = 15, .max = 3 }),
                     STR("14 13 12"));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .definition_id = STR("a"), .version = 1 }),
                     STR("17 15 13 10"));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .definition_id = STR("b") }),
                     STR("16 12"));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .dialect = STR("steps") }),
                     STR("17 16 15 14 13 12 11 10"));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .other_dialect = STR("steps") }), STR(""));
    assert_str_equal(found(f, (struct find_filter){ .phases = ALL, .dialect = STR("graph") }), STR(""));
    assert_str_equal(found(f, (struct find_filter){ .phases = 0 }), STR(""));
}

/* An instance with two tasks is one run. */
static void runs_with_tasks_are_found_once_and_counted(void **state)
{
    struct fixture *f = *state;
    struct store_counts counts;
    put_find_rows(f);
    static const struct {
        uint64_t instance;
        uint32_t execution;
        int64_t definition;
    } tasks[] = { { 11, 1, 2 }, { 16, 1, 3 }, { 17, 1, 1 }, { 17, 4, 1 } };
    for (size_t i = 0; i < COUNT(tasks); i++) {
        struct task_row task = { .instance = tasks[i].instance,
                                 .execution = tasks[i].execution,
                                 .ns = NAMESPACE_DEFAULT,
                                 .definition = tasks[i].definition,
                                 .created_ms = 1,
                                 .node = STR("p"),
                                 .title = STR("P") };
        put(f, (struct changeset){ .task_add = &task, .task_add_count = 1 });
    }
    assert_str_equal(found(f, (struct find_filter){ .with_tasks = true }), STR("17 16 11"));
    assert_str_equal(found(f, (struct find_filter){ .with_tasks = true, .before = 17, .max = 1 }), STR("16"));
    assert_str_equal(found(f, (struct find_filter){ .with_tasks = true, .definition_id = STR("a") }),
                     STR("17 11"));
    struct find_filter all = { .ns = NAMESPACE_DEFAULT },
                       one = { .ns = NAMESPACE_DEFAULT, .definition_id = STR("b") };
    assert_ok(f, reader_counts(f->reader, &all, &counts, &f->err));
    assert_int_equal(counts.tasks, 4);
    assert_int_equal(counts.phase[store_phase(INSTANCE_WAITING, false)], 3);
    assert_int_equal(counts.phase[store_phase(INSTANCE_WAITING, true)], 1);
    assert_int_equal(counts.phase[store_phase(INSTANCE_FAILED, true)], 1);
    assert_ok(f, reader_counts(f->reader, &one, &counts, &f->err));
    assert_int_equal(counts.tasks, 1);
    assert_int_equal(counts.phase[store_phase(INSTANCE_WAITING, false)], 1);
    assert_int_equal(counts.phase[store_phase(INSTANCE_ACTIVE, true)], 0);
}

static str found_keys(struct fixture *f, str prefix, struct found_key after, size_t max)
{
    struct found_key *key;
    size_t count;
    assert_ok(f, reader_find_keys(f->reader, NAMESPACE_DEFAULT, prefix, &after, max, &f->arena, &key, &count,
                                  &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%.*s:%d", STR_ARG(text), i ? " " : "", STR_ARG(key[i].key),
                            (int)key[i].id);
    return text;
}

static void runs_are_found_by_the_beginning_of_their_keys(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint64_t id;
        enum instance_status status;
        str key;
    } rows[] = { { 10, INSTANCE_WAITING, STR_INIT("INV-2") }, { 11, INSTANCE_COMPLETED, STR_INIT("INV-10") },
                 { 12, INSTANCE_WAITING, STR_INIT("LA-1") },  { 13, INSTANCE_ACTIVE, STR_INIT("INV-2") },
                 { 14, INSTANCE_WAITING, STR_INIT("INV") },   { 15, INSTANCE_WAITING, STR_INIT("") } };
    put_definition(f, 1, "a", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct instance_row row = an_instance(rows[i].id, 1, rows[i].status);
        row.business_key = rows[i].key;
        put_instance(f, &row);
    }
    const struct found_key first = { .id = 0 };
    assert_str_equal(found_keys(f, STR("INV-"), first, 10), STR("INV-10:11 INV-2:13 INV-2:10"));
    assert_str_equal(found_keys(f, STR("INV"), first, 2), STR("INV:14 INV-10:11"));
    assert_str_equal(found_keys(f, STR("INV"), (struct found_key){ STR("INV-10"), 4, 11 }, 2),
                     STR("INV-2:13 INV-2:10"));
    assert_str_equal(found_keys(f, STR("INV"), (struct found_key){ STR("INV-2"), 1, 13 }, 9),
                     STR("INV-2:10"));
    assert_str_equal(found_keys(f, STR("INV"), (struct found_key){ STR("INV-2"), 2, 10 }, 9), STR(""));
    assert_str_equal(found_keys(f, STR("inv"), first, 9), STR(""));
}
