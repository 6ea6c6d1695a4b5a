/* Pictures as JSON, and sketches that are made by hand. */
#include "program/graph.h"
#include "program/draw/sketch.h"

#include <stdio.h>
#include <time.h>

static const struct json *drawn(const struct sketch *sketch, struct arena *arena)
{
    struct buf out;
    struct error err = { 0 };
    const struct json *picture;
    buf_init(&out, arena);
    draw_picture(sketch, PICTURE_JSON, &out);
    if (json_parse(buf_str(&out), NULL, arena, &picture, &err) != ST_OK)
        fail_msg("%s: %.*s", err.message, STR_ARG(buf_str(&out)));
    return picture;
}

static double number_at(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    assert_true(json_is(value, JSON_NUMBER));
    return json_double(value);
}

static str text_at(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static const struct json *list_at(const struct json *picture, const char *name)
{
    const struct json *list = json_get(picture, str_of(name));
    assert_true(json_is(list, JSON_ARRAY));
    return list;
}

static bool apart(const struct json *a, const struct json *b)
{
    return number_at(a, "x") + number_at(a, "width") <= number_at(b, "x") ||
           number_at(b, "x") + number_at(b, "width") <= number_at(a, "x") ||
           number_at(a, "y") + number_at(a, "height") <= number_at(b, "y") ||
           number_at(b, "y") + number_at(b, "height") <= number_at(a, "y");
}

static bool is_inside(const struct json *a, const struct json *zone)
{
    return number_at(a, "x") >= number_at(zone, "x") && number_at(a, "y") >= number_at(zone, "y") &&
           number_at(a, "x") + number_at(a, "width") <= number_at(zone, "x") + number_at(zone, "width") &&
           number_at(a, "y") + number_at(a, "height") <= number_at(zone, "y") + number_at(zone, "height");
}

/* Boxes are apart or inside of each other, as their zones say, and within the picture; ids are different. */
static void assert_sound(const struct json *picture)
{
    const struct json *node = list_at(picture, "nodes"), *edge = list_at(picture, "edges");
    double left = number_at(picture, "left"), top = number_at(picture, "top");
    for (size_t i = 0; i < json_count(node); i++) {
        const struct json *a = json_item(node, i);
        assert_true(number_at(a, "x") >= left && number_at(a, "y") >= top);
        assert_true(number_at(a, "x") + number_at(a, "width") <= left + number_at(picture, "width"));
        assert_true(number_at(a, "y") + number_at(a, "height") <= top + number_at(picture, "height"));
        for (size_t k = 0; k < json_count(node); k++) {
            const struct json *b = json_item(node, k);
            if (i == k) continue;
            bool holds = json_bool(json_get(a, STR("isZone"))) || json_bool(json_get(b, STR("isZone")));
            if (!holds) assert_true(apart(a, b));
            if (str_equal(text_at(a, "zone"), text_at(b, "id"))) assert_true(is_inside(a, b));
        }
    }
    for (size_t i = 0; i < json_count(edge); i++) {
        assert_true(json_count(json_get(json_item(edge, i), STR("points"))) >= 2);
        for (size_t k = 0; k < i && k < 50; k++)
            assert_false(str_equal(text_at(json_item(edge, i), "id"), text_at(json_item(edge, k), "id")));
    }
}

static void programs_are_drawn_with_sound_places(void **state)
{
    static const char *const graphs[] = {
        "end a",
        "task a: b; end b",
        "task a: a?x b; end b",
        "task a: b; task b: a?x c @60a; end c",
        "fork f/j: a b b; task a: j; task b: j; join j: c; choose c: f?x e?y e; end e",
        "wait a: b @1b @!2c @3d @4a; task b: c; set c: d; table d: e; end e",
        "choose a: b?x c?y d?z e; task b: e; task c: b; task d: c; end e",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct program *program = graph(graphs[i]);
        struct sketch sketch = program_sketch(program, &arena);
        const struct json *picture = drawn(&sketch, &arena);
        assert_sound(picture);
        assert_int_equal(json_count(list_at(picture, "nodes")), program->node_count);
        assert_true(str_equal(text_at(picture, "start"), STR("a")) || graphs[i][0] == 'f');
        program_unref(program);
        arena_done(&arena);
    }
}

static void arrows_say_what_kind_they_are(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct program *program = graph("task a: b; wait b: a?again c @60c; end c");
    struct sketch sketch = program_sketch(program, &arena);
    const struct json *edge = list_at(drawn(&sketch, &arena), "edges");
    static const char *const want[][4] = { { "a", "b", "normal", "" },
                                           { "b", "a", "back", "again" },
                                           { "b", "c", "normal", "" },
                                           { "b", "c", "timer", "after 1 minute, and waits on" } };
    assert_int_equal(json_count(edge), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(str_equal(text_at(json_item(edge, i), "from"), str_of(want[i][0])));
        assert_true(str_equal(text_at(json_item(edge, i), "to"), str_of(want[i][1])));
        assert_true(str_equal(text_at(json_item(edge, i), "kind"), str_of(want[i][2])));
        assert_true(str_equal(text_at(json_item(edge, i), "label"), str_of(want[i][3])));
        bool has_place = json_is(json_get(json_item(edge, i), STR("labelAt")), JSON_ARRAY);
        assert_int_equal(has_place, want[i][3][0] != '\0');
    }
    program_unref(program);
    arena_done(&arena);
}

static uint32_t add(struct sketch *sketch, const char *id)
{
    return sketch_add(sketch, (struct sketch_node){ .kind = SKETCH_TASK, .id = str_of(id) });
}

/* A draft may say anything. */
static void odd_sketches_are_drawn(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct sketch sketch = sketch_of(STR("s"), STR("S"), STR("graph"), &arena);
    uint32_t a = add(&sketch, "a"), b = add(&sketch, "b"), c = add(&sketch, "c");
    sketch_put_inside(&sketch, a, a);
    sketch_put_inside(&sketch, a, b);
    sketch_put_inside(&sketch, b, c);
    sketch_put_inside(&sketch, c, a); /* Inside of itself: left out. */
    sketch_join(&sketch, (struct sketch_arrow){ .from = c, .to = a });
    sketch_join(&sketch, (struct sketch_arrow){ .from = a, .to = a });
    sketch_join(&sketch, (struct sketch_arrow){ .from = a, .to = NODE_NONE });
    sketch_join(&sketch, (struct sketch_arrow){ .from = a, .to = c, .label = STR("x") });
    sketch_join(&sketch, (struct sketch_arrow){ .from = a, .to = c, .label = STR("y") });
    sketch_close(&sketch);
    const struct json *picture = drawn(&sketch, &arena);
    assert_sound(picture);
    assert_int_equal(json_count(list_at(picture, "nodes")), 3);
    assert_true(json_is(json_get(picture, STR("start")), JSON_NULL));
    arena_done(&arena);
}

static struct sketch large(size_t nodes, size_t arrows, struct arena *arena)
{
    struct sketch sketch = sketch_of(STR("large"), STR("Large"), STR("graph"), arena);
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < nodes; i++) add(&sketch, arena_printf(arena, "node-%zu", i).p);
    for (size_t i = 0; i < arrows; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint32_t from = (uint32_t)(random % nodes), to = (uint32_t)((random >> 32) % nodes);
        bool labelled = i % 3 == 0;
        sketch_join(&sketch, (struct sketch_arrow){
                                 .from = from, .to = to, .label = labelled ? STR("if it is so") : STR("") });
    }
    sketch_close(&sketch);
    return sketch;
}

static double seconds_of(const struct sketch *sketch, struct arena *arena)
{
    struct timespec began, ended;
    struct buf out;
    buf_init(&out, arena);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    draw_picture(sketch, PICTURE_JSON, &out);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    return (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const double slowness = 20;
#else
static const double slowness = 1;
#endif

/* 500 nodes and 2,000 arrows at random, which is worse than anything that people draw. */
static void large_pictures_take_bounded_time(void **state)
{
    static const struct {
        size_t nodes, arrows;
    } sizes[] = { { 500, 2000 }, { 2000, 8000 }, { 2001, 100 }, { 2000, 8001 }, { 2000, 1 }, { 2, 8000 } };
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct sketch sketch = large(sizes[i].nodes, sizes[i].arrows, &arena);
        double took = seconds_of(&sketch, &arena);
        print_message("%zu nodes, %zu arrows: %.0f ms\n", sizes[i].nodes, sizes[i].arrows, took * 1000);
        assert_true(took < 0.2 * slowness);
        arena_done(&arena);
    }
}

static void places_come_from_the_document(void **state)
{
    (void)state;
    struct arena arena;
    struct error err;
    const struct json *document;
    arena_init(&arena, 0);
    assert_int_equal(
        json_parse(STR("{\"n\":[{\"position\":{\"x\":5,\"y\":-7.5}},{\"position\":{\"x\":1e9,\"y\":0}},"
                       "{\"position\":{\"x\":300,\"y\":40},\"size\":{\"width\":90,\"height\":60}}]}"),
                   NULL, &arena, &document, &err),
        ST_OK);
    struct sketch sketch = sketch_of(STR("s"), STR("S"), STR("graph"), &arena);
    for (int i = 0; i < 3; i++)
        sketch_add(&sketch, (struct sketch_node){ .id = arena_printf(&arena, "n%d", i),
                                                  .pointer = arena_printf(&arena, "/n/%d", i) });
    sketch_close(&sketch);
    sketch_take_places(&sketch, document);
    const struct json *picture = drawn(&sketch, &arena), *node = list_at(picture, "nodes");
    assert_sound(picture);
    assert_true(number_at(json_item(node, 0), "x") == 5 && number_at(json_item(node, 0), "y") == -7.5);
    assert_true(number_at(json_item(node, 2), "width") == 90 &&
                number_at(json_item(node, 2), "height") == 60);
    assert_true(number_at(json_item(node, 1), "y") > 100); /* Too far away: below the others. */
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_drawn_with_sound_places),
        cmocka_unit_test(arrows_say_what_kind_they_are),
        cmocka_unit_test(odd_sketches_are_drawn),
        cmocka_unit_test(large_pictures_take_bounded_time),
        cmocka_unit_test(places_come_from_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
