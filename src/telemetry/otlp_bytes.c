/* telemetry/otlp_bytes.c — spans as Protocol Buffers. The field numbers are those of
 * opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto. */
#include "telemetry/otlp.h"

#include "base/must.h"

#include <string.h>

enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

static void put_key(struct buf *out, uint32_t field, enum wire wire)
{
    buf_add_varint(out, (uint64_t)field << 3 | wire);
}

static void put_bytes(struct buf *out, uint32_t field, str bytes)
{
    put_key(out, field, WIRE_BYTES);
    buf_add_varint(out, bytes.n);
    buf_add_str(out, bytes);
}

static void put_varint(struct buf *out, uint32_t field, uint64_t value)
{
    put_key(out, field, WIRE_VARINT);
    buf_add_varint(out, value);
}

static void put_time(struct buf *out, uint32_t field, int64_t ms)
{
    uint64_t ns = (uint64_t)ms * 1000000;
    put_key(out, field, WIRE_FIXED64);
    for (int i = 0; i < 8; i++) buf_add_char(out, (char)(ns >> 8 * i));
}

/* A span's id goes out with its most significant byte first, as its hexadecimal digits do. */
static void put_span_id(struct buf *out, uint32_t field, uint64_t id)
{
    char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (char)(id >> 8 * (7 - i));
    put_bytes(out, field, (str){ bytes, sizeof bytes });
}

static unsigned nibble(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static void put_trace_id(struct buf *out, uint32_t field, str digits)
{
    char bytes[TRACE_CHARS / 2];
    must(digits.n == TRACE_CHARS);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(nibble(digits.p[2 * i]) << 4 | nibble(digits.p[2 * i + 1]));
    put_bytes(out, field, (str){ bytes, sizeof bytes });
}

static size_t varint_bytes(uint64_t value)
{
    size_t n = 1;
    while (value >>= 7) n++;
    return n;
}

/* KeyValue { 1: key, 2: AnyValue { 1: string, 3: int } }, whose lengths are known before they are written. */
static void put_attribute(struct buf *out, uint32_t field, const struct telemetry_attribute *attribute)
{
    str key = str_of(attribute->key), text = attribute->text;
    size_t value = text.p ? 1 + varint_bytes(text.n) + text.n : 1 + varint_bytes((uint64_t)attribute->number);
    size_t whole = 1 + varint_bytes(key.n) + key.n + 1 + varint_bytes(value) + value;
    put_key(out, field, WIRE_BYTES);
    buf_add_varint(out, whole);
    put_bytes(out, 1, key);
    put_key(out, 2, WIRE_BYTES);
    buf_add_varint(out, value);
    if (text.p) put_bytes(out, 1, text);
    else put_varint(out, 3, (uint64_t)attribute->number);
}

static void put_link(struct buf *out, const struct span_link *link)
{
    struct buf body;
    buf_init(&body, NULL);
    put_trace_id(&body, 1, link->trace);
    put_span_id(&body, 2, link->span);
    put_attribute(&body, 4, &(struct telemetry_attribute){ "pawl.link", str_of(link->relation), 0 });
    put_bytes(out, 13, buf_str(&body));
    buf_done(&body);
}

static void put_status(struct buf *out, enum span_status status)
{
    struct buf body;
    buf_init(&body, NULL);
    if (status) put_varint(&body, 3, status);
    put_bytes(out, 15, buf_str(&body));
    buf_done(&body);
}

void otlp_bytes_begin(struct otlp_bytes *message)
{
    buf_init(&message->spans, NULL);
    buf_init(&message->scratch, NULL);
}

void otlp_bytes_add(struct otlp_bytes *message, const struct run_spans *run, const struct span *span)
{
    struct buf *body = &message->scratch;
    struct telemetry_attribute common[RUN_ATTRIBUTES_MAX];
    size_t count = otlp_run_attributes(run, common);
    body->n = 0;
    put_trace_id(body, 1, run->trace);
    put_span_id(body, 2, span->id);
    if (span->parent) put_span_id(body, 4, span->parent);
    put_bytes(body, 5, span->name);
    put_varint(body, 6, span->kind);
    put_time(body, 7, span->start_ms);
    put_time(body, 8, span->end_ms);
    for (size_t i = 0; i < count; i++) put_attribute(body, 9, &common[i]);
    for (size_t i = 0; i < span->attribute_count; i++) put_attribute(body, 9, &span->attribute[i]);
    for (size_t i = 0; i < span->link_count; i++) put_link(body, &span->link[i]);
    put_status(body, span->status);
    put_bytes(&message->spans, 2, buf_str(body));
}

void otlp_bytes_end(struct otlp_bytes *message, const struct telemetry_resource *resource, struct buf *out)
{
    struct buf who, scope, resource_spans;
    buf_init(&who, NULL);
    buf_init(&scope, NULL);
    buf_init(&resource_spans, NULL);

    for (size_t i = 0; i < resource->attribute_count; i++) put_attribute(&who, 1, &resource->attribute[i]);
    put_bytes(&resource_spans, 1, buf_str(&who));
    who.n = 0;
    put_bytes(&who, 1, STR("pawl"));
    put_bytes(&who, 2, resource->version);
    put_bytes(&scope, 1, buf_str(&who));
    buf_add_str(&scope, buf_str(&message->spans));
    put_bytes(&resource_spans, 2, buf_str(&scope));
    put_bytes(out, 1, buf_str(&resource_spans));

    buf_done(&resource_spans);
    buf_done(&scope);
    buf_done(&who);
    buf_done(&message->spans);
    buf_done(&message->scratch);
}
