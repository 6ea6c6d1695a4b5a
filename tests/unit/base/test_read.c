#include "base/buf.h"
#include "base/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static void a_varint_of_the_wire_may_have_bits_too_many(void **state)
{
    static const struct {
        str bytes;
        uint64_t want;
        size_t left;
    } cases[] = {
        { STR_INIT("\x07rest"), 7, 4 },
        { STR_INIT("\xac\x02"), 300, 0 },
        { STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX, 0 },
        { STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_MAX, 0 }, /* 70 bits. */
    };
    static const str endless[] = { STR_INIT(""), STR_INIT("\x80"),
                                   STR_INIT("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00") };
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str bytes = cases[i].bytes;
        assert_true(read_wire_varint(&bytes, &value));
        assert_true(value == cases[i].want);
        assert_int_equal(bytes.n, cases[i].left);
    }
    for (size_t i = 0; i < COUNT(endless); i++) {
        str bytes = endless[i];
        assert_false(read_wire_varint(&bytes, &value));
        assert_int_equal(bytes.n, endless[i].n);
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
        cmocka_unit_test(varints_come_back),
        cmocka_unit_test(a_malformed_varint_is_bad),
        cmocka_unit_test(a_varint_of_the_wire_may_have_bits_too_many),
        cmocka_unit_test(a_text_longer_than_the_bytes_is_bad_and_so_is_all_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
