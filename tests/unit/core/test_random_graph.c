/* Random commands in random order to flow graphs: the driver's checks must hold after each. */
#include "documents.h"

#include "core/driver.h"

#include "base/hash.h"

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Members of documents/graph.json. */
static const char *const definitions[] = { "mixed_undo",  "mixed_all_at_once", "mixed_handler",
                                           "mixed_plain", "mixed_rest",        "early",
                                           "mixed_begin" };

static const char *const arrivals[] = {
    "{'payload':{'m':0,'items':[1,2,3,4,5,6]},'triggered_at':'x'}",
    "{'payload':{'m':1,'items':[]},'triggered_at':'x'}",
    "{'payload':{'m':2,'items':[1,{'a':2},null]},'triggered_at':'x'}",
    "{'payload':{'m':'text','items':7},'triggered_at':'x'}",
    "{'payload':null}",
};
static const char *const answers[] = { "{'decision':'yes'}", "{'decision':'no','x':1}",
                                       "{'decision':'maybe'}", "{}" };
static const char *const results[] = { "{'status_code':200,'headers':{},'body':1}",
                                       "{'status_code':200,'headers':{},'body':{'a':[1]}}", "{'other':1}" };

static const struct json *one_of(struct driver *d, const char *const *texts, size_t count, uint64_t *seed)
{
    return driver_json(d, texts[next_random(seed) % count]);
}
#define ONE_OF(d, texts, seed) one_of(d, texts, COUNT(texts), seed)

static struct command job_command(struct driver *d, uint64_t *seed)
{
    const struct instance *instance = d->instance;
    const struct job *job = &instance->job[next_random(seed) % instance->job_count];
    if (next_random(seed) % 4)
        return (struct command){ .kind = COMMAND_COMPLETE_JOB,
                                 .as.job.number = job->number,
                                 .data = ONE_OF(d, results, seed) };
    return (struct command){ .kind = COMMAND_FAIL_JOB,
                             .as.job.number = job->number,
                             .as.job.text = STR("no luck"),
                             .as.job.retryable = next_random(seed) % 2 != 0 };
}

static struct command modify_command(struct driver *d, uint64_t *seed)
{
    const struct instance *instance = d->instance;
    struct modification *one = arena_make_n(&d->arena, struct modification, 1);
    one->kind = (enum modification_kind)(next_random(seed) % 3);
    if (instance->token_count)
        one->execution = instance->token[next_random(seed) % instance->token_count].execution;
    one->to = d->program->node[next_random(seed) % d->program->node_count].name;
    return (struct command){ .kind = COMMAND_MODIFY,
                             .as.modify.modification = one,
                             .as.modify.modification_count = 1,
                             .as.modify.reason = next_random(seed) % 2 ? STR("it was wrong") : STR_NONE };
}

static struct command token_command(struct driver *d, uint64_t *seed, enum command_kind kind)
{
    const struct instance *instance = d->instance;
    struct command command = { .kind = kind, .actor = STR("ann"), .data = ONE_OF(d, answers, seed) };
    if (!instance->token_count) return command;
    const struct token *token = &instance->token[next_random(seed) % instance->token_count];
    if (kind == COMMAND_ASSIGN_TASK) {
        command.as.task.execution = token->execution;
        return command;
    }
    command.as.node.node = token->node_name;
    command.as.node.number = kind == COMMAND_COMPLETE_TASK ? token->execution : 0;
    for (size_t i = 0; kind == COMMAND_RETRY && i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED) command.as.node.node = instance->token[i].node_name;
    if (kind == COMMAND_RETRY) command.data = NULL;
    return command;
}

static struct command random_command(struct driver *d, uint64_t *seed)
{
    const struct instance *instance = d->instance;
    uint32_t dice = next_random(seed) % 100;
    if (instance->is_held && dice < 50) return (struct command){ .kind = COMMAND_PROCEED };
    if (instance->status == INSTANCE_FAILED && dice < 60) return token_command(d, seed, COMMAND_RETRY);
    if (dice < 1)
        return (struct command){ .kind = COMMAND_CANCEL, .as.cancel.fails = next_random(seed) % 2 != 0 };
    if (dice < 8)
        return (struct command){ .kind = COMMAND_ARRIVE,
                                 .as.arrive.arrival = dice < 6 ? STR("t2") : STR("t"),
                                 .data = ONE_OF(d, arrivals, seed) };
    if (dice < 10) return modify_command(d, seed);
    if (dice < 12)
        return (struct command){ .kind = COMMAND_MIGRATE,
                                 .as.migrate = { .from = d->program,
                                                 .definition = 3 + next_random(seed) % 2,
                                                 .retries = next_random(seed) % 2 != 0 } };
    if (dice < 30 && instance->lock_count)
        return (struct command){ .kind = COMMAND_GRANT,
                                 .as.timer.number =
                                     instance->lock[next_random(seed) % instance->lock_count].number };
    if (dice < 60 && instance->job_count) return job_command(d, seed);
    if (dice < 80 && instance->timer_count) {
        uint32_t number = instance->timer[next_random(seed) % instance->timer_count].number;
        if (number || next_random(seed) % 8 == 0)
            return (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = number };
    }
    if (dice < 84) return token_command(d, seed, COMMAND_ASSIGN_TASK);
    return token_command(d, seed, COMMAND_COMPLETE_TASK);
}

/* What the dice must reach, or they test less than they seem to. */
struct reached {
    size_t ends[INSTANCE_STATUS_COUNT];
    size_t entries[ENTRY_KIND_COUNT];
};

static void live(const char *name, uint64_t seed, struct reached *reached)
{
    struct driver d;
    driver_begin_document(&d, str_of(document("core/graph", name)));
    struct command start = { .kind = COMMAND_START,
                             .data = driver_json(&d, arrivals[seed / COUNT(definitions) % 3]) };
    start.as.start = (struct command_start){ .instance = 7,
                                             .definition = 3,
                                             .arrival = STR("t"),
                                             .is_held = seed % 7 == 0,
                                             .is_test = seed % 11 == 0 };
    assert_int_equal(driver_do(&d, start), ST_OK);
    for (uint64_t i = 0; i < 20 + seed % 61; i++) {
        d.now_ms += next_random(&seed) % 20000;
        (void)driver_do(&d, random_command(&d, &seed));
        if (str_starts(str_of(d.rejection.message), STR("this cannot be")))
            fail_msg("%s", d.rejection.message);
    }
    size_t count;
    driver_rows(&d, &count);
    reached->ends[d.instance->status]++;
    for (size_t h = 0; h < d.history_count; h++)
        for (size_t i = 0; i < d.history[h].entry_count; i++) reached->entries[d.history[h].entry[i].kind]++;
    driver_end(&d);
}

static void random_commands_keep_every_invariant(void **state)
{
    struct reached reached = { .ends = { 0 } };
    (void)state;
    for (size_t which = 0; which < COUNT(definitions); which++)
        for (uint64_t round = 0; round < 250; round++)
            live(definitions[which], round * COUNT(definitions) + which, &reached);
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (!reached.ends[i]) fail_msg("no run ended %s", instance_status_word((enum instance_status)i));
    for (int i = ENTRY_KIND_TEST; i < ENTRY_KIND_COUNT; i++)
        if (!reached.entries[i] && i != ENTRY_KIND_REPLACED && i != ENTRY_KIND_FIRE)
            fail_msg("no run had a \"%s\"", entry_word((enum entry_kind)i));
}

/* ---- damage ---- */

static void sign(char *bytes, size_t n)
{
    uint64_t checksum = hash_bytes((str){ bytes, n - 8 });
    memcpy(bytes + n - 8, &checksum, 8);
}

/* Bytes that differ in a few places, with a right checksum. */
static str damaged(str good, struct arena *arena, uint64_t *seed)
{
    char *bad = memcpy(arena_alloc(arena, good.n), good.p, good.n);
    for (uint32_t flips = 1 + next_random(seed) % 3; flips > 0; flips--)
        bad[1 + next_random(seed) % (good.n - 9)] = (char)next_random(seed);
    sign(bad, good.n);
    return (str){ bad, good.n };
}

/* What decodes must be fit to go on with. True if it did. */
static bool damaged_state_is_safe(const struct driver *d, str good, uint64_t *seed)
{
    struct driver other = *d;
    struct error err;
    struct outcome outcome;
    const struct instance *instance = NULL;
    arena_init(&other.arena, 0);
    str bad = damaged(good, &other.arena, seed);
    bool decoded = core_decode(bad, d->program, &other.arena, &instance, &err) == ST_OK;
    other.instance = instance;
    for (int i = 0; decoded && i < 8; i++) {
        struct command command = random_command(&other, seed);
        command.now_ms = d->now_ms;
        if (core_step(d->program, other.instance, &command, &d->limits, &other.arena, &outcome, &err) ==
            ST_OK)
            other.instance = outcome.instance;
    }
    arena_done(&other.arena);
    return decoded;
}

static void damaged_history_is_safe(const struct driver *d, str good, const struct instance *before,
                                    uint64_t *seed)
{
    struct arena arena;
    struct error err;
    struct history history;
    struct execution *row;
    size_t count;
    const struct instance *after;
    arena_init(&arena, 0);
    if (history_decode(damaged(good, &arena, seed), &arena, &history, &err) == ST_OK) {
        if (before) (void)core_replay(d->program, before, NULL, &history, &arena, &after, &err);
        (void)core_executions(d->program, &history, 1, &arena, &row, &count, &err);
    }
    arena_done(&arena);
}

static void states_and_histories_that_lie_are_safe(void **state)
{
    size_t decoded = 0;
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        struct driver d;
        uint64_t seed = round;
        driver_begin_document(&d, str_of(document("core/graph", definitions[round % COUNT(definitions)])));
        struct command start = { .kind = COMMAND_START, .data = driver_json(&d, arrivals[round % 3]) };
        start.as.start = (struct command_start){ .instance = 7, .definition = 3, .arrival = STR("t") };
        assert_int_equal(driver_do(&d, start), ST_OK);
        for (int i = 0; i < 40; i++) {
            const struct instance *before = d.instance;
            if (driver_do(&d, random_command(&d, &seed)) != ST_OK || d.outcome.unchanged) continue;
            struct buf history;
            buf_init(&history, &d.arena);
            history_encode(&d.outcome.history, &history);
            str good = driver_encoded(&d, d.instance);
            for (int k = 0; k < 30; k++) {
                decoded += damaged_state_is_safe(&d, good, &seed);
                damaged_history_is_safe(&d, buf_str(&history), before, &seed);
            }
        }
        driver_end(&d);
    }
    assert_true(decoded > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_commands_keep_every_invariant),
        cmocka_unit_test(states_and_histories_that_lie_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
