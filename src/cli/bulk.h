/* cli/bulk.h — a command for many: looked at first, begun, followed to its end. */
#ifndef CLI_BULK_H
#define CLI_BULK_H

#include "cli/client.h"

/* Was --where given? */
bool bulk_wanted(const struct options *options);

/* The whole of it. `action` is the API's word; `body` has what else the request says. Returns the exit code:
 * 0 if all of them succeeded, 1 if not. */
int bulk_run(const struct options *options, const char *action, const struct json *body);

/* The groups of the client's last answer, as a table. */
void bulk_print_groups(struct client *client, struct buf *out);

/* How many arguments the verb needs without --where; complains and returns an exit code if there are others.
 */
int bulk_check_arguments(const struct options *options, size_t needed, const char *what);

#endif
