#include "base/buf.h"
#include "base/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_buffer_grows_on_the_heap_and_in_an_arena(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct arena *places[] = { NULL, &arena };
    for (size_t i = 0; i < COUNT(places); i++) {
        struct buf buf;
        buf_init(&buf, places[i]);
        for (int k = 0; k < 1000; k++) buf_printf(&buf, "%03d", k);
        buf_add_char(&buf, '!');
        buf_add(&buf, NULL, 0);
        assert_int_equal(buf.n, 3001);
        assert_memory_equal(buf.p, "000001002", 9);
        assert_memory_equal(buf.p + 2997, "999!", 4);
        buf_done(&buf);
        assert_int_equal(buf.n, 0);
    }
    arena_done(&arena);
}

static void two_buffers_that_grow_by_turns_keep_their_bytes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct buf one, two;
    buf_init(&one, &arena);
    buf_init(&two, &arena);
    for (int i = 0; i < 5000; i++) {
        buf_add_char(&one, (char)i);
        if (i % 3) buf_add_char(&two, (char)~i);
    }
    for (int i = 0, k = 0; i < 5000; i++) {
        assert_int_equal(one.p[i], (char)i);
        if (i % 3) assert_int_equal(two.p[k++], (char)~i);
    }
    arena_done(&arena);
}

static void there_is_always_a_place_to_write(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, NULL);
    assert_non_null(buf_reserve(&buf, 0));
    buf_add(&buf, NULL, 0);
    buf_add_str(&buf, STR_NONE);
    assert_int_equal(buf.n, 0);
    buf_done(&buf);
}

static void varints_come_back(void **state)
{
    static const struct {
        uint64_t value;
        size_t bytes;
    } cases[] = {
        { 0, 1 },
        { 127, 1 },
        { 128, 2 },
        { 16383, 2 },
        { 16384, 3 },
        { UINT32_MAX, 5 },
        { (uint64_t)UINT32_MAX + 1, 5 },
        { INT64_MAX, 9 },
        { UINT64_MAX, 10 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf buf;
        buf_init(&buf, NULL);
        buf_add_varint(&buf, cases[i].value);
        assert_int_equal(buf.n, cases[i].bytes);
        struct reader reader = { buf.p, buf.p + buf.n, false };
        assert_int_equal(read_varint(&reader), cases[i].value);
        assert_false(reader.bad);
        assert_ptr_equal(reader.p, reader.end);

        reader = (struct reader){ buf.p, buf.p + buf.n, false };
        uint32_t narrow = read_varint32(&reader);
        assert_int_equal(reader.bad, cases[i].value > UINT32_MAX);
        assert_int_equal(narrow, reader.bad ? 0 : cases[i].value);

        reader = (struct reader){ buf.p, buf.p + buf.n - 1, false };
        assert_int_equal(read_varint(&reader), 0);
        assert_true(reader.bad);
        buf_done(&buf);
    }
}

static void a_malformed_varint_is_bad(void **state)
{
    static const str cases[] = {
        STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),     /* 65 bits. */
        STR_INIT("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), /* 11 bytes. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct reader reader = { cases[i].p, cases[i].p + cases[i].n, false };
        assert_int_equal(read_varint(&reader), 0);
        assert_true(reader.bad);
    }
}

static void a_text_longer_than_the_bytes_is_bad_and_so_is_all_behind_it(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, NULL);
    buf_add_text(&buf, STR("abc"));
    buf_add_text(&buf, STR(""));
    struct reader reader = { buf.p, buf.p + buf.n, false };
    assert_true(str_equal(read_text(&reader), STR("abc")));
    assert_int_equal(read_text(&reader).n, 0);
    assert_false(reader.bad);
    buf_done(&buf);

    const char cut[] = "\x05"
                       "ab\x01";
    reader = (struct reader){ cut, cut + 4, false };
    assert_int_equal(read_text(&reader).n, 0);
    assert_true(reader.bad);
    assert_int_equal(read_varint(&reader), 0);

    const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    reader = (struct reader){ huge, huge + 10, false };
    assert_int_equal(read_text(&reader).n, 0);
    assert_true(reader.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_grows_on_the_heap_and_in_an_arena),
        cmocka_unit_test(two_buffers_that_grow_by_turns_keep_their_bytes),
        cmocka_unit_test(there_is_always_a_place_to_write),
        cmocka_unit_test(varints_come_back),
        cmocka_unit_test(a_malformed_varint_is_bad),
        cmocka_unit_test(a_text_longer_than_the_bytes_is_bad_and_so_is_all_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
