/* Members: tags, load, turns, limits. */
#include "rig.h"

static void a_member_needs_all_tags(void **state)
{
    static const struct {
        const char *has, *wanted;
        bool fits;
    } cases[] = {
        { "a b", "a", true },  { "a b", "a,b", true }, { "a b", " b , a ", true }, { "a b", "a,c", false },
        { "a b", "", true },   { "", "", true },       { "", "a", false },         { "a b", ",,a,", true },
        { "a b", "A", false }, { "a b", " , ", true }, { "ab", "a", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node node;
        struct question question;
        join(&node, cases[i].has);
        ask_now(&question, "1", cases[i].wanted);
        if (node.got_count != cases[i].fits) fail_msg("\"%s\" for \"%s\"", cases[i].has, cases[i].wanted);
        compute_leave(node.member);
        assert_end(&question, cases[i].fits ? COMPUTE_LOST : COMPUTE_NO_MEMBER);
    }
}

static void the_one_with_the_least_work_is_chosen(void **state)
{
    struct node node[3];
    struct question question[7];
    (void)state;
    for (size_t i = 0; i < 3; i++) join(&node[i], "a");
    for (size_t i = 0; i < 6; i++) {
        char id[2] = { (char)('0' + i), 0 };
        ask_now(&question[i], id, "a");
    }
    for (size_t i = 0; i < 3; i++) assert_int_equal(node[i].got_count, 2); /* They took turns. */
    assert_int_equal(reply(&node[1], "1"), COMPUTE_IGNORED_NOT);
    ask_now(&question[6], "6", "a");
    assert_int_equal(node[1].got_count, 3);
    assert_int_equal(compute_stats(hub).under_way, 6);
    for (size_t i = 0; i < 3; i++) compute_leave(node[i].member);
    assert_int_equal(compute_stats(hub).under_way, 0);
    assert_int_equal(compute_stats(hub).members, 0);
}

static void members_have_limits(void **state)
{
    static struct node node[COMPUTE_MEMBERS_MAX];
    str tag[COMPUTE_TAGS_MAX + 1];
    char longest[COMPUTE_TAG_BYTES_MAX + 1] = { 0 };
    struct compute_joining joining = { .tag = tag, .tag_count = COUNT(tag), .send = remember };
    struct compute_member *member;
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(tag); i++) tag[i] = STR("x");
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_LIMIT);
    joining.tag_count--;
    tag[0] = (str){ longest, sizeof longest };
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_LIMIT);
    tag[0].n--;
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OK);
    compute_leave(member);
    for (size_t i = 0; i < COMPUTE_MEMBERS_MAX; i++) join(&node[i], "");
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OVERLOAD);
    compute_leave(node[17].member);
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OK);
}

static void a_member_that_has_enough_gets_no_more(void **state)
{
    static struct question question[COMPUTE_MEMBER_REQUESTS_MAX + 1];
    struct node node;
    char id[16];
    (void)state;
    join(&node, "a");
    for (int i = 0; i <= COMPUTE_MEMBER_REQUESTS_MAX; i++) {
        snprintf(id, sizeof id, "%d", i);
        ask_now(&question[i], id, "a");
    }
    assert_int_equal(question[COMPUTE_MEMBER_REQUESTS_MAX - 1].done_count, 0);
    assert_end(&question[COMPUTE_MEMBER_REQUESTS_MAX], COMPUTE_NO_MEMBER);
    assert_non_null(strstr(question[COMPUTE_MEMBER_REQUESTS_MAX].message, "busy"));
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - COMPUTE_MEMBER_REQUESTS_MAX);
}

static void members_are_shown(void **state)
{
    struct node node[2];
    struct question question;
    struct compute_member_view *view;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    join(&node[0], "a b");
    now_ms = 2000;
    join(&node[1], "c");
    ask_now(&question, "1", "c");
    assert_int_equal(compute_members(hub, &arena, &view), 2);
    assert_true(view[0].tag_count == 2 && str_equal(view[0].tag[1], STR("b")) && view[0].joined_ms == 1000);
    assert_true(view[0].under_way == 0 && view[0].oldest_ms == 0);
    assert_true(view[1].under_way == 1 && view[1].oldest_ms == 2000 && view[1].answered == 0);
    reply(&node[1], "1");
    compute_members(hub, &arena, &view);
    assert_true(view[1].under_way == 0 && view[1].answered == 1);
    arena_done(&arena);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_member_needs_all_tags), TEST(the_one_with_the_least_work_is_chosen),
        TEST(members_have_limits),     TEST(a_member_that_has_enough_gets_no_more),
        TEST(members_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
