#include "base/status.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* cmocka's, which hides ours. */

static void every_status_has_its_words(void **state)
{
    (void)state;
    for (int i = 0; i < STATUS_COUNT; i++) {
        assert_in_range(status_http(i), 200, 599);
        assert_in_range(status_exit(i), 0, 125);
        assert_in_range(status_grpc(i), 0, 16);
        assert_int_equal(status_grpc(i) == 0, i == ST_OK);
        assert_true(strlen(status_word(i)) > 0 && strlen(status_meaning(i)) > 0);
    }
    assert_false(status_retry(ST_INVALID));
    assert_true(status_retry(ST_STORE));
}

static void an_error_that_is_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char text[ERROR_MESSAGE_BYTES + 10];
    for (size_t shift = 0; shift < 3; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof text; i += 3) memcpy(text + i, "\xe2\x82\xac", 3);
        text[sizeof text - 3] = '\0';
        struct error err;
        assert_int_equal(fail(&err, ST_LIMIT, text, "%s", text), ST_LIMIT);
        assert_true(utf8_is_valid(str_of(err.message)) && utf8_is_valid(str_of(err.where)));
        assert_true(strlen(err.message) > ERROR_MESSAGE_BYTES - 6);
    }
    assert_int_equal(fail(NULL, ST_INVALID, NULL, "nobody listens"), ST_INVALID);
    struct error err;
    assert_int_equal(fail_code(&err, ST_CONFLICT, "NOT_WAITING", "it is %s", "over"), ST_CONFLICT);
    assert_string_equal(err.code, "NOT_WAITING");
    assert_string_equal(err.message, "it is over");
    assert_int_equal(fail_code(NULL, ST_CONFLICT, "NOT_WAITING", "nobody asks"), ST_CONFLICT);
    assert_int_equal(fail_at(&err, ST_INVALID, 3, 7, "here"), ST_INVALID);
    assert_null(err.code);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 7);
}

static void details_that_do_not_fit_are_left_out(void **state)
{
    (void)state;
    static char text[ERROR_MESSAGE_BYTES];
    struct error err;
    memset(text, '1', sizeof text);
    fail_code(&err, ST_INVALID, "BAD_REQUEST", "no");
    assert_string_equal(fail_details_of(&err), "");
    fail_detail(&err, "a", STR("1"));
    fail_detail(&err, "long", (str){ text, sizeof text });
    fail_detail(&err, "b", STR("\"x\""));
    assert_string_equal(fail_details_of(&err), ",\"a\":1,\"b\":\"x\"");
    fail_detail(NULL, "a", STR("1"));
    fail_details(&err, STR(",\"c\":2"));
    assert_string_equal(fail_details_of(&err), ",\"a\":1,\"b\":\"x\",\"c\":2");
    assert_string_equal(err.message, "no");
    fail_more(&err, ", %s", "never");
    assert_string_equal(err.message, "no, never");
    assert_string_equal(fail_details_of(&err), "");
    fail(&err, ST_INVALID, "", "%.*s", (int)sizeof text, text);
    fail_detail(&err, "a", STR("1")); /* A message that fills its room gives way. */
    assert_string_equal(fail_details_of(&err), ",\"a\":1");
    assert_true(strlen(err.message) > 500);
    fail(&err, ST_INVALID, "", "another one");
    assert_string_equal(fail_details_of(&err), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_words),
        cmocka_unit_test(an_error_that_is_too_long_is_cut_between_characters),
        cmocka_unit_test(details_that_do_not_fit_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
