#include "base/tenant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(int32_t tenant, str name, str want)
{
    struct arena arena;
    arena_init(&arena, 0);
    str key = tenant_key(tenant, name, &arena);
    int32_t back;
    assert_true(str_equal(key, want));
    assert_true(str_equal(tenant_name(key, &back), name));
    assert_int_equal(back, tenant);
    arena_done(&arena);
}

static void names_of_the_default_tenant_are_as_they_are(void **state)
{
    (void)state;
    expect(TENANT_DEFAULT, STR("order"), STR("order"));
    expect(TENANT_DEFAULT, STR_NONE, STR_NONE);
}

static void names_of_other_tenants_have_their_number(void **state)
{
    (void)state;
    expect(7, STR("order"),
           STR("\2"
               "7"
               "\2"
               "order"));
    expect(10000, STR("a\0b"),
           STR("\2"
               "10000"
               "\2"
               "a\0b"));
    expect(INT32_MAX, STR_NONE,
           STR("\2"
               "2147483647"
               "\2"));
}

static void no_text_is_the_qualified_name_of_another_tenant(void **state)
{
    (void)state;
    expect(TENANT_DEFAULT,
           STR("\2"
               "7"
               "\2"
               "order"),
           STR("\2"
               "1"
               "\2"
               "\2"
               "7"
               "\2"
               "order"));
    expect(7,
           STR("\2"
               "8"
               "\2"
               "order"),
           STR("\2"
               "7"
               "\2"
               "\2"
               "8"
               "\2"
               "order"));
}

static void a_broken_key_is_a_name(void **state)
{
    static const str broken[] = { STR_INIT("\2"),
                                  STR_INIT("\2"
                                           "7"),
                                  STR_INIT("\2\2"
                                           "x"),
                                  STR_INIT("\2"
                                           "99999999999"
                                           "\2"
                                           "x") };
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        int32_t tenant;
        assert_true(str_equal(tenant_name(broken[i], &tenant), broken[i]));
        assert_int_equal(tenant, TENANT_DEFAULT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_default_tenant_are_as_they_are),
        cmocka_unit_test(names_of_other_tenants_have_their_number),
        cmocka_unit_test(no_text_is_the_qualified_name_of_another_tenant),
        cmocka_unit_test(a_broken_key_is_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
