/* api/definitions/apply.c — several documents are published, definitions retired, triggers paused or
 * resumed and an access file applied, all or none.
 *
 * Each document is sent as its text, so that problems have their lines, or as a value.
 */
#include "api/access/records_int.h"
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

static enum status read_trigger(struct api_request *request, const struct json *object,
                                struct apply_item *ret_item, struct error *err)
{
    struct call_trigger asked = { .paused = false };
    str state;
    if (!json_is(object, JSON_OBJECT))
        return fail(err, ST_INVALID, "triggers", "triggers must be a list of objects");
    TRY(field_required_text(object, "definition", DEFINITION_ID_BYTES_MAX, &asked.definition_id, err));
    TRY(field_required_text(object, "trigger", DEFINITION_ID_BYTES_MAX, &asked.trigger, err));
    TRY(field_text(object, "reason", TITLE_BYTES_MAX, &asked.reason, err));
    TRY(field_text(object, "file", APPLY_FILE_BYTES_MAX, &ret_item->file, err));
    TRY(field_required_text(object, "state", 16, &state, err));
    asked.paused = str_equal(state, STR("paused"));
    if (!asked.paused && !str_equal(state, STR("active")))
        return fail(err, ST_INVALID, "triggers", "the state of a trigger is active or paused");
    if (asked.reason.n && !asked.paused)
        return fail(err, ST_INVALID, "triggers", "only a trigger that is paused has a reason");
    ret_item->call = call_pause_trigger(request_origin(request), &asked);
    return ST_OK;
}

static enum status read_access(struct api_request *request, const struct json *object, bool dry_run,
                               struct apply_item *ret_item, struct error *err)
{
    struct call_access asked = { .dry_run = dry_run };
    TRY(field_check_object(object, "access", err));
    TRY(access_read_changes(request, object, &asked, err));
    ret_item->call = call_change_access(request_origin(request), &asked);
    return ST_OK;
}

static enum status read_expected(struct api_request *request, const struct json *object,
                                 struct call_apply *asked, struct error *err)
{
    if (!object) return ST_OK;
    TRY(field_check_object(object, "expected", err));
    if (json_count(object) > APPLY_ITEMS_MAX)
        return fail(err, ST_LIMIT, "expected", "%zu versions are expected; the most is %d (APPLY_ITEMS_MAX)",
                    json_count(object), APPLY_ITEMS_MAX);
    asked->expected = arena_make_n(request->http->arena, struct apply_expected, json_count(object));
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        int64_t version;
        if (!json_int64(each.value, &version) || version < 0 || version > INT32_MAX)
            return fail(err, ST_INVALID, "expected",
                        "\"%.*s\": a version is a number, and 0 if there is none",
                        STR_ARG(str_slice(each.name, 0, 200)));
        asked->expected[asked->expected_count++] = (struct apply_expected){ each.name, (int32_t)version };
    }
    return ST_OK;
}

/* The lists of a request, and how long they are. */
struct apply_lists {
    const struct json *documents, *prune, *triggers, *access;
    size_t definition_count, count;
};

static enum status read_lists(const struct json *body, struct apply_lists *ret_lists, struct error *err)
{
    struct apply_lists lists = { .access = json_get(body, STR("access")) };
    if (json_is(lists.access, JSON_NULL)) lists.access = NULL;
    TRY(field_list(body, "documents", &lists.documents, err));
    TRY(field_list(body, "prune", &lists.prune, err));
    TRY(field_list(body, "triggers", &lists.triggers, err));
    size_t triggers = lists.triggers ? json_count(lists.triggers) : 0;
    lists.definition_count =
        (lists.documents ? json_count(lists.documents) : 0) + (lists.prune ? json_count(lists.prune) : 0);
    lists.count = lists.definition_count + triggers + (lists.access ? 1 : 0);
    if (!lists.count)
        return fail(err, ST_INVALID, "documents", "there is nothing to publish and nothing to retire");
    if (lists.definition_count > APPLY_ITEMS_MAX)
        return fail(err, ST_LIMIT, "documents",
                    "a request may have %d documents and definitions to retire (APPLY_ITEMS_MAX), not %zu",
                    APPLY_ITEMS_MAX, lists.definition_count);
    if (triggers > APPLY_TRIGGERS_MAX)
        return fail(err, ST_LIMIT, "triggers", "a request may have %d triggers (APPLY_TRIGGERS_MAX), not %zu",
                    APPLY_TRIGGERS_MAX, triggers);
    *ret_lists = lists;
    return ST_OK;
}

static enum status read_items(struct api_request *request, const struct json *body, struct call_apply *asked,
                              struct error *err)
{
    struct call_deploy around = { 0 };
    struct apply_lists lists = { .count = 0 };
    TRY(read_lists(body, &lists, err));
    /* A dry run does not ask the engine, which alone knows the workers. */
    if (!asked->dry_run) missing_ask(request, &around);
    asked->definition_count = lists.definition_count;
    asked->item = arena_make_n(request->http->arena, struct apply_item, lists.count);
    struct json_each each = json_each(lists.documents);
    while (lists.documents && json_next(&each))
        TRY(read_document(request, each.value, around.around, &asked->item[asked->count++], err));
    each = json_each(lists.prune);
    while (lists.prune && json_next(&each))
        TRY(read_retired(request, each.value, &asked->item[asked->count++], err));
    each = json_each(lists.triggers);
    while (lists.triggers && json_next(&each))
        TRY(read_trigger(request, each.value, &asked->item[asked->count++], err));
    if (lists.access)
        TRY(read_access(request, lists.access, asked->dry_run, &asked->item[asked->count++], err));
    return read_expected(request, json_get(body, STR("expected")), asked, err);
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

/* How a document differs, and the versions that living instances have: for a dry run that asks for them. */
static void put_changes(struct buf *out, const struct apply_item *item)
{
    if (item->changes.n) {
        PUT(out, ",\"changes\":");
        buf_add_str(out, item->changes);
    }
    if (item->changes_cut) PUT(out, ",\"changesCut\":true");
    if (!item->run_count) return;
    PUT(out, ",\"runs\":[");
    for (size_t i = 0; i < item->run_count; i++)
        buf_printf(out, "%s{\"version\":%d,\"count\":%lld}", i ? "," : "", item->runs[i].version,
                   (long long)item->runs[i].count);
    buf_add_char(out, ']');
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
    put_changes(out, item);
    if (item->call->kind == CALL_DEPLOY) {
        PUT(out, ",\"file\":");
        put_text(out, item->file);
        PUT(out, ",\"name\":");
        put_text(out, item->title);
        PUT(out, ",\"dialect\":");
        put_text(out, item->dialect);
        put_uses(out, item);
        PUT(out, ",\"warnings\":");
        workflows_put_problems(out, &item->call->value.definitions.problems, true, item->call->arena);
        missing_put(item->call, out);
    }
    buf_add_char(out, '}');
}

static void put_trigger(struct buf *out, const struct apply_item *item)
{
    const struct call_trigger *asked = &item->call->as.trigger;
    PUT(out, "{\"definitionId\":");
    put_text(out, asked->definition_id);
    PUT(out, ",\"trigger\":");
    put_text(out, asked->trigger);
    buf_printf(out, ",\"state\":\"%s\",\"verdict\":", asked->paused ? "paused" : "active");
    put_text(out, str_of(call_apply_word(item->verdict)));
    buf_add_char(out, '}');
}

static void render_applied(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct call_apply *asked = &call->as.apply;
    size_t i = 0;
    *ret_http_status = 200;
    PUT(out, "{\"dryRun\":");
    put_flag(out, asked->dry_run);
    PUT(out, ",\"results\":[");
    for (; i < asked->definition_count; i++) {
        if (i) buf_add_char(out, ',');
        put_result(out, &asked->item[i], asked->dry_run);
    }
    buf_add_char(out, ']');
    for (size_t first = i; i < asked->count && asked->item[i].call->kind == CALL_PAUSE_TRIGGER; i++) {
        buf_add_str(out, i == first ? STR(",\"triggers\":[") : STR(","));
        put_trigger(out, &asked->item[i]);
    }
    if (i > asked->definition_count) buf_add_char(out, ']');
    if (i < asked->count) {
        PUT(out, ",\"access\":");
        access_put_items(asked->item[i].call, out);
    }
    buf_add_char(out, '}');
}

enum status definitions_apply(struct api_request *request, struct error *err)
{
    struct call_apply asked = { 0 };
    const struct json *body;
    TRY(query_flag(request, STR("dryRun"), &asked.dry_run, err));
    TRY(query_flag(request, STR("changes"), &asked.has_changes, err));
    TRY(versions_read_revision(request, &asked.revision, err));
    if (asked.has_changes && !asked.dry_run)
        return fail(err, ST_INVALID, "changes", "only a dry run tells changes: add dryRun=true");
    TRY(request_body(request, true, &body, err));
    TRY(read_items(request, body, &asked, err));
    return request_submit(request, call_apply(request_origin(request), &asked), render_applied, err);
}
