/* Schedules: every slot fires once, whatever happens to the engine, its clock and its store. */
#include "pair_driver.h"

#include "base/datetime.h"
#include "base/duration.h"
#include "store/store_int.h"

#define BEGIN INT64_C(1767225600000) /* 2026-01-01T00:00:00Z, a Thursday; that of driver_setup(). */

static const char *definition(const char *name) { return document("runtime/schedules", name); }

/* ---- driving ---- */

/* From one due moment to the next, as threads would. */
static void run_until(struct driver *driver, int64_t until_ms)
{
    for (int64_t next_ms; (next_ms = engine_next_ms(&driver->engine)) <= until_ms;) {
        if (next_ms > driver->now_ms) driver->now_ms = next_ms;
        driver_turn(driver);
    }
    driver->now_ms = until_ms;
    driver_turn(driver);
}

/* The slots that fired since the last time, as "hh:mm:ss" with blanks between them. Each started an instance
 * with a job. */
static const char *fired(struct driver *driver)
{
    struct buf out;
    buf_init(&out, &driver->arena);
    for (;;) {
        struct call *poll = driver_run(driver, driver_poll(driver, "w", "tick", 1));
        if (!poll->value.jobs.count) break;
        const struct json *slot = json_pointer(poll->value.jobs.view[0].data, STR("/trigger/scheduled_for"));
        assert_true(json_is(slot, JSON_STRING));
        buf_printf(&out, "%s%.8s", out.n ? " " : "", json_string(slot).p + 11);
        driver_complete(driver, poll->value.jobs.view[0], "w", NULL);
    }
    buf_add_char(&out, '\0');
    return out.p;
}

/* The engine is gone for a while. */
static void down_for(struct driver *driver, int64_t ms)
{
    driver_close(driver);
    driver->now_ms += ms;
    driver_open(driver);
    driver_turn(driver);
}

static const struct scheduled *scheduled(struct driver *driver, const char *id, const char *trigger)
{
    return schedules_find(&driver->engine.memory.schedules, str_of(id), str_of(trigger));
}

/* ---- slots ---- */

static void intervals_count_from_the_publication(void **state)
{
    struct driver *driver = *state;
    driver_advance(driver, 7000);
    driver_deploy(driver, definition("interval"));
    run_until(driver, BEGIN + 20 * MINUTE_MS + 6999);
    assert_string_equal(fired(driver), "");
    run_until(driver, BEGIN + 61 * MINUTE_MS);
    assert_string_equal(fired(driver), "00:20:07 00:40:07 01:00:07");
    run_until(driver, BEGIN + 65 * MINUTE_MS);
    driver_deploy(driver, definition("interval")); /* The same content: nothing new. */
    run_until(driver, BEGIN + 81 * MINUTE_MS);
    assert_string_equal(fired(driver), "01:20:07");
    driver_deploy(driver, definition("interval, changed"));
    run_until(driver, BEGIN + 122 * MINUTE_MS);
    assert_string_equal(fired(driver), "01:41:00 02:01:00");
    driver_check(driver);
}

static void cron_texts_fire_in_their_zones(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("two"));
    assert_int_equal(driver->engine.memory.schedules.count, 2);
    run_until(driver,
              BEGIN + DAY_MS); /* New year's day: 08:00 in Berlin, 22:30 of the day before in New York. */
    assert_string_equal(fired(driver), "03:30:00 07:00:00");
    run_until(driver, BEGIN + 3 * DAY_MS); /* Friday, and Saturday without an office. */
    assert_string_equal(fired(driver), "03:30:00 07:00:00 03:30:00");
}

static void a_slot_fires_once_across_restarts(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    run_until(driver, BEGIN + HOUR_MS);
    driver_restart(driver);
    driver_restart(driver);
    run_until(driver, BEGIN + HOUR_MS + 1000);
    assert_string_equal(fired(driver), "01:00:00");
    for (int i = 0; i < 120; i++) {
        driver_restart(driver);
        run_until(driver, driver->now_ms + MINUTE_MS);
    }
    assert_string_equal(fired(driver), "02:00:00 03:00:00");
    driver_check(driver);
}

static void slots_that_were_missed_are_dropped(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    run_until(driver, BEGIN + 30 * MINUTE_MS);
    down_for(driver, 3 * HOUR_MS);
    assert_string_equal(fired(driver), "");
    run_until(driver, BEGIN + 4 * HOUR_MS);
    assert_string_equal(fired(driver), "04:00:00");
    run_until(driver, BEGIN + 5 * HOUR_MS - 1);
    down_for(driver, 2); /* However short it was. */
    assert_string_equal(fired(driver), "");
    run_until(driver, BEGIN + 6 * HOUR_MS);
    assert_string_equal(fired(driver), "06:00:00");
}

/* The notes of the log of arrivals about this, newest first, one on each line. */
static const char *told(struct driver *driver, enum arrival_outcome outcome)
{
    struct buf out;
    buf_init(&out, &driver->arena);
    struct call *call = driver_call(driver, CALL_LIST_ARRIVALS);
    call->as.arrivals = (struct call_arrivals){ .outcome = (int32_t)outcome, .max = 50 };
    driver_run(driver, call);
    for (size_t i = 0; i < call->value.arrivals.count; i++)
        buf_printf(&out, "%.*s\n", STR_ARG(call->value.arrivals.view[i].note));
    buf_add_char(&out, '\0');
    return out.p;
}

static void the_log_tells_once_of_dropped_slots(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    run_until(driver, BEGIN + 30 * MINUTE_MS);
    down_for(driver, 3 * HOUR_MS);
    driver_restart(driver);
    driver_turn(driver);
    const char *down = "3 slots, from 2026-01-01T01:00:00Z to 2026-01-01T03:00:00Z\n";
    assert_string_equal(told(driver, OUTCOME_MISFIRE_DISCARDED), down);
    down_for(driver, 1000); /* No slot is missed. */
    assert_string_equal(told(driver, OUTCOME_MISFIRE_DISCARDED), down);
    driver_advance(driver, HOUR_MS); /* The clock was set forward. */
    run_until(driver, driver->now_ms);
    assert_string_equal(told(driver, OUTCOME_MISFIRE_DISCARDED),
                        "1 slot, 2026-01-01T04:00:00Z\n"
                        "3 slots, from 2026-01-01T01:00:00Z to 2026-01-01T03:00:00Z\n");
    run_until(driver, BEGIN + 5 * HOUR_MS);
    assert_string_equal(fired(driver), "05:00:00");
    driver_check(driver);
}

/* Whoever looks at night sees the pause once, and how often it took effect in the counts. */
static void a_pause_does_not_fill_the_log(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    for (int paused = 1; paused >= 0; paused--) {
        struct call *call = driver_call(driver, CALL_PAUSE_TRIGGER);
        call->as.trigger = (struct call_trigger){
            .definition_id = STR("hourly"), .trigger = STR("t"), .paused = paused, .reason = STR("repairs")
        };
        assert_int_equal(driver_run(driver, call)->status, ST_OK);
        run_until(driver, driver->now_ms + 3 * HOUR_MS);
        assert_string_equal(told(driver, OUTCOME_PAUSED), "repairs\n");
    }
    assert_string_equal(fired(driver), "04:00:00 05:00:00 06:00:00");
}

static void one_arrival_makes_up_for_those_that_were_missed(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("made up"));
    run_until(driver, BEGIN + 30 * MINUTE_MS);
    down_for(driver, 3 * HOUR_MS);
    assert_string_equal(fired(driver), "03:00:00");
    driver_restart(driver);
    run_until(driver, BEGIN + 4 * HOUR_MS);
    assert_string_equal(fired(driver), "04:00:00");
    driver_deploy(driver, definition("secondly, made up"));
    down_for(driver, 10000); /* Ten slots, all within the minute. */
    assert_string_equal(fired(driver), "04:00:10");
}

static void a_clock_that_was_set_back_fires_nothing_twice(void **state)
{
    static const char *const policies[] = { "hourly", "made up" };
    struct driver *driver = *state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        driver->now_ms = BEGIN + (int64_t)i * DAY_MS;
        driver_restart(driver);
        int64_t begin_ms = driver->now_ms;
        driver_deploy(driver, definition(policies[i]));
        run_until(driver, begin_ms + 2 * HOUR_MS + 1);
        assert_string_equal(fired(driver), "01:00:00 02:00:00");
        driver_close(driver);
        driver->now_ms = begin_ms + 30 * MINUTE_MS;
        driver_open(driver);
        run_until(driver, begin_ms + 3 * HOUR_MS);
        assert_string_equal(fired(driver), "03:00:00");
    }
}

static void a_clock_that_was_set_forward_misses_slots(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_advance(driver, 4 * HOUR_MS + 5 * MINUTE_MS);
    assert_string_equal(fired(driver), "");
    assert_int_equal(metric_get(&driver->metrics.slots_missed), 1);
    run_until(driver, BEGIN + 5 * HOUR_MS);
    assert_string_equal(fired(driver), "05:00:00");
    driver_deploy(driver, definition("made up"));
    driver_advance(driver, 3 * HOUR_MS + 5 * MINUTE_MS);
    assert_string_equal(fired(driver), "08:00:00");
    run_until(driver, BEGIN + 9 * HOUR_MS);
    assert_string_equal(fired(driver), "09:00:00");
}

/* Each is late by itself: that older ones were missed does not make the newest one too late. */
static void a_slot_in_time_fires_behind_those_that_were_missed(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_advance(driver, 4 * HOUR_MS + MINUTE_MS - 1);
    run_until(driver, driver->now_ms);
    assert_string_equal(fired(driver), "04:00:00");
    assert_int_equal(metric_get(&driver->metrics.slots_missed), 1);
    run_until(driver, BEGIN + 5 * HOUR_MS);
    assert_string_equal(fired(driver), "05:00:00");
    driver_advance(driver, 2 * HOUR_MS + MINUTE_MS);
    run_until(driver, driver->now_ms);
    assert_string_equal(fired(driver), "");
    assert_int_equal(metric_get(&driver->metrics.slots_missed), 2);
}

/* The mark of a slot that fires is behind those that were missed, so both are stored together. */
static void a_slot_that_fires_takes_those_that_were_missed_to_the_log(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_advance(driver, 4 * HOUR_MS); /* One turn. */
    driver_restart(driver);
    run_until(driver, driver->now_ms + MINUTE_MS);
    assert_string_equal(fired(driver), "04:00:00");
    assert_string_equal(told(driver, OUTCOME_MISFIRE_DISCARDED),
                        "3 slots, from 2026-01-01T01:00:00Z to 2026-01-01T03:00:00Z\n");
}

static void slots_that_are_a_little_late_all_fire(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("secondly"));
    driver_advance(driver, 3500);
    run_until(driver, driver->now_ms);
    assert_string_equal(fired(driver), "00:00:01 00:00:02 00:00:03");
}

/* ---- versions ---- */

static void the_latest_version_decides(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("two"));
    run_until(driver, BEGIN + 3 * HOUR_MS);
    driver_deploy(driver, definition("two, one removed and one the same"));
    assert_null(scheduled(driver, "two", "night"));
    assert_non_null(scheduled(driver, "two", "office"));
    run_until(driver, BEGIN + DAY_MS);
    assert_string_equal(fired(driver), "07:00:00");
    driver_deploy(driver, definition("two, without"));
    assert_int_equal(driver->engine.memory.schedules.count, 0);
    driver_restart(driver);
    assert_int_equal(driver->engine.memory.schedules.count, 0);
    run_until(driver, BEGIN + 3 * DAY_MS);
    assert_string_equal(fired(driver), "");
    driver_check(driver);
}

/* A slot is due when the next version comes, whose schedule is the same. */
static void a_slot_that_is_due_is_not_lost_by_a_new_version(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_advance(driver, HOUR_MS - 1);
    driver->now_ms += 2;
    driver_deploy(driver, definition("made up"));
    run_until(driver, driver->now_ms);
    assert_string_equal(fired(driver), "01:00:00");
    run_until(driver, BEGIN + 2 * HOUR_MS);
    assert_string_equal(fired(driver), "02:00:00");
}

/* Not even under a new version with another text. */
static void a_new_version_after_a_step_back_fires_nothing_twice(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("secondly"));
    run_until(driver, BEGIN + 5000);
    assert_string_equal(fired(driver), "00:00:01 00:00:02 00:00:03 00:00:04 00:00:05");
    driver_close(driver);
    driver->now_ms = BEGIN + 2000;
    driver_open(driver);
    driver_deploy(driver, definition("secondly, even"));
    run_until(driver, BEGIN + 8000);
    assert_string_equal(fired(driver), "00:00:06 00:00:08");
}

/* ---- many ---- */

static void deploy_many(struct driver *driver, size_t count, const char *cron)
{
    for (size_t i = 0; i < count; i++) {
        str text =
            arena_printf(&driver->arena,
                         "{\"id\":\"many%zu\",\"name\":\"m\",\"triggers\":[{\"id\":\"t\",\"type\":\"cron\","
                         "\"cron\":\"%s\"}],\"steps\":[{\"id\":\"e\",\"name\":\"e\",\"type\":\"END\"}]}",
                         i, cron);
        driver_deploy(driver, text.p);
        if (i % 1000 == 999) arena_reset(&driver->arena);
    }
}

static void ten_thousand_fire_in_the_same_second(void **state)
{
    enum { COUNT_OF_SCHEDULES = 10000 };
    struct driver *driver = *state;
    size_t turns = 0;
    deploy_many(driver, COUNT_OF_SCHEDULES, "0 1 * * *");
    assert_int_equal(engine_next_ms(&driver->engine) <= BEGIN + HOUR_MS, 1);
    run_until(driver, BEGIN + HOUR_MS - 1);
    assert_int_equal(metric_get(&driver->metrics.slots_fired), 0);
    driver->now_ms = BEGIN + HOUR_MS;
    int64_t began_us = clock_monotonic_us();
    for (uint64_t before = 0, now; metric_get(&driver->metrics.slots_fired) < COUNT_OF_SCHEDULES;
         before = now) {
        assert_int_equal(engine_next_ms(&driver->engine), driver->now_ms); /* There is more. */
        driver_turn(driver);
        now = metric_get(&driver->metrics.slots_fired);
        assert_true(now > before && now - before <= SLOTS_PER_TURN_MAX);
        turns++;
    }
    print_message("%d slots in %zu turns and %lld ms\n", COUNT_OF_SCHEDULES, turns,
                  (long long)(clock_monotonic_us() - began_us) / 1000);
    assert_true(turns > 1);
    driver_restart(driver);
    assert_int_equal(driver->engine.memory.schedules.count, COUNT_OF_SCHEDULES);
    run_until(driver, BEGIN + DAY_MS);
    assert_int_equal(metric_get(&driver->metrics.slots_fired), COUNT_OF_SCHEDULES);
}

/* ---- a store that fails ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t left;     /* Operations until one fails; 0: none does. */
    size_t failures; /* How many fail in a row. */
    str key;         /* Only this record's writes fail. */
    size_t again;    /* So many of its writes lose against another node, and then none fails. */
} faults;

static bool fails(const struct changeset *changeset)
{
    if (faults.key.n)
        return changeset->record_put_count == 1 && str_equal(changeset->record_put->key, faults.key);
    if (!faults.left || --faults.left) return false;
    if (--faults.failures) faults.left = 1;
    return true;
}

static enum status faulty_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    if (!fails(changeset)) return faults.real->apply(store, changeset, err);
    if (!faults.again) return (fail)(err, ST_STORE, "store", "a fault");
    if (!--faults.again) faults.key = STR_NONE;
    return (fail)(err, ST_AGAIN, "store", "another node was faster");
}

static void faults_begin(struct driver *driver, size_t at, size_t failures, str key)
{
    faults.real = driver->store->ops;
    faults.ops = *faults.real;
    faults.ops.apply = faulty_apply;
    faults.left = at;
    faults.failures = failures;
    faults.key = key;
    faults.again = 0;
    driver->store->ops = &faults.ops;
}

static void faults_end(struct driver *driver) { driver->store->ops = faults.real; }

static void a_slot_whose_transaction_fails_fires_later_and_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_deploy(driver, definition("two"));
    for (int hour = 1; hour <= 20; hour++) {
        run_until(driver, BEGIN + hour * HOUR_MS - 1);
        fired(driver);
        faults_begin(driver, (size_t)(hour % 5 + 1), (size_t)(hour % 3 + 1), STR_NONE);
        run_until(driver, BEGIN + hour * HOUR_MS + 30000);
        faults_end(driver);
        char want[40];
        snprintf(want, sizeof want, "%02d:00:00", hour);
        const char *got = fired(driver);
        assert_non_null(strstr(got, want));
        assert_int_equal(strlen(got), hour == 7 ? 17 : 8);
        driver_check(driver);
    }
}

/* The store is away for three seconds: a schedule does not wait ten for it. */
static void a_schedule_goes_on_soon_after_the_store(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("secondly"));
    run_until(driver, BEGIN + 9000);
    fired(driver);
    faults_begin(driver, 0, 0, STR("secondly\0t"));
    run_until(driver, BEGIN + 12000);
    assert_string_equal(fired(driver), "");
    faults_end(driver);
    run_until(driver, BEGIN + 16000);
    assert_int_equal(strlen(fired(driver)), 7 * 9 - 1);
}

/* Other nodes are busy. A slot that loses its transaction to them thirty times is not half a minute late. */
static void a_slot_that_loses_against_other_nodes_fires_at_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("hourly"));
    driver_deploy(driver, definition("two"));
    run_until(driver, BEGIN + HOUR_MS - 1);
    faults_begin(driver, 0, 0, STR("hourly\0t"));
    faults.again = 30;
    run_until(driver, BEGIN + HOUR_MS + 1000);
    assert_int_equal(faults.again, 0);
    assert_string_equal(fired(driver), "01:00:00");
    faults_end(driver);
    driver_check(driver);
}

/* Its record cannot be written, for whatever reason. The others go on. */
static void a_schedule_that_cannot_fire_holds_up_no_other(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("secondly"));
    driver_deploy(driver, definition("hourly"));
    run_until(driver, BEGIN + HOUR_MS - 5000);
    fired(driver);
    faults_begin(driver, 0, 0, STR("hourly\0t"));
    run_until(driver, BEGIN + HOUR_MS + 25000);
    assert_int_equal(strlen(fired(driver)), 30 * 9 - 1);
    faults_end(driver);
    run_until(driver, BEGIN + HOUR_MS + 40000);
    assert_non_null(strstr(fired(driver), "01:00:00"));
}

static bool records_fail;

static enum status faulty_records(struct store *store, const struct record_filter *filter,
                                  struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                  struct error *err)
{
    if (records_fail && filter->max == SCHEDULES_PER_PAGE_MAX)
        return (fail)(err, ST_STORE, "store", "a fault");
    return faults.real->records(store, filter, arena, ret_row, ret_count, err);
}

/* They are read after the commit of a new version. */
static void records_that_cannot_be_read_are_read_again(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("two"));
    faults_begin(driver, 0, 0, STR_NONE);
    faults.ops.records = faulty_records;
    records_fail = true;
    driver_deploy(driver, definition("hourly"));
    run_until(driver, BEGIN + 5000);
    assert_int_equal(driver->engine.memory.schedules.count, 0);
    records_fail = false;
    run_until(driver, BEGIN + 10000);
    assert_int_equal(driver->engine.memory.schedules.count, 3);
    run_until(driver, BEGIN + HOUR_MS);
    assert_string_equal(fired(driver), "01:00:00");
    faults_end(driver);
}

static void a_damaged_record_is_left_out(void **state)
{
    struct driver *driver = *state;
    struct error err;
    driver_deploy(driver, definition("hourly"));
    const struct record_row row = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_SCHEDULE, .key = STR("a\0t"), .value = STR("\1\2\3")
    };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    driver_restart(driver);
    assert_int_equal(driver->engine.memory.schedules.count, 1);
    run_until(driver, BEGIN + HOUR_MS);
    assert_string_equal(fired(driver), "01:00:00");
}

/* Another engine on the same store was faster. */
static void a_slot_that_another_engine_fired_does_not_fire(void **state)
{
    struct driver *driver = *state;
    struct error err;
    struct record_row row;
    struct schedule_record record;
    driver_deploy(driver, definition("hourly"));
    assert_int_equal(found_needed(store_find_record(driver->store, NAMESPACE_DEFAULT, RECORD_SCHEDULE,
                                                    STR("hourly\0t"), &driver->arena, &row, &err)),
                     ST_OK);
    assert_true(schedule_record_decode(row.value, &record));
    record.mark_ms = BEGIN + HOUR_MS;
    row.value = schedule_record_encode(&record, &driver->arena);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    run_until(driver, BEGIN + HOUR_MS + 1);
    assert_string_equal(fired(driver), "");
    run_until(driver, BEGIN + 2 * HOUR_MS);
    assert_string_equal(fired(driver), "02:00:00");
}

/* ---- several nodes ---- */

/* Both are there at that time, without a heartbeat in between: neither takes the other for dead. */
static void both_run_until(struct pair *pair, int64_t until_ms)
{
    for (int i = 0; i < 2; i++)
        for (size_t node = 0; node < pair->count; node++) {
            pair->node[node].now_ms = until_ms;
            driver_turn(&pair->node[node]);
        }
}

/* The second node alone, from heartbeat to send a heartbeat: the first one is still, and taken for dead. */
static void second_runs_until(struct pair *pair, int64_t until_ms)
{
    while (pair->node[1].now_ms < until_ms) driver_advance(&pair->node[1], 100);
}

/* The first node leads and fires; the second one joined before that. */
static void fire_at_first(struct pair *pair, const char *name)
{
    both_run_until(pair, BEGIN + 30 * MINUTE_MS);
    driver_deploy(&pair->node[0], definition(name));
    both_run_until(pair, BEGIN + HOUR_MS);
    both_run_until(pair, BEGIN + 2 * HOUR_MS);
    assert_int_equal(metric_get(&pair->node[0].metrics.slots_fired), 2);
    assert_string_equal(fired(&pair->node[0]), "01:00:00 02:00:00");
    assert_int_equal(metric_get(&pair->node[1].metrics.node_leads), 0);
}

static const char *const both_policies[] = { "hourly", "made up" };

static void a_slot_is_not_lost_when_another_node_takes_over(void **state)
{
    for (size_t i = 0; i < COUNT(both_policies); i++) {
        struct pair *pair = *state;
        fire_at_first(pair, both_policies[i]);
        both_run_until(pair, BEGIN + 3 * HOUR_MS - 1000);
        second_runs_until(pair, BEGIN + 3 * HOUR_MS + 5000);
        assert_int_equal(metric_get(&pair->node[1].metrics.node_leads), 1);
        assert_string_equal(fired(&pair->node[1]), "03:00:00");
        for (int hour = 4; hour < 6; hour++) {
            char want[16];
            snprintf(want, sizeof want, "%02d:00:00", hour);
            pair->node[1].now_ms = BEGIN + hour * HOUR_MS;
            driver_turn(&pair->node[1]);
            assert_string_equal(fired(&pair->node[1]), want);
        }
        assert_int_equal(metric_get(&pair->node[1].metrics.slots_missed), 0);
        teardown(state);
        setup(state);
    }
}

/* The first node dies right behind its slot, or is only still and wakes with the slot that the other one has
 * fired. */
static void a_slot_fires_once_when_another_node_takes_over(void **state)
{
    for (size_t i = 0; i < COUNT(both_policies); i++) {
        struct pair *pair = *state;
        fire_at_first(pair, both_policies[i]);
        second_runs_until(pair, BEGIN + 2 * HOUR_MS + 5000);
        assert_int_equal(metric_get(&pair->node[1].metrics.node_leads), 1);
        assert_string_equal(fired(&pair->node[1]), "");
        pair->node[1].now_ms = BEGIN + 3 * HOUR_MS;
        driver_turn(&pair->node[1]);
        assert_string_equal(fired(&pair->node[1]), "03:00:00");
        both_run_until(pair, BEGIN + 3 * HOUR_MS + 1000);
        assert_int_equal(metric_get(&pair->node[0].metrics.nodes_rejoined), 1);
        both_run_until(pair, BEGIN + 4 * HOUR_MS);
        assert_int_equal(metric_get(&pair->node[0].metrics.slots_fired), 2);
        assert_int_equal(metric_get(&pair->node[1].metrics.slots_fired), 2);
        assert_string_equal(fired(&pair->node[1]), "04:00:00");
        driver_check(&pair->node[1]);
        teardown(state);
        setup(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(intervals_count_from_the_publication),
        DRIVER_TEST(cron_texts_fire_in_their_zones),
        DRIVER_TEST(a_slot_fires_once_across_restarts),
        DRIVER_TEST(slots_that_were_missed_are_dropped),
        DRIVER_TEST(the_log_tells_once_of_dropped_slots),
        DRIVER_TEST(a_pause_does_not_fill_the_log),
        DRIVER_TEST(one_arrival_makes_up_for_those_that_were_missed),
        DRIVER_TEST(a_clock_that_was_set_back_fires_nothing_twice),
        DRIVER_TEST(a_clock_that_was_set_forward_misses_slots),
        DRIVER_TEST(a_slot_in_time_fires_behind_those_that_were_missed),
        DRIVER_TEST(a_slot_that_fires_takes_those_that_were_missed_to_the_log),
        DRIVER_TEST(slots_that_are_a_little_late_all_fire),
        DRIVER_TEST(the_latest_version_decides),
        DRIVER_TEST(a_slot_that_is_due_is_not_lost_by_a_new_version),
        DRIVER_TEST(a_new_version_after_a_step_back_fires_nothing_twice),
        DRIVER_TEST(ten_thousand_fire_in_the_same_second),
        DRIVER_TEST(a_slot_whose_transaction_fails_fires_later_and_once),
        DRIVER_TEST(a_schedule_goes_on_soon_after_the_store),
        DRIVER_TEST(a_slot_that_loses_against_other_nodes_fires_at_once),
        DRIVER_TEST(a_schedule_that_cannot_fire_holds_up_no_other),
        DRIVER_TEST(records_that_cannot_be_read_are_read_again),
        DRIVER_TEST(a_damaged_record_is_left_out),
        DRIVER_TEST(a_slot_that_another_engine_fired_does_not_fire),
        cmocka_unit_test_setup_teardown(a_slot_is_not_lost_when_another_node_takes_over, setup, teardown),
        cmocka_unit_test_setup_teardown(a_slot_fires_once_when_another_node_takes_over, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
