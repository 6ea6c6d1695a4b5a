/* dialect/graph/lower_waits.c — nodes that wait: for a person, for an event, for a time. */
#include "dialect/graph/graph_int.h"

#include "base/datetime.h"
#include "base/must.h"
#include "dialect/reminders.h"

/* ---- times ---- */

/* Sets when the timer is due: a literal duration, or what a template gives. */
static void set_delay(struct graph *graph, const struct graph_node *node, const struct graph_place *at,
                      const char *name, struct program_timer *timer)
{
    const struct json *value = graph_member(at, name);
    if (graph_is_template(value))
        timer->when = graph_expr(graph, node, value, graph_pointer(graph, at, name), GRAPH_SEES_DATA);
    else timer->delay_ms = graph_duration(graph, at, name, 0);
}

/* Nobody answers in time: the token goes to the port. */
static void set_timeout_port(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    must(!lowered->timer_count);
    const struct graph_place *at = graph_member(&node->config, "timeout") ? &node->config : &node->at;
    if (!graph_member(at, "timeout")) return;
    const struct program_edge way = graph_way(graph, graph_port_edge(graph, node, STR("timeout")));
    struct program_timer *timer = arena_make(graph->arena, struct program_timer);
    *timer = (struct program_timer){
        .does = TIMER_GO_TO, .interrupting = true, .target = way.target, .arrival = way.arrival
    };
    set_delay(graph, node, at, "timeout", timer);
    lowered->timer = timer;
    lowered->timer_count = timer->when || timer->delay_ms > 0;
}

/* ---- people ---- */

struct member_list {
    str name[16];
    struct expr_tree *value[16];
    size_t count;
};

static void add_member(struct member_list *list, const char *name, struct expr_tree *value)
{
    must(list->count < COUNT(list->name));
    list->name[list->count] = str_of(name);
    list->value[list->count++] = value;
}

/* A literal that is no time must be a duration. */
static void check_time(struct graph *graph, const struct graph_node *node, const char *name)
{
    const struct json *value = graph_member(&node->config, name);
    int64_t ms;
    if (!value || json_is(value, JSON_NULL) || graph_is_template(value)) return;
    if (json_is(value, JSON_STRING) && datetime_parse(json_string(value), &ms)) return;
    graph_duration(graph, &node->config, name, 0);
}

/* The details of the task; a form is no template, whatever texts it has. */
static const struct expr *lower_task(struct graph *graph, const struct graph_node *node)
{
    static const char *const templates[] = { "title",     "description", "assignees", "groups",
                                             "decisions", "due",         "followUp",  "priority" };
    struct member_list list = { .count = 0 };
    struct arena *arena = graph->arena;
    check_time(graph, node, "due");
    check_time(graph, node, "followUp");
    for (size_t i = 0; i < COUNT(templates); i++) {
        const struct json *value = graph_member(&node->config, templates[i]);
        if (!value && i == 0) {
            add_member(&list, "title",
                       tree_literal(json_of_string(arena, graph_lowered(graph, node)->title), arena));
            continue;
        }
        bool people = i == 2 || i == 3;
        if (people && json_is(value, JSON_STRING) && !graph_is_template(value)) {
            struct expr_tree *only = tree_literal(json_copy(arena, value), arena);
            add_member(&list, templates[i], tree_list(&only, 1, arena));
        } else if (value) {
            struct expr_tree *tree = graph_value(
                graph, node, value, graph_pointer(graph, &node->config, templates[i]), GRAPH_SEES_DATA);
            add_member(&list, templates[i],
                       i < 2 ? tree_text(&tree, 1, arena) : tree); /* People read those. */
        }
    }
    const struct json *form = graph_member(&node->config, "formSchema");
    if (form) add_member(&list, "formSchema", tree_literal(json_copy(arena, form), arena));
    return expr_of_tree(tree_map(list.name, list.value, list.count, arena), arena);
}

/* The answers that are offered; none: any may be given. */
static void lower_decisions(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    const struct json *list = graph_member(&node->config, "decisions");
    size_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    if (count > GRAPH_DECISIONS_MAX) {
        problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE,
                      graph_pointer(graph, &node->config, "decisions"), NULL,
                      "%s: %zu possible answers; the most is %d", node->at.what, count, GRAPH_DECISIONS_MAX);
        return;
    }
    str *decision = arena_make_n(graph->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_item(list, i);
        if (!json_is(item, JSON_STRING) || graph_is_template(item))
            return; /* Known only when the task is made. */
        decision[i] = arena_str(graph->arena, json_string(item));
    }
    must(count <= GRAPH_DECISIONS_MAX);
    lowered->as.wait.decision = decision;
    lowered->as.wait.decision_count = count;
}

/* Wired decisions first; any other answer takes the line that is marked as the default, or the port `out`. */
static void set_decision_ways(struct graph *graph, const struct graph_node *node,
                              struct program_node *lowered)
{
    struct arena *arena = graph->arena;
    struct program_edge *edge = arena_make_n(arena, struct program_edge, node->out_count + 1);
    struct expr_tree *given = tree_member(tree_variable(STR("answer"), arena), STR("decision"), arena);
    size_t count = 0;
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *way = &graph->edge[node->out[i]];
        if (graph_port_is(node->type, way->port)) continue;
        edge[count] = graph_way(graph, way);
        if (!edge[count].label.n) edge[count].label = way->port;
        edge[count++].when = expr_of_tree(
            tree_equal(given, tree_literal(json_of_string(arena, way->port), arena), arena), arena);
    }
    const struct graph_edge *other = graph_default_answer(graph, node);
    edge[count++] = graph_way(graph, other ? other : graph_port_edge(graph, node, STR("out")));
    must(count <= node->out_count + 1);
    lowered->edge = edge;
    lowered->edge_count = count;
}

static void set_answer_output(struct graph *graph, const struct graph_node *node,
                              struct program_node *lowered)
{
    static const str names[] = { STR_INIT("task_id"), STR_INIT("decision"), STR_INIT("payload"),
                                 STR_INIT("completed_by"), STR_INIT("completed_at") };
    struct arena *arena = graph->arena;
    struct expr_tree *answer = tree_variable(STR("answer"), arena),
                     *answered = tree_variable_or_null(STR("answered"), arena);
    struct expr_tree *values[] = {
        tree_member(answered, STR("task"), arena), tree_member(answer, STR("decision"), arena), answer,
        tree_member(answered, STR("by"), arena),   tree_member(answered, STR("at"), arena),
    };
    graph_set_output(graph, node, lowered, tree_map(names, values, COUNT(names), arena));
    static const str carried[] = { STR_INIT("resume"), STR_INIT("handling") };
    struct expr_tree *carry[] = { answer, tree_member(tree_variable_or_null(STR("carried"), arena),
                                                      STR("handling"), arena) };
    lowered->carry = expr_of_tree(tree_map(carried, carry, COUNT(carry), arena), arena);
}

static void set_reminders(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    struct error err = { 0 };
    if (reminders_add(graph_member(&node->config, "reminders"), graph_member(&node->config, "escalation"),
                      graph->arena, lowered, &err) == ST_OK)
        return;
    problem_error(graph_about(graph, &node->at),
                  err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_VALUE,
                  arena_printf(graph->scratch, "%.*s%s", STR_ARG(node->config.pointer), err.where), NULL,
                  "%s: %s %s", graph_label(graph, node), err.where + 1, err.message);
}

void graph_lower_person(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    lowered->kind = NODE_WAIT;
    lowered->as.wait.what = WAIT_FOR_PERSON;
    lowered->as.wait.label = lowered->title;
    lowered->as.wait.task = lower_task(graph, node);
    lower_decisions(graph, node, lowered);
    lowered->as.wait.form = graph_schema(graph, &node->config, "formSchema");
    lowered->as.wait.answer_is_local = true;
    graph_set_test_answer(graph, node, lowered);
    set_decision_ways(graph, node, lowered);
    set_timeout_port(graph, node, lowered);
    set_reminders(graph, node, lowered);
    set_answer_output(graph, node, lowered);
}

/* ---- events ---- */

/* The number of the trigger among the program's arrivals. */
static uint32_t arrival_of(const struct graph *graph, uint32_t trigger)
{
    must(trigger < graph->node_count);
    uint32_t number = 0;
    for (uint32_t i = 0; i < trigger; i++)
        number += graph->node[i].type && graph->node[i].type->kind == GRAPH_KIND_TRIGGER;
    return number;
}

uint32_t graph_awaited_arrival(struct graph *graph, const struct graph_node *node, const char *field)
{
    str id = graph_text(graph, &node->config, field);
    uint32_t trigger = graph_find(graph, id);
    if (trigger != NODE_NONE && graph->node[trigger].type &&
        graph->node[trigger].type->kind == GRAPH_KIND_TRIGGER)
        return arrival_of(graph, trigger);
    problem_error(graph_about(graph, &node->at), PROBLEM_WAIT_UNKNOWN_TRIGGER,
                  graph_pointer(graph, &node->config, field), NULL,
                  id.n ? "%s waits for the trigger %s, which does not exist"
                       : "%s does not say which trigger it waits for",
                  graph_label(graph, node), problem_quote(graph->scratch, id));
    return ARRIVAL_NONE;
}

void graph_lower_event(struct graph *graph, const struct graph_node *node)
{
    static const str names[] = { STR_INIT("payload"), STR_INIT("received_at") };
    struct arena *arena = graph->arena;
    struct program_node *lowered = graph_lowered(graph, node);
    uint32_t arrival = graph_awaited_arrival(graph, node, "trigger");
    struct expr_tree *answer = tree_variable(STR("answer"), arena);
    struct expr_tree *values[] = { tree_member(answer, STR("payload"), arena),
                                   tree_member(answer, STR("triggered_at"), arena) };
    lowered->kind = NODE_WAIT;
    lowered->as.wait.what = WAIT_FOR_ARRIVAL;
    lowered->as.wait.label = lowered->title;
    lowered->as.wait.arrival = arrival == ARRIVAL_NONE ? 0 : arrival;
    lowered->as.wait.takes_early = graph_flag(graph, &node->config, "early", true);
    lowered->as.wait.answer_is_local = true;
    graph_set_test_event(graph, node, lowered);
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("out")));
    set_timeout_port(graph, node, lowered);
    graph_set_output(graph, node, lowered, tree_map(names, values, COUNT(names), arena));
}

/* ---- times ---- */

/* True if the text is a time, or a template that gives one. */
static bool set_until(struct graph *graph, const struct graph_node *node, struct program_timer *timer)
{
    const struct json *until = graph_member(&node->config, "until");
    if (graph_is_template(until)) {
        timer->when =
            graph_expr(graph, node, until, graph_pointer(graph, &node->config, "until"), GRAPH_SEES_DATA);
        return true;
    }
    int64_t ms;
    if (!json_is(until, JSON_STRING) || !datetime_parse(json_string(until), &ms)) return false;
    timer->at_ms = ms ? ms : 1; /* 0 means none. The first millisecond of 1970 is past anyway. */
    return true;
}

/* A time that is over is not waited for; the engine looks at those that are computed. */
static const struct expr *known_time(struct graph *graph, const struct program_timer *timer)
{
    char text[DATETIME_CHARS + 1];
    datetime_print(timer->at_ms, text);
    const struct json *value = timer->at_ms ? json_of_string(graph->arena, str_of(text))
                                            : json_of_int(graph->arena, timer->delay_ms);
    return expr_of_tree(tree_literal(value, graph->arena), graph->arena);
}

void graph_lower_delay(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    struct program_timer *timer = arena_make(graph->arena, struct program_timer);
    *timer = (struct program_timer){ .does = TIMER_GO_ON, .target = NODE_NONE };
    bool until = graph_member(&node->config, "until") != NULL,
         duration = graph_member(&node->config, "duration") != NULL;
    if (until == duration)
        problem_error(graph_about(graph, &node->at), PROBLEM_INVALID_DURATION, node->config.pointer,
                      "give it a duration (10m) or a time (until)",
                      until ? "%s has both a duration and a time" : "%s does not say how long it waits",
                      graph_label(graph, node));
    else if (duration) set_delay(graph, node, &node->config, "duration", timer);
    else if (!set_until(graph, node, timer))
        problem_error(graph_about(graph, &node->at), PROBLEM_INVALID_DURATION,
                      graph_pointer(graph, &node->config, "until"),
                      "write a time such as 2026-01-31T12:00:00Z", "%s waits until %s, which is no time",
                      graph_label(graph, node), graph_shown(graph, graph_member(&node->config, "until")));
    must(!timer->when || (!timer->delay_ms && !timer->at_ms));
    if (!timer->when) timer->when = known_time(graph, timer);
    lowered->kind = NODE_WAIT;
    lowered->as.wait.what = WAIT_FOR_TIME;
    lowered->timer = timer;
    lowered->timer_count = 1;
    graph_set_test_delay(graph, node, lowered);
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("out")));
    graph_add_output(
        graph, lowered,
        (struct program_value){
            .name = graph_name_of_output(graph, node->id),
            .expr = graph_own_expr(graph, "{\"scheduled_for\": waited.due, \"resumed_at\": waited.at}") });
}
