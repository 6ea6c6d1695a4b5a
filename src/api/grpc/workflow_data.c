/* api/grpc/workflow_data.c — variables and ids, as the messages of the service have them. */
#include "api/grpc/workflow_int.h"

enum status workflow_read_data(struct unary *unary, const Google__Protobuf__Struct *object, const char *name,
                               const char *text, const char *text_name, const struct json **ret_data,
                               struct error *err)
{
    if (!text[0]) return value_read_struct(object, name, unary->arena, ret_data, err);
    if (object) return fail(err, ST_INVALID, text_name, "%s and %s cannot both be set", name, text_name);
    struct error inner;
    enum status status = json_parse(str_of(text), NULL, unary->arena, ret_data, &inner);
    if (status == ST_OK) return ST_OK;
    str sentence = error_sentence(&inner, unary->arena);
    return fail(err, status, text_name, "%s: %.*s", text_name, STR_ARG(sentence));
}

void workflow_write_data(const struct json *data, struct arena *scratch,
                         Google__Protobuf__Struct **ret_object, char **ret_text)
{
    const struct json *object = json_is(data, JSON_OBJECT) ? data : json_empty_object();
    bool exact = value_write_struct(object, scratch, ret_object) && (!data || object == data);
    if (exact) return;
    struct buf text;
    buf_init(&text, scratch);
    json_print(data, &text);
    *ret_text = message_text(scratch, buf_str(&text));
}

char *workflow_write_id(struct id id, struct arena *scratch)
{
    char *text = arena_alloc(scratch, ID_CHARS + 1);
    id_print(id, text);
    return text;
}
