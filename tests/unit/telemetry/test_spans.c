/* Spans of histories under a virtual clock. The numbers are those of the requirements in docs/traces.md. */
#include "../core/driver.h"

#include "core/trace.h"
#include "telemetry/otlp.h"

static const int64_t DAY_MS = 24LL * 3600 * 1000;

static void tell(struct driver *d, struct run_spans *ret_spans)
{
    static struct run_facts facts;
    struct error err;
    facts = (struct run_facts){
        .instance = 7,
        .created_ms = d->history[0].at_ms,
        .id = STR("RUN"),
        .definition = STR("test"),
        .version = 3,
        .tenant = STR("default"),
        .dialect = STR("steps/1"),
    };
    struct spans_story *story = spans_story_new(d->program, &d->arena);
    for (size_t i = 0; i < d->history_count; i++)
        if (spans_tell(story, &d->history[i], &err) != ST_OK) fail_msg("%s", err.message);
    spans_finish(story, &facts, ret_spans);
}

/* One line for each span: its revision, name, begin and length in seconds, how it ended, what it is under. */
static void assert_spans(struct driver *d, const char *want)
{
    struct run_spans spans;
    struct buf got;
    tell(d, &spans);
    buf_init(&got, &d->arena);
    for (size_t i = 0; i < spans.count; i++) {
        const struct span *span = &spans.span[i];
        const char *under = "";
        for (size_t k = 0; k < spans.count; k++)
            if (span->parent == spans.span[k].id && span->parent)
                under = arena_str(&d->arena, spans.span[k].name).p;
        buf_printf(&got, "%u %.*s %lld+%lld %s", span->revision, STR_ARG(span->name),
                   (long long)(span->start_ms - d->history[0].at_ms) / 1000,
                   (long long)(span->end_ms - span->start_ms) / 1000,
                   (const char *[]){ "-", "ok", "error" }[span->status]);
        for (size_t a = 0; a < span->attribute_count; a++)
            if (strcmp(span->attribute[a].key, "error.type") == 0)
                buf_printf(&got, " %.*s", STR_ARG(span->attribute[a].text));
        buf_printf(&got, " < %s\n", under);
    }
    buf_add_char(&got, '\0');
    assert_string_equal(got.p, want);
}

/* T5, T6, T7, T18 */
static void steps_and_attempts_have_spans_when_they_are_over(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'retryCount':2,'nextStep':'end'") END("end"));
    start(&d, NULL);
    assert_spans(&d, "1 start test 0+0 - < \n");
    d.now_ms += 4000;
    fail_job(&d, "a", "broken", true);
    assert_spans(&d, "1 start test 0+0 - < \n"
                     "2 a attempt 1 0+4 error failed < \n");
    int64_t available_ms = job_of(&d, "a")->available_ms;
    d.now_ms = available_ms + 3000;
    complete(&d, "a", NULL);
    int64_t began = (available_ms - d.history[0].at_ms) / 1000, all = began + 3;
    assert_spans(&d, arena_printf(&d.arena,
                                  "1 start test 0+0 - < \n"
                                  "2 a attempt 1 0+4 error failed < a\n"
                                  "3 a attempt 2 %lld+3 - < a\n"
                                  "3 a 0+%lld ok < start test\n"
                                  "3 end %lld+0 ok < start test\n"
                                  "3 end test 0+%lld ok < start test\n",
                                  (long long)began, (long long)all, (long long)all, (long long)all)
                         .p);
    driver_end(&d);
}

/* T8 */
static void a_wait_of_thirty_days_has_a_begin_and_a_whole(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, WAIT("w", "end") END("end"));
    start(&d, NULL);
    assert_spans(&d, "1 start test 0+0 - < \n"
                     "1 wait w 0+0 - < \n");
    d.now_ms += 30 * DAY_MS;
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_spans(&d, "1 start test 0+0 - < \n"
                     "1 wait w 0+0 - < w\n"
                     "2 wait w 0+2592000 - < w\n"
                     "2 w 0+2592000 ok < start test\n"
                     "2 end 2592000+0 ok < start test\n"
                     "2 end test 0+2592000 ok < start test\n");
    driver_end(&d);
}

/* T9, T16, T22 */
static void each_end_of_a_run_has_a_span(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    d.now_ms += 1000;
    fail_job(&d, "a", "secret words", false);
    assert_spans(&d, "1 start test 0+0 - < \n"
                     "1 f 0+0 ok < start test\n"
                     "2 a attempt 1 0+1 error failed < a\n"
                     "2 a 0+1 error failed < start test\n"
                     "2 end test 0+1 error failed < start test\n");
    d.now_ms += 1000;
    send(&d, COMMAND_RETRY, "a", NULL);
    d.now_ms += 1000;
    complete(&d, "b", NULL);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    struct run_spans spans;
    tell(&d, &spans);
    assert_int_equal(spans.end_count, 2);
    assert_int_equal(spans.end[0].revision, 2);
    assert_int_equal(spans.end[1].status, INSTANCE_CANCELLED);
    assert_int_equal(spans.end[1].began_ms - spans.end[0].ended_ms, 1000);
    assert_int_equal(spans.end[1].ended_ms - spans.end[1].began_ms, 1000);
    driver_end(&d);
}

/* T2, T4: no two spans share an id, and asking again gives the same. */
static void ids_are_unique_and_stay(void **state)
{
    struct driver d;
    struct run_spans once, again;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'retryCount':30,'nextStep':'w'") WAIT("w", "end") END("end"));
    start(&d, NULL);
    for (int i = 0; i < 25; i++) {
        d.now_ms += DAY_MS;
        fail_job(&d, "a", "broken", true);
    }
    d.now_ms += DAY_MS;
    complete(&d, "a", NULL);
    tell(&d, &once);
    send(&d, COMMAND_SIGNAL, "w", NULL);
    tell(&d, &again);
    assert_true(again.count > once.count);
    size_t attempts = 0;
    for (size_t i = 0; i < again.count; i++) {
        assert_true(again.span[i].id != 0);
        if (i < once.count) assert_true(once.span[i].id == again.span[i].id);
        attempts += again.span[i].kind == SPAN_CLIENT;
        for (size_t k = 0; k < i; k++) assert_true(again.span[i].id != again.span[k].id);
    }
    assert_int_equal(attempts, ATTEMPTS_SHOWN_MAX); /* T7 */
    assert_int_equal(again.trace.n, TRACE_CHARS);
    driver_end(&d);
}

/* T13, T14 */
static void relatives_are_linked(void **state)
{
    struct driver d;
    struct error err;
    struct run_spans spans;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_START,
                                                     .as.start.instance = 7,
                                                     .as.start.definition = 3,
                                                     .as.start.parent = 5,
                                                     .as.start.parent_job = 9,
                                                     .as.start.chained_from = 6 }),
                     ST_OK);
    uint32_t job = job_of(&d, "a")->number;
    complete(&d, "a", NULL);
    const struct run_child child[] = { { 20, 2000, job }, { 21, 2100, 0 } };
    const struct run_facts facts = { .instance = 7,
                                     .created_ms = 1,
                                     .parent_created_ms = 500,
                                     .chained_created_ms = 600,
                                     .child = child,
                                     .child_count = 2 };
    struct spans_story *story = spans_story_new(d.program, &d.arena);
    for (size_t i = 0; i < d.history_count; i++)
        assert_int_equal(spans_tell(story, &d.history[i], &err), ST_OK);
    assert_int_equal(spans_kin(story).parent, 5);
    assert_int_equal(spans_kin(story).chained_from, 6);
    spans_finish(story, &facts, &spans);
    const struct span *first = &spans.span[0], *last = &spans.span[spans.count - 1];
    assert_int_equal(first->link_count, 2);
    assert_true(first->link[0].span == trace_span(5, 500, TRACE_JOB, 9));
    assert_true(str_equal(first->link[0].trace, trace_id(5, 500, &d.arena)));
    assert_true(first->link[1].span == trace_span(6, 600, TRACE_START, 0));
    assert_int_equal(last->link_count, 1);
    assert_true(last->link[0].span == trace_span(21, 2100, TRACE_START, 0));
    assert_int_equal(spans.span[1].link_count, 1);
    assert_true(spans.span[1].link[0].span == trace_span(20, 2000, TRACE_START, 0));
    driver_end(&d);
}

static uint64_t varint(const char **p)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char c = (unsigned char)*(*p)++;
        value |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) return value;
    }
}

/* The bytes of the field at each number of the way, the first of its kind. */
static str field_of(str message, uint32_t wanted)
{
    const char *p = message.p, *end = p + message.n;
    while (p < end) {
        uint64_t key = varint(&p);
        if ((key & 7) == 1) p += 8;
        else if ((key & 7) == 0) varint(&p);
        else {
            size_t n = varint(&p);
            if (key >> 3 == wanted) return (str){ (char *)(uintptr_t)p, n };
            p += n;
        }
    }
    fail_msg("no field %u", wanted);
    return STR_NONE;
}

/* T23: whole messages are compared by tests/api/test_traces.py; here is what a message is made of. */
static void a_message_has_resource_scope_and_spans(void **state)
{
    struct driver d;
    struct run_spans spans;
    struct otlp_bytes bytes;
    struct buf out;
    (void)state;
    driver_begin(&d, END("end"));
    start(&d, NULL);
    tell(&d, &spans);
    const struct telemetry_attribute name = { "service.name", STR("pawl"), 0 };
    const struct telemetry_resource resource = { &name, 1, STR("1.0") };
    buf_init(&out, &d.arena);
    otlp_bytes_init(&bytes);
    otlp_bytes_run(&bytes, &spans);
    otlp_bytes_add(&bytes, &spans.span[0]);
    otlp_bytes_end(&bytes, &resource, &out);
    otlp_bytes_done(&bytes);
    str group = field_of(buf_str(&out), 1), scope = field_of(group, 2), span = field_of(scope, 2);
    assert_true(str_equal(field_of(field_of(field_of(group, 1), 1), 1), STR("service.name")));
    assert_true(str_equal(field_of(field_of(scope, 1), 2), STR("1.0")));
    assert_int_equal(field_of(span, 1).n, 16);
    assert_int_equal(field_of(span, 2).n, 8);
    assert_true(str_equal(field_of(span, 5), STR("start test")));
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_attempts_have_spans_when_they_are_over),
        cmocka_unit_test(a_wait_of_thirty_days_has_a_begin_and_a_whole),
        cmocka_unit_test(each_end_of_a_run_has_a_span),
        cmocka_unit_test(ids_are_unique_and_stay),
        cmocka_unit_test(relatives_are_linked),
        cmocka_unit_test(a_message_has_resource_scope_and_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
