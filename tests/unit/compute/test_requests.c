/* Requests: each ends exactly once, in one of the ways that compute.h names. */
#include "rig.h"

static void an_answer_ends_a_request_once(void **state)
{
    struct node node;
    struct question question;
    (void)state;
    join(&node, "a");
    ask_now(&question, "1", "a");
    assert_int_equal(question.done_count, 0);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_NOT);
    assert_end(&question, COMPUTE_ANSWERED);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_UNKNOWN);
    assert_int_equal(reply(&node, "2"), COMPUTE_IGNORED_UNKNOWN);
    assert_int_equal(compute_stats(hub).ignored[COMPUTE_IGNORED_UNKNOWN], 2);
    assert_int_equal(compute_stats(hub).under_way, 0);
}

static void a_node_may_say_that_it_failed(void **state)
{
    struct node node;
    struct question question;
    struct compute_answer answer = { .kind = COMPUTE_PROCESSOR, .message = STR_INIT("no money") };
    (void)state;
    join(&node, "a");
    for (int i = 0; i < 2; i++) {
        ask_now(&question, "1", "a");
        answer.request = question.request.id;
        assert_int_equal(compute_take(node.member, &answer), COMPUTE_IGNORED_NOT);
        assert_end(&question, COMPUTE_FAILED);
        assert_string_equal(question.message,
                            i ? "processor \"p\" failed: its calculation node does not say why"
                              : "processor \"p\" failed: no money");
        answer.message = STR_NONE;
    }
}

static void only_the_member_that_has_it_can_answer(void **state)
{
    struct node node[2];
    struct question question;
    (void)state;
    join(&node[0], "a");
    join(&node[1], "b");
    ask_now(&question, "1", "a");
    assert_int_equal(reply(&node[1], "1"), COMPUTE_IGNORED_FOREIGN);
    assert_int_equal(question.done_count, 0);
    assert_int_equal(reply(&node[0], "1"), COMPUTE_IGNORED_NOT);
}

static void an_answer_that_does_not_fit_fails_the_request(void **state)
{
    struct node node;
    struct question question;
    struct compute_answer answer = { .kind = COMPUTE_PROCESSOR, .success = true, .entity = STR_INIT("e2") };
    (void)state;
    join(&node, "a");
    for (int i = 0; i < 2; i++) {
        ask_now(&question, "1", "a");
        answer.request = question.request.id;
        assert_int_equal(compute_take(node.member, &answer), COMPUTE_IGNORED_MISFIT);
        assert_end(&question, COMPUTE_FAILED);
        assert_non_null(strstr(question.message, i ? "another kind" : "another entity, e2"));
        answer.kind = COMPUTE_CRITERION;
        answer.entity = STR_NONE;
    }
}

static void time_ends_a_request(void **state)
{
    struct node node;
    struct question question, by_default;
    (void)state;
    join(&node, "a");
    ask_now(&question, "1", "a");
    ask(&by_default, "2", "a");
    by_default.request.timeout_ms = 0;
    compute_ask(hub, &by_default.request);
    now_ms += 4999;
    compute_look(hub);
    assert_int_equal(question.done_count, 0);
    now_ms += 1;
    compute_look(hub);
    assert_end(&question, COMPUTE_TIMED_OUT);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_UNKNOWN);
    now_ms = 1000 + COMPUTE_TIMEOUT_MS_DEFAULT - 1;
    compute_look(hub);
    assert_int_equal(by_default.done_count, 0);
    now_ms++;
    compute_look(hub);
    assert_end(&by_default, COMPUTE_TIMED_OUT);
}

static void a_lost_member_ends_its_requests_at_once(void **state)
{
    struct node node[2];
    struct question question[2];
    (void)state;
    join(&node[0], "a");
    ask_now(&question[0], "1", "a");
    ask_now(&question[1], "2", "a");
    join(&node[1], "a");
    compute_leave(node[0].member); /* What it may have done is not done twice. */
    assert_end(&question[0], COMPUTE_LOST);
    assert_end(&question[1], COMPUTE_LOST);
    assert_int_equal(node[1].got_count, 0);
}

static void a_committed_request_goes_to_another_member(void **state)
{
    struct node node[COMPUTE_SENDS_MAX + 1];
    struct question question;
    (void)state;
    join(&node[0], "a");
    ask_committed(&question, "1", false);
    for (size_t i = 1; i <= COMPUTE_SENDS_MAX; i++) {
        join(&node[i], "a");
        compute_leave(node[i - 1].member);
        if (i == COMPUTE_SENDS_MAX) break;
        assert_int_equal(question.done_count, 0);
        assert_ptr_equal(node[i].got[0], &question.request);
    }
    assert_end(&question, COMPUTE_LOST); /* It seems to kill its nodes. */
    assert_int_equal(node[COMPUTE_SENDS_MAX].got_count, 0);
}

static void a_committed_request_keeps_its_time(void **state)
{
    struct node node[2];
    struct question question;
    (void)state;
    join(&node[0], "a");
    ask_committed(&question, "1", false);
    join(&node[1], "a");
    now_ms += 4000;
    compute_leave(node[0].member);
    now_ms += 1000;
    compute_look(hub);
    assert_end(&question, COMPUTE_TIMED_OUT);
}

static void only_an_earlier_run_s_request_waits_for_a_member(void **state)
{
    struct node node;
    struct question question;
    (void)state;
    ask_committed(&question, "1", false);
    assert_end(&question, COMPUTE_NO_MEMBER);
    ask_committed(&question, "1", true);
    now_ms += 3600 * 1000;
    compute_look(hub);
    assert_int_equal(question.done_count, 0);
    assert_int_equal(compute_stats(hub).waiting, 1);
    join(&node, "b");
    assert_int_equal(node.got_count, 0);
    join(&node, "a");
    assert_int_equal(node.got_count, 1);
    compute_leave(node.member); /* It waits for the next one. */
    assert_int_equal(compute_stats(hub).waiting, 1);
    join(&node, "a");
    now_ms += 4999;
    compute_look(hub);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_NOT);
    assert_end(&question, COMPUTE_ANSWERED);
}

static void a_request_waits_for_a_member(void **state)
{
    struct node node;
    struct question early, late, lost;
    (void)state;
    compute_set_wait(hub, 5000);
    ask_now(&early, "1", "a");
    now_ms += 4999;
    compute_look(hub);
    assert_int_equal(early.done_count, 0);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - 1);
    join(&node, "b"); /* Another one. */
    assert_int_equal(node.got_count, 0);
    ask_now(&late, "2", "c");
    join(&node, "a");
    assert_int_equal(node.got_count, 1);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_NOT);
    assert_end(&early, COMPUTE_ANSWERED);
    now_ms += 5000;
    compute_look(hub);
    assert_end(&late, COMPUTE_NO_MEMBER);
    ask_now(&lost, "3", "a"); /* A processor that was asked may have done its work. */
    compute_leave(node.member);
    assert_end(&lost, COMPUTE_LOST);
    assert_int_equal(compute_stats(hub).waiting, 0);
}

static void a_question_goes_to_the_next_member(void **state)
{
    struct node node;
    struct question question;
    (void)state;
    compute_set_wait(hub, 5000);
    join(&node, "a");
    ask(&question, "1", "a");
    question.request.kind = COMPUTE_CRITERION;
    compute_ask(hub, &question.request);
    compute_leave(node.member);
    assert_int_equal(question.done_count, 0);
    join(&node, "a");
    assert_int_equal(node.got_count, 1);
    compute_leave(node.member);
    now_ms += 5000;
    compute_look(hub);
    assert_end(&question, COMPUTE_LOST);
}

static void too_many_that_wait_are_given_back(void **state)
{
    static struct question question[COMPUTE_WAITING_MAX + 1];
    struct question other;
    char id[16];
    (void)state;
    for (int i = 0; i <= COMPUTE_WAITING_MAX; i++) {
        snprintf(id, sizeof id, "%d", i);
        ask_committed(&question[i], id, true);
    }
    assert_int_equal(question[COMPUTE_WAITING_MAX - 1].done_count, 0);
    assert_end(&question[COMPUTE_WAITING_MAX], COMPUTE_BROKEN_OFF);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX); /* They hold nobody's place. */
    ask_now(&other, "other", "b");
    assert_end(&other, COMPUTE_NO_MEMBER);
}

/* Asks for a request whose text has so many bytes; the hub does not look at them. */
static void ask_large(struct question *question, const char *id, const char *tags, size_t bytes, bool waits)
{
    ask(question, id, tags);
    question->request.survives = question->request.waits = waits;
    question->request.text.n = bytes;
    compute_ask(hub, &question->request);
}

static void bytes_are_bounded(void **state)
{
    struct node node;
    struct question question[2], waits[2];
    (void)state;
    join(&node, "a");
    ask_large(&waits[0], "w0", "b", COMPUTE_WAITING_BYTES_MAX, true);
    assert_int_equal(waits[0].done_count, 0);
    ask_large(&waits[1], "w1", "b", 1, true);
    assert_end(&waits[1], COMPUTE_BROKEN_OFF);
    assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX); /* They hold nobody's place. */
    ask_large(&question[0], "0", "a", COMPUTE_BYTES_MAX - 1, false);
    assert_int_not_equal(compute_room(hub), 0);
    ask_large(&question[1], "1", "a", 1, false);
    assert_int_equal(compute_room(hub), 0);
    reply(&node, "0");
    assert_int_not_equal(compute_room(hub), 0);
    compute_cancel(&waits[0].request);
    ask_large(&waits[1], "w1", "b", 1, true);
    assert_int_equal(compute_stats(hub).waiting, 1);
    compute_break_off(hub);
}

static void requests_are_bounded(void **state)
{
    enum { NODES = COMPUTE_REQUESTS_MAX / COMPUTE_MEMBER_REQUESTS_MAX };
    static struct question question[COMPUTE_REQUESTS_MAX];
    struct node node[NODES];
    char id[16];
    (void)state;
    for (size_t i = 0; i < NODES; i++) join(&node[i], "a");
    for (int i = 0; i < COMPUTE_REQUESTS_MAX; i++) {
        assert_int_equal(compute_room(hub), COMPUTE_REQUESTS_MAX - i);
        snprintf(id, sizeof id, "%d", i);
        ask_now(&question[i], id, "a");
    }
    assert_int_equal(compute_room(hub), 0);
}

static void a_member_that_does_not_read_gets_it_later(void **state)
{
    struct node node;
    struct question question[3];
    (void)state;
    join(&node, "a");
    node.says = COMPUTE_LATER;
    ask_now(&question[0], "1", "a");
    ask_now(&question[1], "2", "a");
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_FOREIGN); /* It cannot know it yet. */
    node.says = COMPUTE_SENT;
    compute_ready(node.member);
    assert_ptr_equal(node.got[0], &question[0].request);
    assert_ptr_equal(node.got[1], &question[1].request);
    ask_now(&question[2], "3", "a");
    assert_int_equal(node.got_count, 3);
    compute_break_off(hub);
}

static void what_was_never_sent_goes_to_another_member(void **state)
{
    struct node node[2];
    struct question question;
    (void)state;
    join(&node[0], "a");
    node[0].says = COMPUTE_GONE;
    ask_now(&question, "1", "a");
    assert_int_equal(question.done_count, 0);
    join(&node[1], "a");
    compute_leave(node[0].member);
    assert_ptr_equal(node[1].got[0], &question.request);
    compute_break_off(hub);
}

static void a_request_can_be_taken_back(void **state)
{
    struct node node;
    struct question question[3];
    (void)state;
    join(&node, "a");
    ask_now(&question[0], "1", "a");
    ask_now(&question[1], "1", "a"); /* The same again, while the first is under way. */
    assert_end(&question[1], COMPUTE_BROKEN_OFF);
    compute_cancel(&question[0].request);
    assert_end(&question[0], COMPUTE_BROKEN_OFF);
    assert_int_equal(reply(&node, "1"), COMPUTE_IGNORED_UNKNOWN);
    ask_now(&question[2], "1", "a");
    compute_break_off(hub);
    assert_end(&question[2], COMPUTE_BROKEN_OFF);
    assert_int_equal(compute_stats(hub).outcome[COMPUTE_BROKEN_OFF], 3);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
    static char text[3 * FAILURE_REASON_BYTES_MAX];
    struct node node;
    struct question question;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) text[i] = "\xe2\x82\xac"[i % 3]; /* Euro signs. */
    struct compute_answer answer = { .kind = COMPUTE_PROCESSOR, .message = { text, sizeof text } };
    join(&node, "a");
    ask_now(&question, "1", "a");
    answer.request = question.request.id;
    compute_take(node.member, &answer);
    assert_end(&question, COMPUTE_FAILED);
    assert_true(question.request.message.n < FAILURE_REASON_BYTES_MAX);
    assert_int_equal((question.request.message.n - strlen("processor \"p\" failed: ")) % 3, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(an_answer_ends_a_request_once),
        TEST(a_node_may_say_that_it_failed),
        TEST(only_the_member_that_has_it_can_answer),
        TEST(an_answer_that_does_not_fit_fails_the_request),
        TEST(time_ends_a_request),
        TEST(a_lost_member_ends_its_requests_at_once),
        TEST(a_committed_request_goes_to_another_member),
        TEST(a_committed_request_keeps_its_time),
        TEST(only_an_earlier_run_s_request_waits_for_a_member),
        TEST(a_request_waits_for_a_member),
        TEST(a_question_goes_to_the_next_member),
        TEST(too_many_that_wait_are_given_back),
        TEST(bytes_are_bounded),
        TEST(requests_are_bounded),
        TEST(a_member_that_does_not_read_gets_it_later),
        TEST(what_was_never_sent_goes_to_another_member),
        TEST(a_request_can_be_taken_back),
        TEST(a_long_reason_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
