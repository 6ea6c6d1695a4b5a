#include "net/parse_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { BODY_MAX = 100, UNFINISHED = 0 };

/* Feeds the bytes in pieces of `step`: the bytes used if complete, 0 if not, or the error. */
static int64_t decode(str bytes, size_t step, size_t body_max, struct buf *out)
{
    struct http_chunks state = { 0 };
    size_t at = 0;
    while (at < bytes.n) {
        bool complete;
        int64_t n = http_parse_chunks(&state, str_slice(bytes, at, at + step), body_max, out, &complete);
        if (n < 0) return n;
        at += (size_t)n;
        if (complete) return (int64_t)at;
    }
    return UNFINISHED;
}

#define T(text)                   \
    {                             \
        "" text, sizeof(text) - 1 \
    }

static const struct {
    str bytes;
    int64_t want; /* 1: complete. */
    str body;
} cases[] = {
    { T("0\r\n\r\n"), 1, T("") },
    { T("3\r\nabc\r\n0\r\n\r\n"), 1, T("abc") },
    { T("3\r\nabc\r\nA\r\n0123456789\r\n00\r\n\r\n"), 1, T("abc0123456789") },
    { T("a\r\n\r\n0\r\n\r\n\0z\r\r\n0\r\n\r\n"), 1, T("\r\n0\r\n\r\n\0z\r") },
    { T("3;name=value;x=\"a b\"\r\nabc\r\n0;last\r\n\r\n"), 1, T("abc") },
    { T("0000000003\r\nabc\r\n0\r\n\r\n"), 1, T("abc") },
    { T("0\r\nExpires: never\r\nX:\r\n\r\n"), 1, T("") },
    { T("3\r\nabc\r\n0\r\n\r"), UNFINISHED, T("abc") },
    { T("3\r\nabc\r\n0\r\nX: y\r\n"), UNFINISHED, T("abc") },
    { T("3\r\nab"), UNFINISHED, T("ab") },

    { T("\r\n"), -400, T("") },
    { T(" 3\r\nabc\r\n"), -400, T("") },
    { T("3 \r\nabc\r\n"), -400, T("") },
    { T("3\t;x\r\nabc\r\n"), -400, T("") },
    { T("-3\r\nabc\r\n"), -400, T("") },
    { T("+3\r\nabc\r\n"), -400, T("") },
    { T("0x3\r\nabc\r\n"), -400, T("") },
    { T("g\r\n"), -400, T("") },
    { T(";x\r\n"), -400, T("") },
    { T("3\nabc\r\n"), -400, T("") },
    { T("3\r\r\nabc"), -400, T("") },
    { T("3\rabc"), -400, T("") },
    { T("3;a\nabc\r\n"), -400, T("") },
    { T("3;a\0b\r\nabc\r\n"), -400, T("") },
    { T("3\r\nabcd\r\n"), -400, T("abc") },
    { T("3\r\nabc\n0\r\n\r\n"), -400, T("abc") },
    { T("3\r\nabc0\r\n\r\n"), -400, T("abc") },
    { T("3\r\nabc\r0\r\n"), -400, T("abc") },
    { T("0\r\n\n"), -400, T("") },
    { T("0\r\n\rx"), -400, T("") },
    { T("0\r\n x: y\r\n\r\n"), -400, T("") },
    { T("0\r\nx : y\r\n\r\n"), -400, T("") },
    { T("0\r\nx: y\n\r\n"), -400, T("") },
    { T("0\r\nx: y\r\r\n\r\n"), -400, T("") },
    { T("0\r\nx: y\0\r\n\r\n"), -400, T("") },

    /* A size that wraps around 64 bits, and the largest there is. */
    { T("10000000000000003\r\nabc\r\n"), -413, T("") },
    { T("ffffffffffffffff\r\n"), -413, T("") },
    { T("65\r\n"), -413, T("") },
};

static void chunks_give_the_same_at_every_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str bytes = cases[i].bytes;
        int64_t want = cases[i].want == 1 ? (int64_t)bytes.n : cases[i].want;
        for (size_t step = 1; step <= bytes.n; step++) {
            struct buf out;
            buf_init(&out, NULL);
            int64_t got = decode(bytes, step, BODY_MAX, &out);
            if (got != want || !str_equal(buf_str(&out), cases[i].body))
                fail_msg("case %zu, steps of %zu: %lld instead of %lld, body \"%.*s\"", i, step,
                         (long long)got, (long long)want, STR_ARG(buf_str(&out)));
            buf_done(&out);
        }
    }
}

static void bytes_behind_the_last_chunk_are_left(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out, NULL);
    str bytes = STR("1\r\nx\r\n0\r\n\r\nGET / HTTP/1.1\r\n");
    assert_int_equal(decode(bytes, bytes.n, BODY_MAX, &out), 11);
    buf_done(&out);
}

static void bodies_have_a_limit_over_all_chunks(void **state)
{
    static const struct {
        size_t body_max;
        int64_t want;
    } limits[] = { { 8, 23 }, { 7, -413 }, { 4, -413 }, { 3, -413 } };
    str bytes = STR("4\r\nabcd\r\n4\r\nefgh\r\n0\r\n\r\n");
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct buf out;
        buf_init(&out, NULL);
        assert_int_equal(decode(bytes, bytes.n, limits[i].body_max, &out), limits[i].want);
        assert_true(out.n <= limits[i].body_max);
        buf_done(&out);
    }
}

static void no_limit_on_bodies_is_no_way_around_64_bits(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out, NULL);
    str bytes = STR("fffffffffffffffff\r\n");
    assert_int_equal(decode(bytes, bytes.n, SIZE_MAX, &out), -413);
    buf_done(&out);
}

static void framing_has_limits_of_its_own(void **state)
{
    static const struct {
        const char *start;
        size_t fill;
        const char *end;
        int64_t want;
    } lines[] = {
        { "0;", 1024 - 4, "\r\n\r\n", 1 },
        { "0;", 1024 - 3, "\r\n\r\n", -400 },
        { "0\r\nx:", 8192 - 6, "\r\n\r\n", 1 },
        { "0\r\nx:", 8192, "\r\n\r\n", -431 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct buf text, out;
        buf_init(&text, NULL);
        buf_init(&out, NULL);
        buf_add_str(&text, str_of(lines[i].start));
        for (size_t n = 0; n < lines[i].fill; n++) buf_add_char(&text, 'a');
        buf_add_str(&text, str_of(lines[i].end));
        int64_t want = lines[i].want == 1 ? (int64_t)text.n : lines[i].want;
        assert_int_equal(decode(buf_str(&text), text.n, BODY_MAX, &out), want);
        buf_done(&text);
        buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_give_the_same_at_every_split),
        cmocka_unit_test(bytes_behind_the_last_chunk_are_left),
        cmocka_unit_test(bodies_have_a_limit_over_all_chunks),
        cmocka_unit_test(no_limit_on_bodies_is_no_way_around_64_bits),
        cmocka_unit_test(framing_has_limits_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
