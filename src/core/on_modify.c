/* core/on_modify.c — set variables and move tokens by hand.
 *
 *     variables ──► find the tokens ──► take away ──► enter ──► can all joins still open? ──► run
 *
 * A modification is one step: all of it is done, or it is refused and nothing has changed. A token that is
 * moved is interrupted as by a timer, and enters its new node as by any edge. The order of the modifications
 * does not matter, except that tokens appear in this order.
 *
 * A token stays in its scope if the target is a place of that scope, and else comes out of it. So a
 * fork can be given up as a whole, and a branch of it cannot: the join would wait for ever. Nothing
 * comes into a scope from outside, and nothing into a region or out of one: what is moved is the
 * token that hosts it, with all that it has begun.
 */

#include "core/core_int.h"

/* The places of one scope, looked up once. */
struct places {
    uint32_t fork; /* NODE_NONE: the top level. */
    const bool *inside;
    const bool *arrives; /* NULL: not looked up yet. */
    struct places *next;
};

/* How many of a scope's tokens could arrive at its join before. */
struct outlook {
    uint32_t scope;
    size_t arriving;
};

/* A modification whose names have been looked up. */
struct plan {
    const struct modification *ask;
    struct token token; /* MOVE, CANCEL: the token that goes. */
    uint32_t scope;     /* MOVE, ADD: where … */
    uint32_t target;    /* … and at which node a token appears. */
};

struct modifying {
    struct step *step;
    struct error *rejection;
    struct places *places;
    struct plan *plan;
    size_t count;
    struct outlook *outlook;
    size_t outlook_count;
    bool ends; /* A token goes to an END that completes the instance. */
};

static struct places *places_of(struct modifying *modifying, uint32_t fork)
{
    for (struct places *known = modifying->places; known; known = known->next)
        if (known->fork == fork) return known;
    struct arena *arena = modifying->step->arena;
    const struct program *program = modifying->step->program;
    struct places *places = arena_make(arena, struct places);
    *places = (struct places){ .fork = fork,
                               .inside = program_inside(program, fork, arena),
                               .next = modifying->places };
    modifying->places = places;
    step_spend(modifying->step, (int64_t)program->node_count);
    return places;
}

static const bool *arrives_at(struct modifying *modifying, uint32_t fork)
{
    struct places *places = places_of(modifying, fork);
    if (places->arrives) return places->arrives;
    const struct program *program = modifying->step->program;
    step_spend(modifying->step, (int64_t)program->node_count);
    return places->arrives = program_arrives(program, fork, modifying->step->arena);
}

/* ---- variables ---- */

static enum status unset_variables(struct step *step, struct error *rejection)
{
    const struct json *names = step->command->as.modify.unset;
    if (!names || !json_count(names)) return ST_OK;
    if (!merge_is_names(names) || json_count(names) > MODIFICATIONS_MAX)
        return fail(rejection, ST_INVALID, "unset", "at most %d names of variables are expected",
                    MODIFICATIONS_MAX);
    if (!json_is(step->instance->data, JSON_OBJECT))
        return fail(rejection, ST_CONFLICT, "unset", "the data is no object: it has no variables");
    note(step, &(struct entry){ .kind = ENTRY_KIND_DATA_CUT, .names = names });
    return ST_OK;
}

/* ---- the tokens ---- */

static enum status find_node(const struct modifying *modifying, str name, uint32_t *ret_node)
{
    const struct program *program = modifying->step->program;
    uint32_t node = program_find(program, name);
    str word = program->node_word;
    if (node == NODE_NONE)
        return fail(modifying->rejection, ST_INVALID, "step", "%.*s \"%.*s\" not found", STR_ARG(word),
                    STR_ARG(name));
    if (program->node[node].inner)
        return fail(modifying->rejection, ST_INVALID, "step",
                    "\"%.*s\" is a part of a %.*s, and only a whole one can be named", STR_ARG(name),
                    STR_ARG(word));
    *ret_node = node;
    return ST_OK;
}

/* Regions are not entered and not left: their host is moved, with all that is in them. */
static enum status refuse_region(const struct modifying *modifying, const struct token *token)
{
    const struct instance *instance = modifying->step->instance;
    const struct scope *region = scope_region(instance, token->scope);
    if (!region) return ST_OK;
    str word = modifying->step->program->node_word;
    if (region->state == REGION_DETACHED)
        return fail(modifying->rejection, ST_CONFLICT, "step",
                    "\"%.*s\" runs on its own, inside \"%.*s\": nothing waits for it, and it cannot be moved",
                    STR_ARG(token->node_name), STR_ARG(region->fork_name));
    while (region->parent && scope_region(instance, region->parent))
        region = scope_region(instance, region->parent);
    return fail(modifying->rejection, ST_CONFLICT, "step",
                "\"%.*s\" is inside the %.*s \"%.*s\": name that, and what it began is interrupted",
                STR_ARG(token->node_name), STR_ARG(word), STR_ARG(region->fork_name));
}

static enum status find_visit(const struct modifying *modifying, uint32_t execution, struct token *ret_token)
{
    const struct step *step = modifying->step;
    const struct token *token = instance_find_token(step->instance, execution);
    if (!token) return fail(modifying->rejection, ST_CONFLICT, "step", "this visit is over");
    /* A token at an inner node stands for the node that the author wrote. */
    token = instance_authored(step->program, step->instance, token);
    TRY(refuse_region(modifying, token));
    *ret_token = *token;
    return ST_OK;
}

static enum status find_token(const struct modifying *modifying, const struct modification *ask,
                              struct token *ret_token)
{
    const struct instance *instance = modifying->step->instance;
    str word = modifying->step->program->node_word;
    uint32_t node;
    if (ask->execution) return find_visit(modifying, ask->execution, ret_token);
    TRY(find_node(modifying, ask->at, &node));
    size_t count = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        if (instance->token[i].node != node) continue;
        TRY(refuse_region(modifying, &instance->token[i]));
        *ret_token = instance->token[i];
        count++;
    }
    if (count == 1) return ST_OK;
    if (count)
        return fail(modifying->rejection, ST_CONFLICT, "step",
                    "%zu tokens are at %.*s \"%.*s\": name one by its %.*s execution", count, STR_ARG(word),
                    STR_ARG(ask->at), STR_ARG(word));
    return fail(modifying->rejection, ST_CONFLICT, "step", "no token is at %.*s \"%.*s\"", STR_ARG(word),
                STR_ARG(ask->at));
}

/* ---- where it goes ---- */

/* The reason why no token of these scopes can enter the node. */
static enum status refuse_place(struct modifying *modifying, uint32_t target)
{
    const struct program *program = modifying->step->program;
    const struct program_node *node = &program->node[target];
    str word = program->node_word;
    for (uint32_t i = 0; i < program->node_count && !step_is_spent(modifying->step); i++) {
        if (!program_opens_scope(&program->node[i]) || !places_of(modifying, i)->inside[target]) continue;
        return fail(
            modifying->rejection, ST_CONFLICT, "step",
            "\"%.*s\" belongs to the branches of \"%.*s\", and only a token of these can enter it: enter "
            "\"%.*s\" itself",
            STR_ARG(node->name), STR_ARG(program->node[i].name), STR_ARG(program->node[i].name));
    }
    return fail(modifying->rejection, ST_CONFLICT, "step",
                "\"%.*s\" is inside another %.*s, and cannot be entered alone", STR_ARG(node->name),
                STR_ARG(word));
}

/* The innermost scope around the token of which the node is a place. */
static enum status find_scope(struct modifying *modifying, uint32_t from, uint32_t target,
                              uint32_t *ret_scope)
{
    const struct step *step = modifying->step;
    const struct program_node *node = &step->program->node[target];
    *ret_scope = from;
    if (node->kind == NODE_END && !node->as.end.branch) {
        modifying->ends = true;
        return ST_OK; /* It ends the instance, whichever token comes. */
    }
    for (uint32_t scope = from; scope; scope = scope_find(step->instance, scope)->parent) {
        *ret_scope = scope;
        if (places_of(modifying, scope_find(step->instance, scope)->fork)->inside[target]) return ST_OK;
    }
    *ret_scope = 0;
    return places_of(modifying, NODE_NONE)->inside[target] ? ST_OK : refuse_place(modifying, target);
}

static enum status make_plan(struct modifying *modifying, const struct modification *ask)
{
    struct plan *plan = &modifying->plan[modifying->count];
    *plan = (struct plan){ .ask = ask, .target = NODE_NONE };
    bool beside = ask->kind != MODIFY_ADD || ask->execution || ask->at.n;
    if (beside) TRY(find_token(modifying, ask, &plan->token));
    for (size_t i = 0; ask->kind != MODIFY_ADD && i < modifying->count; i++)
        if (modifying->plan[i].ask->kind != MODIFY_ADD &&
            modifying->plan[i].token.execution == plan->token.execution)
            return fail(modifying->rejection, ST_INVALID, "step", "the token at \"%.*s\" is named twice",
                        STR_ARG(plan->token.node_name));
    modifying->count++;
    if (ask->kind == MODIFY_CANCEL) return ST_OK;
    TRY(find_node(modifying, ask->to, &plan->target));
    return find_scope(modifying, beside ? plan->token.scope : 0, plan->target, &plan->scope);
}

/* ---- joins ---- */

/* Tokens of the scope that can come to its join, or stand there. */
static size_t count_arriving(struct modifying *modifying, const struct scope *scope, size_t *ret_inhabitants)
{
    const struct instance *instance = modifying->step->instance;
    const bool *arrives = arrives_at(modifying, scope->fork);
    step_spend(modifying->step, (int64_t)instance->token_count / 8);
    size_t count = 0;
    *ret_inhabitants = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope->number) continue;
        ++*ret_inhabitants;
        count += token->state != TOKEN_RESTING && arrives[token->node];
    }
    for (size_t i = 0; i < instance->scope_count; i++) {
        if (instance->scope[i].parent != scope->number || instance->scope[i].state != REGION_NONE) continue;
        ++*ret_inhabitants;
        count++;
    }
    return count;
}

static void look_at_joins(struct modifying *modifying)
{
    const struct instance *instance = modifying->step->instance;
    size_t inhabitants;
    modifying->outlook = arena_make_n(modifying->step->arena, struct outlook, instance->scope_count);
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].state == REGION_NONE)
            modifying->outlook[modifying->outlook_count++] =
                (struct outlook){ instance->scope[i].number,
                                  count_arriving(modifying, &instance->scope[i], &inhabitants) };
}

/* A join that could open must still be able to; one that could not, because a branch had ended on its own, is
 * no worse off. */
static enum status check_joins(struct modifying *modifying)
{
    const struct program *program = modifying->step->program;
    for (size_t i = 0; i < modifying->outlook_count && !modifying->ends; i++) {
        const struct scope *scope = scope_find(modifying->step->instance, modifying->outlook[i].scope);
        if (!scope) continue;
        size_t inhabitants, arriving = count_arriving(modifying, scope, &inhabitants);
        size_t branches = program->node[scope->fork].edge_count, before = modifying->outlook[i].arriving;
        if (!inhabitants || arriving >= (before < branches ? before : branches)) continue;
        str join = program->node[scope_join(program, scope)].name;
        return fail(
            modifying->rejection, ST_CONFLICT, "step",
            "the join \"%.*s\" would wait for ever: %zu of the %zu branches of \"%.*s\" could still arrive. "
            "Move a branch to the join to skip it, or move or cancel all of them",
            STR_ARG(join), arriving, branches, STR_ARG(scope->fork_name));
    }
    return ST_OK;
}

/* A token must be left that can go on. */
static enum status check_left(const struct modifying *modifying)
{
    const struct instance *instance = modifying->step->instance;
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state != TOKEN_RESTING &&
            !instance_is_detached(instance, instance->token[i].execution))
            return ST_OK;
    return fail(modifying->rejection, ST_CONFLICT, "step",
                "no token would be left that can go on: to stop the instance, cancel it");
}

/* ---- doing it ---- */

static void take_away(struct modifying *modifying, const struct plan *plan)
{
    struct step *step = modifying->step;
    str reason = step->command->as.modify.reason;
    if (plan->token.state == TOKEN_FAILED || plan->token.state == TOKEN_RESTING) {
        /* The visit is over, and is told as it ended. */
        note(step, &(struct entry){ .kind = ENTRY_KIND_FORGET, .execution = plan->token.execution });
        return;
    }
    str what = plan->target == NODE_NONE ? STR("cancelled by a modification")
                                         : arena_printf(step->arena, "moved to \"%.*s\"",
                                                        STR_ARG(step->program->node[plan->target].name));
    if (reason.n) what = arena_printf(step->arena, "%.*s: %.*s", STR_ARG(what), STR_ARG(reason));
    interrupt_token(step, plan->token.execution, what);
}

static enum status check_revived(const struct modifying *modifying)
{
    const struct instance *instance = modifying->step->instance;
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED)
            return fail(modifying->rejection, ST_CONFLICT, "step",
                        "\"%.*s\" has failed: move or cancel its token too, or retry it",
                        STR_ARG(instance->token[i].node_name));
    if (modifying->count) return ST_OK;
    return fail(modifying->rejection, ST_CONFLICT, "step",
                "the instance has failed: move a token, or retry it");
}

/* A token that is put at a join which counts edges comes by the first edge that has no token yet. */
static uint32_t arrival_at(const struct step *step, const struct plan *plan)
{
    const struct program_node *node = &step->program->node[plan->target];
    const struct instance *instance = step->instance;
    if (node->kind != NODE_JOIN || node->as.join.mode == JOIN_OF_FORK) return 0;
    for (uint32_t arrival = 1; arrival <= node->as.join.arrivals; arrival++) {
        size_t i = 0;
        while (i < instance->token_count &&
               !(instance->token[i].node == plan->target && instance->token[i].scope == plan->scope &&
                 instance->token[i].arrival == arrival))
            i++;
        if (i == instance->token_count) return arrival;
    }
    return 1;
}

static enum status move_tokens(struct modifying *modifying)
{
    struct step *step = modifying->step;
    const struct instance *instance = step->instance;
    bool failed = instance->status == INSTANCE_FAILED;
    for (size_t i = 0; i < modifying->count; i++)
        if (modifying->plan[i].ask->kind != MODIFY_ADD) take_away(modifying, &modifying->plan[i]);
    if (failed) TRY(check_revived(modifying));
    for (size_t i = 0; i < modifying->count; i++) {
        const struct plan *plan = &modifying->plan[i];
        if (plan->target == NODE_NONE) continue;
        if (instance->token_count >= TOKENS_MAX)
            return fail(modifying->rejection, ST_LIMIT, "step",
                        "an instance has at most %d tokens (TOKENS_MAX)", TOKENS_MAX);
        token_enter_by(step, plan->target, arrival_at(step, plan), plan->scope,
                       plan->ask->kind == MODIFY_MOVE ? plan->token.execution : 0);
    }
    if (modifying->count) TRY(check_left(modifying));
    TRY(check_joins(modifying));
    if (failed) note_status(step, instance_live_status(instance), STR_NONE);
    for (size_t i = 0; i < modifying->count; i++)
        if (modifying->plan[i].token.scope && scope_find(instance, modifying->plan[i].token.scope))
            join_fork_settle(step, modifying->plan[i].token.scope);
    if (failed && !instance_status_ended(instance->status)) mail_serve_late(step);
    return ST_OK;
}

static enum status reject_modify(const struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    const struct instance *instance = step->instance;
    if (instance->status != INSTANCE_FAILED) TRY(instance_reject_ended(step->instance, rejection));
    if (instance->undo.error)
        return fail_code(rejection, ST_CONFLICT, "UNDONE",
                         "what the instance did is undone: it cannot be modified any more");
    if (command->as.modify.if_revision && command->as.modify.if_revision != instance->revision)
        return fail(rejection, ST_CONFLICT, "ifRevision",
                    "the instance has moved on: its revision is %u, not %u", instance->revision,
                    command->as.modify.if_revision);
    if (command->as.modify.modification_count > MODIFICATIONS_MAX)
        return fail(rejection, ST_LIMIT, "step", "at most %d tokens can be moved at once (MODIFICATIONS_MAX)",
                    MODIFICATIONS_MAX);
    bool sets = (command->data && json_count(command->data)) ||
                (command->as.modify.unset && json_count(command->as.modify.unset));
    if (!sets && !command->as.modify.modification_count)
        return fail(rejection, ST_INVALID, "modify",
                    "nothing is asked for: set, unset, move, add or cancel something");
    return ST_OK;
}

enum status on_modify(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    TRY(reject_modify(step, rejection));
    if (command->as.modify.reason.n)
        note(step,
             &(struct entry){ .kind = ENTRY_KIND_REMARK, .comment = reason_cut(command->as.modify.reason) });
    TRY(unset_variables(step, rejection));
    TRY(data_take(step, 0, command->data, MERGE_SHALLOW, rejection));
    struct modifying modifying = {
        .step = step,
        .rejection = rejection,
        .plan = arena_make_n(step->arena, struct plan, command->as.modify.modification_count),
    };
    for (size_t i = 0; i < command->as.modify.modification_count; i++)
        TRY(make_plan(&modifying, &command->as.modify.modification[i]));
    if (modifying.count) look_at_joins(&modifying);
    TRY(move_tokens(&modifying));
    if (!step_is_spent(step)) return ST_OK;
    return fail(rejection, ST_LIMIT, "",
                "the modification costs more than one command may (command_fuel_max)");
}

enum status on_modify_verify(const struct step *step, struct error *rejection)
{
    struct error broken;
    if (core_verify(step->program, step->instance, &broken) == ST_OK) return ST_OK;
    return fail(rejection, ST_CONFLICT, "step", "this cannot be: %s", broken.message);
}
