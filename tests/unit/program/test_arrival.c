#include "program/arrival.h"

#include "documents.h"

#include "program/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static struct arrival_terms read_terms(const char *name, enum arrival_type type, const struct json **config)
{
    struct problems problems;
    struct arrival_terms terms;
    problems_init(&problems, &arena);
    arrival_read(document_value("program/arrival", name), type, STR("/triggers/0"), &arena, &terms, config,
                 &problems);
    assert_int_equal(problems.error_count, 0);
    return terms;
}

static void assert_config(const struct json *config, const char *pointer, const char *want)
{
    struct buf text;
    buf_init(&text, &arena);
    json_print(json_pointer(config, str_of(pointer)), &text);
    buf_add_char(&text, 0);
    assert_string_equal(buf_str(&text).p, want);
}

static void a_webhook_has_defaults(void **state)
{
    (void)state;
    const struct json *config;
    struct arrival_terms terms = read_terms("http", ARRIVAL_HTTP, &config);
    assert_true(str_equal(terms.method, STR("POST")) && str_equal(terms.path, STR("/orders")));
    assert_int_equal(terms.policy, ARRIVAL_MAP_OR_CREATE);
    assert_int_equal(terms.auth, ARRIVAL_AUTH_NONE);
    assert_int_equal(terms.key.kind, ARRIVAL_KEY_PATH);
    assert_int_equal(terms.success_code, 0);
    assert_config(config, "/type", "\"http\"");
    assert_config(config, "/http/method", "\"POST\"");
    assert_config(config, "/correlation", "\"$.body.order_id\"");
}

static void all_terms_of_a_webhook_are_read(void **state)
{
    (void)state;
    const struct json *config;
    struct arrival_terms terms = read_terms("http full", ARRIVAL_HTTP, &config);
    assert_true(str_equal(terms.method, STR("PUT")) && str_equal(terms.secret, STR("wh")));
    assert_int_equal(terms.policy, ARRIVAL_MAP_OR_REPLACE);
    assert_int_equal(terms.auth, ARRIVAL_AUTH_HMAC);
    assert_int_equal(terms.key.kind, ARRIVAL_KEY_NONE);
    assert_true(terms.answers_when_done && terms.opaque && terms.filter);
    assert_int_equal(terms.success_code, 201);
}

static void other_types_are_read(void **state)
{
    (void)state;
    const struct json *config;
    struct arrival_terms terms = read_terms("mqtt", ARRIVAL_MQTT, &config);
    assert_int_equal(terms.qos, 1);
    assert_int_equal(terms.key.level, 1);
    assert_int_equal(terms.policy, ARRIVAL_MAP_OR_DISCARD);
    terms = read_terms("cron", ARRIVAL_CRON, &config);
    assert_int_equal(terms.policy, ARRIVAL_ALWAYS_CREATE);
    assert_config(config, "/cron/mode", "\"Cron\"");
    assert_config(config, "/cron/misfire", "\"FireImmediately\"");
    assert_true(str_equal(terms.cron, STR("0 8 * * 1-5")) && str_equal(terms.zone, STR("Europe/Berlin")));
    assert_true(terms.fires_missed && !terms.interval_ms);
    read_terms("interval", ARRIVAL_CRON, &config);
    assert_config(config, "/cron/interval_ms", "20000");
    terms = read_terms("poll", ARRIVAL_POLL, &config);
    assert_int_equal(terms.seen.kind, ARRIVAL_KEY_PATH);
    assert_config(config, "/poll/interval_ms", "300000");
    assert_config(config, "/poll/sourceType", "\"RestApi\"");
}

static void types_have_several_names(void **state)
{
    static const struct {
        const char *word;
        enum arrival_type type;
    } cases[] = {
        { "http", ARRIVAL_HTTP },
        { "HTTPWEBHOOKTRIGGER", ARRIVAL_HTTP },
        { "trigger_webhook", ARRIVAL_HTTP },
        { "ScheduledTrigger", ARRIVAL_CRON },
        { "schedule", ARRIVAL_CRON },
        { "PollingTrigger", ARRIVAL_POLL },
    };
    enum arrival_type type;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(arrival_type_of(str_of(cases[i].word), &type));
        assert_int_equal(type, cases[i].type);
    }
    assert_false(arrival_type_of(STR("pigeon"), &type));
}

static void every_mistake_is_named(void **state)
{
    (void)state;
    struct json_each each = json_each(document_value("program/arrival", "bad"));
    while (json_next(&each)) {
        enum arrival_type type;
        struct problems problems;
        struct arrival_terms terms;
        const struct json *config, *want = json_get(each.value, STR("want"));
        problems_init(&problems, &arena);
        assert_true(arrival_type_of(json_string(json_get(each.value, STR("type"))), &type));
        arrival_read(json_get(each.value, STR("trigger")), type, STR("/t"), &arena, &terms, &config,
                     &problems);
        assert_int_equal(problems.count, json_count(want));
        for (size_t i = 0; i < problems.count; i++)
            assert_string_equal(problem_code_name(problems.problem[i].code),
                                arena_printf(&arena, "%.*s", STR_ARG(json_string(json_item(want, i)))).p);
    }
}

static struct arrival_event request(void)
{
    const struct json *body = document_value("program/arrival", "body");
    struct buf raw;
    buf_init(&raw, &arena);
    json_print(body, &raw);
    return (struct arrival_event){ .type = ARRIVAL_HTTP,
                                   .payload = body,
                                   .raw = buf_str(&raw),
                                   .method = STR("POST"),
                                   .path = STR("/orders"),
                                   .headers = document_value("program/arrival", "headers"),
                                   .query = document_value("program/arrival", "query") };
}

static void keys_are_found(void **state)
{
    (void)state;
    const struct arrival_event event = request();
    struct json_each each = json_each(document_value("program/arrival", "keys"));
    while (json_next(&each)) {
        struct problems problems;
        struct arrival_key key;
        struct error err;
        int64_t fuel = 10000;
        str found;
        problems_init(&problems, &arena);
        arrival_read_key(json_get(each.value, STR("key")), ARRIVAL_HTTP, STR(""), &arena, &key, &problems);
        assert_int_equal(problems.count, 0);
        assert_int_equal(arrival_find_key(&key, &event, &fuel, &arena, &found, &err), ST_OK);
        assert_string_equal(
            arena_printf(&arena, "%.*s", STR_ARG(found)).p,
            arena_printf(&arena, "%.*s", STR_ARG(json_string(json_get(each.value, STR("want"))))).p);
    }
}

static void levels_of_a_topic_are_keys(void **state)
{
    static const struct {
        uint32_t level;
        const char *want;
    } cases[] = { { 0, "a" }, { 1, "" }, { 2, "c" }, { 3, "" }, { UINT32_MAX, "" } };
    const struct arrival_event event = { .type = ARRIVAL_MQTT, .topic = STR("a//c") };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct arrival_key key = { .kind = ARRIVAL_KEY_TOPIC, .level = cases[i].level };
        struct error err;
        int64_t fuel = 100;
        str found;
        assert_int_equal(arrival_find_key(&key, &event, &fuel, &arena, &found, &err), ST_OK);
        assert_string_equal(arena_printf(&arena, "%.*s", STR_ARG(found)).p, cases[i].want);
    }
}

static void a_filter_that_fails_lets_nothing_pass(void **state)
{
    static const struct {
        const char *text;
        bool want;
    } cases[] = {
        { "payload.number > 41", true },
        { "trigger.payload.number > 41", true },
        { "body.number > 42", false },
        { "headers['x-device'] == 'd1'", true },
        { "payload.id", false },     /* No boolean. */
        { "payload.id > 3", false }, /* Fails. */
        { "missing.deep.down == 1", false },
    };
    const struct arrival_event event = request();
    const struct json *value = arrival_value(&event, &arena);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arrival_terms terms = { .type = ARRIVAL_HTTP };
        struct error err;
        int64_t fuel = 10000;
        assert_int_equal(expr_compile(str_of(cases[i].text), &arena, &terms.filter, &err), ST_OK);
        assert_int_equal(arrival_passes(&terms, value, 0, &fuel, &arena), cases[i].want);
    }
}

static void a_filter_may_be_a_condition(void **state)
{
    (void)state;
    const struct arrival_event event = request();
    const struct json *config, *value = arrival_value(&event, &arena);
    struct arrival_terms terms = read_terms("condition", ARRIVAL_HTTP, &config);
    int64_t fuel = 10000;
    assert_true(arrival_passes(&terms, value, 0, &fuel, &arena));
    terms = read_terms("condition that fails", ARRIVAL_HTTP, &config);
    assert_false(arrival_passes(&terms, value, 0, &fuel, &arena));
}

#define PART(disposition, text) "--x\r\nContent-Disposition: form-data; " disposition "\r\n\r\n" text "\r\n"

static void bodies_are_decoded_by_their_type(void **state)
{
    static const struct {
        const char *type, *raw;
        enum status status;
        const char *want;
    } cases[] = {
        { NULL, "{\"a\":1}", ST_OK, "{\"a\":1}" },
        { NULL, "", ST_OK, "null" },
        { NULL, "{\"a\":", ST_INVALID, "" },
        { "application/json; charset=UTF-8", "[1]", ST_OK, "[1]" },
        { "application/json; charset=\"utf-8\"", "[1]", ST_OK, "[1]" },
        { "application/json; charset=latin1", "[1]", ST_UNSUPPORTED, "" },
        { "application/vnd.x+json", "1", ST_OK, "1" },
        { "application/json", "\"\xff\"", ST_INVALID, "" },
        { "text/plain", "hello", ST_OK, "\"hello\"" },
        { "text/plain", "\xff", ST_INVALID, "" },
        { "application/octet-stream", "\xff", ST_OK, "\"/w==\"" },
        { "application/x-www-form-urlencoded", "a=1&b=two+words%21&c&a=2", ST_OK,
          "{\"a\":[\"1\",\"2\"],\"b\":[\"two words!\"],\"c\":[\"\"]}" },
        { "application/x-www-form-urlencoded", "&b=1&&a=2&b=3&a=&b=4&", ST_OK,
          "{\"b\":[\"1\",\"3\",\"4\"],\"a\":[\"2\",\"\"]}" },
        { "application/x-www-form-urlencoded", "a=%ff", ST_INVALID, "" },
        { "application/x-www-form-urlencoded", "a=%f", ST_OK, "{\"a\":[\"%f\"]}" },
        { "multipart/form-data; boundary=\"x\"", PART("name=\"a\"", "one\r\ntwo") "--x--\r\n", ST_OK,
          "{\"a\":[\"one\\r\\ntwo\"]}" },
        { "multipart/form-data; boundary=x", PART("name=\"a\"", "1") PART("name=\"a\"", "") "--x--", ST_OK,
          "{\"a\":[\"1\",\"\"]}" },
        { "multipart/form-data; boundary=x", PART("name=\"a;b\"; filename=\"c%22.txt\"", "hi") "--x--", ST_OK,
          "{\"a;b\":[{\"name\":\"c\\\".txt\",\"type\":\"application/octet-stream\",\"content\":\"aGk=\"}]}" },
        { "multipart/form-data; boundary=x", PART("name=\"a\"; filename=\"\"", "") "--x--", ST_OK, "{}" },
        { "multipart/form-data; boundary=x", PART("name=\"a\"", "1") "--y--", ST_INVALID, "" },
        { "multipart/form-data; boundary=x", PART("name=\"a\"", "1"), ST_INVALID, "" },
        { "multipart/form-data; boundary=x", PART("filename=\"a\"", "1") "--x--", ST_INVALID, "" },
        { "multipart/form-data; boundary=x", PART("name=\"a\"", "\xff") "--x--", ST_INVALID, "" },
        { "multipart/form-data; boundary=x", "--x\r\nno head\r\n--x--", ST_INVALID, "" },
        { "multipart/form-data; boundary=x", "a=1", ST_INVALID, "" },
        { "multipart/form-data", PART("name=\"a\"", "1") "--x--", ST_INVALID, "" },
        { "application/xml", "<a/>", ST_UNSUPPORTED, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arrival_terms terms = { .type = ARRIVAL_HTTP };
        struct arrival_event event = { .type = ARRIVAL_HTTP, .raw = str_of(cases[i].raw) };
        struct error err;
        if (cases[i].type)
            event.headers = json_set(&arena, json_empty_object(), STR("content-type"),
                                     json_of_string(&arena, str_of(cases[i].type)));
        assert_int_equal(arrival_decode(&terms, &event, &arena, &err), cases[i].status);
        if (cases[i].status == ST_OK) assert_config(event.payload, "", cases[i].want);
    }
}

/* The largest form takes memory by its size, not by its size for each field. */
static void a_form_is_written_once(void **state)
{
    enum { FIELD_BYTES = 512 };
    static char raw[ARRIVAL_FORM_FIELDS_MAX * FIELD_BYTES];
    (void)state;
    for (size_t i = 0; i < ARRIVAL_FORM_FIELDS_MAX; i++) {
        char *field = raw + i * FIELD_BYTES;
        memset(field, 'x', FIELD_BYTES);
        int n = snprintf(field, FIELD_BYTES, "f%zu=", i % (ARRIVAL_FORM_FIELDS_MAX - 1));
        field[n] = 'x';
        field[FIELD_BYTES - 1] = '&';
    }
    raw[sizeof raw - FIELD_BYTES + 3] = 'y'; /* The last field has the name of the first one. */
    struct arena own;
    arena_init(&own, 0);
    struct arrival_terms terms = { .type = ARRIVAL_HTTP };
    struct arrival_event event = { .type = ARRIVAL_HTTP, .raw = { raw, sizeof raw } };
    struct error err;
    event.headers = json_set(&arena, json_empty_object(), STR("content-type"),
                             json_of_string(&arena, STR("application/x-www-form-urlencoded")));
    assert_int_equal(arrival_decode(&terms, &event, &own, &err), ST_OK);
    assert_int_equal(json_count(event.payload), ARRIVAL_FORM_FIELDS_MAX - 1);
    assert_int_equal(json_string(json_item(json_get(event.payload, STR("f0")), 1)).p[0], 'y');
    assert_in_range(own.used, sizeof raw, 16 * sizeof raw);
    arena_done(&own);
}

static struct arrival_event form_of(str raw, str type)
{
    return (struct arrival_event){ .type = ARRIVAL_HTTP,
                                   .raw = raw,
                                   .headers = json_set(&arena, json_empty_object(), STR("content-type"),
                                                       json_of_string(&arena, type)) };
}

static void a_form_has_a_limited_number_of_fields(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        const struct arrival_terms terms = { .type = ARRIVAL_HTTP };
        struct buf raw;
        struct error err;
        buf_init(&raw, &arena);
        for (int i = 0; i < ARRIVAL_FORM_FIELDS_MAX + more; i++) buf_add_str(&raw, STR("a=1&"));
        struct arrival_event event = form_of(buf_str(&raw), STR("application/x-www-form-urlencoded"));
        assert_int_equal(arrival_decode(&terms, &event, &arena, &err), more ? ST_INVALID : ST_OK);
    }
}

static void a_boundary_has_a_limited_length(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        const struct arrival_terms terms = { .type = ARRIVAL_HTTP };
        struct buf boundary;
        struct error err;
        buf_init(&boundary, &arena);
        for (int i = 0; i < ARRIVAL_BOUNDARY_BYTES_MAX + more; i++) buf_add_char(&boundary, 'x');
        str mark = buf_str(&boundary);
        struct arrival_event event =
            form_of(arena_printf(&arena, "--%.*s--", STR_ARG(mark)),
                    arena_printf(&arena, "multipart/form-data; boundary=%.*s", STR_ARG(mark)));
        assert_int_equal(arrival_decode(&terms, &event, &arena, &err), more ? ST_INVALID : ST_OK);
    }
}

static void messages_are_decoded_by_their_format(void **state)
{
    (void)state;
    struct arrival_terms terms = { .type = ARRIVAL_MQTT };
    struct error err;
    struct arrival_event event = { .type = ARRIVAL_MQTT, .raw = STR("{\"v\":3}") };
    assert_int_equal(arrival_decode(&terms, &event, &arena, &err), ST_OK);
    assert_config(event.payload, "/v", "3");
    event.payload = NULL, event.raw = STR("");
    assert_int_equal(arrival_decode(&terms, &event, &arena, &err), ST_INVALID);
    terms.format = ARRIVAL_FORMAT_BINARY;
    event.payload = NULL, event.raw = STR("\x01\x02");
    assert_int_equal(arrival_decode(&terms, &event, &arena, &err), ST_OK);
    assert_config(event.payload, "", "\"AQI=\"");
    terms.format = ARRIVAL_FORMAT_PROTOBUF;
    event.payload = NULL;
    assert_int_equal(arrival_decode(&terms, &event, &arena, &err), ST_UNSUPPORTED);
}

static void values_have_the_members_of_their_type(void **state)
{
    (void)state;
    const struct arrival_event http = request();
    assert_config(arrival_value(&http, &arena), "/headers", "{\"x-device\":\"d1\"}");
    assert_config(arrival_value(&http, &arena), "/triggered_at", "\"1970-01-01T00:00:00Z\"");
    const struct arrival_event mqtt = {
        .type = ARRIVAL_MQTT, .topic = STR("t/1"), .qos = 2, .retained = true
    };
    assert_config(arrival_value(&mqtt, &arena), "",
                  "{\"payload\":null,\"triggered_at\":\"1970-01-01T00:00:00Z\",\"topic\":\"t/1\",\"qos\":2,"
                  "\"retained\":true}");
    const struct arrival_event cron = { .type = ARRIVAL_CRON, .at_ms = 2000, .scheduled_ms = 1000 };
    assert_config(arrival_value(&cron, &arena), "",
                  "{\"payload\":null,\"triggered_at\":\"1970-01-01T00:00:02Z\",\"scheduled_for\":"
                  "\"1970-01-01T00:00:01Z\",\"time_zone\":\"UTC\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_webhook_has_defaults),
        cmocka_unit_test(all_terms_of_a_webhook_are_read),
        cmocka_unit_test(other_types_are_read),
        cmocka_unit_test(types_have_several_names),
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(levels_of_a_topic_are_keys),
        cmocka_unit_test(a_filter_that_fails_lets_nothing_pass),
        cmocka_unit_test(a_filter_may_be_a_condition),
        cmocka_unit_test(bodies_are_decoded_by_their_type),
        cmocka_unit_test(a_form_is_written_once),
        cmocka_unit_test(a_form_has_a_limited_number_of_fields),
        cmocka_unit_test(a_boundary_has_a_limited_length),
        cmocka_unit_test(messages_are_decoded_by_their_format),
        cmocka_unit_test(values_have_the_members_of_their_type),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
