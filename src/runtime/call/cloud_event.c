/* runtime/call/cloud_event.c — CloudEvents 1.0 and 0.3 that come in, as JSON.
 *
 * The attributes' names and the rule that one of data and data_base64 may be there are 1.0's;
 * 0.3 says with `datacontentencoding` that `data` is base64.
 */
#include "runtime/call/cloud_event.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/datetime.h"
#include "base/limits.h"
#include "base/utf8.h"

/* ---- media types ---- */

static str without_parameters(str type) { return str_trim(str_slice(type, 0, str_find(type, STR(";"), 0))); }

static bool ends_ignoring_case(str text, str end)
{
    return text.n >= end.n && str_equal_ignoring_case(str_slice(text, text.n - end.n, text.n), end);
}

bool cloud_event_type_is_json(str type)
{
    type = without_parameters(type);
    return ends_ignoring_case(type, STR("/json")) || ends_ignoring_case(type, STR("+json"));
}

bool cloud_event_type_is_text(str type)
{
    return str_equal_ignoring_case(str_slice(without_parameters(type), 0, 5), STR("text/"));
}

/* ---- attributes ---- */

static bool is_data(str name) { return str_equal(name, STR("data")) || str_equal(name, STR("data_base64")); }

static bool is_attribute_name(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_lower(name.p[i]) && !ascii_is_digit(name.p[i])) return false;
    return name.n > 0;
}

static enum status check_version(const struct json *event, struct error *err)
{
    const struct json *version = json_get(event, STR("specversion"));
    if (!json_is(version, JSON_STRING))
        return fail(err, ST_INVALID, "specversion",
                    "an event needs the attribute \"specversion\", such as \"1.0\"");
    str text = json_string(version);
    if (str_equal(text, STR("1.0")) || str_equal(text, STR("0.3"))) return ST_OK;
    return fail(err, ST_INVALID, "specversion",
                "specversion \"%.*s\" is not supported; \"1.0\" and \"0.3\" are", STR_ARG(text));
}

static enum status check_required(const struct json *event, struct error *err)
{
    static const char *const required[] = { "id", "source", "type" };
    for (size_t i = 0; i < COUNT(required); i++) {
        const struct json *value = json_get(event, str_of(required[i]));
        if (!json_is(value, JSON_STRING) || !json_string(value).n)
            return fail(err, ST_INVALID, required[i],
                        "an event needs the attribute \"%s\", a text that is not empty", required[i]);
        if (json_string(value).n > EVENT_NAME_BYTES_MAX)
            return fail(err, ST_INVALID, required[i], "the attribute \"%s\" has %zu bytes; the most is %d",
                        required[i], json_string(value).n, EVENT_NAME_BYTES_MAX);
    }
    return ST_OK;
}

static enum status check_attribute(str name, const struct json *value, struct arena *arena, struct error *err)
{
    static const str texts[] = { STR_INIT("subject"),
                                 STR_INIT("time"),
                                 STR_INIT("datacontenttype"),
                                 STR_INIT("dataschema"),
                                 STR_INIT("datacontentencoding"),
                                 STR_INIT("schemaurl") };
    const char *where = arena_str(arena, name).p;
    int64_t ms;
    if (!is_attribute_name(name))
        return fail(err, ST_INVALID, where,
                    "\"%.*s\" is no attribute: their names are lower-case letters and digits", STR_ARG(name));
    if (json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY))
        return fail(err, ST_INVALID, where,
                    "the attribute \"%.*s\" is a text, a number or a truth value, not %s", STR_ARG(name),
                    json_kind_name(json_kind(value)));
    for (size_t i = 0; i < COUNT(texts); i++)
        if (str_equal(name, texts[i]) && (!json_is(value, JSON_STRING) || !json_string(value).n))
            return fail(err, ST_INVALID, where, "the attribute \"%.*s\" is a text that is not empty",
                        STR_ARG(name));
    if (str_equal(name, STR("time")) && !datetime_parse(json_string(value), &ms))
        return fail(err, ST_INVALID, where,
                    "\"%.*s\" is no time: \"time\" is as RFC 3339 has it, such as "
                    "\"2026-01-01T00:00:00Z\"",
                    STR_ARG(json_string(value)));
    return ST_OK;
}

/* ---- data ---- */

static bool is_base64_by_encoding(const struct json *event)
{
    const struct json *encoding = json_get(event, STR("datacontentencoding"));
    return json_is(encoding, JSON_STRING) && str_equal_ignoring_case(json_string(encoding), STR("base64"));
}

static enum status read_base64(const struct json *event, const struct json *encoded, struct arena *arena,
                               const struct json **ret_data, struct error *err)
{
    const struct json *type = json_get(event, STR("datacontenttype"));
    struct error why;
    str bytes;
    if (!json_is(encoded, JSON_STRING) || !base64_decode(json_string(encoded), arena, &bytes))
        return fail(err, ST_INVALID, "data_base64", "the data is not base64");
    *ret_data = encoded;
    if (!json_is(type, JSON_STRING)) return ST_OK;
    if (cloud_event_type_is_json(json_string(type))) {
        const struct json_limits limits = { .depth_max = JSON_DEPTH_MAX - 1 }; /* The event is around it. */
        if (json_parse(bytes, &limits, arena, ret_data, &why) != ST_OK)
            return fail(err, ST_INVALID, "data_base64", "the data is %.*s, but %u:%u: %s",
                        STR_ARG(json_string(type)), why.line, why.column, why.message);
    } else if (cloud_event_type_is_text(json_string(type)) && utf8_is_valid(bytes)) {
        *ret_data = json_of_string(arena, bytes);
    }
    return ST_OK;
}

enum status cloud_event_check(const struct json *event, struct arena *arena, const struct json **ret_event,
                              struct error *err)
{
    if (!json_is(event, JSON_OBJECT)) return fail(err, ST_INVALID, "event", "an event is an object");
    TRY(check_version(event, err));
    TRY(check_required(event, err));
    const struct json *data = json_get(event, STR("data")), *encoded = json_get(event, STR("data_base64"));
    if (data && encoded)
        return fail(err, ST_INVALID, "data", "an event has \"data\" or \"data_base64\", not both");
    if (data && is_base64_by_encoding(event)) encoded = data;
    if (encoded) TRY(read_base64(event, encoded, arena, &data, err));

    struct json_builder out;
    struct json_each each = json_each(event);
    json_builder_init(&out, arena);
    json_open_object(&out);
    while (json_next(&each)) {
        if (is_data(each.name) || json_is(each.value, JSON_NULL)) continue;
        TRY(check_attribute(each.name, each.value, arena, err));
        /* The data is no longer encoded. */
        if (encoded && str_equal(each.name, STR("datacontentencoding"))) continue;
        json_add_name(&out, each.name);
        json_add(&out, each.value);
    }
    if (data) {
        json_add_name(&out, STR("data"));
        json_add(&out, data);
    }
    json_close(&out);
    *ret_event = json_built(&out);
    return ST_OK;
}
