/* Documents as pictures show them, whether they compile or not. */
#include "dialect/compile.h"
#include "dialect/show/sketch.h"
#include "dialect/show/sketching.h"

static const struct json *parse(const char *text, struct arena *arena)
{
    const struct json *value;
    struct error err = { 0 };
    char *quoted = arena_make_n(arena, char, strlen(text) + 1);
    for (size_t i = 0; text[i]; i++) quoted[i] = text[i] == '\'' ? '"' : text[i];
    if (json_parse(str_of(quoted), NULL, arena, &value, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return value;
}

static void conditions_are_told_in_words(void **state)
{
    static const struct {
        const char *condition, *words;
    } cases[] = {
        { "{'left':'{{ trigger.payload.amount }}','op':'gt','right':1000}", "amount is more than 1000" },
        { "{'left':'{{ vars.name }}','op':'is_empty'}", "name is empty" },
        { "{'all':[{'left':'{{ a.b }}','op':'eq','right':'x'},{'any':[]}]}", "b is x and …" },
        { "{'any':[{'left':'{{ a }}','op':'exists'},{'left':1,'op':'lt','right':2}]}",
          "a is there or 1 is less than 2" },
        { "{'left':'{{ len(a) }}','op':'odd','right':null}", "len(a) odd null" },
        { "'{{ vars.ok }}'", "ok" },
        { "'x > 1'", "x > 1" },
        { "7", "7" },
        { "{'left':{}}", "{}  " },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        str words = sketching_condition(parse(cases[i].condition, &arena), &arena);
        if (!str_equal(words, str_of(cases[i].words)))
            fail_msg("%s: \"%.*s\"", cases[i].condition, STR_ARG(words));
        arena_done(&arena);
    }
}

/* Whatever is in a document, reading it for a picture comes back. */
static void nonsense_is_no_trouble(void **state)
{
    static const char *const documents[] = {
        "{'steps':3}",
        "{'steps':[]}",
        "{'steps':[1,null,{},{'id':5},{'id':'a','conditionalNextSteps':[],'boundaryEvents':[3,{}]}]}",
        "{'states':[{'name':'a','onError':7,'choices':[1]}],'startsAt':[]}",
        "{'workflows':[{'states':{'a':4,'b':{'transitions':[null]}}},9]}",
        "{'dialect':'graph/"
        "1','nodes':[{'id':'a','parent':'a'},{'id':'a'},{},7],'edges':[{},3,{'from':['a'],'to':'a'}]}",
        "{'dialect':'graph/"
        "1','nodes':[{'id':'l','type':'for_each','parent':'m'},{'id':'m','type':'for_each','parent':'l'}],'"
        "edges':[]}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(documents); i++) {
        struct arena arena;
        struct sketch sketch;
        struct buf out;
        arena_init(&arena, 0);
        buf_init(&out, &arena);
        if (dialect_sketch(NULL, parse(documents[i], &arena), true, &arena, &sketch))
            for (int format = PICTURE_SVG; format <= PICTURE_JSON; format++)
                draw_picture(&sketch, (enum picture)format, &out);
        arena_done(&arena);
    }
}

static void a_flow_graph_is_drawn_as_its_author_drew_it(void **state)
{
    (void)state;
    struct compiled compiled;
    struct sketch sketch;
    const char *text =
        "{'dialect':'graph/"
        "1','name':'g','nodes':[{'id':'t','type':'trigger_manual'},{'id':'p','type':'human_task',"
        "'config':{'title':'x','decisions':['yes','no'],'timeout':'2d'}},{'id':'w','type':'delay','config':"
        "{'duration':'90m'}},{'id':'z','type':'end'}],'edges':[{'from':'t','to':'p'},{'id':'e2','from':'p','"
        "fromPort':'yes','default':true,"
        "'to':'w'},{'from':'p','fromPort':'timeout','to':'z'},{'from':'w','to':'z'}]}";
    compile(&compiled, text);
    assert_non_null(compiled.program);
    assert_true(
        dialect_sketch(compiled.program, parse(text, &compiled.arena), true, &compiled.arena, &sketch));
    assert_int_equal(sketch.node_count, 4); /* No end for the answer "no", which leads nowhere. */
    assert_int_equal(sketch.node[1].kind, SKETCH_PERSON);
    assert_true(str_equal(sketch.node[2].caption, STR("waits 1 hour 30 minutes")));
    assert_true(str_equal(sketch.arrow[1].id, STR("e2")) && str_equal(sketch.arrow[1].label, STR("yes")));
    assert_true(sketch.arrow[2].timer && str_equal(sketch.arrow[2].label, STR("after 2 days")));
    compiled_done(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_told_in_words),
        cmocka_unit_test(nonsense_is_no_trouble),
        cmocka_unit_test(a_flow_graph_is_drawn_as_its_author_drew_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
