/* tests/fuzz/fuzz_expr.c — expressions: a text, then perhaps a NUL and an object it sees. */

#include "fuzz.h"

#include "expr/expr.h"

enum { FUEL = 20000, MEMORY = 8 << 20, TESTS_MAX = 8 };

static const char usual_data[] =
    "{\"a\":1,\"b\":2.50,\"n\":0,\"neg\":-7,\"big\":12345678901234567890,\"s\":\"text\",\"t\":\"5\",\"e\":\"\","
    "\"yes\":true,\"no\":\"false\",\"nil_\":null,\"list\":[3,1,2],\"words\":[\"b\",\"a\",\"b\"],\"o\":{\"k\":{\"v\":[1]}},"
    "\"user\":{\"name\":\"Z\xc3\xbc\",\"roles\":[\"ADMIN\"],\"age\":42},\"items\":[{\"p\":10,\"q\":\"x\"},{\"p\":2.5,\"q\":\"y\"}],"
    "\"when\":\"2026-11-15T03:50:11Z\",\"creditScore\":700}";

struct run {
    enum status status;
    int64_t fuel;
    size_t memory;
    const struct json *value;
    struct error err;
};

static struct run evaluate(const struct expr *expr, const struct json *data, int64_t fuel, struct arena *arena)
{
    const struct expr_env env = { .data = data, .now_ms = INT64_C(1794714611000) };
    struct run run = { .fuel = fuel };
    size_t used = arena->used;
    arena->budget = used + MEMORY;
    run.status = expr_eval(expr, &env, &run.fuel, arena, &run.value, &run.err);
    arena->budget = 0;
    run.memory = arena->used - used;
    return run;
}

static bool same_run(const struct run *a, const struct run *b)
{
    if (a->status != b->status) return false;
    if (a->status == ST_OK) return fuzz_same_cells(a->value, b->value);
    return a->err.line == b->err.line && a->err.column == b->err.column &&
           strcmp(a->err.message, b->err.message) == 0;
}

static void check_error(str text, const struct error *err, enum status status, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    must(err->status == status && (status == ST_INVALID || status == ST_LIMIT));
    must(err->message[0]);
    must(str_is_utf8(str_of(err->message)));
    expr_print_caret(text, err, &out);
}

/* One run, and what follows from it for others. */
static void check_runs(const struct expr *expr, const struct json *data, struct arena *arena)
{
    struct run first = evaluate(expr, data, FUEL, arena), again = evaluate(expr, data, FUEL, arena);
    must(same_run(&first, &again) && first.fuel == again.fuel);
    must(first.fuel >= 0 && first.fuel <= FUEL);
    must(first.memory <= 4 * MEMORY);
    if (first.status != ST_OK) {
        check_error(expr_text(expr), &first.err, first.status, arena);
    } else {
        fuzz_check_value(first.value, arena);
        /* What it used is exactly what it needs. */
        int64_t used = FUEL - first.fuel;
        struct run enough = evaluate(expr, data, used, arena);
        must(same_run(&first, &enough) && enough.fuel == 0);
        if (used > 0) must(evaluate(expr, data, used - 1, arena).status == ST_LIMIT);
    }
    const struct json *constant = NULL;
    if (expr_is_constant(expr, &constant)) must(first.status == ST_OK && fuzz_same_cells(first.value, constant));
}

/* ---- tests taken out of an expression mean what it means ---- */

static const struct expr *compile_test(const struct expr_test *test, struct arena *arena)
{
    static const char *const words[] = {
        [EXPR_TEST_EQ] = "==", [EXPR_TEST_NE] = "!=", [EXPR_TEST_LT] = "<",
        [EXPR_TEST_LE] = "<=", [EXPR_TEST_GT] = ">",  [EXPR_TEST_GE] = ">=",
    };
    struct buf text;
    const struct expr *expr = NULL;
    buf_init(&text, arena);
    buf_printf(&text, "%.*s %s ", STR_ARG(test->path), words[test->op]);
    json_print(test->literal, &text);
    return expr_compile(buf_str(&text), arena, &expr, NULL) == ST_OK ? expr : NULL;
}

static void check_tests(const struct expr *expr, const struct json *data, struct arena *arena)
{
    struct expr_test tests[TESTS_MAX];
    size_t count = expr_tests(expr, arena, tests, TESTS_MAX);
    if (count == SIZE_MAX) return;
    must(count >= 1 && count <= TESTS_MAX);
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        must(tests[i].path.n);
        const struct expr *test = compile_test(&tests[i], arena);
        if (!test) return; /* Names in another notation than a.b do not compile as such. */
        struct run run = evaluate(test, data, FUEL, arena);
        if (run.status != ST_OK) return;
        must(json_is(run.value, JSON_BOOL));
        all = all && json_bool(run.value);
    }
    struct run whole = evaluate(expr, data, FUEL, arena);
    if (count == TESTS_MAX) return; /* There may be more. */
    must(whole.status == ST_OK && json_bool(whole.value) == all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size }, text, object;
    struct arena arena;
    arena_init(&arena, 0);
    fuzz_split(input, &text, &object);
    const struct json *seen = fuzz_parse(object, &arena);
    if (!json_is(seen, JSON_OBJECT)) {
        seen = fuzz_parse(str_of(usual_data), &arena);
        text = input;
    }
    const struct expr *expr = NULL;
    struct error err;
    enum status status = expr_compile(text, &arena, &expr, &err);
    if (status != ST_OK) {
        must(err.line && err.column);
        check_error(text, &err, status, &arena);
    } else {
        struct buf code;
        buf_init(&code, &arena);
        expr_print(expr, &code);
        must(code.n && str_is_utf8(buf_str(&code)));
        must(str_equal(expr_text(expr), text));
        check_runs(expr, seen, &arena);
        check_tests(expr, seen, &arena);
    }
    arena_done(&arena);
    return 0;
}
