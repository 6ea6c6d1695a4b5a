/* dialect/serverless/lower_loop.c — a state that is done for each element of a collection.
 *
 *     begin ──► next ──► the round's nodes ──► collect ──► next …
 *                 │                               ├─ pause ──► next    with a timeDelay
 *                 └──► end                        └──► end             the condition holds
 *
 * The element is the round's data: the body is lowered as if it were S. `collect` chooses
 * where to go on before its output is made, so there `index` is that of the round just done,
 * and the round's value is not yet among those of `out`.
 */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

/* ---- frames ---- */

void lower_frame(struct lowering *lowering, const struct state *state, uint32_t start)
{
    must(start < lowering->node_count);
    static const str names[] = { STR_INIT("S") };
    struct arena *arena = lowering->arena;
    struct expr_tree *subject = lower_subject(lowering, state);
    struct program_region *region = arena_make(arena, struct program_region);
    *region = (struct program_region){ .name = STR("body"), .start = start, .awaited = true };
    struct program_node *node = lower_node(lowering, state->node);
    node->kind = NODE_SCOPE;
    node->as.scope.region = region;
    node->as.scope.region_count = 1;
    node->as.scope.data = lower_expr(lowering, tree_map(names, &subject, 1, arena));
}

struct state_body lower_frame_body(struct lowering *lowering, const struct state *state)
{
    return (struct state_body){
        .lowering = lowering,
        .state = state,
        .subject = lower_register(lowering, STR("S")),
        .subject_name = STR("S"),
        .whole = lower_register(lowering, STR("S")),
        .framed = true,
        .levels = 1,
    };
}

/* ---- loops ---- */

/* Is there an element at `index` + `ahead`? */
static struct expr_tree *more(const struct lowering *lowering, int64_t ahead)
{
    struct arena *arena = lowering->arena;
    struct expr_tree *index = lower_register(lowering, STR("index"));
    if (ahead) index = tree_plus(index, lower_int(lowering, ahead), arena);
    return tree_less(index, tree_length(lower_register(lowering, STR("items")), arena), arena);
}

static uint32_t add_begin(struct lowering *lowering, const struct state *state, bool fires)
{
    const struct state_loop *loop = &state->loop;
    uint32_t begin = lower_inner(lowering, NODE_SET, state, STR("begin"), loop->pointer);
    struct expr_tree *whole = lower_register(lowering, STR("S"));
    lower_output(lowering, begin, STR("items"), tree_path(PATH_ITEMS, loop->input, whole, lowering->arena));
    lower_output_literal(lowering, begin, STR("index"), json_of_int(lowering->arena, 0));
    if (loop->output) lower_output_literal(lowering, begin, STR("out"), json_empty_array());
    if (fires) lower_output_literal(lowering, begin, STR("fired"), json_of_int(lowering->arena, 0));
    return begin;
}

struct loop_nodes lower_loop_open(struct lowering *lowering, const struct state *state, bool fires)
{
    must(state->loop.given);
    struct arena *arena = lowering->arena;
    struct state_body body = lower_frame_body(lowering, state);
    body.loop = true;
    body.subject = lower_register(lowering, STR("E"));
    body.subject_name = STR("E");
    if (state->loop.output) body.out = lower_register(lowering, STR("out"));

    uint32_t begin = add_begin(lowering, state, fires);
    uint32_t next = lower_inner(lowering, NODE_CHOOSE, state, STR("next"), state->loop.pointer);
    lower_edge_to(lowering, begin, NULL, next);
    struct expr_tree *item =
        tree_item(lower_register(lowering, STR("items")), lower_register(lowering, STR("index")), arena);
    lower_output(lowering, next, STR("E"),
                 tree_if(more(lowering, 0), item, tree_literal(json_null(), arena), arena));
    lower_frame(lowering, state, begin);
    return (struct loop_nodes){
        .body = body,
        .next = next,
        .collect = lower_inner(lowering, NODE_SET, state, STR("collect"), state->loop.pointer),
    };
}

/* The completion condition. It sees the state's data as it would be after this round, and the round's
 * element, index and result by name; they are also members of the data, if that is an object. */
static struct expr_tree *lower_completion(const struct loop_nodes *loop, struct expr_tree *value,
                                          struct expr_tree *result)
{
    static const str names[] = { STR_INIT("element"), STR_INIT("index"), STR_INIT("result") };
    struct lowering *lowering = loop->body.lowering;
    struct arena *arena = lowering->arena;
    struct expr_tree *values[] = { loop->body.subject, lower_register(lowering, STR("index")), result };
    struct condition_name bare[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) bare[i] = (struct condition_name){ names[i], values[i] };
    struct expr_tree *data = lower_collected(&loop->body, value);
    const struct condition_names view = {
        .root = tree_if(tree_is_object(loop->body.whole, arena),
                        lower_with_members(lowering, data, names, values, COUNT(names)), data, arena),
        .name = bare,
        .count = COUNT(bare),
    };
    return lower_condition(lowering, &loop->body.state->loop.completion, &view);
}

static void add_pause(const struct loop_nodes *loop)
{
    struct lowering *lowering = loop->body.lowering;
    const struct state *state = loop->body.state;
    uint32_t pause = lower_inner(lowering, NODE_WAIT, state, STR("pause"), state->loop.pointer);
    lower_node(lowering, pause)->as.wait.what = WAIT_FOR_TIME;
    lower_timer(lowering, pause,
                (struct program_timer){ .delay_ms = state->loop.delay_ms, .does = TIMER_GO_ON });
    lower_edge_to(lowering, pause, NULL, loop->next);
    lower_edge_to(lowering, loop->collect, more(lowering, 1), pause);
    lower_edge_to(lowering, loop->collect, NULL, lowering->end);
}

void lower_loop_close(const struct loop_nodes *loop, uint32_t first, struct expr_tree *result)
{
    must(loop->next < loop->body.lowering->node_count && first < loop->body.lowering->node_count);
    struct lowering *lowering = loop->body.lowering;
    const struct state *state = loop->body.state;
    struct expr_tree *value =
        result ? lower_value(&loop->body, result, result) : lower_register(lowering, STR("R"));
    if (!result) result = lower_keeps_result(state) ? lower_register(lowering, STR("result")) : value;

    lower_edge_to(lowering, loop->next, more(lowering, 0), first);
    lower_edge_to(lowering, loop->next, NULL, lowering->end);
    if (state->loop.output) lower_append(lowering, loop->collect, STR("out"), value);
    lower_output(lowering, loop->collect, STR("index"),
                 tree_plus(lower_register(lowering, STR("index")), lower_int(lowering, 1), lowering->arena));
    if (state->loop.completion.text.p)
        lower_edge_to(lowering, loop->collect, lower_completion(loop, value, result), lowering->end);
    if (state->loop.delay_ms > 0) add_pause(loop);
    else lower_edge_to(lowering, loop->collect, NULL, loop->next);

    struct expr_tree *whole = lower_of_frame(lowering, STR("S"));
    if (state->loop.output)
        whole =
            tree_collect(whole, state->loop.output, lower_of_frame(lowering, STR("out")), lowering->arena);
    lower_output(lowering, state->node, STR(""), lower_let_go(lowering, state, whole));
}
