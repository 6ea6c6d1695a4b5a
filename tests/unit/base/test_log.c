#include "base/log.h"

#include "base/clock.h"

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
        cmocka_unit_test(lines_below_the_level_are_not_written),
        cmocka_unit_test(a_quiet_thread_silences_no_other),
        cmocka_unit_test(levels_have_words),
        cmocka_unit_test(the_clocks_run_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
