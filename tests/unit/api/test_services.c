/* Services of gRPC: how calls find them; health, reflection and what descriptors define. */
#include "api/fake.h"

#include "api/grpc/descriptors_int.h"
#include "api/grpc/symbols_int.h"

static void paths_lead_to_methods(void **state)
{
    static const struct {
        const char *path;
        bool service, method;
    } cases[] = {
        { "/grpc.health.v1.Health/Check", true, true },
        { "/grpc.health.v1.Health/Watch", true, true },
        { "/grpc.health.v1.Health/check", true, false },
        { "/grpc.health.v1.Health/", true, false },
        { "/grpc.health.v1.Health/Check/", true, false },
        { "/grpc.health.v1.Health", false, false },
        { "grpc.health.v1.Health/Check", false, false },
        { "//Check", false, false },
        { "/", false, false },
        { "*", false, false },
        { "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", true, true },
        { "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", true, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct grpc_service *service;
        const struct grpc_method *method = services_find(str_of(cases[i].path), &service);
        if (!service != !cases[i].service || !method != !cases[i].method) fail_msg("%s", cases[i].path);
    }
}

/* Every method says whose it is: metrics and logs believe it. */
static void tables_are_consistent(void **state)
{
    (void)state;
    for (const struct grpc_service *const *at = services_all; *at; at++)
        for (size_t i = 0; i < (*at)->count; i++) {
            const struct grpc_method *method = &(*at)->methods[i];
            assert_true(str_equal(method->service, (*at)->name) && method->name.n && method->message);
        }
}

static void the_gate_judges_calls(void **state)
{
    (void)state;
    fake_begin("secret");
    fake_call("/grpc.health.v1.Health/Check"); /* Free, as /readyz is. */
    assert_true(fake.grpc_started);
    fake_call("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    assert_false(fake.grpc_started);
    assert_int_equal(fake.grpc.code, GRPC_UNAUTHENTICATED);
    assert_non_null(fake.grpc.method); /* It is counted as its method's. */
    fake_call("/no.Such/Method");
    assert_int_equal(fake.grpc.code, GRPC_UNAUTHENTICATED);
    fake_header("authorization", "Bearer secret");
    fake_call("/no.Such/Method");
    assert_int_equal(fake.grpc.code, GRPC_UNIMPLEMENTED);
    assert_string_equal(fake.grpc_text, "there is no method /no.Such/Method");
    fake_end();
    fake_begin("");
    fake_header("host", "evil.example");
    fake_call("/grpc.health.v1.Health/Check");
    assert_false(fake.grpc_started);
    fake_header("origin", "https://evil.example");
    fake_call("/grpc.health.v1.Health/Check");
    assert_int_equal(fake.grpc.code, GRPC_PERMISSION_DENIED);
    fake_end();
}

static void assert_sent(const char *want, size_t n)
{
    assert_true(str_equal(buf_str(&fake.messages), (str){ want, n }));
}

static void health_says_what_readyz_says(void **state)
{
    (void)state;
    fake_begin("");
    fake_call("/grpc.health.v1.Health/Check");
    fake_message(STR(""));
    assert_int_equal(fake.grpc.code, GRPC_OK);
    assert_sent("\x08\x01", 2);
    fake.healthy = false;
    fake_call("/grpc.health.v1.Health/Check");
    fake_message(STR("\x0a\x15"
                     "grpc.health.v1.Health"));
    assert_int_equal(fake.grpc.code, GRPC_OK);
    assert_sent("\x08\x02", 2);
    fake_call("/grpc.health.v1.Health/Check");
    fake_message(STR("\x0a\x02no"));
    assert_int_equal(fake.grpc.code, GRPC_NOT_FOUND);
    fake_call("/grpc.health.v1.Health/Check");
    fake_message(STR("\x0a\x03no"));
    assert_int_equal(fake.grpc.code, GRPC_INVALID_ARGUMENT);
    fake_end();
}

static void those_who_watch_are_told(void **state)
{
    (void)state;
    fake_begin("");
    fake_call("/grpc.health.v1.Health/Watch");
    fake_message(STR(""));
    assert_sent("\x08\x01", 2);
    api_look(fake.api);
    assert_int_equal(fake.message_count, 1); /* Nothing has changed. */
    fake.healthy = false;
    api_look(fake.api);
    fake.healthy = true;
    api_look(fake.api);
    assert_sent("\x08\x01\x08\x02\x08\x01", 6);
    api_set_draining(fake.api);
    assert_int_equal(fake.message_count, 4);
    assert_true(fake.grpc_finished);
    assert_int_equal(fake.grpc.code, GRPC_UNAVAILABLE);
    api_look(fake.api);
    fake_end();

    fake_begin("");
    fake_call("/grpc.health.v1.Health/Watch");
    fake_message(STR("\x0a\x02no"));
    assert_sent("\x08\x03", 2); /* It may come later, says the protocol. */
    fake.healthy = false;
    api_look(fake.api);
    assert_int_equal(fake.message_count, 1);
    fake.grpc_gone = true;
    fake.grpc.method->gone(&fake.grpc, fake.grpc_context);
    assert_true(fake.grpc_finished);
    api_look(fake.api);
    fake_end();
}

static void watchers_have_a_limit(void **state)
{
    (void)state;
    fake_begin("");
    fake.api->watcher_count = HEALTH_WATCHERS_MAX - 1;
    fake_call("/grpc.health.v1.Health/Watch");
    fake_message(STR(""));
    assert_false(fake.grpc_finished);
    fake_call("/grpc.health.v1.Health/Watch");
    fake_message(STR(""));
    assert_int_equal(fake.grpc.code, GRPC_RESOURCE_EXHAUSTED);
    fake_end();
}

static void symbols_are_found(void **state)
{
    static const struct {
        const char *symbol, *file;
    } cases[] = {
        { "grpc.health.v1.Health", "grpc/health/v1/health.proto" },
        { "grpc.health.v1.Health.Watch", "grpc/health/v1/health.proto" },
        { "grpc.health.v1.HealthCheckResponse", "grpc/health/v1/health.proto" },
        { "grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto" },
        { "grpc.reflection.v1alpha.ServerReflection", "grpc/reflection/v1alpha/reflection.proto" },
        { "google.protobuf.Struct.FieldsEntry", "google/protobuf/struct.proto" },
        { "google.protobuf.NullValue", "google/protobuf/struct.proto" },
        { "workflow.v1.WorkflowEngine", "workflow/v1/engine.proto" },
        { "grpc.health.v1.Health.Watch.x", NULL },
        { "grpc.health.v1.Heal", NULL },
        { "grpc.health.v1", NULL },
        { "grpc.health.v1.", NULL },
        { "google.protobuf.Struct.FieldsEntry.Struct", NULL },
        { "Health", NULL },
        { "", NULL },
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct symbols symbols = symbols_read(grpc_descriptors(), &arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t at = symbols_find(&symbols, str_of(cases[i].symbol));
        if ((at == SIZE_MAX) != !cases[i].file) fail_msg("%s", cases[i].symbol);
        if (at != SIZE_MAX) assert_int_equal(at, symbols_find_file(&symbols, str_of(cases[i].file)));
    }
    /* Every service that is offered is described. */
    for (const struct grpc_service *const *at = services_all; *at; at++)
        assert_true(symbols_find(&symbols, (*at)->name) != SIZE_MAX);

    bool wanted[256] = { false };
    size_t engine = symbols_find_file(&symbols, STR("workflow/v1/engine.proto")), count = 0;
    symbols_mark_imports(&symbols, engine, wanted);
    for (size_t i = 0; i < symbols.count; i++) count += wanted[i];
    assert_true(wanted[engine] && wanted[symbols_find_file(&symbols, STR("google/protobuf/struct.proto"))]);
    assert_true(count < symbols.count);
    arena_done(&arena);
}

/* Descriptors that are cut off or wrong are read as far as they go. */
static void damaged_descriptors_do_no_harm(void **state)
{
    (void)state;
    str whole = grpc_descriptors();
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t n = 0; n < whole.n; n += 37) {
        char *copy = malloc(n + 1);
        memcpy(copy, whole.p, n);
        if (n) copy[n * 7 % n] ^= (char)(1 << n % 8);
        struct symbols symbols = symbols_read((str){ copy, n }, &arena);
        size_t at = symbols_find(&symbols, STR("workflow.v1.WorkflowEngine.StartInstance"));
        bool *wanted = arena_make_n(&arena, bool, symbols.count);
        if (at != SIZE_MAX) symbols_mark_imports(&symbols, at, wanted);
        free(copy);
        arena_reset(&arena);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_to_methods),    cmocka_unit_test(tables_are_consistent),
        cmocka_unit_test(the_gate_judges_calls),    cmocka_unit_test(health_says_what_readyz_says),
        cmocka_unit_test(those_who_watch_are_told), cmocka_unit_test(watchers_have_a_limit),
        cmocka_unit_test(symbols_are_found),        cmocka_unit_test(damaged_descriptors_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
