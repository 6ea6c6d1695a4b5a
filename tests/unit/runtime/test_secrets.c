/* Secrets as rows: set, listed, removed, sealed with another key, and what a store that fails leaves of it.
 */
#include "driver.h"

#include "store/store_int.h"
#include "vault/vault.h"

#include <sys/stat.h>
#include <unistd.h>

struct bench {
    struct driver *driver;
    struct vault *vault;
    char directory[64];
    char key[96], next[128];
};

/* ---- the bench ---- */

static void open_vault(struct bench *bench)
{
    struct error err;
    bench->vault = vault_new(bench->key);
    assert_int_equal(vault_read_key(bench->vault, &err), ST_OK);
    if (engine_use_vault(&bench->driver->engine, bench->vault, &err) != ST_OK) fail_msg("%s", err.message);
    bench->driver->query.vault = bench->vault;
}

static int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    void *driver;
    driver_setup(&driver);
    bench->driver = driver;
    snprintf(bench->directory, sizeof bench->directory, "/tmp/pawl-secrets-XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->key, sizeof bench->key, "%s/key", bench->directory);
    snprintf(bench->next, sizeof bench->next, "%s.next", bench->key);
    open_vault(bench);
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    void *driver = bench->driver;
    driver_teardown(&driver);
    vault_free(bench->vault);
    unlink(bench->key);
    unlink(bench->next);
    rmdir(bench->directory);
    free(bench);
    return 0;
}

static void restart(struct bench *bench)
{
    driver_restart(bench->driver);
    vault_free(bench->vault);
    open_vault(bench);
}

static struct call *set(struct bench *bench, const char *name, const char *value)
{
    struct call *call = driver_call(bench->driver, CALL_SET_SECRET);
    call->as.secret = (struct call_secret){ str_of(name), str_of(value) };
    return driver_run(bench->driver, call);
}

static struct call *remove_secret(struct bench *bench, const char *name)
{
    struct call *call = driver_call(bench->driver, CALL_REMOVE_SECRET);
    call->as.secret.name = str_of(name);
    return driver_run(bench->driver, call);
}

static struct call *rekey(struct bench *bench)
{
    return driver_run(bench->driver, driver_call(bench->driver, CALL_REKEY_SECRETS));
}

static struct answer_secrets list(struct bench *bench, const char *after, size_t max)
{
    struct call *call = driver_call(bench->driver, CALL_LIST_SECRETS);
    call->as.secrets = (struct call_secrets){ str_of(after), max };
    driver_run(bench->driver, call);
    assert_int_equal(call->status, ST_OK);
    return call->value.secrets;
}

static void assert_secret(struct bench *bench, const char *name, const char *want)
{
    str value = STR_NONE;
    bool found = vault_find(bench->vault, TENANT_DEFAULT, str_of(name), &bench->driver->arena, &value);
    if (found != (want != NULL)) fail_msg("%s: %s", name, found ? "is there" : "is not there");
    if (want && !str_equal(value, str_of(want))) fail_msg("%s is %.*s", name, STR_ARG(value));
}

/* Writes a record behind the engine's back. */
static void put_row(struct bench *bench, const struct record_row *row)
{
    struct changeset changeset = { .record_put = row, .record_put_count = 1 };
    struct error err;
    assert_int_equal(store_begin(bench->driver->store, &err), ST_OK);
    assert_int_equal(store_apply(bench->driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(bench->driver->store, &err), ST_OK);
}

/* ---- rows ---- */

static void a_secret_is_set_changed_and_removed(void **state)
{
    struct bench *bench = *state;
    struct call *call = set(bench, "api_key", "first");
    assert_int_equal(call->status, ST_OK);
    assert_true(call->value.secrets.is_new);
    int64_t created_ms = call->value.secrets.view->created_ms;
    assert_secret(bench, "api_key", "first");
    bench->driver->now_ms += 5000;
    call = set(bench, "api_key", "second");
    assert_int_equal(call->status, ST_OK);
    assert_false(call->value.secrets.is_new);
    assert_int_equal(call->value.secrets.view->created_ms, created_ms);
    assert_int_equal(call->value.secrets.view->updated_ms, created_ms + 5000);
    assert_secret(bench, "api_key", "second");
    assert_int_equal(bench->driver->metrics.secrets, 1);
    restart(bench);
    assert_secret(bench, "api_key", "second");
    assert_int_equal(bench->driver->metrics.secrets, 1);

    assert_int_equal(remove_secret(bench, "api_key")->status, ST_OK);
    assert_secret(bench, "api_key", NULL);
    assert_int_equal(bench->driver->metrics.secrets, 0);
    assert_int_equal(remove_secret(bench, "api_key")->status, ST_NOT_FOUND);
    restart(bench);
    assert_secret(bench, "api_key", NULL);
}

static void no_row_shows_a_value(void **state)
{
    struct bench *bench = *state;
    set(bench, "api_key", "planted-value");
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET, .max = 10 };
    struct record_row *row;
    size_t count;
    struct error err;
    assert_int_equal(store_records(bench->driver->store, &filter, &bench->driver->arena, &row, &count, &err),
                     ST_OK);
    assert_int_equal(count, 1);
    assert_int_equal(str_find(row->value, STR("planted"), 0), SIZE_MAX);
    assert_int_equal(str_find(row->value, STR("value"), 0), SIZE_MAX);
}

static void bad_names_and_values_are_refused(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(set(bench, "", "value")->status, ST_INVALID);
    assert_int_equal(set(bench, "a b", "value")->status, ST_INVALID);
    assert_int_equal(set(bench, "a", "")->status, ST_INVALID);
    assert_int_equal(list(bench, "", 10).count, 0);
}

static void there_is_a_most_of_secrets(void **state)
{
    struct bench *bench = *state;
    bench->driver->engine.limits.secrets_max = 2;
    assert_int_equal(set(bench, "a", "value")->status, ST_OK);
    assert_int_equal(set(bench, "b", "value")->status, ST_OK);
    struct call *call = set(bench, "c", "value");
    assert_int_equal(call->status, ST_LIMIT);
    assert_non_null(strstr(call->error.message, "secrets_max"));
    assert_int_equal(set(bench, "b", "other")->status, ST_OK);

    /* Several in one transaction count, too. */
    remove_secret(bench, "a");
    struct call_list calls = { 0 };
    struct call *both[2];
    for (size_t i = 0; i < 2; i++) {
        both[i] = driver_call(bench->driver, CALL_SET_SECRET);
        both[i]->as.secret = (struct call_secret){ i ? STR("y") : STR("x"), STR("value") };
        call_list_add(&calls, both[i]);
    }
    engine_turn(&bench->driver->engine, &calls);
    driver_turn(bench->driver);
    for (size_t i = 0; i < 2; i++) assert_true(driver_answered(bench->driver, both[i]));
    assert_int_equal(both[0]->status, ST_OK);
    assert_int_equal(both[1]->status, ST_LIMIT);
}

static void lists_have_pages_and_no_values(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = { "a", "b", "c", "d" };
    for (size_t i = COUNT(names); i--;) set(bench, names[i], "value");
    struct answer_secrets page = list(bench, "", 3);
    assert_int_equal(page.count, 3);
    assert_true(page.more);
    for (size_t i = 0; i < 3; i++) assert_true(str_equal(page.view[i].name, str_of(names[i])));
    page = list(bench, "c", 3);
    assert_int_equal(page.count, 1);
    assert_false(page.more);
    assert_true(str_equal(page.view->name, STR("d")));
    assert_int_equal(page.view->source, VAULT_STORE);
}

static void given_secrets_come_first_and_cannot_be_set(void **state)
{
    struct bench *bench = *state;
    set(bench, "shared", "from the store");
    set(bench, "own", "from the store");
    assert_int_equal(vault_give(bench->vault, VAULT_FILE, STR("shared"), STR("from a file"), NULL), ST_OK);
    assert_int_equal(vault_give(bench->vault, VAULT_FILE, STR("other"), STR("from a file"), NULL), ST_OK);
    assert_secret(bench, "shared", "from a file");
    struct call *call = set(bench, "shared", "again");
    assert_int_equal(call->status, ST_CONFLICT);
    assert_non_null(strstr(call->error.message, "comes from a file"));
    assert_int_equal(remove_secret(bench, "other")->status, ST_CONFLICT);

    struct answer_secrets page = list(bench, "", 10);
    assert_int_equal(page.count, 4);
    assert_true(str_equal(page.view[0].name, STR("other")));
    assert_int_equal(page.view[0].source, VAULT_FILE);
    assert_true(str_equal(page.view[2].name, STR("own")) && !page.view[2].overridden);
    assert_true(str_equal(page.view[3].name, STR("shared")) && page.view[3].overridden);
    assert_int_equal(list(bench, "own", 10).count, 1);
    assert_int_equal(remove_secret(bench, "shared")->status, ST_OK); /* The row that nobody reads. */
}

static void without_a_vault_there_are_no_secrets(void **state)
{
    struct bench *bench = *state;
    bench->driver->engine.secrets.vault = NULL;
    assert_int_equal(set(bench, "a", "value")->status, ST_CONFLICT);
    assert_int_equal(remove_secret(bench, "a")->status, ST_CONFLICT);
    assert_int_equal(rekey(bench)->status, ST_CONFLICT);
}

/* ---- keys ---- */

static void a_wrong_key_file_refuses_the_start_and_loses_nothing(void **state)
{
    struct bench *bench = *state;
    struct error err;
    char away[128];
    snprintf(away, sizeof away, "%s.away", bench->key);
    set(bench, "a", "value of a");
    set(bench, "b", "value of b");
    assert_int_equal(rename(bench->key, away), 0);
    for (int made = 0; made < 2; made++) { /* No key file, then another one. */
        struct vault *vault = vault_new(bench->key);
        str sealed;
        if (made) vault_seal(vault, 1, STR("x"), STR("y"), &bench->driver->arena, &sealed, &err);
        assert_int_equal(vault_read_key(vault, &err), ST_OK);
        assert_int_equal(engine_use_vault(&bench->driver->engine, vault, &err), ST_CONFLICT);
        assert_non_null(strstr(err.message, bench->key));
        vault_free(vault);
    }
    assert_int_equal(rename(away, bench->key), 0);
    restart(bench);
    assert_secret(bench, "a", "value of a");
    assert_secret(bench, "b", "value of b");
}

static void one_damaged_row_does_not_hold_up_the_others(void **state)
{
    struct bench *bench = *state;
    struct error err;
    set(bench, "bad", "value");
    set(bench, "good", "value");
    struct record_row row;
    assert_int_equal(found_needed(store_find_record(bench->driver->store, NAMESPACE_DEFAULT, RECORD_SECRET,
                                                    STR("bad"), &bench->driver->arena, &row, &err)),
                     ST_OK);
    char *changed = memcpy(arena_alloc(&bench->driver->arena, row.value.n), row.value.p, row.value.n);
    changed[row.value.n - 1] ^= 1;
    row.value.p = changed;
    put_row(bench, &row);
    restart(bench);
    assert_secret(bench, "bad", NULL);
    assert_secret(bench, "good", "value");
    struct call *call = rekey(bench);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.secrets.resealed, 1);
    assert_secret(bench, "good", "value");
    assert_int_equal(set(bench, "bad", "anew")->status, ST_OK);
    assert_secret(bench, "bad", "anew");
}

static void a_rekey_seals_every_row_with_a_new_key(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 250; i++) { /* More than are read at once. */
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        set(bench, arena_str(&bench->driver->arena, str_of(name)).p, "value");
    }
    struct call *call = rekey(bench);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.secrets.resealed, 250);
    assert_secret(bench, "s0", "value");
    assert_int_equal(access(bench->next, F_OK), -1);
    restart(bench);
    assert_int_equal(vault_kept_count(bench->vault), 250);
    assert_secret(bench, "s249", "value");
}

/* The crash comes after the commit of a rekey without secrets, and before the file is renamed. */
static void the_store_tells_which_key_seals(void **state)
{
    struct bench *bench = *state;
    char old[128];
    snprintf(old, sizeof old, "%s.old", bench->key);
    set(bench, "a", "value of a");
    assert_int_equal(remove_secret(bench, "a")->status, ST_OK);
    assert_int_equal(link(bench->key, old), 0);
    assert_int_equal(rekey(bench)->status, ST_OK);
    assert_int_equal(rename(bench->key, bench->next), 0);
    assert_int_equal(rename(old, bench->key), 0);
    restart(bench);
    assert_int_equal(access(bench->next, F_OK), -1);
    assert_int_equal(set(bench, "b", "value of b")->status, ST_OK);
    restart(bench);
    assert_secret(bench, "b", "value of b");

    /* An engine of an older version makes a new key and names none. */
    struct record_row row = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET_KEY, .key = STR("key"), .value = STR("another!")
    };
    put_row(bench, &row);
    assert_int_equal(set(bench, "c", "value of c")->status, ST_OK);
    assert_int_equal(rekey(bench)->value.secrets.resealed, 2);

    /* A file that is gone is missed if there are secrets, and only then. */
    assert_int_equal(rename(bench->key, old), 0);
    assert_int_equal(set(bench, "c", "value of c")->status, ST_OK); /* It is still in memory. */
    assert_int_equal(rename(old, bench->key), 0);
    assert_int_equal(remove_secret(bench, "b")->status, ST_OK);
    assert_int_equal(remove_secret(bench, "c")->status, ST_OK);
    assert_int_equal(unlink(bench->key), 0);
    restart(bench);
    assert_int_equal(set(bench, "d", "value of d")->status, ST_OK);
    restart(bench);
    assert_secret(bench, "d", "value of d");
}

/* A set, a rekey, another set and another rekey in one transaction. */
static void secrets_set_around_a_rekey_are_all_of_the_new_key(void **state)
{
    struct bench *bench = *state;
    set(bench, "old", "value of old");
    struct call_list calls = { 0 };
    struct call *call[4];
    for (size_t i = 0; i < 4; i++) {
        call[i] = driver_call(bench->driver, i % 2 ? CALL_REKEY_SECRETS : CALL_SET_SECRET);
        if (i % 2 == 0)
            call[i]->as.secret = (struct call_secret){ i ? STR("after") : STR("before"), STR("value") };
        call_list_add(&calls, call[i]);
    }
    engine_turn(&bench->driver->engine, &calls);
    driver_turn(bench->driver);
    for (size_t i = 0; i < 4; i++) {
        assert_true(driver_answered(bench->driver, call[i]));
        assert_int_equal(call[i]->status, ST_OK);
    }
    for (int again = 0; again < 2; again++) {
        assert_secret(bench, "old", "value of old");
        assert_secret(bench, "before", "value");
        assert_secret(bench, "after", "value");
        restart(bench);
    }
}

/* ---- a store that fails ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t count, fail_at;
} faults;

static enum status faulty_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    if (++faults.count == faults.fail_at) return (fail)(err, ST_FULL, "store", "a fault");
    return faults.real->apply(store, changeset, err);
}

static enum status faulty_commit(struct store *store, struct error *err)
{
    if (++faults.count == faults.fail_at) return (fail)(err, ST_FULL, "store", "a fault");
    return faults.real->commit(store, err);
}

/* Whichever operation fails once: the engine tries again, and every secret opens afterwards. */
static void a_failed_transaction_leaves_the_vault_as_it_was(void **state)
{
    struct bench *bench = *state;
    set(bench, "a", "value of a");
    faults.real = bench->driver->store->ops;
    faults.ops = *faults.real;
    faults.ops.apply = faulty_apply;
    faults.ops.commit = faulty_commit;
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        for (int kind = 0; kind < 2; kind++) {
            bench->driver->store->ops = &faults.ops;
            faults.count = 0;
            faults.fail_at = fail_at;
            struct call *call = kind ? rekey(bench) : set(bench, "b", "value of b");
            bench->driver->store->ops = faults.real;
            assert_int_equal(call->status, ST_OK);
            assert_secret(bench, "a", "value of a");
            assert_secret(bench, "b", "value of b");
            assert_int_equal(access(bench->next, F_OK), -1);
            restart(bench);
            assert_secret(bench, "a", "value of a");
            assert_secret(bench, "b", "value of b");
        }
    }
}

int main(void)
{
#define bench_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        bench_test(a_secret_is_set_changed_and_removed),
        bench_test(no_row_shows_a_value),
        bench_test(bad_names_and_values_are_refused),
        bench_test(there_is_a_most_of_secrets),
        bench_test(lists_have_pages_and_no_values),
        bench_test(given_secrets_come_first_and_cannot_be_set),
        bench_test(without_a_vault_there_are_no_secrets),
        bench_test(a_wrong_key_file_refuses_the_start_and_loses_nothing),
        bench_test(one_damaged_row_does_not_hold_up_the_others),
        bench_test(a_rekey_seals_every_row_with_a_new_key),
        bench_test(the_store_tells_which_key_seals),
        bench_test(secrets_set_around_a_rekey_are_all_of_the_new_key),
        bench_test(a_failed_transaction_leaves_the_vault_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
