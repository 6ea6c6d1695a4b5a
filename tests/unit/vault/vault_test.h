/* tests/unit/vault/vault_test.h — an arena and a directory of its own for each test. */
#ifndef VAULT_TEST_H
#define VAULT_TEST_H

#include "json/json.h"
#include "vault/vault.h"

#include "base/limits.h"
#include "documents.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct bench {
    struct arena arena;
    char directory[64];
    const char *key; /* Where the key file is, or would be. */
};

static inline int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    arena_init(&bench->arena, 0);
    snprintf(bench->directory, sizeof bench->directory, "/tmp/pawl-vault-XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
    bench->key = arena_printf(&bench->arena, "%s/store.key", bench->directory).p;
    *state = bench;
    return 0;
}

static inline int close_bench(void **state)
{
    struct bench *bench = *state;
    DIR *directory = opendir(bench->directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(bench->directory);
    arena_done(&bench->arena);
    free(bench);
    return 0;
}

#define bench_test(function) cmocka_unit_test_setup_teardown(function, open_bench, close_bench)

static inline const char *path_in(struct bench *bench, const char *name)
{
    return arena_printf(&bench->arena, "%s/%s", bench->directory, name).p;
}

static inline void write_file(const char *path, str text, mode_t mode)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static inline bool file_is_there(const char *path) { return access(path, F_OK) == 0; }

/* A vault with its key file read. */
static inline struct vault *open_vault(const char *key)
{
    struct error err = { .message = "" };
    struct vault *vault = vault_new(key);
    if (vault_read_key(vault, &err) != ST_OK) fail_msg("%s", err.message);
    return vault;
}

static inline str sealed_by(struct bench *bench, struct vault *vault, const char *name, const char *value)
{
    struct error err = { .message = "" };
    str sealed;
    if (vault_seal(vault, 1, str_of(name), str_of(value), &bench->arena, &sealed, &err) != ST_OK)
        fail_msg("%s", err.message);
    return sealed;
}

/* Seals a value and keeps it, as the runtime does when the row has committed. */
static inline str put(struct bench *bench, struct vault *vault, const char *name, const char *value)
{
    str sealed = sealed_by(bench, vault, name, value);
    assert_int_equal(vault_keep(vault, 1, str_of(name), sealed, NULL), ST_OK);
    return sealed;
}

static inline void assert_secret(struct bench *bench, struct vault *vault, const char *name, const char *want)
{
    str value = STR_NONE;
    bool found = vault_find(vault, TENANT_DEFAULT, str_of(name), &bench->arena, &value);
    if (found != (want != NULL)) fail_msg("%s: %s", name, found ? "is there" : "is not there");
    if (want && !str_equal(value, str_of(want))) fail_msg("%s: %.*s", name, STR_ARG(value));
}

#endif
