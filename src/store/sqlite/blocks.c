/* store/sqlite/blocks.c — blocks of the audit: records that lie among the rows of the history.
 *
 * Almost every commit with a block writes the last page of the history, too. A block on that page costs
 * neither a page of its own nor a search for its place. It is a row that belongs to no instance:
 *
 *     history   id, instance 0, prev: the namespace, revision: the length of the key, blob: key and value
 *
 * Blocks are found by groups. A group is a record of their kind with the key of its first block; its value
 * has the ids of all of them, and `at` their number, negative. Blocks behind meta.blocks, an id, are in no
 * group yet. They are found by a look at all rows of the history from there on. So the writer makes groups
 * of them when there are TAIL_BLOCKS_MAX, or when the history has grown by TAIL_ROWS_MAX.
 *
 * The keys of a namespace only grow, so all blocks without a group are behind those that have one. A store
 * that was copied also has blocks that are records like others; they come first. A block whose key does not
 * grow is such a record, too, and may be listed out of its order.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/array.h"
#include "base/must.h"
#include "base/read.h"

enum { ALL_NAMESPACES = 0 };

/* A block, and where it is. */
struct found_block {
    struct record_row row;
    int64_t id;              /* 0: a record like others. */
    struct record_row group; /* Without a key: it has none. */
};

struct found_blocks {
    struct found_block *block;
    size_t count, cap;
    size_t enough;
};

static bool is_group(const struct record_row *row) { return row->at_ms < 0; }

/* ---- reading ---- */

static bool is_in(const struct record_filter *filter, str key)
{
    return str_starts(key, filter->prefix) && (!filter->after.n || str_compare(key, filter->after) > 0) &&
           (!filter->upto.n || str_compare(key, filter->upto) < 0);
}

static void add(struct found_blocks *found, const struct found_block *block, struct arena *arena)
{
    if (found->count == found->enough) return;
    array_reserve_in(arena, found->block, found->count, found->cap);
    found->block[found->count++] = *block;
}

/* The columns are prev, revision and blob, from `column` on. A damaged length is cut. */
static struct record_row row_of(sqlite3_stmt *statement, int column, struct arena *arena)
{
    str blob = sqlite_column_str(statement, column + 2, arena);
    int64_t length = sqlite3_column_int64(statement, column + 1);
    size_t n = length < 0 || (uint64_t)length > blob.n ? blob.n : (size_t)length;
    return (struct record_row){ .ns = sqlite3_column_int(statement, column),
                                .kind = RECORD_AUDIT_BLOCK,
                                .key = str_slice(blob, 0, n),
                                .value = str_slice(blob, n, blob.n) };
}

/* A block that somebody has removed is not there, and the check of the audit misses it. */
static enum status read_block(struct sqlite_db *db, int64_t id, struct arena *arena,
                              struct found_block *ret_block, bool *ret_there, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BLOCK, &statement, err));
    sqlite_bind_number(statement, 1, id);
    TRY(sqlite_step(db, statement, ret_there, err));
    if (!*ret_there) return ST_OK;
    *ret_block = (struct found_block){ .row = row_of(statement, 0, arena), .id = id };
    sqlite_end(statement);
    return ST_OK;
}

/* The ids of a group; a damaged one ends where its bytes make no sense. */
static size_t read_ids(const struct record_row *group, struct arena *arena, int64_t **ret_id)
{
    struct reader text = { group->value.p, group->value.p + group->value.n, false };
    int64_t *id = NULL, last = 0;
    size_t count = 0, cap = 0;
    while (text.p < text.end) {
        uint64_t more = read_varint(&text);
        if (text.bad || !more || more > (uint64_t)(INT64_MAX - last)) break;
        array_reserve_in(arena, id, count, cap);
        id[count++] = last += (int64_t)more;
    }
    *ret_id = id;
    return count;
}

static str encode_ids(const int64_t *id, size_t count, struct arena *arena)
{
    struct buf out;
    int64_t last = 0;
    buf_init(&out, arena);
    for (size_t i = 0; i < count; last = id[i++]) {
        must(id[i] > last);
        buf_add_varint(&out, (uint64_t)(id[i] - last));
    }
    return buf_str(&out);
}

/* Adds the blocks of a record that the filter lists, in its order. */
static enum status add_record(struct sqlite_db *db, const struct record_filter *filter,
                              const struct record_row *record, struct arena *arena,
                              struct found_blocks *found, struct error *err)
{
    int64_t *id;
    if (!is_group(record)) {
        if (is_in(filter, record->key)) add(found, &(struct found_block){ .row = *record }, arena);
        return ST_OK;
    }
    size_t count = read_ids(record, arena, &id);
    for (size_t i = 0; i < count && found->count < found->enough; i++) {
        struct found_block block;
        bool there;
        TRY(read_block(db, id[filter->down ? count - 1 - i : i], arena, &block, &there, err));
        if (!there || block.row.ns != filter->ns || !is_in(filter, block.row.key)) continue;
        block.group = *record;
        add(found, &block, arena);
    }
    return ST_OK;
}

static enum status ask_records(struct sqlite_db *db, enum sql sql, int32_t ns, str key, int64_t max,
                               sqlite3_stmt **ret_statement, struct error *err)
{
    TRY(sqlite_use(db, sql, ret_statement, err));
    sqlite_bind_number(*ret_statement, 1, ns);
    sqlite_bind_number(*ret_statement, 2, RECORD_AUDIT_BLOCK);
    sqlite_bind_str(*ret_statement, 3, key);
    sqlite_bind_number(*ret_statement, 4, max);
    sqlite_bind_number(*ret_statement, 5, 0);
    return ST_OK;
}

/* Reads from the key on, in the order of the filter: until it lists nothing more, or there is enough. */
static enum status add_records(struct sqlite_db *db, enum sql sql, const struct record_filter *filter,
                               str from, int64_t max, struct arena *arena, struct found_blocks *found,
                               struct error *err)
{
    sqlite3_stmt *statement;
    TRY(ask_records(db, sql, filter->ns, from, max, &statement, err));
    for (bool row; found->count < found->enough;) {
        enum status status = sqlite_step(db, statement, &row, err);
        if (status != ST_OK || !row) return status;
        struct record_row record = sqlite_record_row(statement, filter->ns, RECORD_AUDIT_BLOCK, arena);
        status = add_record(db, filter, &record, arena, found, err);
        bool is_last = filter->down ? str_compare(record.key, filter->after) <= 0 ||
                                          str_compare(record.key, filter->prefix) < 0
                                    : !str_starts(record.key, filter->prefix) ||
                                          (filter->upto.n && str_compare(record.key, filter->upto) >= 0);
        if (status != ST_OK || is_last) {
            sqlite_end(statement);
            return status;
        }
    }
    sqlite_end(statement);
    return ST_OK;
}

static enum status add_grouped(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                               struct found_blocks *found, struct error *err)
{
    if (filter->down)
        return add_records(db, SQL_RECORDS_DOWN, filter, store_record_bound(filter, arena), INT64_MAX, arena,
                           found, err);
    /* The group before may have blocks behind the first key. */
    str first = sqlite_first_key(filter, arena);
    TRY(add_records(db, SQL_RECORDS_DOWN, filter, first, 1, arena, found, err));
    return add_records(db, SQL_RECORDS, filter, first, INT64_MAX, arena, found, err);
}

static enum status add_tail(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                            struct found_blocks *found, struct error *err)
{
    sqlite3_stmt *statement;
    struct found_blocks tail = { .enough = SIZE_MAX };
    TRY(sqlite_use(db, SQL_BLOCKS_TAIL, &statement, err));
    sqlite_bind_number(statement, 1, filter->ns);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        struct found_block block = { .row = row_of(statement, 1, arena),
                                     .id = sqlite3_column_int64(statement, 0) };
        if (is_in(filter, block.row.key)) add(&tail, &block, arena);
    }
    for (size_t i = 0; i < tail.count; i++)
        add(found, &tail.block[filter->down ? tail.count - 1 - i : i], arena);
    return ST_OK;
}

static enum status list(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                        struct found_blocks *found, struct error *err)
{
    *found =
        (struct found_blocks){ .enough = filter->max > SIZE_MAX - filter->skip ? SIZE_MAX
                                                                               : filter->max + filter->skip };
    if (filter->down) TRY(add_tail(db, filter, arena, found, err));
    TRY(add_grouped(db, filter, arena, found, err));
    return filter->down ? ST_OK : add_tail(db, filter, arena, found, err);
}

enum status sqlite_blocks(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                          struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct found_blocks found;
    TRY(list(db, filter, arena, &found, err));
    size_t skip = filter->skip < found.count ? filter->skip : found.count;
    *ret_count = found.count - skip;
    *ret_row = arena_make_n(arena, struct record_row, *ret_count);
    for (size_t i = 0; i < *ret_count; i++) (*ret_row)[i] = found.block[skip + i].row;
    return ST_OK;
}

/* A key comes before all others that begin with it. */
static enum status find(struct sqlite_db *db, int32_t ns, str key, struct arena *arena,
                        struct found_block *ret_block, bool *ret_there, struct error *err)
{
    const struct record_filter filter = { .ns = ns, .prefix = key, .max = 1 };
    struct found_blocks found;
    TRY(list(db, &filter, arena, &found, err));
    *ret_there = found.count && str_equal(found.block[0].row.key, key);
    if (*ret_there) *ret_block = found.block[0];
    return ST_OK;
}

enum status sqlite_find_block(struct sqlite_db *db, int32_t ns, str key, struct arena *arena,
                              struct record_row *ret_row, struct error *err)
{
    struct found_block block;
    bool there;
    TRY(find(db, ns, key, arena, &block, &there, err));
    if (!there) return store_fail_no_record(RECORD_AUDIT_BLOCK, err);
    *ret_row = block.row;
    return ST_OK;
}

/* ---- the tail, which the writer keeps in memory ---- */

void sqlite_blocks_committed(struct sqlite_store *store) { store->blocks.is_changed = false; }

/* The tail is read again when it is needed, if it is not the committed one. Most transactions that are rolled
 * back had nothing to write, and to read it is to look at TAIL_ROWS_MAX rows. */
void sqlite_blocks_rolled_back(struct sqlite_store *store)
{
    if (store->blocks.is_changed) store->blocks.is_known = false;
    store->blocks.is_changed = false;
}

static void note(struct sqlite_blocks *blocks, int32_t ns, int64_t id, str key)
{
    must(blocks->count < TAIL_BLOCKS_MAX && key.n && key.n <= BLOCK_KEY_BYTES_MAX);
    struct tail_block *block = &blocks->tail[blocks->count++];
    *block = (struct tail_block){ .ns = ns, .id = id, .key_bytes = (unsigned char)key.n };
    memcpy(block->key, key.p, key.n);
}

static enum status read_tail(struct sqlite_store *store, struct arena *arena, struct error *err)
{
    struct sqlite_blocks *blocks = &store->blocks;
    sqlite3_stmt *statement;
    enum status status = ST_OK;
    blocks->count = 0;
    TRY(sqlite_number(&store->db, "SELECT value FROM meta WHERE name = 'blocks'", &blocks->mark, err));
    if (store->next_history <= blocks->mark) store->next_history = blocks->mark + 1;
    TRY(sqlite_use(&store->db, SQL_BLOCKS_TAIL, &statement, err));
    sqlite_bind_number(statement, 1, ALL_NAMESPACES);
    for (bool row; status == ST_OK;) {
        TRY(sqlite_step(&store->db, statement, &row, err));
        if (!row) break;
        struct record_row block = row_of(statement, 1, arena);
        if (!block.key.n || block.key.n > BLOCK_KEY_BYTES_MAX) continue; /* The check of the audit tells. */
        if (blocks->count < TAIL_BLOCKS_MAX)
            note(blocks, block.ns, sqlite3_column_int64(statement, 0), block.key);
        else
            status = fail(err, ST_STORE, store->db.path,
                          "more than %d rows of the history belong to no instance and have no index",
                          TAIL_BLOCKS_MAX);
    }
    if (status != ST_OK) sqlite_end(statement);
    blocks->is_known = status == ST_OK;
    return status;
}

enum status sqlite_blocks_open(struct sqlite_store *store, struct error *err)
{
    struct arena arena;
    if (store->blocks.is_known) return ST_OK;
    arena_init(&arena, 0);
    enum status status = read_tail(store, &arena, err);
    arena_done(&arena);
    return status;
}

void sqlite_blocks_close(struct sqlite_store *store) { buf_done(&store->blocks.bytes); }

/* ---- groups ---- */

static enum status put_group(struct sqlite_db *db, int32_t ns, str key, const int64_t *id, size_t count,
                             struct arena *arena, struct error *err)
{
    must(count && key.n);
    const struct record_row row = { .ns = ns,
                                    .kind = RECORD_AUDIT_BLOCK,
                                    .key = key,
                                    .value = encode_ids(id, count, arena),
                                    .at_ms = -(int64_t)count };
    return sqlite_put_record(db, &row, err);
}

/* Makes a group of the blocks of this one's namespace that have none. */
static enum status make_group(struct sqlite_store *store, size_t first, struct arena *arena,
                              struct error *err)
{
    struct sqlite_blocks *blocks = &store->blocks;
    int64_t id[TAIL_BLOCKS_MAX];
    size_t count = 0;
    int32_t ns = blocks->tail[first].ns;
    for (size_t i = first; i < blocks->count; i++) {
        if (blocks->tail[i].ns != ns || blocks->tail[i].is_grouped) continue;
        id[count++] = blocks->tail[i].id;
        blocks->tail[i].is_grouped = true;
    }
    must(count);
    str key = { blocks->tail[first].key, blocks->tail[first].key_bytes };
    return put_group(&store->db, ns, key, id, count, arena, err);
}

static enum status make_groups(struct sqlite_store *store, struct error *err)
{
    struct sqlite_blocks *blocks = &store->blocks;
    sqlite3_stmt *statement;
    struct arena arena;
    enum status status = ST_OK;
    arena_init(&arena, 0);
    for (size_t i = 0; i < blocks->count && status == ST_OK; i++)
        if (!blocks->tail[i].is_grouped) status = make_group(store, i, &arena, err);
    arena_done(&arena);
    blocks->is_changed = true;
    TRY(status);
    blocks->count = 0;
    blocks->mark = store->next_history - 1;
    TRY(sqlite_use(&store->db, SQL_BLOCKS_MARK, &statement, err));
    sqlite_bind_number(statement, 1, blocks->mark);
    return sqlite_run(&store->db, statement, err);
}

enum status sqlite_blocks_settle(struct sqlite_store *store, struct error *err)
{
    TRY(sqlite_blocks_open(store, err));
    must(store->next_history > store->blocks.mark);
    if (store->next_history - store->blocks.mark <= TAIL_ROWS_MAX) return ST_OK;
    return make_groups(store, err);
}

/* ---- writing ---- */

/* The newest key of the namespace, if the block has no group yet; else empty. */
static str newest_of_tail(const struct sqlite_blocks *blocks, int32_t ns)
{
    for (size_t i = blocks->count; i--;)
        if (blocks->tail[i].ns == ns) return (str){ blocks->tail[i].key, blocks->tail[i].key_bytes };
    return STR_NONE;
}

/* Is the key behind all others of its namespace? All of them have a group. */
static enum status is_newest(struct sqlite_store *store, const struct record_row *row, struct arena *arena,
                             bool *ret_newest, struct error *err)
{
    sqlite3_stmt *statement;
    bool there;
    *ret_newest = true;
    TRY(sqlite_use(&store->db, SQL_BLOCKS_NEWEST, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_number(statement, 2, RECORD_AUDIT_BLOCK);
    TRY(sqlite_step(&store->db, statement, &there, err));
    if (!there) return ST_OK;
    struct record_row last = sqlite_record_row(statement, row->ns, RECORD_AUDIT_BLOCK, arena);
    sqlite_end(statement);
    int64_t *id;
    size_t count = is_group(&last) ? read_ids(&last, arena, &id) : 0;
    struct found_block block = { .row = last };
    if (count) TRY(read_block(&store->db, id[count - 1], arena, &block, &there, err));
    *ret_newest = str_compare(row->key, there ? block.row.key : last.key) > 0;
    return ST_OK;
}

static enum status write_row(struct sqlite_store *store, enum sql sql, int64_t id,
                             const struct record_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    struct buf *bytes = &store->blocks.bytes;
    bytes->n = 0;
    buf_add_str(bytes, row->key);
    buf_add_str(bytes, row->value);
    TRY(sqlite_use(&store->db, sql, &statement, err));
    sqlite_bind_number(statement, 1, id);
    sqlite_bind_number(statement, 2, row->ns);
    sqlite_bind_number(statement, 3, (int64_t)row->key.n);
    sqlite_bind_str(statement, 4, buf_str(bytes));
    return sqlite_run(&store->db, statement, err);
}

static enum status append(struct sqlite_store *store, const struct record_row *row, struct error *err)
{
    if (store->blocks.count == TAIL_BLOCKS_MAX) TRY(make_groups(store, err));
    int64_t id = store->next_history++;
    store->blocks.is_changed = true;
    note(&store->blocks, row->ns, id, row->key);
    return write_row(store, SQL_BLOCK_INSERT, id, row, err);
}

/* A key that is not behind all others is there already, or somebody has damaged one. A block is a record
 * like others then, and none is lost. */
static enum status replace(struct sqlite_store *store, const struct record_row *row, struct arena *arena,
                           struct error *err)
{
    struct found_block block;
    bool there;
    TRY(find(&store->db, row->ns, row->key, arena, &block, &there, err));
    return there && block.id ? write_row(store, SQL_BLOCK_REPLACE, block.id, row, err)
                             : sqlite_put_record(&store->db, row, err);
}

enum status sqlite_put_block(struct sqlite_store *store, const struct record_row *row, struct error *err)
{
    struct arena arena;
    if (!row->key.n || row->key.n > BLOCK_KEY_BYTES_MAX)
        return fail(err, ST_LIMIT, store_record_word(RECORD_AUDIT_BLOCK),
                    "the key of a block has %zu bytes; the most is %d (BLOCK_KEY_BYTES_MAX)", row->key.n,
                    BLOCK_KEY_BYTES_MAX);
    TRY(sqlite_blocks_open(store, err));
    str newest_key = newest_of_tail(&store->blocks, row->ns);
    bool newest = newest_key.n && str_compare(row->key, newest_key) > 0;
    if (newest) return append(store, row, err); /* As nearly every block. */
    arena_init(&arena, 0);
    enum status status = newest_key.n ? ST_OK : is_newest(store, row, &arena, &newest, err);
    if (status == ST_OK) status = newest ? append(store, row, err) : replace(store, row, &arena, err);
    arena_done(&arena);
    return status;
}

/* A group whose first block goes has the key of the next one. */
static enum status take_from_group(struct sqlite_store *store, const struct found_block *gone,
                                   struct arena *arena, struct error *err)
{
    int64_t *id;
    size_t count = read_ids(&gone->group, arena, &id), left = 0;
    str key = gone->group.key;
    for (size_t i = 0; i < count; i++)
        if (id[i] != gone->id) id[left++] = id[i];
    TRY(sqlite_remove_record(&store->db, &gone->group, err));
    if (!left) return ST_OK;
    if (str_equal(key, gone->row.key)) {
        struct found_block next;
        bool there;
        TRY(read_block(&store->db, id[0], arena, &next, &there, err));
        if (there) key = next.row.key;
    }
    return put_group(&store->db, gone->row.ns, key, id, left, arena, err);
}

static void take_from_tail(struct sqlite_blocks *blocks, int64_t id)
{
    size_t left = 0;
    blocks->is_changed = true;
    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->tail[i].id != id) blocks->tail[left++] = blocks->tail[i];
    blocks->count = left;
}

static enum status remove_found(struct sqlite_store *store, const struct found_block *block,
                                struct arena *arena, struct error *err)
{
    sqlite3_stmt *statement;
    if (!block->id) return sqlite_remove_record(&store->db, &block->row, err);
    TRY(sqlite_use(&store->db, SQL_BLOCK_DELETE, &statement, err));
    sqlite_bind_number(statement, 1, block->id);
    TRY(sqlite_run(&store->db, statement, err));
    if (block->group.key.n) return take_from_group(store, block, arena, err);
    take_from_tail(&store->blocks, block->id);
    return ST_OK;
}

static enum status remove_one(struct sqlite_store *store, int32_t ns, str key, struct arena *arena,
                              struct error *err)
{
    struct found_block block;
    bool there;
    TRY(find(&store->db, ns, key, arena, &block, &there, err));
    return there ? remove_found(store, &block, arena, err) : ST_OK;
}

enum status sqlite_remove_block(struct sqlite_store *store, const struct record_row *row, struct error *err)
{
    struct arena arena;
    TRY(sqlite_blocks_open(store, err));
    arena_init(&arena, 0);
    enum status status = remove_one(store, row->ns, row->key, &arena, err);
    arena_done(&arena);
    return status;
}

enum status sqlite_remove_blocks(struct sqlite_store *store, int32_t ns, size_t max, struct arena *arena,
                                 size_t *ret_removed, struct error *err)
{
    const struct record_filter filter = { .ns = ns, .max = max };
    struct found_blocks found;
    TRY(sqlite_blocks_open(store, err));
    TRY(list(&store->db, &filter, arena, &found, err));
    for (size_t i = 0; i < found.count; i++) TRY(remove_one(store, ns, found.block[i].row.key, arena, err));
    *ret_removed = found.count;
    return ST_OK;
}
