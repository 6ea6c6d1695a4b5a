/* api/v1/modify.c — POST /v1/instances/{id}/modify: repair by hand.
 *
 *     {"set": {…}, "unset": ["name"], "move": [{"from": "a", "to": "b"}],
 *      "add": [{"step": "n", "beside": "a"}], "cancel": ["w"], "ifRevision": 7, "reason": "…", "by": "…"}
 *
 * A token is named by the step where it stands or by its stepExecutionId. A member that is not known is
 * refused (`exact` in routes.c): a repair must not do less than was meant.
 */
#include "api/v1/v1_int.h"

#include "json/json.h"

struct modify_reading {
    struct modification item[MODIFICATIONS_MAX];
    size_t count;
};

/* Reads one item of a list: an object, or the text of its first member alone. */
static enum status read_item(const struct json *item, enum modification_kind kind,
                             struct modification *ret_item, struct error *err)
{
    static const char *const members[][3] = {
        [MODIFY_MOVE] = { "from", "to", NULL },
        [MODIFY_ADD] = { "step", "beside", NULL },
        [MODIFY_CANCEL] = { "step", NULL },
    };
    const char *const *name = members[kind];
    str first, second = STR_NONE;
    if (json_is(item, JSON_STRING) && kind != MODIFY_MOVE) {
        first = json_string(item);
        if (!first.n || first.n > NODE_NAME_BYTES_MAX)
            return fail(err, ST_INVALID, name[0], "a step is named by its id");
    } else if (json_is(item, JSON_OBJECT)) {
        TRY(field_required_text(item, name[0], NODE_NAME_BYTES_MAX, &first, err));
        if (kind == MODIFY_MOVE) TRY(field_required_text(item, name[1], NODE_NAME_BYTES_MAX, &second, err));
        if (kind == MODIFY_ADD) TRY(field_text(item, name[1], NODE_NAME_BYTES_MAX, &second, err));
    } else {
        return fail(err, ST_INVALID, name[0], "%s",
                    kind == MODIFY_MOVE ? "move takes objects with from and to"
                                        : "add and cancel take ids of steps, or objects with a step");
    }
    *ret_item = kind == MODIFY_ADD ? (struct modification){ .kind = kind, .at = second, .to = first }
                                   : (struct modification){ .kind = kind, .at = first, .to = second };
    return ST_OK;
}

static enum status read_items(const struct json *body, const char *name, enum modification_kind kind,
                              struct modify_reading *reading, struct error *err)
{
    const struct json *list;
    TRY(field_list(body, name, &list, err));
    struct json_each each = json_each(list);
    while (list && json_next(&each)) {
        if (reading->count == MODIFICATIONS_MAX)
            return fail(err, ST_LIMIT, name,
                        "at most %d tokens can be moved, added and cancelled at once (MODIFICATIONS_MAX)",
                        MODIFICATIONS_MAX);
        TRY(read_item(each.value, kind, &reading->item[reading->count++], err));
    }
    return ST_OK;
}

static enum status read_body(const struct json *body, struct arena *arena, struct call_modify *ret_asked,
                             struct error *err)
{
    struct modify_reading *reading = arena_make(arena, struct modify_reading);
    int64_t revision = 0;
    TRY(field_variables(body, "set", &ret_asked->data, err));
    TRY(field_list(body, "unset", &ret_asked->unset, err));
    TRY(read_items(body, "move", MODIFY_MOVE, reading, err));
    TRY(read_items(body, "cancel", MODIFY_CANCEL, reading, err));
    TRY(read_items(body, "add", MODIFY_ADD, reading, err));
    TRY(field_integer(body, "ifRevision", &revision, err));
    if (revision < 0 || revision > UINT32_MAX)
        return fail(err, ST_INVALID, "ifRevision", "ifRevision must be the revision of an instance");
    TRY(field_text(body, "reason", FAILURE_REASON_BYTES_MAX, &ret_asked->text, err));
    TRY(field_text(body, "by", WORKER_ID_BYTES_MAX, &ret_asked->actor, err));
    ret_asked->if_revision = (uint32_t)revision;
    ret_asked->modification = reading->item;
    ret_asked->modification_count = reading->count;
    return ST_OK;
}

static void put_tokens(struct buf *out, const struct instance_view *instance, const struct token_view *token,
                       size_t count)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        v1_put_token(out, instance, &token[i]);
    }
    buf_add_char(out, ']');
}

static void render_modified(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_instances *answer = &call->value.instances;
    *ret_http_status = 200;
    PUT(out, "{\"dryRun\":");
    buf_add_str(out, call->as.modify.dry_run ? STR("true") : STR("false"));
    PUT(out, ",\"instance\":");
    v1_put_instance(out, answer->view, INSTANCE_WHOLE, call->answer_max);
    PUT(out, ",\"revision\":");
    put_int(out, answer->view->revision);
    PUT(out, ",\"before\":");
    put_tokens(out, answer->view, answer->token_before, answer->token_before_count);
    PUT(out, ",\"tokens\":");
    put_tokens(out, answer->view, answer->token, answer->token_count);
    buf_add_char(out, '}');
}

enum status v1_modify(struct api_request *request, struct error *err)
{
    const struct json *body;
    str dry = query_text(request, STR("dryRun"));
    if (dry.n && !str_equal(dry, STR("true")) && !str_equal(dry, STR("false")))
        return fail(err, ST_INVALID, "dryRun", "dryRun must be true or false");
    struct call_modify asked = { 0 };
    asked.dry_run = str_equal(dry, STR("true"));
    TRY(param_instance(request, &asked.id, err));
    TRY(request_body(request, true, &body, err));
    TRY(read_body(body, request->http->arena, &asked, err));
    return request_submit(request, call_modify(request_origin(request), &asked), render_modified, err);
}
