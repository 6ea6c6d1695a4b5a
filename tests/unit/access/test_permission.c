#include "access/permit/permission.h"

#include "access_test.h"

static bool role_has(enum role role, enum permission permission)
{
    return (role_permissions(role) & 1u << permission) != 0;
}

static void words_lead_back_to_what_they_stand_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        enum role role;
        assert_true(role_find(str_of(role_word((enum role)i)), &role));
        assert_int_equal(role, i);
    }
    for (size_t i = 0; i < PERMISSION_COUNT; i++) {
        enum permission permission;
        assert_true(permission_find(str_of(permission_word((enum permission)i)), &permission));
        assert_int_equal(permission, i);
    }
    enum role role;
    enum permission permission;
    assert_false(role_find(STR("root"), &role) || role_find(STR("Admin"), &role) ||
                 role_find(STR(""), &role));
    assert_false(permission_find(STR("jobs:"), &permission) || permission_find(STR(""), &permission));
}

static void roles_and_permissions_tell_the_same(void **state)
{
    (void)state;
    for (size_t role = 0; role < ROLE_COUNT; role++)
        for (size_t i = 0; i < PERMISSION_COUNT; i++) {
            bool has = role_has((enum role)role, (enum permission)i);
            bool listed = (permission_roles((enum permission)i) & 1u << role) != 0;
            if (i != MAY_GLOBAL_ADMIN) assert_int_equal(has, listed);
        }
}

static void nobody_has_a_permission_that_was_forgotten(void **state)
{
    (void)state;
    assert_int_equal(permission_roles(MAY_NONE), 0);
    for (size_t role = 0; role < ROLE_COUNT; role++) assert_false(role_has((enum role)role, MAY_NONE));
}

static void only_admins_of_all_tenants_have_what_is_global(void **state)
{
    (void)state;
    for (size_t role = 0; role < ROLE_COUNT; role++)
        assert_false(role_has((enum role)role, MAY_GLOBAL_ADMIN));
    assert_int_equal(permission_roles(MAY_GLOBAL_ADMIN), 1u << ROLE_ADMIN);
}

static void roles_have_what_the_design_says(void **state)
{
    static const struct {
        enum role role;
        enum permission permission;
        bool want;
    } cases[] = {
        { ROLE_VIEWER, MAY_INSTANCES_READ, true },     { ROLE_VIEWER, MAY_INSTANCES_OPERATE, false },
        { ROLE_VIEWER, MAY_TASKS_OWN, false },         { ROLE_PERSON, MAY_TASKS_OWN, true },
        { ROLE_PERSON, MAY_INSTANCES_READ, false },    { ROLE_WORKER, MAY_JOBS_WORK, true },
        { ROLE_WORKER, MAY_INSTANCES_START, false },   { ROLE_SENDER, MAY_INSTANCES_START, true },
        { ROLE_SENDER, MAY_JOBS_WORK, false },         { ROLE_BUILDER, MAY_DEFINITIONS_WRITE, true },
        { ROLE_BUILDER, MAY_SECRETS_WRITE, false },    { ROLE_OPERATOR, MAY_INSTANCES_OPERATE, true },
        { ROLE_OPERATOR, MAY_INSTANCES_START, false }, { ROLE_OPERATOR, MAY_DEFINITIONS_WRITE, false },
        { ROLE_ADMIN, MAY_AUDIT_READ, true },          { ROLE_ADMIN, MAY_SECRETS_WRITE, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(role_has(cases[i].role, cases[i].permission), cases[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lead_back_to_what_they_stand_for),
        cmocka_unit_test(roles_and_permissions_tell_the_same),
        cmocka_unit_test(nobody_has_a_permission_that_was_forgotten),
        cmocka_unit_test(only_admins_of_all_tenants_have_what_is_global),
        cmocka_unit_test(roles_have_what_the_design_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
