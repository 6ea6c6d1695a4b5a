/* Secrets sealed and opened: nothing but the right key, name and bytes opens them. */
#include "vault_test.h"

#include <fcntl.h>
#include <pthread.h>

static void a_sealed_value_opens_again(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    static const char *const values[] = { "x", "s3cr3t", "grün 🐢", "a\nb\r\n\tc \"d\" \\" };
    for (size_t i = 0; i < COUNT(values); i++) {
        str sealed = put(bench, vault, "api_key", values[i]);
        assert_int_equal(str_find(sealed, str_of(values[i]), 0),
                         strlen(values[i]) > 2 ? SIZE_MAX : str_find(sealed, str_of(values[i]), 0));
        assert_secret(bench, vault, "api_key", values[i]);
    }
    assert_int_equal(vault_kept_count(vault), 1);
    assert_secret(bench, vault, "api_ke", NULL);
    assert_secret(bench, vault, "API_KEY", NULL);
    vault_forget(vault, 1, STR("api_key"));
    vault_forget(vault, 1, STR("never"));
    assert_secret(bench, vault, "api_key", NULL);
    vault_free(vault);
}

static void equal_values_look_different(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str a = sealed_by(bench, vault, "n", "the same"), b = sealed_by(bench, vault, "n", "the same");
    assert_int_equal(a.n, b.n);
    assert_false(str_equal(a, b));
    vault_free(vault);
}

static void each_changed_byte_is_refused(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str sealed = sealed_by(bench, vault, "n", "a value of some length");
    for (size_t i = 0; i < sealed.n; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            char *copy = memcpy(arena_alloc(&bench->arena, sealed.n), sealed.p, sealed.n);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            struct error err = { .message = "" };
            enum status status = vault_keep(vault, 1, STR("n"), (str){ copy, sealed.n }, &err);
            /* Bytes 1 to 8 name the key: with others, the value seems to be of another key. */
            assert_int_equal(status, i >= 1 && i <= 8 ? ST_CONFLICT : ST_INVALID);
            assert_non_null(strstr(err.message, "\"n\""));
        }
    }
    assert_int_equal(vault_kept_count(vault), 0);
    assert_int_equal(vault_keep(vault, 1, STR("n"), sealed, NULL), ST_OK);
    vault_free(vault);
}

static void truncated_and_longer_values_are_refused(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str sealed = sealed_by(bench, vault, "n", "a value");
    for (size_t n = 0; n < sealed.n; n++)
        assert_int_equal(vault_keep(vault, 1, STR("n"), (str){ sealed.p, n }, NULL), ST_INVALID);
    char *longer = memcpy(arena_zero(&bench->arena, sealed.n + 1, 1), sealed.p, sealed.n);
    assert_int_equal(vault_keep(vault, 1, STR("n"), (str){ longer, sealed.n + 1 }, NULL), ST_INVALID);
    vault_free(vault);
}

static void a_value_opens_only_under_its_name(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str a = sealed_by(bench, vault, "a", "value of a"), b = sealed_by(bench, vault, "b", "value of b");
    assert_int_equal(vault_keep(vault, 1, STR("a"), b, NULL), ST_INVALID);
    assert_int_equal(vault_keep(vault, 1, STR("b"), a, NULL), ST_INVALID);
    assert_int_equal(vault_keep(vault, 1, STR("aa"), a, NULL), ST_INVALID);
    assert_int_equal(vault_keep(vault, 2, STR("a"), a, NULL), ST_INVALID); /* Another namespace. */
    assert_int_equal(vault_keep(vault, 1, STR("a"), a, NULL), ST_OK);
    vault_free(vault);
}

static void another_key_is_told_from_damage(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str sealed = sealed_by(bench, vault, "n", "planted-value");
    vault_free(vault);
    unlink(bench->key);

    struct error err;
    vault = open_vault(bench->key);
    assert_int_equal(vault_keep(vault, 1, STR("n"), sealed, &err), ST_CONFLICT);
    assert_non_null(strstr(err.message, "is not there"));
    assert_non_null(strstr(err.message, bench->key));
    sealed_by(bench, vault, "other", "value"); /* Makes another key. */
    assert_int_equal(vault_keep(vault, 1, STR("n"), sealed, &err), ST_CONFLICT);
    assert_non_null(strstr(err.message, "another key"));
    assert_null(strstr(err.message, "planted-value"));
    vault_free(vault);
}

static int count_files(struct bench *bench)
{
    DIR *directory = opendir(bench->directory);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void the_key_file_is_made_with_the_first_secret(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    assert_false(file_is_there(bench->key));
    str sealed = sealed_by(bench, vault, "n", "value");
    struct stat about;
    assert_int_equal(stat(bench->key, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_int_equal(about.st_size, 32);
    assert_int_equal(count_files(bench), 1);
    vault_free(vault);
    vault = open_vault(bench->key);
    assert_int_equal(vault_keep(vault, 1, STR("n"), sealed, NULL), ST_OK);
    assert_secret(bench, vault, "n", "value");
    vault_free(vault);
}

static void a_key_that_somebody_else_made_is_used(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    str sealed = sealed_by(bench, one, "n", "value");
    sealed_by(bench, two, "m", "value");
    assert_int_equal(vault_keep(two, 1, STR("n"), sealed, NULL), ST_OK);
    vault_free(one);
    vault_free(two);
}

/* One of several processes that seal their first secrets at the same time. */
struct beginner {
    struct vault *vault;
    struct arena arena;
    pthread_barrier_t *barrier;
    enum status status;
    str sealed;
};

static void *seal_first(void *context)
{
    struct beginner *beginner = context;
    struct error err;
    pthread_barrier_wait(beginner->barrier);
    beginner->status =
        vault_seal(beginner->vault, 1, STR("n"), STR("value"), &beginner->arena, &beginner->sealed, &err);
    return NULL;
}

static void first_secrets_that_are_sealed_at_once_have_one_key(void **state)
{
    enum { ROUNDS = 50, BEGINNERS = 4 };
    struct bench *bench = *state;
    for (int round = 0; round < ROUNDS; round++) {
        struct beginner beginner[BEGINNERS];
        pthread_t thread[BEGINNERS];
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, BEGINNERS);
        for (size_t i = 0; i < BEGINNERS; i++) {
            beginner[i] = (struct beginner){ .vault = open_vault(bench->key), .barrier = &barrier };
            arena_init(&beginner[i].arena, 0);
            pthread_create(&thread[i], NULL, seal_first, &beginner[i]);
        }
        for (size_t i = 0; i < BEGINNERS; i++) pthread_join(thread[i], NULL);
        struct vault *reader = open_vault(bench->key);
        for (size_t i = 0; i < BEGINNERS; i++) {
            assert_int_equal(beginner[i].status, ST_OK);
            assert_int_equal(vault_keep(reader, 1, STR("n"), beginner[i].sealed, NULL), ST_OK);
            arena_done(&beginner[i].arena);
            vault_free(beginner[i].vault);
        }
        vault_free(reader);
        pthread_barrier_destroy(&barrier);
        assert_int_equal(unlink(bench->key), 0);
    }
}

static void a_bad_key_file_is_refused_with_a_reason(void **state)
{
    struct bench *bench = *state;
    static const char bytes[64];
    const struct {
        size_t bytes;
        mode_t mode;
        enum status want;
        const char *words;
    } cases[] = {
        { 32, 0600, ST_OK, "" },
        { 32, 0400, ST_OK, "" },
        { 32, 0640, ST_FORBIDDEN, "chmod 600" },
        { 32, 0604, ST_FORBIDDEN, "chmod 600" },
        { 32, 0620, ST_FORBIDDEN, "mode 620" },
        { 0, 0600, ST_INVALID, "has 0 bytes" },
        { 31, 0600, ST_INVALID, "has 31 bytes" },
        { 33, 0600, ST_INVALID, "has 33 bytes" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { .message = "" };
        unlink(bench->key);
        write_file(bench->key, (str){ bytes, cases[i].bytes }, cases[i].mode);
        struct vault *vault = vault_new(bench->key);
        assert_int_equal(vault_read_key(vault, &err), cases[i].want);
        if (!strstr(err.message, cases[i].words)) fail_msg("%s", err.message);
        vault_free(vault);
    }
    struct error err;
    unlink(bench->key);
    assert_int_equal(mkdir(bench->key, 0700), 0);
    struct vault *vault = vault_new(bench->key);
    assert_int_equal(vault_read_key(vault, &err), ST_INVALID);
    vault_free(vault);
    rmdir(bench->key);
}

/* systemd gives credentials so: root's, and open to a group that nobody is in. */
static void a_key_of_roots_may_be_open_to_a_group(void **state)
{
    struct bench *bench = *state;
    struct error err;
    if (geteuid() != 0) {
        print_message("skipped: only root can give a file to somebody else\n");
        skip();
    }
    vault_free(open_vault(bench->key));
    write_file(bench->key, STR("0123456789abcdef0123456789abcdef"), 0440);
    assert_int_equal(chown(bench->key, 0, 65534), 0);
    assert_int_equal(chmod(bench->directory, 0755), 0);
    for (int mode = 0; mode < 2; mode++) {
        struct vault *vault = vault_new(bench->key);
        assert_int_equal(chmod(bench->key, mode ? 0444 : 0440), 0);
        assert_int_equal(setegid(65534), 0);
        assert_int_equal(seteuid(65534), 0);
        enum status status = vault_read_key(vault, &err);
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(setegid(0), 0);
        assert_int_equal(status, mode ? ST_FORBIDDEN : ST_OK);
        vault_free(vault);
    }
    struct vault *vault = vault_new(bench->key); /* Root can mend it. */
    assert_int_equal(chmod(bench->key, 0440), 0);
    assert_int_equal(vault_read_key(vault, &err), ST_FORBIDDEN);
    vault_free(vault);
}

static void a_key_that_cannot_be_made_is_an_error(void **state)
{
    struct bench *bench = *state;
    struct error err;
    str sealed;
    struct vault *vault = vault_new(path_in(bench, "nowhere/store.key"));
    assert_int_equal(vault_read_key(vault, &err), ST_OK);
    assert_int_equal(vault_seal(vault, 1, STR("n"), STR("value"), &bench->arena, &sealed, &err), ST_STORE);
    assert_non_null(strstr(err.message, "nowhere/store.key"));
    vault_free(vault);
}

static void names_and_values_have_limits(void **state)
{
    struct bench *bench = *state;
    struct error err;
    static char long_text[SECRET_VALUE_BYTES_MAX + 1];
    memset(long_text, 'a', sizeof long_text);
    assert_int_equal(vault_check_name((str){ long_text, SECRET_NAME_BYTES_MAX }, &err), ST_OK);
    assert_int_equal(vault_check_name((str){ long_text, SECRET_NAME_BYTES_MAX + 1 }, &err), ST_INVALID);
    assert_int_equal(vault_check_value((str){ long_text, SECRET_VALUE_BYTES_MAX }, &err), ST_OK);
    assert_int_equal(vault_check_value((str){ long_text, SECRET_VALUE_BYTES_MAX + 1 }, &err), ST_LIMIT);
    static const char *const good[] = { "a", "api_key", "API-KEY", "a.b", "0", "_", "-" };
    static const char *const bad[] = { "", ".a", "a b", "a/b", "../x", "ä", "a\n", "a:b" };
    for (size_t i = 0; i < COUNT(good); i++) assert_int_equal(vault_check_name(str_of(good[i]), &err), ST_OK);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(vault_check_name(str_of(bad[i]), &err), ST_INVALID);
    assert_int_equal(vault_check_name((str){ "a\0b", 3 }, &err), ST_INVALID);
    assert_int_equal(vault_check_value(STR(""), &err), ST_INVALID);
    assert_int_equal(vault_check_value(STR("\xff"), &err), ST_INVALID);

    struct vault *vault = vault_new(NULL);
    str sealed;
    assert_int_equal(vault_seal(vault, 1, STR("a b"), STR("v"), &bench->arena, &sealed, &err), ST_INVALID);
    assert_int_equal(vault_seal(vault, 1, STR("a"), STR(""), &bench->arena, &sealed, &err), ST_INVALID);
    vault_free(vault);
}

/* ---- rekeying ---- */

struct rows {
    str a, b;
};

static void reseal_rows(struct bench *bench, struct vault *vault, struct rows *rows)
{
    struct error err;
    assert_int_equal(vault_reseal(vault, 1, STR("a"), rows->a, &bench->arena, &rows->a, &err), ST_OK);
    assert_int_equal(vault_reseal(vault, 1, STR("b"), rows->b, &bench->arena, &rows->b, &err), ST_OK);
}

static void keep_rows(struct vault *vault, const struct rows *rows)
{
    assert_int_equal(vault_keep(vault, 1, STR("a"), rows->a, NULL), ST_OK);
    assert_int_equal(vault_keep(vault, 1, STR("b"), rows->b, NULL), ST_OK);
}

static void assert_rows(struct bench *bench, struct vault *vault)
{
    assert_secret(bench, vault, "a", "value of a");
    assert_secret(bench, vault, "b", "value of b");
}

static void a_rekey_seals_everything_anew(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    struct rows rows = { put(bench, vault, "a", "value of a"), put(bench, vault, "b", "value of b") };
    struct rows old = rows;
    struct error err;
    assert_int_equal(vault_rekey_begin(vault, &err), ST_OK);
    assert_true(file_is_there(path_in(bench, "store.key.next")));
    reseal_rows(bench, vault, &rows);
    assert_rows(bench, vault);
    keep_rows(vault, &rows);
    assert_rows(bench, vault);
    str late = put(bench, vault, "late", "sealed meanwhile");
    assert_int_equal(vault_rekey_commit(vault, &err), ST_OK);
    assert_rows(bench, vault);
    assert_secret(bench, vault, "late", "sealed meanwhile");
    assert_false(file_is_there(path_in(bench, "store.key.next")));
    assert_int_equal(vault_keep(vault, 1, STR("a"), old.a, &err), ST_CONFLICT);
    vault_free(vault);
    vault = open_vault(bench->key);
    keep_rows(vault, &rows);
    assert_int_equal(vault_keep(vault, 1, STR("late"), late, NULL), ST_OK);
    assert_rows(bench, vault);
    vault_free(vault);
}

static void a_rekey_that_is_rolled_back_changes_nothing(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    struct rows rows = { put(bench, vault, "a", "value of a"), put(bench, vault, "b", "value of b") };
    struct rows lost = rows;
    assert_int_equal(vault_rekey_begin(vault, NULL), ST_OK);
    reseal_rows(bench, vault, &lost);
    vault_rekey_rollback(vault);
    assert_rows(bench, vault);
    assert_false(file_is_there(path_in(bench, "store.key.next")));
    keep_rows(vault, &rows);
    assert_rows(bench, vault);
    vault_free(vault);
}

/* The process dies after the next key was written, before or after the rows have committed. */
static void a_start_settles_a_rekey_that_was_cut_short(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    struct rows before = { put(bench, vault, "a", "value of a"), put(bench, vault, "b", "value of b") };
    for (int committed = 0; committed < 2; committed++) {
        struct rows rows = before;
        assert_int_equal(vault_rekey_begin(vault, NULL), ST_OK);
        reseal_rows(bench, vault, &rows);
        vault_free(vault);

        vault = open_vault(bench->key);
        keep_rows(vault, committed ? &rows : &before);
        assert_rows(bench, vault);
        assert_int_equal(vault_settle_key(vault, NULL), ST_OK);
        assert_rows(bench, vault);
        assert_false(file_is_there(path_in(bench, "store.key.next")));
        assert_int_equal(vault_keep(vault, 1, STR("a"), committed ? before.a : rows.a, NULL), ST_CONFLICT);
        vault_free(vault);
        vault = open_vault(bench->key);
        keep_rows(vault, committed ? &rows : &before);
        assert_rows(bench, vault);
    }
    vault_free(vault);
}

/* The rename fails: rows are sealed with the next key, and so must be those that follow. */
static void a_key_that_cannot_be_renamed_stays_beside(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    struct rows rows = { put(bench, vault, "a", "value of a"), put(bench, vault, "b", "value of b") };
    assert_int_equal(vault_rekey_begin(vault, NULL), ST_OK);
    reseal_rows(bench, vault, &rows);
    keep_rows(vault, &rows);
    const char *away = path_in(bench, "away");
    assert_int_equal(rename(path_in(bench, "store.key.next"), away), 0);
    assert_int_equal(vault_rekey_commit(vault, NULL), ST_STORE);
    assert_rows(bench, vault);
    str late = put(bench, vault, "late", "after it");
    assert_int_equal(rename(away, path_in(bench, "store.key.next")), 0);
    vault_free(vault);
    vault = open_vault(bench->key);
    keep_rows(vault, &rows);
    assert_int_equal(vault_keep(vault, 1, STR("late"), late, NULL), ST_OK);
    assert_int_equal(vault_settle_key(vault, NULL), ST_OK);
    assert_rows(bench, vault);
    assert_secret(bench, vault, "late", "after it");
    vault_free(vault);
}

/* ---- several processes with one key file ---- */

static void a_key_that_another_process_makes_is_found(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    struct rows rows = { put(bench, one, "a", "value of a"), put(bench, one, "b", "value of b") };
    keep_rows(two, &rows); /* It has read no key. */
    assert_rows(bench, two);
    assert_int_equal(vault_rekey_begin(one, NULL), ST_OK);
    reseal_rows(bench, one, &rows);
    keep_rows(two, &rows); /* They have committed, and the file has its old name. */
    assert_rows(bench, two);
    keep_rows(one, &rows);
    assert_int_equal(vault_rekey_commit(one, NULL), ST_OK);
    str late = put(bench, two, "late", "after it");
    assert_int_equal(vault_keep(one, 1, STR("late"), late, NULL), ST_OK);
    assert_rows(bench, two);
    assert_int_equal(vault_rekey_begin(two, NULL), ST_OK);
    reseal_rows(bench, two, &rows);
    keep_rows(two, &rows);
    assert_int_equal(vault_rekey_commit(two, NULL), ST_OK);
    keep_rows(one, &rows); /* The whole rekey was elsewhere. */
    assert_rows(bench, one);
    vault_free(one);
    vault_free(two);
}

static void one_rekey_at_a_time(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    struct rows rows = { put(bench, one, "a", "value of a"), put(bench, one, "b", "value of b") };
    struct error err;
    keep_rows(two, &rows);
    assert_int_equal(vault_rekey_begin(one, NULL), ST_OK);
    assert_int_equal(vault_rekey_begin(two, &err), ST_CONFLICT);
    assert_non_null(strstr(err.message, "another process"));
    reseal_rows(bench, one, &rows);
    keep_rows(one, &rows);
    assert_int_equal(vault_rekey_commit(one, NULL), ST_OK);
    keep_rows(two, &rows);
    assert_int_equal(vault_rekey_begin(two, NULL), ST_OK);
    vault_rekey_rollback(two);
    vault_free(one);
    vault_free(two);
}

/* No row tells of the new key. The store names it. */
static void the_named_key_seals(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    struct error err;
    str first, second, same;
    assert_int_equal(vault_choose_key(one, &bench->arena, &first, &err), ST_OK);
    assert_int_equal(vault_use_key(two, first, &err), ST_OK);
    assert_int_equal(vault_rekey_begin(one, &err), ST_OK);
    assert_int_equal(vault_choose_key(one, &bench->arena, &second, &err), ST_OK);
    assert_false(str_equal(first, second));

    /* The next key is in its file. It seals if the store names it, and not before. */
    for (int committed = 0; committed < 2; committed++) {
        assert_int_equal(vault_use_key(two, committed ? second : first, &err), ST_OK);
        struct vault *late = open_vault(bench->key);
        str sealed = sealed_by(bench, two, "n", "value");
        assert_int_equal(vault_keep(late, 1, STR("n"), sealed, &err), ST_OK);
        assert_int_equal(vault_choose_key(late, &bench->arena, &same, &err), ST_OK);
        assert_true(str_equal(same, committed ? second : first));
        vault_free(late);
    }
    assert_int_equal(vault_rekey_commit(one, &err), ST_OK);
    assert_int_equal(vault_use_key(two, second, &err), ST_OK);
    assert_int_equal(vault_use_key(two, STR("8 bytes!"), &err), ST_CONFLICT);
    assert_non_null(strstr(err.message, bench->key));
    assert_int_equal(vault_use_key(two, STR(""), &err), ST_CONFLICT);
    vault_free(one);
    vault_free(two);
}

/* Nobody has named a key, and there is nothing to open: the file counts, not what was read from it once. */
static void an_old_key_does_not_seal_the_first_row(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    struct error err;
    str id, other;
    assert_int_equal(vault_choose_key(two, &bench->arena, &id, &err), ST_OK);
    assert_int_equal(vault_rekey_begin(one, &err), ST_OK);
    assert_int_equal(vault_rekey_commit(one, &err), ST_OK);
    assert_int_equal(vault_choose_key(one, &bench->arena, &id, &err), ST_OK);
    assert_int_equal(vault_choose_key(two, &bench->arena, &other, &err), ST_OK);
    assert_true(str_equal(id, other));
    vault_free(one);
    vault_free(two);
}

/* A process stood still between its commit and the rename, and others have made two keys since. */
static void a_late_rename_does_not_replace_a_newer_key(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    struct error err;
    str first, second, third;
    assert_int_equal(vault_rekey_begin(one, &err), ST_OK);
    assert_int_equal(vault_choose_key(one, &bench->arena, &first, &err), ST_OK);
    assert_int_equal(vault_use_key(two, first, &err), ST_OK);
    assert_int_equal(vault_rekey_begin(two, &err), ST_OK); /* Renames the file for the other process. */
    assert_int_equal(vault_choose_key(two, &bench->arena, &second, &err), ST_OK);
    assert_int_equal(vault_rekey_commit(two, &err), ST_OK);
    assert_int_equal(vault_rekey_begin(two, &err), ST_OK);
    assert_int_equal(vault_rekey_commit(one, &err), ST_STORE);
    assert_true(file_is_there(path_in(bench, "store.key.next")));
    vault_rekey_rollback(two);
    assert_int_equal(vault_choose_key(two, &bench->arena, &third, &err), ST_OK);
    assert_true(str_equal(second, third));
    vault_free(one);
    vault_free(two);
}

/* A process stood still in the middle of its rekey, for so long that another one began anew. */
static void a_rekey_finds_that_another_one_has_begun(void **state)
{
    struct bench *bench = *state;
    struct vault *one = open_vault(bench->key), *two = open_vault(bench->key);
    const char *next = path_in(bench, "store.key.next");
    struct error err;
    assert_int_equal(vault_rekey_begin(one, &err), ST_OK);
    assert_int_equal(vault_rekey_check(one, &err), ST_OK);
    assert_int_equal(vault_rekey_begin(two, &err), ST_CONFLICT);
    assert_int_equal(utimensat(AT_FDCWD, next, (struct timespec[]){ { .tv_sec = 1 }, { .tv_sec = 1 } }, 0),
                     0);
    assert_int_equal(vault_rekey_begin(two, &err), ST_OK);
    assert_int_equal(vault_rekey_check(one, &err), ST_CONFLICT);
    vault_rekey_rollback(one);
    assert_int_equal(vault_rekey_check(two, &err), ST_OK);
    assert_int_equal(vault_rekey_commit(two, &err), ST_OK);
    vault_free(one);
    vault_free(two);
}

static void rows_that_are_not_kept_again_are_forgotten(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    str a = put(bench, vault, "a", "value of a"), found;
    put(bench, vault, "b", "value of b");
    vault_rows_begin(vault);
    assert_rows(bench, vault);
    assert_int_equal(vault_keep(vault, 1, STR("a"), a, NULL), ST_OK);
    vault_rows_end(vault);
    assert_int_equal(vault_kept_count(vault), 1);
    assert_secret(bench, vault, "a", "value of a");
    assert_false(vault_find(vault, TENANT_DEFAULT, STR("b"), &bench->arena, &found));
    vault_free(vault);
}

/* ---- given values ---- */

static void sources_have_an_order(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    struct error err;
    put(bench, vault, "a", "store");
    put(bench, vault, "d", "store");
    assert_int_equal(vault_give(vault, VAULT_ENVIRONMENT, STR("A"), STR("environment"), &err), ST_OK);
    assert_int_equal(vault_give(vault, VAULT_ENVIRONMENT, STR("B_C"), STR("environment"), &err), ST_OK);
    assert_secret(bench, vault, "a", "environment");
    assert_secret(bench, vault, "b-c", "environment");
    assert_secret(bench, vault, "b.c", "environment");
    assert_secret(bench, vault, "B_C", "environment");
    assert_secret(bench, vault, "bxc", NULL);
    assert_int_equal(vault_give(vault, VAULT_CREDENTIAL, STR("a"), STR("credential"), &err), ST_OK);
    assert_secret(bench, vault, "a", "credential");
    assert_int_equal(vault_give(vault, VAULT_FILE, STR("a"), STR("file"), &err), ST_OK);
    assert_int_equal(vault_give(vault, VAULT_FILE, STR("a"), STR("second file"), &err), ST_OK);
    assert_secret(bench, vault, "a", "file");
    assert_secret(bench, vault, "d", "store");

    enum vault_source source;
    assert_true(vault_is_given(vault, STR("a"), &source));
    assert_int_equal(source, VAULT_FILE);
    assert_true(vault_is_given(vault, STR("b-c"), &source));
    assert_string_equal(vault_source_word(source), "environment");
    assert_false(vault_is_given(vault, STR("d"), &source));

    struct vault_given *given;
    static const char *const want[] = { "a", "a", "a", "A", "B_C" };
    assert_int_equal(vault_list_given(vault, &bench->arena, &given), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) assert_true(str_equal(given[i].name, str_of(want[i])));
    vault_free(vault);
}

static void files_give_their_text_without_the_last_line_end(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "value", "value" },
        { "value\n", "value" },
        { "value\r\n", "value" },
        { "value\n\n", "value\n" },
        { " v ", " v " },
        { "\n", NULL },
        { "line 1\nline 2", "line 1\nline 2" },
        { "", NULL },
        { "\xff", NULL },
    };
    const char *path = path_in(bench, "file");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { .message = "" };
        struct vault *vault = vault_new(NULL);
        write_file(path, str_of(cases[i].text), 0600);
        enum status status = vault_give_file(vault, VAULT_FILE, STR("n"), path, &err);
        assert_int_equal(status, cases[i].want ? ST_OK : ST_INVALID);
        if (!cases[i].want) assert_non_null(strstr(err.message, path));
        assert_secret(bench, vault, "n", cases[i].want);
        vault_free(vault);
    }
    struct error err;
    struct vault *vault = vault_new(NULL);
    assert_int_equal(vault_give_file(vault, VAULT_FILE, STR("n"), path_in(bench, "none"), &err),
                     ST_NOT_FOUND);
    static char large[SECRET_VALUE_BYTES_MAX + 10];
    memset(large, 'x', sizeof large);
    write_file(path, (str){ large, SECRET_VALUE_BYTES_MAX + 1 }, 0600);
    assert_int_equal(vault_give_file(vault, VAULT_FILE, STR("n"), path, &err), ST_LIMIT);
    write_file(path, (str){ large, sizeof large }, 0600);
    assert_int_equal(vault_give_file(vault, VAULT_FILE, STR("n"), path, &err), ST_LIMIT);
    write_file(path, (str){ large, SECRET_VALUE_BYTES_MAX }, 0600);
    assert_int_equal(vault_give_file(vault, VAULT_FILE, STR("n"), path, &err), ST_OK);
    vault_free(vault);
}

static void credentials_are_the_files_of_a_directory(void **state)
{
    struct bench *bench = *state;
    struct error err;
    write_file(path_in(bench, "api_key"), STR("one\n"), 0400);
    write_file(path_in(bench, "db"), STR("two"), 0400);
    write_file(path_in(bench, ".hidden"), STR("three"), 0400);
    write_file(path_in(bench, "binary"), STR("\xff\xfe"), 0400); /* Not for us. */
    struct vault *vault = vault_new(NULL);
    write_file(path_in(bench, "token"), STR("the engine's own"), 0400);
    const char *const except[] = { path_in(bench, "none"), path_in(bench, "./token"), NULL };
    assert_int_equal(vault_give_directory(vault, bench->directory, except, &err), ST_OK);
    assert_secret(bench, vault, "token", NULL);
    assert_secret(bench, vault, "api_key", "one");
    assert_secret(bench, vault, "db", "two");
    assert_secret(bench, vault, ".hidden", NULL);
    assert_secret(bench, vault, "binary", NULL);
    assert_int_equal(vault_give_directory(vault, path_in(bench, "none"), except, &err), ST_STORE);
    vault_free(vault);
}

static void the_environment_gives_variables_of_its_prefix(void **state)
{
    struct bench *bench = *state;
    char api[] = "PAWL_SECRET_API_KEY=one=two", other[] = "PAWL_SECRETS_KEY=/path", path[] = "PATH=/bin",
         exact[] = "PAWL_SECRET_db=three", empty[] = "PAWL_SECRET_NONE=", bad[] = "PAWL_SECRET_=x";
    char *good_ones[] = { api, other, path, exact, NULL }, *with_empty[] = { empty, NULL },
         *with_bad[] = { bad, NULL };
    struct error err;
    struct vault *vault = vault_new(NULL);
    assert_int_equal(vault_give_environment(vault, good_ones, &err), ST_OK);
    assert_secret(bench, vault, "api_key", "one=two");
    assert_secret(bench, vault, "db", "three");
    struct vault_given *given;
    assert_int_equal(vault_list_given(vault, &bench->arena, &given), 2);
    assert_int_equal(vault_give_environment(vault, with_empty, &err), ST_INVALID);
    assert_non_null(strstr(err.message, "PAWL_SECRET_NONE:"));
    assert_int_equal(vault_give_environment(vault, with_bad, &err), ST_INVALID);
    vault_free(vault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(a_sealed_value_opens_again),
        bench_test(equal_values_look_different),
        bench_test(each_changed_byte_is_refused),
        bench_test(truncated_and_longer_values_are_refused),
        bench_test(a_value_opens_only_under_its_name),
        bench_test(another_key_is_told_from_damage),
        bench_test(the_key_file_is_made_with_the_first_secret),
        bench_test(a_key_that_somebody_else_made_is_used),
        bench_test(first_secrets_that_are_sealed_at_once_have_one_key),
        bench_test(a_bad_key_file_is_refused_with_a_reason),
        bench_test(a_key_of_roots_may_be_open_to_a_group),
        bench_test(a_key_that_cannot_be_made_is_an_error),
        bench_test(names_and_values_have_limits),
        bench_test(a_rekey_seals_everything_anew),
        bench_test(a_rekey_that_is_rolled_back_changes_nothing),
        bench_test(a_start_settles_a_rekey_that_was_cut_short),
        bench_test(a_key_that_cannot_be_renamed_stays_beside),
        bench_test(a_key_that_another_process_makes_is_found),
        bench_test(one_rekey_at_a_time),
        bench_test(the_named_key_seals),
        bench_test(an_old_key_does_not_seal_the_first_row),
        bench_test(a_late_rename_does_not_replace_a_newer_key),
        bench_test(a_rekey_finds_that_another_one_has_begun),
        bench_test(rows_that_are_not_kept_again_are_forgotten),
        bench_test(sources_have_an_order),
        bench_test(files_give_their_text_without_the_last_line_end),
        bench_test(credentials_are_the_files_of_a_directory),
        bench_test(the_environment_gives_variables_of_its_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
