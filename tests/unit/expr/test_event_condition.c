#include "expr/built.h"

static const struct event_name events[] = {
    { STR_INIT("e1"), STR_INIT("t1"), STR_INIT("/s") },
    { STR_INIT("e2"), STR_INIT("t2"), STR_INIT("/s") },
    { STR_INIT("e-3"), STR_INIT("t3"), STR_INIT("/other") },
    { STR_INIT("my event"), STR_INIT("t1"), STR_INIT("/other") },
    { STR_INIT("type"), STR_INIT("com.example"), STR_INIT("it's") },
};
enum { E1 = 1, E2 = 2, E3 = 4, MINE = 8, TYPE = 16 };

static enum status parse(struct built *built, const char *text, struct expr_tree **ret_tree,
                         struct event_operands *ret_operands)
{
    return expr_parse_event_condition(str_of(text), events, COUNT(events), &built->arena, ret_tree,
                                      ret_operands, &built->err);
}

static unsigned bits_of(const bool *flag)
{
    unsigned bits = 0;
    for (size_t i = 0; i < COUNT(events); i++) bits |= flag[i] ? 1u << i : 0;
    return bits;
}

/* Whether it holds when these have been received. */
static bool holds(struct built *built, struct expr_tree *tree, unsigned received)
{
    struct expr_local local[COUNT(events)];
    for (size_t i = 0; i < COUNT(events); i++)
        local[i] = (struct expr_local){ events[i].name, json_of_bool(received >> i & 1) };
    built->env.local = local;
    built->env.local_count = COUNT(events);
    assert_int_equal(built_run(built, tree), ST_OK);
    assert_true(json_is(built->value, JSON_BOOL));
    return json_bool(built->value);
}

static void operands_are_names_types_and_sources(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned received;
        bool want;
        unsigned mentioned, positive;
    } cases[] = {
        { "e1", E1, true, E1, E1 },
        { "e1", E2 | E3 | MINE | TYPE, false, E1, E1 },
        { "e-3", E3, true, E3, E3 },
        { "'my event'", MINE, true, MINE, MINE },
        { "\"my event\"", E1, false, MINE, MINE },
        { "'e1'", E1, true, E1, E1 },
        { "type", TYPE, true, TYPE, TYPE }, /* A name, because no eq follows. */
        { "type and e1", TYPE | E1, true, TYPE | E1, TYPE | E1 },
        { "name eq 'e2'", E2, true, E2, E2 },
        { "NAME == \"e2\"", E1, false, E2, E2 },
        { "name is 'my event'", MINE, true, MINE, MINE },
        { "type eq 't2'", E2, true, E2, E2 },
        { "type eq 't1'", MINE, true, E1 | MINE, E1 | MINE },
        { "type eq 't1'", E1, true, E1 | MINE, E1 | MINE },
        { "type eq 't1'", E2, false, E1 | MINE, E1 | MINE },
        { "source eq '/s'", E2, true, E1 | E2, E1 | E2 },
        { "source eq 'it''s'", TYPE, true, TYPE, TYPE },
        { "type eq 'com.example'", TYPE, true, TYPE, TYPE },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        struct event_operands operands;
        built_begin(&built, "{}");
        if (parse(&built, cases[i].text, &tree, &operands) != ST_OK)
            fail_msg("%s: %s", cases[i].text, built.err.message);
        assert_string_equal(built_text(&built, tree), cases[i].text);
        if (holds(&built, tree, cases[i].received) != cases[i].want) fail_msg("%s", cases[i].text);
        assert_int_equal(bits_of(operands.mentioned), cases[i].mentioned);
        assert_int_equal(bits_of(operands.positive), cases[i].positive);
        built_end(&built);
    }
}

static void they_are_joined_by_and_or_and_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned mentioned, positive;
    } cases[] = {
        { "(e1 or e2) and e-3", E1 | E2 | E3, E1 | E2 | E3 },
        { "(E1 || e2) && e-3", 0, 0 }, /* Names have their case. */
        { "(e1||e2)&&e-3", E1 | E2 | E3, E1 | E2 | E3 },
        { "e-3 AND (e2 OR e1)", E1 | E2 | E3, E1 | E2 | E3 },
        { "(name eq 'e1' or type is 't2') and source == '/other'", E1 | E2 | E3 | MINE, E1 | E2 | E3 | MINE },
        { "e-3 and not (not e1 and not e2)", E1 | E2 | E3, E1 | E2 | E3 },
        { "not not (e1 or e2) and !!e-3", E1 | E2 | E3, E1 | E2 | E3 },
        { "e-3 and !(!e1 and not e2 or not e-3)", E1 | E2 | E3, E1 | E2 | E3 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        struct event_operands operands;
        built_begin(&built, "{}");
        enum status status = parse(&built, cases[i].text, &tree, &operands);
        assert_int_equal(status, cases[i].mentioned ? ST_OK : ST_NOT_FOUND);
        for (unsigned received = 0; status == ST_OK && received < 8; received++) {
            bool want = (received & (E1 | E2)) && (received & E3);
            if (holds(&built, tree, received) != want) fail_msg("%s: %u", cases[i].text, received);
        }
        if (status == ST_OK) assert_int_equal(bits_of(operands.mentioned), cases[i].mentioned);
        if (status == ST_OK) assert_int_equal(bits_of(operands.positive), cases[i].positive);
        built_end(&built);
    }
}

static void a_name_is_positive_under_an_even_number_of_nots(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned mentioned, positive;
    } cases[] = {
        { "e1 and not e2", E1 | E2, E1 },
        { "not e2", E2, 0 },
        { "not not e2", E2, E2 },
        { "not (e1 or not e2)", E1 | E2, E2 },
        { "!(e1 and !(e2 or !e-3))", E1 | E2 | E3, E2 },
        { "e1 or not e1", E1, E1 },
        { "not type eq 't1'", E1 | MINE, 0 },
        { "not e1 and e2", E1 | E2, E2 }, /* A not reaches no further than its operand. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        struct event_operands operands;
        built_begin(&built, "{}");
        assert_int_equal(parse(&built, cases[i].text, &tree, &operands), ST_OK);
        assert_int_equal(bits_of(operands.mentioned), cases[i].mentioned);
        if (bits_of(operands.positive) != cases[i].positive) fail_msg("%s", cases[i].text);
        built_end(&built);
    }
}

static void words_of_other_conditions_may_be_names(void **state)
{
    (void)state;
    static const struct event_name odd[] = {
        { STR_INIT("matches"), STR_INIT("a"), STR_INIT("b") },
        { STR_INIT("true"), STR_INIT("a"), STR_INIT("b") },
        { STR_INIT("gt"), STR_INIT("a"), STR_INIT("b") },
        { STR_INIT("2nd.one"), STR_INIT("a"), STR_INIT("b") },
        { STR_INIT("\xc3\xa4"), STR_INIT("a"), STR_INIT("b") },
        { STR_INIT("not"), STR_INIT("a"), STR_INIT("b") },
    };
    struct built built;
    struct expr_tree *tree;
    struct event_operands operands;
    built_begin(&built, "{}");
    assert_int_equal(
        expr_parse_event_condition(STR("matches or true and gt or 2nd.one or \xc3\xa4 or not 'not'"), odd,
                                   COUNT(odd), &built.arena, &tree, &operands, &built.err),
        ST_OK);
    for (size_t i = 0; i < COUNT(odd); i++) {
        assert_true(operands.mentioned[i]);
        assert_int_equal(operands.positive[i], i != 5);
    }
    built_end(&built);
}

static void mistakes_have_a_place_and_a_sentence(void **state)
{
    (void)state;
    static const struct {
        enum status status;
        struct fails fails;
    } cases[] = {
        { ST_NOT_FOUND, { "e9", 1, 1, "no event has the name \"e9\"" } },
        { ST_NOT_FOUND, { "e1 and\n not e9", 2, 6, "no event has the name \"e9\"" } },
        { ST_NOT_FOUND, { "e1 and 'my  event'", 1, 8, "no event has the name \"my  event\"" } },
        { ST_NOT_FOUND, { "name eq 'e9'", 1, 9, "no event has the name \"e9\"" } },
        { ST_NOT_FOUND, { "type eq 't9'", 1, 9, "no event has the type \"t9\"" } },
        { ST_NOT_FOUND, { "source eq ''", 1, 11, "no event has the source \"\"" } },
        { ST_NOT_FOUND, { "e1-e2", 1, 1, "no event has the name \"e1-e2\"" } },
        { ST_INVALID, { "", 1, 1, "empty condition" } },
        { ST_INVALID, { "e1 e2", 1, 4, "unexpected \"e2\" after a complete condition" } },
        { ST_INVALID, { "e1 and", 1, 7, "expected the name of an event, but the condition ends here" } },
        { ST_INVALID, { "and e1", 1, 1, "expected the name of an event, found \"and\"" } },
        { ST_INVALID, { "(e1 or e2", 1, 1, "\"(\" is never closed" } },
        { ST_INVALID, { "(e1 e2)", 1, 5, "expected \")\", found \"e2\"" } },
        { ST_INVALID, { "e1 eq 'x'", 1, 1, "only name, type and source of an event can be compared" } },
        { ST_INVALID, { "type eq t1", 1, 9, "expected a text in quotes, found \"t1\"" } },
        { ST_INVALID, { "type eq", 1, 8, "expected a text in quotes, but the condition ends here" } },
        { ST_INVALID, { "type != 't1'", 1, 6, "unexpected \"!=\" after a complete condition" } },
        { ST_INVALID, { "e1 = e2", 1, 4, "\"=\" is not an operator; did you mean \"==\"?" } },
        { ST_NOT_FOUND, { "$.e1", 1, 1, "no event has the name \"$.e1\"" } },
        { ST_INVALID, { "-e1", 1, 1, "unexpected character \"-\"" } },
        { ST_INVALID, { "'e1", 1, 1, "the string is never closed" } },
        { ST_INVALID, { "e1 =~ /x/", 1, 4, "unexpected \"=~\" after a complete condition" } },
        { ST_INVALID, { "#e1", 1, 1, "unexpected character \"#\"" } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        struct event_operands operands = { 0 };
        const struct fails *want = &cases[i].fails;
        built_begin(&built, "{}");
        enum status status = parse(&built, want->text, &tree, &operands);
        if (status != cases[i].status) fail_msg("%s: status %d", want->text, status);
        if (strcmp(built.err.message, want->message) != 0)
            fail_msg("%s:\n  got  %s\n  want %s", want->text, built.err.message, want->message);
        if (built.err.line != want->line || built.err.column != want->column)
            fail_msg("%s: at %u:%u", want->text, built.err.line, built.err.column);
        assert_null(operands.mentioned);
        built_end(&built);
    }
}

static void length_and_depth_are_limited(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *tree;
    struct event_operands operands;
    struct buf text;
    built_begin(&built, "{}");
    for (size_t levels = EXPRESSION_DEPTH_MAX - 1; levels <= EXPRESSION_DEPTH_MAX; levels++) {
        buf_init(&text, &built.arena);
        for (size_t i = 0; i < levels; i++) buf_add_str(&text, STR("not ("));
        buf_add_str(&text, STR("e1"));
        for (size_t i = 0; i < levels; i++) buf_add_char(&text, ')');
        buf_add_char(&text, '\0');
        assert_int_equal(parse(&built, text.p, &tree, &operands),
                         levels < EXPRESSION_DEPTH_MAX ? ST_OK : ST_LIMIT);
        if (levels == EXPRESSION_DEPTH_MAX - 1) assert_false(holds(&built, tree, E1));
    }
    buf_init(&text, &built.arena);
    while (text.n + 6 <= EXPRESSION_BYTES_MAX) buf_add_str(&text, STR("e1 or "));
    buf_add_str(&text, STR("e2"));
    assert_true(text.n <= EXPRESSION_BYTES_MAX);
    buf_add_char(&text, '\0');
    assert_int_equal(parse(&built, text.p, &tree, &operands), ST_OK);
    assert_true(holds(&built, tree, E2));
    buf_init(&text, &built.arena);
    for (size_t i = 0; i <= EXPRESSION_BYTES_MAX; i++) buf_add_char(&text, 'e');
    buf_add_char(&text, '\0');
    assert_int_equal(parse(&built, text.p, &tree, &operands), ST_LIMIT);
    built_end(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_names_types_and_sources),
        cmocka_unit_test(they_are_joined_by_and_or_and_not),
        cmocka_unit_test(a_name_is_positive_under_an_even_number_of_nots),
        cmocka_unit_test(words_of_other_conditions_may_be_names),
        cmocka_unit_test(mistakes_have_a_place_and_a_sentence),
        cmocka_unit_test(length_and_depth_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
