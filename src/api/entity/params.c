/* api/entity/params.c — parts of a path, and the form of errors. */
#include "api/entity/entity_int.h"

#include "base/datetime.h"
#include "base/must.h"
#include "json/put.h"
#include "source/xml.h"

#include <sys/random.h>

/* ---- errors ---- */

bool entity_error_may_retry(const struct error *err)
{
    str code = str_of(entity_error_code(err));
    return entity_error_http(err) == 503 || status_retry(err->status) || str_equal(code, STR("CONFLICT")) ||
           str_equal(code, STR("IDEMPOTENCY_CONFLICT"));
}

void entity_put_uuid(struct buf *out, struct uuid id)
{
    char text[UUID_CHARS + 1];
    uuid_print(id, text);
    put_text(out, str_of(text));
}

void entity_put_warnings(struct buf *out, const struct call_entities *asked)
{
    if (!asked->warning_count) return;
    PUT(out, ",\"warnings\":[");
    for (size_t i = 0; i < asked->warning_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, asked->warning[i]);
    }
    buf_add_char(out, ']');
}

void entity_put_left(struct buf *out, const struct call_entities *asked)
{
    bool any = false;
    for (size_t i = 0; asked->is_left && i < asked->count; i++) {
        if (asked->item[i].action != ENTITY_CREATE) continue;
        buf_add_str(out, any                 ? STR(",")
                         : asked->count == 1 ? STR(",\"entityId\":")
                                             : STR(",\"entityIds\":["));
        entity_put_uuid(out, asked->item[i].id);
        any = true;
    }
    if (any && asked->count > 1) buf_add_char(out, ']');
}

static void put_error(const struct api_request *request, const struct error *err, struct buf *out)
{
    str path = request->http->path, prefix = STR("/api");
    const char *code = entity_error_code(err);
    str sentence = error_sentence(err, request->http->arena);
    PUT(out, "{\"type\":\"about:blank\",\"title\":");
    put_text(out, str_of(http_reason(entity_error_http(err))));
    PUT(out, ",\"status\":");
    put_int(out, entity_error_http(err));
    PUT(out, ",\"detail\":");
    put_text(out, arena_printf(request->http->arena, "%s: %.*s", code, STR_ARG(sentence)));
    PUT(out, ",\"instance\":");
    put_text(out, str_starts(path, prefix) ? str_slice(path, prefix.n, path.n) : path);
    PUT(out, ",\"properties\":{\"errorCode\":");
    put_text(out, str_of(code));
    if (entity_error_may_retry(err)) PUT(out, ",\"retryable\":true");
    if (request->failed && request->failed->kind == CALL_WRITE_ENTITIES) {
        entity_put_left(out, &request->failed->as.entities);
        entity_put_warnings(out, &request->failed->as.entities);
    }
    buf_add_str(out, str_of(fail_details_of(err)));
    buf_add_char(out, '}');
}

const struct error_format entity_errors = {
    .media_type = STR_INIT("application/problem+json"),
    .put_error = put_error,
    .http_status = entity_error_http,
};

/* ---- parameters ---- */

static bool parse_version(str text, int32_t *ret_version)
{
    int64_t value = 0;
    if (!text.n || text.n > 10) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        value = value * 10 + (text.p[i] - '0');
    }
    *ret_version = (int32_t)value;
    return value >= 1 && value <= INT32_MAX;
}

enum status entity_param_model(struct api_request *request, size_t first, str *ret_name, int32_t *ret_version,
                               struct error *err)
{
    bool is_sound = entity_name_is_sound(request->param[first]);
    *ret_name = request->param[first];
    if (is_sound && parse_version(request->param[first + 1], ret_version)) return ST_OK;
    if (is_sound) fail_code(err, ST_INVALID, "BAD_REQUEST", "the version of a model is an integer from 1 on");
    else
        fail_code(err, ST_INVALID, "BAD_REQUEST",
                  "the name of a model has 1 to %d bytes without control characters",
                  ENTITY_MODEL_NAME_BYTES_MAX);
    entity_error_add(err, "parameter", is_sound ? STR("modelVersion") : STR("entityName"));
    return ST_INVALID;
}

enum status entity_param_id(struct api_request *request, size_t which, struct uuid *ret_id, struct error *err)
{
    if (uuid_parse(request->param[which], ret_id)) return ST_OK;
    fail_code(err, ST_INVALID, "BAD_REQUEST", "the id of an entity is a UUID");
    entity_error_add(err, "parameter", STR("entityId"));
    return ST_INVALID;
}

enum status entity_read_document(const struct api_request *request, struct arena *arena,
                                 const struct json **ret_document, struct error *err)
{
    str format = request->param[0];
    if (str_equal(format, STR("JSON"))) return request_read_json(request, arena, ret_document, err);
    if (str_equal(format, STR("XML")))
        return xml_parse(request->http->body, (size_t)request_body_max(request), arena, ret_document, err);
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "documents are JSON or XML, not \"%.*s\"",
                     STR_ARG(format));
}

enum status entity_param_document(struct api_request *request, const struct json **ret_document,
                                  struct error *err)
{
    return request_read(request, entity_read_document, request->http->arena, ret_document, err);
}

enum status entity_param_number(struct api_request *request, str name, int64_t least, int64_t most,
                                int64_t otherwise, int64_t *ret_number, struct error *err)
{
    str text = query_text(request, name);
    *ret_number = otherwise;
    if (!text.n || (str_to_int64(text, ret_number) && *ret_number >= least && *ret_number <= most))
        return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "%.*s is an integer from %lld to %lld", STR_ARG(name),
                     (long long)least, (long long)most);
}

enum status entity_param_time(struct api_request *request, str name, int64_t *ret_ms, struct error *err)
{
    str text = query_text(request, name);
    if (!text.n || datetime_parse(text, ret_ms)) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "%.*s is a time like 2026-11-15T03:50:11.123Z",
                     STR_ARG(name));
}

enum status entity_read_transaction(str text, struct arena *arena, str *ret_transaction, struct error *err)
{
    struct uuid id;
    char printed[UUID_CHARS + 1];
    if (!uuid_parse(text, &id))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "transactionId: the id of a transaction is a UUID");
    uuid_print(id, printed);
    *ret_transaction = arena_str(arena, str_of(printed));
    return ST_OK;
}

enum status entity_param_transaction(struct api_request *request, str text, str *ret_transaction,
                                     struct error *err)
{
    *ret_transaction = STR_NONE;
    return text.n ? entity_read_transaction(text, request->http->arena, ret_transaction, err) : ST_OK;
}

enum status entity_param_past(struct api_request *request, bool *ret_is_past, int64_t *ret_at_ms,
                              struct error *err)
{
    *ret_is_past = query_text(request, STR("pointInTime")).n > 0;
    return entity_param_time(request, STR("pointInTime"), ret_at_ms, err);
}

enum status entity_check_moment(const struct call_entity *asked, bool has_time, struct error *err)
{
    if (has_time && asked->transaction.n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "pointInTime and transactionId: an entity is read at the one or after the other");
    return entity_check_now(asked->token, asked->is_past, err);
}

enum status entity_check_now(str token, bool is_past, struct error *err)
{
    if (!token.n || !is_past) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST",
                     "pointInTime and transactionId: a transaction sees its entities as they are now");
}

enum status entity_param_moment(struct api_request *request, struct call_entity *asked, struct error *err)
{
    bool has_time;
    asked->token = entity_token_of(request);
    TRY(entity_param_past(request, &has_time, &asked->at_ms, err));
    TRY(entity_param_transaction(request, query_text(request, STR("transactionId")), &asked->transaction,
                                 err));
    asked->is_past = has_time || asked->transaction.n;
    return entity_check_moment(asked, has_time, err);
}

str entity_token_of(const struct api_request *request)
{
    return http_header(request->http, STR("X-Tx-Token"));
}

str entity_transaction(struct arena *arena)
{
    uint8_t random[UUID_BYTES];
    char text[UUID_CHARS + 1];
    must(getrandom(random, sizeof random, 0) == sizeof random);
    uuid_print(uuid_of_random(random), text);
    return arena_str(arena, str_of(text));
}
