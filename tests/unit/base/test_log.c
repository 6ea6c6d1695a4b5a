#include "base/log.h"

#include "base/clock.h"
#include "base/log_repeats_int.h"

#include <stdio.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include <cmocka.h>

/* Returns what log_write() puts on standard error while that goes to a file. */
struct captured {
    FILE *file;
    int saved;
    char text[4096];
};

static void capture(struct captured *captured)
{
    captured->file = tmpfile();
    assert_non_null(captured->file);
    captured->saved = dup(STDERR_FILENO);
    dup2(fileno(captured->file), STDERR_FILENO);
}

static void release(struct captured *captured)
{
    dup2(captured->saved, STDERR_FILENO);
    close(captured->saved);
    rewind(captured->file);
    size_t n = fread(captured->text, 1, sizeof captured->text - 1, captured->file);
    captured->text[n] = '\0';
    fclose(captured->file);
}

static void a_line_is_one_json_object(void **state)
{
    (void)state;
    struct captured captured;
    capture(&captured);
    log_set_level(LOG_INFO);
    log_write(LOG_WARN, "say \"hi\"", "path", "a\\b\n\x01", "euro", "\xe2\x82\xac", "bad", "x\xff", NULL);
    release(&captured);
    static const char
        head[] = "{\"time\":\"",
        tail[] = "Z\",\"level\":\"warn\",\"event\":\"say \\\"hi\\\"\",\"path\":\"a\\\\b\\u000a\\u0001\","
                 "\"euro\":\"\xe2\x82\xac\",\"bad\":\"x\\ufffd\"}\n";
    assert_memory_equal(captured.text, head, sizeof head - 1);
    assert_string_equal(captured.text + sizeof head - 1 + 26, tail);
}

static void numbers_are_numbers_and_empty_values_are_left_out(void **state)
{
    (void)state;
    struct captured captured;
    capture(&captured);
    log_write(LOG_WARN, "numbers", "#count", "-12", "#odd", "012", "#word", "x", "#none", "", "name", "",
              NULL);
    release(&captured);
    assert_non_null(
        strstr(captured.text, "\"event\":\"numbers\",\"count\":-12,\"odd\":\"012\",\"word\":\"x\"}\n"));
}

/* A value cannot pretend to be another pair or another line. */
static void text_is_one_line(void **state)
{
    (void)state;
    struct captured captured;
    capture(&captured);
    log_set_format(LOG_TEXT);
    log_write(LOG_WARN, "text", "plain", "a-b/c", "#count", "7", "blank", "a b", "line", "a\nb", "pair",
              "a=b", NULL);
    log_set_format(LOG_JSON);
    release(&captured);
    assert_non_null(strstr(
        captured.text, " warn  text plain=a-b/c count=7 blank=\"a b\" line=\"a\\u000ab\" pair=\"a=b\"\n"));
}

static void the_same_line_is_written_once_and_then_counted(void **state)
{
    (void)state;
    struct captured captured;
    capture(&captured);
    for (int i = 0; i < 5; i++)
        log_write(LOG_WARN, "again", "reason", "same", "instance", i == 4 ? "last" : "one", NULL);
    log_write(LOG_WARN, "again", "reason", "other", NULL);
    log_flush(true);
    release(&captured);
    const char *first = strstr(captured.text, "\"reason\":\"same\",\"instance\":\"one\"}\n");
    const char *other = strstr(captured.text, "\"reason\":\"other\"}\n");
    const char *last = strstr(captured.text, "\"reason\":\"same\",\"instance\":\"last\",\"repeated\":4}\n");
    assert_true(first && other && last && first < other && other < last);
    assert_null(strstr(other, "\"instance\":\"one\""));
}

/* ---- which lines are kept back ---- */

static void a_line_is_kept_until_its_second_is_over(void **state)
{
    (void)state;
    static struct log_repeats repeats;
    str line;
    uint64_t count;
    assert_false(log_repeats_keep(&repeats, 9, 1, STR("a"), 5000));
    assert_true(log_repeats_keep(&repeats, 9, 1, STR("b"), 5000 + LOG_REPEATS_MS - 1));
    assert_false(log_repeats_next(&repeats, 5000 + LOG_REPEATS_MS - 1, false, &line, &count));
    /* The one that is kept comes first. */
    assert_true(log_repeats_keep(&repeats, 9, 1, STR("c"), 5000 + LOG_REPEATS_MS));
    assert_true(log_repeats_next(&repeats, 5000 + LOG_REPEATS_MS, false, &line, &count));
    assert_true(str_equal(line, STR("c")) && count == 2);
    assert_false(log_repeats_next(&repeats, 5000 + LOG_REPEATS_MS, false, &line, &count));
    assert_true(log_repeats_keep(&repeats, 9, 1, STR("d"), 5000 + LOG_REPEATS_MS));
    assert_true(log_repeats_next(&repeats, 5000 + LOG_REPEATS_MS, true, &line, &count));
    /* A clock that is set back ends the second. */
    assert_false(log_repeats_keep(&repeats, 9, 1, STR("e"), 10));
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) buf_done(&repeats.slot[i].line);
}

static size_t kept_lines(struct log_repeats *repeats, int64_t now_ms, uint64_t *ret_count)
{
    size_t n = 0;
    str line;
    uint64_t count;
    *ret_count = 0;
    for (; log_repeats_next(repeats, now_ms, false, &line, &count); n++) *ret_count += count;
    return n;
}

/* Each failure with a reason of its own. Another event is told at once all the same. */
static void an_event_has_a_bounded_number_of_lines_in_a_second(void **state)
{
    (void)state;
    static struct log_repeats repeats;
    uint64_t count, says = 1;
    while (says <= LOG_EVENT_LINES_MAX) assert_false(log_repeats_keep(&repeats, 9, says++, STR("x"), 5000));
    while (says <= 10000) assert_true(log_repeats_keep(&repeats, 9, says++, STR("y"), 5000));
    assert_false(log_repeats_keep(&repeats, 8, says, STR("z"), 5000));
    assert_int_equal(kept_lines(&repeats, 5000 + LOG_REPEATS_MS, &count), 1);
    assert_int_equal(count, 10000 - LOG_EVENT_LINES_MAX);
    assert_false(log_repeats_keep(&repeats, 9, 20000, STR("x"), 5000 + LOG_REPEATS_MS));
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) buf_done(&repeats.slot[i].line);
}

static void all_events_have_a_bounded_number_of_lines_in_a_second(void **state)
{
    (void)state;
    static struct log_repeats repeats;
    uint64_t count, event = 1;
    while (event <= LOG_REPEATS_MAX) {
        assert_false(log_repeats_keep(&repeats, event, event, STR("x"), 5000));
        event++;
    }
    for (; event <= 2 * LOG_REPEATS_MAX; event++)
        assert_true(log_repeats_keep(&repeats, event, event, STR("x"), 5000));
    assert_true(log_repeats_keep(&repeats, 1, 1, STR("x"), 5000));
    assert_int_equal(kept_lines(&repeats, 5000 + LOG_REPEATS_MS, &count), 2);
    assert_int_equal(count, LOG_REPEATS_MAX + 1);
    buf_done(&repeats.others.line);
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) buf_done(&repeats.slot[i].line);
}

/* The test would stand still if a line waited for the reader. */
static void a_pipe_that_nobody_reads_holds_nobody_up(void **state)
{
    (void)state;
    static char text[1 << 20];
    int pipe_fd[2], before = dup(STDERR_FILENO);
    assert_true(before >= 0 && pipe(pipe_fd) == 0 && dup2(pipe_fd[1], STDERR_FILENO) == STDERR_FILENO);
    char value[1000], number[24];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    log_set_level(LOG_DEBUG);
    for (int i = 0; i < 200; i++) {
        snprintf(number, sizeof number, "%d", i);
        log_write(LOG_DEBUG, "unread", "#i", number, "value", value, NULL);
    }
    ssize_t n = read(pipe_fd[0], text, sizeof text - 1);
    assert_true(n > 0);
    log_write(LOG_DEBUG, "read again", NULL);
    log_set_level(LOG_INFO);
    ssize_t more = read(pipe_fd[0], text, sizeof text - 1);
    dup2(before, STDERR_FILENO);
    close(before);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    assert_true(more > 0);
    text[more] = '\0';
    char *lost =
        strstr(text, "\"event\":\"lines of the log were lost, because nobody reads them\",\"lines\":");
    assert_true(lost && strstr(lost, "read again"));
}

static void lines_below_the_level_are_not_written(void **state)
{
    (void)state;
    struct captured captured;
    capture(&captured);
    log_set_level(LOG_ERROR);
    log_write(LOG_WARN, "no", NULL);
    log_set_level(LOG_OFF);
    log_write(LOG_ERROR, "no", NULL);
    log_write(LOG_OFF, "no", NULL);
    log_set_level(LOG_DEBUG);
    log_write(LOG_DEBUG, "yes", NULL);
    log_set_level(LOG_INFO);
    release(&captured);
    assert_non_null(strstr(captured.text, "\"level\":\"debug\",\"event\":\"yes\"}\n"));
    assert_null(strstr(captured.text, "no"));
}

static void *write_quietly(void *unused)
{
    (void)unused;
    log_keep_quiet(true);
    log_write(LOG_ERROR, "of the quiet one", NULL);
    log_keep_quiet(false);
    log_write(LOG_ERROR, "of the same one, later", NULL);
    log_keep_quiet(true);
    return NULL;
}

static void a_quiet_thread_silences_no_other(void **state)
{
    struct captured captured;
    pthread_t thread;
    (void)state;
    capture(&captured);
    assert_int_equal(pthread_create(&thread, NULL, write_quietly, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    log_write(LOG_ERROR, "of another one", NULL);
    release(&captured);
    assert_null(strstr(captured.text, "of the quiet one"));
    assert_non_null(strstr(captured.text, "of the same one, later"));
    assert_non_null(strstr(captured.text, "of another one"));
}

static void levels_have_words(void **state)
{
    static const struct {
        str word;
        enum log_level level;
    } cases[] = {
        { STR_INIT("debug"), LOG_DEBUG }, { STR_INIT("info"), LOG_INFO }, { STR_INIT("warn"), LOG_WARN },
        { STR_INIT("error"), LOG_ERROR }, { STR_INIT("off"), LOG_OFF },
    };
    (void)state;
    enum log_level level;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(log_level_parse(cases[i].word, &level));
        assert_int_equal(level, cases[i].level);
    }
    assert_false(log_level_parse(STR("INFO"), &level));
    assert_false(log_level_parse(STR(""), &level));
}

static void the_clocks_run_forward(void **state)
{
    (void)state;
    struct clock clock = clock_system();
    assert_true(clock_now_ms(&clock) > INT64_C(1600000000000));
    int64_t before = clock_monotonic_us();
    assert_true(clock_monotonic_us() >= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_one_json_object),
        cmocka_unit_test(numbers_are_numbers_and_empty_values_are_left_out),
        cmocka_unit_test(text_is_one_line),
        cmocka_unit_test(the_same_line_is_written_once_and_then_counted),
        cmocka_unit_test(a_line_is_kept_until_its_second_is_over),
        cmocka_unit_test(an_event_has_a_bounded_number_of_lines_in_a_second),
        cmocka_unit_test(all_events_have_a_bounded_number_of_lines_in_a_second),
        cmocka_unit_test(a_pipe_that_nobody_reads_holds_nobody_up),
        cmocka_unit_test(lines_below_the_level_are_not_written),
        cmocka_unit_test(a_quiet_thread_silences_no_other),
        cmocka_unit_test(levels_have_words),
        cmocka_unit_test(the_clocks_run_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
