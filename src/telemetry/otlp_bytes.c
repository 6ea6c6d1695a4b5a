/* telemetry/otlp_bytes.c — spans as Protocol Buffers. The field numbers are those of
 * opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto. */
#include "telemetry/wire_int.h"

#include "base/must.h"

/* A span's id goes out with its most significant byte first, as its hexadecimal digits do. */
static void put_span_id(struct buf *out, uint32_t field, uint64_t id)
{
    uint64_t bytes = __builtin_bswap64(id);
    wire_put_bytes(out, field, (str){ (const char *)&bytes, sizeof bytes });
}

static unsigned nibble(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static void put_trace_id(struct buf *out, uint32_t field, str digits)
{
    char bytes[TRACE_CHARS / 2];
    must(digits.n == TRACE_CHARS);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(nibble(digits.p[2 * i]) << 4 | nibble(digits.p[2 * i + 1]));
    wire_put_bytes(out, field, (str){ bytes, sizeof bytes });
}

static void put_link(struct buf *out, const struct span_link *link)
{
    struct buf body;
    buf_init(&body, NULL);
    put_trace_id(&body, 1, link->trace);
    put_span_id(&body, 2, link->span);
    wire_put_attribute(&body, 4, &(struct telemetry_attribute){ "pawl.link", str_of(link->relation), 0 });
    wire_put_bytes(out, 13, buf_str(&body));
    buf_done(&body);
}

/* Status { 3: code }. Without a code it is empty. */
static void put_status(struct buf *out, enum span_status status)
{
    const char body[] = { 3 << 3, (char)status };
    wire_put_bytes(out, 15, (str){ body, status ? sizeof body : 0 });
}

void otlp_bytes_init(struct otlp_bytes *message)
{
    buf_init(&message->spans, NULL);
    buf_init(&message->common, NULL);
    buf_init(&message->scratch, NULL);
}

void otlp_bytes_done(struct otlp_bytes *message)
{
    buf_done(&message->spans);
    buf_done(&message->common);
    buf_done(&message->scratch);
}

void otlp_bytes_run(struct otlp_bytes *message, const struct run_spans *run)
{
    struct telemetry_attribute common[RUN_ATTRIBUTES_MAX];
    size_t count = otlp_run_attributes(run, common);
    message->common.n = 0;
    put_trace_id(&message->common, 1, run->trace);
    for (size_t i = 0; i < count; i++) wire_put_attribute(&message->common, 9, &common[i]);
}

void otlp_bytes_add(struct otlp_bytes *message, const struct span *span)
{
    struct buf *body = &message->scratch;
    must(message->common.n);
    body->n = 0;
    buf_add_str(body, buf_str(&message->common));
    put_span_id(body, 2, span->id);
    if (span->parent) put_span_id(body, 4, span->parent);
    wire_put_bytes(body, 5, span->name);
    wire_put_varint(body, 6, span->kind);
    wire_put_time(body, 7, span->start_ms);
    wire_put_time(body, 8, span->end_ms);
    for (size_t i = 0; i < span->attribute_count; i++) wire_put_attribute(body, 9, &span->attribute[i]);
    for (size_t i = 0; i < span->link_count; i++) put_link(body, &span->link[i]);
    put_status(body, span->status);
    wire_put_bytes(&message->spans, 2, buf_str(body));
}

void otlp_bytes_end(struct otlp_bytes *message, const struct telemetry_resource *resource, struct buf *out)
{
    wire_put_message(out, resource, buf_str(&message->spans));
    message->spans.n = 0;
}
