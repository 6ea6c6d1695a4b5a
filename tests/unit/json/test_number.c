#include "json_test.h"

#include <float.h>
#include <math.h>

static void integers_are_told_by_value(void **state)
{
    static const struct {
        const char *text;
        bool is;
        int64_t value;
    } cases[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "1.0", true, 1 },
        { "1e2", true, 100 },
        { "100e-2", true, 1 },
        { "-12.50e2", true, -1250 },
        { "0.0", true, 0 },
        { "0e999999", true, 0 },
        { "134217727", true, 134217727 },
        { "134217728", true, 134217728 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775807.0", true, INT64_MAX },
        { "-9223372036854775808e0", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "1e19", false, 0 },
        { "1e18", true, 1000000000000000000 },
        { "0.5", false, 0 },
        { "1e-1", false, 0 },
        { "1e400", false, 0 },
        { "1.000000000000000000001", false, 0 },
        { "\"1\"", false, 0 },
        { "null", false, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = 0;
        if (json_int64(parse(*state, cases[i].text), &value) != cases[i].is) fail_msg("%s", cases[i].text);
        assert_int_equal(value, cases[i].value);
    }
}

static void doubles_are_the_nearest(void **state)
{
    static const char *const cases[] = {
        "0.1",
        "0.2",
        "0.3",
        "1.5",
        "-2.75",
        "3.141592653589793",
        "1e22",
        "1e23",
        "123456789012345678",
        "9007199254740993",
        "4.9e-324",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1e-400",
        "123456789012345678901234567890",
        "0.1000000000000000055511151231257827",
        "8.5e-5",
        "999999999999999e22",
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(json_double(parse(*state, cases[i])) == strtod(cases[i], NULL));
    assert_true(json_double(parse(*state, "1e400")) == DBL_MAX);
    assert_true(json_double(parse(*state, "-1e400")) == -DBL_MAX);
    assert_true(signbit(json_double(parse(*state, "-0"))));
}

static void doubles_print_as_short_as_they_can(void **state)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        { 0.0, "0" },
        { -0.0, "0" },
        { 1.0, "1" },
        { -3.0, "-3" },
        { 0.1, "0.1" },
        { 1.0 / 3, "0.3333333333333333" },
        { 2.0 / 3, "0.6666666666666666" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 999999999999999.0, "999999999999999" },
        { 1e15, "1000000000000000" },
        { 9007199254740993.0, "9007199254740992" },
        { 1e22, "10000000000000000000000" },
        { 1e40, "1e40" },
        { 1.5e300, "1.5e300" },
        { 1e-5, "0.00001" },
        { 1e-6, "0.000001" },
        { 1e-7, "1e-7" },
        { 5e-324, "5e-324" },
        { DBL_MAX, "1.7976931348623157e308" },
        { 12.5, "12.5" },
        { -1e-10, "-1e-10" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value = json_of_double(*state, cases[i].value);
        assert_string_equal(print(*state, value), cases[i].want);
        assert_true(json_double(value) == cases[i].value);
        assert_true(json_equal(parse(*state, print(*state, value)), value));
        assert_non_null(json_decode(json_encoded(value), *state));
    }
}

static void numbers_compare_by_value_exactly(void **state)
{
    /* In groups of equal ones, ascending. */
    static const char *const groups[][4] = {
        { "-1e400", "-10e399" },
        { "-9223372036854775809" },
        { "-9223372036854775808", "-9223372036854775808.0" },
        { "-2" },
        { "-1.5", "-15e-1" },
        { "-1e-400" },
        { "0", "-0", "0.0", "-0e5" },
        { "1e-999999999" },
        { "1e-400", "0.1e-399" },
        { "0.1", "1e-1", "0.10" },
        { "0.1000000000000000055511151231257827" },
        { "1", "1.0", "1e0", "100e-2" },
        { "1.000000000000000005" },
        { "9007199254740992" },
        { "9007199254740993", "9007199254740993.0" },
        { "9223372036854775807", "9.223372036854775807e18" },
        { "9223372036854775808" },
        { "1e400", "10e399", "0.1e401" },
        { "1e401" },
        { "1e999999999" },
    };
    for (size_t i = 0; i < COUNT(groups) * 4; i++)
        for (size_t k = 0; k < COUNT(groups) * 4; k++) {
            const char *a = groups[i / 4][i % 4], *b = groups[k / 4][k % 4];
            if (!a || !b) continue;
            const struct json *x = parse(*state, a), *y = parse(*state, b);
            int want = (i / 4 > k / 4) - (i / 4 < k / 4);
            if (json_number_compare(x, y) != want) fail_msg("%s and %s", a, b);
            assert_int_equal(json_equal(x, y), want == 0);
            assert_int_equal(strcmp(canonical(*state, x), canonical(*state, y)) == 0, want == 0);
        }
}

static void texts_are_numbers_or_not(void **state)
{
    static const struct {
        str text;
        const char *want;
    } cases[] = {
        { STR_INIT("1"), "1" },
        { STR_INIT(" \t1.50\n"), "1.50" },
        { STR_INIT("-0"), "-0" },
        { STR_INIT("1e5"), "1e5" },
        { STR_INIT(""), NULL },
        { STR_INIT(" "), NULL },
        { STR_INIT("1 2"), NULL },
        { STR_INIT("01"), NULL },
        { STR_INIT("+1"), NULL },
        { STR_INIT("0x10"), NULL },
        { STR_INIT("1."), NULL },
        { STR_INIT("abc"), NULL },
        { STR_INIT("1\0"), NULL },
        { STR_INIT("NaN"), NULL },
        { STR_INIT("1e9999999999"), NULL },
        { STR_INIT("\xc2\xa0"
                   "1"),
          NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value = json_number_parse(cases[i].text, *state);
        if (cases[i].want) assert_string_equal(print(*state, value), cases[i].want);
        else assert_null(value);
    }
}

static const struct {
    const char *a;
    char op;
    const char *b, *want;
} exact_cases[] = {
    { "1", '+', "2", "3" },
    { "1", '-', "2", "-1" },
    { "6", '*', "7", "42" },
    { "0.1", '+', "0.2", "0.3" },
    { "0.5", '+', "0.5", "1" },
    { "1.10", '+', "2.20", "3.3" },
    { "19.99", '*', "3", "59.97" },
    { "0.1", '*', "0.1", "0.01" },
    { "1.0", '-', "1", "0" },
    { "-0", '+', "0", "0" },
    { "9223372036854775807", '+', "1", "9223372036854775808" },
    { "-9223372036854775808", '-', "1", "-9223372036854775809" },
    { "9223372036854775808", '-', "1", "9223372036854775807" },
    { "9223372036854775807", '*', "10", "92233720368547758070" },
    { "-9223372036854775808", '*', "-1", "9223372036854775808" },
    { "123456789012345678", '*', "1000000007", "123456789876543201086419746" },
    { "9999999999999999999999999999999999", '+', "0", "9999999999999999999999999999999999" },
    { "1e400", '-', "1e400", "0" },
    { "1e20", '+', "1e-13", "100000000000000000000.0000000000001" },
    { "1e30", '+', "1e-10", "1000000000000000000000000000000" }, /* 41 digits: a double. */
    { "1234567890123456789012345678901234", '*', "5", "6172839450617283945061728394506170" },
    { "125000000000000000000000000000001", '*', "8e-3", "1000000000000000000000000000000.008" },
    { "10", '/', "4", "2.5" },
    { "10", '/', "2", "5" },
    { "1", '/', "3", "0.3333333333333333" },
    { "2", '/', "3", "0.6666666666666666" },
    { "1", '/', "8", "0.125" },
    { "-1", '/', "8", "-0.125" },
    { "1", '/', "-8", "-0.125" },
    { "0", '/', "7", "0" },
    { "0.3", '/', "0.1", "3" },
    { "1", '/', "0.001", "1000" },
    { "6", '/', "3", "2" },
    { "1e300", '/', "1e299", "10" },
    { "1", '/', "1024", "0.0009765625" },
    { "100", '/', "30", "3.3333333333333335" },
    { "99.99", '/', "3", "33.33" },
    { "7", '%', "3", "1" },
    { "-7", '%', "3", "-1" },
    { "7", '%', "-3", "1" },
    { "-7", '%', "-3", "-1" },
    { "6", '%', "3", "0" },
    { "7.0", '%', "3", "1" },
    { "1e3", '%', "7", "6" },
    { "-9223372036854775808", '%', "-1", "0" },
    { "12345678901234567890", '%', "10", "0" },
    { "2", '^', "10", "1024" },
    { "2", '^', "0", "1" },
    { "0", '^', "0", "1" },
    { "0", '^', "5", "0" },
    { "2", '^', "-2", "0.25" },
    { "-2", '^', "3", "-8" },
    { "1.1", '^', "2", "1.21" },
    { "2", '^', "0.5", "1.4142135623730951" },
    { "2", '^', "100", "1267650600228229401496703205376" },
    { "10", '^', "30", "1000000000000000000000000000000" },
    { "1", '^', "9223372036854775807", "1" },
    { "-1", '^', "9223372036854775807", "-1" },
    { "3", '^', "-1", "0.3333333333333333" },
    { "10", '^', "-3", "0.001" },
    { "4", '^', "0.5", "2" },
    { "9", '^', "1.0", "9" },
    { "2", '^', "-9223372036854775808", "0" },
};

static void arithmetic_is_exact_while_it_can_be(void **state)
{
    static const char operators[] = "+-*/%^";
    for (size_t i = 0; i < COUNT(exact_cases); i++) {
        const struct json *a = parse(*state, exact_cases[i].a), *b = parse(*state, exact_cases[i].b),
                          *value = NULL;
        enum json_operator op = (enum json_operator)(strchr(operators, exact_cases[i].op) - operators);
        struct error err = { .message = "" };
        if (json_calculate(op, a, b, *state, &value, &err) != ST_OK)
            fail_msg("%s %c %s: %s", exact_cases[i].a, exact_cases[i].op, exact_cases[i].b, err.message);
        const char *got = print(*state, value);
        if (strcmp(got, exact_cases[i].want))
            fail_msg("%s %c %s: %s", exact_cases[i].a, exact_cases[i].op, exact_cases[i].b, got);
        assert_non_null(json_decode(json_encoded(value), *state));
    }
}

static void impossible_arithmetic_is_refused(void **state)
{
    static const struct {
        const char *a;
        char op;
        const char *b, *says;
    } cases[] = {
        { "1", '/', "0", "division by zero" },
        { "0", '/', "0", "division by zero" },
        { "1", '/', "-0.0", "division by zero" },
        { "1", '%', "0", "division by zero" },
        { "1.5", '%', "0", "division by zero" },
        { "0", '^', "-1", "division by zero" },
        { "1.5", '%', "1", "integers only" },
        { "1", '%', "0.5", "integers only" },
        { "1e400", '%', "7", "digits" },
        { "1e308", '*', "10", "too large" },
        { "1.7e308", '+', "1.7e308", "too large" },
        { "-1e308", '*', "1e308", "too large" },
        { "10", '^', "400", "too large" },
        { "2", '^', "99999", "too large" },
        { "1e400", '+', "0.123", "too large" },
        { "-1", '^', "0.5", "not a number" },
        { "1e-300", '^', "-2", "too large" },
        { "1e999999999", '*', "1e999999999", "too large" },
    };
    static const char operators[] = "+-*/%^";
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *a = parse(*state, cases[i].a), *b = parse(*state, cases[i].b), *value = NULL;
        enum json_operator op = (enum json_operator)(strchr(operators, cases[i].op) - operators);
        struct error err = { .message = "" };
        if (json_calculate(op, a, b, *state, &value, &err) != ST_INVALID)
            fail_msg("%s %c %s: %s", cases[i].a, cases[i].op, cases[i].b, print(*state, value));
        assert_null(value);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s %c %s: %s", cases[i].a, cases[i].op, cases[i].b, err.message);
    }
}

/* What was added can be taken away again. */
static void sums_and_products_of_cents_can_be_undone(void **state)
{
    struct random random = { 7 };
    for (int i = 0; i < 2000; i++) {
        char text[2][32];
        const struct json *number[2], *sum, *product, *back;
        for (int k = 0; k < 2; k++) {
            snprintf(text[k], sizeof text[k], "%u.%02u", random_below(&random, 1000000),
                     random_below(&random, 100) + 1);
            number[k] = parse(*state, text[k]);
        }
        assert_int_equal(json_calculate(JSON_PLUS, number[0], number[1], *state, &sum, NULL), ST_OK);
        assert_int_equal(json_calculate(JSON_MINUS, sum, number[1], *state, &back, NULL), ST_OK);
        assert_true(json_equal(back, number[0]));
        assert_int_equal(json_calculate(JSON_TIMES, number[0], number[1], *state, &product, NULL), ST_OK);
        assert_int_equal(json_calculate(JSON_DIVIDED, product, number[1], *state, &back, NULL), ST_OK);
        assert_true(json_equal(back, number[0]));
    }
}

static void multiples_are_exact(void **state)
{
    static const struct {
        const char *value, *divisor;
        bool want;
    } cases[] = {
        { "6", "3", true },
        { "7", "3", false },
        { "-6", "3", true },
        { "0", "0.0001", true },
        { "0.0", "7", true },
        { "0.3", "0.1", true }, /* Not so with doubles. */
        { "0.35", "0.1", false },
        { "19.99", "0.01", true },
        { "1e308", "0.123456789", false },
        { "1e308", "0.5", true },
        { "1", "10", false },
        { "1e1", "10", true },
        { "0.1", "1", false },
        { "1e999999999", "1e-999999999", true },
        { "1e999999999", "3", false },
        { "3e999999999", "3", true },
        { "1e999999999", "1024", true },
        { "1e9", "1024", false }, /* 2^9 only. */
        { "1e999999999", "36028797018963968000000000001", false },
        { "15241578753238836750495351562536198787501905199875019052100", "123456789012345678901234567890",
          true },
        { "15241578753238836750495351562536198787501905199875019052101", "123456789012345678901234567890",
          false },
        { "1e400", "1606938044258990275541962092341162602522202993782792835301376", true }, /* 2^200. */
        { "1e199", "1606938044258990275541962092341162602522202993782792835301376", false },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (json_is_multiple(parse(arena, cases[i].value), parse(arena, cases[i].divisor)) != cases[i].want)
            fail_msg("%s of %s", cases[i].value, cases[i].divisor);
}

static void integers_have_any_number_of_digits(void **state)
{
    struct arena *arena = *state;
    static const char *const whole[] = {
        "0", "-0", "1.0", "1e400", "123456789012345678901234567890", "1.50e1"
    };
    static const char *const others[] = { "0.5",    "1e-400", "123456789012345678901234567890.1",
                                          "1.55e1", "\"1\"",  "null" };
    for (size_t i = 0; i < COUNT(whole); i++) assert_true(json_is_integer(parse(arena, whole[i])));
    for (size_t i = 0; i < COUNT(others); i++) assert_false(json_is_integer(parse(arena, others[i])));
    assert_false(json_is_integer(NULL));
}

static void an_item_that_is_no_integer_counts_as_0(void **state)
{
    const struct json *array = parse(*state, "[7, 1e2, \"7\", 1.5, null]");
    static const int64_t want[] = { 7, 100, 0, 0, 0, 0 };
    for (size_t i = 0; i < COUNT(want); i++) assert_int_equal(json_item_int64(array, i), want[i]);
    assert_int_equal(json_item_int64(parse(*state, "{}"), 0), 0);
}

static void digits_have_no_zeros_at_their_ends(void **state)
{
    static const struct {
        const char *text, *digits;
        int64_t exponent;
        bool negative;
    } cases[] = {
        { "0", "", 0, false },
        { "-0.00", "", 0, false },
        { "1200", "12", 2, false },
        { "-0.0120", "12", -3, true },
        { "1.50e3", "15", 2, false },
        { "1e-400", "1", -400, false },
        { "12345678901234567890.5", "123456789012345678905", -1, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json_digits got;
        json_digits(parse(*state, cases[i].text), &got);
        assert_int_equal(got.count, strlen(cases[i].digits));
        assert_memory_equal(got.digit, cases[i].digits, got.count);
        assert_int_equal(got.exponent, cases[i].exponent);
        assert_int_equal(got.negative, cases[i].negative);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(multiples_are_exact),
        json_test(integers_have_any_number_of_digits),
        json_test(an_item_that_is_no_integer_counts_as_0),
        json_test(digits_have_no_zeros_at_their_ends),
        json_test(integers_are_told_by_value),
        json_test(doubles_are_the_nearest),
        json_test(doubles_print_as_short_as_they_can),
        json_test(numbers_compare_by_value_exactly),
        json_test(texts_are_numbers_or_not),
        json_test(arithmetic_is_exact_while_it_can_be),
        json_test(impossible_arithmetic_is_refused),
        json_test(sums_and_products_of_cents_can_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
