/* Which objects are CloudEvents, and in what form they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/cloud_event.h"

#include "base/base64.h"

#include <cmocka.h>

#define HEAD "\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\""

static const struct json *parse(struct arena *arena, const char *text)
{
    const struct json *value;
    struct error err;
    if (json_parse(str_of(text), NULL, arena, &value, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return value;
}

static void events_as_they_are_kept(void **state)
{
    static const struct {
        const char *given, *kept;
    } cases[] = {
        { "{" HEAD "}", "{" HEAD "}" },
        { "{\"specversion\":\"0.3\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"}",
          "{\"specversion\":\"0.3\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"}" },
        { "{" HEAD ",\"data\":null}", "{" HEAD ",\"data\":null}" },
        { "{" HEAD ",\"data\":[1],\"ext1\":7,\"flag\":true}",
          "{" HEAD ",\"ext1\":7,\"flag\":true,\"data\":[1]}" },
        { "{" HEAD ",\"subject\":null,\"time\":\"2026-01-01T00:00:00.5+01:00\"}",
          "{" HEAD ",\"time\":\"2026-01-01T00:00:00.5+01:00\"}" },
        { "{" HEAD
          ",\"datacontenttype\":\"application/json; charset=utf-8\",\"data_base64\":\"eyJ2IjoxfQ==\"}",
          "{" HEAD ",\"datacontenttype\":\"application/json; charset=utf-8\",\"data\":{\"v\":1}}" },
        { "{" HEAD ",\"datacontenttype\":\"Application/vnd.x+JSON\",\"data_base64\":\"MQ==\"}",
          "{" HEAD ",\"datacontenttype\":\"Application/vnd.x+JSON\",\"data\":1}" },
        { "{" HEAD ",\"datacontenttype\":\"text/plain\",\"data_base64\":\"aGk=\"}",
          "{" HEAD ",\"datacontenttype\":\"text/plain\",\"data\":\"hi\"}" },
        { "{" HEAD ",\"datacontenttype\":\"text/plain\",\"data_base64\":\"/w==\"}",
          "{" HEAD ",\"datacontenttype\":\"text/plain\",\"data\":\"/w==\"}" },
        { "{" HEAD ",\"datacontenttype\":\"image/png\",\"data_base64\":\"AAEC\"}",
          "{" HEAD ",\"datacontenttype\":\"image/png\",\"data\":\"AAEC\"}" },
        { "{" HEAD ",\"data_base64\":\"\"}", "{" HEAD ",\"data\":\"\"}" },
        { "{" HEAD ",\"datacontentencoding\":\"base64\",\"datacontenttype\":\"text/json\",\"data\":\"W10=\"}",
          "{" HEAD ",\"datacontenttype\":\"text/json\",\"data\":[]}" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *kept;
        struct error err;
        if (cloud_event_check(parse(&arena, cases[i].given), &arena, &kept, &err) != ST_OK)
            fail_msg("%s: %s", cases[i].given, err.message);
        if (!json_equal(kept, parse(&arena, cases[i].kept))) fail_msg("%s", cases[i].given);
    }
    arena_done(&arena);
}

static void what_is_no_event(void **state)
{
    static const struct {
        const char *given, *where, *says;
    } cases[] = {
        { "[]", "event", "an event is an object" },
        { "{}", "specversion", "needs the attribute \"specversion\"" },
        { "{\"specversion\":1.0}", "specversion", "needs the attribute \"specversion\"" },
        { "{\"specversion\":\"0.2\"}", "specversion", "specversion \"0.2\" is not supported" },
        { "{\"specversion\":\"1.0\",\"source\":\"/s\",\"type\":\"t\"}", "id",
          "\"id\", a text that is not empty" },
        { "{\"specversion\":\"1.0\",\"id\":7,\"source\":\"/s\",\"type\":\"t\"}", "id",
          "a text that is not empty" },
        { "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"\",\"type\":\"t\"}", "source",
          "a text that is not empty" },
        { "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":null}", "type",
          "a text that is not empty" },
        { "{" HEAD ",\"orderId\":\"x\"}", "orderId", "lower-case letters and digits" },
        { "{" HEAD ",\"order_id\":\"x\"}", "order_id", "lower-case letters and digits" },
        { "{" HEAD ",\"\":\"x\"}", "", "lower-case letters and digits" },
        { "{" HEAD ",\"ext\":{}}", "ext", "not object" },
        { "{" HEAD ",\"subject\":\"\"}", "subject", "a text that is not empty" },
        { "{" HEAD ",\"time\":7}", "time", "a text" },
        { "{" HEAD ",\"time\":\"2026-01-01\"}", "time", "is no time" },
        { "{" HEAD ",\"data\":1,\"data_base64\":\"MQ==\"}", "data", "not both" },
        { "{" HEAD ",\"data_base64\":1}", "data_base64", "not base64" },
        { "{" HEAD ",\"data_base64\":\"MQ=\"}", "data_base64", "not base64" },
        { "{" HEAD ",\"datacontenttype\":\"application/json\",\"data_base64\":\"e30h\"}", "data_base64",
          "1:3" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *kept = NULL;
        struct error err;
        assert_int_equal(cloud_event_check(parse(&arena, cases[i].given), &arena, &kept, &err), ST_INVALID);
        assert_null(kept);
        assert_string_equal(err.where, cases[i].where);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s: %s", cases[i].given, err.message);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_as_they_are_kept),
        cmocka_unit_test(what_is_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
