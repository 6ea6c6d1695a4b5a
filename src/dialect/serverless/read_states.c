/* dialect/serverless/read_states.c — states and branches. */
#include "dialect/serverless/read_int.h"

static const char *const type_words[STATE_TYPE_COUNT + 1] = {
    [STATE_EVENT] = "EVENT", [STATE_OPERATION] = "OPERATION", [STATE_SWITCH] = "SWITCH",
    [STATE_DELAY] = "DELAY", [STATE_PARALLEL] = "PARALLEL",   [STATE_SUBFLOW] = "SUBFLOW",
    [STATE_RELAY] = "RELAY",
};

const char *serverless_state_word(enum state_type type) { return type_words[type]; }

/* ---- the type ---- */

static enum state_type read_type(struct reading *reading, const struct read_place *at)
{
    str word = read_string(reading, at, "type", REQUIRED);
    if (!word.p) return STATE_TYPE_COUNT;
    struct nearest nearest;
    nearest_init(&nearest, word);
    for (unsigned i = 0; i < STATE_TYPE_COUNT; i++) {
        if (str_equal_ignoring_case(word, str_of(type_words[i]))) return (enum state_type)i;
        nearest_offer(&nearest, str_of(type_words[i]));
    }
    const char *hint = version_instead(CONSTRUCT_TYPE, word, reading->scratch);
    if (!hint) hint = nearest_hint(&nearest, reading->scratch);
    problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "type"),
                  hint ? hint
                       : arena_printf(reading->scratch, "types are %s", read_words(reading, type_words)).p,
                  "%sunknown type %s", read_prefix(reading, at), problem_quote(reading->scratch, word));
    return STATE_TYPE_COUNT;
}

/* ---- parts of several types ---- */

static void read_loop(struct reading *reading, const struct read_place *at, struct state_loop *loop)
{
    static const char *const names[] = { "inputCollection", "outputCollection", "completionCondition",
                                         "timeDelay", NULL };
    struct read_place place;
    if (!read_place(reading, at, "loop", OPTIONAL, &place)) return;
    loop->given = true;
    loop->pointer = place.pointer;
    loop->input = read_path(reading, &place, "inputCollection", REQUIRED, PATH_ANY, NULL);
    loop->output = read_path(reading, &place, "outputCollection", OPTIONAL, PATH_DEFINITE, NULL);
    read_condition(reading, &place, "completionCondition", OPTIONAL, &loop->completion);
    loop->delay_ms = read_duration(reading, &place, "timeDelay", OPTIONAL, 0);
    read_only(reading, &place, names);
}

/* The state's own transition, or its end. */
static void read_way_on(struct reading *reading, const struct read_place *at, struct state *state)
{
    if (!state->ends && !read_member(at, "transition"))
        read_missing(reading, at, "transition", "name the next state, or set end to true");
    read_transition(reading, at, "transition", OPTIONAL, &state->transition);
}

/* ---- types ---- */

static void read_branch(struct reading *reading, const struct read_place *at, struct state *state,
                        struct state_branch *branch)
{
    static const char *const names[] = { "name", "startsAt", "states", "waitForCompletion", NULL };
    branch->pointer = at->pointer;
    branch->of = state;
    branch->name = read_name(reading, at, "name", REQUIRED);
    branch->awaited = read_flag(reading, at, "waitForCompletion", false);
    read_scope(reading, at, branch, &branch->scope);
    read_only(reading, at, names);
}

static void read_branches(struct reading *reading, const struct read_place *at, struct state *state)
{
    const struct json *list = read_list(reading, at, "branches", FILLED);
    if (reading->nesting == NESTING_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "branches"),
                      "let a SUBFLOW do a part of it", "%sbranches are nested more than %d deep",
                      read_prefix(reading, at), NESTING_MAX);
        return;
    }
    size_t count = json_count(list);
    if (count > DEFINITION_STEPS_MAX) count = DEFINITION_STEPS_MAX; /* Each has a state: that is reported. */
    state->as.parallel.count = count;
    state->as.parallel.branch = arena_make_n(reading->arena, struct state_branch, count);
    reading->nesting++;
    for (size_t i = 0; i < count; i++) {
        struct state_branch *branch = &state->as.parallel.branch[i];
        struct read_place place;
        if (!read_item(reading, at, "branches", i, json_item(list, i), &place)) continue;
        read_branch(reading, &place, state, branch);
        for (size_t k = 0; branch->name.n && k < i; k++) {
            if (!str_equal(state->as.parallel.branch[k].name, branch->name)) continue;
            problem_error(reading->problems, PROBLEM_DUPLICATE_NAME, read_pointer(reading, &place, "name"),
                          "what branches bring is told apart by their names", "%stwo branches are called %s",
                          read_prefix(reading, at), problem_quote(reading->scratch, branch->name));
            break;
        }
    }
    reading->nesting--;
}

static void read_subflow(struct reading *reading, const struct read_place *at, struct state *state)
{
    str workflow = read_string(reading, at, "workflowId", REQUIRED);
    read_limit_name(reading, at, "workflowId", workflow, DEFINITION_ID_BYTES_MAX);
    state->as.subflow.workflow = workflow;
    state->as.subflow.awaited = read_flag(reading, at, "waitForCompletion", false);
}

static void read_of_type(struct reading *reading, const struct read_place *at, struct state *state)
{
    struct read_place inject;
    switch (state->type) {
    case STATE_EVENT: read_event_actions(reading, at, state); break;
    case STATE_OPERATION: read_actions(reading, at, &state->as.operation.actions); break;
    case STATE_SWITCH: read_choices(reading, at, state); break;
    case STATE_DELAY:
        read_delay(reading, at, "timeDelay", &state->as.delay.delay_ms, &state->as.delay.at_ms);
        break;
    case STATE_PARALLEL: read_branches(reading, at, state); break;
    case STATE_SUBFLOW: read_subflow(reading, at, state); break;
    case STATE_RELAY:
        if (!read_place(reading, at, "inject", OPTIONAL, &inject)) break;
        state->as.relay.inject = inject.object;
        template_warn(reading->problems, inject.object, inject.pointer, inject.what,
                      "inject adds data as it is written; an action's parameters can be paths, as in $.name");
        break;
    case STATE_TYPE_COUNT: break;
    }
}

#define EVERY "id", "name", "type", "end", "filter"
#define MOST EVERY, "loop", "onError"
static const char *const fields[STATE_TYPE_COUNT][16] = {
    [STATE_EVENT] = { MOST, "eventActions" },
    [STATE_OPERATION] = { MOST, "actionMode", "actions", "transition" },
    [STATE_SWITCH] = { MOST, "choices", "default" },
    [STATE_DELAY] = { MOST, "timeDelay", "transition" },
    [STATE_PARALLEL] = { MOST, "branches", "transition" },
    [STATE_SUBFLOW] = { MOST, "waitForCompletion", "workflowId", "transition" },
    [STATE_RELAY] = { EVERY, "inject", "transition" },
};
#undef EVERY
#undef MOST

static const char *label(struct reading *reading, const struct read_place *item)
{
    for (size_t i = 0; i < 2; i++) {
        const struct json *name = json_get(item->object, i ? STR("id") : STR("name"));
        if (json_is(name, JSON_STRING) && json_string(name).n)
            return arena_printf(reading->scratch, "state %s",
                                problem_quote(reading->scratch, json_string(name)))
                .p;
    }
    return item->what;
}

static void read_state(struct reading *reading, const struct read_place *item, struct state *state)
{
    struct read_place place = *item, *at = &place;
    place.what = label(reading, item);
    state->pointer = at->pointer;
    state->id = read_name(reading, at, "id", OPTIONAL);
    state->name = read_name(reading, at, "name", REQUIRED);
    state->type = read_type(reading, at);
    state->ends = read_flag(reading, at, "end", false);
    read_filter(reading, at, FILTER_OF_STATE, &state->filter);
    if (state->type != STATE_RELAY) {
        read_loop(reading, at, &state->loop);
        read_handlers(reading, at, &state->handler, &state->handler_count);
    }
    read_of_type(reading, at, state);
    bool own_way =
        state->type != STATE_EVENT && state->type != STATE_SWITCH && state->type != STATE_TYPE_COUNT;
    if (own_way) read_way_on(reading, at, state);
    if (state->type != STATE_TYPE_COUNT) read_only(reading, at, fields[state->type]);
}

/* ---- scopes ---- */

/* The name of a state, or an object that has it and a schedule. */
static str read_start(struct reading *reading, const struct read_place *at)
{
    static const char *const names[] = { "stateName", "schedule", NULL };
    static const char *const schedule_names[] = { "interval", "cron",          "timezone",
                                                  "timeZone", "misfirePolicy", NULL };
    struct read_place start, schedule;
    if (!json_is(read_member(at, "startsAt"), JSON_OBJECT))
        return read_string(reading, at, "startsAt", REQUIRED);
    if (!read_place(reading, at, "startsAt", REQUIRED, &start)) return STR_NONE;
    read_only(reading, &start, names);
    if (read_place(reading, &start, "schedule", OPTIONAL, &schedule)) {
        read_only(reading, &schedule, schedule_names);
        triggers_read_schedule(schedule.object, schedule.pointer, reading->arena,
                               &reading->workflow->schedule, reading->problems);
    }
    return read_string(reading, &start, "stateName", REQUIRED);
}

void read_scope(struct reading *reading, const struct read_place *at, struct state_branch *branch,
                struct state_scope *scope)
{
    *scope = (struct state_scope){ .pointer = at->pointer, .branch = branch };
    scope->starts_at = branch ? read_string(reading, at, "startsAt", REQUIRED) : read_start(reading, at);
    const struct json *list = read_list(reading, at, "states", FILLED);
    size_t count = json_count(list);
    bool fitted = reading->state_count <= DEFINITION_STEPS_MAX;
    reading->state_count += count;
    if (reading->state_count > DEFINITION_STEPS_MAX) {
        if (fitted)
            problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "states"),
                          "let a SUBFLOW do a part of it", "%smore than %d states in one workflow",
                          read_prefix(reading, at), DEFINITION_STEPS_MAX);
        return;
    }
    scope->count = count;
    scope->state = arena_make_n(reading->arena, struct state, count);
    for (size_t i = 0; i < count; i++) {
        struct state *state = &scope->state[i];
        struct read_place item;
        state->scope = scope;
        state->type = STATE_TYPE_COUNT;
        if (read_item(reading, at, "states", i, json_item(list, i), &item)) read_state(reading, &item, state);
    }
}
