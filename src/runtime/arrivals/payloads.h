/* runtime/arrivals/payloads.h — schemas of Protobuf payloads, as the vault has them.
 *
 * A trigger's schemaRef is `vault:NAME#MESSAGE`: the secret NAME holds a FileDescriptorSet as base64. The
 * schemas that were used lately are kept compiled, and looked at again after a moment, because a secret may
 * change.
 */
#ifndef RUNTIME_ARRIVALS_PAYLOADS_H
#define RUNTIME_ARRIVALS_PAYLOADS_H

#include "base/arena.h"
#include "base/status.h"
#include "runtime/limits.h"

struct arrival_event;
struct protobuf_type;
struct turn;

struct payload_schema {
    struct arena arena; /* All that it points to. */
    str ref;            /* Empty: the place is free. */
    int64_t read_ms;
    const struct protobuf_type *type;
};

struct payloads {
    struct payload_schema schema[PAYLOAD_SCHEMAS_MAX];
    size_t next; /* The place that is used for another one. */
};

void payloads_init(struct payloads *payloads);
void payloads_done(struct payloads *payloads);

/* Decodes the bytes of an event that has no payload yet. ST_NOT_FOUND: there is no such secret or message;
 * ST_INVALID, ST_LIMIT. */
enum status payload_decode(struct turn *turn, int32_t ns, str schema_ref, struct arrival_event *event,
                           struct error *err);

#endif
