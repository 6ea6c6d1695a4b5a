/* tests/unit/json/json_test.h — what all tests of json/ start with: an arena for each test,
 * and values written as text. */
#ifndef JSON_TEST_H
#define JSON_TEST_H

#include "json/json.h"

#include "base/limits.h"
#include "documents.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline int open_arena(void **state)
{
    struct arena *arena = malloc(sizeof *arena);
    arena_init(arena, 0);
    *state = arena;
    return 0;
}

static inline int close_arena(void **state)
{
    arena_done(*state);
    free(*state);
    return 0;
}

#define json_test(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)

static inline const struct json *parse_str(struct arena *arena, str text)
{
    const struct json *value = NULL;
    struct error err = { .message = "" };
    if (json_parse(text, NULL, arena, &value, &err) != ST_OK)
        fail_msg("%.*s: %u:%u: %s", STR_ARG(text), err.line, err.column, err.message);
    return value;
}

static inline const struct json *parse(struct arena *arena, const char *text)
{
    return parse_str(arena, str_of(text));
}

typedef void print_fn(const struct json *value, struct buf *out);

static inline const char *printed_by(print_fn *print, struct arena *arena, const struct json *value)
{
    struct buf out;
    buf_init(&out, arena);
    print(value, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

static inline const char *print(struct arena *arena, const struct json *value)
{
    return printed_by(json_print, arena, value);
}

static inline const char *canonical(struct arena *arena, const struct json *value)
{
    return printed_by(json_print_canonical, arena, value);
}

/* ---- a deterministic source of values ---- */

struct random {
    uint64_t state;
};

static inline uint32_t random_below(struct random *random, uint32_t bound)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 33) % bound;
}

/* Few names and few leaves, so that two values often have something in common. */
static inline void add_random_value(struct json_builder *builder, struct random *random, int levels)
{
    static const char *const names[] = {
        "a", "b", "c", "id", "name", "", "a/b", "m~n", "~1", "\xc3\xa4", "total", "0", "items", "x y",
    };
    uint32_t choice = random_below(random, levels ? 10 : 6);
    if (choice < 1) json_add_null(builder);
    else if (choice < 2) json_add_bool(builder, random_below(random, 2));
    else if (choice < 3) json_add_double(builder, random_below(random, 8) / 4.0);
    else if (choice < 5) json_add_int(builder, (int64_t)random_below(random, 5) << random_below(random, 60));
    else if (choice < 6) json_add_string(builder, str_of(names[random_below(random, COUNT(names))]));
    else if (choice < 7) {
        json_open_array(builder);
        for (uint32_t n = random_below(random, 20); n; n--) add_random_value(builder, random, levels - 1);
        json_close(builder);
    } else {
        json_open_object(builder);
        uint32_t many = random_below(random, 8) == 0 ? 20 : 0; /* Enough for a table. */
        for (uint32_t i = 0; i < many; i++) {
            char name[16];
            int n = snprintf(name, sizeof name, "n%u", i * 7 % 20);
            if (!random_below(random, 4)) continue;
            json_add_name(builder, (str){ name, (size_t)n });
            add_random_value(builder, random, 0);
        }
        uint32_t start = random_below(random, COUNT(names));
        for (uint32_t i = 0; i < COUNT(names); i++) {
            if (random_below(random, 3)) continue;
            json_add_name(builder, str_of(names[(start + i) % COUNT(names)]));
            add_random_value(builder, random, levels - 1);
        }
        json_close(builder);
    }
}

static inline const struct json *random_value(struct arena *arena, struct random *random)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    add_random_value(&builder, random, 4);
    return json_built(&builder);
}

#endif
