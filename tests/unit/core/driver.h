/* tests/unit/core/driver.h — drives one instance and checks every step it takes.
 *
 * After each command, whatever the test is about: the state before is untouched, the new
 * one holds the invariants, both stored forms survive a round trip, and the history
 * replayed on the state before gives the new state byte for byte. A version that did not
 * change takes over any instance that lives or has failed, as it is.
 *
 * Documents are written with ' for " and ` for ', to stay readable inside C strings.
 */
#ifndef TESTS_CORE_DRIVER_H
#define TESTS_CORE_DRIVER_H

#include "core/core.h"
#include "source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

/* Last: it has a macro called fail. */
#include <cmocka.h>

/* ---- steps ---- */

/* A newline after each: driver_begin() makes commas of them. */
#define STEP(id, type, more) "{'id':'" id "','name':'" id "','type':'" type "'" more "}\n"
#define NEXT(to) ",'nextStep':'" to "'"
#define TASK(id, to) STEP(id, "SERVICE_TASK", ",'jobType':'" id "'" NEXT(to))
#define TASK_WITH(id, more) STEP(id, "SERVICE_TASK", ",'jobType':'" id "'," more)
#define PERSON(id, to) STEP(id, "USER_TASK", NEXT(to))
#define WAIT(id, to) STEP(id, "WAIT", NEXT(to))
#define END(id) STEP(id, "END", "")
#define CHOOSE(id, branches) STEP(id, "DECISION", ",'conditionalNextSteps':{" branches "}")
#define SET(id, values, to) STEP(id, "TRANSFORMATION", ",'transformations':{" values "}" NEXT(to))
#define TABLE(id, policy, rules, to) \
    STEP(id, "DECISION_TABLE", ",'hitPolicy':'" policy "','decisionTable':{'rules':[" rules "]}" NEXT(to))
#define FORK(id, branches, join) \
    STEP(id, "PARALLEL_GATEWAY", ",'parallelNextSteps':[" branches "],'joinStep':'" join "'")
#define JOIN(id, to) STEP(id, "JOIN_GATEWAY", NEXT(to))
#define TIMER(duration, interrupting, to) \
    "{'type':'TIMER','duration':'" duration "','interrupting':" interrupting ",'targetStepId':'" to "'}"
#define TIMERS(list) "'boundaryEvents':[" list "]"

/* ---- the driver ---- */

enum { DRIVER_HISTORY_MAX = 4096 };

struct driver {
    struct arena arena;
    struct program *program;
    struct limits limits;
    int64_t now_ms;
    const struct instance *instance;
    struct outcome outcome;
    struct error rejection;
    struct history history[DRIVER_HISTORY_MAX]; /* As decoded from its stored form. */
    size_t history_count;
};

static inline str driver_text(struct driver *driver, const char *text)
{
    str copy = arena_str(&driver->arena, str_of(text));
    char *p = arena_alloc(&driver->arena, copy.n + 1);
    for (size_t i = 0; i < copy.n; i++) p[i] = copy.p[i] == '\'' ? '"' : copy.p[i] == '`' ? '\'' : copy.p[i];
    p[copy.n] = '\0';
    return (str){ p, copy.n };
}

static inline const struct json *driver_json(struct driver *driver, const char *text)
{
    if (!text) return NULL;
    const struct json *value = NULL;
    struct error err;
    const struct json_limits limits = { .bytes_max = 64 << 20, .depth_max = JSON_DEPTH_MAX };
    if (json_parse(driver_text(driver, text), &limits, &driver->arena, &value, &err) != ST_OK)
        fail_msg("%s: %s", text, err.message);
    return value;
}

static inline void driver_begin_empty(struct driver *driver)
{
    memset(driver, 0, sizeof *driver);
    arena_init(&driver->arena, 0);
    driver->limits = limits_default();
    driver->now_ms = 1000000;
}

static inline void driver_begin_document(struct driver *driver, str document)
{
    driver_begin_empty(driver);
    struct problems problems;
    problems_init(&problems, &driver->arena);
    driver->program = source_compile(document, SOURCE_ANY, 4 << 20, &problems, NULL);
    if (driver->program) return;
    struct buf text;
    buf_init(&text, &driver->arena);
    problems_print(&problems, STR("document"), &text);
    fail_msg("the document does not compile:\n%.*s", STR_ARG(buf_str(&text)));
}

/* `steps` are STEP()s, `top` more members of the definition. */
static inline void driver_begin_with(struct driver *driver, const char *top, const char *steps)
{
    driver_begin_empty(driver);
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_printf(&text, "{'id':'test','name':'test'%s,'steps':[%.*s]}", top, (int)strlen(steps) - 1, steps);
    buf_add_char(&text, '\0');
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n') text.p[i] = ',';
    str document = driver_text(driver, text.p);
    struct arena kept = driver->arena;
    driver_begin_document(driver, document);
    /* The document's arena is not needed any more: programs copy what they keep. */
    arena_done(&kept);
}

static inline void driver_begin(struct driver *driver, const char *steps)
{
    driver_begin_with(driver, "", steps);
}

static inline void driver_end(struct driver *driver)
{
    program_unref(driver->program);
    arena_done(&driver->arena);
}

/* ---- checks after every step ---- */

static inline str driver_encoded(struct driver *driver, const struct instance *instance)
{
    struct buf out;
    buf_init(&out, &driver->arena);
    core_encode(instance, &out);
    return buf_str(&out);
}

static inline void assert_bytes(str got, str want, const char *what)
{
    if (!str_equal(got, want)) fail_msg("%s: %zu bytes differ from %zu", what, got.n, want.n);
}

static inline const struct instance *driver_decoded(struct driver *driver, str bytes,
                                                    const struct program *program)
{
    const struct instance *instance = NULL;
    struct error err;
    if (core_decode(bytes, program, &driver->arena, &instance, &err) != ST_OK)
        fail_msg("decode: %s", err.message);
    return instance;
}

static inline void driver_check_state(struct driver *driver, const struct instance *instance)
{
    struct error err;
    if (core_verify(driver->program, instance, &err) != ST_OK) fail_msg("verify: %s", err.message);
    str bytes = driver_encoded(driver, instance);
    assert_bytes(driver_encoded(driver, driver_decoded(driver, bytes, driver->program)), bytes, "round trip");
    assert_bytes(driver_encoded(driver, driver_decoded(driver, bytes, NULL)), bytes,
                 "round trip without a program");
    for (size_t i = 0; i < instance->token_count; i++)
        assert_true(
            core_explain(driver->program, instance, &instance->token[i], driver->now_ms, &driver->arena).n >
            0);
}

static inline void driver_check_replay(struct driver *driver, const struct instance *before,
                                       const struct outcome *outcome)
{
    struct buf out;
    struct error err;
    buf_init(&out, &driver->arena);
    history_encode(&outcome->history, &out);
    assert_true(driver->history_count < DRIVER_HISTORY_MAX);
    struct history *stored = &driver->history[driver->history_count++];
    if (history_decode(buf_str(&out), &driver->arena, stored, &err) != ST_OK)
        fail_msg("history: %s", err.message);

    const struct created created = {
        .id = outcome->instance->id,
        .definition = outcome->instance->definition,
        .business_key = outcome->instance->business_key,
    };
    /* A migration comes from a version that may have other nodes. */
    const struct program *left = outcome->history.command == COMMAND_MIGRATE ? NULL : driver->program;
    const struct instance *from =
        before ? driver_decoded(driver, driver_encoded(driver, before), left) : NULL;
    const struct instance *after = NULL;
    if (core_replay(driver->program, from, &created, stored, &driver->arena, &after, &err) != ST_OK)
        fail_msg("replay: %s", err.message);
    assert_bytes(driver_encoded(driver, after), driver_encoded(driver, outcome->instance), "replay");
    assert_int_equal(outcome->instance->revision, before ? before->revision + 1 : 1);
    assert_int_equal(stored->revision, outcome->instance->revision);
}

/* Entities go on with a later version in a way of their own. */
static inline bool driver_may_migrate(const struct driver *driver)
{
    const struct instance *instance = driver->instance;
    bool lives = !instance_status_ended(instance->status) || instance->status == INSTANCE_FAILED;
    return lives && !instance->undo.error && !driver->program->rules->moves &&
           instance->next_number < 1 << 27;
}

static inline void driver_check_same_version(struct driver *driver)
{
    struct outcome outcome;
    struct error err;
    struct instance expected = *driver->instance;
    const struct command command = { .kind = COMMAND_MIGRATE,
                                     .now_ms = driver->now_ms,
                                     .as.migrate = { .from = driver->program, .definition = 1000 } };
    const struct limits limits = limits_default(); /* The test may be about a small budget. */
    if (!driver_may_migrate(driver)) return;
    if (core_step(driver->program, driver->instance, &command, &limits, &driver->arena, &outcome, &err) !=
        ST_OK)
        fail_msg("the same version: %s", err.message);
    expected.definition = 1000;
    expected.revision++;
    assert_bytes(driver_encoded(driver, outcome.instance), driver_encoded(driver, &expected),
                 "the same version");
}

static inline enum status driver_do(struct driver *driver, struct command command)
{
    command.now_ms = driver->now_ms;
    const struct instance *before = driver->instance;
    str untouched = before ? driver_encoded(driver, before) : STR_NONE;
    enum status status = core_step(driver->program, before, &command, &driver->limits, &driver->arena,
                                   &driver->outcome, &driver->rejection);
    if (before) assert_bytes(driver_encoded(driver, before), untouched, "the state before");
    if (status != ST_OK) {
        assert_int_equal(driver->rejection.status, status);
        return status;
    }
    if (driver->outcome.unchanged) {
        assert_ptr_equal(driver->outcome.instance, before);
        return ST_OK;
    }
    driver_check_state(driver, driver->outcome.instance);
    driver_check_replay(driver, before, &driver->outcome);
    driver->instance = driver->outcome.instance;
    driver_check_same_version(driver);
    return ST_OK;
}

/* ---- commands ---- */

static inline enum status driver_start(struct driver *driver, const char *data)
{
    return driver_do(driver, (struct command){
                                 .kind = COMMAND_START,
                                 .as.start.instance = 7,
                                 .as.start.definition = 3,
                                 .as.start.business_key = STR("key-1"),
                                 .data = driver_json(driver, data),
                             });
}

static inline void start(struct driver *driver, const char *data)
{
    if (driver_start(driver, data) != ST_OK) fail_msg("start: %s", driver->rejection.message);
}

/* The open job of a type; the oldest if there are several. */
static inline const struct job *job_of(const struct driver *driver, const char *type)
{
    for (size_t i = 0; i < driver->instance->job_count; i++)
        if (str_equal(driver->instance->job[i].type, str_of(type))) return &driver->instance->job[i];
    fail_msg("no open job of type %s", type);
    return NULL;
}

static inline enum status driver_complete(struct driver *driver, uint32_t number, const char *data)
{
    return driver_do(driver, (struct command){ .kind = COMMAND_COMPLETE_JOB,
                                               .as.job.number = number,
                                               .data = driver_json(driver, data),
                                               .actor = STR("worker-1") });
}

static inline void complete(struct driver *driver, const char *type, const char *data)
{
    if (driver_complete(driver, job_of(driver, type)->number, data) != ST_OK)
        fail_msg("complete %s: %s", type, driver->rejection.message);
    assert_false(driver->outcome.unchanged);
}

static inline void fail_job(struct driver *driver, const char *type, const char *error, bool retryable)
{
    enum status status = driver_do(driver, (struct command){ .kind = COMMAND_FAIL_JOB,
                                                             .as.job.number = job_of(driver, type)->number,
                                                             .as.job.text = str_of(error),
                                                             .as.job.retryable = retryable });
    assert_int_equal(status, ST_OK);
}

static inline enum status driver_named(struct driver *driver, enum command_kind kind, const char *node,
                                       const char *data)
{
    return driver_do(
        driver,
        (struct command){ .kind = kind, .as.node.node = str_of(node), .data = driver_json(driver, data) });
}

static inline void send(struct driver *driver, enum command_kind kind, const char *node, const char *data)
{
    if (driver_named(driver, kind, node, data) != ST_OK) fail_msg("%s: %s", node, driver->rejection.message);
}

/* Fires the timer with that index at the node, at the moment it is due. */
static inline void fire(struct driver *driver, const char *node, uint32_t index)
{
    const struct instance *instance = driver->instance;
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        const struct token *token = instance_find_token(instance, timer->execution);
        if (timer->index != index || !str_equal(token->node_name, str_of(node))) continue;
        driver->now_ms = timer->due_ms;
        assert_int_equal(driver_do(driver, (struct command){ .kind = COMMAND_FIRE_TIMER,
                                                             .as.timer.number = timer->number }),
                         ST_OK);
        return;
    }
    fail_msg("no timer %u at %s", index, node);
}

/* ---- what to expect ---- */

/* Status, then current nodes: "WAITING a b". */
static inline void assert_at(struct driver *driver, const char *want)
{
    struct buf got;
    str *name;
    buf_init(&got, &driver->arena);
    buf_printf(&got, "%s", instance_status_word(driver->instance->status));
    size_t count = core_current_nodes(driver->program, driver->instance, &driver->arena, &name);
    for (size_t i = 0; i < count; i++) buf_printf(&got, " %.*s", STR_ARG(name[i]));
    buf_add_char(&got, '\0');
    assert_string_equal(got.p, want);
}

static inline void assert_json(struct driver *driver, const struct json *got, const char *want)
{
    struct buf text;
    buf_init(&text, &driver->arena);
    if (got) json_print(got, &text);
    buf_add_char(&text, '\0');
    assert_string_equal(text.p, driver_text(driver, want).p);
}

static inline void assert_data(struct driver *driver, const char *want)
{
    assert_json(driver, driver->instance->data, want);
}

static inline void assert_code(struct driver *driver, const char *want)
{
    assert_string_equal(arena_str(&driver->arena, driver->instance->failure_code).p, want);
}

static inline void assert_failure(struct driver *driver, const char *want)
{
    assert_string_equal(arena_str(&driver->arena, driver->instance->failure).p, driver_text(driver, want).p);
}

static inline void assert_rejected(struct driver *driver, enum status got, enum status want,
                                   const char *message)
{
    assert_int_equal(got, want);
    assert_string_equal(driver->rejection.message, driver_text(driver, message).p);
}

static inline struct execution *driver_rows(struct driver *driver, size_t *ret_count)
{
    struct execution *row = NULL;
    struct error err;
    if (core_executions(driver->program, driver->history, driver->history_count, &driver->arena, &row,
                        ret_count, &err) != ST_OK)
        fail_msg("executions: %s", err.message);
    return row;
}

/* The rows of the history: "a COMPLETED, b#2 RUNNING". */
static inline void assert_rows(struct driver *driver, const char *want)
{
    size_t count;
    struct execution *row = driver_rows(driver, &count);
    struct buf got;
    buf_init(&got, &driver->arena);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&got, "%s%.*s", i ? ", " : "", STR_ARG(row[i].node_name));
        if (row[i].attempt > 1) buf_printf(&got, "#%u", row[i].attempt);
        buf_printf(&got, " %s", execution_status_word(row[i].status));
    }
    buf_add_char(&got, '\0');
    assert_string_equal(got.p, want);
}

/* The kinds of the last command's entries: "job_close leave enter". */
static inline void assert_entries(struct driver *driver, const char *want)
{
    struct buf got;
    buf_init(&got, &driver->arena);
    for (size_t i = 0; i < driver->outcome.history.entry_count; i++)
        buf_printf(&got, "%s%s", i ? " " : "", entry_word(driver->outcome.history.entry[i].kind));
    buf_add_char(&got, '\0');
    assert_string_equal(got.p, want);
}

#endif
