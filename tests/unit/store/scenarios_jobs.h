/* Scenarios of jobs that nodes of one store offer and claim (store/nodes.h). */
#include "scenarios_nodes.h"

static void a_held_job_is_found_by_its_holder(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    for (uint64_t id = 1; id <= 5; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_ACTIVE);
        row.holder = id == 3 ? store_node(second) : id == 4 ? 0 : store_node(f->store);
        put_instance(f, &row);
    }
    uint64_t *id;
    size_t count;
    assert_false(has_job_row(f, 1, 1));
    assert_ok(f, store_held_ids(second, store_node(f->store), 0, 2, &f->arena, &id, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(id[0], 1);
    assert_int_equal(id[1], 2);
    assert_ok(f, store_held_ids(second, store_node(f->store), 2, 10, &f->arena, &id, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(id[0], 5);
    assert_int_equal(load_instance(f, 3).holder, store_node(second));
    assert_int_equal(load_instance(f, 4).holder, 0);

    /* Nobody holds anything of it any more. */
    struct instance_row five = an_instance(5, 1, INSTANCE_ACTIVE), before = five;
    before.revision = 1;
    before.holder = store_node(f->store);
    before.last_history = load_instance(f, 5).last_history;
    put(f, (struct changeset){ .instance = &five, .before = &before, .history = STR("h") });
    assert_ok(f, store_held_ids(second, store_node(f->store), 2, 10, &f->arena, &id, &count, &f->err));
    assert_int_equal(count, 0);
    assert_int_equal(load_instance(f, 5).holder, 0);
    store_close(second);
}

static void many_instances_are_loaded_at_once_by_id(void **state)
{
    struct fixture *f = *state;
    prepare(f, NULL);
    for (uint64_t id = 1; id <= 3; id++) {
        struct instance_row row = an_instance(id, id == 2 ? 2 : 1, INSTANCE_ACTIVE);
        row.state = arena_printf(&f->arena, "state %d", (int)id);
        put_instance(f, &row);
    }
    const uint64_t wanted[] = { 3, 77, 1, 2 };
    struct instance_row *row;
    size_t count;
    assert_ok(f, store_load_instances(f->store, wanted, COUNT(wanted), &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) assert_int_equal(row[i].id, i + 1);
    assert_str_equal(row[2].state, STR("state 3"));
    assert_str_equal(row[1].definition_id, STR("urgent"));
    assert_int_equal(row[1].definition_priority, 9);

    /* Inside of a transaction it reads what that has written. */
    struct instance_row four = an_instance(4, 1, INSTANCE_ACTIVE);
    const uint64_t new = 4;
    begin(f);
    apply(f, (struct changeset){ .instance = &four, .insert = true, .history = STR("h") });
    assert_ok(f, store_load_instances(f->store, &new, 1, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 1);
    store_rollback(f->store);
    assert_ok(f, store_load_instances(f->store, &new, 1, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 0);
}

static void rows_of_jobs_come_and_go_with_transactions(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    struct job_row jobs[] = { a_job(1, 1, "pay", 5, 100), a_job(1, 2, "send", 7, 200) };
    begin(f);
    apply(f,
          (struct changeset){
              .instance = &row, .insert = true, .history = STR("h1"), .job_add = jobs, .job_add_count = 2 });
    assert_true(has_job_row(f, 1, 2));
    store_rollback(f->store);
    assert_false(has_job_row(f, 1, 2));
    assert_int_equal(claim(f, second, "send", 10, 1000).count, 0);

    put(f, (struct changeset){
               .instance = &row, .insert = true, .history = STR("h1"), .job_add = jobs, .job_add_count = 2 });
    struct job_row found = find_job(f, second, 1, 2);
    assert_str_equal(found.queue, STR("send"));
    assert_int_equal(found.priority, 7);
    assert_int_equal(found.available_ms, 200);
    assert_int_equal(found.delivery, 0);
    assert_int_equal(found.claimed, 0);
    assert_int_equal(found.lease_ms, 0);

    /* The second one is closed. The first one has a row, and the third has none. */
    jobs[0].number = 3;
    put(f, (struct changeset){ .job_remove = jobs, .job_remove_count = 2 });
    assert_true(has_job_row(f, 1, 1));
    assert_false(has_job_row(f, 1, 2));
    assert_int_equal(claim(f, second, "send", 10, 1000).count, 0);
    store_close(second);
}

static void rows_of_jobs_go_with_their_instance(void **state)
{
    struct fixture *f = *state;
    prepare(f, NULL);
    struct instance_row row = an_instance(1, 1, INSTANCE_COMPLETED);
    struct job_row jobs[] = { a_job(1, 1, "pay", 5, 100), a_job(1, 2, "pay", 5, 100) };
    put(f, (struct changeset){
               .instance = &row, .insert = true, .history = STR("h1"), .job_add = jobs, .job_add_count = 2 });
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    struct purge purge = { .before_ms = INT64_MAX,
                           .failed_before_ms = INT64_MAX,
                           .keys_before_ms = INT64_MIN };
    struct purged purged;
    begin(f);
    assert_ok(f, store_purge(f->store, &purge, 10, &purged, &f->err));
    commit(f);
    assert_int_equal(purged.total, 1);
    assert_false(has_job_row(f, 1, 1));
    assert_false(has_job_row(f, 1, 2));
    assert_int_equal(claim(f, f->store, "pay", 10, 1000).count, 0);
}

static void two_nodes_claim_different_jobs_by_priority_and_age(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 300));
    put_offered(f, a_job(2, 1, "pay", 5, 200));
    put_offered(f, a_job(3, 1, "pay", 9, 900));
    put_offered(f, a_job(4, 1, "pay", 1, 100));
    put_offered(f, a_job(5, 1, "pay", 9, 5000)); /* Later. */
    put_offered(f, a_job(6, 1, "payment", 9, 100));
    struct claims first = claim(f, f->store, "pay", 2, 1000);
    assert_int_equal(first.count, 2);
    assert_int_equal(first.row[0].instance, 3);
    assert_int_equal(first.row[1].instance, 2);
    assert_int_equal(first.row[0].claimed, store_node(f->store));
    assert_str_equal(first.row[0].queue, STR("pay"));
    assert_int_equal(first.instance[0].id, 3);
    assert_int_equal(first.instance[1].id, 2);
    assert_str_equal(first.instance[1].state, STR("state"));
    assert_str_equal(first.instance[1].definition_id, STR("order"));
    assert_int_equal(first.instance[1].definition, 1);
    assert_true(first.instance[1].has_jobs);
    struct claims rest = claim(f, second, "pay", 10, 1000);
    assert_int_equal(rest.count, 2);
    assert_int_equal(rest.row[0].instance, 1);
    assert_int_equal(rest.row[1].instance, 4);
    assert_int_equal(find_job(f, f->store, 4, 1).claimed, store_node(second));
    assert_int_equal(claim(f, f->store, "pay", 10, 1000).count, 0);

    /* Its time has come. */
    struct claims late = claim(f, f->store, "pay", 10, 5000);
    assert_int_equal(late.count, 1);
    assert_int_equal(late.row[0].instance, 5);
    store_close(second);
}

static void jobs_of_several_queues_are_claimed_at_once(void **state)
{
    struct fixture *f = *state;
    prepare(f, NULL);
    for (uint32_t i = 1; i <= 3; i++) put_offered(f, a_job(i, 1, "pay", 5, 100 * i));
    for (uint32_t i = 4; i <= 6; i++) put_offered(f, a_job(i, 1, "send", 5, 100 * i));
    struct job_claim wanted[] = { { STR("send"), 1 }, { STR("nothing"), 5 }, { STR("pay"), 2 } };
    struct claims claims;
    size_t seen = 0;
    assert_ok(f, store_claim_jobs(f->store, wanted, COUNT(wanted), 1000, &f->arena, &claims.row,
                                  &claims.instance, &claims.count, &f->err));
    assert_int_equal(claims.count, 3);
    for (size_t i = 0; i < claims.count; i++) {
        assert_int_equal(claims.instance[i].id, claims.row[i].instance);
        seen |= 1u << claims.row[i].instance;
    }
    assert_int_equal(seen, 1u << 1 | 1u << 2 | 1u << 4);
}

static void a_node_finds_what_it_has_claimed(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    for (uint32_t i = 1; i <= 5; i++) put_offered(f, a_job(i, i, "pay", 5, 100 * i));
    struct claims claims;
    assert_ok(f, store_claimed_jobs(f->store, NULL, 10, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_int_equal(claims.count, 0);
    assert_int_equal(claim(f, f->store, "pay", 2, 1000).count, 2);
    assert_int_equal(claim(f, second, "pay", 1, 1000).count, 1);
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);
    assert_ok(f, store_claimed_jobs(f->store, NULL, 2, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_int_equal(claims.count, 2);
    assert_int_equal(claims.row[0].instance, 1);
    assert_int_equal(claims.row[1].instance, 2);
    assert_int_equal(claims.instance[1].id, 2);
    assert_str_equal(claims.instance[1].state, STR("state"));
    assert_str_equal(claims.row[1].queue, STR("pay"));
    struct job_row last = claims.row[1];
    assert_ok(f, store_claimed_jobs(f->store, &last, 2, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_int_equal(claims.count, 1);
    assert_int_equal(claims.row[0].instance, 4);
    assert_int_equal(claims.row[0].number, 4);
    store_close(second);
}

/* An instance with a state of so many bytes and two jobs. */
static void put_large(struct fixture *f, uint64_t id, size_t bytes)
{
    struct instance_row row = an_instance(id, 1, INSTANCE_ACTIVE);
    struct job_row jobs[] = { a_job(id, 1, "pay", 5, 100 * (int64_t)id), a_job(id, 2, "pay", 5, 5000) };
    char *state = arena_alloc(&f->arena, bytes);
    memset(state, 'a' + (int)id, bytes);
    row.state = (str){ state, bytes };
    put(f, (struct changeset){ .instance = &row,
                               .insert = true,
                               .history = STR("h1"),
                               .job_add = jobs,
                               .job_add_count = COUNT(jobs) });
}

/* All rows name their instances. */
static void assert_states(const struct claims *claims, const size_t *bytes, size_t count)
{
    assert_int_equal(claims->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct instance_row *of = &claims->instance[i];
        assert_int_equal(of->id, claims->row[i].instance);
        assert_int_equal(of->definition, 1);
        assert_int_equal(of->state.n, bytes[i]);
        if (bytes[i]) assert_int_equal(of->state.p[bytes[i] - 1], 'a' + (int)of->id);
    }
}

static void jobs_of_one_instance_come_with_its_state_once(void **state)
{
    struct fixture *f = *state;
    struct claims claims;
    prepare(f, NULL);
    for (uint64_t id = 1; id <= 3; id++) put_large(f, id, 100 * id);
    claims = claim(f, f->store, "pay", 10, 9000); /* First the first ones, then the others. */
    assert_states(&claims, (size_t[]){ 100, 200, 300, 0, 0, 0 }, 6);
    assert_ok(f, store_claimed_jobs(f->store, NULL, 10, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_states(&claims, (size_t[]){ 100, 0, 200, 0, 300, 0 }, 6);
}

static void large_states_are_left_out_of_a_claim(void **state)
{
    enum { MORE = 5 << 20 };
    struct fixture *f = *state;
    struct claims claims;
    prepare(f, NULL);
    put_large(f, 1, MORE);
    put_large(f, 2, CLAIMED_BYTES_MAX - MORE);
    put_large(f, 3, 10);
    put_large(f, 4, CLAIMED_BYTES_MAX + 1);
    claims = claim(f, f->store, "pay", 10, 1000);
    assert_states(&claims, (size_t[]){ MORE, CLAIMED_BYTES_MAX - MORE, 0, 0 }, 4);
    assert_ok(f, store_claimed_jobs(f->store, NULL, 10, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_states(&claims, (size_t[]){ MORE, CLAIMED_BYTES_MAX - MORE, 0, 0 }, 4);

    /* One at least comes, however large. */
    struct job_row last = claims.row[2];
    assert_ok(f, store_claimed_jobs(f->store, &last, 10, &f->arena, &claims.row, &claims.instance,
                                    &claims.count, &f->err));
    assert_states(&claims, (size_t[]){ CLAIMED_BYTES_MAX + 1 }, 1);
}

static void large_states_are_left_out_of_many_instances(void **state)
{
    static const size_t bytes[] = { 10, LOADED_BYTES_MAX - 11, 1, 5, LOADED_BYTES_MAX + 1 };
    enum { FULL = 3 }; /* So many come. */
    struct fixture *f = *state;
    uint64_t wanted[COUNT(bytes)];
    struct instance_row *row;
    size_t count;
    prepare(f, NULL);
    for (size_t i = 0; i < COUNT(bytes); i++) put_large(f, wanted[i] = i + 1, bytes[i]);
    assert_ok(f, store_load_instances(f->store, wanted, COUNT(bytes), &f->arena, &row, &count, &f->err));
    assert_int_equal(count, COUNT(bytes));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(row[i].id, wanted[i]);
        assert_int_equal(row[i].definition, 1);
        assert_int_equal(row[i].state.n, i < FULL ? bytes[i] : 0);
        if (i < FULL) assert_int_equal(row[i].state.p[bytes[i] - 1], 'a' + (int)row[i].id);
    }

    /* One at least comes, however large. */
    assert_ok(f, store_load_instances(f->store, wanted + 4, 1, &f->arena, &row, &count, &f->err));
    assert_int_equal(row[0].state.n, bytes[4]);
}

static void a_node_offers_what_it_had_under_a_delivery_number(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    struct instance_row held = an_instance(2, 1, INSTANCE_ACTIVE);
    held.holder = store_node(f->store);
    put_instance(f, &held);
    struct job_row claimed = claim(f, f->store, "pay", 10, 1000).row[0];
    struct job_row offered[] = { claimed, a_job(2, 1, "pay", 9, 500) };
    offered[0].delivery = 1;
    offered[0].available_ms = 600;
    offered[1].delivery = 1;
    assert_ok(f, store_offer_jobs(f->store, offered, 2, 1000, &f->err));
    struct claims claims = claim(f, second, "pay", 10, 1000);
    assert_int_equal(claims.count, 2);
    assert_int_equal(claims.row[0].instance, 2);
    assert_int_equal(claims.row[1].instance, 1);
    for (size_t i = 0; i < 2; i++) assert_int_equal(claims.row[i].delivery, 1);
    assert_int_equal(claims.row[1].available_ms, 600);

    /* The other node has them now. */
    offered[0].delivery = offered[1].delivery = 2;
    assert_ok(f, store_offer_jobs(f->store, offered, 2, 1000, &f->err));
    assert_int_equal(claim(f, f->store, "pay", 10, 1000).count, 0);
    assert_int_equal(find_job(f, f->store, 1, 1).delivery, 1);
    assert_int_equal(find_job(f, f->store, 1, 1).claimed, store_node(second));
    store_close(second);
}

static bool extend_by(struct fixture *f, struct store *store, struct job_row row, uint8_t delivery,
                      int64_t lease_ms)
{
    bool done = !delivery;
    row.delivery = delivery;
    row.lease_ms = lease_ms;
    assert_ok(f, store_extend_job(store, &row, &done, &f->err));
    return done;
}

static size_t end_leases(struct fixture *f, int64_t now_ms)
{
    size_t count;
    assert_ok(f, store_end_leases(f->store, now_ms, &count, &f->err));
    return count;
}

static void a_lease_that_another_node_prolonged_ends_by_its_row(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    assert_false(extend_by(f, second, a_job(1, 1, "pay", 5, 100), 0, 5000)); /* Nobody has it. */
    struct job_row job = claim(f, f->store, "pay", 1, 1000).row[0], again = job;
    assert_int_equal(end_leases(f, 1 << 20), 0); /* No row says when. */
    assert_true(extend_by(f, second, job, 0, 5000));
    assert_int_equal(find_job(f, second, 1, 1).lease_ms, 5000);

    /* The node that has it does not know: its offer has no effect. */
    again.delivery = 1;
    assert_ok(f, store_offer_jobs(f->store, &again, 1, 4000, &f->err));
    assert_int_equal(find_job(f, second, 1, 1).claimed, store_node(f->store));
    assert_int_equal(find_job(f, second, 1, 1).delivery, 0);
    assert_int_equal(end_leases(f, 4000), 0);
    assert_int_equal(end_leases(f, 6000), 1);
    assert_int_equal(end_leases(f, 6000), 0);
    struct job_row after = find_job(f, second, 1, 1);
    assert_int_equal(after.claimed, 0);
    assert_int_equal(after.delivery, 1);
    assert_int_equal(after.lease_ms, 0);

    /* It is offered, and then somebody else's. */
    assert_false(extend_by(f, second, job, 0, 9000));
    assert_int_equal(claim(f, second, "pay", 1, 6000).count, 1);
    assert_false(extend_by(f, f->store, job, 0, 9000));
    assert_int_equal(find_job(f, second, 1, 1).lease_ms, 0);
    assert_true(extend_by(f, f->store, job, 1, 9000));
    assert_int_equal(find_job(f, second, 1, 1).claimed, store_node(second));

    /* Once that lease is over, its own node may offer the job as well. */
    again.delivery = 2;
    assert_ok(f, store_offer_jobs(second, &again, 1, 9500, &f->err));
    assert_int_equal(find_job(f, second, 1, 1).claimed, 0);
    assert_int_equal(find_job(f, second, 1, 1).delivery, 2);
    store_close(second);
}

static void a_held_job_that_is_prolonged_gets_a_row(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row held = an_instance(1, 1, INSTANCE_ACTIVE);
    held.holder = store_node(f->store);
    put_instance(f, &held);
    struct job_row job = a_job(1, 1, "pay", 5, 100);
    job.claimed = store_node(f->store);
    assert_true(extend_by(f, second, job, 0, 5000));
    assert_int_equal(find_job(f, second, 1, 1).claimed, store_node(f->store));
    job.delivery = 1;
    assert_ok(f, store_offer_jobs(f->store, &job, 1, 4000, &f->err));
    assert_int_equal(claim(f, second, "pay", 1, 4000).count, 0);
    assert_int_equal(end_leases(f, 5500), 1);
    struct claims claims = claim(f, second, "pay", 1, 5500);
    assert_int_equal(claims.count, 1);
    assert_int_equal(claims.row[0].delivery, 1);
    assert_str_equal(claims.row[0].queue, STR("pay"));
    store_close(second);
}

static void tell_lease(struct fixture *f, struct store *store, struct job_row row, const char *worker,
                       int64_t until_ms)
{
    row.worker = str_of(worker);
    row.locked_ms = 900;
    row.until_ms = until_ms;
    assert_ok(f, store_note_leases(store, &row, 1, &f->err));
}

static void the_others_are_told_who_has_a_job(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row held = an_instance(1, 1, INSTANCE_ACTIVE);
    held.holder = store_node(f->store);
    put_instance(f, &held);
    put_offered(f, a_job(2, 1, "pay", 5, 100));
    put_offered(f, a_job(3, 1, "pay", 5, 200));
    assert_int_equal(claim(f, f->store, "pay", 1, 1000).count, 1);

    /* One that is held gets a row, one that is claimed has one, and one that is offered is nobody's. */
    for (uint64_t id = 1; id <= 3; id++) tell_lease(f, f->store, a_job(id, 1, "pay", 5, 100), "anna", 5000);
    const uint64_t wanted[] = { 1, 2, 3, 77 };
    struct job_row *row;
    size_t count;
    assert_ok(f, store_jobs_of(second, wanted, COUNT(wanted), &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(row[i].instance, i + 1);
        assert_int_equal(row[i].claimed, store_node(f->store));
        assert_str_equal(row[i].worker, STR("anna"));
        assert_int_equal(row[i].locked_ms, 900);
        assert_int_equal(row[i].until_ms, 5000);
        assert_int_equal(row[i].lease_ms, 0);
    }
    assert_int_equal(row[2].worker.n, 0);
    assert_int_equal(row[2].claimed, 0);

    /* It is no promise: the node itself ends the lease. */
    assert_int_equal(end_leases(f, 6000), 0);
    struct job_row over = a_job(1, 1, "pay", 5, 100);
    over.delivery = 1;
    assert_ok(f, store_offer_jobs(f->store, &over, 1, 4000, &f->err));
    assert_int_equal(find_job(f, second, 1, 1).claimed, 0);
    assert_int_equal(find_job(f, second, 1, 1).worker.n, 0);
    assert_int_equal(find_job(f, second, 1, 1).until_ms, 0);

    /* Another delivery, another node, a job that is closed, one that another node has prolonged: nothing. */
    assert_int_equal(claim(f, second, "pay", 10, 9000).count, 2);
    tell_lease(f, f->store, a_job(1, 1, "pay", 5, 100), "late", 9000);
    tell_lease(f, f->store, over, "late", 9000);
    tell_lease(f, second, a_job(1, 1, "pay", 5, 100), "late", 9000);
    tell_lease(f, second, a_job(1, 9, "pay", 5, 100), "late", 9000);
    assert_int_equal(find_job(f, second, 1, 1).worker.n, 0);
    assert_false(has_job_row(f, 1, 9));
    struct job_row prolonged = a_job(2, 1, "pay", 5, 100);
    prolonged.worker = STR("anna");
    assert_true(extend_by(f, second, prolonged, 0, 8000));
    tell_lease(f, f->store, a_job(2, 1, "pay", 5, 100), "anna", 5000);
    assert_int_equal(find_job(f, second, 2, 1).until_ms, 8000);
    assert_int_equal(find_job(f, second, 2, 1).locked_ms, 900);
    store_close(second);
}

static void a_fenced_node_tells_nothing(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row held = an_instance(1, 1, INSTANCE_ACTIVE);
    held.holder = store_node(second);
    put_instance(f, &held);
    assert_ok(f, store_fence_node(f->store, store_node(second), &f->err));
    tell_lease(f, second, a_job(1, 1, "pay", 5, 100), "anna", 5000);
    assert_false(has_job_row(f, 1, 1));
    store_close(second);
}

static void claims_of_a_dead_node_are_offered_again(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    size_t count;
    prepare(f, second);
    for (uint32_t i = 1; i <= 3; i++) put_offered(f, a_job(i, 1, "pay", 5, 100 * i));
    assert_int_equal(claim(f, second, "pay", 2, 1000).count, 2);
    assert_int_equal(claim(f, f->store, "pay", 2, 1000).count, 1);
    assert_ok(f, store_fence_node(f->store, store_node(second), &f->err));
    assert_ok(f, store_free_claims(f->store, store_node(second), &count, &f->err));
    assert_int_equal(count, 2);
    assert_ok(f, store_free_claims(f->store, store_node(second), &count, &f->err));
    assert_int_equal(count, 0);
    struct claims claims = claim(f, f->store, "pay", 10, 1000);
    assert_int_equal(claims.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(claims.row[i].instance, i + 1);
        assert_int_equal(claims.row[i].delivery, 1);
    }
    assert_int_equal(find_job(f, f->store, 3, 1).delivery, 0);
    store_close(second);
}

static void held_jobs_of_a_dead_node_are_offered_unless_they_have_rows(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    assert_int_equal(claim(f, second, "pay", 1, 1000).count, 1);
    struct job_row jobs[] = { a_job(1, 1, "pay", 5, 100), a_job(1, 2, "pay", 5, 200) };
    jobs[0].delivery = jobs[1].delivery = 3;
    assert_ok(f, store_offer_new(f->store, jobs, 2, &f->err));
    assert_ok(f, store_offer_new(f->store, jobs, 2, &f->err));
    assert_int_equal(find_job(f, f->store, 1, 1).claimed, store_node(second));
    assert_int_equal(find_job(f, f->store, 1, 1).delivery, 0);
    struct claims claims = claim(f, f->store, "pay", 10, 1000);
    assert_int_equal(claims.count, 1);
    assert_int_equal(claims.row[0].number, 2);
    assert_int_equal(claims.row[0].delivery, 3);
    store_close(second);
}

static void rows_of_closed_jobs_are_dropped(void **state)
{
    struct fixture *f = *state;
    prepare(f, NULL);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    put_offered(f, a_job(2, 1, "pay", 5, 200));
    put_offered(f, a_job(3, 1, "pay", 5, 300));
    struct claims claims = claim(f, f->store, "pay", 1, 1000);
    struct job_row dropped[] = { claims.row[0], a_job(2, 1, "pay", 5, 200), a_job(77, 1, "pay", 5, 0) };
    assert_ok(f, store_drop_jobs(f->store, dropped, COUNT(dropped), &f->err));
    assert_false(has_job_row(f, 1, 1));
    assert_false(has_job_row(f, 2, 1));
    claims = claim(f, f->store, "pay", 10, 1000);
    assert_int_equal(claims.count, 1);
    assert_int_equal(claims.row[0].instance, 3);
}

/* A retry has opened the jobs anew since they were claimed. */
static void a_row_that_is_not_as_it_was_claimed_is_not_dropped(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    put_offered(f, a_job(1, 1, "pay", 5, 100));
    put_offered(f, a_job(2, 1, "pay", 5, 200));
    put_offered(f, a_job(3, 1, "pay", 5, 300));
    struct claims old = claim(f, f->store, "pay", 3, 1000);
    assert_int_equal(old.count, 3);
    struct job_row anew[] = { a_job(1, 1, "pay", 5, 100), a_job(2, 1, "other", 5, 200) };
    anew[0].delivery = 37; /* The other one has the number that it had. */
    put(f, (struct changeset){ .job_add = anew, .job_add_count = COUNT(anew) });
    assert_int_equal(claim(f, second, "other", 1, 1000).count, 1);
    assert_ok(f, store_drop_jobs(f->store, old.row, old.count, &f->err));
    assert_int_equal(find_job(f, f->store, 1, 1).delivery, 37);
    assert_int_equal(find_job(f, f->store, 2, 1).claimed, store_node(second));
    assert_false(has_job_row(f, 3, 1));
    struct claims claims = claim(f, second, "pay", 10, 1000);
    assert_int_equal(claims.count, 1);
    assert_int_equal(claims.row[0].instance, 1);
    store_close(second);
}

/* clang-format off */
#define JOB_SCENARIO_MAP(XX)                                       \
    XX(a_held_job_is_found_by_its_holder)                          \
    XX(many_instances_are_loaded_at_once_by_id)                    \
    XX(large_states_are_left_out_of_many_instances)                \
    XX(rows_of_jobs_come_and_go_with_transactions)                 \
    XX(rows_of_jobs_go_with_their_instance)                        \
    XX(two_nodes_claim_different_jobs_by_priority_and_age)         \
    XX(jobs_of_several_queues_are_claimed_at_once)                 \
    XX(a_node_finds_what_it_has_claimed)                           \
    XX(jobs_of_one_instance_come_with_its_state_once)              \
    XX(large_states_are_left_out_of_a_claim)                       \
    XX(a_node_offers_what_it_had_under_a_delivery_number)          \
    XX(a_lease_that_another_node_prolonged_ends_by_its_row)        \
    XX(a_held_job_that_is_prolonged_gets_a_row)                    \
    XX(the_others_are_told_who_has_a_job)                          \
    XX(a_fenced_node_tells_nothing)                                \
    XX(claims_of_a_dead_node_are_offered_again)                    \
    XX(held_jobs_of_a_dead_node_are_offered_unless_they_have_rows) \
    XX(rows_of_closed_jobs_are_dropped)                            \
    XX(a_row_that_is_not_as_it_was_claimed_is_not_dropped)
/* clang-format on */
