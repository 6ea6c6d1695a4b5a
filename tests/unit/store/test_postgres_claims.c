/* PostgreSQL: jobs that several nodes claim, and claims whose answers are lost. */
#include "postgres_ask.h"

#include "store/postgres/nodes_int.h"

#include <pthread.h>

/* ---- claims at the same time ---- */

enum { JOBS = 2000, CLAIMED_AT_ONCE = 64 };

struct claimer {
    struct store *store;
    struct arena arena;
    struct error err;
    uint8_t times[JOBS + 1]; /* By instance. */
    size_t count;
    enum status status;
};

static void *claim_all(void *context)
{
    struct claimer *claimer = context;
    const struct job_claim wanted = { STR("pay"), CLAIMED_AT_ONCE };
    struct job_row *row;
    struct instance_row *instance;
    size_t count;
    do {
        claimer->status = store_claim_jobs(claimer->store, &wanted, 1, JOBS, &claimer->arena, &row, &instance,
                                           &count, &claimer->err);
        if (claimer->status != ST_OK) break;
        for (size_t i = 0; i < count; i++) claimer->times[row[i].instance]++;
        claimer->count += count;
    } while (count);
    return NULL;
}

static void two_nodes_that_claim_at_the_same_time_share_the_jobs(void **state)
{
    struct fixture *f = *state;
    static struct claimer claimer[2];
    pthread_t thread[2];
    put_definition(f, 1, "order", 1);
    execute("INSERT INTO instance(id, definition, created, ended, ns, revision, phase, key, state)"
            " SELECT n, 1, 1, NULL, 1, 1, 1, NULL, 'state' FROM generate_series(1, 2000) n;"
            "INSERT INTO job(instance, number, available, priority, delivery, queue)"
            " SELECT n, 1, n, n % 11, 0, 'pay' FROM generate_series(1, 2000) n");
    claimer[0].store = f->store;
    claimer[1].store = join_node(f);
    for (size_t i = 0; i < 2; i++) {
        arena_init(&claimer[i].arena, 0);
        assert_int_equal(pthread_create(&thread[i], NULL, claim_all, &claimer[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        arena_done(&claimer[i].arena);
        if (claimer[i].status != ST_OK) fail_msg("%s", claimer[i].err.message);
    }
    for (size_t i = 1; i <= JOBS; i++) assert_int_equal(claimer[0].times[i] + claimer[1].times[i], 1);
    assert_true(claimer[0].count > 0 && claimer[1].count > 0);
    store_close(claimer[1].store);
}

/* Nobody would know of these jobs any more, and no other node may have them. */
static void a_claim_whose_answer_is_lost_is_given_back(void **state)
{
    struct fixture *f = *state;
    struct postgres_store *store = postgres_self(f->store);
    struct node_row row[NODES_MAX];
    size_t count;
    prepare(f, NULL);
    for (uint64_t i = 1; i <= 3; i++) put_offered(f, a_job(i, 1, "pay", 5, 100 * (int64_t)i));
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    store->lost_claim = store->claim;
    struct claims claims = claim(f, f->store, "pay", 10, 1000);
    assert_int_equal(claims.count, 2);
    assert_int_equal(claims.row[0].instance, 2);
    assert_int_equal(claims.row[0].delivery, 0);
    assert_int_equal(claims.row[1].instance, 3);

    /* One that arrives late at the server claims nothing. */
    store->epoch--;
    struct job_claim wanted = { STR("pay"), 1 };
    assert_int_equal(store_claim_jobs(f->store, &wanted, 1, 1000, &f->arena, &claims.row, &claims.instance,
                                      &claims.count, &f->err),
                     ST_AGAIN);
    store->epoch++;
    heartbeat_of(f, f->store, row, &count);
}

/* The node asks what it has claimed before it claims again. What it is told it may hand out. */
static void a_lost_claim_is_given_back_before_the_node_is_told_of_it(void **state)
{
    struct fixture *f = *state;
    struct postgres_store *store = postgres_self(f->store);
    struct store *second = join_node(f);
    struct claims claims;
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    store->lost_claim = store->claim;
    assert_ok(f, store_claimed_jobs(f->store, NULL, 10, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_int_equal(claims.count, 0);
    assert_int_equal(claim(f, second, "pay", 1, 1000).count, 1);
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 0);
    assert_int_equal(find_job(f, f->store, 1, 1).claimed, store_node(second));
    store_close(second);
}

/* The epoch is not durable: a crash of the server may set it back. */
static void a_node_whose_epoch_is_lost_claims_again(void **state)
{
    struct fixture *f = *state;
    struct postgres_store *store = postgres_self(f->store);
    struct job_claim wanted = { STR("pay"), 1 };
    struct claims claims;
    prepare(f, NULL);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    store->lost_claim = 1;
    assert_int_equal(claim(f, f->store, "other", 1, 1000).count, 0);
    execute("UPDATE node SET epoch = epoch - 1");
    assert_int_equal(store_claim_jobs(f->store, &wanted, 1, 1000, &f->arena, &claims.row, &claims.instance,
                                      &claims.count, &f->err),
                     ST_AGAIN);
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    int64_t epoch = store->epoch;
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 0);
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 0);
    assert_int_equal(store->epoch, epoch); /* That a claim finds nothing is no reason for a new one. */
}

static void assert_durable(void)
{
    assert_int_equal(ask("SELECT (pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn())::int"), 1);
}

/* After them the node forgets what it knew: a crash of the server must not undo them. */
static void statements_that_nothing_repeats_are_durable(void **state)
{
    struct fixture *f = *state;
    size_t freed;
    prepare(f, NULL);
    execute("ALTER SYSTEM SET wal_writer_delay = '10s'");
    execute("SELECT pg_reload_conf()");
    struct job_row row = a_job(1, 2, "pay", 5, 100);
    put_offered(f, a_job(1, 1, "other", 5, 100));
    assert_ok(f, store_offer_new(f->store, &row, 1, &f->err));
    assert_durable();
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    assert_ok(f, store_offer_jobs(f->store, &row, 1, 1000, &f->err));
    assert_durable();
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    assert_ok(f, store_free_claims(f->store, store_node(f->store), &freed, &f->err));
    assert_int_equal(freed, 1);
    assert_durable();
    execute("ALTER SYSTEM RESET wal_writer_delay");
    execute("SELECT pg_reload_conf()");
}

static void a_job_whose_instance_is_gone_loses_its_row(void **state)
{
    struct fixture *f = *state;
    prepare(f, NULL);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    execute("DELETE FROM instance");
    assert_int_equal(claim(f, f->store, "pay", 10, 1000).count, 0);
    assert_false(has_job_row(f, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) cmocka_unit_test_setup_teardown(name, setup_postgres, teardown)
        XX(two_nodes_that_claim_at_the_same_time_share_the_jobs),
        XX(a_claim_whose_answer_is_lost_is_given_back),
        XX(a_lost_claim_is_given_back_before_the_node_is_told_of_it),
        XX(a_node_whose_epoch_is_lost_claims_again),
        XX(statements_that_nothing_repeats_are_durable),
        XX(a_job_whose_instance_is_gone_loses_its_row),
#undef XX
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
