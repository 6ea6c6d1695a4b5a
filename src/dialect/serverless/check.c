/* dialect/serverless/check.c — states as a graph, scope by scope.
 *
 *     names       unique, or told apart by ids
 *     references  to a state of the same scope: by id, then by name
 *     ends        `end` wins over a transition
 *     reach       states that no way leads to are reported and taken out; an end can be reached
 *
 * The last needs a whole graph: it is left out if anything before was wrong.
 */
#include "dialect/serverless/read_int.h"

#include "base/must.h"

#include <stdlib.h>

/* ---- all the ways out of a state ---- */

typedef void visit_fn(struct state_transition *transition, void *context);

static void visit_actions(struct actions *actions, visit_fn *visit, void *context)
{
    for (size_t i = 0; i < actions->count; i++)
        for (size_t k = 0; k < actions->action[i].retry_count; k++)
            visit(&actions->action[i].retry[k].exit, context);
}

static void visit_handlers(struct handler *handler, size_t count, visit_fn *visit, void *context)
{
    for (size_t i = 0; i < count; i++) visit(&handler[i].transition, context);
}

static void visit_ways(struct state *state, visit_fn *visit, void *context)
{
    if (state->type == STATE_OPERATION) visit_actions(&state->as.operation.actions, visit, context);
    if (state->type == STATE_EVENT)
        for (size_t i = 0; i < state->as.event.count; i++) {
            visit_actions(&state->as.event.entry[i].actions, visit, context);
            visit(&state->as.event.entry[i].transition, context);
        }
    if (state->type == STATE_SWITCH) {
        for (size_t i = 0; i < state->as.choose.count; i++)
            visit(&state->as.choose.choice[i].transition, context);
        visit(&state->as.choose.otherwise, context);
    }
    visit(&state->transition, context);
    visit_handlers(state->handler, state->handler_count, visit, context);
}

/* ---- names ---- */

struct named_state {
    str key;
    struct state *state;
};

struct index {
    struct named_state *id, *name;
    size_t id_count, name_count;
};

/* Orders by key, then as the document does. */
static int compare_entries(const void *a, const void *b)
{
    const struct named_state *one = a, *other = b;
    int order = str_compare(one->key, other->key);
    if (order) return order;
    return one->state < other->state ? -1 : one->state > other->state;
}

static struct index index_states(struct reading *reading, struct state_scope *scope)
{
    struct index index = {
        .id = arena_make_n(reading->scratch, struct named_state, scope->count),
        .name = arena_make_n(reading->scratch, struct named_state, scope->count),
    };
    for (size_t i = 0; i < scope->count; i++) {
        struct state *state = &scope->state[i];
        if (state->id.n) index.id[index.id_count++] = (struct named_state){ state->id, state };
        if (state->name.n) index.name[index.name_count++] = (struct named_state){ state->name, state };
    }
    qsort(index.id, index.id_count, sizeof *index.id, compare_entries);
    qsort(index.name, index.name_count, sizeof *index.name, compare_entries);
    return index;
}

/* Returns the first entry with the key, and how many have it. */
static size_t find_entry(const struct named_state *entry, size_t count, str key, size_t *ret_count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(entry[middle].key, key) < 0) low = middle + 1;
        else high = middle;
    }
    size_t end = low;
    while (end < count && str_equal(entry[end].key, key)) end++;
    must(low <= end && end <= count);
    *ret_count = end - low;
    return low;
}

static void check_names(struct reading *reading, const struct index *index)
{
    for (size_t i = 1; i < index->id_count; i++)
        if (str_equal(index->id[i].key, index->id[i - 1].key))
            problem_error(reading->problems, PROBLEM_DUPLICATE_ID,
                          problem_pointer(reading->scratch, index->id[i].state->pointer, STR("id")), NULL,
                          "two states have the id %s", problem_quote(reading->scratch, index->id[i].key));
    for (size_t i = 0; i < index->name_count; i++) {
        const struct named_state *entry = &index->name[i];
        bool twin = (i && str_equal(entry[-1].key, entry->key)) ||
                    (i + 1 < index->name_count && str_equal(entry[1].key, entry->key));
        if (twin && !entry->state->id.n)
            problem_error(reading->problems, PROBLEM_DUPLICATE_NAME,
                          problem_pointer(reading->scratch, entry->state->pointer, STR("name")),
                          "give each of them an id", "two states are called %s, and this one has no id",
                          problem_quote(reading->scratch, entry->key));
    }
}

/* ---- references ---- */

static bool is_in_scope(const struct state_scope *scope, str target)
{
    for (size_t i = 0; i < scope->count; i++)
        if (str_equal(scope->state[i].id, target) || str_equal(scope->state[i].name, target)) return true;
    return false;
}

/* Nesting is limited to NESTING_MAX. */
static bool is_anywhere(const struct state_scope *scope, str target)
{
    if (is_in_scope(scope, target)) return true;
    for (size_t i = 0; i < scope->count; i++) {
        const struct state *state = &scope->state[i];
        if (state->type != STATE_PARALLEL) continue;
        for (size_t k = 0; k < state->as.parallel.count; k++)
            if (is_anywhere(&state->as.parallel.branch[k].scope, target)) return true;
    }
    return false;
}

static const char *hint_for(struct reading *reading, const struct index *index, str target)
{
    if (!problems_have_room(reading->problems, false)) return NULL;
    if (is_anywhere(&reading->workflow->scope, target))
        return "there is one elsewhere, but no transition leads into a branch, out of one or into another";
    struct nearest nearest;
    nearest_init(&nearest, target);
    for (size_t i = 0; i < index->id_count; i++) nearest_offer(&nearest, index->id[i].key);
    for (size_t i = 0; i < index->name_count; i++) nearest_offer(&nearest, index->name[i].key);
    return nearest_hint(&nearest, reading->scratch);
}

static struct state *find_state(struct reading *reading, const struct state_scope *scope,
                                const struct index *index, str target, str pointer)
{
    size_t count;
    size_t at = find_entry(index->id, index->id_count, target, &count);
    if (count) return index->id[at].state;
    at = find_entry(index->name, index->name_count, target, &count);
    if (count > 1)
        problem_warning(reading->problems, PROBLEM_UNUSUAL, pointer, "use the id",
                        "%zu states are called %s; the first of them is meant", count,
                        problem_quote(reading->scratch, target));
    if (count) return index->name[at].state;
    problem_error(reading->problems, PROBLEM_UNRESOLVED, pointer, hint_for(reading, index, target),
                  "no state of %s has the id or name %s", scope->branch ? "the branch" : "the workflow",
                  problem_quote(reading->scratch, target));
    return NULL;
}

struct resolving {
    struct reading *reading;
    const struct state_scope *scope;
    const struct index *index;
};

static void resolve(struct state_transition *transition, void *context)
{
    struct resolving *resolving = context;
    if (transition->target.p)
        transition->state = find_state(resolving->reading, resolving->scope, resolving->index,
                                       transition->target, transition->pointer);
}

/* ---- single states ---- */

static void give_way(struct reading *reading, struct state_transition *transition)
{
    if (!transition->target.p) return;
    problem_warning(reading->problems, PROBLEM_IGNORED, transition->pointer, "leave out one of the two",
                    "the state has end set to true, so its transition is never taken");
    transition->state = NULL;
}

static void end_wins(struct reading *reading, struct state *state)
{
    if (!state->ends) return;
    give_way(reading, &state->transition);
    if (state->type == STATE_EVENT)
        for (size_t i = 0; i < state->as.event.count; i++)
            give_way(reading, &state->as.event.entry[i].transition);
}

static const struct action *action_that_places(const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        if (actions->action[i].filter.result) return &actions->action[i];
    return NULL;
}

static void check_result_paths(struct reading *reading, const struct state *state)
{
    const struct action *action = NULL;
    if (!state->filter.result) return;
    if (state->type == STATE_OPERATION) action = action_that_places(&state->as.operation.actions);
    if (state->type == STATE_EVENT)
        for (size_t i = 0; i < state->as.event.count && !action; i++)
            action = action_that_places(&state->as.event.entry[i].actions);
    if (action)
        problem_warning(
            reading->problems, PROBLEM_UNUSUAL,
            problem_pointer(reading->scratch, action->filter.pointer, STR("resultPath")),
            "what the last action gives is placed in the state's data, with all that the action's own "
            "resultPath made of it",
            "both the action and its state have a resultPath");
}

/* ---- scopes ---- */

static void check_scope(struct reading *reading, struct state_scope *scope)
{
    struct index index = index_states(reading, scope);
    struct resolving resolving = { .reading = reading, .scope = scope, .index = &index };
    check_names(reading, &index);
    if (scope->starts_at.p && scope->count)
        scope->start = find_state(reading, scope, &index, scope->starts_at,
                                  problem_pointer(reading->scratch, scope->pointer, STR("startsAt")));
    if (!scope->branch)
        visit_handlers(reading->workflow->handler, reading->workflow->handler_count, resolve, &resolving);
    for (size_t i = 0; i < scope->count; i++) {
        struct state *state = &scope->state[i];
        visit_ways(state, resolve, &resolving);
        end_wins(reading, state);
        check_result_paths(reading, state);
        if (state->type == STATE_PARALLEL)
            for (size_t k = 0; k < state->as.parallel.count; k++)
                check_scope(reading, &state->as.parallel.branch[k].scope);
    }
}

/* ---- reach ---- */

struct state_reach {
    struct state_scope *scope;
    size_t *place; /* The new place of a state, from 1; 0: not reached. */
    struct state **queue;
    size_t count;
};

static void reach_state(struct state_reach *reach, struct state *state)
{
    must(state >= reach->scope->state && state < reach->scope->state + reach->scope->count);
    size_t *place = &reach->place[state - reach->scope->state];
    if (*place) return;
    *place = 1;
    reach->queue[reach->count++] = state;
}

static void follow(struct state_transition *transition, void *context)
{
    if (transition->state) reach_state(context, transition->state);
}

struct moving {
    struct state *from, *to;
    const size_t *place;
};

static void redirect(struct state_transition *transition, void *context)
{
    const struct moving *moving = context;
    if (transition->state)
        transition->state = &moving->to[moving->place[transition->state - moving->from] - 1];
}

static void keep_reached(struct reading *reading, struct state_reach *reach)
{
    struct state_scope *scope = reach->scope;
    struct moving moving = { .from = scope->state, .place = reach->place };
    moving.to = arena_make_n(reading->arena, struct state, reach->count);
    size_t kept = 0;
    for (size_t i = 0; i < scope->count; i++) {
        if (!reach->place[i]) continue;
        moving.to[kept] = scope->state[i];
        reach->place[i] = ++kept;
    }
    for (size_t i = 0; i < kept; i++) {
        struct state *state = &moving.to[i];
        visit_ways(state, redirect, &moving);
        if (state->type == STATE_PARALLEL)
            for (size_t k = 0; k < state->as.parallel.count; k++) state->as.parallel.branch[k].of = state;
    }
    if (!scope->branch)
        visit_handlers(reading->workflow->handler, reading->workflow->handler_count, redirect, &moving);
    must(kept == reach->count && reach->place[scope->start - scope->state]);
    scope->start = &moving.to[reach->place[scope->start - scope->state] - 1];
    scope->state = moving.to;
    scope->count = kept;
}

/* With a default a SWITCH always goes on. */
static bool is_an_end(const struct state *state)
{
    return state->ends && !(state->type == STATE_SWITCH && state->as.choose.has_default);
}

/* A workflow may go on until an error ends it. A branch needs an end state, even if no way leads to it. */
static void report_endless(struct reading *reading, const struct state_scope *scope)
{
    str pointer = problem_pointer(reading->scratch, scope->pointer, STR("states"));
    bool has_end = false;
    for (size_t i = 0; i < scope->count; i++) has_end |= is_an_end(&scope->state[i]);
    if (!scope->branch || has_end)
        problem_warning(reading->problems, PROBLEM_NO_END, pointer, NULL,
                        "no end state can be reached: only an error ends this");
    else
        problem_error(reading->problems, PROBLEM_NO_END, pointer,
                      "set end to true in the state that is the last", "branch %s has no end state",
                      problem_quote(reading->scratch, scope->branch->name));
}

static void check_reach(struct reading *reading, struct state_scope *scope)
{
    must(scope->start && scope->count);
    struct state_reach reach = {
        .scope = scope,
        .place = arena_make_n(reading->scratch, size_t, scope->count),
        .queue = arena_make_n(reading->scratch, struct state *, scope->count),
    };
    reach_state(&reach, scope->start);
    if (!scope->branch)
        visit_handlers(reading->workflow->handler, reading->workflow->handler_count, follow, &reach);
    bool ends = false;
    for (size_t i = 0; i < reach.count; i++) {
        ends |= is_an_end(reach.queue[i]);
        visit_ways(reach.queue[i], follow, &reach);
    }
    if (!ends) report_endless(reading, scope);
    for (size_t i = 0; i < scope->count; i++)
        if (!reach.place[i])
            problem_warning(reading->problems, PROBLEM_UNREACHABLE, scope->state[i].pointer, NULL,
                            "no way leads to state %s",
                            problem_quote(reading->scratch, scope->state[i].name));
    /* Also in states that no way leads to: a branch without an end is wrong wherever it is. */
    for (size_t i = 0; i < scope->count; i++)
        if (scope->state[i].type == STATE_PARALLEL)
            for (size_t k = 0; k < scope->state[i].as.parallel.count; k++)
                check_reach(reading, &scope->state[i].as.parallel.branch[k].scope);
    if (reach.count < scope->count) keep_reached(reading, &reach);
}

void serverless_check(struct reading *reading)
{
    check_scope(reading, &reading->workflow->scope);
    if (!reading->problems->error_count) check_reach(reading, &reading->workflow->scope);
}
