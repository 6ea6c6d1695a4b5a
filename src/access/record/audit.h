/* access/record/audit.h — one row for each thing that somebody did and that others may ask about.
 *
 * A row commits together with its change. Rows are stored in blocks (audit_block.h), and the blocks of a
 * tenant and a node form a chain. The head of the chain is a record of its own, so that a row that was
 * changed, removed or cut off at the end is found. Data is never in a row; names of changed variables are.
 *
 * Older stores have a record for each row, with the hash of the row before it. They are read, and never
 * written: the first block of such a chain has the hash of its last row.
 */
#ifndef ACCESS_AUDIT_H
#define ACCESS_AUDIT_H

#include "access/permit/caller.h"
#include "base/id.h"
#include "json/json.h"

/* Actions that blocks store as numbers: others are added at the end. An action without a number is stored as
 * a text. */
/* clang-format off */
#define AUDIT_ACTION_MAP(XX)                                                                    \
    XX(TASK_COMPLETE, "task.complete") XX(TASK_CLAIM, "task.claim") XX(TASK_RELEASE, "task.release") \
    XX(TASK_ASSIGN, "task.assign") XX(INSTANCE_CANCEL, "instance.cancel") XX(INSTANCE_RETRY, "instance.retry") \
    XX(INSTANCE_MODIFY, "instance.modify") XX(DEFINITION_DEPLOY, "definition.deploy") \
    XX(DEFINITION_RESTORE, "definition.restore") XX(DEFINITION_RETIRE, "definition.retire") \
    XX(DEFINITION_DELETE, "definition.delete") XX(TRIGGER_PAUSE, "trigger.pause") \
    XX(TRIGGER_RESUME, "trigger.resume") XX(ENGINE_PAUSE, "engine.pause") XX(ENGINE_RESUME, "engine.resume") \
    XX(BULK_BEGIN, "bulk.begin") XX(BULK_CANCEL, "bulk.cancel") XX(BULK_PAUSE, "bulk.pause") \
    XX(BULK_RESUME, "bulk.resume") XX(SECRET_SET, "secret.set") XX(SECRET_REMOVE, "secret.remove") \
    XX(SECRET_REKEY, "secret.rekey") XX(CONNECTION_TEST, "connection.test") XX(MODEL_CHANGE, "model.change") \
    XX(ENTITY_REMOVE, "entity.remove")
/* clang-format on */
enum audit_action {
    DID_OTHER, /* It has no number. */
#define XX(NAME, word) DID_##NAME,
    AUDIT_ACTION_MAP(XX)
#undef XX
        DID_ACTION_COUNT
};
/* "task.complete"; empty for DID_OTHER. */
str audit_action_word(enum audit_action action);

struct audit_row {
    int64_t at_ms;
    int32_t tenant;
    str principal; /* principal->id */
    str for_whom;  /* Empty: itself. */
    enum way_in way;
    enum audit_action numbered; /* The action, if it has a number: `action` is its word then. */
    str action; /* "definition.deploy", "instance.cancel", "key.create", "session.login", "access.refused" */
    bool is_id; /* The object is `id`. A row that was read has its text as `object`, too. */
    struct id id;
    str object;  /* The id of whatever was changed. */
    str outcome; /* "done", "refused" */
    str request_id, address;
    str details;   /* Members of a JSON object: names of variables, counts; empty: none. */
    int64_t count; /* access.refused: how many in that minute; else 1. */
};

enum { AUDIT_HASH_BYTES = 32 };
struct audit_hash {
    unsigned char bytes[AUDIT_HASH_BYTES];
};

/* The id of a row: newest first in byte order. And back. It has 48 hexadecimal digits. Clients see it, it is
 * a cursor, and it is the key of a row of an older store. */
str audit_key(int64_t at_ms, int64_t node, uint64_t number, struct arena *arena);
bool audit_key_parse(str key, int64_t *ret_at_ms, int64_t *ret_node, uint64_t *ret_number);

struct audit_hash audit_hash_of(str bytes);

/* A row of an older store: JSON, with the hash of the row before it. `*ret_hash` is its own: SHA-256 of the
 * value. ST_INVALID: it is no such row. */
enum status audit_decode(str value, struct arena *arena, struct audit_row *ret_row, uint64_t *ret_number,
                         struct audit_hash *ret_before, struct audit_hash *ret_hash, struct error *err);

/* The head of a chain: the number of its newest row, the hash of that row's block, and the number before
 * its oldest. It is written now and then, so the chain may go on behind it. */
struct audit_head {
    int64_t at_ms; /* When the newest row was made; 0: an older store does not say. */
    uint64_t number, purged;
    struct audit_hash hash, anchor; /* anchor: of the newest row that retention removed. */
};
str audit_head_encode(const struct audit_head *head, struct arena *arena);
enum status audit_head_decode(str value, struct audit_head *ret_head, struct error *err);

/* A row as clients see it, without and with the name of its tenant. The details may begin with a comma;
 * details that are not members of an object become one text. */
void audit_put(const struct audit_row *row, str id, struct buf *out);
void audit_put_of_tenant(const struct audit_row *row, str id, str tenant, struct buf *out);

#endif
