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

/* ---- blocks of the audit: keys only grow, and a back end may rely on it ---- */

enum { BLOCKS = 300, OTHER_NS = 2 };

static struct record_row a_block(struct fixture *f, int32_t ns, int number)
{
    char *key = arena_alloc(&f->arena, 7);
    key[0] = '\0';
    snprintf(key + 1, 6, "%05d", number);
    return (struct record_row){ .ns = ns,
                                .kind = RECORD_AUDIT_BLOCK,
                                .key = { key, 6 },
                                .value = arena_printf(&f->arena, "%d of %d", number, ns) };
}

static void put_block(struct fixture *f, int32_t ns, int number)
{
    struct record_row row = a_block(f, ns, number);
    put(f, (struct changeset){ .record_put = &row, .record_put_count = 1 });
}

static void remove_block(struct fixture *f, int32_t ns, int number)
{
    struct record_row row = a_block(f, ns, number);
    put(f, (struct changeset){ .record_remove = &row, .record_remove_count = 1 });
}

static void put_blocks(struct fixture *f)
{
    for (int i = 1; i <= BLOCKS; i++) {
        put_block(f, 1, i);
        if (i % 3 == 0) put_block(f, OTHER_NS, i);
    }
}

/* The writer and a reader list the blocks of the numbers from `first` to `last`, without those of `gone`. */
static void must_list_blocks(struct fixture *f, const struct record_filter *asked, int first, int last,
                             const char *gone)
{
    int step = first <= last ? 1 : -1, expected[BLOCKS + 2];
    size_t count = 0;
    for (int i = first; i != last + step; i += step)
        if (!strstr(gone, arena_printf(&f->arena, " %d ", i).p)) expected[count++] = i;
    struct record_filter filter = *asked;
    filter.kind = RECORD_AUDIT_BLOCK;
    filter.ns = 1;
    for (size_t reads = 0; reads < 2; reads++) {
        struct record_row *row;
        size_t found;
        assert_ok(f, reads ? reader_records(f->reader, &filter, &f->arena, &row, &found, &f->err)
                           : store_records(f->store, &filter, &f->arena, &row, &found, &f->err));
        assert_int_equal(found, count);
        for (size_t i = 0; i < count; i++) {
            struct record_row wanted = a_block(f, 1, expected[i]);
            assert_int_equal(row[i].ns, 1);
            assert_int_equal(row[i].kind, RECORD_AUDIT_BLOCK);
            assert_int_equal(row[i].at_ms, 0);
            assert_str_equal(row[i].key, wanted.key);
            assert_str_equal(row[i].value, wanted.value);
        }
    }
}

static void blocks_are_listed_from_both_ends(void **state)
{
    struct fixture *f = *state;
    const str all = { "\0", 1 }, at_100 = a_block(f, 1, 100).key, at_290 = a_block(f, 1, 290).key;
    put_blocks(f);
    must_list_blocks(f, &(struct record_filter){ .max = 1000 }, 1, BLOCKS, "");
    must_list_blocks(f, &(struct record_filter){ .prefix = all, .max = 1000, .down = true }, BLOCKS, 1, "");
    must_list_blocks(f, &(struct record_filter){ .prefix = all, .max = 70 }, 1, 70, "");
    must_list_blocks(f, &(struct record_filter){ .prefix = all, .max = 70, .skip = 5, .down = true },
                     BLOCKS - 5, BLOCKS - 74, "");
    must_list_blocks(f, &(struct record_filter){ .max = 80, .skip = 50 }, 51, 130, "");
    must_list_blocks(f, &(struct record_filter){ .after = at_100, .max = 100 }, 101, 200, "");
    must_list_blocks(f, &(struct record_filter){ .after = at_100, .upto = at_290, .max = 1000 }, 101, 289,
                     "");
    must_list_blocks(
        f,
        &(struct record_filter){ .prefix = all, .after = at_100, .upto = at_290, .max = 1000, .down = true },
        289, 101, "");
    must_list_blocks(f, &(struct record_filter){ .prefix = all, .upto = at_100, .max = 30, .down = true }, 99,
                     70, "");
    must_list_blocks(f, &(struct record_filter){ .prefix = str_slice(at_100, 0, 4), .max = 1000 }, 100, 199,
                     "");
    must_list_blocks(f,
                     &(struct record_filter){ .prefix = str_slice(at_290, 0, 5), .max = 1000, .down = true },
                     299, 290, "");
}

static void blocks_are_found_replaced_and_removed(void **state)
{
    struct fixture *f = *state;
    struct record_row got, other;
    put_blocks(f);
    static const int gone[] = { 1, 2, 65, 128, 250, 299, 300 };
    const char *text = " 1 2 65 128 250 299 300 ";
    for (size_t i = 0; i < COUNT(gone); i++) remove_block(f, 1, gone[i]);
    remove_block(f, 1, 250);
    remove_block(f, 1, BLOCKS + 7); /* There was none. */
    must_list_blocks(f, &(struct record_filter){ .max = 1000 }, 1, BLOCKS, text);
    for (int i = 1; i <= BLOCKS; i++) {
        struct record_row row = a_block(f, 1, i);
        bool is_gone = strstr(text, arena_printf(&f->arena, " %d ", i).p);
        assert_int_equal(found_needed(reader_find_record(f->reader, 1, RECORD_AUDIT_BLOCK, row.key, &f->arena,
                                                         &got, &f->err)),
                         is_gone ? ST_NOT_FOUND : ST_OK);
        if (!is_gone) assert_str_equal(got.value, row.value);
    }
    static const int again[] = { 3, 129, 298 };
    for (size_t i = 0; i < COUNT(again); i++) {
        struct record_row row = a_block(f, 1, again[i]);
        row.value = STR("replaced");
        put(f, (struct changeset){ .record_put = &row, .record_put_count = 1 });
        assert_ok(f, found_needed(store_find_record(f->store, 1, RECORD_AUDIT_BLOCK, row.key, &f->arena, &got,
                                                    &f->err)));
        assert_str_equal(got.value, STR("replaced"));
        other = a_block(f, 1, again[i]);
        put(f, (struct changeset){ .record_put = &other, .record_put_count = 1 });
    }
    for (int i = 3; i <= BLOCKS; i++) remove_block(f, 1, i);
    struct record_filter filter = { .ns = OTHER_NS, .kind = RECORD_AUDIT_BLOCK, .max = 1000 };
    struct record_row *row;
    size_t count;
    assert_ok(f, reader_records(f->reader, &filter, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, BLOCKS / 3);
    for (size_t i = 0; i < count; i++)
        assert_str_equal(row[i].value, a_block(f, OTHER_NS, 3 * ((int)i + 1)).value);
    put_block(f, 1, BLOCKS + 1);
    must_list_blocks(f, &(struct record_filter){ .max = 1000 }, BLOCKS + 1, BLOCKS + 1, "");
}

/* The first transaction of many that fails, and one that is too large for the memory of the writer. */
static void blocks_of_a_failed_transaction_are_not_there(void **state)
{
    struct fixture *f = *state;
    struct record_row rows[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) rows[i] = a_block(f, 1, i + 1);
    for (int kept = 0; kept < 200; kept += 67) {
        begin(f);
        struct changeset undone = { .record_put = rows + kept, .record_put_count = (size_t)(BLOCKS - kept) };
        assert_ok(f, store_apply(f->store, &undone, &f->err));
        store_rollback(f->store);
        must_list_blocks(f, &(struct record_filter){ .max = 1000 }, 1, kept ? kept : -1,
                         kept ? "" : " 1  0  -1 ");
        put(f, (struct changeset){ .record_put = rows + kept, .record_put_count = 67 });
    }
    must_list_blocks(f, &(struct record_filter){ .max = 1000 }, 1, 201, "");
}
