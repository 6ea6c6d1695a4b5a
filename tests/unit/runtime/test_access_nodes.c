/* Access on a store that two nodes share: a change at one ends principals at the other within a heartbeat. */
#include "access_driver.h"
#include "pair_driver.h"

struct bench {
    struct pair *pair;
    struct directory *directory[2];
};

static int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    void *pair;
    setup(&pair);
    bench->pair = pair;
    for (size_t i = 0; i < COUNT(bench->directory); i++) {
        bench->directory[i] = access_directory(NULL);
        access_use(&bench->pair->node[i], bench->directory[i]);
    }
    *state = bench;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    void *pair = bench->pair;
    teardown(&pair);
    for (size_t i = 0; i < COUNT(bench->directory); i++) directory_free(bench->directory[i]);
    free(bench);
    return 0;
}

static void a_key_that_another_node_revokes_ends_within_a_heartbeat(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    access_make_key(first, "K1", "s", "{\"name\":\"a\",\"roles\":[\"worker\"]}");
    struct principal *key = access_resolve_key(second, "K1", "s")->value.resolve.principal;
    assert_non_null(key);
    access_done(access_do(first, ACCESS_KEY, ACCESS_CHANGE, "K1", "{\"state\":\"revoked\"}"));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_false(directory_still_holds(bench->directory[1], key, second->now_ms));
    assert_string_equal(access_resolve_key(second, "K1", "s")->value.resolve.why, "revoked");
    principal_unref(key);
}

/* ---- sessions ---- */

static const char *cookie_of(int number)
{
    static char cookie[16];
    snprintf(cookie, sizeof cookie, "c%d", number);
    return cookie;
}

static void begin_session(struct driver *driver, int number)
{
    const struct access_change change = { .kind = ACCESS_SESSION,
                                          .action = ACCESS_CREATE,
                                          .object = driver_json(driver, "{\"user\":\"ada\"}"),
                                          .hash = access_hash(cookie_of(number)) };
    access_done(access_change(driver, NULL, &change, 1));
}

static void end_session(struct driver *driver, int number)
{
    struct credential_hash hash = access_hash(cookie_of(number));
    enum { ID_BYTES = 16 };
    str id = str_slice(credential_hash_text(&hash, &driver->arena), 0, ID_BYTES);
    access_done(access_do(driver, ACCESS_SESSION, ACCESS_END, arena_str(&driver->arena, id).p, NULL));
}

/* Resolves the session at the node and keeps the answer, as the gate does. */
static void keep_session(struct driver *driver, struct directory *directory, int number)
{
    struct credential_hash hash = access_hash(cookie_of(number));
    struct call *call =
        access_resolve_as(driver, &(struct call_resolve){ .kind = CREDENTIAL_SESSION, .hash = hash });
    const struct answer_resolve *answer = &call->value.resolve;
    assert_non_null(answer->principal);
    directory_keep(directory, &hash, answer->mark, answer->principal, answer->why, driver->now_ms);
    principal_unref(answer->principal);
}

static bool is_kept(const struct driver *driver, struct directory *directory, int number)
{
    struct credential_hash hash = access_hash(cookie_of(number));
    struct principal *principal;
    const char *why;
    if (directory_find(directory, &hash, driver->now_ms, &principal, &why) != DIRECTORY_FOUND) return false;
    principal_unref(principal);
    return true;
}

static void a_session_that_another_node_ends_ends_alone(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    access_make(first, ACCESS_USER, "ada", "{\"roles\":[\"viewer\"]}");
    for (int i = 0; i < 3; i++) begin_session(first, i);
    advance(bench->pair, HEARTBEAT_MS + 100);
    for (int i = 0; i < 3; i++) keep_session(second, bench->directory[1], i);
    uint64_t generation = directory_generation(bench->directory[1]);
    end_session(first, 1);
    end_session(second, 2); /* Its own, before it has heard of the other. */
    assert_true(is_kept(second, bench->directory[1], 1));
    assert_false(is_kept(second, bench->directory[1], 2));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(is_kept(second, bench->directory[1], 0));
    assert_false(is_kept(second, bench->directory[1], 1));
    assert_int_equal(directory_generation(bench->directory[1]), generation);
}

/* The record names ENDED_SESSIONS_MAX sessions. One more, and nobody knows which one is missing. */
static void sessions_end_by_name_up_to_a_limit(void **state)
{
    for (int more = 0; more <= 1; more++) {
        struct bench *bench = *state;
        struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
        int count = ENDED_SESSIONS_MAX + more;
        if (!more) access_make(first, ACCESS_USER, "ada", "{\"roles\":[\"viewer\"]}");
        for (int i = 0; i <= count; i++) begin_session(first, 100 * more + i);
        advance(bench->pair, HEARTBEAT_MS + 100);
        for (int i = 0; i <= count; i++) keep_session(second, bench->directory[1], 100 * more + i);
        for (int i = 1; i <= count; i++) end_session(first, 100 * more + i);
        advance(bench->pair, HEARTBEAT_MS + 100);
        for (int i = 1; i <= count; i++) assert_false(is_kept(second, bench->directory[1], 100 * more + i));
        assert_int_equal(is_kept(second, bench->directory[1], 100 * more), !more);
    }
}

static void the_first_user_closes_every_node(void **state)
{
    struct bench *bench = *state;
    access_make(&bench->pair->node[0], ACCESS_USER, "ada", "{}");
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(directory_is_closed(bench->directory[1]));
}

static void a_suspended_tenant_is_known_everywhere(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    struct tenant tenant;
    access_make(first, ACCESS_TENANT, "acme", "{}");
    access_list(second, NULL, &(struct call_access_list){ .kind = ACCESS_TENANT, .name = STR("acme") });
    assert_true(directory_tenant(bench->directory[1], STR("acme"), &tenant) && !tenant.is_suspended);
    access_done(access_do(first, ACCESS_TENANT, ACCESS_CHANGE, "acme", "{\"state\":\"suspended\"}"));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(directory_tenant(bench->directory[1], STR("acme"), &tenant) && tenant.is_suspended);
    access_done(access_do(first, ACCESS_TENANT, ACCESS_REMOVE, "acme", NULL));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_false(directory_tenant(bench->directory[1], STR("acme"), &tenant));
}

/* The generation of a change of our own is higher than that of a change which we have not seen. */
static void a_change_of_ones_own_hides_no_suspension(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    struct tenant tenant;
    access_make(first, ACCESS_TENANT, "acme", "{}");
    access_list(second, NULL, &(struct call_access_list){ .kind = ACCESS_TENANT, .name = STR("acme") });
    advance(bench->pair, HEARTBEAT_MS + 100);
    access_done(access_do(first, ACCESS_TENANT, ACCESS_CHANGE, "acme", "{\"state\":\"suspended\"}"));
    access_make(second, ACCESS_USER, "ada", "{}");
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(directory_tenant(bench->directory[1], STR("acme"), &tenant) && tenant.is_suspended);
}

static const char *peer_of(struct directory *directory)
{
    static char id[64];
    struct principal *peer = directory_of_peer(directory, STR("10.1.2.3"), STR_NONE);
    snprintf(id, sizeof id, "%.*s", STR_ARG(peer->id));
    principal_unref(peer);
    return id;
}

/* No credential of theirs is ever resolved, so only the engine can tell of their tenant. */
static void callers_from_a_trusted_network_find_a_tenant_that_comes_late(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    const struct trusted network = { STR("10.0.0.0/8"), 1u << ROLE_WORKER, STR("acme") };
    const struct directory_config config = { .network = &network, .network_count = 1, .asks_always = true };
    struct directory *late = directory_new(&config), *later = directory_new(&config);
    second->engine.access.directory = NULL;
    access_use(second, late);
    assert_string_equal(peer_of(late), "nobody");
    access_make(first, ACCESS_TENANT, "acme", "{}");
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_string_equal(peer_of(late), "network:10.0.0.0/8");
    second->engine.access.directory = NULL; /* As after a restart. */
    access_use(second, later);
    assert_string_equal(peer_of(later), "network:10.0.0.0/8");
    access_done(access_do(first, ACCESS_TENANT, ACCESS_REMOVE, "acme", NULL));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_string_equal(peer_of(later), "nobody");
    directory_free(late);
    directory_free(later);
}

static void each_node_has_a_chain_of_its_own(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", i);
        access_make(&bench->pair->node[i % 2], ACCESS_USER, name, "{}");
        advance(bench->pair, 100);
    }
    struct call *call =
        driver_run(&bench->pair->node[0], driver_call(&bench->pair->node[0], CALL_VERIFY_AUDIT));
    access_done(call);
    assert_int_equal(call->value.audit_rows.checked, 6);
    if (call->value.audit_rows.broken.n) fail_msg("%.*s", STR_ARG(call->value.audit_rows.broken));
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_key_that_another_node_revokes_ends_within_a_heartbeat),
        PAIR_TEST(a_session_that_another_node_ends_ends_alone),
        PAIR_TEST(sessions_end_by_name_up_to_a_limit),
        PAIR_TEST(the_first_user_closes_every_node),
        PAIR_TEST(a_suspended_tenant_is_known_everywhere),
        PAIR_TEST(a_change_of_ones_own_hides_no_suspension),
        PAIR_TEST(callers_from_a_trusted_network_find_a_tenant_that_comes_late),
        PAIR_TEST(each_node_has_a_chain_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
