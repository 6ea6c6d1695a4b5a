/* program/arrival_decode.c — the bytes of an arrival become its payload. */
#include "program/arrival.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "program/limits.h"

static enum status decode_json(str raw, struct arena *arena, const struct json **ret_payload,
                               struct error *err)
{
    struct error why;
    enum status status = json_parse(raw, NULL, arena, ret_payload, &why);
    if (status == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, "body", "it is not JSON: %s (line %u, column %u)", why.message, why.line,
                why.column);
}

static enum status decode_text(str raw, struct arena *arena, const struct json **ret_payload,
                               struct error *err)
{
    if (!utf8_is_valid(raw)) return fail(err, ST_INVALID, "body", "it is not UTF-8");
    *ret_payload = json_of_string(arena, raw);
    return ST_OK;
}

static enum status decode_binary(str raw, struct arena *arena, const struct json **ret_payload)
{
    *ret_payload = json_of_string(arena, base64_encode(raw, arena));
    return ST_OK;
}

/* ---- forms: a=1&b=two+words ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static str decode_part(str part, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    for (size_t i = 0; i < part.n; i++) {
        int high = part.p[i] == '%' && i + 2 < part.n ? digit_of(part.p[i + 1]) : -1;
        int low = high >= 0 ? digit_of(part.p[i + 2]) : -1;
        if (low >= 0) {
            buf_add_char(&text, (char)(high * 16 + low));
            i += 2;
        } else {
            buf_add_char(&text, part.p[i] == '+' ? ' ' : part.p[i]);
        }
    }
    return buf_str(&text);
}

static const struct arrival_field *find_name(const struct arrival_field *field, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(field[i].name, name)) return &field[i];
    return NULL;
}

/* Written once: a json_set() for each field would copy all those before it. */
const struct json *arrival_fields(const struct arrival_field *field, size_t count, struct arena *arena)
{
    struct json_builder object;
    json_builder_init(&object, arena);
    json_open_object(&object);
    for (size_t i = 0; i < count; i++) {
        const struct arrival_field *last = &field[i], *later;
        if (find_name(field, i, field[i].name)) continue;
        while ((later = find_name(last + 1, (size_t)(field + count - last) - 1, last->name)) != NULL)
            last = later;
        json_add_name(&object, last->name);
        json_add_string(&object, last->value);
    }
    json_close(&object);
    return json_built(&object);
}

/* If a name comes twice, the last one counts. */
static enum status decode_form(str raw, struct arena *arena, const struct json **ret_payload,
                               struct error *err)
{
    struct arrival_field field[ARRIVAL_FORM_FIELDS_MAX];
    size_t members = 0, count = 0;
    for (size_t from = 0; from < raw.n;) {
        size_t end = str_find(raw, STR("&"), from);
        if (end == SIZE_MAX) end = raw.n;
        str pair = str_slice(raw, from, end);
        size_t equals = str_find(pair, STR("="), 0);
        str name = decode_part(str_slice(pair, 0, equals), arena);
        str value = equals == SIZE_MAX ? STR("") : decode_part(str_slice(pair, equals + 1, pair.n), arena);
        if (!utf8_is_valid(name) || !utf8_is_valid(value))
            return fail(err, ST_INVALID, "body", "a field of the form is not UTF-8");
        if (++members > ARRIVAL_FORM_FIELDS_MAX)
            return fail(err, ST_INVALID, "body", "the form has more than %d fields", ARRIVAL_FORM_FIELDS_MAX);
        if (pair.n) field[count++] = (struct arrival_field){ name, value };
        from = end + 1;
    }
    *ret_payload = arrival_fields(field, count, arena);
    return ST_OK;
}

/* ---- requests ---- */

/* A parameter of a content type: charset=utf-8. Empty: it is not given. */
static str parameter_of(str type, str name)
{
    for (size_t at = str_find(type, STR(";"), 0); at != SIZE_MAX; at = str_find(type, STR(";"), at + 1)) {
        size_t end = str_find(type, STR(";"), at + 1);
        str part = str_trim(str_slice(type, at + 1, end));
        size_t equals = str_find(part, STR("="), 0);
        if (!str_equal_ignoring_case(str_trim(str_slice(part, 0, equals)), name)) continue;
        str value = equals == SIZE_MAX ? STR_NONE : str_trim(str_slice(part, equals + 1, part.n));
        if (value.n > 1 && value.p[0] == '"' && value.p[value.n - 1] == '"')
            value = str_slice(value, 1, value.n - 1);
        return value;
    }
    return STR_NONE;
}

static str header_of(const struct arrival_event *event, str name) { return json_text(event->headers, name); }

static enum status decode_request(struct arrival_event *event, struct arena *arena, struct error *err)
{
    str given = header_of(event, STR("content-type"));
    str type = str_trim(str_slice(given, 0, str_find(given, STR(";"), 0)));
    str charset = parameter_of(given, STR("charset"));
    str encoding = header_of(event, STR("content-encoding"));
    if (encoding.n && !str_equal_ignoring_case(encoding, STR("identity")))
        return fail(err, ST_UNSUPPORTED, "content-encoding", "the body is compressed, which we do not read");
    if (charset.n && !str_equal_ignoring_case(charset, STR("utf-8")) &&
        !str_equal_ignoring_case(charset, STR("utf8")) && !str_equal_ignoring_case(charset, STR("us-ascii")))
        return fail(err, ST_UNSUPPORTED, "content-type", "we read bodies in UTF-8 only");
    if (!type.n || str_equal_ignoring_case(type, STR("application/json")) || str_ends(type, STR("+json")))
        return decode_json(event->raw, arena, &event->payload, err);
    if (str_equal_ignoring_case(type, STR("application/x-www-form-urlencoded")))
        return decode_form(event->raw, arena, &event->payload, err);
    if (str_starts(type, STR("text/"))) return decode_text(event->raw, arena, &event->payload, err);
    if (str_equal_ignoring_case(type, STR("application/octet-stream")))
        return decode_binary(event->raw, arena, &event->payload);
    return fail(err, ST_UNSUPPORTED, "content-type",
                "a body is JSON, a form, text or application/octet-stream");
}

static enum status decode(const struct arrival_terms *terms, struct arrival_event *event, struct arena *arena,
                          struct error *err)
{
    event->payload = json_null();
    if (!event->raw.n && event->type != ARRIVAL_MQTT) return ST_OK;
    if (event->type == ARRIVAL_HTTP) return decode_request(event, arena, err);
    if (event->type == ARRIVAL_MQTT && terms->format == ARRIVAL_FORMAT_BINARY)
        return decode_binary(event->raw, arena, &event->payload);
    if (event->type == ARRIVAL_MQTT && terms->format == ARRIVAL_FORMAT_PROTOBUF)
        return fail(err, ST_UNSUPPORTED, "payloadFormat", "Protobuf is read with a schema");
    return decode_json(event->raw, arena, &event->payload, err);
}

enum status arrival_decode(const struct arrival_terms *terms, struct arrival_event *event,
                           struct arena *arena, struct error *err)
{
    if (!event->payload) TRY(decode(terms, event, arena, err));
    if (json_depth(event->payload) > ARRIVAL_DEPTH_MAX)
        return fail(err, ST_INVALID, "body", "it is nested deeper than %d levels", ARRIVAL_DEPTH_MAX);
    return ST_OK;
}
