/* Definitions as a whole, versions side by side, ticks of a schedule, and tables that somebody tries. */
#include "driver.h"

#include "runtime/memory/facts.h"
#include "runtime/limits.h"

static const char *definition(const char *name) { return document("runtime/design", name); }

static struct call *answered(struct driver *driver, struct call *call)
{
    driver->query.clock = (struct clock){ driver_now_ms, driver };
    return driver_run(driver, call);
}

/* Its answer as a JSON value. */
static const struct json *told(struct driver *driver, struct call *call)
{
    answered(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return driver_json(driver, arena_str(&driver->arena, call->value.design.text).p);
}

static const char *text_at(struct driver *driver, const struct json *value, const char *pointer)
{
    struct buf out;
    const struct json *found = json_pointer(value, str_of(pointer));
    buf_init(&out, &driver->arena);
    if (found) json_print(found, &out);
    return arena_str(&driver->arena, buf_str(&out)).p;
}

static void refused(struct driver *driver, struct call *call, enum status status, const char *words)
{
    answered(driver, call);
    if (call->status != status || !strstr(call->error.message, words))
        fail_msg("%s: %d %s", words, (int)call->status, call->error.message);
}

/* ---- facts ---- */

static void facts_are_found_once_and_told_again(void **state)
{
    struct driver *driver = *state;
    struct facts_cache *cache = &driver->query.facts;
    const struct facts *facts, *again;
    struct error err;
    driver_deploy(driver, definition("pay"));
    driver_deploy(driver, definition("warned"));
    driver_deploy(driver, definition("table"));
    driver_deploy(driver, definition("ticking"));
    assert_null(facts_peek(cache, 1));
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 1, &facts, &err)), ST_OK);
    assert_int_equal(facts->warnings + facts->triggers + facts->tables, 0);
    assert_string_equal(text_at(driver, facts->tags, ""), "[]");
    assert_ptr_equal(facts_peek(cache, 1), facts);
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 1, &again, &err)), ST_OK);
    assert_ptr_equal(again, facts);
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 2, &facts, &err)), ST_OK);
    assert_true(facts->warnings > 0);
    assert_true(facts->first_warning.n > 0);
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 3, &facts, &err)), ST_OK);
    assert_int_equal(facts->tables, 1);
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 4, &facts, &err)), ST_OK);
    assert_int_equal(facts->triggers, 2);
    assert_string_equal(text_at(driver, facts->tags, ""), "[\"money\",\"shop\"]"); /* 7 is no tag. */
    assert_int_equal(found_needed(facts_get(cache, driver->query.reader, 99, &facts, &err)), ST_NOT_FOUND);
    assert_null(facts_peek(cache, 99));
}

/* ---- summaries ---- */

static struct answer_summaries list(struct driver *driver, struct call_summaries asked)
{
    struct call *call = driver_call(driver, CALL_LIST_SUMMARIES);
    if (!asked.max) asked.max = 20;
    call->as.summaries = asked;
    answered(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->value.summaries;
}

static struct summary_view one(struct driver *driver, const char *id)
{
    struct call *call = driver_call(driver, CALL_GET_SUMMARY);
    call->as.definition.id = str_of(id);
    answered(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return *call->value.summaries.view;
}

static void a_list_has_counts_warnings_and_the_latest_failure(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    driver_deploy(driver, definition("warned"));
    driver_started(driver, "pay", NULL);
    driver_started(driver, "pay", NULL);
    driver_started(driver, "warned", "{\"y\":2}");
    driver_fail(driver, driver_polled(driver, "w", "charge"), "w", false);
    struct answer_summaries all = list(driver, (struct call_summaries){ 0 });
    assert_int_equal(all.count, 2);
    assert_int_equal(all.next.n, 0);
    const struct summary_view *pay = &all.view[0], *warned = &all.view[1];
    assert_int_equal(str_compare(pay->row.id, STR("pay")), 0);
    assert_true(pay->has_failure);
    assert_int_equal(str_compare(pay->failure.reason, STR("broken")), 0);
    assert_int_equal(str_compare(pay->failure.step, STR("charge")), 0);
    assert_int_equal(pay->counts.phase[store_phase(INSTANCE_FAILED, false)], 1);
    assert_int_equal(pay->counts.phase[store_phase(INSTANCE_ACTIVE, true)], 1);
    assert_int_equal(pay->warnings, 0);
    assert_false(warned->has_failure);
    assert_true(warned->warnings > 0);

    assert_int_equal(list(driver, (struct call_summaries){ .with_warnings = true }).count, 1);
    assert_int_equal(list(driver, (struct call_summaries){ .keyword = STR("PAY") }).count, 1);
    assert_int_equal(list(driver, (struct call_summaries){ .keyword = STR("nothing") }).count, 0);
    assert_int_equal(list(driver, (struct call_summaries){ .dialect = STR("graph") }).count, 0);
    assert_int_equal(list(driver, (struct call_summaries){ .after = STR("pay") }).count, 1);
}

/* A page is made in parts, and the next one begins behind it. */
static void pages_have_each_definition_once(void **state)
{
    struct driver *driver = *state;
    enum { COUNT_ALL = SUMMARIES_AT_ONCE * 2 + 3, PAGE = SUMMARIES_AT_ONCE + 1 };
    for (int i = 0; i < COUNT_ALL; i++)
        driver_deploy(driver, arena_printf(&driver->arena,
                                           "{\"id\":\"d%03d\",\"name\":\"D\",\"steps\":[{\"id\":\"e\","
                                           "\"name\":\"E\",\"type\":\"END\"}]}",
                                           i)
                                  .p);
    struct call_summaries asked = { .max = PAGE };
    size_t seen = 0;
    for (int page = 0; page < 3; page++) {
        struct answer_summaries answer = list(driver, asked);
        for (size_t i = 0; i < answer.count; i++, seen++)
            assert_int_equal(
                str_compare(answer.view[i].row.id, arena_printf(&driver->arena, "d%03d", (int)seen)), 0);
        asked.after = answer.next;
        if (!answer.next.n) break;
    }
    assert_int_equal(seen, COUNT_ALL);
    assert_int_equal(asked.after.n, 0);
}

static void one_has_its_versions_and_how_it_is_started(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    driver_deploy(driver, definition("pay again"));
    driver_deploy(driver, definition("ticking"));
    driver_deploy(driver, definition("device"));
    struct summary_view pay = one(driver, "pay");
    assert_int_equal(pay.version_count, 2);
    assert_int_equal(pay.version[0].version, 2);
    assert_int_equal(pay.version[1].version, 1);
    assert_true(pay.is_startable);
    assert_null(pay.input_schema);
    struct summary_view ticking = one(driver, "ticking");
    assert_int_equal(ticking.start_count, 2);
    assert_int_equal(str_compare(ticking.start[1].trigger, STR("hand")), 0);
    assert_int_equal(str_compare(ticking.start[1].label, STR("Go")), 0);
    assert_string_equal(text_at(driver, ticking.input_schema, "/required"), "[\"a\"]");
    assert_false(one(driver, "device.1").is_startable);
    struct call *call = driver_call(driver, CALL_GET_SUMMARY);
    call->as.definition.id = STR("ghost");
    refused(driver, call, ST_NOT_FOUND, "ghost");
}

/* ---- versions side by side ---- */

static struct call *compare(struct driver *driver, const char *id, int32_t from, int32_t to)
{
    struct call *call = driver_call(driver, CALL_COMPARE);
    call->as.compare = (struct call_compare){ .id = str_of(id), .from = from, .to = to };
    return call;
}

static void versions_differ_in_nodes_arrows_and_lines(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    driver_deploy(driver, definition("pay again"));
    const struct json *answer = told(driver, compare(driver, "pay", 1, 2));
    assert_string_equal(text_at(driver, answer, "/nodes"),
                        "[{\"id\":\"charge\",\"title\":\"Charge the card\",\"change\":\"changed\",\"fields\":"
                        "[\"/name\",\"/retryCount\",\"/nextStep\"]},"
                        "{\"id\":\"tell\",\"title\":\"Tell them\",\"change\":\"added\",\"fields\":[]}]");
    assert_string_equal(text_at(driver, answer, "/edges"),
                        "[{\"from\":\"charge\",\"to\":\"e\",\"label\":\"\",\"change\":\"removed\"},"
                        "{\"from\":\"charge\",\"to\":\"tell\",\"label\":\"\",\"change\":\"added\"},"
                        "{\"from\":\"tell\",\"to\":\"e\",\"label\":\"\",\"change\":\"added\"}]");
    assert_null(json_pointer(answer, STR("/cut")));
    /* The lines of one side, without those of the other, are its text. */
    struct json_each each = json_each(json_get(answer, STR("lines")));
    size_t same = 0, gone = 0, added = 0;
    while (json_next(&each)) {
        char op = json_string(json_get(each.value, STR("op"))).p[0];
        same += op == '=';
        gone += op == '-';
        added += op == '+';
    }
    assert_true(same > 10 && gone && added > gone);
    const struct json *back = told(driver, compare(driver, "pay", 2, 1));
    assert_string_equal(text_at(driver, back, "/nodes/1/change"), "\"removed\"");
    assert_string_equal(text_at(driver, told(driver, compare(driver, "pay", 2, 2)), "/nodes"), "[]");
    refused(driver, compare(driver, "pay", 1, 3), ST_NOT_FOUND, "version 3");
    refused(driver, compare(driver, "ghost", 1, 2), ST_NOT_FOUND, "ghost");
}

static void a_place_on_the_canvas_is_no_change(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("placed"));
    driver_deploy(driver, definition("placed elsewhere"));
    driver_deploy(driver, definition("placed later"));
    assert_string_equal(text_at(driver, told(driver, compare(driver, "placed", 1, 2)), "/nodes"), "[]");
    assert_string_equal(text_at(driver, told(driver, compare(driver, "placed", 1, 3)), "/nodes/0/fields"),
                        "[\"/config/duration\"]");
}

/* The table of lines would be too large: all lines in between are told as gone and new. */
static void very_different_texts_are_cut(void **state)
{
    struct driver *driver = *state;
    for (int version = 0; version < 2; version++) {
        struct buf text;
        buf_init(&text, &driver->arena);
        buf_printf(&text, "{\"id\":\"long\",\"name\":\"Long\",\"steps\":[");
        for (int i = 0; i < 600; i++)
            buf_printf(&text, "{\"id\":\"s%d\",\"name\":\"v%d\",\"type\":\"WAIT\",\"nextStep\":\"s%d\"},",
                       i + version * 5000, version, i + 1 < 600 ? i + 1 + version * 5000 : 9999);
        buf_printf(&text, "{\"id\":\"s9999\",\"name\":\"E\",\"type\":\"END\"}]}");
        driver_deploy(driver, arena_str(&driver->arena, buf_str(&text)).p);
    }
    const struct json *answer = told(driver, compare(driver, "long", 1, 2));
    assert_string_equal(text_at(driver, answer, "/cut"), "true");
    assert_in_range(json_count(json_get(answer, STR("lines"))), 600, COMPARE_LINES_MAX * 2);
}

/* ---- ticks ---- */

static struct call *ticks(struct driver *driver, const char *trigger, const char *config, const char *zone)
{
    struct call *call = driver_call(driver, CALL_TICKS);
    call->as.ticks = (struct call_ticks){ .definition_id = STR("ticking"),
                                          .trigger = str_of(trigger),
                                          .config = config ? driver_json(driver, config) : NULL,
                                          .zone = str_of(zone),
                                          .count = 2 };
    return call;
}

static void ticks_are_told_in_utc_and_as_clocks_show_them(void **state)
{
    struct driver *driver = *state; /* 2026-01-01T00:00:00Z */
    driver_deploy(driver, definition("ticking"));
    const struct json *answer = told(driver, ticks(driver, "nine", NULL, ""));
    assert_string_equal(text_at(driver, answer, "/zone"), "\"Europe/Berlin\"");
    assert_string_equal(text_at(driver, answer, "/items/0/at"), "\"2026-01-01T08:00:00.000000Z\"");
    assert_string_equal(text_at(driver, answer, "/items/0/local"), "\"2026-01-01T09:00:00+01:00\"");
    assert_string_equal(text_at(driver, answer, "/items/1/at"), "\"2026-01-02T08:00:00.000000Z\"");
    assert_int_equal(json_count(json_get(answer, STR("items"))), 2);
    answer = told(driver, ticks(driver, "nine", NULL, "America/New_York"));
    assert_string_equal(text_at(driver, answer, "/items/0/local"), "\"2026-01-01T03:00:00-05:00\"");
    answer = told(driver, ticks(driver, "", "{\"intervalValue\":90,\"intervalUnit\":\"Minutes\"}", ""));
    assert_string_equal(text_at(driver, answer, "/items/1/at"), "\"2026-01-01T03:00:00.000000Z\"");

    refused(driver, ticks(driver, "hand", NULL, ""), ST_INVALID, "no schedule");
    refused(driver, ticks(driver, "ghost", NULL, ""), ST_NOT_FOUND, "ghost");
    refused(driver, ticks(driver, "nine", NULL, "Mars/Base"), ST_INVALID, "Mars/Base");
    refused(driver, ticks(driver, "", "{\"cronExpression\":\"61 * * * *\"}", ""), ST_INVALID, "minute");
    refused(driver, ticks(driver, "", "{\"cronExpression\":\"0 9 * * *\",\"timeZone\":\"Mars/Base\"}", ""),
            ST_INVALID, "Mars/Base");
}

/* ---- tables ---- */

static struct call *try_table(struct driver *driver, const char *table, const char *rows)
{
    struct call *call = driver_call(driver, CALL_TRY_TABLE);
    call->as.table =
        (struct call_table){ .table = driver_json(driver, table), .rows = driver_json(driver, rows) };
    return call;
}

static void a_table_is_tried_as_it_would_run(void **state)
{
    struct driver *driver = *state;
    static const char table[] =
        "{\"hitPolicy\":\"F\",\"rules\":[{\"when\":{\"a\":\"a > 10\"},\"outputs\":{\"size\":\"large\"}},"
        "{\"when\":{\"a\":\"a > 5\"},\"outputs\":{\"size\":\"middle\"}}]}";
    const struct json *answer =
        told(driver, try_table(driver, table,
                               "[{\"variables\":{\"a\":11}},{\"variables\":{\"a\":6,\"size\":\"middle\"}},"
                               "{\"variables\":{\"a\":1}},{}]"));
    assert_string_equal(text_at(driver, answer, "/results/0"),
                        "{\"matched\":[0,1],\"output\":{\"size\":\"large\"}}");
    /* What was there already is nothing that the table has set. */
    assert_string_equal(text_at(driver, answer, "/results/1"), "{\"matched\":[1],\"output\":{}}");
    assert_string_equal(text_at(driver, answer, "/results/2/matched"), "[]");
    assert_non_null(json_pointer(answer, STR("/results/2/error"))); /* No rule fits. */
    assert_non_null(json_pointer(answer, STR("/results/3/error"))); /* There is no "a". */

    const struct json *step = told(driver, try_table(driver,
                                                     "{\"type\":\"DECISION_TABLE\",\"decisionTable\":{"
                                                     "\"rules\":[{\"when\":{},\"outputs\":{\"x\":1}}]}}",
                                                     "[{\"variables\":{}}]"));
    assert_string_equal(text_at(driver, step, "/results/0/output"), "{\"x\":1}");
}

static void a_table_that_is_wrong_has_findings_and_no_results(void **state)
{
    struct driver *driver = *state;
    const struct json *answer = told(driver, try_table(driver,
                                                       "{\"rules\":[{\"when\":{},\"outputs\":{\"x\":1}},"
                                                       "{\"when\":{\"a\":\"a >\"},\"outputs\":{\"x\":2}}]}",
                                                       "[{\"variables\":{}}]"));
    assert_string_equal(text_at(driver, answer, "/results"), "[]");
    assert_string_equal(text_at(driver, answer, "/findings/0/severity"), "\"error\"");
    assert_string_equal(text_at(driver, answer, "/findings/0/rows"), "[1]");
    assert_int_equal(strncmp(text_at(driver, answer, "/findings/0/pointer"), "\"/rules/1/", 10), 0);
    assert_null(strstr(text_at(driver, answer, "/findings/0/message"), "step \\\"table\\\""));
    told(driver, try_table(driver, "{}", "[]")); /* Nothing at all is wrong, too, and no accident. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(facts_are_found_once_and_told_again),
        DRIVER_TEST(a_list_has_counts_warnings_and_the_latest_failure),
        DRIVER_TEST(pages_have_each_definition_once),
        DRIVER_TEST(one_has_its_versions_and_how_it_is_started),
        DRIVER_TEST(versions_differ_in_nodes_arrows_and_lines),
        DRIVER_TEST(a_place_on_the_canvas_is_no_change),
        DRIVER_TEST(very_different_texts_are_cut),
        DRIVER_TEST(ticks_are_told_in_utc_and_as_clocks_show_them),
        DRIVER_TEST(a_table_is_tried_as_it_would_run),
        DRIVER_TEST(a_table_that_is_wrong_has_findings_and_no_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
