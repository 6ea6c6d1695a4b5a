/* runtime/access/audit_read.c — lists rows of the audit, newest first. On the query thread, in parts.
 *
 *     blocks, from the last one ──►┐
 *                                  ├── by their ids ──► those that are asked for
 *     rows of an older store ─────►┘
 */
#include "runtime/access/access_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { LOOKS_PER_PART = 500 };

/* Rows that a part looks at, in the order of their ids. */
struct looks {
    struct audit_look {
        str id;
        struct audit_row row;
    } * look;
    size_t count, cap, next;
    bool has_more; /* Behind the last one. */
};

static bool fits(str pattern, str text)
{
    if (!pattern.n) return true;
    if (pattern.p[pattern.n - 1] != '*') return str_equal(pattern, text);
    return str_starts(text, str_slice(pattern, 0, pattern.n - 1));
}

static bool is_wanted(const struct call_audit_rows *asked, const struct audit_row *row)
{
    return fits(asked->principal, row->principal) && fits(asked->action, row->action) &&
           fits(asked->object, row->object) && fits(asked->outcome, row->outcome);
}

/* The id of a row that would be before all rows that are older than this time. */
static str id_of_time(int64_t at_ms, struct arena *arena)
{
    return audit_key(at_ms - 1, 0, UINT64_MAX, arena);
}

static void begin(struct call *call)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    struct answer_audit_rows *answer = &call->value.audit_rows;
    must(asked->max);
    *answer = (struct answer_audit_rows){ .row = arena_make_n(call->arena, struct audit_row, asked->max),
                                          .id = arena_make_n(call->arena, str, asked->max),
                                          .after_ = asked->before };
    str until = asked->until_ms ? id_of_time(asked->until_ms, call->arena) : STR_NONE;
    if (str_compare(until, answer->after_) > 0) answer->after_ = until;
}

/* ---- what a part looks at ---- */

/* A damaged row or block is shown as a row, so that nobody takes it for missing. */
static struct audit_row damaged(const struct call *call, int64_t at_ms)
{
    return (
        struct audit_row){ .tenant = call->ns, .at_ms = at_ms, .action = STR("audit.damaged"), .count = 1 };
}

static void add(struct looks *looks, str id, const struct audit_row *row, struct arena *arena)
{
    array_reserve_in(arena, looks->look, looks->count, looks->cap);
    looks->look[looks->count++] = (struct audit_look){ id, *row };
}

static enum status read_rows(struct query *query, const struct call *call, struct arena *arena,
                             struct looks *ret_looks, struct error *err)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    const struct record_filter filter = { .ns = call->ns,
                                          .kind = RECORD_AUDIT,
                                          .after = call->value.audit_rows.after_,
                                          .upto =
                                              asked->since_ms ? id_of_time(asked->since_ms, arena) : STR_NONE,
                                          .max = LOOKS_PER_PART };
    struct record_row *record;
    size_t count;
    TRY(reader_records(query->reader, &filter, arena, &record, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct audit_row row;
        struct audit_hash before, hash;
        int64_t at_ms = 0, node;
        uint64_t number;
        if (audit_decode(record[i].value, arena, &row, &number, &before, &hash, NULL) != ST_OK) {
            if (!audit_key_parse(record[i].key, &at_ms, &node, &number)) at_ms = 0;
            row = damaged(call, at_ms);
        }
        add(ret_looks, record[i].key, &row, arena);
    }
    ret_looks->has_more = count == LOOKS_PER_PART;
    return ST_OK;
}

/* Adds the rows of a block that are behind the place, the newest first. */
static void add_block(const struct call *call, const struct record_row *record, struct arena *arena,
                      struct looks *looks)
{
    struct audit_block block;
    struct audit_row row;
    int64_t at_ms, node;
    uint64_t first;
    if (!audit_block_key_parse(record->key, &at_ms, &node, &first))
        return; /* The check of the audit tells. */
    if (audit_block_decode(record->value, arena, &block, NULL) != ST_OK) {
        row = damaged(call, at_ms);
        block = (struct audit_block){ .count = 1, .row = &row };
    }
    for (size_t i = block.count; i-- > 0;) {
        str id = audit_key(at_ms, node, first + i, arena);
        if (str_compare(id, call->value.audit_rows.after_) > 0) add(looks, id, &block.row[i], arena);
    }
}

/* The key that all blocks with rows behind the place are before. */
static str blocks_before(str place, struct arena *arena)
{
    int64_t at_ms, node;
    uint64_t number;
    if (!place.n) return STR_NONE;
    return audit_key_parse(place, &at_ms, &node, &number)
               ? audit_block_key(at_ms, node, number, arena)
               : AUDIT_BLOCK_PREFIX; /* The list never returned this place. */
}

static enum status read_blocks(struct query *query, const struct call *call, struct arena *arena,
                               struct looks *ret_looks, struct error *err)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    const struct record_filter filter = { .ns = call->ns,
                                          .kind = RECORD_AUDIT_BLOCK,
                                          .prefix = AUDIT_BLOCK_PREFIX,
                                          .after = asked->since_ms ? audit_block_time(asked->since_ms, arena)
                                                                   : STR_NONE,
                                          .upto = blocks_before(call->value.audit_rows.after_, arena),
                                          .max = AUDIT_BLOCKS_AT_ONCE,
                                          .down = true };
    struct record_row *record;
    size_t count, i = 0;
    TRY(reader_records(query->reader, &filter, arena, &record, &count, err));
    for (; i < count && ret_looks->count < LOOKS_PER_PART; i++) add_block(call, &record[i], arena, ret_looks);
    /* If keys were damaged, there may be no place to go on from. */
    ret_looks->has_more = ret_looks->count && (i < count || count == AUDIT_BLOCKS_AT_ONCE);
    return ST_OK;
}

/* ---- the page ---- */

/* Rows live as long as the part: those that are asked for are copied. */
static void take(struct call *call, const struct audit_look *look)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    if (!is_wanted(&call->as.audit_rows, &look->row)) return;
    struct audit_row row = look->row;
    str *text[] = { &row.principal, &row.for_whom,   &row.action,  &row.object,
                    &row.outcome,   &row.request_id, &row.address, &row.details };
    for (size_t i = 0; i < COUNT(text); i++) *text[i] = arena_str(call->arena, *text[i]);
    answer->row[answer->count] = row;
    answer->id[answer->count++] = arena_str(call->arena, look->id);
}

/* The one of the two that lists the next row; NULL: nobody knows, or there is none. */
static struct looks *next_of(struct looks *a, struct looks *b)
{
    bool has_a = a->next < a->count, has_b = b->next < b->count;
    if ((!has_a && a->has_more) || (!has_b && b->has_more)) return NULL;
    if (!has_a || !has_b) return has_a ? a : has_b ? b : NULL;
    return str_compare(a->look[a->next].id, b->look[b->next].id) < 0 ? a : b;
}

static void take_some(struct call *call, struct looks *blocks, struct looks *rows)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    str after = STR_NONE;
    for (struct looks *next; answer->count < call->as.audit_rows.max && (next = next_of(blocks, rows));) {
        const struct audit_look *look = &next->look[next->next++];
        take(call, look);
        after = look->id;
        answer->checked++;
    }
    if (after.n) answer->after_ = arena_str(call->arena, after);
}

static bool is_left(const struct looks *looks) { return looks->has_more || looks->next < looks->count; }

enum status audit_read_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    struct answer_audit_rows *answer = &call->value.audit_rows;
    struct looks blocks = { 0 }, rows = { 0 };
    struct arena arena;
    TRY(caller_check_for(call->caller, MAY_AUDIT_READ, STR_NONE, err));
    if (!answer->row) begin(call);
    arena_init(&arena, 0);
    enum status status = read_blocks(query, call, &arena, &blocks, err);
    if (status == ST_OK) status = read_rows(query, call, &arena, &rows, err);
    if (status == ST_OK) take_some(call, &blocks, &rows);
    arena_done(&arena);
    TRY(status);
    must(answer->count <= asked->max);
    bool has_more = is_left(&blocks) || is_left(&rows), is_full = answer->count == asked->max;
    *ret_more = has_more && !is_full && answer->checked < AUDIT_LOOKS_MAX;
    answer->next = has_more && !*ret_more ? answer->after_ : STR_NONE;
    return ST_OK;
}
