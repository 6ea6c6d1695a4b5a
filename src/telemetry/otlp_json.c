/* telemetry/otlp_json.c — spans in the JSON form of OTLP. */
#include "telemetry/otlp.h"

#include "json/json.h"

size_t otlp_run_attributes(const struct run_spans *run, struct telemetry_attribute ret[RUN_ATTRIBUTES_MAX])
{
    size_t count = 0;
    ret[count++] = (struct telemetry_attribute){ "workflow.name", run->run.definition, 0 };
    ret[count++] = (struct telemetry_attribute){ "workflow.version", STR_NONE, run->run.version };
    ret[count++] = (struct telemetry_attribute){ "workflow.run.id", run->run.id, 0 };
    ret[count++] = (struct telemetry_attribute){ "pawl.tenant", run->run.tenant, 0 };
    ret[count++] = (struct telemetry_attribute){ "pawl.dialect", run->run.dialect, 0 };
    if (run->is_test) ret[count++] = (struct telemetry_attribute){ "pawl.test", STR("true"), 0 };
    return count;
}

static void put_attribute(struct buf *out, const struct telemetry_attribute *attribute)
{
    buf_add_str(out, STR("{\"key\":"));
    json_print_string(str_of(attribute->key), out);
    buf_add_str(out, STR(",\"value\":{"));
    if (attribute->text.p) {
        buf_add_str(out, STR("\"stringValue\":"));
        json_print_string(attribute->text, out);
    } else {
        buf_printf(out, "\"intValue\":\"%lld\"", (long long)attribute->number);
    }
    buf_add_str(out, STR("}}"));
}

static void put_attributes(struct buf *out, const struct telemetry_attribute *attribute, size_t count,
                           bool more)
{
    for (size_t i = 0; i < count; i++) {
        if (i || more) buf_add_char(out, ',');
        put_attribute(out, &attribute[i]);
    }
}

void otlp_json_begin(struct otlp_json *message, const struct telemetry_resource *resource, struct buf *out)
{
    *message = (struct otlp_json){ .out = out };
    buf_add_str(out, STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":["));
    put_attributes(out, resource->attribute, resource->attribute_count, false);
    buf_add_str(out, STR("]},\"scopeSpans\":[{\"scope\":{\"name\":\"pawl\",\"version\":"));
    json_print_string(resource->version, out);
    buf_add_str(out, STR("},\"spans\":["));
}

static void put_links(struct buf *out, const struct span *span)
{
    buf_add_str(out, STR(",\"links\":["));
    for (size_t i = 0; i < span->link_count; i++) {
        const struct span_link *link = &span->link[i];
        buf_printf(out, "%s{\"traceId\":\"%.*s\",\"spanId\":\"%016llx\",\"attributes\":[", i ? "," : "",
                   STR_ARG(link->trace), (unsigned long long)link->span);
        put_attribute(out, &(struct telemetry_attribute){ "pawl.link", str_of(link->relation), 0 });
        buf_add_str(out, STR("]}"));
    }
    buf_add_char(out, ']');
}

void otlp_json_add(struct otlp_json *message, const struct run_spans *run, const struct span *span)
{
    struct buf *out = message->out;
    struct telemetry_attribute common[RUN_ATTRIBUTES_MAX];
    if (message->count++) buf_add_char(out, ',');
    buf_printf(out, "{\"traceId\":\"%.*s\",\"spanId\":\"%016llx\"", STR_ARG(run->trace),
               (unsigned long long)span->id);
    if (span->parent) buf_printf(out, ",\"parentSpanId\":\"%016llx\"", (unsigned long long)span->parent);
    buf_add_str(out, STR(",\"name\":"));
    json_print_string(span->name, out);
    buf_printf(out, ",\"kind\":%d,\"startTimeUnixNano\":\"%lld000000\",\"endTimeUnixNano\":\"%lld000000\"",
               (int)span->kind, (long long)span->start_ms, (long long)span->end_ms);
    buf_add_str(out, STR(",\"attributes\":["));
    put_attributes(out, common, otlp_run_attributes(run, common), false);
    put_attributes(out, span->attribute, span->attribute_count, true);
    buf_add_char(out, ']');
    if (span->link_count) put_links(out, span);
    buf_printf(out, ",\"status\":{");
    if (span->status) buf_printf(out, "\"code\":%d", (int)span->status);
    buf_add_str(out, STR("}}"));
}

void otlp_json_end(struct otlp_json *message) { buf_add_str(message->out, STR("]}]}]}")); }
