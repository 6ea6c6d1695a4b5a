/* The common part of tests of several nodes on one store. */
#ifndef TESTS_STORE_NODE_FIXTURE_H
#define TESTS_STORE_NODE_FIXTURE_H

#include "fixture.h"

#include "store/nodes.h"

static inline struct store *join_node(struct fixture *f)
{
    assert_non_null(f->join);
    struct store *store = f->join(f);
    assert_true(store_is_shared(store));
    return store;
}

/* A transaction of that node with one changeset. After a failure it is rolled back. */
static inline enum status put_by(struct fixture *f, struct store *store, struct changeset changeset)
{
    enum status status = store_begin(store, &f->err);
    if (status != ST_OK) return status;
    status = store_apply(store, &changeset, &f->err);
    if (status == ST_OK) status = store_commit(store, &f->err);
    if (status != ST_OK) store_rollback(store);
    return status;
}

static inline void heartbeat_of(struct fixture *f, struct store *store, struct node_row row[NODES_MAX],
                                size_t *ret_count)
{
    int64_t generation;
    assert_ok(f, store_heartbeat(store, row, ret_count, &generation, &f->err));
}

static inline const struct node_row *find_node(const struct node_row *row, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (row[i].id == id) return &row[i];
    return NULL;
}

static inline int64_t generation_of(struct fixture *f, struct store *store)
{
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation;
    assert_ok(f, store_heartbeat(store, row, &count, &generation, &f->err));
    return generation;
}

/* The definitions begin a generation each, and all nodes know it. */
static inline void prepare(struct fixture *f, struct store *other)
{
    put_row(f, 1, "order", 1, 0, 5);
    put_row(f, 2, "urgent", 1, 0, 9);
    if (other) store_set_generation(other, generation_of(f, other));
}

static inline struct job_row a_job(uint64_t instance, uint32_t number, const char *queue, int32_t priority,
                                   int64_t available_ms)
{
    return (struct job_row){ .instance = instance,
                             .number = number,
                             .queue = str_of(queue),
                             .priority = priority,
                             .available_ms = available_ms };
}

/* A new instance with one job that any node may claim. */
static inline void put_offered(struct fixture *f, struct job_row job)
{
    struct instance_row row = an_instance(job.instance, 1, INSTANCE_ACTIVE);
    put(f, (struct changeset){
               .instance = &row, .insert = true, .history = STR("h1"), .job_add = &job, .job_add_count = 1 });
}

struct claims {
    struct job_row *row;
    struct instance_row *instance;
    size_t count;
};

static inline struct claims claim(struct fixture *f, struct store *store, const char *queue, size_t max,
                                  int64_t now_ms)
{
    struct claims claims;
    struct job_claim wanted = { str_of(queue), max };
    assert_ok(f, store_claim_jobs(store, &wanted, 1, now_ms, &f->arena, &claims.row, &claims.instance,
                                  &claims.count, &f->err));
    return claims;
}

static inline struct job_row find_job(struct fixture *f, struct store *store, uint64_t instance,
                                      uint32_t number)
{
    struct job_row row;
    assert_ok(f, found_needed(store_find_job(store, instance, number, &f->arena, &row, &f->err)));
    return row;
}

static inline bool has_job_row(struct fixture *f, uint64_t instance, uint32_t number)
{
    struct job_row row;
    enum status status = found_needed(store_find_job(f->store, instance, number, &f->arena, &row, &f->err));
    assert_true(status == ST_OK || status == ST_NOT_FOUND);
    return status == ST_OK;
}

/* ---- news ---- */

struct heard {
    str *text;
    size_t count;
    bool lost;
};

static inline struct heard hear_by(struct fixture *f, struct store *store)
{
    struct heard heard;
    assert_ok(f, store_news_read(store, &f->arena, &heard.text, &heard.count, &heard.lost, &f->err));
    return heard;
}

static inline void tell_by(struct fixture *f, struct store *store, str text)
{
    assert_ok(f, store_begin(store, &f->err));
    assert_ok(f, store_news_write(store, text, &f->err));
    assert_ok(f, store_commit(store, &f->err));
}

#endif
