/* dialect/serverless/lower_event.c — EVENT: a wait for one of several conditions over events, and then
 * the actions of the entry that fired. Which one it was, from 1, is in `fired`. */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

static const uint32_t *indices(const bool *flag, size_t count, struct arena *arena, size_t *ret_count)
{
    uint32_t *list = arena_make_n(arena, uint32_t, count);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (flag[i]) list[(*ret_count)++] = (uint32_t)i;
    must(*ret_count <= count);
    return list;
}

/* Do entries lead to different places? */
static bool has_ways(const struct state *state)
{
    if (state->as.event.count < 2) return false;
    for (size_t i = 0; i < state->as.event.count; i++)
        if (state->as.event.entry[i].transition.state) return true;
    return false;
}

/* S with the events in it: handlers need it even if the state's own value cannot be computed. */
static void lower_case_output(const struct state_body *body, const struct event_actions *entry, size_t number,
                              struct program_event_case *event_case)
{
    struct arena *arena = body->lowering->arena;
    struct expr_tree *events = tree_variable(STR("events"), arena);
    struct expr_tree *subject =
        tree_events(body->subject, events, entry->filter.input, entry->filter.result, arena);
    struct program_value *value = arena_make_n(arena, struct program_value, 2);
    size_t count = 0;
    value[count++] =
        (struct program_value){ .name = body->subject_name, .expr = lower_expr(body->lowering, subject) };
    if (has_ways(body->state))
        value[count++] = (struct program_value){
            .name = STR("fired"),
            .literal = json_of_int(arena, (int64_t)number + 1),
        };
    must(count <= 2);
    event_case->output = value;
    event_case->output_count = count;
}

static struct program_event_case lower_case(const struct state_body *body, size_t number, uint32_t next)
{
    must(number < body->state->as.event.count);
    struct lowering *lowering = body->lowering;
    struct arena *arena = lowering->arena;
    const struct event_actions *entry = &body->state->as.event.entry[number];
    size_t triggers = lowering->workflow->trigger_count;
    struct program_event_case event_case = { .when = lower_expr(lowering, entry->when), .target = next };
    event_case.mentioned = indices(entry->operands.mentioned, triggers, arena, &event_case.mentioned_count);
    event_case.positive = indices(entry->operands.positive, triggers, arena, &event_case.positive_count);
    lower_case_output(body, entry, number, &event_case);
    str word = body->state->as.event.count > 1 ? arena_printf(arena, "%zu/", number + 1) : STR("");
    if (entry->actions.count) {
        event_case.target = lower_actions(body, &entry->actions, word, next);
        return event_case;
    }
    word = arena_printf(arena, "%.*staken", STR_ARG(word));
    event_case.target = lower_inner(lowering, NODE_SET, body->state, word, entry->pointer);
    lower_finish(body, event_case.target, body->subject, body->subject);
    lower_edge_to(lowering, event_case.target, NULL, next);
    return event_case;
}

/* The wait, and behind it the actions, which lead on to `next`. */
static uint32_t lower_entries(const struct state_body *body, uint32_t next)
{
    struct lowering *lowering = body->lowering;
    const struct state *state = body->state;
    size_t count = state->as.event.count;
    uint32_t wait = lower_inner(lowering, NODE_WAIT, state, STR("wait"), state->pointer);
    struct program_event_case *event_case = arena_make_n(lowering->arena, struct program_event_case, count);
    for (size_t i = 0; i < count; i++) {
        event_case[i] = lower_case(body, i, next);
        if (state->as.event.entry[i].timeout_ms >= 0)
            lower_timer(lowering, wait,
                        (struct program_timer){
                            .delay_ms = state->as.event.entry[i].timeout_ms,
                            .does = TIMER_EXPIRE,
                            .event_case = (uint32_t)i,
                        });
    }
    struct program_node *node = lower_node(lowering, wait);
    node->as.wait.what = WAIT_FOR_EVENT;
    node->as.wait.event_case = event_case;
    node->as.wait.event_case_count = count;
    return wait;
}

/* The way out of the entry that fired. In a loop without rounds none fired, and the first entry's way is
 * taken. */
static void lower_entry_ways(struct lowering *lowering, const struct state *state)
{
    const struct event_actions *entry = state->as.event.entry;
    size_t count = state->as.event.count;
    if (!has_ways(state)) count = 1;
    for (size_t i = count; i-- > 0;) {
        struct expr_tree *fired = lower_of_frame(lowering, STR("fired"));
        struct program_edge way = lower_way(lowering, &entry[i].transition);
        if (count > 1) way.label = entry[i].condition.text;
        lower_edge(lowering, state->node,
                   i ? tree_equal(fired, lower_int(lowering, (int64_t)i + 1), lowering->arena) : NULL, way);
    }
}

void lower_event(struct lowering *lowering, const struct state *state)
{
    if (state->loop.given) {
        struct loop_nodes loop = lower_loop_open(lowering, state, false);
        lower_loop_close(&loop, lower_entries(&loop.body, loop.collect), NULL);
    } else {
        const struct state_body body = lower_frame_body(lowering, state);
        lower_frame(lowering, state, lower_entries(&body, lowering->end));
        lower_output(lowering, state->node, STR(""),
                     lower_let_go(lowering, state, lower_of_frame(lowering, STR("R"))));
    }
    lower_entry_ways(lowering, state);
}
