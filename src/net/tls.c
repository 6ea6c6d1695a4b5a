/* net/tls.c — TLS between the socket's bytes and the connection's.
 *
 * OpenSSL never sees the socket: encrypted bytes are put into one memory BIO and taken out
 * of another, so that it never blocks and libuv stays the only one who reads and writes.
 * What is taken out is kept in `outgoing` while it is written, because OpenSSL may append
 * to its BIO at any time.
 */
#include "net/net_int.h"

#include "base/must.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

enum {
    RECORD_BYTES = 16 << 10,
    STEP_BYTES_MAX = 256 << 10, /* Encrypted before the wire has taken what was encrypted earlier. */
};

struct tls_context {
    SSL_CTX *ssl;
    char plain[RECORD_BYTES]; /* One record, while it is handed to its connection. */
};

struct tls_session {
    SSL *ssl;
    BIO *in, *out; /* Owned by ssl. */
    struct tls_context *context;
    struct buf outgoing;
    size_t sent; /* Of outgoing. */
    bool reading;
};

static enum status fail_tls(struct error *err, const char *file, const char *what)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return fail(err, ST_INVALID, file, "%s: %s", what, reason ? reason : "unknown reason");
}

/* Speaks HTTP/1.1 to whoever offers it, and to whoever does not ask. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_bytes,
                           const unsigned char *in, unsigned in_bytes, void *context)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl;
    (void)context;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, out_bytes, ours, sizeof ours - 1, in, in_bytes) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static enum status load_files(SSL_CTX *ssl, const char *certificate, const char *key, struct error *err)
{
    if (!key) return fail(err, ST_INVALID, certificate, "a TLS certificate needs its private key");
    if (SSL_CTX_use_certificate_chain_file(ssl, certificate) != 1)
        return fail_tls(err, certificate, "no TLS certificate in PEM form could be read");
    if (SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) != 1)
        return fail_tls(err, key, "no private key in PEM form that fits the certificate could be read");
    if (SSL_CTX_check_private_key(ssl) != 1)
        return fail_tls(err, key, "the private key is not the certificate's");
    return ST_OK;
}

enum status tls_context_new(const char *certificate, const char *key, struct tls_context **ret_context,
                            struct error *err)
{
    SSL_CTX *ssl = SSL_CTX_new(TLS_server_method());
    must(ssl);
    must(SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1);
    SSL_CTX_set_options(ssl,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF); /* Tickets resume without one. */
    SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, NULL);
    ERR_clear_error();
    enum status status = load_files(ssl, certificate, key, err);
    if (status != ST_OK) {
        SSL_CTX_free(ssl);
        return status;
    }
    struct tls_context *context = malloc(sizeof *context);
    must(context);
    context->ssl = ssl;
    *ret_context = context;
    return ST_OK;
}

void tls_context_free(struct tls_context *context)
{
    if (!context) return;
    SSL_CTX_free(context->ssl);
    free(context);
}

struct tls_session *tls_session_new(struct tls_context *context)
{
    struct tls_session *session = calloc(1, sizeof *session);
    must(session);
    session->context = context;
    session->ssl = SSL_new(context->ssl);
    session->in = BIO_new(BIO_s_mem());
    session->out = BIO_new(BIO_s_mem());
    must(session->ssl && session->in && session->out);
    SSL_set_bio(session->ssl, session->in, session->out);
    SSL_set_accept_state(session->ssl);
    return session;
}

void tls_session_free(struct tls_session *session)
{
    if (!session) return;
    SSL_free(session->ssl);
    buf_done(&session->outgoing);
    free(session);
}

bool tls_is_ready(const struct tls_session *session) { return SSL_is_init_finished(session->ssl); }

/* Decrypts record by record, as long as the connection has room for requests: the rest
 * waits in the BIO, and the socket is not read meanwhile. */
static void read_records(struct connection *connection)
{
    struct tls_session *session = connection->tls;
    while (connection_wants_requests(connection) || connection->state == CONNECTION_ENDING) {
        ERR_clear_error();
        int n = SSL_read(session->ssl, session->context->plain, RECORD_BYTES);
        if (n > 0) {
            connection_take(connection, (str){ session->context->plain, (size_t)n });
            continue;
        }
        int why = SSL_get_error(session->ssl, n);
        if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return;
        if (why == SSL_ERROR_ZERO_RETURN) {
            connection_take_eof(connection);
            return;
        }
        /* The alert that tells the client why is already in the BIO. */
        respond_flush(connection);
        connection_close(connection);
        return;
    }
}

void tls_resume(struct connection *connection)
{
    struct tls_session *session = connection->tls;
    if (session->reading || connection->state == CONNECTION_CLOSED || !BIO_ctrl_pending(session->in)) return;
    session->reading = true;
    read_records(connection);
    session->reading = false;
}

void tls_take(struct connection *connection, str bytes)
{
    struct tls_session *session = connection->tls;
    if (connection->state == CONNECTION_LINGERING) return;
    must(bytes.n <= INT32_MAX);
    must(BIO_write(session->in, bytes.p, (int)bytes.n) == (int)bytes.n);
    tls_resume(connection);
    connection_pump(connection); /* Handshake messages, or answers that waited for them. */
}

size_t tls_write(struct tls_session *session, str plain)
{
    size_t waiting = session->outgoing.n - session->sent + BIO_ctrl_pending(session->out);
    if (waiting >= STEP_BYTES_MAX) return 0;
    size_t n = plain.n < STEP_BYTES_MAX - waiting ? plain.n : STEP_BYTES_MAX - waiting;
    ERR_clear_error();
    /* A memory BIO takes everything; what fails is a session that is already broken, and
     * reading from it will tell. */
    (void)SSL_write(session->ssl, plain.p, (int)n);
    return n;
}

void tls_close_notify(struct tls_session *session)
{
    ERR_clear_error();
    if (tls_is_ready(session)) (void)SSL_shutdown(session->ssl);
}

str tls_outgoing(struct tls_session *session)
{
    if (session->sent == session->outgoing.n) {
        session->sent = 0;
        buf_done(&session->outgoing);
        size_t n = BIO_ctrl_pending(session->out);
        if (n) {
            char *room = buf_reserve(&session->outgoing, n);
            must(BIO_read(session->out, room, (int)n) == (int)n);
            session->outgoing.n = n;
        }
    }
    return (str){ session->outgoing.p + session->sent, session->outgoing.n - session->sent };
}

void tls_sent(struct tls_session *session, size_t bytes) { session->sent += bytes; }
