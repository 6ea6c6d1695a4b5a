/* access/record/audit_block.h — the rows of the audit that one transaction adds for one tenant.
 *
 * A transaction appends one block for each tenant that it touches, so a row costs its own bytes and no page
 * besides the last one. Blocks of a tenant and a node form a chain: each has the SHA-256 of the block before
 * it, or of the last row of an older store. Where the chain ends is a record that is written now and then
 * (struct audit_head); after a restart the last block tells the rest.
 */
#ifndef ACCESS_AUDIT_BLOCK_H
#define ACCESS_AUDIT_BLOCK_H

#include "access/record/audit.h"

struct audit_block {
    int32_t tenant;
    int64_t node, at_ms;
    uint64_t first; /* The number of the first row; the others follow without a gap. */
    size_t count;
    struct audit_hash before;
    const struct audit_row *row; /* Only read: all with the tenant and the time of the block. */
};

/* The key of a block in the store: its order is that of the ids of rows (audit_key()), turned round, so
 * that a new block comes last. */
str audit_block_key(int64_t at_ms, int64_t node, uint64_t first, struct arena *arena);
bool audit_block_key_parse(str key, int64_t *ret_at_ms, int64_t *ret_node, uint64_t *ret_first);
/* The bytes that all keys of that time and later ones are behind. */
str audit_block_time(int64_t at_ms, struct arena *arena);

/* Adds one row to the rows of a block. The time and the tenant of the row are those of its block. An action
 * that has a number and an object that is an id are stored as numbers. */
void audit_block_add(struct buf *rows, const struct audit_row *row);
/* `rows`: as audit_block_add() has made them. `*ret_hash` is the SHA-256 of the value. */
str audit_block_encode(const struct audit_block *block, str rows, struct arena *arena,
                       struct audit_hash *ret_hash);
/* ST_INVALID: it is not a value that audit_block_encode() gives, or gave in older versions.
 * Texts are borrowed from the value, or in the arena. */
enum status audit_block_decode(str value, struct arena *arena, struct audit_block *ret_block,
                               struct error *err);

#endif
