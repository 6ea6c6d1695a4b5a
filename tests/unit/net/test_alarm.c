/* Deadlines of requests go off in their order, once, and not after they were taken back. */
#include "live.h"

#include "base/clock.h"
#include "net/protocol_int.h"

enum { REQUESTS = 500 };

static struct {
    int64_t last_us;
    size_t count;
} fired;

static void on_deadline(void *user)
{
    struct exchange *exchange = user;
    assert_true(exchange->deadline_us >= fired.last_us);
    assert_true(exchange->deadline_us <= clock_monotonic_us());
    fired.last_us = exchange->deadline_us;
    fired.count++;
}

static void refuse_all(struct http_request *request, void *context)
{
    (void)request;
    (void)context;
}

static void run_until(struct net_loop *loop, size_t count)
{
    for (int i = 0; fired.count < count; i++) {
        assert_true(i < PATIENCE_S * 1000);
        uv_run(net_loop_uv(loop), UV_RUN_NOWAIT);
        usleep(1000);
    }
}

static void deadlines_go_off_in_order(void **state)
{
    (void)state;
    struct net_loop *loop = net_loop_new();
    struct http_server *server;
    struct error err;
    const struct http_server_config config = { .host = { "127.0.0.1", 9 },
                                               .limits = limits_default(),
                                               .handler = refuse_all };
    assert_int_equal(http_server_open(loop, &config, &server, &err), ST_OK);
    struct exchange *exchange[REQUESTS];
    int64_t now = clock_monotonic_us();
    for (size_t i = 0; i < REQUESTS; i++) {
        exchange[i] = exchange_new(server, NULL);
        exchange[i]->request.user = exchange[i];
        /* 0 to 20 ms from now, in no order; the second word counts. */
        http_set_deadline(&exchange[i]->request, now + INT64_C(3600000000), on_deadline);
        http_set_deadline(&exchange[i]->request, now + (int64_t)(i * 7919 % REQUESTS) * 40, on_deadline);
    }
    for (size_t i = 0; i < REQUESTS; i += 3) http_set_deadline(&exchange[i]->request, 0, NULL);
    for (size_t i = 1; i < REQUESTS; i += 3) exchange_release(exchange[i]);
    size_t left = server->deadline_count;
    assert_int_equal(left, REQUESTS / 3);
    run_until(loop, left);
    assert_int_equal(server->deadline_count, 0);

    /* The timer is set again for one that comes later, and for one that comes before it. */
    now = clock_monotonic_us();
    fired.last_us = 0;
    fired.count = 0;
    http_set_deadline(&exchange[0]->request, now + 30000, on_deadline);
    http_set_deadline(&exchange[2]->request, now + 1000, on_deadline);
    http_set_deadline(&exchange[3]->request, now + INT64_C(3600000000), on_deadline);
    run_until(loop, 2);
    uv_run(net_loop_uv(loop), UV_RUN_NOWAIT);
    assert_int_equal(fired.count, 2);
    http_server_free(server);
    net_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(deadlines_go_off_in_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
