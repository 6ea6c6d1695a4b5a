/* api/events/cloud_binary.c — a CloudEvent in the binary mode of the HTTP binding.
 *
 * Every attribute is a header "ce-" and its name; values are percent-encoded, and may be
 * quoted. The body is the data, and Content-Type is its type: JSON is parsed, text is a text,
 * anything else is kept as base64. Without a body there is no data.
 */
#include "api/events/events_int.h"
#include "api/request_int.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/utf8.h"

#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"

static const str prefix = STR_INIT("ce-");

static bool is_attribute(const struct http_header *header)
{
    return str_equal_ignoring_case(str_slice(header->name, 0, prefix.n), prefix);
}

bool cloud_binary_is(const struct http_request *http)
{
    for (size_t i = 0; i < http->header_count; i++)
        if (is_attribute(&http->header[i])) return true;
    return false;
}

static str lower_case(str text, struct arena *arena)
{
    char *lower = arena_alloc(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++) lower[i] = ascii_lower(text.p[i]);
    lower[text.n] = '\0';
    return (str){ lower, text.n };
}

/* A quoted-string's text (RFC 9110); anything else as it is. */
static str unquoted(str text, struct arena *arena)
{
    if (text.n < 2 || text.p[0] != '"' || text.p[text.n - 1] != '"') return text;
    char *plain = arena_alloc(arena, text.n);
    size_t n = 0;
    for (size_t i = 1; i < text.n - 1; i++) {
        if (text.p[i] == '\\' && i + 2 < text.n) i++;
        plain[n++] = text.p[i];
    }
    return (str){ plain, n };
}

/* Refuses names for which the binding has another place. */
static enum status check_name(str name, struct error *err)
{
    if (str_equal(name, STR("datacontenttype")))
        return fail(err, ST_INVALID, name.p,
                    "\"datacontenttype\" is what Content-Type says: there is no ce-datacontenttype");
    if (str_equal(name, STR("data")) || str_equal(name, STR("data_base64")))
        return fail(err, ST_INVALID, name.p, "the data is the body: there is no ce-%s", name.p);
    return ST_OK;
}

static enum status add_attribute(struct json_builder *out, const struct http_header *header, str name,
                                 struct arena *arena, struct error *err)
{
    str value;
    TRY(check_name(name, err));
    if (!http_decode(unquoted(header->value, arena), false, arena, &value) || !utf8_is_valid(value))
        return fail(err, ST_INVALID, name.p, "ce-%s is not percent-encoded UTF-8", name.p);
    json_add_name(out, name);
    json_add_string(out, value);
    return ST_OK;
}

static enum status add_attributes(struct json_builder *out, struct api_request *request, struct error *err)
{
    const struct http_request *http = request->http;
    str *seen = arena_make_n(http->arena, str, http->header_count);
    size_t count = 0;
    for (size_t i = 0; i < http->header_count; i++) {
        if (!is_attribute(&http->header[i])) continue;
        str name = lower_case(str_slice(http->header[i].name, prefix.n, http->header[i].name.n), http->arena);
        for (size_t k = 0; k < count; k++)
            if (str_equal(seen[k], name))
                return fail(err, ST_INVALID, name.p, "ce-%s is there twice", name.p);
        seen[count++] = name;
        TRY(add_attribute(out, &http->header[i], name, http->arena, err));
    }
    return ST_OK;
}

static enum status read_data(const struct api_request *request, struct arena *arena,
                             const struct json **ret_data, struct error *err)
{
    str type = http_header(request->http, STR("Content-Type"));
    str body = request->http->body;
    bool utf8 = request_is_utf8(request);
    if (cloud_event_type_is_json(type)) {
        if (!utf8) return fail(err, ST_UNSUPPORTED, "", "JSON is read in UTF-8 only");
        /* The event is one level around it. */
        const struct json_limits limits = { (size_t)request_body_max(request), JSON_DEPTH_MAX - 1 };
        TRY(json_parse(body, &limits, arena, ret_data, err));
    } else if (utf8 && cloud_event_type_is_text(type) && utf8_is_valid(body)) {
        *ret_data = json_of_string(arena, body);
    } else {
        *ret_data = json_of_string(arena, base64_encode(body, arena));
    }
    return ST_OK;
}

bool events_is_structured(const struct api_request *request)
{
    str type = request_media_type(request), family = STR("application/cloudevents");
    return str_equal_ignoring_case(str_slice(type, 0, family.n), family);
}

enum status events_read(const struct api_request *request, struct arena *arena, const struct json **ret_value,
                        struct error *err)
{
    body_fn *read = events_is_structured(request) ? request_read_json : read_data;
    return read(request, arena, ret_value, err);
}

enum status cloud_binary_read(struct api_request *request, const struct json **ret_event, struct error *err)
{
    str type = http_header(request->http, STR("Content-Type"));
    struct json_builder out;
    json_builder_init(&out, request->http->arena);
    json_open_object(&out);
    TRY(add_attributes(&out, request, err));
    if (type.n) {
        if (!utf8_is_valid(type)) return fail(err, ST_INVALID, "datacontenttype", "Content-Type is not text");
        json_add_name(&out, STR("datacontenttype"));
        json_add_string(&out, type);
    }
    if (request->http->body.n) {
        const struct json *data;
        TRY(request_read(request, events_read, request->http->arena, &data, err));
        json_add_name(&out, STR("data"));
        json_add(&out, data);
    }
    json_close(&out);
    *ret_event = json_built(&out);
    return ST_OK;
}
