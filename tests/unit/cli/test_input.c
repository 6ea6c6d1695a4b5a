/* Input that people type: addresses and variables. */
#include "cli/serve/address.h"
#include "cli/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void addresses_have_a_host_and_a_port(void **state)
{
    static const struct {
        const char *text, *host;
        int port;
    } cases[] = {
        { "127.0.0.1:8080", "127.0.0.1", 8080 },
        { "localhost:0", "localhost", 0 },
        { "[::1]:65535", "::1", 65535 },
        { ":80", "0.0.0.0", 80 },
        { "h:65536", NULL, 0 },
        { "h:-1", NULL, 0 },
        { "h:", NULL, 0 },
        { "h", NULL, 0 },
        { "", NULL, 0 },
        { "::1:80", NULL, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address address;
        struct error err;
        enum status status = address_parse(str_of(cases[i].text), &address, &err);
        assert_int_equal(status, cases[i].host ? ST_OK : ST_INVALID);
        if (!cases[i].host) continue;
        assert_true(str_equal(address.host, str_of(cases[i].host)));
        assert_int_equal(address.port, cases[i].port);
    }
}

static void only_loopback_addresses_count_as_private(void **state)
{
    static const struct {
        const char *host;
        bool want;
    } cases[] = {
        { "127.0.0.1", true },
        { "127.8.9.10", true },
        { "localhost", true },
        { "LocalHost", true },
        { "::1", true },
        { "0.0.0.0", false },
        { "::", false },
        { "127.example.org", false },
        { "10.0.0.1", false },
        { "128.0.0.1", false },
        { "localhost.example.org", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(address_is_loopback(str_of(cases[i].host)), cases[i].want);
}

static void a_url_needs_brackets_around_ipv6(void **state)
{
    static const struct {
        const char *host;
        bool reachable;
        const char *want;
    } cases[] = {
        { "::1", false, "[::1]" },        { "::", false, "[::]" },         { "::", true, "[::1]" },
        { "0.0.0.0", true, "127.0.0.1" }, { "0.0.0.0", false, "0.0.0.0" }, { "localhost", true, "localhost" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(str_equal(address_url_host(str_of(cases[i].host), cases[i].reachable, &arena),
                              str_of(cases[i].want)));
    arena_done(&arena);
}

static enum status variables_of(struct arena *arena, const char *input, const char *const *assignment,
                                struct buf *out, struct error *err)
{
    struct options options = { .arena = arena };
    str list[8];
    size_t count = 0;
    while (assignment[count]) {
        list[count] = str_of(assignment[count]);
        count++;
    }
    options.value[OPTION_VARIABLE] = (struct option_value){ .list = list, .list_count = count };
    if (input) options.value[OPTION_INPUT] = (struct option_value){ .text = str_of(input), .given = true };
    const struct json *variables;
    enum status status = input_variables(&options, &variables, err);
    if (status == ST_OK && variables) json_print(variables, out);
    buf_add_char(out, '\0');
    return status;
}

static void a_variable_is_json_if_it_parses_else_text(void **state)
{
    static const struct {
        const char *input;
        const char *assignment[4];
        const char *want;
    } cases[] = {
        { NULL, { NULL }, "" },
        { NULL, { "a=1", "b=1.50", "c=x y", NULL }, "{\"a\":1,\"b\":1.50,\"c\":\"x y\"}" },
        { NULL, { "a=\"1\"", "b=", "c={\"d\":[]}", NULL }, "{\"a\":\"1\",\"b\":\"\",\"c\":{\"d\":[]}}" },
        { NULL, { "a=b=c", "a=null", NULL }, "{\"a\":null}" },
        { "{\"a\":1,\"b\":2}", { "a=true", NULL }, "{\"a\":true,\"b\":2}" },
        { "{}", { NULL }, "{}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct error err;
        struct buf out;
        arena_init(&arena, 0);
        buf_init(&out, &arena);
        assert_int_equal(variables_of(&arena, cases[i].input, cases[i].assignment, &out, &err), ST_OK);
        assert_string_equal(out.p, cases[i].want);
        arena_done(&arena);
    }
}

static void bad_variables_are_refused(void **state)
{
    static const struct {
        const char *input;
        const char *assignment[2];
        const char *message;
    } cases[] = {
        { NULL, { "a", NULL }, "--var: \"a\" is not NAME=VALUE" },
        { NULL, { "=1", NULL }, "--var: \"=1\" is not NAME=VALUE" },
        { NULL, { "a=\xff", NULL }, "--var: the value is not UTF-8" },
        { "[1]", { NULL }, "--input: variables are a JSON object, not array" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct error err;
        struct buf out;
        arena_init(&arena, 0);
        buf_init(&out, &arena);
        assert_int_equal(variables_of(&arena, cases[i].input, cases[i].assignment, &out, &err), ST_INVALID);
        assert_string_equal(err.message, cases[i].message);
        arena_done(&arena);
    }
}

static void json_can_come_from_a_file(void **state)
{
    char path[] = "/tmp/pawl-test-input-XXXXXX";
    struct arena arena;
    struct error err;
    const struct json *value;
    (void)state;
    arena_init(&arena, 0);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "{\"a\":\n tru}", 11), 11);
    const char *argument = arena_printf(&arena, "@%s", path).p;
    assert_int_equal(input_json(str_of(argument), "--input", &arena, &value, &err), ST_INVALID);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "line 2"));

    assert_int_equal(pwrite(fd, "{\"a\":\n 123}", 11, 0), 11);
    close(fd);
    assert_int_equal(input_json(str_of(argument), "--input", &arena, &value, &err), ST_OK);
    int64_t number;
    assert_true(json_int64(json_get(value, STR("a")), &number));
    assert_int_equal(number, 123);

    str text;
    assert_int_equal(input_read_file(path, 11, &arena, &text, &err), ST_OK);
    assert_int_equal(text.n, 11);
    assert_int_equal(input_read_file(path, 10, &arena, &text, &err), ST_LIMIT);
    unlink(path);
    assert_int_equal(input_json(str_of(argument), "--input", &arena, &value, &err), ST_NOT_FOUND);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_have_a_host_and_a_port),
        cmocka_unit_test(only_loopback_addresses_count_as_private),
        cmocka_unit_test(a_url_needs_brackets_around_ipv6),
        cmocka_unit_test(a_variable_is_json_if_it_parses_else_text),
        cmocka_unit_test(bad_variables_are_refused),
        cmocka_unit_test(json_can_come_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
