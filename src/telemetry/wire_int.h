/* telemetry/wire_int.h — fields of Protocol Buffers, as both kinds of messages write them. */
#ifndef TELEMETRY_WIRE_INT_H
#define TELEMETRY_WIRE_INT_H

#include "telemetry/otlp.h"

void wire_put_bytes(struct buf *out, uint32_t field, str bytes);
void wire_put_varint(struct buf *out, uint32_t field, uint64_t value);
void wire_put_fixed64(struct buf *out, uint32_t field, uint64_t value);
void wire_put_double(struct buf *out, uint32_t field, double value);
void wire_put_time(struct buf *out, uint32_t field, int64_t ms);
/* Eight bytes without a field before them: an element of a packed list. */
void wire_put_eight(struct buf *out, uint64_t value);
void wire_put_attribute(struct buf *out, uint32_t field, const struct telemetry_attribute *attribute);
/* `items` has the spans or metrics, each as field 2: the engine, the scope "pawl", then these. */
void wire_put_message(struct buf *out, const struct telemetry_resource *resource, str items);

#endif
