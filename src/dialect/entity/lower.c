/* dialect/entity/lower.c — each state of a workflow becomes nodes; entity_int.h says which. */
#include "dialect/entity/entity_int.h"

#include "base/array.h"
#include "base/must.h"

#include <stdio.h>

/* ---- nodes and edges ---- */

struct program_node *entity_add_node(struct entity *entity, enum node_kind kind, str name, str title,
                                     str type, str pointer, uint32_t *ret_index)
{
    must(name.n);
    array_reserve_in(entity->arena, entity->node, entity->node_count, entity->node_cap);
    *ret_index = (uint32_t)entity->node_count;
    struct program_node *node = &entity->node[entity->node_count++];
    *node = (struct program_node){
        .kind = kind, .name = name, .title = title, .type = type, .pointer = pointer, .undo = NODE_NONE
    };
    return node;
}

void entity_set_edge(struct entity *entity, uint32_t node, uint32_t target)
{
    must(node < entity->node_count && target < entity->node_count);
    struct program_edge *edge = arena_make(entity->arena, struct program_edge);
    *edge = (struct program_edge){ .target = target };
    entity->node[node].edge = edge;
    entity->node[node].edge_count = 1;
}

static str name_at(struct entity *entity, str base, const char *last)
{
    return problem_pointer(entity->arena, base, str_of(last));
}

static uint32_t add_state_node(struct entity *entity, const struct entity_state *state, enum node_kind kind,
                               const char *last)
{
    uint32_t index;
    struct program_node *node = entity_add_node(entity, kind, name_at(entity, state->base, last), state->name,
                                                STR("STATE"), state->pointer, &index);
    node->inner = true;
    return index;
}

static bool is_automated(const struct entity_transition *transition)
{
    return !transition->manual && !transition->disabled && !transition->is_scheduled;
}

static bool has_automated(const struct entity_state *state)
{
    for (size_t i = 0; i < state->transition_count; i++)
        if (is_automated(&state->transition[i])) return true;
    return false;
}

/* ---- the nodes of a state ---- */

static struct expr_tree *without(struct entity *entity, struct expr_tree *carried, const str *name)
{
    return tree_assign(ASSIGN_CLEAR, carried, name, 1, tree_literal(json_null(), entity->arena),
                       entity->arena);
}

/* From here on the token carries where the entity is. */
static const struct expr *carry_of(struct entity *entity, const struct entity_workflow *workflow,
                                   const struct entity_state *state)
{
    struct json_builder builder;
    json_builder_init(&builder, entity->arena);
    json_open_object(&builder);
    json_add_name(&builder, ENTITY_STATE);
    json_add_string(&builder, state->name);
    json_add_name(&builder, ENTITY_WORKFLOW);
    json_add_string(&builder, workflow->name);
    json_close(&builder);
    struct expr_tree *carried = tree_variable_or_null(STR("carried"), entity->arena);
    const str schedule = ENTITY_SCHEDULE; /* The one of the state before. */
    const str asked = ENTITY_ASKED;
    if (entity->has_schedules) carried = without(entity, carried, &schedule);
    if (state->is_initial) carried = without(entity, carried, &asked);
    return expr_of_tree(
        tree_combine(carried, tree_literal(json_built(&builder), entity->arena), entity->arena),
        entity->arena);
}

static void add_states(struct entity *entity, struct entity_workflow *workflow)
{
    for (size_t i = 0; i < workflow->state_count; i++) {
        struct entity_state *state = &workflow->state[i];
        uint32_t wait;
        state->is_initial = str_equal(state->name, workflow->initial);
        state->arrive = add_state_node(entity, state, NODE_CHOOSE, "+");
        entity->node[state->arrive].carry = carry_of(entity, workflow, state);
        entity_add_node(entity, NODE_WAIT, state->base, state->name, STR("STATE"), state->pointer, &wait);
        state->choose = state->rest = state->wait = wait;
        if (entity->counts_visits || has_automated(state))
            state->choose = add_state_node(entity, state, NODE_CHOOSE, "?");
        if (entity->counts_visits) entity->node[state->choose].visits_max = ENTITY_STEPS_MAX;
    }
}

/* ---- transitions ---- */

static str transition_name(struct entity *entity, const struct entity_site *site)
{
    return problem_pointer(entity->arena, site->state->base, site->transition->name);
}

/* The processors in their order, then the next state. */
static void lower_processors(struct entity *entity, struct entity_workflow *workflow,
                             const struct entity_state *state, struct entity_transition *transition)
{
    must(transition->target < workflow->state_count);
    const struct entity_site site = { workflow, state, transition };
    str base = transition_name(entity, &site);
    uint32_t next = workflow->state[transition->target].arrive;
    for (size_t i = transition->processor_count; i-- > 0;) {
        const struct entity_call *call = &transition->processor[i];
        uint32_t node;
        entity_add_node(entity, NODE_TASK, arena_printf(entity->arena, "%.*s/%zu", STR_ARG(base), i),
                        call->name, STR("PROCESSOR"), call->pointer, &node);
        entity_make_task(entity, node, call, ENTITY_ASKS_PROCESSOR, &site);
        entity_set_edge(entity, node, next);
        if (call->mode == ENTITY_MODE_NEW_TX) entity_set_handler(entity, node, next);
        next = node;
    }
    transition->begin = next;
}

/* A function that decides about the transition: true leads to its processors. */
static uint32_t lower_function(struct entity *entity, const struct entity_site *site, const char *last,
                               uint32_t otherwise)
{
    must(otherwise < entity->node_count && site->transition->begin < entity->node_count);
    const struct entity_call *call = &site->transition->criterion.function;
    uint32_t node;
    entity_add_node(entity, NODE_TASK, name_at(entity, transition_name(entity, site), last), call->name,
                    STR("CRITERION"), call->pointer, &node);
    entity_make_task(entity, node, call, ENTITY_ASKS_CRITERION, site);
    entity->node[node].inner = true;
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, 2);
    struct expr_tree *matches =
        tree_member(tree_variable(STR("result"), entity->arena), STR("matches"), entity->arena);
    edge[0] = (struct program_edge){
        .target = site->transition->begin,
        .name = site->transition->name,
        .when =
            expr_of_tree(tree_equal(matches, tree_literal(json_of_bool(true), entity->arena), entity->arena),
                         entity->arena),
    };
    edge[1] = (struct program_edge){ .target = otherwise };
    entity->node[node].edge = edge;
    entity->node[node].edge_count = 2;
    return node;
}

static uint32_t add_refusal(struct entity *entity, const struct entity_state *state, str name, str error,
                            struct expr_tree *message)
{
    must(state->wait < entity->node_count && error.n);
    uint32_t node;
    entity_add_node(entity, NODE_END, name, state->name, STR("REFUSAL"), state->pointer, &node);
    struct program_node *end = &entity->node[node];
    end->inner = true;
    end->home = state->wait;
    end->as.end.error = error;
    end->as.end.message = expr_of_tree(message, entity->arena);
    return node;
}

static struct expr_tree *text_tree(struct entity *entity, str text)
{
    return tree_literal(json_of_string(entity->arena, text), entity->arena);
}

/* The end of a write that named a transition whose criterion says no. A scheduled one has had its time then.
 */
static uint32_t lower_refusal(struct entity *entity, const struct entity_site *site)
{
    str message = arena_printf(entity->arena, "the criterion of transition \"%.*s\" does not match",
                               STR_ARG(site->transition->name));
    return add_refusal(entity, site->state, name_at(entity, transition_name(entity, site), "-"),
                       STR("WORKFLOW_FAILED"), text_tree(entity, message));
}

/* Where an automated transition leads from the choice. If another one leads to the same place, a node of its
 * own comes in between, so that the history tells which of the two was made. */
static uint32_t lower_target(struct entity *entity, const struct entity_site *site,
                             const struct program_edge *edge, size_t edge_count)
{
    uint32_t target = site->transition->begin, own;
    size_t i = 0;
    while (i < edge_count && edge[i].target != target) i++;
    if (i == edge_count) return target;
    entity_add_node(entity, NODE_CHOOSE, name_at(entity, transition_name(entity, site), "="),
                    site->transition->name, STR("TRANSITION"), site->transition->pointer, &own);
    entity->node[own].inner = true;
    entity_set_edge(entity, own, target);
    return own;
}

/* The automated transitions in order. A function among them is asked before the ones behind it are. */
static void lower_cascade(struct entity *entity, const struct entity_workflow *workflow,
                          const struct entity_state *state)
{
    must(state->choose != state->wait);
    uint32_t at = state->choose;
    size_t parts = 0, count = 0;
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, state->transition_count + 1);
    for (size_t i = 0; i < state->transition_count; i++) {
        const struct entity_transition *transition = &state->transition[i];
        if (!is_automated(transition)) continue;
        const struct entity_site site = { workflow, state, transition };
        if (!transition->criterion.function.name.n) {
            edge[count] = (struct program_edge){ .target = lower_target(entity, &site, edge, count),
                                                 .when = transition->criterion.when,
                                                 .name = transition->name };
            count++;
            continue;
        }
        char last[16];
        snprintf(last, sizeof last, "?%zu", ++parts);
        uint32_t rest = add_state_node(entity, state, NODE_CHOOSE, last);
        edge[count++] = (struct program_edge){ .target = lower_function(entity, &site, "?", rest) };
        entity->node[at].edge = edge;
        entity->node[at].edge_count = count;
        at = rest;
        edge += count;
        count = 0;
    }
    edge[count++] = (struct program_edge){ .target = state->rest };
    entity->node[at].edge = edge;
    entity->node[at].edge_count = count;
}

/* ---- schedules ---- */

/* The functions that say when scheduled transitions are due are asked before the entity comes to rest, one
 * after the other. Their answers (runtime/entities/compute.c reads them) go along with the token to the
 * timers. */
static void lower_schedules(struct entity *entity, const struct entity_workflow *workflow,
                            struct entity_state *state)
{
    must(state->rest == state->wait);
    bool has_choice = state->choose != state->wait;
    for (size_t i = state->transition_count; i-- > 0;) {
        const struct entity_transition *transition = &state->transition[i];
        const struct entity_site site = { workflow, state, transition };
        const str place[] = { ENTITY_SCHEDULE, transition->name };
        if (!transition->schedule.name.n || transition->disabled) continue;
        uint32_t node;
        entity_add_node(entity, NODE_TASK, name_at(entity, transition_name(entity, &site), "@"),
                        transition->schedule.name, STR("SCHEDULE"), transition->schedule.pointer, &node);
        entity_make_task(entity, node, &transition->schedule, ENTITY_ASKS_FUNCTION, &site);
        entity->node[node].inner = true;
        entity->node[node].carry = expr_of_tree(
            tree_assign(ASSIGN_SET, tree_variable_or_null(STR("carried"), entity->arena), place, COUNT(place),
                        tree_variable(STR("result"), entity->arena), entity->arena),
            entity->arena);
        entity_set_edge(entity, node, state->rest);
        state->rest = node;
    }
    if (!has_choice) state->choose = state->rest;
}

/* A time that the transition's function has given; null: none. */
static const struct expr *scheduled(struct entity *entity, const struct entity_transition *transition,
                                    str which)
{
    struct expr_tree *tree = tree_variable_or_null(STR("carried"), entity->arena);
    tree = tree_member(tree, ENTITY_SCHEDULE, entity->arena);
    tree = tree_member(tree, transition->name, entity->arena);
    return expr_of_tree(tree_member(tree, which, entity->arena), entity->arena);
}

static struct program_timer timer_of(struct entity *entity, const struct entity_transition *transition,
                                     uint32_t edge)
{
    struct program_timer timer = { .delay_ms = transition->delay_ms,
                                   .does = TIMER_FIRE,
                                   .target = NODE_NONE,
                                   .edge = edge,
                                   .late_ms = transition->late_ms };
    if (!transition->schedule.name.n) return timer;
    timer.when = scheduled(entity, transition, ENTITY_DUE);
    timer.expires = scheduled(entity, transition, ENTITY_EXPIRES);
    return timer;
}

/* The transitions that can be fired by name, and the scheduled ones. */
static void lower_wait(struct entity *entity, const struct entity_workflow *workflow,
                       const struct entity_state *state)
{
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, state->transition_count);
    struct program_timer *timer = arena_make_n(entity->arena, struct program_timer, state->transition_count);
    uint32_t count = 0, timers = 0;
    for (size_t i = 0; i < state->transition_count; i++) {
        const struct entity_transition *transition = &state->transition[i];
        const struct entity_site site = { workflow, state, transition };
        uint32_t target = transition->begin;
        if (transition->disabled) continue;
        if (transition->criterion.function.name.n)
            target = lower_function(entity, &site, "!", lower_refusal(entity, &site));
        if (transition->is_scheduled) timer[timers++] = timer_of(entity, transition, count);
        edge[count++] = (struct program_edge){ .target = target,
                                               .when = transition->criterion.when,
                                               .name = transition->name,
                                               .by_timer = transition->is_scheduled };
    }
    must(count <= state->transition_count && timers <= count);
    struct program_node *wait = &entity->node[state->wait];
    wait->edge = edge;
    wait->edge_count = count;
    wait->timer = timer;
    wait->timer_count = timers;
    wait->as.wait.what = WAIT_FOR_TRANSITION;
    wait->as.wait.again = state->choose;
}

/* ---- transitions that creators name ---- */

static struct expr_tree *carried_member(struct entity *entity, str name)
{
    return tree_member(tree_variable_or_null(STR("carried"), entity->arena), name, entity->arena);
}

static const struct expr *is_asked(struct entity *entity, struct expr_tree *name)
{
    return expr_of_tree(tree_equal(carried_member(entity, ENTITY_ASKED), name, entity->arena), entity->arena);
}

/* The creator named this transition: its criterion decides, and an automated one is not tried instead. */
static uint32_t lower_named(struct entity *entity, const struct entity_site *site,
                            const struct program_edge *by_name)
{
    size_t count = 0;
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, 2);
    uint32_t node;
    edge[count++] =
        (struct program_edge){ .target = by_name->target, .when = by_name->when, .name = by_name->name };
    if (by_name->when) edge[count++] = (struct program_edge){ .target = lower_refusal(entity, site) };
    entity_add_node(entity, NODE_CHOOSE, name_at(entity, transition_name(entity, site), "."), by_name->name,
                    STR("TRANSITION"), site->transition->pointer, &node);
    entity->node[node].inner = true;
    entity->node[node].edge = edge;
    entity->node[node].edge_count = count;
    return node;
}

static uint32_t lower_unknown(struct entity *entity, const struct entity_state *state)
{
    struct expr_tree *const part[] = {
        text_tree(entity, STR("there is no transition \"")),
        carried_member(entity, ENTITY_TRANSITION),
        text_tree(entity, arena_printf(entity->arena, "\" from state \"%.*s\"", STR_ARG(state->name))),
    };
    return add_refusal(entity, state, name_at(entity, state->base, "-"), STR("TRANSITION_NOT_FOUND"),
                       tree_text(part, COUNT(part), entity->arena));
}

/* Behind lower_wait(). A new entity makes the transition that its creator names; without one it looks at the
 * automated ones, as in any state. */
static void lower_arrival(struct entity *entity, const struct entity_workflow *workflow,
                          const struct entity_state *state)
{
    size_t count = 0, named = 0;
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, state->transition_count + 2);
    if (!state->is_initial) {
        entity_set_edge(entity, state->arrive, state->choose);
        return;
    }
    edge[count++] =
        (struct program_edge){ .target = state->choose,
                               .when = is_asked(entity, tree_literal(json_null(), entity->arena)) };
    for (size_t i = 0; i < state->transition_count; i++) {
        const struct entity_site site = { workflow, state, &state->transition[i] };
        if (site.transition->disabled) continue;
        const struct program_edge *by_name = &entity->node[state->wait].edge[named++];
        if (by_name->by_timer) continue;
        const struct expr *when = is_asked(entity, text_tree(entity, by_name->name));
        edge[count++] = (struct program_edge){ .target = lower_named(entity, &site, by_name), .when = when };
    }
    edge[count++] = (struct program_edge){ .target = lower_unknown(entity, state) };
    must(count <= state->transition_count + 2 && named == entity->node[state->wait].edge_count);
    entity->node[state->arrive].edge = edge;
    entity->node[state->arrive].edge_count = count;
}

/* ---- the choice of a workflow ---- */

/* Active workflows in order; the built-in one takes what no other does. */
static void lower_selection(struct entity *entity, uint32_t node)
{
    size_t count = 0, parts = 0;
    struct program_edge *edge = arena_make_n(entity->arena, struct program_edge, entity->workflow_count * 2);
    for (size_t i = 0; i < entity->workflow_count; i++) {
        const struct entity_workflow *workflow = &entity->workflow[i];
        uint32_t initial = NODE_NONE;
        if (!workflow->active) continue;
        for (size_t k = 0; k < workflow->state_count; k++)
            if (str_equal(workflow->state[k].name, workflow->initial)) initial = workflow->state[k].arrive;
        must(initial != NODE_NONE);
        if (!workflow->criterion.function.name.n) {
            edge[count++] = (struct program_edge){ .target = initial,
                                                   .when = workflow->criterion.when,
                                                   .name = workflow->name };
            continue;
        }
        struct entity_transition chosen = { .name = workflow->name,
                                            .begin = initial,
                                            .criterion = workflow->criterion };
        const struct entity_state nowhere = { .base = workflow->base };
        const struct entity_site site = { workflow, &nowhere, &chosen };
        char last[16];
        uint32_t rest;
        snprintf(last, sizeof last, "?%zu", ++parts);
        entity_add_node(entity, NODE_CHOOSE, arena_str(entity->arena, str_of(last)), STR_NONE,
                        STR("SELECTION"), STR_NONE, &rest);
        entity->node[rest].inner = true;
        edge[count++] = (struct program_edge){ .target = lower_function(entity, &site, "?", rest) };
        entity->node[node].edge = edge;
        entity->node[node].edge_count = count;
        node = rest;
        edge += count;
        count = 0;
    }
    must(count > 0); /* The built-in workflow takes what no other does. */
    entity->node[node].edge = edge;
    entity->node[node].edge_count = count;
}

void entity_lower(struct entity *entity)
{
    uint32_t selection;
    entity_add_node(entity, NODE_CHOOSE, STR("/"), STR_NONE, STR("SELECTION"), STR_NONE, &selection);
    entity->node[selection].inner = true;
    for (size_t i = 0; i < entity->workflow_count; i++) add_states(entity, &entity->workflow[i]);
    for (size_t i = 0; i < entity->workflow_count; i++) {
        struct entity_workflow *workflow = &entity->workflow[i];
        for (size_t k = 0; k < workflow->state_count; k++) {
            struct entity_state *state = &workflow->state[k];
            lower_schedules(entity, workflow, state);
            for (size_t j = 0; j < state->transition_count; j++)
                lower_processors(entity, workflow, state, &state->transition[j]);
        }
    }
    for (size_t i = 0; i < entity->workflow_count; i++) {
        struct entity_workflow *workflow = &entity->workflow[i];
        for (size_t k = 0; k < workflow->state_count; k++) {
            if (workflow->state[k].choose != workflow->state[k].rest)
                lower_cascade(entity, workflow, &workflow->state[k]);
            lower_wait(entity, workflow, &workflow->state[k]);
            lower_arrival(entity, workflow, &workflow->state[k]);
        }
    }
    lower_selection(entity, selection);
    must(entity->workflow_count && selection < entity->node_count);
    entity->program->start = selection;
    entity->program->node = entity->node;
    entity->program->node_count = entity->node_count;
}
