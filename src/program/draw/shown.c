/* program/draw/shown.c — the nodes and arrows of a program that a picture shows.
 *
 * Inner nodes are left out: what they do is their node's business, so that where they lead to
 * counts as that node's way. The one exception is an END, unless only regions come to it: how
 * a branch ends is seen from nothing following.
 *
 * A loop (a scope with a region for each item) whose body has nodes to show is a zone: they are drawn inside
 * a box.
 */
#include "program/draw/draw_int.h"

#include "base/datetime.h"
#include "base/duration.h"

struct drawing {
    const struct program *program;
    struct arena *arena;
    struct sketch shown;
    uint32_t *place; /* Place of each node among those shown; NODE_NONE: it is not shown. */
    bool *in_region;
    uint32_t *zone;   /* The loop whose body each node is in; NODE_NONE: none. */
    uint32_t *inside; /* A node and the inner ones it consists of. */
    size_t inside_count;
    size_t first_arrow; /* First arrow of the node whose arrows are being made. */
};

/* ---- which nodes ---- */

static void enter_region(struct drawing *drawing, uint32_t node)
{
    if (node == NODE_NONE || drawing->in_region[node]) return;
    drawing->in_region[node] = true;
    drawing->inside[drawing->inside_count++] = node;
}

/* Everything that can be entered from the start of a region without leaving it. */
static void mark_regions(struct drawing *drawing)
{
    const struct program *program = drawing->program;
    for (uint32_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; program->node[i].kind == NODE_SCOPE && k < program->node[i].as.scope.region_count;
             k++)
            enter_region(drawing, program->node[i].as.scope.region[k].start);
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *node = &program->node[drawing->inside[i]];
        for (size_t k = 0; k < node->edge_count; k++) enter_region(drawing, node->edge[k].target);
        for (size_t k = 0; k < node->handler_count; k++) enter_region(drawing, node->handler[k].way.target);
        for (size_t k = 0; k < node->timer_count; k++) enter_region(drawing, node->timer[k].target);
        for (size_t k = 0; node->kind == NODE_WAIT && k < node->as.wait.event_case_count; k++)
            enter_region(drawing, node->as.wait.event_case[k].target);
        for (size_t k = 0; node->kind == NODE_TASK && k < node->as.task.retry_count; k++)
            if (!node->as.task.retry[k].exit_levels)
                enter_region(drawing, node->as.task.retry[k].exit.target);
    }
}

/* An inner END that the instance itself can come to. */
static bool is_an_end(const struct drawing *drawing, uint32_t index)
{
    const struct program *program = drawing->program;
    if (program->node[index].kind != NODE_END || program->node[index].home) return false;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        for (size_t k = 0; !drawing->in_region[i] && k < node->edge_count; k++)
            if (node->edge[k].target == index) return true;
    }
    return false;
}

/* A trigger of a flow graph: an arrival begins there, and the token goes on at once. */
static bool is_trigger(const struct program *program, uint32_t index)
{
    const struct program_node *node = &program->node[index];
    if (node->kind != NODE_CHOOSE || node->edge_count > 1) return false;
    for (size_t i = 0; i < program->rules->arrival_count; i++)
        if (program->rules->arrival[i].start == index) return true;
    return false;
}

enum sketch_kind program_sketch_kind(const struct program *program, uint32_t index)
{
    static const enum sketch_kind kinds[NODE_KIND_COUNT] = {
        [NODE_TASK] = SKETCH_TASK,   [NODE_WAIT] = SKETCH_WAIT, [NODE_CHOOSE] = SKETCH_CHOOSE,
        [NODE_TABLE] = SKETCH_TABLE, [NODE_SET] = SKETCH_SET,   [NODE_FORK] = SKETCH_FORK,
        [NODE_JOIN] = SKETCH_JOIN,   [NODE_END] = SKETCH_END,   [NODE_SCOPE] = SKETCH_SCOPE,
    };
    static const enum sketch_kind waits[] = {
        [WAIT_FOR_SIGNAL] = SKETCH_SIGNAL, [WAIT_FOR_PERSON] = SKETCH_PERSON,
        [WAIT_FOR_EVENT] = SKETCH_EVENT,   [WAIT_FOR_TIME] = SKETCH_WAIT,
        [WAIT_FOR_ARRIVAL] = SKETCH_EVENT, [WAIT_FOR_TRANSITION] = SKETCH_STATE,
    };
    const struct program_node *node = &program->node[index];
    if (is_trigger(program, index)) return SKETCH_START;
    if (node->kind == NODE_WAIT) return waits[node->as.wait.what];
    if (node->kind == NODE_TASK && performer_starts(node->as.task.performer)) return SKETCH_CHILD;
    if (node->kind == NODE_END && node->as.end.error.n) return SKETCH_ERROR;
    return kinds[node->kind];
}

static str time_detail(const struct program_node *node, struct arena *arena)
{
    char text[DURATION_WORDS_BYTES];
    if (!node->timer_count || node->timer[0].when) return STR("");
    if (node->timer[0].at_ms) datetime_print_seconds(node->timer[0].at_ms, text);
    else duration_print_words(node->timer[0].delay_ms, text, sizeof text);
    return arena_printf(arena, "%s", text);
}

static str detail_of(const struct program_node *node, struct arena *arena)
{
    if (node->kind == NODE_TASK) return node->as.task.job_type;
    if (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TIME) return time_detail(node, arena);
    if (node->kind == NODE_WAIT) return node->as.wait.label;
    if (node->kind == NODE_TABLE)
        return arena_printf(arena, "%zu rules, %s", node->as.table.rule_count,
                            program_policy_code(node->as.table.policy));
    return STR("");
}

static struct sketch_node shown_node(const struct drawing *drawing, uint32_t index)
{
    const struct program_node *node = &drawing->program->node[index];
    return (struct sketch_node){ .kind = program_sketch_kind(drawing->program, index),
                                 .id = node->name,
                                 .title = node->title,
                                 .type = node->type,
                                 .detail = detail_of(node, drawing->arena),
                                 .pointer = node->pointer,
                                 .zone = NODE_NONE };
}

static void choose_nodes(struct drawing *drawing)
{
    const struct program *program = drawing->program;
    struct sketch *shown = &drawing->shown;
    shown->node = arena_make_n(drawing->arena, struct sketch_node, program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++) {
        drawing->place[i] = NODE_NONE;
        if (program->node[i].inner && !is_an_end(drawing, i)) continue;
        drawing->place[i] = (uint32_t)shown->node_count;
        shown->node[shown->node_count++] = shown_node(drawing, i);
    }
    shown->start = drawing->place[program->start];
}

/* ---- zones ---- */

static bool is_loop(const struct program_node *node)
{
    return node->kind == NODE_SCOPE && node->as.scope.each && !node->inner;
}

static void enter_zone(struct drawing *drawing, uint32_t node, uint32_t loop)
{
    if (node == NODE_NONE || drawing->zone[node] == loop || node == loop) return;
    if (drawing->program->node[node].kind == NODE_END && drawing->program->node[node].inner) return;
    drawing->zone[node] = loop;
    drawing->inside[drawing->inside_count++] = node;
}

/* Marks the nodes that can be entered from there without leaving the body. A loop inside has a zone of its
 * own. */
static void mark_zone(struct drawing *drawing, uint32_t loop)
{
    const struct program *program = drawing->program;
    drawing->inside_count = 0;
    enter_zone(drawing, program->node[loop].as.scope.region[0].start, loop);
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *node = &program->node[drawing->inside[i]];
        for (size_t k = 0; k < node->edge_count; k++) enter_zone(drawing, node->edge[k].target, loop);
        for (size_t k = 0; k < node->handler_count; k++)
            enter_zone(drawing, node->handler[k].way.target, loop);
        for (size_t k = 0; k < node->timer_count; k++) enter_zone(drawing, node->timer[k].target, loop);
        for (size_t k = 0; node->kind == NODE_WAIT && k < node->as.wait.event_case_count; k++)
            enter_zone(drawing, node->as.wait.event_case[k].target, loop);
        for (size_t k = 0; node->kind == NODE_TASK && k < node->as.task.retry_count; k++)
            if (!node->as.task.retry[k].exit_levels)
                enter_zone(drawing, node->as.task.retry[k].exit.target, loop);
        for (size_t k = 0; node->kind == NODE_SCOPE && !is_loop(node) && k < node->as.scope.region_count; k++)
            enter_zone(drawing, node->as.scope.region[k].start, loop);
    }
}

static void find_start(struct drawing *drawing, uint32_t node, bool *seen)
{
    if (seen[node]) return;
    seen[node] = true;
    if (drawing->place[node] != NODE_NONE) drawing->shown.node[drawing->place[node]].begins = true;
    else if (drawing->program->node[node].inner) drawing->inside[drawing->inside_count++] = node;
}

/* The first nodes of the body that are shown: inner ones may come before them. */
static void mark_starts(struct drawing *drawing, uint32_t loop, bool *seen)
{
    const struct program *program = drawing->program;
    drawing->inside_count = 0;
    find_start(drawing, program->node[loop].as.scope.region[0].start, seen);
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *node = &program->node[drawing->inside[i]];
        for (size_t k = 0; k < node->edge_count; k++) find_start(drawing, node->edge[k].target, seen);
        for (size_t k = 0; node->kind == NODE_SCOPE && k < node->as.scope.region_count; k++)
            find_start(drawing, node->as.scope.region[k].start, seen);
    }
}

static void find_zones(struct drawing *drawing)
{
    const struct program *program = drawing->program;
    struct sketch *shown = &drawing->shown;
    bool *seen = arena_make_n(drawing->arena, bool, program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++) drawing->zone[i] = NODE_NONE;
    for (uint32_t i = 0; i < program->node_count; i++)
        if (is_loop(&program->node[i])) mark_zone(drawing, i);
    for (uint32_t i = 0; i < program->node_count; i++) {
        uint32_t place = drawing->place[i], loop = drawing->zone[i];
        if (place == NODE_NONE) continue;
        shown->node[place].zone = loop == NODE_NONE ? NODE_NONE : drawing->place[loop];
        if (loop != NODE_NONE) shown->node[drawing->place[loop]].is_zone = true;
    }
    for (uint32_t i = 0; i < program->node_count; i++)
        if (is_loop(&program->node[i])) mark_starts(drawing, i, seen);
}

/* ---- arrows ---- */

/* Where a transition leads that is not held up on its way: to the state behind inner choices and decisions.
 */
static uint32_t transition_target(const struct program *program, uint32_t node)
{
    for (size_t i = 0; i < program->node_count && program->node[node].inner; i++) {
        const struct program_node *at = &program->node[node];
        if (!at->edge_count || (at->kind != NODE_CHOOSE && at->kind != NODE_TASK)) break;
        node = at->edge[at->kind == NODE_TASK ? 0 : at->edge_count - 1].target;
    }
    return node;
}

static bool has_transitions(const struct program_node *node)
{
    return (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TRANSITION) || node->home;
}

/* `to` is a node of the program; the rest is as in an arrow. */
static void add_arrow(struct drawing *drawing, struct sketch_arrow arrow)
{
    if (arrow.to == NODE_NONE || drawing->place[arrow.to] == NODE_NONE) return;
    /* A branch ends where its last state is, whatever that END is to others. */
    bool ends = drawing->program->node[arrow.to].kind == NODE_END && drawing->program->node[arrow.to].inner;
    if (ends && drawing->in_region[arrow.from]) return;
    if (drawing->zone[arrow.to] == arrow.from) return; /* Its zone says so. */
    arrow.from = drawing->place[arrow.from];
    arrow.to = drawing->place[arrow.to];
    sketch_say(&drawing->shown, drawing->first_arrow, arrow);
}

/* A timer that does not interrupt leaves the token where it waits. */
static str timer_label(const struct program_timer *timer, struct arena *arena)
{
    char text[DURATION_WORDS_BYTES];
    const char *besides = timer->does == TIMER_GO_TO && !timer->interrupting ? ", and waits on" : "";
    if (timer->when) return arena_printf(arena, "at %.*s%s", STR_ARG(expr_text(timer->when)), besides);
    duration_print_words(timer->delay_ms, text, sizeof text);
    return arena_printf(arena, "after %s%s", text, besides);
}

static str edge_label(const struct program_edge *edge)
{
    if (edge->label.n) return edge->label;
    const struct expr *why = edge->when ? edge->when : edge->guard;
    return why ? expr_text(why) : STR("");
}

static str handler_label(const struct program_handler *handler, struct arena *arena)
{
    const char *what = handler->common ? "error anywhere" : "error";
    str when = handler->way.label;
    if (!when.n && handler->when) when = expr_text(handler->when);
    return when.n ? arena_printf(arena, "%s: %.*s", what, STR_ARG(when)) : str_of(what);
}

static void find_inside(struct drawing *drawing, uint32_t node, bool *seen)
{
    const struct program_node *of = &drawing->program->node[node];
    if (!of->inner || of->kind == NODE_END || seen[node]) return;
    seen[node] = true;
    drawing->inside[drawing->inside_count++] = node;
}

/* The node itself, and the inner nodes it opens or that follow from those. */
static void find_all_inside(struct drawing *drawing, uint32_t index, bool *seen)
{
    const struct program *program = drawing->program;
    drawing->inside[0] = index;
    drawing->inside_count = 1;
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *node = &program->node[drawing->inside[i]];
        for (size_t k = 0; k < node->edge_count; k++) find_inside(drawing, node->edge[k].target, seen);
        for (size_t k = 0; node->kind == NODE_WAIT && k < node->as.wait.event_case_count; k++)
            find_inside(drawing, node->as.wait.event_case[k].target, seen);
        for (size_t k = 0; node->kind == NODE_SCOPE && k < node->as.scope.region_count; k++)
            find_inside(drawing, node->as.scope.region[k].start, seen);
    }
}

/* Arrows of `from` that it has for the sake of one of the nodes it consists of. */
static void add_arrows_inside(struct drawing *drawing, uint32_t from, const struct program_node *node)
{
    for (size_t i = 0; node->kind == NODE_SCOPE && i < node->as.scope.region_count; i++) {
        const struct program_region *region = &node->as.scope.region[i];
        add_arrow(drawing, (struct sketch_arrow){ .from = from, .to = region->start, .label = region->name });
    }
    for (size_t i = 0; node->kind == NODE_TASK && i < node->as.task.retry_count; i++)
        add_arrow(drawing, (struct sketch_arrow){
                               .from = from,
                               .to = node->as.task.retry[i].exit.target,
                               .error = true,
                               .label = STR("retries used up"),
                           });
    for (size_t i = 0; node->kind == NODE_WAIT && i < node->as.wait.event_case_count; i++) {
        const struct program_event_case *event_case = &node->as.wait.event_case[i];
        /* An end here is that of the region. */
        if (node->inner && drawing->program->node[event_case->target].kind == NODE_END) continue;
        add_arrow(drawing, (struct sketch_arrow){
                               .from = from,
                               .to = event_case->target,
                               .label = expr_text(event_case->when),
                           });
    }
}

static void add_transitions(struct drawing *drawing, uint32_t from, const struct program_node *node)
{
    for (size_t k = 0; k < node->edge_count; k++) {
        const struct program_edge *edge = &node->edge[k];
        str label = edge->when ? arena_printf(drawing->arena, "%.*s: %.*s", STR_ARG(edge->name),
                                              STR_ARG(expr_text(edge->when)))
                               : edge->name;
        struct sketch_arrow arrow = { .from = from, .id = edge->name, .label = label };
        arrow.to = transition_target(drawing->program, edge->target);
        for (size_t i = 0; edge->by_timer && i < node->timer_count; i++) {
            if (node->timer[i].does != TIMER_FIRE || node->timer[i].edge != k) continue;
            arrow.timer = true;
            arrow.label = arena_printf(drawing->arena, "%.*s %.*s",
                                       STR_ARG(timer_label(&node->timer[i], drawing->arena)), STR_ARG(label));
        }
        add_arrow(drawing, arrow);
    }
}

static void add_edges(struct drawing *drawing, uint32_t from, const struct program_node *node)
{
    for (size_t k = 0; k < node->edge_count; k++)
        add_arrow(drawing, (struct sketch_arrow){
                               .from = from,
                               .to = node->edge[k].target,
                               .id = node->edge[k].name,
                               .label = edge_label(&node->edge[k]),
                           });
}

static void add_arrows(struct drawing *drawing, uint32_t index, bool *seen)
{
    const struct program_node *node = &drawing->program->node[index];
    drawing->first_arrow = drawing->shown.arrow_count;
    find_all_inside(drawing, index, seen);
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *part = &drawing->program->node[drawing->inside[i]];
        if (part->kind == NODE_SCOPE) add_arrows_inside(drawing, index, part);
    }
    if (has_transitions(node)) add_transitions(drawing, index, node);
    else add_edges(drawing, index, node);
    for (size_t i = 0; i < drawing->inside_count; i++) {
        const struct program_node *part = &drawing->program->node[drawing->inside[i]];
        if (part->kind != NODE_SCOPE) add_arrows_inside(drawing, index, part);
        if (i && part->kind == NODE_FORK) add_edges(drawing, index, part); /* A join that is a fork, too. */
    }
    for (uint32_t k = 0; is_loop(node) && k < drawing->shown.node_count; k++)
        if (drawing->shown.node[k].zone == drawing->place[index] && drawing->shown.node[k].begins)
            sketch_join(&drawing->shown,
                        (struct sketch_arrow){ .from = drawing->place[index], .to = k, .inward = true });
    if (program_is_undoable(node))
        add_arrow(drawing, (struct sketch_arrow){
                               .from = index, .to = node->undo, .error = true, .label = STR("undo") });
    for (size_t k = 0; k < node->timer_count; k++) {
        const struct program_timer *timer = &node->timer[k];
        if (timer->does != TIMER_GO_TO) continue;
        add_arrow(drawing, (struct sketch_arrow){
                               .from = index,
                               .to = timer->target,
                               .timer = true,
                               .interrupting = timer->interrupting,
                               .label = timer_label(timer, drawing->arena),
                           });
    }
    for (size_t k = 0; k < node->handler_count; k++) {
        const struct program_handler *handler = &node->handler[k];
        /* A handler that every node has is shown at the start node only. */
        if (handler->common && index != drawing->program->start) continue;
        add_arrow(drawing, (struct sketch_arrow){
                               .from = index,
                               .to = handler->way.target,
                               .error = true,
                               .label = handler_label(handler, drawing->arena),
                           });
    }
}

struct sketch program_sketch(const struct program *program, struct arena *arena)
{
    struct drawing drawing = {
        .program = program,
        .arena = arena,
        .shown = sketch_of(program->id, program->title, program->dialect, arena),
        .place = arena_make_n(arena, uint32_t, program->node_count),
        .in_region = arena_make_n(arena, bool, program->node_count),
        .zone = arena_make_n(arena, uint32_t, program->node_count),
        .inside = arena_make_n(arena, uint32_t, program->node_count + 1),
    };
    bool *seen = arena_make_n(arena, bool, program->node_count);
    mark_regions(&drawing);
    choose_nodes(&drawing);
    find_zones(&drawing);
    for (uint32_t i = 0; i < program->node_count; i++)
        if (!program->node[i].inner) add_arrows(&drawing, i, seen);
    return drawing.shown;
}
