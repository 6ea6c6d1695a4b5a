/* tests/fuzz/fuzz_template.c — templates and structured conditions: JSON, or a text that stands for itself,
 * then perhaps a NUL and an object it sees. The value is read as a template of plain texts, as one of texts
 * of every kind, and as a condition, strict and not. */

#include "fuzz.h"

#include "base/escape.h"
#include "base/utf8.h"

#include "expr/template/template.h"

enum { FUEL = 20000, MEMORY = 8 << 20 };

static const char usual_data[] =
    "{\"vars\":{\"n\":5,\"f\":1.50,\"s\":\"text\",\"nil\":null,\"list\":[1,\"two\",{\"k\":[3]}],\"evil\":"
    "\"{{ vars.n }}\"},\"nodes.a\":{\"body\":{\"x\":1},\"rows\":[]},\"trigger\":{\"payload\":{\"n\":20,"
    "\"want\":[\"a\",\"b\"]}},\"item\":\"x\",\"index\":0}";

/* ---- roots ---- */

struct seen {
    size_t paths;
    bool noted;   /* A root was left empty. */
    size_t kinds; /* Texts whose kind was asked for. */
};

static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    static const str plain[] = { STR_INIT("vars"), STR_INIT("trigger"), STR_INIT("item"), STR_INIT("index") };
    struct seen *seen = context;
    seen->paths++;
    must(path->count >= 1 && path->text.n);
    for (size_t i = 0; i < path->count; i++) must(utf8_is_valid(path->name[i]));
    str first = path->name[0];
    for (size_t i = 0; i < COUNT(plain); i++)
        if (str_equal(first, plain[i])) {
            *ret_root = (struct template_root){ .name = first, .used = 1 };
            return ST_OK;
        }
    if (str_equal(first, STR("nodes")) && path->count > 1) {
        *ret_root = (struct template_root){ .name = STR("nodes.a"), .used = 2 };
        return ST_OK;
    }
    if (str_equal(first, STR("secrets")) && path->count > 1) {
        *ret_root = (struct template_root){ .name = path->name[1], .used = 2, .secret = true };
        return ST_OK;
    }
    if (str_equal(first, STR("__resume"))) {
        *ret_root = (struct template_root){ .name = STR("vars"), .member = STR("list"), .used = 1 };
        return ST_OK;
    }
    seen->noted = true;
    return str_equal(first, STR("refused")) ? fail(err, ST_NOT_FOUND, "", "refused") : ST_OK;
}

/* ---- runs ---- */

struct run {
    enum status status;
    int64_t fuel;
    const struct json *value;
    struct error err;
};

static struct run evaluate(const struct expr *expr, const struct json *data, int64_t fuel,
                           struct arena *arena)
{
    const struct expr_env env = { .data = data, .now_ms = INT64_C(1794714611000) };
    struct run run = { .fuel = fuel };
    arena->budget = arena->used + MEMORY;
    run.status = expr_eval(expr, &env, &run.fuel, arena, &run.value, &run.err);
    arena->budget = 0;
    return run;
}

static struct run check_run(const struct expr *expr, const struct json *data, struct arena *arena)
{
    struct run first = evaluate(expr, data, FUEL, arena), again = evaluate(expr, data, FUEL, arena);
    must(first.status == again.status && first.fuel == again.fuel);
    if (first.status != ST_OK) {
        must(first.status == ST_INVALID || first.status == ST_LIMIT);
        must(first.err.message[0] && utf8_is_valid(str_of(first.err.message)));
        return first;
    }
    must(fuzz_same_cells(first.value, again.value));
    fuzz_check_value(first.value, arena);
    int64_t used = FUEL - first.fuel;
    must(evaluate(expr, data, used, arena).status == ST_OK);
    must(evaluate(expr, data, used - 1, arena).status == ST_LIMIT);
    struct buf out;
    buf_init(&out, arena);
    expr_print(expr, &out);
    must(out.n && utf8_is_valid(buf_str(&out)) && utf8_is_valid(expr_text(expr)));
    return first;
}

static void check_error(const struct error *err, enum status status)
{
    must(err->status == status && err->message[0]);
    must(status == ST_INVALID || status == ST_LIMIT || status == ST_NOT_FOUND);
    must(utf8_is_valid(str_of(err->message)));
}

/* The texts of a template are of all kinds in turn. */
static enum template_kind kind_of(void *context, str pointer)
{
    struct seen *seen = context;
    (void)pointer;
    return (enum template_kind)(seen->kinds++ % (TEMPLATE_REFERENCE + 1));
}

static void take_notice(void *context, enum template_notice notice, enum template_kind kind,
                        const struct template_path *path)
{
    (void)context;
    (void)notice;
    must(kind != TEMPLATE_PLAIN && path->count >= 1 && path->text.n);
}

static size_t count_of(str text, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < text.n; i++) count += text.p[i] == c;
    return count;
}

static enum template_kind kind_by_name(void *context, str pointer)
{
    (void)context;
    return str_equal(pointer, STR("/url")) ? TEMPLATE_URL : TEMPLATE_HTML;
}

/* Whatever a value says, it adds none of the signs that have a meaning in its place. */
static void check_value(str text, struct arena *arena)
{
    static const char template[] =
        "{\"url\":\"https://h/{{ item }}/b?q={{ item }}\",\"html\":\"<p title='{{ item }}'>\"}";
    struct seen seen = { 0 };
    struct error err;
    const struct json *value;
    const struct expr *expr;
    const struct template_roots roots = {
        .find = find_root, .context = &seen, .kind = kind_by_name, .notice = take_notice
    };
    const struct json *data = json_set(arena, json_empty_object(), STR("item"), json_of_string(arena, text));
    must(json_parse(str_of(template), NULL, arena, &value, NULL) == ST_OK);
    must(expr_template(value, &roots, arena, &expr, &err) == ST_OK);
    struct run run = evaluate(expr, data, INT32_MAX, arena);
    must((run.status == ST_OK) == !escape_is_dots(text));
    if (run.status != ST_OK) return;
    str url = json_string(json_get(run.value, STR("url"))),
        html = json_string(json_get(run.value, STR("html")));
    must(count_of(url, '/') == 4 && count_of(url, '?') == 1 && !count_of(url, '#') && !count_of(url, '&'));
    must(count_of(url, '=') == 1 && !count_of(url, '\\') && !count_of(url, ' ') && !count_of(url, '\0'));
    must(count_of(html, '<') == 1 && count_of(html, '>') == 1 && count_of(html, '\'') == 2);
}

/* Whatever the texts of a template are for, it compiles alike, and fails only for a value or its size. */
static void check_escapes(const struct json *value, const struct json *data, struct arena *arena)
{
    struct error err;
    const struct expr *expr;
    for (size_t first = 0; first <= TEMPLATE_REFERENCE; first++) {
        struct seen seen = { .kinds = first };
        const struct template_roots roots = { .find = find_root,
                                              .context = &seen,
                                              .kind = kind_of,
                                              .notice = take_notice,
                                              .secrets_member = STR("\001secrets") };
        enum status status = expr_template(value, &roots, arena, &expr, &err);
        if (status != ST_OK) {
            check_error(&err, status);
            return;
        }
        struct run run = check_run(expr, data, arena);
        must(run.status == ST_OK || run.status == ST_LIMIT || run.status == ST_INVALID);
    }
}

/* A template never fails when it runs, but for its size, and a value without placeholders is itself. */
static void check_template(const struct json *value, const struct json *data, struct arena *arena)
{
    struct seen seen = { 0 };
    struct error err;
    const struct expr *expr;
    const struct template_roots roots = {
        .find = find_root,
        .context = &seen,
        .secrets_member = STR("\001secrets"),
    };
    enum status status = expr_template(value, &roots, arena, &expr, &err);
    if (status != ST_OK) {
        check_error(&err, status);
        return;
    }
    struct run run = check_run(expr, data, arena);
    must(run.status == ST_OK || run.status == ST_LIMIT);
    const struct json *constant;
    if (expr_is_constant(expr, &constant)) must(fuzz_same_cells(constant, run.value));
    if (run.status == ST_OK && !json_is(value, JSON_STRING)) {
        must(json_kind(run.value) == json_kind(value));
        must(json_count(run.value) - json_count(value) <= 1);
    }
    struct buf text;
    buf_init(&text, arena);
    json_print(value, &text);
    if (str_find(buf_str(&text), STR("{{"), 0) == SIZE_MAX)
        must(seen.paths == 0 && fuzz_same_cells(run.value, value));
}

/* Strict and not differ only where the strict one fails. */
static void check_condition(const struct json *value, const struct json *data, struct arena *arena)
{
    struct run run[2];
    for (int strict = 0; strict < 2; strict++) {
        struct seen seen = { 0 };
        struct error err;
        const struct expr *expr;
        const struct template_roots roots = { .find = find_root, .context = &seen };
        enum status status = expr_structured(value, strict, &roots, arena, &expr, &err);
        if (status != ST_OK) {
            must(!strict || json_is(value, JSON_STRING) || status == err.status);
            check_error(&err, status);
            return;
        }
        run[strict] = check_run(expr, data, arena);
    }
    must(run[0].status == ST_OK || run[0].status == ST_LIMIT);
    if (run[0].status == ST_OK) must(json_is(run[0].value, JSON_BOOL));
    bool both = run[0].status == ST_OK && run[1].status == ST_OK;
    if (both && json_is(run[1].value, JSON_BOOL)) must(json_equal(run[0].value, run[1].value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    str first, second;
    const struct json *value, *seen;
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data, size }, &first, &second);
    if (json_parse(second, NULL, &arena, &seen, NULL) != ST_OK || !json_is(seen, JSON_OBJECT))
        must(json_parse(str_of(usual_data), NULL, &arena, &seen, NULL) == ST_OK);
    if (json_parse(first, NULL, &arena, &value, NULL) != ST_OK)
        value = utf8_is_valid(first) ? json_of_string(&arena, first) : NULL;
    if (value) {
        check_template(value, seen, &arena);
        check_escapes(value, seen, &arena);
        if (json_is(value, JSON_STRING)) check_value(json_string(value), &arena);
        check_condition(value, seen, &arena);
    }
    arena_done(&arena);
    return 0;
}
