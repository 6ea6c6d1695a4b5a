/* scenario/work.c — the outside world: takes open work, answers it, lets time pass.
 *
 *     open in its instance ──► taken ──► planned (result, due) ──► answered
 *                                │  hold                ▲ mock, release
 *                                └──► held ─────────────┘
 *
 * All jobs are polled from the engine as a worker polls them, in the engine's order, also those that the
 * engine's own performers would do. Work without a mock stays open. A restart takes all work back, and the
 * engine hands it out anew.
 */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "core/task.h"
#include "vault/resolve.h"

static const str worker_name = STR_INIT("scenario");

/* ---- results ---- */

static const struct json *failure(struct stage *stage, const char *kind)
{
    const struct json *result =
        json_set(stage->arena, json_empty_object(), STR("fail"), json_of_string(stage->arena, str_of(kind)));
    return json_set(stage->arena, result, STR("message"),
                    json_of_string(stage->arena, STR("injected failure")));
}

/* ---- taking ---- */

static struct work *find_work(const struct stage *stage, enum work_kind kind, const struct actor *actor,
                              uint32_t execution, uint32_t number)
{
    for (struct work *work = stage->first_work; work; work = work->next)
        if (!work->gone && work->kind == kind && work->actor == actor && work->execution == execution &&
            work->id.number == number)
            return work;
    return NULL;
}

static struct work *add_work(struct stage *stage, const struct work *what)
{
    struct work *work = arena_make(stage->arena, struct work);
    *work = *what;
    for (struct hold *hold = stage->holds; hold; hold = hold->next) {
        if (!mock_target_fits(&hold->target, &work->names)) continue;
        work->held = true;
        work->held_index = hold->count++;
        break;
    }
    if (stage->last_work) stage->last_work->next = work;
    else stage->first_work = work;
    stage->last_work = work;
    return work;
}

static void add_call(struct stage *stage, const struct work *work)
{
    struct made_call *call = arena_make(stage->arena, struct made_call);
    *call = (struct made_call){ .instance = work->actor->name, .names = work->names, .input = work->input };
    if (stage->last_call) stage->last_call->next = call;
    else stage->first_call = call;
    stage->last_call = call;
}

static struct actor *actor_of(struct stage *stage, const struct job_view *job)
{
    for (size_t i = stage->actor_count; i-- > 0;)
        if (stage->actor[i]->id.instance == job->instance) return stage->actor[i];
    return compute_coming(stage, job->instance, job->instance_created_ms);
}

/* ---- secrets ---- */

static bool find_secret(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    (void)tenant; /* A scenario has one. */
    const struct json *value = json_get(((const struct stage *)context)->secrets, name);
    (void)arena;
    if (value) *ret_value = json_string(value);
    return value != NULL;
}

/* Fills in the secrets of a job, as the engine's worker does. A missing one is the job's failure. */
static void fill_secrets(struct stage *stage, const struct job_view *view, struct work *work)
{
    const struct vault_lookup lookup = { find_secret, stage };
    struct error err;
    if (!view->secret_count) return;
    if (stage->hooks) {
        work->input = performer_input_shown(work->input, stage->arena);
        return;
    }
    if (vault_resolve(work->input, &lookup, stage->arena, &work->input, &err) == ST_OK) return;
    const struct json *result = failure(stage, "permanent");
    result = json_set(stage->arena, result, STR("code"), json_of_string(stage->arena, str_of(err.where)));
    result =
        json_set(stage->arena, result, STR("message"), json_of_string(stage->arena, str_of(err.message)));
    work->input = performer_input_shown(work->input, stage->arena);
    work->result = result;
    work->due_ms = stage->now_ms;
}

/* ---- jobs ---- */

/* An e-mail about a task goes nowhere, and counts as sent to those whom the task asks. Mocks and holds of the
 * person's step are not for it. */
static void pretend_notice(struct stage *stage, const struct job_view *view, struct work *work)
{
    struct task_asked asked = task_asked(view->task);
    const struct json *lists[] = { asked.people, asked.groups };
    struct json_builder told;
    str name;
    json_builder_init(&told, stage->arena);
    json_open_object(&told);
    json_add_name(&told, STR("to"));
    json_open_array(&told);
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t cursor = 0; task_next_name(lists[i], &cursor, &name);) json_add_string(&told, name);
    json_close(&told);
    json_close(&told);
    work->result = json_set(stage->arena, json_empty_object(), STR("ok"), json_built(&told));
    work->due_ms = stage->now_ms;
    work->held = false;
}

static void take_job(struct stage *stage, const struct job_view *view)
{
    struct actor *actor = actor_of(stage, view);
    struct work *work = find_work(stage, WORK_JOB, actor, view->execution, view->number);
    str processor = compute_processor(view);
    str function = processor.n ? processor : performer_function(view->config);
    str title = record_node(actor, program_find(actor->program, view->node));
    const struct work_names names = { .node = view->node,
                                      .title = arena_str(stage->arena, title), /* It outlives the program. */
                                      .type = performer_queue_is_reserved(view->type) ? function : view->type,
                                      .function = function };
    if (!work)
        work = add_work(stage, &(struct work){ .kind = WORK_JOB,
                                               .actor = actor,
                                               .execution = view->execution,
                                               .id = job_view_id(view),
                                               .names = names,
                                               .input = view->data });
    work->id = job_view_id(view);
    work->input = view->data;
    compute_take_job(stage, view, work);
    fill_secrets(stage, view, work);
    work->taken = true;
    if (view->task) {
        pretend_notice(stage, view, work);
        return;
    }
    add_call(stage, work);
}

/* The queue of a job; empty: the engine does the job without a queue. */
static str queue_of(const struct job *job)
{
    if (performer_place(job->performer) == PERFORMED_INSIDE) return STR_NONE;
    return performer_queue(job->performer, job->type);
}

/* The queues of all open jobs, each once. */
static size_t open_queues(struct stage *stage, str **ret_queue)
{
    size_t count = 0, most = 0;
    for (size_t i = 0; i < stage->actor_count; i++) most += stage->actor[i]->state->job_count;
    str *queue = arena_make_n(stage->arena, str, most + 1);
    /* Jobs of units that wait are in no stored state. */
    if (stage->engine.transact.units.count) queue[count++] = performer_queue(PERFORM_COMPUTE, STR_NONE);
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct instance *state = stage->actor[i]->state;
        if (stage->actor[i]->gone) continue;
        for (size_t k = 0; k < state->job_count; k++) {
            str name = queue_of(&state->job[k]);
            size_t known = 0;
            if (!name.n || !instance_reaches(state, state->job[k].execution)) continue;
            while (known < count && !str_equal(queue[known], name)) known++;
            if (known == count) queue[count++] = name;
        }
    }
    *ret_queue = queue;
    return count;
}

/* Jobs that one instance opened at once are in several queues: they are taken in the order in
 * which they were opened. */
static void sort_jobs(struct job_view *job, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k && job[k - 1].instance == job[k].instance && job[k - 1].number > job[k].number;
             k--) {
            struct job_view moved = job[k];
            job[k] = job[k - 1];
            job[k - 1] = moved;
        }
}

static void take_jobs(struct stage *stage)
{
    enum { AT_ONCE = 1000 };
    if (stage->paused || !stage->engine.memory.jobs.ready_count) return;
    str *queue;
    size_t count = open_queues(stage, &queue);
    if (!count) return;
    struct call *poll = world_call(stage, CALL_POLL_JOBS);
    poll->as.poll.type = queue;
    poll->as.poll.type_count = count;
    poll->performs = true;
    poll->as.poll.worker = worker_name;
    poll->as.poll.max = AT_ONCE;
    poll->as.poll.lease_ms = INT64_MAX;
    world_submit(stage, poll);
    sort_jobs(poll->value.jobs.view, poll->value.jobs.count);
    for (size_t i = 0; i < poll->value.jobs.count; i++) take_job(stage, &poll->value.jobs.view[i]);
}

static void take_event_wait(struct stage *stage, struct actor *actor, const struct token *token)
{
    if (!stage->guess_events || stage->arrival_count >= GUESSED_EVENTS_MAX) return;
    if (!instance_reaches(actor->state, token->execution)) return;
    if (find_work(stage, WORK_EVENTS, actor, token->execution, 0)) return;
    struct work *work =
        add_work(stage, &(struct work){ .kind = WORK_EVENTS, .actor = actor, .execution = token->execution });
    work->names.node = work->names.title = token->node_name;
    work->taken = true;
}

/* People, signals and arrivals are only simulated where a mock, or a hold, names their step. */
static void take_token(struct stage *stage, struct actor *actor, const struct token *token)
{
    bool person = token->state == TOKEN_PERSON;
    if (token->state == TOKEN_EVENT) {
        take_event_wait(stage, actor, token);
        return;
    }
    bool arrival = token->state == TOKEN_ARRIVAL;
    enum work_kind kind = person ? WORK_TASK : arrival ? WORK_ARRIVAL : WORK_SIGNAL;
    if (!person && !arrival && token->state != TOKEN_SIGNAL) return;
    const struct work_names names = { .node = token->node_name, .title = token->node_name };
    bool known = (stage->variation == VARY_SIMULATE && !arrival) || stage->hooks ||
                 mock_find(stage->mocks, &names) != NULL;
    for (const struct hold *hold = stage->holds; hold && !known; hold = hold->next)
        known = mock_target_fits(&hold->target, &names);
    if (!known || find_work(stage, kind, actor, token->execution, 0)) return;
    struct work *work = add_work(stage, &(struct work){ .kind = kind,
                                                        .actor = actor,
                                                        .execution = token->execution,
                                                        .names = names,
                                                        .input = actor->state->data });
    work->taken = true;
}

static bool still_open(const struct stage *stage, const struct work *work)
{
    const struct instance *state = work->actor->state;
    if (work->computes)
        return jobs_find(&stage->engine.memory.jobs, work->actor->id.instance, work->id.number) != NULL;
    if (work->actor->gone) return false;
    if (!instance_reaches(state, work->execution)) return false;
    if (work->kind == WORK_JOB) return instance_find_job(state, work->id.number) != NULL;
    return instance_find_token(state, work->execution) != NULL;
}

/* Work that is over leaves the list, so that long runs stay fast. */
static void drop_closed(struct stage *stage)
{
    struct work **link = &stage->first_work;
    stage->last_work = NULL;
    while (*link) {
        struct work *work = *link;
        if (work->gone || !still_open(stage, work)) {
            work->gone = true;
            *link = work->next;
        } else {
            stage->last_work = work;
            link = &work->next;
        }
    }
}

static void take_work(struct stage *stage)
{
    drop_closed(stage);
    take_jobs(stage);
    for (size_t i = 0; i < stage->actor_count; i++) {
        struct actor *actor = stage->actor[i];
        if (actor->gone || instance_status_ended(actor->state->status)) continue;
        for (size_t k = 0; k < actor->state->token_count; k++)
            take_token(stage, actor, &actor->state->token[k]);
    }
}

/* ---- planning ---- */

static const struct json *ok(struct stage *stage, const struct json *variables)
{
    return json_set(stage->arena, json_empty_object(), STR("ok"), variables);
}

static const struct json *mutated(struct stage *stage, const struct work *work, const struct json *result)
{
    const struct json *given = json_get(result, STR("ok"));
    if (!json_is(given, JSON_OBJECT)) return result;
    struct hint *hints = hints_of_program(work->actor->program, stage->arena);
    return json_set(stage->arena, result, STR("ok"),
                    generate_mutation(given, hints, stage->choices, stage->arena));
}

/* Exploring: mostly the case's own result, sometimes another result of the mock, another value, or a
 * failure. */
static const struct json *explored(struct stage *stage, struct mock *mock, const struct work *work)
{
    const struct json *given = mock_next(mock, work->input, stage->arena);
    if (mock->fixed) return given;
    switch (choices_below(stage->choices, 10)) {
    case 5:
    case 6: return mock_any(mock, stage->choices);
    case 7: return mutated(stage, work, given);
    case 8: return work->kind == WORK_JOB ? failure(stage, "transient") : given;
    case 9: return work->kind == WORK_JOB ? failure(stage, "permanent") : given;
    default: return given;
    }
}

/* One of the decisions that a person has. */
static const struct json *decided(struct stage *stage, const struct program_node *node)
{
    uint32_t pick = choices_below(stage->choices, (uint32_t)node->as.wait.decision_count);
    const struct json *decision = json_of_string(stage->arena, node->as.wait.decision[pick]);
    return ok(stage, json_set(stage->arena, json_empty_object(), STR("decision"), decision));
}

/* Simulating: any of the mock's results, or values that the program's conditions ask for. */
static const struct json *simulated(struct stage *stage, struct mock *mock, const struct work *work)
{
    if (mock && mock->fixed) return mock_next(mock, work->input, stage->arena);
    if (work->kind == WORK_EVENTS) return ok(stage, json_empty_object());
    if (work->kind == WORK_JOB) {
        uint32_t chance = choices_below(stage->choices, 100);
        if (chance == 99) return failure(stage, "permanent");
        if (chance >= 94) return failure(stage, "transient");
    }
    if (mock) return mock_any(mock, stage->choices);
    if (work->computes) return compute_guess(stage, work);
    uint32_t node = program_find(work->actor->program, work->names.node);
    const struct program_node *at = &work->actor->program->node[node];
    if (work->kind == WORK_TASK && at->as.wait.decision_count) return decided(stage, at);
    if (work->kind == WORK_JOB && at->as.task.result_member_count) return NULL; /* The usual result. */
    const struct hint *hints = hints_after(work->actor->program, node, stage->arena);
    return ok(stage, hints_guess(hints, work->actor->state->data, work->kind != WORK_JOB, stage->choices,
                                 stage->arena));
}

static int64_t delay_of(struct stage *stage, const struct json *result, const struct work *work)
{
    static const int64_t explored_ms[] = { 1000, 60000, 3600000, 86400000, 864000000 };
    enum {
        JOB_FIRST_MS = 10,
        PERSON_FIRST_MS = 60000,
        JOB_DOUBLINGS = 16,
        PERSON_DOUBLINGS = 13,
        COMPUTE_DOUBLINGS = 11
    }; /* Mostly in time. */
    const struct json *delay = json_get(result, STR("delay"));
    int64_t ms = 0;
    if (delay) return read_span(delay, &ms, NULL) == ST_OK ? ms : 0;
    if (stage->variation == VARY_EXPLORE && choices_rarely(stage->choices, 6))
        return explored_ms[choices_below(stage->choices, COUNT(explored_ms))];
    if (stage->variation != VARY_SIMULATE) return 0;
    /* Each doubling is equally likely, and within one any time: long tails as in life. */
    bool job = work->kind == WORK_JOB;
    ms = (int64_t)(job ? JOB_FIRST_MS : PERSON_FIRST_MS)
         << choices_below(stage->choices, work->computes ? COMPUTE_DOUBLINGS
                                          : job          ? JOB_DOUBLINGS
                                                         : PERSON_DOUBLINGS);
    return ms + (int64_t)(ms * choices_below(stage->choices, 1000) / 1000);
}

static void plan(struct stage *stage, struct work *work, const struct json *result)
{
    const struct json *any = json_get(result, STR("any"));
    if (any) {
        const struct json *delay = json_get(result, STR("delay"));
        result = ok(stage, generate(any,
                                    stage->variation == VARY_EXPLORE
                                        ? hints_of_program(work->actor->program, stage->arena)
                                        : NULL,
                                    stage->choices, stage->arena));
        if (delay) result = json_set(stage->arena, result, STR("delay"), delay);
    }
    work->result = result;
    work->due_ms = stage->now_ms + delay_of(stage, result, work);
    if (!work->computes || work->due_ms < work->late_ms) return;
    work->result = compute_timeout(stage);
    work->due_ms = work->late_ms > stage->now_ms ? work->late_ms : stage->now_ms;
}

/* Tasks that promise a result need no mock. In a trial they bring what their author has written for tests. */
static void plan_mocked(struct stage *stage, struct work *work, const struct json *result)
{
    uint32_t at = program_find(work->actor->program, work->names.node);
    if (work->kind == WORK_JOB && at != NODE_NONE) {
        const struct program_node *node = &work->actor->program->node[at];
        if (!result && stage->engine.is_trial && node->rehearsal && node->rehearsal->given)
            result = ok(stage, node->rehearsal->given);
        result = mock_filled(node, result, stage->arena);
    }
    if (result) plan(stage, work, result);
}

static void plan_work(struct stage *stage)
{
    for (struct work *work = stage->first_work; work; work = work->next) {
        if (work->computes && !work->result && work->late_ms <= stage->now_ms) {
            work->held = false;
            plan(stage, work, compute_timeout(stage));
        }
        if (work->result || work->held || work->refused || !work->taken) continue;
        struct mock *mock = mock_find(stage->mocks, &work->names);
        if (stage->variation == VARY_SIMULATE) plan_mocked(stage, work, simulated(stage, mock, work));
        else if (mock && stage->variation == VARY_EXPLORE)
            plan_mocked(stage, work, explored(stage, mock, work));
        else if (mock || !stage->hooks)
            plan_mocked(stage, work, mock ? mock_next(mock, work->input, stage->arena) : NULL);
        else plan_mocked(stage, work, stage->hooks->answer(stage->hooks->context, stage, work));
    }
}

/* ---- answering ---- */

static str failure_text(const struct json *result)
{
    static const str names[] = { STR_INIT("message"), STR_INIT("code"), STR_INIT("name"), STR_INIT("fail") };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json *text = json_get(result, names[i]);
        if (json_is(text, JSON_STRING)) return json_string(text);
    }
    return STR("failed");
}

/* The error as handlers see it. An error that has only a code gets the code as its name. */
static const struct json *failure_object(struct stage *stage, const struct json *result)
{
    static const str taken[] = { STR_INIT("code"), STR_INIT("name"), STR_INIT("message"), STR_INIT("data") };
    const struct json *error = json_empty_object();
    for (size_t i = 0; i < COUNT(taken); i++) {
        const struct json *value = json_get(result, taken[i]);
        str name = i ? taken[i] : STR("name");
        if (value) error = json_set(stage->arena, error, name, value);
    }
    return error;
}

/* The value of a mock that does not fail; NULL: none. */
static const struct json *answer_data(struct stage *stage, const struct work *work)
{
    const struct json *value = json_get(work->result, STR("ok"));
    if (json_get(work->result, STR("fail"))) return NULL;
    if (!value) value = work->input;
    if (work->computes) return compute_result(stage, work, value);
    return json_is(value, JSON_NULL) ? NULL : value;
}

/* A node may ask several people at once: the visit is answered, not the node. */
static struct id visit_id(const struct work *work)
{
    const struct token *token = instance_find_token(work->actor->state, work->execution);
    if (!token) return work->actor->id;
    return (
        struct id){ .ms = token->since_ms, .instance = work->actor->id.instance, .number = work->execution };
}

/* A task that is for certain people is done by one of them. */
static str person_of(const struct work *work)
{
    const struct token *token = instance_find_token(work->actor->state, work->execution);
    const struct json *details = token ? token->task : NULL;
    const struct json *has = json_get(details, STR("assignee")), *may = json_get(details, STR("assignees"));
    if (json_is(has, JSON_STRING) && json_string(has).n) return json_string(has);
    if (json_is(may, JSON_ARRAY) && json_is(json_item(may, 0), JSON_STRING))
        return json_string(json_item(may, 0));
    return worker_name;
}

/* An event comes by the trigger of the step that waits, and passes all that the trigger asks for. */
static struct call *arrival_for(struct stage *stage, const struct work *work)
{
    const struct program *program = work->actor->program;
    const struct program_node *node = &program->node[program_find(program, work->names.node)];
    struct call *call = world_call(stage, CALL_START);
    call->as.start.definition_id = work->actor->definition_id;
    call->as.start.trigger = program->rules->arrival[node->as.wait.arrival].name;
    call->as.start.data = answer_data(stage, work);
    return call;
}

/* It was taken, but not by the one that waits: it has another key, or the trigger discards it. */
static bool has_gone_astray(const struct work *work)
{
    return work->kind == WORK_ARRIVAL && instance_find_token(work->actor->state, work->execution);
}

static struct call *answer_call(struct stage *stage, const struct work *work)
{
    if (work->kind == WORK_ARRIVAL) return arrival_for(stage, work);
    const struct json *fails = json_get(work->result, STR("fail"));
    enum call_kind kind = work->kind == WORK_TASK     ? CALL_COMPLETE_TASK
                          : work->kind == WORK_SIGNAL ? CALL_SIGNAL
                          : fails                     ? CALL_FAIL_JOB
                                                      : CALL_COMPLETE_JOB;
    struct call *call = world_call(stage, kind);
    call->performs = true;
    if (work->kind != WORK_JOB) {
        call->as.instance.id = work->kind == WORK_TASK ? visit_id(work) : work->actor->id;
        call->as.instance.node = work->names.node;
        call->as.instance.actor = person_of(work);
        call->as.instance.in_any_group = true;
        call->as.instance.data = answer_data(stage, work);
        return call;
    }
    call->as.job.id = work->id;
    call->as.job.worker = worker_name;
    call->as.job.data = answer_data(stage, work);
    if (fails) {
        call->as.job.text = failure_text(work->result);
        call->as.job.failure = failure_object(stage, work->result);
        call->as.job.retryable = str_equal(json_string(fails), STR("transient"));
    }
    return call;
}

/* Functions answer with any value; steps are answered with an object of variables. */
static bool may_answer(const struct work *work, const struct json *data)
{
    return !data || json_is(data, JSON_OBJECT) || work->names.function.n > 0;
}

static bool answer(struct stage *stage, struct work *work)
{
    const struct json *expected = json_get(work->result, STR("expectStatus"));
    str what = work->names.function.n ? work->names.function
               : work->names.type.n   ? work->names.type
                                      : work->names.node;
    int64_t status = 0;
    if (work->kind == WORK_EVENTS) {
        work->gone = true;
        guess_events(stage, work->actor, work->execution);
        return true;
    }
    if (work->kind != WORK_JOB && json_get(work->result, STR("fail")))
        return stage_stop(stage, "the mock of \"%.*s\" fails, but only jobs can: this step waits for %s",
                          STR_ARG(work->names.node),
                          work->kind == WORK_TASK     ? "a person"
                          : work->kind == WORK_SIGNAL ? "a signal"
                                                      : "an event");
    const struct json *data = answer_data(stage, work);
    struct call *call = answer_call(stage, work);
    if (!may_answer(work, data))
        return stage_stop(stage, "the mock of \"%.*s\" answers %s; a result is an object with variables",
                          STR_ARG(what), json_kind_name(json_kind(data)));
    if (++stage->answer_count > ANSWERS_MAX)
        return stage_stop(stage, "outside work was answered %d times; is there a loop without end?",
                          ANSWERS_MAX);
    world_submit(stage, call);
    if (call->status == ST_OK) {
        work->gone = true;
    } else {
        work->refused = true;
        work->result = NULL;
        stage_record(stage, "refused", work->actor->name, "%.*s: %d %s", STR_ARG(what),
                     status_http(call->status), call->error.message);
    }
    int http = call->status == ST_OK ? 204 : status_http(call->status);
    actors_follow(stage);
    bool astray = call->status == ST_OK && has_gone_astray(work);
    if (astray) { /* The next one would go the same way. */
        work->gone = false;
        work->refused = true;
        work->result = NULL;
    }
    if (stage->hooks) {
        stage->hooks->answered(stage->hooks->context, stage, work,
                               astray                  ? "the event did not belong to this run"
                               : call->status == ST_OK ? NULL
                                                       : call->error.message);
        return true;
    }
    if (expected ? !json_int64(expected, &status) || status != http
                 : call->status != ST_OK && stage->variation == VARY_NOTHING)
        return stage_stop(stage, "the answer of the mock of \"%.*s\" got %d: %s", STR_ARG(what), http,
                          call->status == ST_OK ? "accepted" : call->error.message);
    return true;
}

/* Chooses one of the due answers; the order in which they came is the plainest. */
static struct work *pick_due(struct stage *stage)
{
    size_t count = 0;
    if (stage->paused) return NULL;
    for (struct work *work = stage->first_work; work; work = work->next)
        count += !work->gone && work->result && work->due_ms <= stage->now_ms;
    if (!count) return NULL;
    size_t index =
        stage->variation == VARY_EXPLORE && count > 1 ? choices_below(stage->choices, (uint32_t)count) : 0;
    for (struct work *work = stage->first_work; work; work = work->next)
        if (!work->gone && work->result && work->due_ms <= stage->now_ms && index-- == 0) return work;
    return NULL;
}

static bool may_go_on(struct stage *stage)
{
    if (!world_has_room(stage)) return false;
    const char *enough = stage->bound ? stage->bound->enough(stage->bound->context) : NULL;
    return !enough || stage_stop(stage, "%s", enough);
}

bool work_settle(struct stage *stage)
{
    actors_follow(stage);
    for (;;) {
        if (stage->hooks && !stage->hooks->rests(stage->hooks->context, stage)) return false;
        if (!invariants_hold(stage) || !may_go_on(stage)) return false;
        take_work(stage);
        plan_work(stage);
        struct work *work = pick_due(stage);
        if (!work) return true;
        if (!answer(stage, work)) return false;
    }
}

bool work_release(struct stage *stage, const struct target *target, size_t index, const struct json *result)
{
    for (struct work *work = stage->first_work; work; work = work->next) {
        if (work->gone || !work->held || !mock_target_fits(target, &work->names)) continue;
        if (index != SIZE_MAX && work->held_index != index) continue;
        struct mock *mock = mock_find(stage->mocks, &work->names);
        work->held = false;
        if (!result && mock) result = mock_next(mock, work->input, stage->arena);
        plan_mocked(stage, work, result);
        if (!work->result) plan(stage, work, ok(stage, json_empty_object()));
        return true;
    }
    return stage_stop(stage, "nothing is held for \"%.*s\"%s",
                      STR_ARG(target->node.n ? target->node : target->type),
                      index == SIZE_MAX ? "" : " at that index");
}

const struct work *work_unanswered(const struct stage *stage)
{
    for (const struct work *work = stage->first_work; work; work = work->next)
        if (!work->gone && work->names.function.n && work->taken && !work->held && !work->refused &&
            !work->result)
            return work;
    return NULL;
}

/* ---- time ---- */

bool work_move(struct stage *stage, int64_t until_ms)
{
    /* Schedules never end: `run` does not wait for them. */
    int64_t next_ms = world_next_ms(stage), slot_ms = world_next_slot_ms(stage);
    if (until_ms != INT64_MAX && slot_ms < next_ms) next_ms = slot_ms;
    for (const struct work *work = stage->first_work; work && !stage->paused; work = work->next)
        if (!work->gone && work->result && work->due_ms < next_ms) next_ms = work->due_ms;
        else if (!work->gone && !work->result && work->computes && work->late_ms < next_ms)
            next_ms = work->late_ms;
    if (next_ms == INT64_MAX || next_ms > until_ms) return false;
    if (++stage->move_count > TIME_MOVES_MAX)
        return stage_stop(stage, "the clock stopped %d times; is there a loop without end?", TIME_MOVES_MAX);
    if (next_ms > stage->now_ms) stage->now_ms = next_ms;
    world_turn(stage);
    return work_settle(stage);
}

bool work_until(struct stage *stage, int64_t until_ms)
{
    while (work_move(stage, until_ms)) {
    }
    if (stage->problem.n) return false;
    if (until_ms == INT64_MAX || until_ms <= stage->now_ms) return true;
    stage->now_ms = until_ms;
    world_turn(stage);
    return work_settle(stage);
}
