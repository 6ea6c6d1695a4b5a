/* access/record/audit.h — one row for each thing that somebody did and that others may ask about.
 *
 * A row commits together with its change. Rows of a tenant and a node form a chain: each has the SHA-256
 * of the one before it, and the head of the chain is a record of its own, so that a row that was changed,
 * removed or cut off at the end is found. Data is never in a row; names of changed variables are.
 */
#ifndef ACCESS_AUDIT_H
#define ACCESS_AUDIT_H

#include "access/permit/caller.h"
#include "json/json.h"

struct audit_row {
    int64_t at_ms;
    int32_t tenant;
    str principal; /* principal->id */
    str for_whom;  /* Empty: itself. */
    enum way_in way;
    str action;  /* "definition.deploy", "instance.cancel", "key.create", "session.login", "access.refused" */
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

/* The key of a row in the store: newest first in byte order. And back. It has 48 hexadecimal digits, so it
 * serves as the id that clients see and as a cursor. */
str audit_key(int64_t at_ms, int64_t node, uint64_t number, struct arena *arena);
bool audit_key_parse(str key, int64_t *ret_at_ms, int64_t *ret_node, uint64_t *ret_number);

/* The value of a row: JSON, with the hash of the row before it. `*ret_hash` is its own: SHA-256 of the value.
 * The details may begin with a comma; details that are not members of an object become one text. */
str audit_encode(const struct audit_row *row, uint64_t number, const struct audit_hash *before,
                 struct arena *arena, struct audit_hash *ret_hash);
/* ST_INVALID: it is not a value that audit_encode() gives. */
enum status audit_decode(str value, struct arena *arena, struct audit_row *ret_row, uint64_t *ret_number,
                         struct audit_hash *ret_before, struct audit_hash *ret_hash, struct error *err);

/* The head of a chain: the number and hash of its newest row, and the number before its oldest. */
struct audit_head {
    uint64_t number, purged;
    struct audit_hash hash, anchor; /* anchor: of the newest row that retention removed. */
};
str audit_head_encode(const struct audit_head *head, struct arena *arena);
enum status audit_head_decode(str value, struct audit_head *ret_head, struct error *err);

/* A row as clients see it, without and with the name of its tenant. */
void audit_put(const struct audit_row *row, str id, struct buf *out);
void audit_put_of_tenant(const struct audit_row *row, str id, str tenant, struct buf *out);

#endif
