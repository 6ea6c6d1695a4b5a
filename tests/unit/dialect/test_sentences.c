/* Sentences for people: how runs stand, and why they failed. */
#include "documents.h"

#include "core/driver.h"
#include "dialect/show/sentences.h"
#include "program/reason.h"

static const char *text_of(struct arena *arena, str text) { return arena_str(arena, text).p; }

static void reasons_become_headlines(void **state)
{
    static const struct {
        const char *reason, *headline;
    } cases[] = {
        { "the web service answered with status 503", "The web service did not answer (503)" },
        { "ServiceException: the function post answered with status 404: gone",
          "The web service does not know what was asked for (404)" },
        { "HTTP 429", "The web service gets too many requests (429)" },
        { "HTTP 500: oops", "The web service failed (500)" },
        { "HTTP 422: amount", "The web service refused the request (422)" },
        { "HTTP 200: odd", "HTTP 200: odd" }, /* No failure of the other side. */
        { "no answer from 10.0.0.1:80 in time (500 ms)", "The other side took too long to answer" },
        { "ADDRESS_REFUSED: http://10.0.0.1 is in a network that calls may not reach (private)",
          "The address is in a network that calls may not reach" },
        { "ADDRESS_REFUSED: db.example is in a network that may not be reached (loopback) without "
          "--allow-private-calls",
          "The address is in a network that calls may not reach" },
        { "ledger.example refused the connection", "The other side could not be reached" },
        { "DecisionTableNoRuleMatched: step \"x\"", "No line of the table fits" },
        { "CARD_DECLINED: the card has expired.", "The card has expired" },
        { "CARD_DECLINED", "Card declined" },
        { "broken\nwith a second line", "Broken" },
        { "  ", "" },
        { "", "" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(text_of(&arena, show_headline(STR_NONE, str_of(cases[i].reason), &arena)),
                            cases[i].headline);
    arena_done(&arena);
}

static void each_code_has_a_headline(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (int i = REASON_NONE + 1; i < REASON_CODE_COUNT; i++) {
        str word = reason_code_word((enum reason_code)i);
        str headline = show_headline(word, STR("words"), &arena);
        if (str_equal(headline, STR("Words"))) fail_msg("%.*s has no headline", STR_ARG(word));
        assert_in_range(headline.n, 10, SHOW_HEADLINE_BYTES);
        assert_true(str_equal(headline, show_headline(word, STR_NONE, &arena)));
    }
    arena_done(&arena);
}

static void a_code_says_more_than_the_words(void **state)
{
    static const struct {
        const char *code, *reason, *headline;
    } cases[] = {
        { "ANSWER_LATE", "HTTP 500", "The other side took too long to answer" },
        { "HTTP_503", "no address was found", "The web service did not answer (503)" },
        { "HTTP_418", "", "The web service refused the request (418)" },
        { "OF_A_LATER_VERSION", "HTTP 500", "The web service failed (500)" },
        { "OF_A_LATER_VERSION", "it broke.", "It broke" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(
            text_of(&arena, show_headline(str_of(cases[i].code), str_of(cases[i].reason), &arena)),
            cases[i].headline);
    arena_done(&arena);
}

/* The instance that has the code is gone when a group of runs is told. */
static void a_code_outlives_its_instance(void **state)
{
    struct arena arena;
    char stored[] = "HTTP_503";
    (void)state;
    arena_init(&arena, 0);
    str code = show_code(str_of(stored), STR("words"), &arena);
    memset(stored, 'x', sizeof stored - 1);
    assert_true(str_equal(code, STR("HTTP_503")));
    arena_done(&arena);
}

static void a_headline_is_cut_between_characters(void **state)
{
    char reason[SHOW_HEADLINE_BYTES * 2 + 1];
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i + 2 < sizeof reason; i += 2) memcpy(reason + i, "\xc3\xa4", 2);
    reason[sizeof reason - 1] = '\0';
    str headline = show_headline(STR_NONE, str_of(reason), &arena);
    assert_in_range(headline.n, SHOW_HEADLINE_BYTES - 8, SHOW_HEADLINE_BYTES);
    assert_true(str_ends(headline, STR("\xc3\xa4\xe2\x80\xa6")));
    reason[SHOW_HEADLINE_BYTES - 4] = '\0'; /* The longest that is whole. */
    assert_int_equal(show_headline(STR_NONE, str_of(reason), &arena).n, SHOW_HEADLINE_BYTES - 4);
    arena_done(&arena);
}

static void durations_are_rough(void **state)
{
    static const struct {
        int64_t ms;
        const char *words;
    } cases[] = { { -5, "0 s" },         { 999, "0 s" },          { 119999, "119 s" },
                  { 120000, "2 min" },   { 7199000, "119 min" },  { 7200000, "2 h" },
                  { 172799000, "47 h" }, { 172800000, "2 days" }, { INT64_MAX, "106751991167 days" } };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(text_of(&arena, show_duration(cases[i].ms, &arena)), cases[i].words);
    arena_done(&arena);
}

/* The sentence of the only token, and of the instance as a whole. */
static const char *why(struct driver *d)
{
    assert_int_equal(d->instance->token_count, 1);
    struct saying saying =
        show_why(d->program, d->instance, &d->instance->token[0], STR_NONE, d->now_ms, &d->arena);
    return text_of(&d->arena, saying_text(&saying, &d->arena));
}

static const char *summary(struct driver *d)
{
    struct saying saying;
    if (!show_summary(d->program, d->instance, STR_NONE, d->now_ms, &d->arena, &saying)) return "";
    return text_of(&d->arena, saying_text(&saying, &d->arena));
}

#define TITLED(id, title, type, more) "{'id':'" id "','name':'" title "','type':'" type "'" more "}\n"

static void each_wait_has_a_sentence_and_a_status(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TITLED("a", "Post to ledger", "SERVICE_TASK", ",'jobType':'ledger','nextStep':'p'")
                         TITLED("p", "Ask", "USER_TASK", ",'nextStep':'w'")
                             TITLED("w", "Goods received", "WAIT", ",'nextStep':'end'") END("end"));
    start(&d, NULL);
    assert_string_equal(why(&d), "“Post to ledger” waits for a worker that does “ledger”.");
    assert_int_equal(show_status_of(d.instance), SHOW_RUNNING);
    assert_int_equal(show_token_wait(d.instance, &d.instance->token[0]), SHOW_WAIT_JOB);
    assert_int_equal(show_token_until_ms(d.instance, &d.instance->token[0], d.now_ms), 0);
    complete(&d, "ledger", NULL);
    assert_string_equal(why(&d), "“Ask” waits for a person.");
    assert_int_equal(show_status_of(d.instance), SHOW_PERSON);
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_string_equal(why(&d), "“Goods received” waits for a signal.");
    assert_int_equal(show_status_of(d.instance), SHOW_WAITING);
    assert_int_equal(show_token_wait(d.instance, &d.instance->token[0]), SHOW_WAIT_SIGNAL);
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_int_equal(show_status_of(d.instance), SHOW_COMPLETED);
    assert_string_equal(summary(&d), "");
    driver_end(&d);
}

static void people_and_groups_are_named(void **state)
{
    static const struct {
        const char *details, *sentence, *values;
    } cases[] = {
        { "{'assignee':'anna'}", "“p” waits for anna.", "\"person\",\"title\":\"p\",\"names\":[\"anna\"]" },
        { "{'assignees':['anna','ben']}", "“p” waits for anna or ben.",
          "\"person\",\"title\":\"p\",\"names\":[\"anna\",\"ben\"]" },
        { "{'assignees':['anna','ben','cleo']}", "“p” waits for anna, ben or 1 other.",
          "\"person\",\"title\":\"p\",\"names\":[\"anna\",\"ben\"],\"others\":1" },
        { "{'groups':'Accounting'}", "“p” waits for somebody in Accounting.",
          "\"group\",\"title\":\"p\",\"names\":[\"Accounting\"]" },
        { "{'assignees':[],'groups':[]}", "“p” waits for a person.", "\"person\",\"title\":\"p\"" },
        { "{'assignee':'anna','due':'1970-01-01T00:10:00Z'}", "“p” waits for anna and is late.",
          "\"person\",\"title\":\"p\",\"names\":[\"anna\"],\"late\":true" },
    };
    struct driver d;
    (void)state;
    driver_begin(&d, PERSON("p", "end") END("end"));
    start(&d, NULL);
    struct token token = d.instance->token[0];
    for (size_t i = 0; i < COUNT(cases); i++) {
        token.task = driver_json(&d, cases[i].details);
        struct saying saying = show_why(d.program, d.instance, &token, STR_NONE, d.now_ms, &d.arena);
        assert_string_equal(text_of(&d.arena, saying_text(&saying, &d.arena)), cases[i].sentence);
        str values = arena_printf(&d.arena, "{\"code\":%s}", cases[i].values);
        assert_string_equal(text_of(&d.arena, saying_json(&saying, &d.arena)), text_of(&d.arena, values));
    }
    driver_end(&d);
}

static void a_saying_is_a_sentence_and_its_values(void **state)
{
    static const struct {
        struct saying saying;
        const char *sentence, *json;
    } cases[] = {
        { { .code = SAYING_WORKER,
            .title = STR_INIT("a"),
            .failed = 2,
            .name = { STR_INIT("pay") },
            .name_count = 1 },
          "“a” failed twice and is being tried again: it waits for a worker that does “pay”.",
          "{\"code\":\"worker\",\"title\":\"a\",\"failed\":2,\"names\":[\"pay\"]}" },
        { { .code = SAYING_AGAIN, .title = STR_INIT("a"), .failed = 1 },
          "“a” failed once and is tried again by itself.",
          "{\"code\":\"again\",\"title\":\"a\",\"failed\":1}" },
        { { .code = SAYING_EVENT,
            .title = STR_INIT("a"),
            .is_stopped = true,
            .name = { STR_INIT("paid"), STR_INIT("late") },
            .name_count = 2,
            .key = STR_INIT("7") },
          "“a” stands still because the run failed; it waits for the event “paid” or “late” with the key 7.",
          "{\"code\":\"event\",\"title\":\"a\",\"stopped\":true,\"names\":[\"paid\",\"late\"],\"key\":"
          "\"7\"}" },
        { { .code = SAYING_TRANSITION,
            .title = STR_INIT("new"),
            .name = { STR_INIT("pay"), STR_INIT("drop") },
            .name_count = 2 },
          "“new” rests until somebody moves it on: pay, drop.",
          "{\"code\":\"transition\",\"title\":\"new\",\"names\":[\"pay\",\"drop\"]}" },
        { { .code = SAYING_ITEMS_LEFT, .title = STR_INIT("a"), .done = 0, .total = 3 },
          "“a” has done 0 of 3 items; the flow went on without the others.",
          "{\"code\":\"items-left\",\"title\":\"a\",\"done\":0,\"total\":3}" },
        { { .code = SAYING_CANCELLED, .reason = STR_INIT("by \"Ada\"") },
          "Cancelled: by \"Ada\".",
          "{\"code\":\"cancelled\",\"reason\":\"by \\\"Ada\\\"\"}" },
        { { .code = SAYING_FAILED,
            .title = STR_INIT("a"),
            .reason = STR_INIT("no answer"),
            .reason_code = STR_INIT("HTTP_503") },
          "“a” failed: no answer.",
          "{\"code\":\"failed\",\"title\":\"a\",\"reason\":\"no answer\",\"reasonCode\":\"HTTP_503\"}" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(text_of(&arena, saying_text(&cases[i].saying, &arena)), cases[i].sentence);
        assert_string_equal(text_of(&arena, saying_json(&cases[i].saying, &arena)), cases[i].json);
    }
    arena_done(&arena);
}

static void each_saying_has_a_word_of_its_own_and_a_sentence(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (int i = 0; i < SAYING_CODE_COUNT; i++) {
        struct saying saying = { .code = (enum saying_code)i };
        assert_true(saying_text(&saying, &arena).n > 4);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(saying_word((enum saying_code)i), saying_word((enum saying_code)k));
    }
    arena_done(&arena);
}

/* One node that waits for a person, with these timers and escalations. */
static void what_happens_to_a_task_that_nobody_answers(void **state)
{
    static const struct {
        const char *more, *sentence;
    } cases[] = {
        { "", "" },
        { ",'reminders':['P2D']", "If nobody answers, a reminder goes out after 2 days." },
        { ",'reminders':['P1D','P2D','P3D']",
          "If nobody answers, reminders go out after 1 day, after 2 days and after 3 days." },
        { ",'escalation':{'after':'PT5H','groups':['heads']}",
          "If nobody answers, after 5 hours it is passed on to heads." },
        { ",'escalation':{'after':'PT5H','assignee':null}",
          "If nobody answers, after 5 hours it is passed on." },
        { ",'escalation':{'after':'PT5H','priority':90}",
          "If nobody answers, after 5 hours it becomes more urgent." },
        { ",'boundaryEvents':[{'type':'TIMER','duration':'P6D','interrupting':true,'targetStepId':'end'}],'"
          "reminders':['P2D']",
          "If nobody answers, a reminder goes out after 2 days, and after 6 days the run goes on with "
          "“Over”." },
        { ",'boundaryEvents':[{'type':'TIMER','duration':'P6D','interrupting':false,'targetStepId':'end'}]",
          "If nobody answers, after 6 days the run also does “Over”." },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        char text[512];
        (void)snprintf(text, sizeof text,
                       "{'id':'p','name':'Ask','type':'USER_TASK','nextStep':'end'%s}\n"
                       "{'id':'end','name':'Over','type':'END'}\n",
                       cases[i].more);
        driver_begin(&d, text);
        uint32_t node = program_find(d.program, STR("p"));
        assert_string_equal(text_of(&d.arena, show_unanswered(d.program, &d.program->node[node], &d.arena)),
                            cases[i].sentence);
        driver_end(&d);
    }
}

static void a_word_of_a_filter_means_its_rows(void **state)
{
    static const uint32_t waits = 1u << SHOW_PERSON | 1u << SHOW_WAITING;
    static const struct {
        const char *word;
        uint32_t plain, flow;
    } cases[] = {
        { "failed", 1u << SHOW_FAILED, 1u << SHOW_FAILED },
        { "FAILED", 1u << SHOW_FAILED, 1u << SHOW_FAILED },
        { "person", 1u << SHOW_PERSON, 1u << SHOW_PERSON },
        { "ACTIVE", 1u << SHOW_RUNNING, 1u << SHOW_RUNNING },
        { "WAITING", waits, waits },
        { "waiting", 1u << SHOW_WAITING, waits }, /* Flows have had this word for both. */
        { "suspended", 0, 1u << SHOW_WAITING },
        { "terminated", 0, 1u << SHOW_CANCELLED },
        { "odd", 0, 0 },
        { "", 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(show_statuses_of(str_of(cases[i].word)), cases[i].plain);
        assert_int_equal(show_statuses_of_flow(str_of(cases[i].word)), cases[i].flow);
    }
    assert_string_equal(SHOW_STATUS_WORDS, "failed, completed, cancelled, running, person, waiting");
}

static void words_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (int i = 0; i < SHOW_STATUS_COUNT; i++) {
        enum show_status status;
        assert_true(show_status_parse(str_of(show_status_word((enum show_status)i)), &status));
        assert_int_equal(status, i);
        assert_false(show_status_parse(STR("Failed"), &status));
    }
    for (int i = 0; i < SHOW_WAIT_COUNT; i++) {
        enum show_wait wait;
        assert_true(show_wait_parse(str_of(show_wait_word((enum show_wait)i)), &wait));
        assert_int_equal(wait, i);
        assert_false(show_wait_parse(STR(""), &wait));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_become_headlines),
        cmocka_unit_test(each_code_has_a_headline),
        cmocka_unit_test(a_code_says_more_than_the_words),
        cmocka_unit_test(a_code_outlives_its_instance),
        cmocka_unit_test(a_headline_is_cut_between_characters),
        cmocka_unit_test(durations_are_rough),
        cmocka_unit_test(each_wait_has_a_sentence_and_a_status),
        cmocka_unit_test(people_and_groups_are_named),
        cmocka_unit_test(a_saying_is_a_sentence_and_its_values),
        cmocka_unit_test(each_saying_has_a_word_of_its_own_and_a_sentence),
        cmocka_unit_test(what_happens_to_a_task_that_nobody_answers),
        cmocka_unit_test(a_word_of_a_filter_means_its_rows),
        cmocka_unit_test(words_are_read_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
