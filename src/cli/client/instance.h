/* cli/client/instance.h — prints an instance for people. */
#ifndef CLI_CLIENT_INSTANCE_H
#define CLI_CLIENT_INSTANCE_H

#include "cli/client/client.h"

/* Its members, one per line, and its variables. */
void instance_print(struct client *client, const struct json *instance, struct buf *out);

/* Prints where its tokens are and why they wait, one per line; the label comes before the first. */
void instance_print_tokens(struct client *client, const struct json *tokens, const char *label,
                           struct buf *out);

/* Reads the instance after a command and prints it, or its JSON. */
int instance_show(struct client *client, str id);

int instance_post(struct client *client, str path, const struct json *body);

/* POSTs a command about the instance of the first argument, then shows the instance. Closes the client. */
int instance_command(struct client *client, str path, const struct json *body);

#endif
