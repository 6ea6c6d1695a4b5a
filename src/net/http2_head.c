/* net/http2_head.c — the fields of a request's head, in HTTP/2.
 *
 * nghttp2 has checked what RFC 9113 asks of names, values, pseudo-headers and Content-Length. Here the head
 * becomes a request like any other: :path is the target, :authority is the field Host. Requests that HTTP/1.1
 * refuses are refused with the same words.
 */
#include "net/http2_int.h"
#include "net/parse_int.h"

#include "base/clock.h"

enum { FIELDS_USUAL = 16, LINE_EXTRA_BYTES = 4 }; /* "name: value\r\n" */

void http2_head_begin(struct http2_head *head, struct exchange *exchange)
{
    *head = (struct http2_head){ .exchange = exchange, .content_length = -1 };
}

static void keep(struct http2_head *head, str name, str value)
{
    struct arena *arena = &head->exchange->arena;
    if (head->count == head->room) {
        size_t room = head->room ? 2 * head->room : FIELDS_USUAL;
        struct http_header *header = arena_alloc(arena, room * sizeof *header);
        if (head->count) memcpy(header, head->header, head->count * sizeof *header);
        head->header = header;
        head->room = room;
    }
    head->header[head->count++] = (struct http_header){ name, value };
}

/* These are not among the request's fields. */
static void note_pseudo(struct http2_head *head, str name, str value)
{
    if (str_equal(name, STR(":method"))) head->method = value;
    else if (str_equal(name, STR(":path"))) head->target = value;
    else if (str_equal(name, STR(":authority"))) head->authority = value;
}

static void note_field(struct http2_head *head, str name, str value)
{
    if (str_equal(name, STR("content-length"))) {
        if (!parse_length(value, &head->content_length)) head->malformed = true;
    } else if (str_equal(name, STR("expect"))) {
        head->expects = true;
        if (!str_equal_ignoring_case(value, STR("100-continue"))) head->malformed = true;
    } else if (str_equal(name, STR("host"))) {
        if (head->host.p) head->malformed = true;
        head->host = value;
    }
    keep(head, name, value);
}

void http2_head_field(struct http2_head *head, const struct limits *limits, str name, str value)
{
    size_t count_max = (size_t)limits->header_count_max;
    head->bytes += name.n + value.n + LINE_EXTRA_BYTES;
    bool pseudo = name.n && name.p[0] == ':';
    if (head->bytes > (size_t)limits->header_bytes_max || (!pseudo && head->count >= count_max)) {
        head->too_large = true;
        return;
    }
    char *copy = arena_alloc(&head->exchange->arena, name.n + value.n);
    memcpy(copy, name.p, name.n);
    if (value.n) memcpy(copy + name.n, value.p, value.n);
    str own_name = { copy, name.n }, own_value = { copy + name.n, value.n };
    if (pseudo) note_pseudo(head, own_name, own_value);
    else note_field(head, own_name, own_value);
}

/* :authority wins; a Host beside it must say the same. */
static bool settle_host(struct http2_head *head)
{
    if (!head->authority.p) return head->host.p && parse_is_host(head->host);
    if (!parse_is_host(head->authority)) return false;
    if (head->host.p) return str_equal_ignoring_case(head->host, head->authority);
    keep(head, STR("host"), head->authority);
    return true;
}

enum refusal http2_head_finish(struct http2_head *head)
{
    struct exchange *exchange = head->exchange;
    struct http_request *request = &exchange->request;
    request->began_us = clock_monotonic_us();
    request->path = request->query = request->body = (str){ "", 0 };
    request->method = head->method.p ? head->method : STR("");
    request->target = head->target.p ? head->target : STR("");
    if (head->too_large) return REFUSE_LARGE_HEAD;
    if (!request->target.n) return str_equal(request->method, STR("CONNECT")) ? REFUSE_METHOD : REFUSE_HEAD;
    if (!parse_is_target(request->target)) return REFUSE_HEAD;
    int verdict = parse_check_target(request->method, request->target);
    if (verdict < 0) return verdict == -501 ? REFUSE_METHOD : REFUSE_HEAD;
    if (head->malformed && head->expects) return REFUSE_EXPECTATION;
    if (head->malformed || !settle_host(head)) return REFUSE_HEAD;
    parse_split_target(request->target, &request->path, &request->query);
    http_set_headers(request, head->header, head->count);
    exchange->head_only = str_equal(request->method, STR("HEAD"));
    return REFUSE_NOTHING;
}
