/* Trees: what one gives, how it fails, what it looks like. */
#ifndef TESTS_UNIT_EXPR_BUILT_H
#define TESTS_UNIT_EXPR_BUILT_H

#include "expr/build.h"
#include "expr/cases.h"

struct built {
    struct arena arena;
    struct expr_env env;
    struct error err;
    int64_t fuel;
    const struct json *value;
};

static inline void built_begin(struct built *built, const char *data)
{
    *built = (struct built){ .fuel = limits_default().fuel_max };
    arena_init(&built->arena, 0);
    built->env = (struct expr_env){ .data = cases_data(data, &built->arena), .now_ms = CASES_NOW_MS };
}

static inline void built_end(struct built *built) { arena_done(&built->arena); }

static inline struct expr_tree *built_literal(struct built *built, const char *text)
{
    return tree_literal(cases_data(text, &built->arena), &built->arena);
}

/* NULL for NULL. */
static inline const struct jsonpath *built_path(struct built *built, const char *text)
{
    const struct jsonpath *path = NULL;
    if (text && jsonpath_compile(str_of(text), JSONPATH_LENIENT, &built->arena, &path, &built->err) != ST_OK)
        fail_msg("%s: %s", text, built->err.message);
    return path;
}

static inline enum status built_run(struct built *built, struct expr_tree *tree)
{
    const struct expr *expr = expr_of_tree(tree, &built->arena);
    return expr_eval(expr, &built->env, &built->fuel, &built->arena, &built->value, &built->err);
}

static inline const char *built_text(struct built *built, struct expr_tree *tree)
{
    str text = expr_text(expr_of_tree(tree, &built->arena));
    return arena_str(&built->arena, text).p;
}

static inline const char *built_printed(struct built *built)
{
    struct buf out;
    buf_init(&out, &built->arena);
    json_print(built->value, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

/* The tree gives `want` or, if that does not begin like a value, fails so with a filter's error. */
static inline void built_expect(struct built *built, struct expr_tree *tree, const char *want)
{
    const char *text = built_text(built, tree);
    enum status status = built_run(built, tree);
    if (want[0] == '!') {
        if (status == ST_OK) fail_msg("%s: got %s, want a failure", text, built_printed(built));
        assert_string_equal(built->err.message, want + 1);
        assert_string_equal(built->err.where, "filter");
        assert_int_equal(built->err.line, 0);
        return;
    }
    if (status != ST_OK) fail_msg("%s: %s", text, built->err.message);
    if (strcmp(built_printed(built), want) != 0)
        fail_msg("%s: got %s, want %s", text, built_printed(built), want);
}

#endif
