/* The common part of the store's tests: a store to use up, and rows to put into it. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct store *store;
    struct store_reader *reader;
    struct arena arena;
    struct error err;
    char dir[64];
    char path[96];                                  /* Empty: the store is in memory. */
    struct store *(*join)(struct fixture *fixture); /* Opens another node on the same rows. */
};

#define assert_ok(fixture, call)                                                                           \
    do {                                                                                                   \
        enum status status_ = (call);                                                                      \
        if (status_ != ST_OK) fail_msg("%s: %s: %s", #call, (fixture)->err.where, (fixture)->err.message); \
    } while (0)

#define assert_str_equal(got, want)                                 \
    do {                                                            \
        str got_ = (got), want_ = (want);                           \
        assert_int_equal(got_.n, want_.n);                          \
        if (want_.n) assert_memory_equal(got_.p, want_.p, want_.n); \
    } while (0)

/* ---- a store ---- */

static inline void open_sqlite(struct fixture *fixture)
{
    struct store_config config = { .path = fixture->path, .create = true };
    assert_ok(fixture, store_open(&config, &fixture->store, &fixture->err));
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
}

static inline void close_store(struct fixture *fixture)
{
    store_reader_close(fixture->reader);
    store_close(fixture->store);
    fixture->reader = NULL;
    fixture->store = NULL;
}

static inline struct fixture *new_fixture(void)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    arena_init(&fixture->arena, 0);
    return fixture;
}

static inline void make_directory(struct fixture *fixture)
{
    const char *base = getenv("TMPDIR");
    snprintf(fixture->dir, sizeof fixture->dir, "%.40s/pawl-store-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(fixture->dir));
    snprintf(fixture->path, sizeof fixture->path, "%s/store.db", fixture->dir);
}

static inline int setup_memory(void **state)
{
    struct fixture *fixture = new_fixture();
    assert_ok(fixture, store_open_memory(&fixture->store, &fixture->err));
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

/* Only a directory and a path: the test opens by itself. */
static inline int setup_directory(void **state)
{
    struct fixture *fixture = new_fixture();
    make_directory(fixture);
    *state = fixture;
    return 0;
}

static inline int setup_sqlite(void **state)
{
    setup_directory(state);
    open_sqlite(*state);
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    close_store(fixture);
    arena_done(&fixture->arena);
    if (fixture->dir[0]) {
        static const char *const names[] = { "",      "-wal",      "-shm",      "-journal", ".lock",
                                             ".copy", ".copy-wal", ".copy-shm", ".reserve" };
        for (size_t i = 0; i < COUNT(names); i++) {
            char name[128];
            snprintf(name, sizeof name, "%s%s", fixture->path, names[i]);
            unlink(name);
        }
        rmdir(fixture->dir);
    }
    free(fixture);
    return 0;
}

/* ---- rows ---- */

static inline void begin(struct fixture *fixture)
{
    assert_ok(fixture, store_begin(fixture->store, &fixture->err));
}
static inline void commit(struct fixture *fixture)
{
    assert_ok(fixture, store_commit(fixture->store, &fixture->err));
}

/* Inside the open transaction; gives the history row's id. */
static inline int64_t apply(struct fixture *fixture, struct changeset changeset)
{
    assert_ok(fixture, store_apply(fixture->store, &changeset, &fixture->err));
    return changeset.ret_last_history;
}

/* In a transaction of its own. */
static inline int64_t put(struct fixture *fixture, struct changeset changeset)
{
    begin(fixture);
    int64_t last = apply(fixture, changeset);
    commit(fixture);
    return last;
}

static inline void put_row(struct fixture *fixture, int64_t number, const char *id, int32_t version,
                           int64_t rank, int32_t priority)
{
    struct definition_row row = {
        .number = number,
        .ns = NAMESPACE_DEFAULT,
        .id = str_of(id),
        .version = version,
        .rank = rank,
        .priority = priority,
        .dialect = STR("steps"),
        .title = arena_printf(&fixture->arena, "Title of %s", id),
        .author = STR("ada"),
        .source = arena_printf(&fixture->arena, "{\"id\":\"%s\"}", id),
        .content = UINT64_C(0xf000000000000000) + (uint64_t)number,
        .created_ms = 1000 + number,
    };
    put(fixture, (struct changeset){ .definition = &row });
}

static inline void put_ranked(struct fixture *fixture, int64_t number, const char *id, int32_t version,
                              int64_t rank)
{
    put_row(fixture, number, id, version, rank, 5);
}

static inline void put_definition(struct fixture *fixture, int64_t number, const char *id, int32_t version)
{
    put_ranked(fixture, number, id, version, 0);
}

static inline struct instance_row an_instance(uint64_t id, int64_t definition, enum instance_status status)
{
    bool ended = instance_status_ended(status);
    return (struct instance_row){
        .id = id,
        .ns = NAMESPACE_DEFAULT,
        .definition = definition,
        .status = status,
        .has_jobs = status == INSTANCE_ACTIVE,
        .created_ms = 5000 + (int64_t)id,
        .ended_ms = ended ? 9000 + (int64_t)id : 0,
        .state = STR("state"),
    };
}

static inline void put_instance(struct fixture *fixture, const struct instance_row *row)
{
    put(fixture, (struct changeset){
                     .instance = row, .insert = true, .history = STR("h1"), .at_ms = row->created_ms });
}

static inline void update_instance(struct fixture *fixture, const struct instance_row *row,
                                   const char *history)
{
    put(fixture,
        (struct changeset){ .instance = row, .history = str_of(history), .at_ms = row->created_ms + 1 });
}

static inline struct instance_row load_instance(struct fixture *fixture, uint64_t id)
{
    struct instance_row row;
    assert_ok(fixture, found_needed(store_load_instance(fixture->store, TENANT_ANY, id, &fixture->arena, &row,
                                                        &fixture->err)));
    return row;
}

/* True if a reader sees the instance. */
static inline bool reader_sees(struct fixture *fixture, uint64_t id)
{
    struct instance_row row;
    enum status status =
        found_needed(reader_instance(fixture->reader, TENANT_ANY, id, &fixture->arena, &row, &fixture->err));
    assert_true(status == ST_OK || status == ST_NOT_FOUND);
    return status == ST_OK;
}

/* Numbers for new rows. */
static inline struct store_numbers take_numbers(struct fixture *fixture)
{
    struct store_numbers numbers = { 0 };
    assert_ok(fixture, store_take_numbers(fixture->store, &numbers, &fixture->err));
    assert_true(numbers.instance < numbers.instance_end && numbers.definition < numbers.definition_end);
    return numbers;
}

#endif
