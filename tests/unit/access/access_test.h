/* tests/unit/access/access_test.h — what these tests share. */
#ifndef TESTS_UNIT_ACCESS_ACCESS_TEST_H
#define TESTS_UNIT_ACCESS_ACCESS_TEST_H

#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* JSON with ' for ". */
static inline const struct json *parsed(struct arena *arena, const char *text)
{
    str copy = arena_str(arena, str_of(text));
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if (p[i] == '\'') p[i] = '"';
    const struct json *value = NULL;
    struct error err = { 0 };
    if (json_parse(copy, NULL, arena, &value, &err) != ST_OK) fail_msg("%s: %s", err.message, text);
    return value;
}

static inline const char *printed(struct arena *arena, const struct json *value)
{
    struct buf out;
    buf_init(&out, arena);
    json_print(value, &out);
    buf_add_char(&out, '\0');
    for (size_t i = 0; i < out.n; i++)
        if (out.p[i] == '"') out.p[i] = '\'';
    return out.p;
}

static inline void expect_json(struct arena *arena, const struct json *value, const char *want)
{
    assert_string_equal(printed(arena, value), printed(arena, parsed(arena, want)));
}

#endif
