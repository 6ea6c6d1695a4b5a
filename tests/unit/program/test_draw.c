#include "program/graph.h"
#include "program/draw/sketch.h"

static str draw(const struct program *program, enum picture picture, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    program_draw(program, picture, &out);
    buf_add_char(&out, '\0');
    return (str){ out.p, out.n - 1 };
}

static bool has(str text, const char *part) { return str_find(text, str_of(part), 0) != SIZE_MAX; }

/* Every tag is closed in turn and nothing that is markup stands in texts. */
static void assert_well_formed(str svg)
{
    str open[32];
    size_t depth = 0;
    for (size_t i = 0; i < svg.n; i++) {
        if (svg.p[i] == '&') assert_true(memchr(svg.p + i, ';', 7) != NULL);
        if (svg.p[i] != '<') continue;
        size_t end = str_find(svg, STR(">"), i);
        assert_true(end != SIZE_MAX);
        str tag = str_slice(svg, i + 1, end);
        i = end;
        assert_true(memchr(tag.p, '<', tag.n) == NULL);
        if (tag.p[tag.n - 1] == '/') continue;
        size_t length = 0;
        while (length < tag.n && tag.p[length] != ' ') length++;
        str name = str_slice(tag, 0, length);
        if (name.p[0] == '/') {
            assert_true(depth > 0 && str_equal(str_slice(name, 1, name.n), open[--depth]));
        } else {
            assert_true(depth < COUNT(open));
            open[depth++] = name;
        }
    }
    assert_int_equal(depth, 0);
}

static void pictures_are_well_formed(void **state)
{
    static const char *const graphs[] = {
        "end a",
        "task a: b; end b",
        "task a: a?x b; end b",                 /* A node that leads to itself. */
        "task a: b; task b: a?x c @60a; end c", /* Back up. */
        "fork f/j: a b b; task a: j; task b: j; join j: c; choose c: f?x e?y e; end e", /* Twice to one. */
        "wait a: b @1b @!2c @3d @4a; task b: c; set c: d; table d: e; end e",
        "choose a: b?x c?y d?z e; task b: e; task c: b; task d: c; end e",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(graphs); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct program *program = graph(graphs[i]);
        str svg = draw(program, PICTURE_SVG, &arena);
        assert_well_formed(svg);
        assert_false(has(svg, "nan"));
        assert_true(str_starts(svg, STR("<svg ")));
        size_t boxes = 0;
        for (size_t at = 0; (at = str_find(svg, STR("class=\"node\""), at)) != SIZE_MAX; at++) boxes++;
        assert_int_equal(boxes, program->node_count);
        program_unref(program);
        arena_done(&arena);
    }
}

static void texts_are_escaped_in_every_format(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct program *program = graph("choose a: b?x<1&&y>'q' c; end b; end c");
    struct program_node *node = (struct program_node *)(uintptr_t)program->node;
    node[0].title = STR("<script>\"&'\\;|{}#\x01");
    node[1].name = STR("b\"<>&");
    program->title = STR("</title>");

    str svg = draw(program, PICTURE_SVG, &arena);
    assert_well_formed(svg);
    assert_true(has(svg, "&lt;script&gt;&quot;&amp;"));
    assert_true(has(svg, "x&lt;1&amp;&amp;y&gt;'q'"));
    assert_false(has(svg, "\x01"));

    str dot = draw(program, PICTURE_DOT, &arena);
    assert_true(has(dot, "label=\"<script>\\\"&'\\\\;|{}# \\nchoose\"]") ||
                has(dot, "label=\"<script>\\\"&'\\\\;|{}# "
                         "\\nchoose\", penwidth=2]"));

    str mermaid = draw(program, PICTURE_MERMAID, &arena);
    assert_true(has(mermaid, "n0{{\"#60;script#62;#34;#38;'#92;#59;#124;#123;#125;#35; <br/>choose\"}}"));
    program_unref(program);
    arena_done(&arena);
}

static void dot_and_mermaid_say_what_leads_where(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct program *program = graph("choose a: b?x>1 b?x<0 c; wait b: c @90c @!60c; end c");
    assert_string_equal(draw(program, PICTURE_DOT, &arena).p,
                        "digraph \"graph\" {\n"
                        "  node [fontname=\"sans-serif\"];\n"
                        "  edge [fontname=\"sans-serif\", fontsize=10];\n"
                        "  n0 [shape=\"diamond\", label=\"a\\nchoose\", penwidth=2];\n"
                        "  n1 [shape=\"oval\", label=\"b\\nwait\"];\n"
                        "  n2 [shape=\"doublecircle\", label=\"c\\nend\"];\n"
                        "  n0 -> n1 [label=\"x>1\\nx<0\"];\n"
                        "  n0 -> n2;\n"
                        "  n1 -> n2;\n"
                        "  n1 -> n2 [label=\"after 1 minute 30 seconds, and waits on\", style=\"dashed\"];\n"
                        "  n1 -> n2 [label=\"after 1 minute\", style=\"dashed\"];\n"
                        "}\n");
    assert_string_equal(draw(program, PICTURE_MERMAID, &arena).p,
                        "flowchart TD\n"
                        "  n0{{\"a<br/>choose\"}}\n"
                        "  n1([\"b<br/>wait\"])\n"
                        "  n2(((\"c<br/>end\")))\n"
                        "  n0 -->|\"x#62;1<br/>x#60;0\"| n1\n"
                        "  n0 --> n2\n"
                        "  n1 --> n2\n"
                        "  n1 -.->|\"after 1 minute 30 seconds, and waits on\"| n2\n"
                        "  n1 -.->|\"after 1 minute\"| n2\n");
    program_unref(program);
    arena_done(&arena);
}

/* No two boxes on top of each other, nothing outside of the picture. */
static void boxes_do_not_overlap(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct program *program = graph(
        "fork f/j: a b c d; task a: j; choose b: g?x h?y i; task g: j; task h: g; task i: j @60k; end k; "
        "task c: l; task l: m; task m: j; task d: j; join j: n; choose n: f?again o; end o");
    str svg = draw(program, PICTURE_SVG, &arena);
    double box[32][4];
    size_t count = 0;
    for (size_t at = 0; (at = str_find(svg, STR("class=\"node\""), at)) != SIZE_MAX; at++) {
        size_t rect = str_find(svg, STR("<rect x="), at),
               polygon = str_find(svg, STR("<polygon points="), at);
        if (polygon < rect) continue;
        const char *p = svg.p + rect;
        for (int k = 0; k < 4; k++) {
            p = strchr(p, '"') + 1;
            box[count][k] = strtod(p, NULL);
            p = strchr(p, '"') + 1;
        }
        count++;
    }
    assert_int_equal(count, program->node_count - 2);
    for (size_t i = 0; i < count; i++) {
        assert_true(box[i][0] > 0 && box[i][1] > 0);
        for (size_t k = i + 1; k < count; k++)
            assert_true(box[i][0] + box[i][2] <= box[k][0] || box[k][0] + box[k][2] <= box[i][0] ||
                        box[i][1] + box[i][3] <= box[k][1] || box[k][1] + box[k][3] <= box[i][1]);
    }
    program_unref(program);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_well_formed),
        cmocka_unit_test(texts_are_escaped_in_every_format),
        cmocka_unit_test(dot_and_mermaid_say_what_leads_where),
        cmocka_unit_test(boxes_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
