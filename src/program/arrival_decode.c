/* program/arrival_decode.c — the bytes of an arrival become its payload. */
#include "program/arrival.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "program/arrival_int.h"

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

/* ---- requests ---- */

static str header_of(const struct arrival_event *event, str name) { return json_text(event->headers, name); }

static enum status decode_request(struct arrival_event *event, struct arena *arena, struct error *err)
{
    str given = header_of(event, STR("content-type"));
    str type = str_trim(str_slice(given, 0, str_find(given, STR(";"), 0)));
    str charset = arrival_parameter(given, STR("charset"));
    str encoding = header_of(event, STR("content-encoding"));
    if (encoding.n && !str_equal_ignoring_case(encoding, STR("identity")))
        return fail(err, ST_UNSUPPORTED, "content-encoding", "the body is compressed, which we do not read");
    if (charset.n && !str_equal_ignoring_case(charset, STR("utf-8")) &&
        !str_equal_ignoring_case(charset, STR("utf8")) && !str_equal_ignoring_case(charset, STR("us-ascii")))
        return fail(err, ST_UNSUPPORTED, "content-type", "we read bodies in UTF-8 only");
    if (!type.n || str_equal_ignoring_case(type, STR("application/json")) || str_ends(type, STR("+json")))
        return decode_json(event->raw, arena, &event->payload, err);
    if (arrival_is_form(event)) return arrival_read_form(event, arena, &event->payload, err);
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
