/* Texts of a PostgreSQL server that may be any. */
#include "perform/sql/postgres_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static const struct json *value_of(uint32_t type, str text)
{
    struct engine_job asked = { .arena = &arena };
    struct sql_job job = { .job = &asked };
    struct sql_rows rows = { .job = &job };
    return postgres_value(&rows, type, text);
}

static void instants_become_rfc_3339(void **state)
{
    static const struct {
        uint32_t type;
        str text, want;
    } cases[] = {
        { 1114, STR_INIT("2026-01-31 10:20:30.5"), STR_INIT("2026-01-31T10:20:30.5") },
        { 1184, STR_INIT("2026-01-31 10:20:30+00"), STR_INIT("2026-01-31T10:20:30Z") },
        { 1184, STR_INIT("2026-01-31 10:20:30+02"), STR_INIT("2026-01-31 10:20:30+02") },
        { 1114, STR_INIT("infinity"), STR_INIT("infinity") },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(str_equal(json_string(value_of(cases[i].type, cases[i].text)), cases[i].want));
}

static void a_text_that_is_not_utf8_is_no_value_of_any_type(void **state)
{
    static const uint32_t types[] = { 20, 25, 114, 1114, 1184, 1700, 3802 };
    static const str texts[] = { STR_INIT("\xff"), STR_INIT("2026-01-31 10:20:30\xff"),
                                 STR_INIT("2026-01-31 10:20:30\xff+00"),
                                 STR_INIT("2026-01-\xff\xff 10:20:30+00") };
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
        for (size_t k = 0; k < COUNT(texts); k++) assert_null(value_of(types[i], texts[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants_become_rfc_3339),
        cmocka_unit_test(a_text_that_is_not_utf8_is_no_value_of_any_type),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
