/* A certificate and its key in files of a temporary folder, and clients that speak TLS. */
#ifndef TESTS_NET_TLS_FILES_H
#define TESTS_NET_TLS_FILES_H

#include "live.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct files {
    char folder[64];
    char certificate[96], key[96], other_key[96], text[96];
};

static inline void write_key(const char *path, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
}

static inline void write_certificate(const char *path, EVP_PKEY *key)
{
    X509 *x509 = X509_new();
    X509_NAME *name = X509_get_subject_name(x509);
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"pawl test", -1, -1, 0);
    X509_set_issuer_name(x509, name);
    X509_set_pubkey(x509, key);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x509, names, -1);
    X509_EXTENSION_free(names);
    assert_true(X509_sign(x509, key, EVP_sha256()) > 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, x509), 1);
    fclose(file);
    X509_free(x509);
}

static inline int make_files(void **state)
{
    static struct files files;
    snprintf(files.folder, sizeof files.folder, "/tmp/pawl-tls-XXXXXX");
    assert_non_null(mkdtemp(files.folder));
    snprintf(files.certificate, sizeof files.certificate, "%s/cert.pem", files.folder);
    snprintf(files.key, sizeof files.key, "%s/key.pem", files.folder);
    snprintf(files.other_key, sizeof files.other_key, "%s/other.pem", files.folder);
    snprintf(files.text, sizeof files.text, "%s/text.pem", files.folder);
    EVP_PKEY *key = EVP_EC_gen("P-256"), *other = EVP_EC_gen("P-256");
    write_key(files.key, key);
    write_key(files.other_key, other);
    write_certificate(files.certificate, key);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    FILE *file = fopen(files.text, "w");
    fputs("not a certificate\n", file);
    fclose(file);
    *state = &files;
    return 0;
}

static inline int remove_files(void **state)
{
    struct files *files = *state;
    unlink(files->certificate);
    unlink(files->key);
    unlink(files->other_key);
    unlink(files->text);
    rmdir(files->folder);
    return 0;
}

static inline SSL *dial_tls(uint16_t port, SSL_CTX *context)
{
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, dial(port));
    return ssl;
}

/* A pause of the process ends a call with EINTR, as in hear_some(). */
static inline bool was_paused(SSL *ssl, int result)
{
    return result <= 0 && errno == EINTR && SSL_want(ssl) != SSL_NOTHING;
}

/* SSL_connect(): 1, or less if the two do not agree. */
static inline int shake_hands(SSL *ssl)
{
    int result;
    do {
        errno = 0;
        result = SSL_connect(ssl);
    } while (was_paused(ssl, result));
    return result;
}

static inline void hang_up(SSL *ssl)
{
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
}

/* Reads until `mark` ends what was read, or the stream ends. */
static inline void hear_tls(SSL *ssl, struct buf *out, const char *mark)
{
    while (!str_ends(buf_str(out), str_of(mark))) {
        char c;
        errno = 0;
        int result = SSL_read(ssl, &c, 1);
        if (was_paused(ssl, result)) continue;
        if (result != 1) return;
        buf_add_char(out, c);
    }
}

#endif
