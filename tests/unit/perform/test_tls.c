/* A server nobody vouches for is not called. */
#include "server.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

struct tls_server {
    int listener;
    uint16_t port;
    SSL_CTX *tls;
    pthread_t thread;
    size_t read_bytes; /* Of what the client said, beyond the handshake. */
};

static void sign_yourself(SSL_CTX *tls)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"127.0.0.1", -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(tls, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(tls, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void *serve_once(void *context)
{
    struct tls_server *tls_server = context;
    int fd = accept(tls_server->listener, NULL, NULL);
    SSL *tls = SSL_new(tls_server->tls);
    SSL_set_fd(tls, fd);
    char bytes[4096];
    if (SSL_accept(tls) == 1) {
        int n = SSL_read(tls, bytes, sizeof bytes);
        tls_server->read_bytes = n > 0 ? (size_t)n : 0;
    }
    SSL_free(tls);
    close(fd);
    return NULL;
}

static void a_certificate_signed_by_nobody_is_refused(void **state)
{
    (void)state;
    struct tls_server tls_server = { .tls = SSL_CTX_new(TLS_server_method()) };
    sign_yourself(tls_server.tls);
    tls_server.listener = server_listen(&tls_server.port);
    assert_int_equal(pthread_create(&tls_server.thread, NULL, serve_once, &tls_server), 0);

    const struct outcalls_config config = local_config();
    struct outcalls *outcalls = start_outcalls(&config);
    struct test_call call;
    test_call_init(&call, tls_server.port, "POST", "/");
    call.out.url = arena_printf(&call.arena, "https://127.0.0.1:%u/", tls_server.port);
    call.out.body = STR("a secret");
    test_call_run(outcalls, &call);
    outcalls_stop(outcalls);
    pthread_join(tls_server.thread, NULL);

    assert_int_equal(call.out.failure, OUTCALL_TLS);
    assert_true(has(call.out.message, "no trusted TLS connection to https://127.0.0.1:"));
    assert_int_equal(tls_server.read_bytes, 0);
    test_call_end(&call);
    close(tls_server.listener);
    SSL_CTX_free(tls_server.tls);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_certificate_signed_by_nobody_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
