/* cli/serve/serve_audit.h — the file of --audit-file: each row of the audit of this node, as a line of JSON.
 *
 * Rows are read from the store after they have committed. A file beside it (FILE.position) has the number of
 * the last row of each chain that was written, and the size of the file then. Lines behind that size
 * are read again at the next start, and half a line is cut off. So no row is missing and none is
 * there twice. Programs that rotate the file may rename it at any time.
 *
 * If nodes share a store, each node's file has the rows of its own chains.
 */
#ifndef CLI_SERVE_SERVE_AUDIT_H
#define CLI_SERVE_SERVE_AUDIT_H

#include "access/directory/directory.h"
#include "runtime/runtime.h"

struct serve_audit;

/* Opens the file, adds the rows that it lacks, and goes on with a thread of its own. */
enum status serve_audit_start(const char *path, bool is_shared, struct runtime *runtime,
                              struct directory *directory, struct serve_audit **ret_audit, struct error *err);
/* Adds the last rows and ends. Before the runtime's end, also after a start that failed; NULL is allowed. */
void serve_audit_stop(struct serve_audit *audit);

#endif
