/* Access and time: secrets that have ended stay ended, and records that were read late undo nothing. */
#include "access_driver.h"

#include "store/store_int.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

struct bench {
    struct driver *driver;
    struct directory *directory;
};

static int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    void *driver;
    driver_setup(&driver);
    bench->driver = driver;
    bench->directory = access_directory(NULL);
    access_use(bench->driver, bench->directory);
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    void *driver = bench->driver;
    driver_teardown(&driver);
    directory_free(bench->directory);
    free(bench);
    return 0;
}

/* ---- secrets ---- */

static void give_secret(struct driver *driver, enum access_action action, const char *secret)
{
    const struct access_change change = { .kind = ACCESS_KEY,
                                          .action = action,
                                          .name = STR("K1"),
                                          .object = driver_json(driver, "{\"name\":\"portal\"}"),
                                          .hash = access_hash(secret) };
    access_done(access_change(driver, NULL, &change, 1));
}

static bool counts(struct driver *driver, const char *secret)
{
    struct principal *principal = access_resolve_key(driver, "K1", secret)->value.resolve.principal;
    principal_unref(principal);
    return principal != NULL;
}

static void make_key(struct driver *driver)
{
    access_make_key(driver, "K1", "first", "{\"name\":\"portal\",\"roles\":[\"worker\"]}");
}

static void a_reset_secret_has_ended_for_clocks_that_are_behind(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_key(driver);
    give_secret(driver, ACCESS_RESET, "second");
    driver->now_ms -= DAY_MS;
    assert_false(counts(driver, "first"));
    assert_true(counts(driver, "second"));
}

static void a_reset_ends_the_secret_before_a_rotation(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_key(driver);
    give_secret(driver, ACCESS_ROTATE, "second");
    give_secret(driver, ACCESS_RESET, "third");
    assert_false(counts(driver, "first"));
    assert_false(counts(driver, "second"));
    assert_true(counts(driver, "third"));
}

static void the_principal_of_an_old_secret_ends_with_it(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    make_key(driver);
    give_secret(driver, ACCESS_ROTATE, "second");
    int64_t until_ms = driver->now_ms + DAY_MS;
    driver->now_ms = until_ms - 1;
    struct call *call = access_resolve_key(driver, "K1", "first");
    struct principal *principal = call->value.resolve.principal;
    assert_non_null(principal);
    struct credential_hash hash = access_hash("first");
    directory_keep(bench->directory, &hash, call->value.resolve.mark, principal, NULL, driver->now_ms);
    assert_true(directory_still_holds(bench->directory, principal, until_ms - 1));
    assert_false(directory_still_holds(bench->directory, principal, until_ms));
    struct principal *found;
    const char *why;
    assert_int_equal(directory_find(bench->directory, &hash, until_ms, &found, &why), DIRECTORY_ASK);
    principal_unref(principal);
}

static void the_principal_of_the_new_secret_ends_with_its_key(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_key(driver);
    give_secret(driver, ACCESS_ROTATE, "second");
    struct principal *principal = access_resolve_key(driver, "K1", "second")->value.resolve.principal;
    assert_true(principal->expires_ms > driver->now_ms + 300 * DAY_MS);
    principal_unref(principal);
}

static void the_same_rotation_twice_keeps_the_old_secret(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_key(driver);
    give_secret(driver, ACCESS_ROTATE, "second");
    give_secret(driver, ACCESS_ROTATE, "second");
    assert_true(counts(driver, "first"));
    assert_true(counts(driver, "second"));
}

static void a_secret_from_a_file_ends_all_before_it(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_key(driver);
    give_secret(driver, ACCESS_ROTATE, "second");
    give_secret(driver, ACCESS_PUT, "second"); /* It has this one already. */
    assert_true(counts(driver, "first"));
    give_secret(driver, ACCESS_PUT, "third");
    assert_false(counts(driver, "first"));
    assert_false(counts(driver, "second"));
    assert_true(counts(driver, "third"));
}

/* ---- a suspension while the record of the tenant is read ---- */

static struct {
    struct driver *driver;
    const struct reader_ops *real;
    bool is_armed;
} slow;

/* The engine suspends the tenant when its record was read and before the reader goes on. */
static enum status find_slowly(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    TRY(slow.real->find_record(reader, ns, kind, key, arena, ret_row, err));
    if (kind != RECORD_TENANT || !slow.is_armed) return ST_OK;
    slow.is_armed = false;
    access_done(access_do(slow.driver, ACCESS_TENANT, ACCESS_CHANGE, "acme", "{\"state\":\"suspended\"}"));
    return ST_OK;
}

static void read_slowly(struct bench *bench, struct reader_ops *ops)
{
    struct store_reader *reader = bench->driver->query.reader;
    slow.driver = bench->driver;
    slow.real = reader->ops;
    slow.is_armed = true;
    *ops = *reader->ops;
    ops->find_record = find_slowly;
    reader->ops = ops;
}

/* A process that has just started: it knows no tenant. */
static void forget_tenants(struct bench *bench)
{
    access_make(bench->driver, ACCESS_TENANT, "acme", "{}");
    access_make_key(bench->driver, "K1", "first",
                    "{\"name\":\"portal\",\"tenant\":\"acme\",\"roles\":[\"worker\"]}");
    directory_forget_tenant(bench->directory, STR("acme"));
}

static void a_suspension_outlives_a_key_that_is_resolved_meanwhile(void **state)
{
    struct bench *bench = *state;
    struct reader_ops ops;
    struct tenant tenant;
    forget_tenants(bench);
    read_slowly(bench, &ops);
    assert_true(counts(bench->driver, "first"));
    bench->driver->query.reader->ops = slow.real;
    assert_true(directory_tenant(bench->directory, STR("acme"), &tenant) && tenant.is_suspended);
}

static void a_suspension_outlives_a_tenant_that_is_listed_meanwhile(void **state)
{
    struct bench *bench = *state;
    struct reader_ops ops;
    struct tenant tenant;
    forget_tenants(bench);
    read_slowly(bench, &ops);
    struct call *call = access_list(bench->driver, NULL,
                                    &(struct call_access_list){ .kind = ACCESS_TENANT, .name = STR("acme") });
    bench->driver->query.reader->ops = slow.real;
    assert_true(directory_tenant(bench->directory, STR("acme"), &tenant) && tenant.is_suspended);
    str shown = json_text(call->value.access_list.view[0], STR("state"));
    assert_true(str_equal(shown, STR("suspended")));
}

#define LATE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LATE_TEST(a_reset_secret_has_ended_for_clocks_that_are_behind),
        LATE_TEST(a_reset_ends_the_secret_before_a_rotation),
        LATE_TEST(the_principal_of_an_old_secret_ends_with_it),
        LATE_TEST(the_principal_of_the_new_secret_ends_with_its_key),
        LATE_TEST(the_same_rotation_twice_keeps_the_old_secret),
        LATE_TEST(a_secret_from_a_file_ends_all_before_it),
        LATE_TEST(a_suspension_outlives_a_key_that_is_resolved_meanwhile),
        LATE_TEST(a_suspension_outlives_a_tenant_that_is_listed_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
