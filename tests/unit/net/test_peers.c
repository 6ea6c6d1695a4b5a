/* Strangers and known clients: what each may hold, and who has to go. */
#include "live.h"
#include "net/protocol_int.h"

#define HOST "Host: a\r\n"
#define HALF "POST /stranger HTTP/1.1\r\n" HOST "Content-Length: 8000\r\n\r\nhalf"

static int dial_from(const char *address, uint16_t port)
{
    struct sockaddr_in own = { .sin_family = AF_INET };
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(inet_pton(AF_INET, address, &own.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET, "127.0.0.1", &server.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&server, sizeof server), 0);
    return fd;
}

static int ask(int fd, const char *path)
{
    struct buf got;
    str body;
    char text[128];
    buf_init(&got, NULL);
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", path);
    say_text(fd, text);
    int status = hear_answer(fd, &got, &body);
    buf_done(&got);
    return status;
}

/* True once the server has closed the connection. */
static bool is_closed(int fd)
{
    char byte;
    ssize_t n = hear_some(fd, &byte, 1);
    return n == 0 || (n < 0 && errno == ECONNRESET);
}

/* Finishes a request that HALF began. */
static int finish(int fd)
{
    static const char rest[7996];
    struct buf got;
    str body;
    buf_init(&got, NULL);
    say(fd, (str){ rest, sizeof rest });
    int status = hear_answer(fd, &got, &body);
    buf_done(&got);
    return status;
}

/* Room for about four such halves of one peer, and for sixteen of all. */
static struct limits narrow(void)
{
    struct limits limits = limits_default();
    limits.strangers_bytes_max = 256 << 10;
    return limits;
}

static void the_oldest_stranger_of_a_peer_has_to_go(void **state)
{
    struct limits limits = narrow();
    struct live live;
    (void)state;
    live_start(&live, &limits);
    int other = dial_from("127.0.0.2", live.port), known = dial_from("127.0.0.1", live.port);
    say_text(other, HALF);
    assert_int_equal(ask(known, "/known"), 200);
    int strangers[12];
    for (size_t i = 0; i < COUNT(strangers); i++) {
        strangers[i] = dial_from("127.0.0.1", live.port);
        say_text(strangers[i], HALF);
        assert_int_equal(ask(known, "/known"), 200); /* The server has seen it by now. */
    }
    assert_true(is_closed(strangers[0]));
    assert_int_equal(finish(strangers[11]), 200);
    /* A stranger at another address keeps its place. */
    assert_int_equal(finish(other), 200);
    for (size_t i = 0; i < COUNT(strangers); i++) close(strangers[i]);
    close(other);
    close(known);
    live_stop(&live);
}

static void known_clients_have_their_own_memory(void **state)
{
    struct limits limits = narrow();
    struct live live;
    struct buf got;
    str body;
    (void)state;
    live_start(&live, &limits);
    buf_init(&got, NULL);
    int strangers[40];
    for (size_t i = 0; i < COUNT(strangers); i++) {
        char address[20];
        snprintf(address, sizeof address, "127.0.1.%zu", 1 + i);
        strangers[i] = dial_from(address, live.port);
        say_text(strangers[i], HALF);
    }
    int known = dial_from("127.0.1.1", live.port);
    static const char large[300000];
    say_text(known, "POST /known HTTP/1.1\r\n" HOST "Content-Length: 300000\r\n\r\n");
    say(known, (str){ large, sizeof large });
    assert_int_equal(hear_answer(known, &got, &body), 200);
    assert_int_equal(body.n, sizeof large);
    for (size_t i = 0; i < COUNT(strangers); i++) close(strangers[i]);
    close(known);
    buf_done(&got);
    live_stop(&live);
}

/* Also while all connections are taken by known clients, a probe gets its answer (test_server_limits). */
static void silent_strangers_make_room_for_newcomers(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.connections_max = 40;
    live_start(&live, &limits);
    int known[20], silent[200];
    for (size_t i = 0; i < COUNT(known); i++) {
        known[i] = dial(live.port);
        assert_int_equal(ask(known[i], "/known"), 200);
    }
    for (size_t i = 0; i < COUNT(silent); i++) silent[i] = dial(live.port);
    int late = dial(live.port);
    assert_int_equal(ask(late, "/known"), 200);
    for (size_t i = 0; i < COUNT(known); i++) assert_int_equal(ask(known[i], "/known"), 200);
    assert_true(is_closed(silent[0]));
    for (size_t i = 0; i < COUNT(silent); i++) close(silent[i]);
    for (size_t i = 0; i < COUNT(known); i++) close(known[i]);
    close(late);
    live_stop(&live);
}

static void calls_of_strangers_have_a_bound(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.queue_calls_max = 16; /* A peer may have 16 nevertheless. */
    live_start(&live, &limits);
    int fd[17], known = dial(live.port);
    for (size_t i = 0; i < 16; i++) {
        fd[i] = dial(live.port);
        say_text(fd[i], "GET /stranger/hold HTTP/1.1\r\n" HOST "\r\n");
        sem_wait(&live.received);
    }
    fd[16] = dial(live.port);
    assert_int_equal(ask(fd[16], "/stranger"), 503);
    assert_int_equal(ask(known, "/known"), 200);
    assert_int_equal(ask(known, "/release"), 200);
    struct buf got;
    str body;
    buf_init(&got, NULL);
    for (size_t i = 0; i < 16; i++) assert_int_equal(hear_answer(fd[i], &got, &body), 200);
    assert_int_equal(ask(fd[0], "/stranger"), 200);
    for (size_t i = 0; i < COUNT(fd); i++) close(fd[i]);
    close(known);
    buf_done(&got);
    live_stop(&live);
}

/* Requests that handlers have do not make newcomers leave. The next such request is refused. */
static void pinned_bytes_close_nobody(void **state)
{
    struct limits limits = narrow(); /* A peer may pin 32 KiB. */
    struct live live;
    (void)state;
    live_start(&live, &limits);
    int busy[8], known = dial(live.port);
    size_t held = 0; /* The first ones. */
    for (size_t i = 0; i < COUNT(busy); i++) {
        busy[i] = dial(live.port);
        say_text(busy[i], "POST /stranger/hold HTTP/1.1\r\n" HOST "Content-Length: 8000\r\n\r\nhalf");
        static const char rest[7996];
        say(busy[i], (str){ rest, sizeof rest });
        /* The handler gets it, or it is refused. */
        char byte;
        bool is_held = false;
        while (!(is_held = sem_trywait(&live.received) == 0) &&
               recv(busy[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0)
            assert_int_equal(ask(known, "/known"), 200);
        held += is_held;
    }
    assert_in_range(held, 1, COUNT(busy) - 1);
    int fresh = dial(live.port);
    assert_int_equal(ask(fresh, "/known"), 200);
    assert_int_equal(ask(known, "/release"), 200);
    struct buf got;
    str body;
    buf_init(&got, NULL);
    for (size_t i = 0; i < COUNT(busy); i++)
        assert_int_equal(hear_answer(busy[i], &got, &body), i < held ? 200 : 503);
    for (size_t i = 0; i < COUNT(busy); i++) close(busy[i]);
    close(fresh);
    close(known);
    buf_done(&got);
    live_stop(&live);
}

/* A byte now and then does not prolong the time that the first head has. */
static void the_first_head_has_its_time_from_the_beginning(void **state)
{
    struct limits limits = limits_default();
    struct live live;
    (void)state;
    limits.header_timeout_ms = 100;
    live_start(&live, &limits);
    int silent = dial(live.port), slow = dial(live.port);
    say_text(slow, "G");
    assert_true(is_closed(silent));
    struct buf got;
    buf_init(&got, NULL);
    assert_true(hear_all(slow, &got));
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 408 ")));
    close(silent);
    close(slow);
    buf_done(&got);
    live_stop(&live);
}

/* ---- the account, without sockets ---- */

static struct peer *peer_at(struct http_account *account, const char *text)
{
    struct sockaddr_storage address = { 0 };
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) address.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) address.ss_family = AF_INET6;
    struct peer *peer = account_peer(account, (struct sockaddr *)&address);
    peer->users--; /* It stays in the table all the same. */
    return peer;
}

static void peers_are_addresses_or_networks(void **state)
{
    const struct limits limits = limits_default();
    struct http_account account;
    (void)state;
    account_init(&account, &limits, 100, NULL);
    assert_ptr_equal(peer_at(&account, "10.0.0.1"), peer_at(&account, "::ffff:10.0.0.1"));
    assert_ptr_not_equal(peer_at(&account, "10.0.0.1"), peer_at(&account, "10.0.0.2"));
    assert_ptr_equal(peer_at(&account, "2001:db8::1"), peer_at(&account, "2001:db8::2"));
    assert_ptr_not_equal(peer_at(&account, "2001:db8::1"), peer_at(&account, "2001:db8:0:1::1"));
    assert_ptr_not_equal(peer_at(&account, "::1"), peer_at(&account, "0.0.0.1"));
    static const char *const all[] = { "10.0.0.1",        "10.0.0.2", "2001:db8::1",
                                       "2001:db8:0:1::1", "::1",      "0.0.0.1" };
    assert_int_equal(account.peers.count, COUNT(all));
    for (size_t i = 0; i < COUNT(all); i++) {
        struct peer *peer = peer_at(&account, all[i]);
        account_ref(peer);
        account_unref(peer, 0);
    }
    account_done(&account);
}

/* A peer is remembered while its bucket is not empty: a new connection brings no new bucket. */
static void a_bucket_outlives_its_connections(void **state)
{
    const struct limits limits = limits_default();
    struct http_account account;
    (void)state;
    account_init(&account, &limits, 100, NULL);
    struct peer *peer = peer_at(&account, "10.0.0.1");
    account_ref(peer);
    peer->resets.level = 1;
    account_unref(peer, 5000);
    account_look(&account, 14999);
    assert_int_equal(account.peers.count, 1);
    assert_ptr_equal(peer_at(&account, "10.0.0.1"), peer);
    account_look(&account, 15000);
    assert_int_equal(account.peers.count, 0);
    account_done(&account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_stranger_of_a_peer_has_to_go),
        cmocka_unit_test(known_clients_have_their_own_memory),
        cmocka_unit_test(silent_strangers_make_room_for_newcomers),
        cmocka_unit_test(calls_of_strangers_have_a_bound),
        cmocka_unit_test(pinned_bytes_close_nobody),
        cmocka_unit_test(the_first_head_has_its_time_from_the_beginning),
        cmocka_unit_test(peers_are_addresses_or_networks),
        cmocka_unit_test(a_bucket_outlives_its_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
