/* perform/cloud_event.c — writes CloudEvents 1.0 (JSON format and HTTP binding). */
#include "perform/http_function_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "base/must.h"

/* The attributes of an event that the engine makes, in the order they are sent. */
struct event {
    str id, source, type, subject; /* subject may be empty. */
    char time[DATETIME_CHARS + 1];
    const struct json *data;
};

static str event_id(const struct function_call *call)
{
    str id = call->event_id.n ? call->event_id : call->idempotency_key;
    must(id.n);
    return id;
}

static void set_structured(struct outcall *outcall, const struct json *event)
{
    struct buf body;
    buf_init(&body, outcall->arena);
    json_print(event, &body);
    outcall->content_type = STR(EVENT_CONTENT_TYPE);
    outcall->body = buf_str(&body);
}

static const struct json *event_object(const struct event *event, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("specversion"), STR("1.0"));
    json_add_text(&builder, STR("id"), event->id);
    json_add_text(&builder, STR("source"), event->source);
    json_add_text(&builder, STR("type"), event->type);
    if (event->subject.n) json_add_text(&builder, STR("subject"), event->subject);
    json_add_text(&builder, STR("time"), str_of(event->time));
    json_add_text(&builder, STR("datacontenttype"), STR("application/json"));
    json_add_name(&builder, STR("data"));
    json_add(&builder, event->data);
    json_close(&builder);
    return json_built(&builder);
}

static void set_binary(struct outcall *outcall, const struct event *event)
{
    const struct outcall_header headers[] = {
        { STR("ce-specversion"), STR("1.0") },
        { STR("ce-id"), http_header_text(outcall->arena, event->id) },
        { STR("ce-source"), http_header_text(outcall->arena, event->source) },
        { STR("ce-type"), http_header_text(outcall->arena, event->type) },
        { STR("ce-time"), arena_str(outcall->arena, str_of(event->time)) },
        { STR("ce-subject"), http_header_text(outcall->arena, event->subject) },
    };
    size_t count = event->subject.n ? COUNT(headers) : COUNT(headers) - 1;
    struct outcall_header *copy = arena_make_n(outcall->arena, struct outcall_header, count);
    memcpy(copy, headers, count * sizeof *copy);
    outcall->header = copy;
    outcall->header_count = count;

    struct buf body;
    buf_init(&body, outcall->arena);
    json_print(event->data, &body);
    outcall->content_type = STR("application/json");
    outcall->body = buf_str(&body);
}

/* ---- emit ---- */

static bool is_text(const struct json *value)
{
    return json_is(value, JSON_STRING) && json_string(value).n > 0;
}

static bool is_data_name(str name)
{
    return str_equal(name, STR("data")) || str_equal(name, STR("data_base64"));
}

static bool is_attribute_name(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_lower(name.p[i]) && !ascii_is_digit(name.p[i])) return false;
    return name.n > 0;
}

/* True if the request is an event already: it has a type and a source, and each other member except the data
 * could be an attribute. Data that merely has a field called type is no event. */
static bool is_event(const struct json *request)
{
    if (!is_text(json_get(request, STR("type"))) || !is_text(json_get(request, STR("source")))) return false;
    struct json_each each = json_each(request);
    while (json_next(&each)) {
        if (is_data_name(each.name)) continue;
        enum json_kind kind = json_kind(each.value);
        if (!is_attribute_name(each.name) || kind == JSON_ARRAY || kind == JSON_OBJECT) return false;
    }
    return true;
}

static void add_or_default(struct json_builder *builder, const struct json *request, str name, str otherwise)
{
    const struct json *given = json_get(request, name);
    json_add_text(builder, name, is_text(given) ? json_string(given) : otherwise);
}

/* The request's own attributes, and defaults for the required ones that are missing. */
static const struct json *complete_event(const struct function_call *call, const struct json *request,
                                         const char *time, struct arena *arena)
{
    static const str required[] = { STR_INIT("specversion"), STR_INIT("id"), STR_INIT("source"),
                                    STR_INIT("type"), STR_INIT("time") };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_or_default(&builder, request, STR("specversion"), STR("1.0"));
    add_or_default(&builder, request, STR("id"), event_id(call));
    add_or_default(&builder, request, STR("source"), STR_NONE);
    add_or_default(&builder, request, STR("type"), STR_NONE);
    add_or_default(&builder, request, STR("time"), str_of(time));
    if (json_get(request, STR("data")) && !json_get(request, STR("datacontenttype")))
        json_add_text(&builder, STR("datacontenttype"), STR("application/json"));
    struct json_each each = json_each(request);
    while (json_next(&each)) {
        bool written = false;
        for (size_t i = 0; i < COUNT(required); i++) written = written || str_equal(each.name, required[i]);
        /* An attribute that is null counts as absent. */
        if (written || (json_is(each.value, JSON_NULL) && !is_data_name(each.name))) continue;
        json_add_name(&builder, each.name);
        json_add(&builder, each.value);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* ---- either ---- */

void cloud_event_render(const struct function_call *call, enum function_kind kind, const struct json *request,
                        struct outcall *outcall)
{
    struct event event = { .source = STR(FUNCTION_EVENT_SOURCE), .data = request };
    datetime_print(call->now_ms, event.time);
    if (kind == FUNCTION_EMIT && is_event(request)) {
        set_structured(outcall, complete_event(call, request, event.time, outcall->arena));
        return;
    }
    if (kind == FUNCTION_EMIT) {
        event.id = event_id(call);
        event.type = call->function;
    } else {
        must(call->idempotency_key.n);
        event.id = call->idempotency_key;
        event.type = STR(FUNCTION_REQUEST_EVENT_TYPE);
        event.subject = call->function;
    }
    if (kind == FUNCTION_EVENT_BINARY) set_binary(outcall, &event);
    else set_structured(outcall, event_object(&event, outcall->arena));
}
