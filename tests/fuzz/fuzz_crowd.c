/* tests/fuzz/fuzz_crowd.c — several clients of HTTP/1.1 and HTTP/2 at one server, step by step.
 *
 * The input is a script: pairs of bytes, each of which opens a connection, sends a part of a request or odd
 * frames, reads, leaves, waits, or lets a handler go on with an answer. Handlers answer at once, later, in
 * streams and after pieces. Must hold: a handler hears of a body's end once, and of nothing behind it; a
 * client that leaves is told once; in the end nothing is left of connections and answers, and another client
 * is served.
 */
#include "wire.h"

#include "net/grpc.h"

enum {
    BIG_BYTES = 30000,
    PIECE_BYTES = 3000,
    STREAM_PIECES = 5,
    STEPS_MAX = 300,
    SOURCES = 3,
    WORDS = 16, /* Steps that the first byte of a pair chooses from. */
};

/* A request that is not answered yet. It lives in the request's arena. */
struct work {
    struct http_request *request;
    struct work *next, **link;
    enum { WORK_LATER, WORK_STREAM, WORK_PIECES } kind;
    size_t pieces;
    bool ended, gone;
};

static struct work *works;
static size_t gone_count;
static char big[BIG_BYTES];

/* ---- handlers ---- */

static void work_leave(struct work *work)
{
    *work->link = work->next;
    if (work->next) work->next->link = work->link;
}

static void work_end(struct work *work)
{
    struct http_request *request = work->request;
    work_leave(work);
    if (work->kind == WORK_STREAM) http_stream_end(request);
    else http_respond(request, 200, STR("X-A: b\r\n"), (str){ big, work->pieces % BIG_BYTES });
}

/* Some let go at once, others when the script says so. */
static void on_gone(void *user)
{
    struct work *work = user;
    must(!work->gone);
    work->gone = true;
    if (gone_count++ % 2) work_end(work);
}

static void on_drained(void *user)
{
    struct work *work = user;
    if (!work->gone && work->pieces++ < STREAM_PIECES)
        (void)http_stream_write(work->request, (str){ big, PIECE_BYTES });
}

static bool on_piece(str piece, void *user)
{
    struct work *work = user;
    must(!work->ended && !work->gone);
    work->pieces += piece.n;
    if (work->pieces % 3 == 1) http_hold_body(work->request, piece.n % 2);
    if (piece.n) return true;
    work->ended = true;
    work_end(work);
    return true;
}

static struct work *work_begin(struct http_request *request, int kind)
{
    struct work *work = arena_make(request->arena, struct work);
    *work = (struct work){ .request = request, .next = works, .link = &works };
    work->kind = (typeof(work->kind))kind;
    if (works) works->link = &work->next;
    works = work;
    request->user = work;
    request->on_gone = on_gone;
    return work;
}

/* A step of the script lets one request go on. */
static void work_step(uint8_t which)
{
    struct work *work = works;
    for (size_t i = which % 8; work && i; i--) work = work->next;
    if (!work) return;
    if (work->kind == WORK_STREAM && !work->gone && which & 0x80) {
        work->request->on_drained = which & 0x40 ? on_drained : NULL;
        if (http_stream_write(work->request, (str){ big, (which & 0x3f) * 64u })) return;
    }
    work_end(work);
}

static void on_message(struct grpc_call *call, str message, void *context)
{
    (void)context;
    must(grpc_send(call, message));
    grpc_finish(call, GRPC_OK, STR_NONE);
}

static const struct grpc_method method = {
    .service = STR_INIT("t"), .name = STR_INIT("u"), .kind = GRPC_UNARY, .message = on_message
};

static char letter_of(const struct http_request *request)
{
    return request->path.n > 1 ? request->path.p[1] : 'n';
}

static enum http_verdict gate(struct http_request *request, void *context)
{
    (void)context;
    must(!request->body.n);
    /* Letters of paths: l, s and t come from strangers, and so do a and r. */
    request->known = !strchr("lstar", letter_of(request));
    if (grpc_is_call(request)) return HTTP_TAKE_PIECES;
    switch (letter_of(request)) {
    case 'a': return HTTP_TAKE_ALWAYS;
    case 'r': return HTTP_TAKE_HEAD;
    case 'p': return HTTP_TAKE_PIECES;
    default: return HTTP_TAKE;
    }
}

static void handle(struct http_request *request, void *context)
{
    (void)context;
    if (grpc_is_call(request)) {
        grpc_start(request, &method, NULL);
        return;
    }
    switch (letter_of(request)) {
    case 'l': work_begin(request, WORK_LATER); break;
    case 'p': work_begin(request, WORK_PIECES), request->on_piece = on_piece; break;
    case 's':
        work_begin(request, WORK_STREAM);
        http_stream_begin(request, 200, STR_NONE);
        break;
    case 'b': http_respond(request, 200, STR_NONE, (str){ big, BIG_BYTES }); break;
    case 't': http_respond_with_trailers(request, 200, STR_NONE, request->body, STR("x-end: yes\r\n")); break;
    default: http_respond(request, 200, STR_NONE, request->body); break;
    }
}

static void open_server(void)
{
    struct http_server_config config = { .limits = limits_default(), .gate = gate, .handler = handle };
    wire_open_server(&config);
}

/* ---- the script ---- */

static const str paths[] = { STR_INIT("/now"),    STR_INIT("/big"),     STR_INIT("/later"),
                             STR_INIT("/stream"), STR_INIT("/pieces"),  STR_INIT("/refuse"),
                             STR_INIT("/always"), STR_INIT("/trailers") };

static str some(str *rest, size_t most)
{
    size_t n = rest->n ? (uint8_t)rest->p[0] % (most + 1) : 0;
    str taken = str_slice(*rest, 1, 1 + n);
    *rest = str_slice(*rest, 1 + n, rest->n);
    return taken;
}

static void add_head(struct wire *wire, struct buf *out, uint8_t which, str *rest)
{
    struct buf block;
    buf_init(&block, NULL);
    buf_add_str(&block, which & 8 ? STR("\x83\x86") : STR("\x82\x86")); /* POST or GET, http */
    wire_field(&block, STR(":path"), paths[which % COUNT(paths)]);
    wire_field(&block, STR(":authority"), STR("a"));
    if (which & 0x10) wire_field(&block, STR("content-length"), STR("300"));
    if (which & 0x20) wire_field(&block, STR("te"), STR("trailers"));
    if (which & 0x20) wire_field(&block, STR("content-type"), STR("application/grpc"));
    if (which & 0x40) wire_field(&block, STR("x-a"), some(rest, 60));
    uint8_t ends = which & 0x80 ? NGHTTP2_FLAG_END_STREAM : 0;
    size_t cut = which & 0x40 ? block.n / 2 : block.n;
    wire_frame(out, NGHTTP2_HEADERS, ends | (cut == block.n ? NGHTTP2_FLAG_END_HEADERS : 0), wire->next,
               str_slice(buf_str(&block), 0, cut));
    if (cut < block.n && !(which & 1))
        wire_frame(out, NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, wire->next,
                   str_slice(buf_str(&block), cut, block.n));
    wire->next += 2;
    buf_done(&block);
}

/* Many streams at once: heads, heads that are reset, or bodies without their end. */
static void add_burst(struct wire *wire, struct buf *out, uint8_t which)
{
    for (int i = 0; i < 24; i++) {
        str none = STR("");
        uint32_t stream = wire->next;
        add_head(wire, out, which & 0x9f, &none);
        if (which & 0x20) wire_frame(out, NGHTTP2_DATA, 0, stream, (str){ big, which * 4u });
        if (which & 0x40) wire_frame(out, NGHTTP2_RST_STREAM, 0, stream, STR("\0\0\0\x8"));
    }
}

static void add_window(struct buf *out, uint8_t which, uint32_t stream)
{
    static const str windows[] = { STR_INIT("\0\4\0\0\0\0"), STR_INIT("\0\4\0\0\0\3"),
                                   STR_INIT("\0\4\0\1\0\0"), STR_INIT("\0\4\x7f\xff\xff\xff") };
    if (which & 0x10) wire_frame(out, NGHTTP2_SETTINGS, 0, 0, windows[which % COUNT(windows)]);
    else wire_frame(out, NGHTTP2_WINDOW_UPDATE, 0, which & 1 ? stream : 0, STR("\0\0\x10\0"));
}

static void add_message(struct buf *out, uint8_t flags, uint32_t stream, str message)
{
    struct buf frame;
    buf_init(&frame, NULL);
    grpc_add_frame(&frame, message);
    wire_frame(out, NGHTTP2_DATA, flags, stream, buf_str(&frame));
    buf_done(&frame);
}

/* A request of HTTP/1.1, whole or without its end, once or several times. */
static void add_request(struct buf *out, uint8_t which)
{
    bool body = which & 8, chunked = which & 0x10;
    for (int i = 0; i < (which & 0x40 ? 12 : 1); i++) {
        buf_printf(out, "%s %.*s HTTP/1.1\r\nHost: a\r\n", body ? "POST" : "GET",
                   STR_ARG(paths[which % COUNT(paths)]));
        if (body && chunked) buf_add_str(out, STR("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
        else if (body) buf_add_str(out, STR("Content-Length: 5\r\n\r\nhell"));
        else buf_add_str(out, STR("\r\n"));
        if (body && !(which & 0x80)) buf_add_str(out, chunked ? STR("0\r\n\r\n") : STR("o"));
    }
    if (which & 0x20) out->n -= out->n / 4;
}

static void open_wire(struct wire *wire, uint8_t which, struct buf *out)
{
    wire_dial(wire, (uint8_t)(1 + which / 8 % SOURCES));
    if (!(which & 0x80)) return;
    wire->next = 1;
    buf_add_str(out, (str){ NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN });
    wire_frame(out, NGHTTP2_SETTINGS, 0, 0, which & 0x40 ? STR("\0\4\0\0\0\0") : STR(""));
}

/* Once in a run: all time-outs pass. */
static void wait_a_moment(bool *has_waited)
{
    int64_t until_us = clock_monotonic_us() + 2 * WIRE_TIMEOUT_MS * 1000;
    while (!*has_waited && clock_monotonic_us() < until_us) {
        usleep(1000);
        wire_turn();
    }
    *has_waited = true;
}

static void step_http2(struct wire *wire, uint8_t word, uint8_t which, str *rest, struct buf *out)
{
    uint32_t back = 2 * (which / 8 % 8u), stream = wire->next > back + 2 ? wire->next - back - 2 : 1;
    uint8_t ends = which & 0x80 ? NGHTTP2_FLAG_END_STREAM : 0;
    switch (word) {
    case 1:
    case 2: add_head(wire, out, which, rest); break;
    case 3: wire_frame(out, NGHTTP2_DATA, ends, stream, some(rest, 250)); break;
    case 4: add_message(out, ends, stream, some(rest, 100)); break;
    case 5: wire_frame(out, NGHTTP2_RST_STREAM, 0, stream, STR("\0\0\0\x8")); break;
    case 6: add_window(out, which, stream); break;
    case 7: wire_frame(out, NGHTTP2_PING, 0, 0, STR("12345678")); break;
    case 8: add_burst(wire, out, which); break;
    case 9: wire_frame(out, NGHTTP2_DATA, ends, stream, (str){ big, which * 64u }); break;
    default: break;
    }
}

static void run(str rest)
{
    char answer[4096];
    size_t steps = 0;
    bool has_waited = false;
    while (rest.n >= 2 && steps++ < STEPS_MAX) {
        uint8_t word = (uint8_t)rest.p[0] % WORDS, which = (uint8_t)rest.p[1];
        struct wire *wire = &wires[(uint8_t)rest.p[0] / WORDS % WIRE_COUNT];
        struct buf out;
        rest = str_slice(rest, 2, rest.n);
        buf_init(&out, NULL);
        switch (word) {
        case 0: open_wire(wire, which, &out); break;
        case 10: buf_add_str(&out, some(&rest, 200)); break;
        case 11: (void)wire_read(wire, answer, sizeof answer); break;
        case 12: wire_close(wire); break;
        case 13: work_step(which); break;
        case 14:
            if (which == 1) wait_a_moment(&has_waited);
            else if (wire->fd) shutdown(wire->fd, SHUT_WR);
            break;
        default:
            if (wire->next) step_http2(wire, word, which, &rest, &out);
            else add_request(&out, which);
        }
        wire_send(wire, buf_str(&out));
        buf_done(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!wire_server) open_server();
    run((str){ (const char *)data, size });
    for (size_t i = 0; i < WIRE_COUNT; i++) wire_close(&wires[i]);
    while (works) work_end(works);
    wire_finish();
    must(!works);
    wire_check_served(STR("GET /now HTTP/1.1\r\nHost: a\r\n\r\n"));
    return 0;
}
