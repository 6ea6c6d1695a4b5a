/* access/record/file.h — access files: users, keys by hash, issuers, tenants and grants as one document.
 *
 *     users:   [{ name: ada, roles: [admin], groups: [sre], passwordHash: $argon2id$… }]
 *     keys:    [{ id: 7HqZ3bTw9K, name: portal, tenant: acme, roles: [worker], hash: 64 hex digits }]
 *     issuers: [{ name: keycloak, issuer: https://…, audience: pawl }]
 *     tenants: [{ name: acme, quotas: { keys: 20 } }]
 *     grants:  [{ to: group:sre, role: operator, tenant: "*" }]
 *
 * An item has the members of its record that clients may set (record.h). A file has no secret in clear: it
 * names keys and passwords by their hashes. A user without `passwordHash` keeps the password that they have.
 * Applying a file puts what it has and removes nothing, so the second time nothing changes.
 */
#ifndef ACCESS_FILE_H
#define ACCESS_FILE_H

#include "access/record/change.h"

/* The changes (ACCESS_PUT) that the document asks for, tenants first, so that others can name them. A key or
 * grant that names no tenant is in `default`. A grant without an id has one that comes from its contents. The
 * first mistake is ST_INVALID with its JSON Pointer, too many items ST_LIMIT. The parts live as long as the
 * document and the arena. */
enum status access_file_read(const struct json *document, struct arena *arena,
                             struct access_change **ret_change, size_t *ret_count, struct error *err);

/* One record as the store has it. */
struct access_file_record {
    enum access_kind kind;
    str name; /* Or id. */
    const struct json *record;
};

/* The document of these records, which access_file_read() reads. It has the hashes of keys; hashes of
 * passwords only if they are asked for. Sessions and members of the engine's own are left out. So are
 * damaged records, which `*ret_damaged` counts. */
const struct json *access_file_write(const struct access_file_record *record, size_t count,
                                     bool with_passwords, struct arena *arena, size_t *ret_damaged);

#endif
