/* Random commands in random order: the driver's checks must hold after each, and an
 * instance must never get stuck in a way that its state does not explain. */

#include "core/driver.h"

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static const char *const definitions[] = {
    /* A loop through a gateway, with timers of both kinds and a decision in a branch. */
    TASK_WITH("in", "'nextStep':'f','retryCount':1") FORK("f", "'a','c','p'", "j")
        TASK_WITH("a", "'nextStep':'a2','retryCount':2," TIMERS(
                           TIMER("PT1M", "false", "note") "," TIMER("PT2M", "true", "a2"))) TASK("a2", "j")
            TASK("note", "j") CHOOSE("c", "'n % 2 == 0':'b','n % 2 == 1':'w'") TASK("b", "j")
                STEP("w", "WAIT", NEXT("j") "," TIMERS(TIMER("PT30S", "true", "b"))) PERSON("p", "j")
                    JOIN("j", "again") CHOOSE("again", "'n < 3':'count','n >= 3':'end'")
                        SET("count", "'n':'${n + 1}'", "f") END("end"),
    /* Branches that fail, rest, vanish and end. */
    FORK("f", "'a','b','p','t'", "j") TASK_WITH("a", "'conditionalNextSteps':{'n > 1':'j','n == 1':'out'}")
        TASK_WITH("b",
                  "'nextStep':'j'," TIMERS(TIMER("PT1S", "false", "rest") "," TIMER("PT2S", "false", "gone")))
            STEP("rest", "SERVICE_TASK", ",'jobType':'rest'") STEP("gone", "USER_TASK", "") PERSON("p", "j")
                TABLE("t", "U",
                      "{'when':{'x':'n > 2'},'outputs':{'big':true}},{'when':{'x':'n < "
                      "2'},'outputs':{'big':false}}",
                      "j") JOIN("j", "end") END("end") END("out"),
};

static const char *const answers[] = {
    NULL,          "{}", "{'n':0}", "{'n':1}", "{'n':2}", "{'n':3,'deep':{'a':1}}", "{'deep':{'b':[1,2]}}",
    "{'n':'text'}"
};

/* Tokens and places as they come: most of it is refused. */
static struct command random_modify(struct driver *d, uint64_t *seed)
{
    const struct instance *instance = d->instance;
    size_t count = next_random(seed) % 4;
    struct modification *list = arena_make_n(&d->arena, struct modification, count);
    for (size_t i = 0; i < count; i++) {
        list[i].kind = (enum modification_kind)(next_random(seed) % 3);
        if (instance->token_count && (list[i].kind != MODIFY_ADD || next_random(seed) % 2))
            list[i].execution = instance->token[next_random(seed) % instance->token_count].execution;
        list[i].to = d->program->node[next_random(seed) % d->program->node_count].name;
    }
    return (struct command){ .kind = COMMAND_MODIFY,
                             .as.modify.modification = list,
                             .as.modify.modification_count = count,
                             .data = driver_json(d, answers[next_random(seed) % COUNT(answers)]),
                             .as.modify.unset =
                                 driver_json(d, next_random(seed) % 4 ? NULL : "['deep','n']") };
}

static struct command random_command(struct driver *d, uint64_t *seed)
{
    const struct instance *instance = d->instance;
    struct command command = { .data = driver_json(d, answers[next_random(seed) % COUNT(answers)]) };
    uint32_t dice = next_random(seed) % 100;
    const struct token *token =
        instance->token_count ? &instance->token[next_random(seed) % instance->token_count] : NULL;
    if (next_random(seed) % 8 == 0) return random_modify(d, seed);
    if (instance->status == INSTANCE_FAILED) {
        command.kind = COMMAND_RETRY;
        for (size_t i = 0; i < instance->token_count; i++)
            if (instance->token[i].state == TOKEN_FAILED) token = &instance->token[i];
    } else if (dice < 2) {
        command.kind = COMMAND_CANCEL;
    } else if (dice < 20 && instance->timer_count) {
        command.kind = COMMAND_FIRE_TIMER;
        command.as.timer.number = instance->timer[next_random(seed) % instance->timer_count].number;
    } else if (dice < 60 && instance->job_count) {
        command.kind = dice < 30 ? COMMAND_FAIL_JOB : COMMAND_COMPLETE_JOB;
        command.as.job.number = instance->job[next_random(seed) % instance->job_count].number;
        command.as.job.text = STR("no luck");
        command.as.job.retryable = dice < 28;
    } else if (dice < 65) {
        command.kind = COMMAND_COMPLETE_JOB; /* Stale, mostly. */
        command.as.job.number = next_random(seed) % (instance->next_number + 1);
    } else {
        command.kind = dice % 2 ? COMMAND_SIGNAL : COMMAND_COMPLETE_TASK;
    }
    bool named = command.kind == COMMAND_RETRY || command.kind == COMMAND_SIGNAL ||
                 command.kind == COMMAND_COMPLETE_TASK;
    if (token && named) command.as.node.node = token->node_name;
    return command;
}

static void random_commands_keep_every_invariant(void **state)
{
    size_t ends[INSTANCE_STATUS_COUNT] = { 0 }, modified = 0, refused = 0;
    (void)state;
    for (size_t which = 0; which < COUNT(definitions); which++) {
        for (uint64_t round = 0; round < 150; round++) {
            struct driver d;
            uint64_t seed = round * 2 + which;
            driver_begin(&d, definitions[which]);
            start(&d, "{'n':0}");
            for (uint64_t i = 0; i < 10 + round % 51; i++) {
                d.now_ms += next_random(&seed) % 50000;
                struct command command = random_command(&d, &seed);
                bool done = driver_do(&d, command) == ST_OK;
                if (command.kind == COMMAND_MODIFY) *(done ? &modified : &refused) += 1;
                /* Only what is seen at the end may say so: the rules are meant to see it before. */
                if (!done && str_starts(str_of(d.rejection.message), STR("this cannot be")))
                    fail_msg("%s", d.rejection.message);
            }
            size_t count;
            driver_rows(&d, &count);
            ends[d.instance->status]++;
            driver_end(&d);
        }
    }
    /* The dice must reach every kind of end, or they test less than they seem to. */
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (!ends[i]) fail_msg("no run ended %s", instance_status_word((enum instance_status)i));
    assert_true(modified > 100 && refused > 100);
}

/* The whole state can be rebuilt from the history alone. */
static void a_life_can_be_replayed_from_its_birth(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        struct driver d;
        uint64_t seed = 1000 + round;
        driver_begin(&d, definitions[0]);
        start(&d, "{'n':0}");
        for (int i = 0; i < 60; i++) (void)driver_do(&d, random_command(&d, &seed));
        const struct created created = { .id = 7, .definition = 3, .business_key = STR("key-1") };
        const struct instance *now = NULL;
        struct error err;
        for (size_t i = 0; i < d.history_count; i++)
            assert_int_equal(core_replay(d.program, now, &created, &d.history[i], &d.arena, &now, &err),
                             ST_OK);
        assert_bytes(driver_encoded(&d, now), driver_encoded(&d, d.instance), "a life");
        driver_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_commands_keep_every_invariant),
        cmocka_unit_test(a_life_can_be_replayed_from_its_birth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
