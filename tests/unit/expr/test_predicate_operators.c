/* Conditions on entities: every operator, by table. */
#include "expr/predicates.h"

#include "base/regex.h"
#include "base/utf8.h"
#include "expr/case_folding_int.h"

/* What an operator says about a value, `stored`, which is member v; NULL: there is none. */
struct holds {
    const char *op, *operand, *stored;
    bool want;
};

static void expect_all(const struct holds *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char condition[512], data[512];
        snprintf(condition, sizeof condition,
                 "{\"type\":\"simple\",\"jsonPath\":\"$.v\",\"operatorType\":\"%s\",\"value\":%s}",
                 cases[i].op, cases[i].operand);
        snprintf(data, sizeof data, cases[i].stored ? "{\"v\":%s}" : "{}", cases[i].stored);
        predicates_expect(condition, data, cases[i].want);
    }
}

#define EXPECT_ALL(cases) expect_all((cases), COUNT(cases))

static void equality_goes_by_the_kind_of_the_stored_value(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "EQUALS", "5", "5", true },
        { "EQUALS", "5", "5.0", true },
        { "EQUALS", "\"5\"", "5", true },
        { "EQUALS", "\" 5e0 \"", "5", true },
        { "EQUALS", "5", "\"5\"", true },
        { "EQUALS", "5", "\"5.0\"", false },
        { "EQUALS", "1.50", "\"1.50\"", true },
        /* Digits that a double would lose, and a number that it would write with an exponent. */
        { "EQUALS", "9007199254740993", "9007199254740992", false },
        { "EQUALS", "0.1", "0.1000000000000000000000001", false },
        { "EQUALS", "12345678901234567890123", "\"12345678901234567890123\"", true },
        { "EQUALS", "1000000", "\"1000000\"", true },
        { "EQUALS", "1e400", "\"1e400\"", true },
        { "EQUALS", "1e400", "10e399", true },
        { "EQUALS", "\"abc\"", "5", false },
        { "EQUALS", "\"\"", "0", false },
        { "EQUALS", "\"2024\"", "\"2024\"", true },
        { "EQUALS", "2024", "\"2024\"", true },
        { "EQUALS", "\"a\"", "\"A\"", false },
        { "EQUALS", "true", "true", true },
        { "EQUALS", "\"true\"", "true", true },
        { "EQUALS", "true", "\"true\"", true },
        { "EQUALS", "\"TRUE\"", "true", false },
        { "EQUALS", "1", "true", false },
        { "EQUALS", "\"{}\"", "{}", false },
        { "NOT_EQUAL", "5", "6", true },
        { "NOT_EQUAL", "5", "5.0", false },
        { "NOT_EQUAL", "\"abc\"", "5", false }, /* Not comparable. */
        { "NOT_EQUAL", "\"x\"", "\"y\"", true },
        { "NOT_EQUAL", "true", "false", true },
        { "NOT_EQUAL", "\"maybe\"", "false", false },
        { "NOT_EQUAL", "1", "{}", false },
    };
    EXPECT_ALL(cases);
}

static void order_is_that_of_decimals_or_bytes(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "GREATER_THAN", "5", "6", true },
        { "GREATER_THAN", "5", "5", false },
        { "GREATER_THAN", "\"5\"", "10", true },
        { "GREATER_THAN", "9", "\"10\"", false }, /* Texts, byte by byte. */
        { "GREATER_THAN", "9007199254740992", "9007199254740993", true },
        { "GREATER_THAN", "-1e500", "-1e499", true },
        { "GREATER_THAN", "\"a\"", "\"b\"", true },
        { "GREATER_THAN", "\"Z\"", "\"a\"", true },
        { "GREATER_THAN", "\"a\"", "5", false },
        { "GREATER_THAN", "false", "true", false },
        { "GREATER_OR_EQUAL", "5", "5.00", true },
        { "GREATER_OR_EQUAL", "5", "4.999", false },
        { "GREATER_OR_EQUAL", "true", "true", false },
        { "LESS_THAN", "5", "4.99999999999999999999", true },
        { "LESS_THAN", "5", "5", false },
        { "LESS_THAN", "\"b\"", "\"a\"", true },
        { "LESS_THAN", "\"a\"", "\"\"", true },
        { "LESS_OR_EQUAL", "5", "5", true },
        { "LESS_OR_EQUAL", "\"5\"", "5.1", false },
        { "LESS_OR_EQUAL", "\"2026-01-01\"", "\"2025-12-31\"", true },
        { "BETWEEN", "[1,5]", "3", true },
        { "BETWEEN", "[1,5]", "1", false },
        { "BETWEEN", "[1,5]", "5", false },
        { "BETWEEN", "\"1,5\"", "3", true },
        { "BETWEEN", "\" 1 , 5 \"", "4.9", true },
        { "BETWEEN", "[1,\"x\"]", "3", false },
        { "BETWEEN", "[\"a\",\"c\"]", "\"b\"", true },
        { "BETWEEN", "[1,5]", "true", false },
        { "BETWEEN", "[5,1]", "3", false },
        { "BETWEEN_INCLUSIVE", "[1,5]", "1.0", true },
        { "BETWEEN_INCLUSIVE", "[1,5]", "5", true },
        { "BETWEEN_INCLUSIVE", "[1,5]", "5.01", false },
        { "BETWEEN_INCLUSIVE", "\"a,c\"", "\"c\"", true },
    };
    EXPECT_ALL(cases);
}

static void texts_are_looked_into(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "CONTAINS", "\"ell\"", "\"Hello\"", true },
        { "CONTAINS", "\"ELL\"", "\"Hello\"", false },
        { "CONTAINS", "\"\"", "\"\"", true },
        { "CONTAINS", "1", "\"a1b\"", true },
        { "CONTAINS", "1", "212", false }, /* A number is no text. */
        { "NOT_CONTAINS", "\"x\"", "\"Hello\"", true },
        { "NOT_CONTAINS", "\"x\"", "5", false },
        { "STARTS_WITH", "\"He\"", "\"Hello\"", true },
        { "NOT_STARTS_WITH", "\"He\"", "\"Hello\"", false },
        { "NOT_STARTS_WITH", "\"he\"", "\"Hello\"", true },
        { "ENDS_WITH", "\"lo\"", "\"Hello\"", true },
        { "NOT_ENDS_WITH", "\"lo\"", "\"Hello\"", false },
        { "IEQUALS", "\"HELLO\"", "\"hello\"", true },
        { "IEQUALS", "5", "5", false },
        { "IEQUALS", "\"Z\xc3\x9cRICH\"", "\"z\xc3\xbcrich\"", true },
        { "IEQUALS", "\"\xce\xa3\xce\x99\"", "\"\xcf\x82\xce\xb9\"", true }, /* ΣΙ, ςι */
        { "IEQUALS", "\"\xe2\x84\xaa\"", "\"k\"", true },                    /* The sign of Kelvin. */
        { "IEQUALS", "\"stra\xc3\x9f\x65\"", "\"STRASSE\"", false },         /* Simple folding keeps ß. */
        { "INOT_EQUAL", "\"A\"", "\"a\"", false },
        { "INOT_EQUAL", "\"A\"", "\"b\"", true },
        { "INOT_EQUAL", "\"A\"", "5", false },
        { "ICONTAINS", "\"ELL\"", "\"Hello\"", true },
        { "INOT_CONTAINS", "\"ELL\"", "\"Hello\"", false },
        { "ISTARTS_WITH", "\"hE\"", "\"HELLO\"", true },
        { "INOT_STARTS_WITH", "\"x\"", "\"HELLO\"", true },
        { "IENDS_WITH", "\"LO\"", "\"hello\"", true },
        { "INOT_ENDS_WITH", "\"LO\"", "\"hello\"", false },
        { "ISTARTS_WITH", "\"\xc8\xba\"", "\"\xe2\xb1\xa5x\"", true }, /* Ⱥ has two bytes, ⱥ three. */
    };
    EXPECT_ALL(cases);
}

static void like_and_patterns_match_the_whole_text(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "LIKE", "\"a%\"", "\"abc\"", true },
        { "LIKE", "\"a%\"", "\"a\"", true },
        { "LIKE", "\"%b%\"", "\"abc\"", true },
        { "LIKE", "\"b\"", "\"abc\"", false },
        { "LIKE", "\"a_c\"", "\"abc\"", true },
        { "LIKE", "\"a_c\"",
          "\"a\xc3\xbc"
          "c\"",
          true },
        { "LIKE", "\"a_c\"", "\"abbc\"", false },
        { "LIKE", "\"a.c\"", "\"abc\"", false },
        { "LIKE", "\"%ab%ac\"", "\"abxabac\"", true },
        { "LIKE", "\"%aab\"", "\"aaab\"", true },
        { "LIKE", "\"100\\\\%\"", "\"100%\"", true },
        { "LIKE", "\"100\\\\%\"", "\"100x\"", false },
        { "LIKE", "\"a\\\\_b\"", "\"a_b\"", true },
        { "LIKE", "\"a\\\\\\\\b\"", "\"a\\\\b\"", true },
        { "LIKE", "\"a\\\\b\"", "\"a\\\\b\"", true }, /* No escape: itself. */
        { "LIKE", "\"a\\\\\"", "\"a\\\\\"", true },
        { "LIKE", "\"a%b\"", "\"a\\nb\"", false }, /* Neither crosses a line end. */
        { "LIKE", "\"a_b\"", "\"a\\nb\"", false },
        { "LIKE", "\"a\\nb\"", "\"a\\nb\"", true },
        { "LIKE", "\"%\"", "\"\"", true },
        { "LIKE", "\"\"", "\"\"", true },
        { "LIKE", "\"\"", "\"x\"", false },
        { "LIKE", "\"A\"", "\"a\"", false },
        { "LIKE", "\"5%\"", "55", false },
        { "MATCHES_PATTERN", "\"a+\"", "\"aaa\"", true },
        { "MATCHES_PATTERN", "\"a\"", "\"aaa\"", false },
        { "MATCHES_PATTERN", "\"a|ab\"", "\"ab\"", true },
        { "MATCHES_PATTERN", "\"a\"", "\"a\\n\"", false },
        { "MATCHES_PATTERN", "\"[0-9]+\"", "12", false },
        { "MATCHES_PATTERN", "12", "\"12\"", true },
    };
    EXPECT_ALL(cases);
}

static void nothing_is_true_of_what_is_missing(void **state)
{
    (void)state;
    static const char *const stored[] = { NULL, "null" };
    for (size_t i = 0; i < PREDICATE_COUNT; i++)
        for (size_t k = 0; k < COUNT(stored); k++) {
            bool range = i == PREDICATE_BETWEEN || i == PREDICATE_BETWEEN_INCLUSIVE;
            const struct holds plain = { predicate_op_name((enum predicate_op)i).p, range ? "[1,2]" : "\"a\"",
                                         stored[k], i == PREDICATE_IS_NULL };
            struct holds null = plain;
            null.operand = "null";
            expect_all(&plain, 1);
            if (!range) expect_all(&null, 1);
        }
    static const struct holds cases[] = {
        { "IS_NULL", "null", "0", false },       { "IS_NULL", "7", "\"\"", false },
        { "IS_NULL", "null", "{}", false },      { "NOT_NULL", "null", "0", true },
        { "NOT_NULL", "[]", "{}", true },        { "NOT_NULL", "null", "false", true },
        { "EQUALS", "null", "\"null\"", false }, { "NOT_EQUAL", "null", "5", false },
        { "CONTAINS", "null", "\"\"", false },
    };
    EXPECT_ALL(cases);
}

static void one_element_of_an_array_suffices(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "EQUALS", "2", "[1,2,3]", true },      { "EQUALS", "4", "[1,2,3]", false },
        { "NOT_EQUAL", "2", "[2,3]", true },     { "NOT_EQUAL", "2", "[2,2]", false },
        { "EQUALS", "2", "[[1],[[2]]]", true },  { "IS_NULL", "null", "[1,null]", true },
        { "IS_NULL", "null", "[1]", false },     { "NOT_NULL", "null", "[null,1]", true },
        { "NOT_NULL", "null", "[null]", false }, { "CONTAINS", "\"b\"", "[1,\"abc\"]", true },
    };
    EXPECT_ALL(cases);
    for (size_t i = 0; i < PREDICATE_COUNT; i++) {
        bool range = i == PREDICATE_BETWEEN || i == PREDICATE_BETWEEN_INCLUSIVE;
        struct holds empty = { predicate_op_name((enum predicate_op)i).p, range ? "[1,2]" : "\"a\"", "[]",
                               false };
        expect_all(&empty, 1);
        empty.stored = "[[],[]]";
        expect_all(&empty, 1);
    }
}

/* PCRE2 has tables of its own, of the same version of Unicode. */
static void folding_agrees_with_the_other_tables(void **state)
{
    (void)state;
    size_t folded = 0;
    for (uint32_t c = 1; c < 0x110000; c++) {
        char bytes[4], message[REGEX_MESSAGE_BYTES], pattern[16];
        struct arena arena;
        struct regex_matcher matcher;
        int64_t fuel = 1000;
        bool found = false;
        if (c >= 0xd800 && c < 0xe000) continue;
        arena_init(&arena, 0);
        str text = { bytes, utf8_encode(c, bytes) };
        str other = case_folding_of(text, &arena);
        if (!str_equal(text, other)) {
            folded++;
            int n = snprintf(pattern, sizeof pattern, "\\x{%x}", c);
            const struct regex *regex =
                regex_compile((str){ pattern, (size_t)n }, REGEX_WHOLE | REGEX_IGNORE_CASE, &arena, message);
            regex_matcher_init(&matcher, &arena);
            assert_int_equal(regex_match(&matcher, regex, other, &fuel, &found, NULL), ST_OK);
            if (!found) fail_msg("U+%04X", c);
            assert_true(str_equal(case_folding_of(other, &arena), other));
        }
        arena_done(&arena);
    }
    assert_int_equal(folded, 1454);
}

static void every_operator_has_its_name(void **state)
{
    (void)state;
    assert_true(str_equal(predicate_op_name(PREDICATE_EQUALS), STR("EQUALS")));
    assert_true(str_equal(predicate_op_name(PREDICATE_NOT_NULL), STR("NOT_NULL")));
    assert_int_equal(PREDICATE_COUNT, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality_goes_by_the_kind_of_the_stored_value),
        cmocka_unit_test(order_is_that_of_decimals_or_bytes),
        cmocka_unit_test(texts_are_looked_into),
        cmocka_unit_test(like_and_patterns_match_the_whole_text),
        cmocka_unit_test(nothing_is_true_of_what_is_missing),
        cmocka_unit_test(one_element_of_an_array_suffices),
        cmocka_unit_test(folding_agrees_with_the_other_tables),
        cmocka_unit_test(every_operator_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
