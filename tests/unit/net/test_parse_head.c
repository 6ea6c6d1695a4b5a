#include "net/parse_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* The verdict on a head; and a prefix of it must never be judged differently. */
static int verdict_on(str bytes, const struct limits *limits, struct http_head *ret_head)
{
    int whole = http_parse_head(bytes, limits, ret_head);
    size_t complete = whole > 0 ? (size_t)whole : bytes.n;
    for (size_t n = 0; n < complete; n++) {
        struct http_head part;
        int verdict = http_parse_head((str){ bytes.p, n }, limits, &part);
        if (verdict != 0 && verdict != whole)
            fail_msg("%zu bytes of \"%.*s\" give %d, all give %d", n, STR_ARG(bytes), verdict, whole);
    }
    return whole;
}

#define LINE "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"
#define END "\r\n"
#define GOOD(text)                                      \
    {                                                   \
        { "" text, sizeof(text) - 1 }, sizeof(text) - 1 \
    }
#define BAD(text, status)                        \
    {                                            \
        { "" text, sizeof(text) - 1 }, -(status) \
    }

static const struct {
    str text;
    int want;
} heads[] = {
    GOOD(LINE HOST END),
    GOOD("\r\n" LINE HOST END), /* One empty line before a request is forgiven. */
    GOOD(LINE "Host:\r\n" END),
    GOOD(LINE "hOST: [::1]:8080\r\n" END),
    GOOD("GET / HTTP/1.0\r\n" END),
    GOOD("OPTIONS * HTTP/1.1\r\n" HOST END),
    GOOD("GET http://example.org/a?b HTTP/1.1\r\n" HOST END),
    GOOD("GET HTTPS://example.org HTTP/1.1\r\n" HOST END),
    GOOD("PATCH /a%20b?c=d&e HTTP/1.1\r\n" HOST END),
    GOOD(LINE HOST "X: \t a\tb \xc3\xa9 \t\r\n" END),
    GOOD(LINE HOST "X:\r\nX: again\r\n" END),
    GOOD(LINE HOST
         "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings\r\n" END),
    GOOD("POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n" END),
    GOOD("POST / HTTP/1.1\r\n" HOST "Content-Length:\t5 \t\r\n" END),
    GOOD("POST / HTTP/1.1\r\n" HOST "Content-Length: 007\r\n" END),
    GOOD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n" END),

    /* Lines that end otherwise than with CRLF. */
    BAD("GET / HTTP/1.1\n" HOST END, 400),
    BAD(LINE "Host: a\n" END, 400),
    BAD(LINE HOST "\n", 400),
    BAD(LINE "Host: a\rX: b\r\n" END, 400),
    BAD(LINE HOST "X: a\r\r\n" END, 400),
    BAD(LINE HOST "\rX", 400),
    BAD("\n" LINE HOST END, 400),
    BAD("\r\n\r\n" LINE HOST END, 400),

    /* The request line. */
    BAD(" GET / HTTP/1.1\r\n" HOST END, 400),
    BAD("GET  / HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /  HTTP/1.1\r\n" HOST END, 400),
    BAD("GET / HTTP/1.1 \r\n" HOST END, 400),
    BAD("GET\t/ HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /\r\n" HOST END, 400),
    BAD("GET / http/1.1\r\n" HOST END, 400),
    BAD("GET / HTTP/1.\r\n" HOST END, 400),
    BAD("GET / HTTP/11\r\n" HOST END, 400),
    BAD("GET / HTTP/x.1\r\n" HOST END, 400),
    BAD("GET /a\x01 HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /a\0 HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /a\x7f HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /\xc3\xa9 HTTP/1.1\r\n" HOST END, 400),
    BAD("GET /a#b HTTP/1.1\r\n" HOST END, 400),
    BAD("GET a HTTP/1.1\r\n" HOST END, 400),
    BAD("GET * HTTP/1.1\r\n" HOST END, 400),
    BAD("GET http:// HTTP/1.1\r\n" HOST END, 400),
    BAD("GET http:///a HTTP/1.1\r\n" HOST END, 400),
    BAD("GET ftp://a/ HTTP/1.1\r\n" HOST END, 400),
    BAD("G@T / HTTP/1.1\r\n" HOST END, 400),
    BAD("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400), /* TLS to a plain port. */
    BAD("GET / HTTP/1.2\r\n" HOST END, 505),
    BAD("GET / HTTP/0.9\r\n" HOST END, 505),
    BAD("GET / HTTP/3.0\r\n" HOST END, 505),
    BAD("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    BAD("CONNECT a:80 HTTP/1.1\r\n" HOST END, 501),
    BAD("TRACE / HTTP/1.1\r\n" HOST END, 501),
    BAD("get / HTTP/1.1\r\n" HOST END, 501),
    BAD("GETS / HTTP/1.1\r\n" HOST END, 501),

    /* Fields. */
    BAD(LINE HOST "X : a\r\n" END, 400),
    BAD(LINE HOST " X: a\r\n" END, 400), /* obs-fold */
    BAD(LINE HOST "X: a\r\n b\r\n" END, 400),
    BAD(LINE HOST "X: a\r\n\tb\r\n" END, 400),
    BAD(LINE HOST ": a\r\n" END, 400),
    BAD(LINE HOST "X\r\n" END, 400),
    BAD(LINE HOST "X(: a\r\n" END, 400),
    BAD(LINE HOST "X\xc3: a\r\n" END, 400),
    BAD(LINE HOST "X: a\0b\r\n" END, 400),
    BAD(LINE HOST "X: a\x08 b and so on\r\n" END, 400),
    BAD(LINE HOST "X: a long value, then \x7f\r\n" END, 400),

    /* Host. */
    BAD(LINE END, 400),
    BAD(LINE HOST HOST END, 400),
    BAD("GET / HTTP/1.0\r\n" HOST HOST END, 400),
    BAD(LINE "Host: a b\r\n" END, 400),
    BAD(LINE "Host: a/b\r\n" END, 400),
    BAD(LINE "Host: u@a\r\n" END, 400),

    /* Where the body ends: whatever two readers might see differently. */
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 6\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\ncontent-length: 5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5, 5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: -5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: +5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5 5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 0x5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5.0\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked, chunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked,\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: \"chunked\"\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding:\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding\x0b: chunked\r\n" END, 400),
    BAD("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" END, 400),
    BAD("POST / HTTP/1.1\r\n" HOST "Expect: a-miracle\r\n" END, 417),
};

static void every_head_gets_its_verdict_at_every_split(void **state)
{
    const struct limits limits = limits_default();
    (void)state;
    for (size_t i = 0; i < COUNT(heads); i++) {
        struct http_head head;
        int got = verdict_on(heads[i].text, &limits, &head);
        if (got != heads[i].want)
            fail_msg("\"%.*s\": %d instead of %d", STR_ARG(heads[i].text), got, heads[i].want);
    }
}

static void a_head_ends_where_the_next_bytes_begin(void **state)
{
    const struct limits limits = limits_default();
    struct http_head head;
    (void)state;
    str text = STR("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n");
    int n = http_parse_head(text, &limits, &head);
    assert_int_equal(n, 48);
    assert_true(str_equal(head.method, STR("POST")));
    assert_true(str_equal(head.target, STR("/x")));
    assert_int_equal(head.minor, 1);
    assert_int_equal(head.header_count, 2);
    assert_true(str_equal(head.header[1].name, STR("Content-Length")));
    assert_true(str_equal(head.header[1].value, STR("3")));
    assert_int_equal(head.content_length, 3);
    assert_false(head.chunked);
    assert_ptr_equal(head.method.p, text.p); /* Nothing is copied. */
}

static void values_lose_their_white_space_and_nothing_else(void **state)
{
    const struct limits limits = limits_default();
    struct http_head head;
    (void)state;
    str text = STR(LINE HOST "X: \t a\tb  c \t\r\nY: \r\n" END);
    assert_int_equal(http_parse_head(text, &limits, &head), (int)text.n);
    assert_true(str_equal(head.header[1].value, STR("a\tb  c")));
    assert_int_equal(head.header[2].value.n, 0);
}

static void a_length_beyond_64_bits_is_the_largest(void **state)
{
    const struct limits limits = limits_default();
    static const struct {
        str digits;
        int64_t want;
    } cases[] = {
        { { "9223372036854775807", 19 }, INT64_MAX },
        { { "9223372036854775808", 19 }, INT64_MAX },
        { { "18446744073709551621", 20 }, INT64_MAX }, /* 5, modulo 2^64. */
        { { "99999999999999999999999999999999999999999999", 44 }, INT64_MAX },
        { { "00000000000000000000000000000000000000000005", 44 }, 5 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        struct http_head head;
        int n = snprintf(text, sizeof text, "POST / HTTP/1.1\r\n" HOST "Content-Length: %.*s\r\n\r\n",
                         STR_ARG(cases[i].digits));
        assert_int_equal(http_parse_head((str){ text, (size_t)n }, &limits, &head), n);
        assert_int_equal(head.content_length, cases[i].want);
    }
}

static void connection_options_decide_whether_it_is_kept(void **state)
{
    const struct limits limits = limits_default();
    static const struct {
        const char *text;
        bool want;
    } cases[] = {
        { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", true },
        { "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false },
        { "GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\nConnection: keep-alive\r\n\r\n", false },
        { "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade , close,x\r\n\r\n", false },
        { "GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n", true },
        { "GET / HTTP/1.0\r\n\r\n", false },
        { "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true },
        { "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_head head;
        assert_true(http_parse_head(str_of(cases[i].text), &limits, &head) > 0);
        if (head.keep_alive != cases[i].want) fail_msg("%s", cases[i].text);
    }
}

static void only_a_newer_client_may_expect(void **state)
{
    const struct limits limits = limits_default();
    struct http_head head;
    (void)state;
    assert_true(http_parse_head(STR(LINE HOST "Expect: 100-Continue\r\n" END), &limits, &head) > 0);
    assert_true(head.expect_continue);
    assert_true(http_parse_head(STR("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"), &limits, &head) > 0);
    assert_false(head.expect_continue);
}

static void bytes_of_the_head_have_a_limit(void **state)
{
    struct limits limits = limits_default();
    str text = STR(LINE HOST "X: abc\r\n" END "and a body");
    int head_bytes = (int)text.n - 10;
    struct http_head head;
    (void)state;
    limits.header_bytes_max = head_bytes;
    assert_int_equal(verdict_on(text, &limits, &head), head_bytes);
    limits.header_bytes_max = head_bytes - 1;
    assert_int_equal(verdict_on(text, &limits, &head), -431);
}

static void fields_have_a_limit(void **state)
{
    struct limits limits = limits_default();
    struct http_head head;
    (void)state;
    limits.header_count_max = 3;
    assert_true(verdict_on(STR(LINE HOST "A: 1\r\nB: 2\r\n" END), &limits, &head) > 0);
    assert_int_equal(verdict_on(STR(LINE HOST "A: 1\r\nB: 2\r\nC: 3\r\n" END), &limits, &head), -431);
}

/* Whatever is configured, the table of a head is of fixed size. */
static void fields_never_exceed_the_table(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.header_count_max = 100000;
    for (size_t extra = 0; extra <= 1; extra++) {
        struct http_head head;
        struct buf text;
        buf_init(&text, NULL);
        buf_add_str(&text, STR(LINE HOST));
        for (size_t i = 1; i < HTTP_HEADERS_MAX + extra; i++) buf_printf(&text, "X-%zu: 1\r\n", i);
        buf_add_str(&text, STR(END));
        int verdict = http_parse_head(buf_str(&text), &limits, &head);
        assert_int_equal(verdict, extra ? -431 : (int)text.n);
        buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_head_gets_its_verdict_at_every_split),
        cmocka_unit_test(a_head_ends_where_the_next_bytes_begin),
        cmocka_unit_test(values_lose_their_white_space_and_nothing_else),
        cmocka_unit_test(a_length_beyond_64_bits_is_the_largest),
        cmocka_unit_test(connection_options_decide_whether_it_is_kept),
        cmocka_unit_test(only_a_newer_client_may_expect),
        cmocka_unit_test(bytes_of_the_head_have_a_limit),
        cmocka_unit_test(fields_have_a_limit),
        cmocka_unit_test(fields_never_exceed_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
