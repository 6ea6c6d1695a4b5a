/* api/grpc/unary.c — a method with one message in each direction: its call, and its answer. */
#include "api/grpc/unary_int.h"

#include "api/access/access_int.h"
#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/request_int.h"
#include "api/submit_int.h"
#include "base/hash.h"
#include "base/must.h"
#include "dialect/dialect.h"

#include <stdlib.h>

/* ---- the answer ---- */

static void refuse(struct unary *unary, const struct error *err)
{
    int code = unary->code ? unary->code(err) : status_grpc(err->status);
    struct api_request *request = access_request_of(unary->grpc->request);
    if (err->status == ST_FORBIDDEN && request) access_note_refusal(request, err->message);
    grpc_finish(unary->grpc, (enum grpc_status)code, error_sentence(err, unary->arena));
}

void unary_answer(struct unary *unary, str message)
{
    if (unary->reading) {
        unary->is_answered = true;
        unary->answer = message;
        return;
    }
    if (unary->warning.n) grpc_add_trailer(unary->grpc, STR("x-pawl-warning"), unary->warning);
    grpc_send(unary->grpc, message);
    grpc_finish(unary->grpc, GRPC_OK, STR_NONE);
}

/* The answer to a call that succeeded, while its message is made. */
struct unary_success {
    struct aside_work aside;
    struct unary *unary;
    struct call *call;
    struct buf out;
    enum status status;
    int64_t held_bytes; /* In the budget of answers. */
};

/* On any thread. */
static void render_success(void *context)
{
    struct unary_success *success = context;
    struct call *call = success->call;
    struct arena scratch;
    arena_init(&scratch, 0);
    buf_init(&success->out, call->arena);
    success->status = success->unary->render(call, &scratch, &success->out, &call->error);
    arena_done(&scratch);
}

static void drop_success(void *context)
{
    const struct unary_success *success = context;
    budget_add(success->unary->api->config.answers, -success->held_bytes);
}

static void give_success(void *context)
{
    struct unary_success *success = context;
    struct unary *unary = success->unary;
    drop_success(success); /* From now on the network counts it. */
    if (unary->gone) grpc_finish(unary->grpc, GRPC_CANCELLED, STR_NONE);
    else if (success->status == ST_OK) unary_answer(unary, buf_str(&success->out));
    else refuse(unary, &success->call->error);
}

static void answer_success(struct unary *unary, struct call *call)
{
    struct unary_success success = { .unary = unary, .call = call }, *kept;
    submit_shorten(unary->api, call);
    if (call->replayed) grpc_add_trailer(unary->grpc, STR("idempotency-replayed"), STR("true"));
    if (!aside_answer_is_due(unary->api, call->arena->used)) {
        render_success(&success);
        give_success(&success);
        return;
    }
    kept = arena_make(call->arena, struct unary_success);
    *kept = success;
    kept->aside = (struct aside_work){
        .run = render_success, .done = give_success, .drop = drop_success, .context = kept
    };
    kept->held_bytes = ASIDE_ANSWER_COPIES * (int64_t)call->arena->used;
    budget_add(unary->api->config.answers, kept->held_bytes);
    aside_begin(unary->api, &kept->aside);
}

static void answered(struct call *call)
{
    struct unary *unary = call->user;
    unary->call = NULL;
    if (unary->holder) access_let_go(unary->holder);
    if (unary->expired && access_ends_call(call)) {
        grpc_finish(unary->grpc, GRPC_UNAUTHENTICATED, STR("the credential counts no more"));
        return;
    }
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
    return (struct call_origin){ unary->arena, answered, unary, unary->grpc->request->caller };
}

static enum status take_person(struct unary *unary, struct call *call, struct error *err)
{
    str actor = grpc_metadata(unary->grpc, STR("x-actor")),
        groups = grpc_metadata(unary->grpc, STR("x-groups"));
    TRY(submit_check_actor(actor, err));
    TRY(submit_check_groups(groups, err));
    return submit_person(call, unary->grpc->request->caller, actor, groups, err);
}

/* Metadata that the method does not read has no effect, and the answer says so. */
static void warn_of_metadata(struct unary *unary, struct call *call)
{
    const struct {
        str name;
        bool is_read;
    } known[] = { { STR("idempotency-key"), call_takes_key(call) },
                  { STR("x-actor"), submit_takes_actor(call) },
                  { STR("x-groups"), submit_takes_groups(call) } };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (known[i].is_read || !grpc_metadata(unary->grpc, known[i].name).n) continue;
        unary->warning = arena_printf(unary->arena, "%.*s%s%s has no effect: the method does not read it",
                                      STR_ARG(unary->warning), unary->warning.n ? "; " : "", known[i].name.p);
    }
}

static void end_access(void *context)
{
    struct unary *unary = context;
    unary->expired = true;
    if (unary->call) runtime_abandon(unary->api->config.client, unary->call);
}

static void hold(struct unary *unary)
{
    struct api_request *request = access_request_of(unary->grpc->request);
    if (!request) return;
    unary->holder = arena_make(unary->arena, struct access_holder);
    access_hold(unary->holder, request, end_access, unary);
}

enum status unary_submit(struct unary *unary, struct call *call, unary_render_fn *render, struct error *err)
{
    int64_t answer_max = unary->api->config.limits.answer_bytes_max;
    if (answer_max > MESSAGE_ANSWER_TEXT_MAX) answer_max = MESSAGE_ANSWER_TEXT_MAX;
    unary->render = render;
    unary->call = call;
    if (unary->reading) return ST_OK;
    unary->waits = call_wait_ms(call) > 0;
    enum status status =
        submit_key(call, grpc_metadata(unary->grpc, STR("idempotency-key")), unary->hash, err);
    if (status == ST_OK) status = take_person(unary, call, err);
    if (status == ST_OK) warn_of_metadata(unary, call);
    if (status == ST_OK && (unary->waits || call_may_stop(call))) hold(unary);
    if (status == ST_OK) status = submit_call(unary->api, call, answer_max, err);
    if (status != ST_OK) unary->call = NULL;
    if (status != ST_OK && unary->holder) access_let_go(unary->holder);
    return status;
}

/* ---- the message ---- */

static enum status run(struct unary *unary, str bytes, const ProtobufCMessageDescriptor *type,
                       unary_fn *method, struct error *err)
{
    ProtobufCMessage *message;
    struct arena scratch;
    if (grpc_metadata(unary->grpc, STR("idempotency-key")).n) {
        uint64_t parts[2] = { hash_bytes(str_of(type->name)) };
        TRY(message_check(type, bytes, &parts[1], err));
        unary->hash = hash_bytes((str){ (const char *)parts, sizeof parts });
    }
    arena_init(&scratch, 0);
    enum status status = message_unpack(type, bytes, &scratch, &message, err);
    if (status == ST_OK) status = method(unary, message, err);
    arena_done(&scratch);
    return status;
}

/* A large message, read on another thread into memory of its own: the network looks at the call's arena. */
struct unary_reading {
    struct aside_work aside;
    struct unary *unary;
    str message;
    const ProtobufCMessageDescriptor *type;
    unary_fn *method;
    struct arena arena;
    enum status status;
    struct error error;
};

static void read_message(void *context)
{
    struct unary_reading *reading = context;
    reading->status = run(reading->unary, reading->message, reading->type, reading->method, &reading->error);
}

static void drop_reading(void *context)
{
    struct unary_reading *reading = context;
    reading->unary->reading = NULL;
    reading->unary->arena = reading->unary->grpc->request->arena;
    arena_done(&reading->arena);
    free(reading);
}

/* The call that the method submitted, or its answer, while it was on another thread. */
static enum status catch_up(struct unary *unary, struct error *err)
{
    if (unary->is_answered) {
        unary_answer(unary, unary->answer);
        return ST_OK;
    }
    unary->call->arena = unary->arena;
    return unary_submit(unary, unary->call, unary->render, err);
}

static void message_read(void *context)
{
    struct unary_reading *reading = context;
    struct unary *unary = reading->unary;
    enum status status = reading->status;
    struct error err = reading->error;
    arena_adopt(unary->grpc->request->arena, &reading->arena);
    drop_reading(reading);
    if (unary->gone) {
        grpc_finish(unary->grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    if (status == ST_OK) status = catch_up(unary, &err);
    if (status != ST_OK) refuse(unary, &err);
}

static void read_aside(struct unary *unary, str bytes, const ProtobufCMessageDescriptor *type,
                       unary_fn *method)
{
    struct unary_reading *reading = calloc(1, sizeof *reading);
    must(reading);
    *reading = (struct unary_reading){ .unary = unary, .type = type, .method = method };
    reading->message = arena_str(unary->arena, bytes);
    reading->aside = (struct aside_work){
        .run = read_message, .done = message_read, .drop = drop_reading, .context = reading
    };
    arena_init(&reading->arena, 0);
    unary->arena = &reading->arena;
    unary->reading = reading;
    aside_begin(unary->api, &reading->aside);
}

void unary_take(struct grpc_call *grpc, str bytes, struct api *api, const ProtobufCMessageDescriptor *type,
                unary_fn *method)
{
    struct unary *unary = arena_make(grpc->request->arena, struct unary);
    struct error err = { 0 };
    unary->api = api;
    unary->arena = grpc->request->arena;
    unary->grpc = grpc;
    grpc->user = unary;
    if (aside_is_due(api, bytes.n, false)) read_aside(unary, bytes, type, method);
    else if (run(unary, bytes, type, method, &err) != ST_OK) refuse(unary, &err);
}

void unary_leave(struct grpc_call *grpc)
{
    struct unary *unary = grpc->user;
    unary->gone = true;
    if (unary->reading) {
        if (aside_withdraw(&unary->reading->aside)) grpc_finish(grpc, GRPC_CANCELLED, STR_NONE);
        return;
    }
    /* Other calls are answered soon, and take effect whoever waits for them. */
    if (unary->call && unary->waits) runtime_abandon(unary->api->config.client, unary->call);
}

/* ---- fields ---- */

void unary_fit(struct unary *unary, const char *name, int64_t most, int64_t otherwise, int64_t *number)
{
    str warning = query_fit(unary->arena, name, most, otherwise, number);
    if (warning.n) unary->warning = warning;
}

void unary_page(struct unary *unary, int64_t page, int64_t size, int64_t *ret_skip, size_t *ret_size)
{
    unary_fit(unary, "page", INT32_MAX, 0, &page);
    int64_t size_max = unary->api->config.limits.page_size_max;
    unary_fit(unary, "page_size", size_max, size_max < PAGE_SIZE_DEFAULT ? size_max : PAGE_SIZE_DEFAULT,
              &size);
    *ret_skip = page * size;
    *ret_size = (size_t)size;
}

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
