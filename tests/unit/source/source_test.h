/* tests/unit/source/source_test.h — texts in, documents or refusals out, both as text. */
#ifndef TESTS_SOURCE_SOURCE_TEST_H
#define TESTS_SOURCE_SOURCE_TEST_H

#include "source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The document as JSON, or "line:column: message". */
static inline const char *outcome(str text, enum source_format format, const struct source_limits *limits,
                                  struct arena *arena)
{
    struct source source;
    struct error err = { 0 };
    struct buf out;
    buf_init(&out, arena);
    enum status status = source_parse(text, format, limits, arena, &source, &err);
    if (status == ST_OK) {
        json_print(source.document, &out);
        /* Sound cells, whoever made them. */
        assert_non_null(json_decode(json_encoded(source.document), arena));
    } else {
        assert_int_equal(status, err.status);
        buf_printf(&out, "%u:%u: %s", err.line, err.column, err.message);
    }
    buf_add_char(&out, '\0');
    return out.p;
}

struct outcome_case {
    const char *text;
    const char *want;
};

static inline void check_outcomes(const struct outcome_case *cases, size_t count, enum source_format format)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const char *got = outcome(str_of(cases[i].text), format, NULL, &arena);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s\n  gives   %s\n  and not %s", cases[i].text, got, cases[i].want);
        arena_done(&arena);
    }
}

#endif
