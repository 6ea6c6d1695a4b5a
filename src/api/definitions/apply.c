/* api/definitions/apply.c — several documents are published and definitions retired, all or none.
 *
 * Each document is sent as its text, so that problems have their lines, or as a value.
 */
#include "api/definitions/definitions_int.h"
#include "api/limits.h"
#include "api/missing_int.h"
#include "api/versions_int.h"
#include "api/workflows/workflows_int.h"

/* ---- the request ---- */

static enum status read_text(const struct json *object, struct arena *arena, str *ret_text, struct error *err)
{
    const struct json *document = json_get(object, STR("document"));
    struct buf out;
    TRY(field_text(object, "text", SIZE_MAX, ret_text, err));
    if (json_is(document, JSON_NULL)) document = NULL;
    if (!document == !ret_text->n)
        return fail(err, ST_INVALID, "documents", "each document has either a text or a document");
    if (!document) return ST_OK;
    buf_init(&out, arena);
    json_print(document, &out);
    *ret_text = buf_str(&out);
    return ST_OK;
}

static enum status read_format(const struct json *object, enum source_format *ret_format, struct error *err)
{
    str format;
    TRY(field_text(object, "format", 16, &format, err));
    *ret_format = SOURCE_ANY;
    if (str_equal(format, STR("json"))) *ret_format = SOURCE_JSON;
    else if (str_equal(format, STR("yaml"))) *ret_format = SOURCE_YAML;
    else if (format.n) return fail(err, ST_INVALID, "documents", "format must be json or yaml");
    return ST_OK;
}

static enum status read_document(struct api_request *request, const struct json *object,
                                 const struct call_around *around, struct apply_item *ret_item,
                                 struct error *err)
{
    struct call_deploy asked = { .around = around };
    if (!json_is(object, JSON_OBJECT))
        return fail(err, ST_INVALID, "documents", "documents must be a list of objects");
    TRY(field_required_text(object, "file", APPLY_FILE_BYTES_MAX, &ret_item->file, err));
    TRY(read_text(object, request->http->arena, &ret_item->text, err));
    TRY(read_format(object, &asked.format, err));
    asked.text = ret_item->text;
    ret_item->call = call_deploy(request_origin(request), &asked);
    return ST_OK;
}

static enum status read_retired(struct api_request *request, const struct json *value,
                                struct apply_item *ret_item, struct error *err)
{
    const struct call_definition asked = { .id =
                                               json_is(value, JSON_STRING) ? json_string(value) : STR_NONE };
    if (!asked.id.n) return fail(err, ST_INVALID, "prune", "prune must be a list of ids of definitions");
    TRY(field_check_length(asked.id, "prune", DEFINITION_ID_BYTES_MAX, err));
    ret_item->call = call_retire(request_origin(request), &asked);
    return ST_OK;
}

static enum status read_items(struct api_request *request, const struct json *body, struct call_apply *asked,
                              struct error *err)
{
    const struct json *documents, *prune;
    struct call_deploy around = { 0 };
    TRY(field_list(body, "documents", &documents, err));
    TRY(field_list(body, "prune", &prune, err));
    size_t count = (documents ? json_count(documents) : 0) + (prune ? json_count(prune) : 0);
    if (!count)
        return fail(err, ST_INVALID, "documents", "there is nothing to publish and nothing to retire");
    if (count > APPLY_ITEMS_MAX)
        return fail(err, ST_LIMIT, "documents",
                    "a request may have %d documents and definitions to retire (APPLY_ITEMS_MAX), not %zu",
                    APPLY_ITEMS_MAX, count);
    /* A dry run does not ask the engine, which alone knows the workers. */
    if (!asked->dry_run) missing_ask(request, &around);
    asked->item = arena_make_n(request->http->arena, struct apply_item, count);
    struct json_each each = json_each(documents);
    while (documents && json_next(&each))
        TRY(read_document(request, each.value, around.around, &asked->item[asked->count++], err));
    each = json_each(prune);
    while (prune && json_next(&each))
        TRY(read_retired(request, each.value, &asked->item[asked->count++], err));
    return ST_OK;
}

/* ---- the answer ---- */

static void put_version(struct buf *out, const struct apply_item *item, bool dry_run)
{
    const struct answer_definitions *answer = &item->call->value.definitions;
    int32_t version = dry_run ? item->before : answer->row->version;
    if (version) {
        PUT(out, ",\"version\":");
        put_int(out, version);
    }
    if (!dry_run) versions_put_published(out, answer);
    if (!dry_run || item->verdict == APPLY_NEW || item->verdict == APPLY_UNCHANGED) return;
    PUT(out, ",\"livingRuns\":");
    put_int(out, item->living);
}

static void put_uses(struct buf *out, const struct apply_item *item)
{
    PUT(out, ",\"uses\":[");
    for (size_t i = 0; i < item->use_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, item->uses[i]);
    }
    buf_add_char(out, ']');
}

static void put_result(struct buf *out, const struct apply_item *item, bool dry_run)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, item->id);
    PUT(out, ",\"verdict\":");
    put_text(out, str_of(call_apply_word(item->verdict)));
    put_version(out, item, dry_run);
    if (item->call->kind == CALL_DEPLOY) {
        PUT(out, ",\"file\":");
        put_text(out, item->file);
        PUT(out, ",\"name\":");
        put_text(out, item->title);
        put_uses(out, item);
        PUT(out, ",\"warnings\":");
        workflows_put_problems(out, &item->call->value.definitions.problems, true, item->call->arena);
        missing_put(item->call, out);
    }
    buf_add_char(out, '}');
}

static void render_applied(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct call_apply *asked = &call->as.apply;
    *ret_http_status = 200;
    PUT(out, "{\"dryRun\":");
    put_flag(out, asked->dry_run);
    PUT(out, ",\"results\":[");
    for (size_t i = 0; i < asked->count; i++) {
        if (i) buf_add_char(out, ',');
        put_result(out, &asked->item[i], asked->dry_run);
    }
    PUT(out, "]}");
}

enum status definitions_apply(struct api_request *request, struct error *err)
{
    struct call_apply asked = { 0 };
    const struct json *body;
    TRY(query_flag(request, STR("dryRun"), &asked.dry_run, err));
    TRY(versions_read_revision(request, &asked.revision, err));
    TRY(request_body(request, true, &body, err));
    TRY(read_items(request, body, &asked, err));
    return request_submit(request, call_apply(request_origin(request), &asked), render_applied, err);
}
