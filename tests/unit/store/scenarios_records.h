/* Scenarios of records: small things by kind and key. */
#include "fixture.h"

static void records_are_found_replaced_and_removed_by_kind_and_key(void **state)
{
    struct fixture *f = *state;
    str key = { "a\0b", 3 }; /* Any bytes. */
    struct record_row got;
    struct record_row put_rows[] = {
        { .ns = 1, .kind = RECORD_DRAFT, .key = key, .value = STR("one"), .at_ms = 7 },
        { .ns = 1, .kind = RECORD_SECRET, .key = key, .value = STR("") },
        { .ns = 2, .kind = RECORD_DRAFT, .key = key, .value = STR("two") },
    };
    assert_int_equal(
        found_needed(store_find_record(f->store, 1, RECORD_DRAFT, key, &f->arena, &got, &f->err)),
        ST_NOT_FOUND);
    assert_string_equal(f->err.message, "there is no such draft");
    put(f, (struct changeset){ .record_put = put_rows, .record_put_count = COUNT(put_rows) });
    assert_ok(f, found_needed(store_find_record(f->store, 1, RECORD_DRAFT, key, &f->arena, &got, &f->err)));
    assert_str_equal(got.value, STR("one"));
    assert_str_equal(got.key, key);
    assert_int_equal(got.at_ms, 7);
    assert_ok(f, found_needed(store_find_record(f->store, 1, RECORD_SECRET, key, &f->arena, &got, &f->err)));
    assert_int_equal(got.value.n, 0);
    put_rows[0].value = STR("three");
    put_rows[0].at_ms = 0;
    put(f, (struct changeset){ .record_remove = &put_rows[2],
                               .record_remove_count = 1,
                               .record_put = put_rows,
                               .record_put_count = 1 });
    assert_ok(f, found_needed(store_find_record(f->store, 1, RECORD_DRAFT, key, &f->arena, &got, &f->err)));
    assert_str_equal(got.value, STR("three"));
    assert_int_equal(
        found_needed(store_find_record(f->store, 2, RECORD_DRAFT, key, &f->arena, &got, &f->err)),
        ST_NOT_FOUND);
    begin(f);
    struct changeset undone = { .record_remove = put_rows, .record_remove_count = 1 };
    assert_ok(f, store_apply(f->store, &undone, &f->err));
    assert_int_equal(
        found_needed(store_find_record(f->store, 1, RECORD_DRAFT, key, &f->arena, &got, &f->err)),
        ST_NOT_FOUND);
    store_rollback(f->store);
    assert_ok(f, found_needed(store_find_record(f->store, 1, RECORD_DRAFT, key, &f->arena, &got, &f->err)));
}

static void records_come_by_prefix_in_byte_order_strictly_after_the_cursor(void **state)
{
    struct fixture *f = *state;
    static const char *const keys[] = { "b", "ab", "a", "a\xff", "aa", "c" };
    struct record_row rows[COUNT(keys)];
    for (size_t i = 0; i < COUNT(keys); i++)
        rows[i] =
            (struct record_row){ .ns = 1, .kind = RECORD_ROUTE, .key = str_of(keys[i]), .value = STR("v") };
    put(f, (struct changeset){ .record_put = rows, .record_put_count = COUNT(rows) });
    struct record_row other = { .ns = 1, .kind = RECORD_PAUSED, .key = STR("ab"), .value = STR("v") };
    put(f, (struct changeset){ .record_put = &other, .record_put_count = 1 });
    static const struct {
        const char *prefix, *after, *expected;
        size_t max, skip;
        const char *upto;
        bool down;
    } cases[] = {
        { "", "", "a aa ab a\xff b c ", 10 },
        { "a", "", "a aa ab a\xff ", 10 },
        { "a", "aa", "ab a\xff ", 10 },
        { "a", "", "a aa ", 2 },
        { "a", "a\xff", "", 10 },
        { "", "b", "c ", 10 },
        { "x", "", "", 10 },
        { "b", "a", "b ", 10 },
        { "a", "", "ab ", 1, 2 },
        { "a", "aa", "a\xff ", 10, 1 },
        { "a", "", "", 10, 4 }, /* There are others behind, without the prefix. */
        { "", "", "c ", 10, 5 },
        { "", "", "", 10, SIZE_MAX },
        { "", "a", "aa ab ", 10, 0, "a\xff" },
        { "a", "", "a ", 10, 0, "aa" },
        { "a", "aa", "", 10, 0, "aa" },
        { "a", "", "a aa ab a\xff ", 10, 0, "c" },
        { "a", "", "a\xff ab aa a ", 10, 0, "", true },
        { "a", "", "a\xff ab ", 2, 0, "", true },
        { "a", "", "aa ", 1, 2, "", true },
        { "a", "", "aa a ", 10, 0, "ab", true },
        { "a", "a", "ab aa ", 10, 0, "a\xff", true },
        { "a", "ab", "a\xff ", 10, 0, "c", true },
        { "a", "", "", 10, 0, "a", true },
        { "a\xff", "", "a\xff ", 10, 0, "", true },
        { "x", "", "", 10, 0, "", true },
    };
    struct store_reader *reader;
    assert_ok(f, store_reader_open(f->store, &reader, &f->err));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct record_filter filter = { .ns = 1,
                                        .kind = RECORD_ROUTE,
                                        .prefix = str_of(cases[i].prefix),
                                        .after = str_of(cases[i].after),
                                        .max = cases[i].max,
                                        .skip = cases[i].skip,
                                        .down = cases[i].down };
        if (cases[i].upto) filter.upto = str_of(cases[i].upto);
        for (size_t reads = 0; reads < 2; reads++) {
            struct record_row *found;
            size_t count;
            struct buf text;
            buf_init(&text, &f->arena);
            assert_ok(f, reads ? reader_records(reader, &filter, &f->arena, &found, &count, &f->err)
                               : store_records(f->store, &filter, &f->arena, &found, &count, &f->err));
            for (size_t k = 0; k < count; k++) buf_printf(&text, "%.*s ", STR_ARG(found[k].key));
            assert_str_equal(buf_str(&text), str_of(cases[i].expected));
        }
    }
    struct record_row one;
    assert_ok(
        f, found_needed(reader_find_record(reader, 1, RECORD_PAUSED, STR("ab"), &f->arena, &one, &f->err)));
    assert_str_equal(one.value, STR("v"));
    store_reader_close(reader);
}

static void records_are_purged_by_kind_and_age(void **state)
{
    struct fixture *f = *state;
    struct record_row rows[] = {
        { .ns = 1, .kind = RECORD_SEEN, .key = STR("old"), .at_ms = 10 },
        { .ns = 2, .kind = RECORD_SEEN, .key = STR("older"), .at_ms = 5 },
        { .ns = 1, .kind = RECORD_SEEN, .key = STR("new"), .at_ms = 30 },
        { .ns = 1, .kind = RECORD_SEEN, .key = STR("kept") },
        { .ns = 1, .kind = RECORD_OVERFLOW, .key = STR("old"), .at_ms = 10 },
    };
    static const size_t removed_then[] = { 1, 1, 0 };
    struct record_row got;
    put(f, (struct changeset){ .record_put = rows, .record_put_count = COUNT(rows) });
    for (size_t i = 0; i < COUNT(removed_then); i++) {
        size_t removed;
        begin(f);
        assert_ok(f, store_purge_records(f->store, RECORD_SEEN, 30, 1, &removed, &f->err));
        assert_int_equal(removed, removed_then[i]);
        commit(f);
        bool has = found_needed(store_find_record(f->store, 1, RECORD_SEEN, STR("old"), &f->arena, &got,
                                                  NULL)) == ST_OK;
        assert_int_equal(has, i == 0);
    }
    assert_ok(
        f, found_needed(store_find_record(f->store, 1, RECORD_SEEN, STR("new"), &f->arena, &got, &f->err)));
    assert_ok(
        f, found_needed(store_find_record(f->store, 1, RECORD_SEEN, STR("kept"), &f->arena, &got, &f->err)));
    assert_ok(f, found_needed(
                     store_find_record(f->store, 1, RECORD_OVERFLOW, STR("old"), &f->arena, &got, &f->err)));
}
