/* access/record/audit_block.c — blocks of the audit as bytes.
 *
 *     value: 'B' tenant node time first count before(32 bytes) row…
 *     row:   flags way principal action [object] [for] [request id] [address] [details] [outcome] [count]
 *
 * Numbers are varints, and texts have their length in front. An optional text is there if its flag is set.
 */
#include "access/record/audit_block.h"

#include "access/limits.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/read.h"

enum { FORM = 'B', NUMBER_BYTES = 8, KEY_BYTES = 3 * NUMBER_BYTES };

/* The bytes of a row that has nothing but empty texts. */
enum { ROW_BYTES_MIN = 4 };

enum {
    HAS_OBJECT = 1,
    HAS_FOR = 2,
    HAS_REQUEST = 4,
    HAS_ADDRESS = 8,
    HAS_DETAILS = 16,
    HAS_OUTCOME = 32, /* Another one than "done". */
    HAS_COUNT = 64,   /* Another one than 1. */
    HAS_ALL = 127,
};

/* ---- keys ---- */

static void put_number(uint64_t value, char *out)
{
    for (size_t i = NUMBER_BYTES; i--; value >>= 8) out[i] = (char)value;
}

static uint64_t get_number(const char *p)
{
    uint64_t value = 0;
    for (size_t i = 0; i < NUMBER_BYTES; i++) value = value << 8 | (unsigned char)p[i];
    return value;
}

str audit_block_time(int64_t at_ms, struct arena *arena)
{
    char *key = arena_alloc(arena, NUMBER_BYTES);
    put_number((uint64_t)clock_within(at_ms), key);
    return (str){ key, NUMBER_BYTES };
}

str audit_block_key(int64_t at_ms, int64_t node, uint64_t first, struct arena *arena)
{
    char *key = arena_alloc(arena, KEY_BYTES);
    put_number((uint64_t)clock_within(at_ms), key);
    /* The first node is listed first among those of one millisecond, so its blocks come last. */
    put_number(~(uint64_t)node, key + NUMBER_BYTES);
    put_number(first, key + 2 * NUMBER_BYTES);
    return (str){ key, KEY_BYTES };
}

bool audit_block_key_parse(str key, int64_t *ret_at_ms, int64_t *ret_node, uint64_t *ret_first)
{
    if (key.n != KEY_BYTES || get_number(key.p) > (uint64_t)CLOCK_MS_MAX) return false;
    *ret_at_ms = (int64_t)get_number(key.p);
    *ret_node = (int64_t)~get_number(key.p + NUMBER_BYTES);
    *ret_first = get_number(key.p + 2 * NUMBER_BYTES);
    return true;
}

/* ---- writing ---- */

static unsigned flags_of(const struct audit_row *row)
{
    return (row->object.n ? HAS_OBJECT : 0u) | (row->for_whom.n ? HAS_FOR : 0u) |
           (row->request_id.n ? HAS_REQUEST : 0u) | (row->address.n ? HAS_ADDRESS : 0u) |
           (row->details.n ? HAS_DETAILS : 0u) |
           (str_equal(row->outcome, STR("done")) ? 0u : (unsigned)HAS_OUTCOME) |
           (row->count == 1 ? 0u : (unsigned)HAS_COUNT);
}

void audit_block_add(struct buf *rows, const struct audit_row *row)
{
    unsigned flags = flags_of(row);
    must(row->action.n && row->count > 0);
    buf_add_varint(rows, flags);
    buf_add_varint(rows, row->way);
    buf_add_text(rows, row->principal);
    buf_add_text(rows, row->action);
    if (flags & HAS_OBJECT) buf_add_text(rows, row->object);
    if (flags & HAS_FOR) buf_add_text(rows, row->for_whom);
    if (flags & HAS_REQUEST) buf_add_text(rows, row->request_id);
    if (flags & HAS_ADDRESS) buf_add_text(rows, row->address);
    if (flags & HAS_DETAILS) buf_add_text(rows, row->details);
    if (flags & HAS_OUTCOME) buf_add_text(rows, row->outcome);
    if (flags & HAS_COUNT) buf_add_varint(rows, (uint64_t)row->count);
}

str audit_block_encode(const struct audit_block *block, str rows, struct arena *arena,
                       struct audit_hash *ret_hash)
{
    struct buf out;
    must(block->first && block->count && block->tenant > TENANT_ANY);
    must(block->count <= AUDIT_BLOCK_ROWS_MAX && block->first <= INT64_MAX - AUDIT_BLOCK_ROWS_MAX);
    buf_init(&out, arena);
    buf_reserve(&out, rows.n + AUDIT_HASH_BYTES + 48); /* In one piece: a char and five varints. */
    buf_add_char(&out, FORM);
    buf_add_varint(&out, (uint32_t)block->tenant);
    buf_add_varint(&out, (uint64_t)block->node);
    buf_add_varint(&out, (uint64_t)clock_within(block->at_ms));
    buf_add_varint(&out, block->first);
    buf_add_varint(&out, block->count);
    buf_add(&out, block->before.bytes, AUDIT_HASH_BYTES);
    buf_add_str(&out, rows);
    *ret_hash = audit_hash_of(buf_str(&out));
    return buf_str(&out);
}

/* ---- reading ---- */

static str read_if(struct reader *text, uint64_t flags, unsigned flag)
{
    return flags & flag ? read_text(text) : STR_NONE;
}

static void read_row(struct reader *text, struct audit_row *row)
{
    uint64_t flags = read_varint(text), way = read_varint(text);
    if (flags > HAS_ALL || way >= WAY_COUNT) text->bad = true;
    row->way = text->bad ? WAY_NODE : (enum way_in)way;
    row->principal = read_text(text);
    row->action = read_text(text);
    row->object = read_if(text, flags, HAS_OBJECT);
    row->for_whom = read_if(text, flags, HAS_FOR);
    row->request_id = read_if(text, flags, HAS_REQUEST);
    row->address = read_if(text, flags, HAS_ADDRESS);
    row->details = read_if(text, flags, HAS_DETAILS);
    row->outcome = flags & HAS_OUTCOME ? read_text(text) : STR("done");
    uint64_t count = flags & HAS_COUNT ? read_varint(text) : 1;
    if (!row->action.n || !count || count > INT64_MAX) text->bad = true;
    row->count = text->bad ? 1 : (int64_t)count;
}

/* The count of rows is bounded by their bytes before anything is allocated. */
static bool read_head(struct reader *text, struct audit_block *block)
{
    str form = read_bytes(text, 1);
    uint64_t tenant = read_varint(text), node = read_varint(text), at_ms = read_varint(text),
             first = read_varint(text), count = read_varint(text);
    str before = read_bytes(text, AUDIT_HASH_BYTES);
    if (text->bad || form.p[0] != FORM || !tenant || tenant > INT32_MAX || at_ms > (uint64_t)CLOCK_MS_MAX)
        return false;
    if (!first || !count || count > AUDIT_BLOCK_ROWS_MAX || first > INT64_MAX - AUDIT_BLOCK_ROWS_MAX ||
        count > (size_t)(text->end - text->p) / ROW_BYTES_MIN)
        return false;
    *block = (struct audit_block){
        .tenant = (int32_t)tenant, .node = (int64_t)node, .at_ms = (int64_t)at_ms, .first = first
    };
    block->count = (size_t)count;
    memcpy(block->before.bytes, before.p, AUDIT_HASH_BYTES);
    return true;
}

enum status audit_block_decode(str value, struct arena *arena, struct audit_block *ret_block,
                               struct error *err)
{
    struct reader text = { value.p, value.p + value.n, false };
    struct audit_block block;
    bool good = value.n && read_head(&text, &block);
    if (good) {
        struct audit_row *row = arena_make_n(arena, struct audit_row, block.count);
        for (size_t i = 0; i < block.count && !text.bad; i++) {
            row[i] = (struct audit_row){ .tenant = block.tenant, .at_ms = block.at_ms };
            read_row(&text, &row[i]);
        }
        block.row = row;
        good = !text.bad && text.p == text.end;
    }
    if (!good) return fail(err, ST_INVALID, "audit", "a block of the audit is damaged");
    *ret_block = block;
    return ST_OK;
}
