/* cli/instance.h — an instance as people see it, for the verbs that show one. */
#ifndef CLI_INSTANCE_H
#define CLI_INSTANCE_H

#include "cli/client.h"

/* Its members, one per line, and its variables. */
void instance_print(struct client *client, const struct json *instance, struct buf *out);

/* Where its tokens stand and why they do not move, one per line; the label is before the first. */
void instance_print_tokens(struct client *client, const struct json *tokens, const char *label,
                           struct buf *out);

/* Reads the instance again and prints it, or its JSON: what it is after a command. */
int instance_show(struct client *client, str id);

int instance_post(struct client *client, str path, const struct json *body);

/* POSTs a command about the instance of the first argument, then shows the instance. Closes the client. */
int instance_command(struct client *client, str path, const struct json *body);

#endif
