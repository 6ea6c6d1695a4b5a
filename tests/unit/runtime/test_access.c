/* Users, keys, grants, issuers, tenants and sessions: changed, listed, resolved to principals. */
#include "access_driver.h"

#include "store/store_int.h"

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

#define ACCESS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void restart(struct bench *bench)
{
    driver_restart(bench->driver);
    directory_free(bench->directory);
    bench->directory = access_directory(NULL);
    access_use(bench->driver, bench->directory);
}

static void refused(const struct call *call, enum status status, const char *words)
{
    assert_int_equal(call->status, status);
    if (!strstr(call->error.message, words)) fail_msg("“%s” is not in “%s”", words, call->error.message);
}

static const char *why(struct call *call)
{
    assert_null(call->value.resolve.principal);
    return call->value.resolve.why;
}

static struct caller caller_of(struct driver *driver, const char *id)
{
    struct principal *principal = access_principal(driver, id);
    return (struct caller){ .principal = principal, .tenant = principal->home };
}

/* An admin of all tenants, so that the rule about the last one holds. */
static void make_admin(struct driver *driver)
{
    access_make(driver, ACCESS_USER, "root.admin", "{}");
    access_make(driver, ACCESS_GRANT, "g0",
                "{\"to\":\"user:root.admin\",\"role\":\"admin\",\"tenant\":\"*\"}");
}

/* ---- principals ---- */

static void a_users_grants_come_from_record_grants_and_groups(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    access_make(driver, ACCESS_USER, "ada", "{\"roles\":[\"viewer\"],\"groups\":[\"sre\"]}");
    access_make(
        driver, ACCESS_GRANT, "",
        "{\"to\":\"user:ada\",\"role\":\"worker\",\"tenant\":\"acme\",\"scope\":\"jobs:work:reserve-*\"}");
    access_make(driver, ACCESS_GRANT, "", "{\"to\":\"group:sre\",\"role\":\"operator\",\"tenant\":\"*\"}");
    access_make(driver, ACCESS_GRANT, "", "{\"to\":\"group:other\",\"role\":\"admin\",\"tenant\":\"*\"}");
    struct principal *ada = access_principal(driver, "user:ada");
    struct tenant acme;
    assert_true(directory_tenant(bench->directory, STR("acme"), &acme));
    assert_int_equal(principal_roles(ada, TENANT_DEFAULT), 1u << ROLE_VIEWER | 1u << ROLE_OPERATOR);
    assert_int_equal(principal_roles(ada, acme.number), 1u << ROLE_WORKER | 1u << ROLE_OPERATOR);
    assert_true(principal_may(ada, acme.number, MAY_JOBS_WORK, STR("reserve-room")));
    assert_false(principal_may(ada, acme.number, MAY_JOBS_WORK, STR("pay")));
    assert_false(principal_may(ada, TENANT_DEFAULT, MAY_GLOBAL_ADMIN, STR_NONE));
    principal_unref(ada);
}

static void a_key_counts_with_its_secret_until_it_ends(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    access_make_key(driver, "K1", "secret",
                    "{\"name\":\"portal\",\"tenant\":\"acme\",\"roles\":[\"worker\"]}");
    struct call *call = access_resolve_key(driver, "K1", "secret");
    struct principal *key = call->value.resolve.principal;
    assert_non_null(key);
    assert_int_equal(key->kind, PRINCIPAL_KEY);
    assert_true(str_equal(key->name, STR("portal")) && str_equal(key->id, STR("key:K1")));
    assert_true(key->home > TENANT_DEFAULT && !principal_knows(key, TENANT_DEFAULT));
    principal_unref(key);
    assert_string_equal(why(access_resolve_key(driver, "K1", "other")), "wrong secret of the key");
    assert_string_equal(why(access_resolve_key(driver, "K2", "secret")), "unknown key");
    driver->now_ms += INT64_C(366) * 24 * 3600 * 1000;
    assert_string_equal(why(access_resolve_key(driver, "K1", "secret")), "expired");
}

static void a_rotated_key_has_two_secrets_for_a_day(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make_key(driver, "K1", "old", "{\"name\":\"portal\",\"roles\":[\"worker\"]}");
    const struct access_change rotate = {
        .kind = ACCESS_KEY, .action = ACCESS_ROTATE, .name = STR("K1"), .hash = access_hash("new")
    };
    access_done(access_change(driver, NULL, &rotate, 1));
    for (int i = 0; i < 2; i++)
        principal_unref(access_resolve_key(driver, "K1", i ? "new" : "old")->value.resolve.principal);
    driver->now_ms += INT64_C(25) * 3600 * 1000;
    assert_string_equal(why(access_resolve_key(driver, "K1", "old")), "wrong secret of the key");
    principal_unref(access_resolve_key(driver, "K1", "new")->value.resolve.principal);
    access_done(access_do(driver, ACCESS_KEY, ACCESS_CHANGE, "K1", "{\"state\":\"revoked\"}"));
    assert_string_equal(why(access_resolve_key(driver, "K1", "new")), "revoked");
    refused(access_do(driver, ACCESS_KEY, ACCESS_CHANGE, "K1", "{\"state\":\"active\"}"), ST_CONFLICT,
            "stays revoked");
}

static struct call *begin_session(struct driver *driver, const char *cookie, const char *object)
{
    const struct access_change change = { .kind = ACCESS_SESSION,
                                          .action = ACCESS_CREATE,
                                          .object = driver_json(driver, object),
                                          .hash = access_hash(cookie),
                                          .address = STR("127.0.0.1"),
                                          .agent = STR("browser") };
    return access_change(driver, NULL, &change, 1);
}

static struct call *resolve_session(struct driver *driver, const char *cookie)
{
    return access_resolve_as(
        driver, &(struct call_resolve){ .kind = CREDENTIAL_SESSION, .hash = access_hash(cookie) });
}

static void a_session_ends_with_its_user_and_its_time(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_USER, "ada", "{\"roles\":[\"person\"]}");
    access_done(begin_session(driver, "c1", "{\"user\":\"ada\"}"));
    access_done(begin_session(driver, "c2", "{\"user\":\"ada\"}"));
    refused(begin_session(driver, "c3", "{\"user\":\"bob\"}"), ST_CONFLICT, "no such user");
    struct caller ada = caller_of(driver, "user:ada");
    struct call *list =
        access_list(driver, &ada, &(struct call_access_list){ .kind = ACCESS_SESSION, .of = STR("ada") });
    assert_int_equal(list->value.access_list.count, 2);
    struct principal *principal = resolve_session(driver, "c1")->value.resolve.principal;
    assert_true(principal && str_equal(principal->id, STR("user:ada")));
    /* A new password ends the others. */
    const struct access_change password = { .kind = ACCESS_USER,
                                            .action = ACCESS_PASSWORD,
                                            .name = STR("ada"),
                                            .secret = STR("hash"),
                                            .keep_session = principal->credential };
    access_done(access_change(driver, &ada, &password, 1));
    principal_unref(principal);
    assert_string_equal(why(resolve_session(driver, "c2")), "unknown session");
    principal_unref(resolve_session(driver, "c1")->value.resolve.principal);
    access_done(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "ada", "{\"state\":\"disabled\"}"));
    access_done(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "ada", "{\"state\":\"active\"}"));
    assert_string_equal(why(resolve_session(driver, "c1")), "unknown session");
    access_done(begin_session(driver, "c4", "{\"user\":\"ada\"}"));
    driver->now_ms += INT64_C(13) * 3600 * 1000;
    assert_string_equal(why(resolve_session(driver, "c4")), "idle for too long");
    principal_unref(ada.principal);
}

static void a_session_of_an_issuer_keeps_the_claims(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_ISSUER, "idp",
                "{\"issuer\":\"https://idp.example\",\"audience\":\"pawl\",\"rolesClaim\":\"$.roles\"}");
    access_make(driver, ACCESS_GRANT, "", "{\"to\":\"group:sre\",\"role\":\"operator\"}");
    const char *session = "{\"user\":\"ada\",\"issuer\":\"idp\",\"groups\":[\"sre\"],\"roles\":[\"viewer\"]}";
    access_done(begin_session(driver, "c1", session));
    struct principal *ada = resolve_session(driver, "c1")->value.resolve.principal;
    assert_true(str_equal(ada->id, STR("user:idp#ada")));
    assert_int_equal(principal_roles(ada, TENANT_DEFAULT), 1u << ROLE_VIEWER | 1u << ROLE_OPERATOR);
    assert_true(str_equal(ada->grant[0].source, STR("the claim $.roles")));
    principal_unref(ada);
    access_done(access_do(driver, ACCESS_ISSUER, ACCESS_REMOVE, "idp", NULL));
    assert_string_equal(why(resolve_session(driver, "c1")), "unknown issuer");
}

/* Somebody of ours with a password is not the person of that name elsewhere. */
static void a_bearer_is_not_a_user_of_ours_with_the_same_name(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_ISSUER, "idp", "{\"issuer\":\"https://idp.example\",\"audience\":\"pawl\"}");
    access_make(driver, ACCESS_USER, "ada", "{\"roles\":[\"admin\"]}");
    const struct call_resolve token = {
        .kind = CREDENTIAL_BEARER,
        .issuer = STR("idp"),
        .bearer = { .subject = STR("s1"), .user = STR("ada"), .expires_ms = driver->now_ms + 1000 }
    };
    struct principal *ada = access_resolve_as(driver, &token)->value.resolve.principal;
    assert_true(ada && str_equal(ada->id, STR("token:idp#s1")) && ada->kind == PRINCIPAL_TOKEN);
    principal_unref(ada);
    const struct access_change password = {
        .kind = ACCESS_USER, .action = ACCESS_PASSWORD, .name = STR("ada"), .secret = STR("hash")
    };
    access_done(access_change(driver, NULL, &password, 1));
    assert_string_equal(why(access_resolve_as(driver, &token)), "no role");
}

static void a_token_of_our_own_ends_with_its_key(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make_key(driver, "K1", "secret", "{\"name\":\"m2m\",\"roles\":[\"worker\"]}");
    const struct call_resolve token = { .kind = CREDENTIAL_BEARER,
                                        .bearer = { .subject = STR("key:K1"),
                                                    .expires_ms = driver->now_ms + 1000 },
                                        .claims = STR("{}") };
    struct principal *bearer = access_resolve_as(driver, &token)->value.resolve.principal;
    assert_true(bearer && bearer->kind == PRINCIPAL_TOKEN && bearer->expires_ms == driver->now_ms + 1000);
    principal_unref(bearer);
    access_done(access_do(driver, ACCESS_KEY, ACCESS_REMOVE, "K1", NULL));
    assert_string_equal(why(access_resolve_as(driver, &token)), "unknown key");
}

static void put_damaged(struct driver *driver, enum record_kind kind, const char *key)
{
    struct record_row row = { .kind = kind, .key = str_of(key), .value = STR("broken") };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    struct error err;
    assert_int_equal(store_begin(driver->engine.store, &err), ST_OK);
    assert_int_equal(store_apply(driver->engine.store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->engine.store, &err), ST_OK);
}

static void a_damaged_record_stops_only_its_own_principal(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_USER, "ada", "{}");
    access_make(driver, ACCESS_USER, "bob", "{}");
    put_damaged(driver, RECORD_USER, "ada");
    struct call *call =
        access_resolve_as(driver, &(struct call_resolve){ .kind = CREDENTIAL_NAME, .id = STR("user:ada") });
    assert_string_equal(why(call), "damaged record");
    principal_unref(access_principal(driver, "user:bob"));
    struct call *list = access_list(driver, NULL, &(struct call_access_list){ .kind = ACCESS_USER });
    assert_string_equal(access_names(driver, list), "ada bob root.admin");
    refused(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "ada", "{}"), ST_CONFLICT, "damaged");
    access_done(access_do(driver, ACCESS_USER, ACCESS_PUT, "ada", "{\"roles\":[\"viewer\"]}"));
    principal_unref(access_principal(driver, "user:ada"));
}

/* The key of a session's record is the hash of its cookie, of which nothing but the id is shown. */
static void a_damaged_session_shows_its_id_alone(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_USER, "ada", "{}");
    access_done(begin_session(driver, "c1", "{\"user\":\"ada\"}"));
    access_done(begin_session(driver, "c2", "{\"user\":\"ada\"}"));
    struct credential_hash hash = access_hash("c1");
    str key = credential_hash_text(&hash, &driver->arena);
    put_damaged(driver, RECORD_SESSION, arena_str(&driver->arena, key).p);
    assert_string_equal(why(resolve_session(driver, "c1")), "damaged record");
    principal_unref(resolve_session(driver, "c2")->value.resolve.principal);
    struct call *list =
        access_list(driver, NULL, &(struct call_access_list){ .kind = ACCESS_SESSION, .of = STR("ada") });
    assert_int_equal(list->value.access_list.count, 2);
    struct buf text;
    buf_init(&text, &driver->arena);
    for (size_t i = 0; i < 2; i++) json_print(list->value.access_list.view[i], &text);
    assert_true(str_find(buf_str(&text), str_slice(key, 0, 16), 0) != SIZE_MAX);
    assert_true(str_find(buf_str(&text), str_slice(key, 0, 17), 0) == SIZE_MAX);
    assert_true(str_find(buf_str(&text), STR("damaged"), 0) != SIZE_MAX);
}

/* ---- changes ---- */

/* Two links of two nodes may be used at the same time. */
static void the_first_user_is_made_once(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    struct access_change first[] = {
        { .kind = ACCESS_USER, .action = ACCESS_CREATE, .name = STR("ada"), .is_first = true },
        { .kind = ACCESS_SESSION,
          .action = ACCESS_CREATE,
          .object = driver_json(driver, "{\"user\":\"ada\"}"),
          .hash = access_hash("c1") },
    };
    first[0].object = driver_json(driver, "{\"roles\":[\"admin\"]}");
    access_done(access_change(driver, NULL, first, 2));
    principal_unref(resolve_session(driver, "c1")->value.resolve.principal);
    first[0].name = STR("eve");
    first[1].object = driver_json(driver, "{\"user\":\"eve\"}");
    first[1].hash = access_hash("c2");
    refused(access_change(driver, NULL, first, 2), ST_CONFLICT, "somebody else");
    assert_string_equal(why(resolve_session(driver, "c2")), "unknown session");
}

static void changes_of_a_call_happen_together_or_not_at_all(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    uint64_t before = directory_generation(bench->directory);
    const struct access_change good[] = {
        { .kind = ACCESS_TENANT,
          .action = ACCESS_PUT,
          .name = STR("acme"),
          .object = driver_json(driver, "{}") },
        { .kind = ACCESS_KEY,
          .action = ACCESS_PUT,
          .name = STR("K1"),
          .object = driver_json(driver, "{\"name\":\"a\",\"tenant\":\"acme\",\"roles\":[\"viewer\"]}"),
          .hash = access_hash("s") },
        { .kind = ACCESS_USER, .action = ACCESS_CREATE, .name = STR("engine") },
    };
    refused(access_change(driver, NULL, good, 3), ST_INVALID, "reserved");
    assert_string_equal(why(access_resolve_key(driver, "K1", "s")), "unknown key");
    assert_int_equal(directory_generation(bench->directory), before);
    struct call *call = access_change(driver, NULL, good, 2);
    access_done(call);
    assert_true(call->value.access.is_new[0] && call->value.access.is_new[1]);
    assert_true(directory_generation(bench->directory) > before);
    principal_unref(access_resolve_key(driver, "K1", "s")->value.resolve.principal);
    /* The second time nothing changes. */
    before = directory_generation(bench->directory);
    call = access_change(driver, NULL, good, 2);
    access_done(call);
    assert_true(call->value.access.is_same[0] && call->value.access.is_same[1]);
    assert_int_equal(directory_generation(bench->directory), before);
}

static void a_dry_run_changes_nothing(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    struct access_change change = {
        .kind = ACCESS_USER, .action = ACCESS_PUT, .name = STR("ada"), .object = driver_json(driver, "{}")
    };
    struct call *call = driver_call(driver, CALL_CHANGE_ACCESS);
    call->as.access = (struct call_access){ .change = &change, .count = 1, .dry_run = true };
    driver_run(driver, call);
    access_done(call);
    assert_true(call->value.access.is_new[0]);
    assert_false(directory_is_closed(bench->directory));
    struct call *list = access_list(driver, NULL, &(struct call_access_list){ .kind = ACCESS_USER });
    assert_int_equal(list->value.access_list.count, 0);
}

static void names_are_unique_and_missing_ones_are_told(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make(driver, ACCESS_USER, "ada", "{}");
    refused(access_do(driver, ACCESS_USER, ACCESS_CREATE, "ada", "{}"), ST_CONFLICT, "already");
    refused(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "bob", "{}"), ST_NOT_FOUND, "no user");
    refused(access_do(driver, ACCESS_KEY, ACCESS_REMOVE, "K9", NULL), ST_NOT_FOUND, "no key");
    refused(access_do(driver, ACCESS_GRANT, ACCESS_REMOVE, "G9", NULL), ST_NOT_FOUND, "no grant");
    refused(access_do(driver, ACCESS_USER, ACCESS_ROTATE, "ada", NULL), ST_INVALID, "no action");
    refused(access_do(driver, ACCESS_TENANT, ACCESS_CREATE, "default", "{}"), ST_CONFLICT, "already");
    refused(access_do(driver, ACCESS_GRANT, ACCESS_CREATE, "",
                      "{\"to\":\"user:ada\",\"role\":\"viewer\",\"tenant\":\"nowhere\"}"),
            ST_INVALID, "no tenant");
}

static void removing_a_user_removes_sessions_and_grants(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_USER, "ada", "{}");
    access_make(driver, ACCESS_GRANT, "g1", "{\"to\":\"user:ada\",\"role\":\"viewer\"}");
    access_done(begin_session(driver, "c1", "{\"user\":\"ada\"}"));
    access_done(access_do(driver, ACCESS_USER, ACCESS_REMOVE, "ada", NULL));
    assert_string_equal(why(resolve_session(driver, "c1")), "unknown session");
    access_make(driver, ACCESS_USER, "ada", "{}");
    struct principal *ada = access_principal(driver, "user:ada");
    assert_int_equal(ada->grant_count, 0);
    principal_unref(ada);
}

static void the_last_admin_stays(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    make_admin(driver);
    refused(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "root.admin", "{\"state\":\"disabled\"}"),
            ST_CONFLICT, "admin of all tenants");
    refused(access_do(driver, ACCESS_GRANT, ACCESS_REMOVE, "g0", NULL), ST_CONFLICT, "admin of all tenants");
    access_make(driver, ACCESS_USER, "bob", "{\"groups\":[\"root\"]}");
    access_make(driver, ACCESS_GRANT, "g1", "{\"to\":\"group:root\",\"role\":\"admin\",\"tenant\":\"*\"}");
    access_done(access_do(driver, ACCESS_GRANT, ACCESS_REMOVE, "g0", NULL));
    refused(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "bob", "{\"groups\":[]}"), ST_CONFLICT, "admin");
    /* With a root secret, or without any user, nobody is locked out. */
    directory_set_root(bench->directory, STR("secret"));
    access_done(access_do(driver, ACCESS_USER, ACCESS_CHANGE, "bob", "{\"groups\":[]}"));
}

static void a_tenant_is_removed_when_it_is_empty(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    struct tenant tenant, again;
    access_make(driver, ACCESS_TENANT, "acme", "{\"quotas\":{\"keys\":1}}");
    assert_true(directory_tenant(bench->directory, STR("acme"), &tenant));
    access_make_key(driver, "K1", "s1", "{\"name\":\"a\",\"tenant\":\"acme\"}");
    const struct access_change second = { .kind = ACCESS_KEY,
                                          .action = ACCESS_CREATE,
                                          .name = STR("K2"),
                                          .object =
                                              driver_json(driver, "{\"name\":\"b\",\"tenant\":\"acme\"}"),
                                          .hash = access_hash("s2") };
    struct call *call = access_change(driver, NULL, &second, 1);
    refused(call, ST_OVERLOAD, "quota keys (1)");
    assert_string_equal(call->error.code, "tenant-limit");
    refused(access_do(driver, ACCESS_TENANT, ACCESS_REMOVE, "acme", NULL), ST_CONFLICT, "still has keys");
    access_done(access_do(driver, ACCESS_KEY, ACCESS_REMOVE, "K1", NULL));
    access_done(access_do(driver, ACCESS_TENANT, ACCESS_REMOVE, "acme", NULL));
    assert_false(directory_tenant(bench->directory, STR("acme"), &again));
    /* Its number is not given to another one. */
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    assert_true(directory_tenant(bench->directory, STR("acme"), &again) && again.number > tenant.number);
    refused(access_do(driver, ACCESS_TENANT, ACCESS_REMOVE, "default", NULL), ST_CONFLICT, "always");
    struct call *list = access_list(driver, NULL, &(struct call_access_list){ .kind = ACCESS_TENANT });
    assert_string_equal(access_names(driver, list), "acme default");
}

static struct call *make_keys(struct driver *driver, const char *first, const char *second, const char *gone)
{
    const struct access_change changes[] = {
        { .kind = ACCESS_KEY, .action = ACCESS_REMOVE, .name = str_of(gone) },
        { .kind = ACCESS_KEY,
          .action = ACCESS_CREATE,
          .name = str_of(first),
          .object = driver_json(driver, "{\"name\":\"a\",\"tenant\":\"acme\"}"),
          .hash = access_hash(first) },
        { .kind = ACCESS_KEY,
          .action = ACCESS_CREATE,
          .name = str_of(second),
          .object = driver_json(driver, "{\"name\":\"b\",\"tenant\":\"acme\"}"),
          .hash = access_hash(second) },
    };
    return access_change(driver, NULL, gone[0] ? changes : changes + 1, gone[0] ? 3 : 2);
}

static void keys_of_one_call_count_together(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make(driver, ACCESS_TENANT, "acme", "{\"quotas\":{\"keys\":3}}");
    access_done(make_keys(driver, "K1", "K2", ""));
    refused(make_keys(driver, "K3", "K4", ""), ST_OVERLOAD, "quota keys (3)");
    access_done(make_keys(driver, "K3", "K4", "K1"));
    refused(make_keys(driver, "K5", "K6", "K2"), ST_OVERLOAD, "quota keys (3)");
}

/* ---- who may ---- */

static void admins_of_a_tenant_see_and_change_nothing_of_others(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    access_make_key(driver, "KA", "sa", "{\"name\":\"a\",\"tenant\":\"acme\",\"roles\":[\"admin\"]}");
    access_make_key(driver, "KD", "sd", "{\"name\":\"d\",\"roles\":[\"viewer\"]}");
    access_make(driver, ACCESS_GRANT, "gd", "{\"to\":\"key:KD\",\"role\":\"worker\"}");
    struct caller acme = caller_of(driver, "key:KA"), root = caller_of(driver, "user:root.admin");
    struct call *list = access_list(driver, &acme, &(struct call_access_list){ .kind = ACCESS_KEY });
    assert_string_equal(access_names(driver, list), "KA");
    list = access_list(driver, &root, &(struct call_access_list){ .kind = ACCESS_KEY });
    assert_string_equal(access_names(driver, list), "KD");
    list = access_list(driver, &root, &(struct call_access_list){ .kind = ACCESS_GRANT });
    assert_string_equal(access_names(driver, list), "g0 gd");
    list = access_list(driver, &acme, &(struct call_access_list){ .kind = ACCESS_TENANT });
    assert_string_equal(access_names(driver, list), "acme");
    refused(access_list(driver, &acme, &(struct call_access_list){ .kind = ACCESS_USER }), ST_FORBIDDEN, "");
    refused(access_list(driver, &acme, &(struct call_access_list){ .kind = ACCESS_KEY, .name = STR("KD") }),
            ST_NOT_FOUND, "no key");
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_REMOVE, .name = STR("KD") };
    refused(access_change(driver, &acme, &change, 1), ST_NOT_FOUND, "no key");
    change = (struct access_change){ .kind = ACCESS_GRANT, .action = ACCESS_REMOVE, .name = STR("gd") };
    refused(access_change(driver, &acme, &change, 1), ST_NOT_FOUND, "no grant");
    change = (struct access_change){ .kind = ACCESS_GRANT,
                                     .action = ACCESS_CREATE,
                                     .object = driver_json(
                                         driver, "{\"to\":\"key:KA\",\"role\":\"admin\",\"tenant\":\"*\"}") };
    refused(access_change(driver, &acme, &change, 1), ST_FORBIDDEN, "global:admin");
    change.object = driver_json(driver, "{\"to\":\"user:ada\",\"role\":\"viewer\"}");
    struct call *call = access_change(driver, &acme, &change, 1);
    access_done(call); /* In its own tenant. */
    assert_true(str_equal(json_text(call->value.access.view[0], STR("tenant")), STR("acme")));
    principal_unref(acme.principal);
    principal_unref(root.principal);
}

/* Ids of grants in files can be guessed. */
static void a_grant_replaces_none_of_another_tenant(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    access_make(driver, ACCESS_TENANT, "evil", "{}");
    access_make(driver, ACCESS_USER, "ada", "{}");
    access_make(driver, ACCESS_GRANT, "g1", "{\"to\":\"user:ada\",\"role\":\"viewer\",\"tenant\":\"acme\"}");
    refused(access_do(driver, ACCESS_GRANT, ACCESS_PUT, "g1",
                      "{\"to\":\"user:ada\",\"role\":\"worker\",\"tenant\":\"evil\"}"),
            ST_CONFLICT, "is taken");
    access_done(access_do(driver, ACCESS_GRANT, ACCESS_PUT, "g1",
                          "{\"to\":\"user:eve\",\"role\":\"worker\",\"tenant\":\"evil\"}"));
    refused(access_do(driver, ACCESS_GRANT, ACCESS_PUT, "g1",
                      "{\"to\":\"user:ada\",\"role\":\"worker\",\"tenant\":\"evil\"}"),
            ST_CONFLICT, "is taken");
    access_done(access_do(driver, ACCESS_GRANT, ACCESS_PUT, "g1",
                          "{\"to\":\"user:ada\",\"role\":\"builder\",\"tenant\":\"acme\"}"));
    struct principal *ada = access_principal(driver, "user:ada");
    assert_int_equal(ada->grant_count, 1);
    assert_int_equal(ada->grant[0].role, ROLE_BUILDER);
    principal_unref(ada);
}

static void nobody_gives_more_than_they_have(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    access_make_key(driver, "K1", "s",
                    "{\"name\":\"half\",\"roles\":[\"admin\"],\"scopes\":[\"access:admin\"]}");
    struct caller half = caller_of(driver, "key:K1");
    const struct access_change change = { .kind = ACCESS_GRANT,
                                          .action = ACCESS_CREATE,
                                          .object = driver_json(
                                              driver, "{\"to\":\"user:ada\",\"role\":\"operator\"}") };
    refused(access_change(driver, &half, &change, 1), ST_FORBIDDEN, "more than they have");
    principal_unref(half.principal);
}

/* ---- the directory ---- */

static void the_directory_knows_after_a_restart(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    assert_false(directory_is_closed(bench->directory));
    access_make(driver, ACCESS_USER, "ada", "{}");
    assert_true(directory_is_closed(bench->directory));
    uint64_t before = directory_generation(bench->directory);
    restart(bench);
    assert_true(directory_is_closed(bench->directory));
    assert_int_equal(directory_generation(bench->directory), before);
    access_done(access_do(driver, ACCESS_USER, ACCESS_REMOVE, "ada", NULL));
    assert_false(directory_is_closed(bench->directory));
}

/* A principal that was resolved before a change holds no more. */
static void a_revoked_key_ends_at_once(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    access_make_key(driver, "K1", "s", "{\"name\":\"a\",\"roles\":[\"worker\"]}");
    struct principal *key = access_resolve_key(driver, "K1", "s")->value.resolve.principal;
    assert_true(directory_still_holds(bench->directory, key, driver->now_ms));
    access_done(access_do(driver, ACCESS_KEY, ACCESS_REMOVE, "K1", NULL));
    assert_false(directory_still_holds(bench->directory, key, driver->now_ms));
    principal_unref(key);
}

/* Pages end where they should, also when two lists are merged. */
static void lists_have_pages(void **state)
{
    struct driver *driver = ((struct bench *)*state)->driver;
    make_admin(driver);
    for (int i = 1; i < 6; i++) {
        char name[8], object[96];
        snprintf(name, sizeof name, "g%d", i);
        snprintf(object, sizeof object, "{\"to\":\"user:u%d\",\"role\":\"viewer\",\"tenant\":\"%s\"}", i,
                 i % 2 ? "*" : "default");
        access_make(driver, ACCESS_GRANT, name, object);
    }
    struct caller root = caller_of(driver, "user:root.admin");
    struct call_access_list asked = { .kind = ACCESS_GRANT, .max = 4 };
    struct call *list = access_list(driver, &root, &asked);
    assert_string_equal(access_names(driver, list), "g0 g1 g2 g3");
    assert_true(list->value.access_list.more);
    asked.after = STR("g3");
    list = access_list(driver, &root, &asked);
    assert_string_equal(access_names(driver, list), "g4 g5");
    assert_false(list->value.access_list.more);
    asked = (struct call_access_list){ .kind = ACCESS_GRANT, .of = STR("user:u3") };
    assert_string_equal(access_names(driver, access_list(driver, &root, &asked)), "g3");
    principal_unref(root.principal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACCESS_TEST(a_users_grants_come_from_record_grants_and_groups),
        ACCESS_TEST(a_key_counts_with_its_secret_until_it_ends),
        ACCESS_TEST(a_rotated_key_has_two_secrets_for_a_day),
        ACCESS_TEST(a_session_ends_with_its_user_and_its_time),
        ACCESS_TEST(a_session_of_an_issuer_keeps_the_claims),
        ACCESS_TEST(a_bearer_is_not_a_user_of_ours_with_the_same_name),
        ACCESS_TEST(a_token_of_our_own_ends_with_its_key),
        ACCESS_TEST(a_damaged_record_stops_only_its_own_principal),
        ACCESS_TEST(a_damaged_session_shows_its_id_alone),
        ACCESS_TEST(the_first_user_is_made_once),
        ACCESS_TEST(changes_of_a_call_happen_together_or_not_at_all),
        ACCESS_TEST(a_dry_run_changes_nothing),
        ACCESS_TEST(names_are_unique_and_missing_ones_are_told),
        ACCESS_TEST(removing_a_user_removes_sessions_and_grants),
        ACCESS_TEST(the_last_admin_stays),
        ACCESS_TEST(a_tenant_is_removed_when_it_is_empty),
        ACCESS_TEST(keys_of_one_call_count_together),
        ACCESS_TEST(admins_of_a_tenant_see_and_change_nothing_of_others),
        ACCESS_TEST(a_grant_replaces_none_of_another_tenant),
        ACCESS_TEST(nobody_gives_more_than_they_have),
        ACCESS_TEST(the_directory_knows_after_a_restart),
        ACCESS_TEST(a_revoked_key_ends_at_once),
        ACCESS_TEST(lists_have_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
