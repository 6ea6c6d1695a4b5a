/* Tables of expressions: what each gives, or how it fails. */
#ifndef TESTS_UNIT_EXPR_CASES_H
#define TESTS_UNIT_EXPR_CASES_H

#include "base/limits.h"
#include "documents.h"
#include "expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h> /* After ours: its macro fail() would eat the declaration of our function. */

/* 2026-11-15T03:50:11Z */
#define CASES_NOW_MS INT64_C(1794714611000)

struct gives {
    const char *text;
    const char *want; /* Compact JSON. */
};

struct fails {
    const char *text;
    uint32_t line, column;
    const char *message; /* All of it. */
};

static inline const struct json *cases_data(const char *text, struct arena *arena)
{
    static const struct json_limits limits = { .bytes_max = 1 << 20, .depth_max = JSON_DEPTH_MAX };
    const struct json *data;
    struct error err;
    if (json_parse(str_of(text), &limits, arena, &data, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return data;
}

/* Compiles and evaluates; whichever fails first tells why. */
static inline enum status cases_run(str text, const struct json *data, int64_t *fuel, struct arena *arena,
                                    const struct json **ret_value, struct error *err)
{
    const struct expr *expr;
    struct expr_env env = { .data = data, .now_ms = CASES_NOW_MS };
    TRY(expr_compile(text, arena, &expr, err));
    return expr_eval(expr, &env, fuel, arena, ret_value, err);
}

static inline void cases_give(const struct gives *cases, size_t count, const char *data)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *value;
        struct error err;
        int64_t fuel = limits_default().fuel_max;
        if (cases_run(str_of(cases[i].text), cases_data(data, &arena), &fuel, &arena, &value, &err) != ST_OK)
            fail_msg("%s: %u:%u %s", cases[i].text, err.line, err.column, err.message);
        struct buf out;
        buf_init(&out, &arena);
        json_print(value, &out);
        buf_add_char(&out, '\0');
        if (strcmp(out.p, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].text, out.p, cases[i].want);
        arena_done(&arena);
    }
}

static inline void cases_fail(const struct fails *cases, size_t count, const char *data, enum status want)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *value;
        struct error err = { 0 };
        int64_t fuel = limits_default().fuel_max;
        enum status status =
            cases_run(str_of(cases[i].text), cases_data(data, &arena), &fuel, &arena, &value, &err);
        if (status != want) fail_msg("%s: status %d (%s), want %d", cases[i].text, status, err.message, want);
        if (strcmp(err.message, cases[i].message) != 0)
            fail_msg("%s:\n  got  %s\n  want %s", cases[i].text, err.message, cases[i].message);
        if (err.line != cases[i].line || err.column != cases[i].column)
            fail_msg("%s: at %u:%u, want %u:%u (%s)", cases[i].text, err.line, err.column, cases[i].line,
                     cases[i].column, err.message);
        arena_done(&arena);
    }
}

#define GIVE(cases, data) cases_give((cases), COUNT(cases), (data))
#define FAIL(cases, data) cases_fail((cases), COUNT(cases), (data), ST_INVALID)

#endif
