#include "api/fake.h"
#include "api/members_int.h"

static const struct json *parse(const char *text)
{
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    const struct json *value = NULL;
    struct error err;
    assert_int_equal(json_parse(str_of(text), &limits, &fake.arena, &value, &err), ST_OK);
    return value;
}

static void texts(void **state)
{
    static const struct {
        const char *object;
        enum status plain, required;
        const char *want;
    } cases[] = {
        { "{}", ST_OK, ST_INVALID, "" },
        { "{\"f\":null}", ST_OK, ST_INVALID, "" },
        { "{\"f\":\"\"}", ST_OK, ST_INVALID, "" },
        { "{\"f\":\"abcd\"}", ST_OK, ST_OK, "abcd" },
        { "{\"f\":\"abcde\"}", ST_LIMIT, ST_LIMIT, NULL },
        { "{\"f\":3}", ST_INVALID, ST_INVALID, NULL },
        { "{\"f\":[]}", ST_INVALID, ST_INVALID, NULL },
        { "{\"F\":\"x\"}", ST_OK, ST_INVALID, "" }, /* Names have a case. */
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        str text = STR("untouched");
        struct error err = { 0 };
        assert_int_equal(field_text(parse(cases[i].object), "f", 4, &text, &err), cases[i].plain);
        assert_true(str_equal(text, cases[i].want ? str_of(cases[i].want) : STR("untouched")));
        assert_int_equal(field_required_text(parse(cases[i].object), "f", 4, &text, &err), cases[i].required);
        if (cases[i].required != ST_OK) assert_true(str_starts(str_of(err.message), STR("f ")));
    }
    str text;
    assert_int_equal(field_text(NULL, "f", 4, &text, NULL), ST_OK);
    assert_int_equal(text.n, 0);
    fake_end();
}

static void seconds(void **state)
{
    static const struct {
        const char *object;
        enum status status;
        int64_t ms;
    } cases[] = {
        { "{}", ST_OK, 0 },
        { "{\"f\":null}", ST_OK, 0 },
        { "{\"f\":0}", ST_OK, 0 },
        { "{\"f\":1.5}", ST_OK, 1500 },
        { "{\"f\":0.0001}", ST_OK, 1 }, /* Something asked for is never nothing. */
        { "{\"f\":60}", ST_OK, 60000 },
        { "{\"f\":60.0001}", ST_INVALID, 0 },
        { "{\"f\":-0.1}", ST_INVALID, 0 },
        { "{\"f\":1e400}", ST_INVALID, 0 },
        { "{\"f\":\"1\"}", ST_INVALID, 0 },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = -1;
        struct error err;
        assert_int_equal(field_seconds(parse(cases[i].object), "f", 60, &ms, &err), cases[i].status);
        if (cases[i].status == ST_OK) assert_int_equal(ms, cases[i].ms);
    }
    fake_end();
}

static void integers_flags_lists_and_variables(void **state)
{
    static const struct {
        const char *object;
        bool integer, flag, list, variables;
    } cases[] = {
        { "{}", true, true, true, true },
        { "{\"f\":null}", true, true, true, true },
        { "{\"f\":7}", true, false, false, false },
        { "{\"f\":7.0}", true, false, false, false },
        { "{\"f\":7.5}", false, false, false, false },
        { "{\"f\":99999999999999999999}", false, false, false, false },
        { "{\"f\":true}", false, true, false, false },
        { "{\"f\":[]}", false, false, true, false },
        { "{\"f\":{}}", false, false, false, true },
        { "{\"f\":\"x\"}", false, false, false, false },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *object = parse(cases[i].object), *value;
        int64_t number;
        bool flag;
        struct error err;
        assert_int_equal(field_integer(object, "f", &number, &err), cases[i].integer ? ST_OK : ST_INVALID);
        assert_int_equal(field_flag(object, "f", &flag, &err), cases[i].flag ? ST_OK : ST_INVALID);
        assert_int_equal(field_list(object, "f", &value, &err), cases[i].list ? ST_OK : ST_INVALID);
        assert_int_equal(field_variables(object, "f", &value, &err), cases[i].variables ? ST_OK : ST_INVALID);
    }
    fake_end();
}

static void pages(void **state)
{
    static const struct {
        const char *query;
        int64_t skip;
        size_t size;
        bool is_wrong;
    } cases[] = {
        { "", 0, 20, false },
        { "page=3", 60, 20, false },
        { "page=3&pageSize=7", 21, 7, false },
        { "pageSize=200", 0, 200, false },
        { "pageSize=201", 0, 200, true },
        { "page=-1&pageSize=-1", 0, 20, true },
        { "page=x&pageSize=0", 0, 20, true },
        { "page=2147483647&pageSize=200", (int64_t)INT32_MAX * 200, 200, false },
        { "page=9223372036854775807&pageSize=200", (int64_t)INT32_MAX * 200, 200, true },
        { "page=9223372036854775808", 0, 20, true },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_request http = { .query = str_of(cases[i].query), .arena = &fake.arena };
        const struct surface lenient = { .lenient = true }, strict = { 0 };
        struct api_request request = { .api = fake.api, .http = &http, .surface = &lenient };
        struct error err;
        int64_t skip;
        size_t size;
        assert_int_equal(query_page(&request, &skip, &size, &err), ST_OK);
        assert_int_equal(skip, cases[i].skip);
        assert_int_equal(size, cases[i].size);
        assert_int_equal(request.warning.n > 0, cases[i].is_wrong);
        request.surface = &strict;
        assert_int_equal(query_page(&request, &skip, &size, &err), cases[i].is_wrong ? ST_INVALID : ST_OK);
    }
    fake_end();
}

/* ---- members that nobody reads ---- */

static bool add_unknown(void *context, const struct member_unknown *unknown)
{
    struct buf *out = context;
    buf_printf(out, "%s%s (%s)", out->n ? "; " : "", unknown->place, unknown->advice);
    return out->n < 200;
}

static void unknown_members_are_told_with_their_place(void **state)
{
    static const struct {
        const char *names, *value, *want;
    } cases[] = {
        { "a b", "{\"a\":{\"z\":1},\"b\":1}", "" }, /* A member without a list has any value. */
        { "a b", "{\"c\":1}", "c (known are a, b)" },
        { "variables", "{\"varibles\":1}", "varibles (did you mean \"variables\"?)" },
        { "variables", "[{\"variables\":1},7,{\"x\":1}]", "[2].x (known are variables)" },
        { "a(b(c d) e) f", "{\"a\":{\"b\":{\"c\":1,\"x\":1},\"y\":1},\"f\":1,\"e\":1}",
          "a.b.x (known are c, d); a.y (known are b, e); e (known are a, f)" },
        { "a(b)", "{\"a\":[{\"b\":1},{\"c\":1}]}", "a[1].c (known are b)" },
        { "a(b)", "{\"a\":7}", "" }, /* Its reader refuses that. */
        { "a", "{\"\\r\\nx\":1}", "??x (known are a)" },
        { "a", "7", "" },
        { "CONDITION", "{\"type\":\"array\",\"jsonPath\":\"$.a\",\"values\":[],\"x\":1}",
          "x (known are type, jsonPath, values)" },
        { "CONDITION", "{\"type\":\"other\",\"x\":1}", "" }, /* The engine refuses that. */
        { "c(CONDITION)", "{\"c\":{\"type\":\"group\",\"conditions\":[{\"type\":\"simple\",\"vale\":1}]}}",
          "c.conditions[0].vale (did you mean \"value\"?)" },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        struct buf out;
        const struct json *value;
        buf_init(&out, &fake.arena);
        assert_int_equal(json_parse(str_of(cases[i].value), NULL, &fake.arena, &value, &err), ST_OK);
        members_check(value, cases[i].names, &fake.arena, add_unknown, &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
    }
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(seconds),
        cmocka_unit_test(integers_flags_lists_and_variables),
        cmocka_unit_test(pages),
        cmocka_unit_test(unknown_members_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
