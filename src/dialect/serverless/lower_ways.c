/* dialect/serverless/lower_ways.c — the ways out of nodes: conditions, transitions, handlers, timers. */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

struct expr_tree *lower_condition(struct lowering *lowering, const struct condition_text *condition,
                                  const struct condition_names *names)
{
    struct expr_tree *tree = NULL;
    struct error err = { 0 };
    if (expr_parse_condition(condition->text, names, lowering->arena, &tree, &err) == ST_OK) return tree;
    /* Reading has parsed the condition, so only the names that surround it here can have made it too large.
     */
    problem_error(lowering->problems, PROBLEM_BAD_EXPRESSION, condition->pointer, NULL, "%s: %s",
                  problem_quote(lowering->arena, condition->text), err.message);
    return tree_literal(json_of_bool(false), lowering->arena);
}

/* ---- edges ---- */

/* `$` is the data as it goes on. */
static const struct expr *lower_guard(struct lowering *lowering, const struct condition_text *condition)
{
    if (!condition->text.p) return NULL;
    const struct condition_names names = { .root = tree_data(lowering->arena) };
    return lower_expr(lowering, lower_condition(lowering, condition, &names));
}

struct program_edge lower_way(struct lowering *lowering, const struct state_transition *transition)
{
    if (!transition->state) return (struct program_edge){ .target = lowering->end };
    must(transition->state->node < lowering->end);
    return (struct program_edge){
        .target = transition->state->node,
        .guard = lower_guard(lowering, &transition->condition),
    };
}

void lower_edge(struct lowering *lowering, uint32_t index, struct expr_tree *when, struct program_edge way)
{
    must(way.target < lowering->node_count);
    struct program_node *node = lower_node(lowering, index);
    struct program_edge *list = lower_grow(lowering->arena, node->edge, node->edge_count, sizeof *list);
    way.when = when ? lower_expr(lowering, when) : NULL;
    list[node->edge_count++] = way;
    node->edge = list;
}

void lower_edge_to(struct lowering *lowering, uint32_t node, struct expr_tree *when, uint32_t target)
{
    lower_edge(lowering, node, when, (struct program_edge){ .target = target });
}

void lower_timer(struct lowering *lowering, uint32_t index, struct program_timer timer)
{
    must(timer.delay_ms >= 0);
    struct program_node *node = lower_node(lowering, index);
    struct program_timer *list = lower_grow(lowering->arena, node->timer, node->timer_count, sizeof *list);
    timer.target = NODE_NONE;
    list[node->timer_count++] = timer;
    node->timer = list;
}

/* ---- errors ---- */

struct expr_tree *lower_error_members(const struct lowering *lowering)
{
    static const str names[] = { STR_INIT("exception"), STR_INIT("error") };
    struct expr_tree *error = tree_variable(STR("error"), lowering->arena);
    return tree_map(names, (struct expr_tree *[]){ error, error }, COUNT(names), lowering->arena);
}

struct expr_tree *lower_with_members(const struct lowering *lowering, struct expr_tree *base, const str *name,
                                     struct expr_tree *const *value, size_t count)
{
    struct arena *arena = lowering->arena;
    struct expr_tree *null = tree_literal(json_null(), arena);
    struct expr_tree **nothing = arena_make_n(arena, struct expr_tree *, count);
    for (size_t i = 0; i < count; i++) nothing[i] = null;
    /* A merge is deep, so the members' old values must be removed first. */
    struct expr_tree *cleared = tree_combine(base, tree_map(name, nothing, count, arena), arena);
    return tree_combine(cleared, tree_map(name, value, count, arena), arena);
}

/* S with the error as `exception` and `error`; if S is no object, an object of these two. */
static struct expr_tree *lower_handler_view(const struct lowering *lowering, struct expr_tree *subject)
{
    static const str names[] = { STR_INIT("exception"), STR_INIT("error") };
    struct expr_tree *error = tree_variable(STR("error"), lowering->arena);
    return lower_with_members(lowering, subject, names, (struct expr_tree *[]){ error, error }, COUNT(names));
}

static const struct expr *lower_handler_condition(struct lowering *lowering,
                                                  const struct condition_text *condition,
                                                  struct expr_tree *subject)
{
    if (!condition->text.p) return NULL;
    struct arena *arena = lowering->arena;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    const struct condition_name bare[] = {
        { STR("exception"), error },
        { STR("error"), error },
        { STR("name"), tree_member(error, STR("name"), arena) },
        { STR("message"), tree_member(error, STR("message"), arena) },
    };
    const struct condition_names names = {
        .root = lower_handler_view(lowering, subject),
        .name = bare,
        .count = COUNT(bare),
    };
    return lower_expr(lowering, lower_condition(lowering, condition, &names));
}

static struct program_handler lower_handler(struct lowering *lowering, const struct handler *handler,
                                            struct expr_tree *subject)
{
    struct arena *arena = lowering->arena;
    const struct filter *filter = &handler->filter;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    struct expr_tree *value = lower_filtered(lowering, filter->input, filter->input_text, error);
    const struct jsonpath *place = filter->result ? filter->result : lowering->exception;
    struct expr_tree *data = tree_place(subject, place, value, arena);
    struct program_edge way = lower_way(lowering, &handler->transition);
    way.label = handler->condition.text;
    return (struct program_handler){
        .when = lower_handler_condition(lowering, &handler->condition, subject),
        .data = lower_expr(lowering, lower_filtered(lowering, filter->output, filter->output_text, data)),
        .way = way,
    };
}

/* Lowers fewer handlers than there are if the program has become too large. */
static size_t lower_all(struct lowering *lowering, const struct handler *from, size_t count,
                        struct expr_tree *subject, struct program_handler *to)
{
    size_t made = 0;
    while (made < count && lower_has_room(lowering)) {
        to[made] = lower_handler(lowering, &from[made], subject);
        made++;
    }
    return made;
}

static const struct program_handler *shared_handlers(struct lowering *lowering, bool framed,
                                                     struct expr_tree *subject)
{
    must(lowering->workflow->handler_count > 0);
    const struct workflow *workflow = lowering->workflow;
    if (!lowering->shared[framed]) {
        struct program_handler *made =
            arena_make_n(lowering->arena, struct program_handler, workflow->handler_count);
        size_t count = lower_all(lowering, workflow->handler, workflow->handler_count, subject, made);
        for (size_t i = 0; i < count; i++) made[i].common = true;
        lowering->shared[framed] = made;
    }
    return lowering->shared[framed];
}

void lower_handlers(struct lowering *lowering, const struct state *state, bool framed)
{
    const struct workflow *workflow = lowering->workflow;
    struct program_node *node = lower_node(lowering, state->node);
    struct expr_tree *subject = framed ? lower_of_frame(lowering, STR("S")) : lower_subject(lowering, state);
    /* A transition of the workflow's handlers would leave the branch. */
    size_t own = state->handler_count, outer = state->scope->branch ? 0 : workflow->handler_count;
    if (!lower_has_room(lowering)) return;
    bool shared = framed || lower_takes_everything(state);
    if (shared && !own && outer) {
        node->handler = shared_handlers(lowering, framed, subject);
        node->handler_count = outer;
        return;
    }
    struct program_handler *handler = arena_make_n(lowering->arena, struct program_handler, own + outer);
    node->handler_count = lower_all(lowering, state->handler, own, subject, handler);
    if (shared && outer && lower_has_room(lowering)) {
        memcpy(handler + own, shared_handlers(lowering, framed, subject), outer * sizeof *handler);
        node->handler_count += outer;
    } else {
        node->handler_count +=
            lower_all(lowering, workflow->handler, outer, subject, handler + node->handler_count);
    }
    must(node->handler_count <= own + outer);
    for (size_t i = own; i < node->handler_count; i++) handler[i].common = true;
    node->handler = handler;
}
