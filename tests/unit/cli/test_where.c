/* The conditions of --where. */
#include "cli/client/where.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW_MS = 1000000000 }; /* 1970-01-12T13:46:40Z */

static enum status read_where(const char *text, bool unmatched, struct arena *arena, str *ret_filter,
                              bool *ret_all, struct error *err)
{
    /* Texts behind each other, as from two options. */
    str both = str_of(text), list[2];
    size_t bar = str_find(both, STR(" & "), 0);
    list[0] = str_slice(both, 0, bar);
    if (bar != SIZE_MAX) list[1] = str_slice(both, bar + 3, both.n);
    struct option_value where = { .list = list, .list_count = bar == SIZE_MAX ? 1 : 2 };
    const struct json *filter;
    TRY(where_read(&where, unmatched, NOW_MS, arena, &filter, ret_all, err));
    struct buf out;
    buf_init(&out, arena);
    json_print(filter, &out);
    *ret_filter = buf_str(&out);
    return ST_OK;
}

static void conditions_become_a_filter(void **state)
{
    static const struct {
        const char *where;
        bool unmatched;
        const char *filter;
    } cases[] = {
        { "definition=order", false, "{\"definitionId\":\"order\"}" },
        { "definition=LOS::loan=x", false, "{\"definitionId\":\"LOS::loan=x\"}" },
        { "status=FAILED, reason~'a, b'", false, "{\"status\":\"FAILED\",\"reasonContains\":\"a, b\"}" },
        { "reason=\"it's\"", false, "{\"reason\":\"it's\"}" },
        { "version=3,key=k,step=s", false, "{\"definitionVersion\":3,\"businessKey\":\"k\",\"step\":\"s\"}" },
        { "key^=eu-", false, "{\"businessKeyPrefix\":\"eu-\"}" },
        { "definition=a & step=b", false, "{\"definitionId\":\"a\",\"step\":\"b\"}" },
        { "id=A,id=B", false, "{\"ids\":[\"A\",\"B\"]}" },
        { "started<2026-01-01T00:00:00Z,started>=2025-01-01T00:00:00Z", false,
          "{\"startedBefore\":\"2026-01-01T00:00:00Z\",\"startedAfter\":\"2025-01-01T00:00:00Z\"}" },
        { "age>1h", false, "{\"startedBefore\":\"1970-01-12T12:46:40.000000Z\"}" },
        { "age<1h", true, "{\"receivedAfter\":\"1970-01-12T12:46:40.000000Z\"}" },
        { "source=/shop,type=paid,number=1,number=2", true,
          "{\"source\":\"/shop\",\"type\":\"paid\",\"numbers\":[1,2]}" },
        { "all", false, "{}" },
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        str filter;
        bool all;
        if (read_where(cases[i].where, cases[i].unmatched, &arena, &filter, &all, &err) != ST_OK)
            fail_msg("%s: %s", cases[i].where, err.message);
        if (!str_equal(filter, str_of(cases[i].filter)))
            fail_msg("%s: %.*s", cases[i].where, STR_ARG(filter));
        assert_int_equal(all, strcmp(cases[i].where, "all") == 0);
    }
    arena_done(&arena);
}

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *where;
        bool unmatched;
        const char *words;
    } cases[] = {
        { "", false, "a condition is empty" },
        { "definition=a,", false, "a condition is empty" },
        { "definitoin=a", false, "there is no \"definitoin\"; did you mean \"definition\"?" },
        { "colour=red", false, "there are definition, version, status, key, step, id, reason, started, age" },
        { "source=a", false, "there is no \"source\"" },
        { "status=FAILED", true, "there is no \"status\"" },
        { "definition", false, "\"definition\" is no condition; write definition=…" },
        { "definition~a", false, "write definition=…" },
        { "reason>a", false, "write reason= or reason~…" },
        { "definition=", false, "definition= needs a value" },
        { "definition=a,definition=b", false, "definition is given twice" },
        { "version=x", false, "\"x\" is not a number" },
        { "started<yesterday", false, "is not a time such as" },
        { "age>1y", false, "is not a duration" },
        { "reason~'a", false, "a quote is not closed" },
        { "all,definition=a", false, "\"all\" stands alone" },
        { "reason~\xff", false, "not UTF-8" },
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { 0 };
        str filter;
        bool all;
        enum status status = read_where(cases[i].where, cases[i].unmatched, &arena, &filter, &all, &err);
        if (status != ST_INVALID || !strstr(err.message, cases[i].words))
            fail_msg("%s: %s", cases[i].where, err.message);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_become_a_filter),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
