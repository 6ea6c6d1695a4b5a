/* Answers become bytes and answers again. A call that answers with everything it can is encoded, decoded into
 * an empty call of its kind, and encoded again: no byte may differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/call/answer_codec.h"

#include <cmocka.h>

#undef fail /* The one of base/status.h. */

static struct arena arena;

static const struct json *parse(const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, &arena, &value, &err), ST_OK);
    return value;
}

static struct call *new_call(enum call_kind kind) { return call_new(kind, &arena, NULL, NULL); }

/* ---- answers with everything in them ---- */

static const struct job_view a_job = { .instance = 7,
                                       .instance_created_ms = 1000,
                                       .number = 3,
                                       .delivery = 255,
                                       .execution = 2,
                                       .execution_ms = 1001,
                                       .type = STR_INIT("charge"),
                                       .node = STR_INIT("pay"),
                                       .title = STR_INIT("Pay"),
                                       .performer = PERFORMER_COUNT - 1,
                                       .timeout_ms = 5,
                                       .state = JOB_DELAYED,
                                       .worker = STR_INIT("w"),
                                       .locked_ms = 6,
                                       .lock_expires_ms = 7,
                                       .available_ms = 8,
                                       .retries_left = UINT32_MAX,
                                       .attempt = 2,
                                       .created_ms = 9 };

static void fill_instance(struct call *call)
{
    static const str current[] = { STR_INIT("pay"), STR_INIT("ship") };
    static const str title[] = { STR_INIT("Pay"), STR_INIT("") };
    struct mail_view *mail = arena_make_n(&arena, struct mail_view, 2);
    mail[0] =
        (struct mail_view){ .id = STR("1"), .source = STR("shop"), .type = STR("placed"), .received_ms = 3 };
    mail[1] = (struct mail_view){ .node = STR("ship"), .data = parse("{\"n\":[1]}"), .received_ms = 4 };
    call->value.instances.view = arena_make(&arena, struct instance_view);
    call->value.instances.count = 1;
    *call->value.instances.view =
        (struct instance_view){ .id = 7,
                                .created_ms = 1767225600000,
                                .ended_ms = 1767225600001,
                                .status = INSTANCE_FAILED,
                                .lingers = true,
                                .definition_id = STR("order"),
                                .definition_version = 3,
                                .dialect = dialect_named(STR("serverless")),
                                .business_key = STR("k \xc3\xa9"),
                                .failure = STR("no"),
                                .error = parse("{\"name\":\"e\"}"),
                                .current = current,
                                .current_title = title,
                                .current_count = 2,
                                .data = parse("{\"a\":{\"b\":[1,2.50,\"x\",null]}}"),
                                .revision = 12,
                                .correlation = STR("\"c\""),
                                .mail = mail,
                                .mail_count = 2,
                                .parent = 5,
                                .chained_from = 6 };
}

static void fill_signal(struct call *call)
{
    fill_instance(call);
    call->value.instances.kept = true;
}

static void fill_tokens(struct call *call)
{
    static const int64_t due_ms[] = { 10, 20 };
    struct token_view *token = arena_make_n(&arena, struct token_view, 2);
    struct job_view *job = arena_make(&arena, struct job_view);
    *job = a_job;
    job->config = parse("{\"url\":\"http://a\"}");
    token[0] = (struct token_view){ .execution = 2,
                                    .node = STR("pay"),
                                    .title = STR("Pay"),
                                    .type = STR("SERVICE_TASK"),
                                    .state = TOKEN_STATE_COUNT - 1,
                                    .since_ms = 99,
                                    .why = STR("it waits"),
                                    .job = job,
                                    .timer_due_ms = due_ms,
                                    .timer_count = 2 };
    token[1] = (struct token_view){ .execution = 4, .node = STR("ship") };
    fill_instance(call);
    call->value.instances.token_before = token;
    call->value.instances.token_before_count = 2;
    call->value.instances.token = token + 1;
    call->value.instances.token_count = 1;
}

static void fill_definition(struct call *call)
{
    call->value.definitions.row = arena_make(&arena, struct definition_row);
    call->value.definitions.count = 1;
    *call->value.definitions.row = (struct definition_row){
        .id = STR("order"), .version = 2, .title = STR("Order"), .dialect = STR("steps"), .created_ms = 5
    };
    call->value.definitions.is_new = true;
    problems_init(&call->value.definitions.problems, &arena);
    problem_warning(&call->value.definitions.problems, PROBLEM_UNUSUAL, STR("/steps/0"), "write it so",
                    "it is odd");
    problem_warning(&call->value.definitions.problems, PROBLEM_SYNTAX, STR(""), NULL, "it is \"odd\"");
    call->value.definitions.problems.problem[0].line = 3;
    call->value.definitions.problems.problem[0].column = 4;
    call->value.definitions.problems.warning_count = 300; /* Some were only counted. */
}

static void fill_request_items(struct call *call)
{
    call->as.batch.item = arena_make_n(&arena, struct call, 3);
    call->as.batch.item_count = 3;
}

static void fill_items(struct call *call)
{
    fill_request_items(call);
    call->as.batch.item[1].status = fail(&call->as.batch.item[1].error, ST_BUSY, "", "come back");
    call->as.batch.item[2].status =
        fail(&call->as.batch.item[2].error, ST_NOT_FOUND, "job", "no 100%% such job");
}

static void fill_request_events(struct call *call)
{
    call->as.events.event = arena_make_n(&arena, struct call_event, 3);
    call->as.events.event_count = 3;
    for (size_t i = 0; i < 3; i++)
        call->as.events.event[i].event = parse("{\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",\"data\":7}");
}

static void fill_events(struct call *call)
{
    fill_request_events(call);
    call->as.events.event[0].outcome = EVENT_DUPLICATE;
    call->as.events.event[0].first = EVENT_DELIVERED;
    call->as.events.event[0].instance = arena_make_n(&arena, struct event_instance, 2);
    call->as.events.event[0].instance[0] =
        (struct event_instance){ .id = 1, .created_ms = 2, .started = true };
    call->as.events.event[0].instance[1] = (struct event_instance){ .id = 3, .created_ms = 4 };
    call->as.events.event[0].instance_count = 2;
    call->as.events.event[0].instance_total = 500;
    call->as.events.event[1].outcome = call->as.events.event[1].first = EVENT_UNMATCHED;
    call->as.events.event[1].reason = STR("nobody");
    call->as.events.event[2].outcome = call->as.events.event[2].first = EVENT_REFUSED;
    fail(&call->as.events.event[2].error, ST_LIMIT, "mailbox", "it is full");
}

static void fill_bulk(struct call *call)
{
    call->value.bulks.view = arena_make(&arena, struct bulk_view);
    call->value.bulks.count = 1;
    *call->value.bulks.view = (struct bulk_view){ .row = { .number = 4,
                                                           .ns = 1,
                                                           .action = BULK_RESEND,
                                                           .state = BULK_STATE_CANCELLED,
                                                           .created_ms = 1,
                                                           .ended_ms = 2,
                                                           .found = 30,
                                                           .done = 6,
                                                           .succeeded = 1,
                                                           .skipped = 2,
                                                           .refused = 3 },
                                                  .request = parse("{\"action\":\"resend\",\"all\":true}") };
}

static void fill_draft(struct call *call)
{
    call->value.drafts.view = arena_make(&arena, struct draft_view);
    call->value.drafts.count = 1;
    *call->value.drafts.view =
        (struct draft_view){ .id = STR("order"), .revision = 3, .updated_ms = 9, .author = STR("ann") };
}

static void fill_task(struct call *call)
{
    call->value.tasks.view = arena_make(&arena, struct task_view);
    call->value.tasks.count = 1;
    *call->value.tasks.view =
        (struct task_view){ .row = { .instance = 7,
                                     .execution = 2,
                                     .created_ms = 5,
                                     .node = STR("approve"),
                                     .title = STR("Approve"),
                                     .label = STR("form"),
                                     .definition_id = STR("order"),
                                     .definition_version = 3,
                                     .instance_created_ms = 4,
                                     .business_key = STR("k") },
                            .details = parse("{\"assignee\":\"ada\",\"groups\":[\"a\"]}") };
}

static void fill_request_entities(struct call *call)
{
    call->as.entities.item = arena_make_n(&arena, struct entity_item, 2);
    memset(call->as.entities.item, 0, 2 * sizeof call->as.entities.item[0]);
    call->as.entities.count = 2;
}

static void fill_entities(struct call *call)
{
    fill_request_entities(call);
    call->as.entities.transaction = STR("t");
    for (size_t i = 0; i < 2; i++) {
        call->as.entities.item[i].id = uuid_of_instance(1000, i + 7);
        call->as.entities.item[i].model = STR("order");
        call->as.entities.item[i].version = 2;
    }
    struct entity_item *stale = &call->as.entities.item[1];
    stale->status = fail_code(&stale->error, ST_STALE, "ENTITY_MODIFIED", "it was changed");
    fail_detail(&stale->error, "entityId", STR("\"e\""));
    static str warnings[] = { STR_INIT("slow"), STR_INIT("old") };
    call->as.entities.warning = warnings;
    call->as.entities.warning_count = COUNT(warnings);
}

static void fill_search(struct call *call)
{
    call->value.search_job = (struct answer_search_job){
        .id = STR("s"), .state = SEARCH_CANCELLED, .created_ms = 5, .ended_ms = 6
    };
}

static void fill_removal(struct call *call)
{
    static struct removal_error errors[] = { { STR_INIT("a"), STR_INIT("no") },
                                             { STR_INIT("b"), STR_INIT("") } };
    call->value.removal =
        (struct answer_removal){ .found = 5, .removed = 3, .error = errors, .error_count = COUNT(errors) };
}

static void fill_nothing(struct call *call) { (void)call; }

static const struct {
    enum call_kind kind;
    void (*fill)(struct call *call);
    void (*fill_request)(struct call *call); /* What a replay brings along. */
} cases[] = {
    { CALL_DEPLOY, fill_definition, fill_nothing },
    { CALL_START, fill_instance, fill_nothing },
    { CALL_COMPLETE_JOB, fill_nothing, fill_nothing },
    { CALL_FAIL_JOB, fill_nothing, fill_nothing },
    { CALL_BATCH, fill_items, fill_request_items },
    { CALL_COMPLETE_TASK, fill_instance, fill_nothing },
    { CALL_SIGNAL, fill_signal, fill_nothing },
    { CALL_CANCEL, fill_instance, fill_nothing },
    { CALL_RETRY, fill_instance, fill_nothing },
    { CALL_MODIFY, fill_tokens, fill_nothing },
    { CALL_EVENTS, fill_events, fill_request_events },
    { CALL_BULK, fill_bulk, fill_nothing },
    { CALL_CANCEL_BULK, fill_bulk, fill_nothing },
    { CALL_PAUSE_BULK, fill_bulk, fill_nothing },
    { CALL_RESUME_BULK, fill_bulk, fill_nothing },
    { CALL_SAVE_DRAFT, fill_draft, fill_nothing },
    { CALL_REMOVE_DRAFT, fill_nothing, fill_nothing },
    { CALL_REMOVE_ENTITIES, fill_removal, fill_nothing },
    { CALL_REPLAY, fill_instance, fill_nothing },
    { CALL_RESTORE, fill_definition, fill_nothing },
    { CALL_RETIRE, fill_definition, fill_nothing },
    { CALL_DELETE_DEFINITION, fill_definition, fill_nothing },
    { CALL_CLAIM_TASK, fill_task, fill_nothing },
    { CALL_UNCLAIM_TASK, fill_task, fill_nothing },
    { CALL_ASSIGN_TASK, fill_task, fill_nothing },
    { CALL_COMMENT_TASK, fill_task, fill_nothing },
    { CALL_CHANGE_MODEL, fill_nothing, fill_nothing },
    { CALL_BEGIN_SEARCH, fill_search, fill_nothing },
    { CALL_CANCEL_SEARCH, fill_search, fill_nothing },
    { CALL_WRITE_ENTITIES, fill_entities, fill_request_entities },
};

static str encoded_case(size_t i)
{
    struct call *call = new_call(cases[i].kind);
    cases[i].fill(call);
    return answer_encode(call, &arena);
}

static struct call *decoded_case(size_t i, str bytes)
{
    struct call *call = new_call(cases[i].kind);
    struct error err;
    cases[i].fill_request(call);
    assert_int_equal(answer_decode(bytes, call, &err), ST_OK);
    return call;
}

/* ---- tests ---- */

static void every_command_that_takes_a_key_has_a_form(void **state)
{
    size_t count = 0;
    (void)state;
    for (enum call_kind kind = 0; kind < CALL_KIND_COUNT; kind++) count += call_takes_key(new_call(kind));
    assert_int_equal(count, COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        str first = encoded_case(i);
        str second = answer_encode(decoded_case(i, first), &arena);
        assert_true(str_equal(first, second));
    }
}

static void what_is_shown_comes_back(void **state)
{
    struct buf first, second;
    (void)state;
    for (enum instance_style style = INSTANCE_WHOLE; style <= INSTANCE_STOPPED; style++) {
        struct call *call = new_call(CALL_START);
        struct error err;
        fill_instance(call);
        buf_init(&first, &arena);
        buf_init(&second, &arena);
        call->value.instances.view->dialect->put_instance(&first, call->value.instances.view, style, 0);
        struct call *again = new_call(CALL_START);
        assert_int_equal(answer_decode(answer_encode(call, &arena), again, &err), ST_OK);
        again->value.instances.view->dialect->put_instance(&second, again->value.instances.view, style, 0);
        assert_true(str_equal(buf_str(&first), buf_str(&second)));
    }
}

static void the_request_of_a_replay_stays(void **state)
{
    (void)state;
    struct call *events = NULL, *batch = NULL, *entities = NULL;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].kind == CALL_EVENTS) events = decoded_case(i, encoded_case(i));
        if (cases[i].kind == CALL_BATCH) batch = decoded_case(i, encoded_case(i));
        if (cases[i].kind == CALL_WRITE_ENTITIES) entities = decoded_case(i, encoded_case(i));
    }
    assert_non_null(json_get(events->as.events.event[0].event, STR("data")));
    assert_int_equal(events->as.events.event[0].instance[0].id, 1);
    assert_string_equal(events->as.events.event[2].error.message, "it is full");
    assert_int_equal(batch->as.batch.item[0].status, ST_OK);
    assert_int_equal(batch->as.batch.item[1].status, ST_BUSY); /* Not ST_OVERLOAD, which has the same word. */
    assert_string_equal(batch->as.batch.item[2].error.message, "no 100% such job");
    assert_string_equal(entities->as.entities.item[1].error.code, "ENTITY_MODIFIED");
    assert_string_equal(fail_details_of(&entities->as.entities.item[1].error), ",\"entityId\":\"e\"");
    assert_int_equal(entities->as.entities.warning_count, 2);
}

static void a_resent_event_is_known_by_its_attributes(void **state)
{
    struct error err;
    (void)state;
    struct call *call = new_call(CALL_EVENTS), *again = new_call(CALL_EVENTS);
    fill_events(call);
    call->as.events.event_count = 1;
    again->as.events.resend = 5;
    assert_int_equal(answer_decode(answer_encode(call, &arena), again, &err), ST_OK);
    assert_int_equal(again->as.events.event_count, 1);
    assert_true(
        json_equal(again->as.events.event->event, parse("{\"id\":\"1\",\"source\":\"s\",\"type\":\"t\"}")));
}

static void data_may_be_as_deep_as_any_value(void **state)
{
    struct error err;
    (void)state;
    struct call *call = new_call(CALL_START), *again = new_call(CALL_START);
    struct buf text;
    buf_init(&text, &arena);
    for (int i = 0; i < JSON_DEPTH_MAX; i++) buf_add_str(&text, STR("{\"a\":"));
    buf_add_str(&text, STR("1"));
    for (int i = 0; i < JSON_DEPTH_MAX; i++) buf_add_str(&text, STR("}"));
    buf_add(&text, "", 1);
    fill_instance(call);
    call->value.instances.view->data = parse(text.p);
    assert_int_equal(answer_decode(answer_encode(call, &arena), again, &err), ST_OK);
    assert_true(json_equal(call->value.instances.view->data, again->value.instances.view->data));
}

static void data_that_no_answer_can_hold_is_not_stored(void **state)
{
    struct error err;
    (void)state;
    struct call *call = new_call(CALL_CANCEL), *again = new_call(CALL_CANCEL);
    char *long_text = arena_alloc(&arena, 100000);
    memset(long_text, 'x', 100000);
    fill_instance(call);
    call->value.instances.view->data = json_of_string(&arena, (str){ long_text, 100000 });
    call->answer_max = 1000;
    str bytes = answer_encode(call, &arena);
    assert_true(bytes.n < 2000);
    assert_int_equal(answer_decode(bytes, again, &err), ST_OK);
    assert_true(again->value.instances.view->data_omitted);
    assert_null(again->value.instances.view->data);
    assert_false(call->value.instances.view->data_omitted);
}

/* Commands that are answered without the instance's data do not store it either. */
static void a_brief_answer_has_no_data(void **state)
{
    struct error err;
    (void)state;
    struct call *call = new_call(CALL_SIGNAL), *again = new_call(CALL_SIGNAL);
    fill_signal(call);
    assert_int_equal(answer_decode(answer_encode(call, &arena), again, &err), ST_OK);
    assert_true(again->value.instances.kept && again->value.instances.view->data_omitted);
    assert_int_equal(again->value.instances.view->revision, 12);
}

static void damaged_bytes_are_refused(void **state)
{
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str good = encoded_case(i);
        for (size_t n = 0; n < good.n; n++) { /* Where one value ends and none is asked for it is whole. */
            struct call *call = new_call(cases[i].kind);
            cases[i].fill_request(call);
            enum status status = answer_decode(arena_str(&arena, str_slice(good, 0, n)), call, &err);
            assert_true(status == ST_INTERNAL);
        }
        for (size_t n = 0; n < good.n; n++) { /* It may still be an answer; reading it must be safe. */
            char *bytes = arena_alloc(&arena, good.n);
            struct call *call = new_call(cases[i].kind);
            cases[i].fill_request(call);
            memcpy(bytes, good.p, good.n);
            bytes[n] = (char)(bytes[n] ^ (1 << n % 8));
            answer_decode((str){ bytes, good.n }, call, &err);
        }
    }
}

static void another_kind_or_another_count_is_refused(void **state)
{
    struct error err;
    (void)state;
    struct call *start = new_call(CALL_START), *batch = new_call(CALL_BATCH);
    fill_instance(start);
    fill_items(batch);
    str started = answer_encode(start, &arena), done = answer_encode(batch, &arena);
    assert_int_equal(answer_decode(started, new_call(CALL_CANCEL), &err), ST_INTERNAL);
    assert_int_equal(answer_decode(done, new_call(CALL_BATCH), &err), ST_INTERNAL);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_command_that_takes_a_key_has_a_form, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_shown_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(the_request_of_a_replay_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_resent_event_is_known_by_its_attributes, setup, teardown),
        cmocka_unit_test_setup_teardown(data_may_be_as_deep_as_any_value, setup, teardown),
        cmocka_unit_test_setup_teardown(data_that_no_answer_can_hold_is_not_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(a_brief_answer_has_no_data, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_bytes_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(another_kind_or_another_count_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
