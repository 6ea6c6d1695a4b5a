/* Files that a secret names, and who may read those that hold one. */
#include "vault_test.h"

#include "vault/limits.h"

#include <sys/stat.h>

#define PEM "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"

static void only_files_of_the_directory_are_read(void **state)
{
    struct bench *bench = *state;
    const char *files = path_in(bench, "files"), *path;
    str text;
    struct error err;
    assert_int_equal(mkdir(files, 0700), 0);
    assert_int_equal(mkdir(path_in(bench, "files2"), 0700), 0);
    write_file(path_in(bench, "files/ca.pem"), STR(PEM), 0600);
    write_file(path_in(bench, "files/notes"), STR("no certificate"), 0600);
    write_file(path_in(bench, "files2/ca.pem"), STR(PEM), 0600);
    write_file(path_in(bench, "outside.pem"), STR(PEM), 0600);
    assert_int_equal(mkfifo(path_in(bench, "files/pipe"), 0600), 0);
    assert_int_equal(symlink("ca.pem", path_in(bench, "files/link.pem")), 0);
    assert_int_equal(symlink("../outside.pem", path_in(bench, "files/out.pem")), 0);
    const char *const good[] = { "ca.pem", path_in(bench, "files/ca.pem"), "link.pem", "../files/ca.pem" };
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(vault_named_file(files, good[i], &bench->arena, &path, &text, &err), ST_OK);
        assert_true(str_equal(text, STR(PEM)));
        assert_string_equal(strrchr(path, '/'), "/ca.pem");
    }
    const char *const bad[] = { "nowhere",
                                "notes",
                                "pipe",
                                "out.pem",
                                "",
                                "../outside.pem",
                                "../files2/ca.pem",
                                path_in(bench, "outside.pem"),
                                "/dev/null",
                                files,
                                "/etc/passwd" };
    char said[ERROR_MESSAGE_BYTES] = "";
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(vault_named_file(files, bad[i], &bench->arena, &path, &text, &err), ST_INVALID);
        if (i) assert_string_equal(err.message, said);
        snprintf(said, sizeof said, "%s", err.message);
    }
    assert_int_equal(vault_named_file(NULL, "ca.pem", &bench->arena, &path, &text, &err), ST_INVALID);
    assert_string_equal(err.message, said);
    static const char *const made[] = { "files/ca.pem",  "files/notes",   "files/pipe", "files/link.pem",
                                        "files/out.pem", "files2/ca.pem", "files",      "files2" };
    for (size_t i = 0; i < COUNT(made); i++) remove(path_in(bench, made[i]));
}

static void a_named_file_has_a_limit(void **state)
{
    struct bench *bench = *state;
    const char *path, *file = path_in(bench, "ca.pem");
    str text;
    struct error err;
    char *bytes = arena_alloc(&bench->arena, NAMED_FILE_BYTES_MAX + 1);
    memset(bytes, 'x', NAMED_FILE_BYTES_MAX + 1);
    memcpy(bytes, PEM, strlen(PEM));
    write_file(file, (str){ bytes, NAMED_FILE_BYTES_MAX }, 0600);
    assert_int_equal(vault_named_file(bench->directory, file, &bench->arena, &path, &text, &err), ST_OK);
    assert_int_equal(text.n, NAMED_FILE_BYTES_MAX);
    write_file(file, (str){ bytes, NAMED_FILE_BYTES_MAX + 1 }, 0600);
    assert_int_equal(vault_named_file(bench->directory, file, &bench->arena, &path, &text, &err), ST_INVALID);
}

static void others_may_not_read_or_write_a_secret(void **state)
{
    struct bench *bench = *state;
    const char *path = path_in(bench, "token");
    struct error err;
    static const struct {
        mode_t mode;
        enum status want;
    } cases[] = {
        { 0400, ST_OK },        { 0600, ST_OK },        { 0640, ST_OK },        { 0440, ST_OK },
        { 0644, ST_FORBIDDEN }, { 0604, ST_FORBIDDEN }, { 0660, ST_FORBIDDEN }, { 0602, ST_FORBIDDEN },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_file(path, STR("x"), 0600);
        assert_int_equal(chmod(path, cases[i].mode), 0);
        assert_int_equal(vault_check_readers(path, "the token file", &err), cases[i].want);
        assert_int_equal(chmod(path, 0600), 0);
    }
    assert_non_null(strstr(err.message, "run: chmod 600"));
    assert_int_equal(vault_check_readers(path_in(bench, "nowhere"), "it", &err), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(only_files_of_the_directory_are_read),
        bench_test(a_named_file_has_a_limit),
        bench_test(others_may_not_read_or_write_a_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
