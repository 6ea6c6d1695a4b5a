/* tests/unit/dialect/compile.h — documents in, programs or refusals out.
 *
 * Whole definitions are in .json files (documents.h). Short documents, which stand beside what is
 * said about them, are written with ' for ", to stay readable inside C; a text inside an
 * expression is then written with ` for '. A text with a " in it is taken as it is.
 */
#ifndef TESTS_DIALECT_COMPILE_H
#define TESTS_DIALECT_COMPILE_H

#include "documents.h"
#include "source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

struct compiled {
    struct arena arena;
    struct problems problems;
    struct program *program; /* NULL: refused. */
    const struct json *document;
};

static inline void compile_text(struct compiled *compiled, str text)
{
    arena_init(&compiled->arena, 0);
    problems_init(&compiled->problems, &compiled->arena);
    compiled->program = source_compile(text, SOURCE_ANY, 64u << 20, &compiled->problems, &compiled->document);
    assert_int_equal(compiled->program == NULL, compiled->problems.error_count > 0);
}

static inline str compile_unquote(struct arena *arena, const char *document)
{
    str copy = arena_str(arena, str_of(document));
    char *p = (char *)(uintptr_t)copy.p;
    if (strchr(document, '"')) return copy;
    for (size_t i = 0; i < copy.n; i++) {
        if (p[i] == '\'') p[i] = '"';
        if (p[i] == '`') p[i] = '\'';
    }
    return copy;
}

static inline void compile(struct compiled *compiled, const char *document)
{
    struct arena arena;
    arena_init(&arena, 0);
    compile_text(compiled, compile_unquote(&arena, document));
    arena_done(&arena);
}

static inline void compiled_done(struct compiled *compiled)
{
    program_unref(compiled->program);
    arena_done(&compiled->arena);
}

static inline const char *compiled_refusal(struct compiled *compiled)
{
    str refusal = dialect_refusal(&compiled->problems, &compiled->arena);
    return arena_str(&compiled->arena, refusal).p;
}

/* "E CODE, W CODE" in order. */
static inline const char *compiled_codes(struct compiled *compiled)
{
    struct buf out;
    buf_init(&out, &compiled->arena);
    for (size_t i = 0; i < compiled->problems.count; i++)
        buf_printf(&out, "%s%c %s", i ? ", " : "", compiled->problems.problem[i].warning ? 'W' : 'E',
                   problem_code_name(compiled->problems.problem[i].code));
    buf_add_char(&out, '\0');
    return out.p;
}

/* A definition around steps, and an END called "e" behind them. */
#define STEPS(steps) "{'id':'d','name':'D','steps':[" steps ",{'id':'e','name':'E','type':'END'}]}"
/* A step of a type that leads to "e" unless it says otherwise. */
#define SERVICE(id, more) "{'id':'" id "','name':'N','type':'SERVICE_TASK','jobType':'j'" more "}"

#endif
