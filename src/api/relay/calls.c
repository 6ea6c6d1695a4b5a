/* api/relay/calls.c — requests whose transaction is in the memory of another node: that node runs them. */
#include "api/relay/relay_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

/* A call that we run for another node. */
struct relay_served {
    struct relay *relay;
    int64_t node;
    uint64_t number;
    struct relay_served *before, *after;
};

/* ---- asking ---- */

int64_t relay_node_of_token(const struct relay *relay, str token)
{
    int64_t node = relay && token.n ? unit_token_node(token) : 0;
    return node && node != relay->node && relay_find_node(relay, node) ? node : 0;
}

/* Our own gate has judged the sender, and the other headers belong to the connection. */
static bool is_passed_on(str name)
{
    static const str kept[] = { STR_INIT("Host"),          STR_INIT("Origin"),
                                STR_INIT("Authorization"), STR_INIT("Connection"),
                                STR_INIT("Cookie"),        STR_INIT("Content-Length"),
                                STR_INIT("Expect"),        STR_INIT("Transfer-Encoding"),
                                STR_INIT("grpc-timeout") };
    for (size_t i = 0; i < COUNT(kept); i++)
        if (str_equal_ignoring_case(kept[i], name)) return false;
    return name.n && name.p[0] != ':';
}

static void write_headers(struct buf *out, const struct http_request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->header_count; i++) count += is_passed_on(request->header[i].name);
    buf_add_varint(out, count);
    for (size_t i = 0; i < request->header_count; i++) {
        if (!is_passed_on(request->header[i].name)) continue;
        buf_add_text(out, request->header[i].name);
        buf_add_text(out, request->header[i].value);
    }
}

enum status relay_send_call(struct relay *relay, struct relay_call *call, const struct http_request *request,
                            str body, bool is_call, struct error *err)
{
    struct buf text;
    buf_init(&text, NULL);
    call->number = ++relay->call_number;
    buf_add_char(&text, 'c');
    buf_add_varint(&text, call->number);
    buf_add_varint(&text, is_call);
    buf_add_text(&text, request->method);
    buf_add_text(&text, request->target);
    write_headers(&text, request);
    buf_add_text(&text, body);
    enum status status = errands_send(relay->errands, call->node, buf_str(&text), RELAY_CALL_KEEP_MS, err);
    buf_done(&text);
    if (status == ST_OK) map_put(&relay->calls, call->number, call);
    return status;
}

void relay_take_answer(struct relay *relay, struct reader *text)
{
    uint64_t number = read_varint(text);
    struct relay_answer answer = { .status = (int)read_varint32(text) };
    answer.headers = read_text(text);
    answer.body = read_text(text);
    answer.trailers = read_text(text);
    struct relay_call *call = text->bad ? NULL : map_take(&relay->calls, number);
    if (call) call->answered(call, &answer);
}

void relay_lose_calls(struct relay *relay, int64_t node)
{
    uint64_t number;
    struct relay_call *call;
    for (size_t cursor = 0; (call = map_next_entry(&relay->calls, &cursor, &number)) != NULL;) {
        if (call->node != node) continue;
        map_take(&relay->calls, number);
        call->lost(call);
        cursor = 0; /* The table has changed. */
    }
}

void relay_end_calls(struct relay *relay)
{
    uint64_t number;
    struct relay_call *call;
    for (size_t cursor = 0; (call = map_next_entry(&relay->calls, &cursor, &number)) != NULL; cursor = 0) {
        map_take(&relay->calls, number);
        call->unsure(call);
    }
}

enum status relay_fail_unsure(struct error *err)
{
    return fail(err, ST_STORE, "",
                "the answer of the node that has the transaction is lost; the request may have happened");
}

/* ---- running ---- */

static void answer_call(struct relay *relay, int64_t node, uint64_t number,
                        const struct http_local_answer *answer)
{
    struct buf text;
    bool fits = answer->headers.n + answer->body.n + answer->trailers.n < ERRAND_BYTES_MAX - RELAY_HEAD_BYTES;
    buf_init(&text, NULL);
    buf_add_char(&text, 'r');
    buf_add_varint(&text, number);
    buf_add_varint(&text, fits ? (uint64_t)answer->status : 0);
    buf_add_text(&text, fits ? answer->headers : STR_NONE);
    buf_add_text(&text, fits ? answer->body : STR_NONE);
    buf_add_text(&text, fits ? answer->trailers : STR_NONE);
    relay_post(relay, node, buf_str(&text));
    relay->answered++;
    buf_done(&text);
}

static void end_served(struct relay_served *served)
{
    if (served->before) served->before->after = served->after;
    else served->relay->served = served->after;
    if (served->after) served->after->before = served->before;
    free(served);
}

static void ran(void *context, const struct http_local_answer *answer)
{
    struct relay_served *served = context;
    answer_call(served->relay, served->node, served->number, answer);
    end_served(served);
}

static struct relay_served *begin_served(struct relay *relay, int64_t node, uint64_t number)
{
    struct relay_served *served = calloc(1, sizeof *served);
    must(served);
    *served = (struct relay_served){ .relay = relay, .node = node, .number = number, .after = relay->served };
    if (relay->served) relay->served->before = served;
    relay->served = served;
    return served;
}

void relay_run_call(struct relay *relay, int64_t node, struct reader *text)
{
    static struct http_header header[RELAY_HEADERS_MAX];
    struct http_local local = { .done = ran };
    struct error err;
    uint64_t number = read_varint(text);
    local.is_call = read_varint(text);
    local.method = read_text(text);
    local.target = read_text(text);
    local.header_count = read_varint(text);
    if (text->bad || local.header_count > COUNT(header)) return;
    for (size_t i = 0; i < local.header_count; i++)
        header[i].name = read_text(text), header[i].value = read_text(text);
    local.header = header;
    local.body = read_text(text);
    if (text->bad) return;
    struct relay_served *served = begin_served(relay, node, number);
    local.context = served;
    if (relay->api->server && http_server_run(relay->api->server, &local, &err) == ST_OK) return;
    end_served(served);
    answer_call(relay, node, number, &(struct http_local_answer){ .status = 0 });
}

void relay_drop_served(struct relay *relay)
{
    while (relay->served) end_served(relay->served);
}
