/* tests/fuzz/fuzz_json.c — JSON text: one document, or two with a NUL between them. */

#include "fuzz.h"

enum { PLACES_MAX = 64 };

static void check_texts(const struct json *value, struct arena *arena)
{
    fuzz_check_value(value, arena);
    const struct json *pretty = fuzz_parse(fuzz_printed(json_print_pretty, value, arena), arena);
    must(pretty && fuzz_same_cells(pretty, value));
    str canonical = fuzz_printed(json_print_canonical, value, arena);
    const struct json *again = NULL;
    enum status status = json_parse(canonical, NULL, arena, &again, NULL);
    must(status == ST_OK || status == ST_LIMIT); /* 99e999999999 has no other form within limits. */
    if (status != ST_OK) return;
    must(json_equal(again, value) && json_equal(value, again));
    must(str_equal(fuzz_printed(json_print_canonical, again, arena), canonical));
}

/* ---- where things are ---- */

/* The byte at a line and a column, which counts characters. */
static const char *at_place(str text, uint32_t line, uint32_t column)
{
    const char *p = text.p, *end = text.p + text.n;
    while (line > 1 && p < end)
        if (*p++ == '\n') line--;
    while (column > 1 && p < end) {
        p++;
        while (p < end && ((uint8_t)*p & 0xc0) == 0x80) p++;
        column--;
    }
    return p;
}

static bool begins(const struct json *value, char c)
{
    switch (json_kind(value)) {
    case JSON_NULL: return c == 'n';
    case JSON_BOOL: return c == (json_bool(value) ? 't' : 'f');
    case JSON_NUMBER: return c == '-' || (c >= '0' && c <= '9');
    case JSON_STRING: return c == '"';
    case JSON_ARRAY: return c == '[';
    case JSON_OBJECT: return c == '{';
    }
    return false;
}

static void add_token(struct buf *pointer, const struct json_each *each, bool object, size_t index)
{
    buf_add_char(pointer, '/');
    if (!object) buf_printf(pointer, "%zu", index);
    for (size_t i = 0; object && i < each->name.n; i++) {
        char c = each->name.p[i];
        if (c == '~' || c == '/') buf_add_str(pointer, c == '~' ? STR("~0") : STR("~1"));
        else buf_add_char(pointer, c);
    }
}

/* Every value is found by its pointer, in the value and in the text. */
static void check_places(str text, const struct json *whole, const struct json *value, struct buf *pointer,
                         int *left)
{
    if (--*left < 0) return;
    uint32_t line = 0, column = 0;
    must(json_pointer(whole, buf_str(pointer)) == value);
    must(json_locate(text, buf_str(pointer), &line, &column));
    const char *p = at_place(text, line, column);
    must(p < text.p + text.n && begins(value, *p));

    size_t length = pointer->n, index = 0;
    bool object = json_is(value, JSON_OBJECT);
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        must(object ? json_get(value, each.name) == each.value : json_item(value, index) == each.value);
        add_token(pointer, &each, object, index++);
        check_places(text, whole, each.value, pointer, left);
        pointer->n = length;
    }
    must(index == json_count(value));
}

static void check_refusal(str text, enum status status, const struct error *err)
{
    must(status == ST_INVALID || status == ST_LIMIT);
    must(err->status == status && err->message[0]);
    must(status == ST_LIMIT || (err->line && err->column));
    const char *p = at_place(text, err->line, err->column);
    must(p <= text.p + text.n);
}

/* At a limit the text is accepted, and one below it is not. */
static void check_limits(str text, const struct json *value, struct arena *arena)
{
    const struct json *again = NULL;
    struct error err;
    uint32_t depth = json_depth(value);
    must(depth <= JSON_DEPTH_MAX);
    struct json_limits limits = { .bytes_max = text.n, .depth_max = depth };
    must(json_parse(text, &limits, arena, &again, &err) == ST_OK && fuzz_same_cells(again, value));
    if (depth > 1) {
        limits.depth_max = depth - 1;
        must(json_parse(text, &limits, arena, &again, &err) == ST_LIMIT);
    }
    limits = (struct json_limits){ .bytes_max = text.n - 1 };
    if (text.n > 1) must(json_parse(text, &limits, arena, &again, &err) == ST_LIMIT);
}

/* Where text may follow, the value ends where it says, and is the value of what is before. */
static void check_rest(str text, const struct json *whole, struct arena *arena)
{
    size_t rest = SIZE_MAX;
    const struct json *value = NULL;
    const struct json_limits limits = { .rest = &rest };
    struct error err;
    enum status status = json_parse(text, &limits, arena, &value, &err);
    if (status != ST_OK) {
        must(!whole);
        check_refusal(text, status, &err);
        return;
    }
    must(rest <= text.n);
    if (whole) must(fuzz_same_cells(value, whole));
    const struct json *alone = fuzz_parse(str_slice(text, 0, rest), arena);
    must(alone && fuzz_same_cells(alone, value));
}

/* ---- two values ---- */

/* A patched value has the order of the new one wherever old and new were not equal. */
static void check_order(const struct json *from, const struct json *to, const struct json *patched)
{
    if (from && json_equal(from, to)) return;
    if (!json_is(from, JSON_OBJECT) || !json_is(to, JSON_OBJECT)) {
        must(fuzz_same_cells(patched, to));
        return;
    }
    struct json_each want = json_each(to), got = json_each(patched);
    while (json_next(&want)) {
        must(json_next(&got) && str_equal(want.name, got.name));
        check_order(json_get(from, want.name), want.value, got.value);
    }
    must(!json_next(&got));
}

static void check_diff(const struct json *a, const struct json *b, struct arena *arena)
{
    const struct json *diff = json_diff(a, b, arena), *patched = NULL;
    struct error err;
    must((json_count(diff) == 0) == json_equal(a, b));
    must(json_patch(a, diff, arena, &patched, &err) == ST_OK);
    must(json_equal(patched, b));
    fuzz_check_value(patched, arena);
    check_order(a, b, patched);

    /* Any value may come where a diff is wanted. */
    if (json_patch(a, b, arena, &patched, &err) != ST_OK) must(err.message[0]);
    else if (json_depth(patched) <= JSON_DEPTH_MAX) fuzz_check_value(patched, arena);
}

static void check_merge(const struct json *a, const struct json *b, struct arena *arena)
{
    const struct json *merged = json_merge(a, b, arena), *deep = json_merge_deep(a, b, arena);
    fuzz_check_value(merged, arena);
    fuzz_check_value(deep, arena);
    must(json_count(merged) == json_count(deep));
    size_t added = 0;
    struct json_each each = json_each(b);
    while (json_next(&each)) {
        const struct json *got = json_get(merged, each.name), *inner = json_get(deep, each.name);
        const struct json *old = json_get(a, each.name);
        must(got && fuzz_same_cells(got, each.value));
        bool both = json_is(old, JSON_OBJECT) && json_is(each.value, JSON_OBJECT);
        must(fuzz_same_cells(inner, both ? json_merge_deep(old, each.value, arena) : each.value));
        must(fuzz_same_cells(json_get(json_set(arena, a, each.name, each.value), each.name), each.value));
        must(!json_get(json_without(arena, merged, each.name), each.name));
        added += !old;
        if (arena->used > 8 << 20) return;
    }
    must(json_count(merged) == json_count(a) + added);
    must(fuzz_same_cells(json_merge_deep(deep, b, arena), deep));
}

static int sign(int value) { return (value > 0) - (value < 0); }

static void check_numbers(const struct json *a, const struct json *b, struct arena *arena)
{
    must(sign(json_number_compare(a, b)) == -sign(json_number_compare(b, a)));
    must((json_number_compare(a, b) == 0) == json_equal(a, b));
    for (enum json_operator op = JSON_PLUS; op <= JSON_POWER; op++) {
        const struct json *one = NULL, *two = NULL;
        struct error err;
        enum status status = json_calculate(op, a, b, arena, &one, &err);
        must(status == ST_OK || (status == ST_INVALID && err.message[0]));
        if (status == ST_OK) fuzz_check_value(one, arena);
        if (op != JSON_PLUS && op != JSON_TIMES) continue;
        must(json_calculate(op, b, a, arena, &two, &err) == status);
        must(status != ST_OK || fuzz_same_cells(one, two));
    }
    const struct json *none = NULL; /* Beyond all doubles and 34 digits there is no difference. */
    if (json_calculate(JSON_MINUS, a, a, arena, &none, NULL) == ST_OK)
        must(json_equal(none, json_of_int(arena, 0)));
}

static void check_pair(const struct json *a, const struct json *b, struct arena *arena)
{
    must(json_equal(a, b) == json_equal(b, a));
    must(json_equal(a, b) == str_equal(fuzz_printed(json_print_canonical, a, arena),
                                       fuzz_printed(json_print_canonical, b, arena)));
    check_diff(a, b, arena);
    check_diff(b, a, arena);
    if (json_is(a, JSON_OBJECT) && json_is(b, JSON_OBJECT)) check_merge(a, b, arena);
    if (json_is(a, JSON_NUMBER) && json_is(b, JSON_NUMBER)) check_numbers(a, b, arena);
}

static const struct json *check_text(str text, struct arena *arena)
{
    const struct json *value = NULL;
    struct error err;
    enum status status = json_parse(text, NULL, arena, &value, &err);
    check_rest(text, status == ST_OK ? value : NULL, arena);
    if (status != ST_OK) {
        check_refusal(text, status, &err);
        return NULL;
    }
    check_texts(value, arena);
    check_limits(text, value, arena);
    struct buf pointer;
    int places = PLACES_MAX;
    buf_init(&pointer, arena);
    check_places(text, value, value, &pointer, &places);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str first, second;
    struct arena arena;
    fuzz_split((str){ (const char *)data, size }, &first, &second);
    arena_init(&arena, 0);
    const struct json *a = check_text(first, &arena);
    const struct json *b = first.n < size ? check_text(second, &arena) : NULL;
    if (a && b) {
        check_pair(a, b, &arena);
    } else if (json_is(a, JSON_ARRAY)) {
        const struct json *left = json_item(a, 0), *right = json_item(a, 1);
        if (left && right) check_pair(left, right, &arena);
    }
    arena_done(&arena);
    return 0;
}
