/* runtime/access/audit_note.c — rows of the audit, in the transaction of the change that they tell of.
 *
 * Rows of a transaction and a tenant become one block, which is appended right before the commit. Blocks of
 * a tenant and a node form a chain (access/record/audit_block.h), whose head is in memory, so that a row
 * costs no read. The head is written with the first block, then with every AUDIT_HEAD_BLOCKS-th, and
 * between turns for those that have moved. If the transaction fails, the head in memory goes back to where
 * it was: no other node writes to this chain.
 *
 * A key of a block begins with its time, and lists rely on it. So a block is never older than the newest
 * one of its tenant, whatever the clock says.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "json/put.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "store/nodes.h"

#include <stdlib.h>

enum { ROW_BYTES = 384 }; /* Most rows need less. */

/* One chain of this node. */
struct audit_chain {
    int32_t tenant;
    struct audit_head head, committed;
    int64_t at_ms;               /* No block before this time. */
    struct buf rows;             /* Rows of the running transaction that are in no block yet … */
    size_t row_count;            /* … and their number. `head` counts them, its hash does not know them. */
    size_t unsaved, new_unsaved; /* Blocks since the head was written: before the transaction, and with it. */
    struct audit_chain *next_moved;
    bool is_moved; /* The running transaction has rows for it. */
};

static void forget(struct access *access)
{
    size_t cursor = 0;
    for (struct audit_chain *chain; (chain = map_next(&access->chains, &cursor)) != NULL;) free(chain);
    map_done(&access->chains);
    map_init(&access->chains);
    access->first_moved = NULL;
}

void audit_note_open(struct engine *engine) { map_init(&engine->access.chains); }

void audit_note_close(struct engine *engine)
{
    forget(&engine->access);
    map_done(&engine->access.chains);
}

str audit_note_mark_key(int64_t node, struct arena *arena)
{
    return arena_printf(arena, "%lld/purged", (long long)node);
}

str audit_note_head_key(int64_t node, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    put_int(&key, node);
    return buf_str(&key);
}

/* ---- the chain ---- */

/* `*ret_head` stays as it is if there is no such record, or a damaged one: the check of the audit tells of
 * it. */
static enum status read_head(struct turn *turn, int32_t tenant, str key, struct audit_head *ret_head,
                             bool *ret_there, struct error *err)
{
    struct record_row row;
    struct audit_head head;
    TRY(found_asked(
        store_find_record(turn->engine->store, tenant, RECORD_AUDIT_HEAD, key, &turn->arena, &row, err),
        ret_there));
    if (*ret_there && audit_head_decode(row.value, &head, NULL) == ST_OK && head.number > ret_head->number)
        *ret_head = head;
    return ST_OK;
}

/* The head as it was last written, or as retention has left it. */
static enum status read_heads(struct turn *turn, struct audit_chain *chain, bool *ret_there,
                              struct error *err)
{
    int64_t node = turn->engine->access.node;
    bool is_marked;
    TRY(read_head(turn, chain->tenant, audit_note_head_key(node, &turn->arena), &chain->head, ret_there,
                  err));
    return read_head(turn, chain->tenant, audit_note_mark_key(node, &turn->arena), &chain->head, &is_marked,
                     err);
}

/* The newest row of an older store. */
static enum status read_newest_row(struct turn *turn, struct audit_chain *chain, struct error *err)
{
    const struct record_filter filter = { .ns = chain->tenant, .kind = RECORD_AUDIT, .max = 1 };
    struct record_row *row;
    size_t count;
    int64_t at_ms, node;
    uint64_t number;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    if (count && audit_key_parse(row->key, &at_ms, &node, &number)) chain->at_ms = at_ms;
    return ST_OK;
}

/* The chain goes on behind this block. One that cannot be read counts as one row. */
static void go_behind(struct turn *turn, struct audit_chain *chain, const struct record_row *record,
                      uint64_t first)
{
    struct audit_block block = { .count = 1 };
    if (audit_block_decode(record->value, &turn->arena, &block, NULL) != ST_OK) block.count = 1;
    uint64_t last = first + block.count - 1;
    if (last <= chain->head.number || last > INT64_MAX - AUDIT_BLOCK_ROWS_MAX) return;
    chain->head.number = last;
    chain->head.hash = audit_hash_of(record->value);
}

/* Looks for the newest block of the chain among those of the tenant. `has_blocks`: there may be one. */
static enum status read_newest_block(struct turn *turn, struct audit_chain *chain, bool has_blocks,
                                     struct error *err)
{
    struct record_filter filter = { .ns = chain->tenant,
                                    .kind = RECORD_AUDIT_BLOCK,
                                    .prefix = AUDIT_BLOCK_PREFIX,
                                    .max = has_blocks ? AUDIT_BLOCKS_AT_ONCE : 1,
                                    .down = true };
    struct record_row *row;
    size_t count;
    do {
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            int64_t at_ms, node;
            uint64_t first;
            if (!audit_block_key_parse(row[i].key, &at_ms, &node, &first)) continue;
            if (at_ms > chain->at_ms) chain->at_ms = at_ms;
            if (!has_blocks || at_ms < chain->head.at_ms) return ST_OK; /* The head was written later. */
            if (node != turn->engine->access.node) continue;
            go_behind(turn, chain, &row[i], first);
            return ST_OK;
        }
        if (count) filter.upto = row[count - 1].key;
    } while (count == AUDIT_BLOCKS_AT_ONCE);
    return ST_OK;
}

static enum status read_chain(struct turn *turn, struct audit_chain *chain, struct error *err)
{
    bool has_head;
    TRY(read_heads(turn, chain, &has_head, err));
    TRY(read_newest_row(turn, chain, err));
    TRY(read_newest_block(turn, chain, has_head, err));
    chain->unsaved = has_head ? 0 : AUDIT_HEAD_BLOCKS; /* The first block brings the head with it. */
    return ST_OK;
}

static enum status find_chain(struct turn *turn, int32_t tenant, struct audit_chain **ret_chain,
                              struct error *err)
{
    struct access *access = &turn->engine->access;
    int64_t node = store_node(turn->engine->store);
    if (node != access->node) forget(access); /* Others have taken us for dead, and we joined again. */
    access->node = node;
    *ret_chain = map_get(&access->chains, (uint64_t)tenant);
    if (*ret_chain) return ST_OK;
    struct audit_chain read = { .tenant = tenant };
    if (read_chain(turn, &read, err) != ST_OK) return transact_failed(turn, err);
    struct audit_chain *chain = malloc(sizeof *chain);
    must(chain);
    *chain = read;
    chain->committed = chain->head;
    map_put(&access->chains, (uint64_t)tenant, chain);
    *ret_chain = chain;
    return ST_OK;
}

/* ---- rows ---- */

static const char *said_object(struct turn *turn, const struct audit_row *row)
{
    char text[ID_CHARS + 1];
    if (!row->is_id) return said_text(turn, row->object);
    id_print(row->id, text);
    return said_text(turn, str_of(text));
}

/* The details as an object; an empty one if they are none. */
static const struct json *read_details(const struct audit_row *row, struct arena *arena)
{
    struct buf object;
    const struct json *value;
    if (!row->details.n) return json_empty_object();
    buf_init(&object, arena);
    PUT(&object, "{");
    buf_add_str(&object, row->details);
    PUT(&object, "}");
    return json_parse(buf_str(&object), NULL, arena, &value, NULL) == ST_OK ? value : json_empty_object();
}

/* The log leaves out what is empty. */
static const char *said_member(struct turn *turn, const struct json *details, str name)
{
    return said_text(turn, json_text(details, name));
}

static const char *said_number(struct turn *turn, const struct json *details, str name)
{
    if (!json_is(json_get(details, name), JSON_NUMBER)) return "";
    return arena_printf(&turn->arena, "%lld", (long long)json_integer(details, name)).p;
}

/* Lists of names, as those of variables, are in the audit only. */
static void tell_change(struct turn *turn, const struct audit_row *row, const struct json *details)
{
    transact_say(turn, LOG_INFO, "something was changed", "tenant", said_tenant(turn, row->tenant), "action",
                 said_text(turn, row->action), "object", said_object(turn, row), "by",
                 said_text(turn, row->principal), "#version", said_number(turn, details, STR("version")),
                 "#restores", said_number(turn, details, STR("restores")), "command",
                 said_member(turn, details, STR("command")), "#instances",
                 said_number(turn, details, STR("instances")), "change",
                 said_member(turn, details, STR("change")), NULL);
}

static void tell_refusal(struct turn *turn, const struct audit_row *row, const struct json *details)
{
    transact_say(turn, LOG_WARN, "a request was refused", "tenant", said_tenant(turn, row->tenant), "action",
                 said_text(turn, row->action), "object", said_object(turn, row), "by",
                 said_text(turn, row->principal), "reason", said_member(turn, details, STR("why")), "address",
                 said_text(turn, row->address), "#times",
                 arena_printf(&turn->arena, "%lld", (long long)row->count).p, NULL);
}

/* The log has a line for each row, but for those of tasks and of calls of tools: there are as many of them as
 * people and agents have work. */
static void tell(struct turn *turn, const struct audit_row *row)
{
    if (str_starts(row->action, STR("task.")) || str_starts(row->action, STR("mcp."))) return;
    const struct json *details = read_details(row, &turn->arena);
    if (str_equal(row->outcome, STR("done"))) tell_change(turn, row, details);
    else tell_refusal(turn, row, details);
}

static struct record_row head_record(const struct engine *engine, struct audit_chain *chain,
                                     struct arena *arena)
{
    chain->head.at_ms = chain->at_ms;
    return (struct record_row){ .ns = chain->tenant,
                                .kind = RECORD_AUDIT_HEAD,
                                .key = audit_note_head_key(engine->access.node, arena),
                                .value = audit_head_encode(&chain->head, arena) };
}

/* Appends the rows that are in no block yet, and now and then the head. */
static enum status append_block(struct turn *turn, struct audit_chain *chain, struct error *err)
{
    const struct engine *engine = turn->engine;
    const struct audit_block block = { .tenant = chain->tenant,
                                       .node = engine->access.node,
                                       .at_ms = chain->at_ms,
                                       .first = chain->head.number - chain->row_count + 1,
                                       .count = chain->row_count,
                                       .before = chain->head.hash };
    struct record_row record[2] = { { .ns = chain->tenant, .kind = RECORD_AUDIT_BLOCK } };
    record->key = audit_block_key(block.at_ms, block.node, block.first, &turn->arena);
    record->value = audit_block_encode(&block, buf_str(&chain->rows), &turn->arena, &chain->head.hash);
    chain->row_count = chain->rows.n = 0;
    bool with_head = ++chain->new_unsaved >= AUDIT_HEAD_BLOCKS;
    if (with_head) {
        record[1] = head_record(engine, chain, &turn->arena);
        chain->new_unsaved = 0;
    }
    struct changeset changeset = { .record_put = record, .record_put_count = with_head ? 2 : 1 };
    return transact_rows(turn, &changeset, err);
}

/* The chain has rows of this transaction now. */
static void begin_moves(struct turn *turn, struct audit_chain *chain)
{
    struct access *access = &turn->engine->access;
    if (chain->is_moved) return;
    buf_init(&chain->rows, &turn->arena);
    buf_reserve(&chain->rows, ROW_BYTES);
    chain->new_unsaved = chain->unsaved;
    chain->next_moved = access->first_moved;
    access->first_moved = chain;
    chain->is_moved = true;
}

enum status audit_note_row(struct turn *turn, const struct audit_row *given, struct error *err)
{
    struct audit_chain *chain;
    must(given->tenant > TENANT_ANY && given->action.n && given->count > 0);
    must(!given->is_id || !given->object.n); /* The object has an id or a text, not both. */
    /* The chain of a tenant goes with it: refusals of its last minute come too late. */
    if (usage_check_there(&turn->engine->memory.usage, given->tenant, NULL) != ST_OK) return ST_OK;
    TRY(transact_begin(turn, err));
    TRY(find_chain(turn, given->tenant, &chain, err));
    /* All rows of a block have one time. A turn has one, too. */
    if (chain->at_ms < turn->now_ms) chain->at_ms = turn->now_ms;
    begin_moves(turn, chain);
    audit_block_add(&chain->rows, given);
    chain->head.number++;
    chain->row_count++;
    tell(turn, given);
    bool is_full = chain->row_count == AUDIT_BLOCK_ROWS_MAX || chain->rows.n >= AUDIT_BLOCK_BYTES_MAX;
    return is_full ? append_block(turn, chain, err) : ST_OK;
}

static str with_tool(str details, str tool, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    buf_add_str(&out, details);
    PUT(&out, ",\"tool\":");
    put_text(&out, tool);
    return buf_str(&out);
}

enum status audit_note(struct turn *turn, const struct call *call, struct audit_row *row, struct error *err)
{
    const struct caller *caller = call->caller;
    row->tenant = call->ns;
    row->principal = caller ? caller->principal->id : STR("engine");
    row->way = caller ? caller->way : WAY_NODE;
    row->outcome = STR("done");
    row->count = 1;
    if (caller) {
        row->for_whom = caller->for_whom;
        row->request_id = caller->request_id;
        row->address = caller->address;
        if (caller->tool.n) row->details = with_tool(row->details, caller->tool, &turn->arena);
    }
    return audit_note_row(turn, row, err);
}

/* ---- the end of a transaction ---- */

void audit_note_settle(struct turn *turn)
{
    struct error err;
    for (struct audit_chain *chain = turn->engine->access.first_moved; chain && turn->failed == ST_OK;
         chain = chain->next_moved) {
        must(turn->in_transaction && chain->is_moved);
        if (chain->row_count && append_block(turn, chain, &err) != ST_OK) transact_failed(turn, &err);
    }
}

void audit_note_end(struct turn *turn, bool committed)
{
    struct access *access = &turn->engine->access;
    for (struct audit_chain *chain = access->first_moved; chain; chain = chain->next_moved) {
        must(!committed || !chain->row_count);
        if (committed) chain->committed = chain->head;
        if (committed) chain->unsaved = chain->new_unsaved;
        if (committed && access->directory)
            directory_note_audited(access->directory, (struct audited_chain){ chain->tenant, access->node });
        if (!committed) chain->head = chain->committed;
        chain->row_count = 0;
        chain->is_moved = false;
    }
    access->first_moved = NULL;
}

/* ---- heads, between turns ---- */

static enum status write_heads(struct engine *engine, struct error *err)
{
    size_t cursor = 0;
    for (struct audit_chain *chain; (chain = map_next(&engine->access.chains, &cursor)) != NULL;) {
        if (!chain->unsaved || usage_check_there(&engine->memory.usage, chain->tenant, NULL) != ST_OK)
            continue;
        struct record_row row = head_record(engine, chain, &engine->turn.arena);
        struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
        TRY(store_apply(engine->store, &changeset, err));
    }
    return ST_OK;
}

static bool has_unsaved(const struct access *access)
{
    size_t cursor = 0;
    for (const struct audit_chain *chain; (chain = map_next(&access->chains, &cursor)) != NULL;)
        if (chain->unsaved) return true;
    return false;
}

static enum status save_heads(struct engine *engine, struct error *err)
{
    struct access *access = &engine->access;
    TRY(store_begin(engine->store, err));
    enum status status = write_heads(engine, err);
    if (status == ST_OK) status = store_commit(engine->store, err);
    if (status != ST_OK) store_rollback(engine->store);
    size_t cursor = 0;
    for (struct audit_chain *chain; status == ST_OK && (chain = map_next(&access->chains, &cursor)) != NULL;)
        chain->unsaved = 0;
    arena_reset(&engine->turn.arena);
    return status;
}

/* An engine that stops writes them at once. */
enum status audit_note_maintain(struct engine *engine, struct error *err)
{
    struct access *access = &engine->access;
    if (!engine->draining && !engine_is_due(engine, access->next_heads_ms, AUDIT_HEADS_MS)) return ST_OK;
    access->next_heads_ms = engine->turn.now_ms + AUDIT_HEADS_MS;
    if (store_node(engine->store) != access->node || !has_unsaved(access)) return ST_OK;
    return save_heads(engine, err);
}

/* ---- rows without a change of their own ---- */

/* Other nodes and clients send no such calls: the engine's own parts note what they have seen. */
enum status audit_note_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_note_access *asked = &call->as.note_access;
    if (call->caller) return fail(err, ST_FORBIDDEN, "", "rows of the audit come from the engine alone");
    for (size_t i = 0; i < asked->count; i++) {
        struct audit_row row = asked->row[i];
        if (row.tenant == TENANT_ANY) row.tenant = TENANT_DEFAULT;
        if (!row.count) row.count = 1;
        TRY(audit_note_row(turn, &row, err));
    }
    return ST_OK;
}
