/* tests/unit/runtime/pair_driver.h — two engines on one store, for tests that drive both. */
#ifndef TESTS_RUNTIME_PAIR_DRIVER_H
#define TESTS_RUNTIME_PAIR_DRIVER_H

#include "driver.h"

#include "store/nodes.h"

/* Each is a driver of its own. The rows are those of `first`. */
struct pair {
    struct store *first;
    struct driver node[2];
    size_t count; /* How many are open. */
};

static inline void join(struct pair *pair)
{
    struct driver *driver = &pair->node[pair->count];
    struct error err;
    assert_int_equal(store_join_memory(pair->first, &driver->store, &err), ST_OK);
    driver->now_ms = pair->node[0].now_ms;
    driver_open(driver);
    pair->count++;
}

static inline void leave(struct pair *pair)
{
    struct driver *driver = &pair->node[--pair->count];
    driver_close(driver);
    store_close(driver->store);
}

static inline int setup(void **state)
{
    struct pair *pair = calloc(1, sizeof *pair);
    struct error err;
    assert_int_equal(store_open_memory(&pair->first, &err), ST_OK);
    pair->node[0].now_ms = 1767225600000;
    for (size_t i = 0; i < COUNT(pair->node); i++) {
        pair->node[i].limits = limits_default();
        arena_init(&pair->node[i].arena, 0);
        join(pair);
    }
    *state = pair;
    return 0;
}

static inline int teardown(void **state)
{
    struct pair *pair = *state;
    while (pair->count) leave(pair);
    for (size_t i = 0; i < COUNT(pair->node); i++) arena_done(&pair->node[i].arena);
    store_close(pair->first);
    free(pair);
    return 0;
}

/* Both have their heartbeats. */
static inline void advance(struct pair *pair, int64_t ms)
{
    enum { STEP_MS = 100 };
    for (; ms > 0; ms -= STEP_MS)
        for (size_t i = 0; i < pair->count; i++) driver_advance(&pair->node[i], STEP_MS);
}

#endif
