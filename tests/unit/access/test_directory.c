#include "access/directory/directory.h"

#include "access/limits.h"

#include "access_test.h"

#include <pthread.h>
#include <stdio.h>

enum { NOW_MS = 1000000, MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS };

static const struct trusted networks[] = {
    { STR_INIT("10.0.0.0/8"), 1u << ROLE_VIEWER, STR_INIT("") },
    { STR_INIT("10.1.0.0/16"), 1u << ROLE_WORKER | 1u << ROLE_SENDER, STR_INIT("acme") },
    { STR_INIT("fd00::/8"), 1u << ROLE_VIEWER, STR_INIT("") },
    { STR_INIT("192.0.2.7"), 1u << ROLE_VIEWER, STR_INIT("") },
};
static const struct trusted certificates[] = { { STR_INIT("CN=worker"), 1u << ROLE_WORKER, STR_INIT("") } };

struct world {
    struct directory *directory;
    struct arena arena;
    const char *why;
};

static int begin(void **state)
{
    static struct world world;
    arena_init(&world.arena, 0);
    world.directory = directory_new(&(struct directory_config){ .network = networks,
                                                                .network_count = COUNT(networks),
                                                                .certificate = certificates,
                                                                .certificate_count = COUNT(certificates),
                                                                .root_secret = STR("the root secret") });
    *state = &world;
    return 0;
}

static int end(void **state)
{
    struct world *world = *state;
    directory_free(world->directory);
    arena_done(&world->arena);
    return 0;
}

static struct credential_hash hash_of(size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "credential %zu", number);
    return credential_hash(str_of(text));
}

/* Keeps a principal for a credential, as of now. */
static void keep(struct directory *directory, size_t number, int64_t expires_ms)
{
    struct credential_hash hash = hash_of(number);
    struct principal *principal = principal_new(PRINCIPAL_USER);
    principal->generation = directory_generation(directory);
    principal->expires_ms = expires_ms;
    directory_keep(directory, &hash, principal->generation, principal, NULL, NOW_MS);
    principal_unref(principal);
}

static void keep_session(struct directory *directory, size_t number)
{
    struct credential_hash hash = hash_of(number);
    struct principal *principal = principal_new(PRINCIPAL_USER);
    principal->generation = directory_generation(directory);
    principal->credential = STR("0123456789abcdef");
    directory_keep(directory, &hash, directory_mark(directory), principal, NULL, NOW_MS);
    principal_unref(principal);
}

static void refuse(struct directory *directory, size_t number)
{
    struct credential_hash hash = hash_of(number);
    directory_keep(directory, &hash, directory_generation(directory), NULL, "unknown key", NOW_MS);
}

static enum directory_answer ask(struct world *world, size_t number, int64_t now_ms)
{
    struct credential_hash hash = hash_of(number);
    struct principal *principal = NULL;
    enum directory_answer answer = directory_find(world->directory, &hash, now_ms, &principal, &world->why);
    assert_int_equal(answer == DIRECTORY_FOUND, principal != NULL);
    principal_unref(principal);
    return answer;
}

static void an_answer_is_kept_for_a_while(void **state)
{
    struct world *world = *state;
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    keep(world->directory, 1, 0);
    refuse(world->directory, 2);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_FOUND);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_REFUSED);
    assert_string_equal(world->why, "unknown key");
    assert_int_equal(ask(world, 2, NOW_MS + MINUTE_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 1, NOW_MS + MINUTE_MS), DIRECTORY_FOUND);
    assert_int_equal(ask(world, 1, NOW_MS + HOUR_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK); /* It was dropped. */
    keep(world->directory, 1, 0);
    assert_int_equal(ask(world, 1, NOW_MS - 1), DIRECTORY_ASK); /* The clock was set back. */
}

static void an_answer_ends_with_its_principal(void **state)
{
    struct world *world = *state;
    keep(world->directory, 1, NOW_MS + 5);
    assert_int_equal(ask(world, 1, NOW_MS + 4), DIRECTORY_FOUND);
    assert_int_equal(ask(world, 1, NOW_MS + 5), DIRECTORY_ASK);
}

static void a_later_answer_takes_the_place_of_the_earlier(void **state)
{
    struct world *world = *state;
    refuse(world->directory, 1);
    keep(world->directory, 1, 0);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_FOUND);
    refuse(world->directory, 1);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_REFUSED);
}

static void nothing_older_than_a_change_counts(void **state)
{
    struct world *world = *state;
    struct directory *directory = world->directory;
    struct credential_hash hash = hash_of(3);
    keep(directory, 1, 0);
    refuse(directory, 2);
    uint64_t before = directory_generation(directory);
    directory_advance(directory, before + 1);
    directory_advance(directory, before); /* Generations only grow. */
    assert_int_equal(directory_generation(directory), before + 1);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_ASK);

    /* A resolution that began before the change ends after it. */
    struct principal *principal = principal_new(PRINCIPAL_USER);
    principal->generation = before;
    directory_keep(directory, &hash, before, principal, NULL, NOW_MS);
    assert_int_equal(ask(world, 3, NOW_MS), DIRECTORY_ASK);
    directory_keep(directory, &hash, before, NULL, "unknown key", NOW_MS);
    assert_int_equal(ask(world, 3, NOW_MS), DIRECTORY_ASK);
    assert_false(directory_still_holds(directory, principal, NOW_MS));
    principal_unref(principal);
}

static void holders_are_told_when_their_principal_ends(void **state)
{
    struct world *world = *state;
    struct directory *directory = world->directory;
    struct principal *principal = principal_new(PRINCIPAL_KEY);
    principal->generation = directory_generation(directory);
    principal->expires_ms = NOW_MS + 5;
    assert_true(directory_still_holds(directory, principal, NOW_MS));
    assert_false(directory_still_holds(directory, principal, NOW_MS + 5));
    directory_advance(directory, principal->generation + 1);
    assert_false(directory_still_holds(directory, principal, NOW_MS));
    principal_unref(principal);
    assert_true(directory_still_holds(directory, principal_nobody(false), NOW_MS));
    assert_false(directory_still_holds(directory, principal_nobody(true), NOW_MS)); /* It is closed. */
    directory_set_root(directory, STR(""));
    assert_true(directory_still_holds(directory, principal_nobody(true), NOW_MS));
}

static void the_root_secret_is_a_key(void **state)
{
    struct world *world = *state;
    struct directory *directory = world->directory;
    struct credential_hash hash = credential_hash(STR("the root secret")),
                           other = credential_hash(STR("new"));
    struct principal *root, *again;
    assert_int_equal(directory_find(directory, &hash, NOW_MS, &root, &world->why), DIRECTORY_FOUND);
    assert_true(str_equal(root->id, STR("key:root")) && root->acts_for);
    assert_true(principal_may(root, 99, MAY_GLOBAL_ADMIN, STR("")));
    directory_advance(directory, 77);
    assert_true(directory_still_holds(directory, root, NOW_MS)); /* No record changes it. */
    directory_set_root(directory, STR("the root secret"));
    assert_true(directory_still_holds(directory, root, NOW_MS)); /* The same again. */
    directory_set_root(directory, STR("new"));
    assert_false(directory_still_holds(directory, root, NOW_MS));
    assert_int_equal(directory_find(directory, &hash, NOW_MS, &again, &world->why), DIRECTORY_ASK);
    assert_int_equal(directory_find(directory, &other, NOW_MS, &again, &world->why), DIRECTORY_FOUND);
    principal_unref(again);
    principal_unref(root);
    struct credential_hash empty = credential_hash(STR(""));
    directory_set_root(directory, STR(""));
    assert_int_equal(directory_find(directory, &empty, NOW_MS, &again, &world->why), DIRECTORY_ASK);
}

static void a_directory_is_closed_as_soon_as_somebody_could_come(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    assert_true(directory_is_closed(directory));
    directory_set_root(directory, STR(""));
    assert_false(directory_is_closed(directory));
    directory_set_members(directory, true, false);
    assert_true(directory_is_closed(directory));
    directory_set_members(directory, false, true);
    assert_true(directory_is_closed(directory));
    directory_set_members(directory, false, false);
    assert_false(directory_is_closed(directory));
}

/* A flood of wrong credentials drives no principal out, and memory has a bound. */
static void what_is_kept_has_a_bound(void **state)
{
    struct world *world = *state;
    keep(world->directory, 0, 0);
    for (size_t i = 1; i <= DIRECTORY_REFUSED_MAX + 100; i++) refuse(world->directory, i);
    assert_int_equal(ask(world, 0, NOW_MS), DIRECTORY_FOUND);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 100, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 101, NOW_MS), DIRECTORY_REFUSED);
    for (size_t i = 1; i < DIRECTORY_PRINCIPALS_MAX; i++) keep(world->directory, i, 0);
    assert_int_equal(ask(world, 0, NOW_MS), DIRECTORY_FOUND); /* Used last, so others go first. */
    keep(world->directory, DIRECTORY_PRINCIPALS_MAX, 0);
    assert_int_equal(ask(world, 0, NOW_MS), DIRECTORY_FOUND);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_FOUND);
}

static void expect_peer(struct directory *directory, const char *address, const char *subject, const char *id)
{
    struct principal *principal = directory_of_peer(directory, str_of(address), str_of(subject));
    assert_true(str_equal(principal->id, str_of(id)));
    principal_unref(principal);
}

static void networks_and_certificates_have_roles(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    expect_peer(directory, "10.2.0.1", "", "network:10.0.0.0/8");
    expect_peer(directory, "::ffff:10.2.0.1", "", "network:10.0.0.0/8");
    expect_peer(directory, "11.0.0.1", "", "nobody");
    expect_peer(directory, "fd12::1", "", "network:fd00::/8");
    expect_peer(directory, "fe80::1%eth0", "", "nobody");
    expect_peer(directory, "192.0.2.7", "", "network:192.0.2.7");
    expect_peer(directory, "192.0.2.8", "", "nobody");
    expect_peer(directory, "no address", "", "nobody");
    expect_peer(directory, "", "", "nobody");
    expect_peer(directory, "10.2.0.1", "CN=worker", "certificate:CN=worker");
    expect_peer(directory, "1.1.1.1", "CN=worker,O=evil", "nobody");
    expect_peer(directory, "1.1.1.1", "cn=worker", "nobody");

    expect_peer(directory, "10.1.0.1", "", "nobody"); /* Its tenant is not there yet. */
    directory_keep_tenant(directory, &(struct tenant){ .name = STR("acme"), .number = 7 });
    struct principal *principal = directory_of_peer(directory, STR("10.1.0.1"), STR(""));
    assert_true(str_equal(principal->id, STR("network:10.1.0.0/16")));
    assert_int_equal(principal->home, 7);
    assert_int_equal(principal_roles(principal, 7), 1u << ROLE_WORKER | 1u << ROLE_SENDER);
    assert_false(principal_knows(principal, TENANT_DEFAULT));
    directory_keep_tenant(directory, &(struct tenant){ .name = STR("acme"), .number = 8 });
    struct principal *later = directory_of_peer(directory, STR("10.1.0.1"), STR(""));
    assert_int_equal(later->home, 8);
    principal_unref(later);
    principal_unref(principal);
    directory_set_root(directory, STR("")); /* Nobody has to show anything now. */
    principal = directory_of_peer(directory, STR("10.1.0.1"), STR(""));
    assert_true(principal->is_everybody);
    principal_unref(principal);
}

static void a_network_has_a_form(void **state)
{
    static const struct {
        const char *name;
        enum status want;
    } cases[] = {
        { "10.0.0.0/8", ST_OK },
        { "0.0.0.0/0", ST_OK },
        { "10.1.2.3/32", ST_OK },
        { "::/0", ST_OK },
        { "::1", ST_OK },
        { "10.0.0.0/33", ST_INVALID },
        { "10.0.0.1/8", ST_INVALID },
        { "10.0.0.0/-1", ST_INVALID },
        { "10.0.0.0/", ST_INVALID },
        { "", ST_INVALID },
        { "/8", ST_INVALID },
        { "10.0.0/8", ST_INVALID },
        { "fd00::/129", ST_INVALID },
        { "example.com", ST_INVALID },
        { "10.0.0.0/8/8", ST_INVALID },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { 0 };
        if (directory_check_network(str_of(cases[i].name), &err) != cases[i].want)
            fail_msg("%s", cases[i].name);
    }
}

static void tenants_are_found_by_name_and_number(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    struct tenant tenant;
    assert_true(directory_tenant(directory, STR("default"), &tenant));
    assert_int_equal(tenant.number, TENANT_DEFAULT);
    assert_false(directory_tenant(directory, STR("acme"), &tenant));
    directory_keep_tenant(
        directory, &(struct tenant){ .name = STR("acme"), .number = 7, .quota = { [QUOTA_KEYS] = 3 } });
    assert_true(directory_tenant(directory, STR("acme"), &tenant));
    assert_int_equal(tenant.quota[QUOTA_KEYS], 3);
    directory_keep_tenant(directory,
                          &(struct tenant){ .name = STR("acme"), .number = 7, .is_suspended = true });
    assert_true(directory_tenant_by_number(directory, 7, &tenant));
    assert_true(tenant.is_suspended && str_equal(tenant.name, STR("acme")));
    directory_advance(directory, 5);
    assert_true(directory_tenant(directory, STR("acme"), &tenant));
    directory_forget_tenant(directory, STR("acme"));
    directory_forget_tenant(directory, STR("nowhere"));
    assert_false(directory_tenant(directory, STR("acme"), &tenant));
    assert_false(directory_tenant_by_number(directory, 7, &tenant));
    directory_keep_tenant(directory, &(struct tenant){ .name = STR("acme"), .number = 9 });
    assert_true(directory_tenant_by_number(directory, 9, &tenant));
    assert_false(directory_tenant_by_number(directory, 7, &tenant));
}

/* A thread beside the engine reads a record, is slow, and comes back with it. */
static void a_tenant_that_was_read_long_ago_is_not_kept(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    struct tenant active = { .name = STR("acme"), .number = 7 }, suspended = active, found;
    suspended.is_suspended = true;
    uint64_t told = directory_tenants_told(directory);
    assert_true(directory_keep_tenant_read(directory, &active, told));
    assert_true(directory_keep_tenant_read(directory, &active, told)); /* Readers tell nothing new. */
    directory_keep_tenant(directory, &suspended);
    assert_false(directory_keep_tenant_read(directory, &active, told));
    assert_true(directory_is_suspended(directory, 7));
    told = directory_tenants_told(directory);
    directory_forget_tenant(directory, STR("acme"));
    assert_false(directory_keep_tenant_read(directory, &active, told));
    assert_false(directory_tenant(directory, STR("acme"), &found));
    told = directory_tenants_told(directory);
    directory_tenants_changed(directory);
    assert_false(directory_keep_tenant_read(directory, &active, told));
}

static void the_last_refusals_are_noted(void **state)
{
    struct world *world = *state;
    struct refusal_note *note;
    assert_int_equal(directory_refusals(world->directory, &world->arena, &note), 0);
    for (int i = 0; i < 3; i++)
        directory_note_refusal(world->directory, &(struct refusal_note){ .at_ms = i, .why = "expired" });
    assert_int_equal(directory_refusals(world->directory, &world->arena, &note), 3);
    assert_int_equal(note[0].at_ms, 2);
    assert_string_equal(note[0].why, "expired");
    for (int i = 3; i < 1000; i++)
        directory_note_refusal(world->directory, &(struct refusal_note){ .at_ms = i });
    assert_int_equal(directory_refusals(world->directory, &world->arena, &note), 200);
    for (int i = 0; i < 200; i++) assert_int_equal(note[i].at_ms, 999 - i);
}

static void note_refusal(struct world *world, const char *principal, int64_t at_ms, bool is_login)
{
    struct refusal_note note = { .at_ms = at_ms, .tenant = 1, .is_login = is_login };
    snprintf(note.principal, sizeof note.principal, "%s", principal);
    directory_note_refusal(world->directory, &note);
}

static void refusals_of_a_minute_are_counted_by_principal(void **state)
{
    struct world *world = *state;
    struct refusal_count *count;
    assert_int_equal(directory_take_refusals(world->directory, 0, true, &world->arena, &count), 0);
    for (int i = 0; i < 5; i++) note_refusal(world, i % 2 ? "user:ada" : "", 1000 + i, false);
    note_refusal(world, "user:ada", 1010, true);
    assert_int_equal(directory_take_refusals(world->directory, 60999, false, &world->arena, &count), 0);
    assert_int_equal(directory_take_refusals(world->directory, 61000, false, &world->arena, &count), 3);
    assert_int_equal(count[0].count, 3);
    assert_int_equal(count[0].newest.at_ms, 1004);
    assert_int_equal(count[1].count, 2);
    assert_true(count[2].newest.is_login && count[2].count == 1);
    assert_int_equal(directory_take_refusals(world->directory, 99999, true, &world->arena, &count), 0);
}

/* A clock that was set back ends the minute, too. */
static void made_up_names_share_one_count(void **state)
{
    struct world *world = *state;
    struct refusal_count *count;
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "user:%d", i);
        note_refusal(world, name, 5000, true);
    }
    size_t n = directory_take_refusals(world->directory, 1000, false, &world->arena, &count);
    assert_int_equal(n, 65);
    for (size_t i = 0; i < 64; i++) assert_true(count[i].count == 1 && !count[i].is_shared);
    assert_true(count[64].is_shared);
    assert_int_equal(count[64].count, 1000 - 64);
}

static int64_t waits(struct directory *directory, const char *name, const char *address, int64_t now_ms)
{
    int64_t wait_ms;
    bool may = directory_may_try(directory, str_of(name), str_of(address), now_ms, &wait_ms);
    assert_int_equal(may, wait_ms == 0);
    return wait_ms;
}

static void tries(struct directory *directory, const char *name, const char *address, int count,
                  int64_t now_ms)
{
    for (int i = 0; i < count; i++)
        directory_note_failed_try(directory, str_of(name), str_of(address), now_ms + i);
}

static void a_name_has_five_tries_a_minute(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    assert_int_equal(waits(directory, "ada", "1.2.3.4", NOW_MS), 0);
    tries(directory, "ada", "1.2.3.4", 4, NOW_MS);
    assert_int_equal(waits(directory, "ada", "1.2.3.4", NOW_MS + 4), 0);
    tries(directory, "ada", "1.2.3.4", 1, NOW_MS + 4);
    assert_int_equal(waits(directory, "ada", "9.9.9.9", NOW_MS + 10), MINUTE_MS - 10); /* From anywhere. */
    assert_int_equal(waits(directory, "eve", "1.2.3.4", NOW_MS + 10), 0);
    assert_int_equal(waits(directory, "ada", "1.2.3.4", NOW_MS + MINUTE_MS), 0);
    tries(directory, "ada", "1.2.3.4", 1, NOW_MS + MINUTE_MS); /* A new minute. */
    assert_int_equal(waits(directory, "ada", "1.2.3.4", NOW_MS + MINUTE_MS), 0);
}

static void an_address_has_thirty_tries_a_minute(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    char name[16];
    for (int i = 0; i < 30; i++) {
        assert_int_equal(waits(directory, "x", "2001:db8::1", NOW_MS), 0);
        snprintf(name, sizeof name, "user%d", i);
        tries(directory, name, "2001:db8::1", 1, NOW_MS);
    }
    assert_int_equal(waits(directory, "x", "2001:db8::1", NOW_MS), MINUTE_MS);
    assert_int_equal(waits(directory, "x", "2001:db8::ffff:2", NOW_MS), MINUTE_MS); /* The same client. */
    assert_int_equal(waits(directory, "x", "2001:db8:0:1::1", NOW_MS), 0);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "user%d", i);
        tries(directory, name, "1.2.3.4", 1, NOW_MS);
    }
    assert_int_equal(waits(directory, "x", "::ffff:1.2.3.4", NOW_MS), MINUTE_MS);
    assert_int_equal(waits(directory, "x", "1.2.3.5", NOW_MS), 0);
}

static void tries_take_bounded_memory(void **state)
{
    struct directory *directory = ((struct world *)*state)->directory;
    char name[32];
    tries(directory, "ada", "a", 5, NOW_MS);
    for (int i = 0; i < DIRECTORY_TRIED_MAX - 1; i++) {
        snprintf(name, sizeof name, "user%d", i);
        tries(directory, name, name, 1, NOW_MS);
    }
    assert_int_equal(waits(directory, "ada", "b", NOW_MS), MINUTE_MS);
    tries(directory, "one more", "c", 1, NOW_MS);
    assert_int_equal(waits(directory, "ada", "b", NOW_MS), 0); /* The longest ago goes first. */
}

/* Many threads ask, keep and advance: the sanitizers watch. */
static void *hammer(void *context)
{
    struct directory *directory = context;
    for (size_t i = 0; i < 3000; i++) {
        struct credential_hash hash = hash_of(i % 50);
        uint64_t generation = directory_generation(directory);
        struct principal *principal = NULL;
        const char *why;
        enum directory_answer answer = directory_find(directory, &hash, NOW_MS, &principal, &why);
        if (answer == DIRECTORY_FOUND) {
            must(principal->generation <= directory_generation(directory));
            principal_unref(principal);
        } else if (answer == DIRECTORY_ASK) {
            principal = principal_new(PRINCIPAL_USER);
            principal->generation = generation;
            directory_keep(directory, &hash, generation, i % 3 ? principal : NULL, "unknown key", NOW_MS);
            principal_unref(principal);
        }
        if (i % 100 == 0) directory_advance(directory, generation + 1);
        if (i % 500 == 0) directory_set_root(directory, i % 1000 ? STR("a") : STR("b"));
        principal_unref(directory_of_peer(directory, STR("10.2.0.1"), STR("")));
    }
    return NULL;
}

static void threads_may_call_everything_at_once(void **state)
{
    struct world *world = *state;
    pthread_t thread[4];
    for (size_t i = 0; i < COUNT(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hammer, world->directory), 0);
    for (size_t i = 0; i < COUNT(thread); i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_true(directory_generation(world->directory) > 0);
}

static void a_session_ends_without_a_new_generation(void **state)
{
    struct world *world = *state;
    struct directory *directory = world->directory;
    struct credential_hash first = hash_of(1), unknown = hash_of(9), late = hash_of(3);
    uint64_t generation = directory_generation(directory), mark = directory_mark(directory);
    keep_session(directory, 1);
    keep_session(directory, 2);
    directory_end_session(directory, &first);
    assert_int_equal(directory_ended(directory), 1);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_FOUND);
    directory_end_session(directory, &unknown);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_FOUND);
    assert_int_equal(directory_generation(directory), generation);

    /* A resolution that began before the end may have read the session. */
    struct principal *principal = principal_new(PRINCIPAL_USER);
    directory_keep(directory, &late, mark, principal, NULL, NOW_MS);
    assert_int_equal(ask(world, 3, NOW_MS), DIRECTORY_ASK);
    principal_unref(principal);
}

/* Keys and tokens are no sessions. */
static void sessions_without_names_end_sessions_only(void **state)
{
    struct world *world = *state;
    struct directory *directory = world->directory;
    struct credential_hash hash = hash_of(2);
    struct principal *key = principal_new(PRINCIPAL_KEY);
    key->credential = STR("K1");
    keep_session(directory, 1);
    directory_keep(directory, &hash, directory_mark(directory), key, NULL, NOW_MS);
    directory_end_some_sessions(directory);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_ASK);
    assert_int_equal(ask(world, 2, NOW_MS), DIRECTORY_FOUND);
    keep_session(directory, 1);
    assert_int_equal(ask(world, 1, NOW_MS), DIRECTORY_FOUND);
    principal_unref(key);
}

/* ---- the file that follows the audit ---- */

static struct directory *followed(bool is_followed)
{
    return directory_new(&(struct directory_config){ .is_followed = is_followed });
}

static void a_tenant_that_goes_waits_for_the_file(void **state)
{
    struct world *world = *state;
    struct directory *directory = followed(true);
    const struct audited_chain gone = { 7, 1 };
    struct audited_chains moved;
    directory_note_audited(directory, gone);
    assert_false(directory_is_audited_to_end(directory, gone, STR("acme")));
    directory_take_audited(directory, &moved);
    assert_int_equal(moved.chain[moved.count - 1].tenant, 7);
    assert_true(str_equal(directory_audited_name(directory, 7, &world->arena), STR("acme")));
    assert_int_equal(directory_audited_name(directory, 8, &world->arena).n, 0);
    assert_false(directory_is_audited_to_end(directory, gone, STR("acme")));
    directory_take_audited(directory, &moved); /* The file could not be written: the chain comes again. */
    assert_int_equal(moved.count, 1);
    directory_end_audited(directory, moved.mark);
    assert_true(directory_is_audited_to_end(directory, gone, STR("acme")));
    directory_take_audited(directory, &moved);
    assert_int_equal(moved.count, 0);
    directory_note_audited(directory, (struct audited_chain){ 1, 1 });
    assert_true(
        directory_is_audited_to_end(directory, gone, STR("acme"))); /* Rows of others do not matter. */
    directory_free(directory);
}

static void a_tenant_that_goes_has_a_place_beside_all_others(void **state)
{
    struct directory *directory = followed(true);
    struct audited_chains moved;
    (void)state;
    for (int32_t i = 1; i <= DIRECTORY_AUDITED_MAX; i++)
        directory_note_audited(directory, (struct audited_chain){ i, 1 });
    assert_false(directory_is_audited_to_end(directory, (struct audited_chain){ 900, 1 }, STR("acme")));
    directory_take_audited(directory, &moved);
    assert_int_equal(moved.count, DIRECTORY_AUDITED_MAX + 1);
    assert_int_equal(moved.chain[DIRECTORY_AUDITED_MAX].tenant, 900);
    assert_false(moved.all);
    for (int32_t i = 1; i <= DIRECTORY_AUDITED_MAX + 1; i++)
        directory_note_audited(directory, (struct audited_chain){ i, 1 });
    directory_take_audited(directory, &moved);
    assert_true(moved.all);
    directory_free(directory);
}

static void without_a_file_nobody_waits(void **state)
{
    struct directory *directory = followed(false);
    (void)state;
    assert_true(directory_is_audited_to_end(directory, (struct audited_chain){ 7, 1 }, STR("acme")));
    directory_free(directory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_is_kept_for_a_while),
        TEST(an_answer_ends_with_its_principal),
        TEST(a_later_answer_takes_the_place_of_the_earlier),
        TEST(nothing_older_than_a_change_counts),
        TEST(holders_are_told_when_their_principal_ends),
        TEST(a_session_ends_without_a_new_generation),
        TEST(sessions_without_names_end_sessions_only),
        TEST(the_root_secret_is_a_key),
        TEST(a_directory_is_closed_as_soon_as_somebody_could_come),
        TEST(what_is_kept_has_a_bound),
        TEST(networks_and_certificates_have_roles),
        TEST(a_network_has_a_form),
        TEST(tenants_are_found_by_name_and_number),
        TEST(a_tenant_that_was_read_long_ago_is_not_kept),
        TEST(the_last_refusals_are_noted),
        TEST(refusals_of_a_minute_are_counted_by_principal),
        TEST(made_up_names_share_one_count),
        TEST(a_name_has_five_tries_a_minute),
        TEST(an_address_has_thirty_tries_a_minute),
        TEST(tries_take_bounded_memory),
        TEST(a_tenant_that_goes_waits_for_the_file),
        TEST(a_tenant_that_goes_has_a_place_beside_all_others),
        TEST(without_a_file_nobody_waits),
        TEST(threads_may_call_everything_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
