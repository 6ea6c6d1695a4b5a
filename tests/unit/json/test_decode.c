#include "json_test.h"

/* All kinds of cells, and both tables. */
static const char *sample(void) { return document("json/decode", "sample"); }

/* Uses all of a value, so that the sanitizers see a bad one. */
static void use(struct arena *arena, const struct json *value)
{
    const char *text = print(arena, value);
    const struct json *again = parse(arena, text);
    assert_true(json_equal(value, again));
    canonical(arena, value);
    struct json_each each = json_each(value);
    while (json_next(&each))
        if (json_is(value, JSON_OBJECT)) assert_ptr_equal(json_get(value, each.name), each.value);
}

static void what_was_encoded_is_decoded(void **state)
{
    struct random random = { 13 };
    struct arena *arena = *state;
    for (int i = 0; i < 300; i++) {
        const struct json *value = i ? random_value(arena, &random) : parse(arena, sample());
        const struct json *back = json_decode(json_encoded(value), arena);
        assert_non_null(back);
        assert_ptr_not_equal(back, value);
        assert_int_equal(json_bytes(back), json_bytes(value));
        assert_memory_equal(back, value, json_bytes(value));
        use(arena, back);
        arena_reset(arena);
    }
}

static void what_we_kept_is_borrowed_as_it_is(void **state)
{
    const char *const cases[] = { "null", "-5",    "9223372036854775807", "12.50", "\"\"", "\"abc\"", "[]",
                                  "{}",   sample() };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value = parse(arena, cases[i]);
        struct buf kept;
        buf_init(&kept, arena);
        buf_add_str(&kept, json_encoded(value));
        size_t n = kept.n;
        buf_add_str(&kept, STR("next")); /* What lies behind it is not looked at. */
        assert_ptr_equal(json_borrow(buf_str(&kept)), kept.p);
        assert_true(json_equal(json_borrow((str){ kept.p, n }), value));
    }
}

static void any_corrupted_byte_is_refused_or_harmless(void **state)
{
    struct arena *arena = *state;
    struct arena source;
    arena_init(&source, 0);
    str good = json_encoded(parse(&source, sample()));
    char *bytes = malloc(good.n);
    size_t accepted = 0;
    for (size_t at = 0; at < good.n; at++)
        for (int delta = 1; delta < 256; delta++) {
            memcpy(bytes, good.p, good.n);
            bytes[at] = (char)(bytes[at] ^ delta);
            const struct json *value = json_decode((str){ bytes, good.n }, arena);
            if (value && delta % 8 == 1) use(arena, value);
            accepted += value != NULL;
            arena_reset(arena);
        }
    assert_true(accepted > 0); /* Letters in strings, small numbers. */
    free(bytes);
    arena_done(&source);
}

static void cut_or_lengthened_bytes_are_refused(void **state)
{
    struct arena *arena = *state;
    str good = json_encoded(parse(arena, sample()));
    for (size_t n = 0; n < good.n; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, good.p, n);
        assert_null(json_decode((str){ copy, n }, arena));
        free(copy);
    }
    char *longer = malloc(good.n + 4);
    memcpy(longer, good.p, good.n);
    memset(longer + good.n, 0, 4);
    assert_null(json_decode((str){ longer, good.n + 4 }, arena));
    free(longer);
    assert_null(json_decode(STR_NONE, arena));
}

static void random_cells_never_crash(void **state)
{
    struct random random = { 17 };
    struct arena *arena = *state;
    for (int i = 0; i < 20000; i++) {
        uint32_t cells[12];
        size_t count = 1 + random_below(&random, COUNT(cells));
        for (size_t k = 0; k < count; k++)
            cells[k] =
                random_below(&random, 2) ? random_below(&random, 256) : random_below(&random, UINT32_MAX);
        const struct json *value = json_decode((str){ (const char *)cells, count * 4 }, arena);
        if (value) use(arena, value);
        arena_reset(arena);
    }
}

enum { NULL_ = 0, SMALL_ = 3, INT_ = 4, NUMBER_ = 5, STRING_ = 6, ARRAY_ = 7, OBJECT_ = 8 };
#define HEAD(tag, n) ((uint32_t)(n) << 4 | (tag))

static void forged_cells_are_refused(void **state)
{
    static const struct {
        const char *what;
        uint32_t cells[8];
        size_t count;
    } cases[] = {
        { "an unknown tag", { HEAD(9, 0) }, 1 },
        { "null with a length", { HEAD(NULL_, 1) }, 1 },
        { "an int that is small", { HEAD(INT_, 0), 5, 0 }, 3 },
        { "an int cut short", { HEAD(INT_, 0), 5 }, 2 },
        { "a string beyond the end", { HEAD(STRING_, 100), 0 }, 2 },
        { "a string as long as can be", { HEAD(STRING_, (1u << 28) - 1), 0 }, 2 },
        { "padding that is not zero", { HEAD(STRING_, 1), 0x6261 }, 2 },
        { "a string that is not UTF-8", { HEAD(STRING_, 1), 0xff }, 2 },
        { "an empty number", { HEAD(NUMBER_, 0), 0, 0 }, 3 },
        { "a number that is an int", { HEAD(NUMBER_, 1), 0, 0x3ff00000, '1' }, 4 },
        { "a double beside another number",
          { HEAD(NUMBER_, 3), 0, 0x3ff00000, '2' | '.' << 8 | '0' << 16 },
          4 },
        { "a number that is none", { HEAD(NUMBER_, 3), 0, 0x7ff80000, 'N' | 'a' << 8 | 'N' << 16 }, 4 },
        { "a body beyond the end", { HEAD(ARRAY_, 1), 9, HEAD(NULL_, 0) }, 3 },
        { "a body that wraps around", { HEAD(ARRAY_, 1), UINT32_MAX, HEAD(NULL_, 0) }, 3 },
        { "a body too short", { HEAD(ARRAY_, 1), 0 }, 2 },
        { "a body too long", { HEAD(ARRAY_, 1), 2, HEAD(NULL_, 0), HEAD(NULL_, 0) }, 4 },
        { "too many children", { HEAD(ARRAY_, (1u << 28) - 1), 1, 0 }, 3 },
        { "a table without room", { HEAD(OBJECT_, 16), 2, 0, 0 }, 4 },
        { "a name that is no string", { HEAD(OBJECT_, 1), 2, HEAD(NULL_, 0), HEAD(NULL_, 0) }, 4 },
        { "a name without a value", { HEAD(OBJECT_, 1), 1, HEAD(STRING_, 0) }, 3 },
        { "a name twice", { HEAD(OBJECT_, 2), 4, HEAD(STRING_, 0), 0, HEAD(STRING_, 0), 0 }, 6 },
        { "a child beyond its parent", { HEAD(ARRAY_, 1), 1, HEAD(ARRAY_, 1), 1, 0 }, 5 },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (json_decode((str){ (const char *)cases[i].cells, cases[i].count * 4 }, *state))
            fail_msg("accepted %s", cases[i].what);
    static const uint32_t good[] = { HEAD(NUMBER_, 3), 0, 0x3ff00000, '1' | '.' << 8 | '0' << 16 };
    assert_non_null(json_decode((str){ (const char *)good, sizeof good }, *state));
}

static void tables_that_lie_are_refused(void **state)
{
    struct arena *arena = *state;
    static const char *const names[] = { "sixteen items", "sixteen members" };
    for (size_t i = 0; i < COUNT(names); i++) {
        str good = json_encoded(document_value("json/decode", names[i]));
        uint32_t cells[128];
        for (size_t at = good.n / 4 - 16; at < good.n / 4; at++)
            for (uint32_t entry = 0; entry < 64; entry++) {
                memcpy(cells, good.p, good.n);
                if (cells[at] == entry) continue;
                cells[at] = entry;
                assert_null(json_decode((str){ (const char *)cells, good.n }, arena));
            }
        memcpy(cells, good.p, good.n); /* Two entries change places. */
        uint32_t *last = cells + good.n / 4 - 1, swapped = last[0];
        last[0] = last[-1];
        last[-1] = swapped;
        assert_null(json_decode((str){ (const char *)cells, good.n }, arena));
    }
}

static void depth_is_limited_here_too(void **state)
{
    uint32_t cells[2 * (JSON_DEPTH_MAX + 1)];
    for (uint32_t levels = JSON_DEPTH_MAX; levels <= JSON_DEPTH_MAX + 1; levels++) {
        for (uint32_t i = 0; i < levels; i++) {
            cells[2 * i] = HEAD(ARRAY_, i + 1 < levels);
            cells[2 * i + 1] = 2 * (levels - i - 1);
        }
        const struct json *value = json_decode((str){ (const char *)cells, levels * 8 }, *state);
        assert_int_equal(value != NULL, levels == JSON_DEPTH_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(what_was_encoded_is_decoded),
        json_test(what_we_kept_is_borrowed_as_it_is),
        json_test(any_corrupted_byte_is_refused_or_harmless),
        json_test(cut_or_lengthened_bytes_are_refused),
        json_test(random_cells_never_crash),
        json_test(forged_cells_are_refused),
        json_test(tables_that_lie_are_refused),
        json_test(depth_is_limited_here_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
