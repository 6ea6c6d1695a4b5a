/* tests/unit/dialect/golden.h — documents against the text their programs print.
 *
 *     UPDATE_GOLDEN=1 make check-dialect     writes the texts anew
 */
#ifndef TESTS_DIALECT_GOLDEN_H
#define TESTS_DIALECT_GOLDEN_H

#include "dialect/compile.h"

#include <stdio.h>

#define GOLDEN "tests/unit/dialect/golden/"

static inline str golden_read(const char *path, struct arena *arena)
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

static inline void golden_write(const char *path, str text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    assert_int_equal(fclose(file), 0);
}

static inline str golden_line(str text, size_t at)
{
    size_t end = str_find(text, STR("\n"), at);
    return str_slice(text, at, end);
}

/* Stops at the first line that differs. */
static inline void golden_assert_same(const char *path, str want, str got)
{
    size_t at = 0;
    for (unsigned line = 1; at < want.n || at < got.n; line++) {
        str a = golden_line(want, at), b = golden_line(got, at);
        if (!str_equal(a, b))
            fail_msg("%s:%u:\n  want %.*s\n  got  %.*s", path, line, STR_ARG(a), STR_ARG(b));
        at += a.n + 1;
    }
}

static inline void golden_compare(const char *document, const char *golden)
{
    struct arena arena;
    arena_init(&arena, 0);
    str text = golden_read(document, &arena);
    if (!text.p) fail_msg("%s: cannot be read; tests run from the top folder", document);
    struct compiled compiled;
    compile_text(&compiled, text);
    struct buf out;
    buf_init(&out, &arena);
    if (compiled.program) program_print(compiled.program, &out);
    problems_print(&compiled.problems, STR("problem"), &out);
    if (getenv("UPDATE_GOLDEN")) golden_write(golden, buf_str(&out));
    golden_assert_same(golden, golden_read(golden, &arena), buf_str(&out));
    compiled_done(&compiled);
    arena_done(&arena);
}

#endif
