/* scenario/ops.c — the steps of a scenario, each as calls to the engine. */
#include "scenario/scenario_int.h"

#include "base/hash.h"
#include "base/must.h"
#include "runtime/tasks/tasks.h"
#include "source/source.h"
#include "vault/vault.h"

/* ---- publishing ---- */

/* The node that a problem is about: the id, or else the name, of the deepest thing on its way that has
 * a type and one of them. */
static str node_at(const struct json *document, str pointer)
{
    str found = STR_NONE;
    for (size_t end = 1; end <= pointer.n; end++) {
        if (end < pointer.n && pointer.p[end] != '/') continue;
        const struct json *part = json_pointer(document, str_slice(pointer, 0, end));
        const struct json *id = json_get(part, STR("id")), *name = json_get(part, STR("name"));
        if (json_is(id, JSON_STRING)) found = json_string(id);
        else if (json_is(name, JSON_STRING) && json_get(part, STR("type"))) found = json_string(name);
    }
    return found;
}

static void note_problems(struct stage *stage, const struct call *call)
{
    struct source source;
    enum status status =
        source_parse(call->as.deploy.text, call->as.deploy.format, NULL, stage->arena, &source, NULL);
    const struct json *document = status == ST_OK ? source.document : NULL;
    for (size_t i = 0; i < call->value.definitions.problems.count; i++) {
        const struct problem *problem = &call->value.definitions.problems.problem[i];
        if (problem->warning) continue;
        struct refused_definition *refused = arena_make(stage->arena, struct refused_definition);
        *refused = (struct refused_definition){ .code = str_of(problem_code_name(problem->code)),
                                                .node = problem->node.n ? problem->node
                                                        : document      ? node_at(document, problem->pointer)
                                                                        : STR_NONE,
                                                .message = problem->message };
        if (stage->last_refused) stage->last_refused->next = refused;
        else stage->first_refused = refused;
        stage->last_refused = refused;
        stage_record(stage, "refused", STR_NONE, "%.*s [%s] (%.*s)", STR_ARG(problem->message),
                     problem_code_name(problem->code), STR_ARG(problem->pointer));
    }
}

static void note_refusal(struct stage *stage, const char *what, const struct call *call)
{
    if (stage->refused) return;
    stage->refused = true;
    stage->refusal = arena_printf(stage->arena, "%s was refused: %d %s", what, status_http(call->status),
                                  call->error.message);
}

static void note_definition(struct stage *stage, const struct definition_row *row)
{
    struct known_definition *known = arena_make(stage->arena, struct known_definition);
    *known = (struct known_definition){ .id = row->id, .title = row->title, .next = stage->definitions };
    stage->definitions = known;
    const struct program *program = world_program(stage, row->id, 0);
    if (program && program->rules->arrival_count) stage->takes_arrivals = true;
    stage_record(stage, "publish", STR_NONE, "%.*s v%d", STR_ARG(row->id), row->version);
}

/* `expected`: the step expects a refusal. */
static struct call *publish(struct stage *stage, str text, str file, bool expected)
{
    struct call *call = world_call(stage, CALL_DEPLOY);
    call->as.deploy.makes_models = true;
    call->as.deploy.text = text;
    call->as.deploy.format = source_format_of(file);
    world_submit(stage, call);
    if (call->status == ST_OK) {
        note_definition(stage, call->value.definitions.row);
    } else {
        stage_record(stage, "publish", STR_NONE, "%s%.*s", file.n ? "file " : "a definition", STR_ARG(file));
        note_problems(stage, call);
        if (!expected) note_refusal(stage, "a definition", call);
    }
    return call;
}

bool op_publish(struct stage *stage, str text, str file)
{
    publish(stage, text, file, false);
    return work_settle(stage);
}

static bool run_publish(struct stage *stage, const struct op *op)
{
    const struct json *definition = json_get(op->body, STR("definition"));
    struct buf text;
    if (!json_is(definition, JSON_OBJECT))
        return stage_stop(stage, "%.*s: \"definition\" is a document", STR_ARG(op->where));
    buf_init(&text, stage->arena);
    json_print_pretty(definition, &text);
    struct call *call =
        publish(stage, buf_str(&text), STR_NONE, json_get(op->body, STR("expectStatus")) != NULL);
    return work_settle(stage) && check_status(stage, op, call, 201);
}

/* ---- commands ---- */

/* Finds the instance that the step names; without a name, the one that was started last. */
static struct actor *actor_named(struct stage *stage, const struct op *op)
{
    str name = json_text(op->body, STR("instance"));
    struct actor *actor = name.n ? actors_find(stage, name) : actors_last(stage);
    if (!actor && stage->variation == VARY_NOTHING)
        stage_stop(stage, "%.*s: there is no instance \"%.*s\"%s%.*s", STR_ARG(op->where), STR_ARG(name),
                   stage->refusal.n ? "; " : "", STR_ARG(stage->refusal));
    return actor;
}

/* A task's body is the API's {"variables": …}; the variables alone will do. */
static const struct json *variables_of(enum op_kind kind, const struct json *body)
{
    const struct json *given = json_get(body, kind == OP_RETRY    ? STR("variables")
                                              : kind == OP_MODIFY ? STR("set")
                                                                  : STR("body"));
    if (kind != OP_TASK || !json_is(given, JSON_OBJECT)) return given;
    struct json_each each = json_each(given);
    while (json_next(&each))
        if (!str_equal(each.name, STR("variables")) && !str_equal(each.name, STR("workerId"))) return given;
    return json_get(given, STR("variables"));
}

/* Exploring: an input by the case's generators or a change of the given one. */
static const struct json *vary_data(struct stage *stage, enum op_kind kind, const struct json *data,
                                    const struct program *program)
{
    if (stage->variation != VARY_EXPLORE) return data;
    const struct hint *hints = program ? hints_of_program(program, stage->arena) : NULL;
    if (kind == OP_START && stage->scenario->inputs) {
        const struct json *made = generate(stage->scenario->inputs, hints, stage->choices, stage->arena);
        return json_is(data, JSON_OBJECT) ? json_merge(data, made, stage->arena) : made;
    }
    if (!json_is(data, JSON_OBJECT)) return data;
    return generate_mutation(data, hints, stage->choices, stage->arena);
}

/* A definition's id, by its id or else by its title: where its author gave it no id, the title is all
 * that a scenario can know. */
static str definition_named(const struct stage *stage, str name)
{
    if (!name.n) return stage->definitions ? stage->definitions->id : STR_NONE;
    for (const struct known_definition *known = stage->definitions; known; known = known->next)
        if (str_equal(known->id, name)) return known->id;
    for (const struct known_definition *known = stage->definitions; known; known = known->next)
        if (str_equal(known->title, name)) return known->id;
    return name;
}

static struct call *start_call(struct stage *stage, const struct op *op)
{
    int64_t version = 0;
    json_int64(json_get(op->body, STR("version")), &version);
    str definition = definition_named(stage, json_text(op->body, STR("definition")));
    const struct program *program = world_program(stage, definition, (int32_t)version);
    const struct json *input = vary_data(stage, OP_START, json_get(op->body, STR("input")), program);
    str transition = json_text(op->body, STR("transition"));
    if (entities_has(program)) return writes_create(stage, definition, transition, input);
    if (transition.n) {
        stage_stop(stage, "%.*s: only a new entity has a \"transition\"", STR_ARG(op->where));
        return NULL;
    }
    struct call *call = world_call(stage, CALL_START);
    call->as.start.definition_id = definition;
    call->as.start.version = (int32_t)version;
    call->as.start.trigger = json_text(op->body, STR("trigger"));
    call->as.start.is_test = json_flag(op->body, STR("isTest"));
    call->as.start.business_key = json_text(op->body, STR("businessKey"));
    call->as.start.data = input;
    return call;
}

/* The public id of a task: the n-th that the instance opened is named "i1.n". Other names stand for
 * themselves. */
static str task_id_of(struct stage *stage, const struct actor *actor, str name)
{
    size_t number = view_task(stage, actor, name);
    if (!number) return name;
    char *text = arena_alloc(stage->arena, ID_CHARS + 1);
    id_print(view_task_id(stage, actor, number), text);
    return str_of(text);
}

/* An instance that is not there is one that the engine does not know. */
static struct call *resume_call_of(struct stage *stage, const struct op *op)
{
    const struct json *body = json_get(op->body, STR("body")), *task = json_get(body, STR("taskId"));
    str name = json_text(op->body, STR("instance")), actor_name = json_text(op->body, STR("actor"));
    struct actor *actor = name.n ? actors_find(stage, name) : actors_last(stage);
    struct call *call = world_call(stage, CALL_COMPLETE_TASK);
    struct id id = { .ms = stage->now_ms, .instance = ID_INSTANCE_MAX };
    if (!body) body = json_empty_object();
    if (actor) id = actor->id;
    if (actor && json_is(task, JSON_STRING))
        body = json_set(stage->arena, body, STR("taskId"),
                        json_of_string(stage->arena, task_id_of(stage, actor, json_string(task))));
    call->status = resume_read(body, id, call, &call->error);
    call->as.instance.actor = actor_name.n ? actor_name : STR("scenario");
    call->as.instance.groups = json_get(op->body, STR("groups"));
    call->as.instance.in_any_group = !call->as.instance.groups;
    call->as.instance.data =
        vary_data(stage, OP_RESUME, call->as.instance.data, actor ? actor->program : NULL);
    call->idempotency_key = json_text(op->body, STR("idempotencyKey"));
    if (call->idempotency_key.n) call->request_hash = hash_bytes(stage_text(stage, body));
    return call;
}

static struct call *transition_call(struct stage *stage, const struct op *op)
{
    struct actor *actor = actor_named(stage, op);
    if (!actor) return NULL;
    if (!entities_has(actor->program)) {
        stage_stop(stage, "%.*s: \"%.*s\" is no entity", STR_ARG(op->where), STR_ARG(actor->name));
        return NULL;
    }
    return writes_change(stage, op, actor,
                         vary_data(stage, OP_TRANSITION, json_get(op->body, STR("body")), actor->program));
}

/* NULL if the step names an instance that is not there. */
static struct call *command_call_of(struct stage *stage, const struct op *op)
{
    if (op->kind == OP_START) return start_call(stage, op);
    if (op->kind == OP_EVENT) return event_call(stage, op);
    if (op->kind == OP_RESUME) return resume_call_of(stage, op);
    if (op->kind == OP_TRANSITION) return transition_call(stage, op);
    if (op->kind == OP_HTTP || op->kind == OP_MQTT) return arrival_call(stage, op);
    enum call_kind kind = op->kind == OP_SIGNAL   ? CALL_SIGNAL
                          : op->kind == OP_TASK   ? CALL_COMPLETE_TASK
                          : op->kind == OP_RETRY  ? CALL_RETRY
                          : op->kind == OP_MODIFY ? CALL_MODIFY
                                                  : CALL_CANCEL;
    struct actor *actor = actor_named(stage, op);
    if (!actor) return NULL;
    const struct json *data =
        kind == CALL_CANCEL ? NULL
                            : vary_data(stage, op->kind, variables_of(op->kind, op->body), actor->program);
    if (entities_has(actor->program) && kind == CALL_CANCEL) return writes_change(stage, op, actor, data);
    struct call *call = world_call(stage, kind);
    if (kind == CALL_MODIFY) {
        repair_read(stage, op, actor, &call->as.modify);
        call->as.modify.data = data;
        call->as.modify.text = json_text(op->body, STR("reason"));
        call->as.modify.actor = STR("scenario");
        return call;
    }
    call->as.instance.id = actor->id;
    call->as.instance.node = actor_node(actor, json_text(op->body, STR("step")));
    call->as.instance.text = json_text(op->body, STR("reason"));
    call->as.instance.early = json_flag(op->body, STR("early"));
    call->as.instance.failed_too = json_flag(op->body, STR("failed"));
    call->as.instance.actor = STR("scenario");
    call->as.instance.in_any_group = true;
    call->as.instance.data = data;
    return call;
}

/* Variables are an object or nothing; the API looks at that before the engine does. */
static bool data_fits(struct call *call)
{
    if (call->status != ST_OK || call->kind == CALL_EVENTS || call->kind == CALL_ARRIVE ||
        call->kind == CALL_WRITE_ENTITIES)
        return call->status == ST_OK;
    const struct json **data = call->kind == CALL_START    ? &call->as.start.data
                               : call->kind == CALL_MODIFY ? &call->as.modify.data
                                                           : &call->as.instance.data;
    if (json_is(*data, JSON_NULL)) *data = NULL;
    if (!*data || json_is(*data, JSON_OBJECT)) return true;
    call->status = fail(&call->error, ST_INVALID, "variables", "variables are a JSON object, not %s",
                        json_kind_name(json_kind(*data)));
    return false;
}

static bool after_command(struct stage *stage, const struct op *op, const struct call *call)
{
    if (op->kind == OP_EVENT) return check_event(stage, op, call);
    if (call->kind == CALL_ARRIVE) return arrivals_check(stage, op, call);
    static const int success[OP_COUNT] = {
        [OP_START] = 201,  [OP_SIGNAL] = 204, [OP_TASK] = 204,   [OP_RETRY] = 200,
        [OP_CANCEL] = 200, [OP_MODIFY] = 200, [OP_RESUME] = 200, [OP_TRANSITION] = 200,
    };
    bool expected = json_get(op->body, STR("expectStatus")) || json_get(op->body, STR("expectCode"));
    if (call->status != ST_OK) {
        stage_record(stage, "refused", json_text(op->body, str_of(op->kind == OP_START ? "as" : "instance")),
                     "%.*s: %d %s", STR_ARG(op->where), status_http(call->status), call->error.message);
        if (op->kind == OP_START && !expected) note_refusal(stage, "a start", call);
        else if (!expected && stage->variation == VARY_NOTHING)
            return stage_stop(stage, "%.*s was refused: %d %s", STR_ARG(op->where), status_http(call->status),
                              call->error.message);
    }
    bool kept = op->kind == OP_SIGNAL && call->value.instances.kept;
    bool created = op->kind == OP_START && call->kind == CALL_WRITE_ENTITIES; /* As the API answers. */
    return check_status(stage, op, call, kept ? 202 : created ? 200 : success[op->kind]);
}

/* Writes of entities may be answered long after their step. */
static bool after_writes(struct stage *stage)
{
    for (const struct open_write *write; (write = entities_take_answered(stage)) != NULL;)
        if (!after_command(stage, write->op, write->call)) return false;
    return true;
}

static bool after_step(struct stage *stage, const struct op *op, const struct call *call)
{
    return call->kind == CALL_WRITE_ENTITIES ? after_writes(stage) : after_command(stage, op, call);
}

static void name_started(struct stage *stage, const struct op *op, const struct call *call)
{
    str name = json_text(op->body, STR("as"));
    bool writes = call->kind == CALL_WRITE_ENTITIES;
    if (op->kind != OP_START || (call->status != ST_OK && !writes) || !name.n) return;
    struct naming *naming = arena_make(stage->arena, struct naming);
    *naming = (struct naming){ .instance = writes ? entities_created(call) : call->value.instances.view->id,
                               .name = name,
                               .next = stage->namings };
    stage->namings = naming;
}

static void note_arrived(struct stage *stage, const struct op *op, const struct call *call)
{
    if (op->kind == OP_EVENT) event_note(stage, op, call);
    if (call->kind == CALL_ARRIVE) arrivals_note(stage, op, call);
}

static bool run_command(struct stage *stage, const struct op *op)
{
    enum { LEAVE_OUT_ONE_IN = 12 };
    if (stage->variation == VARY_EXPLORE && op->kind != OP_START &&
        choices_rarely(stage->choices, LEAVE_OUT_ONE_IN))
        return true;
    struct call *call = command_call_of(stage, op);
    if (!call) return stage->variation != VARY_NOTHING;
    if (call->kind == CALL_WRITE_ENTITIES) entities_submitted(stage, op, call);
    if (data_fits(call)) world_submit(stage, call);
    name_started(stage, op, call);
    note_arrived(stage, op, call);
    return work_settle(stage) && after_step(stage, op, call);
}

/* Orders steps that happen at once: the n-th permutation or, where there are more permutations than are
 * tried, the n-th shuffle. */
static void permute(size_t *order, size_t count, size_t n)
{
    struct choices choices;
    for (size_t i = 0; i < count; i++) order[i] = i;
    if (count > PERMUTED_MAX && n) {
        choices_init_random(&choices, n);
        for (size_t left = count; left > 1; left--) {
            size_t pick = choices_below(&choices, (uint32_t)left), moved = order[pick];
            order[pick] = order[left - 1];
            order[left - 1] = moved;
        }
        choices_done(&choices);
        return;
    }
    for (size_t left = count; left > 1; left--) {
        size_t pick = n % left, last = left - 1;
        n /= left;
        size_t moved = order[last - pick];
        memmove(&order[last - pick], &order[last - pick + 1], pick * sizeof order[0]);
        order[last] = moved;
    }
}

/* Each command is decided on the state that those before it have left; their consequences come after all of
 * them. */
static bool run_concurrent(struct stage *stage, const struct op *op)
{
    size_t *order = arena_make_n(stage->arena, size_t, op->inner_count);
    struct call **call = arena_make_n(stage->arena, struct call *, op->inner_count);
    struct call_list together = { 0 };
    permute(order, op->inner_count, stage->serialisation);
    stage_record(stage, "concurrent", STR_NONE, "%zu steps at once", op->inner_count);
    for (size_t i = 0; i < op->inner_count; i++) {
        call[order[i]] = command_call_of(stage, &op->inner[order[i]]);
        if (!call[order[i]]) return stage->variation != VARY_NOTHING;
        if (call[order[i]]->kind == CALL_WRITE_ENTITIES)
            entities_submitted(stage, &op->inner[order[i]], call[order[i]]);
        if (data_fits(call[order[i]])) call_list_add(&together, call[order[i]]);
    }
    world_submit_together(stage, &together);
    for (size_t i = 0; i < op->inner_count; i++) {
        const struct op *inner = &op->inner[order[i]];
        name_started(stage, inner, call[order[i]]);
        note_arrived(stage, inner, call[order[i]]);
    }
    if (!work_settle(stage)) return false;
    for (size_t i = 0; i < op->inner_count; i++)
        if (!after_step(stage, &op->inner[i], call[i])) return false;
    return true;
}

/* ---- the outside ---- */

static bool run_mock(struct stage *stage, const struct op *op)
{
    struct mock *mock;
    struct error err;
    if (mock_read(op->body, stage->arena, &mock, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    mock->next = stage->mocks;
    stage->mocks = mock;
    /* Work whose answer was refused has another chance. */
    for (struct work *work = stage->first_work; work; work = work->next)
        if (mock_target_fits(&mock->target, &work->names)) work->refused = false;
    return work_settle(stage);
}

static bool run_hold(struct stage *stage, const struct op *op)
{
    struct hold *hold = arena_make(stage->arena, struct hold);
    struct error err;
    if (mock_target(op->body, &hold->target, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    hold->next = stage->holds;
    stage->holds = hold;
    /* Work that is open already and has no answer yet is held too. */
    for (struct work *work = stage->first_work; work; work = work->next) {
        if (work->gone || work->held || work->result || !mock_target_fits(&hold->target, &work->names))
            continue;
        work->held = true;
        work->held_index = hold->count++;
    }
    return true;
}

static bool run_release(struct stage *stage, const struct op *op)
{
    const struct json *index = json_get(op->body, STR("index")), *result = json_get(op->body, STR("result"));
    struct target target;
    struct error err;
    int64_t number = 0;
    enum status status = mock_target(op->body, &target, &err);
    if (status == ST_OK && result) status = mock_check_result(result, &err);
    if (status == ST_OK && index && (!json_int64(index, &number) || number < 0))
        status = fail(&err, ST_INVALID, "index", "\"index\" counts from 0");
    if (status != ST_OK) return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    if (work_release(stage, &target, index ? (size_t)number : SIZE_MAX, result)) return work_settle(stage);
    if (stage->variation == VARY_NOTHING) return false;
    stage->problem = STR_NONE; /* A varied run may never have got so far. */
    return true;
}

static bool run_restart(struct stage *stage, const struct op *op)
{
    const struct json *down = json_get(op->body, STR("downFor"));
    struct error err;
    int64_t ms = 0;
    if (down && read_span(down, &ms, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    stage_record(stage, "restart", STR_NONE, "%s%.*s", down ? "down for " : "",
                 STR_ARG(down ? json_string(down) : STR_NONE));
    stage->now_ms += ms;
    world_restart(stage);
    for (struct work *work = stage->first_work; work; work = work->next) {
        if (work->kind != WORK_JOB) continue;
        work->taken = work->refused = false;
        work->result = NULL;
    }
    world_turn(stage);
    return work_settle(stage);
}

static bool run_advance(struct stage *stage, const struct op *op)
{
    struct error err;
    int64_t ms;
    if (read_span(json_get(op->body, STR("by")), &ms, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    int64_t until_ms = stage->now_ms + ms;
    if (!work_until(stage, until_ms)) return false;
    stage_record(stage, "advance", STR_NONE, "by %.*s", STR_ARG(json_text(op->body, STR("by"))));
    return true;
}

static bool run_vault(struct stage *stage, const struct op *op)
{
    const struct json *secrets = json_get(op->body, STR("secrets"));
    struct error err;
    if (!json_is(secrets, JSON_OBJECT))
        return stage_stop(stage, "%.*s: \"secrets\" is an object of texts", STR_ARG(op->where));
    struct json_each each = json_each(secrets);
    while (json_next(&each))
        if (!json_is(each.value, JSON_STRING) || vault_check_name(each.name, &err) != ST_OK ||
            vault_check_value(json_string(each.value), &err) != ST_OK)
            return stage_stop(stage, "%.*s: \"%.*s\" is no secret: it needs a name and a text",
                              STR_ARG(op->where), STR_ARG(each.name));
    stage->secrets = stage->secrets ? json_merge(stage->secrets, secrets, stage->arena) : secrets;
    world_use_secrets(stage);
    stage_record(stage, "vault", STR_NONE, "%zu secrets", json_count(stage->secrets));
    return work_settle(stage);
}

static bool run_pause(struct stage *stage, bool paused)
{
    struct call *call = world_call(stage, CALL_PAUSE_ENGINE);
    call->as.pause.paused = paused;
    world_submit(stage, call);
    must(call->status == ST_OK);
    stage->paused = paused;
    stage_record(stage, paused ? "pause" : "unpause", STR_NONE, "workers");
    return work_settle(stage);
}

/* ---- checks on the way ---- */

static bool check_count(struct stage *stage, const struct op *op, const struct json *count)
{
    const struct json *active = json_get(count, STR("active"));
    bool only_active = json_is(active, JSON_BOOL) && json_bool(active);
    int64_t wanted, got = 0;
    if (!json_int64(json_get(count, STR("n")), &wanted))
        return stage_stop(stage, "%.*s: \"count\" is {\"active\": true, \"n\": N}", STR_ARG(op->where));
    for (size_t i = 0; i < stage->actor_count; i++)
        got += !stage->actor[i]->child && !stage->actor[i]->gone &&
               (!only_active || !instance_status_ended(stage->actor[i]->state->status));
    if (got != wanted)
        stage_differs(stage, arena_printf(stage->arena, "%.*s.count", STR_ARG(op->where)),
                      arena_printf(stage->arena, "%lld", (long long)wanted),
                      arena_printf(stage->arena, "%lld", (long long)got));
    return true;
}

/* An instance whose time is over has been removed. */
static bool is_stored(struct stage *stage, const struct actor *actor)
{
    struct call *call = world_call(stage, CALL_GET_INSTANCE);
    call->as.read.id = actor->id;
    world_submit(stage, call);
    return call->status == ST_OK;
}

static bool run_assert(struct stage *stage, const struct op *op)
{
    const struct json *count = json_get(op->body, STR("count")), *expect = json_get(op->body, STR("expect"));
    if (stage->variation != VARY_NOTHING) return true;
    size_t before = stage->difference_count;
    if (count && !check_count(stage, op, count)) return false;
    if (expect) {
        struct actor *actor = actor_named(stage, op);
        if (!actor) return false;
        match_view(stage, expect, view_actor(stage, actor),
                   arena_printf(stage->arena, "%.*s.%.*s", STR_ARG(op->where), STR_ARG(actor->name)));
    } else if (json_get(op->body, STR("gone"))) {
        const struct actor *actor = actors_find(stage, json_text(op->body, STR("instance")));
        if (actor && is_stored(stage, actor))
            stage_differs(stage, op->where, STR("gone"), STR("it is there"));
    } else if (!count) {
        return stage_stop(stage, "%.*s: says neither \"expect\" nor \"gone\" nor \"count\"",
                          STR_ARG(op->where));
    }
    if (stage->difference_count == before) return true;
    return stage_stop(stage, "%.*s: not as expected", STR_ARG(op->where));
}

/* ---- events ---- */

/* The time that `at` counts from: that of the first instance. */
static int64_t first_start_ms(const struct stage *stage)
{
    return stage->actor_count ? stage->actor[0]->id.ms : stage->start_ms;
}

static bool wait_until_at(struct stage *stage, const struct op *op)
{
    const struct json *at = json_get(op->body, STR("at"));
    struct error err;
    int64_t ms;
    if (!at) return true;
    if (read_span(at, &ms, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    int64_t until_ms = first_start_ms(stage) + ms;
    return until_ms <= stage->now_ms || work_until(stage, until_ms);
}

static bool run(struct stage *stage, const struct op *op)
{
    switch (op->kind) {
    case OP_START:
    case OP_SIGNAL:
    case OP_TASK:
    case OP_RETRY:
    case OP_MODIFY:
    case OP_RESUME:
    case OP_HTTP:
    case OP_MQTT:
    case OP_TRANSITION:
    case OP_CANCEL: return run_command(stage, op);
    case OP_EVENT: return wait_until_at(stage, op) && run_command(stage, op);
    case OP_PUBLISH: return run_publish(stage, op);
    case OP_MOCK: return run_mock(stage, op);
    case OP_HOLD: return run_hold(stage, op);
    case OP_RELEASE: return run_release(stage, op);
    case OP_ADVANCE: return run_advance(stage, op);
    case OP_RUN: return work_until(stage, INT64_MAX);
    case OP_RESTART: return run_restart(stage, op);
    case OP_VAULT: return run_vault(stage, op);
    case OP_PAUSE: return run_pause(stage, true);
    case OP_UNPAUSE: return run_pause(stage, false);
    case OP_ASSERT: return run_assert(stage, op);
    case OP_CONCURRENT: return run_concurrent(stage, op);
    default: break;
    }
    must(!"an op that the reader refuses");
    return false;
}

bool op_run(struct stage *stage, const struct op *op) { return run(stage, op) && after_writes(stage); }
