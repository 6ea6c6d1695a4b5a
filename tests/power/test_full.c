/* A disk that is full: new work is refused, the rest goes on, and space brings everything back. */
#include "../unit/documents.h"
#include "ledger.h"
#include "shim_vfs.h"

#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "store/store_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    DISK_BYTES = 7 << 20,
    MORE_BYTES = 4 << 20,
    PAD_BYTES = 3000,
    STARTS_MAX = 5000,
    WHY_BYTES = 1500,
    RETENTION_MS = 1000,
    MAINTENANCE_MS = 2000,
    KEPT_FREE = 3
};

struct full {
    struct rig rig;
    struct ledger ledger;
    struct id started[STARTS_MAX];
    size_t started_count;
    const struct json *data, *more; /* What instances begin with, and what workers bring. */
};

static void note_answers(struct rig *rig, void *context)
{
    struct full *full = context;
    for (struct call *call = rig->answered.first; call; call = call->next_)
        if (call->kind != CALL_LIST_INSTANCES && call->kind != CALL_GET_INSTANCE)
            ledger_note(&full->ledger, rig, call);
}

static const struct json *padded(struct full *full, int bytes)
{
    const struct json_limits limits = { .bytes_max = 1 << 20, .depth_max = 8 };
    const struct json *value;
    str text = arena_printf(&full->rig.arena, "{\"pad\":\"%0*d\"}", bytes, 0);
    must(json_parse(text, &limits, &full->rig.arena, &value, NULL) == ST_OK);
    return value;
}

static int setup(void **state)
{
    struct full *full = calloc(1, sizeof *full);
    char reserve[300];
    struct error err;
    must(full);
    rig_init(&full->rig, "live.db");
    snprintf(reserve, sizeof reserve, "%s.reserve", full->rig.path);
    shim_set_capacity(DISK_BYTES, reserve);
    shim_record(full->rig.path);
    full->rig.turned = note_answers;
    full->rig.context = full;
    if (rig_open(&full->rig, &err) != ST_OK) fail_msg("%s", err.message);
    struct call *deploy = rig_call(&full->rig, CALL_DEPLOY);
    deploy->as.deploy.text = str_of(document("../power/full", "order"));
    assert_true(rig_run(&full->rig, deploy));
    full->data = padded(full, PAD_BYTES);
    full->more = padded(full, PAD_BYTES * 10);
    *state = full;
    return 0;
}

static int teardown(void **state)
{
    struct full *full = *state;
    shim_set_capacity(0, "");
    rig_done(&full->rig);
    shim_remove(full->rig.path);
    free(full);
    return 0;
}

static struct call *new_start(struct full *full)
{
    struct call *call = rig_call(&full->rig, CALL_START);
    call->as.start.definition_id = STR("order");
    call->as.start.data = full->data;
    return call;
}

/* Starts instances until there is no space. */
static void fill(struct full *full)
{
    struct call *start;
    while (rig_run(&full->rig, start = new_start(full))) {
        must(full->started_count < STARTS_MAX);
        full->started[full->started_count++] = instance_view_id(start->value.instances.view);
    }
    assert_int_equal(start->status, ST_FULL);
    assert_true(full->started_count > 100);
}

static struct call *new_cancel(struct full *full, size_t i)
{
    struct call *call = rig_call(&full->rig, CALL_CANCEL);
    call->as.instance.id = full->started[i];
    return call;
}

static void maintain(struct full *full)
{
    full->rig.now_ms += MAINTENANCE_MS;
    rig_turn(&full->rig, true);
}

/* As if nothing had been noticed yet. */
static void forget_that_it_is_full(struct full *full)
{
    bool more;
    assert_int_equal(store_reclaim_space(full->rig.engine.store, false, &more, NULL), ST_OK);
}

/* Everything started is there, and the checker finds nothing; also after a power cut. */
static void assert_nothing_lost(struct full *full)
{
    char why[WHY_BYTES] = "";
    for (size_t i = 0; i < full->started_count; i++) {
        struct call *get = rig_call(&full->rig, CALL_GET_INSTANCE);
        get->as.read.id = full->started[i];
        assert_true(rig_run(&full->rig, get));
    }
    if (!rig_check(&full->rig, why, WHY_BYTES)) fail_msg("%s", why);
    if (!ledger_holds(&full->ledger, &full->rig, why, WHY_BYTES)) fail_msg("%s", why);

    struct power power;
    struct rig rig;
    struct error err;
    power_init(&power, shim_log());
    while (power_step(&power)) continue;
    rig_init(&rig, "image.db");
    shim_set_capacity(0, "");
    shim_image(&power, &(struct cut){ .kind = CUT_DROP_ALL }, rig.path);
    power_done(&power);
    if (rig_open(&rig, &err) != ST_OK) fail_msg("%s", err.message);
    if (!rig_check(&rig, why, WHY_BYTES)) fail_msg("after a power cut: %s", why);
    if (!ledger_holds(&full->ledger, &rig, why, WHY_BYTES)) fail_msg("after a power cut: %s", why);
    rig_done(&rig);
    shim_remove(rig.path);
}

/* ---- tests ---- */

static void new_work_is_refused_in_words_and_reads_go_on(void **state)
{
    struct full *full = *state;
    fill(full);
    struct call *start = new_start(full);
    rig_run(&full->rig, start);
    assert_int_equal(start->status, ST_FULL);
    assert_non_null(strstr(start->error.message, "the disk is full"));
    struct call *deploy = rig_call(&full->rig, CALL_DEPLOY);
    deploy->as.deploy.text = str_of(document("../power/full", "other"));
    rig_run(&full->rig, deploy);
    assert_int_equal(deploy->status, ST_FULL);
    struct call *known = rig_call(&full->rig, CALL_DEPLOY);
    known->as.deploy.text = str_of(document("../power/full", "order"));
    assert_true(rig_run(&full->rig, known));
    assert_int_equal(metric_get(&full->rig.metrics.storage_full), 1);
    assert_nothing_lost(full);
}

static void one_start_does_not_take_its_batch_with_it(void **state)
{
    struct full *full = *state;
    fill(full);
    forget_that_it_is_full(full);
    struct call *cancel = new_cancel(full, 0), *start = new_start(full),
                *poll = rig_call(&full->rig, CALL_POLL_JOBS);
    static const str type = STR_INIT("t");
    poll->as.poll.type = &type;
    poll->as.poll.type_count = 1;
    poll->as.poll.max = 1;
    poll->as.poll.worker = STR("w");
    assert_true(rig_run(&full->rig, poll));
    struct call *complete = rig_call(&full->rig, CALL_COMPLETE_JOB);
    complete->as.job.id = job_view_id(&poll->value.jobs.view[0]);
    complete->as.job.worker = STR("w");
    rig_add(&full->rig, start);
    rig_add(&full->rig, cancel);
    rig_add(&full->rig, complete);
    rig_turn(&full->rig, false);
    assert_int_equal(start->status, ST_FULL);
    assert_int_equal(cancel->status, ST_OK);
    assert_int_equal(complete->status, ST_OK);
    assert_nothing_lost(full);
}

static void every_instance_can_be_cancelled(void **state)
{
    struct full *full = *state;
    fill(full);
    for (size_t i = 0; i < full->started_count && i < LEDGER_INSTANCES_MAX; i++)
        if (!rig_run(&full->rig, new_cancel(full, i))) fail_msg("cancel %zu of %zu", i, full->started_count);
    assert_nothing_lost(full);
}

/* Work that goes on may use up the first part of the reserve; the last is for cancels. */
static void work_that_goes_on_leaves_room_for_cancels(void **state)
{
    struct full *full = *state;
    static const str type = STR_INIT("t");
    fill(full);
    enum status status = ST_OK;
    size_t completed = 0;
    for (; status == ST_OK && completed < full->started_count - KEPT_FREE; completed++) {
        struct call *poll = rig_call(&full->rig, CALL_POLL_JOBS),
                    *complete = rig_call(&full->rig, CALL_COMPLETE_JOB);
        poll->as.poll.type = &type;
        poll->as.poll.type_count = poll->as.poll.max = 1;
        poll->as.poll.worker = complete->as.job.worker = STR("w");
        assert_true(rig_run(&full->rig, poll));
        complete->as.job.id = job_view_id(&poll->value.jobs.view[0]);
        complete->as.job.data = full->more;
        rig_run(&full->rig, complete);
        status = complete->status;
    }
    assert_int_equal(status, ST_FULL);
    assert_true(completed > 20);
    assert_int_equal(store_space(full->rig.engine.store), STORE_SPACE_OUT);
    for (size_t i = 0; i < KEPT_FREE; i++)
        assert_true(rig_run(&full->rig, new_cancel(full, full->started_count - 1 - i)));
    assert_nothing_lost(full);
}

static void retention_makes_room_for_new_work(void **state)
{
    struct full *full = *state;
    full->rig.engine.maintenance.retention.ended_ms = RETENTION_MS;
    fill(full);
    size_t cancelled = full->started_count / 2;
    for (size_t i = 0; i < cancelled; i++) {
        struct call *cancel = new_cancel(full, i);
        rig_run(&full->rig, cancel);
        assert_int_equal(cancel->status, ST_OK);
        full->ledger.instance_count = 0; /* They are to go. */
    }
    for (size_t turns = 0; turns < cancelled; turns++) maintain(full);
    memmove(full->started, full->started + cancelled,
            (full->started_count - cancelled) * sizeof full->started[0]);
    full->started_count -= cancelled;
    for (size_t i = 0; i < cancelled / 2; i++) assert_true(rig_run(&full->rig, new_start(full)));
    assert_int_equal(metric_get(&full->rig.metrics.storage_full), 0);
    assert_nothing_lost(full);
}

static void new_work_is_accepted_when_the_disk_has_space_again(void **state)
{
    struct full *full = *state;
    char reserve[300];
    snprintf(reserve, sizeof reserve, "%s.reserve", full->rig.path);
    fill(full);
    maintain(full);
    shim_set_capacity(DISK_BYTES + MORE_BYTES, reserve);
    maintain(full);
    for (int i = 0; i < 20; i++) assert_true(rig_run(&full->rig, new_start(full)));
    assert_nothing_lost(full);
}

static struct call *keyed_start(struct full *full, const char *key)
{
    struct call *call = new_start(full);
    call->idempotency_key = str_of(key);
    call->request_hash = 1;
    return call;
}

static void answers_given_once_are_given_again(void **state)
{
    struct full *full = *state;
    assert_true(rig_run(&full->rig, keyed_start(full, "before")));
    fill(full);
    struct call *again = keyed_start(full, "before");
    assert_true(rig_run(&full->rig, again));
    assert_true(again->replayed);
    /* The same request twice in one batch: neither happened, so neither may be answered. */
    forget_that_it_is_full(full);
    struct call *first = keyed_start(full, "after"), *second = keyed_start(full, "after");
    rig_add(&full->rig, first);
    rig_add(&full->rig, second);
    rig_turn(&full->rig, false);
    assert_int_equal(first->status, ST_FULL);
    assert_int_equal(second->status, ST_FULL);
}

/* A definition and its first instance in one batch: afterwards nobody may believe it exists. */
static void a_definition_that_found_no_room_is_not_there(void **state)
{
    struct full *full = *state;
    char reserve[300];
    snprintf(reserve, sizeof reserve, "%s.reserve", full->rig.path);
    fill(full);
    full->rig.store->space = STORE_SPACE_ENOUGH;
    struct call *deploy = rig_call(&full->rig, CALL_DEPLOY), *start = new_start(full),
                *more = new_start(full);
    deploy->as.deploy.text = str_of(document("../power/full", "other"));
    start->as.start.definition_id = STR("other");
    rig_add(&full->rig, deploy);
    rig_add(&full->rig, start);
    for (int i = 0; i < 200; i++) rig_add(&full->rig, new_start(full));
    rig_add(&full->rig, more);
    rig_turn(&full->rig, false);
    assert_int_equal(more->status, ST_FULL);
    shim_set_capacity(DISK_BYTES + MORE_BYTES, reserve);
    maintain(full);
    struct call *later = new_start(full);
    later->as.start.definition_id = STR("other");
    rig_run(&full->rig, later);
    assert_int_equal(later->status, deploy->status == ST_OK ? ST_OK : ST_NOT_FOUND);
    assert_int_equal(start->status == ST_OK, deploy->status == ST_OK);
    assert_nothing_lost(full);
}

#define FULL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        FULL_TEST(new_work_is_refused_in_words_and_reads_go_on),
        FULL_TEST(one_start_does_not_take_its_batch_with_it),
        FULL_TEST(every_instance_can_be_cancelled),
        FULL_TEST(work_that_goes_on_leaves_room_for_cancels),
        FULL_TEST(retention_makes_room_for_new_work),
        FULL_TEST(new_work_is_accepted_when_the_disk_has_space_again),
        FULL_TEST(answers_given_once_are_given_again),
        FULL_TEST(a_definition_that_found_no_room_is_not_there),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
