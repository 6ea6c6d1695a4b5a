/* tests/unit/store/scenarios_pending.h — chained starts that wait. */
#ifndef SCENARIOS_PENDING_H
#define SCENARIOS_PENDING_H

#include "fixture.h"

enum { PRIORITY = 5 };

static void put_prior_definition(struct fixture *f, int64_t number, const char *id, int32_t version,
                                 int32_t priority)
{
    struct definition_row row = { .number = number,
                                  .ns = 1,
                                  .id = str_of(id),
                                  .version = version,
                                  .rank = version,
                                  .priority = priority,
                                  .dialect = STR("d"),
                                  .title = STR("t"),
                                  .source = STR("{}"),
                                  .created_ms = 1 };
    put(f, (struct changeset){ .definition = &row });
}

static void pending_starts_come_oldest_first(void **state)
{
    struct fixture *f = *state;
    static const struct pending_row rows[] = {
        { .parent = 3,
          .number = 1,
          .ns = 1,
          .target = STR_INIT("x"),
          .created_ms = 30,
          .data = STR_INIT("d3") },
        { .parent = 2,
          .number = 2,
          .ns = 1,
          .target = STR_INIT("x"),
          .created_ms = 10,
          .data = STR_INIT("d2") },
        { .parent = 2,
          .number = 1,
          .ns = 1,
          .target = STR_INIT("x"),
          .created_ms = 10,
          .data = STR_INIT("d1") },
        { .parent = 1,
          .number = 1,
          .ns = 1,
          .target = STR_INIT("y"),
          .created_ms = 20,
          .business_key = STR_INIT("k") },
        { .parent = 9, .number = 1, .ns = 2, .target = STR_INIT("x"), .created_ms = 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) put(f, (struct changeset){ .pending_add = &rows[i] });
    struct pending_row got[8];
    size_t count;
    assert_ok(f, store_pending(f->store, 1, STR("x"), NULL, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 3);
    assert_str_equal(got[0].data, STR("d1"));
    assert_str_equal(got[1].data, STR("d2"));
    assert_str_equal(got[2].data, STR("d3"));
    assert_ok(f, store_pending_ready(f->store, PRIORITY, NULL, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 0); /* Neither definition exists. */
    struct definition_row y = { .number = 1,
                                .ns = 1,
                                .id = STR("y"),
                                .version = 1,
                                .dialect = STR("d"),
                                .priority = PRIORITY,
                                .title = STR("t"),
                                .source = STR("{}"),
                                .created_ms = 1 };
    put(f, (struct changeset){ .definition = &y });
    assert_ok(f, store_pending_ready(f->store, PRIORITY, NULL, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 1);
    assert_str_equal(got[0].target, STR("y"));
    assert_str_equal(got[0].business_key, STR("k"));
    assert_ok(f, store_pending(f->store, 1, STR("x"), NULL, &f->arena, got, 2, &count, &f->err));
    assert_int_equal(count, 2);
    put(f, (struct changeset){ .pending_remove = &rows[2] });
    assert_ok(f, store_pending(f->store, 1, STR("x"), NULL, &f->arena, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(got[0].data, STR("d2"));
}

static void pending_starts_come_strictly_after_the_cursor(void **state)
{
    struct fixture *f = *state;
    enum { ROWS = 24 };
    put_prior_definition(f, 1, "x", 1, PRIORITY);
    put_prior_definition(f, 2, "y", 1, PRIORITY);
    /* Of two definitions in turn; they differ from the next one in one part of the order only. */
    for (uint32_t i = ROWS; i-- > 0;) {
        struct pending_row row = { .parent = 10 - 2 * (i / 8) + i % 8 / 4,
                                   .number = 1 + i % 4,
                                   .ns = 1,
                                   .target = i % 2 ? STR("y") : STR("x"),
                                   .created_ms = 100 + i / 8 };
        put(f, (struct changeset){ .pending_add = &row });
    }
    struct pending_row got[ROWS + 1], all[ROWS + 1];
    size_t count, of_x;
    assert_ok(f, store_pending_ready(f->store, PRIORITY, NULL, &f->arena, all, COUNT(all), &count, &f->err));
    assert_int_equal(count, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        /* Only the numbers of the cursor count. */
        struct pending_row after = { .parent = all[i].parent,
                                     .number = all[i].number,
                                     .created_ms = all[i].created_ms };
        assert_int_equal(all[i].created_ms, 100 + i / 8);
        assert_int_equal(all[i].number, 1 + i % 4);
        assert_ok(
            f, store_pending_ready(f->store, PRIORITY, &after, &f->arena, got, COUNT(got), &count, &f->err));
        assert_int_equal(count, ROWS - 1 - i);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(got[k].parent, all[i + 1 + k].parent);
            assert_int_equal(got[k].number, all[i + 1 + k].number);
        }
        assert_ok(f,
                  store_pending(f->store, 1, STR("x"), &after, &f->arena, got, COUNT(got), &of_x, &f->err));
        assert_int_equal(of_x, (ROWS - 1 - i) / 2);
        assert_ok(f, store_pending(f->store, 1, STR("x"), &after, &f->arena, got, 3, &count, &f->err));
        assert_int_equal(count, of_x < 3 ? of_x : 3);
    }
    /* A row that is gone meanwhile is a place, too. */
    put(f, (struct changeset){ .pending_remove = &all[5] });
    assert_ok(f, store_pending_ready(f->store, PRIORITY, &all[5], &f->arena, got, 1, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(got[0].number, all[6].number);
}

static void assert_ready(struct fixture *f, int32_t priority, const char *parents)
{
    struct pending_row got[8];
    size_t count;
    struct buf text;
    buf_init(&text, &f->arena);
    assert_ok(f, store_pending_ready(f->store, priority, NULL, &f->arena, got, COUNT(got), &count, &f->err));
    for (size_t i = 0; i < count; i++) buf_printf(&text, " %d", (int)got[i].parent);
    assert_str_equal(buf_str(&text), str_of(parents));
}

static void pending_starts_are_found_by_the_priority_of_the_latest_version(void **state)
{
    struct fixture *f = *state;
    static const char *const target[] = { "calm", "brisk", "none", "calm", "other", "brisk" };
    for (uint64_t i = 0; i < COUNT(target); i++) {
        struct pending_row row = {
            .parent = i + 1, .number = 1, .ns = 1, .target = str_of(target[i]), .created_ms = 10
        };
        put(f, (struct changeset){ .pending_add = &row });
    }
    put_prior_definition(f, 1, "calm", 1, 9);
    put_prior_definition(f, 2, "brisk", 1, 8);
    put_prior_definition(f, 3, "other", 1, 3);
    put_prior_definition(f, 4, "calm", 2, 3);
    assert_ready(f, 8, " 2 6");
    assert_ready(f, 3, " 1 4 5"); /* Of two definitions, in their order. */
    assert_ready(f, 9, "");
}

#endif
