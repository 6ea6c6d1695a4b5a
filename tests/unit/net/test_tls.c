#include "live.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#define HOST "Host: a\r\n"

struct files {
    char folder[64];
    char certificate[96], key[96], other_key[96], text[96];
};

static void write_key(const char *path, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
}

static void write_certificate(const char *path, EVP_PKEY *key)
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

static int make_files(void **state)
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

static int remove_files(void **state)
{
    struct files *files = *state;
    unlink(files->certificate);
    unlink(files->key);
    unlink(files->other_key);
    unlink(files->text);
    rmdir(files->folder);
    return 0;
}

static SSL *dial_tls(uint16_t port, SSL_CTX *context)
{
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, dial(port));
    return ssl;
}

static void hang_up(SSL *ssl)
{
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
}

/* Reads until `mark` ends what was read, or the stream ends. */
static void hear_tls(SSL *ssl, struct buf *out, const char *mark)
{
    while (!str_ends(buf_str(out), str_of(mark))) {
        char c;
        if (SSL_read(ssl, &c, 1) != 1) return;
        buf_add_char(out, c);
    }
}

static void requests_travel_encrypted(void **state)
{
    const struct files *files = *state;
    struct live live;
    struct buf got;
    live_start_tls(&live, NULL, files->certificate, files->key);
    buf_init(&got, NULL);
    static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
    for (size_t i = 0; i < COUNT(versions); i++) {
        SSL_CTX *context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_max_proto_version(context, versions[i]);
        SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h2\x08http/1.1", 12);
        SSL *ssl = dial_tls(live.port, context);
        assert_int_equal(SSL_connect(ssl), 1);
        assert_int_equal(SSL_version(ssl), versions[i]);
        const unsigned char *protocol;
        unsigned bytes;
        SSL_get0_alpn_selected(ssl, &protocol, &bytes);
        assert_true(str_equal((str){ (const char *)protocol, bytes }, STR("http/1.1")));

        static const char text[] = "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"
                                   "GET /x HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n";
        assert_int_equal(SSL_write(ssl, text, sizeof text - 1), sizeof text - 1);
        got.n = 0;
        hear_tls(ssl, &got, "none");
        assert_true(has(&got, "\r\n\r\nabHTTP/1.1 200 OK\r\n"));
        assert_true(str_ends(buf_str(&got), STR("\r\n\r\nGET /x")));
        assert_int_equal(SSL_get_shutdown(ssl), SSL_RECEIVED_SHUTDOWN); /* A proper goodbye. */
        hang_up(ssl);
        SSL_CTX_free(context);
    }
    buf_done(&got);
    live_stop(&live);
}

static void old_versions_and_strangers_are_turned_away(void **state)
{
    const struct files *files = *state;
    struct live live;
    live_start_tls(&live, NULL, files->certificate, files->key);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    SSL *ssl = dial_tls(live.port, context);
    assert_true(SSL_connect(ssl) <= 0);
    hang_up(ssl);
    SSL_CTX_free(context);

    struct buf got;
    buf_init(&got, NULL);
    int fd = dial(live.port);
    say_text(fd, "GET / HTTP/1.1\r\n" HOST "\r\n"); /* Plain, to a TLS port. */
    hear_all(fd, &got);
    assert_false(has(&got, "HTTP/1.1"));
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

static void a_handshake_has_a_deadline(void **state)
{
    const struct files *files = *state;
    struct limits limits = limits_default();
    struct live live;
    struct buf got;
    limits.header_timeout_ms = 50;
    live_start_tls(&live, &limits, files->certificate, files->key);
    buf_init(&got, NULL);
    int fd = dial(live.port);
    hear_all(fd, &got);
    assert_int_equal(got.n, 0);
    close(fd);
    buf_done(&got);
    live_stop(&live);
}

/* The first request may hold the connection's only place in flight; the rest waits encrypted. */
static void back_pressure_holds_under_tls(void **state)
{
    const struct files *files = *state;
    struct limits limits = limits_default();
    struct live live;
    struct buf got, text;
    limits.pipeline_max = 1;
    live_start_tls(&live, &limits, files->certificate, files->key);
    buf_init(&got, NULL);
    buf_init(&text, NULL);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = dial_tls(live.port, context), *other = dial_tls(live.port, context);
    assert_int_equal(SSL_connect(ssl), 1);
    assert_int_equal(SSL_connect(other), 1);
    for (int i = 0; i < 3; i++) {
        text.n = 0;
        buf_printf(&text,
                   "GET /hold?%d HTTP/1.1\r\n" HOST "\r\nPOST /echo HTTP/1.1\r\n" HOST
                   "Content-Length: 1\r\n\r\n%c",
                   i, 'a' + i);
        assert_int_equal(SSL_write(ssl, text.p, (int)text.n), text.n);
    }
    for (int i = 0; i < 3; i++) {
        sem_wait(&live.received);
        static const char release[] = "GET /release HTTP/1.1\r\n" HOST "\r\n";
        assert_int_equal(SSL_write(other, release, sizeof release - 1), sizeof release - 1);
        char want[16];
        snprintf(want, sizeof want, "\r\n\r\n%c", 'a' + i);
        got.n = 0;
        hear_tls(ssl, &got, want);
        assert_true(str_ends(buf_str(&got), str_of(want)));
        got.n = 0;
        hear_tls(other, &got, "released");
    }
    hang_up(ssl);
    hang_up(other);
    SSL_CTX_free(context);
    buf_done(&got);
    buf_done(&text);
    live_stop(&live);
}

/* Much more than is encrypted at once, or fits into the socket. */
static void large_answers_leave_in_pieces(void **state)
{
    const struct files *files = *state;
    struct live live;
    struct arena arena;
    struct http_client *client;
    struct http_answer answer;
    struct error err;
    char url[64];
    live_start_tls(&live, NULL, files->certificate, files->key);
    arena_init(&arena, 0);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", live.port);
    setenv("SSL_CERT_FILE", files->certificate, 1);
    assert_int_equal(http_client_new(str_of(url), &client, &err), ST_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(http_client_call(client, "GET", STR("/big?n=30000000"), STR_NONE, PATIENCE_S * 1000,
                                          &arena, &answer, &err),
                         ST_OK);
        assert_int_equal(answer.body.n, 30000000);
        for (size_t k = 0; k < answer.body.n; k++)
            if (answer.body.p[k] != 'x') fail_msg("byte %zu is not right", k);
    }
    http_client_free(client);
    unsetenv("SSL_CERT_FILE");
    arena_done(&arena);
    live_stop(&live);
}

static void the_client_checks_who_answers(void **state)
{
    const struct files *files = *state;
    struct live live;
    struct arena arena;
    struct http_client *client;
    struct http_answer answer;
    struct error err;
    char url[64];
    live_start_tls(&live, NULL, files->certificate, files->key);
    arena_init(&arena, 0);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", live.port);

    assert_int_equal(http_client_new(str_of(url), &client, &err), ST_OK);
    assert_int_equal(
        http_client_call(client, "GET", STR("/x"), STR_NONE, PATIENCE_S * 1000, &arena, &answer, &err),
        ST_STORE);
    assert_string_equal(err.where, url);
    assert_non_null(strstr(err.message, "certificate"));
    http_client_free(client);

    setenv("SSL_CERT_FILE", files->certificate, 1); /* Now the system knows it. */
    assert_int_equal(http_client_new(str_of(url), &client, &err), ST_OK);
    struct buf body;
    buf_init(&body, NULL);
    for (int i = 0; i < 200000; i++) buf_add_char(&body, (char)('a' + i % 26));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(http_client_call(client, "POST", STR("/echo"), buf_str(&body), PATIENCE_S * 1000,
                                          &arena, &answer, &err),
                         ST_OK);
        assert_true(str_equal(answer.body, buf_str(&body)));
    }
    assert_int_equal(atomic_load(&live.connections), 1);
    http_client_free(client);

    snprintf(url, sizeof url, "https://localhost:%u", live.port); /* A name it does not have. */
    assert_int_equal(http_client_new(str_of(url), &client, &err), ST_OK);
    assert_int_equal(
        http_client_call(client, "GET", STR("/x"), STR_NONE, PATIENCE_S * 1000, &arena, &answer, &err),
        ST_STORE);
    http_client_free(client);
    unsetenv("SSL_CERT_FILE");
    buf_done(&body);
    arena_done(&arena);
    live_stop(&live);
}

static void bad_files_are_named(void **state)
{
    const struct files *files = *state;
    const struct {
        const char *certificate, *key, *where;
    } cases[] = {
        { "/nowhere/cert.pem", files->key, "/nowhere/cert.pem" },
        { files->text, files->key, files->text },
        { files->certificate, "/nowhere/key.pem", "/nowhere/key.pem" },
        { files->certificate, files->text, files->text },
        { files->certificate, files->other_key, files->other_key },
        { files->certificate, NULL, files->certificate },
    };
    struct net_loop *loop = net_loop_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_server *server;
        struct error err;
        const struct http_server_config config = {
            .host = { "127.0.0.1", 9 },
            .limits = limits_default(),
            .handler = live_handle,
            .tls_certificate = cases[i].certificate,
            .tls_key = cases[i].key,
        };
        assert_int_equal(http_server_open(loop, &config, &server, &err), ST_INVALID);
        assert_string_equal(err.where, cases[i].where);
        assert_true(strlen(err.message) > 20);
    }
    net_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_travel_encrypted),
        cmocka_unit_test(old_versions_and_strangers_are_turned_away),
        cmocka_unit_test(a_handshake_has_a_deadline),
        cmocka_unit_test(back_pressure_holds_under_tls),
        cmocka_unit_test(large_answers_leave_in_pieces),
        cmocka_unit_test(the_client_checks_who_answers),
        cmocka_unit_test(bad_files_are_named),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
