/* What the details of a person's task mean, and who may take it. */
#include "core/task.h"

#include "base/clock.h"
#include "base/datetime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static const struct json *parse(const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, &arena, &value, &err), ST_OK);
    return value;
}

static void details_are_read(void **state)
{
    (void)state;
    struct task_details task = task_read(
        parse("{\"title\":\"T\",\"description\":\"D\",\"assignee\":\"ada\",\"assignees\":[\"a\",\"b\"],"
              "\"groups\":\"g\",\"due\":\"P1D\",\"followUp\":\"2030-01-01T00:00:00Z\",\"priority\":7}"),
        1000);
    int64_t follow_up_ms;
    assert_true(datetime_parse(STR("2030-01-01T00:00:00Z"), &follow_up_ms));
    assert_true(str_equal(task.title, STR("T")) && str_equal(task.description, STR("D")));
    assert_true(str_equal(task.assignee, STR("ada")));
    assert_true(task_has_name(task.assignees, STR("b")) && !task_has_name(task.assignees, STR("c")));
    assert_true(task_has_name(task.groups, STR("g")));
    assert_int_equal(task.due_ms, 1000 + 24 * 3600 * 1000);
    assert_int_equal(task_time(json_of_int(&arena, 500), 1000), 1500);
    assert_int_equal(task.follow_up_ms, follow_up_ms);
    assert_int_equal(task.priority, 7);
}

/* Details come out of expressions: what has another form is not there. */
static void details_of_another_form_are_absent(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "null",
        "[]",
        "{}",
        ("{\"title\":1,\"assignee\":null,\"assignees\":7,\"groups\":{},\"due\":\"soon\",\"followUp\":-5,"
         "\"priority\":\"high\"}"),
        "{\"assignees\":[],\"groups\":[1,null,\"\"],\"due\":\"\",\"followUp\":\"-P1D\",\"priority\":101}",
        "{\"due\":\"P99999999999Y\",\"priority\":1.5}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct task_details task = task_read(parse(texts[i]), 1000);
        size_t cursor = 0;
        str name;
        assert_true(!task.title.n && !task.assignee.n && !task.due_ms && !task.follow_up_ms);
        assert_int_equal(task.priority, TASK_PRIORITY_DEFAULT);
        assert_false(task_next_name(task.assignees, &cursor, &name) ||
                     task_next_name(task.groups, &cursor, &name));
    }
    assert_int_equal(task_read(NULL, 0).priority, TASK_PRIORITY_DEFAULT);
}

static void who_may_complete_and_claim(void **state)
{
    (void)state;
    static const struct {
        const char *details, *actor, *groups;
        enum status complete, claim;
    } cases[] = {
        { "{}", "ada", NULL, ST_OK, ST_OK },
        { "{}", "", NULL, ST_OK, ST_INVALID }, /* Nobody in particular may complete what is for everybody. */
        { "{\"assignee\":\"ada\"}", "ada", NULL, ST_OK, ST_OK },
        { "{\"assignee\":\"ada\"}", "bob", NULL, ST_FORBIDDEN, ST_CONFLICT },
        { "{\"assignee\":\"ada\",\"assignees\":[\"bob\"]}", "bob", NULL, ST_FORBIDDEN, ST_CONFLICT },
        { "{\"assignees\":[\"ada\"]}", "ada", NULL, ST_OK, ST_OK },
        { "{\"assignees\":[\"ada\"]}", "bob", NULL, ST_FORBIDDEN, ST_FORBIDDEN },
        { "{\"assignees\":[\"ada\"]}", "", NULL, ST_FORBIDDEN, ST_INVALID },
        { "{\"assignees\":[\"ada\"]}", "bob", "[\"it\"]", ST_FORBIDDEN, ST_FORBIDDEN },
        { "{\"assignees\":\"ada\"}", "bob", NULL, ST_FORBIDDEN,
          ST_FORBIDDEN },                                                     /* One text is a list of one. */
        { "{\"groups\":[\"it\"]}", "bob", NULL, ST_FORBIDDEN, ST_FORBIDDEN }, /* Nobody said a group. */
        { "{\"groups\":[\"it\",\"hr\"]}", "", NULL, ST_FORBIDDEN, ST_INVALID },
        { "{\"groups\":[\"it\"]}", "bob", "[]", ST_FORBIDDEN, ST_FORBIDDEN },
        { "{\"groups\":[\"it\"]}", "bob", "[\"sales\"]", ST_FORBIDDEN, ST_FORBIDDEN },
        { "{\"groups\":[\"it\"]}", "bob", "[\"sales\",\"it\"]", ST_OK, ST_OK },
        { "{\"groups\":\"it\"}", "", "[\"it\"]", ST_OK,
          ST_INVALID }, /* A member without a name may answer. */
        { "{\"groups\":[\"it\"],\"assignee\":\"bob\"}", "bob", NULL, ST_OK, ST_OK },
        { "{\"assignees\":[\"ada\"],\"groups\":[\"it\"]}", "bob", "[\"it\"]", ST_OK, ST_OK },
        { "{\"assignees\":[\"ada\"],\"groups\":[\"it\"]}", "ada", NULL, ST_OK, ST_OK },
        { "{\"assignees\":[\"ada\"],\"groups\":[\"it\"]}", "bob", NULL, ST_FORBIDDEN, ST_FORBIDDEN },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        const struct json *details = parse(cases[i].details),
                          *groups = cases[i].groups ? parse(cases[i].groups) : NULL;
        const struct task_person person = { .name = str_of(cases[i].actor), .groups = groups };
        if (task_check_answer(details, &person, &err) != cases[i].complete ||
            task_check_claim(details, &person, &err) != cases[i].claim)
            fail_msg("case %zu: %s", i, err.message);
    }
}

static void a_scenarios_person_is_in_every_group(void **state)
{
    (void)state;
    struct error err;
    const struct task_person person = { .name = STR("scenario"), .in_any_group = true };
    assert_int_equal(task_check_answer(parse("{\"groups\":[\"it\"]}"), &person, &err), ST_OK);
    assert_int_equal(task_check_answer(parse("{\"assignees\":[\"ada\"]}"), &person, &err), ST_FORBIDDEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details_are_read),
        cmocka_unit_test(details_of_another_form_are_absent),
        cmocka_unit_test(who_may_complete_and_claim),
        cmocka_unit_test(a_scenarios_person_is_in_every_group),
    };
    arena_init(&arena, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_done(&arena);
    return failed;
}
