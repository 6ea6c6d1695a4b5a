#include "access/record/change.h"
#include "access/record/record.h"

#include "access_test.h"

#define HASH "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"

static int arena_begin(void **state)
{
    static struct arena arena;
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int arena_end(void **state)
{
    arena_done(*state);
    return 0;
}

static const struct json *made(struct arena *arena, enum access_kind kind, const char *object,
                               const char *old)
{
    const struct json *record = NULL;
    struct error err = { 0 };
    enum status status = access_record_make(kind, STR("ada"), parsed(arena, object),
                                            old ? parsed(arena, old) : NULL, arena, &record, &err);
    if (status != ST_OK) fail_msg("%s at %s: %s", object, err.where, err.message);
    assert_int_equal(access_record_check(kind, record, &err), ST_OK);
    return record;
}

static void names_have_a_form(void **state)
{
    static const struct {
        enum access_kind kind;
        const char *name;
        enum status want;
    } cases[] = {
        { ACCESS_USER, "ada", ST_OK },
        { ACCESS_USER, "Ada.Lovelace@example.com", ST_OK },
        { ACCESS_USER, "a_b-c.1", ST_OK },
        { ACCESS_USER, "", ST_INVALID },
        { ACCESS_USER, ".", ST_INVALID },
        { ACCESS_USER, "..", ST_INVALID },
        { ACCESS_USER, "a b", ST_INVALID },
        { ACCESS_USER, "a/b", ST_INVALID },
        { ACCESS_USER, "a:b", ST_INVALID },
        { ACCESS_USER, "ä", ST_INVALID },
        { ACCESS_USER, "Root", ST_INVALID },
        { ACCESS_USER, "engine", ST_INVALID },
        { ACCESS_USER, "0123456789012345678901234567890123456789012345678901234567890123", ST_OK },
        { ACCESS_USER, "01234567890123456789012345678901234567890123456789012345678901234", ST_INVALID },
        { ACCESS_TENANT, "acme", ST_OK },
        { ACCESS_TENANT, "default", ST_OK },
        { ACCESS_TENANT, "acme-2.eu_x", ST_OK },
        { ACCESS_TENANT, "Acme", ST_INVALID },
        { ACCESS_TENANT, "2acme", ST_OK },
        { ACCESS_TENANT, "f47ac10b-58cc-4372-a567-0e02b2c3d479", ST_OK },
        { ACCESS_TENANT, "-acme", ST_INVALID },
        { ACCESS_TRUSTED, ".portal_2026-06", ST_OK },
        { ACCESS_TRUSTED, "a@b", ST_INVALID },
        { ACCESS_TENANT, "a@b", ST_INVALID },
        { ACCESS_TENANT, "all", ST_INVALID },
        { ACCESS_TENANT, "*", ST_INVALID },
        { ACCESS_ISSUER, "keycloak", ST_OK },
        { ACCESS_KEY, "7HqZ3bTw9K", ST_OK },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { 0 };
        if (access_check_name(cases[i].kind, str_of(cases[i].name), &err) != cases[i].want)
            fail_msg("%s: %s", cases[i].name, err.message);
        if (cases[i].want != ST_OK) assert_string_equal(err.where, "/name");
    }
}

static void a_new_record_has_its_defaults(void **state)
{
    struct arena *arena = *state;
    expect_json(arena, made(arena, ACCESS_USER, "{'name':'ada','email':'a@x'}", NULL),
                "{'email':'a@x','roles':[],'groups':[],'state':'active'}");
    expect_json(arena, made(arena, ACCESS_KEY, "{'name':'portal','roles':['worker']}", NULL),
                "{'name':'portal','roles':['worker'],'actsFor':false,'state':'active'}");
    expect_json(arena, made(arena, ACCESS_TENANT, "{'quotas':{'keys':5}}", NULL),
                "{'state':'active','quotas':{'keys':5}}");
    expect_json(arena, made(arena, ACCESS_ISSUER, "{'issuer':'https://idp','audience':null}", NULL),
                "{'issuer':'https://idp','audience':null}");
    /* With keys of its own, an issuer's name may be any text. */
    expect_json(arena,
                made(arena, ACCESS_ISSUER, "{'issuer':'cyoda','audience':null,'jwks':{'keys':[]}}", NULL),
                "{'issuer':'cyoda','audience':null,'jwks':{'keys':[]}}");
    expect_json(arena, made(arena, ACCESS_GRANT, "{'to':'group:sre','role':'admin','tenant':'*'}", NULL),
                "{'to':'group:sre','role':'admin','tenant':'*'}");
    expect_json(arena, made(arena, ACCESS_SESSION, "{'user':'ada','tenant':'acme'}", NULL),
                "{'user':'ada','tenant':'acme'}");
}

static void a_change_keeps_what_it_does_not_name(void **state)
{
    struct arena *arena = *state;
    expect_json(
        arena,
        made(arena, ACCESS_USER, "{'email':null,'roles':['admin']}",
             "{'email':'a@x','roles':[],'groups':['sre'],'state':'disabled','password':'$x',"
             "'created':1,'by':'user:eve'}"),
        "{'roles':['admin'],'groups':['sre'],'state':'disabled','password':'$x','created':1,'by':'user:"
        "eve'}");
    expect_json(arena, made(arena, ACCESS_USER, "{'state':null}", "{'state':'disabled'}"),
                "{'roles':[],'groups':[],'state':'active'}");
    expect_json(arena,
                made(arena, ACCESS_ISSUER, "{'audience':null}", "{'issuer':'https://i','audience':'a'}"),
                "{'issuer':'https://i','audience':null}");
}

static const struct {
    enum access_kind kind;
    const char *object, *where, *part;
} wrong[] = {
    { ACCESS_USER, "[]", "", "object" },
    { ACCESS_USER, "{'rolls':[]}", "/rolls", "no such member" },
    { ACCESS_USER, "{'name':'eve'}", "/name", "no such member" },
    { ACCESS_USER, "{'roles':'admin'}", "/roles", "list" },
    { ACCESS_USER, "{'roles':['admin','root']}", "/roles/1", "must be a role" },
    { ACCESS_USER, "{'roles':['admin','admin']}", "/roles", "twice" },
    { ACCESS_USER, "{'groups':['a','']}", "/groups/1", "empty" },
    { ACCESS_USER, "{'groups':[7]}", "/groups/0", "text" },
    { ACCESS_USER, "{'state':'gone'}", "/state", "active or disabled" },
    { ACCESS_USER, "{'password':'secret'}", "/password", "only the engine" },
    { ACCESS_USER, "{'created':1}", "/created", "only the engine" },
    { ACCESS_USER, "{'email':'a\\u0000b'}", "/email", "control" },
    { ACCESS_KEY, "{}", "/name", "needs" },
    { ACCESS_KEY, "{'name':'k','hash':" HASH "}", "/hash", "only the engine" },
    { ACCESS_KEY, "{'name':'k','expiresAt':'soon'}", "/expiresAt", "time" },
    { ACCESS_KEY, "{'name':'k','actsFor':1}", "/actsFor", "true or false" },
    { ACCESS_KEY, "{'name':'k','tenant':'*'}", "/tenant", "tenant" },
    { ACCESS_KEY, "{'name':'k','roles':['worker'],'scopes':['jobs:work','jobs:play']}", "/scopes/1",
      "not a permission" },
    { ACCESS_KEY, "{'name':'k','roles':['worker'],'scopes':['audit:read']}", "/scopes/0", "only narrow" },
    { ACCESS_KEY, "{'name':'k','scopes':['jobs:work:x']}", "/scopes/0", "only narrow" },
    { ACCESS_GRANT, "{'role':'admin'}", "/to", "needs" },
    { ACCESS_GRANT, "{'to':'user:ada'}", "/role", "needs" },
    { ACCESS_GRANT, "{'to':'ada','role':'admin'}", "/to", "user:NAME" },
    { ACCESS_GRANT, "{'to':'user:a b','role':'admin'}", "/to", "letters" },
    { ACCESS_GRANT, "{'to':'user:a','role':'admin','tenant':'A'}", "/tenant", "small" },
    { ACCESS_GRANT, "{'to':'user:a','role':'worker','scope':'audit:read'}", "/scope", "only narrow" },
    { ACCESS_GRANT, "{'to':'user:a','role':'admin','tenant':'acme','scope':'global:admin'}", "/scope",
      "only narrow" },
    { ACCESS_ISSUER, "{'audience':'a'}", "/issuer", "needs" },
    { ACCESS_ISSUER, "{'issuer':'https://i'}", "/audience", "null" },
    { ACCESS_ISSUER, "{'issuer':'ftp://i','audience':'a'}", "/issuer", "https" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':[]}", "/audience", "somebody" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','userClaim':'$['}", "/userClaim", "JSONPath" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','clientSecretRef':'hunter2'}", "/clientSecretRef",
      "vault:" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','roles':{'boss':['x']}}", "/roles", "boss" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','roles':{'admin':'x'}}", "/roles/admin", "list" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','jwks':{'keys':[{'kty':'RSA','d':'x'}]}}",
      "/jwks/keys/0", "private" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','jwks':['-----BEGIN PRIVATE KEY-----']}",
      "/jwks/0", "private" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','jwks':[],'jwksFile':'/x'}", "/jwksFile",
      "either" },
    { ACCESS_ISSUER, "{'issuer':'cyoda','audience':'a'}", "/issuer", "https" },
    { ACCESS_ISSUER, "{'issuer':'x','audience':'a','jwks':{'keys':[{'kty':'RSA','n':'AQAB','e':'AQAB'}]}}",
      "/jwks/keys/0", "2048" },
    { ACCESS_ISSUER, "{'issuer':'x','audience':'a','jwks':['x']}", "/jwks/0", "PEM" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','roles':{'admin':['x']}}", "/roles", "Claim" },
    { ACCESS_ISSUER, "{'issuer':'https://i','audience':'a','requireGroup':'x'}", "/requireGroup",
      "groupsClaim" },
    { ACCESS_TENANT, "{'quotas':{'cows':1}}", "/quotas", "cows" },
    { ACCESS_TENANT, "{'quotas':{'keys':-1}}", "/quotas/keys", "whole number" },
    { ACCESS_TENANT, "{'quotas':{'keys':1.5}}", "/quotas/keys", "whole number" },
    { ACCESS_TENANT, "{'number':3}", "/number", "only the engine" },
    { ACCESS_SESSION, "{}", "/user", "needs" },
};

static void a_wrong_record_is_refused_at_its_place(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const struct json *record = NULL;
        struct error err = { 0 };
        enum status status = access_record_make(wrong[i].kind, STR("ada"), parsed(arena, wrong[i].object),
                                                NULL, arena, &record, &err);
        if (status != ST_INVALID || strcmp(err.where, wrong[i].where) || !strstr(err.message, wrong[i].part))
            fail_msg("%s: %d at %s: %s", wrong[i].object, status, err.where, err.message);
        assert_null(record);
    }
}

static void a_key_does_not_move_to_another_tenant(void **state)
{
    struct arena *arena = *state;
    const struct json *record, *old = parsed(arena, "{'name':'k','tenant':'acme','roles':[]}");
    struct error err;
    assert_int_equal(access_record_make(ACCESS_KEY, STR("id"), parsed(arena, "{'tenant':'other'}"), old,
                                        arena, &record, &err),
                     ST_INVALID);
    assert_string_equal(err.where, "/tenant");
    made(arena, ACCESS_KEY, "{'tenant':'acme'}", "{'name':'k','tenant':'acme'}");
}

static void a_record_is_not_too_large(void **state)
{
    struct arena *arena = *state;
    struct json_builder builder;
    const struct json *record;
    struct error err;
    char *text = arena_alloc(arena, 300 << 10);
    memset(text, 'x', 300 << 10);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("name"), STR("k"));
    json_add_name(&builder, STR("client"));
    json_open_object(&builder);
    json_add_text(&builder, STR("x"), (str){ text, 300 << 10 });
    json_close(&builder);
    json_close(&builder);
    assert_int_equal(
        access_record_make(ACCESS_KEY, STR("k"), json_built(&builder), NULL, arena, &record, &err), ST_LIMIT);
}

static void no_view_has_a_secret(void **state)
{
    struct arena *arena = *state;
    expect_json(arena,
                access_record_view(ACCESS_USER, STR("ada"),
                                   parsed(arena, "{'roles':[],'password':'$argon2id$','created':0}"), arena),
                "{'name':'ada','roles':[],'created':'1970-01-01T00:00:00.000000Z'}");
    expect_json(arena,
                access_record_view(ACCESS_KEY, STR("7Hq"),
                                   parsed(arena, "{'name':'k','hash':" HASH ",'oldHash':" HASH
                                                 ",'oldUntil':'2026-01-01T00:00:00Z','odd':'x'}"),
                                   arena),
                "{'id':'7Hq','name':'k','oldUntil':'2026-01-01T00:00:00Z'}");
    /* The key of a session's record is the hash of its cookie. */
    expect_json(arena,
                access_record_view(ACCESS_SESSION, STR("ba7816"),
                                   parsed(arena, "{'hash':" HASH ",'id':'S1','user':'ada'}"), arena),
                "{'user':'ada','id':'S1'}");
}

static void a_damaged_record_is_found(void **state)
{
    struct arena *arena = *state;
    static const struct {
        enum access_kind kind;
        const char *record, *where;
    } cases[] = {
        { ACCESS_USER, "7", "" },
        { ACCESS_USER, "null", "" },
        { ACCESS_USER, "{'roles':7}", "/roles" },
        { ACCESS_USER, "{'password':7}", "/password" },
        { ACCESS_USER, "{'onlyFrom':'10.0.0.0/8'}", "/onlyFrom" }, /* Of a later version, perhaps. */
        { ACCESS_KEY, "{'name':'k','hash':'x'}", "/hash" },
        { ACCESS_KEY, "{'hash':" HASH "}", "/name" },
        { ACCESS_KEY, "{'name':'k','roles':[],'scopes':['audit:read']}", "/scopes/0" },
        { ACCESS_GRANT, "{'to':'user:a','role':7}", "/role" },
        { ACCESS_GRANT, "{'to':'user:a'}", "/role" },
        { ACCESS_SESSION, "{'user':'a','expires':'x'}", "/expires" },
        { ACCESS_TENANT, "{'number':0}", "/number" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { 0 };
        assert_int_equal(access_record_check(cases[i].kind, parsed(arena, cases[i].record), &err),
                         ST_INVALID);
        assert_string_equal(err.where, cases[i].where);
    }
    struct error err;
    assert_int_equal(access_record_check(ACCESS_USER, NULL, &err), ST_INVALID);
}

static void a_change_of_a_damaged_record_is_no_accident(void **state)
{
    struct arena *arena = *state;
    const struct json *record;
    struct error err;
    assert_int_equal(access_record_make(ACCESS_GRANT, STR("g"), parsed(arena, "{'scope':'jobs:work'}"),
                                        parsed(arena, "{'to':7,'role':[],'scope':[7]}"), arena, &record,
                                        &err),
                     ST_INVALID);
    assert_int_equal(access_record_make(ACCESS_KEY, STR("k"), parsed(arena, "{'note':'x'}"),
                                        parsed(arena, "{'name':'k','roles':{'a':1},'scopes':[[]]}"), arena,
                                        &record, &err),
                     ST_INVALID);
}

static void the_engine_sets_its_members(void **state)
{
    struct arena *arena = *state;
    const struct json *record = made(arena, ACCESS_USER, "{}", NULL);
    record = access_record_set(record, "password", json_of_string(arena, STR("$argon2id$x")), arena);
    record = access_record_set(record, "created", json_of_int(arena, 5), arena);
    struct error err;
    assert_int_equal(access_record_check(ACCESS_USER, record, &err), ST_OK);
    assert_true(str_equal(json_text(record, STR("password")), STR("$argon2id$x")));
}

static void a_tenant_has_quotas(void **state)
{
    struct arena *arena = *state;
    struct tenant tenant;
    struct error err;
    assert_int_equal(
        tenant_read(STR("acme"),
                    parsed(arena, "{'number':7,'state':'suspended','quotas':{'keys':5,'streams':9}}"), arena,
                    &tenant, &err),
        ST_OK);
    assert_int_equal(tenant.number, 7);
    assert_true(tenant.is_suspended && str_equal(tenant.name, STR("acme")));
    assert_int_equal(tenant.quota[QUOTA_KEYS], 5);
    assert_int_equal(tenant.quota[QUOTA_STREAMS], 9);
    assert_int_equal(tenant.quota[QUOTA_DEFINITIONS], 0);
    assert_int_equal(tenant_read(STR("a"), parsed(arena, "{}"), arena, &tenant, &err), ST_INVALID);
    assert_int_equal(tenant_read(STR("a"), parsed(arena, "{'number':'7'}"), arena, &tenant, &err),
                     ST_INVALID);
    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        enum quota quota;
        assert_true(quota_find(str_of(quota_word((enum quota)i)), &quota) && quota == i);
    }
}

static void kinds_and_actions_have_words(void **state)
{
    (void)state;
    assert_string_equal(access_kind_word(ACCESS_KEY), "key");
    assert_string_equal(access_kind_words(ACCESS_ISSUER), "issuers");
    assert_true(access_kind_is_global(ACCESS_TENANT));
    assert_false(access_kind_is_global(ACCESS_GRANT));
    assert_string_equal(access_action_word(ACCESS_ROTATE), "rotate");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_have_a_form),
        TEST(a_new_record_has_its_defaults),
        TEST(a_change_keeps_what_it_does_not_name),
        TEST(a_wrong_record_is_refused_at_its_place),
        TEST(a_key_does_not_move_to_another_tenant),
        TEST(a_record_is_not_too_large),
        TEST(no_view_has_a_secret),
        TEST(a_damaged_record_is_found),
        TEST(a_change_of_a_damaged_record_is_no_accident),
        TEST(the_engine_sets_its_members),
        TEST(a_tenant_has_quotas),
        TEST(kinds_and_actions_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
