/* Large values that are there more than once: found where they are, and only then. */
#include "json_test.h"

enum { LARGE = 100 };

static const struct json *parsed(struct arena *arena, const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, arena, &value, &err), ST_OK);
    return value;
}

#define TEN "0123456789"
#define HUNDRED "\"" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "\""

static void assert_repeats(const char *text, size_t count_want)
{
    struct arena arena;
    struct json_repeat repeat[JSON_REPEATS_MAX];
    arena_init(&arena, 0);
    const struct json *value = parsed(&arena, text);
    str cells = json_encoded(value);
    size_t count = json_repeats(value, LARGE, repeat, COUNT(repeat)), bytes = cells.n, behind = 0;
    assert_int_equal(count, count_want);
    for (size_t i = 0; i < count; i++) {
        assert_true(repeat[i].n >= LARGE && repeat[i].at >= behind);
        assert_true(repeat[i].earlier + repeat[i].n <= repeat[i].at);
        assert_memory_equal(cells.p + repeat[i].at, cells.p + repeat[i].earlier, repeat[i].n);
        behind = repeat[i].at + repeat[i].n;
        bytes -= repeat[i].n;
    }
    assert_int_equal(json_bytes_once(value, LARGE), bytes);
    arena_done(&arena);
}

static void repeats_are_found_at_any_depth(void **state)
{
    (void)state;
    assert_repeats("1", 0);
    assert_repeats("[" HUNDRED "]", 0);
    assert_repeats("[" HUNDRED "," HUNDRED "]", 1);
    assert_repeats("{\"a\":" HUNDRED ",\"b\":{\"c\":[1," HUNDRED "]},\"d\":" HUNDRED "}", 2);
}

static void small_values_and_other_values_are_no_repeats(void **state)
{
    (void)state;
    assert_repeats("[\"" TEN "\",\"" TEN
                   "\",\"" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
                   "\"]",
                   0);
    assert_repeats("[" HUNDRED ",\"" TEN TEN TEN TEN TEN TEN TEN TEN TEN "0123456780\"]", 0);
}

static void what_is_inside_of_a_repeat_is_none(void **state)
{
    (void)state;
    assert_repeats("[{\"a\":" HUNDRED "},{\"a\":" HUNDRED "}]", 1);
}

static const char *ended(struct buf *text)
{
    buf_add(text, "]", 2);
    return text->p;
}

/* With more than are compared, those that are found are right. */
static void many_large_values_are_compared_in_part(void **state)
{
    struct arena arena;
    struct buf text;
    (void)state;
    arena_init(&arena, 0);
    buf_init(&text, &arena);
    buf_add_char(&text, '[');
    for (int i = 0; i < 3 * JSON_REPEATS_MAX; i++)
        buf_printf(&text, "%s\"%0200d\"", i ? "," : "", i % (2 * JSON_REPEATS_MAX));
    /* The array itself is one of those that are compared. */
    assert_repeats(ended(&text), JSON_REPEATS_MAX - 1);
    text.n = 0;
    buf_add_char(&text, '[');
    for (int i = 0; i < 3 * JSON_REPEATS_MAX; i++) buf_printf(&text, "%s\"%0200d\"", i ? "," : "", 7);
    assert_repeats(ended(&text), JSON_REPEATS_MAX);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_found_at_any_depth),
        cmocka_unit_test(small_values_and_other_values_are_no_repeats),
        cmocka_unit_test(what_is_inside_of_a_repeat_is_none),
        cmocka_unit_test(many_large_values_are_compared_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
