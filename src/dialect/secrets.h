/* dialect/secrets.h — the secrets that a definition can use, with their places in the document.
 *
 * The author of a definition lets it read secrets and send them anywhere. So the runtime asks for a
 * permission for each of them (runtime/definitions/secret_uses.c). Secrets are named in lists (`secretRefs`),
 * as references (`secretRef`, `connectionRef`, `brokerRef`, `schemaRef`) and in templates of calls
 * (`{{ secrets.NAME }}`). The program has all of them but connections of calls, which may come out of data.
 */
#ifndef DIALECT_SECRETS_H
#define DIALECT_SECRETS_H

#include "base/arena.h"

struct json;
struct program;

struct secret_use {
    str name;  /* Empty: data says which, so it can be any. */
    str place; /* A JSON Pointer into the document; empty: the whole document. */
};

/* Each name once, in order of places that the program knows, then of the document. */
size_t dialect_secrets(const struct program *program, const struct json *document, struct arena *arena,
                       struct secret_use **ret_use);

#endif
