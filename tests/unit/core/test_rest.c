/* The rest of a For each that goes on behind a part of its items, items that come while it runs, and
 * joins that block the next round. Told with documents of the graph dialect. */
#include "documents.h"

#include "core/driver.h"

static void begin_at(struct driver *d, const char *name, const char *payload)
{
    struct buf text;
    driver_begin_document(d, str_of(document("core/rest", name)));
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'payload':%s,'triggered_at':'2026-01-01T00:00:00Z'}", payload);
    buf_add_char(&text, '\0');
    const struct command_start start = { .instance = 7, .definition = 3, .arrival = STR("t") };
    if (driver_do(d, (struct command){
                         .kind = COMMAND_START, .as.start = start, .data = driver_json(d, text.p) }) != ST_OK)
        fail_msg("%s", d->rejection.message);
}

/* The open job of the n-th token at the node, the oldest is 0. */
static const struct job *job_at(const struct driver *d, const char *node, size_t n)
{
    for (size_t i = 0; i < d->instance->job_count; i++) {
        const struct token *token = instance_find_token(d->instance, d->instance->job[i].execution);
        if (str_equal(token->node_name, str_of(node)) && n-- == 0) return &d->instance->job[i];
    }
    fail_msg("no open job at %s", node);
    return NULL;
}

static void done(struct driver *d, const char *node, size_t n, const char *body)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'status_code':200,'headers':{},'body':%s}", body);
    buf_add_char(&text, '\0');
    if (driver_complete(d, job_at(d, node, n)->number, text.p) != ST_OK) fail_msg("%s", d->rejection.message);
}

static void fails(struct driver *d, const char *node, size_t n)
{
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FAIL_JOB,
                                                    .as.job.number = job_at(d, node, n)->number,
                                                    .as.job.text = STR("broken") }),
                     ST_OK);
}

static const struct json *member_of(struct driver *d, const char *name)
{
    return json_get(json_get(d->instance->data, STR("nodes.l")), str_of(name));
}

static const struct token *host_of(const struct driver *d)
{
    for (size_t i = 0; i < d->instance->token_count; i++)
        if (d->instance->token[i].state == TOKEN_REMAINDER) return &d->instance->token[i];
    fail_msg("nothing is left");
    return NULL;
}

static size_t jobs_at(const struct driver *d, const char *node)
{
    size_t count = 0;
    for (size_t i = 0; i < d->instance->job_count; i++)
        count += str_equal(instance_find_token(d->instance, d->instance->job[i].execution)->node_name,
                           str_of(node));
    return count;
}

static void the_flow_goes_on_behind_a_quorum_and_the_rest_is_done(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "rest", "{'items':[1,2,3,4]}");
    assert_int_equal(jobs_at(&d, "b"), 2);
    done(&d, "b", 1, "'two'");
    assert_int_equal(jobs_at(&d, "after"), 1);
    assert_int_equal(jobs_at(&d, "b"), 2); /* The third has begun in the place of the second. */
    assert_json(&d, member_of(&d, "results"), "[null,'two',null,null]");
    str why = core_explain(d.program, d.instance, host_of(&d), d.now_ms, &d.arena);
    assert_true(str_starts(why, STR("has gone on, and waits for its items: 1 of 4 are over")));
    done(&d, "after", 0, "1");
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    done(&d, "b", 0, "'one'");
    done(&d, "b", 0, "'three'");
    done(&d, "b", 0, "'four'");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    assert_json(&d, member_of(&d, "results"), "[null,'two',null,null]");
    driver_end(&d);
}

static void an_item_that_fails_late_ends_alone(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "rest", "{'items':[1,2,3]}");
    done(&d, "b", 0, "'one'");
    fails(&d, "b", 0);
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    assert_int_equal(jobs_at(&d, "wrong"), 0);
    done(&d, "b", 0, "'three'");
    done(&d, "after", 0, "1");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

static void an_item_that_fails_before_the_quorum_fails_the_loop(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "rest", "{'items':[1,2,3]}");
    fails(&d, "b", 0);
    assert_int_equal(jobs_at(&d, "wrong"), 1);
    assert_int_equal(jobs_at(&d, "b"), 0);
    driver_end(&d);
}

static void the_last_item_leaves_nothing_behind(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "until", "{'items':[1,2]}");
    done(&d, "b", 0, "1");
    done(&d, "b", 0, "7");
    assert_int_equal(d.instance->each_count, 0);
    done(&d, "after", 0, "1");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

static void the_rest_goes_on_when_a_failed_instance_is_retried(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "until", "{'items':[1,2,3]}");
    done(&d, "b", 0, "7");
    fails(&d, "after", 0);
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_RETRY, .as.node.node = STR("after") }),
                     ST_OK);
    done(&d, "b", 0, "2");
    done(&d, "after", 0, "1");
    done(&d, "b", 0, "3");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

/* The host leads nowhere any more: the join neither waits for it nor withdraws its items. */
static void a_join_does_not_touch_what_is_left(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "joined", "{'items':[1,2]}");
    done(&d, "b", 0, "1");
    assert_int_equal(jobs_at(&d, "after"), 1);
    assert_int_equal(jobs_at(&d, "c"), 0);
    assert_int_equal(jobs_at(&d, "b"), 1);
    done(&d, "after", 0, "1");
    done(&d, "b", 0, "2");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

static void what_is_left_can_be_cancelled(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "until", "{'items':[1,2,3]}");
    done(&d, "b", 0, "7");
    const struct modification cancel = { .kind = MODIFY_CANCEL, .at = STR("l") };
    assert_int_equal(
        driver_do(&d, (struct command){ .kind = COMMAND_MODIFY,
                                        .as.modify = { .modification = &cancel, .modification_count = 1 } }),
        ST_OK);
    assert_int_equal(jobs_at(&d, "b"), 0);
    done(&d, "after", 0, "1");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

/* ---- joins that block ---- */

static enum status answer(struct driver *d, const char *decision)
{
    return driver_do(d, (struct command){ .kind = COMMAND_COMPLETE_TASK,
                                          .as.node.node = STR("h"),
                                          .data = driver_json(d, decision) });
}

static size_t tokens_at(const struct driver *d, const char *node)
{
    size_t count = 0;
    for (size_t i = 0; i < d->instance->token_count; i++)
        count += str_equal(d->instance->token[i].node_name, str_of(node));
    return count;
}

static void the_next_round_waits_for_the_branches_of_the_first(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "block", "{}");
    done(&d, "a", 0, "1");
    assert_int_equal(answer(&d, "{'decision':'again'}"), ST_OK);
    done(&d, "a", 0, "1"); /* Of the second round. */
    assert_int_equal(tokens_at(&d, "j"), 1);
    assert_int_equal(tokens_at(&d, "h"), 0);
    done(&d, "b", 0, "1"); /* Of the first round: it is absorbed, and the join opens again. */
    assert_int_equal(tokens_at(&d, "j"), 0);
    assert_int_equal(tokens_at(&d, "h"), 1);
    done(&d, "b", 0, "1");
    assert_int_equal(answer(&d, "{'decision':'over'}"), ST_OK);
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

/* Both tokens of b are cancelled: nothing is left to come, and the second round opens at rest. */
static void a_branch_that_cannot_come_any_more_blocks_nothing(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "block", "{}");
    done(&d, "a", 0, "1");
    assert_int_equal(answer(&d, "{'decision':'again'}"), ST_OK);
    done(&d, "a", 0, "1");
    struct modification cancel[2];
    for (size_t i = 0; i < 2; i++)
        cancel[i] =
            (struct modification){ .kind = MODIFY_CANCEL, .execution = job_at(&d, "b", i)->execution };
    assert_int_equal(
        driver_do(&d, (struct command){ .kind = COMMAND_MODIFY,
                                        .as.modify = { .modification = cancel, .modification_count = 2 } }),
        ST_OK);
    assert_int_equal(tokens_at(&d, "j"), 0);
    assert_int_equal(tokens_at(&d, "h"), 1);
    driver_end(&d);
}

/* ---- items that come later ---- */

static enum status more(struct driver *d, const char *payload)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'payload':%s,'triggered_at':'2026-01-01T00:00:00Z'}", payload);
    buf_add_char(&text, '\0');
    return driver_do(d, (struct command){ .kind = COMMAND_ARRIVE,
                                          .as.arrive.arrival = STR("more"),
                                          .data = driver_json(d, text.p) });
}

static void items_are_added_before_and_while_the_loop_runs(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "more", "{}");
    assert_int_equal(more(&d, "'early'"), ST_OK);
    assert_int_equal(d.instance->mail_count, 1);
    assert_int_equal(answer(&d, "{}"), ST_OK);
    assert_int_equal(d.instance->mail_count, 0);
    assert_int_equal(jobs_at(&d, "b"), 2);
    assert_int_equal(more(&d, "{'x':1}"), ST_OK);
    assert_int_equal(jobs_at(&d, "b"), 2); /* Two at a time. */
    done(&d, "b", 0, "1");
    assert_int_equal(more(&d, "null"), ST_OK);
    assert_int_equal(more(&d, "5"), ST_LIMIT);
    for (int i = 0; i < 3; i++) done(&d, "b", 0, "1");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    assert_json(&d, member_of(&d, "results"), "['a','early',{'x':1},null]");
    driver_end(&d);
}

static void an_early_item_too_many_is_an_error(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "more", "{}");
    for (int i = 0; i < 4; i++) assert_int_equal(more(&d, "1"), ST_OK);
    assert_int_equal(answer(&d, "{}"), ST_OK);
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    const struct json *name = json_get(d.instance->error, STR("name"));
    assert_true(str_equal(json_string(name), STR("FOR_EACH_TOO_MANY_ITEMS")));
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flow_goes_on_behind_a_quorum_and_the_rest_is_done),
        cmocka_unit_test(an_item_that_fails_late_ends_alone),
        cmocka_unit_test(an_item_that_fails_before_the_quorum_fails_the_loop),
        cmocka_unit_test(the_last_item_leaves_nothing_behind),
        cmocka_unit_test(the_rest_goes_on_when_a_failed_instance_is_retried),
        cmocka_unit_test(a_join_does_not_touch_what_is_left),
        cmocka_unit_test(what_is_left_can_be_cancelled),
        cmocka_unit_test(the_next_round_waits_for_the_branches_of_the_first),
        cmocka_unit_test(items_are_added_before_and_while_the_loop_runs),
        cmocka_unit_test(an_early_item_too_many_is_an_error),
        cmocka_unit_test(a_branch_that_cannot_come_any_more_blocks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
