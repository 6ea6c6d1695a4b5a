/* Files of TLS that a broker's secret names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "trigger/mqtt_int.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM "-----BEGIN CERTIFICATE-----"

static enum status read_ca(const char *files, const char *ca, struct arena *arena,
                           struct mqtt_settings *settings, struct error *err)
{
    str secret = arena_printf(arena, "{\"host\":\"h\",\"tls\":{\"ca\":\"%s\"}}", ca);
    return mqtt_settings_read(secret, files, arena, settings, err);
}

/* A pipe that nobody writes into would hold up whoever opens it. */
static void only_files_of_one_directory_are_read_and_none_is_told_of(void **state)
{
    char directory[] = "/tmp/pawl-mqtt-XXXXXX", said[ERROR_MESSAGE_BYTES] = "";
    struct arena arena;
    struct mqtt_settings settings;
    struct error err;
    (void)state;
    arena_init(&arena, 0);
    assert_non_null(mkdtemp(directory));
    const char *pipe = arena_printf(&arena, "%s/pipe", directory).p;
    const char *file = arena_printf(&arena, "%s/ca.pem", directory).p;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    FILE *out = fopen(file, "w");
    assert_true(out && fputs(PEM, out) >= 0 && fclose(out) == 0);
    const char *const bad[] = { "/nowhere", "/etc/passwd", "../../etc/passwd", "pipe", pipe, "" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(read_ca(directory, bad[i], &arena, &settings, &err), ST_INVALID);
        mqtt_settings_done(&settings);
        if (i) assert_string_equal(err.message, said);
        snprintf(said, sizeof said, "%s", err.message);
    }
    assert_int_equal(read_ca(NULL, file, &arena, &settings, &err), ST_INVALID);
    assert_string_equal(err.message, said);
    const char *const good[] = { "ca.pem", file, PEM };
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(read_ca(directory, good[i], &arena, &settings, &err), ST_OK);
        assert_true(str_starts(str_of(settings.ca), STR("/proc/self/fd/"))); /* A copy in memory. */
        mqtt_settings_done(&settings);
    }
    unlink(pipe);
    unlink(file);
    rmdir(directory);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_files_of_one_directory_are_read_and_none_is_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
