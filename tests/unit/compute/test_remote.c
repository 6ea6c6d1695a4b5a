/* Members of other nodes: who is preferred, what becomes of their requests, and looks for new ones. */
#include "rig.h"

static enum compute_ignored settle(struct node *node, const char *id, enum compute_outcome outcome)
{
    const struct compute_settled settled = { .request = uuid_of_name(str_of(id)),
                                             .outcome = outcome,
                                             .message = STR_INIT("told") };
    return compute_settle(node->member, &settled);
}

/* ---- choice ---- */

static void our_own_are_preferred(void **state)
{
    struct node own, remote;
    struct question question[COMPUTE_REMOTE_FACTOR + 4];
    size_t asked = 0;
    (void)state;
    join_at(&remote, "a b", 7);
    join(&own, "a");
    ask_now(&question[asked++], "remote", "b"); /* Nobody else has the tag. */
    assert_int_equal(remote.got_count, 1);
    for (; asked <= COMPUTE_REMOTE_FACTOR + 1; asked++)
        ask_now(&question[asked], (char[]){ (char)('0' + asked), 0 }, "a");
    assert_int_equal(own.got_count, COMPUTE_REMOTE_FACTOR + 1);
    ask_now(&question[asked], "far", "a"); /* Our own has far more to do. */
    assert_int_equal(remote.got_count, 2);
    compute_leave(own.member);
    compute_leave(remote.member);
}

static void the_load_that_a_node_tells_counts(void **state)
{
    struct node near, far;
    struct question question[2];
    (void)state;
    join_at(&near, "a", 7);
    join_at(&far, "a", 8);
    compute_set_load(near.member, &(struct compute_load){ .under_way = 3 });
    ask_now(&question[0], "1", "a");
    ask_now(&question[1], "2", "a");
    assert_int_equal(far.got_count, 2);
    compute_set_load(far.member, &(struct compute_load){ .under_way = COMPUTE_MEMBER_REQUESTS_MAX });
    compute_set_load(near.member, &(struct compute_load){ .under_way = COMPUTE_MEMBER_REQUESTS_MAX });
    settle(&far, "1", COMPUTE_ANSWERED);
    ask_now(&question[0], "3", "a");
    assert_end(&question[0], COMPUTE_NO_MEMBER);
    assert_non_null(strstr(question[0].message, "busy"));
    compute_break_off(hub);
}

static void remote_members_are_shown_with_their_nodes(void **state)
{
    struct node own, remote;
    struct compute_member_view *view;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    join(&own, "a");
    join_at(&remote, "a", 7);
    compute_set_load(remote.member,
                     &(struct compute_load){ .under_way = 2, .oldest_ms = 900, .answered = 5 });
    assert_int_equal(compute_members(hub, &arena, &view), 2);
    assert_int_equal(view[0].node, 0);
    assert_int_equal(view[1].node, 7);
    assert_true(view[1].under_way == 2 && view[1].oldest_ms == 900 && view[1].answered == 5);
    assert_int_equal(compute_stats(hub).members, 1);
    assert_int_equal(compute_stats(hub).remote, 1);
    arena_done(&arena);
}

static void members_of_all_nodes_have_one_limit(void **state)
{
    static struct node node[COMPUTE_MEMBERS_MAX];
    struct compute_joining joining = { .send = remember };
    struct compute_member *member;
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(node); i++) join_at(&node[i], "", i % 2 ? 7 : 0);
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OVERLOAD);
    joining.node = 7;
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OVERLOAD);
    compute_leave(node[1].member);
    assert_int_equal(compute_join(hub, &joining, &member, &err), ST_OK);
}

/* ---- outcomes ---- */

static void an_outcome_is_told_as_it_is(void **state)
{
    struct node remote, other;
    struct question question;
    (void)state;
    join_at(&remote, "a", 7);
    join_at(&other, "b", 8);
    for (enum compute_outcome outcome = COMPUTE_ANSWERED; outcome <= COMPUTE_FAILED; outcome++) {
        ask_now(&question, "1", "a");
        assert_int_equal(settle(&other, "1", outcome), COMPUTE_IGNORED_FOREIGN);
        assert_int_equal(settle(&remote, "2", outcome), COMPUTE_IGNORED_UNKNOWN);
        assert_int_equal(settle(&remote, "1", outcome), COMPUTE_IGNORED_NOT);
        assert_end(&question, outcome);
        assert_string_equal(question.message, "told");
        assert_int_equal(settle(&remote, "1", outcome), COMPUTE_IGNORED_UNKNOWN); /* Once. */
    }
    ask_now(&question, "1", "a");
    settle(&remote, "1", COMPUTE_TIMED_OUT);
    assert_end(&question, COMPUTE_TIMED_OUT);
}

/* Nothing was sent to it: so another one may have it, although the request does not survive. */
static void a_refused_request_goes_to_another_member(void **state)
{
    struct node first, second;
    struct question question;
    (void)state;
    join_at(&first, "a", 7);
    join_at(&second, "a", 8);
    ask_now(&question, "1", "a");
    assert_int_equal(first.got_count, 1);
    settle(&first, "1", COMPUTE_NO_MEMBER);
    assert_int_equal(second.got_count, 1);
    settle(&second, "1", COMPUTE_NO_MEMBER);
    assert_end(&question, COMPUTE_NO_MEMBER);
    now_ms += COMPUTE_AVOIDED_MS;
    ask_now(&question, "2", "a"); /* They are asked again after a while. */
    assert_int_equal(question.done_count, 0);
    compute_break_off(hub);
}

static void a_lost_request_goes_on_if_it_survives(void **state)
{
    struct node first, second;
    struct question question[2];
    (void)state;
    join_at(&first, "a", 7);
    ask_now(&question[0], "1", "a");
    ask_committed(&question[1], "2", false);
    join_at(&second, "a", 8);
    settle(&first, "1", COMPUTE_LOST);
    assert_end(&question[0], COMPUTE_LOST);
    settle(&first, "2", COMPUTE_LOST);
    assert_int_equal(question[1].done_count, 0);
    assert_int_equal(second.got_count, 1);
    compute_leave(second.member); /* Its node is dead: the first is left, which has just lost it. */
    assert_end(&question[1], COMPUTE_LOST);
}

static void what_breaks_off_is_lost_unless_it_survives(void **state)
{
    struct node remote;
    struct question question[2];
    (void)state;
    join_at(&remote, "a", 7);
    ask_now(&question[0], "1", "a");
    ask_committed(&question[1], "2", false);
    settle(&remote, "1", COMPUTE_BROKEN_OFF);
    settle(&remote, "2", COMPUTE_BROKEN_OFF);
    assert_end(&question[0], COMPUTE_LOST);
    assert_end(&question[1], COMPUTE_BROKEN_OFF);
}

static void a_member_hears_what_is_not_wanted_any_more(void **state)
{
    struct node remote;
    struct question question[3];
    (void)state;
    join_at(&remote, "a", 7);
    ask_now(&question[0], "1", "a");
    ask_now(&question[1], "2", "a");
    compute_cancel(&question[0].request);
    assert_int_equal(remote.dropped_count, 1);
    now_ms += 5000;
    compute_look(hub);
    assert_end(&question[1], COMPUTE_TIMED_OUT);
    assert_int_equal(remote.dropped_count, 2);
    ask_now(&question[2], "3", "a");
    settle(&remote, "3", COMPUTE_ANSWERED);
    assert_int_equal(remote.dropped_count, 2);
}

/* ---- requests of other nodes ---- */

static void a_request_for_one_member_goes_to_no_other(void **state)
{
    struct node node[2];
    struct question question;
    struct uuid named = uuid_of_name(STR("named"));
    (void)state;
    join(&node[0], "a");
    const struct compute_joining joining = { .id = named, .send = remember, .context = &node[1] };
    struct error err;
    node[1] = (struct node){ 0 };
    ask(&question, "0", "a");
    compute_ask_member(hub, &question.request, named);
    assert_end(&question, COMPUTE_NO_MEMBER);
    assert_int_equal(compute_join(hub, &joining, &node[1].member, &err), ST_OK);
    ask(&question, "1", "a");
    compute_ask_member(hub, &question.request, named);
    assert_int_equal(node[1].got_count, 0); /* It is not ready. */
    compute_leave(node[1].member);
    assert_end(&question, COMPUTE_NO_MEMBER); /* Nothing was sent. */

    assert_int_equal(compute_join(hub, &joining, &node[1].member, &err), ST_OK);
    compute_ready(node[1].member);
    ask(&question, "2", "a");
    compute_ask_member(hub, &question.request, named);
    assert_int_equal(node[1].got_count, 1);
    compute_leave(node[1].member);
    assert_end(&question, COMPUTE_LOST);
    assert_int_equal(node[0].got_count, 0);
}

/* ---- looks ---- */

static uint64_t look_begun;
static bool has_others;

static uint64_t note_look(void *context)
{
    (void)context;
    return has_others ? ++look_begun : 0;
}

static void before_there_is_no_member_somebody_looks(void **state)
{
    struct node remote;
    struct question question[3];
    (void)state;
    look_begun = 0;
    has_others = true;
    compute_set_seeker(hub, note_look, NULL);
    for (int i = 0; i < 3; i++) ask_now(&question[i], (char[]){ (char)('0' + i), 0 }, i == 1 ? "b" : "a");
    assert_int_equal(look_begun, 3);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - 3);
    join_at(&remote, "a", 7); /* Those that find it do not wait for the end of the look. */
    assert_int_equal(remote.got_count, 2);
    compute_looked(hub, 1);
    assert_int_equal(question[1].done_count, 0);
    compute_looked(hub, 2);
    assert_end(&question[1], COMPUTE_NO_MEMBER);
    assert_int_equal(look_begun, 3);
    has_others = false;
    ask_now(&question[1], "9", "b");
    assert_end(&question[1], COMPUTE_NO_MEMBER);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - 2);
    compute_break_off(hub);
}

/* A node has died, or has lost the job while it stood still: another one asks under the same id. */
static void who_asks_later_has_the_job(void **state)
{
    struct node node;
    struct question first, second, third;
    struct uuid nil = { 0 };
    (void)state;
    join(&node, "a");
    ask(&first, "1", "a");
    compute_ask_member(hub, &first.request, nil);
    ask_now(&second, "1", "a");
    assert_end(&first, COMPUTE_BROKEN_OFF);
    assert_int_equal(node.got_count, 2);
    ask_now(&third, "1", "a");
    assert_end(&third, COMPUTE_BROKEN_OFF); /* We ask for it already. */
    ask(&third, "1", "a");
    compute_ask_member(hub, &third.request, nil);
    assert_end(&second, COMPUTE_BROKEN_OFF);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_NOT);
    assert_end(&third, COMPUTE_ANSWERED);
}

static void a_request_that_looks_can_be_cancelled(void **state)
{
    struct question question;
    (void)state;
    has_others = true;
    compute_set_seeker(hub, note_look, NULL);
    ask_now(&question, "1", "a");
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - 1);
    compute_cancel(&question.request);
    assert_end(&question, COMPUTE_BROKEN_OFF);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX);
    compute_looked(hub, UINT64_MAX - 1);
    assert_int_equal(question.done_count, 1);
}

/* A member is lost, and another one has joined elsewhere just before. */
static void a_lost_request_that_survives_looks_too(void **state)
{
    struct node remote, other;
    struct question question;
    (void)state;
    has_others = true;
    compute_set_seeker(hub, note_look, NULL);
    join_at(&remote, "a", 7);
    ask_committed(&question, "1", false);
    settle(&remote, "1", COMPUTE_LOST);
    assert_int_equal(question.done_count, 0);
    join_at(&other, "a", 8);
    assert_int_equal(other.got_count, 1);
    compute_looked(hub, look_begun);
    assert_int_equal(question.done_count, 0);
    compute_break_off(hub);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(our_own_are_preferred),
        TEST(the_load_that_a_node_tells_counts),
        TEST(remote_members_are_shown_with_their_nodes),
        TEST(members_of_all_nodes_have_one_limit),
        TEST(an_outcome_is_told_as_it_is),
        TEST(a_refused_request_goes_to_another_member),
        TEST(a_lost_request_goes_on_if_it_survives),
        TEST(what_breaks_off_is_lost_unless_it_survives),
        TEST(a_member_hears_what_is_not_wanted_any_more),
        TEST(a_request_for_one_member_goes_to_no_other),
        TEST(before_there_is_no_member_somebody_looks),
        TEST(who_asks_later_has_the_job),
        TEST(a_request_that_looks_can_be_cancelled),
        TEST(a_lost_request_that_survives_looks_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
