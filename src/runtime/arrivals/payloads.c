/* runtime/arrivals/payloads.c — decodes Protobuf payloads with schemas from the vault, kept compiled. */
#include "runtime/arrivals/payloads.h"

#include "base/base64.h"
#include "runtime/arrivals/arrivals_int.h"
#include "runtime/call/call.h"
#include "runtime/transact/transact.h"
#include "source/protobuf.h"

void payloads_init(struct payloads *payloads)
{
    for (size_t i = 0; i < PAYLOAD_SCHEMAS_MAX; i++) arena_init(&payloads->schema[i].arena, 0);
}

void payloads_done(struct payloads *payloads)
{
    for (size_t i = 0; i < PAYLOAD_SCHEMAS_MAX; i++) arena_done(&payloads->schema[i].arena);
}

static void forget(struct payload_schema *schema)
{
    arena_reset(&schema->arena);
    schema->ref = STR_NONE;
}

/* The schema, if it was read a moment ago. */
static struct payload_schema *find(struct payloads *payloads, str ref, int64_t now_ms)
{
    for (size_t i = 0; i < PAYLOAD_SCHEMAS_MAX; i++) {
        struct payload_schema *schema = &payloads->schema[i];
        if (!schema->ref.n || !str_equal(schema->ref, ref)) continue;
        if (now_ms - schema->read_ms < PAYLOAD_SCHEMA_AGE_MS) return schema;
        forget(schema);
    }
    return NULL;
}

static enum status read_schema(struct turn *turn, int32_t ns, struct payload_schema *schema, str ref,
                               struct error *err)
{
    size_t hash = str_find(ref, STR("#"), 0), from = str_starts(ref, STR("vault:")) ? 6 : 0;
    if (hash == SIZE_MAX || hash < from)
        return fail(err, ST_INVALID, "schemaRef", "a schemaRef is vault:NAME#MESSAGE");
    str name = str_slice(ref, from, hash), text, set;
    if (!turn->engine->secrets.vault ||
        !vault_find(turn->engine->secrets.vault, ns, name, &turn->arena, &text))
        return fail(err, ST_NOT_FOUND, "schemaRef", "there is no secret \"%.*s\"", STR_ARG(name));
    if (!base64_decode(str_trim(text), &turn->arena, &set))
        return fail(err, ST_INVALID, "schemaRef", "the secret \"%.*s\" is not base64", STR_ARG(name));
    set = arena_str(&schema->arena, set);
    return protobuf_read_schema(set, str_slice(ref, hash + 1, ref.n), &schema->arena, &schema->type, err);
}

static enum status get_schema(struct turn *turn, int32_t ns, str ref, const struct protobuf_type **ret_type,
                              struct error *err)
{
    struct payloads *payloads = &turn->engine->arrivals.payloads;
    str key = tenant_key(ns, ref, &turn->arena);
    struct payload_schema *schema = find(payloads, key, turn->now_ms);
    if (!schema) {
        schema = &payloads->schema[payloads->next];
        payloads->next = (payloads->next + 1) % PAYLOAD_SCHEMAS_MAX;
        forget(schema);
        enum status status = read_schema(turn, ns, schema, ref, err);
        if (status != ST_OK) {
            forget(schema);
            return status;
        }
        schema->ref = arena_str(&schema->arena, key);
        schema->read_ms = turn->now_ms;
    }
    *ret_type = schema->type;
    return ST_OK;
}

enum status payload_decode(struct turn *turn, int32_t ns, str schema_ref, struct arrival_event *event,
                           struct error *err)
{
    const struct protobuf_type *type;
    TRY(get_schema(turn, ns, schema_ref, &type, err));
    enum status status = protobuf_parse(type, event->raw, &turn->arena, &event->payload, err);
    /* A few bytes can stand for many values: such messages must not hold up others. */
    if (status == ST_OK) turn->spent += (int64_t)(json_bytes(event->payload) / STATE_BYTES_PER_FUEL);
    return status;
}
