/* tests/fuzz/fuzz_audit.c — a block of the audit as a store has it, which somebody may have changed.
 *
 * A block that is read has the rows that its bytes can have. Encoded again it gives the same rows, the
 * places of its rows are ids that lead back to them, and clients can read what they are shown. */

#include "fuzz.h"

#include "access/limits.h"
#include "access/record/audit_block.h"

static void check_same(const struct audit_row *a, const struct audit_row *b)
{
    must(a->numbered == b->numbered && a->is_id == b->is_id);
    must(a->way == b->way && a->count == b->count && a->tenant == b->tenant && a->at_ms == b->at_ms);
    must(str_equal(a->principal, b->principal) && str_equal(a->for_whom, b->for_whom));
    must(str_equal(a->action, b->action) && str_equal(a->object, b->object));
    must(str_equal(a->outcome, b->outcome) && str_equal(a->request_id, b->request_id));
    must(str_equal(a->address, b->address) && str_equal(a->details, b->details));
}

static void check_shown(const struct audit_row *row, struct arena *arena)
{
    const struct json *value;
    struct buf out;
    buf_init(&out, arena);
    audit_put_of_tenant(row, STR("id"), STR("acme"), &out);
    if (json_parse(buf_str(&out), NULL, arena, &value, NULL) == ST_OK) must(json_is(value, JSON_OBJECT));
    else must(row->details.n > JSON_DEPTH_MAX); /* They are nested deeper here than alone. */
}

static void check_block(const struct audit_block *block, struct arena *arena)
{
    struct audit_block again;
    struct audit_hash hash;
    struct buf rows;
    must(block->count && block->count <= AUDIT_BLOCK_ROWS_MAX && block->first && block->tenant > TENANT_ANY);
    buf_init(&rows, arena);
    for (size_t i = 0; i < block->count; i++) {
        audit_block_add(&rows, &block->row[i]);
        check_shown(&block->row[i], arena);
    }
    str value = audit_block_encode(block, buf_str(&rows), arena, &hash);
    must(audit_block_decode(value, arena, &again, NULL) == ST_OK && again.count == block->count);
    must(again.first == block->first && again.node == block->node && again.at_ms == block->at_ms);
    must(memcmp(&again.before, &block->before, sizeof again.before) == 0);
    for (size_t i = 0; i < block->count; i++) check_same(&block->row[i], &again.row[i]);
    struct audit_hash same = audit_hash_of(value);
    must(memcmp(&hash, &same, sizeof hash) == 0);
}

static void check_key(str text, struct arena *arena)
{
    int64_t at_ms, node, at_ms_again, node_again;
    uint64_t first, first_again;
    if (!audit_block_key_parse(text, &at_ms, &node, &first)) return;
    must(str_equal(audit_block_key(at_ms, node, first, arena), text));
    must(audit_key_parse(audit_key(at_ms, node, first, arena), &at_ms_again, &node_again, &first_again));
    must(at_ms == at_ms_again && node == node_again && first == first_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = fuzz_block((str){ (const char *)data, size });
    struct audit_block block;
    struct error err = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    check_key(str_slice(input, 0, input.n < 24 ? input.n : 24), &arena);
    if (audit_block_decode(input, &arena, &block, &err) == ST_OK) check_block(&block, &arena);
    else must(err.status == ST_INVALID && err.message[0]);
    fuzz_block_free(input);
    arena_done(&arena);
    return 0;
}
