/* Reads, writes and syncs that fail: each of a short scenario, once and for good.
 *
 * Whatever fails, the engine answers correctly, or with an error after which one may try again,
 * or it breaks and stops. On the disk as it is then, with and without what failed syncs should
 * have written, a fresh engine finds everything that was promised, and can go on.
 *
 *     FAULTS_STEP   only every so many reads and writes (1); `make check-power` tries all
 */
#include "ledger.h"
#include "shim_vfs.h"

#include "base/log.h"
#include "base/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WHY_BYTES = 1500, CHECKPOINT_PAGES = 40, CACHE_PAGES = 10, FOR_GOOD_STEP = 5, RETENTION_MS = 90000 };

struct run {
    struct rig rig;
    struct ledger ledger;
    struct shim_fault fault;
    char why[WHY_BYTES]; /* The first thing that was wrong; empty: nothing. */
};

static const char *const access_words[] = { "read", "write", "sync" };

/* ---- answers ---- */

static void complain(struct run *run, const char *what, const struct call *call)
{
    if (!run->why[0]) snprintf(run->why, WHY_BYTES, "%s (%s)", what, call->error.message);
}

/* Whether the refusal of a start is true is asked again while nothing fails. */
static void check_refusal(struct run *run, const struct call *call)
{
    struct rig *rig = &run->rig;
    if (call->status == ST_CONFLICT && call->kind == CALL_START && call->as.start.business_key.n) {
        struct call *list = rig_call(rig, CALL_LIST_INSTANCES);
        list->as.instances.filter.business_key = call->as.start.business_key;
        list->as.instances.filter.max = LEDGER_INSTANCES_MAX;
        queries_call(&rig->query, list);
        bool taken = false;
        for (size_t i = 0; i < list->value.instances.count; i++)
            taken |= !instance_status_ended(list->value.instances.view[i].status);
        if (!taken) complain(run, "a free business key was refused", call);
    } else if (call->status == ST_NOT_FOUND) {
        struct call *get = rig_call(rig, CALL_GET_DEFINITION);
        get->as.definition.id = call->as.start.definition_id;
        queries_call(&rig->query, get);
        if (get->status == ST_OK) complain(run, "a definition that is there was not found", call);
    } else {
        complain(run, "a start was refused for no reason", call);
    }
}

/* A list must be the same when nothing fails. */
static void check_list(struct run *run, const struct call *call)
{
    struct call *again = rig_call(&run->rig, CALL_LIST_INSTANCES);
    again->as.instances.filter = call->as.instances.filter;
    queries_call(&run->rig.query, again);
    bool same = again->value.instances.count == call->value.instances.count;
    for (size_t i = 0; i < call->value.instances.count && same; i++)
        same = again->value.instances.view[i].id == call->value.instances.view[i].id &&
               again->value.instances.view[i].revision == call->value.instances.view[i].revision;
    if (!same) complain(run, "a list is not the truth", call);
}

/* What is repeated was said before, or nobody knew whether it had happened, and it has. */
static void check_replay(struct run *run, const struct call *call)
{
    uint64_t id = call->value.instances.view->id;
    struct call *all = rig_call(&run->rig, CALL_LIST_INSTANCES);
    all->as.instances.filter.max = LEDGER_INSTANCES_MAX;
    queries_call(&run->rig.query, all);
    bool known = ledger_knows(&run->ledger, id);
    for (size_t i = 0; i < all->value.instances.count; i++) known |= all->value.instances.view[i].id == id;
    if (!known) complain(run, "an answer was repeated that was never given", call);
}

static void note_answers(struct rig *rig, void *context)
{
    struct run *run = context;
    bool paused = shim_pause(true);
    for (struct call *call = rig->answered.first; call; call = call->next_) {
        ledger_note(&run->ledger, rig, call);
        if (call->status == ST_OK && call->kind == CALL_LIST_INSTANCES) check_list(run, call);
        if (call->status == ST_OK && call->replayed) check_replay(run, call);
        if (call->kind == CALL_START && call->status != ST_OK && !status_retry(call->status))
            check_refusal(run, call);
    }
    shim_pause(paused);
}

/* ---- a run ---- */

/* Open jobs and timers in memory, as a number: order does not matter. */
static uint64_t memory_of(const struct engine *engine)
{
    uint64_t sum = 0;
    size_t cursor = 0;
    for (const struct open_job *job; (job = map_next(&engine->memory.jobs.by_id, &cursor)) != NULL;)
        for (; job; job = job->sibling) sum += (job->instance * 1000 + job->number) * 0x9e3779b97f4a7c15U;
    for (size_t i = 0; i < engine->memory.timers.count; i++) {
        const struct timer_row *row = timers_at(&engine->memory.timers, i);
        sum += ((uint64_t)row->due_ms * 1000 + row->instance * 10 + row->number) * 0xbf58476d1ce4e5b9U;
    }
    return sum;
}

static void run_scenario(struct run *run)
{
    static const unsigned rounds[] = { 0, 4, WORKLOAD_ROUNDS / 3 };
    struct rig *rig = &run->rig;
    struct error err;
    if (rig_open(rig, &err) != ST_OK) return;
    workload_deploy(rig);
    for (size_t i = 0; i < COUNT(rounds) && !rig->engine.broken; i++) {
        workload_round(rig, rounds[i]);
        rig->now_ms += RETENTION_MS / 2;
        shim_pause(true);
        ledger_expire(&run->ledger, rig);
        shim_pause(false);
        rig_turn(rig, true);
    }
}

/* Memory must be what a recovery would make of the store. */
static void check_memory(struct run *run)
{
    struct rig *rig = &run->rig;
    struct error err;
    shim_pause(true);
    /* What was held back for a moment has its chance. */
    rig->now_ms += 5000;
    rig_turn(rig, false);
    uint64_t before = memory_of(&rig->engine);
    rig_close(rig);
    if (rig_open(rig, &err) != ST_OK)
        snprintf(run->why, WHY_BYTES, "it does not open again: %s", err.message);
    else if (memory_of(&rig->engine) != before && !run->why[0])
        snprintf(run->why, WHY_BYTES, "queues and timers in memory are not those of the store");
    shim_pause(false);
}

/* The process begins anew on the same machine. What a failed sync should have written is still
 * to be seen, because the kernel has it in memory, but it will never be on the disk. */
static void restart(struct run *run)
{
    struct rig *rig = &run->rig;
    struct error err;
    shim_pause(true);
    rig_close(rig);
    if (rig_open(rig, &err) != ST_OK)
        snprintf(run->why, WHY_BYTES, "it does not start again: %s", err.message);
    else workload_round(rig, 1);
    shim_pause(false);
}

static void check_image(struct run *run, const struct power *power, const struct cut *cut)
{
    struct rig rig;
    struct error err;
    if (run->why[0]) return;
    rig_init(&rig, "image.db");
    rig.now_ms = run->rig.now_ms;
    shim_image(power, cut, rig.path);
    rig.retention_ms = RETENTION_MS;
    if (rig_open(&rig, &err) != ST_OK) {
        snprintf(run->why, WHY_BYTES, "it does not open any more: %s", err.message);
    } else if (rig_check(&rig, run->why, WHY_BYTES) &&
               ledger_holds(&run->ledger, &rig, run->why, WHY_BYTES)) {
        if (!workload_finish(&rig)) snprintf(run->why, WHY_BYTES, "the run cannot be continued to its end");
    }
    rig_done(&rig);
    shim_remove(rig.path);
}

/* The disk as it may be at this place of the record. */
static void check_disks(struct run *run, const struct power *power)
{
    check_image(run, power, &(struct cut){ .kind = CUT_DROP_ALL });
    if (!power->pending_count) return;
    for (int lose = 0; lose <= power->failed_syncs; lose++)
        check_image(run, power, &(struct cut){ .kind = CUT_KEEP_ALL, .failed_syncs_lose = lose });
}

/* Runs the scenario with the fault and looks at everything afterwards. */
static void try_fault(const struct shim_fault *fault, uint64_t *ret_accesses)
{
    struct run *run = calloc(1, sizeof *run);
    must(run);
    run->fault = *fault;
    rig_init(&run->rig, "live.db");
    shim_record(run->rig.path);
    run->rig.retention_ms = RETENTION_MS;
    run->rig.checkpoint_pages = CHECKPOINT_PAGES;
    run->rig.cache_pages = CACHE_PAGES;
    run->rig.turned = note_answers;
    run->rig.context = run;
    shim_fail(fault);
    run_scenario(run);
    bool went_on = run->rig.open && !run->rig.engine.broken;
    size_t stopped_at = shim_log()->count;
    if (went_on && !fault->for_good) check_memory(run);
    if (run->rig.open && run->rig.engine.broken && !fault->for_good) {
        restart(run);
        stopped_at = shim_log()->count;
    }
    rig_close(&run->rig);
    if (ret_accesses)
        for (int i = 0; i < SHIM_ACCESS_COUNT; i++) ret_accesses[i] = shim_accesses((enum shim_access)i);
    shim_fail(&(struct shim_fault){ 0 });

    struct power power;
    power_init(&power, shim_log());
    while (power.at < stopped_at && power_step(&power)) continue;
    check_disks(run, &power);
    if (power.at < shim_log()->count) {
        while (power_step(&power)) continue;
        check_disks(run, &power);
    }
    power_done(&power);
    rig_done(&run->rig);
    shim_remove(run->rig.path);
    if (run->why[0])
        fail_msg("%s %llu fails%s: %s", access_words[fault->access], (unsigned long long)fault->nth,
                 fault->for_good ? " and all after it" : "", run->why);
    free(run);
}

/* ---- tests ---- */

static void try_all(enum shim_access access, bool for_good)
{
    const char *step_text = getenv("FAULTS_STEP");
    uint64_t step = step_text ? strtoull(step_text, NULL, 10) : 1, accesses[SHIM_ACCESS_COUNT], tried = 0;
    if (access == SHIM_ON_SYNC) step = 1;
    else if (for_good) step *= FOR_GOOD_STEP;
    try_fault(&(struct shim_fault){ 0 }, accesses);
    for (uint64_t nth = 1; nth <= accesses[access]; nth += step, tried++)
        try_fault(&(struct shim_fault){ access, nth, for_good }, NULL);
    print_message("    %llu runs\n", (unsigned long long)tried);
    assert_true(accesses[access] > 10);
}

#define FAULT_TEST(name, access, for_good) \
    static void name(void **state)         \
    {                                      \
        (void)state;                       \
        try_all(access, for_good);         \
    }

FAULT_TEST(a_read_may_fail, SHIM_ON_READ, false)
FAULT_TEST(a_write_may_fail, SHIM_ON_WRITE, false)
FAULT_TEST(a_sync_may_fail, SHIM_ON_SYNC, false)
FAULT_TEST(reads_may_fail_for_good, SHIM_ON_READ, true)
FAULT_TEST(writes_may_fail_for_good, SHIM_ON_WRITE, true)
FAULT_TEST(syncs_may_fail_for_good, SHIM_ON_SYNC, true)

/* ---- shrinking ---- */

static void add_ended(struct store *store, uint64_t count)
{
    static const char bytes[6000];
    struct error err;
    assert_int_equal(store_begin(store, &err), ST_OK);
    for (uint64_t id = 1; id <= count; id++) {
        struct instance_row row = { .id = id,
                                    .ns = 1,
                                    .definition = 1,
                                    .created_ms = 1,
                                    .status = INSTANCE_COMPLETED,
                                    .ended_ms = 2,
                                    .state = { bytes, sizeof bytes } };
        struct changeset change = { .instance = &row, .insert = true, .history = STR("history"), .at_ms = 1 };
        assert_int_equal(store_apply(store, &change, &err), ST_OK);
    }
    assert_int_equal(store_commit(store, &err), ST_OK);
}

/* What it gave back may be on the disk or not: only a new start can tell. */
static void a_sync_that_fails_while_the_file_shrinks_breaks_the_store(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/shrinks.db", rig_directory());
    shim_record(path);
    const struct store_config config = { .path = path, .create = true };
    struct store *store;
    struct error err;
    struct purged removed;
    bool more;
    assert_int_equal(store_open(&config, &store, &err), ST_OK);
    add_ended(store, 50);
    assert_int_equal(store_begin(store, &err), ST_OK);
    assert_int_equal(store_purge(store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 50, &removed, &err),
                     ST_OK);
    assert_int_equal(store_commit(store, &err), ST_OK);
    shim_fail(&(struct shim_fault){ .access = SHIM_ON_SYNC, .nth = 1 });
    assert_int_equal(store_reclaim_space(store, true, &more, &err), ST_STORE);
    assert_int_equal(shim_failures(), 1);
    assert_true(store_broken(store));
    assert_int_equal(store_begin(store, &err), ST_STORE);
    shim_fail(&(struct shim_fault){ 0 });
    store_close(store);
    assert_int_equal(store_open(&config, &store, &err), ST_OK);
    assert_int_equal(store_reclaim_space(store, true, &more, &err), ST_OK);
    store_close(store);
    shim_remove(path);
}

static int install(void **state)
{
    (void)state;
    shim_install();
    log_set_level(LOG_OFF);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_may_fail),
        cmocka_unit_test(a_write_may_fail),
        cmocka_unit_test(a_sync_may_fail),
        cmocka_unit_test(reads_may_fail_for_good),
        cmocka_unit_test(writes_may_fail_for_good),
        cmocka_unit_test(syncs_may_fail_for_good),
        cmocka_unit_test(a_sync_that_fails_while_the_file_shrinks_breaks_the_store),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
