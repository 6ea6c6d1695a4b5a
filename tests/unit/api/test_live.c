#include "api/fake.h"

#include "api/live/live_int.h"
#include "base/uuid.h"

#define INSTANCE "01K00000000000000020000000"

static struct live_round *round_of(enum live_kind kind, size_t count)
{
    struct live_round *round = arena_make(&fake.arena, struct live_round);
    round->tenant = arena_make(&fake.arena, struct live_tenant);
    *round->tenant = (struct live_tenant){ .ns = TENANT_DEFAULT, .kinds = 1u << kind };
    round->tenant_count = 1;
    for (size_t i = 0; i < count; i++)
        round->set[kind].id[round->set[kind].count++] = arena_printf(&fake.arena, "d%zu", i);
    return round;
}

static void answer_with(const struct live_round *round)
{
    fake.call->value.live.round = round;
    fake_answer(ST_OK);
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (size_t at = 0; (at = str_find(buf_str(&fake.body), str_of(part), at)) != SIZE_MAX; at++) count++;
    return count;
}

static void topics_are_checked(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: it is fine. */
    } cases[] = {
        { "instances", NULL },
        { "instances,tasks,,overview", NULL },
        { "instances/" INSTANCE, NULL },
        { "entities/6b1f0000-0000-41b2-8001-010000000001", "the UUID of an entity" }, /* Not one of ours. */
        { "", "say what to tell of" },
        { ",", "say what to tell of" },
        { "instance", "\"instance\" is no topic" },
        { "instances/x", "the id of an instance" },
        { "tasks/" INSTANCE, "\"tasks/" },
        { "overview/x", "is no topic" },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct live_topics topics;
        struct error err;
        enum status status = live_topics_read(str_of(cases[i].text), &fake.arena, &topics, &err);
        if (cases[i].error) assert_true(status == ST_INVALID && strstr(err.message, cases[i].error));
        else assert_int_equal(status, ST_OK);
    }
    struct live_topics topics;
    char uuid[UUID_CHARS + 1];
    uuid_print(uuid_of_instance(1000, 77), uuid);
    assert_int_equal(live_topics_read(arena_printf(&fake.arena, "entities/%s", uuid), &fake.arena, &topics,
                                      &(struct error){ 0 }),
                     ST_OK);
    assert_int_equal(topics.thing[0].instance, 77);
    fake_end();
}

static void as_many_topics_as_allowed(void **state)
{
    struct live_topics topics;
    struct error err;
    struct buf text;
    (void)state;
    fake_begin("");
    buf_init(&text, &fake.arena);
    for (int i = 0; i < LIVE_TOPICS_MAX; i++) buf_add_str(&text, STR("instances/" INSTANCE ","));
    assert_int_equal(live_topics_read(buf_str(&text), &fake.arena, &topics, &err), ST_OK);
    assert_int_equal(topics.thing_count, LIVE_TOPICS_MAX);
    buf_add_str(&text, STR("tasks"));
    assert_int_equal(live_topics_read(buf_str(&text), &fake.arena, &topics, &err), ST_LIMIT);
    fake_end();
}

static void the_head_waits_until_the_engine_notes(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", "/api/live?topics=definitions", "");
    assert_int_equal(fake.answers, 0);
    assert_int_equal(fake.call->as.watch_live.wait_ms, 0);
    answer_with(NULL);
    assert_int_equal(fake.status, 200);
    assert_header("Content-Type: text/event-stream\r\n");
    assert_body_has("event: ready\ndata: {}\n\n");
    assert_true(fake.call->as.watch_live.wait_ms > 0); /* And the hub waits. */
    answer_with(round_of(LIVE_DEFINITIONS, 2));
    assert_body_has("event: changed\ndata: {\"kind\":\"definitions\",\"id\":\"d0\"}\n\n");
    assert_body_has("{\"kind\":\"definitions\",\"id\":\"d1\"}");
    answer_with(round_of(LIVE_TASKS, 2)); /* Not its topic. */
    assert_int_equal(count_of("event: "), 3);
    struct live_round *round = round_of(LIVE_DEFINITIONS, 2);
    round->tenant->many = 1u << LIVE_DEFINITIONS;
    answer_with(round);
    assert_body_has("{\"kind\":\"definitions\",\"many\":true}");
    assert_int_equal(count_of("event: "), 4);
    fake.http.on_gone(fake.http.user);
    assert_true(fake.ended);
    /* Nobody is left: the engine is told. */
    answer_with(NULL);
    assert_true(fake.call->as.watch_live.stops);
    answer_with(NULL);
    assert_null(fake.call);
    fake_end();
}

static void one_instance_among_many(void **state)
{
    struct live_round *round;
    struct id id;
    (void)state;
    fake_begin("");
    assert_true(id_parse(STR(INSTANCE), &id));
    fake_send("GET", "/api/live?topics=instances/" INSTANCE, "");
    answer_with(NULL);
    answer_with(round_of(LIVE_INSTANCES, 3));
    assert_int_equal(count_of("event: changed"), 0);
    round = round_of(LIVE_INSTANCES, LIVE_IDS_MAX);
    round->tenant->many = 1u << LIVE_INSTANCES;
    answer_with(round);
    assert_int_equal(count_of("event: changed"), 0);
    round = round_of(LIVE_INSTANCES, LIVE_IDS_MAX);
    round->tenant->many = 1u << LIVE_INSTANCES;
    memset(round->bits, 0xff, sizeof round->bits);
    answer_with(round);
    assert_body_has("{\"kind\":\"instances\",\"id\":\"" INSTANCE "\"}");
    fake_end();
}

static void who_does_not_read_gets_a_reset(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", "/api/live?topics=definitions", "");
    answer_with(NULL);
    fake.behind = STREAM_PAUSE_BYTES_MAX + 1;
    for (int i = 0; i < 100; i++) answer_with(round_of(LIVE_DEFINITIONS, 1));
    assert_int_equal(count_of("event: changed"), 0);
    fake.behind = 0;
    fake.http.on_drained(fake.http.user);
    assert_int_equal(count_of("event: reset"), 1);
    answer_with(round_of(LIVE_DEFINITIONS, 1));
    assert_int_equal(count_of("event: changed"), 1);
    fake_end();
}

static void who_comes_back_is_told_whether_something_was_missed(void **state)
{
    char seen[64];
    (void)state;
    fake_begin("");
    fake_send("GET", "/api/live?topics=definitions", "");
    answer_with(NULL);
    answer_with(round_of(LIVE_DEFINITIONS, 1));
    size_t at = str_find(buf_str(&fake.body), STR("id: "), 10);
    snprintf(seen, sizeof seen, "%.*s", (int)strcspn(fake.body.p + at + 4, "\n"), fake.body.p + at + 4);
    fake.http.on_gone(fake.http.user);
    /* The call is still under way, so nothing was missed. */
    struct call *under_way = fake.call;
    fake.http.header_count = 0;
    fake_header("Last-Event-ID", seen);
    fake_send("GET", "/api/live?topics=definitions", "");
    assert_int_equal(count_of("event: ready"), 1);
    assert_int_equal(count_of("event: reset"), 0);
    fake.http.on_gone(fake.http.user);
    fake.call = under_way;
    answer_with(NULL);
    answer_with(NULL); /* Stopped. */
    fake.http.header_count = 0;
    fake_header("Last-Event-ID", seen);
    fake_send("GET", "/api/live?topics=definitions", "");
    answer_with(NULL);
    assert_int_equal(count_of("event: reset"), 1);
    fake_end();
}

static void a_refusal_is_an_answer(void **state)
{
    (void)state;
    fake_begin("");
    fake.refusal = ST_OVERLOAD;
    fake_send("GET", "/api/live?topics=tasks", "");
    assert_int_equal(fake.status, 429);
    fake.refusal = ST_OK;
    fake_send("GET", "/api/live?topics=nothing", "");
    assert_int_equal(fake.status, 400);
    assert_header("Content-Type: application/problem+json\r\n");
    fake_send("GET", "/api/live?topics=tasks", "");
    fake_answer(ST_STORE);
    assert_int_equal(fake.status, 503);
    fake_send("HEAD", "/api/live?topics=tasks", "");
    answer_with(NULL);
    assert_true(fake.ended);
    assert_body("");
    fake_end();
}

/* Each stream is a request of its own here: they only have to be counted. */
static void there_are_so_many_streams(void **state)
{
    (void)state;
    fake_begin("");
    struct http_request *open = arena_make_n(&fake.arena, struct http_request, LIVE_STREAMS_MAX);
    struct call *call = NULL;
    for (int i = 0; i < LIVE_STREAMS_MAX; i++) {
        open[i] = (struct http_request){ .method = STR("GET"),
                                         .path = STR("/api/live"),
                                         .query = STR("topics=tasks"),
                                         .peer = i < LIVE_STREAMS_PEER_MAX ? 1 : 2,
                                         .arena = &fake.arena };
        if (i == LIVE_STREAMS_PEER_MAX) {
            assert_int_equal(fake.submitted, 1); /* One call for all of them. */
            call = fake.call;
            /* One more from the first address is too many. */
            fake.peer = 1;
            fake_send("GET", "/api/live?topics=tasks", "");
            assert_int_equal(fake.status, 429);
            assert_body_has("LIVE_STREAMS_PEER_MAX");
        }
        api_handle(&open[i], fake.api);
    }
    assert_int_equal(fake.submitted, 0);
    fake.peer = 3;
    fake_send("GET", "/api/live?topics=tasks", "");
    assert_int_equal(fake.status, 429);
    assert_body_has("LIVE_STREAMS_MAX");
    for (int i = 0; i < LIVE_STREAMS_MAX; i++) {
        fake.ended = fake.streaming = false;
        open[i].on_gone(open[i].user);
        assert_true(fake.ended);
    }
    fake.call = call;
    fake.ended = fake.streaming = false;
    answer_with(NULL);
    assert_true(fake.call->as.watch_live.stops);
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_are_checked),
        cmocka_unit_test(as_many_topics_as_allowed),
        cmocka_unit_test(the_head_waits_until_the_engine_notes),
        cmocka_unit_test(one_instance_among_many),
        cmocka_unit_test(who_does_not_read_gets_a_reset),
        cmocka_unit_test(who_comes_back_is_told_whether_something_was_missed),
        cmocka_unit_test(a_refusal_is_an_answer),
        cmocka_unit_test(there_are_so_many_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
