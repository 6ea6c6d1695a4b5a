/* An index finds every document that a condition holds for. */
#include "expr/predicates.h"

#include "json/key.h"

enum { BYTES_MAX = 4 }; /* Longer texts and numbers are cut. */

static const char *const documents[] = {
    "{}",
    "{\"a\":null}",
    "{\"a\":true}",
    "{\"a\":false}",
    "{\"a\":0}",
    "{\"a\":5.0}",
    "{\"a\":-5}",
    "{\"a\":5.00000000000001}",
    "{\"a\":5.00000000000002}",
    "{\"a\":\"\"}",
    "{\"a\":\"5\"}",
    "{\"a\":\"true\"}",
    "{\"a\":\"abcd\"}",
    "{\"a\":\"abcde\"}",
    "{\"a\":\"abcdf\"}",
    "{\"a\":\"x\"}",
    "{\"a\":{}}",
    "{\"a\":[]}",
    "{\"a\":[null,7,\"abcdz\"]}",
    "{\"a\":[[5],{\"b\":\"x\"}]}",
    "{\"a\":[{\"b\":\"abcde\"},{\"b\":5},{}]}",
    "{\"a\":{\"b\":[4,6]}}",
};

static const char *const paths[] = { "$.a", "$.a[*]", "$.a[*].b", "$.a.b", "$.a[0]", "$" };

static const char *const operands[] = {
    "null",
    "true",
    "\"false\"",
    "5",
    "\"5\"",
    "0",
    "-4.5",
    "1e3",
    "\"\"",
    "\"abcd\"",
    "\"abcde\"",
    "\"abcdef\"",
    "\"ab%\"",
    "\"_b%\"",
    "[4,6]",
    "\"a,b\"",
    "[\"abcde\",\"abcdz\"]",
    "[5.00000000000001,6]",
};

struct found {
    const struct predicate_keys *keys;
    size_t count;
    bool is_there;
};

static bool look_at(void *context, const struct json *value)
{
    struct found *found = context;
    struct buf key;
    buf_init(&key, NULL);
    json_key_add(value, BYTES_MAX, &key);
    buf_add_str(&key, STR("\xff\xff\xff\xff\xff\xff\xff\xff")); /* What follows a value in an index. */
    for (size_t i = 0; i < found->count; i++)
        found->is_there |= str_compare(buf_str(&key), found->keys[i].from) > 0 &&
                           str_compare(buf_str(&key), found->keys[i].to) < 0;
    buf_done(&key);
    return true;
}

/* Returns whether the keys of the test are known. */
static bool check(const char *condition, const char *document)
{
    struct built built;
    struct predicate_keys *keys;
    struct found found = { 0 };
    if (predicates_judge(&built, condition, document) != ST_OK) { /* The operand is none of the operator's. */
        built_end(&built);
        return false;
    }
    const struct predicate_part *part;
    assert_int_equal(predicate_read(cases_data(condition, &built.arena), &built.arena, &part, &built.err),
                     ST_OK);
    bool known = predicate_find_keys(&part->leaf, BYTES_MAX, &built.arena, &keys, &found.count);
    found.keys = known ? keys : NULL;
    if (known) {
        predicate_values(&part->leaf.path, built.env.data, look_at, &found);
        if (json_bool(built.value) && !found.is_there) fail_msg("%s on %s is not found", condition, document);
    }
    built_end(&built);
    return known;
}

static void what_holds_is_found(void **state)
{
    (void)state;
    size_t known = 0;
    char condition[256];
    for (int op = 0; op < PREDICATE_COUNT; op++)
        for (size_t p = 0; p < COUNT(paths); p++)
            for (size_t o = 0; o < COUNT(operands); o++)
                for (size_t d = 0; d < COUNT(documents); d++) {
                    snprintf(
                        condition, sizeof condition,
                        "{\"type\":\"simple\",\"jsonPath\":\"%s\",\"operatorType\":\"%.*s\",\"value\":%s}",
                        paths[p], STR_ARG(predicate_op_name((enum predicate_op)op)), operands[o]);
                    known += check(condition, documents[d]);
                }
    assert_true(known > 10000);
}

static void an_index_is_of_use_for_some_operators(void **state)
{
    (void)state;
    static const struct {
        const char *op, *value;
        int count; /* Of ranges; -1: it is of no use. */
    } cases[] = {
        { "EQUALS", "\"x\"", 1 },      { "EQUALS", "5", 2 },
        { "EQUALS", "true", 2 },       { "EQUALS", "null", 0 },
        { "NOT_EQUAL", "5", -1 },      { "GREATER_THAN", "\"x\"", 1 },
        { "BETWEEN", "[1,2]", 2 },     { "BETWEEN", "[2,1]", 0 },
        { "STARTS_WITH", "\"x\"", 1 }, { "ISTARTS_WITH", "\"x\"", -1 },
        { "LIKE", "\"x%\"", 1 },       { "LIKE", "\"%x\"", -1 },
        { "CONTAINS", "\"x\"", -1 },   { "MATCHES_PATTERN", "\"x\"", -1 },
        { "IS_NULL", "null", 1 },      { "NOT_NULL", "null", 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct predicate_keys *keys;
        const struct predicate_part *part;
        size_t count = 0;
        char text[256];
        arena_init(&arena, 0);
        snprintf(text, sizeof text,
                 "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operatorType\":\"%s\",\"value\":%s}",
                 cases[i].op, cases[i].value);
        assert_int_equal(predicate_read(cases_data(text, &arena), &arena, &part, NULL), ST_OK);
        bool known = predicate_find_keys(&part->leaf, BYTES_MAX, &arena, &keys, &count);
        if ((known ? (int)count : -1) != cases[i].count) fail_msg("%s: %d, %zu", text, known, count);
        arena_done(&arena);
    }
}

static void functions_and_not_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "{\"type\":\"function\",\"function\":{\"name\":\"f\"}}",
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":[{\"type\":\"function\",\"function\":{"
        "\"name\":"
        "\"f\"}}]}",
        "{\"type\":\"group\",\"operator\":\"NOT\",\"conditions\":[]}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        const struct predicate_part *part;
        struct error err;
        arena_init(&arena, 0);
        assert_int_equal(predicate_read(cases_data(cases[i], &arena), &arena, &part, &err), ST_INVALID);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_is_found),
        cmocka_unit_test(an_index_is_of_use_for_some_operators),
        cmocka_unit_test(functions_and_not_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
