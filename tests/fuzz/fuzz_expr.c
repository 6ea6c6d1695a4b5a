/* tests/fuzz/fuzz_expr.c — expressions: a text, then perhaps a NUL and an object it sees. The same text
 * is read as an expression, as a condition and as a condition over events. */

#include "fuzz.h"

#include "base/utf8.h"

#include "expr/build.h"

enum { FUEL = 20000, MEMORY = 8 << 20, TESTS_MAX = 8 };

static const char usual_data[] = "{\"a\":1,\"b\":2.50,\"n\":0,\"neg\":-7,\"big\":12345678901234567890,\"s\":"
                                 "\"text\",\"t\":\"5\",\"e\":\"\","
                                 "\"yes\":true,\"no\":\"false\",\"nil_\":null,\"list\":[3,1,2],\"words\":["
                                 "\"b\",\"a\",\"b\"],\"o\":{\"k\":{\"v\":[1]}},"
                                 "\"user\":{\"name\":\"Z\xc3\xbc\",\"roles\":[\"ADMIN\"],\"age\":42},"
                                 "\"items\":[{\"p\":10,\"q\":\"x\"},{\"p\":2.5,\"q\":\"y\"}],"
                                 "\"when\":\"2026-11-15T03:50:11Z\",\"creditScore\":700}";

struct run {
    enum status status;
    int64_t fuel;
    size_t memory;
    const struct json *value;
    struct error err;
};

static struct run evaluate(const struct expr *expr, const struct json *data, int64_t fuel,
                           struct arena *arena)
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
    must(err->status == status && (status == ST_INVALID || status == ST_LIMIT || status == ST_NOT_FOUND));
    must(err->message[0]);
    must(utf8_is_valid(str_of(err->message)));
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
    if (expr_is_constant(expr, &constant))
        must(first.status == ST_OK && fuzz_same_cells(first.value, constant));
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

static void check_expression(str text, const struct json *seen, struct arena *arena)
{
    const struct expr *expr = NULL;
    struct error err;
    enum status status = expr_compile(text, arena, &expr, &err);
    if (status != ST_OK) {
        must(status != ST_NOT_FOUND && err.line && err.column);
        check_error(text, &err, status, arena);
        return;
    }
    struct buf code;
    buf_init(&code, arena);
    expr_print(expr, &code);
    must(code.n && utf8_is_valid(buf_str(&code)));
    must(str_equal(expr_text(expr), text));
    check_runs(expr, seen, arena);
    check_tests(expr, seen, arena);
}

/* ---- conditions ---- */

/* The same value as the data, but something that has to be kept once it is known. */
static struct expr_tree *computed_root(struct arena *arena)
{
    struct expr_tree *data = tree_data(arena);
    return tree_if(tree_is_object(data, arena), tree_combine(data, data, arena), data, arena);
}

static enum status parse_condition(str text, struct expr_tree *root, struct arena *arena,
                                   struct expr_tree **ret_tree, struct error *err)
{
    const struct condition_name name[] = {
        { STR("error"), tree_member(root, STR("o"), arena) },
        { STR("index"), tree_literal(json_of_int(arena, 1), arena) },
    };
    const struct condition_names names = { .root = root, .name = name, .count = COUNT(name) };
    return expr_parse_condition(text, &names, arena, ret_tree, err);
}

static void check_condition(str text, const struct json *seen, struct arena *arena)
{
    struct expr_tree *tree = NULL, *again = NULL;
    struct error err;
    enum status status = parse_condition(text, tree_data(arena), arena, &tree, &err);
    if (status != ST_OK) {
        must(status != ST_NOT_FOUND && err.line && err.column && !tree);
        check_error(text, &err, status, arena);
        return;
    }
    const struct expr *expr = expr_of_tree(tree, arena);
    const struct expr *negation = expr_of_tree(tree_not(tree, arena), arena);
    must(str_equal(expr_text(expr), text));
    check_runs(expr, seen, arena);
    must(parse_condition(text, computed_root(arena), arena, &again, &err) == ST_OK);
    struct buf code;
    buf_init(&code, arena);
    const struct expr *computed = expr_of_tree(again, arena);
    expr_print(computed, &code);
    must(code.n && utf8_is_valid(buf_str(&code)));

    struct run run = evaluate(expr, seen, FUEL, arena), not = evaluate(negation, seen, 2 * FUEL, arena);
    struct run other = evaluate(computed, seen, 2 * FUEL, arena);
    if (run.status != ST_OK) return;
    must(json_is(run.value, JSON_BOOL));
    must(not .status == ST_OK && json_bool(not .value) != json_bool(run.value));
    /* Computing the root takes memory, too. */
    must(other.status == ST_OK ? fuzz_same_cells(run.value, other.value) : other.status == ST_LIMIT);
}

static const struct event_name usual_events[] = {
    { STR_INIT("e1"), STR_INIT("t1"), STR_INIT("/s") },
    { STR_INIT("e2"), STR_INIT("t2"), STR_INIT("/s") },
    { STR_INIT("e-3"), STR_INIT("t1"), STR_INIT("/x") },
    { STR_INIT("my event"), STR_INIT("com.x"), STR_INIT("/x") },
};

static void check_event_condition(str text, struct arena *arena)
{
    enum { EVENTS = COUNT(usual_events) };
    struct expr_tree *tree = NULL;
    struct event_operands operands;
    struct error err;
    enum status status =
        expr_parse_event_condition(text, usual_events, EVENTS, arena, &tree, &operands, &err);
    if (status != ST_OK) {
        must(err.line && err.column && !tree);
        check_error(text, &err, status, arena);
        return;
    }
    const struct expr *expr = expr_of_tree(tree, arena);
    must(str_equal(expr_text(expr), text));
    /* Only what is mentioned is there to be read. */
    bool none_positive = true, before = false;
    for (unsigned received = 0; received < 1u << EVENTS; received++) {
        struct expr_local local[EVENTS];
        struct expr_env env = { .data = json_null(), .local = local };
        for (size_t i = 0; i < EVENTS; i++) {
            must(operands.mentioned[i] || !operands.positive[i]);
            none_positive = none_positive && !operands.positive[i];
            if (operands.mentioned[i])
                local[env.local_count++] =
                    (struct expr_local){ usual_events[i].name, json_of_bool(received >> i & 1) };
        }
        must(env.local_count > 0);
        int64_t fuel = FUEL;
        const struct json *value = NULL;
        must(expr_eval(expr, &env, &fuel, arena, &value, &err) == ST_OK && json_is(value, JSON_BOOL));
        if (received == 0) before = json_bool(value);
        /* Without positive operands, more events make it true less. */
        else if (none_positive && !before) must(!json_bool(value));
    }
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
    check_expression(text, seen, &arena);
    check_condition(text, seen, &arena);
    check_event_condition(text, &arena);
    arena_done(&arena);
    return 0;
}
