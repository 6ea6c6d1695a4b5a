/* The official suites of JSON Schema, which lie beside the repository and not in it: ../shared/suites, or
 * where PAWL_SUITES says. Without them there is nothing to run. Required tests must pass; optional ones are
 * counted, and those of formats run with formats that refuse. */
#include "json/json_test.h"

#include "schema/schema.h"

enum { SOURCES_MAX = 100 };

struct suite {
    enum schema_draft draft;
    struct schema_source source[SOURCES_MAX];
    size_t source_count;
    size_t required, required_passed, optional, optional_passed;
};

static const struct json *suite_document(struct arena *arena, const char *name)
{
    const char *folder = getenv("PAWL_SUITES");
    str file = arena_printf(arena, "%s/%s", folder ? folder : "../shared/suites", name);
    FILE *in = fopen(file.p, "rb");
    if (!in) {
        printf("skipped: no %s\n", file.p);
        return NULL;
    }
    struct buf text;
    buf_init(&text, arena);
    size_t n;
    do {
        n = fread(buf_reserve(&text, 1 << 16), 1, 1 << 16, in);
        text.n += n;
    } while (n);
    fclose(in);
    return parse_str(arena, buf_str(&text));
}

static bool run_case(const struct schema *schema, const struct json *test, struct arena *arena)
{
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = 100000;
    struct error err = { .message = "" };
    enum status status =
        schema_check(schema, json_get(test, STR("data")), &fuel, arena, &problem, &count, &err);
    return status == ST_OK && (count == 0) == json_bool(json_get(test, STR("valid")));
}

static void run_group(struct suite *suite, const struct json *file, const struct json *group)
{
    bool optional = json_bool(json_get(file, STR("optional")));
    str name = json_string(json_get(file, STR("file")));
    struct schema_options options = { .draft = suite->draft,
                                      .formats = optional && (str_starts(name, STR("optional/format/")) ||
                                                              str_equal(name, STR("optional/content.json"))),
                                      .source = suite->source,
                                      .source_count = suite->source_count };
    struct arena arena;
    arena_init(&arena, 0);
    const struct schema *schema = NULL;
    struct error err = { .message = "" };
    bool compiled =
        schema_compile_with(json_get(group, STR("schema")), &options, &arena, &schema, &err) == ST_OK;
    if (!compiled)
        print_message("%.*s: %s: %s: %s\n", STR_ARG(name), print(&arena, json_get(group, STR("description"))),
                      err.where, err.message);
    struct json_each each = json_each(json_get(group, STR("tests")));
    while (json_next(&each)) {
        bool good = compiled && run_case(schema, each.value, &arena);
        if (!good && (!optional || getenv("PAWL_SUITES_SHOW")))
            print_message("%.*s: %s: %s\n", STR_ARG(name), print(&arena, json_get(group, STR("description"))),
                          print(&arena, json_get(each.value, STR("description"))));
        *(optional ? &suite->optional : &suite->required) += 1;
        *(optional ? &suite->optional_passed : &suite->required_passed) += good;
    }
    arena_done(&arena);
}

static void run_suite(struct arena *arena, const char *name, enum schema_draft draft, size_t required)
{
    const struct json *document = suite_document(arena, name);
    if (!document) skip();
    struct suite suite = { .draft = draft };
    struct json_each each = json_each(json_get(document, STR("remotes")));
    while (json_next(&each)) {
        assert_true(suite.source_count < SOURCES_MAX);
        suite.source[suite.source_count++] = (struct schema_source){ each.name, each.value };
    }
    each = json_each(json_get(document, STR("suite")));
    while (json_next(&each)) {
        struct json_each groups = json_each(json_get(each.value, STR("groups")));
        while (json_next(&groups)) run_group(&suite, each.value, groups.value);
    }
    printf("%s: %zu of %zu required tests, %zu of %zu optional tests\n", name, suite.required_passed,
           suite.required, suite.optional_passed, suite.optional);
    assert_int_equal(suite.required_passed, suite.required);
    assert_true(suite.required >= required);
}

static void all_required_tests_of_draft_07_pass(void **state)
{
    run_suite(*state, "json-schema-draft7.json", SCHEMA_DRAFT_07, 927);
}

static void all_required_tests_of_2020_12_pass(void **state)
{
    run_suite(*state, "json-schema-2020-12.json", SCHEMA_2020_12, 1299);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(all_required_tests_of_draft_07_pass),
        json_test(all_required_tests_of_2020_12_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
