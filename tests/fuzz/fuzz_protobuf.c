/* tests/fuzz/fuzz_protobuf.c — messages of gRPC: a byte that chooses the type, then the message.
 *
 * Whatever the bytes are, they are unpacked or refused with a reason. A message that was unpacked can be
 * packed, and its bytes are taken again and give the same bytes. A value that was read can be written exactly
 * and read again, and is the same value. The hash of a message does not depend on who packed it.
 */
#include "fuzz.h"

#include "api/grpc/translate_int.h"
#include "base/utf8.h"

#include <grpc/reflection/v1/reflection.pb-c.h>
#include <io/cloudevents/v1/cloudevents.pb-c.h>
#include <workflow/v1/engine.pb-c.h>

static const ProtobufCMessageDescriptor *const types[] = {
    &google__protobuf__struct__descriptor,
    &workflow__v1__upload_definition_request__descriptor,
    &workflow__v1__start_instance_request__descriptor,
    &workflow__v1__poll_jobs_request__descriptor,
    &workflow__v1__workflow_instance__descriptor,
    &io__cloudevents__v1__cloud_event__descriptor,
    &grpc__reflection__v1__server_reflection_request__descriptor,
};

static void check_refused(enum status status, const struct error *err)
{
    must((status == ST_INVALID || status == ST_LIMIT) && err->message[0]);
    must(utf8_is_valid(str_of(err->message)));
}

static void check_struct(const Google__Protobuf__Struct *object, struct arena *arena)
{
    const struct json *read, *again;
    Google__Protobuf__Struct *written;
    struct error err = { 0 };
    enum status status = value_read_struct(object, "variables", arena, &read, &err);
    if (status != ST_OK) {
        check_refused(status, &err);
        return;
    }
    must(json_is(read, JSON_OBJECT) && json_depth(read) <= JSON_DEPTH_MAX);
    fuzz_check_value(read, arena);
    must(value_write_struct(read, arena, &written));
    must(value_read_struct(written, "variables", arena, &again, &err) == ST_OK);
    must(fuzz_same_cells(read, again));
}

static void check_definition(const Workflow__V1__WorkflowDefinition *definition, struct arena *arena)
{
    struct error err = { 0 };
    struct buf text, again;
    const struct json *document;
    if (!definition) return;
    buf_init(&text, arena);
    enum status status = translate_print(&definition->base, arena, &text, &err);
    if (status != ST_OK) {
        check_refused(status, &err);
        return;
    }
    if (json_parse(buf_str(&text), NULL, arena, &document, &err) != ST_OK) {
        check_refused(err.status, &err); /* A name that is there twice, or too deep. */
        return;
    }
    Workflow__V1__WorkflowDefinition read;
    workflow__v1__workflow_definition__init(&read);
    translate_read(document, arena, &read.base);
    buf_init(&again, arena);
    must(translate_print(&read.base, arena, &again, &err) == ST_OK);
}

static void check_message(const ProtobufCMessage *message, struct arena *arena)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    struct buf bytes, again;
    ProtobufCMessage *second;
    struct error err = { 0 };
    uint64_t hash, same;
    buf_init(&bytes, arena);
    buf_init(&again, arena);
    message_pack(message, &bytes);
    must(message_check(type, buf_str(&bytes), &hash, &err) == ST_OK);
    must(message_unpack(type, buf_str(&bytes), arena, &second, &err) == ST_OK);
    message_pack(second, &again);
    must(str_equal(buf_str(&bytes), buf_str(&again)));
    must(message_check(type, buf_str(&again), &same, &err) == ST_OK && hash == same);
    if (type == &google__protobuf__struct__descriptor)
        check_struct((const Google__Protobuf__Struct *)message, arena);
    if (type == &workflow__v1__upload_definition_request__descriptor)
        check_definition(((const Workflow__V1__UploadDefinitionRequest *)message)->definition, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    str bytes = { (const char *)data + 1, size - 1 };
    const ProtobufCMessageDescriptor *type = types[data[0] % COUNT(types)];
    ProtobufCMessage *message;
    struct error err = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = message_unpack(type, bytes, &arena, &message, &err);
    if (status == ST_OK) check_message(message, &arena);
    else check_refused(status, &err);
    arena_done(&arena);
    return 0;
}
