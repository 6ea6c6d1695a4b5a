/* tests/unit/scenario/suite.h — scenario files as text, and what comes of them. */
#ifndef TESTS_SCENARIO_SUITE_H
#define TESTS_SCENARIO_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, which has a fail() of its own. */
#include "documents.h"
#include "scenario/scenario_int.h"

#include <cmocka.h>

/* One service task, one person. */
#define ONE_JOB document("scenario/suite", "one job")
#define ONE_PERSON document("scenario/suite", "one person")

static inline enum status no_files(void *context, str path, struct arena *arena, str *ret_text,
                                   struct error *err)
{
    (void)context, (void)arena, (void)ret_text;
    return (fail)(err, ST_NOT_FOUND, "file", "%.*s: not here", STR_ARG(path));
}

static inline int suite_setup(void **state)
{
    struct arena *arena = malloc(sizeof *arena);
    arena_init(arena, 0);
    *state = arena;
    return 0;
}

static inline int suite_teardown(void **state)
{
    arena_done(*state);
    free(*state);
    return 0;
}

static inline struct suite suite_of(struct arena *arena, const char *text)
{
    struct suite suite;
    struct error err;
    if (scenario_parse(str_of(text), STR("test.json"), no_files, NULL, arena, &suite, &err) != ST_OK)
        fail_msg("%s", err.message);
    return suite;
}

/* Runs the only case of a file. */
static inline struct scenario_result suite_run(struct arena *arena, const char *text)
{
    struct suite suite = suite_of(arena, text);
    struct scenario_result result;
    assert_int_equal(suite.count, 1);
    scenario_run(&suite, 0, arena, &result);
    return result;
}

/* The items of a document that is a list, without its brackets. */
static inline const char *suite_items(struct arena *arena, const char *list)
{
    return arena_str(arena, str_slice(str_of(list), 1, strlen(list) - 1)).p;
}

/* A case with one definition, steps and expectations, all as JSON text. */
static inline struct scenario_result suite_case(struct arena *arena, const char *definition,
                                                const char *steps, const char *expect)
{
    return suite_run(arena,
                     arena_printf(arena, "{\"cases\":[{\"definitions\":[%s],\"steps\":[%s],\"expect\":%s}]}",
                                  definition, steps, expect)
                         .p);
}

static inline bool text_has(str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static inline const struct json *suite_json(struct arena *arena, const char *text)
{
    const struct json *value;
    struct error err;
    if (json_parse(str_of(text), NULL, arena, &value, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return value;
}

#define SUITE_TEST(name) cmocka_unit_test_setup_teardown(name, suite_setup, suite_teardown)

#endif
