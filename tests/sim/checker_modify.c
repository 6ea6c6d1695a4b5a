/* tests/sim/checker_modify.c — may an instance be modified like this, and was it?
 *
 * Where a token may stand is computed from the documents alone. Of steps: what can be reached from the entry,
 * a fork being passed in one stride, or from the branches of a fork before its join. Of flows: the states of
 * the top level.
 */
#include "record.h"

/* ---- places ---- */

/* Marks what can be reached from there; joins end it, forks are passed. */
static void reach(const struct spec *spec, size_t step, bool *seen)
{
    if (step == STEP_NONE || seen[step]) return;
    seen[step] = true;
    const struct spec_step *from = &spec->step[step];
    if (from->type == JOIN_GATEWAY) return;
    if (from->type == PARALLEL_GATEWAY) {
        reach(spec, spec->step[from->join].next, seen);
        return;
    }
    for (size_t to = 0; to < spec->step_count; to++)
        if (spec_leads_to(spec, from, to)) reach(spec, to, seen);
    for (size_t i = 0; i < from->timer_count; i++) reach(spec, from->timer[i].target, seen);
}

/* Can a token of the fork's branches, or (STEP_NONE) of the top level, stand at the step? */
static bool is_place(const struct spec *spec, size_t fork, size_t step, struct arena *arena)
{
    bool *seen = arena_make_n(arena, bool, spec->step_count);
    const struct spec_step *from = fork == STEP_NONE ? NULL : &spec->step[fork];
    if (!from) reach(spec, 0, seen);
    for (size_t i = 0; from && i < from->parallel_count; i++) reach(spec, from->parallel[i], seen);
    return seen[step] && (spec->step[step].type != JOIN_GATEWAY || (from && from->join == step));
}

static bool can_arrive(const struct spec *spec, const struct model_token *token, size_t join,
                       struct arena *arena)
{
    bool *seen = arena_make_n(arena, bool, spec->step_count);
    if (token->state == TOKEN_RESTING) return false;
    reach(spec, token->step, seen);
    return seen[join];
}

/* Is all over with it? */
static bool ends_all(const struct spec_step *step) { return step->type == END && !step->alone; }

/* ---- the plan ---- */

static size_t place_named(const struct model_instance *instance, str name)
{
    const struct flow *flow = instance->spec->flow;
    if (!flow) return spec_find(instance->spec, name);
    size_t state = flow_state_of(flow, name);
    bool whole = state < flow->states.count && str_equal(flow->states.item[state].name, name);
    return whole && flow->states.item[state].top ? state : STEP_NONE;
}

/* The one token that is named, or NULL. */
static const struct model_token *token_named(const struct model_instance *instance, str name)
{
    struct id id;
    size_t step = place_named(instance, name);
    if (step == STEP_NONE)
        return !instance->spec->flow && id_parse(name, &id) && id.instance == instance->id
                   ? model_token(instance, id.number)
                   : NULL;
    const struct model_token *found = NULL;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->step != step || (instance->spec->flow && token->scope)) continue;
        if (found) return NULL;
        found = token;
    }
    return found;
}

/* In which scope a token that was in `scope` comes out at the step; false if it cannot. */
static bool find_scope(const struct model_instance *instance, uint32_t scope, size_t step,
                       struct arena *arena, uint32_t *ret_scope)
{
    const struct spec *spec = instance->spec;
    *ret_scope = scope;
    if (spec->flow || ends_all(&spec->step[step])) return true;
    if (scope && is_place(spec, model_scope(instance, scope)->fork, step, arena)) return true;
    *ret_scope = 0;
    return is_place(spec, STEP_NONE, step, arena);
}

static bool plan_one(const struct model_instance *instance, const struct modification *ask,
                     struct arena *arena, struct modify_plan *plan)
{
    struct planned one = { .kind = ask->kind, .step = STEP_NONE };
    const struct model_token *token = NULL;
    uint32_t scope = 0;
    if (ask->kind != MODIFY_ADD || ask->at.n) {
        token = token_named(instance, ask->at);
        if (!token) return false;
        scope = token->scope;
    }
    if (ask->kind != MODIFY_ADD) {
        one.execution = token->execution;
        for (size_t i = 0; i < plan->items.count; i++)
            if (plan->items.item[i].execution == one.execution) return false;
    }
    if (ask->kind != MODIFY_CANCEL) {
        one.step = place_named(instance, ask->to);
        if (one.step == STEP_NONE || !find_scope(instance, scope, one.step, arena, &one.scope)) return false;
    }
    *list_push(arena, &plan->items) = one;
    return true;
}

static bool goes(const struct modify_plan *plan, uint32_t execution)
{
    for (size_t i = 0; i < plan->items.count; i++)
        if (plan->items.item[i].execution == execution) return true;
    return false;
}

/* ---- is it allowed? ---- */

/* How many could still arrive at the scope's join, before and after; whether anybody is left in it. */
static bool join_is_kept(const struct model_instance *instance, const struct model_scope *scope,
                         const struct modify_plan *plan, struct arena *arena)
{
    const struct spec *spec = instance->spec;
    const struct spec_step *fork = &spec->step[scope->fork];
    size_t before = 0, after = 0, inhabitants = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->scope != scope->number) continue;
        bool stays = !goes(plan, token->execution), arrives = can_arrive(spec, token, fork->join, arena);
        before += arrives;
        after += arrives && stays;
        inhabitants += stays;
    }
    for (size_t i = 0; i < plan->items.count; i++) {
        const struct planned *one = &plan->items.item[i];
        const struct model_token there = { .step = one->step, .state = TOKEN_READY };
        if (one->step == STEP_NONE || one->scope != scope->number) continue;
        inhabitants++;
        after += can_arrive(spec, &there, fork->join, arena);
    }
    return !inhabitants || after >= (before < fork->parallel_count ? before : fork->parallel_count);
}

static bool somebody_is_left(const struct model_instance *instance, const struct modify_plan *plan)
{
    for (size_t i = 0; i < plan->items.count; i++)
        if (plan->items.item[i].step != STEP_NONE) return true;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (instance->spec->flow && token->scope) continue; /* Detached, or inside one at the top. */
        if (token->state != TOKEN_RESTING && !goes(plan, token->execution)) return true;
    }
    return false;
}

/* A token of a flow that is inside of another goes with it. */
static bool goes_with_host(const struct model_instance *instance, const struct modify_plan *plan,
                           const struct model_token *token)
{
    while (token && !goes(plan, token->execution)) {
        bool inside = instance->spec->flow && token->scope;
        token = inside ? model_token(instance, model_scope(instance, token->scope)->host) : NULL;
    }
    return token != NULL;
}

static bool failure_is_gone(const struct model_instance *instance, const struct modify_plan *plan)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].state == TOKEN_FAILED &&
            !goes_with_host(instance, plan, &instance->tokens.item[i]))
            return false;
    return plan->items.count > 0;
}

bool modify_is_allowed(struct checker *checker, const struct model_instance *instance,
                       const struct request *request, struct modify_plan *plan)
{
    struct arena *arena = &checker->arena;
    bool failed = instance->status == INSTANCE_FAILED, ends = false;
    *plan = (struct modify_plan){ 0 };
    if (!model_live(instance) && !failed) return false;
    if (failed && model_key_taken(checker, instance)) return false;
    if (!request->modification_count && !json_count(request->data) && !json_count(request->unset))
        return false;
    for (size_t i = 0; i < request->modification_count; i++)
        if (!plan_one(instance, &request->modification[i], arena, plan)) return false;
    if (failed && !failure_is_gone(instance, plan)) return false;
    if (plan->items.count && !somebody_is_left(instance, plan)) return false;
    if (instance->spec->flow) return true;
    for (size_t i = 0; i < plan->items.count; i++)
        ends |= plan->items.item[i].step != STEP_NONE &&
                ends_all(&instance->spec->step[plan->items.item[i].step]);
    for (size_t i = 0; i < instance->scopes.count && plan->items.count && !ends; i++)
        if (!join_is_kept(instance, &instance->scopes.item[i], plan, arena)) return false;
    return true;
}

/* ---- was it done? ---- */

void modify_begin(struct record *record)
{
    if (record->history->command != COMMAND_MODIFY) return;
    if (!modify_is_allowed(record->checker, record->instance, record->request, &record->plan))
        bad(record, "it must not be modified like this");
}

const struct planned *modify_goes(struct record *record, const struct model_token *token)
{
    for (size_t i = 0; i < record->plan.items.count; i++) {
        struct planned *one = &record->plan.items.item[i];
        if (one->execution != token->execution || one->gone) continue;
        one->gone = true;
        return one;
    }
    return NULL;
}

bool modify_comes(struct record *record, const struct entry *entry, size_t step)
{
    for (size_t i = 0; i < record->plan.items.count; i++) {
        struct planned *one = &record->plan.items.item[i];
        if (one->step != step || one->scope != entry->scope || one->execution != entry->from || one->arrived)
            continue;
        one->arrived = true;
        return true;
    }
    return false;
}

void modify_cut(struct record *record, const struct entry *entry)
{
    if (record->history->command != COMMAND_MODIFY || record->cut_count++ || !record->request->unset ||
        !json_equal(entry->json, record->request->unset))
        bad(record, "variables are gone that nobody took away");
}

void modify_remark(struct record *record, const struct entry *entry)
{
    if (record->history->command != COMMAND_MODIFY || record->remark_count++ ||
        !str_equal(entry->comment, record->request->text))
        bad(record, "a remark that nobody made");
}

void modify_end(struct record *record)
{
    if (record->history->command != COMMAND_MODIFY) return;
    if (record->request->text.n && !record->remark_count) bad(record, "the reason is lost");
    if (json_count(record->request->unset) && !record->cut_count) bad(record, "no variable is gone");
    for (size_t i = 0; i < record->plan.items.count; i++) {
        const struct planned *one = &record->plan.items.item[i];
        if ((one->execution && !one->gone) || (one->step != STEP_NONE && !one->arrived))
            bad(record, "not all of it was done");
    }
}
