/* cli/access/opened_store.h — calls about access in a store that no engine uses.
 *
 * Functions answer with JSON as the API does; door.c prints their errors.
 */
#ifndef CLI_ACCESS_OPENED_STORE_H
#define CLI_ACCESS_OPENED_STORE_H

#include "cli/access/door.h"

/* Opens the store of --store, in the tenant of --tenant. ST_CONFLICT: an engine uses it. */
enum status opened_store_new(const struct options *options, struct opened_store **ret_store,
                             struct error *err);
void opened_store_free(struct opened_store *store); /* NULL is allowed. */

enum status opened_store_list(struct opened_store *store, const struct call_access_list *asked,
                              const struct json **ret_answer, struct error *err);
/* The names, views and outcomes of the changes: {"items": […]}. */
enum status opened_store_change(struct opened_store *store, struct access_change *change, size_t count,
                                bool dry_run, const struct json **ret_answer, struct error *err);
/* Every record as the store has it. */
enum status opened_store_records(struct opened_store *store, struct access_file_record **ret_record,
                                 size_t *ret_count, struct error *err);
enum status opened_store_audit(struct opened_store *store, const struct call_audit_rows *asked,
                               const struct json **ret_answer, struct error *err);
enum status opened_store_verify(struct opened_store *store, const struct json **ret_answer,
                                struct error *err);

#endif
