/* dialect/serverless/lower.c — from a workflow to a program.
 *
 * Nodes come in this order: the states as the document has them, branches behind the state
 * they belong to; the one END; then inner nodes. So a state's node is known before anything
 * leads to it. The files lower_*.c lower the single states.
 */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

/* ---- nodes ---- */

static void add_states(struct lowering *lowering, const struct state_scope *scope)
{
    for (size_t i = 0; i < scope->count; i++) {
        struct state *state = &scope->state[i];
        state->node = lower_add_node(lowering, (struct program_node){
                                                   .name = state->node_name,
                                                   .title = state->name,
                                                   .type = str_of(serverless_state_word(state->type)),
                                                   .pointer = state->pointer,
                                               });
        if (state->type != STATE_PARALLEL) continue;
        for (size_t k = 0; k < state->as.parallel.count; k++)
            add_states(lowering, &state->as.parallel.branch[k].scope);
    }
}

static void add_end(struct lowering *lowering)
{
    must(lowering->node_count > 0);
    lowering->end = lower_add_node(lowering, (struct program_node){
                                                 .kind = NODE_END,
                                                 .name = lower_unique(lowering, STR("end")),
                                                 .title = STR("end"),
                                                 .pointer = lowering->workflow->scope.pointer,
                                                 .inner = true,
                                                 .as.end.region = true,
                                             });
}

/* ---- states ---- */

/* Is the state's S in a frame? Otherwise S is computed from the data whenever it is needed. */
static bool is_framed(const struct state *state)
{
    if (state->loop.given || state->type == STATE_EVENT) return true;
    return state->type == STATE_OPERATION && state->as.operation.actions.count &&
           !lower_actions_fit_one_node(&state->as.operation.actions);
}

static void lower_state(struct lowering *lowering, const struct state *state)
{
    must(state->type < STATE_TYPE_COUNT && state->node < lowering->end);
    typedef void lower_fn(struct lowering *, const struct state *);
    static lower_fn *const lower_type[STATE_TYPE_COUNT] = {
        [STATE_EVENT] = lower_event, [STATE_OPERATION] = lower_operation, [STATE_SWITCH] = lower_switch,
        [STATE_DELAY] = lower_delay, [STATE_PARALLEL] = lower_parallel,   [STATE_SUBFLOW] = lower_subflow,
        [STATE_RELAY] = lower_relay,
    };
    lower_type[state->type](lowering, state);
    if (state->type != STATE_SWITCH && state->type != STATE_EVENT)
        lower_edge(lowering, state->node, NULL, lower_way(lowering, &state->transition));
    lower_handlers(lowering, state, is_framed(state));
}

static void lower_states(struct lowering *lowering, const struct state_scope *scope)
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct state *state = &scope->state[i];
        lower_state(lowering, state);
        if (state->type != STATE_PARALLEL) continue;
        for (size_t k = 0; k < state->as.parallel.count; k++)
            lower_states(lowering, &state->as.parallel.branch[k].scope);
    }
}

/* ---- the whole ---- */

static void lower_triggers(struct lowering *lowering)
{
    const struct workflow *workflow = lowering->workflow;
    struct program_trigger *trigger =
        arena_make_n(lowering->arena, struct program_trigger, workflow->trigger_count);
    for (size_t i = 0; i < workflow->trigger_count; i++) {
        const struct trigger *from = &workflow->trigger[i];
        trigger[i] = (struct program_trigger){
            .name = from->name,
            .source = from->source,
            .type = from->type,
            .correlated = from->correlated,
            .envelope = from->envelope,
            .life_ms = from->life_ms,
            .attribute = from->attribute,
            .key = from->key,
        };
    }
    lowering->program->trigger = trigger;
    lowering->program->trigger_count = workflow->trigger_count;
}

static bool mentions(const struct state *state, size_t trigger)
{
    for (size_t i = 0; i < state->as.event.count; i++)
        if (state->as.event.entry[i].operands.mentioned[trigger]) return true;
    return false;
}

/* Events of the triggers that the first state waits for start instances. */
static void lower_starting(struct lowering *lowering)
{
    const struct workflow *workflow = lowering->workflow;
    const struct state *start = workflow->scope.start;
    if (start->type != STATE_EVENT) return;
    uint32_t *starting = arena_make_n(lowering->arena, uint32_t, workflow->trigger_count);
    size_t count = 0;
    for (size_t i = 0; i < workflow->trigger_count; i++)
        if (mentions(start, i)) starting[count++] = (uint32_t)i;
    lowering->program->starting = starting;
    lowering->program->starting_count = count;
}

static void lower_header(struct lowering *lowering)
{
    const struct workflow *workflow = lowering->workflow;
    struct program *program = lowering->program;
    program->dialect = STR("serverless");
    program->id = workflow->id;
    program->title = workflow->name;
    program->description = workflow->description;
    program->rank = workflow->rank;
    program->node_word = STR("state");
    program->data_shape = DATA_ANY;
    program->visits_show_data = true;
    program->named_errors = true;
    program->may_be_endless = true;
    program->error_names = (struct program_error_names){
        .expression = STR("ExpressionException"),
        .filter = STR("FilterException"),
        .timeout = STR(ERROR_NAME_TIMEOUT),
        .no_way = STR("SwitchException"),
        .guard = STR("TransitionException"),
        .used_up = STR("RetryLimitException"),
        .task = STR("FunctionExecutionException"),
        .child = STR("SubFlowException"),
        .limit = STR("FilterException"),
    };
    lower_triggers(lowering);
    lower_starting(lowering);
}

static const struct jsonpath *path_of(str text, struct arena *arena)
{
    const struct jsonpath *path = NULL;
    struct error err = { 0 };
    must(jsonpath_compile(text, JSONPATH_STRICT, arena, &path, &err) == ST_OK);
    return path;
}

void serverless_lower(const struct workflow *workflow, struct program *program, struct problems *problems)
{
    struct lowering lowering = {
        .workflow = workflow,
        .program = program,
        .problems = problems,
        .arena = program_arena(program),
    };
    lowering.used_before = lowering.arena->used;
    lowering.exception = path_of(STR("$.exception"), lowering.arena);
    lower_header(&lowering);
    lower_names(&lowering);
    add_states(&lowering, &workflow->scope);
    add_end(&lowering);
    lower_states(&lowering, &workflow->scope);

    struct program_node *node = arena_make_n(lowering.arena, struct program_node, lowering.node_count);
    for (size_t i = 0; i < lowering.node_count; i++) node[i] = *lowering.node[i];
    must(workflow->scope.start->node < lowering.end && lowering.end < lowering.node_count);
    must(lowering.names.count == lowering.node_count);
    program->node = node;
    program->node_count = lowering.node_count;
    program->start = workflow->scope.start->node;
    triggers_lower(&workflow->schedule, program->start, program);
    program_link(program);
}
