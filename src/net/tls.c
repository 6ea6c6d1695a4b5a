/* net/tls.c — TLS between the socket's bytes and the connection's.
 *
 * OpenSSL never sees the socket: encrypted bytes are put into one memory BIO and taken out of another, so
 * that it never blocks and libuv alone reads and writes. Bytes that were taken out are kept in `outgoing`
 * while they are written, because OpenSSL may append to its BIO at any time.
 */
#include "net/protocol_int.h"

#include "base/must.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RECORD_BYTES = 16 << 10,
    SUBJECT_BYTES = 3 + 64 + 1
}; /* "CN=" and the longest common name of X.520. */

struct tls_context {
    SSL_CTX *ssl;
    struct buf alpn;          /* The protocols' names, each behind its length. */
    char plain[RECORD_BYTES]; /* One record, while it is handed to its connection. */
};

struct tls_session {
    SSL *ssl;
    char subject[SUBJECT_BYTES]; /* Empty: not looked for yet, or there is none. */
    bool knows_subject;
    BIO *in, *out; /* Owned by ssl. */
    struct tls_context *context;
    struct buf outgoing;
    size_t sent; /* Bytes of `outgoing` that are on the wire. */
};

static enum status fail_tls(struct error *err, const char *file, const char *what)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return fail(err, ST_INVALID, file, "%s: %s", what, reason ? reason : "unknown reason");
}

/* Chooses the first of our protocols that the client offers. Not called for clients that offer none. */
static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_bytes, const unsigned char *in,
                       unsigned in_bytes, void *user)
{
    const struct tls_context *context = user;
    (void)ssl;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, out_bytes, (const unsigned char *)context->alpn.p,
                              (unsigned)context->alpn.n, in, in_bytes) != OPENSSL_NPN_NEGOTIATED)
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

/* Clients may show a certificate of one of these authorities, and need not. One of another authority ends the
 * handshake. Each connection proves its certificate, so none is resumed. */
static enum status load_client_authorities(SSL_CTX *ssl, const char *file, struct error *err)
{
    if (!file) return ST_OK;
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(file);
    if (!names || SSL_CTX_load_verify_locations(ssl, file, NULL) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return fail_tls(err, file, "no certificates of authorities in PEM form could be read");
    }
    SSL_CTX_set_client_CA_list(ssl, names);
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET);
    must(SSL_CTX_set_num_tickets(ssl, 0) == 1);
    return ST_OK;
}

/* Reads the files under our rules. */
static enum status open_files(const struct tls_files *files, SSL_CTX **ret_ssl, struct error *err)
{
    SSL_CTX *ssl = SSL_CTX_new(TLS_server_method());
    must(ssl);
    must(SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1);
    SSL_CTX_set_options(ssl,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF); /* Tickets resume without one. */
    ERR_clear_error();
    enum status status = load_files(ssl, files->certificate, files->key, err);
    if (status == ST_OK) status = load_client_authorities(ssl, files->client_authorities, err);
    if (status == ST_OK) *ret_ssl = ssl;
    else SSL_CTX_free(ssl);
    return status;
}

enum status tls_context_new(const struct tls_files *files, const struct protocol *const *protocols,
                            struct tls_context **ret_context, struct error *err)
{
    SSL_CTX *ssl;
    TRY(open_files(files, &ssl, err));
    struct tls_context *context = calloc(1, sizeof *context);
    must(context);
    context->ssl = ssl;
    for (; *protocols; protocols++) {
        must((*protocols)->name.n < 256);
        buf_add_char(&context->alpn, (char)(*protocols)->name.n);
        buf_add_str(&context->alpn, (*protocols)->name);
    }
    SSL_CTX_set_alpn_select_cb(ssl, choose_alpn, context);
    *ret_context = context;
    return ST_OK;
}

enum status tls_context_reload(struct tls_context *context, const struct tls_files *files, struct error *err)
{
    SSL_CTX *ssl;
    TRY(open_files(files, &ssl, err));
    SSL_CTX_set_alpn_select_cb(ssl, choose_alpn, context);
    SSL_CTX_free(context->ssl); /* Each session has a reference of its own. */
    context->ssl = ssl;
    return ST_OK;
}

void tls_context_free(struct tls_context *context)
{
    if (!context) return;
    SSL_CTX_free(context->ssl);
    buf_done(&context->alpn);
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

str tls_protocol(const struct tls_session *session)
{
    const unsigned char *name;
    unsigned bytes;
    SSL_get0_alpn_selected(session->ssl, &name, &bytes);
    return (str){ (const char *)name, bytes };
}

/* The one common name of the subject; a certificate with several, or with an odd one, names nobody. */
static void find_subject(struct tls_session *session)
{
    X509 *certificate = SSL_get0_peer_certificate(session->ssl);
    X509_NAME *name = certificate && SSL_get_verify_result(session->ssl) == X509_V_OK
                          ? X509_get_subject_name(certificate)
                          : NULL;
    int at = name ? X509_NAME_get_index_by_NID(name, NID_commonName, -1) : -1;
    unsigned char *text = NULL;
    session->knows_subject = true;
    if (at < 0 || X509_NAME_get_index_by_NID(name, NID_commonName, at) >= 0) return;
    int n = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    bool is_plain = n > 0 && n < SUBJECT_BYTES - 3;
    for (int i = 0; is_plain && i < n; i++) is_plain = text[i] >= ' ' && text[i] != 0x7f;
    if (is_plain) snprintf(session->subject, sizeof session->subject, "CN=%.*s", n, (const char *)text);
    OPENSSL_free(text);
}

str tls_subject(struct tls_session *session)
{
    if (!session->knows_subject && tls_is_ready(session)) find_subject(session);
    return str_of(session->subject);
}

void tls_take(struct tls_session *session, str bytes)
{
    must(bytes.n <= INT32_MAX);
    must(BIO_write(session->in, bytes.p, (int)bytes.n) == (int)bytes.n);
}

bool tls_has_input(const struct tls_session *session) { return BIO_ctrl_pending(session->in) > 0; }

enum tls_result tls_read(struct tls_session *session, str *ret_plain)
{
    ERR_clear_error();
    int n = SSL_read(session->ssl, session->context->plain, RECORD_BYTES);
    if (n > 0) {
        *ret_plain = (str){ session->context->plain, (size_t)n };
        return TLS_PLAIN;
    }
    switch (SSL_get_error(session->ssl, n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return TLS_NEEDS_MORE;
    case SSL_ERROR_ZERO_RETURN: return TLS_END;
    default: return TLS_BROKEN;
    }
}

size_t tls_write(struct tls_session *session, str plain)
{
    size_t waiting = session->outgoing.n - session->sent + BIO_ctrl_pending(session->out);
    if (waiting >= TLS_STEP_BYTES_MAX) return 0;
    size_t n = plain.n < TLS_STEP_BYTES_MAX - waiting ? plain.n : TLS_STEP_BYTES_MAX - waiting;
    ERR_clear_error();
    /* A memory BIO takes everything. Only a session that is already broken fails, and reading from it will
     * tell. */
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
