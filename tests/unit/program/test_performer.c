/* The table of performers. */
#include "json/json.h"
#include "program/performer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void every_row_has_a_word_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        const char *word = performer_word((enum performer)i);
        assert_true(*word);
        for (int k = 0; k < i; k++) assert_string_not_equal(word, performer_word((enum performer)k));
    }
}

/* Positions are stored in instances and histories. */
static void rows_keep_their_positions(void **state)
{
    static const char *const words[] = { "worker", "http", "emit", "child", "sql" };
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++)
        assert_string_equal(performer_word((enum performer)i), words[i]);
    assert_int_equal(PERFORMER_DEFAULT, 0);
}

static void only_workers_poll_for_the_job_type(void **state)
{
    (void)state;
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        enum performer performer = (enum performer)i;
        str queue = performer_queue(performer, STR("pay"));
        bool outside = performer_place(performer) == PERFORMED_OUTSIDE;
        assert_int_equal(str_equal(queue, STR("pay")), outside);
        assert_int_equal(performer_queue_is_reserved(queue), !outside);
        for (int k = 0; k < i && !outside; k++)
            assert_false(str_equal(queue, performer_queue((enum performer)k, STR("pay"))));
    }
}

static void a_job_type_cannot_lead_into_the_queue_of_a_performer(void **state)
{
    (void)state;
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        str own = performer_queue((enum performer)i, STR("pay"));
        str queue = performer_queue(PERFORM_WORKER, own);
        if (performer_queue_is_reserved(own)) assert_false(str_equal(queue, own));
        else assert_true(str_equal(queue, own));
    }
}

static void an_exported_metric_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        const char *name = performer_metric((enum performer)i);
        assert_int_equal(!*name, !*performer_metric_help((enum performer)i));
        if (!*name) continue;
        assert_true(str_starts(str_of(name), STR("pawl_")) && str_ends(str_of(name), STR("_total")));
        for (int k = 0; k < i; k++) assert_string_not_equal(name, performer_metric((enum performer)k));
    }
}

static void the_sentence_says_what_is_waited_for(void **state)
{
    static const struct {
        enum performer performer;
        struct performer_wait wait;
        const char *want;
    } cases[] = {
        { PERFORM_WORKER,
          { STR_INIT("pay"), 1, 3 },
          "waits for a worker of type \"pay\" (attempt 1, 3 retries left)" },
        { PERFORM_WORKER,
          { STR_INIT("pay"), 3, 1 },
          "waits for a worker of type \"pay\" (attempt 3, 1 retry left)" },
        { PERFORM_HTTP, { STR_INIT("f"), 2, 0 }, "waits for the answer to a request (attempt 2)" },
        { PERFORM_EMIT, { STR_INIT("f"), 1, 0 }, "waits for an event to be accepted (attempt 1)" },
        { PERFORM_CHILD, { STR_INIT("order"), 1, 0 }, "waits for an instance of \"order\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, NULL);
        performer_explain(cases[i].performer, &cases[i].wait, &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        buf_done(&out);
    }
}

static void a_configuration_may_name_a_function(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    const struct json *config =
        json_set(&arena, json_empty_object(), STR("function"), json_of_string(&arena, STR("rate")));
    assert_true(str_equal(performer_function(config), STR("rate")));
    assert_int_equal(performer_function(json_empty_object()).n, 0);
    assert_int_equal(performer_function(json_null()).n, 0);
    assert_int_equal(performer_function(NULL).n, 0);
    arena_done(&arena);
}

static void members_for_the_performer_alone_are_not_shown(void **state)
{
    static const struct {
        const char *input, *want;
    } cases[] = {
        { "{\"a\":1}", "{\"a\":1}" },
        { "{\"a\":\"***\",\"\\u0001secrets\":[{}],\"b\":2}", "{\"a\":\"***\",\"b\":2}" },
        { "{\"a\":{\"\\u0001secrets\":1}}", "{\"a\":{\"\\u0001secrets\":1}}" }, /* Data, not ours. */
        { "{\"\":1}", "{\"\":1}" },
        { "[1]", "[1]" },
        { "\"text\"", "\"text\"" },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *input;
        assert_int_equal(json_parse(str_of(cases[i].input), NULL, &arena, &input, NULL), ST_OK);
        struct buf shown;
        buf_init(&shown, &arena);
        json_print(performer_input_shown(input, &arena), &shown);
        assert_true(str_equal(buf_str(&shown), str_of(cases[i].want)));
    }
    assert_null(performer_input_shown(NULL, &arena));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_for_the_performer_alone_are_not_shown),
        cmocka_unit_test(every_row_has_a_word_of_its_own),
        cmocka_unit_test(rows_keep_their_positions),
        cmocka_unit_test(only_workers_poll_for_the_job_type),
        cmocka_unit_test(a_job_type_cannot_lead_into_the_queue_of_a_performer),
        cmocka_unit_test(an_exported_metric_has_a_name_and_a_sentence),
        cmocka_unit_test(the_sentence_says_what_is_waited_for),
        cmocka_unit_test(a_configuration_may_name_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
