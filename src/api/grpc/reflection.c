/* api/grpc/reflection.c — grpc.reflection: which services and messages there are, for grpcurl and its like.
 *
 * v1 and v1alpha differ in their names only, so both have the same functions. A file is sent with all that it
 * imports, each file once per answer. There are no extensions.
 */
#include "api/grpc/descriptors_int.h"
#include "api/grpc/message_int.h"
#include "api/grpc/services_int.h"
#include "api/grpc/symbols_int.h"

#include <grpc/reflection/v1/reflection.pb-c.h>

typedef Grpc__Reflection__V1__ServerReflectionRequest reflection_request;
typedef Grpc__Reflection__V1__ServerReflectionResponse reflection_response;

#define ASKS(what) GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##what
#define GIVES(what) GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##what

static void fail_with(reflection_response *response, enum grpc_status code, const char *text,
                      struct arena *arena)
{
    Grpc__Reflection__V1__ErrorResponse *error = arena_make(arena, Grpc__Reflection__V1__ErrorResponse);
    grpc__reflection__v1__error_response__init(error);
    error->error_code = (int32_t)code;
    error->error_message = message_text(arena, str_of(text));
    response->message_response_case = GIVES(ERROR_RESPONSE);
    response->error_response = error;
}

static void list_services(reflection_response *response, const struct api *api, struct arena *arena)
{
    size_t count = 0, at = 0;
    while (api->services[count]) count++;
    Grpc__Reflection__V1__ListServiceResponse *list =
        arena_make(arena, Grpc__Reflection__V1__ListServiceResponse);
    grpc__reflection__v1__list_service_response__init(list);
    list->service = arena_make_n(arena, Grpc__Reflection__V1__ServiceResponse *, count);
    for (; at < count; at++) {
        list->service[at] = arena_make(arena, Grpc__Reflection__V1__ServiceResponse);
        grpc__reflection__v1__service_response__init(list->service[at]);
        list->service[at]->name = message_text(arena, api->services[at]->name);
    }
    list->n_service = count;
    response->message_response_case = GIVES(LIST_SERVICES_RESPONSE);
    response->list_services_response = list;
}

static void give_file(reflection_response *response, const struct symbols *symbols, size_t at,
                      struct arena *arena)
{
    if (at == SIZE_MAX) {
        fail_with(response, GRPC_NOT_FOUND, "nothing of that name is known", arena);
        return;
    }
    bool *wanted = arena_make_n(arena, bool, symbols->count);
    symbols_mark_imports(symbols, at, wanted);
    Grpc__Reflection__V1__FileDescriptorResponse *files =
        arena_make(arena, Grpc__Reflection__V1__FileDescriptorResponse);
    grpc__reflection__v1__file_descriptor_response__init(files);
    files->file_descriptor_proto = arena_make_n(arena, ProtobufCBinaryData, symbols->count);
    for (size_t i = at + 1; i-- > 0;) { /* The one that was asked for first. */
        if (!wanted[i]) continue;
        union {
            const char *in;
            uint8_t *out;
        } bytes = { .in = symbols->file[i].bytes.p };
        files->file_descriptor_proto[files->n_file_descriptor_proto++] =
            (ProtobufCBinaryData){ symbols->file[i].bytes.n, bytes.out };
    }
    response->message_response_case = GIVES(FILE_DESCRIPTOR_RESPONSE);
    response->file_descriptor_response = files;
}

static void fill(reflection_response *response, const reflection_request *request, const struct api *api,
                 struct arena *arena)
{
    const struct symbols symbols = symbols_read(grpc_descriptors(), arena);
    switch (request->message_request_case) {
    case ASKS(LIST_SERVICES): list_services(response, api, arena); break;
    case ASKS(FILE_BY_FILENAME):
        give_file(response, &symbols, symbols_find_file(&symbols, str_of(request->file_by_filename)), arena);
        break;
    case ASKS(FILE_CONTAINING_SYMBOL):
        give_file(response, &symbols, symbols_find(&symbols, str_of(request->file_containing_symbol)), arena);
        break;
    case ASKS(FILE_CONTAINING_EXTENSION):
    case ASKS(ALL_EXTENSION_NUMBERS_OF_TYPE):
        fail_with(response, GRPC_NOT_FOUND, "there are no extensions", arena);
        break;
    default: fail_with(response, GRPC_INVALID_ARGUMENT, "the request asks for nothing", arena); break;
    }
}

static void reply(struct grpc_call *call, reflection_request *request, const struct api *api,
                  struct arena *arena)
{
    reflection_response response;
    struct buf out;
    grpc__reflection__v1__server_reflection_response__init(&response);
    response.valid_host = request->host;
    response.original_request = request;
    fill(&response, request, api, arena);
    buf_init(&out, arena);
    message_pack(&response.base, &out);
    grpc_send(call, buf_str(&out));
}

static void take(struct grpc_call *call, str message, void *context)
{
    ProtobufCMessage *request;
    struct arena arena;
    struct error err;
    arena_init(&arena, 0);
    enum status status = message_unpack(&grpc__reflection__v1__server_reflection_request__descriptor, message,
                                        &arena, &request, &err);
    if (status == ST_OK) reply(call, (reflection_request *)request, context, &arena);
    else grpc_finish(call, (enum grpc_status)status_grpc(status), str_of(err.message));
    arena_done(&arena);
}

static void closed(struct grpc_call *call, void *context)
{
    (void)context;
    grpc_finish(call, GRPC_OK, STR_NONE);
}

static void gone(struct grpc_call *call, void *context)
{
    (void)context;
    grpc_finish(call, GRPC_CANCELLED, STR_NONE);
}

#define SERVICE(variable, version)                                                                    \
    static const struct grpc_method variable##_methods[] = {                                          \
        { STR_INIT("grpc.reflection." version ".ServerReflection"), STR_INIT("ServerReflectionInfo"), \
          GRPC_BIDI, .message = take, .closed = closed, .gone = gone, .needs = MAY_SELF },            \
    };                                                                                                \
    const struct grpc_service variable = { STR_INIT("grpc.reflection." version ".ServerReflection"),  \
                                           variable##_methods, COUNT(variable##_methods) }

SERVICE(reflection_service, "v1");
SERVICE(reflection_alpha_service, "v1alpha");
