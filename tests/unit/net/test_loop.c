#include "net/net.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

struct counting {
    struct net_loop *loop;
    struct net_waker *waker;
    int count;
    int enough;
};

static void count(void *context)
{
    struct counting *counting = context;
    if (++counting->count == counting->enough) net_loop_stop(counting->loop);
}

static void *wake(void *context)
{
    net_wake(((struct counting *)context)->waker);
    return NULL;
}

static void any_thread_can_wake_the_loop(void **state)
{
    struct counting counting = { .loop = net_loop_new(), .enough = 1 };
    pthread_t thread;
    (void)state;
    counting.waker = net_waker_new(counting.loop, count, &counting);
    assert_int_equal(pthread_create(&thread, NULL, wake, &counting), 0);
    net_loop_run(counting.loop);
    pthread_join(thread, NULL);
    assert_int_equal(counting.count, 1);
    net_wake(counting.waker); /* A loop that has ended is not disturbed. */
    net_loop_free(counting.loop);
}

static void several_wakes_may_become_one_call(void **state)
{
    struct counting counting = { .loop = net_loop_new(), .enough = 1 };
    (void)state;
    counting.waker = net_waker_new(counting.loop, count, &counting);
    for (int i = 0; i < 1000; i++) net_wake(counting.waker);
    net_loop_run(counting.loop);
    assert_int_equal(counting.count, 1);
    net_loop_free(counting.loop);
}

static void timers_come_again_until_the_loop_stops(void **state)
{
    struct counting counting = { .loop = net_loop_new(), .enough = 3 };
    (void)state;
    net_every(counting.loop, 1, count, &counting);
    net_loop_run(counting.loop);
    assert_int_equal(counting.count, 3);
    net_loop_free(counting.loop);
}

static void signals_become_calls(void **state)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct counting counting = { .loop = net_loop_new(), .enough = 1 };
        net_on_signal(counting.loop, count, &counting);
        kill(getpid(), numbers[i]);
        net_loop_run(counting.loop);
        assert_int_equal(counting.count, 1);
        net_loop_free(counting.loop);
    }
}

static void a_loop_that_never_ran_is_freed(void **state)
{
    struct counting counting = { .loop = net_loop_new() };
    (void)state;
    net_waker_new(counting.loop, count, &counting);
    net_every(counting.loop, 1000, count, &counting);
    net_loop_free(counting.loop);
    net_loop_free(NULL);
    assert_int_equal(counting.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_thread_can_wake_the_loop),
        cmocka_unit_test(several_wakes_may_become_one_call),
        cmocka_unit_test(timers_come_again_until_the_loop_stops),
        cmocka_unit_test(signals_become_calls),
        cmocka_unit_test(a_loop_that_never_ran_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
