/* Units: what processors decide is written whole or not at all, and nothing of it is seen before. */
#include "entity_driver.h"

/* ---- tests ---- */

static void entities_are_created_changed_and_deleted(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", "") "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    assert_string_equal(stored(d, id), "A {\"n\":1}");
    assert_int_equal(driver_run(d, update_call(d, id, "", "{\"n\":2}"))->status, ST_OK);
    assert_string_equal(stored(d, id), "A {\"n\":2}");
    struct call *wrong = driver_run(d, update_call(d, id, "NO", "{\"n\":3}"));
    assert_int_equal(wrong->status, ST_NOT_FOUND);
    assert_string_equal(wrong->error.code, "TRANSITION_NOT_FOUND");
    assert_int_equal(driver_run(d, update_call(d, id, "GO", NULL))->status, ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":2}");
    struct call *gone = write_call(d, 1);
    gone->as.entities.item[0] = (struct entity_item){ .action = ENTITY_DELETE, .id = id };
    assert_int_equal(driver_run(d, gone)->status, ST_OK);
    struct call *late = driver_run(d, update_call(d, id, "", "{\"n\":2}"));
    assert_string_equal(late->error.code, "ENTITY_NOT_FOUND");
    assert_int_equal(change(d, MODEL_UNLOCK, NULL), ST_OK); /* No entity is left. */
    driver_check(d);
}

static void documents_must_fit_their_model(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    struct call *call = driver_run(d, create_call(d, "{\"n\":\"text\"}"));
    assert_string_equal(call->error.code, "INCOMPATIBLE_TYPE");
    call = driver_run(d, create_call(d, "{\"other\":1}"));
    assert_string_equal(call->error.code, "BAD_REQUEST");
    assert_int_equal(change(d, MODEL_SET_LEVEL, NULL), ST_OK);
    struct uuid id = created(d, "{\"other\":1}");
    assert_string_equal(stored(d, id), "CREATED {\"other\":1}"); /* By the built-in workflow. */
    driver_check(d);
}

static void nothing_is_written_before_the_answer(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, call);
    assert_false(driver_answered(d, call));
    assert_string_equal(stored(d, id), "A {\"n\":1}");
    struct job_view job = polled(d);
    assert_string_equal(driver_text(d, job.data), "{\"n\":2}");
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":3}}"), ST_OK);
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":3}");
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":4}}"), ST_OK); /* Twice: nothing happens. */
    assert_string_equal(stored(d, id), "B {\"n\":3}");
    nothing_to_compute(d);
    driver_check(d);
}

/* A write that waits is not there yet, so it does not keep its model from changing. */
static void a_write_that_has_waited_needs_its_model(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" SYNC(
                 "p") "]}]},\"B\":{}"));
    struct call *unlocked = create_call(d, "{\"n\":1}"), *removed = create_call(d, "{\"n\":2}");
    driver_submit(d, unlocked);
    struct job_view job = polled(d);
    assert_int_equal(change(d, MODEL_UNLOCK, NULL), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    assert_true(driver_answered(d, unlocked));
    assert_string_equal(unlocked->error.code, "MODEL_NOT_LOCKED");
    assert_int_equal(change(d, MODEL_LOCK, NULL), ST_OK);
    driver_submit(d, removed);
    job = polled(d);
    assert_int_equal(change(d, MODEL_REMOVE, NULL), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    assert_true(driver_answered(d, removed));
    assert_string_equal(removed->error.code, "MODEL_NOT_FOUND");
    assert_string_equal(stored(d, unlocked->as.entities.item[0].id), "");
    assert_string_equal(stored(d, removed->as.entities.item[0].id), "");
    driver_check(d);
}

static void a_failure_undoes_the_whole_write(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" SYNC(
                 "p") "," SYNC("q") "]}]},\"B\":{}"));
    struct call *call = create_call(d, "{\"n\":1}");
    driver_submit(d, call);
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":3}}"), ST_OK);
    assert_false(driver_answered(d, call));
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, ST_INVALID);
    assert_string_equal(call->error.where, "COMPUTE_MEMBER_DISCONNECTED");
    assert_string_equal(stored(d, call->as.entities.item[0].id), "");
    nothing_to_compute(d);
    driver_check(d);
}

static void an_answer_that_does_not_fit_is_a_failure(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "," BY_HAND(
                 "CO", "B", COMMITS("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    static const char *const transitions[] = { "GO", "CO" };
    for (size_t i = 0; i < COUNT(transitions); i++) {
        struct call *call = update_call(d, id, transitions[i], "{\"n\":2}");
        driver_submit(d, call);
        assert_int_equal(compute(d, polled(d), "{\"data\":{\"unknown\":3}}"), ST_OK);
        assert_true(driver_answered(d, call));
        assert_string_equal(call->error.where, "WORKFLOW_FAILED");
    }
    assert_string_equal(stored(d, id), "A {\"n\":2}"); /* CO had committed the document before. */
    driver_check(d);
}

static void others_are_refused_meanwhile(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}"), other = created(d, "{\"n\":5}");
    struct call *call = update_call(d, id, "GO", NULL);
    driver_submit(d, call);
    struct call *second = driver_run(d, update_call(d, id, "", "{\"n\":9}"));
    assert_int_equal(second->status, ST_CONFLICT);
    assert_string_equal(second->error.code, "CONFLICT");
    assert_int_equal(driver_node(d, CALL_CANCEL, id_of(id), "")->status, ST_CONFLICT);
    assert_int_equal(driver_run(d, update_call(d, other, "", "{\"n\":6}"))->status, ST_OK);
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_true(driver_answered(d, call));
    assert_string_equal(stored(d, id), "B {\"n\":1}");
    driver_check(d);
}

static void a_crash_leaves_nothing_of_it(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, call);
    struct job_view job = polled(d);
    driver_restart(d);
    assert_string_equal(stored(d, id), "A {\"n\":1}");
    nothing_to_compute(d);
    assert_int_equal(compute(d, job, "{}"), ST_NOT_FOUND); /* There never was such a job. */
    assert_string_equal(stored(d, id), "A {\"n\":1}");
    assert_int_equal(driver_run(d, update_call(d, id, "", "{\"n\":4}"))->status, ST_OK);
    driver_check(d);
}

static void a_commit_point_is_durable(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND(
                 "GO", "B", SYNC("p") "," COMMITS("q") "," SYNC("r")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, call);
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":3}}"), ST_OK);
    assert_false(driver_answered(d, call));
    assert_string_equal(driver_text(d, driver_instance(d, id_of(id))->data), "{\"n\":3}");
    struct job_view before = polled(d);
    driver_restart(d);
    struct job_view after = polled(d); /* The same request again. */
    assert_int_equal(before.number, after.number);
    assert_int_equal(compute(d, after, "{\"data\":{\"n\":4}}"), ST_OK);
    assert_string_equal(driver_text(d, driver_instance(d, id_of(id))->data), "{\"n\":3}");
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":4}");
    driver_check(d);
}

static void a_failure_after_a_commit_point_leads_back_to_it(void **state)
{
    struct driver *d = *state;
    begin(d,
          WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("q") "," SYNC("r")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, call);
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":4}}"), ST_OK);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, ST_INVALID);
    assert_string_equal(call->error.where, "COMPUTE_MEMBER_DISCONNECTED");
    assert_string_equal(stored(d, id), "A {\"n\":2}");
    nothing_to_compute(d);
    driver_check(d);
}

static void another_transition_ends_the_one_under_way(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("q")) "," BY_HAND(
                 "NO", "C", "") "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, call);
    struct job_view job = polled(d);
    assert_int_equal(driver_run(d, update_call(d, id, "NO", NULL))->status, ST_OK);
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, ST_CONFLICT);
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":4}}"), ST_OK);
    assert_string_equal(stored(d, id), "C {\"n\":2}");
    driver_check(d);
}

static void several_entities_are_written_together(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" SYNC(
                 "p") "]}]},\"B\":{}"));
    for (int fails = 0; fails < 2; fails++) {
        struct call *call = write_call(d, 3);
        for (size_t i = 0; i < 3; i++)
            call->as.entities.item[i] =
                (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, "{\"n\":1}") };
        driver_submit(d, call);
        struct job_view job[3] = { polled(d), polled(d), polled(d) };
        assert_int_equal(compute(d, job[2], "{}"), ST_OK);
        assert_int_equal(compute(d, job[0], "{}"), ST_OK);
        assert_false(driver_answered(d, call));
        assert_string_equal(stored(d, call->as.entities.item[2].id), "");
        assert_int_equal(fails ? compute_fails(d, job[1]) : compute(d, job[1], "{}"), ST_OK);
        assert_true(driver_answered(d, call));
        for (size_t i = 0; i < 3; i++)
            assert_string_equal(stored(d, call->as.entities.item[i].id), fails ? "" : "B {\"n\":1}");
    }
    nothing_to_compute(d);
    driver_check(d);
}

static void one_bad_item_spoils_the_others(void **state)
{
    struct driver *d = *state;
    begin(d, "[]");
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = write_call(d, 2);
    call->as.entities.item[0] =
        (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, "{\"n\":1}") };
    call->as.entities.item[1] = (struct entity_item){
        .action = ENTITY_UPDATE, .id = id, .data = driver_json(d, "{\"n\":7}"), .if_match = STR("other")
    };
    driver_run(d, call);
    assert_int_equal(call->status, ST_STALE);
    assert_string_equal(call->error.code, "ENTITY_MODIFIED");
    assert_string_equal(stored(d, call->as.entities.item[0].id), "");
    call = write_call(d, 2);
    call->as.entities.stale_fail_alone = true;
    call->as.entities.item[0] = (struct entity_item){
        .action = ENTITY_UPDATE, .id = id, .data = driver_json(d, "{\"n\":7}"), .if_match = STR("other")
    };
    call->as.entities.item[1] =
        (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, "{\"n\":1}") };
    driver_run(d, call);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->as.entities.item[0].status, ST_STALE);
    assert_string_equal(stored(d, call->as.entities.item[1].id), "CREATED {\"n\":1}");
    driver_check(d);
}

static void a_unit_does_not_wait_for_ever(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *call = update_call(d, id, "GO", NULL);
    driver_submit(d, call);
    driver_advance(d, 36000);
    driver_turn(d);
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, ST_INVALID);
    assert_string_equal(call->error.where, "WORKFLOW_FAILED");
    nothing_to_compute(d);
    assert_int_equal(driver_run(d, update_call(d, id, "", "{\"n\":2}"))->status, ST_OK);
    driver_check(d);
}

static void entities_follow_their_workflows(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", "") "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}"), other = created(d, "{\"n\":1}");
    import(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "C", "") "]},\"C\":{}"));
    assert_int_equal(driver_run(d, update_call(d, id, "GO", NULL))->status, ST_OK);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
    /* Its state is gone from the next version: it goes on with the one that it has. */
    struct call *replaced = driver_run(
        d, import_call(d, "[{\"name\":\"v\",\"initialState\":\"X\",\"states\":{\"X\":{}}}]", ENTITY_REPLACE));
    assert_int_equal(replaced->status, ST_OK);
    assert_int_equal(driver_run(d, update_call(d, other, "GO", NULL))->status, ST_OK);
    assert_string_equal(stored(d, other), "B {\"n\":1}");
    driver_check(d);
    driver_restart(d);
    assert_int_equal(driver_run(d, update_call(d, id, "", "{\"n\":5}"))->status, ST_OK);
    assert_string_equal(stored(d, id), "C {\"n\":5}");
    driver_check(d);
}

static void a_timer_fires_through_a_processor(void **state)
{
    struct driver *d = *state;
    begin(d,
          WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"schedule\":{\"delayMs\":1000},"
                   "\"processors\":[" SYNC("p") "]}]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}"), other = created(d, "{\"n\":2}");
    driver_advance(d, 1000);
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    const char *a = stored(d, id), *b = stored(d, other);
    assert_true((!strcmp(a, "B {\"n\":1}") && !strcmp(b, "A {\"n\":2}")) ||
                (!strcmp(a, "A {\"n\":1}") && !strcmp(b, "B {\"n\":2}")));
    driver_advance(d, 100000); /* The one that failed is not tried again. */
    nothing_to_compute(d);
    driver_check(d);
}

/* "x" if the model knows the field. */
static const char *knows(struct driver *d, const char *path)
{
    struct call *call = driver_call(d, CALL_GET_MODEL);
    model_types types;
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1 };
    driver_run(d, call);
    assert_int_equal(call->status, ST_OK);
    return model_find(call->value.models.view->schema, str_of(path), &types) == MODEL_FOUND ? "x" : "";
}

static void a_model_grows_when_the_write_happens(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "," BY_HAND(
                 "EARLY", "B", COMMITS("c") "," SYNC("p")) "]},\"B\":{}"));
    assert_int_equal(change(d, MODEL_SET_LEVEL, NULL), ST_OK);
    struct uuid id = created(d, "{\"n\":1,\"plain\":1}");
    assert_string_equal(knows(d, "$.plain"), "x");
    driver_submit(d, update_call(d, id, "GO", "{\"n\":1,\"dropped\":1}"));
    assert_string_equal(knows(d, "$.dropped"), "");
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_string_equal(knows(d, "$.dropped"), ""); /* Nothing is left of it. */
    driver_submit(d, update_call(d, id, "GO", "{\"n\":1,\"sent\":1}"));
    created(d, "{\"n\":1,\"meanwhile\":1}");
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":1,\"sent\":1,\"answered\":1}}"), ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":1,\"sent\":1,\"answered\":1}");
    static const char *const all[] = { "$.plain", "$.sent", "$.meanwhile", "$.answered" };
    for (size_t i = 0; i < COUNT(all); i++) assert_string_equal(knows(d, all[i]), "x");

    id = created(d, "{\"n\":1}");
    driver_submit(d, update_call(d, id, "EARLY", NULL));
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":1,\"between\":1}}"), ST_OK);
    assert_string_equal(knows(d, "$.between"), ""); /* The second processor decides. */
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_string_equal(knows(d, "$.between"), "x");
    driver_check(d);
}

/* After a restart nodes are about to come back. */
static void a_timer_waits_for_nodes_that_join_again(void **state)
{
    struct driver *d = *state;
    begin(d,
          WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"schedule\":{\"delayMs\":1000},"
                   "\"processors\":[" SYNC("p") "]}]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    driver_restart(d);
    driver_advance(d, 1000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compute_finds_nobody(d, polled(d)), ST_OK);
        nothing_to_compute(d);
        driver_advance(d, NODES_RETRY_MS);
    }
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":1}");
    driver_advance(d, NODES_GRACE_MS);
    id = created(d, "{\"n\":2}");
    driver_advance(d, 1000);
    assert_int_equal(compute_finds_nobody(d, polled(d)), ST_OK);
    driver_advance(d, NODES_GRACE_MS); /* Later it has had its time. */
    nothing_to_compute(d);
    assert_string_equal(stored(d, id), "A {\"n\":2}");
    driver_check(d);
}

static struct call *keyed(struct call *call, const char *key)
{
    call->idempotency_key = str_of(key);
    call->request_hash = 7;
    return call;
}

/* A key stands for what was done under it: nothing is, while its unit waits or after it was dropped. */
static void a_key_waits_with_its_unit(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" SYNC(
                 "p") "]}]},\"B\":{}"));
    struct call *first = keyed(create_call(d, "{\"n\":1}"), "k"),
                *again = keyed(create_call(d, "{\"n\":1}"), "k");
    driver_submit(d, first);
    assert_int_equal(driver_run(d, again)->status, ST_CONFLICT);
    assert_string_equal(again->error.code, "IDEMPOTENCY_CONFLICT");
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, first));
    assert_int_equal(first->status, ST_INVALID);

    first = keyed(create_call(d, "{\"n\":1}"), "k");
    driver_submit(d, first);
    assert_false(driver_answered(d, first)); /* Nothing was done under the key: it is done now. */
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_true(driver_answered(d, first));
    assert_int_equal(first->status, ST_OK);
    again = driver_run(d, keyed(create_call(d, "{\"n\":1}"), "k"));
    assert_true(again->replayed);
    assert_memory_equal(&again->as.entities.item[0].id, &first->as.entities.item[0].id, sizeof(struct uuid));
    nothing_to_compute(d);
    driver_check(d);
}

/* What was committed before the dispatch stays, so the key must not create it again. */
static void a_key_outlives_a_crash_in_its_run(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" COMMITS(
                 "p") "]}]},\"B\":{}"));
    struct call *first = keyed(create_call(d, "{\"n\":1}"), "k");
    driver_submit(d, first);
    struct call *again = driver_run(d, keyed(create_call(d, "{\"n\":1}"), "k"));
    assert_string_equal(again->error.code, "IDEMPOTENCY_CONFLICT");
    driver_restart(d);
    assert_true(driver_answered(d, first));
    again = driver_run(d, keyed(create_call(d, "{\"n\":1}"), "k"));
    assert_true(again->replayed);
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_string_equal(stored(d, again->as.entities.item[0].id), "B {\"n\":1}");
    nothing_to_compute(d);
    driver_check(d);
}

/* A unit that is dropped gives back what it took: the task that was under way before it. */
static void a_task_under_way_outlives_a_unit_that_is_dropped(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                 "OTHER", "C", SYNC("q")) "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *go = update_call(d, id, "GO", NULL), *other = update_call(d, id, "OTHER", NULL);
    driver_submit(d, go);
    driver_submit(d, other);
    struct job_view q = polled(d);
    assert_true(str_equal(q.type, STR("q")));
    assert_int_equal(compute_fails(d, q), ST_OK);
    assert_true(driver_answered(d, other));
    assert_int_equal(other->status, ST_INVALID);
    struct job_view p = polled(d);
    assert_true(str_equal(p.type, STR("p")));
    assert_int_equal(compute(d, p, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_true(driver_answered(d, go));
    assert_int_equal(go->status, ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":2}");
    driver_check(d);
}

/* The version of the workflows changes in the same write that has to wait. */
static void a_unit_takes_an_entity_to_the_newest_version(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", "") "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    import(d,
           WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "D", SYNC("p") "," COMMITS("q")) "]},\"D\":{}"));
    struct call *go = update_call(d, id, "GO", NULL);
    driver_submit(d, go);
    assert_int_equal(compute(d, polled(d), "{\"data\":{\"n\":2}}"), ST_OK);
    assert_string_equal(stored(d, id), "q {\"n\":2}");
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_true(driver_answered(d, go));
    assert_int_equal(go->status, ST_OK);
    assert_string_equal(stored(d, id), "D {\"n\":2}");
    driver_check(d);
    driver_restart(d);
    assert_string_equal(stored(d, id), "D {\"n\":2}");
    driver_check(d);
}

/* In one turn an entity leaves a state that the newest version lacks, and goes on with that version. */
static void a_turn_takes_an_entity_out_of_a_state_that_is_gone(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", "") "]},\"B\":{\"transitions\":[" BY_HAND(
                 "BACK", "A", "") "]}"));
    struct uuid id = created(d, "{\"n\":1}");
    assert_int_equal(driver_run(d, update_call(d, id, "GO", NULL))->status, ST_OK);
    struct call *replaced = driver_run(
        d, import_call(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("ON", "D", "") "]},\"D\":{}"),
                       ENTITY_REPLACE));
    assert_int_equal(replaced->status, ST_OK);
    struct call *back = update_call(d, id, "BACK", NULL), *on = update_call(d, id, "ON", "{\"n\":2}");
    struct call_list list = { 0 };
    call_list_add(&list, back);
    call_list_add(&list, on);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    assert_int_equal(back->status, ST_OK);
    assert_int_equal(on->status, ST_OK);
    assert_string_equal(stored(d, id), "D {\"n\":2}");
    driver_check(d);
}

/* In one turn the processor of a write fails, and the next write of the entity asks it again. */
static void a_unit_begins_in_the_turn_that_drops_another(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *first = update_call(d, id, "GO", NULL), *second = update_call(d, id, "GO", "{\"n\":2}");
    driver_submit(d, first);
    struct job_view job = polled(d);
    struct call *failure = driver_call(d, CALL_FAIL_JOB);
    failure->performs = true;
    failure->as.job.id = job_view_id(&job);
    failure->as.job.worker = STR("hub");
    struct call_list list = { 0 };
    call_list_add(&list, failure);
    call_list_add(&list, second);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    assert_true(driver_answered(d, first));
    assert_int_equal(first->status, ST_INVALID);
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_true(driver_answered(d, second));
    assert_int_equal(second->status, ST_OK);
    assert_string_equal(stored(d, id), "B {\"n\":2}");
    driver_check(d);
}

/* The answer comes in the turn in which the time for it is up. */
static void an_answer_at_the_last_moment_ends_a_unit_once(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    for (int completes = 0; completes < 2; completes++) {
        struct call *go = update_call(d, id, "GO", NULL);
        driver_submit(d, go);
        struct job_view job = polled(d);
        d->now_ms += 60000;
        struct call *answer = driver_call(d, completes ? CALL_COMPLETE_JOB : CALL_FAIL_JOB);
        answer->performs = true;
        answer->as.job.id = job_view_id(&job);
        answer->as.job.worker = STR("hub");
        driver_submit(d, answer);
        assert_true(driver_answered(d, go));
        assert_false(driver_answered(d, go));
        assert_int_equal(d->engine.transact.units.count, 0);
    }
    driver_check(d);
}

/* A create that fails behind a commit point has left an entity: the caller learns its id. */
static void a_failed_create_says_what_it_left(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW(
                 "\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"criterion\":{\"type\":\"simple\","
                 "\"jsonPath\":\"$.n\",\"operatorType\":\"EQUALS\",\"value\":1},\"processors\":[" COMMITS(
                     "p") "]},{\"name\":\"OR\",\"next\":\"B\",\"processors\":[" SYNC("q") "]}]},\"B\":{}"));
    struct call *left = create_call(d, "{\"n\":1}"), *nothing = create_call(d, "{\"n\":2}");
    driver_submit(d, left);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, left));
    assert_int_equal(left->status, ST_INVALID);
    assert_true(left->as.entities.is_left);
    assert_string_equal(stored(d, left->as.entities.item[0].id), "A {\"n\":1}");
    driver_submit(d, nothing);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, nothing));
    assert_false(nothing->as.entities.is_left);
    assert_string_equal(stored(d, nothing->as.entities.item[0].id), "");
    driver_check(d);
}

/* Two commit points in one transition, with a crash after each of them: the run goes on with the same
 * request, and who reads the answer's transaction may write with it. */
static void two_commit_points_outlive_two_crashes(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND(
                 "GO", "B",
                 COMMITS("p") "," COMMITS(
                     "q")) "]},"
                           "\"B\":{\"transitions\":[{\"name\":\"ON\",\"next\":\"C\"}]},\"C\":{}"));
    for (int crash = 0; crash < 2; crash++) {
        struct uuid id = created(d, "{\"n\":1}");
        struct call *go = update_call(d, id, "GO", "{\"n\":2}");
        driver_submit(d, go);
        struct job_view p = polled(d);
        if (crash) {
            driver_restart(d);
            assert_true(driver_answered(d, go));
            struct job_view again = polled(d);
            assert_int_equal(again.number, p.number);
            assert_int_equal(again.created_ms, p.created_ms);
        }
        assert_int_equal(compute(d, p, "{\"data\":{\"n\":3}}"), ST_OK);
        assert_string_equal(stored(d, id), "q {\"n\":3}");
        struct job_view q = polled(d);
        if (crash) driver_restart(d);
        if (crash) assert_int_equal(polled(d).number, q.number);
        assert_int_equal(compute(d, q, "{\"data\":{\"n\":4}}"), ST_OK);
        if (!crash) assert_true(driver_answered(d, go));
        if (!crash) assert_int_equal(go->status, ST_OK);
        assert_string_equal(stored(d, id), "C {\"n\":4}");
        struct call *next = update_call(d, id, "", "{\"n\":5}");
        next->as.entities.item[0].if_match = go->as.entities.transaction;
        assert_int_equal(driver_run(d, next)->status, ST_STALE); /* The answers were transactions, too. */
        nothing_to_compute(d);
        driver_check(d);
    }
}

/* Requests that nobody answers leave nothing behind. */
static void time_outs_leave_nothing_in_memory(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", SYNC("p")) "]},\"B\":{}"));
    for (int i = 0; i < 50; i++) {
        struct call *call = update_call(d, created(d, "{\"n\":1}"), "GO", NULL);
        driver_submit(d, call);
        polled(d);
        driver_advance(d, 36000);
        driver_turn(d);
        assert_true(driver_answered(d, call));
    }
    assert_int_equal(d->engine.transact.units.count, 0);
    assert_int_equal(d->engine.transact.units.bytes, 0);
    assert_int_equal(d->engine.transact.units.by_instance.count, 0);
    assert_int_equal(d->engine.memory.jobs.by_id.count, 0);
    driver_check(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(entities_are_created_changed_and_deleted),
        DRIVER_TEST(documents_must_fit_their_model),
        DRIVER_TEST(nothing_is_written_before_the_answer),
        DRIVER_TEST(a_failure_undoes_the_whole_write),
        DRIVER_TEST(a_write_that_has_waited_needs_its_model),
        DRIVER_TEST(an_answer_that_does_not_fit_is_a_failure),
        DRIVER_TEST(others_are_refused_meanwhile),
        DRIVER_TEST(a_crash_leaves_nothing_of_it),
        DRIVER_TEST(a_commit_point_is_durable),
        DRIVER_TEST(a_failure_after_a_commit_point_leads_back_to_it),
        DRIVER_TEST(another_transition_ends_the_one_under_way),
        DRIVER_TEST(several_entities_are_written_together),
        DRIVER_TEST(one_bad_item_spoils_the_others),
        DRIVER_TEST(a_unit_does_not_wait_for_ever),
        DRIVER_TEST(entities_follow_their_workflows),
        DRIVER_TEST(a_timer_fires_through_a_processor),
        DRIVER_TEST(a_model_grows_when_the_write_happens),
        DRIVER_TEST(a_timer_waits_for_nodes_that_join_again),
        DRIVER_TEST(a_key_waits_with_its_unit),
        DRIVER_TEST(a_key_outlives_a_crash_in_its_run),
        DRIVER_TEST(a_task_under_way_outlives_a_unit_that_is_dropped),
        DRIVER_TEST(a_unit_takes_an_entity_to_the_newest_version),
        DRIVER_TEST(a_turn_takes_an_entity_out_of_a_state_that_is_gone),
        DRIVER_TEST(a_unit_begins_in_the_turn_that_drops_another),
        DRIVER_TEST(an_answer_at_the_last_moment_ends_a_unit_once),
        DRIVER_TEST(a_failed_create_says_what_it_left),
        DRIVER_TEST(two_commit_points_outlive_two_crashes),
        DRIVER_TEST(time_outs_leave_nothing_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
