/* tests/fuzz/play.h — one instance, driven by choices, and checked after every command.
 *
 * Whatever the command: the state before is untouched, the new one holds the invariants,
 * both stored forms survive a round trip, and the history replayed on the state before
 * gives the new state byte for byte.
 */
#ifndef TESTS_FUZZ_PLAY_H
#define TESTS_FUZZ_PLAY_H

#include "fuzz.h"

#include "core/core.h"

enum { PLAY_COMMANDS_MAX = 64 };

struct play {
    struct arena arena;
    const struct program *program;
    struct limits limits;
    int64_t now_ms;
    const struct instance *instance;           /* NULL before the start. */
    struct history history[PLAY_COMMANDS_MAX]; /* As decoded from the stored form. */
    size_t history_count;
};

/* Low limits: an input must run for milliseconds, and limits are to be met. */
static inline void play_begin(struct play *play, const struct program *program)
{
    *play = (struct play){ .program = program, .limits = limits_default(), .now_ms = 1000000 };
    play->limits.visits_max = 100;
    play->limits.step_bytes_max = 1 << 20;
    play->limits.variables_bytes_max = 16 << 10;
    play->limits.fuel_max = 1000;
    arena_init(&play->arena, 0);
}

static inline void play_end(struct play *play) { arena_done(&play->arena); }

static inline str play_encoded(const struct instance *instance, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    core_encode(instance, &out);
    return buf_str(&out);
}

static inline const struct instance *play_decoded(str bytes, const struct program *program,
                                                  struct arena *arena)
{
    const struct instance *instance = NULL;
    must(core_decode(bytes, program, arena, &instance, NULL) == ST_OK);
    return instance;
}

/* ---- checks ---- */

static inline void play_check_state(const struct program *program, const struct instance *instance,
                                    int64_t now_ms, struct arena *arena)
{
    struct error err = { 0 };
    must(core_verify(program, instance, &err) == ST_OK);
    str bytes = play_encoded(instance, arena);
    must(str_equal(play_encoded(play_decoded(bytes, program, arena), arena), bytes));
    must(str_equal(play_encoded(play_decoded(bytes, NULL, arena), arena), bytes));
    for (size_t i = 0; i < instance->token_count; i++)
        must(core_explain(program, instance, &instance->token[i], now_ms, arena).n);
    str *name;
    must((core_current_nodes(NULL, instance, arena, &name) == 0) == (instance->token_count == 0));
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct json *payload = instance_job_payload(instance, &instance->job[i]);
        must(program->data_shape == DATA_ANY ? payload != NULL : json_is(payload, JSON_OBJECT));
    }
}

static inline void play_check_history(struct play *play, const struct instance *before,
                                      const struct outcome *outcome)
{
    struct arena *arena = &play->arena;
    struct buf out, again;
    struct history stored;
    buf_init(&out, arena);
    buf_init(&again, arena);
    history_encode(&outcome->history, &out);
    must(history_decode(buf_str(&out), arena, &stored, NULL) == ST_OK);
    history_encode(&stored, &again);
    must(str_equal(buf_str(&out), buf_str(&again)));

    const struct instance *now = outcome->instance, *after = NULL;
    const struct created created = { now->id, now->definition, now->business_key };
    must(core_replay(play->program, before, &created, &stored, arena, &after, NULL) == ST_OK);
    must(str_equal(play_encoded(after, arena), play_encoded(now, arena)));
    if (play->history_count < PLAY_COMMANDS_MAX) play->history[play->history_count++] = stored;
}

static inline void play_check_views(struct play *play)
{
    struct execution *row;
    size_t count;
    if (!play->history_count || play->history[0].command != COMMAND_START) return;
    must(core_executions(play->program, play->history, play->history_count, &play->arena, &row, &count,
                         NULL) == ST_OK);
    for (size_t i = 0; i < count; i++) must(row[i].attempt && row[i].node_name.n);
}

static inline enum status play_command(struct play *play, struct command command)
{
    struct arena *arena = &play->arena;
    const struct instance *before = play->instance;
    str untouched = before ? play_encoded(before, arena) : STR_NONE;
    struct outcome outcome;
    struct error rejection = { 0 };
    command.now_ms = play->now_ms;
    enum status status =
        core_step(play->program, before, &command, &play->limits, arena, &outcome, &rejection);
    if (before) must(str_equal(play_encoded(before, arena), untouched));
    if (status != ST_OK) {
        must(status == ST_INVALID || status == ST_NOT_FOUND || status == ST_CONFLICT || status == ST_LIMIT);
        must(rejection.status == status && rejection.message[0]);
        return status;
    }
    if (outcome.unchanged) {
        must(outcome.instance == before);
        return ST_OK;
    }
    play_check_state(play->program, outcome.instance, play->now_ms, arena);
    play_check_history(play, before, &outcome);
    play->instance = outcome.instance;
    return ST_OK;
}

/* ---- choosing a command ---- */

static inline const struct json *play_data(struct play *play, struct choices *choices)
{
    static const char *const texts[] = {
        NULL,
        "{}",
        "{\"n\":1}",
        "{\"n\":0,\"ok\":true}",
        "{\"n\":7.5,\"ok\":false,\"s\":\"x\"}",
        "{\"o\":{\"a\":{\"b\":1}},\"list\":[1,2,3]}",
        "{\"o\":{\"a\":2,\"c\":null}}",
        "{\"amount\":120.50,\"name\":\"Z\"}",
    };
    const char *text = texts[choose(choices, COUNT(texts))];
    return text ? fuzz_parse(str_of(text), &play->arena) : NULL;
}

/* A list inside a list and so on: what is put around it may be more than can be stored. */
static inline const struct json *play_deep(struct play *play, uint32_t depth, bool object)
{
    struct buf text;
    buf_init(&text, &play->arena);
    if (object) buf_add_str(&text, STR("{\"n\":"));
    for (uint32_t i = 0; i < depth; i++) buf_add_char(&text, '[');
    for (uint32_t i = 0; i < depth; i++) buf_add_char(&text, ']');
    if (object) buf_add_char(&text, '}');
    return fuzz_parse(buf_str(&text), &play->arena);
}

/* The name of a node where a token stands, or of any. */
static inline str play_node(struct play *play, struct choices *choices)
{
    const struct instance *instance = play->instance;
    if (instance->token_count && choose(choices, 4))
        return instance->token[choose(choices, (uint32_t)instance->token_count)].node_name;
    return play->program->node[choose(choices, (uint32_t)play->program->node_count)].name;
}

static inline enum status play_start(struct play *play, struct choices *choices)
{
    struct command command = { .kind = COMMAND_START,
                               .as.start.instance = 7,
                               .as.start.definition = 3,
                               .as.start.business_key = STR("key"),
                               .data = play_data(play, choices) };
    if (play->program->data_shape == DATA_ANY) {
        if (choose(choices, 8) == 0)
            command.data = play_deep(play, JSON_DEPTH_MAX - 4 + choose(choices, 4), true);
        if (choose(choices, 3) == 0) command.as.start.correlation = STR("1");
        if (choose(choices, 3) == 0)
            command.as.start.parent = 5, command.as.start.parent_job = 2,
            command.as.start.parent_waits = choose(choices, 2);
        if (choose(choices, 3) == 1)
            command.as.start.root = 4, command.as.start.depth = (uint32_t)choose(choices, 3),
            command.as.start.chained_from = choose(choices, 2) ? 3 : 0;
    }
    return play_command(play, command);
}

/* ---- programs whose data may be anything, with events and errors that have names ---- */

static inline const struct json *play_value(struct play *play, struct choices *choices)
{
    static const char *const texts[] = {
        "null",
        "0",
        "-1.5",
        "true",
        "\"x\"",
        "[]",
        "[1,\"a\",null]",
        "{}",
        "{\"n\":1,\"again\":true}",
        "{\"n\":7,\"list\":[{\"n\":1},{\"n\":2}],\"o\":{\"a\":{\"b\":1}}}",
        "{\"exception\":{\"name\":\"E1\"}}",
    };
    uint32_t which = choose(choices, COUNT(texts) + 2);
    if (which == COUNT(texts)) return NULL;
    if (which > COUNT(texts))
        return play_deep(play, JSON_DEPTH_MAX - 4 + choose(choices, 4), choose(choices, 2));
    return fuzz_parse(str_of(texts[which]), &play->arena);
}

/* {name, message, data}, any of them missing or not what they should be. */
static inline const struct json *play_failure(struct play *play, struct choices *choices)
{
    static const char *const names[] = { "E1", "TimeoutException", "", "FilterException" };
    struct json_builder builder;
    if (choose(choices, 5) == 0) return NULL;
    json_builder_init(&builder, &play->arena);
    json_open_object(&builder);
    if (choose(choices, 6)) {
        json_add_name(&builder, STR("name"));
        json_add_string(&builder, str_of(names[choose(choices, COUNT(names))]));
    }
    if (choose(choices, 2)) {
        json_add_name(&builder, STR("message"));
        if (choose(choices, 5)) json_add_string(&builder, STR("words"));
        else json_add_int(&builder, 1);
    }
    const struct json *data = play_value(play, choices);
    if (data && json_depth(data) < JSON_DEPTH_MAX) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* An event of one of the program's triggers, mostly; its token, and data that may be anything. */
static inline const struct json *play_event(struct play *play, struct choices *choices)
{
    const struct program *program = play->program;
    const struct program_trigger *trigger =
        program->trigger_count ? &program->trigger[choose(choices, (uint32_t)program->trigger_count)] : NULL;
    struct json_builder builder;
    json_builder_init(&builder, &play->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("id"));
    json_add_int(&builder, choose(choices, 8));
    json_add_name(&builder, STR("source"));
    json_add_string(&builder, trigger && choose(choices, 8) ? trigger->source : STR("/nobody"));
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, trigger ? trigger->type : STR("t"));
    if (choose(choices, 2)) {
        json_add_name(&builder, STR("subject"));
        json_add_int(&builder, choose(choices, 2));
    }
    const struct json *data = play_value(play, choices);
    if (data && json_depth(data) < JSON_DEPTH_MAX) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    return json_built(&builder);
}

static inline void play_give_event(struct play *play, struct choices *choices)
{
    struct command command = { .kind = COMMAND_EVENT,
                               .actor = STR("event"),
                               .data = play_event(play, choices) };
    command.as.event.correlation =
        core_correlation_key(play->program, command.data, play->limits.fuel_max, &play->arena);
    (void)core_starts_by_event(play->program, command.data);
    size_t before = play->instance->mail_count, revision = play->instance->revision;
    bool takes = instance_takes_mail(play->instance) && core_takes_event(play->program, command.data);
    if (play_command(play, command) != ST_OK) return;
    must((play->instance->revision != revision) == takes);
    if (!takes) must(play->instance->mail_count == before);
}

/* Tokens that are there and places that are not, or the other way round. */
static inline void play_modify(struct play *play, struct choices *choices)
{
    const struct instance *instance = play->instance;
    uint32_t count = choose(choices, 4);
    struct modification *list = arena_make_n(&play->arena, struct modification, count);
    for (uint32_t i = 0; i < count; i++) {
        list[i].kind = (enum modification_kind)choose(choices, 3);
        if (choose(choices, 2)) list[i].at = play_node(play, choices);
        else if (instance->token_count)
            list[i].execution = instance->token[choose(choices, (uint32_t)instance->token_count)].execution;
        list[i].to = play_node(play, choices);
    }
    struct command command = { .kind = COMMAND_MODIFY,
                               .actor = STR("somebody"),
                               .data = play_data(play, choices),
                               .as.modify.modification = list,
                               .as.modify.modification_count = count };
    if (choose(choices, 4) == 0) {
        struct json_builder builder;
        json_builder_init(&builder, &play->arena);
        json_open_array(&builder);
        struct json_each each =
            json_each(json_is(instance->data, JSON_OBJECT) ? instance->data : json_empty_object());
        while (json_next(&each))
            if (choose(choices, 2)) json_add_string(&builder, each.name);
        json_close(&builder);
        command.as.modify.unset = json_built(&builder);
    }
    if (choose(choices, 8) == 0) command.as.modify.if_revision = choose(choices, 8);
    play_command(play, command);
}

static inline void play_any_of_flow(struct play *play, struct choices *choices)
{
    static const enum command_kind kinds[] = {
        COMMAND_COMPLETE_JOB, COMMAND_COMPLETE_JOB, COMMAND_COMPLETE_JOB, COMMAND_FAIL_JOB,
        COMMAND_FAIL_JOB,     COMMAND_EVENT,        COMMAND_EVENT,        COMMAND_EVENT,
        COMMAND_FIRE_TIMER,   COMMAND_FIRE_TIMER,   COMMAND_RETRY,        COMMAND_CANCEL,
        COMMAND_MODIFY,
    };
    const struct instance *instance = play->instance;
    struct command command = { .kind = kinds[choose(choices, COUNT(kinds))], .actor = STR("somebody") };
    play->now_ms += choose(choices, 200);
    switch (command.kind) {
    case COMMAND_EVENT: play_give_event(play, choices); return;
    case COMMAND_MODIFY: play_modify(play, choices); return;
    case COMMAND_COMPLETE_JOB:
    case COMMAND_FAIL_JOB:
        command.as.job.number = choose(choices, 8);
        if (instance->job_count)
            command.as.job.number = instance->job[choose(choices, (uint32_t)instance->job_count)].number;
        if (command.kind == COMMAND_COMPLETE_JOB) command.data = play_value(play, choices);
        else command.as.job.error = play_failure(play, choices);
        command.as.job.text = STR("it broke");
        break;
    case COMMAND_FIRE_TIMER:
        command.as.timer.number = choose(choices, 8);
        if (instance->timer_count)
            command.as.timer.number =
                instance->timer[choose(choices, (uint32_t)instance->timer_count)].number;
        break;
    case COMMAND_CANCEL:
        if (choose(choices, 4)) return; /* Seldom: nothing comes after it. */
        command.as.cancel.reason = STR("enough");
        command.as.cancel.failed_too = choose(choices, 2);
        break;
    default:
        if (choose(choices, 2)) command.as.node.node = play_node(play, choices);
        command.data = play_data(play, choices);
        break;
    }
    play_command(play, command);
}

static inline void play_any(struct play *play, struct choices *choices)
{
    if (play->program->data_shape == DATA_ANY) {
        play_any_of_flow(play, choices);
        return;
    }
    static const enum command_kind kinds[] = {
        COMMAND_COMPLETE_JOB,  COMMAND_COMPLETE_JOB, COMMAND_COMPLETE_JOB, COMMAND_FAIL_JOB,
        COMMAND_COMPLETE_TASK, COMMAND_SIGNAL,       COMMAND_FIRE_TIMER,   COMMAND_FIRE_TIMER,
        COMMAND_RETRY,         COMMAND_CANCEL,       COMMAND_MODIFY,
    };
    const struct instance *instance = play->instance;
    struct command command = { .kind = kinds[choose(choices, COUNT(kinds))], .actor = STR("somebody") };
    play->now_ms += choose(choices, 200);
    if (command.kind == COMMAND_MODIFY) {
        play_modify(play, choices);
        return;
    }
    command.data = play_data(play, choices);
    switch (command.kind) {
    case COMMAND_COMPLETE_JOB:
    case COMMAND_FAIL_JOB:
        command.as.job.number = choose(choices, 8);
        if (instance->job_count)
            command.as.job.number = instance->job[choose(choices, (uint32_t)instance->job_count)].number;
        command.as.job.text = STR("it broke");
        command.as.job.retryable = choose(choices, 4);
        break;
    case COMMAND_FIRE_TIMER:
        command.as.timer.number = choose(choices, 8);
        if (instance->timer_count)
            command.as.timer.number =
                instance->timer[choose(choices, (uint32_t)instance->timer_count)].number;
        break;
    case COMMAND_CANCEL:
        if (choose(choices, 4)) return; /* Seldom: nothing comes after it. */
        command.as.cancel.reason = STR("enough");
        command.as.cancel.failed_too = choose(choices, 2);
        break;
    case COMMAND_RETRY:
        if (choose(choices, 2)) command.as.node.node = play_node(play, choices);
        break;
    default:
        command.as.node.node = play_node(play, choices);
        command.as.node.early = choose(choices, 2);
        break;
    }
    play_command(play, command);
}

#endif
