/* tests/fuzz/fuzz_llhttp.c — two readers of one connection: ours, and llhttp.
 *
 * The danger of HTTP/1.1 is that two readers find different ends of one message. We are the
 * stricter of the two on purpose. So: every request that we take, llhttp takes as well,
 * with the same method, target, fields, body and end. Trailer fields are not compared: we
 * drop them.
 */

#include "fuzz.h"

#include "net/parse_int.h"

#include <llhttp.h>

enum { MESSAGES_MAX = 8, BODY_MAX = 1 << 16 };

/* A request told by one of the two: its parts with marks between them. No part before the
 * body can hold a control character other than TAB. */
enum { MARK_TARGET = 1, MARK_NAME, MARK_VALUE, MARK_BODY };

struct told {
    struct buf text;
    size_t end; /* Behind its last byte. */
    bool keep_alive;
};

static void tell(struct told *told, char mark, str part)
{
    buf_add_char(&told->text, mark);
    buf_add_str(&told->text, part);
}

/* ---- llhttp ---- */

struct listener {
    struct told told[MESSAGES_MAX];
    size_t count; /* Complete ones. */
    struct buf name, value;
    bool in_body, in_trailer;
    const char *complaint; /* Why it stopped, if it did, and */
    str complaint_line;    /* what is on the line before that place. */
};

static struct told *told_now(llhttp_t *parser)
{
    struct listener *listener = parser->data;
    return &listener->told[listener->count];
}

static int on_begin(llhttp_t *parser)
{
    struct listener *listener = parser->data;
    listener->in_body = listener->in_trailer = false;
    listener->name.n = listener->value.n = 0;
    told_now(parser)->text.n = 0;
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t n)
{
    buf_printf(&told_now(parser)->text, "%s", llhttp_method_name((llhttp_method_t)parser->method));
    tell(told_now(parser), MARK_TARGET, (str){ at, n });
    return 0;
}

static int on_name(llhttp_t *parser, const char *at, size_t n)
{
    struct listener *listener = parser->data;
    listener->in_trailer = listener->in_body;
    buf_add(&listener->name, at, n);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t n)
{
    buf_add(&((struct listener *)parser->data)->value, at, n);
    return 0;
}

static int on_field(llhttp_t *parser)
{
    struct listener *listener = parser->data;
    if (!listener->in_body) {
        tell(told_now(parser), MARK_NAME, buf_str(&listener->name));
        tell(told_now(parser), MARK_VALUE, str_trim(buf_str(&listener->value)));
    }
    listener->name.n = listener->value.n = 0;
    return 0;
}

static int on_head(llhttp_t *parser)
{
    struct listener *listener = parser->data;
    parser->upgrade = 0; /* A server may stay with HTTP, and we always do. */
    listener->in_body = true;
    told_now(parser)->keep_alive = llhttp_should_keep_alive(parser);
    tell(told_now(parser), MARK_BODY, STR(""));
    return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t n)
{
    buf_add(&told_now(parser)->text, at, n);
    return 0;
}

static int on_complete(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

static void complain(struct listener *listener, const llhttp_t *parser, str bytes)
{
    const char *end = llhttp_get_error_pos(parser);
    listener->complaint = llhttp_get_error_reason(parser);
    if (!end || end < bytes.p || end > bytes.p + bytes.n) return;
    const char *begin = end;
    while (begin > bytes.p && begin[-1] != '\n') begin--;
    listener->complaint_line = (str){ begin, (size_t)(end - begin) };
}

static void listen_to(str bytes, struct listener *listener)
{
    static const llhttp_settings_t settings = {
        .on_message_begin = on_begin,
        .on_url = on_url,
        .on_header_field = on_name,
        .on_header_value = on_value,
        .on_header_value_complete = on_field,
        .on_headers_complete = on_head,
        .on_body = on_body,
        .on_message_complete = on_complete,
    };
    llhttp_t parser;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    parser.data = listener;
    size_t at = 0;
    while (at < bytes.n && listener->count + 1 < MESSAGES_MAX) {
        if (llhttp_execute(&parser, bytes.p + at, bytes.n - at) != HPE_PAUSED) {
            complain(listener, &parser, bytes);
            return;
        }
        at = (size_t)(llhttp_get_error_pos(&parser) - bytes.p);
        listener->told[listener->count++].end = at;
        llhttp_resume(&parser);
    }
}

/* ---- ours ---- */

/* RFC 9110 allows a TAB wherever a space may be around a value or in a list. llhttp does not
 * understand it in the fields that decide about the body and the connection. */
static bool has_tab_that_matters(const struct http_head *head)
{
    static const str names[] = {
        STR_INIT("content-length"),
        STR_INIT("transfer-encoding"),
        STR_INIT("connection"),
    };
    for (size_t i = 0; i < head->header_count; i++) {
        const struct http_header *field = &head->header[i];
        size_t k = 0;
        while (k < COUNT(names) && !str_equal_ignoring_case(field->name, names[k])) k++;
        if (k == COUNT(names)) continue;
        for (const char *p = field->name.p + field->name.n; *p != '\r'; p++)
            if (*p == '\t') return true;
    }
    return false;
}

/* What it may refuse although we take it:
 *  - the authority of an absolute target. We look at no part of it.
 *  - extensions of chunks, which mean nothing to us and end with their line, whatever they
 *    are. It reads them, and refuses some that RFC 9112 allows, like two with values.
 *  - trailers named like fields that frame a message. RFC 9110 forbids to heed them, so we
 *    drop them like all others. A `Connection: close` among them makes it refuse what follows. */
static bool may_refuse(const struct listener *listener, const struct http_head *head, bool after_chunks)
{
    str complaint = str_of(listener->complaint);
    if (after_chunks && str_find(complaint, STR("Connection: close"), 0) != SIZE_MAX) return true;
    if (head->target.p[0] != '/' && str_equal(complaint, STR("Unexpected char in url server"))) return true;
    if (!head->chunked) return false;
    bool in_extension = str_find(listener->complaint_line, STR(";"), 0) != SIZE_MAX;
    if (in_extension && str_starts(complaint, STR("Invalid character in chunk "))) return true;
    bool framing = str_find(complaint, STR("Transfer-Encoding"), 0) != SIZE_MAX ||
                   str_find(complaint, STR("Content-Length"), 0) != SIZE_MAX;
    return listener->in_trailer && framing;
}

static bool take_body(const struct http_head *head, str rest, struct told *told, size_t *ret_used)
{
    tell(told, MARK_BODY, STR(""));
    if (!head->chunked) {
        int64_t length = head->content_length < 0 ? 0 : head->content_length;
        if (length > (int64_t)rest.n) return false;
        *ret_used = (size_t)length;
        buf_add_str(&told->text, str_slice(rest, 0, *ret_used));
        return true;
    }
    struct http_chunks state = { 0 };
    struct buf body;
    bool complete = false;
    buf_init(&body, NULL);
    int64_t used = http_parse_chunks(&state, rest, BODY_MAX, &body, &complete);
    buf_add_str(&told->text, buf_str(&body));
    buf_done(&body);
    *ret_used = complete ? (size_t)used : 0;
    return complete;
}

static bool take_request(str rest, struct http_head *head, struct told *told)
{
    const struct limits limits = limits_default();
    int bytes = http_parse_head(rest, &limits, head);
    if (bytes <= 0) return false;
    told->text.n = 0;
    told->keep_alive = head->keep_alive;
    buf_add_str(&told->text, head->method);
    tell(told, MARK_TARGET, head->target);
    for (size_t i = 0; i < head->header_count; i++) {
        tell(told, MARK_NAME, head->header[i].name);
        tell(told, MARK_VALUE, head->header[i].value);
    }
    size_t used = 0;
    bool complete = take_body(head, str_slice(rest, (size_t)bytes, rest.n), told, &used);
    told->end = (size_t)bytes + used;
    return complete;
}

static void compare(str bytes, const struct listener *listener)
{
    struct told ours = { 0 };
    struct http_head head;
    size_t at = 0;
    bool after_chunks = false;
    buf_init(&ours.text, NULL);
    for (size_t i = 0; i + 1 < MESSAGES_MAX; i++) {
        if (!take_request(str_slice(bytes, at, bytes.n), &head, &ours) || has_tab_that_matters(&head)) break;
        if (i == listener->count && may_refuse(listener, &head, after_chunks)) break;
        after_chunks = head.chunked;
        must(i < listener->count); /* Else it refuses what we take. */
        const struct told *theirs = &listener->told[i];
        at += ours.end;
        must(str_equal(buf_str(&ours.text), buf_str(&theirs->text)));
        must(at == theirs->end);
        must(!ours.keep_alive || theirs->keep_alive || head.chunked);
        if (!ours.keep_alive) break;
    }
    buf_done(&ours.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str bytes = { (const char *)data, size };
    struct listener listener = { 0 };
    listen_to(bytes, &listener);
    compare(bytes, &listener);
    for (size_t i = 0; i < MESSAGES_MAX; i++) buf_done(&listener.told[i].text);
    buf_done(&listener.name);
    buf_done(&listener.value);
    return 0;
}
