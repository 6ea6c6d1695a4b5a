/* net/client.c — a blocking client: one request at a time, over one connection that it keeps.
 *
 * The server may close a kept connection just as the next request leaves. If no byte of an answer has come,
 * the client sends requests that may be repeated (GET, PUT, DELETE ...) once more over a new connection. It
 * does not repeat a POST, because the server might have done it.
 */
#include "net/client_int.h"
#include "net/limits.h"
#include "net/net_int.h"
#include "net/parse_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

enum { READ_STEP_BYTES = 16 << 10 };

struct http_client {
    struct client_stream stream;
    struct buf in; /* Read and not used yet. */
    SSL_CTX *tls;
    char host[256];
    char port[6];
    char where[300];     /* "http://127.0.0.1:8080", for messages. */
    char authority[272]; /* For the Host field. */
    struct buf prefix;   /* The path of the URL, without a slash at its end. */
    struct buf secret;
    struct buf headers;
};

/* The head of an answer and how its body ends. */
struct answer_head {
    int status;
    int64_t content_length; /* -1: none given. */
    bool chunked, close;
    str content_type, warning, cookie;
};

/* One try to send a request and read its answer. */
struct client_try {
    struct http_client *client;
    int64_t deadline_us;
    int64_t timeout_ms;
    struct error *err;
};

/* ---- the client ---- */

static bool is_host_byte(char c) { return (uint8_t)c > ' ' && c != 0x7f && !strchr("@?#\\\"<>", c); }

/* host[:port] or [address][:port]. */
static bool split_authority(struct http_client *client, str authority)
{
    bool bracket = authority.n && authority.p[0] == '[';
    size_t end = str_find(authority, bracket ? STR("]") : STR(":"), 0);
    if (bracket && end == SIZE_MAX) return false;
    str host = bracket ? str_slice(authority, 1, end) : str_slice(authority, 0, end);
    str port = str_slice(authority, end == SIZE_MAX ? authority.n : bracket ? end + 1 : end, authority.n);
    if (port.n && port.p[0] != ':') return false;
    port = str_slice(port, 1, port.n);

    int64_t number = client->tls ? 443 : 80;
    if (port.n && (!str_to_int64(port, &number) || number < 1 || number > 65535)) return false;
    if (!host.n || host.n >= sizeof client->host) return false;
    for (size_t i = 0; i < host.n; i++)
        if (!is_host_byte(host.p[i])) return false;
    snprintf(client->host, sizeof client->host, "%.*s", STR_ARG(host));
    snprintf(client->port, sizeof client->port, "%d", (int)number);
    snprintf(client->authority, sizeof client->authority, "%.*s", STR_ARG(authority));
    snprintf(client->where, sizeof client->where, "%s://%s", client->tls ? "https" : "http",
             client->authority);
    return true;
}

enum status http_client_new(str url, struct http_client **ret_client, struct error *err)
{
    bool tls = str_starts(url, STR("https://"));
    if (!tls && !str_starts(url, STR("http://")))
        return fail(err, ST_INVALID, "url", "a server's URL starts with http:// or https://");
    str rest = str_slice(url, tls ? 8 : 7, url.n);
    size_t slash = str_find(rest, STR("/"), 0);
    str prefix = slash == SIZE_MAX ? STR_NONE : str_slice(rest, slash, rest.n);
    while (prefix.n && prefix.p[prefix.n - 1] == '/') prefix.n--;

    net_ignore_sigpipe();
    struct http_client *client = calloc(1, sizeof *client);
    must(client);
    client->stream.fd = -1;
    buf_add_str(&client->prefix, prefix);
    if (tls) {
        client->tls = SSL_CTX_new(TLS_client_method());
        must(client->tls && SSL_CTX_set_min_proto_version(client->tls, TLS1_2_VERSION) == 1);
        SSL_CTX_set_verify(client->tls, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_default_verify_paths(client->tls);
    }
    if (!split_authority(client, str_slice(rest, 0, slash))) {
        http_client_free(client);
        return fail(err, ST_INVALID, "url", "%.*s: not a server's URL", STR_ARG(url));
    }
    *ret_client = client;
    return ST_OK;
}

static void disconnect(struct http_client *client)
{
    client_stream_close(&client->stream);
    buf_done(&client->in);
}

void http_client_free(struct http_client *client)
{
    if (!client) return;
    disconnect(client);
    buf_done(&client->prefix);
    buf_done(&client->secret);
    buf_done(&client->headers);
    SSL_CTX_free(client->tls);
    free(client);
}

void http_client_set_secret(struct http_client *client, str secret)
{
    buf_done(&client->secret);
    buf_add_str(&client->secret, secret);
}

void http_client_set_headers(struct http_client *client, str lines)
{
    client->headers.n = 0;
    buf_add_str(&client->headers, lines);
}

/* ---- one try ---- */

static enum status fail_io(const struct client_try *attempt, ssize_t result)
{
    const char *where = attempt->client->where;
    if (result == CLIENT_TIMED_OUT)
        return fail(attempt->err, ST_STORE, where, "no answer within %lld ms",
                    (long long)attempt->timeout_ms);
    return fail(attempt->err, ST_STORE, where, "the server closed the connection before it had answered");
}

static enum status fail_answer(const struct client_try *attempt, const char *what)
{
    return fail(attempt->err, ST_STORE, attempt->client->where, "%s", what);
}

static ssize_t read_more(const struct client_try *attempt)
{
    struct http_client *client = attempt->client;
    char *room = buf_reserve(&client->in, READ_STEP_BYTES);
    ssize_t n = client_stream_read(&client->stream, room, READ_STEP_BYTES, attempt->deadline_us);
    if (n > 0) client->in.n += (size_t)n;
    return n;
}

static void drop_read(struct http_client *client, size_t n)
{
    client->in.n -= n;
    if (client->in.n) memmove(client->in.p, client->in.p + n, client->in.n);
}

static int note_answer_field(struct answer_head *head, const struct http_header *field)
{
    if (str_equal_ignoring_case(field->name, STR("content-length"))) {
        if (head->content_length >= 0 || !parse_length(field->value, &head->content_length)) return -1;
    } else if (str_equal_ignoring_case(field->name, STR("transfer-encoding"))) {
        if (!str_equal_ignoring_case(field->value, STR("chunked"))) return -1;
        head->chunked = true;
    } else if (str_equal_ignoring_case(field->name, STR("connection"))) {
        head->close |= parse_has_option(field->value, STR("close"));
        if (parse_has_option(field->value, STR("keep-alive"))) head->close = false;
    } else if (str_equal_ignoring_case(field->name, STR("content-type"))) {
        head->content_type = field->value;
    } else if (str_equal_ignoring_case(field->name, STR("x-pawl-warning"))) {
        head->warning = field->value;
    } else if (str_equal_ignoring_case(field->name, STR("set-cookie")) && !head->cookie.n) {
        head->cookie = str_trim(str_slice(field->value, 0, str_find(field->value, STR(";"), 0)));
    }
    return 1;
}

/* Returns the bytes of the head if it is complete, 0 if more is needed, a negative number if it is not HTTP.
 */
static int parse_answer_head(str bytes, struct answer_head *ret_head)
{
    const char *end = bytes.p + bytes.n;
    const char *newline = bytes.n ? memchr(bytes.p, '\n', bytes.n) : NULL;
    if (!newline) return 0;
    str line = { bytes.p, (size_t)(newline - bytes.p) };
    int64_t status;
    if (line.n < 13 || !str_starts(line, STR("HTTP/1.")) || line.p[8] != ' ' || line.p[line.n - 1] != '\r' ||
        !str_to_int64(str_slice(line, 9, 12), &status) || status < 100)
        return -1;
    *ret_head =
        (struct answer_head){ .status = (int)status, .content_length = -1, .close = line.p[7] == '0' };

    const char *cursor = newline + 1;
    for (int verdict;;) {
        if (cursor == end) return 0;
        if (*cursor == '\r') {
            verdict = parse_empty_line(&cursor, end);
            return verdict == 1 ? (int)(cursor - bytes.p) : verdict;
        }
        struct http_header field;
        if ((verdict = parse_field(&cursor, end, &field)) != 1) return verdict;
        if (note_answer_field(ret_head, &field) < 0) return -1;
    }
}

/* Reads the final head; interim ones (1xx) are passed over. `ret_nothing`: not a byte came. */
static enum status read_head(const struct client_try *attempt, struct arena *arena,
                             struct answer_head *ret_head, bool *ret_nothing)
{
    struct http_client *client = attempt->client;
    *ret_nothing = false;
    for (;;) {
        int n = parse_answer_head(buf_str(&client->in), ret_head);
        if (n < 0) return fail_answer(attempt, "the answer is not valid HTTP/1.1");
        if (n > 0 && ret_head->status >= 200) {
            ret_head->content_type = arena_str(arena, ret_head->content_type);
            ret_head->warning = arena_str(arena, ret_head->warning);
            ret_head->cookie = arena_str(arena, ret_head->cookie);
            drop_read(client, (size_t)n);
            return ST_OK;
        }
        if (n > 0) {
            drop_read(client, (size_t)n);
            continue;
        }
        if (client->in.n > CLIENT_HEAD_BYTES_MAX)
            return fail_answer(attempt, "the answer's head is too large");
        ssize_t got = read_more(attempt);
        if (got <= 0) {
            *ret_nothing = got != CLIENT_TIMED_OUT && client->in.n == 0;
            return fail_io(attempt, got);
        }
    }
}

static enum status read_chunked(const struct client_try *attempt, struct buf *out)
{
    struct http_client *client = attempt->client;
    struct http_chunks state = { 0 };
    for (;;) {
        bool complete;
        int64_t n = http_parse_chunks(&state, buf_str(&client->in), CLIENT_ANSWER_BYTES_MAX, out, &complete);
        if (n == -413) return fail_answer(attempt, "the answer is too large");
        if (n < 0) return fail_answer(attempt, "the answer's chunks are malformed");
        drop_read(client, (size_t)n);
        if (complete) return ST_OK;
        ssize_t got = read_more(attempt);
        if (got <= 0) return fail_io(attempt, got);
    }
}

static enum status read_exactly(const struct client_try *attempt, size_t length, struct buf *out)
{
    struct http_client *client = attempt->client;
    char *bytes = buf_reserve(out, length);
    size_t n = client->in.n < length ? client->in.n : length;
    buf_add(out, client->in.p, n);
    drop_read(client, n);
    while (out->n < length) {
        ssize_t got =
            client_stream_read(&client->stream, bytes + out->n, length - out->n, attempt->deadline_us);
        if (got <= 0) return fail_io(attempt, got);
        out->n += (size_t)got;
    }
    return ST_OK;
}

static enum status read_to_end(const struct client_try *attempt, struct buf *out)
{
    struct http_client *client = attempt->client;
    for (;;) {
        buf_add_str(out, buf_str(&client->in));
        client->in.n = 0;
        if (out->n > CLIENT_ANSWER_BYTES_MAX) return fail_answer(attempt, "the answer is too large");
        ssize_t got = read_more(attempt);
        if (got == CLIENT_EOF) return ST_OK;
        if (got < 0) return fail_io(attempt, got);
    }
}

static enum status read_body(const struct client_try *attempt, struct answer_head *head, bool head_only,
                             struct buf *out)
{
    if (head_only || head->status == 204 || head->status == 304) return ST_OK;
    if (head->chunked) return read_chunked(attempt, out);
    if (head->content_length > CLIENT_ANSWER_BYTES_MAX)
        return fail_answer(attempt, "the answer is too large");
    if (head->content_length >= 0) return read_exactly(attempt, (size_t)head->content_length, out);
    head->close = true;
    return read_to_end(attempt, out);
}

static void compose_request(const struct http_client *client, const char *method, str path, str body,
                            struct buf *out)
{
    buf_printf(out, "%s %.*s%.*s HTTP/1.1\r\nHost: %s\r\nUser-Agent: pawl/%s\r\nAccept: application/json\r\n",
               method, STR_ARG(buf_str(&client->prefix)), STR_ARG(path), client->authority, PAWL_VERSION);
    if (client->secret.n)
        buf_printf(out, "Authorization: Bearer %.*s\r\n", STR_ARG(buf_str(&client->secret)));
    buf_add_str(out, buf_str(&client->headers));
    bool typed = str_find(buf_str(&client->headers), STR("Content-Type:"), 0) != SIZE_MAX;
    if (body.n && !typed) buf_add_str(out, STR("Content-Type: application/json\r\n"));
    if (body.n || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0)
        buf_printf(out, "Content-Length: %zu\r\n", body.n);
    buf_add_str(out, STR("\r\n"));
    buf_add_str(out, body);
}

enum status http_client_call(struct http_client *client, const char *method, str path, str body,
                             int64_t timeout_ms, struct arena *arena, struct http_answer *ret_answer,
                             struct error *err)
{
    struct client_try attempt = { .client = client,
                                  .timeout_ms = timeout_ms,
                                  .err = err,
                                  .deadline_us = clock_monotonic_us() + timeout_ms * 1000 };
    struct answer_head head;
    struct buf request, answer;
    enum status status;
    buf_init(&request, arena);
    buf_init(&answer, arena);
    compose_request(client, method, path, body, &request);

    for (bool again = true; again;) {
        if (client->stream.fd >= 0 && client_stream_is_stale(&client->stream)) disconnect(client);
        bool reused = client->stream.fd >= 0, nothing = false;
        if (!reused)
            TRY(client_stream_open(&client->stream, client->host, client->port, client->tls,
                                   attempt.deadline_us, client->where, err));
        ssize_t result = client_stream_write(&client->stream, buf_str(&request), attempt.deadline_us);
        /* A server that refuses early answers before it has read all: look for that too. */
        if (result == CLIENT_TIMED_OUT) status = fail_io(&attempt, result);
        else status = read_head(&attempt, arena, &head, &nothing);
        again = reused && nothing && strcmp(method, "POST") != 0 && strcmp(method, "PATCH") != 0;
        if (again) disconnect(client);
    }
    if (status == ST_OK) status = read_body(&attempt, &head, strcmp(method, "HEAD") == 0, &answer);
    if (status != ST_OK || head.close) disconnect(client);
    if (status != ST_OK) return status;
    if (client->in.n) disconnect(client); /* The server sent bytes that no request asked for. */
    *ret_answer = (struct http_answer){ .status = head.status,
                                        .content_type = head.content_type,
                                        .warning = head.warning,
                                        .cookie = head.cookie,
                                        .body = answer.n ? buf_str(&answer) : (str){ "", 0 } };
    return ST_OK;
}

/* ---- a body in pieces ---- */

static enum status pass_pieces(struct client_try *attempt, http_piece_fn *take, void *context)
{
    struct http_client *client = attempt->client;
    struct http_chunks state = { 0 };
    struct buf piece = { 0 };
    enum status status = ST_OK;
    for (bool complete = false; !complete && status == ST_OK;) {
        piece.n = 0;
        int64_t n =
            http_parse_chunks(&state, buf_str(&client->in), CLIENT_ANSWER_BYTES_MAX, &piece, &complete);
        if (n < 0) {
            status = fail_answer(attempt, "the answer's chunks are malformed");
            break;
        }
        drop_read(client, (size_t)n);
        if (piece.n && !take(buf_str(&piece), context)) break;
        if (complete) break;
        attempt->deadline_us = clock_monotonic_us() + attempt->timeout_ms * 1000;
        ssize_t got = read_more(attempt);
        if (got <= 0) status = fail_io(attempt, got);
    }
    buf_done(&piece);
    return status;
}

enum status http_client_stream(struct http_client *client, str path, int64_t idle_ms, http_piece_fn *take,
                               void *context, struct arena *arena, struct http_answer *ret_answer,
                               struct error *err)
{
    struct client_try attempt = { .client = client,
                                  .timeout_ms = idle_ms,
                                  .err = err,
                                  .deadline_us = clock_monotonic_us() + idle_ms * 1000 };
    struct answer_head head;
    struct buf request, body;
    bool nothing;
    buf_init(&request, arena);
    buf_init(&body, arena);
    compose_request(client, "GET", path, STR_NONE, &request);

    disconnect(client);
    TRY(client_stream_open(&client->stream, client->host, client->port, client->tls, attempt.deadline_us,
                           client->where, err));
    ssize_t result = client_stream_write(&client->stream, buf_str(&request), attempt.deadline_us);
    enum status status = result > 0 ? read_head(&attempt, arena, &head, &nothing) : fail_io(&attempt, result);
    if (status == ST_OK && head.status == 200 && head.chunked) status = pass_pieces(&attempt, take, context);
    else if (status == ST_OK) status = read_body(&attempt, &head, false, &body);
    disconnect(client);
    if (status != ST_OK) return status;
    *ret_answer = (struct http_answer){ .status = head.status,
                                        .content_type = head.content_type,
                                        .warning = head.warning,
                                        .cookie = head.cookie,
                                        .body = body.n ? buf_str(&body) : (str){ "", 0 } };
    return ST_OK;
}
