/* The official compliance suite of JSONPath, which lies beside the repository and not in it:
 * ../shared/suites, or where PAWL_SUITES says. Without it there is nothing to run. */
#include "json/json_test.h"

#include "jsonpath/jsonpath.h"

static const struct json *suite_cases(struct arena *arena)
{
    const char *folder = getenv("PAWL_SUITES");
    str file = arena_printf(arena, "%s/jsonpath-cts.json", folder ? folder : "../shared/suites");
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
    return json_get(parse_str(arena, buf_str(&text)), STR("tests"));
}

static bool is_one_of(const struct json *value, const struct json *only, const struct json *choices)
{
    if (only) return json_equal(value, only);
    struct json_each each = json_each(choices);
    while (json_next(&each))
        if (json_equal(value, each.value)) return true;
    return false;
}

/* The nodes, or their normalized paths, as one array. */
static const struct json *as_array(struct arena *arena, const struct json *root,
                                   const struct json *const *node, size_t count, bool paths)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) {
        struct buf path;
        buf_init(&path, arena);
        jsonpath_print_node(root, node[i], &path);
        if (paths) json_add_string(&builder, buf_str(&path));
        else json_add(&builder, node[i]);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* True if the case holds. */
static bool run_case(struct arena *arena, const struct json *test, const struct jsonpath *path)
{
    const struct json *root = json_get(test, STR("document"));
    const struct json *const *node;
    size_t count;
    int64_t fuel = limits_default().fuel_max;
    struct error err = { .message = "" };
    if (jsonpath_select(path, root, &fuel, arena, &node, &count, &err) != ST_OK) {
        print_error("%s\n", err.message);
        return false;
    }
    const struct json *values = as_array(arena, root, node, count, false);
    const struct json *paths = as_array(arena, root, node, count, true);
    const struct json *result = json_get(test, STR("result"));
    if (is_one_of(values, result, json_get(test, STR("results"))) &&
        is_one_of(paths, json_get(test, STR("result_paths")), json_get(test, STR("results_paths"))))
        return true;
    print_error("got %s\n at %s\n", print(arena, values), print(arena, paths));
    return false;
}

/* A printed path must compile again to the same path. */
static const struct jsonpath *compile_printed(struct arena *arena, const struct jsonpath *path)
{
    struct buf once, twice;
    const struct jsonpath *again;
    struct error err;
    buf_init(&once, arena);
    buf_init(&twice, arena);
    jsonpath_print(path, &once);
    if (jsonpath_compile(buf_str(&once), JSONPATH_STRICT, arena, &again, &err) != ST_OK)
        fail_msg("%.*s: %u: %s", STR_ARG(buf_str(&once)), err.column, err.message);
    jsonpath_print(again, &twice);
    assert_true(str_equal(buf_str(&once), buf_str(&twice)));
    return again;
}

static void the_official_suite_passes_whole(void **state)
{
    struct arena *arena = *state;
    const struct json *cases = suite_cases(arena);
    if (!cases) skip();
    size_t passed = 0, total = 0;
    struct json_each each = json_each(cases);
    while (json_next(&each)) {
        const struct jsonpath *path = NULL;
        struct error err = { .message = "" };
        str selector = json_string(json_get(each.value, STR("selector")));
        bool compiled = jsonpath_compile(selector, JSONPATH_STRICT, arena, &path, &err) == ST_OK;
        bool good = compiled == !json_get(each.value, STR("invalid_selector"));
        if (good && !compiled) assert_true(err.line >= 1 && err.column >= 1 && err.message[0]);
        if (good && compiled)
            good = run_case(arena, each.value, path) &&
                   run_case(arena, each.value, compile_printed(arena, path));
        if (!good)
            print_error("%s: %.*s: %s\n", print(arena, json_get(each.value, STR("name"))), STR_ARG(selector),
                        err.message);
        passed += good;
        total++;
    }
    printf("%zu of %zu cases of the compliance suite\n", passed, total);
    assert_int_equal(passed, total);
}

int main(void)
{
    const struct CMUnitTest tests[] = { json_test(the_official_suite_passes_whole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
