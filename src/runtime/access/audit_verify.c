/* runtime/access/audit_verify.c — checks the chains of a tenant's audit. On the query thread, in parts.
 *
 * The walk goes from the newest row to the oldest. For each chain it knows which number and hash the next row
 * must have: first by the head, then by the row before. At the end the chain has come to its first row, or to
 * the row behind the last one that retention has removed.
 *
 * Rows are added meanwhile. They are newer than the heads that were read, so they are only counted, and the
 * head must have come so far when the walk is over.
 */
#include "runtime/access/access_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { ROWS_PER_PART = 500 };

struct audit_chain_walk {
    int64_t node;
    struct audit_head head;
    bool has_head;
    uint64_t expected; /* The number of the next row; 0: there is none any more. */
    struct audit_hash hash;
    uint64_t beyond; /* The newest row that is newer than the head. */
};

struct audit_walk {
    struct audit_chain_walk *chain;
    size_t count, cap;
};

static struct audit_chain_walk *chain_of(struct call *call, int64_t node)
{
    struct audit_walk *walk = call->value.audit_rows.walk_;
    for (size_t i = 0; i < walk->count; i++)
        if (walk->chain[i].node == node) return &walk->chain[i];
    array_reserve_in(call->arena, walk->chain, walk->count, walk->cap);
    struct audit_chain_walk *chain = &walk->chain[walk->count++];
    *chain = (struct audit_chain_walk){ .node = node };
    return chain;
}

static void break_at(struct call *call, const char *what, int64_t node, uint64_t number)
{
    str *broken = &call->value.audit_rows.broken;
    if (broken->n) return;
    *broken = arena_printf(call->arena, "%s (node %lld, row %llu)", what, (long long)node,
                           (unsigned long long)number);
}

/* ---- heads ---- */

typedef void take_head_fn(struct call *call, int64_t node, const struct audit_head *head, bool is_good);

/* `marks`: where retention has come to; else heads. */
static enum status each_head(struct query *query, struct call *call, bool marks, take_head_fn *take,
                             struct error *err)
{
    struct record_filter filter = { .ns = call->ns, .kind = RECORD_AUDIT_HEAD, .max = ACCESS_ROWS_AT_ONCE };
    struct record_row *row;
    size_t count;
    do {
        TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            struct audit_head head = { 0 };
            bool is_mark = str_find(row[i].key, STR("/"), 0) != SIZE_MAX;
            bool is_good = audit_head_decode(row[i].value, &head, NULL) == ST_OK;
            if (is_mark == marks) take(call, (int64_t)access_rows_generation(row[i].key), &head, is_good);
        }
        if (count) filter.after = row[count - 1].key;
    } while (count == ACCESS_ROWS_AT_ONCE);
    return ST_OK;
}

static void begin_chain(struct call *call, int64_t node, const struct audit_head *head, bool is_good)
{
    struct audit_chain_walk *chain = chain_of(call, node);
    if (!is_good) break_at(call, "the head of a chain is damaged", node, 0);
    chain->has_head = true;
    chain->head = *head;
    chain->expected = head->number;
    chain->hash = head->hash;
}

/* ---- rows ---- */

static bool is_equal(const struct audit_hash *a, const struct audit_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void check_row(struct call *call, const struct record_row *record)
{
    struct audit_row row;
    struct audit_hash before, hash;
    int64_t at_ms, node;
    uint64_t number, told;
    call->value.audit_rows.checked++;
    if (!audit_key_parse(record->key, &at_ms, &node, &number)) {
        break_at(call, "the key of a row is damaged", 0, 0);
        return;
    }
    struct audit_chain_walk *chain = chain_of(call, node);
    if (number > chain->head.number) {
        if (number > chain->beyond) chain->beyond = number;
        return;
    }
    if (audit_decode(record->value, call->arena, &row, &told, &before, &hash, NULL) != ST_OK)
        break_at(call, "a row is damaged", node, number);
    else if (number < chain->expected) break_at(call, "a row is missing", node, chain->expected);
    else if (number > chain->expected || told != number || row.at_ms != at_ms || row.tenant != call->ns)
        break_at(call, "a row is in the wrong place", node, number);
    else if (!is_equal(&hash, &chain->hash)) break_at(call, "a row was changed", node, number);
    chain->expected = number - 1;
    chain->hash = before;
}

/* ---- the end ---- */

static void end_chain_at_mark(struct call *call, int64_t node, const struct audit_head *mark, bool is_good)
{
    struct audit_chain_walk *chain = chain_of(call, node);
    if (!is_good) break_at(call, "the mark of retention is damaged", node, 0);
    /* Retention may have gone on since. */
    else if (mark->number < chain->expected) break_at(call, "a row is missing", node, chain->expected);
    else if (mark->number == chain->expected && !is_equal(&mark->hash, &chain->hash))
        break_at(call, "the mark of retention does not fit", node, mark->number);
    chain->expected = 0;
}

static void check_head_again(struct call *call, int64_t node, const struct audit_head *head, bool is_good)
{
    struct audit_chain_walk *chain = chain_of(call, node);
    chain->has_head = true;
    if (is_good && head->number < chain->beyond)
        break_at(call, "a row is beyond the head of its chain", node, chain->beyond);
}

static enum status finish(struct query *query, struct call *call, struct error *err)
{
    const struct audit_walk *walk = call->value.audit_rows.walk_;
    TRY(each_head(query, call, true, end_chain_at_mark, err));
    TRY(each_head(query, call, false, check_head_again, err));
    for (size_t i = 0; i < walk->count; i++) {
        const struct audit_chain_walk *chain = &walk->chain[i];
        if (!chain->has_head) break_at(call, "a chain has no head", chain->node, chain->beyond);
        if (chain->expected) break_at(call, "a row is missing", chain->node, chain->expected);
    }
    return ST_OK;
}

enum status audit_verify_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    struct record_row *row;
    struct arena rows;
    size_t count;
    TRY(caller_check_for(call->caller, MAY_AUDIT_READ, STR_NONE, err));
    if (!answer->walk_) {
        *answer = (struct answer_audit_rows){ .walk_ = arena_make(call->arena, struct audit_walk) };
        TRY(each_head(query, call, false, begin_chain, err));
    }
    const struct record_filter filter = {
        .ns = call->ns, .kind = RECORD_AUDIT, .after = answer->after_, .max = ROWS_PER_PART
    };
    arena_init(&rows, 0);
    enum status status = reader_records(query->reader, &filter, &rows, &row, &count, err);
    for (size_t i = 0; status == ST_OK && i < count; i++) check_row(call, &row[i]);
    if (status == ST_OK && count) answer->after_ = arena_str(call->arena, row[count - 1].key);
    arena_done(&rows);
    TRY(status);
    *ret_more = count == ROWS_PER_PART && !answer->broken.n;
    return *ret_more || answer->broken.n ? ST_OK : finish(query, call, err);
}
