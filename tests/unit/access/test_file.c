#include "access/record/file.h"
#include "access/limits.h"

#include "access_test.h"

#define HASH "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"
#define PASSWORD "'$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo'"

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

static struct access_change *read_file(struct arena *arena, const struct json *document, size_t want)
{
    struct access_change *change = NULL;
    size_t count = 0;
    struct error err = { 0 };
    if (access_file_read(document, arena, &change, &count, &err) != ST_OK)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(count, want);
    return change;
}

static void a_file_becomes_changes(void **state)
{
    struct arena *arena = *state;
    struct access_change *change = read_file(
        arena,
        parsed(
            arena,
            "{'grants':[{'to':'group:sre','role':'operator'}],'keys':[{'id':'7HqZ3bTw9K','name':'portal',"
            "'roles':['worker'],'scopes':['jobs:work:reserve-*'],'hash':" HASH "}],"
            "'users':[{'name':'ada','roles':['admin'],'passwordHash':" PASSWORD "},{'name':'bob'}],"
            "'issuers':[{'name':'kc','issuer':'https://kc','audience':null}],'tenants':[{'name':'acme'}]}"),
        6);
    static const struct {
        enum access_kind kind;
        const char *name, *object;
    } want[] = {
        { ACCESS_TENANT, "acme", "{}" },
        { ACCESS_USER, "ada", "{'roles':['admin']}" },
        { ACCESS_USER, "bob", "{}" },
        { ACCESS_ISSUER, "kc", "{'issuer':'https://kc','audience':null}" },
        { ACCESS_KEY, "7HqZ3bTw9K",
          "{'name':'portal','roles':['worker'],'scopes':['jobs:work:reserve-*'],'tenant':'default'}" },
        { ACCESS_GRANT, NULL, "{'to':'group:sre','role':'operator','tenant':'default'}" },
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(change[i].kind, want[i].kind);
        assert_int_equal(change[i].action, ACCESS_PUT);
        if (want[i].name) assert_true(str_equal(change[i].name, str_of(want[i].name)));
        expect_json(arena, change[i].object, want[i].object);
    }
    assert_true(str_starts(change[1].secret, STR("$argon2id$")));
    assert_int_equal(change[2].secret.n, 0);
    struct credential_hash hash = credential_hash(STR("abc"));
    assert_true(credential_hash_equal(&change[4].hash, &hash));
}

static void a_grant_has_the_same_id_each_time(void **state)
{
    struct arena *arena = *state;
    str one = read_file(arena, parsed(arena, "{'grants':[{'to':'user:a','role':'viewer'}]}"), 1)->name;
    str two =
        read_file(arena, parsed(arena, "{'grants':[{'role':'viewer','tenant':'default','to':'user:a'}]}"), 1)
            ->name;
    str other =
        read_file(arena, parsed(arena, "{'grants':[{'to':'user:a','role':'viewer','tenant':'*'}]}"), 1)->name;
    assert_true(str_equal(one, two));
    assert_false(str_equal(one, other));
    assert_true(str_equal(
        read_file(arena, parsed(arena, "{'grants':[{'id':'g1','to':'user:a','role':'viewer'}]}"), 1)->name,
        STR("g1")));
}

static void a_mistake_has_a_place(void **state)
{
    struct arena *arena = *state;
    static const struct {
        const char *document, *where, *part;
    } cases[] = {
        { "[]", "", "object" },
        { "{'user':[]}", "/user", "nothing else" },
        { "{'sessions':[]}", "/sessions", "nothing else" },
        { "{'users':{}}", "/users", "list" },
        { "{'users':[7]}", "/users/0", "object" },
        { "{'users':[{}]}", "/users/0/name", "missing" },
        { "{'users':[{'name':7}]}", "/users/0/name", "text" },
        { "{'users':[{'name':'a b'}]}", "/users/0/name", "letters" },
        { "{'users':[{'name':'a'},{'name':'b','roles':['viewer','boss']}]}", "/users/1/roles/1", "role" },
        { "{'users':[{'name':'a'},{'name':'a'}]}", "/users/1/name", "already" },
        { "{'users':[{'name':'a','password':'hunter2'}]}", "/users/0/password", "hashes of passwords only" },
        { "{'users':[{'name':'a','passwordHash':'hunter2'}]}", "/users/0/passwordHash", "argon2id" },
        { "{'users':[{'name':'a','created':1}]}", "/users/0/created", "only the engine" },
        { "{'users':[{'name':'a','a/b~c':1}]}", "/users/0/a~1b~0c", "no such member" },
        { "{'a/b':[]}", "/a~1b", "nothing else" },
        { "{'keys':[{'name':'k','hash':" HASH "}]}", "/keys/0/id", "id" },
        { "{'keys':[{'id':'k','name':'k'}]}", "/keys/0/hash", "SHA-256" },
        { "{'keys':[{'id':'k','name':'k','hash':'pawl_x'}]}", "/keys/0/hash", "SHA-256" },
        { "{'keys':[{'id':'k','name':'k','key':'pawl_x'}]}", "/keys/0/key", "hashes of keys only" },
        { "{'keys':[{'id':'k','name':'k','hash':" HASH ",'oldHash':" HASH "}]}", "/keys/0/oldHash",
          "engine" },
        { "{'tenants':[{'name':'acme','quotas':{'keys':'x'}}]}", "/tenants/0/quotas/keys", "whole" },
        { "{'grants':[{'to':'ada','role':'viewer'}]}", "/grants/0/to", "user:NAME" },
        { "{'grants':[{'to':'user:a','role':'viewer'},{'to':'user:a','role':'viewer'}]}", "/grants/1/id",
          "already" },
        { "{'issuers':[{'name':'i','issuer':'https://i'}]}", "/issuers/0/audience", "null" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct access_change *change;
        size_t count;
        struct error err = { 0 };
        enum status status = access_file_read(parsed(arena, cases[i].document), arena, &change, &count, &err);
        if (status != ST_INVALID || strcmp(err.where, cases[i].where) || !strstr(err.message, cases[i].part))
            fail_msg("%s: %d at %s: %s", cases[i].document, status, err.where, err.message);
        assert_null(strstr(err.message, "hunter2"));
        assert_null(strstr(err.message, "pawl_x"));
    }
}

static void an_empty_file_changes_nothing(void **state)
{
    struct arena *arena = *state;
    read_file(arena, parsed(arena, "{}"), 0);
    read_file(arena, parsed(arena, "{'users':[],'keys':null}"), 0);
}

/* Half of the items are tenants: all lists count together. */
static const struct json *large_file(struct arena *arena, size_t count)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("users"));
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) {
        if (i == count / 2) {
            json_close(&builder);
            json_add_name(&builder, STR("tenants"));
            json_open_array(&builder);
        }
        json_open_object(&builder);
        json_add_text(&builder, STR("name"), arena_printf(arena, "n%zu", i));
        json_close(&builder);
    }
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

static void a_file_has_an_end(void **state)
{
    struct arena *arena = *state;
    struct access_change *change;
    size_t count;
    struct error err;
    read_file(arena, large_file(arena, ACCESS_FILE_ITEMS_MAX), ACCESS_FILE_ITEMS_MAX);
    assert_int_equal(
        access_file_read(large_file(arena, ACCESS_FILE_ITEMS_MAX + 1), arena, &change, &count, &err),
        ST_LIMIT);
    assert_non_null(strstr(err.message, "ACCESS_FILE_ITEMS_MAX"));
}

static const char *const records[] = {
    [ACCESS_USER] =
        "{'roles':['admin'],'groups':[],'state':'active','password':" PASSWORD ",'created':5,'by':'x'}",
    [ACCESS_KEY] =
        "{'name':'k','tenant':'acme','roles':['worker'],'scopes':['jobs:work'],'actsFor':true,'state':"
        "'active','hash':" HASH ",'oldHash':" HASH ",'oldUntil':5,'lastUsed':6}",
    [ACCESS_GRANT] = "{'to':'user:ada','role':'viewer','tenant':'*','scope':'instances:read:x*','created':5}",
    [ACCESS_ISSUER] =
        "{'issuer':'https://i','audience':['a'],'rolesClaim':'$.r','roles':{'admin':['x']},'created':5}",
    [ACCESS_TENANT] = "{'label':'Acme','state':'suspended','quotas':{'keys':5},'number':7}",
    [ACCESS_SESSION] = "{'user':'ada','hash':" HASH "}",
};

static const struct json *exported(struct arena *arena, bool with_passwords, size_t *damaged)
{
    struct access_file_record record[COUNT(records) + 1];
    for (size_t i = 0; i < COUNT(records); i++)
        record[i] = (struct access_file_record){ (enum access_kind)i, STR("x1"), parsed(arena, records[i]) };
    record[COUNT(records)] =
        (struct access_file_record){ ACCESS_USER, STR("broken"), parsed(arena, "{'roles':7}") };
    return access_file_write(record, COUNT(record), with_passwords, arena, damaged);
}

static void an_export_is_a_file_again(void **state)
{
    struct arena *arena = *state;
    size_t damaged;
    struct access_change *change = read_file(arena, exported(arena, true, &damaged), 5);
    assert_int_equal(damaged, 1);
    for (size_t i = 0; i < 5; i++) {
        const struct json *record, *before = parsed(arena, records[change[i].kind]);
        assert_true(str_equal(change[i].name, STR("x1")));
        assert_int_equal(
            access_record_make(change[i].kind, STR("x1"), change[i].object, NULL, arena, &record, NULL),
            ST_OK);
        assert_true(json_equal(access_record_given(change[i].kind, record, arena),
                               access_record_given(change[i].kind, before, arena)));
        if (change[i].kind == ACCESS_USER) assert_true(change[i].secret.n);
    }
}

static void an_export_has_password_hashes_only_if_asked(void **state)
{
    struct arena *arena = *state;
    size_t damaged;
    const char *text = printed(arena, exported(arena, false, &damaged));
    assert_null(strstr(text, "argon2"));
    assert_null(strstr(text, "oldHash"));
    assert_null(strstr(text, "created"));
    assert_null(strstr(text, "session"));
    assert_non_null(strstr(text, "ba7816bf"));
    assert_non_null(strstr(printed(arena, exported(arena, true, &damaged)), "argon2"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_becomes_changes),
        TEST(a_grant_has_the_same_id_each_time),
        TEST(a_mistake_has_a_place),
        TEST(an_empty_file_changes_nothing),
        TEST(a_file_has_an_end),
        TEST(an_export_is_a_file_again),
        TEST(an_export_has_password_hashes_only_if_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
