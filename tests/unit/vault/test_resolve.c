/* Secrets put into inputs, hidden from views and scrubbed from what comes back. */
#include "vault/scrub.h"

#include "vault/limits.h"
#include "vault_test.h"

static bool find_one(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    (void)tenant;
    static const struct {
        const char *name, *value;
    } known[] = {
        { "k", "zzz" },
        { "j", "{\"a\":1}" },
        { "odd", "p@ss word/1" },
        { "short", "abc" },
        { "uri", "postgres://app:hid%20den@db.example/x" },
        { "broker", "{\"host\":\"broker.example\",\"password\":\"letmein\"}" },
        { "longer", "p@ss word/1 and more" },
    };
    size_t *asked = context;
    (void)arena;
    if (asked) ++*asked;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!str_equal(name, str_of(known[i].name))) continue;
        *ret_value = str_of(known[i].value);
        return true;
    }
    return false;
}

static void inputs_are_filled_in(void **state)
{
    struct bench *bench = *state;
    const struct vault_lookup lookup = { find_one, NULL };
    struct json_each each = json_each(document_value("vault/resolve", "resolved"));
    while (json_next(&each)) {
        struct error err = { .message = "" };
        const struct json *resolved;
        const struct json *input = json_get(each.value, STR("input"));
        if (vault_resolve(input, &lookup, &bench->arena, &resolved, &err) != ST_OK)
            fail_msg("%s: %s", document_text(input), err.message);
        if (!json_equal(resolved, json_get(each.value, STR("want")))) fail_msg("%s", document_text(resolved));
    }
    const struct json *none = json_null();
    assert_int_equal(vault_resolve(NULL, &lookup, &bench->arena, &none, NULL), ST_OK);
    assert_null(none);
}

static void bad_inputs_are_refused(void **state)
{
    struct bench *bench = *state;
    const struct vault_lookup lookup = { find_one, NULL };
    struct json_each each = json_each(document_value("vault/resolve", "refused"));
    while (json_next(&each)) {
        struct error err = { .message = "" };
        const struct json *resolved = NULL;
        const struct json *input = json_get(each.value, STR("input"));
        if (vault_resolve(input, &lookup, &bench->arena, &resolved, &err) == ST_OK)
            fail_msg("%s", document_text(input));
        assert_string_equal(err.where, document_member(each.value, "where"));
        assert_null(resolved);
        assert_null(strstr(err.message, "zzz"));
    }
}

static void a_missing_secret_is_named(void **state)
{
    struct bench *bench = *state;
    struct error err;
    str text;
    const struct vault_lookup nothing = vault_lookup_in(NULL, TENANT_DEFAULT);
    assert_int_equal(vault_reference(&nothing, STR("vault:mq1"), &bench->arena, &text, &err), ST_NOT_FOUND);
    assert_string_equal(err.message, "the secret \"mq1\" is not in the vault");
    const struct vault_lookup lookup = { find_one, NULL };
    assert_int_equal(vault_reference(&lookup, STR("vault:k"), &bench->arena, &text, &err), ST_OK);
    assert_true(str_equal(text, STR("zzz")));
    assert_int_equal(vault_reference(&lookup, STR("k"), &bench->arena, &text, &err), ST_OK);
    assert_true(str_equal(text, STR("zzz")));
}

static void a_vault_is_a_lookup(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = open_vault(bench->key);
    put(bench, vault, "k", "from the store");
    const struct vault_lookup lookup = vault_lookup_in(vault, TENANT_DEFAULT);
    str text;
    assert_int_equal(vault_reference(&lookup, STR("vault:k"), &bench->arena, &text, NULL), ST_OK);
    assert_true(str_equal(text, STR("from the store")));
    vault_free(vault);
}

static void a_resolved_text_has_a_limit(void **state)
{
    struct bench *bench = *state;
    const struct vault_lookup lookup = { find_one, NULL };
    for (size_t over = 0; over < 2; over++) {
        str long_text = { memset(arena_alloc(&bench->arena, RESOLVED_TEXT_BYTES_MAX), 'x',
                                 RESOLVED_TEXT_BYTES_MAX),
                          RESOLVED_TEXT_BYTES_MAX - 3 + over };
        struct json_builder builder;
        json_builder_init(&builder, &bench->arena);
        json_open_object(&builder);
        json_add_name(&builder, STR("a"));
        json_add_string(&builder, STR("***"));
        json_add_name(&builder, STR(RESOLVE_MEMBER));
        json_open_array(&builder);
        json_open_object(&builder);
        json_add_name(&builder, STR("at"));
        json_add_string(&builder, STR("/a"));
        json_add_name(&builder, STR("parts"));
        json_open_array(&builder);
        json_add_string(&builder, long_text);
        json_open_object(&builder);
        json_add_name(&builder, STR("secret"));
        json_add_string(&builder, STR("k"));
        json_close(&builder);
        json_close(&builder);
        json_close(&builder);
        json_close(&builder);
        json_close(&builder);
        const struct json *resolved;
        assert_int_equal(vault_resolve(json_built(&builder), &lookup, &bench->arena, &resolved, NULL),
                         over ? ST_LIMIT : ST_OK);
    }
}

/* ---- scrubbing ---- */

static struct scrub_used use(struct bench *bench, struct vault_lookup *ret_lookup, struct scrub_used *used,
                             const char *const *names, size_t count)
{
    *used = (struct scrub_used){ .lookup = { find_one, NULL }, .arena = &bench->arena };
    *ret_lookup = scrub_lookup(used);
    for (size_t i = 0; i < count; i++) {
        str text;
        assert_int_equal(vault_reference(ret_lookup, str_of(names[i]), &bench->arena, &text, NULL), ST_OK);
    }
    return *used;
}

static void used_secrets_are_scrubbed(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = { "odd", "short", "odd" };
    struct scrub_used used;
    struct vault_lookup lookup;
    use(bench, &lookup, &used, names, COUNT(names));
    struct json_each each = json_each(document_value("vault/resolve", "scrubbed"));
    while (json_next(&each)) {
        const struct json *value = json_get(each.value, STR("value"));
        const struct json *clean = scrub_json(&used, value, &bench->arena);
        if (!json_equal(clean, json_get(each.value, STR("want")))) fail_msg("%s", document_text(clean));
    }
    assert_null(scrub_json(&used, NULL, &bench->arena));
}

static void the_longest_secret_is_scrubbed_first(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = { "odd", "longer" };
    struct scrub_used used;
    struct vault_lookup lookup;
    use(bench, &lookup, &used, names, COUNT(names));
    str clean = scrub_text(&used, STR("<p@ss word/1 and more> <p@ss word/1 and>"), &bench->arena);
    assert_true(str_equal(clean, STR("<***> <*** and>")));
}

static void passwords_of_connections_are_scrubbed_alone(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = { "uri", "broker" };
    struct scrub_used used;
    struct vault_lookup lookup;
    use(bench, &lookup, &used, names, COUNT(names));
    str clean = scrub_text(&used, STR("db.example: no hid%20den, no \"hid den\"; broker.example: letmein"),
                           &bench->arena);
    assert_true(str_equal(clean, STR("db.example: no ***, no \"***\"; broker.example: ***")));
}

static void a_call_without_secrets_costs_nothing(void **state)
{
    struct bench *bench = *state;
    struct scrub_used used = { .arena = &bench->arena };
    const struct json *value = document_value("vault/resolve", "scrubbed");
    assert_ptr_equal(scrub_json(&used, value, &bench->arena), value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(inputs_are_filled_in),
        bench_test(bad_inputs_are_refused),
        bench_test(a_missing_secret_is_named),
        bench_test(a_vault_is_a_lookup),
        bench_test(a_resolved_text_has_a_limit),
        bench_test(used_secrets_are_scrubbed),
        bench_test(the_longest_secret_is_scrubbed_first),
        bench_test(passwords_of_connections_are_scrubbed_alone),
        bench_test(a_call_without_secrets_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
