/* A process that does not come to an end says what it waits for. Each test plays it in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cli/serve/stopping.h"

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t count_three(const void *context)
{
    (void)context;
    return 3;
}

/* Runs the function in a child; its exit code, and what it has written to standard error. */
static int play(void (*part)(void), char *ret_text, size_t bytes)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (!child) {
        dup2(pipes[1], STDERR_FILENO);
        part();
        _exit(0);
    }
    close(pipes[1]);
    ssize_t n = read(pipes[0], ret_text, bytes - 1);
    ret_text[n > 0 ? n : 0] = '\0';
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void hang(void)
{
    stopping_begin(60);
    stopping_wait_for("the first part", NULL, NULL);
    stopping_wait_for("the second part", count_three, NULL);
    raise(SIGALRM);
}

static void the_part_that_hangs_is_named_and_counted(void **state)
{
    char text[512];
    (void)state;
    assert_int_equal(play(hang, text, sizeof text), 1);
    assert_string_equal(text,
                        "pawl: stopped where it stands: the engine did not come to an end in time; still "
                        "open: the second part (3)\n");
}

static size_t count_nothing(const void *context)
{
    (void)context;
    return 0;
}

static void hang_for_a_reason(void)
{
    stopping_begin(60);
    stopping_suspect("the reason", count_three, NULL);
    stopping_wait_for("a part", NULL, NULL);
    raise(SIGALRM);
}

static void hang_without_a_reason(void)
{
    stopping_begin(60);
    stopping_suspect("the reason", count_nothing, NULL);
    stopping_wait_for("a part", NULL, NULL);
    raise(SIGALRM);
}

static void what_may_hold_up_every_part_is_named_if_it_does(void **state)
{
    char text[512];
    (void)state;
    assert_int_equal(play(hang_for_a_reason, text, sizeof text), 1);
    assert_non_null(strstr(text, "still open: a part; the reason (3)\n"));
    assert_int_equal(play(hang_without_a_reason, text, sizeof text), 1);
    assert_non_null(strstr(text, "still open: a part\n"));
}

static void hang_at_once(void)
{
    stopping_begin(60);
    raise(SIGALRM);
}

static void hang_with_a_long_name(void)
{
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    stopping_begin(60);
    stopping_wait_for(name, count_three, NULL);
    raise(SIGALRM);
}

static void a_line_is_written_whatever_hangs(void **state)
{
    char text[512];
    (void)state;
    assert_int_equal(play(hang_at_once, text, sizeof text), 1);
    assert_non_null(strstr(text, "still open: everything\n"));
    assert_int_equal(play(hang_with_a_long_name, text, sizeof text), 1);
    assert_non_null(strstr(text, "xxx"));
}

/* A sanitizer's search for leaks, for example, may take longer than a stop should. */
static void end_well(void)
{
    stopping_begin(60);
    stopping_wait_for("a part", NULL, NULL);
    stopping_done();
    if (alarm(0)) _exit(2);
}

static void an_end_in_time_is_not_disturbed_afterwards(void **state)
{
    char text[512];
    (void)state;
    assert_int_equal(play(end_well, text, sizeof text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_part_that_hangs_is_named_and_counted),
        cmocka_unit_test(what_may_hold_up_every_part_is_named_if_it_does),
        cmocka_unit_test(a_line_is_written_whatever_hangs),
        cmocka_unit_test(an_end_in_time_is_not_disturbed_afterwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
