/* Flow graphs: tokens that are gathered by edge, regions per item, people's tasks, undoing. Told with
 * documents of the graph dialect. */
#include "documents.h"

#include "core/driver.h"

#define OK_RESULT(body) "{'status_code':200,'headers':{},'body':" body "}"

/* `name`: a member of documents/graph.json. */
static void begin(struct driver *d, const char *name)
{
    driver_begin_document(d, str_of(document("core/graph", name)));
}

static enum status start_with(struct driver *d, const char *payload, struct command_start more)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'payload':%s,'triggered_at':'2026-01-01T00:00:00Z'}", payload);
    buf_add_char(&text, '\0');
    more.instance = 7, more.definition = 3, more.arrival = STR("t");
    return driver_do(
        d, (struct command){ .kind = COMMAND_START, .as.start = more, .data = driver_json(d, text.p) });
}

static void begin_at(struct driver *d, const char *name, const char *payload)
{
    begin(d, name);
    if (start_with(d, payload, (struct command_start){ 0 }) != ST_OK) fail_msg("%s", d->rejection.message);
}

static const struct token *token_of(const struct driver *d, const char *node)
{
    for (size_t i = 0; i < d->instance->token_count; i++)
        if (str_equal(d->instance->token[i].node_name, str_of(node))) return &d->instance->token[i];
    fail_msg("no token at %s", node);
    return NULL;
}

/* The open job of the oldest token at the node. */
static const struct job *job_at(const struct driver *d, const char *node)
{
    for (size_t i = 0; i < d->instance->job_count; i++)
        if (str_equal(instance_find_token(d->instance, d->instance->job[i].execution)->node_name,
                      str_of(node)))
            return &d->instance->job[i];
    fail_msg("no open job at %s", node);
    return NULL;
}

static void done(struct driver *d, const char *node, const char *body)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, OK_RESULT("%s"), body);
    buf_add_char(&text, '\0');
    if (driver_complete(d, job_at(d, node)->number, text.p) != ST_OK) fail_msg("%s", d->rejection.message);
}

static void fails(struct driver *d, const char *node, const char *name, bool retryable)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'name':'%s','message':'broken'}", name);
    buf_add_char(&text, '\0');
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FAIL_JOB,
                                                    .as.job.number = job_at(d, node)->number,
                                                    .as.job.error = driver_json(d, text.p),
                                                    .as.job.text = STR("broken"),
                                                    .as.job.retryable = retryable }),
                     ST_OK);
}

static enum status answer(struct driver *d, const char *node, const char *actor, const char *data)
{
    return driver_do(d, (struct command){ .kind = COMMAND_COMPLETE_TASK,
                                          .as.node.node = str_of(node),
                                          .actor = str_of(actor),
                                          .data = driver_json(d, data) });
}

static enum status arrive(struct driver *d, const char *arrival, const char *data)
{
    return driver_do(d, (struct command){ .kind = COMMAND_ARRIVE,
                                          .as.arrive.arrival = str_of(arrival),
                                          .data = driver_json(d, data) });
}

static const struct json *output_of(struct driver *d, const char *node)
{
    return json_get(d->instance->data, arena_printf(&d->arena, "nodes.%s", node));
}

static void assert_error(struct driver *d, const char *name)
{
    str got = json_string(json_get(d->instance->error, STR("name")));
    assert_string_equal(arena_str(&d->arena, got).p, name);
}

/* How many visits to the node were entered. */
static size_t visits_to(const struct driver *d, const char *node)
{
    size_t count = 0;
    for (size_t h = 0; h < d->history_count; h++)
        for (size_t i = 0; i < d->history[h].entry_count; i++)
            count += d->history[h].entry[i].kind == ENTRY_KIND_ENTER &&
                     str_equal(d->history[h].entry[i].node, str_of(node));
    return count;
}

/* ---- joins ---- */

static void a_join_of_all_waits_for_every_edge(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "parallel", "{}");
    assert_at(&d, "ACTIVE a b");
    done(&d, "a", "1");
    assert_at(&d, "ACTIVE b j");
    done(&d, "b", "2");
    assert_at(&d, "COMPLETED");
    assert_rows(&d, "t COMPLETED, s COMPLETED, a COMPLETED, b COMPLETED, j COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_join_of_any_cancels_the_others(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "any", "{}");
    done(&d, "b", "1");
    assert_at(&d, "ACTIVE z");
    assert_int_equal(d.instance->job_count, 1);
    done(&d, "z", "1");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_join_of_any_absorbs_late_tokens(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "absorb", "{}");
    done(&d, "b", "1");
    assert_at(&d, "ACTIVE a c z");
    assert_int_equal(d.instance->owed_count, 2);
    done(&d, "a", "1");
    assert_at(&d, "ACTIVE c z");
    assert_int_equal(d.instance->owed_count, 1);
    done(&d, "z", "1");
    assert_at(&d, "ACTIVE c");
    done(&d, "c", "1"); /* The last token vanishes in the join, and nothing is left. */
    assert_at(&d, "COMPLETED");
    assert_int_equal(visits_to(&d, "z"), 1);
    driver_end(&d);

    begin_at(&d, "absorb", "{}");
    done(&d, "b", "1");
    fails(&d, "a", "X", false); /* It will not come: nothing is owed for it. */
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    driver_end(&d);
}

static void a_join_of_a_quorum_counts_edges(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "quorum", "{}");
    done(&d, "c", "1");
    assert_at(&d, "ACTIVE a b j");
    done(&d, "a", "1");
    assert_at(&d, "ACTIVE b z");
    done(&d, "b", "1");
    assert_at(&d, "ACTIVE z");
    assert_int_equal(d.instance->owed_count, 0);
    done(&d, "z", "1");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void an_inclusive_join_waits_for_what_was_taken(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "inclusive", "{'a':true,'b':true}");
    assert_at(&d, "ACTIVE a b");
    assert_json(&d, output_of(&d, "m"), "{'taken':['m-a','m-b']}");
    done(&d, "b", "1");
    assert_at(&d, "ACTIVE a j");
    done(&d, "a", "1");
    assert_at(&d, "ACTIVE z");
    assert_int_equal(visits_to(&d, "z"), 1);
    driver_end(&d);

    begin_at(&d, "inclusive", "{'a':false,'b':false}");
    assert_at(&d, "ACTIVE c");
    done(&d, "c", "1");
    assert_at(&d, "ACTIVE z");
    driver_end(&d);
}

static void a_join_that_cannot_open_is_a_deadlock(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "deadlock", "{'go':false}");
    assert_at(&d, "ACTIVE a");
    done(&d, "a", "1");
    assert_at(&d, "FAILED j");
    assert_error(&d, "JOIN_DEADLOCK");
    assert_failure(&d, "JOIN_DEADLOCK: nothing can arrive any more; join 'j' waits for b-j");
    driver_end(&d);
    begin_at(&d, "deadlock", "{'go':true}");
    done(&d, "a", "1");
    done(&d, "b", "1");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void joins_that_wait_for_each_other_open_in_order(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "tie", "{}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* However little a command may spend: it opens the join or fails the instance, and never leaves it parked. */
static void a_join_is_never_left_for_want_of_budget(void **state)
{
    (void)state;
    for (int64_t fuel = 1; fuel < 600; fuel++) {
        struct driver d;
        begin_at(&d, "inclusive", "{'a':true,'b':true}");
        done(&d, "b", "1");
        d.limits.command_fuel_max = fuel;
        done(&d, "a", "1");
        if (d.instance->status != INSTANCE_FAILED) assert_at(&d, "ACTIVE z");
        driver_end(&d);
    }
}

/* A join "m" that waits for "w", with so many other ways in by which nothing can come; "x" has nothing to do
 * with it. */
static void begin_wide(struct driver *d, int ways)
{
    struct arena arena;
    struct buf nodes, edges, text;
    arena_init(&arena, 0);
    buf_init(&nodes, &arena), buf_init(&edges, &arena), buf_init(&text, &arena);
    for (int i = 0; i < ways; i++) {
        buf_printf(&nodes, ",{\"id\":\"u%d\",\"type\":\"delay\",\"config\":{\"duration\":\"1s\"}}", i);
        buf_printf(&edges, ",{\"from\":\"u%d\",\"to\":\"m\"}", i);
    }
    for (const char *name = "awx"; *name; name++) {
        buf_printf(&nodes, ",{\"id\":\"%c\",\"type\":\"action_http\",\"config\":{\"url\":\"http://h\"}}",
                   *name);
        buf_printf(&edges, ",{\"from\":\"s\",\"to\":\"%c\"},{\"from\":\"%c\",\"to\":\"%s\"}", *name, *name,
                   *name == 'x' ? "end" : "m");
    }
    buf_printf(&text,
               "{\"dialect\":\"graph/1\",\"definitionId\":\"g\",\"name\":\"g\",\"nodes\":["
               "{\"id\":\"t\",\"type\":\"trigger_manual\"},{\"id\":\"s\",\"type\":\"parallel\"},"
               "{\"id\":\"m\",\"type\":\"match\"},{\"id\":\"end\",\"type\":\"end\"}%.*s],"
               "\"edges\":[{\"from\":\"t\",\"to\":\"s\"}%.*s]}",
               STR_ARG(buf_str(&nodes)), STR_ARG(buf_str(&edges)));
    driver_begin_document(d, buf_str(&text));
    arena_done(&arena);
    assert_int_equal(start_with(d, "{}", (struct command_start){ 0 }), ST_OK);
}

/* Each way in that a token might still come by is looked at, so a join with more of them costs more. */
static void looking_for_tokens_that_may_come_is_paid_for(void **state)
{
    (void)state;
    enum { FEW = 4, MANY = 200 };
    static const int ways[] = { FEW, MANY };
    int64_t fuel[COUNT(ways)];
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct driver d;
        begin_wide(&d, ways[i]);
        done(&d, "a", "1");
        done(&d, "x", "1");
        fuel[i] = d.outcome.fuel;
        assert_at(&d, "ACTIVE w m");
        driver_end(&d);
    }
    assert_true(fuel[1] - fuel[0] >= MANY - FEW);
}

/* ---- regions per item ---- */

static void items_run_one_after_the_other(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "each", "{'items':[5,6]}");
    assert_at(&d, "ACTIVE l b");
    assert_json(&d, json_get(instance_job_payload(d.instance, job_at(&d, "b")), STR("body")), "5");
    done(&d, "b", "'x'");
    assert_json(&d, json_get(instance_job_payload(d.instance, job_at(&d, "b")), STR("body")), "6");
    assert_null(output_of(&d, "b"));
    done(&d, "b", "'y'");
    assert_at(&d, "COMPLETED");
    assert_json(&d, output_of(&d, "l"),
                "{'count':2,'succeeded':2,'failed':0,'results':['x','y'],'errors':[]}");
    assert_int_equal(d.instance->scope_count + d.instance->each_count, 0);
    driver_end(&d);

    begin_at(&d, "each", "{'items':[]}");
    assert_at(&d, "COMPLETED");
    assert_json(&d, output_of(&d, "l"), "{'count':0,'succeeded':0,'failed':0,'results':[],'errors':[]}");
    driver_end(&d);

    begin_at(&d, "each", "{'items':{}}");
    assert_at(&d, "FAILED l");
    assert_error(&d, "FOR_EACH_NOT_ARRAY");
    driver_end(&d);
}

static void items_run_in_a_window_and_go_on_after_errors(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "each_window", "{'items':[1,2,3]}");
    assert_int_equal(d.instance->job_count, 2);
    fails(&d, "b", "BAD", false);
    assert_int_equal(d.instance->job_count, 2);
    assert_int_equal(d.instance->each[0].begun, 3);
    done(&d, "b", "2");
    done(&d, "b", "3");
    assert_at(&d, "COMPLETED");
    const struct json *output = output_of(&d, "l");
    assert_json(&d, json_get(output, STR("succeeded")), "2");
    assert_json(&d, json_get(output, STR("errors")),
                "[{'index':0,'nodeId':'b','errorCode':'BAD','message':'broken'}]");
    assert_json(&d, json_item(json_get(output, STR("results")), 0), "null");
    driver_end(&d);
}

static void an_item_that_fails_ends_the_others(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "each_fails", "{'items':[1,2,3]}");
    assert_int_equal(d.instance->job_count, 3);
    fails(&d, "b", "BAD", false);
    assert_at(&d, "ACTIVE h");
    assert_int_equal(d.instance->job_count, 1);
    assert_int_equal(d.instance->scope_count, 0);
    done(&d, "h", "1");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void items_of_a_failed_instance_begin_anew_with_a_retry(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "each", "{'items':[5,6]}");
    done(&d, "b", "'x'");
    fails(&d, "b", "BAD", false);
    assert_at(&d, "FAILED l");
    assert_int_equal(d.instance->each_count, 0);
    send(&d, COMMAND_RETRY, "l", NULL);
    done(&d, "b", "'x'");
    done(&d, "b", "'y'");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_result_can_end_the_items(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "each_until", "{'items':[1,2,3,4]}");
    assert_int_equal(d.instance->job_count, 3);
    done(&d, "b", "6");
    assert_int_equal(d.instance->job_count, 3);
    done(&d, "b", "7");
    assert_at(&d, "COMPLETED");
    assert_json(&d, json_get(output_of(&d, "l"), STR("results")), "[6,7,null,null]");
    driver_end(&d);
}

/* As the engine does: fires what is due at once. */
static size_t fire_all(struct driver *d)
{
    size_t count = 0;
    while (!instance_status_ended(d->instance->status) && d->instance->timer_count &&
           d->instance->timer[0].due_ms <= d->now_ms) {
        uint32_t number = d->instance->timer[0].number;
        assert_int_equal(
            driver_do(d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = number }), ST_OK);
        count++;
    }
    return count;
}

static void many_items_do_not_use_up_a_command(void **state)
{
    (void)state;
    struct driver d;
    struct buf items;
    enum { ITEMS = 6000 };
    begin(&d, "each_quick");
    buf_init(&items, &d.arena);
    buf_add_str(&items, STR("{'items':["));
    for (int i = 0; i < ITEMS; i++) buf_printf(&items, "%s%d", i ? "," : "", i);
    buf_add_str(&items, STR("]}"));
    buf_add_char(&items, '\0');
    assert_int_equal(start_with(&d, items.p, (struct command_start){ 0 }), ST_OK);
    assert_at(&d, "ACTIVE l");
    assert_int_equal(d.instance->timer[0].index, TIMER_YIELD);
    assert_true(fire_all(&d) >= 1);
    assert_at(&d, "COMPLETED");
    assert_json(&d, json_get(output_of(&d, "l"), STR("succeeded")), "6000");
    assert_json(&d, json_get(json_get(d.instance->data, STR("vars")), STR("last")), "5999");
    driver_end(&d);
}

/* ---- errors ---- */

static void a_program_handles_what_nothing_else_does(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "handler", "{}");
    fails(&d, "a", "BAD", false);
    assert_at(&d, "ACTIVE b h");
    assert_true(d.instance->has_handled_error);
    done(&d, "b", "1");
    done(&d, "h", "1");
    assert_at(&d, "COMPLETED");
    driver_end(&d);

    begin_at(&d, "handler", "{}");
    fails(&d, "a", "BAD", false);
    fails(&d, "h", "WORSE", false); /* Final. */
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_error(&d, "WORSE");
    driver_end(&d);
}

static void an_error_port_puts_the_error(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "port", "{}");
    fails(&d, "a", "BAD", false);
    assert_at(&d, "ACTIVE h");
    assert_json(&d, json_get(output_of(&d, "a"), STR("error")),
                "{'code':'BAD','message':'broken','nodeId':'a'}");
    driver_end(&d);

    begin_at(&d, "port", "{}");
    assert_int_equal(driver_complete(&d, job_at(&d, "a")->number, "{'status_code':200}"), ST_OK);
    assert_at(&d, "ACTIVE h");
    assert_json(&d, json_get(json_get(output_of(&d, "a"), STR("error")), STR("code")),
                "'OUTPUT_CONTRACT_VIOLATION'");
    driver_end(&d);
}

static void retries_are_used_up(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "retry", "{}");
    fails(&d, "a", "BAD", true);
    assert_int_equal(job_at(&d, "a")->available_ms - d.now_ms, 2000);
    fails(&d, "a", "BAD", true);
    assert_int_equal(job_at(&d, "a")->available_ms - d.now_ms, 4000);
    fails(&d, "a", "BAD", true);
    assert_at(&d, "FAILED a");
    assert_failure(&d, "BAD: Max retries exceeded: broken");
    driver_end(&d);
}

static void an_end_can_fail_the_instance(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "end_fails", "{'n':3}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_failure(&d, "NOPE: no 3");
    driver_end(&d);
}

static void a_loop_has_a_limit(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "loop", "{}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_error(&d, "LOOP_LIMIT");
    assert_int_equal(visits_to(&d, "v"), 6);
    driver_end(&d);
}

/* ---- undoing ---- */

static void completed_visits_are_undone_the_latest_first(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "undo", "{}");
    done(&d, "a", "'one'");
    done(&d, "b", "'two'");
    assert_int_equal(d.instance->undo_item_count, 2);
    fails(&d, "z", "BAD','code':'ANSWER_LATE", false);
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    assert_non_null(d.instance->undo.error);
    assert_null(json_get(d.instance->undo.error, STR("code")));
    assert_int_equal(d.instance->job_count, 1);
    fails(&d, "c", "WORSE", false); /* It is recorded, and the next one begins. */
    assert_json(&d, json_get(instance_job_payload(d.instance, job_at(&d, "a~comp")), STR("url")),
                "'http://x/one'");
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    done(&d, "a~comp", "1");
    assert_at(&d, "FAILED z");
    assert_error(&d, "BAD");
    assert_code(&d, "ANSWER_LATE"); /* The code of the error that was undone, not of what undoing met. */
    assert_int_equal(d.instance->undo_item[0].state, UNDO_DONE);
    assert_int_equal(d.instance->undo_item[1].state, UNDO_FAILED);
    assert_int_equal(driver_named(&d, COMMAND_RETRY, "z", NULL), ST_CONFLICT);
    driver_end(&d);
}

static void visits_in_regions_are_undone_in_their_surroundings(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "undo_items", "{}");
    for (int i = 0; i < 3; i++) done(&d, "a", "1");
    fails(&d, "z", "BAD", false);
    static const char *const urls[] = { "'http://x/3'", "'http://x/2'", "'http://x/1'" };
    for (int i = 0; i < 3; i++) {
        assert_json(&d, json_get(instance_job_payload(d.instance, job_at(&d, "a~comp")), STR("url")),
                    urls[i]);
        done(&d, "a~comp", "1");
    }
    assert_at(&d, "FAILED z");
    driver_end(&d);

    begin_at(&d, "undo_items", "{}");
    done(&d, "a", "1");
    done(&d, "a", "1");
    fails(&d, "a", "BAD", false); /* The host of the items is the token that fails. */
    assert_int_equal(d.instance->each_count, 0);
    done(&d, "a~comp", "1");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    assert_int_equal(d.instance->status, INSTANCE_CANCELLED);
    driver_end(&d);
}

/* What undoes a visit need not wait, and there may be more visits than one command can undo. */
static void undoing_goes_on_in_the_next_command(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "undo_long");
    d.limits.visits_max = 16;
    assert_int_equal(start_with(&d, "{}", (struct command_start){ 0 }), ST_OK);
    fire_all(&d);
    assert_int_equal(d.instance->undo_item_count, 12);
    fails(&d, "z", "BAD", false);
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    assert_true(fire_all(&d) >= 2);
    assert_at(&d, "FAILED z");
    assert_error(&d, "BAD");
    for (size_t i = 0; i < 12; i++) assert_int_equal(d.instance->undo_item[i].state, UNDO_DONE);
    assert_int_equal(visits_to(&d, "u"), 12);
    driver_end(&d);
}

static void undoing_all_at_once_goes_on_in_the_next_command(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "undo_long_at_once");
    d.limits.visits_max = 16;
    assert_int_equal(start_with(&d, "{}", (struct command_start){ 0 }), ST_OK);
    fire_all(&d);
    fails(&d, "z", "BAD", false);
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    assert_true(fire_all(&d) >= 1);
    assert_int_equal(d.instance->job_count, 20);
    for (int i = 0; i < 20; i++) done(&d, "v~comp", "1");
    assert_at(&d, "FAILED z");
    assert_error(&d, "BAD");
    driver_end(&d);
}

/* ---- people ---- */

static void a_person_answers_a_task(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "person", "{'n':3}");
    assert_at(&d, "WAITING h");
    assert_json(&d, json_get(token_of(&d, "h")->task, STR("title")), "'Approve 3'");
    assert_int_equal(answer(&d, "h", "bob", "{'decision':'yes'}"), ST_FORBIDDEN);
    assert_int_equal(answer(&d, "h", "ann", "{'decision':'maybe'}"), ST_UNPROCESSABLE);
    assert_int_equal(answer(&d, "h", "ann", "{'decision':'yes','note':3}"), ST_UNPROCESSABLE);
    const struct command assign = { .kind = COMMAND_ASSIGN_TASK,
                                    .as.task.execution = token_of(&d, "h")->execution,
                                    .as.task.comment = STR("on leave"),
                                    .data = driver_json(&d, "{'assignee':'bob','priority':3,'title':null}") };
    assert_int_equal(driver_do(&d, assign), ST_OK);
    assert_entries(&d, "task");
    assert_null(json_get(token_of(&d, "h")->task, STR("title")));
    assert_int_equal(answer(&d, "h", "ann", "{'decision':'yes'}"), ST_FORBIDDEN);
    assert_int_equal(answer(&d, "h", "bob", "{'decision':'yes','note':'fine'}"), ST_OK);
    assert_at(&d, "ACTIVE a");
    assert_json(&d, json_get(instance_job_payload(d.instance, job_at(&d, "a")), STR("body")), "'yes'");
    assert_json(&d, json_get(output_of(&d, "h"), STR("completed_by")), "'bob'");
    assert_json(&d, json_get(output_of(&d, "h"), STR("payload")), "{'decision':'yes','note':'fine'}");
    assert_null(json_get(d.instance->data, STR("note")));
    assert_int_equal(driver_do(&d, assign), ST_NOT_FOUND);
    driver_end(&d);

    begin_at(&d, "person", "{'n':3}");
    fire(&d, "h", 0);
    assert_at(&d, "ACTIVE b");
    driver_end(&d);
}

/* ---- arrivals, tests, holding, deadlines ---- */

static void an_arrival_wakes_a_token_or_lets_one_in(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "wait", "{}");
    assert_at(&d, "WAITING w");
    assert_int_equal(arrive(&d, "t2", "{'payload':{'k':1},'triggered_at':'x'}"), ST_OK);
    assert_at(&d, "ACTIVE a");
    assert_json(&d, json_get(output_of(&d, "w"), STR("payload")), "{'k':1}");
    assert_int_equal(arrive(&d, "t2", "{'payload':{'k':2},'triggered_at':'x'}"), ST_OK);
    assert_at(&d, "ACTIVE a n");
    assert_json(&d, json_get(json_get(d.instance->data, STR("triggers.t2")), STR("payload")), "{'k':2}");
    assert_int_equal(arrive(&d, "unknown", "{'payload':1}"), ST_OK);
    assert_entries(&d, "scope_data arrive");
    done(&d, "a", "1");
    done(&d, "n", "1");
    assert_at(&d, "COMPLETED");
    assert_int_equal(arrive(&d, "t2", "{}"), ST_CONFLICT);
    driver_end(&d);
}

static void a_held_instance_begins_when_it_may(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "wait");
    assert_int_equal(start_with(&d, "{}", (struct command_start){ .is_held = true }), ST_OK);
    assert_at(&d, "ACTIVE t");
    assert_int_equal(arrive(&d, "t2", "{'payload':1}"), ST_OK);
    assert_at(&d, "ACTIVE t t2");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_PROCEED }), ST_OK);
    assert_at(&d, "WAITING w n");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_PROCEED }), ST_OK);
    assert_true(d.outcome.unchanged);
    driver_end(&d);
}

static void a_test_does_nothing_outside(void **state)
{
    static const char *const names[] = { "parallel", "person", "wait", "delay", "undo", "each" };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct driver d;
        begin(&d, names[i]);
        assert_int_equal(
            start_with(&d, "{'n':1,'d':'1h','items':[1,2]}", (struct command_start){ .is_test = true }),
            ST_OK);
        assert_at(&d, "COMPLETED");
        assert_true(d.instance->is_test);
        driver_end(&d);
    }
}

static void a_delay_is_computed(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "delay", "{'d':'90s'}");
    assert_at(&d, "ACTIVE d");
    assert_int_equal(d.instance->timer[0].due_ms - d.now_ms, 90000);
    fire(&d, "d", 0);
    assert_at(&d, "ACTIVE a");
    assert_json(&d, output_of(&d, "d"),
                "{'scheduled_for':'1970-01-01T00:18:10Z','resumed_at':'1970-01-01T00:18:10Z'}");
    driver_end(&d);
    begin_at(&d, "delay", "{'d':0}");
    assert_at(&d, "ACTIVE a");
    driver_end(&d);
    begin_at(&d, "delay", "{'d':'soon'}");
    assert_at(&d, "FAILED d");
    driver_end(&d);
}

static void an_instance_has_a_deadline(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "deadline", "{}");
    assert_int_equal(d.instance->timer_count, 1);
    assert_int_equal(d.instance->timer[0].number, 0);
    assert_int_equal(d.instance->deadline_ms, d.now_ms + 3600000);
    d.now_ms = d.instance->deadline_ms;
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER }), ST_OK);
    assert_at(&d, "CANCELLED a");
    assert_error(&d, "EXECUTION_TIMEOUT");
    assert_int_equal(d.instance->timer_count + d.instance->job_count, 0);
    driver_end(&d);

    begin_at(&d, "deadline", "{}");
    done(&d, "a", "1");
    assert_at(&d, "COMPLETED");
    assert_int_equal(d.instance->timer_count, 0);
    driver_end(&d);
}

static void a_cancel_may_fail_or_replace(void **state)
{
    (void)state;
    struct driver d;
    begin_at(&d, "parallel", "{}");
    const struct json *error = driver_json(&d, "{'name':'ENGINE_RESTART','message':'gone'}");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL,
                                                     .as.cancel = { .reason = STR("ENGINE_RESTART: gone"),
                                                                    .fails = true,
                                                                    .error = error } }),
                     ST_OK);
    assert_at(&d, "FAILED a b");
    assert_error(&d, "ENGINE_RESTART");
    send(&d, COMMAND_RETRY, "a", NULL);
    assert_at(&d, "ACTIVE b a");
    assert_int_equal(
        driver_do(&d, (struct command){ .kind = COMMAND_CANCEL,
                                        .as.cancel = { .reason = STR("replaced"), .replaced_by = 12 } }),
        ST_OK);
    assert_int_equal(d.instance->replaced_by, 12);
    assert_int_equal(d.instance->status, INSTANCE_CANCELLED);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_of_all_waits_for_every_edge),
        cmocka_unit_test(a_join_of_any_cancels_the_others),
        cmocka_unit_test(a_join_of_any_absorbs_late_tokens),
        cmocka_unit_test(a_join_of_a_quorum_counts_edges),
        cmocka_unit_test(an_inclusive_join_waits_for_what_was_taken),
        cmocka_unit_test(a_join_that_cannot_open_is_a_deadlock),
        cmocka_unit_test(joins_that_wait_for_each_other_open_in_order),
        cmocka_unit_test(a_join_is_never_left_for_want_of_budget),
        cmocka_unit_test(looking_for_tokens_that_may_come_is_paid_for),
        cmocka_unit_test(items_run_one_after_the_other),
        cmocka_unit_test(items_run_in_a_window_and_go_on_after_errors),
        cmocka_unit_test(an_item_that_fails_ends_the_others),
        cmocka_unit_test(items_of_a_failed_instance_begin_anew_with_a_retry),
        cmocka_unit_test(a_result_can_end_the_items),
        cmocka_unit_test(many_items_do_not_use_up_a_command),
        cmocka_unit_test(a_program_handles_what_nothing_else_does),
        cmocka_unit_test(an_error_port_puts_the_error),
        cmocka_unit_test(retries_are_used_up),
        cmocka_unit_test(an_end_can_fail_the_instance),
        cmocka_unit_test(a_loop_has_a_limit),
        cmocka_unit_test(completed_visits_are_undone_the_latest_first),
        cmocka_unit_test(visits_in_regions_are_undone_in_their_surroundings),
        cmocka_unit_test(undoing_goes_on_in_the_next_command),
        cmocka_unit_test(undoing_all_at_once_goes_on_in_the_next_command),
        cmocka_unit_test(a_person_answers_a_task),
        cmocka_unit_test(an_arrival_wakes_a_token_or_lets_one_in),
        cmocka_unit_test(a_held_instance_begins_when_it_may),
        cmocka_unit_test(a_test_does_nothing_outside),
        cmocka_unit_test(a_delay_is_computed),
        cmocka_unit_test(an_instance_has_a_deadline),
        cmocka_unit_test(a_cancel_may_fail_or_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
