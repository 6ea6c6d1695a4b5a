/* tests/fuzz/fuzz_cells.c — stored JSON: cells from anywhere. What decodes is what we would
 * have written, and everything may be done with it. */

#include "fuzz.h"

/* Reads the value in every way there is. */
static void check_walk(const struct json *value)
{
    bool object = json_is(value, JSON_OBJECT);
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        must(object ? json_get(value, each.name) == each.value : json_item(value, i) == each.value);
        check_walk(each.value);
    }
    must(!json_item(value, json_count(value)));
    if (!json_is(value, JSON_NUMBER)) return;
    int64_t integer;
    double nearest = json_double(value);
    must(nearest == nearest && json_number_compare(value, value) == 0);
    if (json_int64(value, &integer)) must((double)integer == nearest);
}

static void check_changes(const struct json *value, struct arena *arena)
{
    struct error err;
    const struct json *patched = NULL;
    if (json_patch(value, value, arena, &patched, &err) == ST_OK && json_depth(patched) <= JSON_DEPTH_MAX)
        fuzz_check_value(patched, arena);
    if (!json_is(value, JSON_OBJECT)) return;
    const struct json *more = json_set(arena, value, STR("n"), json_of_bool(true));
    fuzz_check_value(more, arena);
    fuzz_check_value(json_merge_deep(more, value, arena), arena);
    const struct json *diff = json_diff(value, more, arena);
    must(json_patch(value, diff, arena, &patched, &err) == ST_OK && json_equal(patched, more));
    struct json_each each = json_each(value);
    if (!json_next(&each)) return;
    const struct json *less = json_without(arena, value, each.name);
    must(json_count(less) + 1 == json_count(value));
    fuzz_check_value(less, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str bytes = { (const char *)data, size };
    struct arena arena;
    arena_init(&arena, 0);
    const struct json *value = json_decode(bytes, &arena);
    if (value) {
        str encoded = json_encoded(value);
        must(str_equal(encoded, bytes) && json_bytes(value) == size);
        must(json_depth(value) <= JSON_DEPTH_MAX);
        check_walk(value);
        fuzz_check_value(value, &arena);
        const struct json *canonical = fuzz_parse(fuzz_printed(json_print_canonical, value, &arena), &arena);
        if (canonical) must(json_equal(canonical, value)); /* It may be beyond a limit of numbers. */
        check_changes(value, &arena);
    }
    arena_done(&arena);
    return 0;
}
