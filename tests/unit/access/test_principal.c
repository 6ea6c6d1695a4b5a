#include "access/permit/caller.h"

#include "json/put.h"

#include "access_test.h"

enum { ACME = 7, OTHER = 8 };

static const struct access_scope reserve[] = { { MAY_JOBS_WORK, STR_INIT("reserve-*") },
                                               { MAY_INSTANCES_READ, STR_INIT("") } };
static const struct access_scope all_jobs[] = { { MAY_JOBS_WORK, STR_INIT("*") } };
static const str groups[] = { STR_INIT("sre"), STR_INIT("office") };

static struct principal *with_grants(const struct grant *grant, size_t count)
{
    struct principal *principal = principal_new(PRINCIPAL_USER);
    principal->name = STR("ada");
    principal->id = STR("user:ada");
    principal->grant = grant;
    principal->grant_count = count;
    principal->group = groups;
    principal->group_count = COUNT(groups);
    return principal;
}

static void grants_count_in_their_tenant_only(void **state)
{
    static const struct grant grant[] = { { ROLE_OPERATOR, ACME, NULL, 0, STR_INIT("the grant G7") } };
    struct principal *ada = with_grants(grant, COUNT(grant));
    (void)state;
    assert_true(principal_knows(ada, ACME));
    assert_false(principal_knows(ada, OTHER));
    assert_int_equal(principal_roles(ada, ACME), 1u << ROLE_OPERATOR);
    assert_int_equal(principal_roles(ada, OTHER), 0);
    assert_true(principal_may(ada, ACME, MAY_INSTANCES_OPERATE, STR("order")));
    assert_false(principal_may(ada, OTHER, MAY_INSTANCES_OPERATE, STR("order")));
    assert_false(principal_may(ada, ACME, MAY_DEFINITIONS_WRITE, STR("order")));
    assert_true(principal_may_all(ada, ACME, MAY_INSTANCES_READ));
    assert_int_equal(principal_permissions(ada, OTHER), 1u << MAY_OPEN | 1u << MAY_DATA | 1u << MAY_SELF);
    principal_unref(ada);
}

static void scopes_narrow_and_never_widen(void **state)
{
    static const struct grant grant[] = { { ROLE_WORKER, ACME, reserve, COUNT(reserve), STR_INIT("") } };
    static const struct access_scope wide[] = { { MAY_AUDIT_READ, STR_INIT("") } };
    static const struct grant viewer[] = { { ROLE_VIEWER, ACME, wide, COUNT(wide), STR_INIT("") } };
    static const struct grant star[] = { { ROLE_WORKER, ACME, all_jobs, COUNT(all_jobs), STR_INIT("") } };
    struct principal *key = with_grants(grant, 1);
    (void)state;
    assert_true(principal_may(key, ACME, MAY_JOBS_WORK, STR("reserve-stock")));
    assert_false(principal_may(key, ACME, MAY_JOBS_WORK, STR("ship")));
    assert_true(principal_may(key, ACME, MAY_JOBS_WORK, STR(""))); /* Some object at least. */
    assert_true(principal_permissions(key, ACME) & 1u << MAY_JOBS_WORK);
    assert_false(principal_may(key, ACME, MAY_ENTITIES_READ, STR("")));
    assert_false(principal_permissions(key, ACME) & 1u << MAY_ENTITIES_READ);
    assert_false(principal_may_all(key, ACME, MAY_JOBS_WORK));
    assert_true(principal_may_all(key, ACME, MAY_INSTANCES_READ));
    principal_unref(key);
    key = with_grants(viewer, 1);
    assert_false(principal_may(key, ACME, MAY_AUDIT_READ, STR("")));
    principal_unref(key);
    key = with_grants(star, 1);
    assert_true(principal_may_all(key, ACME, MAY_JOBS_WORK));
    principal_unref(key);
}

static void only_an_admin_everywhere_is_global(void **state)
{
    static const struct grant here[] = { { ROLE_ADMIN, ACME, NULL, 0, STR_INIT("") } };
    static const struct grant everywhere[] = { { ROLE_ADMIN, TENANT_ANY, NULL, 0, STR_INIT("") } };
    static const struct grant narrowed[] = { { ROLE_ADMIN, TENANT_ANY, reserve, 1, STR_INIT("") } };
    struct principal *admin = with_grants(here, 1), *root = with_grants(everywhere, 1),
                     *less = with_grants(narrowed, 1);
    (void)state;
    assert_true(principal_may(admin, ACME, MAY_ACCESS_ADMIN, STR("")));
    assert_false(principal_may(admin, ACME, MAY_GLOBAL_ADMIN, STR("")));
    assert_true(principal_may(root, ACME, MAY_GLOBAL_ADMIN, STR("")));
    assert_true(principal_may(root, OTHER, MAY_SECRETS_WRITE, STR("mail")));
    assert_false(principal_may(less, ACME, MAY_GLOBAL_ADMIN, STR("")));
    for (size_t i = 0; i < PERMISSION_COUNT; i++)
        assert_int_equal(principal_may(root, ACME, (enum permission)i, STR("")), i != MAY_NONE);
    principal_unref(admin);
    principal_unref(root);
    principal_unref(less);
}

static void nobody_may_only_what_is_open(void **state)
{
    struct principal *nobody = principal_nobody(false), *everybody = principal_nobody(true);
    (void)state;
    for (size_t i = 0; i < PERMISSION_COUNT; i++) {
        enum permission permission = (enum permission)i;
        assert_int_equal(principal_may(nobody, TENANT_DEFAULT, permission, STR("x")),
                         permission == MAY_OPEN || permission == MAY_DATA);
        assert_int_equal(principal_may(everybody, TENANT_DEFAULT, permission, STR("x")),
                         permission != MAY_NONE);
        assert_int_equal(principal_may_all(everybody, TENANT_DEFAULT, permission), permission != MAY_NONE);
    }
    assert_false(principal_knows(nobody, TENANT_DEFAULT));
    assert_true(principal_knows(everybody, OTHER));
    principal_unref(principal_ref(nobody));
    assert_ptr_equal(principal_nobody(false), nobody);
}

static void a_refusal_says_what_is_missing_and_who_has_it(void **state)
{
    struct principal *ada = with_grants(NULL, 0);
    struct error err;
    (void)state;
    assert_int_equal(principal_refuse(ada, MAY_INSTANCES_OPERATE, STR("a \"b\""), &err), ST_FORBIDDEN);
    assert_string_equal(err.message, "this needs the permission instances:operate for “a \"b\"”, which the "
                                     "roles operator and admin have");
    assert_string_equal(fail_details_of(&err),
                        ",\"permission\":\"instances:operate\",\"roles\":[\"operator\",\"admin\"],"
                        "\"object\":\"a \\\"b\\\"\"");
    principal_refuse(ada, MAY_AUDIT_READ, STR(""), &err);
    assert_string_equal(err.message, "this needs the permission audit:read, which the role admin has");
    principal_refuse(ada, MAY_GLOBAL_ADMIN, STR(""), &err);
    assert_string_equal(err.message,
                        "this needs the permission global:admin, which an admin of all tenants has");
    principal_refuse(ada, MAY_NONE, STR(""), &err);
    assert_string_equal(fail_details_of(&err), ",\"permission\":\"none\",\"roles\":[]");
    principal_unref(ada);
}

/* A principal with the role is not told to ask for it, because only the scope is missing. */
static void a_refusal_names_the_scope_that_is_missing(void **state)
{
    static const struct grant narrow[] = { { ROLE_WORKER, ACME, reserve, COUNT(reserve),
                                             STR_INIT("the key's record") } };
    static const struct grant builder[] = { { ROLE_BUILDER, ACME, NULL, 0, STR_INIT("a grant") } };
    struct principal *key = with_grants(narrow, 1), *fay = with_grants(builder, 1);
    struct error err;
    (void)state;
    principal_refuse(key, MAY_JOBS_WORK, STR("charge-card"), &err);
    assert_string_equal(err.message, "this needs the permission jobs:work for “charge-card”, which the roles "
                                     "worker and admin have; the scope jobs:work:charge-card is missing");
    assert_string_equal(fail_details_of(&err),
                        ",\"permission\":\"jobs:work\",\"roles\":[\"worker\",\"admin\"],\"object\":"
                        "\"charge-card\",\"scope\":\"jobs:work:charge-card\"");
    principal_refuse(key, MAY_DEFINITIONS_READ, STR(""), &err);
    assert_non_null(strstr(err.message, "; the scope definitions:read is missing"));
    principal_refuse(key, MAY_AUDIT_READ, STR(""), &err); /* Its role has not got that. */
    assert_null(strstr(err.message, "scope"));
    principal_refuse(fay, MAY_SECRETS_USE, STR("shop_pay"), &err);
    assert_non_null(strstr(err.message, "; the scope secrets:use:shop_pay is missing"));
    principal_unref(key);
    principal_unref(fay);
}

static void an_explanation_names_every_link(void **state)
{
    static const struct grant grant[] = { { ROLE_OPERATOR, OTHER, NULL, 0, STR_INIT("the grant G7") },
                                          { ROLE_VIEWER, ACME, NULL, 0, STR_INIT("the claim $.groups") },
                                          { ROLE_WORKER, TENANT_ANY, reserve, 2,
                                            STR_INIT("the group sre") } };
    struct principal *ada = with_grants(grant, COUNT(grant));
    struct arena arena;
    struct buf out;
    (void)state;
    arena_init(&arena, 0);
    buf_init(&out, &arena);
    principal_explain(ada, ACME, MAY_JOBS_WORK, STR("reserve-x"), &out);
    buf_add_char(&out, '\0');
    expect_json(
        &arena, parsed(&arena, out.p),
        "{'principal':'user:ada','kind':'user','name':'ada','groups':['sre','office'],'grants':["
        "{'source':'the grant G7','role':'operator','everywhere':false,'gives':false,'why':'counts in "
        "another tenant'},"
        "{'source':'the claim $.groups','role':'viewer','everywhere':false,'gives':false,'why':'has a "
        "role without this permission'},"
        "{'source':'the group sre','role':'worker','everywhere':true,'scopes':['jobs:work:reserve-*',"
        "'instances:read'],'gives':true,'why':'gives it'}],"
        "'permission':'jobs:work','roles':['worker','admin'],'object':'reserve-x','allowed':true,"
        "'reason':'the group sre gives the role worker, which has jobs:work'}");
    static const struct {
        enum permission permission;
        const char *object, *part;
    } cases[] = {
        { MAY_JOBS_WORK, "ship", "is narrowed to objects of other names" },
        { MAY_ENTITIES_WRITE, "", "is narrowed to other permissions" },
        { MAY_SELF, "", "this needs no role" },
        { MAY_AUDIT_READ, "", "no grant gives it" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        out.n = 0;
        principal_explain(ada, ACME, cases[i].permission, str_of(cases[i].object), &out);
        assert_true(str_find(buf_str(&out), str_of(cases[i].part), 0) != SIZE_MAX);
    }
    arena_done(&arena);
    principal_unref(ada);
}

static void lists_of_documents_name_roles_or_groups(void **state)
{
    static const struct grant grant[] = { { ROLE_PERSON, ACME, NULL, 0, STR_INIT("") } };
    static const struct grant admin[] = { { ROLE_ADMIN, ACME, NULL, 0, STR_INIT("") } };
    struct principal *ada = with_grants(grant, 1), *eve = with_grants(admin, 1);
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    assert_true(principal_fits(ada, ACME, NULL));
    assert_true(principal_fits(ada, ACME, parsed(&arena, "[]")));
    assert_true(principal_fits(ada, ACME, parsed(&arena, "['boss','sre']")));
    assert_true(principal_fits(ada, ACME, parsed(&arena, "['person']")));
    assert_false(principal_fits(ada, OTHER, parsed(&arena, "['person']")));
    assert_false(principal_fits(ada, ACME, parsed(&arena, "['boss',7,null]")));
    assert_false(principal_fits(ada, ACME, parsed(&arena, "{'sre':1}")));
    assert_true(principal_fits(eve, ACME, parsed(&arena, "['boss']")));
    assert_false(principal_fits(eve, OTHER, parsed(&arena, "['boss']")));
    assert_false(principal_fits(principal_nobody(false), ACME, parsed(&arena, "['boss']")));
    assert_true(principal_fits(principal_nobody(true), ACME, parsed(&arena, "['boss']")));
    arena_done(&arena);
    principal_unref(ada);
    principal_unref(eve);
}

static void the_last_reference_frees(void **state)
{
    struct principal *principal = principal_new(PRINCIPAL_KEY);
    (void)state;
    principal->name = arena_str(&principal->arena_, STR("portal"));
    assert_ptr_equal(principal_ref(principal), principal);
    principal_unref(principal);
    assert_true(str_equal(principal->name, STR("portal")));
    principal_unref(principal);
    principal_unref(NULL);
}

static void a_caller_may_act_for_a_person(void **state)
{
    static const struct grant grant[] = { { ROLE_OPERATOR, ACME, NULL, 0, STR_INIT("") } };
    static const str clerks[] = { STR_INIT("clerks") };
    struct principal *ada = with_grants(grant, 1);
    struct caller caller = { .principal = ada, .tenant = ACME, .needs = MAY_INSTANCES_OPERATE };
    struct error err;
    (void)state;
    assert_true(str_equal(caller_person(&caller), STR("ada")));
    assert_true(caller_is_in(&caller, STR("sre")));
    assert_int_equal(caller_check(&caller, STR("order"), &err), ST_OK);
    assert_int_equal(caller_check_for(&caller, MAY_AUDIT_READ, STR(""), &err), ST_FORBIDDEN);
    caller.for_whom = STR("bob");
    caller.for_group = clerks;
    caller.for_group_count = 1;
    assert_true(str_equal(caller_person(&caller), STR("bob")));
    assert_true(caller_is_in(&caller, STR("clerks")));
    assert_false(caller_is_in(&caller, STR("sre"))); /* Those are groups of somebody else. */
    caller.tenant = OTHER;
    assert_int_equal(caller_check(&caller, STR("order"), &err), ST_FORBIDDEN);
    principal_unref(ada);
}

static void the_engine_itself_may_everything(void **state)
{
    struct caller nobody = { .principal = principal_nobody(false), .tenant = TENANT_DEFAULT };
    (void)state;
    assert_int_equal(caller_check(NULL, STR("x"), NULL), ST_OK);
    assert_int_equal(caller_check_for(NULL, MAY_GLOBAL_ADMIN, STR(""), NULL), ST_OK);
    assert_int_equal(caller_person(NULL).n, 0);
    assert_false(caller_is_in(NULL, STR("sre")));
    assert_int_equal(caller_person(&nobody).n, 0);
    assert_int_equal(caller_check(&nobody, STR(""), NULL), ST_FORBIDDEN); /* It names no permission. */
}

static void ways_in_have_words(void **state)
{
    enum way_in way;
    (void)state;
    for (size_t i = 0; i < WAY_COUNT; i++) {
        assert_true(way_in_find(str_of(way_in_word((enum way_in)i)), &way));
        assert_int_equal(way, i);
    }
    assert_false(way_in_find(STR("window"), &way));
    assert_string_equal(principal_kind_word(PRINCIPAL_STORE), "store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grants_count_in_their_tenant_only),
        cmocka_unit_test(scopes_narrow_and_never_widen),
        cmocka_unit_test(only_an_admin_everywhere_is_global),
        cmocka_unit_test(nobody_may_only_what_is_open),
        cmocka_unit_test(a_refusal_says_what_is_missing_and_who_has_it),
        cmocka_unit_test(a_refusal_names_the_scope_that_is_missing),
        cmocka_unit_test(an_explanation_names_every_link),
        cmocka_unit_test(lists_of_documents_name_roles_or_groups),
        cmocka_unit_test(the_last_reference_frees),
        cmocka_unit_test(a_caller_may_act_for_a_person),
        cmocka_unit_test(the_engine_itself_may_everything),
        cmocka_unit_test(ways_in_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
