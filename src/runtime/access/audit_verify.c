/* runtime/access/audit_verify.c — checks the chains of a tenant's audit. On the query thread, in parts.
 *
 * The walk goes from the newest block to the oldest, and on through the rows of an older store. For each
 * chain it knows which number and hash the next block or row must have, by the one before. The head of a
 * chain says how far the chain goes at least, and the hash at that place. At the end the chain has come to
 * its first row, or to the row behind the last one that retention has removed.
 *
 * Blocks are added meanwhile. They are newer than the place where the walk began, and it does not see them.
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
    bool has_head, has_blocks;
    uint64_t expected; /* The number of the next row; 0: there is none any more. */
    struct audit_hash hash;
};

struct audit_walk {
    struct audit_chain_walk *chain;
    size_t count, cap;
    bool is_at_rows; /* The walk has seen all blocks, and looks at rows of an older store. */
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

/* The rows from `first` to `last`, which are one link of the chain. */
struct audit_link {
    uint64_t first, last;
    struct audit_hash before, hash;
};

/* The newest link may be newer than the head, which must be at the end of one. */
static void check_head(struct call *call, const struct audit_chain_walk *chain, const struct audit_link *link)
{
    uint64_t number = chain->head.number;
    if (!chain->has_blocks && link->last < number) break_at(call, "a row is missing", chain->node, number);
    else if (link->last == number && !is_equal(&link->hash, &chain->head.hash))
        break_at(call, "a row was changed", chain->node, number);
    else if (link->first <= number && number < link->last)
        break_at(call, "the head of a chain is in the wrong place", chain->node, number);
}

static void check_link(struct call *call, struct audit_chain_walk *chain, const struct audit_link *link)
{
    if (link->last < chain->expected) break_at(call, "a row is missing", chain->node, chain->expected);
    else if (link->last > chain->expected)
        break_at(call, "a row is in the wrong place", chain->node, link->last);
    else if (!is_equal(&link->hash, &chain->hash))
        break_at(call, "a row was changed", chain->node, link->last);
}

static void check_block(struct call *call, const struct record_row *record, struct arena *arena)
{
    struct audit_block block = { .count = 1 };
    int64_t at_ms, node;
    uint64_t first;
    must(record->kind == RECORD_AUDIT_BLOCK && record->ns == call->ns);
    if (!audit_block_key_parse(record->key, &at_ms, &node, &first)) {
        break_at(call, "the key of a block is damaged", 0, 0);
        return;
    }
    struct audit_chain_walk *chain = chain_of(call, node);
    if (audit_block_decode(record->value, arena, &block, NULL) != ST_OK)
        break_at(call, "a row is damaged", node, first);
    else if (block.first != first || block.node != node || block.at_ms != at_ms || block.tenant != call->ns)
        break_at(call, "a row is in the wrong place", node, first);
    const struct audit_link link = { first, first + block.count - 1, block.before,
                                     audit_hash_of(record->value) };
    check_head(call, chain, &link);
    if (chain->has_blocks) check_link(call, chain, &link);
    call->value.audit_rows.checked += (int64_t)block.count;
    chain->has_blocks = true;
    chain->expected = first - 1;
    chain->hash = block.before;
}

static void check_row(struct call *call, const struct record_row *record, struct arena *arena)
{
    struct audit_row row;
    struct audit_hash before, hash;
    int64_t at_ms, node;
    uint64_t number, told;
    must(record->kind == RECORD_AUDIT && record->ns == call->ns);
    call->value.audit_rows.checked++;
    if (!audit_key_parse(record->key, &at_ms, &node, &number)) {
        break_at(call, "the key of a row is damaged", 0, 0);
        return;
    }
    struct audit_chain_walk *chain = chain_of(call, node);
    if (audit_decode(record->value, arena, &row, &told, &before, &hash, NULL) != ST_OK)
        break_at(call, "a row is damaged", node, number);
    else if (told != number || row.at_ms != at_ms || row.tenant != call->ns)
        break_at(call, "a row is in the wrong place", node, number);
    else check_link(call, chain, &(struct audit_link){ number, number, before, hash });
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

/* A chain that was new when the walk came to it. */
static void note_head(struct call *call, int64_t node, const struct audit_head *head, bool is_good)
{
    (void)head, (void)is_good;
    chain_of(call, node)->has_head = true;
}

static enum status finish(struct query *query, struct call *call, struct error *err)
{
    const struct audit_walk *walk = call->value.audit_rows.walk_;
    TRY(each_head(query, call, true, end_chain_at_mark, err));
    TRY(each_head(query, call, false, note_head, err));
    for (size_t i = 0; i < walk->count; i++) {
        const struct audit_chain_walk *chain = &walk->chain[i];
        if (!chain->has_head) break_at(call, "a chain has no head", chain->node, 0);
        if (chain->expected) break_at(call, "a row is missing", chain->node, chain->expected);
    }
    return ST_OK;
}

/* A part of the walk. `*ret_more`: there is more behind it. */
static enum status walk_on(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    bool is_at_rows = answer->walk_->is_at_rows;
    struct record_filter filter = { .ns = call->ns,
                                    .kind = is_at_rows ? RECORD_AUDIT : RECORD_AUDIT_BLOCK,
                                    .after = is_at_rows ? answer->after_ : STR_NONE,
                                    .upto = is_at_rows ? STR_NONE : answer->after_,
                                    .prefix = is_at_rows ? STR_NONE : AUDIT_BLOCK_PREFIX,
                                    .max = is_at_rows ? ROWS_PER_PART : AUDIT_BLOCKS_AT_ONCE,
                                    .down = !is_at_rows };
    struct record_row *row;
    struct arena arena;
    size_t count;
    arena_init(&arena, 0);
    enum status status = reader_records(query->reader, &filter, &arena, &row, &count, err);
    for (size_t i = 0; status == ST_OK && i < count; i++)
        (is_at_rows ? check_row : check_block)(call, &row[i], &arena);
    if (status == ST_OK && count) answer->after_ = arena_str(call->arena, row[count - 1].key);
    arena_done(&arena);
    TRY(status);
    *ret_more = count == filter.max || !is_at_rows;
    if (count == filter.max || is_at_rows) return ST_OK;
    answer->walk_->is_at_rows = true;
    answer->after_ = STR_NONE;
    return ST_OK;
}

enum status audit_verify_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    bool has_more;
    TRY(caller_check_for(call->caller, MAY_AUDIT_READ, STR_NONE, err));
    if (!answer->walk_) {
        *answer = (struct answer_audit_rows){ .walk_ = arena_make(call->arena, struct audit_walk) };
        TRY(each_head(query, call, false, begin_chain, err));
    }
    TRY(walk_on(query, call, &has_more, err));
    *ret_more = has_more && !answer->broken.n;
    return *ret_more || answer->broken.n ? ST_OK : finish(query, call, err);
}
