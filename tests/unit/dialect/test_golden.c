/* The examples, and documents of our own, against the text their programs print.
 *
 *     UPDATE_GOLDEN=1 make check-dialect     writes the texts anew
 */
#include "dialect/compile.h"

#include <stdio.h>

#define GOLDEN "tests/unit/dialect/golden/"

static str read_file(const char *path, struct arena *arena)
{
    FILE *file = fopen(path, "rb");
    if (!file) return STR_NONE;
    struct buf text;
    buf_init(&text, arena);
    size_t n;
    while ((n = fread(buf_reserve(&text, 4096), 1, 4096, file)) > 0) text.n += n;
    fclose(file);
    return text.n ? buf_str(&text) : STR("");
}

static void write_file(const char *path, str text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    assert_int_equal(fclose(file), 0);
}

static str line_at(str text, size_t at)
{
    size_t end = str_find(text, STR("\n"), at);
    return str_slice(text, at, end);
}

/* Stops at the first line that differs. */
static void assert_same_text(const char *path, str want, str got)
{
    size_t at = 0;
    for (unsigned line = 1; at < want.n || at < got.n; line++) {
        str a = line_at(want, at), b = line_at(got, at);
        if (!str_equal(a, b)) fail_msg("%s:%u:\n  want %.*s\n  got  %.*s", path, line, STR_ARG(a), STR_ARG(b));
        at += a.n + 1;
    }
}

static void compare(const char *document, const char *golden)
{
    struct arena arena;
    arena_init(&arena, 0);
    str text = read_file(document, &arena);
    if (!text.p) fail_msg("%s: cannot be read; tests run from the top folder", document);
    struct compiled compiled;
    compile_text(&compiled, text);
    struct buf out;
    buf_init(&out, &arena);
    if (compiled.program) program_print(compiled.program, &out);
    problems_print(&compiled.problems, STR("problem"), &out);
    if (getenv("UPDATE_GOLDEN")) write_file(golden, buf_str(&out));
    assert_same_text(golden, read_file(golden, &arena), buf_str(&out));
    compiled_done(&compiled);
    arena_done(&arena);
}

static void the_examples_print_as_they_did(void **state)
{
    (void)state;
    compare("examples/loan-application.json", GOLDEN "loan-application.txt");
    compare("examples/loan-disbursement.json", GOLDEN "loan-disbursement.txt");
    compare("examples/order.json", GOLDEN "order.txt");
}

static void documents_of_our_own_print_as_they_did(void **state)
{
    (void)state;
    compare(GOLDEN "all-types.json", GOLDEN "all-types.txt");
    compare(GOLDEN "everything-wrong.json", GOLDEN "everything-wrong.txt");
    compare(GOLDEN "warnings.json", GOLDEN "warnings.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_print_as_they_did),
        cmocka_unit_test(documents_of_our_own_print_as_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
