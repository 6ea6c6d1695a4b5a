/* scenario/match.c — an expected value against the actual one.
 *
 * Objects match as subsets, arrays item by item, everything else by value and type. Only the
 * innermost place that differs is reported: that is the smallest difference.
 */
#include "scenario/scenario_int.h"

static bool is_absent_mark(const struct json *expected)
{
    return json_is(expected, JSON_OBJECT) && json_count(expected) == 1 && json_get(expected, STR("$absent"));
}

static str join(struct stage *stage, str where, str name)
{
    return where.n ? arena_printf(stage->arena, "%.*s.%.*s", STR_ARG(where), STR_ARG(name)) : name;
}

static void match_objects(struct stage *stage, const struct json *expected, const struct json *actual,
                          bool whole, str where)
{
    struct json_each each = json_each(expected);
    while (json_next(&each))
        match(stage, each.value, json_get(actual, each.name), whole, join(stage, where, each.name));
    if (!whole) return;
    each = json_each(actual);
    while (json_next(&each))
        if (!json_get(expected, each.name))
            stage_differs(stage, join(stage, where, each.name), STR("nothing"),
                          stage_text(stage, each.value));
}

static void match_arrays(struct stage *stage, const struct json *expected, const struct json *actual,
                         bool whole, str where)
{
    size_t wanted = json_count(expected), there = json_count(actual);
    size_t before = stage->difference_count;
    for (size_t i = 0; i < wanted || i < there; i++) {
        const struct json *want = json_item(expected, i), *got = json_item(actual, i);
        str place = arena_printf(stage->arena, "%.*s[%zu]", STR_ARG(where), i);
        if (want && got) match(stage, want, got, whole, place);
        else stage_differs(stage, place, stage_text(stage, want), stage_text(stage, got));
        /* One item too many or too few makes all items behind it differ, so only the first difference is
         * told. */
        if (stage->difference_count > before) break;
    }
    if (stage->difference_count > before && wanted != there)
        stage_differs(stage, arena_printf(stage->arena, "%.*s", STR_ARG(where)),
                      arena_printf(stage->arena, "%zu items", wanted),
                      arena_printf(stage->arena, "%zu items", there));
}

void match(struct stage *stage, const struct json *expected, const struct json *actual, bool whole, str where)
{
    bool nothing = !actual || json_is(actual, JSON_NULL);
    if (is_absent_mark(expected)) {
        if (!nothing) stage_differs(stage, where, STR("nothing"), stage_text(stage, actual));
    } else if (json_is(expected, JSON_NULL) && !actual) {
        return;
    } else if (json_is(expected, JSON_OBJECT) && json_is(actual, JSON_OBJECT)) {
        match_objects(stage, expected, actual, whole, where);
    } else if (json_is(expected, JSON_ARRAY) && json_is(actual, JSON_ARRAY)) {
        match_arrays(stage, expected, actual, whole, where);
    } else if (!actual || !json_equal(expected, actual)) {
        stage_differs(stage, where, stage_text(stage, expected), stage_text(stage, actual));
    }
}

void match_view(struct stage *stage, const struct json *expected, const struct json *actual, str where)
{
    if (!json_is(expected, JSON_OBJECT)) {
        stage_differs(stage, where, STR("an object with members of the view"), stage_text(stage, expected));
        return;
    }
    bool subset = str_equal(json_text(expected, STR("outputMatch")), STR("subset"));
    struct json_each each = json_each(expected);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("outputMatch"))) continue;
        bool whole = !subset && str_equal(each.name, STR("output"));
        match(stage, each.value, json_get(actual, each.name), whole, join(stage, where, each.name));
    }
}
