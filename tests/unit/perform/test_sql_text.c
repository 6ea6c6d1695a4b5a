/* Placeholders of statements. */
#include "documents.h"

#include "perform/limits.h"
#include "perform/sql/sql_int.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static const struct json *parsed(const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, &arena, &value, &err), ST_OK);
    return value;
}

static bool read_text(const char *text, const struct json *params, enum sql_kind kind,
                      struct sql_text *ret_text, enum sql_error *ret_error)
{
    str why;
    return sql_text_read(str_of(text), params, STR("key"), kind, &arena, ret_text, ret_error, &why);
}

/* The statement as the database gets it, and the parameters in their order; or the error. */
static void every_case_of_the_table_holds(void **state)
{
    (void)state;
    struct json_each each = json_each(document_value("perform/sql_text", "cases"));
    size_t count = 0;
    while (json_next(&each)) {
        const struct json *row = each.value;
        enum sql_kind kind = json_get(row, STR("sqlite")) ? SQL_SQLITE : SQL_POSTGRES;
        const struct json *params = json_get(row, STR("params")), *error = json_get(row, STR("error"));
        const char *text = document_member(row, "sql");
        struct sql_text got;
        enum sql_error failed = 0;
        bool read = read_text(text, params, kind, &got, &failed);
        if (error) {
            bool right =
                !read && failed == (str_equal(json_string(error), STR("statement")) ? SQL_ERROR_STATEMENT
                                    : str_equal(json_string(error), STR("input"))   ? SQL_ERROR_INPUT
                                                                                    : SQL_ERROR_PARAMETERS);
            if (!right) fail_msg("%s is not refused as it should be", text);
            continue;
        }
        if (!read) fail_msg("%s is refused", text);
        assert_string_equal(got.text.p, document_member(row, "want"));
        const struct json *values = json_get(row, STR("values"));
        assert_int_equal(got.param_count, json_count(values));
        for (size_t i = 0; i < got.param_count; i++)
            assert_true(json_equal(got.param[i], json_item(values, i)));
        count++;
    }
    assert_true(count > 20);
}

static void a_statement_has_a_limit(void **state)
{
    (void)state;
    char *text = calloc(1, SQL_TEXT_BYTES_MAX + 2);
    struct sql_text got;
    enum sql_error error;
    memset(text, 'x', SQL_TEXT_BYTES_MAX);
    assert_true(read_text(text, NULL, SQL_POSTGRES, &got, &error));
    text[SQL_TEXT_BYTES_MAX] = 'x';
    assert_false(read_text(text, NULL, SQL_POSTGRES, &got, &error));
    assert_int_equal(error, SQL_ERROR_STATEMENT);
    free(text);
}

static void parameters_have_a_limit(void **state)
{
    (void)state;
    for (size_t count = SQL_PARAMETERS_MAX; count <= SQL_PARAMETERS_MAX + 1; count++) {
        struct buf text, params;
        struct sql_text got;
        enum sql_error error;
        buf_init(&text, &arena);
        buf_init(&params, &arena);
        buf_add_str(&text, STR("select 0"));
        for (size_t i = 0; i < count; i++) {
            buf_add_str(&text, STR(",?"));
            buf_printf(&params, "%s%zu", i ? "," : "[", i);
        }
        buf_add_char(&params, ']');
        buf_add_char(&params, '\0');
        buf_add_char(&text, '\0');
        bool read = read_text(text.p, parsed(params.p), SQL_SQLITE, &got, &error);
        assert_int_equal(read, count == SQL_PARAMETERS_MAX);
    }
}

static void a_nul_is_refused_in_statements_and_parameters(void **state)
{
    (void)state;
    struct sql_text got;
    enum sql_error error;
    str why;
    assert_false(
        sql_text_read(STR("select 1\0; drop"), NULL, STR("k"), SQL_SQLITE, &arena, &got, &error, &why));
    assert_int_equal(error, SQL_ERROR_STATEMENT);
    assert_false(read_text("select ?", parsed("[\"a\\u0000b\"]"), SQL_POSTGRES, &got, &error));
    assert_int_equal(error, SQL_ERROR_PARAMETERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_of_the_table_holds),
        cmocka_unit_test(a_statement_has_a_limit),
        cmocka_unit_test(parameters_have_a_limit),
        cmocka_unit_test(a_nul_is_refused_in_statements_and_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
