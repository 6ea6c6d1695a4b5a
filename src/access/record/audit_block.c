/* access/record/audit_block.c — blocks of the audit as bytes.
 *
 *     value: 'C' tenant node time first count before(32 bytes) row…
 *     row:   flags way+forms principal action [object] [for] [request id] [address] [details] [outcome]
 *            [count]
 *
 * Numbers are varints, and texts have their length in front. An optional text is there if its flag is set.
 * The forms say that the action is a number, and that the object is an id: its time and instance, and with a
 * third form also its number and delivery. The row of a task's answer is stored for each of them, and SHA-256
 * works on pieces of 64 bytes, so its block should have no more than two of them.
 *
 * Older versions wrote 'B', whose rows have no forms: a way alone, and texts.
 */
#include "access/record/audit_block.h"

#include "access/limits.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/read.h"

#include <endian.h>

enum { FORM_TEXTS = 'B', FORM = 'C', NUMBER_BYTES = 8, KEY_BYTES = 3 * NUMBER_BYTES };

/* A head has a char and five numbers before its hash. A row has flags, forms, the lengths of eight texts, an
 * id of four numbers, and a count. */
enum { VARINT_ROOM = 10, HEAD_ROOM = 1 + 5 * VARINT_ROOM, ROW_ROOM = 15 * VARINT_ROOM };

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

/* How a row has its action and its object, beside its way. */
enum {
    WAY_MASK = 15,
    ACTION_IS_NUMBER = 16,
    OBJECT_IS_ID = 32,
    ID_IS_LONG = 64, /* It has a number or a delivery. */
    FORMS_ALL = 127,
};
_Static_assert((int)WAY_COUNT <= (int)WAY_MASK + 1, "a way leaves the bits of the forms alone");

/* ---- keys ---- */

static void put_number(uint64_t value, char *out)
{
    uint64_t wire = htobe64(value);
    memcpy(out, &wire, sizeof wire);
}

static uint64_t get_number(const char *p)
{
    uint64_t wire;
    memcpy(&wire, p, sizeof wire);
    return be64toh(wire);
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
    return (row->is_id || row->object.n ? HAS_OBJECT : 0u) | (row->for_whom.n ? HAS_FOR : 0u) |
           (row->request_id.n ? HAS_REQUEST : 0u) | (row->address.n ? HAS_ADDRESS : 0u) |
           (row->details.n ? HAS_DETAILS : 0u) |
           (str_equal(row->outcome, STR("done")) ? 0u : (unsigned)HAS_OUTCOME) |
           (row->count == 1 ? 0u : (unsigned)HAS_COUNT);
}

static unsigned forms_of(const struct audit_row *row)
{
    return (row->numbered ? ACTION_IS_NUMBER : 0u) | (row->is_id ? OBJECT_IS_ID : 0u) |
           (row->is_id && (row->id.number || row->id.delivery) ? ID_IS_LONG : 0u);
}

/* As buf_add_varint() and buf_add_text() do, where there is room. */
static char *put_varint(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static char *put_text(char *to, str text)
{
    to = put_varint(to, text.n);
    if (text.n) memcpy(to, text.p, text.n);
    return to + text.n;
}

static char *put_id(char *to, struct id id, bool is_long)
{
    to = put_varint(to, (uint64_t)id.ms);
    to = put_varint(to, id.instance);
    return is_long ? put_varint(put_varint(to, id.number), id.delivery) : to;
}

void audit_block_add(struct buf *rows, const struct audit_row *row)
{
    unsigned flags = flags_of(row), forms = forms_of(row);
    must(row->action.n && row->count > 0);
    char *from = buf_reserve(rows, row->principal.n + row->action.n + row->object.n + row->for_whom.n +
                                       row->request_id.n + row->address.n + row->details.n + row->outcome.n +
                                       ROW_ROOM);
    char *to = put_varint(from, flags);
    to = put_varint(to, row->way | forms);
    to = put_text(to, row->principal);
    to = forms & ACTION_IS_NUMBER ? put_varint(to, row->numbered) : put_text(to, row->action);
    if (forms & OBJECT_IS_ID) to = put_id(to, row->id, forms & ID_IS_LONG);
    else if (flags & HAS_OBJECT) to = put_text(to, row->object);
    if (flags & HAS_FOR) to = put_text(to, row->for_whom);
    if (flags & HAS_REQUEST) to = put_text(to, row->request_id);
    if (flags & HAS_ADDRESS) to = put_text(to, row->address);
    if (flags & HAS_DETAILS) to = put_text(to, row->details);
    if (flags & HAS_OUTCOME) to = put_text(to, row->outcome);
    if (flags & HAS_COUNT) to = put_varint(to, (uint64_t)row->count);
    rows->n += (size_t)(to - from);
}

str audit_block_encode(const struct audit_block *block, str rows, struct arena *arena,
                       struct audit_hash *ret_hash)
{
    must(block->first && block->count && block->tenant > TENANT_ANY);
    must(block->count <= AUDIT_BLOCK_ROWS_MAX && block->first <= INT64_MAX - AUDIT_BLOCK_ROWS_MAX);
    char *from = arena_alloc(arena, rows.n + AUDIT_HASH_BYTES + HEAD_ROOM), *to = from;
    *to++ = FORM;
    to = put_varint(to, (uint32_t)block->tenant);
    to = put_varint(to, (uint64_t)block->node);
    to = put_varint(to, (uint64_t)clock_within(block->at_ms));
    to = put_varint(to, block->first);
    to = put_varint(to, block->count);
    memcpy(to, block->before.bytes, AUDIT_HASH_BYTES);
    to += AUDIT_HASH_BYTES;
    if (rows.n) memcpy(to, rows.p, rows.n);
    const str value = { from, (size_t)(to - from) + rows.n };
    *ret_hash = audit_hash_of(value);
    return value;
}

/* ---- reading ---- */

static str read_if(struct reader *text, uint64_t flags, unsigned flag)
{
    return flags & flag ? read_text(text) : STR_NONE;
}

static void read_action(struct reader *text, bool is_number, struct audit_row *row)
{
    uint64_t number = is_number ? read_varint(text) : DID_OTHER;
    if (number >= DID_ACTION_COUNT || (is_number && !number)) text->bad = true;
    if (text->bad) return;
    row->numbered = (enum audit_action)number;
    row->action = is_number ? audit_action_word(row->numbered) : read_text(text);
}

/* An id that add_id() has written in this form, and id_print() can print. */
static void read_id(struct reader *text, bool is_long, struct arena *arena, struct audit_row *row)
{
    uint64_t ms = read_varint(text), instance = read_varint(text), number = 0, delivery = 0;
    if (is_long) {
        number = read_varint(text);
        delivery = read_varint(text);
        if (!number && !delivery) text->bad = true;
    }
    if (ms >> 48 || instance > ID_INSTANCE_MAX || number > ID_NUMBER_MAX || delivery > UINT8_MAX)
        text->bad = true;
    if (text->bad) return;
    char *printed = arena_alloc(arena, ID_CHARS + 1);
    row->is_id = true;
    row->id = (struct id){ (int64_t)ms, instance, (uint32_t)number, (uint8_t)delivery };
    id_print(row->id, printed);
    row->object = (str){ printed, ID_CHARS };
}

static void read_row(struct reader *text, uint64_t forms_max, struct arena *arena, struct audit_row *row)
{
    uint64_t flags = read_varint(text), way = read_varint(text), forms = way & ~(uint64_t)WAY_MASK;
    bool is_id = forms & OBJECT_IS_ID, is_long = forms & ID_IS_LONG;
    if (flags > HAS_ALL || way > forms_max || (way & WAY_MASK) >= WAY_COUNT) text->bad = true;
    if ((is_id && !(flags & HAS_OBJECT)) || (is_long && !is_id)) text->bad = true;
    row->way = text->bad ? WAY_NODE : (enum way_in)(way & WAY_MASK);
    row->principal = read_text(text);
    read_action(text, forms & ACTION_IS_NUMBER, row);
    if (is_id) read_id(text, is_long, arena, row);
    else row->object = read_if(text, flags, HAS_OBJECT);
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
static bool read_head(struct reader *text, uint64_t *ret_forms_max, struct audit_block *block)
{
    str form = read_bytes(text, 1);
    uint64_t tenant = read_varint(text), node = read_varint(text), at_ms = read_varint(text),
             first = read_varint(text), count = read_varint(text);
    str before = read_bytes(text, AUDIT_HASH_BYTES);
    if (text->bad || (form.p[0] != FORM && form.p[0] != FORM_TEXTS) || !tenant || tenant > INT32_MAX ||
        at_ms > (uint64_t)CLOCK_MS_MAX)
        return false;
    if (!first || !count || count > AUDIT_BLOCK_ROWS_MAX || first > INT64_MAX - AUDIT_BLOCK_ROWS_MAX ||
        count > (size_t)(text->end - text->p) / ROW_BYTES_MIN)
        return false;
    *block = (struct audit_block){
        .tenant = (int32_t)tenant, .node = (int64_t)node, .at_ms = (int64_t)at_ms, .first = first
    };
    block->count = (size_t)count;
    *ret_forms_max = form.p[0] == FORM ? FORMS_ALL : WAY_MASK;
    memcpy(block->before.bytes, before.p, AUDIT_HASH_BYTES);
    return true;
}

enum status audit_block_decode(str value, struct arena *arena, struct audit_block *ret_block,
                               struct error *err)
{
    struct reader text = { value.p, value.p + value.n, false };
    struct audit_block block;
    uint64_t forms_max;
    bool good = value.n && read_head(&text, &forms_max, &block);
    if (good) {
        struct audit_row *row = arena_make_n(arena, struct audit_row, block.count);
        for (size_t i = 0; i < block.count && !text.bad; i++) {
            row[i] = (struct audit_row){ .tenant = block.tenant, .at_ms = block.at_ms };
            read_row(&text, forms_max, arena, &row[i]);
        }
        block.row = row;
        good = !text.bad && text.p == text.end;
    }
    if (!good) return fail(err, ST_INVALID, "audit", "a block of the audit is damaged");
    *ret_block = block;
    return ST_OK;
}
