/* net/client_int.h — the byte stream under the blocking client: a socket, with or without TLS.
 *
 * The socket does not block; every call waits with poll() until it can go on or the deadline
 * (clock_monotonic_us()) has passed.
 */
#ifndef NET_CLIENT_INT_H
#define NET_CLIENT_INT_H

#include "net/net.h"

#include <openssl/ssl.h>

struct client_stream {
    int fd;   /* -1: not connected. */
    SSL *ssl; /* NULL: plain. */
};

enum client_io {
    CLIENT_TIMED_OUT = -2,
    CLIENT_BROKEN = -1,
    CLIENT_EOF = 0, /* A read's result otherwise is a count of bytes. */
};

/* `tls` NULL: plain. `where` names the server in errors. */
enum status client_stream_open(struct client_stream *stream, const char *host, const char *port, SSL_CTX *tls,
                               int64_t deadline_us, const char *where, struct error *err);
void client_stream_close(struct client_stream *stream);

/* Whether an idle connection cannot be used again: the server has closed it or sent bytes. */
bool client_stream_is_stale(const struct client_stream *stream);

ssize_t client_stream_read(struct client_stream *stream, void *bytes, size_t n, int64_t deadline_us);

/* Writes all bytes. Returns a positive number, or a client_io. */
ssize_t client_stream_write(struct client_stream *stream, str bytes, int64_t deadline_us);

#endif
