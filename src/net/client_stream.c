/* net/client_stream.c — the socket of a client: connects, speaks TLS, reads and writes in time. */
#include "net/client_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Waits until the socket is ready. False once the deadline has passed. */
static bool wait_for(int fd, short events, int64_t deadline_us)
{
    for (;;) {
        int64_t left_us = deadline_us - clock_monotonic_us();
        if (left_us <= 0) return false;
        int64_t ms = (left_us + 999) / 1000;
        struct pollfd poll_fd = { .fd = fd, .events = events };
        int n = poll(&poll_fd, 1, ms > INT_MAX ? INT_MAX : (int)ms);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return true; /* The call that follows will tell. */
    }
}

/* Returns 0 or an errno. */
static int connect_socket(int fd, const struct addrinfo *info, int64_t deadline_us)
{
    if (connect(fd, info->ai_addr, info->ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!wait_for(fd, POLLOUT, deadline_us)) return ETIMEDOUT;
    int code = 0;
    socklen_t bytes = sizeof code;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &bytes) == 0 ? code : errno;
}

static enum status connect_any(struct client_stream *stream, const struct addrinfo *list, int64_t deadline_us,
                               const char *where, struct error *err)
{
    int code = EADDRNOTAVAIL;
    for (const struct addrinfo *info = list; info; info = info->ai_next) {
        int fd = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, info->ai_protocol);
        if (fd < 0) {
            code = errno;
            continue;
        }
        code = connect_socket(fd, info, deadline_us);
        if (code == 0) {
            int on = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            stream->fd = fd;
            return ST_OK;
        }
        close(fd);
    }
    if (code == ETIMEDOUT) return fail(err, ST_STORE, where, "cannot connect: no answer in time");
    return fail(err, ST_STORE, where, "cannot connect: %s", strerror(code));
}

/* Waits for what an SSL call needs before it is tried again. Returns 1 to go on, else a client_io. */
static int wait_for_tls(struct client_stream *stream, int result, int64_t deadline_us)
{
    switch (SSL_get_error(stream->ssl, result)) {
    case SSL_ERROR_WANT_READ: return wait_for(stream->fd, POLLIN, deadline_us) ? 1 : CLIENT_TIMED_OUT;
    case SSL_ERROR_WANT_WRITE: return wait_for(stream->fd, POLLOUT, deadline_us) ? 1 : CLIENT_TIMED_OUT;
    case SSL_ERROR_ZERO_RETURN: return CLIENT_EOF;
    default: return CLIENT_BROKEN;
    }
}

static enum status start_tls(struct client_stream *stream, const char *host, SSL_CTX *tls,
                             int64_t deadline_us, const char *where, struct error *err)
{
    stream->ssl = SSL_new(tls);
    must(stream->ssl);
    must(SSL_set_fd(stream->ssl, stream->fd) == 1);
    /* A certificate names addresses and host names in different fields. */
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream->ssl), host) != 1) {
        must(SSL_set1_host(stream->ssl, host) == 1);
        /* It only reads the name, though it asks for one that it could write. */
        must(SSL_set_tlsext_host_name(stream->ssl, (char *)(uintptr_t)host) == 1);
    }
    ERR_clear_error();
    int result, wait;
    while ((result = SSL_connect(stream->ssl)) != 1)
        if ((wait = wait_for_tls(stream, result, deadline_us)) != 1) break;
    if (result == 1) return ST_OK;

    long verdict = SSL_get_verify_result(stream->ssl);
    if (verdict != X509_V_OK)
        return fail(err, ST_STORE, where, "TLS: %s", X509_verify_cert_error_string(verdict));
    if (wait == CLIENT_TIMED_OUT) return fail(err, ST_STORE, where, "TLS: no answer in time");
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return fail(err, ST_STORE, where, "TLS: %s", reason ? reason : "the server closed the connection");
}

enum status client_stream_open(struct client_stream *stream, const char *host, const char *port, SSL_CTX *tls,
                               int64_t deadline_us, const char *where, struct error *err)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *list;
    int problem = getaddrinfo(host, port, &hints, &list);
    if (problem) return fail(err, ST_STORE, where, "cannot connect: %s", gai_strerror(problem));
    enum status status = connect_any(stream, list, deadline_us, where, err);
    freeaddrinfo(list);
    if (status == ST_OK && tls) status = start_tls(stream, host, tls, deadline_us, where, err);
    if (status != ST_OK) client_stream_close(stream);
    return status;
}

void client_stream_close(struct client_stream *stream)
{
    SSL_free(stream->ssl);
    stream->ssl = NULL;
    if (stream->fd >= 0) close(stream->fd);
    stream->fd = -1;
}

bool client_stream_is_stale(const struct client_stream *stream)
{
    /* TLS 1.3 servers send tickets after the handshake: bytes alone say nothing. */
    char byte;
    ssize_t n = recv(stream->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    return n == 0 || !stream->ssl;
}

static ssize_t read_tls(struct client_stream *stream, void *bytes, size_t n, int64_t deadline_us)
{
    int wait = 1;
    while (wait == 1) {
        ERR_clear_error();
        int result = SSL_read(stream->ssl, bytes, n > INT_MAX ? INT_MAX : (int)n);
        if (result > 0) return result;
        wait = wait_for_tls(stream, result, deadline_us);
    }
    return wait;
}

ssize_t client_stream_read(struct client_stream *stream, void *bytes, size_t n, int64_t deadline_us)
{
    if (stream->ssl) return read_tls(stream, bytes, n, deadline_us);
    for (;;) {
        ssize_t result = recv(stream->fd, bytes, n, 0);
        if (result >= 0) return result;
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return CLIENT_BROKEN;
        if (!wait_for(stream->fd, POLLIN, deadline_us)) return CLIENT_TIMED_OUT;
    }
}

static ssize_t write_tls(struct client_stream *stream, str bytes, int64_t deadline_us)
{
    while (bytes.n) {
        ERR_clear_error();
        int result = SSL_write(stream->ssl, bytes.p, bytes.n > INT_MAX ? INT_MAX : (int)bytes.n);
        if (result > 0) {
            bytes = str_slice(bytes, (size_t)result, bytes.n);
            continue;
        }
        int wait = wait_for_tls(stream, result, deadline_us);
        if (wait != 1) return wait == CLIENT_EOF ? CLIENT_BROKEN : wait;
    }
    return 1;
}

ssize_t client_stream_write(struct client_stream *stream, str bytes, int64_t deadline_us)
{
    if (stream->ssl) return write_tls(stream, bytes, deadline_us);
    while (bytes.n) {
        ssize_t result = send(stream->fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (result >= 0) {
            bytes = str_slice(bytes, (size_t)result, bytes.n);
            continue;
        }
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return CLIENT_BROKEN;
        if (!wait_for(stream->fd, POLLOUT, deadline_us)) return CLIENT_TIMED_OUT;
    }
    return 1;
}
