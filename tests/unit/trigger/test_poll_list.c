/* The list of polling triggers, from a runtime whose store fails for a while. */
#include "trigger/poll.h"

#include "store/store_int.h"

#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

static const char definition[] =
    "{\"definitionId\":\"d\",\"name\":\"d\",\"triggers\":[{\"id\":\"p\",\"type\":\"poll\","
    "\"pollingInterval\":1,\"pollingUnit\":\"Hours\",\"url\":\"http://127.0.0.1:9/\"}],"
    "\"nodes\":[{\"id\":\"h\",\"type\":\"human_task\",\"config\":{\"title\":\"t\"}}],"
    "\"edges\":[{\"from\":\"p\",\"to\":\"h\"}]}";

/* ---- a store ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    atomic_int reads; /* Of definitions. */
    atomic_bool away;
} faulty;

static enum status read_definition(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err)
{
    atomic_fetch_add(&faulty.reads, 1);
    if (atomic_load(&faulty.away)) return (fail)(err, ST_AGAIN, "store", "it is away");
    return faulty.real->load_definition(store, number, arena, ret_row, err);
}

/* ---- a runtime ---- */

static sem_t woken;

static void wake(void *context) { sem_post(context); }

static struct runtime *open_runtime(struct store *store)
{
    const struct runtime_config config = { .store = store,
                                           .clock = clock_system(),
                                           .limits = limits_default() };
    struct runtime *runtime;
    struct error err;
    if (runtime_new(&config, &runtime, &err) != ST_OK) fail_msg("%s", err.message);
    return runtime;
}

static void close_runtime(struct runtime *runtime)
{
    runtime_drain(runtime);
    runtime_free(runtime);
}

static void deployed(struct call *call) { *(bool *)call->user = true; }

static void deploy(struct runtime *runtime)
{
    const struct runtime_client_config config = { .wake = wake, .wake_context = &woken };
    struct runtime_client *client = runtime_client_new(runtime, &config);
    struct arena arena;
    bool done = false;
    arena_init(&arena, 0);
    struct call *call = call_new(CALL_DEPLOY, &arena, deployed, &done);
    call->ns = NAMESPACE_DEFAULT;
    call->as.deploy.text = str_of(definition);
    assert_int_equal(runtime_submit(client, call), ST_OK);
    while (!done) {
        sem_wait(&woken);
        runtime_deliver(client);
    }
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    arena_done(&arena);
    runtime_client_free(client);
}

/* ---- tests ---- */

static void a_list_that_fails_is_read_again_after_a_pause(void **state)
{
    enum { WHILE_MS = 500, PATIENCE_MS = 20000, STEP_MS = 20 };
    struct store *store;
    struct error err;
    (void)state;
    assert_int_equal(store_open_memory(&store, &err), ST_OK);
    struct runtime *runtime = open_runtime(store);
    deploy(runtime);
    close_runtime(runtime); /* The next one has compiled nothing. */
    faulty.real = store->ops;
    faulty.ops = *store->ops;
    faulty.ops.load_definition = read_definition;
    store->ops = &faulty.ops;
    runtime = open_runtime(store);
    atomic_store(&faulty.away, true);
    atomic_store(&faulty.reads, 0);

    struct polling *polling = poll_new(&(struct poll_config){ .runtime = runtime });
    for (int ms = 0; !atomic_load(&faulty.reads) && ms < PATIENCE_MS; ms += STEP_MS) poll(NULL, 0, STEP_MS);
    poll(NULL, 0, WHILE_MS);
    int before = atomic_load(&faulty.reads);
    assert_int_equal(before, 1);
    atomic_store(&faulty.away, false);
    for (int ms = 0; atomic_load(&faulty.reads) == before && ms < PATIENCE_MS; ms += STEP_MS)
        poll(NULL, 0, STEP_MS);
    assert_int_equal(atomic_load(&faulty.reads), before + 1);

    poll_free(polling);
    close_runtime(runtime);
    store_close(store);
}

int main(void)
{
    sem_init(&woken, 0, 0);
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_list_that_fails_is_read_again_after_a_pause) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
