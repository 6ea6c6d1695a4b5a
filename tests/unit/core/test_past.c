/* The data of an instance as it was, from its histories newest first. */
#include "core/driver.h"

enum { STEPS_MAX = 16 };

struct was {
    const struct json *data, *carried;
};

static struct driver d;
static struct was was[STEPS_MAX];

static void begin(const char *states)
{
    driver_begin_empty(&d);
    str text = arena_printf(&d.arena,
                            "{'entityName':'e','modelVersion':1,'workflows':[{'name':'w','initialState':'A',"
                            "'states':{%s}}]}",
                            states);
    str document = driver_text(&d, text.p);
    struct arena kept = d.arena;
    driver_begin_document(&d, document);
    arena_done(&kept);
}

static void act(struct command command)
{
    command.stamp = driver_json(&d, "{'previousTransition':'x'}");
    assert_int_equal(driver_do(&d, command), ST_OK);
    size_t revision = d.history_count;
    was[revision].data = d.instance->data;
    was[revision].carried = d.instance->token_count ? d.instance->token[0].carried : NULL;
}

static void fire_transition(const char *name, const char *data)
{
    act((struct command){ .kind = COMMAND_FIRE,
                          .as.fire.transition = str_of(name),
                          .data = data ? driver_json(&d, data) : NULL });
}

/* How many histories it took to tell the state after the revision. */
static size_t look_back(size_t revision, struct past_state *ret_state)
{
    struct past *past = core_past_new(&d.arena);
    struct error err;
    size_t told = 0;
    for (bool done = false; !done; told++) {
        assert_true(told < revision);
        done = core_past_tell(past, &d.history[revision - told - 1]);
    }
    assert_int_equal(core_past_end(past, ret_state, &err), ST_OK);
    return told;
}

static void every_state_of_the_past_is_found(void **state)
{
    (void)state;
    begin("'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[{'name':'p',"
          "'executionMode':'COMMIT_BEFORE_DISPATCH'}]}]},'B':{'transitions':[{'name':'BACK','next':'A',"
          "'manual':true}]}");
    act((struct command){ .kind = COMMAND_START,
                          .as.start.instance = 7,
                          .as.start.definition = 3,
                          .data = driver_json(&d, "{'n':1,'old':true}") });
    fire_transition("", "{'n':2}");
    fire_transition("GO", NULL); /* The document stays. */
    act((struct command){ .kind = COMMAND_COMPLETE_JOB,
                          .as.job.number = job_of(&d, "p")->number,
                          .data = driver_json(&d, "{'data':{'n':3}}") });
    act((struct command){ .kind = COMMAND_MODIFY,
                          .data = driver_json(&d, "{'m':1}"),
                          .as.modify.unset = driver_json(&d, "['n']") });
    act((struct command){ .kind = COMMAND_MODIFY, .data = driver_json(&d, "{'m':{'k':2}}") });
    fire_transition("BACK", "{'n':{}}");
    for (size_t revision = 1; revision <= d.history_count; revision++) {
        struct past_state found;
        look_back(revision, &found);
        assert_true(json_equal(found.data, was[revision].data));
        assert_true(json_equal(found.carried, was[revision].carried));
        assert_false(found.has_ended);
    }
    driver_end(&d);
}

static void looking_back_ends_at_the_last_write(void **state)
{
    struct past_state found;
    (void)state;
    begin("'A':{'transitions':[{'name':'GO','next':'A','manual':true}]}");
    act((struct command){ .kind = COMMAND_START,
                          .as.start.instance = 7,
                          .as.start.definition = 3,
                          .data = driver_json(&d, "{'n':1}") });
    for (int i = 0; i < 5; i++) fire_transition("GO", "{'n':2}");
    fire_transition("GO", NULL);
    assert_int_equal(look_back(6, &found), 1);
    assert_int_equal(look_back(7, &found), 2);
    act((struct command){ .kind = COMMAND_CANCEL, .as.cancel.reason = STR("gone") });
    look_back(8, &found);
    assert_true(found.has_ended);
    look_back(7, &found);
    assert_false(found.has_ended);
    driver_end(&d);
}

/* A damaged store may hold anything. */
static void histories_that_do_not_fit_are_refused(void **state)
{
    struct arena arena;
    struct error err;
    struct past_state found;
    (void)state;
    arena_init(&arena, 0);
    static const struct entry odd[] = {
        { .kind = ENTRY_KIND_SCOPE_DATA, .merge = 77 },
        { .kind = ENTRY_KIND_DATA, .merge = MERGE_DEEP },
        { .kind = ENTRY_KIND_DATA_CUT },
        { .kind = ENTRY_KIND_STATUS, .status = 99 },
    };
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct past *past = core_past_new(&arena);
        const struct history history = { .command = COMMAND_START, .entry = &odd[i], .entry_count = 1 };
        assert_true(core_past_tell(past, &history));
        assert_int_equal(core_past_end(past, &found, &err), i < 3 ? ST_INTERNAL : ST_OK);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_of_the_past_is_found),
        cmocka_unit_test(looking_back_ends_at_the_last_write),
        cmocka_unit_test(histories_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
