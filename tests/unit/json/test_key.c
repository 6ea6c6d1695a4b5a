/* Keys: their order is the order of the values. */
#include "json/key.h"

#include "json_test.h"

enum { BYTES_MAX = 40 };

static str key_of(struct arena *arena, const struct json *value, size_t bytes_max, bool *ret_whole)
{
    struct buf key;
    buf_init(&key, arena);
    *ret_whole = json_key_add(value, bytes_max, &key);
    return buf_str(&key);
}

static int sign(int order) { return (order > 0) - (order < 0); }

/* In ascending order; those of one line are equal. */
static void keys_ascend_as_values_do(void **state)
{
    static const char *const lines[][3] = {
        { "null" },
        { "false" },
        { "true" },
        { "-1e999999999" },
        { "-100.5" },
        { "-100", "-1e2", "-100.0" },
        { "-99.99999999999999999999" },
        { "-2" },
        { "-1.5" },
        { "-1" },
        { "-0.5" },
        { "-5e-999999999" },
        { "0", "-0", "0.000" },
        { "1e-999999999" },
        { "0.1", "1e-1" },
        { "0.10000000000000000001" },
        { "0.2" },
        { "1", "1.0", "10e-1" },
        { "1.01" },
        { "1.1" },
        { "9" },
        { "10", "1e1" },
        { "12345678901234567890" },
        { "12345678901234567891" },
        { "1e999999999" },
        { "\"\"" },
        { "\"\\u0000\"" },
        { "\"\\u0000a\"" },
        { "\"\\u0001\"" },
        { "\"1\"" },
        { "\"a\"" },
        { "\"a\\u0000\"" },
        { "\"ab\"" },
        { "\"b\"" },
        { "\"\u00e4\"" },
        { "{}", "{\"a\":1}" },
    };
    bool whole;
    for (size_t i = 0; i < COUNT(lines); i++)
        for (size_t k = 0; k < COUNT(lines); k++)
            for (size_t n = 0; n < 9; n++) {
                if (!lines[i][n / 3] || !lines[k][n % 3]) continue;
                str a = key_of(*state, parse(*state, lines[i][n / 3]), BYTES_MAX, &whole);
                str b = key_of(*state, parse(*state, lines[k][n % 3]), BYTES_MAX, &whole);
                if (sign(str_compare(a, b)) != sign((int)i - (int)k))
                    fail_msg("%s and %s", lines[i][n / 3], lines[k][n % 3]);
                if (i != k && str_starts(a, b))
                    fail_msg("%s begins with %s", lines[i][n / 3], lines[k][n % 3]);
            }
}

static const struct json *random_number(struct random *random, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    if (random_below(random, 2)) buf_add_char(&text, '-');
    buf_add_char(&text, (char)('0' + random_below(random, 10)));
    if (random_below(random, 2)) {
        buf_add_char(&text, '.');
        for (uint32_t n = 1 + random_below(random, 90); n; n--)
            buf_add_char(&text, "0059123"[random_below(random, 7)]);
    }
    if (random_below(random, 2)) buf_printf(&text, "e%d", (int)random_below(random, 5) - 2);
    return parse_str(arena, buf_str(&text));
}

static const struct json *random_text(struct random *random, struct arena *arena)
{
    char text[BYTES_MAX + 4];
    uint32_t n = random_below(random, 2) ? random_below(random, 4) : BYTES_MAX - 2 + random_below(random, 5);
    for (uint32_t i = 0; i < n; i++) text[i] = i + 3 < n && n > 4 ? 'x' : "\0\1ab"[random_below(random, 4)];
    return json_of_string(arena, (str){ text, n });
}

/* Whole keys tell values apart exactly; cut ones never contradict the order. */
static void keys_agree_with_comparison_of_random_values(void **state)
{
    struct random random = { 7 };
    for (int i = 0; i < 20000; i++) {
        bool numbers = random_below(&random, 2), whole_a, whole_b;
        const struct json *a = numbers ? random_number(&random, *state) : random_text(&random, *state);
        const struct json *b = numbers ? random_number(&random, *state) : random_text(&random, *state);
        int want = numbers ? json_number_compare(a, b) : str_compare(json_string(a), json_string(b));
        int order =
            str_compare(key_of(*state, a, BYTES_MAX, &whole_a), key_of(*state, b, BYTES_MAX, &whole_b));
        if (sign(order) == sign(want)) continue;
        if (order || whole_a || whole_b) fail_msg("%s and %s", print(*state, a), print(*state, b));
    }
}

static void a_beginning_begins_the_keys_of_its_texts(void **state)
{
    static const struct {
        const char *beginning, *text;
        bool begins;
    } cases[] = {
        { "", "", true },
        { "", "a", true },
        { "a", "a", true },
        { "a", "ab", true },
        { "a", "b", false },
        { "ab", "a", false },
        { "0123456789", "01234567890", true },
        { "01234567xx", "01234567yy", true }, /* Cut: it may be. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf from, to;
        bool whole;
        buf_init(&from, *state);
        buf_init(&to, *state);
        json_key_add_beginning(str_of(cases[i].beginning), 8, &from);
        buf_add_str(&to, buf_str(&from));
        json_key_pass(&to);
        str key = key_of(*state, json_of_string(*state, str_of(cases[i].text)), 8, &whole);
        bool within = str_compare(key, buf_str(&from)) >= 0 && str_compare(key, buf_str(&to)) < 0;
        if (within != cases[i].begins) fail_msg("%s, %s", cases[i].beginning, cases[i].text);
    }
}

static void passing_goes_behind_all_that_begin_so(void **state)
{
    struct buf key;
    buf_init(&key, *state);
    buf_add_str(&key, STR("\x40"
                          "a\xff\xff"));
    json_key_pass(&key);
    assert_true(str_equal(buf_str(&key), STR("\x40"
                                             "b")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(keys_ascend_as_values_do),
        json_test(keys_agree_with_comparison_of_random_values),
        json_test(a_beginning_begins_the_keys_of_its_texts),
        json_test(passing_goes_behind_all_that_begin_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
