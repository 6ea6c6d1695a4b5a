/* api/connections/test.c — tries a connection: an e-mail to one address, a statement that reads nothing.
 *
 *     POST …/test ──► a row of the audit commits ──► the performer does one job ──► ok, or why not
 *
 * The texts of a test are the engine's own. A caller chooses nothing but the address of one e-mail.
 */
#include "api/access/issuers_int.h"
#include "api/connections/connections_int.h"
#include "api/limits.h"
#include "api/request_int.h"
#include "api/submit_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "json/json.h"
#include "json/put.h"

/* One that is under way, in the memory of its request. */
struct connection_test {
    struct api_request *request;
    struct api_test job;
    str name, kind, to;
    int64_t began_ms;
    struct connection_test *next;
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- tests under way ---- */

static enum status admit(struct connection_test *test, struct error *err)
{
    struct api *api = test->request->api;
    size_t all = 0, own = 0;
    for (const struct connection_test *other = api->tests; other; other = other->next) {
        all++;
        own += other->request->caller.tenant == test->request->caller.tenant;
    }
    if (all >= CONNECTION_TESTS_MAX || own >= CONNECTION_TESTS_PER_TENANT_MAX)
        return fail(err, ST_OVERLOAD, "", "other connections are being tested; try again soon");
    test->next = api->tests;
    api->tests = test;
    return ST_OK;
}

static void leave(struct connection_test *test)
{
    struct connection_test **place = &test->request->api->tests;
    while (*place && *place != test) place = &(*place)->next;
    must(*place);
    *place = test->next;
}

/* ---- the answer ---- */

static void tell(struct connection_test *test, str error, str why)
{
    struct buf out;
    buf_init(&out, test->request->http->arena);
    leave(test);
    PUT(&out, "{\"ok\":");
    put_flag(&out, !why.n);
    if (error.n) {
        PUT(&out, ",\"error\":");
        put_text(&out, error);
    }
    if (why.n) {
        PUT(&out, ",\"why\":");
        put_text(&out, why);
    }
    PUT(&out, ",\"tookMs\":");
    put_int(&out, now_ms() - test->began_ms);
    buf_add_char(&out, '}');
    answer(test->request, 200, STR_NONE, buf_str(&out));
}

static void tried(void *context)
{
    struct connection_test *test = context;
    tell(test, test->job.error, test->job.fetch.failure);
}

static void refuse(struct connection_test *test, struct error *err)
{
    leave(test);
    answer_error(test->request, err);
}

/* ---- what is tried ---- */

static const struct json *mail_input(const struct connection_test *test, struct arena *arena)
{
    bool is_own = str_equal(test->name, STR(CONNECTION_OWN_MAIL));
    str label = is_own ? STR("the engine's mail server") : test->name;
    struct json_builder input;
    json_builder_init(&input, arena);
    json_open_object(&input);
    if (!is_own)
        json_add_text(&input, STR("connectionRef"), arena_printf(arena, "vault:%.*s", STR_ARG(test->name)));
    json_add_text(&input, STR("to"), test->to);
    json_add_text(&input, STR("subject"), arena_printf(arena, "Pawl: a test of %.*s", STR_ARG(label)));
    json_add_text(&input, STR("body"),
                  arena_printf(arena,
                               "Somebody has tested the connection \"%.*s\". It works: this e-mail has "
                               "arrived.\nNothing needs to be done.\n",
                               STR_ARG(label)));
    json_close(&input);
    return json_built(&input);
}

static const struct json *database_input(const struct connection_test *test, struct arena *arena)
{
    struct json_builder input;
    json_builder_init(&input, arena);
    json_open_object(&input);
    json_add_text(&input, STR("connectionRef"), arena_printf(arena, "vault:%.*s", STR_ARG(test->name)));
    json_add_text(&input, STR("sql"), STR("SELECT 1 AS one"));
    json_add_name(&input, STR("readOnly"));
    json_add_bool(&input, true);
    json_close(&input);
    return json_built(&input);
}

/* A broker is connected all the time while a trigger uses it: its state is the test. */
static void look_at_broker(struct connection_test *test)
{
    const struct api_broker *broker = connections_broker(test->request, test->name);
    if (!broker)
        tell(test, STR_NONE, STR("no trigger uses this broker, so the engine is not connected to it"));
    else if (broker->connected) tell(test, STR_NONE, broker->why);
    else tell(test, STR_NONE, broker->why.n ? broker->why : STR("the engine is not connected yet"));
}

static void try_it(struct connection_test *test)
{
    struct api_request *request = test->request;
    struct arena *arena = request->http->arena;
    const struct api_config *config = &request->api->config;
    bool is_mail = str_equal(test->kind, STR("mail"));
    struct error err;
    test->job = (struct api_test){
        .fetch = { .timeout_ms = CONNECTION_TEST_MS, .arena = arena, .done = tried, .context = test },
        .performer = is_mail ? PERFORM_EMAIL : PERFORM_SQL,
        .input = is_mail ? mail_input(test, arena) : database_input(test, arena),
        .tenant = request->caller.tenant,
        .key = arena_printf(arena, "test/%lld/%.*s", (long long)test->began_ms,
                            STR_ARG(request->caller.request_id)),
    };
    fetch_expect(request->api, &test->job.fetch);
    if (!config->test) fail(&err, ST_CONFLICT, "", "this process cannot try connections");
    else if (config->test(config->test_context, &test->job, &err) == ST_OK) return;
    refuse(test, &err);
}

/* The test is in the audit: now it may leave the process. */
static void noted(struct call *call)
{
    struct connection_test *test = call->user;
    test->request->call = NULL;
    if (call->status != ST_OK) {
        call->error.status = call->status;
        refuse(test, &call->error);
    } else if (str_equal(test->kind, STR("broker"))) {
        look_at_broker(test);
    } else {
        try_it(test);
    }
}

/* ---- the request ---- */

/* One address and no list of them: the test writes to one person. */
static enum status check_address(str to, struct error *err)
{
    size_t at = str_find(to, STR("@"), 0);
    bool is_one = at != SIZE_MAX && at > 0 && at + 1 < to.n && str_find(to, STR("@"), at + 1) == SIZE_MAX;
    for (size_t i = 0; i < to.n; i++) {
        unsigned char c = (unsigned char)to.p[i];
        is_one = is_one && c > ' ' && c != 0x7f && c != ',' && c != ';' && c != '<' && c != '>' && c != '"';
    }
    return is_one ? ST_OK
                  : fail(err, ST_INVALID, "to", "to must be one e-mail address, such as ann@a.example");
}

static enum status read_test(struct connection_test *test, struct error *err)
{
    const struct json *body;
    TRY(request_body(test->request, true, &body, err));
    TRY(field_required_text(body, "kind", TITLE_BYTES_MAX, &test->kind, err));
    TRY(field_text(body, "to", MAIL_ADDRESS_BYTES_MAX, &test->to, err));
    bool is_mail = str_equal(test->kind, STR("mail"));
    bool is_own = str_equal(test->name, STR(CONNECTION_OWN_MAIL));
    if (!is_mail && !str_equal(test->kind, STR("database")) && !str_equal(test->kind, STR("broker")))
        return fail(err, ST_INVALID, "kind",
                    "kind must be mail, database or broker: nothing else can be tested");
    if (is_mail) TRY(check_address(test->to, err));
    else if (test->to.n) return fail(err, ST_INVALID, "to", "only a mail server has somebody to write to");
    if (is_own && !is_mail) return fail(err, ST_INVALID, "kind", "the engine's own server is one of mail");
    if (is_own && !test->request->api->config.has_mail)
        return fail(err, ST_CONFLICT, "", "the engine has no mail server: start it with --smtp");
    return ST_OK;
}

enum status connections_test(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct connection_test *test = arena_make(arena, struct connection_test);
    *test = (struct connection_test){ .request = request, .name = request->param[0], .began_ms = now_ms() };
    TRY(read_test(test, err));
    TRY(admit(test, err));
    const struct call_secret asked = { .name = test->name };
    request->call =
        call_test_connection((struct call_origin){ arena, noted, test, &request->caller }, &asked);
    enum status status =
        submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, err);
    if (status == ST_OK) return ST_OK;
    request->call = NULL;
    leave(test);
    return status;
}
