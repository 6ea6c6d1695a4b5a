/* tests/fuzz/fuzz_grpc.c — calls of gRPC, from the frames on the wire to the calls that the services make.
 *
 * The input is a list of calls: a byte that chooses the method, a byte that says how the message is sent, its
 * length in two bytes, the message. The network and the services are the real ones; calls to the engine lie
 * still until a later call of the list has come, or until the end, and fail then. Must hold: every call that
 * was submitted is answered once, and in the end nothing is left of connections and answers.
 */
#include "wire.h"

#include "api/api_int.h"
#include "api/grpc/services_int.h"
#include "base/log.h"
#include "compute/compute.h"
#include "runtime/runtime.h"

enum { CALLS_MAX = 24, METHODS_ROOM = 64, PENDING_ROOM = 256 };

static struct api *api;
static const struct grpc_method *methods[METHODS_ROOM];
static size_t method_count;
static struct call *pending[PENDING_ROOM];
static size_t pending_count;
static struct metrics metrics;

/* ---- an engine that is made up: these take the place of the real functions ---- */

enum status runtime_submit(struct runtime_client *client, struct call *call)
{
    (void)client;
    must(call->done && call->arena);
    if (pending_count == PENDING_ROOM) return ST_OVERLOAD;
    pending[pending_count++] = call;
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
    return &metrics;
}

bool runtime_healthy(const struct runtime *runtime)
{
    (void)runtime;
    return true;
}

int64_t runtime_ms_of_turn(const struct runtime *runtime)
{
    (void)runtime;
    return 0;
}

/* The oldest call fails. `done` may submit another one. */
static void answer_one(void)
{
    static const enum status statuses[] = { ST_NOT_FOUND, ST_INVALID, ST_CONFLICT, ST_LIMIT, ST_STORE };
    static size_t turn;
    if (!pending_count) return;
    struct call *call = pending[0];
    memmove(pending, pending + 1, --pending_count * sizeof *pending);
    call->status = fail(&call->error, statuses[turn++ % COUNT(statuses)], "where", "it is made up");
    call->done(call);
    wire_turn();
}

/* ---- the server ---- */

static void open_server(void)
{
    log_set_level(LOG_OFF);
    api = api_new(&(struct api_config){ .limits = limits_default(),
                                        .version = "1",
                                        .answers = &wire_answers,
                                        .compute = compute_new(clock_system()) });
    for (const struct grpc_service *const *service = services_all; *service; service++)
        for (size_t i = 0; i < (*service)->count; i++) {
            must(method_count < METHODS_ROOM);
            methods[method_count++] = &(*service)->methods[i];
        }
    struct http_server_config config = { .limits = limits_default(),
                                         .gate = api_gate,
                                         .handler = api_handle,
                                         .observer = api_observe,
                                         .refusal_headers = api_refusal_headers,
                                         .context = api };
    wire_open_server(&config);
}

/* ---- calls ---- */

static void add_head(struct buf *out, const struct grpc_method *method, uint8_t how, uint32_t stream)
{
    char path[120];
    struct buf block;
    buf_init(&block, NULL);
    buf_add_str(&block, STR("\x83\x86")); /* POST, http */
    int n = snprintf(path, sizeof path, "/%.*s/%.*s", STR_ARG(method->service), STR_ARG(method->name));
    must(n > 0 && (size_t)n < sizeof path);
    wire_field(&block, STR(":path"), str_of(path));
    wire_field(&block, STR(":authority"), STR("localhost"));
    wire_field(&block, STR("te"), STR("trailers"));
    wire_field(&block, STR("content-type"), STR("application/grpc"));
    if (how & 1) wire_field(&block, STR("idempotency-key"), STR("k"));
    if (how & 2) wire_field(&block, STR("grpc-timeout"), how & 4 ? STR("1n") : STR("5S"));
    wire_frame(out, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, stream, buf_str(&block));
    buf_done(&block);
}

/* The message's frame in pieces of `step` bytes; 0: whole. */
static void add_message(struct buf *out, str message, size_t step, bool ends, uint32_t stream)
{
    struct buf frame;
    buf_init(&frame, NULL);
    grpc_add_frame(&frame, message);
    if (!step) step = frame.n;
    for (size_t at = 0; at < frame.n; at += step)
        wire_frame(out, NGHTTP2_DATA, 0, stream, str_slice(buf_str(&frame), at, at + step));
    if (ends) wire_frame(out, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, stream, STR(""));
    buf_done(&frame);
}

/* Does the call go to a stream that is open, as another message of it? */
static void add_call(struct wire *wire, struct buf *out, uint8_t which, uint8_t how, str message)
{
    const struct grpc_method *method = methods[which % method_count];
    bool goes_on = how & 0x80 && wire->next > 1;
    uint32_t stream = goes_on ? wire->next - 2 : wire->next;
    if (!goes_on) {
        wire->next += 2;
        add_head(out, method, how, stream);
    }
    static const size_t steps[] = { 0, 1, 7, 300 };
    add_message(out, message, message.n < 200 || how & 8 ? steps[how / 8 % 4] : 0, !(how & 0x20), stream);
    if (how & 0x40) wire_frame(out, NGHTTP2_RST_STREAM, 0, stream, STR("\0\0\0\x8"));
}

static void begin(struct wire *wire, struct buf *out)
{
    wire_dial(wire, 1);
    wire->next = 1;
    buf_add_str(out, (str){ NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN });
    wire_frame(out, NGHTTP2_SETTINGS, 0, 0, STR(""));
}

static void run(str rest)
{
    char answer[4096];
    struct wire *wire = &wires[0];
    for (size_t i = 0; rest.n >= 4 && i < CALLS_MAX; i++) {
        uint8_t which = (uint8_t)rest.p[0], how = (uint8_t)rest.p[1];
        size_t n = (size_t)((uint8_t)rest.p[2] | (uint8_t)rest.p[3] << 8);
        str message = str_slice(rest, 4, 4 + n);
        struct buf out;
        rest = str_slice(rest, 4 + n, rest.n);
        buf_init(&out, NULL);
        if (!wire->fd) begin(wire, &out);
        add_call(wire, &out, which, how, message);
        wire_send(wire, buf_str(&out));
        buf_done(&out);
        (void)wire_read(wire, answer, sizeof answer);
        if (how & 0x10) answer_one();
        if (how & 4) api_look(api);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!wire_server) open_server();
    run((str){ (const char *)data, size });
    wire_close(&wires[0]);
    while (pending_count) answer_one();
    wire_finish();
    must(!pending_count && !api->member_stream_count && !api->watcher_count);
    wire_check_served(STR("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    return 0;
}
