/* Conditions on entities: paths, types, what is refused, what they cost. */
#include "expr/predicates.h"

/* ---- paths ---- */

#define DOCUMENT                                                                                             \
    "{\"a\":{\"b\":1,\"0\":\"zero\",\"odd name\":2,\"it's\":3,\"x.y\":4,\"*\":5,\"\":6},\"list\":[{\"b\":1," \
    "\"tags\":[\"x\",\"y\"]},{\"b\":2,\"tags\":[]},{\"c\":null},[7,8]],\"tags\":[\"red\",\"green\"],"        \
    "\"none\":[],"                                                                                           \
    "\"null\":null,\"@type\":\"t\",\"\xc3\xbc\":9}"

static void a_path_is_names_indices_and_all(void **state)
{
    (void)state;
    static const struct {
        const char *path, *op, *value;
        bool want;
    } cases[] = {
        { "$.a.b", "EQUALS", "1", true },
        { "a.b", "EQUALS", "1", true },
        { ".a.b", "EQUALS", "1", true },
        { "$.['a']['b']", "EQUALS", "1", true },
        { "$['a'].b", "EQUALS", "1", true },
        { "$.a['odd name']", "EQUALS", "2", true },
        { "$.a.odd name", "EQUALS", "2", true },
        { "$.a['it\\\\'s']", "EQUALS", "3", true },
        { "$.a[\\\"it's\\\"]", "EQUALS", "3", true },
        { "$.a['x.y']", "EQUALS", "4", true },
        { "$.a['\\\\u002a']", "EQUALS", "5", true },
        { "$.a['']", "EQUALS", "6", true },
        { "$.@type", "EQUALS", "\"t\"", true },
        { "$.\xc3\xbc", "EQUALS", "9", true },
        { "$.a.0", "EQUALS", "\"zero\"", true },
        { "$.a['0']", "EQUALS", "\"zero\"", true },
        { "$.a[0]", "IS_NULL", "null", true },
        { "$.list[0].b", "EQUALS", "1", true },
        { "$.list[ 1 ].b", "EQUALS", "2", true },
        { "$.list.1.b", "EQUALS", "2", true },
        { "$.list['1'].b", "IS_NULL", "null", true },
        { "$.list.01.b", "IS_NULL", "null", true },
        { "$.list[-1][0]", "EQUALS", "7", true },
        { "$.list[-5]", "IS_NULL", "null", true },
        { "$.list[9].b", "IS_NULL", "null", true },
        { "$.list[*].b", "EQUALS", "2", true },
        { "$.list[*].b", "EQUALS", "3", false },
        { "$.list[*].b", "NOT_EQUAL", "1", true },
        { "$.list[*].b", "IS_NULL", "null", false }, /* Those that have none do not count… */
        { "$.list[*].c", "IS_NULL", "null", true },  /* … those that have null do. */
        { "$.list[*].z", "IS_NULL", "null", false },
        { "$.list[*].tags", "EQUALS", "\"y\"", true },
        { "$.list[*].tags[*]", "EQUALS", "\"y\"", true },
        { "$.list[*].tags[1]", "EQUALS", "\"y\"", true },
        { "$.list[*].tags[0]", "EQUALS", "\"y\"", false },
        { "$.list[*]", "EQUALS", "8", true },
        { "$.tags[*]", "EQUALS", "\"red\"", true }, /* The elements, not how many there are. */
        { "$.tags[*]", "EQUALS", "2", false },
        { "$.tags", "EQUALS", "\"green\"", true },
        { "$.tags[*][*]", "IS_NULL", "null", false },
        { "$.none[*]", "IS_NULL", "null", false },
        { "$.none", "NOT_NULL", "null", false },
        { "$.null[*]", "IS_NULL", "null", true },
        { "$.a[*]", "IS_NULL", "null", true }, /* [*] is for arrays. */
        { "$.a[*].b", "NOT_NULL", "null", false },
        { "$.list.b", "IS_NULL", "null", true },
        { "$", "NOT_NULL", "null", true },
        { "$[*]", "IS_NULL", "null", true },
        { "$.missing.deep[0][*].x", "IS_NULL", "null", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char condition[256];
        snprintf(condition, sizeof condition,
                 "{\"type\":\"simple\",\"jsonPath\":\"%s\",\"operatorType\":\"%s\",\"value\":%s}",
                 cases[i].path, cases[i].op, cases[i].value);
        predicates_expect(condition, DOCUMENT, cases[i].want);
    }
}

static void a_path_prints_in_one_form(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "$", "$" },
        { "a.b", "$.a.b" },
        { "$.['a'][ \"b\" ]", "$.a.b" },
        { "$.a.0[0]['0']['007']", "$.a.0[0]['0'].007" },
        { "$[*][-2]", "$[*][-2]" },
        { "$['a b']['a.b']['it\\'s']['\\\\']['\\n']['#']",
          "$['a b']['a.b']['it\\'s']['\\\\']['\\u000a']['#']" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct predicate_path path;
        struct buf out;
        built_begin(&built, "{}");
        buf_init(&out, &built.arena);
        assert_int_equal(predicate_path_parse(str_of(cases[i].text), &built.arena, &path, &built.err), ST_OK);
        predicate_path_print(&path, &out);
        assert_string_equal(arena_str(&built.arena, buf_str(&out)).p, cases[i].want);
        assert_int_equal(predicate_path_parse(buf_str(&out), &built.arena, &path, &built.err), ST_OK);
        built_end(&built);
    }
}

static void other_paths_are_refused(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "", "the path is empty" },
        { "$..a", "the path \"$..a\": .. (a name at any depth) is not supported" },
        { "$.a[?(@.b > 1)]", "the path \"$.a[?(@.b > 1)]\": filters are not supported" },
        { "$.a[1:2]", "the path \"$.a[1:2]\": slices are not supported" },
        { "$.a[:2]", "the path \"$.a[:2]\": slices are not supported" },
        { "$.a[0,1]", "the path \"$.a[0,1]\": lists of names or indices are not supported" },
        { "$.a['b','c']", "the path \"$.a['b','c']\": lists of names or indices are not supported" },
        { "$.a.*", "the path \"$.a.*\": * stands for all elements of an array only as [*]" },
        { "$.a.#.b", "the path \"$.a.#.b\": all elements of an array are [*], not #" },
        { "$.a?", "the path \"$.a?\": a name with this character needs brackets and quotes: ['name']" },
        { "$.", "the path \"$.\": a name is missing behind the dot" },
        { "$.a.", "the path \"$.a.\": a name is missing behind the dot" },
        { "$a", "the path \"$a\": a dot or [ is missing before a name" },
        { "$.a[0]b", "the path \"$.a[0]b\": a dot or [ is missing before a name" },
        { "$.a[0", "the path \"$.a[0\": a ] is missing" },
        { "$.a['b", "the path \"$.a['b\": the quote is never closed" },
        { "$.a['\\x']", "the path \"$.a['\\x']\": no such escape" },
        { "$.a[b]",
          "the path \"$.a[b]\": [ ] takes *, a whole number of at most 9 digits or a name in quotes" },
        { "$.a[-0]",
          "the path \"$.a[-0]\": [ ] takes *, a whole number of at most 9 digits or a name in quotes" },
        { "$.a[]",
          "the path \"$.a[]\": [ ] takes *, a whole number of at most 9 digits or a name in quotes" },
        { "$.a[", "the path \"$.a[\": [ ] takes *, a whole number of at most 9 digits or a name in quotes" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct predicate_path path;
        built_begin(&built, "{}");
        if (predicate_path_parse(str_of(cases[i].text), &built.arena, &path, &built.err) != ST_INVALID)
            fail_msg("%s is accepted", cases[i].text);
        assert_string_equal(built.err.message, cases[i].want);
        built_end(&built);
    }
}

static void paths_have_limits(void **state)
{
    (void)state;
    struct built built;
    struct predicate_path path;
    static char text[PATH_BYTES_MAX + 2];
    built_begin(&built, "{}");
    memset(text, 'a', sizeof text);
    assert_int_equal(predicate_path_parse((str){ text, PATH_BYTES_MAX }, &built.arena, &path, NULL), ST_OK);
    assert_int_equal(predicate_path_parse((str){ text, PATH_BYTES_MAX + 1 }, &built.arena, &path, &built.err),
                     ST_LIMIT);
    for (size_t i = 0; i < 2 * (PATH_SEGMENTS_MAX + 1); i += 2) memcpy(text + i, ".a", 2);
    assert_int_equal(predicate_path_parse((str){ text, 2 * PATH_SEGMENTS_MAX }, &built.arena, &path, NULL),
                     ST_OK);
    assert_int_equal(
        predicate_path_parse((str){ text, 2 * (PATH_SEGMENTS_MAX + 1) }, &built.arena, &path, &built.err),
        ST_LIMIT);
    built_end(&built);
}

/* ---- other types ---- */

static void lifecycle_fields_are_tested(void **state)
{
    (void)state;
    static const struct {
        const char *field, *op, *value;
        bool want;
    } cases[] = {
        { "state", "EQUALS", "\"NEW\"", true },
        { "state", "NOT_EQUAL", "\"NEW\"", false },
        { "previousTransition", "EQUALS", "\"loopback\"", true },
        { "transitionForLatestSave", "EQUALS", "\"loopback\"", true },
        { "id", "STARTS_WITH", "\"e\"", true },
        { "transactionId", "LIKE", "\"t_\"", true },
        { "creationDate", "EQUALS", "\"2026-11-15T03:50:11.25Z\"", true },
        { "creationDate", "EQUALS", "\"2026-11-15T04:50:11.250+01:00\"", true },
        { "creationDate", "NOT_EQUAL", "\"2026-11-15T04:50:11.250+01:00\"", false },
        { "creationDate", "GREATER_THAN", "\"2026-11-15T03:50:11Z\"", true },
        { "creationDate", "GREATER_THAN", "\"2026-11-15T03:50:11\"", true },
        { "creationDate", "GREATER_THAN", "\"2026-11-15\"", true },
        { "creationDate", "LESS_THAN", "\"2026-12\"", true },
        { "creationDate", "LESS_THAN", "2027", true },
        { "creationDate", "LESS_OR_EQUAL", "\"2026\"", false },
        { "creationDate", "BETWEEN", "[\"2026-11-15T00:00:00Z\",\"2026-11-16T00:00:00Z\"]", true },
        { "creationDate", "BETWEEN", "\"2026-11-15T03:50:11.250Z,2026-11-16T00:00:00Z\"", false },
        { "creationDate", "BETWEEN_INCLUSIVE", "\"2026-11-15T03:50:11.250Z,2026-11-16T00:00:00Z\"", true },
        { "creationDate", "STARTS_WITH", "\"2026\"", false }, /* An instant is no text. */
        { "creationDate", "INOT_EQUAL", "\"2026\"", false },
        { "creationDate", "NOT_CONTAINS", "\"x\"", false },
        { "creationDate", "NOT_NULL", "null", true },
        { "lastUpdateTime", "IS_NULL", "null", true },
        { "lastUpdateTime", "LESS_THAN", "\"2027\"", false },
        { "lastUpdateTime", "NOT_EQUAL", "\"2027\"", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char condition[256];
        snprintf(condition, sizeof condition,
                 "{\"type\":\"lifecycle\",\"field\":\"%s\",\"operation\":\"%s\",\"value\":%s}",
                 cases[i].field, cases[i].op, cases[i].value);
        /* A member of the document of the same name does not matter. */
        predicates_expect(condition, "{\"state\":\"OLD\",\"carried\":{\"state\":\"OLD\"}}", cases[i].want);
    }
}

#define YES "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operator\":\"EQUALS\",\"value\":1}"
#define NO \
    "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operatorType\":\"\",\"operation\":\"EQUALS\",\"value\":2}"

static void groups_join_conditions(void **state)
{
    (void)state;
    static const struct {
        const char *op, *conditions;
        bool want;
    } cases[] = {
        { "AND", "", true },
        { "OR", "", false },
        { "AND", YES, true },
        { "OR", NO, false },
        { "AND", YES "," NO, false },
        { "OR", NO "," YES, true },
        { "AND", YES ",{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[" NO "," YES "]}", true },
        { "OR", "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":[]}", true },
        { "AND", YES ",{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[]}", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char condition[1024];
        snprintf(condition, sizeof condition, "{\"type\":\"group\",\"operator\":\"%s\",\"conditions\":[%s]}",
                 cases[i].op, cases[i].conditions);
        predicates_expect(condition, "{\"a\":1}", cases[i].want);
    }
}

static void arrays_are_tested_element_by_element(void **state)
{
    (void)state;
    static const struct {
        const char *path, *values;
        bool want;
    } cases[] = {
        { "$.tags", "[\"red\",\"green\"]", true },
        { "$.tags", "[\"red\"]", true },
        { "$.tags[*]", "[null,\"green\"]", true },
        { "$.tags", "[\"green\"]", false },
        { "$.tags", "[\"red\",\"green\",\"blue\"]", false },
        { "$.tags", "[null,null,null]", true },
        { "$.missing", "[null]", true },
        { "$.missing", "[]", true },
        { "$.missing", "[1]", false },
        { "$.null", "[1]", false },
        { "$.a", "[1]", false },
        { "$.a.b", "[1]", false },
        { "$.list[*].b", "[1,\"2\"]", true },
        { "$.list[*].b", "[1,2,3]", false },
        { "$.list[0].tags", "[null,\"y\"]", true },
        { "$.list", "[null,null,null,8]", true }, /* An array in the array. */
        { "$.none", "[null]", true },
        { "$.none[*]", "[1]", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char condition[256];
        snprintf(condition, sizeof condition, "{\"type\":\"array\",\"jsonPath\":\"%s\",\"values\":%s}",
                 cases[i].path, cases[i].values);
        predicates_expect(condition, DOCUMENT, cases[i].want);
    }
}

/* ---- what is refused ---- */

#define SIMPLE(op, value) \
    "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operatorType\":\"" op "\",\"value\":" value "}"

static void wrong_conditions_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        { "[]", "", "a condition is an object" },
        { "null", "", "a condition is an object" },
        { "{}", "/type",
          "\"\" is no type of a condition; there are simple, lifecycle, group, array and function" },
        { "{\"type\":\"Simple\"}", "/type",
          "\"Simple\" is no type of a condition; there are simple, lifecycle, group, array and function" },
        { "{\"type\":\"simple\"}", "/jsonPath", "a jsonPath is needed, a text" },
        { "{\"type\":\"simple\",\"jsonPath\":\"$..a\"}", "/jsonPath",
          "the path \"$..a\": .. (a name at any depth) is not supported" },
        { "{\"type\":\"simple\",\"jsonPath\":\"$.a\"}", "/operatorType", "an operatorType is needed" },
        { "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operator\":5}", "/operator", "an operator is a text" },
        { "{\"type\":\"simple\",\"jsonPath\":\"$.a\",\"operatorType\":\"\",\"operation\":\"SAME\"}",
          "/operation", "there is no operator \"SAME\"" },
        { SIMPLE("EQUAL", "1"), "/operatorType", "there is no operator \"EQUAL\"; did you mean EQUALS?" },
        { SIMPLE("equals", "1"), "/operatorType", "there is no operator \"equals\"; did you mean EQUALS?" },
        { SIMPLE("IS_CHANGED", "1"), "/operatorType",
          "IS_CHANGED is not supported: a condition sees one state of the entity only" },
        { SIMPLE("IS_UNCHANGED", "null"), "/operatorType",
          "IS_UNCHANGED is not supported: a condition sees one state of the entity only" },
        { SIMPLE("EQUALS", "[1]"), "/value", "EQUALS needs a text, a number or a boolean" },
        { SIMPLE("LIKE", "{}"), "/value", "LIKE needs a text, a number or a boolean" },
        { SIMPLE("BETWEEN", "5"), "/value",
          "BETWEEN needs two bounds: a list of two texts, numbers or booleans, or a text like \"1,5\"" },
        { SIMPLE("BETWEEN", "[1,null]"), "/value",
          "BETWEEN needs two bounds: a list of two texts, numbers or booleans, or a text like \"1,5\"" },
        { SIMPLE("BETWEEN_INCLUSIVE", "\"1,2,3\""), "/value",
          "BETWEEN_INCLUSIVE needs two bounds: a list of two texts, numbers or booleans, or a text like "
          "\"1,5\"" },
        { SIMPLE("MATCHES_PATTERN", "\"a(\""), "/value",
          "bad regular expression: missing closing parenthesis after 2 characters" },
        { "{\"type\":\"lifecycle\",\"operatorType\":\"EQUALS\"}", "/field", "a field is needed, a text" },
        { "{\"type\":\"lifecycle\",\"field\":\"workflow\",\"operatorType\":\"EQUALS\"}", "/field",
          "the lifecycle has no field \"workflow\"; it has state, creationDate, lastUpdateTime, "
          "previousTransition, transactionId and id" },
        { "{\"type\":\"lifecycle\",\"field\":\"creationDate\",\"operatorType\":\"EQUALS\",\"value\":"
          "\"soon\"}",
          "/value", "\"soon\" is no date and time like 2026-11-15T03:50:11Z" },
        { "{\"type\":\"group\",\"operator\":\"NOT\",\"conditions\":[]}", "/operator",
          "the operator of a group is AND or OR; there is no NOT: use operators such as NOT_EQUAL or "
          "NOT_CONTAINS" },
        { "{\"type\":\"group\",\"operator\":\"and\",\"conditions\":[]}", "/operator",
          "the operator of a group is AND or OR" },
        { "{\"type\":\"group\",\"operator\":\"AND\"}", "/conditions", "a group needs conditions, a list" },
        { "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":[" YES ",5]}", "/conditions/1",
          "a condition is an object" },
        { "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[" YES "," SIMPLE("LIKE", "[]") "]}",
          "/conditions/1/value", "LIKE needs a text, a number or a boolean" },
        { "{\"type\":\"array\",\"jsonPath\":\"$.a\"}", "/values", "values are needed, a list" },
        { "{\"type\":\"array\",\"jsonPath\":\"$.a\",\"values\":[null,{}]}", "/values/1",
          "EQUALS needs a text, a number or a boolean" },
        { "{\"type\":\"function\",\"function\":{\"name\":\"f\"}}", "/type",
          "a function cannot be asked here: only criteria of workflows may be functions" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        const struct expr *expr;
        built_begin(&built, "{}");
        if (predicates_compile(&built, cases[i].text, &expr) != ST_INVALID)
            fail_msg("%s is accepted", cases[i].text);
        assert_string_equal(built.err.message, cases[i].message);
        assert_string_equal(built.err.where, cases[i].where);
        built_end(&built);
    }
}

static const char *nested_groups(struct built *built, size_t levels)
{
    struct buf out;
    buf_init(&out, &built->arena);
    for (size_t i = 0; i < levels; i++)
        buf_printf(&out, "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":[");
    buf_add_str(&out, STR(YES));
    for (size_t i = 0; i < levels; i++) buf_printf(&out, "]}");
    buf_add_char(&out, '\0');
    return out.p;
}

static void groups_nest_fifty_levels_below_the_root(void **state)
{
    (void)state;
    struct built built;
    const struct expr *expr;
    built_begin(&built, "{\"a\":1}");
    assert_int_equal(predicates_compile(&built, nested_groups(&built, 51), &expr), ST_OK);
    assert_int_equal(expr_eval(expr, &built.env, &built.fuel, &built.arena, &built.value, NULL), ST_OK);
    assert_true(json_bool(built.value));
    assert_int_equal(predicates_compile(&built, nested_groups(&built, 52), &expr), ST_LIMIT);
    assert_string_equal(built.err.message, "groups nest more than 50 levels deep (PREDICATE_DEPTH_MAX)");
    built_end(&built);
}

static const char *many_values(struct built *built, size_t count)
{
    struct buf out;
    buf_init(&out, &built->arena);
    buf_printf(&out, "{\"type\":\"array\",\"jsonPath\":\"$.a\",\"values\":[0");
    for (size_t i = 1; i < count; i++) buf_printf(&out, ",%zu", i);
    buf_printf(&out, "]}%c", '\0');
    return out.p;
}

static void conditions_have_a_limit(void **state)
{
    (void)state;
    struct built built;
    const struct expr *expr;
    built_begin(&built, "{\"a\":1}");
    assert_int_equal(predicates_compile(&built, many_values(&built, 9999), &expr), ST_OK);
    assert_int_equal(predicates_compile(&built, many_values(&built, 10000), &expr), ST_LIMIT);
    assert_string_equal(built.err.message,
                        "the condition has more than 10000 parts (PREDICATE_CONDITIONS_MAX)");
    built_end(&built);
}

/* ---- functions ---- */

static void a_function_must_be_the_whole_condition(void **state)
{
    (void)state;
    struct built built;
    const struct expr *expr = NULL;
    struct predicate_function function;
    const struct predicate_options criterion = { .lifecycle_name = STR("carried"), .allows_function = true };
    built_begin(&built, "{}");
    const struct json *good = cases_data(
        "{\"type\":\"function\",\"function\":{\"name\":\"check\",\"config\":{\"attachEntity\":true}}}",
        &built.arena);
    assert_true(predicate_is_function(good, &function));
    assert_true(str_equal(function.name, STR("check")));
    assert_int_equal(json_count(function.config), 1);
    assert_int_equal(expr_predicate(good, &criterion, &built.arena, &expr, &built.err), ST_OK);
    assert_null(expr);
    static const struct {
        const char *text, *where;
    } cases[] = {
        { "{\"type\":\"function\"}", "/function" },
        { "{\"type\":\"function\",\"function\":{\"name\":\"\"}}", "/function/name" },
        { "{\"type\":\"function\",\"function\":{\"name\":\"f\",\"config\":5}}", "/function/config" },
        { "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":[{\"type\":\"function\",\"function\":{"
          "\"name\":"
          "\"f\"}}]}",
          "/conditions/0/type" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *bad = cases_data(cases[i].text, &built.arena);
        assert_false(predicate_is_function(bad, &function));
        assert_int_equal(expr_predicate(bad, &criterion, &built.arena, &expr, &built.err), ST_INVALID);
        assert_string_equal(built.err.where, cases[i].where);
    }
    built_end(&built);
}

/* ---- what can be told without running ---- */

static void bounds_are_what_every_match_passes(void **state)
{
    (void)state;
    struct built built;
    struct predicate_bound bound[8];
    built_begin(&built, "{}");
    const struct json *condition = cases_data(
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":["
        "{\"type\":\"simple\",\"jsonPath\":\"a['b']\",\"operatorType\":\"EQUALS\",\"value\":1},"
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":["
        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"BETWEEN\",\"value\":\"1,5\"}]},"
        "{\"type\":\"lifecycle\",\"field\":\"state\",\"operatorType\":\"EQUALS\",\"value\":\"NEW\"},"
        "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[" YES "," NO "]},"
        "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":[" YES "]},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.l[*].x\",\"operatorType\":\"EQUALS\",\"value\":1},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.l[0]\",\"operatorType\":\"EQUALS\",\"value\":1},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"NOT_EQUAL\",\"value\":1},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"EQUALS\",\"value\":null},"
        "{\"type\":\"array\",\"jsonPath\":\"$.l\",\"values\":[1]}]}",
        &built.arena);
    assert_int_equal(predicate_bounds(condition, &built.arena, bound, COUNT(bound)), 5);
    static const struct {
        const char *path;
        bool is_lifecycle;
        enum predicate_op op;
        const char *operand;
    } wants[] = {
        { "$.a.b", false, PREDICATE_EQUALS, "1" },      { "$.n", false, PREDICATE_GREATER_THAN, "\"1\"" },
        { "$.n", false, PREDICATE_LESS_THAN, "\"5\"" }, { "state", true, PREDICATE_EQUALS, "\"NEW\"" },
        { "$.a", false, PREDICATE_EQUALS, "1" },
    };
    for (size_t i = 0; i < COUNT(wants); i++) {
        assert_string_equal(arena_str(&built.arena, bound[i].path).p, wants[i].path);
        assert_int_equal(bound[i].is_lifecycle, wants[i].is_lifecycle);
        assert_int_equal(bound[i].op, wants[i].op);
        built.value = bound[i].operand;
        assert_string_equal(built_printed(&built), wants[i].operand);
    }
    assert_int_equal(predicate_bounds(condition, &built.arena, bound, 1), 5);
    assert_int_equal(
        predicate_bounds(cases_data("{\"type\":\"function\"}", &built.arena), &built.arena, bound, 8), 0);
    built_end(&built);
}

static enum status note_leaf(void *context, const struct predicate_leaf *leaf, struct error *err)
{
    struct buf *out = context;
    if (leaf->is_lifecycle) buf_add_str(out, leaf->field);
    else predicate_path_print(&leaf->path, out);
    buf_printf(out, " %.*s ", STR_ARG(predicate_op_name(leaf->op)));
    json_print(leaf->operand, out);
    buf_printf(out, " at %s\n", leaf->pointer.p);
    return leaf->op == PREDICATE_NOT_NULL ? (fail)(err, ST_UNPROCESSABLE, leaf->pointer.p, "enough") : ST_OK;
}

static void every_test_is_visited_in_order(void **state)
{
    (void)state;
    struct built built;
    struct buf out;
    built_begin(&built, "{}");
    buf_init(&out, &built.arena);
    const struct json *condition = cases_data(
        "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":["
        "{\"type\":\"simple\",\"jsonPath\":\"$.a[*].b\",\"operatorType\":\"BETWEEN\",\"value\":[1,2]},"
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":["
        "{\"type\":\"array\",\"jsonPath\":\"$.l\",\"values\":[1,null,\"x\"]},"
        "{\"type\":\"lifecycle\",\"field\":\"transitionForLatestSave\",\"operatorType\":\"IS_NULL\"}]},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.z\",\"operatorType\":\"NOT_NULL\"},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.never\",\"operatorType\":\"NOT_NULL\"}]}",
        &built.arena);
    assert_int_equal(predicate_visit(condition, &built.arena, note_leaf, &out, &built.err), ST_UNPROCESSABLE);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, "$.a[*].b BETWEEN [1,2] at /conditions/0\n"
                               "$.l EQUALS 1 at /conditions/1/conditions/0/values/0\n"
                               "$.l EQUALS \"x\" at /conditions/1/conditions/0/values/2\n"
                               "previousTransition IS_NULL null at /conditions/1/conditions/1\n"
                               "$.z NOT_NULL null at /conditions/2\n");
    assert_int_equal(predicate_visit(json_null(), &built.arena, note_leaf, &out, &built.err), ST_INVALID);
    built_end(&built);
}

static void the_code_says_what_is_tested(void **state)
{
    (void)state;
    struct built built;
    const struct expr *expr;
    struct buf out;
    built_begin(&built, "{}");
    buf_init(&out, &built.arena);
    const char *condition =
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":["
        "{\"type\":\"lifecycle\",\"field\":\"state\",\"operatorType\":\"EQUALS\",\"value\":\"NEW\"},"
        "{\"type\":\"group\",\"operator\":\"OR\",\"conditions\":["
        "{\"type\":\"simple\",\"jsonPath\":\"$.a[*]['b c']\",\"operatorType\":\"GREATER_THAN\",\"value\":5},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.x\",\"operatorType\":\"IS_NULL\"},"
        "{\"type\":\"array\",\"jsonPath\":\"$.l\",\"values\":[null,\"x\"]}]}]}";
    assert_int_equal(predicates_compile(&built, condition, &expr), ST_OK);
    assert_string_equal(
        arena_str(&built.arena, expr_text(expr)).p,
        "(carried.state EQUALS \"NEW\") and (($.a[*]['b c'] GREATER_THAN 5) or ($.x IS_NULL) or "
        "($.l element 1 EQUALS \"x\"))");
    expr_print(expr, &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, "0000  1:1    VARIABLE_OR_NULL \"carried\"\n"
                               "0001  1:1    PREDICATE       $.state EQUALS \"NEW\"\n"
                               "0002  1:1    AND             -> 0013\n"
                               "0003  1:1    DATA\n"
                               "0004  1:1    PREDICATE       $.a[*]['b c'] GREATER_THAN 5\n"
                               "0005  1:1    OR              -> 0012\n"
                               "0006  1:1    DATA\n"
                               "0007  1:1    PREDICATE       $.x IS_NULL\n"
                               "0008  1:1    OR              -> 0012\n"
                               "0009  1:1    DATA\n"
                               "0010  1:1    PREDICATE       $.l element 1 EQUALS \"x\"\n"
                               "0011  1:1    BOOLEAN\n"
                               "0012  1:1    BOOLEAN\n"
                               "0013  1:1    RETURN\n");
    built_end(&built);
}

/* ---- budgets ---- */

static void large_arrays_use_up_the_fuel(void **state)
{
    (void)state;
    struct built built;
    struct buf out;
    struct arena arena;
    arena_init(&arena, 0);
    buf_init(&out, &arena);
    buf_add_str(&out, STR("{\"v\":[0"));
    for (size_t i = 0; i < 60000; i++) buf_add_str(&out, STR(",0"));
    buf_add(&out, "]}", 3);
    const char *condition =
        "{\"type\":\"simple\",\"jsonPath\":\"$.v\",\"operatorType\":\"EQUALS\",\"value\":1}";
    assert_int_equal(predicates_judge(&built, condition, out.p), ST_LIMIT);
    assert_int_equal(built.fuel, 0);
    assert_string_equal(built.err.message, "expression used up its budget of 100000 operations (fuel_max)");
    built_end(&built);
    arena_done(&arena);
}

/* Each takes far too long if it is not paid for. */
static void hostile_operands_use_up_the_fuel(void **state)
{
    (void)state;
    static const struct {
        const char *op, *pattern;
        size_t repeated, text;
    } cases[] = {
        { "LIKE", "a", 4000, 200000 },
        { "CONTAINS", "a", 4000, 200000 },
        { "ICONTAINS", "A", 4000, 200000 },
        { "MATCHES_PATTERN", "(a*)*", 20, 200000 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct arena arena;
        struct buf condition, data;
        arena_init(&arena, 0);
        buf_init(&condition, &arena);
        buf_init(&data, &arena);
        buf_printf(&condition,
                   "{\"type\":\"simple\",\"jsonPath\":\"$.v\",\"operatorType\":\"%s\",\"value\":\"%s",
                   cases[i].op, cases[i].op[0] == 'L' ? "%" : "");
        for (size_t k = 0; k < cases[i].repeated; k++) buf_add_str(&condition, str_of(cases[i].pattern));
        buf_printf(&condition, "b\"}%c", '\0');
        buf_add_str(&data, STR("{\"v\":\""));
        for (size_t k = 0; k < cases[i].text; k++) buf_add_char(&data, 'a');
        buf_add(&data, "\"}", 3);
        if (predicates_judge(&built, condition.p, data.p) != ST_LIMIT)
            fail_msg("%s is not bounded", cases[i].op);
        built_end(&built);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_names_indices_and_all),
        cmocka_unit_test(a_path_prints_in_one_form),
        cmocka_unit_test(other_paths_are_refused),
        cmocka_unit_test(paths_have_limits),
        cmocka_unit_test(lifecycle_fields_are_tested),
        cmocka_unit_test(groups_join_conditions),
        cmocka_unit_test(arrays_are_tested_element_by_element),
        cmocka_unit_test(wrong_conditions_are_refused_with_their_place),
        cmocka_unit_test(groups_nest_fifty_levels_below_the_root),
        cmocka_unit_test(conditions_have_a_limit),
        cmocka_unit_test(a_function_must_be_the_whole_condition),
        cmocka_unit_test(bounds_are_what_every_match_passes),
        cmocka_unit_test(every_test_is_visited_in_order),
        cmocka_unit_test(the_code_says_what_is_tested),
        cmocka_unit_test(large_arrays_use_up_the_fuel),
        cmocka_unit_test(hostile_operands_use_up_the_fuel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
