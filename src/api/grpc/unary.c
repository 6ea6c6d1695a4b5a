#include "api/grpc/unary_int.h"

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/submit_int.h"
#include "base/hash.h"
#include "dialect/dialect.h"

/* ---- the answer ---- */

static void refuse(struct unary *unary, const struct error *err)
{
    int code = unary->code ? unary->code(err) : status_grpc(err->status);
    grpc_finish(unary->grpc, (enum grpc_status)code, error_sentence(err, unary->arena));
}

void unary_answer(struct unary *unary, str message)
{
    grpc_send(unary->grpc, message);
    grpc_finish(unary->grpc, GRPC_OK, STR_NONE);
}

static void answer_success(struct unary *unary, struct call *call)
{
    struct arena scratch;
    struct buf out;
    arena_init(&scratch, 0);
    buf_init(&out, call->arena);
    submit_shorten(unary->api, call);
    if (call->replayed) grpc_add_trailer(unary->grpc, STR("idempotency-replayed"), STR("true"));
    enum status status = unary->render(call, &scratch, &out, &call->error);
    arena_done(&scratch);
    if (status == ST_OK) unary_answer(unary, buf_str(&out));
    else refuse(unary, &call->error);
}

static void answered(struct call *call)
{
    struct unary *unary = call->user;
    unary->call = NULL;
    if (unary->gone) {
        grpc_finish(unary->grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    call->error.status = call->status;
    if (call->status == ST_OK && call->replayed_text) /* Only requests of HTTP were remembered as texts. */
        fail(&call->error, ST_CONFLICT, "Idempotency-Key", "this key was used for a request of HTTP");
    if (call->error.status == ST_OK) answer_success(unary, call);
    else if (call->kind == CALL_DEPLOY && call->value.definitions.problems.error_count)
        grpc_finish(unary->grpc, (enum grpc_status)status_grpc(call->status),
                    dialect_refusal(&call->value.definitions.problems, call->arena));
    else refuse(unary, &call->error);
}

enum status unary_render_nothing(const struct call *call, struct arena *scratch, struct buf *out,
                                 struct error *err)
{
    (void)call;
    (void)scratch;
    (void)out;
    (void)err;
    return ST_OK;
}

/* ---- the call ---- */

struct call_origin unary_origin(struct unary *unary)
{
    return (struct call_origin){ unary->arena, answered, unary };
}

enum status unary_submit(struct unary *unary, struct call *call, unary_render_fn *render, struct error *err)
{
    int64_t answer_max = unary->api->config.limits.answer_bytes_max;
    if (answer_max > MESSAGE_ANSWER_TEXT_MAX) answer_max = MESSAGE_ANSWER_TEXT_MAX;
    TRY(submit_key(call, grpc_metadata(unary->grpc, STR("idempotency-key")), unary->hash, err));
    unary->render = render;
    unary->call = call;
    unary->waits = call_wait_ms(call) > 0;
    enum status status = submit_call(unary->api, call, answer_max, err);
    if (status != ST_OK) unary->call = NULL;
    return status;
}

void unary_leave(struct grpc_call *grpc)
{
    struct unary *unary = grpc->user;
    unary->gone = true;
    /* Other calls are answered soon, and take effect whoever waits for them. */
    if (unary->call && unary->waits) runtime_abandon(unary->api->config.client, unary->call);
}

/* ---- the message ---- */

static enum status run(struct unary *unary, str bytes, const ProtobufCMessageDescriptor *type,
                       unary_fn *method, struct arena *scratch, struct error *err)
{
    ProtobufCMessage *message;
    if (grpc_metadata(unary->grpc, STR("idempotency-key")).n) {
        uint64_t parts[2] = { hash_bytes(str_of(type->name)) };
        TRY(message_check(type, bytes, &parts[1], err));
        unary->hash = hash_bytes((str){ (const char *)parts, sizeof parts });
    }
    TRY(message_unpack(type, bytes, scratch, &message, err));
    return method(unary, message, err);
}

void unary_take(struct grpc_call *grpc, str bytes, struct api *api, const ProtobufCMessageDescriptor *type,
                unary_fn *method)
{
    struct unary *unary = arena_make(grpc->request->arena, struct unary);
    struct arena scratch;
    struct error err = { 0 };
    unary->api = api;
    unary->arena = grpc->request->arena;
    unary->grpc = grpc;
    grpc->user = unary;
    arena_init(&scratch, 0);
    if (run(unary, bytes, type, method, &scratch, &err) != ST_OK) refuse(unary, &err);
    arena_done(&scratch);
}

/* ---- fields ---- */

enum status unary_text(struct unary *unary, const char *text, const char *name, size_t bytes_max,
                       str *ret_text, struct error *err)
{
    TRY(field_check_length(str_of(text), name, bytes_max, err));
    *ret_text = text[0] ? arena_str(unary->arena, str_of(text)) : STR_NONE;
    return ST_OK;
}

enum status unary_required_text(struct unary *unary, const char *text, const char *name, size_t bytes_max,
                                str *ret_text, struct error *err)
{
    TRY(field_check_required(str_of(text), name, err));
    return unary_text(unary, text, name, bytes_max, ret_text, err);
}
