/* scenario/trial.c — one definition, run in the process, for `pawl run`. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "dialect/entity/entity.h"

#include <stdlib.h>

#define TRIAL_START_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z: the same every time. */

struct trial {
    struct stage stage;
    struct choices choices;
    const struct json *const *event; /* The events that are still to come. */
    size_t event_count;
};

/* ---- opening ---- */

static enum status publish_all(struct trial *trial, const struct trial_setup *setup, struct buf *ret_problems,
                               str *ret_first, struct error *err)
{
    struct stage *stage = &trial->stage;
    for (size_t i = 0; i < setup->definition_count; i++) {
        op_publish(stage, setup->definition[i], STR_NONE);
        if (!i && stage->definitions) *ret_first = stage->definitions->id;
        if (!stage->refused) continue;
        for (const struct refused_definition *refused = stage->first_refused; refused && ret_problems;
             refused = refused->next)
            buf_printf(ret_problems, "%.*s [%.*s]\n", STR_ARG(refused->message), STR_ARG(refused->code));
        return fail(err, ST_INVALID, "definition", "%.*s", STR_ARG(stage->refusal));
    }
    return ST_OK;
}

static enum status take_mocks(struct trial *trial, const struct json *mocks, struct error *err)
{
    struct stage *stage = &trial->stage;
    struct error why;
    for (size_t i = 0; mocks && i < json_count(mocks); i++) {
        struct mock *mock;
        if (mock_read(json_item(mocks, i), stage->arena, &mock, &why) != ST_OK)
            return fail(err, ST_INVALID, "mocks", "mock %zu: %s", i + 1, why.message);
        mock->next = stage->mocks;
        stage->mocks = mock;
    }
    return ST_OK;
}

static enum status start(struct trial *trial, const struct trial_setup *setup, struct buf *ret_problems,
                         struct error *err)
{
    str definition = STR_NONE;
    TRY(take_mocks(trial, setup->mocks, err));
    TRY(publish_all(trial, setup, ret_problems, &definition, err));
    struct stage *stage = &trial->stage;
    if (entities_has(world_program(stage, definition, 0))) {
        if (writes_try_create(stage, definition, setup->input) || setup->simulate) return ST_OK;
        return fail(err, ST_INVALID, "start", "%.*s", STR_ARG(stage->refusal));
    }
    struct call *call = world_call(stage, CALL_START);
    call->as.start.definition_id = definition;
    call->as.start.data = setup->input;
    call->as.start.trigger = setup->trigger;
    world_submit(stage, call);
    if (call->status != ST_OK) return fail(err, call->status, "start", "%s", call->error.message);
    work_settle(stage);
    return ST_OK;
}

enum status trial_open(const struct trial_setup *setup, struct arena *arena, struct trial **ret_trial,
                       struct buf *ret_problems, struct error *err)
{
    must(setup->definition_count > 0);
    struct trial *trial = calloc(1, sizeof *trial);
    must(trial);
    choices_init_random(&trial->choices, setup->seed);
    trial->stage.arena = arena;
    trial->stage.start_ms = trial->stage.now_ms = TRIAL_START_MS;
    trial->stage.hooks = setup->hooks;
    trial->stage.is_bounded = setup->is_bounded;
    trial->event = setup->event;
    trial->event_count = setup->event_count;
    if (setup->simulate) {
        trial->stage.choices = &trial->choices;
        trial->stage.variation = VARY_SIMULATE;
        trial->stage.guess_events = !setup->event_count;
    }
    world_open(&trial->stage);
    enum status status = start(trial, setup, ret_problems, err);
    if (status != ST_OK) trial_close(trial);
    else *ret_trial = trial;
    return status;
}

void trial_close(struct trial *trial)
{
    if (!trial) return;
    world_close(&trial->stage);
    choices_done(&trial->choices);
    free(trial);
}

/* ---- going on ---- */

bool trial_ended(const struct trial *trial)
{
    for (size_t i = 0; i < trial->stage.actor_count; i++)
        if (!instance_status_ended(trial->stage.actor[i]->state->status) &&
            !writes_at_rest(trial->stage.actor[i]))
            return false;
    return true;
}

/* Is an answer planned already? */
static bool is_planned(const struct stage *stage, const struct actor *actor, uint32_t execution)
{
    for (const struct work *work = stage->first_work; work; work = work->next)
        if (!work->gone && work->actor == actor && work->execution == execution && work->result) return true;
    return false;
}

/* The trial itself holds the jobs that no mock answers, so the sentence is told as if nobody had them. */
static str why_of(struct stage *stage, const struct actor *actor, const struct token_view *view)
{
    const struct token *token = view->job ? instance_find_token(actor->state, view->execution) : NULL;
    if (!token) return view->why;
    return core_explain(actor->program, actor->state, token, stage->now_ms, stage->arena);
}

static size_t list_waits(struct trial *trial, bool answerable, const struct trial_want **ret_want)
{
    struct stage *stage = &trial->stage;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < stage->actor_count; i++) most += stage->actor[i]->state->token_count;
    struct trial_want *want = arena_make_n(stage->arena, struct trial_want, most);
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *actor = stage->actor[i];
        if (instance_status_ended(actor->state->status)) continue;
        struct call *call = world_call(stage, CALL_EXPLAIN);
        call->as.read.id = actor->id;
        world_submit(stage, call);
        for (size_t k = 0; k < call->value.instances.token_count; k++) {
            const struct token_view *token = &call->value.instances.token[k];
            bool asks = token->state == TOKEN_PERSON || token->state == TOKEN_SIGNAL;
            if (asks != answerable || token->state == TOKEN_REGION || token->state == TOKEN_REMAINDER ||
                is_planned(stage, actor, token->execution))
                continue;
            str node = asks ? token->node : record_node(actor, program_find(actor->program, token->node));
            want[count++] = (struct trial_want){ .instance = actor->name,
                                                 .node = node,
                                                 .title = token->title,
                                                 .person = token->state == TOKEN_PERSON,
                                                 .why = why_of(stage, actor, token) };
        }
    }
    *ret_want = want;
    return count;
}

size_t trial_wants(struct trial *trial, const struct trial_want **ret_want)
{
    return list_waits(trial, true, ret_want);
}
size_t trial_stuck(struct trial *trial, const struct trial_want **ret_want)
{
    return list_waits(trial, false, ret_want);
}

enum status trial_answer(struct trial *trial, const struct trial_want *want, const struct json *variables,
                         struct error *err)
{
    struct stage *stage = &trial->stage;
    const struct actor *actor = actors_find(stage, want->instance);
    must(actor);
    struct call *call = world_call(stage, want->person ? CALL_COMPLETE_TASK : CALL_SIGNAL);
    call->as.instance.id = actor->id;
    call->as.instance.node = want->node;
    call->as.instance.in_any_group = true;
    call->as.instance.data = variables;
    world_submit(stage, call);
    if (call->status != ST_OK) return fail(err, call->status, "answer", "%s", call->error.message);
    work_settle(stage);
    return ST_OK;
}

static bool waits_for_events(const struct stage *stage)
{
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct instance *state = stage->actor[i]->state;
        for (size_t k = 0; k < state->token_count; k++)
            if (state->token[k].state == TOKEN_EVENT && instance_reaches(state, state->token[k].execution))
                return true;
    }
    return false;
}

static bool deliver_next(struct trial *trial)
{
    struct stage *stage = &trial->stage;
    const struct call *call = event_deliver(stage, trial->event[0]);
    trial->event++;
    trial->event_count--;
    if (call->status != ST_OK) return stage_stop(stage, "an event was refused: %s", call->error.message);
    return work_settle(stage);
}

bool trial_pass_time(struct trial *trial)
{
    if (trial->stage.problem.n) return false;
    if (trial->event_count && waits_for_events(&trial->stage)) return deliver_next(trial);
    if (work_move(&trial->stage, INT64_MAX)) return true;
    return trial->stage.variation == VARY_SIMULATE && writes_fire_by_chance(&trial->stage);
}

size_t trial_events_left(const struct trial *trial) { return trial->event_count; }

str trial_problem(const struct trial *trial) { return trial->stage.problem; }

/* ---- what came of it ---- */

static void add_path(struct stage *stage, const struct actor *actor, struct buf *out)
{
    const struct json *path = view_path(stage, actor);
    for (size_t i = 0; i < json_count(path); i++) {
        if (i) buf_add_str(out, STR(" → "));
        buf_add_str(out, json_string(json_item(path, i)));
    }
}

void trial_short_outcome(struct trial *trial, struct trial_outcome *ret_outcome)
{
    struct stage *stage = &trial->stage;
    if (!stage->actor_count) { /* An entity whose processors refused it. */
        *ret_outcome = (struct trial_outcome){ .status = STR("REFUSED"),
                                               .reason = stage->refusal,
                                               .took_ms = stage->now_ms - stage->start_ms,
                                               .data_word = STR("data"),
                                               .data = json_null(),
                                               .view = json_empty_object(),
                                               .record = stage->first_record };
        return;
    }
    const struct actor *first = stage->actor[0], *telling = first;
    bool is_over = trial_ended(trial) && !writes_at_rest(first);
    int64_t until_ms = is_over ? stage->start_ms : stage->now_ms;
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *actor = stage->actor[i];
        if (actor->state->ended_ms > until_ms) until_ms = actor->state->ended_ms;
        /* The failure of a sub-flow fails its parent, or does not count. */
        if (actor->state->status == INSTANCE_FAILED && !actor->child) telling = actor;
    }
    *ret_outcome = (struct trial_outcome){
        .status = str_of(instance_status_word(telling->state->status)),
        .own_status = telling->dialect->status_word    ? view_status(stage, telling)
                      : entities_has(telling->program) ? entity_mark(telling->state, ENTITY_STATE)
                                                       : STR_NONE,
        .succeeded = telling->state->status == INSTANCE_COMPLETED || writes_at_rest(telling),
        .reason = telling->state->failure,
        .reason_code = telling->state->failure_code,
        .took_ms = until_ms - stage->start_ms,
        .data_word = first->dialect->data_word(first->state->status),
        .data = first->state->data,
        .record = stage->first_record,
    };
}

void trial_outcome(struct trial *trial, struct trial_outcome *ret_outcome)
{
    struct stage *stage = &trial->stage;
    struct buf path;
    trial_short_outcome(trial, ret_outcome);
    if (!stage->actor_count) return;
    buf_init(&path, stage->arena);
    for (size_t i = 0; i < stage->actor_count; i++) {
        if (i) buf_printf(&path, "; %.*s: ", STR_ARG(stage->actor[i]->definition_id));
        add_path(stage, stage->actor[i], &path);
    }
    ret_outcome->path = buf_str(&path);
    ret_outcome->view = view_actor(stage, stage->actor[0]);
}
