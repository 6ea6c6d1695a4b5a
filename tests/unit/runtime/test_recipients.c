/* The addresses of people whom a task asks, in one tenant and within bounds. */
#include "access_driver.h"

#include "runtime/limits.h"

static struct driver *driver;
static struct directory *directory;

static int setup(void **state)
{
    driver_setup(state);
    driver = *state;
    directory = access_directory(NULL);
    access_use(driver, directory);
    return 0;
}

static int teardown(void **state)
{
    driver_teardown(state);
    directory_free(directory);
    return 0;
}

static const struct answer_recipients *find(const char *people, const char *groups, int32_t tenant)
{
    struct call *call = driver_call(driver, CALL_FIND_RECIPIENTS);
    call->ns = tenant;
    call->as.recipients = (struct call_recipients){ .people = people ? driver_json(driver, people) : NULL,
                                                    .groups = groups ? driver_json(driver, groups) : NULL };
    access_done(driver_run(driver, call));
    return &call->value.recipients;
}

static void make_user(const char *name, const char *more)
{
    access_make(driver, ACCESS_USER, name,
                arena_printf(&driver->arena, "{\"roles\":[\"person\"]%s}", more).p);
}

static void users_names_and_addresses_are_told_apart(void **state)
{
    (void)state;
    make_user("ada", ",\"email\":\"ada@a.example\"");
    make_user("bob", "");
    make_user("cleo", ",\"email\":\"cleo@a.example\",\"state\":\"disabled\"");
    make_user("dora@d.example", "");
    const struct answer_recipients *who =
        find("[\"ada\",\"ada\",\"bob\",\"cleo\",\"dora@d.example\",\"nobody\",\"eve@e.example\",\"@\"]", NULL,
             TENANT_DEFAULT);
    assert_int_equal(who->count, 2);
    assert_true(str_equal(who->address[0], STR("ada@a.example")) && str_equal(who->name[0], STR("ada")));
    assert_true(str_equal(who->address[1], STR("eve@e.example")));
    assert_int_equal(who->without_count, 5); /* bob, cleo, dora, nobody, @ */
    assert_false(who->cut);
}

static void one_e_mail_goes_to_so_many(void **state)
{
    (void)state;
    for (int more = 0; more <= 1; more++) {
        struct buf names;
        buf_init(&names, &driver->arena);
        for (int i = 0; i < RECIPIENTS_MAX + more; i++)
            buf_printf(&names, "%s\"p%d@a.example\"", i ? "," : "[", i);
        buf_add_str(&names, STR("]"));
        buf_add_char(&names, '\0');
        const struct answer_recipients *who = find(names.p, NULL, TENANT_DEFAULT);
        assert_int_equal(who->count, RECIPIENTS_MAX);
        assert_int_equal(who->cut, more);
    }
}

static void add_users(int first, int count)
{
    struct access_change *change = arena_make_n(&driver->arena, struct access_change, (size_t)count);
    for (int i = 0; i < count; i++)
        change[i] = (struct access_change){ .kind = ACCESS_USER,
                                            .action = ACCESS_CREATE,
                                            .name = arena_printf(&driver->arena, "u%06d", first + i),
                                            .object = driver_json(driver, "{\"roles\":[\"viewer\"]}") };
    access_done(access_change(driver, NULL, change, (size_t)count));
}

/* The last user in the order of names is the member. */
static void members_are_looked_for_among_so_many_users(void **state)
{
    enum { AT_ONCE = 500 };
    (void)state;
    for (int i = 0; i < RECIPIENT_USERS_MAX - AT_ONCE; i += AT_ONCE) add_users(i, AT_ONCE);
    add_users(RECIPIENT_USERS_MAX - AT_ONCE, AT_ONCE - 1);
    make_user("z", ",\"email\":\"z@a.example\",\"groups\":[\"hr\"]");
    const struct answer_recipients *who = find(NULL, "[\"hr\",\"it\"]", TENANT_DEFAULT);
    assert_int_equal(who->count, 1);
    assert_int_equal(who->without_count, 1);
    assert_true(str_equal(who->without[0], STR("it")));
    add_users(RECIPIENT_USERS_MAX, 1);
    who = find(NULL, "\"hr\"", TENANT_DEFAULT);
    assert_int_equal(who->count, 0);
    assert_true(who->cut);
}

static void a_user_without_a_role_in_the_tenant_is_not_found(void **state)
{
    (void)state;
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    make_user("ada", ",\"email\":\"ada@a.example\",\"groups\":[\"hr\"]");
    make_user("bob", ",\"email\":\"bob@a.example\",\"groups\":[\"hr\"]");
    access_make(driver, ACCESS_GRANT, "", "{\"to\":\"user:bob\",\"role\":\"person\",\"tenant\":\"acme\"}");
    const struct answer_recipients *who = find("\"ada\"", "\"hr\"", TENANT_DEFAULT + 1);
    assert_int_equal(who->count, 1);
    assert_true(str_equal(who->name[0], STR("bob")));
    assert_int_equal(who->without_count, 1);
    who = find(NULL, "\"hr\"", TENANT_DEFAULT);
    assert_int_equal(who->count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(users_names_and_addresses_are_told_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(one_e_mail_goes_to_so_many, setup, teardown),
        cmocka_unit_test_setup_teardown(members_are_looked_for_among_so_many_users, setup, teardown),
        cmocka_unit_test_setup_teardown(a_user_without_a_role_in_the_tenant_is_not_found, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
