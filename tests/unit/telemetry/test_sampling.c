/* Which runs are exported, and by which node. The numbers are those of the requirements in docs/traces.md. */
#include "telemetry/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct sampling of(const char *text)
{
    struct sampling sampling;
    struct error err;
    if (sampling_parse(str_of(text), &sampling, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return sampling;
}

/* T27 */
static void rules_are_read(void **state)
{
    (void)state;
    struct sampling all = of(" failed , slow>1h ,1.25%");
    assert_true(all.failed);
    assert_int_equal(all.slow_ms, 3600000);
    assert_true(all.part > 0.01249 && all.part < 0.01251);
    assert_true(of("100%").part == 1);
    assert_true(of("0%").part == 0);
    static const char *const wrong[] = { "",       "fail", "1",    "101%",    "-1%",    "1%%",     "slow>",
                                         "slow>x", "%",    "1.%x", "failed,", "slow>0", "0.00001%" };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sampling sampling;
        struct error err;
        if (sampling_parse(str_of(wrong[i]), &sampling, &err) == ST_OK) fail_msg("%s is taken", wrong[i]);
        assert_string_equal(err.where, "--trace-sample");
    }
}

/* T26: every node draws the same, and the part is as large as it should be. */
static void a_part_is_drawn_by_the_trace(void **state)
{
    (void)state;
    const struct sampling some = of("10%"), all = of("100%"), none = of("failed");
    size_t drawn = 0;
    for (uint64_t i = 1; i <= 20000; i++) {
        drawn += sampling_draws(&some, i, 1700000000000 + (int64_t)i);
        assert_true(sampling_draws(&all, i, 5));
        assert_false(sampling_draws(&none, i, 5));
    }
    assert_in_range(drawn, 1800, 2200);
}

/* A run with spans at the revisions 1 to 9 and these ends. */
static size_t taken(const char *rules, const struct run_end *end, size_t end_count, bool has_ended,
                    uint32_t first, uint32_t last)
{
    const struct sampling sampling = of(rules);
    const struct run_spans run = { .run = { .instance = 3, .created_ms = 1000 },
                                   .end = (struct run_end *)(uintptr_t)end,
                                   .end_count = end_count,
                                   .has_ended = has_ended };
    size_t bits = 0;
    for (uint32_t revision = 1; revision <= 9; revision++) {
        const struct span span = { .revision = revision };
        if (sampling_takes(&sampling, &run, &span, first, last)) bits = bits * 10 + revision;
    }
    return bits;
}

/* T28 */
static void an_end_decides_about_the_whole_run(void **state)
{
    (void)state;
    const struct run_end failed[] = { { .revision = 4, .status = INSTANCE_FAILED, .ended_ms = 2000 },
                                      { .revision = 7, .status = INSTANCE_COMPLETED, .ended_ms = 9000 } };
    const struct run_end well[] = { { .revision = 7, .status = INSTANCE_COMPLETED, .ended_ms = 9000 } };
    /* It lives: nothing is known yet. */
    assert_int_equal(taken("failed", failed, 0, false, 1, 3), 0);
    /* It fails: everything so far. */
    assert_int_equal(taken("failed", failed, 1, true, 4, 4), 1234);
    /* It was retried and lives. */
    assert_int_equal(taken("failed", failed, 1, false, 5, 6), 0);
    /* It comes back: the rest, and nothing twice. */
    assert_int_equal(taken("failed", failed, 2, true, 5, 7), 567);
    /* Both in one look. */
    assert_int_equal(taken("failed", failed, 2, true, 1, 7), 1234567);
    /* Behind the end. */
    assert_int_equal(taken("failed", failed, 2, true, 8, 9), 89);
    assert_int_equal(taken("failed", well, 1, true, 1, 9), 0);
    assert_int_equal(taken("slow>7s", well, 1, true, 7, 7), 1234567);
    assert_int_equal(taken("slow>8s", well, 1, true, 7, 7), 0);
    assert_int_equal(taken("slow>8s,100%", well, 1, true, 3, 5), 345);
}

/* T29: whoever committed which commands, each span is exported once. */
static void nodes_share_a_run_without_gaps(void **state)
{
    (void)state;
    const struct run_end ends[] = { { .revision = 4, .status = INSTANCE_FAILED, .ended_ms = 2000 },
                                    { .revision = 7, .status = INSTANCE_COMPLETED, .ended_ms = 9000 } };
    static const char *const rules[] = { "failed", "100%", "slow>1s" };
    for (size_t r = 0; r < COUNT(rules); r++)
        for (uint32_t cut = 1; cut < 9; cut++) {
            size_t a = taken(rules[r], ends, 2, true, 1, cut), b = taken(rules[r], ends, 2, true, cut + 1, 9);
            int seen[10] = { 0 };
            for (; a; a /= 10) seen[a % 10]++;
            for (; b; b /= 10) seen[b % 10]++;
            for (int revision = 1; revision <= 9; revision++) assert_int_equal(seen[revision], 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read),
        cmocka_unit_test(a_part_is_drawn_by_the_trace),
        cmocka_unit_test(an_end_decides_about_the_whole_run),
        cmocka_unit_test(nodes_share_a_run_without_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
