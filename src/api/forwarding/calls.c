/* api/forwarding/calls.c — requests whose transaction is in the memory of another node: that node runs them.
 * */
#include "api/forwarding/forwarding_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

/* A call that we run for another node. */
struct forwarding_served {
    struct forwarding *forwarding;
    int64_t node;
    uint64_t number;
    struct forwarding_served *before, *after;
};

/* ---- asking ---- */

int64_t forwarding_node_of_token(const struct forwarding *forwarding, str token)
{
    int64_t node = forwarding && token.n ? unit_token_node(token) : 0;
    return node && node != forwarding->node && forwarding_find_node(forwarding, node) ? node : 0;
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

enum status forwarding_send_call(struct forwarding *forwarding, struct forwarding_call *call,
                                 const struct http_request *request, str body, bool is_call,
                                 struct error *err)
{
    struct buf text;
    const struct forwarding_node *node = forwarding_find_node(forwarding, call->node);
    if (node && !node->is_proven)
        return fail(
            err, ST_STORE, "",
            "the node that has the transaction has not proven itself; it may be of an earlier version, or "
            "have another key file");
    buf_init(&text, NULL);
    call->number = ++forwarding->call_number;
    buf_add_char(&text, 'c');
    buf_add_varint(&text, call->number);
    buf_add_varint(&text, is_call);
    buf_add_text(&text, request->method);
    buf_add_text(&text, request->target);
    write_headers(&text, request);
    buf_add_text(&text, body);
    caller_encode(request->caller, &text);
    enum status status = node_messages_send(forwarding->node_messages, call->node, buf_str(&text),
                                            FORWARDING_CALL_KEEP_MS, err);
    buf_done(&text);
    if (status == ST_OK) map_put(&forwarding->calls, call->number, call);
    return status;
}

void forwarding_take_answer(struct forwarding *forwarding, int64_t node, struct reader *text)
{
    uint64_t number = read_varint(text);
    struct forwarding_answer answer = { .status = (int)read_varint32(text) };
    answer.headers = read_text(text);
    answer.body = read_text(text);
    answer.trailers = read_text(text);
    struct forwarding_call *call = text->bad ? NULL : map_get(&forwarding->calls, number);
    if (!call || call->node != node) return; /* Only the node that was asked can answer. */
    map_take(&forwarding->calls, number);
    call->answered(call, &answer);
}

void forwarding_lose_calls(struct forwarding *forwarding, int64_t node)
{
    uint64_t number;
    struct forwarding_call *call;
    for (size_t cursor = 0; (call = map_next_entry(&forwarding->calls, &cursor, &number)) != NULL;) {
        if (call->node != node) continue;
        map_take(&forwarding->calls, number);
        call->lost(call);
        cursor = 0; /* The table has changed. */
    }
}

void forwarding_end_calls(struct forwarding *forwarding)
{
    uint64_t number;
    struct forwarding_call *call;
    for (size_t cursor = 0; (call = map_next_entry(&forwarding->calls, &cursor, &number)) != NULL;
         cursor = 0) {
        map_take(&forwarding->calls, number);
        call->unsure(call);
    }
}

enum status forwarding_fail_unsure(struct error *err)
{
    return fail(err, ST_STORE, "",
                "the answer of the node that has the transaction is lost; the request may have happened");
}

/* ---- running ---- */

static void answer_call(struct forwarding *forwarding, int64_t node, uint64_t number,
                        const struct http_local_answer *answer)
{
    struct buf text;
    bool fits = answer->headers.n + answer->body.n + answer->trailers.n <
                NODE_MESSAGE_BYTES_MAX - FORWARDING_HEAD_BYTES;
    buf_init(&text, NULL);
    buf_add_char(&text, 'r');
    buf_add_varint(&text, number);
    buf_add_varint(&text, fits ? (uint64_t)answer->status : 0);
    buf_add_text(&text, fits ? answer->headers : STR_NONE);
    buf_add_text(&text, fits ? answer->body : STR_NONE);
    buf_add_text(&text, fits ? answer->trailers : STR_NONE);
    forwarding_post(forwarding, node, buf_str(&text));
    forwarding->answered++;
    buf_done(&text);
}

static void end_served(struct forwarding_served *served)
{
    if (served->before) served->before->after = served->after;
    else served->forwarding->served = served->after;
    if (served->after) served->after->before = served->before;
    free(served);
}

static void ran(void *context, const struct http_local_answer *answer)
{
    struct forwarding_served *served = context;
    answer_call(served->forwarding, served->node, served->number, answer);
    end_served(served);
}

static struct forwarding_served *begin_served(struct forwarding *forwarding, int64_t node, uint64_t number)
{
    struct forwarding_served *served = calloc(1, sizeof *served);
    must(served);
    *served = (struct forwarding_served){
        .forwarding = forwarding, .node = node, .number = number, .after = forwarding->served
    };
    if (forwarding->served) forwarding->served->before = served;
    forwarding->served = served;
    return served;
}

static void drop_caller(void *context)
{
    const struct caller *caller = context;
    principal_unref(caller->principal);
}

/* The caller lives in the memory of its principal. */
static bool take_caller(struct reader *text, struct http_local *local)
{
    struct caller caller;
    if (!caller_decode(text, &caller)) return false;
    struct caller *kept = arena_make(&caller.principal->arena_, struct caller);
    *kept = caller;
    local->caller = kept;
    local->drop_caller = drop_caller;
    return true;
}

void forwarding_run_call(struct forwarding *forwarding, int64_t node, struct reader *text)
{
    static struct http_header header[FORWARDING_HEADERS_MAX];
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
    if (text->bad || !forwarding->api->server || !take_caller(text, &local)) return;
    struct forwarding_served *served = begin_served(forwarding, node, number);
    local.context = served;
    if (http_server_run(forwarding->api->server, &local, &err) == ST_OK) return;
    end_served(served);
    answer_call(forwarding, node, number, &(struct http_local_answer){ .status = 0 });
}

void forwarding_drop_served(struct forwarding *forwarding)
{
    while (forwarding->served) end_served(forwarding->served);
}
