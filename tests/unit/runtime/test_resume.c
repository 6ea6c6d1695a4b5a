#include "runtime/driver.h"
#include "runtime/tasks/resume.h"

static const char *definition(const char *name) { return document("runtime/resume", name); }

static struct call *resume(struct driver *driver, struct id instance, const char *body)
{
    struct call *call = driver_call(driver, CALL_COMPLETE_TASK);
    struct error err;
    assert_int_equal(resume_read(driver_json(driver, body), instance, call, &err), ST_OK);
    call->as.instance.actor = STR("ann");
    return driver_run(driver, call);
}

static struct call *resume_task(struct driver *driver, struct id instance, struct id task, const char *rest)
{
    char body[128], text[ID_CHARS + 1];
    id_print(task, text);
    snprintf(body, sizeof body, "{\"taskId\":\"%s\"%s}", text, rest);
    return resume(driver, instance, body);
}

static void expect_refusal(const struct call *call, enum status status, const char *code)
{
    assert_int_equal(call->status, status);
    assert_non_null(call->error.code);
    assert_string_equal(call->error.code, code);
}

/* The ids of the open tasks of an instance. */
static size_t tasks_of(struct driver *driver, struct id instance, struct id ret_id[8])
{
    struct call *list = driver_run(driver, driver_call(driver, CALL_LIST_TASKS));
    size_t count = 0;
    for (size_t i = 0; i < list->value.tasks.count; i++) {
        const struct task_row *row = &list->value.tasks.row[i];
        if (row->instance != instance.instance) continue;
        ret_id[count++] =
            (struct id){ .ms = row->created_ms, .instance = row->instance, .number = row->execution };
    }
    return count;
}

static void the_only_open_task_is_meant(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    struct call *call = resume(driver, id, "{\"decision\":\"yes\",\"n\":5}");
    assert_int_equal(call->status, ST_OK);
    assert_string_equal(driver_text(driver, driver_instance(driver, id)->data),
                        "{\"decision\":\"yes\",\"n\":5}");
    expect_refusal(resume(driver, id, "{}"), ST_CONFLICT, "NOT_WAITING");
}

static void a_task_is_named_by_its_id_which_is_no_part_of_the_answer(void **state)
{
    struct driver *driver = *state;
    struct id task[8];
    driver_deploy(driver, definition("two"));
    struct id id = driver_started(driver, "two", NULL);
    assert_int_equal(tasks_of(driver, id, task), 2);
    struct call *several = resume(driver, id, "{\"taskId\":null}");
    expect_refusal(several, ST_CONFLICT, "AMBIGUOUS_TASK");
    for (int i = 0; i < 2; i++) {
        char text[ID_CHARS + 1];
        id_print(task[i], text);
        assert_non_null(strstr(several->error.message, text));
    }
    assert_int_equal(resume_task(driver, id, task[0], ",\"x\":1")->status, ST_OK);
    expect_refusal(resume_task(driver, id, task[0], ""), ST_CONFLICT, "TASK_ALREADY_COMPLETED");
    assert_int_equal(resume(driver, id, "{}")->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, driver_instance(driver, id)->data), "{\"x\":1}");
    expect_refusal(resume_task(driver, id, task[1], ""), ST_CONFLICT, "TASK_ALREADY_COMPLETED");
}

static void ids_that_name_nothing_are_told_apart(void **state)
{
    struct driver *driver = *state;
    struct id task[8];
    driver_deploy(driver, definition("person"));
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "person", NULL), other = driver_started(driver, "worker", NULL);
    assert_int_equal(tasks_of(driver, id, task), 1);
    struct id unknown = { .ms = id.ms, .instance = 999 };
    expect_refusal(resume(driver, unknown, "{}"), ST_NOT_FOUND, "INSTANCE_NOT_FOUND");
    expect_refusal(resume(driver, id, "{\"taskId\":\"nonsense\"}"), ST_NOT_FOUND, "TASK_NOT_FOUND");
    expect_refusal(resume_task(driver, other, task[0], ""), ST_NOT_FOUND, "TASK_NOT_FOUND");
    struct id later = task[0];
    later.number += 100;
    expect_refusal(resume_task(driver, id, later, ""), ST_NOT_FOUND, "TASK_NOT_FOUND");
    struct id earlier = task[0];
    earlier.ms--;
    expect_refusal(resume_task(driver, id, earlier, ""), ST_NOT_FOUND, "TASK_NOT_FOUND");
    expect_refusal(resume(driver, other, "{}"), ST_CONFLICT, "NOT_WAITING");
    assert_int_equal(resume_task(driver, id, task[0], "")->status, ST_OK);
}

static void a_task_that_expired_or_was_cancelled_is_not_open(void **state)
{
    struct driver *driver = *state;
    struct id task[8];
    driver_deploy(driver, definition("person"));
    struct id expired = driver_started(driver, "person", NULL);
    assert_int_equal(tasks_of(driver, expired, task), 1);
    driver_advance(driver, 3600000);
    expect_refusal(resume_task(driver, expired, task[0], ""), ST_CONFLICT, "TASK_ALREADY_COMPLETED");
    expect_refusal(resume(driver, expired, "{}"), ST_CONFLICT, "NOT_WAITING");
    struct id cancelled = driver_started(driver, "person", NULL);
    assert_int_equal(tasks_of(driver, cancelled, task), 1);
    assert_int_equal(driver_node(driver, CALL_CANCEL, cancelled, "")->status, ST_OK);
    expect_refusal(resume_task(driver, cancelled, task[0], ""), ST_CONFLICT, "TASK_ALREADY_COMPLETED");
}

static void the_same_key_gives_the_first_answer(void **state)
{
    struct driver *driver = *state;
    struct error err;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    for (int i = 0; i < 2; i++) {
        struct call *call = driver_call(driver, CALL_COMPLETE_TASK);
        assert_int_equal(resume_read(driver_json(driver, "{\"decision\":\"yes\"}"), id, call, &err), ST_OK);
        call->as.instance.actor = STR("ann");
        call->idempotency_key = STR("k");
        assert_int_equal(driver_run(driver, call)->status, ST_OK);
        assert_int_equal(call->replayed, i == 1);
    }
}

static void a_body_is_an_object_and_a_task_a_text(void **state)
{
    struct driver *driver = *state;
    static const char *const bodies[] = { "5", "[]", "null", "{\"taskId\":5}" };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct error err;
        struct call *call = driver_call(driver, CALL_COMPLETE_TASK);
        assert_int_equal(resume_read(driver_json(driver, bodies[i]), (struct id){ 0 }, call, &err),
                         ST_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_only_open_task_is_meant, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_task_is_named_by_its_id_which_is_no_part_of_the_answer,
                                        driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(ids_that_name_nothing_are_told_apart, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_task_that_expired_or_was_cancelled_is_not_open, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(the_same_key_gives_the_first_answer, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_body_is_an_object_and_a_task_a_text, driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
