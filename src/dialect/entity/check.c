/* dialect/entity/check.c — what can be wrong with a workflow as a whole. */
#include "dialect/entity/entity_int.h"

#include "base/text_map.h"

static str pointer_to(struct entity *entity, str base, const char *name)
{
    return problem_pointer(entity->scratch, base, str_of(name));
}

/* ---- names ---- */

static uint32_t find_state(const struct entity_workflow *workflow, str name)
{
    for (uint32_t i = 0; i < workflow->state_count; i++)
        if (str_equal(workflow->state[i].name, name)) return i;
    return NODE_NONE;
}

static void check_initial(struct entity *entity, const struct entity_workflow *workflow)
{
    str pointer = pointer_to(entity, workflow->pointer, "initialState");
    if (!workflow->initial.n)
        problem_error(entity->problems, PROBLEM_REQUIRED, pointer, NULL,
                      "a workflow needs initialState, the state of a new entity");
    else if (find_state(workflow, workflow->initial) == NODE_NONE)
        problem_error(entity->problems, PROBLEM_UNRESOLVED, pointer, NULL, "there is no state %s",
                      problem_quote(entity->scratch, workflow->initial));
}

static void check_transition_names(struct entity *entity, const struct entity_state *state)
{
    struct text_map names;
    text_map_init(&names);
    for (size_t i = 0; i < state->transition_count; i++) {
        struct entity_transition *transition = &state->transition[i];
        if (!transition->name.n) continue;
        if (text_map_get(&names, transition->name))
            problem_error(
                entity->problems, PROBLEM_DUPLICATE_NAME, pointer_to(entity, transition->pointer, "name"),
                NULL, "the state %s has another transition %s", problem_quote(entity->scratch, state->name),
                problem_quote(entity->scratch, transition->name));
        text_map_put(&names, transition->name, transition);
    }
    text_map_done(&names);
}

/* Finds the state where each transition leads. */
static void resolve_targets(struct entity *entity, struct entity_workflow *workflow)
{
    struct text_map states;
    text_map_init(&states);
    for (size_t i = 0; i < workflow->state_count; i++)
        text_map_put(&states, workflow->state[i].name, &workflow->state[i]);
    for (size_t i = 0; i < workflow->state_count; i++)
        for (size_t k = 0; k < workflow->state[i].transition_count; k++) {
            struct entity_transition *transition = &workflow->state[i].transition[k];
            const struct entity_state *target = text_map_get(&states, transition->next);
            if (target) transition->target = (uint32_t)(target - workflow->state);
            else
                problem_error(entity->problems, PROBLEM_UNRESOLVED,
                              pointer_to(entity, transition->pointer, "next"), NULL,
                              transition->next.n ? "there is no state %s" : "a transition needs next%s",
                              transition->next.n ? problem_quote(entity->scratch, transition->next) : "");
        }
    text_map_done(&states);
}

static void check_workflow_names(struct entity *entity)
{
    struct text_map names;
    text_map_init(&names);
    for (size_t i = 0; i + 1 < entity->workflow_count; i++) {
        struct entity_workflow *workflow = &entity->workflow[i];
        if (!workflow->name.n) continue;
        if (text_map_get(&names, workflow->name))
            problem_error(entity->problems, PROBLEM_DUPLICATE_NAME,
                          pointer_to(entity, workflow->pointer, "name"), NULL,
                          "another workflow is called %s", problem_quote(entity->scratch, workflow->name));
        text_map_put(&names, workflow->name, workflow);
    }
    text_map_done(&names);
}

/* ---- circles ---- */

/* Depth first along automated transitions, without recursion. */
struct trails {
    const struct entity_workflow *workflow;
    uint32_t *trail; /* States on the way to the current one. */
    size_t *next;    /* For each of them: the transition to look at next. */
    size_t depth;
    uint8_t *mark; /* 0: not seen. 1: on the trail. 2: done. */
};

static bool is_automated(const struct entity_transition *transition)
{
    return !transition->manual && !transition->disabled && !transition->is_scheduled;
}

static bool is_guarded(const struct entity_transition *transition)
{
    return transition->criterion.when || transition->criterion.function.name.n;
}

/* The next transition to follow from the state on top; NULL: none is left. */
static const struct entity_transition *next_of(struct trails *trails, bool guarded_too)
{
    const struct entity_state *state = &trails->workflow->state[trails->trail[trails->depth - 1]];
    size_t *next = &trails->next[trails->depth - 1];
    while (*next < state->transition_count) {
        const struct entity_transition *transition = &state->transition[(*next)++];
        /* A schedule repeats itself without end as well, if slowly. */
        bool follows = !transition->manual && !transition->disabled &&
                       (guarded_too ? is_automated(transition) : !is_guarded(transition));
        if (follows && transition->target != NODE_NONE) return transition;
    }
    return NULL;
}

/* The first transition that closes a circle, or NULL. */
static const struct entity_transition *find_circle(struct trails *trails, uint32_t from, bool guarded_too)
{
    if (trails->mark[from]) return NULL;
    trails->mark[from] = 1;
    trails->trail[0] = from;
    trails->next[0] = 0;
    trails->depth = 1;
    while (trails->depth) {
        const struct entity_transition *transition = next_of(trails, guarded_too);
        if (!transition) {
            trails->mark[trails->trail[--trails->depth]] = 2;
            continue;
        }
        if (trails->mark[transition->target] == 1) return transition;
        if (trails->mark[transition->target]) continue;
        trails->mark[transition->target] = 1;
        trails->trail[trails->depth] = transition->target;
        trails->next[trails->depth++] = 0;
    }
    return NULL;
}

static const struct entity_transition *first_circle(struct entity *entity,
                                                    const struct entity_workflow *workflow, bool guarded_too)
{
    size_t count = workflow->state_count;
    struct trails trails = { .workflow = workflow,
                             .trail = arena_make_n(entity->scratch, uint32_t, count),
                             .next = arena_make_n(entity->scratch, size_t, count),
                             .mark = arena_make_n(entity->scratch, uint8_t, count) };
    memset(trails.mark, 0, count);
    const struct entity_transition *found = NULL;
    for (uint32_t i = 0; i < count && !found; i++) found = find_circle(&trails, i, guarded_too);
    return found;
}

static void check_circles(struct entity *entity, const struct entity_workflow *workflow)
{
    const struct entity_transition *endless = first_circle(entity, workflow, false);
    if (endless && !workflow->allows_cycles)
        problem_error(entity->problems, PROBLEM_ZERO_TIME_LOOP, endless->pointer,
                      "give one of them a criterion, make it manual, or import it with allowCycles",
                      "automated transitions without a criterion lead in a circle, which %s closes",
                      problem_quote(entity->scratch, endless->name));
    /* Without a circle, and with few states, no write can go through many of them. */
    if (endless || workflow->state_count >= ENTITY_STEPS_MAX || first_circle(entity, workflow, true))
        entity->counts_visits = true;
}

/* ---- what has no effect ---- */

static void warn_of_shadowed(struct entity *entity, const struct entity_state *state)
{
    const struct entity_transition *always = NULL;
    for (size_t i = 0; i < state->transition_count; i++) {
        const struct entity_transition *transition = &state->transition[i];
        if (!is_automated(transition)) continue;
        if (always)
            problem_warning(
                entity->problems, PROBLEM_UNREACHABLE, transition->pointer, NULL,
                "the transition %s is never made by itself: %s comes before it and has no criterion",
                problem_quote(entity->scratch, transition->name),
                problem_quote(entity->scratch, always->name));
        if (!always && !is_guarded(transition)) always = transition;
    }
}

void entity_check(struct entity *entity)
{
    check_workflow_names(entity);
    for (size_t i = 0; i < entity->workflow_count; i++) {
        struct entity_workflow *workflow = &entity->workflow[i];
        check_initial(entity, workflow);
        resolve_targets(entity, workflow);
        for (size_t k = 0; k < workflow->state_count; k++) {
            check_transition_names(entity, &workflow->state[k]);
            warn_of_shadowed(entity, &workflow->state[k]);
        }
        check_circles(entity, workflow);
    }
}
