/* runtime/access/audit_note.c — rows of the audit, in the transaction of the change that they tell of.
 *
 * Rows of a tenant and a node form a chain (access/record/audit.h). The heads of the chains are in
 * memory, so that a row costs no read. A head is written once for all rows of a transaction, right before
 * its commit. If the transaction fails, the heads go back to where they were: no other node writes to
 * these chains.
 *
 * A key of a row begins with its time, and lists rely on it. So a row is never older than the newest row
 * of its tenant, whatever the clock says.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "json/put.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "store/nodes.h"

#include <stdlib.h>

/* One chain of this node. */
struct audit_chain {
    int32_t tenant;
    struct audit_head head, committed;
    int64_t at_ms; /* No row before this time. */
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

str audit_note_head_key(int64_t node, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    put_int(&key, node);
    return buf_str(&key);
}

/* ---- the chain ---- */

static enum status read_head(struct turn *turn, struct audit_chain *chain, struct error *err)
{
    struct engine *engine = turn->engine;
    struct record_row row;
    bool there;
    str key = audit_note_head_key(engine->access.node, &turn->arena);
    TRY(found_asked(
        store_find_record(engine->store, chain->tenant, RECORD_AUDIT_HEAD, key, &turn->arena, &row, err),
        &there));
    /* A damaged head begins another chain, and the check of the audit tells of it. */
    if (there && audit_head_decode(row.value, &chain->head, NULL) != ST_OK)
        chain->head = (struct audit_head){ 0 };
    return ST_OK;
}

static enum status read_newest(struct turn *turn, struct audit_chain *chain, struct error *err)
{
    const struct record_filter filter = { .ns = chain->tenant, .kind = RECORD_AUDIT, .max = 1 };
    struct record_row *row;
    size_t count;
    int64_t node;
    uint64_t number;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    if (count && !audit_key_parse(row->key, &chain->at_ms, &node, &number)) chain->at_ms = 0;
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
    enum status status = read_head(turn, &read, err);
    if (status == ST_OK) status = read_newest(turn, &read, err);
    if (status != ST_OK) return transact_failed(turn, err);
    struct audit_chain *chain = malloc(sizeof *chain);
    must(chain);
    *chain = read;
    chain->committed = chain->head;
    map_put(&access->chains, (uint64_t)tenant, chain);
    *ret_chain = chain;
    return ST_OK;
}

/* ---- rows ---- */

/* The log has a line for each row, but for those of tasks and of calls of tools: there are as many of them as
 * people and agents have work. */
static void tell(struct turn *turn, const struct audit_row *row)
{
    if (str_starts(row->action, STR("task.")) || str_starts(row->action, STR("mcp."))) return;
    struct arena *arena = &turn->arena;
    bool refused = !str_equal(row->outcome, STR("done"));
    const char *tenant = said_tenant(turn, row->tenant), *action = arena_str(arena, row->action).p,
               *object = arena_str(arena, row->object).p, *by = arena_str(arena, row->principal).p;
    if (refused)
        transact_say(turn, LOG_WARN, "a request was refused", "tenant", tenant, "action", action, "object",
                     object, "by", by, NULL);
    else
        transact_say(turn, LOG_INFO, "something was changed", "tenant", tenant, "action", action, "object",
                     object, "by", by, NULL);
}

enum status audit_note_row(struct turn *turn, const struct audit_row *given, struct error *err)
{
    struct access *access = &turn->engine->access;
    struct audit_row row = *given;
    struct audit_chain *chain;
    must(row.tenant > TENANT_ANY && row.action.n && row.count > 0);
    /* The chain of a tenant goes with it: refusals of its last minute come too late. */
    if (usage_check_there(&turn->engine->memory.usage, row.tenant, NULL) != ST_OK) return ST_OK;
    TRY(transact_begin(turn, err));
    TRY(find_chain(turn, row.tenant, &chain, err));
    if (chain->at_ms < turn->now_ms) chain->at_ms = turn->now_ms;
    row.at_ms = chain->at_ms;
    struct audit_hash before = chain->head.hash;
    struct record_row record = { .ns = row.tenant, .kind = RECORD_AUDIT };
    record.key = audit_key(row.at_ms, access->node, ++chain->head.number, &turn->arena);
    record.value = audit_encode(&row, chain->head.number, &before, &turn->arena, &chain->head.hash);
    if (!chain->is_moved) {
        chain->next_moved = access->first_moved;
        access->first_moved = chain;
        chain->is_moved = true;
    }
    struct changeset changeset = { .record_put = &record, .record_put_count = 1 };
    TRY(transact_rows(turn, &changeset, err));
    tell(turn, &row);
    return ST_OK;
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

enum status audit_note(struct turn *turn, const struct call *call, str action, str object, str details,
                       struct error *err)
{
    const struct caller *caller = call->caller;
    struct audit_row row = { .tenant = call->ns,
                             .principal = caller ? caller->principal->id : STR("engine"),
                             .way = caller ? caller->way : WAY_NODE,
                             .action = action,
                             .object = object,
                             .outcome = STR("done"),
                             .details = details,
                             .count = 1 };
    if (caller) {
        row.for_whom = caller->for_whom;
        row.request_id = caller->request_id;
        row.address = caller->address;
        if (caller->tool.n) row.details = with_tool(details, caller->tool, &turn->arena);
    }
    return audit_note_row(turn, &row, err);
}

/* ---- the end of a transaction ---- */

void audit_note_settle(struct turn *turn)
{
    struct access *access = &turn->engine->access;
    struct error err;
    for (struct audit_chain *chain = access->first_moved; chain && turn->failed == ST_OK;
         chain = chain->next_moved) {
        struct record_row row = { .ns = chain->tenant,
                                  .kind = RECORD_AUDIT_HEAD,
                                  .key = audit_note_head_key(access->node, &turn->arena),
                                  .value = audit_head_encode(&chain->head, &turn->arena) };
        struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
        must(turn->in_transaction && chain->is_moved);
        if (transact_rows(turn, &changeset, &err) != ST_OK) transact_failed(turn, &err);
    }
}

void audit_note_end(struct turn *turn, bool committed)
{
    struct access *access = &turn->engine->access;
    for (struct audit_chain *chain = access->first_moved; chain; chain = chain->next_moved) {
        if (committed) chain->committed = chain->head;
        if (committed && access->directory)
            directory_note_audited(access->directory, (struct audited_chain){ chain->tenant, access->node });
        if (!committed) chain->head = chain->committed;
        chain->is_moved = false;
    }
    access->first_moved = NULL;
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
