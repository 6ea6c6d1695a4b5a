/* Several threads submit at once, each with a client of its own. Every answer comes back exactly once, and to
 * the thread that asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, which has a fail() of its own. */
#include "documents.h"
#include "runtime/runtime.h"

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { PATIENCE_S = 60, THREADS = 2, CALLS = 300, BURST = 7 };

struct rig {
    struct store *store;
    struct runtime *runtime;
};

/* A thread with its client. cmocka's assertions are for the test's thread: others only count. */
struct party {
    struct rig *rig;
    struct runtime_client *client;
    pthread_t thread, self; /* `self` is set by the thread itself. */
    bool gathers;
    sem_t woken;
    struct arena arena[CALLS];
    struct call *call[CALLS];
    unsigned answers[CALLS]; /* How often each call was answered. */
    size_t done, failed, foreign, refused;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error err;
    assert_int_equal(store_open_memory(&rig->store, &err), ST_OK);
    const struct runtime_config config = { .store = rig->store,
                                           .clock = clock_system(),
                                           .limits = limits_default() };
    assert_int_equal(runtime_new(&config, &rig->runtime, &err), ST_OK);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    runtime_free(rig->runtime);
    store_close(rig->store);
    free(rig);
    return 0;
}

static void wake(void *context) { sem_post(&((struct party *)context)->woken); }

static struct party *party_new(struct rig *rig, bool gathers)
{
    struct party *party = calloc(1, sizeof *party);
    party->rig = rig;
    party->gathers = gathers;
    sem_init(&party->woken, 0, 0);
    for (size_t i = 0; i < CALLS; i++) arena_init(&party->arena[i], 0);
    party->client = runtime_client_new(
        rig->runtime,
        &(struct runtime_client_config){ .gathers = gathers, .wake = wake, .wake_context = party });
    return party;
}

static void party_free(struct party *party)
{
    runtime_client_free(party->client);
    for (size_t i = 0; i < CALLS; i++) arena_done(&party->arena[i]);
    sem_destroy(&party->woken);
    free(party);
}

static void answered(struct call *call)
{
    struct party *party = call->user;
    size_t i = 0;
    while (i < CALLS && party->call[i] != call) i++;
    party->done++;
    if (call->status != ST_OK) party->failed++;
    if (i < CALLS) party->answers[i]++;
    if (i == CALLS || !pthread_equal(party->self, pthread_self())) party->foreign++;
}

static struct call_origin origin(struct party *party, size_t i)
{
    return (struct call_origin){ .arena = &party->arena[i], .done = answered, .user = party };
}

static void submit(struct party *party, size_t i, struct call *call)
{
    party->call[i] = call;
    while (runtime_submit(party->client, call) != ST_OK) party->refused++;
}

/* Delivers until so many calls have been answered, or patience ends. */
static void await(struct party *party, size_t done)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    while (party->done < done) {
        while (sem_timedwait(&party->woken, &until) != 0)
            if (errno != EINTR) return;
        runtime_deliver(party->client);
    }
}

static struct party *deployed(struct rig *rig)
{
    struct party *party = party_new(rig, false);
    party->self = pthread_self();
    submit(party, 0,
           call_deploy(origin(party, 0),
                       &(struct call_deploy){ .text = str_of(document("runtime/clients", "work")) }));
    await(party, 1);
    assert_int_equal(party->failed, 0);
    return party;
}

/* Starts instances, alone and in bursts, and reads each of them back: the engine's and the query's thread. */
static void *start_and_read(void *context)
{
    struct party *party = context;
    party->self = pthread_self();
    for (size_t i = 0; i < CALLS; i += 2) {
        submit(party, i, call_start(origin(party, i), &(struct call_start){ .definition_id = STR("work") }));
        if (party->gathers && i % BURST == 0) runtime_flush(party->client);
        submit(party, i + 1,
               call_list_instances(origin(party, i + 1),
                                   &(struct call_instances){
                                       .filter = { .ns = NAMESPACE_DEFAULT, .status = -1, .max = 1 } }));
        if (i % 50 == 0) runtime_deliver(party->client);
    }
    if (party->gathers) runtime_flush(party->client);
    await(party, CALLS);
    return NULL;
}

static void each_thread_gets_its_own_answers_exactly_once(void **state)
{
    struct rig *rig = *state;
    struct party *first = deployed(rig), *party[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        party[t] = party_new(rig, t == 0);
        assert_int_equal(pthread_create(&party[t]->thread, NULL, start_and_read, party[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(party[t]->thread, NULL);
        assert_int_equal(party[t]->done, CALLS);
        assert_int_equal(party[t]->failed, 0);
        assert_int_equal(party[t]->foreign, 0);
        for (size_t i = 0; i < CALLS; i++) assert_int_equal(party[t]->answers[i], 1);
    }
    assert_true(runtime_idle(rig->runtime));
    assert_int_equal(metric_get(&runtime_metrics(rig->runtime)->instances_started), THREADS * CALLS / 2);
    for (size_t t = 0; t < THREADS; t++) party_free(party[t]);
    party_free(first);
}

/* A call that one client makes may answer a call of another: the job goes to the poll that waited. */
static void a_call_of_one_client_may_answer_another_clients(void **state)
{
    struct rig *rig = *state;
    struct party *worker = deployed(rig), *client = party_new(rig, true);
    client->self = pthread_self();
    const str type = STR("job");
    for (size_t round = 1; round <= 20; round++) { /* Later ones come alone, and run on this thread. */
        struct call_poll poll = {
            .worker = STR("w"), .type = &type, .type_count = 1, .max = 1, .wait_ms = PATIENCE_S * 1000
        };
        submit(worker, round, call_poll_jobs(origin(worker, round), &poll));
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
        submit(client, round,
               call_start(origin(client, round), &(struct call_start){ .definition_id = STR("work") }));
        runtime_flush(client->client);
        await(client, round);
        await(worker, round + 1);
        assert_int_equal(worker->call[round]->value.jobs.count, 1);
        assert_int_equal(worker->call[round]->value.jobs.view[0].instance,
                         client->call[round]->value.instances.view->id);
    }
    assert_int_equal(worker->failed + worker->foreign + client->failed + client->foreign, 0);
    party_free(client);
    party_free(worker);
}

static void a_client_that_leaves_is_waited_for(void **state)
{
    struct rig *rig = *state;
    struct party *stays = deployed(rig), *leaves = party_new(rig, true);
    leaves->self = pthread_self();
    const str type = STR("nothing");
    struct call_poll poll = {
        .worker = STR("w"), .type = &type, .type_count = 1, .max = 1, .wait_ms = PATIENCE_S * 1000
    };
    submit(leaves, 0, call_poll_jobs(origin(leaves, 0), &poll));
    submit(leaves, 1, call_start(origin(leaves, 1), &(struct call_start){ .definition_id = STR("work") }));
    runtime_flush(leaves->client);
    runtime_abandon(leaves->client, leaves->call[0]);
    runtime_client_free(leaves->client);
    leaves->client = NULL;
    assert_int_equal(leaves->done, 2);
    party_free(leaves);

    submit(stays, 1, call_start(origin(stays, 1), &(struct call_start){ .definition_id = STR("work") }));
    await(stays, 2);
    assert_int_equal(stays->failed, 0);
    party_free(stays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_thread_gets_its_own_answers_exactly_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_of_one_client_may_answer_another_clients, setup, teardown),
        cmocka_unit_test_setup_teardown(a_client_that_leaves_is_waited_for, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
