#include "net/net.h"

#include "base/clock.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>

/* A piece of work that waits until the test lets it go on. */
struct piece {
    struct net_work work;
    struct net_loop *loop;
    pthread_t ran_on;
    sem_t begun, let_go;
    int *done_count;
    int enough; /* The loop stops when so many are done. */
    bool ran, done;
};

static void run(void *context)
{
    struct piece *piece = context;
    piece->ran_on = pthread_self();
    piece->ran = true;
    sem_post(&piece->begun);
    sem_wait(&piece->let_go);
}

static void done(void *context)
{
    struct piece *piece = context;
    piece->done = true;
    if (++*piece->done_count == piece->enough) net_loop_stop(piece->loop);
}

static void prepare(struct piece *piece, struct net_loop *loop, int *done_count, int enough)
{
    memset(piece, 0, sizeof *piece);
    piece->work = (struct net_work){ .run = run, .done = done, .context = piece };
    piece->loop = loop;
    piece->done_count = done_count;
    piece->enough = enough;
    sem_init(&piece->begun, 0, 0);
    sem_init(&piece->let_go, 0, 0);
}

static void work_runs_on_another_thread_and_is_done_on_the_loops(void **state)
{
    struct net_loop *loop = net_loop_new();
    struct piece piece[5];
    int count = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        prepare(&piece[i], loop, &count, 5);
        sem_post(&piece[i].let_go);
        net_work(loop, &piece[i].work);
    }
    net_loop_run(loop);
    assert_int_equal(count, 5);
    for (int i = 0; i < 5; i++) assert_false(pthread_equal(piece[i].ran_on, pthread_self()));
    net_loop_free(loop);
}

static void the_same_work_can_be_done_again(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct net_loop *loop = net_loop_new();
        struct piece piece;
        int count = 0;
        (void)state;
        prepare(&piece, loop, &count, 1);
        sem_post(&piece.let_go);
        net_work(loop, &piece.work);
        net_loop_run(loop);
        net_work_cancel(&piece.work); /* It is done: nothing happens. */
        assert_int_equal(count, 1);
        net_loop_free(loop);
    }
}

/* Both threads are busy, so the third piece waits. */
static void work_that_waits_can_be_taken_back_and_work_that_runs_cannot(void **state)
{
    struct net_loop *loop = net_loop_new();
    struct piece piece[3];
    int count = 0;
    (void)state;
    for (int i = 0; i < 3; i++) prepare(&piece[i], loop, &count, 2);
    for (int i = 0; i < 3; i++) {
        net_work(loop, &piece[i].work);
        if (i < 2) sem_wait(&piece[i].begun);
    }
    assert_false(net_work_withdraw(&piece[0].work));
    assert_true(net_work_withdraw(&piece[2].work));
    sem_post(&piece[0].let_go);
    sem_post(&piece[1].let_go);
    net_loop_run(loop);
    assert_true(piece[0].done && piece[1].done);
    assert_false(piece[2].ran || piece[2].done);
    net_loop_free(loop);
}

static void *let_go(void *context)
{
    sem_post(&((struct piece *)context)->let_go);
    return NULL;
}

static void cancelling_waits_for_work_that_runs(void **state)
{
    struct net_loop *loop = net_loop_new();
    struct piece piece;
    pthread_t thread;
    int count = 0;
    (void)state;
    prepare(&piece, loop, &count, 1);
    net_work_cancel(&piece.work); /* It was never begun. */
    net_work(loop, &piece.work);
    sem_wait(&piece.begun);
    net_loop_stop(loop); /* Also behind the loop's end. */
    assert_int_equal(pthread_create(&thread, NULL, let_go, &piece), 0);
    net_work_cancel(&piece.work);
    pthread_join(thread, NULL);
    memset(&piece, 0xee, sizeof piece); /* Nobody looks at it any more. */
    assert_int_equal(count, 0);
    net_loop_free(loop);
}

static void a_loop_is_freed_with_work_under_way(void **state)
{
    struct net_loop *loop = net_loop_new();
    struct piece piece[4];
    int count = 0;
    (void)state;
    for (int i = 0; i < 4; i++) prepare(&piece[i], loop, &count, 4);
    for (int i = 0; i < 4; i++) net_work(loop, &piece[i].work);
    for (int i = 0; i < 4; i++) sem_post(&piece[i].let_go);
    net_loop_free(loop);
    assert_int_equal(count, 0);
}

static void nothing(void *context) { (void)context; }

enum { BUSY_US = 60 * 1000, ROUNDS = 3 };

struct rounds {
    struct net_loop *loop;
    int count;
};

/* Holds up the loop once. */
static void be_busy(void *context)
{
    struct rounds *rounds = context;
    int64_t until_us = clock_monotonic_us() + BUSY_US;
    if (++rounds->count == ROUNDS) net_loop_stop(rounds->loop);
    while (rounds->count == 2 && clock_monotonic_us() < until_us) continue;
}

static void rounds_that_take_long_are_counted(void **state)
{
    struct rounds rounds = { .loop = net_loop_new() };
    (void)state;
    net_each_round(rounds.loop, nothing, NULL);
    net_every(rounds.loop, 1, be_busy, &rounds);
    net_loop_run(rounds.loop);
    const struct net_load load = net_loop_load(rounds.loop);
    assert_true(load.stalls >= 1 && load.longest_us >= BUSY_US);
    net_loop_free(rounds.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_runs_on_another_thread_and_is_done_on_the_loops),
        cmocka_unit_test(the_same_work_can_be_done_again),
        cmocka_unit_test(work_that_waits_can_be_taken_back_and_work_that_runs_cannot),
        cmocka_unit_test(cancelling_waits_for_work_that_runs),
        cmocka_unit_test(a_loop_is_freed_with_work_under_way),
        cmocka_unit_test(rounds_that_take_long_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
