/* The API between a network and a runtime that are made up: requests are structs, answers
 * are kept, and calls lie still until the test answers them.
 *
 * These definitions take the place of the real functions: the archives are searched only for
 * what is still missing. */
#ifndef TESTS_API_FAKE_H
#define TESTS_API_FAKE_H

#include "api/api_int.h"
#include "api/events/events_int.h"
#include "api/grpc/services_int.h"
#include "api/v1/v1_int.h"
#include "base/must.h"
#include "dialect/dialect.h"
#include "json/json.h"

#include "documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct fake {
    struct arena arena;
    struct api *api;
    struct http_request http;
    struct http_header header[16];
    uint64_t peer; /* Of the requests from now on. */
    int answers;   /* How often the request was answered. */
    bool lasting;  /* By a body that lives as long as the API. */
    int status;
    char headers[1024];
    struct buf body; /* Also what was streamed. */
    bool streaming, ended;
    size_t behind;     /* Bytes of the stream that the client has not read. */
    bool reads;        /* False: writing to the stream fails. */
    struct call *call; /* Waits for its answer. */
    int submitted;
    enum status refusal; /* The result of runtime_submit(). */
    bool healthy;
    struct grpc_call grpc; /* The latest call of gRPC, */
    void *grpc_context;
    bool grpc_started, grpc_finished, grpc_gone;
    char grpc_text[1024];    /* its status's text, */
    char grpc_trailers[512]; /* lines of its trailers, */
    struct buf messages;     /* and the messages that were sent, one behind the other. */
    size_t message_count;
};

static struct fake fake;
static struct metrics fake_metrics;

static void keep_head(int status, str headers)
{
    fake.answers++;
    fake.status = status;
    snprintf(fake.headers, sizeof fake.headers, "%.*s", STR_ARG(headers));
}

void http_respond(struct http_request *request, int status, str headers, str body)
{
    request->status = status;
    keep_head(status, headers);
    buf_add_str(&fake.body, body);
}

struct http_holdings http_server_holdings(const struct http_server *server)
{
    (void)server;
    return (struct http_holdings){ 0 };
}

size_t http_server_connections(const struct http_server *server)
{
    (void)server;
    return 0;
}

void http_respond_lasting(struct http_request *request, int status, str headers, str body)
{
    http_respond(request, status, headers, body);
    fake.lasting = true;
}

void http_stream_begin(struct http_request *request, int status, str headers)
{
    request->status = status;
    keep_head(status, headers);
    fake.streaming = true;
}

bool http_stream_write(struct http_request *request, str bytes)
{
    (void)request;
    assert_true(fake.streaming && !fake.ended);
    buf_add_str(&fake.body, bytes);
    return fake.reads;
}

void http_stream_end(struct http_request *request)
{
    (void)request;
    assert_true(fake.streaming && !fake.ended);
    fake.ended = true;
}

size_t http_stream_behind(const struct http_request *request)
{
    (void)request;
    return fake.behind;
}

void http_drop_body(struct http_request *request) { (void)request; }
void http_hold_body(struct http_request *request, bool hold) { (void)request, (void)hold; }
void http_count(struct http_request *request) { (void)request; }
void http_keep(struct http_request *request) { (void)request; }
void http_let_go(struct http_request *request) { (void)request; }

const char *http_reason(int status) { return status == 400 ? "Bad Request" : "Other"; }

/* ---- gRPC: one call at a time ---- */

bool grpc_is_call(const struct http_request *request)
{
    return str_starts(http_header(request, STR("content-type")), STR("application/grpc"));
}

static void keep_call(struct http_request *request, const struct grpc_method *method)
{
    fake.grpc = (struct grpc_call){ .request = request, .method = method };
    fake.grpc_finished = fake.grpc_gone = false;
    fake.grpc_text[0] = fake.grpc_trailers[0] = '\0';
    fake.message_count = 0;
    buf_init(&fake.messages, &fake.arena);
    request->grpc = &fake.grpc;
}

void grpc_finish(struct grpc_call *call, enum grpc_status code, str text)
{
    assert_false(fake.grpc_finished);
    fake.grpc_finished = true;
    call->code = code;
    snprintf(fake.grpc_text, sizeof fake.grpc_text, "%.*s", STR_ARG(text));
}

void grpc_refuse(struct http_request *request, const struct grpc_method *method, enum grpc_status code,
                 str text)
{
    keep_call(request, method);
    fake.grpc_started = false;
    grpc_finish(&fake.grpc, code, text);
}

void grpc_start(struct http_request *request, const struct grpc_method *method, void *context)
{
    keep_call(request, method);
    fake.grpc_started = true;
    fake.grpc_context = context;
    if (method->begin) method->begin(&fake.grpc, context);
}

bool grpc_send(struct grpc_call *call, str message)
{
    (void)call;
    assert_false(fake.grpc_finished);
    if (fake.grpc_gone) return false;
    buf_add_str(&fake.messages, message);
    fake.message_count++;
    return true;
}

str grpc_metadata(const struct grpc_call *call, str name) { return http_header(call->request, name); }

void grpc_add_trailer(struct grpc_call *call, str name, str value)
{
    size_t n = strlen(fake.grpc_trailers);
    (void)call;
    snprintf(fake.grpc_trailers + n, sizeof fake.grpc_trailers - n, "%.*s: %.*s\n", STR_ARG(name),
             STR_ARG(value));
}

bool grpc_is_gone(const struct grpc_call *call)
{
    (void)call;
    return fake.grpc_gone;
}

size_t grpc_behind(const struct grpc_call *call)
{
    (void)call;
    return fake.behind;
}

void grpc_when_drained(struct grpc_call *call) { (void)call; }
void grpc_hold(struct grpc_call *call) { (void)call; }
void grpc_go_on(struct grpc_call *call) { (void)call; }
const char *grpc_status_word(enum grpc_status code) { return code == GRPC_OK ? "OK" : "NOT_OK"; }

enum status runtime_submit(struct runtime_client *client, struct call *call)
{
    (void)client;
    if (fake.refusal != ST_OK) return fake.refusal;
    fake.call = call;
    fake.submitted++;
    return ST_OK;
}

void runtime_abandon(struct runtime_client *client, struct call *call)
{
    (void)client;
    call->abandoned = true;
}

const struct metrics *runtime_metrics(const struct runtime *runtime)
{
    (void)runtime;
    return &fake_metrics;
}

bool runtime_healthy(const struct runtime *runtime)
{
    (void)runtime;
    return fake.healthy;
}

int64_t runtime_ms_of_turn(const struct runtime *runtime)
{
    (void)runtime;
    return 0;
}

static inline void fake_begin(const char *secret)
{
    fake = (struct fake){ .reads = true, .healthy = true };
    arena_init(&fake.arena, 0);
    fake.api = api_new(
        &(struct api_config){ .limits = limits_default(), .secret = str_of(secret), .version = "1.2.3" });
}

static inline void fake_end(void)
{
    api_free(fake.api);
    arena_done(&fake.arena);
}

/* A header for the next request. */
static inline void fake_header(const char *name, const char *value)
{
    must(fake.http.header_count < COUNT(fake.header));
    fake.header[fake.http.header_count++] = (struct http_header){ str_of(name), str_of(value) };
}

static inline void fake_clear(void)
{
    fake.answers = fake.status = fake.submitted = 0;
    fake.headers[0] = '\0';
    fake.streaming = fake.ended = fake.lasting = false;
    fake.reads = true;
    fake.call = NULL;
    buf_init(&fake.body, &fake.arena);
}

/* Sends a request with the headers that were set, which are forgotten by it. */
static inline void fake_send(const char *method, const char *target, const char *body)
{
    size_t headers = fake.http.header_count;
    const char *mark = strchr(target, '?');
    fake_clear();
    fake.http = (struct http_request){
        .method = str_of(method),
        .target = str_of(target),
        .path = mark ? (str){ target, (size_t)(mark - target) } : str_of(target),
        .query = mark ? str_of(mark + 1) : STR_NONE,
        .body = str_of(body),
        .peer = fake.peer,
        .arena = &fake.arena,
    };
    http_set_headers(&fake.http, fake.header, headers);
    api_handle(&fake.http, fake.api);
    if (fake.answers) fake.http.header_count = 0;
}

/* Begins a call of gRPC with the headers that were set. */
static inline void fake_call(const char *path)
{
    fake_header("content-type", "application/grpc");
    fake_send("POST", path, "");
    fake.http.header_count = 0;
}

/* The only message of a call, or the next one. */
static inline void fake_message(str message)
{
    assert_true(fake.grpc_started && !fake.grpc_finished);
    fake.grpc.method->message(&fake.grpc, message, fake.grpc_context);
}

/* Answers the call that waits. */
static inline void fake_answer(enum status status)
{
    struct call *call = fake.call;
    assert_non_null(call);
    fake.call = NULL;
    call->status = status;
    call->done(call);
    fake.http.header_count = 0;
}

static inline void assert_body(const char *text)
{
    buf_add_char(&fake.body, '\0');
    fake.body.n--;
    assert_string_equal(fake.body.p, text);
}

static inline void assert_body_has(const char *text)
{
    if (str_find(buf_str(&fake.body), str_of(text), 0) == SIZE_MAX)
        fail_msg("\"%s\" is not in: %.*s", text, (int)fake.body.n, fake.body.p);
}

static inline void assert_header(const char *line)
{
    if (!strstr(fake.headers, line)) fail_msg("\"%s\" is not in: %s", line, fake.headers);
}

/* An instance to show. */
static inline struct instance_view *fake_instance(void)
{
    static const str current[] = { STR_INIT("a\"b"), STR_INIT("c") };
    static struct instance_view view;
    view = (struct instance_view){
        .id = 7,
        .created_ms = 1000,
        .status = INSTANCE_WAITING,
        .definition_id = STR("d"),
        .definition_version = 2,
        .dialect = dialect_named(STR("steps")),
        .current = current,
        .current_count = 2,
        .data = json_empty_object(),
        .revision = 3,
    };
    return &view;
}

#endif
