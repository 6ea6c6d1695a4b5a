/* Pieces of a JSON text. */
#include "json/put.h"

#include "json/json_test.h"

static void pieces_make_a_text(void **state)
{
    struct buf out;
    buf_init(&out, *state);
    PUT(&out, "{\"id\":");
    put_id(&out, (struct id){ .ms = 1, .instance = 2 });
    PUT(&out, ",\"text\":");
    put_text(&out, STR("a\"b"));
    PUT(&out, ",\"at\":");
    put_time(&out, 1000);
    PUT(&out, "}");
    const struct json *value = parse_str(*state, buf_str(&out));
    assert_int_equal(json_string(json_get(value, STR("id"))).n, ID_CHARS);
    assert_true(str_equal(json_string(json_get(value, STR("text"))), STR("a\"b")));
    assert_true(str_equal(json_string(json_get(value, STR("at"))), STR("1970-01-01T00:00:01.000000Z")));
}

static void integers_of_any_size(void **state)
{
    static const struct {
        int64_t value;
        const char *want;
    } cases[] = {
        { 0, "0" },
        { -7, "-7" },
        { INT64_MAX, "9223372036854775807" },
        { INT64_MIN, "-9223372036854775808" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, *state);
        put_int(&out, cases[i].value);
        assert_true(str_equal(buf_str(&out), str_of(cases[i].want)));
    }
}

static void a_text_has_a_longest_length(void **state)
{
    struct buf out;
    buf_init(&out, *state);
    PUT(&out, "[1,2,3]");
    assert_false(put_is_beyond(&out, 7));
    assert_true(put_is_beyond(&out, 6));
    assert_false(put_is_beyond(&out, 0)); /* Any length. */
    assert_true(put_may_fit(&out, NULL, 7));
    assert_false(put_may_fit(&out, NULL, 6));
    const struct json *value = parse(*state, "\"0123456789012345678901234567890123456789\"");
    assert_true(put_may_fit(&out, value, 0));
    assert_true(put_may_fit(&out, value, 100));
    assert_false(put_may_fit(&out, value, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(pieces_make_a_text),
        json_test(integers_of_any_size),
        json_test(a_text_has_a_longest_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
