/* Lists of people's tasks: every filter and cursor, against a model that looks at every task. */
#ifndef TESTS_STORE_SCENARIOS_WORKLISTS_H
#define TESTS_STORE_SCENARIOS_WORKLISTS_H

#include "fixture.h"

#include "store/worklist.h"

enum { TASKS_LISTED = 60 };

static const char *const people[] = { "ada", "bob", "eve" }, *const groups[] = { "it", "sales" };

static struct task_row listed_task(struct fixture *f, uint32_t i, bool again)
{
    const struct json *details = json_empty_object();
    uint32_t mix = again ? i * 7 + 3 : i;
    struct arena *arena = &f->arena;
    if (mix % 5) {
        const struct json *names = json_empty_array();
        struct json_builder builder;
        json_builder_init(&builder, arena);
        json_open_array(&builder);
        json_add_string(&builder, str_of(people[mix % 3]));
        if (mix % 2) json_add_string(&builder, str_of(people[(mix + 1) % 3]));
        if (mix % 4 == 2) json_add_string(&builder, str_of(people[mix % 3])); /* Once more. */
        json_close(&builder);
        names = json_built(&builder);
        details = json_set(arena, details, STR("assignees"), names);
    }
    if (mix % 4 == 1)
        details = json_set(arena, details, STR("assignee"), json_of_string(arena, str_of(people[mix % 3])));
    if (mix % 3)
        details = json_set(arena, details, STR("groups"), json_of_string(arena, str_of(groups[mix % 2])));
    if (mix % 2)
        details = json_set(arena, details, STR("due"),
                           json_of_string(arena, arena_printf(arena, "2030-01-%02uT00:00:00Z", mix % 7 + 1)));
    return (struct task_row){ .instance = 100 + i / 3,
                              .execution = 1 + i % 3,
                              .ns = 1,
                              .definition = 1,
                              .created_ms = 1000,
                              .node = STR("n"),
                              .title = STR("t"),
                              .label = i % 2 ? STR("odd") : STR_NONE,
                              .details = mix % 11 ? json_encoded(details) : STR_NONE };
}

static void add_listed(struct fixture *f)
{
    for (uint32_t i = 0; i < TASKS_LISTED; i++) {
        struct task_row row = listed_task(f, i, false);
        put(f, (struct changeset){ .task_add = &row, .task_add_count = 1 });
    }
    for (uint32_t i = 0; i < TASKS_LISTED; i += 4) { /* Some change. */
        struct task_row before = listed_task(f, i, false), after = listed_task(f, i, true);
        put(f, (struct changeset){
                   .task_remove = &before, .task_remove_count = 1, .task_add = &after, .task_add_count = 1 });
    }
    for (uint32_t i = 1; i < TASKS_LISTED; i += 9) { /* Some are done. */
        struct task_row row = listed_task(f, i, i % 4 == 0);
        put(f, (struct changeset){ .task_remove = &row, .task_remove_count = 1 });
    }
}

static bool is_open_listed(uint32_t i) { return i % 9 != 1; }

/* All that fit, in order. */
static size_t modelled(struct fixture *f, const struct worklist_filter *filter,
                       struct worklist_place *ret_place)
{
    size_t count = 0;
    for (uint32_t i = 0; i < TASKS_LISTED; i++) {
        struct task_row row = listed_task(f, i, i % 4 == 0);
        struct worklist_place place = worklist_place_of(&row, &f->arena);
        if (!is_open_listed(i) || !worklist_fits(filter, &row, &f->arena)) continue;
        size_t at = count++;
        for (; at && worklist_compare(&place, &ret_place[at - 1]) < 0; at--)
            ret_place[at] = ret_place[at - 1];
        ret_place[at] = place;
    }
    return count;
}

static void check_worklist(struct fixture *f, struct worklist_filter filter)
{
    struct worklist_place want[TASKS_LISTED];
    size_t want_count = modelled(f, &filter, want), got = 0;
    for (;;) {
        struct task_row *row;
        struct worklist_place next;
        size_t count;
        assert_ok(f, reader_worklist(f->reader, &filter, &f->arena, &row, &count, &next, &f->err));
        assert_true(count <= filter.max && got + count <= want_count);
        for (size_t i = 0; i < count; i++, got++) {
            assert_int_equal(row[i].instance, want[got].instance);
            assert_int_equal(row[i].execution, want[got].execution);
        }
        if (!next.instance) break;
        assert_true(worklist_compare(&next, &filter.after) > 0);
        filter.after = next;
    }
    assert_int_equal(got, want_count);
}

static void worklists_obey_every_filter_and_cursor(void **state)
{
    struct fixture *f = *state;
    add_listed(f);
    static const int64_t times[] = { 0, INT64_C(1893628800000) }; /* 2030-01-04 */
    for (size_t max = 1; max < 70; max = max * 3 + 1)
        for (size_t k = 0; k < COUNT(times); k++)
            for (size_t free = 0; free < 2; free++) {
                struct worklist_filter filter = {
                    .ns = 1, .max = max, .due_before_ms = times[k], .is_free = free
                };
                check_worklist(f, filter); /* All that are due. */
                for (size_t i = 0; i < COUNT(people); i++) {
                    struct worklist_filter one = filter;
                    one.person = str_of(people[i]);
                    check_worklist(f, one);
                    one.label = STR("odd");
                    check_worklist(f, one);
                    one = filter, one.assignee = str_of(people[i]);
                    check_worklist(f, one);
                    one = filter, one.candidate = str_of(people[i]);
                    check_worklist(f, one);
                    one.group = STR("it");
                    check_worklist(f, one);
                }
                for (size_t i = 0; i < COUNT(groups); i++) {
                    struct worklist_filter one = filter;
                    one.group = str_of(groups[i]);
                    check_worklist(f, one);
                }
                filter.person = STR("nobody");
                check_worklist(f, filter);
            }
}

static void a_task_is_found_by_its_visit(void **state)
{
    struct fixture *f = *state;
    add_listed(f);
    struct task_row row, want = listed_task(f, 2, false);
    assert_ok(f, found_needed(reader_task(f->reader, NAMESPACE_DEFAULT, want.instance, want.execution,
                                          &f->arena, &row, &f->err)));
    assert_str_equal(row.details, want.details);
    assert_int_equal(
        found_needed(reader_task(f->reader, NAMESPACE_DEFAULT, want.instance, 99, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
    assert_int_equal(
        found_needed(reader_task(f->reader, NAMESPACE_DEFAULT, want.instance, 0, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
    assert_int_equal(
        found_needed(reader_task(f->reader, NAMESPACE_DEFAULT, 4711, 1, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
}

#endif
