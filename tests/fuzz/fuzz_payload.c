/* tests/fuzz/fuzz_payload.c — Protobuf payloads of arrivals: two bytes with the length of a schema (the low
 * one first), the schema, the message.
 *
 * Whatever the bytes are, schema and message are read or refused with a reason. What was read can be stored.
 * A field that the schema does not know changes nothing, and a message behind itself is one, too.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "source/protobuf_int.h"

static void check_refused(enum status status, const struct error *err)
{
    must(status == ST_INVALID || status == ST_NOT_FOUND || status == ST_LIMIT);
    must(err->status == status && err->message[0] && utf8_is_valid(str_of(err->message)));
}

static const struct json *parsed(const struct protobuf_type *type, str bytes, struct arena *arena)
{
    const struct json *value = NULL;
    struct error err = { 0 };
    str block = fuzz_block(bytes);
    enum status status = protobuf_parse(type, block, arena, &value, &err);
    fuzz_block_free(block);
    if (status != ST_OK) {
        check_refused(status, &err);
        must(status != ST_NOT_FOUND);
        return NULL;
    }
    must(json_is(value, JSON_OBJECT) && json_depth(value) <= JSON_DEPTH_MAX);
    must(json_decode(json_encoded(value), arena)); /* UTF-8, no name twice. */
    return value;
}

static bool knows(const struct protobuf_type *type, uint32_t number)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->field[i].number == number) return true;
    return false;
}

static str joined(str a, str b, struct arena *arena)
{
    struct buf both;
    buf_init(&both, arena);
    buf_add_str(&both, a);
    buf_add_str(&both, b);
    return buf_str(&both);
}

static void check_message(const struct protobuf_type *type, str bytes, struct arena *arena)
{
    enum { UNKNOWN = 15, ENOUGH_BYTES = 4096 };
    static const str unknown = STR_INIT("\x78\x07"); /* Field 15, the number 7. */
    const struct json *value = parsed(type, bytes, arena);
    if (!value) return;
    if (!knows(type, UNKNOWN)) {
        const struct json *same = parsed(type, joined(bytes, unknown, arena), arena);
        must(same && fuzz_same_cells(value, same));
    }
    /* The message twice: as many values again are too many only if there are very many of them. */
    if (bytes.n < ENOUGH_BYTES) must(parsed(type, joined(bytes, bytes, arena), arena));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    str input = { (const char *)data + 2, size - 2 };
    size_t n = data[0] | (size_t)data[1] << 8;
    if (n > input.n) n = input.n;
    const struct protobuf_type *type;
    struct error err = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    str schema = fuzz_block(str_slice(input, 0, n));
    enum status status = protobuf_read_schema(schema, STR("acme.Reading"), &arena, &type, &err);
    fuzz_block_free(schema); /* All that the type needs is in the arena. */
    if (status == ST_OK) check_message(type, str_slice(input, n, input.n), &arena);
    else check_refused(status, &err);
    arena_done(&arena);
    return 0;
}
