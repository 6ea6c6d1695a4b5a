#include "tls_files.h"

#define HOST "Host: a\r\n"

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
        SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h9\x08http/1.1", 12);
        SSL *ssl = dial_tls(live.port, context);
        assert_int_equal(shake_hands(ssl), 1);
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
    assert_true(shake_hands(ssl) <= 0);
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
    assert_int_equal(shake_hands(ssl), 1);
    assert_int_equal(shake_hands(other), 1);
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
