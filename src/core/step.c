/* core/step.c — one command, from decision to rest.
 *
 *     decide (on_*.c) ──► run ready tokens (node_*.c) ──► derive the status
 *
 * A token runs until it waits or is gone, then the oldest ready token runs: the branches of a fork run one
 * after the other, in the order of its edges. When the instance ends or fails the run stops at once, except
 * in detached regions. When a budget is used up, the instance fails.
 */

#include "core/core_int.h"

#include <stdio.h>

static const struct {
    command_fn *decide;
    const char *word;
} commands[] = {
#define XX(NAME, name, ...) [COMMAND_##NAME] = { on_##name, #name },
    COMMAND_MAP(XX)
#undef XX
};

static node_fn *const node_enter[] = {
    [NODE_TASK] = node_task_enter,   [NODE_WAIT] = node_wait_enter, [NODE_CHOOSE] = node_choose_enter,
    [NODE_TABLE] = node_table_enter, [NODE_SET] = node_set_enter,   [NODE_FORK] = node_fork_enter,
    [NODE_JOIN] = node_join_enter,   [NODE_END] = node_end_enter,   [NODE_SCOPE] = node_scope_enter,
};
_Static_assert(COUNT(node_enter) == NODE_KIND_COUNT, "every node kind has its file");

const char *core_command_word(enum command_kind kind)
{
    must((unsigned)kind < COMMAND_COUNT);
    return commands[kind].word;
}

/* The first token that may be ready. */
static size_t first_candidate(const struct step *step)
{
    const struct instance *instance = step->instance;
    size_t low = 0, high = instance->token_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (instance->token[middle].execution < step->ready_from) low = middle + 1;
        else high = middle;
    }
    return low;
}

static const struct token *next_ready(struct step *step)
{
    const struct instance *instance = step->instance;
    if (step->running) {
        const struct token *token = instance_find_token(instance, step->running);
        if (token && token->state == TOKEN_READY && instance_reaches(instance, token->execution))
            return token;
    }
    bool passed = true;
    for (size_t i = first_candidate(step); i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        bool ready = token->state == TOKEN_READY;
        if (ready && passed) step->ready_from = token->execution;
        passed &= !ready;
        if (ready && instance_reaches(instance, token->execution)) return token;
    }
    if (passed) step->ready_from = instance->next_number;
    return NULL;
}

/* True if the node must not be visited again, which is raised. */
static bool visited_too_often(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct instance *instance = step->instance;
    uint32_t count = 1, total = 1, total_max = step->program->rules->visits_max;
    int64_t count_max =
        step->program->rules->counts_states ? step->limits->state_visits_max : node->visits_max;
    for (size_t i = 0; i < instance->visited_count; i++) {
        total += instance->visited[i].count;
        if (instance->visited[i].scope == token->scope && instance->visited[i].node == token->node)
            count = instance->visited[i].count + 1;
    }
    str reason = STR_NONE;
    if (count > count_max)
        reason = arena_printf(step->arena, "%.*s \"%.*s\" was visited more than %lld times",
                              STR_ARG(step->program->node_word),
                              STR_ARG(node->title.n ? node->title : node->name), (long long)count_max);
    else if (total_max && total > total_max)
        reason = arena_printf(step->arena, "more than %u steps followed from one command", total_max);
    if (reason.n) {
        raise_error(step, token->execution, step->program->error_names.visits, reason, NULL);
        return true;
    }
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_VISITED, .node = node->name, .scope = token->scope, .visit_count = count },
            token->node);
    return false;
}

static void run_ready(struct step *step)
{
    const struct token *ready;
    while ((ready = next_ready(step)) != NULL) {
        const struct token token = *ready; /* The array may move under the node. */
        step->running = 0;
        if (budget_stopped(step, token.execution)) continue;
        step->visits++;
        step_spend(step, FUEL_VISIT);
        const struct program_node *node = token_node(step, &token);
        if (node->is_milestone) milestone_reach(step, &token, node);
        if (node->begin && !milestone_lets_begin(step, &token, node)) continue;
        if (node->begin && !lock_lets_begin(step, &token, node)) continue;
        if (node->visits_max && visited_too_often(step, &token, node)) continue;
        node_enter[node->kind](step, &token, node);
    }
}

/* True if a token moved although none was ready. */
static bool moves_at_rest(struct step *step)
{
    uint32_t ended = SCOPE_NONE;
    if (step->instance->each_count && node_each_rest(step, &ended)) {
        if (ended != SCOPE_NONE) node_end_over(step, ended);
        return true;
    }
    if (step->instance->undo.error && undo_rest(step)) return true;
    if (step->program->rules->begin_count && milestone_rest(step)) return true;
    return step->program->has_counting_joins_ && node_join_rest(step);
}

static void run(struct step *step)
{
    if (step->instance->is_held || step->rests) return;
    do run_ready(step);
    while (moves_at_rest(step));
}

/* True if the command made a token wait for a person, a signal or an event. */
static bool waits_more(const struct step *step)
{
    for (size_t i = 0; i < step->entry_count; i++)
        if (step->entry[i].kind == ENTRY_KIND_PARK &&
            is_wait_for_others((enum token_state)step->entry[i].state))
            return true;
    return false;
}

static void derive_status(struct step *step)
{
    if (instance_status_ended(step->instance->status) || (step->was_active && !waits_more(step))) return;
    enum instance_status status = instance_live_status(step->instance);
    if (step->command->kind == COMMAND_START || status != step->instance->status)
        note_status(step, status, STR_NONE);
}

static struct step step_begin(const struct program *program, const struct instance *before,
                              const struct command *command, const struct limits *limits, struct arena *arena)
{
    struct step step = {
        .program = program,
        .command = command,
        .limits = limits,
        .arena = arena,
        .fuel = limits->command_fuel_max,
        .was_active = before && before->status == INSTANCE_ACTIVE,
        .ready_from =
            before && !before->is_held && !instance_status_ended(before->status) ? before->next_number : 0,
    };
    const struct created created = {
        .id = command->as.start.instance,
        .definition = command->as.start.definition,
        .business_key = command->as.start.business_key,
    };
    change_begin(&step.change, program, before, &created, command->now_ms, arena);
    step.instance = step.change.instance;
    return step;
}

/* In an atomic program a command that fails the instance is refused. */
static enum status reject_failed(const struct step *step, struct error *rejection)
{
    const struct instance *instance = step->instance;
    if (!step->program->rules->is_atomic || instance->status != INSTANCE_FAILED) return ST_OK;
    const struct json *name = json_get(instance->error, STR("name"));
    const struct json *message = json_get(instance->error, STR("message"));
    char where[ERROR_WHERE_BYTES] = "";
    str said = json_is(message, JSON_STRING) ? json_string(message) : instance->failure;
    if (json_is(name, JSON_STRING)) snprintf(where, sizeof where, "%.*s", STR_ARG(json_string(name)));
    return fail(rejection, ST_INVALID, where, "%.*s", STR_ARG(said));
}

static enum status decide_and_run(struct step *step, struct error *rejection)
{
    enum command_kind kind = step->command->kind;
    if (step->instance->next_number > NUMBERS_MAX && kind != COMMAND_CANCEL)
        return fail(rejection, ST_LIMIT, "", "the instance has run for too long: its numbers are used up");
    TRY(commands[kind].decide(step, rejection));
    if (step->unchanged) return ST_OK;
    run(step);
    derive_status(step);
    TRY(reject_failed(step, rejection));
    step->instance->revision++;
    if (kind == COMMAND_MIGRATE) return on_migrate_verify(step, rejection);
    return kind == COMMAND_MODIFY ? on_modify_verify(step, rejection) : ST_OK;
}

/* True if a task that is under way must be over before anything is written. */
static bool holds(const struct step *step)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct token *token = instance_find_token(instance, instance->job[i].execution);
        const struct program_node *node = token ? token_node(step, token) : NULL;
        if (node && node->kind == NODE_TASK && node->as.task.holds) return true;
    }
    return false;
}

enum status core_step(const struct program *program, const struct instance *before,
                      const struct command *command, const struct limits *limits, struct arena *arena,
                      struct outcome *ret_outcome, struct error *rejection)
{
    must((unsigned)command->kind < COMMAND_COUNT);
    must((command->kind == COMMAND_START) == (before == NULL));
    bool anything = command->kind == COMMAND_COMPLETE_JOB && program->data_shape == DATA_ANY;
    if (command->data && !anything && !json_is(command->data, JSON_OBJECT))
        return fail(rejection, ST_INVALID, "", "variables must be an object");

    /* The arena may serve many commands; each has its own budget. */
    size_t budget_before = arena->budget;
    size_t budget = arena->used + (size_t)limits->step_bytes_max;
    if (!budget_before || budget < budget_before) arena->budget = budget;
    struct step step = step_begin(program, before, command, limits, arena);
    enum status status = decide_and_run(&step, rejection);
    arena->budget = budget_before;
    ret_outcome->fuel = limits->command_fuel_max - step.fuel;
    if (status != ST_OK) return status;

    if (step.unchanged) {
        *ret_outcome = (struct outcome){ .unchanged = true, .instance = before, .fuel = ret_outcome->fuel };
        return ST_OK;
    }
    *ret_outcome = (struct outcome){
        .instance = step.instance,
        .holds = program->has_holding_tasks_ && holds(&step),
        .fuel = ret_outcome->fuel,
        .history = {
            .command = command->kind,
            .at_ms = command->now_ms,
            .actor = command->actor,
            .revision = step.instance->revision,
            .entry = step.entry,
            .entry_count = step.entry_count,
        },
    };
    return ST_OK;
}
