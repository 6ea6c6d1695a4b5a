/* api/access/keys.c — keys are made here: the engine gets the hash, and the client the text, once. */
#include "api/access/records_int.h"

#include "json/put.h"

static void render_key(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const str *text = request->stream;
    *ret_http_status = 201;
    json_print(call->value.access.view[0], out);
    out->n--; /* The brace. */
    PUT(out, ",\"key\":");
    put_text(out, *text);
    buf_add_char(out, '}');
    hashing_wipe(*text);
}

static enum status submit(struct api_request *request, struct access_change *change, str text,
                          struct error *err)
{
    str *kept = arena_make(request->http->arena, str);
    *kept = text;
    request->stream = kept;
    request->looks_around = true;
    change->hash = credential_hash(text);
    return records_submit(request, change, render_key, err);
}

enum status keys_create(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_CREATE };
    str name;
    TRY(request_body(request, true, &change.object, err));
    TRY(field_required_text(change.object, "name", ACCESS_TEXT_BYTES_MAX, &name, err));
    str text = key_make(request->http->arena, &change.name);
    return submit(request, &change, text, err);
}

enum status keys_rotate(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_ROTATE, .name = request->param[0] };
    str text;
    if (key_remake(request->http->arena, change.name, &text, err) != ST_OK)
        return fail(err, ST_NOT_FOUND, "", "there is no key of this id that could be rotated");
    return submit(request, &change, text, err);
}
