/* api/grpc/workflow_definitions.c — methods of the workflow service about definitions. */
#include "api/grpc/workflow_int.h"

#include "dialect/dialect.h"

typedef Workflow__V1__WorkflowDefinition definition_message;

/* ---- upload ---- */

static enum status render_uploaded(const struct call *call, struct arena *scratch, struct buf *out,
                                   struct error *err)
{
    const struct answer_definitions *answer = &call->value.definitions;
    Workflow__V1__UploadDefinitionResponse message;
    workflow__v1__upload_definition_response__init(&message);
    message.id = message_text(scratch, answer->row->id);
    message.version = answer->row->version;
    message.uploaded_at = value_write_time(answer->row->created_ms, scratch);
    message.warnings = arena_make_n(scratch, char *, answer->problems.count);
    for (size_t i = 0; i < answer->problems.count; i++) {
        const struct problem *problem = &answer->problems.problem[i];
        if (problem->warning)
            message.warnings[message.n_warnings++] = message_text(scratch, problem->message);
    }
    message_pack(&message.base, out);
    (void)err;
    return ST_OK;
}

enum status workflow_upload_definition(struct unary *unary, const ProtobufCMessage *message,
                                       struct error *err)
{
    const Workflow__V1__UploadDefinitionRequest *request = (const void *)message;
    struct call_deploy asked = { .format = SOURCE_ANY };
    if (!request->definition == !request->document[0])
        return fail(err, ST_INVALID, "definition", "one of definition and document is required");
    if (request->definition) {
        struct arena values;
        struct buf text;
        arena_init(&values, 0);
        buf_init(&text, unary->arena);
        enum status status = translate_print(&request->definition->base, &values, &text, err);
        arena_done(&values);
        if (status != ST_OK) return status;
        asked.text = buf_str(&text);
    } else {
        asked.text = arena_str(unary->arena, str_of(request->document));
    }
    return unary_submit(unary, call_deploy(unary_origin(unary), &asked), render_uploaded, err);
}

/* ---- reading ---- */

static void write_summary(const struct definition_row *row, struct arena *scratch,
                          definition_message *ret_message)
{
    workflow__v1__workflow_definition__init(ret_message);
    ret_message->id = message_text(scratch, row->id);
    ret_message->version = row->version;
    ret_message->name = message_text(scratch, row->title);
}

/* The stored document in the author's order. Members that the message does not know are only in the text. */
static enum status render_definition(const struct call *call, struct arena *scratch, struct buf *out,
                                     struct error *err)
{
    const struct definition_row *row = call->value.definitions.row;
    Workflow__V1__GetDefinitionResponse message;
    definition_message definition;
    workflow__v1__get_definition_response__init(&message);
    write_summary(row, scratch, &definition);
    const struct json *document = v1_definitions_document(row, scratch);
    if (!document) return fail(err, ST_INTERNAL, "", "the stored document is damaged");
    struct buf text;
    buf_init(&text, scratch);
    json_print(document, &text);
    message.document = message_text(scratch, buf_str(&text));
    const struct json *description = json_get(document, STR("description"));
    const struct dialect *dialect = dialect_of(document);
    if (dialect && dialect->has_steps) translate_read(document, scratch, &definition.base);
    else if (json_is(description, JSON_STRING))
        definition.description = message_text(scratch, json_string(description));
    message.definition = &definition;
    message_pack(&message.base, out);
    return ST_OK;
}

enum status workflow_get_definition(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__GetDefinitionRequest *request = (const void *)message;
    struct call_definition asked = { .version = request->version };
    TRY(unary_required_text(unary, request->id, "id", DEFINITION_ID_BYTES_MAX, &asked.id, err));
    if (asked.version < 0)
        return fail(err, ST_NOT_FOUND, "", "definition \"%.*s\" has no version %d", STR_ARG(asked.id),
                    asked.version);
    return unary_submit(unary, call_get_definition(unary_origin(unary), &asked), render_definition, err);
}

static enum status render_definitions(const struct call *call, struct arena *scratch, struct buf *out,
                                      struct error *err)
{
    const struct answer_definitions *answer = &call->value.definitions;
    for (size_t i = 0; i < answer->count; i++) {
        definition_message item;
        write_summary(&answer->row[i], scratch, &item);
        message_pack_part(1, &item.base, out);
    }
    message_pack_number(2, (uint64_t)answer->total, out);
    (void)err;
    return ST_OK;
}

enum status workflow_list_definitions(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__ListDefinitionsRequest *request = (const void *)message;
    struct call_definitions asked = { 0 };
    TRY(unary_text(unary, request->keyword, "keyword", SIZE_MAX, &asked.keyword, err));
    unary_page(unary, request->page, request->page_size, &asked.skip, &asked.max);
    return unary_submit(unary, call_list_definitions(unary_origin(unary), &asked), render_definitions, err);
}
