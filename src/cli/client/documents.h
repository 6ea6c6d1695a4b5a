/* cli/client/documents.h — several documents that are published, or looked at, together. */
#ifndef CLI_CLIENT_DOCUMENTS_H
#define CLI_CLIENT_DOCUMENTS_H

#include "base/buf.h"
#include "cli/client/client.h"

struct documents {
    struct client *client;
    struct buf body; /* The request so far. */
    size_t count;
};

void documents_init(struct documents *documents, struct client *client);
/* Adds a file; "-" is standard input. 0, or the exit code after the reason was printed. */
int documents_read(struct documents *documents, const char *file);
/* Sends them, with --revision. The client has the answer afterwards. Problems, warnings and things that are
 * missing are printed. 0, or the exit code: then nothing was applied. */
int documents_send(struct documents *documents, bool dry_run);

/* Problems of refused documents, or warnings, with their places in their files; `file` names those that do
 * not name it themselves. */
void documents_print_problems(struct client *client, str file, const struct json *problems);
/* The warnings of all results of an answer, and things that are missing. */
void documents_print_warnings(struct client *client);

#endif
