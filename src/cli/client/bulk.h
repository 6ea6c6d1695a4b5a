/* cli/client/bulk.h — one command for many instances: preview, begin, follow to the end. */
#ifndef CLI_CLIENT_BULK_H
#define CLI_CLIENT_BULK_H

#include "cli/client/client.h"

/* True if --where was given. */
bool bulk_wanted(const struct options *options);

/* Runs the command for many instances. `action` is the API's word; `body` holds the other members of the
 * request. Returns the exit code: 0 if all instances succeeded, 1 if not. */
int bulk_run(const struct options *options, const char *action, const struct json *body);

/* The same with the whole request. `filter` (NULL: none) is added to it. */
int bulk_run_body(const struct options *options, const char *action, const struct json *body,
                  const struct json *filter);

/* The groups of the client's last answer, as a table. */
void bulk_print_groups(struct client *client, struct buf *out);

/* Checks that the verb has that many arguments without --where; complains and returns an exit code if not. */
int bulk_check_arguments(const struct options *options, size_t needed, const char *what);

#endif
