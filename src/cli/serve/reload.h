/* cli/serve/reload.h — files that `pawl serve` reads again on SIGHUP: its token, its certificate and its log.
 *
 * Each part is reloaded for itself, and the log says which were and which were not. A file that is wrong
 * changes nothing: the engine goes on with what it has, and the log says why.
 *
 * Requests need the new token from then on, also over connections that are open. Streams that were let in
 * before go on. New connections get the new certificate; those that are open keep theirs.
 */
#ifndef CLI_SERVE_RELOAD_H
#define CLI_SERVE_RELOAD_H

#include "base/arena.h"
#include "base/status.h"

struct api;
struct http_server;

struct reload {
    const char *token_file;                /* NULL: none is asked for. */
    bool keeps_token;                      /* The demonstration uses it. */
    const char *tls_certificate, *tls_key; /* NULL: no TLS. */
    const char *log_file;                  /* NULL: standard error. */
    struct api *api;
    struct http_server *server, *grpc_server; /* The second may be NULL. */
};

/* The token in a file: one line of printable ASCII, in a file that nobody else can read. */
enum status reload_read_token(const char *file, struct arena *arena, str *ret_token, struct error *err);

/* Fails if other users can read the key of the certificate. */
enum status reload_check_key(const char *file, struct error *err);

/* On the thread of the network. */
void reload_all(const struct reload *reload);

#endif
