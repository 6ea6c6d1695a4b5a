/* api/v1/definitions.c — `/v1/definitions`: uploads, lists, documents, versions. */
#include "api/missing_int.h"
#include "api/v1/v1_int.h"
#include "api/versions_int.h"

#include "dialect/dialect.h"
#include "json/json.h"

static void put_summary(struct buf *out, const struct definition_row *row)
{
    PUT(out, "{\"id\":");
    put_text(out, row->id);
    PUT(out, ",\"version\":");
    put_int(out, row->version);
    PUT(out, ",\"name\":");
    put_text(out, row->title);
    PUT(out, ",\"uploadedAt\":");
    put_time(out, row->created_ms);
    if (row->author.n) {
        PUT(out, ",\"uploadedBy\":");
        put_text(out, row->author);
    }
}

/* ---- upload ---- */

static void render_uploaded(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    *ret_http_status = 201;
    put_summary(out, answer->row);
    versions_put_published(out, answer);
    if (answer->problems.warning_count) {
        PUT(out, ",\"warnings\":");
        json_print(problems_json(&answer->problems, call->arena), out);
    }
    missing_put(call, out);
    buf_add_char(out, '}');
}

static bool is_xml(str type)
{
    static const str words[] = { STR_INIT("application/xml"), STR_INIT("text/xml") };
    for (size_t w = 0; w < COUNT(words); w++)
        for (size_t i = 0; i + words[w].n <= type.n; i++)
            if (str_equal_ignoring_case(str_slice(type, i, i + words[w].n), words[w])) return true;
    return false;
}

/* A document that is not called YAML may still be YAML: many clients call everything JSON. */
static enum source_format format_of(str name)
{
    static const str names[] = { STR_INIT("application/yaml"), STR_INIT("application/x-yaml"),
                                 STR_INIT("text/yaml"), STR_INIT("text/x-yaml") };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_equal_ignoring_case(name, names[i])) return SOURCE_YAML;
    return SOURCE_ANY;
}

enum status v1_definitions_upload(struct api_request *request, struct error *err)
{
    str type = http_header(request->http, STR("Content-Type"));
    if (is_xml(type)) return fail(err, ST_UNSUPPORTED, "", "definitions are JSON or YAML; XML is not read");
    struct call_deploy asked = { 0 };
    asked.text = request->http->body;
    asked.format = format_of(request_media_type(request));
    TRY(versions_read_revision(request, &asked.revision, err));
    missing_ask(request, &asked);
    return request_submit(request, call_deploy(request_origin(request), &asked), render_uploaded, err);
}

/* ---- reading ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_summary(out, &answer->row[i]);
        versions_put_origin(out, &answer->row[i]);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"total\":");
    put_int(out, answer->total);
    PUT(out, ",\"page\":");
    put_int(out, call->as.definitions.skip / (int64_t)call->as.definitions.max);
    PUT(out, ",\"pageSize\":");
    put_int(out, (int64_t)call->as.definitions.max);
    buf_add_char(out, '}');
}

enum status v1_definitions_list(struct api_request *request, struct error *err)
{
    struct call_definitions asked = { 0 };
    asked.keyword = query_text(request, STR("keyword"));
    TRY(query_page(request, &asked.skip, &asked.max, err));
    return request_submit(request, call_list_definitions(request_origin(request), &asked), render_list, err);
}

const struct json *v1_definitions_document(const struct definition_row *row, struct arena *arena)
{
    struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    const struct json *document;
    struct error err;
    if (json_parse(row->source, &limits, arena, &document, &err) != ST_OK) return NULL;
    const struct dialect *dialect = dialect_of(document);
    if (dialect && dialect->version_is_content) return document;
    return json_set(arena, document, STR("version"), json_of_int(arena, row->version));
}

static void render_document(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct json *document = v1_definitions_document(call->value.definitions.row, call->arena);
    *ret_http_status = document ? 200 : status_http(ST_INTERNAL);
    if (document) {
        json_print(document, out);
        return;
    }
    error_plain.put(ST_INTERNAL, status_word(ST_INTERNAL), STR("the stored document is damaged"), out);
    buf_add_char(out, '}');
}

static enum status get_version(struct api_request *request, int32_t version, struct error *err)
{
    struct call_definition asked = { 0 };
    asked.id = request->param[0];
    asked.version = version;
    return request_submit(request, call_get_definition(request_origin(request), &asked), render_document,
                          err);
}

enum status v1_definitions_get(struct api_request *request, struct error *err)
{
    return get_version(request, 0, err);
}

enum status v1_definitions_get_version(struct api_request *request, struct error *err)
{
    int64_t version;
    if (!str_to_int64(request->param[1], &version))
        return fail(err, ST_INVALID, "version", "version must be an integer");
    if (version < 1 || version > INT32_MAX)
        return fail(err, ST_NOT_FOUND, "", "definition \"%.*s\" has no version %lld",
                    STR_ARG(request->param[0]), (long long)version);
    return get_version(request, (int32_t)version, err);
}
